// SPDX-License-Identifier: MIT
//
// Splines through points in space; see space_spline.h.

#include "signal/space_spline.h"

#include "base/alloc.h"
#include "base/array.h"

void tn_space_spline_clear(tn_space_spline *spline)
{
    TN_FREE(spline->knot, spline->coefficient);
    *spline = (tn_space_spline){0};
}

static tn_status fit(tn_space_spline *out, int n, const tn_vec3 *points, bool closed,
                     const tn_vec3 *const direction[2], double *lists)
{
    const double *const y[3] = {lists, lists + n, lists + 2 * n};
    double slopes[2][3];
    const double *slope[2] = {NULL, NULL};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            lists[k * n + i] = (&points[i].x)[k];
    for (int end = 0; end < 2; end++)
        if (direction[end]) {
            tn_v3_to(*direction[end], slopes[end]);
            slope[end] = slopes[end];
        }
    for (int i = 0; i < out->pieces; i++)
        out->knot[i + 1] =
            out->knot[i] + tn_v3_norm(tn_v3_sub(points[i + 1 < n ? i + 1 : 0], points[i]));
    return tn_quintic_by_length(n, closed, 3, y, slope, out->knot, out->coefficient);
}

tn_status tn_space_spline_make(int n, const tn_vec3 *points, bool closed,
                               const tn_vec3 *const direction[2], tn_space_spline *out)
{
    const size_t pieces = (size_t)(closed ? n : n - 1);
    double *lists = tn_alloc(3 * (size_t)n * sizeof *lists);
    *out = (tn_space_spline){.pieces = (int)pieces};
    out->knot = tn_alloc((pieces + 1) * sizeof *out->knot);
    out->coefficient = tn_alloc(3 * pieces * sizeof *out->coefficient);
    tn_status status = tn_got(lists && out->knot && out->coefficient);
    TN_THEN(status, fit(out, n, points, closed, direction, lists));
    tn_free(lists);
    return status;
}

void tn_space_spline_at(const tn_space_spline *spline, double a, tn_vec3 *c, tn_vec3 *d)
{
    const int n = spline->pieces, up_to = tn_count_up_to(n, spline->knot, a);
    const int i = up_to > 0 ? up_to - 1 : 0;
    for (int k = 0; k < 3; k++) {
        double u[3];
        tn_quintic_eval(spline->coefficient[3 * i + k], a - spline->knot[i], u);
        (&c->x)[k] = u[0];
        (&d->x)[k] = u[1];
    }
}
