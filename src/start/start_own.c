// SPDX-License-Identifier: MIT
//
// Results of user-defined kinds, compared with differences where their elements start; see
// start_parts.h.

#include "start/start_parts.h"

#include "coords/joint_motion.h"
#include "kinds/family.h"
#include "kinds/own.h"
#include "tenon/sim.h"

#include <stdio.h>

static tn_pair pair_between(const tn_system *sys, const tn_point *at, int a, tn_frame frame_a,
                            int b, tn_frame frame_b)
{
    tn_body_state body[2];
    sys->ops->mechanism->body(sys, at, a, &body[0]);
    sys->ops->mechanism->body(sys, at, b, &body[1]);
    return (tn_pair){.a = tn_end_on_body(&body[0], frame_a),
                     .b = tn_end_on_body(&body[1], frame_b)};
}

// Bits of the variations that a body does not make: shifts along x, y, z, turns about these.
static unsigned still_of(const tn_model *model, int body)
{
    const int moves = body == 0 ? 0 : model->bodies.at[body].ops->moves;
    const int turns = body == 0 ? 0 : model->bodies.at[body].ops->turns;
    unsigned still = 0;
    for (int i = 0; i < 3; i++) {
        still |= (unsigned)(i >= moves) << i;
        still |= (unsigned)(turns == 0 || (turns == 1 && i < 2)) << (3 + i);
    }
    return still;
}

static unsigned still_between(const tn_model *model, int a, int b)
{
    return still_of(model, a) | still_of(model, b) << 6;
}

static tn_status check_functions(const char *element, int n, tn_timefn *const *u, double t)
{
    for (int i = 0; i < n; i++)
        if (u[i])
            TN_TRY(tn_own_check_function(element, u[i], t));
    return TN_OK;
}

static tn_status check_joint(const tn_model *model, int joint, const tn_system *sys,
                             const tn_point *at)
{
    const tn_joint_data *data = &model->joints.at[joint];
    const tn_joint_def *def = data->def;
    char element[160];
    snprintf(element, sizeof element, "joint '%s'", data->name);
    TN_TRY(check_functions(element, TN_JOINT_FUNCTIONS, data->u, at->t));
    if ((int)def->kind < TN_JOINT_KIND_COUNT)
        return TN_OK;
    const tn_pair pair =
        pair_between(sys, at, def->body_a.index, def->frame_a, def->body_b.index, def->frame_b);
    return tn_own_check_joint(element, def, pair.a.x, pair.b.x,
                              still_between(model, def->body_a.index, def->body_b.index));
}

static tn_status check_force(const tn_model *model, int force, const tn_system *sys,
                             const tn_point *at)
{
    const tn_force_data *data = &model->forces.at[force];
    const tn_force_def *def = &data->def;
    tn_force_state now = {0};
    char element[160];
    snprintf(element, sizeof element, "force '%s'", data->name);
    TN_TRY(check_functions(element, TN_COUNT(data->u), data->u, at->t));
    if ((int)def->kind < TN_FORCE_KIND_COUNT)
        return TN_OK;
    const tn_pair pair =
        pair_between(sys, at, def->body_a.index, def->frame_a, def->body_b.index, def->frame_b);
    sys->ops->mechanism->force(sys, at, force, &now);
    return tn_own_check_force(element, data, at->t, &pair, now.coordinate, now.rate,
                              still_between(model, def->body_a.index, def->body_b.index));
}

tn_status tn_start_check_own(const tn_model *model, const tn_start *s)
{
    const tn_point at = tn_state_point(&s->x);
    if (tn_own_count(TN_FAMILY_JOINT) + tn_own_count(TN_FAMILY_FORCE) +
            tn_own_count(TN_FAMILY_FUNCTION) ==
        0)
        return TN_OK;
    for (int k = 0; k < model->joints.count; k++)
        TN_TRY(check_joint(model, k, s->sys, &at));
    for (int k = 0; k < model->forces.count; k++)
        TN_TRY(check_force(model, k, s->sys, &at));
    return TN_OK;
}
