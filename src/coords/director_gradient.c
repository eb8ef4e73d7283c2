// SPDX-License-Identifier: MIT
//
// Discrete derivatives in director coordinates (system.h, tn_gradient_ops), exact in energy,
// momentum and spin [Gon96; LMO08, remark 3.4]. All that depends on the configuration is a
// function of products of vectors of frames X = L q, which are quadratic: its discrete gradient is
// a combination of the gradients of the products at the middle of the interval.
//
//   rows               D L of row/row_linear.h; B at the middle for rows d_i . d_j
//   scalar laws        f = Q D,  Q = mean of the elastic part over [x0, x1] + the rest at the mean
//                      of x0 and x1, with the rate D . X' = (x1 - x0) / h, half way in time
//   with potential     f = sum_i Q_i D_i for the products of force.h; bushings
//   other elements     as in director_force.c at the middle
//   variable parameters       at the middle with the rates of u, whatever the element
//   weights            constant
//
// With T = dD/dX1 and the gradient G1 of x at X1, of scalar laws
//
//   df/dX1 = D (Q_1 G1^T + Q_v X'^T T) + Q T,    df/dX' = Q_v D D^T
//
// where Q_1 has half of the rest's dQ/dx. A frame that is prescribed has its mean of both ends in
// the middle: the effect of time then adds up to the change of the row.

#include "coords/director_parts.h"

#include "linalg/dense.h"

#include <string.h>

// Frames ------------------------------------------------------------------------------------------

static void frame_at(const dir_body *b, double (*lever)[4], const double *q, tn_vec3 *x)
{
    tn_vec3 vector[4];
    memcpy(vector, b->x, sizeof vector); // components that are no coordinates stay
    tn_director_vectors(b, q + b->v0, vector);
    for (int m = 0; m < 4; m++) {
        x[m] = (tn_vec3){0};
        for (int k = m > 0; k < 4; k++)
            x[m] = tn_v3_axpy(lever[m][k], vector[k], x[m]);
    }
}

static void prescribed_at(director *s, abs_pair *p, double t, tn_vec3 *x)
{
    tn_absolute_place_pair(s->base.world, p, t);
    x[0] = p->at.a.x.p;
    for (int m = 1; m < 4; m++)
        x[m] = tn_m3_column(p->at.a.x.R, m - 1);
    s->base.world->placed = PLACED_NOTHING;
}

// The frames of a pair at both ends; in the middle as placed.
static void span_of(director *s, int pair, const tn_span *over, tn_linear_span *out)
{
    TN_ASSERT(over->h > 0.0);
    abs_pair *from = &s->base.world->pair[pair];
    dir_pair *p = &s->pair[pair];
    const dir_body *a = &s->body[from->a], *b = &s->body[from->b];
    out->middle = p->at;
    out->from.length = out->to.length = p->at.length;
    out->from.own = out->to.own = p->at.own;
    frame_at(b, p->lever[1], over->q0, out->from.x + 4);
    frame_at(b, p->lever[1], over->q1, out->to.x + 4);
    if (!from->pose) {
        frame_at(a, p->lever[0], over->q0, out->from.x);
        frame_at(a, p->lever[0], over->q1, out->to.x);
        return;
    }
    prescribed_at(s, from, over->t, out->from.x);
    prescribed_at(s, from, over->t + over->h, out->to.x);
    for (int m = 0; m < 4; m++)
        out->middle.x[m] = tn_v3_scale(0.5, tn_v3_add(out->from.x[m], out->to.x[m]));
}

static void director_gradient_add_force(director *s, int pair, double scale,
                                        const double *on_frames)
{
    const abs_pair *from = &s->base.world->pair[pair];
    const int body[2] = {from->a, from->b};
    for (int k = 0; k < 2; k++) {
        const dir_body *b = &s->body[body[k]];
        double f[12];
        tn_director_pull(b, s->pair[pair].lever[k], on_frames + 12 * k, f);
        tn_axpy(b->nv, scale, f, s->base.f + b->v0);
    }
}

static void add_tangents(director *s, int pair, double (*by_q)[24], double (*by_v)[24])
{
    dir_pair *p = &s->pair[pair];
    tn_director_add_pair(s, s->base.block[TN_BLOCK_K], pair, p->K, -1.0, by_q);
    tn_director_add_pair(s, s->base.block[TN_BLOCK_D], pair, p->D, -1.0, by_v);
}

// out += X'^T T
static void along_rate(const tn_linear_pair *at, double (*T)[24], double *out)
{
    for (int i = 0; i < 24; i++) {
        double v[3];
        tn_v3_to(at->v[i / 3], v);
        tn_axpy(24, v[i % 3], T[i], out);
    }
}

// Scalar laws -------------------------------------------------------------------------------------

typedef struct mean_load {
    double Q, Q_1, Q_v;
} mean_load;

static mean_load load_over(const abs_force *f, double t, double x0, double x1, double rate,
                           double kept)
{
    const tn_force_ops *ops = f->data.ops;
    tn_scalar_load load = {0};
    ops->law(&f->data, t, 0.5 * (x0 + x1), rate, kept, &load);
    const tn_scalar_mean mean = ops->mean ? ops->mean(&f->data, x0, x1) : (tn_scalar_mean){0};
    return (mean_load){.Q = mean.Q + load.Q - load.elastic,
                       .Q_1 = mean.Q_1 + 0.5 * (load.Q_x - load.elastic_x),
                       .Q_v = load.Q_v};
}

static void scalar_tangent(director *s, const abs_force *f, const tn_linear_span *at,
                           const mean_load *load, const double *D)
{
    double G1[24], T[24][24] = {{0}}, rate_1[24] = {0}, by_q[24][24], by_v[24][24];
    tn_linear_gradient(&f->data.row, &at->to, G1);
    tn_linear_mean_tangent(&f->data.row, at, 1.0, T);
    along_rate(&at->middle, T, rate_1);
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++) {
            by_q[i][j] = D[i] * (load->Q_1 * G1[j] + load->Q_v * rate_1[j]) + load->Q * T[i][j];
            by_v[i][j] = load->Q_v * D[i] * D[j];
        }
    add_tangents(s, f->pair, by_q, by_v);
}

static void scalar_force(director *s, const abs_force *f, const tn_span *over, unsigned want)
{
    const tn_row *row = &f->data.row;
    const abs_point start = {.t = over->t, .r = over->r};
    tn_linear_span at;
    double D[24];
    span_of(s, f->pair, over, &at);
    tn_linear_mean_gradient(row, &at, D);
    const double kept = abs_expected(s->base.world, &start, f->memory);
    const double x0 = tn_linear_value(row, &at.from, kept);
    const double x1 = tn_linear_value(row, &at.to, x0); // on the turn of x0
    const mean_load load = load_over(f, abs_clock(s->base.world, over->t + 0.5 * over->h), x0, x1,
                                     tn_linear_rate(D, &at.middle), kept);
    director_gradient_add_force(s, f->pair, load.Q, D);
    if (want & TN_EVAL_TANGENT)
        scalar_tangent(s, f, &at, &load, D);
}

// Potentials of relative frames -------------------------------------------------------------------

// The products of tn_seen_span, with the first factor of x and the second of y: bilinear, so that
// z = seen(x, x), z' = seen(x, x') + seen(x', x).
static void add_seen(const tn_vec3 *x, const tn_vec3 *y, double *z)
{
    const tn_vec3 d = tn_v3_sub(y[4], y[0]);
    for (int i = 0; i < 3; i++) {
        z[i] += tn_v3_dot(x[1 + i], d);
        z[TN_BACK + i] += tn_v3_dot(x[5 + i], d);
        for (int j = 0; j < 3; j++)
            z[TN_TURN + 3 * i + j] += tn_v3_dot(x[1 + i], y[5 + j]);
    }
}

static void see_products(const tn_linear_span *at, tn_seen_span *out)
{
    *out = (tn_seen_span){0};
    add_seen(at->from.x, at->from.x, out->from);
    add_seen(at->to.x, at->to.x, out->to);
    add_seen(at->middle.x, at->middle.v, out->rate);
    add_seen(at->middle.v, at->middle.x, out->rate);
}

// sum_i Q_i D_i on the eight vectors of the frames, where D_i is the gradient at the middle.
static void pull_products(const tn_vec3 *x, const double *Q, double *out)
{
    const tn_vec3 d = tn_v3_sub(x[4], x[0]);
    tn_vec3 on[8] = {{0}};
    for (int i = 0; i < 3; i++) {
        on[4] = tn_v3_axpy(Q[i], x[1 + i], on[4]);
        on[4] = tn_v3_axpy(Q[TN_BACK + i], x[5 + i], on[4]);
        on[1 + i] = tn_v3_axpy(Q[i], d, on[1 + i]);
        on[5 + i] = tn_v3_axpy(Q[TN_BACK + i], d, on[5 + i]);
        for (int j = 0; j < 3; j++) {
            const double turn = Q[TN_TURN + 3 * i + j];
            on[1 + i] = tn_v3_axpy(turn, x[5 + j], on[1 + i]);
            on[5 + j] = tn_v3_axpy(turn, x[1 + i], on[5 + j]);
        }
    }
    on[0] = tn_v3_neg(on[4]);
    for (int k = 0; k < 8; k++)
        tn_v3_to(on[k], out + 3 * k);
}

static bool add_scaled(double scale, const double *x, double *y)
{
    if (scale != 0.0)
        tn_axpy(24, scale, x, y);
    return scale != 0.0;
}

// With gradients D_i of the products z_i at the middle, G1_i at the end, and second derivatives H_i
// (both bilinear: dD_i/dX1 = H_i / 2, and dz_i'/dX1 = R_i / 2 with the gradient R_i at X'):
//
//   df/dX1 = sum_ij D_i (Q_1ij G1_j + Q_vij R_j / 2) + sum_i Q_i H_i / 2
//   df/dX' = sum_ij D_i Q_vij D_j
//
// `times` as much of the first. Most of Q_1 and Q_v, and of gradients, is zero.
static void seen_tangent(director *s, int pair, const tn_linear_span *at, const tn_seen_load *load,
                         double times)
{
    double by_q[24][24] = {{0}}, by_v[24][24] = {{0}};
    double on_q[TN_SEEN][24] = {{0}}, on_v[TN_SEEN][24] = {{0}}, D[TN_SEEN][24];
    tn_linear_pair moving = at->middle;
    bool damped = false;
    memcpy(moving.x, at->middle.v, sizeof moving.x);
    for (int j = 0; j < TN_SEEN; j++) {
        const tn_row row = tn_seen_row(j);
        double G1[24], R[24];
        tn_linear_gradient(&row, &at->middle, D[j]);
        tn_linear_gradient(&row, &at->to, G1);
        tn_linear_gradient(&row, &moving, R);
        for (int i = 0; i < TN_SEEN; i++) {
            add_scaled(times * load->Q_1[i][j], G1, on_q[i]);
            add_scaled(0.5 * times * load->Q_v[i][j], R, on_q[i]);
            damped |= add_scaled(load->Q_v[i][j], D[j], on_v[i]);
        }
        tn_linear_hessian(&row, &at->middle, 0.5 * times * load->Q[j], by_q);
    }
    for (int i = 0; i < TN_SEEN; i++)
        for (int k = 0; k < 24; k++) {
            add_scaled(D[i][k], on_q[i], by_q[k]);
            if (damped)
                add_scaled(D[i][k], on_v[i], by_v[k]);
        }
    dir_pair *p = &s->pair[pair];
    tn_director_add_pair(s, s->base.block[TN_BLOCK_K], pair, p->K, -1.0, by_q);
    if (damped)
        tn_director_add_pair(s, s->base.block[TN_BLOCK_D], pair, p->D, -1.0, by_v);
}

// A point is an interval of no length; a motion there moves both its ends.
void tn_director_seen(director *s, const abs_force *f, const tn_span *over, unsigned want)
{
    tn_linear_span at;
    tn_seen_span seen;
    tn_seen_load load = {0};
    double on_frames[24];
    if (over)
        span_of(s, f->pair, over, &at);
    else
        at.from = at.to = at.middle = s->pair[f->pair].at;
    see_products(&at, &seen);
    f->data.ops->between(&f->data, &seen, &load);
    pull_products(at.middle.x, load.Q, on_frames);
    director_gradient_add_force(s, f->pair, 1.0, on_frames);
    if (want & TN_EVAL_TANGENT)
        seen_tangent(s, f->pair, &at, &load, over ? 1.0 : 2.0);
}

static void force_over(director *s, const abs_force *f, const dir_act *act, unsigned want)
{
    if (f->data.ops->law)
        scalar_force(s, f, act->over, want);
    else if (f->data.ops->between)
        tn_director_seen(s, f, act->over, want);
    else
        tn_director_wrench(s, f, act->at, want, act->share);
}

// Rows --------------------------------------------------------------------------------------------

// The middle of the interval is enough for rows that are products, but for frames that are
// prescribed, whose middle is the mean of both ends.
static bool needs_ends(const director *s, const abs_joint *j)
{
    for (int m = 0; m < j->npair; m++)
        if (s->base.world->pair[j->pair[m]].pose)
            return true;
    for (int i = 0; i < j->nrow; i++)
        for (int m = 0; m < j->row[i].nterm; m++) {
            const tn_row_form form = j->row[i].term[m].row.form;
            if (form == TN_ROW_LENGTH || form == TN_ROW_ANGLE || form == TN_ROW_OWN ||
                form == TN_ROW_HEIGHT || form == TN_ROW_TOUCH)
                return true;
        }
    return false;
}

static void span_joint(director *s, const abs_joint *j, const tn_span *over, tn_linear_span *out)
{
    const bool ends = needs_ends(s, j);
    for (int m = 0; m < j->npair; m++)
        if (ends)
            span_of(s, j->pair[m], over, &out[m]);
        else
            out[m].middle = s->pair[j->pair[m]].at;
}

// Adds the terms of a pair to K, times their impulses; nothing for those that are linear.
static void joint_tangent(director *s, const abs_joint *j, int which, const tn_linear_span *at,
                          const double *lambda)
{
    TN_ASSERT(which >= 0 && which < j->npair);
    const int pair = j->pair[which];
    double T[24][24];
    bool any = false;
    for (int i = 0; i < j->nrow; i++)
        for (int m = 0; m < j->row[i].nterm; m++) {
            const abs_term *term = &j->row[i].term[m];
            if (term->pair != pair || term->row.form == TN_ROW_COORD)
                continue;
            if (!any)
                memset(T, 0, sizeof T);
            any = true;
            tn_linear_mean_tangent(&term->row, at, term->coefficient * lambda[i], T);
        }
    if (any)
        tn_director_add_pair(s, s->base.block[TN_BLOCK_K], pair, s->pair[pair].K, 1.0, T);
}

static void joint_rows(director *s, int joint, const tn_span *over, unsigned want)
{
    const abs_joint *j = &s->base.world->joint[joint];
    double G[4][TN_JOINT_MAX_ROWS][12];
    tn_linear_span at[2];
    memset(G, 0, (size_t)j->nbody * sizeof G[0]);
    span_joint(s, j, over, at);
    for (int i = 0; i < j->nrow; i++)
        for (int m = 0; m < j->row[i].nterm; m++) {
            const abs_term *term = &j->row[i].term[m];
            double D[24];
            tn_linear_mean_gradient(&term->row, &at[term->pair == j->pair[0] ? 0 : 1], D);
            tn_director_gather(s, j, term, D, G, i);
        }
    for (int m = 0; m < j->nbody; m++)
        dir_add(s->base.block[j->rolls ? TN_BLOCK_N : TN_BLOCK_B], &s->joint[joint].B[m], 1.0, 0,
                s->body[j->body[m]].dim, &G[m][0][0]);
    const double *multiplier = j->rolls ? over->eta : over->lambda + s->ninternal;
    for (int m = 0; want & TN_EVAL_TANGENT && m < j->npair; m++)
        joint_tangent(s, j, m, &at[m], multiplier + j->row0);
}

static void director_gradient_rows(director *s, const tn_span *over, unsigned want)
{
    tn_sparse_clear(s->base.block[TN_BLOCK_B]);
    if (s->base.nn > 0)
        tn_sparse_clear(s->base.block[TN_BLOCK_N]);
    for (int k = 1; k < s->base.world->nbody; k++) {
        tn_director_rigid_rows(s, &s->body[k], TN_EVAL_B);
        if (want & TN_EVAL_TANGENT)
            tn_director_rigid_curvature(s, &s->body[k], over->lambda, 0.5);
    }
    for (int k = 0; k < s->base.world->njoint; k++)
        joint_rows(s, k, over, want);
}

static tn_status gradient_eval(tn_system *self, const tn_span *over, unsigned want)
{
    TN_ASSERT(over->h > 0.0);
    director *s = (director *)self;
    const tn_point middle = {
        .t = over->t + 0.5 * over->h, .q = s->middle, .v = over->u, .e = over->e, .r = over->r};
    const abs_point here = abs_here(&middle);
    const dir_act act = {.force = force_over, .at = &here, .over = over, .share = 0.5};
    for (int i = 0; i < self->nq; i++)
        s->middle[i] = 0.5 * (over->q0[i] + over->q1[i]);
    const bool pairs = want & (TN_EVAL_B | TN_EVAL_TANGENT) || s->base.world->nforce > 0;
    tn_director_place(s, &middle, pairs ? PLACED_USED : PLACED_TREE);
    if (want & TN_EVAL_TANGENT) {
        tn_sparse_clear(self->block[TN_BLOCK_K]);
        tn_sparse_clear(self->block[TN_BLOCK_D]);
    }
    if (want & (TN_EVAL_FORCE | TN_EVAL_TANGENT)) {
        tn_director_weights(s);
        tn_director_forces(s, &act, want);
    }
    if (want & (TN_EVAL_B | TN_EVAL_TANGENT))
        director_gradient_rows(s, over, want);
    return TN_OK;
}

const tn_gradient_ops tn_director_gradient = {.eval = gradient_eval};
