// SPDX-License-Identifier: MIT
//
// The parts of a table of inverse dynamics (tenon/inverse.h): its motions and motors, its columns,
// and its rows with what is summed between them.

#pragma once

#include "base/array.h"
#include "io/motion_file.h"
#include "tenon/inverse.h"

struct tn_inverse_table {
    const tn_model *model;
    tn_inverse_table_options wanted;
    tn_motion_file motion;
    TN_ARRAY(tn_motor) chosen;
    tn_inverse *inverse;
    double interval; // between rows [s]
    tn_inverse_facts facts;
    TN_ARRAY(tn_inverse_column) columns;
    TN_ARRAY(double) values; // row by row
    tn_motor_summary *motor; // sums while rows come, then what they are
    double *work, *rough;    // of each motor in a part of the motion, by two rules
    double *size, *sum;      // the same with all signs positive, and up to the last part
    double potential;        // at the start [J]
    double energy;           // largest kinetic energy and change of the potential one [J]
    int parts;               // since the last row
};

tn_status tn_inverse_table_begin(tn_inverse_table *t); // columns, and room for sums
// Moves on, with the work that motors do on the way.
tn_status tn_inverse_table_move(tn_inverse_table *t, double to);
tn_status tn_inverse_table_row(tn_inverse_table *t); // at the present time of the inverse
void tn_inverse_table_end(tn_inverse_table *t);      // the summary is ready
