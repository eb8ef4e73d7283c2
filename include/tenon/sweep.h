// SPDX-License-Identifier: MIT
//
// Sweeps: one model with many values of its parameters, and a few numbers of each run as a table.
// Cases are handed out to worker processes one by one; the table does not depend on their number or
// order. Every case that has ended is saved at once, so that a sweep that was stopped or killed
// goes on where it was.
//
//     const char *set[] = {"k=1e3:1e5:20:log", "m=[1, 2, 5]"}, *outputs[] = {"max(pin.force.x)"};
//     tn_sweep_options o = tn_default_sweep();
//     o.nset = 2, o.set = set, o.noutput = 1, o.outputs = outputs;
//     tn_status s = tn_sweep_create("model.yaml", NULL, NULL, &o, &sweep);
//     if (s == TN_OK)
//         s = tn_sweep_run(sweep);

#pragma once

#include "tenon/io.h"

#include <stdbool.h>
#include <stdint.h>

// A sweep; tn_sweep_destroy it.
typedef struct tn_sweep tn_sweep;

// The parameters that vary, the results that are saved, and the sharing of the work.
typedef struct tn_sweep_options {
    int nset;                   // parameters of the model that are varied or set:
    const char *const *set;     // "k=1e3:1e5:20:log", "m=[1, 2, 5]", "m=@values.csv", "c=2*k",
                                // and with samples "k=1e3:1e5", "k=normal(10, 2)" and so on
    int noutput;                // numbers of each run:
    const char *const *outputs; // "max(pin.force.x)", "tip=final(rod.position.y)", "event(hit)"
    const char *sample;         // "grid": every value with every other; "rows": lists side by side;
                                // "lhs:N", "sobol:N" and "random:N" cases
    uint64_t seed;              // of samples
    const char *out;            // folder; NULL: MODEL.sweep
    int jobs;                   // worker processes; 0: one for each processor
    bool ranks;                 // the ranks of MPI, of which this process is one, are the workers
    int shard, shards;          // this one, from 1, of so many parts of the cases; 0: all cases
    const char *plots;          // pictures: "auto", "none", "curves:k,map:k:m,scatter:tip:k:m";
                                // NULL: "auto", what suits the parameters
    bool replace;               // cases that the folder holds
    bool large;                 // more than a million cases
    const char *command;        // that does it again, for the summary; NULL for none
    tn_teller teller;           // hears notes
    void (*done)(void *user, int64_t cases, int64_t all); // after each case; may be NULL
    // Returns the errors of functions of a user, own forces and the like, since the last call, ""
    // for nothing: called before and after each case, in the process that runs it; may be NULL.
    const char *(*raised)(void *user);
    void *user;
} tn_sweep_options;

// A grid on all processors, from the model's method to its end.
TN_API tn_sweep_options tn_default_sweep(void);

// Reads the model and all that is wanted, makes the first case ready to find mistakes, and opens
// the folder: cases that the same sweep has there already are not run again.
// `values` go over the `simulate` block where given[i], as by tn_simulate_override; both may be
// NULL.
TN_API tn_status tn_sweep_create(const char *model_path, const tn_simulate *values,
                                 const bool *given, const tn_sweep_options *options,
                                 tn_sweep **out);
TN_API void tn_sweep_destroy(tn_sweep *sweep); // NULL is fine

// Ranks of MPI, for clusters: every rank creates the same sweep, runs and destroys it. Rank 0 hands
// out the cases and has the folder; the others have neither cases nor files to show. True if mpirun
// has started this process as one of several ranks; its number and their count, -1 where that is
// not said. Both may be NULL.
TN_API bool tn_ranks_here(int *rank, int *count);
TN_API int tn_sweep_rank(const tn_sweep *sweep); // 0 where there are none

// Runs the cases that are missing. TN_ERR_STOPPED where tn_sweep_stop came; all that has ended is
// saved.
TN_API tn_status tn_sweep_run(tn_sweep *sweep);
TN_API void tn_sweep_stop(tn_sweep *sweep); // from a signal handler or another thread
// Takes over cases of a folder of the same sweep, for example of a shard.
TN_API tn_status tn_sweep_merge(tn_sweep *sweep, const char *folder);
// Writes table.csv, table.h5, summary.json and pictures into the folder, and report.html where
// Tenon is built with pages. Tables of more than 1e8 numbers are written as table.csv alone, which
// a note reports.
TN_API tn_status tn_sweep_write(tn_sweep *sweep);
// The pictures that were written, by their file names within the folder; NULL behind the last.
TN_API const char *tn_sweep_plot(const tn_sweep *sweep, int index);

// The end of a case.
typedef enum tn_case_state {
    TN_CASE_MISSING,
    TN_CASE_DONE,
    TN_CASE_DOUBTFUL,
    TN_CASE_FAILED
} tn_case_state;

// Quantiles of a column: 5, 25, 50, 75 and 95 %.
enum { TN_SWEEP_QUANTILES = 5 };

// One number of all cases that have it.
typedef struct tn_sweep_column {
    const char *name;
    const char *unit;                    // "" for none
    bool varied;                         // a parameter, not an output
    double least, most, mean, deviation; // NAN where no case has one
    int64_t least_at, most_at;           // cases
    // By lines between the values in their order; NAN also for tables of more than 1e8 numbers.
    double quantile[TN_SWEEP_QUANTILES];
} tn_sweep_column;

// Facts of a sweep.
typedef struct tn_sweep_facts {
    const char *directory;
    int64_t cases; // in all
    int64_t done, doubtful, failed, missing;
    int ncolumn;
    const tn_sweep_column *columns; // parameters, then outputs
} tn_sweep_facts;

// Counts and statistics of the cases so far; they live as long as the sweep.
TN_API tn_status tn_sweep_found(tn_sweep *sweep, tn_sweep_facts *out);
// One case: its state, the numbers of all columns and the reason where it is not done.
TN_API tn_status tn_sweep_case(tn_sweep *sweep, int64_t index, tn_case_state *state, double *values,
                               const char **reason);
