// SPDX-License-Identifier: MIT
//
// With the gradient G of a coordinate y and the twists V of the two bodies, y'' = G . V' + V^T H V.

#include "coords/joint_motion.h"

#include "linalg/dense.h"

tn_end tn_end_on_body(const tn_body_state *body, tn_frame frame)
{
    const tn_mat3 R = body->frame.R;
    const tn_vec3 r = tn_m3_apply(R, frame.p);
    return (tn_end){.x = {tn_m3_mul(R, frame.R), tn_v3_add(body->frame.p, r)},
                    .r = r,
                    .V = {body->velocity, tn_m3_apply(R, body->rate)}};
}

// Rate of change of the twist at the origin of a body.
static void take_rates(const tn_body_state *body, double A[6])
{
    tn_v3_to(body->acceleration, A);
    tn_v3_to(tn_m3_apply(body->frame.R, body->rate_dot), A + 3);
}

int tn_joint_second_derivatives(const tn_system *sys, const tn_model *model, const tn_point *at,
                                int joint, double *a)
{
    TN_ASSERT(joint >= 0 && joint < model->joints.count);
    const tn_joint_data *data = &model->joints.at[joint];
    const tn_mechanism_ops *ops = sys->ops->mechanism;
    tn_body_state body[2];
    double A[12], G[12];
    if (data->ops->ncoord == 0) // a relation between coordinates has no bodies
        return 0;
    const int known = ops->accelerations ? ops->accelerations(sys, at, joint, a) : -1;
    if (known >= 0)
        return known;
    ops->body(sys, at, data->def->body_a.index, &body[0]);
    ops->body(sys, at, data->def->body_b.index, &body[1]);
    take_rates(&body[0], A);
    take_rates(&body[1], A + 6);
    const tn_pair pair = {.a = tn_end_on_body(&body[0], data->def->frame_a),
                          .b = tn_end_on_body(&body[1], data->def->frame_b),
                          .own = data->def};
    for (int i = 0; i < data->ops->ncoord; i++) {
        const tn_row *row = &data->ops->coords[i].row;
        tn_row_gradient(row, &pair, G);
        a[i] = tn_dot(12, G, A) + tn_row_curvature(row, &pair);
    }
    return data->ops->ncoord;
}
