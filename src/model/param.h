// SPDX-License-Identifier: MIT
//
// Parameter tables. Each kind of body, joint, force, integrator and analysis lists its parameters
// once; the model reader, the range checks, `tenon help` and the reference page all read that list.

#pragma once

#include "base/status.h"

typedef enum tn_param_type {
    TN_PARAM_NUMBER,    // double
    TN_PARAM_INTEGER,   // int
    TN_PARAM_BOOL,      // bool
    TN_PARAM_VEC3,      // tn_vec3
    TN_PARAM_ROTATION,  // tn_mat3, from a quaternion, angles, or axis and angle
    TN_PARAM_FUNCTION,  // tn_function: number, expression or table
    TN_PARAM_FUNCTION3, // three of them
    TN_PARAM_BODY,      // tn_body by name
    TN_PARAM_JOINT,     // tn_joint by name
    TN_PARAM_TABLE,     // list of [x, f] pairs, into (int n, const double *x, const double *f)
    TN_PARAM_CHOICE,    // int, one of a list of names
    TN_PARAM_TEXT,      // const char *, one of `choices` when there are any
    TN_PARAM_NUMBERS    // list of numbers, into (int n, const double *x)
} tn_param_type;

typedef enum tn_range {
    TN_ANY,
    TN_NONNEGATIVE,
    TN_POSITIVE,
    TN_NONZERO,
    TN_UNIT_INTERVAL, // 0 to 1
    TN_AT_LEAST_ONE,
    TN_UNBOUNDED // any number, infinity included: a limit that may be absent
} tn_range;

typedef struct tn_param {
    const char *name; // key in the file
    tn_param_type type;
    const char *unit; // "N/m", "" for none
    tn_range range;
    double fallback; // default of numbers; for others what the tn_default_… function sets
    bool required;
    const char *text;           // one line for help and the reference page
    size_t offset;              // in the definition struct
    size_t given;               // offset of a bool that says the key was stated, 0 for none
    const char *const *choices; // for TN_PARAM_CHOICE and TN_PARAM_TEXT, ends with NULL
    int readers;                // of options of a simulation: who reads it, sim/options.h
    const char *needs;          // of options of a command: another one, without which it is of no
                                // effect; NULL for none
} tn_param;

// Checks a number against a range; `what` is "force 'spring 1': stiffness".
tn_status tn_range_check(tn_range range, double value, const char *what);
const char *tn_range_text(tn_range range);          // "must not be negative"
const char *tn_param_type_text(tn_param_type type); // "number", "three numbers", …

// Sets the numbers of a definition struct to the defaults of its table, and references to none.
void tn_params_default(int n, const tn_param *params, void *def);

// Checks every number and vector of a definition struct against its table: what the file reader and
// the C builders share. `owner` is "force 'spring 1'".
tn_status tn_params_check(int n, const tn_param *params, const void *def, const char *owner);
