// SPDX-License-Identifier: MIT
//
// Sizes of bodies and rows; see row_size.h.

#include "start/row_size.h"

#include "base/alloc.h"
#include "linalg/dense.h"

#include <math.h>

// No body is smaller than this part of the largest one: levers of nothing but round-off.
static const double SMALLEST = 1e-6;

typedef struct measure {
    tn_system *sys;
    const bool *turns;
    double *size;             // ngroup
    double *moving, *turning; // ng + nn: squares of the parts of a row on one body
} measure;

// Levers of the rows on the body of group k: parts on its turning by those on its moving.
static double longest_lever(measure *m, const tn_group *group)
{
    TN_ASSERT(m->turns);
    const tn_system *sys = m->sys;
    double most = 0.0;
    for (int pass = 0; pass < 3; pass++) // sums, levers, and zeros for the next body
        for (int b = 0; b < 2; b++) {
            const tn_sparse *C = sys->block[b ? TN_BLOCK_N : TN_BLOCK_B];
            const int first = b == 0 ? 0 : sys->ng;
            for (int j = group->v0; C && j < group->v0 + group->nv; j++)
                for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++) {
                    const int i = first + C->rowind[k];
                    double *sum = m->turns[j] ? m->turning : m->moving;
                    if (pass == 0)
                        sum[i] = hypot(sum[i], C->val[k]);
                    else if (pass == 2)
                        sum[i] = 0.0;
                    else if (m->moving[i] > 0.0)
                        most = fmax(most, m->turning[i] / m->moving[i]);
                }
        }
    return most;
}

static double row_size_gyration(const measure *m, const tn_group *group)
{
    TN_ASSERT(m->turns);
    const tn_sparse *M = m->sys->block[TN_BLOCK_M];
    double mass = 0.0, inertia = 0.0;
    for (int j = group->v0; M && j < group->v0 + group->nv; j++) {
        double *of = m->turns[j] ? &inertia : &mass;
        *of = fmax(*of, tn_sparse_at(M, j, j));
    }
    return mass > 0.0 ? sqrt(inertia / mass) : 0.0;
}

// Extent of the bodies if nothing turns: of the first coordinates of all groups.
static double row_size_extent(const tn_system *sys, const double *q)
{
    double low = 0.0, high = 0.0, most = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        low = INFINITY;
        high = -INFINITY;
        for (int k = 0; k < sys->ngroup; k++)
            if (axis < sys->groups[k].nv) {
                low = fmin(low, q[sys->groups[k].q0 + axis]);
                high = fmax(high, q[sys->groups[k].q0 + axis]);
            }
        most = fmax(most, high - low);
    }
    return most > 0.0 ? most : tn_norm_inf(sys->nq, q);
}

static void measure_bodies(measure *m, const tn_point *at, tn_row_sizes *out)
{
    const tn_system *sys = m->sys;
    out->whole = 0.0;
    for (int k = 0; k < sys->ngroup; k++) {
        const tn_group *group = &sys->groups[k];
        m->size[k] = m->turns ? fmax(longest_lever(m, group), row_size_gyration(m, group)) : 0.0;
        out->whole = fmax(out->whole, m->size[k]);
    }
    if (!(out->whole > 0.0))
        out->whole =
            m->turns ? row_size_extent(sys, at->q) : fmax(1.0, tn_norm_inf(sys->nq, at->q));
    if (!(out->whole > 0.0 && isfinite(out->whole)))
        out->whole = 1.0;
    for (int k = 0; k < sys->ngroup; k++)
        m->size[k] = m->size[k] > 0.0 ? fmax(m->size[k], SMALLEST * out->whole) : out->whole;
}

static void measure_columns(const measure *m, tn_row_sizes *out)
{
    const tn_system *sys = m->sys;
    for (int k = 0; k < sys->ngroup; k++)
        for (int j = sys->groups[k].v0; j < sys->groups[k].v0 + sys->groups[k].nv; j++) {
            const bool turns = m->turns && m->turns[j];
            out->column[j] = turns ? 1.0 / m->size[k] : 1.0;
            out->unit[j] = turns ? 1.0 : m->size[k];
        }
}

static void measure_rows(measure *m, tn_row_sizes *out)
{
    const tn_system *sys = m->sys;
    const int rows = sys->ng + sys->nn;
    double *length = m->moving, *least = m->turning;
    for (int i = 0; i < rows; i++)
        least[i] = out->whole;
    for (int b = 0; b < 2; b++) {
        const tn_sparse *C = sys->block[b ? TN_BLOCK_N : TN_BLOCK_B];
        const int first = b == 0 ? 0 : sys->ng;
        for (int j = 0; C && j < sys->nv; j++)
            for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++) {
                const int i = first + C->rowind[k];
                const double body = out->unit[j] / out->column[j];
                if (C->val[k] == 0.0)
                    continue;
                length[i] = hypot(length[i], C->val[k] * out->column[j]);
                least[i] = fmin(least[i], body);
            }
    }
    for (int i = 0; i < rows; i++)
        out->row[i] = length[i] > 0.0 ? length[i] * least[i] : out->whole;
}

tn_status tn_row_sizes_find(tn_system *sys, const tn_point *at, const bool *turns,
                            tn_row_sizes *out)
{
    const size_t nv = (size_t)sys->nv, rows = (size_t)(sys->ng + sys->nn);
    measure m = {.sys = sys, .turns = turns};
    *out = (tn_row_sizes){0};
    m.size = tn_alloc(sizeof(double) * ((size_t)sys->ngroup + 2 * rows + 1));
    out->column = tn_alloc(sizeof(double) * (2 * nv + rows + 1));
    tn_status status = tn_got(m.size && out->column);
    TN_THEN(status, tn_system_eval(sys, at, TN_EVAL_MASS | TN_EVAL_B));
    if (status == TN_OK) {
        m.moving = m.size + sys->ngroup;
        m.turning = m.moving + rows;
        out->unit = out->column + nv;
        out->row = out->unit + nv;
        measure_bodies(&m, at, out);
        measure_columns(&m, out);
        measure_rows(&m, out);
    }
    tn_free(m.size);
    if (status != TN_OK)
        tn_row_sizes_clear(out);
    return status;
}

void tn_row_sizes_clear(tn_row_sizes *sizes)
{
    tn_free(sizes->column);
    *sizes = (tn_row_sizes){0};
}
