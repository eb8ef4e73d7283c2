// SPDX-License-Identifier: MIT
//
// A free symmetric top in four Euler parameters, whose mass matrix has rank three [ACB15, section
// 4]: errors of generalized-alpha for the index-3 form over halved steps. With w = 2 E(e) e',
// J = diag(A, A, C) and the constraint (e^T e - 1)/2 = 0 the equations are
//
//   4 E^T J E e'' = -4 E(e')^T J w - e lambda,
//
// so that lambda = 2 w^T J w: it is of the kind (17a), a function of positions and velocities. The
// motion is R(t) = exp(t L / A) R(0) exp(t (1 - C/A) w3 z) with the angular momentum L.
//
//   euler_parameters STEP LEVELS CORRECTED FILE.csv

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

static const double A = 1.0, C = 1.8, END = 1.0;
static const double START[4] = {0.8, 0.4, -0.2, 0.4}, RATE[3] = {1.5, -0.7, 2.0};

static double inertia(int i)
{
    return i < 2 ? A : C;
}

static void rates_matrix(const double *e, double E[3][4])
{
    const double rows[3][4] = {
        {-e[1], e[0], e[3], -e[2]}, {-e[2], -e[3], e[0], e[1]}, {-e[3], e[2], -e[1], e[0]}};
    memcpy(E, rows, sizeof rows);
}

static int mass(void *user, const tn_arguments *at, double *M)
{
    (void)user;
    double E[3][4];
    rates_matrix(at->q, E);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            M[4 * j + i] = 0.0;
            for (int k = 0; k < 3; k++)
                M[4 * j + i] += 4.0 * inertia(k) * E[k][i] * E[k][j];
        }
    return 0;
}

static int force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    double E[3][4], Edot[3][4];
    rates_matrix(at->q, E);
    rates_matrix(at->v, Edot);
    for (int i = 0; i < 4; i++)
        f[i] = 0.0;
    for (int k = 0; k < 3; k++) {
        double w = 0.0;
        for (int i = 0; i < 4; i++)
            w += 2.0 * E[k][i] * at->v[i];
        for (int i = 0; i < 4; i++)
            f[i] -= 4.0 * inertia(k) * w * Edot[k][i];
    }
    return 0;
}

static int constraint(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    const double *e = at->q;
    g[0] = 0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1.0);
    return 0;
}

static int jacobian(void *user, const tn_arguments *at, double *G)
{
    (void)user;
    memcpy(G, at->q, sizeof(double[4]));
    return 0;
}

static tn_quat turn_about(tn_vec3 axis, double t)
{
    const double size = tn_v3_norm(axis), s = sin(0.5 * t * size) / size;
    return (tn_quat){cos(0.5 * t * size), s * axis.x, s * axis.y, s * axis.z};
}

static void true_motion(double t, double e[4], double v[4])
{
    const tn_quat e0 = tn_quat_from(START);
    const tn_vec3 L = tn_m3_apply(tn_quat_matrix(e0), tn_v3(A * RATE[0], A * RATE[1], C * RATE[2]));
    const tn_vec3 spin = tn_v3(0.0, 0.0, (1.0 - C / A) * RATE[2]), lead = tn_v3_scale(1.0 / A, L);
    const tn_quat at = tn_quat_mul(tn_quat_mul(turn_about(lead, t), e0), turn_about(spin, t));
    // R' = (L/A)~ R + R spin~: e' = ((0, L/A) e + e (0, spin)) / 2
    const tn_quat a = tn_quat_mul((tn_quat){0.0, lead.x, lead.y, lead.z}, at);
    const tn_quat b = tn_quat_mul(at, (tn_quat){0.0, spin.x, spin.y, spin.z});
    const double sum[4] = {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
    tn_quat_to(at, e);
    for (int i = 0; i < 4; i++)
        v[i] = 0.5 * sum[i];
}

static tn_status measure(double h, bool corrected, FILE *out)
{
    const tn_callbacks functions = {.nq = 4,
                                    .ng = 1,
                                    .mass = mass,
                                    .force = force,
                                    .constraint = constraint,
                                    .jacobian = jacobian};
    tn_sim_options options = tn_default_sim();
    double e[4], v[4], lambda = 0.0, errors[3] = {0};
    options.method = "galpha/index3";
    options.step = h;
    options.rho_inf = 0.9;
    options.corrected_start = corrected;
    for (int k = 0; k < 3; k++)
        lambda += 2.0 * inertia(k) * RATE[k] * RATE[k]; // the kinetic energy does not change
    true_motion(0.0, e, v);
    tn_sim *sim = NULL;
    tn_status s = tn_sim_create_callbacks(&functions, e, v, &options, &sim);
    for (int k = 1; s == TN_OK && k <= lround(END / h); k++) {
        s = tn_sim_step(sim, h);
        true_motion(k * h, e, v);
        for (int i = 0; i < 4; i++) {
            errors[0] = fmax(errors[0], fabs(tn_sim_q(sim)[i] - e[i]));
            errors[1] = fmax(errors[1], fabs(tn_sim_v(sim)[i] - v[i]));
        }
        errors[2] = fmax(errors[2], fabs(tn_sim_lambda(sim)[0] - lambda));
    }
    fprintf(out, "%.10g,%.10g,%.10g,%.10g\n", h, errors[0], errors[1], errors[2]);
    tn_sim_destroy(sim);
    return s;
}

int main(int argc, char **argv)
{
    FILE *out = argc == 5 ? fopen(argv[4], "w") : NULL;
    tn_status s = TN_OK;
    if (!out) {
        fprintf(stderr, "usage: euler_parameters STEP LEVELS CORRECTED FILE.csv\n");
        return 1;
    }
    fprintf(out, "h,q,v,lambda\n");
    for (int k = 0; s == TN_OK && k < atoi(argv[2]); k++)
        s = measure(atof(argv[1]) / (1 << k), atoi(argv[3]) != 0, out);
    if (s != TN_OK)
        fprintf(stderr, "euler_parameters: %s\n", tn_last_error());
    return fclose(out) == 0 && s == TN_OK ? 0 : 1;
}
