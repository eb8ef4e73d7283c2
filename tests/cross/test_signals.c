// SPDX-License-Identifier: MIT
//
// Expressions of the state in motors: a cart with a pole under a controller that has signals, a
// state, an unknown and a sampled part gives one motion by every road, and mistakes are named.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char head[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {k: 60, d: 12, target: 0.3}\n"
    "bodies:\n"
    "  cart: {mass: 1, inertia: [1, 1, 1]}\n"
    "  pole: {mass: 0.2, inertia: [0.01, 0.01, 0.001], com: [0, 0, 0.5]}\n"
    "joints:\n"
    "  rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0, 0]}\n"
    "  pin: {kind: revolute, bodies: [cart, pole], axis: [0, 1, 0], initial: {position: 0.1}}\n";

static const char controlled[] =
    "signals:\n"
    "  balance: k*pin.angle + d*pin.angle.rate\n"
    "  error: rail.displacement - target\n"
    "states:\n"
    "  integral: {rate: 0.2*error, limits: [-0.05, 1]}\n"
    "unknowns:\n"
    "  soft: {equation: soft + 0.1*soft^3 - error - 0.05*pole.velocity.x}\n"
    "sampled:\n"
    "  servo: {every: 0.0137, delay: 0.02, next: {u: 0.9*u + 0.1*error}}\n"
    "forces:\n"
    "  drive: {kind: motor, joint: rail,\n"
    "          effort: balance + soft + 3*rail.displacement.rate + servo.u + integral}\n"
    "  spring: {kind: joint-spring, joint: pin, stiffness: 0.1 + cart.position.x^2, damping: "
    "0.01}\n";

// Jumps and kinks of forces at conditions on the state.
static const char switched[] =
    "signals:\n"
    "  want: 'if(rail.displacement > 0.1, -5, if(rail.displacement < -0.1, 5, 0))'\n"
    "  drag: -abs(rail.displacement.rate)*rail.displacement.rate\n"
    "states:\n"
    "  work: {rate: abs(want*rail.displacement.rate)}\n"
    "forces:\n"
    "  drive: {kind: motor, joint: rail,\n"
    "          effort: 'want + drag + min(pin.angle, 0.02) - 0.1*max(work, 0.3) + 2'}\n";

static tn_status parse(const char *behind, tn_model **out)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s", head, behind);
    return tn_model_parse(text, "cart.yaml", out, NULL);
}

static void run_to(const tn_model *model, const char *method, double t_end, double q[2])
{
    tn_sim *sim = tn_test_open(model, method, 0.0, 1e-9);
    double rate[3], x[3];
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    for (int k = 0; k < 2; k++) {
        tn_sim_joint_coordinates(sim, (tn_joint){k}, x, rate);
        q[k] = x[0];
    }
    tn_sim_destroy(sim);
}

// The tolerance of steps is 1e-9; errors of the second-order method are the largest.
static void one_motion_by_all_roads(void)
{
    static const char *const roads[] = {"radau5/ggl@absolute",
                                        "bdf/ggl@absolute",
                                        "bdf/index1@joint",
                                        "radau5/index2@joint",
                                        "dop853/index1@absolute",
                                        "dopri5@joint",
                                        "herk5/index2+project@absolute",
                                        "herk5@joint",
                                        "galpha/ggl@absolute",
                                        "galpha/index3@joint",
                                        "radau5/ggl@director",
                                        "bdf/ggl@director",
                                        "dop853/index1@director",
                                        "herk5/index2+project@director",
                                        "galpha/ggl@director"};
    static const char *const texts[] = {controlled, switched};
    for (int i = 0; i < TN_COUNT(texts); i++) {
        tn_model *model = NULL;
        CHECK_OK(parse(texts[i], &model));
        double first[2], other[2];
        run_to(model, "dop853@joint", 1.5, first);
        for (int k = 0; k < TN_COUNT(roads); k++) {
            const double tol = strncmp(roads[k], "galpha", 6) == 0 ? 2e-6 : 2e-7;
            run_to(model, roads[k], 1.5, other);
            CHECK_NEAR(other[0], first[0], tol);
            CHECK_NEAR(other[1], first[1], tol);
        }
        tn_model_destroy(model);
    }
}

// A body of 1 kg in one direction, pushed across it by what is looked at.
static double pushed(const char *text, const char *method, double step, double t_end, double *x)
{
    char all[2000];
    snprintf(all, sizeof all, "tenon: 1\n%s", text);
    tn_sim *sim = tn_test_open_text(all, method, step, 1e-9);
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    const double v = tn_sim_body_velocity(sim, (tn_body){1}).y;
    *x = tn_sim_body_frame(sim, (tn_body){1}).p.x;
    tn_sim_destroy(sim);
    return v;
}

// What stays zero has no sign; what begins at zero has the sign that it takes. By hand.
static void zeros_are_decided_by_what_follows(void)
{
    static const struct {
        const char *text;
        double t_end, v;
    } bodies[] = {
        // |x| > 0.5 for half a second of x = 1 - t
        {"bodies: {b: {kind: point, mass: 1, initial: {position: [1, 0, 0], velocity: [-1, 0, "
         "0]}}}\n"
         "forces: {f: {kind: point-force, body: b,\n"
         "             force: [0, 'sign(deadband(b.position.x, 0.5))', 0]}}\n",
         1.0, 0.5},
        {"bodies: {b: {kind: point, mass: 1, initial: {position: [1, 0, 0], velocity: [-1, 0, "
         "0]}}}\n"
         "forces: {f: {kind: point-force, body: b,\n"
         "             force: [0, 'if(deadband(b.position.x, 0.5) > 0, 1, 0)', 0]}}\n",
         1.0, 0.5},
        // on a switch at the start
        {"bodies: {b: {kind: point, mass: 1, initial: {velocity: [1, 0, 0]}}}\n"
         "forces: {f: {kind: point-force, body: b, force: [0, 'if(b.position.x > 0, 1, 0)', 0]}}\n",
         1.0, 1.0},
        // a state at its limit from 1 s on
        {"bodies: {b: {kind: point, mass: 1}}\n"
         "states: {d: {rate: -1, limits: [0, 1], initial: 1}}\n"
         "forces: {f: {kind: point-force, body: b, force: [0, -5*sign(d), 0]}}\n",
         2.0, -5.0},
        // at a limit that is no sum of powers of two, from 0.7 s on, under a rate that changes
        {"bodies: {b: {kind: point, mass: 1}}\n"
         "states: {d: {rate: 0.1 + t, limits: [-1, 0.315]}, w: {rate: -d}}\n"
         "forces: {f: {kind: point-force, body: b, force: [0, 'if(d >= 0.315, 2, 0)', 0]}}\n",
         1.7, 2.0},
        // x = t^4/12 leaves zero later than its rates tell
        {"bodies: {b: {kind: point, mass: 1}}\n"
         "forces: {f: {kind: point-force, body: b, force: [t^2, -sign(b.position.x), 0]}}\n",
         1.0, -1.0},
        // a root that has no meaning beyond its condition: the integral of sqrt(1 - t)
        {"bodies: {b: {kind: point, mass: 1, initial: {position: [1, 0, 0], velocity: [-1, 0, "
         "0]}}}\n"
         "forces: {f: {kind: point-force, body: b, force: [0, 'sqrt(max(b.position.x, 0))', 0]}}\n",
         2.0, 2.0 / 3.0},
    };
    static const char *const methods[] = {"dop853@joint", "radau5/ggl@absolute", "bdf@joint",
                                          "herk5@absolute"};
    for (int i = 0; i < TN_COUNT(bodies); i++)
        for (int k = 0; k < TN_COUNT(methods); k++) {
            double x;
            CHECK_NEAR(pushed(bodies[i].text, methods[k], 0.0, bodies[i].t_end, &x), bodies[i].v,
                       2e-6);
            CHECK_NEAR(pushed(bodies[i].text, methods[k], 1e-3, bodies[i].t_end, &x), bodies[i].v,
                       2e-5);
        }
}

// A car of 1 kg slides on a plate without mass, which a damper, a motor and the car push. By hand,
// with x of the plate, s of the slide, u of the car and a state c.
static void plate_rates(double t, const double y[4], double out[4])
{
    const double x = y[0], s = y[1], u = y[2], c = y[3];
    out[0] = 0.5 * (-x + 3.0 * c + sin(t) - 0.2 * u + 4.0 * s); // forces on the plate sum to zero
    out[1] = u - out[0];
    out[2] = -4.0 * s - 0.3 * out[1] + 0.2 * out[0];
    out[3] = s - c;
}

static void plate_by_hand(double t_end, double y[4])
{
    enum { N = 4000 };
    const double h = t_end / N;
    for (int n = 0; n < N; n++) {
        double k[4][4], z[4];
        for (int j = 0; j < 4; j++) {
            const double part = j == 0 ? 0.0 : j == 3 ? 1.0 : 0.5;
            for (int i = 0; i < 4; i++)
                z[i] = y[i] + (j > 0 ? part * h * k[j - 1][i] : 0.0);
            plate_rates((n + part) * h, z, k[j]);
        }
        for (int i = 0; i < 4; i++)
            y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
}

static void motions_without_inertia_follow_expressions(void)
{
    static const char text[] =
        "tenon: 1\n"
        "bodies: {plate: {massless: true}, car: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  rail: {kind: prismatic, bodies: [ground, plate], axis: [1, 0, 0]}\n"
        "  slide: {kind: prismatic, bodies: [plate, car], axis: [1, 0, 0],\n"
        "          initial: {position: 0.2}}\n"
        "states: {c: {rate: slide.displacement - c, initial: 0.3}}\n"
        "forces:\n"
        "  damp: {kind: joint-spring, joint: rail, damping: 2, stiffness: 1}\n"
        "  push: {kind: motor, joint: rail,\n"
        "         effort: 3*c + sin(t) - 0.5*slide.displacement.rate}\n"
        "  hold: {kind: joint-law, joint: slide,\n"
        "         law: -4*coordinate - 0.3*rate + 0.2*rail.displacement.rate}\n";
    static const char *const methods[] = {"dop853@joint", "radau5@joint", "dop853/index1@absolute",
                                          "radau5/ggl@absolute"};
    double y[4] = {0.0, 0.2, 0.0, 0.3};
    plate_by_hand(2.0, y);
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "plate.yaml", &model, NULL));
    for (int k = 0; k < TN_COUNT(methods); k++) {
        double q[2];
        run_to(model, methods[k], 2.0, q);
        CHECK_NEAR(q[0], y[0], 1e-7);
        CHECK_NEAR(q[1], y[1], 1e-7);
    }
    tn_model_destroy(model);
}

// The lowest root of a cubic exists at all times: explicit methods stay on it, also after steps
// that were refused.
static void unknowns_stay_on_their_root(void)
{
    static const char text[] = "bodies: {b: {kind: point, mass: 1}}\n"
                               "unknowns: {u: {equation: u^3 - 3*u - 1.95*sin(3*t), start: -1.7}}\n"
                               "forces: {f: {kind: point-force, body: b, force: [0, u, 0]}}\n";
    static const char *const methods[] = {"dop853@joint", "dopri5@joint", "herk5@absolute"};
    double x;
    const double v = pushed(text, "radau5/ggl@absolute", 0.0, 10.0, &x);
    for (int k = 0; k < TN_COUNT(methods); k++)
        // Near its folds u goes fast and errors of steps grow: some 1e-6 by all methods, and which
        // steps are refused there is up to round-off. Another root would be off by 1 and more.
        CHECK_NEAR(pushed(text, methods[k], 0.0, 10.0, &x), v, 1e-5);
}

// b(w, t) of the two equations below.
static double exponential(double w, double t)
{
    return exp(w) - 1.0 - t;
}

static double cubic(double w, double t)
{
    return w * w * w - w - t;
}

typedef struct far_unknown {
    const char *text;
    double (*b)(double w, double t);
    double least; // of w: no other root is there
} far_unknown;

static tn_status look_within_step(void *user, tn_sim *sim)
{
    static const double at[] = {0.02, 0.5, 0.03, 0.97, 0.1};
    const far_unknown *u = (const far_unknown *)user;
    const double from = tn_sim_before(sim), h = tn_sim_time(sim) - from;
    for (int i = 0; i < TN_COUNT(at); i++) {
        const double t = from + at[i] * h;
        CHECK_OK(tn_sim_show(sim, t));
        const double w = tn_sim_extra(sim)[0];
        CHECK_NEAR(u->b(w, t), 0.0, 1e-12 * (1.0 + t));
        CHECK(w >= u->least);
    }
    tn_sim_current(sim);
    return TN_OK;
}

// Solutions that go far within a step: explicit methods find them within it, too, on the branch
// that they came along.
static void unknowns_are_found_within_long_steps(void)
{
    static far_unknown unknowns[] = {{"{equation: exp(w) - 1 - t}", exponential, 0.0},
                                     {"{equation: w^3 - w - t, start: 1}", cubic, 1.0}};
    static const char *const methods[] = {"dop853/index1", "dopri5@joint", "adams/index1",
                                          "herk5@absolute"};
    for (int k = 0; k < TN_COUNT(unknowns) * TN_COUNT(methods); k++) {
        char text[200];
        far_unknown *u = &unknowns[k % TN_COUNT(unknowns)];
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies: {b: {kind: point, mass: 1}}\nunknowns: {w: %s}\n", u->text);
        tn_sim *sim = tn_test_open_text(text, methods[k / TN_COUNT(unknowns)], 0.0, 1e-6);
        CHECK_OK(tn_sim_run(sim, 100.0, look_within_step, u));
        tn_sim_destroy(sim);
    }
}

// A force against each motion has no value at rest: steps of a given size go on across it.
static void chatter_ends(void)
{
    static const char text[] =
        "bodies: {b: {kind: point, mass: 1, initial: {position: [1, 0, 0]}}}\n"
        "forces: {f: {kind: point-force, body: b,\n"
        "             force: ['-sign(b.position.x + b.velocity.x)', 0, 0]}}\n";
    double x;
    (void)pushed(text, "galpha@joint", 1e-2, 8.0, &x);
    CHECK_NEAR(x, 0.0, 0.02); // slides to the origin within steps
}

// A motor at a toothed wheel pushes over a small part of each tooth: 637 pulses of 1.4 us, 3 ms
// apart. Where a pulse begins at round-off on the wrong side of zero, it still ends where it ends.
static void short_pulses_end_where_they_end(void)
{
    static const char text[] =
        "tenon: 1\n"
        "bodies: {b: {mass: 1, inertia: [1, 1, 1], initial: {rate: [0, 0, 100]}}}\n"
        "joints: {s: {kind: revolute, body: b, axis: [0, 0, 1]}}\n"
        "forces: {m: {kind: motor, joint: s, effort: 'if(sin(20*s.angle) > 0.999999, 1, 0)'}}\n";
    static const char *const methods[] = {"dop853@joint", "radau5/ggl@absolute"};
    const double pi = 3.14159265358979323846, work = 637.0 * (pi - 2.0 * asin(0.999999)) / 20.0;
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = tn_test_open_text(text, methods[k], 0.0, 1e-6);
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        CHECK_NEAR(ledger.supplied, work, 1e-5 * work); // 8 to 11 times that before
        CHECK(!tn_test_has_note(sim, "chatters"));
        tn_sim_destroy(sim);
    }
}

// Methods that begin anew with short steps at each condition, on rows that are off by the error of
// the last step: after 90 s no step was short enough.
static void many_conditions_are_passed_by_short_steps(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  cart: {kind: planar, mass: 1, inertia: 0.1}\n"
        "  pole: {kind: planar, mass: 0.2, inertia: 0.006, initial: {position: [0, 0.3]}}\n"
        "joints:\n"
        "  rail: {kind: prismatic, body: cart, axis: [1, 0, 0]}\n"
        "  hinge: {kind: revolute, bodies: [cart, pole], at: [0, 0], initial: {rate: 1}}\n"
        "forces:\n"
        "  motor: {kind: motor, joint: rail, effort: 'clamp(-3*rail.displacement - "
        "2*rail.displacement.rate + 4*sin(hinge.angle), -0.5, 0.5)'}\n";
    static const char *const methods[] = {"bdf/ggl@absolute", "bdf/index2@absolute"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = tn_test_open_text(text, methods[k], 0.0, 1e-6);
        CHECK_OK(tn_sim_run(sim, 95.0, NULL, NULL));
        tn_sim_destroy(sim);
    }
}

static double farthest; // of an unknown from its equation, in the middles of steps

static tn_status look_at_middle(void *user, tn_sim *sim)
{
    double *last = user;
    int w;
    const double t = tn_sim_time(sim), middle = 0.5 * (*last + t);
    CHECK_OK(tn_sim_channel_find(sim, "w", &w));
    CHECK_OK(tn_sim_show(sim, middle));
    farthest = fmax(farthest, fabs(tn_sim_channel(sim, w) - asin(0.95 * sin(middle))));
    tn_sim_current(sim);
    *last = t;
    return TN_OK;
}

static void unknowns_within_steps_solve_their_equations(void)
{
    static const char text[] = "tenon: 1\n"
                               "bodies: {a: {kind: planar, mass: 1, inertia: 1}}\n"
                               "unknowns: {w: {equation: sin(w) - 0.95*sin(t)}}\n";
    static const char *const methods[] = {"bdf/ggl", "radau5/ggl", "dop853"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim *sim = tn_test_open_text(text, methods[k], 0.0, 1e-6);
        double last = 0.0;
        farthest = 0.0;
        CHECK_OK(tn_sim_run(sim, 20.0, look_at_middle, &last));
        CHECK(farthest < 1e-8); // 5e-3 of the polynomials of bdf
        tn_sim_destroy(sim);
    }
}

// Both sides of a condition lead back to it: no step with a chosen size goes on with one of them.
static void slides_are_told(void)
{
    static const char *const law[] = {
        "-3*sign(rate) + 2*sin(3*t)",
        "-if(rate > 0, 3, if(rate < 0, -3, 0)) - 2*coordinate",
    };
    static const double begins[] = {0.617032, 0.311488}; // where the cart comes to rest
    static const char *const methods[] = {"dop853@joint", "radau5/ggl", "dopri5/nullspace+project",
                                          "herk5/index2@joint", "bdf/ggl"};
    for (int i = 0; i < TN_COUNT(law); i++) {
        char text[512];
        tn_model *model = NULL;
        snprintf(
            text, sizeof text,
            "tenon: 1\n"
            "bodies: {cart: {kind: planar, mass: 1, inertia: 1, initial: {velocity: [1, 0]}}}\n"
            "joints: {rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0]}}\n"
            "forces: {fr: {kind: joint-law, joint: rail, law: '%s'}}\n",
            law[i]);
        CHECK_OK(tn_model_parse(text, "slide.yaml", &model, NULL));
        for (int k = 0; k < TN_COUNT(methods); k++) {
            tn_sim *sim = tn_test_open(model, methods[k], 0.0, 1e-6);
            CHECK(tn_sim_run(sim, 3.0, NULL, NULL) == TN_ERR_NUMERIC);
            CHECK(strstr(tn_last_error(), "slides along a condition"));
            CHECK_NEAR(tn_sim_time(sim), begins[i], 1e-5);
            tn_sim_destroy(sim);
        }
        tn_model_destroy(model);
    }
}

// A relay of a state: neither side of its condition has a motion, whatever its round-off.
static void relays_of_states_slide(void)
{
    static const char *const rate[] = {"if(x > 0, -1, 1)", "0.3 - sign(x)*(1 + 0.1*t)",
                                       "if(x + 0.2*rail.displacement > 0, -1, 1)"};
    static const double begins[] = {0.5, 0.6811458, 0.625};
    // where 0.5 - t, 0.5 - 0.7 t - 0.05 t^2 and 0.5 - 0.8 t are zero
    static const char *const methods[] = {"dop853@joint", "radau5/ggl", "bdf/ggl", "dopri5@joint",
                                          "adams@joint"};
    for (int i = 0; i < TN_COUNT(rate); i++)
        for (int k = 0; k < TN_COUNT(methods); k++) {
            char text[512];
            snprintf(text, sizeof text,
                     "tenon: 1\n"
                     "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                     "joints: {rail: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0],\n"
                     "                initial: {rate: 1}}}\n"
                     "states: {x: {rate: '%s', initial: 0.5, limits: [-2, 2]}}\n",
                     rate[i]);
            tn_sim *sim = tn_test_open_text(text, methods[k], 0.0, 1e-6);
            CHECK(tn_sim_run(sim, 3.0, NULL, NULL) == TN_ERR_NUMERIC);
            CHECK(tn_test_says("slides along a condition"));
            CHECK_NEAR(tn_sim_time(sim), begins[i], 1e-5);
            tn_sim_destroy(sim);
        }
}

// A condition on a number that jumps, as another condition changes with it, has one motion behind
// it, also where the number goes back slowly from there. A cart goes from 0.5 m by -0.5 m/s.
static void jumps_across_conditions_are_no_slides(void)
{
    static const struct {
        const char *more;
        double I; // at 3 s, by hand
    } carts[] = {
        // at its lower limit when the rate jumps at 1 s, and at its upper one at the end
        {"states: {I: {rate: 'if(rail.displacement < 0, 2.5, -3) - 0.1*t', limits: [-0.3, 0.4]}}",
         0.4},
        // |-1 - 0.2 t| for a second, |1 - 0.3 t| for two
        {"signals: {s: 'if(rail.displacement < 0, 1 - 0.3*t, -1 - 0.2*t)', a: abs(s)}\n"
         "states: {I: {rate: a}}",
         1.1 + 0.8},
        // the same with 1e-3 of it after a jump that is large
        {"signals: {s: 'if(rail.displacement < 0, 1 - 0.3*t, -1000 - 200*t)', a: abs(s)}\n"
         "states: {I: {rate: a}}",
         1100.0 + 0.8},
        // conditions that hang on each other over three signals
        {"signals:\n"
         "  s: 'if(rail.displacement < 0, 1 - 0.3*t, -1 - 0.2*t)'\n"
         "  u: 'if(s > 0, 2 - 0.5*t, -2 - 0.5*t)'\n"
         "  w: 'max(u, -0.1*t)'\n"
         "states: {I: {rate: w}}",
         -0.05 + 4.0 - 2.0},
        // a relay that switches off at 1.6 s lets the state go from its lower limit
        {"blocks: {relay: {kind: hysteresis, input: rail.displacement, on: 1, off: -0.3,\n"
         "                 initial: on}}\n"
         "states: {I: {rate: '1.25 - 2*relay - 0.25*t', limits: [-0.3, 5], initial: 1}}",
         -0.3 + 1.25 * 1.4 - 0.125 * (9.0 - 2.56)},
    };
    static const char *const methods[] = {"dop853@joint", "radau5/ggl", "bdf/ggl", "adams@joint",
                                          "herk5/index2@joint"};
    for (int i = 0; i < TN_COUNT(carts); i++)
        for (int k = 0; k < TN_COUNT(methods); k++) {
            char text[800];
            snprintf(text, sizeof text,
                     "tenon: 1\n"
                     "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                     "joints: {rail: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0],\n"
                     "                initial: {position: 0.5, rate: -0.5}}}\n%s\n",
                     carts[i].more);
            tn_sim *sim = tn_test_open_text(text, methods[k], 0.0, 1e-8);
            CHECK_OK(tn_sim_run(sim, 3.0, NULL, NULL));
            CHECK_NEAR(tn_test_value(sim, "I"), carts[i].I, 1e-6 * (1.0 + fabs(carts[i].I)));
            tn_sim_destroy(sim);
        }
}

static double switched_at(const char *condition, const char *method, double step, double tol)
{
    char text[600];
    double x[3], rate[3];
    tn_model *model = NULL;
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "bodies: {cart: {kind: planar, mass: 1, inertia: 1, initial: {velocity: [0.3, 0]}}}\n"
             "joints: {rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0]}}\n"
             "unknowns: {w: {equation: w + 0.2*w^3 - cart.position.x}}\n"
             "forces: {f: {kind: motor, joint: rail, effort: 'if(%s, -3, 1) - abs(w)'}}\n",
             condition);
    CHECK_OK(tn_model_parse(text, "unknown.yaml", &model, NULL));
    tn_sim *sim = tn_test_open(model, method, step, tol);
    CHECK_OK(tn_sim_run(sim, 3.0, NULL, NULL));
    tn_sim_joint_coordinates(sim, (tn_joint){0}, x, rate);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return x[0];
}

// A condition on an unknown is met where it is in the motion: w = 0.1 at x = 0.1002.
static void conditions_on_unknowns_are_located(void)
{
    static const char *const of_w = "w > 0.1", *const of_x = "cart.position.x > 0.1002";
    static const char *const methods[] = {"radau5/ggl@absolute", "radau5/index1@joint",
                                          "radau5/ggl@director"};
    const double exact = switched_at(of_x, "dop853@joint", 0.0, 1e-12);
    for (int k = 0; k < TN_COUNT(methods); k++)
        CHECK_NEAR(switched_at(of_w, methods[k], 0.0, 1e-6), exact, 1e-6);
    CHECK_NEAR(switched_at(of_w, "galpha@absolute", 0.1, 0.0),
               switched_at(of_x, "galpha@absolute", 0.1, 0.0),
               1e-9); // errors of the steps are 1e-4
}

// A cart that just reaches a wall of force: that is over within a part of a step, and is no slide.
static void short_visits_are_no_slides(void)
{
    static const char *const methods[] = {"bdf/ggl@absolute", "radau5/ggl", "dopri5@joint"};
    static const double tol[] = {1e-3, 1e-4, 1e-6};
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(
        "tenon: 1\n"
        "bodies: {cart: {kind: planar, mass: 1, inertia: 1, initial: {velocity: [1, 0]}}}\n"
        "joints: {rail: {kind: prismatic, bodies: [ground, cart], axis: [1, 0]}}\n"
        "forces: {f: {kind: motor, joint: rail,\n"
        "             effort: 'if(cart.position.x > 0.4999, -10, 0) - 1'}}\n",
        "visit.yaml", &model, NULL));
    for (int k = 0; k < TN_COUNT(methods); k++)
        for (int i = 0; i < TN_COUNT(tol); i++) {
            tn_sim *sim = tn_test_open(model, methods[k], 0.0, tol[i]);
            CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
            tn_sim_destroy(sim);
        }
    tn_model_destroy(model);
}

static tn_status look_within(void *user, tn_sim *sim)
{
    double *from = user;
    const double t = tn_sim_time(sim);
    for (double part = 0.1; part < 1.0; part += 0.2) {
        const double at = *from + part * (t - *from);
        CHECK_OK(tn_sim_show(sim, at));
        const tn_vec3 a = tn_sim_body_acceleration(sim, (tn_body){1});
        CHECK_NEAR(a.x, 1.0 + floor(at / 0.5), 1e-6);
        CHECK_NEAR(a.y, at > 0.7 ? 1.0 : 0.0, 1e-6);
    }
    tn_sim_current(sim);
    *from = t;
    return TN_OK;
}

// Rows within a step are those of the step, and not of what begins at its end.
static void rows_within_steps_are_theirs(void)
{
    static const char text[] =
        "tenon: 1\n"
        "bodies: {b: {kind: point, mass: 1}}\n"
        "sampled: {s: {every: 0.5, next: {n: n + 1}}}\n"
        "forces: {f: {kind: point-force, body: b, force: [s.n, 'if(t > 0.7, 1, 0)', 0]}}\n";
    static const char *const methods[] = {"dop853@joint", "radau5/ggl@absolute", "adams@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_sim_options options = tn_default_sim();
        options.method = methods[k];
        options.adaptive = true;
        CHECK_OK(tn_model_parse(text, "rows.yaml", &model, NULL));
        CHECK_OK(tn_sim_create(model, &options, &sim));
        double from = 0.0;
        CHECK_OK(tn_sim_run(sim, 1.2, look_within, &from));
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void mistakes_are_named(void)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"signals: {a: 2*b, b: a + 1}\nforces: {m: {kind: motor, joint: rail, effort: a}}\n",
         "a -> b -> a"},
        {"signals: {a: rail.displacment}\n", "did you mean 'rail.displacement'?"},
        {"forces: {m: {kind: motor, joint: rail, effort: cart.acceleration.x}}\n",
         "depends on an acceleration"},
        {"states: {a: {rate: 1}}\nsignals: {a: 2}\n", "there is a"},
        {"sampled: {s: {every: 0, next: {u: 1}}}\n", "every is 0 s"},
        {"states: {a: {rate: 1, limits: [1, 2]}}\n", "the start between them"},
        // quotes that do not end
        {"forces: {m: {kind: motor, joint: rail, effort: \"2*'the pin\"}}\n",
         "cart.yaml:10:51: force 'm': effort: expression '2*'the pin', column 3: a quoted name"},
        {"forces: {m: {kind: joint-spring, joint: pin, stiffness: \"'pin'.'angle\"}}\n",
         "cart.yaml:10:64: force 'm': stiffness: expression ''pin'.'angle', column 7: a name, or"},
        {"forces: {m: {kind: joint-spring, joint: pin, stiffness: \"'pin\"}}\n",
         "cart.yaml:10:58: force 'm': stiffness: expression ''pin', column 1: a quoted name"},
        {"  d: {kind: drive, joint: rail, motion: \"'pin'.angle\"}\n",
         "a drive prescribes a motion, which cannot depend on itself"},
    };
    for (int k = 0; k < TN_COUNT(wrong); k++) {
        tn_model *model = NULL;
        CHECK(parse(wrong[k].text, &model) == TN_ERR_MODEL);
        if (!strstr(tn_last_error(), wrong[k].says))
            printf("%s\n", tn_last_error());
        CHECK(strstr(tn_last_error(), wrong[k].says));
    }
}

// The slow system has no value between 0.25 and 0.35 s, when none is due; the fast one has none
// from 0.45 s on.
static void samples_without_a_value_are_named(void)
{
    tn_sim *sim =
        tn_test_open_text("tenon: 1\n"
                          "bodies: {b: {kind: point, mass: 1}}\n"
                          "sampled:\n"
                          "  slow: {every: 0.2, next: {u: \"sqrt((t - 0.3)^2 - 0.0025)\"}}\n"
                          "  fast: {every: 0.1, next: {a: a + 1, u: \"sqrt(0.45 - t)\"}}\n"
                          "forces: {f: {kind: point-force, body: b, force: [slow.u, fast.u, 0]}}\n",
                          "dop853@joint", 0.0, 1e-9);
    CHECK(tn_sim_run(sim, 1.0, NULL, NULL) == TN_ERR_NUMERIC);
    CHECK(tn_test_says("text.yaml:5:3: sampled 'fast': its value 'u' becomes"));
    CHECK(tn_test_says("at t = 0.5 s"));
    tn_sim_destroy(sim);
}

// Of a state whose rate is no number, at the start or on the way.
static void rates_without_a_value_are_named(void)
{
    static const char *const methods[] = {"dop853@joint", "radau5/ggl@absolute",
                                          "herk5/index2@absolute"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_sim_options options = tn_default_sim();
        options.method = methods[k];
        CHECK_OK(parse("states: {c: {rate: 1/c}}\n", &model));
        CHECK(tn_sim_create(model, &options, &sim) != TN_OK);
        CHECK(tn_test_says("the rate of state 'c' is inf at t = 0 s"));
        tn_model_destroy(model);
        CHECK_OK(parse("states: {c: {rate: sqrt(0.05 - t)}}\n", &model));
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK(tn_sim_run(sim, 1.0, NULL, NULL) == TN_ERR_NUMERIC);
        CHECK(tn_test_says("the rate of state 'c' is nan at t = 0.05"));
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void tables_that_are_left_are_named(void)
{
    static const char *const efforts[] = {"f(t)", "f(t + 0*cart.position.x)", "g"};
    for (int k = 0; k < TN_COUNT(efforts); k++) {
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_sim_options options = tn_default_sim();
        char text[400];
        snprintf(text, sizeof text,
                 "tables: {f: {x: [0, 0.05], values: [1, 2], beyond: error}}\n"
                 "signals: {g: 2*f(t)}\n"
                 "forces: {m: {kind: motor, joint: rail, effort: %s}}\n",
                 efforts[k]);
        options.method = "radau5/ggl@absolute";
        CHECK_OK(parse(text, &model));
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK(tn_sim_run(sim, 1.0, NULL, NULL) == TN_ERR_NUMERIC);
        CHECK(tn_test_says("force 'm', beyond its table 'f', is nan at t = 0.05"));
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// A law by a reaction, which is known at nodes, where forces do not act.
static void reactions_in_discrete_principles_are_refused(void)
{
    tn_model *model = NULL;
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_OK(parse("forces: {m: {kind: motor, joint: rail, effort: 0.1*pin.force.x}}\n", &model));
    options.method = "variational/multiplier@director";
    CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_PAIRING);
    CHECK(strstr(tn_last_error(), "depend on constraint forces"));
    tn_model_destroy(model);
}

// Names are found by tables: a search through all of them took a minute.
static void many_signals_are_compiled_at_once(void)
{
    enum { MANY = 20000 };
    tn_model *model = NULL;
    CHECK_OK(parse("", &model));
    for (int i = 0; i < MANY; i++) {
        char name[20], text[60];
        snprintf(name, sizeof name, "s%d", i);
        snprintf(text, sizeof text, i % 2 ? "s%d + cart.position.x" : "%d*cart.velocity.x",
                 i - i % 2);
        CHECK_OK(tn_model_add_signal(model, name, text));
    }
    const clock_t begin = clock();
    CHECK_OK(tn_model_check(model));
    CHECK((double)(clock() - begin) / CLOCKS_PER_SEC < 10.0);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"one motion by all roads", one_motion_by_all_roads},
    {"zeros are decided by what follows", zeros_are_decided_by_what_follows},
    {"motions without inertia follow expressions", motions_without_inertia_follow_expressions},
    {"unknowns stay on their root", unknowns_stay_on_their_root},
    {"unknowns are found within long steps", unknowns_are_found_within_long_steps},
    {"chatter ends", chatter_ends},
    {"short pulses end where they end", short_pulses_end_where_they_end},
    {"many conditions are passed by short steps", many_conditions_are_passed_by_short_steps},
    {"unknowns within steps solve their equations", unknowns_within_steps_solve_their_equations},
    {"slides are told", slides_are_told},
    {"relays of states slide", relays_of_states_slide},
    {"jumps across conditions are no slides", jumps_across_conditions_are_no_slides},
    {"short visits are no slides", short_visits_are_no_slides},
    {"conditions on unknowns are located", conditions_on_unknowns_are_located},
    {"rows within steps are theirs", rows_within_steps_are_theirs},
    {"mistakes are named", mistakes_are_named},
    {"samples without a value are named", samples_without_a_value_are_named},
    {"rates without a value are named", rates_without_a_value_are_named},
    {"tables that are left are named", tables_that_are_left_are_named},
    {"many signals are compiled at once", many_signals_are_compiled_at_once},
    {"reactions in discrete principles are refused", reactions_in_discrete_principles_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
