// SPDX-License-Identifier: MIT
//
// Steps that jump from one branch of a mechanism to another.
//
// A step may go straight on where it should have turned: the constraints of a linkage that is
// not quite singular, s (s - c delta) = e with e of its lengths, are two curves, and a long step
// from one to the other notices nothing. Along a curve the motion x that becomes free and the rows
// y that become dependent never change the sign of y^T C x; from one curve to the other it changes.
// If it does within a step, y^T g at the time of the change is the gap e: errors of the motion
// within the step do not reach it in first order, as y^T C x vanishes there. A singular position
// has no gap, and straight on is right: y^T C x changes its sign then, and a motion that comes away
// from the position without that has turned into the other branch.

#include "integrator/interpolate.h"
#include "linalg/dense.h"
#include "monitor/branch.h"
#include "start/singular.h"

#include <math.h>

// Gaps, by the lengths of the mechanism, of which nothing is known: those below GAP or below what
// has drifted, those that errors of the motion reach in second order, and ten residuals of other
// rows, which do not converge where rows become dependent twice. An exact parallelogram at rtol
// 1e-3 would be said to have a gap without them.
static const double GAP = 1e-8, ERRORS = 10.0, MISSED = 10.0;
// The smallest eigenvalue there, as a part of the largest one, where a singular position is near: a
// row whose gradient has turned by a right angle in a long step changes the sign as well.
static const double CLOSE = 0.1;
enum { MOVES = 10 };

// y^T C x with the rows as evaluated last, by what it was where y and x were found.
static double slope_across(const tn_sim *sim)
{
    const tn_system *sys = sim->start.sys;
    const tn_branch *b = tn_branch_of(sim);
    double sum = 0.0;
    for (int block = 0; block < 2; block++) {
        const tn_sparse *C = sys->block[block ? TN_BLOCK_N : TN_BLOCK_B];
        const double *y = b->y + (block ? sys->ng : 0);
        for (int j = 0; C && j < C->ncol; j++)
            for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++)
                sum += y[C->rowind[k]] * C->val[k] * b->x[j];
    }
    return sum;
}

// y^T g, y of unit length, at sim->shown; what g has beside it goes into sim->rows, and its size
// into *others.
static tn_status split_residual(tn_sim *sim, double *along, double *others)
{
    tn_system *sys = sim->start.sys;
    const int rows = sys->ng + sys->nn;
    const int *active = tn_start_active(&sim->start);
    const double *y = tn_branch_of(sim)->y, size = tn_norm2(rows, y);
    const tn_point at = tn_state_point(&sim->shown);
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_G));
    *along = 0.0;
    tn_zero(rows, sim->rows);
    for (int i = 0; i < sys->ng; i++)
        *along += active[i] ? sys->g[i] * y[i] / size : 0.0;
    for (int i = 0; i < sys->ng; i++)
        sim->rows[i] = active[i] ? *along * y[i] / size - sys->g[i] : 0.0;
    *others = tn_norm2(rows, sim->rows);
    return TN_OK;
}

// The gap at sim->shown, 0 where it is not known. Other rows are brought to zero first, by the
// factorisation at the end of the step.
static tn_status measure_gap(tn_sim *sim, double *gap)
{
    tn_system *sys = sim->start.sys;
    double along, others;
    TN_TRY(split_residual(sim, &along, &others));
    for (int k = 0; k < MOVES && others > 0.01 * GAP; k++) {
        tn_zero(sys->nv, sim->scratch);
        TN_TRY(tn_accel_resolve(sim->start.accel, sim->scratch, sim->rows));
        tn_group_retract(sys->ngroup, sys->groups, sim->shown.q, sim->scratch, sim->shown.q);
        TN_TRY(split_residual(sim, &along, &others));
    }
    const double error = sim->options.adaptive ? ERRORS * tn_sim_error_tolerance(sim) : 0.0;
    const double drift = tn_branch_drifts(sim) ? sim->sums.ledger.g : 0.0;
    const double least = fmax(fmax(GAP, drift), fmax(error * error, MISSED * others));
    *gap = fabs(along) > least ? fabs(along) : 0.0;
    return TN_OK;
}

// The gap at the time *t within the step at which y^T C x vanishes, on the cubic through both ends:
// dense output of the method would move its charts.
static tn_status gap_within(tn_sim *sim, double slope, double *t, double *gap)
{
    enum { ITERATIONS = 6 };
    tn_system *sys = sim->start.sys;
    const tn_branch *b = tn_branch_of(sim);
    double low = sim->before.t, high = sim->start.x.t, at_low = 1.0, at_high = slope;
    tn_copy(sys->nr, sim->before.r, sim->shown.r);
    for (int k = 0; k < ITERATIONS; k++) {
        *t = k % 2 ? 0.5 * (low + high) : low + (high - low) * at_low / (at_low - at_high);
        tn_interpolate(sys, &sim->before, &sim->start.x, *t, &sim->shown);
        sim->shown.t = *t;
        const tn_point at = tn_state_point(&sim->shown);
        TN_TRY(tn_system_eval(sys, &at, TN_EVAL_B));
        const double now = slope_across(sim) / b->slope;
        *(now > 0.0 ? &low : &high) = *t;
        *(now > 0.0 ? &at_low : &at_high) = now;
    }
    TN_TRY(measure_gap(sim, gap));
    double there = 0.0;
    if (*gap > 0.0)
        TN_TRY(tn_branch_eigenvalue(sim, &sim->shown, &there));
    *gap = there < CLOSE * b->eigen_best ? *gap : 0.0;
    return TN_OK;
}

static tn_status jumped(tn_sim *sim, double t, double gap)
{
    tn_rank_margin m;
    char rows[640];
    TN_TRY(tn_sim_rank_now(sim, &m));
    tn_singular_text(&m, rows, sizeof rows);
    return tn_fail(TN_ERR_NUMERIC,
                   "at t = %.6g s a step of %s has jumped from one branch of the mechanism to "
                   "another: the constraints miss a singular position by %.2g there (%s), and the "
                   "motion turns where the step went straight on; take smaller steps or "
                   "tolerances, or lengths that agree where the position is meant to be singular",
                   t, tn_sim_method(sim), gap, rows);
}

// The smallest eigenvalue at one end of the step, with x, y and y^T C x for the next check.
static tn_status look_across(tn_sim *sim, const tn_state *state, double *value)
{
    tn_system *sys = sim->start.sys;
    tn_branch *b = tn_branch_of(sim);
    const tn_point at = tn_state_point(state);
    *value = INFINITY;
    b->looked = tn_branch_eigenvalue(sim, state, value) == TN_OK && *value > 0.0;
    if (!b->looked)
        return TN_OK;
    b->eigen_best = fmax(b->eigen_best, *value);
    tn_copy(sys->nv, sim->scratch, b->x);
    tn_copy(sys->ng + sys->nn, sim->rows, b->y);
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_B));
    b->slope = slope_across(sim);
    return TN_OK;
}

tn_status tn_branch_look(tn_sim *sim, double *value)
{
    tn_branch *b = tn_branch_of(sim);
    const tn_point end = tn_state_point(&sim->start.x);
    double t, gap = 0.0;
    if (!b->looked) {
        TN_TRY(look_across(sim, &sim->before, value));
        b->crossings = 0;
        b->least_seen = INFINITY;
    }
    if (b->looked) {
        TN_TRY(tn_accel_factor(sim->start.accel, &end));
        const double slope = slope_across(sim) / b->slope;
        if (slope < 0.0)
            TN_TRY(gap_within(sim, slope, &t, &gap));
        b->crossings += slope < 0.0;
    }
    if (gap > 0.0)
        return jumped(sim, t, gap);
    TN_TRY(look_across(sim, &sim->start.x, value));
    b->eigen_last = *value;
    if (*value < b->least_seen) {
        b->least_seen = *value;
        b->t_seen = sim->start.x.t;
    }
    return TN_OK;
}
