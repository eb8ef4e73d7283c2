// SPDX-License-Identifier: MIT
//
// A force that the library does not have: an orifice that resists with the square of the speed at
// which two points move apart, Q = -c |x'| x'.

#include "model/force.h"

#include <math.h>

static const tn_row dashpot_row = {.form = TN_ROW_LENGTH};

static const tn_param dashpot_params[] = {
    {.name = "resistance",
     .type = TN_PARAM_NUMBER,
     .unit = "N s^2/m^2",
     .range = TN_NONNEGATIVE,
     .required = true,
     .text = "force per square of the speed",
     .offset = offsetof(tn_force_def, spring.damping)},
};

static void dashpot_law(const tn_force_data *data, double t, double x, double rate, double kept,
                        tn_scalar_load *out)
{
    const double c = data->def.spring.damping;
    (void)t, (void)x;
    out->Q = -c * fabs(rate) * rate;
    out->Q_v = -2.0 * c * fabs(rate);
    out->dissipated = c * fabs(rate) * rate * rate;
}

const tn_force_ops tn_force_dashpot = {
    .name = "dashpot",
    .text = "resists with the square of the speed between two points",
    .glyph = "rod",
    .params = dashpot_params,
    .nparam = TN_COUNT(dashpot_params),
    .row = &dashpot_row,
    .law = dashpot_law,
};
