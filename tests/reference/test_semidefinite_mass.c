// SPDX-License-Identifier: MIT
//
// Mass matrices that are definite only on the motions that the constraints allow [Arn16, section
// 2.3, Lemma 2; ACB15, section 4]: a body turned by four Euler parameters, whose mass matrix has
// their own direction as its kernel, and a pendulum on a massless rod. Every integrator solves them
// under every formulation that the theory promises; where M is not definite there, the direction is
// named.

#include "integrator/integrator.h"
#include "linalg/dense.h"
#include "mechanism.h"

#include <string.h>

// A free symmetric top in Euler parameters e --------------------------------------------------
//
// Body rates w = 2 E(e) e' with E e = 0 give T = w^T J w / 2 and, by Lagrange's equations with
// g = (e^T e - 1) / 2,
//
//   4 E^T J E e'' = -4 E(e')^T J w - e lambda,
//
// a matrix of rank three. The product with e^T is lambda = 2 w^T J w = 4 T: a multiplier that is
// determined by positions and velocities alone. With J = diag(A, A, C) the motion is
//
//   R(t) = exp(t L / A) R(0) exp(t (1 - C/A) w3 z),    L the angular momentum, inertial.

static const double A = 1.0, C = 1.8, T_END = 1.0;
static const double START[4] = {0.8, 0.4, -0.2, 0.4}; // of unit length
static const double RATE[3] = {1.5, -0.7, 2.0};       // body axes [rad/s]

static void rates_matrix(const double e[4], double E[3][4])
{
    const double rows[3][4] = {
        {-e[1], e[0], e[3], -e[2]}, {-e[2], -e[3], e[0], e[1]}, {-e[3], e[2], -e[1], e[0]}};
    memcpy(E, rows, sizeof rows);
}

static double inertia(int i)
{
    return i < 2 ? A : C;
}

static int top_mass(void *user, const tn_arguments *at, double *M)
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

static int top_force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    double E[3][4], Edot[3][4];
    rates_matrix(at->q, E);
    rates_matrix(at->v, Edot);
    tn_zero(4, f);
    for (int k = 0; k < 3; k++) {
        const double w = 2.0 * tn_dot(4, E[k], at->v);
        tn_axpy(4, -4.0 * inertia(k) * w, Edot[k], f);
    }
    return 0;
}

static int top_constraint(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = 0.5 * (tn_dot(4, at->q, at->q) - 1.0);
    return 0;
}

static int top_jacobian(void *user, const tn_arguments *at, double *G)
{
    (void)user;
    tn_copy(4, at->q, G);
    return 0;
}

static tn_callbacks top_functions(void)
{
    return (tn_callbacks){.nq = 4,
                          .ng = 1,
                          .mass = top_mass,
                          .force = top_force,
                          .constraint = top_constraint,
                          .jacobian = top_jacobian};
}

static tn_quat turn_about(tn_vec3 axis, double t) // exp(t axis)
{
    const double size = tn_v3_norm(axis), s = sin(0.5 * t * size) / size;
    return (tn_quat){cos(0.5 * t * size), s * axis.x, s * axis.y, s * axis.z};
}

// e(t); the sign of a quaternion stays that of the start.
static tn_quat exact_top(double t)
{
    const tn_quat e0 = {START[0], START[1], START[2], START[3]};
    const tn_vec3 L = tn_m3_apply(tn_quat_matrix(e0), tn_v3(A * RATE[0], A * RATE[1], C * RATE[2]));
    return tn_quat_mul(tn_quat_mul(turn_about(tn_v3_scale(1.0 / A, L), t), e0),
                       turn_about(tn_v3(0.0, 0.0, (1.0 - C / A) * RATE[2]), t));
}

// Errors of a run at its end.
typedef struct errors {
    double motion, force;
} errors;

static errors run_top(const tn_sim_options *options)
{
    const tn_callbacks functions = top_functions();
    double E[3][4], v[4] = {0};
    rates_matrix(START, E);
    for (int k = 0; k < 3; k++)
        tn_axpy(4, 0.5 * RATE[k], E[k], v); // e' = E^T w / 2
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create_callbacks(&functions, START, v, options, &sim));
    CHECK_OK(tn_sim_run(sim, T_END, NULL, NULL));
    const tn_quat e = exact_top(T_END);
    const double *q = tn_sim_q(sim), exact[4] = {e.w, e.x, e.y, e.z};
    double energy = 0.0;
    for (int k = 0; k < 3; k++)
        energy += 0.5 * inertia(k) * RATE[k] * RATE[k];
    errors out = {.force = fabs(tn_sim_lambda(sim)[0] - 4.0 * energy)};
    for (int i = 0; i < 4; i++)
        out.motion = fmax(out.motion, fabs(q[i] - exact[i]));
    tn_sim_destroy(sim);
    return out;
}

// A pendulum on a massless rod --------------------------------------------------------------------
//
// The rod hangs on a revolute joint, the bob is welded to its end: the motion of one body. Its
// angle from the vertical follows from d^2 phi/dt^2 = -w^2 sin phi, at rest in 1 rad: with
// k = sin(1/2), sin(phi/2) = k sn(K - w t; k), here by the arithmetic-geometric mean.

static const double LENGTH = 0.8, MASS = 2.0, INERTIA = 0.3, GRAVITY = 9.81;

// Jacobi's sn(K - u) = cd(u) by descending Landen transformations [AS64, 16.4, 16.12].
static double jacobi_cd(double u, double k)
{
    double a[12] = {1.0}, c[12] = {k}, b = sqrt(1.0 - k * k);
    int n = 0;
    for (; n < 10 && fabs(c[n]) > 1e-17; n++) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
    }
    double phi = ldexp(a[n] * u, n), last = phi;
    for (int i = n; i > 0; i--) {
        last = phi;
        phi = 0.5 * (phi + asin(c[i] / a[i] * sin(phi)));
    }
    const double dn = n > 0 ? cos(phi) / cos(last - phi) : 1.0;
    return cos(phi) / dn;
}

static double exact_angle(double t)
{
    const double w = sqrt(MASS * GRAVITY * LENGTH / (INERTIA + MASS * LENGTH * LENGTH));
    const double k = sin(0.5);
    return 2.0 * asin(k * jacobi_cd(w * t, k));
}

static tn_model *pendulum_on_rod(tn_body *bob)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -GRAVITY));
    const tn_mat3 R = tn_m3_rot_y(-1.0); // swings about y
    const tn_vec3 end = tn_m3_apply(R, tn_v3(0.0, 0.0, -LENGTH));
    const tn_vec3 middle = tn_v3_scale(0.5, end);
    const tn_body_def rod = body_def("rod", 0.0, tn_v3(0, 0, 0), (tn_frame){R, middle});
    const tn_body_def weight =
        body_def("bob", MASS, tn_v3(INERTIA, INERTIA, 0.2), (tn_frame){R, end});
    const part a = add_part(model, &rod), b = add_part(model, &weight);
    const tn_frame pin = {tn_m3_rot_x(0.5 * PI), {0, 0, 0}}; // its axis along y
    join(model, TN_JOINT_REVOLUTE, "pin", ground, a, pin);
    join(model, TN_JOINT_FIXED, "weld", a, b, (tn_frame){R, end});
    *bob = b.id;
    return model;
}

static errors run_pendulum(const tn_sim_options *options)
{
    tn_body bob;
    tn_model *model = pendulum_on_rod(&bob);
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, options, &sim));
    CHECK(tn_sim_freedoms(sim) == 1);
    CHECK_OK(tn_sim_run(sim, T_END, NULL, NULL));
    const double phi = exact_angle(T_END);
    const tn_frame at = tn_sim_body_frame(sim, bob);
    // The force of the rod is what holds the bob: m (a - g), a from the closed form.
    const double wsq = MASS * GRAVITY * LENGTH / (INERTIA + MASS * LENGTH * LENGTH);
    const double rate_sq = 2.0 * wsq * (cos(phi) - cos(1.0)), bend = -wsq * sin(phi);
    const tn_vec3 out = tn_v3(sin(phi), 0.0, -cos(phi)), along = tn_v3(cos(phi), 0.0, sin(phi));
    const tn_vec3 a =
        tn_v3_add(tn_v3_scale(-LENGTH * rate_sq, out), tn_v3_scale(LENGTH * bend, along));
    const tn_vec3 force = tn_v3_scale(MASS, tn_v3_add(a, tn_v3(0.0, 0.0, GRAVITY)));
    const errors e = {
        .motion = tn_v3_norm(tn_v3_sub(at.p, tn_v3_scale(LENGTH, out))),
        .force = tn_v3_norm(tn_v3_sub(tn_sim_joint_reaction(sim, (tn_joint){1}).f, force)),
    };
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return e;
}

// All pairings ------------------------------------------------------------------------------------

typedef errors (*problem)(const tn_sim_options *options);

// Integrators that control their error get tight tolerances; errors of a run are some hundred times
// larger. Multipliers of index 3 carry those of positions divided by h^2, and the last step, which
// ends at T_END, may be a thousandth of a second. The others have order two: at half the step
// errors are a quarter.
static void check_pairing(problem run, const char *method, bool controlled)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.corrected_start = true;
    if (controlled) {
        options.rtol = options.atol = 1e-10;
        const errors e = run(&options);
        printf("%-26s motion %.1e, force %.1e\n", method, e.motion, e.force);
        CHECK_NEAR(e.motion, 0.0, 1e-7);
        CHECK_NEAR(e.force, 0.0, strstr(method, "index3") ? 1e-2 : 1e-4);
        return;
    }
    options.step = 2e-3;
    const errors coarse = run(&options);
    options.step = 1e-3;
    const errors fine = run(&options);
    printf("%-26s motion %.1e, force %.1e, gains %.2f and %.2f\n", method, fine.motion, fine.force,
           coarse.motion / fine.motion, coarse.force / fine.force);
    CHECK_NEAR(fine.motion, 0.0, 1e-4);
    CHECK_NEAR(coarse.motion / fine.motion, 4.0, 0.3);
    CHECK_NEAR(fine.force, 0.0, 1e-2);
}

static void check_pairings(problem run)
{
    static const char *const promised[] = {"index3", "ggl", "index1", "udwadia-kalaba", "minimal"};
    int count = 0;
    for (int i = 0; i < tn_integrator_count; i++)
        for (int k = 0; k < TN_COUNT(promised); k++) {
            const tn_formulation *formulation = tn_find_formulation(promised[k]);
            char method[64];
            CHECK(formulation != NULL);
            if (!tn_pairing_is_legal(tn_integrators[i], formulation))
                continue;
            snprintf(method, sizeof method, "%s/%s", tn_integrators[i]->name, formulation->name);
            check_pairing(run, method, tn_integrators[i]->controlled);
            count++;
        }
    CHECK(count >= 6);
}

static void euler_parameters_have_a_mass_matrix_of_rank_three(void)
{
    check_pairings(run_top);
}

static void a_massless_rod_carries_a_pendulum(void)
{
    check_pairings(run_pendulum);
}

// What is not definite ----------------------------------------------------------------------------

// Three coordinates whose kinetic energy sees differences only, (v0 - v1)^2 / 2; the third is held.
static int loose_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user;
    (void)at;
    static const double rank_one[9] = {1, -1, 0, -1, 1, 0, 0, 0, 0};
    memcpy(M, rank_one, sizeof rank_one);
    return 0;
}

static int loose_force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    (void)at;
    tn_zero(3, f);
    return 0;
}

static int loose_constraint(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = at->q[2];
    return 0;
}

static void directions_without_inertia_are_named(void)
{
    const tn_callbacks functions = {
        .nq = 3, .ng = 1, .mass = loose_mass, .force = loose_force, .constraint = loose_constraint};
    static const char *const methods[] = {"galpha/index3", "galpha/ggl", "dopri5/index1",
                                          "dopri5/udwadia-kalaba"};
    const double zero[3] = {0};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = methods[k];
        CHECK_STATUS(tn_sim_create_callbacks(&functions, zero, zero, &options, &sim), TN_ERR_MODEL);
        CHECK_TEXT(tn_last_error(),
                   "the motion of coordinate 0 (1) with coordinate 1 (1) is free to move without "
                   "inertia, and no damper acts on it; add one, give the body mass or inertia, or "
                   "hold it by a joint");
    }
}

static const tn_test tests[] = {
    {"Euler parameters have a mass matrix of rank three",
     euler_parameters_have_a_mass_matrix_of_rank_three},
    {"a massless rod carries a pendulum", a_massless_rod_carries_a_pendulum},
    {"directions without inertia are named", directions_without_inertia_are_named},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
