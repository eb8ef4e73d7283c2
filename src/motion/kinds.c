// SPDX-License-Identifier: MIT

#include "motion/kinds.h"

// Coordinates of a factor stand in the order of its velocities. A quaternion has one more than
// velocities that turn it, and all of them are angles.
void tn_coordinates_by_kind(const tn_system *sys, const tn_chart *chart,
                            const double value[TN_KIND_COUNT], double *out)
{
    TN_ASSERT(chart->nv == sys->nv && chart->ngroup == sys->ngroup);
    for (int k = 0; k < chart->ngroup; k++) {
        const tn_group *group = &chart->groups[k];
        for (int i = chart->z0[k]; i < chart->z0[k + 1]; i++) {
            const int j = i - chart->z0[k];
            out[i] = value[j < group->nv ? tn_increment_kind(sys, group->v0 + j) : TN_KIND_ANGLE];
        }
    }
}

void tn_velocities_by_kind(const tn_system *sys, const double value[TN_KIND_COUNT], double *out)
{
    for (int i = 0; i < sys->nv; i++)
        out[i] = value[tn_velocity_kind(sys, i)];
}
