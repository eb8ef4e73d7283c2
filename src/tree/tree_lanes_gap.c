// SPDX-License-Identifier: MIT
//
// Closure errors of loops at the state of one lane; see tree_lanes.h. States are set now and then,
// so that this is written for one lane; it reads the numbers of the recursions on vectors.

#include "base/alloc.h"
#include "tree/tree_lanes_parts.h"
#include "tree/tree_space.h"

#include <math.h>

// Axes and reference point of a node, and their velocities.
typedef struct {
    tree_turn turn;
    tree_link link;
    tn_vec3 p, v;
} gap_place;

// The length of the longest way from the ground, the fastest turn and the fastest speed.
typedef struct {
    double size, turn, speed;
} gap_scale;

static tn_vec3 vector_of(const double *numbers, int lane)
{
    const double *a = numbers + lane;
    return tn_v3(a[0], a[TN_LANES], a[2 * TN_LANES]);
}

static tn_vec3 seen_from(const gap_place *b, const double *numbers, int lane)
{
    return tree_along(b->turn.x, b->turn.y, b->link.z, vector_of(numbers, lane));
}

static gap_place place_after(const lanes_node *node, const double *c, int lane, const gap_place *b,
                             double q, double rate)
{
    const tree_base at = {
        vector_of(c + LANES_X * TN_LANES, lane), vector_of(c + LANES_Y * TN_LANES, lane),
        vector_of(c + LANES_Z * TN_LANES, lane), vector_of(c + LANES_D * TN_LANES, lane)};
    gap_place k;
    tree_pose(node->kind, &at, &b->turn, b->link.z, sin(q), cos(q), q, rate, &k.turn, &k.link);
    const bool slides = node->kind == TREE_SLIDES_Z || node->kind == TREE_SLIDES_X;
    k.p = tn_v3_add(b->p, k.link.r);
    k.v = tn_v3_axpy(slides ? rate : 0.0, node->kind == TREE_SLIDES_X ? k.turn.x : k.link.z,
                     tree_add_cross(b->v, b->turn.w, k.link.r));
    return k;
}

// All nodes; returns the numbers behind theirs.
static const double *place_all(const tn_lanes *s, const double *numbers, int lane, const double *q,
                               const double *v, gap_place *at, gap_scale *scale)
{
    const double *c = numbers + 3 * TN_LANES;
    at[0] = (gap_place){.turn = {.x = {1, 0, 0}, .y = {0, 1, 0}}, .link.z = {0, 0, 1}};
    for (int k = 1; k < s->n; k++, c += LANES_PLACE * TN_LANES) {
        const lanes_node *node = &s->node[k];
        const bool free = node->kind != TREE_AXIS_NONE;
        const gap_place *b = &at[node->parent];
        at[k] = place_after(node, c, lane, b, free ? q[node->v0] : 0.0, free ? v[node->v0] : 0.0);
        scale->size += tn_v3_norm(tn_v3_sub(at[k].p, b->p));
        scale->turn = fmax(scale->turn, tn_v3_norm(at[k].turn.w));
        scale->speed = fmax(scale->speed, tn_v3_norm(at[k].v));
    }
    return c + s->nspring * (int)LANES_SPRING * TN_LANES;
}

// Residual of a row, and of its rate, in units of the allowed one.
static double row_off(const lanes_row *row, const gap_place *a, const gap_place *b, tn_vec3 in_a,
                      tn_vec3 in_b, const gap_scale *scale)
{
    static const double TINY = 1e-300; // where nothing moves
    if (row->turns) {
        const double rate = tn_v3_dot(tn_v3_sub(a->turn.w, b->turn.w), tn_v3_cross(in_a, in_b));
        return fmax(fabs(tn_v3_dot(in_a, in_b)), fabs(rate) / (scale->turn + TINY));
    }
    const tn_vec3 p = tn_v3_sub(tn_v3_add(b->p, in_b), tn_v3_add(a->p, in_a));
    const tn_vec3 v =
        tn_v3_sub(tree_add_cross(b->v, b->turn.w, in_b), tree_add_cross(a->v, a->turn.w, in_a));
    const double size = scale->size + tn_v3_norm(in_a) + tn_v3_norm(in_b);
    double apart[3], rate[3];
    tn_v3_to(p, apart);
    tn_v3_to(v, rate);
    return fmax(fabs(apart[row->i]) / (size + TINY),
                fabs(rate[row->i]) / (scale->speed + scale->turn * size + TINY));
}

tn_status tn_lanes_gap(const tn_lanes *s, const double *numbers, int lane, const double *q,
                       const double *v, double *off, int *joint)
{
    gap_scale scale = {0};
    *off = 0.0;
    *joint = -1;
    if (s->nrow == 0)
        return TN_OK;
    gap_place *at = tn_alloc(sizeof *at * (size_t)s->n);
    TN_TRY(tn_got(at));
    const double *c = place_all(s, numbers, lane, q, v, at, &scale);
    for (int r = 0; r < s->nrow; r++, c += LANES_ROW * TN_LANES) {
        const gap_place *a = &at[s->row[r].a], *b = &at[s->row[r].b];
        const double own = row_off(&s->row[r], a, b, seen_from(a, c, lane),
                                   seen_from(b, c + 3 * TN_LANES, lane), &scale);
        if (!(own <= *off)) {
            *off = own;
            *joint = s->row[r].joint;
        }
    }
    tn_free(at);
    return TN_OK;
}
