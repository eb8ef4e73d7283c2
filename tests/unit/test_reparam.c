// SPDX-License-Identifier: MIT
//
// Discrete equations in increments of the freedoms [LMO08, eq. 28] against the form with
// multipliers.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <string.h>
#include <stdlib.h>

typedef struct run { const char *file; double h; int steps; } run;

static const run runs[] = {
    {"pendulum", 0.01, 10000},     {"pendulum_3d", 0.01, 10000}, {"double_pendulum", 0.005, 2000},
    {"heavy_top", 0.001, 10000},   {"arm", 0.005, 2000},         {"slider_crank", 0.002, 10000},
    {"fourbar", 0.005, 10000},     {"fourbar_spatial", 0.005, 10000},
    {"gear_train", 0.002, 2000},   {"governor", 0.002, 2000},    {"car_axis", 0.001, 2000},
    {"andrews", 1e-5, 2000}, {"coupled_oscillators", 0.01, 2000}, {"fourbars_flat", 0.005, 1000}
};

static tn_sim *open_form(const tn_model *model, const char *method, double h)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = h;
    if (tn_sim_create(model, &options, &sim) != TN_OK) printf("%s: %s\n", method, tn_last_error());
    return sim;
}

static void one(const run *r)
{
    char path[160];
    tn_model *model = NULL;
    tn_simulate simulate;
    snprintf(path, sizeof path, "models/%s.yaml", r->file);
    CHECK_OK(tn_model_load(tn_test_path(path), &model, &simulate));
    tn_sim *a = open_form(model, getenv("REF") ? getenv("REF") : "variational/multiplier@director", r->h);
    tn_sim *b = open_form(model, getenv("FORM") ? getenv("FORM") : "variational/reparam@director", r->h);
    if (!a || !b) { printf("%s: no\n", r->file); return; }
    double motion = 0.0, force = 0.0, size = 0.0, react=0, rsize=0;
    int n;
    const long before = tn_test_alloc_count();
    for (n = 0; n < r->steps; n++) {
        if (tn_sim_step(a, r->h) != TN_OK) { printf("a: %s\n", tn_last_error()); break; }
        if (tn_sim_step(b, r->h) != TN_OK) { printf("b: %s\n", tn_last_error()); break; }
        for (int i = 0; i < tn_sim_nq(a); i++)
            motion = fmax(motion, fabs(tn_sim_q(a)[i] - tn_sim_q(b)[i]));
        for (int i = 0; i < tn_sim_nl(a); i++) {
            force = fmax(force, fabs(tn_sim_lambda(a)[i] - tn_sim_lambda(b)[i]));
            size = fmax(size, fabs(tn_sim_lambda(a)[i]));
        }
        for (int k = 0; k < tn_model_joint_count(model); k++) {
            tn_wrench x = tn_sim_joint_reaction(a, (tn_joint){k}), y = tn_sim_joint_reaction(b, (tn_joint){k});
            react = fmax(react, tn_v3_norm(tn_v3_sub(x.f, y.f)));
            rsize = fmax(rsize, tn_v3_norm(x.f));
        }
    }
    tn_ledger la, lb;
    tn_sim_ledger(a, &la); tn_sim_ledger(b, &lb);
    printf("%-20s E %.1e %.1e n %d  motion %.1e multipliers %.1e of %.1e reactions %.1e of %.1e  g %.1e %.1e solver %s alloc %ld\n", r->file, la.max_balance, lb.max_balance, n, motion, force, size, react, rsize, la.max_g, lb.max_g,
       tn_sim_solver(b), tn_test_alloc_count() - before);
    fflush(stdout);
    tn_sim_destroy(a);
    tn_sim_destroy(b);
    tn_model_destroy(model);
}

static void forms(void)
{
    const char *only = getenv("ONLY");
    for (int k = 0; k < TN_COUNT(runs); k++)
        if (!only || !strcmp(only, runs[k].file))
        one(&runs[k]);
}

static const tn_test tests[] = {
    {"forms", forms},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
