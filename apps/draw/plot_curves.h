// SPDX-License-Identifier: MIT
//
// The curves of a plot of runs: which channels, their numbers, and the panels that they share.

#pragma once

#include "draw/plot_parts.h"
#include "draw/plot_runs.h"

typedef struct tn_plot_curve {
    tn_plot_place at, x_at; // what goes up, and what goes along
    tn_plot_run *minus;     // run that is subtracted, NULL for none
    double sign;            // of what is left then
    int order;              // in which it was asked for
    char *legend;           // NULL for none
    int n;                  // points that are kept
    long count;             // rows it was read from
    long numbers;           // of these, numbers at all
    long unplaced;          // of these, numbers that a log axis has no place for
    long unplaced_x;        // the same along
    long shown;             // rows that have a place
    double *x, *y;          // n
} tn_plot_curve;

typedef struct tn_plot_group {
    const char *unit, *group;
    char *label;  // of its y axis, NULL for none
    int first, n; // curves
    bool minus;   // that are differences of two runs
} tn_plot_group;

typedef struct tn_plot_curves {
    tn_plot_runs runs;
    TN_ARRAY(tn_plot_curve) curve; // by panel
    TN_ARRAY(tn_plot_group) panel;
    tn_plot_series *series;
    tn_plot_panel *panels;
    double *guides;         // points of lines of slopes, and their labels behind them
    tn_plot_run *reference; // run that is subtracted, NULL for none
    int drawn;              // runs that have curves
    int ndifference;        // curves that are differences of two runs, the last ones as asked for
    tn_plot_run *two[2];    // these runs
    long rows;              // in the stretch of time, of all runs
    double from, to;        // its first and last time [s]
} tn_plot_curves;

// Curves of what two runs differ by, for those that are there, at the times of the one that has
// more rows. Channels that one of them does not have are reported.
tn_status tn_plot_add_differences(tn_plot_curves *curves, const tn_plot_options *options);
// Values between two times, thinned for a picture of `width` pixels.
tn_status tn_plot_read_curves(tn_plot_curves *curves, const tn_plot_options *options, int width);
// Lines of slopes below the curves of each panel.
tn_status tn_plot_add_slopes(tn_plot_curves *curves, const tn_plot_options *options,
                             const tn_plot *plot);
