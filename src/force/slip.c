// SPDX-License-Identifier: MIT
//
// Directions of slip; see slip.h.

#include "force/slip.h"

#include "model/builder.h"
#include "row/own_row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Joints ------------------------------------------------------------------------------------------

static const tn_joint_ops *const rubbing[] = {
    &tn_joint_revolute,         &tn_joint_prismatic,   &tn_joint_planar_revolute,
    &tn_joint_planar_prismatic, &tn_joint_cylindrical, &tn_joint_screw,
};

static bool rubs(const tn_joint_ops *ops)
{
    for (int k = 0; k < TN_COUNT(rubbing); k++)
        if (rubbing[k] == ops)
            return true;
    return false;
}

static void add_slip(tn_slip *slip, const tn_joint_coord *coord, double ratio)
{
    TN_ASSERT(slip->n < TN_SLIPS);
    slip->row[slip->n] = coord->row;
    slip->ratio[slip->n] = ratio;
    slip->turns[slip->n++] = !tn_row_is_length(&coord->row);
}

static void take_ball(tn_slip *slip)
{
    slip->ball = true;
    slip->n = TN_SLIPS;
    for (int k = 0; k < TN_SLIPS; k++) {
        slip->ratio[k] = 1.0;
        slip->turns[k] = true;
    }
}

static void take_touch(tn_slip *slip)
{
    slip->touches = true;
    slip->n = TN_SLIPS;
    for (int k = 0; k < TN_SLIPS; k++)
        slip->ratio[k] = 1.0;
}

static bool any_turns(const tn_slip *slip)
{
    for (int k = 0; k < slip->n; k++)
        if (slip->turns[k])
            return true;
    return false;
}

static tn_status refuse_joint(const tn_joint_data *joint, bool creep, const char *what)
{
    if (creep)
        return tn_fail(TN_ERR_MODEL,
                       "%s: joint '%s' is of kind %s, and creep acts between wheel and rail, kind "
                       "wheel-rail",
                       what, joint->name, joint->ops->name);
    return tn_fail(TN_ERR_MODEL,
                   "%s: joint '%s' is of kind %s, and friction acts in revolute, prismatic, "
                   "cylindrical, spherical and screw joints and in gears",
                   what, joint->name, joint->ops->name);
}

// The pair of frames that slips is that of `on`, for a gear its first joint.
static void take_pair_of(tn_force_data *data, const tn_model *model, tn_joint on)
{
    const tn_joint_def *def = model->joints.at[on.index].def;
    data->def.joint = on;
    data->def.body_a = def->body_a;
    data->def.body_b = def->body_b;
    data->def.frame_a = def->frame_a;
    data->def.frame_b = def->frame_b;
}

tn_status tn_slip_take(const tn_model *model, tn_force_data *data, const char *what)
{
    const tn_joint from = data->def.joint;
    tn_slip *slip = &data->slip;
    if (from.index < 0 || from.index >= model->joints.count)
        return tn_fail(TN_ERR_MODEL, "%s: there is no joint number %d", what, from.index);
    const tn_joint_data *joint = &model->joints.at[from.index];
    const tn_joint_ops *ops = joint->ops;
    const bool creep = data->ops == &tn_force_creep;
    *slip = (tn_slip){.joint = from.index};
    if (data->def.coordinate != 0)
        return tn_fail(TN_ERR_MODEL,
                       "%s: %s acts along all coordinates of its joint together; leave "
                       "'coordinate' out",
                       what, creep ? "creep" : "friction");
    take_pair_of(data, model, ops == &tn_joint_gear ? joint->def->gear.joint_1 : from);
    if (creep && ops == &tn_joint_wheel_rail) {
        take_touch(slip);
    } else if (creep) {
        return refuse_joint(joint, creep, what);
    } else if (ops == &tn_joint_gear) {
        const tn_joint_data *first = &model->joints.at[joint->def->gear.joint_1.index];
        add_slip(slip, &first->ops->coords[joint->def->gear.coordinate_1],
                 joint->def->gear.ratio_1);
    } else if (ops == &tn_joint_spherical) {
        take_ball(slip);
    } else if (rubs(ops)) {
        for (int k = 0; k < ops->ncoord; k++)
            add_slip(slip, &ops->coords[k], 1.0);
    } else {
        return refuse_joint(joint, creep, what);
    }
    if (any_turns(slip)) {
        TN_TRY(tn_check_rotation(model, data->def.body_a, what, "friction in a turning joint"));
        TN_TRY(tn_check_rotation(model, data->def.body_b, what, "friction in a turning joint"));
    }
    if (any_turns(slip) && !(data->def.friction.radius > 0.0))
        return tn_fail(TN_ERR_MODEL,
                       "%s: joint '%s' turns; state the friction radius 'radius' [m], at which its "
                       "surfaces slip",
                       what, joint->name);
    return TN_OK;
}

// Speeds ------------------------------------------------------------------------------------------

static double factor_of(const tn_force_data *data, int k)
{
    return data->slip.ratio[k] * (data->slip.turns[k] ? data->def.friction.radius : 1.0);
}

// a . (w_B - w_A) with an axis a of frame A, which turns with it: da = dtheta x a.
static void see_ball(const tn_pair *at, int k, double A[12], double H[12][12])
{
    const tn_vec3 a = {at->a.x.R.m[0][k], at->a.x.R.m[1][k], at->a.x.R.m[2][k]};
    tn_v3_to(tn_v3_scale(-1.0, a), A + TN_MA);
    tn_v3_to(a, A + TN_MB);
    if (!H)
        return;
    tn_block_add(H, TN_MA, TN_MA, 1.0, tn_m3_skew(a));
    tn_block_add(H, TN_MB, TN_MA, -1.0, tn_m3_skew(a));
}

// Directions of slip at a contact: of speeds t . v by wrenches of t, of the spin by moments of n.
static void see_touch(const tn_pair *at, bool vary, tn_slip_at *out)
{
    const tn_vec3 along = tn_m3_column(at->a.x.R, TN_X);
    tn_touch_world w;
    tn_vec3 t[2] = {along}, dt[2][12] = {{{0}}};
    const bool known = tn_touch_see(at, vary, &w);
    for (int k = 0; !known && k < TN_SLIPS; k++)
        out->u[k] = NAN;
    if (!known)
        return;
    t[1] = tn_v3_cross(w.n, along);
    for (int i = 0; vary && i < 12; i++) {
        const tn_vec3 turn = tn_v3(i == TN_MA, i == TN_MA + 1, i == TN_MA + 2);
        dt[0][i] = tn_v3_cross(turn, along);
        dt[1][i] = tn_v3_add(tn_v3_cross(w.dn[i], along), tn_v3_cross(w.n, dt[0][i]));
        for (int c = 0; c < 3; c++) {
            const double dn[3] = {w.dn[i].x, w.dn[i].y, w.dn[i].z};
            out->H[2][TN_MA + c][i] = -dn[c];
            out->H[2][TN_MB + c][i] = dn[c];
        }
    }
    for (int k = 0; k < 2; k++) {
        tn_touch_wrench(t[k], w.x, w.y, out->A[k]);
        tn_own_gradient_on_bodies(at, out->A[k]);
        if (vary)
            tn_touch_wrench_vary(at, &w, t[k], dt[k], out->H[k]);
    }
    tn_v3_to(tn_v3_neg(w.n), out->A[2] + TN_MA);
    tn_v3_to(w.n, out->A[2] + TN_MB);
    if (vary)
        tn_own_matrix_on_bodies(at, NULL, out->H[2]);
    for (int k = 0; k < TN_SLIPS; k++)
        out->u[k] = tn_row_rate(out->A[k], at);
}

void tn_slip_see(const tn_force_data *data, const tn_pair *at, bool vary, tn_slip_at *out)
{
    const tn_slip *slip = &data->slip;
    TN_ASSERT(slip->n > 0);
    memset(out, 0, sizeof *out);
    if (slip->touches) {
        see_touch(at, vary, out);
        return;
    }
    for (int k = 0; k < slip->n; k++) {
        const double c = factor_of(data, k);
        if (slip->ball)
            see_ball(at, k, out->A[k], vary ? out->H[k] : NULL);
        else
            tn_row_gradient(&slip->row[k], at, out->A[k]);
        if (vary && !slip->ball)
            tn_row_hessian(&slip->row[k], at, 1.0, out->H[k]);
        for (int i = 0; i < 12; i++) {
            out->A[k][i] *= c;
            for (int j = 0; vary && j < 12; j++)
                out->H[k][i][j] *= c;
        }
        out->u[k] = tn_row_rate(out->A[k], at);
    }
}

// Texts -------------------------------------------------------------------------------------------

void tn_slip_load_text(const tn_model *model, const tn_force_data *data, char *text, size_t size)
{
    const tn_joint_data *joint = &model->joints.at[data->slip.joint];
    const tn_friction *f = &data->def.friction;
    const char *name = joint->name;
    int n;
    if (joint->ops == &tn_joint_gear)
        n = snprintf(text, size, "sqrt((\"%s.lambda.%s\"/%.17g)^2 + small_force^2)", name,
                     tn_constraint_row_name(model, data->slip.joint, 0),
                     data->slip.turns[0] ? f->radius : 1.0);
    else
        n = snprintf(text, size,
                     "sqrt(\"%s.force.x\"^2 + \"%s.force.y\"^2 + \"%s.force.z\"^2 + small_force^2)",
                     name, name, name);
    if (f->length > 0.0 && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n,
                 " + sqrt(\"%s.torque.x\"^2 + \"%s.torque.y\"^2 + \"%s.torque.z\"^2 + "
                 "small_torque^2)*%.17g",
                 name, name, name, 2.0 / f->length);
}

void tn_slip_speed_text(const tn_model *model, const tn_force_data *data, int k, char *text,
                        size_t size)
{
    TN_ASSERT(k >= 0 && k < data->slip.n);
    if (data->slip.ball) {
        snprintf(text, size, "(\"%.400s.slip.%c\")", data->name, "xyz"[k]);
        return;
    }
    const tn_joint_data *on = &model->joints.at[data->def.joint.index];
    int i = 0;
    while (i < on->ops->ncoord &&
           memcmp(&on->ops->coords[i].row, &data->slip.row[k], sizeof data->slip.row[k]) != 0)
        i++;
    TN_ASSERT(i < on->ops->ncoord);
    snprintf(text, size, "(%.17g*\"%s.%s.rate\")", factor_of(data, k), on->name,
             on->ops->coords[i].name);
}
