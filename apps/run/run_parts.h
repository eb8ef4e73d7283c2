// SPDX-License-Identifier: MIT
//
// The parts of a run (tenon/run.h): what is required of it, its folder, its checkpoints, its
// summary.

#pragma once

#include "result/checkpoint.h"
#include "result/record.h"
#include "sim/sim.h"
#include "tenon/run.h"

#include <stdatomic.h>

enum { TN_MOST_BOUNDS = 16 };

// State that a resumed run had reached.
struct tn_resume {
    tn_checkpoint_data data;
    int nword;
    char **word;      // behind the name of the command
    char *model_path; // as seen from here
    tn_record_mark mark;
    const char *stiff; // option of a run that has begun anew; else NULL
    double stored;     // time of the last stored row [s]
    long rows;
    bool ended; // its motion was complete: only files are missing
    int event;  // that ended it; -1 for none
};

struct tn_run {
    tn_run_options wanted;
    atomic_int stops; // how often it was asked to stop
    // Observer of the run: takes each step, and the final summary. May be NULL.
    void (*watch_step)(void *watcher, bool stored);
    tn_status (*watch_again)(void *watcher); // the run has another simulation
    void (*watch_end)(void *watcher, const char *summary);
    void *watcher;

    tn_run_facts facts;
    char *model_path, *directory;
    char reason[1024];
    int quantity[TN_MOST_BOUNDS]; // of each bound, in the table of run_require.c
    tn_bound bound[TN_MOST_BOUNDS];
    tn_simulate simulate;
    tn_model *model;
    tn_sim *_Atomic sim; // others may stop it
    tn_sim *held;        // where the run has begun anew: what it was before
    tn_auto_run way;
    bool opened;       // and not concluded
    tn_record *record; // NULL where no results are written
    tn_record_options record_options;
    double stored; // time of the last stored row [s]
    bool damaged;  // rows were written, and are no longer there
    bool ended;    // the motion is complete
    bool whole;    // and so are the files, but for rows
    int width;     // numbers per row
    long rows;     // stored so far
    int heard;     // stops before result.h5 was begun
    double saved;  // wall time of the last checkpoint, and what it took [s]
    double saving;
    char *summary, *next_command;
    char files[96]; // what the folder holds of the run, for its facts
};

void tn_run_find_error(tn_run *run);                 // at the end of its motion
double tn_run_error_size(const tn_run_error *error); // of positions or velocities; NaN: not known
tn_status tn_require_parse(tn_run *run);             // the bounds of its options
void tn_require_check(tn_run *run);

bool tn_run_has_state(const tn_run *run); // it goes on from a state
int tn_run_event(const tn_run *run);      // that ended the motion; -1 for none
// Loads the state of the run that it goes on with.
tn_status tn_resume_load(tn_run *run);
// Writes the checkpoint of a run: the first without a state. Later ones when they are due.
void tn_checkpoint_first(tn_run *run);
void tn_checkpoint_when_due(tn_run *run);
void tn_checkpoint_now(tn_run *run);
// The last one, from which missing files are made without a further step.
void tn_checkpoint_end(tn_run *run);
void tn_checkpoint_remove(const tn_run *run);

tn_status tn_run_json(const tn_run *run, tn_json **out); // of its facts, finished
