// SPDX-License-Identifier: MIT
//
// See solver_complement.h. With q_i = c_i / r_i, which are powers of two, Q S = D_c A D_c is
// symmetric where A is:
//
//   ( M   B ) ( x )   ( f )                       M = L L^T, block by block
//   ( B^T D ) ( y ) = ( g ),    (f, g) = Q b      W = L^-1 B
//
//   (W^T W - D) y = W^T L^-1 f - g,    x = L^-T (L^-1 f - W y)
//
// These are the pivots of any order that has velocities before their multipliers (solver_order.h):
// digits lost in W^T W are lost there as well. Blocks are eliminated side by side, and their terms
// are added in their order: no bit depends on threads.

#include "linalg/solver_complement.h"

#include "base/alloc.h"
#include "base/team.h"
#include "linalg/cholmod.h"
#include "linalg/dense.h"
#include "linalg/solver_order.h"

#include <math.h>

// Unknowns of a block: as many as subtrees in joint coordinates have (TN_JOINT_PIECE).
enum { BLOCK_MOST = 64 };
static const double TERMS_MOST = 4.0; // of W^T W, by entries of S
enum { BLOCKS = 512 };                // that are worth a thread

// Operations by entries of the factors from which on supernodes pay, CHOLMOD's own border.
static const double THICK = 40.0;

typedef struct block {
    int size, rows;           // unknowns, and multipliers that bind them
    int unknown, row;         // the first of them in the lists
    size_t lower, wide, term; // begins of L, W and the upper triangle of W^T W
} block;

struct tn_complement {
    int n, nblock, nweak;
    const double *row, *col; // D_r, D_c of the caller
    block *blocks;
    int *unknown;     // n: those of the blocks, then multipliers
    int *rows;        // numbers of multipliers, block by block, in their order
    int *from_m;      // places of entries of M in S, column by column; -1: nowhere
    int *from_b;      // the same of B
    int *to;          // places of terms in P
    int *mirror;      // of each entry of S that across the diagonal; -1: none
    int ndiagonal;    // entries of D in the upper triangle:
    int *diagonal[2]; //   where they are in S and in P
    double *lower, *wide;
    double *u, *y;      // right sides: strong unknowns block by block; multipliers
    tn_sparse *P;       // upper triangle of W^T W - D
    tn_cholmod *factor; // of it
    // For the tasks under way:
    const tn_sparse *S;
    double *b;
};

void tn_complement_destroy(tn_complement *c)
{
    if (!c)
        return;
    tn_cholmod_destroy(c->factor);
    tn_sparse_destroy(c->P);
    TN_FREE(c->blocks, c->unknown, c->rows, c->from_m, c->from_b, c->to, c->mirror, c->diagonal[0],
            c->diagonal[1], c->lower, c->wide, c->u, c->y, c);
}

// Building ----------------------------------------------------------------------------------------

// Work arrays for building, n numbers each.
typedef struct building {
    const tn_sparse *S;
    const char *kind;
    int *root;   // leads to the first unknown of the block
    int *number; // of a block at its root; of an unknown in its block, of a multiplier in its list
    int *mark;   // of multipliers: the block that was here last
} building;

static bool is_strong(const building *b, int i)
{
    return b->kind[i] == TN_UNKNOWN_STRONG;
}

static int root_of(const building *b, int i)
{
    while (b->root[i] != i)
        i = b->root[i] = b->root[b->root[i]];
    return i;
}

static void join(const building *b, int i, int j)
{
    const int one = root_of(b, i), other = root_of(b, j);
    b->root[one > other ? one : other] = one < other ? one : other;
}

// Returns true if the next unknown is bound by the same multipliers.
static bool is_bound_alike(const building *b, int j)
{
    const tn_sparse *S = b->S;
    int one = S->colptr[j], other = S->colptr[j + 1];
    const int end = S->colptr[j + 1], last = S->colptr[j + 2];
    for (;;) {
        while (one < end && is_strong(b, S->rowind[one]))
            one++;
        while (other < last && is_strong(b, S->rowind[other]))
            other++;
        if (one == end || other == last)
            return one == end && other == last;
        if (S->rowind[one++] != S->rowind[other++])
            return false;
    }
}

// Unknowns that share entries of M are of one block, and so are neighbours with the same
// multipliers, as all motions of a body, whose terms then go to the same places.
static void join_blocks(const building *b)
{
    const tn_sparse *S = b->S;
    for (int j = 0; j < S->ncol; j++)
        b->root[j] = j;
    for (int j = 0; j < S->ncol; j++) {
        if (!is_strong(b, j))
            continue;
        for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++)
            if (is_strong(b, S->rowind[k]))
                join(b, j, S->rowind[k]);
        if (j + 1 < S->ncol && is_strong(b, j + 1) && is_bound_alike(b, j))
            join(b, j, j + 1);
    }
}

// Blocks and their unknowns.
static bool list_unknowns(tn_complement *c, const building *b)
{
    int next = 0;
    bool small = true;
    for (int j = 0; j < c->n; j++)
        if (is_strong(b, j) && root_of(b, j) == j)
            b->number[j] = c->nblock++;
        else if (!is_strong(b, j))
            b->number[j] = c->nweak++;
    c->blocks = tn_alloc(sizeof(block) * ((size_t)c->nblock + 1));
    c->unknown = tn_alloc(sizeof(int) * (size_t)c->n);
    if (!c->blocks || !c->unknown || c->nweak == 0)
        return false;
    for (int j = 0; j < c->n; j++)
        if (is_strong(b, j))
            small = ++c->blocks[b->number[root_of(b, j)]].size <= BLOCK_MOST && small;
    for (int k = 0; k < c->nblock; next += c->blocks[k++].size)
        c->blocks[k].unknown = next;
    for (int k = 0; k < c->nblock; k++)
        c->blocks[k].size = 0;
    for (int j = 0; j < c->n; j++)
        if (is_strong(b, j)) {
            block *at = &c->blocks[b->number[root_of(b, j)]];
            c->unknown[at->unknown + at->size++] = j;
        } else {
            c->unknown[next + b->number[j]] = j;
        }
    return small;
}

static void insert_row(int *rows, int count, int row)
{
    int at = count;
    for (; at > 0 && rows[at - 1] > row; at--)
        rows[at] = rows[at - 1];
    rows[at] = row;
}

// Multipliers of each block, and where its numbers will be. False where terms are too many.
static bool list_rows(tn_complement *c, const building *b)
{
    const tn_sparse *S = b->S;
    block next = {0};
    c->rows = tn_alloc(sizeof(int) * ((size_t)S->nnz + 1));
    for (int k = 0; k < c->nblock && c->rows; k++) {
        block *at = &c->blocks[k];
        at->row = next.row;
        at->lower = next.lower;
        at->wide = next.wide;
        at->term = next.term;
        for (int i = 0; i < at->size; i++) {
            const int j = c->unknown[at->unknown + i];
            for (int e = S->colptr[j]; e < S->colptr[j + 1]; e++) {
                const int w = S->rowind[e];
                if (is_strong(b, w) || b->mark[w] == k + 1)
                    continue;
                b->mark[w] = k + 1;
                insert_row(c->rows + at->row, at->rows++, b->number[w]);
            }
        }
        const size_t size = (size_t)at->size, rows = (size_t)at->rows;
        next.row += at->rows;
        next.lower += size * size;
        next.wide += size * rows;
        next.term += rows * (rows + 1) / 2;
        if ((double)next.term > TERMS_MOST * S->nnz)
            return false;
    }
    c->blocks[c->nblock] = next;
    return c->rows;
}

// Lists the entries of M and B in S.
static bool list_entries(tn_complement *c, const tn_sparse *S)
{
    const block *last = &c->blocks[c->nblock];
    const int *weak = c->unknown + c->n - c->nweak;
    c->from_m = tn_alloc(sizeof(int) * (last->lower + 1));
    c->from_b = tn_alloc(sizeof(int) * (last->wide + 1));
    if (!c->from_m || !c->from_b)
        return false;
    for (const block *at = c->blocks; at < last; at++)
        for (int j = 0; j < at->size; j++) {
            const int *of = c->unknown + at->unknown, size = at->size;
            for (int i = 0; i < size; i++)
                c->from_m[at->lower + (size_t)(i + size * j)] = tn_sparse_place(S, of[i], of[j]);
            for (int r = 0; r < at->rows; r++)
                c->from_b[at->wide + (size_t)(j + size * r)] =
                    tn_sparse_place(S, weak[c->rows[at->row + r]], of[j]);
        }
    return true;
}

// Entries of D in the upper triangle: how many, and, where there is memory for them, which.
static int list_diagonal(const tn_complement *c, const building *b, int *row, int *col)
{
    const tn_sparse *S = b->S;
    int count = 0;
    for (int k = 0; k < c->nweak; k++) {
        const int j = c->unknown[c->n - c->nweak + k];
        for (int e = S->colptr[j]; e < S->colptr[j + 1] && S->rowind[e] <= j; e++) {
            if (is_strong(b, S->rowind[e]))
                continue;
            if (row) {
                row[count] = b->number[S->rowind[e]];
                col[count] = k;
                c->diagonal[0][count] = e;
            }
            count++;
        }
    }
    return count;
}

static int list_terms(const tn_complement *c, int *row, int *col)
{
    int count = 0;
    for (const block *at = c->blocks; at < c->blocks + c->nblock; at++)
        for (int j = 0; j < at->rows; j++)
            for (int i = 0; i <= j; i++) {
                row[count] = c->rows[at->row + i];
                col[count++] = c->rows[at->row + j];
            }
    return count;
}

// The pattern of P, and where its terms go.
static bool open_complement(tn_complement *c, const building *b)
{
    const int terms = (int)c->blocks[c->nblock].term;
    c->ndiagonal = list_diagonal(c, b, NULL, NULL);
    const int n = terms + c->ndiagonal;
    const size_t size = sizeof(int) * ((size_t)n + 1);
    int *row = tn_alloc(size), *col = tn_alloc(size);
    double *zero = tn_alloc(sizeof(double) * ((size_t)n + 1));
    c->to = tn_alloc(size);
    c->diagonal[0] = tn_alloc(size);
    c->diagonal[1] = c->diagonal[0] ? tn_alloc(size) : NULL;
    bool found = row && col && zero && c->to && c->diagonal[1];
    if (found) {
        list_terms(c, row, col);
        list_diagonal(c, b, row + terms, col + terms);
        found = tn_sparse_from_entries(c->nweak, c->nweak, n, row, col, zero, &c->P) == TN_OK;
    }
    for (int k = 0; k < n && found; k++) {
        int *to = k < terms ? &c->to[k] : &c->diagonal[1][k - terms];
        *to = tn_sparse_place(c->P, row[k], col[k]);
    }
    TN_FREE(row, col, zero);
    return found;
}

static bool open_mirror(tn_complement *c, const tn_sparse *S)
{
    c->mirror = tn_alloc(sizeof(int) * ((size_t)S->nnz + 1));
    for (int j = 0; j < S->ncol && c->mirror; j++)
        for (int e = S->colptr[j]; e < S->colptr[j + 1]; e++)
            c->mirror[e] = tn_sparse_place(S, j, S->rowind[e]);
    return c->mirror;
}

static bool open_numbers(tn_complement *c)
{
    const block *last = &c->blocks[c->nblock];
    c->lower = tn_alloc(sizeof(double) * (last->lower + 1));
    c->wide = tn_alloc(sizeof(double) * (last->wide + 1));
    c->u = tn_alloc(sizeof(double) * (size_t)c->n);
    c->y = tn_alloc(sizeof(double) * (size_t)c->nweak);
    return c->lower && c->wide && c->u && c->y;
}

static bool build_complement(tn_complement *c, const building *b)
{
    join_blocks(b);
    return list_unknowns(c, b) && list_rows(c, b) && open_complement(c, b) &&
           tn_cholmod_analyse(c->P, &c->factor) == TN_OK &&
           tn_cholmod_thickness(c->factor) >= THICK && list_entries(c, b->S) && open_numbers(c);
}

// Scale of a row and its column. Both are powers of two.
static double symmetric_scale(const tn_complement *c, int i)
{
    return c->col[i] / c->row[i];
}

static bool is_symmetric(const tn_complement *c, const tn_sparse *S)
{
    for (int j = 0; j < S->ncol; j++)
        for (int e = S->colptr[j]; e < S->colptr[j + 1] && S->rowind[e] < j; e++) {
            const int i = S->rowind[e], other = c->mirror[e];
            const double twin = other >= 0 ? S->val[other] : 0.0;
            if (symmetric_scale(c, i) * S->val[e] != symmetric_scale(c, j) * twin)
                return false;
        }
    return true;
}

void tn_complement_create(const tn_sparse *S, const double *row, const double *col,
                          const char *kind, tn_complement **out)
{
    tn_complement *c = tn_alloc(sizeof *c);
    int *room = tn_alloc(3 * sizeof(int) * (size_t)S->ncol);
    bool found = c && room;
    *out = NULL;
    if (found) {
        c->n = S->ncol;
        c->row = row;
        c->col = col;
        found = open_mirror(c, S) && is_symmetric(c, S);
    }
    if (found) {
        const building b = {S, kind, room, room + S->ncol, room + 2 * S->ncol};
        found = build_complement(c, &b);
    }
    tn_free(room);
    if (found)
        *out = c;
    else
        tn_complement_destroy(c);
}

// Factors -----------------------------------------------------------------------------------------

static void eliminate_blocks(void *user, int begin, int end)
{
    const tn_complement *c = user;
    const double *val = c->S->val;
    const int *weak = c->unknown + c->n - c->nweak;
    for (const block *at = c->blocks + begin; at < c->blocks + end; at++) {
        const int n = at->size, *of = c->unknown + at->unknown;
        double *L = c->lower + at->lower, *W = c->wide + at->wide;
        for (int k = 0; k < n * n; k++) {
            const int from = c->from_m[at->lower + (size_t)k];
            L[k] = from < 0 ? 0.0 : symmetric_scale(c, of[k % n]) * val[from];
        }
        if (tn_cholesky(n, L, 0.0) != TN_OK)
            L[0] = NAN; // block_rcond sees it
        for (int r = 0; r < at->rows; r++) {
            const double scale = symmetric_scale(c, weak[c->rows[at->row + r]]);
            for (int i = 0; i < n; i++) {
                const int from = c->from_b[at->wide + (size_t)(i + n * r)];
                W[i + n * r] = from < 0 ? 0.0 : scale * val[from];
            }
            tn_lower_solve(n, L, W + n * r);
        }
    }
}

static void add_terms(const tn_complement *c)
{
    double *P = c->P->val;
    for (const block *at = c->blocks; at < c->blocks + c->nblock; at++) {
        const double *W = c->wide + at->wide;
        const int n = at->size, *to = c->to + at->term;
        for (int j = 0; j < at->rows; j++)
            for (int i = 0; i <= j; i++) {
                double sum = 0.0;
                for (int k = 0; k < n; k++)
                    sum += W[k + n * i] * W[k + n * j];
                P[*to++] += sum;
            }
    }
}

static void form_complement(const tn_complement *c)
{
    const int *weak = c->unknown + c->n - c->nweak;
    tn_zero(c->P->nnz, c->P->val);
    for (int j = 0, k = 0; j < c->nweak; j++)
        for (; k < c->ndiagonal && c->diagonal[0][k] < c->S->colptr[weak[j] + 1]; k++) {
            const int from = c->diagonal[0][k];
            c->P->val[c->diagonal[1][k]] -=
                symmetric_scale(c, c->S->rowind[from]) * c->S->val[from];
        }
    add_terms(c);
}

// The least ratio of pivots of blocks, squares of the diagonal of L; 0 for those not definite.
static double block_rcond(const tn_complement *c)
{
    double smallest = INFINITY, largest = 0.0;
    for (const block *at = c->blocks; at < c->blocks + c->nblock; at++)
        for (int i = 0; i < at->size; i++) {
            const double d = c->lower[at->lower + (size_t)(i + at->size * i)];
            if (!isfinite(d))
                return 0.0;
            smallest = fmin(smallest, d);
            largest = fmax(largest, d);
        }
    return largest > 0.0 ? smallest / largest * (smallest / largest) : 1.0;
}

bool tn_complement_factor(tn_complement *c, const tn_sparse *S, double *rcond)
{
    int row = -1;
    *rcond = 0.0;
    if (!is_symmetric(c, S))
        return false;
    c->S = S;
    tn_team_loop(c->nblock, BLOCKS, eliminate_blocks, c);
    const double of_blocks = block_rcond(c);
    if (!(of_blocks > 0.0))
        return false;
    form_complement(c);
    if (tn_cholmod_factor(c->factor, c->P, &row) != TN_OK)
        return false;
    *rcond = fmin(of_blocks, tn_cholmod_rcond(c->factor));
    return true;
}

// Solutions ---------------------------------------------------------------------------------------

static void go_forward(void *user, int begin, int end)
{
    const tn_complement *c = user;
    for (const block *at = c->blocks + begin; at < c->blocks + end; at++) {
        double *u = c->u + at->unknown;
        for (int i = 0; i < at->size; i++) {
            const int of = c->unknown[at->unknown + i];
            u[i] = symmetric_scale(c, of) * c->b[of];
        }
        tn_lower_solve(at->size, c->lower + at->lower, u);
    }
}

static void go_back(void *user, int begin, int end)
{
    const tn_complement *c = user;
    for (const block *at = c->blocks + begin; at < c->blocks + end; at++) {
        double *u = c->u + at->unknown;
        const double *W = c->wide + at->wide;
        for (int r = 0; r < at->rows; r++)
            tn_axpy(at->size, -c->y[c->rows[at->row + r]], W + at->size * r, u);
        tn_lower_solve_t(at->size, c->lower + at->lower, u);
        for (int i = 0; i < at->size; i++)
            c->b[c->unknown[at->unknown + i]] = u[i];
    }
}

bool tn_complement_solve(tn_complement *c, double *b)
{
    const int *weak = c->unknown + c->n - c->nweak;
    c->b = b;
    tn_team_loop(c->nblock, BLOCKS, go_forward, c);
    for (int k = 0; k < c->nweak; k++)
        c->y[k] = -symmetric_scale(c, weak[k]) * b[weak[k]];
    for (const block *at = c->blocks; at < c->blocks + c->nblock; at++)
        for (int r = 0; r < at->rows; r++)
            c->y[c->rows[at->row + r]] +=
                tn_dot(at->size, c->wide + at->wide + at->size * r, c->u + at->unknown);
    const bool found = tn_cholmod_solve(c->factor, c->y, c->y) == TN_OK;
    tn_team_loop(c->nblock, BLOCKS, go_back, c);
    for (int k = 0; k < c->nweak; k++)
        b[weak[k]] = c->y[k];
    return found;
}

double tn_complement_entries(const tn_complement *c)
{
    const block *last = &c->blocks[c->nblock];
    return (double)last->lower + 2.0 * (double)last->wide + 2.0 * tn_cholmod_entries(c->factor) -
           c->nweak;
}

void tn_complement_widths(const tn_complement *c, int *width)
{
    for (const block *at = c->blocks; at < c->blocks + c->nblock; at++)
        for (int i = 0; i < at->size; i++)
            width[c->unknown[at->unknown + i]] = at->size - i + at->rows;
    tn_cholmod_widths(c->factor, c->unknown + c->n - c->nweak, width);
}
