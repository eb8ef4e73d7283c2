// SPDX-License-Identifier: MIT
//
// A part of a split matrix: see split_part.h, and solver_split.c for the equations.

#include "linalg/split_part.h"

#include "base/alloc.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// Factors as KLU stores them: a column has its row indices, filled up to a whole number, then its
// values.
static const int *klu_column(const tn_split_part *p, int parts, const int *start, const int *length,
                             int k, const double **x)
{
    const size_t unit = (size_t)parts * sizeof(double);
    const char *at = (const char *)((void **)p->numeric->LUbx)[0] + unit * (size_t)start[k];
    const size_t head = (sizeof(int) * (size_t)length[k] + unit - 1) / unit * unit;
    *x = (const double *)(at + head);
    return (const int *)at;
}

// Building ----------------------------------------------------------------------------------------

static void part_drop_matrix(tn_split_part *p)
{
    TN_FREE(p->A.colptr, p->A.rowind, p->A.val, p->from, p->x);
    p->A = (tn_sparse){0};
    p->from = NULL;
    p->x = NULL;
}

void tn_split_close(tn_split_part *p)
{
    klu_free_numeric(&p->numeric, &p->common);
    klu_free_symbolic(&p->symbolic, &p->common);
    part_drop_matrix(p);
    TN_FREE(p->row, p->col, p->border, p->entry, p->to, p->lower.value, p->upper.value);
    *p = (tn_split_part){0};
}

static bool in_part(const tn_split_members *m, int i, int k)
{
    return m->of[i] == k;
}

// Separators that the part shares an entry with, in their order.
static bool part_border(const tn_sparse *S, const tn_split_members *m, const int *separator, int ns,
                        int k, tn_split_part *p)
{
    bool *near = tn_alloc((size_t)ns * sizeof(bool) + 1);
    p->border = tn_alloc(sizeof(int) * ((size_t)ns + 1));
    for (int c = 0; c < p->n && near; c++)
        for (int e = S->colptr[p->col[c]]; e < S->colptr[p->col[c] + 1]; e++)
            if (m->of[S->rowind[e]] < 0)
                near[-1 - m->of[S->rowind[e]]] = true;
    for (int c = 0; c < ns && near; c++)
        for (int e = S->colptr[separator[c]]; e < S->colptr[separator[c] + 1]; e++)
            near[c] = near[c] || in_part(m, S->rowind[e], k);
    for (int c = 0; c < ns && near && p->border; c++)
        if (near[c])
            p->border[p->ns++] = c;
    const bool memory = near && p->border;
    tn_free(near);
    return memory;
}

static void add_entry(tn_split_part *p, int *count, int row, int from)
{
    if (p->from) { // NULL while entries are counted
        p->A.rowind[*count] = row;
        p->from[*count] = from;
    }
    (*count)++;
}

// The pattern of the matrix, or, before there is memory for it, the number of its entries.
// `number` is that of each separator on the border.
static int part_pattern(const tn_sparse *S, const tn_split_members *m, const int *separator,
                        const int *number, int k, tn_split_part *p)
{
    enum { ONE = -1 };
    int count = 0, column = 0;
    for (int c = 0; c < p->n; c++) {
        for (int e = S->colptr[p->col[c]]; e < S->colptr[p->col[c] + 1]; e++) {
            const int i = S->rowind[e];
            add_entry(p, &count, m->of[i] < 0 ? p->n + number[-1 - m->of[i]] : m->local[i], e);
        }
        if (p->from)
            p->A.colptr[++column] = count;
    }
    for (int c = 0; c < p->ns; c++) {
        add_entry(p, &count, p->n + c, ONE);
        if (p->from)
            p->A.colptr[++column] = count;
    }
    for (int c = 0; c < p->ns; c++) {
        const int j = separator[p->border[c]];
        for (int e = S->colptr[j]; e < S->colptr[j + 1]; e++)
            if (in_part(m, S->rowind[e], k))
                add_entry(p, &count, m->local[S->rowind[e]], e);
        add_entry(p, &count, p->n + p->ns + c, ONE);
        if (p->from)
            p->A.colptr[++column] = count;
    }
    return count;
}

static bool part_matrix(const tn_split_kind *of, const tn_sparse *S, const tn_split_members *m,
                        const int *separator, int ns, int k, tn_split_part *p)
{
    int *number = tn_alloc(sizeof(int) * ((size_t)ns + 1));
    for (int c = 0; c < p->ns && number; c++)
        number[p->border[c]] = c;
    const int n = p->n + 2 * p->ns, nnz = number ? part_pattern(S, m, separator, number, k, p) : 0;
    const size_t parts = (size_t)of->parts;
    p->A = (tn_sparse){.nrow = n,
                       .ncol = n,
                       .nnz = nnz,
                       .colptr = tn_alloc(sizeof(int) * ((size_t)n + 1)),
                       .rowind = tn_alloc(sizeof(int) * (size_t)nnz),
                       .val = tn_alloc(sizeof(double) * parts * (size_t)nnz)};
    p->x = tn_alloc(sizeof(double) * parts * (size_t)(p->n + p->ns));
    p->from = tn_alloc(sizeof(int) * (size_t)nnz);
    const bool memory = number && p->A.colptr && p->A.rowind && p->A.val && p->x && p->from;
    if (memory)
        part_pattern(S, m, separator, number, k, p);
    tn_free(number);
    return memory;
}

static void part_values(int parts, const double *val, tn_split_part *p)
{
    for (int e = 0; e < p->A.nnz; e++) {
        const int from = p->from[e];
        p->A.val[parts * e] = from < 0 ? 1.0 : val[parts * from];
        if (parts == 2)
            p->A.val[2 * e + 1] = from < 0 ? 0.0 : val[2 * from + 1];
    }
}

// A_i alone, in the memory of the caller. False where that is short.
static bool part_inner(int parts, const tn_sparse *A, int n, tn_sparse *out)
{
    const size_t width = (size_t)parts * sizeof(double);
    *out = (tn_sparse){.nrow = n,
                       .ncol = n,
                       .colptr = tn_alloc(sizeof(int) * ((size_t)n + 1)),
                       .rowind = tn_alloc(sizeof(int) * (size_t)A->nnz),
                       .val = tn_alloc(width * (size_t)A->nnz)};
    if (!out->colptr || !out->rowind || !out->val)
        return false;
    for (int j = 0; j < n; j++) {
        for (int e = A->colptr[j]; e < A->colptr[j + 1]; e++)
            if (A->rowind[e] < n) {
                out->rowind[out->nnz] = A->rowind[e];
                memcpy(out->val + parts * out->nnz++, A->val + parts * e, width);
            }
        out->colptr[j + 1] = out->nnz;
    }
    return true;
}

// Takes rows and columns in the order of pivots of a factorisation of A, or of A_i alone.
static bool take_pivots(const void *factor, const tn_split_members *m, tn_split_part *p)
{
    const size_t size = sizeof(int) * (size_t)p->A.nrow;
    int *row = tn_alloc(size), *col = tn_alloc(size), *given = tn_alloc(size);
    bool found = row && col && given;
    if (found) {
        tn_klu_pivots(factor, row, col);
        memcpy(given, p->col, sizeof(int) * (size_t)p->n);
    }
    for (int c = 0; c < p->n && found; c++) {
        found = row[c] < p->n && col[c] < p->n;
        p->row[c] = found ? given[row[c]] : 0;
        p->col[c] = found ? given[col[c]] : 0;
        m->local[p->row[c]] = c; // of rows from now on
    }
    TN_FREE(row, col, given);
    return found;
}

static tn_pivot_range part_range(int parts, const tn_split_part *p)
{
    const double *pivot = p->numeric->Udiag;
    tn_pivot_range r = {INFINITY, 0.0};
    for (int i = 0; i < p->n; i++) {
        const double size = parts == 1 ? fabs(pivot[i]) : hypot(pivot[2 * i], pivot[2 * i + 1]);
        if (!isfinite(size))
            return (tn_pivot_range){0.0, INFINITY};
        r.smallest = fmin(r.smallest, size);
        r.largest = fmax(r.largest, size);
    }
    return r;
}

static bool part_factor(const tn_split_kind *of, const double *val, tn_split_part *p)
{
    klu_defaults(&p->common);
    p->common.btf = 0;
    p->common.scale = -1;
    p->common.tol = 0.0; // pivots are where they are
    part_values(of->parts, val, p);
    p->symbolic = klu_analyze_given(p->A.nrow, p->A.colptr, p->A.rowind, NULL, NULL, &p->common);
    if (p->symbolic)
        p->numeric = of->factor(p->A.colptr, p->A.rowind, p->A.val, p->symbolic, &p->common);
    if (!p->numeric || p->common.status != KLU_OK || p->common.noffdiag != 0)
        return false;
    p->pivots = part_range(of->parts, p);
    return isfinite(p->pivots.largest);
}

int tn_split_entries(int parts, tn_split_part *p, int *row, int *col)
{
    const double *base = ((double **)p->numeric->LUbx)[0], *x;
    int count = 0;
    for (int c = 0; c < p->ns; c++) {
        const int k = p->n + p->ns + c, *length = p->numeric->Ulen;
        const int *index = klu_column(p, parts, p->numeric->Uip, length, k, &x);
        for (int e = 0; e < length[k]; e++) {
            if (index[e] < p->n)
                continue;
            if (row) {
                row[count] = p->border[index[e] - p->n];
                col[count] = p->border[c];
                p->entry[count] = x + parts * e - base;
            }
            count++;
        }
    }
    return count;
}

// Room for the factors as solutions walk through them, see below.
static bool part_open_walks(int parts, tn_split_part *p)
{
    const klu_numeric *f = p->numeric;
    const int last = p->n + p->ns;
    size_t nl = 0, nu = 0;
    for (int j = 0; j < p->n; j++) {
        nl += (size_t)f->Llen[j];
        nu += (size_t)f->Ulen[j];
    }
    for (int c = 0; c < p->ns; c++)
        nu += (size_t)f->Ulen[last + c];
    const size_t width = (size_t)parts * sizeof(double) + sizeof(int);
    p->lower.value = tn_alloc(nl * width + 1);
    p->upper.value = tn_alloc(nu * width + 1);
    if (!p->lower.value || !p->upper.value)
        return false;
    p->lower.row = (int *)(p->lower.value + (size_t)parts * nl);
    p->upper.row = (int *)(p->upper.value + (size_t)parts * nu);
    return true;
}

// What parts are made from.
typedef struct source {
    const tn_split_kind *of;
    const tn_sparse *S;
    const double *val;
    const tn_split_members *m;
    const int *separator;
    int ns, k;
} source;

static bool part_open_matrix(const source *s, tn_split_part *p)
{
    part_drop_matrix(p);
    if (!part_matrix(s->of, s->S, s->m, s->separator, s->ns, s->k, p))
        return false;
    part_values(s->of->parts, s->val, p);
    return true;
}

// The factors of a part in the order of `factor`, which is that of A or of A_i alone.
static bool part_like(const source *s, const void *factor, tn_split_part *p)
{
    return take_pivots(factor, s->m, p) && part_open_matrix(s, p) && part_factor(s->of, s->val, p);
}

// The same by an order that is found with the values of A.
static bool part_by(const source *s, void *order, const tn_sparse *A, tn_split_part *p)
{
    tn_solver_stats stats = {0};
    return s->of->whole->factor(order, A, &stats) == TN_OK && part_like(s, order, p);
}

// An order of A_i that does not know of the border fills rows of C_i A_i^-1 from end to end: parts
// of rows of four-bars and of ladders then have a fifth more entries. On cloths these rows fill
// less, and that of CAMD, which does know, has up to twice the entries. Nets in a plane are known
// by their factors.
static bool part_best(const source *s, tn_split_part *p)
{
    static const double PLANE = 2.5; // times the entries of the matrix; 1.1 to 2 along a line
    tn_sparse inner = {0};
    void *order = NULL;
    tn_solver_fill fill = {0};
    bool good = part_inner(s->of->parts, &p->A, p->n, &inner) &&
                s->of->whole->create(&inner, &order) == TN_OK;
    if (good)
        s->of->whole->fill(order, &fill);
    const bool plane = fill.estimate > PLANE * inner.nnz;
    if (good && !plane) {
        s->of->whole->destroy(order);
        order = NULL;
        good = tn_klu_create_bordered(s->of->parts, &p->A, 2 * p->ns, &order) == TN_OK;
    }
    good = good && part_by(s, order, plane ? &inner : &p->A, p);
    if (order)
        s->of->whole->destroy(order);
    TN_FREE(inner.colptr, inner.rowind, inner.val);
    return good;
}

bool tn_split_build(const tn_split_kind *of, const tn_sparse *S, const double *val,
                    const tn_split_members *m, const int *separator, int ns, int k,
                    tn_split_part *p)
{
    const source s = {of, S, val, m, separator, ns, k};
    if (!part_border(S, m, separator, ns, k, p) || !part_open_matrix(&s, p) || !part_best(&s, p))
        return false;
    p->nschur = tn_split_entries(of->parts, p, NULL, NULL);
    p->entry = tn_alloc(sizeof(ptrdiff_t) * ((size_t)p->nschur + 1));
    p->to = tn_alloc(sizeof(int) * ((size_t)p->nschur + 1));
    return p->entry && p->to && part_open_walks(of->parts, p);
}

// Factors and solutions ---------------------------------------------------------------------------

void tn_split_refactor(const tn_split_kind *of, const double *val, tn_split_part *p)
{
    part_values(of->parts, val, p);
    of->refactor(p->A.colptr, p->A.rowind, p->A.val, p->symbolic, p->numeric, &p->common);
    p->good = p->common.status == KLU_OK;
    p->pivots = part_range(of->parts, p);
    p->solutions = 0;
}

// KLU keeps each column of U beside that of L, and a solution goes through L and then, from the
// last column on, through U: both times half of what comes from memory is not used. Where the same
// factors serve for more than one solution the two are copied apart, in the order in which they are
// walked; on matrices that no cache holds solutions then take half the time.
typedef struct walk {
    const tn_split_part *p;
    int parts;
    const int *start, *length; // of columns, as KLU has them
    int *row;                  // where the next column is in the copy
    double *value;
} walk;

static walk walk_lower(int parts, const tn_split_part *p)
{
    return (walk){p, parts, p->numeric->Lip, p->numeric->Llen, p->lower.row, p->lower.value};
}

static walk walk_upper(int parts, const tn_split_part *p)
{
    return (walk){p, parts, p->numeric->Uip, p->numeric->Ulen, p->upper.row, p->upper.value};
}

static void copy_column(walk *w, int k)
{
    const double *value;
    const int n = w->length[k], *row = klu_column(w->p, w->parts, w->start, w->length, k, &value);
    memcpy(w->row, row, sizeof(int) * (size_t)n);
    memcpy(w->value, value, sizeof(double) * (size_t)(w->parts * n));
    w->row += n;
    w->value += w->parts * n;
}

static void copy_factors(int parts, const tn_split_part *p)
{
    walk lower = walk_lower(parts, p), upper = walk_upper(parts, p);
    for (int j = 0; j < p->n; j++)
        copy_column(&lower, j);
    for (int c = 0; c < p->ns; c++)
        copy_column(&upper, p->n + p->ns + c);
    for (int j = p->n - 1; j >= 0; j--)
        copy_column(&upper, j);
}

// x -= column k times *at
static inline void subtract_column(walk *w, int k, const double *at, double *x)
{
    const double *value = w->value;
    const int n = w->length[k], *row = w->row;
    if (w->p->solutions < 2)
        row = klu_column(w->p, w->parts, w->start, w->length, k, &value);
    w->row += n;
    w->value += w->parts * n;
    if (w->parts == 1) {
        const double xk = *at;
        for (int e = 0; e < n; e++)
            x[row[e]] -= value[e] * xk;
        return;
    }
    const double re = at[0], im = at[1];
    for (int e = 0; e < n; e++) {
        x[2 * row[e]] -= value[2 * e] * re - value[2 * e + 1] * im;
        x[2 * row[e] + 1] -= value[2 * e] * im + value[2 * e + 1] * re;
    }
}

void tn_split_forward(int parts, const double *rhs, tn_split_part *p)
{
    if (p->solutions < 2 && ++p->solutions == 2)
        copy_factors(parts, p);
    double *x = p->x;
    for (int i = 0; i < p->n; i++)
        for (int c = 0; c < parts; c++)
            x[parts * i + c] = rhs[parts * p->row[i] + c];
    tn_zero(parts * p->ns, x + parts * p->n);
    walk lower = walk_lower(parts, p);
    for (int j = 0; j < p->n; j++)
        subtract_column(&lower, j, x + parts * j, x);
}

static void divide_by_pivot(int parts, const double *pivot, double *x)
{
    if (parts == 1) {
        *x /= *pivot;
        return;
    }
    const double re = pivot[0], im = pivot[1], size = re * re + im * im, a = x[0], b = x[1];
    x[0] = (a * re + b * im) / size;
    x[1] = (b * re - a * im) / size;
}

// Columns of separators reach into the rows of ones, beyond the unknowns of the part: what stands
// there in x has been used.
void tn_split_back(int parts, const double *y, const tn_split_part *p, double *out)
{
    const double *pivot = p->numeric->Udiag;
    double *x = p->x;
    walk upper = walk_upper(parts, p);
    for (int c = 0; c < p->ns; c++)
        subtract_column(&upper, p->n + p->ns + c, y + parts * p->border[c], x);
    for (int j = p->n - 1; j >= 0; j--) {
        divide_by_pivot(parts, pivot + parts * j, x + parts * j);
        subtract_column(&upper, j, x + parts * j, x);
    }
    for (int i = 0; i < p->n; i++)
        for (int c = 0; c < parts; c++)
            out[parts * p->col[i] + c] = x[parts * i + c];
}
