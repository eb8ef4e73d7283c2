// SPDX-License-Identifier: MIT
//
// A modal body made of point masses with random places and shapes: all that its numbers say can be
// summed up point by point.

#pragma once

#include "flex/modal.h"
#include "flex/modal_body.h"
#include "model/model.h"
#include "test.h"

enum { CLOUD_POINTS = 12, CLOUD_MODES = 3, CLOUD_ATTACHMENTS = 2 };

typedef struct cloud {
    double mass[CLOUD_POINTS];
    tn_vec3 at[CLOUD_POINTS];
    tn_vec3 shape[CLOUD_MODES][CLOUD_POINTS];
} cloud;

static inline tn_vec3 cloud_vector(double size)
{
    return tn_v3(size * tn_random(), size * tn_random(), size * tn_random());
}

// Field number f of Z at point i.
static inline tn_vec3 cloud_field(const cloud *c, int f, int i)
{
    const int k = f < 6 ? f % 3 : (f - 6) % 3, j = (f - 6) / 3;
    const tn_vec3 axis = tn_v3(k == 0, k == 1, k == 2);
    if (f < 3)
        return axis;
    if (f < 6)
        return tn_v3_cross(axis, c->at[i]);
    if (f < 6 + 3 * CLOUD_MODES)
        return tn_v3_cross(axis, c->shape[j][i]);
    return c->shape[f - 6 - 3 * CLOUD_MODES][i];
}

static inline void cloud_fill_symmetric(int n, double size, double *A)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < CLOUD_MODES; i++)
            for (int j = 0; j <= i; j++) {
                double *M = A + k * CLOUD_MODES * CLOUD_MODES;
                M[i * CLOUD_MODES + j] = M[j * CLOUD_MODES + i] = size * tn_random();
            }
}

static inline tn_modal *cloud_modal(cloud *c, bool geometric, int attachments)
{
    static const char *const names[] = {"left", "right"};
    const int m = CLOUD_MODES, n = tn_modal_size(m);
    tn_modal *x = NULL;
    for (int i = 0; i < CLOUD_POINTS; i++) {
        c->mass[i] = 0.1 + 0.05 * tn_random();
        c->at[i] = tn_v3_add(tn_v3(0.3, -0.1, 0.2), cloud_vector(0.6));
        for (int j = 0; j < m; j++)
            c->shape[j][i] = cloud_vector(0.5);
    }
    CHECK_OK(tn_modal_create(m, attachments, &x));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < CLOUD_POINTS; k++)
                x->gram[i * n + j] +=
                    c->mass[k] * tn_v3_dot(cloud_field(c, i, k), cloud_field(c, j, k));
    for (int j = 0; j < m; j++) {
        x->names[j] = tn_strdup("mode");
        x->stiffness[j * m + j] = 20.0 * (j + 1);
        x->stiffness[j * m + (j + 1) % m] = x->stiffness[(j + 1) % m * m + j] = 2.0;
    }
    for (int k = 0; k < attachments; k++) {
        tn_modal_attachment *at = &x->attachment[k];
        at->name = tn_strdup(names[k]);
        at->frame.p = cloud_vector(0.6);
        at->frame.R = tn_m3_mul(tn_m3_rot_z(tn_random()), tn_m3_rot_x(tn_random()));
        for (int i = 0; i < 6 * m; i++)
            at->modes[i] = tn_random();
    }
    if (geometric) {
        const size_t square = sizeof(double) * (size_t)(m * m);
        x->rate = tn_alloc(6 * square);
        x->acceleration = tn_alloc(3 * square);
        x->turning = tn_alloc(3 * square);
        x->loads = tn_alloc(6 * square * (size_t)(attachments + 1));
        cloud_fill_symmetric(6, 0.2, x->rate);
        cloud_fill_symmetric(3, 0.2, x->acceleration);
        cloud_fill_symmetric(3, 0.2, x->turning);
        cloud_fill_symmetric(6 * attachments, 0.5, x->loads);
    }
    CHECK_OK(tn_modal_check(x));
    return x;
}

// A model with one such body of the name "cloud", moved somewhere.
static inline tn_modal_data *cloud_add(tn_model *model, cloud *c, bool geometric, int attachments)
{
    static const double damping = 0.05;
    tn_modal_def def = tn_default_modal();
    def.name = "cloud";
    def.frame.p = cloud_vector(1.0);
    def.frame.R = tn_m3_mul(tn_m3_rot_z(tn_random()), tn_m3_rot_x(tn_random()));
    def.stiffening = geometric;
    def.ndamping = 1;
    def.damping = &damping;
    CHECK_OK(tn_modal_add(model, &def, "body 'cloud'", cloud_modal(c, geometric, attachments)));
    return &model->modals.at[model->modals.count - 1];
}
