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
// as reciprocal condition number; where new pivots do not decide, Hager's estimate takes its place.
// New pivots, that estimate and the first copy of factors allocate, inside KLU; nothing else here
// does after lu_create.
//
// The order of elimination is chosen with the first values, by the entries that L and U have, never
// by a clock. Small matrices take that of AMD and exchange rows as they like, unless they fill.
// Larger ones are factored without exchanges, so that L and U are as large as the order says and no
// trial can explode; every pivot must then stand against its column as if rows could have been
// exchanged, in scales that make the diagonal one. Unknowns without a diagonal entry come after all
// that they share an entry with, and where that fills only those whose pivots do not stand
// (solver_order.h). A matrix that no such order suits is left to COLAMD, which suits any pivots;
// where they suit but fill, and the matrix is not large, exchanges are tried too.
//
// Pivots of a definite matrix stand however small they become beside their column, as those of M
// do, and of -C M^-1 C^T after them [Van95]: in joint coordinates, where bodies carry bodies, they
// lose two digits and more. So unknowns with a diagonal entry, and those that come after all of
// these, are held against KLU's own threshold of 0.001, and where that lets one pass that 0.1 would
// not the backward error of a trial solve decides.
//
// KLU has the same functions for real and for complex values, and so has this file: `functions` is
// the table of them.

#include "base/alloc.h"
#include "base/library.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/solver_order.h"
#include "linalg/solver_parts.h"

#include <klu.h>
#include <math.h>
#include <string.h>

// KKT matrices of chains, rings and lattices of bodies, n = 10^4 to 10^5: AMD on the whole matrix
// gives nnz(L + U) of 1.2, 1.9 and 3.8 times nnz(A); with the block triangular form first 1.4, 2.5
// and 6.5, with COLAMD 1.2, 1.9 and 11. A threshold of 0.1 instead of KLU's 0.001 costs 4 % more
// fill and gains one to two digits. Nested dissection by METIS has more entries than AMD on all
// nets that were measured (docs/theory/cost.md).
//
// AMD counts on pivots of the diagonal, COLAMD on any: where those of the diagonal are poor, as
// with chains of tiny bodies in directors, factors by AMD become almost full (400 rods of 2.5 mm:
// 20 s instead of 0.03 s).
static const double PIVOT_THRESHOLD = 0.1, DEFINITE_THRESHOLD = 1e-3;
enum { AMD = 0, COLAMD = 1 }; // as KLU has them

enum { SMALL = 256 };             // unknowns, up to which rows are exchanged at will
static const double ENOUGH = 1.1; // times the entries by AMD: no other order is tried
static const double THICK = 40.0; // entries of a column, from which on trials cost more than they
                                  // win up to
static const double ENOUGH_THICK = 1.25; // times those by AMD
enum { MIDDLE = 2048 };          // unknowns, up to which a factorisation that fills is affordable
enum { SEARCHES = 5 };           // delays with the same values
static const double FAR = 8.0;   // times the entries by AMD: no delay suits
static const double GROWN = 1.5; // times the entries that were promised: another order

// L U is S but for n_k eps |L| |U|, n_k the terms that a pivot is made of: of
// what cancels altogether that much is left, however large the condition of S comes out, which
// knows the largest entries only and not those that were pivoted away. Rows that depend on others
// left up to 35 eps beside light bodies and heavy ones, the least pivots of regular matrices 1e10
// eps and more; TN_ROUND_MATRIX is 450 eps.

// L and, unless it is left out, U by columns: where they start, rows, and real and imaginary parts.
typedef struct {
    int *Lp, *Li, *Up, *Ui;
    double *Lx[2], *Ux[2];
    size_t ints, doubles; // of the blocks, which begin at Lp and Lx[0]
} factor_columns;

typedef struct {
    int parts; // doubles per value
    klu_numeric *(*factor)(int *, int *, double *, klu_symbolic *, klu_common *);
    int (*refactor)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
    int (*solve)(klu_symbolic *, klu_numeric *, int, int, double *, klu_common *);
    int (*condest)(int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
    int (*extract)(klu_numeric *, klu_symbolic *, factor_columns *, klu_common *);
} functions;

static int extract_real(klu_numeric *numeric, klu_symbolic *symbolic, factor_columns *f,
                        klu_common *common)
{
    return klu_extract(numeric, symbolic, f->Lp, f->Li, f->Lx[0], f->Up, f->Ui, f->Ux[0], NULL,
                       NULL, NULL, NULL, NULL, NULL, NULL, common);
}

static int extract_complex(klu_numeric *numeric, klu_symbolic *symbolic, factor_columns *f,
                           klu_common *common)
{
    return klu_z_extract(numeric, symbolic, f->Lp, f->Li, f->Lx[0], f->Lx[1], f->Up, f->Ui,
                         f->Ux[0], f->Ux[1], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                         common);
}

static const functions for_real = {1,         klu_factor,  klu_refactor,
                                   klu_solve, klu_condest, extract_real};
static const functions for_complex = {2,           klu_z_factor,  klu_z_refactor,
                                      klu_z_solve, klu_z_condest, extract_complex};

typedef struct {
    const functions *klu;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    int *order;               // of elimination, which `symbolic` was made of
    double promised;          // entries of L and U as the order has them, if rows are not exchanged
    bool chosen;              // the order was chosen with values
    bool swaps;               // rows may be exchanged
    double smallest, largest; // pivots of the last factorisation that was checked
    double rcond;             // its reciprocal condition number
    double *b, *x;            // trial solve
    // Sources of the factors, to make them again where they were lost with their process: values
    // with which pivots were chosen, and the matrix that was factored with them since.
    double *pivoted;
    const tn_sparse *S;
    bool has_factors, refactored;
    // Factors of large matrices in the order in which solutions walk through them: KLU stores
    // columns of L and U by turns, so that half of the memory traffic is not used on either way.
    // Steps on a cloth of 3136 loops take 0.6 of the time for it.
    factor_columns walk;
    bool is_walk;  // of these factors
    int solutions; // by these factors, up to COPIED
} sparse_lu;

enum { COPIED = 2 }; // the solution from which on a copy of the factors is worth its making

static void close_columns(sparse_lu *s, factor_columns *f)
{
    klu_free(f->Lp, f->ints, sizeof(int), &s->common);
    klu_free(f->Lx[0], f->doubles, sizeof(double), &s->common);
    *f = (factor_columns){0};
}

// The same for both numbers.
static void drop_numeric(sparse_lu *s)
{
    klu_free_numeric(&s->numeric, &s->common);
    close_columns(s, &s->walk);
    s->is_walk = false;
    s->solutions = 0;
}

static void lu_destroy(void *self)
{
    sparse_lu *s = self;
    drop_numeric(s);
    klu_free_symbolic(&s->symbolic, &s->common);
    TN_FREE(s->b, s);
}

static klu_numeric *numeric_of(sparse_lu *s, const tn_sparse *S, double *val)
{
    s->common.tol = s->swaps ? PIVOT_THRESHOLD : 0.0;
    return s->klu->factor(S->colptr, S->rowind, val, s->symbolic, &s->common);
}

// Goes over to the order in `order`. False without memory.
static bool take_order(sparse_lu *s, const tn_sparse *S)
{
    drop_numeric(s);
    klu_free_symbolic(&s->symbolic, &s->common);
    s->symbolic = klu_analyze_given(S->nrow, S->colptr, S->rowind, s->order, s->order, &s->common);
    return s->symbolic;
}

// Takes an order of KLU's own.
static bool analyse(sparse_lu *s, const tn_sparse *S, int ordering)
{
    drop_numeric(s);
    klu_free_symbolic(&s->symbolic, &s->common);
    s->common.ordering = ordering;
    s->symbolic = klu_analyze(S->nrow, S->colptr, S->rowind, &s->common);
    if (!s->symbolic)
        return false;
    memcpy(s->order, s->symbolic->Q, sizeof(int) * (size_t)S->nrow);
    s->promised = s->symbolic->lnz + s->symbolic->unz - S->nrow; // one diagonal; none for COLAMD
    return true;
}

static double entries_of(const sparse_lu *s)
{
    TN_ASSERT(s->numeric);
    return (double)s->numeric->lnz + s->numeric->unz - s->numeric->n;
}

static double bytes_of_factors(int parts, double entries)
{
    return entries * ((double)parts * sizeof(double) + sizeof(int));
}

tn_status tn_factors_fit(int parts, int unknowns, double entries, double memory)
{
    const double GB = 1e9, need = bytes_of_factors(parts, entries);
    if (need <= memory)
        return TN_OK;
    return tn_fail(TN_ERR_MEMORY,
                   "linear solver: the factors of %d unknowns have %.3g entries and need %.3g GB, "
                   "but this machine has %.3g GB: the net of loops is too large or too dense; take "
                   "joint coordinates (@joint), an explicit method or fewer bodies",
                   unknowns, entries, need / GB, memory / GB);
}

static tn_status lu_create(int parts, const tn_sparse *S, void **out)
{
    TN_ASSERT(S->nrow == S->ncol);
    const functions *klu = parts == 1 ? &for_real : &for_complex;
    const size_t n = (size_t)S->nrow, each = (size_t)parts;
    TN_TRY(tn_library_need(&tn_klu_library));
    sparse_lu *s = tn_alloc(sizeof(*s));
    if (!s)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory for %d unknowns", S->nrow);
    s->klu = klu;
    s->swaps = true;
    klu_defaults(&s->common);
    s->common.btf = 0;
    s->common.scale = -1; // done by the front
    s->b = tn_alloc(each * (2 * n + (size_t)S->nnz) * sizeof(double) + n * sizeof(int));
    if (s->b) {
        s->x = s->b + each * n;
        s->pivoted = s->x + each * n;
        s->order = (int *)(s->pivoted + each * (size_t)S->nnz);
    }
    if (!s->b || !analyse(s, S, AMD)) {
        lu_destroy(s);
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory to analyse %d unknowns", S->nrow);
    }
    const tn_status status = tn_factors_fit(parts, S->nrow, s->promised, tn_memory_of_machine());
    if (status == TN_OK)
        *out = s;
    else
        lu_destroy(s);
    return status;
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

// False without memory; to be closed all the same.
static bool open_columns(sparse_lu *s, bool upper, factor_columns *f)
{
    const size_t n = (size_t)s->symbolic->n, parts = (size_t)s->klu->parts;
    const size_t lnz = (size_t)s->numeric->lnz, unz = upper ? (size_t)s->numeric->unz : 0;
    *f = (factor_columns){.ints = 2 * (n + 1) + lnz + unz, .doubles = parts * (lnz + unz)};
    f->Lp = klu_malloc(f->ints, sizeof(int), &s->common);
    f->Lx[0] = klu_malloc(f->doubles, sizeof(double), &s->common);
    if (!f->Lp || !f->Lx[0])
        return false;
    f->Li = f->Lp + n + 1;
    f->Lx[1] = parts == 2 ? f->Lx[0] + lnz : NULL;
    if (upper) {
        f->Up = f->Li + lnz;
        f->Ui = f->Up + n + 1;
        f->Ux[0] = f->Lx[0] + parts * lnz;
        f->Ux[1] = parts == 2 ? f->Ux[0] + unz : NULL;
    }
    return s->klu->extract(s->numeric, s->symbolic, f, &s->common);
}

// A copy of the factors for solutions to walk through; a copy that is there gets their values.
// False where memory does not hold both: solutions go without.
static bool copy_factors(sparse_lu *s)
{
    if (s->is_walk)
        return true;
    if (s->walk.Lp) {
        s->is_walk = s->klu->extract(s->numeric, s->symbolic, &s->walk, &s->common);
    } else if (bytes_of_factors(1, 2.0 * entries_of(s)) <= tn_memory_of_machine()) {
        s->is_walk = open_columns(s, true, &s->walk);
        if (!s->is_walk)
            close_columns(s, &s->walk);
    }
    return s->is_walk;
}

static void walk_factors(const sparse_lu *s, double *b)
{
    const factor_columns *f = &s->walk;
    const int n = s->symbolic->n;
    double *x = s->x;
    for (int k = 0; k < n; k++)
        x[k] = b[s->numeric->Pnum[k]];
    for (int k = 0; k < n; k++) // the first of each column is the one of the diagonal
        for (int e = f->Lp[k] + 1; e < f->Lp[k + 1]; e++)
            x[f->Li[e]] -= f->Lx[0][e] * x[k];
    for (int k = n - 1; k >= 0; k--) { // and the last one the pivot
        const int pivot = f->Up[k + 1] - 1;
        x[k] /= f->Ux[0][pivot];
        for (int e = f->Up[k]; e < pivot; e++)
            x[f->Ui[e]] -= f->Ux[0][e] * x[k];
    }
    for (int k = 0; k < n; k++)
        b[s->symbolic->Q[k]] = x[k];
}

static void lu_solve(void *self, double *b)
{
    sparse_lu *s = self;
    if (!s->numeric) { // of a state that was read, with flags that contradict each other
        b[0] = NAN;
        return;
    }
    const bool large = s->klu->parts == 1 && s->symbolic->n >= TN_CONDENSE_FROM && b != s->x;
    s->solutions += large && s->solutions < COPIED;
    if (large && s->solutions == COPIED && copy_factors(s))
        walk_factors(s, b);
    else
        s->klu->solve(s->symbolic, s->numeric, s->symbolic->n, 1, b, &s->common);
}

double tn_trial_error(void *self, void (*solve)(void *self, double *b), int parts,
                      const tn_sparse *S, double *b, double *x)
{
    const int n = parts * S->nrow;
    void (*const multiply)(const tn_sparse *, double, const double *, double *) =
        parts == 1 ? tn_sparse_mul : multiply_complex;
    for (int i = 0; i < n; i++)
        x[i] = i % parts == 0 ? 1.0 : 0.0;
    tn_zero(n, b);
    multiply(S, 1.0, x, b);
    tn_copy(n, b, x);
    const double size = tn_norm_inf(n, b);
    solve(self, x);
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
    s->is_walk = false;
    s->solutions = 0;
    s->S = S;
    s->refactored = true;
    if (s->common.status != KLU_OK)
        return false;
    const range now = pivot_range(s);
    if (now.largest > TN_PIVOT_CHANGE * s->largest ||
        now.smallest * TN_PIVOT_CHANGE < s->smallest) {
        if (solver_klu_ratio(now) < TN_RCOND_DOUBT)
            return false;
        if (!(tn_trial_error(s, lu_solve, s->klu->parts, S, s->b, s->x) <= TN_BACKWARD_MAX))
            return false;
        remember_solver_klu(s, now, solver_klu_ratio(now));
    }
    stats->rcond = solver_klu_ratio(now) < TN_RCOND_DOUBT ? s->rcond : solver_klu_ratio(now);
    return stats->rcond >= tn_least_rcond(S->nrow); // the last matrix was singular, this may not be
}

static double size_of(double *const x[2], int i)
{
    return x[1] ? hypot(x[0][i], x[1][i]) : fabs(x[0][i]);
}

// The rows of |L|: those of row i begin at start[i].
static void rows_of_lower(const factor_columns *f, int n, int *start, int *col, double *size)
{
    for (int e = 0; e < f->Lp[n]; e++)
        start[f->Li[e] + 2]++;
    for (int i = 0; i < n; i++)
        start[i + 2] += start[i + 1];
    for (int j = 0; j < n; j++)
        for (int e = f->Lp[j]; e < f->Lp[j + 1]; e++) {
            const int at = start[f->Li[e] + 1]++;
            col[at] = j;
            size[at] = size_of(f->Lx, e);
        }
}

// The least |u_kk| beside sum_j |l_kj| |u_jk|, its terms before cancellation. Negative without
// memory.
static double least_left(const factor_columns *f, int n)
{
    const size_t lnz = (size_t)f->Lp[n];
    int *start = tn_alloc(((size_t)n + 2 + lnz) * sizeof(int));
    double *size = tn_alloc(((size_t)n + lnz) * sizeof(double));
    double least = start && size ? 1.0 : -1.0;
    int *col = least > 0.0 ? start + n + 2 : NULL;
    double *upper = least > 0.0 ? size + lnz : NULL;
    if (least > 0.0)
        rows_of_lower(f, n, start, col, size);
    for (int k = 0; k < n && least > 0.0; k++) {
        double sum = 0.0;
        for (int e = f->Up[k]; e < f->Up[k + 1]; e++)
            upper[f->Ui[e]] = size_of(f->Ux, e);
        for (int at = start[k]; at < start[k + 1]; at++)
            sum += size[at] * upper[col[at]];
        least = sum > 0.0 ? fmin(least, upper[k] / sum) : 0.0;
        for (int e = f->Up[k]; e < f->Up[k + 1]; e++)
            upper[f->Ui[e]] = 0.0;
    }
    TN_FREE(start, size);
    return least;
}

// Choice of the order -----------------------------------------------------------------------------

// Work arrays and results of a choice of pivots.
typedef struct {
    char *kind;     // n, of unknowns
    double *d;      // n, scales
    int *room;      // 4 n, the last of which are `kept`
    bool *poor;     // n: unknowns whose own pivot does not stand against its column
    int count;      // of pivots that do not stand, also for reasons that lie before them
    bool doubt;     // some stand by the lower threshold alone
    double *val;    // regularised values of the matrix
    double plain;   // entries by the order of AMD
    int *kept;      // n: the best order so far
    double entries; // that it has
    bool memory;    // there was enough
} choice;

static size_t bytes_of_choice(size_t n, size_t values)
{
    return sizeof(double) * (n + values) + (sizeof(int) * 4 + sizeof(char) + sizeof(bool)) * n;
}

// In one block, which begins with d.
static choice choice_open(size_t n, size_t values, klu_common *common)
{
    choice c = {.d = klu_malloc(bytes_of_choice(n, values), 1, common)};
    c.memory = c.d;
    if (c.memory) {
        c.val = c.d + n;
        c.room = (int *)(c.val + values);
        c.kept = c.room + 3 * n;
        c.kind = (char *)(c.room + 4 * n);
        c.poor = (bool *)(c.kind + n);
    }
    return c;
}

static void judge(const sparse_lu *s, const tn_sparse *S, choice *c)
{
    tn_order_judge(s->klu->parts, S, c->kind, c->d);
}

// Marks pivots that are smaller, by more than the threshold, than an entry below them. A pivot that
// is not finite comes from one before it, and is no fault of its own.
static void mark_poor(const sparse_lu *s, const factor_columns *f, choice *c)
{
    c->count = 0;
    c->doubt = false;
    const int parts = s->klu->parts;
    for (int k = 0; k < s->symbolic->n; k++) {
        const int j = s->order[k];
        const double *pivot = (const double *)s->numeric->Udiag + parts * k;
        const bool definite = c->kind[j] != TN_UNKNOWN_WEAK && c->kind[j] != TN_UNKNOWN_LATE;
        double most = 0.0;
        for (int i = f->Lp[k]; i < f->Lp[k + 1]; i++) {
            const double size = size_of(f->Lx, i) * c->d[s->order[f->Li[i]]];
            most = size <= most ? most : size; // NaN stays
        }
        const bool stands = most * PIVOT_THRESHOLD <= c->d[j]; // NaN does not
        const bool poor = definite ? !(most * DEFINITE_THRESHOLD <= c->d[j]) : !stands;
        c->poor[j] = poor && isfinite(pivot[0]) && isfinite(pivot[parts - 1]);
        c->count += poor;
        c->doubt = c->doubt || (!stands && !poor);
    }
}

static void look_at_pivots(sparse_lu *s, choice *c)
{
    factor_columns f;
    c->memory = open_columns(s, false, &f);
    if (c->memory)
        mark_poor(s, &f, c);
    close_columns(s, &f);
}

// Factors without exchanges of rows, which costs what the order says. True where every pivot
// stands: these are the factors that exchanges at the threshold would have left alone.
static bool stands(sparse_lu *s, const tn_sparse *S, double *val, choice *c)
{
    s->swaps = false;
    s->common.halt_if_singular = false; // goes on with what is not finite
    drop_numeric(s);
    s->numeric = numeric_of(s, S, val);
    s->common.halt_if_singular = true;
    c->memory = s->numeric;
    const bool kept = s->common.status == KLU_OK && s->common.noffdiag == 0;
    if (c->memory)
        look_at_pivots(s, c);
    if (!c->memory)
        return false;
    s->promised = entries_of(s);
    return c->count == 0 && kept &&
           (!c->doubt || val != S->val ||
            tn_trial_error(s, lu_solve, s->klu->parts, S, s->b, s->x) <= TN_BACKWARD_MAX);
}

// Unknowns without a diagonal entry that are poor come later, or all of them last. False where
// nothing is left to be moved.
static bool delay(sparse_lu *s, const tn_sparse *S, bool all, choice *c)
{
    int moved = 0;
    for (int j = 0; j < S->ncol; j++) {
        const bool weak = c->kind[j] == TN_UNKNOWN_WEAK, late = c->kind[j] == TN_UNKNOWN_LATE;
        if ((weak || late) && (all || c->poor[j])) {
            c->kind[j] = weak && !all ? TN_UNKNOWN_LATE : TN_UNKNOWN_LAST;
            moved++;
        }
    }
    if (moved == 0 && !all)
        return false;
    tn_order_delay(S, c->kind, s->order, c->room);
    c->memory = take_order(s, S);
    return c->memory;
}

// Exchanges rows in the order that is taken; false where there is no memory for that.
static bool swap_rows(sparse_lu *s, const tn_sparse *S)
{
    s->swaps = true;
    drop_numeric(s);
    s->numeric = numeric_of(s, S, S->val);
    return s->numeric || s->common.status == KLU_SINGULAR;
}

// Delays poor pivots with these values, until all pivots stand.
static bool delay_poor(sparse_lu *s, const tn_sparse *S, double *val, choice *c)
{
    for (int k = 0; k < SEARCHES && c->memory; k++) {
        if (stands(s, S, val, c))
            return true;
        const double most = fmin(FAR * c->plain, c->entries);
        if (!c->memory || s->promised > most || !delay(s, S, false, c))
            return false;
    }
    return c->memory && stands(s, S, val, c);
}

// AMD's order, with delays of poor pivots in trials, first with regularised values. True where all
// pivots stand with those of S in the end.
static bool delay_some(sparse_lu *s, const tn_sparse *S, choice *c)
{
    judge(s, S, c);
    tn_order_regularise(s->klu->parts, S, c->kind, c->d, c->val);
    c->memory = analyse(s, S, AMD);
    delay_poor(s, S, c->val, c);
    return c->memory && s->promised < c->entries && delay_poor(s, S, S->val, c);
}

// AMD's order with all that has no diagonal entry late, after all but hubs or after all.
static bool delay_all(sparse_lu *s, const tn_sparse *S, bool hubs, choice *c)
{
    judge(s, S, c);
    if (hubs && tn_order_hubs(S, c->kind) == 0)
        return false;
    c->memory = analyse(s, S, AMD);
    c->plain = s->promised;
    return c->memory && delay(s, S, true, c) && stands(s, S, S->val, c);
}

// Saves the order at hand, and returns true, if it has fewer entries than the saved one.
static bool keep_fewer(const sparse_lu *s, bool found, choice *c)
{
    if (!found || s->promised >= c->entries)
        return false;
    c->entries = s->promised;
    memcpy(c->kept, s->order, sizeof(int) * (size_t)s->symbolic->n);
    return true;
}

static bool is_enough(const choice *c, int n)
{
    return c->entries <= (c->plain > THICK * n ? ENOUGH_THICK : ENOUGH) * c->plain;
}

// An order in which all pivots stand: that of the last choice; AMD's with all that has no diagonal
// entry late, or with poor pivots alone, whichever has fewer entries.
static bool find_standing(sparse_lu *s, const tn_sparse *S, choice *c)
{
    bool is_kept = false; // the factors at hand, which may be those of regularised values
    judge(s, S, c);
    c->plain = 0.0;
    c->entries = INFINITY;
    if (s->chosen && !s->swaps && stands(s, S, S->val, c))
        return true;
    for (int k = 0; k < 3 && c->memory && (k == 0 || !is_enough(c, S->nrow)); k++)
        is_kept = keep_fewer(s, k < 2 ? delay_all(s, S, k == 0, c) : delay_some(s, S, c), c);
    if (!c->memory || isinf(c->entries) || is_kept)
        return c->memory && isfinite(c->entries);
    memcpy(s->order, c->kept, sizeof(int) * (size_t)S->nrow);
    judge(s, S, c);
    c->memory = take_order(s, S);
    return c->memory && stands(s, S, S->val, c);
}

// If a stable order has many more entries than that of AMD, as with a body on which hundreds of
// others are pinned, exchanges of rows may have fewer. Large matrices do not try: exchanges may
// fill them altogether. False without memory.
static bool prefer_fewer(sparse_lu *s, const tn_sparse *S, choice *c)
{
    const double entries = s->promised;
    int *kept = c->kept;
    if (entries <= GROWN * c->plain || S->nrow > MIDDLE)
        return true;
    memcpy(kept, s->order, sizeof(int) * (size_t)S->nrow);
    if (!analyse(s, S, AMD) || !swap_rows(s, S))
        return false;
    if (s->numeric && entries_of(s) < entries) {
        s->promised = entries_of(s);
        return true;
    }
    memcpy(s->order, kept, sizeof(int) * (size_t)S->nrow);
    return take_order(s, S) && stands(s, S, S->val, c);
}

// Leaves factors, or none where S is singular. False without memory.
static bool choose(sparse_lu *s, const tn_sparse *S)
{
    const size_t n = (size_t)S->nrow, values = (size_t)(s->klu->parts * S->nnz);
    choice c = choice_open(n, values, &s->common);
    const bool found = c.memory && find_standing(s, S, &c);
    bool memory = c.memory && (!found || prefer_fewer(s, S, &c));
    klu_free(c.d, bytes_of_choice(n, values), 1, &s->common);
    if (memory && !found) {
        memory = analyse(s, S, COLAMD) && swap_rows(s, S);
        s->promised = s->numeric ? entries_of(s) : INFINITY;
    }
    s->chosen = s->numeric != NULL;
    return memory;
}

// Factors by the order at hand, or by another one where that does not suit the values.
static bool factor_anew(sparse_lu *s, const tn_sparse *S)
{
    if (s->chosen ? s->swaps : S->nrow <= SMALL) {
        if (!swap_rows(s, S))
            return false;
        if (!s->numeric || entries_of(s) <= GROWN * s->promised)
            return true;
    }
    return choose(s, S);
}

// The condition by Hager's estimate, and none where a pivot is but rounding. False without memory.
static bool judge_doubt(sparse_lu *s, const tn_sparse *S)
{
    factor_columns f = {0};
    double least = 1.0;
    if (!s->klu->condest(S->colptr, S->val, s->symbolic, s->numeric, &s->common))
        return false;
    s->rcond = s->common.condest >= 1.0 ? 1.0 / s->common.condest : 0.0; // NaN gives 0
    if (s->rcond >= tn_least_rcond(S->nrow)) {
        least = open_columns(s, true, &f) ? least_left(&f, S->nrow) : -1.0;
        close_columns(s, &f);
    }
    if (least < TN_ROUND_MATRIX)
        s->rcond = 0.0;
    return least >= 0.0;
}

static tn_status pivot_anew(sparse_lu *s, const tn_sparse *S, tn_solver_stats *stats)
{
    TN_ASSERT(S->nrow == s->symbolic->n);
    stats->pivotings++;
    tn_copy(s->klu->parts * S->nnz, S->val, s->pivoted);
    s->S = S;
    s->refactored = false;
    const bool memory = factor_anew(s, S);
    s->has_factors = s->numeric != NULL;
    if (!memory)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory to factor %d unknowns", S->nrow);
    if (!s->numeric)
        return TN_RETRY_SINGULAR;
    const range now = pivot_range(s);
    remember_solver_klu(s, now, solver_klu_ratio(now));
    if (s->rcond < TN_RCOND_DOUBT && !judge_doubt(s, S))
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory to judge %d unknowns", S->nrow);
    stats->rcond = s->rcond;
    return TN_OK;
}

static tn_status lu_factor(void *self, const tn_sparse *S, tn_solver_stats *stats)
{
    return refactor(self, S, stats) ? TN_OK : pivot_anew(self, S, stats);
}

// Returns true if it is an order of n unknowns; `room` of n.
static bool is_order(int n, const int *order, int *room)
{
    memset(room, 0, sizeof(int) * (size_t)n);
    for (int i = 0; i < n; i++)
        if (room[order[i]]++)
            return false;
    return true;
}

// The same factors from the same values, and as many solutions by them, which round in the same
// way.
static void make_again(sparse_lu *s, const tn_sparse *S, tn_values *v)
{
    const int solutions = s->solutions;
    drop_numeric(s);
    if (!is_order(S->nrow, s->order, (int *)s->b)) {
        tn_values_refuse(v, "the saved state has an order of elimination that is none");
    } else if (s->has_factors) {
        if (take_order(s, S))
            s->numeric = numeric_of(s, S, s->pivoted);
        if (s->numeric && s->refactored)
            s->klu->refactor(S->colptr, S->rowind, S->val, s->symbolic, s->numeric, &s->common);
        if (!s->numeric)
            tn_values_refuse(v, "the saved state has a singular matrix where one was factored");
        s->solutions = solutions;
    }
}

static void lu_values(void *self, const tn_sparse *S, tn_values *v)
{
    sparse_lu *s = self;
    s->S = S;
    TN_VALUES_INT(v, 0, S->nrow - 1, S->nrow, s->order);
    TN_VALUES_ANY(v, "1", 1, &s->promised, &s->smallest, &s->largest, &s->rcond);
    TN_VALUES_BOOL(v, &s->chosen, &s->swaps, &s->has_factors, &s->refactored);
    TN_VALUES_INT(v, 0, COPIED, 1, &s->solutions);
    TN_VALUES(v, "1", s->klu->parts * S->nnz, s->pivoted);
    if (tn_values_are_read(v))
        make_again(s, S, v);
}

static void lu_fill(const void *self, tn_solver_fill *out)
{
    const sparse_lu *s = self;
    out->estimate = s->promised;
    out->fact = s->numeric ? entries_of(s) : 0.0;
}

static void lu_widths(const void *self, int *width)
{
    const sparse_lu *s = self;
    TN_ASSERT(s->numeric);
    for (int k = 0; k < s->symbolic->n; k++)
        width[s->symbolic->Q[k]] = s->numeric->Llen[k];
}

const tn_factor_ops tn_factor_klu = {
    .name = "KLU",
    .create = lu_create,
    .destroy = lu_destroy,
    .factor = lu_factor,
    .solve = lu_solve,
    .fill = lu_fill,
    .widths = lu_widths,
    .values = lu_values,
};
