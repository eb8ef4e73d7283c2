// SPDX-License-Identifier: MIT
//
// Condition numbers (2-norm) of the iteration matrices of discrete principles, as Tenon has them
// and as the tables of [LMO08] do.

#pragma once

#include "linalg/dense.h"
#include "sim/sim.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

typedef struct matrix_condition {
    double plain; // of the matrix of the paper, in SI units
    double ours;  // of the matrix as it is
    int unknowns; // without those of rows that are left out
} matrix_condition;

// What one of unknown i, a velocity or a constraint, is in SI units. Freedoms of `reparam` have the
// names of the coordinates that they move most: displacements, or directors of turns.
static inline double unknown_unit(const tn_discrete *d, int i)
{
    char name[120];
    if (i >= d->sys->nv)
        return tn_system_row_unit(d->sys, i - d->sys->nv);
    d->ops->name(d, i, name, sizeof name);
    return strstr(name, "director") ? 1.0 : d->sys->units.length;
}

static inline double condition_of_full(int n, double *A)
{
    double *values = malloc(sizeof(double) * (size_t)n);
    CHECK_OK(tn_singular_values(n, n, A, values));
    const double condition = values[0] / values[n - 1];
    free(values);
    return condition;
}

// Unknowns whose rows take part; how many.
static inline int unknowns_kept(const tn_discrete *d, int *keep)
{
    int m = 0;
    for (int i = 0; i < d->n; i++)
        if (i < d->sys->nv || d->active[i - d->sys->nv])
            keep[m++] = i;
    return m;
}

// Of the matrix of the last iteration. Scaled back, that of the form with multipliers is that of
// (22), or of M (v1 - v0) and what belongs to it, with unknowns q1 = q0 + h u and
// lambda = J / (share h) and rows g instead of g / h, in SI units. Forms without multipliers have
// one power of h for all, so that units alone differ.
static inline matrix_condition condition_of(const tn_sim *sim, double h, double share)
{
    const tn_discrete *d = sim->discrete;
    const int nv = d->sys->nv, n = d->n;
    const double energy = tn_unit_energy(d->sys->units);
    const size_t size = sizeof(double) * (size_t)n * (size_t)n;
    double *full = malloc(size), *plain = malloc(size), *ours = malloc(size);
    double *unit = malloc(sizeof(double) * (size_t)n);
    int *keep = malloc(sizeof(int) * (size_t)n);
    const int m = unknowns_kept(d, keep);
    for (int i = 0; i < m; i++)
        unit[i] = unknown_unit(d, keep[i]);
    d->ops->dense(d, full);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {
            const double a = unit[i], b = unit[j];
            const double row = keep[i] >= nv ? a * h : energy / a / share;
            const double column = keep[j] >= nv ? b / energy * share * h : 1.0 / (b * h);
            ours[i + j * m] = full[keep[i] + keep[j] * n];
            plain[i + j * m] = row * column * ours[i + j * m];
        }
    const matrix_condition c = {
        .plain = condition_of_full(m, plain), .ours = condition_of_full(m, ours), .unknowns = m};
    free(full);
    free(plain);
    free(ours);
    free(unit);
    free(keep);
    return c;
}
