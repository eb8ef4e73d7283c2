// SPDX-License-Identifier: MIT
//
// Start values of joint coordinates, and the read-out of bodies, joints and reactions, which has
// the form of that in absolute coordinates.

#include "coords/joint_coords_parts.h"

#include "base/alloc.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "tenon/sim.h"

#include <math.h>

// The turns of a joint by its memories of angles.
static void take_turns(const joint_coords *s, const tn_point *world, const tn_tree_body *body,
                       double *q)
{
    for (int i = 0; world->r && i < joint_coords_scalar_coordinates(s, body); i++) {
        const int memory = s->base.world->joint[body->joint].memory[i];
        if (memory >= 0)
            q[i] += 2.0 * M_PI * round((world->r[memory] - q[i]) / (2.0 * M_PI));
    }
}

static void convert(joint_coords *s, const tn_point *world, tn_frame *frames, tn_twist *twists,
                    double *q, double *v)
{
    const tn_tree *tree = s->tree;
    for (int k = 0; k < s->base.world->nbody; k++) {
        tn_body_state x;
        tn_absolute_body(&s->base.world->base, world, k, &x);
        frames[k] = x.frame;
        twists[k] = (tn_twist){x.velocity, tn_m3_apply(x.frame.R, x.rate)};
        s->rotation[k] = x.rotation;
    }
    tn_tree_coordinates(tree, frames, q);
    for (int k = 1; k < tree->n; k++)
        take_turns(s, world, &tree->body[k], q + tree->body[k].q0);
    tn_tree_move(s->tree, q, NULL);
    tn_tree_velocities(tree, twists, 1.0, v);
}

static tn_status from_world(tn_system *self, const tn_point *world, double *q, double *v)
{
    joint_coords *s = (joint_coords *)self;
    const size_t n = (size_t)s->base.world->nbody;
    tn_frame *frames = tn_alloc(sizeof *frames * n);
    tn_twist *twists = tn_alloc(sizeof *twists * n);
    const bool ok = frames && twists;
    if (ok)
        convert(s, world, frames, twists, q, v);
    TN_FREE(frames, twists);
    return ok ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory");
}

static void to_world(tn_system *self, const tn_point *at, double *q, double *v, double *a)
{
    joint_coords *s = (joint_coords *)self;
    tn_joint_coords_place(s, at, PLACED_ALL);
    if (a)
        tn_tree_spread(s->tree, at->a);
    s->known = JOINT_COORDS_MOTION;
    for (int k = 1; k < s->base.world->nbody; k++) {
        tn_absolute_put(s->base.world, k, q, v);
        if (a)
            tn_absolute_put_acceleration(s->base.world, k,
                                         tn_joint_coords_acceleration(s, s->tree->place[k]), a);
    }
}

static int world_row(const tn_system *self, int i)
{
    TN_ASSERT(i >= 0 && i < self->ng + self->nn);
    return ((const joint_coords *)self)->world_row[i];
}

const tn_world_ops tn_joint_coords_world = {
    .from = from_world,
    .to = to_world,
    .row = world_row,
};

// Read-out ----------------------------------------------------------------------------------------

// Accelerations, and reactions where they are asked for, at the point.
static void know(joint_coords *s, const tn_point *at, joint_coords_known what)
{
    const bool looked = s->base.looked && s->base.world->placed_by == s;
    if (looked && s->known >= what)
        return;
    if (!looked) {
        tn_joint_coords_place(s, at, PLACED_USED);
        s->known = JOINT_COORDS_MOTION;
    }
    if (what == JOINT_COORDS_ACCELERATIONS) {
        tn_tree_spread(s->tree, at->a);
    } else if (what == JOINT_COORDS_REACTIONS) {
        const abs_point here = tn_joint_coords_here(s, at);
        tn_tree_clear_loads(s->tree);
        tn_joint_coords_add_forces(s, &here, false);
        tn_joint_coords_add_reactions(s, at);
        tn_tree_residual(s->tree, NULL, at->a, s->work);
    }
    s->known = what;
}

static void body(const tn_system *self, const tn_point *at, int body, tn_body_state *out)
{
    joint_coords *s = (joint_coords *)self;
    tn_twist A = {0};
    know(s, at, at->a ? JOINT_COORDS_ACCELERATIONS : JOINT_COORDS_MOTION);
    if (body > 0)
        tn_joint_coords_place_body(s, body);
    if (body > 0 && at->a)
        A = tn_joint_coords_acceleration(s, s->tree->place[body]);
    if (joint_coords_is_point(s, body))
        A.w = tn_v3(0.0, 0.0, 0.0);
    tn_placed_body(s->base.world, body, at->a ? &A : NULL, &s->rotation[body], out);
}

// Gradients of the rows of a joint by the motion of body B at the origin of frame B.
static void gradients(const absolute *w, const abs_joint *j, double (*G)[6])
{
    TN_ASSERT(j->own_pair >= 0 && j->nrow <= TN_JOINT_MAX_ROWS);
    const tn_vec3 arm = w->pair[j->own_pair].at.b.r;
    for (int i = 0; i < j->nrow; i++)
        for (int m = 0; m < j->row[i].nterm; m++) {
            const abs_term *term = &j->row[i].term[m];
            double all[12];
            tn_row_gradient(&term->row, &w->pair[term->pair].at, all);
            const tn_vec3 f = tn_v3_from(all + 6);
            const tn_vec3 n = tn_v3_sub(tn_v3_from(all + 9), tn_v3_cross(arm, f));
            tn_v3_to(tn_v3_axpy(term->coefficient, f, tn_v3_from(G[i])), G[i]);
            tn_v3_to(tn_v3_axpy(term->coefficient, n, tn_v3_from(G[i] + 3)), G[i] + 3);
        }
}

// For a joint in the tree: the multipliers whose rows put the wrench on body B, w = -G^T lambda,
// and the wrench that they put. Wrenches are the sum of inertia and forces. Between the ends of a
// step accelerations are interpolated and do not fit the forces of the row: the rest then along the
// free motions is no load of the joint.
static void carry(joint_coords *s, const tn_point *at, int joint, tn_wrench *wrench, double *lambda)
{
    const abs_joint *j = &s->base.world->joint[joint];
    double G[TN_JOINT_MAX_ROWS][6] = {{0}}, gram[36], w[6];
    tn_v3_to(wrench->f, w);
    tn_v3_to(wrench->m, w + 3);
    tn_place_at(&s->base, at, PLACED_SEEN);
    gradients(s->base.world, j, G);
    for (int i = 0; i < j->nrow; i++) {
        lambda[i] = -tn_dot(6, G[i], w);
        for (int k = 0; k < j->nrow; k++)
            gram[i + j->nrow * k] = tn_dot(6, G[i], G[k]);
    }
    if (tn_cholesky(j->nrow, gram, 0.0) != TN_OK)
        return; // rows of a joint are independent
    tn_lower_solve(j->nrow, gram, lambda);
    tn_lower_solve_t(j->nrow, gram, lambda);
    if (j->nrow == 6)
        return; // all of it
    tn_zero(6, w);
    for (int i = 0; i < j->nrow; i++)
        tn_axpy(6, -lambda[i], G[i], w);
    *wrench = (tn_wrench){tn_v3_from(w), tn_v3_from(w + 3)};
}

static tn_wrench joint_coords_read_reaction(const tn_system *self, const tn_point *at, int joint)
{
    joint_coords *s = (joint_coords *)self;
    const abs_joint *j = &s->base.world->joint[joint];
    double lambda[TN_JOINT_MAX_ROWS];
    tn_point full = *at;
    tn_wrench w;
    full.eta = tn_slides_eta(&s->base, at);
    at = &full;
    know(s, at, JOINT_COORDS_REACTIONS);
    if (tn_tree_joint_reaction(s->tree, joint, &w)) {
        if (j->nrow > 0 && j->nrow <= 6 && j->own_pair >= 0)
            carry(s, at, joint, &w, lambda);
        return w;
    }
    const abs_point here = tn_joint_coords_here(s, at);
    tn_place_at(&s->base, at, PLACED_SEEN);
    return tn_placed_reaction(s->base.world, &here, joint);
}

static void tree_multipliers(joint_coords *s, const tn_point *at, int joint, double *lambda)
{
    tn_wrench w;
    know(s, at, JOINT_COORDS_REACTIONS);
    if (tn_tree_joint_reaction(s->tree, joint, &w))
        carry(s, at, joint, &w, lambda);
}

static int joint_coords_read_multipliers(const tn_system *self, const tn_point *at, int joint,
                                         double *lambda)
{
    joint_coords *s = (joint_coords *)self;
    const abs_joint *j = &s->base.world->joint[joint];
    tn_point full = *at;
    int count = 0;
    full.eta = tn_slides_eta(&s->base, at);
    at = &full;
    for (int k = 0; k < s->nset; k++) // rows of velocities come behind those of positions
        if (s->set[k].joint == joint || s->set[k].joint == j->rolling) {
            const double *from = s->set[k].rolls ? at->eta : at->lambda;
            tn_copy(s->set[k].nrow, from + s->set[k].row0, lambda + count);
            count += s->set[k].nrow;
        }
    if (count == 0 && j->nrow > 0)
        tree_multipliers(s, at, joint, lambda);
    return count > 0 ? count : j->nrow;
}

// Reads joints in the tree whose velocities are the rates of their coordinates.
static int joint_coords_read_accelerations(const tn_system *self, const tn_point *at, int joint,
                                           double *a)
{
    const joint_coords *s = (const joint_coords *)self;
    const tn_joint_data *data = &s->base.world->model->joints.at[joint];
    const int on[2] = {data->def->body_b.index, data->def->body_a.index}, n = data->ops->ncoord;
    if (!at->a || !data->ops->relative)
        return -1;
    for (int k = 0; k < 2; k++) {
        const tn_tree_body *body = &s->tree->body[s->tree->place[on[k]]];
        if (on[k] > 0 && body->joint == joint && joint_coords_scalar_coordinates(s, body) == n) {
            tn_copy(n, at->a + body->v0, a);
            return n;
        }
    }
    return -1;
}

static void joint_look(tn_system *self, const tn_point *at)
{
    tn_placed_look(self, at);
    ((joint_coords *)self)->known = JOINT_COORDS_MOTION;
}

const tn_mechanism_ops tn_joint_coords_mechanism = {
    .decisions = tn_placed_decisions,
    .settle = tn_placed_settle,
    .out_of_range = tn_placed_out_of_range,
    .look = joint_look,
    .body = body,
    .reaction = joint_coords_read_reaction,
    .multipliers = joint_coords_read_multipliers,
    .coordinates = tn_seen_coordinates,
    .accelerations = joint_coords_read_accelerations,
    .force = tn_seen_force,
    .signals = tn_placed_signals,
};
