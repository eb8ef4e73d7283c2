// SPDX-License-Identifier: MIT
//
// The RESIDUAL view: a problem as an implicit differential-algebraic equation F(t, y, y') = 0 in a
// linear space, for bdf and radau5.
//
//   y = (z, v, [a,] lambda, [mu,] [tau,] eta, e, [nu])
//
//   kinematics   z' - A(z) (v - B^T mu) [+ (radial direction) nu]
//   [v' - a + B^T tau + N^T tau_n]                                stabilized-index1
//   dynamics     M v' - f + B^T lambda + N^T eta                  (a for v' in stabilized-index1)
//   constraints  those of the formulation, see formulation.h
//   extra        c' - d, -b, -h
//   [norm        (|e|^2 - 1) / 2]                                 quaternions with multipliers
//
// z are chart coordinates (lie/chart.h). Linear systems c F_y' + F_y, real or complex c, are solved
// through the matrices of the problem with h = 1/c: kinematics eliminated block by block, the core,
// then the projections (dae_solve.c, corrector.c). They are exact for index3, index2 and
// baumgarte2, and for ggl by one matrix (tn_problem_set_exact); for the others the error of a
// solution is of relative size 1/c, to be removed by the iteration.
//
// Rows that are left out (tn_problem_set_active) are replaced by "multiplier = 0".

#pragma once

#include "formulation/corrector.h"
#include "lie/chart.h"
#include "linalg/zsolver.h" // complex numbers

// Places in y and F (rows stand where the unknown is that they determine, as in tn_layout). Absent
// parts are -1. tau has ng + nn entries, nu one for each quaternion.
typedef struct tn_dae_layout {
    int n;
    int z, nz;
    int v, a, lambda, mu, tau, eta, e, nu;
} tn_dae_layout;

enum { TN_DAE_BLOCK = 36 }; // numbers of one small matrix, 6 x 6 row major

// Matrices of one value of c, for its solves.
typedef struct tn_dae_inverse {
    double complex c;
    double *G[2]; // ngroup small matrices: real and imaginary part
    double *T[2];
} tn_dae_inverse;

typedef struct tn_dae {
    tn_problem *problem;
    tn_system *sys;
    const tn_formulation *formulation;
    tn_corrector *corrector;
    tn_chart chart;
    tn_dae_layout at;
    int nnu;         // quaternions with a multiplier
    bool curved;     // the group has factors with rotation
    int *nu_of;      // ngroup: number of the multiplier of a factor, -1 for none
    const double *r; // sampled states that evaluations use; tn_dae_begin sets it to those of x
    double *q, *w;   // configuration, and v - B^T mu
    // The point of the last factorisation: values of the blocks and of the chart.
    tn_tangent tangent;
    double *kept[TN_BLOCK_COUNT];
    double *v;
    double *bend;    // small matrices d(A w)/dz + nu of the rotating part of each factor
    double *A, *Y;   // their A and Y
    int wide;        // columns of the widest of all these
    double *axis;    // ngroup x 4: quaternion of a factor
    double *unit[2]; // scratch of the chart: nz and nz, also for vectors of nv
    tn_dae_inverse at_real, at_complex;
    // Solving: two planes of everything, the second of which only complex systems have, but for y.
    bool complex_too;
    double *y[2], *x0[2], *dz[2], *dnu[2], *b[2];
    void *block;
} tn_dae;

// complex_too: factors and solves complex systems beside the real ones, which takes three times the
// memory and the time to set up.
tn_status tn_dae_create(tn_problem *problem, tn_chart_kind chart, const tn_sim_options *options,
                        bool complex_too, tn_dae **out);
void tn_dae_destroy(tn_dae *dae);
void tn_dae_values(tn_dae *dae, tn_values *v);

// Takes the state as the base of the chart and writes consistent y and y' (z' = A v, v' = a,
// c' = d, zero elsewhere). `changed` (may be NULL) as in tn_ode_begin.
tn_status tn_dae_begin(tn_dae *dae, const tn_state *x, double *y, double *yp, bool *changed);
bool tn_dae_is_good(const tn_dae *dae, const double *y);
// h: size of the current step, for formulations whose rows depend on it (baumgarte2).
tn_status tn_dae_residual(tn_dae *dae, double t, const double *y, const double *yp, double h,
                          double *r);
// Evaluates all tangents at the point and factors c F_y' + F_y.
tn_status tn_dae_factor(tn_dae *dae, double t, const double *y, const double *yp, double h,
                        double c);
// The same with new c at the point of the last tn_dae_factor, without evaluating again.
tn_status tn_dae_refactor(tn_dae *dae, double c);
tn_status tn_dae_factor_complex(tn_dae *dae, double complex c); // a second, complex factorisation
// First factorisations choose pivots and take memory: all at a state, for steps of size h.
tn_status tn_dae_warm_up(tn_dae *dae, const tn_state *x, double h);
tn_status tn_dae_solve(tn_dae *dae, double *r); // r becomes the solution
tn_status tn_dae_solve_complex(tn_dae *dae, double complex *r);
// Effect of round-off of z at y on a solution with the c of the last factorisation: r becomes the
// solution for errors of its size, with signs that seem random, in kinematic rows, c times those of
// z, and in rows of g. Long nets with few freedoms enlarge them.
tn_status tn_dae_noise(tn_dae *dae, double c, const double *y, double *r);
double tn_dae_rounding(const tn_dae *dae, double c, const double *y); // the largest of these errors
// q, v, a, lambda, eta, e of the state from y and y'; t and r are the caller's.
void tn_dae_state(const tn_dae *dae, const double *y, const double *yp, tn_state *x);
// Typical sizes of y for relative errors (multipliers: their own size).
void tn_dae_sizes(const tn_dae *dae, const double *y, double *size);
// The value of its kind for each unknown: tolerances, typical sizes.
void tn_dae_by_kind(const tn_dae *dae, const double value[TN_KIND_COUNT], double *out);
// level[i]: 0 for unknowns whose errors count in full (z, c; v except in index3, and there c where
// c' depends on lambda), 1 for index-2 variables (errors times h), 2 for index-3 variables (times
// h^2), TN_DAE_PROJECTS for multipliers of projections (mu, tau, nu), index-2 variables that vanish
// but for errors of the method.
// differential[i]: 1 where y' appears.
enum { TN_DAE_PROJECTS = -1 };
void tn_dae_kinds(const tn_dae *dae, int *level, int *differential);
void tn_dae_name(const tn_dae *dae, int i, char *text, size_t size); // of unknown i
// y after an accepted step: quaternions are given unit length where they carry no multipliers.
void tn_dae_renormalise(const tn_dae *dae, double *y);

// dae.c, which has equations and states, and dae_solve.c, which has the linear systems, share: t,
// q, v, v', lambda, eta, e, r of y and y'.
tn_point tn_dae_point(tn_dae *dae, double t, const double *y, const double *yp);
// w = v - B^T mu with B as last evaluated.
void tn_dae_motion(tn_dae *dae, const double *y);
const double *tn_dae_quaternion(const tn_dae *dae, const double *y, int k); // of factor k
