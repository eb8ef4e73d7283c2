// SPDX-License-Identifier: MIT
//
// Joints that share loads which the equations do not determine: loads by hand, whatever the order
// of joints, their motion under friction by several methods and in other coordinates, and what is
// refused.

#include "tenon/tenon.h"
#include "test.h"

typedef struct outcome {
    tn_wrench on[2]; // reactions of the first two joints
    tn_vec3 p, v;    // of body 1
    double q;        // coordinate of joint 0
} outcome;

static outcome run_door(const char *text, const char *method, double t_end)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    outcome out;
    double rate[3], q[3];
    options.method = method;
    options.rtol = 1e-8;
    options.atol = 1e-10;
    CHECK_OK(tn_model_parse(text, "door.yaml", &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK(tn_test_has_note(sim, "are shared by the stiffnesses that joints state"));
    const tn_status status = tn_sim_run(sim, t_end, NULL, NULL);
    if (status != TN_OK)
        printf("%s: %s\n", method, tn_last_error());
    CHECK_OK(status);
    for (int k = 0; k < 2; k++)
        out.on[k] = tn_sim_joint_reaction(sim, (tn_joint){k});
    out.p = tn_sim_body_frame(sim, (tn_body){1}).p;
    out.v = tn_sim_body_velocity(sim, (tn_body){1});
    tn_sim_joint_coordinates(sim, (tn_joint){0}, q, rate);
    out.q = q[0];
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return out;
}

#define HINGES(low, high)                                                            \
    "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                    \
    "  door: {mass: 20, inertia: [2, 3, 1], com: [0.4, 0, 1]}\njoints:\n"            \
    "  low: {kind: revolute, body: door, at: [0, 0, 0.2], axis: [0, 0, 1]" low "}\n" \
    "  high: {kind: revolute, body: door, at: [0, 0, 1.8], axis: [0, 0, 1]" high "}\n"
#define TURNED                                                                           \
    "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                        \
    "  door: {mass: 20, inertia: [2, 3, 1], com: [0.4, 0, 1]}\njoints:\n"                \
    "  high: {kind: revolute, body: door, at: [0, 0, 1.8], axis: [0, 0, 1], share: 3}\n" \
    "  low: {kind: revolute, body: door, at: [0, 0, 0.2], axis: [0, 0, 1], share: 1}\n"

// The weight goes by the stiffnesses. The moment of the weight, 20 g 0.4, is that of a couple
// across and of the moments that hinges take: with L = 1.6 apart and stiffness k each, k L^2 by
// moments, (2 (L/2)^2 + 2 L^2) k, of which the forces have a fifth.
static void a_door_hangs_on_its_hinges_by_their_stiffness(void)
{
    static const char *const methods[] = {"galpha/ggl@absolute", "galpha/ggl@joint",
                                          "dop853/index1+project@absolute", "radau5/index2@joint"};
    const double weight = 20.0 * 9.81;
    for (int i = 0; i < TN_COUNT(methods); i++) {
        const outcome same = run_door(HINGES(", share: 1", ", share: 1"), methods[i], 0.1);
        CHECK_NEAR(same.on[0].f.z, 0.5 * weight, 1e-5);
        CHECK_NEAR(same.on[1].f.z, 0.5 * weight, 1e-5);
        CHECK_NEAR(same.on[0].f.x, 0.2 * weight * 0.4 / 1.6, 1e-5);
        CHECK_NEAR(same.on[1].f.x, -0.2 * weight * 0.4 / 1.6, 1e-5);
        const outcome other = run_door(HINGES(", share: 1", ", share: 3"), methods[i], 0.1);
        CHECK_NEAR(other.on[0].f.z, 0.25 * weight, 1e-5);
        CHECK_NEAR(other.on[1].f.z, 0.75 * weight, 1e-5);
        const outcome turned = run_door(TURNED, methods[i], 0.1);
        for (int k = 0; k < 2; k++) {
            CHECK_NEAR(tn_v3_norm(tn_v3_sub(turned.on[k].f, other.on[1 - k].f)), 0.0, 1e-5);
            CHECK_NEAR(tn_v3_norm(tn_v3_sub(turned.on[k].m, other.on[1 - k].m)), 0.0, 1e-5);
        }
    }
}

// A block on two guides, friction in the first: its share is half the weight and a part of the
// moment of the weight about the middle, 0.25 m g: (0.25 / 0.625) 0.25 m g of it, 0.6 m g in all.
static void friction_sees_the_shared_load(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, -9.81]\nbodies:\n"
        "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0, 0], velocity: [3, "
        "0]}}\n"
        "joints:\n"
        "  s1: {kind: prismatic, bodies: [ground, b], axis: [1, 0], at: [0, 0], share: 1}\n"
        "  s2: {kind: prismatic, bodies: [ground, b], axis: [1, 0], at: [0.5, 0], share: 1}\n"
        "forces:\n  f: {kind: friction, joint: s1, coulomb: 0.3, speed: 1e-3}\n";
    static const char *const methods[] = {
        "auto",          "galpha/ggl@absolute", "galpha/ggl@joint",      "radau5/ggl@absolute",
        "bdf/ggl@joint", "radau5/index1@joint", "dop853/index1@absolute"};
    for (int i = 0; i < TN_COUNT(methods); i++) {
        const outcome o = run_door(text, methods[i], 0.5);
        CHECK_NEAR(o.v.x, 3.0 - 0.3 * 0.6 * 9.81 * 0.5, 1e-5);
        CHECK_NEAR(o.on[0].f.y, 0.6 * 9.81, 1e-5);
        CHECK_NEAR(o.on[1].f.y, 0.4 * 9.81, 1e-5);
    }
}

// A leaning door on two dry hinges swings alike by all methods.
static void a_door_on_dry_hinges_swings_alike(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, -3, -9.81]\nbodies:\n"
        "  door: {mass: 20, inertia: [2, 3, 1], com: [0.4, 0, 1]}\njoints:\n"
        "  low: {kind: revolute, body: door, at: [0, 0, 0.2], axis: [0, 0, 1], share: 1}\n"
        "  high: {kind: revolute, body: door, at: [0, 0, 1.8], axis: [0, 0, 1], share: 2}\n"
        "forces:\n"
        "  fl: {kind: friction, joint: low, coulomb: 0.3, radius: 0.02, speed: 1e-2}\n"
        "  fh: {kind: friction, joint: high, coulomb: 0.2, radius: 0.02, speed: 1e-2}\n";
    static const char *const methods[] = {"radau5/ggl@joint",    "galpha/ggl@absolute",
                                          "galpha/ggl@joint",    "bdf/ggl@absolute",
                                          "radau5/index1@joint", "dop853/index1+project@absolute"};
    const outcome exact = run_door(text, "radau5/ggl@absolute", 0.6);
    CHECK(fabs(exact.q) > 0.1);
    for (int i = 0; i < TN_COUNT(methods); i++) {
        const outcome o = run_door(text, methods[i], 0.6);
        printf("%-30s %.1e %.1e\n", methods[i], fabs(o.q - exact.q),
               tn_v3_norm(tn_v3_sub(o.on[0].f, exact.on[0].f)));
        CHECK_NEAR(o.q, exact.q, 1e-5); // galpha is of second order
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(o.on[0].f, exact.on[0].f)), 0.0, 1e-2);
    }
}

static void what_cannot_share_is_refused(void)
{
    static const struct {
        const char *text, *method, *told;
    } bad[] = {
        {HINGES(", share: 1", ""), "auto", "no other joint between its bodies"},
        {HINGES(", share: 1", ", share: 1"), "radau5/ggl@director",
         "director coordinates have no rule by which joints share loads"},
        {HINGES(", share: 1", ", share: 1") "  d: {kind: drive, joint: low, motion: t, share: 1}\n",
         "auto", "share is for joints that stand between two bodies"},
        {HINGES(", share: -1", ", share: 1"), "auto", "must be positive"},
    };
    for (int i = 0; i < TN_COUNT(bad); i++) {
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_sim_options options = tn_default_sim();
        options.method = bad[i].method;
        tn_status status = tn_model_parse(bad[i].text, "door.yaml", &model, NULL);
        if (status == TN_OK)
            status = tn_sim_create(model, &options, &sim);
        CHECK(status != TN_OK);
        if (!tn_test_says(bad[i].told))
            printf("%s\n  is not in\n%s\n", bad[i].told, tn_last_error());
        CHECK(tn_test_says(bad[i].told));
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"a door hangs on its hinges by their stiffness",
     a_door_hangs_on_its_hinges_by_their_stiffness},
    {"friction sees the shared load", friction_sees_the_shared_load},
    {"a door on dry hinges swings alike", a_door_on_dry_hinges_swings_alike},
    {"what cannot share is refused", what_cannot_share_is_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
