// SPDX-License-Identifier: MIT
//
// Algebraic variables at a point; see roots.h.

#include "motion/roots.h"

#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>

void tn_roots_layout(tn_roots *r, int first, int n, tn_carve *mem)
{
    r->first = first;
    r->n = n;
    TN_CARVE_DOUBLES(mem, n * n, &r->matrix);
    TN_CARVE_DOUBLES(mem, n, &r->step, &r->last, &r->begin, &r->home, &r->misfit);
    TN_CARVE_CHOICES(mem, 1, n, n, &r->pivot);
}

void tn_roots_values(tn_roots *r, tn_values *v)
{
    TN_VALUES_BOOL(v, &r->factored);
    TN_VALUES_INT(v, -1, 1, 1, &r->side);
    TN_VALUES_ANY(v, "1", 1, &r->rate);
}

// The variable whose equation depends least on all of them.
static int least_determined(const tn_roots *r, const tn_system *sys)
{
    const tn_sparse *EE = sys->block[TN_BLOCK_EE];
    int least = 0;
    double smallest = INFINITY;
    for (int i = 0; i < r->n; i++) {
        double size = 0.0;
        for (int j = 0; j < r->n; j++)
            size = fmax(size, fabs(tn_sparse_at(EE, r->first + i, r->first + j)));
        least = size < smallest ? i : least;
        smallest = fmin(smallest, size);
    }
    return least;
}

static int most_corrected(const tn_roots *r)
{
    int most = 0;
    for (int i = 1; i < r->n; i++)
        most = fabs(r->step[i]) > fabs(r->step[most]) ? i : most;
    return most;
}

// "unknown 'w': at t = 1 s …", of variable i.
static tn_status fail_roots(tn_roots *r, const tn_system *sys, const tn_point *at, int i,
                            tn_status code, const char *why)
{
    char name[160];
    r->factored = false;
    tn_system_extra_name(sys, r->first + i, name, sizeof name);
    return tn_fail(code, "%s: at t = %g s %s", name, at->t, why);
}

// LAPACK names the row with which row i was exchanged, counted from 1.
static int side_of(const tn_roots *r)
{
    int side = 1;
    for (int i = 0; i < r->n; i++)
        side *= (r->matrix[i * r->n + i] < 0.0) == (r->pivot[i] == i + 1) ? -1 : 1;
    return side;
}

tn_status tn_roots_renew(tn_roots *r, tn_system *sys, const tn_point *at)
{
    TN_ASSERT(r->n > 0);
    const tn_sparse *EE = sys->block[TN_BLOCK_EE];
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_EXTRA | TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_TANGENT));
    for (int j = 0; j < r->n; j++)
        for (int i = 0; i < r->n; i++)
            r->matrix[j * r->n + i] = tn_sparse_at(EE, r->first + i, r->first + j);
    r->factored = tn_lu_factor(r->n, r->matrix, r->pivot) == TN_OK;
    r->side = side_of(r);
    if (r->factored)
        return TN_OK;
    return fail_roots(r, sys, at, least_determined(r, sys), TN_RETRY_SINGULAR,
                      "its equation does not determine it (db/dw and dh/ds must be regular)");
}

// One iteration with the factors there are; the size of the correction in units of round-off.
// `left` of the residual at the begin of a homotopy is meant to stay.
static tn_status correct_roots(tn_roots *r, tn_system *sys, const tn_point *at, double left,
                               double *y, double *size)
{
    TN_ASSERT(r->factored);
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_EXTRA));
    tn_copy(r->n, r->step, r->last);
    tn_copy(r->n, sys->extra + r->first, r->step);
    if (left > 0.0)
        tn_axpy(r->n, -left, r->misfit, r->step);
    tn_lu_solve(r->n, r->matrix, r->pivot, r->step);
    tn_axpy(r->n, -1.0, r->step, y);
    *size = tn_norm_inf(r->n, r->step) / (1.0 + tn_norm_inf(r->n, y));
    return TN_OK;
}

// Largest ratio of corrections, variable by variable, as these may differ in size. One that hardly
// changes has no rate, so that its corrections are compared with a small part of it.
static double shrinkage(const tn_roots *r, const double *y)
{
    const double part = 1e-3;
    double most = 0.0;
    for (int i = 0; i < r->n; i++)
        if (fabs(r->step[i]) > TN_ROUND_SOLVE * (1.0 + fabs(y[i])))
            most = fmax(most, fabs(r->step[i]) /
                                  fmax(fabs(r->last[i]), part * fabs(y[i]) + TN_ROUND_ITERATE));
    return most;
}

// With factors of where it began the iteration must contract by this from its first step on: beyond
// that it may come to another root than the one that goes on from there, and a shorter step of the
// motion is asked for [Deu04, sect. 2.1.2].
static const double CONTRACTS = 0.5;

static tn_status solve_roots(tn_roots *r, tn_system *sys, const tn_point *at, double left,
                             double *e)
{
    enum { MAX_ITERATIONS = 60 };
    const double enough = 4e-15, rounding = 1e-11; // corrections that no longer shrink below this
    double last = INFINITY, size = 0.0, *y = e + r->first;
    bool fresh = !r->factored;
    int side = fresh ? 0 : r->side;
    if (r->n == 0)
        return TN_OK;
    r->rate = 0.0;
    tn_copy(r->n, y, r->begin);
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        if (!r->factored)
            TN_TRY(tn_roots_renew(r, sys, at));
        if (side && r->side != side)
            break;
        side = r->side;
        TN_TRY(correct_roots(r, sys, at, left, y, &size));
        const double rate = isinf(last) ? 1.0 : size / last; // nothing is known at first
        if (r->rate == 0.0 && !isinf(last))
            r->rate = shrinkage(r, y);
        if (size <= enough || (rate < 1.0 && size * rate <= enough) ||
            (rate > 0.5 && size < rounding && k > 1))
            return TN_OK;
        const bool slow = !isfinite(size) || (!isinf(last) && rate > 0.1);
        if (slow && fresh && !(rate <= CONTRACTS && isfinite(size)))
            break;
        if (slow)
            r->factored = false;
        last = size;
        if (slow && !fresh) { // the old factors may be the cause: once more from where it began
            tn_copy(r->n, r->begin, y);
            fresh = true;
            last = INFINITY;
            r->rate = 0.0;
            side = 0;
        }
    }
    tn_copy(r->n, r->begin, y);
    return fail_roots(r, sys, at, most_corrected(r), TN_RETRY_NEWTON,
                      "its equation was not solved");
}

tn_status tn_roots_find(tn_roots *r, tn_system *sys, const tn_point *at, double *e)
{
    return solve_roots(r, sys, at, 0.0, e);
}

tn_status tn_roots_improve(tn_roots *r, tn_system *sys, const tn_point *at, double *e)
{
    double size;
    return correct_roots(r, sys, at, 0.0, e + r->first, &size);
}

// From s = 0 to 1 in parts that are halved where the iteration does not contract.
static tn_status follow_homotopy(tn_roots *r, tn_system *sys, const tn_point *at, double *e)
{
    static const double SHORTEST = 1e-3;
    double done = 0.0, part = 0.5;
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_EXTRA));
    tn_copy(r->n, sys->extra + r->first, r->misfit);
    while (done < 1.0) {
        const double next = fmin(done + part, 1.0);
        const tn_status status = solve_roots(r, sys, at, 1.0 - next, e);
        if (status < 0 || (status > 0 && part < SHORTEST))
            return status;
        if (status > 0)
            tn_copy(r->n, r->begin, e + r->first);
        done = status > 0 ? done : next;
        part *= status > 0 ? 0.5 : 2.0;
    }
    tn_clear_error();
    return TN_OK;
}

tn_status tn_roots_follow(tn_roots *r, tn_system *sys, const tn_point *at, double *e)
{
    double *y = e + r->first;
    tn_copy(r->n, y, r->home);
    tn_status status = tn_roots_find(r, sys, at, e);
    if (status <= 0)
        return status;
    tn_copy(r->n, r->home, y);
    status = follow_homotopy(r, sys, at, e);
    if (status != TN_OK)
        tn_copy(r->n, r->home, y);
    return status;
}

// Corrections that stay below this part of the variables are round-off of stiff equations.
static const double STIFF = 1e-8;

tn_status tn_roots_search(tn_roots *r, tn_system *sys, const tn_point *at, double *e)
{
    enum { MAX_ITERATIONS = 50 };
    double size = 0.0;
    for (int k = 0; r->n > 0 && k < MAX_ITERATIONS; k++) {
        const tn_status status = tn_roots_renew(r, sys, at);
        if (status == TN_RETRY_SINGULAR)
            return tn_fail(TN_ERR_SINGULAR, "%s; state another start", tn_last_error());
        TN_TRY(status);
        TN_TRY(correct_roots(r, sys, at, 0.0, e + r->first, &size));
        if (size <= TN_ROUND_SUM)
            return TN_OK;
    }
    if (size < STIFF)
        return TN_OK;
    return fail_roots(r, sys, at, most_corrected(r), TN_ERR_SINGULAR,
                      "no value was found that solves its equation; state a start near to one");
}
