// SPDX-License-Identifier: MIT
//
// One-sided rows: bodies that part, meet and bounce, by integrators of all kinds in absolute and
// joint coordinates, against closed forms. A ball falls from h, bounces with e, and rests:
//
//   t_k = t_1 + 2 t_1 e (1 - e^(k-1)) / (1 - e),   t_1 = sqrt(2 h / g)
//   at rest from t_1 (1 + e) / (1 - e) on
//
// Rows of balls follow Newton's law in the form of Moreau, in exact fractions; a pendulum against a
// wall by elliptic integrals; a slider in its guide [Flores, Leine and Glocker 2010] by an
// event-driven computation of order 8 whose two tolerances agree to 1e-7.

#include "tenon/tenon.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const char *const methods[] = {
    "dopri5/index1",  "dop853/index1+project", "dopri5/nullspace",
    "dop853/maggi",   "dopri5/udwadia-kalaba", "dopri5/projective",
    "dop853/minimal", "herk5/index2",          "radau5/ggl",
    "radau5/index2",  "dop853/index1@joint",   "radau5/ggl@joint",
    "galpha/ggl",     "galpha/index3",         "hht/ggl@joint",
    "bdf/ggl",        "bdf/index1@joint",      "adams/index1",
};

static tn_model *parse_one_sided(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "one_sided.yaml", &model, NULL));
    return model;
}

static tn_sim *open_one_sided(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = 1e-10;
    options.atol = 1e-12;
    if (!strncmp(method, "galpha", 6) || !strncmp(method, "hht", 3))
        options.step = 5e-3;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

// IDA and CVODE begin with order one behind each impact.
static bool keeps_a_past(const char *method)
{
    return !strncmp(method, "bdf", 3) || !strncmp(method, "adams", 5);
}

static int hits_of(const tn_sim *sim, double *t, int most)
{
    const tn_event_hit *hits;
    const int all = tn_sim_event_hits(sim, &hits);
    int n = 0;
    for (int i = 0; i < all && n < most; i++)
        if (!hits[i].rising)
            t[n++] = hits[i].t;
    return n;
}

static const char ball[] = "tenon: 1\ngravity: [0, -9.81, 0]\n"
                           "bodies:\n"
                           "  ball: {kind: point-2d, mass: 2, initial: {position: [0, 1]}}\n"
                           "joints:\n"
                           "  floor: {kind: position-row, row: ball.position.y, one_sided: true,\n"
                           "          restitution: 0.9}\n";

static void a_ball_bounces_and_rests(void)
{
    enum { BOUNCES = 100 };
    const double e = 0.9, t1 = sqrt(2.0 / 9.81);
    tn_model *model = parse_one_sided(ball);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_one_sided(model, methods[k]);
        double t[BOUNCES] = {0.0}, most = 0.0;
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 9.0, NULL, NULL));
        CHECK(hits_of(sim, t, BOUNCES) == BOUNCES);
        for (int i = 0; i < BOUNCES; i++)
            most = fmax(most, fabs(t[i] - t1 - 2.0 * t1 * e * (1.0 - pow(e, i)) / (1.0 - e)));
        tn_sim_ledger(sim, &ledger);
        printf("%-24s times off by %.1e s, energy by %.1e J\n", methods[k], most,
               ledger.max_balance);
        CHECK_NEAR(most, 0.0, keeps_a_past(methods[k]) ? 2e-6 : 1e-10);
        CHECK_NEAR(ledger.impacts, 2.0 * 9.81, keeps_a_past(methods[k]) ? 1e-7 : 1e-10);
        CHECK_NEAR(ledger.max_balance, 0.0, keeps_a_past(methods[k]) ? 1e-7 : 1e-10);
        CHECK_NEAR(tn_sim_body_velocity(sim, tn_model_find_body(model, "ball")).y, 0.0, 1e-12);
        CHECK_NEAR(tn_sim_body_frame(sim, tn_model_find_body(model, "ball")).p.y, 0.0, 1e-11);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// Far from the origin flights end in the round-off of positions before they do in speed.
static void bounces_end_in_round_off(void)
{
    tn_model *model = parse_one_sided(
        "tenon: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: {ball: {kind: point-2d, mass: 2, initial: {position: [0, 1001]}}}\n"
        "joints:\n"
        "  floor: {kind: position-row, row: ball.position.y - 1000, one_sided: true,\n"
        "          restitution: 0.9}\n");
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_one_sided(model, methods[k]);
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 9.0, NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        CHECK(ledger.events < 200);
        CHECK_NEAR(ledger.impacts, 2.0 * 9.81, 1e-3); // tolerances go with the height of the floor
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// A program puts the ball up again: its contact is open there, and the run is as from the start.
static void a_ball_is_put_up_again(void)
{
    tn_model *model = parse_one_sided(ball);
    tn_sim *sim = open_one_sided(model, "dop853/index1");
    const double q[2] = {0.0, 1.0}, v[2] = {0.0, 0.0};
    double first[2] = {0.0}, second[2] = {0.0};
    tn_work work;
    tn_ledger ledger;
    CHECK_OK(tn_sim_run(sim, 9.0, NULL, NULL));
    CHECK(hits_of(sim, first, 2) == 2);
    tn_sim_ledger(sim, &ledger);
    CHECK_OK(tn_sim_work(sim, 0, &work));
    CHECK(strcmp(work.name, "floor") == 0 && strcmp(work.kind, "impact") == 0);
    CHECK_NEAR(work.dissipated, ledger.impacts, 1e-12);
    CHECK_OK(tn_sim_set_state(sim, 0.0, q, v, false));
    CHECK_OK(tn_sim_run(sim, 1.5, NULL, NULL));
    CHECK(hits_of(sim, second, 2) == 2);
    CHECK_NEAR(second[0], first[0], 1e-13);
    CHECK_NEAR(second[1], first[1], 1e-12);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Balls one behind the other, with their centres 1 apart and gaps between them.
static tn_model *row_of_balls(int n, const double *mass, const double *v, const double *e,
                              double gap)
{
    char text[2000];
    int at = snprintf(text, sizeof text, "tenon: 1\nbodies:\n");
    for (int i = 0; i < n; i++)
        at +=
            snprintf(text + at, sizeof text - (size_t)at,
                     "  b%d: {kind: point-2d, mass: %.17g, initial: {position: [%d, 0], velocity: "
                     "[%.17g, 0]}}\n",
                     i, mass ? mass[i] : 1.0, i, v[i]);
    at += snprintf(text + at, sizeof text - (size_t)at, "joints:\n");
    for (int i = 0; i + 1 < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  c%d: {kind: position-row, row: b%d.position.x - b%d.position.x - %.17g,\n"
                       "       one_sided: true, restitution: %.17g}\n",
                       i, i + 1, i, 1.0 - gap, e[i]);
    return parse_one_sided(text);
}

static void rows_of_balls_follow_newtons_law(void)
{
    static const struct {
        int n;
        double gap, mass[5], v[5], e[4], end[5];
    } rows[] = {
        {3, 0.0, {1, 1, 1}, {1, 0, 0}, {1, 1}, {-1. / 3, 2. / 3, 2. / 3}},
        {3, 0.0, {1, 1, 1}, {1, 0, 0}, {.5, .5}, {0, .5, .5}},
        {5, 0.0, {1, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, {1, 1, 1, 1}, {-.6, .4, .4, .4, .4}},
        {5, 0.0, {1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}, {.5, .5, .5, .5}, {.1, .1, .6, .6, .6}},
        {4,
         0.0,
         {2, 1, 3, 1},
         {2, 0, 0, -1},
         {.8, .3, .5},
         {-11. / 14, 57. / 70, 57. / 70, 46. / 35}},
        {3, 1.0, {1, 1, 1}, {1, 0, 0}, {.5, .5}, {13. / 64, 15. / 64, 9. / 16}},
        {5,
         1.0,
         {1, 1, 1, 1, 1},
         {1, 0, 0, 0, 0},
         {.9, .9, .9, .9},
         {0.04352508203125, 0.04537296484375, 0.047296640625, 0.0492990625, 0.81450625}},
    };
    for (int k = 0; k < TN_COUNT(rows); k++) {
        tn_model *model = row_of_balls(rows[k].n, rows[k].mass, rows[k].v, rows[k].e, rows[k].gap);
        tn_sim *sim = open_one_sided(model, "dopri5/index1");
        CHECK_OK(tn_sim_run(sim, 500.0, NULL, NULL));
        for (int i = 0; i < rows[k].n; i++)
            CHECK_NEAR(tn_sim_body_velocity(sim, (tn_body){i + 1}).x, rows[k].end[i], 1e-12);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void a_pendulum_hits_a_wall(void)
{
    static const double expected[] = {0.53821866672013, 1.5854419862429, 2.615746182892,
                                      3.6358480656533, 4.6496545813106};
    tn_model *model = parse_one_sided(
        "tenon: 1\ngravity: [0, -9.81, 0]\nparameters: {a: pi/3}\n"
        "bodies:\n"
        "  bob: {kind: point-2d, mass: 1, initial: {position: [sin(a), -cos(a)]}}\n"
        "joints:\n"
        "  rod: {kind: distance, bodies: [ground, bob], length: 1}\n"
        "  wall: {kind: position-row, row: bob.position.x, one_sided: true, restitution: 0.8}\n");
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_one_sided(model, methods[k]);
        const bool fixed = sim && strstr("galpha/ggl galpha/index3 hht/ggl@joint", methods[k]);
        double t[5] = {0.0}, most = 0.0;
        CHECK_OK(tn_sim_run(sim, 5.0, NULL, NULL));
        CHECK(hits_of(sim, t, 5) == 5);
        for (int i = 0; i < 5; i++)
            most = fmax(most, fabs(t[i] - expected[i]));
        printf("%-24s times off by %.1e s\n", methods[k], most);
        CHECK_NEAR(most, 0.0, fixed ? 1e-3 : keeps_a_past(methods[k]) ? 1e-6 : 1e-7);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// A rope goes slack and taut: the ball falls freely for sqrt(2 h / g) first, h to the circle.
static void a_rope_is_slack_and_taut(void)
{
    tn_model *model = parse_one_sided(
        "tenon: 1\ngravity: [0, -9.81, 0]\n"
        "bodies:\n  ball: {kind: point-2d, mass: 1, initial: {position: [0.5, 0]}}\n"
        "joints:\n"
        "  rope: {kind: distance, bodies: [ground, ball], length: 1, one_sided: true}\n");
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = open_one_sided(model, methods[k]);
        const double down = sqrt(0.75), v2 = 2.0 * 9.81 * down;
        double t[1] = {0.0};
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        CHECK(hits_of(sim, t, 1) == 1);
        CHECK_NEAR(t[0], sqrt(2.0 * down / 9.81), keeps_a_past(methods[k]) ? 1e-7 : 1e-10);
        tn_sim_ledger(sim, &ledger);
        // What was along the rope is lost.
        CHECK_NEAR(ledger.impacts, 0.5 * v2 * down * down, 1e-5);
        const tn_vec3 p = tn_sim_body_frame(sim, tn_model_find_body(model, "ball")).p;
        CHECK(hypot(p.x, p.y) <= 1.0 + 1e-6);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

#define CORNER(name, sy, sa)                                                             \
    "  " name ": {kind: position-row, one_sided: true, restitution: 0.4,\n"              \
    "       row: b + c - (" sy ")*(slider.position.y + (" sa ")*a*sin(slider.angle)) - " \
    "b*cos(slider.angle)}\n"

static const char slider_crank[] =
    "tenon: 1\ngravity: [0, -9.81, 0]\n"
    "parameters: {l1: 0.153, l2: 0.306, a: 0.05, b: 0.025, c: 0.001}\n"
    "bodies:\n"
    "  crank: {kind: planar, mass: 0.038, inertia: 7.4e-5,\n"
    "          initial: {position: [l1/2, 0], rate: 150}}\n"
    "  rod: {kind: planar, mass: 0.038, inertia: 5.9e-4,\n"
    "        initial: {position: [l1 + l2/2, 0], rate: -75}}\n"
    "  slider: {kind: planar, mass: 0.076, inertia: 2.7e-6,\n"
    "           initial: {position: [l1 + l2, 0], rate: -0.01}}\n"
    "joints:\n"
    "  A: {kind: revolute, bodies: [ground, crank], at: [0, 0]}\n"
    "  B: {kind: revolute, bodies: [crank, rod], at: [l1, 0]}\n"
    "  C: {kind: revolute, bodies: [rod, slider], at: [l1 + l2, 0]}\n" //
    CORNER("c1", "1", "-1") CORNER("c2", "1", "1") CORNER("c3", "-1", "-1") CORNER("c4", "-1", "1");

// A table falls on its four legs, one after the other, and comes to rest; its spin is left, as
// there is no friction. All roads agree on when legs hit, and on what is left.
static void a_table_comes_to_rest_on_four_legs(void)
{
    static const char *const some[] = {"dop853/index1+project@joint", "radau5/ggl",
                                       "dopri5/index1+project"};
    char text[2000];
    int at =
        snprintf(text, sizeof text,
                 "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                 "  top: {kind: rigid, mass: 10, inertia: [1, 1, 1.5],\n"
                 "        initial: {position: [0, 0, 0.7], rate: [0.3, 0.2, 0.1]}}\njoints:\n");
    for (int i = 0; i < 4; i++)
        at +=
            snprintf(text + at, sizeof text - (size_t)at,
                     "  l%d: {kind: contact, bodies: [ground, top], a: plane, b: sphere, radius_b: "
                     "0.05,\n       at_a: [0, 0, 0], at_b: [%g, %g, 0.5], one_sided: true,\n"
                     "       restitution: 0.3}\n",
                     i + 1, i == 0 || i == 3 ? 0.5 : -0.5, i < 2 ? 0.4 : -0.4);
    tn_model *model = parse_one_sided(text);
    double first[4] = {0.0};
    for (int k = 0; k < TN_COUNT(some); k++) {
        tn_sim *sim = open_one_sided(model, some[k]);
        double t[4] = {0.0};
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 3.0, NULL, NULL));
        CHECK(hits_of(sim, t, 4) == 4);
        for (int i = 0; i < 4; i++)
            CHECK_NEAR(t[i], k == 0 ? t[i] : first[i], 1e-8);
        memcpy(first, t, sizeof first);
        tn_sim_ledger(sim, &ledger);
        CHECK_NEAR(ledger.kinetic, 0.5 * 1.5 * 0.1 * 0.1, 1e-7);
        CHECK_NEAR(ledger.potential, 10.0 * 9.81 * 0.25, 1e-9);
        CHECK(ledger.max_g < 1e-9);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// A floor that goes up and down gives energy at impacts: the balance knows it.
static void a_floor_that_moves_gives_energy(void)
{
    tn_model *model = parse_one_sided(
        "tenon: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: {ball: {kind: point-2d, mass: 1, initial: {position: [0, 1]}}}\n"
        "joints:\n"
        "  floor: {kind: position-row, row: ball.position.y - 0.1*sin(5*t), one_sided: true,\n"
        "          restitution: 0.4}\n");
    for (int k = 0; k < TN_COUNT(methods); k++) {
        if (keeps_a_past(methods[k]))
            continue;
        tn_sim *sim = open_one_sided(model, methods[k]);
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 1.5, NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        printf("%-24s supplied %.9f J, energy by %.1e J\n", methods[k], ledger.supplied,
               ledger.max_balance);
        CHECK(fabs(ledger.supplied) > 0.1);
        CHECK_NEAR(ledger.max_balance, 0.0,
                   strchr(methods[k], 'g') == methods[k] || methods[k][0] == 'h' ? 1e-4 : 1e-7);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// The rocker of a four-bar linkage hits a wall: as there is one freedom, all speeds become -e times
// what they were, and 1 - e^2 of the energy is lost, 16.8980915350 of 26.4032680234 J.
static void a_closed_loop_hits_a_wall(void)
{
    static const char *const some[] = {"dopri5/index1", "dopri5/index1@joint", "radau5/ggl@joint",
                                       "bdf/ggl",       "galpha/ggl",          "dop853/minimal"};
    tn_model *model = parse_one_sided(
        "tenon: 1\nparameters: {a1: 70*pi/180, a2: 27.9074219412*pi/180, a3: "
        "94.8657774094*pi/180}\n"
        "bodies:\n"
        "  crank: {kind: planar, mass: 2, inertia: 2*0.4^2/12,\n"
        "          initial: {position: [0.2*cos(a1), 0.2*sin(a1)], angle: a1}}\n"
        "  coupler: {kind: planar, mass: 3, inertia: 3*0.9^2/12, initial: {guess: both, angle: "
        "a2,\n"
        "            position: [0.4*cos(a1) + 0.45*cos(a2), 0.4*sin(a1) + 0.45*sin(a2)]}}\n"
        "  rocker: {kind: planar, mass: 2.5, inertia: 2.5*0.8^2/12, initial: {guess: both,\n"
        "           position: [1 + 0.4*cos(a3), 0.4*sin(a3)], angle: a3}}\n"
        "joints:\n"
        "  A: {kind: revolute, bodies: [ground, crank], at: [0, 0], initial: {rate: 10}}\n"
        "  B: {kind: revolute, bodies: [crank, coupler], at: [0.4*cos(a1), 0.4*sin(a1)]}\n"
        "  C: {kind: revolute, bodies: [coupler, rocker], at: [1 + 0.8*cos(a3), 0.8*sin(a3)]}\n"
        "  D: {kind: revolute, bodies: [ground, rocker], at: [1, 0]}\n"
        "  wall: {kind: position-row, row: tip - 1 - 0.8*cos(a3), one_sided: true,\n"
        "         restitution: 0.6}\n"
        "outputs:\n"
        "  tip: {quantity: position, point: [0.4, 0], of: rocker, axis: x}\n");
    for (int k = 0; k < TN_COUNT(some); k++) {
        tn_sim *sim = open_one_sided(model, some[k]);
        double angle, rate;
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 1e-9, NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        CHECK_NEAR(ledger.impacts, 16.8980915350, 1e-8);
        tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "A"), &angle, &rate);
        CHECK_NEAR(rate, -6.0, 1e-6);
        CHECK(ledger.max_gdot < 1e-7);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// At rest nothing is exchanged but what weight does over the drift of the rows, which is no doubt;
// and no leg parts by it.
static void a_table_stands_without_a_doubt(void)
{
    static const char *const some[] = {"dop853/index1@joint", "dopri5/index1", "radau5/ggl",
                                       "bdf/ggl"};
    char text[2000];
    for (int parts = 0; parts < 2; parts++) {
        int at = snprintf(text, sizeof text,
                          "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                          "  top: {kind: rigid, mass: 10, inertia: [1, 1, 1.5],\n"
                          "        initial: {position: [0, 0, 0.7]}}\njoints:\n");
        for (int i = 0; i < 4; i++)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "  l%d: {kind: point-in-plane, bodies: [ground, top], at_a: [0, 0, 0],\n"
                           "       at_b: [%g, %g, 0]%s}\n",
                           i, i % 2 ? 0.5 : -0.5, i < 2 ? 0.4 : -0.4,
                           parts ? ", one_sided: true" : "");
        tn_model *model = parse_one_sided(text);
        for (int k = 0; k < TN_COUNT(some); k++) {
            tn_sim_options options = tn_default_sim();
            tn_sim *sim = NULL;
            tn_verdict verdict;
            const tn_event_hit *hits;
            options.method = some[k];
            options.rtol = 1e-9;
            CHECK_OK(tn_sim_create(model, &options, &sim));
            CHECK_OK(tn_sim_run(sim, 30.0, NULL, NULL));
            tn_sim_verdict(sim, &verdict);
            CHECK(verdict.outcome == TN_OUTCOME_DONE);
            CHECK(tn_sim_event_hits(sim, &hits) == 0);
            tn_sim_destroy(sim);
        }
        tn_model_destroy(model);
    }
}

// Angles of crank and rod at t, to the digits of the reference.
static void a_slider_rattles_in_its_guide(void)
{
    static const struct {
        double t, crank, rod;
    } at[] = {{0.01, 0.9482163, -0.4147054},
              {0.02, 1.6142478, -0.5198857},
              {0.03, 2.5538102, -0.2843417},
              {0.04, 3.9400276, 0.3694867},
              {0.06, 5.4616807, 0.3745317}};
    static const char *const some[] = {"dopri5/index1+project", "dop853/index1+project@joint",
                                       "radau5/ggl", "bdf/ggl@joint"};
    tn_model *model = parse_one_sided(slider_crank);
    for (int k = 0; k < TN_COUNT(some); k++) {
        tn_sim *sim = open_one_sided(model, some[k]);
        double t[2] = {0.0}, most = 0.0;
        for (int i = 0; i < TN_COUNT(at); i++) {
            double angle, rate;
            CHECK_OK(tn_sim_run(sim, at[i].t, NULL, NULL));
            tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "A"), &angle, &rate);
            most = fmax(most, fabs(angle - at[i].crank));
            tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "B"), &rate, t);
            most = fmax(most, fabs(angle + rate - at[i].rod));
        }
        CHECK(hits_of(sim, t, 2) == 2);
        CHECK_NEAR(t[0], 2.690903648e-3, 1e-9);
        CHECK_NEAR(t[1], 2.692254243e-3, 1e-9);
        printf("%-28s angles off by %.1e\n", some[k], most);
        CHECK_NEAR(most, 0.0, 2e-7);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static void what_no_contact_has_is_refused(void)
{
    static const struct {
        const char *joint, *words;
    } wrong[] = {
        {"{kind: position-row, row: p.position.y, restitution: 0.5}", "add one_sided: true"},
        {"{kind: position-row, row: p.position.y, one_sided: true, restitution: 1.5}",
         "restitution is 1.5; it lies from 0 to 1"},
        {"{kind: revolute, bodies: [ground, p], one_sided: true}", "whose one row is a gap"},
        {"{kind: cam, bodies: [ground, p], follower: roller, radius: 0.1, x: cos(s), y: sin(s), "
         "one_sided: true, lift_off: tell}",
         "leave it out beside one_sided"},
    };
    for (int k = 0; k < TN_COUNT(wrong); k++) {
        char text[600];
        tn_model *model = NULL;
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies: {p: {kind: planar, mass: 1, inertia: 1, initial: {position: "
                 "[0, 2]}}}\njoints:\n  c: %s\n",
                 wrong[k].joint);
        CHECK(tn_model_parse(text, "wrong.yaml", &model, NULL) == TN_ERR_MODEL);
        CHECK(strstr(tn_last_error(), wrong[k].words) != NULL);
        tn_model_destroy(model);
    }
}

static void bodies_in_each_other_are_refused(void)
{
    tn_model *model = parse_one_sided(
        "tenon: 1\nbodies: {p: {kind: point-2d, mass: 1, initial: {position: [0, -0.02]}}}\n"
        "joints: {floor: {kind: position-row, row: p.position.y, one_sided: true}}\n");
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_MODEL);
    CHECK(strstr(tn_last_error(), "in each other by 0.02 m at the start") != NULL);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"a ball bounces and rests", a_ball_bounces_and_rests},
    {"bounces end in round-off", bounces_end_in_round_off},
    {"a ball is put up again", a_ball_is_put_up_again},
    {"rows of balls follow Newton's law", rows_of_balls_follow_newtons_law},
    {"a pendulum hits a wall", a_pendulum_hits_a_wall},
    {"a rope is slack and taut", a_rope_is_slack_and_taut},
    {"a table comes to rest on four legs", a_table_comes_to_rest_on_four_legs},
    {"a table stands without a doubt", a_table_stands_without_a_doubt},
    {"a closed loop hits a wall", a_closed_loop_hits_a_wall},
    {"a floor that moves gives energy", a_floor_that_moves_gives_energy},
    {"a slider rattles in its guide", a_slider_rattles_in_its_guide},
    {"what no contact has is refused", what_no_contact_has_is_refused},
    {"bodies in each other are refused", bodies_in_each_other_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
