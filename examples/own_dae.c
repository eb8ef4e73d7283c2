// SPDX-License-Identifier: MIT
//
// Your own DAE, without any bodies: the pendulum x'' = -x lambda, y'' = -y lambda - 1 on the unit
// circle. M, f and g are C functions; derivatives that are not given are found by differences.

#include <stdio.h>
#include <tenon/tenon.h>

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
    f[0] = 0.0;
    f[1] = -1.0;
    return 0;
}

static int constraint(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1.0);
    return 0;
}

int main(void)
{
    const tn_callbacks pendulum = {
        .nq = 2, .ng = 1, .mass = mass, .force = force, .constraint = constraint};
    const double q[2] = {1.0, 0.0}, v[2] = {0.0, 1.0};
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl";
    options.step = 0.001;

    tn_sim *sim = NULL;
    tn_status s = tn_sim_create_callbacks(&pendulum, q, v, &options, &sim);
    if (s == TN_OK)
        s = tn_sim_run(sim, 1.0, NULL, NULL);
    if (s == TN_OK)
        printf("x %.8f  y %.8f  lambda %.8f\n", tn_sim_q(sim)[0], tn_sim_q(sim)[1],
               tn_sim_lambda(sim)[0]); // exact: 0.86734864  0.49770105  -0.49310315
    else
        fprintf(stderr, "%s\n", tn_last_error());
    tn_sim_destroy(sim);
    return s == TN_OK ? 0 : 1;
}
