// SPDX-License-Identifier: MIT
//
// The half-explicit Runge-Kutta method of order 5 for the index-2 form with explicit first stage,
// HEDOP5 [Arn16, Remark 9, eq. 81; Arn98]: the method of Dormand and Prince, whose stage i takes
// the constraints of stage i + 1,
//
//   ( M(Q_i)    C(Q_i)^T ) ( V'_i     )   ( f(Q_i, V_i)                                   )
//   ( C(Q_i+1)  0        ) ( Lambda_i ) = ( -(C(Q_i+1) Y_i + g_t + (K/h) g) / (h a_i+1,i) )
//
//   C = (B; N), g_t stands for (g_t, n0)
//   V_i = v + h sum_j<i a_ij V'_j           Y_i = v + h sum_j<i a_i+1,j V'_j
//   Z_i = z + h sum_j<i a_ij A(Z_j) V_j     coordinates of a chart, z' = A(z) v
//
// so that N V + n0 and B V + g_t vanish at the stages from the third on and at the end. All stages
// are linear solves: nothing is iterated but the algebraic variables, and the multipliers of a
// stage where its forces depend on them (reaction_roots.h). The end of the step is stage
// 7; V'_7 and Lambda_7 there, which begin the next step, need one more place of constraints, at the
// node 19/20, with the row `eighth` of coefficients.
//
// Positions and velocities are of order 5, accelerations and multipliers of order 4, and an error
// of the multipliers is not carried from step to step (the tests observe all three; the row of the
// continuous extension of dopri5 in place of `eighth` would give lambda order 3). The error is
// estimated by the embedded weights of order 4, in z, v and c.
//
// In baumgarte2 [Arn16, eq. 87] K is the option baumgarte_c, elsewhere zero, and g the drift: that
// of the start of the step at the stages, that of the end at the end and at the eighth place. The g
// of a stage is no drift but the error of third order of an explicit stage: (K/h) g would bring it
// into v, and divided by h once more into lambda.
//
// Between steps the continuous extension of the same tableau gives z, v and c; v is projected onto
// the constraints, which takes the errors of the multipliers out of it as in the estimate, and one
// evaluation on acceleration level gives the rest.

#include "formulation/ode_ops.h"
#include "integrator/integrator_list.h"
#include "integrator/runge_kutta.h"
#include "linalg/dense.h"
#include "motion/kinds.h"

#include <math.h>

enum { STAGES = 7 };

// Numbers of HEDOP5 [Arn98], from a public set of its parameters: rows add up to the node, and
// sum a_8j c_j^k = c_8^(k+1) / (k+1) for k = 1, 2. Orders and decay of errors are tested.
static const double eighth_node = 0.95;
static const double eighth[STAGES] = {
    -18611506045861.0 / 19738176307200.0,
    59332529.0 / 14479296.0,
    -2509441598627.0 / 893904224850.0,
    2763523204159.0 / 3289696051200.0,
    -41262869588913.0 / 116235927142400.0,
    46310205821.0 / 287848404480.0,
    -3280.0 / 75413.0,
};

typedef struct herk {
    tn_integrator base;
    tn_control control;
    tn_kkt kkt;
    const int *active; // ng + nn
    double stabilise;  // K of baumgarte2, 0 otherwise
    bool opened, done; // the first stage is that of the current state; all stages are there
    double t0, h;
    double *z0, *v0, *c0;             // where the step begins
    double *R, *W, *D;                // A(Z) V, V' and c' of the stages: STAGES x nz, nv, nc
    double *z, *q, *v, *e;            // the stage
    double *y;                        // nv: velocity without the part of the current stage
    double *B, *N;                    // values of these blocks at the stage
    double *rhs;                      // nv + ng + nn
    double *filtered;                 // the same
    double *drift;                    // ng: (K/h) g
    double *z1, *q1, *e1;             // the end of the step; its velocity is that of stage 7
    double *estimate, *size0, *size1; // nz + nv + nc
    double *atol;                     // the same
    tn_roots w, s;
    double *multipliers; // ng + nn: those at the beginning of the step
    double *q_i, *e_i;   // of the stage in hand, where forces depend on multipliers
    double *lower;       // ng + nn: lower part of rhs then
    tn_reactions reactions;
} herk;

static int rows_of(const tn_system *sys)
{
    return sys->ng + sys->nn;
}

static int values_of(const tn_sparse *A)
{
    return A ? A->nnz : 0;
}

static void herk_layout(tn_integrator *self, const tn_stepper *stepper, tn_carve *mem)
{
    herk *s = (herk *)self;
    const tn_system *sys = stepper->problem->sys;
    const int nz = stepper->chart->nz, nv = sys->nv, nc = sys->nc, n = nz + nv + nc;
    TN_CARVE_DOUBLES(mem, nz, &s->z0, &s->z, &s->z1);
    TN_CARVE_DOUBLES(mem, nv, &s->v0, &s->v, &s->y);
    TN_CARVE_DOUBLES(mem, nc, &s->c0);
    TN_CARVE_DOUBLES(mem, STAGES * nz, &s->R);
    TN_CARVE_DOUBLES(mem, STAGES * nv, &s->W);
    TN_CARVE_DOUBLES(mem, STAGES * nc, &s->D);
    TN_CARVE_DOUBLES(mem, sys->nq, &s->q, &s->q1);
    TN_CARVE_DOUBLES(mem, sys->ne, &s->e, &s->e1);
    TN_CARVE_DOUBLES(mem, values_of(sys->block[TN_BLOCK_B]), &s->B);
    TN_CARVE_DOUBLES(mem, values_of(sys->block[TN_BLOCK_N]), &s->N);
    TN_CARVE_DOUBLES(mem, nv + rows_of(sys), &s->rhs, &s->filtered);
    TN_CARVE_DOUBLES(mem, sys->ng, &s->drift);
    TN_CARVE_DOUBLES(mem, n, &s->estimate, &s->size0, &s->size1, &s->atol);
    tn_roots_layout(&s->w, nc, sys->nw, mem);
    tn_roots_layout(&s->s, nc + sys->nw, sys->ns, mem);
    TN_CARVE_DOUBLES(mem, rows_of(sys), &s->multipliers, &s->lower);
    TN_CARVE_DOUBLES(mem, sys->nq, &s->q_i);
    TN_CARVE_DOUBLES(mem, sys->ne, &s->e_i);
    tn_reactions_layout(&s->reactions, stepper->problem->sys, mem);
}

static void herk_values(tn_integrator *self, tn_values *v)
{
    herk *s = (herk *)self;
    tn_control_values(&s->control, v);
    TN_VALUES_BOOL(v, &s->opened, &s->done);
    TN_VALUES(v, "s", 1, &s->t0, &s->h);
    tn_kkt_values(&s->kkt, v);
    tn_roots_values(&s->w, v);
    tn_roots_values(&s->s, v);
    tn_reactions_values(&s->reactions, v);
}

// The matrix --------------------------------------------------------------------------------------

// M and C^T of the stage,
static void begin_matrix(herk *s, const tn_system *sys)
{
    tn_composition *A = &s->kkt.matrix;
    const tn_sparse *B = sys->block[TN_BLOCK_B], *N = sys->block[TN_BLOCK_N];
    tn_zero(A->matrix->nnz, A->matrix->val);
    tn_composition_add(A, TN_KKT_M, 1.0, sys->block[TN_BLOCK_M]);
    tn_sparse_scatter(A->matrix->val, A->maps[TN_KKT_BT], values_of(B), 1.0, s->B);
    tn_sparse_scatter(A->matrix->val, A->maps[TN_KKT_NT], values_of(N), 1.0, s->N);
}

// and C of the next one as it stands in the blocks of the system.
static tn_status factor_herk5(herk *s, const tn_system *sys)
{
    tn_composition_add(&s->kkt.matrix, TN_KKT_B, 1.0, sys->block[TN_BLOCK_B]);
    tn_composition_add(&s->kkt.matrix, TN_KKT_N, 1.0, sys->block[TN_BLOCK_N]);
    return tn_kkt_factor(&s->kkt, s->active);
}

static void keep_blocks(herk *s, const tn_system *sys)
{
    const tn_sparse *B = sys->block[TN_BLOCK_B], *N = sys->block[TN_BLOCK_N];
    if (B)
        tn_copy(B->nnz, B->val, s->B);
    if (N)
        tn_copy(N->nnz, N->val, s->N);
}

static tn_status herk_open(tn_integrator *self, tn_stepper *stepper)
{
    herk *s = (herk *)self;
    const tn_formulation *formulation = stepper->problem->formulation;
    tn_system *sys = stepper->problem->sys;
    TN_TRY(tn_kkt_open(&s->kkt, sys));
    tn_reactions_open(&s->reactions);
    s->stabilise = formulation->baumgarte ? stepper->options->baumgarte_c : 0.0;
    s->active = stepper->problem->active;
    // The first factorisation takes memory: do it now, with the blocks of the start values.
    keep_blocks(s, sys);
    begin_matrix(s, sys);
    return factor_herk5(s, sys);
}

static void herk_close(tn_integrator *self)
{
    tn_kkt_close(&((herk *)self)->kkt);
}

static tn_status herk_begin(tn_integrator *self, const tn_sim_options *options)
{
    herk *s = (herk *)self;
    const double beta = 0.04; // as dopri5
    s->control = (tn_control){
        .safe = 0.9, .exponent = 0.2 - 0.75 * beta, .beta = beta, .least = 0.2, .most = 10.0};
    tn_control_begin(&s->control);
    s->opened = s->done = s->w.factored = s->s.factored = s->reactions.formed = false;
    return TN_OK;
}

// Stages ------------------------------------------------------------------------------------------

static const double *herk5_row_of(int i)
{
    TN_ASSERT(i >= 0 && i <= STAGES);
    return i < STAGES ? tn_tableau_row(&tn_tableau_dopri5, i) : eighth;
}

static double node_of(int i)
{
    TN_ASSERT(i >= 0 && i <= STAGES);
    return i < STAGES ? tn_tableau_dopri5.c[i] : eighth_node;
}

// out = start + h sum over the first `count` of weights times rates
static void combine_herk5(const herk *s, int n, const double *start, int count,
                          const double *weights, const double *rates, double *out)
{
    TN_ASSERT(count <= STAGES && out != rates);
    tn_copy(n, start, out);
    for (int j = 0; j < count; j++)
        if (weights[j] != 0.0)
            tn_axpy(n, s->h * weights[j], rates + j * n, out);
}

static tn_point stage_point(const herk *s, const tn_state *x, int i, const double *v)
{
    const int ng = s->kkt.sys->ng;
    return (tn_point){.t = s->t0 + node_of(i) * s->h,
                      .q = s->q,
                      .v = v,
                      .a = s->W,
                      .lambda = s->multipliers,
                      .eta = s->multipliers + ng,
                      .e = s->e,
                      .r = x->r};
}

static void note_drift(herk *s, const tn_system *sys)
{
    TN_ASSERT(s->h > 0.0);
    for (int k = 0; k < sys->ng; k++)
        s->drift[k] = s->stabilise / s->h * sys->g[k];
}

static tn_status begin_drift(herk *s, tn_system *sys, const tn_state *x)
{
    tn_zero(sys->ng, s->drift);
    if (s->stabilise == 0.0)
        return TN_OK;
    const tn_point at = tn_state_point(x);
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_G));
    note_drift(s, sys);
    return TN_OK;
}

// From the beginning of the step; with s, which are found before v is known, by a homotopy.
static tn_status follow_roots(const tn_stepper *stepper, tn_unknowns *u, tn_roots *r,
                              const tn_point *at, double *e)
{
    tn_system *sys = stepper->problem->sys;
    return r->n > 0 && sys->ns == 0 ? tn_unknowns_at(u, stepper->begin, at, e)
                                    : tn_roots_follow(r, sys, at, e);
}

// Finds the unknowns; follows them if no smaller step will be tried.
static tn_status find_roots(const tn_stepper *stepper, tn_roots *r, const tn_point *at, double *e)
{
    return stepper->options->adaptive ? tn_roots_find(r, stepper->problem->sys, at, e)
                                      : follow_roots(stepper, stepper->unknowns, r, at, e);
}

// The place of stage i, of which the velocity is not known yet: q, s, and B and N there. `y` is a
// velocity for gdot and ndot.
static tn_status place(herk *s, tn_stepper *stepper, const tn_state *x, int i)
{
    TN_ASSERT(i > 0 && i <= STAGES);
    tn_system *sys = stepper->problem->sys;
    const tn_chart *chart = stepper->chart;
    combine_herk5(s, chart->nz, s->z0, i, herk5_row_of(i), s->R, s->z);
    tn_chart_to_q(chart, s->z, s->q);
    combine_herk5(s, sys->nv, s->v0, i - 1, herk5_row_of(i), s->W, s->y);
    const tn_point at = stage_point(s, x, i, s->y);
    TN_TRY(find_roots(stepper, &s->s, &at, s->e));
    if (rows_of(sys) == 0)
        return TN_OK;
    const bool ends = s->stabilise > 0.0 && i == STAGES - 1;
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_B | TN_EVAL_GDOT | (ends ? TN_EVAL_G : 0)));
    if (ends)
        note_drift(s, sys);
    return TN_OK;
}

// Velocity, states and forces of stage i at its place.
static tn_status load_herk5(herk *s, tn_stepper *stepper, const tn_state *x, int i)
{
    TN_ASSERT(i > 0 && i < STAGES);
    tn_system *sys = stepper->problem->sys;
    const tn_chart *chart = stepper->chart;
    const double *row = herk5_row_of(i);
    combine_herk5(s, sys->nv, s->v0, i, row, s->W, s->v);
    combine_herk5(s, sys->nc, s->c0, i, row, s->D, s->e);
    tn_chart_rates(chart, s->z, s->v, s->R + i * chart->nz);
    const tn_point at = stage_point(s, x, i, s->v);
    TN_TRY(find_roots(stepper, &s->w, &at, s->e));
    TN_TRY(
        tn_system_eval(sys, &at, TN_EVAL_MASS | TN_EVAL_FORCE | (sys->nc > 0 ? TN_EVAL_EXTRA : 0)));
    tn_copy(sys->nc, sys->extra, s->D + i * sys->nc);
    tn_copy(sys->nv, sys->f, s->rhs);
    begin_matrix(s, sys);
    return TN_OK;
}

// The lower part of the right-hand side, at the place of stage i + 1.
static void demand(herk *s, const tn_system *sys, int i)
{
    TN_ASSERT(herk5_row_of(i + 1)[i] != 0.0);
    double *rows = s->rhs + sys->nv;
    const double scale = -1.0 / (s->h * herk5_row_of(i + 1)[i]);
    for (int k = 0; k < sys->ng; k++)
        rows[k] = s->active[k] ? scale * (sys->gdot[k] + s->drift[k]) : 0.0;
    for (int k = 0; k < sys->nn; k++)
        rows[sys->ng + k] = s->active[sys->ng + k] ? scale * sys->ndot[k] : 0.0;
}

static tn_status herk_solve_again(void *self, double *b)
{
    return tn_kkt_solve(&((herk *)self)->kkt, b);
}

// Forces that depend on the multipliers of the stage: with them c' and w are known, too.
static tn_status solve_reactions(herk *s, tn_system *sys, const tn_state *x, int i)
{
    const tn_reaction_solver by = {s, herk_solve_again, s->lower};
    tn_point at = stage_point(s, x, i, s->v);
    at.q = s->q_i;
    at.e = s->e_i;
    tn_copy(rows_of(sys), s->rhs + sys->nv, s->lower);
    TN_TRY(tn_reactions_find(&s->reactions, &by, &at, s->e_i));
    tn_copy(sys->nv + rows_of(sys), s->reactions.found, s->rhs);
    at.lambda = s->rhs + sys->nv;
    at.eta = at.lambda + sys->ng;
    if (sys->nc > 0)
        TN_TRY(tn_system_eval(sys, &at, TN_EVAL_EXTRA));
    tn_copy(sys->nc, sys->extra, s->D + i * sys->nc);
    tn_copy(sys->nw, s->e_i + sys->nc, s->e + sys->nc);
    return TN_OK;
}

// V' and multipliers of stage i, into rhs.
static tn_status solve_stage(herk *s, tn_stepper *stepper, const tn_state *x, int i)
{
    tn_system *sys = stepper->problem->sys;
    demand(s, sys, i);
    TN_TRY(factor_herk5(s, sys));
    stepper->factorizations++;
    keep_blocks(s, sys);
    if (!sys->force_uses_lambda)
        return tn_kkt_solve(&s->kkt, s->rhs);
    return solve_reactions(s, sys, x, i);
}

// Stages 2 to 7; afterwards z1, q1, v, e1 and rhs = (v', lambda, eta) are those of the end.
static tn_status evaluate_herk5(herk *s, tn_stepper *stepper, const tn_state *x)
{
    tn_system *sys = stepper->problem->sys;
    TN_TRY(begin_drift(s, sys, x));
    if (sys->force_uses_lambda)
        tn_copy(rows_of(sys), s->multipliers, s->reactions.y);
    TN_TRY(place(s, stepper, x, 1));
    keep_blocks(s, sys);
    for (int i = 1; i < STAGES; i++) {
        TN_TRY(load_herk5(s, stepper, x, i));
        tn_copy(sys->nq, s->q, s->q_i);
        tn_copy(sys->ne, s->e, s->e_i);
        if (i == STAGES - 1) { // the place of the last stage is the end of the step
            tn_copy(stepper->chart->nz, s->z, s->z1);
            tn_copy(sys->nq, s->q, s->q1);
        }
        TN_TRY(place(s, stepper, x, i + 1));
        TN_TRY(solve_stage(s, stepper, x, i));
        tn_copy(sys->nv, s->rhs, s->W + i * sys->nv);
    }
    tn_copy(sys->ne, s->e_i, s->e1);
    return TN_OK;
}

// V' of the first stage at a state whose accelerations are stale.
static tn_status herk5_refresh(herk *s, tn_stepper *stepper, const tn_state *x)
{
    tn_system *sys = stepper->problem->sys;
    tn_point at = tn_state_point(x);
    at.e = s->e;
    TN_TRY(tn_roots_find(&s->s, sys, &at, s->e));
    TN_TRY(tn_roots_find(&s->w, sys, &at, s->e));
    return tn_accel_solve(stepper->accel, &at, s->e, s->W, s->multipliers,
                          s->multipliers + sys->ng);
}

// The first stage. After a step of its own the state carries it; after a failed attempt it is
// there.
static tn_status herk5_open_step(herk *s, tn_stepper *stepper, const tn_state *x)
{
    tn_system *sys = stepper->problem->sys;
    tn_chart *chart = stepper->chart;
    const bool fresh = stepper->moved || !s->opened,
               known = stepper->moved ? stepper->known : s->done;
    tn_copy(sys->ne, x->e, s->e);
    if (fresh) {
        s->done = s->opened = false;
        tn_chart_base(chart, x->q);
        tn_chart_to_z(chart, x->q, s->z0);
        tn_copy(sys->nv, x->v, s->v0);
        tn_copy(sys->nc, x->e, s->c0);
        tn_copy(sys->nv, x->a, s->W);
        tn_copy(sys->ng, x->lambda, s->multipliers);
        tn_copy(sys->nn, x->eta, s->multipliers + sys->ng);
        if (!known)
            TN_TRY(herk5_refresh(s, stepper, x));
        tn_chart_rates(chart, s->z0, s->v0, s->R);
        tn_point at = tn_state_point(x);
        at.e = s->e;
        at.lambda = s->multipliers;
        at.eta = s->multipliers + sys->ng;
        if (sys->nc > 0)
            TN_TRY(tn_system_eval(sys, &at, TN_EVAL_EXTRA));
        tn_copy(sys->nc, sys->extra, s->D);
    }
    stepper->moved = false;
    s->opened = true;
    s->done = false;
    return TN_OK;
}

// The multipliers of the stages are less exact than the motion, and what they do to the embedded
// velocity is undone in v by the constraints: the estimate is taken onto their kernel, in the norm
// of M, by the matrix of the last stage.
static tn_status filter(herk *s, const tn_system *sys, double *dv)
{
    if (rows_of(sys) == 0)
        return TN_OK;
    tn_zero(sys->nv + rows_of(sys), s->filtered);
    tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, dv, s->filtered);
    TN_TRY(tn_kkt_solve(&s->kkt, s->filtered));
    tn_copy(sys->nv, s->filtered, dv);
    return TN_OK;
}

static void set_tolerances(herk *s, const tn_stepper *stepper)
{
    const tn_system *sys = stepper->problem->sys;
    const int nz = stepper->chart->nz;
    tn_coordinates_by_kind(sys, stepper->chart, stepper->atol, s->atol);
    tn_velocities_by_kind(sys, stepper->atol, s->atol + nz);
    for (int i = 0; i < sys->nc; i++)
        s->atol[nz + sys->nv + i] = stepper->atol[TN_KIND_EXTRA];
}

static tn_status herk5_error_of(herk *s, tn_stepper *stepper)
{
    const tn_system *sys = stepper->problem->sys;
    const tn_chart *chart = stepper->chart;
    const double *weights = tn_tableau_dopri5.error;
    const int nz = chart->nz, nv = sys->nv, n = nz + nv + sys->nc;
    tn_zero(n, s->estimate);
    combine_herk5(s, nz, s->estimate, STAGES, weights, s->R, s->estimate);
    combine_herk5(s, nv, s->estimate + nz, STAGES, weights, s->W, s->estimate + nz);
    TN_TRY(filter(s, sys, s->estimate + nz));
    combine_herk5(s, sys->nc, s->estimate + nz + nv, STAGES, weights, s->D, s->estimate + nz + nv);
    tn_chart_sizes(chart, s->z0, s->size0);
    tn_chart_sizes(chart, s->z1, s->size1);
    tn_magnitudes(nv, s->v0, s->size0 + nz);
    tn_magnitudes(nv, s->v, s->size1 + nz);
    tn_magnitudes(sys->nc, s->c0, s->size0 + nz + nv);
    tn_magnitudes(sys->nc, s->e1, s->size1 + nz + nv);
    set_tolerances(s, stepper);
    const double sum =
        tn_error_squares(n, s->estimate, s->size0, s->size1, s->atol, stepper->options->rtol);
    stepper->error = n > 0 ? sqrt(sum / n) : 0.0;
    return TN_OK;
}

static void accept_herk5(herk *s, const tn_system *sys, tn_state *x)
{
    x->t = s->t0 + s->h;
    tn_copy(sys->nq, s->q1, x->q);
    tn_copy(sys->nv, s->v, x->v);
    tn_copy(sys->ne, s->e1, x->e);
    tn_copy(sys->nv, s->rhs, x->a);
    tn_copy(sys->ng, s->rhs + sys->nv, x->lambda);
    tn_copy(sys->nn, s->rhs + sys->nv + sys->ng, x->eta);
    s->opened = false;
    s->done = true;
}

static tn_status herk_step(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    herk *s = (herk *)self;
    const tn_system *sys = stepper->problem->sys;
    const bool adaptive = stepper->options->adaptive;
    stepper->factor = 0.0;
    TN_TRY(herk5_open_step(s, stepper, x));
    s->t0 = x->t;
    s->h = h;
    TN_TRY(evaluate_herk5(s, stepper, x));
    TN_TRY(herk5_error_of(s, stepper));
    if (!isfinite(stepper->error) || !tn_all_finite(sys->nv + rows_of(sys), s->rhs))
        return tn_fail(TN_RETRY_FUNCTION, "the stages of a step of %g s have no bounds", h);
    stepper->factor = tn_control_factor(&s->control, stepper->error, adaptive);
    if (adaptive && stepper->error > 1.0)
        return TN_RETRY_ERROR;
    accept_herk5(s, sys, x);
    return TN_OK;
}

static tn_status herk_interpolate(tn_integrator *self, tn_stepper *stepper, double t, tn_state *out)
{
    herk *s = (herk *)self;
    tn_system *sys = stepper->problem->sys;
    double weights[STAGES];
    if (!s->done)
        return tn_fail(TN_ERR_USAGE, "no step was taken: there is nothing to interpolate");
    TN_ASSERT(t >= s->t0 - 1e-9 * s->h && t <= s->t0 + (1.0 + 1e-9) * s->h);
    for (int i = 0; i < STAGES; i++)
        weights[i] = tn_tableau_weight(&tn_tableau_dopri5, i, (t - s->t0) / s->h);
    combine_herk5(s, stepper->chart->nz, s->z0, STAGES, weights, s->R, s->z);
    tn_chart_to_q(stepper->chart, s->z, out->q);
    combine_herk5(s, sys->nv, s->v0, STAGES, weights, s->W, out->v);
    tn_copy(sys->ne, s->e1, out->e);
    combine_herk5(s, sys->nc, s->c0, STAGES, weights, s->D, out->e);
    out->t = t;
    const tn_point at = tn_state_point(out);
    TN_TRY(follow_roots(stepper, stepper->within, &s->s, &at, out->e));
    TN_TRY(tn_accel_project(stepper->accel, &at, out->v));
    TN_TRY(follow_roots(stepper, stepper->within, &s->w, &at, out->e));
    tn_copy(sys->ng, s->rhs + sys->nv, out->lambda); // those of the end, to begin with
    tn_copy(sys->nn, s->rhs + sys->nv + sys->ng, out->eta);
    return tn_accel_solve(stepper->accel, &at, out->e, out->a, out->lambda, out->eta);
}

static void herk_orders(const tn_formulation *formulation, const tn_sim_options *options,
                        int order[3])
{
    order[2] = 4;
}

const tn_integrator_ops tn_integrator_herk5 = {
    .name = "herk5",
    .text = "half-explicit Dormand-Prince on velocity level, error-controlled",
    .source = "[Arn16, eq. 81; Arn98]",
    .order = 5,
    .needs = TN_VIEW_BLOCKS,
    .controlled = true,
    .decay_max = 3.3, // of the method of Dormand and Prince
    .size = sizeof(herk),
    .layout = herk_layout,
    .values = herk_values,
    .open = herk_open,
    .close = herk_close,
    .begin = herk_begin,
    .step = herk_step,
    .interpolate = herk_interpolate,
    .orders = herk_orders,
};
