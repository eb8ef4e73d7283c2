// SPDX-License-Identifier: MIT
//
// Error-controlled steps, for every legal pairing: errors follow the tolerance, rejected steps
// leave no trace, and runs end where they were told to.

#include "road_problems.h"

// Models with and without rotations and drives, and user functions with extra variables.
static const int smooth[] = {SLOW_TOP, SLIDER_CRANK, DRIVEN_ARM, LOOP};

// baumgarte2 and nsgalpha have fixed steps only.
static void pass_controlled(const problem *p, const tn_integrator_ops *integrator,
                            const tn_formulation *formulation, const char *rotation, void *user)
{
    const second_order_road *only = user;
    if (strcmp(formulation->name, "baumgarte2") && !tn_integrator_is_fixed(integrator))
        only->run(p, integrator, formulation, rotation, only->user);
}

static void every_controlled_road(const problem *p, road run, void *user)
{
    second_order_road only = {run, user};
    every_second_order_road(p, pass_controlled, &only);
}

static tn_sim_options controlled(const char *method, const char *rotation, double tol)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.rotation = rotation;
    options.adaptive = true;
    options.corrected_start = true;
    options.step = 0.01;
    options.rtol = options.atol = tol;
    options.rho_inf = 0.7;
    options.hht_alpha = -0.2;
    return options;
}

// The local error h^3 stays at the tolerance, so h goes with its cube root and the global error of
// order two with the power 2/3: a factor of 21.5 for 100. What the controller leaves unused varies.
static const double LEAST_GAIN = 8.0, MOST_GAIN = 60.0;

static void check_tolerance(const problem *p, const tn_integrator_ops *integrator,
                            const tn_formulation *formulation, const char *rotation, void *user)
{
    const track *exact = user;
    static track loose, tight;
    char method[64];
    method_name(integrator, formulation, method);
    tn_sim_options options = controlled(method, rotation, 1e-5);
    const long few = follow(p, &options, &loose);
    options = controlled(method, rotation, 1e-7);
    const long many = follow(p, &options, &tight);
    for (int what = OF_Q; what <= OF_V; what++) {
        const double big = distance(&loose, exact, (quantity)what);
        const double small = distance(&tight, exact, (quantity)what);
        printf("%-26s %-14s %s %s: %ld steps %.2e, %ld steps %.2e, gain %.1f\n", p->name, method,
               rotation, quantity_names[what], few, big, many, small, big / small);
        CHECK(big / small > LEAST_GAIN && big / small < MOST_GAIN);
    }
    CHECK(many > 3 * few && many < 7 * few); // 100^(1/3) = 4.6
}

static void check_problem(const problem *p)
{
    static track exact;
    reference_track(p, 128, &exact);
    every_controlled_road(p, check_tolerance, &exact);
}

static void errors_follow_the_tolerance(void)
{
    for (int k = 0; k < TN_COUNT(smooth); k++)
        check_problem(&problems[smooth[k]]);
    check_problem(&problems[CONTROLLER]);
}

// Rejected steps ----------------------------------------------------------------------------------

enum { MOST_STEPS = 4000 };

typedef struct diary {
    int n;
    double t[MOST_STEPS];
} diary;

static tn_status write_time(void *user, tn_sim *sim)
{
    diary *d = user;
    CHECK(d->n < MOST_STEPS);
    d->t[d->n++] = tn_sim_time(sim);
    return TN_OK;
}

// The accepted steps, taken one by one by a simulation that never had to reject any, lead to the
// same state: the Newton iterations end at round-off, which the multipliers see divided by h^2 or
// so.
static const double TRACE_TOL = 1e-9;

static void check_rejections(const problem *p, const tn_integrator_ops *integrator,
                             const tn_formulation *formulation, const char *rotation, void *user)
{
    static diary accepted;
    char method[64];
    (void)user;
    method_name(integrator, formulation, method);
    tn_sim_options options = controlled(method, rotation, 1e-5);
    options.step = 0.4; // far too much
    tn_model *model, *again;
    tn_sim *sim = open_problem(p, &options, &model);
    accepted.n = 0;
    CHECK_OK(tn_sim_run(sim, 0.25, write_time, &accepted));
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    CHECK(ledger.rejected > 0);
    CHECK(ledger.steps == accepted.n);
    CHECK(tn_sim_time(sim) == 0.25);

    tn_sim *plain = open_problem(p, &options, &again);
    for (int k = 0; k < accepted.n; k++)
        CHECK_OK(tn_sim_step(plain, accepted.t[k] - tn_sim_time(plain)));
    for (int i = 0; i < tn_sim_nq(sim); i++)
        CHECK_NEAR(tn_sim_q(sim)[i], tn_sim_q(plain)[i], TRACE_TOL);
    for (int i = 0; i < tn_sim_nv(sim); i++)
        CHECK_NEAR(tn_sim_v(sim)[i], tn_sim_v(plain)[i], TRACE_TOL);
    for (int i = 0; i < tn_sim_nl(sim); i++)
        CHECK_NEAR(tn_sim_lambda(sim)[i], tn_sim_lambda(plain)[i], 1e3 * TRACE_TOL);
    tn_sim_destroy(sim);
    tn_sim_destroy(plain);
    tn_model_destroy(model);
    tn_model_destroy(again);
}

static void rejected_steps_leave_no_trace(void)
{
    for (int k = 0; k < TN_COUNT(smooth); k++) // samples of a controller restart the method
        every_controlled_road(&problems[smooth[k]], check_rejections, NULL);
}

// Ends --------------------------------------------------------------------------------------------

static void steps_keep_their_bounds_and_the_end(void)
{
    static diary accepted;
    tn_sim_options options = controlled("galpha/ggl", "so3", 1e-3);
    options.step_max = 0.013;
    tn_model *model;
    tn_sim *sim = open_problem(&problems[SLOW_TOP], &options, &model);
    const double ends[] = {0.1, 0.1 + 1e-9, 1.0 / 3.0, 0.7};
    for (int k = 0; k < TN_COUNT(ends); k++) {
        accepted.n = 0;
        const double begin = tn_sim_time(sim);
        CHECK_OK(tn_sim_run(sim, ends[k], write_time, &accepted));
        CHECK(tn_sim_time(sim) == ends[k]);
        for (int i = 0; i < accepted.n; i++) {
            const double h = accepted.t[i] - (i > 0 ? accepted.t[i - 1] : begin);
            CHECK(h > 0.0 && h <= options.step_max * (1.0 + 1e-9));
        }
    }
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    CHECK(ledger.step_max <= options.step_max * (1.0 + 1e-9));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// A controller samples at its times exactly, whatever the step.
static void steps_end_at_samples(void)
{
    static diary accepted;
    const tn_sim_options options = controlled("galpha/ggl", "so3", 1e-4);
    tn_model *model;
    tn_sim *sim = open_problem(&problems[CONTROLLER], &options, &model);
    accepted.n = 0;
    CHECK_OK(tn_sim_run(sim, 1.0, write_time, &accepted));
    for (int k = 1; k <= 3; k++) {
        bool met = false;
        for (int i = 0; i < accepted.n; i++)
            met = met || accepted.t[i] == 0.3 * k;
        CHECK(met);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void a_tolerance_out_of_reach_is_an_error(void)
{
    tn_sim_options options = controlled("galpha/ggl", "so3", 1e-9);
    options.step_min = 1e-3;
    tn_model *model;
    tn_sim *sim = open_problem(&problems[SLOW_TOP], &options, &model);
    CHECK_STATUS(tn_sim_run(sim, 0.5, NULL, NULL), TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "at t = 0 s the error stays above the tolerance") != NULL);
    CHECK(tn_sim_time(sim) == 0.0);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"errors follow the tolerance", errors_follow_the_tolerance},
    {"rejected steps leave no trace", rejected_steps_leave_no_trace},
    {"steps keep their bounds and the end", steps_keep_their_bounds_and_the_end},
    {"steps end at samples", steps_end_at_samples},
    {"a tolerance out of reach is an error", a_tolerance_out_of_reach_is_an_error},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
