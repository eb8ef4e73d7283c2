// SPDX-License-Identifier: MIT
//
// Sampled systems over a million samples, with and without delay, at rates that have nothing to do
// with the step nor with each other: no sample is lost, doubled or late, and the values are those
// of a recursion by hand, bit for bit.

#include "tenon/tenon.h"
#include "test.h"

// A point that a force pushes by what is sampled. `map` forgets nothing: with one sample more or
// less all its digits are others.
static const char text[] =
    "tenon: 1\n"
    "bodies: {slide: {kind: point-2d, mass: 1}}\n"
    "sampled:\n"
    "  fast:\n"
    "    every: 1e-3\n"
    "    delay: %s\n"
    "    initial: {map: 0.3}\n"
    "    next: {count: count + 1, clock: t, map: 3.9*map*(1 - map)}\n"
    "  slow:\n"
    "    every: 0.0173205080756887729\n"
    "    delay: %s\n"
    "    next: {count: count + 1, seen: fast.count, map: 0.5*map + fast.map}\n"
    "forces:\n"
    "  push: {kind: point-force, body: slide, force: [1e-9*slow.map, 0]}\n";

static const double EVERY[2] = {1e-3, 0.0173205080756887729};

// By hand: values as they act and as computed last, and those that wait.
enum { COUNT, CLOCK, MAP, SLOW_COUNT, SEEN, SLOW_MAP, VALUES, QUEUE = 64 };

typedef struct recursion {
    double delay[2], acts[VALUES], last[VALUES], queue[2][QUEUE][3];
    long taken[2], acted[2];
    long samples; // of both
    double late;  // most that a sample was after its time [s]
} recursion;

static const double SOON = 1e-9; // far above round-off of times, far below what separates two

static double sample_time(const recursion *r, int k)
{
    return (double)r->taken[k] * EVERY[k];
}

static double act_time(const recursion *r, int k)
{
    return r->acted[k] < r->taken[k] ? (double)r->acted[k] * EVERY[k] + r->delay[k] : INFINITY;
}

static void compute(const recursion *r, double t, double *next)
{
    next[COUNT] = r->last[COUNT] + 1.0;
    next[CLOCK] = t;
    next[MAP] = 3.9 * r->last[MAP] * (1.0 - r->last[MAP]);
    next[SLOW_COUNT] = r->last[SLOW_COUNT] + 1.0;
    next[SEEN] = r->acts[COUNT];
    const double half = 0.5 * r->last[SLOW_MAP];
    next[SLOW_MAP] = half + r->acts[MAP];
}

// All that happens at the time t of the simulation, which is that of the hand but for round-off.
static void happen(recursion *r, double t)
{
    double next[VALUES];
    compute(r, t, next);
    for (int k = 0; k < 2; k++) {
        if (fabs(act_time(r, k) - t) < SOON)
            memcpy(r->acts + 3 * k, r->queue[k][r->acted[k]++ % QUEUE], 3 * sizeof(double));
        if (fabs(sample_time(r, k) - t) > SOON)
            continue;
        r->late = fmax(r->late, fabs(sample_time(r, k) - t));
        r->samples++;
        memcpy(r->last + 3 * k, next + 3 * k, 3 * sizeof(double));
        memcpy(r->queue[k][r->taken[k]++ % QUEUE], next + 3 * k, 3 * sizeof(double));
        if (r->delay[k] == 0.0)
            memcpy(r->acts + 3 * k, r->queue[k][r->acted[k]++ % QUEUE], 3 * sizeof(double));
    }
}

static bool is_overdue(const recursion *r, double t)
{
    double next = INFINITY;
    for (int k = 0; k < 2; k++)
        next = fmin(next, fmin(sample_time(r, k), act_time(r, k)));
    return next < t + SOON;
}

// After every step: no time of the hand has been passed, and values are the same.
static tn_status compare(void *user, tn_sim *sim)
{
    recursion *r = user;
    const double t = tn_sim_time(sim), *values = tn_sim_sampled(sim);
    happen(r, t);
    if (is_overdue(r, t) || memcmp(values, r->acts, sizeof r->acts) ||
        memcmp(values + VALUES, r->last, sizeof r->last))
        return tn_fail(TN_ERR_NUMERIC, "at t = %.17g s values are others than by hand", t);
    return TN_OK;
}

static void run(const char *method, bool adaptive, const double delay[2], double t_end)
{
    char model_text[2000], numbers[2][40];
    recursion r = {.delay = {delay[0], delay[1]}};
    r.acts[MAP] = r.last[MAP] = 0.3;
    for (int k = 0; k < 2; k++)
        snprintf(numbers[k], sizeof numbers[k], "%.17g", delay[k]);
    snprintf(model_text, sizeof model_text, text, numbers[0], numbers[1]);
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(model_text, "slide.yaml", &model, NULL));
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = adaptive;
    options.step = 0.37;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(compare(&r, sim));
    CHECK_OK(tn_sim_run(sim, t_end, compare, &r));
    CHECK_NEAR(tn_sim_time(sim), t_end, 1e-9);
    // The first sample is at the start.
    CHECK(r.taken[0] == (long)floor(t_end / EVERY[0] + 1e-6) + 1);
    CHECK(r.taken[1] == (long)floor(t_end / EVERY[1]) + 1);
    printf("%-22s %-10s delays %g, %g: %ld samples, at most %.1e s off\n", method,
           adaptive ? "controlled" : "fixed", delay[0], delay[1], r.samples, r.late);
    CHECK_NEAR(r.late, 0.0, 1e-12); // of 1000 s
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Of the fast and of the slow one; those of the slow one are longer than its period.
static const double NONE[2] = {0.0, 0.0}, ONE[2] = {0.0, 0.0411}, BOTH[2] = {3.7e-3, 0.0411};

// With TN_LONG all runs have a million samples.
static double length_of(double t)
{
    return getenv("TN_LONG") ? 1000.0 : t;
}

static void a_million_samples_are_where_they_belong(void)
{
    run("galpha/index3@absolute", false, ONE, 1000.0);
}

static void delays_may_be_longer_than_periods(void)
{
    run("galpha/index3@absolute", true, BOTH, length_of(100.0));
    run("dopri5@joint", false, BOTH, length_of(100.0));
}

static void every_integrator_meets_samples(void)
{
    static const char *const methods[] = {"dopri5@joint", "dop853/index1@absolute", "herk5@joint",
                                          "radau5@joint", "galpha@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        run(methods[k], false, k % 2 ? NONE : BOTH, length_of(20.0));
        run(methods[k], true, k % 2 ? BOTH : NONE, length_of(20.0));
    }
    run("bdf@joint", true, BOTH, 5.0);
    run("adams@joint", true, ONE, 5.0);
}

// Within a sampled system its own values have their names, whatever else has one of them; elsewhere
// the parameter has. From 0 to 1 s there are 11 samples.
static void own_values_go_before_parameters(void)
{
    static const char counter[] = "tenon: 1\n"
                                  "parameters: {a: 3, u: 7, z: 2}\n"
                                  "bodies: {slide: {kind: point-2d, mass: 1}}\n"
                                  "sampled:\n"
                                  "  s: {every: 0.1, next: {u: u + 1, w: a*u + z}}\n"
                                  "  other: {every: 0.1, next: {seen: u, a: a + z}}\n";
    static const double expected[] = {11.0, 3.0 * 10.0 + 2.0, 7.0, 22.0};
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    CHECK_OK(tn_model_parse(counter, "counter.yaml", &model, NULL));
    const tn_sim_options options = tn_default_sim();
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    for (int i = 0; i < TN_COUNT(expected); i++)
        CHECK_NEAR(tn_sim_sampled(sim)[i], expected[i], 0.0); // whole numbers
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"own values go before parameters", own_values_go_before_parameters},
    {"a million samples are where they belong", a_million_samples_are_where_they_belong},
    {"delays may be longer than periods", delays_may_be_longer_than_periods},
    {"every integrator meets samples", every_integrator_meets_samples},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
