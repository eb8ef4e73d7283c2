// SPDX-License-Identifier: MIT
//
// The geometry of the constraints at a state (tenon/dynamics.h): accelerations and forces resolved
// along the motions that the constraints allow and across them, orthogonal in the metric of the
// mass matrix [LB08, section 2.3, eq. 16 to 20]. With M = S S^T and rows B a = c,
//
//   E = S^-1 B^T         scaled rows         P_parallel = E E^+       P_orthogonal = 1 - P_parallel
//   a^ + Fc^ = F^        a^ = S^T a, F^ = S^-1 f, Fc^ = S^-1 B^T lambda                        (16)
//   P_parallel Fc^ = Fc^                                                                       (17)
//   P_parallel a^ = E^+T c                                                                     (18)
//   Fc^ = P_parallel F^ - E^+T c                                                               (19)
//   a^ = P_orthogonal F^ + E^+T c                                                              (20)
//
// E^+ is the Moore-Penrose inverse, so rows may repeat each other, and the position may be
// singular. Without the scaling, P = S^-T P_orthogonal S^T projects velocities and accelerations
// onto those that the constraints allow: B P = 0, P^2 = P, P^T M = M P; its transpose projects
// forces.

#pragma once

#include "tenon/dynamics.h"

// The matrices at one state; tn_projectors_destroy it.
typedef struct tn_projectors tn_projectors;

// The matrix of the projectors to compute.
typedef enum tn_projector_matrix {
    TN_PROJECTOR_M,          // mass matrix, nv x nv
    TN_PROJECTOR_S,          // lower triangle, M = S S^T
    TN_PROJECTOR_B,          // constraint rows, rows x nv
    TN_PROJECTOR_E,          // S^-1 B^T, nv x rows
    TN_PROJECTOR_E_PLUS,     // its Moore-Penrose inverse, rows x nv
    TN_PROJECTOR_PARALLEL,   // P_parallel, nv x nv: onto the forces of constraints
    TN_PROJECTOR_ORTHOGONAL, // P_orthogonal, nv x nv: onto the motions that are allowed
    TN_PROJECTOR_P,          // the same without scaling, S^-T P_orthogonal S^T
    TN_PROJECTOR_F,          // forces F^, nv x 1
    TN_PROJECTOR_C,          // right sides c, rows x 1
    TN_PROJECTOR_FC,         // forces of constraints Fc^, nv x 1, by (19)
    TN_PROJECTOR_A,          // accelerations a^, nv x 1, by (20)
    TN_PROJECTOR_MATRICES
} tn_projector_matrix;

// Takes them at the state of `dynamics`, which stays as it is. TN_ERR_NUMERIC with a sentence where
// the mass matrix is not positive definite.
TN_API tn_status tn_projectors_create(tn_dynamics *dynamics, tn_projectors **out);
TN_API void tn_projectors_destroy(tn_projectors *projectors); // NULL is fine

// Rank of the rows: nv - rank freedoms.
TN_API int tn_projectors_rank(const tn_projectors *projectors);
TN_API double tn_projectors_time(const tn_projectors *projectors); // [s]
// "M", "S", "P_parallel", …; "" for none.
TN_API const char *tn_projectors_name(tn_projector_matrix matrix);
// In SI units, column by column; it lives as long as the object. NULL where there is none.
TN_API const double *tn_projectors_values(const tn_projectors *projectors,
                                          tn_projector_matrix matrix, int *rows, int *columns);
// The name of velocity i or row i, "body 'rod', x" or "joint 'pin', row x"; "" for none.
TN_API const char *tn_projectors_velocity(const tn_projectors *projectors, int i);
TN_API const char *tn_projectors_row(const tn_projectors *projectors, int i);

// Writes all of them: FILE.json, or FILE.csv, blocks of which follow each other; "-" is CSV on the
// standard output.
TN_API tn_status tn_projectors_write(const tn_projectors *projectors, const char *path);
