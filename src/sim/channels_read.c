// SPDX-License-Identifier: MIT
//
// The values of the channels at the state that a simulation shows; see channels.h.

#include "sim/channels.h"

#include "model/model.h"
#include "model/output.h"
#include "sim/sim.h"
#include "system/absolute.h"

#include <math.h>

// Destinations of the numbers of one owner, by quantity; NULL: it has none, or nobody asks.
typedef double *places[TN_QUANTITIES];

static void put_number(double *to, double value)
{
    if (to)
        *to = value;
}

static void put_vector(double *to, const double x[3])
{
    for (int i = 0; i < 3 && to; i++)
        to[i] = x[i];
}

// Elements ----------------------------------------------------------------------------------------

// Reads channels of few bodies: angles by a sequence of axes with rates, and q' = q o (0, W) / 2.
static void read_turning(const tn_body_kept *def, tn_quat q, tn_vec3 W, const places to)
{
    if (def->angles != TN_ANGLES_NONE) {
        const tn_sequence s = tn_angles_sequence(def->angles);
        if (to[TN_Q_BODY_EULER])
            tn_euler_angles(s, tn_quat_matrix(q), to[TN_Q_BODY_EULER]);
        if (to[TN_Q_BODY_EULER_RATE])
            tn_euler_rates(s, tn_quat_matrix(q), W, to[TN_Q_BODY_EULER_RATE]);
    }
    if (to[TN_Q_BODY_QUATERNION_RATE])
        tn_quat_to(tn_quat_mul(q, (tn_quat){0.0, 0.5 * W.x, 0.5 * W.y, 0.5 * W.z}),
                   to[TN_Q_BODY_QUATERNION_RATE]);
}

static void read_body(tn_sim *sim, int i, const places to)
{
    const tn_body_state x = tn_sensors_body(&sim->sensors, tn_sim_recovered(sim), (tn_body){i});
    tn_v3_to(x.frame.p, to[TN_Q_BODY_POSITION]);
    tn_quat_to(x.rotation, to[TN_Q_BODY_QUATERNION]);
    tn_v3_to(x.velocity, to[TN_Q_BODY_VELOCITY]);
    tn_v3_to(x.rate, to[TN_Q_BODY_SPIN]);
    tn_v3_to(x.acceleration, to[TN_Q_BODY_ACCELERATION]);
    tn_v3_to(x.rate_dot, to[TN_Q_BODY_ANGULAR_ACCELERATION]);
    if (to[TN_Q_BODY_ANGLE])
        *to[TN_Q_BODY_ANGLE] = tn_sensors_planar_angle(&sim->sensors, tn_sim_recovered(sim), i);
    put_number(to[TN_Q_BODY_ANGLE_RATE], x.rate.z);
    put_number(to[TN_Q_BODY_ANGLE_ACCELERATION], x.rate_dot.z);
    if (to[TN_Q_BODY_EULER] || to[TN_Q_BODY_QUATERNION_RATE])
        read_turning(&tn_sim_model(sim)->bodies.at[i].def, x.rotation, x.rate, to);
}

static void read_contact(tn_sim *sim, tn_joint joint, const places to)
{
    double lambda[TN_JOINT_MAX_ROWS];
    tn_vec3 point;
    tn_sim_contact(sim, joint, to[TN_Q_CONTACT], &point);
    tn_v3_to(point, to[TN_Q_CONTACT_POINT]);
    tn_sim_joint_multipliers(sim, joint, lambda, NULL);
    *to[TN_Q_CONTACT_LOAD] = -lambda[0]; // M v' = f - G^T lambda
}

static void read_joint(tn_sim *sim, int j, const places to)
{
    const tn_joint joint = {j};
    const tn_wrench reaction = tn_sim_joint_reaction(sim, joint);
    tn_sim_joint_coordinates(sim, joint, to[TN_Q_JOINT_COORDINATE], to[TN_Q_JOINT_RATE]);
    if (to[TN_Q_JOINT_ACCELERATION])
        tn_sim_joint_accelerations(sim, joint, to[TN_Q_JOINT_ACCELERATION]);
    if (to[TN_Q_MULTIPLIER])
        tn_sim_joint_multipliers(sim, joint, to[TN_Q_MULTIPLIER], NULL);
    tn_v3_to(reaction.f, to[TN_Q_REACTION_FORCE]);
    tn_v3_to(reaction.m, to[TN_Q_REACTION_TORQUE]);
    if (tn_sim_model(sim)->joints.at[j].ops->shapes && to[TN_Q_CONTACT])
        read_contact(sim, joint, to);
}

static void read_force(tn_sim *sim, int f, const places to)
{
    tn_force_state state = {0};
    if (tn_sim_force(sim, (tn_force){f}, &state) != TN_OK)
        state.power = NAN;
    put_number(to[TN_Q_FORCE_LENGTH], state.coordinate);
    put_number(to[TN_Q_FORCE_ANGLE], state.coordinate);
    put_number(to[TN_Q_FORCE_DEFLECTION], state.deflection);
    put_number(to[TN_Q_FORCE_RATE], state.rate);
    put_number(to[TN_Q_FORCE_TENSION], -state.effort);
    put_number(to[TN_Q_FORCE_EFFORT], state.effort);
    put_number(to[TN_Q_FORCE_POWER], state.power);
    if (to[TN_Q_FORCE_FORCE]) {
        tn_v3_to(state.on_b.f, to[TN_Q_FORCE_FORCE]);
        tn_v3_to(state.on_b.m, to[TN_Q_FORCE_TORQUE]);
    }
    if (to[TN_Q_SECTION_FORCE]) {
        tn_v3_to(state.section.f, to[TN_Q_SECTION_FORCE]);
        tn_v3_to(state.section.m, to[TN_Q_SECTION_MOMENT]);
        tn_v3_to(state.strain, to[TN_Q_SECTION_STRAIN]);
        tn_v3_to(state.curvature, to[TN_Q_SECTION_CURVATURE]);
    }
}

// Signals, states, unknowns and sampled values stand one after the other.
static double told_value(tn_sim *sim, int i)
{
    return tn_sensors_signals(&sim->sensors, tn_sim_recovered(sim))[i];
}

static void read_signal(tn_sim *sim, int i, const places to)
{
    *to[TN_Q_SIGNAL] = told_value(sim, i);
}

static void read_state(tn_sim *sim, int i, const places to)
{
    *to[TN_Q_STATE] = told_value(sim, tn_sim_model(sim)->signals.count + i);
}

static void read_unknown(tn_sim *sim, int i, const places to)
{
    const tn_model *model = tn_sim_model(sim);
    *to[TN_Q_UNKNOWN] = told_value(sim, model->signals.count + model->states.count + i);
}

static double sampled_value(tn_sim *sim, int i, int value)
{
    const tn_model *model = tn_sim_model(sim);
    const int first = model->signals.count + model->states.count + model->unknowns.count;
    return told_value(sim, first + sim->channels.offset[TN_OWNER_SAMPLED][i] + value);
}

static void read_sampled(tn_sim *sim, int i, const places to)
{
    for (int k = 0; k < tn_owner_places(tn_sim_model(sim), TN_OWNER_SAMPLED, i); k++)
        to[TN_Q_SAMPLED][k] = sampled_value(sim, i, k);
}

// The motion of the point as one sees it who moves with the other body.
static double read_point(tn_sim *sim, const tn_output_def *def)
{
    const tn_frame at = {tn_m3_identity, def->point}, from = {tn_m3_identity, def->from};
    const tn_frame_motion seen = tn_sim_frame_between(sim, def->in, from, def->of, at);
    double x[3];
    TN_ASSERT(def->axis >= 0 && def->axis < 3);
    if (def->quantity == TN_OUTPUT_DISTANCE)
        return tn_v3_norm(seen.frame.p);
    tn_v3_to(def->quantity == TN_OUTPUT_POSITION   ? seen.frame.p
             : def->quantity == TN_OUTPUT_VELOCITY ? seen.velocity
                                                   : seen.acceleration,
             x);
    return x[def->axis];
}

static void read_variables(tn_sim *sim, const tn_output_data *output, double *x)
{
    for (int i = 0; i < output->nvariable; i++) {
        const tn_output_variable *v = &output->variable[i];
        x[i] = v->input >= 0 ? tn_sim_input(sim, (tn_input){v->input})
                             : tn_quantity_read(sim, &v->quantity);
    }
}

static double read_expression(tn_sim *sim, const tn_output_data *output)
{
    double x[TN_OUTPUT_VARIABLES];
    read_variables(sim, output, x);
    return tn_formula_eval(output->formula, tn_sim_time(sim), x, NULL);
}

static void read_output(tn_sim *sim, int i, const places to)
{
    const tn_output_data *output = tn_sim_model(sim)->outputs.at[i];
    *to[TN_Q_OUTPUT] =
        output->formula ? read_expression(sim, output) : read_point(sim, &output->def);
}

// The quantities of one list of elements, and who reads them.
typedef struct element_reader {
    tn_quantity first, last;
    tn_owner owner; // of all elements of the list
    void (*read)(tn_sim *sim, int element, const places to);
} element_reader;

static const element_reader readers[] = {
    {TN_Q_BODY_POSITION, TN_Q_BODY_QUATERNION_RATE, TN_OWNER_BODY, read_body},
    {TN_Q_JOINT_COORDINATE, TN_Q_CONTACT_LOAD, TN_OWNER_JOINT, read_joint},
    {TN_Q_FORCE_LENGTH, TN_Q_FORCE_POWER, TN_OWNER_FORCE, read_force},
    {TN_Q_SIGNAL, TN_Q_SIGNAL, TN_OWNER_SIGNAL, read_signal},
    {TN_Q_STATE, TN_Q_STATE, TN_OWNER_INTEGRAL, read_state},
    {TN_Q_UNKNOWN, TN_Q_UNKNOWN, TN_OWNER_UNKNOWN, read_unknown},
    {TN_Q_SAMPLED, TN_Q_SAMPLED, TN_OWNER_SAMPLED, read_sampled},
    {TN_Q_OUTPUT, TN_Q_OUTPUT, TN_OWNER_OUTPUT, read_output},
};

// The place of an element among the numbers of all; NULL where it has none.
static double *place_of(const tn_channels *c, tn_quantity what, int element, double *all)
{
    const tn_quantity_kind *kind = &tn_quantity_kinds[what];
    const int *offset = c->offset[kind->owner];
    TN_ASSERT(element >= 0 && element < c->elements[kind->owner]);
    return all && offset[element + 1] > offset[element] ? all + kind->ncomponent * offset[element]
                                                        : NULL;
}

static void read_elements(tn_sim *sim, const element_reader *reader, const places to)
{
    const tn_channels *c = &sim->channels;
    for (int i = 0; i < c->elements[reader->owner]; i++) {
        places at = {0};
        if (tn_owner_places(tn_sim_model(sim), reader->owner, i) == 0)
            continue; // the ground
        for (tn_quantity k = reader->first; k <= reader->last; k++)
            at[k] = place_of(c, k, i, to[k]);
        reader->read(sim, i, at);
    }
}

// The run -----------------------------------------------------------------------------------------

static void read_run(tn_sim *sim, const places to)
{
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    *to[TN_Q_TIME] = tn_sim_time(sim);
    *to[TN_Q_STEP] = ledger.step;
    *to[TN_Q_RESIDUAL_G] = ledger.g;
    *to[TN_Q_RESIDUAL_GDOT] = ledger.gdot;
    put_number(to[TN_Q_KINETIC], ledger.kinetic);
    put_number(to[TN_Q_POTENTIAL], ledger.potential);
    put_number(to[TN_Q_DISSIPATED], ledger.dissipated);
    put_number(to[TN_Q_SUPPLIED], ledger.supplied);
    put_number(to[TN_Q_BALANCE], ledger.balance);
    put_vector(to[TN_Q_LINEAR_MOMENTUM], ledger.momentum);
    put_vector(to[TN_Q_ANGULAR_MOMENTUM], ledger.spin);
}

static double largest_row(int n, const double *rows) // NULL where they are not known
{
    double most = rows ? 0.0 : NAN;
    for (int i = 0; i < n && rows; i++)
        most = fmax(most, fabs(rows[i]));
    return most;
}

static void read_node(const tn_discrete_node *node, const places to)
{
    if (to[TN_Q_ENERGY_D]) {
        *to[TN_Q_ENERGY_D] = node->E_d;
        *to[TN_Q_HAMILTONIAN_D] = node->H_d;
    }
    *to[TN_Q_HIDDEN_F] = largest_row(node->ng, node->f);
    if (to[TN_Q_HIDDEN_H])
        *to[TN_Q_HIDDEN_H] = largest_row(node->ng, node->h);
    *to[TN_Q_HIDDEN_QP] = largest_row(node->ng, node->h_Qp);
    put_vector(to[TN_Q_LINEAR_D], node->linear_d);
    put_vector(to[TN_Q_ANGULAR_D], node->angular_d);
    put_vector(to[TN_Q_LINEAR_P], node->linear_p);
    put_vector(to[TN_Q_ANGULAR_P], node->angular_p);
    put_vector(to[TN_Q_LINEAR_QP], node->linear_Qp);
    put_vector(to[TN_Q_ANGULAR_QP], node->angular_Qp);
}

typedef struct numbers {
    int n;
    const double *at;
} numbers;

static numbers find_numbers(tn_sim *sim, const tn_discrete_node *node, tn_quantity what)
{
    switch (what) {
    case TN_Q_STATE_Q:
        return (numbers){tn_sim_nq(sim), tn_sim_q(sim)};
    case TN_Q_STATE_V:
        return (numbers){tn_sim_nv(sim), tn_sim_v(sim)};
    case TN_Q_STATE_A:
        return (numbers){tn_sim_nv(sim), tn_sim_a(sim)};
    case TN_Q_STATE_LAMBDA:
        return (numbers){tn_sim_nl(sim), tn_sim_lambda(sim)};
    case TN_Q_STATE_ETA:
        return (numbers){tn_sim_nn(sim), tn_sim_eta(sim)};
    case TN_Q_MOMENTA:
        return (numbers){node->nv, node->p};
    case TN_Q_PROJECTED:
        return (numbers){node->nv, node->Qp};
    default:
        return (numbers){node->nreduced, node->reduced};
    }
}

// Not a number where the state is between nodes, or its node has fewer.
static double number_at(const numbers *list, int i)
{
    return i < list->n ? list->at[i] : NAN;
}

// The node of the output state, without numbers where it is none or nobody asks.
static tn_discrete_node find_node(tn_sim *sim, bool wanted)
{
    tn_discrete_node node;
    if (!wanted || !tn_sim_discrete(sim, &node))
        node = (tn_discrete_node){.E_d = NAN,
                                  .H_d = NAN,
                                  .linear_d = {NAN, NAN, NAN},
                                  .angular_d = {NAN, NAN, NAN},
                                  .linear_p = {NAN, NAN, NAN},
                                  .angular_p = {NAN, NAN, NAN},
                                  .linear_Qp = {NAN, NAN, NAN},
                                  .angular_Qp = {NAN, NAN, NAN}};
    return node;
}

// All, and one ------------------------------------------------------------------------------------

void tn_channels_read(tn_sim *sim, double *const at[TN_MOST_CHANNELS])
{
    const tn_channels *c = tn_sim_channels(sim);
    places to = {0};
    for (int k = 0; k < c->nchannel; k++)
        to[c->channel[k].what] = at[k];
    const tn_discrete_node node = find_node(sim, to[TN_Q_HIDDEN_F]);
    read_run(sim, to);
    for (int i = 0; i < TN_COUNT(readers) && sim->model; i++)
        read_elements(sim, &readers[i], to);
    if (to[TN_Q_HIDDEN_F])
        read_node(&node, to);
    for (int k = 0; k < c->nchannel; k++)
        if (c->channel[k].kind->owner == TN_OWNER_STATE) {
            const numbers list = find_numbers(sim, &node, c->channel[k].what);
            for (int i = 0; i < c->channel[k].size; i++)
                at[k][i] = number_at(&list, i);
        }
}

static const element_reader *reader_of(tn_quantity what)
{
    for (int i = 0; i < TN_COUNT(readers); i++)
        if (what >= readers[i].first && what <= readers[i].last)
            return &readers[i];
    return NULL;
}

// Reads what belongs to the owner alone.
double tn_quantity_read(tn_sim *sim, const tn_named_quantity *q)
{
    if (q->what == TN_Q_SAMPLED) // of which a system may have any number
        return sampled_value(sim, q->element, q->component);
    const element_reader *reader = reader_of(q->what);
    double room[TN_QUANTITIES][TN_JOINT_MAX_ROWS];
    places to;
    for (tn_quantity k = 0; k < TN_QUANTITIES; k++)
        to[k] = room[k];
    const tn_discrete_node node = find_node(sim, q->what >= TN_Q_ENERGY_D);
    if (reader) {
        reader->read(sim, q->element, to);
    } else {
        read_run(sim, to);
        read_node(&node, to);
    }
    return to[q->what][q->component];
}

double tn_channel_read(tn_sim *sim, const tn_channel *channel, int column)
{
    if (channel->kind->owner == TN_OWNER_STATE) {
        const tn_discrete_node node = find_node(sim, channel->what >= TN_Q_ENERGY_D);
        const numbers list = find_numbers(sim, &node, channel->what);
        return number_at(&list, column);
    }
    const tn_named_quantity q = tn_channel_quantity(&sim->channels, channel, column);
    return tn_quantity_read(sim, &q);
}

// Conditions --------------------------------------------------------------------------------------

static int quantity_switches(tn_sim *sim, const tn_named_quantity *q, double *value);

static int output_switches(tn_sim *sim, const tn_output_data *output, double *value)
{
    double x[TN_OUTPUT_VARIABLES];
    int n = output->formula ? tn_formula_switch_count(output->formula) : 0;
    if (n > 0 && value) {
        read_variables(sim, output, x);
        tn_formula_switches(output->formula, tn_sim_time(sim), x, NULL, value);
    }
    for (int i = 0; output->formula && i < output->nvariable; i++)
        if (output->variable[i].input < 0)
            n += quantity_switches(sim, &output->variable[i].quantity, value ? value + n : NULL);
    return n;
}

static int quantity_switches(tn_sim *sim, const tn_named_quantity *q, double *value)
{
    if (q->what == TN_Q_OUTPUT)
        return output_switches(sim, tn_sim_model(sim)->outputs.at[q->element], value);
    if (q->what != TN_Q_SIGNAL)
        return 0;
    (void)told_value(sim, q->element); // evaluates all of them
    return tn_absolute_signal_switches(tn_sim_world(sim), q->element, value);
}

int tn_channel_switches(tn_sim *sim, int column, double *value)
{
    const tn_channels *c = tn_sim_channels(sim);
    const tn_channel *of = c->channel;
    while (of < c->channel + c->nchannel - 1 && column >= of->first + of->size)
        of++;
    if (column < 0 || !sim->model || of->kind->owner == TN_OWNER_STATE)
        return 0;
    const tn_named_quantity q = tn_channel_quantity(c, of, column - of->first);
    return quantity_switches(sim, &q, value);
}
