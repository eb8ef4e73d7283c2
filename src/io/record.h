// SPDX-License-Identifier: MIT
//
// A record is a list of channels and a list of files. A channel is one quantity of all its owners,
// for example the positions of all bodies; each row of a record appends to every channel. Rows are
// gathered in memory, channel by channel, and handed to the files in blocks.

#pragma once

#include "base/status.h"
#include "io/seal.h"
#include "tenon/io.h"

#include <stdint.h>

typedef enum tn_owner {
    TN_OWNER_RUN,        // shape (n)
    TN_OWNER_BODY,       // shape (n, bodies, components), without the ground
    TN_OWNER_JOINT,      // shape (n, joints, components)
    TN_OWNER_COORDINATE, // shape (n, coordinates of all joints)
    TN_OWNER_ROW,        // shape (n, rows of all joints)
    TN_OWNER_STATE       // shape (n, numbers), for equations without a model
} tn_owner;

enum { TN_MOST_CHANNELS = 32 };

typedef struct tn_channel_kind {
    const char *path;  // in the file, "bodies/position"
    const char *unit;  // "" for none, "mixed" when each column has its own
    const char *frame; // "inertial", "body", NULL
    tn_owner owner;
    int ncomponent; // numbers per owner
    const char *const *components;
} tn_channel_kind;

// All kinds there are, in the order of the columns of a table; NULL behind the last.
const tn_channel_kind *tn_channel_kind_at(int k);

typedef struct tn_channel {
    const tn_channel_kind *kind;
    int owners;   // 1 for a quantity of the run
    int size;     // numbers per row
    double *rows; // the gathered rows: capacity x size
} tn_channel;

// What one number of a channel is called.
typedef struct tn_column {
    const char *owner;     // name of the body or joint, NULL for none
    const char *component; // "x", "angle", NULL for none
    int number;            // of a state without names, -1 for none
    const char *unit;      // "" for none
} tn_column;

typedef struct tn_sink tn_sink;

// Where the files of a record end, all rows so far included, for going on behind them.
typedef struct tn_record_mark {
    int64_t journal;       // bytes
    uint64_t sequence;     // of the next block of the journal
    long rows, last_steps; // and what the next row relates to, as in tn_record
    double last_time, last_end;
} tn_record_mark;

typedef struct tn_sink_ops {
    const char *file; // "result.csv"
    // Creates the file under the name `part` and writes all that is known before the first row. The
    // record moves it to `path`, which messages name.
    tn_status (*create)(const tn_record *record, const char *path, const char *part, tn_sink **out);
    // Hands the gathered rows to the system: they outlive the process.
    tn_status (*append)(tn_sink *sink, const tn_record *record);
    // Closes and frees, also after failures; then without complaint. Without an outcome (NULL) the
    // file is about to be removed.
    tn_status (*close)(tn_sink *sink, const tn_record *record, const char *outcome);
    // Its part of a mark, and opening the file there, what follows cut off. Both are NULL for files
    // that are made anew from the journal.
    void (*mark)(const tn_sink *sink, tn_record_mark *out);
    tn_status (*resume)(const tn_record *record, const char *path, const tn_record_mark *from,
                        tn_sink **out);
} tn_sink_ops;

// What all files have in common; the first member of theirs.
struct tn_sink {
    const tn_sink_ops *ops;
    char *path, *part, *old; // its name, that while it is opened, that of what it replaces
    long rows;               // handed over
    long saved;              // of these, in the file
    bool failed;             // and said so: it gets no more rows
};

extern const tn_sink_ops tn_sink_journal, tn_sink_csv;

struct tn_record {
    const tn_model *model; // NULL for user equations; read while the record is created
    tn_sim *sim;           // likewise
    char *model_path, *method;
    char *directory;
    int nbody, njoint; // without the ground; with couplings
    int ncoordinate, nrow;
    int nmomentum, nreduced;             // of discrete principles
    int *coordinate_offset, *row_offset; // njoint + 1
    int *coordinate_joint, *row_joint;   // which joint a column belongs to
    int nchannel;
    tn_channel channel[TN_MOST_CHANNELS];
    int width;           // numbers per row
    int capacity, count; // rows that fit, rows gathered
    double last_time;    // of the last row
    double last_end;     // of the step in which it lies
    long last_steps;
    long rows;      // since the beginning
    double written; // wall time when rows were last handed to the files [s]
    int nsink;
    tn_sink *sink[2];           // the journal is the first
    tn_record_options options;  // as asked for
    int lock;                   // of the folder; -1 for none
    const tn_record_mark *from; // where it goes on, while it is opened; NULL: at the beginning
    bool failed;                // a file takes no more rows, and it was said
    bool lost;                  // rows that were written are no longer there
    bool waiting;               // old results stay until the first rows of these are written
    tn_seal seal;               // of result.h5, once it is made
    void *block;
};

// Numbers per row of a record, without making one.
tn_status tn_record_measure(const tn_model *model, tn_sim *sim, int *width);

// Channels from the model and the simulation, and the memory for rows (record_channels.c).
tn_status tn_record_layout(tn_record *record);
// Reads one row out of the simulation into the next free place.
void tn_record_gather(tn_record *record, tn_sim *sim);
tn_column tn_record_column(const tn_record *record, const tn_channel *channel, int column);
// "time", "energy.kinetic", "rod.position.x", "state.q.0"; tn_free it; NULL when memory is short.
char *tn_record_column_name(const tn_channel *channel, const tn_column *column);

void tn_sink_free(tn_sink *sink); // the memory, at the end of closing

// All of closing but giving the folder free, for callers that write more into it; tn_record_close
// does that, and does not finish again.
tn_status tn_record_finish(tn_record *record, const char *outcome);

// Hands gathered rows to the files when the last time is a while ago; for steps without a row.
tn_status tn_record_tick(tn_record *record);

// Hands all rows to the files and tells where these end.
tn_status tn_record_mark_now(tn_record *record, tn_record_mark *out);
// A record that goes on behind a mark, of a run of the same model with the same options.
tn_status tn_record_resume(const char *directory, const tn_model *model, tn_sim *sim,
                           const tn_record_options *options, const tn_record_mark *from,
                           tn_record **out);

// "cannot write DIR/result.journal: reason; rows saved: 512", remembered in the sink.
tn_status tn_sink_fail(tn_sink *sink, const char *reason);
