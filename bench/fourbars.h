// SPDX-License-Identifier: MIT
//
// A row of planar four-bar linkages that share their links: n + 1 links hang from pivots on a line,
// n couplers join the tips of neighbours. One freedom, n loops, never stretched.
//
//     o-----o-----o--          pivots at x = 0, 1, 2, …
//      \     \     \           links of 1 m and 1.1 m in turn, at first 0.7 rad off the vertical
//       o=====o=====o==        couplers
//
// All parts are uniform rods, described by their middle and angle.

#pragma once

#include <math.h>
#include <stdlib.h>

static const double GRAVITY = 9.81, DENSITY = 2.0; // [m/s^2, kg/m]

typedef struct rod {
    double x, y, angle, length; // middle, direction
    double mass, inertia;
} rod;

typedef struct pin { // end points: +1 and -1 times half the length along the rod
    int a, b;        // rods; a is -1 for the ground
    double end_a, end_b;
    double x, y; // at the start
} pin;

typedef struct fourbars {
    int nrod, npin;
    rod *rods; // links, then couplers
    pin *pins;
} fourbars;

static inline rod rod_between(double x0, double y0, double x1, double y1)
{
    const double length = hypot(x1 - x0, y1 - y0);
    return (rod){.x = 0.5 * (x0 + x1),
                 .y = 0.5 * (y0 + y1),
                 .angle = atan2(y1 - y0, x1 - x0),
                 .length = length,
                 .mass = DENSITY * length,
                 .inertia = DENSITY * length * length * length / 12.0};
}

static inline fourbars fourbars_create(int loops)
{
    fourbars m = {.nrod = 2 * loops + 1, .npin = 3 * loops + 1};
    double tip_x = 0.0, tip_y = 0.0;
    m.rods = calloc((size_t)m.nrod, sizeof *m.rods);
    m.pins = calloc((size_t)m.npin, sizeof *m.pins);
    for (int k = 0, p = 0; k <= loops; k++) {
        const double length = k % 2 ? 1.1 : 1.0;
        const double x = k + length * sin(0.7), y = -length * cos(0.7);
        m.rods[k] = rod_between(k, 0.0, x, y);
        m.pins[p++] = (pin){-1, k, 0.0, -1.0, k, 0.0};
        if (k > 0) {
            const int coupler = loops + k;
            m.rods[coupler] = rod_between(tip_x, tip_y, x, y);
            m.pins[p++] = (pin){k - 1, coupler, 1.0, -1.0, tip_x, tip_y};
            m.pins[p++] = (pin){coupler, k, 1.0, 1.0, x, y};
        }
        tip_x = x;
        tip_y = y;
    }
    return m;
}

static inline void fourbars_destroy(fourbars *m)
{
    free(m->rods);
    free(m->pins);
}
