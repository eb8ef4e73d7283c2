// SPDX-License-Identifier: MIT
//
// Accelerations and multipliers at a given state, and projections, from one matrix of the
// characteristic structure [Arn16, eq. 17, 89, 91]:
//
//   ( M  C^T ) ( a      )   ( f      )
//   ( C  0   ) ( lambda ) = ( -gamma )      C = (B; N), rows that repeat others left out
//
// If there are motions without inertia, M is filled up and accelerations are completed by the
// forces that determine these motions (massless.h).

#pragma once

#include "linalg/solver.h"
#include "motion/massless.h"
#include "motion/reaction_roots.h"
#include "system/system.h"

// The matrix itself, for whoever fills it by other values.
enum {
    TN_KKT_M,
    TN_KKT_B,
    TN_KKT_BT,
    TN_KKT_N,
    TN_KKT_NT,
    TN_KKT_DIAGONAL, // of the rows of C
    TN_KKT_FILL,     // of M, where there are motions without inertia
    TN_KKT_COUNT
};

typedef struct tn_kkt {
    tn_system *sys;
    tn_composition matrix; // of these places
    tn_solver *solver;
    bool singular; // in the last factorisation: solutions are those of minimum norm
} tn_kkt;

tn_status tn_kkt_open(tn_kkt *k, tn_system *sys);
void tn_kkt_close(tn_kkt *k);
// The values become those of the blocks as last evaluated, zero on the diagonals.
void tn_kkt_fill(tn_kkt *k);
// Factors the values as they stand but for rows that are not active (ng + nn), and solves.
tn_status tn_kkt_factor(tn_kkt *k, const int *active);
tn_status tn_kkt_solve(tn_kkt *k, double *b);
void tn_kkt_values(tn_kkt *k, tn_values *v);

typedef struct tn_accel {
    tn_system *sys;
    int n;
    tn_kkt kkt;                // without solver: of recursive systems without a mass matrix
    struct tn_schur *schur;    // of recursive systems in which all motions have inertia, else NULL
    bool by_schur;             // the last factorisation was by it
    bool by_recursion;         // motions without inertia without a matrix
    int *active;               // ng + nn
    double *rhs;               // n
    double *lower;             // ng + nn: its lower part, where forces depend on multipliers
    tn_reactions reactions;    // where forces depend on multipliers
    bool has_extra;            // the system has its extra equations where the last solution is
    tn_massless *massless;     // NULL: all motions have inertia
    double damping, stiffness; // 2 alpha and beta^2 of Baumgarte
    void *block;
} tn_accel;

tn_status tn_accel_create(tn_system *sys, tn_accel **out);
void tn_accel_destroy(tn_accel *acc);
void tn_accel_values(tn_accel *acc, tn_values *v);          // the rows that take part are set
void tn_accel_set_active(tn_accel *acc, const int *active); // ng + nn

// v', lambda and eta at t, q, v, e, r of the point; where there are motions without inertia v is
// one of tn_accel_complete. Where the matrix is singular (a singular position, or M not definite on
// the kernel of C) the minimum-norm solution. Where forces depend on lambda and eta the search for
// them begins at those that are there, and algebraic variables w that may depend on them are found
// in e, which is that of the point; where they do not, or with e NULL, w must be there.
tn_status tn_accel_solve(tn_accel *acc, const tn_point *at, double *e, double *a, double *lambda,
                         double *eta);

// Margin by which the multipliers on which forces depend are determined at the point, and the one
// that is nearest to it; see tn_reactions_reserve.
tn_status tn_accel_reserve(tn_accel *acc, const tn_point *at, double *reserve, int *row);

// Baumgarte's right-hand side in all solutions from now on: -gamma - 2 alpha gdot - beta^2 g for
// holonomic rows, -ngamma - 2 alpha ndot for nonholonomic ones [Arn16, eq. 84c]. Zero at first.
void tn_accel_set_baumgarte(tn_accel *acc, double alpha, double beta);

// Replaces v by its projection onto C v + (g_t, n0) = 0 in the norm of M [ACB15, eq. 7]; motions
// without inertia follow the forces.
tn_status tn_accel_project(tn_accel *acc, const tn_point *at, double *v);

// Gives motions without inertia the velocities that the forces at the point determine.
tn_status tn_accel_complete(tn_accel *acc, const tn_point *at, double *v);

// Factors the matrix at a point, then solves M x + C^T y = b, C x = c in place, with the matrix of
// the last call of any function above.
tn_status tn_accel_factor(tn_accel *acc, const tn_point *at);
tn_status tn_accel_resolve(tn_accel *acc, double *b, double *c);
// Finds the changes of v' and multipliers that the forces of a point ask for, as after a jump:
//   M da + C^T dl = f - M a - C^T (lambda, eta),   C da = 0.
tn_status tn_accel_catch_up(tn_accel *acc, const tn_point *at, double *da, double *dl);
const char *tn_accel_solver(const tn_accel *acc); // "tree" for recursions, or of the matrix
