// SPDX-License-Identifier: MIT
//
// The motion of a mechanism whose drives leave no freedom: positions, velocities and accelerations
// from constraints alone,
//
//   g(t,q) = 0,   B v = -g_t,   B v' = -gamma,
//
// B being passive and driven rows together. From one time to the next the position is continued: a
// predictor by v and v', and Newton's method with the matrix of the predicted point. A step is good
// when each correction is at most a quarter of the one before it, otherwise it is halved: a ratio
// has no units, and it is small where the matrix changes little on the way, so that the iteration
// ends on the branch that it began on. The quarter is a choice, not a bound.

#include "analysis/inverse_parts.h"

#include "base/tolerance.h"
#include "linalg/dense.h"
#include "start/singular.h"

#include <math.h>

static const double CONTRACTION = 0.25;
static const double LEAP = 0.5;      // no correction is longer, in sizes of the model or radians
static const double NOISE = 1e-10;   // corrections below need not shrink any more
static const double SINGULAR = 1e-5; // ratio of singular values; regular ones are above 1e-4
static const double DEAD = 1e-2;     // below this a failure is that of a dead centre
static const double LEAST = 1e-12;   // shortest step, relative to times
enum { MOST_CORRECTIONS = 30 };

void tn_inverse_motion_of(const tn_inverse *s, const tn_basis *of, const double *e, double *x)
{
    tn_zero(s->sys->nv, x);
    tn_basis_add(of, e, x);
}

// Gradients of drives are rows of B.
static void gather_drives(tn_inverse *s)
{
    const tn_sparse *B = s->sys->block[TN_BLOCK_B];
    for (int j = 0; B && j < B->ncol; j++)
        for (int k = B->colptr[j]; k < B->colptr[j + 1]; k++) {
            const int i = s->driven_of[B->rowind[k]];
            if (i >= 0)
                tn_column_of(s->D, s->sys->nv, i)[j] = B->val[k];
        }
}

tn_status tn_inverse_linearise(tn_inverse *s, const tn_point *at)
{
    const int nv = s->sys->nv;
    TN_TRY(tn_system_eval(s->sys, at, TN_EVAL_B));
    TN_TRY(tn_basis_form(s->basis, at));
    if (s->loads != s->basis)
        TN_TRY(tn_basis_form(s->loads, at));
    if (s->basis->nf != s->nf || s->loads->nf != s->nl)
        return TN_RETRY_SINGULAR;
    tn_zero(nv * s->ndriven, s->D);
    gather_drives(s);
    for (int i = 0; i < s->ndriven; i++) {
        const inv_driven *d = &s->driven[i];
        double c, gamma;
        if (d->row < 0)
            tn_absolute_coordinate(s->sys, at, d->joint, d->coordinate, &c,
                                   tn_column_of(s->D, nv, i), &gamma);
    }
    tn_reduced_factor(&s->drives, nv, s->D, s->basis->vectors);
    return s->drives.rank == s->nf ? TN_OK : TN_RETRY_SINGULAR;
}

// x with B_p x = cp, D x = cd, by the matrices of the last linearisation.
static void solve_inverse_move(tn_inverse *s, double *x)
{
    tn_basis_particular(s->basis, s->cp, x);
    for (int i = 0; i < s->ndriven; i++)
        s->cd[i] -= tn_dot(s->sys->nv, tn_column_of(s->D, s->sys->nv, i), x);
    tn_reduced_solve(&s->drives, s->cd, s->e);
    tn_basis_add(s->basis, s->e, x);
}

// The three levels of the rows, as right-hand sides ---------------------------------------------

typedef enum level { POSITION, VELOCITY, ACCELERATION } level;

static double row_level(const tn_system *sys, level which, int row)
{
    TN_ASSERT(row >= 0 && row < sys->ng);
    return which == POSITION ? sys->g[row] : which == VELOCITY ? sys->gdot[row] : sys->gamma[row];
}

// The system has been evaluated at the point, at rest for VELOCITY. Leaves cp and cd.
static void right_sides(tn_inverse *s, const tn_point *at, level which)
{
    const tn_system *sys = s->sys;
    for (int i = 0; i < sys->ng; i++)
        s->cp[i] = s->passive[i] ? -row_level(sys, which, i) : 0.0;
    for (int i = 0; i < s->ndriven; i++) {
        const inv_driven *d = &s->driven[i];
        double c, gamma, u[3];
        if (d->row >= 0) {
            s->cd[i] = -row_level(sys, which, d->row);
            continue;
        }
        tn_timefn_eval(d->u, at->t, u);
        tn_absolute_coordinate(sys, at, d->joint, d->coordinate, &c, s->dx, &gamma);
        s->cd[i] = which == POSITION   ? u[0] + d->offset - c
                   : which == VELOCITY ? u[1]
                                       : u[2] - gamma;
    }
}

// One correction of the position at a point, into x; returns its size.
static tn_status correct_inverse_move(tn_inverse *s, const tn_point *at, double *x, double *size)
{
    TN_TRY(tn_system_eval(s->sys, at, TN_EVAL_G));
    right_sides(s, at, POSITION);
    solve_inverse_move(s, x);
    *size = tn_norm_inf(s->sys->nv, x);
    return TN_OK;
}

static void retract(const tn_inverse *s, const double *q, const double *dx, double *out)
{
    tn_group_retract(s->sys->ngroup, s->sys->groups, q, dx, out);
}

// The position at time t near the one predicted, in q1. A positive status: try a shorter step.
static tn_status find_position(tn_inverse *s, double t)
{
    const tn_state *x = &s->start.x;
    const double h = t - x->t;
    const int nv = s->sys->nv;
    for (int i = 0; i < nv; i++)
        s->dx[i] = h * (x->v[i] + 0.5 * h * x->a[i]);
    retract(s, x->q, s->dx, s->q1);
    const tn_point at = {.t = t, .q = s->q1, .v = s->rest, .r = x->r};
    const double scale = 1.0 + tn_norm_inf(s->sys->nq, x->q);
    double last = LEAP, size = 0.0;
    TN_TRY(tn_inverse_linearise(s, &at));
    for (int k = 0; k < MOST_CORRECTIONS; k++) {
        TN_TRY(correct_inverse_move(s, &at, s->v1, &size));
        const bool noise = last <= NOISE * scale;
        if (!(size <= (k == 0 ? last : CONTRACTION * last)) && !noise)
            return TN_RETRY_NEWTON;
        if (noise && size > CONTRACTION * last)
            return TN_OK; // as near as round-off allows
        retract(s, s->q1, s->v1, s->q2);
        tn_copy(s->sys->nq, s->q2, s->q1);
        if (size <= TN_ROUND_SUM * scale)
            return TN_OK;
        last = size;
    }
    return TN_RETRY_NEWTON;
}

static double largest_missed(const tn_inverse *s)
{
    double most = 0.0;
    for (int i = 0; i < s->ndriven; i++)
        most = fmax(most, fabs(s->cd[i]) * tn_inverse_driven_unit(s, i));
    return most;
}

// Checks the errors of motions and joints; those of passive rows must be within assembly's bound.
static tn_status check_position(tn_inverse *s, double t)
{
    char name[160];
    const tn_point at = {.t = t, .q = s->q1, .v = s->rest, .r = s->start.x.r};
    TN_TRY(tn_system_eval(s->sys, &at, TN_EVAL_G));
    right_sides(s, &at, POSITION);
    s->missed = largest_missed(s);
    for (int i = 0; i < s->sys->ng; i++)
        if (!(fabs(s->cp[i]) <= s->assembly_tol)) {
            s->sys->ops->row_name(s->sys, i, name, sizeof name);
            return tn_fail(TN_ERR_NUMERIC,
                           "at t = %.9g s %s is open by %.3g: constraints that repeat each other "
                           "at the start contradict each other here",
                           t, name, fabs(s->cp[i]) * tn_system_row_unit(s->sys, i));
        }
    for (int i = 0; i < s->ndriven; i++)
        if (!(fabs(s->cd[i]) <= s->tolerance)) {
            const double unit = tn_inverse_driven_unit(s, i);
            tn_inverse_name_driven(s, i, name, sizeof name);
            return tn_fail(TN_ERR_NUMERIC,
                           "at t = %.9g s the motions contradict each other: there are %d for %d "
                           "freedom%s, and the one of %s is missed by %.3g; leave out some of "
                           "them, or allow more by the tolerance, which is %.3g",
                           t, s->ndriven, s->nf, s->nf == 1 ? "" : "s", name, fabs(s->cd[i]) * unit,
                           s->tolerance * unit);
        }
    return TN_OK;
}

// Velocities at q1, in v1; rows of velocities alone must agree with them.
static tn_status find_velocity(tn_inverse *s, double t)
{
    const tn_system *sys = s->sys;
    const tn_point at = {.t = t, .q = s->q1, .v = s->rest, .r = s->start.x.r};
    const tn_point moving = {.t = t, .q = s->q1, .v = s->v1, .r = s->start.x.r};
    char name[160];
    TN_TRY(tn_inverse_linearise(s, &at));
    TN_TRY(tn_system_eval(s->sys, &at, TN_EVAL_GDOT));
    right_sides(s, &at, VELOCITY);
    solve_inverse_move(s, s->v1);
    if (sys->nn == 0)
        return TN_OK;
    TN_TRY(tn_system_eval(s->sys, &moving, TN_EVAL_GDOT));
    const double fastest = fmax(1.0, tn_norm_inf(sys->nv, s->v1));
    for (int i = 0; i < sys->nn; i++)
        if (!(fabs(sys->ndot[i]) <= s->tolerance * fastest)) {
            sys->ops->row_name(sys, sys->ng + i, name, sizeof name);
            return tn_fail(TN_ERR_NUMERIC,
                           "at t = %.9g s the motions miss %s by %.3g of the largest speed; change "
                           "them so that they keep it, or allow more by the tolerance, which is "
                           "%.3g",
                           t, name, fabs(sys->ndot[i]) / fastest, s->tolerance);
        }
    return TN_OK;
}

// Accelerations at q1 and v1, into dx.
static tn_status find_acceleration(tn_inverse *s, double t)
{
    const tn_point at = {.t = t, .q = s->q1, .v = s->v1, .r = s->start.x.r};
    TN_TRY(tn_system_eval(s->sys, &at, TN_EVAL_GAMMA | TN_EVAL_GDOT));
    right_sides(s, &at, ACCELERATION);
    solve_inverse_move(s, s->dx);
    return tn_all_finite(s->sys->nv, s->dx) ? TN_OK : TN_RETRY_NEWTON;
}

static tn_status accept_inverse_move(tn_inverse *s, double t, const double *v)
{
    tn_state *x = &s->start.x;
    const tn_point at = {.t = t, .q = s->q1, .v = v, .r = x->r};
    tn_copy(s->sys->nr, x->r, s->r1);
    TN_TRY(s->sys->ops->accept(s->sys, &at, s->r1));
    tn_copy(s->sys->nr, s->r1, x->r);
    x->t = t;
    tn_copy(s->sys->nq, s->q1, x->q);
    s->steps++;
    return TN_OK;
}

static tn_status step_to(tn_inverse *s, double t)
{
    tn_state *x = &s->start.x;
    TN_TRY(find_position(s, t));
    TN_TRY(check_position(s, t));
    TN_TRY(find_velocity(s, t));
    TN_TRY(find_acceleration(s, t));
    TN_TRY(accept_inverse_move(s, t, s->v1));
    tn_copy(s->sys->nv, s->v1, x->v);
    tn_copy(s->sys->nv, s->dx, x->a);
    return TN_OK;
}

// Why no step succeeds --------------------------------------------------------------------------

// Margin of the passive rows from losing rank. Those of them that are independent at the start
// count, drives left out.
static tn_status passive_margin(tn_inverse *s, const tn_point *at, tn_rank_margin *out)
{
    TN_ASSERT(s->start.redundancy.active);
    int *rows = s->start.redundancy.active;
    for (int i = 0; i < s->sys->ng; i++)
        rows[i] = rows[i] && s->passive[i];
    return tn_singular_find(s->sys, at, rows, out);
}

static tn_status fail_rank(const tn_rank_margin *margin)
{
    char text[640];
    tn_singular_text(margin, text, sizeof text);
    return tn_fail(TN_ERR_NUMERIC,
                   "the motion comes to a singular position at t = %.9g s, where these constraints "
                   "depend on each other: %s; forces are not determined there, so change the "
                   "motion or the mechanism",
                   margin->t, text);
}

static tn_status fail_dead_centre(tn_inverse *s, const tn_point *at)
{
    char name[160];
    tn_reduced_kernel(&s->drives, s->nf - 1, s->e);
    tn_inverse_motion_of(s, s->basis, s->e, s->v1);
    tn_inverse_name_motion(s, s->v1, name, sizeof name);
    return tn_fail(TN_ERR_NUMERIC,
                   "the motion cannot be followed beyond t = %.9g s: at this dead centre %s moves "
                   "while all that is driven stands still; keep the motion within reach, or drive "
                   "that one instead",
                   at->t, name);
}

static tn_status fail_to_follow(tn_inverse *s)
{
    const tn_state *x = &s->start.x;
    const tn_point at = {.t = x->t, .q = x->q, .v = s->rest, .r = x->r};
    tn_rank_margin margin;
    TN_TRY(passive_margin(s, &at, &margin));
    if (margin.ratio < SINGULAR)
        return fail_rank(&margin);
    const tn_status status = tn_inverse_linearise(s, &at);
    if (status < 0)
        return status;
    if (tn_reduced_margin(&s->drives) < DEAD)
        return fail_dead_centre(s, &at);
    return tn_fail(TN_ERR_NUMERIC,
                   "the motion cannot be followed beyond t = %.9g s: no position near the last one "
                   "satisfies joints and drives; a motion must not jump",
                   x->t);
}

// Steps ----------------------------------------------------------------------------------------

tn_status tn_inverse_follow(tn_inverse *s, double t)
{
    tn_state *x = &s->start.x;
    const double least = LEAST * fmax(fabs(t), fabs(t - x->t));
    if (x->t == t) {
        const tn_status status = step_to(s, t);
        return status > 0 ? fail_to_follow(s) : status;
    }
    while (x->t != t) {
        const double left = t - x->t, h = s->h > 0.0 ? fmin(s->h, fabs(left)) : fabs(left);
        const bool last = h >= fabs(left);
        const tn_status status = step_to(s, last ? t : x->t + copysign(h, left));
        if (status < 0)
            return status;
        s->h = status == TN_OK ? fmax(s->h, fmax(2.0 * h, least)) : 0.5 * h;
        if (s->h < least)
            return fail_to_follow(s);
    }
    return TN_OK;
}

// From where the model starts to where the motions begin, at one time and without velocities.
static tn_status approach_to(tn_inverse *s, double left, const double *distance)
{
    TN_ASSERT(left >= 0.0 && left <= 1.0);
    for (int i = 0; i < s->ndriven; i++)
        s->driven[i].offset = left * distance[i];
    TN_TRY(find_position(s, s->start.x.t));
    return accept_inverse_move(s, s->start.x.t, s->rest);
}

tn_status tn_inverse_approach(tn_inverse *s)
{
    tn_state *x = &s->start.x;
    double *distance = s->distance;
    double left = 1.0, part = 1.0;
    const tn_point at = {.t = x->t, .q = x->q, .v = s->rest, .r = x->r};
    tn_zero(s->sys->nv, x->v);
    tn_zero(s->sys->nv, x->a);
    TN_TRY(tn_system_eval(s->sys, &at, TN_EVAL_G));
    right_sides(s, &at, POSITION);
    for (int i = 0; i < s->ndriven; i++)
        distance[i] = s->driven[i].row < 0 ? -s->cd[i] : 0.0;
    while (left > 0.0) {
        const double next = fmax(0.0, left - part);
        const tn_status status = approach_to(s, next, distance);
        if (status < 0)
            return status;
        if (status == TN_OK)
            left = next;
        part = status == TN_OK ? 2.0 * part : 0.5 * part;
        if (part < LEAST)
            return tn_fail_within(fail_to_follow(s), "on the way to the begin of the motion");
    }
    s->steps = 0;
    return TN_OK;
}
