// SPDX-License-Identifier: MIT
//
// Observed orders of a pairing, in all quantities of a track, against those that it states.

#pragma once

#include "road.h"

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
enum { LEVELS = 12 };

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
    int failures;
} orders_seen;

// Order between successive halvings: of the three finest pairs the one nearest to what is stated,
// or the highest, as the finest may touch round-off.
static inline double observed(int levels, const double error[LEVELS], int stated, bool exactly)
{
    double best = 0.0;
    for (int k = levels - 1; k > 0 && k > levels - 4; k--) {
        const double order = log2(error[k - 1] / error[k]);
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

static inline void check_orders(const problem *p, const tn_integrator_ops *integrator,
                                const tn_formulation *formulation, const char *rotation, void *user)
{
    static track run;
    orders_seen *seen = user;
    double error[QUANTITIES][LEVELS];
    char name[64], method[80];
    int stated[QUANTITIES], levels = 0;
    if (integrator->own_steps && strcmp(integrator->name, "bdf"))
        return; // adams has no fixed steps
    if (is_of_absolute(seen, rotation) || is_noisy(p, seen, integrator, formulation))
        return;
    const bool bdf = !strcmp(integrator->name, "bdf");
    method_name(integrator, formulation, name);
    snprintf(method, sizeof method, "%s@%s", name, seen->coordinates);
    const tn_sim_options corrected = fixed_step(p, method, rotation, 1);
    tn_pairing_orders(integrator, formulation, &corrected, stated);
    for (int k = 0; bdf && k < 3; k++)
        stated[k] = BDF_ORDER;
    stated[OF_C] = stated[OF_V]; // c' sees v and lambda, w is a function of all
    stated[OF_W] = stated[OF_LAMBDA];
    const bool low = stated[OF_Q] <= BDF_ORDER;
    const double noise = stated[OF_Q] > 5 ? 0.25 : 0.7; // halving a step brings no more than this
    const double least = integrator->needs & TN_VIEW_ACCEL ? EXPLICIT_FLOOR : IMPLICIT_FLOOR;
    for (int n = low ? 16 * TIMES : TIMES; n <= 4096 && levels < LEVELS; n *= 2) {
        tn_sim_options options = fixed_step(p, method, rotation, 1);
        options.step = p->t_end / n;
        options.max_order = bdf ? BDF_ORDER : 0;
        if (!try_steps(p, &options, &run))
            continue;
        for (int what = OF_Q; what < QUANTITIES; what++)
            error[what][levels] = distance(&run, &seen->exact, (quantity)what);
        if (levels > 2 && error[OF_Q][levels] > noise * error[OF_Q][levels - 1])
            break;
        if (levels++ >= 2 && error[OF_Q][levels - 1] < least)
            break;
    }
    for (int what = OF_Q; what < QUANTITIES; what++) {
        if (run.n[what] == 0)
            continue;
        // On a circle multipliers that are solved for see the velocity along it alone, which is of
        // a higher order than that across.
        const bool lucky = what == OF_LAMBDA && integrator->rough_forces;
        const bool exactly = stated[what] <= SEEN_EXACTLY && p->plain && !lucky;
        const double order = observed(levels, error[what], stated[what], exactly);
        // w adds up errors of all others, of either sign.
        const double shown = what == OF_W && !exactly ? order + 0.1 : order;
        // Between these order eight has no room to show: the coarsest run is right to ten digits.
        const bool no_room =
            stated[what] > 5 && error[what][0] < 1e-9 && error[what][levels - 1] < 2e-11;
        const bool good = no_room || is_good(shown, stated[what], exactly);
        printf("%-15s %-32s %-10s %-6s stated %d observed %5.2f  (", p->name, method, rotation,
               quantity_names[what], stated[what], order);
        for (int k = 0; k < levels; k++)
            printf("%s%.1e", k ? " " : "", error[what][k]);
        printf(")%s\n", good ? "" : "  <--");
        seen->failures += !good;
    }
}
