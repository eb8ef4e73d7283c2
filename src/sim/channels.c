// SPDX-License-Identifier: MIT
//
// The channels of a simulation; see channels.h.

#include "sim/channels.h"

#include "base/alloc.h"
#include "model/model.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const xyz[] = {"x", "y", "z"};
static const char *const wxyz[] = {"w", "x", "y", "z"};

// All kinds, in the order of the columns of a table.
#define CHANNELS(KIND)                                                                          \
    KIND(TIME, "time", "s", NULL, RUN, 1, NULL, NULL)                                           \
    KIND(STEP, "step", "s", NULL, RUN, 1, NULL, NULL)                                           \
    KIND(POSITION, "bodies/position", "m", "inertial", BODY, 3, xyz, "bodies/velocity")         \
    KIND(QUATERNION, "bodies/quaternion", "1", "inertial", BODY, 4, wxyz, NULL)                 \
    KIND(VELOCITY, "bodies/velocity", "m/s", "inertial", BODY, 3, xyz, "bodies/acceleration")   \
    KIND(ANGULAR_VELOCITY, "bodies/angular_velocity", "rad/s", "body", BODY, 3, xyz,            \
         "bodies/angular_acceleration")                                                         \
    KIND(ACCELERATION, "bodies/acceleration", "m/s^2", "inertial", BODY, 3, xyz, NULL)          \
    KIND(ANGULAR_ACCELERATION, "bodies/angular_acceleration", "rad/s^2", "body", BODY, 3, xyz,  \
         NULL)                                                                                  \
    KIND(COORDINATES, "joints/coordinates", "mixed", NULL, COORDINATE, 1, NULL, "joints/rates") \
    KIND(RATES, "joints/rates", "mixed", NULL, COORDINATE, 1, NULL, NULL)                       \
    KIND(FORCE, "joints/force", "N", "inertial", JOINT, 3, xyz, NULL)                           \
    KIND(TORQUE, "joints/torque", "N m", "inertial", JOINT, 3, xyz, NULL)                       \
    KIND(LAMBDA, "joints/lambda", "mixed", NULL, ROW, 1, NULL, NULL)                            \
    KIND(STATE_Q, "state/q", "", NULL, STATE, 1, NULL, "state/v")                               \
    KIND(STATE_V, "state/v", "", NULL, STATE, 1, NULL, "state/a")                               \
    KIND(STATE_A, "state/a", "", NULL, STATE, 1, NULL, NULL)                                    \
    KIND(STATE_LAMBDA, "state/lambda", "", NULL, STATE, 1, NULL, NULL)                          \
    KIND(STATE_ETA, "state/eta", "", NULL, STATE, 1, NULL, NULL)                                \
    KIND(KINETIC, "energy/kinetic", "J", NULL, RUN, 1, NULL, NULL)                              \
    KIND(POTENTIAL, "energy/potential", "J", NULL, RUN, 1, NULL, NULL)                          \
    KIND(DISSIPATED, "energy/dissipated", "J", NULL, RUN, 1, NULL, NULL)                        \
    KIND(SUPPLIED, "energy/supplied", "J", NULL, RUN, 1, NULL, NULL)                            \
    KIND(BALANCE, "energy/balance", "J", NULL, RUN, 1, NULL, NULL)                              \
    KIND(RESIDUAL_G, "residuals/g", "mixed", NULL, RUN, 1, NULL, NULL)                          \
    KIND(RESIDUAL_GDOT, "residuals/gdot", "mixed", NULL, RUN, 1, NULL, NULL)                    \
    KIND(ENERGY_D, "discrete/E_d", "J", NULL, RUN, 1, NULL, NULL)                               \
    KIND(HAMILTONIAN_D, "discrete/H_d", "J", NULL, RUN, 1, NULL, NULL)                          \
    KIND(HIDDEN_F, "discrete/f_d", "mixed", NULL, RUN, 1, NULL, NULL)                           \
    KIND(HIDDEN_H, "discrete/h_d", "mixed", NULL, RUN, 1, NULL, NULL)                           \
    KIND(HIDDEN_QP, "discrete/h_d_Qp", "mixed", NULL, RUN, 1, NULL, NULL)                       \
    KIND(MOMENTA, "discrete/p", "", NULL, STATE, 1, NULL, NULL)                                 \
    KIND(PROJECTED, "discrete/Qp", "", NULL, STATE, 1, NULL, NULL)                              \
    KIND(REDUCED, "discrete/reduced", "", NULL, STATE, 1, NULL, NULL)

#define KIND(number, ...) number,
enum { CHANNELS(KIND) KINDS };
#undef KIND

#define KIND(number, path, unit, frame, owner, n, components, rate) \
    {path, unit, frame, TN_OWNER_##owner, n, components, rate},
static const tn_channel_kind kinds[KINDS] = {CHANNELS(KIND)};
#undef KIND

const tn_channel_kind *tn_channel_kind_at(int k)
{
    return k < KINDS ? &kinds[k] : NULL;
}

// The list ----------------------------------------------------------------------------------------

static void list_channel(tn_channels *c, int kind, int owners)
{
    TN_ASSERT(c->nchannel < TN_MOST_CHANNELS);
    TN_ASSERT(owners >= 0);
    const int size = owners * kinds[kind].ncomponent;
    c->channel[c->nchannel++] = (tn_channel){&kinds[kind], owners, size, c->width};
    c->width += size;
}

static int count_owners(const tn_channels *c, tn_owner owner)
{
    const int joints = c->njoint;
    return owner == TN_OWNER_BODY         ? c->nbody
           : owner == TN_OWNER_COORDINATE ? c->coordinate_offset[joints]
           : owner == TN_OWNER_ROW        ? c->row_offset[joints]
                                          : joints;
}

static void list_state(const tn_sim *sim, tn_channels *c)
{
    list_channel(c, STATE_Q, tn_sim_nq(sim));
    list_channel(c, STATE_V, tn_sim_nv(sim));
    list_channel(c, STATE_A, tn_sim_nv(sim));
    list_channel(c, STATE_LAMBDA, tn_sim_nl(sim));
    list_channel(c, STATE_ETA, tn_sim_nn(sim));
}

// What discrete principles tell of their nodes, as far as there is such a thing.
static void list_discrete(tn_sim *sim, tn_channels *c, bool has_energy)
{
    tn_discrete_node node;
    if (!tn_sim_discrete(sim, &node))
        return;
    for (int k = ENERGY_D; k <= HAMILTONIAN_D && has_energy; k++)
        list_channel(c, k, 1);
    list_channel(c, HIDDEN_F, 1);
    if (node.h)
        list_channel(c, HIDDEN_H, 1);
    list_channel(c, HIDDEN_QP, 1);
    list_channel(c, MOMENTA, node.nv);
    list_channel(c, PROJECTED, node.nv);
    if (node.nreduced > 0)
        list_channel(c, REDUCED, node.nreduced);
}

void tn_sim_layout_channels(tn_sim *sim, tn_carve *mem)
{
    tn_channels *c = &sim->channels;
    c->nbody = sim->model ? tn_model_body_count(sim->model) - 1 : 0;
    c->njoint = sim->model ? tn_model_joint_count(sim->model) : 0;
    TN_CARVE_INTS(mem, c->njoint + 1, &c->coordinate_offset, &c->row_offset);
}

void tn_sim_open_channels(tn_sim *sim)
{
    tn_channels *c = &sim->channels;
    for (int j = 0; j < c->njoint; j++) {
        const tn_joint joint = {j};
        c->coordinate_offset[j + 1] =
            c->coordinate_offset[j] + tn_joint_coordinate_count(sim->model, joint);
        c->row_offset[j + 1] = c->row_offset[j] + tn_joint_row_count(sim->model, joint);
    }
}

const tn_channels *tn_sim_channels(tn_sim *sim)
{
    tn_channels *c = &sim->channels;
    const bool has_energy = sim->ledger.has_energy;
    if (c->nchannel > 0)
        return c;
    list_channel(c, TIME, 1);
    list_channel(c, STEP, 1);
    for (int k = POSITION; k <= LAMBDA && sim->model; k++)
        list_channel(c, k, count_owners(c, kinds[k].owner));
    if (!sim->model)
        list_state(sim, c);
    for (int k = KINETIC; k <= BALANCE && has_energy; k++)
        list_channel(c, k, 1);
    list_channel(c, RESIDUAL_G, 1);
    list_channel(c, RESIDUAL_GDOT, 1);
    list_discrete(sim, c, has_energy);
    return c;
}

const tn_model *tn_sim_model(const tn_sim *sim)
{
    return sim->model ? sim->model->source : NULL;
}

// Names -------------------------------------------------------------------------------------------

// A multiplier times its row is an energy: a force where the row is a length, else a torque. The
// row of a rack or screw mixes both and is a length.
static const char *multiplier_unit(const tn_model *model, int joint, int i)
{
    TN_ASSERT(joint >= 0 && i >= 0 && i < tn_constraint_count(model, joint));
    const tn_constraint_row row = tn_constraint_get(model, joint, i);
    for (int m = 0; m < row.nterm; m++)
        if (tn_row_is_length(&row.term[m].row))
            return "N";
    return "N m";
}

int tn_column_joint(int n, const int *offset, int column)
{
    int low = 0, high = n;
    if (n < 1 || column < offset[0] || column >= offset[n])
        return -1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (offset[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void name_coordinate(const tn_sim *sim, const tn_channel_kind *kind, int column,
                            tn_column *out)
{
    const tn_channels *c = &sim->channels;
    const int joint = tn_column_joint(c->njoint, c->coordinate_offset, column);
    const tn_joint_coord *coord =
        &sim->model->joints.at[joint].ops->coords[column - c->coordinate_offset[joint]];
    out->owner = tn_joint_name(sim->model, (tn_joint){joint});
    out->component = coord->name;
    out->unit = kind != &kinds[RATES]             ? coord->unit
                : strcmp(coord->unit, "rad") == 0 ? "rad/s"
                                                  : "m/s";
}

static void name_row(const tn_sim *sim, int column, tn_column *out)
{
    const tn_channels *c = &sim->channels;
    const int joint = tn_column_joint(c->njoint, c->row_offset, column);
    const int i = column - c->row_offset[joint];
    out->owner = tn_joint_name(sim->model, (tn_joint){joint});
    out->component = tn_constraint_row_name(sim->model, joint, i);
    out->unit = multiplier_unit(sim->model, joint, i);
}

tn_column tn_channel_column(const tn_sim *sim, const tn_channel *channel, int column)
{
    TN_ASSERT(column >= 0 && column < channel->size);
    const tn_channel_kind *kind = channel->kind;
    const int owner = column / kind->ncomponent;
    tn_column out = {NULL, NULL, -1, kind->unit};
    if (kind->ncomponent > 1)
        out.component = kind->components[column % kind->ncomponent];
    if (kind->owner == TN_OWNER_BODY)
        out.owner = tn_body_name(sim->model, (tn_body){owner + 1});
    else if (kind->owner == TN_OWNER_JOINT)
        out.owner = tn_joint_name(sim->model, (tn_joint){owner});
    else if (kind->owner == TN_OWNER_COORDINATE)
        name_coordinate(sim, kind, column, &out);
    else if (kind->owner == TN_OWNER_ROW)
        name_row(sim, column, &out);
    else if (kind->owner == TN_OWNER_STATE)
        out.number = column;
    else if (strcmp(kind->unit, "mixed") == 0)
        out.unit = ""; // the largest of rows in metres and rows without unit
    return out;
}

char *tn_channel_name(const tn_channel_kind *kind, const tn_column *c)
{
    const char *slash = strchr(kind->path, '/'), *quantity = slash ? slash + 1 : kind->path;
    const char *group = c->owner ? c->owner : kind->path;
    const int length = c->owner ? (int)strlen(c->owner) : slash ? (int)(slash - kind->path) : 0;
    char number[16] = "";
    if (c->number >= 0)
        snprintf(number, sizeof number, "%d", c->number);
    const char *last = c->component ? c->component : number;
    return tn_format("%.*s%s%s%s%s", length, group, length > 0 ? "." : "", quantity,
                     *last ? "." : "", last);
}

// Values ------------------------------------------------------------------------------------------

// Where the numbers of one owner go, by kind; NULL: not listed.
typedef double *places[KINDS];

static void read_body(tn_sim *sim, int i, places to)
{
    const tn_body body = {i + 1};
    tn_v3_to(tn_sim_body_frame(sim, body).p, to[POSITION]);
    tn_quat_to(tn_sim_body_rotation(sim, body), to[QUATERNION]);
    tn_v3_to(tn_sim_body_velocity(sim, body), to[VELOCITY]);
    tn_v3_to(tn_sim_body_rate(sim, body), to[ANGULAR_VELOCITY]);
    tn_v3_to(tn_sim_body_acceleration(sim, body), to[ACCELERATION]);
    tn_v3_to(tn_sim_body_rate_dot(sim, body), to[ANGULAR_ACCELERATION]);
}

static void read_joint(tn_sim *sim, int j, places to)
{
    const tn_joint joint = {j};
    const tn_wrench reaction = tn_sim_joint_reaction(sim, joint);
    tn_sim_joint_coordinates(sim, joint, to[COORDINATES], to[RATES]);
    tn_sim_joint_multipliers(sim, joint, to[LAMBDA], NULL);
    tn_v3_to(reaction.f, to[FORCE]);
    tn_v3_to(reaction.m, to[TORQUE]);
}

static void read_run(tn_sim *sim, places to)
{
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    *to[TIME] = tn_sim_time(sim);
    *to[STEP] = ledger.step;
    *to[RESIDUAL_G] = ledger.g;
    *to[RESIDUAL_GDOT] = ledger.gdot;
    if (!to[KINETIC])
        return;
    *to[KINETIC] = ledger.kinetic;
    *to[POTENTIAL] = ledger.potential;
    *to[DISSIPATED] = ledger.dissipated;
    *to[SUPPLIED] = ledger.supplied;
    *to[BALANCE] = ledger.balance;
}

static double largest_row(int n, const double *rows) // NULL where they are not known
{
    double most = rows ? 0.0 : NAN;
    for (int i = 0; i < n && rows; i++)
        most = fmax(most, fabs(rows[i]));
    return most;
}

static void read_node(const tn_discrete_node *node, places to)
{
    if (to[ENERGY_D]) {
        *to[ENERGY_D] = node->E_d;
        *to[HAMILTONIAN_D] = node->H_d;
    }
    *to[HIDDEN_F] = largest_row(node->ng, node->f);
    if (to[HIDDEN_H])
        *to[HIDDEN_H] = largest_row(node->ng, node->h);
    *to[HIDDEN_QP] = largest_row(node->ng, node->h_Qp);
}

typedef struct numbers {
    int n;
    const double *at;
} numbers;

static numbers find_numbers(tn_sim *sim, const tn_discrete_node *node, int kind)
{
    switch (kind) {
    case STATE_Q:
        return (numbers){tn_sim_nq(sim), tn_sim_q(sim)};
    case STATE_V:
        return (numbers){tn_sim_nv(sim), tn_sim_v(sim)};
    case STATE_A:
        return (numbers){tn_sim_nv(sim), tn_sim_a(sim)};
    case STATE_LAMBDA:
        return (numbers){tn_sim_nl(sim), tn_sim_lambda(sim)};
    case STATE_ETA:
        return (numbers){tn_sim_nn(sim), tn_sim_eta(sim)};
    case MOMENTA:
        return (numbers){node->nv, node->p};
    case PROJECTED:
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

// The node of the state that is shown, without numbers where it is none or nobody asks.
static tn_discrete_node find_node(tn_sim *sim, bool wanted)
{
    tn_discrete_node node;
    if (!wanted || !tn_sim_discrete(sim, &node))
        node = (tn_discrete_node){.E_d = NAN, .H_d = NAN};
    return node;
}

static void read_owners(tn_sim *sim, const places to)
{
    const tn_channels *c = &sim->channels;
    for (int i = 0; i < c->nbody; i++) {
        places at;
        for (int k = POSITION; k <= ANGULAR_ACCELERATION; k++)
            at[k] = to[k] + kinds[k].ncomponent * i;
        read_body(sim, i, at);
    }
    for (int j = 0; j < c->njoint; j++)
        read_joint(sim, j,
                   (places){[COORDINATES] = to[COORDINATES] + c->coordinate_offset[j],
                            [RATES] = to[RATES] + c->coordinate_offset[j],
                            [LAMBDA] = to[LAMBDA] + c->row_offset[j],
                            [FORCE] = to[FORCE] + 3 * j,
                            [TORQUE] = to[TORQUE] + 3 * j});
}

void tn_channels_read(tn_sim *sim, double *const at[TN_MOST_CHANNELS])
{
    const tn_channels *c = tn_sim_channels(sim);
    places to = {0};
    for (int k = 0; k < c->nchannel; k++)
        to[c->channel[k].kind - kinds] = at[k];
    const tn_discrete_node node = find_node(sim, to[HIDDEN_F]);
    read_run(sim, to);
    if (to[POSITION])
        read_owners(sim, to);
    if (to[HIDDEN_F])
        read_node(&node, to);
    for (int k = 0; k < c->nchannel; k++)
        if (c->channel[k].kind->owner == TN_OWNER_STATE) {
            const numbers list = find_numbers(sim, &node, (int)(c->channel[k].kind - kinds));
            for (int i = 0; i < c->channel[k].size; i++)
                at[k][i] = number_at(&list, i);
        }
}

// For programs ------------------------------------------------------------------------------------

TN_GETTER(int, tn_sim_channel_count, (tn_sim * sim), sim, 0, tn_sim_channels(sim)->width);

// The channel of a column.
static const tn_channel *find_channel(const tn_channels *c, int column)
{
    TN_ASSERT(column >= 0 && column < c->width);
    const tn_channel *channel = c->channel;
    while (column >= channel->first + channel->size)
        channel++;
    return channel;
}

void tn_sim_close_channels(tn_sim *sim)
{
    tn_channels *c = &sim->channels;
    for (int i = 0; c->names && i < c->width; i++)
        tn_free(c->names[i]);
    tn_free(c->names);
    tn_table_destroy(c->by_name);
    c->names = NULL;
    c->by_name = NULL;
}

static tn_status name_columns(tn_sim *sim)
{
    tn_channels *c = &sim->channels;
    c->names = tn_alloc((size_t)c->width * sizeof *c->names);
    if (!c->names)
        return TN_ERR_MEMORY;
    TN_TRY(tn_table_create(&c->by_name));
    for (int i = 0; i < c->width; i++) {
        const tn_channel *channel = find_channel(c, i);
        const tn_column column = tn_channel_column(sim, channel, i - channel->first);
        c->names[i] = tn_channel_name(channel->kind, &column);
        if (!c->names[i])
            return TN_ERR_MEMORY;
        if (tn_table_find(c->by_name, c->names[i]) < 0) // names with dots may come twice
            TN_TRY(tn_table_add(c->by_name, c->names[i], i));
    }
    return TN_OK;
}

// The list with its names, which are none of the simulation's memory: a save does not have them.
static const tn_channels *named_channels(tn_sim *sim)
{
    const tn_channels *c = tn_sim_channels(sim);
    if (c->names)
        return c;
    tn_memory_list *joined = tn_memory_join(NULL);
    const tn_status status = name_columns(sim);
    tn_memory_join(joined);
    if (status == TN_OK)
        return c;
    tn_sim_close_channels(sim);
    (void)tn_fail(TN_ERR_MEMORY, "out of memory: names of %d channels", c->width);
    return NULL;
}

// The column of the derivative by time, -1: not listed.
static int rate_column(const tn_channels *c, const tn_channel *channel, int column)
{
    TN_ASSERT(column >= channel->first && column < channel->first + channel->size);
    for (int k = 0; channel->kind->rate && k < c->nchannel; k++)
        if (strcmp(c->channel[k].kind->path, channel->kind->rate) == 0)
            return c->channel[k].first + column - channel->first;
    return -1;
}

tn_status tn_sim_channel_at(tn_sim *sim, int channel, tn_channel_info *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, out);
    TN_NEED_INDEX(channel, tn_sim_channel_count(sim), TN_ERR_USAGE);
    const tn_channels *c = named_channels(sim);
    if (!c)
        return TN_ERR_MEMORY;
    const tn_channel *of = find_channel(c, channel);
    *out = (tn_channel_info){.name = c->names[channel],
                             .unit = tn_channel_column(sim, of, channel - of->first).unit,
                             .rate = rate_column(c, of, channel)};
    return TN_OK;
}

tn_status tn_sim_channel_find(tn_sim *sim, const char *name, int *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, name, out);
    const tn_channels *c = named_channels(sim);
    if (!c)
        return TN_ERR_MEMORY;
    *out = tn_table_find(c->by_name, name);
    if (*out >= 0)
        return TN_OK;
    const char *near = tn_table_nearest(c->by_name, name);
    return near ? tn_fail(TN_ERR_USAGE, "no channel '%s'; did you mean '%s'?", name, near)
                : tn_fail(TN_ERR_USAGE, "no channel '%s'; tn_sim_channel_at lists them", name);
}

// Column i of the coordinates or rows of joints that begin at `offset`.
static double read_joint_column(tn_sim *sim, const int *offset, int i, int kind, places to)
{
    const int joint = tn_column_joint(sim->channels.njoint, offset, i);
    read_joint(sim, joint, to);
    return to[kind][i - offset[joint]];
}

// Reads what belongs to the owner of the column alone.
static double read_column(tn_sim *sim, int kind, int i)
{
    const tn_channels *c = &sim->channels;
    const int owner = i / kinds[kind].ncomponent, component = i % kinds[kind].ncomponent;
    double room[KINDS][TN_JOINT_MAX_ROWS];
    places to;
    for (int k = 0; k < KINDS; k++)
        to[k] = room[k];
    const tn_discrete_node node = find_node(sim, kind >= ENERGY_D);
    const numbers list = find_numbers(sim, &node, kind);
    switch (kinds[kind].owner) {
    case TN_OWNER_BODY:
        read_body(sim, owner, to);
        break;
    case TN_OWNER_JOINT:
        read_joint(sim, owner, to);
        break;
    case TN_OWNER_COORDINATE:
        return read_joint_column(sim, c->coordinate_offset, i, kind, to);
    case TN_OWNER_ROW:
        return read_joint_column(sim, c->row_offset, i, kind, to);
    case TN_OWNER_STATE:
        return number_at(&list, i);
    default:
        read_run(sim, to);
        read_node(&node, to);
    }
    return to[kind][component];
}

double tn_sim_channel(tn_sim *sim, int channel)
{
    TN_NEED(sim, NAN);
    TN_NEED_INDEX(channel, tn_sim_channel_count(sim), NAN);
    const tn_channel *of = find_channel(&sim->channels, channel);
    return read_column(sim, (int)(of->kind - kinds), channel - of->first);
}
