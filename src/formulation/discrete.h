// SPDX-License-Identifier: MIT
//
// DISCRETE view: one interval of a discrete principle of motion, for systems on a linear space with
// a constant mass matrix (docs/theory/variational.md). With u = (q1 - q0) / h
//
//   b(u) + A^T J = 0     balance of momenta over the interval, J the impulse of the constraints
//   g(t1, q1)    = 0
//   N u + n0     = 0     rows of velocities, in the middle of the interval [CM01]; their impulses
//                        follow those of g in J
//
// The integrator knows b with its derivative and the rows A that carry the impulse: B at the node
// t0, or a discrete derivative that depends on u. The formulation knows the unknowns y that are
// left and how they are solved for. Each is one file: formulations are tables of functions,
// tn_discrete_ops.

#pragma once

#include "formulation/formulation.h"

typedef struct tn_discrete tn_discrete;

// Coordinates for which an iteration of dalembert takes about a second.
#define TN_DALEMBERT_MAX 2400

// Derivative of the balance of momenta in terms of the blocks as last evaluated,
// db/du = M + d D + k K, with d(A^T J)/du in K where A depends on u.
typedef struct tn_balance {
    double d, k;
} tn_balance;

// Functions of a formulation. Those that may be NULL have nothing to do.
typedef struct tn_discrete_ops {
    bool rolls;                        // takes rows of velocities
    tn_status (*open)(tn_discrete *d); // sets n, takes memory and matrices into d->form
    void (*close)(tn_discrete *d);     // also of what is half open
    void (*values)(tn_discrete *d, tn_values *v);
    void (*choose)(tn_discrete *d);     // other rows are left out: d->active; may be NULL
    tn_status (*begin)(tn_discrete *d); // another interval; may be NULL
    // A has changed, which stands in block B as well; it belongs to the point. May be NULL.
    tn_status (*carry)(tn_discrete *d, const tn_point *at);
    void (*predict)(tn_discrete *d, const double *u, const double *J, double *y);
    tn_status (*move)(tn_discrete *d, const double *y, double *u); // u that belongs to y
    // Evaluates g at the end of the interval, and with `tangent` what `factor` needs there.
    tn_status (*residual)(tn_discrete *d, const double *y, const double *u, const double *b,
                          bool tangent, double *r);
    tn_status (*factor)(tn_discrete *d, const double *y, const tn_balance *at);
    void (*solve)(tn_discrete *d, double *r);                       // r becomes the Newton step
    void (*correct)(tn_discrete *d, const double *step, double *y); // NULL: y -= step
    // ng, 0 for rows left out; b is the balance at y. After `factor`.
    void (*impulse)(tn_discrete *d, const double *y, const double *b, double *J);
    // v with M v + B^T mu = p, B v = c with B as last evaluated, at the end of the last interval; v
    // and mu (ng) hold guesses. By what the form has: TN_RETRY_NEWTON where that is not enough. May
    // be NULL.
    tn_status (*project)(tn_discrete *d, const double *p, const double *c, double *mu, double *v);
    // P^T p, the reduced momentum [LMO08, eq. 42], with P of the last `carry`; how many. May be
    // NULL, and out as well.
    int (*reduce)(tn_discrete *d, const double *p, double *out);
    // Number of them that refer to vectors that may jump from node to node; NULL: none.
    int (*loose)(const tn_discrete *d);
    // v that an impulse p causes in the interval, by the matrix of the last `factor`. Forms have it
    // in which u is no unknown and has the round-off of q over h; NULL in others.
    void (*respond)(tn_discrete *d, const double *p, double *v);
    void (*name)(const tn_discrete *d, int i, char *text, size_t size); // of unknown i
    const char *(*solver)(const tn_discrete *d);
    void (*dense)(const tn_discrete *d, double *matrix); // of the last `factor`, n x n, by columns
    // Factors of rows and columns that make of `dense` the matrix of the equations as they stand in
    // [LMO08]: unknowns q1 and lambda, SI units. J = share h lambda. Zeros where an unknown is
    // left out.
    void (*written)(const tn_discrete *d, double share, double *row, double *column);
} tn_discrete_ops;

struct tn_discrete {
    tn_system *sys;
    const tn_discrete_ops *ops;
    void *form; // of the formulation
    int n;      // unknowns
    // The interval [t, t + h] from q.
    double t, h;
    const double *q, *r;
    int rows;        // ng + nn
    int *active;     // rows: 1, or 0 for rows that repeat others and are left out
    double *carry;   // A: values in the pattern of block B,
    double *carry_N; //  and of block N
    // In the middle: N u + n0 (nn), and the values of blocks N and NZ.
    double *slip, *N, *NZ, *rest; // rest: zeros, nv + rows
    double *q1;                   // nq, scratch: q + h u
    void *block;
};

// Refuses systems on other than linear spaces, with a mass matrix that is not constant (compared at
// the point and away from it), or with parts that the principle does not cover.
tn_status tn_discrete_create(tn_system *sys, const tn_formulation *formulation, const tn_point *at,
                             const int *active, tn_discrete **out);
void tn_discrete_destroy(tn_discrete *d);
// The interval is that of the state q, r.
void tn_discrete_values(tn_discrete *d, tn_values *v);

// The first factorisation takes memory: here, as in an interval of length h from the point.
tn_status tn_discrete_warm_up(tn_discrete *d, const tn_point *at, double h);

// Which rows take part from now on; as many as before. Between intervals.
void tn_discrete_choose(tn_discrete *d, const int *active);
// Another interval, from the node; keeps q and r of the node.
tn_status tn_discrete_begin(tn_discrete *d, const tn_point *node, double h);
// Block B as last evaluated, at the point, carries the impulse from now on.
tn_status tn_discrete_carry(tn_discrete *d, const tn_point *at);
// Evaluates the system at the end of the interval that belongs to u.
tn_status tn_discrete_eval_end(tn_discrete *d, const double *u, unsigned want);
// Rows of velocities in the middle of the interval that belongs to u, with `tangent` their blocks.
tn_status tn_discrete_roll(tn_discrete *d, const double *u, bool tangent);
// y += s A^T J
void tn_discrete_apply(const tn_discrete *d, double s, const double *J, double *y);
