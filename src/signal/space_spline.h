// SPDX-License-Identifier: MIT
//
// Splines of degree 5 through points in space (signal/quintic.h), as functions of their length as
// far as this can be had: |c'| is 1 up to the order of the spline.

#pragma once

#include "signal/quintic.h"
#include "tenon/spatial.h"

typedef struct tn_space_spline {
    int pieces;
    double *knot;                      // pieces + 1, from 0 on
    double (*coefficient)[TN_QUINTIC]; // of x, y and z by turns
} tn_space_spline;

// Through n points, no neighbours of which coincide; a closed one (5 at least) goes on from the
// last to the first. Otherwise there are 3 at least, and `direction` (unit vectors at the start and
// the end, either may be NULL) says where an end goes to. TN_RETRY_SINGULAR where distances are too
// uneven. tn_space_spline_clear it, also where it failed.
tn_status tn_space_spline_make(int n, const tn_vec3 *points, bool closed,
                               const tn_vec3 *const direction[2], tn_space_spline *out);
void tn_space_spline_clear(tn_space_spline *spline);
// The place c and its derivative d at `a`, from 0 to the last knot.
void tn_space_spline_at(const tn_space_spline *spline, double a, tn_vec3 *c, tn_vec3 *d);
