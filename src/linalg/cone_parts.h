// SPDX-License-Identifier: MIT
//
// The problem in units of its own, for cone.c and cone_modes.c: W of a contact is about one, and c
// is one at most. A contact that slips in a known direction has one unknown, its normal component.

#pragma once

#include "linalg/cone.h"
#include "linalg/lemke.h"

struct tn_cone {
    int most;            // contacts
    void *block;         // what follows
    int n, N;            // contacts, unknowns
    int *dim;            // n
    int *at;             // n: first unknown of a contact
    int *from;           // n: its first component in the problem of the caller
    double *mu;          // n
    double *least;       // n: y_N of expansion is at least that
    double *scale;       // n: of y; u has its reciprocal
    double *lean;        // by component of the caller: y_T per y_N where slip is known
    double *r;           // N: factors of u beside y
    double *A, *c;       // N x N, N
    double unit;         // of both u and y
    double *y, *u, *phi; // N
    double *step, *trial, *best, *swept, *tau; // N
    double *J, *R, *work;                      // N x N twice; lwork
    int *jpvt, *slot;                          // N; unknowns of the linear problem
    int lwork;
    int iterations;
    tn_lemke lemke;
    double *M, *q, *z; // of the linear problem
    double *impact;    // of impacts: 3 N + n of the caller
};

// Takes the problem over. Slip (or NULL) fixes directions of friction; least (n, or NULL) are least
// normal components, in units of the caller.
tn_status tn_cone_pose(tn_cone *s, const tn_cone_problem *p, const double *slip,
                       const double *least, const double *y);
void tn_cone_search(tn_cone *s); // from s->y to s->y
// The solution in units of the caller.
void tn_cone_return(const tn_cone *s, const tn_cone_problem *p, double *y, double *u);
// Residuals; contacts with slip are judged by their normal components.
tn_cone_report tn_cone_judge(const tn_cone *s, const tn_cone_problem *p, const double *y,
                             const double *u);
int tn_cone_rows(const tn_cone_problem *p); // N
