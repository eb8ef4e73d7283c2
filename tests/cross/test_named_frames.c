// SPDX-License-Identifier: MIT
//
// Named frames on bodies, against the same places stated on the bodies themselves, in parts too,
// and gears whose sum is stated.

#include "cli_driver.h"
#include "tenon/tenon.h"

// Motions of the same model whose frames differ by round-off, some seconds long.
static const double SAME = 1e-9;

#define BODIES                                                             \
    "tenon: 1\n"                                                           \
    "gravity: [0, 0, -9.81]\n"                                             \
    "bodies:\n"                                                            \
    "  arm: {mass: 2, com: [0.1, 0.2, -0.5], inertia: [0.1, 0.1, 0.01]}\n" \
    "  hand: {mass: 1, com: [0, 0.1, 0.1], inertia: [0.02, 0.02, 0.01]}\n"

static const char by_names[] =
    BODIES "frames:\n"
           "  rail: {of: ground, at: [0, 1, 0], orientation: {angles_deg: [90, 0, 0]}}\n"
           "  wrist: {of: arm, at: [0, 0, -1], orientation: {angles_deg: [0, 90, 0]}}\n"
           "  tip: {of: wrist, at: [0, 0, 0.2], orientation: {angles_deg: [90, 0, 0]}}\n"
           "joints:\n"
           "  pin: {kind: revolute, bodies: [rail, arm], initial: {position: 0.2}}\n"
           "  turn: {kind: revolute, bodies: [tip, hand], frame_a: {at: [0, 0.1, 0]},\n"
           "    initial: {position: 0.1}}\n"
           "forces:\n"
           "  cord: {kind: spring, bodies: [rail, wrist], stiffness: 30, free: 0.5}\n"
           "  blow: {kind: point-force, body: tip, force: [1, 2, 3]}\n"
           "outputs:\n"
           "  x: {of: tip, point: [0, 0, 0.3], axis: x}\n"
           "  z: {of: tip, axis: z}\n";

// The axes of the tip are x (0, 0, -1), y (1, 0, 0) and z (0, -1, 0) in the frame of the arm.
static const char by_bodies[] =
    BODIES "joints:\n"
           "  pin: {kind: revolute, bodies: [ground, arm], initial: {position: 0.2},\n"
           "    frame_a: {at: [0, 1, 0], axis: [0, -1, 0], axis_2: [1, 0, 0]}}\n"
           "  turn: {kind: revolute, bodies: [arm, hand], initial: {position: 0.1},\n"
           "    frame_a: {at: [0.3, 0, -1], axis: [0, -1, 0], axis_2: [0, 0, -1]}}\n"
           "forces:\n"
           "  cord: {kind: spring, bodies: [ground, arm], stiffness: 30, free: 0.5,\n"
           "    frame_a: {at: [0, 1, 0]}, frame_b: {at: [0, 0, -1]}}\n"
           "  blow: {kind: point-force, body: arm, force: [1, 2, 3],\n"
           "    frame_b: {at: [0.2, 0, -1], axis: [0, -1, 0], axis_2: [0, 0, -1]}}\n"
           "outputs:\n"
           "  x: {of: arm, point: [0.2, -0.3, -1], axis: x}\n"
           "  z: {of: arm, point: [0.2, 0, -1], axis: z}\n";

static void compare_motions(const char *one, const char *other, const char *method, int n,
                            const char *const *channels)
{
    tn_sim *a = tn_test_open_text(one, method, 1e-3, 1e-6);
    tn_sim *b = tn_test_open_text(other, method, 1e-3, 1e-6);
    for (int k = 0; k <= 4; k++) {
        CHECK_OK(tn_sim_run(a, 0.1 * k, NULL, NULL));
        CHECK_OK(tn_sim_run(b, 0.1 * k, NULL, NULL));
        for (int i = 0; i < n; i++)
            CHECK_NEAR(tn_test_value(a, channels[i]), tn_test_value(b, channels[i]), SAME);
    }
    tn_sim_destroy(a);
    tn_sim_destroy(b);
}

static void frames_stand_for_their_places(void)
{
    static const char *const channels[] = {"x", "z", "turn.angle", "cord.length"};
    static const char *const methods[] = {"galpha/ggl@joint", "galpha/ggl@absolute"};
    for (int k = 0; k < TN_COUNT(methods); k++)
        compare_motions(by_names, by_bodies, methods[k], TN_COUNT(channels), channels);
}

#define LEG                                                          \
    "tenon: 1\n"                                                     \
    "gravity: [0, 0, -9.81]\n"                                       \
    "bodies:\n"                                                      \
    "  hip: {mass: 3, com: [0.1, 0, 0], inertia: [0.2, 0.3, 0.2],\n" \
    "    initial: {position: [0, 0, 0.5]}}\n"                        \
    "joints:\n"                                                      \
    "  hinge: {kind: revolute, body: hip, at: [0, 0, 0.5], axis: [0, 1, 0]}\n"

static const char in_parts[] =
    LEG "templates:\n"
        "  leg:\n"
        "    bodies:\n"
        "      foot: {mass: 1, com: [0, 0, -0.4], inertia: [0.1, 0.1, 0.02]}\n"
        "    frames:\n"
        "      socket: {of: ground, at: [0, 0.1, 0], orientation: {angles_deg: [0, 90, 0]}}\n"
        "      sole: {of: foot, at: [0, 0, -0.8]}\n"
        "    joints:\n"
        "      swing: {kind: revolute, bodies: [socket, foot], initial: {position: 0.3}}\n"
        "    outputs:\n"
        "      height: {of: sole, axis: z}\n"
        "assemblies:\n"
        "  left: {of: leg, at: [0, 1, 0.2]}\n"
        "  right: {of: leg, at: [0.2, 0, 0.5], names: {ground: hip}}\n";

// The socket turns z to x and x to -z; the hip starts at z = 0.5, and the right leg 0.2 before it.
static const char in_whole[] =
    LEG "  a: {kind: revolute, bodies: [ground, left], initial: {position: 0.3},\n"
        "    frame_a: {at: [0, 1.1, 0.2], axis: [1, 0, 0], axis_2: [0, 0, -1]}}\n"
        "  b: {kind: revolute, bodies: [hip, right], initial: {position: 0.3},\n"
        "    frame_a: {at: [0.2, 0.1, 0], axis: [1, 0, 0], axis_2: [0, 0, -1]}}\n"
        "outputs:\n"
        "  left.height: {of: left, point: [0, 0, -0.8], axis: z}\n"
        "  right.height: {of: right, point: [0, 0, -0.8], axis: z}\n";

static void frames_go_with_their_parts(void)
{
    static const char *const channels[] = {"left.height", "right.height", "hinge.angle"};
    char whole[4096], *text = NULL;
    const char *at = strstr(in_whole, "joints:");
    snprintf(whole, sizeof whole,
             "%.*s  left: {mass: 1, com: [0, 0, -0.4], inertia: [0.1, 0.1, 0.02]}\n"
             "  right: {mass: 1, com: [0, 0, -0.4], inertia: [0.1, 0.1, 0.02]}\n%s",
             (int)(at - in_whole), in_whole, at);
    compare_motions(in_parts, whole, "galpha/ggl@joint", TN_COUNT(channels), channels);
    write_text("legs.yaml", in_parts);
    CHECK_OK(tn_model_expand("legs.yaml", 0, NULL, NULL, &text));
    compare_motions(text, whole, "galpha/ggl@joint", TN_COUNT(channels), channels);
    tn_text_free(text);
}

static const struct {
    const char *text, *says;
} refused[] = {
    {"frames:\n  f: {at: [0, 0, 1]}\n", "frame 'f': missing key 'of'"},
    {"frames:\n  f: {of: leg}\n", "frame 'f': unknown body 'leg'"},
    {"frames:\n  arm: {of: hand}\n", "frame 'arm': there is a body of that name"},
    {"frames:\n  f: {of: arm, size: 1}\n", "frame 'f': unknown key 'size'"},
    {"frames:\n  f: {of: g}\n  g: {of: arm}\n", "frame 'f': unknown body 'g'"},
    {"frames:\n  f: {of: arm}\njoints:\n  j: {kind: fixed, bodies: [f, hand], at: [0, 0, 0]}\n",
     "joint 'j': 'at' is in the inertial frame, but a named frame stands for a body"},
    {"frames:\n  f: {of: arm}\noutputs:\n  o: {of: hand, in: f, axis: x}\n",
     "'f' is a frame; name its body, 'arm'"},
    {"frames:\n  f: {of: arm}\nevents:\n  e: {body: f, axis: x}\n",
     "'f' is a frame; name its body, 'arm'"},
};

static void what_frames_cannot_be_is_told(void)
{
    for (int i = 0; i < TN_COUNT(refused); i++) {
        char text[2048];
        tn_model *model = NULL;
        snprintf(text, sizeof text, "%s%s", BODIES, refused[i].text);
        CHECK_STATUS(tn_model_parse(text, "f.yaml", &model, NULL), TN_ERR_MODEL);
        if (!tn_test_says(refused[i].says))
            printf("says %s\nnot  %s\n", tn_last_error(), refused[i].says);
        CHECK(tn_test_says(refused[i].says));
    }
}

// 2 c_1 - 3 c_2 = 0.5, where the start is only guessed, in units of all kinds of coordinates.
static void a_gear_keeps_the_sum_that_is_stated(void)
{
    static const char *const methods[] = {"galpha/ggl@joint", "galpha/ggl@absolute",
                                          "energy-momentum", "dopri5/index1"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = tn_test_open_text(
            BODIES "joints:\n"
                   "  slide: {kind: prismatic, bodies: [ground, arm], initial: {guess: 0.1}}\n"
                   "  pin: {kind: revolute, bodies: [arm, hand], initial: {position: 0.2}}\n"
                   "  pair: {kind: gear, joint_1: slide, joint_2: pin, ratio_1: 2, ratio_2: -3,\n"
                   "    offset: 0.5}\n",
            methods[k], 1e-3, 1e-6);
        for (int i = 0; i <= 2; i++) {
            CHECK_OK(tn_sim_run(sim, 0.1 * i, NULL, NULL));
            CHECK_NEAR(2 * tn_test_value(sim, "slide.displacement") -
                           3 * tn_test_value(sim, "pin.angle"),
                       0.5, SAME);
        }
        tn_sim_destroy(sim);
    }
}

static const tn_test tests[] = {
    {"frames stand for their places", frames_stand_for_their_places},
    {"frames go with their parts", frames_go_with_their_parts},
    {"what frames cannot be is told", what_frames_cannot_be_is_told},
    {"a gear keeps the sum that is stated", a_gear_keeps_the_sum_that_is_stated},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
