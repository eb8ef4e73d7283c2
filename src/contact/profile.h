// SPDX-License-Identifier: MIT
//
// Plane curves c(s) = (x(s), y(s)) on which bodies touch: cams and rails.
//
//   of points   a spline of degree 5 (signal/quintic.h) through them; s is the length of the curve
//               from the first point on [m], but for a small part
//   of text     two expressions of s (contact/mapping.h), between two numbers
//
// A closed curve goes round for ever. An open one goes on beyond its ends by its Taylor polynomial
// of degree 2, so that iterations may go there. Evaluations do not allocate and may run side by
// side.

#pragma once

#include "contact/mapping.h"
#include "signal/quintic.h"
#include "tenon/model.h"

typedef struct tn_profile_at {
    double c[2], d[2], dd[2]; // c [m], c' and c'' by s
} tn_profile_at;

typedef struct tn_profile {
    bool closed;
    double from, to;         // the first and the last s
    double size;             // half the diagonal of its box [m]
    const char *unit;        // of s: "m"; "" of text, which has its own
    tn_profile_at end[2];    // of an open curve
    tn_quintic_curve spline; // of points
    tn_mapping *map[2];      // of text
    int64_t nsample;
    double *s;
    tn_profile_at *sample;
} tn_profile;

// `what` begins the errors: "joint 'valve': profile". At least 4 points, 5 of a closed curve, which
// may repeat the first one at its end.
tn_status tn_profile_of_points(int n, const double *x, const double *y, bool closed,
                               const char *what, tn_profile **out);
// x and y; `keys` name them in errors. Closed where position, direction and curvature at both ends
// agree.
tn_status tn_profile_of_text(const tn_model *model, const char *const text[2],
                             const char *const keys[2], double from, double to, const char *what,
                             tn_profile **out);
void tn_profile_destroy(tn_profile *profile); // NULL is fine

void tn_profile_eval(const tn_profile *profile, double s, tn_profile_at *out);

int tn_profile_area_sign(const tn_profile *profile); // 1: counter-clockwise, -1; 0 of an open one

// Places along the curve, close enough for searches: between neighbours it turns by a few degrees.
// Those of a closed curve do not repeat the first one. Returns how many there are.
int tn_profile_samples(const tn_profile *profile, const tn_profile_at **list, const double **s);

// Refuses a curve that is not finite, jumps, stops (c' = 0), has a corner, or crosses itself.
tn_status tn_profile_check(const tn_profile *profile, const char *what);
