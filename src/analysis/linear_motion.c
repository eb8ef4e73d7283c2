// SPDX-License-Identifier: MIT
//
// From the linearised equations to states: see linear_motion.h.

#include "analysis/linear_motion.h"

#include "analysis/linear_parts.h"
#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

#include <math.h>

static tn_status check_size(const tn_equilibrium *s)
{
    const int nv = s->sys->nv, freedoms = nv - s->start.redundancy.rank;
    if (nv <= TN_LINEAR_MOST_VELOCITIES && freedoms <= TN_LINEAR_MOST)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "the mechanism has %d freedoms and %d velocities, too many for full matrices, "
                   "which are for %d and %d at most",
                   freedoms, nv, TN_LINEAR_MOST, TN_LINEAR_MOST_VELOCITIES);
}

static tn_status build_linear(tn_linear_motion *l)
{
    TN_TRY(check_size(l->s));
    TN_TRY(tn_eq_linearise(l->s, &l->s->now));
    TN_TRY(tn_linear_choose_coordinates(l));
    TN_TRY(tn_reduce_motion(l->s, l->n1, l->G, l->nu, l->input, &l->m));
    TN_TRY(tn_eq_check_inputs(l->s, &l->m, l->G, l->input));
    tn_descriptor d;
    tn_status status = tn_linear_eliminate(l, &d);
    TN_THEN(status, tn_linear_name_states(l, &d));
    tn_free(d.block);
    return status;
}

tn_status tn_linear_motion_create(tn_equilibrium *s, int nu, const int *input,
                                  tn_linear_motion **out)
{
    *out = NULL;
    tn_linear_motion *l = tn_alloc(sizeof *l);
    TN_TRY(tn_got(l));
    l->s = s;
    l->nu = nu;
    l->input = input;
    const tn_status status = build_linear(l);
    TN_HAND_OUT(status, l, tn_linear_motion_destroy, out);
}

void tn_linear_motion_destroy(tn_linear_motion *l)
{
    if (!l)
        return;
    for (int i = 0; l->coordinate && i < l->n1; i++)
        tn_free(l->coordinate[i].name);
    tn_linear_forget_loads(l);
    TN_FREE(l->coordinate, l->G, l->m.block, l->state, l->A, l->B, l->T, l->S, l);
}

// Rates are counted in the fastest frequency, about, so that stiffness and identity are of one
// size.
static void scale_rates(const tn_linear_motion *l, double *A)
{
    const int n = l->n;
    const double most = tn_norm_inf(n * n, l->A), w = most > 1.0 ? sqrt(most) : 1.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double row = l->state[i].kind == TN_STATE_RATE ? 1.0 / w : 1.0;
            const double column = l->state[j].kind == TN_STATE_RATE ? w : 1.0;
            tn_column_of(A, n, j)[i] = row * tn_column_of(l->A, n, j)[i] * column;
        }
}

tn_status tn_linear_rest(const tn_linear_motion *l, double *A, int *m, bool *sure)
{
    static const double FEWEST = 1e-15, MOST = 1e-12; // singular values that are zero
    int fewer;
    scale_rates(l, A);
    TN_TRY(tn_eigen_deflate(l->n, MOST, A, &fewer));
    scale_rates(l, A);
    TN_TRY(tn_eigen_deflate(l->n, FEWEST, A, m));
    *sure = *m == fewer;
    return TN_OK;
}

double tn_linear_state_unit(const tn_linear_motion *l, int i)
{
    const tn_linear_state s = l->state[i];
    if (s.kind == TN_STATE_EXTRA)
        return 1.0;
    const double unit = l->coordinate[s.index].unit;
    return s.kind == TN_STATE_RATE ? unit / l->s->sys->units.time : unit;
}

// All of (y, z, e, eta) by states and inputs, and the accelerations z' of the states' rates.
static void unknowns_of(const tn_linear_motion *l, const double *state, const double *u, double *Y,
                        double *rates)
{
    tn_zero(l->nall, Y);
    tn_zero(l->n, rates);
    for (int j = 0; j < l->n; j++)
        if (state[j] != 0.0) {
            tn_axpy(l->nall, state[j], tn_column_of(l->T, l->nall, j), Y);
            tn_axpy(l->n, state[j], tn_column_of(l->A, l->n, j), rates);
        }
    for (int j = 0; u && j < l->nu; j++)
        if (u[j] != 0.0) {
            tn_axpy(l->nall, u[j], tn_column_of(l->S, l->nall, j), Y);
            tn_axpy(l->n, u[j], tn_column_of(l->B, l->n, j), rates);
        }
}

// Multipliers ------------------------------------------------------------------------------------

// Columns B^T + FL and N^T + FN of active rows, as reflections and a triangle.
struct tn_linear_loads {
    int nv, m, rank, lwork, most;
    int *row, *pivot;
    double *Q, *tau, *work, *f, *all; // all: of unknowns and their rates
    void *block;
};

static void layout_loads(void *self, tn_carve *mem)
{
    struct tn_linear_loads *b = self;
    TN_CARVE_INTS(mem, b->m, &b->row, &b->pivot);
    b->Q = tn_carve_doubles(mem, b->nv * b->m);
    b->tau = tn_carve_doubles(mem, b->m);
    b->work = tn_carve_doubles(mem, b->lwork);
    b->f = tn_carve_doubles(mem, b->nv + b->m);
    b->all = tn_carve_doubles(mem, b->most);
}

// Column `row` of a matrix, or row `row` of it as a column, added to out.
static void add_load(const tn_sparse *A, bool transposed, int row, double *out)
{
    for (int j = 0; A && j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++)
            if ((transposed ? A->rowind[k] : j) == row)
                out[transposed ? j : A->rowind[k]] += A->val[k];
}

void tn_linear_forget_loads(tn_linear_motion *l)
{
    if (l->loads)
        tn_free(l->loads->block);
    TN_FREE(l->loads);
    l->loads = NULL;
}

static tn_status open_loads(tn_linear_motion *l)
{
    const tn_system *sys = l->s->sys;
    int m = 0;
    for (int i = 0; i < sys->ng + sys->nn; i++)
        m += l->s->active[i] != 0;
    l->loads = tn_alloc(sizeof *l->loads);
    TN_TRY(tn_got(l->loads));
    struct tn_linear_loads *b = l->loads;
    *b = (struct tn_linear_loads){.nv = sys->nv,
                                  .m = m,
                                  .lwork = tn_qr_work(sys->nv, m) + sys->nv,
                                  .most = l->nall + l->n + sys->nv};
    TN_TRY(tn_carve_block(b, layout_loads, &b->block));
    for (int i = 0, k = 0; i < sys->ng + sys->nn; i++) {
        if (!l->s->active[i])
            continue;
        const bool rolls = i >= sys->ng;
        const int row = rolls ? i - sys->ng : i;
        b->row[k] = i;
        add_load(sys->block[rolls ? TN_BLOCK_N : TN_BLOCK_B], true, row,
                 tn_column_of(b->Q, b->nv, k));
        add_load(sys->block[rolls ? TN_BLOCK_FN : TN_BLOCK_FL], false, row,
                 tn_column_of(b->Q, b->nv, k++));
    }
    b->rank = tn_qr_rank(b->nv, m, b->Q, TN_RANK_TOL, b->pivot, b->tau, b->work, b->lwork);
    return TN_OK;
}

// Multipliers against b->f, and what is left.
static void solve_loads(struct tn_linear_loads *b, int ng, tn_linear_variation *out)
{
    double *f = b->f;
    tn_scale(b->nv, -1.0, f);
    tn_qr_apply(b->nv, b->rank, true, b->Q, b->tau, f, b->work);
    out->misfit = tn_norm_inf(b->nv - b->rank, f + b->rank) / fmax(out->force, 1e-300);
    if (b->rank > 0)
        tn_upper_solve(b->rank, b->nv, false, b->Q, f);
    for (int k = 0; k < b->rank; k++) {
        const int i = b->row[b->pivot[k]];
        *(i < ng ? &out->lambda[i] : &out->eta[i - ng]) = f[k];
    }
}

tn_status tn_linear_vary(tn_linear_motion *l, const double *state, const double *u, double t,
                         tn_linear_variation *out)
{
    tn_equilibrium *s = l->s;
    const tn_system *sys = s->sys;
    const int nv = sys->nv, n = l->n1;
    if (!l->loads)
        TN_TRY(open_loads(l));
    struct tn_linear_loads *b = l->loads;
    double *Y = b->all, *rates = Y + l->nall, *side = rates + l->n, *f = b->f;
    unknowns_of(l, state, u, Y, rates);
    tn_zero(nv, f);
    tn_zero(nv, side);
    for (int j = 0; u && j < l->nu; j++)
        tn_axpy(nv, u[j], tn_column_of(l->m.push, nv, j), side);
    tn_eq_carry(s, t, side, f);
    out->force = tn_norm_inf(nv, f);
    tn_copy(sys->ne, Y + 2 * n, out->e);
    double *const parts[] = {out->x, out->v, out->a};
    for (int k = 0; k < 3; k++) { // y, y' and y'' as motions of bodies, carried on
        tn_zero(nv, side);
        for (int i = 0; i < n; i++) {
            double value = k < 2 ? Y[k * n + i] : 0.0;
            for (int j = 0; k == 2 && j < l->n; j++)
                value += rates[j] * tn_column_of(l->T, l->nall, j)[n + i];
            tn_axpy(nv, value, tn_column_of(l->G, nv, i), side);
        }
        tn_eq_carry(s, t, side, parts[k]);
    }
    void (*const terms[])(tn_equilibrium *, const double *, double *) = {
        tn_eq_times_stiffness, tn_eq_times_damping, tn_eq_times_mass};
    for (int k = 0; k < 3; k++) {
        terms[k](s, parts[k], side);
        out->force = fmax(out->force, tn_norm_inf(nv, side));
        tn_axpy(nv, 1.0, side, f);
    }
    if (sys->block[TN_BLOCK_FE]) {
        tn_zero(nv, side);
        tn_sparse_mul(sys->block[TN_BLOCK_FE], 1.0, out->e, side);
        out->force = fmax(out->force, tn_norm_inf(nv, side));
        tn_axpy(nv, 1.0, side, f);
    }
    tn_eq_acceleration_of(s, out->x, out->v, side);
    tn_axpy(nv, 1.0, side, out->a);
    tn_eq_velocity_of(s, out->x, side);
    tn_axpy(nv, 1.0, side, out->v);
    tn_zero(sys->ng, out->lambda);
    tn_zero(sys->nn, out->eta);
    solve_loads(b, sys->ng, out);
    return TN_OK;
}

void tn_linear_motion_at(const tn_linear_motion *l, const double *state, double *x)
{
    const int nv = l->s->sys->nv;
    tn_zero(nv, x);
    for (int i = 0; i < l->n1; i++) {
        double value = 0.0;
        for (int j = 0; j < l->n; j++)
            value += tn_column_of(l->T, l->nall, j)[i] * state[j];
        tn_axpy(nv, value, tn_column_of(l->G, nv, i), x);
    }
}
