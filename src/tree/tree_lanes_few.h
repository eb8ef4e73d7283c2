// SPDX-License-Identifier: MIT
//
// Trees of few bodies in space whose joints all turn, one of them on the ground, by their mass
// matrix. Included after tree_lanes_kernel.h by the same files, which define LANE_FEW.
//
//   M v' = tau - n,   n: moments about the joints that the motion takes without v'
//
// Vectors have the axes of the first body: its numbers stay, those of the next joints too, and
// gravity is turned instead. With m c and the inertia J of body k and all that it carries,
// turning about z_k takes the force z_k x m c and the moment J z_k; their moments about the axes on
// the path to the ground are row k of M.
//
// Its gain: four links take 720 products and sums beside their sines, the recursions 1280, and a
// step half of the time. Recursions grow less: both take as long for 16 links, in the plane for 12.

// All of these functions in one: their results stay in registers, which wins a tenth.
#define LANES_INLINE __attribute__((always_inline)) static inline

typedef struct {
    tree_rigid I;
    tree_force F; // that the motion takes without v'
} few_sum;

typedef struct {
    tree_vec x, y, z;  // axes
    tree_vec w, al, l; // rate of turning, accelerations without v'
} few_pose;

typedef struct {
    few_pose pose;
    tree_vec r; // from the reference point of the predecessor
    few_sum body;
} few_place;

_Static_assert(sizeof(few_place) <= VECTORS * LANES_KEPT * sizeof(lane), "room for a place");
_Static_assert(sizeof(few_sum) <= LANES_SUM * sizeof(lane), "room for what is handed on");

// Forwards: axes, velocities, forces --------------------------------------------------------------

// Adds the acceleration of a point at r of a body without l, or that times the mass there.
static inline tree_vec plus_turning(tree_vec f, tree_vec al, tree_vec w, tree_vec r)
{
    return plus_times(plus_times(tree_add_cross(f, al, r), tree_dot(w, r), w), -tree_dot(w, w), r);
}

LANES_INLINE few_sum few_body(const lane *c, const few_pose *k)
{
    few_sum t = {.I = rigid_of(c, k->x, k->y, k->z)};
    t.F.f = plus_turning(tree_times(t.I.m, k->l), k->al, k->w, t.I.mc);
    t.F.n = tree_add_cross(
        tree_add_cross(tree_sym_apply(&t.I.J, k->al), k->w, tree_sym_apply(&t.I.J, k->w)), t.I.mc,
        k->l);
    return t;
}

// Frame A of the joint is (X, Y, z).
LANES_INLINE void turn_few(const lane *c, tree_vec X, tree_vec Y, lane sine, lane cosine,
                           few_pose p, few_place *k)
{
    p.x = plus_times(tree_times(cosine, X), sine, Y);
    p.y = plus_times(tree_times(cosine, Y), -sine, X);
    k->pose = p;
    k->body = few_body(c, &p);
}

LANES_INLINE void place_few(const lane *c, few_pose b, lane sine, lane cosine, lane v, few_place *k)
{
    const tree_base at = base_of(c);
    const tree_vec X = tree_along(b.x, b.y, b.z, at.X), Y = tree_along(b.x, b.y, b.z, at.Y);
    const tree_vec z = tree_along(b.x, b.y, b.z, at.Z), r = tree_along(b.x, b.y, b.z, at.d);
    const tree_vec spin = tree_times(v, z);
    k->r = r;
    turn_few(c, X, Y, sine, cosine,
             (few_pose){.z = z,
                        .w = tree_plus(b.w, spin),
                        .al = tree_add_cross(b.al, b.w, spin),
                        .l = plus_turning(b.l, b.al, b.w, r)},
             k);
}

// On the first body, which has the acceleration l and turns with v1 about its axis z.
LANES_INLINE void place_on_first(const lane *c, tree_vec l, lane v1, lane sine, lane cosine, lane v,
                                 few_place *k)
{
    const tree_vec z = get3(c + LANES_Z * VECTORS), r = get3(c + LANES_D * VECTORS);
    const tree_vec spin = tree_times(v, z);
    const lane zero = {0.0}, square = v1 * v1;
    k->r = r;
    turn_few(c, get3(c + LANES_X * VECTORS), get3(c + LANES_Y * VECTORS), sine, cosine,
             (few_pose){.z = z,
                        .w = {spin.x, spin.y, spin.z + v1},
                        .al = {-v1 * spin.y, v1 * spin.x, zero},
                        .l = {l.x - square * r.x, l.y - square * r.y, l.z}},
             k);
}

// A vector of the ground in the axes of the first body.
static inline tree_vec seen_from_first(const lane *c, tree_vec a, lane sine, lane cosine)
{
    const lane x = tree_dot(a, get3(c + LANES_X * VECTORS)),
               y = tree_dot(a, get3(c + LANES_Y * VECTORS));
    return (tree_vec){cosine * x + sine * y, cosine * y - sine * x,
                      tree_dot(a, get3(c + LANES_Z * VECTORS))};
}

// Backwards: inertias, rows of M ------------------------------------------------------------------

static inline void add_few(few_sum *t, const few_sum *more)
{
    const lane *from = (const lane *)more;
    lane *to = (lane *)t;
    for (size_t i = 0; i < sizeof *t / sizeof(lane); i++)
        to[i] += from[i];
}

// About the reference point of the predecessor.
static inline few_sum shift_few(few_sum t, tree_vec r)
{
    const tree_vec p = plus_times(t.I.mc, 0.5 * t.I.m, r); // J + 2 (r.p) 1 - r p^T - p r^T
    const lane x = r.x * p.x, y = r.y * p.y, z = r.z * p.z;
    tree_sym *J = &t.I.J;
    t.I.mc = plus_times(t.I.mc, t.I.m, r);
    J->xx += 2.0 * (y + z);
    J->yy += 2.0 * (x + z);
    J->zz += 2.0 * (x + y);
    J->xy = J->xy - r.x * p.y - r.y * p.x;
    J->xz = J->xz - r.x * p.z - r.z * p.x;
    J->yz = J->yz - r.y * p.z - r.z * p.y;
    t.F = tree_force_shift(t.F, r);
    return t;
}

// For the first body only the moment about its axis counts.
LANES_INLINE void row_of_few(const tn_lanes *s, int k, const few_place *at, const few_sum *t,
                             lane *row)
{
    const tree_vec z = at[k].pose.z, f = tree_cross(z, t->I.mc);
    tree_vec n = tree_sym_apply(&t->I.J, z), r = at[k].r;
    row[k * VECTORS] = tree_dot(z, n);
    for (int i = s->node[k].parent; i > 1; i = s->node[i].parent) {
        n = tree_add_cross(n, r, f);
        row[i * VECTORS] = tree_dot(at[i].pose.z, n);
        r = at[i].r;
    }
    row[VECTORS] = n.z + r.x * f.y - r.y * f.x;
}

// M of one vector, and `rest`, which is tau, becomes tau - n. The first body has the numbers c and
// the acceleration l.
LANES_INLINE void condense_few(const tn_lanes *s, const lane *c, tree_vec l, const few_place *at,
                               few_sum *sum, lane *M, lane *rest)
{
    const lane zero = {0.0}, gz = c[(LANES_G + 2) * VECTORS], kz = c[LANES_KZ * VECTORS];
    lane J = c[LANES_LAMBDA * VECTORS] + gz * gz + kz * kz; // about the first axis
    lane n = c[LANES_MC * VECTORS] * l.y - c[(LANES_MC + 1) * VECTORS] * l.x;
    few_sum t = {.I = {.m = zero}};
    for (int k = s->n - 1; k > 1; k--) {
        const lanes_node *node = &s->node[k];
        const int parent = s->node[k].parent;
        if (node->leaf)
            t = at[k].body;
        else // t is of all bodies on it: the last to arrive is the next one
            add_few(&t, &at[k].body);
        row_of_few(s, k, at, &t, M + k * s->n * VECTORS);
        rest[(k - 1) * VECTORS] -= tree_dot(at[k].pose.z, t.F.n);
        t = shift_few(t, at[k].r);
        if (parent == 1) {
            J += t.I.J.zz;
            n += t.F.n.z;
        } else if (s->node[parent].several) {
            if (!node->first)
                add_few(&t, &sum[parent]);
            sum[parent] = t;
        }
    }
    M[(s->n + 1) * VECTORS] = J;
    rest[0] -= n;
}

// The whole ---------------------------------------------------------------------------------------

// M x = x for all vectors of a block: their divisions do not wait for each other. M = L^T D L from
// the leaves to the ground, where no zero of M fills. Not inline: registers are for the code
// before.
__attribute__((noinline)) static void solve_few(const tn_lanes *s, lane *M, lane *x)
{
    for (int k = s->n - 1; k > 0; k--) {
        lane *row = M + k * s->n * VECTORS, own[VECTORS], Di[VECTORS];
        for (int j = 0; j < VECTORS; j++) {
            own[j] = x[(k - 1) * VECTORS + j];
            Di[j] = 1.0 / row[k * VECTORS + j];
        }
        for (int i = s->node[k].parent; i > 0; i = s->node[i].parent) {
            lane L[VECTORS];
            for (int j = 0; j < VECTORS; j++) {
                L[j] = row[i * VECTORS + j] * Di[j];
                x[(i - 1) * VECTORS + j] -= L[j] * own[j];
            }
            for (int m = i; m > 0; m = s->node[m].parent)
                for (int j = 0; j < VECTORS; j++)
                    M[(i * s->n + m) * VECTORS + j] -= L[j] * row[m * VECTORS + j];
            for (int j = 0; j < VECTORS; j++)
                row[i * VECTORS + j] = L[j];
        }
        for (int j = 0; j < VECTORS; j++)
            x[(k - 1) * VECTORS + j] = own[j] * Di[j];
    }
    for (int k = 2; k < s->n; k++) {
        const lane *row = M + k * s->n * VECTORS;
        lane own[VECTORS];
        for (int j = 0; j < VECTORS; j++)
            own[j] = x[(k - 1) * VECTORS + j];
        for (int i = s->node[k].parent; i > 0; i = s->node[i].parent)
            for (int j = 0; j < VECTORS; j++)
                own[j] -= row[i * VECTORS + j] * x[(i - 1) * VECTORS + j];
        for (int j = 0; j < VECTORS; j++)
            x[(k - 1) * VECTORS + j] = own[j];
    }
}

void LANE_FEW(const tn_lanes *s, const double *numbers, const double *q_at, const double *v_at,
              double *vdot, double *memory)
{
    const int size = s->nv * VECTORS;
    const lane *up = (const lane *)numbers, *of = up + 3 * VECTORS;
    const lane *q = (const lane *)q_at, *v = (const lane *)v_at;
    few_place *at = (few_place *)memory;
    few_sum *sum = (few_sum *)(at + s->n);
    lane *sine = (lane *)(sum + s->n), *cosine = sine + size, *M = cosine + size;
    lane *a = (lane *)vdot;
    pull_springs(s, of + (s->n - 1) * LANES_PLACE * VECTORS, q, v, a);
    tn_sincos(s->nv * TN_LANES, q_at, (double *)sine, (double *)cosine);
    for (int j = 0; j < VECTORS; j++) {
        const tree_vec l = seen_from_first(of + j, get3(up + j), sine[j], cosine[j]);
        for (int k = 2; k < s->n; k++) {
            const lane *c = of + (k - 1) * LANES_PLACE * VECTORS + j;
            const int i = (k - 1) * VECTORS + j, parent = s->node[k].parent;
            if (parent == 1)
                place_on_first(c, l, v[j], sine[i], cosine[i], v[i], &at[k]);
            else
                place_few(c, at[parent].pose, sine[i], cosine[i], v[i], &at[k]);
        }
        condense_few(s, of + j, l, at, sum, M + j, a + j);
    }
    solve_few(s, M, a);
}
