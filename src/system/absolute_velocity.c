// SPDX-License-Identifier: MIT
//
// Rows of velocities that expressions give, F = sum_k a_k(t, x) r_k + n(t, x), on placed bodies
// (model/velocity_row.h). With measures m of positions and rates (absolute_measure.c), whose
// derivatives by what bodies do are m_q and m_v, and m_v of a rate r_k is the gradient G_k of its
// row, of which H_k is the derivative:
//
//   N = sum_k a_k G_k,   d ndot / dq = sum F_m m_q,   ngamma = sum F_m (m_q . V) + F_t
//   dN / dq = sum_k (a_k H_k + G_k sum_j da_k/dx_j x_jq)
//
// As F is linear in rates, da_k/dx_j = F_xj(r = e_k) - F_xj(r = 0).

#include "system/absolute_parts.h"

#include "linalg/dense.h"

#include <string.h>

static int count_velocity_rows(const tn_model *model)
{
    int n = 0;
    for (int k = 0; k < model->joints.count; k++)
        n += tn_joint_by_expression(model->joints.at[k].ops);
    return n;
}

int tn_absolute_velocity_pairs(const tn_model *model)
{
    return count_velocity_rows(model) * (TN_VELOCITY_VARIABLES + ABS_PAIRS);
}

tn_status tn_absolute_open_velocities(absolute *s)
{
    const int n = count_velocity_rows(s->model);
    if (n == 0)
        return TN_OK;
    s->velocity = tn_alloc(sizeof *s->velocity * (size_t)n);
    TN_TRY(tn_got(s->velocity));
    for (int k = 0; k < s->model->joints.count; k++)
        if (tn_joint_by_expression(s->model->joints.at[k].ops)) {
            abs_velocity *v = &s->velocity[s->nvelocity];
            v->joint = k;
            TN_TRY(tn_velocity_row_create(s->model, k, &v->from));
            s->nvelocity++;
        }
    return TN_OK;
}

void tn_absolute_close_velocities(absolute *s)
{
    for (int k = 0; k < s->nvelocity; k++)
        tn_velocity_row_clear(&s->velocity[k].from);
    tn_free(s->velocity);
}

static tn_status take_body(const absolute *s, abs_velocity *v, abs_joint *j, int k, int end)
{
    const int body = v->measure[k].body[end];
    v->into[k][end] = -1;
    if (body == 0)
        return TN_OK;
    int i = 0;
    while (i < j->nbody && j->body[i] != body)
        i++;
    if (i == ABS_BODIES)
        return tn_fail(TN_ERR_MODEL,
                       "joint '%s': row has velocities and positions of more than %d bodies; write "
                       "it as several, with bodies between them",
                       s->model->joints.at[v->joint].name, ABS_BODIES);
    j->body[i] = body;
    j->nbody = tn_larger(j->nbody, i + 1);
    v->into[k][end] = i;
    return TN_OK;
}

// Every two bodies of the row are a pair, through which it enters the curvature; one body is a pair
// with the ground.
static void add_body_pairs(absolute *s, abs_joint *j)
{
    for (int a = 0; a < j->nbody; a++)
        for (int b = a + 1; b < j->nbody; b++)
            j->pair[j->npair++] = tn_absolute_add_pair(s, j->body[a], j->body[b], tn_frame_identity,
                                                       tn_frame_identity);
    if (j->nbody == 1)
        j->pair[j->npair++] =
            tn_absolute_add_pair(s, 0, j->body[0], tn_frame_identity, tn_frame_identity);
    for (int k = 0; k < j->npair; k++)
        s->pair[j->pair[k]].joint_reach = ABS_ALL;
}

tn_status tn_absolute_link_velocity(absolute *s, abs_joint *j)
{
    abs_velocity *v = s->velocity;
    while (v->joint != j->model_index)
        v++;
    TN_ASSERT(v < s->velocity + s->nvelocity);
    j->velocity = v;
    for (int k = 0; k < v->from.n; k++) {
        v->measure[k] = (abs_measure){.from = &v->from.variable[k]};
        TN_TRY(tn_measure_open(s, &v->measure[k]));
        for (int end = 0; end < 2; end++)
            TN_TRY(take_body(s, v, j, k, end));
    }
    v->unit = (v->from.length ? s->model->units.length : 1.0) / s->model->units.time;
    add_body_pairs(s, j);
    return TN_OK;
}

static void gather_velocity(const abs_velocity *v, int k, double scale, const double *from,
                            double (*to)[TN_JOINT_MAX_ROWS][6])
{
    for (int end = 0; end < 2; end++)
        if (v->into[k][end] >= 0)
            tn_axpy(6, scale, from + 6 * end, to[v->into[k][end]][0]);
}

// J' v of the bodies of a row, in SE(3) alone.
static double carried(const absolute *s, const abs_joint *j, const abs_rows *w)
{
    double sum = 0.0;
    for (int k = 0; k < j->nbody; k++) {
        const abs_body *b = &s->body[j->body[k]];
        if (b->se3)
            sum += tn_v3_dot(tn_v3_from(w->G[k][0]), tn_m3_apply(b->R, tn_v3_cross(b->W, b->U)));
    }
    return sum;
}

// The derivative of the gradient of a rate by what its bodies do: of components in body axes the
// axis turns with the body.
static void rate_hessian(const absolute *s, const abs_measure *m, double H[12][12])
{
    const abs_body *b = &s->body[m->body[1]];
    const int i = m->from->component;
    memset(H, 0, 144 * sizeof **H);
    if (m->from->index != TN_Q_BODY_SPIN) {
        tn_row_hessian(&m->row, &s->pair[m->pair].at, m->unit, H);
        return;
    }
    const tn_vec3 axis = {b->R.m[0][i], b->R.m[1][i], b->R.m[2][i]};
    tn_block_add(H, TN_MB, TN_MB, -m->unit, tn_m3_skew(axis));
}

// Adds a block of bodies a and b of the row, 6 x 6 in rows of 12, to the pair that they are.
static void add_to_pair(const absolute *s, const abs_joint *j, int a, int b, double scale,
                        const double *block, abs_rows *w)
{
    for (int k = 0; a >= 0 && b >= 0 && k < j->npair; k++) {
        const abs_pair *p = &s->pair[j->pair[k]];
        const int end[2] = {p->a, p->b};
        for (int x = 0; x < 2; x++)
            for (int y = 0; y < 2; y++) {
                if (end[x] != j->body[a] || end[y] != j->body[b])
                    continue;
                for (int i = 0; i < 6; i++)
                    tn_axpy(6, scale, block + 12 * i, &w->H[k][6 * x + i][6 * y]);
                return;
            }
    }
}

// eta dN/dq; x: the values of all variables.
static void add_velocity_curvature(const absolute *s, const abs_joint *j, double t, double eta,
                                   double *x, const double *d, abs_rows *w)
{
    const abs_velocity *v = j->velocity;
    double rest[TN_VELOCITY_VARIABLES], moved[TN_VELOCITY_VARIABLES], H[12][12];
    for (int k = 0; k < v->from.n; k++)
        x[k] = v->from.rate[k] ? 0.0 : x[k];
    tn_formula_gradient(v->from.formula, t, x, NULL, rest);
    for (int k = 0; k < v->from.n; k++) {
        if (!v->from.rate[k])
            continue;
        rate_hessian(s, &v->measure[k], H);
        tn_scale(144, d[k] / v->unit, &H[0][0]);
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                add_to_pair(s, j, v->into[k][a], v->into[k][b], eta, &H[6 * a][6 * b], w);
        x[k] = 1.0;
        tn_formula_gradient(v->from.formula, t, x, NULL, moved);
        x[k] = 0.0;
        for (int m = 0; m < v->from.n; m++) {
            if (v->from.rate[m] || moved[m] == rest[m])
                continue;
            for (int i = 0; i < 12; i++)
                for (int c = 0; c < 12; c++)
                    H[i][c] = (moved[m] - rest[m]) * v->measure[k].v[i] * v->measure[m].q[c];
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++)
                    add_to_pair(s, j, v->into[k][a], v->into[m][b], eta, &H[6 * a][6 * b], w);
        }
    }
}

void tn_absolute_velocity_row(absolute *s, const abs_joint *j, const abs_point *at, unsigned want,
                              abs_rows *w)
{
    abs_velocity *v = j->velocity;
    const double t = abs_clock(s, at->t) * s->model->units.time, c = 1.0 / v->unit;
    double x[TN_VELOCITY_VARIABLES], d[TN_VELOCITY_VARIABLES], turning = 0.0;
    for (int k = 0; k < v->from.n; k++)
        x[k] = tn_measure_take(s, &v->measure[k], at, true);
    const double value = tn_formula_gradient(v->from.formula, t, x, NULL, d);
    for (int k = 0; k < v->from.n; k++) {
        double V[12];
        tn_scale(12, c, v->measure[k].q);
        tn_scale(12, c, v->measure[k].v);
        gather_velocity(v, k, d[k], v->measure[k].v, w->G);
        if (want & TN_EVAL_TANGENT)
            gather_velocity(v, k, d[k], v->measure[k].q, w->Z);
        tn_v3_to(s->body[v->measure[k].body[0]].V.v, V);
        tn_v3_to(s->body[v->measure[k].body[0]].V.w, V + 3);
        tn_v3_to(s->body[v->measure[k].body[1]].V.v, V + 6);
        tn_v3_to(s->body[v->measure[k].body[1]].V.w, V + 9);
        turning += d[k] * tn_dot(12, v->measure[k].q, V);
    }
    if (want & TN_EVAL_GDOT)
        s->base.ndot[j->row0] = c * value;
    if (want & TN_EVAL_GAMMA)
        s->base.ngamma[j->row0] =
            turning + carried(s, j, w) +
            c * s->model->units.time * tn_formula_by_time(v->from.formula, t, x);
    if (want & TN_EVAL_TANGENT)
        add_velocity_curvature(s, j, t, at->eta[j->row0], x, d, w);
}

// What time puts in: -eta N v = eta n where N v + n = 0, and n is the row at rest.
double tn_absolute_velocity_power(absolute *s, abs_velocity *v, const abs_point *at)
{
    const double t = abs_clock(s, at->t) * s->model->units.time;
    const abs_joint *j = &s->joint[s->joint[v->joint].rolling];
    double x[TN_VELOCITY_VARIABLES];
    for (int k = 0; k < v->from.n; k++)
        x[k] = v->from.rate[k] ? 0.0 : tn_measure_take(s, &v->measure[k], at, false);
    return at->eta[j->row0] * tn_formula_eval(v->from.formula, t, x, NULL) / v->unit;
}

// On the body of the first velocity in the expression, about the origin of its frame.
tn_wrench tn_absolute_velocity_reaction(const absolute *s, const abs_joint *j, const abs_point *at)
{
    abs_rows w = {0};
    const abs_velocity *v = j->velocity;
    int first = 0;
    while (!v->from.rate[first])
        first++;
    const int k = v->into[first][v->into[first][1] >= 0];
    const abs_body *b = &s->body[j->body[k]];
    tn_absolute_velocity_row((absolute *)s, j, at, TN_EVAL_B, &w);
    const tn_vec3 f = tn_v3_scale(-at->eta[j->row0], tn_v3_from(w.G[k][0]));
    const tn_vec3 m = tn_v3_scale(-at->eta[j->row0], tn_v3_from(w.G[k][0] + 3));
    const tn_vec3 to_centre = tn_m3_apply(b->R, b->com);
    return (tn_wrench){f, tn_v3_add(m, tn_v3_cross(to_centre, f))};
}
