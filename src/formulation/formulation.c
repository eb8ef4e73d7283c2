// SPDX-License-Identifier: MIT
//
// Problems: which rows are enforced, and the equations of one implicit step of them; the matrices
// are those of corrector_layout.c.

#include "formulation/formulation.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "base/team.h"
#include "formulation/corrector.h"
#include "formulation/formulation_list.h"
#include "linalg/dense.h"

#include <stdio.h>
#include <string.h>

const tn_formulation *const tn_formulations[] = {
#define TN_KIND(name) &tn_formulation_##name,
    TN_FORMULATIONS(TN_KIND)
#undef TN_KIND
};
const int tn_formulation_count = TN_COUNT(tn_formulations);

// Partial velocities are the columns of Gamma and generalized speeds its characteristics; the
// derivative of the energy of accelerations by quasi-accelerations is Gamma^T M v'.
const tn_formulation_alias tn_formulation_aliases[] = {
    {"kane", &tn_formulation_maggi,
     "Kane's equations: generalized speeds are the characteristics, partial velocities Gamma",
     "[LB08, 2.4]"},
    {"gibbs-appell", &tn_formulation_projective,
     "Gibbs-Appell equations: quasi-accelerations in a basis orthonormal in the metric of M",
     "[LB08, 2.4, 4.6]"},
};
const int tn_formulation_alias_count = TN_COUNT(tn_formulation_aliases);

const tn_formulation_alias *tn_find_alias(const char *name)
{
    for (int k = 0; k < tn_formulation_alias_count; k++)
        if (!strcmp(tn_formulation_aliases[k].name, name))
            return &tn_formulation_aliases[k];
    return NULL;
}

const tn_formulation *tn_find_formulation(const char *name)
{
    const tn_formulation_alias *alias = tn_find_alias(name);
    for (int k = 0; k < tn_formulation_count; k++)
        if (!strcmp(tn_formulations[k]->name, name))
            return tn_formulations[k];
    return alias ? alias->of : NULL;
}

static bool stabilized(const tn_problem *p)
{
    return tn_projects_position(p->sys, p->formulation);
}

static void set_layout(const tn_system *s, bool apart, tn_layout *at)
{
    at->x = 0;
    at->u = apart ? s->nv : 0;
    at->lambda = at->u + s->nv;
    at->mu = apart ? at->lambda + s->ng : -1;
    at->eta = at->lambda + s->ng + (apart ? s->ng : 0);
    at->e = at->eta + s->nn;
    at->n = at->e + s->ne;
}

static void layout_formulation(void *self, tn_carve *mem)
{
    tn_problem *p = self;
    const tn_system *s = p->sys;
    if (s->block[TN_BLOCK_B])
        TN_CARVE_DOUBLES(mem, s->block[TN_BLOCK_B]->nnz, &p->B_start);
    TN_CARVE_DOUBLES(mem, 36 * s->ngroup, &p->T);
    TN_CARVE_DOUBLES(mem, p->at.n, &p->rhs);
    p->active = tn_carve_ints(mem, s->ng + s->nn);
}

static tn_status formulation_open_parts(tn_problem *p, const tn_sim_options *options)
{
    const tn_system *s = p->sys;
    TN_TRY(tn_corrector_create(p->sys, p->formulation, options, &p->corrector));
    TN_TRY(tn_carve_block(p, layout_formulation, &p->block));
    for (int i = 0; i < s->ng + s->nn; i++)
        p->active[i] = 1;
    p->all_active = true;
    for (int k = 0; k < s->ngroup; k++)
        p->curved = p->curved || tn_group_turns(&s->groups[k]);
    return TN_OK;
}

tn_status tn_problem_create(tn_system *sys, const tn_formulation *formulation,
                            const tn_sim_options *options, tn_problem **out)
{
    *out = NULL;
    tn_problem *p = tn_alloc(sizeof *p);
    TN_TRY(tn_got(p));
    const tn_sim_options taken = options ? *options : tn_default_sim();
    p->sys = sys;
    p->formulation = formulation;
    p->alpha = taken.baumgarte_alpha;
    p->beta = taken.baumgarte_beta;
    p->c = taken.baumgarte_c;
    set_layout(sys, stabilized(p), &p->at);
    const tn_status status = formulation_open_parts(p, options);
    TN_HAND_OUT(status, p, tn_problem_destroy, out);
}

void tn_problem_destroy(tn_problem *p)
{
    if (!p)
        return;
    tn_corrector_destroy(p->corrector);
    TN_FREE(p->block, p);
}

void tn_problem_values(tn_problem *p, tn_values *v)
{
    tn_carve_values(p, layout_formulation, p->block, v);
    tn_corrector_values(p->corrector, v);
}

void tn_problem_set_active(tn_problem *p, const int *active)
{
    p->all_active = true;
    for (int i = 0; i < p->sys->ng + p->sys->nn; i++) {
        p->active[i] = active[i];
        p->all_active = p->all_active && active[i];
    }
    tn_corrector_set_active(p->corrector, active);
}

tn_status tn_problem_set_exact(tn_problem *p, bool exact)
{
    if (!exact)
        return TN_OK;
    TN_TRY(tn_corrector_make_exact(p->corrector));
    tn_corrector_set_active(p->corrector, p->active);
    p->exact = true;
    return TN_OK;
}

// Rows --------------------------------------------------------------------------------------------

static unsigned formulation_parts_of(const tn_problem *p)
{
    const tn_formulation *f = p->formulation;
    unsigned want = tn_system_residual_parts(p->sys);
    if (f->position || f->baumgarte)
        want |= TN_EVAL_G;
    if (f->velocity || f->acceleration || p->sys->nn > 0)
        want |= TN_EVAL_GDOT;
    if (f->acceleration)
        want |= TN_EVAL_GAMMA;
    if (p->sys->ne > 0)
        want |= TN_EVAL_EXTRA;
    return want;
}

// C v' + its gamma, with Baumgarte's terms.
static void acceleration_rows(const tn_problem *p, const double *a, const tn_rows *r)
{
    const tn_system *s = p->sys;
    tn_copy(s->ng, s->gamma, r->lambda);
    tn_copy(s->nn, s->ngamma, r->eta);
    tn_sparse_mul(s->block[TN_BLOCK_B], 1.0, a, r->lambda);
    tn_sparse_mul(s->block[TN_BLOCK_N], 1.0, a, r->eta);
    if (!p->formulation->baumgarte)
        return;
    tn_axpy(s->ng, 2.0 * p->alpha, s->gdot, r->lambda);
    tn_axpy(s->ng, p->beta * p->beta, s->g, r->lambda);
    tn_axpy(s->nn, 2.0 * p->alpha, s->ndot, r->eta);
}

// The level that determines lambda and eta.
static void multiplier_rows(const tn_problem *p, const double *a, double h, const tn_rows *r)
{
    TN_ASSERT(h > 0.0);
    const tn_formulation *f = p->formulation;
    const tn_system *s = p->sys;
    if (f->acceleration) {
        acceleration_rows(p, a, r);
        return;
    }
    tn_copy(s->ng, f->velocity ? s->gdot : s->g, r->lambda);
    if (f->velocity && f->baumgarte)
        tn_axpy(s->ng, p->c / h, s->g, r->lambda);
    tn_copy(s->nn, s->ndot, r->eta);
}

tn_status tn_problem_rows(tn_problem *p, const tn_point *at, double h, const double *cdot,
                          const tn_rows *r)
{
    tn_system *s = p->sys;
    TN_TRY(tn_system_eval(s, at, formulation_parts_of(p)));
    tn_system_residual(p->sys, at, r->dynamics);
    multiplier_rows(p, at->a, h, r);
    if (r->mu)
        tn_copy(s->ng, s->g, r->mu);
    if (r->tau) {
        tn_copy(s->ng, s->gdot, r->tau);
        tn_copy(s->nn, s->ndot, r->tau + s->ng);
    }
    for (int i = 0; i < s->ne; i++)
        r->extra[i] = (i < s->nc ? cdot[i] : 0.0) - s->extra[i];
    return TN_OK;
}

// One step on the group ---------------------------------------------------------------------------

tn_status tn_problem_begin(tn_problem *p, const tn_point *start)
{
    if (!stabilized(p))
        return TN_OK;
    TN_TRY(tn_system_eval(p->sys, start, TN_EVAL_B));
    tn_problem_begin_here(p);
    return TN_OK;
}

void tn_problem_begin_here(tn_problem *p)
{
    const tn_sparse *B = p->sys->block[TN_BLOCK_B];
    if (stabilized(p))
        tn_copy(B->nnz, B->val, p->B_start);
}

// The pattern of B with its values at the start of the step.
static tn_sparse B_of_start(const tn_problem *p)
{
    TN_ASSERT(p->B_start);
    tn_sparse B = *p->sys->block[TN_BLOCK_B];
    B.val = p->B_start;
    return B;
}

void tn_problem_move(const tn_problem *p, double *y)
{
    const tn_layout *at = &p->at;
    if (!stabilized(p))
        return;
    const tn_sparse B = B_of_start(p);
    tn_copy(p->sys->nv, y + at->u, y + at->x);
    tn_sparse_mul_t(&B, -1.0, y + at->mu, y + at->x);
}

// x - u + B(q0)^T mu
static void kinematic_rows(const tn_problem *p, const double *y, double *r)
{
    TN_ASSERT(p->at.mu >= 0 && r != y);
    const tn_layout *at = &p->at;
    const int nv = p->sys->nv;
    for (int i = 0; i < nv; i++)
        r[at->x + i] = y[at->x + i] - y[at->u + i];
    const tn_sparse B = B_of_start(p);
    tn_sparse_mul_t(&B, 1.0, y + at->mu, r + at->x);
}

static void clear_inactive(const tn_problem *p, double *r)
{
    const tn_layout *at = &p->at;
    if (p->all_active)
        return;
    for (int i = 0; i < p->sys->ng; i++)
        if (!p->active[i]) {
            r[at->lambda + i] = 0.0;
            if (at->mu >= 0)
                r[at->mu + i] = 0.0;
        }
    for (int i = 0; i < p->sys->nn; i++)
        if (!p->active[p->sys->ng + i])
            r[at->eta + i] = 0.0;
}

static double formulation_power(double h, int k)
{
    TN_ASSERT(h > 0.0);
    return k > 0 ? h : k < 0 ? 1.0 / h : 1.0;
}

tn_status tn_problem_residual(tn_problem *p, const tn_point *point, const double *y, double h,
                              const double *cdot, double *r)
{
    const tn_system *s = p->sys;
    const tn_layout *at = &p->at;
    const tn_rows rows = {.dynamics = r + at->u,
                          .lambda = r + at->lambda,
                          .mu = at->mu >= 0 ? r + at->mu : NULL,
                          .eta = r + at->eta,
                          .extra = r + at->e};
    TN_TRY(tn_problem_rows(p, point, h, cdot, &rows));
    tn_scale(s->nv, h, rows.dynamics);
    tn_scale(s->ng, formulation_power(h, tn_lambda_power(p->formulation)), rows.lambda);
    tn_scale(s->nn, formulation_power(h, tn_eta_power(p->formulation)), rows.eta);
    if (stabilized(p)) {
        tn_scale(s->ng, 1.0 / h, rows.mu);
        kinematic_rows(p, y, r);
    }
    clear_inactive(p, r);
    return TN_OK;
}

typedef struct tangents {
    const tn_group *groups;
    const double *increment;
    double *T;
} tangents;

static void find_tangents(void *user, int begin, int end)
{
    const tangents *t = user;
    for (int k = begin; k < end; k++)
        if (tn_group_turns(&t->groups[k]))
            tn_group_tangent(&t->groups[k], t->increment + t->groups[k].v0,
                             (double(*)[6])(t->T + 36 * k));
}

tn_status tn_problem_factor(tn_problem *p, const tn_point *at, const double *increment,
                            tn_weights w)
{
    enum { GROUPS = 512 }; // that are worth a thread
    TN_ASSERT(w.h > 0.0);
    tn_system *s = p->sys;
    TN_TRY(tn_system_eval(
        s, at, formulation_parts_of(p) | tn_corrector_wants(p->corrector) | TN_EVAL_GDOT));
    tn_tangent tangent = {
        .kinematic = p->B_start, .v = at->v, .T = {p->curved ? p->T : NULL}, .step = w.h};
    for (int k = 0; k < TN_BLOCK_COUNT; k++)
        tangent.value[k] = s->block[k] ? s->block[k]->val : NULL;
    if (p->curved)
        tn_team_loop(s->ngroup, GROUPS, find_tangents, &(tangents){s->groups, increment, p->T});
    const tn_zweights weights = {w.h, w.q, w.v, w.a, w.c};
    return tn_corrector_factor(p->corrector, &tangent, &weights, false);
}

// x and mu after the core: x + B(q0)^T mu = u + r_x, B T x = r_mu.
static tn_status solve_projection(tn_problem *p, double *r)
{
    TN_ASSERT(p->at.mu >= 0);
    const tn_layout *at = &p->at;
    const int nv = p->sys->nv, ng = p->sys->ng;
    tn_copy(nv, r + at->x, p->rhs);
    tn_axpy(nv, 1.0, r + at->u, p->rhs);
    tn_copy(ng, r + at->mu, p->rhs + nv);
    TN_TRY(tn_corrector_solve_position(p->corrector, p->rhs, NULL));
    tn_copy(nv, p->rhs, r + at->x);
    tn_copy(ng, p->rhs + nv, r + at->mu);
    return TN_OK;
}

// The unknowns of the whole are those of y; its rows stand elsewhere.
static tn_status solve_whole(tn_problem *p, double *r)
{
    TN_ASSERT(p->exact);
    const tn_layout *at = &p->at;
    const tn_places row = tn_corrector_rows(p->corrector);
    const int nv = p->sys->nv, ng = p->sys->ng;
    tn_copy(nv, r + at->x, p->rhs + row.x);
    tn_copy(nv, r + at->u, p->rhs + row.u);
    tn_copy(ng, r + at->lambda, p->rhs + row.lambda);
    tn_copy(ng, r + at->mu, p->rhs + row.mu);
    tn_copy(at->n - at->eta, r + at->eta, p->rhs + row.eta);
    TN_TRY(tn_corrector_solve(p->corrector, p->rhs, NULL));
    tn_copy(at->n, p->rhs, r);
    return TN_OK;
}

tn_status tn_problem_solve(tn_problem *p, double *r)
{
    if (!stabilized(p))
        return tn_corrector_solve(p->corrector, r, NULL);
    if (p->exact)
        return solve_whole(p, r);
    const tn_layout *at = &p->at;
    const tn_places core = tn_corrector_columns(p->corrector);
    const int nv = p->sys->nv, ng = p->sys->ng, tail = core.n - core.eta;
    tn_copy(nv, r + at->u, p->rhs);
    tn_copy(ng, r + at->lambda, p->rhs + core.lambda);
    tn_copy(tail, r + at->eta, p->rhs + core.eta);
    TN_TRY(tn_corrector_solve(p->corrector, p->rhs, NULL));
    tn_copy(nv, p->rhs, r + at->u);
    tn_copy(ng, p->rhs + core.lambda, r + at->lambda);
    tn_copy(tail, p->rhs + core.eta, r + at->eta);
    return solve_projection(p, r);
}

double tn_noise_sign(int i)
{
    const unsigned mixed = ((unsigned)i + 1u) * 2654435769u; // Fibonacci hashing
    return (mixed ^ mixed >> 15) & 1024u ? 1.0 : -1.0;
}

tn_status tn_problem_noise(tn_problem *p, double h, double rounding, double *r)
{
    TN_ASSERT(h > 0.0 && rounding >= 0.0);
    const tn_layout *at = &p->at;
    const double power = h * formulation_power(h, tn_lambda_power(p->formulation));
    const double size = at->mu >= 0 ? rounding : rounding * power;
    double *rows = r + (at->mu >= 0 ? at->mu : at->lambda);
    tn_zero(at->n, r);
    for (int i = 0; i < p->sys->ng && p->formulation->position; i++)
        rows[i] = size * tn_noise_sign(i);
    clear_inactive(p, r);
    return tn_problem_solve(p, r);
}

void tn_problem_name(const tn_problem *p, int i, char *text, size_t size)
{
    TN_ASSERT(i >= 0 && i < p->at.n);
    const tn_layout *at = &p->at;
    const tn_system *s = p->sys;
    if (i < at->lambda)
        s->ops->velocity_name(s, i % s->nv, text, size);
    else if (i < at->eta)
        s->ops->row_name(s, (i - at->lambda) % s->ng, text, size);
    else if (i < at->e)
        s->ops->row_name(s, s->ng + i - at->eta, text, size);
    else
        tn_system_extra_name(s, i - at->e, text, size);
}
