// SPDX-License-Identifier: MIT
//
// Parts from finite elements in motion: the crank of models/parts beside a rigid body of the same
// mass and inertia, and an arm that was reduced from a beam beside that beam.

#include "cli_driver.h"
#include "flex/modal.h"
#include "read/modal_file.h"
#include "tenon/io.h"

#ifdef TN_WITH_HDF5

// The crank without modes.
static tn_model *rigid_crank(void)
{
    static char text[2048];
    tn_modal *x = NULL;
    tn_model *model = NULL;
    CHECK_OK(tn_modal_read(tn_test_path("models/parts/crank.h5"), &x));
    const tn_modal_inertia i = tn_modal_inertia_of(x);
    const double c[3] = {i.centre.x, i.centre.y, i.centre.z};
    double I[3][3];
    for (int k = 0; k < 9; k++)
        I[k / 3][k % 3] =
            i.inertia.m[k / 3][k % 3] -
            i.mass * ((k / 3 == k % 3 ? tn_v3_dot(i.centre, i.centre) : 0.0) - c[k / 3] * c[k % 3]);
    snprintf(
        text, sizeof text,
        "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n  crank: {mass: %.17g, com: [%.17g, %.17g, "
        "%.17g], inertia: [%.17g, %.17g, %.17g], products: [%.17g, %.17g, %.17g]}\njoints:\n"
        "  hinge: {kind: revolute, body: crank, axis: [0, 0, 1]}\n",
        i.mass, c[0], c[1], c[2], I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]);
    CHECK_OK(tn_model_parse(text, "rigid.yaml", &model, NULL));
    tn_modal_destroy(x);
    return model;
}

static double angle_after(const tn_model *model, double step, double t)
{
    tn_sim *sim = tn_test_open(model, "galpha/ggl", step, 0);
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    const double angle = tn_test_value(sim, "hinge.angle");
    tn_sim_destroy(sim);
    return angle;
}

// From two steps of a method of order 2.
static double extrapolated(const tn_model *model, double step, double t)
{
    return (4.0 * angle_after(model, step / 2.0, t) - angle_after(model, step, t)) / 3.0;
}

// The lowest frequency is 1.4 kHz, the pendulum's 2 Hz: inertia and stiffness differ by the square
// of that ratio, 2e-6, and the start without deflection leaves vibrations of that size.
static void a_swinging_crank_is_nearly_rigid(void)
{
    tn_model *flexible = NULL, *rigid = rigid_crank();
    CHECK_OK(tn_model_load(tn_test_path("models/modal/crank.yaml"), &flexible, NULL));
    const double a = extrapolated(flexible, 1e-3, 0.5), b = extrapolated(rigid, 1e-3, 0.5);
    printf("angle %.9g, rigid %.9g\n", a, b);
    CHECK_NEAR(a, b, 5e-6);
    CHECK(fabs(a) > 0.1);
    tn_model_destroy(flexible);
    tn_model_destroy(rigid);
}

// The lag of the arm at 6.5 s, where it is near its most.
static double lag_of(const char *path, const char *name)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(path, &model, NULL));
    tn_sim *sim = tn_test_open(model, "galpha/ggl@absolute", 0.02, 0);
    CHECK_OK(tn_sim_run(sim, 6.5, NULL, NULL));
    const double lag = tn_test_value(sim, name);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return fabs(lag);
}

static void an_arm_reduced_from_a_beam_lags_as_the_beam_does(void)
{
    char line[1024];
    snprintf(line, sizeof line, "reduce %s -o arm.h5 --force",
             tn_test_path("models/parts/arm.yaml"));
    CHECK(tenon("%s", line) == 0);
    write_text("arm.yaml",
               "tenon: 1\nparameters: {T: 15, W: 6}\nbodies:\n"
               "  arm: {kind: modal, file: arm.h5, stiffening: true}\n"
               "joints:\n"
               "  shaft: {kind: revolute, bodies: [ground, arm.root], axis: [0, 0, 1]}\n"
               "  motor: {kind: drive, joint: shaft, motion: \"W/T*(t^2/2 + (T/(2*pi))^2*"
               "(cos(2*pi*t/T) - 1))\"}\n"
               "outputs:\n"
               "  lag: {quantity: position, of: arm.tip, in: arm, axis: y}\n");
    const double beam = lag_of(tn_test_path("models/beams/spin_up.yaml"), "lag");
    const double modal = lag_of("arm.yaml", "lag");
    printf("lag %.6g m, beam %.6g m\n", modal, beam);
    CHECK(beam > 0.5);
    CHECK_NEAR(modal, beam, 5e-3 * beam); // twelve linear modes
}

static const tn_test tests[] = {
    {"a swinging crank is nearly rigid", a_swinging_crank_is_nearly_rigid},
    {"an arm reduced from a beam lags as the beam does",
     an_arm_reduced_from_a_beam_lags_as_the_beam_does},
};

int main(int argc, char **argv)
{
    enter_scratch("crank");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}

#else

int main(void)
{
    return 0;
}

#endif
