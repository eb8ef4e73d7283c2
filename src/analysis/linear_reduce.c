// SPDX-License-Identifier: MIT
//
// The linearised equations on the motions G y; see linear_motion.h. Where forces depend on
// reactions the equations are not multiplied with G^T but with L^T, L^T (B^T + FL) = 0,
//
//   L = G - B^T S,    (B^T + FL)^T B^T S = (B^T + FL)^T G
//
// and where rates of states depend on them lambda follows from the equations across the motions,
//
//   lambda = -Y (M a + D' v + K' x + FE e + (N^T + FN) eta - U u),   Y = (B (B^T + FL))^-1 B

#include "analysis/linear_motion.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "model/units.h"
#include "system/absolute.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

typedef struct reduction {
    tn_equilibrium *s;
    int n, nu, m;                // m: active holonomic rows
    const double *G;             // nv x n
    int *row, *place;            // m: which; ng: where among these, -1
    int nn, *roll, *rolls;       // the same of rows of velocities
    double *Ct, *Bt;             // nv x m: B^T + FL, B^T
    double *L;                   // nv x n
    double *Y;                   // nv x m: transposed
    double *x, *y, *z;           // nv
    double *rows, *finer, *more; // nv + ng + nn + ne: of inputs
    tn_reduced_motion *out;
    bool uses_lambda, rates_use_lambda;
} reduction;

static void layout_reduced(void *self, tn_carve *mem)
{
    tn_reduced_motion *r = self;
    TN_CARVE_DOUBLES(mem, r->n * r->n, &r->M, &r->D, &r->K);
    r->F = tn_carve_doubles(mem, r->n * r->ne);
    r->H = tn_carve_doubles(mem, r->n * r->nn);
    r->U = tn_carve_doubles(mem, r->n * r->nu);
    TN_CARVE_DOUBLES(mem, r->nn * r->n, &r->N, &r->Z);
    r->P = tn_carve_doubles(mem, r->nn * r->ne);
    r->W = tn_carve_doubles(mem, r->nn * r->nu);
    TN_CARVE_DOUBLES(mem, r->ne * r->n, &r->Q, &r->V, &r->Ma);
    r->E = tn_carve_doubles(mem, r->ne * r->ne);
    r->X = tn_carve_doubles(mem, r->ne * r->nn);
    r->R = tn_carve_doubles(mem, r->ne * r->nu);
    r->push = tn_carve_doubles(mem, r->nv * r->nu);
}

static void layout_work(void *self, tn_carve *mem)
{
    reduction *r = self;
    const tn_system *sys = r->s->sys;
    TN_CARVE_INTS(mem, sys->ng, &r->row, &r->place);
    TN_CARVE_INTS(mem, sys->nn, &r->roll, &r->rolls);
    TN_CARVE_DOUBLES(mem, sys->nv * sys->ng, &r->Ct, &r->Bt, &r->Y);
    r->L = tn_carve_doubles(mem, sys->nv * r->n);
    TN_CARVE_DOUBLES(mem, sys->nv, &r->x, &r->y, &r->z);
    TN_CARVE_DOUBLES(mem, sys->nv + sys->ng + 2 * sys->nn + sys->ne, &r->rows, &r->finer, &r->more);
}

static int list_active(int n, const int *active, int *row, int *place)
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        place[i] = active[i] ? m : -1;
        if (active[i])
            row[m++] = i;
    }
    return m;
}

// Columns of a block for active rows of multipliers, added to out (nv rows).
static void add_columns(const tn_sparse *A, int m, const int *row, double *out)
{
    for (int k = 0; A && k < m; k++)
        for (int i = A->colptr[row[k]]; i < A->colptr[row[k] + 1]; i++)
            tn_column_of(out, A->nrow, k)[A->rowind[i]] += A->val[i];
}

// L, and Y where rates ask for it.
static tn_status find_left(reduction *r)
{
    const tn_system *sys = r->s->sys;
    const int nv = sys->nv, m = r->m;
    tn_copy(nv * r->n, r->G, r->L);
    if (!r->uses_lambda || m == 0)
        return TN_OK;
    tn_sparse_rows(sys->block[TN_BLOCK_B], r->place, nv, r->Bt);
    tn_copy(nv * m, r->Bt, r->Ct);
    add_columns(sys->block[TN_BLOCK_FL], m, r->row, r->Ct);
    double *square = tn_alloc(sizeof(double) * (size_t)(m * m + m + 1) + sizeof(int) * (size_t)m);
    TN_TRY(tn_got(square));
    double *b = square + m * m;
    int *pivot = (int *)(b + m + 1);
    tn_inner(nv, m, r->Ct, m, r->Bt, square); // (B^T + FL)^T B^T
    tn_status status = tn_lu_factor(m, square, pivot);
    for (int c = 0; status == TN_OK && c < r->n; c++) {
        double *column = tn_column_of(r->L, nv, c);
        tn_inner(nv, m, r->Ct, 1, column, b);
        tn_lu_solve(m, square, pivot, b);
        tn_add_columns(nv, m, -1.0, r->Bt, b, column);
    }
    for (int i = 0; status == TN_OK && i < nv; i++) { // rows of Y^T: (B Ct)^-1 = square^-T
        for (int k = 0; k < m; k++)
            b[k] = tn_column_of(r->Bt, nv, k)[i];
        tn_lu_solve_t(m, square, pivot, b);
        for (int k = 0; k < m; k++)
            tn_column_of(r->Y, nv, k)[i] = b[k];
    }
    tn_free(square);
    if (status != TN_RETRY_SINGULAR)
        return status;
    return tn_fail(TN_ERR_NUMERIC, "the reactions on which forces depend are not determined here: "
                                   "constraints repeat each other, or friction locks");
}

// Adds the effect of a force (nv, as in the residual) on the rates of e through lambda to `to`
// (ne).
static void through_reactions(const reduction *r, const double *force, double *to)
{
    const tn_sparse *EL = r->s->sys->block[TN_BLOCK_EL];
    if (!r->rates_use_lambda)
        return;
    for (int k = 0; k < r->m; k++) {
        const double lambda = -tn_dot(r->s->sys->nv, tn_column_of(r->Y, r->s->sys->nv, k), force);
        for (int i = EL->colptr[r->row[k]]; i < EL->colptr[r->row[k] + 1]; i++)
            to[EL->rowind[i]] += EL->val[i] * lambda;
    }
}

static void project(const reduction *r, const double *force, double *to)
{
    tn_inner(r->s->sys->nv, r->n, r->L, 1, force, to);
}

static void take_rows(int nn, const int *roll, const double *all, double *to)
{
    for (int k = 0; k < nn; k++)
        to[k] = all[roll[k]];
}

// The columns of motion c.
static void put_motion(reduction *r, int c)
{
    tn_equilibrium *s = r->s;
    tn_system *sys = s->sys;
    tn_reduced_motion *o = r->out;
    const double *g = r->G + (size_t)c * (size_t)sys->nv;
    const int n = r->n, ne = sys->ne;
    double *moving = r->z;
    tn_eq_times_mass(s, g, r->x);
    project(r, r->x, tn_column_of(o->M, n, c));
    through_reactions(r, r->x, tn_column_of(o->Ma, ne, c));
    tn_eq_times_damping(s, g, r->x);
    project(r, r->x, tn_column_of(o->D, n, c));
    through_reactions(r, r->x, tn_column_of(o->V, ne, c));
    tn_eq_times_stiffness(s, g, r->x);
    project(r, r->x, tn_column_of(o->K, n, c));
    through_reactions(r, r->x, tn_column_of(o->Q, ne, c));
    tn_eq_velocity_of(s, g, moving);
    tn_sparse_mul(sys->block[TN_BLOCK_EQ], 1.0, g, tn_column_of(o->Q, ne, c));
    tn_sparse_mul(sys->block[TN_BLOCK_EV], 1.0, moving, tn_column_of(o->Q, ne, c));
    tn_sparse_mul(sys->block[TN_BLOCK_EV], 1.0, g, tn_column_of(o->V, ne, c));
    tn_zero(sys->nn, r->more);
    tn_sparse_mul(sys->block[TN_BLOCK_N], 1.0, g, r->more);
    take_rows(r->nn, r->roll, r->more, tn_column_of(o->N, r->nn, c));
    tn_zero(sys->nn, r->more);
    tn_sparse_mul(sys->block[TN_BLOCK_NZ], 1.0, g, r->more);
    tn_sparse_mul(sys->block[TN_BLOCK_N], 1.0, moving, r->more);
    take_rows(r->nn, r->roll, r->more, tn_column_of(o->Z, r->nn, c));
}

static void dense_column(const tn_sparse *A, int c, int rows, double *out)
{
    tn_zero(rows, out);
    for (int k = A ? A->colptr[c] : 0; A && k < A->colptr[c + 1]; k++)
        out[A->rowind[k]] = A->val[k];
}

static void put_extra(reduction *r, int c)
{
    const tn_system *sys = r->s->sys;
    tn_reduced_motion *o = r->out;
    dense_column(sys->block[TN_BLOCK_FE], c, sys->nv, r->x);
    project(r, r->x, tn_column_of(o->F, r->n, c));
    dense_column(sys->block[TN_BLOCK_EE], c, sys->ne, tn_column_of(o->E, sys->ne, c));
    through_reactions(r, r->x, tn_column_of(o->E, sys->ne, c));
    dense_column(sys->block[TN_BLOCK_NE], c, sys->nn, r->more);
    take_rows(r->nn, r->roll, r->more, tn_column_of(o->P, r->nn, c));
}

// N^T + FN, and what extra equations depend on by it.
static void put_eta(reduction *r, int k)
{
    const tn_system *sys = r->s->sys;
    tn_reduced_motion *o = r->out;
    tn_zero(sys->nn, r->more);
    tn_zero(sys->nv, r->x);
    r->more[r->roll[k]] = 1.0;
    tn_sparse_mul_t(sys->block[TN_BLOCK_N], 1.0, r->more, r->x);
    tn_sparse_mul(sys->block[TN_BLOCK_FN], 1.0, r->more, r->x);
    project(r, r->x, tn_column_of(o->H, r->n, k));
    dense_column(sys->block[TN_BLOCK_EN], r->roll[k], sys->ne, tn_column_of(o->X, sys->ne, k));
    through_reactions(r, r->x, tn_column_of(o->X, sys->ne, k));
}

// Inputs ------------------------------------------------------------------------------------------

// The residual, g', n' and extra equations.
static tn_status eval_rows(reduction *r, double *rows)
{
    tn_equilibrium *s = r->s;
    tn_system *sys = s->sys;
    const tn_point at = tn_eq_point(s, &s->now);
    TN_TRY(tn_system_eval(sys, &at,
                          tn_system_residual_parts(sys) | TN_EVAL_G | TN_EVAL_GDOT |
                              (sys->ne > 0 ? TN_EVAL_EXTRA : 0)));
    tn_system_residual(sys, &at, rows);
    tn_copy(sys->ng, sys->g, rows + sys->nv);
    tn_copy(sys->nn, sys->ndot, rows + sys->nv + sys->ng);
    tn_copy(sys->ne, sys->extra, rows + sys->nv + sys->ng + sys->nn);
    return TN_OK;
}

static tn_status rows_with_input(reduction *r, int input, double value, double *rows)
{
    tn_eq_put_input(r->s, input, value);
    return eval_rows(r, rows);
}

// By the exact derivatives of expressions, on whose values rows depend affinely.
static tn_status differentiate_sampled(reduction *r, int value)
{
    tn_system *sys = r->s->sys;
    const int n = sys->nv + sys->ng + sys->nn + sys->ne;
    double *zero = tn_alloc(sizeof(double) * (size_t)(sys->nv + sys->ne + sys->nr + 1));
    TN_TRY(tn_got(zero));
    double *held = zero + sys->nv + sys->ne;
    held[tn_absolute_sampled_place(sys) + value] = 1.0;
    const tn_variation by = {.x = zero, .v = zero, .e = zero + sys->nv, .r = held, .input = -1};
    const tn_point at = tn_eq_point(r->s, &r->s->now);
    tn_status status = eval_rows(r, r->more);
    tn_absolute_vary_signals(sys, &at, &by);
    tn_absolute_nudge_signals(sys, true);
    TN_THEN(status, eval_rows(r, r->rows));
    tn_absolute_nudge_signals(sys, false);
    tn_free(zero);
    tn_axpy(n, -1.0, r->more, r->rows);
    return status;
}

// d rows / d input by differences of fourth order into `to`, and what of it may be round-off, of
// rows and of the input.
static tn_status difference_of(reduction *r, int input, double u, double h, double *to,
                               double *round_off)
{
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};
    const tn_system *sys = r->s->sys;
    const int n = sys->nv + sys->ng + sys->nn + sys->ne;
    double most = 0.0;
    tn_zero(n, to);
    for (int k = 0; k < 4; k++) {
        TN_TRY(rows_with_input(r, input, u + at[k] * h, r->more));
        tn_axpy(n, weight[k] / (12.0 * h), r->more, to);
        most = fmax(most, fmax(tn_norm_inf(sys->nv, sys->f), tn_norm_inf(n, r->more)));
    }
    *round_off = 4.0 * DBL_EPSILON * (most + fabs(u) * tn_norm_inf(n, to)) / h;
    return tn_all_finite(n, to) ? TN_OK : TN_RETRY_SINGULAR;
}

// Rows are linear in inputs mostly: the widest difference that the next one confirms, or where none
// does that which the next one is nearest to, and by what part of it these differ.
static tn_status differentiate_input(reduction *r, int input, double u, double *unsure)
{
    enum { WIDTHS = 13 };
    static const double NARROWER = 0.1;
    const tn_system *sys = r->s->sys;
    const int n = sys->nv + sys->ng + sys->nn + sys->ne;
    double *best = tn_alloc(sizeof(double) * (size_t)(n + 1)), least = INFINITY, round_off = 0.0;
    tn_status status = tn_got(best);
    bool known = false, sure = false; // the step before, in `rows`; it is confirmed
    double h = fmax(1.0, fabs(u));
    for (int k = 0; k < WIDTHS && status == TN_OK && !sure; k++, h *= NARROWER) {
        status = difference_of(r, input, u, h, r->finer, &round_off);
        if (status != TN_OK && status != TN_ERR_MEMORY && k + 1 < WIDTHS) {
            tn_clear_error();
            known = false;
            status = TN_OK;
            continue;
        }
        double apart = 0.0;
        for (int i = 0; i < n && known; i++)
            apart = fmax(apart, fabs(r->finer[i] - r->rows[i]));
        sure = known && apart <= 1e-11 * tn_norm_inf(n, r->rows) + round_off;
        if (known && (sure || apart + round_off < least)) {
            least = apart + round_off;
            tn_copy(n, r->rows, best);
        }
        tn_copy(n, r->finer, r->rows);
        known = true;
    }
    if (least < INFINITY)
        tn_copy(n, best, r->rows);
    const double most = tn_norm_inf(n, r->rows);
    *unsure = sure || most == 0.0 ? 0.0 : least / most;
    for (int i = 0; i < n; i++)
        r->rows[i] = fabs(r->rows[i]) > DBL_EPSILON * fmax(most, 1e-3) ? r->rows[i] : 0.0;
    tn_eq_put_input(r->s, input, u);
    tn_free(best);
    return status;
}

// Slopes to the two sides, with steps h.
static tn_status slopes_of_sides(reduction *r, int input, double u, double h, double *above,
                                 double *below)
{
    const tn_system *sys = r->s->sys;
    const int n = sys->nv + sys->ng + sys->nn + sys->ne;
    TN_TRY(rows_with_input(r, input, u + h, above));
    TN_TRY(rows_with_input(r, input, u - h, below));
    TN_TRY(rows_with_input(r, input, u, r->more));
    for (int i = 0; i < n; i++) {
        above[i] = (above[i] - r->more[i]) / h;
        below[i] = (r->more[i] - below[i]) / h;
    }
    return TN_OK;
}

static void doubt_input(reduction *r, int input, const char *quantity, double value, double bound,
                        const char *why)
{
    const char *name = r->s->model->inputs.at[input]->name;
    tn_judged what = {.quantity = quantity, .value = value, .bound = bound, .t = r->s->facts.t};
    snprintf(what.where, sizeof what.where, "input '%.80s'", name);
    tn_verdict_add(&r->s->verdict, &what, "input '%s' %s", name, why);
}

// A discontinuity of the rows in an input, of which differences give the mean: where slopes to both
// sides part by as much with a narrow step as with a wide one. The slope above is taken then. Or
// differences that part however narrow they are, which are no derivative.
static tn_status judge_input(reduction *r, int input, double u, double unsure)
{
    static const double STEPS[] = {1e-4, 1e-5}, SHRINKS = 0.5, KINK = 1e-6, PARTS = 1e-5;
    const tn_system *sys = r->s->sys;
    const int n = sys->nv + sys->ng + sys->nn + sys->ne;
    double *above = tn_alloc(sizeof(double) * 4 * (size_t)(n + 1)), worst = 0.0, size = 0.0;
    int at = -1;
    TN_TRY(tn_got(above));
    tn_status status = TN_OK;
    for (int k = 0; k < 2 && status == TN_OK; k++)
        status = slopes_of_sides(r, input, u, STEPS[k] * fmax(1.0, fabs(u)), above + 2 * k * n,
                                 above + (2 * k + 1) * n);
    const double *low = above + n, *nearer = above + 2 * n, *lower = above + 3 * n;
    for (int i = 0; i < n && status == TN_OK; i++)
        size = fmax(size, fmax(fabs(nearer[i]), fabs(lower[i])));
    const double round_off = 4.0 * DBL_EPSILON * tn_norm_inf(sys->nv, sys->f) / STEPS[1];
    for (int i = 0; i < n && status == TN_OK; i++) {
        const double off = fabs(nearer[i] - lower[i]);
        if (off > SHRINKS * fabs(above[i] - low[i]) && off > fmax(worst, KINK * size + round_off)) {
            worst = off;
            at = i;
        }
    }
    if (at >= 0) {
        char why[200];
        snprintf(why, sizeof why,
                 "has a kink right here: what it does is %.4g times as large below its value as "
                 "above, of which B is told; move off it, or round it",
                 lower[at] / nearer[at]);
        doubt_input(r, input, "kink", worst / size, KINK, why);
        tn_copy(n, nearer, r->rows);
    } else if (unsure > PARTS) {
        doubt_input(r, input, "difference", unsure, PARTS,
                    "has no derivative here that differences find, as sqrt(u) has none at zero: "
                    "the narrower they are the more they part, and B is one of them; give the "
                    "input another value, or bound the slope of what it does");
    }
    tn_free(above);
    if (status != TN_OK && status != TN_ERR_MEMORY) { // not defined beside it, or nearly so
        tn_clear_error();
        status = TN_OK;
    }
    tn_eq_put_input(r->s, input, u);
    return status;
}

static tn_status refuse_driven(const reduction *r, int input)
{
    const tn_system *sys = r->s->sys;
    char name[160];
    for (int i = 0; i < sys->ng; i++)
        if (fabs(r->rows[sys->nv + i]) > 1e-9) {
            sys->ops->row_name(sys, i, name, sizeof name);
            return tn_fail(TN_ERR_USAGE,
                           "input '%s' moves a constraint, %s, so that motions depend on its rate "
                           "and acceleration, too; let it act by a force, as a motor",
                           r->s->model->inputs.at[input]->name, name);
        }
    return TN_OK;
}

static tn_status put_input(reduction *r, int k, int input)
{
    const tn_system *sys = r->s->sys;
    tn_reduced_motion *o = r->out;
    const int sampled = input - r->s->model->inputs.count;
    double u[3], unsure;
    if (sampled >= 0) {
        TN_TRY(differentiate_sampled(r, sampled));
    } else {
        tn_model_eval_input(r->s->model, input, r->s->start.x.t, u);
        TN_TRY(differentiate_input(r, input, u[0], &unsure));
        TN_TRY(judge_input(r, input, u[0], unsure));
        TN_TRY(refuse_driven(r, input));
    }
    project(r, r->rows, tn_column_of(o->U, r->n, k));
    tn_scale(r->n, -1.0, tn_column_of(o->U, r->n, k));
    tn_copy(sys->nv, r->rows, tn_column_of(o->push, sys->nv, k));
    take_rows(r->nn, r->roll, r->rows + sys->nv + sys->ng, tn_column_of(o->W, r->nn, k));
    tn_scale(r->nn, -1.0, tn_column_of(o->W, r->nn, k));
    tn_copy(sys->ne, r->rows + sys->nv + sys->ng + sys->nn, tn_column_of(o->R, sys->ne, k));
    through_reactions(r, r->rows, tn_column_of(o->R, sys->ne, k));
    return TN_OK;
}

static tn_status fill_reduced(reduction *r, const int *input)
{
    TN_TRY(find_left(r));
    for (int c = 0; c < r->n; c++)
        put_motion(r, c);
    for (int c = 0; c < r->s->sys->ne; c++)
        put_extra(r, c);
    for (int k = 0; k < r->nn; k++)
        put_eta(r, k);
    for (int k = 0; k < r->nu; k++)
        TN_TRY(put_input(r, k, input[k]));
    return TN_OK;
}

tn_status tn_reduce_motion(tn_equilibrium *s, int n, const double *G, int nu, const int *input,
                           tn_reduced_motion *out)
{
    reduction r = {.s = s, .n = n, .nu = nu, .G = G, .out = out};
    void *work = NULL;
    const tn_sparse *EL = s->sys->block[TN_BLOCK_EL];
    *out = (tn_reduced_motion){0};
    TN_TRY(tn_carve_block(&r, layout_work, &work));
    r.m = list_active(s->sys->ng, s->active, r.row, r.place);
    r.nn = list_active(s->sys->nn, s->active + s->sys->ng, r.roll, r.rolls);
    r.rates_use_lambda = EL && EL->nnz > 0;
    r.uses_lambda = s->sys->force_uses_lambda || r.rates_use_lambda;
    out->n = n;
    out->nv = s->sys->nv;
    out->ne = s->sys->ne;
    out->nn = r.nn;
    out->nu = nu;
    tn_status status = tn_carve_block(out, layout_reduced, &out->block);
    TN_THEN(status, fill_reduced(&r, input));
    tn_free(work);
    if (status != TN_OK) {
        tn_free(out->block);
        *out = (tn_reduced_motion){0};
    }
    return status;
}

tn_status tn_holonomic_motions(tn_equilibrium *s, const tn_point *at, double **G, int *n)
{
    const tn_system *sys = s->sys;
    tn_basis *basis = NULL;
    *G = NULL;
    int *active = tn_alloc(sizeof(int) * (size_t)(sys->ng + sys->nn + 1));
    TN_TRY(tn_got(active));
    for (int i = 0; i < sys->ng; i++)
        active[i] = s->active[i];
    tn_status status = tn_basis_create(s->sys, "qr", &basis);
    if (status == TN_OK)
        tn_basis_set_active(basis, active);
    TN_THEN(status, tn_basis_form(basis, at));
    if (status == TN_OK) {
        *n = basis->nf;
        *G = tn_alloc(sizeof(double) * ((size_t)sys->nv * (size_t)*n + 1));
        status = tn_got(*G);
    }
    if (status == TN_OK) {
        tn_copy(sys->nv * *n, basis->vectors, *G);
        tn_eq_orthonormalise(sys->nv, *n, *G);
    }
    tn_basis_destroy(basis);
    tn_free(active);
    return status;
}
