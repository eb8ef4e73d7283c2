// SPDX-License-Identifier: MIT
//
// Kinks and jumps, of functions of time and of forces of the state, are met by every integrator,
// in error-controlled and fixed steps: closed forms of pulses, square waves and bounces. Jumps of
// driven velocities are refused or are impulses.

#include "integrator/integrator.h"
#include "rail.h"

static double between(double a, double b)
{
    return a + 0.5 * (b - a) * (1.0 + tn_random());
}

// Pulses ------------------------------------------------------------------------------------------

// A pulse with the impulse 1 N s around t0: rectangle, triangle or table.
static tn_model *pulse(int shape, double t0, double width)
{
    const double most = (shape == 0 ? 1.0 : 2.0) / width, end = t0 + width, top = t0 + 0.5 * width;
    char force[600];
    if (shape == 0)
        snprintf(force, sizeof force, "kind: motor, effort: 't > %.17g && t < %.17g ? %.17g : 0'",
                 t0, end, most);
    else if (shape == 1)
        snprintf(force, sizeof force,
                 "kind: motor, effort: 'max(0, %.17g * (1 - abs(t - %.17g) / %.17g))'", most, top,
                 0.5 * width);
    else
        snprintf(force, sizeof force,
                 "kind: motor, effort: {table: [[0, 0], [%.17g, 0], [%.17g, %.17g], [%.17g, 0], "
                 "[10, 0]]%s}",
                 t0, top, most, end, shape == 2 ? "" : ", interpolation: linear");
    return rail(force, "position: [0, 0]");
}

static void check_pulse(const char *name, double step, int shape, double t0, double width,
                        double tol)
{
    tn_model *model = pulse(shape, t0, width);
    const tn_sim_options o = method(name, step);
    const rail_end end = run_rail(model, &o, 10.0);
    const double middle = t0 + 0.5 * width;
    if (!(fabs(end.v - 0.5) < tol && fabs(end.x - 0.5 * (10.0 - middle)) < 10.0 * tol))
        printf("%s, step %g, shape %d from %.17g for %.17g s: v %.9g, x %.9g\n", name, step, shape,
               t0, width, end.v, end.x);
    CHECK_NEAR(end.v, 0.5, tol);
    CHECK_NEAR(end.x, 0.5 * (10.0 - middle), 10.0 * tol);
    CHECK_NEAR(end.balance, 0.0, 10.0 * tol);
    tn_model_destroy(model);
}

static void every_integrator_meets_pulses_of_any_width(void)
{
    for (int k = 0; k < tn_integrator_count; k++) {
        const char *name = tn_integrators[k]->name;
        for (int shape = 0; shape < 4; shape++) {
            const double width = pow(10.0, between(-4.0, -0.3)), t0 = between(0.5, 9.0);
            if (tn_integrators[k]->controlled)
                check_pulse(name, 0.0, shape, t0, width, 1e-6);
            check_pulse("auto", 0.0, shape, t0, width, 1e-6);
        }
    }
}

// Of what exp, tan and powers decide; the impulse is in closed form.
static void every_integrator_meets_curved_conditions(void)
{
    static const struct {
        const char *effort;
        double impulse;
    } cases[] = {
        {"exp(-((t-8.2659)/1e-3)^2)>0.5 ? 1e3 : 0", 1.6651092223153954}, // 2 sqrt(log(2))
        {"tan(t-1.563)>100 ? 1000 : 0", 9.9996666866652376},             // atan(1/100), 3 times
        {"sin(t)^100000 > 0.5 ? 1000 : 0", 7.4465862},
    };
    static const char *const names[] = {"auto",
                                        "galpha/ggl@absolute",
                                        "radau5/ggl@joint",
                                        "bdf/ggl@absolute",
                                        "dop853/minimal@joint",
                                        "adams/maggi"};
    for (int i = 0; i < TN_COUNT(cases); i++)
        for (int k = 0; k < TN_COUNT(names); k++) {
            char force[200];
            snprintf(force, sizeof force, "kind: motor, effort: '%s'", cases[i].effort);
            tn_model *model = rail(force, "position: [0, 0]");
            const tn_sim_options o = method(names[k], k == 1 ? 0.01 : 0.0);
            const rail_end end = run_rail(model, &o, 10.0);
            const double waves = i == 0 ? 1.0 : 3.0;
            printf("%s, %s: %.9g N s\n", cases[i].effort, names[k], 2.0 * end.v);
            CHECK_NEAR(2.0 * end.v, waves * cases[i].impulse, 1e-6);
            tn_model_destroy(model);
        }
}

// A rectangle is met exactly by every method of second order, whatever the grid of its steps.
// adams has no fixed steps.
static void fixed_steps_are_divided_where_a_force_jumps(void)
{
    for (int k = 0; k < tn_integrator_count; k++)
        if (strcmp(tn_integrators[k]->name, "adams"))
            for (int i = 0; i < 3; i++) {
                const double width = pow(10.0, between(-4.0, -0.3)), t0 = between(0.5, 9.0);
                check_pulse(tn_integrators[k]->name, 0.05, 0, t0, width, 1e-9);
            }
}

static void the_grid_of_fixed_steps_is_kept(void)
{
    tn_model *model = pulse(0, 5.0123, 0.01);
    const tn_sim_options o = method("galpha/ggl", 0.1);
    const rail_end end = run_rail(model, &o, 10.0);
    CHECK(end.steps == 102); // one step in three
    tn_model_destroy(model);
}

// v' = sign(sin(10 t)) / 2: after 3.2 half periods of pi/10 the velocity is 0.2 of a half period.
static void square_waves_are_followed(void)
{
    const double half = 0.31415926535897931;
    static const char *const names[] = {"auto", "radau5/ggl", "bdf/ggl", "dopri5", "galpha/ggl"};
    for (int k = 0; k < TN_COUNT(names); k++) {
        tn_model *model = rail("kind: motor, effort: sign(sin(10*t))", "position: [0, 0]");
        const tn_sim_options o = method(names[k], k == 4 ? 0.02 : 0.0);
        const rail_end end = run_rail(model, &o, 32.2 * half);
        printf("%-10s v - exact %.2e in %ld steps\n", names[k], end.v - 0.1 * half, end.steps);
        CHECK_NEAR(end.v, 0.1 * half, 1e-7);
        tn_model_destroy(model);
    }
}

// Two waves in one function that jump at times which differ by round-off only. v' is a multiple of
// 1/2 in every piece, which every method of second order meets exactly.
static void jumps_that_coincide_are_met_once(void)
{
    static const struct {
        const char *effort;
        double t_end, x, v;
    } cases[] = {
        {"sign(sin(2*pi*t)) + sign(sin(3*pi*t))", 10.0, 25.0 / 12.0, 0.0},
        {"sign(sin(2*pi*t)) + sign(sin(6*pi*t))", 20.0, 10.0 / 3.0, 0.0},
        {"(sin(2*pi*t) > 0) - (sin(4*pi*t) < 0)", 16.0, 1.5, 0.0},
    };
    static const struct {
        const char *name;
        double step, tol;
    } methods[] = {{"auto", 0.0, 1e-9},        {"galpha/ggl", 0.1, 1e-9},
                   {"galpha/ggl", 0.04, 1e-9}, {"galpha/ggl@joint", 0.04, 1e-9},
                   {"radau5/ggl", 0.0, 1e-9},  {"bdf/ggl", 0.0, 1e-5},
                   {"adams", 0.0, 1e-5},       {"dopri5/index1@director", 0.0, 1e-9}};
    for (int i = 0; i < TN_COUNT(cases); i++)
        for (int k = 0; k < TN_COUNT(methods); k++) {
            char force[200];
            snprintf(force, sizeof force, "kind: motor, effort: '%s'", cases[i].effort);
            tn_model *model = rail(force, "position: [0, 0]");
            const tn_sim_options o = method(methods[k].name, methods[k].step);
            const rail_end end = run_rail(model, &o, cases[i].t_end);
            printf("%s, %-10s x %.12g, v %.2g, %ld steps\n", cases[i].effort, methods[k].name,
                   end.x, end.v, end.steps);
            CHECK_NEAR(end.x, cases[i].x, methods[k].tol);
            CHECK_NEAR(end.v, cases[i].v, methods[k].tol);
            tn_model_destroy(model);
        }
}

// Stops -------------------------------------------------------------------------------------------

// A linear stop gives the velocity back after half a period of m and k. After n bounces between
// stops 1 m apart at 1 m/s.
static double bounced(double t)
{
    const double contact = 3.14159265358979323846 * sqrt(2.0 / 2000.0), period = 1.0 + contact;
    const double since = t - 0.5, n = floor(since / period), left = since - n * period - contact;
    const double way = left > 0.0 ? 0.5 - left : NAN;
    return fmod(n, 2.0) == 0.0 ? way : -way;
}

static tn_model *bouncer(void)
{
    return rail("kind: joint-stop, lower: -0.5, upper: 0.5, stiffness: 2000",
                "position: [0, 0], velocity: [1, 0]");
}

static void every_integrator_meets_stops(void)
{
    for (int k = 0; k < tn_integrator_count; k++) {
        if (!tn_integrators[k]->controlled)
            continue;
        tn_model *model = bouncer();
        const tn_sim_options o = method(tn_integrators[k]->name, 0.0);
        const rail_end end = run_rail(model, &o, 8.0);
        printf("%-10s off by %.1e, balance %.1e, %ld steps\n", o.method, end.x - bounced(8.0),
               end.balance, end.steps);
        // Seven contacts, each with the error of its few dozen steps.
        CHECK_NEAR(end.x, bounced(8.0), 1e-4);
        CHECK_NEAR(end.balance, 0.0, 1e-4);
        tn_model_destroy(model);
    }
}

// The order of fixed steps is that of the method: errors of halved steps fall by four.
static void order_is_kept_across_kinks(void)
{
    static const char *const names[] = {"galpha/ggl", "hht/ggl", "bdf/ggl"};
    for (int k = 0; k < TN_COUNT(names); k++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            tn_model *model = bouncer();
            const tn_sim_options o = method(names[k], i ? 1e-3 : 2e-3);
            error[i] = fabs(run_rail(model, &o, 4.0).x - bounced(4.0));
            tn_model_destroy(model);
        }
        printf("%-10s errors %.2e, %.2e\n", names[k], error[0], error[1]);
        CHECK(error[1] < error[0] / 3.3);
    }
}

static void a_contact_that_steps_do_not_resolve_is_doubtful(void)
{
    tn_model *model = rail("kind: joint-stop, upper: 0.5, lower: -0.5, stiffness: 1e6",
                           "position: [0, 0], velocity: [1, 0]");
    const tn_sim_options o = method("galpha/ggl", 1e-3);
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &o, &sim));
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    tn_verdict verdict;
    tn_sim_verdict(sim, &verdict);
    CHECK(verdict.outcome == TN_OUTCOME_DOUBTFUL);
    CHECK(strstr(tn_verdict_warn(&verdict), "a contact of force 'f' may be passed over"));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Drives ------------------------------------------------------------------------------------------

static const char driven[] = "tenon: 1\n"
                             "bodies:\n"
                             "  arm: {mass: 2, inertia: [0.2, 0.2, 0.3], com: [0.5, 0, 0]}\n"
                             "  tip: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.3, 0, 0],"
                             " initial: {position: [1, 0, 0]}}\n"
                             "joints:\n"
                             "  A: {kind: revolute, body: arm, at: [0, 0, 0], axis: [0, 0, 1]}\n"
                             "  B: {kind: revolute, bodies: [arm, tip], at: [1, 0, 0],"
                             " axis: [0, 0, 1]}\n"
                             "  d: {kind: drive, joint: A, motion: '%s'%s}\n"
                             "simulate: {t_end: 1}\n";

static tn_status read_driven(const char *motion, const char *more, tn_model **model)
{
    char text[2000];
    snprintf(text, sizeof text, driven, motion, more);
    return tn_model_parse(text, "text", model, NULL);
}

static void a_jump_of_a_driven_velocity_is_refused(void)
{
    static const char *const motions[] = {
        "abs(t - 0.05)",     "max(0, t - 0.3)",      "t > 0.5 ? 1 : 0",  "sin(abs(t - 0.7))",
        "sqrt((t - 0.3)^2)", "acos(cos(7*t + 0.1))", "((t - 0.4)^2)^0.5"};
    for (int k = 0; k < TN_COUNT(motions); k++) {
        tn_model *model = NULL;
        CHECK_STATUS(read_driven(motions[k], "", &model), TN_ERR_MODEL);
        printf("%s\n", tn_last_error());
        CHECK(strstr(tn_last_error(), k == 2 ? "must be continuous" : "infinite acceleration"));
        CHECK(strstr(tn_last_error(), "text:8"));
    }
    tn_model *model = NULL; // not within the time of the run
    CHECK_OK(read_driven("max(0, t - 2)", "", &model));
    tn_sim *sim = NULL;
    const tn_sim_options o = method("auto", 0.0);
    CHECK_OK(tn_sim_create(model, &o, &sim));
    CHECK_STATUS(tn_sim_run(sim, 3.0, NULL, NULL), TN_ERR_MODEL);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Fast motions whose velocities are continuous: within the run nothing else moves.
static void a_fast_motion_is_no_jump(void)
{
    static const char *const motions[] = {
        "step(t,2,0,2.02,1)", "step(t,5,0,5.1,6.28)", "step(t,0.3,0,0.31,0.01)",
        "{table: [[0, 0], [5, 0], [5.1, 1], [9, 1]], interpolation: monotone}",
        "step(t,7.001,0,7.0011,1e-3)"};
    for (int k = 0; k < TN_COUNT(motions); k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies:\n  m: {kind: planar, mass: 2, inertia: 1}\n"
                 "joints:\n  rail: {kind: prismatic, body: m, at: [0, 0], axis: [1, 0]}\n"
                 "  d: {kind: drive, joint: rail, motion: %s%s%s}\nsimulate: {t_end: 9}\n",
                 k == 3 ? "" : "'", motions[k], k == 3 ? "" : "'");
        tn_model_destroy(parse(text));
    }
    tn_model *model = NULL; // jumps beside a fast motion are still refused
    CHECK_STATUS(read_driven("step(t,0.3,0,0.31,1) + max(0, t - 0.6)", "", &model), TN_ERR_MODEL);
}

// The tip is free to turn: its angular momentum about the pin that is kicked, minus that of the
// kick, is the same before and after. At rest before, with the arm along x.
static void an_impulse_supplies_what_the_motion_gains(void)
{
    static const char *const names[] = {"auto",
                                        "galpha/ggl@absolute",
                                        "radau5/ggl@absolute",
                                        "bdf/ggl@absolute",
                                        "radau5/index2@joint",
                                        "dopri5/index1@director"};
    for (int k = 0; k < TN_COUNT(names); k++) {
        tn_model *model = NULL;
        CHECK_OK(read_driven("max(0, 2*(t - 0.3))", ", impulse: true", &model));
        const tn_sim_options o = method(names[k], 0.0);
        tn_sim *sim = NULL;
        tn_ledger ledger;
        double angle, rate;
        CHECK_OK(tn_sim_create(model, &o, &sim));
        CHECK_OK(tn_sim_run(sim, 0.3, NULL, NULL));
        CHECK_OK(tn_sim_run(sim, 0.3001, NULL, NULL));
        // The tip about its own centre of mass at 0.3 m: no impulse but at the pin, which moves at
        // 2 m/s: 0.1 w + 0.09 w' = -0.3 * 2 with w' the rate about the pin, all rates absolute.
        tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "B"), &angle, &rate);
        CHECK_NEAR(rate + 2.0, -0.6 / 0.19, 5e-3);
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "A"), &angle, &rate);
        CHECK_NEAR(angle, 1.4, 1e-5);
        tn_sim_ledger(sim, &ledger);
        printf("%-24s supplied %.9g J, balance %.1e J\n", names[k], ledger.supplied,
               ledger.max_balance);
        CHECK_NEAR(ledger.balance, 0.0, 1e-4 * ledger.supplied);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void a_table_that_must_not_be_left_is_not(void)
{
    tn_model *model =
        rail("kind: motor, effort: {table: [[0, 0], [1, 1]], beyond: error}", "position: [0, 0]");
    const tn_sim_options o = method("auto", 0.0);
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &o, &sim));
    CHECK_STATUS(tn_sim_run(sim, 2.0, NULL, NULL), TN_ERR_MODEL);
    CHECK(strstr(tn_last_error(), "beyond: error"));
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"every integrator meets pulses of any width", every_integrator_meets_pulses_of_any_width},
    {"every integrator meets curved conditions", every_integrator_meets_curved_conditions},
    {"fixed steps are divided where a force jumps", fixed_steps_are_divided_where_a_force_jumps},
    {"the grid of fixed steps is kept", the_grid_of_fixed_steps_is_kept},
    {"square waves are followed", square_waves_are_followed},
    {"jumps that coincide are met once", jumps_that_coincide_are_met_once},
    {"every integrator meets stops", every_integrator_meets_stops},
    {"order is kept across kinks", order_is_kept_across_kinks},
    {"a contact that steps do not resolve is doubtful",
     a_contact_that_steps_do_not_resolve_is_doubtful},
    {"a jump of a driven velocity is refused", a_jump_of_a_driven_velocity_is_refused},
    {"a fast motion is no jump", a_fast_motion_is_no_jump},
    {"an impulse supplies what the motion gains", an_impulse_supplies_what_the_motion_gains},
    {"a table that must not be left is not", a_table_that_must_not_be_left_is_not},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
