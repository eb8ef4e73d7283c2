// SPDX-License-Identifier: MIT
//
// The RESIDUAL view: states and equations; see dae.h. Rows come from tn_problem_rows without
// scaling. dae_solve.c has the linear systems.

#include "formulation/dae.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "motion/kinds.h"

#include <stdio.h>
#include <string.h>

// Creation ----------------------------------------------------------------------------------------

static int count_norms(const tn_system *s)
{
    int n = 0;
    for (int k = 0; k < s->ngroup; k++)
        n += tn_group_turns(&s->groups[k]);
    return n;
}

static tn_dae_layout dae_parts_of(const tn_system *s, const tn_formulation *f, int nz, int nnu)
{
    TN_ASSERT(nz >= 0 && nnu >= 0);
    tn_dae_layout at = {.nz = nz, .v = nz, .a = -1, .mu = -1, .tau = -1, .nu = -1};
    int n = nz + s->nv;
    if (f->position && f->velocity && f->acceleration) {
        at.a = n;
        n += s->nv;
    }
    at.lambda = n;
    n += s->ng;
    if (tn_projects_position(s, f)) {
        at.mu = n;
        n += s->ng;
    }
    if (tn_projects_velocity(s, f)) {
        at.tau = n;
        n += s->ng + s->nn;
    }
    at.eta = n;
    at.e = at.eta + s->nn;
    n = at.e + s->ne;
    if (nnu > 0)
        at.nu = n;
    at.n = n + nnu;
    return at;
}

static void layout_inverse(tn_dae_inverse *c, int ngroup, tn_carve *mem)
{
    for (int p = 0; p < 2; p++) {
        TN_CARVE_DOUBLES(mem, TN_DAE_BLOCK * ngroup, &c->G[p], &c->T[p]);
    }
}

static void layout_dae(void *self, tn_carve *mem)
{
    tn_dae *d = self;
    const tn_system *s = d->sys;
    const int blocks = d->curved ? TN_DAE_BLOCK * s->ngroup : 0;
    const int wide = d->at.nz > s->nv ? d->at.nz : s->nv;
    tn_chart_layout(&d->chart, mem);
    d->nu_of = tn_carve_ints(mem, s->ngroup);
    TN_CARVE_DOUBLES(mem, s->nq, &d->q);
    TN_CARVE_DOUBLES(mem, s->nv, &d->w, &d->v);
    for (int k = 0; k < TN_BLOCK_COUNT; k++)
        if (s->block[k])
            TN_CARVE_DOUBLES(mem, s->block[k]->nnz, &d->kept[k]);
    TN_CARVE_DOUBLES(mem, blocks, &d->bend, &d->A, &d->Y);
    TN_CARVE_DOUBLES(mem, 4 * s->ngroup, &d->axis);
    layout_inverse(&d->at_real, d->curved ? s->ngroup : 0, mem);
    layout_inverse(&d->at_complex, d->curved && d->complex_too ? s->ngroup : 0, mem);
    for (int p = 0; p < 2; p++) {
        TN_CARVE_DOUBLES(mem, wide, &d->unit[p]);
        TN_CARVE_DOUBLES(mem, d->at.n, &d->y[p]);
    }
    for (int p = 0; p <= d->complex_too; p++) {
        TN_CARVE_DOUBLES(mem, s->nv, &d->x0[p]);
        TN_CARVE_DOUBLES(mem, d->nnu, &d->dnu[p]);
        TN_CARVE_DOUBLES(mem, d->at.nz, &d->dz[p]);
        TN_CARVE_DOUBLES(mem, tn_corrector_columns(d->corrector).n, &d->b[p]);
    }
}

// The larger of d->wide and the columns of what turns in factor k.
static int widest(const tn_dae *d, int k)
{
    const int nz = d->chart.z0[k + 1] - d->chart.z0[k], nv = d->sys->groups[k].nv;
    const int wide = (nz > nv ? nz : nv) - tn_group_mixed(&d->sys->groups[k]);
    return wide > d->wide ? wide : d->wide;
}

static tn_status dae_open_parts(tn_dae *d, const tn_sim_options *options)
{
    const tn_system *s = d->sys;
    if (d->complex_too)
        TN_TRY(tn_corrector_open_complex(d->corrector));
    TN_TRY(tn_carve_block(d, layout_dae, &d->block));
    tn_chart_open(&d->chart, tn_euler_sequence(options ? options->euler_sequence : NULL));
    for (int k = 0; k < s->ngroup; k++)
        d->wide = tn_group_turns(&s->groups[k]) ? widest(d, k) : d->wide;
    for (int k = 0, i = 0; k < s->ngroup; k++)
        d->nu_of[k] = d->nnu > 0 && tn_group_turns(&s->groups[k]) ? i++ : -1;
    for (int k = 0; k < TN_BLOCK_COUNT; k++)
        d->tangent.value[k] = d->kept[k];
    d->tangent.kinematic = d->kept[TN_BLOCK_B];
    d->tangent.v = d->v;
    return TN_OK;
}

tn_status tn_dae_create(tn_problem *problem, tn_chart_kind chart, const tn_sim_options *options,
                        bool complex_too, tn_dae **out)
{
    *out = NULL;
    tn_system *s = problem->sys;
    const int nz = tn_chart_size(chart, s->ngroup, s->groups);
    if (nz < 0)
        return tn_fail(TN_ERR_USAGE, "quaternions and Euler angles describe R^3 x SO(3); take "
                                     "rotation so3 for them, or local coordinates on SE(3)");
    tn_dae *d = tn_alloc(sizeof *d);
    TN_TRY(tn_got(d));
    d->problem = problem;
    d->sys = s;
    d->formulation = problem->formulation;
    d->corrector = problem->corrector;
    d->complex_too = complex_too;
    d->chart = (tn_chart){
        .kind = chart, .ngroup = s->ngroup, .nq = s->nq, .nv = s->nv, .groups = s->groups};
    d->curved = count_norms(s) > 0;
    if (tn_chart_has_norm(chart) && options && options->quaternion_norm &&
        !strcmp(options->quaternion_norm, "multipliers"))
        d->nnu = count_norms(s);
    d->at = dae_parts_of(s, d->formulation, nz, d->nnu);
    const tn_status status = dae_open_parts(d, options);
    TN_HAND_OUT(status, d, tn_dae_destroy, out);
}

void tn_dae_destroy(tn_dae *d)
{
    if (d)
        TN_FREE(d->block, d);
}

void tn_dae_values(tn_dae *d, tn_values *v)
{
    tn_carve_values(d, layout_dae, d->block, v);
    tn_values_enter(v, "dae");
    TN_VALUES(v, "1", 1, &d->tangent.step);
    TN_VALUES(v, "1", 2, (double *)&d->at_real.c);
    TN_VALUES(v, "1", 2, (double *)&d->at_complex.c);
    tn_values_leave(v);
}

// States ------------------------------------------------------------------------------------------

tn_status tn_dae_begin(tn_dae *d, const tn_state *x, double *y, double *yp, bool *changed)
{
    tn_system *s = d->sys;
    const tn_dae_layout *at = &d->at;
    const bool another = tn_chart_base(&d->chart, x->q);
    if (changed)
        *changed = another;
    d->r = x->r;
    tn_zero(at->n, y);
    tn_zero(at->n, yp);
    tn_chart_to_z(&d->chart, x->q, y + at->z);
    tn_copy(s->nv, x->v, y + at->v);
    if (at->a >= 0)
        tn_copy(s->nv, x->a, y + at->a);
    tn_copy(s->ng, x->lambda, y + at->lambda);
    tn_copy(s->nn, x->eta, y + at->eta);
    tn_copy(s->ne, x->e, y + at->e);
    tn_chart_rates(&d->chart, y + at->z, x->v, yp + at->z);
    tn_copy(s->nv, x->a, yp + at->v);
    if (s->nc == 0)
        return TN_OK;
    const tn_point point = tn_state_point(x);
    TN_TRY(tn_system_eval(s, &point, TN_EVAL_EXTRA));
    tn_copy(s->nc, s->extra, yp + at->e);
    return TN_OK;
}

bool tn_dae_is_good(const tn_dae *d, const double *y)
{
    return tn_chart_is_good(&d->chart, y + d->at.z);
}

static const double *acceleration_of(const tn_dae *d, const double *y, const double *yp)
{
    return d->at.a >= 0 ? y + d->at.a : yp + d->at.v;
}

void tn_dae_state(const tn_dae *d, const double *y, const double *yp, tn_state *x)
{
    const tn_system *s = d->sys;
    tn_chart_to_q(&d->chart, y + d->at.z, x->q);
    tn_copy(s->nv, y + d->at.v, x->v);
    tn_copy(s->nv, acceleration_of(d, y, yp), x->a);
    tn_copy(s->ng, y + d->at.lambda, x->lambda);
    tn_copy(s->nn, y + d->at.eta, x->eta);
    tn_copy(s->ne, y + d->at.e, x->e);
}

void tn_dae_renormalise(const tn_dae *d, double *y)
{
    if (d->nnu == 0)
        tn_chart_renormalise(&d->chart, y + d->at.z);
}

void tn_dae_sizes(const tn_dae *d, const double *y, double *size)
{
    tn_magnitudes(d->at.n, y, size);
    tn_chart_sizes(&d->chart, y + d->at.z, size + d->at.z);
}

static void set_dae(double *x, int first, int count, double value)
{
    for (int i = first; first >= 0 && i < first + count; i++)
        x[i] = value;
}

// mu and nu move z as velocities do, tau moves v as accelerations do.
void tn_dae_by_kind(const tn_dae *d, const double value[TN_KIND_COUNT], double *out)
{
    const tn_system *s = d->sys;
    const tn_dae_layout *at = &d->at;
    tn_coordinates_by_kind(s, &d->chart, value, out + at->z);
    tn_velocities_by_kind(s, value, out + at->v);
    set_dae(out, at->a, s->nv, value[TN_KIND_FORCE]);
    set_dae(out, at->lambda, s->ng, value[TN_KIND_FORCE]);
    set_dae(out, at->mu, s->ng, value[TN_KIND_RATE]);
    set_dae(out, at->tau, s->ng + s->nn, value[TN_KIND_FORCE]);
    set_dae(out, at->eta, s->nn, value[TN_KIND_FORCE]);
    set_dae(out, at->e, s->ne, value[TN_KIND_EXTRA]);
    set_dae(out, at->nu, d->nnu, value[TN_KIND_RATE]);
}

static void fill_dae(int *x, int first, int count, int value)
{
    for (int i = first; first >= 0 && i < first + count; i++)
        x[i] = value;
}

// An algebraic variable w is a function of v, and of lambda where the user's functions say so; c'
// is one then, and c as v.
void tn_dae_kinds(const tn_dae *d, int *level, int *differential)
{
    const tn_system *s = d->sys;
    const tn_formulation *f = d->formulation;
    const tn_dae_layout *at = &d->at;
    const int of_lambda = f->acceleration ? 0 : f->velocity ? 1 : s->ng > 0 ? 2 : 1;
    const int of_v = !f->acceleration && !f->velocity && s->ng > 0 ? 1 : 0;
    const bool e_of_lambda = s->block[TN_BLOCK_EL] || s->block[TN_BLOCK_EN];
    fill_dae(level, 0, at->n, 0);
    fill_dae(level, at->v, s->nv, of_v);
    fill_dae(level, at->lambda, s->ng, of_lambda);
    fill_dae(level, at->mu, s->ng, TN_DAE_PROJECTS);
    fill_dae(level, at->tau, s->ng + s->nn, TN_DAE_PROJECTS);
    fill_dae(level, at->eta, s->nn, of_lambda);
    fill_dae(level, at->e, s->nc, e_of_lambda ? of_v : 0);
    fill_dae(level, at->e + s->nc, s->nw, e_of_lambda ? of_lambda : of_v);
    fill_dae(level, at->nu, d->nnu, TN_DAE_PROJECTS);
    fill_dae(differential, 0, at->n, 0);
    fill_dae(differential, at->z, at->nz, 1);
    fill_dae(differential, at->v, s->nv, 1);
    fill_dae(differential, at->e, s->nc, 1);
}

// Names -------------------------------------------------------------------------------------------

static void with_suffix(char *text, size_t size, const char *suffix)
{
    const size_t length = strlen(text);
    if (length < size)
        snprintf(text + length, size - length, "%s", suffix);
}

// The coordinate of a factor is named after the velocity that moves it; the first component of a
// quaternion is moved by all three.
static void name_coordinate(const tn_dae *d, int i, char *text, size_t size)
{
    TN_ASSERT(i >= 0 && i < d->at.nz);
    const tn_system *s = d->sys;
    int k = 0;
    while (d->chart.z0[k + 1] <= i)
        k++;
    const tn_group *group = &s->groups[k];
    int j = i - d->chart.z0[k];
    const bool quaternion = d->chart.z0[k + 1] - d->chart.z0[k] > group->nv;
    if (quaternion && j > tn_group_turn(group))
        j--;
    s->ops->velocity_name(s, group->v0 + j, text, size);
}

static void name_norm(const tn_dae *d, int i, char *text, size_t size)
{
    TN_ASSERT(i >= 0 && i < d->nnu);
    int k = 0;
    while (d->nu_of[k] != i)
        k++;
    d->sys->ops->velocity_name(d->sys, d->sys->groups[k].v0 + tn_group_turn(&d->sys->groups[k]),
                               text, size);
    with_suffix(text, size, " (length of the quaternion)");
}

void tn_dae_name(const tn_dae *d, int i, char *text, size_t size)
{
    TN_ASSERT(i >= 0 && i < d->at.n);
    const tn_system *s = d->sys;
    const tn_dae_layout *at = &d->at;
    if (at->nu >= 0 && i >= at->nu)
        name_norm(d, i - at->nu, text, size);
    else if (i >= at->e)
        tn_system_extra_name(s, i - at->e, text, size);
    else if (i >= at->eta)
        s->ops->row_name(s, s->ng + i - at->eta, text, size);
    else if (at->tau >= 0 && i >= at->tau) {
        s->ops->row_name(s, i - at->tau, text, size);
        with_suffix(text, size, " (velocity level)");
    } else if (at->mu >= 0 && i >= at->mu) {
        s->ops->row_name(s, i - at->mu, text, size);
        with_suffix(text, size, " (position level)");
    } else if (i >= at->lambda)
        s->ops->row_name(s, i - at->lambda, text, size);
    else if (i >= at->v) {
        s->ops->velocity_name(s, (i - at->v) % s->nv, text, size);
        with_suffix(text, size, at->a >= 0 && i >= at->a ? " (acceleration)" : " (velocity)");
    } else
        name_coordinate(d, i, text, size);
}

// Residual ----------------------------------------------------------------------------------------

tn_point tn_dae_point(tn_dae *d, double t, const double *y, const double *yp)
{
    const tn_dae_layout *at = &d->at;
    tn_chart_to_q(&d->chart, y + at->z, d->q);
    return (tn_point){t,           d->q,      y + at->v, acceleration_of(d, y, yp), y + at->lambda,
                      y + at->eta, y + at->e, d->r};
}

void tn_dae_motion(tn_dae *d, const double *y)
{
    tn_copy(d->sys->nv, y + d->at.v, d->w);
    if (d->at.mu >= 0)
        tn_sparse_mul_t(d->sys->block[TN_BLOCK_B], -1.0, y + d->at.mu, d->w);
}

const double *tn_dae_quaternion(const tn_dae *d, const double *y, int k)
{
    TN_ASSERT(k < d->sys->ngroup && d->sys->groups[k].kind != TN_GROUP_R);
    return y + d->at.z + d->chart.z0[k] + tn_group_turn(&d->sys->groups[k]);
}

static void kinematic_rows(tn_dae *d, const double *y, const double *yp, double *r)
{
    const tn_dae_layout *at = &d->at;
    tn_dae_motion(d, y);
    tn_chart_rates(&d->chart, y + at->z, d->w, r + at->z);
    for (int i = at->z; i < at->z + at->nz; i++)
        r[i] = yp[i] - r[i];
    for (int k = 0; k < d->sys->ngroup && d->nnu > 0; k++) {
        if (d->nu_of[k] < 0)
            continue;
        const int nu = at->nu + d->nu_of[k];
        const double *e = tn_dae_quaternion(d, y, k);
        tn_axpy(4, y[nu], e, r + (e - y));
        r[nu] = 0.5 * (tn_dot(4, e, e) - 1.0);
    }
}

// v' - a + B^T tau + N^T tau_n of stabilized-index1.
static void velocity_rows(const tn_dae *d, const double *y, const double *yp, double *r)
{
    TN_ASSERT(d->at.a >= 0);
    const tn_system *s = d->sys;
    const tn_dae_layout *at = &d->at;
    for (int i = 0; i < s->nv; i++)
        r[at->v + i] = yp[at->v + i] - y[at->a + i];
    tn_sparse_mul_t(s->block[TN_BLOCK_B], 1.0, y + at->tau, r + at->v);
    tn_sparse_mul_t(s->block[TN_BLOCK_N], 1.0, y + at->tau + s->ng, r + at->v);
}

// A multiplier of a row that is left out is zero.
static void inactive_rows(const tn_dae *d, const double *y, double *r)
{
    const tn_system *s = d->sys;
    const tn_dae_layout *at = &d->at;
    const int *active = d->problem->active;
    for (int i = 0; i < s->ng + s->nn && !d->problem->all_active; i++) {
        if (active[i])
            continue;
        const int lambda = i < s->ng ? at->lambda + i : at->eta + i - s->ng;
        r[lambda] = y[lambda];
        if (at->mu >= 0 && i < s->ng)
            r[at->mu + i] = y[at->mu + i];
        if (at->tau >= 0)
            r[at->tau + i] = y[at->tau + i];
    }
}

tn_status tn_dae_residual(tn_dae *d, double t, const double *y, const double *yp, double h,
                          double *r)
{
    TN_ASSERT(r != y && r != yp && h > 0.0);
    const tn_dae_layout *at = &d->at;
    const tn_point point = tn_dae_point(d, t, y, yp);
    const tn_rows rows = {.dynamics = r + (at->a >= 0 ? at->a : at->v),
                          .lambda = r + at->lambda,
                          .mu = at->mu >= 0 ? r + at->mu : NULL,
                          .tau = at->tau >= 0 ? r + at->tau : NULL,
                          .eta = r + at->eta,
                          .extra = r + at->e};
    TN_TRY(tn_problem_rows(d->problem, &point, h, yp + at->e, &rows));
    if (at->a >= 0)
        velocity_rows(d, y, yp, r);
    kinematic_rows(d, y, yp, r);
    inactive_rows(d, y, r);
    return TN_OK;
}
