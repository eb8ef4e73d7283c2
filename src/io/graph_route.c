// SPDX-License-Identifier: MIT
//
// Edges that are not in the tree: curves from box to box that go round the others. Of some curves,
// straight and bowed, each with its name at some places, that one is taken which hides least.

#include "io/graph.h"

#include "base/alloc.h"
#include "base/carve.h"

#include <math.h>

enum { SAMPLES = 24, STEM_POINTS = 8, NAMES = 13, BOWS = 9, MUCH = 200000 };
static const double MARGIN = 24.0, CLEAR = 3.0;
static const double TOUCHED = 0.1; // of its size, that a name loses by the least overlap

// Where a name may sit on its curve, the best places first.
static const double name_at[NAMES] = {0.5, 0.45, 0.55, 0.4,  0.6, 0.35, 0.65,
                                      0.3, 0.7,  0.25, 0.75, 0.2, 0.8};

typedef struct router {
    tn_graph *g;
    bool *placed; // boxes that have a place
    int bows;     // that are tried
    // Points of the edges of the tree, which names should not cover.
    int npoint;
    double *x, *y;
} router;

static double on_curve(const double p[4], double t)
{
    const double u = 1.0 - t;
    return u * u * u * p[0] + 3.0 * u * u * t * p[1] + 3.0 * u * t * t * p[2] + t * t * t * p[3];
}

// Bowed to its side: both tangents lean by `bow`.
static void bow_curve(tn_graph_edge *e, const tn_graph_box *a, const tn_graph_box *b, double bow)
{
    const double dx = b->x - a->x, dy = b->y - a->y, length = fmax(hypot(dx, dy), 1.0);
    for (int i = 0; i < 4; i++) {
        const double t = i / 3.0, off = i == 1 || i == 2 ? bow : 0.0;
        e->x[i] = a->x + t * dx - off * dy / length;
        e->y[i] = a->y + t * dy + off * dx / length;
    }
}

// Leaves and arrives sideways: round what stands between rows.
static void round_curve(tn_graph_edge *e, const tn_graph_box *a, const tn_graph_box *b, double bow)
{
    const double side = bow > 0.0 ? fmax(a->x, b->x) : fmin(a->x, b->x);
    e->x[0] = a->x, e->x[3] = b->x;
    e->x[1] = e->x[2] = side + bow;
    e->y[0] = e->y[1] = a->y;
    e->y[2] = e->y[3] = b->y;
}

static bool holds(const tn_graph_box *box, double x, double y, double clear)
{
    return fabs(x - box->x) < 0.5 * box->width + clear &&
           fabs(y - box->y) < 0.5 * box->height + clear;
}

static double overlap(const tn_graph_box *a, const tn_graph_box *b)
{
    const double x = 0.5 * (a->width + b->width) + CLEAR - fabs(a->x - b->x);
    const double y = 0.5 * (a->height + b->height) + CLEAR - fabs(a->y - b->y);
    return x > 0.0 && y > 0.0 ? x * y + TOUCHED * a->width * a->height : 0.0;
}

// Points of the curve that other boxes hide, by the number of samples.
static double hidden(const router *r, const tn_graph_edge *e)
{
    const tn_graph *g = r->g;
    int count = 0;
    for (int i = 1; i < SAMPLES; i++) {
        const double t = (double)i / SAMPLES, x = on_curve(e->x, t), y = on_curve(e->y, t);
        for (int k = 0; k < g->boxes.count; k++)
            if (r->placed[k] && k != e->a && k != e->b && holds(&g->boxes.at[k], x, y, CLEAR))
                count++;
    }
    return (double)count / SAMPLES;
}

// The best place of the name on its curve, and what it costs there.
static double put_name(const router *r, const tn_graph_edge *e, tn_graph_box *name)
{
    double least = INFINITY, best = 0.5;
    for (int i = 0; i < NAMES && least > 0.0; i++) {
        double sum = 0.0;
        name->x = on_curve(e->x, name_at[i]);
        name->y = on_curve(e->y, name_at[i]);
        for (int k = 0; k < r->g->boxes.count; k++)
            if (r->placed[k])
                sum += overlap(name, &r->g->boxes.at[k]);
        for (int k = 0; k < r->npoint; k++)
            if (holds(name, r->x[k], r->y[k], 0.0))
                sum += 0.03 * name->width * name->height;
        if (sum < least) {
            least = sum;
            best = name_at[i];
        }
    }
    name->x = on_curve(e->x, best);
    name->y = on_curve(e->y, best);
    return least / (name->width * name->height);
}

static void try_curve(const router *r, const tn_graph_edge *tried, tn_graph_edge *best,
                      tn_graph_box *name, double *least)
{
    static const double HIDDEN = 3000.0, COVERED = 2000.0;
    tn_graph_box at = *name;
    double length = 0.0;
    for (int i = 1; i < 4; i++)
        length += hypot(tried->x[i] - tried->x[i - 1], tried->y[i] - tried->y[i - 1]);
    double cost = length + HIDDEN * hidden(r, tried);
    if (cost < *least)
        cost += COVERED * put_name(r, tried, &at);
    if (cost < *least) {
        *least = cost;
        *best = *tried;
        *name = at;
    }
}

static void route_edge(router *r, tn_graph_edge *e)
{
    static const double bows[BOWS] = {0.0,   60.0,   -60.0, 120.0, -120.0,
                                      200.0, -200.0, 320.0, -320.0};
    tn_graph *g = r->g;
    const tn_graph_box *a = &g->boxes.at[e->a], *b = &g->boxes.at[e->b];
    tn_graph_box *name = &g->boxes.at[e->name];
    tn_graph_edge tried = *e, best = *e;
    double least = INFINITY;
    for (int i = 0; i < r->bows; i++) {
        bow_curve(&tried, a, b, bows[i]);
        try_curve(r, &tried, &best, name, &least);
        if (i > 0 && fabs(a->y - b->y) > a->height) {
            round_curve(&tried, a, b, bows[i] + copysign(0.5 * name->width, bows[i]));
            try_curve(r, &tried, &best, name, &least);
        }
    }
    *e = best;
    r->placed[e->name] = true;
}

// An edge may lead to the name of another one, which comes first then.
static void route_all(router *r)
{
    tn_graph *g = r->g;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < g->edges.count; k++) {
            tn_graph_edge *e = &g->edges.at[k];
            const bool ready = r->placed[e->a] && r->placed[e->b];
            if (!r->placed[e->name] && (ready || pass > 0))
                route_edge(r, e);
        }
}

// Grows the picture so that it holds a point.
static void take_point(tn_graph *g, double *right, double *bottom, double x, double y)
{
    g->left = fmin(g->left, x);
    g->top = fmin(g->top, y);
    *right = fmax(*right, x);
    *bottom = fmax(*bottom, y);
}

static void measure_graph(tn_graph *g)
{
    double right = -INFINITY, bottom = -INFINITY;
    g->left = g->top = INFINITY;
    for (int k = 0; k < g->boxes.count; k++) {
        const tn_graph_box *b = &g->boxes.at[k];
        take_point(g, &right, &bottom, b->x - 0.5 * b->width, b->y - 0.5 * b->height);
        take_point(g, &right, &bottom, b->x + 0.5 * b->width, b->y + 0.5 * b->height);
    }
    for (int k = 0; k < g->edges.count; k++)
        for (int i = 0; i <= SAMPLES; i++)
            take_point(g, &right, &bottom, on_curve(g->edges.at[k].x, (double)i / SAMPLES),
                       on_curve(g->edges.at[k].y, (double)i / SAMPLES));
    g->left -= MARGIN;
    g->top -= MARGIN;
    g->width = right + MARGIN - g->left;
    g->height = bottom + MARGIN - g->top;
    TN_ASSERT(isfinite(g->width) && isfinite(g->height));
}

static void note_stem(router *r, int body)
{
    const tn_graph *g = r->g;
    const tn_graph_box *to = &g->boxes.at[body], *from = &g->boxes.at[g->parent[body]];
    const tn_graph_box *joint = &g->boxes.at[g->carrier[body]];
    const double y = from->y + 0.5 * from->height, end = joint->y - 0.5 * joint->height;
    const double px[4] = {from->x, from->x, to->x, to->x};
    const double py[4] = {y, 0.5 * (y + end), 0.5 * (y + end), end};
    for (int i = 0; i < STEM_POINTS; i++) {
        r->x[r->npoint] = on_curve(px, (i + 0.5) / STEM_POINTS);
        r->y[r->npoint++] = on_curve(py, (i + 0.5) / STEM_POINTS);
    }
}

static void route_carve(void *self, tn_carve *mem)
{
    router *r = self;
    r->placed = tn_carve_bytes(mem, (size_t)r->g->boxes.count * sizeof(*r->placed));
    TN_CARVE_DOUBLES(mem, STEM_POINTS * r->g->nbody, &r->x, &r->y);
}

tn_status tn_graph_route(tn_graph *g)
{
    router r = {.g = g, .bows = BOWS};
    void *block = NULL;
    TN_TRY(tn_carve_block(&r, route_carve, &block));
    if ((double)g->edges.count * g->boxes.count > MUCH)
        r.bows = 3;
    for (int k = 0; k < g->nbody; k++) {
        r.placed[k] = true;
        if (!tn_graph_carries(g, k))
            continue;
        r.placed[g->carrier[k]] = true;
        note_stem(&r, k);
    }
    route_all(&r);
    measure_graph(g);
    tn_free(block);
    return TN_OK;
}
