// SPDX-License-Identifier: MIT
//
// Studies: distances of made-up rows, sizes, observed orders, the cheapest run, names of methods.

#include "integrator/integrator.h"
#include "study/study.h"
#include "tenon/io.h"
#include "test.h"

// The slot repeats the pin, so that some multipliers are not determined.
static const char source[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  rod: {mass: 1, inertia: [1, 1, 1], initial: {position: [1, 0, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, body: rod, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  slot: {kind: point-in-plane, body: rod, at: [1, 0, 0], axis: [0, 0, 1]}\n";

enum { ROWS = 6, WIDTH = TN_STUDY_BODY + ROWS };

typedef struct {
    tn_model *model;
    tn_study *study;
} bench;

static bench open_bench(int ntime, const double *time)
{
    bench b = {0};
    tn_simulate simulate;
    CHECK_OK(tn_model_parse(source, "rod.yaml", &b.model, &simulate));
    CHECK_OK(tn_study_create(b.model, &simulate.options, ntime, time, &b.study));
    CHECK(tn_study_width(b.study) == WIDTH);
    return b;
}

static void close_bench(bench *b)
{
    tn_study_destroy(b->study);
    tn_model_destroy(b->model);
}

// A row with position p along x, turned by an angle about z, velocity u along y, rate w about z.
static void make_row(double *row, double p, double angle, double u, double w)
{
    const double values[TN_STUDY_BODY] = {p, 0, 0, cos(angle / 2), 0, 0, sin(angle / 2), 0, u, 0,
                                          0, 0, w};
    memset(row, 0, WIDTH * sizeof(double));
    memcpy(row, values, sizeof(values));
}

static void distances_are_parts_of_the_sizes(void)
{
    const double time[] = {1.0};
    double reference[WIDTH], row[WIDTH];
    bench b = open_bench(1, time);

    make_row(reference, 4.0, 0.5, 10.0, 2.0);
    tn_study_measure(b.study, reference);
    tn_study_settle(b.study);
    CHECK_NEAR(b.study->facts.position, 4.0, 1e-15);
    CHECK_NEAR(b.study->facts.velocity, 10.0, 1e-15);
    CHECK_NEAR(b.study->facts.rate, 10.0 / 4.0, 1e-15); // what carries the body over its length
    CHECK_NEAR(b.study->facts.lambda, 1.0, 0.0);        // none acts

    tn_distance d = tn_study_distance(b.study, reference, reference);
    CHECK(d.q == 0.0 && d.v == 0.0 && d.lambda == 0.0);
    make_row(row, 4.0 + 4e-6, 0.5, 10.0, 2.0);
    CHECK_NEAR(tn_study_distance(b.study, row, reference).q, 1e-6, 1e-15);
    make_row(row, 4.0, 0.5, 10.0 + 1e-5, 2.0);
    CHECK_NEAR(tn_study_distance(b.study, row, reference).v, 1e-6, 1e-15);
    make_row(row, 4.0, 0.5, 10.0, 2.0 + 5e-6);
    CHECK_NEAR(tn_study_distance(b.study, row, reference).v, 2e-6, 1e-15);
    close_bench(&b);
}

// Angles count in radians, small ones to the last digits, and a quaternion and its negative are one
// rotation.
static void rotations_are_compared_by_their_angle(void)
{
    static const double angles[] = {1e-12, 1e-6, 0.1, 2.0, 3.1};
    const double time[] = {1.0};
    double reference[WIDTH], row[WIDTH];
    bench b = open_bench(1, time);

    make_row(reference, 1.0, 0.3, 1.0, 1.0);
    tn_study_measure(b.study, reference);
    tn_study_settle(b.study);
    for (int k = 0; k < TN_COUNT(angles); k++) {
        make_row(row, 1.0, 0.3 + angles[k], 1.0, 1.0);
        // Round-off of the quaternions themselves, times four: units in their last place.
        CHECK_NEAR(tn_study_distance(b.study, row, reference).q, angles[k], 4e-15);
        for (int i = 3; i < 7; i++)
            row[i] = -row[i];
        CHECK_NEAR(tn_study_distance(b.study, row, reference).q, angles[k], 4e-15);
    }
    close_bench(&b);
}

static void multipliers_that_are_not_determined_do_not_count(void)
{
    const double time[] = {1.0};
    double reference[WIDTH], row[WIDTH];
    bench b = open_bench(1, time);
    int determined = 0;

    make_row(reference, 1.0, 0.0, 1.0, 1.0);
    reference[TN_STUDY_BODY] = 5.0;
    tn_study_measure(b.study, reference);
    tn_study_settle(b.study);
    CHECK_NEAR(b.study->facts.lambda, 5.0, 0.0);
    for (int i = 0; i < ROWS; i++) {
        memcpy(row, reference, sizeof(row));
        row[TN_STUDY_BODY + i] += 0.5;
        const double expected = b.study->unique[i] ? 0.1 : 0.0;
        CHECK_NEAR(tn_study_distance(b.study, row, reference).lambda, expected, 1e-15);
        determined += b.study->unique[i];
    }
    CHECK(determined > 0 && determined < ROWS);
    close_bench(&b);
}

static void the_largest_of_all_times_counts_and_gaps_show(void)
{
    const double time[] = {0.5, 1.0};
    double reference[2 * WIDTH], rows[2 * WIDTH];
    bench b = open_bench(2, time);

    for (int k = 0; k < 2; k++) {
        make_row(reference + k * WIDTH, 1.0, 0.0, 1.0, 1.0);
        tn_study_measure(b.study, reference + k * WIDTH);
    }
    tn_study_settle(b.study);
    memcpy(rows, reference, sizeof(rows));
    rows[0] += 1e-3;
    rows[WIDTH] += 1e-6;
    CHECK_NEAR(tn_study_distance(b.study, rows, reference).q, 1e-3, 1e-15);
    rows[0] = NAN;
    CHECK(isnan(tn_study_distance(b.study, rows, reference).q));
    close_bench(&b);
}

// A body that turns about its own origin: lengths and speeds are those of its far end, so that
// round-off of the origin is no error.
static void frames_on_their_axes_do_not_magnify_roundoff(void)
{
    const double time[] = {1.0};
    double row[WIDTH];
    bench b = open_bench(1, time);

    CHECK_NEAR(b.study->lever, 1.0, 1e-15); // from the pin to the middle of the rod
    make_row(row, 1e-17, 0.0, 1e-16, 3.0);
    tn_study_measure(b.study, row);
    tn_study_settle(b.study);
    CHECK_NEAR(b.study->facts.position, 1.0, 1e-15);
    CHECK_NEAR(b.study->facts.velocity, 3.0, 1e-15);
    close_bench(&b);
}

static tn_trial trial_of(bool fixed, double value, long steps, double error, double cpu)
{
    return (tn_trial){.setting = {fixed, value},
                      .done = true,
                      .cpu = cpu,
                      .ledger = {.steps = steps, .evaluations = 10 * steps},
                      .error = {error, error, error}};
}

static void orders_follow_steps_or_their_mean(void)
{
    const double time[] = {2.0};
    bench b = open_bench(1, time);
    const tn_trial coarse = trial_of(true, 0.1, 20, 8e-3, 0),
                   fine = trial_of(true, 0.05, 40, 1e-3, 0);
    tn_trial loose = trial_of(false, 1e-4, 30, 1.6e-3, 0),
             tight = trial_of(false, 1e-6, 60, 1e-4, 0);

    CHECK_NEAR(tn_study_order(b.study, &coarse, &fine).q, 3.0, 1e-12);
    CHECK_NEAR(tn_study_order(b.study, &loose, &tight).v, 4.0, 1e-12);
    // Not where the reference itself is no better, nor where a run failed.
    b.study->facts.doubt = (tn_distance){1e-4, 1e-12, NAN};
    CHECK(isnan(tn_study_order(b.study, &loose, &tight).q));
    CHECK_NEAR(tn_study_order(b.study, &loose, &tight).v, 4.0, 1e-12);
    CHECK_NEAR(tn_study_order(b.study, &loose, &tight).lambda, 4.0, 1e-12);
    tight.done = false;
    CHECK(isnan(tn_study_order(b.study, &loose, &tight).v));
    close_bench(&b);
}

static void the_cheapest_run_is_found(void)
{
    const double time[] = {2.0};
    bench b = open_bench(1, time);
    const tn_trial runs[2][2] = {
        {trial_of(false, 1e-4, 10, 1e-3, 0.2), trial_of(false, 1e-6, 50, 1e-5, 0.9)},
        {trial_of(false, 1e-4, 20, 2e-4, 0.1), trial_of(false, 1e-6, 90, 1e-6, 0.3)}};

    for (int i = 0; i < 2; i++) {
        tn_series series = {.method = "some/method"};
        for (int k = 0; k < 2; k++)
            CHECK_OK(tn_array_push(&series.trials, runs[i][k]));
        CHECK_OK(tn_array_push(&b.study->series, series));
    }
    tn_best best = tn_study_best(b.study, 1e-2, TN_WORK_EVALUATIONS);
    CHECK(best.series == 0 && best.trial == 0 && best.work == 100.0);
    best = tn_study_best(b.study, 1e-2, TN_WORK_CPU);
    CHECK(best.series == 1 && best.trial == 0);
    best = tn_study_best(b.study, 1e-5, TN_WORK_EVALUATIONS);
    CHECK(best.series == 0 && best.trial == 1);
    CHECK(tn_study_best(b.study, 1e-9, TN_WORK_CPU).series == -1);
    close_bench(&b);
}

// Every pairing of the registries is known; what they do not have is refused with the words that a
// run would use.
static void names_of_methods_are_checked(void)
{
    const double time[] = {0.1};
    const char *names[TN_MOST_METHODS];
    bench b = open_bench(1, time);

    for (int i = 0; i < tn_integrator_count; i++)
        for (int j = 0; j < tn_formulation_count; j++) {
            char name[128];
            const bool legal = tn_pairing_is_legal(tn_integrators[i], tn_formulations[j]);
            snprintf(name, sizeof(name), "%s/%s", tn_integrators[i]->name,
                     tn_formulations[j]->name);
            CHECK_STATUS(tn_study_check_method(b.study, name), legal ? TN_OK : TN_ERR_PAIRING);
            snprintf(name, sizeof(name), "%s/%s+project@absolute", tn_integrators[i]->name,
                     tn_formulations[j]->name);
            CHECK((tn_study_check_method(b.study, name) == TN_OK) ==
                  (legal && tn_formulations[j]->projects));
        }
    CHECK_OK(tn_study_check_method(b.study, "auto"));
    CHECK_STATUS(tn_study_check_method(b.study, "galpa/ggl"), TN_ERR_USAGE);
    const int n = tn_study_methods(names);
    CHECK(n > 0);
    for (int k = 0; k < n; k++)
        CHECK_OK(tn_study_check_method(b.study, names[k]));
    close_bench(&b);
}

// The judge differs from the reference in its integrator where there is a second one of high order,
// and the two agree.
static void the_reference_is_judged(void)
{
    const double time[] = {0.1, 0.3};
    bench b = open_bench(2, time);

    CHECK_OK(tn_study_reference(b.study));
    CHECK(b.study->facts.source[0] != '\0' && b.study->facts.judge[0] != '\0');
    if (tn_find_integrator("dop853") && tn_find_integrator("radau5"))
        CHECK(strncmp(b.study->facts.source, b.study->facts.judge,
                      strcspn(b.study->facts.source, "/")) != 0);
    // Tight runs of high order; the loosest judge of this list has a tolerance of 1e-8.
    CHECK(b.study->facts.doubt.q < 1e-6 && b.study->facts.doubt.v < 1e-6 &&
          b.study->facts.doubt.lambda < 1e-6);
    // The rod falls about the pin from rest, at first with g m l / (I + m l^2) = 9.81/2 rad/s^2.
    CHECK_NEAR(b.study->values[12], -9.81 / 2 * 0.1, 1e-3);
    close_bench(&b);
}

// Otherwise a stated one would hold runs back, and the reference with them.
static void all_tolerances_go_with_rtol(void)
{
    const double time[] = {1.0};
    bench b = open_bench(1, time);
    b.study->options.rtol = 1e-4;
    b.study->options.atol = 1e-5;
    b.study->options.atol_length = 2e-3;
    b.study->options.atol_rate = 3e-3;
    const tn_sim_options o = tn_study_options(b.study, "bdf/ggl", (tn_setting){false, 1e-8});
    CHECK_NEAR(o.rtol, 1e-8, 1e-20);
    CHECK_NEAR(o.atol, 1e-9, 1e-20);
    CHECK_NEAR(o.atol_length, 2e-7, 1e-18);
    CHECK_NEAR(o.atol_rate, 3e-7, 1e-18);
    CHECK(o.atol_angle == 0.0 && o.atol_speed == 0.0);
    close_bench(&b);
}

static const tn_test tests[] = {
    {"all tolerances go with rtol", all_tolerances_go_with_rtol},
    {"distances are parts of the sizes", distances_are_parts_of_the_sizes},
    {"rotations are compared by their angle", rotations_are_compared_by_their_angle},
    {"multipliers that are not determined do not count",
     multipliers_that_are_not_determined_do_not_count},
    {"the largest of all times counts, and gaps show",
     the_largest_of_all_times_counts_and_gaps_show},
    {"frames on their axes do not magnify round-off", frames_on_their_axes_do_not_magnify_roundoff},
    {"orders follow steps or their mean", orders_follow_steps_or_their_mean},
    {"the cheapest run is found", the_cheapest_run_is_found},
    {"names of methods are checked", names_of_methods_are_checked},
    {"the reference is judged", the_reference_is_judged},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
