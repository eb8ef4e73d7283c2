// SPDX-License-Identifier: MIT
//
// The channels of a record: which quantities are stored, what they are called, and how a row is
// read out of a simulation.

#include "base/alloc.h"
#include "base/carve.h"
#include "io/record.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 1024, MOST_BYTES = 1 << 20 }; // gathered before they are written

static const char *const xyz[] = {"x", "y", "z"};
static const char *const wxyz[] = {"w", "x", "y", "z"};

// The order is that of the columns of a table.
enum {
    TIME,
    STEP,
    POSITION,
    QUATERNION,
    VELOCITY,
    ANGULAR_VELOCITY,
    ACCELERATION,
    ANGULAR_ACCELERATION,
    COORDINATES,
    RATES,
    FORCE,
    TORQUE,
    LAMBDA,
    STATE_Q,
    STATE_V,
    STATE_A,
    STATE_LAMBDA,
    STATE_ETA,
    KINETIC,
    POTENTIAL,
    DISSIPATED,
    SUPPLIED,
    BALANCE,
    RESIDUAL_G,
    RESIDUAL_GDOT,
    ENERGY_D,
    HAMILTONIAN_D,
    HIDDEN_F,
    HIDDEN_H,
    HIDDEN_QP,
    MOMENTA,
    PROJECTED,
    REDUCED,
    KINDS
};

static const tn_channel_kind kinds[KINDS] = {
    [TIME] = {"time", "s", NULL, TN_OWNER_RUN, 1, NULL},
    [STEP] = {"step", "s", NULL, TN_OWNER_RUN, 1, NULL},
    [POSITION] = {"bodies/position", "m", "inertial", TN_OWNER_BODY, 3, xyz},
    [QUATERNION] = {"bodies/quaternion", "1", "inertial", TN_OWNER_BODY, 4, wxyz},
    [VELOCITY] = {"bodies/velocity", "m/s", "inertial", TN_OWNER_BODY, 3, xyz},
    [ANGULAR_VELOCITY] = {"bodies/angular_velocity", "rad/s", "body", TN_OWNER_BODY, 3, xyz},
    [ACCELERATION] = {"bodies/acceleration", "m/s^2", "inertial", TN_OWNER_BODY, 3, xyz},
    [ANGULAR_ACCELERATION] = {"bodies/angular_acceleration", "rad/s^2", "body", TN_OWNER_BODY, 3,
                              xyz},
    [COORDINATES] = {"joints/coordinates", "mixed", NULL, TN_OWNER_COORDINATE, 1, NULL},
    [RATES] = {"joints/rates", "mixed", NULL, TN_OWNER_COORDINATE, 1, NULL},
    [FORCE] = {"joints/force", "N", "inertial", TN_OWNER_JOINT, 3, xyz},
    [TORQUE] = {"joints/torque", "N m", "inertial", TN_OWNER_JOINT, 3, xyz},
    [LAMBDA] = {"joints/lambda", "mixed", NULL, TN_OWNER_ROW, 1, NULL},
    [STATE_Q] = {"state/q", "", NULL, TN_OWNER_STATE, 1, NULL},
    [STATE_V] = {"state/v", "", NULL, TN_OWNER_STATE, 1, NULL},
    [STATE_A] = {"state/a", "", NULL, TN_OWNER_STATE, 1, NULL},
    [STATE_LAMBDA] = {"state/lambda", "", NULL, TN_OWNER_STATE, 1, NULL},
    [STATE_ETA] = {"state/eta", "", NULL, TN_OWNER_STATE, 1, NULL},
    [KINETIC] = {"energy/kinetic", "J", NULL, TN_OWNER_RUN, 1, NULL},
    [POTENTIAL] = {"energy/potential", "J", NULL, TN_OWNER_RUN, 1, NULL},
    [DISSIPATED] = {"energy/dissipated", "J", NULL, TN_OWNER_RUN, 1, NULL},
    [SUPPLIED] = {"energy/supplied", "J", NULL, TN_OWNER_RUN, 1, NULL},
    [BALANCE] = {"energy/balance", "J", NULL, TN_OWNER_RUN, 1, NULL},
    [RESIDUAL_G] = {"residuals/g", "mixed", NULL, TN_OWNER_RUN, 1, NULL},
    [RESIDUAL_GDOT] = {"residuals/gdot", "mixed", NULL, TN_OWNER_RUN, 1, NULL},
    [ENERGY_D] = {"discrete/E_d", "J", NULL, TN_OWNER_RUN, 1, NULL},
    [HAMILTONIAN_D] = {"discrete/H_d", "J", NULL, TN_OWNER_RUN, 1, NULL},
    [HIDDEN_F] = {"discrete/f_d", "mixed", NULL, TN_OWNER_RUN, 1, NULL},
    [HIDDEN_H] = {"discrete/h_d", "mixed", NULL, TN_OWNER_RUN, 1, NULL},
    [HIDDEN_QP] = {"discrete/h_d_Qp", "mixed", NULL, TN_OWNER_RUN, 1, NULL},
    [MOMENTA] = {"discrete/p", "", NULL, TN_OWNER_STATE, 1, NULL},
    [PROJECTED] = {"discrete/Qp", "", NULL, TN_OWNER_STATE, 1, NULL},
    [REDUCED] = {"discrete/reduced", "", NULL, TN_OWNER_STATE, 1, NULL},
};

const tn_channel_kind *tn_channel_kind_at(int k)
{
    return k < KINDS ? &kinds[k] : NULL;
}

static void record_channels_add_channel(tn_record *record, int kind, int owners)
{
    TN_ASSERT(record->nchannel < TN_MOST_CHANNELS);
    record->channel[record->nchannel++] = (tn_channel){
        .kind = &kinds[kind], .owners = owners, .size = owners * kinds[kind].ncomponent};
    record->width += owners * kinds[kind].ncomponent;
}

static int owner_count(const tn_record *record, tn_owner owner)
{
    switch (owner) {
    case TN_OWNER_BODY:
        return record->nbody;
    case TN_OWNER_JOINT:
        return record->njoint;
    case TN_OWNER_COORDINATE:
        return record->ncoordinate;
    case TN_OWNER_ROW:
        return record->nrow;
    default:
        return 1;
    }
}

static void count_joints(tn_record *record)
{
    record->njoint = tn_model_joint_count(record->model);
    for (int j = 0; j < record->njoint; j++) {
        record->ncoordinate += tn_joint_coordinate_count(record->model, (tn_joint){j});
        record->nrow += tn_joint_row_count(record->model, (tn_joint){j});
    }
}

// What discrete principles tell of their nodes, as far as there is such a thing.
static void list_discrete(tn_record *record, bool has_energy)
{
    tn_discrete_node node;
    if (!tn_sim_discrete(record->sim, &node))
        return;
    record->nmomentum = node.nv;
    record->nreduced = node.nreduced;
    for (int k = ENERGY_D; k <= HAMILTONIAN_D && has_energy; k++)
        record_channels_add_channel(record, k, 1);
    record_channels_add_channel(record, HIDDEN_F, 1);
    if (node.h)
        record_channels_add_channel(record, HIDDEN_H, 1);
    record_channels_add_channel(record, HIDDEN_QP, 1);
    record_channels_add_channel(record, MOMENTA, node.nv);
    record_channels_add_channel(record, PROJECTED, node.nv);
    if (node.nreduced > 0)
        record_channels_add_channel(record, REDUCED, node.nreduced);
}

static void list_channels(tn_record *record)
{
    tn_ledger ledger;
    tn_sim_ledger(record->sim, &ledger);
    record_channels_add_channel(record, TIME, 1);
    record_channels_add_channel(record, STEP, 1);
    if (record->model) {
        for (int k = POSITION; k <= LAMBDA; k++)
            record_channels_add_channel(record, k, owner_count(record, kinds[k].owner));
    } else {
        record_channels_add_channel(record, STATE_Q, tn_sim_nq(record->sim));
        record_channels_add_channel(record, STATE_V, tn_sim_nv(record->sim));
        record_channels_add_channel(record, STATE_A, tn_sim_nv(record->sim));
        record_channels_add_channel(record, STATE_LAMBDA, tn_sim_nl(record->sim));
        record_channels_add_channel(record, STATE_ETA, tn_sim_nn(record->sim));
    }
    for (int k = KINETIC; k <= BALANCE && ledger.has_energy; k++)
        record_channels_add_channel(record, k, 1);
    record_channels_add_channel(record, RESIDUAL_G, 1);
    record_channels_add_channel(record, RESIDUAL_GDOT, 1);
    list_discrete(record, ledger.has_energy);
}

static void carve(tn_record *record, tn_carve *mem)
{
    record->coordinate_offset = tn_carve_ints(mem, record->njoint + 1);
    record->row_offset = tn_carve_ints(mem, record->njoint + 1);
    record->coordinate_joint = tn_carve_ints(mem, record->ncoordinate);
    record->row_joint = tn_carve_ints(mem, record->nrow);
    for (int k = 0; k < record->nchannel; k++) {
        const size_t numbers = (size_t)record->capacity * (size_t)record->channel[k].size;
        record->channel[k].rows = tn_carve_bytes(mem, numbers * sizeof(double));
    }
}

static void number_columns(tn_record *record)
{
    int c = 0, r = 0;
    for (int j = 0; j < record->njoint; j++) {
        record->coordinate_offset[j] = c;
        record->row_offset[j] = r;
        const int nc = tn_joint_coordinate_count(record->model, (tn_joint){j});
        const int nr = tn_joint_row_count(record->model, (tn_joint){j});
        for (int i = 0; i < nc; i++)
            record->coordinate_joint[c++] = j;
        for (int i = 0; i < nr; i++)
            record->row_joint[r++] = j;
    }
    record->coordinate_offset[record->njoint] = c;
    record->row_offset[record->njoint] = r;
}

tn_status tn_record_layout(tn_record *record)
{
    if (record->model) {
        record->nbody = tn_model_body_count(record->model) - 1;
        count_joints(record);
    }
    list_channels(record);
    const size_t fit = MOST_BYTES / ((size_t)record->width * sizeof(double));
    record->capacity = fit < 1 ? 1 : fit > MOST_ROWS ? MOST_ROWS : (int)fit;

    tn_carve mem = {0};
    carve(record, &mem);
    record->block = mem.base = tn_alloc(mem.used);
    if (!mem.base)
        return tn_fail(TN_ERR_MEMORY, "%s: no memory for results of %d numbers per row",
                       record->directory, record->width);
    mem.used = 0;
    carve(record, &mem);
    number_columns(record);
    return TN_OK;
}

// A multiplier times its row is an energy: a force where the row is a length, else a torque. The
// row of a rack or screw mixes both and is a length.
static const char *multiplier_unit(const tn_model *model, int joint, int i)
{
    const tn_constraint_row row = tn_constraint_get(model, joint, i);
    for (int m = 0; m < row.nterm; m++)
        if (row.term[m].row.form != TN_ROW_DOT && row.term[m].row.form != TN_ROW_ANGLE)
            return "N";
    return "N m";
}

static const char *rate_unit(const char *unit)
{
    return strcmp(unit, "rad") == 0 ? "rad/s" : "m/s";
}

tn_column tn_record_column(const tn_record *record, const tn_channel *channel, int column)
{
    const tn_channel_kind *kind = channel->kind;
    const int owner = column / kind->ncomponent;
    tn_column out = {NULL, NULL, -1, kind->unit};

    if (kind->ncomponent > 1)
        out.component = kind->components[column % kind->ncomponent];
    if (kind->owner == TN_OWNER_BODY) {
        out.owner = tn_body_name(record->model, (tn_body){owner + 1});
    } else if (kind->owner == TN_OWNER_JOINT) {
        out.owner = tn_joint_name(record->model, (tn_joint){owner});
    } else if (kind->owner == TN_OWNER_COORDINATE) {
        const int joint = record->coordinate_joint[column];
        const tn_joint_coord *coord =
            &record->model->joints.at[joint].ops->coords[column - record->coordinate_offset[joint]];
        out.owner = tn_joint_name(record->model, (tn_joint){joint});
        out.component = coord->name;
        out.unit = kind == &kinds[RATES] ? rate_unit(coord->unit) : coord->unit;
    } else if (kind->owner == TN_OWNER_ROW) {
        const int joint = record->row_joint[column], i = column - record->row_offset[joint];
        out.owner = tn_joint_name(record->model, (tn_joint){joint});
        out.component = tn_constraint_row_name(record->model, joint, i);
        out.unit = multiplier_unit(record->model, joint, i);
    } else if (kind->owner == TN_OWNER_STATE) {
        out.number = column;
    } else if (strcmp(kind->unit, "mixed") == 0) {
        out.unit = ""; // the largest of rows in metres and rows without unit
    }
    return out;
}

char *tn_record_column_name(const tn_channel *channel, const tn_column *c)
{
    const char *slash = strchr(channel->kind->path, '/');
    char number[16] = "", *name = tn_strdup(channel->kind->path);

    if (!name)
        return NULL;
    if (slash)
        name[slash - channel->kind->path] = '.';
    if (c->number >= 0)
        snprintf(number, sizeof(number), ".%d", c->number);
    char *full = tn_format("%s%s%s%s%s%s", c->owner ? c->owner : "", c->owner ? "." : "",
                           c->owner ? slash + 1 : name, c->component ? "." : "",
                           c->component ? c->component : "", number);
    tn_free(name);
    return full;
}

static double *put_vec3(double *at, tn_vec3 v)
{
    at[0] = v.x;
    at[1] = v.y;
    at[2] = v.z;
    return at + 3;
}

static void gather_bodies(tn_sim *sim, int nbody, double *to[KINDS])
{
    for (int i = 1; i <= nbody; i++) {
        const tn_body body = {i};
        const tn_quat rotation = tn_sim_body_rotation(sim, body);
        double *quaternion = to[QUATERNION] + 4 * (size_t)(i - 1);
        quaternion[0] = rotation.w;
        put_vec3(quaternion + 1, tn_v3(rotation.x, rotation.y, rotation.z));
        to[POSITION] = put_vec3(to[POSITION], tn_sim_body_frame(sim, body).p);
        to[VELOCITY] = put_vec3(to[VELOCITY], tn_sim_body_velocity(sim, body));
        to[ANGULAR_VELOCITY] = put_vec3(to[ANGULAR_VELOCITY], tn_sim_body_rate(sim, body));
        to[ACCELERATION] = put_vec3(to[ACCELERATION], tn_sim_body_acceleration(sim, body));
        to[ANGULAR_ACCELERATION] =
            put_vec3(to[ANGULAR_ACCELERATION], tn_sim_body_rate_dot(sim, body));
    }
}

static void gather_joints(const tn_record *record, tn_sim *sim, double *to[KINDS])
{
    for (int j = 0; j < record->njoint; j++) {
        const tn_joint joint = {j};
        const tn_wrench reaction = tn_sim_joint_reaction(sim, joint);
        const int c0 = record->coordinate_offset[j];
        tn_sim_joint_coordinates(sim, joint, to[COORDINATES] + c0, to[RATES] + c0);
        tn_sim_joint_multipliers(sim, joint, to[LAMBDA] + record->row_offset[j], NULL);
        put_vec3(to[FORCE] + 3 * (size_t)j, reaction.f);
        put_vec3(to[TORQUE] + 3 * (size_t)j, reaction.m);
    }
}

static void gather_state(tn_sim *sim, double *to[KINDS])
{
    const struct {
        int kind, n;
        const double *from;
    } parts[] = {
        {STATE_Q, tn_sim_nq(sim), tn_sim_q(sim)},
        {STATE_V, tn_sim_nv(sim), tn_sim_v(sim)},
        {STATE_A, tn_sim_nv(sim), tn_sim_a(sim)},
        {STATE_LAMBDA, tn_sim_nl(sim), tn_sim_lambda(sim)},
        {STATE_ETA, tn_sim_nn(sim), tn_sim_eta(sim)},
    };
    for (int i = 0; i < TN_COUNT(parts); i++)
        if (parts[i].n > 0)
            memcpy(to[parts[i].kind], parts[i].from, (size_t)parts[i].n * sizeof(double));
}

static void gather_run(tn_record *record, tn_sim *sim, double *to[KINDS])
{
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    const double t = tn_sim_time(sim);
    const double end = tn_sim_before(sim) + ledger.step;
    const long steps = ledger.steps - record->last_steps;

    *to[TIME] = t;
    // The step in which the row lies; where rows are further apart, the mean of those between them.
    *to[STEP] = steps > 1 ? (end - record->last_end) / (double)steps : ledger.step;
    *to[RESIDUAL_G] = ledger.g;
    *to[RESIDUAL_GDOT] = ledger.gdot;
    if (to[KINETIC]) {
        *to[KINETIC] = ledger.kinetic;
        *to[POTENTIAL] = ledger.potential;
        *to[DISSIPATED] = ledger.dissipated;
        *to[SUPPLIED] = ledger.supplied;
        *to[BALANCE] = ledger.balance;
    }
    record->last_time = t;
    record->last_end = end;
    record->last_steps = ledger.steps;
}

// Numbers that a node has; not a number where the row is between nodes, or has fewer of them.
static void put_some(int room, int n, const double *from, double *to)
{
    for (int i = 0; i < room; i++)
        to[i] = i < n ? from[i] : NAN;
}

static double record_channels_largest(int n, const double *rows)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(rows[i]));
    return rows ? most : NAN;
}

static void gather_discrete(const tn_record *record, tn_sim *sim, double *to[KINDS])
{
    tn_discrete_node node;
    if (!tn_sim_discrete(sim, &node))
        node = (tn_discrete_node){.E_d = NAN, .H_d = NAN};
    if (to[ENERGY_D]) {
        *to[ENERGY_D] = node.E_d;
        *to[HAMILTONIAN_D] = node.H_d;
    }
    *to[HIDDEN_F] = record_channels_largest(node.ng, node.f);
    if (to[HIDDEN_H])
        *to[HIDDEN_H] = record_channels_largest(node.ng, node.h);
    *to[HIDDEN_QP] = record_channels_largest(node.ng, node.h_Qp);
    put_some(record->nmomentum, node.nv, node.p, to[MOMENTA]);
    put_some(record->nmomentum, node.nv, node.Qp, to[PROJECTED]);
    if (to[REDUCED])
        put_some(record->nreduced, node.nreduced, node.reduced, to[REDUCED]);
}

void tn_record_gather(tn_record *record, tn_sim *sim)
{
    double *to[KINDS] = {0}; // where each kind goes; NULL when it is not stored
    for (int k = 0; k < record->nchannel; k++) {
        const tn_channel *c = &record->channel[k];
        to[c->kind - kinds] = c->rows + (size_t)record->count * (size_t)c->size;
    }
    gather_run(record, sim, to);
    if (to[POSITION]) {
        gather_bodies(sim, record->nbody, to);
        gather_joints(record, sim, to);
    } else {
        gather_state(sim, to);
    }
    if (to[HIDDEN_F])
        gather_discrete(record, sim, to);
    record->count++;
    record->rows++;
}
