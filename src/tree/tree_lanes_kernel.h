// SPDX-License-Identifier: MIT
//
// The recursions of tree_move.c and tree_dynamics.c on vectors of LANE_WIDTH lanes, for joints with
// one axis or none, by the functions of tree_space.h, and of those of tree_plane.h where all bodies
// are of the plane. A file that defines LANE_WIDTH, LANE_FUNCTION and LANE_FLAT includes this one:
// the same source serves all widths. All functions are inline, so that no vector is passed in
// memory. Vectors of a block follow each other without waiting: processors begin with the next one
// while the last results of one are under way.

#include "base/sincos.h"
#include "tree/tree_lanes_parts.h"

typedef double lane __attribute__((vector_size(LANE_WIDTH * sizeof(double))));

#define TREE_REAL lane
#include "tree/tree_plane.h"

enum { VECTORS = TN_LANES / LANE_WIDTH };

typedef struct {
    tree_turn turn;
    tree_link link;
    tree_pivot pivot;
    tree_accel a;
} kept;

_Static_assert(sizeof(kept) <= LANES_KEPT * sizeof(lane), "room for what is kept of a place");
_Static_assert(sizeof(tree_carry) == LANES_SUM * sizeof(lane), "room for what is handed on");

static inline tree_vec get3(const lane *at) // components of one vector of a block
{
    return (tree_vec){at[0], at[VECTORS], at[2 * VECTORS]};
}

static inline tree_vec plus_times(tree_vec f, lane s, tree_vec a)
{
    return tree_axpy(s, a, f);
}

static inline bool slides(const lanes_node *node)
{
    return node->kind == TREE_SLIDES_Z || node->kind == TREE_SLIDES_X;
}

static inline tree_vec axis_of(const lanes_node *node, const kept *k)
{
    return node->kind == TREE_SLIDES_X ? k->turn.x : k->link.z;
}

static inline tree_base base_of(const lane *c)
{
    return (tree_base){get3(c + LANES_X * VECTORS), get3(c + LANES_Y * VECTORS),
                       get3(c + LANES_Z * VECTORS), get3(c + LANES_D * VECTORS)};
}

static inline tree_mass mass_of(const lane *c)
{
    return (tree_mass){c[LANES_M * VECTORS],      get3(c + LANES_MC * VECTORS),
                       c[LANES_LAMBDA * VECTORS], get3(c + LANES_G * VECTORS),
                       c[LANES_KY * VECTORS],     c[LANES_KZ * VECTORS]};
}

static inline tree_rigid rigid_of(const lane *c, tree_vec x, tree_vec y, tree_vec z)
{
    const tree_mass mass = mass_of(c);
    return tree_rigid_of(&mass, x, y, z);
}

static inline void condense(const lanes_node *node, const lane *c, kept *k, lane tau, tree_carry *t)
{
    const tree_rigid body = rigid_of(c, k->turn.x, k->turn.y, k->link.z);
    tree_rigid_add(&t->I, &body);
    tree_turning_force(&t->F, &body, k->turn.w);
    if (node->kind == TREE_TURNS_Z) { // with constants each is compiled for itself
        tree_eliminate(&k->link, &k->pivot, k->link.z, false, true, node->parent == 0, tau, t);
        return;
    }
    if (slides(node)) {
        tree_eliminate(&k->link, &k->pivot, axis_of(node, k), true, true, node->parent == 0, tau,
                       t);
        return;
    }
    t->F = tree_force_shift(tree_inertia_add(t->F, &t->I, k->link.cl, k->link.ca), k->link.r);
    tree_inertia_shift(&t->I, k->link.r);
}

// Hands t to a predecessor with several children.
static inline void hand_on(const lanes_node *node, const tree_carry *t, tree_carry *sum)
{
    tree_carry all = *t;
    if (!node->first)
        tree_carry_sum(&all, sum);
    *sum = all;
}

// The whole ---------------------------------------------------------------------------------------

static inline void move_flat(const lanes_node *node, const tree_base *at, const tree_turn *b,
                             lane sine, lane cosine, lane q, lane v, kept *own)
{
    const plane_pose pose = plane_pose_at(b);
    plane_put_pose(node->kind == TREE_TURNS_Z
                       ? plane_turn(at, pose, node->sign, sine, cosine, v, &own->link)
                       : plane_slide(at, pose, q, v, &own->link),
                   &own->turn);
}

// One vector of a block: numbers and coordinates are VECTORS apart, stored results are not.
static inline void move_vector(const tn_lanes *s, bool flat, const lane *of, const lane *sine,
                               const lane *cosine, const lane *q, const lane *v, kept *keep)
{
    const lane zero = {0.0};
    for (int k = 1; k < s->n; k++) {
        const lanes_node *node = &s->node[k];
        const lane *c = of + (k - 1) * LANES_PLACE * VECTORS;
        const int i = node->v0 * VECTORS;
        const kept *b = &keep[node->parent];
        kept *own = &keep[k];
        const tree_base at = base_of(c);
        if (flat)
            move_flat(node, &at, &b->turn, sine[i], cosine[i], q[i], v[i], own);
        else if (node->kind == TREE_TURNS_Z)
            tree_pose(TREE_TURNS_Z, &at, &b->turn, b->link.z, sine[i], cosine[i], zero, v[i],
                      &own->turn, &own->link);
        else if (slides(node))
            tree_pose(node->kind, &at, &b->turn, b->link.z, zero, zero, q[i], v[i], &own->turn,
                      &own->link);
        else
            tree_pose(TREE_AXIS_NONE, &at, &b->turn, b->link.z, zero, zero, zero, zero, &own->turn,
                      &own->link);
    }
}

static inline void condense_vector(const tn_lanes *s, const lane *of, const lane *tau, kept *keep,
                                   tree_carry *sum)
{
    const lane zero = {0.0};
    tree_carry t = tree_nothing();
    for (int k = s->n - 1; k > 0; k--) {
        const lanes_node *node = &s->node[k];
        const lane *c = of + (k - 1) * LANES_PLACE * VECTORS;
        if (node->leaf)
            t = tree_nothing();
        else if (node->several)
            t = sum[k];
        condense(node, c, &keep[k], node->kind == TREE_AXIS_NONE ? zero : tau[node->v0 * VECTORS],
                 &t);
        if (node->parent > 0 && s->node[node->parent].several)
            hand_on(node, &t, &sum[node->parent]);
    }
}

static inline void condense_flat(const tn_lanes *s, const lane *of, const lane *tau, kept *keep,
                                 plane_carry *sum)
{
    const lane zero = {0.0};
    const plane_carry nothing = {.n = zero};
    plane_carry t = nothing;
    for (int k = s->n - 1; k > 0; k--) {
        const lanes_node *node = &s->node[k];
        const tree_mass mass = mass_of(of + (k - 1) * LANES_PLACE * VECTORS);
        const lane force = tau[node->v0 * VECTORS];
        kept *own = &keep[k];
        t = node->leaf ? nothing : node->several ? sum[k] : t;
        t = plane_add_body(&mass, plane_pose_at(&own->turn), true, t);
        if (node->kind == TREE_TURNS_Z)
            t = plane_eliminate_turn(&own->link, &own->pivot, node->sign, true, force, t);
        else
            t = plane_eliminate_slide(&own->link, &own->pivot, own->turn.x.x, own->turn.x.y, true,
                                      force, t);
        if (node->parent > 0 && s->node[node->parent].several)
            sum[node->parent] = node->first ? t : plane_sum(sum[node->parent], t);
    }
}

static inline void unfold_vector(const tn_lanes *s, bool flat, kept *keep, lane *a)
{
    for (int k = 1; k < s->n; k++) {
        const lanes_node *node = &s->node[k];
        kept *own = &keep[k];
        tree_accel x = keep[node->parent].a;
        if (flat)
            a[node->v0 * VECTORS] =
                plane_unfold(&own->link, &own->pivot, node->sign,
                             slides(node) ? &own->turn.x : NULL, true, own->pivot.h, &x);
        else if (node->kind == TREE_TURNS_Z)
            a[node->v0 * VECTORS] = tree_unfold_axis(&own->link, &own->pivot, own->link.z, false,
                                                     true, own->pivot.h, &x);
        else if (slides(node))
            a[node->v0 * VECTORS] = tree_unfold_axis(&own->link, &own->pivot, axis_of(node, own),
                                                     true, true, own->pivot.h, &x);
        else
            x = tree_carried(&own->link, x, true);
        own->a = x;
    }
}

#include "tree/tree_lanes_loops.h"

static inline void pull_springs(const tn_lanes *s, const lane *c, const lane *q, const lane *v,
                                lane *tau)
{
    const lane zero = {0.0};
    for (int i = 0; i < s->nv * VECTORS; i++)
        tau[i] = zero;
    for (int k = 0; k < s->nspring; k++, c += LANES_SPRING * VECTORS)
        for (int j = 0; j < VECTORS; j++) {
            const int i = s->spring[k] * VECTORS + j;
            const lane *n = c + j;
            const lane y = q[i] - n[LANES_FREE * VECTORS];
            const lane stiff = n[LANES_K * VECTORS] + n[LANES_K3 * VECTORS] * y * y;
            tau[i] -= stiff * y + n[LANES_PRELOAD * VECTORS] + n[LANES_C * VECTORS] * v[i];
        }
}

static inline void accelerate_lanes(const tn_lanes *s, bool flat, const double *numbers,
                                    const double *q_at, const double *v_at, double *vdot,
                                    double *memory)
{
    const int size = s->nv * VECTORS;
    const lane zero = {0.0}, one = zero + 1.0;
    const lane *up = (const lane *)numbers, *of = up + 3 * VECTORS;
    const lane *q = (const lane *)q_at, *v = (const lane *)v_at;
    kept *keep = (kept *)memory;
    tree_carry *sum = (tree_carry *)(keep + s->n);
    lane *tau = (lane *)(sum + s->n), *sine = tau + size, *cosine = sine + size;
    const lane *springs = of + (s->n - 1) * LANES_PLACE * VECTORS;
    const lane *rows = springs + s->nspring * LANES_SPRING * VECTORS;
    pull_springs(s, springs, q, v, tau);
    tn_sincos(s->nv * TN_LANES, q_at, (double *)sine, (double *)cosine);
    keep->turn = (tree_turn){{one, zero, zero}, {zero, one, zero}, tree_none()};
    keep->link.z = (tree_vec){zero, zero, one};
    keep->a.al = tree_none();
    for (int j = 0; j < VECTORS; j++) {
        keep->a.l = get3(up + j);
        move_vector(s, flat, of + j, sine + j, cosine + j, q + j, v + j, keep);
        if (flat)
            condense_flat(s, of + j, tau + j, keep, (plane_carry *)sum);
        else
            condense_vector(s, of + j, tau + j, keep, sum);
        unfold_vector(s, flat, keep, (lane *)vdot + j);
        if (!flat && s->nrow > 0)
            close_loops(s, rows + j, keep, cosine + size, (lane *)vdot + j);
    }
}

void LANE_FUNCTION(const tn_lanes *s, const double *numbers, const double *q, const double *v,
                   double *vdot, double *memory)
{
    accelerate_lanes(s, false, numbers, q, v, vdot, memory);
}

// Its gain: ensembles of a cart with one to three pendulums take half of the time (dopri5, as in
// bench_ensemble).
void LANE_FLAT(const tn_lanes *s, const double *numbers, const double *q, const double *v,
               double *vdot, double *memory)
{
    accelerate_lanes(s, true, numbers, q, v, vdot, memory);
}
