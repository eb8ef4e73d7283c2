// SPDX-License-Identifier: MIT
//
// Creep of a wheel on a rail: forces x along the rail and y across it, where they touch, and a
// moment about the normal of the contact, from the rail on the wheel and back. With the directions
// of slip u_k = A_k V of the contact (slip.h),
//
//   w = x A_0 + y A_1 + spin A_2,   dw = x H_0 + y H_1 + spin H_2.
//
// Each is a number, an expression, or that of a law (creep_law.c), which is an expression as well:
// of the speeds of slip NAME.slip.x, y and z, of the normal force -JOINT.lambda.gap, and of contact
// coordinates. The work of a law counts as dissipated, that of stated forces as supplied.

#include "model/force.h"

#include "force/creep_law.h"
#include "force/slip.h"
#include "model/model.h"
#include "model/signal.h"

#include <stdio.h>
#include <string.h>

static void creep_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                       tn_load *out)
{
    const tn_creep *creep = &data->def.creep;
    const double F[TN_SLIPS] = {creep->x, creep->y, creep->spin};
    double power = 0.0;
    tn_slip_at slip;
    tn_slip_see(data, at, false, &slip);
    for (int k = 0; k < TN_SLIPS; k++) {
        power += F[k] * slip.u[k];
        for (int i = 0; i < 12; i++)
            out->w[i] += F[k] * slip.A[k][i];
    }
    if (creep->law == TN_CREEP_STATED)
        out->supplied = power;
    else
        out->dissipated = -power;
}

static void creep_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                          tn_load_tangent *out)
{
    const tn_creep *creep = &data->def.creep;
    const double F[TN_SLIPS] = {creep->x, creep->y, creep->spin};
    tn_slip_at slip;
    tn_slip_see(data, at, true, &slip);
    for (int k = 0; k < TN_SLIPS; k++)
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++)
                out->K[i][j] += F[k] * slip.H[k][i][j];
}

// Model -------------------------------------------------------------------------------------------

static const char *const laws[] = {"stated", "kalker", "polach", NULL};

#define CREEP(member, key, unit, ...) \
    TN_PARAM(tn_force_def, creep.member, NUMBER, key, unit, __VA_ARGS__)

static const tn_param creep_params[] = {
    CREEP(x, "x", "N", .affine = true, .damps = true,
          .given = offsetof(tn_force_def, creep.given[0]),
          .text = "force on the wheel, body B, along the rail, x of frame A: a number or an "
                  "expression; when left out that of the law, or 0"),
    CREEP(y, "y", "N", .affine = true, .damps = true,
          .given = offsetof(tn_force_def, creep.given[1]),
          .text = "the same across the rail, in the plane of contact: along the product of its "
                  "normal and x"),
    CREEP(spin, "spin", "N m", .affine = true, .damps = true,
          .given = offsetof(tn_force_def, creep.given[2]),
          .text = "moment on the wheel about the normal of the contact"),
    TN_PARAM(tn_force_def, creep.law, CHOICE, "law", "", .choices = laws,
             .text = "what x, y and spin are that are not stated: Kalker's linear theory, bent to "
                     "what friction allows by the cubic of Johnson and Vermeulen; or the formulas "
                     "of Polach"),
    CREEP(friction, "friction", "", .range = TN_NONNEGATIVE, .text = "of a law: the coefficient"),
    CREEP(speed, "speed", "m/s", .range = TN_NONNEGATIVE,
          .text = "of a law: the speed of rolling, by which speeds of slip are creepages"),
    CREEP(shear, "shear_modulus", "N/m^2", .range = TN_NONNEGATIVE, .text = "of a law"),
    CREEP(poisson, "poisson", "", .range = TN_NONNEGATIVE,
          .text = "of a law: Poisson's ratio, for the ellipse by curvatures"),
    CREEP(curvature_x, "curvature_x", "1/m", .range = TN_NONNEGATIVE,
          .text = "of a law: sum of the curvatures of wheel and rail along x; the contact ellipse "
                  "follows by Hertz's theory"),
    CREEP(curvature_y, "curvature_y", "1/m", .range = TN_NONNEGATIVE, .text = "the same across it"),
    CREEP(axis_x, "semi_axis_x", "m", .range = TN_NONNEGATIVE,
          .text = "instead of curvatures: semi-axis of the contact ellipse along x"),
    CREEP(axis_y, "semi_axis_y", "m", .range = TN_NONNEGATIVE, .text = "the same across it"),
    CREEP(C11, "C11", "", .range = TN_NONNEGATIVE, .text = "Kalker's coefficient along x"),
    CREEP(C22, "C22", "", .range = TN_NONNEGATIVE, .text = "across it"),
    CREEP(C23, "C23", "", .range = TN_NONNEGATIVE, .text = "of the force across it by spin"),
    CREEP(C33, "C33", "", .range = TN_NONNEGATIVE, .text = "of the moment by spin"),
};

static tn_status creep_prepare(tn_force_data *data, const tn_model *model)
{
    char what[500];
    snprintf(what, sizeof what, "force '%.*s'", TN_CREEP_NAME, data->name);
    return tn_creep_check(&data->def.creep, what);
}

// The expressions of a law contain both names.
static tn_status check_length(const char *what, const char *name)
{
    const size_t length = strlen(name);
    if (length <= TN_CREEP_NAME)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%.100s: the name '%.20s…' has %zu characters; a force with a law of creep and "
                   "its joint may have names of at most %d: shorten it",
                   what, name, length, TN_CREEP_NAME);
}

static tn_status creep_join(tn_model *model, const tn_force_data *data, const char *what)
{
    const tn_creep *creep = &data->def.creep;
    char number[600];
    if (creep->law == TN_CREEP_STATED)
        return TN_OK;
    TN_TRY(check_length(what, data->name));
    TN_TRY(check_length(what, model->joints.at[data->slip.joint].name));
    char *text = tn_alloc(TN_CREEP_TEXT);
    tn_status status = tn_got(text);
    for (int k = 0; status == TN_OK && k < TN_SLIPS; k++) {
        if (creep->given[k])
            continue;
        tn_creep_text(model, data, k, text);
        snprintf(number, sizeof number, "%s: %s", what, creep_params[k].name);
        status = tn_live_own(model, &creep_params[k], number, text);
    }
    tn_free(text);
    return status;
}

const tn_force_ops tn_force_creep = {
    .name = "creep",
    .text = "forces along and across a rail, and about the normal, where a wheel creeps on it",
    TN_PARAMS(creep_params),
    .on_joint = true,
    .slips = tn_slip_take,
    .needs_rotation = true,
    .prepare = creep_prepare,
    .join = creep_join,
    .eval = creep_eval,
    .tangent = creep_tangent,
};
