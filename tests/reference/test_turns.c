// SPDX-License-Identifier: MIT
//
// Angles count their turns in long steps: those of a pair of gears that spins freely by more than
// half a turn in a step, and that of a torsion spring that winds up over many turns.

#include "mechanism.h"

static const double RATE = 200.0; // of the first wheel [rad/s]
static const double END = 2.0;    // [s]

typedef struct gears {
    tn_model *model;
    tn_joint shaft[2];
} gears;

// Two wheels with 20 and 30 teeth on parallel shafts, without friction.
static gears make_gears(void)
{
    gears g = {.model = tn_model_create()};
    static const char *const names[] = {"one", "two"};
    static const double rate[] = {RATE, -RATE * 20.0 / 30.0};
    for (int k = 0; k < 2; k++) {
        tn_body_def def = body_def(names[k], 1.0, tn_v3(0.1, 0.1, 0.2), frame_at(k, 0.0, 0.0));
        def.rate = tn_v3(0.0, 0.0, rate[k]);
        const part wheel = add_part(g.model, &def);
        g.shaft[k] =
            join(g.model, TN_JOINT_REVOLUTE, names[k], ground, wheel, frame_at(k, 0.0, 0.0));
    }
    tn_joint_def mesh = tn_default_joint(TN_JOINT_GEAR);
    mesh.gear.joint_1 = g.shaft[0];
    mesh.gear.joint_2 = g.shaft[1];
    mesh.gear.ratio_1 = 20.0;
    mesh.gear.ratio_2 = 30.0;
    tn_add_joint(g.model, &mesh);
    return g;
}

static void angles_count_turns_in_long_steps(void)
{
    // Explicit steps of 4 rad, more than half a turn, which the nearest angle would miss. Implicit
    // ones must stay below that, as their iterations may start from the angle of the last step.
    static const struct {
        const char *method;
        double step; // [s]
    } runs[] = {
        {"dopri5/index1", 0.02}, {"dopri5/minimal", 0.02}, {"dop853/minimal", 0.02},
        {"radau5/ggl", 0.01},    {"radau5/index3", 0.01},  {"galpha/ggl", 0.01},
    };
    gears g = make_gears();
    for (int k = 0; k < TN_COUNT(runs); k++) {
        tn_sim_options options = tn_default_sim();
        options.method = runs[k].method;
        options.step = runs[k].step;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(g.model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, END, NULL, NULL));
        double angle, rate;
        tn_ledger ledger;
        tn_sim_ledger(sim, &ledger);
        // Round-off of 400 rad, times the teeth in the rows of the gears.
        CHECK(tn_sim_joint_coordinates(sim, g.shaft[0], &angle, &rate) == 1);
        CHECK_NEAR(angle, RATE * END, 1e-9);
        CHECK(tn_sim_joint_coordinates(sim, g.shaft[1], &angle, &rate) == 1);
        CHECK_NEAR(angle, -RATE * END * 20.0 / 30.0, 1e-9);
        CHECK_NEAR(ledger.max_g, 0.0, 1e-8);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(g.model);
}

// A soft torsion spring winds up over many turns: phi = A sin(w t) with w = sqrt(c / J).
static void springs_feel_all_turns(void)
{
    const double stiffness = 0.05, inertia = 0.2, w = sqrt(stiffness / inertia);
    static const char *const methods[] = {"dop853/index1", "dop853/minimal", "radau5/ggl"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = tn_model_create();
        tn_body_def def = body_def("wheel", 1.0, tn_v3(0.1, 0.1, inertia), frame_at(0, 0, 0));
        def.rate = tn_v3(0.0, 0.0, RATE);
        const part wheel = add_part(model, &def);
        const tn_joint shaft =
            join(model, TN_JOINT_REVOLUTE, "shaft", ground, wheel, frame_at(0, 0, 0));
        tn_force_def spring = tn_default_force(TN_FORCE_JOINT_SPRING);
        spring.joint = shaft;
        spring.spring.stiffness = stiffness;
        tn_add_force(model, &spring);
        tn_sim_options options = tn_default_sim();
        options.method = methods[k];
        options.rtol = options.atol = 1e-9;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, END, NULL, NULL));
        double angle, rate;
        CHECK(tn_sim_joint_coordinates(sim, shaft, &angle, &rate) == 1);
        printf("%s: off by %.1e of %.0f turns\n", methods[k], fabs(angle - RATE / w * sin(w * END)),
               RATE / w * sin(w * END) / (2.0 * PI));
        CHECK_NEAR(angle, RATE / w * sin(w * END),
                   1e-4); // 1e-9 of 400 rad, in some dozens of steps
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"angles count turns in long steps", angles_count_turns_in_long_steps},
    {"springs feel all turns", springs_feel_all_turns},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
