// SPDX-License-Identifier: MIT
//
// Coordinates y of small motions: those of joints as far as they are independent, then those of
// bodies. See linear_motion.h.

#include "analysis/linear_parts.h"
#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "model/units.h"
#include "system/absolute.h"

#include <stdio.h>
#include <string.h>

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
    tn_inner(nv, n, c->G0, 1, gradient, c->row);
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
    if (!(size > TN_ROUND_ITERATE * tn_norm2(nv, gradient)) || !(part > least * size))
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
    tn_inner(nv, n, c->J, n, c->G0, square);
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

tn_status tn_linear_choose_coordinates(tn_linear_motion *l)
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
