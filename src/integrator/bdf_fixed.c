// SPDX-License-Identifier: MIT
//
// BDF of fixed order k = 1 ... 5 with given steps [HNW93, III; Arn16, eq. 75]: the slope
// at the new point of the polynomial through it and k points of the past satisfies the equations,
//
//   F(t_1, y_1, sum_j w_j y_{1-j}) = 0,   w_j = l_j'(t_1) over the nodes t_1, t_0, ..., t_{1-k},
//
// for steps of any sizes; k = 1 is backward Euler. Newton's method with c = w_0. The first k - 1
// steps are taken by radau5, so that the order shows from the start; k = 1 needs none.
//
// Orders with equal steps [HLR89; HW96, VII]: k in q, v and lambda in all forms, also
// in index3, once the starting values have been left behind. With unequal steps lambda of index3
// loses one order, and for k = 1 does not converge [Arn16, Example 9].
//
// Order 2 is the default: the largest that is stable for every oscillation.

#include "integrator/bdf_fixed.h"

#include "integrator/past.h"
#include "linalg/dense.h"

// Corrections below this part of the unknowns that do not shrink are noise. Long nets enlarge
// round-off beyond that: there corrections are noise as far as round-off of the coordinates
// explains them, and up to the second number, which is for mu: that is next to nothing.
static const double NOISE_MAX = 1e-10, NOISE_MAX_ROUNDED = 1e-5;
// Error that an iteration may leave, as a part of newton_tol: errors of many steps add up, and in
// the index-3 form come back in v and lambda divided by h and h^2.
static const double KAPPA = 0.1, KAPPA_INDEX3 = 1e-3;
// Slower than this an iteration takes a new tangent.
static const double RATE_RENEW = 0.1;

void tn_bdf_fixed_layout(tn_bdf_fixed *s, const tn_stepper *stepper, tn_carve *mem)
{
    const tn_system *sys = stepper->dae->sys;
    s->at = stepper->dae->at;
    const int n = s->n = s->at.n;
    for (int i = 0; i <= TN_BDF_FIXED_MAX; i++) {
        TN_CARVE_DOUBLES(mem, n, &s->past[i]);
        TN_CARVE_DOUBLES(mem, sys->nq, &s->q[i]);
    }
    TN_CARVE_DOUBLES(mem, n, &s->y, &s->yp, &s->known, &s->r, &s->weight, &s->size);
    TN_CARVE_CHOICES(mem, TN_DAE_PROJECTS, 2, n, &s->level);
    TN_CARVE_CHOICES(mem, 0, 1, n, &s->differential);
    tn_radau5_layout(&s->starter.base, stepper, mem);
}

void tn_bdf_fixed_values(tn_bdf_fixed *s, tn_values *v)
{
    tn_values_enter(v, "bdf_fixed");
    TN_VALUES_INT(v, 0, s->order + 1, 1, &s->kept);
    TN_VALUES(v, "s", TN_BDF_FIXED_MAX + 1, s->t);
    TN_VALUES_BOOL(v, &s->index3, &s->by_starter, &s->due, &s->fresh);
    TN_VALUES_ANY(v, "1", 1, &s->c_factored, &s->rate, &s->noise);
    tn_radau5_values(&s->starter.base, v);
    tn_values_leave(v);
}

tn_status tn_bdf_fixed_begin(tn_bdf_fixed *s, const tn_sim_options *options)
{
    s->order = options->max_order > 0 ? options->max_order : TN_BDF_FIXED_DEFAULT;
    if (s->order > TN_BDF_FIXED_MAX)
        return tn_fail(TN_ERR_USAGE, "max_order is %d; BDF with fixed steps has orders 1 to %d",
                       s->order, TN_BDF_FIXED_MAX);
    s->kept = 0;
    s->by_starter = false;
    s->followed = NULL;
    s->due = true;
    s->c_factored = 0.0;
    s->rate = 1.0;
    return tn_radau5_begin(&s->starter.base, options);
}

// The past ----------------------------------------------------------------------------------------

// y at t becomes the newest point.
static void push_bdf_fixed(tn_bdf_fixed *s, const tn_chart *chart, double t, const double *y)
{
    TN_ASSERT(s->kept >= 0 && s->kept <= TN_BDF_FIXED_MAX + 1);
    TN_ASSERT(s->kept == 0 || t > s->t[0]);
    for (int i = TN_BDF_FIXED_MAX; i > 0; i--) {
        s->t[i] = s->t[i - 1];
        tn_copy(s->n, s->past[i - 1], s->past[i]);
        tn_copy(chart->nq, s->q[i - 1], s->q[i]);
    }
    s->t[0] = t;
    tn_copy(s->n, y, s->past[0]);
    tn_chart_to_q(chart, y + s->at.z, s->q[0]);
    s->kept = s->kept <= s->order ? s->kept + 1 : s->order + 1;
}

// The newest point is y, and the coordinates of those before it are those of the chart now.
static void express_past(tn_bdf_fixed *s, const tn_chart *chart, const double *y)
{
    tn_copy(s->n, y, s->past[0]);
    tn_chart_to_q(chart, y + s->at.z, s->q[0]);
    for (int i = 1; i < s->kept; i++)
        tn_chart_near(chart, s->q[i], s->past[i - 1] + s->at.z, s->past[i] + s->at.z);
}

static void bdf_fixed_find_kinds(tn_bdf_fixed *s, const tn_dae *dae)
{
    tn_dae_kinds(dae, s->level, s->differential);
    s->index3 = false;
    for (int i = 0; i < s->n; i++) {
        s->index3 = s->index3 || s->level[i] == 2;
        if (s->level[i] == TN_DAE_PROJECTS || (!s->differential[i] && s->level[i] == 0))
            s->level[i] = 1; // sees slopes of v
    }
}

// Takes the state up where it is not the end of the last step, or where coordinates have become
// poor.
static tn_status bdf_fixed_open_step(tn_bdf_fixed *s, tn_stepper *stepper, const tn_state *x)
{
    tn_dae *dae = stepper->dae;
    const tn_chart *chart = &dae->chart;
    dae->r = x->r;
    if (s->kept > 0)
        s->t[0] = x->t; // the caller may round it
    if (s->kept > 0 && !stepper->moved && tn_dae_is_good(dae, s->past[0]))
        return TN_OK;
    bool changed = false;
    TN_TRY(tn_dae_begin(dae, x, s->y, s->yp, &changed));
    if (s->kept == 0)
        push_bdf_fixed(s, chart, x->t, s->y);
    express_past(s, chart, s->y);
    bdf_fixed_find_kinds(s, dae);
    s->due = s->due || changed;
    stepper->moved = false;
    return TN_OK;
}

// A step of radau5, which opens it by itself.
static tn_status start_step(tn_bdf_fixed *s, tn_stepper *stepper, tn_state *x, double h)
{
    const tn_chart *chart = &stepper->dae->chart;
    const double t = x->t;
    TN_TRY(tn_radau5_step(&s->starter.base, stepper, x, h));
    if (s->kept == 0)
        push_bdf_fixed(s, chart, t, s->starter.past[0]);
    express_past(s, chart, s->starter.past[0]);
    push_bdf_fixed(s, chart, x->t, s->starter.y);
    bdf_fixed_find_kinds(s, stepper->dae);
    s->by_starter = true;
    s->c_factored = 0.0;
    return TN_OK;
}

// The step ----------------------------------------------------------------------------------------

static void bdf_fixed_set_weights(tn_bdf_fixed *s, const tn_stepper *stepper, double h)
{
    const tn_system *sys = stepper->dae->sys;
    double typical[TN_KIND_COUNT];
    tn_system_typical_sizes(sys, typical);
    tn_dae_sizes(stepper->dae, s->past[0], s->size);
    tn_dae_by_kind(stepper->dae, typical, s->weight);
    for (int i = 0; i < s->n; i++)
        s->weight[i] = stepper->options->newton_tol * (s->weight[i] + s->size[i]) /
                       pow(h / sys->time_scale, s->level[i]);
}

// The polynomial through all points that are kept, continued; from a single one along y'.
static void extrapolate_bdf_fixed(tn_bdf_fixed *s, double t)
{
    TN_ASSERT(s->kept > 0 && t > s->t[0]);
    double value[TN_BDF_FIXED_MAX + 1];
    if (s->kept == 1) {
        tn_copy(s->n, s->past[0], s->y);
        tn_axpy(s->n, t - s->t[0], s->yp, s->y);
        return;
    }
    tn_lagrange(s->kept, s->t, t, value, NULL);
    tn_combine(s->n, s->kept, value, s->past, s->y);
}

// Weights of y' at t; returns w_0 and leaves the part of the past in `known`.
static double slope_weights(tn_bdf_fixed *s, double t)
{
    TN_ASSERT(s->kept >= s->order && t > s->t[0]);
    double node[TN_BDF_FIXED_MAX + 1] = {0.0}, slope[TN_BDF_FIXED_MAX + 1];
    for (int j = 0; j < s->order; j++)
        node[j + 1] = s->t[j] - t;
    tn_lagrange(s->order + 1, node, 0.0, NULL, slope);
    tn_combine(s->n, s->order, slope + 1, s->past, s->known);
    return slope[0];
}

static void form_slope(tn_bdf_fixed *s, double c)
{
    tn_copy(s->n, s->known, s->yp);
    tn_axpy(s->n, c, s->y, s->yp);
}

// The point at hand as a state.
static tn_state *show_point(tn_bdf_fixed *s, tn_stepper *stepper, const tn_state *x, double t,
                            double c)
{
    tn_state *out = &stepper->unknowns->node[0];
    form_slope(s, c);
    tn_dae_state(stepper->dae, s->y, s->yp, out);
    out->t = t;
    tn_copy(stepper->dae->sys->nr, x->r, out->r);
    return out;
}

static tn_status predict_bdf_fixed(tn_bdf_fixed *s, tn_stepper *stepper, double t, double c)
{
    extrapolate_bdf_fixed(s, t);
    if (!s->followed)
        return TN_OK;
    const tn_roots *w = &stepper->unknowns->roots;
    tn_state *end = show_point(s, stepper, s->followed, t, c);
    const tn_status status = tn_unknowns_follow(stepper->unknowns, s->followed, end);
    if (status == TN_OK)
        tn_copy(w->n, end->e + w->first, s->y + s->at.e + w->first);
    return status < 0 ? status : TN_OK;
}

static tn_status check_unknowns(tn_bdf_fixed *s, tn_stepper *stepper, const tn_state *x, double t,
                                double c)
{
    return stepper->unknowns ? tn_stepper_check(stepper, x, show_point(s, stepper, x, t, c))
                             : TN_OK;
}

static double correction_size(const tn_bdf_fixed *s)
{
    double most = 0.0;
    for (int i = 0; i < s->n; i++) {
        const double size = fabs(s->r[i]) / s->weight[i];
        if (!(size <= most))
            most = size;
    }
    return most;
}

static tn_status take_tangent(tn_bdf_fixed *s, tn_stepper *stepper, double t, double h, double c)
{
    TN_ASSERT(h > 0.0 && c > 0.0);
    s->c_factored = 0.0;
    TN_TRY(tn_dae_factor(stepper->dae, t, s->y, s->yp, h, c));
    stepper->factorizations++;
    s->noise = -1.0;
    s->c_factored = c;
    s->due = false;
    s->fresh = true;
    return TN_OK;
}

static tn_status follow_step(tn_bdf_fixed *s, tn_stepper *stepper, double c)
{
    TN_ASSERT(c > 0.0 && !s->due);
    if (fabs(c - s->c_factored) <= 1e-10 * c)
        return TN_OK;
    s->c_factored = 0.0;
    TN_TRY(tn_dae_refactor(stepper->dae, c));
    stepper->factorizations++;
    s->noise = -1.0;
    s->c_factored = c;
    return TN_OK;
}

typedef enum verdict { GO_ON, RENEW, CONVERGED, DIVERGED } verdict;

// A correction of `size` (1: the tolerance) after one of `last`, 0 for none. Its error is
// rate / (1 - rate) times as much; before a second one the rate is that of the last step, for what
// it is worth.
static verdict judge_bdf_fixed(tn_bdf_fixed *s, double size, double last, double tol)
{
    if (!isfinite(size))
        return DIVERGED;
    if (last > 0.0)
        s->rate = size / last;
    const double rate = last > 0.0 || !s->fresh ? fmax(s->rate, 0.01) : 1.0;
    const double left = rate < 1.0 ? size * rate / (1.0 - rate) : size;
    if (left <= (s->index3 ? KAPPA_INDEX3 : KAPPA))
        return CONVERGED;
    if (last <= 0.0)
        return GO_ON;
    // With a tangent of this step corrections shrink at once, or they are noise.
    if (rate > (s->fresh ? RATE_RENEW : 0.5) && size * tol <= NOISE_MAX)
        return CONVERGED;
    if (rate > RATE_RENEW && size <= s->noise)
        return CONVERGED;
    return rate > 2.0 ? DIVERGED : rate > RATE_RENEW ? RENEW : GO_ON;
}

static tn_status iterate_bdf_fixed(tn_bdf_fixed *s, tn_stepper *stepper, double t, double h,
                                   double c)
{
    const tn_sim_options *o = stepper->options;
    double last = 0.0;
    for (int k = 0; k < o->newton_max; k++) {
        form_slope(s, c);
        TN_TRY(tn_dae_residual(stepper->dae, t, s->y, s->yp, h, s->r));
        tn_stepper_attribute(stepper, s->n, s->r);
        if (s->due || o->jacobian_every == 1) {
            last = s->due ? 0.0 : last; // corrections of an older tangent say nothing of this one
            TN_TRY(take_tangent(s, stepper, t, h, c));
        }
        TN_TRY(tn_dae_solve(stepper->dae, s->r));
        tn_axpy(s->n, -1.0, s->r, s->y);
        stepper->newton++;
        const double size = correction_size(s);
        verdict v = judge_bdf_fixed(s, size, last, o->newton_tol);
        if (s->noise < 0.0 && last > 0.0 && v != CONVERGED &&
            size * o->newton_tol <= NOISE_MAX_ROUNDED) {
            TN_TRY(tn_dae_noise(stepper->dae, c, s->y, s->r));
            s->noise = fmin(correction_size(s), NOISE_MAX_ROUNDED / o->newton_tol);
            v = judge_bdf_fixed(s, size, last, o->newton_tol);
        }
        if (v == CONVERGED)
            return TN_OK;
        if (v == DIVERGED)
            break;
        s->due = v == RENEW;
        last = size;
    }
    return TN_RETRY_NEWTON;
}

static tn_status solve_step(tn_bdf_fixed *s, tn_stepper *stepper, double t, double h, double c)
{
    s->fresh = false;
    TN_TRY(predict_bdf_fixed(s, stepper, t, c));
    if (!s->due)
        TN_TRY(follow_step(s, stepper, c));
    const bool old = !s->due;
    tn_status status = iterate_bdf_fixed(s, stepper, t, h, c);
    if (status > 0 && old) { // once more from the prediction, with a tangent there
        s->due = true;
        TN_TRY(predict_bdf_fixed(s, stepper, t, c));
        status = iterate_bdf_fixed(s, stepper, t, h, c);
    }
    return status;
}

tn_status tn_bdf_fixed_step(tn_bdf_fixed *s, tn_stepper *stepper, tn_state *x, double h)
{
    TN_ASSERT(h > 0.0 && s->order >= 1 && s->order <= TN_BDF_FIXED_MAX);
    stepper->error = 0.0;
    stepper->order = s->order;
    if (s->kept < s->order && s->order > 1)
        return start_step(s, stepper, x, h);
    TN_TRY(bdf_fixed_open_step(s, stepper, x));
    bdf_fixed_set_weights(s, stepper, h);
    const double t = x->t + h, c = slope_weights(s, t);
    tn_status status = solve_step(s, stepper, t, h, c);
    TN_THEN(status, check_unknowns(s, stepper, x, t, c));
    if (tn_stepper_follows(stepper, status) && s->kept > 1) {
        s->followed = x;
        s->due = true;
        status = solve_step(s, stepper, t, h, c);
        TN_THEN(status, check_unknowns(s, stepper, x, t, c));
        s->followed = NULL;
    }
    if (status != TN_OK) {
        s->due = true;
        s->kept = s->kept > 1 ? s->kept : 0; // y' at a first point is gone
        return status;
    }
    form_slope(s, c);
    tn_dae_renormalise(stepper->dae, s->y);
    tn_dae_state(stepper->dae, s->y, s->yp, x);
    x->t = t;
    push_bdf_fixed(s, &stepper->dae->chart, t, s->y);
    s->by_starter = false;
    return TN_OK;
}

tn_status tn_bdf_fixed_interpolate(tn_bdf_fixed *s, tn_stepper *stepper, double t, tn_state *out)
{
    TN_ASSERT(s->by_starter || s->kept > s->order);
    if (s->by_starter)
        return tn_radau5_interpolate(&s->starter.base, stepper, t, out);
    double node[TN_BDF_FIXED_MAX + 1], value[TN_BDF_FIXED_MAX + 1], slope[TN_BDF_FIXED_MAX + 1];
    for (int j = 0; j <= s->order; j++)
        node[j] = s->t[j] - t;
    tn_lagrange(s->order + 1, node, 0.0, value, slope);
    tn_combine(s->n, s->order + 1, value, s->past, s->known);
    tn_combine(s->n, s->order + 1, slope, s->past, s->r);
    tn_dae_state(stepper->dae, s->known, s->r, out);
    out->t = t;
    return TN_OK;
}
