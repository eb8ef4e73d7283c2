// SPDX-License-Identifier: MIT
//
// When contacts lift off, by all integrators in all coordinates, against closed forms. The centre
// of a roller goes along a circle of radius L without friction:
//
//   dome   from the top, at speed v: N = m (g cos(th) - v(th)^2 / L) is zero where
//          cos(th) = (v^2 / (g L) + 2) / 3, and th' = sqrt(v^2 + 2 g L (1 - cos(th))) / L
//   ring   inside, from the bottom: N = m (v(th)^2 / L + g cos(th)) is positive for ever where
//          v^2 < 2 g L, when it turns back below the middle, or v^2 > 5 g L, when it goes round

#include "tenon/tenon.h"
#include "test.h"

#include <stdio.h>

static const double G = 9.81, DOME = 1.1, DOME_SPEED = 0.3, RING = 0.9;

static const char *const methods[] = {
    "dop853/index1+project",
    "dopri5/index1+project",
    "adams/index1+project",
    "dop853/nullspace+project",
    "herk5/index2",
    "radau5/ggl",
    "radau5/index2",
    "radau5/index1",
    "bdf/ggl",
    "bdf/index2",
    "galpha/ggl",
    "galpha/index3",
    "hht/ggl",
};
static const char *const coordinates[] = {"absolute", "joint", "director"};

static tn_model *roller_on_circle(bool inside, double speed)
{
    char text[600];
    tn_model *model = NULL;
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "gravity: [0, -9.81]\n"
             "bodies:\n"
             "  p: {kind: planar, mass: 0.5, inertia: 1,\n"
             "      initial: {position: [0, %.17g], velocity: [%.17g, 0]}}\n"
             "joints:\n"
             "  contact: {kind: cam, bodies: [ground, p], follower: roller, radius: 0.1,\n"
             "            x: cos(s), y: sin(s), other_side: %s}\n",
             inside ? -RING : DOME, speed, inside ? "true" : "false");
    CHECK_OK(tn_model_parse(text, "circle.yaml", &model, NULL));
    return model;
}

// The time to the angle th, by Simpson's rule.
static double dome_time(double th)
{
    enum { PARTS = 200000 };
    double sum = 0.0;
    for (int i = 0; i <= PARTS; i++) {
        const double x = th * i / PARTS, v2 = DOME_SPEED * DOME_SPEED;
        const double f = DOME / sqrt(v2 + 2.0 * G * DOME * (1.0 - cos(x)));
        sum += f * (i == 0 || i == PARTS ? 1.0 : i % 2 ? 4.0 : 2.0);
    }
    return sum * th / (3.0 * PARTS);
}

// NULL where the method does not know the coordinates.
static tn_sim *open_circle(const tn_model *model, const char *method, const char *in)
{
    char name[96];
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    snprintf(name, sizeof name, "%s@%s", method, in);
    options.method = name;
    if (tn_sim_create(model, &options, &sim) != TN_OK)
        printf("%s: %s\n", name, tn_last_error());
    return sim;
}

static void a_roller_leaves_a_dome_where_it_must(void)
{
    const double v2 = DOME_SPEED * DOME_SPEED;
    const double expected = dome_time(acos((v2 / (G * DOME) + 2.0) / 3.0));
    tn_model *model = roller_on_circle(false, DOME_SPEED);
    int told = 0;
    for (int k = 0; k < TN_COUNT(methods) * TN_COUNT(coordinates); k++) {
        const char *method = methods[k / TN_COUNT(coordinates)];
        const char *in = coordinates[k % TN_COUNT(coordinates)];
        tn_sim *sim = open_circle(model, method, in);
        if (!sim)
            continue;
        const tn_status status = tn_sim_run(sim, 2.0, NULL, NULL);
        const tn_event_hit *hits;
        const int n = tn_sim_event_hits(sim, &hits);
        printf("%-26s@%-9s %d event, off by %.1e s (%d)\n", method, in, n,
               n ? hits[0].t - expected : NAN, status);
        CHECK_OK(status);
        CHECK(n == 1);
        CHECK_NEAR(n ? hits[0].t : NAN, expected, 1e-5); // ten times the tolerance of runs
        told++;
        tn_sim_destroy(sim);
    }
    CHECK(told >= 30);
    tn_model_destroy(model);
}

static void a_roller_within_a_ring_stays_on_it(void)
{
    static const double speeds[] = {2.0, 4.0, 7.0, 8.0};
    for (int i = 0; i < TN_COUNT(speeds); i++) {
        tn_model *model = roller_on_circle(true, speeds[i]);
        for (int k = 0; k < TN_COUNT(methods) * TN_COUNT(coordinates); k++) {
            const char *method = methods[k / TN_COUNT(coordinates)];
            const char *in = coordinates[k % TN_COUNT(coordinates)];
            tn_sim *sim = open_circle(model, method, in);
            if (!sim)
                continue;
            const tn_event_hit *hits;
            const tn_status status = tn_sim_run(sim, 5.0, NULL, NULL);
            const int n = tn_sim_event_hits(sim, &hits);
            if (n > 0 || status != TN_OK)
                printf("%.1f m/s: %s@%s: %d events, %s\n", speeds[i], method, in, n,
                       tn_last_error());
            CHECK_OK(status);
            CHECK(n == 0);
            tn_sim_destroy(sim);
        }
        tn_model_destroy(model);
    }
}

// A point that rests on a plane: nothing moves, so that nothing shortens steps while the force that
// lifts it grows. a (1 + sin(w t))/2 is the weight at asin(2 g/a - 1)/w.
static void what_rests_lifts_off_on_time(void)
{
    static const struct {
        double force, rate;
    } lifts[] = {{9.82, 3.0}, {10.5, 3.0}, {10.5, 20.0}};
    for (int k = 0; k < TN_COUNT(lifts) * TN_COUNT(methods); k++) {
        const char *method = methods[k % TN_COUNT(methods)];
        const double a = lifts[k / TN_COUNT(methods)].force, w = lifts[k / TN_COUNT(methods)].rate;
        const double seen = asin(2.0 * G / a - 1.0) / w;
        char text[600];
        tn_model *model = NULL;
        snprintf(text, sizeof text,
                 "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  b: {kind: point, mass: 1}\n"
                 "joints:\n"
                 "  s: {kind: point-on-surface, bodies: [ground, b], x: u, y: v, z: 0}\n"
                 "forces:\n  up: {kind: point-force, body: b,\n"
                 "       force: [0, 0, '%.17g*(1 + sin(%.17g*t))']}\n",
                 0.5 * a, w);
        CHECK_OK(tn_model_parse(text, "rest.yaml", &model, NULL));
        tn_sim *sim = open_circle(model, method, "absolute");
        CHECK(sim != NULL);
        CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
        printf("%-26s %6.2f N: %.1e s late\n", method, a, tn_sim_time(sim) - seen);
        CHECK_NEAR(tn_sim_time(sim), seen, 1e-5);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"what rests lifts off on time", what_rests_lifts_off_on_time},
    {"a roller leaves a dome where it must", a_roller_leaves_a_dome_where_it_must},
    {"a roller within a ring stays on it", a_roller_within_a_ring_stays_on_it},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
