// SPDX-License-Identifier: MIT
//
// The half-explicit method herk5: order five in the motion and four in the multipliers, on the
// index-2 form with every kind of variable; its constraints, its drift, its error estimate and its
// cost.

#include "road_problems.h"
#include "sim/sim.h"

static void run_with(const problem *p, const char *method, const char *rotation, int steps,
                     track *out)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.rotation = rotation;
    options.step = p->t_end / steps;
    follow(p, &options, out);
}

static void exact_track(const problem *p, track *out)
{
    run_with(p, "dop853/index1", "so3", 512, out);
}

// Orders ------------------------------------------------------------------------------------------

static void print_order(const problem *p, const char *method, const char *rotation, quantity what,
                        double coarse, double fine)
{
    printf("%-15s %-16s %-10s %-6s %.1e %.1e order %.2f\n", p->name, method, rotation,
           quantity_names[what], coarse, fine, log2(coarse / fine));
}

static void check_orders(const problem *p, const char *method, const char *rotation,
                         const track *exact, int steps)
{
    const double WITHIN = 0.45; // terms of the next order, which are larger here than with dopri5
    static track coarse, fine;
    run_with(p, method, rotation, steps, &coarse);
    run_with(p, method, rotation, 2 * steps, &fine);
    for (int what = OF_Q; what <= OF_V; what++) {
        const double e[2] = {distance(&coarse, exact, (quantity)what),
                             distance(&fine, exact, (quantity)what)};
        print_order(p, method, rotation, (quantity)what, e[0], e[1]);
        CHECK_NEAR(log2(e[0] / e[1]), 5.0, WITHIN);
    }
}

static void positions_and_velocities_are_of_order_five(void)
{
    static const int which[] = {POINT_PENDULUM, SLOW_TOP, TUMBLER, DRIVEN_ARM};
    static const char *const methods[] = {"herk5/index2", "herk5/baumgarte2"};
    static const char *const rotations[] = {"so3", "se3", "quaternion", "euler"};
    static track exact;
    for (int k = 0; k < TN_COUNT(which); k++) {
        const problem *p = &problems[which[k]];
        exact_track(p, &exact);
        for (int m = 0; m < TN_COUNT(methods); m++)
            for (int r = 0; r < (p->rotates ? TN_COUNT(rotations) : 1); r++)
                check_orders(p, methods[m], rotations[r], &exact, 96);
    }
}

// lambda falls faster than with h^4 until the steps are short: the coefficient is small. Shorter
// ones see round-off, which the rows over h a_87 = -0.04 h raise.
static void multipliers_are_of_order_four(void)
{
    static const int which[] = {SLOW_TOP, KNIFE_EDGE}, steps[] = {256, 96};
    static track exact, coarse, fine;
    for (int k = 0; k < TN_COUNT(which); k++) {
        const problem *p = &problems[which[k]];
        exact_track(p, &exact);
        run_with(p, "herk5/index2", "so3", steps[k], &coarse);
        run_with(p, "herk5/index2", "so3", 2 * steps[k], &fine);
        const double e[2] = {distance(&coarse, &exact, OF_LAMBDA),
                             distance(&fine, &exact, OF_LAMBDA)};
        print_order(p, "herk5/index2", "so3", OF_LAMBDA, e[0], e[1]);
        CHECK_NEAR(log2(e[0] / e[1]), 4.0, 0.35);
    }
}

// The first stage takes v' and lambda from the step before. What is wrong in them is not passed on:
// of an error of one in lambda, with v' to match, the next step leaves only terms of its own size.
static void errors_of_multipliers_are_not_carried_on(void)
{
    double left[2];
    for (int k = 0; k < 2; k++) {
        const double h = k ? 1e-4 : 1e-3;
        double lambda[2];
        for (int wrong = 0; wrong < 2; wrong++) {
            tn_model *model;
            tn_sim_options options = tn_default_sim();
            options.method = "herk5/index2";
            options.step = h;
            tn_sim *sim = open_problem(&problems[POINT_PENDULUM], &options, &model);
            tn_state *x = &sim->start.x;
            const double length = hypot(x->q[0], x->q[1]);
            for (int i = 0; i < 2 && wrong; i++)
                x->a[i] -= x->q[i] / length;
            CHECK_OK(tn_sim_step(sim, h));
            lambda[wrong] = tn_sim_lambda(sim)[0];
            tn_sim_destroy(sim);
            tn_model_destroy(model);
        }
        left[k] = fabs(lambda[1] - lambda[0]);
    }
    printf("left of an error of one: %.1e and %.1e\n", left[0], left[1]);
    CHECK(left[0] < 1e-2 && left[1] < 1e-3);
}

// Against closed forms or one angle. Missing Jacobians are differences, which leave 2e-9 in v;
// the multipliers have the error of their order.
static void every_kind_of_variable_is_carried(void)
{
    static const int which[] = {KNIFE_EDGE, BEAD, CONTROLLER};
    static track exact, run;
    for (int k = 0; k < TN_COUNT(which); k++) {
        const problem *p = &problems[which[k]];
        run_with(p, "herk5/index2", "auto", 96, &run);
        exact = run;
        for (int i = 0; i < TIMES; i++)
            p->exact(p->t_end * (i + 1) / TIMES, exact.at[i]);
        for (int what = 0; what < QUANTITIES; what++)
            CHECK_NEAR(distance(&run, &exact, (quantity)what), 0.0,
                       what == OF_LAMBDA ? 2e-6 : 2e-8);
    }
}

// States c and algebraic variables w: a pendulum with a filter x' = (q0 - x) / T that pushes it and
// an algebraic force w = cos(w) q1 / 2, against one angle.
static int filtered_force(void *user, const tn_arguments *x, double *f)
{
    (void)user;
    f[0] = -2.0 * x->c[0];
    f[1] = -G0 + x->w[0];
    return 0;
}

static int filtered_states(void *user, const tn_arguments *x, double *d)
{
    (void)user;
    d[0] = (x->q[0] - x->c[0]) / 0.3;
    return 0;
}

static int filtered_algebraic(void *user, const tn_arguments *x, double *b)
{
    (void)user;
    b[0] = x->w[0] - 0.5 * cos(x->w[0]) * x->q[1];
    return 0;
}

static double filtered_w(double y)
{
    double w = 0.0;
    for (int k = 0; k < 100; k++)
        w = 0.5 * cos(w) * y;
    return w;
}

static void filtered_rhs(double t, const double *x, double *dx)
{
    (void)t;
    const double s = sin(x[0]), c = cos(x[0]);
    dx[0] = x[1];
    dx[1] = -2.0 * x[2] * c + (filtered_w(-c) - G0) * s;
    dx[2] = (s - x[2]) / 0.3;
}

static void filters_and_algebraic_forces_keep_the_order(void)
{
    static const double c0[] = {0.1};
    const tn_callbacks functions = {.user = (void *)&two,
                                    .nq = 2,
                                    .ng = 1,
                                    .nc = 1,
                                    .nw = 1,
                                    .mass = unit_mass,
                                    .force = filtered_force,
                                    .constraint = circle,
                                    .states = filtered_states,
                                    .algebraic = filtered_algebraic,
                                    .c0 = c0};
    double x[3] = {0.6, 0.5, 0.1}, last = 0.0;
    runge_kutta(filtered_rhs, 3, 0.0, 1.0, 4000, x);
    for (int steps = 20; steps <= 40; steps *= 2) {
        tn_sim_options options = tn_default_sim();
        options.method = "herk5/index2";
        options.step = 1.0 / steps;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create_callbacks(&functions, loop_q0, loop_v0, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        const double error =
            fmax(fabs(tn_sim_q(sim)[0] - sin(x[0])), fabs(tn_sim_extra(sim)[0] - x[2]));
        printf("%d steps: error %.1e\n", steps, error);
        CHECK_NEAR(tn_sim_extra(sim)[1], filtered_w(tn_sim_q(sim)[1]), 1e-13);
        tn_sim_destroy(sim);
        if (last > 0.0)
            CHECK_NEAR(log2(last / error), 5.0, 0.5);
        last = error;
    }
}

// Constraints -------------------------------------------------------------------------------------

static tn_ledger ledger_of(const problem *p, const char *method, double step, double t_end)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = step;
    tn_model *model;
    tn_sim *sim = open_problem(p, &options, &model);
    tn_ledger ledger;
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return ledger;
}

// Velocities satisfy their rows to round-off. Positions drift by the error of order five; with
// (C/h) g they stay within the drift of a few steps.
static void velocities_are_exact_and_drift_is_held(void)
{
    static const int which[] = {POINT_PENDULUM, SLOW_TOP, SLIDER_CRANK, DRIVEN_ARM};
    for (int k = 0; k < TN_COUNT(which); k++) {
        const tn_ledger free = ledger_of(&problems[which[k]], "herk5/index2", 0.01, 4.0);
        const tn_ledger held = ledger_of(&problems[which[k]], "herk5/baumgarte2", 0.01, 4.0);
        printf("%-15s |g| %.1e and %.1e, max |g| %.1e and %.1e, max |Bv| %.1e and %.1e\n",
               problems[which[k]].name, free.g, held.g, free.max_g, held.max_g, free.max_gdot,
               held.max_gdot);
        CHECK_NEAR(free.max_gdot, 0.0, 2e-12);
        CHECK(held.g < 0.2 * free.g);
        CHECK(held.max_gdot < 60.0 * held.max_g); // = (C/h) g, C = 0.5
    }
}

// Rows that repeat others are left out: a planar linkage of bodies in space.
static void redundant_rows_do_not_matter(void)
{
    double place[2][3];
    static const char *const methods[] = {"herk5/index2", "dop853/index1"};
    for (int m = 0; m < 2; m++) {
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        CHECK_OK(tn_model_load(tn_test_path("models/fourbar_spatial.yaml"), &model, NULL));
        tn_sim_options options = tn_default_sim();
        options.method = methods[m];
        options.rtol = options.atol = 1e-10;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK(tn_sim_redundant(sim) > 0);
        CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
        tn_v3_to(tn_sim_body_frame(sim, (tn_body){2}).p, place[m]);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(place[0][i], place[1][i], 1e-7);
}

// Control and dense output ------------------------------------------------------------------------

static tn_model *andrews(void)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path("models/andrews.yaml"), &model, NULL));
    return model;
}

// Digits of test_andrews.c: computed for these tests by a method of order eight in two
// formulations.
static double andrews_error(tn_sim *sim, const tn_model *model)
{
    static const char *const joints[] = {"beta",  "theta", "gamma",  "phi",
                                         "delta", "omega", "epsilon"};
    static const double exact[] = {15.8107711951533,   -15.7563710584114, 0.040822240119633,
                                   -0.534730116342097, 0.52440996587995,  0.534730116342096,
                                   1.04808074104194};
    double error = 0.0;
    for (int i = 0; i < TN_COUNT(joints); i++) {
        double q, rate;
        tn_sim_joint_coordinates(sim, tn_model_find_joint(model, joints[i]), &q, &rate);
        error = fmax(error, fabs(q - exact[i]));
    }
    return error;
}

// The estimate is of order five: ten times the accuracy costs 10^(1/5) = 1.58 times the steps. That
// of the embedded formula alone, with the errors of the multipliers in it, would cost 1.78 times.
static void andrews_mechanism_is_met_at_the_cost_of_order_five(void)
{
    double steps[2] = {0.0, 0.0}, last = 0.0;
    for (double tol = 1e-5; tol > 5e-13; tol *= 0.1) {
        tn_model *model = andrews();
        tn_sim *sim = NULL;
        tn_ledger ledger;
        tn_sim_options options = tn_default_sim();
        options.method = "herk5/index2";
        options.rtol = options.atol = tol;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 0.03, NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        last = andrews_error(sim, model);
        printf("tolerance %.0e: %4ld steps, %2ld rejected, %5ld evaluations, %5ld factorisations, "
               "error %.1e\n",
               tol, ledger.steps, ledger.rejected, ledger.evaluations, ledger.factorizations, last);
        steps[0] = steps[1];
        steps[1] = (double)ledger.steps;
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
    CHECK_NEAR(steps[1] / steps[0], pow(10.0, 0.2), 0.03);
    CHECK_NEAR(last, 0.0, 1e-9);
}

// The extension of order four of the same tableau is as good as the steps, and multipliers between
// them come from an evaluation there.
static void dense_output_is_as_good_as_the_steps(void)
{
    static track seen, exact;
    const problem *p = &problems[SLOW_TOP];
    double last[QUANTITIES] = {0.0};
    for (int steps = 32; steps <= 64; steps *= 2) {
        tn_model *model, *other;
        tn_sim_options options = tn_default_sim(), tight = tn_default_sim();
        double error[QUANTITIES] = {0.0};
        options.method = "herk5/index2";
        options.step = p->t_end / steps;
        tight.method = "dop853/index1";
        tight.rtol = tight.atol = 1e-14;
        tn_sim *sim = open_problem(p, &options, &model),
               *reference = open_problem(p, &tight, &other);
        for (int k = 0; k < steps; k++) {
            CHECK_OK(tn_sim_step(sim, options.step));
            const double t = 0.4 * tn_sim_before(sim) + 0.6 * tn_sim_time(sim);
            CHECK_OK(tn_sim_show(sim, t));
            CHECK_OK(tn_sim_run(reference, t, NULL, NULL));
            note(&seen, 0, sim, model, NULL);
            note(&exact, 0, reference, other, NULL);
            for (int what = OF_Q; what <= OF_LAMBDA; what++)
                for (int j = 0; j < seen.n[what]; j++)
                    error[what] =
                        fmax(error[what], fabs(seen.at[0][what][j] - exact.at[0][what][j]));
        }
        for (int what = OF_Q; what <= OF_LAMBDA; what++) {
            printf("%d steps: dense %-6s %.1e\n", steps, quantity_names[what], error[what]);
            if (last[what] > 0.0)
                CHECK_NEAR(log2(last[what] / error[what]), 5.0, 0.6);
            last[what] = error[what];
        }
        tn_sim_destroy(sim);
        tn_sim_destroy(reference);
        tn_model_destroy(model);
        tn_model_destroy(other);
    }
}

// Stages are solved for the multipliers on which their forces depend.
static void forces_may_need_multipliers(void)
{
    const problem *p = &problems[LOOP];
    static track exact, run[2];
    reference_track(p, 1, &exact);
    for (int k = 0; k < 2; k++) {
        const tn_sim_options options = fixed_step(p, "herk5/index2", "auto", 1 + k);
        follow(p, &options, &run[k]);
    }
    for (int what = 0; what < QUANTITIES; what++) {
        const double coarse = distance(&run[0], &exact, (quantity)what),
                     fine = distance(&run[1], &exact, (quantity)what);
        printf("herk5 with forces of multipliers: %s %.1e %.1e\n", quantity_names[what], coarse,
               fine);
        CHECK(fine < (what == OF_LAMBDA ? 1e-6 : 1e-8) && (fine < coarse / 10.0 || fine < 1e-11));
    }
}

static int heavy_bobs(void *user, const tn_arguments *at, double *f)
{
    (void)user, (void)at;
    f[0] = f[2] = 0.0;
    f[1] = f[3] = -9.81;
    return 0;
}

static int long_rods(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = hypot(at->q[0], at->q[1]) - 10.0;
    g[1] = hypot(at->q[2] - at->q[0], at->q[3] - at->q[1]) - 10.0;
    return 0;
}

static tn_ledger swing_long(const char *method, double tol, const char *chosen)
{
    static const int four = 4;
    static const tn_callbacks bob = {.user = (void *)&four,
                                     .nq = 4,
                                     .ng = 2,
                                     .mass = unit_mass,
                                     .force = heavy_bobs,
                                     .constraint = long_rods};
    static const double q0[] = {10.0, 0.0, 20.0, 0.0}, v0[4] = {0.0};
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    tn_ledger ledger;
    options.method = method;
    options.rtol = options.atol = tol;
    CHECK_OK(tn_sim_create_callbacks(&bob, q0, v0, &options, &sim));
    CHECK_TEXT(tn_sim_method(sim), chosen);
    CHECK_OK(tn_sim_run(sim, 5.0, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    tn_sim_destroy(sim);
    return ledger;
}

// Own equations with the constraint alone: gamma is a difference of differences, whose noise rules
// the steps of dop853 at tight tolerances. herk5 has none in its steps.
static void auto_avoids_noisy_accelerations(void)
{
    const tn_ledger chosen = swing_long("auto", 1e-11, "herk5/index2+project@callbacks");
    const tn_ledger noisy =
        swing_long("dop853/index1+project", 1e-11, "dop853/index1+project@callbacks");
    printf("gamma by differences: %ld steps, dop853 %ld\n", chosen.steps, noisy.steps);
    CHECK(chosen.steps < 500); // dop853: 80 or 3400, as round-off will have it
    swing_long("auto", 1e-9, "dop853/index1+project@callbacks"); // above the noise
}

static const tn_test tests[] = {
    {"auto avoids noisy accelerations", auto_avoids_noisy_accelerations},
    {"positions and velocities are of order five", positions_and_velocities_are_of_order_five},
    {"multipliers are of order four", multipliers_are_of_order_four},
    {"errors of multipliers are not carried on", errors_of_multipliers_are_not_carried_on},
    {"every kind of variable is carried", every_kind_of_variable_is_carried},
    {"filters and algebraic forces keep the order", filters_and_algebraic_forces_keep_the_order},
    {"velocities are exact and drift is held", velocities_are_exact_and_drift_is_held},
    {"redundant rows do not matter", redundant_rows_do_not_matter},
    {"Andrews' mechanism is met at the cost of order five",
     andrews_mechanism_is_met_at_the_cost_of_order_five},
    {"dense output is as good as the steps", dense_output_is_as_good_as_the_steps},
    {"forces may need multipliers", forces_may_need_multipliers},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
