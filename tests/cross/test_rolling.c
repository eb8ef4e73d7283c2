// SPDX-License-Identifier: MIT
//
// Wheels, balls and blades against motions by hand (docs/theory/rolling.md): a disc on a steady
// circle, discs and tori in general motion against Euler's equations, a ball on a turntable, a disc
// on a slope with its reactions; ranks, start values, units, and what is refused.

#include "rolling_disc.h"
#include "sim/sim.h"

static tn_sim_options tight(const char *method)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = 1e-13;
    options.project_tol = 1e-13;
    return options;
}

static tn_sim *open_tight(const tn_model *model)
{
    const tn_sim_options options = tight("dop853/index1+project");
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "model", &model, NULL));
    return model;
}

static double off(tn_vec3 x, tn_vec3 y)
{
    return tn_v3_norm(tn_v3_sub(x, y));
}

// How far the body is from a frame, in metres of a body of size one.
static double off_frame(tn_sim *sim, tn_frame X, double length)
{
    const tn_frame now = tn_sim_body_frame(sim, (tn_body){1});
    double most = off(now.p, X.p) / length;
    for (int i = 0; i < 3; i++)
        most = fmax(most, off(tn_m3_column(now.R, i), tn_m3_column(X.R, i)));
    return most;
}

// Discs -------------------------------------------------------------------------------------------

static const disc thin = {.m = 0.5, .R = 0.2, .r = 0.0, .A = 0.005, .C = 0.01, .g = 9.81};
static const disc thick = {.m = 0.5, .R = 0.2, .r = 0.0, .A = 0.012, .C = 0.007, .g = 9.81};
static const disc torus = {.m = 0.5, .R = 0.2, .r = 0.05, .A = 0.008, .C = 0.014, .g = 9.81};

// The rate about the axle at which a disc precesses steadily with W.
static double steady_rate(const disc *d, double theta, double W)
{
    const double s = sin(theta), c = cos(theta);
    return (d->A * W * W * s * c - d->m * d->g * d->R * c) / ((d->C + d->m * d->R * d->R) * W * s);
}

// Three circles: lean, precession and spin stay, and the centre is where they say.
static void a_steady_circle_is_held(const disc *d, double theta, double W)
{
    const double w = steady_rate(d, theta, W), radius = d->R * w / W;
    double y[DISC_SIZE] = {
        [DISC_Y] = -radius, [DISC_THETA] = theta, [DISC_W] = w, [DISC_U] = W * sin(theta)};
    tn_model *model = disc_model(d, y);
    tn_sim *sim = open_tight(model);
    for (int k = 1; k <= 12; k++) {
        const double t = 3.0 * 2.0 * M_PI / fabs(W) * k / 12.0;
        CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
        y[DISC_X] = radius * sin(W * t);
        y[DISC_Y] = -radius * cos(W * t);
        y[DISC_PSI] = W * t;
        y[DISC_PHI] = (w - W * cos(theta)) * t;
        CHECK_NEAR(off_frame(sim, disc_frame(d, y), 1.0), 0.0, 1e-9);
        CHECK_NEAR(off(tn_sim_body_rate(sim, (tn_body){1}), disc_rate(y)), 0.0, 1e-9);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void discs_roll_on_steady_circles(void)
{
    a_steady_circle_is_held(&thin, M_PI / 3.0, 4.0);
    a_steady_circle_is_held(&thin, 2.0, -3.0);
    a_steady_circle_is_held(&thick, 0.7, 9.0);
}

static void a_disc_follows_euler(const disc *d, const double *start)
{
    double y[DISC_SIZE], twice[DISC_SIZE];
    memcpy(y, start, sizeof y);
    tn_model *model = disc_model(d, y);
    tn_sim *sim = open_tight(model);
    for (int k = 1; k <= 4; k++) {
        memcpy(twice, y, sizeof y);
        disc_follow(d, y, 0.5, 4000);
        disc_follow(d, twice, 0.5, 8000);
        for (int i = 0; i < DISC_SIZE; i++) // the reference itself
            CHECK_NEAR(y[i], twice[i], 1e-10);
        CHECK_OK(tn_sim_run(sim, 0.5 * k, NULL, NULL));
        CHECK_NEAR(off_frame(sim, disc_frame(d, twice), 1.0), 0.0, 1e-9);
        CHECK_NEAR(off(tn_sim_body_rate(sim, (tn_body){1}), disc_rate(twice)), 0.0, 1e-8);
        memcpy(y, twice, sizeof y);
    }
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    CHECK_NEAR(ledger.max_balance / ledger.energy_scale, 0.0, 1e-11);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void discs_move_as_eulers_equations_say(void)
{
    static const double wobbling[DISC_SIZE] = {0.1, -0.2, 0.3, 1.2, 0.4, 0.5, 7.0, 1.1};
    static const double falling[DISC_SIZE] = {0.0, 0.0, 2.0, 1.5, 0.0, 0.2, -4.0, -0.7};
    a_disc_follows_euler(&thin, wobbling);
    a_disc_follows_euler(&thin, falling);
    a_disc_follows_euler(&thick, wobbling);
    a_disc_follows_euler(&torus, wobbling);
    a_disc_follows_euler(&torus, falling);
}

// The scaled disc in scaled gravity moves as long as the other does, over scaled ways.
static void models_of_any_size_move_alike(void)
{
    static const double start[DISC_SIZE] = {0.0, 0.0, 0.3, 1.2, 0.4, 0.5, 7.0, 1.1};
    for (int k = -1; k <= 1; k++) {
        const double s = pow(1000.0, k), m = pow(1000.0, 3 * k);
        const disc d = {.m = thin.m * m,
                        .R = s * thin.R,
                        .A = m * s * s * thin.A,
                        .C = m * s * s * thin.C,
                        .g = s * thin.g};
        double y[DISC_SIZE];
        memcpy(y, start, sizeof y);
        tn_model *model = disc_model(&d, y);
        tn_sim *sim = open_tight(model);
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        disc_follow(&d, y, 1.0, 8000);
        CHECK_NEAR(off_frame(sim, disc_frame(&d, y), s), 0.0, 1e-9);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Balls -------------------------------------------------------------------------------------------

// x'' = k/(1 + k) W n x x', and I w' = -m r n x x''.
static void check_turntable(double hollow, double W)
{
    char text[2048];
    const double m = 0.2, r = 0.05, I = hollow * m * r * r, x0 = 0.25, u = 0.3;
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "gravity: [0, 0, -9.81]\n"
             "bodies:\n"
             "  ball: {mass: %g, inertia: [%.17g, %.17g, %.17g], initial: {position: [%g, 0, %g],"
             " velocity: [0, %g, 0], rate: [%.17g, 0, 3]}}\n"
             "  table: {mass: 3, inertia: [0.2, 0.2, 0.4]}\n"
             "joints:\n"
             "  pivot: {kind: revolute, bodies: [ground, table], at: [0, 0, 0], axis: [0, 0, 1]}\n"
             "  turn: {kind: drive, joint: pivot, motion: %.17g*t}\n"
             "  roll: {kind: rolling-ball, bodies: [table, ball], radius: %g}\n",
             m, I, I, I, x0, r, u, (W * x0 - u) / r, W, r);
    tn_model *model = parse(text);
    tn_sim *sim = open_tight(model);
    const double c = hollow / (1.0 + hollow) * W, radius = u / c; // around (x0 - radius, 0)
    for (int k = 1; k <= 8; k++) {
        const double t = 2.0 * M_PI / fabs(c) * k / 8.0, cc = cos(c * t), sc = sin(c * t);
        CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
        const tn_vec3 x = tn_v3(x0 - radius + radius * cc, radius * sc, r);
        const tn_vec3 v = tn_v3(-u * sc, u * cc, 0.0);
        const tn_vec3 w = tn_v3((W * x0 - u) / r + m * r / I * (v.y - u), -m * r / I * v.x, 3.0);
        const tn_frame now = tn_sim_body_frame(sim, (tn_body){1});
        CHECK_NEAR(off(now.p, x), 0.0, 1e-9);
        CHECK_NEAR(off(tn_sim_body_velocity(sim, (tn_body){1}), v), 0.0, 1e-9);
        CHECK_NEAR(off(tn_m3_apply(now.R, tn_sim_body_rate(sim, (tn_body){1})), w), 0.0, 2e-8);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void a_ball_on_a_turntable_circles(void)
{
    check_turntable(0.4, 2.0 * M_PI);
    check_turntable(2.0 / 3.0, -3.0);
}

// Reactions ---------------------------------------------------------------------------------------

static const char slope[] =
    "tenon: 1\n"
    "gravity: [0, 0, -10]\n"
    "parameters: {a: 0.3, m: 2, r: 0.25}\n"
    "bodies:\n"
    "  wheel:\n"
    "    mass: m\n"
    "    inertia: [m*r^2/4, m*r^2/2, m*r^2/4]\n"
    "    initial: {position: [r*sin(a), 0, r*cos(a)]}\n"
    "joints:\n"
    "  roll: {kind: rolling-wheel, bodies: [ground, wheel], radius: r,\n"
    "         frame_a: {axis: [sin(a), 0, cos(a)]}, frame_b: {axis: [0, 1, 0]}}\n";

static void reactions_on_a_slope_are_those_by_hand(void)
{
    const double a = 0.3, mg = 20.0;
    static const char *const methods[] = {"galpha/ggl@absolute", "dop853/index1@joint",
                                          "radau5/ggl@absolute", "dopri5/maggi@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = parse(slope);
        tn_sim_options options = tn_default_sim();
        options.method = methods[k];
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
        const tn_wrench f = tn_sim_joint_reaction(sim, (tn_joint){0});
        const tn_vec3 down = tn_v3(cos(a), 0.0, -sin(a)), n = tn_v3(sin(a), 0.0, cos(a));
        CHECK_NEAR(tn_v3_dot(f.f, down), -mg * sin(a) / 3.0, 1e-5);
        CHECK_NEAR(tn_v3_dot(f.f, n), mg * cos(a), 1e-5);
        CHECK_NEAR(f.m.y, 0.25 * mg * sin(a) / 3.0, 1e-5); // about the centre of the wheel
        const double way = tn_v3_dot(tn_sim_body_frame(sim, (tn_body){1}).p, down);
        CHECK_NEAR(way, 0.5 * 10.0 * sin(a) / 1.5 * 0.25, 1e-5);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Ranks and start values --------------------------------------------------------------------------

static const char blades[] = "tenon: 1\n"
                             "bodies:\n"
                             "  plate: {kind: planar, mass: 1, inertia: 0.1, com: [0.1, 0],\n"
                             "          initial: {velocity: [1, 0]}}\n"
                             "joints:\n"
                             "  one: {kind: knife-edge, bodies: [ground, plate]}\n"
                             "  two: {kind: knife-edge, bodies: [ground, plate], at_b: [%g, %g]}\n";

static void check_blades(double x, double y, int rank, int freedoms)
{
    char text[1024];
    snprintf(text, sizeof text, blades, x, y);
    tn_model *model = parse(text);
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK_OK(tn_check_create(model, &options, &check));
    CHECK(tn_check_freedoms(check) == freedoms);
    CHECK(tn_check_redundant_count(check) == 2 - rank);
    tn_check_destroy(check);
    tn_sim *sim = open_tight(model);
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    CHECK_NEAR(off(tn_sim_body_frame(sim, (tn_body){1}).p, tn_v3(1.0, 0.0, 0.0)), 0.0, 1e-12);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Behind each other two blades hold the direction; side by side the second one repeats the first.
static void two_blades_are_redundant_side_by_side(void)
{
    check_blades(0.5, 0.0, 2, 1);
    check_blades(0.0, 0.5, 1, 2);
    check_blades(0.3, 0.5, 2, 1);
}

static void refuses(const char *text, const char *sentence)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    const tn_sim_options options = tn_default_sim();
    tn_status status = tn_model_parse(text, "model", &model, NULL);
    if (status == TN_OK)
        status = tn_sim_create(model, &options, &sim);
    if (status == TN_OK || !tn_test_says(sentence))
        printf("%s\n", status == TN_OK ? "taken" : tn_last_error());
    CHECK(status < 0 && tn_test_says(sentence));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void contradictions_are_named(void)
{
    refuses("tenon: 1\n"
            "bodies:\n"
            "  plate: {kind: planar, mass: 1, inertia: 0.1}\n"
            "joints:\n"
            "  guide: {kind: prismatic, bodies: [ground, plate], axis: [0, 1]}\n"
            "  pull: {kind: drive, joint: guide, motion: t}\n"
            "  blade: {kind: knife-edge, bodies: [ground, plate]}\n",
            "joint 'blade', row slip across the blade");
}

static const char tricycle[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  car: {mass: 30, com: [0.3, 0, 0.4], inertia: [2, 3, 3], initial: {velocity: [2, 0, 0]}}\n"
    "  left: {mass: 2, inertia: [0.04, 0.08, 0.04], initial: {position: [0, 0.3, 0.3]}}\n"
    "  right: {mass: 2, inertia: [0.04, 0.08, 0.04], initial: {position: [0, -0.3, 0.3]}}\n"
    "  fork: {mass: 1, inertia: [0.02, 0.02, 0.02], initial: {position: [1, 0, 0.3]}}\n"
    "  front: {mass: 2, inertia: [0.04, 0.08, 0.04], initial: {position: [1, 0, 0.3]}}\n"
    "joints:\n"
    "  axle left: {kind: revolute, bodies: [car, left], at: [0, 0.3, 0.3], axis: [0, 1, 0]}\n"
    "  axle right: {kind: revolute, bodies: [car, right], at: [0, -0.3, 0.3], axis: [0, 1, 0]}\n"
    "  steer: {kind: revolute, bodies: [car, fork], at: [1.1, 0, 0.3], axis: [0, 0, 1],\n"
    "          initial: {rate: 0.4}}\n"
    "  axle: {kind: revolute, bodies: [fork, front], at: [1, 0, 0.3], axis: [0, 1, 0]}\n"
    "  roll left: {kind: rolling-wheel, bodies: [ground, left], axis: [0, 1, 0], radius: 0.3}\n"
    "  roll right: {kind: rolling-wheel, bodies: [ground, right], axis: [0, 1, 0], radius: 0.3}\n"
    "  roll front: {kind: rolling-wheel, bodies: [ground, front], axis: [0, 1, 0], radius: 0.3}\n";

// The wheels of one axle hold it twice across; of 30 velocities 2 are left, speed and steer.
static void a_tricycle_repeats_one_row(void)
{
    tn_model *model = parse(tricycle);
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK_OK(tn_check_create(model, &options, &check));
    CHECK(tn_check_freedoms(check) == 2);
    CHECK(tn_check_redundant_count(check) == 1);
    tn_check_destroy(check);
    static const char *const methods[] = {"dop853/index1+project@joint", "radau5/ggl@absolute",
                                          "dopri5/nullspace@absolute"};
    tn_frame end[TN_COUNT(methods)];
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim_options o = tight(methods[k]);
        o.rtol = o.atol = 1e-10;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &o, &sim));
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        end[k] = tn_sim_body_frame(sim, (tn_body){1});
        CHECK_NEAR(off(end[k].p, end[0].p), 0.0, 1e-7);
        CHECK(off(end[k].p, tn_v3(2.0, 0.0, 0.0)) > 0.01); // it does turn
        tn_ledger ledger;
        tn_sim_ledger(sim, &ledger);
        CHECK_NEAR(ledger.max_balance / ledger.energy_scale, 0.0, 1e-7);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// A wheel that is stated above the ground, with a rate alone.
static void wheels_are_assembled_and_start_without_slip(void)
{
    tn_model *model = parse("tenon: 1\n"
                            "bodies:\n"
                            "  wheel: {mass: 1, inertia: [0.01, 0.02, 0.01],\n"
                            "          initial: {position: [0, 0, 0.35], rate: [0, 5, 0]}}\n"
                            "joints:\n"
                            "  roll: {kind: rolling-wheel, bodies: [ground, wheel],\n"
                            "         axis: [0, 1, 0], radius: 0.3}\n");
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_NEAR(tn_sim_body_frame(sim, (tn_body){1}).p.z, 0.3, 1e-12);
    const tn_vec3 v = tn_sim_body_velocity(sim, (tn_body){1}),
                  w = tn_sim_body_rate(sim, (tn_body){1});
    CHECK_NEAR(v.x, 0.3 * w.y, 1e-12);
    CHECK_NEAR(w.y, 5.0, 1e-12);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Bad input ---------------------------------------------------------------------------------------

static const char bad_wheel[] = "tenon: 1\n"
                                "bodies:\n"
                                "  a: {%s, mass: 1, inertia: %s}\n"
                                "joints:\n"
                                "  roll: {kind: %s, bodies: [ground, a]%s}\n";

static void refuses_wheel(bool planar, const char *kind, const char *keys, const char *sentence)
{
    char text[1024];
    snprintf(text, sizeof text, bad_wheel, planar ? "kind: planar" : "initial: {rate: [1, 0, 0]}",
             planar ? "1" : "[1, 1, 1]", kind, keys);
    refuses(text, sentence);
    CHECK(tn_test_says("model:5:"));
}

static void bad_wheels_are_refused(void)
{
    refuses_wheel(false, "rolling-wheel", ", radius: 1", "the disc lies flat on its plane");
    refuses_wheel(false, "rolling-wheel", ", radius: -1, axis: [1, 0, 0]", "must be positive");
    refuses_wheel(false, "rolling-wheel", ", axis: [1, 0, 0]", "radius");
    refuses_wheel(false, "rolling-wheel", ", radius: 1, tube: -0.1, axis: [1, 0, 0]", "tube");
    refuses_wheel(false, "rolling-wheel", ", radius: 1, at: [0, 0, 1]", "state 'at_a'");
    refuses_wheel(false, "rolling-wheel", ", radius: 1, spin: true", "spin");
    refuses_wheel(false, "rolling-ball", ", radius: 0", "must be positive");
    refuses_wheel(false, "rolling-ball", ", radius: 1, at: [0, 0, 1]", "state 'at_a'");
    refuses_wheel(false, "knife-edge", ", axis: [0, 0, 1]", "stands along the normal");
    refuses_wheel(true, "rolling-wheel", ", radius: 1", "rack-pinion");
    refuses_wheel(true, "rolling-ball", ", radius: 1", "rack-pinion");
}

static const char falling_coin[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  coin:\n"
    "    mass: 0.5\n"
    "    inertia: [0.005, 0.005, 0.01]\n"
    "    initial:\n"
    "      position: [0, 0, 0.19696155060244163]\n"
    "      orientation: {axis: [1, 0, 0], angle_deg: -80}\n"
    "joints:\n"
    "  roll: {kind: rolling-wheel, bodies: [ground, coin], radius: 0.2}\n";

// No method goes on from where the coin lies flat, by m g R cos(theta) / (A + m R^2) at 0.4703 s.
static void a_coin_that_falls_flat_ends_the_run(void)
{
    static const char *const methods[] = {"auto",
                                          "galpha/ggl@absolute",
                                          "galpha/index1@joint",
                                          "hht/index3@joint",
                                          "radau5/index3@absolute",
                                          "radau5/index2@joint",
                                          "bdf/ggl@absolute",
                                          "herk5@joint",
                                          "dopri5/minimal@absolute",
                                          "dopri5/maggi@joint",
                                          "adams/index1@joint",
                                          "dopri5/phase-space@absolute",
                                          "dop853/udwadia-kalaba@absolute"};
    tn_model *model = parse(falling_coin);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim_options options = tn_default_sim();
        options.method = methods[k];
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK(tn_sim_run(sim, 3.0, NULL, NULL) < 0);
        if (!tn_test_says("model:11:3: at t = 0.47"))
            printf("%s: %s\n", methods[k], tn_last_error());
        CHECK(tn_test_says("model:11:3: at t = 0.47"));
        CHECK(tn_test_says("the disc of joint 'roll' lies flat on its plane"));
        CHECK_NEAR(tn_sim_time(sim), 0.4703, 1e-3);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// One that spins comes low and rises again: nothing is flat.
static void a_coin_that_spins_goes_on(void)
{
    static const double start[DISC_SIZE] = {0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.4, 3.0};
    double y[DISC_SIZE];
    memcpy(y, start, sizeof y);
    tn_model *model = disc_model(&thin, y);
    tn_sim *sim = open_tight(model);
    double least = 1.0;
    for (int k = 1; k <= 200; k++) {
        CHECK_OK(tn_sim_run(sim, 0.005 * k, NULL, NULL));
        const double axle = tn_sim_body_frame(sim, (tn_body){1}).R.m[2][2];
        least = fmin(least, sqrt(1.0 - axle * axle));
    }
    printf("sine of the lean down to %.3f\n", least);
    CHECK(least < 0.25 && least > 0.0);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"discs roll on steady circles", discs_roll_on_steady_circles},
    {"discs move as Euler's equations say", discs_move_as_eulers_equations_say},
    {"models of any size move alike", models_of_any_size_move_alike},
    {"a ball on a turntable circles", a_ball_on_a_turntable_circles},
    {"reactions on a slope are those by hand", reactions_on_a_slope_are_those_by_hand},
    {"two blades are redundant side by side", two_blades_are_redundant_side_by_side},
    {"contradictions are named", contradictions_are_named},
    {"a tricycle repeats one row", a_tricycle_repeats_one_row},
    {"wheels are assembled and start without slip", wheels_are_assembled_and_start_without_slip},
    {"bad wheels are refused", bad_wheels_are_refused},
    {"a coin that falls flat ends the run", a_coin_that_falls_flat_ends_the_run},
    {"a coin that spins goes on", a_coin_that_spins_goes_on},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
