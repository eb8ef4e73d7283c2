// SPDX-License-Identifier: MIT
//
// What a change of the step size does to multipliers [Arn16, Example 9]: M = I, f = 0 and
// C q = z(t), solved by backward Euler. In the index-3 form
//
//   lambda_{n+1} = -(h_n + h_{n-1}) / (2 h_n) (C C^T)^-1 z''(t_{n+1}) + O(h),
//
// which tends to another value than lambda = -(C C^T)^-1 z'' where h_n is not h_{n-1}; the
// stabilised form has no such factor, since C v = z' holds at both ends of a step.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

static const double C[2] = {1.0, 2.0}; // C C^T = 5

typedef struct curve {
    double (*z)(double t), (*z1)(double t), (*z2)(double t); // and derivatives
} curve;

static double square(double t)
{
    return t * t;
}

static double twice(double t)
{
    return 2.0 * t;
}

static double two(double t)
{
    (void)t;
    return 2.0;
}

static double sine(double t)
{
    return sin(2.0 * t);
}

static double sine1(double t)
{
    return 2.0 * cos(2.0 * t);
}

static double sine2(double t)
{
    return -4.0 * sin(2.0 * t);
}

static const curve parabola = {square, twice, two}, wave = {sine, sine1, sine2};

static int mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int force(void *user, const tn_arguments *at, double *f)
{
    (void)user, (void)at;
    f[0] = f[1] = 0.0;
    return 0;
}

static int constraint(void *user, const tn_arguments *at, double *g)
{
    const curve *k = user;
    g[0] = C[0] * at->q[0] + C[1] * at->q[1] - k->z(at->t);
    return 0;
}

static int jacobian(void *user, const tn_arguments *at, double *G)
{
    (void)user, (void)at;
    G[0] = C[0];
    G[1] = C[1];
    return 0;
}

static int constraint_t(void *user, const tn_arguments *at, double *gt)
{
    const curve *k = user;
    gt[0] = -k->z1(at->t);
    return 0;
}

static int gamma_row(void *user, const tn_arguments *at, double *gamma)
{
    const curve *k = user;
    gamma[0] = -k->z2(at->t);
    return 0;
}

// On the curve and along it: q = C^T z / 5, v = C^T z' / 5.
static tn_sim *begin(const char *formulation, const curve *k, double t)
{
    const tn_callbacks equations = {.user = (void *)k,
                                    .nq = 2,
                                    .ng = 1,
                                    .time_dependent = true,
                                    .mass = mass,
                                    .force = force,
                                    .constraint = constraint,
                                    .jacobian = jacobian,
                                    .constraint_t = constraint_t,
                                    .gamma = gamma_row};
    const double q[2] = {C[0] * k->z(t) / 5.0, C[1] * k->z(t) / 5.0};
    const double v[2] = {C[0] * k->z1(t) / 5.0, C[1] * k->z1(t) / 5.0};
    char method[32];
    snprintf(method, sizeof method, "bdf/%s", formulation);
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.t_start = t;
    options.step = 0.01; // fixed steps; their sizes come with each step
    options.max_order = 1;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create_callbacks(&equations, q, v, &options, &sim));
    return sim;
}

static double step_to_lambda(tn_sim *sim, double h)
{
    CHECK_OK(tn_sim_step(sim, h));
    return tn_sim_lambda(sim)[0];
}

// On a parabola the formula is exact. Positions are of size one and known to 1e-16, so lambda, a
// second difference, to 1e-16 / h^2: 1e-12 for the steps below.
static void index3_shows_the_factor(void)
{
    static const double steps[] = {0.02, 0.02, 0.01, 0.04, 0.04, 0.005, 0.008};
    tn_sim *sim = begin("index3", &parabola, 0.0);
    // The first step starts from v = z': the one before it might have been of size zero.
    double last = 0.0;
    for (int k = 0; k < TN_COUNT(steps); k++) {
        const double h = steps[k], lambda = step_to_lambda(sim, h);
        CHECK_NEAR(lambda, -(h + last) / (2.0 * h) * 2.0 / 5.0, 2e-11);
        last = h;
    }
    tn_sim_destroy(sim);
}

static void the_stabilised_form_does_not(void)
{
    static const double steps[] = {0.02, 0.02, 0.01, 0.04, 0.04, 0.005, 0.008};
    static const char *const forms[] = {"ggl", "index2"};
    for (int i = 0; i < TN_COUNT(forms); i++) {
        tn_sim *sim = begin(forms[i], &parabola, 0.0);
        for (int k = 0; k < TN_COUNT(steps); k++) // first differences of v: 1e-16 / h
            CHECK_NEAR(step_to_lambda(sim, steps[k]), -2.0 / 5.0, 1e-12);
        tn_sim_destroy(sim);
    }
}

// lambda after one step of size h_n that follows steps of size h, on a curve with all derivatives.
static double after_change(const char *formulation, double h, double h_n, double *exact)
{
    tn_sim *sim = begin(formulation, &wave, 0.3);
    for (int k = 0; k < 4; k++)
        CHECK_OK(tn_sim_step(sim, h));
    const double lambda = step_to_lambda(sim, h_n);
    *exact = -sine2(tn_sim_time(sim)) / 5.0;
    tn_sim_destroy(sim);
    return lambda;
}

// Both sizes shrink in a fixed proportion: lambda of index3 tends to the factor times the exact
// one, lambda of ggl to the exact one. The terms O(h_n) and O(h_{n-1}^2 / h_n) are those of the
// third derivative, twice as large as the second here.
static void the_error_does_not_vanish_with_the_step(void)
{
    static const double proportions[] = {0.25, 0.5, 2.0, 4.0};
    for (int k = 0; k < TN_COUNT(proportions); k++) {
        const double p = proportions[k], factor = (p + 1.0) / (2.0 * p);
        for (double h = 0.02; h > 0.001; h /= 2.0) {
            double exact;
            const double index3 = after_change("index3", h, p * h, &exact);
            CHECK_NEAR(index3 / exact, factor, 2.0 * h * fmax(p, 1.0 / p));
            CHECK_NEAR(after_change("ggl", h, p * h, &exact) / exact, 1.0, 2.0 * h * p);
        }
    }
}

// The last step alone shrinks: lambda of index3 grows without bound.
static void a_last_small_step_makes_it_worse(void)
{
    const double h = 0.01;
    for (double p = 0.5; p > 0.01; p /= 2.0) {
        double exact;
        const double wrong = after_change("index3", h, p * h, &exact) / exact;
        const double right = after_change("ggl", h, p * h, &exact) / exact;
        CHECK_NEAR(wrong * 2.0 * p / (p + 1.0), 1.0, 0.03); // O(h) of the formula
        CHECK_NEAR(right, 1.0, 0.03);
    }
}

static const tn_test tests[] = {
    {"lambda of index3 carries the factor (h_n + h_{n-1}) / (2 h_n)", index3_shows_the_factor},
    {"lambda of ggl and index2 does not", the_stabilised_form_does_not},
    {"the factor stays for small steps", the_error_does_not_vanish_with_the_step},
    {"a small step after large ones makes lambda of index3 large",
     a_last_small_step_makes_it_worse},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
