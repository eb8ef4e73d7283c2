// SPDX-License-Identifier: MIT
//
// Parameter tables: the values that a kind of body, joint or force, a simulation or a command may
// state, one row for each value. The reader of model files, the range checks, `tenon help` and the
// options of the command are read off these tables. Tables are constant: any thread may read them.

#pragma once

#include "tenon/base.h"

#include <stdbool.h>

// The type of a value, and the C type that stores it.
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

// The numbers that are allowed.
typedef enum tn_range {
    TN_ANY,
    TN_NONNEGATIVE,
    TN_POSITIVE,
    TN_NONZERO,
    TN_UNIT_INTERVAL, // 0 to 1
    TN_AT_LEAST_ONE,
    TN_UNBOUNDED // any number, infinity included: a limit that may be absent
} tn_range;

// The meaning of a value beyond its type, where a part of a model is placed and its names get a
// prefix.
typedef enum tn_role {
    TN_ROLE_PLAIN,
    TN_ROLE_POINT,      // a point in the inertial frame
    TN_ROLE_DIRECTION,  // a vector in inertial axes
    TN_ROLE_ROTATION,   // a rotation in the inertial frame
    TN_ROLE_EXPRESSION, // a text that is an expression
    TN_ROLE_CURVE,      // the same of s along a curve, or of u and v on a surface
    TN_ROLE_FILE        // a text that names a file
} tn_role;

// One row: a value that may be stated.
typedef struct tn_param {
    const char *name; // key in the file
    tn_param_type type;
    const char *unit; // "N/m", "" for none
    tn_range range;
    double fallback;  // default of numbers, 1: of bools; else the tn_default_… function sets it
    const char *word; // default of texts; NULL: the first of `choices`, if there are any
    const char *zero; // of numbers: a word that may be stated for 0; NULL for none
    bool required;
    const char *text;           // one line for help and the reference page
    size_t offset;              // in the definition struct
    size_t given;               // offset of a bool that says the key was stated, 0 for none
    const char *const *choices; // for TN_PARAM_CHOICE and TN_PARAM_TEXT, ends with NULL
    int readers;                // of options of a simulation: which methods read it
    const char *needs;          // of options of a command: another one, without which it is of no
                                // effect; NULL for none
    bool affine; // of force elements: forces are affine in it, so that it may be an expression of
                 // the state
    bool damps;  // of these: its work is dissipated
    tn_role role;
} tn_param;

// Returns the words for a type: "number", "three numbers", …
TN_API const char *tn_param_type_text(tn_param_type type);

// Reads a value from text into *value, which has the type of the row; only numbers, integers, texts
// (which then point to `text`) and lists of numbers, "0.5,0.7", can be read so. Range and choices
// are checked. `what` begins the sentence of an error: "--step".
TN_API tn_status tn_param_read(const tn_param *param, const char *text, const char *what,
                               void *value);
// Frees the memory that tn_param_read took for a list, also where it failed; nothing is done to
// other values.
TN_API void tn_param_clear(const tn_param *param, void *value);
