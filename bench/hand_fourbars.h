// SPDX-License-Identifier: MIT
//
// Coupled four-bars by hand (IFToMM library of benchmarks, problem A02): rods of 1 m and 1 kg on
// pivots at x = 0, 1, 2, …, their tops joined by links that are rods too. Unknowns are the angles
// of all of them against the x axis, link k hangs on rod k, and loop k closes it with rod k + 1:
//
//   e(theta_k) + e(phi_k) - (1, 0) - e(theta_k+1) = 0,      e the unit vector
//
// M has blocks of rod and link, so B M^-1 B^T is tridiagonal in blocks of two. Positions and
// velocities are projected onto the constraints after each step, which singular positions (all rods
// flat) ask for, and steps do not end next to one, as in src/sim/project.c and branch.c. Beside it
// the same equations as one matrix of 41 unknowns.

#pragma once

#include "base/sincos.h"
#include "hand_andrews.h"

enum { LOOPS = 10, BARS = 2 * LOOPS + 1 };

// Order of the angles: rods 0 to LOOPS, then links.
typedef struct hand_fourbars {
    double s[BARS], c[BARS];
    block mass[LOOPS];       // inverse blocks of M: rod k and link k
    pair g[LOOPS], h[LOOPS]; // rows x and y of loop k for these two
    block L[LOOPS];          // inverse diagonal blocks of the factors of B M^-1 B^T
    double off[LOOPS][2][2]; // block of loops k + 1 and k
} hand_fourbars;

static const double LAST_ROD = 3.0; // its inverse inertia

static void fourbars_place(hand_fourbars *f, const double *q)
{
    tn_sincos(BARS, q, f->s, f->c);
    for (int k = 0; k < LOOPS; k++) {
        const int link = LOOPS + 1 + k;
        f->g[k] = (pair){-f->s[k], -f->s[link]};
        f->h[k] = (pair){f->c[k], f->c[link]};
    }
}

static block fourbars_mass(const hand_fourbars *f, int k)
{
    const int link = LOOPS + 1 + k;
    const double across = 0.5 * (f->c[k] * f->c[link] + f->s[k] * f->s[link]);
    return (block){4.0 / 3.0, across, 1.0 / 3.0};
}

// Factors of M and of B M^-1 B^T = L D L^T at the angles q.
static void fourbars_factor(hand_fourbars *f, const double *q)
{
    fourbars_place(f, q);
    for (int k = 0; k < LOOPS; k++)
        f->mass[k] = block_inverse(fourbars_mass(f, k));
    block last = {0.0, 0.0, 0.0}; // what the loop before takes off
    for (int k = 0; k < LOOPS; k++) {
        const block own = condensed(f->mass[k], f->g[k], f->h[k]);
        const bool end = k + 1 == LOOPS;
        const double inverse = end ? LAST_ROD : f->mass[k + 1].xx;
        const double x = f->s[k + 1], y = -f->c[k + 1]; // rows of the next rod
        f->L[k] = block_inverse((block){own.xx + inverse * x * x - last.xx,
                                        own.xy + inverse * x * y - last.xy,
                                        own.yy + inverse * y * y - last.yy});
        if (end)
            break;
        const pair to = {f->mass[k + 1].xx, f->mass[k + 1].xy};
        const double gx = pair_dot(f->g[k + 1], to), hx = pair_dot(f->h[k + 1], to);
        double(*o)[2] = f->off[k];
        o[0][0] = gx * x, o[0][1] = gx * y, o[1][0] = hx * x, o[1][1] = hx * y;
        last = condensed(f->L[k], (pair){o[0][0], o[0][1]}, (pair){o[1][0], o[1][1]});
    }
}

// x becomes the solution of B M^-1 B^T x = x.
static void fourbars_solve(const hand_fourbars *f, pair *x)
{
    for (int k = 0; k + 1 < LOOPS; k++) {
        const pair u = block_times(f->L[k], x[k]);
        x[k + 1].x -= f->off[k][0][0] * u.x + f->off[k][0][1] * u.y;
        x[k + 1].y -= f->off[k][1][0] * u.x + f->off[k][1][1] * u.y;
    }
    for (int k = LOOPS - 1; k >= 0; k--) {
        if (k + 1 < LOOPS) {
            x[k].x -= f->off[k][0][0] * x[k + 1].x + f->off[k][1][0] * x[k + 1].y;
            x[k].y -= f->off[k][0][1] * x[k + 1].x + f->off[k][1][1] * x[k + 1].y;
        }
        x[k] = block_times(f->L[k], x[k]);
    }
}

// out = M^-1 (force - B^T lambda); force may be NULL for zero.
static void fourbars_answer(const hand_fourbars *f, const double *force, const pair *lambda,
                            double *out)
{
    for (int k = 0; k <= LOOPS; k++) {
        const int link = LOOPS + 1 + k;
        pair p = {force ? force[k] : 0.0, force && k < LOOPS ? force[link] : 0.0};
        if (k > 0)
            p.x -= f->s[k] * lambda[k - 1].x - f->c[k] * lambda[k - 1].y;
        if (k == LOOPS) {
            out[k] = LAST_ROD * p.x;
            break;
        }
        p.x -= f->g[k].x * lambda[k].x + f->h[k].x * lambda[k].y;
        p.y -= f->g[k].y * lambda[k].x + f->h[k].y * lambda[k].y;
        p = block_times(f->mass[k], p);
        out[k] = p.x;
        out[link] = p.y;
    }
}

static pair fourbars_row(const hand_fourbars *f, int k, const double *v) // (B v) of loop k
{
    const pair u = {v[k], v[LOOPS + 1 + k]};
    return (pair){pair_dot(f->g[k], u) + f->s[k + 1] * v[k + 1],
                  pair_dot(f->h[k], u) - f->c[k + 1] * v[k + 1]};
}

static void fourbars_forces(const hand_fourbars *f, const double *v, double *force)
{
    const double G = 9.81;
    for (int k = 0; k < LOOPS; k++) {
        const int link = LOOPS + 1 + k;
        const double turn = 0.5 * (f->s[k] * f->c[link] - f->c[k] * f->s[link]);
        force[k] = -1.5 * G * f->c[k] - turn * v[link] * v[link];
        force[link] = -0.5 * G * f->c[link] + turn * v[k] * v[k];
    }
    force[LOOPS] = -0.5 * G * f->c[LOOPS];
}

static pair fourbars_gamma(const hand_fourbars *f, int k, const double *v)
{
    const int link = LOOPS + 1 + k;
    const double rod = v[k] * v[k], bar = v[link] * v[link], next = v[k + 1] * v[k + 1];
    return (pair){-f->c[k] * rod - f->c[link] * bar + f->c[k + 1] * next,
                  -f->s[k] * rod - f->s[link] * bar + f->s[k + 1] * next};
}

static void hand_fourbars_rates(void *user, const double *z, double *zdot)
{
    static const pair none[LOOPS];
    hand_fourbars *f = user;
    const double *v = z + BARS;
    double force[BARS], *a = zdot + BARS;
    pair lambda[LOOPS];
    fourbars_factor(f, z);
    fourbars_forces(f, v, force);
    fourbars_answer(f, force, none, a);
    for (int k = 0; k < LOOPS; k++) {
        const pair row = fourbars_row(f, k, a), gamma = fourbars_gamma(f, k, v);
        lambda[k] = (pair){row.x + gamma.x, row.y + gamma.y};
    }
    fourbars_solve(f, lambda);
    fourbars_answer(f, force, lambda, a);
    memcpy(zdot, v, BARS * sizeof *v);
}

// Rod k and link k are unknowns 2 k and 2 k + 1.
static void dense_fourbars_rates(void *user, const double *z, double *zdot)
{
    hand_fourbars *f = user;
    const double *v = z + BARS;
    double force[BARS], a[BARS];
    dense_system A;
    dense_open(&A, BARS + 2 * LOOPS);
    fourbars_place(f, z);
    fourbars_forces(f, v, force);
    for (int k = 0; k < LOOPS; k++) {
        const int row = BARS + 2 * k, link = LOOPS + 1 + k;
        const pair gamma = fourbars_gamma(f, k, v);
        dense_add_block(&A, 2 * k, true, fourbars_mass(f, k), (pair){force[k], force[link]});
        dense_add_rows(&A, row, 2 * k, true, f->g[k], f->h[k]);
        dense_add_rows(&A, row, 2 * k + 2, false, (pair){f->s[k + 1], 0.0},
                       (pair){-f->c[k + 1], 0.0});
        A.a[row][A.n] = -gamma.x;
        A.a[row + 1][A.n] = -gamma.y;
    }
    dense_add_block(&A, 2 * LOOPS, false, (block){1.0 / LAST_ROD, 0.0, 0.0},
                    (pair){force[LOOPS], 0.0});
    dense_solve(&A, BARS, a);
    for (int i = 0; i < BARS; i++)
        zdot[BARS + (i % 2 ? LOOPS + 1 + i / 2 : i / 2)] = a[i];
    memcpy(zdot, v, BARS * sizeof *v);
}

// One correction of x by M^-1 B^T (B M^-1 B^T)^-1 rows; the largest row.
static double fourbars_correct(const hand_fourbars *f, pair *rows, double *x)
{
    double change[BARS], size = 0.0;
    for (int k = 0; k < LOOPS; k++)
        size = fmax(size, fmax(fabs(rows[k].x), fabs(rows[k].y)));
    fourbars_solve(f, rows);
    fourbars_answer(f, NULL, rows, change);
    for (int i = 0; i < BARS; i++)
        x[i] += change[i];
    return size;
}

// How far from flat the first loop is.
static double fourbars_margin(const double *z)
{
    return fabs(sin(z[0] - z[LOOPS + 1]));
}

static bool hand_fourbars_after(void *user, const double *before, double *z)
{
    hand_fourbars *f = user;
    pair rows[LOOPS];
    if (fourbars_margin(z) < 0.1 * fourbars_margin(before))
        return false;
    fourbars_factor(f, z);
    double size = 1.0;
    for (int i = 0; size > 1e-14 && i < 5; i++) {
        for (int k = 0; k < LOOPS; k++) {
            const int link = LOOPS + 1 + k;
            rows[k].x = f->c[k] + f->c[link] - 1.0 - f->c[k + 1];
            rows[k].y = f->s[k] + f->s[link] - f->s[k + 1];
        }
        size = fourbars_correct(f, rows, z);
        fourbars_factor(f, z);
    }
    for (int k = 0; k < LOOPS; k++)
        rows[k] = fourbars_row(f, k, z + BARS);
    fourbars_correct(f, rows, z + BARS);
    return true;
}

static void hand_fourbars_start(double *z)
{
    for (int i = 0; i < BARS; i++) {
        z[i] = i <= LOOPS ? 1.5707963267948966 : 0.0;
        z[BARS + i] = i <= LOOPS ? -1.0 : 0.0;
    }
}
