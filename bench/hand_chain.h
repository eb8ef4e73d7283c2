// SPDX-License-Identifier: MIT
//
// A chain of n equal rods in the plane by hand, each 1/n of a metre and of a kilogram, hanging from
// the origin. Unknowns are the angles of the rods against the x axis and their rates.
//
// With a the acceleration of the upper end of rod i, less gravity, e and nu the unit vectors along
// and across it, and the force K a + f that moves the rods from i on (zero behind the last),
//
//   u = l K nu + m l / 2 nu,   D = m l^2 / 3 + l nu . l K nu,   b = l nu . (f - l w^2 K e)
//   w' = -(u . a + b) / D,     next a = a + l w' nu - l w^2 e
//   K <- K + m - u u^T / D,    f <- f - w^2 (l K e + m l / 2 e) - u b / D
//
// which are Newton's and Euler's equations of one rod about its upper end: one recursion from the
// tip to the origin, and one back.

#pragma once

#include "base/sincos.h"
#include "plain_dop853.h"

typedef struct chain_rod {
    double ux, uy, b; // u / D and b / D
} chain_rod;

typedef struct hand_chain {
    int n;
    double m, l;
    double *sine, *cosine;
    chain_rod *rods;
} hand_chain;

static hand_chain hand_chain_create(int n)
{
    hand_chain s = {.n = n, .m = 1.0 / n, .l = 1.0 / n};
    s.sine = malloc((size_t)n * sizeof *s.sine);
    s.cosine = malloc((size_t)n * sizeof *s.cosine);
    s.rods = malloc((size_t)n * sizeof *s.rods);
    return s;
}

static void hand_chain_destroy(hand_chain *s)
{
    free(s->sine);
    free(s->cosine);
    free(s->rods);
}

static void hand_chain_rates(void *user, const double *z, double *zdot)
{
    const hand_chain *s = user;
    const int n = s->n;
    const double m = s->m, l = s->l, half = 0.5 * m, *w = z + n;
    double Kxx = 0.0, Kxy = 0.0, Kyy = 0.0, fx = 0.0, fy = 0.0;
    tn_sincos(n, z, s->sine, s->cosine);
    for (int i = n - 1; i >= 0; i--) { // lengths in units of l
        const double ex = s->cosine[i], ey = s->sine[i], ww = l * w[i] * w[i];
        const double Kex = Kxx * ex + Kxy * ey, Key = Kxy * ex + Kyy * ey;
        const double ux = Kxy * ex - (Kxx + half) * ey;
        const double uy = (Kyy + half) * ex - Kxy * ey;
        const double D = 1.0 / (uy * ex - ux * ey - m / 6.0);
        const double gx = fx - ww * Kex, gy = fy - ww * Key;
        const double b = D * (gy * ex - gx * ey);
        s->rods[i] = (chain_rod){D * ux, D * uy, b};
        fx = gx - ww * half * ex - b * ux;
        fy = gy - ww * half * ey - b * uy;
        Kxx += m - D * ux * ux;
        Kxy -= D * ux * uy;
        Kyy += m - D * uy * uy;
    }
    double ax = 0.0, ay = 9.81;
    for (int i = 0; i < n; i++) {
        const chain_rod *r = &s->rods[i];
        const double ex = s->cosine[i], ey = s->sine[i], ww = l * w[i] * w[i];
        const double wdot = -(r->ux * ax + r->uy * ay + r->b);
        ax += -wdot * ey - ww * ex;
        ay += wdot * ex - ww * ey;
        zdot[i] = w[i];
        zdot[n + i] = wdot / l;
    }
}
