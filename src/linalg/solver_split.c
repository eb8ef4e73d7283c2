// SPDX-License-Identifier: MIT
//
// Large systems: KLU in parts, which the threads of a team factor and solve side by side.
//
// Separators (solver_split.h) leave parts that share no entry. With the unknowns of part i, x_i,
// and those of the separators, y,
//
//   A_i x_i + B_i y = b_i            for each part
//   sum C_i x_i + D y = c
//
// each part has its own KLU, and y is found from the Schur complement
//
//   (D - sum C_i A_i^-1 B_i) y = c - sum C_i A_i^-1 b_i
//
// by the ordinary solver, dense or sparse. C_i A_i^-1 B_i comes out of the factorisation itself:
// KLU is given the matrix, rows and columns in the order of pivots,
//
//   ( A_i  0  B_i )       ( L_i             ) ( U_i  0  L_i^-1 B_i        )
//   ( C_i  1   0  )   =   ( C_i U_i^-1  1   ) (      1  -C_i A_i^-1 B_i   )
//   (  0   0   1  )       (  0          0 1 ) (            1              )
//
// whose pivots beyond A_i are ones. So entries of U are what a part adds to the Schur complement,
// at the cost of the columns that a factorisation in one piece would have had as well. A solution
// goes forward through L of all parts, through the Schur complement, and back through U.
//
// Rows and columns are taken in the order that solver_klu.c finds for this matrix with its border
// last: on rows of four-bars and ladders 16 parts have 10 % more entries than one piece (30 % where
// the order did not know of the border). Cloths take that of A_i alone (split_part.c). Where a part
// has no order without exchanges of rows, where separators would cost more than the parts, or where
// pivots go bad, the whole is factored in one piece, from then on. All of that is decided by the
// matrix; sums over parts are taken in their order: no bit depends on threads.
//
// One piece may cost far more. A first step of radau5 that is so long that M + h^2 K is not
// definite in some pieces of a tree leaves factors with a backward error of 3e-12 on a cloth of
// 10^4 loops (2 s, 14 million entries); in one piece, with exchanges, they have 36 million and take
// 64 s. So where factors fill, solutions by those that have lost digits are refined, as long as
// that gives the digits back. Along a line one piece has no more entries than its parts.
//
// Before that, symmetric matrices of nets that fill are condensed (solver_complement.h), as long as
// their values are symmetric and definite.

#include "linalg/solver_split.h"

#include "base/alloc.h"
#include "base/team.h"
#include "linalg/dense.h"
#include "linalg/solver_complement.h"
#include "linalg/solver_order.h"
#include "linalg/solver_parts.h"
#include "linalg/split_part.h"

#include <klu.h>
#include <math.h>
#include <string.h>

// Operations on the Schur complement, dense and a quarter as costly each as those of KLU, that may
// go with one on the whole.
static const double SCHUR_SHARE = 0.1, DENSE_COST = 0.25;

// As in solver_klu.c.
static const double DOUBT = 1e-10, RANGE_CHANGE = 1e2, BACKWARD_MAX = 1e-12;

enum { REFINED_MOST = 2 };       // times,
static const double FILLS = 2.5; // where factors have so many times the entries of the matrix

static const tn_split_kind split_real = {1, &tn_factor_klu, klu_factor, klu_refactor,
                                         tn_solver_create};
static const tn_split_kind split_complex = {2, &tn_factor_klu_complex, klu_z_factor, klu_z_refactor,
                                            tn_solver_create_complex};

typedef struct split_lu {
    const tn_split_kind *of;
    void *whole; // in one piece
    const tn_sparse *S;
    signed char *cut;
    unsigned char *path;
    double *pivoted; // values with which pivots were chosen, as in solver_klu.c
    double *b, *x;   // n, trial solve
    double *keep[2]; // n, right side and residual of a solution that is refined
    int refined;     // how often solutions are, as the factors have lost digits
    int level;       // of the split: 0 before one is found, -1: in one piece
    bool has_factors, refactored;
    tn_pivot_range pivots;   // of the last factorisation that was judged
    const double *row, *col; // D_r, D_c
    char *kind;              // of unknowns, where their complement is taken
    int condensed;           // 1: it is, -1: it does not suit, 0: not tried yet
    double rcond;            // of its factors when they were judged
    // Made of the above.
    tn_complement *complement;
    int npart, ns;
    tn_split_part *part;
    // Parts in the order in which threads take them: large ones first.
    int turn[1 << TN_SPLIT_LEVELS];
    int *separator; // ns
    int ndiagonal;
    int *diagonal[2]; // entries of S among separators, and where they are in the complement
    tn_sparse *schur;
    double *schur_val; // parts times nnz of it
    tn_solver *solver; // of the complement
    double *y;         // ns
    // Of the tasks under way.
    const double *val;
    double *rhs;
} split_lu;

// Building ----------------------------------------------------------------------------------------

static void split_close(split_lu *s)
{
    for (int k = 0; k < s->npart; k++)
        tn_split_close(&s->part[k]);
    tn_solver_destroy(s->solver);
    tn_sparse_destroy(s->schur);
    TN_FREE(s->part, s->separator, s->diagonal[0], s->diagonal[1], s->schur_val, s->y);
    s->npart = s->ns = s->ndiagonal = 0;
    s->part = NULL;
    s->separator = s->diagonal[0] = s->diagonal[1] = NULL;
    s->schur = NULL;
    s->schur_val = s->y = NULL;
    s->solver = NULL;
}

static void split_destroy(void *self)
{
    split_lu *s = self;
    split_close(s);
    tn_complement_destroy(s->complement);
    if (s->whole)
        s->of->whole->destroy(s->whole);
    TN_FREE(s->pivoted, s);
}

typedef struct building {
    split_lu *s;
    const double *val;
    tn_split_members m;
} building;

static void build_part(void *user, int k)
{
    building *b = user;
    split_lu *s = b->s;
    tn_split_part *p = &s->part[k];
    p->good = tn_split_build(s->of, s->S, b->val, &b->m, s->separator, s->ns, k, p);
}

static int part_of(const split_lu *s, int i)
{
    return s->cut[i] < s->level ? -1 : s->path[i] >> (TN_SPLIT_LEVELS - s->level);
}

// Who is in which part.
static bool split_members(split_lu *s, tn_split_members *m)
{
    const tn_sparse *S = s->S;
    for (int i = 0; i < S->ncol; i++) {
        const int k = part_of(s, i);
        s->ns += k < 0;
        if (k >= 0)
            s->part[k].n++;
    }
    s->separator = tn_alloc(sizeof(int) * ((size_t)s->ns + 1));
    bool memory = s->separator;
    for (int k = 0; k < s->npart; k++) {
        s->part[k].row = tn_alloc(sizeof(int) * ((size_t)s->part[k].n + 1));
        s->part[k].col = tn_alloc(sizeof(int) * ((size_t)s->part[k].n + 1));
        memory = memory && s->part[k].row && s->part[k].col && s->part[k].n > 0;
        s->part[k].n = 0;
    }
    s->ns = 0;
    for (int i = 0; i < S->ncol && memory; i++) {
        const int k = part_of(s, i);
        m->of[i] = k < 0 ? -1 - s->ns : k;
        if (k < 0) {
            s->separator[s->ns++] = i;
        } else {
            m->local[i] = s->part[k].n;
            s->part[k].col[s->part[k].n++] = i;
        }
    }
    return memory;
}

// Entries of S among separators: how many, and, where there is memory for them, which.
static int diagonal_entries(const split_lu *s, const tn_split_members *m, int *row, int *col)
{
    int count = 0;
    for (int c = 0; c < s->ns; c++)
        for (int e = s->S->colptr[s->separator[c]]; e < s->S->colptr[s->separator[c] + 1]; e++) {
            const int i = m->of[s->S->rowind[e]];
            if (i >= 0)
                continue;
            if (row) {
                row[count] = -1 - i;
                col[count] = c;
                s->diagonal[0][count] = e;
            }
            count++;
        }
    return count;
}

static void find_places(const tn_sparse *A, int n, const int *row, const int *col, int *to)
{
    for (int k = 0; k < n; k++)
        to[k] = tn_sparse_place(A, row[k], col[k]);
}

// The pattern of the complement, and where what it is made of goes.
static bool split_schur(split_lu *s, const tn_split_members *m)
{
    int n = s->ndiagonal = diagonal_entries(s, m, NULL, NULL);
    for (int k = 0; k < s->npart; k++)
        n += s->part[k].nschur;
    const size_t size = sizeof(int) * ((size_t)n + 1);
    int *row = tn_alloc(size), *col = tn_alloc(size), at = s->ndiagonal;
    double *zero = tn_alloc(sizeof(double) * ((size_t)n + 1));
    s->diagonal[0] = tn_alloc(size);
    s->diagonal[1] = tn_alloc(size);
    bool memory = row && col && zero && s->diagonal[0] && s->diagonal[1];
    if (memory) {
        diagonal_entries(s, m, row, col);
        for (int k = 0; k < s->npart; k++)
            at += tn_split_entries(s->of->parts, &s->part[k], row + at, col + at);
        memory = tn_sparse_from_entries(s->ns, s->ns, n, row, col, zero, &s->schur) == TN_OK;
    }
    if (memory) {
        find_places(s->schur, s->ndiagonal, row, col, s->diagonal[1]);
        at = s->ndiagonal;
        for (int k = 0; k < s->npart; at += s->part[k++].nschur)
            find_places(s->schur, s->part[k].nschur, row + at, col + at, s->part[k].to);
    }
    TN_FREE(row, col, zero);
    return memory;
}

static bool split_room(split_lu *s)
{
    const size_t parts = (size_t)s->of->parts, ns = (size_t)s->ns;
    s->schur_val = tn_alloc(sizeof(double) * (parts * (size_t)s->schur->nnz + 1));
    s->y = tn_alloc(sizeof(double) * parts * (ns + 1));
    return s->y && s->schur_val && s->of->create(s->schur, &s->solver) == TN_OK;
}

static double entries_of(const split_lu *s, int k)
{
    return (double)s->part[k].numeric->lnz + (double)s->part[k].numeric->unz;
}

// Parts are unlike by up to a third. A large one that comes last keeps one thread alone at work.
static void split_order(split_lu *s)
{
    for (int k = 0; k < s->npart; k++) {
        int at = k;
        for (; at > 0 && entries_of(s, s->turn[at - 1]) < entries_of(s, k); at--)
            s->turn[at] = s->turn[at - 1];
        s->turn[at] = k;
    }
}

// Parts and their factors with these values. False where some part is singular, or without memory.
static bool split_build(split_lu *s, const double *val)
{
    split_close(s);
    s->npart = 1 << s->level;
    s->part = tn_alloc(sizeof(tn_split_part) * (size_t)s->npart);
    int *room = tn_alloc(2 * sizeof(int) * (size_t)s->S->ncol);
    building b = {s, val, {room, room ? room + s->S->ncol : NULL}};
    bool good = s->part && room && split_members(s, &b.m);
    if (good)
        tn_team_run(s->npart, build_part, &b);
    for (int k = 0; k < s->npart && good; k++)
        good = s->part[k].good;
    if (good)
        split_order(s);
    good = good && split_schur(s, &b.m) && split_room(s);
    tn_free(room);
    return good;
}

// Factors and solutions ---------------------------------------------------------------------------

static tn_sparse schur_of(const split_lu *s)
{
    tn_sparse A = *s->schur;
    A.val = s->schur_val;
    return A;
}

static void form_schur(split_lu *s, const double *val)
{
    const int parts = s->of->parts;
    tn_zero(parts * s->schur->nnz, s->schur_val);
    for (int k = 0; k < s->ndiagonal; k++)
        tn_copy(parts, val + parts * s->diagonal[0][k], s->schur_val + parts * s->diagonal[1][k]);
    for (int k = 0; k < s->npart; k++) {
        const tn_split_part *p = &s->part[k];
        const double *base = ((double **)p->numeric->LUbx)[0];
        for (int e = 0; e < p->nschur; e++)
            for (int i = 0; i < parts; i++)
                s->schur_val[parts * p->to[e] + i] += base[p->entry[e] + i];
    }
}

static void refactor_part(void *user, int k)
{
    const split_lu *s = user;
    tn_split_refactor(s->of, s->val, &s->part[s->turn[k]]);
}

static tn_pivot_range split_range(const split_lu *s)
{
    tn_pivot_range r = {INFINITY, 0.0};
    for (int k = 0; k < s->npart; k++) {
        r.smallest = fmin(r.smallest, s->part[k].pivots.smallest);
        r.largest = fmax(r.largest, s->part[k].pivots.largest);
    }
    return r;
}

static void forward_part(void *user, int k)
{
    const split_lu *s = user;
    tn_split_forward(s->of->parts, s->rhs, &s->part[s->turn[k]]);
}

static void back_part(void *user, int k)
{
    const split_lu *s = user;
    tn_split_back(s->of->parts, s->y, &s->part[s->turn[k]], s->rhs);
}

static void solve_parts(split_lu *s, double *b)
{
    const int parts = s->of->parts;
    s->rhs = b;
    tn_team_run(s->npart, forward_part, s);
    for (int c = 0; c < s->ns; c++)
        tn_copy(parts, b + parts * s->separator[c], s->y + parts * c);
    for (int k = 0; k < s->npart; k++) {
        const tn_split_part *p = &s->part[k];
        for (int c = 0; c < p->ns; c++)
            tn_axpy(parts, 1.0, p->x + parts * (p->n + c), s->y + parts * p->border[c]);
    }
    tn_solver_solve(s->solver, s->y);
    tn_team_run(s->npart, back_part, s);
    for (int c = 0; c < s->ns; c++)
        tn_copy(parts, s->y + parts * c, b + parts * s->separator[c]);
}

// y += a S x with complex values
static void split_multiply_complex(const tn_sparse *S, double a, const double *x, double *y)
{
    for (int j = 0; j < S->ncol; j++) {
        const double re = a * x[2 * j], im = a * x[2 * j + 1];
        for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++) {
            y[2 * S->rowind[k]] += S->val[2 * k] * re - S->val[2 * k + 1] * im;
            y[2 * S->rowind[k] + 1] += S->val[2 * k] * im + S->val[2 * k + 1] * re;
        }
    }
}

// y += a S x
static void split_multiply(const split_lu *s, double a, const double *x, double *y)
{
    (s->of->parts == 1 ? tn_sparse_mul : split_multiply_complex)(s->S, a, x, y);
}

// A solution of S x = b by factors that have lost digits: what is left of b is solved for, too.
static void solve_refined(split_lu *s, double *b)
{
    const int n = s->of->parts * s->S->ncol;
    double *right = s->keep[0], *left = s->keep[1];
    tn_copy(n, b, right);
    solve_parts(s, b);
    for (int k = 0; k < s->refined; k++) {
        tn_copy(n, right, left);
        split_multiply(s, -1.0, b, left);
        solve_parts(s, left);
        tn_axpy(n, 1.0, left, b);
    }
}

static void split_solve(void *self, double *b)
{
    split_lu *s = self;
    if (s->condensed > 0)
        tn_complement_solve(s->complement, b);
    else if (s->level > 0 && s->refined > 0)
        solve_refined(s, b);
    else if (s->level > 0)
        solve_parts(s, b);
    else
        s->of->whole->solve(s->whole, b);
}

// The backward error of a trial solve, as in solver_klu.c.
static double split_trial(split_lu *s)
{
    const int n = s->of->parts * s->S->nrow;
    for (int i = 0; i < n; i++)
        s->x[i] = i % s->of->parts == 0 ? 1.0 : 0.0;
    tn_zero(n, s->b);
    split_multiply(s, 1.0, s->x, s->b);
    tn_copy(n, s->b, s->x);
    const double size = tn_norm_inf(n, s->b);
    split_solve(s, s->x);
    const double grown = tn_norm_inf(n, s->x);
    split_multiply(s, -1.0, s->x, s->b);
    return tn_norm_inf(n, s->b) / (size + grown);
}

// Whether pivots leave doubt. Those beyond the entries of S, which are near 1, have grown, and say
// nothing of the condition.
static bool is_doubtful(const split_lu *s)
{
    const tn_pivot_range now = split_range(s);
    return !(now.smallest >= DOUBT * fmin(now.largest, 1.0) && s->solver->stats.rcond >= DOUBT);
}

static int refined_most(const split_lu *s)
{
    double entries = 0.0;
    for (int k = 0; k < s->npart; k++)
        entries += entries_of(s, k);
    return entries > FILLS * s->S->nnz ? REFINED_MOST : 0;
}

// Whether solutions have small backward errors, refined as often as that takes.
static bool split_judge(split_lu *s)
{
    const int most = refined_most(s);
    for (s->refined = 0; s->refined <= most; s->refined++)
        if (split_trial(s) <= BACKWARD_MAX)
            return true;
    s->refined = 0;
    return false;
}

// The complement, and what the factors tell of the condition: that of parts by their pivots, and
// that of the complement. False where something is singular.
static bool split_finish(split_lu *s, const tn_sparse *S, double *rcond)
{
    form_schur(s, S->val);
    const tn_sparse A = schur_of(s);
    if (tn_solver_factor(s->solver, &A) != TN_OK)
        return false;
    const tn_pivot_range now = split_range(s);
    const double ratio = now.largest > 0.0 ? now.smallest / now.largest : 0.0;
    *rcond = fmin(ratio, s->solver->stats.rcond);
    return isfinite(now.largest) && *rcond > 0.0;
}

// Old pivots, new values. False when they are no longer good.
static bool split_refactor(split_lu *s, const tn_sparse *S, tn_solver_stats *stats)
{
    if (!s->has_factors || !s->part)
        return false;
    s->val = S->val;
    tn_team_run(s->npart, refactor_part, s);
    s->refactored = true;
    bool good = true;
    for (int k = 0; k < s->npart; k++)
        good = good && s->part[k].good;
    if (!good || !split_finish(s, S, &stats->rcond) || is_doubtful(s))
        return false;
    const tn_pivot_range now = split_range(s);
    if (s->refined > 0 || now.largest > RANGE_CHANGE * s->pivots.largest ||
        now.smallest * RANGE_CHANGE < s->pivots.smallest) {
        if (!split_judge(s))
            return false;
        s->pivots = now;
    }
    return true;
}

static double separators(const split_lu *s, int level)
{
    double count = 0.0;
    for (int i = 0; i < s->S->ncol; i++)
        count += s->cut[i] < level;
    return count;
}

// How far to split: as far as the Schur complement costs little. Not at all: -1.
static int split_level(const split_lu *s)
{
    const double most = SCHUR_SHARE * tn_klu_flops(s->whole);
    int level = TN_SPLIT_LEVELS;
    while (level > 0 && DENSE_COST * 2.0 / 3.0 * pow(separators(s, level), 3.0) > most)
        level--;
    return level > 0 ? level : -1;
}

static void split_plan(split_lu *s, const tn_sparse *S)
{
    char *kind = tn_alloc((size_t)S->ncol);
    double *d = tn_alloc(sizeof(double) * (size_t)S->ncol);
    tn_split split = {s->cut, s->path};
    s->level = -1;
    if (S->ncol >= TN_SPLIT_FROM && kind && d) {
        tn_order_judge(s->of->parts, S, kind, d);
        if (tn_split_find(S, kind, &split))
            s->level = split_level(s);
    }
    TN_FREE(kind, d);
}

// New pivots in parts. False where they do not suit.
static bool split_anew(split_lu *s, const tn_sparse *S, tn_solver_stats *stats)
{
    double rcond = 0.0;
    tn_copy(s->of->parts * S->nnz, S->val, s->pivoted);
    s->refactored = false;
    s->has_factors =
        split_build(s, S->val) && split_finish(s, S, &rcond) && !is_doubtful(s) && split_judge(s);
    if (!s->has_factors)
        return false;
    stats->pivotings++;
    stats->rcond = rcond;
    s->pivots = split_range(s);
    return true;
}

// The complement ----------------------------------------------------------------------------------

// It suits where the first values have the right form, and for as long as others do.
static void condense_plan(split_lu *s, const tn_sparse *S)
{
    double *d = tn_alloc(sizeof(double) * (size_t)S->ncol);
    if (d && s->row && s->of->parts == 1) {
        tn_order_judge(1, S, s->kind, d);
        tn_complement_create(S, s->row, s->col, s->kind, &s->complement);
    }
    s->condensed = s->complement ? 1 : -1;
    tn_free(d);
}

static void condense_end(split_lu *s)
{
    tn_complement_destroy(s->complement);
    s->complement = NULL;
    s->condensed = -1;
}

// False where it does not suit these values.
static bool condense_factor(split_lu *s, const tn_sparse *S, tn_solver_stats *stats)
{
    if (!tn_complement_factor(s->complement, S, &stats->rcond) || stats->rcond < DOUBT)
        return false;
    s->has_factors = true;
    if (s->rcond > 0.0 && stats->rcond * RANGE_CHANGE >= s->rcond)
        return true;
    s->rcond = stats->rcond;
    return split_trial(s) <= BACKWARD_MAX;
}

static tn_status split_factor(void *self, const tn_sparse *S, tn_solver_stats *stats)
{
    split_lu *s = self;
    s->S = S;
    if (s->condensed == 0)
        condense_plan(s, S);
    if (s->condensed > 0 && condense_factor(s, S, stats))
        return TN_OK;
    if (s->condensed > 0)
        condense_end(s);
    if (s->level == 0)
        split_plan(s, S);
    if (s->level > 0 && (split_refactor(s, S, stats) || split_anew(s, S, stats)))
        return TN_OK;
    if (s->level > 0)
        split_close(s);
    s->level = -1;
    return s->of->whole->factor(s->whole, S, stats);
}

static void condense_again(split_lu *s, tn_values *v)
{
    double rcond;
    tn_complement_destroy(s->complement);
    s->complement = NULL;
    if (s->condensed <= 0)
        return;
    tn_complement_create(s->S, s->row, s->col, s->kind, &s->complement);
    if (!s->complement || (s->has_factors && !tn_complement_factor(s->complement, s->S, &rcond)))
        tn_values_refuse(v, "the saved state has a matrix whose complement cannot be factored");
}

// Whether parts touch by separators alone.
static bool is_split(const split_lu *s)
{
    for (int j = 0; j < s->S->ncol; j++)
        for (int k = s->S->colptr[j]; k < s->S->colptr[j + 1]; k++) {
            const int a = part_of(s, j), b = part_of(s, s->S->rowind[k]);
            if (a >= 0 && b >= 0 && a != b)
                return false;
        }
    return true;
}

// The same factors from the same values.
static void split_again(split_lu *s, tn_values *v)
{
    split_close(s);
    condense_again(s, v);
    if (s->level <= 0 || !s->has_factors)
        return;
    tn_solver_stats stats = {0};
    tn_sparse then = *s->S;
    then.val = s->pivoted;
    const tn_pivot_range judged = s->pivots;
    double rcond;
    if (!is_split(s) || !split_build(s, s->pivoted) || !split_finish(s, &then, &rcond)) {
        tn_values_refuse(v, "the saved state has a singular matrix where one was factored");
        return;
    }
    if (s->refactored)
        split_refactor(s, s->S, &stats);
    s->pivots = judged;
}

// Where unknowns stand among parts, and of what kind they are.
static void store_places(split_lu *s, tn_values *v)
{
    const int n = s->S->ncol;
    tn_values_bytes(v, -1, TN_SPLIT_LEVELS, n, "cut", s->cut);
    tn_values_bytes(v, 0, (1 << TN_SPLIT_LEVELS) - 1, n, "path", (signed char *)s->path);
    tn_values_bytes(v, 0, TN_UNKNOWN_HUB, n, "kind", (signed char *)s->kind);
}

static void split_values(void *self, const tn_sparse *S, tn_values *v)
{
    split_lu *s = self;
    s->S = S;
    store_places(s, v);
    TN_VALUES_INT(v, 0, REFINED_MOST, 1, &s->refined);
    TN_VALUES_INT(v, -1, TN_SPLIT_LEVELS, 1, &s->level);
    TN_VALUES_INT(v, -1, 1, 1, &s->condensed);
    TN_VALUES_BOOL(v, &s->has_factors, &s->refactored);
    TN_VALUES_ANY(v, "1", 1, &s->pivots.smallest, &s->pivots.largest, &s->rcond);
    TN_VALUES(v, "1", s->of->parts * S->nnz, s->pivoted);
    if (tn_values_are_read(v))
        split_again(s, v);
    s->of->whole->values(s->whole, S, v);
}

static tn_status split_create(const tn_split_kind *of, const tn_sparse *S, void **out)
{
    const size_t n = (size_t)S->ncol, values = (size_t)of->parts * (size_t)S->nnz;
    split_lu *s = tn_alloc(sizeof *s);
    if (!s)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory for %d unknowns", S->ncol);
    s->of = of;
    s->S = S;
    s->pivoted = tn_alloc(sizeof(double) * (values + 4 * (size_t)of->parts * n) + 3 * n);
    tn_status status =
        s->pivoted ? of->whole->create(S, &s->whole)
                   : tn_fail(TN_ERR_MEMORY, "linear solver: no memory for %d unknowns", S->ncol);
    if (s->pivoted) {
        s->b = s->pivoted + values;
        s->x = s->b + (size_t)of->parts * n;
        s->keep[0] = s->x + (size_t)of->parts * n;
        s->keep[1] = s->keep[0] + (size_t)of->parts * n;
        s->cut = (signed char *)(s->keep[1] + (size_t)of->parts * n);
        s->path = (unsigned char *)s->cut + n;
        s->kind = (char *)s->path + n;
    }
    TN_HAND_OUT(status, (void *)s, split_destroy, out);
}

static tn_status split_create_real(const tn_sparse *S, void **out)
{
    return split_create(&split_real, S, out);
}

static tn_status split_create_complex(const tn_sparse *S, void **out)
{
    return split_create(&split_complex, S, out);
}

static tn_status split_min_norm(void *self, const tn_sparse *S, const double *col, double *b,
                                int *rank)
{
    const split_lu *s = self;
    return tn_spqr_min_norm(s->of->parts, S, col, b, rank);
}

static void split_fill(const void *self, tn_solver_fill *out)
{
    const split_lu *s = self;
    if (s->condensed > 0) {
        out->estimate = out->fact = tn_complement_entries(s->complement);
        return;
    }
    if (s->level <= 0) {
        s->of->whole->fill(s->whole, out);
        return;
    }
    out->estimate = out->fact = tn_solver_fill_of(s->solver).fact;
    for (int k = 0; k < s->npart; k++) {
        const klu_numeric *f = s->part[k].numeric;
        out->fact += (double)f->lnz + f->unz - f->n;
    }
    out->estimate = out->fact;
}

// Of separators as if their complement were full.
static void split_widths(const void *self, int *width)
{
    const split_lu *s = self;
    if (s->condensed > 0) {
        tn_complement_widths(s->complement, width);
        return;
    }
    if (s->level <= 0) {
        s->of->whole->widths(s->whole, width);
        return;
    }
    for (int k = 0; k < s->npart; k++)
        for (int i = 0; i < s->part[k].n; i++)
            width[s->part[k].col[i]] = s->part[k].numeric->Llen[i];
    for (int c = 0; c < s->ns; c++)
        width[s->separator[c]] = s->ns - c;
}

int tn_split_parts(const void *self)
{
    const split_lu *s = self;
    return s->level > 0 ? s->npart : 1;
}

bool tn_split_is_condensed(const void *self)
{
    return ((const split_lu *)self)->condensed > 0;
}

static void split_scales(void *self, const double *row, const double *col)
{
    split_lu *s = self;
    s->row = row;
    s->col = col;
}

const tn_factor_ops tn_factor_split = {
    .name = "KLU",
    .create = split_create_real,
    .destroy = split_destroy,
    .factor = split_factor,
    .solve = split_solve,
    .min_norm = split_min_norm,
    .fill = split_fill,
    .widths = split_widths,
    .scales = split_scales,
    .values = split_values,
};

const tn_factor_ops tn_factor_split_complex = {
    .name = "complex KLU",
    .create = split_create_complex,
    .destroy = split_destroy,
    .factor = split_factor,
    .solve = split_solve,
    .min_norm = split_min_norm,
    .fill = split_fill,
    .widths = split_widths,
    .values = split_values,
};
