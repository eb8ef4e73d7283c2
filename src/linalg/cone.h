// SPDX-License-Identifier: MIT
//
// Contacts with Coulomb's friction as complementarity problems over cones, for some 60 of them at
// most: impacts, and which contacts hold, slip or part. Nothing here knows of bodies: a mechanism
// gives W = H M^-1 H^T, projected on its constraints, and what the rows H do without contacts.
//
// Components of y (impulses or forces) and of u (velocities or accelerations of the gap and of
// slip) stand contact after contact: normal, then dim - 1 tangential ones. N is their sum. The
// theory is in docs/theory/contact.md.

#pragma once

#include "base/status.h"

//   u = W y + c,  per contact: K* contains u + (mu |u_T|, 0, 0), normal to y in K, |y_T| <= mu y_N
typedef struct tn_cone_problem {
    int n;            // contacts
    const int *dim;   // n: 1 (without friction), 2 (in the plane), 3 (in space)
    const double *mu; // n; not read where dim is 1
    const double *W;  // N x N, column major, symmetric, positive semidefinite, may be singular
    const double *c;  // N
} tn_cone_problem;

// What is left, relative to the largest |c|.
typedef struct tn_cone_report {
    double signorini; // max |min(W_NN y_N, u_N)|
    double coulomb;   // max W_TT |y_T - nearest point of the disc mu y_N to y_T - u_T / W_TT|
    double cone;      // max W_NN (|y_T| - mu y_N)
    int iterations;   // of Newton's method, over all starts
    bool solved;      // all three are below TN_CONE_BOUND, or below what rounding of W y leaves
} tn_cone_report;

#define TN_CONE_BOUND 1e-10

typedef struct tn_cone tn_cone;
tn_status tn_cone_create(int most, tn_cone **out); // for `most` contacts: 860 most^2 bytes
void tn_cone_destroy(tn_cone *s);

// Solves from y (zero: cold) and leaves impulses and velocities there. Cold it prefers contacts
// that hold: a tip that slips without closing may be stopped by an impulse. Where W is singular
// velocities are unique without friction, impulses are not: those of least norm, by inertia, are
// taken where they lie in the cones. What is not solved says so in the report alone; an error means
// more than `most` contacts, or numbers that are not finite.
tn_status tn_cone_solve(tn_cone *s, const tn_cone_problem *p, double *y, double *u,
                        tn_cone_report *report);

typedef enum { TN_CONE_OPEN, TN_CONE_SLIP, TN_CONE_STICK } tn_cone_mode;

typedef struct tn_cone_choice {
    tn_cone_report report;
    // Solutions that differ in u: 0 none, 2 or more several. They are counted where all modes can
    // be tried, in the plane or where all contacts slip, up to 4096 combinations; otherwise the
    // number is that of solutions found, 0 or 1.
    int solutions;
    bool counted;
    double painleve; // smallest A_ii / W_NN of slipping contacts, A = W_NN - mu W_NT . u_T / |u_T|;
                     // 1 without these. From 0 down there may be none or two [PG96]
    int painleve_at; // the contact; -1 without
} tn_cone_choice;

// Which of the contacts that are closed hold, slip or part: c is what the rows accelerate without
// contacts, y become forces and u accelerations. Slip (N, normal components are not read) is the
// present velocity, or the direction in which a contact is about to slip; one without may begin to
// slip or hold. Of several solutions the one
// with the smallest forces is taken. mode (n) is as u says: TN_CONE_OPEN where the gap accelerates,
// TN_CONE_SLIP or TN_CONE_STICK where it does not, which may be without load.
tn_status tn_cone_modes(tn_cone *s, const tn_cone_problem *p, const double *slip, double *y,
                        double *u, tn_cone_mode *mode, tn_cone_choice *choice);

typedef enum {
    TN_IMPACT_NEWTON,  // u+ + e u- in the place of u, all components [Mor88]
    TN_IMPACT_POISSON, // e y_N of compression comes back in expansion, at least [GP95]
} tn_impact_law;

// Impact: c are velocities before it; e (N) is restitution by component, tangential ones zero for
// Poisson's law. y (zero: cold) becomes the impulses, u velocities after it, gain what kinetic
// energy grows by: never above round-off for one e of all normals without friction.
tn_status tn_cone_impact(tn_cone *s, const tn_cone_problem *p, const double *e, tn_impact_law law,
                         double *y, double *u, tn_cone_report *report, double *gain);
