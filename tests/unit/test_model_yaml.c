// SPDX-License-Identifier: MIT
//
// Model files become the model that their keys say, in YAML and in JSON, for every kind of body,
// joint and force. What is wrong with a file is tested in tests/fault/test_model_input.c.

#include "read/model_yaml.h"
#include "test.h"

#include "base/alloc.h"
#include "kinds/family.h"
#include "lie/so3.h"

static const double ROUNDOFF = 1e-14; // a few dozen operations on numbers of size one

static tn_model *parse(const char *text, tn_simulate *simulate)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "m.yaml", &model, simulate));
    CHECK(model != NULL);
    return model;
}

static const tn_body_kept *body(const tn_model *model, const char *name)
{
    const tn_body id = tn_model_find_body(model, name);
    CHECK(id.index >= 0);
    return &model->bodies.at[id.index].def;
}

static tn_mat3 inertia(const tn_model *model, const char *name)
{
    return model->bodies.at[tn_model_find_body(model, name).index].inertia;
}

static void check_inertia(tn_mat3 is, tn_mat3 want)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(is.m[i][j], want.m[i][j], 1e-15);
}

static const tn_joint_def *joint(const tn_model *model, const char *name)
{
    const tn_joint id = tn_model_find_joint(model, name);
    CHECK(id.index >= 0);
    return model->joints.at[id.index].def;
}

static const tn_force_def *force(const tn_model *model, const char *name)
{
    const tn_force id = tn_model_find_force(model, name);
    CHECK(id.index >= 0);
    return &model->forces.at[id.index].def;
}

static void check_vector(tn_vec3 a, double x, double y, double z)
{
    CHECK_NEAR(a.x, x, ROUNDOFF);
    CHECK_NEAR(a.y, y, ROUNDOFF);
    CHECK_NEAR(a.z, z, ROUNDOFF);
}

static void check_frame(tn_frame a, tn_frame b)
{
    check_vector(a.p, b.p.x, b.p.y, b.p.z);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(a.R.m[i][j], b.R.m[i][j], ROUNDOFF);
}

static double function_value(const tn_timefn *f, double t)
{
    double u[3];
    tn_timefn_eval(f, t, u);
    return u[0];
}

#define PENDULUM                                                                              \
    "tenon: 1\n"                                                                              \
    "name: pendulum\n"                                                                        \
    "gravity: [0, 0, -9.81]\n"                                                                \
    "bodies:\n"                                                                               \
    "  rod:\n"                                                                                \
    "    mass: 2\n"                                                                           \
    "    com: [0.1, 0, 0]\n"                                                                  \
    "    inertia: [0.01, 0.2, 0.2]\n"                                                         \
    "    products: [0, 0.01, 0]\n"                                                            \
    "    initial:\n"                                                                          \
    "      position: [0.5, 0, 0]\n"                                                           \
    "      velocity: [0, 1, 0]\n"                                                             \
    "      rate: [0, 0, 2]\n"                                                                 \
    "      fixed: true\n"                                                                     \
    "joints:\n"                                                                               \
    "  pin:\n"                                                                                \
    "    kind: revolute\n"                                                                    \
    "    bodies: [ground, rod]\n"                                                             \
    "    at: [0, 0, 0]\n"                                                                     \
    "    axis: [0, 1, 0]\n"                                                                   \
    "    initial: {position: 0.3, rate: [1.5]}\n"                                             \
    "forces:\n"                                                                               \
    "  spring 1: {kind: spring, bodies: [rod], at_a: [0, 0, 1], at_b: [1, 0, 0], stiffness: " \
    "100}\n"

#define ONE_JOINT(kind, start)                                         \
    "tenon: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\njoints:\n" \
    "  j: {kind: " kind ", body: b, initial: {" start "}}\n"

static void joint_positions_may_be_guesses_and_in_degrees(void)
{
    tn_model *model = parse(ONE_JOINT("cylindrical", "position_deg: [90, 0.5], rate: 1"), NULL);
    const tn_joint_def *j = joint(model, "j");
    CHECK(j->nposition == 2 && j->nrate == 1 && !j->guess);
    CHECK_NEAR(j->position[0], 1.5707963267948966, 1e-15);
    CHECK_NEAR(j->position[1], 0.5, 0.0);
    tn_model_destroy(model);

    model = parse(ONE_JOINT("revolute", "guess_deg: -180"), NULL);
    j = joint(model, "j");
    CHECK(j->nposition == 1 && j->guess);
    CHECK_NEAR(j->position[0], -3.141592653589793, 1e-15);
    tn_model_destroy(model);

    model = parse(ONE_JOINT("prismatic", "guess: 2"), NULL);
    j = joint(model, "j");
    CHECK(j->guess && j->position[0] == 2.0);
    tn_model_destroy(model);
}

static void positions_stated_twice_or_in_wrong_units_are_refused(void)
{
    tn_model *model = NULL;
    CHECK_STATUS(tn_model_parse(ONE_JOINT("revolute", "position: 1, guess: 2"), "m", &model, NULL),
                 TN_ERR_MODEL);
    CHECK(strstr(tn_last_error(), "both 'position' and 'guess' are stated; leave out one"));
    CHECK_STATUS(tn_model_parse(ONE_JOINT("prismatic", "position_deg: 1"), "m", &model, NULL),
                 TN_ERR_MODEL);
    CHECK(strstr(tn_last_error(), "'position_deg' is in degrees, but a prismatic joint has no "
                                  "angle; write 'position'"));
}

static void a_file_becomes_a_model(void)
{
    tn_model *model = parse(PENDULUM, NULL);
    const tn_body_kept *rod = body(model, "rod");
    const tn_joint_def *pin = joint(model, "pin");
    const tn_force_def *spring = force(model, "spring 1");

    check_vector(model->gravity, 0, 0, -9.81);
    CHECK(model->bodies.at[tn_model_find_body(model, "rod").index].ops == &tn_body_rigid);
    CHECK_NEAR(rod->mass, 2.0, 0.0);
    check_vector(rod->com, 0.1, 0, 0);
    check_inertia(inertia(model, "rod"),
                  (tn_mat3){{{0.01, 0.0, 0.01}, {0.0, 0.2, 0.0}, {0.01, 0.0, 0.2}}});
    check_vector(rod->frame.p, 0.5, 0, 0);
    check_vector(rod->velocity, 0, 1, 0);
    check_vector(rod->rate, 0, 0, 2);
    CHECK(rod->given_position && rod->given_velocity && rod->given_rate && rod->fixed_start);
    CHECK(!rod->given_rotation);
    CHECK(pin->kind == TN_JOINT_REVOLUTE && pin->body_a.index == 0 && pin->body_b.index == 1);
    check_vector(pin->frame_b.p, -0.5, 0, 0);
    check_vector(tn_m3_column(pin->frame_a.R, TN_Z), 0, 1, 0);
    CHECK(pin->nposition == 1 && pin->nrate == 1);
    CHECK_NEAR(pin->position[0], 0.3, 0.0);
    CHECK_NEAR(pin->rate[0], 1.5, 0.0);
    check_vector(spring->frame_a.p, 0, 0, 1);
    check_vector(spring->frame_b.p, 0.5, 0, 0);
    CHECK_NEAR(spring->spring.stiffness, 100.0, 0.0);
    tn_model_destroy(model);
}

static void json_is_read_as_yaml_is(void)
{
    tn_model *model = parse("{\"tenon\": 1, \"gravity\": [0, -1.5e1, 0],\n"
                            " \"bodies\": {\"p\": {\"kind\": \"point\", \"mass\": \"2*3\"}},\n"
                            " \"joints\": {\"rod\": {\"kind\": \"distance\", \"bodies\": [\"p\"],\n"
                            "   \"at_a\": [1, 0, 0], \"length\": 0.25}}}\n",
                            NULL);
    check_vector(model->gravity, 0, -15, 0);
    CHECK_NEAR(body(model, "p")->mass, 6.0, 0.0);
    check_vector(joint(model, "rod")->frame_a.p, 1, 0, 0);
    CHECK_NEAR(joint(model, "rod")->distance.length, 0.25, 0.0);
    tn_model_destroy(model);
}

static void numbers_are_expressions_of_the_parameters(void)
{
    tn_model *model = parse("tenon: 1\n"
                            "parameters: {L: 2, half: L/2, g: 10}\n"
                            "gravity: [0, -g, 0]\n"
                            "bodies:\n"
                            "  a: {kind: planar, mass: half^3 + 1, inertia: \"L\",\n"
                            "      initial: {position: [half, -L], angle: pi/2}}\n",
                            NULL);
    const tn_body_kept *a = body(model, "a");

    check_vector(model->gravity, 0, -10, 0);
    CHECK_NEAR(a->mass, 2.0, 0.0);
    CHECK_NEAR(inertia(model, "a").m[2][2], 2.0, 0.0);
    check_vector(a->frame.p, 1, -2, 0);
    check_vector(tn_m3_column(a->frame.R, TN_X), 0, 1, 0);
    CHECK(a->given_rotation);
    tn_model_destroy(model);
}

static void the_ways_to_state_a_rotation_agree(void)
{
    static const char *const ways[] = {
        "{quaternion: [2, 0, 0, 2]}",       "{axis: [0, 0, 7], angle: pi/2}",
        "{axis: [0, 0, 1], angle_deg: 90}", "{angles: [0, 0, pi/2]}",
        "{angles_deg: [0, 0, 90]}",         "{x_axis: [0, 3, 0], z_axis: [0, 0, 1e300]}",
    };

    for (int i = 0; i < TN_COUNT(ways); i++) {
        char text[256];
        snprintf(text, sizeof(text),
                 "tenon: 1\nbodies: {a: {massless: true, initial: {orientation: %s}}}\n", ways[i]);
        tn_model *model = parse(text, NULL);
        const tn_frame quarter = {tn_m3_rot_z(acos(0.0)), {0, 0, 0}};
        check_frame(body(model, "a")->frame, quarter);
        tn_model_destroy(model);
    }
}

static void roll_pitch_yaw_turn_about_x_then_y_then_z(void)
{
    tn_model *model = parse("tenon: 1\nbodies: {a: {mass: 1, inertia: [1, 1.5, 2],\n"
                            " inertia_axes: {angles: [0.1, 0.2, 0.3]}}}\n",
                            NULL);
    const tn_mat3 R = tn_m3_mul(tn_m3_rot_z(0.3), tn_m3_mul(tn_m3_rot_y(0.2), tn_m3_rot_x(0.1)));
    const tn_mat3 I = tn_m3_mul(R, tn_m3_mul(tn_m3_diag(1.0, 1.5, 2.0), tn_m3_transpose(R)));
    check_inertia(inertia(model, "a"), I);
    tn_model_destroy(model);
}

#define TWO_BODIES                                                           \
    "tenon: 1\nbodies:\n"                                                    \
    "  a: {mass: 1, inertia: [1, 1, 1], initial: {position: [1, 2, 3],\n"    \
    "      orientation: {angles: [0.3, -0.4, 0.5]}}}\n"                      \
    "  b: {mass: 1, inertia: [1, 1, 1], initial: {position: [-1, 0.5, 2],\n" \
    "      orientation: {quaternion: [0.2, -0.3, 0.7, 0.1]}}}\n"

static void points_and_axes_of_the_start_become_frames_on_the_bodies(void)
{
    tn_model *model = parse(TWO_BODIES "joints:\n"
                                       "  j: {kind: cylindrical, bodies: [a, b], at: [4, 5, 6],\n"
                                       "      axis: [3, 0, 4]}\n",
                            NULL);
    const tn_joint_def *j = joint(model, "j");
    const tn_frame in_a = tn_frame_mul(body(model, "a")->frame, j->frame_a);
    const tn_frame in_b = tn_frame_mul(body(model, "b")->frame, j->frame_b);

    check_frame(in_a, in_b);
    check_vector(in_a.p, 4, 5, 6);
    check_vector(tn_m3_column(in_a.R, TN_Z), 0.6, 0, 0.8);
    CHECK_NEAR(tn_m3_det(in_a.R), 1.0, ROUNDOFF);
    tn_model_destroy(model);
}

static void what_is_left_out_lies_in_the_origins_and_along_the_inertial_axes(void)
{
    tn_model *model = parse(TWO_BODIES "joints: {j: {kind: fixed, bodies: [a, b]}}\n", NULL);
    const tn_joint_def *j = joint(model, "j");

    check_vector(j->frame_a.p, 0, 0, 0);
    check_vector(j->frame_b.p, 0, 0, 0);
    check_frame((tn_frame){tn_m3_mul(body(model, "a")->frame.R, j->frame_a.R), {0, 0, 0}},
                tn_frame_identity);
    check_frame((tn_frame){tn_m3_mul(body(model, "b")->frame.R, j->frame_b.R), {0, 0, 0}},
                tn_frame_identity);
    tn_model_destroy(model);
}

static void frames_on_the_bodies_are_taken_as_they_are(void)
{
    tn_model *model =
        parse(TWO_BODIES "joints:\n"
                         "  j: {kind: revolute, bodies: [a, b],\n"
                         "      frame_a: {at: [1, 2, 3], axis: [1, 0, 0]},\n"
                         "      frame_b: {orientation: {axis: [0, 0, 1], angle: 0.5}}}\n",
              NULL);
    const tn_joint_def *j = joint(model, "j");

    check_vector(j->frame_a.p, 1, 2, 3);
    check_vector(tn_m3_column(j->frame_a.R, TN_Z), 1, 0, 0);
    check_frame(j->frame_b, (tn_frame){tn_m3_rot_z(0.5), {0, 0, 0}});
    tn_model_destroy(model);
}

static void on_one_body_axes_that_are_left_out_are_its_own(void)
{
    tn_model *model = parse(TWO_BODIES "forces:\n"
                                       "  push: {kind: point-force, body: a, at: [1, 2, 4],\n"
                                       "         force: [0, 1, \"2*t\"], follower: true}\n"
                                       "joints:\n"
                                       "  pose: {kind: pose-drive, bodies: [b], x: t}\n",
                            NULL);
    const tn_frame push = force(model, "push")->frame_b;

    check_frame((tn_frame){push.R, {0, 0, 0}}, tn_frame_identity);
    check_vector(tn_frame_point(body(model, "a")->frame, push.p), 1, 2, 4);
    CHECK(force(model, "push")->point.follower);
    CHECK_NEAR(function_value(model->forces.at[0].u[1], 3.0), 1.0, 0.0);
    CHECK_NEAR(function_value(model->forces.at[0].u[2], 3.0), 6.0, ROUNDOFF);
    check_frame(joint(model, "pose")->frame_b, tn_frame_identity);
    tn_model_destroy(model);
}

#define TWO_PLANAR                                                                           \
    "tenon: 1\nbodies:\n"                                                                    \
    "  a: {kind: planar, mass: 1, inertia: 1, initial: {position: [1, 0], angle_deg: 30}}\n" \
    "  b: {kind: planar, mass: 1, inertia: 1, initial: {position: [3, 4], rate: 2}}\n"

static void in_the_plane_the_axis_of_sliding_is_x_and_that_of_turning_z(void)
{
    tn_model *model =
        parse(TWO_PLANAR "joints:\n"
                         "  slide: {kind: prismatic, bodies: [a, b], at: [1, 1], axis: [0, 2]}\n"
                         "  turn: {kind: revolute, bodies: [a, b], at: [3, 4], axis: [0, 0, 1]}\n"
                         "  slot: {kind: point-on-line, bodies: [a, b], at: [3, 4],\n"
                         "         axis: [3, 4]}\n",
              NULL);
    const tn_frame a = body(model, "a")->frame, b = body(model, "b")->frame;
    const tn_joint_def *slide = joint(model, "slide");

    CHECK_TEXT(tn_model_joint_kind_name(model, tn_model_find_joint(model, "slide")),
               "planar-prismatic");
    CHECK_TEXT(tn_model_joint_kind_name(model, tn_model_find_joint(model, "turn")),
               "planar-revolute");
    CHECK_TEXT(tn_model_joint_kind_name(model, tn_model_find_joint(model, "slot")), "pin-in-slot");
    check_vector(tn_m3_column(tn_frame_mul(a, slide->frame_a).R, TN_X), 0, 1, 0);
    check_vector(tn_m3_column(tn_frame_mul(b, slide->frame_b).R, TN_X), 0, 1, 0);
    check_vector(tn_m3_column(tn_frame_mul(a, joint(model, "slot")->frame_a).R, TN_X), 0.6, 0.8, 0);
    check_frame(tn_frame_mul(a, joint(model, "turn")->frame_a),
                (tn_frame){tn_m3_identity, {3, 4, 0}});
    CHECK_NEAR(body(model, "b")->rate.z, 2.0, 0.0);
    tn_model_destroy(model);
}

static void the_axes_of_a_universal_joint_are_x_and_y(void)
{
    tn_model *model = parse(TWO_BODIES "joints:\n"
                                       "  two: {kind: universal, bodies: [a, b], at: [0, 0, 0],\n"
                                       "        axis: [0, 0, 1], axis_2: [0, 3, 0]}\n"
                                       "  one: {kind: universal, bodies: [a], axis: [1, 0, 0]}\n",
                            NULL);
    const tn_frame two = tn_frame_mul(body(model, "a")->frame, joint(model, "two")->frame_a);

    check_vector(tn_m3_column(two.R, TN_X), 0, 0, 1);
    check_vector(tn_m3_column(two.R, TN_Y), 0, 1, 0);
    check_frame(joint(model, "one")->frame_a, tn_frame_identity);
    tn_model_destroy(model);
}

static void one_axis_gives_a_right_handed_frame_whatever_its_direction(void)
{
    for (int i = 0; i < 50; i++) {
        char text[512];
        const double x = tn_random(), y = tn_random(), z = i % 3 ? tn_random() : 0.0;
        snprintf(text, sizeof(text),
                 "tenon: 1\nbodies: {a: {massless: true}}\n"
                 "joints: {j: {kind: revolute, bodies: [a], axis: [%.17g, %.17g, %.17g]}}\n",
                 x, y, z);
        tn_model *model = parse(text, NULL);
        const tn_mat3 R = joint(model, "j")->frame_a.R;
        const double n = sqrt(x * x + y * y + z * z);
        check_vector(tn_m3_column(R, TN_Z), x / n, y / n, z / n);
        check_frame((tn_frame){tn_m3_mul(tn_m3_transpose(R), R), {0, 0, 0}}, tn_frame_identity);
        CHECK_NEAR(tn_m3_det(R), 1.0, ROUNDOFF);
        tn_model_destroy(model);
    }
}

static void joints_may_refer_to_joints_later_in_the_file(void)
{
    tn_model *model =
        parse(TWO_PLANAR "joints:\n"
                         "  first: {kind: revolute, bodies: [a]}\n"
                         "  motor: {kind: drive, joint: slot, coordinate: angle, motion: 2*t}\n"
                         "  gear: {kind: gear, joint_1: slot, coordinate_1: angle,\n"
                         "         joint_2: first, ratio_2: -3}\n"
                         "  slot: {kind: pin-in-slot, bodies: [a, b], axis: [1, 0]}\n",
              NULL);
    static const char *const order[] = {"first", "slot", "motor", "gear"};

    CHECK(tn_model_joint_count(model) == TN_COUNT(order));
    for (int i = 0; i < TN_COUNT(order); i++)
        CHECK_TEXT(tn_model_joint_name(model, (tn_joint){i}), order[i]);
    CHECK(joint(model, "motor")->drive.joint.index == 1);
    CHECK(joint(model, "motor")->drive.coordinate == 1);
    CHECK(joint(model, "gear")->gear.joint_1.index == 1);
    CHECK(joint(model, "gear")->gear.joint_2.index == 0);
    CHECK(joint(model, "gear")->gear.coordinate_1 == 1);
    CHECK(joint(model, "gear")->gear.coordinate_2 == 0);
    CHECK_NEAR(joint(model, "gear")->gear.ratio_2, -3.0, 0.0);
    tn_model_destroy(model);
}

static void functions_of_time_are_numbers_expressions_or_tables(void)
{
    tn_model *model =
        parse("tenon: 1\nparameters: {w: 3}\n"
              "bodies: {a: {kind: planar, mass: 1, inertia: 1}}\n"
              "joints: {pin: {kind: revolute, bodies: a}}\n"
              "forces:\n"
              "  one: {kind: motor, joint: pin, effort: 2.5}\n"
              "  two: {kind: motor, joint: pin, effort: 0.5*w*t}\n"
              "  three: {kind: motor, joint: pin, effort: {table: [[0, 1], [w-1, 5]]}}\n"
              "  four: {kind: joint-spring, joint: pin, coordinate: angle, free: w,\n"
              "         table: [[-1, -2], [0, 0], [1, 2]]}\n",
              NULL);
    CHECK_NEAR(function_value(model->forces.at[0].u[0], 1.0), 2.5, 0.0);
    CHECK_NEAR(function_value(model->forces.at[1].u[0], 2.0), 3.0, ROUNDOFF);
    CHECK_NEAR(function_value(model->forces.at[2].u[0], 1.0), 3.0, ROUNDOFF);
    CHECK(force(model, "four")->spring.ntable == 3 && force(model, "four")->spring.free_given);
    CHECK_NEAR(force(model, "four")->spring.table_x[2], 1.0, 0.0);
    CHECK_NEAR(force(model, "four")->spring.table_f[2], 2.0, 0.0);
    CHECK_NEAR(force(model, "four")->spring.free, 3.0, 0.0);
    tn_model_destroy(model);
}

static void point_masses_are_held_at_their_points(void)
{
    tn_model *model =
        parse("tenon: 1\nparameters: {x: 0.1}\n"
              "bodies: {p: {kind: point-2d, mass: 1, initial: {position: [3*x, 1]}}}\n"
              "joints: {rod: {kind: distance, bodies: [p], at_a: [0, 0],\n"
              "               at_b: [0.3, 1]}}\n",
              NULL);
    check_frame(joint(model, "rod")->frame_b, tn_frame_identity);
    CHECK(tn_v3_norm(joint(model, "rod")->frame_b.p) == 0.0); // though 3*0.1 is not 0.3
    tn_model_destroy(model);
}

static void massless_bodies_need_no_inertia(void)
{
    tn_model *model = parse("tenon: 1\nbodies: {a: {massless: true}, b: {kind: planar,\n"
                            "  massless: true}, c: {massless: true, mass: 2, inertia: [1, 1, 1],\n"
                            "  products: [0.1, 0, 0], com: [1, 2, 3]}}\n",
                            NULL);
    CHECK(body(model, "a")->mass == 0.0 && body(model, "b")->mass == 0.0);
    CHECK(body(model, "c")->mass == 0.0); // as stated ones count for nothing
    check_inertia(inertia(model, "c"), (tn_mat3){0});
    check_vector(body(model, "c")->com, 1, 2, 3);
    check_inertia(inertia(model, "a"), (tn_mat3){0});
    tn_model_destroy(model);
}

static void the_simulate_block_lives_as_long_as_the_model(void)
{
    tn_simulate s;
    tn_model *model = parse("tenon: 1\nparameters: {T: 5}\n"
                            "simulate:\n"
                            "  method: galpha/ggl\n"
                            "  rotation: se3\n"
                            "  t_start: 1\n"
                            "  t_end: T\n"
                            "  step: 1e-3\n"
                            "  adaptive: true\n"
                            "  rtol: 1e-7\n"
                            "  rho_inf: 0.8\n"
                            "  newton_max: 7\n"
                            "  project_times: [2, T/2]\n"
                            "  output: 0.01\n",
                            &s);
    CHECK_TEXT(s.options.method, "galpha/ggl");
    CHECK_TEXT(s.options.rotation, "se3");
    CHECK_NEAR(s.options.t_start, 1.0, 0.0);
    CHECK_NEAR(s.t_end, 5.0, 0.0);
    CHECK_NEAR(s.options.step, 1e-3, 0.0);
    CHECK(s.options.adaptive);
    CHECK_NEAR(s.options.rtol, 1e-7, 0.0);
    CHECK_NEAR(s.options.atol, tn_default_sim().atol, 0.0);
    CHECK_NEAR(s.options.rho_inf, 0.8, 0.0);
    CHECK(s.options.newton_max == 7 && s.options.nproject == 2);
    CHECK_NEAR(s.options.project_times[1], 2.5, 0.0);
    CHECK_NEAR(s.output, 0.01, 0.0);
    tn_model_destroy(model);
}

// Axes of a random rotation, typed with so many digits.
static void typed_axes(int digits, char *text, size_t size, tn_vec3 *z)
{
    const tn_mat3 R = tn_so3_exp(tn_v3(tn_random(), tn_random(), tn_random()));
    const tn_vec3 x = tn_m3_column(R, 0);
    *z = tn_m3_column(R, 2);
    snprintf(text, size,
             "tenon: 1\nbodies:\n  a: {massless: true, initial: {orientation: {x_axis: "
             "[%.*f, %.*f, %.*f], z_axis: [%.*f, %.*f, %.*f]}}}\n",
             digits, x.x, digits, x.y, digits, x.z, digits, z->x, digits, z->y, digits, z->z);
}

static void axes_typed_with_few_digits_are_made_exact(void)
{
    for (int digits = 4; digits <= 12; digits++)
        for (int k = 0; k < 20; k++) {
            char text[1000];
            tn_vec3 z;
            typed_axes(digits, text, sizeof text, &z);
            tn_model *model = parse(text, NULL);
            const tn_mat3 R = model->bodies.at[1].def.frame.R;
            const tn_mat3 RtR = tn_m3_mul(tn_m3_transpose(R), R);
            for (int i = 0; i < 9; i++)
                CHECK_NEAR(RtR.m[i / 3][i % 3], i % 4 == 0, 1e-15);
            CHECK(tn_v3_norm(tn_v3_sub(tn_m3_column(R, 2), z)) < 2.0 * pow(10.0, -digits));
            CHECK(tn_model_note_count(model) <= (digits <= 6));
            tn_model_destroy(model);
        }
}

static void empty_sections_are_fine(void)
{
    tn_simulate s;
    tn_model *model = parse("tenon: 1\nbodies:\njoints: {}\nforces: ~\nsimulate:\n", &s);

    CHECK(tn_model_body_count(model) == 1 && tn_model_joint_count(model) == 0);
    CHECK_NEAR(s.t_end, tn_default_simulate().t_end, 0.0);
    tn_model_destroy(model);
}

// A value that every kind accepts, by the type of its parameter.
static const char *sample(const tn_param *p)
{
    switch (p->type) {
    case TN_PARAM_NUMBER:
        return strcmp(p->name, "lower") == 0 ? "-1" : "1";
    case TN_PARAM_INTEGER:
        return "0";
    case TN_PARAM_BOOL:
        return "true";
    case TN_PARAM_VEC3:
        return "[1, 1, 1]";
    case TN_PARAM_ROTATION:
        return "{angles: [0, 0, 1]}";
    case TN_PARAM_FUNCTION:
        return "0";
    case TN_PARAM_FUNCTION3:
        return "[0, t, 0]";
    case TN_PARAM_BODY:
        return "a";
    case TN_PARAM_JOINT:
        return strstr(p->name, "pinion") ? "turn" : strstr(p->name, "2") ? "turn" : "slide";
    case TN_PARAM_TABLE:
        return "[[0, 0], [1, 1]]";
    case TN_PARAM_CHOICE:
        return p->choices[1];
    default:
        return "one";
    }
}

static void all_params(char *text, size_t size, int n, const tn_param *params)
{
    size_t used = strlen(text);
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, size - used, ", %s: %s", params[i].name,
                                 sample(&params[i]));
    snprintf(text + used, size - used, "}\n");
}

static void every_kind_of_joint_reads_every_key_of_its_table(void)
{
    for (int k = 0; k < TN_JOINT_KIND_COUNT; k++) {
        const tn_joint_ops *ops = tn_joint_ops_of(k);
        if (ops->shapes)
            continue; // their keys exclude each other; cross/contact states them
        char text[4096];
        snprintf(text, sizeof(text),
                 "%sjoints:\n  slide: {kind: prismatic, bodies: [a], %s}\n"
                 "  turn: {kind: revolute, bodies: [a]}\n"
                 "  new: {kind: %s%s",
                 ops->dim == 2 ? TWO_PLANAR : TWO_BODIES, "axis: [1, 0, 0]", ops->name,
                 ops->rolls      ? ", bodies: [b], at_b: [1, 1, 0], axis: [1, 0, 0]"
                 : ops->relative ? ", bodies: [b], at: [1, 1, 0]"
                 : ops->rubs     ? ", one_sided: true, friction: 0.5" // which its slip needs
                                 : "");
        if (k == TN_JOINT_VELOCITY_ROW)
            strcat(text, ", row: a.velocity.x}\n");
        else
            all_params(text, sizeof(text), ops->nparam, ops->params);
        tn_model *model = parse(text, NULL);
        CHECK_TEXT(tn_model_joint_kind_name(model, tn_model_find_joint(model, "new")), ops->name);
        tn_model_destroy(model);
    }
}

static void every_kind_of_force_reads_every_key_of_its_table(void)
{
    for (int k = 0; k < TN_FORCE_KIND_COUNT; k++) {
        const tn_force_ops *ops = tn_force_ops_of(k);
        if (ops == &tn_force_creep || ops == &tn_force_contact)
            continue; // keys exclude each other; cross/creep and unit/contact_force state them
        char text[4096];
        snprintf(text, sizeof(text),
                 "%sjoints:\n  turn: {kind: revolute, bodies: [a, b]}\n"
                 "forces:\n  new: {kind: %s%s",
                 TWO_BODIES, ops->name,
                 ops->on_joint                   ? ", joint: turn"
                 : ops->single                   ? ", body: a"
                 : ops == &tn_force_beam_element ? ", bodies: [a, b], frame_a: {}, frame_b: {}"
                                                 : ", bodies: [a, b]");
        all_params(text, sizeof(text), ops->nparam, ops->params);
        tn_model *model = parse(text, NULL);
        CHECK(model->forces.at[0].ops == ops);
        tn_model_destroy(model);
    }
}

static void many_bodies_are_read_in_the_order_of_the_file(void)
{
    enum { N = 2000, LINE = 160 };
    char *text = tn_alloc(2 * N * LINE);
    size_t used = (size_t)snprintf(text, LINE, "tenon: 1\nbodies:\n");

    for (int i = 0; i < N; i++)
        used +=
            (size_t)snprintf(text + used, LINE, "  b%d: {kind: planar, mass: 1, inertia: 1}\n", i);
    used += (size_t)snprintf(text + used, LINE, "joints:\n");
    for (int i = 1; i < N; i++)
        used += (size_t)snprintf(text + used, LINE, "  j%d: {kind: revolute, bodies: [b%d, b%d]}\n",
                                 i, i - 1, i);
    tn_model *model = parse(text, NULL);
    CHECK(tn_model_body_count(model) == N + 1 && tn_model_joint_count(model) == N - 1);
    CHECK_TEXT(tn_model_joint_name(model, (tn_joint){N - 2}), "j1999");
    tn_model_destroy(model);
    tn_free(text);
}

static void parameters_may_have_other_values(void)
{
    const char *text =
        "{tenon: 1, parameters: {a: 2, b: 3*a}, bodies: {x: {kind: point, mass: b}}}";
    const tn_parameter_value value = {"a", 5.0, NULL}, derived = {"b", 1.5, NULL},
                             none = {"c", 0.0, NULL}, expression = {"b", 0.0, "max(a, 7) + 1"},
                             later = {"a", 0.0, "2*b"};
    tn_model *model = NULL;
    tn_test_write("values.yaml", text, strlen(text));
    CHECK_OK(tn_model_load_with("values.yaml", 1, &value, &model, NULL));
    CHECK_NEAR(model->bodies.at[1].def.mass, 15.0, 0.0); // what depends on it follows
    tn_model_destroy(model);
    CHECK_OK(tn_model_load_with("values.yaml", 1, &derived, &model, NULL));
    CHECK_NEAR(model->bodies.at[1].def.mass, 1.5, 0.0);
    tn_model_destroy(model);
    CHECK(tn_model_load_with("values.yaml", 1, &none, &model, NULL) != TN_OK);
    CHECK(strstr(tn_last_error(), "unknown parameter 'c'") != NULL);
    CHECK_OK(tn_model_load_with("values.yaml", 1, &expression, &model, NULL));
    CHECK_NEAR(model->bodies.at[1].def.mass, 8.0, 0.0);
    tn_model_destroy(model);
    CHECK(tn_model_load_with("values.yaml", 1, &later, &model, NULL) == TN_ERR_USAGE);
    CHECK(strstr(tn_last_error(), "parameter 'a' = 2*b: ") != NULL);
}

static const tn_test tests[] = {
    {"parameters may have other values", parameters_may_have_other_values},
    {"joint positions may be guesses and in degrees",
     joint_positions_may_be_guesses_and_in_degrees},
    {"positions stated twice or in wrong units are refused",
     positions_stated_twice_or_in_wrong_units_are_refused},
    {"a file becomes a model", a_file_becomes_a_model},
    {"JSON is read as YAML is", json_is_read_as_yaml_is},
    {"numbers are expressions of the parameters", numbers_are_expressions_of_the_parameters},
    {"the ways to state a rotation agree", the_ways_to_state_a_rotation_agree},
    {"roll, pitch, yaw turn about x, then y, then z", roll_pitch_yaw_turn_about_x_then_y_then_z},
    {"points and axes of the start become frames on the bodies",
     points_and_axes_of_the_start_become_frames_on_the_bodies},
    {"what is left out lies in the origins and along the inertial axes",
     what_is_left_out_lies_in_the_origins_and_along_the_inertial_axes},
    {"frames on the bodies are taken as they are", frames_on_the_bodies_are_taken_as_they_are},
    {"on one body, axes that are left out are its own",
     on_one_body_axes_that_are_left_out_are_its_own},
    {"in the plane the axis of sliding is x and that of turning z",
     in_the_plane_the_axis_of_sliding_is_x_and_that_of_turning_z},
    {"the axes of a universal joint are x and y", the_axes_of_a_universal_joint_are_x_and_y},
    {"one axis gives a right-handed frame whatever its direction",
     one_axis_gives_a_right_handed_frame_whatever_its_direction},
    {"joints may refer to joints later in the file", joints_may_refer_to_joints_later_in_the_file},
    {"functions of time are numbers, expressions or tables",
     functions_of_time_are_numbers_expressions_or_tables},
    {"point masses are held at their points", point_masses_are_held_at_their_points},
    {"massless bodies need no inertia", massless_bodies_need_no_inertia},
    {"the simulate block lives as long as the model",
     the_simulate_block_lives_as_long_as_the_model},
    {"axes typed with few digits are made exact", axes_typed_with_few_digits_are_made_exact},
    {"empty sections are fine", empty_sections_are_fine},
    {"every kind of joint reads every key of its table",
     every_kind_of_joint_reads_every_key_of_its_table},
    {"every kind of force reads every key of its table",
     every_kind_of_force_reads_every_key_of_its_table},
    {"many bodies are read in the order of the file",
     many_bodies_are_read_in_the_order_of_the_file},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
