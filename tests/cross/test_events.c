// SPDX-License-Identifier: MIT
//
// Events, with every integrator: times are as good as the motion, steps do not change for them, a
// run that one ends can go on, and directions and counts are right.

#include "road_problems.h"

static tn_model *watched_pendulum(tn_event_direction direction, bool stop)
{
    tn_model *model = point_pendulum();
    tn_event_def def = tn_default_event();
    def.name = "lowest";
    def.body = (tn_body){1};
    def.axis = 0;
    def.direction = direction;
    def.stop = stop;
    CHECK_OK(tn_model_add_event(model, &def));
    return model;
}

static tn_sim_options precise(const char *method, double tol)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(method, "/@"), method);
    const tn_integrator_ops *integrator = tn_find_integrator(name);
    options.adaptive = !integrator || !tn_integrator_is_fixed(integrator);
    options.rtol = options.atol = tol;
    return options;
}

static int hits(const char *method, double tol, tn_event_direction direction, double *t,
                long *steps)
{
    const tn_sim_options options = precise(method, tol);
    const tn_event_hit *hit;
    tn_model *model = watched_pendulum(direction, false);
    tn_sim *sim = NULL;
    tn_ledger ledger;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 5.0, NULL, NULL));
    const int n = tn_sim_event_hits(sim, &hit);
    CHECK(n <= 16);
    for (int i = 0; i < n; i++)
        t[i] = hit[i].t;
    tn_sim_ledger(sim, &ledger);
    *steps = ledger.steps;
    CHECK(ledger.events == n);
    CHECK(tn_sim_ended_by(sim) == -1);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return n;
}

static void every_integrator_finds_them(void)
{
    double exact[16], found[16];
    long steps;
    const int n = hits("dop853/index1", 1e-13, TN_EVENT_BOTH, exact, &steps);
    CHECK(n >= 4);
    for (int k = 0; k < tn_integrator_count; k++) {
        CHECK(hits(tn_integrators[k]->name, 1e-8, TN_EVENT_BOTH, found, &steps) == n);
        double error = 0.0;
        for (int i = 0; i < n; i++)
            error = fmax(error, fabs(found[i] - exact[i]));
        printf("%-8s %4ld steps: times within %.1e s\n", tn_integrators[k]->name, steps, error);
        // Second-order methods hold the error of a step at the tolerance and gather it over a
        // thousand; the others stay nearer.
        CHECK(error < 1e-4);
    }
}

static void directions_are_told_apart(void)
{
    double both[16], rising[16], falling[16];
    long steps;
    const int n = hits("dop853", 1e-9, TN_EVENT_BOTH, both, &steps);
    const int up = hits("dop853", 1e-9, TN_EVENT_RISING, rising, &steps);
    const int down = hits("dop853", 1e-9, TN_EVENT_FALLING, falling, &steps);
    CHECK(up + down == n && up > 0 && down > 0);
    for (int i = 0; i < n; i++)
        CHECK(both[i] == (i % 2 ? rising[i / 2] : falling[i / 2]) ||
              both[i] == (i % 2 ? falling[i / 2] : rising[i / 2]));
}

// The pendulum passes its lowest point with the speed that energy tells, and goes on from there as
// if nothing had happened.
static void a_run_ends_at_an_event_and_goes_on(void)
{
    const double height = 1.0 - cos(0.8), speed = sqrt(1.0 + 2.0 * 9.81 * height);
    for (int k = 0; k < tn_integrator_count; k++) {
        const tn_sim_options options = precise(tn_integrators[k]->name, 1e-9);
        tn_model *model = watched_pendulum(TN_EVENT_BOTH, true);
        tn_sim *sim = NULL, *through = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 5.0, NULL, NULL));
        CHECK(tn_sim_ended_by(sim) == 0);
        CHECK(tn_sim_time(sim) > 0.1 && tn_sim_time(sim) < 2.0);
        CHECK_NEAR(tn_sim_body_frame(sim, (tn_body){1}).p.x, 0.0, 1e-12);
        CHECK_NEAR(fabs(tn_sim_body_velocity(sim, (tn_body){1}).x), speed, 1e-5);
        CHECK_OK(tn_sim_run(sim, 1.5, NULL, NULL));
        tn_model *plain = point_pendulum();
        CHECK_OK(tn_sim_create(plain, &options, &through));
        CHECK_OK(tn_sim_run(through, tn_sim_time(sim), NULL, NULL));
        CHECK_NEAR(tn_sim_body_frame(sim, (tn_body){1}).p.x,
                   tn_sim_body_frame(through, (tn_body){1}).p.x, 1e-4);
        tn_sim_destroy(sim);
        tn_sim_destroy(through);
        tn_model_destroy(model);
        tn_model_destroy(plain);
    }
}

// Events of user functions: the same pendulum as equations, its speed passing 1.5 m/s.
static int fast(void *user, const tn_arguments *x, double *out)
{
    (void)user;
    out[0] = hypot(x->v[0], x->v[1]) - 1.5;
    return 0;
}

static void user_functions_have_events(void)
{
    static const bool stops[] = {true};
    tn_callbacks equations = loop_functions;
    equations.nevent = 1;
    equations.events = fast;
    equations.event_stops = stops;
    const tn_sim_options options = precise("radau5/ggl", 1e-9);
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create_callbacks(&equations, loop_q0, loop_v0, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 5.0, NULL, NULL));
    CHECK(tn_sim_ended_by(sim) == 0);
    // The polynomial of the step is of third degree; its error at this tolerance.
    CHECK_NEAR(hypot(tn_sim_v(sim)[0], tn_sim_v(sim)[1]), 1.5, 1e-9);
    tn_sim_destroy(sim);
}

static void bad_events_are_refused(void)
{
    static const struct {
        const char *event, *message;
    } bad[] = {
        {"{value: 1}", "neither 'joint' nor 'body' is stated"},
        {"{joint: pin, body: bob}", "both 'joint' and 'body' are stated"},
        {"{joint: pim}", "pim"},
        {"{joint: pin, coordinate: 3}", "coordinate"},
        {"{body: bob, axis: w}", "axis"},
        {"{body: bob, direction: up}", "direction"},
        {"{body: bob, valeu: 1}", "valeu"},
        {"{body: bob, coordinate: 0}", "no 'joint'"},
    };
    for (int k = 0; k < TN_COUNT(bad); k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies:\n  bob: {mass: 1, inertia: [1, 1, 1]}\njoints:\n"
                 "  pin: {kind: revolute, bodies: [ground, bob]}\nevents:\n  top: %s\n",
                 bad[k].event);
        tn_model *model = NULL;
        tn_simulate simulate;
        CHECK(tn_model_parse(text, "file", &model, &simulate) != TN_OK);
        CHECK(strstr(tn_last_error(), bad[k].message) != NULL);
        CHECK(strstr(tn_last_error(), "file:7:") != NULL);
    }
}

// A free rotor turns at a constant rate, over which steps grow to many turns: all passings count.
static void every_turn_of_a_rotor_counts(void)
{
    static const char text[] =
        "tenon: 1\nbodies:\n  wheel: {mass: 2, inertia: [0.2, 0.2, 0.3]}\n"
        "  tip: {mass: 0.1, inertia: [0.01, 0.01, 0.01], initial: {position: [1, 0, 0]}}\n"
        "joints:\n  A: {kind: revolute, body: wheel, at: [0, 0, 0], axis: [0, 0, 1],"
        " initial: {rate: 100}}\n"
        "  W: {kind: fixed, bodies: [wheel, tip], at: [1, 0, 0]}\n"
        "events:\n  up: {body: tip, axis: x, value: 0.5, direction: rising}\n";
    const double pi = 3.14159265358979323846;
    for (int k = 0; k < tn_integrator_count; k++) {
        char name[64];
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_ledger ledger;
        const tn_event_hit *hits;
        if (!tn_integrators[k]->controlled)
            continue;
        snprintf(name, sizeof name, "%s@joint", tn_integrators[k]->name);
        tn_sim_options o = tn_default_sim();
        o.method = name;
        CHECK_OK(tn_model_parse(text, "text", &model, NULL));
        CHECK_OK(tn_sim_create(model, &o, &sim));
        CHECK_OK(tn_sim_run(sim, 10.0, NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        const int n = tn_sim_event_hits(sim, &hits);
        printf("%-14s %d events in %ld steps\n", name, n, ledger.steps);
        CHECK(n == 159);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(hits[i].t, (2.0 * pi * (i + 1) - pi / 3.0) / 100.0, 1e-6);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"every turn of a rotor counts", every_turn_of_a_rotor_counts},
    {"every integrator finds them", every_integrator_finds_them},
    {"directions are told apart", directions_are_told_apart},
    {"a run ends at an event and goes on", a_run_ends_at_an_event_and_goes_on},
    {"user functions have events", user_functions_have_events},
    {"bad events are refused", bad_events_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
