// SPDX-License-Identifier: MIT
//
// Polynomials through points of the past, and their coordinates where a chart has changed.

#include "integrator/past.h"

#include "linalg/dense.h"

#include <math.h>

static const double FULL_TURN = 6.283185307179586;

// Product of (t - x_m) / (x_j - x_m) over all nodes m but j and k.
static double basis_without(int n, const double *x, double t, int j, int k)
{
    double p = 1.0;
    for (int m = 0; m < n; m++)
        if (m != j && m != k)
            p *= (t - x[m]) / (x[j] - x[m]);
    return p;
}

void tn_lagrange(int n, const double *node, double t, double *value, double *slope)
{
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
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < count; j++)
            sum += weight[j] * y[j][i];
        out[i] = sum;
    }
}

void tn_chart_near(const tn_chart *chart, const double *q, const double *near, double *z)
{
    tn_chart_to_z(chart, q, z);
    if (chart->kind != TN_CHART_EULER)
        return;
    for (int k = 0; k < chart->ngroup; k++)
        if (chart->groups[k].kind != TN_GROUP_R)
            for (int i = chart->z0[k] + tn_group_turn(&chart->groups[k]); i < chart->z0[k + 1]; i++)
                z[i] += FULL_TURN * round((near[i] - z[i]) / FULL_TURN);
}
