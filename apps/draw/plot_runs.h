// SPDX-License-Identifier: MIT
//
// The runs that a plot draws channels of: results and tables, found by the words of a user, and
// their numbers.

#pragma once

#include "base/array.h"
#include "tenon/result.h"

typedef struct tn_plot_run {
    tn_result *result;
    const tn_result_info *about;
    bool ours;   // opened here, and closed here
    bool listed; // names without a run mean its channels, too
    char *path;  // as it was named, without the slash at its end
    char *name;  // in legends
    bool sorted; // its times are numbers and do not decrease
    long rows;
    double *time;     // rows; of a table its first column
    const char *unit; // of the times; once they are read, that which all share
    long first, end;  // rows to draw
    int curves;       // that are drawn of it
} tn_plot_run;

typedef TN_ARRAY(tn_plot_run *) tn_plot_run_list;

// One channel of one run; channel TN_PLOT_TIME stands for the time.
enum { TN_PLOT_TIME = -1 };
typedef struct tn_plot_place {
    tn_plot_run *run;
    int channel;
} tn_plot_place;
typedef TN_ARRAY(tn_plot_place) tn_plot_place_list;

typedef struct tn_plot_runs {
    tn_plot_run_list run;
    bool trust;
    const tn_plot_run *time_of; // whose unit all times are in, NULL for each in its own
    tn_teller teller;           // of what the results warn of
} tn_plot_runs;

void tn_plot_runs_free(tn_plot_runs *runs);

// Adds results that are open, or those at a path, which may be there already.
tn_status tn_plot_runs_take(tn_plot_runs *runs, tn_result *result);
tn_status tn_plot_runs_add(tn_plot_runs *runs, const char *path, bool listed, tn_plot_run **out);
// Names for legends: as short as they stay distinct.
tn_status tn_plot_runs_name(tn_plot_runs *runs);

// The channels of a word, each once: a name, the beginning of names up to a dot or a pattern with
// *, of all listed runs, or of one with its path and a colon before.
tn_status tn_plot_find(tn_plot_runs *runs, const char *word, tn_plot_place_list *out);
// One channel: of one run where the word names it, else with NULL of every run, to be looked up by
// tn_plot_find_in.
tn_status tn_plot_split(tn_plot_runs *runs, const char *word, tn_plot_run **run,
                        const char **channel);
tn_status tn_plot_find_in(const tn_plot_runs *runs, const tn_plot_run *run, const char *name,
                          int *channel);

const char *tn_plot_place_name(tn_plot_place at);
const char *tn_plot_place_unit(tn_plot_place at);
const char *tn_plot_place_group(tn_plot_place at);
const char *tn_plot_place_quantity(tn_plot_place at); // "position"

// Factor that converts numbers from the unit of one place to that of another. A column that states
// no unit has that of the other; one of another dimension is refused, with `option` before.
tn_status tn_plot_factor(const char *option, tn_plot_place from, tn_plot_place to, double *out);

// Reads the times of a run, once, in the unit of those of `time_of`.
tn_status tn_plot_times(const tn_plot_runs *runs, tn_plot_run *run);
// Values in rows first … first + n - 1.
tn_status tn_plot_values(const tn_plot_runs *runs, tn_plot_place at, long first, long n,
                         double *out);
// All values of a channel, between its rows by cubic interpolation, at n times; NAN beyond them.
tn_status tn_plot_values_at(const tn_plot_runs *runs, tn_plot_place at, long n, const double *times,
                            double *out);
