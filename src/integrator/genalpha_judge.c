// SPDX-License-Identifier: MIT

#include "integrator/genalpha_judge.h"

#include "base/tolerance.h"
#include "linalg/dense.h"

#include <float.h>

// Rate of convergence that is believed of an old tangent. The first corrections may shrink far
// faster than later ones, as the matrix of the iteration is not normal: 1e-5, then 0.4 on a fast
// top.
static const double LEAST_RATE = 0.1;

// No iteration gets below the noise of its functions: round-off of q / h, amplified by the
// constraints of long chains, or the differences that stand in for missing Jacobians. From this
// close a tangent of the same step leaves next to nothing; where two of its corrections are of like
// size they are noise, and later steps are not asked for less.
static const double NOISE_MAX = TN_ROUND_ITERATE;
// Near a singular position noise is enlarged beyond that. There it is known as such by the
// residual, which is that of rounded positions.
static const double NOISE_MAX_ROUNDED = TN_ROUND_ENLARGED;
// Far from the origin and in short steps the round-off of q / h itself comes near that. A row of
// 10^4 four-bars enlarges it 43 times.
static const double ENLARGED_MAX = 100.0;
// Velocities u answer to noise of positions, as B(q) u does: by h |u| of that of x, enlarged up to
// so many times by rows of 10^4 four-bars.
static const double ANSWER = 4.0;

// Sizes -------------------------------------------------------------------------------------------

void tn_judge_size(tn_judge *j, const tn_problem *p, const double *y)
{
    j->speed = tn_system_typical(p->sys, TN_KIND_SPEED);
    j->scale = j->speed + tn_norm_inf(p->at.lambda, y);
}

void tn_judge_restart(tn_judge *j)
{
    j->last = 0.0;
    j->last_multipliers = INFINITY;
    j->before = (tn_correction_size){0};
}

static double largest_part(int n, const double *x, const double *y) // max |x| over 1 + |y|
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]) / (1.0 + fabs(y[i])));
    return most;
}

// Noise of u and of multipliers if x has the noise `of_x`.
static double answer_to(const tn_judge *j, double h, double of_x)
{
    const double fastest = j->scale - j->speed;
    return ANSWER * h * fastest * of_x;
}

// Noise of x by the round-off of q.
static double rounding_of(const tn_judge *j, const tn_correction *c)
{
    const tn_system *sys = c->problem->sys;
    const double reach = fmax(tn_norm_inf(sys->nq, c->x->q), sys->reach);
    const double rounding = 4.0 * DBL_EPSILON * (1.0 + reach) / c->h;
    return c->problem->formulation->position ? rounding : answer_to(j, c->h, rounding);
}

// The largest residual in the rows that give x beside u: of positions, and of x itself. Where these
// are round-off, what corrections of x have beyond those of u is noise, by tangents of any age.
double tn_judge_open(const tn_problem *p, const double *r)
{
    const tn_layout at = p->at;
    return at.mu < 0 ? INFINITY
                     : fmax(tn_norm_inf(p->sys->nv, r + at.x), tn_norm_inf(p->sys->ng, r + at.mu));
}

// Sizes are those of the prediction and of the start: what an iteration that runs away makes of
// them must not become its own measure.
static tn_correction_size size_of(const tn_judge *j, const tn_correction *c)
{
    TN_ASSERT(!(j->scale <= 0.0) && c->h > 0.0);
    const tn_system *sys = c->problem->sys;
    const tn_layout at = c->problem->at;
    const double scale = j->scale;
    tn_correction_size s = {.x = tn_norm_inf(sys->nv, c->r + at.x) / scale};
    if (at.u != at.x)
        s.rest = tn_norm_inf(sys->nv, c->r + at.u) / scale;
    s.rest = fmax(s.rest, largest_part(at.n - at.e, c->r + at.e, c->y + at.e));
    s.multipliers =
        fmax(tn_norm_inf(sys->ng, c->r + at.lambda), tn_norm_inf(sys->nn, c->r + at.eta));
    const double rounding = rounding_of(j, c);
    s.rounded = fabs(c->residual) <= 4.0 * rounding;
    s.noise_max = fmax(NOISE_MAX_ROUNDED, ENLARGED_MAX * rounding / scale);
    s.noise_x = fmax(rounding / scale, fmax(j->noise_x, j->noise_here));
    if (c->open <= rounding && s.x <= s.noise_max)
        s.noise_x = fmax(s.noise_x, s.x);
    s.noise_rest = fmax(8.0 * DBL_EPSILON, j->noise_rest);
    return s;
}

double tn_judge_measure(const tn_judge *j, const tn_correction *c)
{
    const tn_correction_size s = size_of(j, c);
    return fmax(s.x, s.rest);
}

// Motion ------------------------------------------------------------------------------------------

// Error after a correction that follows one of size `before` (0: none).
static double leaves(double size, double before)
{
    const double rate = before > 0.0 ? fmax(size / before, LEAST_RATE) : 1.0;
    return rate < 1.0 ? size * rate / (1.0 - rate) : size;
}

// If noise of x is known to be enlarged, an iteration is done when it is as near as noise permits:
// corrections that do not shrink are no fault of the tangent then.
static void settle(const tn_judge *j, double h, tn_correction_size *s)
{
    const double x = fmax(j->noise_x, j->noise_here);
    const double rest = fmax(j->noise_rest, answer_to(j, h, x));
    s->x_done = x > NOISE_MAX && leaves(s->x, j->before.x) <= x;
    s->rest_done = x > NOISE_MAX && leaves(s->rest, j->before.rest) <= rest;
}

// Size of a correction without noise.
static double remaining(const tn_correction_size *s)
{
    return fmax(s->x > s->noise_x && !s->x_done ? s->x : 0.0,
                s->rest > s->noise_rest && !s->rest_done ? s->rest : 0.0);
}

// By the size of the correction before it. The error that is left after this one is
// rate / (1 - rate) size.
static tn_judgement judge_motion(tn_judge *j, const tn_correction_size *s, double tol, int age)
{
    TN_ASSERT(tol > 0.0 && age >= 0);
    const double size = remaining(s), last = j->last;
    const bool is_old = age > TN_FRESH_MAX;
    if (!isfinite(size))
        return is_old ? TN_RESTART : TN_DIVERGED;
    double rate = last > 0.0 ? size / last : is_old ? j->rate : 1.0;
    if (last > 0.0)
        j->rate = rate;
    if (age > 1)
        rate = fmax(rate, LEAST_RATE);
    const double left = rate < 1.0 ? size * rate / (1.0 - rate) : size;
    if (left <= tol)
        return TN_CONVERGED;
    const double noise_max = s->rounded ? s->noise_max : NOISE_MAX;
    if (age > 1 && !is_old && size <= noise_max && rate > LEAST_RATE) {
        j->noise_x = fmax(j->noise_x, 2.0 * fmin(s->x, NOISE_MAX));
        j->noise_rest = fmax(j->noise_rest, 2.0 * fmin(s->rest, NOISE_MAX));
        return TN_CONVERGED;
    }
    if (last <= 0.0)
        return TN_GO_ON;
    if (age == 1) // the last step was that of an older tangent: the rate says nothing of this one
        return rate > 4.0 && size > 1e-3 ? TN_DIVERGED : TN_GO_ON;
    return rate > 1.0 && is_old ? TN_RESTART : rate > LEAST_RATE ? TN_RENEW : TN_GO_ON;
}

// Corrections that do not shrink as they should, and are small: whether they are round-off,
// enlarged by a long net, is asked once of each tangent. A row of 10^4 four-bars, which share one
// freedom, enlarges it a hundred times.
static bool may_be_noise(const tn_judge *j, const tn_correction_size *s, tn_judgement v)
{
    return j->noise_here < 0.0 && j->last > 0.0 && (v == TN_GO_ON || v == TN_RENEW) &&
           remaining(s) <= s->noise_max;
}

static tn_status find_noise(tn_judge *j, const tn_correction *c, tn_correction_size *s)
{
    tn_problem *p = c->problem;
    TN_TRY(tn_problem_noise(p, c->h, rounding_of(j, c), c->work));
    const double size = tn_norm_inf(p->sys->nv, c->work + p->at.x) / j->scale;
    j->noise_here = isfinite(size) ? fmin(size, s->noise_max) : 0.0;
    s->noise_x = fmax(s->noise_x, j->noise_here);
    return TN_OK;
}

// Multipliers -------------------------------------------------------------------------------------

// Error of multipliers, as a part of them: when done, if they do not shrink, and if x is noisy.
static const double MULTIPLIERS_DONE = 1e-9, MULTIPLIERS_NEAR = 1e-7, MULTIPLIERS_NOISY = 1e-5;

static double multiplier_size(const tn_correction *c)
{
    const tn_system *sys = c->problem->sys;
    const tn_layout at = c->problem->at;
    return fmax(tn_norm_inf(sys->ng, c->y + at.lambda), tn_norm_inf(sys->nn, c->y + at.eta));
}

// Noise of multipliers, for a unit mass. They belong to the rows of the highest level: by those of
// positions they have the noise of x, which is that of q / h. By others they have that of u. Long
// rows enlarge it: where x is noisy not more than MULTIPLIERS_NOISY is asked of them, which saves
// up to half of the iterations.
static double multiplier_noise(const tn_judge *j, const tn_correction *c,
                               const tn_correction_size *s)
{
    const tn_formulation *f = c->problem->formulation;
    const double unit = 5.0 * (j->speed + tn_norm_inf(c->problem->at.lambda, c->y));
    const double of_x = unit * s->noise_x;
    if (!f->velocity && !f->acceleration)
        return of_x;
    const double of_u = unit * fmax(s->noise_rest, answer_to(j, c->h, s->noise_x));
    return fmin(of_x, fmax(of_u, MULTIPLIERS_NOISY * multiplier_size(c)));
}

// An old tangent has the motion right as soon as the prediction is, but moves the multipliers only
// by as much of their change as it has of B: a body on a steady circle would carry the reaction of
// the step at which the tangent was formed. Goes on while their steps shrink, and asks for a new
// tangent where they do not and are far above noise.
static tn_judgement judge_multipliers(tn_judge *j, const tn_correction *c,
                                      const tn_correction_size *s)
{
    const double floor = multiplier_noise(j, c, s), size = multiplier_size(c);
    const double step = s->multipliers;
    const bool shrinks = step < 0.25 * j->last_multipliers;
    j->last_multipliers = step;
    if (leaves(step, j->before.multipliers) <= MULTIPLIERS_DONE * size + floor)
        return TN_CONVERGED;
    if (shrinks)
        return TN_GO_ON;
    return step > MULTIPLIERS_NEAR * size + floor && !s->rounded ? TN_RENEW : TN_CONVERGED;
}

tn_status tn_judge_correction(tn_judge *j, const tn_correction *c, double tol, tn_judgement *out)
{
    tn_correction_size s = size_of(j, c);
    settle(j, c->h, &s);
    tn_judgement v = judge_motion(j, &s, tol, c->age);
    if (may_be_noise(j, &s, v)) {
        TN_TRY(find_noise(j, c, &s));
        settle(j, c->h, &s);
        v = judge_motion(j, &s, tol, c->age);
    }
    if (v == TN_CONVERGED && c->age > 1 && !c->is_last)
        v = judge_multipliers(j, c, &s);
    j->last = remaining(&s);
    j->before = s;
    *out = v;
    return TN_OK;
}
