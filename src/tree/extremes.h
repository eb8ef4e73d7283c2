// SPDX-License-Identifier: MIT
//
// Speeds of the bodies of a mechanism: the largest of each quantity over all of them, in squares,
// to save a root for each body.

#pragma once

#include "tenon/spatial.h"

#include <math.h>

// Motion of the centre of mass of a body, in inertial axes; rates of turning may be in any.
typedef struct tn_centre {
    tn_vec3 place, velocity, acceleration, rate, rate_dot;
} tn_centre;

typedef struct tn_extremes {
    double speed; // of centres of mass, and at the radius of gyration from them
    double rate, gain, rate_gain, far;
} tn_extremes;

// A body with the square of its radius of gyration.
static inline void tn_extremes_see(tn_extremes *most, const tn_centre *x, double gyration)
{
    const double around = tn_v3_dot(x->rate, x->rate);
    most->speed = fmax(most->speed, fmax(tn_v3_dot(x->velocity, x->velocity), around * gyration));
    most->rate = fmax(most->rate, around);
    most->gain = fmax(most->gain, tn_v3_dot(x->acceleration, x->acceleration));
    most->rate_gain = fmax(most->rate_gain, tn_v3_dot(x->rate_dot, x->rate_dot));
    most->far = fmax(most->far, tn_v3_dot(x->place, x->place));
}
