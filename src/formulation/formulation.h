// SPDX-License-Identifier: MIT
//
// A problem is a system under a formulation: it decides which constraint level is enforced and what
// an integrator sees. Offers of formulations and needs of integrators are bits, so the legal
// pairings, the error message of an illegal one and the test matrix come from one place.
//
// STEP view. Unknowns y and rows r of one implicit step of size h, scaled as in [Arn16, eq. 69,
// 70, 94] so that the iteration matrix stays bounded for h -> 0:
//
//   y = (x, [u,] h lambda, [mu,] h eta, e)      increment of the configuration: q1 = q0 o exp(h x)
//   dynamics     h (M a - f) + B^T h lambda + N^T h eta
//   kinematics   x - u + B(q0)^T mu             stabilised formulations only; else u is x
//   position     g / h
//   velocity     B v + g_t                      [+ (C/h) g]
//   acceleration h (B v' + gamma                [+ 2 alpha (B v + g_t) + beta^2 g])
//   nonholonomic N v + n0                       h (N v' + ngamma [+ 2 alpha (N v + n0)])
//   extra        c' - d,  -b,  -h
//
// The integrator ties v and a to u, and c' to c; it hands over the derivatives as weights.

#pragma once

#include "linalg/solver.h"
#include "system/system.h"
#include "tenon/sim.h"

enum {
    TN_VIEW_STEP = 1,      // rows of one step on the group, this header: generalized-alpha
    TN_VIEW_RESIDUAL = 2,  // F(t, y, y') = 0 and its tangent, dae.h: bdf, radau5
    TN_VIEW_ACCEL = 4,     // z' = F(t, z), ode.h: explicit methods
    TN_VIEW_BLOCKS = 8,    // M, f, B and the rows of the velocity level separately: half-explicit
    TN_VIEW_DISCRETE = 16, // one interval of a discrete principle, discrete.h: variational
    TN_VIEW_IMPACTS = 32,  // positions and velocities hold at the end of a step: nsgalpha
};

typedef struct tn_formulation {
    const char *name;   // "ggl"
    const char *text;   // one line for `tenon methods`
    const char *source; // "[Arn16, eq. 92]"
    unsigned offers;    // views
    int index;          // differentiation index of the equations
    // Levels whose rows are enforced. One of the flags alone: these rows at lambda. More than one:
    // the highest at lambda, the others by projections with mu (position) and tau (velocity).
    bool position;     // g = 0
    bool velocity;     // B v + g_t = 0
    bool acceleration; // B v' + gamma = 0
    // Baumgarte's combinations: the rows at lambda are those of the level plus lower ones,
    // B v' + gamma + 2 alpha (B v + g_t) + beta^2 g, or B v + g_t + (C/h) g.
    bool baumgarte;
    const char *reads;            // names of options of its own, separated by spaces; NULL: none
    bool projects;                // `+project` makes sense: index-reduced, drifts
    const struct tn_ode_ops *ode; // how the ACCEL view is formed (ode_ops.h); NULL: not offered
    const struct tn_discrete_ops *discrete; // the same of the DISCRETE view (discrete.h)
} tn_formulation;

extern const tn_formulation *const tn_formulations[];
extern const int tn_formulation_count;
const tn_formulation *tn_find_formulation(const char *name); // NULL when unknown

// Names under which the literature has the equations of a formulation once more.
typedef struct tn_formulation_alias {
    const char *name; // "kane"
    const tn_formulation *of;
    const char *text; // one line: what they share
    const char *source;
} tn_formulation_alias;
extern const tn_formulation_alias tn_formulation_aliases[];
extern const int tn_formulation_alias_count;
const tn_formulation_alias *tn_find_alias(const char *name); // NULL when it is none

// Derivatives that the integrator knows: of the increment h x by x, v and a by u, c' by c.
typedef struct tn_weights {
    double h, q, v, a, c;
} tn_weights;

// Positions of the parts of y. A row has the position of the unknown that it determines: dynamics
// at u, kinematics at x, velocity at lambda, position at mu (at lambda where it is the only level).
// mu is -1 and u equals x where the formulation is not stabilised.
typedef struct tn_layout {
    int n, x, u, lambda, mu, eta, e;
} tn_layout;

typedef struct tn_problem {
    tn_system *sys;
    const tn_formulation *formulation;
    struct tn_corrector *corrector;
    double alpha, beta, c; // of Baumgarte's combinations
    tn_layout at;          // of y
    bool exact;            // one matrix instead of two parts
    bool curved;           // the group has factors with rotation
    double *T;             // tangent operator of the increment, 6 x 6 for each factor
    double *rhs;           // of any part of the corrector
    double *B_start;       // values of B at the start of the step
    int *active;           // ng + nn
    bool all_active;
    void *block;
} tn_problem;

// Options: parameters of Baumgarte's combinations and the like; NULL for the defaults.
tn_status tn_problem_create(tn_system *sys, const tn_formulation *formulation,
                            const tn_sim_options *options, tn_problem **out);
void tn_problem_destroy(tn_problem *p);
void tn_problem_values(tn_problem *problem, tn_values *v); // the rows that take part are set

// Stabilised formulations are solved in parts, which leave a coupling to the iteration. Where stiff
// forces make that large, true takes one matrix with everything, at the price of its memory and
// time. To be called before views are made of the problem and before anything is factored.
tn_status tn_problem_set_exact(tn_problem *p, bool exact);

// Which constraint rows take part (ng holonomic, then nn nonholonomic; 1 or 0). Rows that repeat
// others are left out: their multipliers are zero.
void tn_problem_set_active(tn_problem *p, const int *active);

// The rows of the equations without any scaling, at a point with its a, lambda and eta; cdot holds
// c' (nc), h the step size of formulations whose rows depend on it. Rows that are left out are
// there as all others.
typedef struct tn_rows {
    double *dynamics; // M a - f + B^T lambda + N^T eta    nv
    double *lambda;   // the level that determines lambda  ng
    double *mu;       // g of stabilised formulations, or NULL
    double *tau;      // B v + g_t, N v + n0 of stabilized-index1 (ng + nn), or NULL
    double *eta;      // of the nonholonomic constraints   nn
    double *extra;    // c' - d, -b, -h                    ne
} tn_rows;
tn_status tn_problem_rows(tn_problem *p, const tn_point *at, double h, const double *cdot,
                          const tn_rows *out);

// Opens a step at its start point: keeps B there for the kinematic rows.
tn_status tn_problem_begin(tn_problem *p, const tn_point *start);
void tn_problem_begin_here(tn_problem *p); // where B was evaluated last
// x = u - B(q0)^T mu in the unknowns, where the formulation has mu: meets the kinematic rows.
void tn_problem_move(const tn_problem *p, double *y);
// r at the end point; cdot holds c' (nc).
tn_status tn_problem_residual(tn_problem *p, const tn_point *at, const double *y, double h,
                              const double *cdot, double *r);
// Assembles and factors the tangent at the end point; `increment` is h x.
tn_status tn_problem_factor(tn_problem *p, const tn_point *at, const double *increment,
                            tn_weights w);
tn_status tn_problem_solve(tn_problem *p, double *r); // r becomes J^-1 r
// Effect on the unknowns of rounding positions, by up to `rounding` times h in a row of g: r
// becomes J^-1 of such errors with signs that seem random. Long nets with few freedoms enlarge
// them.
tn_status tn_problem_noise(tn_problem *p, double h, double rounding, double *r);
double tn_noise_sign(int i); // +1 or -1, the same for an index everywhere
// "body 'rod', x" or "joint 'pin', row x" for unknown i.
void tn_problem_name(const tn_problem *p, int i, char *text, size_t size);
