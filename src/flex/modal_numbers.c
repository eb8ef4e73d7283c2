// SPDX-License-Identifier: MIT
//
// The inertia of a modal body as a polynomial of its amplitudes; see modal_body.h.
//
// With gram = Z^T M Z, Z = [a b c phi], velocities are Z s with s = (U, W, q (x) W, r) where U and
// W are those of the origin of the file. So from T = 1/2 s^T gram s
//
//   A_UU = gram_aa,  A_UW = gram_ab + sum q_i gram_a,ci
//   A_WW = gram_bb + sum q_i (gram_b,ci + gram_ci,b) + sum q_i q_j gram_ci,cj
//   B_Uj = gram_a,phij,  B_Wj = gram_b,phij + sum q_i gram_ci,phij,  C = gram_phi,phi
//
// Geometric stiffness is that of a displacement of second order in q. With E_k = 1/2 q^T Ka_k q
// as its first moment of mass, where Ka_k is the stiffness by an acceleration along axis k, and
// likewise for the others, kinetic energy has the further terms
//
//   U . (W x E + E'),   sum_k W_k q^T Kt_k r,   -1/2 sum_p w_p q^T Kr_p q
//
// (w_p the products of components of W), whose equations of motion are K q of just these loads, and
// which keep energy and momenta, as forces beside the equations would not. The same displacement at
// an attachment, -1/2 q^T Kl q, stands in its rows.
//
// All of it is then referred to the centre of mass of the undeformed body, U_O = U + c x W; the
// part independent of q is the inertia of the rigid body, which others have.

#include "flex/modal.h"
#include "flex/modal_body.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"

#include <math.h>

enum { U, W = 3 };

typedef double block36[6][6];

static inline block36 *block_at(double *all, int k)
{
    return (block36 *)(all + (size_t)36 * (size_t)k);
}

static void layout_modal_numbers(void *self, tn_carve *mem)
{
    tn_modal_numbers *x = self;
    const int m = x->m;
    x->A1 = tn_carve_doubles(mem, 36 * m);
    x->A2 = tn_carve_doubles(mem, 36 * m * m);
    x->B0 = tn_carve_doubles(mem, 6 * m);
    x->B1 = tn_carve_doubles(mem, 6 * m * m);
    TN_CARVE_DOUBLES(mem, m * m, &x->C, &x->K, &x->D);
    tn_modal_attachment_numbers *attachment =
        tn_carve_bytes(mem, sizeof *attachment * (size_t)(x->nattachment + 1));
    x->attachment = attachment;
    for (int k = 0; k < x->nattachment; k++) {
        double *modes = tn_carve_doubles(mem, 6 * m), *bend = tn_carve_doubles(mem, 6 * m * m);
        if (attachment) {
            attachment[k].modes = modes;
            attachment[k].bend = bend;
        }
    }
}

// Of gram, in the axes of the file at its origin -------------------------------------------------

static double gram_at(const tn_modal *from, int i, int j)
{
    return from->gram[(size_t)i * (size_t)tn_modal_size(from->m) + (size_t)j];
}

static void take_linear(const tn_modal *from, int j, block36 A)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            const int c = tn_modal_c(j, k);
            A[U + i][W + k] = A[W + k][U + i] = gram_at(from, i, c);
            A[W + i][W + k] = gram_at(from, 3 + i, c) + gram_at(from, 3 + k, tn_modal_c(j, i));
        }
}

static void take_square(const tn_modal *from, int i, int j, block36 A)
{
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            A[W + k][W + l] = gram_at(from, tn_modal_c(i, k), tn_modal_c(j, l)) +
                              gram_at(from, tn_modal_c(j, k), tn_modal_c(i, l));
}

static void take_couplings(const tn_modal *from, tn_modal_numbers *x)
{
    const int m = x->m;
    for (int j = 0; j < m; j++) {
        const int phi = tn_modal_phi(m, j);
        for (int k = 0; k < 6; k++)
            x->B0[k * m + j] = gram_at(from, k, phi);
        for (int i = 0; i < m; i++) {
            x->C[i * m + j] = gram_at(from, tn_modal_phi(m, i), phi);
            x->K[i * m + j] = from->stiffness[i * m + j];
            for (int k = 0; k < 3; k++)
                x->B1[(6 * i + W + k) * m + j] = gram_at(from, tn_modal_c(i, k), phi);
        }
    }
}

// Stiffening -------------------------------------------------------------------------------------

// The matrix number k of a list; zero where there is none.
static double entry(const double *list, int m, int k, int i, int j)
{
    return list ? 0.5 * (list[((size_t)k * (size_t)m + (size_t)i) * (size_t)m + (size_t)j] +
                         list[((size_t)k * (size_t)m + (size_t)j) * (size_t)m + (size_t)i])
                : 0.0;
}

static void add_stiffening(const tn_modal *from, tn_modal_numbers *x)
{
    static const int row[] = {0, 1, 2, 0, 1, 2}, col[] = {0, 1, 2, 1, 2, 0};
    const int m = x->m;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double(*A)[6] = *block_at(x->A2, i * m + j), e[3];
            for (int k = 0; k < 3; k++) {
                e[k] = entry(from->acceleration, m, k, i, j);
                x->B1[(6 * i + U + k) * m + j] += e[k];
                x->B1[(6 * i + W + k) * m + j] += entry(from->turning, m, k, i, j);
            }
            const tn_mat3 S = tn_m3_skew(tn_v3_from(e)); // U . (W x E) = -U . skew(E) W
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) {
                    A[U + k][W + l] -= S.m[k][l];
                    A[W + l][U + k] -= S.m[k][l];
                }
            for (int p = 0; p < 6; p++) {
                const double r = entry(from->rate, m, p, i, j);
                A[W + row[p]][W + col[p]] -= r;
                A[W + col[p]][W + row[p]] -= r;
            }
        }
}

// To the centre of mass ---------------------------------------------------------------------------

// X^T A X with U_O = U + S W, where A_UU is zero.
static void shift_block(tn_mat3 S, block36 A)
{
    block36 more = {{0}};
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            for (int i = 0; i < 3; i++)
                more[W + k][W + l] += S.m[i][k] * A[U + i][W + l] + A[W + k][U + i] * S.m[i][l];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            A[W + k][W + l] += more[W + k][W + l];
}

static void shift_rows(tn_mat3 S, int m, double *B)
{
    for (int j = 0; j < m; j++)
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                B[(W + k) * m + j] += S.m[i][k] * B[(U + i) * m + j];
}

// To units: lengths by that of length, masses by that of mass; amplitudes count as lengths

static void scale_block(double mass, double length, int power, block36 A)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            A[i][j] /= mass * pow(length, (i >= W) + (j >= W) + power);
}

static void scale_rows(double mass, double length, int power, int m, double *B)
{
    for (int i = 0; i < 6; i++)
        tn_scale(m, 1.0 / (mass * pow(length, (i >= W) + power)), B + i * m);
}

static void make_attachment(const tn_modal_data *data, tn_units u, tn_vec3 com, int k,
                            tn_modal_attachment_numbers *out)
{
    const tn_modal *from = data->from;
    const tn_modal_attachment *at = &from->attachment[k];
    const int m = from->m;
    out->arm = tn_v3_scale(1.0 / u.length, tn_v3_sub(at->frame.p, com));
    out->R = at->frame.R;
    for (int i = 0; i < 6; i++) {
        const double unit = i < 3 ? 1.0 : u.length;
        for (int j = 0; j < m; j++)
            out->modes[i * m + j] = unit * at->modes[i * m + j];
        for (int j = 0; j < m * m; j++)
            out->bend[i * m * m + j] =
                data->stiffening ? unit * u.length * entry(from->loads, m, 6 * k + i, j / m, j % m)
                                 : 0.0;
    }
    if (!data->stiffening || !from->loads)
        out->bend = NULL;
}

tn_status tn_modal_numbers_make(const tn_modal_data *data, tn_units u, tn_modal_numbers *out)
{
    const tn_modal *from = data->from;
    const int m = from->m;
    *out = (tn_modal_numbers){.m = m, .nattachment = from->nattachment};
    TN_TRY(tn_carve_block(out, layout_modal_numbers, &out->block));
    for (int j = 0; j < m; j++) {
        take_linear(from, j, *block_at(out->A1, j));
        for (int i = 0; i < m; i++)
            take_square(from, i, j, *block_at(out->A2, i * m + j));
    }
    take_couplings(from, out);
    if (data->stiffening)
        add_stiffening(from, out);
    const tn_vec3 com = tn_modal_inertia_of(from).centre;
    const tn_mat3 S = tn_m3_skew(com);
    for (int j = 0; j < m * m + m; j++) {
        double(*A)[6] = j < m ? *block_at(out->A1, j) : *block_at(out->A2, j - m);
        shift_block(S, A);
        scale_block(u.mass, u.length, j < m ? -1 : -2, A);
    }
    shift_rows(S, m, out->B0);
    scale_rows(u.mass, u.length, 0, m, out->B0);
    for (int i = 0; i < m; i++) {
        shift_rows(S, m, out->B1 + 6 * i * m);
        scale_rows(u.mass, u.length, -1, m, out->B1 + 6 * i * m);
    }
    if (data->damping)
        tn_copy(m * m, data->damping, out->D);
    tn_scale(m * m, 1.0 / u.mass, out->C);
    tn_scale(m * m, u.time * u.time / u.mass, out->K);
    tn_scale(m * m, u.time / u.mass, out->D);
    for (int k = 0; k < out->nattachment; k++)
        make_attachment(data, u, com, k, &out->attachment[k]);
    return TN_OK;
}

void tn_modal_numbers_clear(tn_modal_numbers *x)
{
    tn_free(x->block);
    *x = (tn_modal_numbers){0};
}

tn_modal_place tn_modal_place_at(const tn_modal_numbers *x, int attachment, const double *q)
{
    const tn_modal_attachment_numbers *at = &x->attachment[attachment];
    double sum[6];
    for (int i = 0; i < 6; i++) {
        sum[i] = tn_dot(x->m, at->modes + i * x->m, q);
        for (int j = 0; at->bend && j < x->m; j++)
            sum[i] -= 0.5 * q[j] * tn_dot(x->m, at->bend + (i * x->m + j) * x->m, q);
    }
    return (tn_modal_place){tn_v3_add(at->arm, tn_v3_from(sum)), tn_v3_from(sum + 3)};
}
