// SPDX-License-Identifier: MIT
//
// Matrices whose unknowns are the nodes of a forest, with entries only within a node and between a
// node and its parent: block elimination from the leaves to the roots [Arn16, 3.3, Example 7]. In
// the KKT matrix of a tree of bodies a node is a body with the joint that carries it, and what its
// elimination adds to the parent is the articulated inertia. Nothing fills in, and all loops are
// over dense fronts (front.h) that are laid out once.
//
// Rows are exchanged within a node only. That fails where a node by itself is singular although the
// matrix is not, and loses digits where a node is nearly so: rows of the parent then receive large
// multiples of those of the node. The range of the pivots and the growth of these multiples are
// watched, at the cost of a comparison each; where they leave doubt KLU factors the matrix, with
// pivots of its own choice, and judges it. It takes its memory when that happens for the first
// time.

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "linalg/front.h"
#include "linalg/solver_parts.h"

#include <math.h>
#include <string.h>

static const double DOUBT = 1e-10;        // ratio of pivots below which KLU decides, as there
static const double GROWTH_CHANGE = 1e2;  // of the multiples, that calls for a trial solve
static const double BACKWARD_MAX = 1e-12; // its backward error, as in solver_klu.c

typedef struct {
    tn_front front;
    int parent, child, sibling;   // nodes, -1 for none
    int first;                    // of its unknowns in the order of nodes
    int *border_row, *border_col; // nr and nc places among those of the parent
    int entry, entries;           // its values in `source` and `target`
} node;

typedef struct {
    const tn_front_ops *ops;
    const tn_factor_ops *other; // KLU
    int n, nnz, nnode, nborder;
    long nvalue;
    node *node;
    int *row, *col;       // n, of the matrix, in the order of nodes
    int *order;           // n, of all fronts
    int *border;          // nborder, of all nodes
    int *source, *target; // nnz: which value of the matrix goes where in its front
    double *value;        // nvalue, of all fronts
    double *w;            // right side and solution in the order of nodes; planes of each node
    double *b, *x;        // trial solve
    double growth;        // at the last verdict
    void *klu;            // NULL until it is needed
    bool by_klu;          // the last factorisation
    void *block, *fronts;
} tree;

// Layout ------------------------------------------------------------------------------------------

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
        if (along->parent[k] >= k || rows[k] != cols[k] || rows[k] + above > TN_FRONT_MOST)
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
    s->w = tn_carve_doubles(mem, s->ops->parts * s->n);
    s->b = tn_carve_doubles(mem, s->ops->parts * s->n);
    s->x = tn_carve_doubles(mem, s->ops->parts * s->n);
}

static void layout_fronts(void *self, tn_carve *mem)
{
    tree *s = self;
    s->border = tn_carve_ints(mem, s->nborder);
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
    for (int k = 0, first = 0; k < s->nnode; k++) {
        s->node[k].first = first;
        s->node[k].front.order = s->order + first;
        s->node[k].front.nc = 0;
        first += s->node[k].front.n;
    }
    for (int i = 0; i < s->n; i++) {
        s->row[s->node[along->row[i]].first + p->row_place[i]] = i;
        s->col[s->node[along->col[i]].first + p->col_place[i]] = i;
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
    for (int k = 0, entry = 0; k < s->nnode; k++) {
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
            row = f->n + border_place(k, i, row, p->stamp_row, p->seen_row, &f->nr, at->border_row);
        if (p->along->col[j] != k)
            col = f->n + border_place(k, j, col, p->stamp_col, p->seen_col, &f->nc, at->border_col);
        s->target[e] = row + s->ops->parts * f->ld * col;
    }
}

static void measure_fronts(tree *s, plan *p)
{
    for (int k = 0; k < s->nnode; k++) {
        tn_front *f = &s->node[k].front;
        lay_out_node(s, p, k);
        f->ld = (f->n + f->nr + TN_FRONT_STRIP - 1) / TN_FRONT_STRIP * TN_FRONT_STRIP;
        s->nborder += f->nr + f->nc;
        s->nvalue += (long)s->ops->parts * f->ld * (f->n + f->nc);
    }
}

static void assign_fronts(tree *s, plan *p)
{
    int *border = s->border;
    double *value = s->value;
    memset(p->stamp_row, 0, (size_t)s->n * sizeof(int));
    memset(p->stamp_col, 0, (size_t)s->n * sizeof(int));
    for (int k = 0; k < s->nnode; k++) {
        node *at = &s->node[k];
        at->front.a = value;
        at->border_row = border;
        at->border_col = border + at->front.nr;
        border += at->front.nr + at->front.nc;
        value += (long)s->ops->parts * at->front.ld * (at->front.n + at->front.nc);
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

static tn_status create(const tn_front_ops *ops, const tn_factor_ops *other, const tn_sparse *S,
                        const tn_forest *along, void **out)
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
    return create(&tn_front_real, &tn_factor_klu, S, along, out);
}

static tn_status create_complex(const tn_sparse *S, const tn_forest *along, void **out)
{
    return create(&tn_front_complex, &tn_factor_klu_complex, S, along, out);
}

// Solution ----------------------------------------------------------------------------------------

// Between the order of the matrix and that of the nodes, where imaginary parts follow the real ones
// of their node.
static void gather(tree *s, const double *b)
{
    if (s->ops->parts == 1) {
        for (int i = 0; i < s->n; i++)
            s->w[i] = b[s->row[i]];
        return;
    }
    for (int k = 0; k < s->nnode; k++) {
        const int n = s->node[k].front.n, *row = s->row + s->node[k].first;
        double *w = s->w + 2 * s->node[k].first;
        for (int i = 0; i < n; i++) {
            w[i] = b[2 * row[i]];
            w[n + i] = b[2 * row[i] + 1];
        }
    }
}

static void scatter(const tree *s, double *b)
{
    if (s->ops->parts == 1) {
        for (int i = 0; i < s->n; i++)
            b[s->col[i]] = s->w[i];
        return;
    }
    for (int k = 0; k < s->nnode; k++) {
        const int n = s->node[k].front.n, *col = s->col + s->node[k].first;
        const double *w = s->w + 2 * s->node[k].first;
        for (int i = 0; i < n; i++) {
            b[2 * col[i]] = w[i];
            b[2 * col[i] + 1] = w[n + i];
        }
    }
}

static void forward(tree *s, const node *at)
{
    const tn_front *f = &at->front;
    const int parts = s->ops->parts;
    double y[2 * TN_FRONT_MOST], *w = s->w + parts * at->first;
    for (int part = 0; part < parts; part++) {
        double *to = y + part * TN_FRONT_MOST;
        for (int i = 0; i < f->n; i++)
            to[i] = w[part * f->n + f->order[i]];
        for (int i = f->n; i < f->ld; i++)
            to[i] = 0.0;
    }
    s->ops->forward(f, y, w);
    if (at->parent < 0)
        return;
    const node *above = &s->node[at->parent];
    for (int part = 0; part < parts; part++) {
        const double *from = y + part * TN_FRONT_MOST + f->n;
        double *to = s->w + parts * above->first + part * above->front.n;
        for (int i = 0; i < f->nr; i++)
            to[at->border_row[i]] += from[i];
    }
}

static void backward(tree *s, const node *at)
{
    const tn_front *f = &at->front;
    const int parts = s->ops->parts;
    double y[2 * TN_FRONT_MOST], border[2 * TN_FRONT_MOST], *w = s->w + parts * at->first;
    for (int part = 0; part < parts; part++)
        tn_copy(f->n, w + part * f->n, y + part * TN_FRONT_MOST);
    for (int part = 0; part < parts && at->parent >= 0; part++) {
        const node *above = &s->node[at->parent];
        const double *from = s->w + parts * above->first + part * above->front.n;
        for (int i = 0; i < f->nc; i++)
            border[part * TN_FRONT_MOST + i] = from[at->border_col[i]];
    }
    s->ops->backward(f, y, border, w);
}

static void tree_solve(void *self, double *b)
{
    tree *s = self;
    if (s->by_klu) {
        s->other->solve(s->klu, b);
        return;
    }
    gather(s, b);
    for (int k = s->nnode - 1; k >= 0; k--)
        forward(s, &s->node[k]);
    for (int k = 0; k < s->nnode; k++)
        backward(s, &s->node[k]);
    scatter(s, b);
}

// Factorisation -----------------------------------------------------------------------------------

static void fill_front(const tree *s, const node *at, const double *val)
{
    const tn_front *f = &at->front;
    const int *source = s->source + at->entry, *target = s->target + at->entry;
    tn_zero(s->ops->parts * f->ld * (f->n + f->nc), f->a);
    if (s->ops->parts == 1)
        for (int e = 0; e < at->entries; e++)
            f->a[target[e]] = val[source[e]];
    else
        for (int e = 0; e < at->entries; e++) {
            f->a[target[e]] = val[2 * source[e]];
            f->a[target[e] + f->ld] = val[2 * source[e] + 1];
        }
    for (int i = 0; i < f->n; i++)
        f->order[i] = i;
}

// Adds -F A^-1 E of a child.
static void add_child(const tree *s, const tn_front *f, const node *child)
{
    const tn_front *g = &child->front;
    const int parts = s->ops->parts;
    for (int j = 0; j < g->nc; j++)
        for (int part = 0; part < parts; part++) {
            const double *from = g->a + (parts * (g->n + j) + part) * g->ld + g->n;
            double *to = f->a + (parts * child->border_col[j] + part) * f->ld;
            for (int i = 0; i < g->nr; i++)
                to[child->border_row[i]] += from[i];
        }
}

static bool eliminate(tree *s, const double *val, tn_pivots *seen)
{
    for (int k = s->nnode - 1; k >= 0; k--) {
        const node *at = &s->node[k];
        fill_front(s, at, val);
        for (int c = at->child; c >= 0; c = s->node[c].sibling)
            add_child(s, &at->front, &s->node[c]);
        if (!s->ops->eliminate(&at->front, seen))
            return false;
    }
    return true;
}

static tn_status factor_by_klu(tree *s, const tn_sparse *S, tn_solver_stats *stats)
{
    s->by_klu = true;
    if (!s->klu)
        TN_TRY(s->other->create(S, NULL, &s->klu));
    return s->other->factor(s->klu, S, stats);
}

static bool is_sound(tree *s, const tn_sparse *S, const tn_pivots *seen)
{
    if (seen->smallest < DOUBT * seen->largest)
        return false;
    if (seen->growth <= GROWTH_CHANGE * fmax(s->growth, 1.0))
        return true;
    if (!(tn_trial_error(s->ops->parts, S, tree_solve, s, s->b, s->x) <= BACKWARD_MAX))
        return false;
    s->growth = seen->growth;
    return true;
}

static tn_status tree_factor(void *self, const tn_sparse *S, tn_solver_stats *stats)
{
    tree *s = self;
    tn_pivots seen = {INFINITY, 0.0, 0.0};
    s->by_klu = false;
    if (!eliminate(s, S->val, &seen) || !is_sound(s, S, &seen))
        return factor_by_klu(s, S, stats);
    stats->rcond = s->n > 0 ? seen.smallest / seen.largest : 1.0;
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
