// SPDX-License-Identifier: MIT
//
// The runs that a plot draws channels of: results and tables, found by the words of a user, and
// their numbers.

#pragma once

#include "base/array.h"
#include "tenon/result.h"

typedef struct tn_plot_run {
    tn_result *result;
    bool ours;   // opened here, and closed here
    bool listed; // names without a run mean its channels, too
    char *path;  // as it was named, without the slash at its end
    char *name;  // in legends
    bool sorted; // its times are numbers and do not decrease
    long rows;
    double *time;    // rows; of a table its first column
    long first, end; // rows to draw
    int curves;      // that are drawn of it
} tn_plot_run;

typedef TN_ARRAY(tn_plot_run) tn_plot_run_list;

// One channel of one run; channel TN_PLOT_TIME stands for the time.
enum { TN_PLOT_TIME = -1 };
typedef struct tn_plot_place {
    int run, channel;
} tn_plot_place;
typedef TN_ARRAY(tn_plot_place) tn_plot_place_list;

typedef struct tn_plot_runs {
    tn_plot_run_list run;
    bool trust;
    int time_of;      // run whose unit all times are in, -1 for each in its own
    tn_teller teller; // of what the results warn of
} tn_plot_runs;

void tn_plot_runs_free(tn_plot_runs *runs);

// Adds results that are open, or those at a path, which may be there already; *out is their index.
tn_status tn_plot_runs_take(tn_plot_runs *runs, tn_result *result);
tn_status tn_plot_runs_add(tn_plot_runs *runs, const char *path, bool listed, int *out);
// Names for legends: as short as they stay distinct.
tn_status tn_plot_runs_name(tn_plot_runs *runs);

// The channels of a word, each once: a name, the beginning of names up to a dot or a pattern with
// *, of all listed runs, or of one with its path and a colon before.
tn_status tn_plot_find(tn_plot_runs *runs, const char *word, tn_plot_place_list *out);
// One channel: of one run where the word names it, else with run -1 of every run, to be looked up
// by tn_plot_find_in.
tn_status tn_plot_split(tn_plot_runs *runs, const char *word, int *run, const char **channel);
tn_status tn_plot_find_in(const tn_plot_runs *runs, int run, const char *name, int *channel);

const char *tn_plot_place_name(const tn_plot_runs *runs, tn_plot_place at);
// Units of times that were read: the one that they share.
const char *tn_plot_place_unit(const tn_plot_runs *runs, tn_plot_place at);
const char *tn_plot_place_group(const tn_plot_runs *runs, tn_plot_place at);
const char *tn_plot_place_quantity(const tn_plot_runs *runs, tn_plot_place at); // "position"

// Factor that converts numbers from the unit of one place to that of another. A column that states
// no unit has that of the other; one of another dimension is refused, with `option` before.
tn_status tn_plot_factor(const tn_plot_runs *runs, const char *option, tn_plot_place from,
                         tn_plot_place to, double *out);

// Reads the times of a run, once, in the unit of those of `time_of`.
tn_status tn_plot_times(tn_plot_runs *runs, int run);
// Values in rows first … first + n - 1.
tn_status tn_plot_values(tn_plot_runs *runs, tn_plot_place at, long first, long n, double *out);
// All values of a channel, between its rows by cubic interpolation, at n times; NAN beyond them.
tn_status tn_plot_values_at(tn_plot_runs *runs, tn_plot_place at, long n, const double *times,
                            double *out);
