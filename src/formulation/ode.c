// SPDX-License-Identifier: MIT
//
// What all explicit views share: the chart, the order of an evaluation, the extra variables and the
// memory of the last evaluation. See ode_ops.h.
//
// Algebraic variables are solved for by a simplified Newton method from the values of the last
// evaluation,
//
//   ( b_w  b_s ) ( dw )     ( b )
//   ( 0    h_s ) ( ds ) = - ( h ),        [Arn16, eq. 44e, f]
//
// with factors that are kept from one evaluation to the next and renewed only where the iteration
// contracts slowly: tangents of a user's functions are dear, the functions themselves are not. It
// is carried on to round-off, so that F is a function of t and z and not of the iteration.

#include "formulation/ode.h"

#include "base/alloc.h"
#include "formulation/kinds.h"
#include "formulation/ode_ops.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// Creation ----------------------------------------------------------------------------------------

static void layout_ode(void *self, tn_carve *mem)
{
    tn_ode *ode = self;
    const tn_system *s = ode->sys;
    tn_chart_layout(&ode->chart, mem);
    ode->active = tn_carve_ints(mem, s->ng + s->nn);
    ode->q = tn_carve_doubles(mem, s->nq);
    TN_CARVE_DOUBLES(mem, s->nv, &ode->v, &ode->a);
    ode->lambda = tn_carve_doubles(mem, s->ng);
    ode->eta = tn_carve_doubles(mem, s->nn);
    ode->e = tn_carve_doubles(mem, s->ne);
    TN_CARVE_DOUBLES(mem, ode->nx + ode->nu + s->nc, &ode->z, &ode->zdot);
    tn_roots_layout(&ode->extra, s->nc, s->nw + s->ns, mem);
    if (ode->ops->layout)
        ode->ops->layout(ode, mem);
}

static tn_status check_ode(const tn_system *sys, const tn_formulation *formulation)
{
    if (!formulation->ode)
        return tn_fail(TN_ERR_PAIRING,
                       "formulation '%s' has no explicit form z' = F(t, z); take an implicit "
                       "integrator for it, such as radau5/ggl or bdf/ggl",
                       formulation->name);
    if (sys->force_uses_lambda)
        return tn_fail(
            TN_ERR_PAIRING,
            "a force depends on the multipliers (friction in a joint, or lambda_in_force), and "
            "formulation '%s' needs the accelerations as an explicit function of positions and "
            "velocities, which M v' = f(lambda) - B^T lambda is not; take an implicit method, "
            "such as radau5/ggl, bdf/ggl or galpha/ggl",
            formulation->name);
    return TN_OK;
}

static tn_status ode_open_parts(tn_ode *ode, const tn_sim_options *options)
{
    TN_TRY(tn_carve_block(ode, layout_ode, &ode->block));
    tn_chart_open(&ode->chart, tn_euler_sequence(options ? options->euler_sequence : NULL));
    for (int i = 0; i < ode->sys->ng + ode->sys->nn; i++)
        ode->active[i] = 1;
    if (ode->ops->open)
        TN_TRY(ode->ops->open(ode, options));
    if (ode->ops->activate)
        ode->ops->activate(ode);
    return TN_OK;
}

tn_status tn_ode_create(tn_system *sys, const tn_formulation *formulation, tn_chart_kind chart,
                        const tn_sim_options *options, tn_ode **out)
{
    *out = NULL;
    TN_TRY(check_ode(sys, formulation));
    tn_ode *ode = tn_alloc(formulation->ode->size);
    TN_TRY(tn_got(ode));
    ode->ops = formulation->ode;
    ode->formulation = formulation;
    ode->sys = sys;
    if (formulation->ode->local_rotation && tn_chart_has_norm(chart))
        chart = TN_CHART_LOCAL;
    ode->chart = (tn_chart){
        .kind = chart, .ngroup = sys->ngroup, .nq = sys->nq, .nv = sys->nv, .groups = sys->groups};
    ode->nx = tn_chart_size(chart, sys->ngroup, sys->groups);
    ode->nu = sys->nv;
    if (ode->nx < 0) {
        tn_free(ode);
        return tn_fail(TN_ERR_PAIRING,
                       "quaternions and Euler angles need rotation so3: SE(3) has rotation vectors "
                       "only");
    }
    const tn_status status = ode_open_parts(ode, options);
    TN_HAND_OUT(status, ode, tn_ode_destroy, out);
}

void tn_ode_destroy(tn_ode *ode)
{
    if (!ode)
        return;
    if (ode->ops->close)
        ode->ops->close(ode);
    TN_FREE(ode->block, ode);
}

void tn_ode_set_active(tn_ode *ode, const int *active)
{
    memcpy(ode->active, active, sizeof(int) * (size_t)(ode->sys->ng + ode->sys->nn));
    ode->valid = false;
    if (ode->ops->activate)
        ode->ops->activate(ode);
}

int tn_ode_size(const tn_ode *ode)
{
    return ode->nx + ode->nu + ode->sys->nc;
}

tn_point tn_ode_point(const tn_ode *ode)
{
    return (tn_point){.t = ode->t,
                      .q = ode->q,
                      .v = ode->v,
                      .a = ode->a,
                      .lambda = ode->lambda,
                      .eta = ode->eta,
                      .e = ode->e,
                      .r = ode->r};
}

// Algebraic variables -----------------------------------------------------------------------------

void tn_roots_layout(tn_roots *r, int first, int n, tn_carve *mem)
{
    r->first = first;
    r->n = n;
    r->matrix = tn_carve_doubles(mem, n * n);
    r->step = tn_carve_doubles(mem, n);
    r->pivot = tn_carve_ints(mem, n);
}

static tn_status renew_roots(tn_roots *r, tn_system *sys, const tn_point *at)
{
    TN_ASSERT(r->n > 0);
    const tn_sparse *EE = sys->block[TN_BLOCK_EE];
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_EXTRA | TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_TANGENT));
    for (int j = 0; j < r->n; j++)
        for (int i = 0; i < r->n; i++)
            r->matrix[j * r->n + i] = tn_sparse_at(EE, r->first + i, r->first + j);
    r->factored = tn_lu_factor(r->n, r->matrix, r->pivot) == TN_OK;
    if (!r->factored)
        return tn_fail(TN_RETRY_SINGULAR,
                       "the algebraic equations b = 0, h = 0 do not determine w and s at t = %g s: "
                       "their derivative by w and s is singular",
                       at->t);
    return TN_OK;
}

// One iteration with the factors there are; the size of the correction in units of round-off.
static tn_status correct_roots(tn_roots *r, tn_system *sys, const tn_point *at, double *y,
                               double *size)
{
    TN_ASSERT(r->factored);
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_EXTRA));
    tn_copy(r->n, sys->extra + r->first, r->step);
    tn_lu_solve(r->n, r->matrix, r->pivot, r->step);
    tn_axpy(r->n, -1.0, r->step, y);
    *size = tn_norm_inf(r->n, r->step) / (1.0 + tn_norm_inf(r->n, y));
    return TN_OK;
}

tn_status tn_roots_find(tn_roots *r, tn_system *sys, const tn_point *at, double *e)
{
    enum { MAX_ITERATIONS = 60 };
    const double enough = 4e-15, rounding = 1e-11; // corrections that no longer shrink below this
    double last = INFINITY, size = 0.0;
    if (r->n == 0)
        return TN_OK;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        if (!r->factored)
            TN_TRY(renew_roots(r, sys, at));
        TN_TRY(correct_roots(r, sys, at, e + r->first, &size));
        if (!isfinite(size))
            break;
        const double rate = isinf(last) ? 1.0 : size / last; // nothing is known at first
        if (size <= enough || (rate < 1.0 && size * rate <= enough) ||
            (rate > 0.5 && size < rounding && k > 1))
            return TN_OK;
        if (k > 0 && rate > 0.1)
            r->factored = false;
        last = size;
    }
    r->factored = false;
    return tn_fail(TN_RETRY_NEWTON,
                   "the algebraic equations b = 0, h = 0 were not solved for w and s at t = %g s",
                   at->t);
}

tn_status tn_ode_extra(tn_ode *ode)
{
    const tn_point at = tn_ode_point(ode);
    return tn_roots_find(&ode->extra, ode->sys, &at, ode->e);
}

// Evaluation --------------------------------------------------------------------------------------

static tn_status locate_ode(tn_ode *ode, double t, const double *z)
{
    ode->valid = false;
    ode->t = t;
    tn_copy(ode->sys->nc, z + ode->nx + ode->nu, ode->e);
    if (ode->ops->motion)
        return ode->ops->motion(ode, z, z + ode->nx);
    tn_chart_to_q(&ode->chart, z, ode->q);
    tn_copy(ode->sys->nv, z + ode->nx, ode->v);
    return TN_OK;
}

// z' from what is known at the point; it and z are kept as the last evaluation.
static tn_status ode_finish(tn_ode *ode, const double *z)
{
    const double *u = z + ode->nx;
    double *xdot = ode->zdot, *udot = xdot + ode->nx, *cdot = udot + ode->nu;
    if (ode->ops->rates) {
        TN_TRY(ode->ops->rates(ode, z, u, xdot, udot));
    } else {
        tn_chart_rates(&ode->chart, z, ode->v, xdot);
        tn_copy(ode->sys->nv, ode->a, udot);
    }
    if (ode->sys->nc > 0) {
        const tn_point at = tn_ode_point(ode);
        TN_TRY(tn_system_eval(ode->sys, &at, TN_EVAL_EXTRA));
        tn_copy(ode->sys->nc, ode->sys->extra, cdot);
    }
    memmove(ode->z, z, sizeof(double) * (size_t)tn_ode_size(ode));
    ode->valid = true;
    return TN_OK;
}

static bool is_last(const tn_ode *ode, double t, const double *z)
{
    return ode->valid && t == ode->t &&
           !memcmp(z, ode->z, sizeof(double) * (size_t)tn_ode_size(ode));
}

static tn_status evaluate_ode(tn_ode *ode, double t, const double *z)
{
    if (is_last(ode, t, z))
        return TN_OK;
    TN_TRY(locate_ode(ode, t, z));
    TN_TRY(tn_ode_extra(ode));
    ode->factorizations++;
    TN_TRY(ode->ops->accel(ode));
    return ode_finish(ode, z);
}

tn_status tn_ode_eval(tn_ode *ode, double t, const double *z, double *zdot)
{
    TN_ASSERT(zdot != z && zdot != ode->zdot);
    TN_TRY(evaluate_ode(ode, t, z));
    tn_copy(tn_ode_size(ode), ode->zdot, zdot);
    return TN_OK;
}

tn_status tn_ode_base(tn_ode *ode, double *x, double *u, bool *changed)
{
    *changed = tn_chart_base(&ode->chart, ode->q);
    tn_chart_to_z(&ode->chart, ode->q, x);
    tn_copy(ode->sys->nv, ode->v, u);
    return TN_OK;
}

static void take_state(tn_ode *ode, const tn_state *x)
{
    TN_ASSERT(x->q != ode->q && x->v != ode->v);
    const tn_system *s = ode->sys;
    ode->valid = false;
    ode->t = x->t;
    ode->r = x->r;
    tn_copy(s->nq, x->q, ode->q);
    tn_copy(s->nv, x->v, ode->v);
    tn_copy(s->nv, x->a, ode->a);
    tn_copy(s->ng, x->lambda, ode->lambda);
    tn_copy(s->nn, x->eta, ode->eta);
    tn_copy(s->ne, x->e, ode->e);
}

tn_status tn_ode_begin(tn_ode *ode, const tn_state *x, bool known, double *z, double *zdot,
                       bool *changed)
{
    bool moved = false;
    take_state(ode, x);
    TN_TRY((ode->ops->base ? ode->ops->base : tn_ode_base)(ode, z, z + ode->nx, &moved));
    tn_copy(ode->sys->nc, x->e, z + ode->nx + ode->nu);
    if (changed)
        *changed = moved;
    if (known && (!ode->ops->rates || ode->ops->rates_from_known))
        TN_TRY(ode_finish(ode, z));
    return tn_ode_eval(ode, x->t, z, zdot); // nothing is evaluated again where it is known
}

tn_status tn_ode_warm_up(tn_ode *ode, const tn_state *x)
{
    bool moved = false;
    double *z = ode->z;
    take_state(ode, x);
    TN_TRY((ode->ops->base ? ode->ops->base : tn_ode_base)(ode, z, z + ode->nx, &moved));
    tn_copy(ode->sys->nc, x->e, z + ode->nx + ode->nu);
    TN_TRY(locate_ode(ode, x->t, z));
    TN_TRY(tn_ode_extra(ode));
    return ode->ops->accel(ode);
}

bool tn_ode_is_good(const tn_ode *ode, const double *z)
{
    if (ode->ops->is_good)
        return ode->ops->is_good(ode, z);
    return tn_chart_is_good(&ode->chart, z);
}

static void give_motion(const tn_ode *ode, tn_state *x)
{
    x->t = ode->t;
    tn_copy(ode->sys->nq, ode->q, x->q);
    tn_copy(ode->sys->nv, ode->v, x->v);
    tn_copy(ode->sys->ne, ode->e, x->e);
}

tn_status tn_ode_motion(tn_ode *ode, double t, const double *z, tn_state *x)
{
    if (!is_last(ode, t, z))
        TN_TRY(locate_ode(ode, t, z));
    give_motion(ode, x);
    return TN_OK;
}

tn_status tn_ode_state(tn_ode *ode, double t, const double *z, tn_state *x)
{
    TN_TRY(evaluate_ode(ode, t, z));
    give_motion(ode, x);
    tn_copy(ode->sys->nv, ode->a, x->a);
    tn_copy(ode->sys->ng, ode->lambda, x->lambda);
    tn_copy(ode->sys->nn, ode->eta, x->eta);
    return TN_OK;
}

void tn_ode_sizes(const tn_ode *ode, const double *z, double *size)
{
    const int n = ode->nx + ode->nu;
    if (ode->ops->sizes) {
        ode->ops->sizes(ode, z, z + ode->nx, size, size + ode->nx);
    } else {
        tn_chart_sizes(&ode->chart, z, size);
        tn_magnitudes(ode->nu, z + ode->nx, size + ode->nx);
    }
    tn_magnitudes(ode->sys->nc, z + n, size + n);
}

void tn_ode_by_kind(const tn_ode *ode, const double value[TN_KIND_COUNT], double *out)
{
    const tn_system *sys = ode->sys;
    const double tighter = fmin(value[TN_KIND_SPEED], value[TN_KIND_RATE]);
    double *u = out + ode->nx, *c = u + ode->nu;
    if (ode->ops->by_kind) {
        ode->ops->by_kind(ode, value, out, u);
    } else {
        tn_coordinates_by_kind(sys, &ode->chart, value, out);
        for (int i = 0; i < ode->nu; i++)
            u[i] = ode->ops->mixed ? tighter : value[tn_velocity_kind(sys, i)];
    }
    for (int i = 0; i < sys->nc; i++)
        c[i] = value[TN_KIND_EXTRA];
}

const char *tn_ode_solver(const tn_ode *ode)
{
    return ode->ops->solver ? ode->ops->solver(ode) : "dense";
}
