// SPDX-License-Identifier: MIT
//
// Rows seen from the freedoms of a mechanism; see reduced.h.

#include "analysis/reduced.h"

#include "linalg/dense.h"

#include <math.h>

void tn_reduced_layout(tn_reduced *s, int m, int n, tn_carve *mem)
{
    TN_ASSERT(m >= 0 && n >= 0);
    s->m = m;
    s->n = n;
    // Products with Q ask for blocks of 64 rows and a triangle of their own.
    s->lwork =
        tn_larger(tn_qr_work(tn_larger(m, 1), tn_larger(n, 1)), 64 * tn_larger(m, 1) + 65 * 64);
    s->S = tn_carve_doubles(mem, tn_larger(m * n, 1));
    s->tau = tn_carve_doubles(mem, tn_larger(n, 1));
    s->column = tn_carve_ints(mem, tn_larger(n, 1));
    s->side = tn_carve_doubles(mem, tn_larger(tn_larger(m, n), 1));
    s->work = tn_carve_doubles(mem, s->lwork);
}

static double reduced_longest(int nv, int n, const double *A)
{
    double most = 0.0;
    for (int k = 0; k < n; k++)
        most = fmax(most, tn_norm2(nv, A + (size_t)k * (size_t)nv));
    return most;
}

static double R(const tn_reduced *s, int i, int j)
{
    TN_ASSERT(i >= 0 && i < s->m && j >= 0 && j < s->n);
    return s->S[i + (size_t)j * (size_t)s->m];
}

void tn_reduced_factor(tn_reduced *s, int nv, const double *A, const double *Gamma)
{
    tn_inner(nv, s->m, A, s->n, Gamma, s->S);
    s->scale = reduced_longest(nv, s->m, A) * reduced_longest(nv, s->n, Gamma);
    const int most = tn_qr_rank(s->m, s->n, s->S, 0.0, s->column, s->tau, s->work, s->lwork);
    s->rank = 0;
    while (s->rank < most && fabs(R(s, s->rank, s->rank)) > TN_RANK_TOL * s->scale)
        s->rank++;
}

double tn_reduced_margin(const tn_reduced *s)
{
    if (s->n == 0)
        return 1.0;
    return s->m < s->n ? 0.0 : fabs(R(s, s->n - 1, s->n - 1)) / s->scale;
}

void tn_reduced_solve(tn_reduced *s, const double *b, double *e)
{
    TN_ASSERT(s->rank == s->n && s->n <= s->m);
    tn_copy(s->m, b, s->side);
    tn_qr_apply(s->m, s->n, true, s->S, s->tau, s->side, s->work);
    tn_upper_solve(s->n, s->m, false, s->S, s->side);
    for (int k = 0; k < s->n; k++)
        e[s->column[k]] = s->side[k];
}

double tn_reduced_solve_t(tn_reduced *s, const double *rho, double *effort, int *where)
{
    const int r = s->rank;
    double most = 0.0;
    *where = -1;
    tn_zero(s->m, effort);
    for (int k = 0; k < r; k++)
        effort[k] = rho[s->column[k]];
    tn_upper_solve(r, s->m, true, s->S, effort);
    for (int k = r; k < s->n; k++) {
        double left = rho[s->column[k]];
        for (int i = 0; i < r; i++)
            left -= R(s, i, k) * effort[i];
        if (fabs(left) > most) {
            most = fabs(left);
            *where = k;
        }
    }
    tn_qr_apply(s->m, r, false, s->S, s->tau, effort, s->work);
    return most;
}

void tn_reduced_kernel(tn_reduced *s, int k, double *e)
{
    const int r = tn_smaller(tn_smaller(s->rank, k), s->m);
    TN_ASSERT(k >= 0 && k < s->n && e != s->side);
    for (int i = 0; i < r; i++)
        s->side[i] = -R(s, i, k);
    tn_upper_solve(r, s->m, false, s->S, s->side);
    tn_zero(s->n, e);
    for (int i = 0; i < r; i++)
        e[s->column[i]] = s->side[i];
    e[s->column[k]] = 1.0;
}
