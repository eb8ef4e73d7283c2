// SPDX-License-Identifier: MIT

#include "integrator/sundials_glue.h"

#include "base/library.h"
#include "formulation/ode_ops.h"
#include "linalg/dense.h"

#include <stdio.h>

// Vectors -----------------------------------------------------------------------------------------
//
// A step of order k is some thirty passes over vectors, which for small forces take most of its
// time. These are loops that compilers turn into vector instructions, sums in a fixed order, and
// combinations of several vectors in one pass.

static void sum_of(int n, double a, const double *x, double b, const double *y, double *z)
{
    for (int i = 0; i < n; i++)
        z[i] = a * x[i] + b * y[i];
}

static void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z)
{
    TN_ASSERT(NV_LENGTH_S(x) == NV_LENGTH_S(y) && NV_LENGTH_S(x) == NV_LENGTH_S(z));
    sum_of((int)NV_LENGTH_S(x), a, NV_DATA_S(x), b, NV_DATA_S(y), NV_DATA_S(z));
}

static void scale(double c, N_Vector x_, N_Vector z_)
{
    TN_ASSERT(NV_LENGTH_S(x_) == NV_LENGTH_S(z_));
    const double *x = NV_DATA_S(x_);
    double *z = NV_DATA_S(z_);
    for (int i = 0, n = (int)NV_LENGTH_S(x_); i < n; i++)
        z[i] = c * x[i];
}

static void set_sundials_glue(double c, N_Vector z)
{
    for (int i = 0, n = (int)NV_LENGTH_S(z); i < n; i++)
        NV_Ith_S(z, i) = c;
}

static double root_mean(N_Vector x_, N_Vector w_, const double *mask)
{
    TN_ASSERT(NV_LENGTH_S(x_) == NV_LENGTH_S(w_) && NV_LENGTH_S(x_) > 0);
    enum { LANES = 8 };
    const int n = (int)NV_LENGTH_S(x_);
    const double *x = NV_DATA_S(x_), *w = NV_DATA_S(w_);
    double sum[LANES] = {0.0}, total = 0.0;
    int i = 0;
    for (; !mask && i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            sum[k] += (x[i + k] * w[i + k]) * (x[i + k] * w[i + k]);
    for (; mask && i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            sum[k] += mask[i + k] * (x[i + k] * w[i + k]) * (x[i + k] * w[i + k]);
    for (; i < n; i++)
        sum[0] += (mask ? mask[i] : 1.0) * (x[i] * w[i]) * (x[i] * w[i]);
    for (int k = 0; k < LANES; k++)
        total += sum[k];
    return sqrt(total / n);
}

static double sundials_glue_norm(N_Vector x, N_Vector w)
{
    return root_mean(x, w, NULL);
}

static double masked_norm(N_Vector x, N_Vector w, N_Vector mask)
{
    TN_ASSERT(NV_LENGTH_S(x) == NV_LENGTH_S(mask));
    return root_mean(x, w, NV_DATA_S(mask));
}

// Sum of c[k] X[k]; z may be X[0].
static int combine_sundials_glue(int count, double *c, N_Vector *X, N_Vector z_)
{
    TN_ASSERT(count > 0);
    const int n = (int)NV_LENGTH_S(z_);
    double *z = NV_DATA_S(z_);
    int k = 1;
    scale(c[0], X[0], z_);
    for (; k + 1 < count; k += 2) {
        const double a = c[k], b = c[k + 1], *x = NV_DATA_S(X[k]), *y = NV_DATA_S(X[k + 1]);
        for (int i = 0; i < n; i++)
            z[i] += a * x[i] + b * y[i];
    }
    if (k < count)
        sum_of(n, 1.0, z, c[k], NV_DATA_S(X[k]), z);
    return 0;
}

static int scale_each(int count, double *c, N_Vector *X, N_Vector *Z)
{
    for (int k = 0; k < count; k++)
        scale(c[k], X[k], Z[k]);
    return 0;
}

N_Vector tn_sundials_vector(int n, double *data, SUNContext context)
{
    N_Vector x = N_VMake_Serial(n, data, context);
    if (!x)
        return NULL;
    x->ops->nvlinearsum = linear_sum;
    x->ops->nvscale = scale;
    x->ops->nvconst = set_sundials_glue;
    x->ops->nvwrmsnorm = sundials_glue_norm;
    x->ops->nvwrmsnormmask = masked_norm;
    x->ops->nvlinearcombination = combine_sundials_glue;
    x->ops->nvscalevectorarray = scale_each;
    return x;
}

// Versions ----------------------------------------------------------------------------------------

static void keep_message(tn_sundials *s, const char *from, const char *text)
{
    snprintf(s->text, sizeof s->text, "%s: %s", from, text);
}

void tn_sundials_listen(int code, const char *module, const char *function, char *text, void *self)
{
    keep_message(self, module, text);
}

#if SUNDIALS_VERSION_MAJOR >= 7
static void listen_7(int line, const char *function, const char *file, const char *text,
                     SUNErrCode code, void *self, SUNContext context)
{
    keep_message(self, function, text ? text : SUNGetErrMsg(code));
}

// A variable of Open MPI, which is loaded with SUNDIALS.
static SUNComm no_communicator(void)
{
#if defined(OPEN_MPI) && defined(TN_LAZY_CODE)
    return tn_library_data(&tn_sundials_library, "ompi_mpi_comm_null");
#else
    return SUN_COMM_NULL;
#endif
}

static bool create_context(tn_sundials *s)
{
    return SUNContext_Create(no_communicator(), &s->context) == 0 &&
           SUNContext_ClearErrHandlers(s->context) == 0 &&
           SUNContext_PushErrHandler(s->context, listen_7, s) == 0;
}
#else
static bool create_context(tn_sundials *s)
{
    return SUNContext_Create(NULL, &s->context) == 0;
}
#endif

// Memory ------------------------------------------------------------------------------------------

void tn_sundials_layout(tn_sundials *s, int n, tn_carve *mem)
{
    s->n = n;
    TN_CARVE_DOUBLES(mem, n, &s->y, &s->yp, &s->near_y, &s->near_yp, &s->weight, &s->shift,
                     &s->true_y);
}

tn_status tn_sundials_open(tn_sundials *s)
{
    s->first = true;
    if (!create_context(s))
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    s->y_ = tn_sundials_vector(s->n, s->y, s->context);
    s->yp_ = tn_sundials_vector(s->n, s->yp, s->context);
    s->near_y_ = tn_sundials_vector(s->n, s->near_y, s->context);
    s->near_yp_ = tn_sundials_vector(s->n, s->near_yp, s->context);
    s->weight_ = tn_sundials_vector(s->n, s->weight, s->context);
    TN_TRY(tn_got(s->y_ && s->yp_ && s->near_y_ && s->near_yp_ && s->weight_));
    return TN_OK;
}

void tn_sundials_close(tn_sundials *s)
{
    N_Vector *const all[] = {&s->y_, &s->yp_, &s->near_y_, &s->near_yp_, &s->weight_};
    for (int k = 0; k < TN_COUNT(all); k++) {
        if (*all[k])
            N_VDestroy(*all[k]);
        *all[k] = NULL;
    }
    if (s->context)
        SUNContext_Free(&s->context);
}

// Callbacks ---------------------------------------------------------------------------------------

int tn_sundials_answer(tn_sundials *s, tn_status status)
{
    s->status = status;
    return status > 0 ? 1 : status < 0 ? -1 : 0;
}

const double *tn_sundials_true(tn_sundials *s, const double *y)
{
    if (!s->shifted)
        return y;
    sum_of(s->n, 1.0, y, 1.0, s->shift, s->true_y);
    return s->true_y;
}

// The history -------------------------------------------------------------------------------------

// Largest change of y by a projection, in tolerances. It takes back errors of several steps.
static const double NEAR = 100.0;

bool tn_sundials_follow(tn_sundials *s, const double *y, const int *differential)
{
    TN_ASSERT(s->started);
    double most = 0.0;
    for (int i = 0; i < s->n; i++)
        if (!differential || differential[i])
            most = fmax(most, fabs(y[i] - s->y[i] - s->shift[i]) * s->weight[i]);
    if (!(most <= NEAR))
        return false;
    for (int i = 0; i < s->n; i++)
        if (!differential || differential[i])
            s->shift[i] = y[i] - s->y[i];
    s->shifted = true;
    return true;
}

void tn_sundials_anew(tn_sundials *s, double t)
{
    s->t = t;
    s->first = s->shifted = false;
    s->started = true;
    s->newton = s->failed = 0;
    tn_zero(s->n, s->shift);
}

bool tn_sundials_is_at(const tn_sundials *s, double t)
{
    return fabs(t - s->t) <= 1e-14 * fabs(t) + 1e-300;
}

double tn_sundials_least_step(const tn_stepper *stepper, double t)
{
    TN_ASSERT(stepper->ode || stepper->dae);
    const tn_system *sys = stepper->ode ? stepper->ode->sys : stepper->dae->sys;
    return fmax(stepper->options->step_min, 1e-14 * fmax(sys->time_scale, fabs(t)));
}

double tn_sundials_stop(double t, double end, double next)
{
    TN_ASSERT(end > t);
    const double left = end - t;
    return next < left && next > 0.5 * left ? t + 0.5 * left : end;
}

void tn_sundials_count(tn_sundials *s, tn_stepper *stepper, long newton, long failed)
{
    TN_ASSERT(newton >= s->newton && failed >= s->failed);
    stepper->newton += newton - s->newton;
    stepper->failures += failed - s->failed;
    s->newton = newton;
    s->failed = failed;
}

// IDA and CVODE have the same numbers for these.
enum { TOO_MUCH_ACCURACY = -2, ERROR_FAILURE = -3 };

tn_status tn_sundials_explain(tn_sundials *s, tn_stepper *stepper, const char *name, int code,
                              double tried, double factor)
{
    s->started = false;
    stepper->taken = tried;
    if (s->status != TN_OK)
        return s->status;
    if (code == ERROR_FAILURE)
        return tn_fail(TN_RETRY_ERROR, "the error stays above the tolerance at a step of %.3g s",
                       tried);
    if (code == TOO_MUCH_ACCURACY)
        return tn_fail(TN_ERR_NUMERIC,
                       "at t = %.6g s rtol %.3g and atol %.3g ask for more digits than there are; "
                       "they must be larger by a factor of %.2g",
                       s->t, stepper->options->rtol, stepper->options->atol, factor);
    return tn_fail(TN_ERR_NUMERIC, "at t = %.6g s %s ends: %s", s->t, name, s->text);
}
