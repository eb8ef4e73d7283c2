// SPDX-License-Identifier: MIT
//
// Rows of own joints (tenon/extend.h) as one more form of rows (row.h), and the differences by
// which derivatives are formed that a kind does not give.

#pragma once

#include "row/row_linear.h"
#include "tenon/extend.h"

// Units -------------------------------------------------------------------------------------------

// One unit of length, mass and time in SI units; zeros stand for ones.
static inline double tn_own_unit(const tn_own_values *own, int i)
{
    return own->unit[i] > 0.0 ? own->unit[i] : 1.0;
}

static inline tn_frame tn_own_frame(tn_frame x, double length)
{
    x.p = tn_v3_scale(length, x.p);
    return x;
}

// Variations --------------------------------------------------------------------------------------

// Differences of fourth order: sums of values at so many steps from a place, over the step.
enum { TN_OWN_POINTS = 4 };
extern const double tn_own_point[TN_OWN_POINTS], tn_own_weight[TN_OWN_POINTS];

// Steps of shifts [m], also of velocities [m/s], and of turns [rad], also of rates [rad/s].
typedef struct tn_own_steps {
    double shift, turn;
} tn_own_steps;

// For models of that size: twice or half of it costs a digit.
static inline tn_own_steps tn_own_steps_for(double length)
{
    return (tn_own_steps){2e-3 * length, 2e-3};
}

// Step of variation k of 12, or of 6 of one frame: shifts along and turns about inertial axes.
static inline double tn_own_step(const tn_own_steps *steps, int k)
{
    return k % 6 < 3 ? steps->shift : steps->turn;
}

// Applies variation k (0 to 5) of a frame, by h [m] or [rad].
tn_frame tn_own_vary(tn_frame x, int k, double h);

// Derivatives by the frames of a pair become derivatives by its bodies, whose twists are those at
// their reference points: with V_f = X V and forces f at the frames, w = X^T w_f.
void tn_own_gradient_on_bodies(const tn_pair *at, double G[12]);
// X^T A X, and the part of the arms of f as they turn.
void tn_own_matrix_on_bodies(const tn_pair *at, const double *f, double A[12][12]);

// Rows --------------------------------------------------------------------------------------------

// As the functions of row.h and row_linear.h, of TN_ROW_OWN.
double tn_own_row_value(const tn_row *row, tn_frame a, tn_frame b, const tn_joint_def *own);
void tn_own_row_gradient(const tn_row *row, const tn_pair *at, double G[12]);
void tn_own_row_hessian(const tn_row *row, const tn_pair *at, double scale, double H[12][12]);
// On frames that need not be orthonormal, as in row_linear.h.
void tn_own_nearest(const tn_linear_pair *at, tn_pair *out); // frames with the nearest rotations
void tn_own_linear_gradient(const tn_row *row, const tn_linear_pair *at, double G[24]);
void tn_own_linear_hessian(const tn_row *row, const tn_linear_pair *at, double scale,
                           double H[24][24]);
double tn_own_linear_curvature(const tn_row *row, const tn_linear_pair *at);
void tn_own_mean_gradient(const tn_row *row, const tn_linear_span *over, double D[24]);
void tn_own_mean_tangent(const tn_row *row, const tn_linear_span *over, double scale,
                         double T[24][24]);
// By the frames themselves, and their motion for a user-defined joint.
tn_joint_at tn_own_joint_place(tn_frame a, tn_frame b, const tn_joint_def *own);
void tn_own_frame_gradient(const tn_row *row, tn_frame a, tn_frame b, const tn_joint_def *own,
                           double G[12]);
void tn_own_frame_hessian(const tn_row *row, tn_frame a, tn_frame b, const tn_joint_def *own,
                          double H[12][12]);

// By differences in SI units, whatever the kind gives; second ones of the gradient that it gives.
void tn_own_gradient_differences(const tn_own_joint *table, const tn_joint_at *at, int i,
                                 tn_own_steps steps, double G[12]);
void tn_own_hessian_differences(const tn_own_joint *table, const tn_joint_at *at, int i,
                                tn_own_steps steps, double H[12][12]);
