// SPDX-License-Identifier: MIT
//
// The recursions of tree_flat.c on vectors of lanes, for trees in the plane whose joints turn or
// slide. Included after tree_lanes_kernel.h by the same files, which define LANE_FLAT.

typedef struct {
    lane xx, xy, yx, yy, w; // axes x and y, rate of turning
    lane rx, ry, clx, cly;
    lane wx, wy, wn, h; // of the pivot
    lane lx, ly, al;    // accelerations
} flat_kept;

typedef struct {
    lane Axx, Ayy, Axy, hx, hy, C, fx, fy, n;
} flat_carried;

_Static_assert(sizeof(flat_kept) <= LANES_KEPT * sizeof(lane), "room for what is kept of a place");
_Static_assert(sizeof(flat_carried) <= LANES_SUM * sizeof(lane), "room for what is handed on");

static inline void place_flat(const lanes_node *node, const lane *c, const flat_kept *b,
                              flat_kept *k, lane sine, lane cosine, lane q, lane v)
{
    const lane X = c[LANES_X * VECTORS], Y = c[(LANES_X + 1) * VECTORS];
    const lane U = c[LANES_Y * VECTORS], V = c[(LANES_Y + 1) * VECTORS];
    const lane dx = c[LANES_D * VECTORS], dy = c[(LANES_D + 1) * VECTORS];
    const lane xx = X * b->xx + Y * b->yx, xy = X * b->xy + Y * b->yy;
    const lane yx = U * b->xx + V * b->yx, yy = U * b->xy + V * b->yy;
    const lane ww = b->w * b->w;
    lane rx = dx * b->xx + dy * b->yx, ry = dx * b->xy + dy * b->yy;
    if (node->kind == TREE_TURNS_Z) {
        k->xx = cosine * xx + sine * yx;
        k->xy = cosine * xy + sine * yy;
        k->yx = cosine * yx - sine * xx;
        k->yy = cosine * yy - sine * xy;
        k->w = b->w + node->sign * v;
        k->clx = -ww * rx;
        k->cly = -ww * ry;
    } else {
        const lane twice = 2.0 * b->w * v;
        rx += q * xx;
        ry += q * xy;
        k->xx = xx, k->xy = xy, k->yx = yx, k->yy = yy, k->w = b->w;
        k->clx = -ww * rx - twice * xy;
        k->cly = -ww * ry + twice * xx;
    }
    k->rx = rx;
    k->ry = ry;
}

static inline void add_flat_body(const lane *c, const flat_kept *k, flat_carried *t)
{
    const lane mx = c[LANES_MC * VECTORS], my = c[(LANES_MC + 1) * VECTORS];
    const lane m = c[LANES_M * VECTORS], g = c[(LANES_G + 2) * VECTORS];
    const lane kz = c[LANES_KZ * VECTORS], ww = k->w * k->w;
    const lane cx = mx * k->xx + my * k->yx, cy = mx * k->xy + my * k->yy;
    t->Axx += m;
    t->Ayy += m;
    t->hx -= cy;
    t->hy += cx;
    t->C += c[LANES_LAMBDA * VECTORS] + g * g + kz * kz;
    t->fx -= ww * cx;
    t->fy -= ww * cy;
}

static inline void drop_turn(flat_kept *k, double sign, lane tau, flat_carried *t)
{
    const lane rx = k->rx, ry = k->ry, lx = k->clx, ly = k->cly, Di = 1.0 / t->C;
    const lane wx = Di * t->hx, wy = Di * t->hy;
    const lane e = Di * (sign * tau - (t->n + t->hx * lx + t->hy * ly));
    t->fx = t->fx + t->Axx * lx + t->Axy * ly + e * t->hx;
    t->fy = t->fy + t->Axy * lx + t->Ayy * ly + e * t->hy;
    t->n = sign * tau + rx * t->fy - ry * t->fx;
    t->Axx -= wx * t->hx;
    t->Ayy -= wy * t->hy;
    t->Axy -= wx * t->hy;
    t->hx = t->Axy * rx - t->Axx * ry;
    t->hy = t->Ayy * rx - t->Axy * ry;
    t->C = rx * t->hy - ry * t->hx;
    k->h = sign * e;
    k->wx = sign * wx;
    k->wy = sign * wy;
    k->wn = sign * (1.0 + rx * wy - ry * wx);
}

static inline void drop_slide(flat_kept *k, lane tau, flat_carried *t)
{
    const lane rx = k->rx, ry = k->ry, ex = k->xx, ey = k->xy, lx = k->clx, ly = k->cly;
    const lane ux = t->Axx * ex + t->Axy * ey, uy = t->Axy * ex + t->Ayy * ey;
    const lane un = t->hx * ex + t->hy * ey, Di = 1.0 / (ex * ux + ey * uy);
    const lane wx = Di * ux, wy = Di * uy, wn = Di * un;
    t->fx = t->fx + t->Axx * lx + t->Axy * ly;
    t->fy = t->fy + t->Axy * lx + t->Ayy * ly;
    k->h = Di * (tau - ex * t->fx - ey * t->fy);
    t->fx += k->h * ux;
    t->fy += k->h * uy;
    t->n = t->n + t->hx * lx + t->hy * ly + k->h * un + rx * t->fy - ry * t->fx;
    t->Axx -= wx * ux;
    t->Ayy -= wy * uy;
    t->Axy -= wx * uy;
    const lane hx = t->hx - wn * ux, hy = t->hy - wn * uy;
    t->hx = hx + t->Axy * rx - t->Axx * ry;
    t->hy = hy + t->Ayy * rx - t->Axy * ry;
    t->C = t->C - wn * un + rx * (hy + t->hy) - ry * (hx + t->hx);
    k->wx = wx;
    k->wy = wy;
    k->wn = wn + rx * wy - ry * wx;
}

static inline void hand_on_flat(const lanes_node *node, const flat_carried *t, flat_carried *sum)
{
    if (node->first) {
        *sum = *t;
        return;
    }
    sum->Axx += t->Axx, sum->Ayy += t->Ayy, sum->Axy += t->Axy, sum->hx += t->hx;
    sum->hy += t->hy, sum->C += t->C, sum->fx += t->fx, sum->fy += t->fy, sum->n += t->n;
}

static inline void condense_flat(const tn_lanes *s, const lane *of, const lane *tau,
                                 flat_kept *keep, flat_carried *sum)
{
    const lane zero = {0.0};
    const flat_carried nothing = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
    flat_carried t = nothing;
    for (int k = s->n - 1; k > 0; k--) {
        const lanes_node *node = &s->node[k];
        const lane force = tau[node->v0 * VECTORS];
        if (node->leaf)
            t = nothing;
        else if (node->several)
            t = sum[k];
        add_flat_body(of + (k - 1) * LANES_PLACE * VECTORS, &keep[k], &t);
        if (node->kind == TREE_TURNS_Z)
            drop_turn(&keep[k], node->sign, force, &t);
        else
            drop_slide(&keep[k], force, &t);
        if (node->parent > 0 && s->node[node->parent].several)
            hand_on_flat(node, &t, &sum[node->parent]);
    }
}

static inline lane unfold_flat(const lanes_node *node, const flat_kept *b, flat_kept *k)
{
    const lane a = k->h - k->wx * b->lx - k->wy * b->ly - k->wn * b->al;
    k->lx = b->lx + k->clx - b->al * k->ry;
    k->ly = b->ly + k->cly + b->al * k->rx;
    k->al = b->al;
    if (node->kind == TREE_TURNS_Z) {
        k->al += node->sign * a;
    } else {
        k->lx += k->xx * a;
        k->ly += k->xy * a;
    }
    return a;
}

void LANE_FLAT(const tn_lanes *s, const double *numbers, const double *q_at, const double *v_at,
               double *vdot, double *memory)
{
    const int size = s->nv * VECTORS;
    const lane zero = {0.0}, one = zero + 1.0;
    const lane *up = (const lane *)numbers, *of = up + 3 * VECTORS;
    const lane *q = (const lane *)q_at, *v = (const lane *)v_at;
    flat_kept *keep = (flat_kept *)memory;
    flat_carried *sum = (flat_carried *)(keep + s->n);
    lane *tau = (lane *)(sum + s->n), *sine = tau + size, *cosine = sine + size, *a = (lane *)vdot;
    pull_springs(s, of + (s->n - 1) * LANES_PLACE * VECTORS, q, v, tau);
    tn_sincos(s->nv * TN_LANES, q_at, (double *)sine, (double *)cosine);
    keep->xx = keep->yy = one;
    keep->xy = keep->yx = keep->w = keep->al = zero;
    for (int j = 0; j < VECTORS; j++) {
        keep->lx = up[j];
        keep->ly = up[VECTORS + j];
        for (int k = 1; k < s->n; k++) {
            const int i = s->node[k].v0 * VECTORS + j;
            place_flat(&s->node[k], of + (k - 1) * LANES_PLACE * VECTORS + j,
                       &keep[s->node[k].parent], &keep[k], sine[i], cosine[i], q[i], v[i]);
        }
        condense_flat(s, of + j, tau + j, keep, sum);
        for (int k = 1; k < s->n; k++)
            a[s->node[k].v0 * VECTORS + j] =
                unfold_flat(&s->node[k], &keep[s->node[k].parent], &keep[k]);
    }
}
