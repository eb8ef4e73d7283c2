// SPDX-License-Identifier: MIT
//
// A sensor at a wheel with many teeth: the condition that it makes changes many times within what
// would be one step. All changes are found, with steps of all lengths, also those that have the
// phase of the teeth at each of their ends. The wheel turns evenly, so that the angle over which
// the condition holds is known.

#include "test.h"

#include <math.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

typedef struct wheel {
    const char *method;
    double step; // 0: controlled by its error
    int teeth;
    double rate, phase, level, t_end;
} wheel;

// A motor with this effort does not change the speed.
static const double EFFORT = 1e-6;

static double work(const wheel *w)
{
    char text[600];
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "bodies: {b: {mass: 1, inertia: [1, 1, 1], initial: {rate: [0, 0, %.17g]}}}\n"
             "joints: {s: {kind: revolute, body: b, axis: [0, 0, 1]}}\n"
             "forces: {m: {kind: motor, joint: s,\n"
             "             effort: 'if(sin(%d*s.angle + (%.17g)) > %.17g, %g, 0)'}}\n",
             w->rate, w->teeth, w->phase, w->level, EFFORT);
    tn_sim *sim = tn_test_open_text(text, w->method, w->step, 1e-6);
    tn_ledger ledger;
    CHECK_OK(tn_sim_run(sim, w->t_end, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    CHECK(!tn_test_has_note(sim, "chatters"));
    tn_sim_destroy(sim);
    return ledger.supplied;
}

// The part of [0, rate t_end] in which sin(teeth angle + phase) > level, times the effort.
static double exact(const wheel *w)
{
    const double low = asin(w->level), high = PI - low, last = w->rate * w->t_end;
    double sum = 0.0;
    for (int k = -2;; k++) {
        const double a = (low + 2.0 * PI * k - w->phase) / w->teeth;
        const double b = (high + 2.0 * PI * k - w->phase) / w->teeth;
        if (a > last)
            return EFFORT * sum;
        sum += fmax(0.0, fmin(b, last) - fmax(a, 0.0));
    }
}

static void all_teeth_are_seen(void)
{
    static const wheel wheels[] = {
        {"radau5/ggl", 0.0, 7, 1.0, 0.0, 0.99, 10.0},
        {"dop853", 0.0, 12, 500.0, 0.0, -0.9, 0.06},
        {"herk5", 0.0, 60, 12.3, 0.0, 0.999, 0.5},
        {"radau5/ggl", 0.0, 60, 850.0, 0.0, 0.99, 0.0073},
        {"bdf/ggl", 0.0, 36, 30.0, 1.0, 0.9, 0.2},
        {"adams", 0.0, 20, 2.0, -2.0, 0.5, 3.0},
        {"radau5@absolute", 0.0, 200, 62.8, 0.3, 0.99, 0.03},
        {"dop853@absolute", 0.0, 100, 1.0, -1.0, -0.9, 2.0},
    };
    for (int k = 0; k < TN_COUNT(wheels); k++) {
        const wheel *w = &wheels[k];
        const double found = work(w), true_work = exact(w);
        printf("%-16s %3d teeth: work off by %.1e of it\n", w->method, w->teeth,
               fabs(found / true_work - 1.0));
        CHECK_NEAR(found, true_work, 1e-4 * true_work);
    }
}

// Fixed steps of a whole number of teeth, and of others.
static void steps_of_a_tooth_see_them(void)
{
    static const wheel wheels[] = {
        {"galpha/ggl", 1.0, 3, 40.0, 0.0, 0.999, 3.1},
        {"radau5/ggl", 1.0, 200, 104.0, 0.0, 0.5, 0.018},
        {"dop853@absolute", 6.0, 200, 30.0, -0.5 * 3.14159265358979323846, -0.9, 0.06},
        {"dop853", 8.57, 60, 30.0, -1.05, 0.99, 0.2},
        {"dopri5", 8.57, 60, 500.0, 0.3, 0.99, 0.0125},
        {"herk5", 14.3, 100, 32.0, 0.0, 0.5, 0.12},
        {"radau5@absolute", 28.57, 200, 62.8, 0.0, 0.99, 0.03},
    };
    for (int k = 0; k < TN_COUNT(wheels); k++) {
        wheel w = wheels[k];
        w.step *= 2.0 * PI / (w.teeth * w.rate);
        const double found = work(&w), true_work = exact(&w);
        printf("%-16s %3d teeth, steps of %.3g s: work off by %.1e of it\n", w.method, w.teeth,
               w.step, fabs(found / true_work - 1.0));
        CHECK_NEAR(found, true_work, 1e-4 * true_work);
    }
}

static const tn_test tests[] = {
    {"all teeth are seen", all_teeth_are_seen},
    {"steps of a tooth see them", steps_of_a_tooth_see_them},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
