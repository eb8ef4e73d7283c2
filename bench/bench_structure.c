// SPDX-License-Identifier: MIT
//
// What a step costs by discrete principles of motion: every integrator of that kind in every form
// of its equations, on chains of N rods of 1 m and 1 kg in space, on pins and on balls in turn,
// that fall from a line aslant. Steps of 1 ms; galpha/ggl in director and absolute coordinates
// stands beside them.
//
//     bench_structure [CSV [MOST [METHOD]]]      MOST rods, 1000 if not stated
//
// Processor time of whole steps, with all that the ledger measures after each, per step and body;
// times that of variational/multiplier on the same chain; iterations and factorisations per step.
// The fastest of several stretches counts, as everything else that the machine does only adds to
// the time. Forms with full matrices are left out where a step of theirs takes seconds.

#include "integrator/integrator.h"
#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double STEP = 1e-3;     // [s]
static const double TIME_MAX = 0.5;  // [s] of one stretch
enum { STRETCHES = 5, STEPS = 100 }; // of one stretch, at most
enum { MOST_FULL = 10 };             // bodies, for forms with full matrices

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Rods along x of their frames, 30 degrees below the horizontal; axes of pins lean against y.
static tn_model *chain(int n)
{
    const double angle = M_PI / 6.0, x = cos(angle), z = -sin(angle);
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, 0.0, -9.81});
    tn_body last = TN_GROUND;
    for (int k = 0; k < n; k++) {
        tn_body_def rod = tn_default_body();
        rod.mass = 1.0;
        rod.inertia = (tn_vec3){0.01, 1.0 / 12.0, 1.0 / 12.0};
        rod.frame = (tn_frame){tn_m3_rot_y(angle), {(k + 0.5) * x, 0.0, (k + 0.5) * z}};
        tn_joint_def joint = tn_default_joint(k % 2 ? TN_JOINT_SPHERICAL : TN_JOINT_REVOLUTE);
        joint.body_a = last;
        joint.body_b = last = tn_model_add_body(model, &rod);
        joint.frame_b.R = tn_m3_rot_x(M_PI / 2.0 + 0.3 * (k % 3));
        joint.frame_b.p = (tn_vec3){-0.5, 0.0, 0.0};
        joint.frame_a = k > 0 ? joint.frame_b : tn_frame_mul(rod.frame, joint.frame_b);
        joint.frame_a.p = (tn_vec3){k > 0 ? 0.5 : 0.0, 0.0, 0.0};
        tn_model_add_joint(model, &joint);
    }
    return model;
}

typedef struct cost {
    double step;                 // processor time of one step [s]
    double newton, factor, eval; // per step
    char solver[32];
} cost;

// Steps until the time is over, at least two.
static tn_status stretch(tn_sim *sim, double *each)
{
    const double begin = now();
    double end = begin;
    int steps = 0;
    for (; steps < STEPS && (steps < 2 || end - begin < TIME_MAX); steps++) {
        const tn_status s = tn_sim_step(sim, STEP);
        if (s != TN_OK)
            return s;
        end = now();
    }
    *each = (end - begin) / steps;
    return TN_OK;
}

static bool measure(int n, const char *method, cost *out)
{
    tn_model *model = chain(n);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = STEP;
    tn_status status = tn_sim_create(model, &options, &sim);
    out->step = INFINITY;
    for (int k = 0; k < STRETCHES && status == TN_OK; k++) {
        double each = INFINITY;
        status = stretch(sim, &each);
        out->step = fmin(out->step, each);
    }
    if (status == TN_OK) {
        tn_ledger l;
        tn_sim_ledger(sim, &l);
        const double steps = (double)l.steps;
        out->newton = (double)l.newton / steps;
        out->factor = (double)l.factorizations / steps;
        out->eval = (double)l.evaluations / steps;
        snprintf(out->solver, sizeof out->solver, "%s", tn_sim_solver(sim));
    } else {
        fprintf(stderr, "%d rods, %s: %s\n", n, method, tn_last_error());
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return status == TN_OK;
}

typedef struct table {
    FILE *csv;
    const char *only; // method; NULL: all
    double yardstick; // time of a step of variational/multiplier [s]
} table;

static void report(table *t, int n, const char *method)
{
    cost c = {0};
    if ((t->only && strcmp(t->only, method) != 0) || !measure(n, method, &c))
        return;
    if (isnan(t->yardstick))
        t->yardstick = c.step;
    printf("%5d  %-36s %9.1f %8.3f %7.2f  %6.2f %6.2f %6.2f  %s\n", n, method, 1e6 * c.step,
           1e6 * c.step / n, c.step / t->yardstick, c.newton, c.factor, c.eval, c.solver);
    fflush(stdout);
    if (t->csv)
        fprintf(t->csv, "%d,%s,%.2f,%.4f,%.3f,%.2f,%.2f,%.2f,%s\n", n, method, 1e6 * c.step,
                1e6 * c.step / n, c.step / t->yardstick, c.newton, c.factor, c.eval, c.solver);
}

// Full matrices: by what the form says of itself.
static bool is_full(const tn_formulation *form)
{
    return strcmp(form->name, "dalembert") == 0;
}

static void report_all(table *t, int n)
{
    t->yardstick = NAN;
    for (int i = 0; i < tn_integrator_count; i++)
        for (int k = 0; k < tn_formulation_count; k++) {
            char method[64];
            const tn_integrator_ops *integrator = tn_integrators[i];
            const tn_formulation *form = tn_formulations[k];
            if (!(integrator->needs & TN_VIEW_DISCRETE) || !tn_pairing_is_legal(integrator, form))
                continue;
            snprintf(method, sizeof method, "%s/%s@director", integrator->name, form->name);
            if (n <= MOST_FULL || !is_full(form))
                report(t, n, method);
        }
    report(t, n, "galpha/ggl@director");
    report(t, n, "galpha/ggl@absolute");
}

int main(int argc, char **argv)
{
    table t = {.csv = argc > 1 && argv[1][0] ? fopen(argv[1], "w") : NULL};
    const int most = argc > 2 ? atoi(argv[2]) : 1000;
    t.only = argc > 3 ? argv[3] : NULL;
    printf("                                                us per   us per  times    per step:\n"
           " rods  method                                    step     body   first   iter. "
           "factor  evals  solver\n");
    if (t.csv)
        fprintf(t.csv, "rods,method,us_per_step,us_per_step_and_rod,times_first,"
                       "iterations_per_step,factorizations_per_step,evaluations_per_step,solver\n");
    for (int n = 10; n <= most; n *= 10)
        report_all(&t, n);
    if (t.csv)
        fclose(t.csv);
    return 0;
}
