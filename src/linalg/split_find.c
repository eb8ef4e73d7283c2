// SPDX-License-Identifier: MIT
//
// See solver_split.h.

#include "base/alloc.h"
#include "linalg/cholmod.h"
#include "linalg/solver_order.h"
#include "linalg/solver_split.h"

#include <limits.h>
#include <string.h>

// A graph by columns in both directions, without loops.
typedef struct graph {
    int n, *colptr, *rowind;
} graph;

static void graph_close(graph *g)
{
    TN_FREE(g->colptr, g->rowind);
    *g = (graph){0};
}

static bool graph_open(graph *g, int n, int entries)
{
    *g = (graph){.n = n,
                 .colptr = tn_alloc(sizeof(int) * ((size_t)n + 1)),
                 .rowind = tn_alloc(sizeof(int) * ((size_t)entries + 1))};
    return g->colptr && g->rowind;
}

// Leaves each neighbour once. `seen` is room for n numbers.
static void drop_repeats(graph *g, int *seen)
{
    int count = 0, begin = 0;
    for (int i = 0; i < g->n; i++)
        seen[i] = -1;
    for (int j = 0; j < g->n; j++) {
        const int end = g->colptr[j + 1];
        for (int k = begin; k < end; k++) {
            const int i = g->rowind[k];
            if (seen[i] != j)
                g->rowind[count++] = i;
            seen[i] = j;
        }
        begin = end;
        g->colptr[j + 1] = count;
    }
}

// Of S + S^T.
static bool graph_of(const tn_sparse *S, graph *g)
{
    const int n = S->ncol;
    int *next = tn_alloc(sizeof(int) * ((size_t)n + 1));
    if (!next || !graph_open(g, n, 2 * S->nnz)) {
        tn_free(next);
        return false;
    }
    for (int j = 0; j < n; j++)
        for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++)
            if (S->rowind[k] != j) {
                g->colptr[j + 1]++;
                g->colptr[S->rowind[k] + 1]++;
            }
    for (int j = 0; j < n; j++) {
        g->colptr[j + 1] += g->colptr[j];
        next[j] = g->colptr[j];
    }
    for (int j = 0; j < n; j++)
        for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++) {
            const int i = S->rowind[k];
            if (i == j)
                continue;
            g->rowind[next[j]++] = i;
            g->rowind[next[i]++] = j;
        }
    drop_repeats(g, next);
    tn_free(next);
    return true;
}

// The graph of some nodes; `local` numbers them, -1 for all others.
static bool graph_part(const graph *g, int count, const int *node, const int *local, graph *out)
{
    int entries = 0;
    for (int c = 0; c < count; c++)
        entries += g->colptr[node[c] + 1] - g->colptr[node[c]];
    if (!graph_open(out, count, entries))
        return false;
    entries = 0;
    for (int c = 0; c < count; c++) {
        for (int k = g->colptr[node[c]]; k < g->colptr[node[c] + 1]; k++)
            if (local[g->rowind[k]] >= 0)
                out->rowind[entries++] = local[g->rowind[k]];
        out->colptr[c + 1] = entries;
    }
    return true;
}

// What a bisection works with: node, local and side have room for all nodes.
typedef struct bisection {
    const graph *g;
    int *node, *local, *side;
    tn_split *split;
} bisection;

// Splits what has this path so far, and was not taken out.
static bool bisect(bisection *b, int level, unsigned path)
{
    enum { CUT = 2 };
    const int shift = TN_SPLIT_LEVELS - level;
    const signed char never = TN_SPLIT_LEVELS;
    int count = 0;
    for (int i = 0; i < b->g->n; i++) {
        const bool in = b->split->cut[i] == never && (unsigned)b->split->path[i] >> shift == path;
        b->local[i] = in ? count : -1;
        if (in)
            b->node[count++] = i;
    }
    graph part = {0};
    const bool found = graph_part(b->g, count, b->node, b->local, &part) &&
                       tn_cholmod_bisect(count, part.colptr, part.rowind, b->side);
    graph_close(&part);
    for (int c = 0; c < count && found; c++) {
        if (b->side[c] == CUT)
            b->split->cut[b->node[c]] = (signed char)level;
        else
            b->split->path[b->node[c]] |= (unsigned char)(b->side[c] << (shift - 1));
    }
    return found;
}

static bool bisect_all(bisection *b)
{
    for (int level = 0; level < TN_SPLIT_LEVELS; level++)
        for (unsigned path = 0; path < 1u << level; path++)
            if (!bisect(b, level, path))
                return false;
    return true;
}

// Weak unknowns go with the first of their strong ones.
static void cut_weak(const graph *g, const char *kind, signed char *cut)
{
    for (int j = 0; j < g->n; j++)
        for (int k = g->colptr[j]; k < g->colptr[j + 1] && kind[j] != TN_UNKNOWN_STRONG; k++)
            if (kind[g->rowind[k]] == TN_UNKNOWN_STRONG && cut[g->rowind[k]] < cut[j])
                cut[j] = cut[g->rowind[k]];
}

bool tn_split_find(const tn_sparse *S, const char *kind, tn_split *out)
{
    TN_ASSERT(S->nrow == S->ncol);
    const size_t n = (size_t)S->ncol;
    graph g = {0};
    int *room = tn_alloc(3 * n * sizeof(int));
    memset(out->cut, TN_SPLIT_LEVELS, n);
    memset(out->path, 0, n);
    bisection b = {&g, room, room ? room + n : NULL, room ? room + 2 * n : NULL, out};
    const bool found = room && S->nnz < INT_MAX / 2 && graph_of(S, &g) && bisect_all(&b);
    if (found)
        cut_weak(&g, kind, out->cut);
    graph_close(&g);
    tn_free(room);
    return found;
}
