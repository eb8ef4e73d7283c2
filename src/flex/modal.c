// SPDX-License-Identifier: MIT
//
// Modal bodies as numbers: memory and checks.

#include "flex/modal.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

#include <math.h>
#include <string.h>

// Matrices that were stored with 15 digits and multiplied differ by this part of their largest
// entry where they are symmetric.
static const double SYMMETRY = 1e-9;
// Eigenvalues below this part of the largest one, in units of the diagonal, are round-off.
static const double NEGATIVE = 1e-9;

tn_status tn_modal_create(int m, int nattachment, tn_modal **out)
{
    const size_t size = (size_t)tn_modal_size(m);
    *out = NULL;
    tn_modal *x = tn_alloc(sizeof(*x));
    TN_TRY(tn_got(x));
    x->m = m;
    x->nattachment = nattachment;
    x->gram = tn_alloc(size * size * sizeof(double));
    x->stiffness = tn_alloc(((size_t)m * (size_t)m + 1) * sizeof(double));
    x->frequency = tn_alloc(((size_t)m + 1) * sizeof(double));
    x->names = tn_alloc(((size_t)m + 1) * sizeof(char *));
    x->attachment = tn_alloc(((size_t)nattachment + 1) * sizeof(*x->attachment));
    bool there = x->gram && x->stiffness && x->frequency && x->names && x->attachment;
    for (int i = 0; there && i < nattachment; i++) {
        x->attachment[i].frame = tn_frame_identity;
        x->attachment[i].modes = tn_alloc((6 * (size_t)m + 1) * sizeof(double));
        there = x->attachment[i].modes != NULL;
    }
    const tn_status s = tn_got(there);
    TN_HAND_OUT(s, x, tn_modal_destroy, out);
}

void tn_modal_destroy(tn_modal *x)
{
    if (!x)
        return;
    for (int i = 0; x->attachment && i < x->nattachment; i++)
        TN_FREE(x->attachment[i].name, x->attachment[i].modes);
    for (int j = 0; x->names && j < x->m; j++)
        tn_free(x->names[j]);
    TN_FREE(x->source, x->gram, x->stiffness, x->damping, x->frequency, x->names, x->attachment,
            x->rate, x->acceleration, x->turning, x->loads, x->points, x->triangles, x->shapes, x);
}

int tn_modal_find(const tn_modal *x, const char *attachment)
{
    for (int i = 0; i < x->nattachment; i++)
        if (strcmp(x->attachment[i].name, attachment) == 0)
            return i;
    return -1;
}

tn_modal_inertia tn_modal_inertia_of(const tn_modal *x)
{
    const int n = tn_modal_size(x->m);
    tn_modal_inertia out = {.mass = x->gram[0]};
    // a_i . b_k = e_i . (e_k x s), s the first moment of mass: b_y along x is s_z, and so on.
    out.centre = tn_v3_scale(1.0 / out.mass, tn_v3(x->gram[n + 5], x->gram[2 * n + 3], x->gram[4]));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out.inertia.m[i][k] = x->gram[(3 + i) * n + 3 + k];
    return out;
}

// Checks -----------------------------------------------------------------------------------------

static tn_status check_finite(const char *what, int n, const double *x)
{
    if (!x || tn_all_finite(n, x))
        return TN_OK;
    return tn_fail(TN_ERR_MODEL, "%s has entries that are not finite", what);
}

static tn_status check_symmetric(const char *what, int n, const double *A)
{
    const double size = tn_norm_inf(n * n, A);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(A[i * n + j] - A[j * n + i]) > SYMMETRY * size)
                return tn_fail(TN_ERR_MODEL,
                               "%s is not symmetric: entry (%d, %d) is %g and (%d, %d) is %g", what,
                               i + 1, j + 1, A[i * n + j], j + 1, i + 1, A[j * n + i]);
    return TN_OK;
}

// A matrix without negative eigenvalues, in units in which its diagonal is 1: amplitudes may have
// any units.
static tn_status check_not_negative(const char *what, int n, const double *A)
{
    double *w = tn_alloc(((size_t)n * (size_t)n + 2 * (size_t)n + 1) * sizeof(double));
    TN_TRY(tn_got(w));
    double *S = w + n, *d = S + n * n;
    for (int i = 0; i < n; i++)
        d[i] = A[i * n + i] > 0.0 ? 1.0 / sqrt(A[i * n + i]) : 1.0;
    for (int i = 0; i < n * n; i++)
        S[i] = A[i] * d[i / n] * d[i % n];
    tn_status s = tn_eigen_symmetric(n, S, w);
    int negative = 0;
    for (int i = 0; s == TN_OK && i < n; i++)
        negative += w[i] < -NEGATIVE * fmax(w[n - 1], 1.0);
    if (negative > 0)
        s = tn_fail(TN_ERR_MODEL,
                    "%s has %d negative eigenvalue%s, the lowest %.3g of the largest (with its "
                    "diagonal scaled to 1)",
                    what, negative, negative == 1 ? "" : "s", w[0] / w[n - 1]);
    tn_free(w);
    return s;
}

static tn_status check_matrix(const char *what, int n, const double *A)
{
    if (!A || n == 0)
        return TN_OK;
    TN_TRY(check_finite(what, n * n, A));
    TN_TRY(check_symmetric(what, n, A));
    return check_not_negative(what, n, A);
}

static tn_status check_geometric(const char *what, int n, int m, const double *A)
{
    TN_TRY(check_finite(what, n * m * m, A));
    for (int i = 0; A && i < n; i++)
        TN_TRY(check_symmetric(what, m, A + (size_t)i * (size_t)(m * m)));
    return TN_OK;
}

static tn_status check_attachment(const tn_modal *x, int i)
{
    const tn_modal_attachment *a = &x->attachment[i];
    const tn_mat3 *R = &a->frame.R;
    const double p[3] = {a->frame.p.x, a->frame.p.y, a->frame.p.z};
    TN_TRY(check_finite("its position", 3, p));
    TN_TRY(check_finite("its rotation", 9, &R->m[0][0]));
    TN_TRY(check_finite("its modes", 6 * x->m, a->modes));
    const tn_vec3 e[3] = {{R->m[0][0], R->m[1][0], R->m[2][0]},
                          {R->m[0][1], R->m[1][1], R->m[2][1]},
                          {R->m[0][2], R->m[1][2], R->m[2][2]}};
    double off = 0.0;
    for (int k = 0; k < 3; k++) {
        off = fmax(off, fabs(tn_v3_dot(e[k], e[k]) - 1.0));
        off = fmax(off, tn_v3_norm(tn_v3_sub(tn_v3_cross(e[k], e[(k + 1) % 3]), e[(k + 2) % 3])));
    }
    if (off > 1e-8)
        return tn_fail(TN_ERR_MODEL, "its rotation is no rotation matrix, by %.2g", off);
    return TN_OK;
}

static tn_status check_mesh(const tn_modal *x)
{
    TN_TRY(check_finite("mesh/points", 3 * x->npoint, x->points));
    for (int i = 0; i < 3 * x->ntriangle; i++)
        if (x->triangles[i] < 0 || x->triangles[i] >= x->npoint)
            return tn_fail(TN_ERR_MODEL,
                           "mesh/triangles: triangle %d has the point %d; there are points 0 to %d",
                           i / 3, x->triangles[i], x->npoint - 1);
    return TN_OK;
}

tn_status tn_modal_check(const tn_modal *x)
{
    const int m = x->m, n = tn_modal_size(m);
    TN_TRY(check_finite("gram", n * n, x->gram));
    if (!(x->gram[0] > 0.0))
        return tn_fail(TN_ERR_MODEL, "gram: the mass is %g kg; it must be positive", x->gram[0]);
    TN_TRY(check_matrix("gram", n, x->gram));
    TN_TRY(check_matrix("stiffness", m, x->stiffness));
    TN_TRY(check_matrix("damping", m, x->damping));
    TN_TRY(check_finite("frequency", m, x->frequency));
    TN_TRY(check_geometric("geometric/rate", 6, m, x->rate));
    TN_TRY(check_geometric("geometric/acceleration", 3, m, x->acceleration));
    TN_TRY(check_geometric("geometric/turning", 3, m, x->turning));
    TN_TRY(check_geometric("geometric/attachments", 6 * x->nattachment, m, x->loads));
    for (int i = 0; i < x->nattachment; i++)
        if (check_attachment(x, i) != TN_OK)
            return tn_fail_within(TN_ERR_MODEL, "attachment '%s'", x->attachment[i].name);
    return check_mesh(x);
}
