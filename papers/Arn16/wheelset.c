// SPDX-License-Identifier: MIT
//
// The wheelset of Figs. 12 and 13 of [Arn16] once more, in coordinates without its spin: the
// functions of the Test Set for IVP Solvers that tests/reference/wheelset.h has, with five
// positions, the deviation of the spin as a state and contact coordinates as unknowns. Errors of
// radau5 over one second for two values of kappa, the part of the tolerance at which Newton's
// method stops.
//
//     wheelset FORMULATION OUT.csv
//
// One row for each tolerance: largest errors of the lateral displacement by the amplitude, and
// iterations of Newton's method.

#include "../../tests/reference/wheelset.h"

#include <stdio.h>
#include <stdlib.h>

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
        tn_sim_present(sim);
    }
    return s;
}

static curve run(const char *formulation, double tol, double kappa)
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
    options.adaptive = true;
    options.rtol = options.atol = tol;
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

int main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "usage: wheelset FORMULATION OUT.csv\n"), 1;
    FILE *csv = fopen(argv[2], "w");
    if (!csv)
        return perror(argv[2]), 1;
    const curve reference = run("index2", 1e-12, 0.0);
    fprintf(csv, "TOL,kappa = 0.03,kappa = 1e-5,iterations with 0.03,iterations with 1e-5\n");
    for (int k = 3; k <= 9; k++) {
        const double tol = pow(10.0, -k);
        const curve early = run(argv[1], tol, 0.03), late = run(argv[1], tol, 1e-5);
        fprintf(csv, "%g,%.3g,%.3g,%ld,%ld\n", tol, error_of(&early, &reference),
                error_of(&late, &reference), early.newton, late.newton);
    }
    return fclose(csv) == 0 ? 0 : 1;
}
