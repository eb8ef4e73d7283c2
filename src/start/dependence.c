// SPDX-License-Identifier: MIT
//
// Checks of rows that were left out; see dependence.h.

#include "start/dependence.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

const double tn_dependence_rank = 4.0, tn_dependence_judge = 20.0;

// Slack for what the kept rows miss: coefficients are below 2 (row_choice.c), and residuals of
// second order come on top.
static const double SLACK = 10.0;
// A rate that would not bring a row to this part of its bound in all the time so far is no more
// than round-off.
static const double HARMLESS = 1e-3;
// Part of the accelerations by forces alone that round-off may leave in those of the rows.
static const double CANCELLED = 1e-6;
// The same of accelerations by reactions alone, which are large where rows are nearly dependent:
// round-off times the steps of the solver. With 100 times less a body at rest between two joints
// that almost line up is refused.
static const double CANCELLED_REACTIONS = 1e4 * DBL_EPSILON;

// The largest sum over j of |C_ij x_j|, relative to the size of row i.
static double largest_rate(const tn_system *sys, const tn_redundancy *r, const double *x,
                           double *sum)
{
    double most = 0.0;
    tn_zero(r->rows, sum);
    for (int b = 0; b < 2; b++) {
        const tn_sparse *C = sys->block[b ? TN_BLOCK_N : TN_BLOCK_B];
        const int first = b == 0 ? 0 : sys->ng;
        for (int j = 0; C && j < C->ncol; j++)
            for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++)
                sum[first + C->rowind[k]] += fabs(C->val[k] * x[j]);
    }
    for (int i = 0; i < r->rows; i++)
        most = fmax(most, sum[i] / r->size[i]);
    return most;
}

// The left-out row that misses most beyond its bound, `allowed` being relative to sizes of rows.
static void find_violated(const tn_redundancy *r, const int *active, int end,
                          const double *residual, double allowed, tn_level level, tn_violated *out)
{
    TN_ASSERT(end >= 0 && end <= r->rows);
    double slack = 0.0, worst = 1.0;
    for (int i = 0; i < end; i++)
        slack += active[i] ? SLACK * fabs(residual[i]) / r->size[i] : 0.0;
    for (int i = 0; i < end; i++) {
        const double bound = (allowed + slack) * r->size[i], found = fabs(residual[i]);
        if (active[i] || !(found > worst * bound))
            continue;
        worst = found / fmax(bound, 1e-300) * (1.0 + 1e-6); // the first of equals
        *out = (tn_violated){.row = i, .level = level, .residual = found, .bound = bound};
    }
}

static void judge_velocity(tn_system *sys, const tn_point *at, const tn_redundancy *r,
                           const int *active, double allowed, double since, double *speed,
                           double *work, tn_violated *out)
{
    TN_ASSERT(allowed > 0.0 && *speed >= 0.0);
    double *residual = work + r->rows;
    *speed = fmax(*speed, largest_rate(sys, r, at->v, work));
    const double bound = since > 0.0 ? fmax(allowed * *speed, HARMLESS * allowed / since)
                                     : allowed * *speed + TN_ROUND_SOLVE;
    // All at once: a velocity row may depend on rows of positions, whose rates formulations of
    // index 3 leave to errors.
    tn_copy(sys->ng, sys->gdot, residual);
    tn_copy(sys->nn, sys->ndot, residual + sys->ng);
    if (out->row < 0)
        find_violated(r, active, r->rows, residual, bound, TN_LEVEL_VELOCITY, out);
}

// Rate of the rows by forces x alone. The diagonal of M turns x into accelerations.
static double rate_by_forces(const tn_system *sys, const tn_redundancy *r, double *x, double *sum)
{
    const tn_sparse *M = sys->block[TN_BLOCK_M];
    for (int i = 0; i < sys->nv; i++) {
        const double m = M ? tn_sparse_at(M, i, i) : 0.0;
        x[i] = m > 0.0 ? x[i] / m : 0.0;
    }
    return largest_rate(sys, r, x, sum);
}

// x += |C^T| |lambda|: reactions that do not cancel each other.
static void add_reactions(const tn_sparse *C, const double *lambda, double *x)
{
    for (int j = 0; C && lambda && j < C->ncol; j++)
        for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++)
            x[j] += fabs(C->val[k] * lambda[C->rowind[k]]);
}

static void judge_acceleration(tn_system *sys, const tn_point *at, const tn_redundancy *r,
                               const int *active, double allowed, double speed, double *work,
                               tn_violated *out)
{
    TN_ASSERT(at->a && allowed > 0.0);
    double *residual = work + r->rows, *x = residual + r->rows;
    double rate = fmax(largest_rate(sys, r, at->a, work), speed * speed);
    tn_copy(sys->nv, sys->f, x); // accelerations are differences of forces and reactions
    rate = fmax(rate, CANCELLED * rate_by_forces(sys, r, x, work));
    tn_zero(sys->nv, x);
    add_reactions(sys->block[TN_BLOCK_B], at->lambda, x);
    add_reactions(sys->block[TN_BLOCK_N], at->eta, x);
    const double noise = CANCELLED_REACTIONS * rate_by_forces(sys, r, x, work);
    tn_copy(sys->ng, sys->gamma, residual);
    tn_copy(sys->nn, sys->ngamma, residual + sys->ng);
    for (int i = 0; i < r->rows; i++)
        rate = fmax(rate, active[i] ? fabs(residual[i]) / r->size[i] : 0.0);
    tn_sparse_mul(sys->block[TN_BLOCK_B], 1.0, at->a, residual);
    tn_sparse_mul(sys->block[TN_BLOCK_N], 1.0, at->a, residual + sys->ng);
    if (out->row < 0)
        find_violated(r, active, r->rows, residual, allowed * rate + noise + TN_ROUND_SOLVE,
                      TN_LEVEL_ACCELERATION, out);
}

tn_status tn_dependence_judge_rows(tn_system *sys, const tn_point *at, const tn_redundancy *r,
                                   const int *active, double tol, unsigned levels, double since,
                                   double *speed, tn_violated *out)
{
    TN_ASSERT(tol > 0.0 && levels != 0);
    const double allowed = tn_dependence_judge * tol;
    *out = (tn_violated){.row = -1};
    if (r->count == 0)
        return TN_OK;
    unsigned want = TN_EVAL_G | TN_EVAL_GDOT | TN_EVAL_B;
    if (levels & TN_LEVEL_ACCELERATION)
        want |= TN_EVAL_GAMMA | TN_EVAL_FORCE | TN_EVAL_MASS;
    TN_TRY(tn_system_eval(sys, at, want));
    if (levels & TN_LEVEL_POSITION)
        find_violated(r, active, sys->ng, sys->g, allowed, TN_LEVEL_POSITION, out);
    if (levels & TN_LEVEL_VELOCITY)
        judge_velocity(sys, at, r, active, allowed, since, speed, r->work, out);
    if (levels & TN_LEVEL_ACCELERATION)
        judge_acceleration(sys, at, r, active, allowed, *speed, r->work, out);
    return TN_OK;
}

// Names ------------------------------------------------------------------------------------------

static bool is_internal(const tn_system *sys, int i)
{
    return sys->ops->world && i < sys->ng && sys->ops->world->row(sys, i) < 0;
}

// Parts of the rows in what row k repeats. Those that time moves come first, be they ever so small
// (in a loop that a drive opens they are at first): a reader expects drives. With v = 0 the rates
// of rows are those that time gives them.
static tn_status dependence_parts_of(tn_system *sys, const tn_point *at, const tn_redundancy *r,
                                     const int *active, int row, double *part)
{
    TN_ASSERT(row >= 0 && row < r->rows);
    double misfit;
    tn_point still = *at;
    tn_zero(sys->nv, r->work);
    still.v = r->work;
    TN_TRY(tn_redundancy_combine(sys, at, active, row, part, &misfit));
    TN_TRY(tn_system_eval(sys, &still, TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA));
    for (int i = 0; i < r->rows; i++)
        part[i] = active[i] && !is_internal(sys, i) ? fabs(part[i]) * r->size[i] : 0.0;
    const double largest = tn_norm_inf(r->rows, part);
    for (int i = 0; i < sys->ng; i++)
        if (part[i] > 1e-9 * largest && (sys->gdot[i] != 0.0 || sys->gamma[i] != 0.0))
            part[i] += largest;
    return TN_OK;
}

tn_status tn_dependence_text(tn_system *sys, const tn_point *at, const tn_redundancy *r,
                             const int *active, int row, char *text, size_t size)
{
    TN_ASSERT(row >= 0 && row < r->rows && size > 0);
    enum { NAMED = 3 };
    size_t used = 0;
    double *part = tn_alloc(sizeof(double) * (size_t)(r->rows + 1));
    tn_status status = tn_got(part);
    TN_THEN(status, dependence_parts_of(sys, at, r, active, row, part));
    const double least = status == TN_OK ? 1e-3 * tn_norm_inf(r->rows, part) : 0.0;
    int left = 0;
    for (int i = 0; status == TN_OK && i < r->rows; i++)
        left += part[i] > least;
    snprintf(text, size, "others");
    for (int k = 0; k < NAMED && left > 0; k++, left--) {
        int best = 0;
        char name[160];
        for (int i = 1; i < r->rows; i++)
            best = part[i] > part[best] ? i : best;
        part[best] = 0.0;
        sys->ops->row_name(sys, best, name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 k == 0      ? ""
                                 : left == 1 ? " and "
                                             : ", ",
                                 name);
        used = used < size ? used : size - 1;
    }
    if (left > 0)
        snprintf(text + used, size - used, " and %d more", left);
    tn_free(part);
    return status;
}

tn_status tn_dependence_fail_start(tn_system *sys, const tn_point *at, const tn_redundancy *r,
                                   const int *active, const tn_violated *v)
{
    TN_ASSERT(v->row >= 0 && v->row < r->rows);
    char name[160], others[640];
    const char *level = v->level == TN_LEVEL_POSITION   ? "position"
                        : v->level == TN_LEVEL_VELOCITY ? "velocity"
                                                        : "acceleration";
    TN_TRY(tn_dependence_text(sys, at, r, active, v->row, others, sizeof others));
    sys->ops->row_name(sys, v->row, name, sizeof name);
    return tn_fail(TN_ERR_MODEL,
                   "the constraints contradict each other on %s level at t = %g s: %s depends on "
                   "%s, but its %s misses theirs by %.4g; remove one of them or make them agree",
                   level, at->t, name, others, level,
                   v->residual * tn_system_row_unit(sys, v->row));
}
