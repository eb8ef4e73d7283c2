// SPDX-License-Identifier: MIT
//
// nsgalpha/ggl: fixed steps over impacts. Bodies are never in each other at the ends of steps, at
// any step size; what is smooth keeps order two, also while bodies touch; no impact adds energy.
//
// The ball in a loop goes round with v0^2 = 6 g R, so that it never leaves it: a pendulum of the
// length R, which dop853 knows to 1e-12. The pendulum against a wall has impacts by elliptic
// integrals. The four-bar linkage with clearances has event-driven runs of dopri5 as reference, as
// long as two tolerances agree.

#include "tenon/tenon.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tn_model *parse_text(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "over_impacts.yaml", &model, NULL));
    return model;
}

static tn_sim *open_steps(const tn_model *model, const char *method, double h)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = h;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static tn_vec3 place_of(tn_sim *sim, const tn_model *model, const char *body)
{
    return tn_sim_body_frame(sim, tn_model_find_body(model, body)).p;
}

static tn_vec3 speed_of(tn_sim *sim, const tn_model *model, const char *body)
{
    return tn_sim_body_velocity(sim, tn_model_find_body(model, body));
}

static int hits_of(const tn_sim *sim, double *t, int *event, int most)
{
    const tn_event_hit *hits;
    const int all = tn_sim_event_hits(sim, &hits);
    int n = 0;
    for (int i = 0; i < all && n < most; i++)
        if (!hits[i].rising) {
            t[n] = hits[i].t;
            event[n++] = hits[i].event;
        }
    return n;
}

// A ball on a floor -------------------------------------------------------------------------------

static const char ball[] = "tenon: 1\ngravity: [0, -9.81, 0]\n"
                           "bodies:\n"
                           "  ball: {kind: point-2d, mass: 2, initial: {position: [0, 1]}}\n"
                           "joints:\n"
                           "  floor: {kind: position-row, row: ball.position.y, one_sided: true,\n"
                           "          restitution: 0.9}\n";

// What each step has of it.
typedef struct falling {
    const tn_model *model;
    double lowest;     // place
    double lost, gain; // energy by impacts so far, and the most that one has added
} falling;

static tn_status watch_ball(void *user, tn_sim *sim)
{
    falling *f = user;
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    f->lowest = fmin(f->lowest, place_of(sim, f->model, "ball").y);
    f->gain = fmax(f->gain, f->lost - ledger.impacts);
    f->lost = ledger.impacts;
    return TN_OK;
}

// Each impact is late by a step at most, and its speed is off by what weight does in a step, so
// that flights are off by steps, too. Flights that are over within a step end.
static void a_ball_bounces_and_rests(void)
{
    static const double steps[] = {4e-3, 2e-3, 1e-3, 5e-4};
    const double e = 0.9, t1 = sqrt(2.0 / 9.81);
    tn_model *model = parse_text(ball);
    for (int k = 0; k < TN_COUNT(steps); k++) {
        const double h = steps[k];
        tn_sim *sim = open_steps(model, "nsgalpha/ggl", h);
        falling f = {.model = model};
        double t[4];
        int event[4];
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 9.0, watch_ball, &f));
        CHECK(hits_of(sim, t, event, 4) == 4);
        for (int i = 0; i < 4; i++)
            CHECK_NEAR(t[i], t1 + 2.0 * t1 * e * (1.0 - pow(e, i)) / (1.0 - e), (2 * i + 1) * h);
        tn_sim_ledger(sim, &ledger);
        printf("h %.0e: lowest %.1e m, an impact adds %.1e J, balance %.1e J\n", h, f.lowest,
               f.gain, ledger.max_balance);
        CHECK(f.lowest >= -1e-13);
        CHECK(f.gain <= 1e-14);
        CHECK_NEAR(ledger.impacts, 2.0 * 9.81, 1e-11);
        CHECK_NEAR(ledger.max_balance, 0.0, 1e-11); // free flight is exact
        CHECK(speed_of(sim, model, "ball").y == 0.0 && place_of(sim, model, "ball").y == 0.0);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// Rows of balls -----------------------------------------------------------------------------------

// Nothing but impacts acts: they are those of Newton's law at any step, also where balls touch.
static void rows_of_balls_follow_newtons_law(void)
{
    static const struct {
        double e, v[5], end[5];
    } rows[] = {{1.0, {1, 0, 0, 0, 0}, {-.6, .4, .4, .4, .4}},
                {0.5, {1, 1, 0, 0, 0}, {.1, .1, .6, .6, .6}}};
    for (int k = 0; k < TN_COUNT(rows); k++) {
        char text[2000];
        int at = snprintf(text, sizeof text, "tenon: 1\nbodies:\n");
        for (int i = 0; i < 5; i++)
            at +=
                snprintf(text + at, sizeof text - (size_t)at,
                         "  b%d: {kind: point-2d, mass: 1, initial: {position: [%g, 0], velocity: "
                         "[%g, 0]}}\n",
                         i, i + (i < (k ? 2 : 1) ? -0.1 : 0.0), rows[k].v[i]);
        at += snprintf(text + at, sizeof text - (size_t)at, "joints:\n");
        for (int i = 0; i < 4; i++)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "  c%d: {kind: position-row, row: b%d.position.x - b%d.position.x - 1,\n"
                           "       one_sided: true, restitution: %g}\n",
                           i, i + 1, i, rows[k].e);
        tn_model *model = parse_text(text);
        tn_sim *sim = open_steps(model, "nsgalpha/ggl", 0.03);
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        for (int i = 0; i < 5; i++)
            CHECK_NEAR(tn_sim_body_velocity(sim, (tn_body){i + 1}).x, rows[k].end[i], 1e-13);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// More contacts than cones are solved for: of n balls that touch the first passes on its speed to
// (2 - n) / n, all others have 2 / n. Event-driven, and over impacts.
static void a_row_of_a_hundred_balls_shares_an_impulse(void)
{
    enum { BALLS = 100, SIZE = 40000 };
    static const char *const some[] = {"nsgalpha/ggl", "dop853/index1"};
    char *text = malloc(SIZE);
    int at = snprintf(text, SIZE, "tenon: 1\nbodies:\n");
    for (int i = 0; i < BALLS; i++)
        at += snprintf(text + at, (size_t)(SIZE - at),
                       "  b%d: {kind: point-2d, mass: 1, initial: {position: [%g, 0], velocity: "
                       "[%d, 0]}}\n",
                       i, i - (i == 0 ? 0.1 : 0.0), i == 0);
    at += snprintf(text + at, (size_t)(SIZE - at), "joints:\n");
    for (int i = 0; i + 1 < BALLS; i++)
        at += snprintf(text + at, (size_t)(SIZE - at),
                       "  c%d: {kind: position-row, row: b%d.position.x - b%d.position.x - 1,\n"
                       "       one_sided: true, restitution: 1}\n",
                       i, i + 1, i);
    tn_model *model = parse_text(text);
    for (int k = 0; k < TN_COUNT(some); k++) {
        tn_sim *sim = open_steps(model, some[k], k ? 0.0 : 0.03);
        CHECK_OK(tn_sim_run(sim, 0.2, NULL, NULL));
        for (int i = 0; i < BALLS; i++) // what the bound of the loads leaves of speeds
            CHECK_NEAR(tn_sim_body_velocity(sim, (tn_body){i + 1}).x,
                       (i == 0 ? 2.0 - BALLS : 2.0) / BALLS, 1e-9);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
    free(text);
}

// A heap ------------------------------------------------------------------------------------------

// Discs in a box, of which all pairs may touch: they come to rest on each other, by impulses where
// more than 60 contacts touch. Heights are those of a heap without gaps: no disc is in another.
enum { DISCS = 36, ACROSS = 6 };
static const double RADIUS = 0.05, WIDTH = 0.63;

static tn_status watch_heap(void *user, tn_sim *sim)
{
    double *deepest = user;
    for (int i = 0; i < DISCS; i++) {
        const tn_vec3 p = tn_sim_body_frame(sim, (tn_body){i + 1}).p;
        *deepest = fmax(*deepest, RADIUS - fmin(p.y, fmin(p.x, WIDTH - p.x)));
        for (int j = 0; j < i; j++) {
            const tn_vec3 d = tn_v3_sub(p, tn_sim_body_frame(sim, (tn_body){j + 1}).p);
            *deepest = fmax(*deepest, 2.0 * RADIUS - hypot(d.x, d.y));
        }
    }
    return TN_OK;
}

static void a_heap_comes_to_rest(void)
{
    enum { SIZE = 200000 };
    static const char *const walls[] = {"at: [0, 0], axis: [0, 1]", "at: [0, 0], axis: [1, 0]",
                                        "at: [0.63, 0], axis: [-1, 0]"};
    char *text = malloc(SIZE);
    int at = snprintf(text, SIZE, "tenon: 1\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i < DISCS; i++) {
        const int row = i / ACROSS, column = i % ACROSS;
        at += snprintf(text + at, (size_t)(SIZE - at),
                       "  d%d: {kind: point-2d, mass: 1, initial: {position: [%g, %g]}}\n", i,
                       0.055 + 0.104 * column + 0.003 * (row % 2), 0.051 + 0.101 * row);
    }
    at += snprintf(text + at, (size_t)(SIZE - at), "joints:\n");
    for (int i = 0; i < DISCS; i++) {
        for (int k = 0; k < TN_COUNT(walls); k++)
            at += snprintf(text + at, (size_t)(SIZE - at),
                           "  w%d_%d: {kind: contact, bodies: [ground, d%d], a: plane, radius_b: "
                           "0.05, frame_a: {%s}, one_sided: true}\n",
                           k, i, i, walls[k]);
        for (int j = 0; j < i; j++)
            at +=
                snprintf(text + at, (size_t)(SIZE - at),
                         "  c%d_%d: {kind: contact, bodies: [d%d, d%d], a: sphere, radius_a: 0.05,"
                         " radius_b: 0.05, one_sided: true}\n",
                         j, i, j, i);
    }
    tn_model *model = parse_text(text);
    tn_sim *sim = open_steps(model, "nsgalpha/ggl", 5e-3);
    tn_ledger ledger;
    double deepest = 0.0;
    CHECK_OK(tn_sim_run(sim, 1.5, watch_heap, &deepest));
    tn_sim_ledger(sim, &ledger);
    printf("deepest %.1e m, kinetic %.1e J, impacts take %.4g J, balance %.1e J\n", deepest,
           ledger.kinetic, ledger.impacts, ledger.max_balance);
    CHECK(deepest <= 1e-12);
    CHECK(ledger.impacts > 0.0);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    free(text);
}

// Order two ---------------------------------------------------------------------------------------

// In the loop the ball is held by its contact all the time.
static void a_lasting_contact_has_order_two(void)
{
    static const double steps[] = {2e-3, 1e-3, 5e-4};
    static const double known[] = {1.3e-4, 3.2e-5, 7.9e-6}; // another program, rho_inf 0.9
    const char *rows[] = {"{kind: position-row, row: (0.25 - b.position.x^2 - b.position.y^2)/2, "
                          "one_sided: true}",
                          "{kind: distance, bodies: [ground, b], length: 0.5}"};
    double error[3];
    tn_vec3 exact = {0};
    for (int k = 0; k < 2; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "tenon: 1\ngravity: [0, -9.81, 0]\nbodies: {b: {kind: point-2d, mass: 1, initial: "
                 "{position: [0, -0.5], velocity: [sqrt(6*9.81*0.5), 0]}}}\njoints: {loop: %s}\n",
                 rows[1 - k]);
        tn_model *model = parse_text(text);
        for (int i = 0; i < (k ? 3 : 1); i++) {
            tn_sim_options options = tn_default_sim();
            tn_sim *sim = NULL;
            options.method = k ? "nsgalpha/ggl" : "dop853/index1+project";
            options.step = k ? steps[i] : 0.0;
            options.rtol = options.atol = 1e-13;
            options.adaptive = k == 0;
            CHECK_OK(tn_sim_create(model, &options, &sim));
            CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
            const tn_vec3 p = place_of(sim, model, "b");
            if (k == 0) {
                exact = p;
            } else {
                tn_ledger ledger;
                tn_sim_ledger(sim, &ledger);
                error[i] = hypot(p.x - exact.x, p.y - exact.y);
                CHECK(ledger.max_g < 1e-14 && ledger.impacts == 0.0);
            }
            tn_sim_destroy(sim);
        }
        tn_model_destroy(model);
    }
    printf("errors %.2e, %.2e, %.2e m\n", error[0], error[1], error[2]);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(error[i], known[i], 0.03 * known[i]); // its digits
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(log2(error[i] / error[i + 1]), 2.0, 0.05); // terms of the next order
}

static const char pendulum[] =
    "tenon: 1\ngravity: [0, -9.81, 0]\nparameters: {a: pi/3}\n"
    "bodies:\n"
    "  bob: {kind: point-2d, mass: 1, initial: {position: [sin(a), -cos(a)]}}\n"
    "joints:\n"
    "  rod: {kind: distance, bodies: [ground, bob], length: 1}\n"
    "  wall: {kind: position-row, row: bob.position.x, one_sided: true, restitution: 0.8}\n";

typedef struct swing {
    const tn_model *model;
    double deepest;
} swing;

static tn_status watch_wall(void *user, tn_sim *sim)
{
    swing *s = user;
    s->deepest = fmin(s->deepest, place_of(sim, s->model, "bob").x);
    return TN_OK;
}

// A rod and a wall hold together: both at round-off, at every step.
static void a_pendulum_hits_a_wall(void)
{
    static const double expected[] = {0.53821866672013, 1.5854419862429, 2.615746182892,
                                      3.6358480656533, 4.6496545813106};
    static const double steps[] = {2e-3, 1e-3, 5e-4};
    static const char *const methods[] = {"nsgalpha/ggl", "nsgalpha/ggl@joint"};
    tn_model *model = parse_text(pendulum);
    for (int m = 0; m < TN_COUNT(methods); m++) {
        double at[3];
        for (int k = 0; k < TN_COUNT(steps); k++) {
            tn_sim *sim = open_steps(model, methods[m], steps[k]);
            swing s = {.model = model};
            double t[5];
            int event[5];
            tn_ledger ledger;
            CHECK_OK(tn_sim_run(sim, 0.3, NULL, NULL));
            at[k] = place_of(sim, model, "bob").x;
            CHECK_OK(tn_sim_run(sim, 5.0, watch_wall, &s));
            CHECK(hits_of(sim, t, event, 5) == 5);
            for (int i = 0; i < 5;
                 i++) // each impact adds up to a step, and what it is off in speed
                CHECK_NEAR(t[i], expected[i], (i + 1) * 2.0 * steps[k]);
            tn_sim_ledger(sim, &ledger);
            printf("%s h %.0e: deepest %.1e m, |g| %.1e, |Bv| %.1e\n", methods[m], steps[k],
                   s.deepest, ledger.max_g, ledger.max_gdot);
            CHECK(s.deepest >= -1e-13 && ledger.max_g < 1e-13 && ledger.max_gdot < 1e-11);
            tn_sim_destroy(sim);
        }
        CHECK_NEAR(log2(fabs(at[0] - at[1]) / fabs(at[1] - at[2])), 2.0, 0.05);
    }
    tn_model_destroy(model);
}

// Contacts that repeat each other -----------------------------------------------------------------

// The fourth leg repeats the others: as an impulse it would take energy in each step.
static void a_table_comes_to_rest_on_four_legs(void)
{
    static const char *const some[] = {"nsgalpha/ggl", "nsgalpha/ggl@joint"};
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
    tn_model *model = parse_text(text);
    for (int k = 0; k < TN_COUNT(some); k++) {
        const double h = 2.5e-4;
        tn_sim *sim = open_steps(model, some[k], h);
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 3.0, NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        // The spin is that of the start but for what impacts are off, which is of first order.
        CHECK_NEAR(ledger.kinetic, 0.5 * 1.5 * 0.1 * 0.1, 2.5 * h);
        CHECK_NEAR(ledger.potential, 10.0 * 9.81 * 0.25, 1e-9);
        CHECK(ledger.max_g < 1e-12);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// A floor that moves ------------------------------------------------------------------------------

// What it gives in impacts is supplied; the balance is off by the order of the method.
static void a_floor_that_moves_gives_energy(void)
{
    tn_model *model = parse_text(
        "tenon: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: {ball: {kind: point-2d, mass: 1, initial: {position: [0, 1]}}}\n"
        "joints:\n"
        "  floor: {kind: position-row, row: ball.position.y - 0.1*sin(5*t), one_sided: true,\n"
        "          restitution: 0.4}\n");
    double error[2];
    for (int k = 0; k < 2; k++) {
        tn_sim *sim = open_steps(model, "nsgalpha/ggl", k ? 1e-3 : 2e-3);
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        CHECK(fabs(ledger.supplied) > 0.1);
        error[k] = ledger.max_balance;
        tn_sim_destroy(sim);
    }
    printf("balance off by %.1e, %.1e J\n", error[0], error[1]);
    CHECK(error[1] < 1e-4 && error[1] < 0.6 * error[0]);
    tn_model_destroy(model);
}

// A four-bar linkage with clearances --------------------------------------------------------------

enum { PINS = 3 };

// Uniform bars of 0.4, 0.9 and 0.8 m with 2, 3 and 2.5 kg on a ground of 1 m, the crank at 70
// degrees with 10 rad/s; spheres of 9.5 mm in hollow ones of 10 mm, e = 0.5. The coupler starts
// 0.2 mm lower and the rocker 0.1 mm higher than without clearance.
static tn_model *linkage_with_clearances(void)
{
    return parse_text(
        "tenon: 1\ngravity: [0, -9.81]\n"
        "parameters: {a1: 70*pi/180, a2: 27.9074219412*pi/180, a3: 94.8657774094*pi/180, w1: 10,\n"
        "             w2: -2.0308848046, w3: 3.6422271458}\n"
        "bodies:\n"
        "  crank: {kind: planar, mass: 2, inertia: 2*0.4^2/12, initial: {angle: a1, rate: w1,\n"
        "    position: [0.2*cos(a1), 0.2*sin(a1)], velocity: [-0.2*w1*sin(a1), 0.2*w1*cos(a1)]}}\n"
        "  coupler: {kind: planar, mass: 3, inertia: 3*0.9^2/12, initial: {angle: a2, rate: w2,\n"
        "    position: [0.4*cos(a1) + 0.45*cos(a2), 0.4*sin(a1) + 0.45*sin(a2) - 2e-4],\n"
        "    velocity: [-0.4*w1*sin(a1) - 0.45*w2*sin(a2), 0.4*w1*cos(a1) + 0.45*w2*cos(a2)]}}\n"
        "  rocker: {kind: planar, mass: 2.5, inertia: 2.5*0.8^2/12, initial: {angle: a3, rate: "
        "w3,\n"
        "    position: [1 + 0.4*cos(a3), 0.4*sin(a3) + 1e-4],\n"
        "    velocity: [-0.4*w3*sin(a3), 0.4*w3*cos(a3)]}}\n"
        "joints:\n"
        "  shaft: {kind: revolute, bodies: [ground, crank], frame_b: {at: [-0.2, 0]}}\n"
        "  A: {kind: contact, bodies: [crank, coupler], a: sphere, hollow: true, radius_a: 0.01,\n"
        "    radius_b: 0.0095, frame_a: {at: [0.2, 0]}, frame_b: {at: [-0.45, 0]},\n"
        "    one_sided: true, restitution: 0.5}\n"
        "  B: {kind: contact, bodies: [rocker, coupler], a: sphere, hollow: true, radius_a: 0.01,\n"
        "    radius_b: 0.0095, frame_a: {at: [0.4, 0]}, frame_b: {at: [0.45, 0]},\n"
        "    one_sided: true, restitution: 0.5}\n"
        "  D: {kind: contact, bodies: [ground, rocker], a: sphere, hollow: true, radius_a: 0.01,\n"
        "    radius_b: 0.0095, frame_a: {at: [1, 0]}, frame_b: {at: [-0.4, 0]},\n"
        "    one_sided: true, restitution: 0.5}\n");
}

static tn_vec3 end_of(tn_sim *sim, const tn_model *model, const char *body, double x)
{
    return tn_frame_point(tn_sim_body_frame(sim, tn_model_find_body(model, body)),
                          tn_v3(x, 0.0, 0.0));
}

typedef struct rattling {
    const tn_model *model;
    double deepest;
} rattling;

static tn_status watch_pins(void *user, tn_sim *sim)
{
    rattling *r = user;
    const tn_vec3 pins[PINS][2] = {
        {end_of(sim, r->model, "crank", 0.2), end_of(sim, r->model, "coupler", -0.45)},
        {end_of(sim, r->model, "rocker", 0.4), end_of(sim, r->model, "coupler", 0.45)},
        {tn_v3(1.0, 0.0, 0.0), end_of(sim, r->model, "rocker", -0.4)}};
    for (int i = 0; i < PINS; i++)
        r->deepest = fmax(r->deepest,
                          hypot(pins[i][1].x - pins[i][0].x, pins[i][1].y - pins[i][0].y) - 0.5e-3);
    return TN_OK;
}

static void a_linkage_rattles_in_its_clearances(void)
{
    static const double steps[] = {2e-3, 1e-3, 1e-4};
    enum { MOST = 60, UP_TO_CHATTER = 5 };
    tn_model *model = linkage_with_clearances();
    double t[2][MOST], seen[MOST];
    int event[2][MOST], which[MOST], n[2], sure = 0;
    for (int k = 0; k < 2; k++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = "dopri5/index1";
        options.rtol = k ? 1e-11 : 1e-9;
        options.atol = 0.01 * options.rtol;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 0.05, NULL, NULL));
        n[k] = hits_of(sim, t[k], event[k], MOST);
        tn_sim_destroy(sim);
    }
    while (sure < n[0] && sure < n[1] && event[0][sure] == event[1][sure] &&
           fabs(t[0][sure] - t[1][sure]) < 1e-6)
        sure++;
    for (int k = 0; k < TN_COUNT(steps); k++) {
        tn_sim *sim = open_steps(model, "nsgalpha/ggl", steps[k]);
        rattling r = {.model = model};
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 0.5, watch_pins, &r));
        tn_sim_ledger(sim, &ledger);
        const int found = hits_of(sim, seen, which, MOST);
        printf("h %.0e: deepest %.1e m, impacts take %.3f J, balance %.1e of the energy\n",
               steps[k], r.deepest, ledger.impacts, ledger.max_balance / ledger.energy_scale);
        CHECK(r.deepest <= 1e-12);
        CHECK(ledger.impacts > 0.0);
        // Then the pin at the crank begins to chatter. An impact is told at the end of its step.
        CHECK(sure >= UP_TO_CHATTER);
        for (int i = 0; k == 2 && i < UP_TO_CHATTER && i < found; i++) {
            printf("  pin %d at %.4f s, event-driven at %.6f s\n", which[i] / 2, seen[i], t[1][i]);
            CHECK(which[i] == event[1][i]);
            CHECK_NEAR(seen[i] - 0.5 * steps[k], t[1][i], 1.5 * steps[k]);
        }
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// Saved and refused -------------------------------------------------------------------------------

static void a_resumed_run_goes_on_bit_for_bit(void)
{
    tn_model *model = linkage_with_clearances();
    tn_sim *whole = open_steps(model, "nsgalpha/ggl", 1e-3);
    for (int k = 1; k <= 20; k++) {
        tn_sim *part = open_steps(model, "nsgalpha/ggl", 1e-3);
        void *saved = NULL;
        size_t size;
        CHECK_OK(tn_sim_run(whole, 0.02 * k, NULL, NULL));
        CHECK_OK(tn_sim_save(whole, &saved, &size));
        CHECK_OK(tn_sim_load(part, saved, size));
        tn_saved_free(saved);
        CHECK_OK(tn_sim_run(part, 0.02 * k + 0.01, NULL, NULL));
        CHECK_OK(tn_sim_run(whole, 0.02 * k + 0.01, NULL, NULL));
        const tn_vec3 a = place_of(whole, model, "rocker"), b = place_of(part, model, "rocker");
        CHECK(a.x == b.x && a.y == b.y);
        tn_sim_destroy(part);
    }
    tn_sim_destroy(whole);
    tn_model_destroy(model);
}

// The value of a quantity of the verdict; negative where it is not judged.
static double judged(const tn_verdict *v, const char *quantity, bool *doubtful)
{
    for (int i = 0; i < v->count; i++)
        if (!strcmp(v->judged[i].quantity, quantity)) {
            *doubtful = v->judged[i].doubtful;
            return v->judged[i].value;
        }
    return -1.0;
}

// Depth and loads are judged, by bounds of one's own as well.
static void contacts_are_in_the_verdict(void)
{
    static const char *const bounds[] = {NULL, "depth<1e-20,loads<1e-20"};
    tn_model *model = linkage_with_clearances();
    for (int k = 0; k < TN_COUNT(bounds); k++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        tn_verdict v;
        bool deep = false, off = false;
        options.method = "nsgalpha/ggl";
        options.step = 1e-3;
        options.bounds = bounds[k];
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
        tn_sim_verdict(sim, &v);
        const double depth = judged(&v, "depth", &deep), loads = judged(&v, "loads", &off);
        CHECK(depth > 0.0 && depth < 1e-12); // round-off, by a size of about a metre
        CHECK(loads > 0.0 && loads < 1e-12); // three contacts
        CHECK(deep == (k == 1) && off == (k == 1));
        CHECK((v.outcome == TN_OUTCOME_DONE) == (k == 0));
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// The first ball hits the second with 1, as the third leaves it with 0.5: by Newton's law with
// e = 1 the second contact ends at 0, and the impact adds 1/12 to 5/8, in units of m v^2.
static void impacts_that_add_energy_are_doubtful(void)
{
    tn_model *model = parse_text(
        "tenon: 1\nbodies:\n"
        "  a: {kind: point-2d, mass: 1, initial: {position: [0, 0], velocity: [1, 0]}}\n"
        "  b: {kind: point-2d, mass: 1, initial: {position: [1, 0]}}\n"
        "  c: {kind: point-2d, mass: 1, initial: {position: [2, 0], velocity: [0.5, 0]}}\n"
        "joints:\n"
        "  ab: {kind: position-row, row: b.position.x - a.position.x - 1, one_sided: true,\n"
        "       restitution: 1}\n"
        "  bc: {kind: position-row, row: c.position.x - b.position.x - 1, one_sided: true,\n"
        "       restitution: 1}\n");
    tn_sim *sim = open_steps(model, "dopri5/index1", 0.0);
    tn_verdict v;
    bool doubtful = false;
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    tn_sim_verdict(sim, &v);
    CHECK_NEAR(judged(&v, "gain", &doubtful), 2.0 / 15.0, 1e-12);
    CHECK(doubtful && v.outcome == TN_OUTCOME_DOUBTFUL);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void what_makes_no_sense_is_refused(void)
{
    static const struct {
        const char *method, *words;
        bool adaptive;
    } wrong[] = {{"nsgalpha/index3", "the nearest legal method is nsgalpha/ggl", false},
                 {"nsgalpha/index1", "rows of positions and of velocities at once", false},
                 {"nsgalpha/ggl", "steps over impacts, where errors are as large", true}};
    tn_model *model = parse_text(ball);
    for (int k = 0; k < TN_COUNT(wrong); k++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = wrong[k].method;
        options.step = 1e-3;
        options.adaptive = wrong[k].adaptive;
        CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_PAIRING);
        CHECK(strstr(tn_last_error(), wrong[k].words) != NULL);
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"a ball bounces and rests", a_ball_bounces_and_rests},
    {"rows of balls follow Newton's law", rows_of_balls_follow_newtons_law},
    {"a row of a hundred balls shares an impulse", a_row_of_a_hundred_balls_shares_an_impulse},
    {"a heap comes to rest", a_heap_comes_to_rest},
    {"a lasting contact has order two", a_lasting_contact_has_order_two},
    {"a pendulum hits a wall", a_pendulum_hits_a_wall},
    {"a table comes to rest on four legs", a_table_comes_to_rest_on_four_legs},
    {"a floor that moves gives energy", a_floor_that_moves_gives_energy},
    {"a linkage rattles in its clearances", a_linkage_rattles_in_its_clearances},
    {"a resumed run goes on bit for bit", a_resumed_run_goes_on_bit_for_bit},
    {"contacts are in the verdict", contacts_are_in_the_verdict},
    {"impacts that add energy are doubtful", impacts_that_add_energy_are_doubtful},
    {"what makes no sense is refused", what_makes_no_sense_is_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
