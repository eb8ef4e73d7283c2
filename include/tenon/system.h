// SPDX-License-Identifier: MIT
//
// Your own equations: hand over M, f, g, … as C functions, without any bodies, and get every
// formulation and integrator that the built-in models get. The equations are those of
// [Arn16, eq. 44]:
//
//   q' = H(q) v                          by the spaces of which q is made; q' = v without any
//   M(t,q) v' = f(t,q,v,e,r,lambda,eta) - G(t,q,s)^T lambda - N(t,q,s)^T eta
//   0 = g(t,q,s)                         holonomic, ng rows
//   0 = N(t,q,s) v + n0(t,q,s)           nonholonomic, nn rows
//   c' = d(…),  0 = b(…),  0 = h(t,q,s)  extra variables e = (c, w, s)
//   r_{j+1} = a(r_j, …)                  at the times of next_sample
//
// G is dg/dq, with nv columns: G v = g' - dg/dt. With contact point coordinates s it is the total
// derivative, s following q by h = 0: G = g_q - g_s h_s^-1 h_q [Arn16, section 3.2], which is
// formed from the functions given here.
//
// Matrices are column major. Functions return 0 when done, a positive number to ask for a smaller
// step, a negative one to end the run. Missing Jacobians (NULL) are formed by differences, whose
// steps follow the lengths over which g and h change near the start values.

#pragma once

#include "tenon/base.h"

#include <stdbool.h>

// Arguments of the functions; parts that the problem does not have are NULL. So are parts on which
// a function must not depend: v in mass, constraint, jacobian, constraint_t, pfaffian and contact;
// lambda and eta everywhere but in sample, residual_dq and energy, unless lambda_in_force is set.
typedef struct tn_arguments {
    double t;
    const double *q, *v;
    const double *lambda, *eta;
    const double *c, *w, *s, *r;
} tn_arguments;

// The blocks of q; e is a unit quaternion, scalar first, and R(e) takes components along body axes
// to components along fixed ones. Angular velocities w are along body axes.
//
//                         q             v             q' = H(q) v
//   TN_SPACE_LINEAR       n numbers     n numbers     q' = v
//   TN_SPACE_SO3          e (4)         w (3)         e' = e o (0, w) / 2
//   TN_SPACE_SE3          p (3), e (4)  u (3), w (3)  p' = R(e) u,  e' = e o (0, w) / 2
//   TN_SPACE_QUATERNION   e (4)         w (3)         as SO3
//
// In SO3 and SE3 e and -e are the same point, and functions must not tell them apart (a check at
// the start calls them with both); in QUATERNION they are two points. Functions are always given
// unit quaternions.
typedef enum tn_space_kind {
    TN_SPACE_LINEAR,
    TN_SPACE_SO3,
    TN_SPACE_SE3,
    TN_SPACE_QUATERNION
} tn_space_kind;

// One block of q.
typedef struct tn_space {
    tn_space_kind kind;
    int n; // coordinates in q; may be 0 for all but TN_SPACE_LINEAR
} tn_space;

// The equations: sizes and functions. nv is the number of velocities: nq without spaces, and less
// with rotations. Derivatives with respect to q have nv columns, one for each velocity: column j is
// the rate of change while v is the unit vector j, that is along q o exp(dx) at dx = 0. So they are
// neither with respect to the numbers of a quaternion nor, of SE3, to those of p. Functions of
// parts that the problem does not have are NULL.
typedef struct tn_callbacks {
    void *user; // handed to every function
    int nq;     // coordinates
    int nspace; // of `spaces`, which together have nq coordinates; 0: q' = v
    const tn_space *spaces;
    int ng, nn; // holonomic and nonholonomic rows
    int nc, nw, ns, nr;
    bool time_dependent;  // g or h depends on t
    bool lambda_in_force; // f, d or b depends on lambda or eta

    int (*mass)(void *user, const tn_arguments *at, double *M);       // nv x nv
    int (*force)(void *user, const tn_arguments *at, double *f);      // nv
    int (*constraint)(void *user, const tn_arguments *at, double *g); // ng
    int (*jacobian)(void *user, const tn_arguments *at, double *G);   // dg/dq at fixed s, ng x nv;
                                                                      // may be NULL
    int (*constraint_t)(void *user, const tn_arguments *at, double *gt); // dg/dt at fixed q, s;
                                                                         // NULL: by differences
    int (*gamma)(void *user, const tn_arguments *at, double *gamma);     // g'' - G v'; may be NULL
    int (*pfaffian)(void *user, const tn_arguments *at, double *N, double *n0); // nn x nv, nn

    int (*states)(void *user, const tn_arguments *at, double *d);    // nc
    int (*algebraic)(void *user, const tn_arguments *at, double *b); // nw
    int (*contact)(void *user, const tn_arguments *at, double *h);   // ns
    // Optional tangents of contacts, each with everything else fixed: dg/ds (ng x ns), dh/dq
    // (ns x nv) and dh/ds (ns x ns). They save most of the time of evaluations, and with all three
    // G has no error of differences.
    int (*constraint_ds)(void *user, const tn_arguments *at, double *gs);
    int (*contact_dq)(void *user, const tn_arguments *at, double *hq);
    int (*contact_ds)(void *user, const tn_arguments *at, double *hs);
    double (*next_sample)(void *user, double t);                  // after t; NULL: none
    int (*sample)(void *user, const tn_arguments *at, double *r); // updates r in place

    // Optional: the next time after t at which functions of t have a discontinuity, INFINITY for
    // none. Steps end there; at that time itself the functions are those after it.
    double (*next_kink)(void *user, double t);

    // Optional tangents of f, each nv x nv, and of the whole residual
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
    // The first guess for multipliers where forces depend on them: lambda, then eta (ng + nn);
    // NULL: zero. A law that divides by a multiplier needs one.
    const double *lambda0;

    // Names for messages; NULL: "coordinate 0", "block 1, turn about x", "row 0". They and what
    // `user` points to must outlive the simulation.
    const char *const *coordinate_names; // nv, those of velocities
    const char *const *row_names;        // ng + nn
} tn_callbacks;
