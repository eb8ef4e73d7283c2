// SPDX-License-Identifier: MIT
//
// What is told of states: rows between steps meet the constraints as the steps do, reactions are as
// good as the motion, and neither changes the motion.

#include "test.h"

#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>

static const char *const methods[] = {"galpha/ggl@absolute",
                                      "galpha/ggl@joint",
                                      "hht/index3@absolute",
                                      "radau5/ggl@absolute",
                                      "radau5/index2@joint",
                                      "radau5/stabilized-index1@director",
                                      "bdf/ggl@absolute",
                                      "bdf/index2@joint",
                                      "dop853/index1+project@absolute",
                                      "dopri5/index1@joint",
                                      "herk5/index2+project@absolute",
                                      "adams/index1+project@absolute",
                                      "dop853/minimal@absolute",
                                      "variational/multiplier@director",
                                      "energy-momentum/dalembert@director"};

// A crank that drives a slider by a torque, with friction: rows turn, and powers are there.
static const char CRANK[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {kind: planar, mass: 1, inertia: 0.01, initial: {position: [0.1, 0]}}\n"
    "  rod: {kind: planar, mass: 2, inertia: 0.05, initial: {position: [0.45, 0]}}\n"
    "  block: {kind: planar, mass: 3, inertia: 0.01, initial: {position: [0.7, 0]}}\n"
    "joints:\n"
    "  A: {kind: revolute, bodies: [ground, crank], at: [0, 0], initial: {rate: 6}}\n"
    "  B: {kind: revolute, bodies: [crank, rod], at: [0.2, 0]}\n"
    "  C: {kind: revolute, bodies: [rod, block], at: [0.7, 0]}\n"
    "  D: {kind: prismatic, bodies: [ground, block], at: [0.7, 0], axis: [1, 0]}\n"
    "forces:\n"
    "  motor: {kind: motor, joint: A, effort: 3}\n"
    "  drag: {kind: joint-spring, joint: D, damping: 5}\n";

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "told.yaml", &model, NULL));
    return model;
}

static tn_sim *open_sim(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = 1e-5;
    options.atol = 1e-7;
    if (strstr(method, "hht") || strstr(method, "@director"))
        options.step = 5e-3;
    else
        options.adaptive = true;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

// Residuals of rows within steps: the largest.
typedef struct rows {
    double g, gdot;
    int count;
} rows;

static tn_status look_between(void *user, tn_sim *sim)
{
    rows *r = user;
    const double begin = tn_sim_before(sim), end = tn_sim_time(sim);
    for (int k = 1; k < 4; k++) {
        tn_ledger ledger;
        TN_TRY(tn_sim_show(sim, begin + 0.25 * k * (end - begin)));
        tn_sim_ledger(sim, &ledger);
        (void)tn_sim_joint_reaction(sim, (tn_joint){0}); // looking at it changes nothing either
        (void)tn_sim_body_acceleration(sim, (tn_body){2});
        r->g = fmax(r->g, ledger.g);
        r->gdot = fmax(r->gdot, ledger.gdot);
        r->count++;
    }
    tn_sim_current(sim);
    return TN_OK;
}

static void rows_between_steps_are_as_good(void)
{
    tn_model *model = parse(CRANK);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *plain = open_sim(model, methods[k]), *watched = open_sim(model, methods[k]);
        tn_ledger a, b;
        rows r = {0};
        CHECK_OK(tn_sim_run(plain, 2.0, NULL, NULL));
        CHECK_OK(tn_sim_run(watched, 2.0, look_between, &r));
        tn_sim_ledger(plain, &a);
        tn_sim_ledger(watched, &b);
        printf("%-36s steps g %.1e Bv %.1e, between %.1e %.1e\n", methods[k], a.max_g, a.max_gdot,
               r.g, r.gdot);
        CHECK(r.count >= 3 * 20);
        CHECK(r.g <= 1.2 * a.max_g + 1e-15 && r.gdot <= 1.2 * a.max_gdot + 1e-14);
        // The same bits.
        const size_t nq = sizeof(double) * (size_t)tn_sim_nq(plain);
        CHECK(!memcmp(tn_sim_q(plain), tn_sim_q(watched), nq));
        CHECK(a.steps == b.steps && a.newton == b.newton);
        CHECK(a.g == b.g && a.gdot == b.gdot && a.balance == b.balance);
        // What is shown counts.
        CHECK(b.max_g == fmax(a.max_g, r.g) && b.max_gdot == fmax(a.max_gdot, r.gdot));
        tn_sim_destroy(plain);
        tn_sim_destroy(watched);
    }
    tn_model_destroy(model);
}

// A body on a screw falls with constant acceleration, and is carried by a constant force.
typedef struct constant {
    double value, most;
} constant;

static tn_status note_force(void *user, tn_sim *sim)
{
    constant *c = user;
    const double begin = tn_sim_before(sim), end = tn_sim_time(sim);
    for (int k = 1; k <= 2; k++) {
        TN_TRY(tn_sim_show(sim, begin + 0.5 * k * (end - begin)));
        const double z = tn_sim_joint_reaction(sim, (tn_joint){0}).f.z;
        c->most = fmax(c->most, fabs(z - c->value));
    }
    tn_sim_current(sim);
    return TN_OK;
}

static void reactions_are_as_good_as_the_motion(void)
{
    static const char *const forms[] = {"radau5/ggl@absolute", "radau5/index2@absolute",
                                        "radau5/index3@absolute", "radau5/ggl@director",
                                        "radau5/ggl@joint"};
    tn_model *model = parse(
        "tenon: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  b: {mass: 2, inertia: [0.1, 0.1, 0.05], initial: {position: [0.3, 0, 0]}}\n"
        "joints:\n"
        "  j: {kind: screw, bodies: [ground, b], at: [0, 0, 0], axis: [0, 0, 1], pitch: -0.2}\n");
    for (int k = 0; k < TN_COUNT(forms); k++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = forms[k];
        CHECK_OK(tn_sim_create(model, &options, &sim));
        constant c = {.value = tn_sim_joint_reaction(sim, (tn_joint){0}).f.z};
        CHECK_OK(tn_sim_run(sim, 1.5, note_force, &c));
        printf("%-24s %.6f N, off by at most %.1e\n", forms[k], c.value, c.most);
        CHECK(c.most < 1e-5);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// Two carts on one line whose distance is driven, between springs: one freedom, linear, so that
// tangents are exact and the rates of a step say nothing of the next one.
static double carts_at_the_end(const char *method, double tol)
{
    tn_model *model = parse(
        "tenon: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0, 0]}}\n"
        "  b: {kind: planar, mass: 2, inertia: 0.1, initial: {position: [1, 0]}}\n"
        "joints:\n"
        "  p: {kind: prismatic, bodies: [ground, a], axis: [1, 0]}\n"
        "  r: {kind: prismatic, bodies: [a, b], at: [1, 0], axis: [1, 0]}\n"
        "  d: {kind: drive, joint: r, motion: \"cos(t)-1\"}\n"
        "forces:\n"
        "  s: {kind: spring, bodies: [ground, a], at_a: [-1, 0], at_b: [0, 0], stiffness: 1,\n"
        "      damping: 0.2, free: 1}\n"
        "  n: {kind: spring, bodies: [ground, b], at_a: [3, 0], at_b: [1, 0], stiffness: 0.5,\n"
        "      damping: 0.5, free: 1}\n");
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = options.atol = tol;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
    const double x = tn_sim_body_frame(sim, (tn_body){1}).p.x;
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return x;
}

static void iterations_do_not_end_by_old_rates(void)
{
    static const char *const forms[] = {"radau5/index2@absolute", "radau5/ggl@absolute",
                                        "radau5/stabilized-index1@absolute",
                                        "radau5/index1@absolute"};
    const double exact = carts_at_the_end("dop853/index1@joint", 1e-13);
    for (int k = 0; k < TN_COUNT(forms); k++) {
        const double error = carts_at_the_end(forms[k], 1e-8) - exact;
        printf("%-36s %.1e off at a tolerance of 1e-8\n", forms[k], error);
        CHECK(fabs(error) < 1e-8);
    }
}

// A four-bar, X m from the origin.
static tn_sim *open_fourbar(double X, const char *method, double step)
{
    char text[1000];
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "gravity: [0, -9.81]\n"
             "parameters: {X: %g}\n"
             "bodies:\n"
             "  crank: {kind: planar, mass: 0.6, inertia: 0.0045,"
             " initial: {position: [X, 0.15]}}\n"
             "  rod: {kind: planar, mass: 2, inertia: 0.1, initial: {position: [X+0.4, 0.5]}}\n"
             "  rocker: {kind: planar, mass: 1.5, inertia: 0.06,"
             " initial: {position: [X+0.9, 0.35]}}\n"
             "joints:\n"
             "  A: {kind: revolute, bodies: [ground, crank], at: [X, 0], initial: {rate: -10}}\n"
             "  B: {kind: revolute, bodies: [crank, rod], at: [X, 0.3]}\n"
             "  C: {kind: revolute, bodies: [rod, rocker], at: [X+0.8, 0.7]}\n"
             "  D: {kind: revolute, bodies: [ground, rocker], at: [X+1, 0]}\n",
             X);
    return tn_test_open_text(text, method, step, 0.0);
}

// Places far from the origin have the round-off of 1e-12 m, which is not small beside the way of a
// microsecond; rows of velocities do not see it.
static void reactions_far_away_are_those_near_the_origin(void)
{
    static const char *const far[] = {"galpha/index2@absolute", "galpha/ggl@absolute",
                                      "hht/index2@absolute", "galpha/index1@absolute"};
    for (int m = 0; m < TN_COUNT(far); m++) {
        double force[2];
        for (int k = 0; k < 2; k++) {
            tn_sim *sim = open_fourbar(k * 1e4, far[m], 1e-6);
            CHECK_OK(tn_sim_run(sim, 1e-3, NULL, NULL));
            force[k] = tn_test_value(sim, "A.force.y");
            tn_sim_destroy(sim);
        }
        CHECK_NEAR(force[1], force[0], 1e-3 * fabs(force[0])); // was 0.6 of it
    }
}

static bool tells_of_short_steps(double X, const char *method, double step)
{
    tn_sim *sim = open_fourbar(X, method, step);
    bool told = false;
    for (int i = 0; i < tn_sim_note_count(sim); i++)
        told = told || strstr(tn_sim_note(sim, i), "are short for places");
    tn_sim_destroy(sim);
    return told;
}

// 2.2 m/s^2 at 10 km and 1e-6 s by rows of positions, and 0.2 by those of velocities at 1000 km and
// 1e-8 s.
static void reactions_in_round_off_are_told(void)
{
    CHECK(tells_of_short_steps(1e4, "variational/multiplier@director", 1e-6));
    CHECK(tells_of_short_steps(1e4, "galpha/index3@absolute", 1e-6));
    CHECK(tells_of_short_steps(1e6, "galpha/ggl@absolute", 1e-8));
    CHECK(!tells_of_short_steps(1e4, "galpha/ggl@absolute", 1e-6));
    CHECK(!tells_of_short_steps(1e6, "galpha/index1@absolute", 1e-8));
    CHECK(!tells_of_short_steps(1e6, "dop853/index1@joint", 1e-8));
    CHECK(!tells_of_short_steps(0.0, "variational/multiplier@director", 1e-5));
}

static const char light_rod[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: [0.01, 0.02, 0.02], com: [0.1, 0, 0]}\n"
    "  rod: {mass: 1e-12, inertia: [1e-6, 2e-5, 2e-5], com: [0.2, 0.3, 0.25],"
    " initial: {position: [0.3, 0, 0]}}\n"
    "  rock: {mass: 2, inertia: [0.05, 0.05, 0.03], com: [0, 0, 0.2],"
    " initial: {position: [0.7, 0.8, 0]}}\n"
    "joints:\n"
    "  A: {kind: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1],"
    " initial: {rate: 6}}\n"
    "  U: {kind: universal, bodies: [crank, rod], at: [0.3, 0, 0], axis: [0, 0, 1],"
    " axis_2: [1, 0, 0]}\n"
    "  S: {kind: spherical, bodies: [rod, rock], at: [0.7, 0.6, 0.5]}\n"
    "  D: {kind: revolute, bodies: [ground, rock], at: [0.7, 0.8, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  dm: {kind: joint-spring, joint: D, damping: 0.05, stiffness: 1}\n"
    "  t: {kind: motor, joint: A, effort: 0.3*sin(5*t)}\n";

// Torques of up to 15 N m were told as 2000.
static void reactions_beside_a_light_body_are_right(void)
{
    static const char *const of_accelerations[] = {"bdf/index1@absolute",
                                                   "bdf/stabilized-index1@absolute"};
    tn_sim *exact = tn_test_open_text(light_rod, "dop853/index1@absolute", 0.0, 1e-10);
    CHECK_OK(tn_sim_run(exact, 0.88, NULL, NULL));
    for (int m = 0; m < TN_COUNT(of_accelerations); m++) {
        tn_sim *sim = tn_test_open_text(light_rod, of_accelerations[m], 0.0, 1e-7);
        CHECK_OK(tn_sim_run(sim, 0.88, NULL, NULL));
        CHECK_NEAR(tn_test_value(sim, "A.torque.x"), tn_test_value(exact, "A.torque.x"), 1e-3);
        CHECK_NEAR(tn_test_value(sim, "A.torque.y"), tn_test_value(exact, "A.torque.y"), 1e-3);
        tn_sim_destroy(sim);
    }
    tn_sim_destroy(exact);
}

static const tn_test tests[] = {
    {"rows between steps are as good as the steps", rows_between_steps_are_as_good},
    {"reactions of radau5 are as good as the motion", reactions_are_as_good_as_the_motion},
    {"iterations of radau5 do not end by old rates", iterations_do_not_end_by_old_rates},
    {"reactions far away are those near the origin", reactions_far_away_are_those_near_the_origin},
    {"reactions in round-off are told", reactions_in_round_off_are_told},
    {"reactions beside a light body are right", reactions_beside_a_light_body_are_right},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
