// SPDX-License-Identifier: MIT
//
// The null-space provider: rows in and out, alignment to the reference E, multipliers of minimum
// norm where rows repeat each other. See basis.h.

#include "motion/basis.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "motion/basis_parts.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

// Unit rows whose part across the others is below this repeat them: more than TN_RANK_TOL, as
// constraints that drift are met to 1e-9 or so and repeat each other to that accuracy; singular
// positions are passed at a distance.
static const double REPEATED_TOL = 1e-8;
// More than the expected rank only above this: off the constraints by 1e-6, rows that repeat each
// other are dependent to that accuracy only.
static const double FIRM_TOL = 1e-5;

static const double GROWTH_KEEP = 2.0;   // E is kept by `begin` up to here: turned by 60 degrees
static const double GROWTH_FAIL = 100.0; // and followed up to here, two digits lost

static const tn_basis_ops *const basis_kinds[] = {
#define TN_KIND(name, text) &tn_basis_##name,
    TN_BASES(TN_KIND)
#undef TN_KIND
};

// Creation ----------------------------------------------------------------------------------------

// Room for every call of LAPACK here and in the kinds: blocked versions of QR and of its products
// take 64 columns at a time and a triangle of their own; the SVD asks for 4 n^2 + 7 n and a vector.
static int work_size(int nv, int rows)
{
    const int large = tn_larger(tn_larger(nv, rows), 1), small = nv < rows ? nv : rows;
    const int blocked = 64 * large + 65 * 64, svd = 4 * small * small + 7 * small + large;
    return tn_larger(tn_larger(blocked, svd), tn_qr_work(large, large));
}

static void layout_basis(void *self, tn_carve *mem)
{
    tn_basis *b = self;
    const int nv = b->nv, rows = b->rows;
    TN_CARVE_INTS(mem, rows, &b->row, &b->place);
    TN_CARVE_CHOICES(mem, 0, 1, rows, &b->independent);
    TN_CARVE_CHOICES(mem, 1, nv, nv, &b->pivot);
    TN_CARVE_DOUBLES(mem, nv * rows, &b->A);
    TN_CARVE_DOUBLES(mem, rows * rows, &b->kernel);
    TN_CARVE_DOUBLES(mem, nv * nv, &b->raw, &b->vectors, &b->Et, &b->MG, &b->H, &b->square,
                     &b->across, &b->kept);
    TN_CARVE_DOUBLES(mem, rows, &b->size, &b->c, &b->tau);
    TN_CARVE_DOUBLES(mem, nv, &b->x, &b->e);
    b->work = tn_carve_doubles(mem, b->lwork);
    if (b->ops->layout)
        b->ops->layout(b, mem);
}

static const tn_basis_ops *find_kind(const char *name)
{
    if (!name || !strcmp(name, "auto"))
        return basis_kinds[0];
    for (int k = 0; k < TN_COUNT(basis_kinds); k++)
        if (!strcmp(basis_kinds[k]->name, name))
            return basis_kinds[k];
    return NULL;
}

static tn_status check_basis(const tn_system *sys, const tn_basis_ops *ops, const char *name)
{
    if (!ops)
        return tn_fail(TN_ERR_USAGE,
                       "null space '%s' is not known; take auto, lu, qr, svd, gram-schmidt, "
                       "natural or zero-eigenvalue",
                       name);
    TN_ASSERT(!ops->by_joints || sys->ops->tree);
    return TN_OK;
}

tn_status tn_basis_create(tn_system *sys, const char *name, tn_basis **out)
{
    *out = NULL;
    const tn_basis_ops *ops = find_kind(name);
    TN_TRY(check_basis(sys, ops, name));
    tn_basis *b = tn_alloc(ops->size);
    TN_TRY(tn_got(b));
    b->ops = ops;
    b->sys = sys;
    b->nv = sys->nv;
    b->rows = sys->ng + sys->nn;
    b->lwork = work_size(b->nv, b->rows);
    const tn_status status = tn_carve_block(b, layout_basis, &b->block);
    if (status != TN_OK) {
        tn_basis_destroy(b);
        return status;
    }
    for (int i = 0; i < b->rows; i++)
        b->independent[i] = 1;
    tn_basis_set_active(b, b->independent);
    *out = b;
    return TN_OK;
}

void tn_basis_destroy(tn_basis *b)
{
    if (b)
        TN_FREE(b->block, b);
}

void tn_basis_values(tn_basis *b, tn_values *v)
{
    tn_carve_values(b, layout_basis, b->block, v);
    tn_values_enter(v, "basis");
    TN_VALUES_INT(v, 0, tn_smaller(b->m, b->nv), 1, &b->rank);
    TN_VALUES_INT(v, 0, b->nv, 1, &b->nf);
    TN_VALUES_INT(v, -1, b->nv, 1, &b->wanted, &b->reference);
    TN_VALUES_BOOL(v, &b->aligned);
    TN_VALUES(v, "1", 1, &b->length);
    if (b->ops->values)
        b->ops->values(b, v);
    tn_values_leave(v);
}

void tn_basis_set_active(tn_basis *b, const int *active)
{
    b->m = 0;
    for (int i = 0; i < b->rows; i++) {
        b->place[i] = active[i] ? b->m : -1;
        if (active[i])
            b->row[b->m++] = i;
    }
    b->reference = b->wanted = -1;
    b->aligned = false;
    if (b->ops->plan)
        b->ops->plan(b, active);
}

// Rows --------------------------------------------------------------------------------------------

static void gather_rows(tn_basis *b)
{
    const tn_sparse *B = b->sys->block[TN_BLOCK_B], *N = b->sys->block[TN_BLOCK_N];
    tn_zero(b->nv * b->m, b->A);
    tn_sparse_rows(B, b->place, b->nv, b->A);
    tn_sparse_rows(N, b->place + b->sys->ng, b->nv, b->A);
    for (int i = 0; i < b->m; i++) {
        double *row = tn_column_of(b->A, b->nv, i);
        const double size = tn_norm2(b->nv, row);
        b->size[i] = size > 0.0 ? size : 1.0;
        tn_scale(b->nv, 1.0 / b->size[i], row);
    }
}

int tn_basis_count(const tn_basis *b, double size, int n, const double *pivot, int stride)
{
    TN_ASSERT(n == 0 || !(size <= 0.0));
    int rank = 0, firm = 0;
    while (rank < n && fabs(pivot[(size_t)rank * (size_t)stride]) > REPEATED_TOL * size)
        rank++;
    while (firm < rank && fabs(pivot[(size_t)firm * (size_t)stride]) > FIRM_TOL * size)
        firm++;
    const double least = n > 0 ? fabs(pivot[(size_t)(n - 1) * (size_t)stride]) / size : 1.0;
    tn_system_note_rcond(b->sys, least * least); // as that of (M C^T; C 0)
    return b->wanted >= 0 && rank > b->wanted ? tn_larger(firm, b->wanted) : rank;
}

// Writes each row that repeats others in terms of those: y with A y = 0.
static void repeated_rows(tn_basis *b, double *Z)
{
    int k = 0;
    for (int i = 0; i < b->m && k < b->m - b->rank; i++)
        if (!b->independent[i]) {
            double *y = tn_column_of(Z, b->m, k++);
            b->ops->multipliers(b, tn_column_of(b->A, b->nv, i), y);
            y[i] -= 1.0;
        }
}

// An orthonormal basis of the y with C^T y = 0.
static void find_kernel(tn_basis *b)
{
    TN_ASSERT(b->rank >= 0 && b->rank <= b->m);
    const int m = b->m, n = m - b->rank;
    if (n <= 0)
        return;
    (b->ops->kernel ? b->ops->kernel : repeated_rows)(b, b->kernel);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++)
            tn_column_of(b->kernel, m, k)[i] /= b->size[i];
    tn_qr_factor(m, n, b->kernel, b->tau, b->work, b->lwork);
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, m, n, n, b->kernel, m, b->tau, b->work, b->lwork);
}

static tn_status find_raw(tn_basis *b, const tn_point *at)
{
    gather_rows(b);
    TN_TRY(b->ops->form(b, at));
    find_kernel(b);
    return TN_OK;
}

// Alignment ---------------------------------------------------------------------------------------

static double basis_longest(const tn_basis *b)
{
    double length = 0.0;
    for (int k = 0; k < b->nf; k++)
        length = fmax(length, tn_norm2(b->nv, tn_column_of(b->vectors, b->nv, k)));
    return length;
}

static void transpose_basis(int m, int n, const double *X, double *Xt) // X: m x n
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            Xt[j + (size_t)i * (size_t)n] = X[i + (size_t)j * (size_t)m];
}

// raw (raw^T raw)^-1, transposed its pseudo-inverse.
static void pseudo_inverse(tn_basis *b, double *Et)
{
    const int nv = b->nv, nf = b->nf;
    if (nf == 0)
        return;
    tn_inner(nv, nf, b->raw, nf, b->raw, b->square);
    transpose_basis(nv, nf, b->raw, b->across);
    LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', nf, nv, b->square, nf, b->across, nf);
    transpose_basis(nf, nv, b->across, Et);
}

// vectors = raw (E raw)^-1
static tn_status align(tn_basis *b)
{
    TN_ASSERT(b->nf <= b->nv);
    const int nv = b->nv, nf = b->nf;
    b->aligned = nf == 0;
    if (nf == 0)
        return TN_OK;
    tn_inner(nv, nf, b->Et, nf, b->raw, b->square);
    if (tn_lu_factor(nf, b->square, b->pivot) != TN_OK)
        return TN_RETRY_SINGULAR;
    transpose_basis(nv, nf, b->raw, b->across);
    for (int i = 0; i < nv; i++)
        tn_lu_solve_t(nf, b->square, b->pivot, tn_column_of(b->across, nf, i));
    transpose_basis(nf, nv, b->across, b->vectors);
    b->aligned = tn_all_finite(nv * nf, b->vectors);
    return b->aligned ? TN_OK : TN_RETRY_SINGULAR;
}

// In a singular position the null space is larger than expected. The part of it is taken that is
// nearest to the vectors of the last time, or to those of E where there are none: raw = Q Q^T
// vectors, Q orthonormal on the null space.
static void continue_vectors(tn_basis *b)
{
    const int nv = b->nv, found = b->nf, expected = b->nv - b->wanted;
    double *last = b->aligned ? b->vectors : b->Et;
    if (b->wanted < 0 || found <= expected)
        return;
    tn_copy(nv * found, b->raw, b->square);
    tn_qr_factor(nv, found, b->square, b->x, b->work, b->lwork);
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, nv, found, found, b->square, nv, b->x, b->work, b->lwork);
    tn_zero(nv * expected, b->raw);
    for (int j = 0; j < expected; j++)
        for (int k = 0; k < found; k++) {
            const double *q = tn_column_of(b->square, nv, k);
            tn_axpy(nv, tn_dot(nv, q, tn_column_of(last, nv, j)), q, tn_column_of(b->raw, nv, j));
        }
    b->nf = expected;
}

double tn_basis_growth(const tn_basis *b)
{
    return b->length > 0.0 ? basis_longest(b) / b->length : 1.0;
}

tn_status tn_basis_form(tn_basis *b, const tn_point *at)
{
    b->wanted = -1;
    b->aligned = false;
    TN_TRY(find_raw(b, at));
    tn_copy(b->nv * b->nf, b->raw, b->vectors);
    return TN_OK;
}

static void take_reference(tn_basis *b)
{
    if (b->ops->complement && b->nf == b->nv - b->rank)
        b->ops->complement(b, b->Et);
    else
        pseudo_inverse(b, b->Et);
    tn_copy(b->nv * b->nf, b->raw, b->vectors);
    b->reference = b->nf;
    b->aligned = true;
    b->length = basis_longest(b);
}

tn_status tn_basis_begin(tn_basis *b, const tn_point *at, bool *changed)
{
    *changed = false;
    b->wanted = b->reference >= 0 ? b->nv - b->reference : -1;
    TN_TRY(find_raw(b, at));
    continue_vectors(b);
    if (b->reference == b->nf && align(b) == TN_OK && tn_basis_growth(b) <= GROWTH_KEEP)
        return TN_OK;
    *changed = true;
    take_reference(b);
    return TN_OK;
}

static tn_status rank_has_grown(const tn_basis *b, double t)
{
    return tn_fail(TN_RETRY_SINGULAR,
                   "the constraints have rank %d at t = %g s, and had %d where the step began: it "
                   "began in a singular position, where motions branch",
                   b->rank, t, b->wanted);
}

static tn_status has_turned_away(const tn_basis *b, double t)
{
    return tn_fail(TN_RETRY_SINGULAR,
                   "the motions that the constraints allow at t = %g s are no longer told apart by "
                   "the %d velocities chosen where the step began: a singular position is near, or "
                   "the step is too large",
                   t, b->nf);
}

tn_status tn_basis_follow(tn_basis *b, const tn_point *at)
{
    TN_ASSERT(b->reference >= 0);
    b->wanted = b->nv - b->reference;
    TN_TRY(find_raw(b, at));
    if (b->rank > b->wanted)
        return rank_has_grown(b, at->t);
    continue_vectors(b);
    if (align(b) != TN_OK || !(tn_basis_growth(b) <= GROWTH_FAIL))
        return has_turned_away(b, at->t);
    return TN_OK;
}

tn_status tn_basis_refer(tn_basis *b, const double *E0t)
{
    TN_ASSERT(E0t != b->Et);
    tn_copy(b->nv * b->nf, E0t, b->Et);
    if (align(b) != TN_OK)
        return tn_fail(TN_ERR_SINGULAR, "the given velocities do not tell the motions apart");
    b->length = basis_longest(b);
    return TN_OK;
}

// Chosen rows -------------------------------------------------------------------------------------

// A column of Gamma moves its own row by one and the mechanism by this much at most, in lengths of
// the row: three digits lost.
static const double CHOSEN_MAX = 1e3;

static double basis_reserve(const tn_basis *b)
{
    double worst = 0.0;
    for (int k = 0; k < b->nf; k++)
        worst = fmax(worst, tn_norm2(b->nv, tn_column_of(b->vectors, b->nv, k)) *
                                tn_norm2(b->nv, tn_column_of(b->Et, b->nv, k)));
    return worst;
}

// Between two points det(E Gamma^) has changed its sign, with Gamma^ continuous, where Gamma has
// turned round: det(Gamma_0^T Gamma_1) < 0.
static bool has_turned_round(tn_basis *b)
{
    const int nf = b->nf;
    tn_inner(b->nv, nf, b->kept, nf, b->vectors, b->square);
    if (tn_lu_factor(nf, b->square, b->pivot) != TN_OK)
        return true;
    bool negative = false;
    for (int k = 0; k < nf; k++)
        negative ^= (tn_column_of(b->square, nf, k)[k] < 0.0) ^ (b->pivot[k] != k + 1);
    return negative;
}

static tn_status wrong_number(const tn_basis *b, int n, const char *names)
{
    return tn_fail(
        TN_ERR_USAGE,
        "characteristics are %d velocit%s, '%s', and the constraints leave %d freedom%s: "
        "name as many as there are freedoms",
        n, n == 1 ? "y" : "ies", names, b->nf, b->nf == 1 ? "" : "s");
}

static tn_status not_determined(bool first, double t, const char *names)
{
    return tn_fail(first ? TN_ERR_USAGE : TN_RETRY_SINGULAR,
                   "characteristics '%s' do not determine the motion at t = %g s, where the "
                   "mechanism moves while they are zero; choose others, or leave them out and the "
                   "basis chooses anew where it must",
                   names, t);
}

tn_status tn_basis_choose(tn_basis *b, const tn_point *at, bool begin, int n, const double *Et,
                          const char *names)
{
    TN_ASSERT(Et != b->Et);
    const bool first = b->reference < 0;
    b->wanted = first ? -1 : b->nv - b->reference;
    TN_TRY(find_raw(b, at));
    if (first && b->nf != n)
        return wrong_number(b, n, names);
    if (!first && b->rank > b->wanted)
        return rank_has_grown(b, at->t);
    tn_copy(b->nv * n, Et, b->Et);
    continue_vectors(b);
    if (align(b) != TN_OK || !(basis_reserve(b) <= CHOSEN_MAX) ||
        (!first && n > 0 && has_turned_round(b)))
        return not_determined(first, at->t, names);
    b->reference = n;
    if (begin)
        tn_copy(b->nv * n, b->vectors, b->kept);
    return TN_OK;
}

// Solutions ---------------------------------------------------------------------------------------

void tn_basis_characteristics(const tn_basis *b, const double *v, double *e)
{
    TN_ASSERT(b->reference == b->nf);
    tn_inner(b->nv, b->nf, b->Et, 1, v, e);
}

void tn_basis_add(const tn_basis *b, const double *e, double *v)
{
    TN_ASSERT(b->nf == 0 || e != v);
    tn_add_columns(b->nv, b->nf, 1.0, b->vectors, e, v);
}

void tn_basis_particular(tn_basis *b, const double *c, double *x)
{
    TN_ASSERT(b->m == 0 || (c != x && c != b->c));
    for (int i = 0; i < b->m; i++)
        b->c[i] = c[b->row[i]] / b->size[i];
    tn_zero(b->nv, x);
    if (b->m > 0 && tn_norm_inf(b->m, b->c) > 0.0)
        b->ops->particular(b, b->c, x);
    if (!b->aligned)
        return;
    tn_basis_characteristics(b, x, b->e);
    tn_scale(b->nf, -1.0, b->e);
    tn_basis_add(b, b->e, x);
}

void tn_basis_multipliers(tn_basis *b, const double *r, double *y)
{
    TN_ASSERT(b->m == 0 || (r != b->c && y != b->c));
    tn_zero(b->rows, y);
    if (b->m == 0)
        return;
    b->ops->multipliers(b, r, b->c);
    for (int i = 0; i < b->m; i++)
        b->c[i] /= b->size[i];
    for (int k = 0; k < b->m - b->rank; k++) {
        const double *z = tn_column_of(b->kernel, b->m, k);
        tn_axpy(b->m, -tn_dot(b->m, z, b->c), z, b->c);
    }
    for (int i = 0; i < b->m; i++)
        y[b->row[i]] = b->c[i];
}

tn_status tn_basis_factor(tn_basis *b)
{
    const int nv = b->nv, nf = b->nf;
    if (nf == 0)
        return TN_OK;
    tn_zero(nv * nf, b->MG);
    for (int k = 0; k < nf; k++)
        tn_sparse_mul(b->sys->block[TN_BLOCK_M], 1.0, tn_column_of(b->vectors, nv, k),
                      tn_column_of(b->MG, nv, k));
    tn_inner(nv, nf, b->vectors, nf, b->MG, b->H);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', nf, b->H, nf) == 0)
        return TN_OK;
    return tn_fail(TN_RETRY_SINGULAR,
                   "the mass matrix is not positive on a motion that the constraints allow: a body "
                   "or coordinate without mass moves freely");
}

void tn_basis_solve(tn_basis *b, const double *f, const double *c, double *x, double *y)
{
    TN_ASSERT(f != x && x != b->x);
    const tn_sparse *M = b->sys->block[TN_BLOCK_M];
    const int nv = b->nv, nf = b->nf;
    tn_basis_particular(b, c, x);
    tn_copy(nv, f, b->x);
    tn_sparse_mul(M, -1.0, x, b->x);
    tn_inner(nv, nf, b->vectors, 1, b->x, b->e);
    if (nf > 0)
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', nf, 1, b->H, nf, b->e, nf);
    tn_basis_add(b, b->e, x);
    if (!y)
        return;
    tn_copy(nv, f, b->x);
    tn_sparse_mul(M, -1.0, x, b->x);
    tn_basis_multipliers(b, b->x, y);
}

// D^T = L^-1 Gamma^T
void tn_basis_orthonormal(tn_basis *b, double *D)
{
    TN_ASSERT(D != b->vectors);
    const int nv = b->nv, nf = b->nf;
    if (nf == 0)
        return;
    transpose_basis(nv, nf, b->vectors, b->across);
    for (int i = 0; i < nv; i++)
        tn_lower_solve(nf, b->H, tn_column_of(b->across, nf, i));
    transpose_basis(nf, nv, b->across, D);
}
