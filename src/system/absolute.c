// SPDX-License-Identifier: MIT
//
// Evaluation in absolute coordinates. In world axes, with the twist V = J v_b of each body at its
// centre of mass, a row gives g' = G . V and a force gives a wrench w:
//
//   B = G J                                    f = J^T w
//   dr/dq:  J^T (H_lambda J) + geo(G^T lambda)  - J^T (K_w J + D_w J_q) - geo(w)
//   d gdot/dq:  V^T H J + G J_q
//   gamma = V^T H V + G . (J' v) + prescribed parts
//
// J_q = d(J v)/dq and geo(w) = d(J^T)/dq w come from dR = R skew(dphi), dphi body-fixed:
//   R^3 x SO(3):  J_q^T w = Omega x R^T m                     geo: skew(R^T m) on turn/turn
//   SE(3):        J_q^T w = U x R^T f + Omega x R^T m         geo: also skew(R^T f) on move/turn
// Inertia: m u' = F and J Omega' + Omega x J Omega = R^T m; in SE(3) m (U' + Omega x U) = R^T F
// [BCA12, sect. 4; ACB15, eq. 28].

#include "system/absolute_parts.h"

#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// J^T w: world wrench to coordinates of the body.
static void project_absolute(const abs_body *b, const double *w, double *out)
{
    if (b->turns == 3) {
        if (b->se3)
            tn_v3_to(tn_m3_apply_t(b->R, tn_v3_from(w)), out);
        else
            tn_v3_to(tn_v3_from(w), out);
        tn_v3_to(tn_m3_apply_t(b->R, tn_v3_from(w + 3)), out + 3);
        return;
    }
    for (int i = 0; i < b->moves; i++)
        out[i] = w[i];
    if (b->turns == 1)
        out[b->moves] = w[5];
}

// Adds J_q^T w, which only rigid bodies have.
static void project_rate(const abs_body *b, const double *w, double *out)
{
    if (b->turns != 3)
        return;
    tn_vec3 x = tn_v3_cross(b->W, tn_m3_apply_t(b->R, tn_v3_from(w + 3)));
    if (b->se3)
        x = tn_v3_add(x, tn_v3_cross(b->U, tn_m3_apply_t(b->R, tn_v3_from(w))));
    out[3] += x.x;
    out[4] += x.y;
    out[5] += x.z;
}

// Adds scale geo(w) to the diagonal block of a body in K.
static void add_geometric(tn_sparse *K, const abs_body *b, double scale, const double *w)
{
    if (b->turns != 3)
        return;
    double block[6][6] = {{0}};
    const tn_mat3 m = tn_m3_skew(tn_m3_apply_t(b->R, tn_v3_from(w + 3)));
    const tn_mat3 f = tn_m3_skew(tn_m3_apply_t(b->R, tn_v3_from(w)));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            block[3 + i][3 + j] = m.m[i][j];
            if (b->se3)
                block[i][3 + j] = f.m[i][j];
        }
    abs_add(K, &b->diagonal, scale, &block[0][0]);
}

// Adds scale J_a^T (A J_b + C J_qb) at a slot; A and C are 6 x 6 parts of 12 x 12 matrices (C may
// be NULL).
static void add_world_block(tn_sparse *K, const abs_slots *slots, double scale, const abs_body *a,
                            const abs_body *b, const double *A, const double *C)
{
    double half[6][6], block[6][6] = {{0}};
    for (int r = 0; r < 6; r++) {
        project_absolute(b, A + 12 * r, half[r]);
        if (C)
            project_rate(b, C + 12 * r, half[r]);
    }
    for (int c = 0; c < b->nv; c++) {
        const double column[6] = {half[0][c], half[1][c], half[2][c],
                                  half[3][c], half[4][c], half[5][c]};
        double out[6];
        project_absolute(a, column, out);
        for (int r = 0; r < a->nv; r++)
            block[r][c] = out[r];
    }
    abs_add(K, slots, scale, &block[0][0]);
}

// The four blocks of a pair, at 2 x 2 slots. A + C J_q as above, columns of body b start at 6.
static void add_pair_blocks(const absolute *s, tn_sparse *K, const abs_pair *p,
                            const abs_slots *slots, double scale, const double *A, const double *C)
{
    const abs_body *end[2] = {&s->body[p->a], &s->body[p->b]};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (end[i]->nv > 0 && end[j]->nv > 0)
                add_world_block(K, &slots[2 * i + j], scale, end[i], end[j], A + 72 * i + 6 * j,
                                C ? C + 72 * i + 6 * j : NULL);
}

static void absolute_place_body(abs_body *b, const tn_point *at)
{
    static const double rest[6] = {0};
    const double *q = at->q + b->q0, *v = at->v ? at->v + b->v0 : rest;
    b->R = tn_m3_identity;
    b->U = b->W = (tn_vec3){0};
    if (b->turns == 3) {
        b->p = tn_v3_from(q);
        b->R = tn_quat_matrix(tn_quat_from(q + 3));
        b->W = tn_v3_from(v + 3);
        b->V.w = tn_m3_apply(b->R, b->W);
        b->U = b->se3 ? tn_v3_from(v) : tn_m3_apply_t(b->R, tn_v3_from(v));
        b->V.v = b->se3 ? tn_m3_apply(b->R, b->U) : tn_v3_from(v);
        return;
    }
    const bool space = b->moves == 3;
    b->p = (tn_vec3){q[0], q[1], space ? q[2] : b->height};
    b->V = (tn_twist){.v = {v[0], v[1], space ? v[2] : 0.0}};
    if (b->turns == 1) {
        b->R = tn_m3_rot_z(q[2]);
        b->W.z = b->V.w.z = v[2];
    }
}

static void place_end(const abs_body *b, const tn_frame *local, bool turned, tn_end *end)
{
    end->r = tn_m3_apply(b->R, local->p);
    end->x.p = tn_v3_add(b->p, end->r);
    end->x.R = turned ? tn_m3_mul(b->R, local->R) : b->R;
    end->V = b->V;
}

static void place_prescribed(const absolute *s, abs_pair *p, double t)
{
    double u[6][3] = {{0}};
    for (int k = 0; k < 6 && p->pose->u[k]; k++)
        abs_driven(s, p->pose->u[k], t, u[k]);
    p->at.a.r = (tn_vec3){0};
    p->pose->ops->prescribe(u, &p->at.a.x, &p->at.a.V, &p->Va_dot);
}

void tn_absolute_place_pair(absolute *s, abs_pair *p, double t)
{
    if (p->pose)
        place_prescribed(s, p, t);
    else
        place_end(&s->body[p->a], &p->fa, p->turned[0], &p->at.a);
    place_end(&s->body[p->b], &p->fb, p->turned[1], &p->at.b);
}

static bool is_placed(const absolute *s, const tn_point *at)
{
    return s->placed_by == s && at->v && abs_clock(s, at->t) == s->placed_t &&
           !memcmp(at->q, s->placed_q, (size_t)s->base.nq * sizeof *at->q) &&
           !memcmp(at->v, s->placed_v, (size_t)s->base.nv * sizeof *at->v);
}

void tn_absolute_place(absolute *s, const tn_point *at)
{
    if (is_placed(s, at))
        return;
    s->placed_by = at->v ? s : NULL;
    s->has_B = false;
    s->placed_t = abs_clock(s, at->t);
    tn_copy(s->base.nq, at->q, s->placed_q);
    if (at->v)
        tn_copy(s->base.nv, at->v, s->placed_v);
    for (int k = 1; k < s->nbody; k++)
        absolute_place_body(&s->body[k], at);
    for (int k = 0; k < s->npair; k++)
        tn_absolute_place_pair(s, &s->pair[k], at->t);
}

void tn_absolute_place_body(absolute *s, const tn_point *at, int body)
{
    s->placed_by = NULL;
    TN_ASSERT(body >= 0 && body < s->nbody);
    if (body > 0)
        absolute_place_body(&s->body[body], at);
}

void tn_absolute_place_joint(absolute *s, const tn_point *at, const abs_joint *j)
{
    const int own = j->own_pair >= 0;
    s->placed_by = NULL;
    for (int k = -own; k < j->npair; k++) {
        abs_pair *p = &s->pair[k < 0 ? j->own_pair : j->pair[k]];
        tn_absolute_place_body(s, at, p->a);
        tn_absolute_place_body(s, at, p->b);
        tn_absolute_place_pair(s, p, at->t);
    }
}

void tn_absolute_place_force(absolute *s, const tn_point *at, const abs_force *f)
{
    TN_ASSERT(f->pair >= 0 && f->pair < s->npair);
    abs_pair *p = &s->pair[f->pair];
    tn_absolute_place_body(s, at, p->a);
    tn_absolute_place_body(s, at, p->b);
    tn_absolute_place_pair(s, p, at->t);
}

static double row_value(const absolute *s, const abs_row *row, const abs_point *at)
{
    double g = -row->constant;
    for (int m = 0; m < row->nterm; m++) {
        const abs_term *term = &row->term[m];
        g += term->coefficient *
             tn_row_value(&term->row, &s->pair[term->pair].at, abs_expected(s, at, term->memory));
    }
    if (row->u) {
        double u[3];
        abs_driven(s, row->u, at->t, u);
        g -= u[0];
    }
    return g;
}

static int local_body(const abs_joint *j, int body)
{
    for (int k = 0; k < j->nbody; k++)
        if (j->body[k] == body)
            return k;
    return -1;
}

// J' v of the bodies of a pair enters the acceleration level, in SE(3) only: u' = R (U' + Omega x
// U).
static double transport_absolute(const absolute *s, const abs_pair *p, const double *G)
{
    const int body[2] = {p->a, p->b};
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        const abs_body *b = &s->body[body[k]];
        if (b->se3)
            sum += tn_v3_dot(tn_v3_from(G + 6 * k), tn_m3_apply(b->R, tn_v3_cross(b->W, b->U)));
    }
    if (p->pose)
        sum += tn_v3_dot(tn_v3_from(G), p->Va_dot.v) + tn_v3_dot(tn_v3_from(G + 3), p->Va_dot.w);
    return sum;
}

static void gather_absolute(abs_rows *w, int k, int i, double scale, const double *G,
                            const double *Z)
{
    TN_ASSERT(i >= 0 && i < TN_JOINT_MAX_ROWS);
    if (k < 0)
        return;
    for (int c = 0; c < 6; c++) {
        w->G[k][i][c] += scale * G[c];
        if (Z)
            w->Z[k][i][c] += scale * Z[c];
    }
}

static void term_eval(absolute *s, const abs_joint *j, const abs_term *term, int i, double lambda,
                      unsigned want, abs_rows *w)
{
    TN_ASSERT(i >= 0 && i < j->nrow && term->pair >= 0 && term->pair < s->npair);
    const abs_pair *p = &s->pair[term->pair];
    const double scale = term->coefficient;
    const int row = j->row0 + i;
    double G[12], Z[12] = {0};
    tn_row_gradient(&term->row, &p->at, G);
    if (want & TN_EVAL_GDOT)
        s->base.gdot[row] += scale * tn_row_rate(G, &p->at);
    if (want & TN_EVAL_GAMMA)
        s->base.gamma[row] +=
            scale * (tn_row_curvature(&term->row, &p->at) + transport_absolute(s, p, G));
    if (want & TN_EVAL_TANGENT) {
        double H[12][12] = {{0}}, V[12];
        tn_row_hessian(&term->row, &p->at, 1.0, H);
        tn_v3_to(p->at.a.V.v, V);
        tn_v3_to(p->at.a.V.w, V + 3);
        tn_v3_to(p->at.b.V.v, V + 6);
        tn_v3_to(p->at.b.V.w, V + 9);
        double(*sum)[12] = w->H[term->pair == j->pair[0] ? 0 : 1];
        for (int a = 0; a < 12; a++)
            for (int b = 0; b < 12; b++) {
                Z[b] += V[a] * H[a][b];
                sum[a][b] += scale * lambda * H[a][b];
            }
    }
    const bool tangent = want & TN_EVAL_TANGENT;
    gather_absolute(w, local_body(j, p->a), i, scale, G, tangent ? Z : NULL);
    gather_absolute(w, local_body(j, p->b), i, scale, G + 6, tangent ? Z + 6 : NULL);
}

void tn_absolute_coordinate(const tn_system *sys, const tn_point *at, int joint, int coordinate,
                            double *c, double *row, double *gamma)
{
    absolute *s = (absolute *)sys;
    TN_ASSERT(joint >= 0 && joint < s->model->joints.count && coordinate >= 0);
    const abs_joint *j = &s->joint[joint];
    const tn_row *form = &s->model->joints.at[joint].ops->coords[coordinate].row;
    TN_ASSERT(j->own_pair >= 0);
    tn_absolute_place_joint(s, at, j);
    const abs_pair *p = &s->pair[j->own_pair];
    const int body[2] = {p->a, p->b};
    double G[12], x[6];
    tn_row_gradient(form, &p->at, G);
    const abs_point here = abs_here(at);
    *c = tn_row_value(form, &p->at, abs_expected(s, &here, j->memory[coordinate]));
    *gamma = tn_row_curvature(form, &p->at) + transport_absolute(s, p, G);
    tn_zero(sys->nv, row);
    for (int k = 0; k < 2; k++) {
        const abs_body *b = &s->body[body[k]];
        project_absolute(b, G + 6 * k, x);
        tn_axpy(b->nv, 1.0, x, row + b->v0);
    }
}

// Writes the gathered rows into B and Z, and their lambda-weighted curvature into K.
static void joint_scatter(absolute *s, const abs_joint *j, const abs_point *at, unsigned want,
                          const abs_rows *w)
{
    tn_system *sys = &s->base;
    double block[TN_JOINT_MAX_ROWS][6];
    for (int k = 0; k < j->nbody; k++) {
        const abs_body *b = &s->body[j->body[k]];
        double force[6] = {0};
        for (int i = 0; i < j->nrow; i++) {
            project_absolute(b, w->G[k][i], block[i]);
            if (want & TN_EVAL_TANGENT)
                tn_axpy(6, at->lambda[j->row0 + i], w->G[k][i], force);
        }
        for (int i = 0; want & TN_EVAL_B && i < b->blocks.count; i++)
            if (j->B[k].part[0][i].offset >= 0)
                tn_sparse_put(sys->block[TN_BLOCK_B], j->B[k].part[0][i], &block[0][3 * i], 6);
        if (!(want & TN_EVAL_TANGENT))
            continue;
        add_geometric(sys->block[TN_BLOCK_K], b, 1.0, force);
        for (int i = 0; i < j->nrow; i++) {
            project_absolute(b, w->Z[k][i], block[i]);
            project_rate(b, w->G[k][i], block[i]);
        }
        abs_add(sys->block[TN_BLOCK_Z], &j->Z[k], 1.0, &block[0][0]);
    }
    if (want & TN_EVAL_TANGENT)
        for (int k = 0; k < j->npair; k++) {
            const abs_pair *p = &s->pair[j->pair[k]];
            add_pair_blocks(s, sys->block[TN_BLOCK_K], p, &p->K[0][0], 1.0, &w->H[k][0][0], NULL);
        }
}

void tn_absolute_rows(absolute *s, const abs_joint *j, const abs_point *at, unsigned want,
                      abs_rows *w)
{
    TN_ASSERT(j->nrow <= TN_JOINT_MAX_ROWS);
    tn_system *sys = &s->base;
    memset(w->G, 0, (size_t)j->nbody * sizeof w->G[0]);
    if (want & TN_EVAL_TANGENT) {
        memset(w->Z, 0, (size_t)j->nbody * sizeof w->Z[0]);
        memset(w->H, 0, (size_t)j->npair * sizeof w->H[0]);
    }
    for (int i = 0; i < j->nrow; i++) {
        const abs_row *row = &j->row[i];
        if (want & TN_EVAL_G)
            sys->g[j->row0 + i] = row_value(s, row, at);
        if (!(want & (TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA | TN_EVAL_TANGENT)))
            continue;
        double u[3] = {0};
        if (row->u)
            abs_driven(s, row->u, at->t, u);
        if (want & TN_EVAL_GDOT)
            sys->gdot[j->row0 + i] = -u[1] - row->rate;
        if (want & TN_EVAL_GAMMA)
            sys->gamma[j->row0 + i] = -u[2];
        const double lambda = want & TN_EVAL_TANGENT ? at->lambda[j->row0 + i] : 0.0;
        for (int m = 0; m < row->nterm; m++)
            term_eval(s, j, &row->term[m], i, lambda, want, w);
    }
}

static void absolute_joint_eval(absolute *s, const abs_joint *j, const abs_point *at, unsigned want)
{
    abs_rows w;
    tn_absolute_rows(s, j, at, want, &w);
    if (want & (TN_EVAL_B | TN_EVAL_TANGENT))
        joint_scatter(s, j, at, want, &w);
}

static void force_eval(absolute *s, const abs_force *f, const abs_point *at, unsigned want)
{
    tn_system *sys = &s->base;
    const abs_pair *p = &s->pair[f->pair];
    const double reference = abs_expected(s, at, f->memory);
    const int body[2] = {p->a, p->b};
    tn_load load = {0};
    tn_force_eval(&f->data, abs_clock(s, at->t), reference, &p->at, &load);
    for (int k = 0; k < 2; k++) {
        const abs_body *b = &s->body[body[k]];
        double x[6];
        project_absolute(b, load.w + 6 * k, x);
        for (int i = 0; i < b->nv; i++)
            sys->f[b->v0 + i] += x[i];
        if (want & TN_EVAL_TANGENT && b->nv > 0)
            add_geometric(sys->block[TN_BLOCK_K], b, -1.0, load.w + 6 * k);
    }
    if (want & TN_EVAL_TANGENT) {
        tn_load_tangent T = {0};
        tn_force_tangent(&f->data, abs_clock(s, at->t), reference, &p->at, &T);
        add_pair_blocks(s, sys->block[TN_BLOCK_K], p, &p->K[0][0], -1.0, &T.K[0][0], &T.D[0][0]);
        add_pair_blocks(s, sys->block[TN_BLOCK_D], p, &p->D[0][0], -1.0, &T.D[0][0], NULL);
    }
}

// Derivative of Omega x J Omega, and of m Omega x U in SE(3), by velocities.
static void add_gyroscopic(tn_sparse *D, const abs_body *b, tn_vec3 JW)
{
    double block[6][6] = {{0}};
    const tn_mat3 W = tn_m3_skew(b->W), U = tn_m3_skew(b->U);
    const tn_mat3 turn = tn_m3_axpy(-1.0, tn_m3_skew(JW), tn_m3_mul(W, b->J));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            block[3 + i][3 + j] = turn.m[i][j];
            if (b->se3) {
                block[i][j] = b->mass * W.m[i][j];
                block[i][3 + j] = -b->mass * U.m[i][j];
            }
        }
    abs_add(D, &b->damping, 1.0, &block[0][0]);
}

// Gravity and gyroscopic terms of one body.
static void body_eval(absolute *s, const abs_body *b, unsigned want)
{
    tn_system *sys = &s->base;
    double w[6] = {0}, x[6];
    tn_v3_to(tn_v3_scale(b->mass, s->model->gravity), w);
    project_absolute(b, w, x);
    if (b->turns == 3) {
        const tn_vec3 JW = tn_m3_apply(b->J, b->W), gyro = tn_v3_cross(b->W, JW);
        x[3] -= gyro.x;
        x[4] -= gyro.y;
        x[5] -= gyro.z;
        if (b->se3) {
            const tn_vec3 carry = tn_v3_scale(b->mass, tn_v3_cross(b->W, b->U));
            x[0] -= carry.x;
            x[1] -= carry.y;
            x[2] -= carry.z;
        }
        if (want & TN_EVAL_TANGENT) {
            add_gyroscopic(sys->block[TN_BLOCK_D], b, JW);
            add_geometric(sys->block[TN_BLOCK_K], b, -1.0, w);
        }
    }
    for (int i = 0; i < b->nv; i++)
        sys->f[b->v0 + i] = x[i];
}

static tn_status absolute_eval(tn_system *self, const tn_point *at, unsigned want)
{
    absolute *s = (absolute *)self;
    const abs_point here = abs_here(at);
    tn_absolute_place(s, at);
    if (s->has_B)
        want &= ~(unsigned)TN_EVAL_B;
    if (want & TN_EVAL_TANGENT) {
        tn_sparse_clear(self->block[TN_BLOCK_K]);
        tn_sparse_clear(self->block[TN_BLOCK_D]);
        tn_sparse_clear(self->block[TN_BLOCK_Z]);
    }
    if (want & (TN_EVAL_FORCE | TN_EVAL_TANGENT)) {
        for (int k = 1; k < s->nbody; k++)
            body_eval(s, &s->body[k], want);
        for (int k = 0; k < s->nforce; k++)
            force_eval(s, &s->force[k], &here, want);
    }
    if (want & (TN_EVAL_G | TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA | TN_EVAL_TANGENT))
        for (int k = 0; k < s->njoint; k++)
            absolute_joint_eval(s, &s->joint[k], &here, want);
    s->has_B = s->has_B || (want & TN_EVAL_B && at->v);
    return TN_OK;
}

static void body_energy(const absolute *s, const abs_body *b, tn_energy *out)
{
    const tn_vec3 JW = tn_m3_apply(b->J, b->W);
    const tn_vec3 momentum = tn_v3_scale(b->mass, b->V.v);
    const tn_vec3 spin = tn_v3_add(tn_v3_cross(b->p, momentum), tn_m3_apply(b->R, JW));
    out->kinetic += 0.5 * tn_v3_dot(momentum, b->V.v) + 0.5 * tn_v3_dot(b->W, JW);
    out->potential -= b->mass * tn_v3_dot(s->model->gravity, b->p);
    abs_add_momenta(momentum, spin, out);
}

// Power of the rheonomic constraint forces: -lambda^T B v = lambda^T g_t where B v + g_t = 0.
static double drive_power(const absolute *s, const abs_joint *j, const abs_point *at)
{
    double power = 0.0;
    for (int i = 0; i < j->nrow; i++) {
        const abs_row *row = &j->row[i];
        double gt = 0.0, u[3] = {0};
        if (row->u)
            abs_driven(s, row->u, at->t, u);
        gt -= u[1];
        for (int m = 0; m < row->nterm; m++) {
            const abs_pair *p = &s->pair[row->term[m].pair];
            double G[12];
            if (!p->pose)
                continue;
            tn_row_gradient(&row->term[m].row, &p->at, G);
            gt += row->term[m].coefficient * abs_along(G, p->at.a.V);
        }
        power += at->lambda[j->row0 + i] * gt;
    }
    return power;
}

void tn_absolute_powers(absolute *s, const abs_point *at, tn_energy *out)
{
    for (int k = 0; k < s->nforce; k++) {
        const tn_load load = abs_load(s, at, &s->force[k]);
        out->potential += load.energy;
        out->dissipated += load.dissipated;
        out->supplied += load.supplied;
    }
    for (int k = 0; k < s->njoint; k++)
        if (s->joint[k].has_time)
            out->supplied += drive_power(s, &s->joint[k], at);
}

void tn_absolute_energies(absolute *s, const abs_point *at, tn_energy *out)
{
    *out = (tn_energy){.has_momentum = true};
    for (int k = 1; k < s->nbody; k++)
        body_energy(s, &s->body[k], out);
    tn_absolute_powers(s, at, out);
}

static void absolute_energy(tn_system *self, const tn_point *at, tn_energy *out)
{
    absolute *s = (absolute *)self;
    const abs_point here = abs_here(at);
    tn_absolute_place(s, at);
    tn_absolute_energies(s, &here, out);
}

static double angle_rate(const absolute *s, int k)
{
    TN_ASSERT(k >= 0 && k < s->nmemory);
    const tn_pair *pair = &s->pair[s->memory[k].pair].at;
    double G[12];
    tn_row_gradient(&s->memory[k].row, pair, G);
    const double rate = tn_row_rate(G, pair);
    return isfinite(rate) ? rate : 0.0;
}

// How far an angle may stray within a step from where its rate at the start leads: beyond half a
// turn it would be taken for another one, and stages of a step may stray further than its end
// tells. An angle that ends so far from where its rates lead is on a turn that nobody knows.
static const double STRAY_MAX = 1.0;

static double angle_now(const absolute *s, int k, double expected)
{
    TN_ASSERT(k >= 0 && k < s->nmemory);
    return tn_row_value(&s->memory[k].row, &s->pair[s->memory[k].pair].at, expected);
}

static tn_status check_turning(absolute *s, int k, double from, double rate, double h)
{
    const double expected = from + 0.5 * h * (rate + s->turning[k]);
    if (fabs(0.5 * h * (s->turning[k] - rate)) > STRAY_MAX)
        return tn_fail(TN_RETRY_FUNCTION,
                       "an angle changes its rate from %g to %g rad/s within the step, too much "
                       "to count its turns",
                       rate, s->turning[k]);
    if (h > 0.0 && fabs(angle_now(s, k, expected) - expected) > STRAY_MAX)
        return tn_fail(TN_RETRY_FUNCTION,
                       "an angle ends %.2g rad from where its rates, %g and %g rad/s, lead within "
                       "the step, too far to count its turns",
                       fabs(angle_now(s, k, expected) - expected), rate, s->turning[k]);
    return TN_OK;
}

tn_status tn_absolute_count_turns(absolute *s, double t, int n, const int *which, double *r)
{
    TN_ASSERT(n >= 0 && n <= s->nmemory);
    double *rates = r + s->nmemory, *time = rates + s->nmemory;
    const double h = time[1] > 0.0 ? t - time[0] : 0.0;
    for (int i = 0; i < n; i++) {
        const int k = which ? which[i] : i;
        s->turning[k] = angle_rate(s, k);
        TN_TRY(check_turning(s, k, r[k], rates[k], h));
    }
    for (int i = 0; i < n; i++) {
        const int k = which ? which[i] : i;
        r[k] = angle_now(s, k, r[k] + 0.5 * h * (rates[k] + s->turning[k]));
        rates[k] = s->turning[k];
    }
    time[0] = t;
    time[1] = 1.0;
    return TN_OK;
}

static tn_status absolute_accept(tn_system *self, const tn_point *at, double *r)
{
    absolute *s = (absolute *)self;
    tn_absolute_place(s, at);
    return s->nmemory > 0 ? tn_absolute_count_turns(s, at->t, s->nmemory, NULL, r) : TN_OK;
}

static void absolute_row_name(const tn_system *self, int i, char *text, size_t size)
{
    const absolute *s = (const absolute *)self;
    TN_ASSERT(i >= 0 && i < self->ng);
    const abs_joint *j = &s->joint[s->row_joint[i]];
    const char *name = s->model->joints.at[j->model_index].name;
    if (j->start_rows)
        snprintf(text, size, "joint '%s', stated start value", name);
    else
        snprintf(text, size, "joint '%s', row %s", name,
                 tn_constraint_row_name(s->model, j->model_index, i - j->row0));
}

static void absolute_velocity_name(const tn_system *self, int i, char *text, size_t size)
{
    TN_ASSERT(i >= 0 && i < self->nv);
    const absolute *s = (const absolute *)self;
    int body = 1;
    while (body + 1 < s->nbody && s->body[body + 1].v0 <= i)
        body++;
    const tn_body_data *data = &s->model->bodies.at[body];
    snprintf(text, size, "body '%s', %s", data->name,
             tn_body_velocity_name(data->ops, i - s->body[body].v0));
}

static void absolute_destroy(tn_system *self)
{
    absolute *s = (absolute *)self;
    TN_FREE(s->block, s);
}

void tn_placed_force_name(const absolute *s, const abs_point *at, char *text, size_t size)
{
    for (int k = 0; k < s->nforce; k++) {
        const tn_load load = abs_load(s, at, &s->force[k]);
        if (!tn_all_finite(TN_COUNT(load.w), load.w)) {
            snprintf(text, size, "force '%s'", s->model->forces.at[k].name);
            return;
        }
    }
}

static void absolute_force_name(tn_system *self, const tn_point *at, char *text, size_t size)
{
    const abs_point here = abs_here(at);
    tn_absolute_place((absolute *)self, at);
    tn_placed_force_name((const absolute *)self, &here, text, size);
}

const tn_system_ops tn_absolute_ops = {
    .coordinates = "absolute",
    .eval = absolute_eval,
    .energy = absolute_energy,
    .accept = absolute_accept,
    .row_name = absolute_row_name,
    .row_turns = tn_absolute_row_turns,
    .velocity_name = absolute_velocity_name,
    .force_name = absolute_force_name,
    .tree = &tn_absolute_tree,
    .mechanism = &tn_absolute_mechanism,
    .destroy = absolute_destroy,
};
