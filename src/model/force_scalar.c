// SPDX-License-Identifier: MIT
//
// A scalar law Q(x, x', t) on a coordinate x of a pair of frames (row.h). With the gradient G and
// the Hessian H of x, and V the world twists of the bodies, x' = G . V and
//
//   w = Q G                                            as Q x' = (Q G) . V
//   K = dw/d(variation) = G (Q_x G^T + Q_v (V^T H)) + Q H    as dx' = V^T H at constant V
//   D = dw/dV = Q_v G G^T

#include "model/force.h"

#include <string.h>

static tn_scalar_load scalar_load(const tn_force_data *data, double t, double reference,
                                  const tn_pair *at, double G[12])
{
    tn_scalar_load load = {0};
    TN_ASSERT(data->has_row);
    tn_row_gradient(&data->row, at, G);
    const double x = data->ops->is_motor ? 0.0 : tn_row_value(&data->row, at, reference);
    data->ops->law(data, t, x, tn_row_rate(G, at), reference, &load);
    return load;
}

static void scalar_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                        tn_load *out)
{
    double G[12];
    const tn_scalar_load load = scalar_load(data, t, reference, at, G);
    for (int i = 0; i < 12; i++)
        out->w[i] = load.Q * G[i];
    out->energy = load.energy;
    out->dissipated = load.dissipated;
    out->supplied = load.supplied;
}

// V^T H, the derivative of x' with respect to the configuration at constant V.
static void rate_gradient(double H[12][12], const tn_pair *at, double out[12])
{
    double V[12];
    tn_pair_twists(at, V);
    memset(out, 0, 12 * sizeof(double));
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            out[j] += V[i] * H[i][j];
}

static void scalar_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                           tn_load_tangent *out)
{
    double G[12], H[12][12] = {{0}}, VH[12];
    const tn_scalar_load load = scalar_load(data, t, reference, at, G);
    tn_row_hessian(&data->row, at, 1.0, H);
    rate_gradient(H, at, VH);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            out->K[i][j] = G[i] * (load.Q_x * G[j] + load.Q_v * VH[j]) + load.Q * H[i][j];
            out->D[i][j] = load.Q_v * G[i] * G[j];
        }
}

void tn_force_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                   tn_load *out)
{
    if (data->ops->law)
        scalar_eval(data, t, reference, at, out);
    else
        data->ops->eval(data, t, reference, at, out);
}

void tn_force_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                      tn_load_tangent *out)
{
    if (data->ops->law)
        scalar_tangent(data, t, reference, at, out);
    else
        data->ops->tangent(data, t, reference, at, out);
}
