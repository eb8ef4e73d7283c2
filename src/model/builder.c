// SPDX-License-Identifier: MIT
//
// Names, sticky errors and the checks that the builders of bodies, joints and forces share.

#include "model/builder.h"

#include "lie/so3.h"
#include "signal/curve.h"
#include "tenon/extend.h"
#include "text/join.h"
#include "text/printable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Frames typed with ten digits pass and are then made exact; wrong ones are off by far more.
static const double ROTATION_TOL = 1e-9;
// A frame of the plane is exact up to the round-off of the cosines that made it.
static const double LEVEL_TOL = 1e-12;

// "body 3", or the next number when that name is taken by hand.
static void automatic_name(const char *list, const tn_table *names, int number, size_t size,
                           char *out)
{
    do
        snprintf(out, size, "%s %d", list, number++);
    while (tn_table_find(names, out) >= 0);
}

tn_status tn_label_make(tn_model *model, const char *list, const char *given, const tn_table *names,
                        int number, tn_label *out)
{
    const bool automatic = !given || !*given;
    char made[64];
    if (!automatic && tn_has_control(given)) {
        char name[128];
        tn_printable(given, name, sizeof(name));
        return tn_fail(TN_ERR_MODEL,
                       "%s '%s': the name has a control character, which would reach terminals; "
                       "leave it out",
                       list, name);
    }
    if (!automatic && tn_table_find(names, given) >= 0)
        return tn_fail(TN_ERR_MODEL, "%s '%s': the name is used twice", list, given);
    if (automatic)
        automatic_name(list, names, number, sizeof made, made);
    const char *name = automatic ? made : given;
    out->name = tn_pool_text(&model->names, name, strlen(name));
    TN_JOIN(out->what, list, " '", name, "'");
    return tn_got(out->name);
}

const char *tn_family_name(tn_family family)
{
    static const char *const names[TN_FAMILY_COUNT] = {"body",  "joint", "force",
                                                       "shape", "block", "function"};
    return names[family];
}

int tn_builder_add(tn_model *model, tn_family family, const void *def,
                   tn_status (*add)(tn_model *model, const void *def, const tn_label *label))
{
    tn_table *names = family == TN_FAMILY_BODY    ? model->body_names
                      : family == TN_FAMILY_JOINT ? model->joint_names
                                                  : model->force_names;
    const int *count = family == TN_FAMILY_BODY    ? &model->bodies.count // with the ground
                       : family == TN_FAMILY_JOINT ? &model->joints.count
                                                   : &model->forces.count;
    const char *list = tn_family_name(family);
    tn_label label;
    if (tn_model_open_to_change(model) != TN_OK)
        return -1;
    tn_status s = def ? tn_label_make(model, list, *(const char *const *)def, names,
                                      *count + (family != TN_FAMILY_BODY), &label)
                      : tn_fail(TN_ERR_USAGE, "tn_add_%s: the definition is NULL", list);
    TN_THEN(s, add(model, def, &label));
    TN_THEN(s, tn_table_add(names, label.name, *count - 1));
    tn_model_keep_error(model, s);
    return s == TN_OK ? *count - 1 : -1;
}

tn_status tn_model_keep_error(tn_model *model, tn_status status)
{
    if (model->status == TN_OK && status != TN_OK) {
        model->status = status;
        model->message = tn_strdup(tn_last_error()); // NULL when memory is short: the code says so
    }
    return status;
}

void tn_model_forget_error(tn_model *model)
{
    tn_free(model->message);
    model->message = NULL;
    model->status = TN_OK;
}

bool tn_body_exists(const tn_model *model, tn_body body)
{
    return body.index >= 0 && body.index < model->bodies.count;
}

tn_status tn_check_body(const tn_model *model, tn_body body, const char *what, const char *side)
{
    if (tn_body_exists(model, body))
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s: %s is not a body of this model", what, side);
}

tn_status tn_check_two_bodies(const tn_model *model, tn_body a, tn_body b, const char *what)
{
    TN_TRY(tn_check_body(model, a, what, "body_a"));
    TN_TRY(tn_check_body(model, b, what, "body_b"));
    TN_TRY(tn_modal_check_use(model, a, what));
    TN_TRY(tn_modal_check_use(model, b, what));
    if (a.index != b.index)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s: connects body '%s' with itself", what,
                   tn_model_body_name(model, a));
}

tn_status tn_check_finite(tn_vec3 v, const char *what, const char *quantity)
{
    if (isfinite(v.x) && isfinite(v.y) && isfinite(v.z))
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s: %s must be finite", what, quantity);
}

// The largest entry of R^T R - I; NaN and infinity come through.
static double rotation_defect(tn_mat3 R)
{
    const tn_mat3 E = tn_m3_axpy(-1.0, tn_m3_identity, tn_m3_mul(tn_m3_transpose(R), R));
    double sum = 0.0, largest = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            sum += fabs(E.m[i][j]);
            largest = fmax(largest, fabs(E.m[i][j]));
        }
    return isfinite(sum) ? largest : sum;
}

tn_status tn_check_frame(tn_frame *frame, const char *what, const char *quantity)
{
    TN_TRY(tn_check_finite(frame->p, what, quantity));
    if (memcmp(&frame->R, &tn_m3_identity, sizeof frame->R) == 0) // most are
        return TN_OK;
    const double defect = rotation_defect(frame->R);
    if (!isfinite(defect))
        return tn_fail(TN_ERR_MODEL, "%s: %s must be finite", what, quantity);
    if (defect > ROTATION_TOL)
        return tn_fail(TN_ERR_MODEL,
                       "%s: %s is not a rotation: its axes must be unit vectors at right angles "
                       "(off by %.2g)",
                       what, quantity, defect);
    if (tn_m3_det(frame->R) < 0.0)
        return tn_fail(TN_ERR_MODEL, "%s: %s is left-handed; its axes must be right-handed", what,
                       quantity);
    if (defect > 0.0)
        frame->R = tn_m3_orthonormalize(frame->R);
    return TN_OK;
}

bool tn_rotation_is_level(tn_mat3 R)
{
    return R.m[2][2] > 0.0 && fabs(R.m[0][2]) <= LEVEL_TOL && fabs(R.m[1][2]) <= LEVEL_TOL &&
           fabs(R.m[2][0]) <= LEVEL_TOL && fabs(R.m[2][1]) <= LEVEL_TOL;
}

tn_status tn_check_level(tn_frame frame, const char *what, const char *quantity)
{
    if (tn_rotation_is_level(frame.R))
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: %s is tilted out of the plane; between planar bodies it may be turned "
                   "about z only",
                   what, quantity);
}

tn_status tn_check_rotation(const tn_model *model, tn_body body, const char *what,
                            const char *subject)
{
    if (tn_body_has_rotation(model, body))
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s: %s needs a body with orientation, but '%s' is a point mass",
                   what, subject, tn_model_body_name(model, body));
}

tn_status tn_check_offset(const tn_model *model, tn_body body, tn_frame frame, const char *what,
                          const char *quantity)
{
    if (tn_body_has_rotation(model, body) || tn_v3_norm(frame.p) == 0.0)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: %s is off its origin, but '%s' is a point mass, which can be held only at "
                   "its point",
                   what, quantity, tn_model_body_name(model, body));
}

tn_status tn_check_row_bodies(const tn_model *model, const tn_row *row, tn_body a, tn_body b,
                              const char *what, const char *subject)
{
    const bool both = row->form == TN_ROW_DOT || row->form == TN_ROW_ANGLE;
    if (both || row->form == TN_ROW_AXIS)
        TN_TRY(tn_check_rotation(model, a, what, subject));
    if (both)
        TN_TRY(tn_check_rotation(model, b, what, subject));
    return TN_OK;
}

tn_status tn_check_spatial(const tn_model *model, const tn_joint_def *def, const char *what,
                           const char *instead)
{
    const tn_joint_ops *ops = tn_kind_at(model->kinds, TN_FAMILY_JOINT, (int)def->kind);
    if (tn_pair_is_planar(model, def->body_a, def->body_b))
        return tn_fail(TN_ERR_MODEL, "%s: a %s needs bodies in space, these are planar; %s", what,
                       ops->name, instead);
    TN_TRY(tn_check_rotation(model, def->body_a, what, ops->name));
    return tn_check_rotation(model, def->body_b, what, ops->name);
}

tn_vec3 tn_axes_at_start(const tn_model *model, const tn_joint_def *def, int i, int j)
{
    const tn_mat3 A = tn_m3_mul(model->bodies.at[def->body_a.index].def.frame.R, def->frame_a.R);
    const tn_mat3 B = tn_m3_mul(model->bodies.at[def->body_b.index].def.frame.R, def->frame_b.R);
    return tn_v3_cross(tn_m3_column(A, i), tn_m3_column(B, j));
}

bool tn_pair_is_planar(const tn_model *model, tn_body a, tn_body b)
{
    return tn_body_is_planar(model, a) && tn_body_is_planar(model, b) &&
           (a.index != TN_GROUND.index || b.index != TN_GROUND.index);
}

// Expressions -------------------------------------------------------------------------------------

tn_status tn_model_value(const tn_model *model, const char *text, double *value)
{
    return tn_expression_value(text, model->parameters.count, model->parameters.at, value);
}

// Drives need accelerations; a force that overshoots its points would do work of its own. A drive
// that was held beyond its table would have to stop at once, a force that went on would grow.
static tn_status compile_table(const tn_function *f, tn_use use, tn_timefn **out)
{
    const bool drive = use == TN_USE_DRIVE;
    const tn_interpolation interpolation = f->interpolation ? f->interpolation
                                           : drive          ? TN_TABLE_SPLINE
                                                            : TN_TABLE_MONOTONE;
    const tn_beyond beyond = f->beyond ? f->beyond : drive ? TN_BEYOND_LINEAR : TN_BEYOND_HOLD;
    return tn_timefn_table(f->n, f->t, f->u, interpolation, beyond, out);
}

static tn_status compile_kind(const tn_model *model, const tn_function *f, tn_use use,
                              tn_timefn **out)
{
    const tn_own_function *own = tn_kind_at(model->kinds, TN_FAMILY_FUNCTION, f->kind - 1);
    if (f->kind != 0 && !own)
        return tn_fail(TN_ERR_MODEL, "%d is not a kind of function", f->kind);
    if (own)
        return tn_timefn_own(own, f->params, out);
    if (f->expression)
        return tn_timefn_expression(f->expression, model->parameters.count, model->parameters.at,
                                    out);
    if (f->n > 0)
        return compile_table(f, use, out);
    return tn_timefn_constant(f->constant, out);
}

tn_status tn_function_compile(const tn_model *model, const tn_function *f, tn_use use,
                              const char *what, tn_timefn **out)
{
    *out = NULL;
    TN_TRY(tn_check_table_rules(f->interpolation, f->beyond, what));
    if (!f->kind && !f->expression && f->n <= 0 && !isfinite(f->constant))
        return tn_fail(TN_ERR_MODEL, "%s must be finite", what);
    if (!f->kind && !f->expression && f->n > 0 && (!f->t || !f->u))
        return tn_fail(TN_ERR_MODEL, "%s: the table has no points", what);
    tn_clear_error(); // so that the prefix is never put before the text of an older error
    const tn_status s = compile_kind(model, f, use, out);
    if (s != TN_OK)
        return tn_fail_within(s, "%s", what);
    const tn_input_data *jumping = use == TN_USE_DRIVE ? tn_timefn_input(*out, true) : NULL;
    if (jumping)
        return tn_fail(TN_ERR_MODEL,
                       "%s: input '%s' is held, so that it jumps when it is set, and a position "
                       "that jumps needs an infinite velocity; make it of kind motion or filter",
                       what, jumping->name);
    double u[3] = {0.0};
    if (tn_timefn_is_constant(*out))
        tn_timefn_eval(*out, 0.0, u);
    return isfinite(u[0])
               ? TN_OK
               : tn_fail(TN_ERR_MODEL, "%s must be finite; '%s' is %g", what, f->expression, u[0]);
}

// A spline that swings far beyond its points is seldom meant.
static const double OVERSHOOT = 0.1; // of the range of the points

void tn_tell_overshoot(tn_model *model, const char *what, const char *argument, const char *unit,
                       const tn_curve *curve)
{
    double t;
    const double most = curve ? tn_curve_overshoot(curve, &t) : 0.0;
    if (most > OVERSHOOT)
        tn_notes_add(&model->notes,
                     "%s: near %s = %.6g%s%s the spline leaves the range of its points by %.2g "
                     "of it; more points there, or interpolation: monotone, avoid that",
                     what, argument, t, *unit ? " " : "", unit, most);
}

// An expression that is no function of time may be one of the state. If it cannot be read as such
// either, the reason for that is said: functions of time know fewer names, and no quotes.
static tn_status compile_live(tn_model *model, const tn_param *param, int function,
                              const char *what, const char *text, tn_status failed, tn_timefn **u)
{
    char *said = tn_strdup(tn_last_error());
    TN_TRY(tn_got(said));
    bool names;
    tn_status status = tn_live_function(model, param, function, what, text, u);
    if (status == TN_OK && !*u)
        status = tn_read_state_expression(model, text, &names) == TN_ERR_MODEL
                     ? tn_fail_within(failed, "%s", what)
                     : tn_fail(failed, "%s", said);
    tn_free(said);
    return status;
}

// Names of the mechanism, of signals and the like are unknown to drives.
static tn_status tell_drive(const tn_model *model, const char *text, tn_status status)
{
    bool of_state = false;
    char *said = tn_strdup(tn_last_error());
    TN_TRY(tn_got(said));
    const tn_status asked = tn_is_state_expression(model, text, &of_state);
    const bool unknown = of_state && (strstr(said, "unknown name") || strpbrk(text, "'\""));
    if (asked != TN_OK)
        status = asked;
    else
        status =
            tn_fail(status, "%s%s", said,
                    unknown ? "; a drive prescribes a motion, which cannot depend on itself" : "");
    tn_free(said);
    return status;
}

void tn_function_words(const tn_param *param, int component, const char *what, size_t size,
                       char *text)
{
    static const char *const words[] = {" x", " y", " z"};
    TN_ASSERT(component >= 0 && component < TN_COUNT(words));
    snprintf(text, size, "%s: %s%s", what, param->name,
             param->type == TN_PARAM_FUNCTION3 ? words[component] : "");
}

tn_status tn_compile_functions(tn_model *model, int nparam, const tn_param *params, void *def,
                               tn_use use, const char *what, tn_timefn *u[6])
{
    int used = 0;
    for (int i = 0; i < nparam; i++) {
        const tn_param *p = &params[i];
        const int count = tn_param_functions(p);
        tn_function *f = (tn_function *)((char *)def + p->offset);
        for (int k = 0; k < count; k++) {
            char text[512];
            TN_ASSERT(used < 6);
            tn_function_words(p, k, what, sizeof text, text);
            tn_status status = tn_function_compile(model, &f[k], use, text, &u[used]);
            if (status == TN_ERR_MODEL && use == TN_USE_FORCE && f[k].expression)
                status = compile_live(model, p, used, text, f[k].expression, status, &u[used]);
            if (status == TN_ERR_MODEL && use == TN_USE_DRIVE && f[k].expression)
                status = tell_drive(model, f[k].expression, status);
            TN_TRY(status);
            tn_tell_overshoot(model, text, "t", "s", tn_timefn_curve(u[used++]));
            const tn_own_function *own =
                tn_kind_at(model->kinds, TN_FAMILY_FUNCTION, f[k].kind - 1);
            if (own && !own->derivatives)
                tn_notes_add(&model->notes, "%s: its derivatives are formed by differences", text);
            f[k] = (tn_function){0};
        }
    }
    return TN_OK;
}
