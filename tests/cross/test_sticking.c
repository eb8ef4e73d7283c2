// SPDX-License-Identifier: MIT
//
// Friction of bodies that part and meet: slip, stick and what happens between them, by integrators
// of all kinds in absolute and joint coordinates, against closed forms and published motions.
//
// A ball that is thrown along a floor with v0 rolls from 2 v0 / (7 mu g) on with 5/7 v0. A block on
// a slope of angle a slides with g (sin a - mu cos a), or stays. A block that rocks on two corners
// [Housner 1963] hits one after the other with omega+ = (1 - 3/2 sin^2 alpha) omega-, between
// quarters of elliptic functions. The woodpecker toy [GP95], a slider in its guide [Flores, Leine
// and Glocker 2010] and a rod that may jam [PG96] have numbers of event-driven computations of
// order 8 whose two tolerances agree.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[] = {
    "dopri5/index1+project",
    "dop853/index1+project@joint",
    "dop853/minimal",
    "dopri5/nullspace",
    "herk5/index2",
    "radau5/ggl",
    "radau5/index1",
    "radau5/ggl@joint",
    "bdf/ggl",
    "bdf/ggl@joint",
};

static tn_model *parse_sticking(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "sticking.yaml", &model, NULL));
    return model;
}

static tn_sim *open_sticking(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = 1e-10;
    options.atol = 1e-12;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

// Multistep methods begin with order one after each change.
static bool keeps_a_past(const char *method)
{
    return !strncmp(method, "bdf", 3);
}

// Times of the events of a name, in order; returns how many there are.
static int times_of(const tn_model *model, const tn_sim *sim, const char *name, double *t, int most)
{
    const tn_event_hit *hits;
    const int all = tn_sim_event_hits(sim, &hits);
    int n = 0, event = 0;
    while (event < tn_model_event_count(model) &&
           strcmp(tn_model_event_name(model, event), name) != 0)
        event++;
    CHECK(event < tn_model_event_count(model));
    for (int i = 0; i < all; i++)
        if (hits[i].event == event && n++ < most)
            t[n - 1] = hits[i].t;
    return n;
}

// All that is lost is booked, to some tolerances of the energy exchanged.
static void check_energy(const tn_sim *sim, const char *method)
{
    tn_ledger ledger;
    tn_verdict verdict;
    tn_sim_ledger(sim, &ledger);
    tn_sim_verdict(sim, &verdict);
    CHECK(verdict.outcome == TN_OUTCOME_DONE);
    CHECK_NEAR(ledger.max_balance, 0.0, (keeps_a_past(method) ? 3e-7 : 1e-8) * ledger.energy_scale);
}

static void a_ball_slides_until_it_rolls(void)
{
    // Along the diagonal in space, and in the plane.
    static const char *const texts[] = {
        "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004],\n"
        "         initial: {position: [0, 0, 0.1], velocity: [3, 4, 0]}}\njoints:\n"
        "  floor: {kind: contact, bodies: [ground, ball], radius_b: 0.1, one_sided: true,\n"
        "          friction: 0.2}\n",
        "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  ball: {kind: planar, mass: 1, inertia: 0.004,\n"
        "         initial: {position: [0, 0.1], velocity: [5, 0]}}\njoints:\n"
        "  floor: {kind: contact, bodies: [ground, ball], axis: [0, 1, 0], radius_b: 0.1,\n"
        "          one_sided: true, friction: 0.2}\n",
    };
    const double v0 = 5.0, rolls = 2.0 * v0 / (7.0 * 0.2 * 9.81),
                 way = 12.0 * v0 * v0 / (49.0 * 0.2 * 9.81);
    for (int i = 0; i < TN_COUNT(texts); i++) {
        tn_model *model = parse_sticking(texts[i]);
        for (int k = 0; k < TN_COUNT(methods); k++) {
            tn_sim *sim = open_sticking(model, methods[k]);
            const tn_body ball = tn_model_find_body(model, "ball");
            double t[1] = {0.0};
            CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
            CHECK(times_of(model, sim, "floor sticks", t, 1) == 1);
            CHECK_NEAR(t[0], rolls, keeps_a_past(methods[k]) ? 1e-8 : 1e-9);
            CHECK_NEAR(tn_v3_norm(tn_sim_body_velocity(sim, ball)), 5.0 / 7.0 * v0, 1e-9);
            const tn_vec3 p = tn_sim_body_frame(sim, ball).p;
            CHECK_NEAR(hypot(p.x, i == 0 ? p.y : 0.0), way + (1.0 - rolls) * 5.0 / 7.0 * v0,
                       keeps_a_past(methods[k]) ? 1e-7 : 1e-9);
            check_energy(sim, methods[k]);
            tn_sim_destroy(sim);
        }
        tn_model_destroy(model);
    }
}

static void a_block_slides_or_stays_on_a_slope(void)
{
    for (int stays = 0; stays < 2; stays++) {
        char text[700];
        const double a = 25.0 * M_PI / 180.0, mu = tan(a) * (1.0 + (stays ? 1e-6 : -1e-6));
        snprintf(
            text, sizeof text,
            "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
            "  block: {kind: planar, mass: 1, inertia: 1}\njoints:\n"
            "  slope: {kind: point-in-plane, bodies: [ground, block], axis: [%.17g, %.17g, 0],\n"
            "          one_sided: true, friction: %.17g}\n",
            -sin(a), cos(a), mu);
        tn_model *model = parse_sticking(text);
        for (int k = 0; k < TN_COUNT(methods); k++) {
            tn_sim *sim = open_sticking(model, methods[k]);
            CHECK_OK(tn_sim_run(sim, 10.0, NULL, NULL));
            const double v =
                tn_v3_norm(tn_sim_body_velocity(sim, tn_model_find_body(model, "block")));
            // 4.145885147676261e-6 m/s^2 for ten seconds
            CHECK_NEAR(v, stays ? 0.0 : 4.145885147676261e-5, 1e-12);
            tn_sim_destroy(sim);
        }
        tn_model_destroy(model);
    }
}

// Half width 0.1, half height 0.2, begins at 0.2 rad: times by quadrature.
static void a_block_rocks_to_rest(void)
{
    static const double at[] = {0.20459166858, 0.43730694589, 0.58942390520,
                                0.69284687190, 0.76427723643, 0.81395980414};
    static const char *const some[] = {"dopri5/index1+project", "dop853/index1+project@joint",
                                       "radau5/ggl", "bdf/ggl"};
    const double c = cos(0.2), s = sin(0.2);
    char text[1200];
    snprintf(text, sizeof text,
             "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
             "  block: {kind: planar, mass: 1, inertia: %.17g,\n"
             "          initial: {position: [%.17g, %.17g], angle: 0.2}}\njoints:\n"
             "  left: {kind: point-in-plane, bodies: [ground, block], axis: [0, 1, 0],\n"
             "         at_a: [0, 0, 0], at_b: [0, 0, 0], one_sided: true, friction: 1}\n"
             "  right: {kind: point-in-plane, bodies: [ground, block], axis: [0, 1, 0],\n"
             "          at_a: [0, 0, 0], at_b: [%.17g, %.17g, 0], one_sided: true, friction: 1}\n",
             0.05 / 3.0, 0.1 * c - 0.2 * s, 0.1 * s + 0.2 * c, 0.2 * c, 0.2 * s);
    tn_model *model = parse_sticking(text);
    for (int k = 0; k < TN_COUNT(some); k++) {
        tn_sim *sim = open_sticking(model, some[k]);
        const double tol = keeps_a_past(some[k]) ? 1e-7 : 2e-10;
        double left[4] = {0.0}, right[4] = {0.0};
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
        CHECK(times_of(model, sim, "right hits", right, 4) > 4);
        CHECK(times_of(model, sim, "left hits", left, 4) > 4);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(right[i], at[2 * i], tol);
            CHECK_NEAR(left[i], at[2 * i + 1], tol);
        }
        tn_sim_ledger(sim, &ledger);
        CHECK(ledger.events < 200); // it rocks no more in the round-off of its place
        CHECK_NEAR(tn_sim_body_velocity(sim, tn_model_find_body(model, "block")).y, 0.0, 1e-12);
        CHECK_NEAR(ledger.impacts, 9.81 * (0.1 * s + 0.2 * c - 0.2), 1e-7);
        check_energy(sim, some[k]);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// Loads of two corners are not unique: they hold together what both can.
static void a_block_on_two_corners_slips_when_both_do(void)
{
    tn_model *model = parse_sticking(
        "tenon: 1\ngravity: [1, -9.81, 0]\nbodies:\n"
        "  block: {kind: planar, mass: 1, inertia: 0.01, initial: {position: [0, 0.2]}}\njoints:\n"
        "  left: {kind: point-in-plane, bodies: [ground, block], axis: [0, 1, 0],\n"
        "         at_a: [0, 0, 0], at_b: [-0.1, 0, 0], one_sided: true, friction: 0.3}\n"
        "  right: {kind: point-in-plane, bodies: [ground, block], axis: [0, 1, 0],\n"
        "          at_a: [0, 0, 0], at_b: [0.1, 0, 0], one_sided: true, friction: 0.3}\n"
        "forces: {push: {kind: point-force, body: block, force: [4*t, 0, 0]}}\n");
    const double begins = (0.3 * 9.81 - 1.0) / 4.0, left = 1.0 - begins;
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_sticking(model, methods[k]);
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        const double v = tn_sim_body_velocity(sim, tn_model_find_body(model, "block")).x;
        CHECK_NEAR(v, 2.0 * left * left, keeps_a_past(methods[k]) ? 1e-8 : 1e-9);
        check_energy(sim, methods[k]);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// The toy in its three coordinates y, phi of the sleeve and phi of the bird, whose masses are those
// of four sliders.
static const char woodpecker[] =
    "tenon: 1\ngravity: [0, -9.81, 0]\n"
    "parameters: {a: 0.01, b: 0.015, c: 0.0056, hs: 0.02, hm: 0.0058, rm: 0.0031, gap: 0.0006,\n"
    "             m0: -gap/hm, s0: -0.2788, w0: a*m0 + b*s0}\n"
    "bodies:\n"
    "  sleeve: {kind: planar, mass: 0.0003, inertia: 1e-6, initial: {velocity: [0, -0.3411]}}\n"
    "  bird: {kind: planar, mass: 0.0045, inertia: 1e-5,\n"
    "         initial: {position: [1, w0], velocity: [0, -0.3411 - 7.4583*b]}}\n"
    "  turn: {kind: planar, mass: 5e-9, inertia: 5e-9, initial: {position: [m0, 2]}}\n"
    "  nod: {kind: planar, mass: 7e-7, inertia: 7e-7,\n"
    "        initial: {position: [s0, 3], velocity: [-7.4583, 0]}}\n"
    "joints:\n"
    "  y: {kind: prismatic, bodies: [ground, sleeve], axis: [0, 1, 0], at: [0, 0, 0]}\n"
    "  w: {kind: prismatic, bodies: [ground, bird], axis: [0, 1, 0], at_a: [1, 0, 0],\n"
    "      at_b: [1, w0, 0]}\n"
    "  m: {kind: prismatic, bodies: [ground, turn], axis: [1, 0, 0], at_a: [0, 2, 0],\n"
    "      at_b: [m0, 2, 0]}\n"
    "  s: {kind: prismatic, bodies: [ground, nod], axis: [1, 0, 0], at_a: [0, 3, 0],\n"
    "      at_b: [s0, 3, 0]}\n"
    "  rigid: {kind: position-row, row: w.displacement - y.displacement - a*m.displacement\n"
    "          - b*s.displacement}\n"
    "  beak: {kind: position-row, row: 0.0024 - hs*s.displacement, one_sided: true,\n"
    "         slip: y.displacement.rate + a*m.displacement.rate - 0.0051*s.displacement.rate,\n"
    "         restitution: 0.5, friction: 0.3}\n"
    "  lower: {kind: position-row, row: gap + hm*m.displacement, one_sided: true,\n"
    "          slip: y.displacement.rate + rm*m.displacement.rate, friction: 0.3}\n"
    "  upper: {kind: position-row, row: gap - hm*m.displacement, one_sided: true,\n"
    "          slip: y.displacement.rate + rm*m.displacement.rate, friction: 0.3}\n"
    "forces:\n"
    "  spring_m: {kind: joint-law, joint: m, law: -c*(m.displacement - s.displacement)}\n"
    "  spring_s: {kind: joint-law, joint: s, law: -c*(s.displacement - m.displacement)}\n";

static void a_woodpecker_comes_down(void)
{
    tn_model *model = parse_sticking(woodpecker);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_sticking(model, methods[k]);
        double t[2] = {0.0};
        CHECK_OK(tn_sim_run(sim, 0.3, NULL, NULL));
        CHECK(times_of(model, sim, "beak hits", t, 2) == 2);
        printf("%-28s %.12f %.12f\n", methods[k], t[0], t[1]);
        CHECK_NEAR(t[0], 0.080988805419, 1e-9);
        CHECK_NEAR(t[1], 0.22684149, 1e-8);
        check_energy(sim, methods[k]);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// After some cycles each takes 0.145976 s.
static void a_woodpecker_pecks_in_time(void)
{
    tn_model *model = parse_sticking(woodpecker);
    tn_sim *sim = open_sticking(model, "dop853/index1+project@joint");
    double t[30] = {0.0};
    CHECK_OK(tn_sim_run(sim, 4.0, NULL, NULL));
    const int n = times_of(model, sim, "beak hits", t, 30);
    CHECK(n >= 27);
    CHECK_NEAR(0.5 * (t[26] - t[24]), 0.145976, 1e-6); // two of a series that alternates
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

#define RUBBING(name, sy, sa)                                                               \
    "  " name ": {kind: position-row, one_sided: true, restitution: 0.4, friction: 0.01,\n" \
    "       row: b + c - (" sy ")*(slider.position.y + (" sa ")*a*sin(slider.angle))\n"     \
    "            - b*cos(slider.angle),\n"                                                  \
    "       slip: slider.velocity.x - ((" sa ")*a*sin(slider.angle)\n"                      \
    "             + (" sy ")*b*cos(slider.angle))*slider.angular_velocity.z}\n"

static void a_slider_rubs_in_its_guide(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, -9.81, 0]\n"
        "parameters: {l1: 0.153, l2: 0.306, a: 0.05, b: 0.025, c: 0.001}\nbodies:\n"
        "  crank: {kind: planar, mass: 0.038, inertia: 7.4e-5,\n"
        "          initial: {position: [l1/2, 0], rate: 150}}\n"
        "  rod: {kind: planar, mass: 0.038, inertia: 5.9e-4,\n"
        "        initial: {position: [l1 + l2/2, 0], rate: -75}}\n"
        "  slider: {kind: planar, mass: 0.076, inertia: 2.7e-6,\n"
        "           initial: {position: [l1 + l2, 0], rate: -0.01}}\njoints:\n"
        "  A: {kind: revolute, bodies: [ground, crank], at: [0, 0]}\n"
        "  B: {kind: revolute, bodies: [crank, rod], at: [l1, 0]}\n"
        "  C: {kind: revolute, bodies: [rod, slider], at: [l1 + l2, 0]}\n" //
        RUBBING("c1", "1", "-1") RUBBING("c2", "1", "1") RUBBING("c3", "-1", "-1")
            RUBBING("c4", "-1", "1");
    static const struct {
        double t, crank, rod;
    } at[] = {{0.01, 0.9478082, -0.4145754},
              {0.02, 1.6130251, -0.5199105},
              {0.03, 2.549878, -0.2860428},
              {0.04, 3.9341404, 0.3673370}};
    static const char *const some[] = {"dopri5/index1+project", "dop853/index1+project@joint",
                                       "radau5/ggl", "bdf/ggl"};
    tn_model *model = parse_sticking(text);
    for (int k = 0; k < TN_COUNT(some); k++) {
        tn_sim *sim = open_sticking(model, some[k]);
        double most = 0.0;
        for (int i = 0; i < TN_COUNT(at); i++) {
            double crank, rod, rate;
            CHECK_OK(tn_sim_run(sim, at[i].t, NULL, NULL));
            tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "A"), &crank, &rate);
            tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "B"), &rod, &rate);
            most = fmax(most, fmax(fabs(crank - at[i].crank), fabs(crank + rod - at[i].rod)));
        }
        printf("%-28s angles off by %.1e\n", some[k], most);
        CHECK_NEAR(most, 0.0, 1e-6);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// A rod of half length 1 that stands at an angle on its tip, which slips with this speed.
static tn_model *rod_on_its_tip(double angle, double rate, double mu, double slip, bool stopped)
{
    char text[900];
    const double c = cos(angle), s = sin(angle);
    snprintf(text, sizeof text,
             "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
             "  rod: {kind: planar, mass: 1, inertia: %.17g, initial: {position: [%.17g, %.17g],\n"
             "        angle: %.17g, velocity: [%.17g, %.17g], rate: %.17g}}\njoints:\n"
             "  tip: {kind: point-in-plane, bodies: [ground, rod], axis: [0, 1, 0],\n"
             "        at_a: [0, 0, 0], at_b: [0, 0, 0], one_sided: true, friction: %.17g%s}\n",
             1.0 / 3.0, c, s, angle, slip - rate * s, rate * c, rate, mu,
             stopped ? ", impact_without_collision: true" : "");
    return parse_sticking(text);
}

static void a_rod_slips_sticks_and_slips(void)
{
    tn_model *model = rod_on_its_tip(M_PI / 3.0, 0.0, 1.2, 2.0, false);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_sticking(model, methods[k]);
        double stick[2] = {0.0}, slip[1] = {0.0};
        CHECK_OK(tn_sim_run(sim, 0.8, NULL, NULL));
        CHECK(times_of(model, sim, "tip sticks", stick, 2) == 2);
        CHECK(times_of(model, sim, "tip slips", slip, 1) == 1);
        const double tol = keeps_a_past(methods[k]) ? 1e-8 : 3e-10;
        CHECK_NEAR(stick[0], 0.1741472599, tol);
        CHECK_NEAR(slip[0], 0.2751349391, tol);
        CHECK_NEAR(stick[1], 0.6854364414, tol);
        check_energy(sim, methods[k]);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// States of the rod at friction 1.5 [PG96]: one motion, none, and two.
static void a_rod_that_jams_ends_the_run(void)
{
    static const struct {
        double angle, rate;
        double load; // 0: it jams
        const char *words;
    } state[] = {{30.0, 0.0, 7.537787820790, NULL},
                 {60.0, 0.0, 0.0, "no motion"},
                 {60.0, 5.0, 0.0, "two motions"},
                 {85.0, 0.0, 15.520188036734, NULL}};
    for (int i = 0; i < TN_COUNT(state); i++) {
        tn_model *model =
            rod_on_its_tip(state[i].angle * M_PI / 180.0, state[i].rate, 1.5, -1.0, false);
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = "dopri5";
        if (state[i].load > 0.0) {
            CHECK_OK(tn_sim_create(model, &options, &sim));
            CHECK_NEAR(tn_sim_joint_reaction(sim, tn_model_find_joint(model, "tip")).f.y,
                       state[i].load, 1e-10);
            CHECK_NEAR(tn_sim_joint_reaction(sim, tn_model_find_joint(model, "tip")).f.x,
                       1.5 * state[i].load, 1e-10);
        } else {
            CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_NUMERIC);
            CHECK(strstr(tn_last_error(), "joint 'tip' jams at t = 0 s") != NULL);
            CHECK(strstr(tn_last_error(), state[i].words) != NULL);
        }
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// The impulse is (0.4375, 0.32475953) N s, and its half is lost.
static void a_rod_that_jams_is_stopped(void)
{
    tn_model *model = rod_on_its_tip(M_PI / 3.0, 0.0, 1.5, -1.0, true);
    tn_sim *sim = open_sticking(model, "dopri5/index1+project");
    tn_ledger ledger;
    const tn_body rod = tn_model_find_body(model, "rod");
    CHECK_OK(tn_sim_run(sim, 1e-9, NULL, NULL));
    CHECK_NEAR(tn_sim_body_velocity(sim, rod).x, -1.0 + 0.4375, 1e-7);
    CHECK_NEAR(tn_sim_body_velocity(sim, rod).y, 0.32475953, 1e-7);
    tn_sim_ledger(sim, &ledger);
    CHECK_NEAR(ledger.impacts, 0.21875, 1e-9);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Balls and a box with eight corners, thrown on a floor: all roads end at one place.
static void random_throws_end_at_one_place(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0.4, 0.2, -9.81]\nbodies:\n"
        "  one: {mass: 1.4, inertia: [0.0048, 0.0049, 0.0055], initial: {position: [0, 0.03, "
        "0.3],\n"
        "        velocity: [1.2, -0.2, -1.4], rate: [0.4, 3.9, 1.3]}}\n"
        "  two: {mass: 0.9, inertia: [0.0046, 0.004, 0.0042], initial: {position: [0.36, -0.04, "
        "0.1],\n"
        "        velocity: [-1.5, 0.4, 0], rate: [-1.7, 0.9, -3]}}\njoints:\n"
        "  f1: {kind: contact, bodies: [ground, one], at_a: [0, 0, 0], radius_b: 0.1,\n"
        "       one_sided: true, restitution: 0.6, friction: 0.3}\n"
        "  f2: {kind: contact, bodies: [ground, two], at_a: [0, 0, 0], radius_b: 0.1,\n"
        "       one_sided: true, friction: 0.4}\n"
        "  both: {kind: contact, bodies: [one, two], a: sphere, b: sphere, radius_a: 0.1,\n"
        "         radius_b: 0.1, one_sided: true, restitution: 0.5, friction: 0.2}\n";
    tn_model *model = parse_sticking(text);
    tn_vec3 first[2];
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_sticking(model, methods[k]);
        double most = 0.0;
        CHECK_OK(tn_sim_run(sim, 1.5, NULL, NULL));
        for (int b = 0; b < 2; b++) {
            const tn_vec3 p = tn_sim_body_frame(sim, (tn_body){b + 1}).p;
            first[b] = k == 0 ? p : first[b];
            most = fmax(most, tn_v3_norm(tn_v3_sub(p, first[b])));
        }
        printf("%-28s off by %.1e m\n", methods[k], most);
        CHECK_NEAR(most, 0.0, keeps_a_past(methods[k]) ? 1e-6 : 3e-8);
        check_energy(sim, methods[k]);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// A run that is saved while something slips goes on to the same bits.
static void a_saved_slip_goes_on(void)
{
    tn_model *model = parse_sticking(woodpecker);
    static const char *const some[] = {"dopri5/index1+project", "radau5/ggl@joint"};
    for (int k = 0; k < TN_COUNT(some); k++) {
        tn_sim *whole = open_sticking(model, some[k]), *part = open_sticking(model, some[k]),
               *rest = open_sticking(model, some[k]);
        void *bytes = NULL;
        size_t size = 0;
        CHECK_OK(tn_sim_run(whole, 0.065, NULL, NULL)); // 'lower' slips
        CHECK_OK(tn_sim_run(part, 0.065, NULL, NULL));
        CHECK_OK(tn_sim_save(part, &bytes, &size));
        CHECK_OK(tn_sim_load(rest, bytes, size));
        CHECK_OK(tn_sim_run(whole, 0.2, NULL, NULL));
        CHECK_OK(tn_sim_run(rest, 0.2, NULL, NULL));
        CHECK(!memcmp(tn_sim_q(whole), tn_sim_q(rest), sizeof(double) * (size_t)tn_sim_nq(whole)));
        CHECK(!memcmp(tn_sim_v(whole), tn_sim_v(rest), sizeof(double) * (size_t)tn_sim_nv(whole)));
        tn_text_free(bytes);
        tn_sim_destroy(whole);
        tn_sim_destroy(part);
        tn_sim_destroy(rest);
    }
    tn_model_destroy(model);
}

static void what_cannot_rub_is_refused(void)
{
    static const struct {
        const char *joint, *words;
    } wrong[] = {
        {"{kind: position-row, row: p.position.y, friction: 0.5}", "add one_sided: true"},
        {"{kind: position-row, row: p.position.y, one_sided: true, friction: -1}",
         "friction is -1; a coefficient of friction is 0 or more"},
        {"{kind: position-row, row: p.position.y, one_sided: true, friction: 0.5}",
         "friction acts along a velocity; state the expression 'slip' too"},
        {"{kind: position-row, row: p.position.y, one_sided: true, slip: p.velocity.x}",
         "slip is where friction acts"},
        {"{kind: position-row, row: p.position.y, one_sided: true, slip: p.velocity.x^2, "
         "friction: 0.5}",
         "joint 'c': slip: it is not linear in velocities"},
        {"{kind: distance, bodies: [ground, p], length: 3, one_sided: true, friction: 0.5}",
         "friction acts in contact, curve-on-curve"},
        {"{kind: point-in-plane, bodies: [ground, p], axis: [0, 1, 0], one_sided: true, "
         "impact_without_collision: true}",
         "is for contacts that slip; state friction too"},
    };
    for (int k = 0; k < TN_COUNT(wrong); k++) {
        char text[600];
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        const tn_sim_options options = tn_default_sim();
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies: {p: {kind: planar, mass: 1, inertia: 1, initial: {position: "
                 "[0, 2]}}}\njoints:\n  c: %s\n",
                 wrong[k].joint);
        tn_status status = tn_model_parse(text, "wrong.yaml", &model, NULL);
        if (status == TN_OK)
            status = tn_sim_create(model, &options, &sim);
        CHECK(status == TN_ERR_MODEL);
        if (!strstr(tn_last_error(), wrong[k].words))
            printf("%s\n", tn_last_error());
        CHECK(strstr(tn_last_error(), wrong[k].words) != NULL);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"a ball slides until it rolls", a_ball_slides_until_it_rolls},
    {"a block slides or stays on a slope", a_block_slides_or_stays_on_a_slope},
    {"a block rocks to rest", a_block_rocks_to_rest},
    {"a block on two corners slips when both do", a_block_on_two_corners_slips_when_both_do},
    {"a woodpecker comes down", a_woodpecker_comes_down},
    {"a woodpecker pecks in time", a_woodpecker_pecks_in_time},
    {"a slider rubs in its guide", a_slider_rubs_in_its_guide},
    {"a rod slips, sticks and slips", a_rod_slips_sticks_and_slips},
    {"a rod that jams ends the run", a_rod_that_jams_ends_the_run},
    {"a rod that jams is stopped", a_rod_that_jams_is_stopped},
    {"random throws end at one place", random_throws_end_at_one_place},
    {"a saved slip goes on", a_saved_slip_goes_on},
    {"what cannot rub is refused", what_cannot_rub_is_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
