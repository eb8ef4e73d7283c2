// SPDX-License-Identifier: MIT
//
// Your own equations: hand over M, f, g, … as C functions, without any bodies, and get every
// formulation and integrator that the built-in models get. The equations are those of
// [Arn16, eq. 44] with q' = v on a linear space:
//
//   M(t,q) v' = f(t,q,v,e,r,lambda,eta) - G(t,q,s)^T lambda - N(t,q,s)^T eta
//   0 = g(t,q,s)                         holonomic, ng rows
//   0 = N(t,q,s) v + n0(t,q,s)           nonholonomic, nn rows
//   c' = d(…),  0 = b(…),  0 = h(t,q,s)  extra variables e = (c, w, s)
//   r_{j+1} = a(r_j, …)                  at the times that next_sample tells
//
// G is dg/dq; with contact point coordinates s it is the total derivative, s following q by h = 0:
// G = g_q - g_s h_s^-1 h_q [Arn16, section 3.2], which is formed from the functions given here.
//
// Matrices are column major. Functions return 0 when done, a positive number to ask for a smaller
// step, a negative one to end the run. Missing Jacobians (NULL) are formed by differences, whose
// steps follow the lengths over which g and h change near the start values.

#pragma once

#include "tenon/base.h"

#include <stdbool.h>

// What the functions are given; parts that the problem does not have are NULL. So are parts on
// which a function must not depend: v in mass, constraint, jacobian, constraint_t, pfaffian and
// contact; lambda and eta everywhere but in sample, residual_dq and energy, unless lambda_in_force
// is set.
typedef struct tn_arguments {
    double t;
    const double *q, *v;
    const double *lambda, *eta;
    const double *c, *w, *s, *r;
} tn_arguments;

// The equations: sizes and functions. Functions of parts that the problem does not have are NULL.
typedef struct tn_callbacks {
    void *user; // handed to every function
    int nq;     // coordinates, also the number of velocities
    int ng, nn; // holonomic and nonholonomic rows
    int nc, nw, ns, nr;
    bool time_dependent;  // g or h depends on t
    bool lambda_in_force; // f, d or b depends on lambda or eta

    int (*mass)(void *user, const tn_arguments *at, double *M);       // nq x nq
    int (*force)(void *user, const tn_arguments *at, double *f);      // nq
    int (*constraint)(void *user, const tn_arguments *at, double *g); // ng
    int (*jacobian)(void *user, const tn_arguments *at, double *G);   // dg/dq at fixed s, ng x nq;
                                                                      // may be NULL
    int (*constraint_t)(void *user, const tn_arguments *at, double *gt); // dg/dt at fixed q, s;
                                                                         // NULL: by differences
    int (*gamma)(void *user, const tn_arguments *at, double *gamma);     // g'' - G v'; may be NULL
    int (*pfaffian)(void *user, const tn_arguments *at, double *N, double *n0); // nn x nq, nn

    int (*states)(void *user, const tn_arguments *at, double *d);    // nc
    int (*algebraic)(void *user, const tn_arguments *at, double *b); // nw
    int (*contact)(void *user, const tn_arguments *at, double *h);   // ns
    double (*next_sample)(void *user, double t);                     // after t; NULL: none
    int (*sample)(void *user, const tn_arguments *at, double *r);    // updates r in place

    // Optional: the next time after t at which functions of t have a kink or jump, INFINITY for
    // none. Steps end there; at that time itself the functions are those after it.
    double (*next_kink)(void *user, double t);

    // Optional tangents of f, each nq x nq, and of the whole residual
    // M a - f + G^T lambda + N^T eta with respect to q (a is v').
    int (*force_dv)(void *user, const tn_arguments *at, double *fv);
    int (*residual_dq)(void *user, const tn_arguments *at, const double *a, double *K);

    // Optional energies for the ledger: T + V in energy[0..1], dissipated and supplied power in
    // energy[2..3].
    int (*energy)(void *user, const tn_arguments *at, double energy[4]);

    // Optional events: functions whose sign changes are located; event_stops[i] ends the run.
    int nevent;
    int (*events)(void *user, const tn_arguments *at, double *out); // nevent
    const bool *event_stops;                                        // NULL: none does

    // Start values of the extra variables and sampled states; NULL: zero.
    const double *c0, *w0, *s0, *r0;
    // Where the search for the first multipliers begins, where forces depend on them: lambda, then
    // eta (ng + nn); NULL: zero. A law that divides by a multiplier needs one.
    const double *lambda0;

    // Names for messages; NULL: "coordinate 0", "row 0". They and what `user` points to must
    // outlive the simulation.
    const char *const *coordinate_names; // nq
    const char *const *row_names;        // ng + nn
} tn_callbacks;
