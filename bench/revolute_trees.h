// SPDX-License-Identifier: MIT
//
// Chains and trees on revolute joints with random axes and inertias, the same on every machine, as
// models and for the kernel that is written by hand (revolute_kernel.h).

#pragma once

#include "revolute_kernel.h"
#include "tenon/tenon.h"
#include "tree/tree_parts.h"

#include <stdlib.h>

static double uniform(void) // in [-1, 1], the same on every machine
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(state >> 11) / 4503599627370496.0 - 1.0;
}

static tn_mat3 random_turn(void)
{
    tn_quat e = {uniform(), uniform(), uniform(), uniform()};
    while (tn_quat_norm(e) < 0.1)
        e.w = uniform();
    return tn_quat_matrix(tn_quat_normalize(e));
}

typedef enum shape { CHAIN, BINARY, PLANAR, SHAPES } shape;

static const char *const names[SHAPES] = {"chain", "binary", "planar"};

static tn_model *mechanism(int n, shape form)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, -9.81, 0.0});
    for (int k = 1; k <= n; k++) {
        tn_body_def link = tn_default_body();
        link.mass = 1.0 + 0.5 * uniform();
        link.com = (tn_vec3){0.3 * uniform(), 0.3 * uniform(), 0.3 * uniform()};
        link.inertia = (tn_vec3){1.0 + 0.2 * uniform(), 1.0 + 0.2 * uniform(), 1.0};
        link.inertia_axes = random_turn();
        if (form == PLANAR)
            link.kind = TN_BODY_PLANAR;
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_a.index = form == BINARY ? k / 2 : k - 1;
        pin.body_b = tn_model_add_body(model, &link);
        pin.frame_a = (tn_frame){random_turn(), {uniform(), uniform(), uniform()}};
        pin.frame_b = (tn_frame){random_turn(), {0.2 * uniform(), 0.2 * uniform(), uniform()}};
        if (form == PLANAR)
            pin.frame_a.R = pin.frame_b.R = tn_m3_identity;
        tn_model_add_joint(model, &pin);
    }
    return model;
}

static vec vec_of(tn_vec3 a)
{
    return (vec){a.x, a.y, a.z};
}

// The kernel for the same mechanism, in the same order.
static kernel kernel_of(const tn_tree *base, shape form, int *below)
{
    const tree *t = (const tree *)base;
    kernel s = {.n = base->n - 1, .below = below};
    const size_t n = (size_t)s.n;
    s.body = malloc(n * sizeof *s.body);
    s.work = malloc(n * sizeof *s.work);
    s.sum = form == BINARY ? malloc(n * sizeof *s.sum) : NULL;
    s.l = form == BINARY ? malloc(n * sizeof *s.l) : NULL;
    s.al = form == BINARY ? malloc(n * sizeof *s.al) : NULL;
    s.sine = malloc(n * sizeof(double));
    s.cosine = malloc(n * sizeof(double));
    for (int k = 1; k < base->n; k++) {
        const tree_base *at = &t->at[k];
        const tree_mass *mass = &t->mass[k];
        s.body[k - 1] = (kernel_body){.X = vec_of(at->X),
                                      .Y = vec_of(at->Y),
                                      .Z = vec_of(at->Z),
                                      .d = vec_of(at->d),
                                      .m = mass->m,
                                      .lambda = mass->lambda,
                                      .ky = mass->ky,
                                      .kz = mass->kz,
                                      .mc = vec_of(mass->mc),
                                      .g = vec_of(mass->g)};
        if (form == PLANAR) // the moment about z
            s.body[k - 1].lambda += mass->g.z * mass->g.z + mass->kz * mass->kz;
        below[k - 1] = base->body[k].parent - 1;
    }
    return s;
}

static void free_kernel(kernel *s)
{
    free(s->body);
    free(s->work);
    free(s->sum);
    free(s->l);
    free(s->al);
    free(s->sine);
    free(s->cosine);
}

// Accelerations by hand.
static void kernel_run(kernel *s, shape form, const double *q, const double *v, double *a)
{
    static void (*const kernels[SHAPES])(kernel *, vec, const double *, const double *,
                                         double *) = {kernel_chain, kernel_tree, kernel_plane};
    kernels[form](s, (vec){0.0, 9.81, 0.0}, q, v, a);
}
