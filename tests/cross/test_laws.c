// SPDX-License-Identifier: MIT
//
// Laws by expressions: springs and dampers written as laws move as the elements do, and forces
// between frames give one motion by every road, with an energy balance that closes.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char head[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  arm: {mass: 1.3, inertia: [0.1, 0.2, 0.15], com: [0.4, 0.1, 0]}\n"
    "  fork: {mass: 0.6, inertia: [0.04, 0.03, 0.05], com: [0.1, 0, 0.2]}\n"
    "joints:\n"
    "  hinge: {kind: revolute, bodies: [ground, arm], axis: [0, 1, 0], initial: {position: 0.3}}\n"
    "  ball: {kind: spherical, bodies: [arm, fork], at_a: [0.9, 0, 0], at_b: [0, 0, 0]}\n";

typedef struct seen_end {
    tn_vec3 p;
    double balance;
} seen_end;

static seen_end end_of(const char *forces, const char *method)
{
    char text[4096];
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    options.rtol = 1e-10;
    options.atol = 1e-12;
    snprintf(text, sizeof text, "%s%s", head, forces);
    CHECK_OK(tn_model_parse(text, "laws.yaml", &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    const seen_end end = {tn_sim_body_frame(sim, (tn_body){2}).p, ledger.balance};
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return end;
}

static void check_same(const char *one, const char *other)
{
    static const char *const methods[] = {"dop853@joint", "radau5/ggl@absolute"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const seen_end a = end_of(one, methods[k]), b = end_of(other, methods[k]);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(a.p, b.p)), 0.0, 1e-8); // 100 times the tolerance
        CHECK_NEAR(b.balance, 0.0, 1e-6);
    }
}

static void laws_move_as_elements(void)
{
    check_same("forces: {s: {kind: spring, bodies: [ground, fork], at_a: [1, 0.2, 1], "
               "at_b: [0.1, 0, 0.3], stiffness: 40, damping: 0.7, free: 0.8}}\n",
               "forces: {s: {kind: law, bodies: [ground, fork], at_a: [1, 0.2, 1], "
               "at_b: [0.1, 0, 0.3], law: 40*(length - 0.8) + 0.7*rate}}\n");
    check_same("forces: {s: {kind: joint-spring, joint: hinge, stiffness: 5, damping: 0.4, "
               "free: 0.1}}\n",
               "forces: {s: {kind: joint-law, joint: hinge, law: -5*(coordinate - 0.1) - "
               "0.4*rate}}\n");
    check_same("forces: {s: {kind: spring, bodies: [ground, fork], at_a: [1, 0.2, 1], "
               "at_b: [0.1, 0, 0.3], stiffness: 40, damping: 0.7, free: 0.8}}\n",
               "signals: {k: 40 + 0*hinge.angle}\n"
               "forces: {s: {kind: spring, bodies: [ground, fork], at_a: [1, 0.2, 1], "
               "at_b: [0.1, 0, 0.3], stiffness: k, damping: 0.7, free: 0.8}}\n");
    check_same("signals: {k: 40 + 30*t, c: 'if(t < 0.4, t, 0.4)'}\n" // t alone, with a kink
               "forces: {s: {kind: spring, bodies: [ground, fork], at_a: [1, 0.2, 1], "
               "at_b: [0.1, 0, 0.3], stiffness: k, damping: c, free: 0.8}}\n",
               "forces: {s: {kind: spring, bodies: [ground, fork], at_a: [1, 0.2, 1], "
               "at_b: [0.1, 0, 0.3], stiffness: 40 + 30*t, damping: 'if(t < 0.4, t, 0.4)', "
               "free: 0.8}}\n");
}

static void forces_between_frames_are_one_motion(void)
{
    static const char forces[] =
        "signals: {pull: 3*s.force.x}\n"
        "forces:\n"
        "  s: {kind: frame-law, bodies: [arm, fork], at_a: [0.9, 0.1, 0], at_b: [0, 0.1, 0.2],\n"
        "      force: [-20*displacement.x - displacement.x.rate + sin(3*t), -15*displacement.y, "
        "0.5*hinge.angle],\n"
        "      torque: [-2*turn.x - 0.1*turn.x.rate, -turn.y^3, -turn.z - 0.2*displacement.x]}\n";
    static const char *const methods[] = {
        "radau5/ggl@absolute", "bdf/ggl@joint",       "herk5/index2+project@absolute",
        "radau5/index1@joint", "radau5/ggl@director", "dop853/index1+project@director"};
    const seen_end first = end_of(forces, "dop853@joint");
    CHECK_NEAR(first.balance, 0.0, 1e-7);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const seen_end end = end_of(forces, methods[k]);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(first.p, end.p)), 0.0, 1e-7);
    }
}

// An isotropic torque along the rotation vector is that of a bushing, below half a turn.
static void turns_are_a_rotation_vector(void)
{
    static const char *const methods[] = {"dop853@joint", "radau5/ggl@absolute",
                                          "radau5/ggl@director"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const seen_end a = end_of("forces: {s: {kind: bushing, bodies: [ground, fork], "
                                  "rotational_stiffness: [2, 2, 2]}}\n",
                                  methods[k]);
        const seen_end b = end_of("forces: {s: {kind: frame-law, bodies: [ground, fork], "
                                  "torque: [-2*turn.x, -2*turn.y, -2*turn.z]}}\n",
                                  methods[k]);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(a.p, b.p)), 0.0, 1e-8);
        CHECK_NEAR(b.balance, 0.0, 1e-6);
    }
}

static const tn_test tests[] = {
    {"laws move as elements", laws_move_as_elements},
    {"turns are a rotation vector", turns_are_a_rotation_vector},
    {"forces between frames are one motion", forces_between_frames_are_one_motion},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
