// SPDX-License-Identifier: MIT
//
// End stops on a joint coordinate, after Hunt and Crossley (J. Appl. Mech. 42, 1975): the damping
// grows with the penetration, so the force starts from zero at contact and is continuous.
//
//   p = x - upper or lower - x, where positive
//   F = k p^e max(0, 1 + d p')        pushes x back, never pulls
//   V = k p^(e+1) / (e+1)
//   dissipated = (F - k p^e) p'  >= 0      k p^e d p'^2 while the stop pushes; what is stored is
//                                          lost where it cannot follow, 1 + d p' < 0
//
// With the direction s of the push (-1 at the upper stop, +1 at the lower), p' = -s x', Q = s F,
// dQ/dx = -dF/dp and dQ/dx' = -dF/dp'.

#include "model/force_parts.h"

#include <math.h>

static const tn_param stop_params[] = {
    {.name = "lower",
     .type = TN_PARAM_NUMBER,
     .unit = "rad or m",
     .range = TN_UNBOUNDED,
     .fallback = -INFINITY,
     .text = "lower end of the free travel, none by default",
     .offset = offsetof(tn_force_def, stop.lower)},
    {.name = "upper",
     .type = TN_PARAM_NUMBER,
     .unit = "rad or m",
     .range = TN_UNBOUNDED,
     .fallback = INFINITY,
     .text = "upper end of the free travel, none by default",
     .offset = offsetof(tn_force_def, stop.upper)},
    {.name = "stiffness",
     .type = TN_PARAM_NUMBER,
     .unit = "N/m^e or N m/rad^e",
     .range = TN_POSITIVE,
     .required = true,
     .text = "stiffness k of the law k p^e (1 + d p') for a penetration p",
     .offset = offsetof(tn_force_def, stop.stiffness)},
    {.name = "damping",
     .type = TN_PARAM_NUMBER,
     .unit = "s/m or s/rad",
     .range = TN_NONNEGATIVE,
     .text = "damping d, relative to the elastic force",
     .offset = offsetof(tn_force_def, stop.damping)},
    {.name = "exponent",
     .type = TN_PARAM_NUMBER,
     .unit = "",
     .range = TN_AT_LEAST_ONE,
     .fallback = 1.0,
     .text = "exponent e",
     .offset = offsetof(tn_force_def, stop.exponent)},
};

static void stop_law(const tn_force_data *data, double t, double x, double rate,
                     tn_scalar_load *out)
{
    const double lower = data->def.stop.lower, upper = data->def.stop.upper;
    const double k = data->def.stop.stiffness, d = data->def.stop.damping;
    const double e = data->def.stop.exponent;
    const double s = x > upper ? -1.0 : 1.0;
    const double p = x > upper ? x - upper : lower - x;

    (void)t;
    if (!(p > 0.0))
        return;
    const double speed = -s * rate;
    const double elastic = k * pow(p, e);
    const double factor = 1.0 + d * speed;

    out->energy = elastic * p / (e + 1.0);
    out->dissipated = (fmax(factor, 0.0) - 1.0) * elastic * speed;
    if (factor <= 0.0)
        return;
    out->Q = s * elastic * factor;
    out->Q_x = -(e * elastic / p) * factor;
    out->Q_v = -elastic * d;
}

static tn_status stop_prepare(tn_force_data *data, const tn_model *model)
{
    const double lower = data->def.stop.lower, upper = data->def.stop.upper;

    (void)model;
    if (isinf(lower) && isinf(upper))
        return tn_fail(TN_ERR_MODEL, "force '%s': a stop needs a lower or an upper end",
                       data->name);
    if (lower >= upper)
        return tn_fail(TN_ERR_MODEL,
                       "force '%s': lower is %g and upper is %g; lower must be smaller", data->name,
                       lower, upper);
    return TN_OK;
}

static void stop_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                      tn_load *out)
{
    tn_scalar_eval(stop_law, data, t, reference, at, out);
}

static void stop_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                         tn_load_tangent *out)
{
    tn_scalar_tangent(stop_law, data, t, reference, at, out);
}

const tn_force_ops tn_force_joint_stop = {
    .name = "joint-stop",
    .text = "elastic end stops on a joint coordinate",
    .params = stop_params,
    .nparam = TN_COUNT(stop_params),
    .on_joint = true,
    .law = stop_law,
    .prepare = stop_prepare,
    .eval = stop_eval,
    .tangent = stop_tangent,
};
