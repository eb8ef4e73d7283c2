// SPDX-License-Identifier: MIT
//
// Positions and velocities that a program gives: the start of users' equations, and states that are
// set later.

#include "start/start_parts.h"

#include "linalg/dense.h"
#include "model/model_kinks.h"

#include <math.h>
#include <string.h>

static int turn_place(const tn_group *group)
{
    return group->q0 + tn_group_turn(group);
}

static void normalise_quaternions(const tn_system *sys, double *q)
{
    for (int k = 0; k < sys->ngroup; k++) {
        double *quaternion = q + turn_place(&sys->groups[k]);
        if (tn_group_turns(&sys->groups[k]))
            tn_scale(4, 1.0 / tn_norm2(4, quaternion), quaternion);
    }
}

// Start values are typed with some digits: a quaternion that is off by more is none.
static const double UNIT = 1e-3;

static tn_status check_quaternions(const tn_system *sys, const double *q)
{
    for (int k = 0; k < sys->ngroup; k++) {
        const int at = turn_place(&sys->groups[k]);
        const double length = tn_group_turns(&sys->groups[k]) ? tn_norm2(4, q + at) : 1.0;
        if (!(fabs(length - 1.0) <= UNIT))
            return tn_fail(TN_ERR_USAGE,
                           "callbacks: the quaternion of spaces[%d], start values q[%d] to q[%d], "
                           "has the length %.6g; it must be 1 (scalar first), to %g",
                           k, at, at + 3, length, UNIT);
    }
    return TN_OK;
}

tn_status tn_start_take_given(tn_start *s, const double *q, const double *v)
{
    TN_TRY(check_quaternions(s->sys, q));
    tn_copy(s->sys->nq, q, s->x.q);
    tn_copy(s->sys->nv, v, s->x.v);
    normalise_quaternions(s->sys, s->x.q);
    tn_copy(s->sys->nq, s->x.q, s->q_given);
    tn_copy(s->sys->nv, v, s->v_given);
    return TN_OK;
}

// A state that a program sets ---------------------------------------------------------------------

// Quaternions shorter than this have lost their direction.
static const double SHORTEST = 1e-3;

static tn_status check_finite(const char *what, int n, const double *x)
{
    for (int i = 0; x && i < n; i++)
        if (!isfinite(x[i]))
            return tn_fail(TN_ERR_USAGE, "%s %d of the state is %g; it must be finite", what, i,
                           x[i]);
    return TN_OK;
}

static tn_status check_state(const tn_start *s, double t, const double *q, const double *v)
{
    const tn_system *sys = s->sys;
    TN_TRY(check_finite("time", 1, &t));
    TN_TRY(check_finite("position", sys->nq, q));
    TN_TRY(check_finite("velocity", sys->nv, v));
    for (int k = 0; q && k < sys->ngroup; k++)
        if (tn_group_turns(&sys->groups[k]) &&
            tn_norm2(4, q + turn_place(&sys->groups[k])) < SHORTEST)
            return tn_fail(TN_ERR_USAGE,
                           "positions %d to %d of the state are a quaternion of length %.2g; its "
                           "length must be 1",
                           turn_place(&sys->groups[k]), turn_place(&sys->groups[k]) + 3,
                           tn_norm2(4, q + turn_place(&sys->groups[k])));
    return TN_OK;
}

// Memories of angles (system/absolute_parts.h): without a time they go on from the angles alone.
static tn_status count_turns_from_here(tn_start *s)
{
    tn_system *sys = s->sys;
    const tn_point at = tn_state_point(&s->x);
    if (s->from_callbacks || sys->nturn == 0)
        return TN_OK;
    s->x.r[sys->nturn - 1] = 0.0;
    return sys->ops->accept(sys, &at, s->x.r);
}

tn_status tn_start_set(tn_start *s, double t, const double *q, const double *v)
{
    tn_system *world = s->world ? s->world->sys : s->sys;
    TN_TRY(check_state(s, t, q, v));
    s->x.t = t;
    if (q) {
        tn_system_from_si(s->sys, TN_MEASURE_POSITION, q, s->x.q);
        normalise_quaternions(s->sys, s->x.q);
    }
    if (v)
        tn_system_from_si(s->sys, TN_MEASURE_VELOCITY, v, s->x.v);
    if (!s->from_callbacks)
        world->piece =
            (tn_piece){true, tn_model_piece_after(tn_absolute_model(world), t), INFINITY};
    s->sys->looked = false;
    return count_turns_from_here(s);
}

// Values by name ----------------------------------------------------------------------------------

static tn_status put_state(tn_start *s, int i, const tn_state_def *def, double value)
{
    if (value < def->lower || value > def->upper)
        return tn_fail(TN_ERR_USAGE, "state '%s' cannot be %g: its limits are [%g, %g]", def->name,
                       value, def->lower, def->upper);
    s->x.e[i] = value;
    return TN_OK;
}

// Returns true if `name` is "first.second".
static bool is_pair(const char *name, const char *first, const char *second)
{
    const size_t n = strlen(first);
    return strncmp(name, first, n) == 0 && name[n] == '.' && strcmp(name + n + 1, second) == 0;
}

tn_status tn_start_put_value(tn_start *s, const char *name, double value, bool *known)
{
    const tn_system *world = s->world ? s->world->sys : s->sys;
    const tn_model *m = tn_absolute_model(world);
    *known = true;
    if (!isfinite(value))
        return tn_fail(TN_ERR_USAGE, "'%s' cannot be %g: it must be finite", name, value);
    for (int i = 0; i < m->states.count; i++)
        if (strcmp(name, m->states.at[i].name) == 0)
            return put_state(s, i, &m->states.at[i], value);
    for (int k = 0; k < m->samplers.count; k++)
        for (int i = 0; i < m->samplers.at[k].n; i++)
            if (is_pair(name, m->samplers.at[k].name, m->samplers.at[k].value[i].name)) {
                tn_absolute_set_sampled(world, k, i, value, s->x.r);
                return TN_OK;
            }
    *known = false;
    return TN_OK;
}
