// SPDX-License-Identifier: MIT
//
// Large systems: KLU, analysed once, refactored in the old pivot order while that is sound.
//
// Old pivots go bad when entries that were large become small: then elements grow, and the growth
// shows in the pivots themselves. Their range is compared with the range at the last verdict (n
// comparisons); where it has become much wider, a trial solve decides by its backward error
//
//   |S x - b| / (|x| + |b|)        b = S (1, ..., 1), maximum norms, entries of S near 1
//
// and new pivots are chosen when it is poor. The ratio of the smallest to the largest pivot serves
// as reciprocal condition number; where new pivots leave doubt, Hager's estimate takes its place.
// New pivots and that estimate allocate, inside KLU; nothing else here does after lu_create.
//
// KLU has the same functions for real and for complex values, and so has this file: `functions` is
// the table of them.

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/solver_parts.h"

#include <klu.h>
#include <math.h>

// KKT matrices of chains, rings and lattices of bodies, n = 10^4 to 10^5: AMD on the whole matrix
// gives nnz(L + U) of 1.2, 1.9 and 3.8 times nnz(A); with the block triangular form first 1.4, 2.5
// and 6.5, with COLAMD 1.2, 1.9 and 11. A threshold of 0.1 instead of KLU's 0.001 costs 4 % more
// fill and gains one to two digits.
//
// AMD counts on pivots of the diagonal, COLAMD on any: where those of the diagonal are poor, as
// with chains of tiny bodies in directors, factors by AMD become almost full (400 rods of 2.5 mm:
// 20 s instead of 0.03 s).
static const double PIVOT_THRESHOLD = 0.1;
enum { AMD = 0, COLAMD = 1 }; // as KLU has them

static const double DOUBT = 1e-10;        // ratio of pivots below which the condition is estimated
static const double RANGE_CHANGE = 1e2;   // of the pivots, that calls for a trial solve
static const double BACKWARD_MAX = 1e-12; // four digits above round-off

typedef struct {
    int parts; // doubles per value
    klu_numeric *(*factor)(int *, int *, double *, klu_symbolic *, klu_common *);
    int (*refactor)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
    int (*solve)(klu_symbolic *, klu_numeric *, int, int, double *, klu_common *);
    int (*condest)(int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
} functions;

static const functions for_real = {1, klu_factor, klu_refactor, klu_solve, klu_condest};
static const functions for_complex = {2, klu_z_factor, klu_z_refactor, klu_z_solve, klu_z_condest};

typedef struct {
    const functions *klu;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double smallest, largest; // pivots of the last factorisation that was judged
    double rcond;             // its reciprocal condition number
    double *b, *x;            // trial solve
    // What the factors were made of, to make them again where they were lost with their process:
    // values with which pivots were chosen, and the matrix that was factored with them since.
    double *pivoted;
    const tn_sparse *S;
    bool has_factors, refactored;
} sparse_lu;

static void lu_destroy(void *self)
{
    sparse_lu *s = self;
    klu_free_numeric(&s->numeric, &s->common); // the same for both numbers
    klu_free_symbolic(&s->symbolic, &s->common);
    TN_FREE(s->b, s);
}

// The same factors from the same values, in a process that has none of them.
static void lu_revive(void *self)
{
    sparse_lu *s = self;
    TN_ASSERT(!s->has_factors || s->S);
    klu_free_numeric(&s->numeric, &s->common);
    if (!s->has_factors)
        return;
    const tn_sparse *S = s->S;
    s->numeric = s->klu->factor(S->colptr, S->rowind, s->pivoted, s->symbolic, &s->common);
    if (s->numeric && s->refactored)
        s->klu->refactor(S->colptr, S->rowind, S->val, s->symbolic, s->numeric, &s->common);
}

static tn_status lu_create(const functions *klu, const tn_sparse *S, tn_order order, void **out)
{
    TN_ASSERT(S->nrow == S->ncol);
    sparse_lu *s = tn_alloc(sizeof(*s));
    if (!s)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory for %d unknowns", S->nrow);
    s->klu = klu;
    klu_defaults(&s->common);
    s->common.btf = 0;
    s->common.ordering = order == TN_ORDER_COLAMD ? COLAMD : AMD;
    s->common.scale = -1; // done by the front
    s->common.tol = PIVOT_THRESHOLD;
    tn_memory_on_load(s, lu_revive);
    s->b = tn_alloc((size_t)klu->parts * (2 * (size_t)S->nrow + (size_t)S->nnz) * sizeof(double));
    if (s->b)
        s->symbolic = klu_analyze(S->nrow, S->colptr, S->rowind, &s->common);
    if (!s->symbolic) {
        lu_destroy(s);
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory to analyse %d unknowns", S->nrow);
    }
    s->x = s->b + klu->parts * S->nrow;
    s->pivoted = s->x + klu->parts * S->nrow;
    *out = s;
    return TN_OK;
}

static tn_status lu_create_real(const tn_sparse *S, tn_order order, void **out)
{
    return lu_create(&for_real, S, order, out);
}

static tn_status lu_create_complex(const tn_sparse *S, tn_order order, void **out)
{
    return lu_create(&for_complex, S, order, out);
}

typedef struct {
    double smallest, largest;
} range;

static range pivot_range(const sparse_lu *s)
{
    TN_ASSERT(s->numeric);
    const double *pivot = s->numeric->Udiag;
    range r = {INFINITY, 0.0};
    for (int i = 0; i < s->numeric->n; i++) {
        const double p =
            s->klu->parts == 1 ? fabs(pivot[i]) : hypot(pivot[2 * i], pivot[2 * i + 1]);
        if (!isfinite(p))
            return (range){0.0, INFINITY};
        r.smallest = fmin(r.smallest, p);
        r.largest = fmax(r.largest, p);
    }
    return r;
}

// y += a S x with complex values in S, x and y
static void multiply_complex(const tn_sparse *S, double a, const double *x, double *y)
{
    for (int j = 0; j < S->ncol; j++) {
        const double re = a * x[2 * j], im = a * x[2 * j + 1];
        for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++) {
            double *to = y + 2 * S->rowind[k];
            const double *s = S->val + 2 * k;
            to[0] += s[0] * re - s[1] * im;
            to[1] += s[0] * im + s[1] * re;
        }
    }
}

static void lu_solve(void *self, double *b)
{
    sparse_lu *s = self;
    TN_ASSERT(s->numeric);
    s->klu->solve(s->symbolic, s->numeric, s->symbolic->n, 1, b, &s->common);
}

// The backward error of a trial solve.
static double trial_error(sparse_lu *s, const tn_sparse *S)
{
    const int parts = s->klu->parts, n = parts * S->nrow;
    double *b = s->b, *x = s->x;
    void (*const multiply)(const tn_sparse *, double, const double *, double *) =
        parts == 1 ? tn_sparse_mul : multiply_complex;
    for (int i = 0; i < n; i++)
        x[i] = i % parts == 0 ? 1.0 : 0.0;
    tn_zero(n, b);
    multiply(S, 1.0, x, b);
    tn_copy(n, b, x);
    const double size = tn_norm_inf(n, b);
    lu_solve(s, x);
    const double grown = tn_norm_inf(n, x);
    multiply(S, -1.0, x, b);
    return tn_norm_inf(n, b) / (size + grown); // NaN counts as poor, see its uses
}

static double solver_klu_ratio(range r)
{
    return r.largest > 0.0 && isfinite(r.largest) ? r.smallest / r.largest : 0.0;
}

static void remember_solver_klu(sparse_lu *s, range now, double rcond)
{
    s->smallest = now.smallest;
    s->largest = now.largest;
    s->rcond = rcond;
}

// Old pivots, new values. False when they are no longer good.
static bool refactor(sparse_lu *s, const tn_sparse *S, tn_solver_stats *stats)
{
    TN_ASSERT(S->nrow == s->symbolic->n);
    if (!s->numeric)
        return false;
    s->klu->refactor(S->colptr, S->rowind, S->val, s->symbolic, s->numeric, &s->common);
    s->S = S;
    s->refactored = true;
    if (s->common.status != KLU_OK)
        return false;
    const range now = pivot_range(s);
    if (now.largest > RANGE_CHANGE * s->largest || now.smallest * RANGE_CHANGE < s->smallest) {
        if (solver_klu_ratio(now) < DOUBT)
            return false;
        if (!(trial_error(s, S) <= BACKWARD_MAX))
            return false;
        remember_solver_klu(s, now, solver_klu_ratio(now));
    }
    stats->rcond = solver_klu_ratio(now) < DOUBT ? s->rcond : solver_klu_ratio(now);
    return stats->rcond >= tn_least_rcond(S->nrow); // the last matrix was singular, this may not be
}

static tn_status pivot_anew(sparse_lu *s, const tn_sparse *S, tn_solver_stats *stats)
{
    TN_ASSERT(S->nrow == s->symbolic->n);
    stats->pivotings++;
    tn_copy(s->klu->parts * S->nnz, S->val, s->pivoted);
    s->S = S;
    s->refactored = false;
    klu_free_numeric(&s->numeric, &s->common);
    s->numeric = s->klu->factor(S->colptr, S->rowind, S->val, s->symbolic, &s->common);
    s->has_factors = s->numeric != NULL;
    if (s->common.status == KLU_SINGULAR)
        return TN_RETRY_SINGULAR;
    if (!s->numeric)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory to factor %d unknowns", S->nrow);
    const range now = pivot_range(s);
    remember_solver_klu(s, now, solver_klu_ratio(now));
    if (s->rcond < DOUBT) {
        if (!s->klu->condest(S->colptr, S->val, s->symbolic, s->numeric, &s->common))
            return tn_fail(TN_ERR_MEMORY, "linear solver: no memory to judge %d unknowns", S->nrow);
        s->rcond = s->common.condest >= 1.0 ? 1.0 / s->common.condest : 0.0; // NaN gives 0
    }
    stats->rcond = s->rcond;
    return TN_OK;
}

static tn_status lu_factor(void *self, const tn_sparse *S, tn_solver_stats *stats)
{
    return refactor(self, S, stats) ? TN_OK : pivot_anew(self, S, stats);
}

static tn_status lu_min_norm(void *self, const tn_sparse *S, const double *col, double *b,
                             int *rank)
{
    const sparse_lu *s = self;
    return tn_spqr_min_norm(s->klu->parts, S, col, b, rank);
}

const tn_factor_ops tn_factor_klu = {
    .name = "KLU",
    .create = lu_create_real,
    .destroy = lu_destroy,
    .factor = lu_factor,
    .solve = lu_solve,
    .min_norm = lu_min_norm,
};

const tn_factor_ops tn_factor_klu_complex = {
    .name = "complex KLU",
    .create = lu_create_complex,
    .destroy = lu_destroy,
    .factor = lu_factor,
    .solve = lu_solve,
    .min_norm = lu_min_norm,
};
