// SPDX-License-Identifier: MIT
//
// From the linearised equations to states: see linear_motion.h. Coordinates y are those of joints
// as far as they are independent, then those of bodies. With Y = (y, z, e, eta) the equations are
//
//   E Y' = A Y + B u
//
// with a singular E. One step of the elimination [Lue77] splits the rows by those of E: E1 Y' = A1
// Y + B1 u and 0 = A2 Y + B2 u, and the unknowns Y = Z c + Vb b by A2 Vb = 0 and E1 Z = 0, so that
//
//   A2 Z c = -B2 u,    E1 Vb b' = A1 Vb b + (B1 u + A1 Z c)
//
// as long as there is such a c: otherwise motions depend on the rate of an input, which is refused.

#include "analysis/linear_motion.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "model/units.h"
#include "system/absolute.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SINGULAR = 1e-12; // of E and A2, rows scaled, by the largest
static const double NO_RATE = 1e-8;   // of inputs, relative
static const double ROUND_OFF = 1e-13;

// Coordinates -------------------------------------------------------------------------------------

// Coordinates are chosen one after the other: those that are far from the span of others first.
typedef struct choice {
    tn_linear_motion *l;
    const double *G0; // nv x n1, orthonormal
    int count;
    double *Q;   // n1 x n1: orthonormal rows so far
    double *row; // n1
    double *J;   // nv x n1: gradients that were chosen
} choice;

static double across(choice *c, const double *gradient, double *size)
{
    const int n = c->l->n1, nv = c->l->s->sys->nv;
    for (int i = 0; i < n; i++)
        c->row[i] = tn_dot(nv, gradient, c->G0 + (size_t)i * (size_t)nv);
    *size = tn_norm2(n, c->row);
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < c->count; k++) {
            const double *q = tn_column_of(c->Q, n, k);
            tn_axpy(n, -tn_dot(n, q, c->row), q, c->row);
        }
    return tn_norm2(n, c->row);
}

// Takes the coordinate if a part `least` of it is across those that are there.
static tn_status offer(choice *c, double least, const double *gradient, const char *name,
                       double unit, bool length)
{
    const int n = c->l->n1, nv = c->l->s->sys->nv;
    double size;
    if (c->count == n)
        return TN_OK;
    const double part = across(c, gradient, &size);
    if (!(size > 1e-9 * tn_norm2(nv, gradient)) || !(part > least * size))
        return TN_OK;
    tn_scale(n, 1.0 / part, c->row);
    tn_copy(n, c->row, tn_column_of(c->Q, n, c->count));
    tn_copy(nv, gradient, tn_column_of(c->J, nv, c->count));
    tn_linear_coordinate *to = &c->l->coordinate[c->count++];
    to->unit = unit;
    to->text = length ? "m" : "rad";
    to->name = tn_strdup(name);
    return tn_got(to->name);
}

static tn_status offer_joints(choice *c, double least, const tn_point *at, double *gradient)
{
    const tn_model *model = c->l->s->model;
    char name[300];
    for (int j = 0; j < model->joints.count; j++) {
        const tn_joint_data *joint = &model->joints.at[j];
        for (int i = 0; i < joint->ops->ncoord; i++) {
            double value, gamma;
            tn_absolute_coordinate(c->l->s->sys, at, j, i, &value, gradient, &gamma);
            snprintf(name, sizeof name, "%s.%s", joint->name, joint->ops->coords[i].name);
            const bool length = strcmp(joint->ops->coords[i].unit, "m") == 0;
            TN_TRY(offer(c, least, gradient, name,
                         tn_unit_joint_coordinate(model, (tn_joint){j}, i), length));
        }
    }
    return TN_OK;
}

// The velocity of the origin of a body, then its angular velocity in body axes, with velocities v.
static void motion_of(const tn_system *sys, const tn_point *at, int body, double out[6])
{
    tn_body_state state;
    tn_absolute_body(sys, at, body, &state);
    tn_v3_to(state.velocity, out);
    tn_v3_to(state.rate, out + 3);
}

static tn_status offer_body(choice *c, double least, const tn_point *at, int body, double *gradient)
{
    static const char *const words[6] = {"position.x", "position.y", "position.z",
                                         "turn.x",     "turn.y",     "turn.z"};
    tn_system *sys = c->l->s->sys;
    const tn_model *model = c->l->s->model;
    const tn_body_ops *ops = model->bodies.at[body].ops;
    double *v = gradient + sys->nv, motion[6], columns[6][6];
    char name[300];
    int v0;
    const int n = tn_absolute_body_velocity(sys, body, &v0);
    tn_point moving = *at;
    moving.v = v;
    tn_zero(2 * sys->nv, gradient);
    for (int i = 0; i < n && i < 6; i++) {
        v[v0 + i] = 1.0;
        motion_of(sys, &moving, body, motion);
        memcpy(columns[i], motion, sizeof motion);
        v[v0 + i] = 0.0;
    }
    for (int k = 0; k < 6; k++) {
        if (k < 3 ? k >= ops->moves : ops->turns == 0 || (ops->turns == 1 && k < 5))
            continue;
        for (int i = 0; i < n && i < 6; i++)
            gradient[v0 + i] = columns[i][k];
        snprintf(name, sizeof name, "%s.%s", model->bodies.at[body].name,
                 k == 5 && ops->turns == 1 ? "angle" : words[k]);
        TN_TRY(offer(c, least, gradient, name, k < 3 ? model->units.length : 1.0, k < 3));
    }
    return TN_OK;
}

static tn_status offer_all(choice *c, const tn_point *at, double *gradient)
{
    static const double LEAST[] = {0.3, 0.03, 1e-3, 1e-6};
    for (int pass = 0; pass < TN_COUNT(LEAST); pass++) {
        TN_TRY(offer_joints(c, LEAST[pass], at, gradient));
        for (int k = 1; pass > 0 && k < c->l->s->model->bodies.count; k++)
            TN_TRY(offer_body(c, LEAST[pass], at, k, gradient));
    }
    if (c->count == c->l->n1)
        return TN_OK;
    return tn_fail(TN_ERR_NUMERIC,
                   "only %d of %d independent coordinates were found among those of joints and "
                   "bodies",
                   c->count, c->l->n1);
}

// G = G0 (J^T G0)^-1
static tn_status divide_by_chosen(choice *c)
{
    tn_linear_motion *l = c->l;
    const int n = l->n1, nv = l->s->sys->nv;
    double *square = tn_alloc(sizeof(double) * (size_t)(n * n + n + 1) + sizeof(int) * (size_t)n);
    TN_TRY(tn_got(square));
    double *b = square + n * n;
    int *pivot = (int *)(b + n + 1);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            tn_column_of(square, n, j)[i] =
                tn_dot(nv, tn_column_of(c->J, nv, i), c->G0 + (size_t)j * (size_t)nv);
    const tn_status status = tn_lu_factor(n, square, pivot);
    for (int i = 0; status == TN_OK && i < n; i++) {
        tn_zero(n, b);
        b[i] = 1.0;
        tn_lu_solve(n, square, pivot, b);
        for (int j = 0; j < n; j++)
            tn_axpy(nv, b[j], c->G0 + (size_t)j * (size_t)nv, tn_column_of(l->G, nv, i));
    }
    tn_free(square);
    return status;
}

static tn_status choose_coordinates(tn_linear_motion *l)
{
    const tn_system *sys = l->s->sys;
    const tn_point at = tn_eq_point(l->s, &l->s->now);
    choice c = {.l = l};
    double *G0 = NULL, *block = NULL;
    tn_status status = tn_holonomic_motions(l->s, &at, &G0, &l->n1);
    const size_t n = (size_t)l->n1, nv = (size_t)sys->nv;
    if (status == TN_OK) {
        l->coordinate = tn_alloc(sizeof *l->coordinate * (n + 1));
        l->G = tn_alloc(sizeof(double) * (nv * n + 1));
        block = tn_alloc(sizeof(double) * (n * n + n + nv * n + 2 * nv + 1));
        status = tn_got(l->coordinate && l->G && block);
    }
    if (status == TN_OK) {
        c.G0 = G0;
        c.Q = block;
        c.row = c.Q + n * n;
        c.J = c.row + n;
        status = offer_all(&c, &at, c.J + nv * n);
    }
    TN_THEN(status, divide_by_chosen(&c));
    TN_FREE(G0, block);
    return status;
}

// Elimination -------------------------------------------------------------------------------------

typedef struct descriptor {
    int n, nu, nall;
    double *E, *A, *B; // n x n, n x n, n x nu
    double *T, *S;     // nall x n, nall x nu: all unknowns
    double *size;      // nall: what unknowns are counted in
    void *block;
} descriptor;

static void layout_descriptor(void *self, tn_carve *mem)
{
    descriptor *d = self;
    TN_CARVE_DOUBLES(mem, d->nall * d->nall, &d->E, &d->A, &d->T);
    TN_CARVE_DOUBLES(mem, d->nall * d->nu, &d->B, &d->S);
    d->size = tn_carve_doubles(mem, d->nall);
}

static void put_block(double *to, int ld, int row, int col, double s, int rows, int cols,
                      const double *from)
{
    for (int j = 0; j < cols; j++)
        tn_axpy(rows, s, from + (size_t)j * (size_t)rows, tn_column_of(to, ld, col + j) + row);
}

static void form_descriptor(const tn_linear_motion *l, descriptor *d)
{
    const tn_reduced_motion *m = &l->m;
    const int n = m->n, all = d->nall, e = 2 * n, h = e + m->ne;
    for (int i = 0; i < n; i++) {
        tn_column_of(d->E, all, i)[i] = 1.0;
        tn_column_of(d->A, all, n + i)[i] = 1.0;
    }
    put_block(d->E, all, n, n, 1.0, n, n, m->M);
    put_block(d->A, all, n, 0, -1.0, n, n, m->K);
    put_block(d->A, all, n, n, -1.0, n, n, m->D);
    put_block(d->A, all, n, e, -1.0, n, m->ne, m->F);
    put_block(d->A, all, n, h, -1.0, n, m->nn, m->H);
    put_block(d->B, all, n, 0, 1.0, n, m->nu, m->U);
    for (int i = 0; i < l->s->sys->nc; i++)
        tn_column_of(d->E, all, e + i)[e + i] = 1.0;
    put_block(d->E, all, e, n, -1.0, m->ne, n, m->Ma);
    put_block(d->A, all, e, 0, 1.0, m->ne, n, m->Q);
    put_block(d->A, all, e, n, 1.0, m->ne, n, m->V);
    put_block(d->A, all, e, e, 1.0, m->ne, m->ne, m->E);
    put_block(d->A, all, e, h, 1.0, m->ne, m->nn, m->X);
    put_block(d->B, all, e, 0, 1.0, m->ne, m->nu, m->R);
    put_block(d->A, all, h, 0, 1.0, m->nn, n, m->Z);
    put_block(d->A, all, h, n, 1.0, m->nn, n, m->N);
    put_block(d->A, all, h, e, 1.0, m->nn, m->ne, m->P);
    put_block(d->B, all, h, 0, -1.0, m->nn, m->nu, m->W);
    for (int i = 0; i < all; i++)
        tn_column_of(d->T, all, i)[i] = 1.0;
}

// Masses of motions without inertia that are round-off of G, which scaling would make masses of.
static void clean_masses(tn_linear_motion *l)
{
    const tn_system *sys = l->s->sys;
    const double mass = tn_sparse_norm1(sys->block[TN_BLOCK_M]);
    const int n = l->m.n;
    for (int k = 0; k < n; k++) {
        const double size = tn_norm_inf(sys->nv, tn_column_of(l->G, sys->nv, k));
        double *column = tn_column_of(l->m.M, n, k);
        if (fabs(column[k]) > 1e-24 * mass * size * size)
            continue;
        for (int i = 0; i < n; i++) {
            double *row = tn_column_of(l->m.M, n, i) + k;
            column[i] = fabs(column[i]) > 1e-12 * mass * size ? column[i] : 0.0;
            *row = fabs(*row) > 1e-12 * mass * size ? *row : 0.0;
        }
    }
}

// Unknowns by the roots of their masses, rows by their largest entries.
static void scale_descriptor(const tn_linear_motion *l, descriptor *d)
{
    const int n = l->m.n, all = d->nall;
    for (int i = 0; i < all; i++) {
        const int k = i < n ? i : i - n;
        const double mass = i < 2 * n ? tn_column_of(l->m.M, n, k)[k] : 0.0;
        d->size[i] = mass > 0.0 ? 1.0 / sqrt(mass) : 1.0;
        tn_scale(all, d->size[i], tn_column_of(d->E, all, i));
        tn_scale(all, d->size[i], tn_column_of(d->A, all, i));
        tn_scale(all, d->size[i], tn_column_of(d->T, all, i));
    }
    for (int i = 0; i < all; i++) {
        double most = 0.0, other = 0.0;
        for (int j = 0; j < all; j++) {
            most = fmax(most, fabs(tn_column_of(d->E, all, j)[i]));
            other = fmax(other, fabs(tn_column_of(d->A, all, j)[i]));
        }
        const double s = most > 0.0 ? 1.0 / most : other > 0.0 ? 1.0 / other : 1.0;
        for (int j = 0; j < all; j++) {
            tn_column_of(d->E, all, j)[i] *= s;
            tn_column_of(d->A, all, j)[i] *= s;
        }
        for (int j = 0; j < d->nu; j++)
            tn_column_of(d->B, all, j)[i] *= s;
    }
}

// States c in units in which they do as much as is done to them: pressures in Pa beside motions
// would fill those with their round-off.
static void balance_states(const tn_linear_motion *l, descriptor *d)
{
    const int all = d->nall, e = 2 * l->m.n;
    for (int sweep = 0; sweep < 3; sweep++)
        for (int i = e; i < e + l->s->sys->nc; i++) {
            double does = 0.0, done = 0.0;
            for (int j = 0; j < all; j++) {
                does = fmax(does, j == i ? 0.0 : fabs(tn_column_of(d->A, all, i)[j]));
                done = fmax(done, j == i ? 0.0 : fabs(tn_column_of(d->A, all, j)[i]));
            }
            if (!(does > 0.0) || !(done > 0.0))
                continue;
            const double s = ldexp(1.0, (int)lround(0.5 * log2(done / does)));
            d->size[i] *= s;
            tn_scale(all, s, tn_column_of(d->E, all, i));
            tn_scale(all, s, tn_column_of(d->A, all, i));
            tn_scale(all, s, tn_column_of(d->T, all, i));
            for (int j = 0; j < all; j++) {
                tn_column_of(d->E, all, j)[i] /= s;
                tn_column_of(d->A, all, j)[i] /= s;
            }
            for (int j = 0; j < d->nu; j++)
                tn_column_of(d->B, all, j)[i] /= s;
        }
}

// Room of one elimination.
typedef struct splitting {
    int n, rank;
    double *Q, *tau, *work; // n x n reflections
    int *pivot, lwork;
    double *V;     // n x rank: Vb
    double *Z, *R; // n x k, k x k: unknowns that E does not see, the factors of A2 Z
    int nseen;     // its rank
    double *X;     // n x n
    double *moved; // n
    void *block;
} splitting;

static void layout_splitting(void *self, tn_carve *mem)
{
    splitting *s = self;
    TN_CARVE_DOUBLES(mem, s->n * s->n, &s->Q, &s->Z, &s->R, &s->V, &s->X);
    TN_CARVE_DOUBLES(mem, s->n, &s->tau, &s->moved);
    s->work = tn_carve_doubles(mem, s->lwork);
    TN_CARVE_INTS(mem, s->n, &s->pivot);
}

// Rows by Q^T, so that those of E below its rank are zero.
static void compress_rows(descriptor *d, splitting *s)
{
    const int n = d->n;
    tn_copy(n * n, d->E, s->Q);
    s->rank = tn_qr_rank(n, n, s->Q, SINGULAR, s->pivot, s->tau, s->work, s->lwork);
    if (s->rank == n)
        return;
    for (int j = 0; j < n; j++) {
        tn_qr_apply(n, n, true, s->Q, s->tau, tn_column_of(d->E, n, j), s->work);
        tn_qr_apply(n, n, true, s->Q, s->tau, tn_column_of(d->A, n, j), s->work);
    }
    for (int j = 0; j < d->nu; j++) {
        double *b = tn_column_of(d->B, n, j);
        const double most = tn_norm_inf(n, b);
        tn_qr_apply(n, n, true, s->Q, s->tau, b, s->work);
        for (int i = s->rank; i < n; i++) // zeros that the reflections left as round-off
            b[i] = fabs(b[i]) > ROUND_OFF * most ? b[i] : 0.0;
    }
}

// out (rows x cols) = X (ld rows) V
static void times(int rows, int ld, const double *X, int n, const double *V, int cols, double *out)
{
    tn_zero(rows * cols, out);
    for (int j = 0; j < cols; j++)
        for (int k = 0; k < n; k++)
            tn_axpy(rows, V[(size_t)j * (size_t)n + (size_t)k], X + (size_t)k * (size_t)ld,
                    out + (size_t)j * (size_t)rows);
}

static tn_status undetermined(void)
{
    return tn_fail(TN_ERR_NUMERIC,
                   "the linear motion is not determined: an unknown or a motion without inertia "
                   "has neither an equation nor a force; give it a mass, a spring or a damper");
}

// Vb from the rows of A that have no rates: A2 Vb = 0.
static tn_status split_unknowns(descriptor *d, splitting *s)
{
    const int n = d->n, k = n - s->rank;
    for (int i = 0; i < k; i++) // each row by its size: A2^T into Q
        for (int j = 0; j < n; j++)
            tn_column_of(s->Q, n, i)[j] = tn_column_of(d->A, n, j)[s->rank + i];
    for (int i = 0; i < k; i++) {
        double *row = tn_column_of(s->Q, n, i);
        const double size = tn_norm_inf(n, row);
        if (!(size > 0.0))
            return undetermined();
        tn_scale(n, 1.0 / size, row);
        for (int j = 0; j < n; j++)
            tn_column_of(d->A, n, j)[s->rank + i] /= size;
        for (int j = 0; j < d->nu; j++)
            tn_column_of(d->B, n, j)[s->rank + i] /= size;
    }
    if (tn_qr_rank(n, k, s->Q, SINGULAR, s->pivot, s->tau, s->work, s->lwork) < k)
        return undetermined();
    for (int j = 0; j < s->rank; j++) {
        double *column = tn_column_of(s->V, n, j);
        tn_zero(n, column);
        column[k + j] = 1.0;
        tn_qr_apply(n, k, false, s->Q, s->tau, column, s->work);
    }
    return TN_OK;
}

// Z (n x k) with E1 Z = 0, and the factors of A2 Z, columns scaled: what inputs move at once.
static void find_unseen(descriptor *d, splitting *s)
{
    const int n = d->n, r = s->rank, k = n - r;
    for (int i = 0; i < r; i++) // E1^T
        for (int j = 0; j < n; j++)
            tn_column_of(s->Q, n, i)[j] = tn_column_of(d->E, n, j)[i];
    tn_qr_factor(n, r, s->Q, s->tau, s->work, s->lwork);
    for (int j = 0; j < k; j++) {
        double *column = tn_column_of(s->Z, n, j);
        tn_zero(n, column);
        column[r + j] = 1.0;
        tn_qr_apply(n, r, false, s->Q, s->tau, column, s->work);
    }
    times(k, n, d->A + r, n, s->Z, k, s->R);
    for (int j = 0; j < k; j++) {
        const double size = tn_norm2(k, tn_column_of(s->R, k, j));
        tn_scale(k, size > 0.0 ? 1.0 / size : 1.0, tn_column_of(s->R, k, j));
        tn_scale(n, size > 0.0 ? 1.0 / size : 1.0, tn_column_of(s->Z, n, j));
    }
    s->nseen = tn_qr_rank(k, k, s->R, TN_RANK_TOL, s->pivot, s->tau, s->work, s->lwork);
}

// x = Z c with A2 x + B2 = 0 for input j into out (n), or false where there is none.
static bool unknowns_of_input(descriptor *d, splitting *s, int j, double *out)
{
    const int n = d->n, k = n - s->rank;
    double *b = s->X;
    for (int i = 0; i < k; i++)
        b[i] = -tn_column_of(d->B, n, j)[s->rank + i];
    const double size = tn_norm2(k, b);
    tn_zero(n, out);
    if (size == 0.0)
        return true;
    tn_qr_apply(k, k, true, s->R, s->tau, b, s->work);
    if (tn_norm2(k - s->nseen, b + s->nseen) > NO_RATE * size)
        return false;
    tn_upper_solve(s->nseen, k, false, s->R, b);
    for (int i = 0; i < s->nseen; i++)
        tn_axpy(n, b[i], tn_column_of(s->Z, n, s->pivot[i]), out);
    return true;
}

static tn_status substitute_inputs(const tn_linear_motion *l, descriptor *d, splitting *s)
{
    const int n = d->n;
    if (d->nu > 0)
        find_unseen(d, s);
    for (int j = 0; j < d->nu; j++) {
        double *x = s->moved, *b = tn_column_of(d->B, n, j);
        if (!unknowns_of_input(d, s, j, x))
            return tn_fail(TN_ERR_NUMERIC,
                           "input '%s': motions depend on its rate, as it acts on what has no "
                           "inertia; give that a mass, or a damper",
                           l->s->model->inputs.at[l->input[j]]->name);
        for (int c = 0; c < n; c++) {
            tn_axpy(s->rank, x[c], tn_column_of(d->A, n, c), b);
            tn_axpy(d->nall, x[c], tn_column_of(d->T, d->nall, c), tn_column_of(d->S, d->nall, j));
        }
    }
    return TN_OK;
}

// X (rows x n) becomes X Vb, its first `keep` rows, packed.
static void onto_rest(const splitting *s, int rows, int keep, double *X)
{
    times(keep, rows, X, s->n, s->V, s->rank, s->X);
    tn_copy(keep * s->rank, s->X, X);
}

static tn_status eliminate_once(const tn_linear_motion *l, descriptor *d, splitting *s)
{
    TN_TRY(split_unknowns(d, s));
    TN_TRY(substitute_inputs(l, d, s));
    const int n = d->n, r = s->rank;
    onto_rest(s, n, r, d->E);
    onto_rest(s, n, r, d->A);
    onto_rest(s, d->nall, d->nall, d->T);
    for (int j = 0; j < d->nu; j++)
        memmove(d->B + (size_t)j * (size_t)r, d->B + (size_t)j * (size_t)n,
                sizeof(double) * (size_t)r);
    d->n = r;
    return TN_OK;
}

// X holds nall x rank numbers, too.
static tn_status open_splitting(const descriptor *d, splitting *s)
{
    *s = (splitting){.n = d->nall, .lwork = tn_qr_work(d->nall, d->nall) + d->nall + 1};
    TN_TRY(tn_carve_block(s, layout_splitting, &s->block));
    s->n = d->n;
    return TN_OK;
}

static tn_status eliminate(const tn_linear_motion *l, descriptor *d)
{
    for (int step = 0; step < 6 && d->n > 0; step++) {
        splitting s;
        TN_TRY(open_splitting(d, &s));
        compress_rows(d, &s);
        const bool regular = s.rank == d->n;
        const tn_status status = regular ? TN_OK : eliminate_once(l, d, &s);
        tn_free(s.block);
        if (status != TN_OK)
            return status == TN_RETRY_SINGULAR ? undetermined() : status;
        if (regular)
            return TN_OK;
    }
    return d->n == 0 ? TN_OK : undetermined();
}

// A and B become E^-1 A and E^-1 B.
static tn_status solve_rates(descriptor *d)
{
    int *pivot = tn_alloc(sizeof(int) * (size_t)(d->n + 1));
    TN_TRY(tn_got(pivot));
    const tn_status status = tn_lu_factor(d->n, d->E, pivot);
    for (int j = 0; status == TN_OK && j < d->n; j++)
        tn_lu_solve(d->n, d->E, pivot, tn_column_of(d->A, d->n, j));
    for (int j = 0; status == TN_OK && j < d->nu; j++)
        tn_lu_solve(d->n, d->E, pivot, tn_column_of(d->B, d->n, j));
    tn_free(pivot);
    return status == TN_RETRY_SINGULAR ? undetermined() : status;
}

// States ------------------------------------------------------------------------------------------

// The states are rows of T that are independent: positions first, then rates, then states c.
typedef struct naming {
    tn_linear_motion *l;
    descriptor *d;
    int count;
    bool jumps;  // those that inputs move at once, too
    double *Q;   // n x n
    double *row; // n
} naming;

static bool jumps_with_inputs(const descriptor *d, int row)
{
    for (int j = 0; j < d->nu; j++)
        if (tn_column_of(d->S, d->nall, j)[row] != 0.0)
            return true;
    return false;
}

static void offer_state(naming *w, double least, tn_state_kind kind, int index, int row)
{
    const descriptor *d = w->d;
    const int n = d->n;
    for (int k = 0; k < w->count; k++)
        if (w->l->state[k].kind == kind && w->l->state[k].index == index)
            return;
    if (jumps_with_inputs(d, row) && !w->jumps) // others are better states
        return;
    for (int j = 0; j < n; j++)
        w->row[j] = tn_column_of(d->T, d->nall, j)[row];
    const double size = tn_norm2(n, w->row);
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < w->count; k++) {
            const double *q = tn_column_of(w->Q, n, k);
            tn_axpy(n, -tn_dot(n, q, w->row), q, w->row);
        }
    const double part = tn_norm2(n, w->row);
    if (w->count == n || !(size > 0.0) || !(part > least * size))
        return;
    tn_scale(n, 1.0 / part, w->row);
    tn_copy(n, w->row, tn_column_of(w->Q, n, w->count));
    w->l->state[w->count++] = (tn_linear_state){kind, index, jumps_with_inputs(d, row)};
}

static int row_of(const tn_linear_motion *l, tn_linear_state s)
{
    static const int before[] = {0, 1, 2};
    return before[s.kind] * l->n1 + s.index;
}

static int by_place(const tn_linear_motion *l, tn_linear_state a, tn_linear_state b)
{
    return row_of(l, a) - row_of(l, b);
}

static void sort_states(tn_linear_motion *l)
{
    for (int i = 1; i < l->n; i++)
        for (int k = i; k > 0 && by_place(l, l->state[k - 1], l->state[k]) > 0; k--) {
            const tn_linear_state kept = l->state[k];
            l->state[k] = l->state[k - 1];
            l->state[k - 1] = kept;
        }
}

static tn_status choose_states(naming *w)
{
    static const double LEAST[] = {1e-2, 1e-5, 1e-9};
    tn_linear_motion *l = w->l;
    for (int pass = 0; pass < 2 * TN_COUNT(LEAST); pass++) {
        const double least = LEAST[pass % TN_COUNT(LEAST)];
        w->jumps = pass >= TN_COUNT(LEAST);
        for (int i = 0; i < l->s->sys->nc; i++)
            offer_state(w, least, TN_STATE_EXTRA, i, 2 * l->n1 + i);
        for (int i = 0; i < l->n1; i++)
            offer_state(w, least, TN_STATE_POSITION, i, i);
        for (int i = 0; i < l->n1; i++)
            offer_state(w, least, TN_STATE_RATE, i, l->n1 + i);
    }
    if (w->count < w->d->n)
        return undetermined();
    sort_states(l);
    return TN_OK;
}

// What inputs do not move at once, but for round-off.
static void clean_jumps(descriptor *d)
{
    for (int j = 0; j < d->nu; j++) {
        double *S = tn_column_of(d->S, d->nall, j), most = 0.0;
        for (int i = 0; i < d->nall; i++)
            most = fmax(most, fabs(S[i]) / d->size[i]);
        for (int i = 0; i < d->nall; i++)
            S[i] = fabs(S[i]) / d->size[i] > 1e-11 * most ? S[i] : 0.0;
    }
}

// With R the rows of the states in T: A becomes R A R^-1, B: R B, T: T R^-1.
static tn_status take_states(tn_linear_motion *l, descriptor *d)
{
    const int n = d->n, all = d->nall;
    double *R = tn_alloc(sizeof(double) * (2 * (size_t)(n * n) + 2 * (size_t)n + 1) +
                         sizeof(int) * (size_t)n);
    TN_TRY(tn_got(R));
    double *LU = R + n * n, *x = LU + n * n, *y = x + n;
    int *pivot = (int *)(y + n + 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            tn_column_of(R, n, j)[i] = tn_column_of(d->T, all, j)[row_of(l, l->state[i])];
    tn_copy(n * n, R, LU);
    const tn_status status = tn_lu_factor(n, LU, pivot);
    for (int j = 0; status == TN_OK && j < n; j++) {
        tn_zero(n, x);
        x[j] = 1.0;
        tn_lu_solve(n, LU, pivot, x);
        times(n, n, d->A, n, x, 1, y);
        times(n, n, R, n, y, 1, tn_column_of(l->A, n, j));
        times(all, all, d->T, n, x, 1, tn_column_of(l->T, all, j));
    }
    for (int j = 0; status == TN_OK && j < d->nu; j++)
        times(n, n, R, n, tn_column_of(d->B, n, j), 1, tn_column_of(l->B, n, j));
    tn_copy(all * d->nu, d->S, l->S);
    tn_free(R);
    return status == TN_RETRY_SINGULAR ? undetermined() : status;
}

// Rows y' = z of A and B are known.
static void clean_rows(tn_linear_motion *l)
{
    for (int i = 0; i < l->n; i++) {
        if (l->state[i].kind != TN_STATE_POSITION)
            continue;
        const double *z = l->T + l->n1 + l->state[i].index;
        for (int j = 0; j < l->nu; j++)
            tn_column_of(l->B, l->n, j)[i] =
                tn_column_of(l->S, l->nall, j)[l->n1 + l->state[i].index];
        for (int j = 0; j < l->n; j++) {
            double value = z[(size_t)j * (size_t)l->nall];
            for (int k = 0; k < l->n; k++)
                if (l->state[k].kind == TN_STATE_RATE && l->state[k].index == l->state[i].index)
                    value = j == k ? 1.0 : 0.0;
            tn_column_of(l->A, l->n, j)[i] = value;
        }
    }
}

static tn_status name_states(tn_linear_motion *l, descriptor *d)
{
    const size_t n = (size_t)d->n, all = (size_t)d->nall, nu = (size_t)d->nu;
    naming w = {.l = l, .d = d};
    l->n = d->n;
    l->nall = d->nall;
    l->state = tn_alloc(sizeof *l->state * (n + 1));
    l->A = tn_alloc(sizeof(double) * (n * n + 1));
    l->B = tn_alloc(sizeof(double) * (n * nu + 1));
    l->T = tn_alloc(sizeof(double) * (all * n + 1));
    l->S = tn_alloc(sizeof(double) * (all * nu + 1));
    w.Q = tn_alloc(sizeof(double) * (n * n + n + 1));
    tn_status status = tn_got(l->state && l->A && l->B && l->T && l->S && w.Q);
    if (status == TN_OK) {
        w.row = w.Q + n * n;
        clean_jumps(d);
        status = choose_states(&w);
    }
    TN_THEN(status, take_states(l, d));
    tn_free(w.Q);
    if (status == TN_OK)
        clean_rows(l);
    return status;
}

// All ---------------------------------------------------------------------------------------------

static tn_status check_size(const tn_equilibrium *s)
{
    const int nv = s->sys->nv, freedoms = nv - s->start.redundancy.rank;
    if (nv <= TN_LINEAR_MOST_VELOCITIES && freedoms <= TN_LINEAR_MOST)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "the mechanism has %d freedoms and %d velocities, too many for full matrices, "
                   "which are for %d and %d at most",
                   freedoms, nv, TN_LINEAR_MOST, TN_LINEAR_MOST_VELOCITIES);
}

static tn_status build_linear(tn_linear_motion *l)
{
    TN_TRY(check_size(l->s));
    TN_TRY(tn_eq_linearise(l->s, &l->s->now));
    TN_TRY(choose_coordinates(l));
    TN_TRY(tn_reduce_motion(l->s, l->n1, l->G, l->nu, l->input, &l->m));
    TN_TRY(tn_eq_check_inputs(l->s, &l->m, l->G, l->input));
    clean_masses(l);
    descriptor d = {.nu = l->nu, .nall = 2 * l->n1 + l->m.ne + l->m.nn};
    d.n = d.nall;
    TN_TRY(tn_carve_block(&d, layout_descriptor, &d.block));
    form_descriptor(l, &d);
    scale_descriptor(l, &d);
    balance_states(l, &d);
    tn_status status = eliminate(l, &d);
    TN_THEN(status, solve_rates(&d));
    TN_THEN(status, name_states(l, &d));
    tn_free(d.block);
    return status;
}

tn_status tn_linear_motion_create(tn_equilibrium *s, int nu, const int *input,
                                  tn_linear_motion **out)
{
    *out = NULL;
    tn_linear_motion *l = tn_alloc(sizeof *l);
    TN_TRY(tn_got(l));
    l->s = s;
    l->nu = nu;
    l->input = input;
    const tn_status status = build_linear(l);
    TN_HAND_OUT(status, l, tn_linear_motion_destroy, out);
}

void tn_linear_motion_destroy(tn_linear_motion *l)
{
    if (!l)
        return;
    for (int i = 0; l->coordinate && i < l->n1; i++)
        tn_free(l->coordinate[i].name);
    TN_FREE(l->coordinate, l->G, l->m.block, l->state, l->A, l->B, l->T, l->S, l);
}

// Rates are counted in the fastest frequency, about, so that stiffness and identity are of one
// size.
static void scale_rates(const tn_linear_motion *l, double *A)
{
    const int n = l->n;
    const double most = tn_norm_inf(n * n, l->A), w = most > 1.0 ? sqrt(most) : 1.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double row = l->state[i].kind == TN_STATE_RATE ? 1.0 / w : 1.0;
            const double column = l->state[j].kind == TN_STATE_RATE ? w : 1.0;
            tn_column_of(A, n, j)[i] = row * tn_column_of(l->A, n, j)[i] * column;
        }
}

tn_status tn_linear_rest(const tn_linear_motion *l, double *A, int *m, bool *sure)
{
    static const double FEWEST = 1e-15, MOST = 1e-12; // singular values that are zero
    int fewer;
    scale_rates(l, A);
    TN_TRY(tn_eigen_deflate(l->n, MOST, A, &fewer));
    scale_rates(l, A);
    TN_TRY(tn_eigen_deflate(l->n, FEWEST, A, m));
    *sure = *m == fewer;
    return TN_OK;
}

double tn_linear_state_unit(const tn_linear_motion *l, int i)
{
    const tn_linear_state s = l->state[i];
    if (s.kind == TN_STATE_EXTRA)
        return 1.0;
    const double unit = l->coordinate[s.index].unit;
    return s.kind == TN_STATE_RATE ? unit / l->s->sys->units.time : unit;
}

void tn_linear_motion_at(const tn_linear_motion *l, const double *state, const double *u, double *x,
                         double *v, double *e)
{
    const int nv = l->s->sys->nv;
    tn_zero(nv, x);
    if (v)
        tn_zero(nv, v);
    for (int i = 0; i < 2 * l->n1 + l->m.ne; i++) {
        double value = 0.0;
        for (int j = 0; j < l->n; j++)
            if (state[j] != 0.0)
                value += l->T[(size_t)j * (size_t)l->nall + (size_t)i] * state[j];
        for (int j = 0; u && j < l->nu; j++)
            value += l->S[(size_t)j * (size_t)l->nall + (size_t)i] * u[j];
        if (i < l->n1)
            tn_axpy(nv, value, tn_column_of(l->G, nv, i), x);
        else if (v && i < 2 * l->n1)
            tn_axpy(nv, value, tn_column_of(l->G, nv, i - l->n1), v);
        else if (e && i >= 2 * l->n1)
            e[i - 2 * l->n1] = value;
    }
    if (v) { // and V x
        tn_eq_velocity_of(l->s, x, l->s->y1);
        tn_axpy(nv, 1.0, l->s->y1, v);
    }
}
