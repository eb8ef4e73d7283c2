// SPDX-License-Identifier: MIT
//
// Shapes whose normals meet more than once: cams that are flat or hollow on their far side, two
// flat profiles, and a disc that nearly fills its ring.

#include "tenon/tenon.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "shapes.yaml", &model, NULL));
    return model;
}

static tn_sim *open_sim(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = 1e-10;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static double height_of(tn_sim *sim, const tn_model *model)
{
    return tn_sim_body_frame(sim, tn_model_find_body(model, "tappet")).p.y;
}

// A shaft at the origin turns a cam by one rad/s under a tappet that goes along y.
static const char driven[] =
    "tenon: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  cam: {kind: planar, mass: 0.4, inertia: 1e-4}\n"
    "  tappet: {kind: planar, mass: 0.12, inertia: 1e-5, initial: {position: [0, %g]}}\n"
    "joints:\n"
    "  shaft: {kind: revolute, bodies: [ground, cam]}\n"
    "  guide: {kind: prismatic, bodies: [ground, tappet], axis: [0, 1]}\n"
    "  contact: {kind: cam, bodies: [cam, tappet], lift_off: ignore, %s}\n"
    "  motor: {kind: drive, joint: shaft, motion: t}\n";

// Rollers -----------------------------------------------------------------------------------------

typedef struct oval {
    const char *x, *y;
    double start;
    void (*at)(double s, double c[2]);
} oval;

static void ellipse_at(double s, double c[2])
{
    c[0] = 0.04 * cos(s);
    c[1] = 0.02 * sin(s);
}

static void lobe_at(double s, double c[2]) // hollow at its flanks
{
    const double r = 0.02 + 0.008 * exp(6.0 * (sin(s) - 1.0));
    c[0] = -r * cos(s);
    c[1] = -r * sin(s);
}

static const oval ovals[] = {
    {"0.04*cos(s)", "0.02*sin(s)", 0.03, ellipse_at},
    {"-(0.02 + 0.008*exp(6*(sin(s) - 1)))*cos(s)", "-(0.02 + 0.008*exp(6*(sin(s) - 1)))*sin(s)",
     0.03, lobe_at},
};

// The distance of a point from the curve, by so many samples that what is missed is 1e-10 m.
static double distance_from(const oval *o, double x, double y)
{
    enum { SAMPLES = 100000 };
    double least = INFINITY;
    for (int i = 0; i < SAMPLES; i++) {
        double c[2];
        o->at(6.283185307179586 * i / SAMPLES, c);
        least = fmin(least, hypot(x - c[0], y - c[1]));
    }
    return least;
}

static void rollers_touch_the_near_side(void)
{
    static const char *const methods[] = {"dop853/index1+project@joint", "radau5/ggl@absolute"};
    for (int k = 0; k < 2 * TN_COUNT(ovals); k++) {
        const oval *o = &ovals[k / 2];
        char text[1200], cam[300];
        snprintf(cam, sizeof cam, "follower: roller, radius: 0.01, x: %s, y: %s", o->x, o->y);
        snprintf(text, sizeof text, driven, o->start, cam);
        tn_model *model = parse(text);
        tn_sim *sim = open_sim(model, methods[k % 2]);
        for (int i = 0; i <= 16; i++) {
            const double phi = 6.283185307179586 * i / 16.0;
            CHECK_OK(tn_sim_run(sim, phi, NULL, NULL));
            const double y = height_of(sim, model);
            CHECK(y > 0.0);
            CHECK_NEAR(distance_from(o, y * sin(phi), y * cos(phi)), 0.01, 1e-8);
        }
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// A ball on a flat body of revolution, whose underside is as flat.
static void balls_touch_the_near_side(void)
{
    tn_model *model = parse("tenon: 1\n"
                            "gravity: [0, 0, -9.81]\n"
                            "bodies:\n"
                            "  bob: {kind: point, mass: 1, initial: {position: [0.1, 0, 0.4]}}\n"
                            "joints:\n"
                            "  hold: {kind: point-on-surface, bodies: [ground, bob], radius: 0.1,\n"
                            "         x: cos(u)*cos(v), y: sin(u)*cos(v), z: 0.3*sin(v),\n"
                            "         u_from: -pi, u_to: pi, v_from: -1.5, v_to: 1.5}\n");
    tn_sim *sim = open_sim(model, "radau5/ggl@absolute");
    const tn_vec3 p = tn_sim_body_frame(sim, tn_model_find_body(model, "bob")).p;
    printf("the ball is at (%.4f, %.4f, %.4f)\n", p.x, p.y, p.z);
    CHECK_NEAR(p.z, 0.4, 0.01); // below the pole by the curvature of 0.3 1/m
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Profiles ----------------------------------------------------------------------------------------

// Two ellipses of 40 x 10 mm: at right angles to each other and along each other their centres are
// at the sums of half-axes. Their far sides have a common normal, and are flat enough to part.
static void flat_profiles_touch_at_near_sides(void)
{
    char text[1200];
    snprintf(text, sizeof text, driven, 0.02,
             "follower: profile, x: 0.04*cos(s), y: 0.01*sin(s), x_b: 0.04*cos(s), "
             "y_b: 0.01*sin(s)");
    tn_model *model = parse(text);
    tn_sim *sim = open_sim(model, "dop853/index1+project@joint");
    CHECK_NEAR(height_of(sim, model), 0.02, 1e-9);
    for (int i = 1; i <= 4; i++) {
        CHECK_OK(tn_sim_run(sim, 1.5707963267948966 * i, NULL, NULL));
        CHECK_NEAR(height_of(sim, model), i % 2 ? 0.05 : 0.02, 1e-8);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Inside a ring a disc moves as a roller of its radius does.
static void discs_of_any_size_are_within_a_ring(void)
{
    static const double radii[] = {0.1, 0.4, 0.5, 0.6, 0.8, 0.95};
    for (int i = 0; i < TN_COUNT(radii); i++) {
        const double r = radii[i];
        double x[2], y[2];
        for (int disc = 0; disc < 2; disc++) {
            char text[900], follower[200];
            if (disc)
                snprintf(follower, sizeof follower,
                         "follower: profile, x_b: %g*cos(s), y_b: %g*sin(s)", r, r);
            else
                snprintf(follower, sizeof follower, "follower: roller, radius: %g", r);
            snprintf(text, sizeof text,
                     "tenon: 1\n"
                     "gravity: [0, -9.81]\n"
                     "bodies:\n"
                     "  p: {kind: planar, mass: 0.5, inertia: 0.01,\n"
                     "      initial: {position: [0, %g], velocity: [0.5, 0]}}\n"
                     "joints:\n"
                     "  contact: {kind: cam, bodies: [ground, p], x: cos(s), y: sin(s),\n"
                     "            other_side: true, %s}\n",
                     r - 1.0, follower);
            tn_model *model = parse(text);
            tn_sim *sim = open_sim(model, "dop853/index1+project@joint");
            CHECK_OK(tn_sim_run(sim, 0.7, NULL, NULL));
            const tn_vec3 p = tn_sim_body_frame(sim, tn_model_find_body(model, "p")).p;
            x[disc] = p.x;
            y[disc] = p.y;
            tn_sim_destroy(sim);
            tn_model_destroy(model);
        }
        printf("radius %g: at (%.6f, %.6f), %.1e m apart\n", r, x[0], y[0],
               hypot(x[1] - x[0], y[1] - y[0]));
        CHECK_NEAR(x[1], x[0], 1e-8);
        CHECK_NEAR(y[1], y[0], 1e-8);
    }
}

static const tn_test tests[] = {
    {"rollers touch the near side", rollers_touch_the_near_side},
    {"balls touch the near side", balls_touch_the_near_side},
    {"flat profiles touch at near sides", flat_profiles_touch_at_near_sides},
    {"discs of any size are within a ring", discs_of_any_size_are_within_a_ring},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
