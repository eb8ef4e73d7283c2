// SPDX-License-Identifier: MIT
//
// Schur complement of the constraints over a recursive mass matrix; see schur.h.

#include "motion/schur.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>

struct tn_schur {
    tn_system *sys;
    const int *active;
    int rows;    // ng + nn
    double *H;   // reduced rows, in the patterns of B and N, one after the other
    int *colptr; // nv + 1: entries of H by freedoms, and their rows
    int *entry;
    int *row;
    double *value;  // and what they are
    double *pivots; // nv
    double *S;      // rows x rows, its factors
    double *work;   // nv
    double *size;   // rows, the diagonal of S
    double *left;   // rows, what those before leave of it
    double *most;   // rows, its largest values so far
    double *given;  // rows, the right-hand side, and what a solution leaves of it
    double *lack;
    bool loses; // digits, in S
    void *block;
};

// Below this part solutions are refined. A light body between two joints of a loop gives S terms by
// its inverse mass, and of what the others give as many digits are lost.
static const double LOSES = 1e-4;
enum { REFINEMENTS = 4 };

static int entries_of(const tn_sparse *A)
{
    return A ? A->nnz : 0;
}

static void layout_schur(void *self, tn_carve *mem)
{
    tn_schur *s = self;
    const int nv = s->sys->nv;
    const int n = entries_of(s->sys->block[TN_BLOCK_B]) + entries_of(s->sys->block[TN_BLOCK_N]);
    s->rows = s->sys->ng + s->sys->nn;
    TN_CARVE_DOUBLES(mem, n, &s->H, &s->value);
    s->colptr = tn_carve_ints(mem, nv + 1);
    s->entry = tn_carve_ints(mem, n);
    s->row = tn_carve_ints(mem, n);
    TN_CARVE_DOUBLES(mem, nv, &s->pivots, &s->work);
    TN_CARVE_DOUBLES(mem, s->rows, &s->size, &s->left, &s->most, &s->given, &s->lack);
    TN_CARVE_DOUBLES(mem, s->rows * s->rows, &s->S);
}

// Entries of column j of a block, from place n on; the number with them.
static int take_column(tn_schur *s, const tn_sparse *A, int j, int first, int row0, int n)
{
    for (int k = A ? A->colptr[j] : 0; A && k < A->colptr[j + 1]; k++, n++) {
        s->entry[n] = first + k;
        s->row[n] = row0 + A->rowind[k];
    }
    return n;
}

static void index_rows(tn_schur *s)
{
    const tn_sparse *B = s->sys->block[TN_BLOCK_B], *N = s->sys->block[TN_BLOCK_N];
    int n = 0;
    for (int j = 0; j < s->sys->nv && s->rows > 0; j++) {
        n = take_column(s, B, j, 0, 0, n);
        n = take_column(s, N, j, entries_of(B), s->sys->ng, n);
        s->colptr[j + 1] = n;
    }
}

tn_status tn_schur_create(tn_system *sys, const int *active, tn_schur **out)
{
    *out = NULL;
    tn_schur *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->sys = sys;
    s->active = active;
    const tn_status status = tn_carve_block(s, layout_schur, &s->block);
    if (status == TN_OK)
        index_rows(s);
    TN_HAND_OUT(status, s, tn_free, out);
}

void tn_schur_destroy(tn_schur *s)
{
    if (s)
        TN_FREE(s->block, s);
}

void tn_schur_values(tn_schur *s, tn_values *v)
{
    tn_carve_values(s, layout_schur, s->block, v);
    TN_VALUES_BOOL(v, &s->loses);
}

static void reduce_schur(tn_schur *s)
{
    const tn_sparse *B = s->sys->block[TN_BLOCK_B], *N = s->sys->block[TN_BLOCK_N];
    double *const of_N = s->H + entries_of(B);
    tn_copy(entries_of(B), B ? B->val : NULL, s->H);
    tn_copy(entries_of(N), N ? N->val : NULL, of_N);
    s->sys->ops->recursive->reduce(s->sys, s->H, of_N);
    s->sys->ops->recursive->pivots(s->sys, s->pivots);
    for (int a = 0; a < s->colptr[s->sys->nv]; a++)
        s->value[a] = s->H[s->entry[a]];
}

// The lower triangle of S, freedom by freedom, with unit rows for constraints that are left out.
static void form_schur(tn_schur *s)
{
    const int nv = s->sys->nv, rows = s->rows;
    reduce_schur(s);
    tn_zero(rows * rows, s->S);
    for (int k = 0; k < nv; k++)
        for (int a = s->colptr[k]; a < s->colptr[k + 1]; a++) {
            const double h = s->pivots[k] * s->value[a];
            double *column = tn_column_of(s->S, rows, s->row[a]);
            for (int b = a; b < s->colptr[k + 1]; b++) // rows of a column rise
                column[s->row[b]] += h * s->value[b];
        }
    for (int j = 0; j < rows; j++) {
        if (s->active[j])
            continue;
        for (int i = 0; i < rows; i++)
            s->S[j + rows * i] = s->S[i + rows * j] = 0.0;
        s->S[j + rows * j] = 1.0;
    }
}

tn_status tn_schur_factor(tn_schur *s)
{
    const int rows = s->rows;
    if (rows == 0)
        return TN_OK;
    form_schur(s);
    for (int j = 0; j < rows; j++)
        s->size[j] = s->S[j + rows * j];
    TN_TRY(tn_ldl(rows, s->S, TN_ROUND_MATRIX, s->left));
    // The part of a row that those before it do not have, of its largest size so far; squares.
    double least = 1.0;
    s->loses = false;
    for (int j = 0; j < rows; j++) {
        s->loses = s->loses || s->left[j] < LOSES * s->size[j];
        s->most[j] = fmax(s->most[j], s->size[j]);
        least = fmin(least, s->left[j] / s->most[j]);
    }
    tn_system_note_rows(s->sys, least);
    return TN_OK;
}

// c becomes C x - c, zero for rows that are left out.
static void find_lack(const tn_schur *s, const double *x, double *c)
{
    tn_scale(s->rows, -1.0, c);
    tn_sparse_mul(s->sys->block[TN_BLOCK_B], 1.0, x, c);
    tn_sparse_mul(s->sys->block[TN_BLOCK_N], 1.0, x, c + s->sys->ng);
    for (int i = 0; i < s->rows; i++)
        if (!s->active[i])
            c[i] = 0.0;
}

// x -= M^-1 C^T y, of which the first half is there.
static void pull(const tn_schur *s, const double *y, double *x)
{
    const int nv = s->sys->nv;
    for (int k = 0; k < nv; k++) {
        double sum = 0.0;
        for (int a = s->colptr[k]; a < s->colptr[k + 1]; a++)
            sum += s->value[a] * y[s->row[a]];
        s->work[k] = sum;
    }
    s->sys->ops->recursive->expand(s->sys, s->work);
    tn_axpy(nv, -1.0, s->work, x);
}

// With c as it was given. Each sweep leaves about the part of the last lack that S has lost.
static void refine_schur(const tn_schur *s, const double *c, double *x, double *y)
{
    double before = INFINITY;
    for (int sweep = 0; sweep < REFINEMENTS; sweep++) {
        tn_copy(s->rows, c, s->lack);
        find_lack(s, x, s->lack);
        const double size = tn_norm_inf(s->rows, s->lack);
        if (!(size < 0.5 * before)) // round-off, or not finite
            return;
        before = size;
        tn_ldl_solve(s->rows, s->S, s->lack);
        tn_axpy(s->rows, 1.0, s->lack, y);
        pull(s, s->lack, x);
    }
}

void tn_schur_finish(const tn_schur *s, double *b, double *c)
{
    TN_ASSERT(b != c || s->rows == 0 || s->sys->nv == 0);
    if (s->rows == 0)
        return;
    if (s->loses)
        tn_copy(s->rows, c, s->given);
    find_lack(s, b, c);
    tn_ldl_solve(s->rows, s->S, c);
    pull(s, c, b);
    if (s->loses)
        refine_schur(s, s->given, b, c);
}

void tn_schur_solve(const tn_schur *s, double *b, double *c)
{
    s->sys->ops->recursive->solve(s->sys, b);
    tn_schur_finish(s, b, c);
}
