// SPDX-License-Identifier: MIT
//
// Cables, columns and trusses made of beams, against closed forms: the elastic catenary of a beam
// without bending stiffness, the buckling load of a cantilever with shear and compression, the
// limit load of two hinged bars; and a slack cable that swings.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;
static const double GRAVITY = 9.81;

static tn_equilibrium *rest_of(const char *text, tn_equilibrium_options options, tn_model **model)
{
    tn_equilibrium *rest = NULL;
    CHECK_OK(tn_model_parse(text, "slender.yaml", model, NULL));
    CHECK_OK(tn_equilibrium_create(*model, &options, &rest));
    CHECK_OK(tn_equilibrium_find(rest));
    return rest;
}

// a becomes the values of n meshes, each of half the length of elements of the one before, without
// their errors of the orders that are listed.
static double extrapolated(int n, double *a, const int *order)
{
    for (int k = 1; k < n; k++)
        for (int i = 0; i + k < n; i++)
            a[i] = a[i + 1] + (a[i + 1] - a[i]) / (pow(2.0, order[k - 1]) - 1.0);
    return a[0];
}

// Cables ------------------------------------------------------------------------------------------

// A cable of length L over a span, at rest: with its weight w per length and the pull H,
//
//   span = H L / EA + 2 H / w asinh(w L / (2 H))
//   sag = w L^2 / (8 EA) + H / w (sqrt(1 + (w L / (2 H))^2) - 1)
//
// [Irvine, Cable Structures, 1981, section 1.3].
typedef struct cable {
    double L, span, mass, EA;
} cable;

static double pull_of(const cable *c)
{
    const double w = c->mass * GRAVITY;
    double low = 1e-3, high = 1e3;
    for (int k = 0; k < 200; k++) {
        const double H = sqrt(low * high);
        const double span = H * c->L / c->EA + 2.0 * H / w * asinh(0.5 * w * c->L / H);
        *(span < c->span ? &low : &high) = H;
    }
    return low;
}

static double sag_of(const cable *c, double H)
{
    const double w = c->mass * GRAVITY, t = 0.5 * w * c->L / H;
    return w * c->L * c->L / (8.0 * c->EA) + H / w * (sqrt(1.0 + t * t) - 1.0);
}

// It starts as an arc of its length, of half the angle `a`.
static void find_cable(const cable *c, int n, double *H, double *V, double *sag)
{
    char text[1200], middle[32];
    double low = 1e-6, high = 3.0;
    for (int k = 0; k < 200; k++) {
        const double a = 0.5 * (low + high);
        *(sin(a) / a > c->span / c->L ? &low : &high) = a;
    }
    const double radius = 0.5 * c->span / sin(low);
    snprintf(text, sizeof text,
             "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  rope:\n    kind: beam\n    line: arc\n"
             "    points: [[0, 0, 0], [%.17g, 0, %.17g], [%.17g, 0, 0]]\n    elements: %d\n"
             "    section: {kind: stiffness, stiffness: [%g, %g, %g], rotational_stiffness: [0, 0, "
             "0], mass: %g, inertia_x: 1e-5, inertia_y: 1e-5}\n"
             "joints:\n  left: {kind: spherical, bodies: [ground, rope.start]}\n"
             "  right: {kind: spherical, bodies: [ground, rope.end]}\n",
             0.5 * c->span, -radius * (1.0 - cos(low)), c->span, n, c->EA, c->EA, c->EA, c->mass);
    tn_model *model = NULL;
    tn_equilibrium *rest = rest_of(text, tn_default_equilibrium(), &model);
    CHECK(tn_equilibrium_facts_of(rest)->unstable == 0);
    const tn_vec3 f = tn_equilibrium_joint_reaction(rest, tn_model_find_joint(model, "left")).f;
    snprintf(middle, sizeof middle, "rope.%d", n / 2);
    *H = fabs(f.x);
    *V = fabs(f.z);
    *sag = -tn_equilibrium_body_frame(rest, tn_model_find_body(model, middle)).p.z;
    tn_equilibrium_destroy(rest);
    tn_model_destroy(model);
}

// Frames at the ends of a cable turn freely, which adds a term of order 3 to its errors.
static void a_beam_without_bending_stiffness_is_the_elastic_catenary(void)
{
    enum { MESHES = 5 };
    static const int order[] = {2, 3, 4, 5};
    const cable c = {.L = 1.2, .span = 1.0, .mass = 2.0, .EA = 500.0};
    double H[MESHES], V, sag[MESHES];
    for (int k = 0; k < MESHES; k++) {
        find_cable(&c, 16 << k, &H[k], &V, &sag[k]);
        CHECK_NEAR(V, 0.5 * c.mass * GRAVITY * c.L, 1e-11); // half the weight
    }
    const double pull = pull_of(&c), deep = sag_of(&c, pull);
    printf("cable: pull %.2e, sag %.2e off with %d elements;", H[MESHES - 1] / pull - 1.0,
           sag[MESHES - 1] / deep - 1.0, 16 << (MESHES - 1));
    const double best_H = extrapolated(MESHES, H, order);
    const double best_sag = extrapolated(MESHES, sag, order);
    printf(" %.2e, %.2e extrapolated\n", best_H / pull - 1.0, best_sag / deep - 1.0);
    CHECK_NEAR(best_H, pull, 1e-8 * pull);
    CHECK_NEAR(best_sag, deep, 1e-8 * deep);
}

// Columns -----------------------------------------------------------------------------------------

// A cantilever that stands under a load P at its top. Compressed by P / EA and turned by theta, it
// has x' = theta (1 - P / EA) and a shear strain P theta / GA, so that EI theta'' = -P x' gives
//
//   P (1 + P / GA - P / EA) = EI (pi / (2 L))^2
static bool stands(double P, int n)
{
    char text[900];
    tn_model *model = NULL;
    tn_equilibrium_options options = tn_default_equilibrium();
    options.nearest = true;
    snprintf(text, sizeof text,
             "tenon: 1\nbodies:\n  column:\n    kind: beam\n"
             "    points: [[0, 0, 0], [0, 0, 1]]\n    elements: %d\n    x_axis: [1, 0, 0]\n"
             "    section: {kind: stiffness, stiffness: [800, 800, 5000], rotational_stiffness: "
             "[5, 10, 3], mass: 1, inertia_x: 0.01, inertia_y: 0.01}\n"
             "joints:\n  foot: {kind: fixed, bodies: [ground, column.start]}\n"
             "forces:\n  load: {kind: point-force, body: column.end, force: [0, 0, %.17g]}\n",
             n, -P);
    tn_equilibrium *rest = rest_of(text, options, &model);
    const bool out = tn_equilibrium_facts_of(rest)->unstable == 0;
    tn_equilibrium_destroy(rest);
    tn_model_destroy(model);
    return out;
}

static void a_column_with_shear_and_compression_buckles(void)
{
    enum { MESHES = 3 };
    static const int order[] = {2, 4};
    const double slender = 1.0 / 800.0 - 1.0 / 5000.0, euler = 5.0 * PI * PI / 4.0;
    const double exact = (sqrt(1.0 + 4.0 * slender * euler) - 1.0) / (2.0 * slender);
    double P[MESHES];
    for (int k = 0; k < MESHES; k++) {
        double low = 0.9 * exact, high = 1.1 * exact;
        while (high - low > 1e-9 * exact) {
            const double middle = 0.5 * (low + high);
            *(stands(middle, 4 << k) ? &low : &high) = middle;
        }
        P[k] = low;
    }
    const double rate = log2((P[0] - exact) / (P[1] - exact));
    printf("column: %.6f, %.3e off with 16 elements, order %.3f;", exact, P[2] / exact - 1.0, rate);
    const double best = extrapolated(MESHES, P, order);
    printf(" %.2e extrapolated\n", best / exact - 1.0);
    CHECK_NEAR(rate, 2.0, 0.02);
    // A motion counts as unstable where its stiffness is below -1e-11 of the largest one.
    CHECK_NEAR(best, exact, 3e-6 * exact);
}

// Trusses -----------------------------------------------------------------------------------------

// Two bars of one element each, hinged at their feet (-1, 0), (1, 0) and at their top (0, 0.2) and
// pushed down there. With the length l of a bar and the height y of the top
//
//   P = 2 EA y (1 / l - 1 / l_0),   dP/dy = 0:  l^3 = l_0
static tn_equilibrium_facts judged(const char *text, double spin)
{
    tn_model *model = NULL;
    tn_equilibrium *e = NULL;
    tn_equilibrium_options options = tn_default_equilibrium();
    options.nearest = true;
    options.spin = spin;
    CHECK_OK(tn_model_parse(text, "wire.yaml", &model, NULL));
    CHECK_OK(tn_equilibrium_create(model, &options, &e));
    CHECK_OK(tn_equilibrium_find(e));
    const tn_equilibrium_facts facts = *tn_equilibrium_facts_of(e);
    tn_equilibrium_destroy(e);
    tn_model_destroy(model);
    return facts;
}

// A steel wire of 1 mm radius, 1 m long: its stiffness against bending is 1e-10 of that against
// shear of an element, and round-off is less. Euler's load is 0.387 N.
static void thin_wires_are_judged(void)
{
    static const double loads[] = {0.0, -0.36, -0.5};
    char text[600];
    for (int n = 40; n <= 120; n += 80)
        for (int i = 0; i < TN_COUNT(loads); i++) {
            snprintf(text, sizeof text,
                     "tenon: 1\nbodies:\n  wire: {kind: beam, points: [[0, 0, 0], [0, 0, 1]], "
                     "elements: %d, section: {kind: circle, radius: 1e-3, E: 2e11, rho: 7850}}\n"
                     "joints:\n  foot: {kind: fixed, bodies: [ground, wire.start]}\n"
                     "forces:\n  load: {kind: point-force, body: wire.end, force: [0, 0, %g]}\n",
                     n, loads[i]);
            CHECK(judged(text, 0.0).stability == (i < 2 ? TN_STABLE : TN_UNSTABLE));
        }
}

// The same as a shaft that is driven at 1.5 times its first frequency w1 = 9.0927 rad/s: damping in
// the wire makes it whirl, growing by d w1 (w - w1) / 2, 0.2067 1/s with d = 0.01 s.
static void damping_in_a_fast_shaft_makes_it_whirl(void)
{
    const double w1 = 9.0927, w = 1.5 * w1;
    char text[700];
    snprintf(text, sizeof text,
             "tenon: 1\nbodies:\n  wire: {kind: beam, points: [[0, 0, 0], [0, 0, 1]], "
             "elements: 10, damping: 0.01,\n"
             "    section: {kind: circle, radius: 1e-3, E: 2.1e11, rho: 7850}}\n"
             "joints:\n  bearing: {kind: revolute, bodies: [ground, wire.start], axis: [0, 0, 1]}\n"
             "  turn: {kind: drive, joint: bearing, motion: %.17g*t}\n",
             w);
    const tn_equilibrium_facts facts = judged(text, w);
    CHECK(facts.stability == TN_UNSTABLE && facts.flutter);
    CHECK_NEAR(facts.growth, 0.5 * 0.01 * w1 * (w - w1), 0.01); // its w1 is 9.09, of 10 elements
}

// In directors elements of a cable would lengthen without force; distances to nodes are those of
// the nodes, as to origins of other bodies.
static void cables_in_directors_are_refused(void)
{
    static const char text[] =
        "tenon: 1\nbodies:\n  rope: {kind: beam, points: [[0, 0, 0], [1, 0, 0]], elements: 4,\n"
        "    section: {kind: stiffness, stiffness: [1e3, 1e3, 1e4], rotational_stiffness: [0, 0, "
        "0], mass: 1, inertia_x: 1e-3, inertia_y: 1e-3}}\n"
        "  ball: {kind: point, mass: 1, initial: {position: [1, 0, 2]}}\n"
        "joints:\n  pin: {kind: spherical, bodies: [ground, rope.start]}\n"
        "  string: {kind: distance, bodies: [rope.end, ball]}\n";
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    options.method = "energy-momentum@director";
    options.step = 0.01;
    CHECK_OK(tn_model_parse(text, "rope.yaml", &model, NULL));
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_PAIRING);
    CHECK(tn_test_says("director coordinates take no cables"));
    options.method = "galpha/ggl@absolute";
    CHECK_OK(tn_sim_create(model, &options, &sim));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void two_hinged_bars_snap_through(void)
{
    static const char text[] =
        "tenon: 1\nbodies:\n"
        "  left:\n    kind: beam\n    points: [[-1, 0, 0], [0, 0.2, 0]]\n    elements: 1\n"
        "    x_axis: [0, 0, 1]\n    section: &bar {kind: stiffness, stiffness: [5000, 5000, 5000], "
        "rotational_stiffness: [500, 500, 500], mass: 1, inertia_x: 0.1, inertia_y: 0.1}\n"
        "  right:\n    kind: beam\n    points: [[1, 0, 0], [0, 0.2, 0]]\n    elements: 1\n"
        "    x_axis: [0, 0, 1]\n    section: *bar\n"
        "joints:\n"
        "  a: {kind: revolute, bodies: [ground, left.start], axis: [0, 0, 1]}\n"
        "  b: {kind: revolute, bodies: [ground, right.start], axis: [0, 0, 1]}\n"
        "  top: {kind: revolute, bodies: [left.end, right.end], axis: [0, 0, 1]}\n"
        "forces:\n  load: {kind: point-force, body: left.end, force: [0, -100, 0]}\n";
    const double l0 = sqrt(1.04), l = cbrt(l0), y = sqrt(l * l - 1.0);
    const double limit = 2.0 * 5000.0 * y * (1.0 / l - 1.0 / l0);
    tn_equilibrium_options options = tn_default_equilibrium();
    tn_model *model = NULL;
    options.arc = true;
    options.load_from = 0.0;
    tn_equilibrium *rest = rest_of(text, options, &model);
    const tn_equilibrium_facts *facts = tn_equilibrium_facts_of(rest);
    printf("truss: limit %.9f, %.2e off, %d limits\n", limit, 100.0 * facts->limit / limit - 1.0,
           facts->limits);
    CHECK(facts->limits == 2);
    CHECK_NEAR(100.0 * facts->limit, limit, 1e-9 * limit);
    tn_equilibrium_destroy(rest);
    tn_model_destroy(model);
}

// A slack cable in motion -------------------------------------------------------------------------

// A cable that hangs slack between two points and is let go at one of them: it falls and whips. It
// gives way to compression as fast as its inertia lets it: what waves along it bring stays at a
// strain of 1e-4 and a part of the tension, and does not grow (0.449, 0.374 and 0.397 N with steps
// of 1, 0.2 and 0.05 ms). Energy is kept as far as the method does, 28 times better with a fifth of
// the step.
static void a_slack_cable_swings(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  rope:\n    kind: beam\n    line: arc\n"
        "    points: [[0, 0, 0], [0.5, 0, -0.3], [1, 0, 0]]\n    elements: 20\n"
        "    section: {kind: stiffness, stiffness: [5000, 5000, 5000], rotational_stiffness: [0, "
        "0, "
        "0], mass: 0.2, inertia_x: 1e-6, inertia_y: 1e-6}\n"
        "joints:\n  left: {kind: spherical, bodies: [ground, rope.start]}\n";
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    CHECK_OK(tn_model_parse(text, "rope.yaml", &model, NULL));
    CHECK_OK(tn_model_status(model));
    options.method = "galpha/ggl@absolute";
    options.step = 1e-3;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    const double piece = tn_model_beam_place(model, (tn_beam){0}, 1),
                 weight = 0.2 * 20 * piece * GRAVITY;
    double least = INFINITY, most = -INFINITY, first = NAN, off = 0.0;
    for (int n = 0; n <= 1000; n++) {
        tn_ledger ledger;
        if (n > 0)
            CHECK_OK(tn_sim_step(sim, 1e-3));
        tn_sim_ledger(sim, &ledger);
        first = n == 0 ? ledger.energy : first;
        off = fmax(off, fabs(ledger.energy - first));
        for (int k = 0; k < 20; k++) {
            const tn_vec3 a = tn_sim_body_frame(sim, tn_model_beam_node(model, (tn_beam){0}, k)).p;
            const tn_vec3 b =
                tn_sim_body_frame(sim, tn_model_beam_node(model, (tn_beam){0}, k + 1)).p;
            const tn_vec3 d = tn_v3_sub(a, b);
            tn_force_state state;
            CHECK_OK(tn_sim_force(sim, tn_model_beam_element(model, (tn_beam){0}, k), &state));
            const double force = tn_v3_dot(state.on_b.f, d) / tn_v3_norm(d); // pulls B to A
            least = fmin(least, force);
            most = fmax(most, force);
        }
    }
    printf("rope: forces from %.3g to %.3g N, weight %.3g N, energy to %.1e J\n", least, most,
           weight, off);
    CHECK(least > -0.1 * most && least > -1e-4 * 5000.0);
    CHECK(most > weight && off < 1e-4 * weight); // of falls of about 1 m
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"a beam without bending stiffness is the elastic catenary",
     a_beam_without_bending_stiffness_is_the_elastic_catenary},
    {"a column with shear and compression buckles", a_column_with_shear_and_compression_buckles},
    {"thin wires are judged", thin_wires_are_judged},
    {"damping in a fast shaft makes it whirl", damping_in_a_fast_shaft_makes_it_whirl},
    {"cables in directors are refused", cables_in_directors_are_refused},
    {"two hinged bars snap through", two_hinged_bars_snap_through},
    {"a slack cable swings", a_slack_cable_swings},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
