// SPDX-License-Identifier: MIT
//
// Observed orders of a pairing, in all quantities of a track, against those that it states.

#pragma once

#include "road.h"

#include <stdarg.h>

// Terms of the next order at the steps that double precision leaves. Methods of high order are made
// with small leading coefficients, so that the next term is seen and the order looks higher, and on
// SE(3) the motions of a top are a subgroup and orders are not reduced: there only the lower bound
// tells. Reductions are seen on the pendulum. Order eight shows over two or three halvings between
// 1e-6 and 1e-13 only, in which charts and partitions may change.
static const double ORDER_TOL = 0.25, HIGH_ORDER_TOL = 0.7;
static const int SEEN_EXACTLY = 3, BDF_ORDER = 3;
// Steps are halved until the error of q is near round-off; implicit methods meet the noise of their
// correctors earlier. At least three runs.
static const double EXPLICIT_FLOOR = 2e-12, IMPLICIT_FLOOR = 1e-10;
enum { LEVELS = 12, WHY_ROOM = 4000 };
// phase-space takes C'^T mu from differences that round by 1.5 eps / 2^-13 = 3e-12, times the step
// as mu grows from zero (phase_space.c): about this part of the largest value of a quantity. BLAS
// kernels differ in it. So much is taken off an error before its order is read, but never more than
// a third, which is 0.6 in an order: a method that loses one is still seen.
static const double DIFFERENCE_NOISE = 1e-12, MOST_NOISE = 1.0 / 3.0;
// What is called exact is a run with tolerances of 1e-13 and differs by so much between machines.
static const double EXACT_NOISE = 1e-14;

static inline void tight_track(const problem *p, const char *method, track *out)
{
    tn_sim_options options = tn_default_sim();
    options.method = p->callbacks && p->callbacks->lambda_in_force ? "radau5/ggl" : method;
    options.adaptive = true;
    options.rtol = options.atol = 1e-13;
    options.project_tol = 1e-13;
    follow(p, &options, out);
    for (int k = 0; p->exact && k < TIMES; k++)
        p->exact(p->t_end * (k + 1) / TIMES, out->at[k]);
}

typedef struct orders_seen {
    const char *coordinates;
    track exact;
    double fixed_q, fixed_v; // what one motion with fixed steps may be off by
    int failures;
    char why[WHY_ROOM]; // a line for each failure, as long as there is room
} orders_seen;

static inline void begin_roads(orders_seen *seen, const char *coordinates)
{
    seen->coordinates = coordinates;
    seen->failures = 0;
    seen->why[0] = '\0';
}

// Counts a failure and keeps its reason: it would be lost among hundreds of lines.
__attribute__((format(printf, 2, 3))) static inline void road_fails(orders_seen *seen,
                                                                    const char *format, ...)
{
    const size_t used = strlen(seen->why);
    va_list args;
    va_start(args, format);
    vsnprintf(seen->why + used, WHY_ROOM - used, format, args);
    va_end(args);
    seen->failures++;
}

static inline void check_roads(const orders_seen *seen)
{
    if (seen->failures > 0)
        fprintf(stderr, "%d failures:\n%s", seen->failures, seen->why);
    CHECK(seen->failures == 0);
}

static inline double largest(const track *x, int what)
{
    double size = 0.0;
    for (int k = 0; k < TIMES; k++)
        for (int i = 0; i < x->n[what]; i++)
            size = fmax(size, fabs(x->at[k][what][i]));
    return size;
}

static inline double without_noise(double error, double noise)
{
    return fmax(error - noise, (1.0 - MOST_NOISE) * error);
}

// Order between successive halvings: of the three finest pairs the one nearest to what is stated,
// or the highest, as the finest may touch round-off.
static inline double observed(int levels, const double error[LEVELS], double noise, int stated,
                              bool exactly)
{
    double best = 0.0;
    for (int k = levels - 1; k > 0 && k > levels - 4; k--) {
        const double order = log2(error[k - 1] / without_noise(error[k], noise));
        if (exactly ? fabs(order - stated) < fabs(best - stated) : order > best)
            best = order;
    }
    return best;
}

static inline bool is_good(double order, int stated, bool exactly)
{
    const double room = stated > 5 ? HIGH_ORDER_TOL : ORDER_TOL;
    return order > stated - room && (!exactly || order < stated + room);
}

// Steps too large for the corrector, or for stability, are no part of the sequence.
static inline bool try_steps(const problem *p, const tn_sim_options *options, track *out)
{
    tn_model *model;
    tn_sim *sim = open_problem(p, options, &model);
    tn_status status = TN_OK;
    for (int k = 0; k < TIMES && status == TN_OK; k++) {
        status = tn_sim_run(sim, p->t_end * (k + 1) / TIMES, NULL, NULL);
        note(out, k, sim, model, p->callbacks);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return status == TN_OK;
}

static inline bool is_of_absolute(const orders_seen *seen, const char *rotation)
{
    return !strcmp(seen->coordinates, "joint") && !strcmp(rotation, "se3");
}

// Where M changes, phase-space takes its rate from differences, which leave 1e-10 on the top: order
// eight has no room above that.
static inline bool is_noisy(const problem *p, const orders_seen *seen,
                            const tn_integrator_ops *integrator, const tn_formulation *formulation)
{
    return p->rotates && !strcmp(seen->coordinates, "joint") && integrator->order > 5 &&
           !strcmp(formulation->name, "phase-space");
}

// Runs with halved steps until the error of q is near round-off; returns how many.
static inline int halve_steps(const problem *p, const tn_sim_options *coarse, double noise,
                              double least, const track *exact, track *run,
                              double error[QUANTITIES][LEVELS])
{
    int levels = 0;
    for (int n = lround(p->t_end / coarse->step); n <= 4096 && levels < LEVELS; n *= 2) {
        tn_sim_options options = *coarse;
        options.step = p->t_end / n;
        if (!try_steps(p, &options, run))
            continue;
        for (int what = OF_Q; what < QUANTITIES; what++)
            error[what][levels] = distance(run, exact, (quantity)what);
        if (levels > 2 && error[OF_Q][levels] > noise * error[OF_Q][levels - 1])
            break;
        if (levels++ >= 2 && error[OF_Q][levels - 1] < least)
            break;
    }
    return levels;
}

static inline void tell_order(const char *name, const char *what, int stated, double order,
                              int levels, const double error[LEVELS], orders_seen *seen, bool good)
{
    char line[320] = "";
    tn_test_append(line, sizeof line, "%s %-6s stated %d observed %5.2f  (", name, what, stated,
                   order);
    for (int k = 0; k < levels; k++)
        tn_test_append(line, sizeof line, "%s%.1e", k ? " " : "", error[k]);
    printf("%s)%s\n", line, good ? "" : "  <--");
    if (!good)
        road_fails(seen, "%s): the order observed is not the one stated\n", line);
}

static inline void check_orders(const problem *p, const tn_integrator_ops *integrator,
                                const tn_formulation *formulation, const char *rotation, void *user)
{
    static track run;
    orders_seen *seen = user;
    double error[QUANTITIES][LEVELS];
    char name[64], method[80], line[160];
    int stated[QUANTITIES];
    if (integrator->own_steps && strcmp(integrator->name, "bdf"))
        return; // adams has no fixed steps
    if (is_of_absolute(seen, rotation) || is_noisy(p, seen, integrator, formulation))
        return;
    const bool bdf = !strcmp(integrator->name, "bdf");
    method_name(integrator, formulation, name);
    snprintf(method, sizeof method, "%s@%s", name, seen->coordinates);
    snprintf(line, sizeof line, "%-15s %-32s %-10s", p->name, method, rotation);
    tn_sim_options options = fixed_step(p, method, rotation, 1);
    tn_pairing_orders(integrator, formulation, &options, stated);
    for (int k = 0; bdf && k < 3; k++)
        stated[k] = BDF_ORDER;
    stated[OF_C] = stated[OF_V]; // c' sees v and lambda, w is a function of all
    stated[OF_W] = stated[OF_LAMBDA];
    const bool low = stated[OF_Q] <= BDF_ORDER;
    const double noise = stated[OF_Q] > 5 ? 0.25 : 0.7; // halving a step brings no more than this
    // Penalties let constraints give way by 1 / alpha, which orders do not reach below.
    const bool gives_way = !strcmp(formulation->name, "penalty");
    const double least =
        integrator->needs & TN_VIEW_ACCEL && !gives_way ? EXPLICIT_FLOOR : IMPLICIT_FLOOR;
    options.step = p->t_end / (low ? 16 * TIMES : TIMES);
    options.max_order = bdf ? BDF_ORDER : 0;
    const int levels = halve_steps(p, &options, noise, least, &seen->exact, &run, error);
    const bool differences = !strcmp(formulation->name, "phase-space");
    for (int what = OF_Q; what < QUANTITIES; what++) {
        if (run.n[what] == 0)
            continue;
        // On a circle multipliers that are solved for see the velocity along it alone, which is of
        // a higher order than that across.
        const bool lucky = what == OF_LAMBDA && integrator->rough_forces;
        const bool exactly = stated[what] <= SEEN_EXACTLY && p->plain && !lucky;
        const double unsure =
            (differences ? DIFFERENCE_NOISE : EXACT_NOISE) * largest(&seen->exact, what);
        const double order = observed(levels, error[what], unsure, stated[what], exactly);
        // w adds up errors of all others, of either sign.
        const double shown = what == OF_W && !exactly ? order + 0.1 : order;
        // Between these order eight has no room to show: the coarsest run is right to ten digits.
        const bool no_room =
            stated[what] > 5 && error[what][0] < 1e-9 && error[what][levels - 1] < 2e-11;
        const bool good = no_room || is_good(shown, stated[what], exactly);
        tell_order(line, quantity_names[what], stated[what], order, levels, error[what], seen,
                   good);
    }
}

// One motion: tight tolerances, or 1600 steps where a method has fixed ones only, or is of second
// order.
static inline void check_one_motion(const problem *p, const tn_integrator_ops *integrator,
                                    const tn_formulation *formulation, const char *rotation,
                                    void *user)
{
    static track run;
    orders_seen *seen = user;
    char name[64], method[80];
    tn_sim_options options = tn_default_sim();
    method_name(integrator, formulation, name);
    snprintf(method, sizeof method, "%s@%s", name, seen->coordinates);
    if (is_of_absolute(seen, rotation))
        return;
    const bool second_order = integrator->needs & TN_VIEW_STEP;
    const bool fixed = second_order || !strcmp(formulation->name, "baumgarte2");
    options.method = method;
    options.rotation = rotation;
    options.adaptive = !fixed;
    options.corrected_start = true;
    options.rtol = options.atol = 1e-9;
    if (fixed)
        options.step = p->t_end / 1600;
    const bool ran = try_steps(p, &options, &run);
    const double q = ran ? distance(&run, &seen->exact, OF_Q) : INFINITY;
    const double v = ran ? distance(&run, &seen->exact, OF_V) : INFINITY;
    const bool good = q < (fixed ? seen->fixed_q : 1e-6) && v < (fixed ? seen->fixed_v : 1e-4);
    if (!good)
        road_fails(seen, "%s %s %s: error of q %.1e, v %.1e %s\n", p->name, method, rotation, q, v,
                   ran ? "" : tn_last_error());
}
