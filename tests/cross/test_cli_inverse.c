// SPDX-License-Identifier: MIT
//
// tenon inverse: motions of the model, of a table and of an earlier run, what it prints and writes,
// and its messages.

#include "base/tolerance.h"
#include "cli_driver.h"

#define ARM "models/arm.yaml"
#define FOUR_BAR "models/fourbar.yaml --motion models/fourbar_turn.csv"

// Values of a column of the JSON, as many as there are rows.
static int column(const tn_document *doc, const char *name, double *values, int most)
{
    const tn_node *columns = json_at(doc, "columns");
    CHECK(columns != NULL);
    for (int i = 0; i < columns->count; i++) {
        const tn_node *c = columns->children[i], *list = tn_node_get(c, "values");
        if (strcmp(tn_node_get(c, "name")->text, name) != 0)
            continue;
        CHECK(list->count <= most);
        CHECK_OK(tn_node_numbers(doc, list, name, list->count, values));
        return list->count;
    }
    return 0;
}

static double motor_number(const tn_document *doc, int motor, const char *key)
{
    const tn_node *node = tn_node_get(json_at(doc, "motors")->children[motor], key);
    double value = NAN;
    CHECK_OK(tn_node_number(doc, node, key, &value));
    return value;
}

static void drives_of_a_model_are_its_motors(void)
{
    double effort[64], power[64], time[64], rate[64];
    CHECK(tenon("inverse " ARM " --output 0.05 --json") == 0);
    CHECK_TEXT(cli.err, "");
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "done");
    CHECK_NEAR(json_number(doc, "freedoms"), 2.0, 0.0);
    CHECK_TEXT(json_text(doc, "least_norm"), "false");
    const int n = column(doc, "time", time, 64);
    CHECK(n == 41 && column(doc, "lift.effort", effort, 64) == n);
    CHECK(column(doc, "lift.power", power, 64) == n);
    CHECK(column(doc, "shoulder.angle.rate", rate, 64) == n);
    // At the start the arm is stretched out at rest and begins to move: its weight and m a, from
    // the numbers of the file by hand.
    const double w = 3.14159265358979323846, a1 = 0.9 * w * w, a2 = -1.1 * w * w;
    const double m2 = 5.5, c2 = (2.5 * 0.2 + 3.0 * 0.4) / m2;
    const double I2 = 2.5 * 0.16 / 12.0 + 2.5 * 3.0 / 5.5 * 0.04;
    const double M22 = I2 + m2 * c2 * c2, cross = m2 * 0.5 * c2;
    const double M11 = 4.0 * 0.25 / 3.0 + m2 * 0.25 + M22 + 2.0 * cross;
    const double weight = 9.81 * (4.0 * 0.25 + m2 * 0.5 + m2 * c2);
    CHECK_NEAR(effort[0], M11 * a1 + (M22 + cross) * a2 + weight, 1e-10);
    double most = 0.0, squares = 0.0;
    for (int k = 0; k < n; k++) {
        CHECK_NEAR(time[k], 0.05 * k, 1e-15);
        CHECK_NEAR(power[k], effort[k] * rate[k], 1e-10);
        most = fabs(effort[k]) > fabs(most) ? effort[k] : most;
        squares += effort[k] * effort[k] * (k == 0 || k == n - 1 ? 0.5 : 1.0);
    }
    CHECK_NEAR(motor_number(doc, 0, "max_effort"), most, 0.0);
    // By trapezia, to the square of the time between rows.
    CHECK_NEAR(motor_number(doc, 0, "rms_effort"), sqrt(squares / (n - 1)), 1e-4 * most);
    tn_document_destroy(doc);
}

static void the_summary_is_a_table_by_motor(void)
{
    CHECK(tenon("inverse " ARM) == 0);
    CHECK(strncmp(cli.out, ARM ": 2 freedoms, 2 motors, 0 to 2 s in 201 rows\n", 60) == 0);
    CHECK(strstr(cli.out, "\nlift   N m ") != NULL && strstr(cli.out, "\nbend   N m ") != NULL);
    CHECK(strstr(cli.out, "least norm") == NULL);
    CHECK(tenon("inverse " FOUR_BAR " --motors A,D") == 0);
    CHECK(strstr(cli.out,
                 "There are more motors than freedoms: efforts are those of least norm.") != NULL);
}

// What the motor does is what the arm gains, however few rows there are.
static void work_does_not_depend_on_the_rows(void)
{
    static const char *const outputs[] = {"0.01", "0.3", "1", "2"};
    write_text("swing.yaml",
               "tenon: 1\ngravity: [0, 0, -9.81]\n"
               "bodies:\n  r: {mass: 2, inertia: [0.01, 0.3, 0.3], initial: {position: [0.5, 0, "
               "0]}}\n"
               "joints:\n  A: {kind: revolute, body: r, at: [0, 0, 0], axis: [0, -1, 0]}\n"
               "  d: {kind: drive, joint: A, motion: sin(10*t)}\n"
               "simulate: {t_end: 2}\n");
    const double rate = 10.0 * cos(20.0), height = 0.5 * sin(sin(20.0));
    const double gained = 0.5 * 0.8 * (rate * rate - 100.0) + 2.0 * 9.81 * height;
    for (int k = 0; k < TN_COUNT(outputs); k++) {
        char command[128];
        snprintf(command, sizeof command, "inverse swing.yaml --json --output %s", outputs[k]);
        CHECK(tenon("%s", command) == 0);
        tn_document *doc = json_of(cli.out);
        CHECK_NEAR(motor_number(doc, 0, "work"), gained, 1e-6);
        tn_document_destroy(doc);
    }
}

static void a_table_of_motions_is_followed_and_written(void)
{
    static char text[CLI_TEXT_SIZE];
    CHECK(tenon("inverse " FOUR_BAR " --reactions --output 0.5 --force -o turn.csv") == 0);
    CHECK(strstr(cli.out, "\nWrote turn.csv.\n") != NULL);
    read_text("turn.csv", text);
    CHECK(strncmp(text, "time [s],A.angle [rad],A.angle.rate [rad/s],", 44) == 0);
    CHECK(strstr(text, ",A.angle.effort [N m],A.angle.power [W],A.force.x [N],") != NULL);
    int lines = 0;
    double last = 0.0, angle = 0.0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
        if (lines > 0)
            CHECK(sscanf(line, "%lf,%lf", &last, &angle) == 2);
    CHECK(lines == 6);
    CHECK_NEAR(last, 2.0, 0.0);
    CHECK_NEAR(angle, 6.28318530718, 1e-9); // a full turn, as the file has it
}

static void a_table_is_replaced_only_when_asked_for(void)
{
    write_text("kept.csv", "mine\n");
    refuses(1, "inverse " FOUR_BAR " --output 0.5 -o kept.csv",
            "tenon: kept.csv exists already; use --force to replace it or name another file\n");
    CHECK(symlink("kept.csv", "link.csv") == 0);
    refuses(2, "inverse " FOUR_BAR " --output 0.5 --force -o link.csv",
            "tenon: cannot write link.csv: it is a link, and only plain files are replaced\n");
    static char text[CLI_TEXT_SIZE];
    read_text("kept.csv", text);
    CHECK_TEXT(text, "mine\n");
    CHECK(tenon("inverse " FOUR_BAR " --output 0.5 --force -o kept.csv") == 0);
    read_text("kept.csv", text);
    CHECK(strncmp(text, "time [s],", 9) == 0);
    CHECK(remove("link.csv") == 0 && remove("kept.csv") == 0);
}

// The motion of the file is a polynomial with |u''''| <= 2 pi 360/16 = 141 rad/s^4, its lines are
// d = 0.05 s apart. A cubic spline is off by 5/384 d^4 |u''''| = 1.2e-5 rad, and its curvature by
// d^2 |u''''|/12 = 0.0295 rad/s^2 at the points, less between them. The ends, cubics through four
// points, are off by 11/12 d^2 |u''''| = 0.32 rad/s^2, of which 0.27 is left in each interval:
// after four of them, 20 rows, nothing that counts.
static void motions_between_the_lines_are_smooth(void)
{
    double angle[512], acceleration[512], time[512];
    CHECK(tenon("inverse " FOUR_BAR " --output 0.01 --json") == 0);
    tn_document *doc = json_of(cli.out);
    const int n = column(doc, "time", time, 512);
    CHECK(n == 201 && column(doc, "A.angle", angle, 512) == n);
    CHECK(column(doc, "A.angle.acceleration", acceleration, 512) == n);
    for (int k = 0; k < n; k++) {
        const double s = time[k] / 2.0, turn = 6.283185307179586;
        const bool end = k < 20 || k > n - 21;
        CHECK_NEAR(angle[k], turn * s * s * s * (10.0 - 15.0 * s + 6.0 * s * s), end ? 1e-4 : 2e-5);
        CHECK_NEAR(acceleration[k], turn / 4.0 * s * (60.0 - 180.0 * s + 120.0 * s * s),
                   end ? 0.33 : 0.03);
    }
    tn_document_destroy(doc);
}

// A run with a motor whose effort is known: found again from the motion alone.
static void the_motor_of_a_run_is_found_from_its_results(void)
{
    double effort[2048], time[2048];
    CHECK(tenon("run models/gear_train.yaml --output 0.002 --quiet --force --out gears") == 0);
    CHECK(
        tenon("inverse models/gear_train.yaml --from gears --motors motor --output 0.01 --json") ==
        0);
    tn_document *doc = json_of(cli.out);
    const int n = column(doc, "time", time, 2048);
    CHECK(n == 401 && column(doc, "motor.effort", effort, 2048) == n);
    CHECK(json_number(doc, "missed") < 1e-8); // four coordinates agree for one freedom
    for (int k = 0; k < n; k++) {
        const double s = fmin(time[k] / 0.5, 1.0);
        // A second-order method with steps of 1 ms; the effort has a corner at the start and at
        // 0.5 s.
        CHECK_NEAR(effort[k], 2.5 * s * s * (3.0 - 2.0 * s), 5e-3);
    }
    tn_document_destroy(doc);
}

static void motors_may_be_drives_joints_and_coordinates(void)
{
    double one[8], other[8];
    CHECK(
        tenon("inverse models/slider_crank.yaml --t-end 0.3 --output 0.1 --motors drive --json") ==
        0);
    tn_document *doc = json_of(cli.out);
    CHECK(column(doc, "A.angle.effort", one, 8) == 4);
    tn_document_destroy(doc);
    CHECK(
        tenon(
            "inverse models/slider_crank.yaml --t-end 0.3 --output 0.1 --motors A.angle --json") ==
        0);
    doc = json_of(cli.out);
    CHECK(column(doc, "A.angle.effort", other, 8) == 4);
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(one[k], other[k], 0.0);
    tn_document_destroy(doc);
}

// The spring in 'p' balances its joint, but for what the motion between rows is off by.
static void free_joints_of_a_run_need_no_motor(void)
{
    static const char two[] =
        "tenon: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1, 0]}}\n"
        "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [2, 0]}}\n"
        "joints:\n"
        "  p: {kind: revolute, body: a, at: [0, 0]}\n"
        "  'q, r': {kind: revolute, bodies: [a, b], at: [1.5, 0]}\n"
        "forces:\n"
        "  s: {kind: joint-spring, joint: p, stiffness: 30, damping: 1}\n"
        "  m: {kind: motor, joint: 'q, r', effort: 3*sin(5*t)}\n"
        "simulate: {t_end: 1}\n";
    double effort[2][300];
    tn_test_write("two.yaml", two, sizeof two - 1);
    CHECK(tenon("run two.yaml --out two --force") == 0);
    for (int k = 0; k < 2; k++) {
        CHECK(tenon("inverse two.yaml --from two --motors %s --json", k ? "\"'q, r'\"" : "m") == 0);
        tn_document *doc = json_of(cli.out);
        CHECK(column(doc, k ? "q, r.angle.effort" : "m.effort", effort[k], 300) == 201);
        tn_document_destroy(doc);
    }
    for (int i = 0; i < 201; i++)
        CHECK_NEAR(effort[0][i], 3.0 * sin(5.0 * 0.005 * i), 0.05);
}

static void mistakes_are_told(void)
{
    refuses(1, "inverse",
            "tenon: inverse: MODEL is missing; usage: tenon inverse MODEL [--motion "
            "FILE.csv | --from DIR] [--motors NAMES] [-o FILE.csv] ...\n");
    CHECK(tenon("inverse models/crane.yaml") == 2);
    CHECK(strstr(cli.err, "sampled 'servo': inverse dynamics does not follow states") != NULL);
    refuses(2, "inverse models/fourbar.yaml",
            "tenon: models/fourbar.yaml:59:3: the mechanism has 1 freedom, of which 0 are driven: "
            "joint 'B', angle, moves "
            "while all that is driven stands still; give it a drive, a pose-drive or a motion\n");
    refuses(1, "inverse " FOUR_BAR " --motors A,wheel",
            "tenon: --motors: there is no joint 'wheel'; known are A, B, C, D\n");
    refuses(1, "inverse " FOUR_BAR " --motors A.angel",
            "tenon: --motors: 'angel' is no coordinate of joint 'A'; take A.angle\n");
    refuses(1, "inverse " FOUR_BAR " --motors A,A.angle",
            "tenon: motors 'A.angle' and 'A.angle' act on the same coordinate; name one\n");
    refuses(1, "inverse " FOUR_BAR " --from run",
            "tenon: --motion and --from both state the motion; give one of them\n");
    refuses(
        1, "inverse " FOUR_BAR " --t-end 3",
        "tenon: models/fourbar_turn.csv tells the motion from 0 s to 2 s; --t-start and --t-end "
        "must lie between them\n");
    refuses(1, "inverse " ARM " --output 0", "tenon: --output is 0; it must be positive\n");
    refuses(1, "inverse " ARM " -o nowhere/arm.csv",
            "tenon: cannot write nowhere/arm.csv: No such file or directory\n");
    refuses(3, "inverse " ARM " --motors elbow",
            "tenon: models/arm.yaml:47:3: at t = 0 s no motor can give the force that the motion "
            "needs: joint 'shoulder', "
            "angle, moves while all motors stand still, and 73.3 N or N m are missing along it; "
            "put a motor there\n"); // the effort of the drive there, as in the first test
}

static void refuses_table(const char *table, const char *message)
{
    char expected[512];
    write_text("table.csv", table);
    snprintf(expected, sizeof expected, "tenon: table.csv%s\n", message);
    refuses(2, "inverse models/fourbar.yaml --motion table.csv", expected);
}

static void mistakes_in_a_table_have_a_line(void)
{
    refuses_table("", " is empty; the first line names the columns: time, then joints");
    refuses_table("x,A\n0,1\n", ":1: the first column must be 'time', found 'x'");
    refuses_table("time\n0\n", ":1: there is no column beside the time; name joints");
    refuses_table("time,AB\n0,1\n", ":1: there is no joint 'AB'; known are A, B, C, D");
    refuses_table("# crank\ntime,A\n0,1\n0,2\n", ":4: the time 0 s does not follow 0 s");
    refuses_table("time;A\n0;1\n1;a\n", ":3: column 2: expected a number, found 'a'");
    refuses_table("time,A\n0,inf\n", ":2: column 2: expected a number, found 'inf'");
    refuses_table("time,A,D\n0,0\n", ":2: 2 columns, but 3 names");
    refuses_table("time,A\n0,0\n", ": a motion needs two lines of numbers at least, found 1");
}

// The rows before a dead centre are kept. By hand: at D the angle between ground and rocker is
// 74.05 degrees at the start and 36.09 degrees where crank and coupler lie folded in line, a side
// of 0.8944 - 0.3 m: 0.6626 rad on.
static void a_motion_that_fails_keeps_its_rows(void)
{
    static char text[CLI_TEXT_SIZE];
    write_text("rocker.csv", "time,D\n0,0\n1,1\n2,2\n");
    CHECK(tenon("inverse models/fourbar.yaml --motion rocker.csv --output 0.1 -o rocker-out.csv") ==
          3);
    CHECK(strstr(cli.err, ": the motion cannot be followed beyond t = 0.6626") != NULL);
    CHECK(strstr(cli.err, "at this dead centre joint 'A', angle, moves") != NULL);
    read_text("rocker-out.csv", text);
    int lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    CHECK(lines == 8); // names, and 0 to 0.6 s
    CHECK(tenon("inverse models/fourbar.yaml --motion rocker.csv --json") == 3);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "error");
    tn_document_destroy(doc);
}

// A pendulum that swings freely needs no motor: what is left of its power is noise, whose work has
// no digits that could agree.
static void a_motion_without_effort_comes_to_an_end(void)
{
    write_text("swing.yaml",
               "tenon: 1\n"
               "gravity: [0, -9.81, 0]\n"
               "bodies:\n"
               "  rod: {kind: planar, mass: 1, inertia: 0.01, initial: {position: [0.5, 0, 0]}}\n"
               "joints:\n"
               "  pin: {kind: revolute, bodies: [ground, rod], at: [0, 0, 0]}\n");
    CHECK(tenon("run swing.yaml --method galpha --t-end 0.3 -o swung --force") == 0);
    CHECK(tenon("inverse swing.yaml --from swung --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK(fabs(motor_number(doc, 0, "work")) < 1e-3);
    // Six steps of the motion between two rows, not the hundred thousands that noise would take.
    CHECK(json_number(doc, "steps") < 20000.0);
    tn_document_destroy(doc);
    CHECK_TEXT(cli.err, "");
}

static void a_run_of_another_model_is_told(void)
{
    static const char model[] = "tenon: 1\n"
                                "bodies:\n"
                                "  rod: {kind: planar, mass: %d, inertia: 1}\n"
                                "joints:\n"
                                "  pin: {kind: revolute, bodies: rod, initial: {rate: 1}}\n";
    char text[512];
    for (int mass = 1; mass <= 2; mass++) {
        snprintf(text, sizeof text, model, mass);
        write_text(mass == 1 ? "light.yaml" : "heavy.yaml", text);
    }
    CHECK(tenon("run light.yaml --method galpha --t-end 0.1 -o turned --force") == 0);
    CHECK(tenon("inverse light.yaml --from turned") == 0);
    CHECK_TEXT(cli.err, "");
    CHECK(tenon("inverse heavy.yaml --from turned") == 0);
    CHECK_TEXT(cli.err, "tenon: note: turned is a run of light.yaml, whose text is not that of "
                        "heavy.yaml: its motion is followed all the same\n");
}

// No effort gives a jump of a velocity, and the work of an impulse is in no power.
static void an_impulse_is_refused(void)
{
    write_text("jumps.yaml",
               "tenon: 1\n"
               "bodies: {cart: {kind: planar, mass: 2, inertia: 1}}\n"
               "joints:\n"
               "  rail: {kind: prismatic, body: cart, at: [0, 0], axis: [1, 0]}\n"
               "  go: {kind: drive, joint: rail, impulse: true, motion: 't + abs(t - 0.7) - 0.7'}\n"
               "simulate: {t_end: 1}\n");
    CHECK(tenon("inverse jumps.yaml --output 0.1") == 3);
    CHECK(strstr(cli.err, "a driven velocity jumps at t = 0.7 s, which takes an impulse") != NULL);
    CHECK(tenon("inverse jumps.yaml --output 0.1 --t-end 0.65") == 0);
    remove("jumps.yaml");
}

// A wheel of 0.1 kg m^2 under 5 sin(30 t). Rows of 1/60 s have the effort to (w h)^4/1900 and,
// of the spline between eight points of each, (w h/8)^2/12 = 3e-4; of 0.12 s they miss it, and
// say so.
static void spacing_of_rows_is_judged(void)
{
    write_text("shaken.yaml", "tenon: 1\n"
                              "bodies: {wheel: {kind: planar, mass: 1, inertia: 0.1}}\n"
                              "joints: {pin: {kind: revolute, bodies: [ground, wheel]}}\n"
                              "forces: {motor: {kind: motor, joint: pin, effort: '5*sin(30*t)'}}\n"
                              "simulate: {method: dop853/index1, rtol: 1e-9, t_end: 10}\n");
    CHECK(tenon("run shaken.yaml -o shaken --quiet --force") == 0);
    CHECK(tenon("inverse shaken.yaml --from shaken --motors motor --json") == 0);
    tn_document *doc = json_of(cli.out);
    double time[256], effort[256];
    CHECK_TEXT(json_text(doc, "status"), "done");
    const int n = column(doc, "time", time, 256);
    CHECK(n == 201 && column(doc, "motor.effort", effort, 256) == n);
    for (int k = 0; k < n; k++)
        CHECK_NEAR(effort[k], 5.0 * sin(30.0 * time[k]), 5e-4 * 5.0);
    CHECK_NEAR(fabs(motor_number(doc, 0, "max_effort")), 5.0, 5e-4 * 5.0);
    CHECK_NEAR(motor_number(doc, 0, "rms_effort"), 5.0 * sqrt(0.5 - sin(600.0) / 1200.0), 1e-3);
    tn_document_destroy(doc);
    CHECK(tenon("inverse shaken.yaml --from shaken --motors motor --bounds 'spacing<1e-6'") == 5);
    CHECK(strstr(cli.err, "tenon: doubtful: the effort of motor is off by about"));
    CHECK(tenon("run shaken.yaml -o shaken --quiet --force --output 0.12") == 0);
    CHECK(tenon("inverse shaken.yaml --from shaken --motors motor --json") == 5);
    doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "doubtful");
    tn_document_destroy(doc);
    CHECK(tenon("inverse shaken.yaml --from shaken --bounds 'space<1'") == 1);
    CHECK(strstr(cli.err, "unknown quantity 'space'"));
}

// Rows of the table pass the jump of the effort, and rows of the run are closer than these.
static void jumps_between_rows_of_a_run_are_judged(void)
{
    write_text("turned.yaml",
               "tenon: 1\n"
               "bodies: {wheel: {kind: planar, mass: 1, inertia: 0.1}}\n"
               "joints: {pin: {kind: revolute, bodies: [ground, wheel]}}\n"
               "forces: {motor: {kind: motor, joint: pin, effort: 'if(t > 1.0037, 5, -5)'}}\n"
               "simulate: {method: dop853/index1, rtol: 1e-9, t_end: 2}\n");
    CHECK(tenon("run turned.yaml -o turned --quiet --force --output 0.0037") == 0);
    CHECK(tenon("inverse turned.yaml --from turned --motors motor") == 5);
    CHECK(strstr(cli.err, "tenon: doubtful: the effort of motor is off by about"));
}

// A pulse of a table, much shorter than the time between rows: 10 N at its top, and its area at a
// speed of 1 m/s is 0.01 J.
static void pulses_between_rows_are_seen(void)
{
    static const char text[] =
        "tenon: 1\nbodies: {q: {kind: planar, mass: 1, inertia: 1}}\njoints:\n"
        "  p: {kind: prismatic, body: q, axis: [1, 0]}\n"
        "  d: {kind: drive, joint: p, motion: t}\n"
        "forces: {f: {kind: motor, joint: p, effort: {table: [[0, 0], [0.4131, 0], [0.4141, 10], "
        "[0.4151, 0], [1, 0]], interpolation: linear}}}\nsimulate: {t_end: 1, output: 0.1}\n";
    tn_test_write("pulse.yaml", text, strlen(text));
    CHECK(tenon("inverse pulse.yaml --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_NEAR(motor_number(doc, 0, "max_effort"), -10.0, 1e-9);
    CHECK_NEAR(motor_number(doc, 0, "work"), -0.01, 1e-9);
    tn_document_destroy(doc);
}

// Both rules for the work find zero, as it is, of powers that they do not resolve.
static void swings_as_long_as_rows_are_resolved(void)
{
    static const char text[] =
        "tenon: 1\nbodies: {q: {kind: planar, mass: 1, inertia: 1}}\njoints:\n"
        "  p: {kind: prismatic, body: q, axis: [1, 0]}\n"
        "  d: {kind: drive, joint: p, motion: sin(200*pi*t)}\n"
        "simulate: {t_end: 1, output: 0.01}\n";
    const double rate = 200.0 * TN_PI;
    tn_test_write("swing.yaml", text, strlen(text));
    CHECK(tenon("inverse swing.yaml --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_NEAR(motor_number(doc, 0, "rms_effort"), rate * rate / sqrt(2.0), 1e-3);
    CHECK_NEAR(motor_number(doc, 0, "rms_power"), rate * rate * rate / sqrt(8.0), 1.0);
    tn_document_destroy(doc);
}

// A move of 1 m in d by 3 s^2 - 2 s^3: efforts jump at its ends, where rows may be, and the power
// m (6 - 12 s) 6 s (1 - s) / d^3 is largest at (3 - sqrt(3))/6, between rows and nodes.
static void largest_values_and_jumps_do_not_depend_on_the_rows(void)
{
    static const char text[] =
        "tenon: 1\nbodies: {q: {kind: planar, mass: 2, inertia: 1}}\njoints:\n"
        "  p: {kind: prismatic, body: q, axis: [1, 0]}\n"
        "  d: {kind: drive, joint: p, motion: 'step(t, 1, 0, 2, 1)'}\nsimulate: {t_end: 3}\n";
    static const char *const outputs[] = {"0.5", "0.45", "0.1", "0.01"};
    tn_test_write("move.yaml", text, strlen(text));
    for (int k = 0; k < TN_COUNT(outputs); k++) {
        CHECK(tenon("inverse move.yaml --json --output %s", outputs[k]) == 0);
        tn_document *doc = json_of(cli.out);
        CHECK_NEAR(motor_number(doc, 0, "rms_effort"), 4.0, 1e-6);
        CHECK_NEAR(motor_number(doc, 0, "max_effort"), 12.0, 1e-6);
        CHECK_NEAR(fabs(motor_number(doc, 0, "max_power")), 4.0 * sqrt(3.0), 1e-6);
        tn_document_destroy(doc);
    }
}

static const tn_test tests[] = {
    {"largest values and jumps do not depend on the rows",
     largest_values_and_jumps_do_not_depend_on_the_rows},
    {"the spacing of rows is judged", spacing_of_rows_is_judged},
    {"drives of a model are its motors", drives_of_a_model_are_its_motors},
    {"a motion without effort comes to an end", a_motion_without_effort_comes_to_an_end},
    {"a run of another model is told", a_run_of_another_model_is_told},
    {"the summary is a table by motor", the_summary_is_a_table_by_motor},
    {"work does not depend on the rows", work_does_not_depend_on_the_rows},
    {"a table is replaced only when asked for", a_table_is_replaced_only_when_asked_for},
    {"a table of motions is followed and written", a_table_of_motions_is_followed_and_written},
    {"motions between the lines are smooth", motions_between_the_lines_are_smooth},
    {"the motor of a run is found from its results", the_motor_of_a_run_is_found_from_its_results},
    {"jumps between rows of a run are judged", jumps_between_rows_of_a_run_are_judged},
    {"pulses between rows are seen", pulses_between_rows_are_seen},
    {"swings as long as rows are resolved", swings_as_long_as_rows_are_resolved},
    {"motors may be drives, joints and coordinates", motors_may_be_drives_joints_and_coordinates},
    {"an impulse is refused", an_impulse_is_refused},
    {"mistakes are told", mistakes_are_told},
    {"free joints of a run need no motor", free_joints_of_a_run_need_no_motor},
    {"mistakes in a table have a line", mistakes_in_a_table_have_a_line},
    {"a motion that fails keeps its rows", a_motion_that_fails_keeps_its_rows},
};

int main(int argc, char **argv)
{
    enter_scratch("inverse");
    if (symlink(tn_test_path("models"), "models") != 0)
        return 1;
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
