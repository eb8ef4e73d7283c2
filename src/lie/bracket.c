// SPDX-License-Identifier: MIT
//
// The Lie bracket of the configuration group; see bracket.h.

#include "lie/bracket.h"

#include "tenon/spatial.h"

void tn_group_bracket(int n, const tn_group *groups, const double *x, const double *y, double *out)
{
    TN_ASSERT(out != x && out != y);
    for (int k = 0; k < n; k++) {
        const tn_group *group = &groups[k];
        double *z = out + group->v0;
        for (int i = 0; i < group->nv; i++)
            z[i] = 0.0;
        if (group->kind == TN_GROUP_R)
            continue;
        const double *a = x + group->v0, *b = y + group->v0;
        const int turn = tn_group_turn(group);
        const tn_vec3 wa = tn_v3_from(a + turn), wb = tn_v3_from(b + turn);
        tn_v3_to(tn_v3_cross(wa, wb), z + turn);
        if (group->kind == TN_GROUP_SE3)
            tn_v3_to(tn_v3_sub(tn_v3_cross(wa, tn_v3_from(b)), tn_v3_cross(wb, tn_v3_from(a))), z);
    }
}
