// SPDX-License-Identifier: MIT
//
// Creep of wheels on rails: laws against their formulas written once more, a wheelset that creeps
// until it rolls, the contact ellipse, and refusals.

#include "force/hertz.h"
#include "tenon/tenon.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

// Rails with heads of 0.3 m, cones of 0.05 rad, a gauge of 1.5 m.
static const char *const wheelset =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {V: 10, a: 0.75, cone: 0.05, r: 0.45, head: 0.3}\n"
    "bodies:\n"
    "  set: {mass: 1200, inertia: [700, 100, 700],\n"
    "        initial: {position: [0, %.17g, 0], orientation: {angles: [0, 0, %.17g]},\n"
    "                  velocity: [V, 0, 0], rate: [0, %.17g, 0]}}\n"
    "joints:\n"
    "  left: {kind: wheel-rail, body: set, frame_a: {at: [0, a, 0]}, frame_b: {at: [0, a, 0]},\n"
    "         rail_y: s, rail_z: 'sqrt(head^2 - (s - head*sin(cone))^2) - r - head*cos(cone)',\n"
    "         rail_from: -0.1, rail_to: 0.1,\n"
    "         wheel_y: s, wheel_r: r - tan(cone)*s, wheel_from: -0.1, wheel_to: 0.1}\n"
    "  right: {kind: wheel-rail, body: set, frame_a: {at: [0, -a, 0]}, frame_b: {at: [0, -a, 0]},\n"
    "          rail_y: s, rail_z: 'sqrt(head^2 - (s + head*sin(cone))^2) - r - head*cos(cone)',\n"
    "          rail_from: -0.1, rail_to: 0.1,\n"
    "          wheel_y: s, wheel_r: r + tan(cone)*s, wheel_from: -0.1, wheel_to: 0.1}\n"
    "signals: {ux: creep_left.slip.x, uy: creep_left.slip.y, uz: creep_left.slip.z}\n"
    "forces:\n"
    "  creep_left: {kind: creep, joint: left, %s}\n"
    "  creep_right: {kind: creep, joint: right, %s}\n";

static const double MU = 0.3, SPEED = 10.0, SHEAR = 8.2e10, C11 = 4.2, C22 = 3.7, C23 = 1.5,
                    C33 = 0.6, A = 6e-3, B = 4e-3;
#define NUMBERS "friction: 0.3, speed: 10, shear_modulus: 8.2e10, C11: 4.2, C22: 3.7, C23: 1.5"
#define ELLIPSE ", semi_axis_x: 6e-3, semi_axis_y: 4e-3"

typedef struct start {
    double beside, yaw, rate; // [m], [rad], of the axle [rad/s]
} start;

enum { TEXT = 4000 };

static void write_text(start from, const char *law, char out[TEXT])
{
    const int n = snprintf(out, TEXT, wheelset, from.beside, from.yaw, from.rate, law, law);
    CHECK(n > 0 && n < TEXT);
}

static tn_sim *open_wheelset(start from, const char *law)
{
    char text[TEXT];
    write_text(from, law, text);
    return tn_test_open_text(text, "dop853/index1+project", 0.0, 1e-10);
}

// Creepages and the normal force of the left wheel.
typedef struct seen {
    double x, y, p, N;
} seen;

static seen look(tn_sim *sim)
{
    return (seen){tn_test_value(sim, "ux") / SPEED, tn_test_value(sim, "uy") / SPEED,
                  tn_test_value(sim, "uz") / SPEED, -tn_test_value(sim, "left.lambda.gap")};
}

// Forces along and across, and the moment, as [Kal67; VJ64; SHE83] write them.
static void kalker(seen at, double F[3])
{
    const double f11 = SHEAR * A * B * C11, f22 = SHEAR * A * B * C22;
    const double f23 = SHEAR * pow(A * B, 1.5) * C23, f33 = SHEAR * pow(A * B, 2.0) * C33;
    F[0] = -f11 * at.x;
    F[1] = -f22 * at.y - f23 * at.p;
    F[2] = f23 * at.y - f33 * at.p;
    const double most = MU * at.N, size = hypot(F[0], F[1]), t = size / most;
    const double allowed = t <= 3.0 ? most * (t - t * t / 3.0 + t * t * t / 27.0) : most;
    for (int k = 0; k < 3; k++)
        F[k] *= allowed / size;
}

// As [Pol99] writes them, with K_M and delta.
static void polach(seen at, double F[3])
{
    const double yC = fabs(at.y + at.p * A) > fabs(at.y) ? at.y + at.p * A : at.y;
    const double sC = hypot(at.x, yC), s = hypot(at.x, at.y), Qf = at.N * MU;
    const double cj = hypot(C11 * at.x / s, C22 * at.y / s);
    const double e = 0.25 * SHEAR * PI * A * B * cj * sC / Qf;
    const double force = -2.0 * Qf / PI * (e / (1.0 + e * e) + atan(e));
    const double wide = 1.0 + 6.3 * (1.0 - exp(-A / B));
    const double eS = 8.0 / 3.0 * SHEAR * B * sqrt(A * B) / Qf * C23 * yC / wide;
    const double d = (eS * eS - 1.0) / (eS * eS + 1.0);
    const double KM =
        fabs(eS) * (d * d * d / 3.0 - d * d / 2.0 + 1.0 / 6.0) - sqrt(pow(1.0 - d * d, 3.0)) / 3.0;
    F[0] = force * at.x / sC;
    F[1] = force * at.y / sC + 9.0 / 16.0 * A * Qf * KM * wide * at.p / sC;
    F[2] = 0.0;
}

// Starts with little and much slip along, across and by spin of the cone.
static void check_law(const char *law, void (*formula)(seen, double[3]))
{
    static const start starts[] = {{0.0, 0.0, 22.23},
                                   {0.005, 0.01, 22.2},
                                   {-0.01, -0.02, 22.5},
                                   {0.01, 0.002, 24.0},
                                   {-0.004, 2e-4, 22.22}};
    // Roots are smooth below creepages of 1e-9, beside which those here are 1e-4 or more.
    const double SMOOTH = 1e-9;
    for (int k = 0; k < TN_COUNT(starts); k++) {
        tn_sim *sim = open_wheelset(starts[k], law);
        const seen at = look(sim);
        tn_force_state force;
        double F[3];
        formula(at, F);
        CHECK_OK(tn_sim_force(sim, (tn_force){0}, &force));
        CHECK(at.N > 1000.0 && hypot(F[0], F[1]) <= MU * at.N * (1.0 + SMOOTH));
        CHECK_NEAR(force.on_b.f.x, F[0], SMOOTH * MU * at.N);
        const double across = hypot(force.on_b.f.y, force.on_b.f.z);
        CHECK_NEAR(across, fabs(F[1]), SMOOTH * MU * at.N);
        CHECK_NEAR(force.dissipated, -SPEED * (F[0] * at.x + F[1] * at.y + F[2] * at.p),
                   SMOOTH * SPEED * MU * at.N);
        tn_sim_destroy(sim);
    }
}

static void kalkers_law_is_as_published(void)
{
    check_law("law: kalker, C33: 0.6, " NUMBERS ELLIPSE, kalker);
}

static void polachs_law_is_as_published(void)
{
    check_law("law: polach, " NUMBERS ELLIPSE, polach);
}

// Momentum and spin change by the same forces: m (v - V) r + I (w - w0) = 0 until v = w r. With C33
// the cones would brake the wheels by the moment of their spin.
static void wheelset_creeps_until_it_rolls(void)
{
    const char *const laws[] = {
        ("law: kalker, " NUMBERS ELLIPSE), ("law: polach, " NUMBERS ELLIPSE),
        ("law: kalker, poisson: 0.28, curvature_x: 2.2, curvature_y: 3.3, " NUMBERS)};
    const double m = 1200.0, I = 100.0, r = 0.45, V = 10.0, w0 = 23.0;
    const double w = (m * V * r + I * w0) / (m * r * r + I);
    for (int k = 0; k < TN_COUNT(laws); k++) {
        tn_sim *sim = open_wheelset((start){.rate = w0}, laws[k]);
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        // By then what is left of the slip has fallen by exp(-20) and more; the tolerance is 1e-10.
        CHECK_NEAR(tn_test_value(sim, "set.angular_velocity.y"), w, 1e-7);
        CHECK_NEAR(tn_test_value(sim, "set.velocity.x"), w * r, 1e-7);
        CHECK_NEAR(tn_test_value(sim, "set.position.y"), 0.0, 1e-9);
        tn_sim_destroy(sim);
    }
}

// The test set of the wheelset states g = 0.7115218 and E = 1.3537956 for curvatures 1/0.06 and
// cos(0.0262)/0.1 1/m, by tables, to five digits; c^3 = 3 N (1 - nu) E / (2 pi (A + B) G sqrt(g)).
static void ellipse_is_that_of_hertz(void)
{
    const double kx = cos(0.0262) / 0.1, ky = 1.0 / 0.06, G = 7.92e10, nu = 0.28;
    const tn_hertz h = tn_hertz_ellipse(kx, ky, G, nu);
    const double c3 = 3.0 * (1.0 - nu) * 1.3537956 / (PI * (kx + ky) * G * sqrt(0.7115218));
    CHECK_NEAR(h.b / h.a, 0.7115218, 3e-5);
    CHECK_NEAR(pow(h.a * h.b, 1.5) / c3, 1.0, 3e-5);
    // Two spheres: a^3 = 3 N (1 - nu) R / (8 G) ... of relative curvature k: a^3 = 3 N / (4 E* k).
    const tn_hertz round = tn_hertz_ellipse(ky, ky, G, nu);
    CHECK_NEAR(round.a, cbrt(0.75 * (1.0 - nu) / (G * ky)), 1e-12 * round.a);
    CHECK_NEAR(round.b, round.a, 1e-12 * round.a);
}

static void check_refused(start from, const char *law, const char *words)
{
    char text[TEXT];
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    const tn_sim_options options = tn_default_sim();
    write_text(from, law, text);
    tn_status status = tn_model_parse(text, "wheelset", &model, NULL);
    TN_THEN(status, tn_sim_create(model, &options, &sim));
    CHECK(status < 0);
    CHECK(tn_test_says(words));
    tn_model_destroy(model);
}

// Expressions of a law contain the names of force and joint, as they are or not at all.
static void long_names_are_whole_or_refused(void)
{
    for (int n = 240; n <= 241; n++) {
        char text[TEXT], longer[2 * TEXT], name[242];
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        const tn_sim_options options = tn_default_sim();
        memset(name, 'a', sizeof name);
        name[n] = '\0';
        write_text((start){.rate = 22.0}, "law: kalker, " NUMBERS ELLIPSE, text);
        const char *const at = strstr(text, "creep_right:");
        snprintf(longer, sizeof longer, "%.*s%s%s", (int)(at - text), text, name,
                 at + strlen("creep_right"));
        tn_status status = tn_model_parse(longer, "wheelset", &model, NULL);
        TN_THEN(status, tn_sim_create(model, &options, &sim));
        CHECK((status == TN_OK) == (n == 240));
        CHECK(status == TN_OK ||
              (tn_test_says("has 241 characters") && tn_test_says("at most 240: shorten it")));
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void mistakes_are_told(void)
{
    const start level = {.rate = 22.0};
    check_refused(level, "friction: 0.3", "it has numbers of a law of creep and no law");
    check_refused(level, "law: kalker, speed: 10",
                  "force 'creep_left': the law of creep needs friction, speed, shear_modulus");
    check_refused(level, "law: polach, " NUMBERS, "state the contact ellipse of the law of creep");
    check_refused(level, "law: polach, curvature_x: 1, curvature_y: 1, " NUMBERS ELLIPSE,
                  "state the contact ellipse once");
    check_refused((start){.beside = 0.25, .rate = 22.0}, "x: 0",
                  "joint 'left': the wheel of 'set' is not on the rail of 'ground' at the start: "
                  "across the rail it is from y = 0.15 m to 0.35 m, and the rail from -0.1 m to "
                  "0.1 m");
    check_refused(level, "x: right.contact.q", "right.contact.q");
}

static const tn_test tests[] = {
    {"Kalker's law is as published", kalkers_law_is_as_published},
    {"Polach's law is as published", polachs_law_is_as_published},
    {"a wheelset creeps until it rolls", wheelset_creeps_until_it_rolls},
    {"the contact ellipse is that of Hertz", ellipse_is_that_of_hertz},
    {"mistakes are told", mistakes_are_told},
    {"long names are whole or refused", long_names_are_whole_or_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
