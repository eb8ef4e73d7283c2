// SPDX-License-Identifier: MIT
//
// Rows that expressions give, F(t, x) of positions or F(t, x, r) of positions and rates, on placed
// bodies (joint/formula_row.h). With measures m of positions and rates (absolute_measure.c), whose
// derivatives by motions of bodies are m_q and m_v, and H_m the derivative of the gradient of m:
//
//   positions   g = F,  G = sum F_x x_q,  dG/dq = sum F_x H_x + sum F_xy x_q y_q^T
//   velocities  n = F,  N = sum F_r r_v,  dN/dq = sum F_r H_r + sum F_rm r_v m_q^T
//               dn/dq = sum F_m m_q,      dN/dv = sum F_rs r_v s_v^T
//
// If F is not linear in rates, N = dn/dv is that of Appell and Chetaev, and dN/dv is not zero.
// Rates and curvatures are derivatives of F along the motion, by jets; second derivatives of F, by
// which tangents vary, are those of jets along axes and along pairs of axes.

#include "system/absolute_parts.h"

#include "linalg/dense.h"

#include <string.h>

static bool has_slip(const tn_model *model, int joint)
{
    return model->joints.at[joint].ops->rubs && tn_joint_roll_count(model, joint) > 0;
}

static int count_formulas(const tn_model *model)
{
    int n = 0;
    for (int k = 0; k < model->joints.count; k++)
        n += model->joints.at[k].ops->by_formula ? 1 + has_slip(model, k) : 0;
    return n;
}

int tn_absolute_formula_pairs(const tn_model *model)
{
    return count_formulas(model) * (TN_ROW_VARIABLES + ABS_PAIRS);
}

tn_status tn_absolute_open_formulas(absolute *s)
{
    const int n = count_formulas(s->model);
    if (n == 0)
        return TN_OK;
    s->formula_row = tn_alloc(sizeof *s->formula_row * (size_t)n);
    TN_TRY(tn_got(s->formula_row));
    for (int k = 0; k < s->model->joints.count; k++) {
        const bool by_formula = s->model->joints.at[k].ops->by_formula;
        for (int i = 0; by_formula && i < 1 + has_slip(s->model, k); i++) {
            abs_formula_row *v = &s->formula_row[s->nformula_row];
            v->joint = k;
            v->slip = i > 0;
            TN_TRY(tn_formula_row_create(s->model, k, v->slip, &v->from));
            if (!v->from.linear)
                s->base.bent_row = s->model->joints.at[k].name;
            s->nformula_row++;
        }
    }
    return TN_OK;
}

void tn_absolute_close_formulas(absolute *s)
{
    for (int k = 0; k < s->nformula_row; k++)
        tn_formula_row_clear(&s->formula_row[k].from);
    tn_free(s->formula_row);
}

static tn_status take_body(const absolute *s, abs_formula_row *v, abs_joint *j, int k, int end)
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
                       "joint '%s': row has positions and velocities of more than %d bodies; write "
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
    for (int k = 0; k < j->npair; k++) {
        s->pair[j->pair[k]].joint_reach = ABS_ALL;
        if (!j->formula->from.linear)
            s->pair[j->pair[k]].force_reach = ABS_ALL;
    }
}

tn_status tn_absolute_link_formula(absolute *s, abs_joint *j)
{
    abs_formula_row *v = s->formula_row;
    const bool slip = j->rolls && s->model->joints.at[j->model_index].ops->rubs;
    while (v->joint != j->model_index || v->slip != slip)
        v++;
    TN_ASSERT(v < s->formula_row + s->nformula_row);
    j->formula = v;
    for (int k = 0; k < v->from.n; k++) {
        v->measure[k] = (abs_measure){.from = &v->from.variable[k]};
        TN_TRY(tn_measure_open(s, &v->measure[k]));
        for (int end = 0; end < 2; end++)
            TN_TRY(take_body(s, v, j, k, end));
    }
    if (j->nbody == 0)
        return tn_fail(TN_ERR_MODEL, "joint '%s': nothing in its row moves",
                       s->model->joints.at[v->joint].name);
    v->unit =
        (v->from.length ? s->model->units.length : 1.0) / (j->rolls ? s->model->units.time : 1.0);
    add_body_pairs(s, j);
    return TN_OK;
}

// The evaluation of a row: its variables with their rates of change and second ones while nothing
// accelerates, all in SI units by the time of the model, and derivatives of the row by them.
typedef struct formula_at {
    double t, x[TN_ROW_VARIABLES], d[TN_ROW_VARIABLES], value;
    tn_jet jet;
} formula_at;

// The part of a rate that the acceleration of prescribed frames adds.
static double prescribed_rate(const abs_pair *p, const double *G)
{
    return p->pose
               ? tn_v3_dot(tn_v3_from(G), p->Va_dot->v) + tn_v3_dot(tn_v3_from(G + 3), p->Va_dot->w)
               : 0.0;
}

static tn_jet measure_jet(const absolute *s, const tn_formula_row *from, int k, abs_measure *m,
                          const abs_point *at)
{
    const abs_pair *p = &s->pair[m->pair];
    double V[12];
    tn_jet x = {.v = tn_measure_take(s, m, at, true)};
    tn_pair_twists(&p->at, V);
    x.d = tn_dot(12, m->q, V);
    if (from->rate[k])
        x.d += prescribed_rate(p, m->v);
    else if (from->holds_position)
        x.dd = m->unit * tn_row_curvature(&m->row, &p->at) + prescribed_rate(p, m->q);
    return x;
}

static formula_at evaluate_formula(const absolute *s, abs_formula_row *v, const abs_point *at)
{
    const double second = s->model->units.time;
    formula_at f = {.t = abs_clock(s, at->t) * second};
    tn_jet x[TN_ROW_VARIABLES];
    for (int k = 0; k < v->from.n; k++) {
        x[k] = measure_jet(s, &v->from, k, &v->measure[k], at);
        f.x[k] = x[k].v;
    }
    f.jet = tn_formula_jet(v->from.formula, (tn_jet){f.t, second, 0.0}, x);
    f.value = tn_formula_gradient(v->from.formula, f.t, f.x, NULL, f.d);
    return f;
}

static const double *row_gradient(const abs_formula_row *v, int k)
{
    return v->from.holds_position ? v->measure[k].q : v->measure[k].v;
}

static void gather_formula(const abs_formula_row *v, int k, double scale, const double *from,
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

// The derivative of the gradient of a measure by motions of its bodies: of components in body axes
// the axis turns with the body.
static void measure_hessian(const absolute *s, const abs_measure *m, double H[12][12])
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
                        const double *block, double (*to)[12][12])
{
    for (int k = 0; a >= 0 && b >= 0 && k < j->npair; k++) {
        const abs_pair *p = &s->pair[j->pair[k]];
        const int end[2] = {p->a, p->b};
        for (int x = 0; x < 2; x++)
            for (int y = 0; y < 2; y++) {
                if (end[x] != j->body[a] || end[y] != j->body[b])
                    continue;
                for (int i = 0; i < 6; i++)
                    tn_axpy(6, scale, block + 12 * i, &to[k][6 * x + i][6 * y]);
                return;
            }
    }
}

// Adds scale A, of the gradients of variables k and m.
static void add_formula_block(const absolute *s, const abs_joint *j, int k, int m, double scale,
                              double A[12][12], double (*to)[12][12])
{
    const abs_formula_row *v = j->formula;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
            add_to_pair(s, j, v->into[k][a], v->into[m][b], scale, &A[6 * a][6 * b], to);
}

static void add_product(const absolute *s, const abs_joint *j, int k, int m, double scale,
                        const double *by, double (*to)[12][12])
{
    const double *G = row_gradient(j->formula, k);
    double A[12][12];
    for (int i = 0; i < 12; i++)
        for (int c = 0; c < 12; c++)
            A[i][c] = G[i] * by[c];
    add_formula_block(s, j, k, m, scale, A, to);
}

// The second derivative along the axes k and m together; a number less than 0 is the time.
static double bend_along(const tn_formula_row *from, const formula_at *f, int k, int m)
{
    tn_jet x[TN_ROW_VARIABLES];
    for (int i = 0; i < from->n; i++)
        x[i] = (tn_jet){f->x[i], i == k || i == m, 0.0};
    return tn_formula_jet(from->formula, (tn_jet){f->t, k < 0 || m < 0, 0.0}, x).dd;
}

static double formula_bend(const tn_formula_row *from, const formula_at *f, int k, int m)
{
    const double both = bend_along(from, f, k, m);
    return k == m ? both : 0.5 * (both - bend_along(from, f, k, k) - bend_along(from, f, m, m));
}

// Derivatives of the row of velocities of a row of positions: sum F_x V^T H_x, and the change of
// the slopes.
static void add_position_rate(const absolute *s, const abs_joint *j, const formula_at *f, double c,
                              abs_rows *w)
{
    abs_formula_row *v = j->formula;
    for (int k = 0; k < v->from.n; k++) {
        double H[12][12], V[12], y[12] = {0};
        measure_hessian(s, &v->measure[k], H);
        tn_pair_twists(&s->pair[v->measure[k].pair].at, V);
        for (int i = 0; i < 12; i++)
            tn_axpy(12, f->d[k] * V[i], H[i], y);
        double slope = tn_formula_has_time(v->from.formula)
                           ? s->model->units.time * formula_bend(&v->from, f, k, -1)
                           : 0.0;
        for (int m = 0; m < v->from.n; m++) {
            tn_pair_twists(&s->pair[v->measure[m].pair].at, V);
            slope += formula_bend(&v->from, f, k, m) * tn_dot(12, v->measure[m].q, V);
        }
        tn_axpy(12, slope, v->measure[k].q, y);
        gather_formula(v, k, c, y, w->Z);
    }
}

// The derivatives of the gradient, times the multiplier.
static void add_formula_curvature(const absolute *s, const abs_joint *j, const formula_at *f,
                                  double multiplier, abs_rows *w)
{
    const abs_formula_row *v = j->formula;
    const bool all = v->from.holds_position;
    for (int k = 0; k < v->from.n; k++) {
        double H[12][12];
        if (!all && !v->from.rate[k])
            continue;
        measure_hessian(s, &v->measure[k], H);
        add_formula_block(s, j, k, k, multiplier * f->d[k], H, w->H);
        for (int m = 0; m < v->from.n; m++) {
            if (v->from.rate[m] && v->from.linear)
                continue;
            const double bend = multiplier * formula_bend(&v->from, f, k, m);
            add_product(s, j, k, m, bend, v->measure[m].q, w->H);
            if (v->from.rate[m])
                add_product(s, j, k, m, bend, v->measure[m].v, w->D);
        }
    }
}

// Scales rows of positions by the largest of its slopes where bodies are posed, which is the change
// of the row by a length (or an angle).
void tn_absolute_scale_formula(absolute *s, abs_joint *j, const abs_point *at)
{
    abs_formula_row *v = j->formula;
    const formula_at f = evaluate_formula(s, v, at);
    double most = 0.0;
    for (int k = 0; k < v->from.n; k++) {
        const bool length = v->from.variable[k].unit[0] == 'm';
        if (length == v->from.length)
            most = fmax(most, fabs(f.d[k]));
    }
    v->scale = most > 0.0 && isfinite(most) ? 1.0 / most : 1.0;
}

static double formula_factor(const abs_formula_row *v)
{
    return (v->from.holds_position ? v->scale : 1.0) / v->unit;
}

double tn_absolute_slip_ratio(const tn_system *sys, int joint)
{
    const absolute *s = (const absolute *)sys;
    const abs_joint *j = &s->joint[joint];
    return j->formula ? formula_factor(j->formula) / formula_factor(s->joint[j->rolling].formula)
                      : 1.0;
}

void tn_absolute_formula_row(absolute *s, const abs_joint *j, const abs_point *at, unsigned want,
                             abs_rows *w)
{
    abs_formula_row *v = j->formula;
    tn_system *sys = &s->base;
    const formula_at f = evaluate_formula(s, v, at);
    const double c = formula_factor(v);
    for (int k = 0; k < v->from.n; k++) {
        gather_formula(v, k, c * f.d[k], row_gradient(v, k), w->G);
        if (want & TN_EVAL_TANGENT && j->rolls)
            gather_formula(v, k, c * f.d[k], v->measure[k].q, w->Z);
    }
    if (want & TN_EVAL_G && !j->rolls)
        sys->g[j->row0] = c * f.value;
    if (want & TN_EVAL_GDOT)
        (j->rolls ? sys->ndot : sys->gdot)[j->row0] = c * (j->rolls ? f.value : f.jet.d);
    if (want & TN_EVAL_GAMMA)
        (j->rolls ? sys->ngamma : sys->gamma)[j->row0] =
            c * (j->rolls ? f.jet.d : f.jet.dd) + carried(s, j, w);
    if (want & TN_EVAL_TANGENT) {
        const double *multiplier = j->rolls ? at->eta : at->lambda;
        if (!j->rolls)
            add_position_rate(s, j, &f, c, w);
        add_formula_curvature(s, j, &f, multiplier ? c * multiplier[j->row0] : 0.0, w);
    }
}

// Power of the explicit time: -(lambda G + eta N) v, where G v + F_t = 0, and a row linear in
// velocities is N v + n = 0 with n its value at rest.
double tn_absolute_formula_power(absolute *s, abs_formula_row *v, const abs_point *at)
{
    const abs_joint *j = &s->joint[v->joint];
    const bool holds = v->from.holds_position;
    const formula_at f = evaluate_formula(s, v, at);
    const double second = s->model->units.time;
    double power = holds ? second * tn_formula_by_time(v->from.formula, f.t, f.x) : f.value;
    for (int k = 0; k < v->from.n; k++) {
        const abs_pair *p = &s->pair[v->measure[k].pair];
        if (v->from.rate[k])
            power -= f.d[k] * f.x[k];
        if (p->pose)
            power += f.d[k] * abs_along(row_gradient(v, k), p->at.a.V);
    }
    j = holds ? j : &s->joint[j->rolling];
    return (holds ? at->lambda : at->eta)[j->row0] * formula_factor(v) * power;
}

// On the body of the first name in the expression, in a row of velocities of the first rate, about
// the origin of its frame.
tn_wrench tn_absolute_formula_reaction(const absolute *s, const abs_joint *j, const abs_point *at)
{
    abs_rows w = {0};
    const abs_formula_row *v = j->formula;
    int first = 0;
    while ((!v->from.holds_position && !v->from.rate[first]) ||
           (v->into[first][0] < 0 && v->into[first][1] < 0))
        first++;
    const int k = v->into[first][v->into[first][1] >= 0];
    const abs_body *b = &s->body[j->body[k]];
    const double multiplier = (j->rolls ? at->eta : at->lambda)[j->row0];
    tn_absolute_formula_row((absolute *)s, j, at, TN_EVAL_B, &w);
    tn_vec3 f = tn_v3_scale(-multiplier, tn_v3_from(w.G[k][0]));
    tn_vec3 m = tn_v3_scale(-multiplier, tn_v3_from(w.G[k][0] + 3));
    const abs_joint *slip = !j->rolls && j->rolling >= 0 ? &s->joint[j->rolling] : NULL;
    for (int i = 0; slip && at->eta && i < slip->nbody; i++) {
        abs_rows u = {0};
        if (slip->body[i] != j->body[k])
            continue;
        tn_absolute_formula_row((absolute *)s, slip, at, TN_EVAL_B, &u);
        f = tn_v3_axpy(-at->eta[slip->row0], tn_v3_from(u.G[i][0]), f);
        m = tn_v3_axpy(-at->eta[slip->row0], tn_v3_from(u.G[i][0] + 3), m);
    }
    const tn_vec3 to_centre = tn_m3_apply(b->R, b->com);
    return (tn_wrench){f, tn_v3_add(m, tn_v3_cross(to_centre, f))};
}
