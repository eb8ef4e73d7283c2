// SPDX-License-Identifier: MIT
//
// Three-stage Radau IIA of order 5 on F(t, y, y') = 0 [HW96, IV.5, IV.8]: the polynomial of degree
// 3 through y_0 whose residual vanishes at c = (4 - sqrt 6)/10, (4 + sqrt 6)/10, 1. With increments
// Z_i = Y_i - y_0 and the slopes D_ij of Lagrange's polynomials (D is the inverse of the matrix A
// of the method),
//
//   F(t_0 + c_i h, y_0 + Z_i, (1/h) sum_j D_ij Z_j) = 0,      y_1 = Y_3.
//
// Simplified Newton with one tangent for all stages. T^-1 D T = diag(gamma, alpha +- i beta) splits
// its matrix of 3n rows into (c F_y' + F_y) with the real c = gamma/h and the complex
// c = (alpha + i beta)/h. Tangents serve many steps while the iteration converges well, both
// factorisations while also h stays.
//
// Error estimate [HW96, IV.8]. The embedded formula compares y_0' = f with the
// slope p at the start of the collocation polynomial; for implicit equations this is the residual
// that the polynomial leaves there, and the filter is the real matrix at hand:
//
//   err = -((gamma/h) F_y' + F_y)^-1 F(t_0, y_0, p),          once more at y_0 + err where it is
//                                                             large in a first or repeated step.
//
// It is of order 3, the method of order 5. As in the code RADAU5 tolerances are therefore taken to
// the power 2/3 (0.1 rtol^(2/3) for rtol), so that the error of the run is near rtol. Errors of
// index-2 variables count h over the time scale, of index-3 variables that squared [HLR89; HW96,
// VII]. Step
// sizes by the predictive controller of Gustafsson [HW96, IV.8].
//
// Orders of the end points y_1 [HLR89; HW96, VII]:
//
//                                           q   v   lambda, v'
//   index1, stabilized-index1, baumgarte    5   5   5
//   index2, ggl                             5   5   3     lambda is an index-2 variable
//   index3                                  5   3   2
//   baumgarte2                              4   3   2     (C/h) g: as index3 for h -> 0 [observed]
//   extra variables: c, s as q; w as lambda, and 5 where b does not depend on lambda
//
// If B is constant in the coordinates (a top on SE(3)) lambda of index2 and ggl has order 5.
//
// v' of the state is the slope of the collocation polynomial at its end: there the residual
// vanishes, so that M v' = f - B^T lambda holds with lambda = Lambda_3. The v' and lambda of output
// are solved for on acceleration level (sim/recovered.c, `rough_forces`): both are of the order of
// v then, which is what `radau5_orders` states.

#include "integrator/radau5.h"

#include "base/tolerance.h"
#include "integrator/integrator_list.h"
#include "integrator/past.h"
#include "linalg/dense.h"

#include <float.h>
#include <limits.h>

// Below this rate of convergence a tangent is kept for the next step [HW96, IV.8].
static const double RATE_KEPT = 1e-3;
// Steps that the controller would enlarge by less than this stay, and with them factorisations.
static const double GROWTH_KEPT = 1.2;
static const double GROWTH_MAX = 8.0, SHRINK_MAX = 5.0, SAFETY = 0.9;
// Rate from which on an iteration leads nowhere.
static const double RATE_LOST = 0.99;
// The same for the second correction. It says little: where the solver takes a matrix in parts
// (formulation.c) it holds what the first one could not see, and the third is far smaller.
static const double RATE_LOST_FIRST = 2.0;
// Iterations that an error-controlled step is worth: with a smaller one they converge sooner, but
// where stiff directions turn with the bodies the three stages differ in tangent, and rates of 0.2
// are as good as it gets. And new tangents for a step that must not fail.
enum { ITERATIONS = 10, ATTEMPTS = 4 };
// Default of kappa, the same for fixed steps (errors of many steps add up), and by how much it is
// smaller for index-3 rows, where what the iteration leaves in g comes back in v and lambda divided
// by h and h^2 [Arn16, Example 10].
static const double KAPPA_FIXED = 0.1, KAPPA_INDEX3 = 0.01;
// Corrections below this part of the unknowns that do not shrink are noise. Long nets enlarge
// round-off beyond that: there it is known by the residual, which is that of rounded coordinates,
// and noise up to the second number.
static const double NOISE_MAX = 1e-10;
// The error after the first correction of a step is guessed by the rates of the step before, and at
// least this part of it. Where the solver takes a matrix in parts those may be far better than this
// one: without the bound ggl on a drive had errors of 90 tolerances.
static const double LEFT_OLD = 0.1;

// Coefficients ------------------------------------------------------------------------------------

// Nodes (0, c1, c2, 1), slopes of the collocation polynomial at its start and at c_i by the
// increments Z_j, and T^-1 D T = diag(GAMMA, [ALPHA, -BETA; BETA, ALPHA]) [HW96, IV.8]: columns of
// T are the eigenvectors of D with last component 1.
static const double node[4] = {0.0, 0.15505102572168222, 0.64494897427831777, 1.0};
static const double start[3] = {10.048809399827416, -1.3821427331607494, 0.33333333333333331};
static const double D[3][3] = {{3.2247448713915876, 1.1678400846904058, -0.25319726474218079},
                               {-3.5678400846904057, 0.77525512860841106, 1.0531972647421806},
                               {5.5319726474218092, -7.5319726474218092, 5.0}};
static const double T[3][3] = {{0.094438762488975106, -0.14125529502095424, -0.030029194105147303},
                               {0.25021312296533338, 0.2041293522938, 0.38294211275726181},
                               {1.0, 1.0, 0.0}};
static const double Tinv[3][3] = {{4.1787185915519061, 0.32768282076106131, 0.52337644549945006},
                                  {-4.1787185915519061, -0.32768282076106131, 0.47662355450054983},
                                  {-0.50287263494578727, 2.5719269498556061, -0.59603920482822537}};
static const double GAMMA = 3.6378342527444962, ALPHA = 2.6810828736277523,
                    BETA = 3.0504301992474105;

void tn_radau5_layout(tn_integrator *self, const tn_stepper *stepper, tn_carve *mem)
{
    tn_radau5 *s = (tn_radau5 *)self;
    const tn_system *sys = stepper->dae->sys;
    s->at = stepper->dae->at;
    const int n = s->n = s->at.n;
    for (int i = 0; i < 4; i++) {
        TN_CARVE_DOUBLES(mem, n, &s->past[i]);
        TN_CARVE_DOUBLES(mem, sys->nq, &s->q_past[i]);
    }
    for (int i = 0; i < 3; i++) {
        TN_CARVE_DOUBLES(mem, n, &s->Z[i], &s->R[i]);
    }
    TN_CARVE_DOUBLES(mem, n, &s->y, &s->yp, &s->stage, &s->slope, &s->weight, &s->absolute,
                     &s->size0, &s->size1);
    TN_CARVE_NUMBERS(mem, (size_t)n * sizeof(double complex), s->pair);
    TN_CARVE_CHOICES(mem, TN_DAE_PROJECTS, 2, n, &s->level);
    TN_CARVE_CHOICES(mem, 0, 1, n, &s->still);
}

void tn_radau5_values(tn_integrator *self, tn_values *v)
{
    tn_radau5 *s = (tn_radau5 *)self;
    TN_VALUES_BOOL(v, &s->open, &s->has_past, &s->due, &s->fresh, &s->rejected, &s->index3,
                   &s->hurried, &s->rounded);
    TN_VALUES_INT(v, 0, INT_MAX - 1, 1, &s->most, &s->iterations);
    TN_VALUES_LONG(v, &s->accepted);
    TN_VALUES_ANY(v, "s", 1, &s->h_factored, &s->h_last, &s->t_past, &s->h_past);
    TN_VALUES_ANY(v, "1", 1, &s->rate, &s->left, &s->slowdown, &s->error_last, &s->rtol, &s->atol,
                  &s->kappa);
}

tn_status tn_radau5_begin(tn_integrator *self, const tn_sim_options *options)
{
    tn_radau5 *s = (tn_radau5 *)self;
    s->open = s->has_past = s->rejected = false;
    s->followed = NULL;
    s->due = true;
    s->accepted = 0;
    s->error_last = 0.0;
    s->h_factored = 0.0;
    s->left = 1.0;
    return TN_OK;
}

// Start of a step ---------------------------------------------------------------------------------

// Coordinates of rotations may mean something else now: those of the past follow, on the turns on
// which y' leads back to them. A polynomial that has lost a turn would predict angles of gears and
// screws on another one, and the multipliers mu would let the iteration stay there.
static void express_past(tn_radau5 *s, const tn_chart *chart)
{
    TN_ASSERT(s->h_past > 0.0);
    for (int i = 0; i < 4; i++) {
        tn_copy(s->n, s->y, s->stage);
        tn_axpy(s->n, (node[i] - 1.0) * s->h_past, s->yp, s->stage);
        tn_chart_near(chart, s->q_past[i], s->stage + s->at.z, s->past[i] + s->at.z);
    }
}

// Finds the weights of the errors of unknowns, and the rows of F without y'.
//
// Multipliers of index-1 forms see v', whose slopes are of one order less than v, and so do their
// errors and the iteration: they count h times, as those of index 2 do. mu, tau and nu vanish but
// for errors of the method: they have no size to which a tolerance could be relative, and the error
// that they take from z and v is that of the multipliers' directions, which counts there.
static void radau5_find_kinds(tn_radau5 *s, const tn_dae *dae)
{
    const tn_system *sys = dae->sys;
    const tn_formulation *form = (dae->problem)->formulation;
    tn_dae_kinds(dae, s->level, s->still);
    s->index3 = false;
    for (int i = 0; i < s->n; i++) {
        s->still[i] = !s->still[i];
        if (s->still[i] && s->level[i] == 0)
            s->level[i] = 1;
        s->index3 = s->index3 || s->level[i] == 2;
    }
    if (form->acceleration && s->at.a < 0) // B v' + gamma and N v' + ngamma
        for (int i = 0; i < sys->ng + sys->nn; i++)
            s->still[i < sys->ng ? s->at.lambda + i : s->at.eta + i - sys->ng] = 0;
}

// y and y' at the state. One-step methods may take new coordinates at every step, and for rotation
// vectors do; others as long as they are good. a and lambda of a state that was moved a little are
// good enough here: they are a place for the tangent, and what they lack shows in the error of
// lambda alone.
static tn_status radau5_open_step(tn_radau5 *s, tn_stepper *stepper, const tn_state *x)
{
    tn_dae *dae = stepper->dae;
    const tn_chart *chart = &dae->chart;
    dae->r = x->r;
    if (s->open && !stepper->moved && (s->rejected || tn_dae_is_good(dae, s->y)))
        return TN_OK;
    bool changed = false;
    TN_TRY(tn_dae_begin(dae, x, s->y, s->yp, &changed));
    if (changed && s->has_past)
        express_past(s, chart);
    if (changed && tn_chart_has_angles(chart->kind))
        s->due = true;
    radau5_find_kinds(s, dae);
    stepper->moved = false;
    s->open = true;
    return TN_OK;
}

// Tolerances of an error-controlled step; without error control its equations are solved as far as
// newton_tol asks.
static void set_tolerances(tn_radau5 *s, const tn_stepper *stepper)
{
    const tn_sim_options *o = stepper->options;
    double typical[TN_KIND_COUNT];
    s->hurried = o->adaptive;
    s->most = o->newton_max;
    if (!o->adaptive) {
        s->rtol = s->atol = o->newton_tol;
        tn_system_typical_sizes(stepper->dae->sys, typical);
        tn_dae_by_kind(stepper->dae, typical, s->absolute);
        tn_scale(s->n, o->newton_tol, s->absolute);
        s->kappa = s->index3 ? KAPPA_FIXED * KAPPA_INDEX3 : KAPPA_FIXED;
        return;
    }
    const double scale = 0.1 / cbrt(o->rtol > 0.0 ? o->rtol : o->atol);
    s->rtol = scale * o->rtol;
    s->atol = scale * o->atol;
    tn_dae_by_kind(stepper->dae, stepper->atol, s->absolute);
    tn_scale(s->n, scale, s->absolute);
    s->kappa = o->kappa;
    if (s->kappa == 0.0)
        s->kappa =
            fmin(TN_NEWTON_PART, sqrt(fmax(s->rtol, s->atol))) * (s->index3 ? KAPPA_INDEX3 : 1.0);
    s->most = ITERATIONS < s->most ? ITERATIONS : s->most;
}

// Multipliers take the size of the largest: those of rows that carry nothing have none of their
// own, and what their errors do to the motion counts in v.
static void find_sizes(const tn_radau5 *s, const tn_dae *dae, const double *y, double *size)
{
    const tn_system *sys = dae->sys;
    const double most =
        fmax(tn_norm_inf(sys->ng, y + s->at.lambda), tn_norm_inf(sys->nn, y + s->at.eta));
    tn_dae_sizes(dae, y, size);
    for (int i = 0; i < sys->ng + sys->nn; i++)
        size[i < sys->ng ? s->at.lambda + i : s->at.eta + i - sys->ng] = most;
}

// Sizes at the start and where y' leads to: a component that passes through zero at the start has
// none there, and no iteration would seem to converge.
static void sizes_of_step(tn_radau5 *s, const tn_dae *dae, double h)
{
    find_sizes(s, dae, s->y, s->size0);
    tn_copy(s->n, s->y, s->stage);
    tn_axpy(s->n, h, s->yp, s->stage);
    find_sizes(s, dae, s->stage, s->size1);
}

static void radau5_set_weights(tn_radau5 *s, const tn_stepper *stepper, double h)
{
    TN_ASSERT(h > 0.0);
    const double part = h / stepper->dae->sys->time_scale;
    const double scale[] = {1.0, 1.0 / part, 1.0 / (part * part)};
    for (int i = 0; i < s->n; i++) {
        const double size = fmax(s->size0[i], s->size1[i]);
        s->weight[i] = s->level[i] == TN_DAE_PROJECTS
                           ? INFINITY
                           : (s->absolute[i] + s->rtol * size) * scale[s->level[i]];
    }
}

static double radau5_norm(const tn_radau5 *s, const double *x)
{
    TN_ASSERT(s->n > 0);
    double sum = 0.0;
    for (int i = 0; i < s->n; i++)
        sum += x[i] / s->weight[i] * (x[i] / s->weight[i]);
    return sqrt(sum / s->n);
}

// Increments of the stages: the polynomial of the last step continued, or along y'.
static void extrapolate_radau5(tn_radau5 *s, double h)
{
    TN_ASSERT(h > 0.0 && (!s->has_past || s->h_past > 0.0));
    for (int i = 0; i < 3; i++) {
        double value[4];
        tn_zero(s->n, s->Z[i]);
        if (!s->has_past) {
            tn_axpy(s->n, h * node[i + 1], s->yp, s->Z[i]);
            continue;
        }
        tn_lagrange(4, node, 1.0 + node[i + 1] * h / s->h_past, value, NULL);
        value[3] -= 1.0; // counted from its end
        tn_combine(s->n, 4, value, s->past, s->Z[i]);
    }
}

// Y_i and Y_i' into stage and slope.
static void form_stage(tn_radau5 *s, int i, double h)
{
    TN_ASSERT(i >= 0 && i < 3 && h > 0.0);
    const double d[3] = {D[i][0] / h, D[i][1] / h, D[i][2] / h};
    tn_combine(s->n, 3, d, s->Z, s->slope);
    tn_copy(s->n, s->y, s->stage);
    tn_axpy(s->n, 1.0, s->Z[i], s->stage);
}

// Stage i as a state.
static void show_stage(tn_radau5 *s, const tn_dae *dae, const tn_state *x, int i, double h,
                       tn_state *out)
{
    form_stage(s, i, h);
    tn_dae_state(dae, s->stage, s->slope, out);
    out->t = x->t + node[i + 1] * h;
    tn_copy(dae->sys->nr, x->r, out->r);
}

// From stage to stage. Where they cannot be followed they stay as predicted.
static tn_status follow_unknowns(tn_radau5 *s, tn_stepper *stepper, double h)
{
    tn_unknowns *u = stepper->unknowns;
    const int first = s->at.e + u->roots.first;
    const tn_state *from = s->followed;
    for (int i = 0; i < 3; i++) {
        tn_state *to = &u->node[i % 2];
        show_stage(s, stepper->dae, s->followed, i, h, to);
        const tn_status status = tn_unknowns_follow(u, from, to);
        if (status != TN_OK)
            return status < 0 ? status : TN_OK;
        for (int k = 0; k < u->roots.n; k++)
            s->Z[i][first + k] = to->e[u->roots.first + k] - s->y[first + k];
        from = to;
    }
    return TN_OK;
}

// All stages: a root that is another one at one of them only would act on the motion.
static tn_status check_stages(tn_radau5 *s, tn_stepper *stepper, const tn_state *x, double h)
{
    const tn_state *from = x;
    for (int i = 0; stepper->unknowns && i < 3; i++) {
        tn_state *to = &stepper->unknowns->node[i % 2];
        show_stage(s, stepper->dae, x, i, h, to);
        TN_TRY(tn_stepper_check(stepper, from, to));
        from = to;
    }
    return TN_OK;
}

static tn_status predict_radau5(tn_radau5 *s, tn_stepper *stepper, double h)
{
    extrapolate_radau5(s, h);
    return s->followed ? follow_unknowns(s, stepper, h) : TN_OK;
}

// The iteration -----------------------------------------------------------------------------------

static void attribute_radau5(const tn_radau5 *s, tn_stepper *stepper)
{
    int worst = 0;
    for (int i = 1; i < 3; i++)
        if (!(tn_norm_inf(s->n, s->R[i]) <= tn_norm_inf(s->n, s->R[worst])))
            worst = i;
    tn_stepper_attribute(stepper, s->n, s->R[worst]);
}

static tn_status residuals(tn_radau5 *s, tn_stepper *stepper, double t, double h)
{
    for (int i = 0; i < 3; i++) {
        form_stage(s, i, h);
        TN_TRY(tn_dae_residual(stepper->dae, t + node[i + 1] * h, s->stage, s->slope, h, s->R[i]));
    }
    return TN_OK;
}

// R becomes the correction of Z.
static tn_status correct_radau5(tn_radau5 *s, tn_stepper *stepper)
{
    TN_ASSERT(s->h_factored > 0.0);
    double *const *R = s->R;
    for (int k = 0; k < s->n; k++) {
        const double r[3] = {R[0][k], R[1][k], R[2][k]};
        double w[3] = {0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                w[i] += Tinv[i][j] * r[j];
        R[0][k] = w[0];
        s->pair[k] = CMPLX(w[1], w[2]);
    }
    TN_TRY(tn_dae_solve(stepper->dae, R[0]));
    TN_TRY(tn_dae_solve_complex(stepper->dae, s->pair));
    for (int k = 0; k < s->n; k++) {
        const double w[3] = {R[0][k], creal(s->pair[k]), cimag(s->pair[k])};
        for (int i = 0; i < 3; i++) {
            R[i][k] = T[i][0] * w[0] + T[i][1] * w[1] + T[i][2] * w[2];
            s->Z[i][k] -= R[i][k];
        }
    }
    return TN_OK;
}

static double correction_size(const tn_radau5 *s)
{
    const double a = radau5_norm(s, s->R[0]), b = radau5_norm(s, s->R[1]),
                 c = radau5_norm(s, s->R[2]);
    return sqrt((a * a + b * b + c * c) / 3.0);
}

// In parts of the unknowns, of a fixed step; with others a smaller one is tried.
static bool is_small(const tn_radau5 *s, double size)
{
    return !s->hurried && size * s->rtol <= TN_ROUND_ENLARGED;
}

typedef enum verdict { GO_ON, CONVERGED, DIVERGED } verdict;

// After the k-th correction (from 1) of `size`, the one before it being `last` [HW96,
// IV.8]: what is left is rate / (1 - rate) of it. Gives up where the iterations that remain
// will not do, and says what step they would do for.
static verdict judge_radau5(tn_radau5 *s, double size, double last, int k)
{
    TN_ASSERT(k >= 1);
    const double least = fmax(s->kappa, 10.0 * DBL_EPSILON / fmax(s->rtol, s->atol));
    s->slowdown = 0.5;
    if (!isfinite(size)) {
        s->rate = INFINITY;
        return DIVERGED;
    }
    if (k > 1) {
        const double rate = size / last;
        s->rate = k == 2 ? rate : sqrt(rate * s->rate);
        const bool rounded = s->rounded && k > 2 && is_small(s, size);
        if (rate > 0.5 && (size * fmax(s->rtol, s->atol) <= NOISE_MAX || rounded))
            return CONVERGED;
        if (!(s->rate < (k == 2 ? RATE_LOST_FIRST : RATE_LOST)) && !(k == 2 && is_small(s, size)))
            return DIVERGED;
        s->left = s->rate < RATE_LOST ? s->rate / (1.0 - s->rate) : 1.0;
        const double at_end = s->left * size * pow(s->rate, s->most - 1 - k) / least;
        if (s->hurried && at_end >= 1.0 && k > 2 && k < s->most) {
            s->slowdown = 0.8 * pow(fmin(20.0, at_end), -1.0 / (4 + s->most - 1 - k));
            return DIVERGED;
        }
    }
    return s->left * size <= least ? CONVERGED : GO_ON;
}

static tn_status iterate_radau5(tn_radau5 *s, tn_stepper *stepper, double t, double h)
{
    TN_ASSERT(s->h_factored == h);
    const double rounding = 4.0 * tn_dae_rounding(stepper->dae, GAMMA / h, s->y);
    double last = 0.0;
    s->left = fmax(LEFT_OLD, pow(fmax(s->left, DBL_EPSILON), 0.8));
    s->rate = RATE_KEPT; // nothing better than convergence at once
    for (int k = 1; k <= s->most; k++) {
        TN_TRY(residuals(s, stepper, t, h));
        attribute_radau5(s, stepper);
        s->rounded = s->fresh && fabs(stepper->worst) <= rounding;
        TN_TRY(correct_radau5(s, stepper));
        stepper->newton++;
        s->iterations = k;
        const double size = correction_size(s);
        const verdict v = judge_radau5(s, size, last, k);
        if (v == CONVERGED)
            return TN_OK;
        if (v == DIVERGED)
            break;
        last = size;
    }
    s->left = 1.0;
    return TN_RETRY_NEWTON;
}

// The tangent at a point, and both factorisations.
static tn_status take_tangent_at(tn_radau5 *s, tn_stepper *stepper, double t, const double *y,
                                 const double *yp, double h)
{
    TN_ASSERT(h > 0.0);
    s->h_factored = 0.0;
    TN_TRY(tn_dae_factor(stepper->dae, t, y, yp, h, GAMMA / h));
    TN_TRY(tn_dae_factor_complex(stepper->dae, CMPLX(ALPHA / h, BETA / h)));
    stepper->factorizations += 2;
    s->h_factored = h;
    s->due = false;
    s->fresh = true;
    return TN_OK;
}

static tn_status follow_step(tn_radau5 *s, tn_stepper *stepper, double h)
{
    TN_ASSERT(h > 0.0 && !s->due);
    if (h == s->h_factored)
        return TN_OK;
    s->h_factored = 0.0;
    TN_TRY(tn_dae_refactor(stepper->dae, GAMMA / h));
    TN_TRY(tn_dae_factor_complex(stepper->dae, CMPLX(ALPHA / h, BETA / h)));
    stepper->factorizations += 2;
    s->h_factored = h;
    return TN_OK;
}

// At the second stage as it stands, c_2 = 0.64: nearer to all three than the start of the step is,
// which saves a fifth to a third of the iterations. At the start where that cannot be evaluated.
static tn_status take_tangent(tn_radau5 *s, tn_stepper *stepper, double t, double h)
{
    form_stage(s, 1, h);
    const tn_status status = take_tangent_at(s, stepper, t + node[2] * h, s->stage, s->slope, h);
    return status > 0 ? take_tangent_at(s, stepper, t, s->y, s->yp, h) : status;
}

// Solves a step that none smaller follows: with new tangents, or again from its start.
static tn_status insist(tn_radau5 *s, tn_stepper *stepper, double t, double h)
{
    tn_status status = TN_RETRY_NEWTON;
    for (int k = 0; k < ATTEMPTS && status == TN_RETRY_NEWTON; k++) {
        if (s->rate < RATE_LOST) {
            TN_TRY(take_tangent(s, stepper, t, h));
        } else {
            TN_TRY(predict_radau5(s, stepper, h));
            TN_TRY(take_tangent_at(s, stepper, t, s->y, s->yp, h));
        }
        status = iterate_radau5(s, stepper, t, h);
    }
    return status;
}

// The stages, with the tangent at hand, and where that does not do with a new one.
static tn_status solve_stages(tn_radau5 *s, tn_stepper *stepper, double t, double h)
{
    const tn_sim_options *o = stepper->options;
    TN_TRY(predict_radau5(s, stepper, h));
    if (s->due || o->jacobian_every == 1)
        TN_TRY(take_tangent(s, stepper, t, h));
    else
        TN_TRY(follow_step(s, stepper, h));
    tn_status status = iterate_radau5(s, stepper, t, h);
    if (status > 0 && !s->fresh) {
        TN_TRY(predict_radau5(s, stepper, h));
        TN_TRY(take_tangent(s, stepper, t, h));
        status = iterate_radau5(s, stepper, t, h);
    }
    return status == TN_RETRY_NEWTON && !o->adaptive ? insist(s, stepper, t, h) : status;
}

// Error and step size -----------------------------------------------------------------------------

// Rows that do not see y' are left out: what they have at the start of the step was left there by
// the step before it, and a smaller step would not make it smaller.
static tn_status defect(tn_radau5 *s, tn_stepper *stepper, double t, double h, double *err)
{
    TN_TRY(tn_dae_residual(stepper->dae, t, s->stage, s->slope, h, err));
    for (int i = 0; i < s->n; i++)
        if (s->still[i])
            err[i] = 0.0;
    TN_TRY(tn_dae_solve(stepper->dae, err));
    tn_scale(s->n, -1.0, err);
    return TN_OK;
}

static tn_status estimate(tn_radau5 *s, tn_stepper *stepper, double t, double h)
{
    TN_ASSERT(s->h_factored == h);
    double *err = s->R[0];
    const double p[3] = {start[0] / h, start[1] / h, start[2] / h};
    tn_copy(s->n, s->y, s->stage);
    tn_axpy(s->n, 1.0, s->Z[2], s->stage);
    find_sizes(s, stepper->dae, s->stage, s->size1);
    radau5_set_weights(s, stepper, h);
    tn_combine(s->n, 3, p, s->Z, s->slope);
    tn_copy(s->n, s->y, s->stage);
    TN_TRY(defect(s, stepper, t, h, err));
    stepper->error = fmax(radau5_norm(s, err), 1e-10);
    if (stepper->error >= 1.0 && (s->rejected || s->accepted == 0)) {
        tn_axpy(s->n, 1.0, err, s->stage);
        TN_TRY(defect(s, stepper, t, h, err));
        stepper->error = fmax(radau5_norm(s, err), 1e-10);
    }
    return isfinite(stepper->error) ? TN_OK : TN_RETRY_NEWTON;
}

// By how much the step should shrink.
static double wanted_shrink(const tn_radau5 *s, const tn_stepper *stepper)
{
    const double safety = SAFETY * (1.0 + 2.0 * s->most) / (s->iterations + 2.0 * s->most);
    return pow(stepper->error, 0.25) / safety;
}

static double bound(double shrink)
{
    return fmax(1.0 / GROWTH_MAX, fmin(SHRINK_MAX, shrink));
}

static double next_factor(tn_radau5 *s, const tn_stepper *stepper, double h)
{
    TN_ASSERT(h > 0.0);
    double shrink = bound(wanted_shrink(s, stepper));
    if (s->error_last > 0.0) { // of an error-controlled step
        const double e = stepper->error;
        const double predicted = s->h_last / h * pow(e * e / s->error_last, 0.25) / SAFETY;
        shrink = fmax(shrink, bound(predicted));
    }
    if (s->rejected)
        shrink = fmax(shrink, 1.0);
    s->h_last = h;
    s->error_last = fmax(1e-2, stepper->error);
    const double factor = 1.0 / shrink;
    return s->rate <= RATE_KEPT && factor >= 1.0 && factor <= GROWTH_KEPT ? 1.0 : factor;
}

static tn_status reject(tn_radau5 *s, tn_stepper *stepper, tn_status status)
{
    TN_ASSERT(status != TN_OK);
    if (status == TN_RETRY_ERROR)
        stepper->factor = s->accepted == 0 ? 0.1 : 1.0 / bound(wanted_shrink(s, stepper));
    else
        stepper->factor = status == TN_RETRY_NEWTON ? s->slowdown : 0.0;
    // A tangent from the middle of a step that did not converge need not suit a smaller one.
    s->due = !s->fresh || status != TN_RETRY_ERROR;
    s->rejected = true;
    return status;
}

static void accept_radau5(tn_radau5 *s, tn_stepper *stepper, tn_state *x, double h)
{
    tn_dae *dae = stepper->dae;
    const tn_chart *chart = &dae->chart;
    for (int i = 0; i < 4; i++) {
        tn_copy(s->n, s->y, s->past[i]);
        if (i > 0)
            tn_axpy(s->n, 1.0, s->Z[i - 1], s->past[i]);
        tn_chart_to_q(chart, s->past[i] + s->at.z, s->q_past[i]);
    }
    s->t_past = x->t;
    s->h_past = h;
    s->has_past = true;
    form_stage(s, 2, h);
    tn_copy(s->n, s->stage, s->y);
    tn_copy(s->n, s->slope, s->yp);
    tn_dae_renormalise(dae, s->y);
    tn_dae_state(dae, s->y, s->yp, x);
    x->t += h;
    s->open = !tn_chart_is_local(chart->kind);
    s->due = s->rate > RATE_KEPT;
    s->fresh = s->rejected = false;
    s->accepted++;
}

// Unknowns that have come to other roots are followed in a second try, and so are all where no
// smaller step will be tried.
static tn_status solve_and_check(tn_radau5 *s, tn_stepper *stepper, const tn_state *x, double h)
{
    tn_status status = solve_stages(s, stepper, x->t, h);
    const bool solved = status == TN_OK;
    TN_THEN(status, check_stages(s, stepper, x, h));
    if (!tn_stepper_follows(stepper, status) && !(solved && status > 0))
        return status;
    s->followed = x;
    status = solve_stages(s, stepper, x->t, h);
    TN_THEN(status, check_stages(s, stepper, x, h));
    s->followed = NULL;
    return status;
}

// Iterations that end at a tolerance leave of an unknown what the motion does not see, the more the
// shorter the step; the next one is to begin at what solves its equation. After check_stages.
static tn_status settle_unknowns(tn_radau5 *s, tn_stepper *stepper, const tn_state *x)
{
    tn_unknowns *u = stepper->unknowns;
    if (!u)
        return TN_OK;
    const int first = s->at.e + u->roots.first;
    tn_state *end = &u->node[0];
    TN_TRY(tn_unknowns_settle(u, x, end));
    for (int k = 0; k < u->roots.n; k++)
        s->Z[2][first + k] = end->e[u->roots.first + k] - s->y[first + k];
    return TN_OK;
}

tn_status tn_radau5_step(tn_integrator *self, tn_stepper *stepper, tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    tn_radau5 *s = (tn_radau5 *)self;
    const bool adaptive = stepper->options->adaptive;
    TN_TRY(radau5_open_step(s, stepper, x));
    set_tolerances(s, stepper);
    sizes_of_step(s, stepper->dae, h);
    radau5_set_weights(s, stepper, h);
    stepper->error = 0.0;
    tn_status status = solve_and_check(s, stepper, x, h);
    if (status == TN_OK && adaptive)
        status = estimate(s, stepper, x->t, h);
    if (status == TN_OK && adaptive && stepper->error > 1.0)
        status = TN_RETRY_ERROR;
    if (status != TN_OK)
        return reject(s, stepper, status);
    if (adaptive) {
        TN_TRY(settle_unknowns(s, stepper, x));
        stepper->factor = next_factor(s, stepper, h);
    }
    accept_radau5(s, stepper, x, h);
    return TN_OK;
}

// The collocation polynomial within the last step.
tn_status tn_radau5_interpolate(tn_integrator *self, tn_stepper *stepper, double t, tn_state *out)
{
    tn_radau5 *s = (tn_radau5 *)self;
    TN_ASSERT(s->h_past > 0.0);
    double value[4], slope[4];
    tn_lagrange(4, node, (t - s->t_past) / s->h_past, value, slope);
    for (int j = 0; j < 4; j++)
        slope[j] /= s->h_past;
    tn_combine(s->n, 4, value, s->past, s->stage);
    tn_combine(s->n, 4, slope, s->past, s->slope);
    tn_dae_state(stepper->dae, s->stage, s->slope, out);
    out->t = t;
    return TN_OK;
}

// The table of the head comment, with multipliers of the order of v.
static void radau5_orders(const tn_formulation *formulation, const tn_sim_options *options,
                          int order[3])
{
    const bool levels = formulation->velocity && !formulation->acceleration;
    if ((levels && formulation->baumgarte) || (!formulation->velocity && formulation->position)) {
        order[0] = formulation->baumgarte ? 4 : 5;
        order[1] = order[2] = 3;
    }
}

const tn_integrator_ops tn_integrator_radau5 = {
    .name = "radau5",
    .reads = {.any = "newton_max jacobian_every", .fixed = "newton_tol", .controlled = "kappa"},
    .text = "Radau IIA of order 5, error-controlled, for stiff and for accurate runs",
    .source = "[HW96, IV.8]",
    .order = 5,
    .needs = TN_VIEW_RESIDUAL,
    .controlled = true,
    .pairs = true,
    .rough_forces = true,
    .size = sizeof(tn_radau5),
    .layout = tn_radau5_layout,
    .values = tn_radau5_values,
    .begin = tn_radau5_begin,
    .step = tn_radau5_step,
    .interpolate = tn_radau5_interpolate,
    .orders = radau5_orders,
};
