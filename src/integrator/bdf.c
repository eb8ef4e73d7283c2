// SPDX-License-Identifier: MIT
//
// Backward differentiation formulas of order 1 to 5 on the residual view F(t, y, y') = 0: by IDA of
// SUNDIALS [HBG05], in the fixed-leading-coefficient form with variable order and step, where the
// error is controlled, and by bdf_fixed.c where steps are given.
//
// IDA sees our tangent and solver through its interfaces for matrices and linear solvers: the
// matrix is empty, its "Jacobian" c F_y' + F_y is assembled and factored by tn_dae_factor, and
// tn_dae_solve scales rows and unknowns inside so that nothing grows with 1/h.
//
// Errors are measured in the root mean square of e_i w_i over the differential unknowns,
//
//   w_i = (h / time scale)^level_i / (atol_i + rtol size_i)
//
// with tolerances that are raised to what round-off lets one know (ROUND_OFF).
//
// Unknowns of level 1 and 2 (multipliers, v of index3) enter the motion through h and h^2: their
// errors, which are larger by 1/h and 1/h^2, would otherwise rule the step and the end of Newton's
// iteration [Arn16, section 4.2; HW96, VII.6]. Multipliers and other algebraic unknowns are not in
// the error test at all.
//
// Multipliers of projections (mu, tau, nu) vanish but for local errors, so that what IDA predicts
// of them from several steps is noise, larger than they are. Newton's method starts from zero
// instead: the first residual of a step is formed there, and the first correction takes the
// prediction away. They are left out of its norm too; what they do shows in z and v.
//
// The rest that Newton's method leaves is noise from step to step, which differences of order k
// enlarge by 2^k until it rules order and step. IDA's own rules (`judge`) take twice as many steps,
// with multipliers that are poorer by a digit, and more iterations in all.

#include "integrator/bdf_fixed.h"

#include "base/tolerance.h"
#include "formulation/corrector.h"
#include "integrator/integrator_list.h"
#include "integrator/sundials_glue.h"
#include "linalg/dense.h"

#include <ida/ida.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

enum {
    ORDER_MAX = 5,
    ITERATIONS_MAX = 4,
    FAILURES_MAX = 20,  // of one step in a row, each of which cuts it to a quarter or so
    LENGTH_EVERY = 100, // steps after which lengths of quaternions are checked
};

// Newton's method goes on until its error is this part of the tolerance, or as far as round-off and
// tangents by differences let it come if that is good enough.
static const double GOOD_ENOUGH = 0.1, RATE_MAX = 0.9;

// Near a singular position what is left of the constraints is enlarged by one over the smallest
// singular value of B, and rules the error test of the steps after: there Newton's method goes on.
static const double NEAR = 1e-2, FARTHEST = 1e-3; // of singular values; tolerances

// No unknown of a constrained mechanism is known better than to this part of the largest of its
// kind: constraints tie them together, so that a joint which is all but at rest carries the
// round-off of those that turn fast, enlarged by levers (40 units in the last place of the largest
// rate on the squeezer). Tolerances below it make differences of noise rule order and step, down to
// steps of 1e-14 s; ten times as much would lose accuracy that is there.
static const double ROUND_OFF = TN_ROUND_MATRIX;

typedef struct bdf {
    tn_integrator base;
    tn_bdf_fixed fixed;
    tn_sundials lib;
    void *ida;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    SUNNonlinearSolver newton;
    N_Vector id;
    tn_stepper *stepper;
    bool fixed_last; // the last step was one of bdf_fixed
    int since_length;
    double norm;       // root of n over the number of differential unknowns
    bool from_zero;    // the last residual is that of multipliers of projections at zero
    bool fresh;        // the factorisation is one of this step
    double rcond;      // the largest of factorisations so far
    double margin;     // of the last one, as singular values, by that
    double first_norm; // of the first correction of a step
    double h_tried;    // of the last attempt at a step, and how often it has been shortened
    int cuts;
    bool paused; // once in this step, or its history begins
    int *level, *differential;
    int *kind;               // tn_kind of the unknowns
    double *is_differential; // the same as IDA wants it
    double *size;            // of the unknowns
    double *guess;           // y with multipliers of projections at zero
    double h_first;          // first step of a history
    bool stepping;           // it has begun
    tn_state nearby;         // a little later than its start
} bdf;

static void bdf_layout(tn_integrator *self, const tn_stepper *stepper, tn_carve *mem)
{
    bdf *s = (bdf *)self;
    const int n = stepper->dae->at.n;
    tn_bdf_fixed_layout(&s->fixed, stepper, mem);
    tn_sundials_layout(&s->lib, n, mem);
    TN_CARVE_INTS(mem, n, &s->level, &s->differential, &s->kind);
    TN_CARVE_DOUBLES(mem, n, &s->guess, &s->is_differential, &s->size);
    tn_state_layout(stepper->dae->sys, &s->nearby, mem);
}

// The history of IDA is none of them: it begins anew.
static void bdf_values(tn_integrator *self, tn_values *v)
{
    bdf *s = (bdf *)self;
    tn_bdf_fixed_values(&s->fixed, v);
    TN_VALUES_BOOL(v, &s->fixed_last);
}

// Functions that IDA calls -----------------------------------------------------------------------

// Before a first step IDA still has that of an earlier history.
static double present_step(const bdf *s)
{
    double h = 0.0;
    IDAGetCurrentStep(s->ida, &h);
    return s->stepping ? h : s->h_first;
}

// The point at which IDA wants the equations, at the beginning of a step with multipliers of
// projections at zero.
static const double *point(bdf *s, N_Vector y)
{
    N_Vector predicted, yp_predicted, y_now, yp_now, r;
    double t, c;
    void *self;
    const double *at = tn_sundials_true(&s->lib, NV_DATA_S(y));
    IDAGetNonlinearSystemData(s->ida, &t, &predicted, &yp_predicted, &y_now, &yp_now, &r, &c,
                              &self);
    s->from_zero = tn_same(s->lib.n, NV_DATA_S(y), NV_DATA_S(predicted));
    if (!s->from_zero)
        return at;
    s->fresh = false;
    for (int i = 0; i < s->lib.n; i++)
        s->guess[i] = s->level[i] == TN_DAE_PROJECTS ? 0.0 : at[i];
    return s->guess;
}

// Once in a step: when its third attempt begins. After three errors above the tolerance IDA goes
// back to order one, and loses the history of which a way beyond is made.
static bool pauses_bdf(bdf *s)
{
    const double h = present_step(s);
    s->cuts += h < 0.95 * s->h_tried;
    s->h_tried = h;
    if (s->paused || s->cuts < 2 || s->stepper->dae->sys->ng == 0)
        return false;
    return s->paused = s->stepper->paused = true;
}

static int bdf_residual(double t, N_Vector y, N_Vector yp, N_Vector r, void *self)
{
    bdf *s = self;
    s->stepping = true;
    if (pauses_bdf(s))
        return -1;
    return tn_sundials_answer(&s->lib,
                              tn_dae_residual(s->stepper->dae, t, point(s, y), NV_DATA_S(yp),
                                              present_step(s), NV_DATA_S(r)));
}

// The error that is left is rate / (1 - rate) times a correction, as in IDA [HBG05, eq. 11], but a
// rate is believed only if it is one of this step: IDA takes that of the steps before, and ends
// after the first correction where that is better than this one. Where a fresh tangent comes no
// further, by round-off or differences that stand in for derivatives, less is good enough.
static int judge_bdf(SUNNonlinearSolver newton, N_Vector y, N_Vector correction, double tol,
                     N_Vector weight, void *self)
{
    bdf *s = self;
    int m = 0;
    if (s->margin < NEAR)
        tol *= fmax(s->margin, FARTHEST);
    SUNNonlinSolGetCurIter(newton, &m);
    const double size = N_VWrmsNorm(correction, weight);
    if (m == 0)
        s->first_norm = size;
    const double rate = m == 0 ? 0.5 : pow(size / s->first_norm, 1.0 / m);
    const bool poor = !(rate <= RATE_MAX);
    if (!poor && size * rate / (1.0 - rate) <= tol)
        return 0;
    if (s->fresh && size <= GOOD_ENOUGH && (poor || m == ITERATIONS_MAX - 1))
        return 0;
    return poor ? SUN_NLS_CONV_RECVR : SUN_NLS_CONTINUE;
}

static int factor(double t, double c, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix J, void *self,
                  N_Vector work1, N_Vector work2, N_Vector work3)
{
    bdf *s = self;
    TN_ASSERT(c > 0.0 && (int)NV_LENGTH_S(y) == s->lib.n);
    const double *at = point(s, y);
    s->stepper->factorizations++;
    s->fresh = true;
    const tn_status status =
        tn_dae_factor(s->stepper->dae, t, at, NV_DATA_S(yp), present_step(s), c);
    const double rcond = tn_corrector_rcond(s->stepper->problem->corrector);
    s->rcond = fmax(s->rcond, rcond);
    s->margin = rcond < s->rcond ? sqrt(rcond / s->rcond) : 1.0;
    return tn_sundials_answer(&s->lib, status);
}

static int solve_bdf(SUNLinearSolver solver, SUNMatrix J, N_Vector x_, N_Vector b, double tol)
{
    bdf *s = solver->content;
    TN_ASSERT((int)NV_LENGTH_S(x_) == s->lib.n && (int)NV_LENGTH_S(b) == s->lib.n);
    double *x = NV_DATA_S(x_);
    tn_copy(s->lib.n, NV_DATA_S(b), x);
    const int answer = tn_sundials_answer(&s->lib, tn_dae_solve(s->stepper->dae, x));
    for (int i = 0; i < s->lib.n && s->from_zero; i++) // the prediction of these, away
        x[i] -= s->level[i] == TN_DAE_PROJECTS ? s->lib.y[i] : 0.0;
    return answer > 0 ? SUNLS_PACKAGE_FAIL_REC : answer < 0 ? TN_SUNDIALS_FATAL : 0;
}

// Tolerances of some unknowns are at least a part of the largest size of each kind.
// Never above what is asked for of the largest: IDA refuses that where there are no such digits.
static void raise_to_round_off(const bdf *s, int first, int count, double *tol)
{
    TN_ASSERT(first >= 0 && first + count <= s->lib.n);
    const double part = fmin(s->stepper->options->rtol, ROUND_OFF);
    double most[TN_KIND_COUNT] = {0.0};
    for (int i = first; i < first + count; i++)
        most[s->kind[i]] = fmax(most[s->kind[i]], s->size[i]);
    for (int i = first; i < first + count; i++)
        tol[i] = fmax(tol[i], part * most[s->kind[i]]);
}

static void find_tolerances(bdf *s, const double *y, double *tol)
{
    const tn_system *sys = s->stepper->dae->sys;
    const tn_dae_layout at = s->stepper->dae->at;
    tn_dae_sizes(s->stepper->dae, y, s->size);
    for (int i = 0; i < s->lib.n; i++)
        tol[i] = s->stepper->atol[s->kind[i]] + s->stepper->options->rtol * s->size[i];
    if (sys->ng + sys->nn == 0)
        return;
    raise_to_round_off(s, at.z, at.nz, tol);
    raise_to_round_off(s, at.v, sys->nv, tol);
}

static void find_weights(bdf *s, const double *y, double h, double *weight)
{
    TN_ASSERT(h > 0.0 && weight != s->size);
    const double part = h / s->stepper->dae->sys->time_scale;
    const double scale[] = {s->norm, s->norm * part, s->norm * part * part};
    find_tolerances(s, y, weight);
    for (int i = 0; i < s->lib.n; i++)
        weight[i] = s->level[i] == TN_DAE_PROJECTS ? 1e-30 : scale[s->level[i]] / weight[i];
}

static int bdf_weights(N_Vector y, N_Vector weight, void *self)
{
    bdf *s = self;
    find_weights(s, NV_DATA_S(y), present_step(s), NV_DATA_S(weight));
    return 0;
}

// Its matrix and its linear solver, as far as they are asked for anything ------------------------

static SUNMatrix_ID matrix_id(SUNMatrix A)
{
    return SUNMATRIX_CUSTOM;
}

static int matrix_zero(SUNMatrix A)
{
    return 0;
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver solver)
{
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_id(SUNLinearSolver solver)
{
    return SUNLINEARSOLVER_CUSTOM;
}

static int solver_setup(SUNLinearSolver solver, SUNMatrix A) // `factor` has done it
{
    return 0;
}

static tn_status open_solver(bdf *s)
{
    s->matrix = SUNMatNewEmpty(s->lib.context);
    s->solver = SUNLinSolNewEmpty(s->lib.context);
    TN_TRY(tn_got(s->matrix && s->solver));
    s->matrix->ops->getid = matrix_id;
    s->matrix->ops->zero = matrix_zero;
    s->solver->content = s;
    s->solver->ops->gettype = solver_type;
    s->solver->ops->getid = solver_id;
    s->solver->ops->setup = solver_setup;
    s->solver->ops->solve = solve_bdf;
    return TN_OK;
}

// Opening and closing ----------------------------------------------------------------------------

// Accelerations and forces enter the motion times h in every form.
static void at_least_one(bdf *s, int first, int count)
{
    TN_ASSERT(first < 0 || first + count <= s->lib.n);
    for (int i = first; first >= 0 && i < first + count; i++)
        s->level[i] = s->level[i] > 1 ? s->level[i] : 1;
}

static void number_kinds(bdf *s, const tn_dae *dae)
{
    TN_ASSERT(dae->at.n == s->lib.n);
    double number[TN_KIND_COUNT];
    for (int k = 0; k < TN_KIND_COUNT; k++)
        number[k] = k;
    tn_dae_by_kind(dae, number, s->size);
    for (int i = 0; i < s->lib.n; i++)
        s->kind[i] = (int)s->size[i];
}

static void bdf_find_kinds(bdf *s, const tn_dae *dae)
{
    int count = 0;
    const tn_system *sys = dae->sys;
    const tn_dae_layout at = dae->at;
    tn_dae_kinds(dae, s->level, s->differential);
    number_kinds(s, dae);
    at_least_one(s, at.a, sys->nv);
    at_least_one(s, at.lambda, sys->ng);
    at_least_one(s, at.eta, sys->nn);
    for (int i = 0; i < s->lib.n; i++) {
        s->is_differential[i] = s->differential[i];
        count += s->differential[i];
    }
    s->norm = count > 0 ? sqrt((double)s->lib.n / count) : 1.0;
}

static bool bdf_attach(bdf *s)
{
    tn_sundials *lib = &s->lib;
    s->newton = SUNNonlinSol_Newton(lib->y_, lib->context);
    return s->newton && TN_SUNDIALS_LISTEN(IDASetErrHandlerFn, s->ida, lib) == 0 &&
           IDASetUserData(s->ida, s) == 0 &&
           IDAInit(s->ida, bdf_residual, 0.0, lib->y_, lib->yp_) == 0 &&
           IDASetNonlinearSolver(s->ida, s->newton) == 0 &&
           SUNNonlinSolSetConvTestFn(s->newton, judge_bdf, s) == 0 &&
           IDASetMaxNonlinIters(s->ida, ITERATIONS_MAX) == 0 &&
           IDAWFtolerances(s->ida, bdf_weights) == 0 &&
           IDASetLinearSolver(s->ida, s->solver, s->matrix) == 0 &&
           IDASetJacFn(s->ida, factor) == 0 && IDASetId(s->ida, s->id) == 0 &&
           IDASetSuppressAlg(s->ida, SUNTRUE) == 0 &&
           IDASetMaxErrTestFails(s->ida, FAILURES_MAX) == 0 &&
           IDASetMaxConvFails(s->ida, FAILURES_MAX) == 0;
}

static tn_status bdf_open(tn_integrator *self, tn_stepper *stepper)
{
    bdf *s = (bdf *)self;
    s->stepper = stepper;
    bdf_find_kinds(s, stepper->dae);
    TN_TRY(tn_sundials_open(&s->lib));
    TN_TRY(open_solver(s));
    s->id = tn_sundials_vector(s->lib.n, s->is_differential, s->lib.context);
    s->ida = IDACreate(s->lib.context);
    if (!s->id || !s->ida || !bdf_attach(s))
        return tn_fail(TN_ERR_MEMORY, "IDA cannot be set up: out of memory");
    return TN_OK;
}

static void bdf_close(tn_integrator *self)
{
    bdf *s = (bdf *)self;
    if (s->ida)
        IDAFree(&s->ida);
    if (s->id)
        N_VDestroy(s->id);
    if (s->newton)
        SUNNonlinSolFree(s->newton);
    if (s->solver)
        SUNLinSolFreeEmpty(s->solver);
    if (s->matrix)
        SUNMatFreeEmpty(s->matrix);
    s->id = NULL;
    s->newton = NULL;
    s->solver = NULL;
    s->matrix = NULL;
    tn_sundials_close(&s->lib);
}

static tn_status bdf_begin(tn_integrator *self, const tn_sim_options *o)
{
    bdf *s = (bdf *)self;
    const int order = o->max_order > 0 ? o->max_order : ORDER_MAX;
    s->lib.started = false;
    if (order > ORDER_MAX)
        return tn_fail(TN_ERR_USAGE, "max_order is %d; bdf has orders 1 to %d", order, ORDER_MAX);
    if (IDASetMaxOrd(s->ida, order) != 0 ||
        IDASetNonlinConvCoef(s->ida, o->kappa > 0.0 ? o->kappa : TN_NEWTON_PART) != 0 ||
        IDASetMaxStep(s->ida, o->step_max) != 0)
        return tn_fail(TN_ERR_USAGE, "options of bdf: %s", s->lib.text);
    return tn_bdf_fixed_begin(&s->fixed, o);
}

// Steps ------------------------------------------------------------------------------------------

static double bdf_largest(const bdf *s, const double *x) // differential part, in tolerances
{
    double most = 0.0;
    for (int i = 0; i < s->lib.n; i++)
        if (s->differential[i])
            most = fmax(most, fabs(x[i]) * s->lib.weight[i]);
    return most;
}

// y' a short time d later, along v and a.
static tn_status later_rates(bdf *s, const tn_state *x, double d)
{
    TN_ASSERT(d > 0.0);
    tn_system *sys = s->stepper->dae->sys;
    tn_state *z = &s->nearby;
    const tn_dae_layout at = s->stepper->dae->at;
    tn_copy(sys->nv, x->v, z->v);
    tn_axpy(sys->nv, 0.5 * d, x->a, z->v);
    for (int i = 0; i < sys->nv; i++)
        z->a[i] = d * z->v[i];
    tn_group_retract(sys->ngroup, sys->groups, x->q, z->a, z->q);
    tn_axpy(sys->nv, 0.5 * d, x->a, z->v);
    tn_copy(sys->ne, x->e, z->e);
    tn_axpy(sys->nc, d, s->lib.yp + at.e, z->e);
    tn_copy(sys->ng, x->lambda, z->lambda); // where forces depend on them the search begins there
    tn_copy(sys->nn, x->eta, z->eta);
    z->t = x->t + d;
    z->r = x->r;
    const tn_point point = tn_state_point(z);
    TN_TRY(tn_accel_solve(s->stepper->accel, &point, z->e, z->a, z->lambda, z->eta));
    return tn_dae_begin(s->stepper->dae, z, s->lib.near_y, s->lib.near_yp, NULL);
}

// A first step of order one whose error h^2 y'' / 2 is a quarter of the tolerance. IDA's own moves
// y by half a tolerance only, from where it takes twenty doublings to steps of higher order.
static tn_status find_first_step(bdf *s, const tn_state *x, double left)
{
    TN_ASSERT(left > 0.0);
    tn_sundials *lib = &s->lib;
    find_weights(s, lib->y, s->stepper->dae->sys->time_scale, lib->weight);
    s->h_first = fmin(1e-3 * left, 0.5 / fmax(bdf_largest(s, lib->yp), 1e-300));
    if (!(s->h_first > 0.0))
        return tn_fail(TN_ERR_NUMERIC, "bdf cannot start at t = %.6g s: rates are too large", x->t);
    if (later_rates(s, x, s->h_first) == TN_OK) {
        tn_axpy(lib->n, -1.0, lib->yp, lib->near_yp);
        const double bend = bdf_largest(s, lib->near_yp) / s->h_first;
        s->h_first = fmax(s->h_first, fmin(1e-2 * left, sqrt(0.5 / fmax(bend, 1e-300))));
    }
    return tn_dae_begin(s->stepper->dae, x, lib->y, lib->yp, NULL); // the chart was moved away
}

// y and yp are there: a new history of one point.
static tn_status start(bdf *s, const tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    tn_sundials *lib = &s->lib;
    const double users = s->stepper->options->step;
    if (lib->first && users > 0.0)
        s->h_first = fmin(h, users);
    else
        TN_TRY(find_first_step(s, x, h));
    tn_sundials_anew(lib, x->t);
    s->stepping = false;
    s->paused = true; // IDA that is left in its first step does not begin it again
    if (IDAReInit(s->ida, x->t, lib->y_, lib->yp_) != 0 || IDASetInitStep(s->ida, s->h_first) != 0)
        return tn_fail(TN_ERR_NUMERIC, "bdf cannot start at t = %.6g s: %s", x->t, lib->text);
    return TN_OK;
}

// Lengths of quaternions change no motion but the sense of tolerances.
static bool length_is_good(bdf *s)
{
    if (++s->since_length < LENGTH_EVERY)
        return true;
    s->since_length = 0;
    tn_sundials *lib = &s->lib;
    const int nz = s->stepper->dae->at.nz;
    const double *y = tn_sundials_true(lib, lib->y);
    tn_copy(lib->n, y, lib->near_y);
    tn_dae_renormalise(s->stepper->dae, lib->near_y);
    for (int i = 0; i < nz; i++)
        if (fabs(lib->near_y[i] - y[i]) > 0.1)
            return false;
    return true;
}

// After a projection that the history cannot follow: accelerations and multipliers as well.
static tn_status bdf_refresh(bdf *s, tn_state *x)
{
    const tn_point at = tn_state_point(x);
    if (s->stepper->known)
        return TN_OK;
    TN_TRY(tn_accel_solve(s->stepper->accel, &at, x->e, x->a, x->lambda, x->eta));
    s->stepper->known = true;
    return tn_dae_begin(s->stepper->dae, x, s->lib.near_y, s->lib.near_yp, NULL);
}

// The history is that of the state: goes on, moves it along or starts anew.
static tn_status prepare_bdf(bdf *s, tn_state *x, double h)
{
    tn_sundials *lib = &s->lib;
    tn_stepper *stepper = s->stepper;
    const bool goes_on = lib->started && tn_sundials_is_at(lib, x->t) &&
                         tn_dae_is_good(stepper->dae, tn_sundials_true(lib, lib->y)) &&
                         length_is_good(s);
    if (goes_on && !stepper->moved)
        return TN_OK;
    bool changed = true;
    TN_TRY(tn_dae_begin(stepper->dae, x, lib->near_y, lib->near_yp, &changed));
    stepper->moved = false;
    if (goes_on && !changed && tn_sundials_follow(lib, lib->near_y, s->differential))
        return TN_OK;
    TN_TRY(bdf_refresh(s, x));
    tn_copy(lib->n, lib->near_y, lib->y);
    tn_copy(lib->n, lib->near_yp, lib->yp);
    return start(s, x, h);
}

static void count(bdf *s)
{
    long newton = 0, errors = 0, failures = 0;
    IDAGetNumNonlinSolvIters(s->ida, &newton);
    IDAGetNumErrTestFails(s->ida, &errors);
    IDAGetNumStepSolveFails(s->ida, &failures);
    tn_sundials_count(&s->lib, s->stepper, newton, errors + failures);
}

// The unknown with the largest residual of the last iteration, relative to what it should be.
static void attribute_bdf(bdf *s)
{
    N_Vector y_predicted, yp_predicted, y, yp, r = NULL;
    double t, c;
    void *self;
    IDAGetNonlinearSystemData(s->ida, &t, &y_predicted, &yp_predicted, &y, &yp, &r, &c, &self);
    tn_stepper_attribute(s->stepper, s->lib.n, NV_DATA_S(r));
}

// IDA has tried ever smaller steps and given up; its state is that before the step.
static tn_status explain_bdf(bdf *s, int code)
{
    const double tried = present_step(s);
    double factor = 0.0;
    attribute_bdf(s);
    IDAGetTolScaleFactor(s->ida, &factor);
    const tn_status status = tn_sundials_explain(&s->lib, s->stepper, "bdf", code, tried, factor);
    if (s->lib.status == TN_OK && code == IDA_CONV_FAIL)
        return tn_fail(TN_RETRY_NEWTON, "Newton's method does not converge at a step of %.3g s",
                       tried);
    return code == IDA_MEM_FAIL ? tn_got(false) : status;
}

static tn_status controlled_step(bdf *s, tn_state *x, double h)
{
    tn_sundials *lib = &s->lib;
    tn_stepper *stepper = s->stepper;
    const double begin = x->t, end = begin + h;
    TN_TRY(prepare_bdf(s, x, h));
    double t = begin;
    s->h_tried = 0.0;
    s->cuts = 0;
    stepper->paused = false;
    IDASetMinStep(s->ida, tn_sundials_least_step(stepper, begin));
    int code = IDASetStopTime(s->ida, tn_sundials_stop(begin, end, present_step(s)));
    if (code == IDA_SUCCESS)
        code = IDASolve(s->ida, end, &t, lib->y_, lib->yp_, IDA_ONE_STEP);
    count(s);
    if (stepper->paused)
        return TN_RETRY_ERROR;
    s->paused = false;
    if (code < 0)
        return explain_bdf(s, code);
    tn_dae_state(stepper->dae, tn_sundials_true(lib, lib->y), lib->yp, x);
    stepper->taken = t >= end ? h : t - begin;
    x->t = lib->t = t;
    IDAGetLastOrder(s->ida, &stepper->order);
    IDAGetErrWeights(s->ida, lib->weight_);
    return TN_OK;
}

static tn_status bdf_step(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    bdf *s = (bdf *)self;
    s->stepper = stepper;
    const bool fixed = !stepper->options->adaptive;
    if (fixed != s->fixed_last) { // the history of the one is not that of the other
        stepper->moved = true;
        s->lib.started = false;
        s->fixed_last = fixed;
    }
    return fixed ? tn_bdf_fixed_step(&s->fixed, stepper, x, h) : controlled_step(s, x, h);
}

static tn_status bdf_interpolate(tn_integrator *self, tn_stepper *stepper, double t, tn_state *out)
{
    bdf *s = (bdf *)self;
    tn_sundials *lib = &s->lib;
    s->stepper = stepper;
    if (s->fixed_last)
        return tn_bdf_fixed_interpolate(&s->fixed, stepper, t, out);
    if (IDAGetDky(s->ida, t, 0, lib->near_y_) != 0 || IDAGetDky(s->ida, t, 1, lib->near_yp_) != 0)
        return tn_fail(TN_ERR_USAGE, "t = %g s is not within the last step: %s", t, s->lib.text);
    tn_dae_state(stepper->dae, tn_sundials_true(lib, lib->near_y), lib->near_yp, out);
    return TN_OK;
}

const tn_integrator_ops tn_integrator_bdf = {
    .name = "bdf",
    .reads = {.any = "max_order",
              .fixed = "newton_tol newton_max jacobian_every",
              .controlled = "kappa"},
    .text = "backward differentiation formulas of order 1 to 5 (IDA)",
    .source = "[HBG05; Arn16, eq. 75]",
    .order = ORDER_MAX,
    .needs = TN_VIEW_RESIDUAL,
    .multistep = true,
    .controlled = true,
    .own_steps = true,
    .fixed_pairs = true,
    .size = sizeof(bdf),
    .layout = bdf_layout,
    .values = bdf_values,
    .open = bdf_open,
    .close = bdf_close,
    .begin = bdf_begin,
    .step = bdf_step,
    .interpolate = bdf_interpolate,
};
