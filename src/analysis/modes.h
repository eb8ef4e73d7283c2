// SPDX-License-Identifier: MIT
//
// Shared parts of the files of modes: modes.c (creation, order, read-out), modes_dense.c,
// modes_states.c and modes_sparse.c (eigenvalues), campbell.c (modes over a parameter). See
// docs/theory/modes.md.

#pragma once

#include "analysis/equilibrium.h"
#include "tenon/modes.h"

struct tn_modes {
    tn_modes_options options;
    const tn_model *given;
    tn_equilibrium *state; // linearised
    bool at_most;          // the count is no more than a request
    int wanted;
    tn_modes_facts facts;
    bool by_states;   // values come from a state space
    bool zeros_known; // values that are zero are exactly so
    double shift;     // c at which values were found, about the slowest that is not rigid
    // Values s and vectors x of exp(s t) x in units of the model; im >= 0.
    int n, room;
    tn_mode *mode;
    double *shape; // n x (re, im) of nv each
    double *share; // n x bodies
};

// Adds a value of s^2 M x + s D x + K x = 0, in units of the model; xi is NULL where it is zero.
tn_status tn_modes_add(tn_modes *m, double re, double im, const double *xr, const double *xi);
// The same by mu = -s^2.
tn_status tn_modes_add_square(tn_modes *m, double mu, const double *x);

// Returns true if x^H K x of mode i, as added, is more than round-off.
bool tn_modes_is_held(tn_modes *m, int i);

// Norms of a column of stiffness and inertia: their ratio is about the largest |s|^2.
double tn_modes_largest_square(const tn_modes *m);

// The shape of a mode: real part (nv), and behind it the imaginary one.
double *tn_modes_shape(const tn_modes *m, int i);

// tn_modes_create, with an input of the model at a value (NULL: none), and with fewer modes where
// there are fewer.
typedef struct tn_modes_case {
    const char *input;
    double value;
    bool at_most;
} tn_modes_case;
tn_status tn_modes_create_case(const tn_model *model, const tn_modes_options *options,
                               const tn_modes_case *at, tn_modes **out);

// The roads. They add at least the slowest modes, as many as are wanted.
tn_status tn_modes_dense(tn_modes *m);
tn_status tn_modes_sparse(tn_modes *m);
tn_status tn_modes_states(tn_modes *m); // with states, rows of velocities and forces by reactions
tn_status tn_modes_fail_motion(tn_modes *m, const double *x); // neither inertia nor stiffness
