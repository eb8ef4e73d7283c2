// SPDX-License-Identifier: MIT
//
// From the linearised equations to states: see linear_motion.h.

#include "analysis/linear_motion.h"

#include "analysis/linear_parts.h"
#include "base/alloc.h"
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

void tn_linear_motion_at(const tn_linear_motion *l, const double *state, const double *u, double *x,
                         double *v, double *e)
{
    const int nv = l->s->sys->nv;
    tn_zero(nv, x);
    if (v)
        tn_zero(nv, v);
    for (int i = 0; i < 2 * l->n1 + l->m.ne; i++) {
        double value = 0.0;
        for (int j = 0; j < l->n; j++)
            if (state[j] != 0.0)
                value += l->T[(size_t)j * (size_t)l->nall + (size_t)i] * state[j];
        for (int j = 0; u && j < l->nu; j++)
            value += l->S[(size_t)j * (size_t)l->nall + (size_t)i] * u[j];
        if (i < l->n1)
            tn_axpy(nv, value, tn_column_of(l->G, nv, i), x);
        else if (v && i < 2 * l->n1)
            tn_axpy(nv, value, tn_column_of(l->G, nv, i - l->n1), v);
        else if (e && i >= 2 * l->n1)
            e[i - 2 * l->n1] = value;
    }
    if (v) { // and V x
        tn_eq_velocity_of(l->s, x, l->s->y1);
        tn_axpy(nv, 1.0, l->s->y1, v);
    }
}
