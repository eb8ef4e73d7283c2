// SPDX-License-Identifier: MIT
//
// Works by element: of each against a quadrature here of the power that its channel tells, their
// sum against the ledger, and the balance of energy.

#include "base/tolerance.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A cart with a pendulum: a motor with a control, friction in the rail, a damper in the pin, wind.
// Its last joint is driven.
#define CRANE(load)                                                                           \
    "tenon: 1\n"                                                                              \
    "gravity: [0, -9.81, 0]\n"                                                                \
    "bodies:\n"                                                                               \
    "  cart: {mass: 2, inertia: [1, 1, 1]}\n"                                                 \
    "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {position: [0, -0.5, 0]}}\n"         \
    "  wheel: {mass: 0.5, inertia: [0.03, 0.03, 0.05], initial: {position: [0, -1, 0]}}\n"    \
    "joints:\n"                                                                               \
    "  rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0, 0]}\n"                    \
    "  pin: {kind: revolute, bodies: [cart, rod], axis: [0, 0, 1]}\n"                         \
    "  axle: {kind: revolute, bodies: [rod, wheel], at: [0, -1, 0], axis: [0, 0, 1]}\n"       \
    "  turn: {kind: drive, joint: axle, motion: 2*t^2}\n"                                     \
    "forces:\n"                                                                               \
    "  motor: {kind: motor, joint: rail, effort: 20*sin(3*t) - 4*rail.displacement.rate}\n"   \
    "  rub: {kind: friction, joint: rail, coulomb: 0.05, speed: 0.5, viscous: 0.3" load "}\n" \
    "  grease: {kind: joint-spring, joint: pin, damping: 0.4}\n"                              \
    "  rest: {kind: joint-spring, joint: pin, stiffness: 2}\n"                                \
    "  wind: {kind: point-force, body: rod, force: [cos(2*t), 0.5, 0]}\n"                     \
    "events: {far: {joint: rail, value: 0.6, direction: rising, stop: true}}\n"

enum { FORCES = 5 };

typedef struct hand {
    double work[FORCES];
} hand;

// Gauss's rule with three points in each step, on what is shown there.
static tn_status add_powers(void *user, tn_sim *sim)
{
    static const double at[] = {0.1127016653792583, 0.5, 0.8872983346207417};
    static const double weight[] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    hand *sum = user;
    const double from = tn_sim_before(sim), h = tn_sim_time(sim) - from;
    for (int i = 0; i < TN_COUNT(at); i++) {
        CHECK_OK(tn_sim_show(sim, from + at[i] * h));
        for (int k = 0; k < FORCES; k++) {
            tn_force_state state;
            CHECK_OK(tn_sim_force(sim, (tn_force){k}, &state));
            sum->work[k] += weight[i] * h * state.power;
        }
    }
    tn_sim_current(sim);
    return TN_OK;
}

static tn_sim *open_crane(const char *text, const char *method, double step, tn_model **model)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = step;
    options.adaptive = step == 0.0;
    options.rtol = options.atol = 1e-9;
    CHECK_OK(tn_model_parse(text, "crane.yaml", model, NULL));
    CHECK_OK(tn_sim_create(*model, &options, &sim));
    return sim;
}

// Their sum is that of the ledger to round-off.
static void check_sum(const tn_sim *sim)
{
    tn_ledger ledger;
    double dissipated = 0.0, supplied = 0.0, size = 0.0;
    tn_sim_ledger(sim, &ledger);
    for (int i = 0; i < tn_sim_work_count(sim); i++) {
        tn_work w;
        CHECK_OK(tn_sim_work(sim, i, &w));
        dissipated += w.dissipated;
        supplied += w.supplied;
        size += fabs(w.dissipated) + fabs(w.supplied);
    }
    CHECK(size > 0.1);
    CHECK_NEAR(dissipated, ledger.dissipated, 1e-12 * size);
    CHECK_NEAR(supplied, ledger.supplied, 1e-12 * size);
}

static void check_works(tn_sim *sim, const hand *sum, double balance)
{
    static const char *const name[] = {"motor", "rub", "grease", "rest", "wind"};
    static const char *const kind[] = {"motor", "friction", "joint-spring", "joint-spring",
                                       "point-force"};
    tn_ledger ledger;
    tn_work w;
    tn_sim_ledger(sim, &ledger);
    for (int k = 0; k < FORCES; k++) {
        CHECK_OK(tn_sim_work(sim, k, &w));
        CHECK_TEXT(w.name, name[k]);
        CHECK_TEXT(w.kind, kind[k]);
        if (k != 3)
            CHECK_NEAR(w.supplied - w.dissipated, sum->work[k], 1e-6);
    }
    CHECK_OK(tn_sim_work(sim, 1, &w));
    CHECK(w.supplied == 0.0 && w.dissipated > 0.01);
    CHECK_OK(tn_sim_work(sim, 3, &w)); // a spring gives back what it takes
    CHECK(w.dissipated == 0.0 && w.supplied == 0.0);
    CHECK_OK(tn_sim_work(sim, FORCES + 3, &w));
    CHECK_TEXT(w.name, "turn");
    CHECK_TEXT(w.kind, "drive");
    CHECK(fabs(w.supplied) > 1e-3 && w.dissipated == 0.0);
    CHECK_NEAR(ledger.balance, 0.0, balance);
    check_sum(sim);
}

typedef struct way {
    const char *method;
    double step;    // 0: error-controlled
    double balance; // [J]
    const char *text;
} way;

static const way ways[] = {
    {"dopri5/index1+project@absolute", 0.0, 1e-6, CRANE("")},
    {"dop853/index1+project@joint", 0.0, 1e-6, CRANE(", load: 10")},
    {"radau5/ggl@absolute", 0.0, 1e-6, CRANE("")},
    {"radau5/ggl@joint", 0.0, 1e-6, CRANE("")},
    {"bdf/ggl@absolute", 0.0, 1e-6, CRANE("")},
    {"herk5@absolute", 0.0, 1e-6, CRANE("")},
    {"galpha/ggl@absolute", 1e-3, 1e-4, CRANE("")},
    {"galpha/ggl@joint", 1e-3, 1e-4, CRANE(", load: 10")},
    {"variational/multiplier", 1e-3, 1e-4, CRANE(", load: 10")},
};

// As far as the event, which cuts the last step.
static void elements_are_booked(void)
{
    for (int k = 0; k < TN_COUNT(ways); k++) {
        tn_model *model = NULL;
        tn_sim *sim = open_crane(ways[k].text, ways[k].method, ways[k].step, &model);
        hand sum = {{0.0}};
        CHECK_OK(tn_sim_run(sim, 1.9, add_powers, &sum));
        CHECK(tn_sim_ended_by(sim) >= 0);
        check_works(sim, &sum, ways[k].balance);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void push(tn_sim *sim, int i)
{
    const tn_wrench wind = {.f = {0.0, 5.0 * sin(i), 0.0}};
    CHECK_OK(tn_sim_set_input(sim, (tn_input){0}, 10.0 * cos(i)));
    CHECK_OK(
        tn_sim_apply_wrench(sim, (tn_body){1}, (tn_vec3){0.0, 0.0, 0.0}, TN_AXES_INERTIAL, wind));
    for (int k = 0; k < 5; k++)
        CHECK_OK(tn_sim_step(sim, 1e-2));
}

// That what is loaded goes on bit for bit is tested in test_save.c; here works of size one are told
// apart from none.
static const double SAVED = 1e-11;

static void check_same(const tn_sim *a, const tn_sim *b)
{
    CHECK(tn_sim_work_count(a) == tn_sim_work_count(b));
    for (int i = 0; i < tn_sim_work_count(a); i++) {
        tn_work x, y;
        CHECK_OK(tn_sim_work(a, i, &x));
        CHECK_OK(tn_sim_work(b, i, &y));
        CHECK_NEAR(x.dissipated, y.dissipated, SAVED);
        CHECK_NEAR(x.supplied, y.supplied, SAVED);
    }
}

// With galpha only forces jump, and others are evaluated for it than for the energy.
static void pushes_are_booked(const char *method)
{
    const char *const text =
        "tenon: 1\n"
        "inputs: {hand: {value: 0}}\n"
        "bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {position: [1, 0, 0]}}}\n"
        "joints: {pin: {kind: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "forces: {hold: {kind: motor, joint: pin, effort: hand},\n"
        "         oil: {kind: joint-spring, joint: pin, damping: 0.3}}\n";
    tn_model *model = NULL;
    tn_sim *sim[2] = {NULL, NULL};
    tn_sim_options options = tn_default_sim();
    void *saved = NULL;
    size_t size;
    tn_work w;
    options.method = method;
    options.wrenches = true;
    CHECK_OK(tn_model_parse(text, "arm.yaml", &model, NULL));
    for (int k = 0; k < 2; k++)
        CHECK_OK(tn_sim_create(model, &options, &sim[k]));
    for (int i = 0; i < 20; i++)
        push(sim[0], i);
    CHECK_OK(tn_sim_save(sim[0], &saved, &size));
    CHECK_OK(tn_sim_load(sim[1], saved, size));
    for (int i = 20; i < 40; i++)
        for (int k = 0; k < 2; k++)
            push(sim[k], i);
    check_sum(sim[0]);
    check_same(sim[0], sim[1]);
    CHECK_OK(tn_sim_work(sim[0], 2, &w));
    CHECK_TEXT(w.name, "rod");
    CHECK_TEXT(w.kind, "wrench");
    CHECK(fabs(w.supplied) > 1e-3);
    CHECK_STATUS(tn_sim_work(sim[0], 5, &w), TN_ERR_USAGE);
    CHECK_STATUS(tn_sim_work(sim[0], -1, &w), TN_ERR_USAGE);
    tn_saved_free(saved);
    for (int k = 0; k < 2; k++)
        tn_sim_destroy(sim[k]);
    tn_model_destroy(model);
}

static void pushes_are_booked_everywhere(void)
{
    static const char *const methods[] = {"galpha/ggl@absolute", "galpha@joint", "dopri5@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++)
        pushes_are_booked(methods[k]);
}

// Motors of constant effort on an angle that turns often and on a length, with a spring: their
// works are effort times way, in rows between steps, at the end of a run that an event cuts, and
// where steps are many turns long.
#define FAN                                                                     \
    "tenon: 1\n"                                                                \
    "gravity: [0, 0, 0]\n"                                                      \
    "bodies:\n"                                                                 \
    "  cart: {mass: 2, inertia: [1, 1, 1]}\n"                                   \
    "  fan: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {rate: [0, 0, 40]}}\n" \
    "joints:\n"                                                                 \
    "  rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0, 0]}\n"      \
    "  pin: {kind: revolute, bodies: [cart, fan], axis: [0, 0, 1]}\n"           \
    "forces:\n"                                                                 \
    "  pull: {kind: motor, joint: rail, effort: 3}\n"                           \
    "  turn: {kind: motor, joint: pin, effort: 0.7}\n"                          \
    "  rest: {kind: joint-spring, joint: rail, stiffness: 2}\n"                 \
    "events: {far: {joint: rail, value: 2.5, direction: rising, stop: true}}\n"

static void check_ways(tn_sim *sim, double tol)
{
    double x[3], angle[3];
    tn_ledger l;
    tn_sim_joint_coordinates(sim, (tn_joint){0}, x, NULL);
    tn_sim_joint_coordinates(sim, (tn_joint){1}, angle, NULL);
    tn_sim_ledger(sim, &l);
    CHECK_NEAR(l.supplied, 3.0 * x[0] + 0.7 * angle[0], tol);
    CHECK(l.dissipated == 0.0);
}

static tn_status check_steady_step(void *user, tn_sim *sim)
{
    const double from = tn_sim_before(sim), h = tn_sim_time(sim) - from;
    int *steps = user;
    ++*steps;
    for (int i = 1; i < 4; i++) {
        CHECK_OK(tn_sim_show(sim, from + 0.25 * i * h));
        check_ways(sim, 1e-8);
    }
    tn_sim_current(sim);
    check_ways(sim, 1e-8);
    return TN_OK;
}

static void steady_motors_work_by_their_way(void)
{
    static const char *const methods[] = {"dop853@joint", "radau5/ggl@absolute", "dopri5@absolute"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = NULL;
        tn_sim *sim = open_crane(FAN, methods[k], 0.0, &model);
        double x[3], angle[3], balance;
        tn_work work[2];
        int steps = 0;
        tn_ledger l;
        CHECK_OK(tn_sim_run(sim, 5.0, check_steady_step, &steps));
        CHECK(tn_sim_time(sim) < 3.0 && steps < 200); // the event; steps are turns long
        tn_sim_joint_coordinates(sim, (tn_joint){0}, x, NULL);
        tn_sim_joint_coordinates(sim, (tn_joint){1}, angle, NULL);
        CHECK_NEAR(x[0], 2.5, 1e-6);
        for (int i = 0; i < 2; i++)
            CHECK_OK(tn_sim_work(sim, i, &work[i]));
        CHECK_NEAR(work[0].supplied, 3.0 * x[0], 1e-8);
        CHECK_NEAR(work[1].supplied, 0.7 * angle[0], 1e-8);
        tn_sim_ledger(sim, &l);
        balance = tn_ledger_relative_balance(&l);
        CHECK(balance < 1e-6); // 1000 rtol
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// The motor gives what the drive takes, so that the work of both is zero at all times; their own
// ones go up and down 16 times within a step. The integral of 10 sin(50 t)^2 by hand.
// Of a wave, and of a pulse of a quarter of a millisecond, about which steps are short parts.
static void works_that_cancel_are_integrated(void)
{
    static const char *const methods[] = {"auto", "radau5", "bdf", "dopri5", "herk5"};
    static const char *const efforts[] = {"10*sin(50*t)^2", "1000*exp(-((t - 0.500775)/2.5e-4)^2)"};
    const double exact[] = {5.0 - sin(100.0) / 20.0, 0.25 * sqrt(TN_PI)};
    for (int i = 0; i < TN_COUNT(methods) * TN_COUNT(efforts); i++) {
        const int j = i % TN_COUNT(efforts);
        char text[400];
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_work work[2];
        tn_sim_options o = tn_default_sim();
        o.method = methods[i / TN_COUNT(efforts)];
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies: {q: {kind: planar, mass: 1, inertia: 1}}\njoints:\n"
                 "  p: {kind: prismatic, body: q, axis: [1, 0]}\n"
                 "  d: {kind: drive, joint: p, motion: t}\n"
                 "forces: {f: {kind: motor, joint: p, effort: %s}}\n",
                 efforts[j]);
        CHECK_OK(tn_model_parse(text, "text", &model, NULL));
        CHECK_OK(tn_sim_create(model, &o, &sim));
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        for (int k = 0; k < 2; k++)
            CHECK_OK(tn_sim_work(sim, 2 * k, &work[k]));
        printf("%-6s %s: %.9f %.9f\n", o.method, efforts[j], work[0].supplied, work[1].supplied);
        CHECK_NEAR(work[0].supplied, exact[j], 2e-6);
        CHECK_NEAR(work[1].supplied, -work[0].supplied, 1e-9);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"elements are booked", elements_are_booked},
    {"pushes are booked, and saved", pushes_are_booked_everywhere},
    {"works that cancel are integrated", works_that_cancel_are_integrated},
    {"steady motors work by their way", steady_motors_work_by_their_way},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
