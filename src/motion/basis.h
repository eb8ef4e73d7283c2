// SPDX-License-Identifier: MIT
//
// The null space of the constraint matrix C = (B; N): one provider for all formulations that need
// it, with a choice of how it is found (basis_*.c, one file each).
//
//   C Gamma = 0           Gamma: nv x nf, columns independent [LB08, eq. 8]
//   C x = c               a particular solution, for rheonomic rows and for accelerations
//   C^T y = r             multipliers of a force that does no work on Gamma [LB08, eq. 11]
//
// Rows that are not active are left out, and the rank of the others is found: rows may repeat each
// other. Among the multipliers that are possible then, those of minimum norm are taken.
//
// Smoothness. The basis of `form` at a point is as good as any other basis there and may jump from
// one point to the next. Integrating kinematic characteristics needs more: between two calls of
// `begin` the basis is
//
//   Gamma = Gamma^ (E Gamma^)^-1,     E constant: E Gamma = I, and E x = 0 for particular solutions
//
// with Gamma^ any basis. That is the second block of the inverse of (C; E) [LB08, eq. 5, 6], as
// smooth as C. Its characteristics are e = E v, and as E is constant e' = E v'. The rates of Gamma
// are never formed: Gamma' e - d' is the particular solution of C x = -gamma with E x = 0, the
// "elementary acceleration problem" of [LB08, 4.2].
//
// E is a choice of velocities for "lu" and the pseudo-inverse of Gamma at `begin` for all others
// (its transpose, where Gamma is orthonormal). It is kept from one `begin` to the next until the
// basis has turned away from it.

#pragma once

#include "system/system.h"

typedef struct tn_basis {
    const struct tn_basis_ops *ops; // how it is found, basis_parts.h
    tn_system *sys;
    int nv, rows;     // rows: ng + nn
    int m;            // active ones
    int *row;         // m: which they are
    int *place;       // rows: where among the active ones, -1: not active
    double *A;        // nv m
    double *size;     // m
    int wanted;       // rank that is expected, -1: none
    int rank, nf;     // nf = nv - rank, as the last call left it
    int *independent; // m: rows on which `multipliers` may be other than zero
    double *raw;      // nv nf: as found
    double *vectors;  // nv nf: Gamma, as asked for
    double *Et;       // nv nf: E^T, after `begin`
    int reference;    // columns of Et, -1: none
    bool aligned;
    double *kept;    // nv nf: Gamma at the last `choose` with `begin`
    double length;   // of the longest of the vectors when E was taken
    double *kernel;  // m (m - rank): orthonormal y with C^T y = 0
    double *MG, *H;  // M Gamma, nv nf; Cholesky factor of Gamma^T M Gamma, nf nf
    double *square;  // nv nv, scratch
    double *across;  // nv nv, scratch
    double *x, *e;   // nv each, scratch
    double *c, *tau; // rows each, scratch
    int *pivot;      // nv
    double *work;    // of LAPACK
    int lwork;
    void *block;
} tn_basis;

// Keeps the system. Refuses "natural" for systems without joints.
tn_status tn_basis_create(tn_system *sys, const char *name, tn_basis **out);
void tn_basis_destroy(tn_basis *b);
void tn_basis_values(tn_basis *b, tn_values *v);          // the rows that take part are set
void tn_basis_set_active(tn_basis *b, const int *active); // ng + nn; forgets E

// All three: the system has been evaluated at the point, B and N are there.
//
// Some basis, with E of no effect.
tn_status tn_basis_form(tn_basis *b, const tn_point *at);
// Keeps E where it is still good, else takes a new one: *changed. The rank is that of the last
// `begin` unless rows have become independent that were not: in a singular position the basis is
// the part of the larger null space that continues the one before.
tn_status tn_basis_begin(tn_basis *b, const tn_point *at, bool *changed);
// The basis that belongs to E. TN_RETRY_SINGULAR where E has become useless.
tn_status tn_basis_follow(tn_basis *b, const tn_point *at);
// Takes another E (E0^T: nv x nf) at the point where `begin` has just been called.
tn_status tn_basis_refer(tn_basis *b, const double *E0t);
// The basis with E Gamma = 1 for n rows E that are chosen from outside at every point (Et: E^T,
// nv x n), in place of begin and follow. `begin`: a step begins here. If rows do not determine the
// motions apart, or have ceased to on the way from there, TN_RETRY_SINGULAR, at the first call
// TN_ERR_USAGE; `names` are those of the rows, for messages.
tn_status tn_basis_choose(tn_basis *b, const tn_point *at, bool begin, int n, const double *Et,
                          const char *names);
// Growth of the longest column of Gamma since E was taken: 1 there. `begin` is due above 4.
double tn_basis_growth(const tn_basis *b);

// x with C x = c (ng + nn) and, after begin and follow, E x = 0.
void tn_basis_particular(tn_basis *b, const double *c, double *x);
// y (ng + nn) with C^T y = r, zero where rows are not active, of minimum norm.
void tn_basis_multipliers(tn_basis *b, const double *r, double *y);
void tn_basis_characteristics(const tn_basis *b, const double *v, double *e); // e = E v
void tn_basis_add(const tn_basis *b, const double *e, double *v);             // v += Gamma e

// M x + C^T y = f, C x = c by the null space [LB08, eq. 14]: x = x_p + Gamma w,
// (Gamma^T M Gamma) w = Gamma^T (f - M x_p). `factor` after the basis has been formed and M has
// been evaluated; M need be definite on the null space only. x may not be f; y may be NULL.
tn_status tn_basis_factor(tn_basis *b);
void tn_basis_solve(tn_basis *b, const double *f, const double *c, double *x, double *y);
// Gamma L^-T with Gamma^T M Gamma = L L^T: orthonormal in the metric of M, nv x nf. After `factor`.
void tn_basis_orthonormal(tn_basis *b, double *D);
