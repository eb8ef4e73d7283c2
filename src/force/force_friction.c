// SPDX-License-Identifier: MIT
//
// Friction in a joint by the law of Coulomb with Stribeck's effect, regularised. In directions of
// slip u (slip.h), s = |u|, under the normal load N:
//
//   F = N mu(s) u / r + c u,   r = sqrt(s^2 + e^2),
//   mu(s) = mu_c + (mu_s - mu_c) exp(-(s / v_s)^2)                     [OAC98]
//
//   dF/du = N (phi I + phi_s u u^T) + c I,   phi = mu / r,   phi_s = (mu'/s) / r - mu / r^3
//
// and w = -sum F_k A_k on the bodies. Nothing is at rest: a surface that Coulomb's law holds by the
// part k of its largest force creeps at the speed e k / sqrt(1 - k^2). The load is a number, or an
// expression (slip.c: that of the reactions of the joint), in which the force is linear.
//
// LuGre's friction (force_lugre.c) has another force F on the same directions.

#include "force/force_friction.h"

#include "force/slip.h"
#include "model/builder.h"
#include "model/signal.h"

#include <math.h>
#include <stdio.h>

double tn_friction_coefficient(const tn_friction *f, double s)
{
    const double x = s / f->stribeck;
    return f->coulomb + (f->stiction - f->coulomb) * exp(-x * x);
}

// F and dF/du at the speeds u.
typedef struct rubbing {
    double F[TN_SLIPS], F_u[TN_SLIPS][TN_SLIPS];
} rubbing;

static void friction_law(const tn_force_data *data, const double u[TN_SLIPS], rubbing *out)
{
    const tn_friction *f = &data->def.friction;
    const double ss = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], vv = f->stribeck * f->stribeck;
    const double r = sqrt(ss + f->speed * f->speed), mu = tn_friction_coefficient(f, sqrt(ss));
    const double slope = -2.0 * (mu - f->coulomb) / vv; // mu' / s
    const double phi = mu / r, phi_s = slope / r - mu / (r * r * r);
    for (int k = 0; k < data->slip.n; k++) {
        out->F[k] = (f->load * phi + f->viscous) * u[k];
        for (int j = 0; j < data->slip.n; j++)
            out->F_u[k][j] =
                f->load * (phi_s * u[k] * u[j] + (k == j) * phi) + (k == j) * f->viscous;
    }
}

static void bristle_law(const tn_force_data *data, const double u[TN_SLIPS], rubbing *out)
{
    const tn_friction *f = &data->def.friction;
    for (int k = 0; k < data->slip.n; k++) {
        out->F[k] = f->load * f->carried[k] + f->viscous * u[k];
        for (int j = 0; j < data->slip.n; j++)
            out->F_u[k][j] = (k == j) * f->viscous;
    }
}

static void rub(const tn_force_data *data, const double u[TN_SLIPS], rubbing *out)
{
    if (data->ops == &tn_force_lugre)
        bristle_law(data, u, out);
    else
        friction_law(data, u, out);
}

void tn_friction_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                      tn_load *out)
{
    tn_slip_at slip;
    rubbing by = {0};
    tn_slip_see(data, at, false, &slip);
    rub(data, slip.u, &by);
    for (int k = 0; k < data->slip.n; k++) {
        out->dissipated += by.F[k] * slip.u[k];
        for (int i = 0; i < 12; i++)
            out->w[i] -= by.F[k] * slip.A[k][i];
    }
}

// dw = -sum (dF_k A_k + F_k H_k), dF = F_u du, du_j = (V^T H_j) + A_j dV.
void tn_friction_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                         tn_load_tangent *out)
{
    tn_slip_at slip;
    rubbing by = {0};
    double V[12], VH[TN_SLIPS][12] = {{0}};
    tn_slip_see(data, at, true, &slip);
    rub(data, slip.u, &by);
    tn_pair_twists(at, V);
    for (int k = 0; k < data->slip.n; k++)
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) {
                VH[k][j] += V[i] * slip.H[k][i][j];
                out->K[i][j] -= by.F[k] * slip.H[k][i][j];
            }
    for (int k = 0; k < data->slip.n; k++)
        for (int m = 0; m < data->slip.n; m++)
            for (int i = 0; i < 12; i++)
                for (int j = 0; j < 12; j++) {
                    out->K[i][j] -= slip.A[k][i] * by.F_u[k][m] * VH[m][j];
                    out->D[i][j] -= slip.A[k][i] * by.F_u[k][m] * slip.A[m][j];
                }
}

// Model -------------------------------------------------------------------------------------------

tn_status tn_friction_prepare(tn_force_data *data, const tn_model *model)
{
    tn_friction *f = &data->def.friction;
    if (f->stiction == 0.0)
        f->stiction = f->coulomb;
    if (f->stiction < f->coulomb)
        return tn_fail(TN_ERR_MODEL,
                       "force '%s': static is %g, which is below coulomb, %g; friction at rest is "
                       "not less than in motion",
                       data->name, f->stiction, f->coulomb);
    return TN_OK;
}

static const tn_param *load_of(const tn_force_ops *ops)
{
    for (int i = 0; i < ops->nparam; i++)
        if (ops->params[i].offset == offsetof(tn_force_def, friction.load))
            return &ops->params[i];
    return NULL;
}

tn_status tn_friction_join(tn_model *model, const tn_force_data *data, const char *what)
{
    enum { SIZE = 2000 };
    char text[SIZE], load[600];
    const tn_param *param = load_of(data->ops);
    TN_ASSERT(param);
    snprintf(text, sizeof text, "%.400s breaks away", data->name);
    TN_TRY(tn_event_own(model, model->forces.count, text, data->def.friction.stribeck));
    if (data->def.friction.load_given)
        return TN_OK;
    tn_slip_load_text(model, data, text, sizeof text);
    snprintf(load, sizeof load, "%s: %s", what, param->name);
    return tn_live_own(model, param, load, text);
}

static const tn_param friction_params[] = {
    TN_FRICTION_PARAMS,
    FRICTION(speed, "speed", "m/s", .range = TN_POSITIVE, .fallback = 1e-3,
             .text = "of the regularisation: at this speed of slip the law has 0.7 of its force"),
};

const tn_force_ops tn_force_friction = {
    .name = "friction",
    .text = "Coulomb's and Stribeck's friction in a joint, regularised, under the load of its "
            "reactions",
    TN_PARAMS(friction_params),
    .on_joint = true,
    .slips = tn_slip_take,
    .creeps = true,
    .needs_rotation = false,
    .prepare = tn_friction_prepare,
    .join = tn_friction_join,
    .eval = tn_friction_eval,
    .tangent = tn_friction_tangent,
};
