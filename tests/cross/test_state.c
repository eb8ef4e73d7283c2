// SPDX-License-Identifier: MIT
//
// States that a program sets: a simulation begins anew there and moves as one that came there by
// itself; states that are none are refused and change nothing.

#include "tenon/tenon.h"
#include "test.h"

enum { MOST = 64 };

typedef struct state {
    double t, q[MOST], v[MOST];
} state;

static state get_state(tn_sim *sim)
{
    state x = {.t = tn_sim_time(sim)};
    CHECK(tn_sim_nq(sim) <= MOST);
    memcpy(x.q, tn_sim_q(sim), (size_t)tn_sim_nq(sim) * sizeof(double));
    memcpy(x.v, tn_sim_v(sim), (size_t)tn_sim_nv(sim) * sizeof(double));
    return x;
}

static tn_status set_state(tn_sim *sim, const state *x, bool project)
{
    return tn_sim_set_state(sim, x->t, x->q, x->v, project);
}

static tn_model *load(const char *file)
{
    tn_model *model = NULL;
    char path[80];
    snprintf(path, sizeof path, "models/%s.yaml", file);
    CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
    return model;
}

static tn_sim *start(const tn_model *model, const char *method, double step)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = step;
    options.rtol = options.atol = 1e-10;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static double distance(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

// Two ways to the same time: all the way, and from a state on the way that another one sets.
static void a_motion_goes_on_from_a_state_that_is_set(void)
{
    static const struct {
        const char *file, *method;
        double step, tolerance;
    } cases[] = {
        {"fourbar", "dopri5/index1+project@absolute", 0.0, 1e-7},
        {"fourbar", "radau5/ggl@joint", 0.0, 1e-7},
        {"fourbar", "bdf/ggl@absolute", 0.0, 1e-6},
        {"fourbar", "adams/index1+project@joint", 0.0, 1e-6},
        {"fourbar", "galpha/ggl@absolute", 1e-4, 1e-5},
        {"fourbar", "energy-momentum@director", 1e-4, 1e-4},
        {"fourbar_spatial", "herk5/index2@absolute", 0.0, 1e-6},
        {"heavy_top", "dop853/index1+project@joint", 0.0, 1e-6},
    };
    for (int k = 0; k < TN_COUNT(cases); k++) {
        tn_model *model = load(cases[k].file);
        tn_sim *all = start(model, cases[k].method, cases[k].step);
        tn_sim *rest = start(model, cases[k].method, cases[k].step);
        CHECK_OK(tn_sim_run(all, 0.03, NULL, NULL));
        const state middle = get_state(all);
        CHECK_OK(set_state(rest, &middle, false));
        CHECK(tn_sim_time(rest) == 0.03);
        CHECK(distance(tn_sim_nv(rest), tn_sim_v(rest), middle.v) < 1e-12);
        CHECK_OK(tn_sim_run(all, 0.06, NULL, NULL));
        CHECK_OK(tn_sim_run(rest, 0.06, NULL, NULL));
        const state a = get_state(all), b = get_state(rest);
        CHECK_NEAR(distance(tn_sim_nq(all), a.q, b.q), 0.0, cases[k].tolerance);
        CHECK(distance(tn_sim_nq(all), a.q, middle.q) > 1e-3);
        tn_sim_destroy(all);
        tn_sim_destroy(rest);
        tn_model_destroy(model);
    }
}

// Back to the start as often as one likes: what learning machines do.
static void the_start_can_be_set_again(void)
{
    tn_model *model = load("fourbar");
    tn_sim *sim = start(model, "dopri5/index1+project@joint", 0.0);
    tn_ledger ledger;
    const state first = get_state(sim);
    CHECK_OK(tn_sim_run(sim, 0.2, NULL, NULL));
    const state end = get_state(sim);
    tn_sim_ledger(sim, &ledger);
    const long steps = ledger.steps;
    for (int k = 0; k < 3; k++) {
        CHECK_OK(set_state(sim, &first, false));
        tn_sim_ledger(sim, &ledger);
        CHECK(ledger.steps == 0 && ledger.balance == 0.0 && tn_sim_time(sim) == 0.0);
        CHECK_OK(tn_sim_run(sim, 0.2, NULL, NULL));
        const state again = get_state(sim);
        tn_sim_ledger(sim, &ledger);
        CHECK(ledger.steps == steps && fabs(ledger.balance) < 1e-6);
        CHECK_NEAR(distance(tn_sim_nq(sim), again.q, end.q), 0.0, 1e-9);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void events_and_inputs_begin_anew(void)
{
    static const char *const text = "tenon: 1\n"
                                    "inputs: {u: 1}\n"
                                    "bodies:\n"
                                    "  cart: {mass: 2, inertia: [1, 1, 1]}\n"
                                    "joints:\n"
                                    "  rail: {kind: prismatic, body: cart, axis: [1, 0, 0]}\n"
                                    "forces:\n"
                                    "  motor: {kind: motor, joint: rail, effort: 4*u}\n"
                                    "events:\n"
                                    "  there: {joint: rail, value: 0.01}\n";
    tn_model *model = NULL;
    const tn_event_hit *hits;
    double q;
    CHECK_OK(tn_model_parse(text, "cart", &model, NULL));
    tn_sim *sim = start(model, "galpha/ggl@joint", 1e-3);
    const state first = get_state(sim);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(tn_sim_run(sim, 0.2, NULL, NULL));
        CHECK(tn_sim_event_hits(sim, &hits) == 1);
        CHECK_NEAR(hits[0].t, 0.1, 1e-6); // 2 m/s^2
        CHECK(tn_sim_joint_coordinates(sim, (tn_joint){0}, &q, NULL) == 1);
        CHECK_NEAR(q, 0.04, 1e-6);
        CHECK_OK(tn_sim_set_input(sim, (tn_input){0}, -7.0));
        CHECK_OK(set_state(sim, &first, false));
        CHECK(tn_sim_event_hits(sim, &hits) == 0 && tn_sim_input(sim, (tn_input){0}) == 1.0);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void states_off_the_constraints_are_refused_or_projected(void)
{
    tn_model *model = load("fourbar");
    tn_sim *sim = start(model, "dopri5/index1+project@absolute", 0.0);
    tn_sim *other = start(model, "dopri5/index1+project@absolute", 0.0);
    tn_ledger ledger;
    CHECK_OK(tn_sim_run(sim, 0.05, NULL, NULL));
    CHECK_OK(tn_sim_run(other, 0.05, NULL, NULL));
    const state good = get_state(sim);
    state off = good;
    off.t = 1.0;
    off.q[0] += 1e-3;
    CHECK_STATUS(set_state(sim, &off, false), TN_ERR_USAGE);
    CHECK(tn_test_says("the state violates the constraints: joint '"));
    CHECK(tn_test_says("correct it, or set it with project"));
    off.v[0] = NAN;
    CHECK_STATUS(set_state(sim, &off, true), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "velocity 0 of the state is nan; it must be finite");
    // What was refused has left nothing behind.
    CHECK(tn_sim_time(sim) == 0.05);
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
    CHECK_OK(tn_sim_run(other, 0.1, NULL, NULL));
    const state a = get_state(sim), b = get_state(other);
    CHECK(distance(tn_sim_nq(sim), a.q, b.q) == 0.0);
    off.v[0] = good.v[0] + 1e-2;
    CHECK_OK(set_state(sim, &off, true));
    tn_sim_ledger(sim, &ledger);
    CHECK(ledger.g < 1e-9 && ledger.gdot < 1e-9 && tn_sim_time(sim) == 1.0);
    CHECK(distance(tn_sim_nq(sim), tn_sim_q(sim), good.q) < 3e-3);
    tn_sim_destroy(sim);
    tn_sim_destroy(other);
    tn_model_destroy(model);
}

// A pendulum in coordinates of the plane, by functions.
static int mass(void *user, const tn_arguments *at, double *M)
{
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return (void)user, (void)at, 0;
}

static int force(void *user, const tn_arguments *at, double *f)
{
    f[0] = 0.0;
    f[1] = -9.81;
    return (void)user, (void)at, 0;
}

static int circle(void *user, const tn_arguments *at, double *g)
{
    *g = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1.0);
    return (void)user, 0;
}

static void users_equations_take_states(void)
{
    const tn_callbacks pendulum = {
        .nq = 2, .ng = 1, .mass = mass, .force = force, .constraint = circle};
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = "dopri5/index1+project";
    CHECK_OK(
        tn_sim_create_callbacks(&pendulum, (double[]){1, 0}, (double[]){0, 0}, &options, &sim));
    CHECK_OK(tn_sim_set_state(sim, 2.0, (double[]){0, -1}, (double[]){3, 0}, false));
    CHECK_NEAR(tn_sim_lambda(sim)[0], 9.81 + 9.0, 1e-5);
    CHECK_STATUS(tn_sim_set_state(sim, 2.0, (double[]){0, -1.1}, NULL, false), TN_ERR_USAGE);
    CHECK(tn_test_says("the state violates the constraints: row 0 is off by 0.1"));
    CHECK_OK(tn_sim_run(sim, 2.1, NULL, NULL));
    tn_sim_destroy(sim);
}

// The kink at 0.5 s lies ahead when the state is set, and is met once more.
static void kinks_ahead_are_met_again(void)
{
    static const char *const methods[] = {"dop853@joint", "radau5/ggl@absolute",
                                          "galpha/ggl@absolute", "variational@director"};
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse("tenon: 1\n"
                            "bodies:\n"
                            "  b: {mass: 1, inertia: [1, 1, 1]}\n"
                            "forces:\n"
                            "  f: {kind: point-force, body: b, force: ['t > 0.5 ? 2 : 0', 0, 0]}\n",
                            "kink.yaml", &model, NULL));
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = start(model, methods[k], k < 2 ? 0.0 : 1e-3);
        const double v[6] = {0};
        for (int n = 0; n < 2; n++) {
            CHECK_OK(tn_sim_run(sim, 0.2 + 0.5 * n, NULL, NULL));
            CHECK_OK(tn_sim_set_state(sim, 0.1, NULL, tn_sim_nv(sim) == 6 ? v : NULL, false));
        }
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        CHECK_NEAR(tn_sim_time(sim), 1.0, 1e-15);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// A body of 1 kg under what a state and a delayed sampled value say: v_y' = c, v_z' = servo.u.
static const char followed[] =
    "tenon: 1\n"
    "bodies: {b: {kind: point, mass: 1}}\n"
    "states: {c: {rate: 1, limits: [0, 10]}}\n"
    "sampled: {servo: {every: 0.1, delay: 0.05, initial: {u: 0}, next: {u: u + 1}}}\n"
    "forces: {f: {kind: point-force, body: b, force: [0, c, servo.u]}}\n";

// At 0.32 s four samples have been taken, and the last one acts from 0.35 s on.
static void states_and_sampled_values_stay_or_are_set_by_name(void)
{
    static const char *const methods[] = {"dop853@joint", "radau5/ggl@absolute",
                                          "galpha/ggl@director"};
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(followed, "followed.yaml", &model, NULL));
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = start(model, methods[k], 1e-2);
        CHECK_OK(tn_sim_run(sim, 0.32, NULL, NULL));
        CHECK_OK(tn_sim_set_state(sim, 0.32, NULL, NULL, false));
        CHECK_NEAR(tn_test_value(sim, "c"), 0.32, 1e-9);
        CHECK_NEAR(tn_test_value(sim, "servo.u"), 3.0, 0.0);
        CHECK_OK(tn_sim_run(sim, 0.36, NULL, NULL)); // what waited has come to act
        CHECK_NEAR(tn_test_value(sim, "servo.u"), 4.0, 0.0);
        CHECK_OK(tn_sim_set_state(sim, 0.29, NULL, NULL, false)); // the fourth sample once more
        CHECK_OK(tn_sim_run(sim, 0.34, NULL, NULL));
        CHECK_NEAR(tn_test_value(sim, "servo.u"), 4.0, 0.0);
        CHECK_OK(tn_sim_run(sim, 0.36, NULL, NULL));
        CHECK_NEAR(tn_test_value(sim, "servo.u"), 5.0, 0.0);
        CHECK_OK(tn_sim_set_value(sim, "c", 7.0));
        CHECK_OK(tn_sim_set_value(sim, "servo.u", -2.0));
        const double v = tn_test_value(sim, "b.velocity.y"), w = tn_test_value(sim, "b.velocity.z");
        CHECK_OK(tn_sim_run(sim, 0.44, NULL, NULL));
        CHECK_NEAR(tn_test_value(sim, "b.velocity.y") - v, 0.08 * 7.04, 1e-9);
        CHECK_NEAR(tn_test_value(sim, "b.velocity.z") - w, 0.08 * -2.0, 1e-9);
        CHECK_OK(tn_sim_run(sim, 0.46, NULL, NULL));
        CHECK_NEAR(tn_test_value(sim, "servo.u"), -1.0, 0.0);
        CHECK_STATUS(tn_sim_set_value(sim, "c", 11.0), TN_ERR_USAGE);
        CHECK(tn_test_says("state 'c' cannot be 11: its limits are [0, 10]"));
        CHECK_STATUS(tn_sim_set_value(sim, "b.position.x", 1.0), TN_ERR_USAGE);
        CHECK(tn_test_says("'b.position.x' is no state"));
        CHECK(tn_sim_set_value(sim, "serva.u", 1.0) != TN_OK);
        CHECK(tn_test_says("did you mean 'servo.u'"));
        CHECK_NEAR(tn_test_value(sim, "c"), 7.1, 1e-9);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// The wild values of the iteration leave nothing behind.
static void a_failed_step_leaves_a_simulation_as_it_was(void)
{
    static const struct {
        const char *method;
        double wild;
    } cases[] = {{"radau5/ggl@director", 1e3}, {"energy-momentum@director", 1e7}};
    tn_model *model = load("car_axis");
    for (int k = 0; k < TN_COUNT(cases); k++) {
        tn_sim *sim = start(model, cases[k].method, k == 0 ? 0.0 : 1e-3);
        CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
        CHECK(tn_sim_step(sim, cases[k].wild) != TN_OK);
        CHECK_OK(tn_sim_run(sim, 0.12, NULL, NULL));
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// A step whose size is given is judged as such, and the others by their tolerance.
static void each_step_is_judged_as_what_it_is(void)
{
    tn_model *model = load("double_pendulum");
    double bound[2];
    for (int k = 0; k < 2; k++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        tn_verdict verdict;
        options.method = "radau5/ggl@absolute";
        CHECK_OK(tn_sim_create(model, &options, &sim));
        if (k == 1)
            CHECK_OK(tn_sim_step(sim, 1e-3));
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        tn_sim_verdict(sim, &verdict);
        CHECK(verdict.outcome == 0 && verdict.count > 0);
        bound[k] = verdict.judged[0].bound;
        tn_sim_destroy(sim);
    }
    CHECK(bound[0] == bound[1]);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"a motion goes on from a state that is set", a_motion_goes_on_from_a_state_that_is_set},
    {"the start can be set again", the_start_can_be_set_again},
    {"events and inputs begin anew", events_and_inputs_begin_anew},
    {"states off the constraints are refused or projected",
     states_off_the_constraints_are_refused_or_projected},
    {"users' equations take states", users_equations_take_states},
    {"kinks ahead are met again", kinks_ahead_are_met_again},
    {"states and sampled values stay or are set by name",
     states_and_sampled_values_stay_or_are_set_by_name},
    {"a failed step leaves a simulation as it was", a_failed_step_leaves_a_simulation_as_it_was},
    {"each step is judged as what it is", each_step_is_judged_as_what_it_is},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
