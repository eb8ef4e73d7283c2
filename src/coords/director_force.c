// SPDX-License-Identifier: MIT
//
// Force elements in director coordinates.
//
// A scalar law Q(x, x', t) acts through the gradient g of its coordinate in directors, which is
// exact also where these are not orthonormal (H the second derivatives, V^T H = dx'/dq):
//
//   f = Q g,   df/dq = g (Q_x g^T + Q_v V^T H) + Q H,   df/dv = Q_v g g^T
//
// Other elements give a wrench (F, m) on rigid bodies. They are evaluated at the rotation nearest
// to the directors, (r_1, r_2, r_3) = R of A = (d_1, d_2, d_3) = R S, and at the angular velocity w
// of the directors, which is that of the body since sum_k d_k x (w x d_k) = 2 w. A moment acts as
// f_k = (m x d_k) / 2, whose power is m . w:
//
//   dtheta = P sum_k r_k x dd_k,   P = (tr(A R^T) I - A R^T)^-1      from the skew part of R^T dA
//   w = sum_k d_k x d_k' / 2,      dw = sum_k (d_k x dd_k' - d_k' x dd_k) / 2
//
// With the columns (dp, dtheta) = J_q dq, dV = J_p dq + J_v dv, so that f = J_v^T (F, m):
//
//   df/dq = J_v^T (K_w J_q + D_w J_p) + skew(m) / 2 on (d_k, d_k),     df/dv = J_v^T D_w J_v

#include "coords/director_parts.h"
#include "system/signal_blocks.h"

#include "linalg/dense.h"

#include <string.h>

// Most rows and scalar laws depend on one or two vectors of a frame only.
static bool director_force_is_zero(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0.0)
            return false;
    return true;
}

void tn_director_pull(const dir_body *b, double (*lever)[4], const double *on_frame, double *out)
{
    tn_zero(b->nv, out);
    for (int m = 0; m < 4; m++) {
        const double *x = on_frame + 3 * m;
        if (director_force_is_zero(3, x))
            continue;
        for (int k = 0; k < b->nvec; k++)
            for (int c = 0; lever[m][k] != 0.0 && c < b->dim; c++)
                out[k * b->dim + c] += lever[m][k] * x[c];
    }
}

// Row by row of A, most of which are zero.
static void add_ends(tn_sparse *K, const abs_slots *at, double scale, const dir_body *a,
                     double (*lever_a)[4], const dir_body *b, double (*lever_b)[4], const double *A)
{
    double half[12], block[12][12] = {{0}};
    bool any = false;
    for (int r = 0; r < 12; r++) {
        const int m = r / 3, c = r % 3;
        if (c >= a->dim || director_force_is_zero(12, A + 24 * r))
            continue;
        any = true;
        tn_director_pull(b, lever_b, A + 24 * r, half);
        for (int k = 0; k < a->nvec; k++)
            if (lever_a[m][k] != 0.0)
                tn_axpy(b->nv, lever_a[m][k], half, block[k * a->dim + c]);
    }
    if (any)
        dir_add(K, at, scale, a->dim, b->dim, &block[0][0]);
}

void tn_director_add_pair(const director *s, tn_sparse *K, int pair, abs_slots (*at)[2],
                          double scale, double (*A)[24])
{
    TN_ASSERT(pair >= 0 && pair < s->base.world->npair);
    const abs_pair *p = &s->base.world->pair[pair];
    const dir_body *end[2] = {&s->body[p->a], &s->body[p->b]};
    double(*lever)[4][4] = s->pair[pair].lever;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (end[i]->nv > 0 && end[j]->nv > 0)
                add_ends(K, &at[i][j], scale, end[i], lever[i], end[j], lever[j],
                         A[12 * i] + 12 * j);
}

// Scalar laws -------------------------------------------------------------------------------------

static void scalar_tangent(director *s, const abs_force *f, const tn_scalar_load *load,
                           const double *G)
{
    dir_pair *p = &s->pair[f->pair];
    double H[24][24] = {{0}}, VH[24] = {0}, K[24][24], D[24][24];
    tn_linear_hessian(&f->data.row, &p->at, 1.0, H);
    for (int i = 0; i < 24; i++) {
        double v[3];
        tn_v3_to(p->at.v[i / 3], v);
        tn_axpy(24, v[i % 3], H[i], VH);
    }
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) {
            K[i][j] = G[i] * (load->Q_x * G[j] + load->Q_v * VH[j]) + load->Q * H[i][j];
            D[i][j] = load->Q_v * G[i] * G[j];
        }
    tn_director_add_pair(s, s->base.block[TN_BLOCK_K], f->pair, p->K, -1.0, K);
    tn_director_add_pair(s, s->base.block[TN_BLOCK_D], f->pair, p->D, -1.0, D);
}

static void scalar_force(director *s, const abs_force *f, const abs_point *at, unsigned want)
{
    dir_pair *p = &s->pair[f->pair];
    const abs_pair *from = &s->base.world->pair[f->pair];
    const int body[2] = {from->a, from->b};
    tn_scalar_load load = {0};
    double G[24];
    tn_linear_gradient(&f->data.row, &p->at, G);
    const double kept = abs_expected(s->base.world, at, f->memory);
    const double x = tn_linear_value(&f->data.row, &p->at, kept);
    f->data.ops->law(&f->data, abs_clock(s->base.world, at->t), x, tn_linear_rate(G, &p->at), kept,
                     &load);
    for (int k = 0; k < 2; k++) {
        const dir_body *b = &s->body[body[k]];
        double g[12];
        tn_director_pull(b, p->lever[k], G + 12 * k, g);
        tn_axpy(b->nv, load.Q, g, s->base.f + b->v0);
    }
    if (want & TN_EVAL_TANGENT)
        scalar_tangent(s, f, &load, G);
}

// Wrenches ----------------------------------------------------------------------------------------

static void put_turn(double (*J)[12], int column, tn_vec3 x)
{
    J[3][column] = x.x;
    J[4][column] = x.y;
    J[5][column] = x.z;
}

void tn_director_columns(const dir_body *b, tn_mat3 R, dir_columns *J)
{
    memset(J, 0, sizeof *J);
    for (int c = 0; c < b->dim; c++) {
        const tn_vec3 e = tn_v3(c == 0, c == 1, c == 2);
        J->q[c][c] = J->v[c][c] = 1.0;
        for (int k = 1; k < b->nvec; k++) {
            const int column = k * b->dim + c;
            const tn_vec3 r = tn_m3_column(R, k - 1);
            put_turn(J->q, column, tn_m3_apply(b->P, tn_v3_cross(r, e)));
            put_turn(J->p, column, tn_v3_scale(0.5, tn_v3_cross(e, b->v[k])));
            put_turn(J->v, column, tn_v3_scale(0.5, tn_v3_cross(b->x[k], e)));
        }
    }
}

static void add_geometric(tn_sparse *K, const abs_slots *at, double share, const dir_body *b,
                          tn_vec3 m)
{
    double block[12][12] = {{0}};
    const tn_mat3 half = tn_m3_scale(0.5, tn_m3_skew(m));
    for (int k = 1; k < b->nvec; k++)
        for (int i = 0; i < b->dim; i++)
            for (int j = 0; j < b->dim; j++)
                block[k * b->dim + i][k * b->dim + j] = half.m[i][j];
    dir_add(K, at, -share, b->dim, b->dim, &block[0][0]);
}

// out (n x m) += L^T A R, with A a 6 x 6 part of a 12 x 12 matrix.
static void director_force_add_product(double (*L)[12], const double *A, double (*R)[12],
                                       double (*out)[12])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            const double a = A[12 * i + j];
            for (int r = 0; a != 0.0 && r < 12; r++)
                tn_axpy(12, a * L[i][r], R[j], out[r]);
        }
}

static void wrench_tangent(director *s, const abs_force *f, const abs_point *at, double share)
{
    const abs_pair *from = &s->base.world->pair[f->pair];
    dir_pair *p = &s->pair[f->pair];
    const int body[2] = {from->a, from->b};
    tn_load_tangent T = {0};
    dir_columns J[2];
    tn_force_tangent(&f->data, abs_clock(s->base.world, at->t),
                     abs_expected(s->base.world, at, f->memory), &from->at, &T);
    for (int k = 0; k < 2; k++)
        tn_director_columns(&s->body[body[k]], s->base.world->body[body[k]].R, &J[k]);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const dir_body *a = &s->body[body[i]], *b = &s->body[body[j]];
            double K[12][12] = {{0}}, D[12][12] = {{0}};
            if (a->nv == 0 || b->nv == 0)
                continue;
            director_force_add_product(J[i].v, T.K[6 * i] + 6 * j, J[j].q, K);
            director_force_add_product(J[i].v, T.D[6 * i] + 6 * j, J[j].p, K);
            director_force_add_product(J[i].v, T.D[6 * i] + 6 * j, J[j].v, D);
            dir_add(s->base.block[TN_BLOCK_K], &p->K[i][j], -share, a->dim, b->dim, &K[0][0]);
            dir_add(s->base.block[TN_BLOCK_D], &p->D[i][j], -1.0, a->dim, b->dim, &D[0][0]);
        }
}

static void add_vector(const dir_body *b, int k, tn_vec3 x, double *f)
{
    double all[3];
    tn_v3_to(x, all);
    tn_axpy(b->dim, 1.0, all, f + b->v0 + k * b->dim);
}

void tn_director_wrench(director *s, const abs_force *f, const abs_point *at, unsigned want,
                        double share)
{
    TN_ASSERT(share > 0.0);
    const abs_pair *from = &s->base.world->pair[f->pair];
    const int body[2] = {from->a, from->b};
    const tn_load load = tn_absolute_load(s->base.world, at, f);
    for (int k = 0; k < 2; k++) {
        const dir_body *b = &s->body[body[k]];
        const tn_vec3 m = tn_v3_from(load.w + 6 * k + 3);
        if (b->nv == 0)
            continue;
        add_vector(b, 0, tn_v3_from(load.w + 6 * k), s->base.f);
        for (int i = 1; i < b->nvec; i++)
            add_vector(b, i, tn_v3_scale(0.5, tn_v3_cross(m, b->x[i])), s->base.f);
        if (want & TN_EVAL_TANGENT)
            add_geometric(s->base.block[TN_BLOCK_K], &s->pair[f->pair].K[k][k], share, b, m);
    }
    if (want & TN_EVAL_TANGENT)
        wrench_tangent(s, f, at, share);
}

static void force_at(director *s, const abs_force *f, const dir_act *act, unsigned want)
{
    if (f->data.ops->law)
        scalar_force(s, f, act->at, want);
    else if (f->data.by_products)
        tn_director_seen(s, f, NULL, want);
    else
        tn_director_wrench(s, f, act->at, want, act->share);
}

const dir_act tn_director_act = {.force = force_at, .share = 1.0};

void tn_director_forces(director *s, const dir_act *act, unsigned want)
{
    TN_ASSERT(act->at);
    tn_absolute_set_signals(s->base.world, act->at, want & TN_EVAL_TANGENT);
    for (int k = 0; k < s->base.world->nforce; k++)
        act->force(s, &s->base.world->force[k], act, want);
    if (want & TN_EVAL_TANGENT)
        tn_signal_blocks_tangent(s->blocks, act->at, act->share, act);
}
