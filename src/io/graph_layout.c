// SPDX-License-Identifier: MIT
//
// Places of bodies: rows by distance from the ground along the tree. Each body stands over the
// middle of those that it carries, which stand side by side in the order in which edges that are
// not in the tree become shortest: the bodies that such an edge leads to draw a subtree to their
// side, in a few sweeps, and the best one counts (the barycentre heuristic of Sugiyama, Tagawa and
// Toda, IEEE Trans. Syst. Man Cybern. 11, 1981).

#include "io/graph.h"

#include "base/alloc.h"
#include "base/carve.h"

#include <math.h>
#include <stdlib.h>

static const double BETWEEN = 28.0; // subtrees side by side
static const double BEND = 30.0;    // where edges go from a body to those that it carries
static const double STEM = 9.0;     // of an edge between its name and its body
enum { SWEEPS = 12 };

typedef struct layout {
    tn_graph *g;
    int n, nrow;
    int *order;   // bodies, by rows and in these by places
    double *span; // of the subtree of each body
    double *left; // where the span begins
    double *used; // how much of it those before have taken
    double *pull; // where edges that are not in the tree draw a subtree
    int *pulls;
    double *best;      // pull with which the edges were shortest
    double *tall, *up; // of each row: bodies, names of joints above them
    void *block;
} layout;

static void graph_layout_carve(void *self, tn_carve *mem)
{
    layout *l = self;
    TN_CARVE_DOUBLES(mem, l->n, &l->span, &l->left, &l->used, &l->pull, &l->best, &l->tall, &l->up);
    TN_CARVE_INTS(mem, l->n, &l->order, &l->pulls);
}

// Sorting needs the layout, which qsort cannot hand on: an entry carries what decides.
typedef struct entry {
    int body, row, parent_rank;
    double pull;
} entry;

static int by_row_and_pull(const void *first, const void *second)
{
    const entry *a = first, *b = second;
    if (a->row != b->row)
        return a->row - b->row;
    if (a->parent_rank != b->parent_rank)
        return a->parent_rank - b->parent_rank;
    if (a->pull != b->pull)
        return a->pull < b->pull ? -1 : 1;
    return a->body - b->body;
}

// Bodies of one row after those of the row above: by the rank of their parent, then by their pull.
static tn_status sort_bodies(layout *l)
{
    const tn_graph *g = l->g;
    entry *entries = tn_alloc((size_t)l->n * sizeof(*entries));
    int *rank = tn_alloc((size_t)l->n * sizeof(*rank));
    tn_status s = tn_got(entries && rank);
    for (int k = 0; s == TN_OK && k < l->n; k++)
        entries[k] = (entry){k, g->row[k], 0, l->pull[k]};
    if (s == TN_OK)
        qsort(entries, (size_t)l->n, sizeof(*entries), by_row_and_pull); // rows are together now
    for (int from = 0, to; s == TN_OK && from < l->n; from = to) {
        for (to = from; to < l->n && entries[to].row == entries[from].row; to++)
            entries[to].parent_rank = from > 0 ? rank[g->parent[entries[to].body]] : 0;
        qsort(entries + from, (size_t)(to - from), sizeof(*entries), by_row_and_pull);
        for (int k = from; k < to; k++) {
            l->order[k] = entries[k].body;
            rank[entries[k].body] = k;
        }
    }
    TN_FREE(entries, rank);
    return s;
}

static double own_width(const tn_graph *g, int body)
{
    const double joint = tn_graph_carries(g, body) ? g->boxes.at[g->carrier[body]].width : 0.0;
    return fmax(g->boxes.at[body].width, joint) + BETWEEN;
}

static void put_in_rows(layout *l)
{
    const tn_graph *g = l->g;
    for (int k = 0; k < l->n; k++)
        l->span[k] = l->used[k] = 0.0;
    for (int k = l->n - 1; k >= 0; k--) { // from the last row up: what a subtree needs
        const int body = l->order[k];
        l->used[body] = l->span[body]; // of those that it carries
        l->span[body] = fmax(l->span[body], own_width(g, body));
        if (g->parent[body] >= 0)
            l->span[g->parent[body]] += l->span[body];
    }
    l->left[0] = 0.0;
    for (int k = 0; k < l->n; k++) { // and down: where it is
        const int body = l->order[k], parent = g->parent[body];
        if (parent >= 0) {
            l->left[body] = l->used[parent];
            l->used[parent] += l->span[body];
        }
        g->boxes.at[body].x = l->left[body] + 0.5 * l->span[body];
        l->used[body] = l->left[body] + 0.5 * (l->span[body] - l->used[body]);
    }
}

// The body that a box belongs to: itself, or that which a joint of the tree carries.
static int body_of(const tn_graph *g, const int *owner, int box)
{
    return box < g->nbody ? box : owner[box - g->nbody];
}

// Draws the subtrees of `from` up to one that `to` is in, too.
static void pull_subtrees(layout *l, int from, int to)
{
    const tn_graph *g = l->g;
    const double x = g->boxes.at[to].x;
    int other = to;
    for (int k = from; k >= 0; k = g->parent[k]) {
        while (other >= 0 && g->row[other] > g->row[k])
            other = g->parent[other];
        if (other == k)
            return;
        l->pull[k] += x;
        l->pulls[k]++;
    }
}

// How long the edges are sideways; leaves the pulls for the next sweep.
static double measure_edges(layout *l, const int *owner)
{
    const tn_graph *g = l->g;
    double sum = 0.0;
    for (int k = 0; k < l->n; k++)
        l->pull[k] = l->pulls[k] = 0;
    for (int k = 0; k < g->edges.count; k++) {
        const int a = body_of(g, owner, g->edges.at[k].a), b = body_of(g, owner, g->edges.at[k].b);
        if (a < 0 || b < 0 || a == b)
            continue;
        sum += fabs(g->boxes.at[a].x - g->boxes.at[b].x);
        pull_subtrees(l, a, b);
        pull_subtrees(l, b, a);
    }
    for (int k = 0; k < l->n; k++)
        l->pull[k] = l->pulls[k] > 0 ? l->pull[k] / l->pulls[k] : g->boxes.at[k].x;
    return sum;
}

static tn_status arrange(layout *l, const int *owner)
{
    double least = INFINITY;
    for (int k = 0; k < l->n; k++)
        l->pull[k] = l->best[k] = k;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        TN_TRY(sort_bodies(l));
        put_in_rows(l);
        double *tried = l->used; // free now
        for (int k = 0; k < l->n; k++)
            tried[k] = l->pull[k];
        const double sum = measure_edges(l, owner);
        if (!(sum < least))
            break;
        least = sum;
        for (int k = 0; k < l->n; k++)
            l->best[k] = tried[k];
    }
    for (int k = 0; k < l->n; k++)
        l->pull[k] = l->best[k];
    TN_TRY(sort_bodies(l));
    put_in_rows(l);
    return TN_OK;
}

static void put_heights(layout *l)
{
    tn_graph *g = l->g;
    for (int k = 0; k < l->n; k++) {
        const int row = g->row[k];
        const double joint = tn_graph_carries(g, k) ? g->boxes.at[g->carrier[k]].height
                                                    : TN_GRAPH_LINE; // names of forces
        l->tall[row] = fmax(l->tall[row], g->boxes.at[k].height);
        l->up[row] = fmax(l->up[row], joint);
    }
    double y = 0.0;
    for (int k = 0; k < l->n; k++) { // bodies are ordered by rows
        const int body = l->order[k], row = g->row[body];
        if (k > 0 && row != g->row[l->order[k - 1]])
            y += l->tall[row - 1] + BEND + l->up[row] + STEM;
        tn_graph_box *box = &g->boxes.at[body];
        box->y = y + 0.5 * box->height;
        if (!tn_graph_carries(g, body))
            continue;
        tn_graph_box *joint = &g->boxes.at[g->carrier[body]];
        joint->x = box->x;
        joint->y = y - STEM - 0.5 * joint->height;
    }
}

// Which body each joint of the tree carries, by the number of its box; -1 for other boxes.
static void find_owners(const tn_graph *g, int *owner)
{
    for (int k = 0; k < g->boxes.count - g->nbody; k++)
        owner[k] = -1;
    for (int k = 0; k < g->nbody; k++)
        if (tn_graph_carries(g, k))
            owner[g->carrier[k] - g->nbody] = k;
}

tn_status tn_graph_place(tn_graph *g)
{
    layout l = {.g = g, .n = g->nbody};
    int *owner = tn_alloc((size_t)(g->boxes.count - g->nbody + 1) * sizeof(*owner));
    tn_status s = tn_got(owner);
    TN_THEN(s, tn_carve_block(&l, graph_layout_carve, &l.block));
    if (s == TN_OK) {
        find_owners(g, owner);
        s = arrange(&l, owner);
    }
    if (s == TN_OK)
        put_heights(&l);
    TN_FREE(owner, l.block);
    return s;
}
