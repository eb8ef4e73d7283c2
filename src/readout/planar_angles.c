// SPDX-License-Identifier: MIT
//
// Angles of planar bodies, with all their turns. A state only has the rotation of a body, which
// knows no turns; angles of joints count them, in all coordinates. So the angle of a body is that
// of the body before it, on the way from the ground, and the angle of the joint between them:
//
//   phi_b = phi_a + theta + constant,   phi in (-pi, pi] at the start
//
// A body without such a way has the angle of its rotation.

#include "model/model.h"
#include "readout/sensors.h"

#include <math.h>

void tn_planar_angles_layout(tn_planar_angles *p, const tn_model *model, tn_carve *mem)
{
    const int n = model ? model->bodies.count : 0;
    TN_CARVE_INTS(mem, n, &p->order, &p->joint, &p->from);
    TN_CARVE_DOUBLES(mem, n, &p->constant, &p->angle);
}

// The coordinate of a joint that is the angle of B in A, -1 for none.
static int angle_of(const tn_joint_ops *ops)
{
    for (int i = 0; i < ops->ncoord; i++)
        if (ops->coords[i].row.form == TN_ROW_ANGLE)
            return i;
    return -1;
}

// Returns true if the angle between its bodies is a coordinate, or does not change.
static bool tells_angle(const tn_joint_data *joint)
{
    bool holds = false;
    for (int i = 0; i < joint->ops->nrow && joint->ops->rows; i++)
        holds = holds || joint->ops->rows[i].form == TN_ROW_DOT;
    return joint->ops->relative && !joint->ops->coupling && joint->ops->dim == 2 &&
           (holds || angle_of(joint->ops) >= 0);
}

static double angle_of_rotation(tn_sensors *s, const tn_state *x, int body)
{
    const tn_mat3 R = tn_sensors_body(s, x, (tn_body){body}).frame.R;
    return atan2(R.m[1][0], R.m[0][0]);
}

// By how much the body is turned against the one before it, but for a constant.
static double turned_by(tn_sensors *s, const tn_state *x, int body)
{
    const tn_planar_angles *p = &s->planar;
    const tn_joint_data *joint = &s->model->joints.at[p->joint[body]];
    const int coordinate = angle_of(joint->ops);
    double q[6];
    if (coordinate < 0)
        return 0.0;
    tn_sensors_coordinates(s, x, (tn_joint){p->joint[body]}, q, NULL);
    return joint->def->body_b.index == body ? q[coordinate] : -q[coordinate];
}

static void reach_body(tn_sensors *s, const tn_state *x, int joint, int from, int body)
{
    tn_planar_angles *p = &s->planar;
    TN_ASSERT(p->joint[body] < 0 && body != TN_GROUND.index);
    p->order[p->count++] = body;
    p->joint[body] = joint;
    p->from[body] = from;
    p->angle[body] = angle_of_rotation(s, x, body);
    p->constant[body] = p->angle[body] - p->angle[from] - turned_by(s, x, body);
}

static bool is_reached(const tn_planar_angles *p, int body)
{
    return body == TN_GROUND.index || p->joint[body] >= 0;
}

void tn_planar_angles_open(tn_sensors *s, const tn_state *x)
{
    tn_planar_angles *p = &s->planar;
    const int n = s->model ? s->model->source->joints.count : 0;
    for (int i = 0; s->model && i < s->model->bodies.count; i++)
        p->joint[i] = -1;
    for (int before = -1; before < p->count;) {
        before = p->count;
        for (int j = 0; j < n; j++) {
            const tn_joint_def *def = s->model->joints.at[j].def;
            const int a = def->body_a.index, b = def->body_b.index;
            if (!tells_angle(&s->model->joints.at[j]) || is_reached(p, a) == is_reached(p, b))
                continue;
            reach_body(s, x, j, is_reached(p, a) ? a : b, is_reached(p, a) ? b : a);
        }
    }
}

double tn_sensors_planar_angle(tn_sensors *s, const tn_state *x, int body)
{
    tn_planar_angles *p = &s->planar;
    TN_ASSERT(body > 0 && body < s->model->bodies.count);
    if (p->joint[body] < 0)
        return angle_of_rotation(s, x, body);
    for (int k = 0; k < p->count && !p->known; k++) {
        const int i = p->order[k];
        p->angle[i] = p->angle[p->from[i]] + turned_by(s, x, i) + p->constant[i];
    }
    p->known = true;
    return p->angle[body];
}
