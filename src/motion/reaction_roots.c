// SPDX-License-Identifier: MIT
//
// Multipliers on which forces depend; see reaction_roots.h.

#include "motion/reaction_roots.h"

#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>

enum { SWEEPS = 16, NEWTON_MOST = 50, HALVINGS = 30 };
static const double SLOW = 0.1;       // sweeps and steps that contract less need a new matrix
static const double ROUNDING = 1e-11; // below it a residual that no longer shrinks is round-off

// Memory ------------------------------------------------------------------------------------------

static bool has_entries(const tn_sparse *A, int column, int from, int to)
{
    for (int k = A ? A->colptr[column] : 0; A && k < A->colptr[column + 1]; k++)
        if (A->rowind[k] >= from && A->rowind[k] < to)
            return true;
    return false;
}

// Returns true if f or b depends on multiplier j.
static bool enters(const tn_system *sys, int j)
{
    TN_ASSERT(j >= 0 && j < sys->ng + sys->nn);
    const bool holonomic = j < sys->ng;
    const int column = holonomic ? j : j - sys->ng;
    const tn_sparse *F = sys->block[holonomic ? TN_BLOCK_FL : TN_BLOCK_FN];
    const tn_sparse *E = sys->block[holonomic ? TN_BLOCK_EL : TN_BLOCK_EN];
    return has_entries(F, column, 0, sys->nv) || has_entries(E, column, sys->nc, sys->nc + sys->nw);
}

void tn_reactions_layout(tn_reactions *r, tn_system *sys, tn_carve *mem)
{
    const int rows = sys->ng + sys->nn;
    r->sys = sys;
    r->n = 0;
    if (!sys->force_uses_lambda)
        return;
    for (int j = 0; j < rows; j++)
        r->n += enters(sys, j);
    r->which = tn_carve_ints(mem, r->n);
    TN_CARVE_DOUBLES(mem, r->n * r->n, &r->matrix);
    TN_CARVE_CHOICES(mem, 1, r->n, r->n, &r->pivot);
    TN_CARVE_DOUBLES(mem, r->n, &r->step);
    TN_CARVE_DOUBLES(mem, rows, &r->y, &r->kept);
    TN_CARVE_DOUBLES(mem, sys->nv + rows, &r->column, &r->found);
    tn_roots_layout(&r->w, sys->nc, sys->nw, mem);
}

void tn_reactions_values(tn_reactions *r, tn_values *v)
{
    TN_VALUES_BOOL(v, &r->formed);
    tn_roots_values(&r->w, v);
}

void tn_reactions_open(tn_reactions *r)
{
    int n = 0;
    r->formed = r->w.factored = false;
    for (int j = 0; j < r->sys->ng + r->sys->nn && r->n > 0; j++)
        if (enters(r->sys, j))
            r->which[n++] = j;
    TN_ASSERT(n == r->n);
}

// Requests of forces ------------------------------------------------------------------------------

// The equations in hand.
typedef struct reaction_call {
    tn_reactions *r;
    const tn_reaction_solver *by;
    tn_point at; // with y
    double *e;   // NULL: w stay
    bool with_w; // derivatives follow w
} reaction_call;

// found = (a, Phi(y)); *misfit of the multipliers that matter. A function that is not defined at y
// is as far off as can be.
static tn_status ask(const reaction_call *c, double *misfit)
{
    tn_reactions *r = c->r;
    tn_system *sys = r->sys;
    *misfit = INFINITY;
    tn_status status = c->e ? tn_roots_find(&r->w, sys, &c->at, c->e) : TN_OK;
    TN_THEN(status, tn_system_eval(sys, &c->at, TN_EVAL_FORCE));
    if (status == TN_OK) {
        tn_copy(sys->nv, sys->f, r->found);
        tn_copy(sys->ng + sys->nn, c->by->rows, r->found + sys->nv);
        status = c->by->solve(c->by->self, r->found);
    }
    if (status != TN_OK)
        return status < 0 ? status : TN_OK;
    *misfit = 0.0;
    for (int i = 0; i < r->n; i++) {
        const double off = fabs(r->found[sys->nv + r->which[i]] - r->y[r->which[i]]);
        *misfit = off <= *misfit ? *misfit : off; // not a number stays
    }
    if (!(*misfit < INFINITY))
        *misfit = INFINITY;
    return TN_OK;
}

// Reactions may all vanish, as those of a contact that parts: they are sums of forces then.
static double size_of(const tn_reactions *r)
{
    const tn_system *sys = r->sys;
    return fmax(tn_norm_inf(sys->ng + sys->nn, r->found + sys->nv), tn_norm_inf(sys->nv, sys->f));
}

static void keep(tn_reactions *r)
{
    tn_copy(r->sys->ng + r->sys->nn, r->y, r->kept);
}

static void go_back(tn_reactions *r)
{
    tn_copy(r->sys->ng + r->sys->nn, r->kept, r->y);
}

// Sweeps y = Phi(y) as long as each gains a digit; *misfit as it is then, INFINITY where they do
// not contract, and y where it was.
static tn_status sweep_reactions(const reaction_call *c, double *misfit)
{
    tn_reactions *r = c->r;
    keep(r);
    TN_TRY(ask(c, misfit));
    for (int k = 0; *misfit > TN_ROUND_SUM * size_of(r) && k < SWEEPS; k++) {
        const double last = *misfit;
        if (!(last < INFINITY))
            break;
        tn_copy(r->sys->ng + r->sys->nn, r->found + r->sys->nv, r->y);
        TN_TRY(ask(c, misfit));
        if (*misfit <= SLOW * last)
            continue;
        if (*misfit <= ROUNDING * size_of(r))
            return TN_OK;
        *misfit = INFINITY;
    }
    if (*misfit > TN_ROUND_SUM * size_of(r)) {
        *misfit = INFINITY;
        go_back(r);
    }
    return TN_OK;
}

// Newton's method ---------------------------------------------------------------------------------

static void subtract_column(const tn_sparse *A, int column, double s, double *x)
{
    for (int k = A ? A->colptr[column] : 0; A && k < A->colptr[column + 1]; k++)
        x[A->rowind[k]] -= s * A->val[k];
}

// df/dy_j + df/dw dw/dy_j, by blocks of dr/dy = -df/dy; dw/dy_j = -b_w^-1 b_y.
static void force_by(tn_reactions *r, int j, bool with_w, double *out)
{
    const tn_system *sys = r->sys;
    const bool holonomic = j < sys->ng;
    const int column = holonomic ? j : j - sys->ng;
    const tn_sparse *E = sys->block[holonomic ? TN_BLOCK_EL : TN_BLOCK_EN];
    subtract_column(sys->block[holonomic ? TN_BLOCK_FL : TN_BLOCK_FN], column, 1.0, out);
    if (!with_w || !E)
        return;
    for (int i = 0; i < sys->nw; i++)
        r->w.step[i] = -tn_sparse_at(E, sys->nc + i, column);
    tn_lu_solve(r->w.n, r->w.matrix, r->w.pivot, r->w.step);
    for (int i = 0; i < sys->nw; i++)
        subtract_column(sys->block[TN_BLOCK_FE], sys->nc + i, r->w.step[i], out);
}

static tn_status reactions_tangents(const reaction_call *c)
{
    tn_reactions *r = c->r;
    if (c->with_w)
        return tn_roots_renew(&r->w, r->sys, &c->at);
    return tn_system_eval(r->sys, &c->at,
                          TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_G | TN_EVAL_B | TN_EVAL_GDOT |
                              TN_EVAL_TANGENT);
}

// Tangents may be differences, with ten digits: a smaller pivot is none.
static bool factor_reactions(tn_reactions *r)
{
    const double most = fmax(1.0, tn_norm_inf(r->n * r->n, r->matrix));
    if (!(most < INFINITY) || tn_lu_factor(r->n, r->matrix, r->pivot) != TN_OK)
        return false;
    for (int i = 0; i < r->n; i++)
        if (!(fabs(r->matrix[i * r->n + i]) > TN_ROUND_ITERATE * most))
            return false;
    return true;
}

static tn_status fill_reactions(const reaction_call *c)
{
    tn_reactions *r = c->r;
    const tn_system *sys = r->sys;
    const int nv = sys->nv;
    r->formed = false;
    TN_TRY(reactions_tangents(c));
    for (int j = 0; j < r->n; j++) {
        tn_zero(nv + sys->ng + sys->nn, r->column);
        force_by(r, r->which[j], c->with_w, r->column);
        TN_TRY(c->by->solve(c->by->self, r->column));
        for (int i = 0; i < r->n; i++)
            r->matrix[j * r->n + i] = (i == j ? 1.0 : 0.0) - r->column[nv + r->which[i]];
    }
    return TN_OK;
}

// 1 - Phi' and its factors.
static tn_status form_reactions(const reaction_call *c)
{
    tn_reactions *r = c->r;
    TN_TRY(fill_reactions(c));
    r->formed = factor_reactions(r);
    if (r->formed)
        return TN_OK;
    return tn_fail(TN_RETRY_SINGULAR,
                   "forces depend on the multipliers so strongly that these are not determined at "
                   "t = %g s: the matrix of M, B^T - df/dlambda and B is singular, which the "
                   "condition after [Arn16, eq. 44] rules out",
                   c->at.t);
}

static void set_step(tn_reactions *r)
{
    TN_ASSERT(r->formed);
    for (int i = 0; i < r->n; i++)
        r->step[i] = r->found[r->sys->nv + r->which[i]] - r->y[r->which[i]];
    tn_lu_solve(r->n, r->matrix, r->pivot, r->step);
}

// One step from y, halved until the residual is lower; *misfit of where it ends, which is where it
// began where no part of the step helps. Multipliers that do not matter are as asked for.
static tn_status step_reactions(const reaction_call *c, int halvings, double *misfit)
{
    tn_reactions *r = c->r;
    const double last = *misfit;
    double scale = 1.0;
    TN_ASSERT(halvings >= 0 && last > 0.0);
    set_step(r);
    tn_copy(r->sys->ng + r->sys->nn, r->found + r->sys->nv, r->y);
    for (int i = 0; i < r->n; i++)
        r->y[r->which[i]] = r->kept[r->which[i]];
    keep(r);
    for (int k = 0; k <= halvings; k++, scale *= 0.5) {
        for (int i = 0; i < r->n; i++)
            r->y[r->which[i]] = r->kept[r->which[i]] + scale * r->step[i];
        TN_TRY(ask(c, misfit));
        if (*misfit < last)
            return TN_OK;
    }
    go_back(r);
    return ask(c, misfit);
}

// With the factors of some point before as long as they serve, else with those of this one.
static tn_status iterate_reactions(const reaction_call *c, double *misfit)
{
    tn_reactions *r = c->r;
    bool fresh = false;
    TN_TRY(ask(c, misfit));
    for (int k = 0; *misfit > TN_ROUND_SUM * size_of(r) && k < NEWTON_MOST; k++) {
        const double last = *misfit;
        keep(r);
        if (!r->formed) {
            TN_TRY(form_reactions(c));
            fresh = true;
        }
        const bool rough = last <= ROUNDING * size_of(r);
        TN_TRY(step_reactions(c, fresh && !rough ? HALVINGS : 0, misfit));
        if (*misfit > SLOW * last) {
            if (rough || (fresh && !(*misfit < last)))
                return TN_OK;
            r->formed = false;
        }
        fresh = false;
    }
    return TN_OK;
}

tn_status tn_reactions_find(tn_reactions *r, const tn_reaction_solver *by, const tn_point *at,
                            double *e)
{
    TN_ASSERT(r->sys->force_uses_lambda && at->a);
    reaction_call c = {r, by, *at, r->w.n > 0 ? e : NULL, r->w.n > 0 && e};
    double misfit = INFINITY;
    c.at.lambda = r->y;
    c.at.eta = r->y + r->sys->ng;
    if (!r->formed && r->sys->nslide == 0) // friction of slips is linear in the reactions
        TN_TRY(sweep_reactions(&c, &misfit));
    if (!(misfit < INFINITY))
        TN_TRY(iterate_reactions(&c, &misfit));
    if (misfit <= TN_ROUND_ITERATE * size_of(r))
        return TN_OK;
    r->formed = false;
    return tn_fail(TN_RETRY_FUNCTION,
                   "forces depend too strongly on the multipliers at t = %g s: no acceleration "
                   "found",
                   at->t);
}

// LAPACK names the row with which row i was exchanged, counted from 1.
tn_status tn_reactions_reserve(tn_reactions *r, const tn_reaction_solver *by, const tn_point *at,
                               double *reserve, int *row)
{
    const reaction_call c = {r, by, *at, NULL, r->w.n > 0};
    double sign = 1.0, least = INFINITY;
    TN_TRY(fill_reactions(&c));
    r->formed = factor_reactions(r);
    for (int i = 0; i < r->n; i++) {
        const double pivot = r->matrix[i * r->n + i];
        sign *= (pivot < 0.0) == (r->pivot[i] == i + 1) ? -1.0 : 1.0;
        if (fabs(pivot) < least)
            *row = r->which[i];
        least = fmin(least, fabs(pivot));
    }
    *reserve = r->n > 0 ? sign * least : 1.0;
    return TN_OK;
}
