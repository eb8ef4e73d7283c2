// SPDX-License-Identifier: MIT
//
// The parts of a sweep (tenon/sweep.h): axes are what is varied (sweep_set.c), samples make the
// values of a case from its number (sweep_sample.c), outputs are taken from a run (sweep_output.c),
// a worker runs cases (sweep_case.c), cases are handed out to workers of this process (sweep_run.c)
// or to ranks of MPI (sweep_ranks.c), and all that has ended is kept in one file (sweep_store.c).

#pragma once

#include "base/array.h"
#include "base/child.h"
#include "monitor/follow.h"
#include "read/model_yaml.h"
#include "tenon/io.h"
#include "tenon/json.h"
#include "tenon/sweep.h"

#include <stdatomic.h>

// Kinds of values of a parameter.
typedef enum sweep_kind {
    SWEEP_FIXED,     // one number or expression for all cases
    SWEEP_LIST,      // one of these values
    SWEEP_RANGE,     // anything from a to b, by logarithms where `log`; equally likely
    SWEEP_NORMAL,    // mean a, standard deviation b
    SWEEP_LOGNORMAL, // its logarithm is normal
    SWEEP_TRIANGLE   // from a over the mode b to c
} sweep_kind;

typedef struct sweep_axis {
    char *name;
    sweep_kind kind;
    char *expression;      // SWEEP_FIXED
    TN_ARRAY(double) list; // SWEEP_LIST
    double a, b, c;
    bool log;
} sweep_axis;

typedef TN_ARRAY(sweep_axis) sweep_axes;

// Reads "k=1e3:1e5:20:log" and the like; `sampled` where cases are drawn, not counted.
tn_status tn_sweep_read_axis(const char *text, bool sampled, sweep_axis *out);
void tn_sweep_free_axes(sweep_axes *axes);

// Ways to make cases.
typedef enum sweep_way { SWEEP_GRID, SWEEP_ROWS, SWEEP_LHS, SWEEP_SOBOL, SWEEP_RANDOM } sweep_way;

typedef struct sweep_sample {
    sweep_way way;
    uint64_t seed;
    int64_t cases;
    int **order; // SWEEP_LHS: a permutation of the cases for each axis
    int naxis;
} sweep_sample;

tn_status tn_sweep_read_sample(const char *text, sweep_sample *out); // "lhs:1000"
// Counts the cases and prepares them.
tn_status tn_sweep_prepare(sweep_sample *sample, const sweep_axes *axes);
void tn_sweep_free_sample(sweep_sample *sample);
// The value of an axis in a case; NAN where it is fixed.
double tn_sweep_value(const sweep_sample *sample, const sweep_axes *axes, int axis, int64_t index);

// Value that is taken from a run.
typedef struct sweep_output {
    char *name;               // of the column
    const tn_reduction *take; // NULL for an event
    bool counts;              // how often it was met, and not when it was first
    char *what;               // channel, expression or event
    char signal[24];          // of the model that stands for an expression, "" for none
    char unit[48];
} sweep_output;

typedef TN_ARRAY(sweep_output) sweep_outputs;

tn_status tn_sweep_read_output(const char *text, int number, sweep_output *out);
void tn_sweep_free_outputs(sweep_outputs *outputs);

// Cases that have ended: one record of fixed size for each, in a file that is whole or cut off.
typedef struct sweep_store {
    int file; // -1 for none
    char *path;
    int values;   // numbers of a case
    char *record; // one
} sweep_store;

enum { SWEEP_REASON = 240 };

typedef struct sweep_ended {
    tn_case_state state;
    double *values; // outputs
    char reason[SWEEP_REASON];
} sweep_ended;

// A case that has ended as bytes, in which it is stored, and comes from processes and ranks: its
// numbers, then the rest. Reading fails where they are none of these.
size_t tn_sweep_record_size(int values);
void tn_sweep_pack(const sweep_ended *ended, int values, char *record);
bool tn_sweep_unpack(const char *record, int values, sweep_ended *out);

// Opens or makes the file of a sweep that its key identifies; another one's is refused unless it
// may be replaced.
tn_status tn_sweep_store_open(const char *path, uint32_t key, int values, bool replace,
                              sweep_store *out);
void tn_sweep_store_close(sweep_store *store);
tn_status tn_sweep_store_put(sweep_store *store, int64_t index, const sweep_ended *ended);
tn_status tn_sweep_store_get(sweep_store *store, int64_t index, sweep_ended *out);

// A picture: curves over one column, a map of two, points of two with colours of a third.
typedef enum sweep_plot_kind { SWEEP_CURVES, SWEEP_MAP, SWEEP_SCATTER } sweep_plot_kind;

typedef struct sweep_plot {
    sweep_plot_kind kind;
    int ncolumn;
    int column[3];
} sweep_plot;

enum { SWEEP_PLOT_NAME = 160 };

typedef struct sweep_drawn {
    char name[SWEEP_PLOT_NAME]; // of the file
} sweep_drawn;

typedef struct sweep_ranks sweep_ranks;

struct tn_sweep {
    tn_sweep_options wanted;     // its texts live as long as the sweep
    const tn_simulate *simulate; // over those of the model where given; NULL for none
    const bool *given;
    char *model_path, *directory;
    tn_document *doc; // the model
    sweep_axes axes;
    sweep_outputs outputs;
    sweep_sample sample;
    sweep_store store;
    int lock;
    sweep_ranks *ranks; // NULL for none
    uint64_t subject;   // mark of the model of the first case, with all files that it names
    uint32_t key;       // of the model and all that is wanted of it
    tn_sweep_column *columns;
    TN_ARRAY(sweep_plot) plots;  // that are wanted
    TN_ARRAY(sweep_drawn) drawn; // and that were written
    double *values;              // of one case, and what it is read with
    char *record;                // one that is sent
    char reason[SWEEP_REASON];
    atomic_int stop;
};

// Runs a case: a run that fails is no failure of this function. `values` are the outputs.
void tn_sweep_run_case(tn_sweep *sweep, int64_t index, sweep_ended *out);
// Makes the first case ready: names and units of outputs.
tn_status tn_sweep_try(tn_sweep *sweep);

int tn_sweep_varied(const tn_sweep *s);                    // parameters that are columns
char *tn_sweep_file(const char *folder, const char *name); // its path; tn_free it
// The cases of a folder of the same sweep.
tn_status tn_sweep_open_store(const char *folder, const tn_sweep *s, bool replace,
                              sweep_store *out);

// The cases that have ended, in memory, by their numbers; tn_sweep_free_rows them.
typedef struct sweep_rows {
    int64_t count;
    long long *index;   // of the case
    signed char *state; // tn_case_state
    char **reason;      // NULL where it is done
    double *values;     // of all columns, row by row
} sweep_rows;

bool tn_sweep_fits(const tn_sweep *sweep); // whether that is a matter of some hundred megabytes
tn_status tn_sweep_load(tn_sweep *sweep, sweep_rows *out);
int tn_sweep_by_size(const void *a, const void *b); // of numbers, for qsort
void tn_sweep_free_rows(sweep_rows *rows);
// Pictures: reads which are wanted, once columns are known, and writes them.
tn_status tn_sweep_read_plots(tn_sweep *sweep);
tn_status tn_sweep_write_plots(tn_sweep *sweep, const tn_sweep_facts *facts,
                               const sweep_rows *rows);

// Cases to be handed out, and what comes back.
typedef struct sweep_queue {
    tn_sweep *sweep;
    int64_t next, ended, all; // case to check; cases that have ended, of so many
} sweep_queue;

sweep_queue tn_sweep_queue(tn_sweep *sweep);
tn_status tn_sweep_queue_next(sweep_queue *q, int64_t *out); // that is missing, -1 for none
tn_status tn_sweep_queue_keep(sweep_queue *q, int64_t index, const sweep_ended *ended);
tn_status tn_sweep_queue_heed(const sweep_queue *q); // fails where a stop is asked for

// Workers that run the cases: processes of this machine, or ranks of MPI. Each runs the cases that
// it has one after the other, in the order in which they are given.
enum { SWEEP_AHEAD = 2 };
typedef struct sweep_hand {
    int n;
    int64_t index[SWEEP_AHEAD];
} sweep_hand;

typedef struct sweep_pool {
    sweep_queue queue;
    int n;
    sweep_hand *hands;
    int64_t out; // cases that have not come back
    tn_status (*give)(struct sweep_pool *p, int i, int64_t index);
    // Takes the result of the first case of worker *i; -1 if none has ended for a while.
    tn_status (*take)(struct sweep_pool *p, int *i, sweep_ended *ended);
} sweep_pool;

// Runs all that is missing, by n workers.
tn_status tn_sweep_work_off(sweep_pool *pool);

// A case for a process that runs cases for this one, in the order in which they are given; starts
// it where there is none.
tn_status tn_sweep_worker_give(tn_sweep *sweep, tn_child *w, int64_t index);
// Waits for what became of the first case that it has, which is its failure where the process has
// died; others that it had are then gone.
void tn_sweep_worker_take(tn_sweep *sweep, tn_child *w, sweep_ended *out);

// Ranks of MPI: all join, prepare the sweep, and agree that they have the same; then they run.
tn_status tn_sweep_join_ranks(tn_sweep *sweep);
tn_status tn_sweep_agree(tn_sweep *sweep, tn_status prepared);
tn_status tn_sweep_run_with_ranks(tn_sweep *sweep);
void tn_sweep_leave_ranks(sweep_ranks *ranks); // NULL is fine
