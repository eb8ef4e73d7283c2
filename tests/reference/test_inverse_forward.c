// SPDX-License-Identifier: MIT
//
// Inverse dynamics against simulation. The torque that a motion takes, put into a motor, gives the
// motion back; the multiplier of a drive in a simulation is the torque that inverse dynamics finds.

#include "tenon/tenon.h"
#include "test.h"

enum { POINTS = 1000 };
static const double T_END = 1.0;

static tn_model *load(const char *path)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
    return model;
}

// The crank starts as the model says, at 10 rad/s.
static double crank_angle(double t)
{
    return 10.0 * t + 0.8 * (1.0 - cos(3.0 * t));
}

static const char *const crank_motion = "10*t + 0.8*(1 - cos(3*t))";

static double time_of(int k)
{
    return T_END * k / POINTS;
}

static void crank_torques(double *t, double *u)
{
    tn_model *model = load("models/fourbar.yaml");
    const tn_motion motion = {.joint = tn_model_find_joint(model, "A"),
                              .motion.expression = crank_motion};
    tn_inverse_options options = tn_default_inverse();
    tn_inverse *inverse = NULL;
    options.nmotion = 1;
    options.motions = &motion;
    CHECK_OK(tn_inverse_create(model, &options, &inverse));
    for (int k = 0; k <= POINTS; k++) {
        t[k] = time_of(k);
        CHECK_OK(tn_inverse_move(inverse, t[k]));
        u[k] = tn_inverse_motor(inverse, 0).effort;
    }
    tn_inverse_destroy(inverse);
    tn_model_destroy(model);
}

static void motors_with_these_torques_give_the_motion_back(void)
{
    static double t[POINTS + 1], u[POINTS + 1];
    crank_torques(t, u);

    tn_model *model = load("models/fourbar.yaml");
    tn_force_def motor = tn_default_force(TN_FORCE_MOTOR);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    motor.joint = tn_model_find_joint(model, "A");
    motor.motor.effort = (tn_function){.n = POINTS + 1,
                                       .t = t,
                                       .u = u,
                                       .interpolation = TN_TABLE_SPLINE,
                                       .beyond = TN_BEYOND_LINEAR};
    tn_model_add_force(model, &motor);
    options.method = "dop853/index1+project";
    options.rtol = options.atol = 1e-11;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    // What differs is the torque between its points, that of a spline with intervals of d = 1 ms:
    // at the ends, where it has no curvature, by less than d^2 u''/8 = 1e-3 N m (u'' is 9e3 N m/s^2
    // there) for about a millisecond, against 0.07 to 0.28 kg m^2. That turns the crank by 1e-8
    // rad; all in all 6e-8 rad are measured.
    for (int k = 1; k <= 10; k++) {
        double angle, rate;
        CHECK_OK(tn_sim_run(sim, 0.1 * k, NULL, NULL));
        tn_sim_joint_coordinates(sim, motor.joint, &angle, &rate);
        CHECK_NEAR(angle, crank_angle(0.1 * k), 1e-6);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void multipliers_of_drives_are_these_torques(void)
{
    static const char *const models[] = {"models/slider_crank.yaml", "models/arm.yaml"};
    for (int i = 0; i < TN_COUNT(models); i++) {
        tn_model *model = load(models[i]);
        tn_sim_options options = tn_default_sim();
        tn_inverse_options what = tn_default_inverse();
        tn_sim *sim = NULL;
        tn_inverse *inverse = NULL;
        options.method = "dop853/index1+project"; // multipliers by accelerations, not by steps
        options.rtol = options.atol = 1e-9;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_inverse_create(model, &what, &inverse));
        for (int k = 1; k <= 20; k++) {
            CHECK_OK(tn_sim_run(sim, 0.1 * k, NULL, NULL));
            CHECK_OK(tn_inverse_move(inverse, 0.1 * k));
            for (int m = 0; m < tn_inverse_motor_count(inverse); m++) {
                double lambda;
                tn_sim_joint_multipliers(
                    sim, tn_model_find_joint(model, tn_inverse_motor_name(inverse, m)), &lambda,
                    NULL);
                CHECK_NEAR(tn_inverse_motor(inverse, m).effort, -lambda, 1e-6);
            }
            for (int b = 1; b < tn_model_body_count(model); b++)
                CHECK_NEAR(tn_v3_norm(tn_v3_sub(tn_inverse_body_frame(inverse, (tn_body){b}).p,
                                                tn_sim_body_frame(sim, (tn_body){b}).p)),
                           0.0, 1e-9);
        }
        tn_inverse_destroy(inverse);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"motors with these torques give the motion back",
     motors_with_these_torques_give_the_motion_back},
    {"multipliers of drives are these torques", multipliers_of_drives_are_these_torques},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
