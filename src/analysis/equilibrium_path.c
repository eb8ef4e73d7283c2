// SPDX-License-Identifier: MIT
//
// Equilibria one after the other while the load factor p grows: in steps, or along the path by its
// length. A step along the path of length ds goes first along its tangent t,
//
//   ( rows of the equilibrium )                 ( 0 )
//   ( t_last                  ) (dz, dp) = ds * ( 1 )
//
// and then back to it by Newton's method across the tangent, t (dz, dp) = 0 [Rik79]. The
// matrix is regular at limit points of the load, where p turns back. There t_p = 0; the place is
// found by the secant rule on t_p.

#include "analysis/equilibrium.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "model/units.h"
#include "system/absolute.h"
#include "text/notes.h"

#include <math.h>
#include <stdio.h>

static const double LEAST_ARC = 1e-7; // shortest step, relative to the longest
static const double FEWEST = 1e-5;    // shortest step of loads, relative to the first
static const double FARTHER = 1.25; // than its tangent a step may go: else it is on another branch
enum { MOST_CORRECTIONS = 12, FEW_CORRECTIONS = 4, MOST_SECANTS = 40, COLUMNS = 3 };

// Rows of the path --------------------------------------------------------------------------------

// Places of a body in the table; an amplitude of a modal body has one.
static int columns_of(const tn_model *model, int body)
{
    return model->bodies.at[body].ops->moves == 1 ? 1 : 3;
}

static tn_status add_column(tn_equilibrium *s, char *name, const char *unit)
{
    TN_TRY(tn_got(name));
    s->names[s->ncolumn] = name;
    s->units[s->ncolumn++] = unit;
    return TN_OK;
}

tn_status tn_eq_open_path(tn_equilibrium *s)
{
    const tn_model *model = s->model;
    static const char *const axes[3] = {"x", "y", "z"};
    int n = COLUMNS + s->ntrim + 3 * model->bodies.count;
    for (int j = 0; j < model->joints.count; j++)
        n += model->joints.at[j].ops->ncoord;
    s->names = tn_alloc(sizeof(char *) * (size_t)n);
    s->units = tn_alloc(sizeof(char *) * (size_t)n);
    TN_TRY(tn_got(s->names && s->units));
    TN_TRY(add_column(s, tn_strdup("load"), "1"));
    TN_TRY(add_column(s, tn_strdup("unstable"), "1"));
    TN_TRY(add_column(s, tn_strdup("limit"), "1"));
    for (int k = 0; k < s->ntrim; k++)
        TN_TRY(add_column(s, tn_strdup(model->inputs.at[s->trim_input[k]]->name), "1"));
    for (int j = 0; j < model->joints.count; j++) {
        const tn_joint_data *joint = &model->joints.at[j];
        for (int i = 0; i < joint->ops->ncoord; i++)
            TN_TRY(add_column(s, tn_format("%s.%s", joint->name, joint->ops->coords[i].name),
                              joint->ops->coords[i].unit));
    }
    for (int k = 1; k < model->bodies.count; k++)
        for (int i = 0; i < columns_of(model, k); i++)
            TN_TRY(add_column(s, tn_format("%s.%s", model->bodies.at[k].name, axes[i]), "m"));
    return TN_OK;
}

static tn_status make_room(tn_equilibrium *s)
{
    if (s->nrow < s->room)
        return TN_OK;
    const int room = 2 * s->room + 16;
    double *values = tn_resize(s->values, sizeof(double) * (size_t)room * (size_t)s->ncolumn);
    TN_TRY(tn_got(values));
    s->values = values;
    s->room = room;
    return TN_OK;
}

tn_status tn_eq_add_row(tn_equilibrium *s, bool limit)
{
    TN_TRY(make_room(s));
    double *to = s->values + (size_t)s->nrow * (size_t)s->ncolumn;
    const tn_point at = tn_eq_point(s, &s->now);
    *to++ = s->load;
    *to++ = s->facts.stability == TN_STABILITY_OPEN ? NAN : s->facts.unstable;
    *to++ = limit;
    for (int k = 0; k < s->ntrim; k++)
        *to++ = s->now.p[k];
    for (int j = 0; j < s->model->joints.count; j++) {
        double q[TN_JOINT_MAX_COORDS], rate[TN_JOINT_MAX_COORDS];
        const int n = tn_absolute_coordinates(s->sys, &at, j, q, rate);
        for (int i = 0; i < n; i++)
            *to++ = q[i] * tn_unit_joint_coordinate(s->model, (tn_joint){j}, i);
    }
    for (int k = 1; k < s->model->bodies.count; k++) {
        tn_body_state state;
        double p[3];
        tn_absolute_body(s->sys, &at, k, &state);
        tn_v3_to(tn_v3_scale(s->model->units.length, state.frame.p), p);
        tn_copy(columns_of(s->model, k), p, to);
        to += columns_of(s->model, k);
    }
    s->nrow++;
    if (s->options.progress)
        s->options.progress(s->options.user, s->nrow, s->load);
    return TN_OK;
}

// Loads in steps ----------------------------------------------------------------------------------

static tn_status try_load(tn_equilibrium *s, double load)
{
    tn_eq_set_load(s, load);
    const tn_status status = tn_eq_newton(s, MOST_CORRECTIONS, NULL);
    return status == TN_OK ? tn_eq_judge(s, NULL) : status;
}

// The path ends before this load, as the motion that was driven back least is so no more.
static tn_status jump(tn_equilibrium *s, double from, double to)
{
    tn_equilibrium_facts *f = &s->facts;
    char where[240];
    if (s->softest[0])
        snprintf(f->jumped_by, sizeof f->jumped_by, "%s", s->softest);
    else
        tn_eq_name(s, s->step, f->jumped_by, sizeof f->jumped_by);
    tn_eq_copy(s, &s->now, &s->kept);
    tn_eq_set_load(s, to);
    const tn_status status = tn_eq_settle(s);
    if (status > 0) {
        snprintf(where, sizeof where, " beyond load %.6g, where %s gives way", from, f->jumped_by);
        const tn_status failed = tn_eq_fail_search(s, where);
        tn_eq_copy(s, &s->kept, &s->now);
        tn_eq_set_load(s, from);
        return failed;
    }
    f->jumped = status == TN_OK;
    f->jumped_from = from;
    return status;
}

// From one load that was reached to the next, with shorter steps where Newton's method fails or
// where it loses the stable branch.
static tn_status raise_load(tn_equilibrium *s, double from, double to)
{
    const double all = to - from;
    double now = from, step = all;
    int unstable = s->facts.unstable;
    while (now != to) {
        const double next = fabs(to - now) <= fabs(step) * (1.0 + 1e-9) ? to : now + step;
        tn_eq_copy(s, &s->now, &s->kept);
        const tn_status status = try_load(s, next);
        if (status < 0)
            return status;
        if (status == TN_OK && s->facts.unstable <= unstable) {
            now = next;
            unstable = s->facts.unstable;
            continue;
        }
        tn_eq_copy(s, &s->kept, &s->now);
        tn_eq_set_load(s, now);
        step *= 0.25;
        if (fabs(step) < FEWEST * fabs(all)) {
            TN_TRY(tn_eq_judge(s, NULL));
            return jump(s, now, to);
        }
    }
    return TN_OK;
}

static tn_status follow_steps(tn_equilibrium *s)
{
    const double from = s->options.load_from, to = s->options.load_to;
    double last = from;
    for (int k = 1; k <= s->options.steps; k++) {
        const double next = k == s->options.steps ? to : from + (to - from) * k / s->options.steps;
        TN_TRY(raise_load(s, last, next));
        TN_TRY(tn_eq_add_row(s, false));
        last = next;
    }
    return TN_OK;
}

// By arc length -----------------------------------------------------------------------------------

// The tangent of the path at `now`, of unit length in (dq, dp), in the direction of the last one.
static tn_status find_tangent(tn_equilibrium *s)
{
    const int nv = s->sys->nv;
    TN_TRY(tn_eq_linearise(s, &s->now));
    const tn_status status = tn_eq_factor(s, 0.0);
    if (status != TN_OK && status != TN_RETRY_SINGULAR)
        return status;
    tn_zero(s->n, s->step);
    s->step[s->n0] = 1.0;
    TN_TRY(tn_eq_solve(s, s->step));
    const double size = hypot(tn_norm2(nv, s->step), s->step[s->n0]);
    if (!(size > 0.0) || !isfinite(size))
        return TN_RETRY_SINGULAR;
    tn_copy(s->n, s->step, s->tangent);
    tn_scale(s->n, 1.0 / size, s->tangent);
    return TN_OK;
}

// Distance of `now` from `kept`.
static double went(tn_equilibrium *s)
{
    const tn_system *sys = s->sys;
    tn_group_difference(sys->ngroup, sys->groups, s->kept.q, s->now.q, s->y);
    return hypot(tn_norm2(sys->nv, s->y), s->now.p[0] - s->kept.p[0]);
}

// One step of this length from `kept`, whose tangent is in `first`. A positive status: too long.
static tn_status step_along(tn_equilibrium *s, const double *first, double ds, int *count)
{
    tn_eq_copy(s, &s->kept, &s->now);
    tn_copy(s->n, first, s->tangent);
    TN_TRY(tn_eq_advance(s, ds, s->tangent));
    tn_eq_accept(s);
    TN_TRY(tn_eq_newton(s, MOST_CORRECTIONS, count));
    if (went(s) > FARTHER * ds)
        return TN_RETRY_NEWTON;
    TN_TRY(find_tangent(s));
    const double turn = tn_dot(s->sys->nv, first, s->tangent) + first[s->n0] * s->tangent[s->n0];
    return turn > 0.9 ? TN_OK : TN_RETRY_NEWTON; // 26 degrees
}

// Motions that become unstable between two points without a limit point between them.
static void tell_fork(tn_equilibrium *s, bool limit)
{
    const double *last = s->values + (size_t)(s->nrow - 1) * (size_t)s->ncolumn;
    const bool known = s->facts.stability != TN_STABILITY_OPEN && isfinite(last[1]);
    if (limit || !known || last[2] != 0.0 || last[1] == s->facts.unstable)
        return;
    tn_tell(s->options.teller,
            "note: between the loads %.6g and %.6g the number of unstable motions goes from %g to "
            "%d (%s): another branch of equilibria forks off there, which is not followed; --steps "
            "leaves the path for a stable one",
            last[0], s->load, last[1], s->facts.unstable, s->softest);
}

static tn_status note_point(tn_equilibrium *s, bool limit)
{
    s->load = s->now.p[0];
    TN_TRY(tn_eq_judge(s, NULL));
    tell_fork(s, limit);
    return tn_eq_add_row(s, limit);
}

// Between the step of no length, with t_p = before, and ds, with t_p of the other sign: the place
// where t_p vanishes becomes a row of its own.
static tn_status find_limit(tn_equilibrium *s, const double *first, double ds, double before,
                            double after)
{
    double low = 0.0, high = ds, at_low = before, at_high = after;
    for (int k = 0; k < MOST_SECANTS; k++) {
        const double secant = low + (high - low) * at_low / (at_low - at_high);
        const double ds1 = k % 3 == 2 ? 0.5 * (low + high) : secant;
        const tn_status status = step_along(s, first, ds1, NULL);
        if (status != TN_OK)
            return status < 0 ? status : TN_OK; // given by the points around it
        const double here = s->tangent[s->n0];
        if (fabs(here) <= TN_ROUND_ITERATE || high - low <= 1e-13 * ds)
            break;
        if ((here > 0.0) == (at_low > 0.0))
            low = ds1, at_low = here;
        else
            high = ds1, at_high = here;
    }
    s->facts.limit = s->facts.limits == 0 ? s->now.p[0] : s->facts.limit;
    s->facts.limits++;
    return note_point(s, true);
}

static tn_status fail_path(tn_equilibrium *s, const char *why)
{
    return tn_fail(
        TN_ERR_NUMERIC, "the path of equilibria could not be followed beyond load %.6g: %s%s%s",
        s->load, why, s->facts.direction[0] ? "; the last point is unstable or neutral along " : "",
        s->facts.direction);
}

// The last point of the path at exactly the load that was asked for.
static tn_status end_at(tn_equilibrium *s, double to)
{
    s->now.p[0] = to;
    s->border = EQ_LOAD;
    const tn_status status = tn_eq_newton(s, MOST_CORRECTIONS, NULL);
    s->border = EQ_ARC;
    if (status > 0)
        return fail_path(s, "the last load is at a limit point");
    TN_TRY(status);
    return note_point(s, false);
}

static tn_status follow_arc(tn_equilibrium *s)
{
    const double from = s->options.load_from, to = s->options.load_to;
    const double longest = s->options.arc_step;
    double *first = tn_alloc(sizeof(double) * (size_t)s->n), ds = 0.25 * longest;
    tn_status status = tn_got(first);
    tn_zero(s->n, s->tangent);
    s->tangent[s->n0] = to >= from ? 1.0 : -1.0;
    TN_THEN(status, find_tangent(s));
    while (status == TN_OK && s->nrow < s->options.most_points) {
        int count = 0;
        tn_copy(s->n, s->tangent, first);
        tn_eq_copy(s, &s->now, &s->kept);
        const double p0 = s->now.p[0], before = first[s->n0];
        status = step_along(s, first, ds, &count);
        if (status > 0) {
            ds *= 0.5;
            tn_eq_copy(s, &s->kept, &s->now);
            tn_copy(s->n, first, s->tangent);
            status = ds >= LEAST_ARC * longest ? TN_OK
                                               : fail_path(s, "no step along it is short enough");
            continue;
        }
        const double after = s->tangent[s->n0], p1 = s->now.p[0];
        if (status == TN_OK && before * after < 0.0) {
            status = find_limit(s, first, ds, before, after);
            TN_THEN(status, step_along(s, first, ds, NULL));
        }
        if (status == TN_OK && (p1 - to) * (p0 - to) <= 0.0 && p0 != to) {
            status = end_at(s, to);
            break;
        }
        TN_THEN(status, note_point(s, false));
        ds = count <= FEW_CORRECTIONS ? fmin(longest, 1.5 * ds) : ds;
    }
    tn_free(first);
    if (status == TN_OK && s->now.p[0] != to && s->nrow >= s->options.most_points)
        return fail_path(s, "it has as many points as were allowed (most_points)");
    return tn_leave(status, "the path of equilibria has no tangent");
}

tn_status tn_eq_follow(tn_equilibrium *s)
{
    const bool path = s->options.arc || s->options.steps > 0;
    const double first = path ? s->options.load_from : s->options.load_to;
    char where[80] = "";
    if (s->options.arc)
        s->border = EQ_LOAD; // for the first point
    if (s->by_load)
        s->now.p[0] = first;
    else
        tn_eq_set_load(s, first);
    const tn_status status = tn_eq_settle(s);
    if (first != 1.0)
        snprintf(where, sizeof where, " under load %.6g", first);
    if (status > 0)
        return tn_eq_fail_search(s, where);
    TN_TRY(status);
    if (s->by_load)
        s->load = s->now.p[0];
    TN_TRY(tn_eq_add_row(s, false));
    if (s->options.arc)
        s->border = EQ_ARC;
    return s->options.arc ? follow_arc(s) : s->options.steps > 0 ? follow_steps(s) : TN_OK;
}
