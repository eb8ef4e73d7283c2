// SPDX-License-Identifier: MIT
//
// Own joints as joints of the library: a table of rows of the form TN_ROW_OWN, and, where the kind
// has a placement, the motion side.
//
// With others held, a freedom of a chain of turns, slides and screws moves frame B by
// X(q + h e_i) = X(q) exp(h S_i) for any h: the logarithm gives S_i to round-off. Freedom j carries
// those before it, dS_i/dq_j = -[S_j, S_i] for j > i.

#include "kinds/family.h"
#include "kinds/own.h"
#include "row/own_row.h"

#include "base/alloc.h"
#include "lie/se3.h"

#include <string.h>

typedef struct own_joint {
    tn_joint_ops ops; // first
    tn_own_joint table;
    tn_param params[TN_OWN_PARAMS];
    tn_row rows[TN_JOINT_MAX_ROWS];
    const char *row_names[TN_JOINT_MAX_ROWS];
    tn_joint_coord coords[TN_JOINT_MAX_COORDS];
} own_joint;

// The part of a freedom by which S is found: far enough from zero and from half a turn.
static const double OWN_STRIDE = 0.5;

static bool own_is_length(const tn_own_row *row)
{
    return strcmp(row->unit, "m") == 0;
}

tn_twist tn_own_freedom(const tn_own_joint *table, const tn_joint_at *at, const double *q, int i,
                        double stride)
{
    double moved[TN_JOINT_MAX_COORDS], x[6];
    memcpy(moved, q, (size_t)table->ncoord * sizeof *q);
    moved[i] += stride;
    const tn_frame from = table->placement(at, q), to = table->placement(at, moved);
    tn_se3_log(tn_frame_mul(tn_frame_inverse(from), to), x);
    return (tn_twist){tn_v3_scale(1.0 / stride, tn_v3_from(x)),
                      tn_v3_scale(1.0 / stride, tn_v3_from(x + 3))};
}

static tn_twist own_bracket(tn_twist a, tn_twist b)
{
    return (tn_twist){tn_v3_add(tn_v3_cross(a.w, b.v), tn_v3_cross(a.v, b.w)),
                      tn_v3_cross(a.w, b.w)};
}

static tn_twist add_twist(tn_twist a, double scale, tn_twist b)
{
    return (tn_twist){tn_v3_axpy(scale, b.v, a.v), tn_v3_axpy(scale, b.w, a.w)};
}

static void own_motion(const tn_joint_def *def, const double *q, const double *v,
                       tn_joint_motion *out)
{
    const own_joint *joint = (const own_joint *)tn_joint_ops_of((int)def->kind);
    const tn_own_joint *table = &joint->table;
    const tn_joint_at at = {.params = def->own.at, .user = table->kind.user};
    const double length = tn_own_unit(&def->own, 0);
    double si[TN_JOINT_MAX_COORDS];
    for (int i = 0; i < table->ncoord; i++)
        si[i] = q[i] * (own_is_length(&table->coords[i]) ? length : 1.0);
    out->X = tn_own_frame(table->placement(&at, si), 1.0 / length);
    for (int i = 0; i < table->ncoord; i++) {
        const bool slides = own_is_length(&table->coords[i]);
        const double unit = slides ? length : 1.0;
        tn_twist S = tn_own_freedom(table, &at, si, i, OWN_STRIDE * unit);
        out->S[i] = (tn_twist){tn_v3_scale(unit / length, S.v), tn_v3_scale(unit, S.w)};
        out->Sdot[i] = (tn_twist){0};
    }
    for (int i = 0; i < table->ncoord; i++)
        for (int j = i + 1; j < table->ncoord; j++)
            out->Sdot[i] = add_twist(out->Sdot[i], -v[j], own_bracket(out->S[j], out->S[i]));
}

static void own_coordinates(const tn_joint_def *def, tn_frame X, double *q)
{
    const own_joint *joint = (const own_joint *)tn_joint_ops_of((int)def->kind);
    for (int i = 0; i < joint->table.ncoord; i++)
        q[i] = tn_own_row_value(&joint->coords[i].row, tn_frame_identity, X, def);
}

// Adding ------------------------------------------------------------------------------------------

static tn_status check_names(const tn_own_joint *joint, int n, const tn_own_row *rows,
                             const char *what)
{
    for (int i = 0; i < n; i++)
        if (!rows || !rows[i].name || !rows[i].unit ||
            (!own_is_length(&rows[i]) && strcmp(rows[i].unit, "rad") != 0))
            return tn_fail(TN_ERR_USAGE,
                           "kind '%s': %s %d needs a name and the unit \"m\" or \"rad\"",
                           joint->kind.name, what, i);
    return TN_OK;
}

static tn_status check_table(const tn_own_joint *joint)
{
    const char *name = joint->kind.name;
    TN_TRY(tn_own_check(&joint->kind, sizeof((tn_own_values *)0)->at, false));
    if (!joint->value)
        return tn_fail(TN_ERR_USAGE, "kind '%s': a joint needs the function value", name);
    if (joint->hessian && !joint->gradient)
        return tn_fail(TN_ERR_USAGE, "kind '%s': it gives hessian, but no gradient", name);
    if (joint->nrow < 1 || joint->nrow > TN_JOINT_MAX_ROWS)
        return tn_fail(TN_ERR_USAGE, "kind '%s': %d rows, but a joint has 1 to %d", name,
                       joint->nrow, TN_JOINT_MAX_ROWS);
    if (joint->ncoord < 0 || joint->ncoord > TN_JOINT_MAX_COORDS)
        return tn_fail(TN_ERR_USAGE, "kind '%s': %d coordinates, but a joint has 0 to %d", name,
                       joint->ncoord, TN_JOINT_MAX_COORDS);
    if (joint->placement && joint->nrow + joint->ncoord != 6)
        return tn_fail(TN_ERR_USAGE,
                       "kind '%s': with a placement its %d rows and %d coordinates must be 6", name,
                       joint->nrow, joint->ncoord);
    TN_TRY(check_names(joint, joint->nrow, joint->rows, "row"));
    return check_names(joint, joint->ncoord, joint->coords, "coordinate");
}

static tn_row own_row(int i, const tn_own_row *row, bool turns)
{
    return (tn_row){
        .form = TN_ROW_OWN, .i = i, .j = own_is_length(row), .k = turns && !own_is_length(row)};
}

static void fill_ops(own_joint *joint)
{
    const tn_own_joint *t = &joint->table;
    tn_own_params(&t->kind, offsetof(tn_joint_def, own.at), joint->params);
    for (int i = 0; i < t->nrow; i++) {
        joint->rows[i] = own_row(i, &t->rows[i], false);
        joint->row_names[i] = t->rows[i].name;
    }
    for (int i = 0; i < t->ncoord; i++)
        joint->coords[i] = (tn_joint_coord){t->coords[i].name, t->coords[i].unit,
                                            own_row(t->nrow + i, &t->coords[i], true)};
    joint->ops = (tn_joint_ops){
        .name = t->kind.name,
        .text = t->kind.text,
        .glyph = "ball a; ball b 0.7",
        .dim = 3,
        .coupling = !t->placement,
        .relative = true,
        .nq = t->placement ? t->ncoord : 0,
        .nv = t->placement ? t->ncoord : 0,
        .rows = joint->rows,
        .row_names = joint->row_names,
        .nrow = t->nrow,
        .coords = joint->coords,
        .ncoord = t->ncoord,
        .params = joint->params,
        .nparam = t->kind.nparam,
        .motion = t->placement ? own_motion : NULL,
        .coordinates = t->placement ? own_coordinates : NULL,
        .own = t,
        .note = !t->gradient  ? "its gradients are not given and formed by differences"
                : !t->hessian ? "its second derivatives are not given and formed by differences"
                              : NULL,
    };
}

tn_status tn_add_joint_kind(const tn_own_joint *joint, tn_joint_kind *out)
{
    TN_NEED(joint, TN_ERR_USAGE);
    int number = 0;
    TN_TRY(check_table(joint));
    own_joint *own = tn_alloc(sizeof *own);
    TN_TRY(tn_got(own));
    own->table = *joint;
    fill_ops(own);
    TN_TRY(tn_own_push(TN_FAMILY_JOINT, own, &number));
    if (out)
        *out = (tn_joint_kind)(TN_JOINT_KIND_COUNT + number);
    return TN_OK;
}
