// SPDX-License-Identifier: MIT
//
// The verdict on a run: motions that are broken in one way or another are doubtful or end at once,
// with what, where and when; those that are not are done. Exit codes, bounds by name, and that what
// is stored is what is judged. Healthy runs by the hundred are in test_verdict_sweep.c.

#include "cli_driver.h"

#include "sim/sim.h"
#include "tenon/tenon.h"

#include <math.h>

// Torn by hand ------------------------------------------------------------------------------------

// A rod of `length` that swings about a pin; its gravity is such that all times are the same.
static tn_model *rod(double length)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, -9.81 * length, 0.0));
    tn_body_def body = tn_default_body();
    body.name = "rod";
    body.kind = TN_BODY_PLANAR;
    body.com.x = 0.5 * length;
    body.inertia.z = length * length / 12.0;
    tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
    pin.name = "pin";
    pin.body_b = tn_model_add_body(model, &body);
    tn_model_add_joint(model, &pin);
    CHECK_OK(tn_model_status(model));
    return model;
}

// Moves the rod off its pin by a part of its length, once, after half a second; the formulation
// does not bring it back.
typedef struct tear {
    double by;
    bool done;
} tear;

static tn_status pull(void *user, tn_sim *sim)
{
    tear *t = user;
    if (t->done || tn_sim_time(sim) < 0.5)
        return TN_OK;
    sim->start.x.q[0] += t->by / sim->start.sys->units.length;
    sim->stepper.moved = true;
    sim->stepper.known = false;
    t->done = true;
    return TN_OK;
}

static tn_status run_torn(double length, double part, const char *bounds, tn_verdict *v)
{
    tn_model *model = rod(length);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    tear t = {.by = part * length};
    options.method = "dopri5/index1@absolute";
    options.atol = 1e-8 * fmin(1.0, length);
    options.bounds = bounds;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    const tn_status status = tn_sim_run(sim, 1.0, pull, &t);
    tn_sim_verdict(sim, v);
    CHECK_NEAR(v->length, length, 1e-12 * length);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return status;
}

static const tn_judged *judged(const tn_verdict *v, const char *quantity)
{
    for (int k = 0; k < v->count; k++)
        if (!strcmp(v->judged[k].quantity, quantity))
            return &v->judged[k];
    CHECK(false);
    return NULL;
}

// Gives the rod a part of its speed, once, after half a second, as a step that failed might.
static tn_status kick(void *user, tn_sim *sim)
{
    tear *t = user;
    if (t->done || tn_sim_time(sim) < 0.5)
        return TN_OK;
    for (int i = 0; i < sim->start.sys->nv; i++)
        sim->start.x.v[i] *= 1.0 + t->by;
    sim->stepper.moved = true;
    sim->stepper.known = false;
    t->done = true;
    return TN_OK;
}

static tn_outcome run_kicked(double by)
{
    tn_model *model = rod(1.0);
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    tn_verdict v;
    tear t = {.by = by};
    options.method = "dopri5/index1@absolute";
    options.step = 2e-3;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 1.0, kick, &t));
    tn_sim_verdict(sim, &v);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return v.outcome;
}

static void a_jump_of_the_energy_does_not_raise_its_own_bound(void)
{
    CHECK(run_kicked(0.0) == TN_OUTCOME_DONE);
    CHECK(run_kicked(0.01) == TN_OUTCOME_DOUBTFUL);
    CHECK(run_kicked(0.03) == TN_OUTCOME_DOUBTFUL);
}

static void a_joint_off_by_a_part_of_the_mechanism_is_doubtful_in_any_units(void)
{
    static const double lengths[] = {1.0, 1e-6, 1e6};
    tn_verdict v;
    for (int k = 0; k < TN_COUNT(lengths); k++) {
        CHECK_OK(run_torn(lengths[k], 0.0, "", &v));
        CHECK(v.outcome == TN_OUTCOME_DONE);
        CHECK_OK(run_torn(lengths[k], 0.05, "", &v));
        CHECK(v.outcome == TN_OUTCOME_DOUBTFUL);
        const tn_judged *g = judged(&v, "g");
        printf("length %g m: %g, bound %g; %s\n", lengths[k], g->value, g->bound, g->text);
        CHECK(g->doubtful && g->value > 0.045 && g->value < 0.1 && g->bound < 0.01);
        CHECK(g->t >= 0.5 && strstr(g->where, "joint 'pin', row x") != NULL);
        CHECK(strstr(g->text, "joint 'pin', row x is open by") != NULL);
        CHECK(strstr(g->text, "+project") != NULL); // what to try
        CHECK(!judged(&v, "start")->doubtful);
    }
}

static void a_joint_torn_apart_ends_the_run_with_time_joint_and_residual(void)
{
    tn_verdict v;
    CHECK_STATUS(run_torn(2.0, 0.4, "", &v), TN_ERR_NUMERIC);
    CHECK(v.outcome == TN_OUTCOME_FAILED);
    CHECK(strstr(tn_last_error(), "at t = 0.5") != NULL);
    CHECK(strstr(tn_last_error(), "joint 'pin', row x is open by 0.8 m, 0.4 of the size") != NULL);
    CHECK_OK(run_torn(2.0, 0.4, "joints<1", &v)); // the bound can be widened
    CHECK(v.outcome == TN_OUTCOME_DOUBTFUL);
    CHECK_OK(run_torn(2.0, 0.05, " g < 1, rows<1 ,Bv<10,energy<1", &v));
    CHECK(v.outcome == TN_OUTCOME_DONE);
    CHECK_STATUS(run_torn(2.0, 0.01, "joints<0.001", &v), TN_ERR_NUMERIC); // or narrowed
}

// By the command ----------------------------------------------------------------------------------

// A vibration of 200 Hz by steps of 10 ms: the method damps what it cannot follow.
static const char vibration[] =
    "tenon: 1\n"
    "bodies:\n"
    "  m: {kind: point, mass: 1, initial: {position: [0.1, 0, 0]}}\n"
    "joints:\n"
    "  rail: {kind: point-on-line, body: m, axis: [1, 0, 0]}\n"
    "forces:\n"
    "  spring: {kind: joint-spring, joint: rail, stiffness: 1.6e6, free: 0}\n"
    "simulate: {method: hht/ggl, t_end: 2, step: 0.01, output: steps}\n";

static const tn_node *doubt(const tn_document *doc, const char *quantity)
{
    const tn_node *list = json_at(doc, "doubts");
    CHECK(list != NULL);
    for (int i = 0; i < list->count; i++)
        if (!strcmp(tn_node_get(list->children[i], "quantity")->text, quantity))
            return list->children[i];
    return NULL;
}

static void energy_that_is_lost_is_doubtful(void)
{
    write_text("vibration.yaml", vibration);
    CHECK(tenon("run vibration.yaml --out v --force") == 5);
    CHECK(strstr(cli.out, "vibration.yaml: doubtful") != NULL);
    CHECK(strstr(cli.out, "doubtful           energy ") != NULL);
    CHECK(strstr(cli.err, "tenon: doubtful: the energy balance is off by") != NULL);
    CHECK(strstr(cli.err, "try a smaller step") != NULL);
    CHECK(tenon("run vibration.yaml --out v --force --json") == 5);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "doubtful");
    CHECK(doubt(doc, "energy") != NULL && doubt(doc, "g") == NULL);
    CHECK(strstr(tn_node_get(doubt(doc, "energy"), "text")->text, "bound 0.1") != NULL);
    tn_document_destroy(doc);
    CHECK(tenon("run vibration.yaml --out v --force --quiet --step 1e-5 --t-end 0.05") == 0);
    CHECK(strstr(cli.err, "doubtful") == NULL);
}

static void check_along_and_compare_tell_doubts_too(void)
{
    write_text("vibration.yaml", vibration);
    CHECK(tenon("check vibration.yaml --along --json") == 5);
    CHECK(strstr(cli.err, "doubtful: the energy balance is off by") != NULL);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "along.status"), "doubtful");
    CHECK(strstr(json_text(doc, "along.reason"), "the energy balance") != NULL);
    tn_document_destroy(doc);
    CHECK(tenon("compare vibration.yaml --methods hht/ggl --steps 0.01,1e-5 --t-end 0.1") == 0);
    CHECK(strstr(cli.out, "Doubtful runs (?)\nhht/ggl h 0.01: the energy balance is off") != NULL);
    CHECK(strstr(cli.out, "hht/ggl h 1e-05:") == NULL);
}

static void no_end_comes_before_a_requirement_before_a_doubt(void)
{
    write_text("vibration.yaml", vibration);
    CHECK(tenon("run vibration.yaml --out v --force --quiet --require 'energy<2'") == 5);
    CHECK(tenon("run vibration.yaml --out v --force --quiet --require 'energy<0.01'") == 4);
    CHECK(strstr(cli.err, "doubtful: ") && strstr(cli.err, "required energy < 0.01"));
    CHECK(tenon("run vibration.yaml --out v --force --quiet --require 'energy<0.01' "
                "--bounds 'energy<2'") == 4);
    CHECK(tenon("run vibration.yaml --out v --force --quiet --bounds 'energy<2'") == 0);
    CHECK(strstr(cli.err, "doubtful") == NULL);
}

static void bounds_stand_in_the_model_too_and_unknown_ones_are_refused(void)
{
    static char text[4096];
    snprintf(text, sizeof text, "%.*s, bounds: 'energy<1.5'}\n", (int)strlen(vibration) - 2,
             vibration);
    write_text("wide.yaml", text);
    CHECK(tenon("run wide.yaml --out w --force --quiet") == 0);
    CHECK(tenon("run wide.yaml --out w --force --quiet --bounds 'energy<0.5'") == 5);
    CHECK(tenon("run wide.yaml --out w --force --bounds 'energi<0.5'") == 1);
    CHECK(strstr(cli.err, "unknown quantity 'energi'; did you mean 'energy'?") != NULL);
    CHECK(tenon("run wide.yaml --out w --force --bounds 'g<-1'") == 1);
    CHECK(strstr(cli.err, "expected a number that is not negative") != NULL);
    CHECK(tenon("run wide.yaml --out w --force --bounds 'g=1'") == 1);
    CHECK(strstr(cli.err, "expected NAME<VALUE") != NULL);
    snprintf(text, sizeof text, "%.*s, bounds: 'joint<1'}\n", (int)strlen(vibration) - 2,
             vibration);
    write_text("wrong.yaml", text);
    CHECK(tenon("check wrong.yaml") == 2);
    CHECK(strstr(cli.err, "wrong.yaml:8") && strstr(cli.err, "did you mean 'joints'?"));
}

static void a_structure_at_rest_has_no_balance_to_doubt(void)
{
    write_text("rest.yaml",
               "tenon: 1\n"
               "gravity: [0, 0, -9.81]\n"
               "bodies:\n"
               "  b: {mass: 1, inertia: [0.1, 0.12, 0.14], com: [0.1, 0.02, 0]}\n"
               "joints:\n"
               "  j: {kind: revolute, bodies: [ground, b], at: [0,0,0], axis: [1,0,0]}\n"
               "  l: {kind: distance, bodies: [ground, b], at_a: [0,0.3,1], at_b: [0,0.5,0]}\n");
    static const char *const methods[] = {"auto", "galpha/ggl@absolute", "radau5/ggl@absolute",
                                          "variational", "bdf/index2@absolute"};
    for (int k = 0; k < TN_COUNT(methods); k++)
        CHECK(tenon("run rest.yaml --out r --force --quiet --method %s --require 'energy<1e-6'",
                    methods[k]) == 0);
}

// Velocities of index 3 are differences of positions: round-off of these by the step.
static void velocities_that_are_round_off_of_positions_are_no_motion(void)
{
    static const char *const methods[] = {"radau5/index3@director", "bdf/index3@director",
                                          "galpha/index3@director"};
    write_text("still.yaml",
               "tenon: 1\n"
               "bodies:\n"
               "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
               "  c: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1.3, 0.4]}}\n"
               "joints:\n"
               "  j: {kind: revolute, bodies: [ground, b], at: [0, 0]}\n"
               "  k: {kind: revolute, bodies: [b, c], at: [1, 0]}\n");
    for (int k = 0; k < TN_COUNT(methods); k++)
        CHECK(tenon("run still.yaml --out still --force --quiet --method %s --step 1e-3 --t-end 1 "
                    "--require 'energy<1e-6'",
                    methods[k]) == 0);
}

// Equilibria but for the last digits of their data: what is left of motion is below the tolerance.
static void motions_below_the_tolerance_have_no_balance_to_doubt(void)
{
    static const char *const forces[] = {
        "{kind: joint-spring, joint: p, stiffness: 777, free: 0.0416640}",
        "{kind: joint-stop, joint: p, stiffness: 3.3e5, lower: 9.82e-5}",
        "{kind: joint-stop, joint: p, stiffness: 3.3e5, lower: 9.82e-5, damping: 2}"};
    static const char *const methods[] = {"auto", "radau5", "dopri5", "adams", "bdf"};
    for (int k = 0; k < TN_COUNT(forces) * TN_COUNT(methods); k++) {
        static char text[1024];
        snprintf(text, sizeof text,
                 "tenon: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  a: {mass: 3.3, inertia: [1, 1, 1]}\n"
                 "joints:\n"
                 "  p: {kind: prismatic, body: a, axis: [0, 0, 1]}\n"
                 "forces:\n"
                 "  s: %s\n"
                 "simulate: {t_end: 2}\n",
                 forces[k % 3]);
        write_text("balanced.yaml", text);
        CHECK(tenon("run balanced.yaml --out balanced --force --quiet --method %s",
                    methods[k / 3]) == 0);
        // A bound that is stated is taken at its word.
        if (k == 3)
            CHECK(tenon("run balanced.yaml --out balanced --force --quiet --method radau5 "
                        "--bounds 'energy<1e-3'") == 5);
    }
}

// Bodies are stated where the joints have their frames, and moved by the angles: no doubt.
static void a_tree_stated_by_joint_angles_is_not_doubtful(void)
{
    write_text("angles.yaml",
               "tenon: 1\n"
               "bodies:\n"
               "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
               "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1.5, 0]}}\n"
               "joints:\n"
               "  p: {kind: revolute, body: a, at: [0, 0], initial: {position_deg: 90}}\n"
               "  q: {kind: revolute, bodies: [a, b], at: [1, 0], "
               "initial: {position_deg: 60}}\n");
    CHECK(tenon("run angles.yaml --t-end 0.1 --out angles --force --quiet") == 0);
}

static void fixed_steps_within_which_a_body_turns_far_are_told(void)
{
    write_text("rotor.yaml",
               "tenon: 1\n"
               "bodies: {rotor: {kind: planar, mass: 1, inertia: 1}}\n"
               "joints:\n"
               "  axle: {kind: revolute, body: rotor, at: [0, 0], initial: {rate: 200}}\n");
    CHECK(tenon("run rotor.yaml --method galpha/ggl --step 0.01 --t-end 0.1 --out rotor --force "
                "--quiet") == 0);
    CHECK(strstr(cli.err, "a body turns by 2 rad within a fixed step of 0.01 s") != NULL);
    CHECK(tenon("run rotor.yaml --method galpha/ggl --step 0.005 --t-end 0.1 --out rotor --force "
                "--quiet") == 0);
    CHECK_TEXT(cli.err, "");
}

static void write_rotor(const char *joint)
{
    static char text[1024];
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "bodies: {a: {mass: 1, inertia: [1e-3, 1e-3, 2e-3], "
             "initial: {rate: [0, 0, 1000]}}}\n"
             "joints:\n"
             "  A: {kind: %s}\n"
             "simulate: {t_end: 1, output: 0.02}\n",
             joint);
    write_text("spin.yaml", text);
}

// Energy that is off by a thousandth moves the angle of a wheel by a radian in 160 turns; and that
// which is off by hundredths is not what a tolerance of 1e-6 asks for.
static void fast_directors_are_doubtful_where_errors_of_many_steps_lose_their_angle(void)
{
    write_rotor("revolute, body: a, at: [0, 0, 0], axis: [0, 0, 1]");
    CHECK(tenon("run spin.yaml --method bdf/ggl@director --out spin --force --quiet") == 5);
    CHECK(strstr(cli.err, "doubtful: the energy balance is off by") != NULL);
    CHECK(tenon("run spin.yaml --method bdf/ggl@director --out spin --force --quiet --rtol 1e-8 "
                "--t-end 0.3") == 0);
    CHECK(tenon("run spin.yaml --method bdf/ggl@absolute --out spin --force --quiet") == 0);
    CHECK(tenon("run spin.yaml --method dop853@director --out spin --force --json") == 0);
}

// Energy is kept, and so are rates; only the angles are wrong.
static void fixed_steps_that_turn_rotations_too_slowly_are_doubtful(void)
{
    static const struct {
        const char *joint, *method;
        int code[3]; // with steps of 2 rad, 0.5 rad and 0.1 rad
    } runs[] = {
        {"revolute, body: a, at: [0, 0, 0], axis: [0, 0, 1]", "bdf/ggl@absolute", {5, 5, 0}},
        {"revolute, body: a, at: [0, 0, 0], axis: [0, 0, 1]", "bdf/ggl@joint", {0, 0, 0}},
        {"revolute, body: a, at: [0, 0, 0], axis: [0, 0, 1]", "galpha/ggl@absolute", {0, 0, 0}},
        {"revolute, body: a, at: [0, 0, 0], axis: [0, 0, 1]", "energy-momentum", {5, 5, 0}},
        {"spherical, body: a, at: [0, 0, 0]", "bdf/ggl@joint", {5, 5, 0}},
        {"spherical, body: a, at: [0, 0, 0]", "radau5/ggl@joint", {0, 0, 0}},
    };
    static const char *const steps[] = {"2e-3", "5e-4", "1e-4"};
    for (int k = 0; k < TN_COUNT(runs); k++)
        for (int i = 0; i < TN_COUNT(steps); i++) {
            write_rotor(runs[k].joint);
            const int code = tenon("run spin.yaml --method %s --step %s --t-end 0.2 --out spin "
                                   "--force --quiet",
                                   runs[k].method, steps[i]);
            printf("%s, %s: %d\n", runs[k].method, steps[i], code);
            CHECK(code == runs[k].code[i]);
            CHECK((strstr(cli.err, " are off by about ") != NULL) == (code == 5));
        }
    write_rotor(runs[0].joint);
    CHECK(tenon("run spin.yaml --method bdf/ggl@absolute --step 5e-4 --t-end 0.2 --out spin "
                "--force --quiet --bounds 'turn<0.1'") == 0);
}

static void a_body_that_assembly_moves_far_from_where_it_is_stated_is_doubtful(void)
{
    write_text("far.yaml",
               "tenon: 1\n"
               "gravity: [0, -9.81, 0]\n"
               "bodies:\n"
               "  rod: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [40, 0]}}\n"
               "joints:\n"
               "  pin: {kind: revolute, bodies: [ground, rod], frame_a: {at: [0, 0]}, "
               "frame_b: {at: [-0.5, 0]}}\n");
    CHECK(tenon("run far.yaml --out far --force --quiet") == 5);
    CHECK(strstr(cli.err, "the start has moved body 'rod' by") != NULL);
    CHECK(tenon("run far.yaml --out far --force --quiet --bounds 'start<100'") == 0);
}

// The largest number of a column of a table, by its head.
static double largest_in(const char *path, const char *head)
{
    static char text[CLI_TEXT_SIZE];
    int column = 0;
    double most = 0.0;
    read_text(path, text);
    const char *at = strstr(text, head); // with the comma before it
    CHECK(at != NULL);
    for (const char *c = text; c <= at; c++)
        column += *c == ',';
    for (char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        const char *c = line + 1;
        for (int k = 0; k < column; k++)
            c = strchr(c, ',') + 1;
        most = fmax(most, fabs(strtod(c, NULL)));
    }
    return most;
}

static void what_is_stored_is_what_is_judged(void)
{
    static const char *const methods[] = {"auto", "dopri5/index1@absolute", "bdf/ggl@absolute",
                                          "bdf/index2@absolute", "galpha/index3@absolute"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tenon("run %s --method %s --rtol 1e-4 --atol 1e-6 --t-end 1 --output 0.0123 --csv "
              "--out stored --force --json",
              tn_test_path("models/fourbar.yaml"), methods[k]);
        CHECK(cli.code == 0);
        tn_document *doc = json_of(cli.out);
        const double g = json_number(doc, "residuals.g"), Bv = json_number(doc, "residuals.Bv");
        const double balance = json_number(doc, "energy.max_balance");
        tn_document_destroy(doc);
        CHECK(largest_in("stored/result.csv", ",residuals.g") <= g * (1.0 + 1e-12));
        CHECK(largest_in("stored/result.csv", ",residuals.gdot") <= Bv * (1.0 + 1e-12));
        CHECK(largest_in("stored/result.csv", ",energy.balance") <= balance * (1.0 + 1e-12));
    }
}

// A wheel that a motor turns round within a step of a second: its turns between the ends of steps
// are counted by the motion, not by its rate at the start alone.
static void rows_of_long_steps_keep_the_turns_of_wheels_that_speed_up(void)
{
    static const char *const methods[] = {"dop853/index1@joint", "radau5/ggl@absolute",
                                          "dopri5/index1+project@absolute"};
    write_text("wheels.yaml",
               "tenon: 1\n"
               "bodies:\n"
               "  w1: {kind: planar, mass: 1, inertia: 1}\n"
               "  w2: {kind: planar, mass: 1, inertia: 1, initial: {position: [1, 0]}}\n"
               "joints:\n"
               "  s1: {kind: revolute, body: w1, at: [0, 0], initial: {rate: -20}}\n"
               "  s2: {kind: revolute, body: w2, at: [1, 0]}\n"
               "  mesh: {kind: gear, joint_1: s1, joint_2: s2, ratio_1: 20, ratio_2: 60}\n"
               "forces:\n"
               "  motor: {kind: motor, joint: s1, effort: 20}\n"
               "simulate: {t_end: 4, output: 0.01}\n");
    for (int k = 0; k < TN_COUNT(methods); k++) {
        CHECK(tenon("run wheels.yaml --method %s --csv --out wheels --force --json", methods[k]) ==
              0);
        tn_document *doc = json_of(cli.out);
        printf("%s: steps up to %g s\n", methods[k], json_number(doc, "step"));
        CHECK(json_number(doc, "step") > 0.3 && json_number(doc, "residuals.g") < 1e-4);
        CHECK(json_number(doc, "energy.relative") < 1e-5);
        tn_document_destroy(doc);
        CHECK(largest_in("wheels/result.csv", ",residuals.g") < 1e-4); // a turn is 120
    }
}

// The motion is exact at any step, the power of the drives goes up and down many times within one.
static void works_of_drives_are_as_accurate_as_the_motion_however_long_the_steps(void)
{
    static const char *const methods[] = {"auto", "radau5@joint", "bdf@joint", "bdf/index3@joint",
                                          "dopri5@absolute"};
    static const char *const rates[] = {"5", "60"};
    for (int k = 0; k < TN_COUNT(methods) * TN_COUNT(rates); k++) {
        static char text[1024];
        snprintf(text, sizeof text,
                 "tenon: 1\n"
                 "gravity: [0, -9.81, 0]\n"
                 "bodies:\n"
                 "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
                 "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1.5, 0]}}\n"
                 "joints:\n"
                 "  p: {kind: revolute, bodies: [ground, a], at: [0, 0]}\n"
                 "  q: {kind: revolute, bodies: [a, b], at: [1, 0]}\n"
                 "  d: {kind: drive, joint: p, motion: '%s*t', impulse: true}\n"
                 "  e: {kind: drive, joint: q, motion: '-8*t', impulse: true}\n"
                 "simulate: {t_end: 3, output: 0.05}\n",
                 rates[k % 2]);
        write_text("arm.yaml", text);
        CHECK(tenon("run arm.yaml --method %s --csv --out arm --force --json", methods[k / 2]) ==
              0);
        tn_document *doc = json_of(cli.out);
        const double initial = json_number(doc, "energy.initial");
        CHECK(json_number(doc, "energy.relative") < 1e-5);
        tn_document_destroy(doc);
        // Within the steps too.
        CHECK(largest_in("arm/result.csv", ",energy.balance") < 1e-4 * initial);
    }
}

// All energy comes and goes within one step.
static void a_drive_from_rest_to_rest_is_not_judged_by_the_rest(void)
{
    static const char *const methods[] = {"auto", "radau5", "dop853", "dopri5", "bdf"};
    write_text("slide.yaml", "tenon: 1\n"
                             "bodies:\n"
                             "  a: {kind: planar, mass: 1, inertia: 1}\n"
                             "joints:\n"
                             "  p: {kind: prismatic, body: a, axis: [1, 0]}\n"
                             "  d: {kind: drive, joint: p, motion: 'step(t,2,0,2.1,1)'}\n"
                             "simulate: {t_end: 10, output: 0.01}\n");
    for (int k = 0; k < TN_COUNT(methods); k++) {
        CHECK(tenon("run slide.yaml --method %s --csv --out slide --force --quiet", methods[k]) ==
              0);
        CHECK_NEAR(largest_in("slide/result.csv", ",a.position.x"), 1.0, 1e-9);
        CHECK(largest_in("slide/result.csv", ",energy.kinetic") > 100.0);
        CHECK(largest_in("slide/result.csv", ",energy.balance") < 1e-3);
    }
}

// Positions hold at nodes: of the first steps from rest no speed is resolved.
static void rates_of_the_first_steps_count_by_the_speeds_that_follow(void)
{
    CHECK(tenon("run %s --method energy-momentum/multiplier --t-end 1 --no-results --quiet",
                tn_test_path("models/beams/spin_up.yaml")) == 0);
}

static void rows_tell_the_step_they_lie_in_and_events_are_in_order_of_time(void)
{
    write_text("order.yaml",
               "tenon: 1\n"
               "bodies:\n"
               "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {velocity: [1, 0, 0]}}\n"
               "events:\n"
               "  late: {body: b, axis: x, value: 0.9}\n"
               "  early: {body: b, axis: x, value: 0.2}\n"
               "simulate: {method: radau5, t_end: 1, step: 0.25, output: 0.05}\n");
    CHECK(tenon("run order.yaml --out order --force --csv --json") == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *events = json_at(doc, "events");
    CHECK(events && events->count == 2);
    CHECK_TEXT(tn_node_get(events->children[0], "name")->text, "early");
    CHECK_TEXT(tn_node_get(events->children[1], "name")->text, "late");
    tn_document_destroy(doc);
    static char text[CLI_TEXT_SIZE];
    read_text("order/result.csv", text);
    int rows = 0;
    for (char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n'), rows++)
        CHECK_NEAR(strtod(strchr(line, ',') + 1, NULL), rows ? 0.25 : 0.0, 1e-12);
    CHECK(rows == 21);
}

// A crank that a drive turns fast takes steps of any length; the work of the drive goes up and down
// thousands of times within one. That is not the fault of the motion, but nobody has judged it.
static void works_that_are_not_resolved_are_told(void)
{
    static const double longest[] = {0.0, 0.02};
    for (int k = 0; k < TN_COUNT(longest); k++) {
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_verdict verdict;
        tn_sim_options options = tn_default_sim();
        options.method = "dop853@joint";
        options.step_max = longest[k];
        CHECK_OK(tn_model_parse("tenon: 1\n"
                                "gravity: [0, -1e9, 0]\n"
                                "bodies:\n"
                                "  rod: {kind: planar, mass: 1, inertia: 1e-3, initial: {position: "
                                "[0.5, 0]}}\n"
                                "joints:\n"
                                "  pin: {kind: revolute, body: rod, at: [0, 0]}\n"
                                "  d: {kind: drive, joint: pin, motion: 3000*t}\n",
                                "fast.yaml", &model, NULL));
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, k == 0 ? 10.0 : 0.2, NULL, NULL));
        tn_sim_verdict(sim, &verdict);
        CHECK(verdict.outcome == TN_OUTCOME_DONE);
        CHECK(tn_test_has_note(sim, "the energy balance is not judged") == (k == 0));
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Before t = 0 atan2 is -pi there: methods that look back from the start would be pushed.
static void nothing_is_asked_before_the_start(void)
{
    static const char *const methods[] = {"galpha/ggl@joint", "galpha/ggl@absolute", "hht/index3"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        write_text("start.yaml", "tenon: 1\n"
                                 "bodies:\n"
                                 "  a: {mass: 1, inertia: [1, 1, 1]}\n"
                                 "joints:\n"
                                 "  A: {kind: revolute, body: a, at: [0, 0, 0], axis: [0, 0, 1]}\n"
                                 "forces:\n"
                                 "  m: {kind: motor, joint: A, effort: 'atan2(0*t,0*t)'}\n"
                                 "simulate: {t_end: 0.1, output: 0.01}\n");
        CHECK(tenon("run start.yaml --method %s --csv --out start --force", methods[k]) == 0);
        CHECK(largest_in("start/result.csv", ",A.angle.rate") == 0.0);
    }
}

// Speeds of 1e-85 rad/s are none beside those that the mechanism may have.
static void energies_below_round_off_of_the_model_are_none(void)
{
    static const char *const methods[] = {"bdf/ggl", "dop853@joint", "galpha/ggl"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        write_text("tiny.yaml", "tenon: 1\n"
                                "bodies:\n"
                                "  a: {mass: 1, inertia: [1, 1, 1]}\n"
                                "joints:\n"
                                "  A: {kind: revolute, body: a, at: [0, 0, 0], axis: [0, 0, 1], "
                                "initial: {rate: 1e-85}}\n"
                                "forces:\n"
                                "  s: {kind: joint-spring, joint: A, stiffness: 100}\n"
                                "simulate: {t_end: 1, output: 0.1}\n");
        CHECK(tenon("run tiny.yaml --method %s --out tiny --force --json", methods[k]) == 0);
        tn_document *doc = json_of(cli.out);
        CHECK(json_number(doc, "energy.relative") == 0.0);
        tn_document_destroy(doc);
    }
}

// A step that is taken again, up to where the stop lets go, begins with the powers that it began
// with at first; and its work is found though k p^1.5 has few derivatives there.
static void works_of_stops_that_let_go_are_as_accurate_as_the_motion(void)
{
    static const char *const methods[] = {"dop853/index1+project@joint", "radau5/ggl@absolute"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_ledger ledger;
        tn_sim_options options = tn_default_sim();
        options.method = methods[k];
        options.rtol = options.atol = 1e-11;
        CHECK_OK(
            tn_model_parse("tenon: 1\n"
                           "bodies:\n"
                           "  block: {kind: planar, mass: 3, inertia: 0.1}\n"
                           "joints:\n"
                           "  rail: {kind: prismatic, body: block, at: [0, 0], axis: [1, 0]}\n"
                           "  d: {kind: drive, joint: rail, motion: -t-0.3*sin(2*t)}\n"
                           "forces:\n"
                           "  s: {kind: joint-stop, joint: rail, upper: -0.2, stiffness: 3000, "
                           "damping: 0.1, exponent: 1.5}\n",
                           "stop.yaml", &model, NULL));
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        printf("%s: balance off by %.1e of %.1f J\n", methods[k], ledger.max_balance,
               ledger.energy_scale);
        CHECK(ledger.max_balance < 3e-10 * ledger.energy_scale);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"a jump of the energy does not raise its own bound",
     a_jump_of_the_energy_does_not_raise_its_own_bound},
    {"nothing is asked before the start", nothing_is_asked_before_the_start},
    {"energies below round-off of the model are none",
     energies_below_round_off_of_the_model_are_none},
    {"works of stops that let go are as accurate as the motion",
     works_of_stops_that_let_go_are_as_accurate_as_the_motion},
    {"works that are not resolved are told", works_that_are_not_resolved_are_told},
    {"a joint off by a part of the mechanism is doubtful, in any units",
     a_joint_off_by_a_part_of_the_mechanism_is_doubtful_in_any_units},
    {"a joint torn apart ends the run with time, joint and residual",
     a_joint_torn_apart_ends_the_run_with_time_joint_and_residual},
    {"energy that is lost is doubtful", energy_that_is_lost_is_doubtful},
    {"check --along and compare tell doubts too", check_along_and_compare_tell_doubts_too},
    {"no end comes before a requirement before a doubt",
     no_end_comes_before_a_requirement_before_a_doubt},
    {"bounds stand in the model too, and unknown ones are refused",
     bounds_stand_in_the_model_too_and_unknown_ones_are_refused},
    {"a structure at rest has no balance to doubt", a_structure_at_rest_has_no_balance_to_doubt},
    {"velocities that are round-off of positions are no motion",
     velocities_that_are_round_off_of_positions_are_no_motion},
    {"motions below the tolerance have no balance to doubt",
     motions_below_the_tolerance_have_no_balance_to_doubt},
    {"a tree stated by joint angles is not doubtful",
     a_tree_stated_by_joint_angles_is_not_doubtful},
    {"fixed steps within which a body turns far are told",
     fixed_steps_within_which_a_body_turns_far_are_told},
    {"fast directors are doubtful where errors of many steps lose their angle",
     fast_directors_are_doubtful_where_errors_of_many_steps_lose_their_angle},
    {"fixed steps that turn rotations too slowly are doubtful",
     fixed_steps_that_turn_rotations_too_slowly_are_doubtful},
    {"a body that assembly moves far from where it is stated is doubtful",
     a_body_that_assembly_moves_far_from_where_it_is_stated_is_doubtful},
    {"what is stored is what is judged", what_is_stored_is_what_is_judged},
    {"rows of long steps keep the turns of wheels that speed up",
     rows_of_long_steps_keep_the_turns_of_wheels_that_speed_up},
    {"works of drives are as accurate as the motion, however long the steps",
     works_of_drives_are_as_accurate_as_the_motion_however_long_the_steps},
    {"rates of the first steps count by the speeds that follow",
     rates_of_the_first_steps_count_by_the_speeds_that_follow},
    {"a drive from rest to rest is not judged by the rest",
     a_drive_from_rest_to_rest_is_not_judged_by_the_rest},
    {"rows tell the step they lie in, and events are in order of time",
     rows_tell_the_step_they_lie_in_and_events_are_in_order_of_time},
};

int main(int argc, char **argv)
{
    enter_scratch("verdict");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
