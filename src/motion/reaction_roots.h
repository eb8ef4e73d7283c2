// SPDX-License-Identifier: MIT
//
// Multipliers y = (lambda, eta) on which forces depend (friction), and algebraic variables w beside
// them, in linear equations of the accelerations:
//
//   M a + C^T y = f(y, w),     D a = r,     0 = b(y, w)      D = C, or C of the next stage
//
// With the factors of (M, C^T; D, 0) forces at y ask for the multipliers Phi(y), and what is wanted
// is Phi(y) = y. Newton's method,
//
//   (1 - Phi') dy = Phi(y) - y,        Phi' = the multipliers that df/dy + df/dw dw/dy asks for,
//
// works on those multipliers alone on which f or b depends, mostly few: its matrix is small. It is
// regular where (M, C^T - df/dy; D, 0) is, the condition after [Arn16, eq. 44]. Where Phi contracts
// well there is no need for it. It is kept from one call to the next and renewed where the
// iteration is slow, and the iteration is carried on to round-off.

#pragma once

#include "motion/roots.h"

// The linear equations.
typedef struct tn_reaction_solver {
    void *self;
    tn_status (*solve)(void *self, double *b); // nv + ng + nn, in place
    const double *rows;                        // r
} tn_reaction_solver;

typedef struct tn_reactions {
    tn_system *sys;
    int n;      // multipliers on which f or b depends, at most
    int *which; // n
    tn_roots w;
    bool formed; // the matrix has been, at some point before
    double *matrix;
    int *pivot;
    double *step;           // n
    double *y, *kept;       // ng + nn
    double *column, *found; // nv + ng + nn
} tn_reactions;

// Nothing is carved where no force depends on multipliers; `which` comes with tn_reactions_open.
void tn_reactions_layout(tn_reactions *r, tn_system *sys, tn_carve *mem);
void tn_reactions_values(tn_reactions *r, tn_values *v); // beside those of the layout
void tn_reactions_open(tn_reactions *r);

// y in r->y, where the search begins, and (a, y) in r->found. `e` is that of the point, with w that
// are solved for; NULL: w stay as they are. lambda and eta of the point are not used.
// TN_RETRY_SINGULAR where the matrix is singular, TN_RETRY_FUNCTION where nothing is found.
tn_status tn_reactions_find(tn_reactions *r, const tn_reaction_solver *by, const tn_point *at,
                            double *e);

// Margin by which the multipliers are determined at the point, its lambda and eta included: the
// smallest pivot of 1 - Phi' with the sign of its determinant, so that it passes zero where the
// matrix is singular; 1 where forces do not depend on them. *row is the multiplier that is
// determined least.
tn_status tn_reactions_reserve(tn_reactions *r, const tn_reaction_solver *by, const tn_point *at,
                               double *reserve, int *row);
