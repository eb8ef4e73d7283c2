// SPDX-License-Identifier: MIT
//
// Tables of one or two arguments, which the expressions of a model use as functions by their names:
// torque(speed), thrust(speed, angle). With one argument it is a curve (signal/curve.h), with two
//
//   linear   bilinear in each cell
//   spline   the product of two cubic splines: continuous second derivatives
//
// `hold` holds the arguments at the ends, `linear` goes straight on in each of them, `error` is no
// number there.

#pragma once

#include "signal/curve.h"
#include "signal/range.h"
#include "tenon/model.h"

typedef struct tn_grid {
    const char *name;
    tn_interpolation interpolation;
    tn_beyond beyond;
    int narg, n[2];        // arguments in each direction
    double *at[2];         // n each
    int nknot[2];          // corners of a linear table
    const double *knot[2]; // nknot each
    double *met;           // arguments at which a smooth curve changes; see signal/curve.c
    long nmet;
    tn_curve *curve; // of one argument; else NULL
    double *f[4];    // of two, n[0] x n[1]: values, and f_xx, f_yy, f_xxyy of a spline
} tn_grid;

// The value and its derivatives; those by y are zero where there is one argument.
typedef struct tn_grid_value {
    double f, x, y, xx, xy, yy;
} tn_grid_value;

// Arguments are finite and increase, and there are two at least; else the place of the first that
// is wrong, from 0. The error begins with `what`.
tn_status tn_table_check_arguments(const char *what, int n, const double *list, int *place);

// Errors begin with "table 'name': ". tn_grid_destroy it.
tn_status tn_grid_create(const tn_table_def *def, tn_grid **out);
void tn_grid_destroy(tn_grid *grid); // NULL is fine

// At arguments a (narg). A linear table is in the cell that has so many knots of each direction
// below it. NULL: as the arguments say.
tn_grid_value tn_grid_eval(const tn_grid *grid, const double *a, const int *piece);
// The value between arguments and, of one argument, its two derivatives.
void tn_grid_range(const tn_grid *grid, const tn_interval *a, tn_interval out[3]);
