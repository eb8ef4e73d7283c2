// SPDX-License-Identifier: MIT
//
// The equations without mass and forces of [ACB15, eq. 11]: q' = v, 0 = -B^T lambda, B q = 0, with
// a square regular B. Their index is two, and their only solution is zero; with d = (sin t, 0) on
// the right-hand side of the last one there is something to integrate: q = B^-1 d, lambda = 0.
//
//   eq11 METHOD STEP FILE.csv

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tenon/tenon.h>

static const double B[2][2] = {{2.0, 1.0}, {-1.0, 3.0}};

static int mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    for (int i = 0; i < 4; i++)
        M[i] = 0.0;
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
    g[0] = B[0][0] * at->q[0] + B[0][1] * at->q[1] - sin(at->t);
    g[1] = B[1][0] * at->q[0] + B[1][1] * at->q[1];
    return 0;
}

static int constraint_t(void *user, const tn_arguments *at, double *g_t)
{
    (void)user;
    g_t[0] = -cos(at->t);
    g_t[1] = 0.0;
    return 0;
}

static int jacobian(void *user, const tn_arguments *at, double *G)
{
    (void)user, (void)at;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            G[i + 2 * j] = B[i][j];
    return 0;
}

int main(int argc, char **argv)
{
    const tn_callbacks functions = {.nq = 2,
                                    .ng = 2,
                                    .mass = mass,
                                    .force = force,
                                    .constraint = constraint,
                                    .constraint_t = constraint_t,
                                    .jacobian = jacobian};
    const double det = B[0][0] * B[1][1] - B[0][1] * B[1][0], q1 = B[1][1] / det,
                 q2 = -B[1][0] / det;
    FILE *out = argc == 4 ? fopen(argv[3], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: eq11 METHOD STEP FILE.csv\n");
        return 1;
    }
    tn_sim_options options = tn_default_sim();
    const double h = atof(argv[2]), q[2] = {0.0, 0.0}, v[2] = {q1, q2};
    options.method = argv[1];
    options.step = h;
    tn_sim *sim = NULL;
    tn_status s = tn_sim_create_callbacks(&functions, q, v, &options, &sim);
    fprintf(out, "t,q,v,lambda\n");
    for (int k = 1; s == TN_OK && k <= lround(1.0 / h); k++) {
        s = tn_sim_step(sim, h);
        const double t = k * h, *x = tn_sim_q(sim), *u = tn_sim_v(sim), *l = tn_sim_lambda(sim);
        fprintf(out, "%.10g,%.6e,%.6e,%.6e\n", t,
                fmax(fabs(x[0] - q1 * sin(t)), fabs(x[1] - q2 * sin(t))),
                fmax(fabs(u[0] - q1 * cos(t)), fabs(u[1] - q2 * cos(t))),
                fmax(fabs(l[0]), fabs(l[1])));
    }
    if (s != TN_OK)
        fprintf(stderr, "eq11: %s\n", tn_last_error());
    tn_sim_destroy(sim);
    return fclose(out) == 0 && s == TN_OK ? 0 : 1;
}
