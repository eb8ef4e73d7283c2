// SPDX-License-Identifier: MIT
//
// The row of each body: its distance from the ground. Bodies that a joint of the tree carries come
// below the body that carries them; free ones below the first body that a force, a coupling or a
// loop connects them with, or below the ground where nothing does.

#include "io/graph.h"

#include "base/alloc.h"
#include "base/carve.h"

typedef struct rows {
    tn_graph *g;
    int *first; // neighbours of body k: next[first[k]] to next[first[k + 1] - 1]
    int *next;
    int *queue, nqueue;
    bool *known;
} rows;

static void rows_carve(void *self, tn_carve *mem)
{
    rows *r = self;
    const int n = r->g->nbody;
    r->first = tn_carve_ints(mem, n + 2);
    r->next = tn_carve_ints(mem, n + 2 * r->g->edges.count);
    r->queue = tn_carve_ints(mem, n);
    r->known = tn_carve_bytes(mem, (size_t)n * sizeof(*r->known));
}

// Counts a neighbour, or keeps it in the second pass: first[k + 1] runs through those of body k.
static void add_neighbour(rows *r, int body, int other, bool keep)
{
    const tn_graph *g = r->g;
    const bool carried = tn_graph_carries(g, other);
    if (body < 0 || (carried && g->parent[other] != body) || other == 0)
        return;
    if (keep)
        r->next[r->first[body + 1]++] = other;
    else
        r->first[body + 2]++;
}

static void add_neighbours(rows *r, bool keep)
{
    const tn_graph *g = r->g;
    for (int k = 1; k < g->nbody; k++)
        if (tn_graph_carries(g, k))
            add_neighbour(r, g->parent[k], k, keep);
    for (int k = 0; k < g->edges.count; k++) {
        const tn_graph_edge *e = &g->edges.at[k];
        if (e->a >= g->nbody || e->b >= g->nbody)
            continue;
        add_neighbour(r, e->a, e->b, keep);
        add_neighbour(r, e->b, e->a, keep);
    }
}

static void find_neighbours(rows *r)
{
    add_neighbours(r, false);
    for (int k = 2; k <= r->g->nbody; k++)
        r->first[k] += r->first[k - 1];
    add_neighbours(r, true);
}

static void put_below(rows *r, int body, int parent)
{
    tn_graph *g = r->g;
    r->known[body] = true;
    r->queue[r->nqueue++] = body;
    if (parent < 0)
        return;
    g->parent[body] = parent;
    g->row[body] = g->row[parent] + 1;
}

static void find_rows(rows *r)
{
    const tn_graph *g = r->g;
    int done = 0, free = 1;
    put_below(r, 0, -1);
    while (r->nqueue < g->nbody) {
        for (; done < r->nqueue; done++) {
            const int body = r->queue[done];
            for (int k = r->first[body]; k < r->first[body + 1]; k++)
                if (!r->known[r->next[k]])
                    put_below(r, r->next[k], body);
        }
        while (free < g->nbody && (r->known[free] || tn_graph_carries(g, free)))
            free++;
        if (free < g->nbody)
            put_below(r, free, 0);
        TN_ASSERT(free < g->nbody || r->nqueue == g->nbody);
    }
}

tn_status tn_graph_rows(tn_graph *g)
{
    rows r = {.g = g};
    void *block = NULL;
    TN_TRY(tn_carve_block(&r, rows_carve, &block));
    find_neighbours(&r);
    find_rows(&r);
    tn_free(block);
    return TN_OK;
}
