// SPDX-License-Identifier: MIT
//
// Rows of own joints, of what rolls, and rotation vectors, on frames that need not be orthonormal
// (row_linear.h): the row at the nearest rotations, x(p_A, R(A), p_B, R(B)), where A = S R is the
// polar decomposition of the axes of a frame and r_k are the columns of R. A change of the axes
// turns R by
//
//   dr = P sum_k r_k x da_k,   P = (tr(S) I - S)^-1
//
// so that a moment m on a frame becomes (P m) x r_k on its axis k, and with u = P m
//
//   d(u x r_k) = (P dm - P (tr(dS) u - dS u)) x r_k + u x (dr x r_k),   dS = da r^T - S skew(dr).
//
// Over an interval, with the change c = x1 - x0 and the first twelve products z of force.h, whose
// gradients Z are exact in the middle, Z . (X1 - X0) = z1 - z0 [Gon96]:
//
//   D = G + e W,   W = sum_i dz_i Z_i,   e = (c - G . dX) / (dz . dz)       at the middle
//   T = H/2 + W e_1^T + e W_1

#include "row/row_linear.h"

#include "lie/so3.h"
#include "linalg/dense.h"
#include "row/own_row.h"

#include <float.h>
#include <string.h>

enum { OWN_PA = 0, OWN_PB = 4 };

// One frame with its nearest rotation.
typedef struct polar {
    tn_frame x;
    tn_mat3 S, P;
} polar;

static polar polar_of(const tn_vec3 *x)
{
    const tn_mat3 A = tn_m3_columns(x[1], x[2], x[3]);
    polar p = {.x = {tn_m3_orthonormalize(A), x[0]}};
    p.S = tn_m3_mul_t(A, p.x.R);
    p.P = tn_m3_polar_turn(p.S);
    return p;
}

void tn_own_nearest(const tn_linear_pair *at, tn_pair *out)
{
    out->a.x = polar_of(at->x + OWN_PA).x;
    out->b.x = polar_of(at->x + OWN_PB).x;
}

static void gradient_on_vectors(const polar *p, const double *w, double *G)
{
    const tn_vec3 u = tn_m3_apply(p->P, tn_v3_from(w + 3));
    memcpy(G, w, 3 * sizeof *G);
    for (int k = 0; k < 3; k++)
        tn_v3_to(tn_v3_cross(u, tn_m3_column(p->x.R, k)), G + 3 + 3 * k);
}

// By motions of frames, about their origins: arms are zero.
static void frame_gradient(const tn_row *row, tn_frame a, tn_frame b, const tn_joint_def *own,
                           double w[12])
{
    const tn_pair at = {.a.x = a, .b.x = b, .own = own};
    if (row->form == TN_ROW_OWN)
        tn_own_frame_gradient(row, a, b, own, w);
    else
        tn_row_gradient(row, &at, w);
}

static void frame_hessian(const tn_row *row, tn_frame a, tn_frame b, const tn_joint_def *own,
                          double H[12][12])
{
    const tn_pair at = {.a.x = a, .b.x = b, .own = own};
    memset(H, 0, 144 * sizeof **H);
    if (row->form == TN_ROW_OWN)
        tn_own_frame_hessian(row, a, b, own, H);
    else
        tn_row_hessian(row, &at, 1.0, H);
}

void tn_own_linear_gradient(const tn_row *row, const tn_linear_pair *at, double G[24])
{
    const polar a = polar_of(at->x + OWN_PA), b = polar_of(at->x + OWN_PB);
    double w[12];
    frame_gradient(row, a.x, b.x, at->own, w);
    gradient_on_vectors(&a, w, G);
    gradient_on_vectors(&b, w + 6, G + 12);
}

// The turn of a frame for a change of number c of axis k.
static tn_vec3 turn_by(const polar *p, int k, tn_vec3 e)
{
    return tn_m3_apply(p->P, tn_v3_cross(tn_m3_column(p->x.R, k), e));
}

// Adds to G the change of moments m held in the inertial frame by the change e of axis k of their
// own frame.
static void add_turning(const polar *p, tn_vec3 m, int k, tn_vec3 e, double *G)
{
    const tn_vec3 u = tn_m3_apply(p->P, m), dr = turn_by(p, k, e), r = tn_m3_column(p->x.R, k);
    const tn_vec3 dSu =
        tn_v3_sub(tn_v3_scale(tn_v3_dot(r, u), e), tn_m3_apply(p->S, tn_v3_cross(dr, u)));
    const tn_vec3 du = tn_m3_apply(p->P, tn_v3_axpy(-tn_v3_dot(r, e), u, dSu));
    for (int i = 0; i < 3; i++) {
        const tn_vec3 axis = tn_m3_column(p->x.R, i);
        const tn_vec3 change =
            tn_v3_add(tn_v3_cross(du, axis), tn_v3_cross(u, tn_v3_cross(dr, axis)));
        tn_v3_to(tn_v3_add(tn_v3_from(G + 3 + 3 * i), change), G + 3 + 3 * i);
    }
}

void tn_own_linear_hessian(const tn_row *row, const tn_linear_pair *at, double scale,
                           double H[24][24])
{
    const polar end[2] = {polar_of(at->x + OWN_PA), polar_of(at->x + OWN_PB)};
    double w[12], Hf[12][12];
    frame_gradient(row, end[0].x, end[1].x, at->own, w);
    frame_hessian(row, end[0].x, end[1].x, at->own, Hf);
    for (int j = 0; j < 24; j++) {
        const int side = j / 12, k = j % 12 / 3 - 1; // k = -1: the origin
        const tn_vec3 e = tn_v3(j % 3 == 0, j % 3 == 1, j % 3 == 2);
        const tn_vec3 dr = k < 0 ? (tn_vec3){0} : turn_by(&end[side], k, e);
        double dw[12], G[24];
        for (int i = 0; i < 12; i++)
            dw[i] =
                k < 0 ? Hf[i][6 * side + j % 3] : tn_v3_dot(tn_v3_from(Hf[i] + 6 * side + 3), dr);
        gradient_on_vectors(&end[0], dw, G);
        gradient_on_vectors(&end[1], dw + 6, G + 12);
        if (k >= 0)
            add_turning(&end[side], tn_v3_from(w + 6 * side + 3), k, e, G + 12 * side);
        for (int i = 0; i < 24; i++)
            H[i][j] += scale * G[i];
    }
}

double tn_own_linear_curvature(const tn_row *row, const tn_linear_pair *at)
{
    double H[24][24] = {{0}}, v[24], sum = 0.0;
    tn_own_linear_hessian(row, at, 1.0, H);
    for (int k = 0; k < 8; k++)
        tn_v3_to(at->v[k], v + 3 * k);
    for (int i = 0; i < 24; i++)
        sum += v[i] * tn_dot(24, H[i], v);
    return sum;
}

// Intervals ---------------------------------------------------------------------------------------

// Values that D and T share.
typedef struct own_mean {
    double dX[24], G[24], W[24];
    double dz[TN_BACK], Z[TN_BACK][24];
    double square, e; // dz . dz, zero where nothing moves
} own_mean;

// The part of the change that the gradient in the middle does not explain. A rest by rounding means
// nothing, and would be large over a small square.
static double unexplained(const tn_row *row, const tn_linear_span *over, const own_mean *m)
{
    const double from = tn_linear_value(row, &over->from, 0.0);
    const double to = tn_linear_value(row, &over->to, from); // on the same turn
    const double rest = to - from - tn_dot(24, m->G, m->dX);
    const double size = fabs(to) + fabs(from) + 1.0;
    return m->square > 0.0 && fabs(rest) > 16.0 * DBL_EPSILON * size ? rest / m->square : 0.0;
}

static void mean_at(const tn_row *row, const tn_linear_span *over, own_mean *m)
{
    memset(m, 0, sizeof *m);
    for (int k = 0; k < 8; k++)
        tn_v3_to(tn_v3_sub(over->to.x[k], over->from.x[k]), m->dX + 3 * k);
    tn_own_linear_gradient(row, &over->middle, m->G);
    for (int i = 0; i < TN_BACK; i++) {
        const tn_row z = tn_seen_row(i);
        tn_linear_gradient(&z, &over->middle, m->Z[i]);
        m->dz[i] = tn_dot(24, m->Z[i], m->dX);
        m->square += m->dz[i] * m->dz[i];
        tn_axpy(24, m->dz[i], m->Z[i], m->W);
    }
    m->e = unexplained(row, over, m);
}

void tn_own_mean_gradient(const tn_row *row, const tn_linear_span *over, double D[24])
{
    own_mean m;
    mean_at(row, over, &m);
    memcpy(D, m.G, sizeof m.G);
    tn_axpy(24, m.e, m.W, D);
}

void tn_own_mean_tangent(const tn_row *row, const tn_linear_span *over, double scale,
                         double T[24][24])
{
    own_mean m;
    double H[24][24] = {{0}}, e_1[24];
    mean_at(row, over, &m);
    tn_own_linear_hessian(row, &over->middle, 1.0, H);
    tn_own_linear_gradient(row, &over->to, e_1);
    for (int j = 0; j < 24; j++)
        e_1[j] -= m.G[j] + 0.5 * tn_dot(24, H[j], m.dX);
    for (int i = 0; m.e != 0.0 && i < TN_BACK; i++) {
        const tn_row z = tn_seen_row(i);
        double Z1[24], Hz[24][24] = {{0}};
        tn_linear_gradient(&z, &over->to, Z1);
        tn_linear_hessian(&z, &over->middle, 0.5 * m.dz[i] * m.e * scale, Hz);
        tn_axpy(24, -2.0 * m.e * m.dz[i], Z1, e_1);
        for (int j = 0; j < 24; j++) {
            tn_axpy(24, m.e * scale * m.Z[i][j], Z1, T[j]);
            tn_axpy(24, 1.0, Hz[j], T[j]);
        }
    }
    for (int j = 0; j < 24; j++) {
        tn_axpy(24, 0.5 * scale, H[j], T[j]);
        if (m.e != 0.0)
            tn_axpy(24, scale * m.W[j] / m.square, e_1, T[j]);
    }
}
