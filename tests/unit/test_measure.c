// SPDX-License-Identifier: MIT
//
// Numbers with units behind them: their values, units of keys, and what is refused, alone and in
// model files.

#include "read/model_yaml.h"
#include "test.h"
#include "text/measure.h"

#include <math.h>

#include <string.h>

#define PI 3.14159265358979323846

static double value(const char *text, const char *unit)
{
    double x = NAN;
    CHECK(tn_measure_is_one(text));
    CHECK_OK(tn_measure_read(text, unit, &x));
    return x;
}

static void refused(const char *text, const char *unit, const char *sentence)
{
    double x = 7.0;
    CHECK(tn_measure_is_one(text));
    CHECK(tn_measure_read(text, unit, &x) == TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), sentence);
    CHECK(x == 7.0);
}

// Powers of ten move the point of the number as it is written: the double is that of the literal.
static void decimal_units_round_once(void)
{
    CHECK(value("5 mm", "m") == 0.005);
    CHECK(value("0.1 mm", "m") == 0.0001);
    CHECK(value("12.7mm", "m") == 0.0127);
    CHECK(value("-3.3e2 cm", "m") == -3.3);
    CHECK(value("+7 um", "m") == 7e-6);
    CHECK(value("7 µm", "m") == 7e-6);
    CHECK(value("2 g", "kg") == 0.002);
    CHECK(value("1.1 t", "kg") == 1100.0);
    CHECK(value("3 kN/m", "N/m") == 3000.0);
    CHECK(value("0.7 N/mm", "N/m") == 700.0);
    CHECK(value("210 GPa", "Pa") == 210e9);
    CHECK(value("2.5 bar", "Pa") == 250000.0);
    CHECK(value("7.85 g/cm^3", "kg/m^3") == 7850.0);
    CHECK(value("4 kg cm²", "kg m^2") == 0.0004);
    CHECK(value("3 ms", "s") == 0.003);
    CHECK(value("5 1/s", "1/s") == 5.0);
    CHECK(value("5 s^-1", "1/s") == 5.0);
    CHECK(value("5 Hz", "1/s") == 5.0);
    CHECK(value("1 in", "m") == 0.0254);
    CHECK(value("-0.3 in", "m") == -0.00762);
    CHECK(value("7 ft", "m") == 2.1336);
    CHECK(value("1 lb", "kg") == 0.45359237);
    CHECK(value("1 lbf", "N") == 4.4482216152605);
    CHECK(value("1.1 min", "s") == 66.0);
    CHECK(fabs(value("1e3 in", "m") - 25.4) < 1e-14);
}

static void other_units(void)
{
    CHECK(value("30 deg", "rad") == 30.0 * (PI / 180.0));
    CHECK(value("30°", "rad") == 30.0 * (PI / 180.0));
    CHECK(value("1 rev", "rad") == 2.0 * PI);
    CHECK(value("20 rpm", "rad/s") == 20.0 * (PI / 30.0));
    CHECK(value("90 deg/s", "rad/s") == 90.0 * (PI / 180.0));
    CHECK(value("2 min", "s") == 120.0);
    CHECK(value("1.5 h", "s") == 5400.0);
    CHECK_NEAR(value("36 km/h", "m/s"), 10.0, 4e-15); // a product and a quotient
    CHECK_NEAR(value("10 in", "m"), 0.254, 1e-16);
    CHECK_NEAR(value("2 lb", "kg"), 0.90718474, 2e-16);
    CHECK_NEAR(value("1 lbf", "N"), 4.4482216152605, 1e-15);
    CHECK_NEAR(value("5 mm/rev", "m/rad"), 0.005 / (2.0 * PI), 1e-18);
    CHECK(value("12 V", NULL) == 12.0);
    CHECK(value("4.7 kohm", NULL) == 4700.0);
    // Of keys in degrees.
    CHECK(value("30 deg", "deg") == 30.0);
    CHECK_NEAR(value("1 rad", "deg"), 180.0 / PI, 1e-13);
}

// `m` is a metre, `min` a minute, `g` a gram; a product has a space, * or a dot, or none in Nm.
static void ways_to_write(void)
{
    static const char *const torque[] = {"5 N m", "5 N*m",  "5 N·m",       "5 N⋅m",
                                         "5 Nm",  "5 m N",  "5N m",        "5 J",
                                         "5 W s", "5 W/Hz", "5 kg m^2/s^2"};
    for (int i = 0; i < TN_COUNT(torque); i++)
        CHECK(value(torque[i], "N m") == 5.0);
    CHECK(value("5 mN", "N") == 0.005);
    CHECK(value("5 m N", "N m") == 5.0);
    CHECK(value("5 kNm", "N m") == 5000.0);
    CHECK(value("8 N/(m s)", NULL) == 8.0);
    CHECK(value("8 N / ( mm s )", NULL) == 8000.0);
    CHECK(value("1 m/s²", "m/s^2") == 1.0);
}

static void what_is_none(void)
{
    static const char *const none[] = {"5",   "m",     "5*m", "5/s", "-m", "5 + m", "",  "5 (m)",
                                       "1_0", "5 1.2", "e5",  "5^2", ".m", "5,3",   "-", "5 1"};
    for (int i = 0; i < TN_COUNT(none); i++)
        CHECK(!tn_measure_is_one(none[i]));
}

static void what_is_refused(void)
{
    refused("5 mm", "kg",
            "'5 mm' is in mm, which is no multiple of kg; write it in kg, g or t, or '5' alone for "
            "kg");
    refused("5 Hz", "rad/s",
            "'5 Hz' is in Hz, which is no multiple of rad/s; write it in rad/s, deg/s or rpm, or "
            "'5' alone for rad/s");
    refused("5 N m", "N m/rad",
            "'5 N m' is in N m, which is no multiple of N m/rad; write it in N m/rad or N m/deg, "
            "or '5' alone for N m/rad");
    refused("5 mm", "", "'5 mm' has the unit mm, but this number has none; write a plain number");
    refused("5 kN/m", "N/m^e",
            "'5 kN/m' has the unit kN/m, which cannot be converted to N/m^e; write a plain number "
            "in N/m^e");
    refused("5 KG", "kg", "'5 KG': unknown unit 'KG'; did you mean 'kg'?");
    refused("1 Nmm", NULL,
            "'1 Nmm': unknown unit 'Nmm'; did you mean 'N mm' or 'Nm m'? (a product needs a space "
            "or '*', a quotient '/')");
    double ignored;
    CHECK(tn_measure_read("1 xyzzy", NULL, &ignored) == TN_ERR_MODEL);
    CHECK(strstr(tn_last_error(), "dm, in, ft, lb, lbf, ") != NULL);
    CHECK(tn_measure_is_alike("1 kg", "5 g") && tn_measure_is_alike("1", "2"));
    CHECK(!tn_measure_is_alike("1 kg", "5 m") && !tn_measure_is_alike("1 kg", "5"));
    refused("5 N/m s", NULL,
            "'5 N/m s': behind '/' stands more than one unit; put all of them in parentheses, as "
            "in N/(m s)");
    refused("5 m/s/s", NULL,
            "'5 m/s/s': behind '/' stands more than one unit; put all of them in parentheses, as "
            "in N/(m s)");
    refused("5 N/(m s", NULL, "'5 N/(m s': a ')' is missing in the unit");
    refused("5 m)", NULL, "'5 m)': ')' does not belong to a unit");
    refused("5 m^x", NULL, "'5 m^x': an exponent is a whole number up to 9, as in m^2");
    refused("5 m^10", NULL, "'5 m^10': an exponent is a whole number up to 9, as in m^2");
    refused("5 m/", NULL, "'5 m/': a unit is missing at ''");
    refused("5 mm^2 2", NULL, "'5 mm^2 2': a unit is missing at '2'");
    refused("1e308 km", "m", "'1e308 km' must be finite");
    refused("1e999999999999999999999 km", "m", "'1e999999999999999999999 km' must be finite");
    CHECK(value("1e-999999999999999999999 km", "m") == 0.0);
    CHECK(value("1e-330 km^9", NULL) == 1e-303); // the powers of ten meet before it is rounded
}

static void long_texts_end(void)
{
    static char text[6000];
    memset(text, '1', 3000);
    strcpy(text + 3000, " mm");
    double x;
    CHECK(tn_measure_read(text, "m", &x) == TN_ERR_MODEL);
    strcpy(text, "5 ");
    memset(text + 2, 'm', 3000);
    text[3002] = '\0';
    CHECK(tn_measure_read(text, "m", &x) == TN_ERR_MODEL);
}

// In model files --------------------------------------------------------------------------------

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "m.yaml", &model, NULL));
    return model;
}

static void everywhere_in_a_file(void)
{
    tn_simulate simulate;
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(
        "tenon: 1\n"
        "gravity: [0, 0, -981 cm/s^2]\n"
        "parameters: {L: 250 mm, twice: 2*L, k: 3 kN/m}\n"
        "inputs: {push: 2 kN}\n"
        "bodies:\n"
        "  a: {mass: 200 g, com: [10 mm, 0, 5 cm], inertia: [4 kg cm^2, 4 kg cm^2, 0.0004],\n"
        "      initial: {rate: [0, 0, 60 rpm], orientation: {axis: [0, 0, 1], angle: 90 deg}}}\n"
        "  b: {mass: \"2 kg\", inertia: [1, 1, 1]}\n"
        "joints:\n"
        "  pin: {kind: revolute, body: a, at: [twice, 1 m, 0], axis: [0, 0, 1],\n"
        "        initial: {position: 30 deg, rate: 20 rpm}}\n"
        "  rail: {kind: cylindrical, body: b, initial: {position: [0.25 rev, 5 mm],\n"
        "         rate: [10 rpm, 36 km/h]}}\n"
        "  turn: {kind: drive, joint: rail, coordinate: displacement, motion: {table: [[0 s, 0 "
        "mm], [500 "
        "ms, 20 mm]]}}\n"
        "forces:\n"
        "  s: {kind: spring, bodies: [a, b], stiffness: 3 kN/m, damping: 0.2 N s/mm}\n"
        "  twist: {kind: joint-spring, joint: pin, stiffness: 2 N m/deg}\n"
        "  push: {kind: joint-spring, joint: rail, coordinate: displacement,\n"
        "         table: [[0 mm, 0 N], [10 mm, 5 kN]]}\n"
        "  motor: {kind: motor, joint: pin, effort: 5 N m}\n"
        "events: {there: {joint: pin, value: 45 deg}}\n"
        "simulate: {t_end: 1 min, step: 2 ms}\n",
        "m.yaml", &model, &simulate));
    const tn_body_data *body = &model->bodies.at[tn_model_find_body(model, "a").index];
    const tn_body_kept *a = &body->def;
    const tn_joint_def *pin = model->joints.at[tn_model_find_joint(model, "pin").index].def;
    const tn_joint_def *rail = model->joints.at[tn_model_find_joint(model, "rail").index].def;
    const tn_force_def *s = &model->forces.at[tn_model_find_force(model, "s").index].def;
    const tn_force_def *twist = &model->forces.at[tn_model_find_force(model, "twist").index].def;
    CHECK(a->mass == 0.2 && a->com.x == 0.01 && a->com.y == 0.0 && a->com.z == 0.05);
    CHECK(body->inertia.m[0][0] == 0.0004 && body->inertia.m[2][2] == 0.0004);
    CHECK(a->rate.z == 60.0 * (PI / 30.0));
    CHECK_NEAR(a->frame.R.m[1][0], 1.0, 1e-15);
    CHECK(model->bodies.at[tn_model_find_body(model, "b").index].def.mass == 2.0);
    CHECK(pin->position[0] == 30.0 * (PI / 180.0) && pin->rate[0] == 20.0 * (PI / 30.0));
    CHECK(pin->frame_a.p.x == 0.5 && pin->frame_a.p.y == 1.0);
    CHECK(rail->position[0] == 0.5 * PI && rail->position[1] == 0.005);
    CHECK_NEAR(rail->rate[1], 10.0, 4e-15);
    CHECK(s->spring.stiffness == 3000.0);
    CHECK_NEAR(s->spring.damping, 200.0, 0.0);
    CHECK_NEAR(twist->spring.stiffness, 360.0 / PI, 1e-13);
    CHECK(simulate.t_end == 60.0 && simulate.options.step == 0.002);
    tn_model_destroy(model);
}

static void file_refuses(const char *text, const char *sentence)
{
    tn_model *model = NULL;
    CHECK(tn_model_parse(text, "m.yaml", &model, NULL) == TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), sentence);
}

#define BODY "tenon: 1\nbodies:\n  a: {inertia: [1, 1, 1], mass: "
#define JOINT                                                                                  \
    "tenon: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\njoints:\n  pin: {kind: revolute, " \
    "body: a}\n"

static void wrong_units_in_a_file(void)
{
    file_refuses(BODY "5 mm}\n",
                 "m.yaml:3:33: body 'a': mass: '5 mm' is in mm, which is no multiple of kg; write "
                 "it in kg, g or t, or '5' alone for kg");
    file_refuses(BODY "1, com: [0, 2 kg, 0]}\n",
                 "m.yaml:3:45: body 'a': com: item 2: '2 kg' is in kg, which is no multiple of m; "
                 "write it in m, mm, cm or km, or '2' alone for m");
    // The joint decides between N/m and N m/rad.
    file_refuses(JOINT "forces:\n  f: {kind: joint-spring, joint: pin, stiffness: 5 kN/m}\n",
                 "m.yaml:7:50: force 'f': stiffness: '5 kN/m' is in kN/m, which is no multiple of "
                 "N m/rad; write it in N m/rad or N m/deg, or '5' alone for N m/rad");
    file_refuses(JOINT "  d: {kind: drive, joint: pin, motion: 5 mm}\n",
                 "m.yaml:6:40: joint 'd': motion: '5 mm' is in mm, which is no multiple of rad; "
                 "write it in rad, deg or rev, or '5' alone for rad");
    file_refuses(JOINT "events: {e: {joint: pin, value: 5 mm}}\n",
                 "m.yaml:6:33: event 'e': value: '5 mm' is in mm, which is no multiple of rad; "
                 "write it in rad, deg or rev, or '5' alone for rad");
    file_refuses(BODY "1, initial: {orientation: {axis: [1 m, 0, 0], angle: 1}}}\n",
                 "m.yaml:3:67: body 'a': initial: orientation: axis: item 1: '1 m' has the unit m, "
                 "but this number has none; write a plain number");
    file_refuses("tenon: 1\nparameters: {L: 5 mmm}\n",
                 "m.yaml:2:17: parameter 'L': '5 mmm': unknown unit 'mmm'; did you mean 'mm'? (a "
                 "product needs '*')");
}

// Units are no names: a parameter m does not change what 2 m is.
static void parameters_and_units_do_not_meet(void)
{
    tn_model *model = parse("tenon: 1\nparameters: {m: 3}\nbodies:\n"
                            "  a: {mass: 2*m, com: [2 m, 0, 0], inertia: [1, 1, 1]}\n");
    CHECK(model->bodies.at[1].def.mass == 6.0 && model->bodies.at[1].def.com.x == 2.0);
    tn_model_destroy(model);
}

static void parameters_from_outside(void)
{
    const tn_parameter_value good = {.name = "k", .expression = "5kN/m"};
    const tn_parameter_value bad = {.name = "k", .expression = "5 kX/m"};
    FILE *file = fopen("set.yaml", "w");
    tn_model *model = NULL;
    CHECK(file != NULL);
    fputs("tenon: 1\nparameters: {k: 1}\n", file);
    fclose(file);
    CHECK_OK(tn_model_load_with("set.yaml", 1, &good, &model, NULL));
    CHECK(model->parameters.at[0].value == 5000.0);
    tn_model_destroy(model);
    CHECK(tn_model_load_with("set.yaml", 1, &bad, &model, NULL) == TN_ERR_USAGE);
    CHECK(strstr(tn_last_error(), "unknown unit 'kX'") != NULL);
}

static const tn_test tests[] = {
    {"decimal units round once", decimal_units_round_once},
    {"other units", other_units},
    {"ways to write", ways_to_write},
    {"what is no number with a unit", what_is_none},
    {"what is refused", what_is_refused},
    {"long texts", long_texts_end},
    {"everywhere in a file", everywhere_in_a_file},
    {"wrong units in a file", wrong_units_in_a_file},
    {"parameters and units do not meet", parameters_and_units_do_not_meet},
    {"parameters from outside", parameters_from_outside},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
