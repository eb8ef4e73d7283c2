// SPDX-License-Identifier: MIT
//
// Analytic derivatives of the residual formalism (tree_tangent.h), derived in
// docs/theory/tree_derivatives.md.
//
// Spatial velocities and accelerations are those at the fixed point where P is now. A freedom j
// moves bodies k as rigid with itself, but for what it does not carry:
//
//   dV_k/dq_j = [S_j, V_k] + Y_j,                  Y_j = [L_j, S_j]
//   dA_k/dq_j = [S_j, A_k] + [Y_j, V_k] + Z_j,     Z_j = [N_j, S_j] + [L_j, Y_j]
//   dV_k/dv_j = S_j,                               dA_k/dv_j = [S_j, V_k] + Y_j + S_j'

#include "system/tree_data.h"
#include "system/tree_tangent.h"

static inline tn_twist twist_sum(tn_twist a, tn_twist b)
{
    return (tn_twist){tn_v3_add(a.v, b.v), tn_v3_add(a.w, b.w)};
}

static inline tn_twist twist_axpy(double s, tn_twist a, tn_twist b)
{
    return (tn_twist){tn_v3_axpy(s, a.v, b.v), tn_v3_axpy(s, a.w, b.w)};
}

// Slopes ------------------------------------------------------------------------------------------

typedef struct motion {
    tn_twist V, A;
} motion;

// Spatial motion of the predecessor at the reference point of place k.
static inline motion motion_below(const tree *t, int k, tn_vec3 u0)
{
    const int p = t->node[k].parent;
    const tn_vec3 u = tn_v3_sub(t->spot[p].u, u0), w = t->turn[p].w, r = t->link[k].r;
    const tn_vec3 l = tn_v3_sub(t->accel[p].l, tn_v3_cross(w, u)), al = t->accel[p].al;
    return (motion){{tree_add_cross(u, w, r), w}, {tree_add_cross(l, al, r), al}};
}

static inline tree_slope slope_of(tn_twist S, tn_twist Sdot, motion below)
{
    const tn_twist Y = tree_bracket(below.V, S);
    return (tree_slope){S, Y, twist_sum(tree_bracket(below.A, S), tree_bracket(below.V, Y)),
                        twist_sum(Y, Sdot)};
}

// Rates of the columns of a joint at a fixed point: each moves along with what carries it.
static void column_rates(const tree *t, int k, tn_twist V, tn_twist *Sdot)
{
    const tree_column *c = t->wide[k];
    const int nv = t->base.body[k].nv;
    for (int i = 0; i < nv; i++) {
        tn_twist carrier = V;
        for (int j = 0; j < nv; j++)
            if (tree_carries(t, k, j, i))
                carrier = twist_axpy(c[j].v, c[j].S, carrier);
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
        motion rest = below; // of what j does not carry
        for (int i = 0; i < nv; i++)
            if (!tree_carries(t, k, j, i)) {
                rest.V = twist_axpy(c[i].v, c[i].S, rest.V);
                rest.A = twist_axpy(c[i].vdot, c[i].S, twist_axpy(c[i].v, Sdot[i], rest.A));
            }
        out[j] = slope_of(c[j].S, Sdot[j], rest);
    }
}

// Motions of a body -------------------------------------------------------------------------------

// In the inertial frame in which the point rests now: d(velocity of the point)/dq_j = Y_j there.
int tn_tree_variation(const tn_tree *self, int place, tn_vec3 arm, int *index, tn_twist *J,
                      tn_twist *P)
{
    const tree *t = (const tree *)self;
    const tn_vec3 w = t->turn[place].w, u = tree_add_cross(t->spot[place].u, w, arm);
    int count = 0;
    if (!P)
        return tn_tree_jacobian(self, place, arm, index, J, NULL);
    for (int k = place; k > 0; k = self->body[k].parent) {
        tree_slope slope[6];
        tn_tree_slopes(t, k, u, slope);
        for (int i = 0; i < self->body[k].nv; i++, count++) {
            const tn_twist S = slope[i].S, Y = slope[i].Y;
            index[count] = self->body[k].v0 + i;
            if (J)
                J[count] = (tn_twist){tree_add_cross(S.v, S.w, arm), S.w};
            P[count] = (tn_twist){tree_add_cross(Y.v, Y.w, arm), tree_add_cross(Y.w, S.w, w)};
        }
        arm = tn_v3_add(arm, t->link[k].r);
    }
    return count;
}
