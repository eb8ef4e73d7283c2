// SPDX-License-Identifier: MIT
//
// Analytic derivatives of the residual formalism (tree.h), derived in
// docs/theory/tree_derivatives.md.
//
// Spatial velocities and accelerations are those at the fixed point where P is now. A freedom j
// moves bodies k as rigid with itself, but for those that it does not carry:
//
//   dV_k/dq_j = [S_j, V_k] + Y_j,                  Y_j = [L_j, S_j]
//   dA_k/dq_j = [S_j, A_k] + [Y_j, V_k] + Z_j,     Z_j = [N_j, S_j] + [L_j, Y_j]
//   dV_k/dv_j = S_j,                               dA_k/dv_j = [S_j, V_k] + W_j,  W_j = Y_j + S_j'
//
// The force of inertia of a body, F = I A + V x* I V, then varies by
//
//   dF/dq_j = S_j x* F + I Z_j + C(Y_j),   dF/dv_j = I W_j + C(S_j)
//
// where C(b) = 2 int (b x r'; r x (b x r')) dm, the force of Coriolis, depends on the turning only.
// A load at the centre of mass, c from P, turns along in S_j x* F but should not: the term to add,
// (w_j x f; w_j x n + c x (w_j x f)), is of the same form. All of these are sums over the bodies of
// a subtree.
//
// With the sums I, C, T (loads), F of the subtree of node k, its freedom i, and freedoms j on the
// path to the ground, S_i turns along with j but S_j does not with i:
//
//   K_ji = S_j^T (S_i x* F + I Z_i + C(Y_i) + T(S_i)),   K_ij = S_i^T (I Z_j + C(Y_j) + T(S_j))
//   D_ji = S_j^T (I W_i + C(S_i)),                       D_ij = S_i^T (I W_j + C(S_j))
//
// so each freedom starts two columns and two rows, which walk to the ground.

#include "base/status.h"
#include "tree/tree_parts.h"

#include <string.h>

// Slopes ------------------------------------------------------------------------------------------

typedef struct motion {
    tn_twist V, A;
} motion;

// Spatial motion of the predecessor at the reference point of node k.
static inline motion motion_below(const tree *t, int k, tn_vec3 u0)
{
    TN_ASSERT(k > 0 && k < t->base.n);
    const int p = t->node[k].parent;
    const tn_vec3 u = tn_v3_sub(t->spot[p].u, u0), w = t->turn[p].w, r = t->link[k].r;
    const tn_vec3 l = tn_v3_sub(t->accel[p].l, tn_v3_cross(w, u)), al = t->accel[p].al;
    return (motion){{tree_add_cross(u, w, r), w}, {tree_add_cross(l, al, r), al}};
}

static inline tree_slope slope_of(tn_twist S, tn_twist Sdot, motion below)
{
    const tn_twist Y = tree_bracket(below.V, S);
    return (tree_slope){S, Y, tree_twist_sum(tree_bracket(below.A, S), tree_bracket(below.V, Y)),
                        tree_twist_sum(Y, Sdot)};
}

// Rates of the columns of a joint at a fixed point: each moves along with its carrier.
static void column_rates(const tree *t, int k, tn_twist V, tn_twist *Sdot)
{
    TN_ASSERT(t->wide[k] || t->base.body[k].nv == 0);
    const tree_column *c = t->wide[k];
    const int nv = t->base.body[k].nv;
    for (int i = 0; i < nv; i++) {
        tn_twist carrier = V;
        for (int j = 0; j < nv; j++)
            if (tree_carries(t, k, j, i))
                carrier = tree_twist_axpy(c[j].v, c[j].S, carrier);
        Sdot[i] = tree_bracket(carrier, c[i].S);
    }
}

void tn_tree_slopes(const tree *t, int k, tn_vec3 u0, tree_slope *out)
{
    const int nv = t->base.body[k].nv;
    const motion below = motion_below(t, k, u0);
    if (nv > 0 && !t->wide[k]) {
        const tn_twist S = tree_column_at(t, k, 0);
        *out = slope_of(S, tree_bracket(below.V, S), below);
        return;
    }
    const tree_column *c = t->wide[k];
    tn_twist Sdot[6];
    column_rates(t, k, below.V, Sdot);
    for (int j = 0; j < nv; j++) {
        motion rest = below; // of bodies that j does not carry
        for (int i = 0; i < nv; i++)
            if (!tree_carries(t, k, j, i)) {
                rest.V = tree_twist_axpy(c[i].v, c[i].S, rest.V);
                rest.A =
                    tree_twist_axpy(c[i].vdot, c[i].S, tree_twist_axpy(c[i].v, Sdot[i], rest.A));
            }
        out[j] = slope_of(c[j].S, Sdot[j], rest);
    }
}

// Motions of a body -------------------------------------------------------------------------------

// In the inertial frame in which the point rests now: d(velocity of the point)/dq_j = Y_j there.
int tn_tree_variation(const tn_tree *self, int place, tn_vec3 arm, int *index, tn_twist *J,
                      tn_twist *P)
{
    TN_ASSERT(place > 0 && place < self->n);
    const tree *t = (const tree *)self;
    const tn_vec3 w = t->turn[place].w, u = tree_add_cross(t->spot[place].u, w, arm);
    int count = 0;
    for (int k = place; k > 0; k = self->body[k].parent) {
        tree_slope slope[6];
        if (P)
            tn_tree_slopes(t, k, u, slope);
        for (int i = 0; i < self->body[k].nv; i++, count++) {
            const tn_twist S = tree_column_at(t, k, i);
            index[count] = self->body[k].v0 + i;
            if (J)
                J[count] = (tn_twist){tree_add_cross(S.v, S.w, arm), S.w};
            if (!P)
                continue;
            const tn_twist Y = slope[i].Y;
            P[count] = (tn_twist){tree_add_cross(Y.v, Y.w, arm), tree_add_cross(Y.w, S.w, w)};
        }
        arm = tn_v3_add(arm, t->link[k].r);
    }
    return count;
}

// Sums over subtrees ------------------------------------------------------------------------------

// A force that turning causes: for the rate b it is b x f, with the moment N b about P.
typedef struct spin {
    tn_vec3 f;
    tree_mat N;
} spin;

typedef struct subtree {
    tree_rigid I;
    spin C; // of Coriolis
    spin T; // of loads
} subtree;

static inline tree_force spin_apply(const spin *s, tn_vec3 b)
{
    return (tree_force){tn_v3_cross(b, s->f), tree_mat_apply(&s->N, b)};
}

// The vector x with x . b = S^T spin(b).
static inline tn_vec3 spin_apply_t(const spin *s, tn_twist S)
{
    return tree_mat_add_t(tn_v3_cross(s->f, S.v), &s->N, S.w);
}

// N += (r . f) 1 - f r^T, as r x (b x f) = (r . f) b - f (r . b)
static inline void spin_arm(spin *s, tn_vec3 r, tn_vec3 f)
{
    const double along = tn_v3_dot(r, f);
    tree_mat_less(&s->N, f, r);
    s->N.xx += along;
    s->N.yy += along;
    s->N.zz += along;
}

static inline void spin_sum(spin *a, const spin *b)
{
    a->f = tn_v3_add(a->f, b->f);
    tree_mat_sum(&a->N, &b->N);
}

static inline void subtree_sum(subtree *a, const subtree *b)
{
    a->I.m += b->I.m;
    a->I.mc = tn_v3_add(a->I.mc, b->I.mc);
    tree_sym_sum(&a->I.J, &b->I.J);
    spin_sum(&a->C, &b->C);
    spin_sum(&a->T, &b->T);
}

// About the point that is r further back: J + (2 r . mc + m r^2) 1 - r mc^T - mc r^T - m r r^T.
static inline void subtree_shift(subtree *s, tn_vec3 r)
{
    tree_sym *J = &s->I.J;
    const tn_vec3 mc = s->I.mc, far = tn_v3_axpy(s->I.m, r, mc);
    const double more = tn_v3_dot(r, mc) + tn_v3_dot(r, far);
    J->xx += more - r.x * mc.x - far.x * r.x;
    J->yy += more - r.y * mc.y - far.y * r.y;
    J->zz += more - r.z * mc.z - far.z * r.z;
    J->xy -= r.x * mc.y + far.x * r.y;
    J->xz -= r.x * mc.z + far.x * r.z;
    J->yz -= r.y * mc.z + far.y * r.z;
    s->I.mc = far;
    spin_arm(&s->C, r, s->C.f);
    spin_arm(&s->T, r, s->T.f);
}

// With r' = u + w x r and E = int r r^T dm = tr(J)/2 1 - J: f = 2 m (u + w x c), and r x (b x r')
// gives N = 2 ((u . mc) 1 - u mc^T - [w] E).
static inline spin coriolis_of(const tree_rigid *b, tn_vec3 u, tn_vec3 w)
{
    const tn_vec3 u2 = tn_v3_scale(2.0, u), w2 = tn_v3_scale(2.0, w);
    const double half = 0.5 * (b->J.xx + b->J.yy + b->J.zz);
    const tn_vec3 x = tn_v3_cross(w2, tn_v3(half - b->J.xx, -b->J.xy, -b->J.xz));
    const tn_vec3 y = tn_v3_cross(w2, tn_v3(-b->J.xy, half - b->J.yy, -b->J.yz));
    const tn_vec3 z = tn_v3_cross(w2, tn_v3(-b->J.xz, -b->J.yz, half - b->J.zz));
    spin s = {tree_add_cross(tn_v3_scale(b->m, u2), w2, b->mc),
              {-x.x, -y.x, -z.x, -x.y, -y.y, -z.y, -x.z, -y.z, -z.z}};
    spin_arm(&s, b->mc, u2);
    return s;
}

// b x n + c x (b x f), n the moment about the centre of mass
static inline spin load_spin(const tree *t, int k)
{
    const tn_vec3 f = t->load[k].f, c = tn_tree_com(&t->base, k);
    const tn_vec3 n = tree_add_cross(t->load[k].n, f, c);
    spin s = {f, {0, n.z, -n.y, -n.z, 0, n.x, n.y, -n.x, 0}};
    spin_arm(&s, c, f);
    return s;
}

static inline subtree subtree_at(const tree *t, int k)
{
    subtree s = {.I = tree_rigid_at(t, k)};
    s.C = coriolis_of(&s.I, t->spot[k].u, t->turn[k].w);
    if (t->loaded)
        s.T = load_spin(t, k);
    return s;
}

// Rows and columns --------------------------------------------------------------------------------

// The walk of freedom i, about the reference point of the node that the walk has reached.
typedef struct walk {
    tree_force k, d; // columns i of K and D
    tree_force a;    // I S_i: rows i are a . Z + b . Y_w + c . S_w and a . W + b . S_w
    tn_vec3 b, c;
} walk;

static inline walk start_walk(const subtree *s, const tree_slope *at)
{
    const tn_twist S = at->S, Y = at->Y, Z = at->Z, W = at->W;
    walk x = {.a = tree_rigid_force(&s->I, S.v, S.w),
              .b = spin_apply_t(&s->C, S),
              .c = spin_apply_t(&s->T, S)};
    x.k = tree_force_sum(tree_rigid_force(&s->I, Z.v, Z.w), spin_apply(&s->C, Y.w));
    x.k = tree_force_sum(x.k, spin_apply(&s->T, S.w));
    x.d = tree_force_sum(tree_rigid_force(&s->I, W.v, W.w), spin_apply(&s->C, S.w));
    return x;
}

// S x* F: a force that moves along.
static inline tree_force move_along(tn_twist S, tree_force F)
{
    return (tree_force){tn_v3_cross(S.w, F.f), tree_add_cross(tn_v3_cross(S.w, F.n), S.v, F.f)};
}

// Entries with freedoms of the same joint; then the column has the force F of the subtree.
static void walk_joint(const tree *t, int k, int i, walk *x, double *K, double *D)
{
    TN_ASSERT(i >= 0 && i < t->base.body[k].nv);
    const tn_tree_body *body = &t->base.body[k];
    const tree_slope *own = t->slope + body->v0;
    const tree_force along = move_along(own[i].S, t->force[k]), whole = tree_force_sum(x->k, along);
    for (int j = 0; j < body->nv; j++) {
        const ptrdiff_t at = t->base.column[body->v0 + i] + body->v0 + j;
        K[at] = tree_power(tree_carries(t, k, i, j) ? x->k : whole, own[j].S);
        D[at] = tree_power(x->d, own[j].S);
    }
    x->k = whole;
}

// Entries with freedoms further down, both ways.
static void walk_down(const tree *t, int k, int i, walk x, double *K, double *D)
{
    const int own = t->base.body[k].v0 + i;
    for (int p; (p = t->node[k].parent) > 0; k = p) {
        const tn_tree_body *body = &t->base.body[p];
        const tn_vec3 r = t->link[k].r;
        x.k = tree_force_shift(x.k, r);
        x.d = tree_force_shift(x.d, r);
        x.a = tree_force_shift(x.a, r);
        for (int j = body->v0; j < body->v0 + body->nv; j++) {
            const tree_slope *s = &t->slope[j];
            const ptrdiff_t column = t->base.column[own] + j, row = t->base.column[j] + own;
            K[column] = tree_power(x.k, s->S);
            D[column] = tree_power(x.d, s->S);
            K[row] = tree_power(x.a, s->Z) + tn_v3_dot(x.b, s->Y.w) + tn_v3_dot(x.c, s->S.w);
            D[row] = tree_power(x.a, s->W) + tn_v3_dot(x.b, s->S.w);
        }
    }
}

static void differentiate(const tree *t, int k, int i, const subtree *sum, double *K, double *D)
{
    walk x = start_walk(sum, &t->slope[t->base.body[k].v0 + i]);
    walk_joint(t, k, i, &x, K, D);
    walk_down(t, k, i, x, K, D);
}

// To a predecessor that is not the previous node, as tree_deliver.
static void deliver_tree_derivatives(const tree_node *node, subtree *slot, subtree *sum)
{
    if (node->up >= 0) {
        if (!node->first)
            subtree_sum(sum, &slot[node->up]);
        slot[node->up] = *sum;
    }
    *sum = (subtree){.I = {.m = 0.0}};
}

void tn_tree_derivatives(tn_tree *self, double *K, double *D)
{
    tree *t = (tree *)self;
    const size_t size = sizeof(double) * self->nentry;
    subtree slot[40], sum = {.I = {.m = 0.0}}; // see tree_deliver
    TN_ASSERT(t->slope || self->nv == 0);
    memset(K, 0, size);
    memset(D, 0, size);
    for (int k = 1; k < self->n; k++)
        tn_tree_slopes(t, k, tn_v3(0, 0, 0), t->slope + self->body[k].v0);
    for (int k = self->n - 1; k > 0; k--) {
        const tree_node *node = &t->node[k];
        const subtree own = subtree_at(t, k);
        subtree_sum(&sum, &own);
        if (node->slot >= 0)
            subtree_sum(&sum, &slot[node->slot]);
        for (int i = 0; i < self->body[k].nv; i++)
            differentiate(t, k, i, &sum, K, D);
        subtree_shift(&sum, t->link[k].r);
        if (node->parent != k - 1)
            deliver_tree_derivatives(node, slot, &sum);
    }
}
