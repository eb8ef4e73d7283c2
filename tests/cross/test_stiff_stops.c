// SPDX-License-Identifier: MIT
//
// Contacts that are much shorter than the steps before them: a ball that falls on a stop of any
// stiffness comes back to where it was, by methods that damp what is stiff as well. One that comes
// to rest on its stop does so in few steps.

#include "read/model_yaml.h"
#include "tenon/tenon.h"
#include "test.h"

// Falls 0.2 m onto a stop; height and speed over it at the end.
static long drop(const char *method, double step, double stiffness, double damping, double t_end,
                 double *height, double *speed)
{
    char text[1000];
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_ledger ledger;
    tn_sim_options o = tn_default_sim();
    snprintf(text, sizeof text,
             "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ball: {mass: 1, inertia: [1, 1, 1]}\n"
             "joints:\n  rail: {kind: prismatic, body: ball, at: [0, 0, 0], axis: [0, 0, 1]}\n"
             "forces:\n  f: {kind: joint-stop, joint: rail, lower: -0.2, stiffness: %g, damping: "
             "%g}\n",
             stiffness, damping);
    o.method = method;
    o.step = step;
    CHECK_OK(tn_model_parse(text, "text", &model, NULL));
    CHECK_OK(tn_sim_create(model, &o, &sim));
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    tn_sim_joint_coordinates(sim, (tn_joint){0}, height, speed);
    *height += 0.2;
    tn_sim_ledger(sim, &ledger);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return ledger.steps;
}

// Stages of implicit methods beyond the contact told a late one; steps up to there swallowed it.
static void stiff_contacts_give_back_what_they_take(void)
{
    static const struct {
        const char *method;
        double step, tol;
    } cases[] = {{"radau5/ggl@absolute", 0.0, 2e-3},   {"radau5/ggl@director", 0.0, 2e-3},
                 {"radau5@joint", 0.0, 2e-3},          {"bdf/ggl@absolute", 0.0, 5e-3},
                 {"dopri5@absolute", 0.0, 2e-3},       {"herk5/index2@director", 0.0, 2e-3},
                 {"variational@director", 1e-3, 2e-3}, {"energy-momentum@director", 1e-3, 2e-3}};
    for (int k = 0; k < TN_COUNT(cases); k++)
        for (double stiffness = 1e5; stiffness < 2e9; stiffness *= 100.0) {
            double height, speed;
            drop(cases[k].method, cases[k].step, stiffness, 0.0, 3.0, &height, &speed);
            const double energy = 9.81 * height + 0.5 * speed * speed;
            printf("%-26s k = %.0e: energy %.5f of 1.962 J\n", cases[k].method, stiffness, energy);
            CHECK_NEAR(energy / 1.962, 1.0, cases[k].tol);
        }
}

static void a_ball_comes_to_rest_in_few_steps(void)
{
    static const char *const methods[] = {"radau5/ggl@absolute", "dopri5@joint", "bdf/ggl@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        double height, speed;
        const long steps = drop(methods[k], 0.0, 1e5, 0.5, 20.0, &height, &speed);
        printf("%-20s %ld steps, at %.3g m with %.2g m/s\n", methods[k], steps, height, speed);
        CHECK(fabs(speed) < 0.3 && fabs(height) < 0.01);
        CHECK(steps < 20000);
    }
}

static const char gripper[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  arm: {mass: 2, com: [0.1, 0.2, -0.5], inertia: [0.1, 0.1, 0.01]}\n"
    "  fore: {mass: 2, com: [0.1, 0.2, -0.5], inertia: [0.1, 0.1, 0.01]}\n"
    "  left: {mass: 0.015, inertia: [2e-6, 2e-6, 1e-6]}\n"
    "  right: {mass: 0.015, inertia: [2e-6, 2e-6, 1e-6]}\n"
    "joints:\n"
    "  pin: {kind: universal, bodies: [ground, arm], initial: {position: [0.3, 0.2]}}\n"
    "  elbow: {kind: revolute, bodies: [arm, fore], initial: {position: 0.2},\n"
    "    frame_a: {at: [0, 0, -1], axis: [0, 1, 0]}, frame_b: {axis: [0, 1, 0]}}\n"
    "  slide: {kind: prismatic, bodies: [fore, left], initial: {position: 0},\n"
    "    frame_a: {at: [0, 0, -1], axis: [1, 1, 0]}, frame_b: {axis: [0, 1, 0]}}\n"
    "  other: {kind: prismatic, bodies: [fore, right], initial: {position: 0},\n"
    "    frame_a: {at: [0, 0, -1], axis: [-1, -1, 0]}, frame_b: {axis: [0, -1, 0]}}\n"
    "  pair: {kind: gear, joint_1: other, joint_2: slide, ratio_2: -1}\n"
    "forces:\n"
    "  stop: {kind: joint-stop, joint: slide, lower: 0, upper: 0.04, stiffness: 1e5, damping: 7}\n"
    "  hold: {kind: joint-stop, joint: other, lower: 0, upper: 1, stiffness: 1e5, damping: 7}\n"
    "  damper: {kind: joint-spring, joint: slide, damping: 0.3}\n";

// Two fingers of a gripper that balance each other start at the ends of their stops. Nothing but
// round-off presses them there.
static void what_rests_at_a_stop_without_a_load_costs_no_steps(void)
{
    static const char *const methods[] = {"radau5/ggl@joint", "dop853/index1@joint",
                                          "bdf/ggl@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = tn_test_open_text(gripper, methods[k], 0.0, 1e-6);
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        CHECK(ledger.steps < 300); // some 100; one at each change of a sign would be millions
        tn_sim_destroy(sim);
    }
}

static const tn_test tests[] = {
    {"stiff contacts give back what they take", stiff_contacts_give_back_what_they_take},
    {"a ball comes to rest in few steps", a_ball_comes_to_rest_in_few_steps},
    {"what rests at a stop without a load costs no steps",
     what_rests_at_a_stop_without_a_load_costs_no_steps},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
