// SPDX-License-Identifier: MIT
//
// Explicit Runge-Kutta methods on z' = F(t, z), by tables of coefficients. Errors are measured as
// in the codes of [HNW93, II.4, II.10]: with sc = atol + rtol max(size(z0), size(z1)) and the root
// mean square over all components,
//
//   |h sum e_i k_i / sc|,      or of two estimates e, r      |e|^2 / sqrt(|e|^2 + |r|^2 / 100).
//
// Dense output [HNW93, II.6], in the variables of Hairer's codes, s = (t - t0) / h:
//
//   z0 + s (r2 + (1-s) (r3 + s (r4 + (1-s) (r5 + s (r6 + (1-s) (r7 + s r8))))))
//   r2 = z1 - z0,   r3 = h k_first - r2,   r4 = r2 - h k_last - r3,   others h sum d_i k_i.
//
// Every step begins with the chart moved to its start. Accelerations and multipliers of a state are
// those of the evaluation there, so that they are as good as the motion.

#include "integrator/runge_kutta.h"

#include "linalg/dense.h"

#include <string.h>

const double *tn_tableau_row(const tn_tableau *m, int i)
{
    TN_ASSERT(i >= 0 && i < m->stages + m->extra);
    return m->a + i * (m->stages + m->extra);
}

double tn_tableau_weight(const tn_tableau *m, int i, double s)
{
    TN_ASSERT(i >= 0 && i < m->stages + m->extra);
    s = fmin(fmax(s, 0.0), 1.0); // in short steps the time is round-off
    const int last = m->stages - 1, n = m->stages + m->extra;
    const double b = i < last ? tn_tableau_row(m, last)[i] : 0.0;
    const double first = i == 0, end = i == last;
    double w = 0.0; // from the innermost bracket outwards
    for (int k = m->ndense - 1; k >= 0; k--)
        w = m->dense[k * n + i] + (k % 2 ? 1.0 - s : s) * w;
    w = 2.0 * b - first - end + (1.0 - s) * w;
    w = first - b + s * w;
    return s * (b + (1.0 - s) * w);
}

// Control -----------------------------------------------------------------------------------------

void tn_control_begin(tn_control *control)
{
    control->last = 1e-4;
    control->rejected = false;
}

double tn_error_squares(int n, const double *estimate, const double *size0, const double *size1,
                        const double *atol, double rtol)
{
    TN_ASSERT(rtol > 0.0);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const double size = fmax(size0[i], size1[i]);
        const double e = estimate[i] / (atol[i] + rtol * size);
        sum += e * e;
    }
    return sum;
}

double tn_control_factor(tn_control *control, double error, bool adaptive)
{
    TN_ASSERT(control->exponent > 0.0 && control->last >= 0.0); // 0: only states that are read
    const double now = control->safe * pow(fmax(error, 1e-12), -control->exponent);
    if (adaptive && error > 1.0) {
        control->rejected = true;
        return fmax(control->least, now);
    }
    double factor = control->beta > 0.0 ? now * pow(control->last, control->beta) : now;
    factor = fmin(control->most, fmax(control->least, factor));
    if (control->rejected)
        factor = fmin(factor, 1.0); // a step that was just too large is not tried again
    control->last = fmax(error, 1e-4);
    control->rejected = false;
    return factor;
}

// Steps -------------------------------------------------------------------------------------------

// Components that are summed together; rows of stages are filled up with zeros.
typedef double pair __attribute__((vector_size(2 * sizeof(double)), may_alias));
enum { PAIRS = 4, WIDE = 2 * PAIRS };

void tn_runge_kutta_layout(tn_integrator *self, const tn_tableau *tableau,
                           const tn_stepper *stepper, tn_carve *mem)
{
    tn_runge_kutta *s = (tn_runge_kutta *)self;
    const int n = s->stride = (tn_ode_size(stepper->ode) + WIDE - 1) / WIDE * WIDE;
    TN_CARVE_DOUBLES(mem, n, &s->z0, &s->z1, &s->z, &s->size[0], &s->size[1], &s->atol,
                     &s->estimate);
    TN_CARVE_DOUBLES(mem, n * (tableau->stages + tableau->extra), &s->k);
}

void tn_control_values(tn_control *c, tn_values *v)
{
    TN_VALUES_ANY(v, "1", 1, &c->last);
    if (!(c->last >= 0.0))
        tn_values_refuse(v, "the saved state has a last error of %g", c->last);
    TN_VALUES_BOOL(v, &c->rejected);
}

void tn_runge_kutta_values(tn_integrator *self, tn_values *v)
{
    tn_runge_kutta *s = (tn_runge_kutta *)self;
    tn_control_values(&s->control, v);
    TN_VALUES_BOOL(v, &s->opened, &s->done, &s->dense);
    TN_VALUES(v, "s", 1, &s->t0, &s->h);
}

static tn_stage_sum pack_weights(const tn_runge_kutta *s, int count, const double *weights)
{
    TN_ASSERT(count <= TN_STAGES_MOST);
    tn_stage_sum sum = {.n = 0};
    for (int j = 0; j < count && weights; j++)
        if (weights[j] != 0.0) {
            sum.weight[sum.n] = weights[j];
            sum.at[sum.n++] = j * s->stride;
        }
    return sum;
}

void tn_runge_kutta_begin(tn_integrator *self, const tn_tableau *tableau, tn_control control)
{
    TN_ASSERT(tableau->stages > 1 && tableau->stages + tableau->extra <= TN_STAGES_MOST);
    tn_runge_kutta *s = (tn_runge_kutta *)self;
    s->tableau = tableau;
    for (int i = 0; i < tableau->stages + tableau->extra; i++)
        s->row[i] = pack_weights(s, i, tn_tableau_row(tableau, i));
    s->error = pack_weights(s, tableau->stages, tableau->error);
    s->rough = pack_weights(s, tableau->stages, tableau->rough);
    s->control = control;
    tn_control_begin(&s->control);
    s->opened = s->done = s->dense = false;
}

// sum = from + h (w_0 k_0 + ...); `from` NULL for zero. The sum stays in registers while all stages
// come by: for 4 links 0.02 us in an evaluation instead of 0.06 with four stages at a time.
static void combine_runge_kutta(const tn_runge_kutta *s, const tn_stage_sum *of, const double *from,
                                double *sum)
{
    TN_ASSERT(s->h > 0.0 && from != sum);
    const double h = s->h;
    for (int i = 0; i < s->stride; i += WIDE) {
        pair part[PAIRS] = {{0.0}};
        for (int j = 0; j < of->n; j++) {
            const pair *k = (const pair *)(s->k + of->at[j] + i);
            const double w = of->weight[j];
            for (int c = 0; c < PAIRS; c++)
                part[c] += w * k[c];
        }
        const pair *start = from ? (const pair *)(from + i) : NULL;
        for (int c = 0; c < PAIRS; c++)
            ((pair *)(sum + i))[c] = start ? start[c] + h * part[c] : h * part[c];
    }
}

// Stages from `first` to before `end`; that at the end of the step needs z1.
static tn_status evaluate_runge_kutta(tn_runge_kutta *s, tn_ode *ode, int first, int end)
{
    TN_ASSERT(first > 0 && end <= s->tableau->stages + s->tableau->extra);
    const tn_tableau *m = s->tableau;
    for (int i = first; i < end; i++) {
        const bool ends = i == m->stages - 1;
        if (!ends)
            combine_runge_kutta(s, &s->row[i], s->z0, s->z);
        TN_TRY(tn_ode_eval(ode, s->t0 + m->c[i] * s->h, ends ? s->z1 : s->z, s->k + i * s->stride));
    }
    return TN_OK;
}

static double measure_runge_kutta(tn_runge_kutta *s, const tn_stepper *stepper,
                                  const tn_stage_sum *of)
{
    const int n = tn_ode_size(stepper->ode);
    combine_runge_kutta(s, of, NULL, s->estimate);
    return tn_error_squares(n, s->estimate, s->size[0], s->size[1], s->atol,
                            stepper->options->rtol);
}

// Sizes of the end of a step are those of the beginning of the next one where that goes on, and
// there absolute tolerances change with those of the kinds alone.
static void measure_sizes(tn_runge_kutta *s, const tn_stepper *stepper)
{
    tn_ode *ode = stepper->ode;
    tn_ode_sizes(ode, s->z0, s->size[0]);
    tn_ode_sizes(ode, s->z1, s->size[1]);
    tn_ode_by_kind(ode, stepper->atol, s->atol);
}

static double runge_kutta_error_of(tn_runge_kutta *s, const tn_stepper *stepper)
{
    const tn_tableau *m = s->tableau;
    const int n = tn_ode_size(stepper->ode);
    measure_sizes(s, stepper);
    const double fine = measure_runge_kutta(s, stepper, &s->error);
    const double rough = m->rough ? measure_runge_kutta(s, stepper, &s->rough) : 0.0;
    const double both = fine + 0.01 * rough;
    if (!m->rough || both == 0.0) // squares below the smallest number are zero
        return n > 0 ? sqrt(fine / n) : 0.0;
    return fine / sqrt(n * both);
}

// z0 and k_0. After a step of its own the state carries them, after a failed one they are there.
static tn_status runge_kutta_open_step(tn_runge_kutta *s, tn_stepper *stepper, const tn_state *x)
{
    if (stepper->moved || !s->opened) {
        const bool known = stepper->moved ? stepper->known : s->done;
        TN_TRY(tn_ode_begin(stepper->ode, x, known, s->z0, s->k, NULL));
    } else {
        tn_ode_guess(stepper->ode, x->e);
    }
    stepper->moved = false;
    s->opened = true;
    s->done = s->dense = false;
    return TN_OK;
}

// h |f(z1) - f(z)| / |z1 - z|, where z is the argument of the stage before the last one: both stand
// at the end of the step, so that this is what decays and frequencies reach in it [HW96, IV.2].
static double stiffness_of(const tn_runge_kutta *s, int n, double rtol)
{
    const double *last = s->k + (s->tableau->stages - 1) * s->stride, *before = last - s->stride;
    double df = 0.0, dz = 0.0;
    for (int i = 0; i < n; i++) {
        const double size = s->atol[i] + rtol * s->size[1][i];
        const double f = (last[i] - before[i]) / size, z = (s->z1[i] - s->z[i]) / size;
        df += f * f;
        dz += z * z;
    }
    return dz > 0.0 ? s->h * sqrt(df / dz) : 0.0;
}

tn_status tn_runge_kutta_step(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    tn_runge_kutta *s = (tn_runge_kutta *)self;
    const int n = tn_ode_size(stepper->ode);
    const int last = s->tableau->stages - 1;
    const bool adaptive = stepper->options->adaptive;
    stepper->factor = 0.0;
    TN_TRY(runge_kutta_open_step(s, stepper, x));
    s->t0 = x->t;
    s->h = h;
    TN_TRY(evaluate_runge_kutta(s, stepper->ode, 1, last));
    combine_runge_kutta(s, &s->row[last], s->z0, s->z1);
    if (s->tableau->error[last] != 0.0)
        TN_TRY(evaluate_runge_kutta(s, stepper->ode, last, last + 1));
    stepper->error = runge_kutta_error_of(s, stepper);
    if (!isfinite(stepper->error) || !tn_all_finite(n, s->z1))
        return tn_fail(TN_RETRY_FUNCTION, "the stages of an explicit step of %g s have no bounds",
                       h);
    stepper->factor = tn_control_factor(&s->control, stepper->error, adaptive);
    if (adaptive && stepper->error > 1.0)
        return TN_RETRY_ERROR;
    if (s->tableau->error[last] == 0.0)
        TN_TRY(evaluate_runge_kutta(s, stepper->ode, last, last + 1));
    if (adaptive)
        stepper->stiffness = stiffness_of(s, n, stepper->options->rtol);
    TN_TRY(tn_ode_state(stepper->ode, s->t0 + h, s->z1, x));
    x->t = s->t0 + h;
    s->opened = false;
    s->done = true;
    return TN_OK;
}

tn_status tn_runge_kutta_interpolate(tn_integrator *self, tn_stepper *stepper, double t,
                                     tn_state *out)
{
    tn_runge_kutta *s = (tn_runge_kutta *)self;
    const tn_tableau *m = s->tableau;
    const int all = m->stages + m->extra;
    if (!s->done)
        return tn_fail(TN_ERR_USAGE, "no step was taken: there is nothing to interpolate");
    if (!s->dense)
        TN_TRY(evaluate_runge_kutta(s, stepper->ode, m->stages, all));
    s->dense = true;
    double weights[TN_STAGES_MOST];
    TN_ASSERT(all <= TN_STAGES_MOST);
    for (int i = 0; i < all; i++)
        weights[i] = tn_tableau_weight(m, i, (t - s->t0) / s->h);
    const tn_stage_sum of = pack_weights(s, all, weights);
    combine_runge_kutta(s, &of, s->z0, s->z);
    return stepper->motion_only ? tn_ode_motion(stepper->ode, t, s->z, out)
                                : tn_ode_state(stepper->ode, t, s->z, out);
}
