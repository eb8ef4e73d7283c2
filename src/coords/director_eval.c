// SPDX-License-Identifier: MIT
//
// Evaluation in director coordinates. Nothing depends on velocities but forces, as M is constant
// and the space linear [LMO08, sect. 5.1]; with frames X = L q of the bodies and rows of
// row/row_linear.h,
//
//   B = G L,   gdot = G X' - u',   gamma = X'^T H X' + G_A X_A'' - u''   (A a prescribed frame)
//   Z = X'^T H L,   K = L^T H_lambda L
//
// and of the internal rows d_i . d_j: B = (d_j on d_i, d_i on d_j), Z the same with rates, gamma =
// 2 d_i' . d_j', K = lambda_ij I on (d_i, d_j) and (d_j, d_i); half of all where i = j.

#include "coords/director_parts.h"
#include "system/signal_blocks.h"

#include "base/alloc.h"
#include "lie/so3.h"
#include "linalg/dense.h"

#include <stdio.h>
#include <string.h>

// Placing -----------------------------------------------------------------------------------------

void tn_director_vectors(const dir_body *b, const double *q, tn_vec3 *x)
{
    TN_ASSERT(b->nvec <= 4 && (b->nvec == 0 || b->dim == 2 || b->dim == 3));
    for (int k = 0; k < b->nvec; k++) {
        x[k].x = q[k * b->dim];
        x[k].y = q[k * b->dim + 1];
        if (b->dim == 3)
            x[k].z = q[k * b->dim + 2];
    }
}

void tn_director_put(const dir_body *b, const tn_vec3 *x, double *q)
{
    TN_ASSERT(b->nvec <= 4 && (b->nvec == 0 || b->dim == 2 || b->dim == 3));
    for (int k = 0; k < b->nvec; k++) {
        double all[3];
        tn_v3_to(x[k], all);
        tn_copy(b->dim, all, q + k * b->dim);
    }
}

static void director_eval_place_body(dir_body *b, const tn_point *at)
{
    tn_director_vectors(b, at->q + b->v0, b->x);
    if (at->v)
        tn_director_vectors(b, at->v + b->v0, b->v);
    else
        memset(b->v, 0, sizeof b->v);
}

static void place_frame(const dir_body *b, double (*lever)[4], tn_vec3 *x, tn_vec3 *v)
{
    for (int m = 0; m < 4; m++) {
        x[m] = v[m] = (tn_vec3){0};
        for (int k = m > 0; k < 4; k++) { // axes do not move with the centre of mass
            x[m] = tn_v3_axpy(lever[m][k], b->x[k], x[m]);
            v[m] = tn_v3_axpy(lever[m][k], b->v[k], v[m]);
        }
    }
}

// A prescribed frame turns with w: a' = w x a, a'' = w' x a + w x (w x a).
static void place_prescribed(const abs_pair *from, dir_pair *p)
{
    const tn_end *end = &from->at.a;
    const tn_vec3 w = end->V.w;
    p->at.x[0] = end->x.p;
    p->at.v[0] = end->V.v;
    p->a[0] = from->Va_dot->v;
    for (int m = 1; m < 4; m++) {
        const tn_vec3 x = p->at.x[m] = tn_m3_column(end->x.R, m - 1);
        const tn_vec3 v = p->at.v[m] = tn_v3_cross(w, x);
        p->a[m] = tn_v3_add(tn_v3_cross(from->Va_dot->w, x), tn_v3_cross(w, v));
    }
}

static void place_pair(director *s, int k)
{
    TN_ASSERT(k >= 0 && k < s->base.world->npair);
    const abs_pair *from = &s->base.world->pair[k];
    dir_pair *p = &s->pair[k];
    p->at.length = from->at.length;
    p->at.own = from->at.own;
    if (from->pose)
        place_prescribed(from, p);
    else
        place_frame(&s->body[from->a], p->lever[0], p->at.x, p->at.v);
    place_frame(&s->body[from->b], p->lever[1], p->at.x + 4, p->at.v + 4);
}

tn_vec3 tn_director_turn(const dir_body *b, const tn_vec3 *rate)
{
    tn_vec3 w = {0};
    for (int k = 1; k < b->nvec; k++)
        w = tn_v3_axpy(0.5, tn_v3_cross(b->x[k], rate[k]), w);
    return w;
}

static void place_in_world(director *s, int k)
{
    TN_ASSERT(k > 0 && k < s->base.world->nbody);
    dir_body *b = &s->body[k];
    abs_body *to = &s->base.world->body[k];
    to->p = b->x[0];
    to->V = (tn_twist){b->v[0], tn_director_turn(b, b->v)};
    to->R = tn_m3_identity;
    if (dir_turns(b)) {
        const tn_mat3 A = tn_m3_columns(b->x[1], b->x[2], b->x[3]);
        to->R = tn_m3_orthonormalize(A);
        b->P = tn_m3_polar_turn(tn_m3_mul_t(A, to->R));
    }
    to->W = tn_m3_apply_t(to->R, to->V.w);
}

static void place_bodies(director *s, const tn_point *at)
{
    tn_note_placed(&s->base, at, PLACED_TREE);
    for (int k = 1; k < s->base.world->nbody; k++)
        director_eval_place_body(&s->body[k], at);
}

// The world, and the frames of pairs: what is prescribed of these is known there.
static void place_world(director *s, double t)
{
    absolute *w = s->base.world;
    for (int k = 1; k < w->nbody; k++)
        place_in_world(s, k);
    for (int k = 0; k < w->npair; k++) {
        tn_absolute_place_pair(w, &w->pair[k], t);
        place_pair(s, k);
    }
}

void tn_director_place(director *s, const tn_point *at, placed what)
{
    const placed there = tn_is_placed(&s->base, at) ? s->base.world->placed : PLACED_NOTHING;
    if (there >= what)
        return;
    if (there < PLACED_TREE)
        place_bodies(s, at);
    if (what > PLACED_TREE)
        place_world(s, at->t);
    s->base.world->placed = !at->v ? PLACED_NOTHING : what > PLACED_TREE ? PLACED_ALL : what;
}

static void director_place(tn_system *self, const tn_point *at, placed what)
{
    tn_director_place((director *)self, at, what);
}

static abs_point director_here(tn_system *self, const tn_point *at)
{
    return dir_here((const director *)self, at);
}

const placing_ops tn_director_placing = {director_place, director_here};

// Internal rows -----------------------------------------------------------------------------------

// Puts scale x into 12 columns, where vector k of the body has its own.
static void director_eval_put_vector(const dir_body *b, int k, double scale, tn_vec3 x, double *row)
{
    TN_ASSERT(k >= 0 && k < b->nvec);
    double all[3];
    tn_v3_to(x, all);
    for (int c = 0; c < b->dim; c++)
        row[k * b->dim + c] += scale * all[c];
}

void tn_director_rigid_rows(director *s, const dir_body *b, unsigned want)
{
    tn_system *sys = &s->base;
    double B[6][12] = {{0}}, Z[6][12] = {{0}};
    for (int k = 0; k < b->nrow; k++) {
        int i, j;
        dir_internal(dir_count(b), k, &i, &j);
        const double scale = i == j ? 0.5 : 1.0, delta = i == j;
        const tn_vec3 di = b->x[i], dj = b->x[j], vi = b->v[i], vj = b->v[j];
        if (want & TN_EVAL_G)
            sys->g[b->row0 + k] = scale * (tn_v3_dot(di, dj) - delta);
        if (want & TN_EVAL_GDOT)
            sys->gdot[b->row0 + k] = scale * (tn_v3_dot(di, vj) + tn_v3_dot(vi, dj));
        if (want & TN_EVAL_GAMMA)
            sys->gamma[b->row0 + k] = 2.0 * scale * tn_v3_dot(vi, vj);
        if (want & TN_EVAL_B) {
            director_eval_put_vector(b, i, scale, dj, B[k]);
            director_eval_put_vector(b, j, scale, di, B[k]);
        }
        if (want & TN_EVAL_TANGENT) {
            director_eval_put_vector(b, i, scale, vj, Z[k]);
            director_eval_put_vector(b, j, scale, vi, Z[k]);
        }
    }
    if (want & TN_EVAL_B)
        dir_add(sys->block[TN_BLOCK_B], &b->B, 1.0, 0, b->dim, &B[0][0]);
    if (want & TN_EVAL_TANGENT)
        dir_add(sys->block[TN_BLOCK_Z], &b->Z, 1.0, 0, b->dim, &Z[0][0]);
}

void tn_director_rigid_curvature(director *s, const dir_body *b, const double *lambda, double share)
{
    double block[12][12] = {{0}};
    for (int k = 0; k < b->nrow; k++) {
        int i, j;
        dir_internal(dir_count(b), k, &i, &j);
        for (int c = 0; c < b->dim; c++)
            block[i * b->dim + c][j * b->dim + c] = block[j * b->dim + c][i * b->dim + c] =
                lambda[b->row0 + k];
    }
    dir_add(s->base.block[TN_BLOCK_K], &b->K, share, b->dim, b->dim, &block[0][0]);
}

// Rows of joints ----------------------------------------------------------------------------------

// Rows of one joint, gathered per moving body, and per pair weighted by lambda.
typedef struct joint_rows {
    double G[4][TN_JOINT_MAX_ROWS][12];
    double Z[4][TN_JOINT_MAX_ROWS][12];
    double H[2][24][24];
} joint_rows;

void tn_director_gather(const director *s, const abs_joint *j, const abs_term *term,
                        const double *from, double (*to)[TN_JOINT_MAX_ROWS][12], int i)
{
    TN_ASSERT(i >= 0 && i < j->nrow);
    const abs_pair *p = &s->base.world->pair[term->pair];
    const int body[2] = {p->a, p->b};
    for (int k = 0; k < 2; k++)
        for (int m = 0; m < j->nbody; m++)
            if (j->body[m] == body[k]) {
                const dir_body *b = &s->body[body[k]];
                double x[12];
                tn_director_pull(b, s->pair[term->pair].lever[k], from + 12 * k, x);
                tn_axpy(b->nv, term->coefficient, x, to[m][i]);
            }
}

static double prescribed(const director *s, const abs_term *term, const double *G)
{
    double sum = 0.0;
    for (int m = 0; s->base.world->pair[term->pair].pose && m < 4; m++)
        sum += tn_v3_dot(tn_v3_from(G + 3 * m), s->pair[term->pair].a[m]);
    return sum;
}

static void term_tangent(const director *s, const abs_joint *j, const abs_term *term, int i,
                         double lambda, joint_rows *w)
{
    const tn_linear_pair *at = &s->pair[term->pair].at;
    if (term->row.form == TN_ROW_COORD) // linear
        return;
    double H[24][24] = {{0}}, Z[24] = {0};
    double(*sum)[24] = w->H[term->pair == j->pair[0] ? 0 : 1];
    tn_linear_hessian(&term->row, at, 1.0, H);
    for (int a = 0; a < 24; a++) {
        double v[3];
        tn_v3_to(at->v[a / 3], v);
        tn_axpy(24, v[a % 3], H[a], Z);
        tn_axpy(24, term->coefficient * lambda, H[a], sum[a]);
    }
    tn_director_gather(s, j, term, Z, w->Z, i);
}

static void term_eval(director *s, const abs_joint *j, const abs_term *term, int i,
                      const abs_point *at, unsigned want, joint_rows *w)
{
    const tn_linear_pair *pair = &s->pair[term->pair].at;
    const double scale = term->coefficient;
    const abs_target to = tn_joint_target(&s->base, s->ninternal, j, at);
    double G[24];
    if (want & TN_EVAL_G && !j->rolls)
        to.g[i] += scale *
                   tn_linear_value(&term->row, pair, abs_expected(s->base.world, at, term->memory));
    if (!(want & (TN_EVAL_GDOT | TN_EVAL_GAMMA | TN_EVAL_B | TN_EVAL_TANGENT)))
        return;
    tn_linear_gradient(&term->row, pair, G);
    if (want & TN_EVAL_GDOT)
        to.rate[i] += scale * tn_linear_rate(G, pair);
    if (want & TN_EVAL_GAMMA)
        to.gamma[i] += scale * (tn_linear_curvature(&term->row, pair) + prescribed(s, term, G));
    if (want & TN_EVAL_B)
        tn_director_gather(s, j, term, G, w->G, i);
    if (want & TN_EVAL_TANGENT)
        term_tangent(s, j, term, i, to.multiplier[i], w);
}

static void director_eval_joint_eval(director *s, int joint, const abs_point *at, unsigned want)
{
    const abs_joint *j = &s->base.world->joint[joint];
    const dir_joint *slots = &s->joint[joint];
    const abs_target to = tn_joint_target(&s->base, s->ninternal, j, at);
    tn_system *sys = &s->base;
    joint_rows w;
    if (want & TN_EVAL_B)
        memset(w.G, 0, (size_t)j->nbody * sizeof w.G[0]);
    if (want & TN_EVAL_TANGENT) {
        memset(w.Z, 0, (size_t)j->nbody * sizeof w.Z[0]);
        memset(w.H, 0, (size_t)j->npair * sizeof w.H[0]);
    }
    for (int i = 0; i < j->nrow; i++) {
        const abs_row *row = &j->row[i];
        double u[3] = {0};
        if (row->u)
            abs_driven(s->base.world, row->u, at->t, u);
        if (want & TN_EVAL_G && !j->rolls)
            to.g[i] = -row->constant - u[0];
        if (want & TN_EVAL_GDOT)
            to.rate[i] = -u[1];
        if (want & TN_EVAL_GAMMA)
            to.gamma[i] = -u[2];
        for (int m = 0; m < row->nterm; m++)
            term_eval(s, j, &row->term[m], i, at, want, &w);
    }
    for (int m = 0; m < j->nbody; m++) {
        const int col = s->body[j->body[m]].dim;
        if (want & TN_EVAL_B)
            dir_add(to.B, &slots->B[m], 1.0, 0, col, &w.G[m][0][0]);
        if (want & TN_EVAL_TANGENT)
            dir_add(to.Z, &slots->Z[m], 1.0, 0, col, &w.Z[m][0][0]);
    }
    for (int m = 0; want & TN_EVAL_TANGENT && m < j->npair; m++)
        tn_director_add_pair(s, sys->block[TN_BLOCK_K], j->pair[m], s->pair[j->pair[m]].K, 1.0,
                             w.H[m]);
}

// Evaluation --------------------------------------------------------------------------------------

void tn_director_weights(director *s)
{
    tn_zero(s->base.nv, s->base.f);
    for (int k = 1; k < s->base.world->nbody; k++) {
        const dir_body *b = &s->body[k];
        director_eval_put_vector(b, 0, b->mass, s->base.world->model->gravity, s->base.f + b->v0);
    }
}

static tn_status director_eval(tn_system *self, const tn_point *at, unsigned want)
{
    static const unsigned rows =
        TN_EVAL_G | TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA | TN_EVAL_TANGENT;
    director *s = (director *)self;
    const abs_point here = dir_here(s, at);
    const bool pairs = want & (rows | TN_EVAL_EXTRA) || s->base.world->nforce > 0;
    tn_director_place(s, at, pairs ? PLACED_USED : PLACED_TREE);
    if (want & TN_EVAL_B)
        tn_sparse_clear(self->block[TN_BLOCK_B]);
    if (want & TN_EVAL_B && self->nn > 0)
        tn_sparse_clear(self->block[TN_BLOCK_N]);
    const unsigned tangent = want & (TN_EVAL_TANGENT | TN_EVAL_LOADS) ? TN_EVAL_TANGENT : 0;
    if (tangent) {
        tn_sparse_clear(self->block[TN_BLOCK_K]);
        tn_sparse_clear(self->block[TN_BLOCK_D]);
    }
    if (want & TN_EVAL_TANGENT)
        tn_sparse_clear(self->block[TN_BLOCK_Z]);
    if (want & TN_EVAL_TANGENT && self->nn > 0)
        tn_sparse_clear(self->block[TN_BLOCK_NZ]);
    if (tangent || want & TN_EVAL_FORCE) {
        dir_act act = tn_director_act;
        act.at = &here;
        tn_director_weights(s);
        tn_director_forces(s, &act, want | tangent);
    } else if (want & TN_EVAL_EXTRA) {
        tn_absolute_set_signals(s->base.world, &here, false);
    }
    if (want & TN_EVAL_EXTRA && s->base.world->signals)
        tn_absolute_extra(s->base.world, self->extra);
    if (!(want & rows))
        return TN_OK;
    for (int k = 1; k < s->base.world->nbody; k++) {
        tn_director_rigid_rows(s, &s->body[k], want);
        if (want & TN_EVAL_TANGENT)
            tn_director_rigid_curvature(s, &s->body[k], at->lambda, 1.0);
    }
    for (int k = 0; k < s->base.world->njoint; k++)
        director_eval_joint_eval(s, k, &here, want);
    return TN_OK;
}

// Kinetic energy as M has it, v^T M v / 2, and the momenta that go with it.
static void body_energy(const director *s, const dir_body *b, tn_energy *out)
{
    const tn_vec3 momentum = tn_v3_scale(b->mass, b->v[0]);
    tn_vec3 spin = tn_v3_cross(b->x[0], momentum);
    double twice = tn_v3_dot(momentum, b->v[0]);
    for (int i = 1; i < b->nvec; i++)
        for (int j = 1; j < b->nvec; j++) {
            const tn_vec3 p = tn_v3_scale(b->E.m[i - 1][j - 1], b->v[j]);
            twice += tn_v3_dot(b->v[i], p);
            spin = tn_v3_add(spin, tn_v3_cross(b->x[i], p));
        }
    out->kinetic += 0.5 * twice;
    out->potential -= b->mass * tn_v3_dot(s->base.world->model->gravity, b->x[0]);
    abs_add_momenta(momentum, spin, out);
}

// The momenta that rotations and translations of all vectors keep [LMO08, sect. 3.2]: sum of x_k x
// p_k, as p is dual to the rates of the vectors x_k.
static void director_momenta(const tn_system *self, const double *q, const double *p,
                             tn_energy *out)
{
    const director *s = (const director *)self;
    *out = (tn_energy){.has_momentum = true};
    for (int k = 1; k < s->base.world->nbody; k++) {
        const dir_body *b = &s->body[k];
        tn_vec3 x[4], momentum[4] = {{0}}, spin = {0};
        for (int i = 0; i < b->nvec; i++)
            x[i] = b->x[i]; // of planar bodies the height, which does not change
        tn_director_vectors(b, q + b->v0, x);
        tn_director_vectors(b, p + b->v0, momentum);
        for (int i = 0; i < b->nvec; i++)
            spin = tn_v3_add(spin, tn_v3_cross(x[i], momentum[i]));
        abs_add_momenta(momentum[0], spin, out);
    }
}

static void director_energy(tn_system *self, const tn_point *at, tn_energy *out)
{
    director *s = (director *)self;
    const abs_point here = dir_here(s, at);
    *out = (tn_energy){.has_momentum = true};
    tn_director_place(s, at, PLACED_ALL);
    for (int k = 1; k < s->base.world->nbody; k++)
        body_energy(s, &s->body[k], out);
    tn_absolute_powers(s->base.world, &here, out);
}

// Lengths of directors and angles between them are without unit.
static bool director_row_turns(const tn_system *self, int i, double *coefficient)
{
    const director *s = (const director *)self;
    *coefficient = 1.0;
    return i < s->ninternal ||
           tn_absolute_row_turns(&s->base.world->base, i - s->ninternal, coefficient);
}

static void director_row_name(const tn_system *self, int i, char *text, size_t size)
{
    const director *s = (const director *)self;
    if (i >= s->ninternal) {
        tn_absolute_ops.row_name(&s->base.world->base, i - s->ninternal, text, size);
        return;
    }
    int k = 1, a, b;
    while (i >= s->body[k].row0 + s->body[k].nrow)
        k++;
    dir_internal(dir_count(&s->body[k]), i - s->body[k].row0, &a, &b);
    const char *name = s->base.world->model->bodies.at[k].name;
    if (a == b)
        snprintf(text, size, "body '%s', length of director %d", name, a);
    else
        snprintf(text, size, "body '%s', angle of directors %d and %d", name, a, b);
}

static void director_velocity_name(const tn_system *self, int i, char *text, size_t size)
{
    static const char axis[] = "xyz";
    TN_ASSERT(i >= 0 && i < self->nv);
    const director *s = (const director *)self;
    int k = 1;
    while (i >= s->body[k].v0 + s->body[k].nv)
        k++;
    const dir_body *b = &s->body[k];
    const char *name = s->base.world->model->bodies.at[k].name;
    const int vector = (i - b->v0) / b->dim, component = (i - b->v0) % b->dim;
    if (vector == 0)
        snprintf(text, size, "body '%s', %c", name, axis[component]);
    else
        snprintf(text, size, "body '%s', %c of director %d", name, axis[component], vector);
}

static void director_destroy(tn_system *self)
{
    director *s = (director *)self;
    tn_director_close_chain(s);
    tn_signal_blocks_destroy(s->blocks);
    TN_FREE(s->block, s);
}

static void director_values(tn_system *self, tn_values *v)
{
    director *s = (director *)self;
    TN_VALUES(v, "1", 4 * s->base.world->nbody, (double *)s->rotation);
}

const tn_system_ops tn_director_ops = {
    .coordinates = "director",
    .directors = true,
    .eval = director_eval,
    .loads = true,
    .energy = director_energy,
    .values = director_values,
    .momenta = director_momenta,
    .accept = tn_placed_accept,
    .next_sample = tn_placed_next_sample,
    .sample = tn_placed_sample,
    .row_name = director_row_name,
    .row_turns = director_row_turns,
    .velocity_name = director_velocity_name,
    .extra_name = tn_placed_extra_name,
    .force_name = tn_placed_force_name,
    .placing = &tn_director_placing,
    .mechanism = &tn_director_mechanism,
    .world = &tn_director_world,
    .chain = &tn_director_chain,
    .gradient = &tn_director_gradient,
    .destroy = director_destroy,
};
