// SPDX-License-Identifier: MIT
//
// Penalties and the augmented Lagrangian [BGS88; BL96]: reactions by penalties are off by a part of
// 1 / alpha, rounds take that to round-off for any alpha; drift is bounded over long runs; rows
// that repeat each other and singular positions are no exception.

#include "tenon/tenon.h"
#include "test.h"

typedef struct outcome {
    double q[64], lambda[64], reaction[3];
    int nq, nlambda;
    tn_ledger ledger;
    tn_status status;
} outcome;

static tn_sim_options by(const char *method, double alpha, double tol)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.penalty_alpha = alpha > 0.0 ? alpha : options.penalty_alpha;
    options.adaptive = true;
    options.rtol = options.atol = tol;
    return options;
}

static outcome run_by(const char *path, const tn_sim_options *options, double t_end)
{
    outcome x = {0};
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
    CHECK_OK(tn_sim_create(model, options, &sim));
    x.status = tn_sim_run(sim, t_end, NULL, NULL);
    tn_sim_ledger(sim, &x.ledger);
    x.nq = tn_sim_nq(sim);
    CHECK(x.nq <= 64);
    memcpy(x.q, tn_sim_q(sim), sizeof(double) * (size_t)x.nq);
    for (int j = 0; j < tn_model_joint_count(model); j++)
        x.nlambda += tn_sim_joint_multipliers(sim, (tn_joint){j}, x.lambda + x.nlambda, NULL);
    const tn_wrench w = tn_sim_joint_reaction(sim, (tn_joint){0});
    tn_v3_to(w.f, x.reaction);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return x;
}

static double apart(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

// The error of the reactions is c / alpha, c from the masses of the rows in each other.
static void penalties_are_off_by_one_over_alpha(void)
{
    static const double alpha[] = {1e3, 1e4, 1e5, 1e6, 1e7};
    const tn_sim_options usual = by("dop853/index1@absolute", 0.0, 1e-12);
    const outcome exact = run_by("models/fourbar.yaml", &usual, 0.2);
    double last = 0.0;
    for (int k = 0; k < TN_COUNT(alpha); k++) {
        const tn_sim_options options = by("dop853/penalty@absolute", alpha[k], 1e-12);
        const outcome x = run_by("models/fourbar.yaml", &options, 0.2);
        const double off =
            apart(x.nlambda, x.lambda, exact.lambda) / largest(exact.nlambda, exact.lambda);
        printf("penalty, alpha %.0e: reactions off by %.2e, max |g| %.1e\n", alpha[k], off,
               x.ledger.max_g);
        CHECK_OK(x.status);
        CHECK(off < 100.0 / alpha[k]);
        if (k > 0)
            CHECK_NEAR(last / off, 10.0, 1.0); // first order in 1 / alpha, the next term is 1e-3
        last = off;
    }
}

// To what the tolerance of the runs leaves, and to that of baumgarte with the same weights.
static void rounds_take_it_to_round_off(void)
{
    static const double alpha[] = {1e2, 1e4, 1e7, 1e10};
    tn_sim_options usual = by("dop853/baumgarte@absolute", 0.0, 1e-12);
    const outcome exact = run_by("models/fourbar.yaml", &usual, 0.2);
    for (int k = 0; k < TN_COUNT(alpha); k++) {
        const tn_sim_options options = by("dop853/augmented-lagrangian@absolute", alpha[k], 1e-12);
        const outcome x = run_by("models/fourbar.yaml", &options, 0.2);
        const double off =
            apart(x.nlambda, x.lambda, exact.lambda) / largest(exact.nlambda, exact.lambda);
        printf("augmented Lagrangian, alpha %.0e: reactions off by %.2e, max |g| %.1e\n", alpha[k],
               off, x.ledger.max_g);
        CHECK_OK(x.status);
        CHECK_NEAR(off, 0.0,
                   1e-11); // condition of the rows by round-off, and the end of the rounds
        CHECK_NEAR(apart(x.nq, x.q, exact.q), 0.0, 1e-11);
    }
}

// Each round takes away a factor of 1 / alpha, but for the masses of rows in each other.
static void rounds_converge_linearly(void)
{
    tn_sim_options options = by("dop853/baumgarte@absolute", 0.0, 1e-12);
    const outcome exact = run_by("models/fourbar.yaml", &options, 0.01);
    double last = 0.0;
    for (int rounds = 1; rounds <= 4; rounds++) {
        options = by("dop853/augmented-lagrangian@absolute", 1e4, 1e-12);
        options.penalty_iterations = rounds;
        const outcome x = run_by("models/fourbar.yaml", &options, 0.01);
        const double off =
            apart(x.nlambda, x.lambda, exact.lambda) / largest(exact.nlambda, exact.lambda);
        printf("%d round%s with alpha 1e4: reactions off by %.2e\n", rounds, rounds > 1 ? "s" : "",
               off);
        if (rounds > 1 && last > 1e-9)
            CHECK(off < 1e-2 * last);
        last = off;
    }
    CHECK_NEAR(last, 0.0, 1e-11);
}

// Weights of 20 1/s hold what a step adds; index1 drifts by squares of the time.
static void drift_is_bounded(void)
{
    static const char *const methods[] = {"dopri5/penalty", "dopri5/augmented-lagrangian",
                                          "dopri5/augmented-lagrangian+project"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const tn_sim_options options = by(methods[k], 0.0, 1e-6);
        const outcome some = run_by("models/fourbar.yaml", &options, 2.0),
                      more = run_by("models/fourbar.yaml", &options, 16.0);
        printf("%-36s max |g| %.1e in 2 s, %.1e in 16 s\n", methods[k], some.ledger.max_g,
               more.ledger.max_g);
        CHECK_OK(more.status);
        CHECK(more.ledger.max_g < 3.0 * some.ledger.max_g + 1e-13); // 8 or 64 times with drift
        CHECK(more.ledger.max_g < 1e-5);
    }
}

// Twenty rows of rank seventeen, all of them at work.
static void redundant_rows_are_no_exception(void)
{
    static const char *const methods[] = {"dop853/penalty@absolute",
                                          "dop853/augmented-lagrangian@absolute",
                                          "dop853/augmented-lagrangian+project@absolute"};
    const tn_sim_options usual = by("dop853/index1+project@absolute", 0.0, 1e-10);
    const outcome exact = run_by("models/fourbar_spatial.yaml", &usual, 2.0);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const tn_sim_options options = by(methods[k], 0.0, 1e-10);
        const outcome x = run_by("models/fourbar_spatial.yaml", &options, 2.0);
        const double q = apart(x.nq, x.q, exact.q);
        const double force =
            apart(x.nlambda, x.lambda, exact.lambda) / largest(exact.nlambda, exact.lambda);
        printf("%-46s off by %.1e, reactions of minimum norm by %.1e, max |g| %.1e\n", methods[k],
               q, force, x.ledger.max_g);
        CHECK_OK(x.status);
        CHECK_NEAR(q, 0.0, 1e-6); // errors of 1e-10 in a turning mechanism, over 2 s
        CHECK_NEAR(force, 0.0, 1e-5);
        CHECK(x.ledger.max_g < 1e-8);
    }
}

// The flat position of two four-bars is passed as by other methods of acceleration level, and a run
// may begin in one: the matrix is regular there.
static const char FLAT[] =
    "tenon: 1\n"
    "bodies:\n"
    "  crank: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
    "  coupler: {kind: planar, mass: 2, inertia: 0.3, initial: {position: [2, 0]}}\n"
    "  rocker: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [2.5, 0]}}\n"
    "joints:\n"
    "  A: {kind: revolute, bodies: [ground, crank], at: [0, 0], initial: {rate: 2}}\n"
    "  B: {kind: revolute, bodies: [crank, coupler], at: [1, 0], initial: {rate: -2}}\n"
    "  C: {kind: revolute, bodies: [coupler, rocker], at: [3, 0]}\n"
    "  D: {kind: revolute, bodies: [ground, rocker], at: [2, 0], initial: {rate: 2}}\n";

static void singular_positions_are_no_exception(void)
{
    static const char *const methods[] = {"dop853/penalty@absolute",
                                          "dop853/augmented-lagrangian@absolute"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const tn_sim_options options = by(methods[k], 0.0, 1e-9);
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        double angle, rate;
        CHECK_OK(tn_model_parse(FLAT, "flat.yaml", &model, NULL));
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
        tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "A"), &angle, &rate);
        printf("%-40s crank at %.9f, %.9f rad/s\n", methods[k], angle, rate);
        // without gravity all rods stay parallel and turn as they began: 2 rad/s
        CHECK_NEAR(rate, 2.0, 1e-6);
        CHECK_NEAR(angle, 1.0, 1e-6);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void weights_that_are_too_large_are_refused(void)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options options = by("dopri5/penalty@absolute", 0.0, 1e-6);
    options.adaptive = false;
    options.step = 0.01;
    options.penalty_omega = 400.0;
    CHECK_OK(tn_model_load(tn_test_path("models/fourbar.yaml"), &model, NULL));
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_PAIRING);
    CHECK(strstr(tn_last_error(),
                 "penalty with penalty_omega 400 1/s and penalty_mu 1 is unstable") != NULL);
    tn_model_destroy(model);
}

// A row that the pendulum holds but for 1e-8 is left out by the run: penalties do not hold it. The
// angle is that of the run without the row, which index1+project tells.
static void rows_that_are_left_out_hold_nothing(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\njoints:\n"
        "  pin: {kind: revolute, body: a, at: [0, 0]}\n"
        "  row: {kind: position-row, row: a.position.x - 0.5*cos(pin.angle) + 1e-8*pin.angle}\n";
    static const char *const methods[] = {"dop853/index1+project", "dop853/penalty",
                                          "dop853/augmented-lagrangian", "dop853/penalty@joint"};
    double y[TN_COUNT(methods)];
    for (int i = 0; i < TN_COUNT(methods); i++) {
        const tn_sim_options options = by(methods[i], 0.0, 1e-9);
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        CHECK_OK(tn_model_parse(text, "row.yaml", &model, NULL));
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
        y[i] = tn_sim_body_frame(sim, tn_model_find_body(model, "a")).p.y;
        CHECK_NEAR(y[i], y[0], 1e-6); // penalties of 1e12 and their omega; 4e-3 with the row
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"penalties are off by one over alpha", penalties_are_off_by_one_over_alpha},
    {"rounds take it to round-off", rounds_take_it_to_round_off},
    {"rounds converge linearly", rounds_converge_linearly},
    {"drift is bounded", drift_is_bounded},
    {"redundant rows are no exception", redundant_rows_are_no_exception},
    {"rows that are left out hold nothing", rows_that_are_left_out_hold_nothing},
    {"singular positions are no exception", singular_positions_are_no_exception},
    {"weights that are too large are refused", weights_that_are_too_large_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
