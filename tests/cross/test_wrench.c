// SPDX-License-Identifier: MIT
//
// Wrenches that a program applies to bodies: the motion is that of the same force in the model, by
// every integrator and in all coordinates, and their work is in the ledger.

#include "driven.h"

#include <math.h>

// clang-format off
#define ZERO {0.0, 0.0, 0.0}
// clang-format on

// A rod on a ball joint and a second one on a hinge; nothing else moves them but gravity.
static const char *const chain =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  upper: {mass: 2, inertia: [0.2, 0.2, 0.05], com: [0.02, 0, 0.1],\n"
    "          initial: {position: [0, 0, -0.5]}}\n"
    "  lower: {mass: 1, inertia: [0.1, 0.1, 0.03], initial: {position: [0, 0, -1.5]}}\n"
    "joints:\n"
    "  ball: {kind: spherical, body: upper, at: [0, 0, 0]}\n"
    "  hinge: {kind: revolute, bodies: [upper, lower], at: [0, 0, -1], axis: [1, 0, 0],\n"
    "          initial: {rate: 1}}\n"
    "%s";

static tn_model *parse(const char *tail)
{
    char text[2000];
    tn_model *model = NULL;
    snprintf(text, sizeof text, chain, tail);
    CHECK_OK(tn_model_parse(text, "chain.yaml", &model, NULL));
    return model;
}

static tn_sim *start(const tn_model *model, const char *method, double step, bool wrenches)
{
    return start_driven(model, method, 1e-9, step, wrenches);
}

static double apart(tn_sim *a, tn_sim *b)
{
    double most = 0.0;
    for (int k = 1; k <= 2; k++) {
        const tn_vec3 p =
            tn_v3_sub(tn_sim_body_frame(a, (tn_body){k}).p, tn_sim_body_frame(b, (tn_body){k}).p);
        const tn_vec3 w =
            tn_v3_sub(tn_sim_body_rate(a, (tn_body){k}), tn_sim_body_rate(b, (tn_body){k}));
        most = fmax(most, fmax(tn_v3_norm(p), tn_v3_norm(w)));
    }
    return most;
}

// From 0.1 s to 0.3 s, on the lower rod beside its centre of mass.
static const tn_vec3 place = {0.1, -0.05, 0.2};
static const tn_wrench push = {{6.0, -4.0, 3.0}, {0.5, 0.2, -0.3}};

static void push_by_program(tn_sim *sim, tn_axes axes)
{
    const tn_body lower = {2};
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
    CHECK_OK(tn_sim_apply_wrench(sim, lower, place, axes, push));
    CHECK_OK(tn_sim_run(sim, 0.3, NULL, NULL));
    CHECK_OK(tn_sim_apply_wrench(sim, lower, place, axes, (tn_wrench){ZERO, ZERO}));
    CHECK_OK(tn_sim_run(sim, 0.4, NULL, NULL));
}

static void wrenches_are_forces_of_the_model(void)
{
    static const char *const models[] = {
        "forces:\n  f: {kind: point-force, body: lower, at: [0.1, -0.05, -1.3], force: "
        "[\"t<0.1||t>0.3?0:6\", \"t<0.1||t>0.3?0:-4\", \"t<0.1||t>0.3?0:3\"], torque: "
        "[\"t<0.1||t>0.3?0:0.5\", \"t<0.1||t>0.3?0:0.2\", \"t<0.1||t>0.3?0:-0.3\"]}\n",
        "forces:\n  f: {kind: point-force, body: lower, at: [0.1, -0.05, -1.3], force: "
        "[\"t<0.1||t>0.3?0:6\", \"t<0.1||t>0.3?0:-4\", \"t<0.1||t>0.3?0:3\"], torque: "
        "[\"t<0.1||t>0.3?0:0.5\", \"t<0.1||t>0.3?0:0.2\", \"t<0.1||t>0.3?0:-0.3\"], "
        "follower: true}\n"};
    tn_model *bare = parse("");
    for (int axes = 0; axes < 2; axes++) {
        tn_model *model = parse(models[axes]);
        tn_sim *truth = start(model, "dop853@joint", 0.0, false);
        CHECK_OK(tn_sim_run(truth, 0.4, NULL, NULL));
        for (int k = 0; k < TN_COUNT(driven_methods); k++) {
            tn_sim *sim = start(bare, driven_methods[k].name, driven_methods[k].step, true);
            tn_verdict verdict;
            push_by_program(sim, axes == 0 ? TN_AXES_INERTIAL : TN_AXES_BODY);
            const double off = apart(sim, truth);
            if (!(off < driven_methods[k].tol))
                printf("%s, axes %d: %g\n", driven_methods[k].name, axes, off);
            CHECK_NEAR(off, 0.0, driven_methods[k].tol);
            tn_sim_verdict(sim, &verdict);
            CHECK(verdict.outcome == TN_OUTCOME_DONE);
            tn_sim_destroy(sim);
        }
        tn_sim_destroy(truth);
        tn_model_destroy(model);
    }
    tn_model_destroy(bare);
}

// A free body of 2 kg that is pushed through its centre: v = F t / m, of which 2 J.
static void their_work_is_supplied(void)
{
    tn_model *model = NULL;
    tn_ledger ledger;
    CHECK_OK(tn_model_parse("tenon: 1\nbodies:\n  m: {mass: 2, inertia: [1, 1, 1]}\n", "text",
                            &model, NULL));
    tn_sim *sim = start(model, "galpha/ggl@absolute", 1e-3, true);
    const tn_vec3 origin = ZERO;
    CHECK_OK(tn_sim_apply_wrench(sim, (tn_body){1}, origin, TN_AXES_INERTIAL,
                                 (tn_wrench){{4.0, 0.0, 0.0}, ZERO}));
    CHECK_NEAR(tn_sim_body_acceleration(sim, (tn_body){1}).x, 0.0, 1e-15); // from the next step on
    CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    CHECK_NEAR(tn_sim_body_velocity(sim, (tn_body){1}).x, 1.0, 1e-12);
    CHECK_NEAR(ledger.supplied, 1.0, 1e-12);
    CHECK_NEAR(ledger.balance, 0.0, 1e-12);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void a_wrench_on_each_body_acts(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse("tenon: 1\nbodies:\n  a: {kind: point, mass: 1}\n"
                            "  b: {kind: planar, mass: 2, inertia: 0.5}\n",
                            "text", &model, NULL));
    tn_sim *sim = start(model, "dop853@absolute", 0.0, true);
    CHECK_OK(tn_sim_apply_wrench(sim, (tn_body){1}, tn_v3(0, 0, 0), TN_AXES_INERTIAL,
                                 (tn_wrench){{0.0, 0.0, 3.0}, ZERO}));
    CHECK_OK(tn_sim_apply_wrench(sim, (tn_body){2}, tn_v3(0, 0, 0), TN_AXES_BODY,
                                 (tn_wrench){ZERO, {0.0, 0.0, 0.5}}));
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    CHECK_NEAR(tn_sim_body_frame(sim, (tn_body){1}).p.z, 1.5, 1e-9);
    CHECK_NEAR(tn_sim_body_rate(sim, (tn_body){2}).z, 1.0, 1e-9);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void saved_wrenches_go_on(void)
{
    static const char *const names[] = {"galpha/ggl@absolute", "dop853@joint",
                                        "galpha/index1@director"};
    tn_model *model = parse("");
    for (int k = 0; k < TN_COUNT(names); k++) {
        const double step = strstr(names[k], "galpha") ? 1e-3 : 0.0;
        tn_sim *a = start(model, names[k], step, true), *b = start(model, names[k], step, true);
        void *saved = NULL;
        size_t size = 0;
        CHECK_OK(tn_sim_apply_wrench(a, (tn_body){1}, place, TN_AXES_BODY, push));
        CHECK_OK(tn_sim_run(a, 0.1, NULL, NULL));
        CHECK_OK(tn_sim_apply_wrench(a, (tn_body){2}, place, TN_AXES_INERTIAL, push)); // not taken
        CHECK_OK(tn_sim_save(a, &saved, &size));
        CHECK_OK(tn_sim_load(b, saved, size));
        tn_saved_free(saved);
        CHECK_OK(tn_sim_run(a, 0.3, NULL, NULL));
        CHECK_OK(tn_sim_run(b, 0.3, NULL, NULL));
        // To the last bit, but for kernels that round by the alignment of their arrays (test_save).
        CHECK_NEAR(apart(a, b), 0.0, 1e-10);
        tn_sim_destroy(a);
        tn_sim_destroy(b);
    }
    tn_model_destroy(model);
}

static void a_state_that_is_set_has_no_wrenches(void)
{
    tn_model *model = parse("");
    tn_sim *a = start(model, "galpha/ggl@joint", 1e-3, true),
           *b = start(model, "galpha/ggl@joint", 1e-3, false);
    CHECK_OK(tn_sim_apply_wrench(a, (tn_body){2}, place, TN_AXES_BODY, push));
    CHECK_OK(tn_sim_run(a, 0.1, NULL, NULL));
    const double nowhere[20] = {[0] = NAN};
    CHECK_STATUS(tn_sim_set_state(a, 0.0, NULL, nowhere, false), TN_ERR_USAGE);
    CHECK_OK(tn_sim_set_state(a, 0.0, tn_sim_q(b), tn_sim_v(b), false));
    CHECK_OK(tn_sim_run(a, 0.1, NULL, NULL));
    CHECK_OK(tn_sim_run(b, 0.1, NULL, NULL));
    CHECK_NEAR(apart(a, b), 0.0, 1e-9);
    tn_sim_destroy(a);
    tn_sim_destroy(b);
    tn_model_destroy(model);
}

static void wrong_wrenches_are_refused(void)
{
    static const struct {
        int body;
        tn_vec3 point;
        tn_axes axes;
        tn_wrench wrench;
        const char *told;
    } cases[] = {
        {3, ZERO, TN_AXES_BODY, {ZERO, ZERO}, "there is no body with the index 3; the model has 2"},
        {-1,
         ZERO,
         TN_AXES_BODY,
         {ZERO, ZERO},
         "there is no body with the index -1; the model has 2"},
        {0,
         ZERO,
         TN_AXES_BODY,
         {ZERO, ZERO},
         "a wrench on the ground moves nothing; name another body"},
        {2,
         ZERO,
         TN_AXES_BODY,
         {{0.0, NAN, 0.0}, ZERO},
         "the force of the wrench on body 'rod' must be finite"},
        {2,
         ZERO,
         TN_AXES_BODY,
         {ZERO, {INFINITY, 0.0, 0.0}},
         "the moment of the wrench on body 'rod' must be finite"},
        {2,
         {0.0, 0.0, NAN},
         TN_AXES_BODY,
         {ZERO, ZERO},
         "the point of the wrench on body 'rod' must be finite"},
        {1,
         ZERO,
         TN_AXES_INERTIAL,
         {ZERO, {0.0, 0.0, 1.0}},
         "body 'ball' is a point mass: only a force at its place, in inertial axes, can act on it"},
        {1,
         ZERO,
         TN_AXES_BODY,
         {{1.0, 0.0, 0.0}, ZERO},
         "body 'ball' is a point mass: only a force at its place, in inertial axes, can act on it"},
    };
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse("tenon: 1\nbodies:\n  ball: {kind: point, mass: 1}\n"
                            "  rod: {mass: 1, inertia: [1, 1, 1]}\n",
                            "text", &model, NULL));
    tn_sim *sim = start(model, "dop853", 0.0, true), *bare = start(model, "dop853", 0.0, false);
    for (int k = 0; k < TN_COUNT(cases); k++) {
        CHECK_STATUS(tn_sim_apply_wrench(sim, (tn_body){cases[k].body}, cases[k].point,
                                         cases[k].axes, cases[k].wrench),
                     TN_ERR_USAGE);
        CHECK_TEXT(tn_last_error(), cases[k].told);
    }
    CHECK_STATUS(tn_sim_apply_wrench(bare, (tn_body){2}, place, TN_AXES_BODY, push), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "this simulation takes no wrenches; it must be of a model, with "
                                "wrenches: true in its tn_sim_options");
    CHECK_STATUS(tn_sim_apply_wrench(sim, (tn_body){1}, place, (tn_axes)7, push), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "7 names no axes of a wrench");
    CHECK_STATUS(tn_sim_apply_wrench(NULL, (tn_body){2}, place, TN_AXES_BODY, push), TN_ERR_USAGE);
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL)); // as if nothing had been applied
    CHECK_NEAR(tn_sim_body_rate(sim, (tn_body){2}).z, 0.0, 1e-15);
    tn_sim_destroy(sim);
    tn_sim_destroy(bare);
    tn_model_destroy(model);
}

static void wrenches_are_no_forces_by_index(void)
{
    tn_model *model = parse("forces:\n  f: {kind: point-force, body: lower, at: [0, 0, -1.5], "
                            "force: [1, 0, 0]}\n");
    tn_sim *sim = start(model, "dop853@joint", 0.0, true);
    tn_force_state state;
    CHECK_OK(tn_sim_apply_wrench(sim, (tn_body){1}, place, TN_AXES_BODY, push));
    CHECK_OK(tn_sim_run(sim, 0.01, NULL, NULL));
    CHECK_OK(tn_sim_force(sim, (tn_force){0}, &state));
    CHECK_NEAR(state.on_b.f.x, 1.0, 1e-12);
    for (int k = 1; k <= 2; k++)
        CHECK_STATUS(tn_sim_force(sim, (tn_force){k}, &state), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "there is no force with the index 2; the model has 1");
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"wrenches are forces of the model", wrenches_are_forces_of_the_model},
    {"their work is supplied", their_work_is_supplied},
    {"a wrench on each body acts", a_wrench_on_each_body_acts},
    {"saved wrenches go on", saved_wrenches_go_on},
    {"a state that is set has no wrenches", a_state_that_is_set_has_no_wrenches},
    {"wrong wrenches are refused", wrong_wrenches_are_refused},
    {"wrenches are no forces by index", wrenches_are_no_forces_by_index},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
