// SPDX-License-Identifier: MIT
//
// Backward Euler with a change of the step [Arn16, Example 9]: M = I, f = 0 and C q = z(t), here
// with C = (1, 2) and z = sin 2t. Four steps of size h are followed by one of size r h; after it
// lambda should be -(C C^T)^-1 z'', and is (1 + r) / (2 r) times that in the index-3 form.
//
//     example9 OUT.csv [H]
//
// One row for each r: what lambda is by what it should be, in index3, index2 and ggl, and the
// factor of the paper. H is the size of the steps before; 0.001 s.

#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double C[2] = {1.0, 2.0}, CC = 5.0, START = 0.3;

static double z(int derivative, double t)
{
    return pow(2.0, derivative) * sin(2.0 * t + derivative * acos(0.0));
}

static int mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int force(void *user, const tn_arguments *at, double *f)
{
    (void)user, (void)at;
    f[0] = f[1] = 0.0;
    return 0;
}

static int constraint(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = C[0] * at->q[0] + C[1] * at->q[1] - z(0, at->t);
    return 0;
}

static int jacobian(void *user, const tn_arguments *at, double *G)
{
    (void)user, (void)at;
    G[0] = C[0];
    G[1] = C[1];
    return 0;
}

static int constraint_t(void *user, const tn_arguments *at, double *gt)
{
    (void)user;
    gt[0] = -z(1, at->t);
    return 0;
}

static int second(void *user, const tn_arguments *at, double *gamma)
{
    (void)user;
    gamma[0] = -z(2, at->t);
    return 0;
}

// lambda by its exact value after steps h, h, h, h and r h of backward Euler, BDF of order one.
static double share(const char *method, double h, double r)
{
    const tn_callbacks equations = {.nq = 2,
                                    .ng = 1,
                                    .time_dependent = true,
                                    .mass = mass,
                                    .force = force,
                                    .constraint = constraint,
                                    .jacobian = jacobian,
                                    .constraint_t = constraint_t,
                                    .gamma = second};
    const double q[2] = {C[0] * z(0, START) / CC, C[1] * z(0, START) / CC};
    const double v[2] = {C[0] * z(1, START) / CC, C[1] * z(1, START) / CC};
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.t_start = START;
    options.step = h;
    options.max_order = 1;
    tn_status s = tn_sim_create_callbacks(&equations, q, v, &options, &sim);
    for (int k = 0; k < 5 && s == TN_OK; k++)
        s = tn_sim_step(sim, k < 4 ? h : r * h);
    if (s != TN_OK) {
        fprintf(stderr, "%s: %s\n", method, tn_last_error());
        exit(1);
    }
    const double lambda = tn_sim_lambda(sim)[0], exact = -z(2, tn_sim_time(sim)) / CC;
    tn_sim_destroy(sim);
    return lambda / exact;
}

int main(int argc, char **argv)
{
    const double h = argc > 2 ? atof(argv[2]) : 1e-3;
    FILE *csv = fopen(argc > 1 ? argv[1] : "example9.csv", "w");
    if (!csv || !(h > 0.0))
        return perror("example9"), 1;
    fprintf(csv, "r,factor of the paper,index3,index2,ggl\n");
    for (double r = 1.0 / 64.0; r < 65.0; r *= 2.0)
        fprintf(csv, "%g,%.9g,%.9g,%.9g,%.9g\n", r, (1.0 + r) / (2.0 * r),
                share("bdf/index3", h, r), share("bdf/index2", h, r), share("bdf/ggl", h, r));
    return fclose(csv) == 0 ? 0 : 1;
}
