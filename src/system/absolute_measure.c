// SPDX-License-Identifier: MIT
//
// Numbers of the mechanism that expressions of the state use, on the posed bodies, with their
// derivatives by motions of the bodies of their pair, in world axes: a row of a pair x(q) has dx =
// G and its rate dx' = V^T H dx + G dV (row/row.h).

#include "system/absolute_parts.h"

#include "force/slip.h"
#include "linalg/dense.h"
#include "model/output.h"
#include "model/units.h"

#include <string.h>

static const tn_row turn_about_z = {TN_ROW_ANGLE, TN_Y, TN_X, TN_X, TN_X};

static void take_joint_row(const absolute *s, abs_measure *m)
{
    const tn_joint_ops *ops = s->model->joints.at[m->from->element].ops;
    m->pair = s->joint[m->from->element].own_pair;
    m->row = ops->coords[m->from->component].row;
}

static void take_force_row(const absolute *s, abs_measure *m)
{
    const abs_force *f = &s->force[m->from->element];
    m->pair = f->pair;
    m->row = f->data.row;
}

static void take_body_row(absolute *s, abs_measure *m, bool angle)
{
    m->pair = tn_absolute_add_pair(s, 0, m->from->element, tn_frame_identity, tn_frame_identity);
    m->row = angle ? turn_about_z : (tn_row){.form = TN_ROW_COORD, .i = m->from->component};
}

// Frame B seen from frame A: components of its origin, and of the rotation vector.
static void take_seen_row(const absolute *s, abs_measure *m)
{
    const int k = (m->from->index - TN_QUANTITIES) % 6;
    m->pair = s->force[m->from->element].pair;
    m->row = (tn_row){.form = k < 3 ? TN_ROW_AXIS : TN_ROW_TURN, .i = k % 3};
}

static bool is_contact(const abs_measure *m)
{
    return m->from->index == TN_Q_CONTACT || m->from->index == TN_Q_CONTACT_POINT;
}

static bool is_slip(const abs_measure *m)
{
    return m->from->index >= TN_QUANTITIES + TN_SEEN_NUMBERS;
}

static const tn_output_def *point_of(const absolute *s, const abs_measure *m)
{
    TN_ASSERT(m->from->index == TN_Q_OUTPUT);
    return &s->model->outputs.at[m->from->element]->def; // in SI units, in copies as well
}

// A point that is an output, seen from a body: a component or the distance.
static void take_point_row(absolute *s, abs_measure *m)
{
    const tn_output_def *def = point_of(s, m);
    const double unit = 1.0 / s->model->units.length;
    const tn_frame from = {tn_m3_identity, tn_v3_scale(unit, def->from)};
    const tn_frame at = {tn_m3_identity, tn_v3_scale(unit, def->point)};
    m->pair = tn_absolute_add_pair(s, def->in.index, def->of.index, from, at);
    m->row = def->quantity == TN_OUTPUT_DISTANCE ? (tn_row){.form = TN_ROW_LENGTH}
                                                 : (tn_row){.form = TN_ROW_AXIS, .i = def->axis};
}

static void take_reaction(const absolute *s, abs_measure *m)
{
    const abs_joint *j = &s->joint[m->from->element];
    m->pair = j->own_pair >= 0 ? j->own_pair : j->pair[0];
    const bool whole =
        m->from->index == TN_Q_REACTION_FORCE || m->from->index == TN_Q_REACTION_TORQUE;
    for (int k = 0; k < (whole ? j->nshare : 0); k++)
        for (int i = 0; i < s->joint[j->share[k]].nrow; i++)
            m->rows[m->nrow++] = s->joint[j->share[k]].row0 + i;
    for (int i = 0; m->nrow == i && i < j->nrow; i++)
        m->rows[m->nrow++] = j->row0 + i;
}

static bool is_multiplier(const abs_measure *m)
{
    return m->from->index == TN_Q_MULTIPLIER || m->from->index == TN_Q_CONTACT_LOAD;
}

// The force that holds a rolling or sliding body is the sum over rows of positions and of
// velocities, and forces may depend on multipliers of the former alone.
static tn_status refuse_rolling(const absolute *s, const abs_measure *m, const char *name)
{
    return tn_fail(
        TN_ERR_MODEL,
        "an expression of the state uses a force or torque of '%s', which rows of "
        "velocities hold: only multipliers of its rows of positions can be used ('%s.lambda.%s')",
        name, name, tn_constraint_row_name(s->model, m->from->element, 0));
}

// Force and torque of a coupling of two pairs belong to three bodies or four.
static tn_status check_reaction(const absolute *s, const abs_measure *m)
{
    const bool reaction = tn_variable_is_reaction(m->from);
    const abs_joint *j = reaction ? &s->joint[m->from->element] : NULL;
    const char *name = reaction ? s->model->joints.at[m->from->element].name : NULL;
    if (reaction && j->rolling >= 0 && !(is_multiplier(m) && m->from->component < j->nrow))
        return refuse_rolling(s, m, name);
    if (m->nrow == 0 || is_multiplier(m) || (j->npair == 1 && !j->formula))
        return TN_OK;
    if (j->formula)
        return tn_fail(TN_ERR_MODEL,
                       "an expression of the state uses force or torque of '%s', a row by an "
                       "expression; take its multiplier ('%s.lambda.%s')",
                       name, name, tn_constraint_row_name(s->model, m->from->element, 0));
    return tn_fail(TN_ERR_MODEL,
                   "an expression of the state uses force or torque of '%s', a coupling of two "
                   "joints; take its multiplier ('%s.lambda.%s'), the force or torque on the "
                   "first of its coordinates",
                   name, name, tn_constraint_row_name(s->model, m->from->element, 0));
}

static void take_row(absolute *s, abs_measure *m)
{
    switch ((tn_quantity)m->from->index) {
    case TN_Q_JOINT_COORDINATE:
    case TN_Q_JOINT_RATE:
        take_joint_row(s, m);
        break;
    case TN_Q_BODY_ANGLE:
    case TN_Q_BODY_ANGLE_RATE:
        take_body_row(s, m, true);
        break;
    case TN_Q_BODY_POSITION:
    case TN_Q_BODY_VELOCITY:
    case TN_Q_BODY_SPIN:
        take_body_row(s, m, false);
        break;
    case TN_Q_REACTION_FORCE:
    case TN_Q_REACTION_TORQUE:
    case TN_Q_MULTIPLIER:
    case TN_Q_CONTACT_LOAD:
        take_reaction(s, m);
        break;
    case TN_Q_OUTPUT:
        take_point_row(s, m);
        break;
    default:
        take_force_row(s, m);
    }
}

tn_status tn_measure_open(absolute *s, abs_measure *m)
{
    m->memory = -1;
    // Contact coordinates are in SI units in every model.
    m->unit =
        m->from->index == TN_Q_CONTACT ? 1.0 : tn_unit_of(s->model->units, m->from->unit, true);
    if (is_slip(m))
        m->pair = s->force[m->from->element].pair;
    else if (is_contact(m))
        m->pair = s->joint[m->from->element].own_pair;
    else if (m->from->index >= TN_QUANTITIES)
        take_seen_row(s, m);
    else
        take_row(s, m);
    if (m->nrow == 0 && !is_slip(m) && !is_contact(m))
        m->memory = tn_absolute_angle_memory(s, m->pair, &m->row);
    m->body[0] = s->pair[m->pair].a;
    m->body[1] = s->pair[m->pair].b;
    return check_reaction(s, m);
}

static void turning_rate(const tn_row *row, const tn_pair *at, double out[12])
{
    double H[12][12] = {{0}}, V[12];
    tn_row_hessian(row, at, 1.0, H);
    tn_pair_twists(at, V);
    memset(out, 0, 12 * sizeof *out);
    for (int i = 0; i < 12; i++)
        tn_axpy(12, V[i], H[i], out);
}

// A row or its rate: dx = G, dx' = V^T H dx + G dV.
static double measure_row(const absolute *s, abs_measure *m, const abs_point *at, bool rate,
                          bool tangent)
{
    const tn_pair *pair = &s->pair[m->pair].at;
    double G[12];
    if (tangent || rate)
        tn_row_gradient(&m->row, pair, G);
    if (tangent && rate) {
        turning_rate(&m->row, pair, m->q);
        tn_copy(12, G, m->v);
    } else if (tangent) {
        tn_copy(12, G, m->q);
    }
    return rate ? tn_row_rate(G, pair)
                : tn_row_value(&m->row, pair, abs_expected(s, at, m->memory));
}

// The force of a scalar law, Q(x, x', t).
static double measure_effort(const absolute *s, abs_measure *m, const abs_point *at, bool tangent)
{
    const abs_force *f = &s->force[m->from->element];
    const tn_pair *pair = &s->pair[m->pair].at;
    const double sign = m->from->index == TN_Q_FORCE_TENSION ? -1.0 : 1.0;
    double G[12];
    tn_scalar_load load = {0};
    tn_row_gradient(&m->row, pair, G);
    f->data.ops->law(&f->data, abs_clock(s, at->t),
                     tn_row_value(&m->row, pair, abs_expected(s, at, m->memory)),
                     tn_row_rate(G, pair), abs_expected(s, at, f->memory), &load);
    if (tangent) {
        turning_rate(&m->row, pair, m->q);
        tn_scale(12, sign * load.Q_v, m->q);
        tn_axpy(12, sign * load.Q_x, G, m->q);
        tn_zero(12, m->v);
        tn_axpy(12, sign * load.Q_v, G, m->v);
    }
    return sign * load.Q;
}

// The angular velocity in body axes, e_i . R^T w: its variation is R e_i . (dw + w x dtheta).
static double measure_spin(const absolute *s, abs_measure *m)
{
    const abs_body *b = &s->body[m->body[1]];
    const int i = m->from->component;
    const tn_vec3 axis = {b->R.m[0][i], b->R.m[1][i], b->R.m[2][i]};
    tn_v3_to(tn_v3_cross(axis, b->V.w), m->q + TN_MB);
    tn_v3_to(axis, m->v + TN_MB);
    return tn_v3_dot(axis, b->V.w);
}

// Force, moment or strain of the section of a beam.
static double measure_section(const absolute *s, abs_measure *m, bool tangent)
{
    const tn_force_data *data = &s->force[m->from->element].data;
    const tn_quantity what = (tn_quantity)m->from->index;
    const bool turning = what == TN_Q_SECTION_MOMENT || what == TN_Q_SECTION_CURVATURE;
    const bool load = what == TN_Q_SECTION_FORCE || what == TN_Q_SECTION_MOMENT;
    const int k = m->from->component + (turning ? 3 : 0);
    tn_section_load at;
    data->ops->section(data, &s->pair[m->pair].at, tangent, &at);
    if (tangent) {
        tn_copy(12, load ? at.s_q[k] : at.strain_q[k], m->q);
        tn_zero(12, m->v);
        tn_axpy(12, load ? 1.0 : 0.0, at.s_v[k], m->v);
    }
    return load ? at.s[k] : at.strain[k];
}

// u = A V, of which A varies by H.
static double measure_slip(const absolute *s, abs_measure *m, bool tangent)
{
    const tn_pair *pair = &s->pair[m->pair].at;
    const int k = m->from->component;
    double V[12];
    tn_slip_at slip;
    tn_slip_see(&s->force[m->from->element].data, pair, tangent, &slip);
    if (tangent) {
        tn_pair_twists(pair, V);
        tn_zero(12, m->q);
        for (int i = 0; i < 12; i++)
            tn_axpy(12, V[i], slip.H[k][i], m->q);
        tn_copy(12, slip.A[k], m->v);
    }
    return slip.u[k];
}

// Adds the load of row i of a joint on its body B: -lambda G, of which G varies by H.
static void add_reaction_row(const abs_joint *j, int i, double lambda, const tn_pair *pair,
                             bool tangent, double w[6], double dw[6][12], double G[6])
{
    double H[12][12] = {{0}};
    tn_zero(6, G);
    for (int k = 0; k < j->row[i].nterm; k++) {
        const abs_term *term = &j->row[i].term[k];
        double all[12];
        TN_ASSERT(term->pair == j->row[i].term[0].pair);
        tn_row_gradient(&term->row, pair, all);
        tn_axpy(6, -term->coefficient, all + 6, G);
        if (tangent)
            tn_row_hessian(&term->row, pair, term->coefficient, H);
    }
    tn_axpy(6, lambda, G, w);
    for (int c = 0; tangent && c < 6; c++)
        tn_axpy(12, -lambda, H[6 + c], dw[c]);
}

// From the centre of mass to the origin of frame B: m - r x f, where r turns with the body.
static double about_frame(int k, tn_vec3 r, const double *w)
{
    const tn_vec3 moment = tn_v3_sub(tn_v3_from(w + 3), tn_v3_cross(r, tn_v3_from(w)));
    return k == 0 ? moment.x : k == 1 ? moment.y : moment.z;
}

// Variation of a torque about the origin of frame B, from that of the wrench. As r turns, -(dtheta
// x r) x f = (f . r) dtheta - r (f . dtheta).
static void vary_torque(int k, tn_vec3 r, const double w[6], double dw[6][12], double out[12])
{
    const tn_vec3 f = tn_v3_from(w);
    const double arm[3] = {r.x, r.y, r.z};
    for (int c = 0; c < 12; c++) {
        const double column[6] = {dw[0][c], dw[1][c], dw[2][c], dw[3][c], dw[4][c], dw[5][c]};
        out[c] = about_frame(k, r, column);
    }
    tn_axpy(3, -arm[k], w, out + TN_MB);
    out[TN_MB + k] += tn_v3_dot(f, r);
}

// The force of one of several joints that share loads. Tangents leave out the change of the shares
// with positions.
static double measure_share(const absolute *s, abs_measure *m, const abs_point *at)
{
    const bool torque = m->from->index == TN_Q_REACTION_TORQUE;
    const int k = m->from->component;
    const tn_vec3 r = s->pair[m->pair].at.b.r;
    abs_share_loads of;
    double sum = 0.0;
    tn_absolute_share(s, &s->joint[m->from->element], &of);
    for (int i = 0; i < of.n; i++) {
        m->lambda[i] = torque ? -about_frame(k, r, of.w[i]) : -of.w[i][k];
        sum += at->lambda ? m->lambda[i] * at->lambda[of.row[i]] : 0.0;
    }
    return sum;
}

static double measure_reaction(const absolute *s, abs_measure *m, const abs_point *at, bool tangent)
{
    const abs_joint *j = &s->joint[m->from->element];
    const tn_pair *pair = &s->pair[m->pair].at;
    const bool torque = m->from->index == TN_Q_REACTION_TORQUE;
    const int k = m->from->component;
    const tn_vec3 r = pair->b.r;
    if (j->nshare > 0)
        return measure_share(s, m, at);
    double w[6] = {0}, dw[6][12] = {{0}}, G[6];
    for (int i = 0; i < j->nrow; i++) {
        const double lambda = at->lambda ? at->lambda[j->row0 + i] : 0.0;
        add_reaction_row(j, i, lambda, pair, tangent, w, dw, G);
        m->lambda[i] = torque ? about_frame(k, r, G) : G[k];
    }
    if (tangent && torque)
        vary_torque(k, r, w, dw, m->q);
    else if (tangent)
        tn_copy(12, dw[k], m->q);
    return torque ? about_frame(k, r, w) : w[k];
}

static double measure_multiplier(abs_measure *m, const abs_point *at)
{
    const int i = m->from->component;
    const double sign = m->from->index == TN_Q_CONTACT_LOAD ? -1.0 : 1.0; // it presses
    tn_zero(m->nrow, m->lambda);
    m->lambda[i] = sign;
    return at->lambda ? sign * at->lambda[m->rows[i]] : 0.0;
}

// In units of the model.
static double measure_value(const absolute *s, abs_measure *m, const abs_point *at, bool tangent)
{
    if (is_slip(m))
        return measure_slip(s, m, tangent);
    if (m->from->index >= TN_QUANTITIES)
        return measure_row(s, m, at, m->from->index >= TN_QUANTITIES + TN_SEEN_NUMBERS / 2,
                           tangent);
    switch ((tn_quantity)m->from->index) {
    case TN_Q_JOINT_COORDINATE:
    case TN_Q_BODY_ANGLE:
    case TN_Q_BODY_POSITION:
    case TN_Q_FORCE_LENGTH:
    case TN_Q_FORCE_ANGLE:
        return measure_row(s, m, at, false, tangent);
    case TN_Q_OUTPUT:
        return measure_row(s, m, at, point_of(s, m)->quantity == TN_OUTPUT_VELOCITY, tangent);
    case TN_Q_FORCE_DEFLECTION:
        return measure_row(s, m, at, false, tangent) - s->force[m->from->element].data.free;
    case TN_Q_FORCE_TENSION:
    case TN_Q_FORCE_EFFORT:
        return measure_effort(s, m, at, tangent);
    case TN_Q_BODY_SPIN:
        return measure_spin(s, m);
    case TN_Q_SECTION_FORCE:
    case TN_Q_SECTION_MOMENT:
    case TN_Q_SECTION_STRAIN:
    case TN_Q_SECTION_CURVATURE:
        return measure_section(s, m, tangent);
    case TN_Q_REACTION_FORCE:
    case TN_Q_REACTION_TORQUE:
        return measure_reaction(s, m, at, tangent);
    case TN_Q_MULTIPLIER:
    case TN_Q_CONTACT_LOAD:
        return measure_multiplier(m, at);
    case TN_Q_CONTACT:
        return tn_touch_coordinate(&s->pair[m->pair].at, m->from->component, tangent, m->q);
    case TN_Q_CONTACT_POINT:
        return tn_touch_point(&s->pair[m->pair].at, m->from->component, tangent, m->q);
    default:
        return measure_row(s, m, at, true, tangent);
    }
}

// Point masses do not turn, whatever the joint that carries one in a tree does.
static void hold_points(const absolute *s, abs_measure *m)
{
    for (int end = 0; end < 2; end++)
        if (s->body[m->body[end]].turns == 0) {
            tn_zero(3, m->q + 6 * end + 3);
            tn_zero(3, m->v + 6 * end + 3);
        }
}

double tn_measure_take(const absolute *s, abs_measure *m, const abs_point *at, bool tangent)
{
    const double value = m->unit * measure_value(s, m, at, tangent);
    if (tangent) {
        hold_points(s, m);
        tn_scale(12, m->unit, m->q);
        tn_scale(12, m->unit, m->v);
        tn_scale(m->nrow, m->unit, m->lambda);
    }
    return value;
}
