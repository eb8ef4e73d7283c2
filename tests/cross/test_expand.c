// SPDX-License-Identifier: MIT
//
// A model that is written out is a model file again, without parts, and moves as the one with parts
// does: what is repeated, included, assembled, placed, turned and mounted, and what --set gives.

#include "cli_driver.h"

#include "model/model.h"
#include "placed_templates.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static double apart(tn_sim *a, tn_sim *b, int body)
{
    const tn_frame x = tn_sim_body_frame(a, (tn_body){body}),
                   y = tn_sim_body_frame(b, (tn_body){body});
    double worst = tn_v3_norm(tn_v3_sub(x.p, y.p));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(x.R.m[i][k] - y.R.m[i][k]));
    return fmax(worst, tn_v3_norm(tn_v3_sub(tn_sim_body_velocity(a, (tn_body){body}),
                                            tn_sim_body_velocity(b, (tn_body){body}))));
}

// Runs a model and what is written out of it; returns by how much they differ at the end.
static double difference(const char *path, int n, const tn_parameter_value *values, double end)
{
    char *text = NULL;
    tn_model *parts = NULL, *plain = NULL;
    CHECK_OK(tn_model_load_with(path, n, values, &parts, NULL));
    CHECK_OK(tn_model_expand(path, n, values, ".", &text));
    static const char *const gone[] = {"\nrepeat:", "\ninclude:", "\ntemplates:", "\nassemblies:"};
    for (int i = 0; i < TN_COUNT(gone); i++)
        CHECK(!strstr(text, gone[i]));
    CHECK_OK(tn_model_parse(text, "expanded.yaml", &plain, NULL));
    tn_text_free(text);
    CHECK(tn_model_body_count(parts) == tn_model_body_count(plain));
    CHECK(tn_model_joint_count(parts) == tn_model_joint_count(plain));
    tn_sim *a = tn_test_open(parts, "galpha/ggl", 1e-3, 0.0),
           *b = tn_test_open(plain, "galpha/ggl", 1e-3, 0.0);
    CHECK_OK(tn_sim_run(a, end, NULL, NULL));
    CHECK_OK(tn_sim_run(b, end, NULL, NULL));
    double worst = 0.0;
    for (int i = 1; i < tn_model_body_count(parts); i++) {
        CHECK_TEXT(tn_model_body_name(parts, (tn_body){i}),
                   tn_model_body_name(plain, (tn_body){i}));
        worst = fmax(worst, apart(a, b, i));
    }
    tn_sim_destroy(a);
    tn_sim_destroy(b);
    tn_model_destroy(parts);
    tn_model_destroy(plain);
    return worst;
}

// Texts stay as they are, so that the numbers are the same to the last bit.
static void what_is_repeated_is_the_same_to_the_last_bit(void)
{
    const tn_parameter_value values[] = {{"n", 7, NULL}, {"tilt", 0, "20*pi/180"}};
    CHECK(difference(tn_test_path("models/chain.yaml"), 0, NULL, 0.3) == 0.0);
    CHECK(difference(tn_test_path("models/chain.yaml"), 2, values, 0.3) == 0.0);
    CHECK(difference(tn_test_path("models/chain_3d.yaml"), 0, NULL, 0.1) == 0.0);
}

static void a_car_of_four_corners_moves_as_it_does_in_parts(void)
{
    const tn_parameter_value values[] = {{"front.left.d", 500, NULL}, {"soft", 30000, NULL}};
    CHECK_NEAR(difference(tn_test_path("models/car/car.yaml"), 0, NULL, 0.3), 0.0, 1e-12);
    CHECK_NEAR(difference(tn_test_path("models/car/car.yaml"), 2, values, 0.3), 0.0, 1e-12);
}

// Whatever can be placed, in an assembly within another one.
static void check_placed(const char *template, const char *axis)
{
    char text[8192];
    snprintf(text, sizeof text,
             "tenon: 1\ngravity: [0.5, -3, %s]\ntemplates:\n  t:\n%s  u:\n    assemblies: {i: {of: "
             "t, at: [1, 0.5], orientation: {axis: %s, angle: 0.7}}}\n"
             "assemblies: {o: {of: u, at: [0.3, -2, 0], orientation: {axis: %s, angle: 1.1}}}\n",
             axis[1] == '0' ? "0" : "-9", template, axis, axis);
    write_text("placed.yaml", text);
    const double worst = difference("placed.yaml", 0, NULL, 0.3);
    printf("  %.1e\n", worst);
    CHECK_NEAR(worst, 0.0, 1e-10);
}

static void placed_parts_move_as_they_do_in_parts(void)
{
    for (int i = 0; i < TN_COUNT(spatial); i++)
        check_placed(spatial[i], "[1, -2, 0.5]");
    for (int i = 0; i < TN_COUNT(planar); i++)
        check_placed(planar[i], "[0, 0, 1]");
}

// A four-bar whose bodies state no places: joints state how it stands, once as a guess. And a free
// body that states none is where its assembly is.
static void places_that_are_left_out_are_found_again(void)
{
    static const char fourbar[] =
        "tenon: 1\ngravity: [0, -9.81, 0]\ntemplates:\n  t:\n    bodies:\n"
        "      a: {kind: planar, mass: 1, inertia: 0.1}\n"
        "      b: {kind: planar, mass: 1, inertia: 0.1}\n"
        "      c: {kind: planar, mass: 1, inertia: 0.1}\n"
        "    joints:\n"
        "      A: {kind: revolute, body: a, frame_b: {at: [-0.5, 0]}, initial: {guess_deg: 60}}\n"
        "      B: {kind: revolute, bodies: [a, b], frame_a: {at: [0.5, 0]}, frame_b: {at: [-1, "
        "0]}, initial: {guess_deg: -50}}\n"
        "      C: {kind: revolute, bodies: [b, c], frame_a: {at: [1, 0]}, frame_b: {at: [0.6, 0]}, "
        "initial: {guess_deg: 60}}\n"
        "      D: {kind: revolute, body: c, frame_a: {at: [2, 0]}, frame_b: {at: [-0.6, 0]}}\n"
        "assemblies: {x: {of: t, at: [3, 1], orientation: {axis: [0, 0, 1], angle: 0.4}}}\n";
    write_text("fourbar.yaml", fourbar);
    CHECK_NEAR(difference("fourbar.yaml", 0, NULL, 0.3), 0.0, 1e-9);
    write_text("free.yaml", "tenon: 1\ngravity: [0, 0, -9.81]\ntemplates: {t: {bodies: {a: {mass: "
                            "1, inertia: [1, 2, 3], initial: {rate: [1, 2, 3]}}}}}\n"
                            "assemblies: {x: {of: t, at: [3, 1, 2], orientation: {axis: [0, 1, 0], "
                            "angle: 0.4}}}\n");
    CHECK_NEAR(difference("free.yaml", 0, NULL, 0.3), 0.0, 1e-12);
}

// What is guessed does not count as stated: a pendulum whose joint states its angle starts there,
// and nothing is told of a body that was moved.
static void guesses_do_not_hold(void)
{
#define PENDULUM(start)                                                                  \
    "tenon: 1\nbodies: {b: {kind: planar, mass: 1, inertia: 1, initial: {position: [1, " \
    "0], angle: 0.1" start "}}}\njoints: {pin: {kind: revolute, body: b, frame_b: {at: " \
    "[-1, 0]}, initial: {position: 0.5}}}\n"
    write_text("stated.yaml", PENDULUM(""));
    write_text("guessed.yaml", PENDULUM(", guess: both"));
    CHECK(tenon("check stated.yaml") == 0);
    CHECK(strstr(cli.err, "assembly moved body 'b'") != NULL);
    CHECK(tenon("check guessed.yaml") == 0);
    CHECK_TEXT(cli.err, "");
    write_text("bad.yaml", PENDULUM(", guess: all"));
    CHECK(tenon("check bad.yaml") == 2);
    CHECK(strstr(cli.err, "bad.yaml:2:") && strstr(cli.err, "'all'"));
}

static void mounted_parts_hold_on_to_their_mount(void)
{
    write_text("mounted.yaml",
               "tenon: 1\ngravity: [0, 0, -9.81]\n"
               "bodies: {hand: {mass: 2, inertia: [0.1, 0.2, 0.3], initial: {position: [1, 2, 3], "
               "orientation: {axis: [1, 1, 0], angle: 0.7}, velocity: [1, 0, 2], rate: [1, 2, 3], "
               "fixed: true}}}\n"
               "templates:\n  P:\n    bodies: {x: {mass: 1, inertia: [1, 1, 1], initial: "
               "{position: [1, 0.2, 0]}}, p: {kind: point, mass: 1, initial: {position: [1, 0, "
               "0]}}}\n"
               "    joints: {r: {kind: revolute, body: x, at: [1, 0, 0], axis: [0, 1, 0]}}\n"
               "    forces: {s: {kind: spring, body: p, at_a: [0.5, 0, 0], stiffness: 100, free: "
               "0.2}}\n"
               "    outputs: {o: {of: ground, point: [0.5, 0, 0], axis: z}}\n"
               "assemblies: {A: {of: P, names: {ground: hand}, at: [0, 0.1, 0], orientation: "
               "{axis: [0, 0, 1], angle_deg: 90}}}\n");
    CHECK_NEAR(difference("mounted.yaml", 0, NULL, 0.3), 0.0, 1e-10);
}

// Names that need quotes, texts with commas and colons, all that a controller is made of.
static void texts_survive(void)
{
    write_text("part.yaml",
               "tenon: 1\nparameters: {m: 2, length: 500 mm}\n"
               "tables: {gain: {x: [0, 1], values: [1, 2], interpolation: linear}}\n"
               "bodies:\n  my rod: {mass: m, inertia: [0.01, 0.2, 0.2], initial: {position: "
               "[length/2, 0, 0]}, shapes: [{kind: sphere, radius: 5 mm, color: \"#aabbcc\"}]}\n"
               "joints: {pin: {kind: revolute, bodies: [ground, my rod], axis: [0, 1, 0]}}\n"
               "signals:\n  err: max(0.1, 0.5 - pin.angle - 'my rod'.position.z)\n"
               "  turned: \"'my rod'.position.x > 0 ? 1 : 2\"\n"
               "states: {integ: {rate: err - 0.1*integ}}\n"
               "sampled: {ctl: {every: 0.05, next: {u: 0.5*u + 0.1*err}, initial: {u: 0.1}}}\n"
               "blocks: {filt: {kind: lowpass, input: \"err + min(integ, 3)\", tau: 0.1}}\n"
               "forces: {motor: {kind: motor, joint: pin, effort: gain(0.3)*err + ctl.u + filt}}\n"
               "ground: {shapes: [{kind: box, size: [1, 1, 0.1], at: [0, 0, -1]}]}\n");
    write_text("whole.yaml", "tenon: 1\ngravity: [0, 0, -9.81]\nname: \"a: b\"\nrepeat: {to: 2, "
                             "assemblies: {a$i: {file: part.yaml, at: [i, 0, 0], orientation: "
                             "{axis: [0, 0, 1], angle: 0.3}}}}\n");
    CHECK_NEAR(difference("whole.yaml", 0, NULL, 0.3), 0.0, 1e-12);
}

// Files that a model names are found from where the text stands.
static void paths_are_seen_from_the_new_file(void)
{
    tn_test_shell("mkdir -p parts out");
    write_text("parts/rod.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 "
                                "0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n");
    write_text("parts/rod.yaml", "tenon: 1\nbodies: {rod: {mass: 1, inertia: [1, 1, 1], shapes: "
                                 "[{kind: mesh, file: rod.stl}]}}\n");
    write_text("meshes.yaml", "tenon: 1\ninclude: parts/rod.yaml\nsimulate: {t_end: 0.01}\n");
    CHECK(tenon("expand meshes.yaml") == 0);
    CHECK(strstr(cli.out, "file: parts/rod.stl") != NULL);
    CHECK(tenon("expand meshes.yaml -o out/flat.yaml") == 0);
    CHECK_TEXT(cli.out, "out/flat.yaml\n");
    read_text("out/flat.yaml", cli.out);
    const char *file = strstr(cli.out, "file: /");
    CHECK(file && strstr(file, "/parts/rod.stl"));
    CHECK(tenon("run out/flat.yaml --out flat.results --quiet") == 0);
    CHECK_TEXT(cli.err, "");
}

static void a_model_is_not_replaced_by_what_is_written_out_of_it(void)
{
    static const char included[] = "tenon: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n";
    CHECK(tn_test_shell("mkdir -p own/lib && ln -sf ../whole.yaml own/link.yaml") == 0);
    write_text("own/whole.yaml", "tenon: 1\ninclude: lib/body.yaml\n");
    write_text("whole.yaml", "tenon: 1\ninclude: own/lib/body.yaml\n");
    write_text("own/lib/body.yaml", included);
    refuses(
        1, "expand whole.yaml -o own/../whole.yaml --force",
        "tenon: own/../whole.yaml belongs to the model whole.yaml and is not replaced by what is "
        "written out of it; name another file\n");
    refuses(1, "expand whole.yaml -o own/link.yaml --force",
            "tenon: own/link.yaml belongs to the model whole.yaml and is not replaced by what is "
            "written out of it; name another file\n");
    refuses(1, "expand own/whole.yaml -o own/lib/body.yaml --force",
            "tenon: own/lib/body.yaml belongs to the model own/whole.yaml and is not replaced by "
            "what is "
            "written out of it; name another file\n");
    read_text("own/lib/body.yaml", cli.out);
    CHECK_TEXT(cli.out, included);
    CHECK(tenon("expand own/whole.yaml -o whole.yaml --force") == 0);
}

static void mistakes_are_told(void)
{
    write_text("bad.yaml", "tenon: 1\nrepeat: {to: 2, bodies: {b$i: {mass: heavy}}}\n");
    CHECK(tenon("expand bad.yaml") == 2);
    CHECK(strncmp(cli.err, "tenon: bad.yaml:2:38: body 'b1': mass: unknown name 'heavy'", 59) == 0);
    write_text("there.yaml", "tenon: 1\n");
    refuses(1, "expand bad.yaml -o there.yaml",
            "tenon: there.yaml is there already; --force replaces it\n");
    refuses(1, "expand there.yaml -o nodir/flat.yaml",
            "tenon: cannot write nodir/flat.yaml: No such file or directory\n");
    CHECK(tenon("expand bad.yaml --json") == 1);
    CHECK(strstr(cli.err, "name a file with --out") != NULL);
    refuses(1, "expand stated.yaml --set x=2",
            "tenon: the model has no parameter 'x': it states none\n");
    write_text("order.yaml", "tenon: 1\nparameters: {a: 2, k: 3}\n");
    refuses(1, "expand order.yaml --set a=2*k",
            "tenon: parameter 'a' = 2*k: 'k' stands behind it, at order.yaml:2:20; a parameter may "
            "use those before it\n");
    CHECK(tenon("expand nowhere.yaml") != 0);
}

static const tn_test tests[] = {
    {"what is repeated is the same to the last bit", what_is_repeated_is_the_same_to_the_last_bit},
    {"a car of four corners moves as it does in parts",
     a_car_of_four_corners_moves_as_it_does_in_parts},
    {"placed parts move as they do in parts", placed_parts_move_as_they_do_in_parts},
    {"places that are left out are found again", places_that_are_left_out_are_found_again},
    {"guesses do not hold", guesses_do_not_hold},
    {"mounted parts hold on to their mount", mounted_parts_hold_on_to_their_mount},
    {"texts survive", texts_survive},
    {"paths are seen from the new file", paths_are_seen_from_the_new_file},
    {"a model is not replaced by what is written out of it",
     a_model_is_not_replaced_by_what_is_written_out_of_it},
    {"mistakes are told", mistakes_are_told},
};

int main(int argc, char **argv)
{
    enter_scratch("expand-scratch");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
