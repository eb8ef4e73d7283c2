// SPDX-License-Identifier: MIT
//
// The channels of a simulation: all numbers that are known of it by a name, in one list. Records,
// the live view and tn_sim_channel follow from it. A kind of channel is one quantity of all its
// owners, for example the positions of all bodies; a column is one number of it.

#pragma once

#include "base/table.h"
#include "tenon/sim.h"

typedef enum tn_owner {
    TN_OWNER_RUN,        // shape (n)
    TN_OWNER_BODY,       // shape (n, bodies, components), without the ground
    TN_OWNER_JOINT,      // shape (n, joints, components)
    TN_OWNER_COORDINATE, // shape (n, coordinates of all joints)
    TN_OWNER_ROW,        // shape (n, rows of all joints)
    TN_OWNER_STATE       // shape (n, numbers), for equations without a model
} tn_owner;

typedef struct tn_channel_kind {
    const char *path;  // in a file of results, "bodies/position"
    const char *unit;  // "" for none, "mixed" when each column has its own
    const char *frame; // "inertial", "body", NULL
    tn_owner owner;
    int ncomponent; // numbers per owner
    const char *const *components;
    const char *rate; // path of its derivative by time; NULL: not among the channels
} tn_channel_kind;

// All kinds there are, in the order of the columns of a table; NULL behind the last.
const tn_channel_kind *tn_channel_kind_at(int k);

// The first channels of every list.
enum { TN_CHANNEL_TIME, TN_CHANNEL_STEP, TN_MOST_CHANNELS = 32 };

typedef struct tn_channel {
    const tn_channel_kind *kind;
    int owners; // 1 for a quantity of the run
    int size;   // columns
    int first;  // its first column among those of all channels
} tn_channel;

// What one column is called.
typedef struct tn_column {
    const char *owner;     // name of the body or joint, NULL for none
    const char *component; // "x", "angle", NULL for none
    int number;            // of a column without names, -1 for none
    const char *unit;      // "" for none
} tn_column;

// The list of one simulation.
typedef struct tn_channels {
    int nbody, njoint;                   // without the ground; with couplings
    int *coordinate_offset, *row_offset; // njoint + 1: first columns of the joints
    int nchannel, width;                 // 0 before the list is made
    tn_channel channel[TN_MOST_CHANNELS];
    char **names;      // of all columns, once they are asked for; not among the saved memory
    tn_table *by_name; // likewise
} tn_channels;

// The list, made when it is first asked for; it lives as long as the simulation.
const tn_channels *tn_sim_channels(tn_sim *sim);
// Reads all columns at the state that is shown, those of channel k to to[k].
void tn_channels_read(tn_sim *sim, double *const to[TN_MOST_CHANNELS]);
const tn_model *tn_sim_model(const tn_sim *sim); // as the user made it; NULL for user equations
tn_column tn_channel_column(const tn_sim *sim, const tn_channel *channel, int column);
// "time", "energy.kinetic", "rod.position.x", "state.q.0"; tn_free it; NULL when memory is short.
char *tn_channel_name(const tn_channel_kind *kind, const tn_column *column);
// The joint that a column belongs to, by the first columns of n joints and their end; -1 for none.
int tn_column_joint(int n, const int *offset, int column);
