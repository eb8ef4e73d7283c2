// SPDX-License-Identifier: MIT
//
// States of small motions, which have names: see linear_motion.h.

#include "analysis/linear_parts.h"
#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>

// The states are rows of T that are independent: positions first, then rates, then states c. Rows
// have the sizes of their unknowns at most; what is left of one may be round-off, as the rate that
// a row of velocities holds at zero.
typedef struct naming {
    tn_linear_motion *l;
    tn_descriptor *d;
    int count;
    bool jumps;  // those that inputs move at once, too
    double *Q;   // n x n
    double *row; // n
} naming;

static bool jumps_with_inputs(const tn_descriptor *d, int row)
{
    for (int j = 0; j < d->nu; j++)
        if (tn_column_of(d->S, d->nall, j)[row] != 0.0)
            return true;
    return false;
}

static void offer_state(naming *w, double least, tn_state_kind kind, int index, int row)
{
    const tn_descriptor *d = w->d;
    const int n = d->n;
    for (int k = 0; k < w->count; k++)
        if (w->l->state[k].kind == kind && w->l->state[k].index == index)
            return;
    if (jumps_with_inputs(d, row) && !w->jumps) // others are better states
        return;
    for (int j = 0; j < n; j++)
        w->row[j] = tn_column_of(d->T, d->nall, j)[row];
    const double size = tn_norm2(n, w->row);
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < w->count; k++) {
            const double *q = tn_column_of(w->Q, n, k);
            tn_axpy(n, -tn_dot(n, q, w->row), q, w->row);
        }
    const double part = tn_norm2(n, w->row);
    if (w->count == n || !(part > least * size) || !(part > TN_ROUND_MATRIX * d->size[row]))
        return;
    tn_scale(n, 1.0 / part, w->row);
    tn_copy(n, w->row, tn_column_of(w->Q, n, w->count));
    w->l->state[w->count++] = (tn_linear_state){kind, index, jumps_with_inputs(d, row)};
}

static int row_of(const tn_linear_motion *l, tn_linear_state s)
{
    static const int before[] = {0, 1, 2};
    return before[s.kind] * l->n1 + s.index;
}

static int by_place(const tn_linear_motion *l, tn_linear_state a, tn_linear_state b)
{
    return row_of(l, a) - row_of(l, b);
}

static void sort_states(tn_linear_motion *l)
{
    for (int i = 1; i < l->n; i++)
        for (int k = i; k > 0 && by_place(l, l->state[k - 1], l->state[k]) > 0; k--) {
            const tn_linear_state kept = l->state[k];
            l->state[k] = l->state[k - 1];
            l->state[k - 1] = kept;
        }
}

static tn_status choose_states(naming *w)
{
    static const double LEAST[] = {1e-2, 1e-5, 1e-9};
    tn_linear_motion *l = w->l;
    for (int pass = 0; pass < 2 * TN_COUNT(LEAST); pass++) {
        const double least = LEAST[pass % TN_COUNT(LEAST)];
        w->jumps = pass >= TN_COUNT(LEAST);
        for (int i = 0; i < l->s->sys->nc; i++)
            offer_state(w, least, TN_STATE_EXTRA, i, 2 * l->n1 + i);
        for (int i = 0; i < l->n1; i++)
            offer_state(w, least, TN_STATE_POSITION, i, i);
        for (int i = 0; i < l->n1; i++)
            offer_state(w, least, TN_STATE_RATE, i, l->n1 + i);
    }
    if (w->count < w->d->n)
        return tn_linear_undetermined();
    sort_states(l);
    return TN_OK;
}

// Clears round-off of states that inputs do not move at once.
static void clean_jumps(tn_descriptor *d)
{
    for (int j = 0; j < d->nu; j++) {
        double *S = tn_column_of(d->S, d->nall, j), most = 0.0;
        for (int i = 0; i < d->nall; i++)
            most = fmax(most, fabs(S[i]) / d->size[i]);
        for (int i = 0; i < d->nall; i++)
            S[i] = fabs(S[i]) / d->size[i] > 1e-11 * most ? S[i] : 0.0;
    }
}

// With R the rows of the states in T: A becomes R A R^-1, B: R B, T: T R^-1.
static tn_status take_states(tn_linear_motion *l, tn_descriptor *d)
{
    const int n = d->n, all = d->nall;
    double *R = tn_alloc(sizeof(double) * (2 * (size_t)(n * n) + 2 * (size_t)n + 1) +
                         sizeof(int) * (size_t)n);
    TN_TRY(tn_got(R));
    double *LU = R + n * n, *x = LU + n * n, *y = x + n;
    int *pivot = (int *)(y + n + 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            tn_column_of(R, n, j)[i] = tn_column_of(d->T, all, j)[row_of(l, l->state[i])];
    tn_copy(n * n, R, LU);
    const tn_status status = tn_lu_factor(n, LU, pivot);
    for (int j = 0; status == TN_OK && j < n; j++) {
        tn_zero(n, x);
        x[j] = 1.0;
        tn_lu_solve(n, LU, pivot, x);
        tn_linear_times(n, n, d->A, n, x, 1, y);
        tn_linear_times(n, n, R, n, y, 1, tn_column_of(l->A, n, j));
        tn_linear_times(all, all, d->T, n, x, 1, tn_column_of(l->T, all, j));
    }
    for (int j = 0; status == TN_OK && j < d->nu; j++)
        tn_linear_times(n, n, R, n, tn_column_of(d->B, n, j), 1, tn_column_of(l->B, n, j));
    tn_copy(all * d->nu, d->S, l->S);
    tn_free(R);
    return status == TN_RETRY_SINGULAR ? tn_linear_undetermined() : status;
}

// Rows y' = z of A and B are known.
static void clean_rows(tn_linear_motion *l)
{
    for (int i = 0; i < l->n; i++) {
        if (l->state[i].kind != TN_STATE_POSITION)
            continue;
        const double *z = l->T + l->n1 + l->state[i].index;
        for (int j = 0; j < l->nu; j++)
            tn_column_of(l->B, l->n, j)[i] =
                tn_column_of(l->S, l->nall, j)[l->n1 + l->state[i].index];
        for (int j = 0; j < l->n; j++) {
            double value = z[(size_t)j * (size_t)l->nall];
            for (int k = 0; k < l->n; k++)
                if (l->state[k].kind == TN_STATE_RATE && l->state[k].index == l->state[i].index)
                    value = j == k ? 1.0 : 0.0;
            tn_column_of(l->A, l->n, j)[i] = value;
        }
    }
}

tn_status tn_linear_name_states(tn_linear_motion *l, tn_descriptor *d)
{
    const size_t n = (size_t)d->n, all = (size_t)d->nall, nu = (size_t)d->nu;
    naming w = {.l = l, .d = d};
    l->n = d->n;
    l->nall = d->nall;
    l->state = tn_alloc(sizeof *l->state * (n + 1));
    l->A = tn_alloc(sizeof(double) * (n * n + 1));
    l->B = tn_alloc(sizeof(double) * (n * nu + 1));
    l->T = tn_alloc(sizeof(double) * (all * n + 1));
    l->S = tn_alloc(sizeof(double) * (all * nu + 1));
    w.Q = tn_alloc(sizeof(double) * (n * n + n + 1));
    tn_status status = tn_got(l->state && l->A && l->B && l->T && l->S && w.Q);
    if (status == TN_OK) {
        w.row = w.Q + n * n;
        clean_jumps(d);
        status = choose_states(&w);
    }
    TN_THEN(status, take_states(l, d));
    tn_free(w.Q);
    if (status == TN_OK)
        clean_rows(l);
    return status;
}
