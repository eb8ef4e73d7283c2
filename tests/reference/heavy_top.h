// SPDX-License-Identifier: MIT
//
// Heavy tops: a rigid body that turns about its tip under gravity, held there by a spherical joint.
// The fast one is the benchmark of [ACB15, appendix], the slow one that of [Arn16, Example 6]; both
// have the same mass, inertia and centre of mass, in a body frame with the tip at its origin.
//
// The truth against which errors are taken is Euler's equation about the fixed tip [Arn16, eq. 34],
//
//   e' = e (0, Omega) / 2,    J_tip Omega' + Omega x J_tip Omega = X x R^T m gamma,
//   force of the tip on the top = m (R (Omega' x X + Omega x (Omega x X)) - gamma),
//
// which has no constraints; the force is the lambda of [ACB15, eq. 28b].

#pragma once

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

static const double MASS = 15.0;                                    // [kg]
static const tn_vec3 COM = {0.0, 1.0, 0.0};                         // X [m]
static const tn_vec3 INERTIA = {0.234375, 0.46875, 0.234375};       // about the centre [kg m^2]
static const tn_vec3 INERTIA_TIP = {15.234375, 0.46875, 15.234375}; // about the tip
static const tn_vec3 GRAVITY = {0.0, 0.0, -9.81};                   // gamma [m/s^2]

typedef struct truth {
    double t;
    tn_quat e;
    tn_vec3 rate; // Omega, body axes
} truth;

static const truth FAST = {0.0, {1.0, 0.0, 0.0, 0.0}, {0.0, 150.0, -4.61538}};
// R(0) turns by a right angle about y.
static const truth SLOW = {0.0, {M_SQRT1_2, 0.0, M_SQRT1_2, 0.0}, {0.0, 1.5, -0.0461538}};

// The truth ---------------------------------------------------------------------------------------

static inline tn_vec3 times(tn_vec3 diagonal, tn_vec3 a)
{
    return tn_v3(diagonal.x * a.x, diagonal.y * a.y, diagonal.z * a.z);
}

static inline truth slope(const truth *at)
{
    const tn_vec3 w = at->rate;
    const tn_quat e = tn_quat_mul(at->e, (tn_quat){0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z});
    const tn_vec3 weight = tn_m3_apply_t(tn_quat_matrix(at->e), tn_v3_scale(MASS, GRAVITY));
    const tn_vec3 moment =
        tn_v3_sub(tn_v3_cross(COM, weight), tn_v3_cross(w, times(INERTIA_TIP, w)));
    return (truth){
        1.0, e, {moment.x / INERTIA_TIP.x, moment.y / INERTIA_TIP.y, moment.z / INERTIA_TIP.z}};
}

static inline truth add(double s, truth a, truth b) // s a + b
{
    return (truth){s * a.t + b.t,
                   {s * a.e.w + b.e.w, s * a.e.x + b.e.x, s * a.e.y + b.e.y, s * a.e.z + b.e.z},
                   tn_v3_axpy(s, a.rate, b.rate)};
}

// Classical Runge-Kutta: at 150 rad/s and steps of 1.25e-5 s its error stays below 1e-10 for 2 s.
static inline void advance(truth *r, double t)
{
    const int n = (int)ceil((t - r->t) / 1.25e-5 - 1e-6);
    const double h = (t - r->t) / n;
    for (int k = 0; k < n; k++) {
        const truth s1 = slope(r);
        const truth x2 = add(0.5 * h, s1, *r), s2 = slope(&x2);
        const truth x3 = add(0.5 * h, s2, *r), s3 = slope(&x3);
        const truth x4 = add(h, s3, *r), s4 = slope(&x4);
        *r = add(h / 6.0, s1, add(h / 3.0, s2, add(h / 3.0, s3, add(h / 6.0, s4, *r))));
    }
    r->t = t;
}

static inline tn_vec3 true_centre(const truth *r)
{
    return tn_m3_apply(tn_quat_matrix(r->e), COM);
}

static inline tn_vec3 true_velocity(const truth *r)
{
    return tn_m3_apply(tn_quat_matrix(r->e), tn_v3_cross(r->rate, COM));
}

static inline tn_vec3 true_force(const truth *r)
{
    const tn_vec3 dot = slope(r).rate;
    const tn_vec3 a =
        tn_v3_add(tn_v3_cross(dot, COM), tn_v3_cross(r->rate, tn_v3_cross(r->rate, COM)));
    return tn_v3_scale(MASS, tn_v3_sub(tn_m3_apply(tn_quat_matrix(r->e), a), GRAVITY));
}

// The top in Tenon --------------------------------------------------------------------------------

typedef struct top {
    tn_model *model;
    tn_sim *sim;
    tn_body body;
    tn_joint tip;
} top;

// The top, as a model; simulations of it are made by the caller.
static inline top build(const truth *start)
{
    top s = {.model = tn_model_create()};
    tn_model_set_gravity(s.model, GRAVITY);
    tn_body_def body = tn_default_body();
    body.name = "top";
    body.mass = MASS;
    body.com = COM;
    body.inertia = INERTIA;
    body.frame.R = tn_quat_matrix(start->e);
    body.rate = start->rate;
    s.body = tn_model_add_body(s.model, &body);
    tn_joint_def tip = tn_default_joint(TN_JOINT_SPHERICAL);
    tip.name = "tip";
    tip.body_b = s.body;
    s.tip = tn_model_add_joint(s.model, &tip);
    return s;
}

static inline void destroy(top *s)
{
    tn_sim_destroy(s->sim);
    tn_model_destroy(s->model);
}

static inline tn_vec3 centre(const top *s)
{
    return tn_frame_point(tn_sim_body_frame(s->sim, s->body), COM);
}

static inline tn_vec3 centre_velocity(const top *s)
{
    const tn_mat3 R = tn_sim_body_frame(s->sim, s->body).R;
    const tn_vec3 arm = tn_v3_cross(tn_sim_body_rate(s->sim, s->body), COM);
    return tn_v3_add(tn_sim_body_velocity(s->sim, s->body), tn_m3_apply(R, arm));
}

static inline double distance(tn_vec3 a, tn_vec3 b)
{
    return tn_v3_norm(tn_v3_sub(a, b));
}

// Errors ------------------------------------------------------------------------------------------

static inline double position_error(const top *s, const truth *r)
{
    const tn_quat e = tn_quat_mul(tn_quat_conj(r->e), tn_sim_body_rotation(s->sim, s->body));
    const double angle = 2.0 * asin(fmin(1.0, tn_v3_norm(tn_v3(e.x, e.y, e.z))));
    return fmax(distance(centre(s), true_centre(r)), angle);
}

static inline double velocity_error(const top *s, const truth *r)
{
    return fmax(distance(centre_velocity(s), true_velocity(r)),
                distance(tn_sim_body_rate(s->sim, s->body), r->rate));
}

static inline double force_error(const top *s, const truth *r) // relative, as in [ACB15, Fig. 2]
{
    const tn_vec3 force = tn_sim_joint_reaction(s->sim, s->tip).f;
    return distance(force, true_force(r)) / tn_v3_norm(force);
}

static inline double nutation(tn_mat3 R) // theta of R = Rz(psi) Ry(theta) Rz(phi)
{
    return atan2(hypot(R.m[0][2], R.m[1][2]), R.m[2][2]);
}
