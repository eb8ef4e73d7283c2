// SPDX-License-Identifier: MIT
//
// TURN of row.h: component i of the rotation vector phi of frame B against frame A, in the axes of
// A, which are those of B as far as phi is concerned:
//
//   exp(skew(phi)) = R_A^T R_B,   |phi| <= pi
//
// Variations, with dR = skew(t) R and the tangent operator T of lie/so3.h [BCA12]:
//
//   dphi = T(phi)^-1 R_B^T (tb - ta)
//   G = (0, -g, 0, g),   g = R_B T(phi)^-T e_i,   T(phi)^T = T(-phi)
//   dg = tb x g - R_B d(T(x)^-1 e_i)/dx dphi      at x = -phi
//
// As the turn passes pi, phi jumps to the other side. T^-1 is regular there.

#include "row/row.h"

#include "lie/so3.h"

static tn_vec3 turn_vector(const tn_pair *at)
{
    return tn_so3_log(tn_m3_mul(tn_m3_transpose(at->a.x.R), at->b.x.R));
}

static tn_vec3 turn_axis(const tn_row *row)
{
    return tn_v3(row->i == TN_X, row->i == TN_Y, row->i == TN_Z);
}

static tn_vec3 turn_moment(const tn_row *row, const tn_pair *at, tn_vec3 phi)
{
    return tn_m3_apply(at->b.x.R, tn_m3_apply(tn_so3_tangent_inv(tn_v3_neg(phi)), turn_axis(row)));
}

double tn_turn_value(const tn_row *row, const tn_pair *at)
{
    return tn_v3_dot(turn_axis(row), turn_vector(at));
}

void tn_turn_gradient(const tn_row *row, const tn_pair *at, double G[12])
{
    const tn_vec3 g = turn_moment(row, at, turn_vector(at));
    tn_v3_to(tn_v3(0, 0, 0), G + TN_FA);
    tn_v3_to(tn_v3_neg(g), G + TN_MA);
    tn_v3_to(tn_v3(0, 0, 0), G + TN_FB);
    tn_v3_to(g, G + TN_MB);
}

void tn_turn_hessian(const tn_row *row, const tn_pair *at, double scale, double H[12][12])
{
    const tn_mat3 R = at->b.x.R;
    const tn_vec3 phi = turn_vector(at);
    const tn_mat3 bend = tn_so3_tangent_inv_deriv(tn_v3_neg(phi), turn_axis(row));
    const tn_mat3 by_phi =
        tn_m3_mul(tn_m3_mul(R, bend), tn_m3_mul(tn_so3_tangent_inv(phi), tn_m3_transpose(R)));
    const tn_mat3 g = tn_m3_skew(turn_moment(row, at, phi));
    tn_block_add(H, TN_MB, TN_MA, scale, by_phi);
    tn_block_add(H, TN_MB, TN_MB, -scale, tn_m3_axpy(1.0, g, by_phi));
    tn_block_add(H, TN_MA, TN_MA, -scale, by_phi);
    tn_block_add(H, TN_MA, TN_MB, scale, tn_m3_axpy(1.0, g, by_phi));
}
