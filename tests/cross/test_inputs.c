// SPDX-License-Identifier: MIT
//
// Inputs that a program sets while a simulation runs. A held input gives the motion of a force that
// jumps at known times, a filter that of its solution, and a motion in pieces that of the function
// it was taken from: by every integrator and in all coordinates.

#include "driven.h"

#include <math.h>

// A cart on a rail with a pole on it, in space so that directors have something to do.
static const char *const cart_pole =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "%s"
    "bodies:\n"
    "  cart: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
    "  pole: {mass: 0.2, inertia: [0.01, 0.012, 0.003], initial: {position: [0, 0, 0.3]}}\n"
    "joints:\n"
    "  rail: {kind: prismatic, body: cart, axis: [1, 0, 0]}\n"
    "  hinge: {kind: revolute, bodies: [cart, pole], at: [0, 0, 0], axis: [0, 1, 0], "
    "initial: {rate: 0.5}}\n"
    "%s";

static tn_model *parse(const char *head, const char *tail)
{
    char text[2000];
    tn_model *model = NULL;
    snprintf(text, sizeof text, cart_pole, head, tail);
    CHECK_OK(tn_model_parse(text, "cart.yaml", &model, NULL));
    return model;
}

typedef struct place {
    double x, angle, speed, rate;
} place;

static tn_sim *start(const tn_model *model, const char *method, double rtol, double step)
{
    return start_driven(model, method, rtol, step, false);
}

static place where(tn_sim *sim)
{
    place p;
    tn_sim_joint_coordinates(sim, (tn_joint){0}, &p.x, &p.speed);
    tn_sim_joint_coordinates(sim, (tn_joint){1}, &p.angle, &p.rate);
    return p;
}

static double apart(place a, place b)
{
    return fmax(fmax(fabs(a.x - b.x), fabs(a.angle - b.angle)),
                fmax(fabs(a.speed - b.speed), fabs(a.rate - b.rate)));
}

// What the force is from a time on.
static const struct {
    double t, u;
} pushes[] = {{0.0, 0.0}, {0.1, 3.0}, {0.2, -2.0}, {0.35, 0.5}};

static place pushed_by_function(void)
{
    tn_model *model = parse("", "forces:\n  m: {kind: motor, joint: rail, effort: "
                                "\"t < 0.1 ? 0 : t < 0.2 ? 3 : t < 0.35 ? -2 : 0.5\"}\n");
    tn_sim *sim = start(model, "dop853@joint", 1e-11, 0.0);
    CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
    const place p = where(sim);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return p;
}

static void held_inputs_are_forces_that_jump(void)
{
    const place truth = pushed_by_function();
    tn_model *model =
        parse("inputs: {u: 0}\n", "forces:\n  m: {kind: motor, joint: rail, effort: u}\n");
    const tn_input u = tn_model_find_input(model, "u");
    CHECK(u.index == 0 && tn_model_input_count(model) == 1);
    for (int k = 0; k < TN_COUNT(driven_methods); k++) {
        tn_sim *sim = start(model, driven_methods[k].name, 1e-9, driven_methods[k].step);
        tn_verdict verdict;
        for (int i = 0; i < TN_COUNT(pushes); i++) {
            CHECK_OK(tn_sim_set_input(sim, u, pushes[i].u));
            CHECK_OK(tn_sim_run(sim, i + 1 < TN_COUNT(pushes) ? pushes[i + 1].t : 0.5, NULL, NULL));
            CHECK(tn_sim_input(sim, u) == pushes[i].u);
        }
        CHECK_NEAR(apart(where(sim), truth), 0.0, driven_methods[k].tol);
        tn_sim_verdict(sim, &verdict);
        CHECK(verdict.outcome == TN_OUTCOME_DONE);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// A controller that changes its force at every step: half the step, a quarter of the error.
static double error_of_step(const tn_model *model, const char *method, double h)
{
    const tn_input u = tn_model_find_input(model, "u");
    place p[2];
    for (int k = 0; k < 2; k++) {
        const int parts = k == 0 ? 1 : 64; // the force is held for h both times
        tn_sim *sim = start(model, method, 0.0, h / parts);
        for (int i = 0; i < (int)(0.4 / h + 0.5); i++) {
            CHECK_OK(tn_sim_set_input(sim, u, 5.0 * cos(20.0 * i * h)));
            for (int j = 0; j < parts; j++)
                CHECK_OK(tn_sim_step(sim, h / parts));
        }
        p[k] = where(sim);
        tn_sim_destroy(sim);
    }
    return apart(p[0], p[1]);
}

static void forces_that_jump_at_every_step_cost_no_order(void)
{
    static const char *const names[] = {"galpha/ggl@absolute", "galpha/ggl@joint",
                                        "hht/index3@absolute", "galpha/index1@director"};
    tn_model *model =
        parse("inputs: {u: 0}\n", "forces:\n"
                                  "  m: {kind: motor, joint: rail, effort: u}\n"
                                  "  d: {kind: joint-spring, joint: hinge, damping: 0.2}\n");
    for (int k = 0; k < TN_COUNT(names); k++) {
        const double coarse = error_of_step(model, names[k], 4e-3);
        const double fine = error_of_step(model, names[k], 2e-3);
        CHECK_NEAR(log2(coarse / fine), 2.0, 0.2); // a delay by half a step would give 1
    }
    tn_model_destroy(model);
}

// y'' = w^2 (x - y) - 2 z w y' from y = 0.1 at rest, x = 0.5 from 0.1 s on; in the sum with a drive
// the joint follows it.
static double filtered(double w, double z, double T)
{
    const double e = 0.1 - 0.5, k = w * sqrt(fabs(1.0 - z * z));
    if (z < 1.0)
        return 0.5 + e * exp(-z * w * T) * (cos(k * T) + z * w / k * sin(k * T));
    if (z == 1.0)
        return 0.5 + e * exp(-w * T) * (1.0 + w * T);
    const double a = z * w - k, b = z * w + k;
    return 0.5 + e * (b * exp(-a * T) - a * exp(-b * T)) / (b - a);
}

static void filters_lead_drives(void)
{
    static const double dampings[] = {0.3, 1.0, 1.7, 0.0};
    static const char *const names[] = {"galpha/ggl@absolute", "radau5/ggl@absolute",
                                        "bdf/index2@absolute", "dop853@joint"};
    for (int i = 0; i < TN_COUNT(dampings); i++) {
        char head[200];
        snprintf(head, sizeof head,
                 "inputs:\n  y: {kind: filter, value: 0.1, frequency: 30, damping: %g}\n",
                 dampings[i]);
        tn_model *model =
            parse(head, "  drive: {kind: drive, joint: rail, motion: \"0.02*sin(3*t) + y\"}\n");
        const tn_input y = tn_model_find_input(model, "y");
        for (int k = 0; k < TN_COUNT(names); k++) {
            tn_sim *sim = start(model, names[k], 1e-8, strstr(names[k], "galpha") ? 1e-3 : 0.0);
            CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
            CHECK_OK(tn_sim_set_input(sim, y, 0.5));
            CHECK_OK(tn_sim_run(sim, 0.3, NULL, NULL));
            const double expected = filtered(30.0, dampings[i], 0.2);
            CHECK_NEAR(tn_sim_input(sim, y), expected, 1e-12);
            CHECK_NEAR(where(sim).x, 0.02 * sin(0.9) + expected, 1e-7);
            tn_sim_destroy(sim);
        }
        tn_model_destroy(model);
    }
}

static place follow(const tn_model *model, const char *method, bool pieces)
{
    const double h = 1e-3, w = 4.0;
    tn_sim *sim = start(model, method, 1e-9, strstr(method, "galpha") ? h : 0.0);
    for (int i = 0; i < 400 && pieces; i++) {
        const double t = i * h;
        CHECK_OK(tn_sim_set_input_motion(sim, (tn_input){0}, 0.3 * sin(w * t), 0.3 * w * cos(w * t),
                                         -0.3 * w * w * sin(w * t)));
        CHECK_OK(tn_sim_run(sim, t + h, NULL, NULL));
    }
    CHECK_OK(tn_sim_run(sim, 0.4, NULL, NULL));
    const place p = where(sim);
    tn_verdict verdict;
    tn_sim_verdict(sim, &verdict);
    CHECK(verdict.outcome == TN_OUTCOME_DONE);
    tn_sim_destroy(sim);
    return p;
}

static void motions_are_handed_over_in_pieces(void)
{
    static const char *const names[] = {"galpha/ggl@absolute", "galpha/index3@absolute",
                                        "radau5/ggl@absolute", "dop853@joint"};
    tn_model *whole = parse("", "  drive: {kind: drive, joint: rail, motion: 0.3*sin(4*t)}\n");
    tn_model *pieces = parse("inputs:\n  x: {kind: motion, rate: 1.2}\n",
                             "  drive: {kind: drive, joint: rail, motion: x}\n");
    const place truth = follow(whole, "dop853@joint", false);
    for (int k = 0; k < TN_COUNT(names); k++) {
        const place p = follow(pieces, names[k], true);
        CHECK_NEAR(apart(p, truth), 0.0, 1e-4);
    }
    tn_model_destroy(whole);
    tn_model_destroy(pieces);
}

static void saved_inputs_go_on(void)
{
    static const char *const names[] = {"galpha/ggl@absolute", "dop853@joint"};
    tn_model *model = parse("inputs: {u: 0, y: {kind: filter, frequency: 20}}\n",
                            "forces:\n  m: {kind: motor, joint: rail, effort: u + y}\n");
    for (int k = 0; k < TN_COUNT(names); k++) {
        tn_sim *a = start(model, names[k], 1e-8, 1e-3 * (k == 0)),
               *b = start(model, names[k], 1e-8, 1e-3 * (k == 0));
        void *saved = NULL;
        size_t size = 0;
        CHECK_OK(tn_sim_set_input(a, (tn_input){0}, 2.0));
        CHECK_OK(tn_sim_set_input(a, (tn_input){1}, -1.0));
        CHECK_OK(tn_sim_run(a, 0.1, NULL, NULL));
        CHECK_OK(tn_sim_set_input(a, (tn_input){1}, 4.0)); // not taken yet
        CHECK_OK(tn_sim_save(a, &saved, &size));
        CHECK_OK(tn_sim_load(b, saved, size));
        tn_saved_free(saved);
        CHECK_OK(tn_sim_run(a, 0.3, NULL, NULL));
        CHECK_OK(tn_sim_run(b, 0.3, NULL, NULL));
        CHECK(apart(where(a), where(b)) == 0.0);
        CHECK(tn_sim_input(a, (tn_input){1}) == tn_sim_input(b, (tn_input){1}));
        tn_sim_destroy(a);
        tn_sim_destroy(b);
    }
    tn_model_destroy(model);
}

static void two_simulations_have_inputs_of_their_own(void)
{
    tn_model *model =
        parse("inputs: {u: 1}\n", "forces:\n  m: {kind: motor, joint: rail, effort: u}\n");
    tn_sim *a = start(model, "dop853@joint", 1e-8, 0.0),
           *b = start(model, "dop853@joint", 1e-8, 0.0);
    CHECK_OK(tn_sim_set_input(a, (tn_input){0}, -7.0));
    CHECK(tn_sim_input(a, (tn_input){0}) == 1.0); // until the next step
    CHECK_OK(tn_sim_run(a, 0.1, NULL, NULL));
    CHECK_OK(tn_sim_run(b, 0.1, NULL, NULL));
    CHECK(tn_sim_input(a, (tn_input){0}) == -7.0 && tn_sim_input(b, (tn_input){0}) == 1.0);
    CHECK(where(a).x < 0.0 && where(b).x > 0.0);
    tn_sim_destroy(a);
    tn_sim_destroy(b);
    tn_model_destroy(model);
}

static void wrong_inputs_are_refused(void)
{
    tn_model *model = parse("inputs: {u: 1, x: {kind: motion}}\n",
                            "  drive: {kind: drive, joint: rail, motion: x}\n"
                            "forces:\n  m: {kind: motor, joint: hinge, effort: u}\n");
    tn_sim *sim = start(model, "galpha/ggl@absolute", 0.0, 1e-3);
    CHECK_STATUS(tn_sim_set_input(sim, (tn_input){2}, 0.0), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "there is no input with the index 2; the model has 2");
    CHECK_STATUS(tn_sim_set_input(sim, (tn_input){0}, NAN), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "input 'u': its value is nan; it must be finite");
    CHECK_STATUS(tn_sim_set_input(sim, (tn_input){1}, 0.0), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "input 'x' is a motion: set it with tn_sim_set_input_motion");
    CHECK_STATUS(tn_sim_set_input_motion(sim, (tn_input){0}, 0.0, 0.0, 0.0), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "input 'u' is held: set its value with tn_sim_set_input");
    CHECK_OK(tn_sim_set_input_motion(sim, (tn_input){1}, 0.1, 0.0, 0.0));
    CHECK_STATUS(tn_sim_step(sim, 1e-3), TN_ERR_USAGE);
    CHECK(tn_test_says("joint 'drive': at t = 0 s the inputs that were set move it at once"));
    CHECK_OK(tn_sim_step(sim, 1e-3)); // as if nothing had been set
    CHECK_NEAR(where(sim).x, 0.0, 1e-12);
    CHECK_OK(tn_sim_set_input_motion(sim, (tn_input){1}, 0.0, 5.0, 0.0));
    CHECK_STATUS(tn_sim_step(sim, 1e-3), TN_ERR_USAGE);
    CHECK(tn_test_says("which needs an impulse"));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void refuse(const char *head, const char *tail, const char *sentence)
{
    char text[2000];
    tn_model *model = NULL;
    snprintf(text, sizeof text, cart_pole, head, tail);
    CHECK(tn_model_parse(text, "cart.yaml", &model, NULL) != TN_OK);
    CHECK(tn_test_says(sentence));
}

static void files_with_wrong_inputs_are_refused(void)
{
    refuse("inputs: {u: 0}\n", "  drive: {kind: drive, joint: rail, motion: u}\n",
           "cart.yaml:10:45: joint 'drive': motion: input 'u' is held, so that it jumps when it is "
           "set, and a position that jumps needs an infinite velocity; make it of kind motion or "
           "filter");
    refuse("inputs:\n  u: {kind: filter}\n", "",
           "cart.yaml:4:3: input 'u': the frequency of the filter is 0 rad/s; it must be positive");
    refuse("inputs:\n  u: {kind: held, rate: 2}\n", "",
           "cart.yaml:4:3: input 'u': a held input has no rate; write kind: motion");
    refuse("inputs:\n  u: {kind: held, frequency: 2}\n", "",
           "cart.yaml:4:3: input 'u': a held input has no frequency; write kind: filter");
    refuse("inputs:\n  sin: 0\n", "",
           "cart.yaml:4:3: input 'sin': this name is taken; choose one that is none of t, pi, ");
    refuse("parameters: {u: 1}\ninputs:\n  u: 0\n", "",
           "cart.yaml:5:3: input 'u': there is a parameter, table or input of that name");
    refuse("inputs:\n  u: {kind: free}\n", "", "cart.yaml:4:13: input 'u': kind: unknown 'free'");
    refuse("inputs:\n  u: 0\nname: x\n",
           "  extra: {kind: distance, bodies: [cart, pole], length: u}\n",
           "input 'u' changes while a simulation runs; a constant is needed here");
}

static const tn_test tests[] = {
    {"held inputs are forces that jump", held_inputs_are_forces_that_jump},
    {"forces that jump at every step cost no order", forces_that_jump_at_every_step_cost_no_order},
    {"filters lead drives", filters_lead_drives},
    {"motions are handed over in pieces", motions_are_handed_over_in_pieces},
    {"saved inputs go on", saved_inputs_go_on},
    {"two simulations have inputs of their own", two_simulations_have_inputs_of_their_own},
    {"wrong inputs are refused", wrong_inputs_are_refused},
    {"files with wrong inputs are refused", files_with_wrong_inputs_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
