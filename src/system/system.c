// SPDX-License-Identifier: MIT
//
// All systems share this: counted and checked evaluation, and the product of a block with the
// tangent operator of the configuration group.

#include "system/system.h"

#include "linalg/dense.h"
#include "model/units.h"
#include "tenon/sim.h"

#include <math.h>
#include <stdio.h>

static int first_bad(int n, const double *x)
{
    int i = 0;
    while (i < n && tn_all_finite(1, x + i))
        i++;
    return i;
}

static tn_status bad_force(tn_system *sys, const tn_point *at)
{
    char name[160] = "", force[160] = "";
    const int i = first_bad(sys->nv, sys->f);
    sys->ops->velocity_name(sys, i, name, sizeof name);
    const double value = sys->f[i];
    if (sys->ops->force_name)
        sys->ops->force_name(sys, at, force, sizeof force);
    return tn_fail(TN_RETRY_FUNCTION, "%s is %g at t = %g s (%s)", *force ? force : "the force",
                   value, at->t, name);
}

// Every evaluation runs the checks that follow: names have their room in functions that are called
// when something is wrong.
static tn_status bad_rows(const tn_system *sys, const char *what, int n, const double *x, double t)
{
    char name[160] = "";
    const int i = first_bad(n, x);
    const char *why = x == sys->g && sys->ops->row_none ? sys->ops->row_none(sys, i) : NULL;
    sys->ops->row_name(sys, i, name, sizeof name);
    if (why)
        return tn_fail(TN_RETRY_FUNCTION, "%s: there is no contact at t = %g s: %s", name, t, why);
    return tn_fail(TN_RETRY_FUNCTION, "%s is %g at t = %g s (%s)", what, x[i], t, name);
}

static tn_status check_rows(const tn_system *sys, const char *what, int n, const double *x,
                            double t)
{
    return tn_all_finite(n, x) ? TN_OK : bad_rows(sys, what, n, x, t);
}

// The row of the first number of a block that is not finite; -1 for none.
static int bad_row(const tn_sparse *A)
{
    return !A || tn_all_finite(A->nnz, A->val) ? -1 : A->rowind[first_bad(A->nnz, A->val)];
}

static tn_status bad_row_block(const tn_system *sys, const char *what, int row, double t)
{
    char name[160] = "";
    sys->ops->row_name(sys, row, name, sizeof name);
    return tn_fail(TN_RETRY_FUNCTION, "%s is not finite at t = %g s (%s)", what, t, name);
}

// Checks derivatives of rows: those of user-defined joints may be anything. Otherwise they would
// pass into matrices, and steps would end as if they did not converge.
static tn_status check_row_block(const tn_system *sys, const char *what, const tn_sparse *A,
                                 int row0, double t)
{
    const int i = bad_row(A);
    return i < 0 ? TN_OK : bad_row_block(sys, what, row0 + i, t);
}

static tn_status check_row_blocks(const tn_system *sys, double t, unsigned want)
{
    static const char first[] = "the gradient of a constraint",
                      second[] = "the second derivative of a constraint";
    if (want & TN_EVAL_B) {
        TN_TRY(check_row_block(sys, first, sys->block[TN_BLOCK_B], 0, t));
        TN_TRY(check_row_block(sys, first, sys->block[TN_BLOCK_N], sys->ng, t));
    }
    if (want & TN_EVAL_TANGENT) {
        TN_TRY(check_row_block(sys, second, sys->block[TN_BLOCK_Z], 0, t));
        TN_TRY(check_row_block(sys, second, sys->block[TN_BLOCK_NZ], sys->ng, t));
    }
    return TN_OK;
}

static tn_status check_constraints(const tn_system *sys, const tn_point *at, unsigned want)
{
    if (sys->ng + sys->nn == 0)
        return TN_OK;
    if (want & TN_EVAL_G)
        TN_TRY(check_rows(sys, "a constraint", sys->ng, sys->g, at->t));
    if (want & TN_EVAL_GDOT)
        TN_TRY(check_rows(sys, "the rate of a constraint", sys->ng, sys->gdot, at->t));
    if (want & TN_EVAL_GAMMA)
        TN_TRY(check_rows(sys, "the acceleration of a constraint", sys->ng, sys->gamma, at->t));
    return check_row_blocks(sys, at->t, want);
}

// Second derivatives over an interval, which no row has for itself.
static tn_status check_tangent(const tn_system *sys, double t)
{
    char name[160] = "";
    const int i = bad_row(sys->block[TN_BLOCK_K]);
    if (i < 0)
        return TN_OK;
    sys->ops->velocity_name(sys, i, name, sizeof name);
    return tn_fail(TN_RETRY_FUNCTION,
                   "a second derivative of a constraint or of a potential is not finite at t = %g "
                   "s (%s)",
                   t, name);
}

static tn_status bad_rate(const tn_system *sys, const tn_point *at)
{
    char name[300] = "";
    const int i = first_bad(sys->nc, sys->extra);
    tn_system_extra_name(sys, i, name, sizeof name);
    return tn_fail(TN_RETRY_FUNCTION, "the rate of %s is %g at t = %g s", name, sys->extra[i],
                   at->t);
}

// Rates of states. Equations of unknowns are for who solves them.
static tn_status check_rates(const tn_system *sys, const tn_point *at, unsigned want)
{
    const bool fine = !(want & TN_EVAL_EXTRA) || tn_all_finite(sys->nc, sys->extra);
    return fine ? TN_OK : bad_rate(sys, at);
}

// Rows at which bodies are apart, or slip.
static void clear_open_rows(const tn_system *sys)
{
    for (int i = 0; sys->row_open && i < sys->ng; i++)
        if (sys->row_open[i])
            sys->g[i] = sys->gdot[i] = sys->gamma[i] = 0.0;
    for (int i = 0; sys->row_open && i < sys->nn; i++)
        if (sys->row_open[sys->ng + i])
            sys->ndot[i] = sys->ngamma[i] = 0.0;
}

static tn_status eval_parts(tn_system *sys, const tn_point *at, unsigned want)
{
    return sys->nslide > 0 ? tn_slides_eval(sys, at, want) : sys->ops->eval(sys, at, want);
}

tn_status tn_system_eval(tn_system *sys, const tn_point *at, unsigned want)
{
    TN_ASSERT(at->q && want != 0);
    sys->evals++;
    sys->t = at->t;
    if (want & TN_EVAL_LOADS && !sys->ops->loads)
        want |= TN_EVAL_TANGENT;
    if (want & (TN_EVAL_TANGENT | TN_EVAL_LOADS))
        sys->tangents++;
    TN_TRY(eval_parts(sys, at, want));
    if (want & (TN_EVAL_FORCE | TN_EVAL_DYNAMICS) && !tn_all_finite(sys->nv, sys->f))
        return bad_force(sys, at);
    TN_TRY(check_rates(sys, at, want));
    clear_open_rows(sys);
    return check_constraints(sys, at, want);
}

tn_status tn_system_sample(tn_system *sys, const tn_point *at, unsigned want)
{
    const tn_status status = eval_parts(sys, at, want);
    clear_open_rows(sys);
    return status;
}

tn_status tn_system_gradient(tn_system *sys, const tn_span *over, unsigned want)
{
    TN_ASSERT(over->h > 0.0 && sys->ops->gradient);
    const tn_point end = {.t = over->t + over->h, .q = over->q1, .v = over->u, .r = over->r};
    sys->evals++;
    sys->t = over->t;
    if (want & TN_EVAL_TANGENT)
        sys->tangents++;
    TN_TRY(sys->ops->gradient->eval(sys, over, want));
    if (want & TN_EVAL_FORCE && !tn_all_finite(sys->nv, sys->f))
        return bad_force(sys, &end);
    TN_TRY(check_row_blocks(sys, end.t, want & TN_EVAL_B));
    return want & TN_EVAL_TANGENT ? check_tangent(sys, end.t) : TN_OK;
}

void tn_system_extra_name(const tn_system *sys, int i, char *text, size_t size)
{
    TN_ASSERT(i >= 0 && i < sys->ne);
    const char *const list = i < sys->nc ? "c" : i < sys->nc + sys->nw ? "w" : "s";
    const int first = i < sys->nc ? 0 : i < sys->nc + sys->nw ? sys->nc : sys->nc + sys->nw;
    if (sys->ops->extra_name)
        sys->ops->extra_name(sys, i, text, size);
    else
        snprintf(text, size, "%s %d", list, i - first);
}

tn_status tn_system_accelerate(tn_system *sys, const tn_point *at, unsigned want, double *a)
{
    TN_ASSERT(sys->ops->recursive && (sys->nv == 0 || a != at->v));
    sys->evals++;
    sys->t = at->t;
    TN_TRY(sys->ops->recursive->accelerate(sys, at, want, a));
    if (!tn_all_finite(sys->nv, a)) {
        TN_TRY(sys->ops->eval(sys, at, TN_EVAL_FORCE));
        return tn_all_finite(sys->nv, sys->f)
                   ? tn_fail(TN_RETRY_FUNCTION, "accelerations are not finite at t = %g s", at->t)
                   : bad_force(sys, at);
    }
    TN_TRY(check_rates(sys, at, want));
    clear_open_rows(sys);
    return check_constraints(sys, at, want);
}

unsigned tn_system_residual_parts(const tn_system *sys)
{
    const unsigned dynamics = sys->ops->recursive ? TN_EVAL_DYNAMICS : TN_EVAL_MASS | TN_EVAL_FORCE;
    return sys->ng + sys->nn > 0 ? dynamics | TN_EVAL_B : dynamics;
}

void tn_system_residual(const tn_system *sys, const tn_point *at, double *r)
{
    for (int i = 0; i < sys->nv; i++)
        r[i] = -sys->f[i];
    if (!sys->ops->recursive)
        tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, at->a, r);
    if (sys->ng > 0)
        tn_sparse_mul_t(sys->block[TN_BLOCK_B], 1.0, at->lambda, r);
    if (sys->nn > 0)
        tn_sparse_mul_t(sys->block[TN_BLOCK_N], 1.0, at->eta, r);
}

void tn_system_stack(const tn_system *sys, double s, const double *g, const double *n, double *out)
{
    for (int i = 0; i < sys->ng; i++)
        out[i] = s * g[i];
    for (int i = 0; i < sys->nn; i++)
        out[sys->ng + i] = s * n[i];
}

bool tn_system_row_counts(const tn_system *sys, int i)
{
    TN_ASSERT(i >= 0 && i < sys->ng && sys->row_most);
    static const double NOISE = 1e-11; // of the size of a row: round-off
    const bool active = !sys->row_active || sys->row_active[i];
    return active && sys->row_size && sys->row_most[i] > NOISE * sys->row_size[i];
}

// Solvers scale rows, which hides those that shrink as a whole: the square of the most shrunken
// row, as the condition of C M^-1 C^T has squares.
static double shrunken(tn_system *sys)
{
    TN_ASSERT(sys->row_most && sys->block[TN_BLOCK_B]);
    const tn_sparse *B = sys->block[TN_BLOCK_B];
    double least = 1.0;
    tn_zero(sys->ng, sys->row_now);
    for (int k = 0; k < B->nnz; k++)
        sys->row_now[B->rowind[k]] = fmax(sys->row_now[B->rowind[k]], fabs(B->val[k]));
    for (int i = 0; i < sys->ng; i++) {
        sys->row_most[i] = fmax(sys->row_most[i], sys->row_now[i]);
        if (tn_system_row_counts(sys, i))
            least = fmin(least, sys->row_now[i] / sys->row_most[i]);
    }
    return least * least;
}

void tn_system_note_rcond(tn_system *sys, double rcond)
{
    tn_system_note_rows(sys, sys->row_most ? rcond * shrunken(sys) : rcond);
}

void tn_system_note_rows(tn_system *sys, double rcond)
{
    if (sys->hint && rcond < sys->hint->rcond)
        *sys->hint = (tn_rank_hint){rcond, sys->t};
}

void tn_system_set_units(tn_system *sys, tn_units units)
{
    TN_ASSERT(units.length > 0.0);
    sys->units = units;
    sys->time_scale = 1.0;
}

double tn_system_typical(const tn_system *sys, tn_kind kind)
{
    TN_ASSERT(sys->time_scale > 0.0 && kind >= 0 && kind < TN_KIND_COUNT);
    switch (kind) {
    case TN_KIND_SPEED:
    case TN_KIND_RATE:
        return 1.0 / sys->time_scale;
    case TN_KIND_FORCE:
        return 1.0 / (sys->time_scale * sys->time_scale);
    default:
        return 1.0;
    }
}

void tn_system_typical_sizes(const tn_system *sys, double size[TN_KIND_COUNT])
{
    for (int k = 0; k < TN_KIND_COUNT; k++)
        size[k] = tn_system_typical(sys, k);
}

double tn_system_row_unit(const tn_system *sys, int i)
{
    TN_ASSERT(i >= 0 && i < sys->ng + sys->nn);
    return sys->g_length && sys->g_length[i] ? sys->units.length : 1.0;
}

double tn_system_unit(const tn_system *sys, tn_measure measure, int i)
{
    TN_ASSERT(i >= 0 && measure <= TN_MEASURE_ETA);
    const bool *const n_length = sys->g_length ? sys->g_length + sys->ng : NULL;
    const bool *const lengths[] = {
        [TN_MEASURE_POSITION] = sys->q_length,
        [TN_MEASURE_VELOCITY] = sys->v_length,
        [TN_MEASURE_FORCE] = sys->v_length,
        [TN_MEASURE_ROW] = sys->g_length,
        [TN_MEASURE_MULTIPLIER] = sys->g_length,
        [TN_MEASURE_VELOCITY_ROW] = n_length,
        [TN_MEASURE_ETA] = n_length,
    };
    const bool *is_length = lengths[measure];
    const bool by_work = measure == TN_MEASURE_FORCE || measure == TN_MEASURE_MULTIPLIER ||
                         measure == TN_MEASURE_ETA;
    if (!is_length)
        return 1.0;
    const double unit = is_length[i] ? sys->units.length : 1.0;
    return by_work ? tn_unit_energy(sys->units) / unit : unit;
}

static int measured_count(const tn_system *sys, tn_measure measure)
{
    return measure == TN_MEASURE_POSITION     ? sys->nq
           : measure < TN_MEASURE_ROW         ? sys->nv
           : measure <= TN_MEASURE_MULTIPLIER ? sys->ng
                                              : sys->nn;
}

void tn_system_to_si(const tn_system *sys, tn_measure measure, const double *x, double *out)
{
    for (int i = 0; i < measured_count(sys, measure); i++)
        out[i] = x[i] * tn_system_unit(sys, measure, i);
}

void tn_system_from_si(const tn_system *sys, tn_measure measure, const double *x, double *out)
{
    for (int i = 0; i < measured_count(sys, measure); i++)
        out[i] = x[i] / tn_system_unit(sys, measure, i);
}

double tn_system_largest_row(const tn_system *sys, const double *g)
{
    double most = 0.0;
    for (int i = 0; i < sys->ng; i++)
        most = fmax(most, fabs(g[i]) * tn_system_row_unit(sys, i));
    return most;
}

double tn_system_largest_rate(const tn_system *sys)
{
    double most = tn_system_largest_row(sys, sys->gdot);
    for (int i = 0; i < sys->nn; i++)
        most = fmax(most, fabs(sys->ndot[i]) * tn_system_row_unit(sys, sys->ng + i));
    return most;
}

void tn_system_see_force(const tn_system *sys, const tn_point *at, const tn_force_data *force,
                         tn_force_view *out)
{
    const tn_force_def *def = &force->def;
    tn_body_state a, b;
    TN_ASSERT(sys->ops->mechanism);
    sys->ops->mechanism->body(sys, at, def->body_a.index, &a);
    sys->ops->mechanism->body(sys, at, def->body_b.index, &b);
    out->a = tn_frame_mul(a.frame, def->frame_a);
    out->b = tn_frame_mul(b.frame, def->frame_b);
}

void tn_system_layout(tn_system *sys, int nq, int nv, int ng, int nn, tn_carve *mem)
{
    sys->q_length = tn_carve_bytes(mem, sizeof(bool) * (size_t)nq);
    sys->v_length = tn_carve_bytes(mem, sizeof(bool) * (size_t)nv);
    sys->g_length = tn_carve_bytes(mem, sizeof(bool) * (size_t)(ng + nn));
    TN_CARVE_DOUBLES(mem, nv, &sys->f);
    TN_CARVE_DOUBLES(mem, nn, &sys->ndot, &sys->ngamma);
    TN_CARVE_DOUBLES(mem, ng, &sys->g, &sys->gdot, &sys->gamma);
}

void tn_force_state_to_si(tn_units units, const tn_row *row, tn_force_state *x)
{
    const double unit = tn_row_is_length(row) ? units.length : 1.0;
    const double energy = tn_unit_energy(units);
    x->on_b = tn_wrench_in_si(units, x->on_b);
    x->section = tn_wrench_in_si(units, x->section);
    x->curvature = tn_v3_scale(1.0 / units.length, x->curvature);
    x->coordinate *= unit;
    x->deflection *= unit;
    x->rate *= unit;
    x->effort *= energy / unit;
    x->energy *= energy;
    x->dissipated *= energy;
    x->supplied *= energy;
    x->power *= energy;
    x->slip *= units.length;
    x->slips = tn_v3_scale(units.length, x->slips);
}

void tn_system_destroy(tn_system *sys)
{
    if (!sys)
        return;
    for (int k = 0; k < TN_BLOCK_COUNT; k++)
        tn_sparse_destroy(sys->block[k]);
    for (int k = 0; k < sys->nslide; k++)
        tn_free(sys->slide[k].col);
    sys->ops->destroy(sys);
}

void tn_system_values(tn_system *sys, tn_values *v)
{
    for (int k = 0; k < TN_BLOCK_COUNT; k++)
        if (sys->block[k]) {
            tn_values_enter_at(v, "block", k);
            TN_VALUES_ANY(v, "1", sys->block[k]->nnz, sys->block[k]->val);
            tn_values_leave(v);
        }
    TN_VALUES_ANY(v, "force", sys->nv, sys->f);
    TN_VALUES_ANY(v, "row", sys->ng, sys->g, sys->gdot, sys->gamma);
    TN_VALUES_ANY(v, "row", sys->nn, sys->ndot, sys->ngamma);
    TN_VALUES_ANY(v, "1", sys->ne, sys->extra);
    if (sys->row_most)
        TN_VALUES(v, "row", sys->ng, sys->row_most);
    TN_VALUES_LONG(v, &sys->evals, &sys->tangents);
    TN_VALUES(v, "s", 1, &sys->time_scale, &sys->t);
    if (tn_values_are_read(v) && !(sys->time_scale > 0.0))
        tn_values_refuse(v, "the saved state has a time scale of %g s", sys->time_scale);
    TN_VALUES_ANY(v, "1", 1, &sys->reach);
    TN_VALUES_BOOL(v, &sys->piece.bounded);
    TN_VALUES_ANY(v, "s", 1, &sys->piece.from, &sys->piece.to);
    if (sys->ops->values)
        sys->ops->values(sys, v);
}

void tn_state_values(const tn_system *sys, tn_state *x, tn_values *v)
{
    TN_VALUES(v, "s", 1, &x->t);
    TN_VALUES(v, "q", sys->nq, x->q);
    TN_VALUES(v, "v", sys->nv, x->v);
    TN_VALUES(v, "a", sys->nv, x->a);
    TN_VALUES(v, "force", sys->ng, x->lambda);
    TN_VALUES(v, "force", sys->nn, x->eta);
    TN_VALUES(v, "1", sys->ne, x->e);
    TN_VALUES(v, "1", sys->nr, x->r);
}

void tn_state_layout(const tn_system *sys, tn_state *x, tn_carve *mem)
{
    TN_CARVE_DOUBLES(mem, sys->nq, &x->q);
    TN_CARVE_DOUBLES(mem, sys->nv, &x->v, &x->a);
    TN_CARVE_DOUBLES(mem, sys->ng, &x->lambda);
    TN_CARVE_DOUBLES(mem, sys->nn, &x->eta);
    TN_CARVE_DOUBLES(mem, sys->ne, &x->e);
    TN_CARVE_DOUBLES(mem, sys->nr, &x->r);
}

tn_point tn_state_point(const tn_state *x)
{
    return (tn_point){x->t, x->q, x->v, x->a, x->lambda, x->eta, x->e, x->r};
}

void tn_state_copy(const tn_system *sys, const tn_state *from, tn_state *to)
{
    to->t = from->t;
    tn_copy(sys->nq, from->q, to->q);
    tn_copy(sys->nv, from->v, to->v);
    tn_copy(sys->nv, from->a, to->a);
    tn_copy(sys->ng, from->lambda, to->lambda);
    tn_copy(sys->nn, from->eta, to->eta);
    tn_copy(sys->ne, from->e, to->e);
    tn_copy(sys->nr, from->r, to->r);
}
