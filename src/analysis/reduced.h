// SPDX-License-Identifier: MIT
//
// Rows seen from the freedoms of a mechanism: of m rows A (m x nv) and a basis Gamma (nv x n) of
// its motions the small matrix S = A Gamma, and the two questions that it answers,
//
//   S e = b           which motion e gives the rows these rates     least squares
//   S^T tau = rho     which efforts in the rows do this work        least norm
//
// by S P = Q R with column pivoting. With rank r and R = (R1 R2), R1 of r x r:
//
//   S^T tau = rho:  R1^T y = (P^T rho)_1,  tau = Q y,  and  R2^T y = (P^T rho)_2  must hold.

#pragma once

#include "base/carve.h"
#include "base/status.h"

typedef struct tn_reduced {
    int m, n;
    int rank;
    double scale; // longest row of A by longest column of Gamma: the measure of pivots
    double *S;    // m x n, column major; factored in place
    double *tau;  // n
    int *column;  // n: the column of S that stands at k
    double *side; // larger of m, n
    double *work;
    int lwork;
} tn_reduced;

void tn_reduced_layout(tn_reduced *s, int m, int n, tn_carve *mem);

// Forms S of the rows A (nv x m: each a column) and Gamma (nv x n) and factors it. Pivots above the
// tolerance of rank, times the scale, count.
void tn_reduced_factor(tn_reduced *s, int nv, const double *A, const double *Gamma);
// The smallest pivot by the scale; 0 where there are fewer rows than columns.
double tn_reduced_margin(const tn_reduced *s);
// e (n) with S e = b (m); rank must be n.
void tn_reduced_solve(tn_reduced *s, const double *b, double *e);
// tau (m) with S^T tau = rho (n). Returns the largest entry of what is left of rho, and in `where`
// the position that it belongs to, for tn_reduced_kernel.
double tn_reduced_solve_t(tn_reduced *s, const double *rho, double *effort, int *where);
// e (n) with S e = 0 up to the pivots from position k on, e = 1 in the column that stands at k;
// k >= rank, or k = n - 1 for the motion that moves the rows least.
void tn_reduced_kernel(tn_reduced *s, int k, double *e);
