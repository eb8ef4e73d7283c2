// SPDX-License-Identifier: MIT
//
// Intervals of a discrete principle, one after the other; see march.h.

#include "integrator/march.h"

#include "base/tolerance.h"
#include "integrator/interpolate.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>

// Corrections that no longer shrink are round-off, enlarged by the constraints, from
// TN_ROUND_ITERATE on. The same near rest, where it is large beside u: in units of the round-off of
// q.
static const double ENLARGED = 1e3;

// An error of u that always has the same sign is too small to be seen from this part of the
// round-off of q on, which has not.
static const double NEGLIGIBLE = 0.02;

// Intervals grow by parts of the whole one.
enum { PARTS = 16 };

// A tangent is kept within an interval as long as corrections shrink by this factor.
static const double RENEW = 0.02;

void tn_march_layout(tn_integrator *self, const tn_stepper *stepper, tn_carve *mem)
{
    tn_march *s = (tn_march *)self;
    const tn_system *sys = stepper->discrete->sys;
    const int nv = sys->nv, n = stepper->discrete->n;
    TN_CARVE_DOUBLES(mem, nv, &s->u, &s->u1, &s->p, &s->v, &s->b, &s->change, &s->u_guess,
                     &s->mobility, &s->q_mid, &s->q1, &s->rest_v);
    TN_CARVE_DOUBLES(mem, stepper->discrete->rows, &s->J, &s->J0, &s->mean, &s->mu, &s->J_guess,
                     &s->rest_lambda, &s->gt, &s->multiplier);
    TN_CARVE_DOUBLES(mem, n, &s->y, &s->r);
    tn_state_layout(sys, &s->from, mem);
    tn_state_layout(sys, &s->to, mem);
    TN_CARVE_DOUBLES(mem, nv, &s->node_p, &s->node_Qp, &s->node_v, &s->reduced);
    TN_CARVE_DOUBLES(mem, sys->ng, &s->f_d, &s->h_d, &s->h_Qp);
    s->inert = tn_carve_ints(mem, nv);
    tn_march_frame_layout(s, stepper->discrete, mem);
    tn_march_states_layout(s, sys, mem);
}

void tn_march_values(tn_integrator *self, tn_values *v)
{
    tn_march *s = (tn_march *)self;
    TN_VALUES_BOOL(v, &s->ahead, &s->S_known, &s->framed);
    TN_VALUES(v, "s", 1, &s->h, &s->S_half, &s->from.t, &s->to.t);
}

double tn_march_weight(const tn_integrator *self)
{
    const tn_march *s = (const tn_march *)self;
    return s->principle->share;
}

void tn_march_begin(tn_integrator *self, const tn_principle *principle)
{
    TN_ASSERT(principle->share > 0.0);
    tn_march *s = (tn_march *)self;
    s->principle = principle;
    s->ahead = false;
}

void tn_march_along(int n, const double *q, double h, const double *u, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = q[i] + h * u[i];
}

static void set_scaled(int n, double s, const double *x, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = s * x[i];
}

static tn_status carry_middle(tn_march *s, tn_discrete *d, const tn_march_interval *at,
                              const double *u)
{
    tn_march_along(d->sys->nv, at->q, 0.5 * at->h, u, s->q_mid);
    const tn_point middle = {.t = at->t + 0.5 * at->h, .q = s->q_mid, .v = u, .r = at->r};
    return tn_discrete_carry(d, &middle);
}

// The residual at the unknowns y and their u, with `tangent` with all blocks of its derivative.
static tn_status march_residual(tn_march *s, tn_discrete *d, const tn_march_interval *at,
                                const double *u, bool tangent)
{
    TN_ASSERT(at->h > 0.0);
    set_scaled(d->rows, 1.0 / (s->principle->share * at->h), s->J, s->mean);
    TN_TRY(tn_discrete_roll(d, u, tangent));
    TN_TRY(tn_march_find_states(s, d->sys, at, u));
    TN_TRY(s->principle->balance(s, d->sys, at, u, tangent ? TN_MARCH_TANGENT : TN_MARCH_CARRIER));
    if (tangent)
        TN_TRY(tn_march_add_states(s, d->sys, at->h));
    if (!s->principle->at_node)
        TN_TRY(carry_middle(s, d, at, u));
    return d->ops->residual(d, s->y, u, s->b, tangent, s->r);
}

static void attribute_march(const tn_march *s, tn_stepper *stepper)
{
    const tn_discrete *d = stepper->discrete;
    const int worst = tn_largest_at(d->n, s->r);
    if (d->n == 0)
        return;
    stepper->worst = s->r[worst];
    d->ops->name(d, worst, stepper->culprit, sizeof stepper->culprit);
}

// A Newton step from the residual. The change of u, old less new, stays; its largest is *size.
static tn_status correct_march(tn_march *s, tn_discrete *d, double *u, double *size)
{
    TN_ASSERT(u != s->r && u != s->y);
    const int nv = d->sys->nv;
    d->ops->solve(d, s->r);
    if (d->ops->correct)
        d->ops->correct(d, s->r, s->y);
    else
        tn_axpy(d->n, -1.0, s->r, s->y);
    tn_copy(nv, u, s->change);
    TN_TRY(d->ops->move(d, s->y, u));
    tn_axpy(nv, -1.0, u, s->change);
    *size = tn_norm_inf(nv, s->change);
    return TN_OK;
}

static bool is_noise(double size, double last, double rounding)
{
    return last > 0.0 && size > 0.5 * last && size <= fmax(TN_ROUND_ITERATE, ENLARGED * rounding);
}

// Error after a correction: below `size` times its ratio to the one before.
static double left_after(double size, double last)
{
    return last > 0.0 ? size * fmin(1.0, size / last) : size;
}

bool tn_march_is_done(double size, double last, double tol, double rounding)
{
    return left_after(size, last) <= tol + rounding || is_noise(size, last, rounding);
}

// The correction itself is round-off, and what is left is smaller still; or it no longer shrinks.
static bool is_exact(double size, double last, double rounding)
{
    return size <= rounding || is_noise(size, last, rounding);
}

// Another correction costs no evaluation, f stays, and what the tolerance has left would go the
// same way in many intervals, and energy with it.
static tn_status polish(tn_march *s, tn_discrete *d, double *u)
{
    double size;
    TN_TRY(tn_discrete_roll(d, u, false));
    TN_TRY(d->ops->residual(d, s->y, u, s->b, false, s->r));
    TN_TRY(correct_march(s, d, u, &size));
    tn_sparse_mul(d->sys->block[TN_BLOCK_M], -1.0, s->change, s->b);
    return isfinite(size) ? TN_OK : TN_RETRY_NEWTON;
}

// J, and p becomes the momentum at the end; `left`: there is something to polish. Carriers that
// depend on u stay: it has changed by round-off since.
static tn_status march_finish(tn_march *s, tn_stepper *stepper, const tn_march_interval *at,
                              double *u, bool left)
{
    tn_discrete *d = stepper->discrete;
    TN_TRY(tn_march_find_states(s, d->sys, at, u));
    TN_TRY(s->principle->balance(s, d->sys, at, u, TN_MARCH_B));
    tn_march_end_states(s, d->sys, at);
    if (left)
        TN_TRY(polish(s, d, u));
    d->ops->impulse(d, s->y, s->b, s->J);
    s->principle->momentum(s, d, at->h, u);
    return tn_march_check_states(s, stepper, at, u);
}

static tn_status begin_interval(tn_march *s, tn_stepper *stepper, const tn_march_interval *at,
                                double *u)
{
    tn_discrete *d = stepper->discrete;
    const tn_point node = {.t = at->t, .q = at->q, .v = u, .r = at->r};
    TN_TRY(tn_discrete_begin(d, &node, at->h));
    TN_TRY(tn_march_begin_states(s, stepper, at, u));
    if (s->principle->at_node) {
        if (!at->rows || stepper->unknowns) // looking for them has evaluated it elsewhere
            TN_TRY(tn_system_eval(d->sys, &node, TN_EVAL_B));
        TN_TRY(tn_discrete_carry(d, &node));
    }
    d->ops->predict(d, u, s->J, s->y);
    return d->ops->move(d, s->y, u);
}

// Newton's method from the prediction in u and J, with new tangents where old ones do badly, or
// `always`. *left: what a polish would take away is worth it.
static tn_status iterate_march(tn_march *s, tn_stepper *stepper, const tn_march_interval *at,
                               double *u, bool always, bool *left)
{
    tn_discrete *d = stepper->discrete;
    const tn_system *sys = d->sys;
    const tn_balance derivative = s->principle->derivative(at->h);
    const double rounding = 4.0 * DBL_EPSILON * (1.0 + tn_norm_inf(sys->nq, at->q)) / at->h;
    double last = 0.0, size = 0.0;
    bool renew = true;
    TN_TRY(begin_interval(s, stepper, at, u));
    for (int k = 0; k < stepper->options->newton_max; k++) {
        if (renew && k > 0 && !s->principle->at_node) // the tangent has terms of J
            d->ops->impulse(d, s->y, s->b, s->J);
        TN_TRY(march_residual(s, d, at, u, renew));
        attribute_march(s, stepper);
        if (renew) {
            TN_TRY(d->ops->factor(d, s->y, &derivative));
            stepper->factorizations++;
        }
        stepper->newton++;
        const double scale = fmax(tn_norm_inf(sys->nv, u), rounding);
        TN_TRY(correct_march(s, d, u, &size));
        size /= scale;
        if (!isfinite(size))
            break;
        const double tol = stepper->options->newton_tol, noise = rounding / scale;
        *left = !s->principle->exact && left_after(size, last) > NEGLIGIBLE * noise;
        if (s->principle->exact ? is_exact(size, last, noise)
                                : tn_march_is_done(size, last, tol, noise))
            return TN_OK;
        renew = always || (last > 0.0 && size > RENEW * last);
        last = size;
    }
    return TN_RETRY_NEWTON;
}

// Fails if the root does not continue the motion.
static tn_status judge_root(tn_march *s, tn_stepper *stepper, const double *u)
{
    tn_discrete *d = stepper->discrete;
    char name[sizeof stepper->culprit];
    TN_TRY(tn_discrete_eval_end(d, u, TN_EVAL_B));
    const int row = tn_march_turned_row(s, d);
    if (row < 0)
        return TN_OK;
    stepper->culprit[0] = '\0'; // its residual is none
    d->sys->ops->row_name(d->sys, row, name, sizeof name);
    return tn_fail(TN_RETRY_NEWTON,
                   "the root that was found does not continue the motion: %s turns by more than a "
                   "quarter of a turn within the step",
                   name);
}

// The root of the interval that the guess of u and J leads to, J times `scale`.
static tn_status find_root(tn_march *s, tn_stepper *stepper, const tn_march_interval *at,
                           double scale, double *u, bool always, bool *left)
{
    TN_ASSERT(u != s->u_guess);
    const tn_discrete *d = stepper->discrete;
    tn_copy(d->sys->nv, s->u_guess, u);
    set_scaled(d->rows, scale, s->J_guess, s->J);
    TN_TRY(iterate_march(s, stepper, at, u, always, left));
    return judge_root(s, stepper, u);
}

static void keep_guess(tn_march *s, const tn_discrete *d, const double *u)
{
    tn_copy(d->sys->nv, u, s->u_guess);
    tn_copy(d->rows, s->J, s->J_guess);
}

// Solves for u and J, which hold a prediction, from the momentum p at the node to that at the end.
// Old tangents may lead an iteration to another root, or to none: then once more with new ones,
// which stay nearer. Where the prediction is too far off, roots of shorter intervals lead there, as
// the motion does: each is as much longer than the one before as the iteration takes. What a
// function refuses is reported as it was met.
static tn_status solve_interval(tn_march *s, tn_stepper *stepper, const tn_march_interval *whole,
                                double *u)
{
    TN_ASSERT(whole->h > 0.0 && u != s->u_guess);
    const tn_discrete *d = stepper->discrete;
    bool always = stepper->options->jacobian_every == 1, left = false;
    int done = 0, guessed = PARTS, part = PARTS;
    tn_march_interval at = *whole;
    for (keep_guess(s, d, u); done < PARTS; at.rows = false) { // later block B is elsewhere
        at.h = whole->h * part / PARTS;
        const double scale = (double)part / guessed;
        const tn_status status = find_root(s, stepper, &at, scale, u, always, &left);
        if (status == TN_OK) {
            keep_guess(s, d, u);
            done = guessed = part;
            part = PARTS;
            continue;
        }
        if (always)
            part = (done + part) / 2;
        if (status < 0 || status == TN_RETRY_FUNCTION || part == done)
            return status;
        always = true;
    }
    return march_finish(s, stepper, whole, u, left);
}

// Chooses the rows that take part around the node, if some repeat others.
static tn_status march_choose_rows(tn_stepper *stepper, const tn_point *node)
{
    if (!stepper->rows)
        return TN_OK;
    TN_TRY(tn_row_choice_at(stepper->rows, node));
    tn_discrete_choose(stepper->discrete, stepper->rows->active);
    return TN_OK;
}

// Multipliers that do not depend on that choice, to the state.
static void march_share(tn_march *s, tn_stepper *stepper, tn_state *x)
{
    const tn_system *sys = stepper->discrete->sys;
    if (stepper->rows)
        tn_row_choice_share(stepper->rows, s->multiplier);
    tn_copy(sys->ng, s->multiplier, x->lambda);
    tn_copy(sys->nn, s->multiplier + sys->ng, x->eta);
}

// The impulse that goes with multipliers of a state.
static void expect_impulse(tn_march *s, const tn_system *sys, double scale, const tn_state *x)
{
    set_scaled(sys->ng, scale, x->lambda, s->J);
    set_scaled(sys->nn, scale, x->eta, s->J + sys->ng);
}

// The first interval, from the momentum M v. Its lambda belongs to the state.
static tn_status start_march(tn_march *s, tn_stepper *stepper, const tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    tn_system *sys = stepper->discrete->sys;
    const int rows = stepper->discrete->rows;
    const tn_point node = tn_state_point(x);
    const tn_march_interval at = {x->t, h, x->q, s->p, x->r, false, x->e};
    TN_TRY(tn_system_eval(sys, &node, TN_EVAL_MASS));
    tn_zero(sys->nv, s->p);
    tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, x->v, s->p);
    tn_march_find_mobilities(s, sys->block[TN_BLOCK_M]);
    tn_march_along(sys->nv, x->v, 0.5 * h, x->a, s->u);
    expect_impulse(s, sys, 0.5 * h, x);
    tn_state_copy(sys, x, &s->to);
    tn_copy(sys->nv, x->a, s->from.a);
    TN_TRY(march_choose_rows(stepper, &node));
    TN_TRY(solve_interval(s, stepper, &at, s->u));
    tn_system_stack(sys, 1.0, s->to.lambda, s->to.eta, s->multiplier);
    if (s->principle->first)
        s->principle->first(s, rows, h, s->multiplier);
    march_share(s, stepper, &s->to);
    tn_copy(rows, s->J, s->J0);
    tn_copy(rows, s->J, s->mu);
    s->h = h;
    return TN_OK;
}

// u after the node that comes next, by the parabola through what is known: s->from and s->to are
// the nodes before it.
static void extrapolate(tn_march *s, int nv, double h)
{
    for (int i = 0; i < nv; i++)
        s->u1[i] = s->u[i] + h * (2.0 * s->to.a[i] - s->from.a[i]);
}

// The node at the end of the interval that is known, and the interval after it.
static tn_status advance_march(tn_march *s, tn_stepper *stepper, const tn_state *x, double h)
{
    TN_ASSERT(h == s->h);
    tn_system *sys = stepper->discrete->sys;
    tn_state *from = &s->from, *to = &s->to; // `to` becomes the new node
    extrapolate(s, sys->nv, h);
    tn_state_copy(sys, to, from);
    from->t = x->t;
    tn_march_along(sys->nv, x->q, h, s->u, to->q);
    to->t = x->t + h;
    const tn_march_interval next = {to->t, h, to->q, s->p, x->r, true, to->e};
    const tn_point node = {.t = to->t, .q = to->q, .v = s->u, .r = x->r};
    TN_TRY(march_choose_rows(stepper, &node));
    TN_TRY(s->principle->velocity(s, stepper, &next, to->v));
    if (!tn_all_finite(sys->nv, to->v)) // of a state that was read
        return TN_RETRY_NEWTON;
    TN_TRY(tn_march_node_states(s, stepper, x, &next, to->v, to->e));
    tn_copy(stepper->discrete->rows, s->J, s->J0);
    expect_impulse(s, sys, s->principle->share * h, from);
    TN_TRY(solve_interval(s, stepper, &next, s->u1));
    for (int i = 0; i < sys->nv; i++)
        to->a[i] = (s->u1[i] - s->u[i]) / h;
    s->principle->multipliers(s, stepper->discrete->rows, h, s->multiplier);
    march_share(s, stepper, to);
    tn_copy(sys->nv, s->u1, s->u);
    return TN_OK;
}

tn_status tn_march_look_ahead(tn_march *s, tn_stepper *stepper, const tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    if (s->ahead && !stepper->moved && h == s->h)
        return TN_OK;
    s->ahead = false;
    TN_TRY(start_march(s, stepper, x, h));
    s->ahead = true;
    stepper->moved = false;
    return TN_OK;
}

tn_status tn_march_settle(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h)
{
    tn_march *s = (tn_march *)self;
    TN_TRY(tn_march_look_ahead(s, stepper, x, h));
    tn_copy(stepper->discrete->sys->ng, s->to.lambda, x->lambda);
    tn_copy(stepper->discrete->sys->nn, s->to.eta, x->eta);
    return TN_OK;
}

tn_status tn_march_step(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h)
{
    tn_march *s = (tn_march *)self;
    const tn_system *sys = stepper->discrete->sys;
    stepper->error = 0.0;
    TN_TRY(tn_march_look_ahead(s, stepper, x, h));
    s->ahead = false; // until the step is done
    TN_TRY(advance_march(s, stepper, x, h));
    tn_copy(sys->nq, s->to.q, x->q);
    tn_copy(sys->nv, s->to.v, x->v);
    tn_copy(sys->nv, s->to.a, x->a);
    tn_copy(sys->ng, s->to.lambda, x->lambda);
    tn_copy(sys->nn, s->to.eta, x->eta);
    tn_copy(sys->ne, s->to.e, x->e);
    x->t += h;
    s->ahead = true;
    return TN_OK;
}

tn_status tn_march_interpolate(tn_integrator *self, tn_stepper *stepper, double t, tn_state *out)
{
    const tn_march *s = (const tn_march *)self;
    tn_interpolate(stepper->discrete->sys, &s->from, &s->to, t, out);
    return TN_OK;
}
