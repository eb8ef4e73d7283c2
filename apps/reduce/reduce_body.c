// SPDX-License-Identifier: MIT
//
// The numbers of the modal body: all inertia invariants as one Gram matrix Z^T M Z of the fields
// Z = [a b c phi] (flex/modal.h), stiffness, damping, geometric stiffness, attachments, surface.

#include "reduce/reduce.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "flex/modal.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>

// Modes from one eigenvalue problem are orthogonal to round-off times its condition.
static const double ORTHOGONAL = 1e-6;

// Field `f` of Z.
static void fill_field(const tn_reducer *r, int f, double *z)
{
    const int n = r->n, m = r->m;
    if (f < 6) {
        tn_copy(n, r->rigid + (size_t)f * (size_t)n, z);
        return;
    }
    if (f >= 6 + 3 * m) {
        tn_copy(n, r->shape + (size_t)(f - 6 - 3 * m) * (size_t)n, z);
        return;
    }
    const double *phi = r->shape + (size_t)((f - 6) / 3) * (size_t)n;
    const int k = (f - 6) % 3, i = (k + 1) % 3, j = (k + 2) % 3;
    tn_zero(n, z);
    for (int a = 0; a < r->fe->nnode; a++) {
        const int *row = r->fe->node[a].row;
        if (row[0] < 0)
            continue;
        z[row[i]] = -phi[row[j]]; // e_k x phi
        z[row[j]] = phi[row[i]];
    }
}

static tn_status fill_gram(const tn_reducer *r, tn_modal *x)
{
    const int size = tn_modal_size(r->m);
    double *Z = tn_alloc((size_t)size * (size_t)r->n * sizeof(double));
    tn_status s = tn_got(Z);
    for (int f = 0; s == TN_OK && f < size; f++)
        fill_field(r, f, Z + (size_t)f * (size_t)r->n);
    TN_THEN(s, tn_reduce_project(r->fe->M, size, Z, x->gram));
    tn_free(Z);
    return s;
}

// Modes have unit modal masses, and none for each other.
static tn_status check_orthogonal(const tn_reducer *r, const tn_modal *x)
{
    const int size = tn_modal_size(r->m);
    for (int i = 0; i < r->m; i++)
        for (int j = 0; j <= i; j++) {
            const double g = x->gram[tn_modal_phi(r->m, i) * size + tn_modal_phi(r->m, j)];
            if (fabs(g - (i == j)) > ORTHOGONAL)
                return tn_fail(
                    TN_ERR_NUMERIC,
                    "modes %d and %d are not orthogonal by the mass matrix: %.9g instead "
                    "of %d; the matrices are too badly conditioned",
                    i + 1, j + 1, g, i == j);
        }
    return TN_OK;
}

static tn_status fill_modes(const tn_reducer *r, tn_modal *x)
{
    const tn_reduce_wanted *w = r->wanted;
    const int m = r->m;
    const bool damped = w->ratio != 0.0 || w->mass != 0.0 || w->stiffness != 0.0;
    if (damped) {
        x->damping = tn_alloc((size_t)m * (size_t)m * sizeof(double));
        TN_TRY(tn_got(x->damping));
    }
    for (int j = 0; j < m; j++) {
        const double rate = sqrt(r->lambda[j]);
        x->stiffness[j * m + j] = r->lambda[j];
        x->frequency[j] = rate / (2.0 * TN_PI);
        x->names[j] = tn_format("mode %d", j + 1);
        TN_TRY(tn_got(x->names[j]));
        if (damped)
            x->damping[j * m + j] = 2.0 * w->ratio * rate + w->mass + w->stiffness * r->lambda[j];
    }
    return TN_OK;
}

static tn_status fill_attachments(const tn_reducer *r, tn_modal *x)
{
    for (int a = 0; a < r->nattachment; a++) {
        tn_modal_attachment *to = &x->attachment[a];
        to->name = tn_strdup(r->attachment[a].name);
        TN_TRY(tn_got(to->name));
        to->frame = (tn_frame){tn_m3_identity, r->attachment[a].at};
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < r->m; j++) // y is the beginning of the basis
                to->modes[k * r->m + j] = r->C[(size_t)j * (size_t)r->nbasis + 6 * (size_t)a + k];
    }
    return TN_OK;
}

// Makes room for the kind of a load.
static tn_status fill_geometric(const tn_reducer *r, const tn_fe_geometric *g, tn_modal *x)
{
    double **const kinds[] = {&x->rate, &x->acceleration, &x->turning, &x->loads};
    const int counts[] = {6, 3, 3, 6 * x->nattachment};
    const size_t square = (size_t)x->m * (size_t)x->m;
    double **kind = kinds[g->load];
    if (!*kind)
        *kind = tn_alloc(((size_t)counts[g->load] * square + 1) * sizeof(double));
    TN_TRY(tn_got(*kind));
    const int at = g->component + (g->load == TN_FE_ATTACHMENT ? 6 * g->attachment : 0);
    return tn_reduce_project(g->K, r->m, r->shape, *kind + (size_t)at * square);
}

// The surface -------------------------------------------------------------------------------------

// Numbers the nodes of the surface; *place (by node, -1: not on it) is freed by the caller.
static tn_status number_points(const tn_fe *fe, tn_modal *x, int **place)
{
    *place = tn_alloc(((size_t)fe->nnode + 1) * sizeof(int));
    TN_TRY(tn_got(*place));
    for (int k = 0; k < fe->nnode; k++)
        (*place)[k] = -1;
    for (int i = 0; i < 3 * fe->ntriangle; i++)
        if ((*place)[fe->triangle[i]] < 0)
            (*place)[fe->triangle[i]] = x->npoint++;
    return TN_OK;
}

static tn_status fill_mesh(const tn_reducer *r, tn_modal *x)
{
    const tn_fe *fe = r->fe;
    int *place = NULL;
    if (fe->ntriangle == 0)
        return TN_OK;
    tn_status s = number_points(fe, x, &place);
    x->points = tn_alloc(3 * (size_t)x->npoint * sizeof(double));
    x->shapes = tn_alloc(3 * ((size_t)x->npoint * (size_t)r->m + 1) * sizeof(float));
    x->triangles = tn_alloc(3 * (size_t)fe->ntriangle * sizeof(int));
    TN_THEN(s, tn_got(x->points && x->shapes && x->triangles));
    for (int k = 0; s == TN_OK && k < fe->nnode; k++) {
        if (place[k] < 0)
            continue;
        tn_v3_to(fe->node[k].x, x->points + 3 * place[k]);
        for (int j = 0; j < r->m; j++)
            for (int d = 0; d < 3; d++)
                x->shapes[3 * ((size_t)j * (size_t)x->npoint + (size_t)place[k]) + (size_t)d] =
                    fe->node[k].row[d] < 0
                        ? 0.0f
                        : (float)r->shape[(size_t)j * (size_t)r->n + (size_t)fe->node[k].row[d]];
    }
    x->ntriangle = fe->ntriangle;
    for (int i = 0; s == TN_OK && i < 3 * fe->ntriangle; i++)
        x->triangles[i] = place[fe->triangle[i]];
    tn_free(place);
    return s;
}

tn_status tn_reduce_body(tn_reducer *r, tn_modal **out)
{
    tn_modal *x = NULL;
    tn_reduce_tell(r, "finds inertia invariants");
    TN_TRY(tn_modal_create(r->m, r->nattachment, &x));
    x->source = tn_strdup(r->fe->source);
    tn_status s = tn_got(!r->fe->source || x->source);
    TN_THEN(s, fill_gram(r, x));
    TN_THEN(s, check_orthogonal(r, x));
    TN_THEN(s, fill_modes(r, x));
    TN_THEN(s, fill_attachments(r, x));
    for (int i = 0; i < r->fe->ngeometric; i++)
        TN_THEN(s, fill_geometric(r, &r->fe->geometric[i], x));
    TN_THEN(s, fill_mesh(r, x));
    TN_THEN(s, tn_modal_check(x));
    TN_HAND_OUT(s, x, tn_modal_destroy, out);
}
