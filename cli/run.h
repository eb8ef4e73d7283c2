// SPDX-License-Identifier: MIT
//
// The parts of `tenon run`: what is required of a run, its progress, its results folder, its
// summary, and the whole of it for commands that run a model among other things.

#pragma once

#include "cli.h"
#include "io/checkpoint.h"
#include "io/record.h"
#include "io/seal.h"
#include "tenon/sim.h"

#include <stdatomic.h>

// Bounds of --require 'g<1e-9,energy<1e-6'.

enum { CLI_MOST_BOUNDS = 16 };

typedef struct cli_bound {
    int quantity; // in the table of run_require.c
    double limit;
    double found; // set by cli_require_check
    bool met;
} cli_bound;

typedef struct cli_require {
    int count;
    cli_bound bound[CLI_MOST_BOUNDS];
} cli_require;

tn_status cli_require_parse(const char *text, cli_require *out);
int cli_require_check(cli_require *require, const tn_ledger *ledger); // how many are not met
void cli_require_tell(const cli_require *require);                    // those, on stderr
const char *cli_bound_name(const cli_bound *bound);

// A progress bar on stderr: only on a terminal, and only when the run takes long.

typedef struct cli_progress {
    bool enabled, shown;
    double t_start, t_end;
    double began, last; // wall time [s]
} cli_progress;

cli_progress cli_progress_begin(bool enabled, double t_start, double t_end);
void cli_progress_update(cli_progress *progress, double t);
void cli_progress_end(cli_progress *progress); // wipes the bar

// The results folder.

char *cli_results_default(const char *model_path); // "fourbar.results" for a/fourbar.yaml; tn_free
// Fails when the folder holds results and they may not be replaced.
tn_status cli_results_check(const char *directory, bool force);
// "note: DIR still holds the results of an earlier run", on stderr, when it does.
void cli_results_tell_kept(const char *directory);
// Makes the folders above it; the record makes the folder and removes old results.
tn_status cli_results_parents(const char *directory);
tn_status cli_results_write(const char *directory, const char *name, const char *text);
// Whether the folder holds a file of this name.
bool cli_results_have(const char *directory, const char *name);

// How a run went, for the ledger on stdout, for --json and for summary.json.

typedef struct cli_outcome {
    const char *status; // "done", "doubtful", "stopped" or "failed"
    char reason[1024];  // "" when done
    const char *model_path, *directory;
    const tn_model *model;
    const tn_sim *sim;
    const tn_simulate *simulate;
    const cli_require *require;
    bool kept;           // nothing was written: older results stay
    const tn_seal *seal; // of result.h5; NULL for none
    tn_ledger ledger;
    tn_verdict verdict;
} cli_outcome;

void cli_summary_print(const cli_outcome *outcome);
void cli_notes_tell(const tn_model *model, const tn_sim *sim);               // on stderr
void cli_notes_put(tn_json *json, const tn_model *model, const tn_sim *sim); // an array
void cli_doubts_tell(const tn_verdict *verdict);                             // likewise
tn_status cli_summary_json(const cli_outcome *outcome, tn_json **out);       // finished

// A run: prepare, open, simulate and conclude, one after the other, then free.

typedef struct cli_job_options {
    const char *out, *require; // NULL: the default folder; no bounds
    bool force, csv, quiet, yes;
    double checkpoint; // wall time between checkpoints [s]
} cli_job_options;

// Going on with a run (run_resume.c): its command line, as it was, and what it had reached.
typedef struct cli_resume {
    tn_checkpoint_data data;
    int nword;
    char **word;      // behind the name of the command
    char *model_path; // as seen from here
    tn_record_mark mark;
    double stored; // time of the last stored row [s]
    long rows;
    bool ended; // its motion was complete: only files are missing
    int event;  // that ended it; -1 for none
} cli_resume;

typedef struct cli_job {
    cli_job_options wanted;
    // How often it was asked to stop, in a signal handler or another thread. The first time ends
    // the run after its step, one that comes later the making of result.h5.
    atomic_int stops;
    void (*stepped)(void *user, bool stored); // follows each step and the first row; may be NULL
    void (*concluded)(void *user, const char *summary); // takes the final summary; may be NULL
    void *user;

    // Set by the functions below.
    const char *model_path;
    char *directory;
    cli_require require;
    tn_simulate simulate;
    tn_model *model;
    tn_sim *sim;
    tn_record *record;
    tn_record_options record_options;
    cli_progress progress;
    double stored;            // time of the last stored row [s]
    bool lost;                // rows could not be written
    bool damaged;             // or were, and are no longer there
    bool ended;               // the motion is complete
    bool whole;               // and so are the files, but for rows
    int width;                // numbers per row
    long rows;                // stored so far
    int heard;                // stops before result.h5 was begun
    const cli_resume *resume; // NULL: from the beginning
    double saved;             // wall time of the last checkpoint, and what it took [s]
    double saving;
} cli_job;

// Reads what is needed to go on with the run in a folder.
tn_status cli_resume_open(const char *directory, cli_resume *out);
void cli_resume_free(cli_resume *resume);
// The event that ended the motion; -1 for none.
int cli_job_event(const cli_job *job);
// Loads its state into the simulation of the job, which is that of its command line.
tn_status cli_resume_load(cli_job *job);
// Writes the checkpoint of a job: the first without an image. Later ones when they are due.
void cli_checkpoint_first(cli_job *job);
void cli_checkpoint_when_due(cli_job *job);
void cli_checkpoint_now(cli_job *job);
// The last one, from which --resume makes missing files without a further step.
void cli_checkpoint_end(cli_job *job);
void cli_checkpoint_remove(const cli_job *job);

// Reads the model, puts the options over its `simulate` block and finds the start values. `args`
// must live as long as the job.
tn_status cli_job_prepare(cli_job *job, const cli_args *args);
// Makes the results folder. Fails with TN_ERR_USAGE when it cannot be written.
tn_status cli_job_open(cli_job *job);
tn_status cli_job_simulate(cli_job *job);
// The summary of a run that goes on, its status "running"; from within `stepped`.
tn_status cli_job_so_far(const cli_job *job, tn_json **out);
// Closes the results, writes and prints the summary, tells what went wrong; returns the exit code.
// `status` is how the simulation ended, in the same thread.
int cli_job_conclude(cli_job *job, tn_status status);
// A run that was refused before it touched its folder leaves what --force would have replaced.
void cli_job_tell_kept(const cli_job *job, const char *model_path);
void cli_job_free(cli_job *job);
