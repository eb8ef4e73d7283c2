// SPDX-License-Identifier: MIT
//
// Discrete equations in increments of the freedoms [LMO08, eq. 28]: the motion, the multipliers and
// the reactions of the form with multipliers, on trees and on closed loops with rows that repeat
// others, by both integrators; as many unknowns as freedoms; matrices against differences.

#include "fixed_step.h"
#include "formulation/discrete.h"
#include "linalg/dense.h"
#include "sim/sim.h"

#include "cross/random_mechanism.h"
#include "cross/same_motion.h"

static const char *const integrators[] = {"variational", "energy-momentum"};

static tn_sim *open_form(const tn_model *model, const char *integrator, const char *form, double h)
{
    char method[96];
    snprintf(method, sizeof method, "%s/%s@director", integrator, form);
    return open_fixed(model, method, h);
}

static double most_apart(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

// One motion --------------------------------------------------------------------------------------

typedef struct run {
    const char *file;
    double h;
    int steps;
    bool tree; // solved along the chain
} run;

// Pendulums, a top, loops, loops with rows that repeat others, gears, drives that are functions of
// time.
static const run runs[] = {
    {"pendulum", 0.01, 10000, false},
    {"pendulum_3d", 0.01, 10000, true},
    {"heavy_top", 0.001, 10000, true},
    {"slider_crank", 0.002, 5000, false},
    {"fourbar", 0.005, 10000, false},
    {"fourbar_spatial", 0.005, 1000, false},
    {"gear_train", 0.002, 1000, false},
    {"governor", 0.002, 1000, false},
    {"arm", 0.005, 1000, false},
    {"car_axis", 0.001, 1000, false},
    {"double_pendulum", 0.002, 1000, true},
    {"andrews", 1e-5, 1000, false},
};

static void check_run(const run *r, const char *integrator)
{
    tn_model *model = load_model(r->file);
    tn_sim *a = open_form(model, integrator, "multiplier", r->h);
    tn_sim *b = open_form(model, integrator, "reparam", r->h);
    CHECK_TEXT(tn_sim_solver(b), r->tree ? "tree elimination" : "dense LU");
    double motion = 0.0, force = 0.0;
    const long before = tn_test_alloc_count();
    for (int n = 0; n < r->steps; n++) {
        CHECK_OK(tn_sim_step(a, r->h));
        CHECK_OK(tn_sim_step(b, r->h));
        motion = fmax(motion, most_apart(tn_sim_nq(a), tn_sim_q(a), tn_sim_q(b)));
        if (n % 10 == 0)
            force = fmax(force, compare(model, a, b).reaction);
    }
    CHECK(tn_test_alloc_count() == before);
    tn_ledger ledger;
    tn_sim_ledger(b, &ledger);
    printf("%-15s %-15s motion %.1e, reactions %.1e of the largest, |g| %.1e\n", integrator,
           r->file, motion, force, ledger.max_g);
    CHECK(motion < 1e-9);
    CHECK(force < 1e-7); // multipliers see round-off of q by h^2
    CHECK(ledger.max_g < 1e-11);
    tn_sim_destroy(a);
    tn_sim_destroy(b);
    tn_model_destroy(model);
}

static void reparam_and_multiplier_give_one_motion(void)
{
    for (int i = 0; i < TN_COUNT(integrators); i++)
        for (int k = 0; k < TN_COUNT(runs); k++)
            check_run(&runs[k], integrators[i]);
}

static void so_they_do_on_random_mechanisms(void)
{
    enum { SEEDS = 60, STEPS = 5 };
    const double h = 1e-3;
    difference most = {0};
    int redundant = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = random_mechanism_of(seed, 2 + seed % 23);
        const char *integrator = integrators[seed % TN_COUNT(integrators)];
        tn_sim *a = open_form(m.model, integrator, "multiplier", h);
        tn_sim *b = open_form(m.model, integrator, "reparam", h);
        for (int n = 0; n < STEPS; n++) {
            CHECK_OK(tn_sim_step(a, h));
            CHECK_OK(tn_sim_step(b, h));
        }
        const difference d = compare(m.model, a, b);
        most.pose = fmax(most.pose, d.pose);
        most.velocity = fmax(most.velocity, d.velocity);
        most.reaction = fmax(most.reaction, d.reaction);
        redundant += tn_sim_redundant(a) > 0;
        CHECK(((const tn_sim *)b)->discrete->n == tn_sim_freedoms(b));
        tn_sim_destroy(a);
        tn_sim_destroy(b);
        tn_model_destroy(m.model);
    }
    printf("%d of %d redundant; poses within %.1e, velocities %.1e, reactions %.1e\n", redundant,
           SEEDS, most.pose, most.velocity, most.reaction);
    // Round-off of q, some metres, over h and h^2.
    CHECK(most.pose < 1e-11 && most.velocity < 1e-9 && most.reaction < 1e-6);
    CHECK(redundant > 5);
}

// Six rods of one metre on ball joints, let go from a level line, turning about each other.
static tn_model *six_links(void)
{
    tn_model *model = tn_model_create();
    tn_body below = {0};
    tn_model_set_gravity(model, tn_v3(0.0, 1.0, -9.81));
    for (int k = 0; k < 6; k++) {
        tn_body_def rod = tn_default_body();
        tn_joint_def ball = tn_default_joint(TN_JOINT_SPHERICAL);
        rod.mass = 1.0;
        rod.inertia = tn_v3(0.02, 0.08, 0.09);
        rod.frame.p = tn_v3(k + 0.5, 0.0, 0.0);
        rod.rate = tn_v3(1.0 + k, 0.0, 0.0);
        ball.body_a = below;
        ball.frame_a.p = k > 0 ? tn_v3(0.5, 0.0, 0.0) : tn_v3(0.0, 0.0, 0.0);
        ball.frame_b.p = tn_v3(-0.5, 0.0, 0.0);
        below = ball.body_b = tn_model_add_body(model, &rod);
        tn_model_add_joint(model, &ball);
    }
    CHECK_OK(tn_model_status(model));
    return model;
}

static void a_chaotic_chain_of_six_links_moves_the_same_for_300_steps(void)
{
    static const char *const forms[] = {"multiplier", "dalembert", "reparam"};
    const double h = 0.01;
    tn_model *model = six_links();
    for (int i = 0; i < TN_COUNT(integrators); i++) {
        tn_sim *sim[TN_COUNT(forms)];
        double apart[TN_COUNT(forms)] = {0};
        for (int k = 0; k < TN_COUNT(forms); k++)
            sim[k] = open_form(model, integrators[i], forms[k], h);
        for (int n = 0; n < 300; n++)
            for (int k = 0; k < TN_COUNT(forms); k++) {
                CHECK_OK(tn_sim_step(sim[k], h));
                apart[k] = fmax(apart[k],
                                most_apart(tn_sim_nq(sim[0]), tn_sim_q(sim[k]), tn_sim_q(sim[0])));
            }
        printf("%s: %s %.1e, %s %.1e\n", integrators[i], forms[1], apart[1], forms[2], apart[2]);
        CHECK(apart[1] < 1e-9 && apart[2] < 1e-9);
        for (int k = 0; k < TN_COUNT(forms); k++)
            tn_sim_destroy(sim[k]);
    }
    tn_model_destroy(model);
}

// Matrix ------------------------------------------------------------------------------------------

enum { MOST = 24 };

// Rows of an interval of variational at y.
static void rows_at(tn_sim *sim, const double *y, double *r)
{
    tn_discrete *d = sim->discrete;
    tn_system *sys = d->sys;
    double *work = calloc((size_t)(4 * sys->nv + sys->ng), sizeof(double));
    CHECK(work != NULL);
    double *u = work, *b = u + sys->nv, *q = b + sys->nv, *zero = q + sys->nv;
    CHECK_OK(d->ops->move(d, y, u));
    for (int i = 0; i < sys->nv; i++)
        q[i] = d->q[i] + 0.5 * d->h * u[i];
    const tn_point middle = {
        .t = d->t + 0.5 * d->h, .q = q, .v = u, .a = zero, .lambda = zero, .r = d->r};
    CHECK_OK(tn_system_eval(sys, &middle, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_TANGENT));
    tn_sparse_mul(sys->block[TN_BLOCK_M], 1.0, u, b);
    tn_axpy(sys->nv, -0.5 * d->h, sys->f, b);
    CHECK_OK(d->ops->residual(d, y, u, b, true, r));
    free(work);
}

// An interval of length h from the state that is shown; the matrix by columns.
static void form_matrix(tn_sim *sim, double h, double *y, double *r, double *matrix)
{
    tn_discrete *d = sim->discrete;
    const tn_point node = tn_state_point(&sim->start.x);
    const tn_balance derivative = {.d = 0.5 * h, .k = 0.25 * h * h};
    CHECK(d->n <= MOST);
    CHECK_OK(tn_discrete_begin(d, &node, h));
    CHECK_OK(tn_system_eval(d->sys, &node, TN_EVAL_B));
    CHECK_OK(tn_discrete_carry(d, &node));
    d->ops->predict(d, node.v, node.lambda, y);
    rows_at(sim, y, r);
    CHECK_OK(d->ops->factor(d, y, &derivative));
    d->ops->dense(d, matrix);
}

// By central differences, and solutions by `solve`.
static void check_matrix(const tn_model *model, bool tree)
{
    tn_sim *sim = open_form(model, "variational", "reparam", 0.01);
    tn_discrete *d = sim->discrete;
    const int n = d->n;
    const double e = 1e-4;
    double y[MOST], r[MOST], up[MOST], down[MOST], A[MOST * MOST], worst = 0.0;
    CHECK_TEXT(tn_sim_solver(sim), tree ? "tree elimination" : "dense LU");
    form_matrix(sim, 0.1, y, r, A);
    const double size = tn_norm_inf(n * n, A);
    for (int j = 0; j < n; j++) {
        y[j] = e;
        rows_at(sim, y, up);
        y[j] = -e;
        rows_at(sim, y, down);
        y[j] = 0.0;
        for (int i = 0; i < n; i++)
            worst = fmax(worst, fabs((up[i] - down[i]) / (2.0 * e) - A[i + j * n]) / size);
    }
    form_matrix(sim, 0.1, y, r, A);
    for (int i = 0; i < n; i++) {
        y[i] = tn_random();
        r[i] = 0.0;
    }
    for (int j = 0; j < n; j++)
        tn_axpy(n, y[j], A + j * n, r);
    d->ops->solve(d, r);
    const double solved = most_apart(n, r, y);
    printf("%d unknowns: matrix within %.1e of differences, solutions %.1e\n", n, worst, solved);
    CHECK(worst < 1e-7);   // e^2, and 1e-16 / (2 e h)
    CHECK(solved < 1e-10); // condition of some hundreds
    tn_sim_destroy(sim);
}

static void matrices_are_derivatives_of_the_rows(void)
{
    tn_model *six = six_links(), *linkage = load_model("fourbar"),
             *redundant = load_model("fourbar_spatial");
    tn_model *top = load_model("heavy_top"), *gears = load_model("gear_train");
    check_matrix(six, true);
    check_matrix(top, true);
    check_matrix(linkage, false);
    check_matrix(redundant, false);
    check_matrix(gears, false);
    tn_model_destroy(six);
    tn_model_destroy(linkage);
    tn_model_destroy(redundant);
    tn_model_destroy(top);
    tn_model_destroy(gears);
}

// [LMO08, Table 1]: of the form with multipliers as it is written there it grows like h^-3.
static void the_condition_of_the_matrix_does_not_depend_on_the_step(void)
{
    tn_model *model = six_links();
    tn_sim *sim = open_form(model, "variational", "reparam", 0.01);
    double y[MOST], r[MOST], A[MOST * MOST], s[MOST], last = 0.0;
    for (int k = 2; k <= 4; k++) {
        const int n = sim->discrete->n;
        form_matrix(sim, pow(10.0, -k), y, r, A);
        CHECK_OK(tn_singular_values(n, n, A, s));
        const double condition = s[0] / s[n - 1];
        printf("h = 1e-%d: condition %.4g\n", k, condition);
        CHECK(condition < 1e5 && (k == 2 || fabs(condition - last) < 0.1 * last));
        last = condition;
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Failures ----------------------------------------------------------------------------------------

// Crank and coupler turn by several radians in a step: no position closes the loop on the way.
static void loops_that_cannot_be_closed_end_the_run_with_the_last_good_state(void)
{
    tn_model *model = load_model("fourbar");
    tn_sim *sim = open_form(model, "variational", "reparam", 0.4);
    const double q[2] = {tn_sim_q(sim)[0], tn_sim_q(sim)[1]};
    CHECK_STATUS(tn_sim_run(sim, 4.0, NULL, NULL), TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "smaller step") != NULL);
    if (tn_sim_time(sim) == 0.0)
        CHECK(tn_sim_q(sim)[0] == q[0] && tn_sim_q(sim)[1] == q[1]);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"reparam and multiplier give one motion", reparam_and_multiplier_give_one_motion},
    {"so they do on random mechanisms", so_they_do_on_random_mechanisms},
    {"a chaotic chain of six links moves the same for 300 steps",
     a_chaotic_chain_of_six_links_moves_the_same_for_300_steps},
    {"matrices are derivatives of the rows", matrices_are_derivatives_of_the_rows},
    {"the condition of the matrix does not depend on the step",
     the_condition_of_the_matrix_does_not_depend_on_the_step},
    {"loops that cannot be closed end the run with the last good state",
     loops_that_cannot_be_closed_end_the_run_with_the_last_good_state},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
