// SPDX-License-Identifier: MIT
//
// The iteration matrices of a problem, composed of the blocks of its system, for real and complex
// steps h; see corrector.c. Used by formulation.c (one step on the group) and dae.c (equations in
// linear coordinates).

#pragma once

#include "formulation/formulation.h"
#include "linalg/zsolver.h"

typedef struct tn_corrector tn_corrector;

// Ingredients of iteration matrices.
typedef struct tn_tangent {
    const double *value[TN_BLOCK_COUNT]; // of the blocks of the system; NULL where it has none
    const double *kinematic;             // values of B in the kinematic rows
    const double *v;                     // velocity, for the derivative of gamma by v
    const double *T[2]; // ngroup blocks of 6 x 6, real and imaginary part; NULL: identity, zero
    double step;        // h of baumgarte2
} tn_tangent;

// As tn_weights: increments of q are q T u, those of v are v u, of v' a u, of c' are c times c.
typedef struct tn_zweights {
    double complex h, q, v, a, c;
} tn_zweights;

tn_status tn_corrector_create(tn_system *sys, const tn_formulation *formulation,
                              const tn_sim_options *options, tn_corrector **out);
// One matrix with everything instead of parts, where the formulation has any; before the following
// two and before anything is factored.
tn_status tn_corrector_make_exact(tn_corrector *cr);
tn_status tn_corrector_open_complex(tn_corrector *cr); // takes the memory of complex matrices
void tn_corrector_destroy(tn_corrector *cr);
void tn_corrector_values(tn_corrector *cr, tn_values *v);
void tn_corrector_set_active(tn_corrector *cr, const int *active);

// Positions of unknowns and rows in the first matrix: the core, or the whole. Unknowns: increments
// of q are q T x, of velocities v, of v' those that belong to u; in the core the three are one. mu
// and tau (tau_n of nonholonomic rows) are -1 where they are not among them. Rows: dynamics at u,
// x - v + B^T mu at x, v - u + C^T tau at v, positions at mu, those that determine lambda and eta
// there, velocities at tau and tau_n where that is another level. In the core rows and unknowns
// have the same places, in the whole they do not.
typedef struct tn_places {
    int n, x, v, u, lambda, mu, tau, tau_n, eta, e;
} tn_places;

tn_places tn_corrector_columns(const tn_corrector *cr);
tn_places tn_corrector_rows(const tn_corrector *cr);

// The solver of the real matrix whose factors have most entries, and which part it is; NULL without
// a matrix. And what an unknown of that part is called.
const tn_solver *tn_corrector_fullest(const tn_corrector *cr, int *part);
void tn_corrector_name(const tn_corrector *cr, int part, int i, char *text, size_t size);

// Which projections follow the core.
bool tn_projects_position(const tn_system *sys, const tn_formulation *f); // to x and mu
bool tn_projects_velocity(const tn_system *sys, const tn_formulation *f); // to v and tau
// The rows at lambda and eta are scaled by h to these powers.
int tn_lambda_power(const tn_formulation *f);
int tn_eta_power(const tn_formulation *f);

// Factors all parts. The complex matrices stand beside the real ones.
tn_status tn_corrector_factor(tn_corrector *cr, const tn_tangent *at, const tn_zweights *w,
                              bool is_complex);

// Solve in place, of real systems (im NULL) or of complex ones. The first matrix: (u, h lambda,
// h eta, e) of the core, (x, [v,] u, h lambda, mu, [tau,] h eta, e) of the whole, from their rows;
// extra rows and variables stand as they are, their scales are applied inside.
tn_status tn_corrector_solve(tn_corrector *cr, double *re, double *im);
// After the core: (x, mu) from x + B^T mu = b_1, B T x = b_2, and (v, tau) from v + C^T tau = b_1,
// (C + q Z T) v = b_2 with C = (B; N).
tn_status tn_corrector_solve_position(tn_corrector *cr, double *re, double *im);
tn_status tn_corrector_solve_velocity(tn_corrector *cr, double *re, double *im);

// Subtracts from unscaled rows of the first matrix their change along the increment x of q.
void tn_corrector_along(const tn_corrector *cr, const tn_tangent *at, const double *x,
                        double *rows);
// y += M x
void tn_corrector_times_mass(const tn_corrector *cr, const tn_tangent *at, const double *x,
                             double *y);
// y += s A x for a block of the system with the values of the tangent; nothing where there is none.
void tn_tangent_mul(const tn_system *sys, const tn_tangent *at, tn_block block, double s,
                    const double *x, double *y);

const char *tn_corrector_solver(const tn_corrector *cr); // its name
// Parts of the system that the matrices need, for tn_system_eval.
unsigned tn_corrector_wants(const tn_corrector *cr);
// Reciprocal condition of the projection of ggl as last factored; NAN for others.
double tn_corrector_rcond(const tn_corrector *cr);
