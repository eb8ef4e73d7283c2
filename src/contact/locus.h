// SPDX-License-Identifier: MIT
//
// Curves and surfaces in space by three expressions: c(s), or c(u, v), with exact first and second
// derivatives (contact/mapping.h). A direction in which both ends agree in place and derivatives
// goes round for ever.

#pragma once

#include "contact/mapping.h"
#include "tenon/spatial.h"
#include "text/param.h"

typedef struct tn_locus {
    int narg; // 1: a curve, 2: a surface
    tn_mapping *by[3];
    double from[2], to[2];
    bool round[2];
    double size; // half the diagonal of its box [m]
} tn_locus;

typedef struct tn_locus_at {
    tn_vec3 c, d[2], dd[3]; // c; c_u, c_v; c_uu, c_uv, c_vv
} tn_locus_at;

// `end` is that of the keys in the sentences of errors, which begin with `what`. tn_locus_clear it,
// also where it failed.
tn_status tn_locus_make(const tn_model *model, int narg, const tn_locus_def *def, const char *what,
                        const char *end, tn_locus *out);
void tn_locus_clear(tn_locus *locus);
tn_locus_at tn_locus_eval(const tn_locus *locus, const double *a);
double tn_locus_sample(const tn_locus *locus, int direction, int i, int n); // number i of n
// Returns true if a is between the ends; a periodic one is put there.
bool tn_locus_within(const tn_locus *locus, double *a);

#define TN_LOCUS_PARAM(member, kind, key, unit, ...) \
    TN_PARAM(tn_joint_def, member, kind, key, unit, __VA_ARGS__)

// The expressions of a tn_locus_def that is `locus` of a joint.
#define TN_LOCUS_TEXT(member, key, of) \
    TN_LOCUS_PARAM(member, TEXT, key, "m", .required = true, .role = TN_ROLE_CURVE, .text = of)
#define TN_LOCUS_TEXTS(locus, end, of)                                \
    TN_LOCUS_TEXT(locus.x, "x" end, "x as an expression of " of),     \
        TN_LOCUS_TEXT(locus.y, "y" end, "y as an expression of " of), \
        TN_LOCUS_TEXT(locus.z, "z" end, "z as an expression of " of)
