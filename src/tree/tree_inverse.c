// SPDX-License-Identifier: MIT
//
// The residual formalism [Arn16, eq. 61], or inverse dynamics: accelerations of all bodies going
// forwards, forces going backwards, and its results: reactions, products with the mass matrix. The
// mass matrix itself by composite bodies: with the inertia Ic of the subtree of node k as one
// tree_rigid body, column S of its joint asks for the force Ic S, and each joint j below has the
// entry S_j^T Ic S.

#include "tree/tree_parts.h"

#include "linalg/dense.h"

#include <string.h>

// Forwards ----------------------------------------------------------------------------------------

static inline tree_accel step(const tree *t, int k, tree_accel a, bool velocities, const double *x)
{
    TN_ASSERT(t->node[k].parent < k);
    const tn_tree_body *body = &t->base.body[k];
    tree_accel next = tree_carried(&t->link[k], a, velocities);
    for (int i = 0; x && i < body->nv; i++)
        next = tree_moved(next, x[body->v0 + i], tree_column_at(t, k, i));
    return next;
}

static void tree_inverse_spread(tree *t, tn_vec3 ground, bool velocities, const double *x)
{
    t->accel[0] = (tree_accel){ground, {0, 0, 0}};
    for (int k = 1; k < t->base.n; k++)
        t->accel[k] = step(t, k, t->accel[t->node[k].parent], velocities, x);
}

// Backwards ---------------------------------------------------------------------------------------

static inline void project_tree_inverse(const tree *t, int k, tree_force F, double *r) // S^T F
{
    for (int i = 0; i < t->base.body[k].nv; i++)
        r[i] = tree_power(F, tree_column_at(t, k, i));
}

// The forces of all bodies are in `force`; they become those through the joints, and r their
// components along the freedoms.
static void collect_tree_inverse(tree *t, double *r)
{
    for (int k = t->base.n - 1; k > 0; k--) {
        tree_force *below = &t->force[t->node[k].parent];
        project_tree_inverse(t, k, t->force[k], r + t->base.body[k].v0);
        *below = tree_force_sum(*below, tree_force_shift(t->force[k], t->link[k].r));
    }
}

// Gravity is an acceleration of the ground upwards.
void tn_tree_spread(tn_tree *self, const double *vdot)
{
    tree *t = (tree *)self;
    tree_inverse_spread(t, tn_v3_neg(self->model->gravity), true, vdot);
    for (int k = 1; k < self->n && t->nwide > 0; k++)
        for (int i = 0; t->wide[k] && i < self->body[k].nv; i++)
            t->wide[k][i].vdot = vdot ? vdot[self->body[k].v0 + i] : 0.0;
}

void tn_tree_residual(tn_tree *self, const double *tau, const double *vdot, double *r)
{
    TN_ASSERT(r != vdot && r != tau);
    tree *t = (tree *)self;
    tn_tree_spread(self, vdot);
    memset(&t->force[0], 0, sizeof t->force[0]);
    for (int k = 1; k < self->n; k++) {
        const tree_rigid b = tree_rigid_at(t, k);
        const tn_vec3 w = t->turn[k].w;
        tree_force F = tree_rigid_force(&b, t->accel[k].l, t->accel[k].al);
        F.f = tn_v3_add(F.f, tree_centripetal(w, b.mc));
        F.n = tree_add_cross(F.n, w, tree_sym_apply(&b.J, w));
        if (t->loaded)
            F = (tree_force){tn_v3_sub(F.f, t->load[k].f), tn_v3_sub(F.n, t->load[k].n)};
        t->force[k] = F;
    }
    collect_tree_inverse(t, r);
    if (tau)
        tn_axpy(self->nv, -1.0, tau, r);
}

void tn_tree_times_mass(tn_tree *self, const double *x, double *y)
{
    tree *t = (tree *)self;
    tree_inverse_spread(t, tn_v3(0, 0, 0), false, x);
    for (int k = 0; k < self->n; k++) {
        const tree_rigid b = tree_rigid_at(t, k);
        t->force[k] = tree_rigid_force(&b, t->accel[k].l, t->accel[k].al);
    }
    collect_tree_inverse(t, y);
}

// Reading -----------------------------------------------------------------------------------------

tn_twist tn_tree_acceleration(const tn_tree *self, int k)
{
    TN_ASSERT(k >= 0 && k < self->n);
    const tree *t = (const tree *)self;
    return (tn_twist){tn_v3_add(t->accel[k].l, self->model->gravity), t->accel[k].al};
}

// The plane takes loads that would lift or tilt a body that moves in it.
static bool tree_inverse_in_plane(const tn_tree *self, int k)
{
    return tn_body_is_planar(self->model, (tn_body){self->body[k].body});
}

tn_wrench tn_tree_reaction(const tn_tree *self, int k)
{
    TN_ASSERT(k > 0 && k < self->n);
    const tree *t = (const tree *)self;
    tn_wrench w = {t->force[k].f, t->force[k].n};
    if (tree_inverse_in_plane(self, k))
        w.f.z = w.m.x = w.m.y = 0.0;
    return w;
}

bool tn_tree_joint_reaction(const tn_tree *self, int joint, tn_wrench *out)
{
    TN_ASSERT(joint >= 0 && joint < self->model->joints.count);
    const tn_joint_def *def = self->model->joints.at[joint].def;
    if (!self->model->joints.at[joint].ops->relative)
        return false; // between joints, not bodies
    const int b = self->place[def->body_b.index], a = self->place[def->body_a.index];
    const int k = self->body[b].joint == joint ? b : a;
    if (k == 0 || self->body[k].joint != joint)
        return false;
    *out = tn_tree_reaction(self, k);
    if (k ==
        a) { // on A, at the origin of frame A: the opposite on B, moved to the origin of frame B
        const tree *t = (const tree *)self;
        // r leads from the predecessor's reference point to that of A; frame B is on the former
        const tn_frame below = tn_tree_frame(self, b);
        const tn_vec3 origin = tn_m3_apply(below.R, tn_tree_local(self, b, def->frame_b).p);
        const tn_vec3 arm = tn_v3_sub(t->link[k].r, origin); // from frame B to frame A
        out->f = tn_v3_neg(out->f);
        out->m = tree_add_cross(tn_v3_neg(out->m), arm, out->f);
        if (tree_inverse_in_plane(self, k))
            out->m.x = out->m.y = 0.0;
    }
    return true;
}

// The mass matrix ---------------------------------------------------------------------------------

// Column c of M, from the joint that it belongs to down to the ground.
static void mass_column(const tree *t, int place, int c, tree_force F, double *M)
{
    const ptrdiff_t *column = t->base.column;
    for (int k = place; k > 0; k = t->node[k].parent) {
        const tn_tree_body *body = &t->base.body[k];
        for (int i = body->v0; i < body->v0 + body->nv; i++) {
            const double entry = tree_power(F, tree_column_at(t, k, i - body->v0));
            M[column[c] + i] = entry;
            M[column[i] + c] = entry;
        }
        F = tree_force_shift(F, t->link[k].r);
    }
}

void tn_tree_mass(tn_tree *self, double *M)
{
    tree *t = (tree *)self;
    tree_carry c = tree_nothing();
    memset(M, 0, sizeof(double) * self->nentry);
    for (int k = self->n - 1; k > 0; k--) {
        const tree_force none = {{0, 0, 0}, {0, 0, 0}};
        const tree_rigid b = tree_rigid_at(t, k);
        tree_gather(t, k, &c);
        tree_rigid_add(&c.I, &b);
        for (int i = 0; i < self->body[k].nv; i++) {
            const tn_twist S = tree_column_at(t, k, i);
            mass_column(t, k, self->body[k].v0 + i, tree_inertia_add(none, &c.I, S.v, S.w), M);
        }
        tree_inertia_shift(&c.I, t->link[k].r);
        tree_deliver(t, k, &c);
    }
}
