// SPDX-License-Identifier: MIT
//
// Theories that hold up to a limit: runs that pass it are doubtful, by the name of the element, and
// runs that stay below it are not. What modal bodies leave out is compared with elastica.

#include "cli_driver.h"

#include <math.h>

// The value of a quantity of the last run with --json; 0 where it is not judged.
static double value_of(const char *quantity)
{
    tn_document *doc = json_of(cli.out);
    const tn_node *list = json_at(doc, "judged");
    double value = 0.0;
    for (int i = 0; list && i < list->count; i++)
        if (!strcmp(tn_node_get(list->children[i], "quantity")->text, quantity))
            value = atof(tn_node_get(list->children[i], "value")->text);
    tn_document_destroy(doc);
    return value;
}

// Runs a model with more arguments; false where it is doubtful, by this quantity of this element.
static bool holds(const char *model, const char *arguments, const char *quantity, const char *where)
{
    write_text("model.yaml", model);
    const int code = tenon("run model.yaml --out out --force --json %s", arguments);
    printf("%s %s: %d, %s %g\n%s", where, arguments, code, quantity, value_of(quantity), cli.err);
    CHECK(code == 0 || code == 5);
    CHECK((strstr(cli.err, "doubtful: ") != NULL) == (code == 5));
    if (code == 5) {
        const char *doubt = strstr(cli.err, where);
        CHECK(doubt != NULL && strncmp(doubt - 10, "doubtful: ", 10) == 0);
        CHECK(strstr(doubt, " at t = ") != NULL && strstr(doubt, "bound ") != NULL);
    }
    return code == 0;
}

// Modal bodies ------------------------------------------------------------------------------------

// A clamped rod with EI = 1 and the force a EI/L^2 at its tip, put on slowly.
static const char *rod(bool stiffening, const char *attachments, const char *load)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "gravity: [0, %s, 0]\n"
             "bodies:\n"
             "  rod:\n"
             "    kind: modal\n"
             "    stiffening: %s\n"
             "    damping: 0.3\n"
             "    rod:\n"
             "      length: 2\n"
             "      section: {kind: stiffness, stiffness: [1e4, 1e4, 1e4], "
             "rotational_stiffness: [1, 1, 1], mass: 0.01, inertia_x: 1e-6, inertia_y: 1e-6}\n"
             "      functions: [{y: s^2}, {y: s^3}, {y: s^4}]\n"
             "      attachments: {root: 0%s}\n"
             "joints: {clamp: {kind: fixed, bodies: [ground, rod.root], at: [0, 0, 0]}}\n"
             "%s"
             "simulate: {method: galpha/ggl, step: 5e-3, t_end: 6}\n",
             strcmp(load, "weight") ? "0" : "-1", stiffening ? "true" : "false", attachments,
             strcmp(load, "weight") ? load : "");
    return text;
}

static void what_a_modal_body_leaves_out_is_that_of_the_elastica(void)
{
    // Deflections of the tip by the length [Bisshopp and Drucker 1945]: linear theory has a/3.
    static const struct {
        double a, tip;
    } elastica[] = {{0.2, 0.066365}, {0.5, 0.162211}, {1.0, 0.301721}};
    for (int k = 0; k < 2 * TN_COUNT(elastica); k++) {
        char load[256];
        const double a = elastica[k / 2].a, off = a / 3.0 / elastica[k / 2].tip - 1.0;
        snprintf(load, sizeof load,
                 "forces: {f: {kind: point-force, body: rod.tip, at: [2, 0, 0], force: [0, "
                 "\"%.17g*min(t/4, 1)\", 0]}}\n",
                 0.25 * a);
        const bool held = holds(rod(k % 2, ", tip: 2", load), "", "modal", "modal body 'rod'");
        CHECK(held == (off < 0.01));
        CHECK_NEAR(value_of("modal"), off, 0.15 * off);
    }
}

static void deflections_that_no_attachment_sees_count_too(void)
{
    static char text[4096];
    for (int k = 0; k < 2; k++) { // tips of 0.03 and 0.6 m
        snprintf(text, sizeof text, "%s", rod(false, "", "weight"));
        char *at = strstr(text, "gravity: [0, -1,");
        CHECK(at != NULL);
        memcpy(at, k ? "gravity: [0,-30," : "gravity: [0, -1,", 16);
        CHECK(holds(text, "", "modal", "modal body 'rod'") == (k == 0));
    }
}

static void stretch_of_a_modal_body_is_judged(void)
{
    static const char text[] =
        "tenon: 1\n"
        "parameters: {F: 1}\n"
        "bodies:\n"
        "  block:\n"
        "    kind: modal\n"
        "    damping: 0.5\n"
        "    rod: {length: 1, section: {kind: rectangle, width: 0.1, height: 0.1, E: 1e6, rho: "
        "100}, functions: [{x: s}, {x: s^2}], attachments: {a: 0, b: 1}}\n"
        "joints: {wall: {kind: fixed, bodies: [ground, block.a], at: [0, 0, 0]}}\n"
        "forces: {f: {kind: point-force, body: block.b, at: [1, 0, 0], force: [\"F*min(t, 1)\", "
        "0, 0]}}\n"
        "simulate: {t_end: 2}\n";
    CHECK(holds(text, "--set F=40", "modal", "modal body 'block'")); // 0.4 %
    CHECK(!holds(text, "--set F=-300", "modal", "modal body 'block'"));
    CHECK(holds(text, "--set F=-300 --bounds 'modal<0.1'", "modal", "modal body 'block'"));
}

// Turns -------------------------------------------------------------------------------------------

static void bushings_and_frame_laws_beyond_half_a_turn_are_doubtful(void)
{
    static const char *const forces[] = {
        "{kind: bushing, body: b, stiffness: [9, 9, 9], rotational_stiffness: [2, 2, 2]}",
        "{kind: bushing, body: b, stiffness: [9, 9, 9], rotational_stiffness: [0, 2, 0]}",
        ("{kind: frame-law, body: b, force: [0, 0, 0], torque: [\"-2*turn.x\", \"-2*turn.y\", "
         "\"-2*turn.z\"]}")};
    static const char *const methods[] = {"auto", "galpha/ggl@absolute", "bdf/ggl"};
    static char text[1024];
    for (int k = 0; k < TN_COUNT(forces) * TN_COUNT(methods); k++) {
        const char *where = k % 3 == 2 ? "frame-law 'sleeve'" : "bushing 'sleeve'";
        char arguments[64];
        snprintf(text, sizeof text,
                 "tenon: 1\n"
                 "parameters: {w: 1}\n"
                 "bodies: {b: {mass: 1, inertia: [2, 2, 2], initial: {rate: [0, w, 0]}}}\n"
                 "forces: {sleeve: %s}\n"
                 "simulate: {t_end: 3}\n",
                 forces[k % 3]);
        snprintf(arguments, sizeof arguments, "--method %s", methods[k / 3]);
        CHECK(holds(text, arguments, "turned", where) == true);
        snprintf(arguments, sizeof arguments, "--method %s --set w=2.9", methods[k / 3]);
        CHECK(holds(text, arguments, "turned", where)); // turned by 2.9 rad
        snprintf(arguments, sizeof arguments, "--method %s --set w=-3.3", methods[k / 3]);
        CHECK(!holds(text, arguments, "turned", where));
        CHECK(value_of("turned") > 3.14159 && value_of("turned") < 5.5);
        snprintf(arguments, sizeof arguments, "--method %s --set w=60", methods[k / 3]);
        CHECK(!holds(text, arguments, "turned", where)); // many turns within the longest steps
    }
}

static void a_bushing_that_leaves_turns_free_has_no_limit(void)
{
    CHECK(holds("tenon: 1\n"
                "bodies: {b: {mass: 1, inertia: [2, 2, 2], initial: {rate: [0, 40, 0]}}}\n"
                "forces: {sleeve: {kind: bushing, body: b, stiffness: [9, 9, 9], "
                "rotational_damping: [1, 1, 1]}}\n"
                "simulate: {t_end: 2}\n",
                "", "turned", "bushing 'sleeve'"));
    CHECK(value_of("turned") == 0.0);
}

// A cantilever that a moment at its tip rolls up, and one that a force stretches.
static const char beam[] =
    "tenon: 1\n"
    "parameters: {M: 0, F: 0, n: 8}\n"
    "bodies:\n"
    "  rod:\n"
    "    kind: beam\n"
    "    points: [[0, 0, 0], [1, 0, 0]]\n"
    "    elements: n\n"
    "    x_axis: [0, 1, 0]\n"
    "    damping: 0.2\n"
    "    section: {kind: rectangle, width: 0.01, height: 0.01, E: 1.2e9, rho: 1000}\n"
    "joints: {clamp: {kind: fixed, bodies: [ground, rod.start]}}\n"
    "forces:\n"
    "  turn: {kind: point-force, body: rod.end, torque: [0, 0, \"M*min(t, 1)\"]}\n"
    "  pull: {kind: point-force, body: rod.end, force: [\"F*min(t, 1)\", 0, 0]}\n"
    "simulate: {t_end: 2, rtol: 1e-4, atol: 1e-6}\n";

// EI = 1: a moment of 4 turns the tip by 4 rad.
static void beam_elements_that_turn_or_strain_too_much_are_doubtful(void)
{
    static char text[2048];
    snprintf(text, sizeof text, "%s", beam);
    char *n = strstr(text, "elements: n");
    n[10] = '8';
    CHECK(holds(text, "--set M=4", "turned", "beam-element 'rod"));
    CHECK_NEAR(value_of("turned"), 0.5, 0.1);
    n[10] = '2';
    CHECK(!holds(text, "--set M=4", "turned", "beam-element 'rod"));
    CHECK(holds(text, "--set M=4 --bounds 'turned<3'", "turned", "beam-element 'rod"));
    CHECK(holds(text, "--set F=5e3", "strain", "beam-element 'rod")); // 4 %
    CHECK(!holds(text, "--set F=-2e4", "strain", "beam-element 'rod"));
}

// Others ------------------------------------------------------------------------------------------

static const char far_away[] =
    "tenon: 1\n"
    "parameters: {X: 0}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {ball: {mass: 1e-3, inertia: [1e-10, 1e-10, 1e-10], com: [0, 3e-4, -4e-4], initial: "
    "{position: [0, X, 0]}}}\n"
    "joints: {pin: {kind: spherical, bodies: [ground, ball], at: [0, X, 0]}}\n"
    "simulate: {t_end: 0.1}\n";

static void round_off_of_far_places_that_adds_up_is_doubtful(void)
{
    const char *steps = "--method galpha/ggl@absolute --step 1e-5";
    char arguments[128];
    CHECK(holds(far_away, steps, "rounding", "round-off"));
    snprintf(arguments, sizeof arguments, "%s --set X=1e3", steps);
    CHECK(holds(far_away, arguments, "rounding", "round-off"));
    snprintf(arguments, sizeof arguments, "%s --set X=-2e7", steps);
    CHECK(!holds(far_away, arguments, "rounding", "round-off"));
    // Angles have no place.
    CHECK(holds(far_away, "--method dop853@joint --set X=2e7", "rounding", "round-off"));
}

static void friction_that_creeps_further_than_a_part_of_its_way_is_doubtful(void)
{
    static const char block[] =
        "tenon: 1\n"
        "parameters: {slow: 1e-3, gx: 3, v: 0}\n"
        "gravity: [gx, -9.81]\n"
        "bodies: {b: {kind: planar, mass: 1, inertia: 0.1, initial: {velocity: [v, 0]}}}\n"
        "joints: {s: {kind: prismatic, bodies: [ground, b], axis: [1, 0]}}\n"
        "forces: {dry: {kind: friction, joint: s, coulomb: 0.5, speed: slow}}\n"
        "simulate: {t_end: 20}\n";
    CHECK(!holds(block, "", "creep", "friction 'dry'")); // 15 mm down
    CHECK(holds(block, "--set slow=1e-5", "creep", "friction 'dry'"));
    CHECK(holds(block, "--set gx=6 --t-end 2", "creep", "friction 'dry'")); // it slides
    CHECK(holds(block, "--set gx=0 --set v=3", "creep", "friction 'dry'")); // and comes to rest
    CHECK(holds(block, "--set gx=0", "creep", "friction 'dry'"));
    CHECK(!holds("tenon: 1\n"
                 "gravity: [0, -9.81]\n"
                 "bodies: {arm: {kind: planar, mass: 1, inertia: 0.1, com: [0.3, 0]}}\n"
                 "joints: {pin: {kind: revolute, bodies: [ground, arm], at: [0, 0]}}\n"
                 "forces: {dry: {kind: friction, joint: pin, coulomb: 0.9, radius: 0.5, speed: "
                 "5e-3}}\n"
                 "simulate: {t_end: 10}\n",
                 "", "creep", "friction 'dry'"));
}

static void a_sampled_loop_that_grows_from_sample_to_sample_is_doubtful(void)
{
    static const char loop[] =
        "tenon: 1\n"
        "parameters: {T: 0.1}\n"
        "bodies: {b: {kind: planar, mass: 1, inertia: 1}}\n"
        "joints: {s: {kind: prismatic, bodies: [ground, b], axis: [1, 0], "
        "initial: {position: 0.01}}}\n"
        "sampled: {ctl: {every: T, next: {u: \"-100*s.displacement - 15*s.displacement.rate\"}}}\n"
        "forces: {m: {kind: motor, joint: s, effort: ctl.u}}\n"
        "simulate: {t_end: 5}\n";
    static const char toggles[] =
        "tenon: 1\n"
        "bodies: {b: {kind: planar, mass: 1, inertia: 1}}\n"
        "joints: {s: {kind: prismatic, bodies: [ground, b], axis: [1, 0]}}\n"
        "sampled:\n"
        "  pwm: {every: 0.01, next: {u: \"1 - pwm.u\", up: \"pwm.up + 1\"}}\n"
        "  fast: {every: 0.01, next: {u: \"sin(250*t)\"}}\n" // hardly more than two in a period
        "forces: {m: {kind: motor, joint: s, effort: \"pwm.u - 0.5 + fast.u\"}}\n"
        "simulate: {t_end: 3}\n";
    CHECK(holds(loop, "--set T=0.01", "sampling", "sampled system 'ctl'"));
    CHECK(holds(loop, "--set T=0.12", "sampling", "sampled system 'ctl'")); // rings, and calms down
    CHECK(!holds(loop, "--set T=0.15", "sampling", "sampled system 'ctl'"));
    CHECK(holds(toggles, "", "sampling", "sampled system"));
}

// What drives and forces exchange is far more than what is left of it.
static void energy_that_is_exchanged_without_any_left_is_what_the_balance_is_related_to(void)
{
    static const char *const methods[] = {"galpha/index3", "radau5/index3", "bdf/index3",
                                          "galpha/ggl",    "bdf/ggl",       "auto"};
    static const char text[] =
        "tenon: 1\n"
        "bodies: {a: {kind: planar, mass: 0, inertia: 0, initial: {position: [2, 0]}}}\n"
        "joints: {d: {kind: pose-drive, body: a, x: \"2 + sin(2*t)^2\", y: \"0.1*t\", yaw: 0}}\n"
        "forces:\n"
        "  s: {kind: spring, body: a, at_a: [0, 0], at_b: [2, 0], stiffness: 40, free: 2}\n"
        "  f: {kind: point-force, body: a, force: [\"-5*t\", 3, 0]}\n"
        "simulate: {t_end: 1}\n";
    for (int k = 0; k < TN_COUNT(methods); k++) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, "--method %s", methods[k]);
        CHECK(holds(text, arguments, "energy", "energy"));
    }
}

static void an_early_end_is_told_in_status_and_first_line(void)
{
    write_text("fall.yaml",
               "tenon: 1\n"
               "gravity: [0, -9.81]\n"
               "bodies: {b: {kind: planar, mass: 1, inertia: 1, initial: {position: [0, 1]}}}\n"
               "events: {floor: {body: b, axis: y, value: 0, stop: true}}\n"
               "simulate: {t_end: 5}\n");
    CHECK(tenon("run fall.yaml --out fall --force") == 0);
    CHECK(strstr(cli.out, "fall.yaml: ended by event 'floor' at t = 0.4515") == cli.out);
    CHECK(tenon("run fall.yaml --out fall --force --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "ended");
    tn_document_destroy(doc);
    CHECK(tenon("run fall.yaml --out fall --force --t-end 0.4 --json") == 0);
    doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "done");
    tn_document_destroy(doc);
    CHECK(tenon("run %s/models/cam_valve.yaml --set speed=260 --out cam --force", TN_SOURCE_DIR) ==
          0);
    CHECK(strstr(cli.out, "ended by event 'contact lifts off' at t = 0.0167") != NULL);
}

// Samples often come to a body at rest far from the origin: nothing but round-off moves it.
static void a_body_at_rest_far_away_ends_no_run(void)
{
    CHECK(holds("tenon: 1\n"
                "bodies: {p: {kind: point, mass: 1, initial: {position: [1e7, 0, 0]}}}\n"
                "sampled: {c: {every: 1e-4, next: {n: c.n + 1}}}\n"
                "simulate: {method: radau5, t_end: 1}\n",
                "", "rounding", "round-off"));
    write_text("dry.yaml",
               "tenon: 1\n"
               "gravity: [0, -9.81, 0]\n"
               "bodies: {rod: {kind: planar, mass: 1e-3, inertia: 1e-10, com: [5e-4, 0], initial: "
               "{position: [1e7, 0]}}}\n"
               "joints: {pin: {kind: revolute, bodies: [ground, rod], at: [1e7, 0]}}\n"
               "forces: {dry: {kind: friction, joint: pin, coulomb: 0.2, radius: 1e-4, speed: "
               "1e-5}}\n"
               "simulate: {method: radau5/ggl@absolute, t_end: 0.2}\n");
    const int code = tenon("run dry.yaml --out dry --force --quiet");
    printf("dry: %d\n%s", code, cli.err);
    CHECK(code == 3 || code == 5); // never done, whatever rounding makes of it
}

// Two rods of a millimetre with dry friction at ten thousand kilometres: whatever a method makes of
// it, a run that does not end done says that places have round-off there.
static void what_is_lost_in_round_off_is_told_as_such(void)
{
    static const char *const arguments[] = {"", "--method radau5/ggl@absolute",
                                            "--method galpha/ggl@absolute --step 1e-5",
                                            "--method bdf/ggl@absolute"};
    write_text("far.yaml",
               "tenon: 1\n"
               "parameters: {X: 1e7}\n"
               "gravity: [0, -9.81, 0]\n"
               "bodies:\n"
               "  rod: {kind: planar, mass: 1e-3, inertia: 1e-10, com: [5e-4, 0],\n"
               "        initial: {position: [X, 0]}}\n"
               "  b: {kind: planar, mass: 1e-3, inertia: 1e-10, com: [5e-4, 0],\n"
               "      initial: {position: [X + 1e-3, 0]}}\n"
               "joints:\n"
               "  pin: {kind: revolute, bodies: [ground, rod], at: [X, 0]}\n"
               "  elbow: {kind: revolute, bodies: [rod, b], at: [X + 1e-3, 0]}\n"
               "forces: {dry: {kind: friction, joint: pin, coulomb: 0.2, radius: 1e-4, speed: "
               "1e-5}}\n"
               "simulate: {t_end: 0.2}\n");
    for (int k = 0; k < TN_COUNT(arguments); k++) {
        const int code = tenon("run far.yaml --no-results %s", arguments[k]);
        printf("%s: %d\n%s", arguments[k], code, cli.err);
        CHECK(code == 3 || code == 5);
        CHECK(strstr(cli.err, "round-off of positions") ||
              strstr(cli.err, "round-off of their places"));
        CHECK(strstr(cli.err, "put the origin near the model"));
    }
}

// What a step may pass over, and what would see it: shorter steps, a bound of them.
static void what_steps_may_pass_over_is_doubtful(void)
{
    static const char bounce[] =
        "tenon: 1\n"
        "bodies: {b: {kind: planar, mass: 1, inertia: 1}}\n"
        "joints: {j: {kind: prismatic, body: b, axis: [1, 0], initial: {rate: 1}}}\n"
        "forces: {f: {kind: joint-stop, joint: j, upper: 0.5, lower: -0.5, stiffness: 1e6}}\n"
        "simulate: {method: galpha/ggl, t_end: 1}\n";
    static const char spins[] =
        "tenon: 1\n"
        "bodies: {b: {mass: 1, inertia: [1, 1, 1], initial: {rate: [0, 0, 1e8]}}}\n"
        "joints: {j: {kind: revolute, body: b, at: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "events: {e: {joint: j, value: 0.3}}\n"
        "simulate: {method: galpha/index1@joint, t_end: 0.01}\n";
    static const char pulses[] =
        "tenon: 1\n"
        "bodies: {b: {kind: planar, mass: 1, inertia: 1}}\n"
        "joints: {j: {kind: revolute, body: b, at: [0, 0]}}\n"
        "forces: {f: {kind: motor, joint: j, effort: 'exp(-((sin(10*t))/0.1)^2)'}}\n"
        "simulate: {method: dop853, t_end: 100, bounds: 'energy<1'}\n";
    CHECK(!holds(bounce, "--step 1e-3", "missed", "a contact of force 'f'"));
    CHECK(value_of("missed") > 1.0 && value_of("missed") < 10.0);
    CHECK(holds(bounce, "--step 1e-4", "missed", "a contact of force 'f'"));
    CHECK(!holds(spins, "--step 1e-3", "missed", "an event or a contact"));
    CHECK(holds(spins, "--step 1e-5", "missed", "an event or a contact"));
    CHECK(!holds(pulses, "", "missed", "a pulse of a function of time"));
    CHECK(holds(pulses, "--step-max 2e-3", "missed", "a pulse of a function of time"));
}

static const tn_test tests[] = {
    {"what a modal body leaves out is that of the elastica",
     what_a_modal_body_leaves_out_is_that_of_the_elastica},
    {"deflections that no attachment sees count too",
     deflections_that_no_attachment_sees_count_too},
    {"stretch of a modal body is judged", stretch_of_a_modal_body_is_judged},
    {"bushings and frame laws beyond half a turn are doubtful",
     bushings_and_frame_laws_beyond_half_a_turn_are_doubtful},
    {"a bushing that leaves turns free has no limit",
     a_bushing_that_leaves_turns_free_has_no_limit},
    {"beam elements that turn or strain too much are doubtful",
     beam_elements_that_turn_or_strain_too_much_are_doubtful},
    {"round-off of far places that adds up is doubtful",
     round_off_of_far_places_that_adds_up_is_doubtful},
    {"friction that creeps further than a part of its way is doubtful",
     friction_that_creeps_further_than_a_part_of_its_way_is_doubtful},
    {"a sampled loop that grows from sample to sample is doubtful",
     a_sampled_loop_that_grows_from_sample_to_sample_is_doubtful},
    {"energy that is exchanged without any left is what the balance is related to",
     energy_that_is_exchanged_without_any_left_is_what_the_balance_is_related_to},
    {"an early end is told in status and first line",
     an_early_end_is_told_in_status_and_first_line},
    {"a body at rest far away ends no run", a_body_at_rest_far_away_ends_no_run},
    {"what steps may pass over is doubtful", what_steps_may_pass_over_is_doubtful},
    {"what is lost in round-off is told as such", what_is_lost_in_round_off_is_told_as_such},
};

int main(int argc, char **argv)
{
    enter_scratch("verdict_theory");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
