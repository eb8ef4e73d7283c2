// SPDX-License-Identifier: MIT
//
// Results of runs: reading them, drawing them and the page that shows them. Every number of a row
// is a channel with a name as in result.csv, for example "crank.position.x". Rows are read in
// blocks: a long run is never held in memory.
//
// A file of a run that goes on, was stopped or was killed opens with the rows it has. One that is
// cut short or damaged fails with a sentence. Parts that are missing are left out and reported by
// tn_result_warning. One thread at a time may use a result; texts live until it is closed.

#pragma once

#include "tenon/base.h"
#include "tenon/equilibrium.h"
#include "tenon/model.h"

#include <stdbool.h>

// Results that are open; tn_result_close them.
typedef struct tn_result tn_result;

// One number of every row.
typedef struct tn_result_channel {
    const char *name;  // "crank.position.x", "pin.force.x", "energy.kinetic", "residuals.g", "step"
    const char *group; // "bodies", "joints", "state", "energy", "momentum", "residuals", "run",
                       // "table"
    const char *unit;  // "" for none
    int dataset;       // index of its dataset in the file
    int column;        // in a row of the dataset
    int owner;         // index of the body or joint; -1 when it belongs to none
} tn_result_channel;

// The origin of results.
typedef struct tn_result_info {
    const char *named;      // the argument of tn_result_open
    const char *path;       // of the file
    const char *directory;  // that the file is in, "." for the working directory
    const char *model;      // path of the model file, "" when there was none
    const char *method;     // "galpha/ggl@absolute"
    const char *outcome;    // "done", "stopped", "failed: reason" or "running"
    const char *version;    // of the Tenon that wrote it
    int nbody, njoint;      // without the ground; with couplings; 0 for user equations
    bool is_table;          // columns of a table instead of a run
    const char *along;      // "time", of a table the name of its first column
    const char *along_unit; // "s", of a table that of its first column, "" for none
} tn_result_info;

// Opens the journal or result.h5 of a folder, or the file itself. A journal has checksums of its
// own; those of result.h5 are in the summary beside it, and without them it opens only when it is
// trusted. On failure *out is NULL.
TN_API tn_status tn_result_open(const char *path, bool trust, tn_result **out);
// The same with a table of comma separated values: a line with the names of the columns, units in
// brackets behind them ("step [s]"), then rows. The first column stands in place of the time, the
// others are channels; fields that are no numbers are NAN. "FILE.csv:COLUMN=TEXT" takes the rows
// that have this text, or number, in that column; more conditions stand behind &.
TN_API tn_status tn_result_open_table(const char *path, tn_result **out);
// True if a path names results of a run, or a table that ends with .csv.
TN_API bool tn_result_is_there(const char *path);
TN_API void tn_result_close(tn_result *result); // NULL is fine

TN_API const tn_result_info *tn_result_about(const tn_result *result); // their origin
TN_API long tn_result_rows(const tn_result *result);                   // number of rows
TN_API const char *tn_result_source(const tn_result *result); // text of the model; NULL: not stored
// Sentences on parts that are missing.
TN_API int tn_result_warning_count(const tn_result *result);
TN_API const char *tn_result_warning(const tn_result *result, int i);

// Channels, in the order of the columns of result.csv, time left out.
TN_API int tn_result_channel_count(const tn_result *result);
TN_API const tn_result_channel *tn_result_channel_at(const tn_result *result, int channel);
// The channel of a name; an unknown name is an error that names the nearest one.
TN_API tn_status tn_result_find(const tn_result *result, const char *name, int *out);

// Rows first … first + n - 1, which must be there: times [s], and values of a channel.
TN_API tn_status tn_result_time(tn_result *result, long first, long n, double *out);
TN_API tn_status tn_result_read(tn_result *result, int channel, long first, long n, double *out);

// Whole datasets, "bodies/position" for example: `width` numbers in a row. Index -1 where there is
// none of that path.
typedef struct tn_result_dataset {
    const char *path;
    int width;
} tn_result_dataset;
// The dataset of an index from 0 on; NULL for none.
TN_API const tn_result_dataset *tn_result_dataset_at(const tn_result *result, int dataset);
// The index of the dataset of a path.
TN_API int tn_result_dataset_find(const tn_result *result, const char *path);
// Reads rows first to first + n - 1 of a dataset, row by row.
TN_API tn_status tn_result_read_rows(tn_result *result, int dataset, long first, long n,
                                     double *out);

// The data of a picture beside the motion, as JSON (docs/formats/result.md); NULL: not stored.
TN_API const char *tn_result_scene(const tn_result *result);

// The state of the model in the row whose time is nearest to t; NAN: in the last one. Bodies,
// states, unknowns, sampled values and signals go by their names. tn_saved_state_free it; on
// failure *out is NULL.
TN_API tn_status tn_result_state(tn_result *result, const tn_model *model, double t,
                                 tn_saved_state **out);
TN_API void tn_saved_state_free(tn_saved_state *state); // NULL is fine

// Plots -------------------------------------------------------------------------------------------

// The appearance of a plot.
typedef struct tn_plot_options {
    const char *title; // above the picture; NULL for none
    int width, height; // [pixels], both or none
    double from, to;   // times to show [s], of tables alone in the unit of the first; NAN for all
    bool log;          // logarithmic axes for the values
    tn_teller teller;  // receives notes on curves that are not shown whole
    const char *x;     // channel that goes along, or RUN:CHANNEL; NULL for the time
    bool log_x;        // logarithmic axis for the abscissa
    bool equal;        // equal scales of both axes
    bool points;       // marks instead of lines
    bool absolute;     // absolute values
    int nslope;        // with both axes logarithmic, lines to compare with:
    const double *slopes;
    const char *difference;        // path of a run whose values are subtracted; NULL for none
    bool differences;              // of two runs over time: their differences, in panels below
    const char *x_label, *y_label; // in place of names and units; NULL for these
    int nlabel;                    // texts of the legend, of all curves or of all runs:
    const char *const *labels;
    const char *plane; // of snapshots: "xy", "xz", …; NULL: by the motion
    int npath;         // of snapshots: bodies and joints whose ways are drawn, too:
    const char *const *paths;
    bool trust; // read results without checksums all the same
} tn_plot_options;

// Facts of a plot that was drawn.
typedef struct tn_plotted {
    int width, height; // [pixels]
    long rows;         // of all runs
    double from, to;   // range of the abscissa; NAN for tables in no order
    bool timed;        // the abscissa is the time [s]
    int nrun;
    int nchannel;
    int *channels; // panel by panel
    char **names;  // of these, "RUN:CHANNEL" where there are several runs
    double *times; // of snapshots: those of the rows that were drawn, as many as rows [s]
} tn_plotted;

// The whole run on linear axes, in a size that fits the panels.
TN_API tn_plot_options tn_default_plot(void);
// Draws channels over time into FILE.svg, FILE.png or FILE.pdf, one panel for each unit; a file
// that exists is replaced. A name is that of one channel, else the beginning of names up to a dot
// ("crank.position", "energy") or a pattern with *. Options may be NULL; so may `out`, which
// tn_plotted_free frees.
TN_API tn_status tn_result_plot(tn_result *result, int n, const char *const *names,
                                const tn_plot_options *options, const char *path, tn_plotted *out);
// The same with runs by their paths: folders, files and tables. A name without a run stands for the
// channels of all of them; "RUN:CHANNEL" is of that one, which need not be among them.
TN_API tn_status tn_runs_plot(int nrun, const char *const *runs, int n, const char *const *names,
                              const tn_plot_options *options, const char *path, tn_plotted *out);
// Draws the mechanism at n times [s] in one picture, later ones darker: outlines of shapes, links
// of bodies without, joints, springs and beams, projected onto a plane. The rows nearest to the
// times are drawn; labels are in the order of the times as given. Options of axes and curves are
// not read; from and to choose the times of the ways.
TN_API tn_status tn_result_snapshots(tn_result *result, int n, const double *times,
                                     const tn_plot_options *options, const char *path,
                                     tn_plotted *out);
TN_API void tn_plotted_free(tn_plotted *plotted); // NULL is fine

// Reports -----------------------------------------------------------------------------------------

// TN_OK when this Tenon was built with the page of reports, else a sentence that says how to get
// it.
TN_API tn_status tn_report_check(void);
// Settings for a page; {0} is fine.
typedef struct tn_report_options {
    const char *path; // NULL: report.html in the folder of the results; "-": the standard output
    int nsnapshot;    // times at which the mechanism is drawn as well, all in one picture:
    const double *snapshots; // within the run [s]
    int nover;               // runs that are laid over the first, up to TN_REPORT_RUNS - 1: all
    tn_result *const *over;  // move, with their differences from the first
} tn_report_options;

enum { TN_REPORT_RUNS = 8 }; // that a page has at most

// Writes the page of a run, with animation, plots and ledger, which any browser opens from disk.
// Options may be NULL. Notes report data that the page cannot show. *written is the path
// (tn_text_free it); may be NULL.
TN_API tn_status tn_report_write(tn_result *result, const tn_report_options *options,
                                 tn_teller teller, char **written);
