// SPDX-License-Identifier: MIT
//
// The wheelset of [Arn16, Examples 10 and 11] by radau5: its hunting motion
// (Fig. 11), what a corrector that is stopped early does to errors in index3
// and index2 (Fig. 12, 13), and the drift of index2 and index1 (Fig. 14).
// docs/guide/wheelset.md tells what is seen.
//
//     bench_wheelset [CSV]
//
// One row for each point of a picture: for "motion" and "drift" t [s] and the
// lateral place x or the distance of the right wheel from its rail [m]; for
// "error" the largest error of x in 1 s by the amplitude, steps and iterations
// of Newton's method.

#include "../tests/reference/wheelset.h"

#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 2001 };
static const double AMPLITUDE = 10.365e-3; // of the first second [m]

// x at equal times, from 0 on, or g at the ends of steps that pass these:
// between them it has what interpolation leaves.
typedef struct curve {
    bool gap; // of the right wheel, else x
    int n, most;
    double every; // [s]
    double t[POINTS], value[POINTS];
    tn_ledger ledger;
} curve;

static double gap_of(tn_sim *sim)
{
    wheelset set = {{0}};
    double g[WHEELSET_NG];
    const tn_arguments at = {.q = tn_sim_q(sim), .s = tn_sim_extra(sim) + 1};
    wheelset_constraint(&set, &at, g);
    return g[1];
}

static tn_status read_points(void *user, tn_sim *sim)
{
    curve *c = user;
    tn_status status = TN_OK;
    for (; c->n < c->most && c->n * c->every <= tn_sim_time(sim) && status == TN_OK; c->n++) {
        c->t[c->n] = c->gap ? tn_sim_time(sim) : c->n * c->every;
        if (!c->gap)
            status = tn_sim_show(sim, fmax(c->t[c->n], tn_sim_before(sim)));
        c->value[c->n] = c->gap ? gap_of(sim) : tn_sim_q(sim)[0];
        tn_sim_current(sim);
    }
    return status;
}

static void run(const char *method, double tol, double kappa, curve *c)
{
    wheelset set = {{0}};
    const tn_callbacks equations = wheelset_equations(&set);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = tol;
    options.kappa = kappa;
    c->n = 0;
    tn_status s = tn_sim_create_callbacks(&equations, wheelset_q0, wheelset_v0, &options, &sim);
    if (s == TN_OK)
        s = tn_sim_run(sim, c->every * (c->most - 1), read_points, c);
    if (s != TN_OK || c->n < c->most) {
        fprintf(stderr, "%s at %g: %s\n", method, tol, tn_last_error());
        exit(1);
    }
    tn_sim_ledger(sim, &c->ledger);
    tn_sim_destroy(sim);
}

static void write_curve(FILE *csv, const char *study, const char *method, double tol, curve *c)
{
    run(method, tol, 0.0, c);
    for (int i = 0; i < c->n; i++)
        fprintf(csv, "%s,%s,0,%g,%g,%.9g,%ld,%ld\n", study, method, tol, c->t[i], c->value[i],
                c->ledger.steps, c->ledger.newton);
}

// Growth of |g| from the half to the end of a run as a power of time.
static double growth(const curve *c)
{
    return log2(fabs(c->value[c->n - 1] / c->value[(c->n - 1) / 2]));
}

static void write_drift(FILE *csv, const char *method, double tol)
{
    curve *c = calloc(1, sizeof *c);
    if (!c)
        exit(1);
    c->gap = true;
    c->every = 0.05;
    c->most = 201;
    write_curve(csv, "drift", method, tol, c);
    printf("%-14s %7.0e %14.2e m %8.1f\n", method, tol, c->value[c->n - 1], growth(c));
    free(c);
}

static void write_errors(FILE *csv, const char *method, double kappa, const curve *reference)
{
    curve *c = calloc(1, sizeof *c);
    if (!c)
        exit(1);
    c->every = reference->every;
    c->most = reference->most;
    for (int k = 3; k <= 10; k++) {
        const double tol = pow(10.0, -k);
        double most = 0.0;
        run(method, tol, kappa, c);
        for (int i = 0; i < c->n; i++)
            most = fmax(most, fabs(c->value[i] - reference->value[i]));
        fprintf(csv, "error,%s,%g,%g,1,%.3g,%ld,%ld\n", method, kappa, tol, most / AMPLITUDE,
                c->ledger.steps, c->ledger.newton);
        printf("%-14s %7.0e %7.0e %9.1e %6ld %7ld %7.2f\n", method, kappa, tol, most / AMPLITUDE,
               c->ledger.steps, c->ledger.newton, c->ledger.wall);
    }
    free(c);
}

int main(int argc, char **argv)
{
    static const char *const methods[] = {"radau5/index3", "radau5/index2"};
    static const double kappas[] = {1.0, 0.03, 1e-5};
    static curve motion = {.every = 5e-3, .most = POINTS}, reference = {.every = 0.01, .most = 101};
    FILE *csv = fopen(argc > 1 ? argv[1] : "wheelset.csv", "w");
    if (!csv)
        return perror(argv[1]), 1;
    fprintf(csv, "study,method,kappa,tol,t,value,steps,newton\n");
    write_curve(csv, "motion", "radau5/index2", 1e-7, &motion);
    run("radau5/index2", 1e-13, 0.0, &reference);
    printf("method           kappa     tol     error  steps  newton    [s]\n");
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 3; k++)
            write_errors(csv, methods[m], kappas[k], &reference);
    printf("method             tol    g right, 10 s   grows as t to the\n");
    for (int k = 3; k <= 5; k++) {
        write_drift(csv, "radau5/index1", pow(10.0, -k));
        write_drift(csv, "radau5/index2", pow(10.0, -k));
        write_drift(csv, "radau5/ggl", pow(10.0, -k));
    }
    return fclose(csv) == 0 ? 0 : 1;
}
