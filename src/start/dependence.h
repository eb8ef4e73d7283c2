// SPDX-License-Identifier: MIT
//
// Rows that were left out because they depend on others: whether they hold all the same. With the
// combination C_k = sum_j c_kj C_j of the start, row k holds as long as the others do, unless the
// rows contradict each other: from the start, on position, velocity or acceleration level, or from
// some later time on, as two drives that part [Arn16, section 2.3, (27c), Def. 2]. Then no motion
// satisfies all rows.
//
// A row may miss a part tol of its size (row_size.h), on the other levels of that times the speeds
// of the mechanism, and what the rows that it depends on miss themselves: their drift is for others
// to check.

#pragma once

#include "start/redundancy.h"

typedef enum tn_level {
    TN_LEVEL_POSITION = 1,
    TN_LEVEL_VELOCITY = 2,
    TN_LEVEL_ACCELERATION = 4
} tn_level;

typedef struct tn_violated {
    int row;        // -1: none
    tn_level level; // the first on which it is
    double residual, bound;
} tn_violated;

// Up to this many tolerances a row counts as dependent at the start, and may be off on the way: one
// axis that is off by the tolerance moves the points of a loop by a few times that.
extern const double tn_dependence_rank, tn_dependence_judge;

// Evaluates the rows at t, q, v, e, r (and v' for accelerations) of the point, `levels` being a sum
// of those to check. active (ng + nn) says which rows take part. *speed [1/s] is the largest rate
// of a row relative to its size so far; `since` [s] the time since the start.
tn_status tn_dependence_judge_rows(tn_system *sys, const tn_point *at, const tn_redundancy *r,
                                   const int *active, double tol, unsigned levels, double since,
                                   double *speed, tn_violated *out);
// Which rows it depends on at the point: "drive 'd1', row …, joint 'A', row x and 3 more". Those
// that time moves come first. Allocates.
tn_status tn_dependence_text(tn_system *sys, const tn_point *at, const tn_redundancy *r,
                             const int *active, int row, char *text, size_t size);
// The same rows contradict each other at the start: the error that says so.
tn_status tn_dependence_fail_start(tn_system *sys, const tn_point *at, const tn_redundancy *r,
                                   const int *active, const tn_violated *v);
