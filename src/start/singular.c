// SPDX-License-Identifier: MIT
//
// Distance from singular positions; see singular.h.

#include "start/singular.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ASKED = 0.02; // part of the rates of drives that counts in a dead end
static const double NAMED = 0.4;  // rows with at least this part of the largest entry of u

typedef struct active_rows {
    int m, nv;
    int *row;       // m: which they are
    double *C;      // m x nv
    double *length; // m: of the rows, before they are scaled
    double *s;      // min(m, nv)
    double *U;      // m x min(m, nv)
} active_rows;

static void gather_singular(active_rows *a, const tn_sparse *block, int first, const int *place)
{
    TN_ASSERT(!block || block->ncol == a->nv);
    for (int j = 0; block && j < block->ncol; j++)
        for (int k = block->colptr[j]; k < block->colptr[j + 1]; k++) {
            const int i = place[first + block->rowind[k]];
            if (i >= 0)
                a->C[(size_t)j * (size_t)a->m + (size_t)i] = block->val[k];
        }
}

// To unit length; a row that has shrunk as a whole stays as short as it is against its past.
static void scale_rows(const tn_system *sys, active_rows *a)
{
    for (int i = 0; i < a->m; i++) {
        double square = 0.0;
        for (int j = 0; j < a->nv; j++)
            square += a->C[(size_t)j * (size_t)a->m + (size_t)i] *
                      a->C[(size_t)j * (size_t)a->m + (size_t)i];
        const bool shrinks =
            sys->row_most && a->row[i] < sys->ng && tn_system_row_counts(sys, a->row[i]);
        const double scale = fmax(sqrt(square), shrinks ? sys->row_most[a->row[i]] : 0.0);
        a->length[i] = scale;
        for (int j = 0; j < a->nv && scale > 0.0; j++)
            a->C[(size_t)j * (size_t)a->m + (size_t)i] /= scale;
    }
}

// Rows by the size of their part in u, largest first.
static void name_rows(const tn_system *sys, const active_rows *a, double *u, tn_rank_margin *out)
{
    TN_ASSERT(a->m > 0);
    const double largest = tn_norm_inf(a->m, u);
    while (out->nrow < TN_RANK_ROWS) {
        int best = 0;
        for (int i = 1; i < a->m; i++)
            best = fabs(u[i]) > fabs(u[best]) ? i : best;
        if (!(fabs(u[best]) > NAMED * largest))
            return;
        u[best] = 0.0;
        sys->ops->row_name(sys, a->row[best], out->row[out->nrow], sizeof out->row[0]);
        out->nrow++;
    }
}

// The rows as they are depend on each other with factors u_i / length_i. What time asks of them
// must depend in the same way, or no velocity satisfies them: sums of w_i g_t,i with one sign are a
// dead end. Zero where no row with a part is moved by time.
static tn_status find_dead_end(tn_system *sys, const tn_point *at, const active_rows *a,
                               const double *u, tn_dead_end *out)
{
    TN_ASSERT(a->m > 0);
    tn_point still = *at;
    double sum = 0.0, all = 0.0, most = 0.0, rate = 0.0, largest = 0.0;
    double *zero = tn_alloc(sizeof(double) * (size_t)(sys->nv + 1));
    TN_TRY(tn_got(zero));
    still.v = zero;
    const tn_status status = tn_system_eval(sys, &still, TN_EVAL_GDOT);
    for (int i = 0; status == TN_OK && i < a->m; i++) {
        const double moved = a->row[i] < sys->ng ? sys->gdot[a->row[i]] : 0.0;
        const double part = a->length[i] > 0.0 ? u[i] * moved / a->length[i] : 0.0;
        sum += part;
        all += fabs(part);
        largest = fmax(largest, fabs(u[i]));
        rate = fmax(rate, a->length[i] > 0.0 ? fabs(moved) / a->length[i] : 0.0);
        if (fabs(part) > most) {
            most = fabs(part);
            sys->ops->row_name(sys, a->row[i], out->row, sizeof out->row);
        }
    }
    tn_free(zero);
    out->part = all > ASKED * largest * rate ? fabs(sum) / all : 0.0;
    return status;
}

static tn_status analyse_singular(tn_system *sys, const tn_point *at, active_rows *a,
                                  const int *place, tn_rank_margin *out, tn_dead_end *dead)
{
    const int n = tn_smaller(a->m, a->nv);
    gather_singular(a, sys->block[TN_BLOCK_B], 0, place);
    gather_singular(a, sys->block[TN_BLOCK_N], sys->ng, place);
    scale_rows(sys, a);
    TN_TRY(tn_left_singular(a->m, a->nv, a->C, a->s, a->U));
    out->ratio = a->s[0] > 0.0 && a->m <= a->nv ? a->s[n - 1] / a->s[0] : 0.0;
    if (dead)
        TN_TRY(find_dead_end(sys, at, a, a->U + (size_t)(n - 1) * (size_t)a->m, dead));
    name_rows(sys, a, a->U + (size_t)(n - 1) * (size_t)a->m, out);
    return TN_OK;
}

static tn_status find_singular(tn_system *sys, const tn_point *at, const int *active,
                               tn_rank_margin *out, tn_dead_end *dead)
{
    const int rows = sys->ng + sys->nn;
    active_rows a = {.nv = sys->nv};
    *out = (tn_rank_margin){.t = at->t, .ratio = 1.0};
    for (int i = 0; i < rows; i++)
        a.m += active[i] != 0;
    if (a.m == 0)
        return TN_OK;
    if ((double)a.m * a.nv > TN_DENSE_ENTRIES) {
        out->ratio = NAN;
        return TN_OK;
    }
    const size_t n = (size_t)tn_smaller(a.m, a.nv), m = (size_t)a.m;
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_B));
    a.row = tn_alloc(sizeof(int) * (m + (size_t)rows));
    a.C = tn_alloc(sizeof(double) * (m * (size_t)a.nv + m * n + n + m));
    tn_status status = tn_got(a.row && a.C);
    if (status == TN_OK) {
        int *place = a.row + a.m;
        a.U = a.C + m * (size_t)a.nv;
        a.s = a.U + m * n;
        a.length = a.s + n;
        for (int i = 0, k = 0; i < rows; i++) {
            place[i] = active[i] ? k : -1;
            if (active[i])
                a.row[k++] = i;
        }
        status = analyse_singular(sys, at, &a, place, out, dead);
    }
    TN_FREE(a.row, a.C);
    return status;
}

tn_status tn_singular_find(tn_system *sys, const tn_point *at, const int *active,
                           tn_rank_margin *out)
{
    return find_singular(sys, at, active, out, NULL);
}

tn_status tn_singular_dead_end(tn_system *sys, const tn_point *at, const int *active,
                               tn_dead_end *out)
{
    tn_rank_margin margin;
    *out = (tn_dead_end){0};
    return find_singular(sys, at, active, &margin, out);
}

void tn_singular_text(const tn_rank_margin *m, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "some of them");
    for (int k = 0; k < m->nrow && used < size; k++) {
        const char *between = k == 0 ? "" : k + 1 == m->nrow ? " and " : ", ";
        snprintf(text + used, size - used, "%s%s", between, m->row[k]);
        used += strlen(text + used);
    }
}
