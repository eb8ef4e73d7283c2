// SPDX-License-Identifier: MIT
//
// Matrices whose unknowns are the nodes of a forest, with entries only within a node and between a
// node and its parent: block elimination from the leaves to the roots [Arn16, 3.3, Example 7]. In
// the KKT matrix of a tree of bodies a node is a body with the joint that carries it, and what its
// elimination adds to the parent is the articulated inertia. Nothing fills in, and all loops are
// over dense fronts (front.h) that are laid out once.
//
// Rows are exchanged within a node only. That fails where a node by itself is singular although the
// matrix is not, and loses digits where rows of the parent receive large multiples of those of a
// node. The latter is the fate of long chains with parallel axes: across them they are one stiff
// beam, whose inertia grows with the third power of its length (backward error 1e-13 with 10 links,
// 3e-11 with 100), while random axes leave 10^4 links at round-off, and trees have short branches.
//
// The range of the pivots and the size of the multiples are watched, at the cost of a comparison
// each. Where they are much worse than at the last verdict a trial solve decides, as in
// solver_klu.c; where it fails KLU factors the matrix with pivots of its own choice, and goes on
// doing so unless it finds the matrix singular. Where pivots alone leave doubt about the condition,
// KLU is asked once, and its answer holds as long as the pivots are like that. KLU takes its memory
// when it is needed.

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "linalg/front.h"
#include "linalg/solver_parts.h"

#include <math.h>
#include <string.h>

static const double DOUBT = 1e-10; // ratio of pivots below which KLU decides, as there
static const double CHANGE = 1e2;  // of pivots or multiples, that calls for a verdict

static const double BACKWARD_MAX = 1e-12; // its backward error, as in solver_klu.c

enum { SIDE = TN_FRONT_SIDE, MOST = TN_FRONT_MOST };

typedef struct {
    tn_front front;
    int parent, child, sibling;   // nodes, -1 for none
    int first;                    // of its values in w
    int *border_row, *border_col; // nr and nc places among those of the parent
    int entry, entries;           // its values in `source` and `target`
} node;

typedef struct {
    const tn_front_ops *ops;
    const tn_factor_ops *other; // KLU
    int n, nnz, nnode;
    int nw, nborder, nmask; // lengths of arrays
    long nvalue;
    node *node;
    int *row, *col;       // n, place in w of each row and column of the matrix
    int *order;           // n, of all fronts
    int *border;          // nborder, of all nodes
    int *source, *target; // nnz: which value of the matrix goes where in the room of its front
    unsigned short *mask; // nmask, of all fronts
    double *value;        // nvalue, of all fronts
    double *room;         // of the front that is eliminated
    double *w;            // right side and solution: nw, nodes filled up to whole blocks
    double *b, *x;        // trial solve
    tn_pivots judged;     // at the last verdict,
    double rcond;         //   and the reciprocal condition number by KLU then
    void *klu;            // NULL until it is needed
    bool by_klu;          // the last factorisation;
    bool given_up;        //   and all later ones
    void *block, *fronts;
} tree;

// Layout ------------------------------------------------------------------------------------------

static int blocks_for(int n)
{
    return (n + SIDE - 1) / SIDE;
}

// The node at whose elimination an entry takes part; -1 where the forest does not allow it.
static int owner(const tn_forest *along, int row, int col)
{
    const int a = along->row[row], b = along->col[col];
    return a == b || along->parent[a] == b ? a : along->parent[b] == a ? b : -1;
}

static bool sizes_fit(const tn_forest *along, const int *rows, const int *cols)
{
    for (int k = 0; k < along->nnode; k++) {
        const int above = along->parent[k] < 0 ? 0 : rows[along->parent[k]];
        const int blocks = blocks_for(rows[k]) + blocks_for(above);
        if (along->parent[k] >= k || rows[k] != cols[k] || SIDE * blocks > TN_FRONT_MOST)
            return false;
    }
    return true;
}

static bool entries_fit(const tn_sparse *A, const tn_forest *along)
{
    for (int j = 0; j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            if (owner(along, A->rowind[k], j) < 0)
                return false;
    return true;
}

tn_status tn_forest_fits(const tn_sparse *A, const tn_forest *along, bool *fits)
{
    *fits = false;
    int *rows = tn_alloc(2 * (size_t)(along->nnode + 1) * sizeof(int));
    if (!rows)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory for %d nodes", along->nnode);
    int *cols = rows + along->nnode;
    for (int i = 0; i < A->nrow; i++) {
        rows[along->row[i]]++;
        cols[along->col[i]]++;
    }
    *fits = sizes_fit(along, rows, cols) && entries_fit(A, along);
    tn_free(rows);
    return TN_OK;
}

// What is needed while the fronts are laid out.
typedef struct {
    const tn_sparse *A;
    const tn_forest *along;
    int *column;                // nnz, of each value
    int *row_place, *col_place; // n, in the node
    int *seen_row, *seen_col;   // n, place in the border of the node that was looked at last
    int *stamp_row, *stamp_col; // n, that node plus one
} plan;

static void layout_plan(void *self, tn_carve *mem)
{
    plan *p = self;
    int **const arrays[] = {&p->row_place, &p->col_place, &p->seen_row,
                            &p->seen_col,  &p->stamp_row, &p->stamp_col};
    p->column = tn_carve_ints(mem, p->A->nnz);
    for (int i = 0; i < TN_COUNT(arrays); i++)
        *arrays[i] = tn_carve_ints(mem, p->A->nrow);
}

static void layout_nodes(void *self, tn_carve *mem)
{
    tree *s = self;
    s->node = tn_carve_bytes(mem, (size_t)s->nnode * sizeof *s->node);
    s->row = tn_carve_ints(mem, s->n);
    s->col = tn_carve_ints(mem, s->n);
    s->order = tn_carve_ints(mem, s->n);
    s->source = tn_carve_ints(mem, s->nnz);
    s->target = tn_carve_ints(mem, s->nnz);
    s->b = tn_carve_doubles(mem, s->ops->parts * s->n);
    s->x = tn_carve_doubles(mem, s->ops->parts * s->n);
    s->room = tn_carve_doubles(mem, s->ops->parts * TN_FRONT_ROOM);
}

static void layout_fronts(void *self, tn_carve *mem)
{
    tree *s = self;
    s->border = tn_carve_ints(mem, s->nborder);
    s->mask = tn_carve_bytes(mem, (size_t)s->nmask * sizeof *s->mask);
    s->w = tn_carve_doubles(mem, s->ops->parts * s->nw);
    s->value = tn_carve_bytes(mem, (size_t)s->nvalue * sizeof(double));
}

// Numbers the unknowns of each node in the order in which the matrix has them: velocities, which
// touch no other node, come before multipliers then, and leave the border's zeros alone.
static void number_unknowns(tree *s, plan *p)
{
    const tn_forest *along = p->along;
    for (int i = 0; i < s->n; i++) {
        p->row_place[i] = s->node[along->row[i]].front.n++;
        p->col_place[i] = s->node[along->col[i]].front.nc++;
    }
    int *order = s->order;
    for (int k = 0; k < s->nnode; k++) {
        tn_front *f = &s->node[k].front;
        s->node[k].first = s->nw;
        f->nb = blocks_for(f->n);
        f->order = order;
        order += f->n;
        s->nw += SIDE * f->nb;
    }
    for (int i = 0; i < s->n; i++) {
        s->row[i] = s->node[along->row[i]].first + p->row_place[i];
        s->col[i] = s->node[along->col[i]].first + p->col_place[i];
    }
}

static void link_nodes(tree *s, const tn_forest *along)
{
    for (int k = 0; k < s->nnode; k++)
        s->node[k].child = s->node[k].sibling = -1;
    for (int k = s->nnode - 1; k >= 0; k--) {
        const int above = s->node[k].parent = along->parent[k];
        if (above >= 0) {
            s->node[k].sibling = s->node[above].child;
            s->node[above].child = k;
        }
    }
}

static void sort_entries(tree *s, plan *p)
{
    const tn_sparse *A = p->A;
    for (int j = 0; j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            p->column[k] = j;
            s->node[owner(p->along, A->rowind[k], j)].entries++;
        }
    for (int k = s->nnode - 1, entry = 0; k >= 0; k--) {
        s->node[k].entry = entry;
        entry += s->node[k].entries;
        s->node[k].entries = 0;
    }
    for (int k = 0; k < A->nnz; k++) {
        node *at = &s->node[owner(p->along, A->rowind[k], p->column[k])];
        s->source[at->entry + at->entries++] = k;
    }
}

// The place of a row or column of the parent in the border of node k, where it is put when it is
// met for the first time.
static int border_place(int k, int i, int place, int *stamp, int *seen, int *count, int *border)
{
    if (stamp[i] != k + 1) {
        stamp[i] = k + 1;
        seen[i] = (*count)++;
        if (border)
            border[seen[i]] = place;
    }
    return seen[i];
}

// Finds the border of node k, and where its entries stand in the front: the latter and the places
// in the parent only once there is room for them.
static void lay_out_node(tree *s, plan *p, int k)
{
    node *at = &s->node[k];
    tn_front *f = &at->front;
    f->nr = f->nc = 0;
    for (int e = at->entry; e < at->entry + at->entries; e++) {
        const int i = p->A->rowind[s->source[e]], j = p->column[s->source[e]];
        int row = p->row_place[i], col = p->col_place[j];
        if (p->along->row[i] != k)
            row = SIDE * f->nb +
                  border_place(k, i, row, p->stamp_row, p->seen_row, &f->nr, at->border_row);
        if (p->along->col[j] != k)
            col = SIDE * f->nb +
                  border_place(k, j, col, p->stamp_col, p->seen_col, &f->nc, at->border_col);
        s->target[e] = row + s->ops->parts * tn_front_ld(f) * col;
    }
}

static void measure_fronts(tree *s, plan *p)
{
    for (int k = 0; k < s->nnode; k++) {
        tn_front *f = &s->node[k].front;
        lay_out_node(s, p, k);
        f->rb = blocks_for(f->nr);
        f->cb = blocks_for(f->nc);
        s->nborder += f->nr + f->nc;
        s->nmask += 2 * f->nb + f->cb;
        s->nvalue += s->ops->parts *
                     (tn_front_lower_size(f) + tn_front_upper_size(f) + SIDE * f->rb * f->nc);
    }
}

// Hands out the memory of values in the order in which it is passed through: from the leaves when
// fronts are eliminated and in forward substitution, from the roots in backward substitution.
static void assign_values(tree *s)
{
    const int parts = s->ops->parts;
    double *value = s->value;
    for (int k = s->nnode - 1; k >= 0; k--) {
        tn_front *f = &s->node[k].front;
        f->lower = value;
        f->schur = f->lower + parts * tn_front_lower_size(f);
        value = f->schur + parts * SIDE * f->rb * f->nc;
    }
    for (int k = 0; k < s->nnode; k++) {
        s->node[k].front.upper = value;
        value += parts * tn_front_upper_size(&s->node[k].front);
    }
}

static void assign_fronts(tree *s, plan *p)
{
    int *border = s->border;
    unsigned short *mask = s->mask;
    memset(p->stamp_row, 0, (size_t)s->n * sizeof(int));
    memset(p->stamp_col, 0, (size_t)s->n * sizeof(int));
    assign_values(s);
    for (int k = 0; k < s->nnode; k++) {
        node *at = &s->node[k];
        tn_front *f = &at->front;
        f->mask = mask;
        mask += 2 * f->nb + f->cb;
        at->border_row = border;
        at->border_col = border + f->nr;
        border += f->nr + f->nc;
        lay_out_node(s, p, k);
    }
}

static tn_status lay_out(tree *s, plan *p)
{
    TN_TRY(tn_carve_block(s, layout_nodes, &s->block));
    number_unknowns(s, p);
    link_nodes(s, p->along);
    sort_entries(s, p);
    measure_fronts(s, p);
    TN_TRY(tn_carve_block(s, layout_fronts, &s->fronts));
    assign_fronts(s, p);
    return TN_OK;
}

static void tree_destroy(void *self)
{
    tree *s = self;
    if (s->klu)
        s->other->destroy(s->klu);
    tn_free(s->block);
    tn_free(s->fronts);
    tn_free(s);
}

static tn_status create_solver_tree(const tn_front_ops *ops, const tn_factor_ops *other,
                                    const tn_sparse *S, const tn_forest *along, void **out)
{
    plan p = {.A = S, .along = along};
    void *block = NULL;
    tree *s = tn_alloc(sizeof *s);
    if (!s)
        return tn_fail(TN_ERR_MEMORY, "linear solver: no memory for %d unknowns", S->nrow);
    s->ops = ops;
    s->other = other;
    s->n = S->nrow;
    s->nnz = S->nnz;
    s->nnode = along->nnode;
    tn_status status = tn_carve_block(&p, layout_plan, &block);
    if (status == TN_OK)
        status = lay_out(s, &p);
    tn_free(block);
    if (status != TN_OK) {
        tree_destroy(s);
        return status;
    }
    *out = s;
    return TN_OK;
}

static tn_status create_real(const tn_sparse *S, const tn_forest *along, void **out)
{
    return create_solver_tree(&tn_front_real, &tn_factor_klu, S, along, out);
}

static tn_status create_complex(const tn_sparse *S, const tn_forest *along, void **out)
{
    return create_solver_tree(&tn_front_complex, &tn_factor_klu_complex, S, along, out);
}

// Solution ----------------------------------------------------------------------------------------

static void solver_tree_forward(tree *s, const node *at)
{
    const tn_front *f = &at->front;
    const int inner = SIDE * f->nb;
    double y[2 * MOST], *w = s->w + at->first;
    for (int part = 0; part < s->ops->parts; part++) {
        double *to = y + part * MOST;
        for (int i = 0; i < f->n; i++)
            to[i] = w[part * s->nw + f->order[i]];
        for (int i = f->n; i < inner + SIDE * f->rb; i++)
            to[i] = 0.0;
    }
    s->ops->forward(f, y, w, s->nw);
    for (int part = 0; part < s->ops->parts && f->nr > 0; part++) {
        double *to = s->w + part * s->nw + s->node[at->parent].first;
        for (int i = 0; i < f->nr; i++)
            to[at->border_row[i]] += y[part * MOST + inner + i];
    }
}

static void solver_tree_backward(tree *s, const node *at)
{
    const tn_front *f = &at->front;
    double border[2 * MOST];
    for (int part = 0; part < s->ops->parts && f->nc > 0; part++) {
        const double *from = s->w + part * s->nw + s->node[at->parent].first;
        double *to = border + part * MOST;
        for (int i = 0; i < f->nc; i++)
            to[i] = from[at->border_col[i]];
        for (int i = f->nc; i < SIDE * f->cb; i++)
            to[i] = 0.0;
    }
    s->ops->backward(f, border, s->w + at->first, s->nw);
}

static void gather_solver_tree(tree *s, const double *b)
{
    const int parts = s->ops->parts;
    for (int part = 0; part < parts; part++)
        for (int i = 0; i < s->n; i++)
            s->w[part * s->nw + s->row[i]] = b[parts * i + part];
}

static void scatter_solver_tree(const tree *s, double *b)
{
    const int parts = s->ops->parts;
    for (int part = 0; part < parts; part++)
        for (int i = 0; i < s->n; i++)
            b[parts * i + part] = s->w[part * s->nw + s->col[i]];
}

static void tree_solve(void *self, double *b)
{
    tree *s = self;
    if (s->by_klu) {
        s->other->solve(s->klu, b);
        return;
    }
    gather_solver_tree(s, b);
    for (int k = s->nnode - 1; k >= 0; k--)
        solver_tree_forward(s, &s->node[k]);
    for (int k = 0; k < s->nnode; k++)
        solver_tree_backward(s, &s->node[k]);
    scatter_solver_tree(s, b);
}

// Factorisation -----------------------------------------------------------------------------------

static void fill_room(const tree *s, const node *at, const double *val)
{
    const tn_front *f = &at->front;
    const int *source = s->source + at->entry, *target = s->target + at->entry;
    const int ld = tn_front_ld(f), parts = s->ops->parts;
    double *a = s->room;
    tn_zero(parts * ld * SIDE * (f->nb + f->cb), a);
    if (parts == 1)
        for (int e = 0; e < at->entries; e++)
            a[target[e]] = val[source[e]];
    else
        for (int e = 0; e < at->entries; e++) {
            a[target[e]] = val[2 * source[e]];
            a[target[e] + ld] = val[2 * source[e] + 1];
        }
    for (int i = f->n; i < SIDE * f->nb; i++)
        a[i + parts * i * ld] = 1.0;
    for (int i = 0; i < f->n; i++)
        f->order[i] = i;
}

// Adds -F A^-1 E of a child.
static void add_child(const tree *s, int ld, const node *child)
{
    const tn_front *f = &child->front;
    const int parts = s->ops->parts;
    const double *from = f->schur;
    for (int j = 0; j < f->nc; j++)
        for (int part = 0; part < parts; part++, from += SIDE * f->rb) {
            double *to = s->room + (parts * child->border_col[j] + part) * ld;
            for (int i = 0; i < f->nr; i++)
                to[child->border_row[i]] += from[i];
        }
}

static bool eliminate_solver_tree(tree *s, const double *val, tn_pivots *seen)
{
    for (int k = s->nnode - 1; k >= 0; k--) {
        const node *at = &s->node[k];
        fill_room(s, at, val);
        for (int c = at->child; c >= 0; c = s->node[c].sibling)
            add_child(s, tn_front_ld(&at->front), &s->node[c]);
        if (!s->ops->eliminate(&at->front, s->room, seen))
            return false;
    }
    return true;
}

// For good where KLU succeeds: the fronts are not used any more then.
static tn_status factor_by_klu(tree *s, const tn_sparse *S, tn_solver_stats *stats)
{
    const tn_forest along = {.nnode = s->nnode}; // all that KLU wants to know is that there is one
    s->by_klu = true;
    stats->by = s->other->name;
    if (!s->klu)
        TN_TRY(s->other->create(S, &along, &s->klu));
    TN_TRY(s->other->factor(s->klu, S, stats));
    s->given_up = s->given_up || stats->rcond >= tn_least_rcond(s->n);
    return TN_OK;
}

static void close_klu(tree *s, tn_solver_stats *stats)
{
    if (s->klu)
        s->other->destroy(s->klu);
    s->klu = NULL;
    s->by_klu = s->given_up = false;
    stats->by = NULL;
}

static double solver_tree_ratio(const tn_pivots *p)
{
    return p->smallest / p->largest;
}

static bool trial_succeeds(tree *s, const tn_sparse *S)
{
    return tn_trial_error(s->ops->parts, S, tree_solve, s, s->b, s->x) <= BACKWARD_MAX;
}

// Pivots and growth as at the last verdict, or better.
static bool is_judged(const tree *s, const tn_pivots *seen)
{
    const tn_pivots *last = &s->judged;
    if (seen->growth > CHANGE * fmax(last->growth, 1.0))
        return false;
    return solver_tree_ratio(seen) >= DOUBT ||
           (seen->largest <= CHANGE * last->largest && seen->smallest * CHANGE >= last->smallest);
}

// Whether the fronts may be used, by a trial solve and, where pivots leave doubt, by KLU.
static tn_status judge_solver_tree(tree *s, const tn_sparse *S, const tn_pivots *seen,
                                   tn_solver_stats *stats)
{
    const bool sound = trial_succeeds(s, S);
    if (!sound || solver_tree_ratio(seen) < DOUBT)
        TN_TRY(factor_by_klu(s, S, stats));
    if (!sound || (s->by_klu && !s->given_up))
        return TN_OK;
    s->judged = *seen;
    s->rcond = s->by_klu ? stats->rcond : solver_tree_ratio(seen);
    close_klu(s, stats);
    return TN_OK;
}

static tn_status tree_factor(void *self, const tn_sparse *S, tn_solver_stats *stats)
{
    tree *s = self;
    tn_pivots seen = {INFINITY, 0.0, 0.0};
    if (s->given_up) {
        tn_free(s->fronts);
        s->fronts = NULL;
        return factor_by_klu(s, S, stats);
    }
    s->by_klu = false;
    stats->by = NULL;
    stats->rcond = 1.0;
    if (s->n == 0)
        return TN_OK;
    if (!eliminate_solver_tree(s, S->val, &seen))
        return factor_by_klu(s, S, stats);
    if (!is_judged(s, &seen))
        TN_TRY(judge_solver_tree(s, S, &seen, stats));
    if (!s->by_klu)
        stats->rcond = solver_tree_ratio(&seen) >= DOUBT ? solver_tree_ratio(&seen) : s->rcond;
    return TN_OK;
}

static tn_status tree_min_norm(void *self, const tn_sparse *S, const double *col, double *b,
                               int *rank)
{
    return tn_spqr_min_norm(((tree *)self)->ops->parts, S, col, b, rank);
}

const tn_factor_ops tn_factor_tree = {
    .name = "tree",
    .create = create_real,
    .destroy = tree_destroy,
    .factor = tree_factor,
    .solve = tree_solve,
    .min_norm = tree_min_norm,
};

const tn_factor_ops tn_factor_tree_complex = {
    .name = "complex tree",
    .create = create_complex,
    .destroy = tree_destroy,
    .factor = tree_factor,
    .solve = tree_solve,
    .min_norm = tree_min_norm,
};
