// SPDX-License-Identifier: MIT
//
// Two simulations of one model in different coordinates: how far apart bodies, joints, reactions
// and multipliers are, relative to the largest of each.

#pragma once

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static inline tn_sim *open_sim(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static inline double apart(tn_vec3 x, tn_vec3 y)
{
    return tn_v3_norm(tn_v3_sub(x, y));
}

typedef struct difference {
    double pose, velocity, acceleration, reaction, multiplier; // relative to the largest
} difference;

typedef struct scale {
    double velocity, acceleration, reaction, multiplier;
} scale;

static inline void compare_bodies(const tn_model *model, tn_sim *a, tn_sim *b, difference *d,
                                  scale *s)
{
    for (int k = 1; k < tn_model_body_count(model); k++) {
        const tn_body body = {k};
        const tn_frame x = tn_sim_body_frame(a, body), y = tn_sim_body_frame(b, body);
        d->pose = fmax(d->pose, apart(x.p, y.p));
        for (int i = 0; i < 3; i++)
            d->pose = fmax(d->pose, apart(tn_m3_column(x.R, i), tn_m3_column(y.R, i)));
        const tn_quat p = tn_sim_body_rotation(a, body), q = tn_sim_body_rotation(b, body);
        d->pose = fmax(d->pose, fmax(fabs(p.w - q.w),
                                     apart((tn_vec3){p.x, p.y, p.z}, (tn_vec3){q.x, q.y, q.z})));
        const tn_vec3 u = tn_sim_body_velocity(a, body), w = tn_sim_body_rate(a, body);
        d->velocity = fmax(d->velocity, apart(u, tn_sim_body_velocity(b, body)));
        d->velocity = fmax(d->velocity, apart(w, tn_sim_body_rate(b, body)));
        s->velocity = fmax(s->velocity, fmax(tn_v3_norm(u), tn_v3_norm(w)));
        const tn_vec3 l = tn_sim_body_acceleration(a, body), al = tn_sim_body_rate_dot(a, body);
        d->acceleration = fmax(d->acceleration, apart(l, tn_sim_body_acceleration(b, body)));
        d->acceleration = fmax(d->acceleration, apart(al, tn_sim_body_rate_dot(b, body)));
        s->acceleration = fmax(s->acceleration, fmax(tn_v3_norm(l), tn_v3_norm(al)));
    }
}

static inline void compare_joints(const tn_model *model, tn_sim *a, tn_sim *b, difference *d,
                                  scale *s)
{
    for (int k = 0; k < tn_model_joint_count(model); k++) {
        const tn_joint joint = {k};
        const tn_wrench x = tn_sim_joint_reaction(a, joint), y = tn_sim_joint_reaction(b, joint);
        d->reaction = fmax(d->reaction, fmax(apart(x.f, y.f), apart(x.m, y.m)));
        s->reaction = fmax(s->reaction, fmax(tn_v3_norm(x.f), tn_v3_norm(x.m)));
        double p[6], q[6];
        bool unique[2][6];
        const int n = tn_sim_joint_multipliers(a, joint, p, unique[0]);
        CHECK(tn_sim_joint_multipliers(b, joint, q, unique[1]) == n);
        for (int i = 0; i < n; i++) {
            CHECK(unique[0][i] == unique[1][i]);
            d->multiplier = fmax(d->multiplier, fabs(p[i] - q[i]));
            s->multiplier = fmax(s->multiplier, fabs(p[i]));
        }
        const int c = tn_sim_joint_coordinates(a, joint, p, p + 3);
        CHECK(tn_sim_joint_coordinates(b, joint, q, q + 3) == c);
        for (int i = 0; i < c; i++) {
            d->pose = fmax(d->pose, fabs(p[i] - q[i]));
            d->velocity = fmax(d->velocity, fabs(p[3 + i] - q[3 + i]));
        }
    }
}

static inline difference compare(const tn_model *model, tn_sim *a, tn_sim *b)
{
    difference d = {0};
    scale s = {1.0, 1.0, 1.0, 1.0};
    compare_bodies(model, a, b, &d, &s);
    compare_joints(model, a, b, &d, &s);
    d.velocity /= s.velocity;
    d.acceleration /= s.acceleration;
    d.reaction /= s.reaction;
    d.multiplier /= s.multiplier;
    return d;
}

static inline bool is_same(const difference *d, double tol)
{
    return d->pose <= tol && d->velocity <= tol && d->acceleration <= tol && d->reaction <= tol &&
           d->multiplier <= tol;
}

// A run over `t_end`, error-controlled where the method is; NULL where it fails, which is printed.
static inline tn_sim *travel_by(const tn_model *model, const char *method, double tol, double t_end)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = strncmp(method, "galpha", 6) && strncmp(method, "variational", 11) &&
                       strncmp(method, "energy-momentum", 15);
    options.step = t_end / 2000.0;
    options.rtol = options.atol = tol;
    tn_sim *sim = NULL;
    tn_status status = tn_sim_create(model, &options, &sim);
    if (status == TN_OK)
        status = tn_sim_run(sim, t_end, NULL, NULL);
    if (status == TN_OK)
        return sim;
    printf("%s: %s\n", method, tn_last_error());
    tn_sim_destroy(sim);
    return NULL;
}

// How far apart bodies are; velocities relative to the largest above one.
static inline double bodies_apart(const tn_model *model, tn_sim *a, tn_sim *b)
{
    double most = 0.0;
    for (int k = 1; k < tn_model_body_count(model); k++) {
        const tn_body body = {k};
        const tn_frame x = tn_sim_body_frame(a, body), y = tn_sim_body_frame(b, body);
        const tn_vec3 v = tn_sim_body_velocity(a, body), w = tn_sim_body_rate(a, body);
        const double size = 1.0 + tn_v3_norm(v) + tn_v3_norm(w);
        most = fmax(most, apart(x.p, y.p));
        for (int i = 0; i < 3; i++)
            most = fmax(most, apart(tn_m3_column(x.R, i), tn_m3_column(y.R, i)));
        most = fmax(most, apart(v, tn_sim_body_velocity(b, body)) / size);
        most = fmax(most, apart(w, tn_sim_body_rate(b, body)) / size);
    }
    return most;
}
