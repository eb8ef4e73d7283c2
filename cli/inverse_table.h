// SPDX-License-Identifier: MIT
//
// What `tenon inverse` gathers: a table with one row for each time, its summary by motor, and how
// both are written.

#pragma once

#include "base/array.h"
#include "cli.h"
#include "tenon/inverse.h"

typedef struct cli_inverse_column {
    char *name; // "elbow.effort"
    char *unit; // "N m"
} cli_inverse_column;

typedef struct cli_inverse_motor {
    double max_effort, max_effort_time, rms_effort; // largest by absolute value
    double max_power, max_power_time, rms_power;
    double work;   // done in all [J]
    double unsure; // by how much, where rules for its integral disagree [J]
} cli_inverse_motor;

typedef struct cli_inverse_table {
    const tn_model *model;
    tn_inverse *inverse;
    bool reactions; // of joints, too
    TN_ARRAY(cli_inverse_column) columns;
    TN_ARRAY(double) values; // row by row
    int rows;
    cli_inverse_motor *motor; // sums while rows come, then what they are
    double *work, *rough;     // of each motor in a part of the motion, by two rules
    double *size, *sum;       // the same with all signs positive, and up to the last part
    double potential;         // at the start [J]
    double energy;            // largest kinetic energy and change of the potential one [J]
    int parts;                // since the last row
    bool least_norm;          // at some time
    double missed;            // largest [m, rad]
} cli_inverse_table;

tn_status cli_inverse_begin(cli_inverse_table *t, const tn_model *model, tn_inverse *inverse,
                            bool reactions);
// Moves on, with the work that motors do on the way.
tn_status cli_inverse_move(cli_inverse_table *t, double to);
tn_status cli_inverse_row(cli_inverse_table *t); // at the present time of the inverse
void cli_inverse_end(cli_inverse_table *t);      // the summary is ready
void cli_inverse_free(cli_inverse_table *t);

tn_status cli_inverse_csv(const cli_inverse_table *t, const char *path);
void cli_inverse_print(const cli_inverse_table *t);
tn_status cli_inverse_json(const cli_inverse_table *t, tn_json *json); // members of an object
