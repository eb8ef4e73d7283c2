// SPDX-License-Identifier: MIT
//
// Unknowns whose equations have several solutions, or steep ones, stay on the one that continues
// the start, by every integrator, with steps and tolerances that are far too coarse for them.

#include "tenon/tenon.h"
#include "test.h"

#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A body that goes along x with the speed 1, so that x = t.
#define HEAD     \
    "tenon: 1\n" \
    "bodies:\n"  \
    "  b: {kind: planar, mass: 1, inertia: 1, initial: {velocity: [1, 0]}}\n"

static const char one_root[] =
    HEAD "unknowns: {u: {equation: 'u + u^3 - 3*sin(7*b.position.x)'}}\n";
static const char arcsine[] =
    HEAD "unknowns: {u: {equation: 'sin(u) - 0.9*sin(5*b.position.x)'}}\n";
static const char square_root[] =
    HEAD "unknowns: {u: {equation: 'u^2 - (1 + 0.99*sin(7*b.position.x))', start: 1}}\n";
static const char pushed[] =
    HEAD "  c: {kind: planar, mass: 1, inertia: 1}\n"
         "joints:\n"
         "  rail: {kind: prismatic, body: c, at: [0, 0], axis: [1, 0]}\n"
         "unknowns:\n"
         "  u: {equation: 'sin(u) - 0.9*sin(5*b.position.x)'}\n"
         "  w: {equation: 'w^2 - (1 + 0.99*sin(7*b.position.x))', start: 1}\n"
         "forces:\n"
         "  f: {kind: motor, joint: rail, effort: u + w}\n";
static const char near_roots[] =
    HEAD "signals: {y: sin(5*b.position.x)}\n"
         "unknowns: {u: {equation: '(u - y)*(u - y - 0.02)', start: -0.01}}\n";
// Solutions of like slope, that move by their distance in a step.
static const char three_roots[] =
    HEAD "signals: {y: sin(5*b.position.x)}\n"
         "unknowns: {u: {equation: '(u - y)*(u - y - 0.05)*(u - y + 0.05)', start: 0.051}}\n";
static const char turning[] = HEAD "unknowns: {u: {equation: 'sin(u - 10*b.position.x)'}}\n";
// The same in steps of a hundred times their distance.
static const char far_roots[] =
    HEAD "signals: {y: 3*b.position.x^2}\n"
         "unknowns: {u: {equation: '(u - y)*(u - y - 0.05)*(u - y + 0.05)', start: 0.051}}\n";
static const char fold[] = HEAD "unknowns: {u: {equation: 'u^2 - 1 + b.position.x', start: 1}}\n";

static double cubic_at(double t)
{
    double low = -2.0, high = 2.0;
    for (int k = 0; k < 60; k++) {
        const double u = 0.5 * (low + high);
        *(u + u * u * u > 3.0 * sin(7.0 * t) ? &high : &low) = u;
    }
    return low;
}

static double arcsine_at(double t)
{
    return asin(0.9 * sin(5.0 * t));
}

static double square_root_at(double t)
{
    return sqrt(1.0 + 0.99 * sin(7.0 * t));
}

static double sine_at(double t)
{
    return sin(5.0 * t);
}

static double highest_at(double t)
{
    return sin(5.0 * t) + 0.05;
}

static double turned_at(double t)
{
    return 10.0 * t;
}

static double far_at(double t)
{
    return 3.0 * t * t + 0.05;
}

typedef struct subject {
    const char *text, *name;
    double (*at)(double t);
} subject;

static const subject subjects[] = {
    {one_root, "u", cubic_at},          {arcsine, "u", arcsine_at},
    {square_root, "u", square_root_at}, {pushed, "u", arcsine_at},
    {pushed, "w", square_root_at},      {near_roots, "u", sine_at},
    {three_roots, "u", highest_at},     {turning, "u", turned_at},
    {far_roots, "u", far_at},
};

static const char *const fixed[] = {"galpha", "hht",         "radau5",
                                    "bdf",    "herk5",       "dopri5",
                                    "dop853", "variational", "energy-momentum"};
static const double steps[] = {0.01, 0.05, 0.17, 0.3};
static const char *const controlled[] = {"radau5", "bdf", "herk5", "dopri5", "dop853", "adams"};
static const double tolerances[] = {1e-2, 1e-4, 1e-6};

typedef struct look {
    const subject *s;
    double last, most; // of errors
} look;

static void look_at(tn_sim *sim, look *l, double t)
{
    CHECK_OK(tn_sim_show(sim, t));
    l->most = fmax(l->most, fabs(tn_test_value(sim, l->s->name) - l->s->at(t)));
}

// Within steps and at their ends.
static tn_status each_step(void *user, tn_sim *sim)
{
    look *l = user;
    const double t = tn_sim_time(sim);
    look_at(sim, l, l->last + 0.3 * (t - l->last));
    look_at(sim, l, l->last + 0.7 * (t - l->last));
    look_at(sim, l, t);
    tn_sim_current(sim);
    l->last = t;
    return TN_OK;
}

static void run_subject(const subject *s, const char *method, double step, double tol)
{
    tn_sim *sim = tn_test_open_text(s->text, method, step, tol);
    look l = {.s = s};
    const tn_status status = tn_sim_run(sim, 3.0, each_step, &l);
    if (status != TN_OK || !(l.most < 1e-6))
        printf("%s of %s, step %g, rtol %g: %g off, %s\n", s->name, method, step, tol, l.most,
               status == TN_OK ? "runs" : tn_last_error());
    CHECK_OK(status);
    CHECK(l.most < 1e-6);
    tn_sim_destroy(sim);
}

static void unknowns_go_on_over_fixed_steps(void)
{
    for (int i = 0; i < TN_COUNT(subjects); i++)
        for (int m = 0; m < TN_COUNT(fixed); m++)
            for (int k = 0; k < TN_COUNT(steps); k++)
                run_subject(&subjects[i], fixed[m], steps[k], 1e-6);
}

static void unknowns_go_on_under_error_control(void)
{
    for (int i = 0; i < TN_COUNT(subjects); i++)
        for (int m = 0; m < TN_COUNT(controlled); m++)
            for (int k = 0; k < TN_COUNT(tolerances); k++)
                run_subject(&subjects[i], controlled[m], 0.0, tolerances[k]);
}

// Where the slider is pushed to, by dop853 with rtol 1e-10.
static void forces_of_unknowns_are_right(void)
{
    const double end = 4.90218770;
    for (int m = 0; m < TN_COUNT(fixed); m++) {
        tn_sim *sim = tn_test_open_text(pushed, fixed[m], 0.04, 1e-6);
        CHECK_OK(tn_sim_run(sim, 3.0, NULL, NULL));
        CHECK_NEAR(tn_test_value(sim, "c.position.x"), end, 0.012); // 0.26 with another root
        tn_sim_destroy(sim);
    }
    for (int m = 0; m < TN_COUNT(controlled); m++) {
        tn_sim *sim = tn_test_open_text(pushed, controlled[m], 0.0, 1e-3);
        CHECK_OK(tn_sim_run(sim, 3.0, NULL, NULL));
        CHECK_NEAR(tn_test_value(sim, "c.position.x"), end, 0.02);
        tn_sim_destroy(sim);
    }
}

static void check_fold(const char *method, double step)
{
    tn_sim *sim = tn_test_open_text(fold, method, step, 1e-6);
    CHECK(tn_sim_run(sim, 3.0, NULL, NULL) == TN_ERR_NUMERIC);
    CHECK(tn_sim_time(sim) > 0.9 && tn_sim_time(sim) < 1.0001);
    CHECK(tn_test_value(sim, "u") > -1e-4);
    if (strncmp(method, "var", 3) && strncmp(method, "ene", 3)) // which solve for all at once
        CHECK(strstr(tn_last_error(), "unknown 'u'") != NULL);
    tn_sim_destroy(sim);
}

// Beyond a fold there is no solution.
static void runs_end_at_folds(void)
{
    for (int m = 0; m < TN_COUNT(fixed); m++)
        check_fold(fixed[m], 0.04);
    for (int m = 0; m < TN_COUNT(controlled); m++)
        check_fold(controlled[m], 0.0);
}

static void other_roots_are_told(void)
{
    tn_sim *sim = tn_test_open_text(square_root, "galpha", 0.01, 0.0);
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
    tn_state *x = &sim->start.x;
    const double u = x->e[0];
    CHECK_OK(tn_unknowns_check(&sim->unknowns, &sim->before, x));
    x->e[0] = -u; // solves the equation as well
    CHECK(tn_unknowns_check(&sim->unknowns, &sim->before, x) == TN_RETRY_NEWTON);
    CHECK(strstr(tn_last_error(), "unknown 'u': at t = 0.1 s its equation was solved by -1.27"));
    x->e[0] = 1e9; // does not
    CHECK(tn_unknowns_check(&sim->unknowns, &sim->before, x) == TN_RETRY_NEWTON);
    CHECK_OK(tn_unknowns_follow(&sim->unknowns, &sim->before, x));
    CHECK_NEAR(x->e[0], u, 1e-12);
    tn_sim_destroy(sim);
}

// Steps that are short for an unknown cost four evaluations and a half: 1 ms of 0.9 s.
static void looks_are_few(void)
{
    tn_sim *sim = tn_test_open_text(one_root, "galpha", 1e-3, 0.0);
    CHECK_OK(tn_sim_run(sim, 3.0, NULL, NULL));
    tn_ledger l;
    tn_sim_ledger(sim, &l);
    CHECK((double)(l.evaluations - l.newton) < 5.0 * (double)l.steps);
    CHECK(l.tangents < 0.2 * (double)l.steps);
    tn_sim_destroy(sim);
}

static const tn_test tests[] = {
    {"unknowns go on over fixed steps", unknowns_go_on_over_fixed_steps},
    {"unknowns go on under error control", unknowns_go_on_under_error_control},
    {"forces of unknowns are right", forces_of_unknowns_are_right},
    {"runs end at folds", runs_end_at_folds},
    {"other roots are told", other_roots_are_told},
    {"looks are few", looks_are_few},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
