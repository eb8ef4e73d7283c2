// SPDX-License-Identifier: MIT
//
// Cams: an eccentric circle under a flat and a roller follower against closed forms of lift,
// reaction and lift-off; a cam that runs out under a spring, by all roads; what ends a run, and
// what is refused.
//
// With the eccentricity e at the angle phi of the cam, R its radius and r that of the roller, the
// follower above the axis is at
//
//   flat     y = R + e sin(phi)
//   roller   y = e sin(phi) + sqrt((R + r)^2 - e^2 cos(phi)^2)
//
// and the cam presses it by N = m (g + y'') along y: the normal force is N for a face, and
// N / cos(a), sin(a) = e cos(phi) / (R + r), for a roller.

#include "road_orders.h"

#include <string.h>

static const double E = 0.01, R = 0.03, ROLLER = 0.012, M = 0.5, GRAVITY = 9.81;

static const char driven[] =
    "tenon: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  shaft: {kind: planar, mass: 1, inertia: 0.01}\n"
    "  tappet: {kind: planar, mass: 0.5, inertia: 0.001, initial: {position: [0, %s]}}\n"
    "joints:\n"
    "  bearing: {kind: revolute, bodies: [ground, shaft]}\n"
    "  guide: {kind: prismatic, bodies: [ground, tappet], axis: [0, 1]}\n"
    "  valve: {kind: cam, bodies: [shaft, tappet], %s}\n"
    "  motor: {kind: drive, joint: bearing, motion: \"%s\"}\n";

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "cam.yaml", &model, NULL));
    return model;
}

static tn_model *driven_cam(bool roller, const char *lift_off, const char *motion)
{
    char text[1200], follower[160];
    snprintf(follower, sizeof follower,
             "x: 0.01 + 0.03*cos(s), y: 0.03*sin(s), follower: %s, lift_off: %s",
             roller ? "roller, radius: 0.012" : "flat", lift_off);
    snprintf(text, sizeof text, driven, roller ? "sqrt(0.042^2 - 0.01^2)" : "0.03", follower,
             motion);
    return parse(text);
}

static tn_sim *open_cam(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = 1e-11;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

// y, y' and y'' over phi.
static void lift(bool roller, double phi, double y[3])
{
    const double s = sin(phi), c = cos(phi), L = R + ROLLER;
    const double w = roller ? sqrt(L * L - E * E * c * c) : R;
    const double w1 = roller ? E * E * s * c / w : 0.0; // w' and w''
    const double w2 = roller ? (E * E * (c * c - s * s) - w1 * w1) / w : 0.0;
    y[0] = E * s + w;
    y[1] = E * c + w1;
    y[2] = -E * s + w2;
}

static double normal_force(bool roller, double phi, double accel)
{
    const double slope = roller ? E * cos(phi) / (R + ROLLER) : 0.0;
    return M * (GRAVITY + accel) / sqrt(1.0 - slope * slope);
}

// At 8 rad/s plus a part that grows, so that the acceleration of the cam is seen.
static void check_closed_form(bool roller, const char *method)
{
    tn_model *model = driven_cam(roller, "tell", "8*t + 2*t^2");
    tn_sim *sim = open_cam(model, method);
    for (int i = 1; i <= 8; i++) {
        const double t = 0.15 * i, phi = 8.0 * t + 2.0 * t * t, w = 8.0 + 4.0 * t;
        double y[3], lambda[6];
        lift(roller, phi, y);
        CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
        const tn_body tappet = tn_model_find_body(model, "tappet");
        CHECK_NEAR(tn_sim_body_frame(sim, tappet).p.y, y[0], 1e-10);
        CHECK_NEAR(tn_sim_body_velocity(sim, tappet).y, y[1] * w, 1e-9);
        CHECK(tn_sim_joint_multipliers(sim, tn_model_find_joint(model, "valve"), lambda, NULL) ==
              1);
        const double accel = y[2] * w * w + y[1] * 4.0;
        CHECK_NEAR(-lambda[0], normal_force(roller, phi, accel), 1e-6);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void lift_and_reaction_are_those_of_closed_forms(void)
{
    static const char *const methods[] = {"radau5/ggl@absolute", "radau5/ggl@joint",
                                          "bdf/ggl@absolute", "radau5/index2@director"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        printf("%s\n", methods[k]);
        check_closed_form(false, methods[k]);
        check_closed_form(true, methods[k]);
    }
}

// At phi = w t the face lifts off where e w^2 sin(phi) = g; below w = sqrt(g / e) never.
static void lift_off_is_where_gravity_is_too_weak(void)
{
    const double limit = sqrt(GRAVITY / E);
    for (int fast = 0; fast < 2; fast++) {
        char motion[60];
        const double w = limit * (fast ? 1.1 : 0.999), seen = asin(1.0 / (1.1 * 1.1)) / w;
        snprintf(motion, sizeof motion, "%.17g*t", w);
        tn_model *model = driven_cam(false, "end", motion);
        tn_sim *sim = open_cam(model, "radau5/ggl@absolute");
        CHECK_OK(tn_sim_run(sim, 0.4, NULL, NULL));
        const tn_event_hit *hits;
        const int n = tn_sim_event_hits(sim, &hits);
        printf("at %.5g rad/s: %d events, ends at t = %.12g s, expected %.12g\n", w, n,
               tn_sim_time(sim), fast ? seen : 0.4);
        CHECK(n == fast);
        CHECK_NEAR(tn_sim_time(sim), fast ? seen : 0.4, 1e-7); // dense output has order three
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// What a drive moves has no error that would shorten steps: loads within long ones are those that
// belong to the motion.
static void lift_off_is_on_time_in_all_forms(void)
{
    static const char *const forms[] = {"radau5/stabilized-index1@absolute",
                                        "radau5/index1@absolute",
                                        "radau5/index2@absolute",
                                        "radau5/index3@absolute",
                                        "bdf/stabilized-index1",
                                        "dop853/index1@absolute"};
    const double w = 1.1 * sqrt(GRAVITY / E), seen = asin(1.0 / (1.1 * 1.1)) / w;
    char motion[60];
    snprintf(motion, sizeof motion, "%.17g*t", w);
    tn_model *model = driven_cam(false, "end", motion);
    for (int k = 0; k < TN_COUNT(forms); k++) {
        tn_sim *sim = open_cam(model, forms[k]);
        CHECK_OK(tn_sim_run(sim, 0.04, NULL, NULL));
        printf("%-36s %.1e s late\n", forms[k], tn_sim_time(sim) - seen);
        CHECK_NEAR(tn_sim_time(sim), seen, 1e-9);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// Roads -------------------------------------------------------------------------------------------

static const char run_out_text[] =
    "tenon: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  shaft: {kind: planar, mass: 1, inertia: 0.002, initial: {rate: 12}}\n"
    "  tappet: {kind: planar, mass: 0.5, inertia: 0.001, initial: {position: [0, 0.042]}}\n"
    "joints:\n"
    "  bearing: {kind: revolute, bodies: [ground, shaft]}\n"
    "  guide: {kind: prismatic, bodies: [ground, tappet], axis: [0, 1]}\n"
    "  valve: {kind: cam, bodies: [shaft, tappet], follower: roller, radius: 0.012,\n"
    "          x: 0.005 + 0.035*cos(s), y: 0.03*sin(s)}\n"
    "forces:\n"
    "  spring: {kind: joint-spring, joint: guide, stiffness: 2000, preload: 30}\n";

static tn_model *run_out(void)
{
    return parse(run_out_text);
}

static const problem cam_problem = {.name = "cam", .model = run_out, .t_end = 0.4, .steps = 80};

static void all_roads_give_one_motion(void)
{
    static orders_seen seen;
    static const char *const coordinates[] = {"absolute", "joint"};
    for (int k = 0; k < TN_COUNT(coordinates); k++) {
        begin_roads(&seen, coordinates[k]);
        seen.fixed_q = 1e-3; // of a cam that turns by 5 rad, in lengths of 0.03 m
        seen.fixed_v = 2e-2;
        tight_track(&cam_problem, "dop853/index1+project", &seen.exact);
        every_road(&cam_problem, check_one_motion, &seen);
        check_roads(&seen);
    }
}

static void discrete_principles_take_contacts(void)
{
    static const char *const methods[] = {"variational/multiplier@director",
                                          "energy-momentum/multiplier@director",
                                          "galpha/ggl@director"};
    static orders_seen seen;
    static track run;
    tight_track(&cam_problem, "dop853/index1+project", &seen.exact);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            tn_sim_options options = tn_default_sim();
            options.method = methods[k];
            options.step = cam_problem.t_end / (fine ? 1600 : 800);
            follow(&cam_problem, &options, &run);
            error[fine] = distance(&run, &seen.exact, OF_Q);
        }
        printf("%-36s error of q %.1e, %.1e\n", methods[k], error[0], error[1]);
        CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.2);
    }
}

// Energy ------------------------------------------------------------------------------------------

static void a_contact_does_no_work(void)
{
    tn_model *model = run_out();
    tn_sim *sim = open_cam(model, "dop853/index1+project@joint");
    tn_ledger ledger;
    CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    CHECK_NEAR(ledger.max_balance / ledger.energy_scale, 0.0, 1e-8);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Space -------------------------------------------------------------------------------------------

static tn_vec3 place_after(const tn_model *model, const char *body, const char *method, double t)
{
    tn_sim *sim = open_cam(model, method);
    tn_ledger ledger;
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    CHECK_NEAR(ledger.max_balance / ledger.energy_scale, 0.0, 1e-7);
    const tn_vec3 p = tn_sim_body_frame(sim, tn_model_find_body(model, body)).p;
    tn_sim_destroy(sim);
    return p;
}

// A point within a sphere of 0.8 m is a pendulum; with a ball of 0.1 m one of 0.7 m.
static void a_point_in_a_bowl_is_a_pendulum(void)
{
    static const char text[] = "tenon: 1\n"
                               "gravity: [0, 0, -9.81]\n"
                               "bodies:\n"
                               "  bob: {kind: point, mass: 2, initial: {position: [%.17g, 0, 0],\n"
                               "        velocity: [0, 1.5, 0.4]}}\n"
                               "joints:\n"
                               "  hold: {bodies: [ground, bob], %s}\n";
    static const char *const bowl =
        "kind: point-on-surface, x: 0.8*cos(u)*cos(v), y: 0.8*sin(u)*cos(v), z: 0.8*sin(v), "
        "u_from: -pi, u_to: pi, v_from: -1.5, v_to: 1.2, other_side: true, lift_off: tell, "
        "radius: %g";
    static const char *const methods[] = {"dop853/index1+project@absolute", "radau5/ggl@absolute",
                                          "dop853/nullspace+project@absolute"};
    for (int ball = 0; ball < 2; ball++) {
        char all[2][1200], joint[400];
        const double length = ball ? 0.7 : 0.8;
        snprintf(joint, sizeof joint, bowl, ball ? 0.1 : 0.0);
        snprintf(all[0], sizeof all[0], text, length, joint);
        snprintf(joint, sizeof joint, "kind: distance, length: %g", length);
        snprintf(all[1], sizeof all[1], text, length, joint);
        tn_model *on = parse(all[0]), *rod = parse(all[1]);
        for (int k = 0; k < TN_COUNT(methods); k++) {
            const tn_vec3 p = place_after(on, "bob", methods[k], 1.0);
            const tn_vec3 q = place_after(rod, "bob", methods[0], 1.0);
            printf("%-36s %.1e m from the pendulum\n", methods[k], tn_v3_norm(tn_v3_sub(p, q)));
            CHECK_NEAR(tn_v3_norm(tn_v3_sub(p, q)), 0.0, 1e-7);
        }
        tn_model_destroy(on);
        tn_model_destroy(rod);
    }
}

// A bar about a ball joint slides along a wire: one motion in all coordinates. Bar and wire are
// straight lines, and their distance is known.
static void bars_slide_on_wires(void)
{
    tn_model *model =
        parse("tenon: 1\n"
              "gravity: [0, 0, -9.81]\n"
              "bodies:\n"
              "  bar: {mass: 1, inertia: [0.1, 0.12, 0.02], com: [0.5, 0, 0],\n"
              "        initial: {rate: [0.5, -0.21, 0.7]}}\n"
              "joints:\n"
              "  ball: {kind: spherical, bodies: [ground, bar], at: [0, 0, 0]}\n"
              "  wire: {kind: curve-on-curve, bodies: [ground, bar], x: 0.6, y: s, z: 0.3*s,\n"
              "         from: -2, to: 2, x_b: s, y_b: 0, z_b: 0, from_b: 0.1, to_b: 3,\n"
              "         lift_off: tell}\n");
    static const char *const methods[] = {"dop853/index1+project@joint", "radau5/ggl@absolute",
                                          "radau5/index2@joint", "bdf/ggl@absolute",
                                          "radau5/ggl@director"};
    tn_mat3 first = tn_m3_identity;
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_cam(model, methods[k]);
        CHECK_OK(tn_sim_run(sim, 0.6, NULL, NULL));
        const tn_mat3 turn = tn_sim_body_frame(sim, tn_model_find_body(model, "bar")).R;
        const tn_vec3 bar = tn_m3_column(turn, 0), wire = tn_v3(0.0, 1.0, 0.3);
        const tn_vec3 n = tn_v3_cross(bar, wire);
        CHECK_NEAR(tn_v3_dot(n, tn_v3(0.6, 0.0, 0.0)) / tn_v3_norm(n), 0.0, 1e-9);
        first = k == 0 ? turn : first;
        const double apart = tn_v3_norm(tn_v3_sub(bar, tn_m3_column(first, 0))) +
                             tn_v3_norm(tn_v3_sub(tn_m3_column(turn, 1), tn_m3_column(first, 1)));
        printf("%-32s %.1e from the first, bar along (%.4f, %.4f, %.4f)\n", methods[k], apart,
               bar.x, bar.y, bar.z);
        CHECK_NEAR(apart, 0.0, 1e-7);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// A bar is turned over a wire: where both are parallel, after atan2(1, 0.7) s, the normal would
// turn over, and with it the load.
static void runs_end_where_curves_become_parallel(void)
{
    static const char *const methods[] = {"auto", "radau5/ggl@absolute", "galpha/ggl@joint",
                                          "dop853/index1@absolute", "bdf/ggl"};
    static const char *const lift_off[] = {"ignore", "tell", "end"};
    for (int i = 0; i < TN_COUNT(methods) * TN_COUNT(lift_off); i++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "tenon: 1\n"
            "gravity: [0, 0, -9.81]\n"
            "bodies: {bar: {mass: 2, inertia: [0.2, 0.2, 0.2]}}\n"
            "joints:\n"
            "  pole: {kind: cylindrical, bodies: [ground, bar], at: [0, 0, 0], axis: [0, 0, 1]}\n"
            "  turn: {kind: drive, joint: pole, motion: -t}\n"
            "  c: {kind: curve-on-curve, bodies: [ground, bar], x: s, y: 0, z: -0.05*s^2,\n"
            "      from: -3, to: 3, x_b: 0.7*s, y_b: s, z_b: 0, from_b: -2, to_b: 2,\n"
            "      lift_off: %s}\n",
            lift_off[i % TN_COUNT(lift_off)]);
        tn_model *model = parse(text);
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = methods[i / TN_COUNT(lift_off)];
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK(tn_sim_run(sim, 2.0, NULL, NULL) == TN_ERR_NUMERIC);
        CHECK(strstr(tn_last_error(), "become parallel"));
        CHECK_NEAR(tn_sim_time(sim), atan2(1.0, 0.7), 2.5e-3); // of angles below 1e-3
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Ends of runs ------------------------------------------------------------------------------------

typedef struct ending {
    const char *cam, *start, *words;
    double t; // about when; below zero: not checked
} ending;

// A roller on a track of the ground, pushed along x at 1 m/s.
static const char pushed[] =
    "tenon: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  cart: {kind: planar, mass: 0.5, inertia: 0.001}\n"
    "  roller: {kind: planar, mass: 0.5, inertia: 0.001, initial: {position: [0, %s]}}\n"
    "joints:\n"
    "  rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0]}\n"
    "  slide: {kind: prismatic, bodies: [cart, roller], axis: [0, 1]}\n"
    "  push: {kind: drive, joint: rail, motion: t}\n"
    "  track: {kind: cam, bodies: [ground, roller], lift_off: ignore, %s}\n";

static void runs_end_where_a_contact_is_none(void)
{
    static const ending endings[] = {
        // the curvature of the valley at x = 1 is 5: a roller of 0.3 m does not fit
        {"x: s, y: 0.5*cos(3.14159265*s), from: -0.5, to: 2, follower: roller, radius: 0.3", "0.8",
         "two", -1.0},
        {"x: s, y: 0.1*s, from: -1, to: 0.5, follower: roller, radius: 0.1", "0.1005",
         "leaves the end of its profile", 0.5},
    };
    for (int k = 0; k < TN_COUNT(endings); k++) {
        char text[1200];
        snprintf(text, sizeof text, pushed, endings[k].start, endings[k].cam);
        tn_model *model = parse(text);
        static const char *const methods[] = {"radau5/ggl@absolute", "galpha/ggl@joint",
                                              "dop853/index1@joint"};
        for (int m = 0; m < TN_COUNT(methods); m++) {
            tn_sim_options options = tn_default_sim();
            tn_sim *sim = NULL;
            options.method = methods[m];
            options.step = 1e-3;
            CHECK_OK(tn_sim_create(model, &options, &sim));
            CHECK(tn_sim_run(sim, 1.5, NULL, NULL) != TN_OK);
            printf("%s: %s\n", methods[m], tn_last_error());
            CHECK(strstr(tn_last_error(), endings[k].words) && strstr(tn_last_error(), "'track'"));
            if (endings[k].t > 0.0)
                CHECK_NEAR(tn_sim_time(sim), endings[k].t, 0.02);
            tn_sim_destroy(sim);
        }
        tn_model_destroy(model);
    }
}

// A cam in space that nothing holds in the plane of its follower.
static void planes_that_tilt_end_a_run(void)
{
    tn_model *model = parse(
        "tenon: 1\n"
        "bodies:\n"
        "  cam: {mass: 1, inertia: [0.1, 0.2, 0.3], initial: {rate: [0.2, 0, 1]}}\n"
        "  tappet: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {position: [0, 0.3, 0]}}\n"
        "joints:\n"
        "  ball: {kind: spherical, bodies: [ground, cam], at: [0, 0, 0]}\n"
        "  guide: {kind: prismatic, bodies: [ground, tappet], at: [0, 0.3, 0], axis: [0, 1, 0]}\n"
        "  valve: {kind: cam, bodies: [cam, tappet], x: 0.1 + 0.3*cos(s), y: 0.3*sin(s),\n"
        "          lift_off: ignore}\n");
    tn_sim *sim = open_cam(model, "radau5/ggl@absolute");
    CHECK(tn_sim_run(sim, 1.0, NULL, NULL) != TN_OK);
    printf("%s\n", tn_last_error());
    CHECK(strstr(tn_last_error(), "'valve': the planes of cam and follower"));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Refusals ----------------------------------------------------------------------------------------

static void what_is_no_profile_is_refused(void)
{
    static const char *const cases[][2] = {
        {"x: sin(2*s), y: sin(s)", "crosses itself"},
        {"x: cos(s), y: abs(sin(s))", "not smooth"},
        {"x: cos(s)", "y of the profile is missing"},
        {"follower: flat", "profile is missing"},
        {"points: [[0, 0], [1, 0], [1, 1]]", "points"},
        {"x: cos(s), y: sin(s), follower: flat, radius: 0.1", "radius"},
        {"x: cos(s), y: sin(s), follower: profile", "x_b"},
        {"x: cos(s), y: sin(s), x_b: s, y_b: s", "follower"},
        {"x: cos(s), y: sin(s), from: 1, to: 0", "from"},
        {"x: cos(s), y: sin(q)", "cam.yaml:9:65: joint 'valve': y: expression 'sin(q)'"},
        {"x: \"\", y: sin(s)",
         "cam.yaml:9:50: joint 'valve': x: the expression is empty; write one"},
        {"x: cos(s), y: sin(s), follower: profile, x_b: cos(s), y_b: t",
         "joint 'valve': y_b: expr"},
        {"x: cos(s), y: sin(s), follower: roller, radius: 1e300", "radius is 1e+300 m"},
        {"x: cos(s), y: sin(s), points: [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0.5]]", "twice"},
        {"x: cos(s), y: sin(s), follower: ball", "ball"},
    };
    for (int k = 0; k < TN_COUNT(cases); k++) {
        char text[1200];
        tn_model *model = NULL;
        snprintf(text, sizeof text, driven, "1", cases[k][0], "t");
        CHECK(tn_model_parse(text, "cam.yaml", &model, NULL) != TN_OK);
        printf("%s\n", tn_last_error());
        CHECK(strstr(tn_last_error(), "cam.yaml:9:") && strstr(tn_last_error(), cases[k][1]));
        tn_model_destroy(model);
    }
}

// Shapes that face each other nowhere at the start.
static void where_there_is_no_contact_is_told(void)
{
    static const char *const cases[][3] = {
        {"-0.1", "x: 0.03*cos(s), y: 0.03*sin(s)", "not below the flat face"},
        {"0.03", "x: 0.03*cos(s), y: 0.03*sin(s), other_side: true", "nowhere convex"},
        {"0.03", "x: s, y: 0, from: 1, to: 2, follower: roller, radius: 0.03", "beyond the ends"},
        {"-0.9", "x: cos(s), y: sin(s), follower: profile, x_b: cos(s), y_b: sin(s)", "face each"},
    };
    for (int k = 0; k < TN_COUNT(cases); k++) {
        char text[1200];
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        const tn_sim_options options = tn_default_sim();
        snprintf(text, sizeof text, driven, cases[k][0], cases[k][1], "t");
        CHECK_OK(tn_model_parse(text, "cam.yaml", &model, NULL));
        CHECK(tn_sim_create(model, &options, &sim) != TN_OK);
        printf("%s\n", tn_last_error());
        CHECK(strstr(tn_last_error(), "cam.yaml:9:3: joint 'valve', row gap: there is no contact"));
        CHECK(strstr(tn_last_error(), cases[k][2]));
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"lift and reaction are those of closed forms", lift_and_reaction_are_those_of_closed_forms},
    {"lift-off is where gravity is too weak", lift_off_is_where_gravity_is_too_weak},
    {"lift-off is on time in all forms", lift_off_is_on_time_in_all_forms},
    {"all roads give one motion", all_roads_give_one_motion},
    {"discrete principles take contacts", discrete_principles_take_contacts},
    {"a contact does no work", a_contact_does_no_work},
    {"a point in a bowl is a pendulum", a_point_in_a_bowl_is_a_pendulum},
    {"bars slide on wires", bars_slide_on_wires},
    {"runs end where curves become parallel", runs_end_where_curves_become_parallel},
    {"runs end where a contact is none", runs_end_where_a_contact_is_none},
    {"planes that tilt end a run", planes_that_tilt_end_a_run},
    {"what is no profile is refused", what_is_no_profile_is_refused},
    {"where there is no contact is told", where_there_is_no_contact_is_told},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
