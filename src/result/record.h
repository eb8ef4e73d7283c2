// SPDX-License-Identifier: MIT
//
// A record is the list of channels of a simulation (sim/channels.h) and a list of files. Each row
// of a record appends to every channel. Rows are gathered in memory, channel by channel, and handed
// to the files in blocks.

#pragma once

#include "base/status.h"
#include "result/checksums.h"
#include "sim/channels.h"
#include "tenon/io.h"

#include <stdint.h>

// Files that a folder of results may hold; the command line writes the report.
enum { TN_RESULT_FILES = 6 };
extern const char *const tn_result_files[TN_RESULT_FILES];

typedef struct tn_sink tn_sink;

// Ends of the files of a record, all rows so far included, for going on behind them.
typedef struct tn_record_mark {
    int64_t journal;       // bytes
    uint64_t sequence;     // of the next block of the journal
    long rows, last_steps; // and what the next row relates to, as in tn_record
    double last_time, last_end;
} tn_record_mark;

typedef struct tn_sink_ops {
    const char *file; // "result.csv"
    size_t size;
    // Creates the file under the name `part` and writes all that is known before the first row. The
    // record moves it to `path`, which messages name. A sink that fails is closed.
    tn_status (*create)(tn_sink *sink, const tn_record *record);
    // Hands the gathered rows to the system: they outlive the process.
    tn_status (*append)(tn_sink *sink, const tn_record *record);
    // Closes and frees, also after failures; then without complaint. Without an outcome (NULL) the
    // file is about to be removed.
    tn_status (*close)(tn_sink *sink, const tn_record *record, const char *outcome);
    // Its part of a mark, and opening the file there, what follows cut off. Both are NULL for files
    // that are made anew from the journal.
    void (*mark)(const tn_sink *sink, tn_record_mark *out);
    tn_status (*resume)(tn_sink *sink, const tn_record_mark *from);
} tn_sink_ops;

// Common data of all files; the first member of theirs.
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
    tn_channels list;                   // of the simulation; offsets and names are its own
    double *gathered[TN_MOST_CHANNELS]; // the rows of each channel: capacity x size
    int capacity, count;                // rows that fit, rows gathered
    double last_time;                   // of the last row
    double last_end;                    // of the step in which it lies
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
    tn_checksums checksums;     // of result.h5, once it is made
    void *block;
};

// The channels of the simulation, and the memory for rows (record_rows.c).
tn_status tn_record_layout(tn_record *record);
// Reads one row out of the simulation into the next free place.
void tn_record_gather(tn_record *record, tn_sim *sim);

void tn_sink_free(tn_sink *sink); // the memory, at the end of closing

// All of closing but giving the folder free, for callers that write more into it; tn_record_close
// does that, and does not finish again.
tn_status tn_record_finish(tn_record *record, const char *outcome);

// Closes it before its end: files of its folder are for the next record, which replaces them.
void tn_record_drop(tn_record *record);

// Hands gathered rows to the files when the last time is a while ago; for steps without a row.
tn_status tn_record_tick(tn_record *record);

// Hands all rows to the files and returns where these end.
tn_status tn_record_mark_now(tn_record *record, tn_record_mark *out);
// A record that goes on behind a mark, of a run of the same model with the same options.
tn_status tn_record_resume(const char *directory, tn_sim *sim, const tn_record_options *options,
                           const tn_record_mark *from, tn_record **out);

// "cannot write DIR/result.journal: reason; rows saved: 512", remembered in the sink.
tn_status tn_sink_fail(tn_sink *sink, const char *reason);
