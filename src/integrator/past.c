// SPDX-License-Identifier: MIT
//
// Polynomials through points of the past, and their coordinates where a chart has changed.

#include "integrator/past.h"

#include "base/tolerance.h"
#include "lie/so3.h"

#include <math.h>

// Product of (t - x_m) / (x_j - x_m) over all nodes m but j and k.
static double basis_without(int n, const double *x, double t, int j, int k)
{
    TN_ASSERT(j >= 0 && j < n && k >= 0 && k < n);
    double p = 1.0;
    for (int m = 0; m < n; m++)
        if (m != j && m != k)
            p *= (t - x[m]) / (x[j] - x[m]);
    return p;
}

void tn_lagrange(int n, const double *node, double t, double *value, double *slope)
{
    TN_ASSERT(n > 0 && n <= TN_PAST_MAX && (n == 1 || node[0] != node[n - 1]));
    for (int j = 0; j < n; j++) {
        if (value)
            value[j] = basis_without(n, node, t, j, j);
        if (!slope)
            continue;
        slope[j] = 0.0;
        for (int k = 0; k < n; k++)
            if (k != j)
                slope[j] += basis_without(n, node, t, j, k) / (node[j] - node[k]);
    }
}

void tn_combine(int n, int count, const double *weight, double *const *y, double *out)
{
    TN_ASSERT(count >= 0 && count <= TN_PAST_MAX && (count == 0 || out != y[0]));
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < count; j++)
            sum += weight[j] * y[j][i];
        out[i] = sum;
    }
}

static double turns_between(double from, double to)
{
    return 2.0 * TN_PI * round((to - from) / (2.0 * TN_PI));
}

// Adds full turns about the axis of a rotation vector; where the vector is zero, about that of
// `near`. On SE(3) z = (u, w), and u changes so that p = T(w)^T u stays.
static void add_turns_to_vector(const tn_group *group, const double *near, double *z)
{
    TN_ASSERT(group->kind != TN_GROUP_R);
    const int turn = tn_group_turn(group);
    const tn_vec3 w = tn_v3_from(z + turn), to = tn_v3_from(near + turn);
    const double size = tn_v3_norm(w), far = tn_v3_norm(to);
    if (size + far <= TN_PI)
        return;
    const tn_vec3 axis = size > 0.0 ? tn_v3_scale(1.0 / size, w) : tn_v3_scale(1.0 / far, to);
    const tn_vec3 turned = tn_v3_axpy(turns_between(size, tn_v3_dot(axis, to)), axis, w);
    if (tn_group_moves_in_body(group))
        tn_v3_to(tn_m3_apply_t(tn_so3_tangent_inv(turned),
                               tn_m3_apply_t(tn_so3_tangent(w), tn_v3_from(z))),
                 z);
    tn_v3_to(turned, z + turn);
}

static void add_turns_to_angles(int n, const double *near, double *angle)
{
    for (int i = 0; i < n; i++)
        angle[i] += turns_between(angle[i], near[i]);
}

void tn_chart_near(const tn_chart *chart, const double *q, const double *near, double *z)
{
    tn_chart_to_z(chart, q, z);
    for (int k = 0; k < chart->ngroup; k++) {
        const tn_group *group = &chart->groups[k];
        const int first = chart->z0[k], angles = first + tn_group_turn(group);
        if (!tn_group_turns(group))
            continue;
        if (tn_chart_is_local(chart->kind))
            add_turns_to_vector(group, near + first, z + first);
        else if (tn_chart_has_angles(chart->kind))
            add_turns_to_angles(chart->z0[k + 1] - angles, near + angles, z + angles);
    }
}
