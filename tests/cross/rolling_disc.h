// SPDX-License-Identifier: MIT
//
// A disc or torus that rolls on the plane z = 0, by Euler's equations written by hand
// (docs/theory/rolling.md): in the axes (t_1, b, u) along the track, the axle and up the disc,
// with n = cos(theta) b + sin(theta) u, the arm l = R u + r n from the contact to the centre, the
// rate W = (p, w, y) of the disc and that of the axes W_f = (p, y cot(theta), y),
//
//   J W' + W_f x J W = -l x m (x'' + g n),   x' = W x l,   l' = W_f x R u
//
// psi' = y / sin(theta), theta' = -p, and phi' = w - y cot(theta) is the spin about the axle.

#pragma once

#include "tenon/tenon.h"
#include "test.h"

typedef struct disc {
    double m, R, r, A, C, g;
} disc;

enum { DISC_X, DISC_Y, DISC_PSI, DISC_THETA, DISC_PHI, DISC_P, DISC_W, DISC_U, DISC_SIZE };

// Of x: x x (W x l) m and J x together are a matrix; its columns.
static inline tn_vec3 disc_inertia(const disc *d, tn_vec3 l, tn_vec3 x)
{
    const tn_vec3 moved = tn_v3_cross(l, tn_v3_cross(x, l));
    return tn_v3_axpy(d->m, moved, tn_v3(d->A * x.x, d->C * x.y, d->A * x.z));
}

static inline tn_vec3 solve3(tn_vec3 a, tn_vec3 b, tn_vec3 c, tn_vec3 y) // a x1 + b x2 + c x3 = y
{
    const double det = tn_v3_dot(a, tn_v3_cross(b, c));
    return tn_v3_scale(1.0 / det,
                       tn_v3(tn_v3_dot(y, tn_v3_cross(b, c)), tn_v3_dot(a, tn_v3_cross(y, c)),
                             tn_v3_dot(a, tn_v3_cross(b, y))));
}

static inline void disc_slope(const disc *d, const double *y, double *dy)
{
    const double s = sin(y[DISC_THETA]), c = cos(y[DISC_THETA]);
    const tn_vec3 W = tn_v3(y[DISC_P], y[DISC_W], y[DISC_U]);
    const tn_vec3 Wf = tn_v3(W.x, W.z * c / s, W.z), n = tn_v3(0.0, c, s);
    const tn_vec3 up = tn_v3(0.0, 0.0, d->R), l = tn_v3_axpy(d->r, n, up);
    const tn_vec3 L = tn_v3(d->A * W.x, d->C * W.y, d->A * W.z);
    // x'' at W' = 0, with the derivative of W in moving axes
    const tn_vec3 a =
        tn_v3_add(tn_v3_cross(tn_v3_cross(Wf, W), l), tn_v3_cross(W, tn_v3_cross(Wf, up)));
    const tn_vec3 force = tn_v3_scale(d->m, tn_v3_axpy(d->g, n, a));
    const tn_vec3 rest = tn_v3_neg(tn_v3_add(tn_v3_cross(l, force), tn_v3_cross(Wf, L)));
    const tn_vec3 dW =
        solve3(disc_inertia(d, l, tn_v3(1, 0, 0)), disc_inertia(d, l, tn_v3(0, 1, 0)),
               disc_inertia(d, l, tn_v3(0, 0, 1)), rest);
    const tn_vec3 v = tn_v3_cross(W, l); // along t_1, and across: b = s t_2 + c n, u = s n - c t_2
    const double across = s * v.y - c * v.z, psi = y[DISC_PSI];
    dy[DISC_X] = cos(psi) * v.x - sin(psi) * across;
    dy[DISC_Y] = sin(psi) * v.x + cos(psi) * across;
    dy[DISC_PSI] = W.z / s;
    dy[DISC_THETA] = -W.x;
    dy[DISC_PHI] = W.y - W.z * c / s;
    dy[DISC_P] = dW.x;
    dy[DISC_W] = dW.y;
    dy[DISC_U] = dW.z;
}

// The classical method of order four.
static inline void disc_follow(const disc *d, double *y, double t, int steps)
{
    static const double node[] = {0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    const double h = t / steps;
    for (int n = 0; n < steps; n++) {
        double k[4][DISC_SIZE], z[DISC_SIZE];
        memcpy(z, y, sizeof z);
        for (int i = 0; i < 4; i++) {
            disc_slope(d, z, k[i]);
            for (int j = 0; i < 3 && j < DISC_SIZE; j++)
                z[j] = y[j] + node[i] * h * k[i][j];
        }
        for (int j = 0; j < DISC_SIZE; j++)
            for (int i = 0; i < 4; i++)
                y[j] += h / 6.0 * weight[i] * k[i][j];
    }
}

// The frame of the disc, z along its axle, x up the disc where phi = 0; and its twist.
static inline tn_frame disc_frame(const disc *d, const double *y)
{
    const double s = sin(y[DISC_THETA]), c = cos(y[DISC_THETA]);
    const tn_vec3 t1 = tn_v3(cos(y[DISC_PSI]), sin(y[DISC_PSI]), 0.0);
    const tn_vec3 t2 = tn_v3(-t1.y, t1.x, 0.0), n = tn_v3(0.0, 0.0, 1.0);
    const tn_vec3 b = tn_v3_axpy(c, n, tn_v3_scale(s, t2));
    const tn_vec3 u = tn_v3_axpy(s, n, tn_v3_scale(-c, t2));
    const double cp = cos(y[DISC_PHI]), sp = sin(y[DISC_PHI]);
    const tn_vec3 x = tn_v3_axpy(cp, u, tn_v3_scale(sp, t1));
    const tn_vec3 yy = tn_v3_axpy(-sp, u, tn_v3_scale(cp, t1));
    return (tn_frame){tn_m3_columns(x, yy, b), tn_v3(y[DISC_X], y[DISC_Y], d->R * s + d->r)};
}

static inline tn_vec3 disc_rate(const double *y) // in the axes of the body
{
    const double cp = cos(y[DISC_PHI]), sp = sin(y[DISC_PHI]);
    return tn_v3(cp * y[DISC_U] + sp * y[DISC_P], -sp * y[DISC_U] + cp * y[DISC_P], y[DISC_W]);
}

// The same disc as a body on a rolling-wheel.
static inline tn_model *disc_model(const disc *d, const double *y)
{
    double dy[DISC_SIZE];
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -d->g));
    disc_slope(d, y, dy);
    tn_body_def body = tn_default_body();
    body.name = "disc";
    body.mass = d->m;
    body.inertia = tn_v3(d->A, d->A, d->C);
    body.frame = disc_frame(d, y);
    body.velocity = tn_v3(dy[DISC_X], dy[DISC_Y], -d->R * cos(y[DISC_THETA]) * y[DISC_P]);
    body.rate = disc_rate(y);
    tn_joint_def roll = tn_default_joint(TN_JOINT_ROLLING_WHEEL);
    roll.name = "roll";
    roll.body_b = tn_model_add_body(model, &body);
    roll.rolling.radius = d->R;
    roll.rolling.tube = d->r;
    tn_model_add_joint(model, &roll);
    CHECK_OK(tn_model_status(model));
    return model;
}
