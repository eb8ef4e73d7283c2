// SPDX-License-Identifier: MIT
//
// Shared part of initial.c and initial_told.c: the state of a search for consistent initial values.

#pragma once

#include "linalg/solver.h"
#include "motion/roots.h"
#include "start/initial.h"

struct tn_initial {
    tn_system *sys;
    const tn_sparse *L;
    int n, rows;
    tn_composition matrix;
    tn_solver *solver;
    bool has_metric;          // given, and with it the size
    double size;              // [m]; 1 where no metric is given
    double *unit;             // nv: what counts as 1 of each velocity
    double *scale;            // rows: one over what counts as 1 of each
    double *factor;           // nv
    int *position, *velocity; // rows
    double *rhs;              // n
    double *pressed;          // rows: parts in a residual, or multipliers of the velocity level
    bool guessing;            // rows of guesses have a part
    double near;              // residual of loops that are off by the digits they were typed with
    double eps;               // EPS, or more where Gauss-Newton steps gain nothing
    double *dx, *part, *q1;   // nv, nv, nq
    tn_initial_request *request;
    void *of;
    double *wanted, *step; // nv, nv: of tn_initial_approach
    double *q2;            // nq
    tn_roots extra;        // w and s
    void *block;
};

// 2-norm of the rows that hold, scaled, at q: what a Gauss-Newton step is sure to lower. Leaves g,
// and finds w and s into e.
double tn_initial_residual(tn_initial *s, const tn_point *at, double *e, const double *q);
// The largest residual among `rows`. The first of equals: which of two rows is larger by round-off
// must not decide a message.
double tn_initial_largest(const tn_initial *s, const int *rows, int *where);

// Errors that say which rows stay open, at the best q and e found, or at the least residual of the
// velocities, where `where` is the row that is farthest off.
tn_status tn_initial_cannot_assemble(tn_initial *s, const tn_point *at, const double *q, double *e);
tn_status tn_initial_cannot_move(tn_initial *s, int where);
