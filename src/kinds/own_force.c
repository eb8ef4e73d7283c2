// SPDX-License-Identifier: MIT
//
// Own forces as force elements of the library. A force sees its frames in SI units and gives
// wrenches at their origins; the library wants them in the units of the model, at the reference
// points of the bodies. With V_f = X V for the twists of the frames, and dV_f = w x (dr x arm)
// their change as the arms turn at constant V:
//
//   w = X^T w_f,    K = X^T (K_f X + D_f dV_f) + arms,    D = X^T D_f X

#include "kinds/own.h"

#include "base/alloc.h"
#include "model/force.h"
#include "row/own_row.h"

#include <float.h>
#include <math.h>

typedef struct own_force {
    tn_force_ops ops; // first
    tn_own_force table;
    tn_param params[TN_OWN_PARAMS];
} own_force;

// SI units of one unit of the model.
typedef struct own_units {
    double length, time, force, energy;
} own_units;

static own_units units_of(const tn_force_data *data)
{
    const tn_own_values *own = &data->def.own;
    const double length = tn_own_unit(own, 0), time = tn_own_unit(own, 2), speed = length / time;
    const double energy = tn_own_unit(own, 1) * speed * speed;
    return (own_units){length, time, energy / length, energy};
}

// Unit of number i of 12 of a wrench.
static double effort_unit(const own_units *u, int i)
{
    return i % 6 < 3 ? u->force : u->energy;
}

static tn_moving_frame moving(const tn_end *end, const own_units *u)
{
    const tn_vec3 v = tn_v3_add(end->V.v, tn_v3_cross(end->V.w, end->r));
    return (tn_moving_frame){
        tn_own_frame(end->x, u->length),
        {tn_v3_scale(u->length / u->time, v), tn_v3_scale(1.0 / u->time, end->V.w)}};
}

// Arguments of the element but for its frames; u has room for its functions.
static tn_force_at element_at(const tn_force_data *data, double t, const own_units *units,
                              double (*u)[3])
{
    for (int i = 0; i < TN_COUNT(data->u) && data->u[i]; i++) {
        tn_timefn_eval(data->u[i], t, u[i]);
        u[i][1] /= units->time;
        u[i][2] /= units->time * units->time;
    }
    return (tn_force_at){.t = t * units->time,
                         .params = data->def.own.at,
                         .u = (const double(*)[3])u,
                         .user = data->ops->own->kind.user};
}

tn_force_at tn_own_force_place(const tn_force_data *data, double t, const tn_pair *at,
                               double (*u)[3])
{
    const own_units units = units_of(data);
    tn_force_at here = element_at(data, t, &units, u);
    here.a = moving(&at->a, &units);
    here.b = moving(&at->b, &units);
    return here;
}

static void wrench_at(const tn_own_force *table, const tn_force_at *at, double w[12],
                      tn_own_load *load)
{
    *load = (tn_own_load){0};
    table->eval(at, load);
    tn_v3_to(load->a.f, w + TN_FA);
    tn_v3_to(load->a.m, w + TN_MA);
    tn_v3_to(load->b.f, w + TN_FB);
    tn_v3_to(load->b.m, w + TN_MB);
    if (!table->energies) {
        load->energy = load->dissipated = 0.0;
        load->supplied = tn_power(load->a, at->a.V) + tn_power(load->b, at->b.V);
    }
}

static void own_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                     tn_load *out)
{
    const own_units units = units_of(data);
    double u[TN_COUNT(data->u)][3];
    const tn_force_at here = tn_own_force_place(data, t, at, u);
    tn_own_load load;
    (void)reference;
    wrench_at(data->ops->own, &here, out->w, &load);
    for (int i = 0; i < 12; i++)
        out->w[i] /= effort_unit(&units, i);
    tn_own_gradient_on_bodies(at, out->w);
    out->energy = load.energy / units.energy;
    out->dissipated = load.dissipated / (units.energy / units.time);
    out->supplied = load.supplied / (units.energy / units.time);
}

bool tn_own_force_differs(const tn_own_force *table)
{
    return table->law ? !table->derives : !table->tangent;
}

// Steps of differences by positions or by velocities, for models of that size.
static tn_own_steps steps_for(const tn_force_data *data, bool velocity, double length)
{
    const double spread = data->spread[velocity] > 0.0 ? data->spread[velocity] : 1.0;
    const tn_own_steps usual = tn_own_steps_for(length);
    return (tn_own_steps){spread * usual.shift, spread * usual.turn};
}

// Tangents ----------------------------------------------------------------------------------------

static void vary(tn_force_at *at, int k, double h, bool velocity)
{
    tn_moving_frame *frame = k < 6 ? &at->a : &at->b;
    double twist[6];
    if (!velocity) {
        frame->x = tn_own_vary(frame->x, k % 6, h);
        return;
    }
    tn_v3_to(frame->V.v, twist);
    tn_v3_to(frame->V.w, twist + 3);
    twist[k % 6] += h;
    frame->V = (tn_twist){tn_v3_from(twist), tn_v3_from(twist + 3)};
}

// A difference of these values at the points, or zero where it is their round-off.
static double difference_of(const double *value, double step)
{
    double sum = 0.0, size = 0.0;
    for (int n = 0; n < TN_OWN_POINTS; n++) {
        sum += tn_own_weight[n] * value[n];
        size += fabs(tn_own_weight[n] * value[n]);
    }
    return fabs(sum) > 2.0 * DBL_EPSILON * size ? sum / step : 0.0;
}

static void force_difference(const tn_own_force *table, const tn_force_at *at, int k, double step,
                             bool velocity, double A[12][12])
{
    double w[12][TN_OWN_POINTS];
    for (int n = 0; n < TN_OWN_POINTS; n++) {
        tn_force_at moved = *at;
        tn_own_load load;
        double now[12];
        vary(&moved, k, tn_own_point[n] * step, velocity);
        wrench_at(table, &moved, now, &load);
        for (int i = 0; i < 12; i++)
            w[i][n] = now[i];
    }
    for (int i = 0; i < 12; i++)
        A[i][k] = difference_of(w[i], step);
}

void tn_own_force_differences(const tn_own_force *table, const tn_force_at *at,
                              const tn_own_steps steps[2], tn_own_tangent *out)
{
    for (int k = 0; k < 12; k++) {
        force_difference(table, at, k, tn_own_step(&steps[0], k), false, out->K);
        force_difference(table, at, k, tn_own_step(&steps[1], k), true, out->D);
    }
}

// K += D dV, where the arm r of an end turns at constant velocities.
static void add_turning_arm(const tn_end *end, int first, double D[12][12], double K[12][12])
{
    for (int j = 0; j < 3; j++) {
        const tn_vec3 turn = tn_v3(j == 0, j == 1, j == 2);
        const tn_vec3 dv = tn_v3_cross(end->V.w, tn_v3_cross(turn, end->r));
        for (int i = 0; i < 12; i++)
            K[i][first + 3 + j] += tn_v3_dot(tn_v3_from(D[i] + first), dv);
    }
}

static void own_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                        tn_load_tangent *out)
{
    const own_units units = units_of(data);
    const tn_own_force *table = data->ops->own;
    double u[TN_COUNT(data->u)][3], w[12];
    const tn_force_at here = tn_own_force_place(data, t, at, u);
    tn_own_load load;
    tn_own_tangent T = {0};
    (void)reference;
    const tn_own_steps steps[] = {steps_for(data, false, units.length),
                                  steps_for(data, true, units.length)};
    if (table->tangent)
        table->tangent(&here, &T);
    else
        tn_own_force_differences(table, &here, steps, &T);
    wrench_at(table, &here, w, &load);
    for (int i = 0; i < 12; i++) {
        w[i] /= effort_unit(&units, i);
        for (int j = 0; j < 12; j++) {
            const double scale = (j % 6 < 3 ? units.length : 1.0) / effort_unit(&units, i);
            out->K[i][j] = T.K[i][j] * scale;
            out->D[i][j] = T.D[i][j] * scale / units.time;
        }
    }
    add_turning_arm(&at->a, 0, out->D, out->K);
    add_turning_arm(&at->b, 6, out->D, out->K);
    tn_own_matrix_on_bodies(at, NULL, out->D);
    tn_own_matrix_on_bodies(at, w, out->K);
}

// Laws --------------------------------------------------------------------------------------------

static tn_own_law law_at(const tn_own_force *table, tn_force_at at, double x, double rate)
{
    tn_own_law law = {0};
    at.x = x;
    at.rate = rate;
    table->law(&at, &law);
    if (!table->energies) {
        law.energy = law.dissipated = law.elastic = law.elastic_by_x = 0.0;
        law.supplied = law.force * rate;
    }
    return law;
}

void tn_own_law_differences(const tn_own_force *table, const tn_force_at *at, const double step[2],
                            tn_own_law *law)
{
    double by_x[TN_OWN_POINTS], elastic[TN_OWN_POINTS], by_rate[TN_OWN_POINTS];
    for (int n = 0; n < TN_OWN_POINTS; n++) {
        const double h = tn_own_point[n] * step[0], rate = at->rate + tn_own_point[n] * step[1];
        const tn_own_law moved = law_at(table, *at, at->x + h, at->rate);
        by_x[n] = moved.force;
        elastic[n] = moved.elastic;
        by_rate[n] = law_at(table, *at, at->x, rate).force;
    }
    law->by_x = difference_of(by_x, step[0]);
    law->elastic_by_x = difference_of(elastic, step[0]);
    law->by_rate = difference_of(by_rate, step[1]);
}

static void own_law(const tn_force_data *data, double t, double x, double rate, double kept,
                    tn_scalar_load *out)
{
    const own_units units = units_of(data);
    const tn_own_force *table = data->ops->own;
    const double c = tn_row_is_length(&data->row) ? units.length : 1.0, Q = units.energy / c;
    double u[TN_COUNT(data->u)][3];
    tn_force_at here = element_at(data, t, &units, u);
    here.x = x * c;
    here.rate = rate * c / units.time;
    tn_own_law law = law_at(table, here, here.x, here.rate);
    const double steps[] = {steps_for(data, false, c).shift, steps_for(data, true, c).shift};
    if (!table->derives)
        tn_own_law_differences(table, &here, steps, &law);
    *out = (tn_scalar_load){.Q = law.force / Q,
                            .Q_x = law.by_x * c / Q,
                            .Q_v = law.by_rate * (c / units.time) / Q,
                            .elastic = law.elastic / Q,
                            .elastic_x = law.elastic_by_x * c / Q,
                            .energy = law.energy / units.energy,
                            .dissipated = law.dissipated / (units.energy / units.time),
                            .supplied = law.supplied / (units.energy / units.time)};
}

// The mean of the elastic part by Gauss's rule with four points: exact for a law of seventh degree,
// and no digits are lost where both ends are near each other.
static tn_scalar_mean own_mean(const tn_force_data *data, double x0, double x1)
{
    static const double node[] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                  0.93056815579702629};
    static const double weight[] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                    0.17392742256872693};
    tn_scalar_mean mean = {0};
    for (int i = 0; i < 4; i++) {
        tn_scalar_load load;
        own_law(data, 0.0, x0 + node[i] * (x1 - x0), 0.0, 0.0, &load);
        mean.Q += weight[i] * load.elastic;
        mean.Q_1 += weight[i] * node[i] * load.elastic_x;
    }
    return mean;
}

// Adding ------------------------------------------------------------------------------------------

static const tn_row distance_row = {.form = TN_ROW_LENGTH};

static tn_status check_table(const tn_own_force *force)
{
    TN_TRY(tn_own_check(&force->kind, sizeof((tn_own_values *)0)->at, true));
    if (force->place < TN_OWN_PAIR || force->place > TN_OWN_JOINT)
        return tn_fail(TN_ERR_USAGE, "kind '%s': %d is no place of a force", force->kind.name,
                       (int)force->place);
    if (!force->eval == !force->law)
        return tn_fail(TN_ERR_USAGE, "kind '%s': a force needs either eval or law, and not both",
                       force->kind.name);
    if (force->law && force->place == TN_OWN_SINGLE)
        return tn_fail(TN_ERR_USAGE,
                       "kind '%s': a law acts on two bodies or in a joint, not on one body",
                       force->kind.name);
    if (force->eval && force->place == TN_OWN_JOINT)
        return tn_fail(TN_ERR_USAGE, "kind '%s': a force in a joint needs a law", force->kind.name);
    return TN_OK;
}

static void fill_ops(own_force *force)
{
    const tn_own_force *table = &force->table;
    const bool told = tn_own_force_differs(table);
    tn_own_params(&table->kind, offsetof(tn_force_def, own.at), force->params);
    force->ops = (tn_force_ops){
        .name = table->kind.name,
        .text = table->kind.text,
        .params = force->params,
        .nparam = table->kind.nparam,
        .glyph = table->place == TN_OWN_PAIR ? "rod" : NULL,
        .on_joint = table->place == TN_OWN_JOINT,
        .single = table->place == TN_OWN_SINGLE,
        .needs_rotation = table->turns,
        .row = table->law && table->place == TN_OWN_PAIR ? &distance_row : NULL,
        .law = table->law ? own_law : NULL,
        .mean = table->law && table->energies ? own_mean : NULL,
        .eval = table->eval ? own_eval : NULL,
        .tangent = table->eval ? own_tangent : NULL,
        .own = table,
        .note = told ? "its derivatives are not given and formed by differences" : NULL,
    };
}

tn_status tn_add_force_kind(const tn_own_force *force, tn_force_kind *out)
{
    TN_NEED(force, TN_ERR_USAGE);
    int number = 0;
    TN_TRY(check_table(force));
    own_force *own = tn_alloc(sizeof *own);
    TN_TRY(tn_got(own));
    own->table = *force;
    fill_ops(own);
    TN_TRY(tn_own_push(TN_FAMILY_FORCE, own, &number));
    if (out)
        *out = (tn_force_kind)(TN_FORCE_KIND_COUNT + number);
    return TN_OK;
}
