// SPDX-License-Identifier: MIT
//
// The explicit Runge-Kutta method of order 5(4) of Dormand and Prince with continuous extension of
// order 4 [HNW93, II.5, table 5.2; II.6], on any explicit view. With index1 it is the method that
// [Arn16, Remark 10] calls MDOP5.

#include "integrator/integrator_list.h"
#include "integrator/runge_kutta.h"

static const double nodes[] = {0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0};

static const double rows[7][7] = {
    {0.0},
    {1.0 / 5.0},
    {3.0 / 40.0, 9.0 / 40.0},
    {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
    {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
    {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
    {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0},
};

static const double error[] = {
    71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
    -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0,
};

// Shampine's term of the dense output, in the numbers of [HNW93, code DOPRI5].
static const double dense[] = {
    -12715105075.0 / 11282082432.0,  0.0,
    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
};

const tn_tableau tn_tableau_dopri5 = {
    .stages = 7,
    .order = 5,
    .c = nodes,
    .a = rows[0],
    .error = error,
    .ndense = 1,
    .dense = dense,
};

static void layout_dopri5(tn_integrator *self, const tn_stepper *stepper, tn_carve *mem)
{
    tn_runge_kutta_layout(self, &tn_tableau_dopri5, stepper, mem);
}

static tn_status begin_dopri5(tn_integrator *self, const tn_sim_options *options)
{
    const double beta = 0.04; // [HW96, IV.2]
    tn_runge_kutta_begin(
        self, &tn_tableau_dopri5,
        (tn_control){
            .safe = 0.9, .exponent = 0.2 - 0.75 * beta, .beta = beta, .least = 0.2, .most = 10.0});
    return TN_OK;
}

const tn_integrator_ops tn_integrator_dopri5 = {
    .name = "dopri5",
    .text = "Dormand-Prince 5(4), explicit, error-controlled, dense output",
    .source = "[HNW93, II.5; Arn16, Remark 10]",
    .order = 5,
    .needs = TN_VIEW_ACCEL,
    .controlled = true,
    .decay_max = 3.3,
    .size = sizeof(tn_runge_kutta),
    .layout = layout_dopri5,
    .begin = begin_dopri5,
    .step = tn_runge_kutta_step,
    .interpolate = tn_runge_kutta_interpolate,
    .values = tn_runge_kutta_values,
};
