// SPDX-License-Identifier: MIT
//
// Springs with tables: every integrator meets the points of linear ones, rest at a point costs
// nothing, and a table that must not be left ends the run where it is left.

#include "integrator/integrator.h"
#include "rail.h"

// 2 kg between springs of 200 N/m that begin 0.1 m to both sides, with 1 m/s at the middle: free
// flight and half a period by turns.
static double rattled(double t)
{
    const double w = 10.0, contact = 3.14159265358979323846 / w, period = 0.2 + contact;
    const double since = t - 0.1, n = floor(since / period), left = since - n * period;
    const double out = left < contact ? 0.1 + sin(w * left) / w : 0.1 - (left - contact);
    return fmod(n, 2.0) == 0.0 ? out : -out;
}

static tn_model *rattle(const char *spring)
{
    char force[400];
    snprintf(force, sizeof force,
             "%s, table: [[-1, -180], [-0.1, 0], [0.1, 0], [1, 180]], interpolation: linear",
             spring);
    return rail(force, "position: [0, 0], velocity: [1, 0]");
}

static void every_integrator_meets_points_of_linear_springs(void)
{
    static const char *const where[] = {"absolute", "joint", "director"};
    for (int k = 0; k < tn_integrator_count; k++)
        for (int c = 0; c < TN_COUNT(where); c++) {
            char name[64];
            if (!tn_integrators[k]->controlled)
                continue;
            tn_model *model = rattle("kind: joint-spring, free: 0");
            snprintf(name, sizeof name, "%s@%s", tn_integrators[k]->name, where[c]);
            const tn_sim_options o = method(name, 0.0);
            const rail_end end = run_rail(model, &o, 8.0);
            printf("%-18s off by %.1e, %ld steps\n", name, end.x - rattled(8.0), end.steps);
            CHECK_NEAR(end.x, rattled(8.0), 3e-5);
            tn_model_destroy(model);
        }
}

static void fixed_steps_keep_their_order_on_linear_springs(void)
{
    static const char *const names[] = {"galpha/ggl@absolute", "galpha/ggl@joint", "hht/ggl",
                                        "variational@director", "energy-momentum@director"};
    for (int k = 0; k < TN_COUNT(names); k++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            tn_model *model = rattle("kind: joint-spring, free: 0");
            const tn_sim_options o = method(names[k], i ? 5e-3 : 1e-2);
            error[i] = fabs(run_rail(model, &o, 4.0).x - rattled(4.0));
            tn_model_destroy(model);
        }
        printf("%-26s errors %.2e, %.2e\n", names[k], error[0], error[1]);
        CHECK(error[1] < error[0] / 3.3);
    }
}

// A wheel of 1 kg m^2 on a periodic torsion spring, which has no mean: energies at whole periods
// are those of the start, over many turns.
static void periodic_springs_count_turns(void)
{
    static const char text[] =
        "tenon: 1\nbodies:\n  wheel: {mass: 1, inertia: [1, 1, 1]}\n"
        "joints:\n  j: {kind: revolute, body: wheel, at: [0, 0, 0], axis: [0, 0, 1],"
        " initial: {rate: 3}}\n"
        "forces:\n  f: {kind: torsion-spring, bodies: [ground, wheel], at: [0, 0, 0],"
        " axis: [0, 0, 1], free: 0, table: [[0, 0], [0.3, 1], [0.9, -1], [1.2, 0]],"
        " interpolation: linear, beyond: periodic}\n";
    static const char *const names[] = {"dop853@absolute", "dop853@joint", "dop853@director"};
    double angle[3];
    for (int k = 0; k < 3; k++) {
        tn_model *model = parse(text);
        const tn_sim_options o = method(names[k], 0.0);
        const rail_end end = run_rail(model, &o, 20.0);
        const double y = end.x - 1.2 * floor(end.x / 1.2);
        const double force = y < 0.3 ? y / 0.3 : y < 0.9 ? 2.0 - y / 0.3 : y / 0.3 - 4.0;
        const double stored = y < 0.3   ? 0.5 * y * force
                              : y < 0.9 ? 0.3 - 0.15 * force * force
                                        : 0.15 * force * force;
        CHECK_NEAR(end.v * end.v, 9.0 - 2.0 * stored, 1e-5);
        CHECK(end.x > 50.0);
        angle[k] = end.x;
        tn_model_destroy(model);
    }
    CHECK_NEAR(angle[1], angle[0], 1e-5);
    CHECK_NEAR(angle[2], angle[0], 1e-5);
}

// A mass that comes to rest at a point of its table is not held up by it.
static void rest_at_a_point_of_a_table_costs_nothing(void)
{
    static const char *const names[] = {"dopri5", "radau5/ggl", "bdf/ggl"};
    for (int k = 0; k < TN_COUNT(names); k++) {
        tn_model *model = rail("kind: joint-spring, damping: 4, free: 0, table: [[-1, -100], "
                               "[0, 0], [1, 20]], interpolation: linear",
                               "position: [0, 0], velocity: [1, 0]");
        const tn_sim_options o = method(names[k], 0.0);
        const rail_end end = run_rail(model, &o, 100.0);
        printf("%-12s %ld steps\n", names[k], end.steps);
        CHECK(fabs(end.x) < 1e-6 && end.steps < 1500);
        tn_model_destroy(model);
    }
}

// What rest is, is a matter of the tolerance of lengths, where one is stated.
static void rest_is_told_by_the_tolerance_of_lengths(void)
{
    tn_model *model = rail("kind: joint-spring, damping: 0.4, free: 0, table: [[-1, -100], "
                           "[0, 0], [1, 20]], interpolation: linear",
                           "position: [0, 0], velocity: [1, 0]");
    tn_sim_options o = method("radau5/ggl", 0.0);
    o.rtol = o.atol_length = o.atol_speed = 1e-5;
    o.atol = 1e-15;
    const rail_end end = run_rail(model, &o, 300.0);
    printf("%ld steps\n", end.steps);
    CHECK(fabs(end.x) < 1e-4 && end.steps < 930); // 805; 1060 where the point is met to the last
    tn_model_destroy(model);
}

static void a_spring_that_leaves_its_table_ends_the_run(void)
{
    static const char *const names[] = {"dopri5", "bdf/ggl", "galpha/ggl"};
    for (int k = 0; k < TN_COUNT(names); k++) {
        tn_model *model = rail("kind: joint-spring, free: 0, table: [[-1, 0], [1, 0]], "
                               "beyond: error",
                               "position: [0, 0], velocity: [2, 0]");
        const tn_sim_options o = method(names[k], k == 2 ? 0.03 : 0.0);
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &o, &sim));
        CHECK_STATUS(tn_sim_run(sim, 2.0, NULL, NULL), TN_ERR_NUMERIC);
        CHECK(strstr(tn_last_error(), "force 'f' is beyond its table from t = 0.5 s on"));
        CHECK_NEAR(tn_sim_time(sim), 0.5, 1e-9);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// x = 2 t - t^2 is beyond 0.99 from 0.9 s to 1.1 s, for methods of high order within one step.
static void a_spring_that_comes_back_to_its_table_has_left_it(void)
{
    static const char *const names[] = {"dop853/minimal@joint", "dopri5", "radau5/ggl",
                                        "bdf/ggl@absolute",     "adams",  "galpha/ggl"};
    tn_model *model = rail("kind: motor, effort: -4}\n  s: {joint: rail, kind: joint-spring, "
                           "free: 0, table: [[-1, 0], [0.99, 0]], beyond: error",
                           "position: [0, 0], velocity: [2, 0]");
    for (int k = 0; k < TN_COUNT(names); k++) {
        const tn_sim_options o = method(names[k], k == 5 ? 0.03 : 0.0);
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &o, &sim));
        CHECK_STATUS(tn_sim_run(sim, 2.0, NULL, NULL), TN_ERR_NUMERIC);
        if (!strstr(tn_last_error(), "force 's' is beyond its table from t = 0.9 s on"))
            printf("%s: %s\n", names[k], tn_last_error());
        CHECK(strstr(tn_last_error(), "force 's' is beyond its table from t = 0.9 s on"));
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static void a_spline_of_a_spring_that_swings_is_told(void)
{
    tn_model *model = rail("kind: joint-spring, table: [[-0.03, -2000], [-0.02, -500], [-0.01, 0], "
                           "[0.01, 0], [0.011, 1500], [0.03, 2000]], interpolation: spline",
                           "position: [0, 0]");
    CHECK(tn_model_note_count(model) == 1);
    CHECK(strstr(tn_model_note(model, 0), "force 'f': table: near deflection = "));
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"every integrator meets points of linear springs",
     every_integrator_meets_points_of_linear_springs},
    {"fixed steps keep their order on linear springs",
     fixed_steps_keep_their_order_on_linear_springs},
    {"periodic springs count turns", periodic_springs_count_turns},
    {"rest at a point of a table costs nothing", rest_at_a_point_of_a_table_costs_nothing},
    {"rest is told by the tolerance of lengths", rest_is_told_by_the_tolerance_of_lengths},
    {"a spring that leaves its table ends the run", a_spring_that_leaves_its_table_ends_the_run},
    {"a spring that comes back to its table has left it",
     a_spring_that_comes_back_to_its_table_has_left_it},
    {"a spline of a spring that swings is told", a_spline_of_a_spring_that_swings_is_told},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
