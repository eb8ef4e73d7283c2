// SPDX-License-Identifier: MIT
//
// A heavy top about a fixed point, as a model and as functions of a user on three spaces:
//
//   SO(3)         no constraint: moments about the fixed point
//   R^3 x SO(3)   centre of mass p (inertial velocity) and rotation, g = p - R r
//   SE(3)         the same with velocities in body axes
//
// r is the centre of mass in the body, whose axes are those of inertia.

#pragma once

#include "road.h"

static const double TOP_MASS = 2.0, TOP_GRAVITY = 9.81;
static const tn_vec3 TOP_ARM = {0.1, 0.5, 0.2}, TOP_INERTIA = {0.2, 0.12, 0.25};
static const tn_vec3 TOP_RATE = {0.4, 3.0, -0.7};

static inline tn_quat top_start(void)
{
    return tn_quat_normalize((tn_quat){0.9, 0.2, -0.3, 0.1});
}

static inline tn_model *top_model(void)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -TOP_GRAVITY));
    tn_body_def top = tn_default_body();
    top.mass = TOP_MASS;
    top.com = TOP_ARM;
    top.inertia = TOP_INERTIA;
    top.rate = TOP_RATE;
    top.frame.R = tn_quat_matrix(top_start());
    tn_joint_def tip = tn_default_joint(TN_JOINT_SPHERICAL);
    tip.body_b = tn_model_add_body(model, &top);
    tn_model_add_joint(model, &tip);
    CHECK_OK(tn_model_status(model));
    return model;
}

static inline tn_vec3 top_moments(tn_vec3 w) // J w
{
    return tn_v3(TOP_INERTIA.x * w.x, TOP_INERTIA.y * w.y, TOP_INERTIA.z * w.z);
}

static inline tn_mat3 top_rotation(const double *e)
{
    return tn_quat_matrix(tn_quat_from(e));
}

static inline tn_vec3 top_axis(int i)
{
    return tn_v3(i == 0, i == 1, i == 2);
}

// About the fixed point: (J + m (r.r - r r^T)) w = J w + m r x (w x r).
static inline tn_vec3 top_spin(tn_vec3 w)
{
    return tn_v3_axpy(TOP_MASS, tn_v3_cross(TOP_ARM, tn_v3_cross(w, TOP_ARM)), top_moments(w));
}

static inline tn_vec3 top_weight(void)
{
    return tn_v3(0.0, 0.0, -TOP_MASS * TOP_GRAVITY);
}

static inline int so3_mass(void *user, const tn_arguments *x, double *M)
{
    (void)user, (void)x;
    for (int j = 0; j < 3; j++)
        tn_v3_to(top_spin(top_axis(j)), M + 3 * j);
    return 0;
}

static inline int so3_force(void *user, const tn_arguments *x, double *f)
{
    (void)user;
    const tn_vec3 w = tn_v3_from(x->v);
    const tn_vec3 moment = tn_v3_cross(TOP_ARM, tn_m3_apply_t(top_rotation(x->q), top_weight()));
    tn_v3_to(tn_v3_sub(moment, tn_v3_cross(w, top_spin(w))), f);
    return 0;
}

static inline int rigid_mass(void *user, const tn_arguments *x, double *M)
{
    (void)user, (void)x;
    memset(M, 0, 36 * sizeof *M);
    for (int j = 0; j < 3; j++) {
        M[7 * j] = TOP_MASS;
        tn_v3_to(top_moments(top_axis(j)), M + 6 * (3 + j) + 3);
    }
    return 0;
}

static inline int inertial_force(void *user, const tn_arguments *x, double *f)
{
    (void)user;
    const tn_vec3 w = tn_v3_from(x->v + 3);
    tn_v3_to(top_weight(), f);
    tn_v3_to(tn_v3_neg(tn_v3_cross(w, top_moments(w))), f + 3);
    return 0;
}

static inline int body_force(void *user, const tn_arguments *x, double *f)
{
    const tn_vec3 u = tn_v3_from(x->v), w = tn_v3_from(x->v + 3);
    const tn_vec3 weight = tn_m3_apply_t(top_rotation(x->q + 3), top_weight());
    inertial_force(user, x, f);
    tn_v3_to(tn_v3_axpy(-TOP_MASS, tn_v3_cross(w, u), weight), f);
    return 0;
}

static inline int top_constraint(void *user, const tn_arguments *x, double *g)
{
    (void)user;
    tn_v3_to(tn_v3_sub(tn_v3_from(x->q), tn_m3_apply(top_rotation(x->q + 3), TOP_ARM)), g);
    return 0;
}

// g' is p' - R (w x r): along the unit vectors of the velocities.
static inline int inertial_jacobian(void *user, const tn_arguments *x, double *G)
{
    (void)user;
    const tn_mat3 R = top_rotation(x->q + 3);
    for (int j = 0; j < 3; j++) {
        tn_v3_to(top_axis(j), G + 3 * j);
        tn_v3_to(tn_m3_apply(R, tn_v3_cross(TOP_ARM, top_axis(j))), G + 9 + 3 * j);
    }
    return 0;
}

static inline int body_jacobian(void *user, const tn_arguments *x, double *G)
{
    const tn_mat3 R = top_rotation(x->q + 3);
    inertial_jacobian(user, x, G);
    for (int j = 0; j < 3; j++)
        tn_v3_to(tn_m3_column(R, j), G + 3 * j);
    return 0;
}

// g'' where v' = 0: -R (w x (w x r)), and of p' = R u also R (w x u).
static inline int inertial_gamma(void *user, const tn_arguments *x, double *gamma)
{
    (void)user;
    const tn_vec3 w = tn_v3_from(x->v + 3);
    const tn_vec3 bend = tn_v3_cross(w, tn_v3_cross(w, TOP_ARM));
    tn_v3_to(tn_v3_neg(tn_m3_apply(top_rotation(x->q + 3), bend)), gamma);
    return 0;
}

static inline int body_gamma(void *user, const tn_arguments *x, double *gamma)
{
    const tn_vec3 turned = tn_v3_cross(tn_v3_from(x->v + 3), tn_v3_from(x->v));
    inertial_gamma(user, x, gamma);
    tn_v3_to(tn_v3_add(tn_v3_from(gamma), tn_m3_apply(top_rotation(x->q + 3), turned)), gamma);
    return 0;
}

static const tn_space on_so3[] = {{TN_SPACE_SO3, 0}};
static const tn_space on_both[] = {{TN_SPACE_LINEAR, 3}, {TN_SPACE_SO3, 4}};
static const tn_space on_se3[] = {{TN_SPACE_SE3, 0}};

static const tn_callbacks so3_top = {
    .nq = 4, .nspace = 1, .spaces = on_so3, .mass = so3_mass, .force = so3_force};
// A rigid body with a fixed point; its functions begin with the name of its axes.
#define FIXED_TOP(axes, space)                                                              \
    {                                                                                       \
        .nq = 7, .nspace = TN_COUNT(space), .spaces = (space), .ng = 3, .mass = rigid_mass, \
        .force = axes##_force, .constraint = top_constraint, .jacobian = axes##_jacobian,   \
        .gamma = axes##_gamma                                                               \
    }
static const tn_callbacks inertial_top = FIXED_TOP(inertial, on_both);
static const tn_callbacks body_top = FIXED_TOP(body, on_se3);

// Start values of the three: q and v of so3_top are the ends of those of the others.
typedef struct top_values {
    double q[7], v[6];
} top_values;

static inline top_values top_begin(bool in_body)
{
    top_values x;
    const tn_quat e = top_start();
    const tn_mat3 R = tn_quat_matrix(e);
    const tn_vec3 u = tn_v3_cross(TOP_RATE, TOP_ARM);
    tn_v3_to(tn_m3_apply(R, TOP_ARM), x.q);
    tn_quat_to(e, x.q + 3);
    tn_v3_to(in_body ? u : tn_m3_apply(R, u), x.v);
    tn_v3_to(TOP_RATE, x.v + 3);
    return x;
}
