// SPDX-License-Identifier: MIT
//
// A clamped beam of n elements by hand: nodes on R^3 x SO(3) with lumped mass, straight elements of
// SE(3) between neighbours [SCB14], generalized-alpha with fixed steps. The same equations as
// galpha@absolute on the same model (src/flex/force_beam_element.c has the formulas), but nothing
// else: no damping, no joints but the clamp, no other bodies, forces or outputs. The matrix is
// block tridiagonal and eliminated node by node; its factors serve as long as they converge well.

#pragma once

#include "tenon/beam.h"
#include "tenon/spatial.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct hand_node {
    tn_vec3 p, p1; // at both ends of the step
    tn_mat3 R, R1;
    double v[6], a[6],
        A[6]; // velocity, its rate, the algorithmic one; turns in the axes of the node
    double jerk[6], change[6];
    double y[6], v1[6], a1[6], A1[6];
    double r[6];
    double m, J[3];
} hand_node;

typedef struct hand_blocks { // rows of a node: on the node before it, on itself and on the next
    double before[36], own[36], next[36];
} hand_blocks;

typedef struct hand_beam {
    int n; // nodes that move
    double L, C[3],
        B[3]; // length of an element; stiffness over L: shear and stretch, bending, twist
    double alpha_m, alpha_f, beta, gamma;
    double gravity;
    hand_node *node; // n + 1; the first is clamped
    hand_blocks *block;
    bool factored;
    long newton, factorizations;
} hand_beam;

// Elements ----------------------------------------------------------------------------------------

typedef struct hand_element {
    tn_vec3 u, w; // logarithm of the relative frame
    double gamma, delta, epsilon;
    tn_mat3 F, D;
    tn_vec3 f, m; // force and moment of the section
} hand_element;

// Series of (1 - t/2 cot(t/2)) / t^2 and of its derivatives by t, over t, in s = t^2 < 0.25.
static void hand_coefficients(double s, hand_element *e)
{
    static const double c[] = {1.0 / 12.0,         1.0 / 720.0,      1.0 / 30240.0,
                               1.0 / 1209600.0,    1.0 / 47900160.0, 691.0 / 1307674368000.0,
                               1.0 / 74724249600.0};
    e->gamma = e->delta = e->epsilon = 0.0;
    for (int k = 6; k >= 0; k--)
        e->gamma = e->gamma * s + c[k];
    for (int k = 6; k >= 1; k--)
        e->delta = e->delta * s + 2.0 * k * c[k];
    for (int k = 6; k >= 2; k--)
        e->epsilon = e->epsilon * s + 4.0 * k * (k - 1) * c[k];
}

static tn_vec3 hand_log(tn_mat3 R)
{
    const tn_vec3 x = {0.5 * (R.m[2][1] - R.m[1][2]), 0.5 * (R.m[0][2] - R.m[2][0]),
                       0.5 * (R.m[1][0] - R.m[0][1])};
    const double s = sqrt(tn_v3_dot(x, x));
    return tn_v3_scale(s < 1e-8 ? 1.0 : asin(s) / s, x);
}

static hand_element hand_element_at(const hand_beam *b, const hand_node *i, const hand_node *j)
{
    hand_element e;
    const tn_mat3 Rt = tn_m3_transpose(i->R1);
    const tn_vec3 p = tn_m3_apply(Rt, tn_v3_sub(j->p1, i->p1));
    e.w = hand_log(tn_m3_mul(Rt, j->R1));
    const double s = tn_v3_dot(e.w, e.w);
    hand_coefficients(s, &e);
    const double one = 1.0 - e.gamma * s;
    e.F = tn_m3_axpy(0.5, tn_m3_skew(e.w), tn_m3_diag(one, one, one));
    e.F = tn_m3_axpy(e.gamma, tn_m3_outer(e.w, e.w), e.F);
    e.u = tn_m3_apply_t(e.F, p);
    const double wu = tn_v3_dot(e.w, e.u), diagonal = -wu * (2.0 * e.gamma + e.delta * s);
    e.D = tn_m3_axpy(0.5, tn_m3_skew(e.u), tn_m3_diag(diagonal, diagonal, diagonal));
    const tn_vec3 mixed = tn_v3_axpy(e.gamma, e.u, tn_v3_scale(wu * e.delta, e.w));
    e.D = tn_m3_axpy(1.0, tn_m3_outer(mixed, e.w), e.D);
    e.D = tn_m3_axpy(e.gamma, tn_m3_outer(e.w, e.u), e.D);
    e.f = (tn_vec3){b->C[0] * e.u.x, b->C[1] * e.u.y, b->C[2] * (e.u.z - b->L)};
    e.m = (tn_vec3){b->B[0] * e.w.x, b->B[1] * e.w.y, b->B[2] * e.w.z};
    return e;
}

static void hand_subtract(double *r, tn_vec3 x)
{
    r[0] -= x.x;
    r[1] -= x.y;
    r[2] -= x.z;
}

// Forces stand on the left of M a - f = 0, force in world axes and moment in those of the node.
static void hand_add_element(const hand_beam *b, hand_node *i, hand_node *j)
{
    const hand_element e = hand_element_at(b, i, j);
    hand_subtract(i->r, tn_m3_apply(i->R1, tn_m3_apply(e.F, e.f)));
    hand_subtract(i->r + 3, tn_v3_add(tn_m3_apply(e.D, e.f), tn_m3_apply(e.F, e.m)));
    hand_subtract(j->r, tn_v3_neg(tn_m3_apply(j->R1, tn_m3_apply_t(e.F, e.f))));
    hand_subtract(j->r + 3, tn_v3_neg(tn_v3_add(tn_m3_apply_t(e.D, e.f), tn_m3_apply_t(e.F, e.m))));
}

static tn_mat3 hand_twice(tn_vec3 a, tn_vec3 y) // v -> a x (v x y) + v x (a x y)
{
    const double ay = tn_v3_dot(a, y);
    const tn_mat3 sum = tn_m3_axpy(1.0, tn_m3_outer(a, y), tn_m3_diag(ay, ay, ay));
    return tn_m3_axpy(-2.0, tn_m3_outer(y, a), sum);
}

static tn_mat3 hand_columns(tn_mat3 A, const double *c) // A diag(c)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A.m[i][j] *= c[j];
    return A;
}

static void hand_put(double *to, int row, int column, double scale, tn_mat3 A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            to[6 * (row + i) + column + j] += scale * A.m[i][j];
}

// to += scale (L11 L12; L21 L22) (U V; 0 U), rows of forces turned by Ri, columns of p by Rj^T.
static void hand_add_block(double *to, double scale, tn_mat3 L[2][2], tn_mat3 U, tn_mat3 V,
                           tn_mat3 Ri, tn_mat3 Rj)
{
    for (int r = 0; r < 2; r++) {
        tn_mat3 left = tn_m3_mul_t(tn_m3_mul(L[r][0], U), Rj);
        tn_mat3 right = tn_m3_axpy(1.0, tn_m3_mul(L[r][0], V), tn_m3_mul(L[r][1], U));
        if (r == 0) {
            left = tn_m3_mul(Ri, left);
            right = tn_m3_mul(Ri, right);
        }
        hand_put(to, 3 * r, 0, scale, left);
        hand_put(to, 3 * r, 3, scale, right);
    }
}

static void hand_add_tangent(hand_beam *b, int k, double h)
{
    hand_node *i = &b->node[k], *j = &b->node[k + 1];
    const hand_element e = hand_element_at(b, i, j);
    const tn_vec3 u = e.u, w = e.w;
    const double wu = tn_v3_dot(w, u);
    const tn_mat3 by_w = hand_twice(w, e.f), Ft = tn_m3_transpose(e.F), Dt = tn_m3_transpose(e.D);
    const tn_vec3 wwf = tn_v3_cross(w, tn_v3_cross(w, e.f));
    const tn_vec3 wwm = tn_v3_cross(w, tn_v3_cross(w, e.m));
    const tn_vec3 along = tn_v3_axpy(e.delta, u, tn_v3_scale(e.epsilon * wu, w));
    const tn_vec3 both =
        tn_v3_add(tn_v3_cross(w, tn_v3_cross(u, e.f)), tn_v3_cross(u, tn_v3_cross(w, e.f)));
    const tn_vec3 bent = tn_v3_scale(e.delta, tn_v3_add(wwm, both));
    const tn_mat3 N = tn_m3_axpy(e.gamma, by_w, tn_m3_outer(tn_v3_scale(e.delta, wwf), w));
    tn_mat3 Z = tn_m3_axpy(e.gamma, hand_twice(u, e.f), tn_m3_outer(bent, w));
    Z = tn_m3_axpy(e.gamma, hand_twice(w, e.m), Z);
    Z = tn_m3_axpy(e.delta * wu, by_w, Z);
    Z = tn_m3_axpy(1.0, tn_m3_outer(wwf, along), Z);
    const tn_mat3 half_f = tn_m3_scale(0.5, tn_m3_skew(e.f)),
                  half_m = tn_m3_scale(0.5, tn_m3_skew(e.m));
    tn_mat3 La[2][2] = {{hand_columns(e.F, b->C), tn_m3_axpy(-1.0, half_f, N)},
                        {hand_columns(e.D, b->C), hand_columns(e.F, b->B)}};
    tn_mat3 Lb[2][2] = {{hand_columns(Ft, b->C), tn_m3_axpy(1.0, half_f, N)},
                        {hand_columns(Dt, b->C), hand_columns(Ft, b->B)}};
    La[1][0] = tn_m3_axpy(1.0, La[0][1], La[1][0]);
    Lb[1][0] = tn_m3_axpy(1.0, Lb[0][1], Lb[1][0]);
    La[1][1] = tn_m3_axpy(1.0, La[1][1], tn_m3_axpy(-1.0, half_m, Z));
    Lb[1][1] = tn_m3_axpy(1.0, Lb[1][1], tn_m3_axpy(1.0, half_m, Z));
    hand_blocks *at = b->block + k; // rows of node k; r has -f
    hand_add_block(at[0].own, h, La, Ft, Dt, i->R1, i->R1);
    hand_add_block(at[0].next, -h, La, e.F, e.D, i->R1, j->R1);
    hand_add_block(at[1].before, -h, Lb, Ft, Dt, j->R1, i->R1);
    hand_add_block(at[1].own, h, Lb, e.F, e.D, j->R1, j->R1);
    // Forces turn with their node.
    hand_put(at[0].own, 0, 3, h, tn_m3_mul(i->R1, tn_m3_skew(tn_m3_apply(e.F, e.f))));
    hand_put(at[1].own, 0, 3, -h, tn_m3_mul(j->R1, tn_m3_skew(tn_m3_apply_t(e.F, e.f))));
}

// Steps -------------------------------------------------------------------------------------------

static tn_mat3 hand_exp(tn_vec3 x)
{
    const double s = tn_v3_dot(x, x), t = sqrt(s);
    const double a = t < 1e-4 ? 1.0 - s / 6.0 : sin(t) / t;
    const double half = t < 1e-4 ? 1.0 - s / 24.0 : sin(0.5 * t) / (0.5 * t);
    const double c = 0.5 * half * half, one = 1.0 - c * s;
    const tn_mat3 R = tn_m3_axpy(a, tn_m3_skew(x), tn_m3_diag(one, one, one));
    return tn_m3_axpy(c, tn_m3_outer(x, x), R);
}

static void hand_unfold(const hand_beam *b, hand_node *i, double h)
{
    for (int c = 0; c < 6; c++) {
        i->A1[c] = (i->y[c] - i->v[c] - h * (0.5 - b->beta) * i->A[c]) / (b->beta * h);
        i->v1[c] = i->v[c] + h * ((1.0 - b->gamma) * i->A[c] + b->gamma * i->A1[c]);
        i->a1[c] = ((1.0 - b->alpha_m) * i->A1[c] + b->alpha_m * i->A[c] - b->alpha_f * i->a[c]) /
                   (1.0 - b->alpha_f);
    }
    i->p1 = tn_v3_axpy(h, tn_v3_from(i->y), i->p);
    i->R1 = tn_m3_mul(i->R, hand_exp(tn_v3_scale(h, tn_v3_from(i->y + 3))));
}

static void hand_residual(hand_beam *b, double h)
{
    for (int k = 1; k <= b->n; k++) {
        hand_node *i = &b->node[k];
        const double *w = i->v1 + 3, *J = i->J;
        hand_unfold(b, i, h);
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, f = (c + 2) % 3;
            i->r[c] = i->m * i->a1[c];
            i->r[3 + c] = J[c] * i->a1[3 + c] + (J[f] - J[d]) * w[d] * w[f];
        }
        i->r[2] += i->m * b->gravity;
    }
    for (int k = 0; k < b->n; k++)
        hand_add_element(b, &b->node[k], &b->node[k + 1]);
}

// A^-1 by elimination with pivots on the diagonal, where blocks have mass and stiffness.
static void hand_invert(double *A)
{
    for (int k = 0; k < 6; k++) {
        const double pivot = 1.0 / A[7 * k];
        A[7 * k] = 1.0;
        for (int j = 0; j < 6; j++)
            A[6 * k + j] *= pivot;
        for (int i = 0; i < 6; i++) {
            const double s = A[6 * i + k];
            if (i == k)
                continue;
            A[6 * i + k] = 0.0;
            for (int j = 0; j < 6; j++)
                A[6 * i + j] -= s * A[6 * k + j];
        }
    }
}

// C = A B, or C -= A B.
static void hand_multiply(const double *A, const double *B, bool subtract, double *C)
{
    for (int i = 0; i < 6; i++) {
        double sum[6] = {0.0};
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++)
                sum[j] += A[6 * i + k] * B[6 * k + j];
        for (int j = 0; j < 6; j++)
            C[6 * i + j] = subtract ? C[6 * i + j] - sum[j] : sum[j];
    }
}

static void hand_factor(hand_beam *b, double h)
{
    const double ca = (1.0 - b->alpha_m) / (b->beta * (1.0 - b->alpha_f) * h),
                 cv = b->gamma / b->beta;
    memset(b->block, 0, sizeof *b->block * (size_t)(b->n + 1));
    for (int k = 0; k < b->n; k++)
        hand_add_tangent(b, k, h);
    for (int k = 1; k <= b->n; k++) {
        const hand_node *i = &b->node[k];
        double *own = b->block[k].own, *before = b->block[k].before, G[36];
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, f = (c + 2) % 3;
            own[7 * c] += ca * i->m;
            own[7 * (3 + c)] += ca * i->J[c];
            own[6 * (3 + c) + 3 + d] += cv * (i->J[f] - i->J[d]) * i->v1[3 + f];
            own[6 * (3 + c) + 3 + f] += cv * (i->J[f] - i->J[d]) * i->v1[3 + d];
        }
        if (k > 1) { // before becomes before own_{k-1}^-1
            hand_multiply(before, b->block[k - 1].own, false, G);
            memcpy(before, G, sizeof G);
            hand_multiply(before, b->block[k - 1].next, true, own);
        }
        hand_invert(own);
    }
    b->factored = true;
    b->factorizations++;
}

static void hand_times(const double *A, const double *x, double scale, double *y) // y += s A x
{
    for (int i = 0; i < 6; i++) {
        double sum = 0.0;
        for (int j = 0; j < 6; j++)
            sum += A[6 * i + j] * x[j];
        y[i] += scale * sum;
    }
}

// r becomes the correction; returns the largest number of it.
static double hand_solve(hand_beam *b)
{
    double most = 0.0;
    for (int k = 2; k <= b->n; k++)
        hand_times(b->block[k].before, b->node[k - 1].r, -1.0, b->node[k].r);
    for (int k = b->n; k >= 1; k--) {
        double x[6] = {0.0};
        if (k < b->n)
            hand_times(b->block[k].next, b->node[k + 1].r, -1.0, b->node[k].r);
        hand_times(b->block[k].own, b->node[k].r, 1.0, x);
        memcpy(b->node[k].r, x, sizeof x);
        for (int c = 0; c < 6; c++) {
            b->node[k].y[c] -= x[c];
            most = fmax(most, fabs(x[c]));
        }
    }
    return most;
}

static double hand_predict(hand_beam *b, double h)
{
    double most = 0.0;
    for (int k = 1; k <= b->n; k++) {
        hand_node *i = &b->node[k];
        for (int c = 0; c < 6; c++) {
            const double A1 = i->A[c] + h * (i->jerk[c] + i->change[c]);
            i->y[c] = i->v[c] + h * ((0.5 - b->beta) * i->A[c] + b->beta * A1);
            most = fmax(most, fabs(i->y[c]));
        }
    }
    return most;
}

static void hand_accept(hand_beam *b, double h)
{
    for (int k = 1; k <= b->n; k++) {
        hand_node *i = &b->node[k];
        for (int c = 0; c < 6; c++) {
            const double jerk = (i->A1[c] - i->A[c]) / h;
            i->change[c] = jerk - i->jerk[c];
            i->jerk[c] = jerk;
        }
        memcpy(i->v, i->v1, sizeof i->v);
        memcpy(i->a, i->a1, sizeof i->a);
        memcpy(i->A, i->A1, sizeof i->A);
        i->p = i->p1;
        i->R = i->R1;
    }
}

// false where it does not converge: to corrections of 1e-13 of the velocities, as Tenon does, or to
// noise.
static bool hand_step(hand_beam *b, double h)
{
    const double scale = 3.0 + hand_predict(b, h); // sqrt(g l) beside them
    double last = 0.0;
    bool fresh = false;
    for (int k = 0; k < 30; k++) {
        hand_residual(b, h);
        if (!b->factored) {
            hand_factor(b, h);
            fresh = true;
        }
        const double size = hand_solve(b) / scale, rate = last > 0.0 ? size / last : 0.1;
        b->newton++;
        if (!(size < 1e3))
            return false;
        if (rate < 1.0 && size * fmax(rate, 0.1) <= 1e-13) {
            hand_residual(b, h); // unfolds, and the ledger's look at forces
            hand_accept(b, h);
            return true;
        }
        if (fresh && last > 0.0 && size < 1e-9 && rate > 0.1) { // noise
            hand_accept(b, h);
            return true;
        }
        if (last > 0.0 && rate > 0.1)
            b->factored = false;
        last = size;
    }
    return false;
}

// A metre along x, clamped at the origin, that falls against z from rest; y of the section is z.
static hand_beam hand_beam_create(int n, const tn_section *section, double rho_inf)
{
    const double L = 1.0 / n;
    hand_beam b = {.n = n, .L = L, .gravity = 9.81};
    b.alpha_m = (2.0 * rho_inf - 1.0) / (rho_inf + 1.0);
    b.alpha_f = rho_inf / (rho_inf + 1.0);
    b.gamma = 0.5 - b.alpha_m + b.alpha_f;
    b.beta = 0.25 * (b.gamma + 0.5) * (b.gamma + 0.5);
    tn_v3_to(tn_v3_scale(1.0 / L, section->stiffness), b.C);
    tn_v3_to(tn_v3_scale(1.0 / L, section->rotational_stiffness), b.B);
    b.node = calloc((size_t)n + 1, sizeof *b.node);
    b.block = calloc((size_t)n + 1, sizeof *b.block);
    for (int k = 0; b.node && k <= n; k++) {
        hand_node *i = &b.node[k];
        const double length = k == 0 || k == n ? 0.5 * L : L;
        i->p = i->p1 = (tn_vec3){k * L, 0.0, 0.0};
        i->R = i->R1 = (tn_mat3){{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
        i->m = section->mass * length;
        i->J[0] = section->inertia_x * length;
        i->J[1] = section->inertia_y * length;
        i->J[2] = i->J[0] + i->J[1];
        if (k > 0)
            i->a[2] = i->A[2] = -b.gravity;
    }
    return b;
}

static void hand_beam_destroy(hand_beam *b)
{
    free(b->node);
    free(b->block);
}
