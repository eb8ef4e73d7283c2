// SPDX-License-Identifier: MIT
//
// Relays with hysteresis: times at which they switch, against closed forms, by all methods.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CART                                          \
    "tenon: 1\n"                                      \
    "bodies: {cart: {mass: 1, inertia: [1, 1, 1]}}\n" \
    "joints: {rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0, 0]}}\n"

static const struct {
    const char *name;
    double step; // 0: error-controlled
    double tol;  // of times at which an exponential meets a threshold [s]
} methods[] = {
    {"dopri5@joint", 0.0, 1e-8},         {"dop853/index1+project@absolute", 0.0, 1e-8},
    {"adams@joint", 0.0, 1e-8},          {"bdf/ggl@absolute", 0.0, 1e-8},
    {"radau5/ggl@absolute", 0.0, 1e-8},  {"radau5@joint", 0.0, 1e-8},
    {"herk5@absolute", 0.0, 1e-8},       {"galpha/ggl@absolute", 1e-2, 2e-5},
    {"galpha@joint", 1e-2, 2e-5},        {"galpha/index1@director", 1e-2, 2e-5},
    {"variational", 1e-2, 2e-5},         {"energy-momentum/multiplier", 1e-2, 2e-5},
    {"radau5/ggl@absolute", 0.03, 1e-8},
};

static tn_sim *open_sim(const char *text, int method, tn_model **model)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = methods[method].name;
    options.step = methods[method].step;
    options.adaptive = options.step == 0.0;
    options.rtol = options.atol = 1e-11;
    CHECK_OK(tn_model_parse(text, "relay.yaml", model, NULL));
    CHECK_OK(tn_sim_create(*model, &options, &sim));
    return sim;
}

enum { SWITCHES = 64 };

typedef struct diary {
    const char *name; // of the relay
    double last;
    int n;
    double t[SWITCHES];
} diary;

static diary open_diary(tn_sim *sim, const char *name)
{
    return (diary){.name = name, .last = tn_test_value(sim, name)};
}

// Steps end where it switches.
static tn_status write_diary(void *user, tn_sim *sim)
{
    diary *d = user;
    const double now = tn_test_value(sim, d->name);
    if (now != d->last && d->n < SWITCHES)
        d->t[d->n++] = tn_sim_time(sim);
    d->last = now;
    return TN_OK;
}

// A run of the relay `name`, whose value is 1 at the start.
static diary keep_diary(const char *text, int method, const char *name, double t_end)
{
    tn_model *model = NULL;
    tn_sim *sim = open_sim(text, method, &model);
    diary d = open_diary(sim, name);
    CHECK(d.last == 1.0);
    CHECK_OK(tn_sim_run(sim, t_end, write_diary, &d));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return d;
}

// x'' = 1 while it is off and -1 while it is on: from x = -1 with speed -v to 1 it takes v + w,
// where w^2 = v^2 + 4 is the square of the speed there; and back the same. v^2 is 2 at first.
static void a_cart_swings_further_and_further(void)
{
    const char *const text =
        CART "blocks: {y: {kind: hysteresis, input: rail.displacement, on: 1, off: -1,\n"
             "             value_on: -1, value_off: 1}}\n"
             "forces: {push: {kind: motor, joint: rail, effort: y}}\n";
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const diary d = keep_diary(text, k, "y", 30.0);
        double t = sqrt(2.0);
        CHECK(d.n == 5);
        for (int i = 0; i < d.n; i++) {
            CHECK_NEAR(d.t[i], t, 1e-8);
            t += sqrt(4.0 * i + 2.0) + sqrt(4.0 * i + 6.0);
        }
    }
}

// T' = (10 - T)/2 + 10 y: towards 30 while it heats, towards 10 while it does not. It heats below
// 19 until 21.
static void a_room_is_kept_warm(void)
{
    const char *const text =
        CART "states: {warmth: {rate: (10 - warmth)/2 + 10*heater, initial: 15}}\n"
             "blocks: {heater: {kind: hysteresis, input: warmth, on: 19, off: 21}}\n"
             "forces: {push: {kind: motor, joint: rail, effort: heater}}\n";
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const diary d = keep_diary(text, k, "heater", 5.0);
        CHECK(d.n == 10);
        for (int i = 0; i < d.n; i++)
            CHECK_NEAR(d.t[i], 2.0 * (log(15.0 / 9.0) + i * log(11.0 / 9.0)), methods[k].tol);
    }
}

// Between the thresholds only `initial` tells at the start, at them and outside the input.
static void the_start_is_told(void)
{
    static const struct {
        double x;
        const char *initial;
        double y;
    } starts[] = {{0.0, "off", 3.0}, {0.0, "on", 5.0},  {1.0, "off", 5.0},
                  {1.5, "off", 5.0}, {-1.0, "on", 3.0}, {-2.0, "on", 3.0}};
    for (int k = 0; k < TN_COUNT(starts); k++) {
        char text[1024];
        tn_model *model = NULL;
        snprintf(text, sizeof text,
                 CART "signals: {x: %g + 0*t}\n"
                      "blocks: {y: {kind: hysteresis, input: x, on: 1, off: -1, value_on: 5,\n"
                      "             value_off: 3, initial: %s}}\n",
                 starts[k].x, starts[k].initial);
        tn_sim *sim = open_sim(text, 0, &model);
        CHECK(tn_test_value(sim, "y") == starts[k].y);
        CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
        CHECK(tn_test_value(sim, "y") == starts[k].y);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// A relay that no force uses, of time alone, also as a function and in a sampled system. Within
// steps it is what it was there.
static void whoever_uses_it_sees_its_memory(void)
{
    const char *const text = CART "signals: {x: sin(t), z: \"2*hysteresis(x, -0.5, 0.5, 0)\"}\n"
                                  "sampled: {look: {every: 0.1, next: {seen: z}}}\n"
                                  "forces: {push: {kind: motor, joint: rail, effort: x}}\n";
    const double up = asin(0.5), down = acos(-1.0) + up;
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = NULL;
        tn_sim *sim = open_sim(text, k, &model);
        while (tn_sim_time(sim) < 6.0) {
            CHECK_OK(tn_sim_step(sim, 0.37));
            const double from = tn_sim_before(sim), to = tn_sim_time(sim);
            for (int i = 1; i < 4; i++) {
                const double t = from + 0.25 * i * (to - from);
                CHECK_OK(tn_sim_show(sim, t));
                CHECK(tn_test_value(sim, "z") == (t > up && t < down ? 2.0 : 0.0));
                const double seen = 0.1 * floor(t / 0.1 + 1e-9);
                CHECK(tn_test_value(sim, "look.seen") == (seen > up && seen < down ? 2.0 : 0.0));
            }
            tn_sim_current(sim);
        }
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Saved within the band, once on and once off.
static void memories_are_saved(void)
{
    const char *const text =
        CART "blocks: {y: {kind: hysteresis, input: rail.displacement, on: 1, off: -1,\n"
             "             value_on: -1, value_off: 1}}\n"
             "forces: {push: {kind: motor, joint: rail, effort: y}}\n";
    for (int k = 0; k < TN_COUNT(methods); k++)
        for (int side = 0; side < 2; side++) {
            tn_model *model[2] = {NULL, NULL};
            tn_sim *sim[2];
            void *saved = NULL;
            size_t size;
            for (int i = 0; i < 2; i++)
                sim[i] = open_sim(text, k, &model[i]);
            CHECK_OK(tn_sim_run(sim[0], side ? 4.6 : 0.7, NULL, NULL));
            CHECK(fabs(tn_test_value(sim[0], "rail.displacement")) < 0.9);
            CHECK(tn_test_value(sim[0], "y") == (side ? -1.0 : 1.0));
            CHECK_OK(tn_sim_save(sim[0], &saved, &size));
            CHECK_OK(tn_sim_load(sim[1], saved, size));
            for (int i = 0; i < 2; i++)
                CHECK_OK(tn_sim_run(sim[i], 14.0, NULL, NULL));
            const double apart = tn_sim_q(sim[0])[0] - tn_sim_q(sim[1])[0];
            CHECK(fabs(apart) <= (tn_sim_loads_exactly(sim[0]) ? 0.0 : 1e-7));
            tn_saved_free(saved);
            for (int i = 0; i < 2; i++) {
                tn_sim_destroy(sim[i]);
                tn_model_destroy(model[i]);
            }
        }
}

static void mistakes_are_named(void)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"blocks: {y: {kind: hysteresis, input: t, on: 1, off: 1}}\n", "both 1"},
        {"blocks: {y: {kind: hysteresis, input: t, on: 1}}\n", "off"},
        {"blocks: {y: {kind: hysteresis, input: t, on: 1, off: 0, initial: maybe}}\n", "on"},
        {"forces: {f: {kind: motor, joint: rail, effort: \"hysteresis(t, 0, 1, 0)\"}}\n",
         "make it a signal"},
        {"sampled: {s: {every: 1, next: {a: \"hysteresis(t, 0, 1, 0)\"}}}\n", "between samples"},
        {"signals: {s: \"hysteresis(t, 0, 1)\"}\n", "takes 4 arguments"},
    };
    for (int k = 0; k < TN_COUNT(wrong); k++) {
        char text[1024];
        tn_model *model = NULL;
        snprintf(text, sizeof text, CART "%s", wrong[k].text);
        CHECK(tn_model_parse(text, "relay.yaml", &model, NULL) == TN_ERR_MODEL);
        CHECK(strstr(tn_last_error(), wrong[k].says));
        CHECK(strstr(tn_last_error(), "relay.yaml:4:"));
    }
}

static const tn_test tests[] = {
    {"a cart swings further and further", a_cart_swings_further_and_further},
    {"a room is kept warm", a_room_is_kept_warm},
    {"the start is told", the_start_is_told},
    {"whoever uses it sees its memory", whoever_uses_it_sees_its_memory},
    {"memories are saved", memories_are_saved},
    {"mistakes are named", mistakes_are_named},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
