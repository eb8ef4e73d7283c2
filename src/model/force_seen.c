// SPDX-License-Identifier: MIT
//
// Elements that are functions of products of vectors of two frames (tn_seen_span), at one point of
// frames that are orthonormal. With the gradients G_i and second derivatives H_i of the products
// z_i, and Q of an interval of no length, whose derivatives by both ends are the same:
//
//   w = sum_i Q_i G_i
//   K = sum_ij G_i (2 Q_1ij G_j + Q_vij V^T H_j) + sum_i Q_i H_i,   D = sum_ij G_i Q_vij G_j

#include "model/force.h"

#include "base/status.h"
#include "linalg/dense.h"

static void seen_load(const tn_force_data *data, const tn_pair *at, double (*G)[12],
                      tn_seen_load *out)
{
    tn_seen_span seen;
    for (int i = 0; i < TN_SEEN; i++) {
        const tn_row row = tn_seen_row(i);
        tn_row_gradient(&row, at, G[i]);
        seen.from[i] = seen.to[i] = tn_row_value(&row, at, 0.0);
        seen.rate[i] = tn_row_rate(G[i], at);
    }
    data->ops->between(data, &seen, out);
}

void tn_seen_eval(const tn_force_data *data, const tn_pair *at, tn_load *out)
{
    tn_seen_load load = {0};
    double G[TN_SEEN][12];
    seen_load(data, at, G, &load);
    tn_zero(12, out->w);
    for (int i = 0; i < TN_SEEN; i++)
        tn_axpy(12, load.Q[i], G[i], out->w);
    out->energy = load.energy;
    out->dissipated = load.dissipated;
    out->supplied = 0.0;
}

void tn_seen_tangent(const tn_force_data *data, const tn_pair *at, tn_load_tangent *out)
{
    tn_seen_load load = {0};
    double G[TN_SEEN][12], V[12];
    double on_q[TN_SEEN][12] = {{0}}, on_v[TN_SEEN][12] = {{0}}; // of Q
    seen_load(data, at, G, &load);
    tn_pair_twists(at, V);
    for (int j = 0; j < TN_SEEN; j++) {
        const tn_row row = tn_seen_row(j);
        double H[12][12] = {{0}}, VH[12] = {0};
        tn_row_hessian(&row, at, 1.0, H);
        for (int k = 0; k < 12; k++) {
            tn_axpy(12, V[k], H[k], VH);
            tn_axpy(12, load.Q[j], H[k], out->K[k]);
        }
        for (int i = 0; i < TN_SEEN; i++) {
            tn_axpy(12, 2.0 * load.Q_1[i][j], G[j], on_q[i]);
            tn_axpy(12, load.Q_v[i][j], VH, on_q[i]);
            tn_axpy(12, load.Q_v[i][j], G[j], on_v[i]);
        }
    }
    for (int i = 0; i < TN_SEEN; i++)
        for (int k = 0; k < 12; k++) {
            tn_axpy(12, G[i][k], on_q[i], out->K[k]);
            tn_axpy(12, G[i][k], on_v[i], out->D[k]);
        }
}
