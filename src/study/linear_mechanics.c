// SPDX-License-Identifier: MIT
//
// Mass, damping, stiffness and constraints of a linear model in absolute coordinates or in those of
// joints. See docs/theory/linearisation.md.

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "sim/sim.h"
#include "study/linear_model.h"

#include <math.h>
#include <string.h>

static tn_status name_velocities(tn_linear *l, const tn_system *sys)
{
    char name[200];
    TN_TRY(tn_linear_open_names(&l->names[TN_LINEAR_COORDINATES], sys->nv));
    TN_TRY(tn_linear_open_names(&l->names[TN_LINEAR_ROWS], sys->ng + sys->nn));
    for (int i = 0; i < sys->nv; i++) {
        sys->ops->velocity_name(sys, i, name, sizeof name);
        const bool length = sys->v_length && sys->v_length[i];
        TN_TRY(
            tn_linear_add_name(&l->names[TN_LINEAR_COORDINATES], name, length ? "m" : "rad", NAN));
    }
    for (int i = 0; i < sys->ng + sys->nn; i++) {
        sys->ops->row_name(sys, i, name, sizeof name);
        TN_TRY(tn_linear_add_name(&l->names[TN_LINEAR_ROWS], name, "", NAN));
    }
    return TN_OK;
}

// A block of forces by increments, rates or accelerations, in SI units.
static tn_status put_square(tn_linear *l, const tn_system *sys, tn_linear_matrix which,
                            tn_block block, double per)
{
    linear_values *to = &l->matrix[which];
    TN_TRY(tn_linear_open_matrix(to, sys->nv, sys->nv));
    tn_sparse_to_dense(sys->block[block], to->at);
    for (int j = 0; j < sys->nv; j++)
        for (int i = 0; i < sys->nv; i++)
            tn_column_of(to->at, sys->nv, j)[i] *= tn_system_unit(sys, TN_MEASURE_FORCE, i) * per /
                                                   tn_system_unit(sys, TN_MEASURE_VELOCITY, j);
    return TN_OK;
}

static tn_status put_rows(tn_linear *l, const tn_system *sys)
{
    linear_values *to = &l->matrix[TN_LINEAR_CONSTRAINTS];
    const int rows = sys->ng + sys->nn;
    TN_TRY(tn_linear_open_matrix(to, rows, sys->nv));
    for (int part = 0; part < 2; part++) {
        const tn_sparse *A = sys->block[part ? TN_BLOCK_N : TN_BLOCK_B];
        for (int j = 0; A && j < sys->nv; j++)
            for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
                const int i = A->rowind[k] + (part ? sys->ng : 0);
                tn_column_of(to->at, rows, j)[i] = A->val[k] * tn_system_row_unit(sys, i) /
                                                   tn_system_unit(sys, TN_MEASURE_VELOCITY, j);
            }
    }
    return TN_OK;
}

static tn_status fill_mechanics(tn_linear *l, tn_system *sys, const tn_point *at)
{
    const double time = sys->units.time;
    TN_TRY(name_velocities(l, sys));
    TN_TRY(tn_system_eval(sys, at,
                          TN_EVAL_TANGENT | TN_EVAL_B | TN_EVAL_MASS | TN_EVAL_FORCE |
                              (sys->ne > 0 ? TN_EVAL_EXTRA : 0)));
    TN_TRY(put_square(l, sys, TN_LINEAR_MASS, TN_BLOCK_M, time));
    TN_TRY(put_square(l, sys, TN_LINEAR_DAMPING, TN_BLOCK_D, 1.0));
    TN_TRY(put_square(l, sys, TN_LINEAR_STIFFNESS, TN_BLOCK_K, 1.0 / time));
    return put_rows(l, sys);
}

// The point in coordinates of joints. Accelerations are differences of velocities along the steady
// motion.
typedef struct joint_coords {
    tn_equilibrium *s;
    tn_system *sys;
    tn_state x;
    double *q, *v, *other, *later; // of the world, nq and nv; in these coordinates, nq and nv
    void *block;
} joint_coords;

static void layout_joint_coords(void *self, tn_carve *mem)
{
    joint_coords *j = self;
    tn_state_layout(j->sys, &j->x, mem);
    j->q = tn_carve_doubles(mem, j->s->sys->nq);
    j->v = tn_carve_doubles(mem, j->s->sys->nv);
    j->other = tn_carve_doubles(mem, j->sys->nq);
    j->later = tn_carve_doubles(mem, j->sys->nv);
}

// q and v of the world after a time, in these coordinates.
static tn_status seen_at(joint_coords *j, double t, double *q, double *v)
{
    tn_eq_moved_on(j->s, t, j->q, j->v);
    const tn_point at = {.t = j->s->start.x.t + t, .q = j->q, .v = j->v, .r = j->s->now.r};
    return j->sys->ops->world->from(j->sys, &at, q, v);
}

static tn_status fill_joint_coords(joint_coords *j)
{
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};
    const tn_system *sys = j->sys;
    const eq_state *now = &j->s->now;
    const double h = 1e-3 * tn_eq_time_of(j->s, 1.0);
    TN_TRY(seen_at(j, 0.0, j->x.q, j->x.v));
    for (int k = 0; h > 0.0 && k < 4; k++) {
        TN_TRY(seen_at(j, at[k] * h, j->other, j->later));
        tn_axpy(sys->nv, weight[k] / (12.0 * h), j->later, j->x.a);
    }
    j->x.t = j->s->start.x.t;
    tn_copy(sys->nr, now->r, j->x.r);
    tn_copy(sys->ne, now->e, j->x.e);
    tn_copy(sys->nn, now->eta, j->x.eta);
    for (int i = 0; i < sys->ng; i++) {
        const int row = sys->ops->world->row(sys, i);
        j->x.lambda[i] = row >= 0 ? now->lambda[row] : 0.0;
    }
    return TN_OK;
}

tn_status tn_linear_put_mechanics(tn_linear *l)
{
    tn_equilibrium *s = l->at;
    const tn_coordinates *to = tn_find_coordinates(l->options.coordinates);
    joint_coords j = {.s = s};
    if (!to || (to->create && strcmp(to->name, "joint") != 0))
        return tn_fail_unknown("coordinates", l->options.coordinates, 2,
                               (const char *[]){"absolute", "joint"});
    const tn_point at = tn_eq_point(s, &s->now);
    if (!to->create)
        return fill_mechanics(l, s->sys, &at);
    TN_TRY(to->create(s->sys, &j.sys));
    tn_status status = tn_carve_block(&j, layout_joint_coords, &j.block);
    TN_THEN(status, fill_joint_coords(&j));
    const tn_point there = tn_state_point(&j.x);
    TN_THEN(status, fill_mechanics(l, j.sys, &there));
    tn_system_destroy(j.sys);
    tn_free(j.block);
    return status;
}
