// SPDX-License-Identifier: MIT
//
// Unknowns, their two orders and the entries of the pattern; see pattern.h.

#include "draw/pattern.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "flex/modal_body.h"
#include "system/absolute.h"
#include "text/target.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Unknowns ----------------------------------------------------------------------------------------

static void count_unknowns(tn_pattern *p)
{
    for (int k = 0; k < p->nbody; k++) {
        tn_pattern_body *b = &p->body[k];
        b->p0 = p->np;
        b->q0 = p->nq;
        b->m0 = p->nm;
        b->nmu = b->joint >= 0 ? b->d : 0; // a free body has no relation to any other
        p->np += b->d;
        p->nq += b->n;
        p->nm += b->nmu;
    }
    p->n = p->np + p->nq + p->nm;
    for (int k = 0; k < p->nbody; k++) {
        p->body[k].q0 += p->np;
        p->body[k].m0 += p->np + p->nq;
    }
    for (int j = 0; j < p->model->joints.count; j++) {
        p->row[j] = p->carried[j] >= 0 ? -1 : p->n;
        if (p->row[j] >= 0)
            p->n += tn_constraint_count(p->model, j);
    }
}

static void put_places(tn_pattern *p, int from, int count, int *next)
{
    for (int i = 0; i < count; i++) {
        p->block[from + i] = p->nblock;
        p->place[from + i] = (*next)++;
    }
}

static void end_block(tn_pattern *p, const char *name, int next)
{
    p->block_name[p->nblock] = name;
    p->first[++p->nblock] = next;
}

// x = (x_N, ..., x_1), x_i = (p_i'', q_i'', mu_i) [Arn16, Example 7]; loops come last.
static void order_unknowns(tn_pattern *p)
{
    int next = 0;
    for (int k = p->nbody - 1; k >= 0; k--) {
        const tn_pattern_body *b = &p->body[k];
        put_places(p, b->p0, b->d, &next);
        put_places(p, b->q0, b->n, &next);
        put_places(p, b->m0, b->nmu, &next);
        end_block(p, p->model->bodies.at[b->body].name, next);
    }
    const int loops = p->np + p->nq + p->nm;
    if (p->n == loops)
        return;
    put_places(p, loops, p->n - loops, &next);
    end_block(p, "loops", next);
}

// Entries -----------------------------------------------------------------------------------------

static void add_entry(tn_pattern *p, int row, int column, tn_pattern_part part)
{
    const tn_pattern_entry here = {row, column, part}, there = {column, row, part};
    TN_ASSERT(row >= 0 && row < p->n && column >= 0 && column < p->n);
    TN_THEN(p->status, tn_array_push(&p->entries, here));
    if (row != column)
        TN_THEN(p->status, tn_array_push(&p->entries, there));
}

static void add_full(tn_pattern *p, int row, int nrow, int column, int ncolumn,
                     tn_pattern_part part)
{
    for (int i = 0; i < nrow; i++)
        for (int j = 0; j < ncolumn; j++)
            add_entry(p, row + i, column + j, part);
}

// blockdiag(m I, Theta) about the centre of mass.
static void add_mass(tn_pattern *p, const tn_pattern_body *b)
{
    const tn_body_data *data = &p->model->bodies.at[b->body];
    const bool turning =
        data->inertia.m[0][0] + data->inertia.m[1][1] + data->inertia.m[2][2] > 0.0;
    for (int i = 0; i < b->d; i++)
        for (int j = 0; j <= i; j++) {
            const bool moves = i == j && b->axis[i] < 3 && data->def.mass > 0.0;
            if (moves || (turning && b->axis[i] >= 3 && b->axis[j] >= 3))
                add_entry(p, b->p0 + i, b->p0 + j, TN_PART_MASS);
        }
}

// The motion of the body below: along with its centre of mass, and by a lever about it.
static bool follows(int axis, int below)
{
    return axis < 3 && below >= 3 ? below - 3 != axis : axis == below;
}

static void add_below(tn_pattern *p, const tn_pattern_body *b)
{
    if (b->below <= 0)
        return;
    const tn_pattern_body *below = &p->body[p->number[b->below]];
    for (int i = 0; i < b->nmu; i++)
        for (int j = 0; j < below->d; j++)
            if (follows(b->axis[i], below->axis[j]))
                add_entry(p, b->m0 + i, below->p0 + j, TN_PART_BELOW);
}

// K = I, and J: what a freedom turns moves as well.
static void add_carrier(tn_pattern *p, const tn_pattern_body *b)
{
    for (int i = 0; i < b->nmu; i++) {
        add_entry(p, b->m0 + i, b->p0 + i, TN_PART_JOINT);
        for (int j = 0; j < b->n; j++)
            if (b->turns[j] || b->axis[i] < 3)
                add_entry(p, b->m0 + i, b->q0 + j, TN_PART_JOINT);
    }
    add_below(p, b);
}

// Modal bodies: amplitudes have inertia with each other and with the frame, and move attachments,
// which stand on the frame, or the frame on one of them.
static void add_modal(tn_pattern *p, const tn_modal_data *modal)
{
    const tn_pattern_body *frame = &p->body[p->number[modal->frame]];
    for (int i = 0; i < modal->m; i++) {
        const int at = p->body[p->number[modal->amplitude + i]].p0;
        add_full(p, at, 1, frame->p0, frame->d, TN_PART_MASS);
        for (int j = 0; j <= i; j++)
            add_entry(p, at, p->body[p->number[modal->amplitude + j]].p0, TN_PART_MASS);
        for (int k = 0; k < modal->nattachment; k++) {
            const int moved = p->carried[modal->joint + k];
            if (moved >= 0)
                add_full(p, p->body[moved].m0, p->body[moved].nmu, at, 1, TN_PART_BELOW);
        }
    }
}

// Rows of loops and couplings ---------------------------------------------------------------------

int tn_pattern_joints_of(int n, const tn_param *params, const void *def, int out[2])
{
    int count = 0;
    for (int i = 0; i < n && count < 2; i++)
        if (params[i].type == TN_PARAM_JOINT)
            out[count++] = ((const tn_joint *)((const char *)def + params[i].offset))->index;
    return count;
}

// Rows between coordinates of joints that carry bodies; false where they are others.
static bool on_coordinates(const tn_pattern *p, int joint, int of[2], int *count)
{
    const tn_joint_data *data = &p->model->joints.at[joint];
    if (data->ops->relative || data->ops->by_formula)
        return false;
    *count = tn_pattern_joints_of(data->ops->nparam, data->ops->params, data->def, of);
    for (int k = 0; k < *count; k++)
        if (of[k] < 0 || p->carried[of[k]] < 0)
            return false;
    return *count > 0;
}

static void add_coordinates(tn_pattern *p, int joint, int n, const int *of)
{
    for (int i = 0; i < n; i++) {
        const tn_pattern_body *b = &p->body[p->carried[of[i]]];
        add_full(p, p->row[joint], tn_constraint_count(p->model, joint), b->q0, b->n, TN_PART_LOOP);
    }
}

// The unknown p'' of a velocity of the world.
static int unknown_of(const tn_pattern *p, int v)
{
    int body = p->nbody;
    while (p->velocity[body] > v)
        body--;
    return p->body[p->number[body]].p0 + v - p->velocity[body];
}

// Rows of the world that are among the unknowns, by their multipliers; -1 for others.
static void add_rows(tn_pattern *p, const tn_sparse *A, const int *lambda)
{
    for (int j = 0; A && j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            if (lambda[A->rowind[k]] >= 0)
                add_entry(p, lambda[A->rowind[k]], unknown_of(p, j), TN_PART_LOOP);
}

static tn_status add_world(tn_pattern *p, const bool *wanted)
{
    TN_TRY(tn_absolute_create(p->model, TN_ROTATION_SO3, false, &p->world));
    const int ng = p->world->ng, n = ng + p->world->nn;
    int *lambda = tn_alloc((size_t)(n + 1) * sizeof *lambda);
    TN_TRY(tn_got(lambda));
    for (int i = 0; i < n; i++)
        lambda[i] = -1;
    for (int j = 0; j < p->model->joints.count; j++)
        for (int i = 0; wanted[j] && i < tn_constraint_count(p->model, j); i++)
            lambda[tn_absolute_joint_row(p->world, j, i)] = p->row[j] + i;
    add_rows(p, p->world->block[TN_BLOCK_B], lambda);
    add_rows(p, p->world->block[TN_BLOCK_N], lambda + ng); // of velocities
    tn_free(lambda);
    return p->status;
}

static tn_status add_loops(tn_pattern *p)
{
    bool *others = tn_alloc((size_t)(p->model->joints.count + 1) * sizeof *others);
    bool any = false;
    tn_status s = tn_got(others);
    for (int j = 0; j < p->model->joints.count && s == TN_OK; j++) {
        int of[2], n = 0;
        others[j] = p->row[j] >= 0 && !on_coordinates(p, j, of, &n);
        any |= others[j];
        if (p->row[j] >= 0 && !others[j])
            add_coordinates(p, j, n, of);
    }
    if (any && s == TN_OK)
        s = add_world(p, others);
    tn_free(others);
    return s;
}

// The whole ---------------------------------------------------------------------------------------

static int compare_entries(const void *a, const void *b)
{
    const tn_pattern_entry *x = a, *y = b;
    return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                            : (x->column > y->column) - (x->column < y->column);
}

static void sort_entries(tn_pattern *p)
{
    tn_pattern_entry *e = p->entries.at;
    int n = 0;
    if (p->entries.count == 0)
        return;
    qsort(e, (size_t)p->entries.count, sizeof *e, compare_entries);
    for (int k = 0; k < p->entries.count; k++)
        if (n == 0 || compare_entries(&e[n - 1], &e[k]) != 0)
            e[n++] = e[k];
    p->entries.count = n;
}

static tn_status collect_entries(tn_pattern *p)
{
    for (int k = 0; k < p->nbody; k++) {
        add_mass(p, &p->body[k]);
        add_carrier(p, &p->body[k]);
    }
    for (int k = 0; k < p->model->modals.count; k++)
        add_modal(p, &p->model->modals.at[k]);
    TN_TRY(add_loops(p));
    sort_entries(p);
    return p->status;
}

static void pattern_carve(void *self, tn_carve *mem)
{
    tn_pattern *p = self;
    p->body = tn_carve_bytes(mem, (size_t)(p->nbody + 1) * sizeof *p->body);
    p->number = tn_carve_ints(mem, p->nbody + 1);
    p->velocity = tn_carve_ints(mem, p->nbody + 1);
    p->carried = tn_carve_ints(mem, p->model->joints.count);
    p->row = tn_carve_ints(mem, p->model->joints.count);
}

static void orders_carve(void *self, tn_carve *mem)
{
    tn_pattern *p = self;
    p->place = tn_carve_ints(mem, p->n);
    p->block = tn_carve_ints(mem, p->n);
    p->first = tn_carve_ints(mem, p->nbody + 2);
    p->block_name = tn_carve_bytes(mem, (size_t)(p->nbody + 1) * sizeof *p->block_name);
}

static tn_status find_pattern(tn_pattern *p, void **orders)
{
    TN_TRY(tn_tree_create(p->model, &p->tree));
    TN_TRY(tn_pattern_carry(p));
    for (int k = 0, v = 0; k <= p->nbody; k++) {
        const tn_body_ops *ops = p->model->bodies.at[k].ops;
        p->velocity[k] = v;
        v += k > 0 ? ops->moves + ops->turns : 0;
    }
    count_unknowns(p);
    TN_TRY(tn_carve_block(p, orders_carve, orders));
    order_unknowns(p);
    return collect_entries(p);
}

static tn_pattern_told tell_pattern(const tn_pattern *p)
{
    tn_pattern_told told = {.unknowns = p->n, .nonzeros = p->entries.count, .blocks = p->nblock};
    for (int k = 0; k < p->entries.count; k++) {
        const tn_pattern_entry *e = &p->entries.at[k];
        const int band = abs(e->row - e->column),
                  ordered = abs(p->place[e->row] - p->place[e->column]);
        told.bandwidth = band > told.bandwidth ? band : told.bandwidth;
        told.bandwidth_ordered =
            ordered > told.bandwidth_ordered ? ordered : told.bandwidth_ordered;
    }
    return told;
}

static tn_status render_pattern(const tn_model *model, bool table, tn_pattern_told *told,
                                tn_buffer *out)
{
    tn_pattern p = {.model = model, .nbody = model->bodies.count - 1};
    void *block = NULL, *orders = NULL;
    TN_TRY(tn_carve_block(&p, pattern_carve, &block));
    const tn_status s = find_pattern(&p, &orders);
    if (s == TN_OK) {
        *told = tell_pattern(&p);
        if (table)
            tn_pattern_csv(&p, out);
        else
            tn_pattern_svg(&p, told, out);
    }
    if (p.world)
        tn_system_destroy(p.world);
    tn_tree_destroy(p.tree);
    tn_array_free(&p.entries);
    TN_FREE(block, orders);
    return s;
}

tn_status tn_drawn_as(const char *path, const char *other, const char *what, bool *is_other)
{
    const char *end = strrchr(path, '.');
    *is_other = end && strcasecmp(end, other) == 0;
    if (strcmp(path, "-") == 0 || *is_other || (end && strcasecmp(end, ".svg") == 0))
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "'%s': the ending tells %s, and must be .svg or %s; - is SVG on the standard "
                   "output",
                   path, what, other);
}

tn_status tn_model_draw_pattern(const tn_model *model, const char *path, tn_pattern_told *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, path);
    tn_buffer buffer = {0};
    tn_pattern_told told;
    bool table;
    TN_TRY(tn_drawn_as(path, ".csv", "what is written of the pattern", &table));
    TN_TRY(tn_model_status(model));
    tn_clear_error();
    const tn_status s = tn_target_finish(render_pattern(model, table, &told, &buffer), path,
                                         &buffer, "the pattern of the equations");
    if (s == TN_OK && out)
        *out = told;
    return s;
}
