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

#include "system/signal_blocks.h"

#include "base/team.h"
#include "linalg/dense.h"
#include "tree/tree.h"

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
    abs_add(K, b->diagonal, scale, &block[0][0]);
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
        sum += tn_v3_dot(tn_v3_from(G), p->Va_dot->v) + tn_v3_dot(tn_v3_from(G + 3), p->Va_dot->w);
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

abs_target tn_joint_target(const tn_system *sys, int first, const abs_joint *j, const abs_point *at)
{
    const double *all = j->rolls ? at->eta : at->lambda;
    const double *multiplier = all ? all + j->row0 : NULL;
    const int row = first + j->row0;
    if (j->rolls)
        return (abs_target){NULL,
                            sys->ndot + j->row0,
                            sys->ngamma + j->row0,
                            sys->block[TN_BLOCK_N],
                            sys->block[TN_BLOCK_NZ],
                            multiplier};
    return (abs_target){sys->g + row,           sys->gdot + row,        sys->gamma + row,
                        sys->block[TN_BLOCK_B], sys->block[TN_BLOCK_Z], multiplier};
}

static void term_eval(absolute *s, const abs_joint *j, const abs_term *term, int i,
                      const abs_target *to, unsigned want, abs_rows *w)
{
    TN_ASSERT(i >= 0 && i < j->nrow && term->pair >= 0 && term->pair < s->npair);
    const abs_pair *p = &s->pair[term->pair];
    const double scale = term->coefficient;
    double G[12], Z[12] = {0};
    tn_row_gradient(&term->row, &p->at, G);
    if (want & TN_EVAL_GDOT)
        to->rate[i] += scale * tn_row_rate(G, &p->at);
    if (want & TN_EVAL_GAMMA)
        to->gamma[i] +=
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
                sum[a][b] += scale * to->multiplier[i] * H[a][b];
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
    const abs_target to = tn_joint_target(&s->base, 0, j, at);
    double block[TN_JOINT_MAX_ROWS][6];
    for (int k = 0; k < j->nbody; k++) {
        const abs_body *b = &s->body[j->body[k]];
        double force[6] = {0};
        for (int i = 0; i < j->nrow; i++) {
            project_absolute(b, w->G[k][i], block[i]);
            if (want & TN_EVAL_TANGENT)
                tn_axpy(6, to.multiplier[i], w->G[k][i], force);
        }
        for (int i = 0; want & TN_EVAL_B && i < b->blocks.count; i++)
            if (j->B[k].part[0][i].offset >= 0)
                tn_sparse_put(to.B, j->B[k].part[0][i], &block[0][3 * i], 6);
        if (!(want & TN_EVAL_TANGENT))
            continue;
        add_geometric(sys->block[TN_BLOCK_K], b, 1.0, force);
        for (int i = 0; i < j->nrow; i++) {
            project_absolute(b, w->Z[k][i], block[i]);
            project_rate(b, w->G[k][i], block[i]);
        }
        abs_add(to.Z, &j->Z[k], 1.0, &block[0][0]);
    }
    const bool bent = abs_is_bent(j);
    for (int k = 0; want & TN_EVAL_TANGENT && k < j->npair; k++) {
        const abs_pair *p = &s->pair[j->pair[k]];
        const double *D = &w->D[k][0][0];
        add_pair_blocks(s, sys->block[TN_BLOCK_K], p, &p->K[0][0], 1.0, &w->H[k][0][0],
                        bent ? D : NULL);
        if (bent)
            add_pair_blocks(s, sys->block[TN_BLOCK_D], p, &p->D[0][0], 1.0, D, NULL);
    }
}

void tn_absolute_rows(absolute *s, const abs_joint *j, const abs_point *at, unsigned want,
                      abs_rows *w)
{
    TN_ASSERT(j->nrow <= TN_JOINT_MAX_ROWS);
    const abs_target to = tn_joint_target(&s->base, 0, j, at);
    memset(w->G, 0, (size_t)j->nbody * sizeof w->G[0]);
    if (want & TN_EVAL_TANGENT) {
        memset(w->Z, 0, (size_t)j->nbody * sizeof w->Z[0]);
        memset(w->H, 0, (size_t)j->npair * sizeof w->H[0]);
        memset(w->D, 0, (size_t)(abs_is_bent(j) ? j->npair : 0) * sizeof w->D[0]);
    }
    for (int i = 0; i < j->nrow; i++) {
        const abs_row *row = &j->row[i];
        if (want & TN_EVAL_G && !j->rolls)
            to.g[i] = row_value(s, row, at);
        if (!(want & (TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA | TN_EVAL_TANGENT)))
            continue;
        double u[3] = {0};
        if (row->u)
            abs_driven(s, row->u, at->t, u);
        if (want & TN_EVAL_GDOT)
            to.rate[i] = -u[1] - row->rate;
        if (want & TN_EVAL_GAMMA)
            to.gamma[i] = -u[2];
        for (int m = 0; m < row->nterm; m++)
            term_eval(s, j, &row->term[m], i, &to, want, w);
    }
    if (j->formula)
        tn_absolute_formula_row(s, j, at, want, w);
}

static void absolute_joint_eval(absolute *s, const abs_joint *j, const abs_point *at, unsigned want)
{
    abs_rows w;
    if (j->attachment && !j->start_rows) {
        tn_absolute_attachment_eval(s, j->attachment, at, want);
        return;
    }
    tn_absolute_rows(s, j, at, want, &w);
    if (want & (TN_EVAL_B | TN_EVAL_TANGENT))
        joint_scatter(s, j, at, want, &w);
}

static void force_eval(absolute *s, const abs_force *f, const abs_point *at, unsigned want)
{
    tn_system *sys = &s->base;
    const abs_pair *p = &s->pair[f->pair];
    const int body[2] = {p->a, p->b};
    const tn_load load = tn_absolute_load(s, at, f);
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
        const tn_load_tangent T = tn_absolute_load_tangent(s, at, f);
        add_pair_blocks(s, sys->block[TN_BLOCK_K], p, &p->K[0][0], -1.0, &T.K[0][0], &T.D[0][0]);
        add_pair_blocks(s, sys->block[TN_BLOCK_D], p, &p->D[0][0], -1.0, &T.D[0][0], NULL);
    }
}

// World twists by the coordinates of a body, with their change as it turns: J and J_q.
static void absolute_columns(tn_system *self, int body, body_columns *out)
{
    const abs_body *b = &((absolute *)self)->body[body];
    out->n = b->nv;
    out->index = out->room.index;
    out->q = out->v = out->room.v;
    out->p = out->room.p;
    for (int i = 0; i < b->nv; i++) {
        const int k = b->turns == 1 ? 2 : i - b->moves;
        const tn_vec3 move = {i == 0 && b->moves > 0, i == 1 && b->moves > 1,
                              i == 2 && b->moves > 2};
        const tn_vec3 turn = {i >= b->moves && k == 0, i >= b->moves && k == 1,
                              i >= b->moves && k == 2};
        const bool turns = b->turns == 3;
        out->room.index[i] = b->v0 + i;
        out->room.v[i] = (tn_twist){b->se3 ? tn_m3_apply(b->R, move) : move,
                                    turns ? tn_m3_apply(b->R, turn) : turn};
        out->room.p[i] = (tn_twist){0};
        if (turns)
            out->room.p[i].w = tn_m3_apply(b->R, tn_v3_cross(turn, b->W));
        if (b->se3)
            out->room.p[i].v = tn_m3_apply(b->R, tn_v3_cross(turn, b->U));
    }
}

static int absolute_path(const tn_system *self, int body, int *list)
{
    const abs_body *b = &((const absolute *)self)->body[body];
    for (int i = 0; i < b->nv; i++)
        list[i] = b->v0 + i;
    return b->nv;
}

const signal_ops tn_absolute_signal_ops = {.path = absolute_path, .columns = absolute_columns};

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
    abs_add(D, b->damping, 1.0, &block[0][0]);
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

// Arguments that the elements of an evaluation share.
typedef struct abs_asked {
    absolute *s;
    const abs_point *at;
    unsigned want;
} abs_asked;

static void eval_body(void *user, int begin, int end)
{
    const abs_asked *a = user;
    for (int k = begin; k < end; k++)
        body_eval(a->s, &a->s->body[k + 1], a->want);
}

static void eval_force(void *user, int k)
{
    const abs_asked *a = user;
    force_eval(a->s, &a->s->force[k], a->at, a->want);
}

static void eval_joint(void *user, int k)
{
    const abs_asked *a = user;
    absolute_joint_eval(a->s, &a->s->joint[k], a->at, a->want);
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
        if (self->nn > 0)
            tn_sparse_clear(self->block[TN_BLOCK_NZ]);
    }
    if (s->signals && want & (TN_EVAL_FORCE | TN_EVAL_TANGENT | TN_EVAL_EXTRA))
        tn_absolute_set_signals(s, &here, want & TN_EVAL_TANGENT);
    if (s->signals && want & TN_EVAL_EXTRA)
        tn_absolute_extra(s, self->extra);
    if (s->signals && want & TN_EVAL_TANGENT)
        tn_signal_blocks_tangent(s->blocks, &here, 1.0, NULL);
    if (want & (TN_EVAL_FORCE | TN_EVAL_TANGENT)) {
        abs_asked asked = {s, &here, want};
        tn_team_loop(s->nbody - 1, ABS_MANY, eval_body, &asked);
        tn_absolute_in_batches(&s->force_batches, s->nforce, eval_force, &asked);
        tn_absolute_spread_force(s, at->a, want);
        tn_absolute_modal_force(s, at->a, want);
    }
    if (want & TN_EVAL_MASS) {
        tn_absolute_spread_mass(s);
        tn_absolute_modal_mass(s);
    }
    if (want & (TN_EVAL_G | TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA | TN_EVAL_TANGENT)) {
        abs_asked asked = {s, &here, want};
        tn_absolute_in_batches(&s->joint_batches, s->njoint, eval_joint, &asked);
    }
    s->has_B = s->has_B || (want & TN_EVAL_B && at->v);
    return TN_OK;
}

static void absolute_energy(tn_system *self, const tn_point *at, tn_energy *out)
{
    absolute *s = (absolute *)self;
    abs_point here = abs_here(at);
    here.eta = tn_slides_eta(self, at);
    tn_absolute_place(s, at);
    tn_absolute_energies(s, &here, out);
}

static void absolute_row_name(const tn_system *self, int i, char *text, size_t size)
{
    const absolute *s = (const absolute *)self;
    TN_ASSERT(i >= 0 && i < self->ng + self->nn);
    int row;
    const abs_joint *j = abs_joint_of(s, i, &row);
    const char *name = s->model->joints.at[j->model_index].name;
    if (j->start_rows) {
        snprintf(text, size, "joint '%s', stated start value", name);
        return;
    }
    row += j->rolls ? s->joint[j->model_index].nrow : 0;
    snprintf(text, size, "joint '%s', row %s", name,
             tn_constraint_row_name(s->model, j->model_index, row));
}

static const char *absolute_row_none(const tn_system *self, int i)
{
    const absolute *s = (const absolute *)self;
    int row;
    const abs_joint *j = abs_joint_of(s, i, &row);
    const tn_joint_data *data = &s->model->joints.at[j->model_index];
    return j->start_rows || !data->ops->shapes ? NULL : data->def->contact.touch->none;
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

void tn_placed_extra_name(const tn_system *self, int i, char *text, size_t size)
{
    const tn_model *m = self->world->model;
    TN_ASSERT(i >= 0 && i < m->states.count + m->unknowns.count);
    if (i < m->states.count)
        snprintf(text, size, "state '%s'", m->states.at[i].name);
    else
        snprintf(text, size, "unknown '%s'", m->unknowns.at[i - m->states.count].name);
}

static void absolute_destroy(tn_system *self)
{
    absolute *s = (absolute *)self;
    tn_signal_blocks_destroy(s->blocks);
    tn_absolute_close_signals(s);
    tn_absolute_close_formulas(s);
    tn_absolute_close_modals(s);
    tn_tree_destroy(s->tree);
    TN_FREE(s->slots, s->block, s);
}

// The table that a force of expressions has left; NULL for none.
static const char *left_table(const absolute *s, const abs_force *f)
{
    const abs_signals *sig = s->signals;
    const char *name = NULL;
    for (int i = 0; i < TN_COUNT(f->data.u) && !name; i++)
        name = f->data.u[i] ? tn_timefn_closed_table(f->data.u[i]) : NULL;
    for (int k = 0; f->live >= 0 && sig && k < sig->program->nnode && !name; k++)
        if (!isfinite(sig->value[k]))
            name = tn_formula_closed_table(sig->program->node[k].formula);
    return name;
}

void tn_placed_force_name(tn_system *self, const tn_point *at, char *text, size_t size)
{
    const absolute *s = self->world;
    const abs_point here = tn_place_at(self, at, PLACED_SEEN);
    for (int k = 0; k < s->nforce; k++) {
        const tn_load load = tn_absolute_load(s, &here, &s->force[k]);
        if (!tn_all_finite(TN_COUNT(load.w), load.w)) {
            const char *table = left_table(s, &s->force[k]), *name = s->model->forces.at[k].name;
            if (table)
                snprintf(text, size, "force '%s', beyond its table '%s',", name, table);
            else
                snprintf(text, size, "force '%s'", name);
            return;
        }
    }
}

const tn_system_ops tn_absolute_ops = {
    .coordinates = "absolute",
    .eval = absolute_eval,
    .energy = absolute_energy,
    .accept = tn_placed_accept,
    .next_sample = tn_placed_next_sample,
    .sample = tn_placed_sample,
    .row_name = absolute_row_name,
    .row_none = absolute_row_none,
    .row_turns = tn_absolute_row_turns,
    .velocity_name = absolute_velocity_name,
    .extra_name = tn_placed_extra_name,
    .force_name = tn_placed_force_name,
    .placing = &tn_absolute_placing,
    .tree = &tn_absolute_tree,
    .mechanism = &tn_absolute_mechanism,
    .destroy = absolute_destroy,
};
