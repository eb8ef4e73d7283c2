// SPDX-License-Identifier: MIT
//
// Parts that were made on the ground are mounted on bodies: their joints and forces act there as
// they would on the ground, whether they name it or leave it out. And whole models are parts: they
// move as they do alone.

#include "test.h"

#include "model/model.h"
#include "sim/channels.h"
#include "tenon/tenon.h"

// A hand that tumbles, and a part that is placed somewhere and mounted on it.
#define HAND                                                                                    \
    "tenon: 1\ngravity: [0, 0, -9.81]\n"                                                        \
    "bodies: {hand: {mass: 2, inertia: [0.1, 0.2, 0.3], initial: {position: [1, 2, 3], "        \
    "orientation: {axis: [1, 1, 0], angle: 0.7}, velocity: [1, 0, 2], rate: [1, 2, 3], fixed: " \
    "true}}}\n"
#define PLACE "at: [0, 0.1, 0], orientation: {axis: [0, 0, 1], angle_deg: 90}"

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "m.yaml", &model, NULL));
    return model;
}

static tn_frame frame_of(tn_sim *sim, const char *name)
{
    return tn_sim_body_frame(sim, tn_model_find_body(tn_sim_model(sim), name));
}

// Where the body is as the hand sees it.
static tn_frame seen_by_hand(tn_sim *sim)
{
    return tn_frame_mul(tn_frame_inverse(frame_of(sim, "hand")), frame_of(sim, "A.x"));
}

static double apart(tn_frame a, tn_frame b)
{
    double worst = tn_v3_norm(tn_v3_sub(a.p, b.p));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(a.R.m[i][k] - b.R.m[i][k]));
    return worst;
}

// A fixed body stays where it was as the hand sees it, to the tolerance of the constraints, and it
// begins where the part states it: at `start` of a part that is turned by a quarter about z.
static void check_held(const char *text, tn_vec3 start)
{
    tn_model *model = parse(text);
    tn_sim *sim = tn_test_open(model, "galpha/ggl", 1e-3, 0.0);
    const tn_frame first = seen_by_hand(sim), x = frame_of(sim, "A.x");
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(x.p, tn_v3(-start.y, 0.1 + start.x, start.z))), 0.0, 1e-9);
    CHECK_NEAR(x.R.m[1][0], 1.0, 1e-9);
    CHECK_OK(tn_sim_run(sim, 0.3, NULL, NULL));
    CHECK(tn_v3_norm(tn_v3_sub(frame_of(sim, "A.x").p, x.p)) > 0.1); // it goes with the hand
    CHECK_NEAR(apart(seen_by_hand(sim), first), 0.0, 1e-7);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

#define PART(body, joints)                                                            \
    HAND "templates:\n  P:\n    bodies: {x: {mass: 1, inertia: [1, 1, 1]" body "}}\n" \
         "    joints: {" joints "}\n"                                                 \
         "assemblies: {A: {of: P, names: {ground: hand}, " PLACE "}}\n"
#define AT_1 ", initial: {position: [1, 0.2, 0]}"

static void a_ground_that_is_left_out_is_the_mount(void)
{
    const tn_vec3 one = {1.0, 0.2, 0.0}, none = {0.0, 0.0, 0.0};
    check_held(PART("", "r: {kind: fixed, body: x}"), none);
    check_held(PART("", "r: {kind: fixed, bodies: [x]}"), none);
    check_held(PART("", "r: {kind: fixed, bodies: x}"), none);
    check_held(PART("", "r: {kind: fixed, bodies: [ground, x]}"), none);
    check_held(PART("", "r: {kind: fixed, bodies: [x, ground]}"), none);
    check_held(PART(AT_1, "r: {kind: fixed, body: x, at: [1, 0, 0]}"), one);
    check_held(PART(AT_1, "r: {kind: fixed, bodies: [ground, x], at: [1, 0, 0]}"), one);
}

static void frames_on_a_mounted_ground_are_placed(void)
{
    const tn_vec3 one = {1.0, 0.2, 0.0};
    check_held(PART(AT_1, "r: {kind: fixed, body: x, frame_a: {at: [1, 0.2, 0]}}"), one);
    check_held(PART(AT_1, "r: {kind: fixed, bodies: [ground, x], frame_a: {at: [1, 0.2, 0]}}"),
               one);
    check_held(PART(AT_1, "r: {kind: fixed, bodies: [x, ground], frame_b: {at: [1, 0.2, 0]}}"),
               one);
    check_held(PART(AT_1, "r: {kind: fixed, body: x, frame_b: {at: [-1, -0.2, 0]}}"), one);
}

// Two assemblies within each other, the outer of which is mounted.
static void parts_of_a_mounted_part_are_mounted(void)
{
    tn_model *model = parse(
        HAND "templates:\n  P: {bodies: {x: {mass: 1, inertia: [1, 1, 1]}}, joints: {r: {kind: "
             "fixed, body: x}}, ground: {shapes: [{kind: sphere, radius: 1}]}}\n"
             "  Q: {assemblies: {B: {of: P}}}\n"
             "assemblies: {A: {of: Q, names: {ground: hand}}}\n");
    CHECK(model->joints.at[0].def->body_a.index == tn_model_find_body(model, "hand").index);
    CHECK(model->joints.at[0].def->body_b.index == tn_model_find_body(model, "A.B.x").index);
    CHECK(model->shapes.count == 0);
    tn_model_destroy(model);
}

// A spring from the ground pulls at the mount: the momentum of both is that of free fall. The
// point of an output is one of the mount.
static void forces_pull_at_the_mount(void)
{
    tn_model *model = parse(
        HAND "templates:\n  P:\n    bodies: {x: {kind: point, mass: 1, initial: {position: [1, 0, "
             "0]}}}\n    forces: {s: {kind: spring, body: x, at_a: [0.5, 0, 0], stiffness: 100, "
             "free: 0.2}}\n    outputs: {o: {of: ground, point: [0.5, 0, 0], axis: z}}\n"
             "assemblies: {A: {of: P, names: {ground: hand}, " PLACE "}}\n");
    const tn_vec3 r = tn_v3_sub(tn_v3(0, 0.6, 0), tn_v3(1, 2, 3)); // (0.5, 0, 0) from the hand
    tn_sim *sim = tn_test_open(model, "galpha/ggl", 1e-3, 0.0);
    const tn_frame first = frame_of(sim, "hand");
    CHECK_NEAR(tn_test_value(sim, "A.o"), 0.0, 1e-12);
    CHECK_NEAR(tn_test_value(sim, "A.s.length"), 0.5, 1e-12);
    CHECK_OK(tn_sim_run(sim, 0.3, NULL, NULL));
    const tn_frame last = frame_of(sim, "hand");
    CHECK_NEAR(2 * tn_test_value(sim, "hand.velocity.z") + tn_test_value(sim, "A.x.velocity.z"),
               4 - 3 * 9.81 * 0.3, 1e-9);
    const tn_vec3 p = tn_frame_point(last, tn_m3_apply_t(first.R, r));
    CHECK_NEAR(tn_test_value(sim, "A.o"), p.z, 1e-12);
    CHECK_NEAR(tn_test_value(sim, "A.s.length"), tn_v3_norm(tn_v3_sub(frame_of(sim, "A.x").p, p)),
               1e-12);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Models as parts ---------------------------------------------------------------------------------

// The model as it is, or as the only part of another one with its gravity.
static tn_model *load(const char *path, const tn_model *plain)
{
    tn_model *model = NULL;
    char text[2000];
    if (!plain) {
        CHECK_OK(tn_model_load(path, &model, NULL));
        return model;
    }
    const tn_vec3 g = plain->gravity;
    snprintf(text, sizeof text,
             "tenon: 1\ngravity: [%.17g, %.17g, %.17g]\nassemblies: {A: {file: %s}}\n", g.x, g.y,
             g.z, path);
    CHECK_OK(tn_model_parse(text, "m.yaml", &model, NULL));
    return model;
}

// States, blocks, unknowns, tables and curves of a part know its parameters. The same steps are
// taken, so that only the order of sums differs.
static void whole_models_move_as_parts_as_they_do_alone(void)
{
    static const struct {
        const char *path;
        double step, end;
    } models[] = {{"models/dc_motor.yaml", 1e-3, 0.2},
                  {"models/hydraulic_lift.yaml", 1e-3, 0.2},
                  {"models/shimmy.yaml", 1e-3, 0.1},
                  {"models/cart_pole_lqr.yaml", 1e-3, 0.2},
                  {"models/cam_valve.yaml", 1e-4, 0.01}};
    for (int k = 0; k < TN_COUNT(models); k++) {
        tn_model *plain = load(tn_test_path(models[k].path), NULL);
        tn_model *part = load(tn_test_path(models[k].path), plain);
        CHECK(tn_model_body_count(plain) == tn_model_body_count(part));
        tn_sim *a = tn_test_open(plain, "galpha/ggl", models[k].step, 0.0);
        tn_sim *b = tn_test_open(part, "galpha/ggl", models[k].step, 0.0);
        double moved = 0.0;
        const tn_frame first = tn_sim_body_frame(a, (tn_body){1});
        CHECK_OK(tn_sim_run(a, models[k].end, NULL, NULL));
        CHECK_OK(tn_sim_run(b, models[k].end, NULL, NULL));
        for (int i = 1; i < tn_model_body_count(plain); i++)
            CHECK_NEAR(
                apart(tn_sim_body_frame(a, (tn_body){i}), tn_sim_body_frame(b, (tn_body){i})), 0.0,
                1e-9);
        moved = apart(tn_sim_body_frame(a, (tn_body){1}), first);
        printf("  %s: the first body has moved by %.2g\n", models[k].path, moved);
        CHECK(moved > 1e-6);
        tn_sim_destroy(a);
        tn_sim_destroy(b);
        tn_model_destroy(plain);
        tn_model_destroy(part);
    }
}

// The radius of a cam is a parameter of the part, and the angle of its point an index.
static void curves_know_the_names_of_their_part(void)
{
    tn_model *model = parse(
        "tenon: 1\nparameters: {base: 5}\n"
        "templates:\n  P:\n    parameters: {base: 0.02}\n"
        "    bodies: {cam: {kind: planar, mass: 1, inertia: 1}, f: {kind: planar, mass: 1, "
        "inertia: "
        "1, initial: {position: [0, 0.05]}}}\n"
        "    joints:\n      shaft: {kind: revolute, body: cam}\n"
        "      guide: {kind: prismatic, body: f, at: [0, 0.05], axis: [0, 1]}\n"
        "    repeat: {index: k, from: 2, to: 2, joints: {touch$k: {kind: cam, bodies: [cam, f], "
        "follower: roller, radius: 0.01, x: k*base*cos(s), y: k*base*sin(s)}}}\n"
        "assemblies: {A: {of: P}}\n");
    tn_sim *sim = tn_test_open(model, "galpha/ggl", 1e-3, 0.0);
    CHECK_NEAR(tn_test_value(sim, "A.f.position.y"), 2 * 0.02 + 0.01, 1e-9);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Bodies may have names that mean something else in expressions, which do not know them alone.
#define ODD                                                                                       \
    "bodies: {t: {kind: point, mass: 1, initial: {position: [1, 0, 0]}}, length: {mass: 1, "      \
    "inertia: [1, 1, 1]}, displacement: {mass: 2, inertia: [1, 1, 1]}}, forces: {f: {kind: law, " \
    "body: t, law: 3*length + t}, g: {kind: frame-law, body: displacement, force: [1 - "          \
    "displacement.x, 0, 0]}}, signals: {s: t + t.position.x + displacement.position.x}"

static void bodies_may_be_named_like_numbers(void)
{
    tn_model *plain = parse("{tenon: 1, " ODD "}\n");
    tn_model *part = parse("tenon: 1\ntemplates: {P: {" ODD "}}\nassemblies: {A: {of: P}}\n");
    tn_sim *a = tn_test_open(plain, "galpha/ggl", 1e-3, 0.0);
    tn_sim *b = tn_test_open(part, "galpha/ggl", 1e-3, 0.0);
    CHECK_OK(tn_sim_run(a, 0.2, NULL, NULL));
    CHECK_OK(tn_sim_run(b, 0.2, NULL, NULL));
    CHECK(tn_test_value(a, "s") != 1.2);
    CHECK_NEAR(tn_test_value(b, "A.s"), tn_test_value(a, "s"), 1e-12);
    tn_sim_destroy(a);
    tn_sim_destroy(b);
    tn_model_destroy(plain);
    tn_model_destroy(part);
}

static const tn_test tests[] = {
    {"bodies may be named like numbers", bodies_may_be_named_like_numbers},
    {"whole models move as parts as they do alone", whole_models_move_as_parts_as_they_do_alone},
    {"curves know the names of their part", curves_know_the_names_of_their_part},
    {"a ground that is left out is the mount", a_ground_that_is_left_out_is_the_mount},
    {"frames on a mounted ground are placed", frames_on_a_mounted_ground_are_placed},
    {"parts of a mounted part are mounted", parts_of_a_mounted_part_are_mounted},
    {"forces pull at the mount", forces_pull_at_the_mount},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
