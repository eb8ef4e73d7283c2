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

#include "integrator/genalpha_judge.h"
#include "integrator/integrator_list.h"
#include "lie/product.h"
#include "linalg/dense.h"

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
    bool begun;                              // the problem has the begin of the step
    bool eased;                              // the first step leaves v' of its beginning out
    double h_last;
    tn_judge judge;
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
    TN_CARVE_DOUBLES(mem, sys->nq, &s->q1);
    TN_CARVE_DOUBLES(mem, sys->nn, &s->eta1);
    TN_CARVE_DOUBLES(mem, 2 * nv + sys->nq + sys->ng + sys->nn, &s->work);
}

static void genalpha_values(tn_integrator *self, tn_values *v)
{
    genalpha *s = (genalpha *)self;
    tn_judge *j = &s->judge;
    tn_correction_size *c = &j->before;
    TN_VALUES_BOOL(v, &s->started, &s->have_jerk, &s->have_mu, &s->fresh, &s->begun, &s->eased);
    TN_VALUES(v, "s", 1, &s->h_last);
    TN_VALUES_ANY(v, "1", 1, &j->noise_x, &j->noise_rest, &j->noise_here, &j->rate, &j->speed,
                  &j->scale, &j->last, &j->last_multipliers, &c->x, &c->rest, &c->noise_x,
                  &c->noise_rest, &c->noise_max, &c->multipliers);
    TN_VALUES_BOOL(v, &c->rounded, &c->x_done, &c->rest_done);
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
    tn_judge_forget(&s->judge);
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

// The prediction is of one order less if the last steps do not give more.
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
    tn_judge_forget(&s->judge);
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
    s->judge.rate = 1.0; // that of smooth steps, which begin with better predictions, says too much
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
    if (!s->have_jerk) { // a jump at the start, or stiff: A0 = v'(t0) is of first order and safe
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
    tn_judge_forget(&s->judge);
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
    tn_judge_size(&s->judge, p, s->y);
}

// The state at the end of the step that belongs to the unknowns y [Arn16, eq. 68, 94].
static void unfold_genalpha(genalpha *s, const tn_layout *at, const tn_system *sys,
                            const tn_state *x, double h)
{
    TN_ASSERT(s->beta > 0.0 && s->alpha_f < 1.0 && h > 0.0);
    const double *u = s->y + at->u, before = s->eased ? 0.0 : s->alpha_f;
    for (int i = 0; i < sys->nv; i++) {
        s->A1[i] = (u[i] - x->v[i] - h * (0.5 - s->beta) * s->A[i]) / (s->beta * h);
        s->v1[i] = x->v[i] + h * ((1.0 - s->gamma) * s->A[i] + s->gamma * s->A1[i]);
        s->a1[i] = ((1.0 - s->alpha_m) * s->A1[i] + s->alpha_m * s->A[i] - before * x->a[i]) /
                   (1.0 - s->alpha_f);
        s->dx[i] = h * s->y[at->x + i];
    }
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

static int attribute_genalpha(const genalpha *s, tn_stepper *stepper, int n)
{
    const int worst = tn_largest_at(n, s->r);
    stepper->worst = n > 0 ? s->r[worst] : 0.0;
    return worst;
}

// Data of a step that its iteration needs.
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

static tn_correction correction_of(const genalpha *s, const tn_stepper *stepper, const tn_state *x,
                                   double h, double open, int age, int k)
{
    return (tn_correction){
        .problem = stepper->problem,
        .x = x,
        .h = h,
        .y = s->y,
        .r = s->r,
        .work = s->full,
        .residual = age <= TN_FRESH_MAX ? stepper->worst : INFINITY,
        .open = open,
        .age = age,
        .is_last = k + 1 >= stepper->options->newton_max,
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
    int age = renew ? 0 : TN_OLD, worst = 0;
    tn_judge_restart(&s->judge);
    if (!given)
        predict_genalpha(s, p, x, h);
    for (int k = 0; k < stepper->options->newton_max; k++) {
        unfold_genalpha(s, &at, sys, x, h);
        TN_TRY(tn_problem_residual(p, &point, s->y, h, s->cdot1, s->r));
        worst = attribute_genalpha(s, stepper, at.n);
        const double open = tn_judge_open(p, s->r);
        if (renew) {
            TN_TRY(tn_problem_factor(p, &point, s->dx, w));
            stepper->factorizations++;
            tn_judge_new_tangent(&s->judge);
            age = always ? k : 0; // with a new one each time all are of this step
        }
        TN_TRY(tn_problem_solve(p, s->r));
        tn_axpy(at.n, -1.0, s->r, s->y);
        stepper->newton++;
        age++;
        const tn_correction c = correction_of(s, stepper, x, h, open, age, k);
        tn_judgement v;
        TN_TRY(tn_judge_correction(&s->judge, &c, stepper->options->newton_tol, &v));
        renew = always || v == TN_RENEW || v == TN_RESTART;
        if (v == TN_CONVERGED) {
            s->fresh = true;
            unfold_genalpha(s, &at, sys, x, h);
            return TN_OK;
        }
        if (v == TN_DIVERGED)
            break;
        if (v == TN_RESTART) {
            predict_genalpha(s, p, x, h);
            tn_judge_restart(&s->judge);
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
    const tn_correction c = {.problem = p, .x = x, .h = h, .y = s->y, .r = s->r};
    *size = tn_judge_measure(&s->judge, &c);
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
    tn_judge_size(&s->judge, p, s->y);
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

#define GENALPHA                                                                           \
    .order = 2, .on_group = true, .size = sizeof(genalpha), .layout = genalpha_layout,     \
    .values = genalpha_values, .change_rows = genalpha_change_rows, .jump = genalpha_jump, \
    .step = genalpha_step, .orders = genalpha_orders

const tn_integrator_ops tn_integrator_galpha = {
    .name = "galpha",
    .reads = {.any = "rho_inf newton_tol newton_max jacobian_every corrected_start"},
    .text = "generalized-alpha on a Lie group, damping set by rho_inf",
    .source = "[Arn16, eq. 64, 93; ACB15, eq. 3]",
    .needs = TN_VIEW_STEP,
    .begin = galpha_begin,
    GENALPHA,
};

// Contacts that are closed are rows of its steps, and what opens and closes them stands between
// steps (sim/contacts.c). Impulses never enter A.
const tn_integrator_ops tn_integrator_nsgalpha = {
    .name = "nsgalpha",
    .reads = {.any = "rho_inf newton_tol newton_max jacobian_every"},
    .text = "nonsmooth generalized-alpha: fixed steps over impacts of contacts that part",
    .source = "[BAC14]",
    .needs = TN_VIEW_STEP | TN_VIEW_IMPACTS,
    .over_impacts = true,
    .begin = galpha_begin,
    GENALPHA,
};

const tn_integrator_ops tn_integrator_hht = {
    .name = "hht",
    .reads = {.any = "hht_alpha newton_tol newton_max jacobian_every corrected_start"},
    .text = "HHT-alpha, damping set by hht_alpha",
    .source = "[Arn16, eq. 66]",
    .needs = TN_VIEW_STEP,
    .begin = hht_begin,
    GENALPHA,
};
