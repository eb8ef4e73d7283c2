// SPDX-License-Identifier: MIT
//
// The conditions of the frame, and the modes under them.
//
// A frame that is fixed to an attachment: y = 0 there. Buckens' frame: modes are M-orthogonal to
// all rigid motions R, so that they have neither momentum nor angular momentum [SW99]; they are
// sought in the space Q with Q^T (M R) = 0.
//
// Rigid motions must cost no energy, and no other motion may: energies are compared with the sum of
// the magnitudes of their terms, below 1e-12 of which they are round-off.

#include "reduce/reduce.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdio.h>

static const double NO_ENERGY = 1e-12;
// A rigid motion that swings at more than this part of the lowest frequency (squares: of lambda) is
// held by something.
static const double GROUNDED = 1e-6;

// z = V c
static void expand(const tn_reducer *r, const double *c, double *z)
{
    tn_zero(r->nz, z);
    for (int j = 0; j < r->nbasis; j++)
        tn_axpy(r->nz, c[j], r->V + (size_t)j * (size_t)r->nz, z);
}

// The subspace that the frame leaves: nbasis - 6 columns Q of nbasis numbers, zeroed.
static tn_status frame_attached(const tn_reducer *r, int frame, double *Q)
{
    const int N = r->nbasis;
    for (int j = 0; j < N - 6; j++)
        Q[j * N + (j < 6 * frame ? j : j + 6)] = 1.0;
    return TN_OK;
}

static tn_status frame_buckens(const tn_reducer *r, double *Q)
{
    const int N = r->nbasis, lwork = tn_qr_work(N, 6);
    double *A = tn_alloc((6 * (size_t)N + (size_t)lwork) * sizeof(double)), tau[6];
    TN_TRY(tn_got(A));
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < N; j++)
            A[k * N + j] = tn_dot(N, r->Mr + (size_t)j * (size_t)N, r->rigid_r + k * N);
    tn_qr_factor(N, 6, A, tau, A + 6 * N, lwork);
    for (int j = 0; j < N - 6; j++) {
        double *q = Q + (size_t)j * (size_t)N;
        q[6 + j] = 1.0;
        tn_qr_apply(N, 6, false, A, tau, q, A + 6 * N);
    }
    tn_free(A);
    return TN_OK;
}

// Q^T A Q
static tn_status restrict_to(int N, int n, const double *A, const double *Q, double *out)
{
    double *x = tn_alloc((size_t)N * sizeof(double));
    TN_TRY(tn_got(x));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < N; i++)
            x[i] = tn_dot(N, A + (size_t)i * (size_t)N, Q + (size_t)j * (size_t)N);
        for (int i = 0; i <= j; i++)
            out[i * n + j] = out[j * n + i] = tn_dot(N, Q + (size_t)i * (size_t)N, x);
    }
    tn_free(x);
    return TN_OK;
}

// Fails with the number of motions for which the stiffness is not positive definite.
static tn_status fail_indefinite(int n, double *K, double *M)
{
    double *w = tn_alloc(((size_t)n * ((size_t)n + 1) + 1) * sizeof(double));
    TN_TRY(tn_got(w));
    tn_status s = tn_cholesky(n, M, 1e-14);
    if (s != TN_OK) {
        tn_free(w);
        return tn_fail(TN_ERR_MODEL, "the reduced mass matrix is not positive definite");
    }
    tn_reduce_sandwich(n, M, K);
    s = tn_eigen_symmetric(n, K, w);
    int negative = 0, zero = 0;
    for (int i = 0; s == TN_OK && i < n; i++) {
        negative += w[i] < -1e-9 * w[n - 1];
        zero += fabs(w[i]) <= 1e-9 * w[n - 1];
    }
    char lowest[64] = "";
    if (negative > 0)
        snprintf(lowest, sizeof(lowest), ", the lowest %.3g (rad/s)^2", w[0]);
    if (s == TN_OK)
        s = tn_fail(TN_ERR_MODEL,
                    "the reduced stiffness matrix has %d negative and %d vanishing eigenvalues "
                    "beside the 6 rigid motions%s: it is wrong, or parts move without deformation",
                    negative, zero, lowest);
    tn_free(w);
    return s;
}

// Finds if the energy of the lowest mode is round-off of its terms.
static tn_status lowest_is_none(const tn_reducer *r, int n, const double *Q, const double *x,
                                bool *out)
{
    const int N = r->nbasis;
    double sum = 0.0, gross = 0.0;
    double *c = tn_alloc((size_t)N * sizeof(double));
    TN_TRY(tn_got(c));
    for (int i = 0; i < n; i++)
        tn_axpy(N, x[i], Q + (size_t)i * (size_t)N, c);
    for (int k = 0; k < N * N; k++) {
        const double term = r->Kr[k] * c[k / N] * c[k % N];
        sum += term;
        gross += fabs(term);
    }
    tn_free(c);
    *out = sum <= NO_ENERGY * gross;
    return TN_OK;
}

// Eigenvalues in the space Q, increasing, and vectors in the reduced basis (nbasis x n).
static tn_status modes_in(const tn_reducer *r, int n, const double *Q, double *lambda, double *C)
{
    const int N = r->nbasis;
    const size_t square = (size_t)n * (size_t)n;
    int found = 0;
    double *K = tn_alloc((3 * square + 1) * sizeof(double));
    TN_TRY(tn_got(K));
    double *M = K + square, *X = M + square;
    tn_status s = restrict_to(N, n, r->Kr, Q, K);
    TN_THEN(s, restrict_to(N, n, r->Mr, Q, M));
    TN_THEN(s, tn_reduce_dense(n, K, M, lambda, X, &found));
    bool none = s == TN_RETRY_SINGULAR;
    if (s == TN_OK && found < n)
        s = lowest_is_none(r, n, Q, X, &none);
    if (none) {
        s = restrict_to(N, n, r->Kr, Q, K);
        TN_THEN(s, restrict_to(N, n, r->Mr, Q, M));
        TN_THEN(s, fail_indefinite(n, K, M));
    }
    if (s == TN_OK && found < n)
        s = tn_fail(TN_ERR_MODEL,
                    "%d motion%s of the attachments and normal modes %s no mass: give the nodes of "
                    "the attachments mass, and rotational inertia where they have rotations",
                    n - found, n - found == 1 ? "" : "s", n - found == 1 ? "moves" : "move");
    for (int j = 0; s == TN_OK && j < n; j++)
        for (int i = 0; i < n; i++)
            tn_axpy(N, X[(size_t)j * (size_t)n + (size_t)i], Q + (size_t)i * (size_t)N,
                    C + (size_t)j * (size_t)N);
    tn_free(K);
    return s;
}

// Modes with the frame fixed to an attachment, -1: Buckens' ones, which are those of the free body.
static tn_status modes_under(const tn_reducer *r, int frame, double **lambda, double **C, int *n)
{
    const size_t N = (size_t)r->nbasis;
    *n = r->nbasis - 6;
    double *Q = tn_alloc((N * (size_t)*n + 1) * sizeof(double));
    *lambda = tn_alloc(((size_t)*n + 1) * sizeof(double));
    *C = tn_alloc((N * (size_t)*n + 1) * sizeof(double));
    tn_status s = tn_got(Q && *lambda && *C);
    TN_THEN(s, frame < 0 ? frame_buckens(r, Q) : frame_attached(r, frame, Q));
    TN_THEN(s, modes_in(r, *n, Q, *lambda, *C));
    tn_free(Q);
    return s;
}

// The body is free: rigid motions cost no energy.
static tn_status check_rigid(const tn_reducer *r, double lowest)
{
    double energy[6], gross[6], mass, ignored;
    char held[200] = "";
    size_t used = 0;
    int n = 0;
    for (int k = 0; k < 6; k++) {
        const double *x = r->rigid + (size_t)k * (size_t)r->n;
        energy[k] = tn_reduce_energy(r->fe->K, x, &gross[k]);
        mass = tn_reduce_energy(r->fe->M, x, &ignored);
        if (fabs(energy[k]) <= NO_ENERGY * gross[k] || fabs(energy[k]) <= GROUNDED * lowest * mass)
            continue;
        n++;
        used += (size_t)snprintf(held + used, sizeof(held) - used, "%s%s", used ? ", " : "",
                                 tn_freedom_words[k]);
    }
    if (n == 0)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%d of the 6 rigid motions deform the mesh (%s): it is held somewhere; a modal "
                   "body is reduced from a free mesh, without boundary conditions and springs to "
                   "the ground",
                   n, held);
}

// Nothing else moves without energy.
static tn_status check_mechanisms(const tn_reducer *r, int n, const double *C)
{
    double *z = tn_alloc((size_t)r->nz * sizeof(double)), gross;
    int extra = 0, at = -1;
    TN_TRY(tn_got(z));
    for (int j = 0; j < n; j++) {
        expand(r, C + (size_t)j * (size_t)r->nbasis, z);
        if (tn_reduce_energy(r->K, z, &gross) > NO_ENERGY * gross)
            break;
        extra++;
        if (at < 0)
            at = tn_largest_at(r->nw, z + r->ny);
    }
    tn_free(z);
    if (extra == 0)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%d motion%s beside the 6 rigid ones %s no energy, one of them moves %s: a "
                   "mechanism, or elements that are joined by a hinge",
                   extra, extra == 1 ? "" : "s", extra == 1 ? "takes" : "take",
                   tn_reduce_row(r, r->first[r->ny + at]).text);
}

static tn_status fill_shapes(tn_reducer *r)
{
    double *z = tn_alloc((size_t)r->nz * sizeof(double));
    r->shape = tn_alloc(((size_t)r->n * (size_t)r->m + 1) * sizeof(double));
    const tn_status s = tn_got(z && r->shape);
    for (int j = 0; s == TN_OK && j < r->m; j++) {
        double *c = r->C + (size_t)j * (size_t)r->nbasis;
        if (r->nbasis > 0 && c[tn_largest_at(r->nbasis, c)] < 0.0)
            tn_scale(r->nbasis, -1.0, c);
        expand(r, c, z);
        tn_sparse_mul(r->T, 1.0, z, r->shape + (size_t)j * (size_t)r->n);
    }
    tn_free(z);
    return s;
}

tn_status tn_reduce_frame(tn_reducer *r)
{
    double *lambda = NULL, *C = NULL;
    int n = 0;
    tn_reduce_tell(r, "looks for the modes of the reduced body");
    if (r->nbasis <= 6)
        return tn_fail(TN_ERR_MODEL,
                       "no modes are left: with %d attachment%s at least one normal mode is needed",
                       r->nattachment, r->nattachment == 1 ? "" : "s");
    tn_status s = modes_under(r, -1, &lambda, &C, &n);
    if (s == TN_ERR_MODEL && check_rigid(r, 0.0) != TN_OK)
        s = TN_ERR_MODEL; // what holds the mesh says more
    TN_THEN(s, check_rigid(r, n > 0 ? lambda[0] : 0.0));
    TN_THEN(s, check_mechanisms(r, n, C));
    if (s == TN_OK && r->wanted->frame >= 0)
        s = modes_under(r, r->wanted->frame, &r->lambda, &r->C, &n);
    else if (s == TN_OK) {
        r->lambda = lambda;
        r->C = C;
        lambda = C = NULL;
    }
    r->m = r->wanted->keep > 0 ? tn_smaller(r->wanted->keep, n) : n;
    TN_THEN(s, fill_shapes(r));
    TN_FREE(lambda, C);
    return s;
}

// Removes the rigid part from the kept modes, X = C - R (R^T M R)^-1 R^T M C: these span the space
// that the reduction gives to the free body.
static tn_status without_rigid(const tn_reducer *r, double *X)
{
    const int N = r->nbasis;
    double gram[36], b[6];
    int pivot[6];
    double *Mr = tn_alloc(6 * (size_t)N * sizeof(double));
    tn_status s = tn_got(Mr);
    for (int k = 0; s == TN_OK && k < 6; k++)
        for (int j = 0; j < N; j++)
            Mr[k * N + j] = tn_dot(N, r->Mr + (size_t)j * (size_t)N, r->rigid_r + k * N);
    for (int k = 0; s == TN_OK && k < 36; k++)
        gram[k] = tn_dot(N, Mr + k / 6 * N, r->rigid_r + k % 6 * N);
    TN_THEN(s, tn_lu_factor(6, gram, pivot));
    tn_copy(s == TN_OK ? N * r->m : 0, r->C, X);
    for (int j = 0; s == TN_OK && j < r->m; j++) {
        double *x = X + (size_t)j * (size_t)N;
        for (int k = 0; k < 6; k++)
            b[k] = tn_dot(N, Mr + k * N, x);
        tn_lu_solve(6, gram, pivot, b);
        for (int k = 0; k < 6; k++)
            tn_axpy(N, -b[k], r->rigid_r + k * N, x);
    }
    tn_free(Mr);
    return s;
}

static tn_status free_by_modes(const tn_reducer *r, double *lambda)
{
    const size_t N = (size_t)r->nbasis, m = (size_t)r->m;
    double *X = tn_alloc((2 * N * m + 1) * sizeof(double));
    tn_status s = tn_got(X);
    TN_THEN(s, without_rigid(r, X));
    TN_THEN(s, modes_in(r, r->m, X, lambda, X + N * m));
    tn_free(X);
    return s;
}

// The free body by its modes and by all freedoms, with attachments tied.
tn_status tn_reduce_compare(tn_reducer *r, tn_reduce_compared *out)
{
    const int count = tn_smaller(tn_smaller(r->wanted->compare, r->m), r->nz - 6);
    if (count <= 0)
        return TN_OK;
    tn_reduce_tell(r, "compares with the whole body");
    double *lambda = tn_alloc((size_t)r->m * sizeof(double));
    double *V = tn_alloc(((size_t)r->nz * (size_t)count + 1) * sizeof(double));
    out->full = tn_alloc(((size_t)count + 1) * sizeof(double));
    out->reduced = tn_alloc(((size_t)count + 1) * sizeof(double));
    tn_status s = tn_got(lambda && V && out->full && out->reduced);
    TN_THEN(s, free_by_modes(r, lambda));
    if (s == TN_OK) {
        const tn_lowest of = {.K = r->K, .M = r->M, .rigid = r->rigid_z, .shift = lambda[0]};
        s = tn_reduce_lowest(&of, count, out->full, V, &out->n);
    }
    for (int i = 0; s == TN_OK && i < out->n; i++) {
        out->full[i] = sqrt(fmax(out->full[i], 0.0)) / (2.0 * TN_PI);
        out->reduced[i] = sqrt(lambda[i]) / (2.0 * TN_PI);
    }
    TN_FREE(lambda, V);
    return s;
}
