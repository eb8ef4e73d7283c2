// SPDX-License-Identifier: MIT
//
// Natural frequencies against closed forms: pendulums, beams by Timoshenko's theory, a hanging
// chain; dense and sparse methods against each other; and what is said where there are none.

#include "tenon/tenon.h"
#include "test.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const double GRAVITY = 9.81;

typedef struct found {
    tn_model *model;
    tn_modes *modes;
} found;

static tn_status find_by(const char *text, tn_modes_options options, found *f)
{
    *f = (found){0};
    CHECK_OK(tn_model_parse(text, "modes", &f->model, NULL));
    return tn_modes_create(f->model, &options, &f->modes);
}

static found find_with(const char *text, tn_modes_options options)
{
    found f;
    CHECK_OK(find_by(text, options, &f));
    return f;
}

static void forget(found *f)
{
    tn_modes_destroy(f->modes);
    tn_model_destroy(f->model);
}

static double omega(const found *f, int i)
{
    return 2.0 * PI * tn_mode_of(f->modes, i).undamped;
}

// x^H M x, of bodies with scalar inertia J.
static double modal_mass(const found *f, int i, const char *name, double m, double J)
{
    const tn_mode_motion x = tn_mode_motion_of(f->modes, i, tn_model_find_body(f->model, name));
    return m * (tn_v3_dot(x.move_re, x.move_re) + tn_v3_dot(x.move_im, x.move_im)) +
           J * (tn_v3_dot(x.turn_re, x.turn_re) + tn_v3_dot(x.turn_im, x.turn_im));
}

// Small mechanisms --------------------------------------------------------------------------------

static const char two_masses[] =
    "tenon: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [1, 1, 1]}\n"
    "  b: {mass: 3, inertia: [1, 1, 1], initial: {position: [1, 0, 0]}}\n"
    "joints:\n"
    "  ja: {kind: prismatic, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  jb: {kind: prismatic, bodies: [ground, b], at: [1, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  s: {kind: spring, bodies: [a, b], stiffness: 60, free: 1}\n";

static void two_free_masses_have_a_rigid_mode(void)
{
    for (int method = TN_MODES_AUTO; method <= TN_MODES_DENSE; method++) {
        tn_modes_options options = tn_default_modes();
        options.method = (tn_modes_method)method;
        found f = find_with(two_masses, options);
        CHECK(tn_modes_count(f.modes) == 2);
        CHECK(tn_modes_facts_of(f.modes).rigid == 1 && tn_modes_facts_of(f.modes).unstable == 0);
        CHECK(tn_mode_of(f.modes, 0).kind == TN_MODE_RIGID);
        CHECK(tn_mode_of(f.modes, 1).kind == TN_MODE_SWING);
        CHECK_NEAR(omega(&f, 1), sqrt(60.0 * (1.0 / 2.0 + 1.0 / 3.0)), 1e-11);
        // Shapes: m_a u_a + m_b u_b = 0, energy goes as 1/m, unit modal mass.
        const tn_mode_motion a = tn_mode_motion_of(f.modes, 1, tn_model_find_body(f.model, "a"));
        const tn_mode_motion b = tn_mode_motion_of(f.modes, 1, tn_model_find_body(f.model, "b"));
        CHECK_NEAR(2.0 * a.move_re.x + 3.0 * b.move_re.x, 0.0, 1e-12);
        CHECK_NEAR(2.0 * a.move_re.x * a.move_re.x + 3.0 * b.move_re.x * b.move_re.x, 1.0, 1e-12);
        CHECK_NEAR(tn_mode_share(f.modes, 1, tn_model_find_body(f.model, "a")), 0.6, 1e-12);
        CHECK_NEAR(tn_mode_share(f.modes, 1, tn_model_find_body(f.model, "b")), 0.4, 1e-12);
        forget(&f);
    }
}

// A lever of 1 um on a spring between its tip at a and a point at d from its pin, as it points to
// d: J w^2 = F a d / (d - a), F = k (d - a - free). T is a unit of time from hours to picoseconds.
static void time_scales_do_not_matter(void)
{
    static const char *const units[] = {"1e7", "1", "1e-6", "1e-7", "1e-9", "1e-12"};
    const double d = hypot(2.0, 0.5), a = 0.8, force = 15.0 * (d - a - 0.6);
    const double expected = sqrt(force * a * d / (d - a) / (0.1 + 0.3 * 0.3));
    for (int k = 0; k < TN_COUNT(units); k++) {
        char text[800];
        snprintf(text, sizeof text,
                 "tenon: 1\n"
                 "gravity: [0, 0, 0]\n"
                 "parameters: {l: 1e-6, m: 1e-15, T: %s}\n"
                 "bodies:\n"
                 "  a: {kind: planar, mass: m, inertia: 0.1*m*l^2, com: [0.3*l, 0],\n"
                 "      initial: {position: [0, 0], angle: 1}}\n"
                 "joints: {A: {kind: revolute, body: a, at: [0, 0]}}\n"
                 "forces:\n"
                 "  s: {kind: spring, bodies: [ground, a], frame_a: {at: [2*l, -0.5*l]},\n"
                 "      frame_b: {at: [0.8*l, 0]}, stiffness: 15*m/T^2, free: 0.6*l}\n",
                 units[k]);
        found f = find_with(text, tn_default_modes());
        CHECK(tn_modes_count(f.modes) == 1);
        CHECK_NEAR(omega(&f, 0) * atof(units[k]), expected, 1e-9 * expected);
        forget(&f);
    }
}

// A rod of 1 m and 3 kg that hangs from a pin, with a damper: J w'' + d w' + m g l/2 w = 0.
static void a_damped_pendulum_has_its_closed_form(void)
{
    static const char text[] = "tenon: 1\n"
                               "gravity: [0, -9.81, 0]\n"
                               "bodies:\n"
                               "  rod: {kind: planar, mass: 3, inertia: 0.25, initial: {position: "
                               "[0, -0.5], angle: -pi/2}}\n"
                               "joints:\n"
                               "  pin: {kind: revolute, bodies: [ground, rod], at: [0, 0]}\n"
                               "forces:\n"
                               "  d: {kind: joint-spring, joint: pin, stiffness: 0, damping: %g}\n";
    static const double dampings[] = {0.2, 20.0}; // swinging and creeping
    const double J = 1.0, k = 3.0 * GRAVITY * 0.5;
    for (int i = 0; i < TN_COUNT(dampings); i++) {
        char model[600];
        const double d = dampings[i], root = d * d / (4.0 * J * J) - k / J;
        snprintf(model, sizeof model, text, d);
        tn_modes_options options = tn_default_modes();
        found f = find_with(model, options);
        CHECK(tn_modes_facts_of(f.modes).damped);
        const tn_mode mode = tn_mode_of(f.modes, 0);
        if (root < 0.0) {
            CHECK(tn_modes_count(f.modes) == 1 && mode.kind == TN_MODE_SWING);
            CHECK_NEAR(mode.re, -0.5 * d / J, 1e-12);
            CHECK_NEAR(mode.im, sqrt(-root), 1e-12);
            CHECK_NEAR(mode.frequency, sqrt(-root) / (2.0 * PI), 1e-12);
            CHECK_NEAR(mode.damping, 0.5 * d / sqrt(k * J), 1e-12);
        } else {
            CHECK(mode.kind == TN_MODE_DECAY);
            CHECK_NEAR(mode.re, -0.5 * d / J + sqrt(root), 1e-12);
            CHECK_NEAR(mode.im, 0.0, 0.0);
        }
        CHECK_NEAR(modal_mass(&f, 0, "rod", 3.0, 0.25), 1.0, 1e-12);
        CHECK_TEXT(mode.name, "joint 'pin', angle");
        forget(&f);
        options.undamped = true;
        f = find_with(model, options);
        CHECK(!tn_modes_facts_of(f.modes).damped);
        CHECK_NEAR(omega(&f, 0), sqrt(k / J), 1e-12);
        forget(&f);
    }
}

static void an_unstable_motion_grows(void)
{
    static const char text[] = "tenon: 1\n"
                               "gravity: [0, -9.81, 0]\n"
                               "bodies:\n"
                               "  rod: {kind: planar, mass: 3, inertia: 0.25, initial: {position: "
                               "[0, 0.5], angle: pi/2}}\n"
                               "joints:\n"
                               "  pin: {kind: revolute, bodies: [ground, rod], at: [0, 0]}\n";
    tn_modes_options options = tn_default_modes();
    options.find.nearest = true;
    found f = find_with(text, options);
    const tn_mode mode = tn_mode_of(f.modes, 0);
    CHECK(mode.kind == TN_MODE_GROWTH && tn_modes_facts_of(f.modes).unstable == 1);
    CHECK_NEAR(mode.re, sqrt(3.0 * GRAVITY * 0.5), 1e-12);
    CHECK_NEAR(mode.damping, -1.0, 1e-12);
    forget(&f);
}

// A mass on two springs in a row with nothing but a massless body between them: k1 k2 / (k1 + k2).
static void motions_without_inertia_follow_statically(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  small: {mass: 1e-5, inertia: [1e-6, 1e-6, 1e-6], massless: true}\n"
        "  large: {mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
        "joints:\n"
        "  first: {kind: prismatic, bodies: [ground, small], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "  second: {kind: prismatic, bodies: [small, large], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "forces:\n"
        "  k1: {kind: joint-spring, joint: first, stiffness: 300, damping: 1}\n"
        "  k2: {kind: joint-spring, joint: second, stiffness: 200, damping: 1}\n";
    tn_modes_options options = tn_default_modes();
    options.undamped = true;
    found f = find_with(text, options);
    CHECK(tn_modes_count(f.modes) == 1);
    CHECK_NEAR(omega(&f, 0), sqrt(120.0 / 2.0), 1e-11);
    CHECK_NEAR(tn_mode_share(f.modes, 0, tn_model_find_body(f.model, "large")), 1.0, 1e-12);
    forget(&f);
}

// Beams -------------------------------------------------------------------------------------------

// Timoshenko's beam with ends clamped and free, and free and free [Hua61, eqs. 25 and 22]:
// b^2 = rho A L^4 w^2 / EI, r^2 = I / (A L^2), s^2 = EI / (k A G L^2).
typedef struct slender {
    double r2, s2;
    bool clamped;
} slender;

static double huang(const slender *x, double b)
{
    const double sum = x->r2 + x->s2, d = x->r2 - x->s2, root = sqrt(d * d + 4.0 / (b * b));
    const double alpha = sqrt(0.5 * (root - sum)), beta = sqrt(0.5 * (root + sum));
    const double q = sqrt(1.0 - b * b * x->r2 * x->s2);
    const double C = cosh(b * alpha) * cos(b * beta), S = sinh(b * alpha) * sin(b * beta);
    if (x->clamped)
        return 2.0 + (b * b * d * d + 2.0) * C - b * sum / q * S;
    return 2.0 - 2.0 * C + b / q * (b * b * x->r2 * d * d + 3.0 * x->r2 - x->s2) * S;
}

// The first roots, by steps and bisection.
static void huang_roots(const slender *x, int n, double *out)
{
    double b = 1.0;
    for (int i = 0; i < n; b += 0.1) {
        double low = b, high = b + 0.1;
        if (huang(x, low) * huang(x, high) > 0.0)
            continue;
        for (int k = 0; k < 60; k++) {
            const double middle = 0.5 * (low + high);
            *(huang(x, low) * huang(x, middle) > 0.0 ? &low : &high) = middle;
        }
        out[i++] = 0.5 * (low + high);
    }
}

static const double LENGTH = 2.0, MASS = 5.0, BENDS = 400.0, SHEARS = 3e4, INERTIA = 0.02;
enum { BENDING = 3 };

// Frequencies of bending by a mesh; the section is round, so that they come in pairs.
static void beam_frequencies(bool clamped, const char *inertia, int elements, double *out)
{
    char text[900];
    snprintf(text, sizeof text,
             "tenon: 1\n"
             "gravity: [0, 0, 0]\n"
             "bodies:\n"
             "  rod: {kind: beam, points: [[0, 0, 0], [%g, 0, 0]], elements: %d, x_axis: [0, 1, 0],"
             " inertia: %s,\n"
             "    section: {kind: stiffness, stiffness: [%g, %g, 1e6], rotational_stiffness: [%g, "
             "%g, 1e4], mass: %g, inertia_x: %g, inertia_y: %g}}\n"
             "%s",
             LENGTH, elements, inertia, SHEARS, SHEARS, BENDS, BENDS, MASS, INERTIA, INERTIA,
             clamped ? "joints: {clamp: {kind: fixed, bodies: [ground, rod.start]}}\n" : "");
    tn_modes_options options = tn_default_modes();
    options.count = 2 * BENDING + (clamped ? 0 : 6);
    options.method = elements > 20 ? TN_MODES_SPARSE : TN_MODES_AUTO;
    options.find.nearest = true; // both are faster
    found f = find_with(text, options);
    const int first = clamped ? 0 : 6;
    CHECK(tn_modes_facts_of(f.modes).rigid == first);
    for (int i = 0; i < BENDING; i++) {
        out[i] = omega(&f, first + 2 * i);
        CHECK_NEAR(omega(&f, first + 2 * i + 1) / out[i], 1.0, 1e-8);
    }
    forget(&f);
}

// Errors go with h^2 and h^4: three meshes leave h^6.
static void beams_have_the_frequencies_of_timoshenko(void)
{
    static const char *const inertias[] = {"lumped", "consistent"};
    for (int clamped = 0; clamped < 2; clamped++)
        for (int k = 0; k < 2; k++) {
            const slender x = {.r2 = INERTIA / MASS / (LENGTH * LENGTH),
                               .s2 = BENDS / (SHEARS * LENGTH * LENGTH),
                               .clamped = clamped};
            double b[BENDING], w[3][BENDING];
            huang_roots(&x, BENDING, b);
            for (int mesh = 0; mesh < 3; mesh++)
                beam_frequencies(clamped, inertias[k], 20 << mesh, w[mesh]);
            for (int i = 0; i < BENDING; i++) {
                const double exact = b[i] * sqrt(BENDS / MASS) / (LENGTH * LENGTH);
                const double one = (4.0 * w[1][i] - w[0][i]) / 3.0;
                const double two = (4.0 * w[2][i] - w[1][i]) / 3.0;
                const double best = (16.0 * two - one) / 15.0;
                CHECK_NEAR(best / exact, 1.0, 1e-6);
            }
        }
}

// Rotation ----------------------------------------------------------------------------------------

// The n-th mode, from 0 on, in which a body moves along an axis and hardly across it; s is no zero.
static int mode_along(const found *f, const char *body, int axis, int n)
{
    for (int i = 0; i < tn_modes_count(f->modes); i++) {
        const tn_mode_motion x = tn_mode_motion_of(f->modes, i, tn_model_find_body(f->model, body));
        const double move[3] = {hypot(x.move_re.x, x.move_im.x), hypot(x.move_re.y, x.move_im.y),
                                hypot(x.move_re.z, x.move_im.z)};
        const int other = (axis + 1) % 3, third = (axis + 2) % 3;
        if (tn_mode_of(f->modes, i).kind == TN_MODE_SWING &&
            move[axis] > 10.0 * fmax(move[other], move[third]) && n-- == 0)
            return i;
    }
    CHECK(n < 0); // there is such a mode
    return -1;
}

// A rod of length b on a hinge with offset e from the axis: flap W^2 (1 + 3e / (2b)), lag
// W^2 3e / (2b) beside a hub of large inertia.
static void a_rigid_blade_flaps_and_lags_by_its_offset(void)
{
    static const double speeds[] = {0.5, 7.0, 40.0};
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  hub: {mass: 1, inertia: [1e10, 1e10, 1e10]}\n"
        "  blade: {mass: 6, inertia: [0, 2, 2], initial: {position: [1.3, 0, 0]}}\n"
        "joints:\n"
        "  shaft: {kind: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  hinge: {kind: revolute, bodies: [hub, blade], at: [0.3, 0, 0], axis: [%s]}\n";
    const double ratio = 1.5 * 0.3 / 2.0;
    for (int lag = 0; lag < 2; lag++)
        for (int k = 0; k < TN_COUNT(speeds); k++) {
            char model[700];
            tn_modes_options options = tn_default_modes();
            snprintf(model, sizeof model, text, lag ? "0, 0, 1" : "0, 1, 0");
            options.find.spin = speeds[k];
            found f = find_with(model, options);
            CHECK(tn_modes_facts_of(f.modes).rigid == 1 && tn_modes_count(f.modes) == 2);
            CHECK_NEAR(tn_modes_facts_of(f.modes).speed, speeds[k], 1e-12 * speeds[k]);
            CHECK_NEAR(omega(&f, 1) / speeds[k], sqrt(lag ? ratio : 1.0 + ratio), 1e-8);
            forget(&f);
        }
}

// Flapping of a slender blade that is clamped in the axis, EI = rho A = L = 1 [WSTW82]:
//   d^4 w / dx^4 - d/dx (eta^2 (1 - x^2) / 2 dw/dx) = mu^2 w
// as a power series of x: second and third derivative at the tip, of the solution that begins with
// x^first.
static void blade_series(double eta, double mu, int first, double out[2])
{
    enum { TERMS = 90 };
    double a[TERMS + 4] = {0};
    a[first] = 1.0;
    out[0] = out[1] = 0.0;
    for (int k = 0; k < TERMS; k++) {
        const double tension = (k + 2.0) * (k + 1.0) * a[k + 2] - k * (k + 1.0) * a[k];
        a[k + 4] = (0.5 * eta * eta * tension + mu * mu * a[k]) /
                   ((k + 4.0) * (k + 3.0) * (k + 2.0) * (k + 1.0));
        out[0] += k * (k - 1.0) * a[k];
        out[1] += k * (k - 1.0) * (k - 2.0) * a[k];
    }
}

static double blade_determinant(double eta, double mu)
{
    double p[2], q[2];
    blade_series(eta, mu, 2, p);
    blade_series(eta, mu, 3, q);
    return p[0] * q[1] - p[1] * q[0];
}

static double blade_root(double eta, double from)
{
    double low = from, high = from + 0.02;
    while (blade_determinant(eta, low) * blade_determinant(eta, high) > 0.0) {
        low = high;
        high += 0.02;
    }
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        const bool below = blade_determinant(eta, low) * blade_determinant(eta, middle) > 0.0;
        *(below ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static const char blade_text[] =
    "tenon: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  hub: {mass: 1, inertia: [%g, %g, %g]}\n"
    "  rod: {kind: beam, points: [[0, 0, 0], [1, 0, 0]], elements: %d, x_axis: [0, 1, 0],\n"
    "    section: {kind: stiffness, stiffness: [%g, %g, 1e6], rotational_stiffness: [1, 1, 1], "
    "mass: 1, inertia_x: 1e-7, inertia_y: 1e-7}}\n"
    "joints:\n"
    "  shaft: {kind: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  clamp: {kind: fixed, bodies: [hub, rod.start]}\n";

// The section is slender but not without shear and stretch: 1e-5 of the frequency.
static void a_rotating_blade_stiffens_as_published(void)
{
    static const double published[][3] = {{2.0, 4.1373, 22.6149}, {6.0, 7.3604, 26.8091}};
    for (int k = 0; k < TN_COUNT(published); k++) {
        const double eta = published[k][0];
        double flap[2][2], lag[2];
        for (int mesh = 0; mesh < 2; mesh++) {
            char model[900];
            tn_modes_options options = tn_default_modes();
            snprintf(model, sizeof model, blade_text, 1e7, 1e7, 1e7, 12 << mesh, 1e7, 1e7);
            options.find.spin = eta;
            options.count = 12;
            found f = find_with(model, options);
            for (int i = 0; i < 2; i++)
                flap[mesh][i] = omega(&f, mode_along(&f, "rod.end", 2, i));
            lag[mesh] = omega(&f, mode_along(&f, "rod.end", 1, 0));
            forget(&f);
        }
        double from = 0.5;
        for (int i = 0; i < 2; i++) {
            const double exact = blade_root(eta, from);
            const double best = (4.0 * flap[1][i] - flap[0][i]) / 3.0;
            CHECK_NEAR(exact, published[k][1 + i], 6e-5);        // four digits
            CHECK_NEAR(best / exact, 1.0, i == 0 ? 5e-5 : 5e-4); // h^4 is left
            from = exact + 0.1;
        }
        // In the plane the same but for W^2: the centrifugal force turns with the blade.
        CHECK_NEAR(lag[1] * lag[1], flap[1][0] * flap[1][0] - eta * eta, 4e-5 * eta * eta); // EA
    }
}

static void a_campbell_diagram_follows_a_blade(void)
{
    char text[900];
    tn_model *model = NULL;
    tn_campbell *c = NULL;
    tn_campbell_options options = tn_default_campbell();
    snprintf(text, sizeof text, blade_text, 1e7, 1e7, 1e7, 10, 1e7, 1e7);
    CHECK_OK(tn_model_parse(text, "blade", &model, NULL));
    options.to = 8.0;
    options.points = 9;
    options.modes.count = 6;
    CHECK_OK(tn_campbell_create(model, &options, &c));
    CHECK(tn_campbell_lines(c) == 6 && tn_campbell_points(c) == 9);
    CHECK_TEXT(tn_campbell_unit(c), "rad/s");
    int stiffening = 0;
    for (int l = 0; l < 6; l++) {
        double least = INFINITY;
        for (int k = 1; k < 9; k++) {
            const tn_mode a = tn_campbell_mode(c, l, k - 1), b = tn_campbell_mode(c, l, k);
            CHECK(isfinite(b.re)); // none is lost
            CHECK_NEAR(b.damping, 0.0, 1e-7);
            least = fmin(least, b.frequency - a.frequency);
            CHECK_NEAR(tn_campbell_speed(c, k), tn_campbell_value(c, k), 1e-9);
        }
        stiffening += least > 0.0;
    }
    CHECK(stiffening >= 4); // flap and lag, twice each
    tn_campbell_destroy(c);
    tn_model_destroy(model);
}

// A disc in a housing that stands on springs: tilting with w_f and -w_b, the roots of
// I w^2 - Ip W w - k = 0, I the transverse inertia of both; forward and backward.
static const char rotor_text[] =
    "tenon: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  housing: {mass: 2, inertia: [0.3, 0.3, 0.2]}\n"
    "  disc: {mass: 5, inertia: [0.5, 0.5, 0.9], initial: {rate: [0, 0, 10]}}\n"
    "joints:\n"
    "  bearing: {kind: revolute, bodies: [housing, disc], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  support: {kind: bushing, body: housing, at: [0, 0, 0], stiffness: [700, 700, 2800],\n"
    "            rotational_stiffness: [320, 320, 45]}\n";

static double tilt(double W, double sign)
{
    const double I = 0.8, Ip = 0.9, k = 320.0;
    return (sign * Ip * W + sqrt(Ip * Ip * W * W + 4.0 * I * k)) / (2.0 * I);
}

// Positive where the axis of the disc goes round the way it spins: x leads y.
static double whirl(const found *f, int i)
{
    const tn_mode_motion x = tn_mode_motion_of(f->modes, i, tn_model_find_body(f->model, "disc"));
    return x.turn_re.y * x.turn_im.x - x.turn_re.x * x.turn_im.y;
}

static void a_disc_on_springs_whirls_forward_and_backward(void)
{
    static const double factors[] = {0.3, 1.0, 5.0}, others[] = {10.0, 20.0, 15.0};
    for (int k = 0; k < TN_COUNT(factors); k++) {
        tn_modes_options options = tn_default_modes();
        options.about = TN_ABOUT_START;
        options.motion = factors[k];
        found f = find_with(rotor_text, options);
        const double W = 10.0 * factors[k], forward = tilt(W, 1.0), backward = tilt(W, -1.0);
        int seen = 0;
        CHECK(tn_modes_count(f.modes) == 7 && tn_modes_facts_of(f.modes).rigid == 1);
        CHECK_NEAR(tn_modes_facts_of(f.modes).speed, W, 1e-12 * W);
        for (int i = 1; i < 7; i++) {
            const double w = omega(&f, i);
            double off = INFINITY;
            for (int j = 0; j < 3; j++) // x and y, z, turn about z
                off = fmin(off, fabs(w - others[j]));
            if (fabs(w - forward) < 1e-9 * forward || fabs(w - backward) < 1e-9 * backward) {
                CHECK(whirl(&f, i) * (w > 20.0 ? 1.0 : -1.0) > 0.0); // sqrt(k / I) = 20
                seen++;
            } else {
                CHECK_NEAR(off, 0.0, 1e-9);
            }
            CHECK_NEAR(tn_mode_of(f.modes, i).damping, 0.0, 1e-9);
        }
        CHECK(seen == 2);
        forget(&f);
    }
}

static void a_campbell_diagram_of_the_disc_splits(void)
{
    tn_model *model = NULL;
    tn_campbell *c = NULL;
    tn_campbell_options options = tn_default_campbell();
    CHECK_OK(tn_model_parse(rotor_text, "rotor", &model, NULL));
    options.over = "motion";
    options.from = 0.1;
    options.to = 4.1;
    options.points = 41;
    options.modes.about = TN_ABOUT_START;
    CHECK_OK(tn_campbell_create(model, &options, &c));
    int forward = 0, backward = 0;
    for (int l = 0; l < tn_campbell_lines(c); l++) {
        double off[2] = {0};
        for (int k = 0; k < 41; k++) {
            const double w = tn_campbell_mode(c, l, k).im, W = tn_campbell_speed(c, k);
            CHECK_NEAR(W, 10.0 * tn_campbell_value(c, k), 1e-9);
            off[0] = fmax(off[0], fabs(w - tilt(W, 1.0)));
            off[1] = fmax(off[1], fabs(w - tilt(W, -1.0)));
        }
        forward += off[0] < 1e-6;
        backward += off[1] < 1e-6;
    }
    CHECK(forward == 1 && backward == 1); // lines cross those of the translations
    tn_campbell_destroy(c);
    tn_model_destroy(model);
}

// An overhung disc on a shaft without mass that turns with it: whirling by
//   (k11 - m w^2) (k22 - Id w^2 + Ip W w) = k12^2,   k = EI (12/L^3, -6/L^2; -6/L^2, 4/L)
// in the inertial frame, as Jeffcott's and Stodola's rotors; seen from the shaft it is |w - W|.
static double overhung(double W, double w)
{
    const double m = 4.0, Id = 0.3, Ip = 0.5, L = 0.8, EI = 900.0;
    return (12.0 * EI / (L * L * L) - m * w * w) * (4.0 * EI / L - Id * w * w + Ip * W * w) -
           36.0 * EI * EI / (L * L * L * L);
}

static void overhung_frequencies(double W, double out[4])
{
    int n = 0;
    for (double x = -400.0; n < 4 && x < 400.0; x += 0.5) {
        double low = x, high = x + 0.5;
        if (overhung(W, low) * overhung(W, high) > 0.0)
            continue;
        for (int k = 0; k < 60; k++) {
            const double middle = 0.5 * (low + high);
            *(overhung(W, low) * overhung(W, middle) > 0.0 ? &low : &high) = middle;
        }
        out[n++] = fabs(low - W);
    }
    CHECK(n == 4);
}

static void a_shaft_with_a_disc_whirls_as_its_closed_form(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  hub: {mass: 1, inertia: [1, 1, 1]}\n"
        "  shaft: {kind: beam, points: [[0, 0, 0], [0, 0, 0.8]], elements: %d, x_axis: [1, 0, 0],\n"
        "    section: {kind: stiffness, stiffness: [1e10, 1e10, 1e10], rotational_stiffness: [900, "
        "900, 1e6], mass: 1e-7, inertia_x: 1e-11, inertia_y: 1e-11}}\n"
        "  disc: {mass: 4, inertia: [0.3, 0.3, 0.5], initial: {position: [0, 0, 0.8]}}\n"
        "joints:\n"
        "  bearing: {kind: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  root: {kind: fixed, bodies: [hub, shaft.start]}\n"
        "  tip: {kind: fixed, bodies: [shaft.end, disc]}\n";
    static const double W = 25.0;
    double exact[4], w[3][4];
    overhung_frequencies(W, exact);
    for (int mesh = 0; mesh < 3; mesh++) {
        char model[1100];
        tn_modes_options options = tn_default_modes();
        snprintf(model, sizeof model, text, 4 << mesh);
        options.find.spin = W;
        options.count = 5;
        found f = find_with(model, options);
        CHECK(tn_modes_facts_of(f.modes).rigid == 1);
        for (int i = 0; i < 4; i++)
            w[mesh][i] = omega(&f, 1 + i);
        forget(&f);
    }
    for (int i = 0; i < 4; i++) {
        const double one = (4.0 * w[1][i] - w[0][i]) / 3.0, two = (4.0 * w[2][i] - w[1][i]) / 3.0;
        const double best = (16.0 * two - one) / 15.0;
        double off = INFINITY;
        for (int j = 0; j < 4; j++)
            off = fmin(off, fabs(best / exact[j] - 1.0));
        CHECK_NEAR(off, 0.0, 2e-6); // of shear, stretch and the mass of the shaft
    }
}

// Loops -------------------------------------------------------------------------------------------

// A parallelogram with an elastic coupler and a crank that stands on two bearings in a row.
static const char fourbar_text[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {mass: %g, inertia: [%g, %g, %g], initial: {position: [0, -0.25, 0]}}\n"
    "  rocker: {mass: %g, inertia: [%g, %g, %g], initial: {position: [1, -0.25, 0]}}\n"
    "  coupler: {kind: beam, points: [[0, -0.5, 0], [1, -0.5, 0]], elements: %d, "
    "x_axis: [0, 1, 0], damping: %g,\n"
    "    section: {kind: stiffness, stiffness: [%g, %g, %g], rotational_stiffness: [%g, %g, %g], "
    "mass: 2, inertia_x: 1e-3, inertia_y: 1e-3}}\n"
    "joints:\n"
    "  A: {kind: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  A2: {kind: revolute, bodies: [ground, crank], at: [0, 0, 0.1], axis: [0, 0, 1]}\n"
    "  B: {kind: revolute, bodies: [crank, coupler.start], at: [0, -0.5, 0], axis: [0, 0, 1]}\n"
    "  C: {kind: revolute, bodies: [coupler.end, rocker], at: [1, -0.5, 0], axis: [0, 0, 1]}\n"
    "  D: {kind: revolute, bodies: [ground, rocker], at: [1, 0, 0], axis: [0, 0, 1]}\n";

static found fourbar_modes(double mass, double E, int elements, double damping,
                           tn_modes_options options)
{
    char text[2000];
    const double J = mass * 0.25 / 12.0, EI = 50.0 * E, GA = 1e5 * E;
    snprintf(text, sizeof text, fourbar_text, mass, J, J, J, mass, J, J, J, elements, damping, GA,
             GA, GA, EI, EI, EI);
    return find_with(text, options);
}

// A stiff coupler moves along a circle: (2 J + m_c l^2) w^2 = (m + m_c) l g, J about the pins.
static void a_stiff_coupler_swings_as_a_rigid_one(void)
{
    tn_modes_options options = tn_default_modes();
    const double m = 1.5, J = m * 0.25 / 3.0;
    const double rigid = sqrt((m + 2.0) * 0.5 * GRAVITY / (2.0 * J + 2.0 * 0.25));
    double off[2];
    options.count = 3;
    for (int k = 0; k < 2; k++) {
        found f = fourbar_modes(m, k ? 100.0 : 10.0, 16, 0.0, options);
        off[k] = omega(&f, 0) / rigid - 1.0;
        forget(&f);
    }
    CHECK(fabs(off[0]) < 1e-2);
    CHECK_NEAR(off[1] / off[0], 0.1, 0.02); // it gives way by its stiffness
}

// Heavy cranks hold the pins: the coupler bends as a beam between two hinges, with q = pi / L
// (rI rA / GA) w^4 - (rA + rI q^2 + EI rA q^2 / GA) w^2 + EI q^4 = 0 [Hua61].
static void a_coupler_between_heavy_cranks_bends_as_a_beam(void)
{
    tn_modes_options options = tn_default_modes();
    const double EI = 50.0, GA = 1e5, q2 = PI * PI, a = 1e-3 * 2.0 / GA;
    const double b = 2.0 + 1e-3 * q2 + EI * 2.0 * q2 / GA, c = EI * q2 * q2;
    const double exact = sqrt((b - sqrt(b * b - 4.0 * a * c)) / (2.0 * a));
    double w[2];
    options.find.load_to = 0.0;
    options.count = 6;
    for (int mesh = 0; mesh < 2; mesh++) {
        found f = fourbar_modes(1e7, 1.0, 16 << mesh, 0.0, options);
        w[mesh] = omega(&f, mode_along(&f, mesh ? "coupler.8" : "coupler.4", 1, 0));
        forget(&f);
    }
    CHECK_NEAR((4.0 * w[1] - w[0]) / 3.0 / exact, 1.0, 1e-5);
}

// Chains ------------------------------------------------------------------------------------------

// A chain of n links of 1 m together that hangs, planar; omega_k = j_k / 2 sqrt(g / L) in the limit
// of many links, j_k the zeros of J0.
static const double bessel_zeros[] = {2.404825557695773, 5.520078110286311, 8.653727912911013,
                                      11.79153443901428, 14.93091770848779};

static found hanging_chain(int n, tn_modes_options options)
{
    const tn_parameter_value count = {"n", n, NULL};
    found f = {0};
    CHECK_OK(tn_model_load_with(tn_test_path("models/chain.yaml"), 1, &count, &f.model, NULL));
    CHECK_OK(tn_modes_create(f.model, &options, &f.modes));
    return f;
}

static void a_chain_of_many_links_swings_by_bessel_zeros(void)
{
    const int n = getenv("TN_LONG") ? 10000 : 1000;
    found f = hanging_chain(n, tn_default_modes());
    CHECK(tn_modes_facts_of(f.modes).sparse && tn_modes_count(f.modes) == 20);
    for (int i = 0; i < TN_COUNT(bessel_zeros); i++) // links of length h are off by h^2, about
        CHECK_NEAR(omega(&f, i) / (0.5 * bessel_zeros[i] * sqrt(GRAVITY)), 1.0,
                   2.0 * (i + 1) * (i + 1) * 10.0 / ((double)n * n));
    forget(&f);
}

static void compare_methods(const char *what, found *dense, found *sparse, double tol)
{
    const int n = tn_modes_count(sparse->modes);
    CHECK(!tn_modes_facts_of(dense->modes).sparse && tn_modes_facts_of(sparse->modes).sparse);
    CHECK(tn_modes_facts_of(dense->modes).rigid == tn_modes_facts_of(sparse->modes).rigid);
    for (int i = 0; i < n; i++) {
        const tn_mode a = tn_mode_of(dense->modes, i), b = tn_mode_of(sparse->modes, i);
        const double size = fmax(hypot(a.re, a.im), 1e-9);
        if (hypot(a.re - b.re, a.im - b.im) > tol * size)
            printf("%s, mode %d: %.15g %.15g, %.15g %.15g\n", what, i, a.re, a.im, b.re, b.im);
        CHECK_NEAR(a.re / size, b.re / size, tol);
        CHECK_NEAR(a.im / size, b.im / size, tol);
    }
}

static void dense_and_sparse_methods_agree(void)
{
    tn_modes_options dense = tn_default_modes(), sparse = dense;
    dense.method = TN_MODES_DENSE;
    sparse.method = TN_MODES_SPARSE;
    found a = hanging_chain(60, dense), b = hanging_chain(60, sparse);
    compare_methods("chain", &a, &b, 1e-8);
    forget(&a);
    forget(&b);
    static const double dampings[] = {0.0, 1e-4}; // with a loop and rows that repeat others
    for (int k = 0; k < TN_COUNT(dampings); k++) {
        dense.count = sparse.count = 15;
        a = fourbar_modes(1.5, 1.0, 16, dampings[k], dense);
        b = fourbar_modes(1.5, 1.0, 16, dampings[k], sparse);
        CHECK(tn_modes_facts_of(a.modes).damped == (k > 0));
        compare_methods("four-bar", &a, &b, 1e-8);
        forget(&a);
        forget(&b);
    }
    char text[900];
    snprintf(text, sizeof text, blade_text, 9.0, 9.0, 9.0, 12, 1e4, 1e4);
    dense.find.spin = sparse.find.spin = 5.0;
    a = find_with(text, dense);
    b = find_with(text, sparse);
    compare_methods("blade", &a, &b, 1e-8);
    forget(&a);
    forget(&b);
}

// The state space of tenon/linear.h is eliminated and solved by other means.
static void modes_are_eigenvalues_of_the_state_space(void)
{
    static const struct {
        const char *model;
        double spin;
        tn_about about;
    } cases[] = {
        {"models/wishbone.yaml", 0.0, TN_ABOUT_EQUILIBRIUM},
        {"models/quarter_car.yaml", 0.0, TN_ABOUT_EQUILIBRIUM},
        {"models/six_body_linkage.yaml", 0.0, TN_ABOUT_EQUILIBRIUM},
        {"models/governor.yaml", 8.0, TN_ABOUT_EQUILIBRIUM},
        {"models/rotor.yaml", 0.0, TN_ABOUT_START},
        {"models/modal/slider_crank.yaml", 0.0, TN_ABOUT_EQUILIBRIUM},
    };
    enum { MOST = 64 };
    for (int k = 0; k < TN_COUNT(cases); k++) {
        tn_linear_options linear = tn_default_linear();
        tn_modes_options options = tn_default_modes();
        tn_linear *l = NULL;
        double re[MOST], im[MOST];
        found f = {0};
        CHECK_OK(tn_model_load(tn_test_path(cases[k].model), &f.model, NULL));
        options.find.spin = linear.find.spin = cases[k].spin;
        options.about = linear.about = cases[k].about;
        linear.inputs = linear.outputs = "";
        CHECK_OK(tn_modes_create(f.model, &options, &f.modes));
        CHECK_OK(tn_linear_create(f.model, &linear, &l));
        const int n = tn_linear_count(l, TN_LINEAR_STATES);
        CHECK(n <= MOST);
        CHECK_OK(tn_linear_eigenvalues(l, re, im));
        for (int i = 0; i < tn_modes_count(f.modes); i++) {
            const tn_mode m = tn_mode_of(f.modes, i);
            double off = INFINITY;
            for (int j = 0; j < n; j++)
                off = fmin(off, hypot(re[j] - m.re, im[j] - m.im));
            if (m.kind != TN_MODE_RIGID) // a double zero is split
                CHECK_NEAR(off / hypot(m.re, m.im), 0.0, 1e-8);
        }
        tn_linear_destroy(l);
        forget(&f);
    }
}

// Motions that are damped so much that they do not swing have two values each.
static void all_values_are_listed(void)
{
    static const char text[] =
        "tenon: 1\n"
        "bodies:\n"
        "  a: {kind: planar, mass: 1, inertia: 1}\n"
        "  b: {kind: planar, mass: 1, inertia: 1}\n"
        "joints:\n"
        "  ja: {kind: prismatic, bodies: [ground, a], axis: [1, 0]}\n"
        "  jb: {kind: prismatic, bodies: [ground, b], axis: [1, 0]}\n"
        "forces:\n"
        "  slow: {kind: joint-spring, joint: ja, stiffness: 1, damping: 10}\n"
        "  on: {kind: joint-law, joint: jb, law: '-400*coordinate + rate/2'}\n";
    tn_modes_options options = tn_default_modes();
    found f = find_with(text, options);
    CHECK(tn_modes_count(f.modes) == 3); // s^2 + 10 s + 1 and s^2 - s/2 + 400
    CHECK_NEAR(tn_mode_of(f.modes, 0).re, -5.0 + sqrt(24.0), 1e-9);
    CHECK_NEAR(tn_mode_of(f.modes, 1).re, -5.0 - sqrt(24.0), 1e-9);
    CHECK_NEAR(tn_mode_of(f.modes, 2).re, 0.25, 1e-9);
    CHECK(tn_modes_facts_of(f.modes).unstable == 1 && tn_modes_facts_of(f.modes).hidden == 0);
    CHECK(tn_modes_facts_of(f.modes).state->stability == TN_UNSTABLE);
    forget(&f);
    options.count = 2;
    f = find_with(text, options);
    CHECK(tn_modes_count(f.modes) == 2);
    CHECK(tn_modes_facts_of(f.modes).unstable == 1 && tn_modes_facts_of(f.modes).hidden == 1);
    forget(&f);
}

// A free body that spins about its middle axis: s^2 = W^2 (J3 - J2) (J2 - J1) / (J1 J3), and W for
// motions that stand still outside; moving along the axis and turning about it are zero twice.
static void a_spinning_body_has_its_zeros(void)
{
    tn_modes_options options = tn_default_modes();
    options.about = TN_ABOUT_START;
    found f = find_with("{tenon: 1, bodies: {d: {mass: 1, inertia: [0.5, 0.7, 0.9],\n"
                        " initial: {rate: [0, 3, 0]}}}}",
                        options);
    const tn_modes_facts facts = tn_modes_facts_of(f.modes);
    const double s = 3.0 * sqrt(0.2 * 0.2 / 0.45);
    CHECK_NEAR(facts.turning.y, 3.0, 1e-12);
    CHECK(facts.unstable == 1);
    int found_both = 0;
    for (int i = 0; i < tn_modes_count(f.modes); i++) {
        const tn_mode mode = tn_mode_of(f.modes, i);
        found_both += fabs(fabs(mode.re) - s) < 1e-9 && mode.im == 0.0;
        CHECK(mode.im == 0.0 || fabs(mode.im - 3.0) < 1e-6); // of a value that is threefold
    }
    CHECK(found_both == 2);
    forget(&f);
}

static const tn_test tests[] = {
    {"all values are listed", all_values_are_listed},
    {"a spinning body has its zeros", a_spinning_body_has_its_zeros},
    {"modes are eigenvalues of the state space", modes_are_eigenvalues_of_the_state_space},
    {"two free masses have a rigid mode", two_free_masses_have_a_rigid_mode},
    {"time scales do not matter", time_scales_do_not_matter},
    {"a damped pendulum has its closed form", a_damped_pendulum_has_its_closed_form},
    {"an unstable motion grows", an_unstable_motion_grows},
    {"motions without inertia follow statically", motions_without_inertia_follow_statically},
    {"beams have the frequencies of Timoshenko", beams_have_the_frequencies_of_timoshenko},
    {"a rigid blade flaps and lags by its offset", a_rigid_blade_flaps_and_lags_by_its_offset},
    {"a rotating blade stiffens as published", a_rotating_blade_stiffens_as_published},
    {"a Campbell diagram follows a blade", a_campbell_diagram_follows_a_blade},
    {"a disc on springs whirls forward and backward",
     a_disc_on_springs_whirls_forward_and_backward},
    {"a Campbell diagram of the disc splits", a_campbell_diagram_of_the_disc_splits},
    {"a shaft with a disc whirls as its closed form",
     a_shaft_with_a_disc_whirls_as_its_closed_form},
    {"a stiff coupler swings as a rigid one", a_stiff_coupler_swings_as_a_rigid_one},
    {"a coupler between heavy cranks bends as a beam",
     a_coupler_between_heavy_cranks_bends_as_a_beam},
    {"a chain of many links swings by Bessel zeros", a_chain_of_many_links_swings_by_bessel_zeros},
    {"dense and sparse methods agree", dense_and_sparse_methods_agree},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
