// SPDX-License-Identifier: MIT
//
// Friction in joints against equations by hand, which are integrated here by the rule of Runge and
// Kutta without anything of the library: a block on a slope that sticks and slips, a pendulum whose
// bearing is loaded by its reaction, a mass that a spring drags in jerks; and a slide that jams.

#include "tenon/tenon.h"
#include "test.h"

#include <string.h>

static const double G = 9.81;

// By hand -----------------------------------------------------------------------------------------

enum { MOST = 3 };
typedef void (*hand_rate)(double t, const double *y, double *rate);

static void runge_kutta(hand_rate rate, int n, double end, int steps, double *y)
{
    const double h = end / steps, c[4] = {0.0, 0.5, 0.5, 1.0}, w[4] = {1, 2, 2, 1};
    for (int s = 0; s < steps; s++) {
        double k[4][MOST] = {{0}}, at[MOST];
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < n; j++)
                at[j] = y[j] + (i > 0 ? c[i] * h * k[i - 1][j] : 0.0);
            rate(s * h + c[i] * h, at, k[i]);
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < n; j++)
                y[j] += h / 6.0 * w[i] * k[i][j];
    }
}

static double coefficient(double u)
{
    return 0.3 + 0.1 * exp(-(u / 0.05) * (u / 0.05));
}

static double regularised(double u)
{
    return coefficient(u) * u / sqrt(u * u + 1e-2 * 1e-2);
}

// Models ------------------------------------------------------------------------------------------

// Position and speed of the first joint at the end; the balance of energy closes.
static void run_by(const char *text, const char *method, double end, double x[2])
{
    const bool second_order = strncmp(method, "galpha", 6) == 0;
    tn_sim *sim = tn_test_open_text(text, method, 0.0, second_order ? 1e-8 : 1e-9);
    double q[3], rate[3];
    tn_ledger ledger;
    CHECK_OK(tn_sim_run(sim, end, NULL, NULL));
    tn_sim_joint_coordinates(sim, (tn_joint){0}, q, rate);
    x[0] = q[0];
    x[1] = rate[0];
    tn_sim_ledger(sim, &ledger);
    CHECK(tn_ledger_relative_balance(&ledger) < (second_order ? 1e-4 : 1e-6));
    tn_sim_destroy(sim);
}

static void compare_methods(const char *text, double end, const double expected[2])
{
    static const struct {
        const char *name;
        double tol;
    } method[] = {{"radau5/ggl@absolute", 1e-7},
                  {"bdf/index2@joint", 1e-6},
                  {"dop853/index1@absolute", 1e-7},
                  {"galpha/ggl@joint", 1e-4}};
    for (int k = 0; k < TN_COUNT(method); k++) {
        double x[2];
        run_by(text, method[k].name, end, x);
        CHECK_NEAR(x[0], expected[0], method[k].tol);
        CHECK_NEAR(x[1], expected[1], method[k].tol);
    }
}

// A block on a slope ------------------------------------------------------------------------------

#define SLOPE(downhill, force)                                                       \
    "tenon: 1\n"                                                                     \
    "gravity: [" downhill ", 0, -9.81]\n"                                            \
    "bodies: {block: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"                         \
    "joints: {slope: {kind: prismatic, bodies: [ground, block], axis: [1, 0, 0]}}\n" \
    "forces:\n  rub: {" force ", joint: slope, coulomb: 0.3, static: 0.4, stribeck: 0.05}\n"

static void sliding_rate(double t, const double *y, double *rate)
{
    rate[0] = y[1];
    rate[1] = 5.0 - G * regularised(y[1]);
}

static void a_block_slides_as_by_hand(void)
{
    double y[2] = {0};
    runge_kutta(sliding_rate, 2, 0.5, 20000, y);
    CHECK(y[0] > 0.1);
    compare_methods(SLOPE("5", "kind: friction, speed: 0.01"), 0.5, y);
}

// The same with forces of 1e-8 of these, which takes 1e4 times as long.
static void a_block_slides_under_weak_gravity_alike(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [5e-8, 0, -9.81e-8]\n"
        "bodies: {block: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
        "joints: {slope: {kind: prismatic, bodies: [ground, block], axis: [1, 0, 0]}}\n"
        "forces:\n"
        "  rub: {kind: friction, speed: 1e-6, joint: slope, coulomb: 0.3, static: 0.4,\n"
        "        stribeck: 0.05e-4}\n";
    double y[2] = {0}, x[2];
    runge_kutta(sliding_rate, 2, 0.5, 20000, y);
    run_by(text, "radau5/ggl@joint", 0.5e4, x);
    CHECK_NEAR(x[0], y[0], 1e-6 * y[0]); // what the rounding of loads leaves is 1e-11
    CHECK_NEAR(1e4 * x[1], y[1], 1e-6 * y[1]);
}

// At 0.9 of the angle of friction, 0.9 * 0.4 * 9.81 = 3.5316.
static void bristles_hold_a_block(void)
{
    static const char text[] =
        SLOPE("3.5316", "kind: lugre, stiffness: 1000, damping: 10, viscous: 0.5");
    double x[2];
    run_by(text, "radau5/ggl@joint", 100.0, x);
    CHECK_NEAR(x[0], 0.0, 1e-6);
    run_by(text, "bdf/ggl@absolute", 100.0, x);
    CHECK_NEAR(x[0], 0.0, 1e-6);
}

static void bristle_rate(double t, const double *y, double *rate)
{
    const double u = y[1], z = y[2];
    rate[0] = u;
    rate[2] = u - 1000.0 * (sqrt(u * u + 1e-18) - 1e-9) * z / coefficient(u);
    rate[1] = 3.5316 - sqrt(G * G + 0.25e-12) * (1000.0 * z + 10.0 * rate[2]) - 0.25 * u;
}

static void bristles_that_start_straight_bend_as_by_hand(void)
{
    double y[3] = {0};
    runge_kutta(bristle_rate, 3, 0.5, 40000, y);
    CHECK(y[0] > 1e-4);
    compare_methods(
        SLOPE("3.5316", "kind: lugre, stiffness: 1000, damping: 10, viscous: 0.5, bristle: 0"), 0.5,
        y);
}

// A pendulum with friction in its bearing ---------------------------------------------------------

static const char pendulum[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {rod: {mass: 2, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0]}}\n"
    "joints: {pin: {kind: revolute, bodies: [ground, rod], axis: [0, 1, 0]}}\n"
    "forces: {rub: {kind: friction, joint: pin, coulomb: 0.3, static: 0.4, stribeck: 0.05,\n"
    "               speed: 0.01, radius: 0.1, viscous: 0.2}}\n";

// The load of the bearing is the reaction m (c'' - g), which depends on the acceleration itself.
static void pendulum_rate(double t, const double *y, double *rate)
{
    const double m = 2.0, l = 0.5, J = 0.1 + m * l * l, r = 0.1;
    const double s = sin(y[0]), c = cos(y[0]), w = y[1];
    double a = 0.0;
    for (int k = 0; k < 60; k++) {
        const double fx = m * l * (-a * s - w * w * c), fz = m * (l * (-a * c + w * w * s) + G);
        const double load = sqrt(fx * fx + fz * fz + 1e-12);
        a = (m * G * l * c - r * load * regularised(r * w) - 0.2 * r * r * w) / J;
    }
    rate[0] = w;
    rate[1] = a;
}

static void a_pendulum_swings_as_by_hand(void)
{
    double y[2] = {0};
    runge_kutta(pendulum_rate, 2, 2.0, 20000, y);
    compare_methods(pendulum, 2.0, y);
}

// Stick and slip ----------------------------------------------------------------------------------

static const char dragged[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {mass: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
    "joints: {way: {kind: prismatic, bodies: [ground, mass], axis: [1, 0, 0]}}\n"
    "forces:\n"
    "  spring: {kind: motor, joint: way, effort: 40*(0.1*t - way.displacement)}\n"
    "  rub: {kind: lugre, joint: way, coulomb: 0.3, static: 0.4, stribeck: 0.05, load: 9.81,\n"
    "        stiffness: 1000, damping: 10, viscous: 0.5}\n";

static void dragged_rate(double t, const double *y, double *rate)
{
    const double u = y[1], z = y[2];
    rate[0] = u;
    rate[2] = u - 1000.0 * (sqrt(u * u + 1e-18) - 1e-9) * z / coefficient(u);
    rate[1] = 40.0 * (0.1 * t - y[0]) - G * (1000.0 * z + 10.0 * rate[2]) - 0.5 * u;
}

// Several periods of the limit cycle, after which the mass is where the equations say.
static void a_dragged_mass_sticks_and_slips_as_by_hand(void)
{
    double y[3] = {0}, x[2];
    runge_kutta(dragged_rate, 3, 8.0, 400000, y);
    run_by(dragged, "radau5/ggl@absolute", 8.0, x);
    CHECK_NEAR(x[0], y[0], 1e-6);
    run_by(dragged, "dop853@joint", 8.0, x);
    CHECK_NEAR(x[0], y[0], 1e-6);
    tn_sim *sim = tn_test_open_text(dragged, "radau5/ggl@absolute", 0.0, 1e-6);
    tn_ledger ledger;
    CHECK_OK(tn_sim_run(sim, 8.0, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    CHECK(ledger.events >= 2); // it breaks away once in each period
    tn_sim_destroy(sim);
}

// A slide that jams -------------------------------------------------------------------------------

// The centre of mass stands 1 m above a guide of 0.1 m: any force of inertia presses the guide by
// more than itself, 0.3 * 2 * 1 / 0.1 = 6 times. No deceleration is consistent with friction, as in
// the example of Painleve.
static void a_slide_that_jams_is_told(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {slide: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0, 1]}}\n"
        "joints: {way: {kind: prismatic, bodies: [ground, slide], axis: [1, 0, 0],\n"
        "               initial: {rate: 1}}}\n"
        "forces: {rub: {kind: friction, joint: way, coulomb: 0.3, length: 0.1}}\n";
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    const tn_sim_options options = tn_default_sim();
    CHECK_OK(tn_model_parse(text, "jam.yaml", &model, NULL));
    CHECK(tn_sim_create(model, &options, &sim) != TN_OK);
    CHECK(strstr(tn_last_error(), "multipliers"));
    tn_model_destroy(model);
}

// A rod that digs in ------------------------------------------------------------------------------

// A rod of 2 m and 1 kg that leans by the angle a slides with its lower end ahead over rough
// ground. With c = cos a, s = sin a the load is N = (g - s a'^2)/p, p = 1 + 3 c (c - mu s), and
// a'' = 3 N (mu s - c). For mu > 4/3 there are angles with p < 0, where no load or two loads are
// possible (Painleve); where p becomes zero the load grows without bounds.
static const double rough = 2.0;

static double load_of(const double y[2])
{
    const double c = cos(y[0]), s = sin(y[0]);
    return (9.81 - s * y[1] * y[1]) / (1.0 + 3.0 * c * (c - rough * s));
}

static double time_of_digging_in(void)
{
    const double h = 1e-6;
    double y[2] = {0.5, 1.0}, t = 0.0;
    while (load_of(y) < 1e5 && t < 1.0) { // by the midpoint rule
        double m[2] = {y[0], y[1]};
        for (int k = 0; k < 2; k++) {
            const double part = k == 0 ? 0.5 * h : h, turn = m[1];
            const double force = 3.0 * load_of(m) * (rough * sin(m[0]) - cos(m[0]));
            m[0] = y[0] + part * turn;
            m[1] = y[1] + part * force;
        }
        y[0] = m[0];
        y[1] = m[1];
        t += h;
    }
    return t;
}

static void a_rod_that_digs_in_is_told(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  shoe: {mass: 1e-4, inertia: [1e-7, 1e-7, 1e-7]}\n"
        "  rod: {mass: 1, inertia: [0.1, 0.33333333333333333, 0.33333333333333333], com: [1, 0, "
        "0]}\n"
        "joints:\n"
        "  floor: {kind: prismatic, bodies: [ground, shoe], axis: [1, 0, 0], initial: {rate: "
        "-10}}\n"
        "  tip: {kind: revolute, bodies: [shoe, rod], axis: [0, -1, 0],\n"
        "        initial: {position: 0.5, rate: 1}}\n"
        "forces: {rub: {kind: friction, joint: floor, coulomb: 2}}\n";
    static const char *const methods[] = {"radau5/ggl@absolute", "bdf/ggl@joint",
                                          "galpha/ggl@absolute", "galpha/index3@joint",
                                          "dop853@joint",        "herk5@absolute"};
    const double expected = time_of_digging_in();
    CHECK_NEAR(expected, 0.1004, 1e-4);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        double t = 0.0;
        tn_sim *sim = tn_test_open_text(text, methods[k], 0.0, 1e-6);
        CHECK(tn_sim_run(sim, 1.0, NULL, NULL) == TN_ERR_NUMERIC);
        const char *at = strstr(tn_last_error(), "at t = ");
        CHECK(at && sscanf(at, "at t = %lf s", &t) == 1);
        CHECK_NEAR(t, expected, 2e-4);
        CHECK(strstr(tn_last_error(), "joint 'floor'"));
        CHECK(strstr(tn_last_error(), "no longer determined"));
        CHECK(tn_sim_time(sim) <= t + 1e-6);
        tn_sim_destroy(sim);
    }
}

// A door on two hinges: how they share the load is not determined.
static void loads_that_are_not_unique_are_refused(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {door: {mass: 1, inertia: [1, 1, 1], com: [0.3, 0, 0]}}\n"
        "joints:\n"
        "  low: {kind: revolute, bodies: [ground, door], axis: [0, 1, 0]}\n"
        "  high: {kind: revolute, bodies: [ground, door], axis: [0, 1, 0], at: [0, 1, 0]}\n"
        "forces: {rub: {kind: friction, joint: low, coulomb: 0.2, radius: 0.1}}\n";
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    const tn_sim_options options = tn_default_sim();
    CHECK_OK(tn_model_parse(text, "door.yaml", &model, NULL));
    CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_MODEL);
    CHECK(strstr(tn_last_error(), "do not determine"));
    tn_model_destroy(model);
}

// Sizes -------------------------------------------------------------------------------------------

// An arm that swings in a bearing with friction; all its numbers follow from a length and a mass.
static void swing_arm(const char *size, const char *kind, double x[2])
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "tenon: 1\n"
        "gravity: [0, 0, -9.81*L]\n"
        "parameters: {%s}\n"
        "bodies: {arm: {mass: m, com: [L, 0, 0.1*L], inertia: [m*L^2/9, m*L^2/8, m*L^2/8]}}\n"
        "joints: {pin: {kind: revolute, bodies: [ground, arm], axis: [0, 1, 0]}}\n"
        "forces: {rub: {joint: pin, coulomb: 0.2, static: 0.3, stribeck: 0.05*L, radius: 0.1*L,"
        " length: 0.5*L, %s}}\n",
        size, kind);
    run_by(text, "radau5/ggl@absolute", 0.5, x);
}

// By weight the load of a small part is as well known as that of a large one.
static void small_mechanisms_rub_as_large_ones(void)
{
    static const char *const kinds[] = {"kind: friction, speed: 0.01*L",
                                        "kind: lugre, stiffness: 100/L, damping: 1/L, bristle: 0"};
    static const char *const sizes[] = {"L: 1e-3, m: 1e-3", "L: 1e-3, m: 1e-9", "L: 20, m: 1e5",
                                        "L: 1e-6, m: 1e-9"};
    for (int k = 0; k < TN_COUNT(kinds); k++)
        for (int i = 0; i < TN_COUNT(sizes); i++) {
            double x[2], y[2];
            swing_arm("L: 1, m: 1", kinds[k], x);
            swing_arm(sizes[i], kinds[k], y);
            printf("%s: angle off by %.1e, rate by %.1e\n", sizes[i], y[0] - x[0], y[1] - x[1]);
            CHECK_NEAR(y[0], x[0], 1e-6);
            CHECK_NEAR(y[1], x[1], 1e-6);
        }
}

// Mistakes ----------------------------------------------------------------------------------------

static void mistakes_are_named(void)
{
    static const struct {
        const char *force, *says;
    } wrong[] = {
        {"kind: friction, joint: pin, coulomb: 0.3", "state the friction radius"},
        {"kind: friction, joint: pin, coulomb: 0.3, static: 0.2, radius: 1", "below coulomb"},
        {"kind: friction, joint: ball, coulomb: 0.3", "friction acts in revolute"},
        {"kind: lugre, joint: knee, coulomb: 0.3, stiffness: 9", "state the friction radius"},
    };
    for (int k = 0; k < TN_COUNT(wrong); k++) {
        char text[2000];
        tn_model *model = NULL;
        snprintf(text, sizeof text,
                 "tenon: 1\n"
                 "bodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
                 "  c: {mass: 1, inertia: [1, 1, 1]}\n"
                 "joints:\n  pin: {kind: revolute, bodies: [ground, a]}\n"
                 "  ball: {kind: universal, bodies: [a, b]}\n"
                 "  knee: {kind: spherical, bodies: [b, c]}\n"
                 "forces: {rub: {%s}}\n",
                 wrong[k].force);
        CHECK(tn_model_parse(text, "wrong.yaml", &model, NULL) == TN_ERR_MODEL);
        if (!strstr(tn_last_error(), wrong[k].says))
            printf("%s\n", tn_last_error());
        CHECK(strstr(tn_last_error(), wrong[k].says));
    }
}

// What brakes would drive.
static void numbers_that_become_negative_end_a_run(void)
{
    static const struct {
        const char *force, *says;
        double until;
    } cases[] = {
        {"kind: friction, coulomb: 0.02, load: 1 - 2*t + 0*rail.displacement",
         "text.yaml:4:66: force 'rub': load is ", 0.5},
        {"kind: lugre, coulomb: 0.02, stiffness: 1e3, damping: 9, load: 1 - 2*rail.displacement",
         "text.yaml:4:91: force 'rub': load is ", 0.5},
        {"kind: joint-spring, free: 0, damping: 0.01 - 0.02*t - 0*rail.displacement",
         "text.yaml:4:67: force 'rub': damping is ", 0.5},
        {"kind: friction, coulomb: 0.02, load: -3 + 0*rail.displacement",
         "text.yaml:4:66: force 'rub': load is -3 N by its expression at t = 0 s, out of its range "
         "since t = 0 s; it must not be negative, so that the run ends there; max(0, ...) keeps it "
         "from that",
         -1.0},
        {"kind: friction, coulomb: 0.02, load: 'max(0, 1 - 2*rail.displacement)'", "", 2.0},
    };
    static const char *const methods[] = {"radau5/ggl@absolute", "dop853@joint",
                                          "radau5/ggl@director"};
    for (int k = 0; k < TN_COUNT(cases); k++)
        for (int i = 0; i < TN_COUNT(methods); i++) {
            char text[1000];
            double end = -1.0;
            tn_model *model = NULL;
            tn_sim *sim = NULL;
            tn_sim_options options = tn_default_sim();
            options.method = methods[i];
            snprintf(text, sizeof text,
                     "tenon: 1\n"
                     "bodies: {block: {mass: 1, inertia: [1, 1, 1]}}\n"
                     "joints: {rail: {kind: prismatic, bodies: [ground, block], axis: [1, 0, 0], "
                     "initial: {rate: 1}}}\n"
                     "forces: {rub: {joint: rail, %s}}\n",
                     cases[k].force);
            CHECK_OK(tn_model_parse(text, "text.yaml", &model, NULL));
            tn_status status = tn_sim_create(model, &options, &sim);
            if (status == TN_OK)
                status = tn_sim_run(sim, 2.0, NULL, NULL);
            if (sim)
                end = tn_sim_time(sim);
            CHECK_STATUS(status, cases[k].until == 2.0 ? TN_OK : TN_ERR_NUMERIC);
            if (status != TN_OK && strstr(tn_last_error(), cases[k].says) != tn_last_error())
                CHECK_TEXT(tn_last_error(), cases[k].says);
            CHECK(end <= cases[k].until + 0.02 && (k < 4 || end == 2.0)); // and speeds near 1
            tn_sim_destroy(sim);
            tn_model_destroy(model);
        }
}

// Where fixed explicit steps would become infinite: at the start, or when the surfaces are fast.
static void bristles_too_fast_for_a_step_are_told(void)
{
    static const char *const methods[] = {"dopri5/index1@joint", "herk5/index2@absolute"};
    static const double push[] = {0.8, 0.0};
    for (int k = 0; k < 4; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "tenon: 1\n"
                 "gravity: [5, 0, -9.81]\n"
                 "bodies: {block: {mass: 3, inertia: [1, 1, 1]}}\n"
                 "joints: {rail: {kind: prismatic, bodies: [ground, block], axis: [1, 0, 0], "
                 "initial: {rate: %g}}}\n"
                 "forces: {rub: {kind: lugre, joint: rail, coulomb: 0.2, static: 0.35, stribeck: "
                 "0.05, stiffness: 1000, damping: 3, bristle: 0}}\n",
                 push[k / 2]);
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_sim_options options = tn_default_sim();
        options.method = methods[k % 2];
        options.step = 4e-3;
        options.adaptive = false;
        CHECK_OK(tn_model_parse(text, "text.yaml", &model, NULL));
        tn_status status = tn_sim_create(model, &options, &sim);
        CHECK_STATUS(status, push[k / 2] > 0.0 ? TN_ERR_PAIRING : TN_OK);
        if (status == TN_OK)
            status = tn_sim_run(sim, 3.0, NULL, NULL);
        CHECK(status == TN_ERR_PAIRING || status == TN_ERR_NUMERIC);
        CHECK(strstr(tn_last_error(), "force 'rub': its bristles relax at"));
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Gears and balls have no coordinate of their own.
static void gears_and_balls_rub(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
        "  c: {mass: 1, inertia: [1, 1, 1], com: [1, 0, 0]}\n"
        "joints:\n  one: {kind: revolute, bodies: [ground, a], initial: {rate: 3}}\n"
        "  two: {kind: revolute, bodies: [ground, b]}\n"
        "  ball: {kind: spherical, bodies: [ground, c]}\n"
        "  teeth: {kind: gear, joint_1: one, joint_2: two}\n"
        "forces:\n"
        "  brake: {kind: motor, joint: two, effort: -1}\n"
        "  mesh: {kind: friction, joint: teeth, coulomb: 0.05, radius: 0.1}\n"
        "  socket: {kind: friction, joint: ball, coulomb: 0.2, radius: 0.05}\n";
    double x[2], y[2];
    run_by(text, "radau5/ggl@absolute", 0.5, x);
    run_by(text, "bdf/ggl@joint", 0.5, y);
    CHECK_NEAR(y[0], x[0], 1e-6);
    CHECK_NEAR(y[1], x[1], 1e-6);
}

// Bristles whose damping would brake too much for a start were they straight: these of a slide that
// slips are bent, and friction is that of the slip.
static void bristles_of_a_slide_that_slips_are_bent(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  A: {kind: planar, mass: 0.67, inertia: 0.036}\n"
        "  B: {kind: planar, mass: 2.87, inertia: 0.134, initial: {position: [0.75, 0]}}\njoints:\n"
        "  j0: {kind: revolute, bodies: [ground, A], at: [0, 0]}\n"
        "  j1: {kind: prismatic, bodies: [A, B], at: [0.5, 0], axis: [0.5, 0.95]}\n"
        "  r1: {kind: position-row, row: B.position.y - 0.15*t - j1.displacement*0.3}\nforces:\n"
        "  js: {kind: joint-spring, joint: j0, stiffness: 20}\n"
        "  fr: {kind: lugre, joint: j1, coulomb: 0.1, stiffness: 1e3, damping: 20%s}\n";
    static const char *const bristle[] = {"", ", bristle: 1e-4"}; // mu/sigma_0
    double x[2] = {0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        char stated[sizeof text + 20];
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        snprintf(stated, sizeof stated, text, bristle[i]);
        const tn_sim_options o = tn_default_sim();
        CHECK_OK(tn_model_parse(stated, "text", &model, NULL));
        CHECK_OK(tn_sim_create(model, &o, &sim));
        CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
        x[i] = tn_sim_body_frame(sim, tn_model_find_body(model, "B")).p.x;
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
    printf("%.9f, with bristles as stated %.9f\n", x[0], x[1]);
    CHECK_NEAR(x[0], x[1], 1e-6);
}

static const tn_test tests[] = {
    {"a block slides as by hand", a_block_slides_as_by_hand},
    {"a block slides under weak gravity alike", a_block_slides_under_weak_gravity_alike},
    {"bristles hold a block", bristles_hold_a_block},
    {"bristles that start straight bend as by hand", bristles_that_start_straight_bend_as_by_hand},
    {"bristles of a slide that slips are bent", bristles_of_a_slide_that_slips_are_bent},
    {"a pendulum swings as by hand", a_pendulum_swings_as_by_hand},
    {"a dragged mass sticks and slips as by hand", a_dragged_mass_sticks_and_slips_as_by_hand},
    {"a slide that jams is told", a_slide_that_jams_is_told},
    {"a rod that digs in is told", a_rod_that_digs_in_is_told},
    {"loads that are not unique are refused", loads_that_are_not_unique_are_refused},
    {"gears and balls rub", gears_and_balls_rub},
    {"small mechanisms rub as large ones", small_mechanisms_rub_as_large_ones},
    {"numbers that become negative end a run", numbers_that_become_negative_end_a_run},
    {"bristles too fast for a step are told", bristles_too_fast_for_a_step_are_told},
    {"mistakes are named", mistakes_are_named},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
