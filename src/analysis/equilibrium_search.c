// SPDX-License-Identifier: MIT
//
// The search for one equilibrium.
//
// To a stable one: implicit Euler steps from rest, (K' + M/h^2) dq + B^T dlambda = -r, whose length
// h grows until they are Newton's. A step is taken where it goes down, that is where
//
//   dq^T (K' + M/h^2) dq > 0    and    -(F_0 + F_1) dq / 2 + lambda (g_1 - g_0) < 0,   F = f - M a,
//
// the second being the change of the potential, with the constraints, by the trapezoidal rule,
// which asks for no potential. Newton's method alone would go to maxima and saddles as well.
//
// To the nearest one, and along paths: Newton's method with a line search by natural monotonicity
// [Deu04]: a part of the correction is taken such that the next one, by the old matrix, is
// shorter. It has no units, and needs no weights between forces and lengths.

#include "analysis/equilibrium.h"
#include "base/tolerance.h"

#include "analysis/motion_name.h"
#include "linalg/dense.h"
#include "system/absolute.h"

#include <math.h>
#include <stdio.h>

static const double LEAP = 0.25;   // longest step, by the extent of the mechanism, or in radians
static const double TINY = 1e-6;   // steps below it need not go down: round-off would decide
static const double NOISE = 1e-8;  // corrections that stop shrinking below it are round-off
static const double GROWS = 8.0;   // of the shift, after a step that was refused
static const double SHRINKS = 0.1; // after one that was taken
static const double LEAST = 1e-9;  // smallest shift beside none, relative to K / M
static const double FAR = 200.0;   // a mechanism that went this far, so measured, goes on for ever
static const double STEADY = 25.0; // so does one that went this far downhill at one slope,
static const double SAME_SLOPE = 1e-6; // relative: a wheel that rolls for ever, a stone that falls
static const double PUSH = 1e-3;       // along an unstable motion, to leave its equilibrium
static const double LEAST_PART = 1e-6; // of a correction, in line searches
enum { MOST_STEPS = 3000, MOST_TRIALS = 300, MOST_PUSHES = 8, MOST_HALVINGS = 60 };

// Round-off of positions, as measured by measure_step.
static double eq_scale(const tn_equilibrium *s)
{
    return 1.0 + tn_norm_inf(s->sys->nq, s->now.q) / s->extent;
}

// b = -rows
static void right_side(const tn_equilibrium *s, double *b)
{
    for (int i = 0; i < s->n; i++)
        b[i] = -s->rows[i];
}

// Checks that the rows hold at `now`. If the matrix is singular, corrections can vanish without it:
// by forces that nothing balances, or inputs that do not move what they should. A force that
// belongs to 1e-9 of displacement is round-off of stiff elements, and one of an acceleration as
// small is none at all.
static tn_status check_balance(tn_equilibrium *s)
{
    static const double PART = 1e-7, MOVED = 1e-9;
    const int nv = s->sys->nv;
    double size = 0.0, off = 0.0, rows = 0.0;
    TN_TRY(tn_eq_rows(s, &s->now, s->rows));
    for (int i = 0; i < nv; i++) {
        size = fmax(size, fmax(fabs(s->force[i]), fabs(s->rows[i] + s->force[i])));
        off = fmax(off, fabs(s->rows[i]));
    }
    rows = fmax(tn_norm_inf(s->sys->ng, s->rows + nv), tn_norm_inf(s->np, s->rows + s->n0));
    const double moved = MOVED * (tn_sparse_norm1(s->sys->block[TN_BLOCK_K]) +
                                  tn_sparse_norm1(s->sys->block[TN_BLOCK_M]));
    const bool holds = off <= PART * size + moved && rows <= MOVED * s->extent;
    return holds ? TN_OK : TN_RETRY_SINGULAR;
}

// Newton's method ---------------------------------------------------------------------------------

// The largest turn [rad] or move, by the extent of the mechanism.
static double measure_step(const tn_equilibrium *s, const double *step)
{
    double most = tn_norm_inf(s->np, step + s->n0);
    if (!tn_all_finite(s->n, step))
        return INFINITY;
    for (int i = 0; i < s->sys->nv; i++)
        most = fmax(most, fabs(step[i]) / (s->turns[i] ? 1.0 : s->extent));
    return most;
}

// Takes the largest part of the step, of those tried, after which corrections are shorter. *next is
// the length of the one that follows by the same matrix.
static tn_status take_part(tn_equilibrium *s, double size, double *next)
{
    double part = fmin(1.0, LEAP / size);
    for (int k = 0; k < MOST_HALVINGS && part > LEAST_PART; k++, part *= 0.5) {
        tn_status status = tn_eq_advance(s, part, s->step);
        TN_THEN(status, tn_eq_rows(s, &s->next, s->other));
        if (status < 0)
            return status;
        if (status != TN_OK)
            continue;
        for (int i = 0; i < s->n; i++)
            s->other[i] = -s->other[i];
        status = tn_eq_solve(s, s->other);
        if (status < 0)
            return status;
        *next = status == TN_OK ? measure_step(s, s->other) : INFINITY;
        if (*next <= (1.0 - 0.25 * part) * size || *next <= TN_ROUND_SOLVE * eq_scale(s))
            return TN_OK;
        if (size <= NOISE * eq_scale(s)) {
            *next = 0.0; // round-off
            return TN_OK;
        }
    }
    return TN_RETRY_NEWTON;
}

tn_status tn_eq_newton(tn_equilibrium *s, int most, int *count)
{
    for (int k = 0; k < most; k++) {
        double next = INFINITY;
        s->facts.iterations++;
        if (count)
            *count = k + 1;
        TN_TRY(tn_eq_rows(s, &s->now, s->rows));
        TN_TRY(tn_eq_linearise(s, &s->now));
        const tn_status status = tn_eq_factor(s, 0.0);
        if (status != TN_OK && status != TN_RETRY_SINGULAR)
            return status;
        right_side(s, s->rows);
        tn_copy(s->n, s->rows, s->step);
        TN_TRY(tn_eq_solve(s, s->step));
        const double size = measure_step(s, s->step);
        if (size <= TN_ROUND_SOLVE * eq_scale(s) && k > 0)
            return check_balance(s);
        TN_TRY(take_part(s, fmax(size, TN_ROUND_SOLVE), &next));
        tn_eq_accept(s);
        if (next <= TN_ROUND_SOLVE * eq_scale(s))
            return check_balance(s);
    }
    return TN_RETRY_NEWTON;
}

// Steps downhill ----------------------------------------------------------------------------------

// The smallest shift beside none: the matrix of a mechanism with motions that nothing holds.
static double least_shift(const tn_equilibrium *s)
{
    const double K = tn_sparse_norm1(s->sys->block[TN_BLOCK_K]);
    const double M = tn_sparse_norm1(s->sys->block[TN_BLOCK_M]);
    return M > 0.0 ? LEAST * fmax(K / M, 1e-3) : 0.0;
}

static bool curves_up(tn_equilibrium *s)
{
    const int nv = s->sys->nv;
    tn_eq_times_stiffness(s, s->step, s->y1);
    tn_sparse_mul(s->sys->block[TN_BLOCK_M], s->shift, s->step, s->y1);
    const double curve = tn_dot(nv, s->step, s->y1);
    return curve >= -1e-10 * tn_norm2(nv, s->step) * tn_norm2(nv, s->y1);
}

// Change of the potential from now to next, whose forces are in `force`; those of now in force1.
static double change_of_potential(const tn_equilibrium *s)
{
    const tn_system *sys = s->sys;
    double work = 0.0, constraint = 0.0;
    for (int i = 0; i < sys->nv; i++)
        work += 0.5 * (s->force[i] + s->force1[i]) * s->step[i];
    for (int i = 0; i < sys->ng; i++)
        constraint += s->next.lambda[i] * (s->other[sys->nv + i] - s->rows[sys->nv + i]);
    return constraint - work;
}

// One step with the shift from the rows in `rows`; a positive status where it is refused.
static tn_status try_step(tn_equilibrium *s, double shift, double *size)
{
    tn_status status = tn_eq_factor(s, shift);
    *size = INFINITY;
    if (status == TN_RETRY_SINGULAR && shift == 0.0)
        return status;
    if (status != TN_OK && status != TN_RETRY_SINGULAR)
        return status;
    right_side(s, s->step);
    TN_TRY(tn_eq_solve(s, s->step));
    *size = measure_step(s, s->step);
    if (!(*size <= LEAP) || (*size > TINY && !curves_up(s)))
        return TN_RETRY_NEWTON;
    TN_TRY(tn_eq_advance(s, 1.0, s->step));
    tn_copy(s->sys->nv, s->force, s->force1);
    status = tn_eq_rows(s, &s->next, s->other);
    if (status == TN_OK && *size > TINY && change_of_potential(s) > 0.0)
        status = TN_RETRY_NEWTON;
    if (status != TN_OK)
        tn_copy(s->sys->nv, s->force1, s->force);
    return status;
}

// The shift with which a first step is no leap: along the accelerations that the forces give.
static tn_status first_shift(tn_equilibrium *s, double *shift)
{
    const double K = tn_sparse_norm1(s->sys->block[TN_BLOCK_K]);
    const double M = tn_sparse_norm1(s->sys->block[TN_BLOCK_M]);
    const double large = M > 0.0 ? fmax(K / M, 1.0) : 0.0;
    *shift = 0.0;
    if (large == 0.0)
        return TN_OK;
    const tn_status status = tn_eq_factor(s, large);
    if (status < 0)
        return status;
    right_side(s, s->step);
    if (tn_eq_solve(s, s->step) == TN_OK)
        *shift = large * fmin(1.0, measure_step(s, s->step) / (0.4 * LEAP));
    return TN_OK;
}

// A lasting motion differs from a short one by how far it went, `since` being where its slope was
// another one last.
static tn_status descend(tn_equilibrium *s)
{
    double shift = NAN, last = INFINITY, way = 0.0, slope = NAN, since = 0.0;
    for (int k = 0; k < MOST_STEPS && way < FAR && way - since < STEADY; k++) {
        double size = INFINITY;
        tn_status status = TN_RETRY_NEWTON;
        s->facts.iterations++;
        TN_TRY(tn_eq_rows(s, &s->now, s->rows));
        TN_TRY(tn_eq_linearise(s, &s->now));
        const double least = least_shift(s);
        if (isnan(shift))
            TN_TRY(first_shift(s, &shift));
        for (int i = 0; i < MOST_HALVINGS && status > 0; i++) {
            shift = shift < least ? 0.0 : shift;
            status = try_step(s, shift, &size);
            if (status > 0)
                shift = fmax(least, GROWS * shift);
        }
        TN_TRY(status);
        const double now = change_of_potential(s) / size;
        tn_eq_accept(s);
        way += size;
        since = fabs(now - slope) <= SAME_SLOPE * fabs(slope) ? since : way;
        slope = now;
        // Steps that were shortened by the shift are small without being near.
        const bool noise = size <= NOISE * eq_scale(s) && size > 0.5 * last;
        if (shift <= least && (size <= TN_ROUND_SOLVE * eq_scale(s) || noise))
            return check_balance(s);
        last = shift <= least ? size : INFINITY;
        shift *= SHRINKS;
    }
    return TN_RETRY_NEWTON;
}

// The whole ---------------------------------------------------------------------------------------

// Leaves an unstable equilibrium along the motion that is in y.
static tn_status push_off(tn_equilibrium *s, const double *direction)
{
    const double size = tn_norm_inf(s->sys->nv, direction);
    tn_zero(s->n, s->step);
    tn_axpy(s->sys->nv, PUSH / size, direction, s->step);
    TN_TRY(tn_eq_advance(s, 1.0, s->step));
    tn_eq_accept(s);
    s->facts.left++;
    snprintf(s->facts.left_by, sizeof s->facts.left_by, "%s", s->facts.direction);
    return TN_OK;
}

// The output that is farthest from its value.
static tn_status fail_trim(tn_equilibrium *s)
{
    const tn_point at = tn_eq_point(s, &s->now);
    tn_eq_trim_rows(s, &at, s->other, NULL);
    const int k = tn_largest_at(s->ntrim, s->other);
    const eq_output *o = &s->output[k];
    return tn_fail(TN_ERR_NUMERIC,
                   "trim: no values of input '%s'%s were found that hold %s at %.6g %s; it came to "
                   "%.6g; choose inputs that move it, or start nearer",
                   s->model->inputs.at[s->trim_input[0]]->name,
                   s->ntrim > 1 ? " and the others" : "", o->name, o->value * o->unit, o->unit_name,
                   (o->value + s->other[k]) * o->unit);
}

static tn_status settle_nearest(tn_equilibrium *s, bool trims)
{
    const tn_status status = tn_eq_newton(s, trims ? MOST_TRIALS : MOST_STEPS, NULL);
    if (status > 0 && trims)
        return fail_trim(s);
    TN_TRY(status);
    if (!s->purpose.unjudged)
        return tn_eq_judge(s, NULL);
    s->facts.freedoms = s->sys->nv - s->start.redundancy.rank;
    return TN_OK;
}

// Forces that have no potential, as those of a controller, may push uphill all the way: Newton's
// method from where the search began may come to the end all the same. If not, the failure is that
// of the way downhill.
static tn_status descend_or_newton(tn_equilibrium *s)
{
    tn_eq_copy(s, &s->now, &s->first);
    const tn_status status = descend(s);
    if (status <= 0)
        return status;
    tn_eq_copy(s, &s->now, &s->last);
    tn_eq_copy(s, &s->first, &s->now);
    tn_copy(s->n, s->step, s->tried);
    const tn_status other = tn_eq_newton(s, MOST_TRIALS, NULL);
    if (other <= 0)
        return other;
    tn_eq_copy(s, &s->last, &s->now);
    tn_copy(s->n, s->tried, s->step);
    return status;
}

tn_status tn_eq_settle(tn_equilibrium *s)
{
    const bool trims = s->border == EQ_TRIM && s->np > 0;
    if (s->options.nearest || trims)
        return settle_nearest(s, trims);
    for (int k = 0; k <= MOST_PUSHES; k++) {
        TN_TRY(descend_or_newton(s));
        TN_TRY(tn_eq_judge(s, s->force1));
        const bool moves = tn_norm_inf(s->sys->nv, s->force1) > 0.0; // not states alone
        const bool leave = s->facts.stability == TN_UNSTABLE && !s->facts.flutter && moves;
        if (!leave || k == MOST_PUSHES)
            return TN_OK;
        TN_TRY(push_off(s, s->force1));
    }
    return TN_OK;
}

// Which body is pushed on, and how strongly.
tn_status tn_eq_fail_search(tn_equilibrium *s, const char *where)
{
    char name[160];
    const tn_point at = tn_eq_point(s, &s->now);
    const double size = tn_norm_inf(s->sys->nv, s->step);
    if (!isfinite(size) || size == 0.0)
        return tn_fail(TN_ERR_NUMERIC,
                       "no equilibrium was found%s: the forces there cannot be evaluated or the "
                       "search has come to a standstill; start nearer to it",
                       where);
    tn_motion_name(s->model, s->sys, &at, s->step, name, sizeof name);
    return tn_fail(TN_ERR_NUMERIC,
                   "no equilibrium was found%s: %s goes on to move under the forces, after %ld "
                   "steps; something must hold it (a joint, a spring, a stop), or start nearer to "
                   "the equilibrium",
                   where, name, s->facts.iterations);
}
