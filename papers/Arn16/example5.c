// SPDX-License-Identifier: MIT
//
// A constrained system without any mass [Arn16, Example 5]: M = 0, as many constraints as
// coordinates, G regular. Positions follow from g(t, q) = 0 alone and multipliers from
// 0 = f - G^T lambda, without a derivative of the constraints. Here
//
//   g = (q1 + 0.3 q2^2 - sin t, q2 + 0.2 q1^2 - cos t),   f = (1 - q1 - d q1', q1 q2 - d q2')
//
// with d = 0 (index 1 in q and lambda) and d = 1 (index 2 of the first-order system).
//
//     example5 OUT.csv
//
// One row for each method, d and step: largest errors of q and lambda against g = 0 and
// lambda = G^-T f by Newton's method and Cramer's rule.

#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[1] = M[2] = M[3] = 0.0;
    return 0;
}

static void force_of(double d, const double *q, const double *v, double *f)
{
    f[0] = 1.0 - q[0] - d * v[0];
    f[1] = q[0] * q[1] - d * v[1];
}

static int force(void *user, const tn_arguments *at, double *f)
{
    force_of(*(const double *)user, at->q, at->v, f);
    return 0;
}

static int constraint(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = at->q[0] + 0.3 * at->q[1] * at->q[1] - sin(at->t);
    g[1] = at->q[1] + 0.2 * at->q[0] * at->q[0] - cos(at->t);
    return 0;
}

static int constraint_t(void *user, const tn_arguments *at, double *gt)
{
    (void)user;
    gt[0] = -cos(at->t);
    gt[1] = sin(at->t);
    return 0;
}

// Solves (1, a; b, 1) x = r, G of the constraints above.
static void solve(double a, double b, const double *r, double *x)
{
    const double det = 1.0 - a * b;
    x[0] = (r[0] - a * r[1]) / det;
    x[1] = (r[1] - b * r[0]) / det;
}

// The solution at a time; q is where the search begins.
static void exact(double t, double d, double *q, double *v, double *lambda)
{
    double dx[2], f[2];
    for (int k = 0; k < 50; k++) {
        const tn_arguments at = {.t = t, .q = q};
        double g[2];
        constraint(NULL, &at, g);
        solve(0.6 * q[1], 0.4 * q[0], g, dx);
        q[0] -= dx[0];
        q[1] -= dx[1];
    }
    solve(0.6 * q[1], 0.4 * q[0], (double[2]){cos(t), -sin(t)}, v);
    force_of(d, q, v, f);
    solve(0.4 * q[0], 0.6 * q[1], f, lambda); // G^T lambda = f
}

static void run(FILE *csv, const char *method, double d, double h)
{
    double q[2] = {0.0, 1.0}, v[2], lambda[2], of_q = 0.0, of_lambda = 0.0;
    const tn_callbacks equations = {.user = &d,
                                    .nq = 2,
                                    .ng = 2,
                                    .time_dependent = true,
                                    .mass = mass,
                                    .force = force,
                                    .constraint = constraint,
                                    .constraint_t = constraint_t};
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = h;
    options.max_order = 2;
    exact(0.0, d, q, v, lambda);
    tn_status s = tn_sim_create_callbacks(&equations, q, v, &options, &sim);
    for (int k = 1; s == TN_OK && k * h < 2.0 + 0.5 * h; k++) {
        s = tn_sim_step(sim, h);
        exact(tn_sim_time(sim), d, q, v, lambda);
        for (int i = 0; s == TN_OK && i < 2; i++) {
            of_q = fmax(of_q, fabs(tn_sim_q(sim)[i] - q[i]));
            of_lambda = fmax(of_lambda, fabs(tn_sim_lambda(sim)[i] - lambda[i]));
        }
    }
    if (s != TN_OK) {
        fprintf(stderr, "%s, d = %g: %s\n", method, d, tn_last_error());
        exit(1);
    }
    fprintf(csv, "%s d=%g h=%g,%g,%g,%g,%g\n", method, d, h, d, h, of_q, of_lambda);
    tn_sim_destroy(sim);
}

int main(int argc, char **argv)
{
    static const char *const methods[] = {"galpha/index3", "bdf/index3", "radau5/index3",
                                          "galpha/ggl", "bdf/ggl"};
    FILE *csv = fopen(argc > 1 ? argv[1] : "example5.csv", "w");
    if (!csv)
        return perror("example5"), 1;
    fprintf(csv, "case,d,h,error of q,error of lambda\n");
    for (int m = 0; m < 5; m++)
        for (int k = 0; k < 4; k++)
            run(csv, methods[m], k / 2, k % 2 ? 0.01 : 0.02);
    return fclose(csv) == 0 ? 0 : 1;
}
