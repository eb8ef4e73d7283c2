// SPDX-License-Identifier: MIT
//
// Sensors and matrices of a simulation, in all coordinates: velocities and accelerations of frames
// are the derivatives of their positions along the motion, Jacobians give the velocities, the mass
// matrix the kinetic energy, and both with the forces the accelerations.

#include "lie/so3.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

// Two spatial links that spin, on a slide, with lengths far from one metre.
static const char *const arm =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  base: {mass: 30, inertia: [200, 300, 400], initial: {position: [5, 0, 0]}}\n"
    "  upper: {mass: 10, inertia: [90, 100, 20], com: [2, 1, 0], initial: {position: [5, 0, 2]}}\n"
    "  lower: {mass: 4, inertia: [30, 40, 50], initial: {position: [9, 3, 2]}}\n"
    "joints:\n"
    "  slide: {kind: prismatic, body: base, axis: [1, 0, 0], initial: {rate: 0.7}}\n"
    "  turn: {kind: revolute, bodies: [base, upper], at: [5, 0, 2], axis: [0, 0.6, 0.8],"
    " initial: {rate: 1.5}}\n"
    "  bend: {kind: universal, bodies: [upper, lower], at: [9, 3, 2], axis: [1, 0, 0],"
    " axis_2: [0, 1, 0], initial: {rate: [0.4, -0.9]}}\n"
    "forces:\n"
    "  d: {kind: joint-spring, joint: turn, stiffness: 50, damping: 3}\n";

static const char *const methods[] = {"dop853@joint", "dopri5/index1+project@absolute",
                                      "dopri5/index1+project@director"};

static tn_model *load(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(arm, "arm", &model, NULL));
    return model;
}

static tn_sim *start(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = options.atol = 1e-12;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static tn_frame spot(double x, double angle)
{
    return (tn_frame){.R = tn_so3_exp(tn_v3(0.3 * angle, -angle, 0.5)), .p = tn_v3(x, 0.5, -0.8)};
}

static double apart(tn_vec3 a, tn_vec3 b)
{
    return tn_v3_norm(tn_v3_sub(a, b));
}

typedef tn_frame_motion (*sensor)(tn_sim *sim);

static tn_frame_motion of_tip(tn_sim *sim)
{
    return tn_sim_frame(sim, (tn_body){3}, spot(1.5, 0.4));
}

static tn_frame_motion of_tip_from_base(tn_sim *sim)
{
    return tn_sim_frame_between(sim, (tn_body){2}, spot(-1.0, 1.1), (tn_body){3}, spot(1.5, 0.4));
}

// Rates in the axes in which the frame is told: R' = skew(rate) R.
static tn_vec3 rate_between(tn_mat3 before, tn_mat3 after, double h)
{
    return tn_v3_scale(1.0 / h, tn_so3_log(tn_m3_mul(after, tn_m3_transpose(before))));
}

static void check_derivatives(const char *method, sensor look)
{
    const double t = 0.6, e = 1e-4; // central differences: errors of e^2, and 1e-12 / e
    tn_model *model = load();
    tn_sim *sim = start(model, method);
    tn_frame_motion at[3];
    for (int k = 0; k < 3; k++) {
        CHECK_OK(tn_sim_run(sim, t + (k - 1) * e, NULL, NULL));
        at[k] = look(sim);
    }
    const double half = 0.5 / e;
    CHECK_NEAR(apart(tn_v3_scale(half, tn_v3_sub(at[2].frame.p, at[0].frame.p)), at[1].velocity),
               0.0, 1e-6);
    CHECK_NEAR(
        apart(tn_v3_scale(half, tn_v3_sub(at[2].velocity, at[0].velocity)), at[1].acceleration),
        0.0, 1e-6);
    CHECK_NEAR(apart(rate_between(at[0].frame.R, at[2].frame.R, 2.0 * e), at[1].rate), 0.0, 1e-6);
    CHECK_NEAR(apart(tn_v3_scale(half, tn_v3_sub(at[2].rate, at[0].rate)), at[1].rate_dot), 0.0,
               1e-6);
    CHECK(tn_v3_norm(at[1].acceleration) > 0.1 && tn_v3_norm(at[1].rate_dot) > 0.01);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void rates_are_derivatives(void)
{
    for (int k = 0; k < TN_COUNT(methods); k++)
        check_derivatives(methods[k], of_tip);
}

static void rates_between_frames_are_derivatives(void)
{
    for (int k = 0; k < TN_COUNT(methods); k++)
        check_derivatives(methods[k], of_tip_from_base);
}

enum { MOST = 40 };

static void jacobians_give_velocities(void)
{
    tn_model *model = load();
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = start(model, methods[k]);
        double J[6 * MOST], V[6] = {0};
        CHECK_OK(tn_sim_run(sim, 0.6, NULL, NULL));
        const int n = tn_sim_nv(sim);
        CHECK(n <= MOST);
        CHECK_OK(tn_sim_frame_jacobian(sim, (tn_body){3}, spot(1.5, 0.4), J));
        for (int j = 0; j < n; j++)
            for (int i = 0; i < 6; i++)
                V[i] += J[6 * j + i] * tn_sim_v(sim)[j];
        const tn_frame_motion tip = of_tip(sim);
        CHECK_NEAR(apart(tip.velocity, tn_v3(V[0], V[1], V[2])), 0.0, 1e-11);
        CHECK_NEAR(apart(tip.rate, tn_v3(V[3], V[4], V[5])), 0.0, 1e-11);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static void mass_matrices_give_kinetic_energies(void)
{
    tn_model *model = load();
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = start(model, methods[k]);
        static double M[MOST * MOST];
        double energy = 0.0;
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 0.6, NULL, NULL));
        CHECK_OK(tn_sim_mass_matrix(sim, M));
        const int n = tn_sim_nv(sim);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                energy += 0.5 * tn_sim_v(sim)[i] * M[i + j * n] * tn_sim_v(sim)[j];
        tn_sim_ledger(sim, &ledger);
        CHECK_NEAR(energy, ledger.kinetic, 1e-11 * ledger.kinetic);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static void forces_give_accelerations(void)
{
    static double M[MOST * MOST];
    double f[MOST];
    tn_model *model = load();
    tn_sim *sim = start(model, "dop853@joint"); // a tree: no reactions
    CHECK_OK(tn_sim_run(sim, 0.6, NULL, NULL));
    CHECK_OK(tn_sim_mass_matrix(sim, M));
    CHECK_OK(tn_sim_forces(sim, f));
    const int n = tn_sim_nv(sim);
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += M[i + j * n] * tn_sim_a(sim)[j];
        CHECK_NEAR(sum, f[i], 1e-9 * (1.0 + fabs(f[i])));
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void bodies_that_are_not_there_are_refused(void)
{
    tn_model *model = load();
    tn_sim *sim = start(model, "dop853@joint");
    double J[6 * MOST];
    CHECK_STATUS(tn_sim_frame_jacobian(sim, (tn_body){4}, tn_frame_identity, J), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "there is no body with the index 4; the model has 4");
    CHECK(tn_v3_norm(tn_sim_frame(sim, (tn_body){4}, tn_frame_identity).velocity) == 0.0);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"rates are derivatives", rates_are_derivatives},
    {"rates between frames are derivatives", rates_between_frames_are_derivatives},
    {"Jacobians give velocities", jacobians_give_velocities},
    {"mass matrices give kinetic energies", mass_matrices_give_kinetic_energies},
    {"forces give accelerations", forces_give_accelerations},
    {"bodies that are not there are refused", bodies_that_are_not_there_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
