// SPDX-License-Identifier: MIT
//
// Shared parts of all explicit views: the chart, the order of an evaluation, the extra variables
// and the memory of the last evaluation. See ode_ops.h.

#include "formulation/ode.h"

#include "base/alloc.h"
#include "formulation/ode_ops.h"
#include "linalg/dense.h"
#include "motion/kinds.h"

#include <math.h>
#include <string.h>

// Creation ----------------------------------------------------------------------------------------

static void layout_ode(void *self, tn_carve *mem)
{
    tn_ode *ode = self;
    const tn_system *s = ode->sys;
    tn_chart_layout(&ode->chart, mem);
    ode->active = tn_carve_ints(mem, s->ng + s->nn);
    TN_CARVE_DOUBLES(mem, s->nq, &ode->q);
    TN_CARVE_DOUBLES(mem, s->nv, &ode->v, &ode->a);
    TN_CARVE_DOUBLES(mem, s->ng, &ode->lambda);
    TN_CARVE_DOUBLES(mem, s->nn, &ode->eta);
    TN_CARVE_DOUBLES(mem, s->ne, &ode->e);
    TN_CARVE_DOUBLES(mem, ode->nx + ode->nu + s->nc, &ode->z, &ode->zdot);
    tn_roots_layout(&ode->extra, s->nc, s->nw + s->ns, mem);
    if (ode->ops->layout)
        ode->ops->layout(ode, mem);
}

static tn_status check_ode(const tn_formulation *formulation)
{
    if (!formulation->ode)
        return tn_fail(TN_ERR_PAIRING,
                       "formulation '%s' has no explicit form z' = F(t, z); take an implicit "
                       "integrator for it, such as radau5/ggl or bdf/ggl",
                       formulation->name);
    return TN_OK;
}

// If z is (q, v) and all of v is a coordinate of the motion, the point of an evaluation needs no
// room of its own beside z and z'. Evaluations of small trees copy little else.
static void find_plain(tn_ode *ode)
{
    const tn_ode_ops *ops = ode->ops;
    const tn_system *sys = ode->sys;
    const bool own = ops->base || ops->rates || (ops->motion && !ops->massless);
    ode->plain = ode->chart.linear && !own && sys->nmassless == 0;
    if (!ode->plain)
        return;
    ode->q = ode->z;
    ode->v = ode->z + ode->nx;
    ode->a = ode->zdot + ode->nx;
}

static tn_status ode_open_parts(tn_ode *ode, const tn_sim_options *options)
{
    TN_TRY(tn_carve_block(ode, layout_ode, &ode->block));
    tn_chart_open(&ode->chart, tn_euler_sequence(options ? options->euler_sequence : NULL));
    for (int i = 0; i < ode->sys->ng + ode->sys->nn; i++)
        ode->active[i] = 1;
    if (ode->sys->force_uses_lambda && !ode->ops->reactions)
        TN_TRY(tn_accel_create(ode->sys, &ode->reactions));
    if (ode->ops->open)
        TN_TRY(ode->ops->open(ode, options));
    if (ode->ops->activate)
        ode->ops->activate(ode);
    find_plain(ode);
    return TN_OK;
}

tn_status tn_ode_create(tn_system *sys, const tn_formulation *formulation, tn_chart_kind chart,
                        const tn_sim_options *options, tn_ode **out)
{
    *out = NULL;
    TN_TRY(check_ode(formulation));
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

tn_status tn_ode_choose(tn_ode *ode, const tn_model *model, const char *names)
{
    return names && *names && ode->ops->choose ? ode->ops->choose(ode, model, names) : TN_OK;
}

void tn_ode_destroy(tn_ode *ode)
{
    if (!ode)
        return;
    if (ode->ops->close)
        ode->ops->close(ode);
    tn_accel_destroy(ode->reactions);
    TN_FREE(ode->block, ode);
}

// The layout is that of all coordinates, and gives a point room of its own where it needs none.
void tn_ode_values(tn_ode *ode, const double *r, tn_values *v)
{
    double *const q = ode->q, *const speed = ode->v, *const a = ode->a;
    const int nx = ode->nx, nu = ode->nu;
    ode->nx = ode->chart.nz;
    ode->nu = ode->sys->nv;
    tn_carve_values(ode, layout_ode, ode->block, v);
    ode->nx = nx;
    ode->nu = nu;
    ode->q = q;
    ode->v = speed;
    ode->a = a;
    tn_values_enter(v, "ode");
    TN_VALUES(v, "s", 1, &ode->t);
    TN_VALUES_BOOL(v, &ode->valid, &ode->has_extra);
    TN_VALUES_LONG(v, &ode->factorizations);
    tn_roots_values(&ode->extra, v);
    if (ode->reactions)
        tn_accel_values(ode->reactions, v);
    if (ode->ops->values)
        ode->ops->values(ode, v);
    if (tn_values_are_read(v))
        ode->r = r;
    tn_values_leave(v);
}

void tn_ode_set_active(tn_ode *ode, const int *active)
{
    memcpy(ode->active, active, sizeof(int) * (size_t)(ode->sys->ng + ode->sys->nn));
    ode->valid = false;
    if (ode->reactions)
        tn_accel_set_active(ode->reactions, active);
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

tn_status tn_ode_extra(tn_ode *ode)
{
    const tn_point at = tn_ode_point(ode);
    if (ode->way)
        return ode->way->follow(ode->way->self, &at, ode->e);
    return tn_roots_find(&ode->extra, ode->sys, &at, ode->e);
}

// Evaluation --------------------------------------------------------------------------------------

static void keep_point(tn_ode *ode, const double *z)
{
    memmove(ode->z, z, sizeof(double) * (size_t)tn_ode_size(ode));
}

static tn_status locate_ode(tn_ode *ode, double t, const double *z)
{
    ode->valid = ode->has_extra = false;
    ode->t = t;
    tn_copy(ode->sys->nc, z + ode->nx + ode->nu, ode->e);
    if (ode->plain) {
        keep_point(ode, z);
        return TN_OK;
    }
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
        if (!ode->plain)
            tn_copy(ode->sys->nv, ode->a, udot);
    }
    if (ode->sys->nc > 0) {
        const tn_point at = tn_ode_point(ode);
        if (!ode->has_extra)
            TN_TRY(tn_system_eval(ode->sys, &at, TN_EVAL_EXTRA));
        tn_copy(ode->sys->nc, ode->sys->extra, cdot);
    }
    if (!ode->plain)
        keep_point(ode, z);
    ode->valid = true;
    return TN_OK;
}

// On acceleration level all formulations have the same multipliers: forces are evaluated with
// these.
static tn_status ode_reactions(tn_ode *ode)
{
    const tn_point at = tn_ode_point(ode);
    if (!ode->reactions)
        return TN_OK;
    return tn_accel_solve(ode->reactions, &at, ode->e, ode->a, ode->lambda, ode->eta);
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
    TN_TRY(ode_reactions(ode));
    ode->factorizations++;
    TN_TRY(ode->ops->accel(ode));
    return ode_finish(ode, z);
}

void tn_ode_guess(tn_ode *ode, const double *e)
{
    const tn_system *s = ode->sys;
    ode->valid = ode->valid && s->nw + s->ns == 0; // else what is known has others
    tn_copy(s->nw + s->ns, e + s->nc, ode->e + s->nc);
}

const double *tn_ode_use_samples(tn_ode *ode, const double *r)
{
    const double *before = ode->r;
    ode->valid = ode->valid && r == before;
    ode->r = r;
    return before;
}

const tn_ode_way *tn_ode_follow(tn_ode *ode, const tn_ode_way *way)
{
    const tn_ode_way *before = ode->way;
    ode->way = way;
    return before;
}

tn_status tn_ode_eval(tn_ode *ode, double t, const double *z, double *zdot)
{
    TN_ASSERT(zdot != z && zdot != ode->zdot);
    TN_TRY(evaluate_ode(ode, t, z));
    tn_copy(tn_ode_size(ode), ode->zdot, zdot);
    return TN_OK;
}

static tn_status base_ode(tn_ode *ode, double *x, double *u, bool *changed)
{
    *changed = tn_chart_base(&ode->chart, ode->q);
    if (x != ode->q)
        tn_chart_to_z(&ode->chart, ode->q, x);
    tn_copy(ode->sys->nv, ode->v, u);
    return TN_OK;
}

static void take_state(tn_ode *ode, const tn_state *x)
{
    TN_ASSERT(x->q != ode->q && x->v != ode->v);
    const tn_system *s = ode->sys;
    ode->valid = ode->has_extra = false;
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
    TN_TRY((ode->ops->base ? ode->ops->base : base_ode)(ode, z, z + ode->nx, &moved));
    tn_copy(ode->sys->nc, x->e, z + ode->nx + ode->nu);
    if (changed)
        *changed = moved;
    if (known && (!ode->ops->rates || ode->ops->rates_from_known)) {
        keep_point(ode, z);
        TN_TRY(ode_finish(ode, z));
    }
    return tn_ode_eval(ode, x->t, z, zdot); // nothing is evaluated again where it is known
}

tn_status tn_ode_warm_up(tn_ode *ode, const tn_state *x)
{
    bool moved = false;
    double *z = ode->z;
    take_state(ode, x);
    TN_TRY((ode->ops->base ? ode->ops->base : base_ode)(ode, z, z + ode->nx, &moved));
    tn_copy(ode->sys->nc, x->e, z + ode->nx + ode->nu);
    TN_TRY(locate_ode(ode, x->t, z));
    TN_TRY(tn_ode_extra(ode));
    TN_TRY(ode_reactions(ode));
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
    const bool asks = ode->sys->force_uses_lambda && ode->sys->nw > 0; // w may see multipliers
    if (asks) {
        TN_TRY(evaluate_ode(ode, t, z));
    } else if (!is_last(ode, t, z)) {
        TN_TRY(locate_ode(ode, t, z));
        TN_TRY(tn_ode_extra(ode));
    }
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
