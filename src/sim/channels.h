// SPDX-License-Identifier: MIT
//
// The channels of a simulation: all numbers that are known of it by a name, in one list. Records,
// the live view and tn_sim_channel follow from it. A channel is one quantity (model/vocabulary.h)
// of all its owners, for example the positions of all bodies; a column is one number of it.

#pragma once

#include "model/vocabulary.h"
#include "tenon/sim.h"

// The first channels of every list.
enum { TN_CHANNEL_TIME, TN_CHANNEL_STEP, TN_MOST_CHANNELS = 80 };

typedef struct tn_channel {
    const tn_quantity_kind *kind;
    tn_quantity what;
    int owners; // 1 for a quantity of the run
    int size;   // columns
    int first;  // its first column among those of all channels
} tn_channel;

// The list of one simulation.
typedef struct tn_channels {
    int njoint;              // with couplings
    int elements[TN_OWNERS]; // bodies with the ground, joints or forces
    int *offset[TN_OWNERS];  // elements + 1: the first places of each
    int nchannel, width;     // 0 before the list is made
    tn_channel channel[TN_MOST_CHANNELS];
    char **names;      // of all columns, once they are asked for; not among the saved memory
    tn_table *by_name; // likewise
} tn_channels;

// The list, made when it is first asked for; it lives as long as the simulation.
const tn_channels *tn_sim_channels(tn_sim *sim);
// Reads all columns at the output state, those of channel k to to[k].
void tn_channels_read(tn_sim *sim, double *const to[TN_MOST_CHANNELS]);
const tn_model *tn_sim_model(const tn_sim *sim); // as the user made it; NULL for user equations
double tn_quantity_read(tn_sim *sim, const tn_named_quantity *q); // one number of the model
double tn_channel_read(tn_sim *sim, const tn_channel *channel, int column); // one number
// Number of conditions of the expressions behind a column, and their values at the state that is
// shown (value may be NULL): if one changes its sign, the column has a discontinuity or jumps.
int tn_channel_switches(tn_sim *sim, int column, double *value);
tn_column tn_channel_column(const tn_sim *sim, const tn_channel *channel, int column);
// Quantity of the model that a column is; not for numbers of equations.
tn_named_quantity tn_channel_quantity(const tn_channels *c, const tn_channel *channel, int column);
// Which of n elements a place belongs to, by the first places of each and their end; -1 for none.
int tn_place_owner(int n, const int *offset, int place);
