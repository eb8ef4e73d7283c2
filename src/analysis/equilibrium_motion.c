// SPDX-License-Identifier: MIT
//
// Steady motions that a model states by its start: bodies that turn with one w together and each
// with e about an axis of its own, see equilibrium_equations.c, and that move so for ever. w is
// what explains the accelerations,
//
//   u' = w x u,   omega' = w x omega     for all bodies, by least squares
//
// and where all that moves is along one direction n a turning about n is free: a shaft may be
// seen from the inertial frame, in which it must be symmetric, or from its own, in which its
// bearings must be. A sample shows if coefficients are constant in such frames: the mechanism is
// moved on along its steady motion by some part of a turn, and its linearised equations are formed
// again there.

#include "analysis/equilibrium.h"

#include "analysis/linear_motion.h"
#include "base/alloc.h"
#include "base/carve.h"
#include "base/tolerance.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "start/sizes.h"
#include "system/absolute.h"

#include <math.h>
#include <stdio.h>

static const double BALANCED = 1e-6; // force that is left, by the largest
static const double SAME = 1e-6;     // of matrices at two places, by their sizes
static const double AT_REST = 1e-5;  // velocities of what has come to rest [sizes, rad, by 1 s]
static const double PLACES[] = {0.37, 1.73}; // [rad], or sizes of the model
enum { MOST_COMMON = 8 };                    // candidates of w

// Motion of a body, inertial axes.
typedef struct body_motion {
    int moves, turns; // none of an amplitude
    tn_vec3 u, u_dot, w, w_dot;
    tn_mat3 R;
} body_motion;

static tn_vec3 vector_of(int n, const double *x)
{
    return tn_v3(n > 0 ? x[0] : 0.0, n > 1 ? x[1] : 0.0, n > 2 ? x[2] : 0.0);
}

static body_motion motion_at(const tn_equilibrium *s, int k, const double *q)
{
    const tn_group *group = &s->sys->groups[k];
    body_motion m = {.R = tn_m3_identity};
    if (tn_eq_is_amplitude(group))
        return m;
    while (m.moves < group->nv && m.moves < 3 && !s->turns[group->v0 + m.moves])
        m.moves++;
    m.turns = group->nv - m.moves;
    const double *v = s->v + group->v0, *a = s->a + group->v0;
    m.u = vector_of(m.moves, v);
    m.u_dot = vector_of(m.moves, a);
    if (m.turns == 1) {
        m.w.z = v[m.moves];
        m.w_dot.z = a[m.moves];
    }
    if (m.turns == 3) {
        m.R = tn_quat_matrix(tn_quat_from(q + group->q0 + 3));
        m.w = tn_m3_apply(m.R, vector_of(3, v + m.moves));
        m.w_dot = tn_m3_apply(m.R, vector_of(3, a + m.moves));
    }
    return m;
}

// The common rotation -----------------------------------------------------------------------------

typedef struct common {
    int n;
    tn_vec3 w[MOST_COMMON]; // candidates
} common;

static void add_pair(tn_vec3 u, tn_vec3 rate, double N[9], tn_vec3 *b)
{
    const double x[3] = {u.x, u.y, u.z}, square = tn_v3_dot(u, u);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            N[3 * i + j] += (i == j ? square : 0.0) - x[i] * x[j];
    *b = tn_v3_add(*b, tn_v3_cross(u, rate));
}

static void add_candidate(common *c, tn_vec3 w)
{
    for (int i = 0; i < c->n; i++)
        if (tn_v3_norm(tn_v3_sub(c->w[i], w)) <= TN_ROUND_ITERATE * tn_v3_norm(w))
            return;
    if (c->n < MOST_COMMON)
        c->w[c->n++] = w;
}

static tn_vec3 without_round_off(tn_vec3 w)
{
    const double least = TN_ROUND_MATRIX * tn_v3_norm(w);
    return tn_v3(fabs(w.x) > least ? w.x : 0.0, fabs(w.y) > least ? w.y : 0.0,
                 fabs(w.z) > least ? w.z : 0.0);
}

static tn_status find_common(const tn_equilibrium *s, common *c)
{
    double N[9] = {0}, value[3];
    tn_vec3 b = {0}, w = {0}, along = {0};
    int nfree = 0;
    *c = (common){0};
    for (int k = 0; k < s->sys->ngroup; k++) {
        const body_motion m = motion_at(s, k, s->now.q);
        add_pair(m.u, m.u_dot, N, &b);
        add_pair(m.w, m.w_dot, N, &b);
    }
    TN_TRY(tn_eigen_symmetric(3, N, value));
    for (int i = 0; i < 3; i++) {
        const tn_vec3 axis = tn_v3_from(N + 3 * i);
        if (value[i] > TN_ROUND_ITERATE * value[2]) {
            w = tn_v3_add(w, tn_v3_scale(tn_v3_dot(axis, b) / value[i], axis));
        } else {
            along = axis;
            nfree++;
        }
    }
    double turning = 0.0;
    for (int k = 0; k < s->sys->ngroup; k++)
        turning = fmax(turning, tn_v3_norm(motion_at(s, k, s->now.q).w));
    if (tn_v3_norm(w) <= TN_ROUND_ITERATE * turning)
        w = tn_v3(0.0, 0.0, 0.0);
    add_candidate(c, without_round_off(w));
    for (int k = 0; nfree == 1 && k < s->sys->ngroup; k++) {
        const double turn = tn_v3_dot(motion_at(s, k, s->now.q).w, along);
        if (turn != 0.0)
            add_candidate(c, tn_v3_add(w, tn_v3_scale(turn, along)));
    }
    return TN_OK;
}

// w and what bodies turn with beside it.
static void take_common(tn_equilibrium *s, tn_vec3 w)
{
    s->spin = w;
    for (int k = 0; k < s->sys->ngroup; k++) {
        const body_motion m = motion_at(s, k, s->now.q);
        const tn_vec3 own = tn_m3_apply_t(m.R, tn_v3_sub(m.w, w));
        const bool none = tn_v3_norm(own) <= TN_ROUND_ITERATE * (tn_v3_norm(m.w) + tn_v3_norm(w));
        s->own_spin[k] = none ? tn_v3(0.0, 0.0, 0.0) : own;
    }
}

// Balance -----------------------------------------------------------------------------------------

// Accelerations of the steady motion into `a`.
static void steady_accelerations(const tn_equilibrium *s, double *a)
{
    tn_zero(s->sys->nv, a);
    for (int k = 0; k < s->sys->ngroup; k++) {
        const tn_group *group = &s->sys->groups[k];
        const body_motion m = motion_at(s, k, s->now.q);
        double rate[3];
        tn_v3_to(tn_v3_cross(s->spin, m.u), rate);
        tn_copy(m.moves, rate, a + group->v0);
        if (m.turns == 3)
            tn_v3_to(tn_m3_apply_t(m.R, tn_v3_cross(s->spin, m.w)), a + group->v0 + m.moves);
    }
}

static const char *point_words(const tn_equilibrium *s)
{
    return s->purpose.state ? "the state" : "the start";
}

// Checks the residual of the forces with these accelerations, M (a - steady).
static tn_status check_balance(tn_equilibrium *s)
{
    tn_system *sys = s->sys;
    const int nv = sys->nv;
    double *steady = s->y, *left = s->y1, size = 0.0;
    const tn_point at = tn_eq_point(s, &s->now);
    char name[160];
    TN_TRY(tn_eq_linearise(s, &s->now));
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_FORCE));
    steady_accelerations(s, steady);
    tn_eq_times_mass(s, steady, left);
    size = fmax(tn_norm_inf(nv, sys->f), tn_norm_inf(nv, left));
    const double fastest = tn_norm_inf(nv, s->v);
    const double allowed =
        BALANCED * size + TN_ROUND_ITERATE * tn_sparse_norm1(sys->block[TN_BLOCK_K]) +
        TN_ROUND_SOLVE * tn_sparse_norm1(sys->block[TN_BLOCK_M]) * fastest * fastest;
    for (int i = 0; i < nv; i++)
        steady[i] = s->a[i] - steady[i];
    tn_eq_times_mass(s, steady, left);
    const int worst = tn_largest_at(nv, left);
    if (nv == 0 || fabs(left[worst]) <= allowed)
        return TN_OK;
    sys->ops->velocity_name(sys, worst, name, sizeof name);
    return tn_fail(TN_ERR_NUMERIC,
                   "%s is neither an equilibrium nor a steady motion: %.3g %s are left on "
                   "%s; look for an equilibrium instead, or correct it",
                   point_words(s), fabs(left[worst]) * tn_system_unit(sys, TN_MEASURE_FORCE, worst),
                   s->turns[worst] ? "N m" : "N", name);
}

static tn_status check_states(tn_equilibrium *s)
{
    tn_system *sys = s->sys;
    const tn_point at = tn_eq_point(s, &s->now);
    char name[160];
    if (sys->nc == 0)
        return TN_OK;
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_EXTRA));
    for (int i = 0; i < sys->nc; i++)
        if (fabs(sys->extra[i]) > BALANCED * fmax(1.0, fabs(s->now.e[i]))) {
            tn_system_extra_name(sys, i, name, sizeof name);
            return tn_fail(TN_ERR_NUMERIC,
                           "the start is no steady motion: %s changes with the rate %.3g, and must "
                           "stand still; state another initial value",
                           name, sys->extra[i]);
        }
    return TN_OK;
}

// Constant coefficients ---------------------------------------------------------------------------

typedef struct place {
    double *q, *v, *a, *lambda, *eta, *r; // moved on
    double *force, *rows;                 // nv, ng + nn
    double misfit;                        // of the balance and of constraints there, relative
    char left[240];                       // what that is
    void *block;
} place;

typedef struct sizes {
    const tn_system *sys;
    place *to;
} sizes;

static void layout_place(void *self, tn_carve *mem)
{
    const sizes *z = self;
    const tn_system *sys = z->sys;
    place *p = z->to;
    p->q = tn_carve_doubles(mem, sys->nq);
    TN_CARVE_DOUBLES(mem, sys->nv, &p->v, &p->a, &p->force);
    p->lambda = tn_carve_doubles(mem, sys->ng);
    p->eta = tn_carve_doubles(mem, sys->nn);
    p->r = tn_carve_doubles(mem, sys->nr);
    p->rows = tn_carve_doubles(mem, sys->ng + sys->nn);
}

static tn_mat3 turned_by(tn_vec3 axis, double t)
{
    return tn_so3_exp(tn_v3_scale(t, axis));
}

// Displacement after a time of a point with velocity u, u' = w x u.
static tn_vec3 way_of(tn_vec3 u, tn_vec3 w, double t)
{
    return tn_v3_scale(t, tn_m3_apply_t(tn_so3_tangent(tn_v3_scale(t, w)), u));
}

// a may be NULL.
static void move_body(const tn_equilibrium *s, int k, double t, double *all_q, double *all_v,
                      double *all_a)
{
    const tn_group *group = &s->sys->groups[k];
    const body_motion m = motion_at(s, k, s->now.q);
    const tn_mat3 W = turned_by(s->spin, t), E = turned_by(s->own_spin[k], t);
    const double *q0 = s->now.q + group->q0;
    double *q = all_q + group->q0, *v = all_v + group->v0, x[3];
    double *a = all_a ? all_a + group->v0 : NULL;
    if (tn_eq_is_amplitude(group)) {
        *q = *q0;
        *v = s->v[group->v0];
        return;
    }
    tn_v3_to(tn_v3_add(vector_of(m.moves, q0), way_of(m.u, s->spin, t)), x);
    tn_copy(m.moves, x, q);
    tn_v3_to(tn_m3_apply(W, m.u), x);
    tn_copy(m.moves, x, v);
    tn_v3_to(tn_m3_apply(W, m.u_dot), x);
    if (a)
        tn_copy(m.moves, x, a);
    if (m.turns == 1) {
        q[m.moves] = q0[m.moves] + t * m.w.z;
        v[m.moves] = m.w.z;
    }
    if (m.turns == 3) {
        const tn_mat3 R = tn_m3_mul(W, tn_m3_mul(m.R, E));
        tn_quat_to(tn_quat_from_matrix(R), q + 3);
        tn_v3_to(tn_m3_apply_t(E, tn_m3_apply_t(m.R, m.w)), v + 3);
        if (a)
            tn_v3_to(tn_m3_apply_t(E, tn_m3_apply_t(m.R, m.w_dot)), a + 3);
    }
}

// The motion x, carried on with the frames.
void tn_eq_carry(const tn_equilibrium *s, double t, const double *x, double *to)
{
    for (int k = 0; k < s->sys->ngroup; k++) {
        const tn_group *group = &s->sys->groups[k];
        const body_motion m = motion_at(s, k, s->now.q);
        const double *from = x + group->v0;
        double y[3];
        tn_copy(group->nv, from, to + group->v0);
        tn_v3_to(tn_m3_apply(turned_by(s->spin, t), vector_of(m.moves, from)), y);
        tn_copy(m.moves, y, to + group->v0);
        if (m.turns == 3)
            tn_v3_to(tn_m3_apply_t(turned_by(s->own_spin[k], t), vector_of(3, from + 3)),
                     to + group->v0 + 3);
    }
}

// A time in which the mechanism turns or goes by about this much.
double tn_eq_time_of(const tn_equilibrium *s, double part)
{
    double most = tn_v3_norm(s->spin);
    for (int k = 0; k < s->sys->ngroup; k++) {
        const body_motion m = motion_at(s, k, s->now.q);
        most = fmax(most, fmax(tn_v3_norm(m.w), tn_v3_norm(m.u)));
    }
    return most > 0.0 ? part / most : 0.0;
}

void tn_eq_moved_on(const tn_equilibrium *s, double t, double *q, double *v)
{
    if (tn_eq_moves(s) && t != 0.0) {
        for (int k = 0; k < s->sys->ngroup; k++)
            move_body(s, k, t, q, v, NULL);
    } else {
        tn_copy(s->sys->nq, s->now.q, q);
        tn_copy(s->sys->nv, s->v, v);
    }
}

static void note_row(tn_equilibrium *s, int i, double off, place *to)
{
    char name[160];
    if (!(off > to->misfit))
        return;
    to->misfit = off;
    s->sys->ops->row_name(s->sys, i, name, sizeof name);
    snprintf(to->left, sizeof to->left, "%s does not hold", name);
}

// Measures the residual of the motion there: of forces, rows, rates of states.
static tn_status measure_place(tn_equilibrium *s, const tn_point *at, place *to)
{
    tn_system *sys = s->sys;
    const int worst = tn_largest_at(sys->nv, to->force);
    const double fastest = tn_norm_inf(sys->nv, at->v);
    const double inertia = tn_sparse_norm1(sys->block[TN_BLOCK_M]) * fastest * fastest;
    const double size = fmax(tn_norm_inf(sys->nv, sys->f), 1e-300) +
                        TN_ROUND_ITERATE / BALANCED * tn_sparse_norm1(sys->block[TN_BLOCK_K]) +
                        TN_ROUND_SOLVE / BALANCED * inertia;
    char name[160];
    to->misfit = sys->nv > 0 ? fabs(to->force[worst]) / size : 0.0;
    if (sys->nv > 0) {
        sys->ops->velocity_name(sys, worst, name, sizeof name);
        snprintf(to->left, sizeof to->left, "%.3g %s are left on %s",
                 fabs(to->force[worst]) * tn_system_unit(sys, TN_MEASURE_FORCE, worst),
                 s->turns[worst] ? "N m" : "N", name);
    }
    for (int i = 0; i < sys->ng; i++)
        note_row(s, i, fmax(fabs(sys->g[i]), fabs(sys->gdot[i])), to);
    for (int i = 0; i < sys->nn; i++)
        note_row(s, sys->ng + i, fabs(sys->ndot[i]), to);
    if (sys->nc == 0)
        return TN_OK;
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_EXTRA));
    for (int i = 0; i < sys->nc; i++) {
        const double off = fabs(sys->extra[i]) / fmax(1.0, fabs(at->e[i]));
        if (!(off > to->misfit))
            continue;
        to->misfit = off;
        tn_system_extra_name(sys, i, name, sizeof name);
        snprintf(to->left, sizeof to->left, "%s changes with the rate %.3g", name, sys->extra[i]);
    }
    return TN_OK;
}

// Multipliers at the place, by the forces that accelerations leave: none fit where the motion does
// not go on so.
static tn_status find_multipliers(tn_equilibrium *s, const tn_point *at, place *to)
{
    tn_system *sys = s->sys;
    tn_basis *basis = NULL;
    const int sweeps = sys->force_uses_lambda ? 40 : 1;
    tn_status status = tn_basis_create(sys, "qr", &basis);
    for (int i = 0; i < sweeps && status == TN_OK; i++) {
        status = tn_system_eval(
            sys, at, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B | TN_EVAL_G | TN_EVAL_GDOT);
        TN_THEN(status, tn_basis_form(basis, at));
        if (status != TN_OK)
            break;
        tn_copy(sys->nv, sys->f, to->force);
        tn_sparse_mul(sys->block[TN_BLOCK_M], -1.0, to->a, to->force);
        tn_basis_multipliers(basis, to->force, to->rows);
        tn_copy(sys->ng, to->rows, to->lambda);
        tn_copy(sys->nn, to->rows + sys->ng, to->eta);
    }
    tn_basis_destroy(basis);
    TN_TRY(status);
    tn_sparse_mul_t(sys->block[TN_BLOCK_B], -1.0, to->lambda, to->force);
    tn_sparse_mul_t(sys->block[TN_BLOCK_N], -1.0, to->eta, to->force);
    return measure_place(s, at, to);
}

static double difference(int n, const double *a, const double *b, double size)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return size > 0.0 ? most / size : 0.0;
}

// Rows of velocities may be others that say the same: by what they are orthogonal to.
static double row_difference(const tn_reduced_motion *a, const tn_reduced_motion *b)
{
    double most = 0.0, size = 0.0;
    for (int which = 0; which < 4; which++) {
        const double *a1 = which & 1 ? a->Z : a->N, *a2 = which & 2 ? a->Z : a->N;
        const double *b1 = which & 1 ? b->Z : b->N, *b2 = which & 2 ? b->Z : b->N;
        for (int i = 0; i < a->n; i++)
            for (int j = 0; j < a->n; j++) {
                const size_t x = (size_t)i * (size_t)a->nn, y = (size_t)j * (size_t)a->nn;
                const double here = tn_dot(a->nn, a1 + x, a2 + y);
                most = fmax(most, fabs(here - tn_dot(a->nn, b1 + x, b2 + y)));
                size = fmax(size, fabs(here));
            }
    }
    return size > 0.0 ? most / size : 0.0;
}

static double compare_motions(const tn_reduced_motion *a, const tn_reduced_motion *b)
{
    const int n = a->n, nn = n * n, ne = a->ne;
    const double M = tn_norm_inf(nn, a->M), K = tn_norm_inf(nn, a->K), D = tn_norm_inf(nn, a->D);
    double most = difference(nn, a->M, b->M, M);
    most = fmax(most, difference(nn, a->D, b->D, fmax(D, M)));
    most = fmax(most, difference(nn, a->K, b->K, fmax(K, fmax(D, M))));
    most = fmax(most, difference(n * ne, a->F, b->F, tn_norm_inf(n * ne, a->F)));
    most = fmax(most, difference(n * ne, a->Q, b->Q, tn_norm_inf(n * ne, a->Q)));
    most = fmax(most, difference(n * ne, a->V, b->V, tn_norm_inf(n * ne, a->V)));
    most = fmax(most, difference(ne * ne, a->E, b->E, tn_norm_inf(ne * ne, a->E)));
    return a->nn > 0 ? fmax(most, row_difference(a, b)) : most;
}

// Result of a check of the motion further on.
typedef struct look {
    double changed; // of the linear motion, by its size
    double misfit;
    char left[240];
} look;

// Does something where the motion is after a time; time itself goes on, or is held. Leaves the
// matrices of the system there.
static tn_status do_there(tn_equilibrium *s, double t, bool hold, tn_eq_deed *deed, void *user,
                          look *seen)
{
    tn_system *sys = s->sys;
    place to = {.misfit = INFINITY};
    sizes z = {sys, &to};
    eq_state kept = s->now, later = s->now;
    double *v = s->v, *a = s->a;
    const double t0 = s->start.x.t;
    TN_TRY(tn_carve_block(&z, layout_place, &to.block));
    tn_copy(sys->nr, s->now.r, to.r);
    tn_copy(sys->ng, s->now.lambda, to.lambda);
    tn_copy(sys->nn, s->now.eta, to.eta);
    for (int k = 0; k < sys->ngroup; k++)
        move_body(s, k, t, to.q, to.v, to.a);
    later.q = to.q;
    later.lambda = to.lambda;
    later.eta = to.eta;
    later.r = to.r;
    s->v = to.v;
    s->a = to.a;
    s->start.x.t = hold ? t0 : t0 + t;
    s->now = later;
    const tn_point at = tn_eq_point(s, &s->now);
    tn_status status = sys->ops->accept ? sys->ops->accept(sys, &at, to.r) : TN_OK;
    TN_THEN(status, find_multipliers(s, &at, &to));
    TN_THEN(status, tn_eq_linearise(s, &s->now));
    TN_THEN(status, deed(s, t, user));
    if (to.misfit > seen->misfit) {
        seen->misfit = to.misfit;
        snprintf(seen->left, sizeof seen->left, "%s", to.left);
    }
    s->now = kept;
    s->v = v;
    s->a = a;
    s->start.x.t = t0;
    tn_free(to.block);
    return status;
}

tn_status tn_eq_do_later(tn_equilibrium *s, double t, tn_eq_deed *deed, void *user)
{
    look seen = {0};
    return do_there(s, t, false, deed, user, &seen);
}

// The motions G, carried on, as matrices.
typedef struct reducing {
    const tn_reduced_motion *like;
    const double *G;
    const int *input;
    tn_reduced_motion *out;
} reducing;

static tn_status reduce_there(tn_equilibrium *s, double t, void *user)
{
    const reducing *r = user;
    const size_t nv = (size_t)s->sys->nv, n = (size_t)r->like->n;
    double *G = tn_alloc(sizeof(double) * (nv * n + 1));
    TN_TRY(tn_got(G));
    for (size_t c = 0; c < n; c++)
        tn_eq_carry(s, t, r->G + c * nv, G + c * nv);
    const tn_status status = tn_reduce_motion(s, (int)n, G, r->like->nu, r->input, r->out);
    tn_free(G);
    return status;
}

static tn_status reduce_later(tn_equilibrium *s, double t, bool hold, const tn_reduced_motion *like,
                              const double *G, const int *input, tn_reduced_motion *out, look *seen)
{
    *out = (tn_reduced_motion){0};
    return do_there(s, t, hold, reduce_there, &(reducing){like, G, input, out}, seen);
}

// Measures the change of the linear motion along the steady one, in frames that turn with w.
static tn_status judge_common(tn_equilibrium *s, tn_vec3 w, bool hold, look *seen)
{
    tn_reduced_motion first = {0}, second = {0};
    const tn_point at = tn_eq_point(s, &s->now);
    double *G = NULL;
    int n = 0;
    *seen = (look){0};
    take_common(s, w);
    TN_TRY(tn_eq_linearise(s, &s->now));
    tn_status status = tn_holonomic_motions(s, &at, &G, &n);
    TN_THEN(status, tn_reduce_motion(s, n, G, 0, NULL, &first));
    for (int k = 0; k < TN_COUNT(PLACES) && status == TN_OK; k++) {
        const double t = tn_eq_time_of(s, PLACES[k]);
        status = reduce_later(s, t, hold, &first, G, NULL, &second, seen);
        if (status == TN_OK)
            seen->changed = fmax(seen->changed, compare_motions(&first, &second));
        tn_free(second.block);
        second.block = NULL;
    }
    TN_FREE(G, first.block, second.block);
    if (status == TN_OK || status == TN_ERR_MEMORY)
        return status;
    seen->changed = INFINITY; // it does not go on so
    snprintf(seen->left, sizeof seen->left, "%s", tn_last_error());
    seen->misfit = INFINITY;
    tn_clear_error();
    return TN_OK;
}

static bool is_constant(const look *seen)
{
    return seen->changed <= SAME && seen->misfit <= BALANCED;
}

static tn_status refuse_periodic(const char *what, const look *seen)
{
    if (seen->misfit > BALANCED)
        return tn_fail(TN_ERR_NUMERIC,
                       "%s is no steady motion: forces and constraints that hold it now do not do "
                       "so any more when it has moved on, where %s",
                       what, seen->left);
    return tn_fail(
        TN_ERR_NUMERIC,
        "the linear motion about %s is periodic, not constant: it changes by %.2g of its "
        "size on the way, in frames that turn with the motion and in those that do not; "
        "a body that spins must be symmetric about its axis, and what it turns in must "
        "be, too",
        what, seen->changed);
}

static bool is_at_rest(const tn_equilibrium *s)
{
    return tn_norm_inf(s->sys->nv, s->v) == 0.0;
}

static tn_status check_size(const tn_equilibrium *s)
{
    if (s->sys->nv <= TN_LINEAR_MOST_VELOCITIES)
        return TN_OK;
    return tn_fail(
        TN_ERR_MODEL,
        "steady motions are looked at with full matrices, for %d velocities at most, and "
        "the model has %d",
        TN_LINEAR_MOST_VELOCITIES, s->sys->nv);
}

static tn_status find_frames(tn_equilibrium *s, const common *c)
{
    look seen, best = {.changed = INFINITY, .misfit = INFINITY};
    TN_TRY(check_size(s));
    for (int i = 0; i < c->n; i++) {
        TN_TRY(judge_common(s, c->w[i], false, &seen));
        if (is_constant(&seen))
            return TN_OK;
        if (i == 0 || fmax(seen.misfit, seen.changed) < fmax(best.misfit, best.changed))
            best = seen;
    }
    return refuse_periodic("the start", &best);
}

// Drives turn along with time, other functions of time are held: either may be meant.
tn_status tn_eq_check_rotation(tn_equilibrium *s, bool constant)
{
    look seen[2];
    if (s->as_stated || !tn_eq_moves(s) || (!constant && s->sys->nv > TN_LINEAR_MOST_VELOCITIES))
        return TN_OK;
    TN_TRY(check_size(s));
    for (int hold = 0; hold < 2; hold++) {
        TN_TRY(judge_common(s, s->spin, hold, &seen[hold]));
        if (constant ? is_constant(&seen[hold]) : seen[hold].misfit <= BALANCED)
            return tn_eq_linearise(s, &s->now);
    }
    return refuse_periodic("this rotation", &seen[seen[1].misfit < seen[0].misfit]);
}

// Inputs that push along directions at rest push a mechanism that turns from other sides later.
static double input_difference(const tn_reduced_motion *a, const tn_reduced_motion *b, int k)
{
    const double *U = a->U + (size_t)k * (size_t)a->n, *U1 = b->U + (size_t)k * (size_t)a->n;
    const double *R = a->R + (size_t)k * (size_t)a->ne, *R1 = b->R + (size_t)k * (size_t)a->ne;
    const double *W = a->W + (size_t)k * (size_t)a->nn, *W1 = b->W + (size_t)k * (size_t)a->nn;
    double most = difference(a->n, U, U1, tn_norm_inf(a->n, U));
    most = fmax(most, difference(a->ne, R, R1, tn_norm_inf(a->ne, R)));
    const double w = tn_norm2(a->nn, W); // rows may be others that say the same
    return w > 0.0 ? fmax(most, fabs(tn_norm2(a->nn, W1) - w) / w) : most;
}

tn_status tn_eq_check_inputs(tn_equilibrium *s, const tn_reduced_motion *here, const double *G,
                             const int *input)
{
    tn_status status = TN_OK;
    if (!tn_eq_moves(s) || is_at_rest(s) || here->nu == 0)
        return TN_OK;
    for (int i = 0; i < TN_COUNT(PLACES) && status == TN_OK; i++) {
        tn_reduced_motion later = {0};
        look seen = {0};
        status = reduce_later(s, tn_eq_time_of(s, PLACES[i]), true, here, G, input, &later, &seen);
        for (int k = 0; status == TN_OK && k < here->nu; k++) {
            const double changed = input_difference(here, &later, k);
            if (changed > SAME)
                status =
                    tn_fail(TN_ERR_NUMERIC,
                            "input '%s' is periodic about this steady motion: what it does "
                            "changes by %.2g of its size on the way; let it act in directions "
                            "that turn with the motion, as a motor of a joint, or leave it out",
                            s->model->inputs.at[input[k]]->name, changed);
        }
        tn_free(later.block);
    }
    TN_THEN(status, tn_eq_linearise(s, &s->now));
    return status;
}

static tn_status check_amplitudes(const tn_equilibrium *s)
{
    char name[160];
    for (int k = 0; k < s->sys->ngroup; k++) {
        const int v0 = s->sys->groups[k].v0;
        if (!tn_eq_is_amplitude(&s->sys->groups[k]) || fabs(s->v[v0]) <= BALANCED)
            continue;
        s->sys->ops->velocity_name(s->sys, v0, name, sizeof name);
        return tn_fail(TN_ERR_NUMERIC, "the start is no steady motion: the amplitude %s has a rate",
                       name);
    }
    return TN_OK;
}

// Takes a motion that is at rest but for some digits as at rest.
static tn_status let_rest(tn_equilibrium *s)
{
    const int nv = s->sys->nv;
    const double fastest = tn_norm_inf(nv, s->v);
    if (fastest == 0.0 || fastest > AT_REST)
        return TN_OK;
    tn_zero(nv, s->start.x.v);
    TN_TRY(tn_start_set(&s->start, s->start.x.t, NULL, NULL));
    TN_TRY(tn_start_refresh(&s->start));
    tn_zero(nv, s->v);
    tn_copy(nv, s->start.x.a, s->a);
    tn_copy(s->sys->ng, s->start.x.lambda, s->now.lambda);
    tn_copy(s->sys->nn, s->start.x.eta, s->now.eta);
    tn_copy(s->sys->ne, s->start.x.e, s->now.e);
    tn_copy(s->sys->nr, s->start.x.r, s->now.r);
    return TN_OK;
}

// A start that assembly has moved far is another one than was stated.
static void judge_start(tn_equilibrium *s)
{
    const tn_point at = tn_eq_point(s, &s->now);
    const tn_sizes size = tn_sizes_at_start(s->model, s->sys, &at);
    int body = -1;
    const double moved =
        s->purpose.state ? 0.0 : tn_sizes_moved(&size, s->model, s->sys, &at, &body);
    tn_judged what = {
        .quantity = "start", .value = moved, .bound = TN_START_MOVED, .t = s->start.x.t};
    if (body < 0)
        return;
    const char *name = s->model->bodies.at[body].name;
    snprintf(what.where, sizeof what.where, "body '%.80s'", name);
    tn_verdict_add(&s->verdict, &what,
                   "the start has moved body '%s' by %.3g of the size of the mechanism from where "
                   "it is stated, bound %.2g; check the stated positions with 'tenon check', or "
                   "leave out those that are guesses",
                   name, moved, TN_START_MOVED);
}

tn_status tn_eq_take_motion(tn_equilibrium *s)
{
    common c;
    TN_ASSERT(s->as_stated);
    tn_copy(s->sys->nv, s->start.x.v, s->v);
    tn_copy(s->sys->nv, s->start.x.a, s->a);
    s->facts.t = s->start.x.t;
    s->facts.load = 1.0;
    s->facts.freedoms = s->sys->nv - s->start.redundancy.rank;
    TN_TRY(let_rest(s));
    TN_TRY(check_states(s));
    TN_TRY(check_amplitudes(s));
    judge_start(s);
    TN_TRY(find_common(s, &c));
    take_common(s, c.w[0]);
    TN_TRY(check_balance(s));
    steady_accelerations(s, s->a);
    if (!is_at_rest(s))
        TN_TRY(find_frames(s, &c));
    return tn_eq_linearise(s, &s->now);
}
