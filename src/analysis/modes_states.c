// SPDX-License-Identifier: MIT
//
// Modes of mechanisms with states and unknowns of expressions, rows of velocities (rolling) and
// forces that depend on reactions: the eigenvalues of the state space x' = A x of linear_motion.h.

#include "analysis/modes.h"
#include "start/combinations.h"

#include "analysis/linear_motion.h"
#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdio.h>

typedef struct state_road {
    tn_modes *m;
    tn_linear_motion *l;
    double *re, *im, *V; // n, n, n x n
    double *x, *xi;      // nv
    void *block;
} state_road;

// A mode in which bodies hardly move is called by its largest state.
static void name_by_state(state_road *r, tn_mode *mode, const double *y, const double *yi)
{
    const tn_linear_motion *l = r->l;
    int largest = 0;
    for (int i = 1; i < l->n; i++)
        if (hypot(y[i], yi ? yi[i] : 0.0) > hypot(y[largest], yi ? yi[largest] : 0.0))
            largest = i;
    if (l->state[largest].kind == TN_STATE_EXTRA)
        tn_system_extra_name(l->s->sys, l->state[largest].index, mode->name, sizeof mode->name);
}

// y + i yi is a vector of the state space; yi is NULL where it is real.
static tn_status take_state_mode(state_road *r, double re, double im, const double *y,
                                 const double *yi)
{
    const int nv = r->l->s->sys->nv, n = r->l->n;
    tn_linear_motion_at(r->l, y, r->x);
    tn_zero(nv, r->xi);
    if (yi)
        tn_linear_motion_at(r->l, yi, r->xi);
    TN_TRY(tn_modes_add(r->m, re, im, r->x, r->xi));
    const double moved = fmax(tn_norm_inf(nv, r->x), tn_norm_inf(nv, r->xi));
    if (moved <= TN_ROUND_ITERATE * fmax(tn_norm_inf(n, y), yi ? tn_norm_inf(n, yi) : 0.0))
        name_by_state(r, &r->m->mode[r->m->n - 1], y, yi);
    return TN_OK;
}

static tn_status take_state_modes(state_road *r)
{
    const int n = r->l->n;
    for (int i = 0; i < n; i++) {
        const double *y = tn_column_of(r->V, n, i);
        if (r->im[i] < 0.0) // given by its conjugate
            continue;
        TN_TRY(take_state_mode(r, r->re[i], r->im[i], y, r->im[i] > 0.0 ? y + n : NULL));
    }
    return TN_OK;
}

// Zeros that are multiple are split by round-off: the smallest values, as many as there are zeros.
static tn_status put_zeros(state_road *r, double *work)
{
    const int n = r->l->n;
    int left = n;
    bool sure;
    TN_TRY(tn_linear_rest(r->l, work, &left, &sure));
    int zeros = 0;
    for (int i = 0; i < n; i++)
        zeros += r->re[i] == 0.0 && r->im[i] == 0.0;
    for (; zeros < n - left; zeros++) {
        int least = -1;
        for (int i = 0; i < n; i++) {
            const double size = hypot(r->re[i], r->im[i]);
            if (size > 0.0 && (least < 0 || size < hypot(r->re[least], r->im[least])))
                least = i;
        }
        r->re[least] = r->im[least] = 0.0;
    }
    return TN_OK;
}

static tn_status solve_states(state_road *r)
{
    TN_TRY(tn_linear_motion_create(r->m->state, 0, NULL, &r->l));
    const size_t n = (size_t)r->l->n, nv = (size_t)r->m->state->sys->nv;
    r->block = tn_alloc(sizeof(double) * (2 * n * n + 2 * n + 2 * nv + 1));
    TN_TRY(tn_got(r->block));
    double *A = r->block;
    r->V = A + n * n;
    r->re = r->V + n * n;
    r->im = r->re + n;
    r->x = r->im + n;
    r->xi = r->x + nv;
    tn_copy((int)(n * n), r->l->A, A);
    TN_TRY(tn_eigen_general((int)n, A, r->re, r->im, r->V));
    TN_TRY(put_zeros(r, A));
    return take_state_modes(r);
}

tn_status tn_modes_states(tn_modes *m)
{
    state_road r = {.m = m};
    TN_TRY(tn_combination_check(TN_BEFORE_MODES, (tn_combination){.modes = &m->options}));
    m->facts.damped = m->zeros_known = true;
    const tn_status status = solve_states(&r);
    tn_linear_motion_destroy(r.l);
    tn_free(r.block);
    return status;
}
