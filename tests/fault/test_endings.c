// SPDX-License-Identifier: MIT
//
// Ends of runs: mechanisms in which nothing can move, failures that have a sentence wherever they
// come from, and simulations that are asked after a step has failed.

#include "test.h"

#include "coords/joint_coords.h"
#include "integrator/integrator.h"
#include "tenon/tenon.h"

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "ends.yaml", &model, NULL));
    return model;
}

static tn_sim_options with_method(const char *method)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    return options;
}

typedef void with_pairing(const char *method, void *user);

// All pairings in the coordinates, each with `each`; how many.
static int for_pairings(const char *coordinates, with_pairing *each, void *user)
{
    int count = 0;
    for (int i = 0; i < tn_integrator_count; i++)
        for (int k = 0; k < tn_formulation_count; k++) {
            char method[96];
            if (!tn_pairing_is_legal(tn_integrators[i], tn_formulations[k]) ||
                tn_integrator_is_fixed(tn_integrators[i]))
                continue;
            snprintf(method, sizeof method, "%s/%s@%s", tn_integrators[i]->name,
                     tn_formulations[k]->name, coordinates);
            each(method, user);
            count++;
        }
    return count;
}

// Nothing moves -----------------------------------------------------------------------------------

static void rest(const char *method, void *user)
{
    const tn_model *model = user;
    tn_sim_options options = with_method(method);
    tn_sim *sim = NULL;
    if (strstr(method, "baumgarte2"))
        options.step = 1e-3;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.01, NULL, NULL));
    CHECK(tn_sim_time(sim) == 0.01 && *tn_sim_solver(sim));
    CHECK_OK(tn_sim_show(sim, 0.5 * (tn_sim_before(sim) + 0.01)));
    CHECK_NEAR(tn_sim_body_frame(sim, (tn_body){1}).p.x, 0.5, 1e-14);
    CHECK_NEAR(tn_sim_joint_reaction(sim, (tn_joint){0}).f.z, 20.0, 1e-12);
    tn_sim_current(sim);
    CHECK_OK(tn_sim_step(sim, 1e-3));
    CHECK(tn_sim_time(sim) == 0.011);
    tn_sim_destroy(sim);
}

static void fixed_bodies_rest_with_every_method(void)
{
    tn_model *model =
        parse("tenon: 1\n"
              "gravity: [0, 0, -10]\n"
              "bodies:\n"
              "  r: {mass: 2, inertia: [0.1, 0.1, 0.1], initial: {position: [0.5, 0, 0]}}\n"
              "joints: {J: {kind: fixed, body: r, at: [0, 0, 0]}}\n");
    CHECK(for_pairings("joint", rest, model) > 40);
    tn_model_destroy(model);
}

// Sentences ---------------------------------------------------------------------------------------

static tn_status stop_without_a_word(void *user, tn_sim *sim)
{
    (void)sim;
    return *(const tn_status *)user;
}

// A status of an observer comes out with a sentence, one that only a step could use as an error.
static void no_status_is_without_a_sentence(void)
{
    static const tn_status said[] = {TN_ERR_USAGE, TN_ERR_NUMERIC, TN_RETRY_SINGULAR,
                                     TN_RETRY_NEWTON};
    tn_model *model = parse("tenon: 1\n"
                            "bodies: {p: {kind: point-2d, mass: 1}}\n");
    for (int k = 0; k < TN_COUNT(said); k++) {
        const tn_sim_options options = with_method("dopri5/index1");
        tn_status s = said[k];
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        tn_clear_error();
        const tn_status status = tn_sim_run(sim, 1.0, stop_without_a_word, &s);
        CHECK(status == (s < 0 ? s : TN_ERR_NUMERIC) && *tn_last_error());
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// Numbers that no matrix can be made of.
static void starts_that_overflow_have_a_sentence(void)
{
    tn_model *model =
        parse("tenon: 1\n"
              "bodies:\n"
              "  a: {kind: planar, mass: 1, inertia: 1, initial: {position: [-1e308, 0]}}\n"
              "  b: {kind: planar, mass: 1, inertia: 1, initial: {position: [1, 0]}}\n"
              "joints:\n"
              "  p: {kind: revolute, body: a, at: [0, 0]}\n"
              "  q: {kind: revolute, bodies: [a, b], at: [1, 0]}\n"
              "  d: {kind: drive, joint: p, motion: \"t\"}\n");
    const tn_sim_options options = with_method("auto");
    tn_sim *sim = NULL;
    tn_check *check = NULL;
    tn_fail(TN_ERR_USAGE, "of another call");
    CHECK(tn_sim_create(model, &options, &sim) < 0 && !sim);
    CHECK(*tn_last_error() && !strstr(tn_last_error(), "another call"));
    tn_fail(TN_ERR_USAGE, "of another call");
    const tn_status status = tn_check_create(model, &options, &check);
    CHECK(status == TN_OK || (status < 0 && !check && *tn_last_error()));
    CHECK(!strstr(tn_last_error(), "another call"));
    tn_check_destroy(check);
    tn_model_destroy(model);
}

// Accelerations near the largest number, whose squares are none: no step suits them, no assertion
// of Debug builds must stop there.
static void fall_hard(const char *method, void *user)
{
    const tn_model *model = user;
    tn_sim_options options = with_method(method);
    tn_sim *sim = NULL;
    if (strstr(method, "baumgarte2") || strstr(method, "hht"))
        options.step = 1e-3;
    tn_clear_error();
    tn_status status = tn_sim_create(model, &options, &sim);
    TN_THEN(status, tn_sim_run(sim, 1.0, NULL, NULL));
    CHECK(status < 0 && strlen(tn_last_error()) > 20);
    tn_sim_destroy(sim);
}

static void gravity_near_the_largest_number_has_a_sentence(void)
{
    static const char *const gravity[] = {"[1e300, 0, -9.81]", "[0, 0, -1.7e308]", "[0, 3e154, 0]"};
    for (int k = 0; k < TN_COUNT(gravity); k++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "tenon: 1\n"
            "gravity: %s\n"
            "bodies:\n"
            "  top: {mass: 15, com: [0, 1, 0], inertia: [0.3, 0.4, 0.3],\n"
            "        initial: {orientation: {axis: [0, 1, 0], angle: pi/2}, rate: [0, 1.5, 0]}}\n"
            "joints: {tip: {kind: spherical, bodies: [ground, top], at: [0, 0, 0]}}\n",
            gravity[k]);
        tn_model *model = parse(text);
        CHECK(for_pairings("absolute", fall_hard, model) > 40);
        CHECK(for_pairings("joint", fall_hard, model) > 40);
        fall_hard("auto", model);
        tn_model_destroy(model);
    }
}

// After a failed step -----------------------------------------------------------------------------

static void ask(const char *method, void *user)
{
    const tn_model *model = user;
    tn_sim_options options = with_method(method);
    tn_sim *sim = NULL;
    tn_ledger ledger;
    if (strstr(method, "baumgarte2") || strstr(method, "hht"))
        options.step = 1e-3;
    if (tn_sim_create(model, &options, &sim) != TN_OK)
        return; // the pairing has its reasons
    const tn_status status = tn_sim_run(sim, 1.0, NULL, NULL);
    CHECK(status == TN_ERR_NUMERIC && *tn_last_error());
    CHECK(*tn_sim_solver(sim) && *tn_sim_method(sim) && *tn_sim_rotation(sim));
    tn_sim_ledger(sim, &ledger);
    CHECK(tn_sim_time(sim) < 0.2 && isfinite(tn_sim_body_frame(sim, (tn_body){1}).p.x));
    (void)tn_sim_joint_reaction(sim, (tn_joint){0});
    (void)tn_sim_body_acceleration(sim, (tn_body){2});
    tn_sim_destroy(sim);
}

static void simulations_can_be_asked_after_a_failed_step(void)
{
    tn_model *model =
        parse("tenon: 1\n"
              "gravity: [0, 0, -10]\n"
              "bodies:\n"
              "  a: {mass: 2, inertia: [0.1, 0.1, 0.1], initial: {position: [0.5, 0, 0]}}\n"
              "  b: {mass: 2, inertia: [0.1, 0.1, 0.1], initial: {position: [1.5, 0, 0]}}\n"
              "joints:\n"
              "  A: {kind: revolute, body: a, at: [0, 0, 0], axis: [0, 1, 0]}\n"
              "  B: {kind: spherical, bodies: [a, b], at: [1, 0, 0]}\n"
              "forces: {m: {kind: motor, joint: A, effort: sqrt(0.1 - t)}}\n");
    CHECK(for_pairings("joint", ask, model) > 40);
    CHECK(for_pairings("absolute", ask, model) > 40);
    tn_model_destroy(model);
}

// A chain so long that no mass matrix is formed in joint coordinates: a recursion that has failed
// leaves nothing that a solver could be named after.
static void long_chains_can_be_asked_too(void)
{
    tn_model *model = tn_model_create();
    tn_body last = TN_GROUND;
    tn_joint first = {-1};
    for (int k = 0; k < TN_JOINT_DENSE_MAX / 3 + 2; k++) {
        tn_body_def body = tn_default_body();
        tn_joint_def joint = tn_default_joint(k == 0 ? TN_JOINT_REVOLUTE : TN_JOINT_SPHERICAL);
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        body.name = name;
        body.mass = 1.0;
        body.inertia = tn_v3(0.1, 0.1, 0.1);
        body.frame.p = tn_v3(0.5 + k, 0.0, 0.0);
        joint.name = name;
        joint.body_a = last;
        joint.frame_a.p = tn_v3(k == 0 ? 0.0 : 0.5, 0.0, 0.0);
        joint.frame_b.p = tn_v3(-0.5, 0.0, 0.0);
        last = joint.body_b = tn_model_add_body(model, &body);
        const tn_joint added = tn_model_add_joint(model, &joint);
        first = k == 0 ? added : first;
    }
    tn_force_def motor = tn_default_force(TN_FORCE_MOTOR);
    motor.name = "m";
    motor.joint = first;
    motor.motor.effort = (tn_function){.expression = "sqrt(0.01 - t)"};
    tn_model_add_force(model, &motor);
    ask("dopri5/index1@joint", model);
    ask("dop853/baumgarte@joint", model);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"fixed bodies rest with every method", fixed_bodies_rest_with_every_method},
    {"no status is without a sentence", no_status_is_without_a_sentence},
    {"starts that overflow have a sentence", starts_that_overflow_have_a_sentence},
    {"gravity near the largest number has a sentence",
     gravity_near_the_largest_number_has_a_sentence},
    {"simulations can be asked after a failed step", simulations_can_be_asked_after_a_failed_step},
    {"long chains can be asked too", long_chains_can_be_asked_too},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
