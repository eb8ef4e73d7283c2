// SPDX-License-Identifier: MIT
//
// Adams-Moulton formulas of order 1 to 12 on the explicit view z' = F(t, z), by CVODE of SUNDIALS
// [HBG05]: variable order and step in Nordsieck form, predicted by the explicit formula and
// corrected by fixed-point iteration, so that no Jacobian is formed. For motions without stiffness
// whose forces are expensive: about two evaluations per step at any order.
//
// CVODE leaves the step with rates of its last iterate but one. Accelerations and multipliers of
// the state belong to its last: one more evaluation.

#include "integrator/integrator_list.h"
#include "integrator/sundials_glue.h"
#include "linalg/dense.h"

#include <cvode/cvode.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum {
    ORDER_MAX = 12,
    FAILURES_MAX = 20, // of one step in a row
};

typedef struct adams {
    tn_integrator base;
    tn_sundials lib;
    void *cvode;
    SUNNonlinearSolver iteration;
    tn_stepper *stepper;
    const tn_state *from; // of the step under way
    double *size;         // of z
    bool good; // the coordinates at the end of the last step; output states since do not matter
} adams;

static void adams_layout(tn_integrator *self, const tn_stepper *stepper, tn_carve *mem)
{
    adams *s = (adams *)self;
    const int n = tn_ode_size(stepper->ode);
    tn_sundials_layout(&s->lib, n, mem);
    TN_CARVE_DOUBLES(mem, n, &s->size);
}

// The search for unknowns begins where the last one ended, which may be at the end of a step that
// was too long, or at a point of output: then once more from the beginning of the step.
static tn_status eval_adams(adams *s, double t, const double *z, double *zdot)
{
    tn_ode *ode = s->stepper->ode;
    const tn_status status = tn_ode_eval(ode, t, z, zdot);
    if (status <= 0 || !s->stepper->unknowns || !s->from)
        return status;
    tn_ode_guess(ode, s->from->e);
    return tn_ode_eval(ode, t, z, zdot);
}

static int adams_rates(double t, N_Vector z, N_Vector zdot, void *self)
{
    adams *s = self;
    TN_ASSERT((int)NV_LENGTH_S(z) == s->lib.n);
    const double *at = tn_sundials_true(&s->lib, NV_DATA_S(z));
    return tn_sundials_answer(&s->lib, eval_adams(s, t, at, NV_DATA_S(zdot)));
}

static int adams_weights(N_Vector z, N_Vector weight, void *self)
{
    adams *s = self;
    const tn_sim_options *o = s->stepper->options;
    tn_ode_sizes(s->stepper->ode, NV_DATA_S(z), s->size);
    tn_ode_by_kind(s->stepper->ode, s->stepper->atol, NV_DATA_S(weight));
    for (int i = 0; i < s->lib.n; i++)
        NV_Ith_S(weight, i) = 1.0 / (NV_Ith_S(weight, i) + o->rtol * s->size[i]);
    return 0;
}

static bool adams_attach(adams *s)
{
    return TN_SUNDIALS_LISTEN(CVodeSetErrHandlerFn, s->cvode, &s->lib) == 0 &&
           CVodeSetUserData(s->cvode, s) == 0 &&
           CVodeInit(s->cvode, adams_rates, 0.0, s->lib.y_) == 0 &&
           CVodeWFtolerances(s->cvode, adams_weights) == 0 &&
           CVodeSetNonlinearSolver(s->cvode, s->iteration) == 0 &&
           CVodeSetMaxErrTestFails(s->cvode, FAILURES_MAX) == 0 &&
           CVodeSetMaxConvFails(s->cvode, FAILURES_MAX) == 0 &&
           CVodeSetMaxHnilWarns(s->cvode, -1) == 0;
}

static tn_status adams_open(tn_integrator *self, tn_stepper *stepper)
{
    adams *s = (adams *)self;
    s->stepper = stepper;
    TN_TRY(tn_sundials_open(&s->lib));
    s->cvode = CVodeCreate(CV_ADAMS, s->lib.context);
    s->iteration = SUNNonlinSol_FixedPoint(s->lib.y_, 0, s->lib.context);
    if (!s->cvode || !s->iteration || !adams_attach(s))
        return tn_fail(TN_ERR_MEMORY, "CVODE cannot be set up: out of memory");
    return TN_OK;
}

static void adams_close(tn_integrator *self)
{
    adams *s = (adams *)self;
    if (s->cvode)
        CVodeFree(&s->cvode);
    if (s->iteration)
        SUNNonlinSolFree(s->iteration);
    s->iteration = NULL;
    tn_sundials_close(&s->lib);
}

static tn_status adams_begin(tn_integrator *self, const tn_sim_options *o)
{
    adams *s = (adams *)self;
    const int order = o->max_order > 0 ? o->max_order : ORDER_MAX;
    s->lib.started = false;
    if (!o->adaptive)
        return tn_fail(TN_ERR_USAGE,
                       "adams chooses its steps itself and cannot keep a fixed step "
                       "of %g s; leave out `step` or set adaptive: true",
                       o->step);
    if (order > ORDER_MAX)
        return tn_fail(TN_ERR_USAGE, "max_order is %d; adams has orders 1 to %d", order, ORDER_MAX);
    if (CVodeSetMaxOrd(s->cvode, order) != 0 || CVodeSetMaxStep(s->cvode, o->step_max) != 0)
        return tn_fail(TN_ERR_USAGE, "options of adams: %s", s->lib.text);
    return TN_OK;
}

// y and yp are there: a new history of one point.
static tn_status start_adams(adams *s, const tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    tn_sundials *lib = &s->lib;
    const double users = lib->first ? fmin(h, s->stepper->options->step) : 0.0; // 0: CVODE's own
    tn_sundials_anew(lib, x->t);
    if (CVodeReInit(s->cvode, x->t, lib->y_) != 0 || CVodeSetInitStep(s->cvode, users) != 0)
        return tn_fail(TN_ERR_NUMERIC, "adams cannot start at t = %.6g s: %s", x->t, lib->text);
    return TN_OK;
}

// The history is that of the state: goes on, moves it along or starts anew.
static tn_status prepare_adams(adams *s, const tn_state *x, double h)
{
    tn_sundials *lib = &s->lib;
    tn_stepper *stepper = s->stepper;
    const bool goes_on = lib->started && tn_sundials_is_at(lib, x->t) && s->good;
    if (goes_on && !stepper->moved)
        return TN_OK;
    bool changed = true;
    TN_TRY(tn_ode_begin(stepper->ode, x, stepper->known, lib->near_y, lib->near_yp, &changed));
    stepper->moved = false;
    if (goes_on && !changed && tn_sundials_follow(lib, lib->near_y, NULL))
        return TN_OK;
    tn_copy(lib->n, lib->near_y, lib->y);
    tn_copy(lib->n, lib->near_yp, lib->yp);
    return start_adams(s, x, h);
}

static void count(adams *s)
{
    long newton = 0, errors = 0, failures = 0;
    CVodeGetNumNonlinSolvIters(s->cvode, &newton);
    CVodeGetNumErrTestFails(s->cvode, &errors);
    CVodeGetNumStepSolveFails(s->cvode, &failures);
    tn_sundials_count(&s->lib, s->stepper, newton, errors + failures);
}

// CVODE has tried ever smaller steps and given up; its state is that before the step.
static tn_status explain_adams(adams *s, int code)
{
    double tried = 0.0, factor = 0.0;
    CVodeGetCurrentStep(s->cvode, &tried);
    CVodeGetTolScaleFactor(s->cvode, &factor);
    const tn_status status = tn_sundials_explain(&s->lib, s->stepper, "adams", code, tried, factor);
    if (s->lib.status == TN_OK && code == CV_CONV_FAILURE)
        return tn_fail(TN_RETRY_FUNCTION,
                       "the fixed-point iteration of adams does not converge, forces are too "
                       "stiff for it; an implicit method such as radau5/ggl will do");
    return code == CV_MEM_FAIL ? tn_got(false) : status;
}

// One step of CVODE, to lib->t and lib->y.
static tn_status advance_adams(adams *s, const tn_state *x, double h)
{
    TN_ASSERT(h > 0.0 && s->cvode);
    tn_sundials *lib = &s->lib;
    const double end = x->t + h;
    double t = x->t;
    TN_TRY(prepare_adams(s, x, h));
    CVodeSetMinStep(s->cvode, tn_sundials_least_step(s->stepper, t));
    int code = CVodeSetStopTime(s->cvode, end);
    if (code == CV_SUCCESS)
        code = CVode(s->cvode, end, lib->y_, &t, CV_ONE_STEP);
    count(s);
    if (code < 0)
        return explain_adams(s, code);
    s->stepper->taken = t >= end ? h : t - x->t;
    lib->t = t;
    return TN_OK;
}

// If functions cannot be evaluated at the end of a step that CVODE has accepted, a shorter one is
// tried, with a new history.
static tn_status adams_step(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h)
{
    adams *s = (adams *)self;
    tn_sundials *lib = &s->lib;
    s->stepper = stepper;
    s->from = x;
    tn_ode_guess(stepper->ode, x->e);
    TN_TRY(advance_adams(s, x, h));
    const double *z = tn_sundials_true(lib, lib->y);
    tn_status status = eval_adams(s, lib->t, z, lib->near_yp);
    while (status > 0 && stepper->taken > tn_sundials_least_step(stepper, x->t)) {
        lib->started = false;
        stepper->failures++;
        TN_TRY(advance_adams(s, x, 0.25 * stepper->taken));
        z = tn_sundials_true(lib, lib->y);
        status = eval_adams(s, lib->t, z, lib->near_yp);
    }
    if (status != TN_OK) {
        lib->started = false;
        return status;
    }
    TN_TRY(tn_ode_state(stepper->ode, lib->t, z, x));
    s->good = tn_ode_is_good(stepper->ode, z);
    x->t = lib->t;
    CVodeGetLastOrder(s->cvode, &stepper->order);
    CVodeGetErrWeights(s->cvode, lib->weight_);
    return TN_OK;
}

static tn_status adams_interpolate(tn_integrator *self, tn_stepper *stepper, double t,
                                   tn_state *out)
{
    adams *s = (adams *)self;
    if (CVodeGetDky(s->cvode, t, 0, s->lib.near_y_) != 0)
        return tn_fail(TN_ERR_USAGE, "t = %g s is not within the last step: %s", t, s->lib.text);
    return tn_ode_state(stepper->ode, t, tn_sundials_true(&s->lib, s->lib.near_y), out);
}

const tn_integrator_ops tn_integrator_adams = {
    .name = "adams",
    .reads = {.any = "max_order"},
    .text = "Adams-Moulton formulas of order 1 to 12, fixed-point iteration (CVODE)",
    .source = "[HBG05]",
    .order = ORDER_MAX,
    .needs = TN_VIEW_ACCEL,
    .multistep = true,
    .controlled = true,
    .own_steps = true,
    .size = sizeof(adams),
    .layout = adams_layout,
    .open = adams_open,
    .close = adams_close,
    .begin = adams_begin,
    .step = adams_step,
    .interpolate = adams_interpolate,
};
