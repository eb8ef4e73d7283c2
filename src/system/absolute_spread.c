// SPDX-License-Identifier: MIT
//
// Consistent inertia of beam elements: mass and inertia of an element are spread between the bodies
// at its ends, each of which has one half of them as its own. With velocities that are linear along
// the element, of centres of mass in inertial axes and of rotations in the axes of the bodies,
//
//   T = m/6 (|v_a|^2 + v_a . v_b + |v_b|^2) + 1/6 (W_a . J W_a + W_a . J W_b + W_b . J W_b)
//     = lumped - m/12 |v_a - v_b|^2 - 1/12 (W_a - W_b) . J (W_a - W_b)
//
// of which this file adds the terms after `lumped`. It does not change when all moves as one rigid
// body in other axes, so momenta are conserved. With k = m/6, P_a = -J (W_a - W_b)/6 = -P_b:
//
//   R^3 x SO(3):  -k (u_a' - u_b'),  P_a' + W_a x P_a        M is constant
//   SE(3):        -k (c_a - Q c_b),  the same                c = U' + W x U, Q = R_a^T R_b

#include "system/absolute_parts.h"

#include "linalg/dense.h"

typedef double block6[6][6];

static void put_matrix(block6 block, int row, int col, double scale, tn_mat3 A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block[row + i][col + j] += scale * A.m[i][j];
}

// The part of M between two bodies: mass along, inertia about.
static void spread_block(const abs_spread *e, const abs_body *b, block6 block)
{
    const int skip = 3 - b->turns; // in the plane z alone
    for (int i = 0; i < b->moves; i++)
        block[i][i] = e->mass;
    for (int i = 0; i < b->turns; i++)
        block[b->moves + i][b->moves + i] = e->J.m[skip + i][skip + i];
}

void tn_absolute_declare_spread(const absolute *s, abs_pattern *list)
{
    for (int k = 0; k < s->nspread; k++) {
        const abs_pair *p = &s->pair[s->spread[k].pair];
        const abs_blocks a = s->body[p->a].blocks, b = s->body[p->b].blocks;
        for (int i = 0; i < a.count && i < b.count; i++) {
            tn_pattern_add(list, a.first + i, b.first + i);
            tn_pattern_add(list, b.first + i, a.first + i);
        }
    }
}

void tn_absolute_build_spread(absolute *s)
{
    tn_sparse *M = s->base.block[TN_BLOCK_M];
    for (int k = 0; k < s->nspread; k++) {
        abs_spread *e = &s->spread[k];
        const abs_pair *p = &s->pair[e->pair];
        const abs_body *end[2] = {&s->body[p->a], &s->body[p->b]};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                block6 block = {{0}};
                e->M[i][j] = tn_blocks_slots(M, end[i]->blocks, end[j]->blocks);
                spread_block(e, end[i], block);
                abs_add(M, &e->M[i][j], i == j ? -1.0 : 1.0, &block[0][0]);
            }
    }
}

// Q = R_a^T R_b
static tn_mat3 turned(const abs_body *a, const abs_body *b)
{
    return tn_m3_mul(tn_m3_transpose(a->R), b->R);
}

// In SE(3) the mass between both ends is seen in the axes of one of them.
void tn_absolute_spread_mass(absolute *s)
{
    for (int k = 0; k < s->nspread; k++) {
        const abs_spread *e = &s->spread[k];
        const abs_pair *p = &s->pair[e->pair];
        const abs_body *end[2] = {&s->body[p->a], &s->body[p->b]};
        for (int i = 0; i < 2 && end[0]->se3 && end[1]->se3; i++) {
            block6 block = {{0}};
            put_matrix(block, 0, 0, e->mass, turned(end[i], end[1 - i]));
            put_matrix(block, 3, 3, 1.0, e->J);
            tn_sparse_put(s->base.block[TN_BLOCK_M], e->M[i][1 - i].part[0][0], &block[0][0], 6);
        }
    }
}

// Body-fixed acceleration U' + W x U of a centre of mass in SE(3); without a that of velocities.
static tn_vec3 acceleration(const abs_body *b, const double *a)
{
    const tn_vec3 carry = tn_v3_cross(b->W, b->U);
    return a && b->nv > 0 ? tn_v3_add(tn_v3_from(a + b->v0), carry) : carry;
}

// Derivatives of the residual at one end by motions of both.
static void add_tangent(absolute *s, const abs_spread *e, int i, const double *a)
{
    const abs_pair *p = &s->pair[e->pair];
    const abs_body *own = &s->body[i ? p->b : p->a], *far = &s->body[i ? p->a : p->b];
    const tn_mat3 WJ = tn_m3_mul(tn_m3_skew(own->W), e->J);
    const tn_vec3 P = tn_m3_apply(e->J, tn_v3_sub(far->W, own->W));
    block6 D_own = {{0}}, D_far = {{0}};
    put_matrix(D_own, 3, 3, -1.0, tn_m3_axpy(1.0, tn_m3_skew(P), WJ));
    put_matrix(D_far, 3, 3, 1.0, WJ);
    if (own->se3) {
        const double k = e->mass;
        const tn_mat3 Q = turned(own, far);
        const tn_vec3 c = acceleration(far, a);
        block6 K_own = {{0}}, K_far = {{0}};
        put_matrix(D_own, 0, 0, -k, tn_m3_skew(own->W));
        put_matrix(D_own, 0, 3, k, tn_m3_skew(own->U));
        put_matrix(D_far, 0, 0, k, tn_m3_mul(Q, tn_m3_skew(far->W)));
        put_matrix(D_far, 0, 3, -k, tn_m3_mul(Q, tn_m3_skew(far->U)));
        put_matrix(K_own, 0, 3, k, tn_m3_skew(tn_m3_apply(Q, c)));
        put_matrix(K_far, 0, 3, -k, tn_m3_mul(Q, tn_m3_skew(c)));
        abs_add(s->base.block[TN_BLOCK_K], &p->K[i][i], 1.0, &K_own[0][0]);
        if (far->nv > 0)
            abs_add(s->base.block[TN_BLOCK_K], &p->K[i][1 - i], 1.0, &K_far[0][0]);
    }
    abs_add(s->base.block[TN_BLOCK_D], &p->D[i][i], 1.0, &D_own[0][0]);
    if (far->nv > 0)
        abs_add(s->base.block[TN_BLOCK_D], &p->D[i][1 - i], 1.0, &D_far[0][0]);
}

void tn_absolute_spread_force(absolute *s, const double *a, unsigned want)
{
    for (int k = 0; k < s->nspread; k++) {
        const abs_spread *e = &s->spread[k];
        const abs_pair *p = &s->pair[e->pair];
        for (int i = 0; i < 2; i++) {
            const abs_body *own = &s->body[i ? p->b : p->a], *far = &s->body[i ? p->a : p->b];
            double *f = s->base.f + own->v0;
            if (own->nv == 0 || own->turns != 3)
                continue;
            const tn_vec3 P = tn_m3_apply(e->J, tn_v3_sub(far->W, own->W));
            double x[6] = {0};
            tn_v3_to(tn_v3_cross(own->W, P), x + 3);
            if (own->se3) {
                const tn_vec3 there = tn_m3_apply(turned(own, far), acceleration(far, NULL));
                tn_v3_to(tn_v3_scale(-e->mass, tn_v3_sub(acceleration(own, NULL), there)), x);
            }
            tn_axpy(6, -1.0, x, f);
            if (want & TN_EVAL_TANGENT)
                add_tangent(s, e, i, a);
        }
    }
}

void tn_absolute_spread_energy(const absolute *s, tn_energy *out)
{
    for (int k = 0; k < s->nspread; k++) {
        const abs_spread *e = &s->spread[k];
        const abs_pair *p = &s->pair[e->pair];
        const abs_body *a = &s->body[p->a], *b = &s->body[p->b];
        const tn_vec3 v = tn_v3_sub(a->V.v, b->V.v), W = tn_v3_sub(a->W, b->W);
        const tn_vec3 push = tn_v3_scale(-e->mass, v); // on a, and its opposite on b
        const tn_vec3 P = tn_m3_apply(e->J, tn_v3_scale(-1.0, W));
        const tn_vec3 spin = tn_v3_sub(tn_m3_apply(a->R, P), tn_m3_apply(b->R, P));
        out->kinetic += 0.5 * tn_v3_dot(push, v) + 0.5 * tn_v3_dot(P, W);
        abs_add_momenta(tn_v3(0.0, 0.0, 0.0),
                        tn_v3_add(tn_v3_cross(tn_v3_sub(a->p, b->p), push), spin), out);
    }
}

const char *tn_absolute_spread_name(const tn_system *sys)
{
    const absolute *s = (const absolute *)sys;
    for (int k = 0; k < s->model->forces.count; k++)
        if (tn_force_spreads(&s->model->forces.at[k]))
            return s->model->forces.at[k].name;
    return NULL;
}

const char *tn_absolute_share_name(const tn_system *sys)
{
    const absolute *s = (const absolute *)sys;
    for (int k = 0; k < s->model->joints.count; k++)
        if (s->joint[k].nshare > 0)
            return s->model->joints.at[k].name;
    return NULL;
}
