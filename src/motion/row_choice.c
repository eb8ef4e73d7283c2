// SPDX-License-Identifier: MIT
//
// Rows that are left out, chosen anew on the way; see row_choice.h.

#include "motion/row_choice.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// Coefficients up to which a set is kept. A new one has none above 1 where one row is left out, so
// that it lasts for a while. Steps may be long, and the set must do at both ends of one.
static const double KEEP = 2.0;

// Linkages are often symmetric: rows that are alike but for round-off are taken in their order, so
// that all methods choose the same.
static const double ALIKE = 1.0 + 1e-6;

static void layout_row_choice(void *self, tn_carve *mem)
{
    tn_row_choice *c = self;
    TN_CARVE_CHOICES(mem, 0, 1, c->rows, &c->active);
    TN_CARVE_INTS(mem, c->count, &c->left);
    c->pivot = tn_carve_ints(mem, c->count);
    TN_CARVE_DOUBLES(mem, c->rows * c->count, &c->kernel);
    TN_CARVE_DOUBLES(mem, c->sys->nv, &c->x);
    TN_CARVE_DOUBLES(mem, c->count * c->count + c->count, &c->gram);
}

static void list_left(tn_row_choice *c)
{
    for (int i = 0, k = 0; i < c->rows; i++)
        if (!c->active[i] && !tn_system_row_is_one_sided(c->sys, i))
            c->left[k++] = i;
}

tn_status tn_row_choice_create(tn_system *sys, tn_accel *accel, const int *active,
                               tn_row_choice **out)
{
    *out = NULL;
    tn_row_choice *c = tn_alloc(sizeof *c);
    TN_TRY(tn_got(c));
    c->sys = sys;
    c->accel = accel;
    c->rows = sys->ng + sys->nn;
    for (int i = 0; i < c->rows; i++)
        c->count += !active[i] && !tn_system_row_is_one_sided(sys, i);
    const tn_status status = tn_carve_block(c, layout_row_choice, &c->block);
    if (status != TN_OK) {
        tn_row_choice_destroy(c);
        return status;
    }
    memcpy(c->active, active, sizeof(int) * (size_t)c->rows);
    list_left(c);
    tn_accel_set_active(accel, c->active);
    *out = c;
    return TN_OK;
}

void tn_row_choice_destroy(tn_row_choice *c)
{
    if (c)
        TN_FREE(c->block, c);
}

void tn_row_choice_values(tn_row_choice *c, tn_values *v)
{
    int left = 0;
    tn_carve_values(c, layout_row_choice, c->block, v);
    TN_VALUES_LONG(v, &c->changes);
    TN_VALUES_ANY(v, "1", 1, &c->worst);
    for (int i = 0; i < c->rows; i++)
        left += !c->active[i] && !tn_system_row_is_one_sided(c->sys, i);
    if (left != c->count)
        tn_values_refuse(v, "the saved state leaves out %d constraint rows, this simulation %d",
                         left, c->count);
    if (tn_values_are_read(v))
        list_left(c);
}

double tn_row_choice_reserve(const tn_row_choice *c)
{
    return fmax(0.0, 1.0 - c->worst / KEEP);
}

// Row i of C as a dense vector.
static void dense_row(const tn_system *sys, int i, double *out)
{
    TN_ASSERT(i >= 0 && i < sys->ng + sys->nn);
    const bool holonomic = i < sys->ng;
    const tn_sparse *C = sys->block[holonomic ? TN_BLOCK_B : TN_BLOCK_N];
    const int row = holonomic ? i : i - sys->ng;
    tn_zero(sys->nv, out);
    for (int j = 0; j < sys->nv; j++)
        for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++)
            if (C->rowind[k] == row)
                out[j] = C->val[k];
}

// With C_k^T on the right, M x + C^T y = C_k^T, C x = 0 has x = 0 and y the combination of C_k.
static tn_status find_kernel(tn_row_choice *c)
{
    for (int k = 0; k < c->count; k++) {
        double *z = tn_column_of(c->kernel, c->rows, k);
        dense_row(c->sys, c->left[k], c->x);
        tn_zero(c->rows, z);
        TN_TRY(tn_accel_resolve(c->accel, c->x, z));
        tn_scale(c->rows, -1.0, z);
        z[c->left[k]] += 1.0;
    }
    return TN_OK;
}

// Rows that keep a body rigid in director coordinates always take part, and those of contacts do so
// as these are closed.
static bool may_be_left_out(const tn_row_choice *c, int i)
{
    const tn_world_ops *world = c->sys->ops->world;
    if (tn_system_row_is_one_sided(c->sys, i))
        return false;
    return !world || i >= c->sys->ng || world->row(c->sys, i) >= 0;
}

static double row_choice_size_of(const tn_row_choice *c, int i)
{
    return c->sys->row_size ? c->sys->row_size[i] : 1.0;
}

// The largest coefficient, of rows relative to their sizes. Lengths of rows are no measure: in
// joint coordinates a row that is kept may shrink while one that is left out, parallel to it, does
// not.
static double row_choice_largest(const tn_row_choice *c)
{
    double most = 0.0;
    for (int k = 0; k < c->count; k++) {
        const double *z = tn_column_of(c->kernel, c->rows, k),
                     own = row_choice_size_of(c, c->left[k]);
        for (int i = 0; i < c->rows; i++)
            if (c->active[i] && may_be_left_out(c, i))
                most = fmax(most, fabs(z[i]) * row_choice_size_of(c, i) / own);
    }
    return most;
}

// The row with the largest entry of column k, relative to sizes; of those alike the first.
static int pivot_row(const tn_row_choice *c, int k)
{
    TN_ASSERT(k >= 0 && k < c->count);
    const double *z = tn_column_of(c->kernel, c->rows, k);
    int row = c->left[k];
    double most = 0.0;
    for (int i = 0; i < c->rows; i++)
        if (fabs(z[i]) * row_choice_size_of(c, i) > ALIKE * most && may_be_left_out(c, i)) {
            most = fabs(z[i]) * row_choice_size_of(c, i);
            row = i;
        }
    return row;
}

// Clears row `row` of the columns after k by that of column k.
static void eliminate_row_choice(tn_row_choice *c, int k, int row)
{
    const double *z = tn_column_of(c->kernel, c->rows, k);
    TN_ASSERT(z[row] != 0.0);
    for (int m = k + 1; m < c->count; m++) {
        double *to = tn_column_of(c->kernel, c->rows, m);
        if (to[row] != 0.0) // loops far from each other share no rows
            tn_axpy(c->rows, -to[row] / z[row], z, to);
        to[row] = 0.0;
    }
}

// Leaves out the rows with the pivots of the kernel, which is used up.
static void choose_row_choice(tn_row_choice *c)
{
    for (int k = 0; k < c->count; k++) {
        c->pivot[k] = pivot_row(c, k);
        eliminate_row_choice(c, k, c->pivot[k]);
    }
    for (int k = 0; k < c->count; k++)
        c->active[c->left[k]] = 1;
    for (int k = 0; k < c->count; k++)
        c->active[c->pivot[k]] = 0;
    list_left(c);
    tn_accel_set_active(c->accel, c->active);
    c->changes++;
}

tn_status tn_row_choice_look(tn_row_choice *c, const tn_point *at)
{
    TN_TRY(tn_accel_factor(c->accel, at));
    TN_TRY(find_kernel(c));
    c->worst = row_choice_largest(c);
    return TN_OK;
}

tn_status tn_row_choice_at(tn_row_choice *c, const tn_point *at)
{
    TN_TRY(tn_row_choice_look(c, at));
    if (c->accel->kkt.singular || !(c->worst > KEEP))
        return TN_OK;
    choose_row_choice(c);
    TN_TRY(tn_accel_factor(c->accel, at));
    return find_kernel(c);
}

void tn_row_choice_settle(const tn_row_choice *c, double *lambda, double *eta)
{
    const int ng = c->sys->ng;
    for (int k = 0; k < c->count; k++) {
        const double *z = tn_column_of(c->kernel, c->rows, k);
        const double y = c->left[k] < ng ? lambda[c->left[k]] : eta[c->left[k] - ng];
        tn_axpy(ng, -y, z, lambda);
        tn_axpy(c->sys->nn, -y, z + ng, eta);
    }
}

void tn_row_choice_share(tn_row_choice *c, double *y)
{
    const int n = c->count;
    double *gram = c->gram, *rhs = gram + n * n;
    tn_inner(c->rows, n, c->kernel, 1, y, rhs);
    tn_inner(c->rows, n, c->kernel, n, c->kernel, gram);
    if (tn_lu_factor(n, gram, c->pivot) != TN_OK)
        return;
    tn_lu_solve(n, gram, c->pivot, rhs);
    tn_add_columns(c->rows, n, -1.0, c->kernel, rhs, y);
}
