// SPDX-License-Identifier: MIT
//
// What the two files of the residual view share: dae.c has equations and states, dae_solve.c the
// linear systems.

#pragma once

#include "formulation/corrector.h"
#include "formulation/dae.h"

enum { TN_DAE_BLOCK = 36 }; // numbers of one small matrix, 6 x 6 row major

// What one value of c leaves for its solves.
typedef struct tn_dae_inverse {
    double complex c;
    double *G[2]; // ngroup small matrices: real and imaginary part
    double *T[2];
} tn_dae_inverse;

struct tn_dae {
    tn_problem *problem;
    tn_system *sys;
    const tn_formulation *formulation;
    tn_corrector *corrector;
    tn_chart chart;
    tn_dae_layout at;
    int nnu;         // quaternions with a multiplier
    bool curved;     // the group has factors with rotation
    int *nu_of;      // ngroup: number of the multiplier of a factor, -1 for none
    const double *r; // sampled states
    double *q, *w;   // configuration, and v - B^T mu
    // The point of the last factorisation: values of the blocks and of the chart.
    tn_tangent tangent;
    double *kept[TN_BLOCK_COUNT];
    double *v;
    double *bend;    // small matrices d(A w)/dz + nu of the rotating part of each factor
    double *A, *Y;   // their A and Y
    double *axis;    // ngroup x 4: quaternion of a factor
    double *unit[2]; // scratch of the chart: nz and nz, also for vectors of nv
    tn_dae_inverse at_real, at_complex;
    // Solving: two planes of everything.
    double *y[2], *x0[2], *dz[2], *dnu[2], *b[2];
    void *block;
};

// t, q, v, v', lambda, eta, e, r of y and y'.
tn_point tn_dae_point(tn_dae *dae, double t, const double *y, const double *yp);
// w = v - B^T mu with B as last evaluated.
void tn_dae_motion(tn_dae *dae, const double *y);
const double *tn_dae_quaternion(const tn_dae *dae, const double *y, int k); // of factor k
