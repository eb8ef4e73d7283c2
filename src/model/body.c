// SPDX-License-Identifier: MIT
//
// Bodies: their parameter tables, their checks, and their inertia in body axes,
//
//   I = A (diag(Ixx, Iyy, Izz) + products) A^T,   A the inertia axes.
//
// The moments of a real body are integrals of squared distances: none is negative, and with
// principal moments I1 <= I2 <= I3, I3 <= I1 + I2; equality holds for flat bodies and rods.

#include "model/builder.h"

#include <math.h>
#include <string.h>

// Moments typed with ten digits may miss the equality of a flat body by their rounding.
static const double INERTIA_TOL = 1e-9;

#define MASS                                                                            \
    {                                                                                   \
        .name = "mass", .type = TN_PARAM_NUMBER, .unit = "kg", .range = TN_NONNEGATIVE, \
        .fallback = 1.0, .required = true, .text = "mass, zero for a massless body",    \
        .offset = offsetof(tn_body_def, mass)                                           \
    }
#define COM                                                                              \
    {                                                                                    \
        .name = "com", .type = TN_PARAM_VEC3, .unit = "m",                               \
        .text = "centre of mass in the body frame", .offset = offsetof(tn_body_def, com) \
    }
#define POSITION                                                                                 \
    {                                                                                            \
        .name = "position", .type = TN_PARAM_VEC3, .unit = "m",                                  \
        .text = "where the origin of the body frame starts, in the inertial frame",              \
        .offset = offsetof(tn_body_def, frame.p), .given = offsetof(tn_body_def, given_position) \
    }
#define ORIENTATION(explanation)                                                                 \
    {                                                                                            \
        .name = "orientation", .type = TN_PARAM_ROTATION, .unit = "", .text = (explanation),     \
        .offset = offsetof(tn_body_def, frame.R), .given = offsetof(tn_body_def, given_rotation) \
    }
#define VELOCITY                                                                                  \
    {                                                                                             \
        .name = "velocity", .type = TN_PARAM_VEC3, .unit = "m/s",                                 \
        .text = "start velocity of the origin of the body frame, inertial axes",                  \
        .offset = offsetof(tn_body_def, velocity), .given = offsetof(tn_body_def, given_velocity) \
    }
#define FIXED_START                                                             \
    {                                                                           \
        .name = "fixed", .type = TN_PARAM_BOOL, .unit = "",                     \
        .text = "keep the stated start values when the mechanism is assembled", \
        .offset = offsetof(tn_body_def, fixed_start)                            \
    }

static const tn_param rigid_params[] = {
    MASS,
    COM,
    {.name = "inertia",
     .type = TN_PARAM_VEC3,
     .unit = "kg m^2",
     .range = TN_NONNEGATIVE,
     .fallback = 1.0,
     .required = true,
     .text = "moments of inertia Ixx, Iyy, Izz about the centre of mass",
     .offset = offsetof(tn_body_def, inertia)},
    {.name = "products",
     .type = TN_PARAM_VEC3,
     .unit = "kg m^2",
     .text = "entries Ixy, Ixz, Iyz of the inertia matrix",
     .offset = offsetof(tn_body_def, products)},
    {.name = "inertia_axes",
     .type = TN_PARAM_ROTATION,
     .unit = "",
     .text = "axes of the inertia in the body frame",
     .offset = offsetof(tn_body_def, inertia_axes)},
    POSITION,
    ORIENTATION("how the body frame is turned at the start, in the inertial frame"),
    VELOCITY,
    {.name = "rate",
     .type = TN_PARAM_VEC3,
     .unit = "rad/s",
     .text = "start angular velocity, body axes",
     .offset = offsetof(tn_body_def, rate),
     .given = offsetof(tn_body_def, given_rate)},
    FIXED_START,
};

static const tn_param planar_params[] = {
    MASS,
    COM,
    {.name = "inertia",
     .type = TN_PARAM_NUMBER,
     .unit = "kg m^2",
     .range = TN_NONNEGATIVE,
     .fallback = 1.0,
     .required = true,
     .text = "moment of inertia Izz about the centre of mass",
     .offset = offsetof(tn_body_def, inertia.z)},
    POSITION,
    ORIENTATION("how the body frame is turned about z at the start"),
    VELOCITY,
    {.name = "rate",
     .type = TN_PARAM_NUMBER,
     .unit = "rad/s",
     .text = "start angular velocity about z",
     .offset = offsetof(tn_body_def, rate.z),
     .given = offsetof(tn_body_def, given_rate)},
    FIXED_START,
};

static const tn_param point_params[] = {MASS, POSITION, VELOCITY, FIXED_START};

typedef struct {
    const char *name;
    const tn_param *params;
    int nparam;
    bool rotates, planar;
} body_ops;

static const body_ops kinds[TN_BODY_KIND_COUNT] = {
    [TN_BODY_RIGID] = {"rigid", rigid_params, TN_COUNT(rigid_params), true, false},
    [TN_BODY_PLANAR] = {"planar", planar_params, TN_COUNT(planar_params), true, true},
    [TN_BODY_POINT] = {"point", point_params, TN_COUNT(point_params), false, false},
    [TN_BODY_POINT_2D] = {"point-2d", point_params, TN_COUNT(point_params), false, true},
};

const tn_param *tn_body_params(tn_body_kind kind, int *count)
{
    *count = kinds[kind].nparam;
    return kinds[kind].params;
}

const char *tn_body_kind_name(tn_body_kind kind)
{
    return kinds[kind].name;
}

bool tn_body_has_rotation(const tn_model *model, tn_body body)
{
    return kinds[model->bodies.at[body.index].kind].rotates;
}

bool tn_body_is_planar(const tn_model *model, tn_body body)
{
    return body.index == TN_GROUND.index || kinds[model->bodies.at[body.index].kind].planar;
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

// Principal moments, smallest first.
static void principal_moments(tn_mat3 I, double moment[3])
{
    double found[3];
    tn_mat3 ignored;

    tn_principal_axes(I, found, &ignored);
    for (int i = 0; i < 3; i++) {
        int k = i;
        for (; k > 0 && moment[k - 1] > found[i]; k--)
            moment[k] = moment[k - 1];
        moment[k] = found[i];
    }
}

static tn_status check_moments(const tn_body_def *def, tn_mat3 I, const char *what)
{
    const bool principal =
        def->products.x == 0.0 && def->products.y == 0.0 && def->products.z == 0.0;
    double m[3];

    principal_moments(I, m);
    if (m[0] < -INERTIA_TOL * fabs(m[2]))
        return tn_fail(TN_ERR_MODEL,
                       "%s: inertia has the principal moment %g kg m^2; it must not be negative",
                       what, m[0]);
    if (m[2] <= m[0] + m[1] + INERTIA_TOL * m[2])
        return TN_OK;
    const tn_vec3 shown = principal ? def->inertia : tn_v3_from(m);
    return tn_fail(TN_ERR_MODEL,
                   "%s: inertia %s(%g, %g, %g) cannot belong to any body: each principal moment "
                   "must not exceed the sum of the other two (%g > %g)",
                   what, principal ? "" : "with principal moments ", shown.x, shown.y, shown.z,
                   m[2], m[0] + m[1]);
}

static tn_status rigid_inertia(tn_body_data *data, const char *what)
{
    tn_body_def *def = &data->def;
    const tn_vec3 d = def->inertia, p = def->products;
    const tn_mat3 I = {{{d.x, p.x, p.y}, {p.x, d.y, p.z}, {p.y, p.z, d.z}}};
    tn_frame axes = {def->inertia_axes, {0, 0, 0}};

    TN_TRY(check_moments(def, I, what));
    TN_TRY(tn_check_frame(&axes, what, "inertia_axes"));
    def->inertia_axes = axes.R;
    data->inertia = tn_m3_mul(axes.R, tn_m3_mul(I, tn_m3_transpose(axes.R)));
    return TN_OK;
}

static tn_status check_plane(const tn_body_def *def, const char *what)
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

static tn_status check_point(const tn_body_def *def, const char *what)
{
    if (tn_v3_norm(def->com) != 0.0)
        return tn_fail(TN_ERR_MODEL, "%s: a point mass is its own centre of mass; com must be zero",
                       what);
    if (tn_v3_norm(def->rate) != 0.0)
        return tn_fail(TN_ERR_MODEL, "%s: a point mass does not turn; rate must be zero", what);
    return TN_OK;
}

static tn_status check_body(tn_body_data *data, const char *what)
{
    const body_ops *kind = &kinds[data->kind];
    tn_body_def *def = &data->def;

    TN_TRY(tn_params_check(kind->nparam, kind->params, def, what));
    TN_TRY(tn_check_finite(def->com, what, "com"));
    TN_TRY(tn_check_finite(def->rate, what, "rate"));
    TN_TRY(tn_check_frame(&def->frame, what, "orientation"));
    if (kind->planar)
        TN_TRY(check_plane(def, what));
    if (!kind->rotates)
        return check_point(def, what);
    if (!kind->planar)
        return rigid_inertia(data, what);
    data->inertia = tn_m3_diag(0.0, 0.0, def->inertia.z);
    return TN_OK;
}

static tn_status body_add_labelled(tn_model *model, const tn_body_def *def, tn_label *label)
{
    tn_body_data data = {.name = label->name, .kind = def->kind, .def = *def};

    if ((int)def->kind < 0 || def->kind >= TN_BODY_KIND_COUNT)
        return tn_fail(TN_ERR_MODEL, "%s: %d is not a kind of body", label->what, (int)def->kind);
    data.def.name = data.name;
    TN_TRY(check_body(&data, label->what));
    TN_TRY(tn_array_push(&model->bodies, data));
    const tn_status s = tn_table_add(model->body_names, data.name, model->bodies.count - 1);
    if (s == TN_OK)
        label->name = NULL; // the model owns it now
    else
        model->bodies.count--;
    return s;
}

static tn_status add_body(tn_model *model, const tn_body_def *def)
{
    tn_label label;

    if (!def)
        return tn_fail(TN_ERR_USAGE, "tn_add_body: the definition is NULL");
    TN_TRY(tn_label_make("body", def->name, model->body_names, model->bodies.count, &label));
    const tn_status s = body_add_labelled(model, def, &label);
    tn_label_clear(&label);
    return s;
}

tn_body tn_add_body(tn_model *model, const tn_body_def *def)
{
    TN_NEED(model, ((tn_body){-1}));
    if (tn_model_open_to_change(model) != TN_OK)
        return (tn_body){-1};
    const tn_status s = add_body(model, def);
    tn_model_keep_error(model, s);
    return (tn_body){s == TN_OK ? model->bodies.count - 1 : -1};
}
