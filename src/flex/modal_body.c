// SPDX-License-Identifier: MIT
//
// Modal bodies: each becomes a rigid body, its frame, with the mass of the undeformed whole, a body
// for each amplitude, and for each attachment a body without mass and the rows that hold it.

#include "flex/modal_body.h"

#include "base/alloc.h"
#include "flex/beam.h"
#include "flex/modal.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "model/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MODAL_PARAM(member, type, key, of_unit, ...) \
    TN_PARAM(tn_modal_def, member, type, key, of_unit, __VA_ARGS__)

const tn_param tn_modal_params[] = {
    MODAL_PARAM(file, TEXT, "file", "", .role = TN_ROLE_FILE,
                .text = "file of the body (tenon reduce makes such files), relative to the model "
                        "file; or state `rod`"),
    MODAL_PARAM(stiffening, BOOL, "stiffening", "",
                .text = "with geometric stiffness by the motion of the frame and by loads at "
                        "attachments"),
};
const int tn_modal_param_count = TN_COUNT(tn_modal_params);

const tn_param tn_modal_start_params[] = {
    MODAL_PARAM(frame.p, VEC3, "position", "m",
                .text = "where the origin of the frame starts, in the inertial frame",
                .role = TN_ROLE_POINT, .given = offsetof(tn_modal_def, given_position)),
    MODAL_PARAM(frame.R, ROTATION, "orientation", "",
                .text = "how the frame is turned at the start, in the inertial frame",
                .role = TN_ROLE_ROTATION, .given = offsetof(tn_modal_def, given_rotation)),
    MODAL_PARAM(velocity, VEC3, "velocity", "m/s",
                .text = "start velocity of the origin of the frame, inertial axes",
                .role = TN_ROLE_DIRECTION, .given = offsetof(tn_modal_def, given_velocity)),
    MODAL_PARAM(rate, VEC3, "rate", "rad/s", .text = "start angular velocity, body axes",
                .given = offsetof(tn_modal_def, given_rate)),
    MODAL_PARAM(fixed_start, BOOL, "fixed", "",
                .text = "keep the stated start values of the frame when the mechanism is "
                        "assembled"),
    MODAL_PARAM(namplitude, NUMBERS, "amplitudes", "m",
                .text = "amplitudes of the modes at the start; when left out, zero"),
    MODAL_PARAM(nrate, NUMBERS, "amplitude_rates", "m/s",
                .text = "their rates at the start; when left out, zero"),
};
const int tn_modal_start_param_count = TN_COUNT(tn_modal_start_params);

tn_modal_def tn_default_modal(void)
{
    tn_modal_def def = {.frame = tn_frame_identity};
    tn_params_default(tn_section_param_count, tn_section_params, &def.rod.section);
    return def;
}

static void clear_modal(tn_modal_data *data)
{
    tn_modal_destroy(data->from);
    TN_FREE(data->name, data->damping);
    *data = (tn_modal_data){0};
}

// Kinds of body and joint that only modal bodies have ---------------------------------------------

static const tn_param amplitude_params[] = {TN_BODY_MASS, TN_BODY_POSITION, TN_BODY_VELOCITY,
                                            TN_BODY_FIXED_START};

static tn_status amplitude_check(const tn_body_def *def, tn_body_data *data, const char *what)
{
    (void)data;
    return tn_check_finite(def->frame.p, what, "the amplitude");
}

const tn_body_ops tn_body_amplitude = {
    .name = "amplitude",
    .text = "amplitude of a mode of a modal body",
    TN_PARAMS(amplitude_params),
    .moves = 1,
    .check = amplitude_check,
};

const tn_joint_ops tn_joint_attachment = {
    .name = "attachment",
    .text = "holds an attachment of a modal body where its frame and its modes have it",
    .dim = 3,
    .coupling = true,
    .relative = true,
    .rows = tn_fixed_rows,
    .nrow = TN_FIXED_ROWS,
};

// Modes -------------------------------------------------------------------------------------------

// A combination of modes whose part across rigid motions is below this part of it, in kinetic
// energy, moves the body as a whole, which its frame does, too.
static const double WHOLE = 1e-10;

// Modes across rigid motions: S = C - B^T A^+ B of the undeformed body, in units in which the
// diagonal of A is 1, A = V w V^T. Column major, m x m.
static tn_status modes_across(const tn_modal *from, double *S)
{
    const int m = from->m, n = tn_modal_size(m), phi = tn_modal_phi(m, 0);
    double A[36], w[6], unit[6];
    for (int i = 0; i < 6; i++)
        unit[i] = from->gram[i * n + i] > 0.0 ? 1.0 / sqrt(from->gram[i * n + i]) : 0.0;
    for (int i = 0; i < 36; i++)
        A[i] = unit[i % 6] * unit[i / 6] * from->gram[i % 6 * n + i / 6];
    TN_TRY(tn_eigen_symmetric(6, A, w));
    for (int i = 0; i < m * m; i++)
        S[i] = from->gram[(phi + i % m) * n + phi + i / m];
    for (int k = 0; k < 6; k++) {
        if (!(w[k] > 1e-12 * w[5]))
            continue;
        for (int i = 0; i < m * m; i++) {
            double a = 0.0, b = 0.0;
            for (int r = 0; r < 6; r++) {
                a += A[r + 6 * k] * unit[r] * from->gram[r * n + phi + i % m];
                b += A[r + 6 * k] * unit[r] * from->gram[r * n + phi + i / m];
            }
            S[i] -= a * b / w[k];
        }
    }
    return TN_OK;
}

// L: factor of C.
static tn_status check_whole(const tn_modal *from, const double *L, double *S, double *w,
                             const char *what)
{
    const int m = from->m;
    TN_TRY(modes_across(from, S));
    tn_eigen_reduce(m, L, S);
    TN_TRY(tn_eigen_symmetric(m, S, w));
    int count = 0;
    while (count < m && w[count] < WHOLE)
        count++;
    if (count == 0)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: %d of its %d modes, or so many combinations of them, move%s the body as a "
                   "whole, as its frame does; leave %s out",
                   what, count, m, count == 1 ? "s" : "", count == 1 ? "it" : "them");
}

// Damping -----------------------------------------------------------------------------------------

// With C = L L^T and L^-1 K L^-T = V w^2 V^T: D = L V (2 ratio w) V^T L^T. Column major.
static tn_status damping_of_ratios(const tn_modal_def *def, const tn_modal *from, double *A,
                                   double *w, double *L, double *S, double *out, const char *what)
{
    const int m = from->m;
    const size_t n = (size_t)tn_modal_size(m);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {
            L[i + j * m] = from->gram[(n - (size_t)m + (size_t)i) * n + n - (size_t)m + (size_t)j];
            A[i + j * m] = 0.5 * (from->stiffness[i * m + j] + from->stiffness[j * m + i]);
        }
    if (tn_cholesky(m, L, 1e-13) != TN_OK)
        return tn_fail(TN_ERR_MODEL,
                       "%s: the inertia of its modes is singular: they depend on each other, or "
                       "one of them moves no mass; leave that one out",
                       what);
    TN_TRY(check_whole(from, L, S, w, what));
    tn_eigen_reduce(m, L, A);
    TN_TRY(tn_eigen_symmetric(m, A, w));
    for (int j = 0; j < m; j++) { // L V
        double *v = A + j * m;
        for (int i = m - 1; i >= 0; i--) {
            double sum = 0.0;
            for (int k = 0; k <= i; k++)
                sum += L[i + k * m] * v[k];
            v[i] = sum;
        }
        const double ratio = def->ndamping == 0 ? 0.0 : def->damping[def->ndamping == 1 ? 0 : j];
        const double d = 2.0 * ratio * sqrt(fmax(w[j], 0.0));
        for (int i = 0; out && i < m; i++)
            for (int k = 0; k < m; k++)
                out[i * m + k] += d * v[i] * v[k];
    }
    return TN_OK;
}

static tn_status make_damping(const tn_modal_def *def, const tn_modal *from, const char *what,
                              double **out)
{
    const int m = from->m;
    const size_t square = (size_t)m * (size_t)m;
    const bool given = def->ndamping > 0 || from->damping;
    *out = NULL;
    if (def->ndamping > 1 && def->ndamping != m)
        return tn_fail(TN_ERR_MODEL,
                       "%s: damping has %d numbers, but the body has %d mode%s; state one for all, "
                       "or one for each",
                       what, def->ndamping, m, m == 1 ? "" : "s");
    for (int i = 0; i < def->ndamping; i++)
        if (!(def->damping[i] >= 0.0 && isfinite(def->damping[i])))
            return tn_fail(TN_ERR_MODEL, "%s: damping: %g; ratios are not negative", what,
                           def->damping[i]);
    double *work = tn_alloc((3 * square + (size_t)m + 1) * sizeof(double));
    double *D = given ? tn_alloc((square + 1) * sizeof(double)) : NULL;
    tn_status s = tn_got(work && (D || !given));
    TN_THEN(s, damping_of_ratios(def, from, work, work + square, work + square + m,
                                 work + 2 * square + m, D, what));
    if (s == TN_OK && def->ndamping == 0 && D)
        memcpy(D, from->damping, square * sizeof(double));
    tn_free(work);
    TN_HAND_OUT(s, D, tn_free, out);
}

// Checks ------------------------------------------------------------------------------------------

static tn_status check_list(int n, int m, const double *x, const char *what, const char *key)
{
    if (n != 0 && n != m)
        return tn_fail(TN_ERR_MODEL, "%s: %s has %d numbers, but the body has %d mode%s", what, key,
                       n, m, m == 1 ? "" : "s");
    if (n > 0 && !tn_all_finite(n, x))
        return tn_fail(TN_ERR_MODEL, "%s: %s must be finite", what, key);
    return TN_OK;
}

static tn_status check_modal(const tn_modal_def *def, const tn_modal *from, const char *what)
{
    if (!def->name || !*def->name)
        return tn_fail(TN_ERR_MODEL, "a modal body has no name; its attachments are named by it");
    TN_TRY(tn_params_check(tn_modal_param_count, tn_modal_params, def, what));
    TN_TRY(tn_params_check(tn_modal_start_param_count, tn_modal_start_params, def, what));
    if (from->m < 1)
        return tn_fail(TN_ERR_MODEL, "%s: it has no modes; a rigid body says the same", what);
    TN_TRY(check_list(def->namplitude, from->m, def->amplitudes, what, "amplitudes"));
    TN_TRY(check_list(def->nrate, from->m, def->amplitude_rates, what, "amplitude_rates"));
    if (def->stiffening && !from->rate && !from->acceleration && !from->turning && !from->loads)
        return tn_fail(TN_ERR_MODEL,
                       "%s: stiffening is asked for, but its file has no geometric stiffness "
                       "(group 'geometric'); reduce the body with it, or leave out 'stiffening'",
                       what);
    return TN_OK;
}

// An attachment all of whose modes vanish is a place of the frame.
static int find_held(const tn_modal *from)
{
    for (int k = 0; k < from->nattachment; k++) {
        const double *modes = from->attachment[k].modes;
        double most = 0.0;
        for (int k2 = 0; k2 < from->nattachment; k2++)
            most = fmax(most, tn_norm_inf(6 * from->m, from->attachment[k2].modes));
        if (tn_norm_inf(6 * from->m, modes) <= 1e-12 * most || most == 0.0)
            return k;
    }
    return -1;
}

// Parts -------------------------------------------------------------------------------------------

static tn_status add_frame(tn_model *model, const tn_modal_def *def, const tn_modal *from,
                           tn_body *out)
{
    const tn_modal_inertia whole = tn_modal_inertia_of(from);
    const tn_vec3 c = whole.centre;
    tn_mat3 J = tn_m3_axpy(whole.mass, tn_m3_outer(c, c), whole.inertia);
    for (int i = 0; i < 3; i++)
        J.m[i][i] -= whole.mass * tn_v3_dot(c, c);
    tn_body_def body = tn_default_body();
    body.name = def->name;
    body.mass = whole.mass;
    body.com = c;
    body.inertia = tn_v3(fmax(J.m[0][0], 0.0), fmax(J.m[1][1], 0.0), fmax(J.m[2][2], 0.0));
    body.products = tn_v3(J.m[0][1], J.m[0][2], J.m[1][2]);
    body.frame = def->frame;
    body.velocity = def->velocity;
    body.rate = def->rate;
    body.given_position = def->given_position;
    body.given_rotation = def->given_rotation;
    body.given_velocity = def->given_velocity;
    body.given_rate = def->given_rate;
    body.fixed_start = def->fixed_start;
    *out = tn_model_add_body(model, &body);
    return tn_model_status(model);
}

static tn_status push_amplitude(tn_model *model, const void *from, const tn_label *label)
{
    const tn_body_def *def = from;
    tn_body_data data = {.name = label->name, .ops = &tn_body_amplitude, .def = tn_body_keep(def)};
    TN_TRY(data.ops->check(def, &data, label->what));
    return tn_array_push(&model->bodies, data);
}

static tn_status add_amplitude(tn_model *model, const tn_modal_def *def, int j)
{
    char name[512];
    tn_body_def body = tn_default_body();
    snprintf(name, sizeof name, "%s.q%d", def->name, j + 1);
    body.name = name;
    body.kind = TN_BODY_POINT;
    body.mass = 0.0;
    body.inertia = (tn_vec3){0};
    body.frame.p.x = def->namplitude > 0 ? def->amplitudes[j] : 0.0;
    body.velocity.x = def->nrate > 0 ? def->amplitude_rates[j] : 0.0;
    body.given_position = body.given_rotation = def->namplitude > 0;
    body.given_velocity = def->nrate > 0;
    tn_builder_add(model, TN_FAMILY_BODY, &body, push_amplitude);
    return tn_model_status(model);
}

static tn_status push_attachment(tn_model *model, const void *from, const tn_label *label)
{
    const tn_joint_def *def = from;
    tn_joint_def whole = *def;
    whole.name = label->name;
    return tn_joint_push(model, (tn_joint_data){.name = label->name,
                                                .def = &whole,
                                                .u = tn_joint_no_functions,
                                                .ops = &tn_joint_attachment});
}

// The frame of an attachment in the frame of the body, as the start has it.
static tn_frame attachment_frame(const tn_modal_numbers *x, int k, const double *q, tn_vec3 com)
{
    const tn_modal_place place = tn_modal_place_at(x, k, q);
    return (tn_frame){tn_m3_mul(tn_so3_exp(place.turn), x->attachment[k].R),
                      tn_v3_add(place.arm, com)};
}

static tn_status add_attachment(tn_model *model, const tn_modal_def *def, const tn_modal_data *data,
                                const tn_modal_numbers *x, const double *q, int k)
{
    char name[512];
    const tn_frame in_body = attachment_frame(x, k, q, model->bodies.at[data->frame].def.com);
    tn_body_def body = tn_default_body();
    snprintf(name, sizeof name, "%s.%s", def->name, data->from->attachment[k].name);
    body.name = name;
    body.mass = 0.0;
    body.inertia = (tn_vec3){0};
    body.frame = tn_frame_mul(def->frame, in_body);
    body.velocity =
        tn_v3_add(def->velocity, tn_m3_apply(def->frame.R, tn_v3_cross(def->rate, in_body.p)));
    body.rate = tn_m3_apply_t(in_body.R, def->rate);
    body.given_position = def->given_position;
    body.given_rotation = def->given_rotation;
    const tn_body added = tn_model_add_body(model, &body);
    TN_TRY(tn_model_status(model));
    tn_joint_def hold = tn_joint_def_of(model->kinds, TN_JOINT_FIXED);
    hold.name = name;
    hold.body_a = (tn_body){data->frame};
    hold.body_b = added;
    hold.frame_a = data->from->attachment[k].frame;
    tn_builder_add(model, TN_FAMILY_JOINT, &hold, push_attachment);
    return tn_model_status(model);
}

static tn_status add_parts(tn_model *model, const tn_modal_def *def, tn_modal_data *data)
{
    const tn_modal *from = data->from;
    tn_body frame;
    TN_TRY(add_frame(model, def, from, &frame));
    data->frame = frame.index;
    data->amplitude = model->bodies.count;
    for (int j = 0; j < from->m; j++)
        TN_TRY(add_amplitude(model, def, j));
    data->attachment = model->bodies.count;
    data->joint = model->joints.count;
    tn_modal_numbers x;
    double *q = tn_alloc(((size_t)from->m + 1) * sizeof *q);
    tn_status status = tn_got(q);
    TN_THEN(status, tn_modal_numbers_make(data, model->units, &x));
    if (status == TN_OK) {
        for (int j = 0; j < def->namplitude; j++)
            q[j] = def->amplitudes[j];
        for (int k = 0; k < from->nattachment && status == TN_OK; k++)
            status = add_attachment(model, def, data, &x, q, k);
        tn_modal_numbers_clear(&x);
    }
    tn_free(q);
    return status;
}

// Notes the loads for which there is no stiffness.
static void tell_missing(tn_model *model, const tn_modal *from, const char *what)
{
    const struct {
        const double *there;
        const char *words;
    } parts[] = {{from->rate, "rates"},
                 {from->acceleration, "accelerations"},
                 {from->turning, "angular accelerations"},
                 {from->loads, "loads at attachments"}};
    char missing[120] = "";
    for (int k = 0; k < TN_COUNT(parts); k++)
        if (!parts[k].there)
            snprintf(missing + strlen(missing), sizeof missing - strlen(missing), "%s%s",
                     missing[0] ? ", " : "", parts[k].words);
    if (missing[0])
        tn_notes_add(&model->notes,
                     "%s: its file has no geometric stiffness by %s; they do not stiffen it", what,
                     missing);
}

tn_status tn_modal_add(tn_model *model, const tn_modal_def *def, const char *what, tn_modal *modal)
{
    TN_TRY(check_modal(def, modal, what));
    if (def->stiffening)
        tell_missing(model, modal, what);
    tn_modal_data data = {.from = modal,
                          .stiffening = def->stiffening,
                          .m = modal->m,
                          .nattachment = modal->nattachment,
                          .held = find_held(modal),
                          .clear = clear_modal};
    tn_status status = make_damping(def, modal, what, &data.damping);
    TN_THEN(status, add_parts(model, def, &data));
    if (status == TN_OK) {
        data.name = tn_strdup(def->name);
        status = tn_got(data.name);
    }
    TN_THEN(status, tn_array_push(&model->modals, data));
    if (status != TN_OK)
        TN_FREE(data.name, data.damping);
    return status;
}

// Reading -----------------------------------------------------------------------------------------

#define MODAL_GETTER(type, name, neutral, value)                                             \
    TN_GETTER_AT(type, name, (const tn_model *model, tn_modal_body body), model, body.index, \
                 model->modals.count, neutral, value)

TN_GETTER(int, tn_model_modal_count, (const tn_model *model), model, 0, model->modals.count);
MODAL_GETTER(const char *, tn_model_modal_name, "", model->modals.at[body.index].name);
MODAL_GETTER(int, tn_model_modal_mode_count, 0, model->modals.at[body.index].m);
MODAL_GETTER(int, tn_model_modal_attachment_count, 0, model->modals.at[body.index].nattachment);
MODAL_GETTER(tn_body, tn_model_modal_frame, ((tn_body){-1}),
             ((tn_body){model->modals.at[body.index].frame}));

static const tn_modal_data *modal_of(const tn_model *model, tn_modal_body body)
{
    return model && body.index >= 0 && body.index < model->modals.count
               ? &model->modals.at[body.index]
               : NULL;
}

tn_body tn_model_modal_amplitude(const tn_model *model, tn_modal_body body, int j)
{
    const tn_modal_data *data = modal_of(model, body);
    return (tn_body){data && j >= 0 && j < data->m ? data->amplitude + j : -1};
}

tn_body tn_model_modal_attached(const tn_model *model, tn_modal_body body, int k)
{
    const tn_modal_data *data = modal_of(model, body);
    return (tn_body){data && k >= 0 && k < data->nattachment ? data->attachment + k : -1};
}

tn_body tn_model_modal_attached_at(const tn_model *model, tn_modal_body body, const char *name)
{
    const tn_modal_data *data = modal_of(model, body);
    return tn_model_modal_attached(model, body,
                                   data && name ? tn_modal_find(data->from, name) : -1);
}
