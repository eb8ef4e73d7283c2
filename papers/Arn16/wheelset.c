// SPDX-License-Identifier: MIT
//
// The wheelset of Figs. 12 and 13 of [Arn16] once more, in coordinates without its spin: the
// functions of the Test Set for IVP Solvers that tests/reference/wheelset.h has, with five
// positions, the deviation of the spin as a state and contact coordinates as unknowns. Errors of
// radau5 over one second for two values of kappa, the part of the tolerance at which Newton's
// method stops.
//
//     wheelset FORMULATION OUT.csv
//     wheelset steps OUT.csv
//
// One row for each tolerance: largest errors of the lateral displacement by the amplitude, and
// iterations of Newton's method. With `steps` one row for each size of fixed steps, in index 3 and
// in index 2, where Newton's method stops at 1e-6 and at 1e-11: what iteration errors alone do.

#include "../../tests/reference/wheelset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 101 };
static const double EVERY = 0.01; // [s]

typedef struct curve {
    int n;
    double x[POINTS];
    long newton;
} curve;

static tn_status read_points(void *user, tn_sim *sim)
{
    curve *c = user;
    tn_status s = TN_OK;
    for (; c->n < POINTS && c->n * EVERY <= tn_sim_time(sim) && s == TN_OK; c->n++) {
        s = tn_sim_show(sim, fmax(c->n * EVERY, tn_sim_before(sim)));
        c->x[c->n] = tn_sim_q(sim)[0];
        tn_sim_current(sim);
    }
    return s;
}

// Under error control, or with steps of a given size, whose equations are solved to `tol`.
static curve run(const char *formulation, double step, double tol, double kappa)
{
    wheelset set = {{0}};
    const tn_callbacks equations = wheelset_equations(&set);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    tn_ledger ledger;
    curve c = {0};
    char method[32];
    snprintf(method, sizeof method, "radau5/%s", formulation);
    options.method = method;
    options.adaptive = step == 0.0;
    options.step = step;
    options.rtol = options.atol = options.newton_tol = tol;
    options.kappa = kappa;
    tn_status s = tn_sim_create_callbacks(&equations, wheelset_q0, wheelset_v0, &options, &sim);
    if (s == TN_OK)
        s = tn_sim_run(sim, EVERY * (POINTS - 1), read_points, &c);
    if (s != TN_OK || c.n < POINTS) {
        fprintf(stderr, "%s at %g: %s\n", method, tol, tn_last_error());
        exit(1);
    }
    tn_sim_ledger(sim, &ledger);
    c.newton = ledger.newton;
    tn_sim_destroy(sim);
    return c;
}

static double error_of(const curve *c, const curve *reference)
{
    double most = 0.0, amplitude = 0.0;
    for (int i = 0; i < POINTS; i++) {
        most = fmax(most, fabs(c->x[i] - reference->x[i]));
        amplitude = fmax(amplitude, fabs(reference->x[i]));
    }
    return most / amplitude;
}

static void write_tolerances(FILE *csv, const char *formulation, const curve *reference)
{
    fprintf(csv, "TOL,kappa = 0.03,kappa = 1e-5,iterations with 0.03,iterations with 1e-5\n");
    for (int k = 3; k <= 9; k++) {
        const double tol = pow(10.0, -k);
        const curve early = run(formulation, 0.0, tol, 0.03),
                    late = run(formulation, 0.0, tol, 1e-5);
        fprintf(csv, "%g,%.3g,%.3g,%ld,%ld\n", tol, error_of(&early, reference),
                error_of(&late, reference), early.newton, late.newton);
    }
}

static void write_steps(FILE *csv, const curve *reference)
{
    fprintf(csv, "step,index 3 to 1e-6,index 3 to 1e-11,index 2 to 1e-6,index 2 to 1e-11\n");
    for (double h = 1e-3; h > 1e-4; h *= 0.5) {
        fprintf(csv, "%g", h);
        for (int k = 0; k < 4; k++) {
            const curve c = run(k < 2 ? "index3" : "index2", h, k % 2 ? 1e-11 : 1e-6, 0.0);
            fprintf(csv, ",%.3g", error_of(&c, reference));
        }
        fprintf(csv, "\n");
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "usage: wheelset FORMULATION|steps OUT.csv\n"), 1;
    FILE *csv = fopen(argv[2], "w");
    if (!csv)
        return perror(argv[2]), 1;
    const curve reference = run("index2", 0.0, 1e-12, 0.0);
    if (strcmp(argv[1], "steps") == 0)
        write_steps(csv, &reference);
    else
        write_tolerances(csv, argv[1], &reference);
    return fclose(csv) == 0 ? 0 : 1;
}
