// SPDX-License-Identifier: MIT
//
// The fastest motions that the constraints allow, at the start: eigenvectors of M^-1 K and M^-1 D,
// symmetric parts, for the largest eigenvalues, by power iteration as in stiffness.c. They are
// orthogonal in M, so that each is swept out of those that follow. The part of a body in a motion
// is that of its kinetic energy.
//
// A body is light where its mass, or its smallest moment of inertia, is small against the largest
// of the bodies that joints and forces connect with it. It is reported when a motion that is all of
// light bodies is far faster than any in which others have a part.

#include "start/small_mass.h"

#include "base/alloc.h"
#include "base/random.h"
#include "linalg/dense.h"
#include "model/model.h"
#include "start/stiffness.h"
#include "system/absolute.h"

#include <math.h>

static const double LIGHT = 1e-3; // of the mass or inertia of a neighbour
static const double FAST = 30.0;  // times the motions of others: root of 1 / LIGHT
static const double PART = 0.1;   // of the kinetic energy, of bodies that take part
enum { MODES = 12, ITERATIONS = 40 };

typedef struct scene {
    tn_start *start;
    const tn_model *model;
    tn_small_mass *body; // one for each body of the model; ratio is 1 where it is not light
    int nmode;
    double *modes; // nv x MODES
    double *x, *y; // nv
    double *rows;  // ng + nn
} scene;

// Ratios ------------------------------------------------------------------------------------------

static double least_moment(const tn_body_data *b)
{
    double m[3], least = 0.0;
    tn_mat3 axes;
    tn_principal_axes(b->inertia, m, &axes);
    for (int i = 0; i < 3; i++)
        if (m[i] > 0.0 && (least == 0.0 || m[i] < least))
            least = m[i];
    return least;
}

static void compare(scene *s, int a, int b)
{
    const tn_body_data *at = s->model->bodies.at;
    if (a <= 0 || b <= 0 || a == b)
        return;
    const double mass[2] = {at[a].def.mass, at[b].def.mass};
    const double turn[2] = {least_moment(&at[a]), least_moment(&at[b])};
    for (int k = 0; k < 2; k++) {
        tn_small_mass *light = &s->body[k ? b : a];
        const double moving = mass[1 - k] > 0.0 ? mass[k] / mass[1 - k] : 1.0;
        const double turning = turn[1 - k] > 0.0 ? turn[k] / turn[1 - k] : 1.0;
        if (moving > 0.0 && moving < light->ratio)
            *light = (tn_small_mass){.ratio = moving, .neighbour = {k ? a : b}};
        if (turning > 0.0 && turning < light->ratio && !(moving < LIGHT))
            *light = (tn_small_mass){.ratio = turning, .neighbour = {k ? a : b}, .turning = true};
        light->body.index = k ? b : a;
    }
}

static bool find_light(scene *s)
{
    const tn_model *model = s->model;
    bool any = false;
    for (int k = 0; k < model->bodies.count; k++)
        s->body[k] = (tn_small_mass){.body = {k}, .ratio = 1.0};
    for (int k = 0; k < model->joints.count; k++) {
        const tn_joint_def *def = model->joints.at[k].def;
        if (model->joints.at[k].ops->relative)
            compare(s, def->body_a.index, def->body_b.index);
    }
    for (int k = 0; k < model->forces.count; k++) {
        const tn_force_data *f = &model->forces.at[k];
        if (!f->ops->on_joint && !f->ops->single)
            compare(s, f->def.body_a.index, f->def.body_b.index);
    }
    for (int k = 1; k < model->bodies.count; k++)
        any = any || s->body[k].ratio < LIGHT;
    return any;
}

// Motions -----------------------------------------------------------------------------------------

static void times_mass(const scene *s, const double *x, double *y)
{
    tn_zero(s->start->sys->nv, y);
    tn_sparse_mul(s->start->sys->block[TN_BLOCK_M], 1.0, x, y);
}

// Leaves the modes found so far out of x.
static void sweep_small_mass(scene *s, double *x)
{
    TN_ASSERT(s->nmode <= MODES);
    const int nv = s->start->sys->nv;
    for (int k = 0; k < s->nmode; k++) {
        const double *mode = s->modes + (size_t)k * (size_t)nv;
        times_mass(s, mode, s->y);
        tn_axpy(nv, -tn_dot(nv, s->y, x), mode, x);
    }
}

// x becomes M^-1 A x on the constraints, of unit kinetic energy; its size before.
static tn_status iterate_small_mass(scene *s, const tn_sparse *A, double *size)
{
    const tn_system *sys = s->start->sys;
    const tn_point at = tn_state_point(&s->start->x);
    TN_TRY(tn_stiffness_apply(s->start, &at, A, s->x, s->y, s->rows));
    tn_copy(sys->nv, s->y, s->x);
    sweep_small_mass(s, s->x);
    times_mass(s, s->x, s->y);
    *size = sqrt(fmax(0.0, tn_dot(sys->nv, s->x, s->y)));
    if (*size > 0.0)
        tn_scale(sys->nv, 1.0 / *size, s->x);
    return TN_OK;
}

static tn_status next_mode(scene *s, const tn_sparse *A, double *size)
{
    tn_random_fill(362436069u, s->start->sys->nv, s->x);
    for (int k = 0; k < ITERATIONS; k++) {
        TN_TRY(iterate_small_mass(s, A, size));
        if (!(*size > 0.0))
            return TN_OK;
    }
    tn_copy(s->start->sys->nv, s->x, s->modes + (size_t)s->nmode * (size_t)s->start->sys->nv);
    s->nmode++;
    return TN_OK;
}

static double small_mass_part_of(const scene *s, int body)
{
    int v0;
    const int nv = tn_absolute_body_velocity(s->start->sys, body, &v0);
    times_mass(s, s->x, s->y);
    return tn_dot(nv, s->x + v0, s->y + v0);
}

static bool is_of_light_bodies(const scene *s)
{
    for (int k = 1; k < s->model->bodies.count; k++)
        if (!(s->body[k].ratio < LIGHT) && small_mass_part_of(s, k) > PART)
            return false;
    return true;
}

// Gives light bodies the rates of the motions that are theirs alone and far faster than all others.
static tn_status find_rates(scene *s, const tn_sparse *A, bool squared)
{
    double rate[MODES], others = 1.0;
    bool light[MODES];
    s->nmode = 0;
    for (int k = 0; A && k < MODES; k++) {
        double size = 0.0;
        TN_TRY(next_mode(s, A, &size));
        if (s->nmode == k)
            break;
        rate[k] = squared ? sqrt(size) : size;
        light[k] = is_of_light_bodies(s);
        if (!light[k]) {
            others = fmax(others, rate[k]);
            break; // all that follow are slower
        }
    }
    for (int k = 0; k < s->nmode; k++) {
        if (!light[k] || !(rate[k] > FAST * others))
            continue;
        tn_copy(s->start->sys->nv, s->modes + (size_t)k * (size_t)s->start->sys->nv, s->x);
        for (int b = 1; b < s->model->bodies.count; b++) {
            tn_small_mass *body = &s->body[b];
            double *to = squared ? &body->frequency : &body->decay;
            if (body->ratio < LIGHT && small_mass_part_of(s, b) > PART)
                *to = fmax(*to, rate[k]);
        }
    }
    return TN_OK;
}

static tn_status analyse_small_mass(scene *s, tn_small_masses *out)
{
    static const unsigned parts = TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_B | TN_EVAL_G |
                                  TN_EVAL_GDOT | TN_EVAL_EXTRA | TN_EVAL_TANGENT;
    tn_system *sys = s->start->sys;
    const tn_point at = tn_state_point(&s->start->x);
    TN_TRY(tn_accel_factor(s->start->accel, &at));
    TN_TRY(tn_system_eval(sys, &at, parts));
    TN_TRY(find_rates(s, sys->block[TN_BLOCK_K], true));
    TN_TRY(find_rates(s, sys->block[TN_BLOCK_D], false));
    for (int k = 1; k < s->model->bodies.count; k++)
        if (s->body[k].frequency > 0.0 || s->body[k].decay > 0.0)
            TN_TRY(tn_array_push(out, s->body[k]));
    return TN_OK;
}

tn_status tn_small_mass_find(tn_start *start, const tn_model *model, tn_small_masses *out)
{
    const size_t nv = (size_t)start->sys->nv, rows = (size_t)(start->sys->ng + start->sys->nn);
    scene s = {.start = start, .model = model};
    s.body = tn_alloc(sizeof *s.body * (size_t)model->bodies.count);
    s.x = tn_alloc(sizeof(double) * ((2 + MODES) * nv + rows + 1));
    tn_status status = tn_got(s.body && s.x);
    if (status == TN_OK && find_light(&s)) {
        s.y = s.x + nv;
        s.modes = s.y + nv;
        s.rows = s.modes + MODES * nv;
        status = analyse_small_mass(&s, out);
    }
    TN_FREE(s.body, s.x);
    return status > 0 ? TN_OK : status; // what cannot be seen is not reported
}
