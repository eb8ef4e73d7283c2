// SPDX-License-Identifier: MIT
//
// A run from a model file to a folder of results, as `tenon run` makes it: rows, checkpoints, the
// summary, and the requirements on it. A run that fails or is stopped keeps everything up to that
// moment.
//
//     tn_run_options options = tn_default_run();
//     tn_run *run = NULL;
//     tn_status s = tn_run_create("fourbar.yaml", NULL, NULL, &options, &run);
//     if (s == TN_OK && (s = tn_run_open(run)) == TN_OK)
//         tn_run_conclude(run, tn_run_simulate(run));
//     tn_run_destroy(run);
//
// A run belongs to one thread at a time, but for tn_run_stop.

#pragma once

#include "tenon/compare.h"
#include "tenon/io.h"
#include "tenon/json.h"

// A run; tn_run_destroy it.
typedef struct tn_run tn_run;
// A run that was stopped or killed and can go on.
typedef struct tn_resume tn_resume;

// The destination of results, and the requirements on them.
typedef struct tn_run_options {
    const char *out;     // folder of the results; NULL: MODEL.results
    const char *require; // bounds, "g<1e-9,gdot<1e-9,energy<1e-6"; NULL for none
    int nset;            // other values of parameters of the model
    const tn_parameter_value *set;
    bool replace;            // results that the folder holds
    bool csv;                // result.csv, too
    bool error;              // two more runs find the error of the motion
    bool no_results;         // no folder and no files: the summary is reported alone
    bool brief;              // with it: no text of the summary, whose final state may be large
    bool large;              // more than 1e8 rows or 10 GB may be stored
    int threads;             // as in tn_sim_options; 0: auto
    double checkpoint;       // computing time between checkpoints [s]; INFINITY: none are written
    const tn_resume *resume; // goes on with the run in `out`; NULL: begins
    int nword;               // the command line that does it again, for checkpoints and summary
    char *const *words;      // behind the name of the command; NULL for none
    const char *command;     // the whole of it as a shell reads it; NULL for none
    tn_teller teller;
    void (*stepped)(void *user); // follows each step and the first row; may be NULL
    void *user;
} tn_run_options;

// Results in MODEL.results, where none are replaced.
TN_API tn_run_options tn_default_run(void);
// Reads the model, puts options over its `simulate` block as tn_simulate_override does (`values`
// and `given` may be NULL) and finds the start values. Texts of the options must outlive the run.
// On failure *out is NULL.
TN_API tn_status tn_run_create(const char *model_path, const tn_simulate *values, const bool *given,
                               const tn_run_options *options, tn_run **out);
// Closes open files: rows that were stored stay. NULL is fine.
TN_API void tn_run_destroy(tn_run *run);
// Makes the folder of results, where there are to be some. Fails with TN_ERR_USAGE when it cannot
// be written.
TN_API tn_status tn_run_open(tn_run *run);
// Moves the model to its end and stores rows on the way. If auto took an explicit method, and
// stability limits its steps on the way, the run begins anew with one for stiff models: facts then
// have another sim, and rows are stored again from the first one on.
TN_API tn_status tn_run_simulate(tn_run *run);
// Asks the run to stop: the first time after its step, a time that comes later ends the making of
// result.h5. Safe in a signal handler and from any thread.
TN_API void tn_run_stop(tn_run *run);
// Closes the results and writes the summary; `status` is how the simulation ended, in the same
// thread. Fails only when there is no memory for the summary: tn_run_about returns the rest.
TN_API tn_status tn_run_conclude(tn_run *run, tn_status status);

// A bound that was required.
typedef struct tn_bound {
    const char *quantity; // "g", "energy", …
    double limit, found;
    bool met;
} tn_bound;

// Error of the motion of a run, by the distance to a finer run of the same method, where the
// options ask for that or a bound of `error` is required.
typedef struct tn_run_error {
    bool asked, known;
    tn_distance distance; // estimated errors as parts of the sizes below; NaN where not known
    double position, velocity, rate, lambda; // the largest of the motion [m, m/s, rad/s, SI]
    tn_setting check;                        // half the step of the run, or a tenth of its rtol
    char reason[TN_REASON_SIZE];             // why it is not known; "" otherwise
} tn_run_error;

// Facts of a run. Texts and objects live as long as the run.
typedef struct tn_run_facts {
    const char *status; // "running", "done", "doubtful", "stopped" or "failed"
    const char *reason; // "" when done
    bool reached;       // the end: it is done or doubtful
    const char *model_path;
    const char *directory; // of the results; NULL where none are written
    const tn_model *model;
    const tn_simulate *simulate;
    tn_sim *sim;
    tn_ledger ledger;
    tn_verdict verdict;
    tn_rank_margin near; // closest position to a singular one, when it came near
    bool singular;       // it did
    tn_run_error error;
    int nbound, nunmet; // required bounds, and how many are not met
    const tn_bound *bounds;
    bool kept;                // nothing was written: older results stay
    bool lost;                // rows could not be written
    bool rows;                // the folder has rows
    const char *files;        // that were written, "result.h5, summary.json"; "" before the end
    const char *next;         // use of going on, "to go on from there"; NULL when it cannot
    const char *next_command; // that does so; NULL likewise
    const char *summary;      // the text of summary.json; NULL before the end and of brief runs
} tn_run_facts;

TN_API const tn_run_facts *tn_run_about(const tn_run *run); // NULL for NULL
// The summary of a run that goes on, its status "running", finished; tn_json_destroy it.
TN_API tn_status tn_run_summary(tn_run *run, tn_json **out);

// The folder that a run of this model would write to, when it holds results that no other run
// writes at this moment; NULL when not. tn_text_free it.
TN_API char *tn_run_saved(const char *model_path, const char *out);

// Going on with the run in a folder, that was stopped or killed. On failure *out is NULL. The
// object that was read must outlive the run that goes on.
TN_API tn_status tn_resume_open(const char *directory, tn_resume **out);
TN_API void tn_resume_close(tn_resume *resume);                           // NULL is fine
TN_API const char *tn_resume_model(const tn_resume *resume);              // path, as seen from here
TN_API char *const *tn_resume_words(const tn_resume *resume, int *count); // as it began with
