// SPDX-License-Identifier: MIT
//
// Own kinds inside the library (tenon/extend.h). One file per family turns a public table into the
// table of functions that the library knows: own_force.c, own_joint.c, own_function.c. Rows of own
// joints are one more form of rows (row.h).

#pragma once

#include "model/family.h"
#include "model/force.h"
#include "model/joint.h"
#include "model/row_linear.h"
#include "tenon/extend.h"

enum { TN_OWN_MOST = 64, TN_OWN_PARAMS = 24 }; // kinds of a family, rows of a parameter table

// The kinds of a family that were added, from 0 on; NULL behind the last one.
const void *tn_own_at(tn_family family, int i);
int tn_own_count(tn_family family);
// Checks what all tables share and that the name is free: `most` is the room for parameters.
tn_status tn_own_check(const tn_own_kind *kind, size_t most, bool functions);
// Copies a parameter table whose struct begins at `from` of a definition.
void tn_own_params(const tn_own_kind *kind, size_t from, tn_param out[TN_OWN_PARAMS]);
// Puts a finished kind at the end of its family, or frees it where the name is taken. *number is
// its place among the own ones.
tn_status tn_own_push(tn_family family, const char *name, void *kind, int *number);

// NULL where there is no such kind.
const tn_force_ops *tn_own_force_ops(int number);
const tn_joint_ops *tn_own_joint_ops(int number);
const tn_own_force *tn_own_force_table(const tn_force_ops *ops);
const tn_own_joint *tn_own_joint_table(const tn_joint_ops *ops);
const tn_own_function *tn_own_function_table(int kind);

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

// Differences of fourth order: what is added up at so many steps from a place, over the step.
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

// Of variation k of 12, or of 6 of one frame: shifts along and turns about inertial axes.
static inline double tn_own_step(const tn_own_steps *steps, int k)
{
    return k % 6 < 3 ? steps->shift : steps->turn;
}

// Applies variation k (0 to 5) of a frame, by h [m] or [rad].
tn_frame tn_own_vary(tn_frame x, int k, double h);

// Derivatives by the frames of a pair become derivatives by its bodies, whose twists are those at
// their reference points: with V_f = X V and forces f at the frames, w = X^T w_f.
void tn_own_gradient_on_bodies(const tn_pair *at, double G[12]);
// X^T A X, and what the arms of f add where they turn.
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
// By the frames themselves, and what an own joint sees of them.
tn_joint_at tn_own_joint_place(tn_frame a, tn_frame b, const tn_joint_def *own);
void tn_own_frame_gradient(const tn_row *row, tn_frame a, tn_frame b, const tn_joint_def *own,
                           double G[12]);
void tn_own_frame_hessian(const tn_row *row, tn_frame a, tn_frame b, const tn_joint_def *own,
                          double H[12][12]);

// Functions of time -------------------------------------------------------------------------------

void tn_own_function_eval(const tn_own_function *f, const void *params, double t, double u[3]);
bool tn_own_function_next_kink(const tn_own_function *f, const void *params, double t, double end,
                               tn_kink *out); // as tn_timefn_next_kink

// Checks at the start of elements -----------------------------------------------------------------

// TN_ERR_MODEL where what the kind of an element gives is not what differences give, at the start
// and nearby; `element` begins the sentence. All in the units of the model: the frames of a joint;
// the pair of a force, and the coordinate of its law with its rate; the time of a function, which
// may be one of the library. Bits of `still` are those of the 12 variations that its bodies never
// make, by which derivatives need not be right.
tn_status tn_own_check_joint(const char *element, const tn_joint_def *def, tn_frame a, tn_frame b,
                             unsigned still);
tn_status tn_own_check_force(const char *element, const tn_force_data *data, double t,
                             const tn_pair *pair, double x, double rate, unsigned still);
tn_status tn_own_check_function(const char *element, const tn_timefn *f, double t);

// For these and tn_check_kind ---------------------------------------------------------------------

// What an own force sees, but for the coordinate of a law; u has room for its functions.
tn_force_at tn_own_force_place(const tn_force_data *data, double t, const tn_pair *at,
                               double (*u)[3]);
// By differences in SI units, whatever the kind gives. A law has its step in `step`.
void tn_own_force_differences(const tn_own_force *table, const tn_force_at *at, tn_own_steps steps,
                              tn_own_tangent *out);
void tn_own_law_differences(const tn_own_force *table, const tn_force_at *at, double step,
                            tn_own_law *law);
void tn_own_gradient_differences(const tn_own_joint *table, const tn_joint_at *at, int i,
                                 tn_own_steps steps, double G[12]);
// Of the gradient that the kind gives.
void tn_own_hessian_differences(const tn_own_joint *table, const tn_joint_at *at, int i,
                                tn_own_steps steps, double H[12][12]);
void tn_own_function_differences(const tn_own_function *f, const tn_function_at *at, double step,
                                 double u[2]);
// Freedom i of a placement as a motion by `stride` along it shows it.
tn_twist tn_own_freedom(const tn_own_joint *table, const tn_joint_at *at, const double *q, int i,
                        double stride);
