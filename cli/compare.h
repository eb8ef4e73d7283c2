// SPDX-License-Identifier: MIT
//
// The study of `tenon converge` and `tenon compare`, and how it is printed.

#pragma once

#include "cli.h"

typedef struct cli_study {
    const char *model_path;
    char *command;
    tn_model *model;
    tn_simulate simulate;
    tn_compare *compare;
    bool progress;
} cli_study;

// Text on stdout.
void cli_study_print_head(const cli_study *s);
void cli_study_print_orders(const cli_study *s); // converge
void cli_study_print_work(const cli_study *s);   // compare
