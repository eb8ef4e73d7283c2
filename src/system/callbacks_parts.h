// SPDX-License-Identifier: MIT
//
// The inside of a system of user functions, shared by callbacks.c (creation), callbacks_space.c
// (its configuration space), callbacks_scale.c (lengths of differences), callbacks_difference.c,
// callbacks_eval.c (evaluation) and callbacks_check.c (of what the user gives) alone.

#pragma once

#include "system/callbacks.h"

// Work of one difference quotient: the moved arguments and the value of the function.
typedef struct tn_callbacks_scratch {
    double *x, *dx, *e, *y;
} tn_callbacks_scratch;

typedef struct tn_callbacks_system {
    tn_system base;
    tn_system_ops ops; // of this system: some are there only when the user gives the function
    tn_callbacks cb;
    tn_group *group;              // ngroup
    int *group_of;                // nv: the factor of each velocity
    int *sided;                   // ngroup: e and -e of a quaternion are two points
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
    double *length_q, *length_s; // over which constraints change: powers of two, callbacks_scale.c;
                                 // of q along each velocity
    double length_t;
} tn_callbacks_system;

// The configuration space.
tn_status tn_callbacks_check_spaces(const tn_callbacks *cb);
int tn_callbacks_nv(const tn_callbacks *cb); // after the check
int tn_callbacks_ngroup(const tn_callbacks *cb);
void tn_callbacks_take_spaces(tn_callbacks_system *s); // into group and group_of
// `moved`, which is q but for the factor of velocity j, becomes q o exp(by along j) there.
void tn_callbacks_move(const tn_callbacks_system *s, int j, double by, const double *q,
                       double *moved);
// Size of the coordinate that velocity j moves: increments of a rotation begin at zero.
double tn_callbacks_coordinate(const tn_callbacks_system *s, int j, const double *q);
void tn_callbacks_velocity_name(const tn_system *self, int i, char *text, size_t size);

// Difference quotients of a function of the point, of length m.
typedef tn_status (*tn_callbacks_part)(tn_callbacks_system *s, const tn_point *at, double *y);
typedef enum tn_callbacks_argument {
    TN_BY_Q,
    TN_BY_V,
    TN_BY_E,
    TN_BY_LAMBDA,
    TN_BY_ETA
} tn_callbacks_argument;

enum { TN_STEP_EXACT = -17, TN_STEP_MIDDLE = -13, TN_STEP_NESTED = -10 }; // exponents of two

typedef struct tn_callbacks_quotient {
    tn_callbacks_part F;
    int m;        // length of F
    int order;    // 2 or 4
    int exponent; // of the step
    const tn_callbacks_scratch *work;
} tn_callbacks_quotient;

// Columns first … first + count - 1 of dF/dx, into J (m x count).
tn_status tn_callbacks_columns(tn_callbacks_system *s, const tn_callbacks_quotient *d,
                               const tn_point *at, tn_callbacks_argument x, int first, int count,
                               double *J);
// dF/dtau along t + tau, q o exp(tau dx), s + tau ds; directions NULL for zero.
tn_status tn_callbacks_along(tn_callbacks_system *s, const tn_callbacks_quotient *d,
                             const tn_point *at, const double *dx, const double *ds, double *y);

tn_status tn_callbacks_rows(tn_callbacks_system *s, const tn_point *at, double *y); // g, then h
tn_status tn_callbacks_eval(tn_system *self, const tn_point *at, unsigned want);
// The partial derivatives of constraints and contacts, of which a user may give any.
typedef enum tn_callbacks_partial {
    TN_PARTIAL_GQ,
    TN_PARTIAL_GS,
    TN_PARTIAL_HQ,
    TN_PARTIAL_HS,
    TN_PARTIAL_COUNT
} tn_callbacks_partial;
typedef int (*tn_callbacks_function)(void *user, const tn_arguments *at, double *out);
typedef struct tn_partial {
    tn_callbacks_function given; // NULL: by differences
    const char *name;
    bool of_g, by_q; // of g or h, by q or s
    int m, n;        // rows and columns
} tn_partial;
tn_partial tn_callbacks_partial_of(const tn_callbacks_system *s, tn_callbacks_partial which);
// Into J by the user's function, or by differences where there is none or they are asked for.
tn_status tn_callbacks_partials(tn_callbacks_system *s, tn_callbacks_partial which,
                                bool differences, const tn_point *at, double *J);
// dg/dt at fixed q and s (ng) by the user's function, or by differences where there is none; and by
// differences in any case.
tn_status tn_callbacks_constraint_t(tn_callbacks_system *s, const tn_point *at, double *gt);
tn_status tn_callbacks_try_constraint_t(tn_callbacks_system *s, const tn_point *at, double *gt);
// gamma by differences, with the given dg/dq and dg/dt (ng).
tn_status tn_callbacks_try_gamma(tn_callbacks_system *s, const tn_point *at, double *gamma);
void tn_callbacks_energy(tn_system *self, const tn_point *at, tn_energy *out);
double tn_callbacks_next_sample(tn_system *self, double t);
tn_status tn_callbacks_sample(tn_system *self, const tn_point *at, double *r);
