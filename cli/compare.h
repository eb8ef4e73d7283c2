// SPDX-License-Identifier: MIT
//
// What `tenon converge` and `tenon compare` share: options, methods and settings of a study, its
// runs, and how it is printed.

#pragma once

#include "cli.h"

// Rows of the option tables of both commands.
#define CLI_STUDY_OPTIONS                                                                       \
    CLI_OPTION(tn_compare_options, "methods", methods, TEXT, "LIST",                            \
               "methods with commas between, for example bdf/ggl,galpha/ggl"),                  \
        CLI_OPTION(tn_compare_options, "tols", tols, TEXT, "LIST",                              \
                   "tolerances rtol with commas between"),                                      \
        CLI_OPTION(tn_compare_options, "steps", steps, TEXT, "LIST",                            \
                   "fixed steps [s] with commas between"),                                      \
        CLI_OPTION(tn_compare_options, "levels", levels, INTEGER, "",                           \
                   "how many tolerances or steps to make of one", .range = TN_AT_LEAST_ONE),    \
        CLI_OPTION(tn_compare_options, "reference", reference, TEXT, "DIR",                     \
                   "results of 'tenon run' to compare with; auto makes a tight run by itself"), \
        CLI_OPTION(tn_compare_options, "points", points, INTEGER, "",                           \
                   "compare at so many times, by dense output, not only at the end",            \
                   .range = TN_AT_LEAST_ONE),                                                   \
        CLI_OPTION(tn_compare_options, "patience", patience, NUMBER, "s",                       \
                   "time after which a run is given up; 0 for never", .range = TN_NONNEGATIVE), \
        CLI_OPTION(tn_compare_options, "trust", trust, BOOL, "",                                \
                   "read a reference without checksums all the same", .needs = "reference")

typedef struct cli_study {
    const char *model_path;
    char *command;
    tn_model *model;
    tn_simulate simulate;
    tn_compare *compare;
    bool progress;
} cli_study;

extern const char *const cli_study_instead[][2]; // see cli_command
// Reads the model and makes the whole comparison.
tn_status cli_study_make(cli_study *s, const cli_command *command, const cli_args *args,
                         tn_compare_options *wanted);
void cli_study_free(cli_study *s);

// Text on stdout.
void cli_study_print_head(const cli_study *s);
void cli_study_print_orders(const cli_study *s); // converge
void cli_study_print_work(const cli_study *s);   // compare
tn_status cli_study_json(const cli_study *s);
