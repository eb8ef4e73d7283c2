// SPDX-License-Identifier: MIT
//
// Trees of few bodies in the plane whose joints all turn, by their mass matrix in the angles of
// bodies against the ground, in which its diagonal is constant. Included after tree_lanes_few.h by
// the same files, which define LANE_FEW_FLAT.
//
// Let r_k be the way to joint k from the joint of its predecessor, and G_k the moment of mass of
// body k with all that it carries standing in its joints. For each body k, each i on its path to
// the ground, and r = r_j of the j on i on that path,
//
//   M_ik = r.G_k,   w_i^2 turns k by -r x G_k,   w_k^2 turns i by r x G_k.
//
// All vectors of a block take each step together: few numbers stay in registers.
//
// Its gain: four links take 145 products and sums beside their sines, the recursions of
// tree_plane.h 320, and a step 0.7 of the time.

typedef struct {
    lane x[VECTORS], y[VECTORS]; // r
    lane w[VECTORS], ww[VECTORS];
} few_flat;

_Static_assert(sizeof(few_flat) <= LANES_KEPT * VECTORS * sizeof(lane), "room for a place");

// Angles of the bodies, from those of the joints.
LANES_INLINE void add_angles(const tn_lanes *s, const lane *of, const lane *q, lane *angle)
{
    for (int k = 1; k < s->n; k++) {
        const lane *c = of + ((k - 1) * LANES_PLACE + FLAT_ANGLE) * VECTORS;
        const lane *joint = q + (k - 1) * VECTORS;
        lane *own = angle + k * VECTORS, *last = angle + s->node[k].parent * VECTORS;
        for (int j = 0; j < VECTORS; j++)
            own[j] = last[j] + c[j] + s->node[k].sign * joint[j];
    }
}

// r and w by w of the predecessor and its axis x, (cosine, sine).
static inline void place_few_flat(double sign, const lane *c, const lane *cosine, const lane *sine,
                                  const few_flat *on, const lane *v, few_flat *k)
{
    const lane *dx = c + FLAT_DX * VECTORS, *dy = c + FLAT_DY * VECTORS;
    for (int j = 0; j < VECTORS; j++) {
        const lane x = cosine[j], y = sine[j], a = dx[j], b = dy[j], w = on->w[j] + sign * v[j];
        k->x[j] = a * x - b * y;
        k->y[j] = a * y + b * x;
        k->w[j] = w;
        k->ww[j] = w * w;
    }
}

// Row k of M, and the part of body k in the moments `rest`, which hold tau of it and those behind.
LANES_INLINE void row_of_flat(const tn_lanes *s, int k, const lane *c, const lane *up,
                              const lane *cosine, const lane *sine, const few_flat *at, lane *row,
                              lane *rest)
{
    const int parent = s->node[k].parent;
    const lane *gx = c + FLAT_GX * VECTORS, *gy = c + FLAT_GY * VECTORS;
    lane Gx[VECTORS], Gy[VECTORS], ww[VECTORS], n[VECTORS];
    for (int j = 0; j < VECTORS; j++) {
        ww[j] = at[k].ww[j];
        const lane tau = s->node[k].sign * rest[(k - 1) * VECTORS + j];
        Gx[j] = gx[j] * cosine[j] - gy[j] * sine[j];
        Gy[j] = gx[j] * sine[j] + gy[j] * cosine[j];
        n[j] = tau - Gx[j] * up[VECTORS + j] + Gy[j] * up[j];
        row[k * VECTORS + j] = c[FLAT_J * VECTORS + j];
        if (parent > 0)
            rest[(parent - 1) * VECTORS + j] -= tau;
    }
    for (int i = parent, on = k; i > 0; on = i, i = s->node[i].parent)
        for (int j = 0; j < VECTORS; j++) {
            const lane x = at[on].x[j], y = at[on].y[j], across = x * Gy[j] - y * Gx[j];
            row[i * VECTORS + j] = x * Gx[j] + y * Gy[j];
            n[j] -= at[i].ww[j] * across;
            rest[(i - 1) * VECTORS + j] += ww[j] * across;
        }
    for (int j = 0; j < VECTORS; j++)
        rest[(k - 1) * VECTORS + j] = n[j];
}

// Accelerations of joints from those of the bodies.
LANES_INLINE void part_bodies(const tn_lanes *s, lane *a)
{
    for (int k = s->n - 1; k > 0; k--) {
        const int parent = s->node[k].parent;
        for (int j = 0; j < VECTORS; j++) {
            lane *own = a + (k - 1) * VECTORS + j;
            if (parent > 0)
                *own -= a[(parent - 1) * VECTORS + j];
            *own *= s->node[k].sign;
        }
    }
}

void LANE_FEW_FLAT(const tn_lanes *s, const double *numbers, const double *q_at, const double *v_at,
                   double *vdot, double *memory)
{
    const int size = s->n * VECTORS;
    const lane zero = {0.0};
    const lane *up = (const lane *)numbers, *of = up + 3 * VECTORS;
    const lane *q = (const lane *)q_at, *v = (const lane *)v_at;
    few_flat *at = (few_flat *)memory;
    lane *angle = (lane *)(at + s->n), *sine = angle + size, *cosine = sine + size;
    lane *M = cosine + size, *a = (lane *)vdot;
    pull_springs(s, of + (s->n - 1) * LANES_PLACE * VECTORS, q, v, a);
    for (int j = 0; j < VECTORS; j++) { // the ground
        angle[j] = sine[j] = at->w[j] = zero;
        cosine[j] = zero + 1.0;
    }
    add_angles(s, of, q, angle);
    tn_sincos(s->nv * TN_LANES, (double *)(angle + VECTORS), (double *)(sine + VECTORS),
              (double *)(cosine + VECTORS));
    for (int k = 1; k < s->n; k++) {
        const lane *c = of + (k - 1) * LANES_PLACE * VECTORS;
        const int parent = s->node[k].parent, own = k * VECTORS, last = parent * VECTORS;
        place_few_flat(s->node[k].sign, c, cosine + last, sine + last, &at[parent],
                       v + (k - 1) * VECTORS, &at[k]);
        row_of_flat(s, k, c, up, cosine + own, sine + own, at, M + k * size, a);
    }
    solve_few(s, M, a);
    part_bodies(s, a);
}
