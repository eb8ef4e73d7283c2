// SPDX-License-Identifier: MIT
//
// Stability of large mechanisms at rest, without dense matrices: the lowest values mu of
//
//   K x + C^T y = mu M x,   C x = 0
//
// by Lanczos' method with the inverse of the shifted matrix [Par98],
//
//   x -> (K + s M)^-1 M x  on C x = 0,    theta = 1 / (mu + s),
//
// which is symmetric in the product of M. For s > 0 a stable mechanism has 0 < theta < 1/s. A
// negative theta is a mu < -s, one above 1/s a mu between -s and 0: both are unstable. Lanczos
// finds the extreme theta first, so a shift sees the mu of about its own size and below; shifts
// from small to large see them all.

#include "analysis/equilibrium.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdio.h>

enum { MOST_VECTORS = 40 };
static const double SHIFTS[] = {1e-11, 1e-8, 1e-5, 1e-2, 1e1}; // by K / M
static const double RESIDUAL = 1e-6;                           // of a value that counts, by theta
static const double SAME = 1e-7; // x^T K y and y^T K x of a symmetric K

typedef struct lanczos {
    tn_equilibrium *s;
    int n;                      // vectors so far
    double *V;                  // nv x (MOST_VECTORS + 1), orthonormal by M
    double *T;                  // MOST_VECTORS^2
    double theta[MOST_VECTORS]; // increasing
    double beta;                // last one
    double lowest;              // mu that was found
    double *direction;          // nv: its motion
} lanczos;

static double by_mass(lanczos *l, const double *x, const double *y)
{
    tn_equilibrium *s = l->s;
    tn_zero(s->sys->nv, s->y1);
    tn_sparse_mul(s->sys->block[TN_BLOCK_M], 1.0, x, s->y1);
    return tn_dot(s->sys->nv, y, s->y1);
}

tn_status tn_eq_solve_motion(tn_equilibrium *s, const double *b, double *x)
{
    tn_zero(s->n, s->other);
    tn_copy(s->sys->nv, b, s->other);
    TN_TRY(tn_eq_solve(s, s->other));
    tn_copy(s->sys->nv, s->other, x);
    return TN_OK;
}

// x becomes (K + s M)^-1 M x on C x = 0.
static tn_status apply_lanczos(lanczos *l, double *x)
{
    tn_eq_times_mass(l->s, x, l->s->y1);
    return tn_eq_solve_motion(l->s, l->s->y1, x);
}

// Takes the parts along the vectors out of x, twice: then the order in which it is done does not
// matter, and one product with M does for all. Coefficients into h (or NULL).
static void take_out(lanczos *l, double *x, double *h)
{
    tn_equilibrium *s = l->s;
    const int nv = s->sys->nv;
    double part[MOST_VECTORS];
    for (int twice = 0; twice < 2; twice++) {
        tn_eq_times_mass(s, x, s->y1);
        tn_inner(nv, l->n, l->V, 1, s->y1, part);
        for (int i = 0; i < l->n; i++) {
            tn_axpy(nv, -part[i], tn_column_of(l->V, nv, i), x);
            if (h)
                h[i] += part[i];
        }
    }
}

static tn_status build_space(lanczos *l)
{
    const int nv = l->s->sys->nv;
    double *x = tn_column_of(l->V, nv, 0);
    tn_random_fill(1, nv, x);
    l->n = 0;
    tn_zero(MOST_VECTORS * MOST_VECTORS, l->T);
    TN_TRY(apply_lanczos(l, x)); // into C x = 0, and without motions that have no inertia
    double size = sqrt(by_mass(l, x, x)), first = 0.0;
    if (!(size > 0.0))
        return TN_OK;
    tn_scale(nv, 1.0 / size, x);
    for (l->n = 1; l->n <= MOST_VECTORS; l->n++) {
        double h[MOST_VECTORS] = {0};
        double *next = tn_column_of(l->V, nv, l->n);
        tn_copy(nv, tn_column_of(l->V, nv, l->n - 1), next);
        TN_TRY(apply_lanczos(l, next));
        take_out(l, next, h);
        for (int i = 0; i < l->n; i++)
            l->T[(l->n - 1) * MOST_VECTORS + i] = h[i];
        l->beta = sqrt(fmax(0.0, by_mass(l, next, next)));
        first = fmax(first, fabs(h[l->n - 1]));
        if (l->n == MOST_VECTORS || !(l->beta > TN_ROUND_SOLVE * first))
            return TN_OK;
        tn_scale(nv, 1.0 / l->beta, next);
    }
    return TN_OK;
}

// Values of the space; T becomes their vectors, n x n.
static tn_status find_values(lanczos *l)
{
    const int n = l->n;
    for (int j = 0; j < n; j++) // symmetric but for round-off, packed
        for (int i = 0; i < n; i++)
            l->T[j * n + i] = l->T[j * MOST_VECTORS + i];
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++)
            l->T[j * n + i] = i == j + 1 ? l->T[i * n + j] : 0.0;
    return tn_eigen_symmetric(n, l->T, l->theta);
}

// Reads the values at a shift: how many are unstable and neutral, the lowest mu and its motion.
static void read_values(lanczos *l, double shift, double zero, int *unstable, int *neutral)
{
    const int n = l->n, nv = l->s->sys->nv;
    *unstable = *neutral = 0;
    for (int i = 0; i < n; i++) {
        const double theta = l->theta[i], mu = 1.0 / theta - shift;
        const double *y = l->T + (size_t)i * (size_t)n;
        if (!(l->beta * fabs(y[n - 1]) <= RESIDUAL * fabs(theta)))
            continue;
        *unstable += mu < -zero;
        *neutral += fabs(mu) <= zero;
        if (mu < l->lowest) {
            l->lowest = mu;
            tn_zero(nv, l->direction);
            tn_add_columns(nv, n, 1.0, l->V, y, l->direction);
        }
    }
}

static tn_status judge_shifts(lanczos *l)
{
    tn_equilibrium *s = l->s;
    tn_equilibrium_facts *f = &s->facts;
    const double M = tn_sparse_norm1(s->sys->block[TN_BLOCK_M]);
    const double size = tn_sparse_norm1(s->sys->block[TN_BLOCK_K]) / M;
    for (int k = 0; k < TN_COUNT(SHIFTS); k++) {
        int unstable, neutral;
        const tn_status status = tn_eq_factor(s, SHIFTS[k] * size);
        if (status == TN_RETRY_SINGULAR)
            continue;
        TN_TRY(status);
        TN_TRY(build_space(l));
        TN_TRY(find_values(l));
        read_values(l, SHIFTS[k] * size, TN_ROUND_MATRIX * size, &unstable, &neutral);
        f->unstable = tn_larger(f->unstable, unstable);
        f->neutral = tn_larger(f->neutral, neutral);
    }
    if (!isfinite(l->lowest))
        return TN_OK;
    f->stability = f->unstable > 0 ? TN_UNSTABLE : f->neutral > 0 ? TN_NEUTRAL : TN_STABLE;
    f->at_least = true;
    f->growth = f->unstable > 0 ? sqrt(-l->lowest) / s->sys->units.time : 0.0;
    tn_eq_name(s, l->direction, s->softest, sizeof s->softest);
    if (f->stability != TN_STABLE)
        snprintf(f->direction, sizeof f->direction, "%s", s->softest);
    return TN_OK;
}

tn_status tn_eq_find_symmetry(tn_equilibrium *s, double tol, bool *out)
{
    const int nv = s->sys->nv;
    double *x = tn_alloc(sizeof(double) * (3 * (size_t)nv + 1));
    TN_TRY(tn_got(x));
    double *y = x + nv, *Ky = y + nv;
    tn_random_fill(2, 2 * nv, x); // and y
    tn_status status = tn_eq_solve_motion(s, x, x);
    TN_THEN(status, tn_eq_solve_motion(s, y, y));
    tn_eq_times_stiffness(s, y, Ky);
    const double a = tn_dot(nv, x, Ky), most = tn_norm2(nv, x) * tn_norm2(nv, Ky);
    tn_eq_times_stiffness(s, x, Ky);
    *out = fabs(a - tn_dot(nv, y, Ky)) <= tol * fmax(most, tn_norm2(nv, y) * tn_norm2(nv, Ky));
    tn_free(x);
    return status;
}

// Left open: steady rotation, unsymmetric stiffness, and unknowns beside the position.
tn_status tn_eq_judge_large(tn_equilibrium *s, double *direction)
{
    lanczos l = {.s = s, .lowest = INFINITY};
    const size_t nv = (size_t)s->sys->nv;
    bool symmetric = false;
    if (tn_v3_norm(s->spin) > 0.0 || s->np > 0)
        return TN_OK;
    l.V = tn_alloc(sizeof(double) * (nv * (MOST_VECTORS + 2) + MOST_VECTORS * MOST_VECTORS));
    TN_TRY(tn_got(l.V));
    l.direction = l.V + nv * (MOST_VECTORS + 1);
    l.T = l.direction + nv;
    tn_status status = tn_eq_linearise(s, &s->now);
    const double M = tn_sparse_norm1(s->sys->block[TN_BLOCK_M]);
    TN_THEN(status, tn_eq_factor(s, tn_sparse_norm1(s->sys->block[TN_BLOCK_K]) / M));
    if (status == TN_OK)
        status = tn_eq_find_symmetry(s, SAME, &symmetric);
    else if (status == TN_RETRY_SINGULAR)
        status = TN_OK;
    if (symmetric)
        TN_THEN(status, judge_shifts(&l));
    if (status == TN_OK && direction)
        tn_copy(s->sys->nv, l.direction, direction);
    tn_free(l.V);
    return status;
}
