// SPDX-License-Identifier: MIT
//
// Motor: a force or torque on a joint coordinate as a function of time, Q = u(t), power u(t) x'.

#include "model/force.h"

static const tn_param motor_params[] = {
    TN_PARAM(tn_force_def, motor.effort, FUNCTION, "effort", "N or N m", .required = true,
             .text = "force or torque on the coordinate, positive in its direction"),
};

static void motor_law(const tn_force_data *data, double t, double x, double rate, double kept,
                      tn_scalar_load *out)
{
    double u[3];
    tn_timefn_eval(data->u[0], t, u);
    out->Q = u[0];
    out->supplied = u[0] * rate;
}

const tn_force_ops tn_force_motor = {
    .name = "motor",
    .text = "force or torque on a joint coordinate as a function of time",
    TN_PARAMS(motor_params),
    .on_joint = true,
    .is_motor = true,
    .is_effort = true,
    .law = motor_law,
};
