// SPDX-License-Identifier: MIT

#include "integrator/sundials_glue.h"

#include "base/team.h"
#include "formulation/ode_ops.h"
#include "linalg/dense.h"

#include <stdio.h>

// Vectors -----------------------------------------------------------------------------------------
//
// A step of order k is some thirty passes over vectors, which for small forces take most of its
// time. These are loops that compilers turn into vector instructions, sums in a fixed order, and
// combinations of several vectors in one pass.

enum { LONG_PART = 16384 }; // numbers that are worth a thread

typedef struct summing {
    double a, b;
    const double *x, *y;
    double *z;
} summing;

static void sum_part(void *user, int begin, int end)
{
    const summing *s = user;
    for (int i = begin; i < end; i++)
        s->z[i] = s->a * s->x[i] + s->b * s->y[i];
}

static void linear_sum(double a, N_Vector x_, double b, N_Vector y_, N_Vector z_)
{
    TN_ASSERT(NV_LENGTH_S(x_) == NV_LENGTH_S(y_) && NV_LENGTH_S(x_) == NV_LENGTH_S(z_));
    tn_team_loop((int)NV_LENGTH_S(x_), LONG_PART, sum_part,
                 &(summing){a, b, NV_DATA_S(x_), NV_DATA_S(y_), NV_DATA_S(z_)});
}

static void scale_part(void *user, int begin, int end)
{
    const summing *s = user;
    for (int i = begin; i < end; i++)
        s->z[i] = s->a * s->x[i];
}

static void scale(double c, N_Vector x_, N_Vector z_)
{
    TN_ASSERT(NV_LENGTH_S(x_) == NV_LENGTH_S(z_));
    tn_team_loop((int)NV_LENGTH_S(x_), LONG_PART, scale_part,
                 &(summing){.a = c, .x = NV_DATA_S(x_), .z = NV_DATA_S(z_)});
}

static void set_part(void *user, int begin, int end)
{
    const summing *s = user;
    for (int i = begin; i < end; i++)
        s->z[i] = s->a;
}

static void set_sundials_glue(double c, N_Vector z_)
{
    tn_team_loop((int)NV_LENGTH_S(z_), LONG_PART, set_part, &(summing){.a = c, .z = NV_DATA_S(z_)});
}

enum { LANES = 8, MOST_PARTS = 32 };

// Sums of squares, part by part.
typedef struct measuring {
    int n, parts;
    const double *x, *w;
    const double *mask; // 0 or 1 each; NULL: all 1
    double sum[MOST_PARTS];
} measuring;

static void measure_part(void *user, int part)
{
    measuring *m = user;
    const double *x = m->x, *w = m->w, *mask = m->mask;
    double sum[LANES] = {0.0}, total = 0.0;
    int i, end;
    tn_team_part(m->n, m->parts, part, &i, &end);
    for (; !mask && i + LANES <= end; i += LANES)
        for (int k = 0; k < LANES; k++)
            sum[k] += (x[i + k] * w[i + k]) * (x[i + k] * w[i + k]);
    for (; mask && i + LANES <= end; i += LANES)
        for (int k = 0; k < LANES; k++)
            sum[k] += mask[i + k] * (x[i + k] * w[i + k]) * (x[i + k] * w[i + k]);
    for (; i < end; i++)
        sum[0] += (mask ? mask[i] : 1.0) * (x[i] * w[i]) * (x[i] * w[i]);
    for (int k = 0; k < LANES; k++)
        total += sum[k];
    m->sum[part] = total;
}

static double root_mean(N_Vector x, N_Vector w, const double *mask)
{
    TN_ASSERT(NV_LENGTH_S(x) == NV_LENGTH_S(w) && NV_LENGTH_S(x) > 0);
    measuring m = {.n = (int)NV_LENGTH_S(x), .x = NV_DATA_S(x), .w = NV_DATA_S(w), .mask = mask};
    double total = 0.0;
    m.parts = tn_team_parts(m.n, LONG_PART);
    TN_ASSERT(m.parts <= MOST_PARTS);
    tn_team_run(m.parts, measure_part, &m);
    for (int k = 0; k < m.parts; k++)
        total += m.sum[k];
    return sqrt(total / m.n);
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

typedef struct combining {
    int count;
    const double *c;
    N_Vector *X;
    double *z;
} combining;

static void combine_part(void *user, int begin, int end)
{
    const combining *all = user;
    const double *c = all->c;
    double *z = all->z;
    int k = 0;
    scale_part(&(summing){.a = c[k], .x = NV_DATA_S(all->X[k]), .z = z}, begin, end);
    for (k = 1; k + 1 < all->count; k += 2) {
        const double a = c[k], b = c[k + 1], *x = NV_DATA_S(all->X[k]),
                     *y = NV_DATA_S(all->X[k + 1]);
        for (int i = begin; i < end; i++)
            z[i] += a * x[i] + b * y[i];
    }
    if (k < all->count)
        sum_part(&(summing){1.0, c[k], z, NV_DATA_S(all->X[k]), z}, begin, end);
}

// Sum of c[k] X[k]; z may be X[0].
static int combine_sundials_glue(int count, double *c, N_Vector *X, N_Vector z)
{
    TN_ASSERT(count > 0);
    tn_team_loop((int)NV_LENGTH_S(z), LONG_PART, combine_part,
                 &(combining){count, c, X, NV_DATA_S(z)});
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

static bool create_context(tn_sundials *s)
{
    return SUNContext_Create(SUN_COMM_NULL, &s->context) == 0 &&
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
    tn_team_loop(s->n, LONG_PART, sum_part, &(summing){1.0, 1.0, y, s->shift, s->true_y});
    return s->true_y;
}

// The history -------------------------------------------------------------------------------------

// How far a projection may move y, in tolerances. It takes back errors of several steps.
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
    return fmax(stepper->options->step_min, 1e-14 * fmax(sys->pace, fabs(t)));
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
