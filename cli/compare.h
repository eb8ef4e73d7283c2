// SPDX-License-Identifier: MIT
//
// What `tenon converge` and `tenon compare` share: options, methods and settings of a study, its
// runs, and how it is printed.

#pragma once

#include "cli.h"
#include "io/study_io.h"

typedef struct cli_study_options {
    const char *methods, *tols, *steps, *reference;
    int levels, points;
    double patience;
    bool trust;
} cli_study_options;

// Rows of the option tables of both commands; the struct `type_name` has a member `study`.
#define CLI_STUDY_OPTIONS(type_name)                                                              \
    CLI_OPTION(type_name, "methods", study.methods, TEXT, "LIST",                                 \
               "methods with commas between, for example bdf/ggl,galpha/ggl"),                    \
        CLI_OPTION(type_name, "tols", study.tols, TEXT, "LIST",                                   \
                   "tolerances rtol with commas between"),                                        \
        CLI_OPTION(type_name, "steps", study.steps, TEXT, "LIST",                                 \
                   "fixed steps [s] with commas between"),                                        \
        CLI_OPTION_WITH(type_name, "levels", study.levels, INTEGER, "",                           \
                        "how many tolerances or steps to make of one", .range = TN_AT_LEAST_ONE), \
        CLI_OPTION(type_name, "reference", study.reference, TEXT, "DIR",                          \
                   "results of 'tenon run' to compare with; auto makes a tight run by itself"),   \
        CLI_OPTION_WITH(type_name, "points", study.points, INTEGER, "",                           \
                        "compare at so many times, by dense output, not only at the end",         \
                        .range = TN_AT_LEAST_ONE),                                                \
        CLI_OPTION_WITH(type_name, "patience", study.patience, NUMBER, "s",                       \
                        "time after which a run is given up; 0 for never",                        \
                        .range = TN_NONNEGATIVE),                                                 \
        CLI_OPTION_WITH(type_name, "trust", study.trust, BOOL, "",                                \
                        "read a reference without checksums all the same", .needs = "reference")

enum { CLI_MOST_SETTINGS = 64 };

typedef struct cli_settings {
    int count;
    double value[CLI_MOST_SETTINGS]; // decreasing
} cli_settings;

typedef struct cli_study {
    const char *kind; // "converge" or "compare"
    const char *model_path;
    char *command;
    tn_model *model;
    tn_simulate simulate;
    tn_study *study;
    int nmethod;
    char *names; // memory of methods from the command line
    const char *method[TN_MOST_METHODS];
    double own[TN_MOST_METHODS]; // tolerance or step of a method alone; 0: all of the lists
    cli_settings tols, steps;
    bool always_fixed, always_controlled; // whatever the integrator would do by itself
    int points;                           // asked for; 0: none
    bool shared;                          // compared at steps that all runs share
    int done, total;                      // runs, for the progress
    bool progress;
} cli_study;

// Reads the options and the model, chooses methods and settings, checks their names and makes the
// reference.
extern const char *const cli_study_instead[][2]; // see cli_command
tn_status cli_study_prepare(cli_study *s, const cli_args *args, const cli_study_options *wanted);
tn_status cli_study_run(cli_study *s);
void cli_study_free(cli_study *s);
// How a method is run.
bool cli_study_is_fixed(const cli_study *s, const char *method);

// Text on stdout.
void cli_study_print_head(const cli_study *s);
void cli_study_print_orders(const cli_study *s); // converge
void cli_study_print_work(const cli_study *s);   // compare
tn_status cli_study_json(const cli_study *s);
