// SPDX-License-Identifier: MIT
//
// The channels of a simulation: their list and their names; see channels.h.

#include "sim/channels.h"

#include "base/alloc.h"
#include "model/model.h"
#include "sim/sim.h"

#include <math.h>

// The list ----------------------------------------------------------------------------------------

// States of equations and numbers of elements are never in one list.
_Static_assert(TN_QUANTITIES - (TN_Q_STATE_ETA - TN_Q_STATE_Q + 1) <= TN_MOST_CHANNELS,
               "room for all channels of a model");

static void list_channel(tn_channels *c, tn_quantity what, int owners)
{
    TN_ASSERT(c->nchannel < TN_MOST_CHANNELS);
    TN_ASSERT(owners >= 0);
    const tn_quantity_kind *kind = &tn_quantity_kinds[what];
    const int size = owners * kind->ncomponent;
    c->channel[c->nchannel++] = (tn_channel){kind, what, owners, size, c->width};
    c->width += size;
}

// Bodies and joints are listed where there are none, too: files have always had these.
static bool is_always_there(tn_owner owner)
{
    return owner == TN_OWNER_BODY || owner == TN_OWNER_JOINT || owner == TN_OWNER_COORDINATE ||
           owner == TN_OWNER_ROW;
}

static void list_elements(tn_channels *c)
{
    for (tn_quantity k = TN_Q_BODY_POSITION; k <= TN_Q_OUTPUT; k++) {
        const tn_owner owner = tn_quantity_kinds[k].owner;
        const int places = c->offset[owner][c->elements[owner]];
        if (places > 0 || is_always_there(owner))
            list_channel(c, k, places);
    }
}

static void list_state(const tn_sim *sim, tn_channels *c)
{
    list_channel(c, TN_Q_STATE_Q, tn_sim_nq(sim));
    list_channel(c, TN_Q_STATE_V, tn_sim_nv(sim));
    list_channel(c, TN_Q_STATE_A, tn_sim_nv(sim));
    list_channel(c, TN_Q_STATE_LAMBDA, tn_sim_nl(sim));
    list_channel(c, TN_Q_STATE_ETA, tn_sim_nn(sim));
}

// Lists the quantities of discrete principles at their nodes, if there are any.
static void list_discrete(tn_sim *sim, tn_channels *c, bool has_energy)
{
    tn_discrete_node node;
    if (!tn_sim_discrete(sim, &node))
        return;
    for (tn_quantity k = TN_Q_ENERGY_D; k <= TN_Q_HAMILTONIAN_D && has_energy; k++)
        list_channel(c, k, 1);
    list_channel(c, TN_Q_HIDDEN_F, 1);
    if (node.h)
        list_channel(c, TN_Q_HIDDEN_H, 1);
    list_channel(c, TN_Q_HIDDEN_QP, 1);
    for (tn_quantity k = TN_Q_LINEAR_D; k <= TN_Q_ANGULAR_QP && node.has_momentum; k++)
        list_channel(c, k, 1);
    list_channel(c, TN_Q_MOMENTA, node.nv);
    list_channel(c, TN_Q_PROJECTED, node.nv);
    if (node.nreduced > 0)
        list_channel(c, TN_Q_REDUCED, node.nreduced);
}

const tn_model *tn_sim_model(const tn_sim *sim)
{
    return sim->model ? sim->model->source : NULL;
}

void tn_sim_layout_channels(tn_sim *sim, tn_carve *mem)
{
    tn_channels *c = &sim->channels;
    const tn_model *model = tn_sim_model(sim);
    c->njoint = model ? tn_model_joint_count(model) : 0;
    for (tn_owner owner = 0; owner < TN_OWNERS && model; owner++) {
        c->elements[owner] = tn_owner_elements(model, owner);
        c->offset[owner] = tn_carve_ints(mem, c->elements[owner] + 1);
    }
}

void tn_sim_open_channels(tn_sim *sim)
{
    tn_channels *c = &sim->channels;
    const tn_model *model = tn_sim_model(sim);
    for (tn_owner owner = 0; owner < TN_OWNERS && model; owner++)
        for (int i = 0; i < c->elements[owner]; i++)
            c->offset[owner][i + 1] = c->offset[owner][i] + tn_owner_places(model, owner, i);
}

const tn_channels *tn_sim_channels(tn_sim *sim)
{
    tn_channels *c = &sim->channels;
    const bool has_energy = sim->sums.ledger.has_energy,
               has_momentum = sim->sums.ledger.has_momentum;
    if (c->nchannel > 0)
        return c;
    list_channel(c, TN_Q_TIME, 1);
    list_channel(c, TN_Q_STEP, 1);
    if (sim->model)
        list_elements(c);
    else
        list_state(sim, c);
    for (tn_quantity k = TN_Q_KINETIC; k <= TN_Q_BALANCE && has_energy; k++)
        list_channel(c, k, 1);
    for (tn_quantity k = TN_Q_LINEAR_MOMENTUM; k <= TN_Q_ANGULAR_MOMENTUM && has_momentum; k++)
        list_channel(c, k, 1);
    list_channel(c, TN_Q_RESIDUAL_G, 1);
    list_channel(c, TN_Q_RESIDUAL_GDOT, 1);
    list_discrete(sim, c, has_energy);
    return c;
}

// Names -------------------------------------------------------------------------------------------

int tn_place_owner(int n, const int *offset, int place)
{
    int low = 0, high = n;
    if (n < 1 || place < offset[0] || place >= offset[n])
        return -1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (offset[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

tn_named_quantity tn_channel_quantity(const tn_channels *c, const tn_channel *channel, int column)
{
    TN_ASSERT(column >= 0 && column < channel->size);
    const tn_quantity_kind *kind = channel->kind;
    const int *offset = c->offset[kind->owner], place = column / kind->ncomponent;
    const int element = tn_place_owner(c->elements[kind->owner], offset, place);
    const int within = element >= 0 ? place - offset[element] : 0;
    return (tn_named_quantity){channel->what, element, column % kind->ncomponent + within, ""};
}

tn_column tn_channel_column(const tn_sim *sim, const tn_channel *channel, int column)
{
    const tn_quantity_kind *kind = channel->kind;
    if (kind->owner == TN_OWNER_STATE)
        return (tn_column){NULL, NULL, column, kind->unit};
    const tn_named_quantity q = tn_channel_quantity(&sim->channels, channel, column);
    return tn_quantity_column(tn_sim_model(sim), &q);
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
        c->names[i] = tn_quantity_name(channel->kind, &column);
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
    if (name_columns(sim) == TN_OK)
        return c;
    tn_sim_close_channels(sim);
    (void)tn_fail(TN_ERR_MEMORY, "out of memory: names of %d channels", c->width);
    return NULL;
}

// The column of the derivative by time, -1: not listed.
static int rate_column(const tn_channels *c, const tn_channel *channel, int column)
{
    TN_ASSERT(column >= channel->first && column < channel->first + channel->size);
    for (int k = 0; k < c->nchannel; k++)
        if (c->channel[k].what == channel->kind->rate)
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

static tn_status check_meaning(const tn_model *model, const char *name)
{
    int meanings;
    tn_named_quantity q;
    TN_TRY(tn_vocabulary_count(model, name, &meanings, &q));
    return meanings > 1 ? tn_vocabulary_find(model, name, &q) : TN_OK;
}

tn_status tn_sim_channel_find(tn_sim *sim, const char *name, int *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, name, out);
    const tn_channels *c = named_channels(sim);
    if (!c)
        return TN_ERR_MEMORY;
    *out = tn_table_find(c->by_name, name);
    if (*out < 0)
        return tn_fail(TN_ERR_USAGE, "no channel '%s'; %s", name,
                       tn_vocabulary_hint(c->by_name, name).text);
    return sim->model ? check_meaning(tn_sim_model(sim), name) : TN_OK;
}

double tn_sim_channel(tn_sim *sim, int channel)
{
    TN_NEED(sim, NAN);
    TN_NEED_INDEX(channel, tn_sim_channel_count(sim), NAN);
    const tn_channel *of = find_channel(&sim->channels, channel);
    return tn_channel_read(sim, of, channel - of->first);
}
