// SPDX-License-Identifier: MIT
//
// Outputs of a model file against values by hand: a hand turns on an arm that turns on the ground,
// both about z, at constant rates, so that all motions are circles. And what is refused.

#include "cli_driver.h"
#include "tenon/tenon.h"

// The arm is 2 m long and turns by 0.5 rad/s; the hand, at its end, by 3 rad/s against it. The tip
// is 1 m from the end of the arm.
#define MODEL                                                                              \
    "tenon: 1\n"                                                                           \
    "parameters: {g: 9.81}\n"                                                              \
    "inputs: {bias: 4}\n"                                                                  \
    "bodies:\n"                                                                            \
    "  arm: {mass: 1, inertia: [1, 1, 1], initial: {position: [0, 0, 0]}}\n"               \
    "  hand: {mass: 1, inertia: [1, 1, 1], initial: {position: [2, 0, 0]}}\n"              \
    "joints:\n"                                                                            \
    "  big pin: {kind: revolute, bodies: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n" \
    "  wrist: {kind: revolute, bodies: [arm, hand], at: [2, 0, 0], axis: [0, 0, 1]}\n"     \
    "  one: {kind: drive, joint: big pin, motion: 0.5*t}\n"                                \
    "  two: {kind: drive, joint: wrist, motion: 3*t}\n"

static const char outputs[] =
    MODEL "outputs:\n"
          "  tip_x: {point: [1, 0, 0], of: hand, axis: x}\n"
          "  tip_vy: {quantity: velocity, point: [1, 0, 0], of: hand, axis: y}\n"
          "  tip_ax: {quantity: acceleration, point: [1, 0, 0], of: hand, axis: x}\n"
          "  seen_y: {point: [1, 0, 0], of: hand, in: arm, axis: y, from: [2, 0, 0]}\n"
          "  seen_vx: {quantity: velocity, point: [1, 0, 0], of: hand, in: arm, axis: x}\n"
          "  seen_ay: {quantity: acceleration, point: [1, 0, 0], of: hand, in: arm, axis: y}\n"
          "  reach: {quantity: distance, point: [1, 0, 0], of: hand}\n"
          "  gap: {quantity: distance, point: [1, 0, 0], of: hand, in: arm, from: [2, 3, 0]}\n"
          "  felt: {value: \"hypot(hand.acceleration.x, hand.acceleration.y)/g\", unit: \"1\"}\n"
          "  sum: \"'big pin'.angle.rate + 2*wrist.angle + bias*t\"\n"
          "  load: abs('big pin'.force.x) + energy.kinetic\n"
          "simulate: {step: 1e-3, t_end: 0.7}\n";

static tn_sim *run_to(const char *method, double t, tn_model **model)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    write_text("outputs.yaml", outputs);
    CHECK_OK(tn_model_load("outputs.yaml", model, NULL));
    options.method = method;
    options.step = 1e-3;
    CHECK_OK(tn_sim_create(*model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    return sim;
}

static void outputs_are_what_is_found_by_hand(void)
{
    static const char *const methods[] = {"radau5/ggl@absolute", "radau5/index1@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = NULL;
        const double t = 0.7, tol = 1e-7;
        tn_sim *sim = run_to(methods[k], t, &model);
        const double a = 0.5 * t, b = 3.0 * t, c = a + b; // angles: arm, hand on it, hand
        CHECK_NEAR(tn_test_value(sim, "tip_x"), 2.0 * cos(a) + cos(c), tol);
        CHECK_NEAR(tn_test_value(sim, "tip_vy"), 0.5 * 2.0 * cos(a) + 3.5 * cos(c), tol);
        CHECK_NEAR(tn_test_value(sim, "tip_ax"), -0.25 * 2.0 * cos(a) - 12.25 * cos(c), 1e-5);
        CHECK_NEAR(tn_test_value(sim, "seen_y"), sin(b), tol);
        CHECK_NEAR(tn_test_value(sim, "seen_vx"), -3.0 * sin(b), tol);
        CHECK_NEAR(tn_test_value(sim, "seen_ay"), -9.0 * sin(b), 1e-5);
        CHECK_NEAR(tn_test_value(sim, "reach"), sqrt(5.0 + 4.0 * cos(b)), tol);
        CHECK_NEAR(tn_test_value(sim, "gap"), hypot(cos(b), sin(b) - 3.0), tol);
        CHECK_NEAR(tn_test_value(sim, "felt"), 0.25 * 2.0 / 9.81,
                   1e-6); // of the origin, 2 m from the pin
        CHECK_NEAR(tn_test_value(sim, "sum"), 0.5 + 2.0 * b + 4.0 * t, tol);
        CHECK_NEAR(tn_test_value(sim, "load"),
                   fabs(tn_test_value(sim, "big pin.force.x")) +
                       tn_test_value(sim, "energy.kinetic"),
                   1e-12);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void outputs_are_recorded_and_plotted(void)
{
    static char text[CLI_TEXT_SIZE];
    write_text("outputs.yaml", outputs);
    CHECK(tenon("run outputs.yaml --csv --out run --force --quiet") == 0);
    read_text("run/result.csv", text);
    CHECK(strstr(text, ",tip_x [m],tip_vy [m/s],tip_ax [m/s^2],seen_y [m],") != NULL);
    CHECK(strstr(text, ",gap [m],felt [1],sum,load,energy.kinetic [J],") != NULL);
    CHECK(tenon("plot run tip_x felt sum -o outputs.svg") == 0);
    CHECK(strncmp(cli.out, "Wrote outputs.svg: 3 channels, ", 31) == 0);
}

static void programs_add_outputs(void)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    write_text("bare.yaml", MODEL);
    CHECK_OK(tn_model_load("bare.yaml", &model, NULL));
    tn_output_def def = tn_default_output();
    def.name = "tip";
    def.of = tn_model_find_body(model, "hand");
    def.point = tn_v3(1.0, 0.0, 0.0);
    CHECK_OK(tn_model_add_output(model, &def));
    def = tn_default_output();
    def.value = "tip + 1";
    CHECK_STATUS(tn_model_add_output(model, &def), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), "output 'output 2': value: expression 'tip + 1', column 1: 'tip' "
                                "is an output, which others cannot use");
    CHECK(tn_model_output_count(model) == 1);
    CHECK_TEXT(tn_model_output_name(model, 0), "tip");
    CHECK_TEXT(tn_model_output_name(model, 1), "");
    tn_sim_options options = tn_default_sim();
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_MODEL); // the first error stays
    tn_model_destroy(model);
}

static void check_refused(const char *path, const char *text, const char *message)
{
    tn_model *model = NULL;
    write_text(path, text);
    CHECK_STATUS(tn_model_load(path, &model, NULL), TN_ERR_MODEL);
    if (!strstr(tn_last_error(), message))
        printf("%s\n  is not in\n%s\n", message, tn_last_error());
    CHECK(strstr(tn_last_error(), message) != NULL);
    tn_model_destroy(model);
}

// What is wrong, and where.
static void mistakes_are_told_with_their_place(void)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"{point: [1, 0, 0], axis: x}", ":13:3: output 'y': neither 'of', the body of a point, nor "
                                        "'value' is stated; state one of the two"},
        {"{of: hand}", ":13:3: output 'y': missing key 'axis': which component, x, y or z"},
        {"{of: hand, axis: x, value: t}", ": output 'y': 'axis' is stated beside 'value'; it is "
                                          "for a point"},
        {"{of: hand, quantity: distance, axis: x}", ": output 'y': a distance has no 'axis'"},
        {"{of: hnad, axis: x}", "did you mean 'hand'?"},
        {"{of: hand, axis: x, unit: m}", ": output 'y': 'unit' is for an expression, 'value'; that "
                                         "of a point is known"},
        {"{of: hand, axes: x}", "unknown key 'axes'; did you mean 'axis'?"},
        {"wrist.angel", ":13:6: output 'y': value: expression 'wrist.angel', column 1: "
                        "'wrist.angel': joint 'wrist' has no such quantity; did you mean "
                        "'wrist.angle'?"},
        {"2*(t", ": output 'y': value: "},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        char text[2048];
        snprintf(text, sizeof text, "%soutputs:\n  y: %s\n", MODEL, cases[i].line);
        check_refused("wrong.yaml", text, cases[i].message);
    }
}

// A name that results have for something else.
static void names_of_channels_are_refused(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"outputs:\n  wrist.angle: t\n",
         "clash.yaml:13:3: output 'wrist.angle': 'wrist.angle' has two meanings: 'angle' of joint "
         "'wrist' and output 'wrist.angle'; give one of them another name"},
        {"outputs:\n  energy.kinetic: {of: hand, axis: x}\n",
         "clash.yaml:13:3: output 'energy.kinetic': 'energy.kinetic' has two meanings: "},
        {"outputs: {time: 2*t}\n", "clash.yaml:12:11: output 'time': 'time' has two meanings: "},
        {"outputs: {a: t, hand.position.y: 1}\n", "clash.yaml:12:17: output 'hand.position.y': "},
        {"signals: {a: 2}\noutputs: {a: t}\n", "clash.yaml:13:11: output 'a': 'a' has two "
                                               "meanings: signal 'a' and output 'a'; give"},
        {"sampled: {s: {every: 1, next: {u: t}}}\noutputs: {s.u: t}\n",
         "clash.yaml:13:11: output 's.u': 's.u' has two meanings: 'u' of sampled system 's' and "},
        {"sampled: {wrist: {every: 1, next: {angle: t}}}\n",
         "clash.yaml:12:11: sampled 'wrist': 'wrist.angle' has two meanings: 'angle' of joint "},
        {"signals: {time: 2*t}\n", "clash.yaml:12:17: signal 'time': 'time' has two meanings: "
                                   "'time' of the run and signal 'time'; give"},
        {"states: {time: {rate: 1}}\n", "clash.yaml:12:10: state 'time': 'time' has two meanings"},
        {"unknowns: {time: {equation: time - 1}}\n",
         "clash.yaml:12:12: unknown 'time': 'time' has"},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s", MODEL, cases[i].text);
        check_refused("clash.yaml", text, cases[i].message);
    }
}

// Of a program, which may add the other one later: when a simulation is made.
static void names_of_channels_are_refused_in_programs(void)
{
    tn_model *model = tn_model_create();
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    CHECK_OK(tn_model_add_signal(model, "time", "2*t"));
    tn_body_def body = tn_default_body();
    body.kind = TN_BODY_POINT;
    body.mass = 1.0;
    (void)tn_model_add_body(model, &body);
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_MODEL);
    CHECK(strncmp(tn_last_error(), "signal 'time': 'time' has two meanings: ", 40) == 0);
    tn_model_destroy(model);
}

// A controller of every kind: its numbers are channels, of simulations, records and outputs.
static const char controlled[] =
    "tenon: 1\n"
    "bodies: {cart: {kind: planar, mass: 1, inertia: 1}}\n"
    "joints: {rail: {kind: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}}\n"
    "signals: {error: 1 - rail.displacement, felt: 2*cart.acceleration.x}\n"
    "states: {integral: {rate: error, initial: 0.5}}\n"
    "unknowns: {root: {equation: root + root^3 - 2*error}}\n"
    "sampled: {servo: {every: 0.05, next: {u: u + error, last: error}}}\n"
    "forces: {drive: {kind: motor, joint: rail, effort: root + integral}}\n"
    "outputs: {both: 2*integral + servo.u + felt}\n"
    "simulate: {t_end: 0.2}\n";

static void signals_are_channels(void)
{
    static const char *const methods[] = {"radau5/ggl@absolute", "radau5/index1@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_sim_options options = tn_default_sim();
        write_text("controlled.yaml", controlled);
        CHECK_OK(tn_model_load("controlled.yaml", &model, NULL));
        options.method = methods[k];
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK(tn_test_value(sim, "error") == 1.0 && tn_test_value(sim, "integral") == 0.5);
        for (int i = 1; i <= 2; i++) { // values follow the state
            CHECK_OK(tn_sim_run(sim, 0.1 * i - 0.03, NULL, NULL));
            const double error = 1.0 - tn_test_value(sim, "rail.displacement"),
                         root = tn_test_value(sim, "root");
            CHECK_NEAR(tn_test_value(sim, "error"), error, 1e-14);
            CHECK_NEAR(root + root * root * root, 2.0 * error, 1e-7);
            CHECK_NEAR(tn_test_value(sim, "drive.effort"), root + tn_test_value(sim, "integral"),
                       1e-12);
            CHECK_NEAR(tn_test_value(sim, "felt"), 2.0 * tn_test_value(sim, "drive.effort"), 1e-7);
            CHECK_NEAR(tn_test_value(sim, "both"),
                       2.0 * tn_test_value(sim, "integral") + tn_test_value(sim, "servo.u") +
                           tn_test_value(sim, "felt"),
                       1e-12);
            CHECK(tn_test_value(sim, "servo.last") > error); // of the sample before
        }
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void signals_are_recorded(void)
{
    static const char *const names[] = {"error", "felt", "integral", "root", "servo.u", "both"};
    tn_result *result = NULL;
    int channel = -1;
    write_text("controlled.yaml", controlled);
    CHECK(tenon("run controlled.yaml --method radau5 --out controlled --force --quiet") == 0);
    CHECK_OK(tn_result_open("controlled", false, &result));
    for (int i = 0; i < TN_COUNT(names); i++) {
        double x = NAN;
        CHECK_OK(tn_result_find(result, names[i], &channel));
        CHECK_OK(tn_result_read(result, channel, tn_result_rows(result) - 1, 1, &x));
        CHECK(isfinite(x) && x != 0.0);
    }
    CHECK_STATUS(tn_result_find(result, "servo.v", &channel), TN_ERR_USAGE);
    tn_result_close(result);
}

// Points are measured in expressions of the state as they are in outputs: a rod that is held by its
// tip, once by the tip and once by what the angle says of it.
static double angle_after(const char *effort, const char *method)
{
    static const char rod[] =
        "tenon: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  rod: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
        "joints: {pin: {kind: revolute, bodies: [ground, rod], at: [0, 0]}}\n"
        "forces: {hold: {kind: motor, joint: pin, effort: \"%s\"}}\n"
        "outputs:\n"
        "  tip_y: {point: [0.5, 0], of: rod, axis: y}\n"
        "  tip_vx: {quantity: velocity, point: [0.5, 0], of: rod, axis: x}\n"
        "  reach: {quantity: distance, point: [0.5, 0], of: rod, from: [0, 3]}\n"
        "  below: {point: [0, 0], of: ground, in: rod, axis: x}\n";
    char text[1500];
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    snprintf(text, sizeof text, rod, effort);
    write_text("rod.yaml", text);
    CHECK_OK(tn_model_load("rod.yaml", &model, NULL));
    options.method = method;
    options.rtol = options.atol = 1e-10;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    const double angle = tn_test_value(sim, "pin.angle");
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return angle;
}

static void points_are_measured_in_expressions(void)
{
    static const char *const pairs[][2] = {
        {"-20*tip_y + 2*tip_vx", "-20*sin(pin.angle) - 2*sin(pin.angle)*pin.angle.rate"},
        {"4*(reach - 3)", "4*(sqrt(10 - 6*sin(pin.angle)) - 3)"},
        {"below*pin.angle", "-0.5*pin.angle"},
    };
    static const char *const methods[] = {"radau5/ggl@absolute", "radau5/index1@joint",
                                          "bdf/index1@joint"};
    for (int k = 0; k < TN_COUNT(pairs); k++)
        for (int m = 0; m < TN_COUNT(methods); m++)
            CHECK_NEAR(angle_after(pairs[k][0], methods[m]), angle_after(pairs[k][1], methods[m]),
                       1e-7);
}

static const tn_test tests[] = {
    {"outputs are what is found by hand", outputs_are_what_is_found_by_hand},
    {"outputs are recorded and plotted", outputs_are_recorded_and_plotted},
    {"programs add outputs", programs_add_outputs},
    {"points are measured in expressions", points_are_measured_in_expressions},
    {"signals are channels", signals_are_channels},
    {"signals are recorded", signals_are_recorded},
    {"mistakes are told with their place", mistakes_are_told_with_their_place},
    {"names of channels are refused", names_of_channels_are_refused},
    {"names of channels are refused in programs", names_of_channels_are_refused_in_programs},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
