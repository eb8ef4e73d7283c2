// SPDX-License-Identifier: MIT
//
// DISCRETE view: one interval of a discrete principle of motion, for systems on a linear space with
// a constant mass matrix (docs/theory/variational.md). With u = (q1 - q0) / h
//
//   b(u) + A^T J = 0     balance of momenta at the node t0, J the impulse of the constraints
//   g(t1, q1)    = 0
//
// The integrator knows b with its derivative and where A, the rows of B that carry the impulse, is
// evaluated; the formulation knows the unknowns y that are left and how they are solved for. Each
// is one file: formulations are tables of functions, tn_discrete_ops.

#pragma once

#include "formulation/formulation.h"

typedef struct tn_discrete tn_discrete;

// Derivative of the balance of momenta in terms of the blocks as last evaluated,
// db/du = M + d D + k K.
typedef struct tn_balance {
    double d, k;
} tn_balance;

// Of a formulation. The system has been evaluated for what a function uses: B and g at the end
// point, the blocks of tn_balance where the integrator has them.
typedef struct tn_discrete_ops {
    tn_status (*open)(tn_discrete *d); // sets n, takes memory and matrices into d->form
    void (*close)(tn_discrete *d);     // also of what is half open
    tn_status (*carry)(tn_discrete *d, const tn_point *at); // A has changed; NULL: nothing to do
    void (*predict)(const tn_discrete *d, const double *u, const double *J, double *y);
    void (*move)(const tn_discrete *d, const double *y, double *u); // u that belongs to y
    void (*residual)(const tn_discrete *d, const double *y, const double *b, double *r);
    tn_status (*factor)(tn_discrete *d, const double *y, const tn_balance *at);
    void (*solve)(tn_discrete *d, double *r); // the Newton step
    // ng, 0 for rows left out; b is the balance at y.
    void (*impulse)(const tn_discrete *d, const double *y, const double *b, double *J);
    void (*name)(const tn_discrete *d, int i, char *text, size_t size); // of unknown i
    const char *(*solver)(const tn_discrete *d);
} tn_discrete_ops;

struct tn_discrete {
    tn_system *sys;
    const tn_discrete_ops *ops;
    void *form;    // of the formulation
    int n;         // unknowns
    double h;      // of the interval
    int *active;   // ng: 1, or 0 for rows that repeat others and are left out
    double *carry; // A: values in the pattern of block B
    void *block;
};

// Refuses systems on other than linear spaces, with a mass matrix that is not constant (compared at
// the point and away from it), or with parts that the principle does not cover.
tn_status tn_discrete_create(tn_system *sys, const tn_formulation *formulation, const tn_point *at,
                             const int *active, tn_discrete **out);
void tn_discrete_destroy(tn_discrete *d);

// The first factorisation takes memory: here, as in an interval of length h from the point.
tn_status tn_discrete_warm_up(tn_discrete *d, const tn_point *at, double h);

// Block B as last evaluated, at the point, carries the impulse from now on.
tn_status tn_discrete_carry(tn_discrete *d, const tn_point *at);
// y += s A^T J
void tn_discrete_apply(const tn_discrete *d, double s, const double *J, double *y);
