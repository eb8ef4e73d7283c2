// SPDX-License-Identifier: MIT
//
// tn_check_create: what can be said of a model before it moves.

#include "tenon/analysis.h"

#include "base/alloc.h"
#include "base/array.h"
#include "coords/joint_coords.h"
#include "linalg/dense.h"
#include "model/joint.h"
#include "start/singular.h"
#include "start/small_mass.h"
#include "start/start.h"
#include "system/absolute.h"

#include <math.h>

typedef struct repeat {
    tn_joint joint;
    int row;
    int first, count; // slice of the list of joints
} repeat;

typedef struct motion {
    char text[480];
} motion;

struct tn_check {
    const tn_model *model;
    tn_model *own; // in units of its own size, which the start is in
    tn_start start;
    TN_ARRAY(repeat) redundant;
    TN_ARRAY(tn_joint) joints; // that redundant rows repeat
    TN_ARRAY(tn_moved) moved;
    TN_ARRAY(motion) massless;
    tn_small_masses small;
    double condition;
    tn_rank_margin margin;
    tn_tree *tree;
    int joint_rows;
};

static const double NOTICED = 1e-10; // changes below this are round-off of the assembly

static tn_status add_redundant(tn_check *c, int k)
{
    TN_ASSERT(k >= 0 && k < c->start.redundancy.count);
    const tn_redundancy *r = &c->start.redundancy;
    const tn_system *sys = c->start.sys;
    const int row = r->redundant[k];
    int of_joint;
    const int joint = tn_absolute_row_joint(sys, row, &of_joint);
    repeat entry = {{joint}, of_joint, c->joints.count, 0};
    for (int i = 0; i < r->rows; i++) {
        if (!tn_redundancy_repeats(r, k, i))
            continue;
        const tn_joint other = {tn_absolute_row_joint(sys, i, NULL)};
        bool known = false;
        for (int m = entry.first; m < c->joints.count; m++)
            known = known || c->joints.at[m].index == other.index;
        if (!known) {
            TN_TRY(tn_array_push(&c->joints, other));
            entry.count++;
        }
    }
    return tn_array_push(&c->redundant, entry);
}

static tn_status add_moved(tn_check *c, int body)
{
    const tn_start *s = &c->start;
    tn_body_state given, now;
    const tn_point before = {.q = s->q_given, .v = s->v_given};
    const tn_point after = tn_state_point(&s->x);
    tn_absolute_body(s->sys, &before, body, &given);
    tn_absolute_body(s->sys, &after, body, &now);
    const tn_quat turn = tn_quat_mul(tn_quat_conj(given.rotation), now.rotation);
    const double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    const double length = s->sys->units.length;
    const tn_moved m = {
        .body = {body},
        .position = length * tn_v3_norm(tn_v3_sub(now.frame.p, given.frame.p)),
        .rotation = 2.0 * atan2(sine, fabs(turn.w)),
        .velocity = length * tn_v3_norm(tn_v3_sub(now.velocity, given.velocity)),
        .rate = tn_v3_norm(tn_v3_sub(now.rate, given.rate)),
    };
    if (fmax(fmax(m.position, m.velocity) / length, fmax(m.rotation, m.rate)) <= NOTICED)
        return TN_OK;
    return tn_array_push(&c->moved, m);
}

// Largest over smallest non-zero singular value of B and N; skipped for large models.
static tn_status find_condition(tn_check *c)
{
    const tn_system *sys = c->start.sys;
    const tn_point at = tn_state_point(&c->start.x);
    const int rank = c->start.redundancy.rank, nv = sys->nv, rows = sys->ng + sys->nn;
    c->condition = rank > 0 ? NAN : 1.0;
    if (rank == 0 || (double)rows * nv > 1e6)
        return TN_OK;
    const int n = rows < nv ? rows : nv;
    double *dense = tn_alloc(sizeof(double) * ((size_t)rows * (size_t)nv + (size_t)n));
    TN_TRY(tn_got(dense));
    double *values = dense + (size_t)rows * (size_t)nv;
    tn_status status = tn_system_eval(c->start.sys, &at, TN_EVAL_B);
    if (status == TN_OK) { // the rows as columns: singular values are the same
        tn_sparse_rows(sys->block[TN_BLOCK_B], NULL, nv, dense);
        tn_sparse_rows(sys->block[TN_BLOCK_N], NULL, nv, dense + (size_t)sys->ng * (size_t)nv);
        status = tn_singular_values(nv, rows, dense, values);
    }
    if (status == TN_OK)
        c->condition = values[0] / values[(rank < n ? rank : n) - 1];
    tn_free(dense);
    return status;
}

static tn_status find_tree(tn_check *c)
{
    int nv;
    bool local;
    TN_TRY(tn_joint_coords_size(c->start.sys, &nv, &c->joint_rows, &local));
    return tn_joint_coords_tree(c->start.sys, &c->tree);
}

static tn_status add_massless(tn_check *c)
{
    tn_massless *ml = c->start.accel->massless;
    for (int k = 0; k < tn_massless_count(ml); k++) {
        motion m;
        tn_motion_text(c->start.sys, tn_massless_motion(ml, k), m.text, sizeof m.text);
        TN_TRY(tn_array_push(&c->massless, m));
    }
    return TN_OK;
}

tn_status tn_check_create(const tn_model *model, const tn_sim_options *options, tn_check **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, options, out);
    *out = NULL;
    tn_clear_error();
    tn_check *c = tn_alloc(sizeof *c);
    TN_TRY(tn_got(c));
    c->model = tn_model_hold(model);
    tn_status status = tn_model_in_units(model, tn_model_units(model), &c->own);
    TN_THEN(status, tn_start_model(c->own, options, &c->start));
    for (int k = 0; status == TN_OK && k < c->start.redundancy.count; k++)
        status = add_redundant(c, k);
    for (int k = 1; status == TN_OK && k < tn_model_body_count(model); k++)
        status = add_moved(c, k);
    TN_THEN(status, find_condition(c));
    const tn_point at = tn_state_point(&c->start.x);
    TN_THEN(status, tn_singular_find(c->start.sys, &at, c->start.redundancy.active, &c->margin));
    TN_THEN(status, find_tree(c));
    TN_THEN(status, add_massless(c));
    TN_THEN(status, tn_small_mass_find(&c->start, c->own, &c->small));
    if (status == TN_OK)
        *out = c;
    else
        tn_check_destroy(c);
    return tn_place_error(model, tn_leave(status, "no consistent start values"));
}

void tn_check_destroy(tn_check *check)
{
    if (!check)
        return;
    tn_tree_destroy(check->tree);
    tn_start_clear(&check->start);
    tn_model_in_units_destroy(check->own);
    tn_array_free(&check->redundant);
    tn_array_free(&check->joints);
    tn_array_free(&check->moved);
    tn_array_free(&check->massless);
    tn_array_free(&check->small);
    tn_model_release(check->model);
    tn_free(check);
}

TN_GETTER(int, tn_check_joint_coordinates, (const tn_check *check), check, 0, check->tree->nv);
TN_GETTER(int, tn_check_joint_rows, (const tn_check *check), check, 0, check->joint_rows);
TN_GETTER(int, tn_check_cut_count, (const tn_check *check), check, 0, check->tree->ncut);

TN_GETTER_AT(tn_joint, tn_check_cut, (const tn_check *check, int i), check, i, check->tree->ncut,
             ((tn_joint){-1}), (tn_joint){check->tree->cut[i]});

// As many as it has velocities for each body that turns [LMO08, eq. 56].
int tn_check_internal_rows(const tn_check *check)
{
    TN_NEED(check, 0);
    const tn_model *model = check->tree->model;
    int rows = 0;
    for (int k = 1; k < model->bodies.count; k++) { // without the ground
        const tn_body_ops *ops = model->bodies.at[k].ops;
        rows += ops->turns > 0 ? ops->moves + ops->turns : 0;
    }
    return rows;
}

TN_GETTER(int, tn_check_coordinates, (const tn_check *check), check, 0, check->start.sys->nv);
TN_GETTER(int, tn_check_rows, (const tn_check *check), check, 0, check->start.redundancy.rows);
TN_GETTER(int, tn_check_rank, (const tn_check *check), check, 0,
          check->start.redundancy.rows - check->start.redundancy.count - tn_check_one_sided(check));

int tn_check_one_sided(const tn_check *check)
{
    TN_NEED(check, 0);
    int rows = 0;
    for (int i = 0; i < check->start.redundancy.rows; i++)
        rows += tn_system_row_is_one_sided(check->start.sys, i);
    return rows;
}

TN_GETTER(int, tn_check_freedoms, (const tn_check *check), check, 0,
          tn_check_coordinates(check) - tn_check_rank(check));
TN_GETTER(int, tn_check_redundant_count, (const tn_check *check), check, 0, check->redundant.count);

tn_redundant tn_check_redundant(const tn_check *check, int i)
{
    TN_NEED(check, ((tn_redundant){.joint = {-1}, .row_name = ""}));
    TN_NEED_INDEX(i, check->redundant.count, ((tn_redundant){.joint = {-1}, .row_name = ""}));
    const repeat *r = &check->redundant.at[i];
    return (tn_redundant){
        .joint = r->joint,
        .row = r->row,
        .row_name = tn_constraint_row_name(check->model, r->joint.index, r->row),
        .nrepeats = r->count,
        .repeats = r->count > 0 ? check->joints.at + r->first : NULL,
    };
}

TN_GETTER(double, tn_check_off, (const tn_check *check), check, 0.0, check->start.redundancy.off);

bool tn_check_unique(const tn_check *check, tn_joint joint, int row)
{
    TN_NEED(check, false);
    TN_NEED_INDEX(joint.index, check->model->joints.count, false);
    TN_NEED_INDEX(row, tn_constraint_count(check->model, joint.index), false);
    return check->start.redundancy
        .unique[tn_absolute_joint_row(check->start.sys, joint.index, row)];
}

TN_GETTER(int, tn_check_moved_count, (const tn_check *check), check, 0, check->moved.count);
TN_GETTER_AT(tn_moved, tn_check_moved, (const tn_check *check, int i), check, i, check->moved.count,
             ((tn_moved){.body = {-1}}), check->moved.at[i]);
TN_GETTER(double, tn_check_residual, (const tn_check *check), check, 0.0, check->start.residual);
TN_GETTER(double, tn_check_condition, (const tn_check *check), check, 0.0, check->condition);
TN_GETTER(const tn_rank_margin *, tn_check_margin, (const tn_check *check), check, NULL,
          &check->margin);
TN_GETTER(int, tn_check_massless_count, (const tn_check *check), check, 0, check->massless.count);
TN_GETTER_AT(const char *, tn_check_massless, (const tn_check *check, int i), check, i,
             check->massless.count, "", check->massless.at[i].text);
TN_GETTER(int, tn_check_small_mass_count, (const tn_check *check), check, 0, check->small.count);
TN_GETTER_AT(tn_small_mass, tn_check_small_mass, (const tn_check *check, int i), check, i,
             check->small.count, ((tn_small_mass){.body = {-1}, .neighbour = {-1}}),
             check->small.at[i]);
