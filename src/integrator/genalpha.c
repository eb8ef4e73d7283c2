// SPDX-License-Identifier: MIT
//
// Generalized-alpha on a Lie group, for residuals of any index that the formulation hands over
// [Arn16, eq. 64, 68, 69, 93, 94; ACB15, eq. 3]:
//
//   q1 = q0 o exp(h x),   x = u - B(q0)^T mu,   u = v0 + h ((1/2 - beta) A0 + beta A1)
//   v1 = v0 + h ((1 - gamma) A0 + gamma A1)
//   (1 - alpha_m) A1 + alpha_m A0 = (1 - alpha_f) a1 + alpha_f a0
//
// a is the true acceleration v', A the algorithmic one: A_n approximates v'(t_n + d h) with
// d = alpha_m - alpha_f, which is also how it is started [Arn16, Example 8] and how it follows a
// change of the step size. First-order states c are treated as v is [Arn16, 4.1, after Example 8].
// HHT-alpha is the member alpha_m = 0, alpha_f = -alpha [Arn16, eq. 66].
//
// Local error. With A as above, x misses the exact increment by
//   h^2 r,   r = (1 - 6 beta - 3 d)/6 v'' + [v, v']/12          [ACB15, after eq. 8; Magnus series]
// so h^3 r estimates the error in q. In c the miss is (d^2/2 - 1/12) h^3 c''' and a like term of C,
// taken together as h^3 c''' / 6. The same term is what a start velocity must carry, B v0 = h^2 B
// r, for lambda to be of second order in the index-3 form [ACB15, eq. 8]. lambda and mu are left
// out of the error estimate, and c where they depend on a lambda that jumps with the step (index3).

#include "base/team.h"
#include "integrator/integrator_list.h"
#include "lie/product.h"
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
static const double NOISE_MAX = 1e-9;
// Near a singular position noise is enlarged beyond that. There it is known as such by the
// residual, which is that of rounded positions.
static const double NOISE_MAX_ROUNDED = 1e-6;
// Far from the origin and in short steps the round-off of q / h itself comes near that. A row of
// 10^4 four-bars enlarges it 43 times.
static const double ENLARGED_MAX = 100.0;
// Velocities u answer to noise of positions, as B(q) u does: by h |u| of it, enlarged up to so many
// times by rows of 10^4 four-bars.
static const double ANSWER = 4.0;

// h^2 v' of a start, in sizes of the model or rad, from which v' belongs to motions that the step
// does not resolve: a beam that is let go while it is bent. With v' they would begin (h omega)^2
// times as large as they are; without, they come to rest.
static const double WAY = 0.5;

// Damped iteration: parts of corrections below LEAST_PART are given up, and corrections below NEAR
// are left to the undamped one. It has DAMPED times as many iterations as that one, where these are
// at least LEAST_MAX: who states fewer does not want more of them.
static const double LEAST_PART = 1e-3, NEAR = 1e-3;
enum { DAMPED = 3, LEAST_MAX = 10 };

typedef struct genalpha {
    tn_integrator base;
    double alpha_m, alpha_f, beta, gamma, d;
    bool started, have_jerk, have_mu, fresh; // fresh: the factorisation belongs to this step size
    bool begun;                              // the problem has been told where the step begins
    bool eased;                              // the first step leaves v' of its beginning out
    double h_last, rate_last;
    double noise_x, noise_rest;          // of corrections, as seen in earlier steps
    double noise_here;                   // of x, as the tangent enlarges it; negative: not known
    double speed;                        // a typical one
    double scale;                        // of x and u as predicted
    double *v_given;                     // velocity before the first step, as it was      nv
    double *A;                           // algorithmic acceleration                       nv
    double *jerk;                        // estimate of v''                                nv
    double *lambda_rate;                 // difference quotient of the last step           ng
    double *jerk_change, *lambda_change; // of these two over the last step, for the prediction
    double *mu, *mu_change;              // of the last step, for the same                 ng
    double *C;                           // the same as A for the states c                 nc
    double *cdot;                        // c' of the last step                            nc
    double *bend;                        // estimate of c''                                nc
    double *y, *r;                       // unknowns and residual                          n
    double *y_kept, *full;               // both before a damped step                      n
    double *dx;                          // increment h x                                  nv
    double *q1, *v1, *a1, *A1, *lambda1, *eta1, *C1, *cdot1;
    double *work; // 2 nv, then a configuration and multipliers
} genalpha;

static void genalpha_layout(tn_integrator *self, const tn_stepper *stepper, tn_carve *mem)
{
    genalpha *s = (genalpha *)self;
    const tn_problem *p = stepper->problem;
    const tn_system *sys = p->sys;
    const int nv = sys->nv, n = p->at.n;
    TN_CARVE_DOUBLES(mem, nv, &s->v_given, &s->A, &s->jerk, &s->jerk_change, &s->dx, &s->v1, &s->a1,
                     &s->A1);
    TN_CARVE_DOUBLES(mem, sys->ng, &s->lambda_rate, &s->lambda_change, &s->mu, &s->mu_change,
                     &s->lambda1);
    TN_CARVE_DOUBLES(mem, sys->nc, &s->C, &s->cdot, &s->bend, &s->C1, &s->cdot1);
    TN_CARVE_DOUBLES(mem, n, &s->y, &s->r, &s->y_kept, &s->full);
    s->q1 = tn_carve_doubles(mem, sys->nq);
    s->eta1 = tn_carve_doubles(mem, sys->nn);
    s->work = tn_carve_doubles(mem, 2 * nv + sys->nq + sys->ng + sys->nn);
}

static void set_coefficients(genalpha *s, double alpha_m, double alpha_f)
{
    TN_ASSERT(alpha_m <= alpha_f && alpha_f <= 0.5);
    s->alpha_m = alpha_m;
    s->alpha_f = alpha_f;
    s->d = alpha_m - alpha_f;
    s->gamma = 0.5 - s->d;
    s->beta = 0.25 * (s->gamma + 0.5) * (s->gamma + 0.5);
    s->started = s->have_jerk = s->fresh = s->begun = s->eased = false;
    s->noise_x = s->noise_rest = 0.0;
}

static tn_status galpha_begin(tn_integrator *self, const tn_sim_options *options)
{
    const double rho = options->rho_inf;
    set_coefficients((genalpha *)self, (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
    return TN_OK;
}

static tn_status hht_begin(tn_integrator *self, const tn_sim_options *options)
{
    set_coefficients((genalpha *)self, 0.0, -options->hht_alpha);
    return TN_OK;
}

// v' and c' at t + e along q o exp(e v + e^2 a / 2), v + e a: exact up to terms in e^2, which the
// difference below removes. With `third` these are there as well, of this jerk.
static tn_status nearby_rates(genalpha *s, tn_stepper *stepper, const tn_state *x, double e,
                              const double *third, double *a, double *cdot)
{
    TN_ASSERT(e >= 0.0 && a != s->v1);
    tn_system *sys = stepper->problem->sys;
    double *dx = s->dx, *q = s->work + 2 * sys->nv, *lambda = q + sys->nq;
    for (int i = 0; i < sys->nv; i++) {
        dx[i] = e * (x->v[i] + 0.5 * e * x->a[i]);
        s->v1[i] = x->v[i] + e * x->a[i];
    }
    for (int i = 0; i < sys->nv && third; i++) {
        dx[i] += e * e * e / 6.0 * third[i];
        s->v1[i] += 0.5 * e * e * third[i];
    }
    tn_group_retract(sys->ngroup, sys->groups, x->q, dx, q);
    tn_copy(sys->ne, x->e, s->y);
    tn_axpy(sys->nc, e, s->cdot, s->y);
    // c' may depend on the multipliers that belong to these accelerations.
    const tn_point at = {x->t + e, q, s->v1, a, lambda, lambda + sys->ng, s->y, x->r};
    TN_TRY(tn_accel_solve(stepper->accel, &at, s->y, a, lambda, lambda + sys->ng));
    if (sys->nc > 0)
        TN_TRY(tn_system_eval(sys, &at, TN_EVAL_EXTRA));
    tn_copy(sys->nc, sys->extra, cdot);
    return TN_OK;
}

// A jerk J over the time 2 e moves accelerations by 2 e J, and places by (2 e)^3 J / 6, from where
// stiff parts with the frequency w push back: (2 e w)^2 / 6 of that. Where this part is large the
// jerk is that of vibrations far shorter than the step, and says nothing of the motion over it.
// From w h = 7 on.
static const double UNRESOLVED = 0.1;

// One-sided: functions of time need not be what they are, or be at all, before the start.
static tn_status find_jerk(genalpha *s, tn_stepper *stepper, const tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    static const double weight[] = {-3.0, 4.0, -1.0}; // at 0, e and 2 e, by 1 / (2 e)
    const tn_system *sys = stepper->problem->sys;
    const double e = 0.05 * h;
    tn_zero(sys->nv, s->jerk);
    tn_zero(sys->nc, s->bend);
    for (int k = 0; k < TN_COUNT(weight); k++) {
        TN_TRY(nearby_rates(s, stepper, x, k * e, NULL, s->work, s->C1));
        tn_axpy(sys->nv, weight[k] / (2.0 * e), s->work, s->jerk);
        tn_axpy(sys->nc, weight[k] / (2.0 * e), s->C1, s->bend);
    }
    tn_copy(sys->nv, s->work, s->a1); // at 2 e
    TN_TRY(nearby_rates(s, stepper, x, 2.0 * e, s->jerk, s->work, s->C1));
    tn_axpy(sys->nv, -1.0, s->work, s->a1);
    const double change = 2.0 * e * tn_norm_inf(sys->nv, s->jerk);
    return tn_norm_inf(sys->nv, s->a1) > UNRESOLVED * change ? TN_RETRY_NEWTON : TN_OK;
}

// r of the head comment, at velocity v and acceleration a.
static void local_defect(const genalpha *s, const tn_system *sys, const double *v, const double *a,
                         double *r)
{
    TN_ASSERT(r != v && r != a);
    tn_group_bracket(sys->ngroup, sys->groups, v, a, r);
    const double c = (1.0 - 6.0 * s->beta - 3.0 * s->d) / 6.0;
    for (int i = 0; i < sys->nv; i++)
        r[i] = c * s->jerk[i] + r[i] / 12.0;
}

// Moves v0 by the smallest step in the norm of M to B v0 + g_t = h^2 B r and N v0 + n0 = 0.
static tn_status correct_start(genalpha *s, tn_stepper *stepper, tn_state *x, double h)
{
    TN_ASSERT(s->have_jerk && h > 0.0);
    tn_system *sys = stepper->problem->sys;
    double *defect = s->work, *dv = s->work + sys->nv, *rows = dv + sys->nv;
    const tn_point at = tn_state_point(x);
    local_defect(s, sys, x->v, x->a, defect);
    TN_TRY(tn_accel_factor(stepper->accel, &at));
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_B | TN_EVAL_GDOT));
    tn_system_stack(sys, -1.0, sys->gdot, sys->ndot, rows);
    if (sys->ng > 0)
        tn_sparse_mul(sys->block[TN_BLOCK_B], h * h, defect, rows);
    tn_zero(sys->nv, dv);
    TN_TRY(tn_accel_resolve(stepper->accel, dv, rows));
    tn_axpy(sys->nv, 1.0, dv, x->v);
    return TN_OK;
}

static void forget_multipliers(genalpha *s, const tn_system *sys)
{
    tn_zero(sys->ng, s->lambda_change);
    tn_zero(sys->ng, s->mu);
    tn_zero(sys->ng, s->mu_change);
    s->have_mu = false;
}

// The prediction is of one order less where the last steps do not tell.
static void forget_changes(genalpha *s, const tn_system *sys)
{
    tn_zero(sys->nv, s->jerk_change);
    forget_multipliers(s, sys);
}

// A stays: it carries the motion, and to find it again as at the start would shift it by what A and
// v' + d h v'' differ in second order.
static void genalpha_change_rows(tn_integrator *self, const tn_stepper *stepper)
{
    genalpha *s = (genalpha *)self;
    const tn_system *sys = stepper->problem->sys;
    tn_zero(sys->ng, s->lambda_rate);
    forget_multipliers(s, sys);
    s->noise_x = s->noise_rest = 0.0;
    s->fresh = false;
}

static bool genalpha_jump(tn_integrator *self, tn_stepper *stepper, const double *da)
{
    genalpha *s = (genalpha *)self;
    const tn_system *sys = stepper->problem->sys;
    if (s->started)
        tn_axpy(sys->nv, 1.0, da, s->A);
    tn_problem_begin_here(stepper->problem);
    s->begun = true;
    s->rate_last = 1.0; // that of smooth steps, which begin with better predictions, says too much
    return s->started && sys->nc == 0;
}

static bool wants_correction(const tn_formulation *f) // index3
{
    return f->position && !f->velocity;
}

static tn_status start_genalpha(genalpha *s, tn_stepper *stepper, tn_state *x, double h)
{
    tn_system *sys = stepper->problem->sys;
    if (sys->nc > 0) {
        const tn_point at = tn_state_point(x);
        TN_TRY(tn_system_eval(sys, &at, TN_EVAL_EXTRA));
        tn_copy(sys->nc, sys->extra, s->cdot);
    }
    s->have_jerk = find_jerk(s, stepper, x, h) == TN_OK;
    if (!s->have_jerk) { // a kink at the start, or stiff: A0 = v'(t0) is of first order and safe
        tn_zero(sys->nv, s->jerk);
        tn_zero(sys->nc, s->bend);
    }
    for (int i = 0; i < sys->nc; i++)
        s->C[i] = s->cdot[i] + s->d * h * s->bend[i];
    s->eased = !stepper->options->adaptive && h * h * tn_norm_inf(sys->nv, x->a) > WAY;
    if (s->eased)
        tn_zero(sys->nv, s->jerk);
    for (int i = 0; i < sys->nv; i++)
        s->A[i] = s->eased ? 0.0 : x->a[i] + s->d * h * s->jerk[i];
    if (stepper->options->corrected_start && s->have_jerk &&
        wants_correction(stepper->problem->formulation))
        TN_TRY(correct_start(s, stepper, x, h));
    tn_zero(sys->ng, s->lambda_rate);
    forget_changes(s, sys);
    s->started = true;
    s->h_last = h;
    return TN_OK;
}

// A_n and C_n belong to t_n + d h: follow a change of h.
static void change_step(genalpha *s, const tn_system *sys, double h)
{
    TN_ASSERT(h > 0.0);
    if (h == s->h_last)
        return;
    tn_axpy(sys->nv, s->d * (h - s->h_last), s->jerk, s->A);
    tn_axpy(sys->nc, s->d * (h - s->h_last), s->bend, s->C);
    forget_changes(s, sys);
    s->noise_x = s->noise_rest = 0.0;
    s->h_last = h;
    s->fresh = false;
}

// mu takes what the formula for x leaves in g, h^2 B r of the head comment but for higher terms: in
// a steady motion about the same in each step.
static void predict_genalpha(genalpha *s, const tn_problem *p, const tn_state *x, double h)
{
    TN_ASSERT(s->started && h > 0.0);
    const tn_layout layout = p->at, *at = &layout;
    const tn_system *sys = p->sys;
    tn_zero(at->n, s->y);
    for (int i = 0; i < sys->nv; i++) {
        const double A1 = s->A[i] + h * (s->jerk[i] + s->jerk_change[i]);
        s->y[at->x + i] = x->v[i] + h * ((0.5 - s->beta) * s->A[i] + s->beta * A1);
        s->y[at->u + i] = s->y[at->x + i];
    }
    for (int i = 0; i < sys->ng; i++)
        s->y[at->lambda + i] = h * (x->lambda[i] + h * (s->lambda_rate[i] + s->lambda_change[i]));
    for (int i = 0; i < sys->ng && at->mu >= 0; i++)
        s->y[at->mu + i] = s->mu[i] + s->mu_change[i];
    for (int i = 0; i < sys->nn; i++)
        s->y[at->eta + i] = h * x->eta[i];
    for (int i = 0; i < sys->ne; i++)
        s->y[at->e + i] = x->e[i] + (i < sys->nc ? h * s->C[i] : 0.0);
    tn_problem_move(p, s->y);
    s->speed = tn_system_typical(sys, TN_KIND_SPEED);
    s->scale = s->speed + tn_norm_inf(at->lambda, s->y);
}

typedef struct unfolding {
    genalpha *s;
    const tn_layout *at;
    const tn_state *x;
    double h;
} unfolding;

static void unfold_velocities(void *user, int begin, int end)
{
    const unfolding *f = user;
    const genalpha *s = f->s;
    const double *v = f->x->v, *a = f->x->a, h = f->h;
    const double *u = s->y + f->at->u, before = s->eased ? 0.0 : s->alpha_f;
    for (int i = begin; i < end; i++) {
        s->A1[i] = (u[i] - v[i] - h * (0.5 - s->beta) * s->A[i]) / (s->beta * h);
        s->v1[i] = v[i] + h * ((1.0 - s->gamma) * s->A[i] + s->gamma * s->A1[i]);
        s->a1[i] = ((1.0 - s->alpha_m) * s->A1[i] + s->alpha_m * s->A[i] - before * a[i]) /
                   (1.0 - s->alpha_f);
        s->dx[i] = h * s->y[f->at->x + i];
    }
}

// The state at the end of the step that belongs to the unknowns y [Arn16, eq. 68, 94].
static void unfold_genalpha(genalpha *s, const tn_layout *at, const tn_system *sys,
                            const tn_state *x, double h)
{
    TN_ASSERT(s->beta > 0.0 && s->alpha_f < 1.0 && h > 0.0);
    enum { VELOCITIES = 8192 }; // that are worth a thread
    tn_team_loop(sys->nv, VELOCITIES, unfold_velocities, &(unfolding){s, at, x, h});
    tn_group_retract(sys->ngroup, sys->groups, x->q, s->dx, s->q1);
    for (int i = 0; i < sys->ng; i++)
        s->lambda1[i] = s->y[at->lambda + i] / h;
    for (int i = 0; i < sys->nn; i++)
        s->eta1[i] = s->y[at->eta + i] / h;
    for (int i = 0; i < sys->nc; i++) {
        s->C1[i] = (s->y[at->e + i] - x->e[i] - h * (1.0 - s->gamma) * s->C[i]) / (h * s->gamma);
        s->cdot1[i] =
            ((1.0 - s->alpha_m) * s->C1[i] + s->alpha_m * s->C[i] - s->alpha_f * s->cdot[i]) /
            (1.0 - s->alpha_f);
    }
}

static double genalpha_largest(int n, const double *x, const double *y) // max |x| over 1 + |y|
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]) / (1.0 + fabs(y[i])));
    return most;
}

// Size of a Newton step in the unknowns that carry the motion, relative to their size.
typedef struct correction {
    bool rounded; // the residual was as small as round-off of positions lets it be
    double x;     // increment of q: sees the round-off of q / h through g = 0
    double rest;  // u where it stands apart from x, and e
    double noise_x, noise_rest;
    double noise_max;       // of x, by positions that are rounded
    double multipliers;     // as they are, not relative
    bool x_done, rest_done; // what they leave is below noise
} correction;

// Of x, by the round-off of q.
static double rounding_of(const tn_system *sys, const tn_state *x, double h)
{
    const double reach = fmax(tn_norm_inf(sys->nq, x->q), sys->reach);
    return 4.0 * DBL_EPSILON * (1.0 + reach) / h;
}

// The largest residual in the rows that give x beside u: of positions, and of x itself. Where these
// are round-off, what corrections of x have beyond those of u is noise, by tangents of any age.
static double open_rows(const genalpha *s, const tn_layout *at, const tn_system *sys)
{
    return at->mu < 0
               ? INFINITY
               : fmax(tn_norm_inf(sys->nv, s->r + at->x), tn_norm_inf(sys->ng, s->r + at->mu));
}

// Sizes are those of the prediction and of the start: what an iteration that runs away makes of
// them must not become its own measure.
static correction measure_genalpha(const genalpha *s, const tn_layout *at, const tn_system *sys,
                                   const tn_state *x, double h, double residual, double open)
{
    TN_ASSERT(!(s->scale <= 0.0) && h > 0.0);
    const double scale = s->scale;
    correction c = {.x = tn_norm_inf(sys->nv, s->r + at->x) / scale};
    if (at->u != at->x)
        c.rest = tn_norm_inf(sys->nv, s->r + at->u) / scale;
    c.rest = fmax(c.rest, genalpha_largest(at->n - at->e, s->r + at->e, s->y + at->e));
    c.multipliers =
        fmax(tn_norm_inf(sys->ng, s->r + at->lambda), tn_norm_inf(sys->nn, s->r + at->eta));
    const double rounding = rounding_of(sys, x, h);
    c.rounded = fabs(residual) <= 4.0 * rounding;
    c.noise_max = fmax(NOISE_MAX_ROUNDED, ENLARGED_MAX * rounding / scale);
    c.noise_x = fmax(rounding / scale, fmax(s->noise_x, s->noise_here));
    if (open <= rounding && c.x <= c.noise_max)
        c.noise_x = fmax(c.noise_x, c.x);
    c.noise_rest = fmax(8.0 * DBL_EPSILON, s->noise_rest);
    return c;
}

// What a correction leaves that follows one of size `before` (0: none).
static double leaves(double size, double before)
{
    const double rate = before > 0.0 ? fmax(size / before, LEAST_RATE) : 1.0;
    return rate < 1.0 ? size * rate / (1.0 - rate) : size;
}

// Where noise of x is known to be enlarged it is enough to come as near as it lets one: corrections
// that do not shrink are no fault of the tangent then.
static void settle_genalpha(const genalpha *s, correction *c, const correction *before)
{
    const double x = fmax(s->noise_x, s->noise_here), fastest = s->scale - s->speed;
    const double rest = fmax(s->noise_rest, ANSWER * s->h_last * fastest * x);
    c->x_done = x > NOISE_MAX && leaves(c->x, before->x) <= x;
    c->rest_done = x > NOISE_MAX && leaves(c->rest, before->rest) <= rest;
}

// What still counts of a correction: all but noise.
static double remaining(correction c)
{
    return fmax(c.x > c.noise_x && !c.x_done ? c.x : 0.0,
                c.rest > c.noise_rest && !c.rest_done ? c.rest : 0.0);
}

static int blame_genalpha(const genalpha *s, tn_stepper *stepper, int n)
{
    const int worst = tn_largest_at(n, s->r);
    stepper->worst = n > 0 ? s->r[worst] : 0.0;
    return worst;
}

// How the corrector stands after an iteration.
typedef enum verdict { GO_ON, RENEW, RESTART, CONVERGED, DIVERGED } verdict;

// Judges a Newton step against the size of the one before it (`last`, 0 at first). The error that
// is left after this step is rate / (1 - rate) size. `age` counts iterations since the last
// factorisation; a matrix of an earlier step has a large age.
static verdict judge_genalpha(genalpha *s, correction c, double last, double tol, int age)
{
    TN_ASSERT(tol > 0.0 && age >= 0);
    const double size = remaining(c);
    if (!isfinite(size))
        return age > 20 ? RESTART : DIVERGED;
    double rate = last > 0.0 ? size / last : age > 20 ? s->rate_last : 1.0;
    if (last > 0.0)
        s->rate_last = rate;
    if (age > 1)
        rate = fmax(rate, LEAST_RATE);
    const double left = rate < 1.0 ? size * rate / (1.0 - rate) : size;
    if (left <= tol)
        return CONVERGED;
    const double noise_max = c.rounded ? c.noise_max : NOISE_MAX;
    if (age > 1 && age <= 20 && size <= noise_max && rate > LEAST_RATE) {
        s->noise_x = fmax(s->noise_x, 2.0 * fmin(c.x, NOISE_MAX));
        s->noise_rest = fmax(s->noise_rest, 2.0 * fmin(c.rest, NOISE_MAX));
        return CONVERGED;
    }
    if (last <= 0.0)
        return GO_ON;
    if (age == 1) // the last step was that of an older tangent: the rate tells nothing of this one
        return rate > 4.0 && size > 1e-3 ? DIVERGED : GO_ON;
    return rate > 1.0 && age > 20 ? RESTART : rate > 0.1 ? RENEW : GO_ON;
}

// Corrections that do not shrink as they should, and are small: whether they are round-off,
// enlarged by a long net, is asked once of each tangent. A row of 10^4 four-bars, which share one
// freedom, enlarges it a hundred times.
static bool may_be_noise(const genalpha *s, correction c, double last, verdict v)
{
    return s->noise_here < 0.0 && last > 0.0 && (v == GO_ON || v == RENEW) &&
           remaining(c) <= c.noise_max;
}

static tn_status find_noise(genalpha *s, tn_problem *p, const tn_state *x, double h, double most)
{
    TN_TRY(tn_problem_noise(p, h, rounding_of(p->sys, x, h), s->full));
    const double size = tn_norm_inf(p->sys->nv, s->full + p->at.x) / s->scale;
    s->noise_here = isfinite(size) ? fmin(size, most) : 0.0;
    return TN_OK;
}

// An old tangent has the motion right as soon as the prediction is, but moves the multipliers only
// by as much of their change as it has of B: a body on a steady circle would carry the reaction of
// the step at which the tangent was formed. Goes on while their steps shrink, and asks for a new
// tangent where they do not and are far above noise.
static verdict judge_multipliers(const genalpha *s, const tn_layout *at, const tn_system *sys,
                                 const correction *c, const correction *before, double *last)
{
    const double floor =
        5.0 * c->noise_x * (s->speed + tn_norm_inf(at->lambda, s->y)); // of a unit mass
    const double size =
        fmax(tn_norm_inf(sys->ng, s->y + at->lambda), tn_norm_inf(sys->nn, s->y + at->eta));
    const double step = c->multipliers;
    const bool shrinks = step < 0.25 * *last;
    *last = step;
    if (leaves(step, before->multipliers) <= 1e-9 * size + floor)
        return CONVERGED;
    return shrinks ? GO_ON : step > 1e-7 * size + floor && !c->rounded ? RENEW : CONVERGED;
}

// What an iteration needs to know of its step.
typedef struct iteration {
    tn_layout at;
    tn_weights w;
    tn_point point;
} iteration;

static iteration iteration_of(genalpha *s, const tn_problem *p, const tn_state *x, double h)
{
    const tn_layout at = p->at;
    return (iteration){
        .at = at,
        .w = {.h = h,
              .q = h,
              .v = s->gamma / s->beta,
              .a = (1.0 - s->alpha_m) / (s->beta * (1.0 - s->alpha_f) * h),
              .c = (1.0 - s->alpha_m) / ((1.0 - s->alpha_f) * s->gamma * h)},
        .point = {x->t + h, s->q1, s->v1, s->a1, s->lambda1, s->eta1, s->y + at.e, x->r},
    };
}

// Newton iteration: keeps the factorisation, also of earlier steps, while it converges well. With
// `given` it begins at s->y and with a new one.
static tn_status solve_step(genalpha *s, tn_stepper *stepper, const tn_state *x, double h,
                            bool given)
{
    tn_problem *p = stepper->problem;
    tn_system *sys = p->sys;
    const iteration it = iteration_of(s, p, x, h);
    const tn_layout at = it.at;
    const tn_point point = it.point;
    const tn_weights w = it.w;
    const bool always = stepper->options->jacobian_every == 1;
    bool renew = always || !s->fresh || given;
    int age = renew ? 0 : 100, worst = 0;
    double last = 0.0, last_multipliers = INFINITY;
    correction before = {0};
    if (!given)
        predict_genalpha(s, p, x, h);
    for (int k = 0; k < stepper->options->newton_max; k++) {
        unfold_genalpha(s, &at, sys, x, h);
        TN_TRY(tn_problem_residual(p, &point, s->y, h, s->cdot1, s->r));
        worst = blame_genalpha(s, stepper, at.n);
        const double open = open_rows(s, &at, sys);
        if (renew) {
            TN_TRY(tn_problem_factor(p, &point, s->dx, w));
            stepper->factorizations++;
            s->noise_here = -1.0;
            age = always ? k : 0; // with a new one each time all are of this step
        }
        TN_TRY(tn_problem_solve(p, s->r));
        tn_axpy(at.n, -1.0, s->r, s->y);
        stepper->newton++;
        age++;
        correction c =
            measure_genalpha(s, &at, sys, x, h, age <= 20 ? stepper->worst : INFINITY, open);
        settle_genalpha(s, &c, &before);
        verdict v = judge_genalpha(s, c, last, stepper->options->newton_tol, age);
        if (may_be_noise(s, c, last, v)) {
            TN_TRY(find_noise(s, p, x, h, c.noise_max));
            c.noise_x = fmax(c.noise_x, s->noise_here);
            settle_genalpha(s, &c, &before);
            v = judge_genalpha(s, c, last, stepper->options->newton_tol, age);
        }
        if (v == CONVERGED && age > 1 && k + 1 < stepper->options->newton_max)
            v = judge_multipliers(s, &at, sys, &c, &before, &last_multipliers);
        last = remaining(c);
        before = c;
        renew = always || v == RENEW || v == RESTART;
        if (v == CONVERGED) {
            s->fresh = true;
            unfold_genalpha(s, &at, sys, x, h);
            return TN_OK;
        }
        if (v == DIVERGED)
            break;
        if (v == RESTART) {
            predict_genalpha(s, p, x, h);
            last = 0.0;
            before = (correction){0};
        }
    }
    s->fresh = false;
    tn_problem_name(p, worst, stepper->culprit, sizeof stepper->culprit);
    return TN_RETRY_NEWTON;
}

// Residual at s->y, and s->r = J^-1 of it with the factors that are there; the size of the latter.
static tn_status damped_correction(genalpha *s, tn_stepper *stepper, const tn_state *x, double h,
                                   const iteration *it, bool factor, double *size)
{
    tn_problem *p = stepper->problem;
    unfold_genalpha(s, &it->at, p->sys, x, h);
    TN_TRY(tn_problem_residual(p, &it->point, s->y, h, s->cdot1, s->r));
    if (factor) {
        TN_TRY(tn_problem_factor(p, &it->point, s->dx, it->w));
        stepper->factorizations++;
    }
    TN_TRY(tn_problem_solve(p, s->r));
    stepper->newton++;
    const correction c = measure_genalpha(s, &it->at, p->sys, x, h, INFINITY, INFINITY);
    *size = fmax(c.x, c.rest);
    return TN_OK;
}

// One step of it, by the largest part of the full one after which the next correction with the same
// tangent is shorter: the natural test of monotonicity, which does not see the units of rows
// [Deu04]. *part is the one of the last step, then of this one.
static tn_status damped_step(genalpha *s, tn_stepper *stepper, const tn_state *x, double h,
                             const iteration *it, double *part, double *size)
{
    double next = INFINITY;
    TN_TRY(damped_correction(s, stepper, x, h, it, true, size));
    if (!isfinite(*size))
        return TN_RETRY_NEWTON;
    tn_copy(it->at.n, s->y, s->y_kept);
    tn_copy(it->at.n, s->r, s->full);
    for (*part = fmin(1.0, 4.0 * *part); *part >= LEAST_PART; *part *= 0.5) {
        tn_copy(it->at.n, s->y_kept, s->y);
        tn_axpy(it->at.n, -*part, s->full, s->y);
        const tn_status status = damped_correction(s, stepper, x, h, it, false, &next);
        if (status < 0)
            return status;
        if (status == TN_OK && next <= (1.0 - 0.25 * *part) * *size)
            return TN_OK;
    }
    return TN_RETRY_NEWTON;
}

// With a fixed step nothing but another way to the same solution helps where a prediction was poor:
// a beam that is let go, whose accelerations at the start last for a small part of the step. From
// the velocity on, by steps that are as long as they can be; the last ones are those of solve_step.
static tn_status solve_damped(genalpha *s, tn_stepper *stepper, const tn_state *x, double h)
{
    tn_problem *p = stepper->problem;
    const iteration it = iteration_of(s, p, x, h);
    const tn_layout *at = &it.at;
    double part = 0.25, size = INFINITY;
    predict_genalpha(s, p, x, h);
    for (int i = 0; i < p->sys->nv; i++)
        s->y[at->x + i] = s->y[at->u + i] = x->v[i];
    tn_problem_move(p, s->y);
    s->scale = s->speed + tn_norm_inf(at->lambda, s->y);
    for (int k = 0; k < DAMPED * stepper->options->newton_max; k++) {
        TN_TRY(damped_step(s, stepper, x, h, &it, &part, &size));
        if (part == 1.0 && size < NEAR)
            return solve_step(s, stepper, x, h, true);
    }
    return TN_RETRY_NEWTON;
}

// In index3 lambda jumps by more than it should where the step changes, the more the shorter the
// new one is: c' that depend on it do too, and a control that sees them shortens steps without end.
static bool rates_jump(const tn_stepper *stepper)
{
    const tn_formulation *form = stepper->problem->formulation;
    return stepper->problem->sys->block[TN_BLOCK_EL] && !form->velocity && !form->acceleration;
}

// max |h^3 r| over atol + rtol times the way of the coordinate in this step; for c its own size.
static void estimate_error(genalpha *s, tn_stepper *stepper, const tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    const tn_system *sys = stepper->problem->sys;
    const double *atol = stepper->atol, rtol = stepper->options->rtol;
    double error = 0.0;
    local_defect(s, sys, s->v1, s->a1, s->work);
    for (int i = 0; i < sys->nv; i++) {
        const double size = fmax(fabs(s->dx[i]), h * fabs(x->v[i]));
        const double tol = atol[tn_increment_kind(sys, i)] + rtol * size;
        error = fmax(error, fabs(h * h * h * s->work[i]) / tol);
    }
    const int judged = rates_jump(stepper) ? 0 : sys->nc;
    for (int i = 0; i < judged; i++) {
        const double bend = (s->C1[i] - s->C[i]) / h;
        const double defect = h * h * (bend - s->bend[i]) / 6.0;
        error = fmax(error, fabs(defect) / (atol[TN_KIND_EXTRA] + rtol * fabs(x->e[i])));
    }
    stepper->error = error;
}

static void accept_genalpha(genalpha *s, const tn_layout *at, const tn_system *sys, tn_state *x,
                            double h)
{
    TN_ASSERT(h > 0.0 && s->started);
    for (int i = 0; i < sys->ng; i++) {
        const double rate = (s->lambda1[i] - x->lambda[i]) / h;
        s->lambda_change[i] = rate - s->lambda_rate[i];
        s->lambda_rate[i] = rate;
    }
    for (int i = 0; i < sys->ng && at->mu >= 0; i++) {
        const double mu = s->y[at->mu + i];
        s->mu_change[i] = s->have_mu ? mu - s->mu[i] : 0.0;
        s->mu[i] = mu;
    }
    s->have_mu = true;
    for (int i = 0; i < sys->nc; i++)
        s->bend[i] = (s->C1[i] - s->C[i]) / h;
    s->eased = false;
    x->t += h;
    tn_copy(sys->nq, s->q1, x->q);
    tn_copy(sys->nv, s->v1, x->v);
    tn_copy(sys->nv, s->a1, x->a);
    tn_copy(sys->nv, s->A1, s->A);
    tn_copy(sys->ng, s->lambda1, x->lambda);
    tn_copy(sys->nn, s->eta1, x->eta);
    tn_copy(sys->ne, s->y + at->e, x->e);
    tn_copy(sys->nc, s->C1, s->C);
    tn_copy(sys->nc, s->cdot1, s->cdot);
}

static tn_state end_of_step(const genalpha *s, const tn_layout *at, const tn_state *x, double h)
{
    return (tn_state){x->t + h, s->q1, s->v1, s->a1, s->lambda1, s->eta1, s->y + at->e, x->r};
}

// From unknowns that are followed to where the step is expected to end.
static tn_status solve_followed(genalpha *s, tn_stepper *stepper, const tn_state *x, double h)
{
    tn_problem *p = stepper->problem;
    const tn_layout at = p->at;
    predict_genalpha(s, p, x, h);
    unfold_genalpha(s, &at, p->sys, x, h);
    tn_state end = end_of_step(s, &at, x, h);
    TN_TRY(tn_unknowns_follow(stepper->unknowns, x, &end));
    return solve_step(s, stepper, x, h, true);
}

static tn_status check_end(genalpha *s, tn_stepper *stepper, const tn_state *x, double h)
{
    const tn_layout at = stepper->problem->at;
    const tn_state end = end_of_step(s, &at, x, h);
    return tn_stepper_check(stepper, x, &end);
}

static tn_status solve_genalpha(genalpha *s, tn_stepper *stepper, const tn_state *x, double h)
{
    const tn_sim_options *o = stepper->options;
    tn_status status = solve_step(s, stepper, x, h, false);
    TN_THEN(status, check_end(s, stepper, x, h));
    if (tn_stepper_follows(stepper, status)) {
        status = solve_followed(s, stepper, x, h);
        TN_THEN(status, check_end(s, stepper, x, h));
    }
    if (status == TN_RETRY_NEWTON && !o->adaptive && o->newton_max >= LEAST_MAX) {
        status = solve_damped(s, stepper, x, h);
        TN_THEN(status, check_end(s, stepper, x, h));
    }
    return status;
}

static tn_status try_step(genalpha *s, tn_stepper *stepper, tn_state *x, double h)
{
    const tn_layout at = stepper->problem->at;
    const tn_system *sys = stepper->problem->sys;
    if (!s->started)
        TN_TRY(start_genalpha(s, stepper, x, h));
    change_step(s, sys, h);
    const tn_point point = tn_state_point(x);
    if (!s->begun)
        TN_TRY(tn_problem_begin(stepper->problem, &point));
    s->begun = false;
    TN_TRY(solve_genalpha(s, stepper, x, h));
    double *old = s->work + sys->nv; // estimate_error overwrites the first part
    tn_copy(sys->nv, s->jerk, old);
    for (int i = 0; i < sys->nv; i++)
        s->jerk[i] = (s->A1[i] - s->A[i]) / h;
    estimate_error(s, stepper, x, h);
    if (stepper->options->adaptive && stepper->error > 1.0) {
        tn_copy(sys->nv, old, s->jerk);
        return TN_RETRY_ERROR;
    }
    for (int i = 0; i < sys->nv; i++)
        s->jerk_change[i] = s->jerk[i] - old[i];
    accept_genalpha(s, &at, sys, x, h);
    return TN_OK;
}

// The start depends on the step size: a first step that fails takes it back.
static tn_status genalpha_step(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    genalpha *s = (genalpha *)self;
    const int nv = stepper->problem->sys->nv;
    const bool first = !s->started;
    if (first)
        tn_copy(nv, x->v, s->v_given);
    const tn_status status = try_step(s, stepper, x, h);
    if (first && status != TN_OK) {
        tn_copy(nv, s->v_given, x->v);
        s->started = false;
    }
    return status;
}

// From a start that is not corrected the multipliers of index3 carry an error of first order, until
// it has died out [Arn16, Example 8; ACB15, after eq. 8].
static void genalpha_orders(const tn_formulation *formulation, const tn_sim_options *options,
                            int order[3])
{
    if (wants_correction(formulation) && !options->corrected_start)
        order[2] = 1;
}

const tn_integrator_ops tn_integrator_galpha = {
    .name = "galpha",
    .reads = {.any = "rho_inf newton_tol newton_max jacobian_every corrected_start"},
    .text = "generalized-alpha on a Lie group, damping set by rho_inf",
    .source = "[Arn16, eq. 64, 93; ACB15, eq. 3]",
    .order = 2,
    .needs = TN_VIEW_STEP,
    .on_group = true,
    .size = sizeof(genalpha),
    .layout = genalpha_layout,
    .begin = galpha_begin,
    .change_rows = genalpha_change_rows,
    .jump = genalpha_jump,
    .step = genalpha_step,
    .orders = genalpha_orders,
};

const tn_integrator_ops tn_integrator_hht = {
    .name = "hht",
    .reads = {.any = "hht_alpha newton_tol newton_max jacobian_every corrected_start"},
    .text = "HHT-alpha, damping set by hht_alpha",
    .source = "[Arn16, eq. 66]",
    .order = 2,
    .needs = TN_VIEW_STEP,
    .on_group = true,
    .size = sizeof(genalpha),
    .layout = genalpha_layout,
    .begin = hht_begin,
    .change_rows = genalpha_change_rows,
    .jump = genalpha_jump,
    .step = genalpha_step,
    .orders = genalpha_orders,
};
