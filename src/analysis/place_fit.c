// SPDX-License-Identifier: MIT
//
// Frames fitted body after body, over and over; see place_fit.h.

#include "analysis/place_fit.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "lie/so3.h"

#include <math.h>

// Each sweep lowers the gaps. A rough fit is enough, the search that follows is exact: with a few
// sweeps only, long chains of bodies without stated angles would stay as they are.
enum { SWEEPS = 40 };

typedef struct fit {
    const tn_model *model;
    const bool *settled;
    tn_frame *frames;
    bool *placed, *turned; // per body: something is known of where it is, of how it is turned
    int *head, *next;      // lists of the ends of joints at each body: 2 joint + (body B)
    void *block;
} fit;

static void layout_place_fit(void *self, tn_carve *mem)
{
    fit *f = self;
    const int bodies = f->model->bodies.count, joints = f->model->joints.count;
    f->placed = tn_carve_bytes(mem, sizeof *f->placed * (size_t)bodies);
    f->turned = tn_carve_bytes(mem, sizeof *f->turned * (size_t)bodies);
    f->head = tn_carve_ints(mem, bodies);
    f->next = tn_carve_ints(mem, 2 * joints + 1);
}

static void add_end(fit *f, int end, tn_body body)
{
    TN_ASSERT(end / 2 < f->model->joints.count && body.index < f->model->bodies.count);
    f->next[end] = f->head[body.index];
    f->head[body.index] = end;
}

static void open_fit(fit *f)
{
    for (int k = 0; k < f->model->bodies.count; k++) {
        const tn_body_def *def = &f->model->bodies.at[k].def;
        f->head[k] = -1;
        f->placed[k] = f->settled[k] || def->given_position;
        f->turned[k] =
            f->settled[k] || def->given_rotation || !tn_body_has_rotation(f->model, (tn_body){k});
    }
    for (int k = 0; k < f->model->joints.count; k++) {
        const tn_joint_data *joint = &f->model->joints.at[k];
        if (!joint->ops->motion)
            continue;
        add_end(f, 2 * k, joint->def.body_a);
        add_end(f, 2 * k + 1, joint->def.body_b);
    }
}

// The end of a joint, in its body frame, and where the body beside it wants that point. As long as
// nothing is known of how that body is turned, its origin stands for its joint points.
static bool find_target(const fit *f, int end, tn_vec3 *arm, tn_vec3 *target)
{
    TN_ASSERT(end >= 0 && end / 2 < f->model->joints.count);
    const tn_joint_data *joint = &f->model->joints.at[end / 2];
    const tn_joint_def *def = &joint->def;
    const bool b = end % 2;
    const int other = b ? def->body_a.index : def->body_b.index;
    const tn_frame A = tn_frame_mul(f->frames[def->body_a.index], def->frame_a);
    const tn_frame B = tn_frame_mul(f->frames[def->body_b.index], def->frame_b);
    double q[7] = {0}, v[6] = {0};
    tn_joint_motion motion;
    *arm = b ? def->frame_b.p : def->frame_a.p;
    *target = f->frames[other].p;
    if (!f->placed[other] || !f->turned[other])
        return f->placed[other];
    tn_joint_locate(joint->ops, def, tn_frame_mul(tn_frame_inverse(A), B), q);
    joint->ops->motion(def, q, v, &motion);
    *target = b ? tn_frame_mul(A, motion.X).p : tn_frame_mul(B, tn_frame_inverse(motion.X)).p;
    return true;
}

typedef struct gaps {
    int count;
    tn_vec3 arm, target; // means, in body axes and in the world
} gaps;

static gaps look_place_fit(const fit *f, int body)
{
    gaps g = {0};
    for (int end = f->head[body]; end >= 0; end = f->next[end]) {
        tn_vec3 arm, target;
        if (!find_target(f, end, &arm, &target))
            continue;
        g.count++;
        g.arm = tn_v3_add(g.arm, arm);
        g.target = tn_v3_add(g.target, target);
    }
    g.arm = tn_v3_scale(1.0 / fmax(1.0, g.count), g.arm);
    g.target = tn_v3_scale(1.0 / fmax(1.0, g.count), g.target);
    return g;
}

// Turns a body about the moment of its targets, to where they are nearest: in the plane that is the
// fit, in space a step that lowers the gaps. Levers count from `arm` and `centre`.
static void turn_place_fit(fit *f, int body, tn_vec3 arm_mean, tn_vec3 centre)
{
    tn_mat3 *R = &f->frames[body].R;
    tn_mat3 H = {{{0}}}; // sum of target and lever, both in the world
    for (int end = f->head[body]; end >= 0; end = f->next[end]) {
        tn_vec3 arm, target;
        if (!find_target(f, end, &arm, &target))
            continue;
        const tn_vec3 a = tn_m3_apply(*R, tn_v3_sub(arm, arm_mean)), t = tn_v3_sub(target, centre);
        const double at[3] = {a.x, a.y, a.z}, to[3] = {t.x, t.y, t.z};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                H.m[i][j] += at[i] * to[j];
    }
    const tn_vec3 moment = {H.m[1][2] - H.m[2][1], H.m[2][0] - H.m[0][2], H.m[0][1] - H.m[1][0]};
    const bool planar = f->model->bodies.at[body].ops->turns == 1;
    const double size = tn_v3_norm(moment);
    if (!planar && !(size > 0.0))
        return;
    const tn_vec3 n = planar ? (tn_vec3){0.0, 0.0, 1.0} : tn_v3_scale(1.0 / size, moment);
    const double along = tn_v3_dot(n, tn_m3_apply(H, n));
    const double level = H.m[0][0] + H.m[1][1] + H.m[2][2] - along;
    const double angle = atan2(tn_v3_dot(n, moment), level);
    *R = tn_m3_mul(tn_so3_exp(tn_v3_scale(angle, n)), *R);
}

static void fit_body(fit *f, int body)
{
    TN_ASSERT(body > 0 && body < f->model->bodies.count);
    const tn_body_def *def = &f->model->bodies.at[body].def;
    tn_frame *frame = &f->frames[body];
    const gaps g = look_place_fit(f, body);
    if (g.count == 0)
        return;
    const bool has_rotation = tn_body_has_rotation(f->model, (tn_body){body});
    if (!def->given_rotation && has_rotation) {
        if (def->given_position)
            turn_place_fit(f, body, (tn_vec3){0.0, 0.0, 0.0}, frame->p);
        else
            turn_place_fit(f, body, g.arm, g.target);
        f->turned[body] = true;
    }
    if (!def->given_position) {
        frame->p = tn_v3_sub(g.target, tn_m3_apply(frame->R, g.arm));
        f->placed[body] = true;
    }
}

tn_status tn_place_fit(const tn_model *model, const bool *settled, tn_frame *frames)
{
    fit f = {.model = model, .settled = settled, .frames = frames};
    TN_TRY(tn_carve_block(&f, layout_place_fit, &f.block));
    open_fit(&f);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int k = 1; k < model->bodies.count; k++)
            if (!settled[k])
                fit_body(&f, k);
    tn_free(f.block);
    return TN_OK;
}
