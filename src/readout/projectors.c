// SPDX-License-Identifier: MIT
//
// Projectors of the constraints at a state; see tenon/projectors.h. From the singular values of E,
//
//   E = U s V^T      P_parallel = U U^T      E^+ = V s^-1 U^T = E^T U s^-2 U^T
//
// with the columns of U whose singular values count.

#include "tenon/projectors.h"

#include "base/alloc.h"
#include "base/status.h"
#include "linalg/dense.h"

// Singular values below this part of the largest belong to rows that repeat others.
static const double REPEATED = 1e-10;
static const double DEFINITE = 1e-14; // pivots of M, relative to its diagonal

enum { NAME_SIZE = 96 };

struct tn_projectors {
    int nv, rows, rank;
    double t;
    double *of[TN_PROJECTOR_MATRICES];
    char *names; // nv + rows, NAME_SIZE each
    double *U, *s;
};

static void sizes_of(const tn_projectors *p, tn_projector_matrix m, int *rows, int *columns)
{
    const bool by_row = m == TN_PROJECTOR_B || m == TN_PROJECTOR_E_PLUS || m == TN_PROJECTOR_C;
    *rows = by_row ? p->rows : p->nv;
    *columns = m >= TN_PROJECTOR_F ? 1 : m == TN_PROJECTOR_E ? p->rows : p->nv;
}

static tn_status allocate_projectors(tn_projectors *p)
{
    const size_t nv = (size_t)p->nv, rows = (size_t)p->rows;
    for (int m = 0; m < TN_PROJECTOR_MATRICES; m++) {
        int r, c;
        sizes_of(p, (tn_projector_matrix)m, &r, &c);
        p->of[m] = tn_alloc(((size_t)r * (size_t)c + 1) * sizeof(double));
        TN_TRY(tn_got(p->of[m]));
    }
    p->U = tn_alloc((nv * (nv < rows ? nv : rows) + 1) * sizeof(double));
    p->s = tn_alloc((nv + rows + 1) * sizeof(double));
    p->names = tn_alloc((nv + rows + 1) * NAME_SIZE);
    return tn_got(p->U && p->s && p->names);
}

static tn_status read_equations(tn_projectors *p, tn_dynamics *d)
{
    for (int i = 0; i < p->nv; i++)
        TN_TRY(tn_dynamics_velocity_name(d, i, p->names + (size_t)i * NAME_SIZE, NAME_SIZE));
    for (int i = 0; i < p->rows; i++)
        TN_TRY(tn_dynamics_row_name(d, i, p->names + (size_t)(p->nv + i) * NAME_SIZE, NAME_SIZE));
    TN_TRY(tn_dynamics_mass_matrix(d, p->of[TN_PROJECTOR_M]));
    TN_TRY(tn_dynamics_forces(d, p->of[TN_PROJECTOR_F]));
    return tn_dynamics_constraints(d, p->of[TN_PROJECTOR_B], p->of[TN_PROJECTOR_C]);
}

// S, F^ and E.
static tn_status scale_rows(tn_projectors *p)
{
    const int nv = p->nv;
    double *S = p->of[TN_PROJECTOR_S], *E = p->of[TN_PROJECTOR_E];
    const double *B = p->of[TN_PROJECTOR_B];
    tn_copy(nv * nv, p->of[TN_PROJECTOR_M], S);
    if (tn_cholesky(nv, S, DEFINITE) != TN_OK)
        return tn_fail(
            TN_ERR_NUMERIC,
            "the mass matrix is not positive definite at t = %g s, and projectors divide "
            "by its root; give all bodies mass and inertia",
            p->t);
    for (int j = 0; j < nv; j++) // above the diagonal nothing is left of M
        tn_zero(j, tn_column_of(S, nv, j));
    tn_lower_solve(nv, S, p->of[TN_PROJECTOR_F]);
    for (int i = 0; i < p->rows; i++) {
        double *e = tn_column_of(E, nv, i);
        for (int j = 0; j < nv; j++)
            e[j] = B[(size_t)j * (size_t)p->rows + (size_t)i];
        tn_lower_solve(nv, S, e);
    }
    return TN_OK;
}

static tn_status find_rank(tn_projectors *p)
{
    const int most = tn_smaller(p->nv, p->rows);
    if (most == 0)
        return TN_OK;
    double *copy = tn_alloc((size_t)(p->nv * p->rows) * sizeof(double));
    TN_TRY(tn_got(copy));
    tn_copy(p->nv * p->rows, p->of[TN_PROJECTOR_E], copy);
    const tn_status status = tn_left_singular(p->nv, p->rows, copy, p->s, p->U);
    tn_free(copy);
    while (status == TN_OK && p->rank < most && p->s[p->rank] > REPEATED * p->s[0])
        p->rank++;
    return status;
}

// P_parallel, E^+ and P_orthogonal.
static void find_projectors(tn_projectors *p)
{
    const int nv = p->nv, rows = p->rows;
    double *P = p->of[TN_PROJECTOR_PARALLEL], *Q = p->of[TN_PROJECTOR_ORTHOGONAL];
    double *inverse = p->of[TN_PROJECTOR_E_PLUS];
    for (int k = 0; k < p->rank; k++) {
        const double *u = tn_column_of(p->U, nv, k);
        for (int j = 0; j < nv; j++) {
            tn_axpy(nv, u[j], u, tn_column_of(P, nv, j));
            for (int i = 0; i < rows; i++)
                tn_column_of(inverse, rows, j)[i] +=
                    tn_dot(nv, tn_column_of(p->of[TN_PROJECTOR_E], nv, i), u) * u[j] /
                    (p->s[k] * p->s[k]);
        }
    }
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nv; i++)
            tn_column_of(Q, nv, j)[i] = (i == j) - tn_column_of(P, nv, j)[i];
}

// S^-T P_orthogonal S^T: column j of P_orthogonal S^T is P_orthogonal by row j of S.
static void unscale(tn_projectors *p)
{
    const int nv = p->nv;
    double *out = p->of[TN_PROJECTOR_P];
    for (int j = 0; j < nv; j++) {
        double *x = tn_column_of(out, nv, j);
        for (int k = 0; k <= j; k++)
            tn_axpy(nv, tn_column_of(p->of[TN_PROJECTOR_S], nv, k)[j],
                    tn_column_of(p->of[TN_PROJECTOR_ORTHOGONAL], nv, k), x);
        tn_lower_solve_t(nv, p->of[TN_PROJECTOR_S], x);
    }
}

// a^ = P_orthogonal F^ + E^+T c and Fc^ = P_parallel F^ - E^+T c.
static void resolve(tn_projectors *p)
{
    const int nv = p->nv;
    for (int j = 0; j < nv; j++) {
        const double along =
            tn_dot(nv, tn_column_of(p->of[TN_PROJECTOR_ORTHOGONAL], nv, j), p->of[TN_PROJECTOR_F]);
        const double across =
            tn_dot(nv, tn_column_of(p->of[TN_PROJECTOR_PARALLEL], nv, j), p->of[TN_PROJECTOR_F]);
        const double right = tn_dot(p->rows, tn_column_of(p->of[TN_PROJECTOR_E_PLUS], p->rows, j),
                                    p->of[TN_PROJECTOR_C]);
        p->of[TN_PROJECTOR_A][j] = along + right;
        p->of[TN_PROJECTOR_FC][j] = across - right;
    }
}

static tn_status open_projectors(tn_projectors *p, tn_dynamics *d)
{
    TN_TRY(allocate_projectors(p));
    TN_TRY(read_equations(p, d));
    TN_TRY(scale_rows(p));
    TN_TRY(find_rank(p));
    find_projectors(p);
    unscale(p);
    resolve(p);
    return TN_OK;
}

tn_status tn_projectors_create(tn_dynamics *dynamics, tn_projectors **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, dynamics, out);
    *out = NULL;
    tn_projectors *p = tn_alloc(sizeof *p);
    TN_TRY(tn_got(p));
    p->nv = tn_dynamics_nv(dynamics);
    p->rows = tn_dynamics_rows(dynamics);
    p->t = tn_dynamics_time(dynamics);
    const tn_status status = open_projectors(p, dynamics);
    TN_HAND_OUT(status, p, tn_projectors_destroy, out);
}

void tn_projectors_destroy(tn_projectors *p)
{
    for (int m = 0; p && m < TN_PROJECTOR_MATRICES; m++)
        tn_free(p->of[m]);
    if (p)
        TN_FREE(p->names, p->U, p->s, p);
}

TN_GETTER(int, tn_projectors_rank, (const tn_projectors *p), p, 0, p->rank);

TN_GETTER(double, tn_projectors_time, (const tn_projectors *p), p, 0.0, p->t);

const char *tn_projectors_name(tn_projector_matrix m)
{
    static const char *const names[TN_PROJECTOR_MATRICES] = {
        "M", "S", "B", "E", "E_plus", "P_parallel", "P_orthogonal", "P", "F", "c", "Fc", "a"};
    return m >= 0 && m < TN_PROJECTOR_MATRICES ? names[m] : "";
}

const double *tn_projectors_values(const tn_projectors *p, tn_projector_matrix m, int *rows,
                                   int *columns)
{
    TN_NEED_ALL(NULL, p, rows, columns);
    *rows = *columns = 0;
    if (m < 0 || m >= TN_PROJECTOR_MATRICES)
        return NULL;
    sizes_of(p, m, rows, columns);
    return p->of[m];
}

TN_GETTER(const char *, tn_projectors_velocity, (const tn_projectors *p, int i), p, "",
          i >= 0 && i < p->nv ? p->names + (size_t)i * NAME_SIZE : "");

TN_GETTER(const char *, tn_projectors_row, (const tn_projectors *p, int i), p, "",
          i >= 0 && i < p->rows ? p->names + (size_t)(p->nv + i) * NAME_SIZE : "");
