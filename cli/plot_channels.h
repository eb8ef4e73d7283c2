// SPDX-License-Identifier: MIT
//
// The parts of `tenon plot`: channels by name, and their values as the panels of a plot, one for
// each unit.

#pragma once

#include "base/array.h"
#include "cli.h"
#include "io/plot.h"
#include "io/result.h"

typedef struct cli_curve {
    int channel;
    int n;         // points that are kept
    long count;    // rows it was read from
    long unplaced; // of these, numbers that a log axis has no place for
    long numbers;  // of these, numbers at all
    double *x, *y; // n
} cli_curve;

typedef struct cli_panel {
    const char *unit, *group;
    char *label;  // of its y axis, NULL for none
    int first, n; // series
} cli_panel;

typedef struct cli_curves {
    TN_ARRAY(cli_curve) curve; // by panel
    TN_ARRAY(cli_panel) panel;
    tn_plot_series *series;
    tn_plot_panel *panels;
    long rows;       // in the stretch of time
    double from, to; // its first and last time [s]
} cli_curves;

void cli_curves_free(cli_curves *curves);

// Adds the channels of a word: a name, the beginning of names up to a dot, or a pattern with *.
// `dir` is how the user called the results, for messages.
tn_status cli_curves_add(cli_curves *curves, const tn_result *result, const char *dir,
                         const char *word);
// Reads the values between two times, NaN for the ends of the run. Long runs are thinned for a
// picture of `width` pixels.
tn_status cli_curves_read(cli_curves *curves, tn_result *result, double from, double to, bool log,
                          int width);
// Sorts the curves into panels and makes them part of the plot; they must outlive it.
tn_status cli_curves_arrange(cli_curves *curves, const tn_result *result, bool log, tn_plot *plot);
