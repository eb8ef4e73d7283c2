// SPDX-License-Identifier: MIT
//
// Chaplygin's sleigh, in the plane and in space, and a disc that rolls, by all roads: every legal
// pairing of integrator and formulation, in absolute and in joint coordinates, gives one motion
// with the orders that it has without rolling; energy is constant, and what drifts drifts as it
// should.

#include "road_orders.h"
#include "rolling_disc.h"

static const double MASS = 2.0, INERTIA = 0.05, AHEAD = 0.2, SPEED = -0.6, RATE = 0.8;

static const char planar_sleigh_text[] =
    "tenon: 1\n"
    "bodies:\n"
    "  sleigh: {kind: planar, mass: 2, inertia: 0.05, com: [0.2, 0],\n"
    "           initial: {velocity: [-0.6, 0], rate: 0.8}}\n"
    "joints:\n"
    "  blade: {kind: knife-edge, bodies: [ground, sleigh]}\n";

// On a blade and two smooth feet; the centre of mass is above the plane.
static const char spatial_sleigh_text[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  sleigh: {mass: 2, inertia: [0.03, 0.04, 0.05], com: [0.2, 0, 0.1],\n"
    "           initial: {velocity: [-0.6, 0, 0], rate: [0, 0, 0.8]}}\n"
    "joints:\n"
    "  blade: {kind: knife-edge, bodies: [ground, sleigh]}\n"
    "  left: {kind: point-in-plane, bodies: [ground, sleigh], at_b: [0.4, 0.2, 0]}\n"
    "  right: {kind: point-in-plane, bodies: [ground, sleigh], at_b: [0.4, -0.2, 0]}\n";

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "sleigh", &model, NULL));
    return model;
}

static tn_model *planar_sleigh(void)
{
    return parse(planar_sleigh_text);
}

static tn_model *spatial_sleigh(void)
{
    return parse(spatial_sleigh_text);
}

static tn_model *rolling_disc(void)
{
    static const disc d = {.m = 0.5, .R = 0.2, .r = 0.03, .A = 0.008, .C = 0.014, .g = 9.81};
    static const double start[DISC_SIZE] = {0.1, -0.2, 0.3, 1.2, 0.4, 0.5, 5.0, 1.1};
    return disc_model(&d, start);
}

enum { PLANAR_SLEIGH, SPATIAL_SLEIGH, ROLLING_DISC, ROLLING_PROBLEMS };

static const problem rolling_problems[ROLLING_PROBLEMS] = {
    [PLANAR_SLEIGH] = {.name = "planar sleigh", .model = planar_sleigh, .t_end = 1.6, .steps = 80},
    [SPATIAL_SLEIGH] =
        {.name = "sleigh", .model = spatial_sleigh, .rotates = true, .t_end = 0.8, .steps = 80},
    [ROLLING_DISC] =
        {.name = "disc", .model = rolling_disc, .rotates = true, .t_end = 0.4, .steps = 80},
};

// v = V tanh(s), w = (V/k) / cosh(s), s = a V (t - t_0) / k^2 (docs/theory/rolling.md).
static void check_closed_form(const problem *p, const char *method)
{
    const double k = sqrt(AHEAD * AHEAD + INERTIA / MASS), V = hypot(SPEED, k * RATE);
    const double s0 = atanh(SPEED / V);
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = options.project_tol = 1e-12;
    tn_model *model;
    tn_sim *sim = open_problem(p, &options, &model);
    for (int i = 1; i <= 4; i++) {
        const double t = 1.5 * i, s = s0 + AHEAD * V * t / (k * k);
        CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
        const double turned = 2.0 * k / AHEAD * (atan(tanh(0.5 * s)) - atan(tanh(0.5 * s0)));
        const tn_vec3 v = tn_sim_body_velocity(sim, (tn_body){1});
        const tn_vec3 x = tn_m3_column(tn_sim_body_frame(sim, (tn_body){1}).R, 0);
        CHECK_NEAR(tn_sim_body_rate(sim, (tn_body){1}).z, V / k / cosh(s), 1e-9);
        CHECK_NEAR(tn_v3_dot(v, x), V * tanh(s), 1e-9);
        CHECK_NEAR(x.x, cos(turned), 1e-9);
        CHECK_NEAR(x.y, sin(turned), 1e-9);
    }
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    CHECK_NEAR(ledger.max_balance / ledger.energy_scale, 0.0, 1e-10);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void sleighs_calm_down_as_their_closed_form_says(void)
{
    for (int k = PLANAR_SLEIGH; k <= SPATIAL_SLEIGH; k++) {
        check_closed_form(&rolling_problems[k], "dop853/index1+project@absolute");
        check_closed_form(&rolling_problems[k], "dop853/index1+project@joint");
        check_closed_form(&rolling_problems[k], "radau5/ggl@absolute");
    }
}

// Orders ------------------------------------------------------------------------------------------

// One way to carry rotations for each integrator; all of them are in the test of one motion. In
// joint coordinates phase-space takes the rate of M from differences, which leave order eight no
// room.
static void check_usual_orders(const problem *p, const tn_integrator_ops *integrator,
                               const tn_formulation *formulation, const char *rotation, void *user)
{
    const orders_seen *seen = user;
    const char *usual = can_carry(integrator, "so3") ? "so3" : "quaternion";
    const bool noisy = !strcmp(seen->coordinates, "joint") && integrator->order > 5 &&
                       !strcmp(formulation->name, "phase-space");
    if (!noisy && (!p->rotates || !strcmp(rotation, usual)))
        check_orders(p, integrator, formulation, rotation, user);
}

static void check_orders_in(const char *coordinates, int which)
{
    static orders_seen seen;
    begin_roads(&seen, coordinates);
    tight_track(&rolling_problems[which], "dop853/index1+project", &seen.exact);
    every_road(&rolling_problems[which], check_usual_orders, &seen);
    check_roads(&seen);
}

static void orders_in_the_plane_are_those_stated(void)
{
    check_orders_in("absolute", PLANAR_SLEIGH);
    check_orders_in("joint", PLANAR_SLEIGH);
}

static void orders_in_space_are_those_stated(void)
{
    check_orders_in("absolute", SPATIAL_SLEIGH);
    check_orders_in("joint", SPATIAL_SLEIGH);
}

static void orders_of_a_disc_are_those_stated(void)
{
    check_orders_in("absolute", ROLLING_DISC);
}

// One motion --------------------------------------------------------------------------------------

static void all_roads_give_one_motion(void)
{
    static orders_seen seen;
    static const char *const coordinates[] = {"absolute", "joint"};
    for (int k = 0; k < ROLLING_PROBLEMS; k++)
        for (int c = 0; c < 2; c++) {
            begin_roads(&seen, coordinates[c]);
            seen.fixed_q = 1e-4;
            seen.fixed_v = 1e-3;
            tight_track(&rolling_problems[k], "dop853/index1+project", &seen.exact);
            every_road(&rolling_problems[k], check_one_motion, &seen);
            check_roads(&seen);
        }
}

// Drift -------------------------------------------------------------------------------------------

typedef struct drifts {
    double half, whole; // largest |N v| over half and over the whole time
} drifts;

// With fixed steps of dopri5 or herk5, coarse enough for the error to be seen.
static drifts drift_of(const char *method, int steps)
{
    const problem *p = &rolling_problems[PLANAR_SLEIGH];
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = p->t_end / steps;
    tn_model *model;
    tn_sim *sim = open_problem(p, &options, &model);
    drifts d;
    tn_ledger ledger;
    CHECK_OK(tn_sim_run(sim, 0.5 * p->t_end, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    d.half = ledger.gdot;
    CHECK_OK(tn_sim_run(sim, p->t_end, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    d.whole = ledger.gdot;
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return d;
}

// On acceleration level N v' + ... = 0 leaves N v to the error of the method, of order five; on
// velocity level nothing is left but round-off.
static void what_drifts_drifts_with_the_order(void)
{
    static const char *const drifting[] = {"dopri5/index1", "dopri5/nullspace",
                                           "dopri5/udwadia-kalaba", "radau5/index1"};
    static const char *const held[] = {"dopri5/maggi",
                                       "dopri5/projective",
                                       "dopri5/phase-space",
                                       "dopri5/minimal",
                                       "dopri5/index1+project",
                                       "dopri5/nullspace+project",
                                       "herk5/index2",
                                       "galpha/index2",
                                       "galpha/index3",
                                       "galpha/ggl",
                                       "radau5/ggl"};
    for (int k = 0; k < TN_COUNT(drifting); k++) {
        const drifts coarse = drift_of(drifting[k], 10), fine = drift_of(drifting[k], 20);
        printf("%-24s |N v| %.1e and %.1e, at half the step %.1e\n", drifting[k], coarse.half,
               coarse.whole, fine.whole);
        CHECK(coarse.whole > 1e-11 && coarse.whole > coarse.half);
        CHECK(log2(coarse.whole / fine.whole) > 4.0);
    }
    for (int k = 0; k < TN_COUNT(held); k++) {
        const drifts d = drift_of(held[k], 20);
        if (d.whole > 1e-11)
            printf("%-24s |N v| %.1e\n", held[k], d.whole);
        CHECK_NEAR(d.whole, 0.0, 1e-11);
    }
}

static const tn_test tests[] = {
    {"sleighs calm down as their closed form says", sleighs_calm_down_as_their_closed_form_says},
    {"orders in the plane are those stated", orders_in_the_plane_are_those_stated},
    {"orders in space are those stated", orders_in_space_are_those_stated},
    {"orders of a disc are those stated", orders_of_a_disc_are_those_stated},
    {"all roads give one motion", all_roads_give_one_motion},
    {"what drifts drifts with the order", what_drifts_drifts_with_the_order},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
