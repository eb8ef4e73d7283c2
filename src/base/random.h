// SPDX-License-Identifier: MIT
//
// Pseudo-random numbers that are the same in every run and on every machine, for starting vectors
// that must not happen to be special: a linear congruential generator modulo 2^32. Good enough for
// that, and for nothing else.

#pragma once

#include <stdint.h>

static inline double tn_random_next(uint32_t *state) // in [-1/2, 1/2)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)*state / 4294967296.0 - 0.5;
}

static inline void tn_random_fill(uint32_t seed, int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = tn_random_next(&seed);
}
