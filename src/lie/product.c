// SPDX-License-Identifier: MIT
//
// The direct product of the factors of a system [BCA12], [Arn16, Remark 5]. A factor with rotation
// keeps q = (p, e): position and unit quaternion, R = R(e). One increment x = (u, w):
//
//   R^3 x SO(3):  p + u,                  e o exp(w)
//   SE(3):        p + R(e) T(w)^T u,      e o exp(w)
//
// A factor SO(3) has e and w alone.

#include "lie/product.h"

#include "base/team.h"
#include "lie/se3.h"
#include "lie/so3.h"

#include <string.h>

static void retract_rotation(const double *e, const double *w, double *e1)
{
    TN_ASSERT(!(fabs(tn_quat_norm(tn_quat_from(e)) - 1.0) > 1e-6));
    const tn_quat turn = tn_so3_exp_quat(tn_v3_from(w));
    tn_quat_to(tn_quat_normalize(tn_quat_mul(tn_quat_from(e), turn)), e1);
}

static void retract_rigid(bool coupled, const double *q, const double *x, double *q1)
{
    const tn_vec3 p = tn_v3_from(q), w = tn_v3_from(x + 3);
    tn_vec3 u = tn_v3_from(x);
    if (coupled)
        u = tn_m3_apply(tn_quat_matrix(tn_quat_from(q + 3)), tn_m3_apply_t(tn_so3_tangent(w), u));
    tn_v3_to(tn_v3_add(p, u), q1);
    retract_rotation(q + 3, x + 3, q1 + 3);
}

static tn_vec3 difference_rotation(const double *e0, const double *e1)
{
    return tn_so3_log_quat(tn_quat_mul(tn_quat_conj(tn_quat_from(e0)), tn_quat_from(e1)));
}

static void difference_rigid(bool coupled, const double *q0, const double *q1, double *x)
{
    TN_ASSERT(!(fabs(tn_quat_norm(tn_quat_from(q0 + 3)) - 1.0) > 1e-6));
    const tn_vec3 w = difference_rotation(q0 + 3, q1 + 3);
    tn_vec3 u = tn_v3_sub(tn_v3_from(q1), tn_v3_from(q0));
    if (coupled)
        u = tn_m3_apply_t(tn_so3_tangent_inv(w),
                          tn_m3_apply_t(tn_quat_matrix(tn_quat_from(q0 + 3)), u));
    tn_v3_to(u, x);
    tn_v3_to(w, x + 3);
}

enum { MANY = 1024 }; // factors that are worth a thread

typedef struct retraction {
    const tn_group *groups;
    const double *q, *x;
    double *q1;
} retraction;

static void retract_groups(void *user, int begin, int end)
{
    const retraction *r = user;
    for (int k = begin; k < end; k++) {
        const tn_group *group = &r->groups[k];
        const double *from = r->q + group->q0, *step = r->x + group->v0;
        double *to = r->q1 + group->q0;
        if (group->kind == TN_GROUP_R)
            for (int i = 0; i < group->nq; i++)
                to[i] = from[i] + step[i];
        else if (group->kind == TN_GROUP_ROTATION)
            retract_rotation(from, step, to);
        else
            retract_rigid(group->kind == TN_GROUP_SE3, from, step, to);
    }
}

void tn_group_retract(int n, const tn_group *groups, const double *q, const double *x, double *q1)
{
    tn_team_loop(n, MANY, retract_groups, &(retraction){groups, q, x, q1});
}

void tn_group_difference(int n, const tn_group *groups, const double *q0, const double *q1,
                         double *x)
{
    TN_ASSERT(x != q0 && x != q1);
    for (int k = 0; k < n; k++) {
        const tn_group *group = &groups[k];
        const double *from = q0 + group->q0, *to = q1 + group->q0;
        double *step = x + group->v0;
        if (group->kind == TN_GROUP_R)
            for (int i = 0; i < group->nq; i++)
                step[i] = to[i] - from[i];
        else if (group->kind == TN_GROUP_ROTATION)
            tn_v3_to(difference_rotation(from, to), step);
        else
            difference_rigid(group->kind == TN_GROUP_SE3, from, to, step);
    }
}

void tn_group_tangent(const tn_group *group, const double *x, double T[6][6])
{
    if (group->kind == TN_GROUP_SE3) {
        tn_se3_tangent(x, T);
        return;
    }
    memset(T, 0, 36 * sizeof(double));
    for (int i = 0; i < 6; i++)
        T[i][i] = 1.0;
    if (group->kind != TN_GROUP_R) {
        const int turn = tn_group_turn(group);
        const tn_mat3 rotation = tn_so3_tangent(tn_v3_from(x + turn));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                T[i + turn][j + turn] = rotation.m[i][j];
    }
}

void tn_group_bracket(int n, const tn_group *groups, const double *x, const double *y, double *out)
{
    TN_ASSERT(out != x && out != y);
    for (int k = 0; k < n; k++) {
        const tn_group *group = &groups[k];
        double *z = out + group->v0;
        for (int i = 0; i < group->nv; i++)
            z[i] = 0.0;
        if (group->kind == TN_GROUP_R)
            continue;
        const double *a = x + group->v0, *b = y + group->v0;
        const int turn = tn_group_turn(group);
        const tn_vec3 wa = tn_v3_from(a + turn), wb = tn_v3_from(b + turn);
        tn_v3_to(tn_v3_cross(wa, wb), z + turn);
        if (group->kind == TN_GROUP_SE3)
            tn_v3_to(tn_v3_sub(tn_v3_cross(wa, tn_v3_from(b)), tn_v3_cross(wb, tn_v3_from(a))), z);
    }
}
