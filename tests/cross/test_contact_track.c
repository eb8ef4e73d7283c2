// SPDX-License-Identifier: MIT
//
// A roller that is pushed along a track of the ground at 1 m/s, by steps that error control makes
// long where the track is flat: bumps are seen wherever they are, the end of the track and a valley
// in which the roller has two contacts are told at their times, with the motion up to there.

#include "tenon/tenon.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const double RADIUS = 0.1;

static const char pushed[] =
    "tenon: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  car: {kind: planar, mass: 1, inertia: 1e-3}\n"
    "  roller: {kind: planar, mass: 0.5, inertia: 1e-3, initial: {position: [0, 0.1]}}\n"
    "joints:\n"
    "  slide: {kind: prismatic, bodies: [ground, car], axis: [1, 0]}\n"
    "  lift: {kind: prismatic, bodies: [car, roller], at: [0, 0.1], axis: [0, 1]}\n"
    "  track: {kind: cam, bodies: [ground, roller], follower: roller, radius: 0.1,\n"
    "          x: s, y: \"%s\", from: -1, to: %g, lift_off: ignore}\n"
    "  motor: {kind: drive, joint: slide, motion: t}\n";

static const char *const methods[] = {
    "dop853/index1+project",
    "dopri5/index1+project",
    "adams/index1+project",
    "radau5/ggl",
    "bdf/ggl",
    "herk5/index2",
    "galpha/ggl",
};

static tn_model *track_of(const char *y, double to)
{
    char text[1000];
    tn_model *model = NULL;
    snprintf(text, sizeof text, pushed, y, to);
    CHECK_OK(tn_model_parse(text, "track.yaml", &model, NULL));
    return model;
}

static tn_sim *open_track(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.adaptive = true;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

// Bumps -------------------------------------------------------------------------------------------

typedef struct bump {
    double at, width, height;
    tn_body roller;
    double worst, highest;
} bump;

static double distance_from(const bump *b, double x, double y)
{
    enum { SAMPLES = 400 };
    double least = INFINITY;
    for (int i = 0; i <= SAMPLES; i++) {
        const double s = x + 1.2 * RADIUS * (2.0 * i / SAMPLES - 1.0), u = (s - b->at) / b->width;
        least = fmin(least, hypot(x - s, y - b->height * exp(-u * u)));
    }
    return least;
}

// Also within the step.
static tn_status look_at_bump(void *user, tn_sim *sim)
{
    enum { LOOKS = 12 };
    bump *b = user;
    const double from = tn_sim_before(sim), to = tn_sim_time(sim);
    for (int i = 1; i <= LOOKS; i++) {
        const double t = i < LOOKS ? from + (to - from) * i / LOOKS : to;
        CHECK_OK(tn_sim_show(sim, t));
        const tn_vec3 p = tn_sim_body_frame(sim, b->roller).p;
        b->worst = fmax(b->worst, fabs(distance_from(b, p.x, p.y) - RADIUS));
        b->highest = fmax(b->highest, p.y - RADIUS);
    }
    tn_sim_current(sim);
    return TN_OK;
}

static void bumps_are_seen_wherever_they_are(void)
{
    static const double places[] = {3.0, 5.0, 7.7};
    static const double widths[] = {0.5, 0.2};
    for (int k = 0; k < TN_COUNT(methods) * TN_COUNT(places) * TN_COUNT(widths); k++) {
        const int of = k / TN_COUNT(methods);
        bump b = {.at = places[of / 2], .width = widths[of % 2], .height = 0.02};
        char y[120];
        snprintf(y, sizeof y, "%g*exp(-((s - %g)/%g)^2)", b.height, b.at, b.width);
        tn_model *model = track_of(y, 11.0);
        tn_sim *sim = open_track(model, methods[k % TN_COUNT(methods)]);
        b.roller = tn_model_find_body(model, "roller");
        CHECK_OK(tn_sim_run(sim, 10.0, look_at_bump, &b));
        if (!(b.worst < 1e-4) || !(fabs(b.highest - b.height) < 1e-3))
            printf("%s: a bump of %g m at %g m: off by %.1e m, highest %.4f m\n",
                   methods[k % TN_COUNT(methods)], b.width, b.at, b.worst, b.highest);
        CHECK_NEAR(b.worst, 0.0, 1e-4);        // dense output has fewer digits
        CHECK_NEAR(b.highest, b.height, 1e-3); // by the looks
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Ends --------------------------------------------------------------------------------------------

static void ends_of_a_track_are_told_on_time(void)
{
    tn_model *model = track_of("0", 6.0);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_track(model, methods[k]);
        CHECK(tn_sim_run(sim, 10.0, NULL, NULL) == TN_ERR_NUMERIC);
        tn_ledger ledger;
        tn_sim_ledger(sim, &ledger);
        printf("%-24s t = %.9f, %ld steps: %s\n", methods[k], tn_sim_time(sim), ledger.steps,
               tn_last_error());
        CHECK(strstr(tn_last_error(), "at t = 6 s the contact of joint 'track' leaves the end"));
        CHECK_NEAR(tn_sim_time(sim), 6.0, 1e-5); // the search begins at 2^-20 of a reach, 0.35 m
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// A valley of 50 mm, too narrow for the roller: by symmetry both flanks touch at 5 m.
static void valleys_are_told_on_time(void)
{
    tn_model *model = track_of("-0.05*exp(-((s - 5)/0.05)^2)", 11.0);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_track(model, methods[k]);
        CHECK(tn_sim_run(sim, 10.0, NULL, NULL) == TN_ERR_NUMERIC);
        printf("%-24s t = %.9f: %s\n", methods[k], tn_sim_time(sim), tn_last_error());
        CHECK(strstr(tn_last_error(), "touch at two places"));
        CHECK_NEAR(tn_sim_time(sim), 5.0, 1e-4);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"bumps are seen wherever they are", bumps_are_seen_wherever_they_are},
    {"ends of a track are told on time", ends_of_a_track_are_told_on_time},
    {"valleys are told on time", valleys_are_told_on_time},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
