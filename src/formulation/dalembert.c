// SPDX-License-Identifier: MIT
//
// Discrete equations without multipliers [LMO08, eq. 25]: unknowns y = u, rows
//
//   P^T b(u)            A P = 0: the impulse of the constraints does no work on P
//   g(t1, q0 + h u) / h of the rows that take part
//
// with P by QR (basis.h), orthonormal where an interval begins, and a full matrix
// ( P^T (M + d D + k K); B(q1) ). The impulse follows from A^T J = -b [LMO08, eq. 38].

#include "base/alloc.h"
#include "base/carve.h"
#include "formulation/discrete.h"
#include "formulation/formulation_list.h"
#include "linalg/dense.h"
#include "motion/basis.h"

typedef struct dalembert {
    tn_basis *basis;
    int nv, ng;
    double *matrix, *factors; // nv x nv
    double *b;                // nv
    int *pivot;               // nv
    int *place;               // ng: which row of g takes part as which, -1 for none
    bool fresh;               // no P in this interval yet
    void *block;
} dalembert;

static void layout_dalembert(void *self, tn_carve *mem)
{
    dalembert *f = self;
    TN_CARVE_NUMBERS(mem, sizeof(double) * (size_t)f->nv * (size_t)f->nv, f->matrix);
    TN_CARVE_NUMBERS(mem, sizeof(double) * (size_t)f->nv * (size_t)f->nv, f->factors);
    TN_CARVE_DOUBLES(mem, f->nv, &f->b);
    TN_CARVE_CHOICES(mem, 1, f->nv, f->nv, &f->pivot);
    f->place = tn_carve_ints(mem, f->ng);
}

static void dalembert_choose(tn_discrete *d)
{
    const dalembert *f = d->form;
    for (int i = 0, n = 0; i < f->ng; i++)
        f->place[i] = d->active[i] ? n++ : -1;
}

static tn_status dalembert_open(tn_discrete *d)
{
    dalembert *f = tn_alloc(sizeof *f);
    TN_TRY(tn_got(f));
    d->form = f;
    d->n = f->nv = d->sys->nv;
    f->ng = d->sys->ng;
    TN_TRY(tn_carve_block(f, layout_dalembert, &f->block));
    TN_TRY(tn_basis_create(d->sys, "qr", &f->basis));
    dalembert_choose(d);
    return TN_OK;
}

static void dalembert_close(tn_discrete *d)
{
    dalembert *f = d->form;
    if (!f)
        return;
    tn_basis_destroy(f->basis);
    TN_FREE(f->block, f);
}

static void dalembert_values(tn_discrete *d, tn_values *v)
{
    dalembert *f = d->form;
    tn_carve_values(f, layout_dalembert, f->block, v);
    tn_basis_values(f->basis, v);
    TN_VALUES_BOOL(v, &f->fresh);
}

static tn_status dalembert_begin(tn_discrete *d)
{
    dalembert *f = d->form;
    f->fresh = true;
    return TN_OK;
}

// Orthonormal where an interval begins. Where A changes within it, P goes on smoothly from there: a
// matrix is kept for several iterations, and must mean the same vectors in all of them.
static tn_status form_basis(tn_discrete *d, const tn_point *at)
{
    dalembert *f = d->form;
    bool changed;
    if (!f->fresh)
        return tn_basis_follow(f->basis, at);
    f->fresh = false;
    tn_basis_set_active(f->basis, d->active); // forgets the vectors of the last interval
    return tn_basis_begin(f->basis, at, &changed);
}

// The rows that are left determine u only where those of A are independent.
static tn_status dalembert_carry(tn_discrete *d, const tn_point *at)
{
    const dalembert *f = d->form;
    int rows = 0;
    for (int i = 0; i < f->ng; i++)
        rows += d->active[i];
    TN_TRY(form_basis(d, at));
    return f->basis->rank == rows ? TN_OK : TN_RETRY_SINGULAR;
}

static void dalembert_predict(tn_discrete *d, const double *u, const double *J, double *y)
{
    tn_copy(d->n, u, y);
}

static tn_status dalembert_move(tn_discrete *d, const double *y, double *u)
{
    tn_copy(d->n, y, u);
    return TN_OK;
}

static int project_dalembert(const dalembert *f, const double *p, double *out) // P^T p
{
    const int nf = f->basis->nf;
    const double *P = f->basis->vectors;
    tn_inner(f->nv, nf, P, 1, p, out);
    return nf;
}

// With vectors of length one, which those that go on from an interval's first A have not.
static int dalembert_reduce(tn_discrete *d, const double *p, double *out)
{
    const dalembert *f = d->form;
    const double *P = f->basis->vectors;
    if (!out)
        return f->basis->nf;
    const int nf = project_dalembert(f, p, out);
    for (int k = 0; k < nf; k++)
        out[k] /= tn_norm2(f->nv, P + (size_t)k * (size_t)f->nv);
    return nf;
}

// Pivots of QR change on the way.
static int dalembert_loose(const tn_discrete *d)
{
    int rows = 0;
    for (int i = 0; i < d->sys->ng; i++)
        rows += d->active[i];
    return d->sys->nv - rows;
}

static tn_status dalembert_residual(tn_discrete *d, const double *y, const double *u,
                                    const double *b, bool tangent, double *r)
{
    const dalembert *f = d->form;
    const int nf = project_dalembert(f, b, r);
    TN_TRY(tn_discrete_eval_end(d, u, TN_EVAL_G | (tangent ? TN_EVAL_B : 0)));
    for (int i = 0; i < f->ng; i++)
        if (d->active[i])
            r[nf + f->place[i]] = d->sys->g[i] / d->h;
    return TN_OK;
}

// matrix += s P^T W, for the nv x nv block W
static void add_reduced(dalembert *f, double s, const tn_sparse *W)
{
    const int nf = f->basis->nf;
    const double *P = f->basis->vectors;
    for (int j = 0; W && j < f->nv; j++) {
        double *column = f->matrix + (size_t)j * (size_t)f->nv;
        for (int p = W->colptr[j]; p < W->colptr[j + 1]; p++)
            for (int k = 0; k < nf; k++)
                column[k] += s * W->val[p] * P[W->rowind[p] + (size_t)k * (size_t)f->nv];
    }
}

static void dalembert_add_rows(const tn_discrete *d, dalembert *f)
{
    const tn_sparse *B = d->sys->block[TN_BLOCK_B];
    const int nf = f->basis->nf;
    for (int j = 0; B && j < f->nv; j++)
        for (int p = B->colptr[j]; p < B->colptr[j + 1]; p++)
            if (d->active[B->rowind[p]])
                f->matrix[nf + f->place[B->rowind[p]] + (size_t)j * (size_t)f->nv] += B->val[p];
}

static tn_status dalembert_factor(tn_discrete *d, const double *y, const tn_balance *at)
{
    dalembert *f = d->form;
    TN_ASSERT(f->basis->nf <= f->nv);
    for (int j = 0; j < f->nv; j++)
        tn_zero(f->nv, f->matrix + (size_t)j * (size_t)f->nv);
    add_reduced(f, 1.0, d->sys->block[TN_BLOCK_M]);
    add_reduced(f, at->d, d->sys->block[TN_BLOCK_D]);
    add_reduced(f, at->k, d->sys->block[TN_BLOCK_K]);
    dalembert_add_rows(d, f);
    tn_copy(f->nv * f->nv, f->matrix, f->factors);
    return tn_lu_factor(f->nv, f->factors, f->pivot);
}

static void dalembert_solve(tn_discrete *d, double *r)
{
    const dalembert *f = d->form;
    tn_lu_solve(f->nv, f->factors, f->pivot, r);
}

static void dalembert_impulse(tn_discrete *d, const double *y, const double *b, double *J)
{
    dalembert *f = d->form;
    tn_zero(f->nv, f->b);
    tn_axpy(f->nv, -1.0, b, f->b);
    tn_basis_multipliers(f->basis, f->b, J);
}

static void dalembert_dense(const tn_discrete *d, double *matrix)
{
    const dalembert *f = d->form;
    tn_copy(f->nv * f->nv, f->matrix, matrix);
}

// (25), with P in SI units of the velocities: v of length one in those of the system.
static void dalembert_written(const tn_discrete *d, double share, double *row, double *column)
{
    const dalembert *f = d->form;
    const int nf = f->basis->nf;
    for (int i = 0; i < f->nv; i++) {
        row[i] = tn_unit_energy(d->sys->units) / share;
        column[i] = 1.0 / (tn_system_unit(d->sys, TN_MEASURE_VELOCITY, i) * d->h);
    }
    for (int i = 0; i < f->ng; i++)
        if (f->place[i] >= 0)
            row[nf + f->place[i]] = tn_system_row_unit(d->sys, i) * d->h;
}

// Rows of P^T b have no names of their own: those of the velocities that stand there.
static void dalembert_name(const tn_discrete *d, int i, char *text, size_t size)
{
    d->sys->ops->velocity_name(d->sys, i, text, size);
}

static const char *dalembert_solver(const tn_discrete *d)
{
    return "dense LU";
}

static const tn_discrete_ops dalembert_ops = {
    .open = dalembert_open,
    .close = dalembert_close,
    .values = dalembert_values,
    .choose = dalembert_choose,
    .begin = dalembert_begin,
    .carry = dalembert_carry,
    .predict = dalembert_predict,
    .move = dalembert_move,
    .residual = dalembert_residual,
    .factor = dalembert_factor,
    .solve = dalembert_solve,
    .impulse = dalembert_impulse,
    .reduce = dalembert_reduce,
    .loose = dalembert_loose,
    .name = dalembert_name,
    .solver = dalembert_solver,
    .dense = dalembert_dense,
    .written = dalembert_written,
};

const tn_formulation tn_formulation_dalembert = {
    .name = "dalembert",
    .text = "discrete equations without multipliers, on the null space of B at the node",
    .source = "[LMO08, eq. 25]",
    .offers = TN_VIEW_DISCRETE,
    .index = 3,
    .position = true,
    .discrete = &dalembert_ops,
};
