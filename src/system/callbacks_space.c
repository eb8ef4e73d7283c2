// SPDX-License-Identifier: MIT
//
// The configuration space of a user's equations: spaces of tenon/system.h become factors of the
// group of the system (lie/product.h). A unit quaternion carries a rotation either way; SO3 and
// QUATERNION differ only in the arguments that the user's functions may depend on
// (callbacks_check.c).

#include "linalg/dense.h"
#include "system/callbacks_parts.h"

#include <stdio.h>

typedef tn_callbacks_system callbacks;

static const struct {
    const char *name;
    tn_group_kind group;
    int nq, nv; // 0: as many as the user states
} kinds[] = {
    [TN_SPACE_LINEAR] = {"TN_SPACE_LINEAR", TN_GROUP_R, 0, 0},
    [TN_SPACE_SO3] = {"TN_SPACE_SO3", TN_GROUP_ROTATION, 4, 3},
    [TN_SPACE_SE3] = {"TN_SPACE_SE3", TN_GROUP_SE3, 7, 6},
    [TN_SPACE_QUATERNION] = {"TN_SPACE_QUATERNION", TN_GROUP_ROTATION, 4, 3},
};

static int nq_of(const tn_space *space)
{
    return kinds[space->kind].nq ? kinds[space->kind].nq : space->n;
}

static int nv_of(const tn_space *space)
{
    return kinds[space->kind].nv ? kinds[space->kind].nv : space->n;
}

static tn_status check_space(int i, const tn_space *space)
{
    if ((int)space->kind < 0 || (int)space->kind >= TN_COUNT(kinds))
        return tn_fail(TN_ERR_USAGE,
                       "callbacks: spaces[%d] has the kind %d; known are TN_SPACE_LINEAR, "
                       "TN_SPACE_SO3, TN_SPACE_SE3 and TN_SPACE_QUATERNION",
                       i, (int)space->kind);
    const int nq = kinds[space->kind].nq;
    if (nq == 0 && space->n <= 0)
        return tn_fail(TN_ERR_USAGE,
                       "callbacks: spaces[%d] is TN_SPACE_LINEAR with n = %d, but it must have at "
                       "least one coordinate",
                       i, space->n);
    if (nq > 0 && space->n != 0 && space->n != nq)
        return tn_fail(TN_ERR_USAGE,
                       "callbacks: spaces[%d] is %s with n = %d, but it has %d coordinates; leave "
                       "n at 0",
                       i, kinds[space->kind].name, space->n, nq);
    return TN_OK;
}

tn_status tn_callbacks_check_spaces(const tn_callbacks *cb)
{
    long sum = 0;
    if (cb->nspace < 0)
        return tn_fail(TN_ERR_USAGE, "callbacks: nspace = %d, but it cannot be negative",
                       cb->nspace);
    if (cb->nspace == 0 || !cb->spaces)
        return !cb->nspace == !cb->spaces
                   ? TN_OK
                   : tn_fail(TN_ERR_USAGE, "callbacks: %s; give both or neither",
                             cb->spaces ? "spaces are given, but nspace = 0"
                                        : "nspace is given, but spaces are not");
    for (int i = 0; i < cb->nspace; i++) {
        TN_TRY(check_space(i, &cb->spaces[i]));
        sum += nq_of(&cb->spaces[i]);
    }
    if (sum != cb->nq)
        return tn_fail(
            TN_ERR_USAGE,
            "callbacks: nq = %d, but the spaces have %ld coordinates: n of a linear one, "
            "4 of SO3 and QUATERNION, 7 of SE3",
            cb->nq, sum);
    return TN_OK;
}

int tn_callbacks_nv(const tn_callbacks *cb)
{
    int nv = cb->nspace ? 0 : cb->nq;
    for (int i = 0; i < cb->nspace; i++)
        nv += nv_of(&cb->spaces[i]);
    return nv;
}

int tn_callbacks_ngroup(const tn_callbacks *cb)
{
    return cb->nspace ? cb->nspace : 1;
}

void tn_callbacks_take_spaces(callbacks *s)
{
    const tn_space whole = {TN_SPACE_LINEAR, s->cb.nq};
    int q = 0, v = 0;
    for (int k = 0; k < s->base.ngroup; k++) {
        const tn_space *space = s->cb.nspace ? &s->cb.spaces[k] : &whole;
        const int nq = nq_of(space), nv = nv_of(space);
        s->group[k] = (tn_group){kinds[space->kind].group, q, nq, v, nv};
        s->sided[k] = space->kind == TN_SPACE_QUATERNION;
        for (int i = 0; i < nv; i++)
            s->group_of[v + i] = k;
        q += nq;
        v += nv;
    }
    TN_ASSERT(q == s->base.nq && v == s->base.nv);
    s->cb.spaces = NULL; // the caller's
}

void tn_callbacks_move(const callbacks *s, int j, double by, const double *q, double *moved)
{
    TN_ASSERT(q != moved && j >= 0 && j < s->base.nv);
    tn_group factor = s->group[s->group_of[j]];
    const int i = j - factor.v0;
    double dx[6] = {0};
    if (factor.kind == TN_GROUP_R) {
        moved[factor.q0 + i] = q[factor.q0 + i] + by;
        return;
    }
    dx[i] = by;
    factor.v0 = 0;
    tn_group_retract(1, &factor, q, dx, moved);
}

double tn_callbacks_coordinate(const callbacks *s, int j, const double *q)
{
    const tn_group *factor = &s->group[s->group_of[j]];
    const int i = j - factor->v0;
    if (factor->kind == TN_GROUP_R)
        return q[factor->q0 + i];
    return i < tn_group_turn(factor) ? tn_norm_inf(3, q + factor->q0) : 0.0;
}

void tn_callbacks_velocity_name(const tn_system *self, int i, char *text, size_t size)
{
    const callbacks *s = (const callbacks *)self;
    const int k = s->group_of[i];
    const tn_group *factor = &s->group[k];
    const int in = i - factor->v0;
    if (s->cb.coordinate_names && s->cb.coordinate_names[i])
        snprintf(text, size, "%s", s->cb.coordinate_names[i]);
    else if (factor->kind == TN_GROUP_R)
        snprintf(text, size, "coordinate %d", factor->q0 + in);
    else
        snprintf(text, size, "block %d, %s %c", k,
                 in < tn_group_turn(factor) ? "move along" : "turn about", 'x' + in % 3);
}
