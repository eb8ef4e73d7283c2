// SPDX-License-Identifier: MIT
//
// Linearisation: small motions of a mechanism about an equilibrium or a steady motion as a state
// space with constant matrices,
//
//   x' = A x + B u,    y = C x + D u
//
// in a minimal set of states x that have names, inputs u of the model, and outputs y that are any
// numbers by which results know it.
//
//     tn_linear_options options = tn_default_linear();
//     options.inputs = "push";
//     options.outputs = "rail.displacement,pole.angle";
//     tn_linear *linear = NULL;
//     tn_status s = tn_linear_create(model, &options, &linear);
//     if (s == TN_OK)
//         printf("%d states\n", tn_linear_count(linear, TN_LINEAR_STATES));
//     tn_linear_destroy(linear);
//
// All are deviations from the point that it is taken at. About a steady motion they are those in
// frames that move with it, in which the matrices are constant; where there are no such frames it
// is refused as periodic. Sampled systems hold their values.
//
// The model is kept alive. An object here belongs to one thread at a time.

#pragma once

#include "tenon/base.h"
#include "tenon/equilibrium.h"
#include "tenon/json.h"
#include "tenon/model.h"

// A linear model; tn_linear_destroy it.
typedef struct tn_linear tn_linear;

// The motion about which it is taken.
typedef enum tn_about {
    TN_ABOUT_EQUILIBRIUM, // one that is searched for, at rest or in steady rotation
    TN_ABOUT_START,       // the start of the model, which is an equilibrium or a steady motion
    TN_ABOUT_STATE        // a state that was saved, which is one or the other
} tn_about;

// The motion about which to linearise, and the outputs.
typedef struct tn_linear_options {
    tn_equilibrium_options find; // start, nearest, spin, …: which equilibrium
    tn_about about;
    const tn_saved_state *state;
    double motion; // about a start or a state: its velocities are those of the model times this
    const char *inputs;  // "push,steer"; NULL: all inputs of the model; "": none
    const char *outputs; // "pole.angle,rail.force.x"; NULL: the outputs of the model, or else the
                         // states; "": none
    // "absolute" or "joint": mass, damping and stiffness in these coordinates, too; NULL: none.
    const char *coordinates;
} tn_linear_options;

// About an equilibrium at rest, all inputs and outputs, no other matrices.
TN_API tn_linear_options tn_default_linear(void);

// Finds the point and linearises there. On failure *out is NULL; TN_ERR_NUMERIC where the start is
// no steady motion: the sentence reports the residual, and where.
TN_API tn_status tn_linear_create(const tn_model *model, const tn_linear_options *options,
                                  tn_linear **out);
TN_API void tn_linear_destroy(tn_linear *linear); // NULL is fine

// Lists of names.
typedef enum tn_linear_list {
    TN_LINEAR_STATES,
    TN_LINEAR_INPUTS,
    TN_LINEAR_OUTPUTS,
    TN_LINEAR_COORDINATES, // of the matrices of mass, damping and stiffness: velocities
    TN_LINEAR_ROWS         // of their constraints
} tn_linear_list;

// Number of entries in a list.
TN_API int tn_linear_count(const tn_linear *linear, tn_linear_list list);
// "pole.angle", "pole.angle.rate"; "" where there is none.
TN_API const char *tn_linear_name(const tn_linear *linear, tn_linear_list list, int i);
TN_API const char *tn_linear_unit(const tn_linear *linear, tn_linear_list list, int i);
// The value at the point, of inputs and outputs; NAN for others.
TN_API double tn_linear_nominal(const tn_linear *linear, tn_linear_list list, int i);
TN_API double tn_linear_time(const tn_linear *linear); // of the point [s]
// Angular velocity of the frames from which variations are seen, in a steady motion [rad/s].
TN_API tn_vec3 tn_linear_turning(const tn_linear *linear);
// Sampled systems hold their values in A. If these matter and all periods and delays are whole
// multiples of one time, the loop that they close has poles z over a common period [s], by their
// modulus, 0 of them otherwise: a motion goes on as z^k, and exp(s t) with s = ln(z) / period.
TN_API int tn_linear_pole_count(const tn_linear *linear);
TN_API double tn_linear_period(const tn_linear *linear); // NAN where there are none
TN_API tn_status tn_linear_poles(const tn_linear *linear, double *re, double *im);
// Errors that may enter it (docs/guide/linearize.md has bounds and reasons); it lives as long.
TN_API const tn_verdict *tn_linear_verdict(const tn_linear *linear);

// Matrices.
typedef enum tn_linear_matrix {
    TN_LINEAR_A,
    TN_LINEAR_B,
    TN_LINEAR_C,
    TN_LINEAR_D,
    // In other coordinates: M dv' + D dv + K dq + G^T dlambda = 0, G dq = 0; raw derivatives at the
    // point, without terms of moving frames.
    TN_LINEAR_MASS,
    TN_LINEAR_DAMPING,
    TN_LINEAR_STIFFNESS,
    TN_LINEAR_CONSTRAINTS, // rows of positions, then of velocities
    TN_LINEAR_MATRICES
} tn_linear_matrix;

// "A", "mass", …
TN_API const char *tn_linear_matrix_name(tn_linear_matrix matrix);
// In SI units, column by column; NULL where there is none. It lives as long as the object.
TN_API const double *tn_linear_values(const tn_linear *linear, tn_linear_matrix matrix, int *rows,
                                      int *columns);
// Eigenvalues of A [1/s], as many as there are states, by their modulus.
TN_API tn_status tn_linear_eigenvalues(const tn_linear *linear, double *re, double *im);

// Writes it: FILE.h5 (HDF5), FILE.json, or FILE.csv, blocks of which follow each other; "-" is CSV
// on the standard output.
TN_API tn_status tn_linear_write(const tn_linear *linear, const char *path);
// Puts its members into an object that is begun (tenon/json.h), as FILE.json has them.
TN_API void tn_linear_put(tn_json *json, const tn_linear *linear);
