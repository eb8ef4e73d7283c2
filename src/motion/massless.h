// SPDX-License-Identifier: MIT
//
// Motions without inertia: the common kernel of M and C = (B; N), m columns S,
//
//   M S = 0,   C S = 0,   v = v_0 + S zeta.
//
// S^T times the equations of motion leaves 0 = S^T f(t, q, v): algebraic equations of index one for
// the velocities zeta wherever S^T D S is regular, D = -df/dv, so that dampers determine what
// inertia does not [Arn13, eq. 28b and section 3.5]. Nothing is asked of where the bodies stand:
// they may follow each other, be leaves, or belong to loops.
//
// S comes from the matrix of the acceleration level (accel.h) itself. With E the unit vectors of m
// coordinates in which the motions differ, M + w E E^T is definite on the kernel of C, and
//
//   ( M + w E E^T  C^T ) ( S )   ( w E )
//   ( C            0   ) ( 0 ) = ( 0   )        has E^T S = 1.
//
// A right-hand side b with S^T b = 0 does not see w: solutions have E^T x = 0, and multipliers are
// those of M. Trees in joint coordinates know S by themselves (tn_massless_ops). See
// docs/theory/massless.md.

#pragma once

#include "system/system.h"

struct tn_accel;
typedef struct tn_massless {
    tn_system *sys;
    const tn_motion_ops *ops; // how S is known, and
    void *self;               //   by whom: this struct, or the system
    int m;
    // For S by a matrix (massless_matrix.c):
    int *coordinate; // m
    double weight;   // w
    double inertia;  // of S at first, relative to that of its parts: what counts as none
    bool spanned;    // S has been found before
    double *S;       // nv x m
    // For both:
    double *W;      // S^T K S; S, while coordinates are chosen
    double *A;      // factors of S^T D S, bands as all m x m matrices
    int band, most; // diagonals on either side
    double largest; // entry of D
    int *pivot;     // m
    double *z;      // m
    double *step;   // m
    double *rt;     // m
    double *motion; // nv
    double *x;      // nv
    double *y;      // nv
    double *zeros;  // nv + ng + nn
    void *block;
} tn_massless;

// Analysis: coordinates (nv at most) in which the motions without inertia differ, and their number.
// Rows of C that repeat others, not active, are left out: they may be nothing but round-off.
// Inertias up to tol times the largest of the part of the model that joints connect count as none.
// If none of them does, as last evaluated, and `suspected` is false, there is no search. None
// without a matrix. Allocates.
tn_status tn_massless_find(tn_system *sys, const tn_point *at, const int *active, double tol,
                           bool suspected, int *coordinate, int *count);

// The inertia up to which each velocity (nv) counts as without: tol times the largest entry of M
// among those that M and C connect with it, blocks as last evaluated. Allocates.
tn_status tn_massless_least(const tn_system *sys, double tol, double *least);

// For a system with nmassless > 0; NULL in *out for others.
tn_status tn_massless_create(tn_system *sys, tn_massless **out);
void tn_massless_destroy(tn_massless *ml);
void tn_massless_values(tn_massless *ml, tn_values *v);
int tn_massless_count(const tn_massless *ml);
// Column k of S, nv, valid until the next.
const double *tn_massless_motion(tn_massless *ml, int k);

// Systems with tn_massless_ops need no matrix: S is theirs, and so are solutions. The factors that
// S and tn_recursive_ops.solve rest on, alone and with M a = f up to S^T f; a has no part in S.
tn_status tn_massless_factor(tn_massless *ml, const tn_point *at);
tn_status tn_massless_accelerate(tn_massless *ml, const tn_point *at, double *a);

// Those with a matrix.
//

// Adds w E E^T to the values of a matrix that has M in its first rows; `diagonal` are their slots.
void tn_massless_fill(tn_massless *ml, const int *diagonal, double *val);
// S, after the matrix has been factored. *poor: other coordinates distinguish the motions better;
// they have been taken, and the matrix is to be filled and factored anew.
tn_status tn_massless_span(tn_massless *ml, struct tn_accel *acc, bool *poor);

// The following need S at the point.
//
// Newton's method for zeta: replaces v by v + S zeta with S^T f = 0, to round-off.
tn_status tn_massless_velocity(tn_massless *ml, const tn_point *at, double *v);
// Completes accelerations: a solves M a + C^T lambda = f up to S z, which follows from the
// derivative of S^T f = 0 along the motion.
tn_status tn_massless_acceleration(tn_massless *ml, const tn_point *at, double *a);
// x -= S (S^T D S)^-1 S^T D x with D as last evaluated, at the point: what dampers alone make of x
// where the motions without inertia follow at once.
tn_status tn_massless_follow(tn_massless *ml, const tn_point *at, double *x);
void tn_massless_remove(const tn_massless *ml, double *x); // what a solution x has of S
// The largest rate of (S^T D S)^-1 S^T K S, blocks as last evaluated, at the point: how fast
// motions without inertia come to rest [1/s].
tn_status tn_massless_rate(tn_massless *ml, const tn_point *at, double *rate);

// TN_ERR_MODEL with a sentence where the velocities are not determined: which motion, and what is
// missing. Allocates.
tn_status tn_massless_judge(tn_massless *ml, const tn_point *at);
// "body 'a', x" or "the motion of body 'a', x (1) with body 'b', x (-0.5)" for a direction.
void tn_motion_text(const tn_system *sys, const double *direction, char *text, size_t size);

extern const tn_motion_ops tn_motions_by_matrix; // self: tn_massless
