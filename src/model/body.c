// SPDX-License-Identifier: MIT
//
// The registry of bodies, and adding one to a model.

#include "model/builder.h"

#include <math.h>
#include <stdio.h>

bool tn_body_has_rotation(const tn_model *model, tn_body body)
{
    return model->bodies.at[body.index].ops->turns > 0;
}

bool tn_body_is_planar(const tn_model *model, tn_body body)
{
    return body.index == TN_GROUND.index || model->bodies.at[body.index].ops->moves == 2;
}

const char *tn_body_velocity_name(const tn_body_ops *ops, int i)
{
    static const char *const along[] = {"x", "y", "z"};
    static const char *const about[] = {"turn about x", "turn about y", "turn about z"};
    TN_ASSERT(i >= 0 && i < ops->moves + ops->turns);
    if (ops->moves == 1)
        return "amplitude";
    return i < ops->moves ? along[i] : about[ops->turns == 1 ? 2 : i - ops->moves];
}

const char *const tn_angles_names[TN_ANGLES_COUNT + 1] = {"none", "zxz", "zyx", "xyz", "xzy",
                                                          "yxz",  "yzx", "zxy", "xyx", "xzx",
                                                          "yxy",  "yzy", "zyz", NULL};

tn_sequence tn_angles_sequence(tn_angles angles)
{
    TN_ASSERT(angles > TN_ANGLES_NONE && angles < TN_ANGLES_COUNT);
    const char *name = tn_angles_names[angles];
    return (tn_sequence){{name[0] - 'x', name[1] - 'x', name[2] - 'x'}};
}

const char *tn_angles_word(tn_angles angles, int i)
{
    static const char *const words[3][3] = {
        {"precession", "nutation", "spin"}, {"yaw", "pitch", "roll"}, {"first", "second", "third"}};
    TN_ASSERT(i >= 0 && i < 3);
    const char *name = tn_angles_names[angles];
    return words[name[0] == name[2] ? 0 : angles == TN_ANGLES_ZYX ? 1 : 2][i];
}

tn_body_def tn_default_body(void)
{
    return (tn_body_def){
        .kind = TN_BODY_RIGID,
        .mass = 1.0,
        .inertia = {1.0, 1.0, 1.0},
        .inertia_axes = tn_m3_identity,
        .frame = tn_frame_identity,
    };
}

// Zeroes A[p][q] by a rotation in the plane of p and q, which turns the columns of V too; r is the
// third index.
static void jacobi_rotate(tn_mat3 *of, tn_mat3 *axes, int p, int q)
{
    double(*A)[3] = of->m, (*V)[3] = axes->m;
    if (A[p][q] == 0.0)
        return;
    const int r = 3 - p - q;
    const double theta = 0.5 * (A[q][q] - A[p][p]) / A[p][q];
    const double t = copysign(1.0, theta) / (fabs(theta) + hypot(theta, 1.0));
    const double c = 1.0 / hypot(t, 1.0), s = t * c;
    const double rp = A[r][p], rq = A[r][q];
    A[p][p] -= t * A[p][q];
    A[q][q] += t * A[p][q];
    A[p][q] = A[q][p] = 0.0;
    A[r][p] = A[p][r] = c * rp - s * rq;
    A[r][q] = A[q][r] = s * rp + c * rq;
    for (int i = 0; i < 3; i++) {
        const double vp = V[i][p], vq = V[i][q];
        V[i][p] = c * vp - s * vq;
        V[i][q] = s * vp + c * vq;
    }
}

// Cyclic Jacobi rotations.
void tn_principal_axes(tn_mat3 I, double moment[3], tn_mat3 *axes)
{
    *axes = tn_m3_identity;
    for (int sweep = 0; sweep < 20; sweep++) { // quadratic convergence: five or six suffice
        jacobi_rotate(&I, axes, 0, 1);
        jacobi_rotate(&I, axes, 0, 2);
        jacobi_rotate(&I, axes, 1, 2);
    }
    for (int i = 0; i < 3; i++)
        moment[i] = I.m[i][i];
}

tn_status tn_body_check_plane(const tn_body_def *def, const char *what)
{
    if (!tn_rotation_is_level(def->frame.R))
        return tn_fail(TN_ERR_MODEL,
                       "%s: a planar body turns about z only; its orientation must keep the z axis",
                       what);
    if (def->velocity.z != 0.0)
        return tn_fail(TN_ERR_MODEL,
                       "%s: velocity z is %g m/s; a body of the plane cannot leave it, so it must "
                       "be zero",
                       what, def->velocity.z);
    if (def->rate.x != 0.0 || def->rate.y != 0.0)
        return tn_fail(TN_ERR_MODEL,
                       "%s: a planar body turns about z only; rate x and y must be zero", what);
    return TN_OK;
}

double tn_body_gyration(const tn_body_data *body)
{
    const tn_mat3 *J = &body->inertia;
    const double most = fmax(J->m[2][2], fmax(J->m[0][0], J->m[1][1]));
    return body->def.mass > 0.0 ? most / body->def.mass : 0.0;
}

tn_body_kept tn_body_keep(const tn_body_def *def)
{
    return (tn_body_kept){
        .mass = def->mass,
        .com = def->com,
        .frame = def->frame,
        .velocity = def->velocity,
        .rate = def->rate,
        .angles = def->angles,
        .quaternion_rate = def->quaternion_rate,
        .given_position = def->given_position,
        .given_rotation = def->given_rotation,
        .given_velocity = def->given_velocity,
        .given_rate = def->given_rate,
        .fixed_start = def->fixed_start,
        .of_shapes = def->of_shapes,
    };
}

// Makes the axes of its frame orthonormal.
static tn_status check_body(tn_body_def *def, tn_body_data *data, const char *what)
{
    TN_TRY(tn_params_check(data->ops->nparam, data->ops->params, def, what));
    TN_TRY(tn_check_finite(def->com, what, "com"));
    TN_TRY(tn_check_finite(def->rate, what, "rate"));
    TN_TRY(tn_check_frame(&def->frame, what, "orientation"));
    return data->ops->check(def, data, what);
}

static tn_status add_body(tn_model *model, const void *from, const tn_label *label)
{
    const tn_body_def *def = from;
    tn_body_def whole = *def;
    tn_body_data data = {.name = label->name,
                         .ops = tn_kind_at(model->kinds, TN_FAMILY_BODY, (int)def->kind)};
    if (!data.ops)
        return tn_fail(TN_ERR_MODEL, "%s: %d is not a kind of body", label->what, (int)def->kind);
    TN_TRY(check_body(&whole, &data, label->what));
    data.def = tn_body_keep(&whole);
    return tn_array_push(&model->bodies, data);
}

tn_body tn_model_add_body(tn_model *model, const tn_body_def *def)
{
    TN_NEED(model, ((tn_body){-1}));
    return (tn_body){tn_builder_add(model, TN_FAMILY_BODY, def, add_body)};
}

// Of modal bodies ---------------------------------------------------------------------------------

int tn_modal_of_frame(const tn_model *model, int body)
{
    for (int k = 0; k < model->modals.count; k++)
        if (model->modals.at[k].frame == body)
            return k;
    return -1;
}

int tn_modal_of_amplitude(const tn_model *model, int body)
{
    for (int k = 0; k < model->modals.count; k++)
        if (body >= model->modals.at[k].amplitude &&
            body < model->modals.at[k].amplitude + model->modals.at[k].m)
            return k;
    return -1;
}

static void list_attachments(const tn_model *model, const tn_modal_data *data, size_t size,
                             char *text)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < data->nattachment && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", k ? ", " : "",
                                 model->bodies.at[data->attachment + k].name);
}

tn_status tn_modal_check_use(const tn_model *model, tn_body body, const char *what)
{
    const int frame = tn_modal_of_frame(model, body.index);
    const int amplitude = tn_modal_of_amplitude(model, body.index);
    char names[600];
    if (amplitude >= 0)
        return tn_fail(TN_ERR_MODEL,
                       "%s: '%s' is an amplitude of the modal body '%s', no place of it; name one "
                       "of its attachments",
                       what, tn_model_body_name(model, body), model->modals.at[amplitude].name);
    if (frame < 0 || model->modals.at[frame].held >= 0)
        return TN_OK;
    list_attachments(model, &model->modals.at[frame], sizeof names, names);
    return tn_fail(TN_ERR_MODEL,
                   "%s: the frame of the modal body '%s' is no point of it (no attachment rests in "
                   "it); name one of its attachments: %s",
                   what, model->modals.at[frame].name, names[0] ? names : "it has none");
}
