// SPDX-License-Identifier: MIT
//
// Kinematics of a tree, the first forward recursion of [Arn16, Table 1]: axes, positions and
// velocities of all bodies, and the accelerations cl, ca that velocities alone cause; formulas in
// tree_parts.h. Coordinates and velocities of given frames; rows along
// paths.
//
// A joint that is walked from B to A moves A against B by the inverse of its motion X, with
//
//   S' = -Ad_X S,   S'_dot = -Ad_X (S_dot + ad_V S),   V = S v
//
// at the origin and in the axes of A, where Ad_X (v, w) = (R v + p x R w, R w) and
// ad_V (v, w) = (w_V x v + v_V x w, w_V x w).

#include "base/sincos.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "tree/tree_subtrees.h"

#include <string.h>

typedef struct pose {
    tn_vec3 x, y, z, w, p, u;
} pose;

static inline pose pose_at(const tree *t, int k)
{
    return (pose){t->turn[k].x, t->turn[k].y, t->link[k].z,
                  t->turn[k].w, t->spot[k].p, t->spot[k].u};
}

static inline void put_pose(tree *t, int k, pose at)
{
    t->turn[k] = (tree_turn){at.x, at.y, at.w};
    t->link[k].z = at.z;
    t->spot[k] = (tree_spot){at.p, at.u};
}

static inline void put_link(tree *t, int k, tn_vec3 r, tn_vec3 cl, tn_vec3 ca)
{
    t->link[k].r = r;
    t->link[k].cl = cl;
    t->link[k].ca = ca;
}

// Joints with one axis, or none -------------------------------------------------------------------

static inline pose step_axis(tree *t, int k, pose b, tree_axis axis, double sine, double cosine,
                             double q, double rate)
{
    const tree_turn from = {b.x, b.y, b.w};
    tree_turn turn;
    tree_link link;
    tree_pose(axis, &t->at[k], &from, b.z, sine, cosine, q, rate, &turn, &link);
    const tn_vec3 u = axis == TREE_SLIDES_Z ? tn_v3_axpy(rate, link.z, b.u) : b.u;
    const pose next = {
        turn.x, turn.y, link.z, turn.w, tn_v3_add(b.p, link.r), tree_add_cross(u, b.w, link.r)};
    t->link[k] = link;
    t->turn[k] = turn;
    t->spot[k] = (tree_spot){next.p, next.u};
    return next;
}

enum { BLOCK = 64 }; // angles whose sines are taken together

static void move_revolute(tree *t, tree_run run, const double *q, const double *v)
{
    const double *angle = q + t->base.body[run.first].q0;
    const double *rate = v ? v + t->base.body[run.first].v0 : NULL;
    pose last = pose_at(t, t->node[run.first].parent);
    for (int k = run.first; k < run.end;) {
        double sine[BLOCK], cosine[BLOCK];
        const int n = run.end - k < BLOCK ? run.end - k : BLOCK;
        tn_sincos(n, angle, sine, cosine);
        for (int i = 0; i < n; i++, k++) {
            if (t->node[k].parent != k - 1)
                last = pose_at(t, t->node[k].parent);
            last =
                step_axis(t, k, last, TREE_TURNS_Z, sine[i], cosine[i], 0.0, rate ? rate[i] : 0.0);
        }
        angle += n;
        rate = rate ? rate + n : NULL;
    }
}

static void move_prismatic(tree *t, tree_run run, const double *q, const double *v)
{
    for (int k = run.first; k < run.end; k++)
        step_axis(t, k, pose_at(t, t->node[k].parent), TREE_SLIDES_Z, 0.0, 1.0,
                  q[t->base.body[k].q0], v ? v[t->base.body[k].v0] : 0.0);
}

static void move_weld(tree *t, tree_run run)
{
    for (int k = run.first; k < run.end; k++)
        step_axis(t, k, pose_at(t, t->node[k].parent), TREE_AXIS_NONE, 0.0, 1.0, 0.0, 0.0);
}

// Joints with any freedoms ------------------------------------------------------------------------

static tn_twist tree_move_adjoint(tn_frame X, tn_twist s)
{
    const tn_vec3 w = tn_m3_apply(X.R, s.w);
    return (tn_twist){tree_add_cross(tn_m3_apply(X.R, s.v), X.p, w), w};
}

static void invert_tree_move(int nv, const double *v, tn_joint_motion *m)
{
    tn_twist V = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < nv; i++)
        V = tree_twist_axpy(v[i], m->S[i], V);
    for (int i = 0; i < nv; i++) {
        const tn_twist rate = tree_twist_sum(m->Sdot[i], tree_bracket(V, m->S[i]));
        const tn_twist zero = {{0, 0, 0}, {0, 0, 0}};
        m->Sdot[i] = tree_twist_axpy(-1.0, tree_move_adjoint(m->X, rate), zero);
        m->S[i] = tree_twist_axpy(-1.0, tree_move_adjoint(m->X, m->S[i]), zero);
    }
    m->X = tn_frame_inverse(m->X);
}

static const tn_joint_ops *motion_ops(const tree *t, int joint)
{
    return joint >= 0 ? t->base.model->joints.at[joint].ops : &tn_joint_planar;
}

static const tn_joint_def *motion_def(const tree *t, int joint)
{
    return joint >= 0 ? t->base.model->joints.at[joint].def : NULL;
}

// The motion of the body against frame A, and its columns in its own axes.
static void tree_move_motion_of(const tree *t, int k, const double *q, const double *v,
                                tn_joint_motion *m)
{
    const tn_tree_body *body = &t->base.body[k];
    const double *qk = q + body->q0;
    switch ((tree_kind)t->node[k].kind) {
    case TREE_FREE: // velocities of the point in inertial axes
        m->X = (tn_frame){tn_quat_matrix(tn_quat_from(qk + 3)), tn_v3_from(qk)};
        return;
    case TREE_SHIFT:
        m->X = (tn_frame){tn_m3_identity,
                          {qk[0], body->nv > 1 ? qk[1] : 0.0, body->nv > 2 ? qk[2] : 0.0}};
        return;
    default:
        motion_ops(t, body->joint)->motion(motion_def(t, body->joint), qk, v, m);
        if (body->turned)
            invert_tree_move(body->nv, v, m);
    }
}

static tn_vec3 unit(int i)
{
    return tn_v3(i == 0, i == 1, i == 2);
}

// Columns in world axes; their rates without the turning of the body.
static void tree_move_set_columns(tree *t, int k, tn_mat3 A, tn_mat3 R, const tn_joint_motion *m)
{
    tree_column *column = t->wide[k];
    for (int i = 0; i < t->base.body[k].nv; i++) {
        const tn_twist none = {{0, 0, 0}, {0, 0, 0}};
        tn_twist S = none, Sdot = none;
        if (t->node[k].kind == TREE_MOTION) {
            S = (tn_twist){tn_m3_apply(R, m->S[i].v), tn_m3_apply(R, m->S[i].w)};
            Sdot = (tn_twist){tn_m3_apply(R, m->Sdot[i].v), tn_m3_apply(R, m->Sdot[i].w)};
        } else if (i < 3)
            S.v = t->node[k].kind == TREE_FREE ? unit(i) : tn_m3_column(A, i);
        else
            S.w = tn_m3_column(R, i - 3);
        column[i].S = S;
        column[i].Sdot = Sdot;
    }
}

static void move_general(tree *t, int k, const double *q, const double *v)
{
    static const double rest[6] = {0};
    const tree_base *at = &t->at[k];
    const tn_tree_body *body = &t->base.body[k];
    const pose b = pose_at(t, t->node[k].parent);
    const double *vk = v ? v + body->v0 : rest;
    tn_joint_motion m;
    tree_move_motion_of(t, k, q, vk, &m);
    const tn_mat3 A =
        tn_m3_columns(tree_along(b.x, b.y, b.z, at->X), tree_along(b.x, b.y, b.z, at->Y),
                      tree_along(b.x, b.y, b.z, at->Z));
    const tn_mat3 R = tn_m3_mul(A, m.X.R);
    const tn_vec3 r = tn_v3_add(tree_along(b.x, b.y, b.z, at->d), tn_m3_apply(A, m.X.p));
    tree_move_set_columns(t, k, A, R, &m);
    tree_column *column = t->wide[k];
    tn_twist move = {{0, 0, 0}, {0, 0, 0}}, rate = move;
    for (int i = 0; i < body->nv; i++)
        move = tree_twist_axpy(vk[i], column[i].S, move);
    const tn_vec3 w = tn_v3_add(b.w, move.w);
    for (int i = 0; i < body->nv; i++) {
        tree_column *c = &column[i];
        c->v = vk[i];
        if (t->node[k].kind != TREE_FREE || i >= 3) // these turn with the body
            c->Sdot = (tn_twist){tree_add_cross(c->Sdot.v, w, c->S.v),
                                 tree_add_cross(c->Sdot.w, w, c->S.w)};
        rate = tree_twist_axpy(vk[i], c->Sdot, rate);
    }
    const tn_vec3 u = tree_add_cross(tn_v3_add(b.u, move.v), b.w, r);
    const tn_vec3 cl = tree_add_cross(tn_v3_add(tree_centripetal(b.w, r), rate.v), b.w, move.v);
    put_pose(t, k,
             (pose){tn_m3_column(R, 0), tn_m3_column(R, 1), tn_m3_column(R, 2), w,
                    tn_v3_add(b.p, r), u});
    put_link(t, k, r, cl, rate.w);
}

typedef struct moving {
    const double *q, *v;
} moving;

static void move_run(tree *t, tree_run run, void *user)
{
    const moving *m = user;
    switch (run.kind) {
    case TREE_WELD:
        move_weld(t, run);
        break;
    case TREE_REVOLUTE:
        move_revolute(t, run, m->q, m->v);
        break;
    case TREE_FLAT_TURN:
    case TREE_FLAT_SLIDE:
        tn_tree_flat_move(t, run, m->q, m->v);
        break;
    case TREE_PRISMATIC:
        move_prismatic(t, run, m->q, m->v);
        break;
    default:
        for (int k = run.first; k < run.end; k++)
            move_general(t, k, m->q, m->v);
    }
}

void tn_tree_move(tn_tree *self, const double *q, const double *v)
{
    tree *t = (tree *)self;
    moving m = {q, v};
    tn_tree_clear_loads(self);
    tn_tree_forward(t, move_run, &m);
}

// Reading and loading -----------------------------------------------------------------------------

tn_frame tn_tree_frame(const tn_tree *self, int k)
{
    const tree *t = (const tree *)self;
    return (tn_frame){tn_m3_columns(t->turn[k].x, t->turn[k].y, t->link[k].z), t->spot[k].p};
}

tn_twist tn_tree_twist(const tn_tree *self, int k)
{
    const tree *t = (const tree *)self;
    return (tn_twist){t->spot[k].u, t->turn[k].w};
}

tn_vec3 tn_tree_foot(const tn_tree *self, int k)
{
    const tree *t = (const tree *)self;
    while (t->node[k].parent > 0)
        k = t->node[k].parent;
    return t->at[k].d;
}

tn_vec3 tn_tree_way(const tn_tree *self, int k)
{
    TN_ASSERT(k > 0 && k < self->n);
    const tree *t = (const tree *)self;
    tn_vec3 p = {0, 0, 0};
    for (; t->node[k].parent > 0; k = t->node[k].parent)
        p = tn_v3_add(p, t->link[k].r);
    const tree_kind kind = t->node[k].kind;
    if (kind == TREE_REVOLUTE || kind == TREE_FLAT_TURN) // these stay on their foot
        return p;
    return tn_v3_add(p, tn_v3_sub(t->link[k].r, t->at[k].d));
}

tn_twist tn_tree_column(const tn_tree *self, int k, int i)
{
    return tree_column_at((const tree *)self, k, i);
}

tn_frame tn_tree_local(const tn_tree *self, int k, tn_frame frame)
{
    return tn_frame_mul(tn_frame_inverse(self->body[k].attachment), frame);
}

tn_vec3 tn_tree_com(const tn_tree *self, int k)
{
    const tn_vec3 com = self->model->bodies.at[self->body[k].body].def.com;
    const tn_vec3 local = tn_frame_point(tn_frame_inverse(self->body[k].attachment), com);
    return tn_m3_apply(tn_tree_frame(self, k).R, local);
}

void tn_tree_clear_loads(tn_tree *self)
{
    tree *t = (tree *)self;
    if (t->loaded)
        memset(t->load, 0, sizeof *t->load * (size_t)t->base.n);
    t->loaded = false;
}

void tn_tree_add_load(tn_tree *self, int k, tn_wrench load)
{
    tree *t = (tree *)self;
    t->loaded = true;
    t->load[k].f = tn_v3_add(t->load[k].f, load.f);
    t->load[k].n = tn_v3_add(t->load[k].n, load.m);
}

// Coordinates of given frames ---------------------------------------------------------------------

void tn_tree_coordinates(const tn_tree *self, const tn_frame *frames, double *q)
{
    const tree *t = (const tree *)self;
    for (int k = 1; k < self->n; k++) {
        const tn_tree_body *body = &self->body[k], *below = &self->body[body->parent];
        const tree_base *at = &t->at[k];
        const tn_frame A = tn_frame_mul(tn_frame_mul(frames[below->body], below->attachment),
                                        (tn_frame){tn_m3_columns(at->X, at->Y, at->Z), at->d});
        const tn_frame B = tn_frame_mul(frames[body->body], body->attachment);
        const tn_frame X = tn_frame_mul(tn_frame_inverse(A), B);
        double *qk = q + body->q0;
        switch ((tree_kind)t->node[k].kind) {
        case TREE_WELD:
            break;
        case TREE_REVOLUTE:
        case TREE_FLAT_TURN:
            qk[0] = atan2(X.R.m[1][0], X.R.m[0][0]);
            break;
        case TREE_PRISMATIC:
            qk[0] = X.p.z;
            break;
        case TREE_FLAT_SLIDE:
            qk[0] = X.p.x;
            break;
        case TREE_SHIFT: {
            const double p[3] = {X.p.x, X.p.y, X.p.z};
            tn_copy(body->nq, p, qk);
            break;
        }
        case TREE_FREE:
            tn_v3_to(X.p, qk);
            tn_quat_to(tn_quat_from_matrix(X.R), qk + 3);
            break;
        case TREE_MOTION:
            tn_joint_locate(motion_ops(t, body->joint), motion_def(t, body->joint),
                            body->turned ? tn_frame_inverse(X) : X, qk);
        }
    }
}

// Turn and shift of the joint of a node at q, from its frame below.
static tn_frame step_at(const tree *t, int k, const double *q)
{
    static const double rest[6] = {0};
    const double *qk = q + t->base.body[k].q0;
    tn_frame X = tn_frame_identity;
    tn_joint_motion motion;
    switch ((tree_kind)t->node[k].kind) {
    case TREE_WELD:
        return X;
    case TREE_REVOLUTE:
    case TREE_FLAT_TURN:
        X.R = tn_m3_rot_z(qk[0]);
        return X;
    case TREE_PRISMATIC:
        X.p.z = qk[0];
        return X;
    case TREE_FLAT_SLIDE:
        X.p.x = qk[0];
        return X;
    default:
        tree_move_motion_of(t, k, q, rest, &motion);
        return motion.X;
    }
}

void tn_tree_frames(const tn_tree *self, const double *q, tn_frame *frames)
{
    const tree *t = (const tree *)self;
    frames[0] = tn_frame_identity;
    for (int k = 1; k < self->n; k++) {
        const tree_base *at = &t->at[k];
        const tn_frame below = tn_frame_mul(frames[self->body[k].parent],
                                            (tn_frame){tn_m3_columns(at->X, at->Y, at->Z), at->d});
        frames[k] = tn_frame_mul(below, step_at(t, k, q));
        frames[k].R = tn_m3_orthonormalize(frames[k].R);
    }
}

// The twist of a body at its reference point, from that of the origin of its body frame.
static tn_twist at_reference(const tree *t, int k, const tn_twist *twists)
{
    const tn_tree_body *body = &t->base.body[k];
    tn_twist V = twists[body->body];
    const tn_vec3 arm = // from the origin of the body frame
        tn_m3_apply(tn_tree_frame(&t->base, k).R,
                    tn_m3_apply_t(body->attachment.R, body->attachment.p));
    V.v = tree_add_cross(V.v, V.w, arm);
    return V;
}

// Least squares: S^T D S v = S^T D (twist against the predecessor), D = (1/size^2, 1).
void tn_tree_velocities(const tn_tree *self, const tn_twist *twists, double size, double *v)
{
    const tree *t = (const tree *)self;
    for (int k = 1; k < self->n; k++) {
        const tn_tree_body *body = &self->body[k];
        const tn_twist V = at_reference(t, k, twists), Vp = at_reference(t, body->parent, twists);
        const tn_twist apart = {tn_v3_sub(V.v, tree_add_cross(Vp.v, Vp.w, t->link[k].r)),
                                tn_v3_sub(V.w, Vp.w)};
        double G[36], *x = v + body->v0;
        for (int i = 0; i < body->nv; i++) {
            const tn_twist S = tree_column_at(t, k, i);
            const tn_wrench DS = {tn_v3_scale(1.0 / (size * size), S.v), S.w};
            x[i] = tn_power(DS, apart);
            for (int j = 0; j < body->nv; j++)
                G[i + body->nv * j] = tn_power(DS, tree_column_at(t, k, j));
        }
        if (tn_cholesky(body->nv, G, 0.0) != TN_OK)
            continue; // columns of joints are independent
        tn_lower_solve(body->nv, G, x);
        tn_lower_solve_t(body->nv, G, x);
    }
}

// Paths -------------------------------------------------------------------------------------------

int tn_tree_path(const tn_tree *self, int k)
{
    int count = 0;
    for (; k > 0; k = self->body[k].parent)
        count += self->body[k].nv;
    return count;
}

tn_tree_point tn_tree_point_of(const tn_tree *self, int k, tn_vec3 local)
{
    TN_ASSERT(k >= 0 && k < self->n);
    const tree *t = (const tree *)self;
    const tree_accel *a = &t->accel[k];
    const tn_vec3 arm = tree_along(t->turn[k].x, t->turn[k].y, t->link[k].z, local);
    const tn_vec3 w = t->turn[k].w, swing = tn_v3_cross(w, arm);
    const tn_vec3 l = tn_v3_add(a->l, self->model->gravity);
    return (tn_tree_point){
        .arm = arm,
        .place = tn_v3_add(t->spot[k].p, arm),
        .velocity = tn_v3_add(t->spot[k].u, swing),
        .acceleration = tree_add_cross(tree_add_cross(l, a->al, arm), w, swing),
        .rate = w,
        .rate_dot = a->al,
    };
}

// The point moves with S_v + S_w x arm per freedom, where the arm is that from the node.
void tn_tree_add_point(const tn_tree *self, const tn_tree_end *end, tn_vec3 arm, double sign,
                       int count, const int *axis, double *x)
{
    const tree *t = (const tree *)self;
    const int *at = end->at;
    for (int k = end->place; k > 0; k = t->node[k].parent) {
        for (int c = 0; c < t->node[k].nv; c++, at++) {
            const tn_twist S = tree_column_at(t, k, c);
            const tn_vec3 move = tn_v3_scale(sign, tree_add_cross(S.v, S.w, arm));
            const double by_axis[3] = {move.x, move.y, move.z};
            for (int i = 0; i < count; i++)
                x[*at + i] += by_axis[axis[i]];
        }
        arm = tn_v3_add(arm, t->link[k].r);
    }
}

void tn_tree_add_rows(const tn_tree *self, const tn_tree_end *end, int count, const tn_wrench *w,
                      double *x)
{
    TN_ASSERT(count <= TN_TREE_ROWS);
    const tree *t = (const tree *)self;
    const int *at = end->at;
    tn_wrench W[TN_TREE_ROWS];
    memcpy(W, w, sizeof *w * (size_t)count);
    for (int k = end->place; k > 0; k = t->node[k].parent) {
        for (int c = 0; c < t->node[k].nv; c++, at++) {
            const tn_twist S = tree_column_at(t, k, c);
            for (int i = 0; i < count; i++)
                x[*at + i] += tn_power(W[i], S);
        }
        for (int i = 0; i < count; i++)
            W[i].m = tree_add_cross(W[i].m, t->link[k].r, W[i].f);
    }
}
