// SPDX-License-Identifier: MIT
//
// The basis of a reduction: static modes of the attachments, normal modes with these held, and the
// eigenvalue problems behind them.
//
// Eigenvalue problems are turned round, theta = 1 / (lambda + s) of (K + s M)^-1 M, so that the
// lowest frequencies are the most accurate ones and M may be singular.

#include "reduce/reduce.h"

#include "base/alloc.h"
#include "linalg/arpack.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

#include <math.h>

enum {
    DENSE = 160,      // matrices up to this size are taken as dense ones
    FIRST_NORMAL = 12 // modes that are searched first where a frequency is the end
};

// theta below this part of the largest one are modes without inertia.
static const double MASSLESS = 1e-13;

// Dense problems ---------------------------------------------------------------------------------

void tn_reduce_sandwich(int n, const double *L, double *M)
{
    for (int turn = 0; turn < 2; turn++) {
        for (int j = 0; j < n; j++)
            tn_lower_solve(n, L, M + (size_t)j * (size_t)n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < j; i++) {
                double *a = M + (size_t)j * (size_t)n + i, *b = M + (size_t)i * (size_t)n + j;
                const double kept = *a;
                *a = *b;
                *b = kept;
            }
    }
}

tn_status tn_reduce_dense(int n, double *K, double *M, double *lambda, double *V, int *found)
{
    *found = 0;
    double *theta = tn_alloc(((size_t)n + 1) * sizeof(double));
    TN_TRY(tn_got(theta));
    tn_status s = tn_cholesky(n, K, 1e-12);
    if (s == TN_OK)
        tn_reduce_sandwich(n, K, M);
    TN_THEN(s, tn_eigen_symmetric(n, M, theta));
    for (int j = n - 1; s == TN_OK && j >= 0 && theta[j] > MASSLESS * theta[n - 1]; j--) {
        double *v = V + (size_t)*found * (size_t)n;
        tn_copy(n, M + (size_t)j * (size_t)n, v);
        tn_lower_solve_t(n, K, v);
        tn_scale(n, 1.0 / sqrt(theta[j]), v);
        lambda[(*found)++] = 1.0 / theta[j];
    }
    tn_free(theta);
    return s;
}

// Sparse problems --------------------------------------------------------------------------------

typedef struct iteration {
    int n;
    tn_cholmod *factor;
    const tn_sparse *M;
    double *rigid, *rigid_M; // n x 6, M-orthonormal, and M times these; NULL: none
} iteration;

static tn_status apply_inverse(void *user, const double *b, double *y)
{
    const iteration *it = user;
    TN_TRY(tn_cholmod_solve(it->factor, b, y));
    for (int k = 0; it->rigid && k < 6; k++) {
        const double part = tn_dot(it->n, it->rigid_M + (size_t)k * (size_t)it->n, y);
        tn_axpy(it->n, -part, it->rigid + (size_t)k * (size_t)it->n, y);
    }
    return TN_OK;
}

static tn_status apply_mass(void *user, const double *x, double *y)
{
    const iteration *it = user;
    tn_zero(it->n, y);
    tn_sparse_mul(it->M, 1.0, x, y);
    return TN_OK;
}

static tn_status open_rigid(iteration *it, const double *rigid)
{
    it->rigid = tn_alloc(12 * (size_t)it->n * sizeof(double));
    TN_TRY(tn_got(it->rigid));
    it->rigid_M = it->rigid + 6 * (size_t)it->n;
    tn_copy(6 * it->n, rigid, it->rigid);
    return tn_reduce_orthonormal(it->M, it->rigid, it->rigid_M);
}

static tn_status by_arpack(iteration *it, double shift, int count, double *lambda, double *V,
                           int *found)
{
    const tn_arpack_ops ops = {.apply = apply_inverse, .mass = apply_mass, .user = it};
    const tn_status s = tn_arpack_symmetric(it->n, count, &ops, lambda, V, found);
    if (s != TN_OK)
        return tn_fail_within(s, "eigenvalues of %d freedoms, %d of %d found", it->n, *found,
                              count);
    int kept = 0;
    while (kept < *found && lambda[kept] > MASSLESS * lambda[0])
        kept++;
    *found = kept;
    for (int i = 0; i < kept; i++)
        lambda[i] = 1.0 / lambda[i] - shift;
    return TN_OK;
}

// All of them by dense matrices, rigid ones first where there are any.
static tn_status by_dense(const tn_lowest *of, const tn_sparse *A, int count, double *lambda,
                          double *V, int *found)
{
    const int n = A->nrow, skip = of->rigid ? 6 : 0;
    const size_t square = (size_t)n * (size_t)n;
    double *K = tn_alloc((3 * square + (size_t)n) * sizeof(double));
    TN_TRY(tn_got(K));
    double *M = K + square, *all = M + square, *w = all + square;
    int n_all = 0;
    tn_sparse_to_dense(A, K);
    tn_sparse_to_dense(of->M, M);
    const tn_status s = tn_reduce_dense(n, K, M, w, all, &n_all);
    *found = s == TN_OK ? tn_larger(tn_smaller(count, n_all - skip), 0) : 0;
    for (int i = 0; i < *found; i++) {
        lambda[i] = w[i + skip] - of->shift;
        tn_copy(n, all + (size_t)(i + skip) * (size_t)n, V + (size_t)i * (size_t)n);
    }
    tn_free(K);
    return s;
}

tn_status tn_reduce_lowest(const tn_lowest *of, int count, double *lambda, double *V, int *found)
{
    iteration it = {.n = of->K->nrow, .factor = of->factor, .M = of->M};
    tn_sparse *sum = NULL;
    tn_cholmod *own = NULL;
    int row = -1;
    *found = 0;
    tn_status s = of->rigid ? tn_reduce_sum(1.0, of->K, of->shift, of->M, NULL, &sum) : TN_OK;
    const tn_sparse *A = sum ? sum : of->K;
    if (s == TN_OK && (it.n <= DENSE || 3 * count > it.n))
        s = by_dense(of, A, count, lambda, V, found);
    else if (s == TN_OK) {
        if (sum) {
            s = tn_cholmod_create(sum, &own, &row);
            it.factor = own;
            TN_THEN(s, open_rigid(&it, of->rigid));
        }
        TN_THEN(s, by_arpack(&it, of->shift, count, lambda, V, found));
    }
    tn_cholmod_destroy(own);
    tn_sparse_destroy(sum);
    tn_free(it.rigid);
    return s;
}

// The basis --------------------------------------------------------------------------------------

// [1; Psi] in the first columns of V.
static tn_status find_static(tn_reducer *r)
{
    double *b = tn_alloc((size_t)r->nw * sizeof(double));
    tn_status s = tn_got(b);
    for (int k = 0; s == TN_OK && k < r->ny; k++) {
        double *v = r->V + (size_t)k * (size_t)r->nz;
        tn_zero(r->nz, v);
        v[k] = 1.0;
        tn_zero(r->nw, b);
        tn_sparse_mul(r->Kwy, -1.0, v, b);
        s = tn_cholmod_solve(r->factor, b, v + r->ny);
    }
    tn_free(b);
    return s;
}

static tn_status factor_interior(tn_reducer *r)
{
    int row = -1;
    const tn_status s = tn_cholmod_create(r->Kww, &r->factor, &row);
    if (s != TN_RETRY_SINGULAR)
        return s;
    const int at = r->first[r->ny + row];
    return tn_fail(TN_ERR_MODEL,
                   "the stiffness matrix is singular or has negative eigenvalues with all "
                   "attachments held, which shows at row %d (%s): a part can move without "
                   "deformation there, or the matrix is wrong",
                   at + 1, tn_reduce_row(r, at).text);
}

// A frequency near to which shifts do no harm: far below those of single elements.
static double guess_shift(const tn_sparse *K, const tn_sparse *M)
{
    double stiff = 0.0, mass = 0.0;
    for (int i = 0; i < K->nrow; i++) {
        stiff += tn_sparse_at(K, i, i);
        mass += tn_sparse_at(M, i, i);
    }
    return 1e-6 * stiff / mass;
}

static tn_status find_normal(tn_reducer *r, int count, double *lambda, double *V, int *found)
{
    tn_lowest of = {.K = r->Kww, .M = r->Mww, .factor = r->factor};
    if (r->nattachment == 0) {
        of.rigid = r->rigid_z;
        of.shift = guess_shift(r->K, r->M);
    }
    const tn_status s = tn_reduce_lowest(&of, count, lambda, V, found);
    if (s != TN_RETRY_SINGULAR)
        return s;
    return tn_fail(TN_ERR_MODEL, "the stiffness matrix has negative eigenvalues");
}

// As many as asked for, or all up to a frequency: twice as many until one is above it.
static tn_status find_enough(tn_reducer *r, double **lambda, double **V, int *found)
{
    const double up_to = r->wanted->up_to, limit = pow(2.0 * 3.14159265358979324 * up_to, 2.0);
    const int most = r->nattachment ? r->nw : r->nw - 6;
    int count = up_to > 0.0 ? FIRST_NORMAL : r->wanted->normal;
    for (;; count *= 2) {
        count = tn_smaller(count, most);
        *lambda = tn_alloc(((size_t)count + 1) * sizeof(double));
        *V = tn_alloc(((size_t)count * (size_t)r->nw + 1) * sizeof(double));
        TN_TRY(tn_got(*lambda && *V));
        if (count > 0)
            TN_TRY(find_normal(r, count, *lambda, *V, found));
        if (up_to <= 0.0 || count >= most || *found < count || (*lambda)[*found - 1] > limit)
            break;
        TN_FREE(*lambda, *V);
    }
    while (up_to > 0.0 && *found > 0 && (*lambda)[*found - 1] > limit)
        (*found)--;
    return TN_OK;
}

// Rigid motions are in the basis: as motions of the attachments, or by themselves.
static tn_status fill_basis(tn_reducer *r, int nnormal, const double *normal)
{
    const int own = r->nattachment ? r->ny : 6;
    const size_t nz = (size_t)r->nz;
    r->nnormal = nnormal;
    r->nbasis = own + nnormal;
    r->V = tn_alloc((size_t)r->nbasis * nz * sizeof(double));
    r->rigid_r = tn_alloc(6 * (size_t)r->nbasis * sizeof(double));
    TN_TRY(tn_got(r->V && r->rigid_r));
    for (int k = 0; k < nnormal; k++)
        tn_copy(r->nw, normal + (size_t)k * (size_t)r->nw, r->V + (size_t)(own + k) * nz + r->ny);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < own; i++)
            r->rigid_r[k * r->nbasis + i] =
                r->nattachment ? r->rigid_z[(size_t)k * nz + (size_t)i] : i == k;
    if (r->nattachment)
        return find_static(r);
    tn_copy(6 * r->nz, r->rigid_z, r->V);
    return TN_OK;
}

static tn_status project_basis(const tn_reducer *r, const tn_sparse *A, double **out)
{
    *out = tn_alloc((size_t)r->nbasis * (size_t)r->nbasis * sizeof(double));
    TN_TRY(tn_got(*out));
    return tn_reduce_project(A, r->nbasis, r->V, *out);
}

tn_status tn_reduce_basis(tn_reducer *r)
{
    double *lambda = NULL, *normal = NULL;
    int found = 0;
    tn_status s = TN_OK;
    if (r->nattachment) {
        tn_reduce_tell(r, "factors the stiffness matrix");
        s = factor_interior(r);
    }
    tn_reduce_tell(r, "looks for normal modes");
    TN_THEN(s, find_enough(r, &lambda, &normal, &found));
    tn_reduce_tell(r, "finds static modes of attachments");
    TN_THEN(s, fill_basis(r, found, normal));
    TN_THEN(s, project_basis(r, r->K, &r->Kr));
    TN_THEN(s, project_basis(r, r->M, &r->Mr));
    TN_FREE(lambda, normal);
    return s;
}
