// SPDX-License-Identifier: MIT
//
// Which rows are left out where rows of C = (B; N) repeat each other. One set does not serve for a
// whole motion, as the rows that are kept may become dependent while the rank is what it was
// [LMO08, remark 5.4]. Left-out row k is a combination of the rows kept, which gives a vector
//
//   C^T z = 0,   z_k = 1,   z_j = -c_kj,   z_i = 0 for other rows i that are left out
//
// In rows relative to their sizes (tn_system.row_size) |z_j| is the factor by which the volume of
// the rows kept grows when k and j change places, so that sets without large coefficients are well
// conditioned [Gu and Eisenstat 1996]. A set is kept while all are moderate; else rows are chosen
// anew, where the z are largest.
//
// The same vectors show which multipliers are equally possible, and so those of minimum norm.

#pragma once

#include "motion/accel.h"

typedef struct tn_row_choice {
    tn_system *sys;
    tn_accel *accel;
    int rows, count;
    int *active;    // rows
    int *left;      // count: the rows that are left out
    double *kernel; // rows x count: z of each
    double *x;      // nv
    double *gram;   // count^2, then a right-hand side
    int *pivot;     // count
    long changes;
    double worst; // largest coefficient at the last check
    void *block;
} tn_row_choice;

// Starts from the set with active[i] = 0 for `count` rows that are left out. Keeps the system and
// the linear system of accelerations, in which it then leaves out the same rows.
tn_status tn_row_choice_create(tn_system *sys, tn_accel *accel, const int *active,
                               tn_row_choice **out);
void tn_row_choice_destroy(tn_row_choice *c);
// Reads the rows that take part, but reports them to nobody.
void tn_row_choice_values(tn_row_choice *c, tn_values *v);

// Looks at the set at a point, and changes it where that is due. Leaves the factors of the point in
// the linear system. In singular positions the set stays as it is.
tn_status tn_row_choice_at(tn_row_choice *c, const tn_point *at);
// The same without a change.
tn_status tn_row_choice_look(tn_row_choice *c, const tn_point *at);
double tn_row_choice_reserve(const tn_row_choice *c); // at the last check, 0 where a change was due

// y (ng + nn) becomes the vector of minimum norm with the same C^T y, at the last point.
void tn_row_choice_share(tn_row_choice *c, double *y);
// The same force by other multipliers, which are zero in the rows that are left out.
void tn_row_choice_settle(const tn_row_choice *c, double *lambda, double *eta);
