// SPDX-License-Identifier: MIT
//
// The inside of a system of user functions, shared by callbacks.c (creation), callbacks_scale.c
// (lengths of differences) and callbacks_eval.c (evaluation) alone.

#pragma once

#include "system/callbacks.h"

// What one difference quotient writes to: the moved arguments and the value of the function.
typedef struct tn_callbacks_scratch {
    double *x, *e, *y;
} tn_callbacks_scratch;

typedef struct tn_callbacks_system {
    tn_system base;
    tn_system_ops ops; // of this system: some are there only when the user gives the function
    tn_callbacks cb;
    tn_group group;
    bool rheonomic;               // g or h depends on t
    bool nested;                  // B or gdot is made by differences
    unsigned parts;               // of the stack, in the sweep that is running
    tn_callbacks_scratch in, out; // of differences inside and outside of B and gdot
    double *M, *f;                // at moved points
    double *B, *N, *n0;           // at the last point
    double *gs, *hs, *sq;         // g_s, factors of h_s, h_s^-1 h_q
    int *pivot;                   // of hs
    double *h, *st;               // ns each: h or s'; h_s^-1 h_t
    double *J;                    // a sweep of the stack
    double *length_q, *length_s;  // over which constraints change: powers of two, callbacks_scale.c
    double length_t;
} tn_callbacks_system;

tn_status tn_callbacks_rows(tn_callbacks_system *s, const tn_point *at, double *y); // g, then h
tn_status tn_callbacks_eval(tn_system *self, const tn_point *at, unsigned want);
void tn_callbacks_energy(tn_system *self, const tn_point *at, tn_energy *out);
double tn_callbacks_next_sample(tn_system *self, double t);
tn_status tn_callbacks_sample(tn_system *self, const tn_point *at, double *r);
