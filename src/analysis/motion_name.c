// SPDX-License-Identifier: MIT
//
// See motion_name.h.

#include "analysis/motion_name.h"

#include "linalg/dense.h"
#include "model/units.h"
#include "system/absolute.h"

#include <math.h>
#include <stdio.h>

// The coordinate of a joint that the motion x changes fastest: its rate, 0 for none.
static double fastest_coordinate(const tn_model *model, const tn_system *sys, const tn_point *at,
                                 char *text, size_t size, double *unit)
{
    double q[TN_JOINT_MAX_COORDS], rate[TN_JOINT_MAX_COORDS], most = 0.0;
    for (int j = 0; j < model->joints.count; j++) {
        const tn_joint_data *joint = &model->joints.at[j];
        const int n = tn_absolute_coordinates(sys, at, j, q, rate);
        for (int i = 0; i < n; i++)
            if (fabs(rate[i]) > (1.0 + 1e-6) * most) { // the first of equals
                most = fabs(rate[i]);
                *unit = tn_unit_joint_coordinate(model, (tn_joint){j}, i);
                snprintf(text, size, "joint '%s', %s,", joint->name, joint->ops->coords[i].name);
            }
    }
    return most;
}

double tn_motion_name(const tn_model *model, const tn_system *sys, const tn_point *now,
                      const double *x, char *text, size_t size)
{
    const tn_point at = {.t = now->t, .q = now->q, .v = x, .r = now->r};
    double unit = 1.0;
    const double rate = fastest_coordinate(model, sys, &at, text, size, &unit);
    char name[128];
    int largest = 0;
    if (rate > 1e-6 * tn_norm_inf(sys->nv, x))
        return unit * rate;
    for (int i = 1; i < sys->nv; i++)
        largest = fabs(x[i]) > (1.0 + 1e-6) * fabs(x[largest]) ? i : largest;
    sys->ops->velocity_name(sys, largest, name, sizeof name);
    snprintf(text, size, "%s,", name);
    return fabs(x[largest]) * tn_system_unit(sys, TN_MEASURE_VELOCITY, largest);
}
