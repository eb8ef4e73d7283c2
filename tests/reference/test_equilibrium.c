// SPDX-License-Identifier: MIT
//
// Equilibria against closed forms and against balances by hand: pendulums, a truss that snaps
// through, a hanging chain and a hanging cable, a governor that turns, follower forces, trim; and
// what is said where there is none.

#include "linalg/dense.h"
#include "tenon/tenon.h"
#include "test.h"

static const double PI = 3.14159265358979323846;
static const double GRAVITY = 9.81;

typedef struct found {
    tn_model *model;
    tn_equilibrium *e;
    const tn_equilibrium_facts *facts;
    tn_status status;
} found;

static tn_equilibrium_options plain(void)
{
    return tn_default_equilibrium();
}

static found find_of(tn_model *model, tn_equilibrium_options options)
{
    found f = {.model = model};
    CHECK_OK(tn_equilibrium_create(f.model, &options, &f.e));
    f.status = tn_equilibrium_find(f.e);
    f.facts = tn_equilibrium_facts_of(f.e);
    return f;
}

static found find_with(const char *text, tn_equilibrium_options options)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "equilibrium", &model, NULL));
    return find_of(model, options);
}

static found find(const char *text)
{
    const found f = find_with(text, plain());
    CHECK_OK(f.status);
    return f;
}

static void forget(found *f)
{
    tn_equilibrium_destroy(f->e);
    tn_model_destroy(f->model);
}

static double coordinate(const found *f, const char *joint)
{
    double q[3] = {NAN};
    CHECK(tn_equilibrium_joint_coordinates(f->e, tn_model_find_joint(f->model, joint), q) > 0);
    return q[0];
}

static tn_vec3 place(const found *f, const char *body)
{
    return tn_equilibrium_body_frame(f->e, tn_model_find_body(f->model, body)).p;
}

// Pendulums ---------------------------------------------------------------------------------------

// A rod of 1 m and 1 kg on a pin, `angle` away from hanging.
static const char *pendulum(double angle)
{
    static char text[800];
    snprintf(text, sizeof text,
             "tenon: 1\ngravity: [0, -9.81, 0]\n"
             "bodies:\n"
             "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {position: [%.17g, %.17g, 0]}}\n"
             "joints:\n"
             "  pin: {kind: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}\n",
             0.5 * sin(angle), -0.5 * cos(angle));
    return text;
}

static void a_pendulum_hangs_from_wherever_it_starts(void)
{
    for (int degrees = -170; degrees <= 170; degrees += 20) {
        found f = find(pendulum(degrees * PI / 180.0));
        CHECK(f.facts->stability == TN_STABLE && f.facts->freedoms == 1);
        const tn_vec3 p = place(&f, "rod");
        CHECK_NEAR(p.x, 0.0, 1e-12);
        CHECK_NEAR(p.y, -0.5, 1e-12);
        CHECK_NEAR(f.facts->residual, 0.0, 1e-11);
        const tn_wrench w = tn_equilibrium_joint_reaction(f.e, tn_model_find_joint(f.model, "pin"));
        CHECK_NEAR(w.f.y, GRAVITY, 1e-11);
        forget(&f);
    }
}

static void an_upright_pendulum_is_left_unless_the_nearest_is_asked_for(void)
{
    tn_equilibrium_options options = plain();
    found f = find(pendulum(PI));
    CHECK(f.facts->stability == TN_STABLE && f.facts->left == 1);
    CHECK_TEXT(f.facts->left_by, "joint 'pin', angle");
    CHECK_NEAR(place(&f, "rod").y, -0.5, 1e-12);
    forget(&f);
    options.nearest = true;
    f = find_with(pendulum(PI - 0.3), options);
    CHECK_OK(f.status);
    CHECK(f.facts->stability == TN_UNSTABLE && f.facts->unstable == 1 && !f.facts->flutter);
    CHECK_TEXT(f.facts->direction, "joint 'pin', angle");
    CHECK_NEAR(place(&f, "rod").y, 0.5, 1e-12);
    // exp(w t) with w^2 = m g l / (J + m l^2)
    CHECK_NEAR(f.facts->growth, sqrt(GRAVITY * 0.5 / 0.35), 1e-9);
    forget(&f);
}

// Its stiffness is the round-off of the moments of weight and bearing, which cancel.
static void a_door_on_a_plumb_hinge_rests_anywhere(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  door: {mass: 2, inertia: [0.1, 0.2, 0.3], "
        "initial: {position: [0.5, 0, -0.2]}}\n"
        "joints: {hinge: {kind: revolute, body: door, at: [0, 0, 0], axis: [0, 0, 1]}}\n";
    for (int i = 0; i < 3; i++) {
        tn_equilibrium_options options = plain();
        options.nearest = i == 1;
        options.spin = i == 2 ? 8.0 : 0.0;
        found f = find_with(text, options);
        CHECK_OK(f.status);
        CHECK(f.facts->stability == TN_NEUTRAL && f.facts->neutral == 1);
        CHECK_TEXT(f.facts->direction, "joint 'hinge', angle");
        CHECK_NEAR(place(&f, "door").x, 0.5, 1e-9); // it was 2.5e-7 off
        forget(&f);
    }
}

static void what_nothing_holds_is_named(void)
{
    found f = find("tenon: 1\nbodies:\n  stone: {mass: 1, inertia: [1, 1, 1]}\n");
    CHECK(f.facts->stability == TN_NEUTRAL && f.facts->neutral == 6);
    CHECK(strstr(f.facts->direction, "body 'stone'") != NULL);
    forget(&f);
    f = find_with("tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  stone: {mass: 1, inertia: [1, 1, "
                  "1]}\n",
                  plain());
    CHECK(f.status == TN_ERR_NUMERIC && tn_test_says("body 'stone', z"));
    CHECK(tn_test_says("goes on to move"));
    CHECK(f.facts->iterations <
          400); // 25 lengths at one slope in steps of 0.1 or more, and few more
    forget(&f);
}

// Rows that repeat others, and drives that are held at a time.
static void redundant_rows_and_drives_are_met(void)
{
    tn_equilibrium_options options = plain();
    options.start.t_start = 0.5;
    found f =
        find_with("tenon: 1\ngravity: [0, 0, -9.81]\n"
                  "bodies:\n"
                  "  door: {mass: 2, inertia: [1, 1, 1], initial: {position: [0.5, 0, 0]}}\n"
                  "  flap: {mass: 1, inertia: [1, 1, 1], initial: {position: [1, 0.2, 0.5]}}\n"
                  "joints:\n"
                  "  upper: {kind: revolute, bodies: [ground, door], at: [0, 0, 1], axis: [0, "
                  "0, 1]}\n"
                  "  lower: {kind: revolute, bodies: [ground, door], at: [0, 0, -1], axis: "
                  "[0, 0, 1]}\n"
                  "  turn: {kind: drive, joint: upper, motion: 2*t}\n"
                  "  hinge: {kind: revolute, bodies: [door, flap], at: [1, 0, 0], axis: [1, "
                  "0, 0]}\n",
                  options);
    CHECK_OK(f.status);
    CHECK_NEAR(coordinate(&f, "upper"), 1.0, 1e-12);
    CHECK(f.facts->freedoms == 1 && f.facts->stability == TN_STABLE);
    // The centre of mass of the flap is hypot(0.2, 0.5) below its hinge.
    CHECK_NEAR(place(&f, "flap").z, -hypot(0.2, 0.5), 1e-12);
    CHECK_NEAR(f.facts->misfit, 0.0, 1e-12);
    // The two hinges carry the weight together.
    const double up =
        tn_equilibrium_joint_reaction(f.e, tn_model_find_joint(f.model, "upper")).f.z +
        tn_equilibrium_joint_reaction(f.e, tn_model_find_joint(f.model, "lower")).f.z;
    CHECK_NEAR(up, 3.0 * GRAVITY, 1e-10);
    forget(&f);
}

// Two hinges carry one door: each half of its weight (multipliers of minimum norm), as in a run.
static void hinges_of_a_door_share_its_weight(void)
{
    static const char *const hinge[] = {"low", "high"};
    found f = find("tenon: 1\ngravity: [0, 0, -9.81]\n"
                   "bodies:\n"
                   "  door: {mass: 2, inertia: [0.2, 0.2, 0.2], initial: {position: [0.5, 0, 0]}}\n"
                   "joints:\n"
                   "  low: {kind: revolute, bodies: [ground, door], at: [0, 0, -0.5]}\n"
                   "  high: {kind: revolute, bodies: [ground, door], at: [0, 0, 0.5]}\n"
                   "forces:\n"
                   "  shut: {kind: joint-spring, joint: low, stiffness: 1}\n");
    tn_sim *sim = tn_test_open(f.model, "galpha/ggl", 0.01, 0.0);
    for (int i = 0; i < 2; i++) {
        const tn_joint joint = tn_model_find_joint(f.model, hinge[i]);
        const tn_wrench rests = tn_equilibrium_joint_reaction(f.e, joint);
        const tn_wrench run = tn_sim_joint_reaction(sim, joint);
        CHECK_NEAR(rests.f.z, GRAVITY, 1e-10);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(rests.f, run.f)), 0.0, 1e-10);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(rests.m, run.m)), 0.0, 1e-10);
    }
    tn_sim_destroy(sim);
    forget(&f);
}

// Snap-through ------------------------------------------------------------------------------------

// Two springs between (-1, 0), (0, h) and (1, 0) under a force downwards of 20 N at factor 1. With
// the height y of the top
//
//   P(y) = 2 k y (l / sqrt(1 + y^2) - 1),   dP/dy = 0:  1 + y^2 = l^(2/3)
static const char truss[] =
    "tenon: 1\n"
    "bodies:\n"
    "  top: {kind: point-2d, mass: 1, initial: {position: [0, 0.2]}}\n"
    "forces:\n"
    "  left: {kind: spring, bodies: [ground, top], at_a: [-1, 0, 0], at_b: [0, 0.2, 0], "
    "stiffness: 1000}\n"
    "  right: {kind: spring, bodies: [ground, top], at_a: [1, 0, 0], at_b: [0, 0.2, 0], "
    "stiffness: 1000}\n"
    "  load: {kind: point-force, body: top, force: [0, -20, 0]}\n";

static double truss_load(double y)
{
    return 2000.0 * y * (sqrt(1.04) / sqrt(1.0 + y * y) - 1.0) / 20.0;
}

static double truss_limit(void)
{
    return truss_load(sqrt(cbrt(sqrt(1.04)) * cbrt(sqrt(1.04)) - 1.0));
}

static int column_of(const tn_equilibrium_path *p, const char *name)
{
    for (int i = 0; i < p->ncolumn; i++)
        if (strcmp(p->names[i], name) == 0)
            return i;
    CHECK(false);
    return -1;
}

static void a_truss_is_followed_past_its_limit_points(void)
{
    tn_equilibrium_options options = plain();
    options.arc = true;
    found f = find_with(truss, options);
    CHECK_OK(f.status);
    const tn_equilibrium_path p = tn_equilibrium_path_of(f.e);
    const int y = column_of(&p, "top.y");
    double last = 0.2;
    int limits = 0;
    CHECK(p.rows > 20);
    for (int k = 0; k < p.rows; k++) {
        const double *row = p.values + k * p.ncolumn;
        const bool limit = row[2] != 0.0;
        CHECK_NEAR(row[0], truss_load(row[y]), 1e-10);
        CHECK(row[y] <= last && last - row[y] < 0.05); // no branch is left out
        if (limit)
            CHECK_NEAR(row[0], limits++ == 0 ? truss_limit() : -truss_limit(), 1e-12);
        else if (fabs(fabs(row[0]) - truss_limit()) > 1e-6) // between the limits it is unstable
            CHECK((row[1] == 1.0) == (limits == 1));
        last = row[y];
    }
    CHECK(limits == 2 && f.facts->limits == 2 && f.facts->stability == TN_STABLE);
    CHECK_NEAR(f.facts->limit, truss_limit(), 1e-12);
    CHECK_NEAR(f.facts->load, 1.0, 0.0);
    CHECK_NEAR(truss_load(place(&f, "top").y), 1.0, 1e-11);
    forget(&f);
}

static void loads_in_steps_jump_where_the_path_ends(void)
{
    tn_equilibrium_options options = plain();
    options.steps = 20;
    found f = find_with(truss, options);
    CHECK_OK(f.status);
    const tn_equilibrium_path p = tn_equilibrium_path_of(f.e);
    const int y = column_of(&p, "top.y");
    CHECK(p.rows == 21 && f.facts->jumped);
    CHECK_NEAR(f.facts->jumped_from, truss_limit(), 1e-5); // a step of loads is 5e-7 at least
    CHECK(f.facts->jumped_from <= truss_limit());
    CHECK_TEXT(f.facts->jumped_by, "body 'top', y");
    for (int k = 0; k < p.rows; k++) {
        const double *row = p.values + k * p.ncolumn;
        CHECK_NEAR(row[0], 0.05 * k, 1e-14);
        CHECK_NEAR(row[0], truss_load(row[y]), 1e-9);
        CHECK((row[y] > 0.0) == (row[0] < truss_limit()));
        CHECK(row[1] == 0.0);
    }
    forget(&f);
}

// A spring whose force 10 x exp(-x^2/2) N holds up to 10 exp(-1/2) N, at x = 1.
static void a_load_that_nothing_carries_ends_with_the_last_that_was(void)
{
    tn_equilibrium_options options = plain();
    options.steps = 12;
    found f = find_with("tenon: 1\n"
                        "bodies:\n"
                        "  block: {mass: 1, inertia: [1, 1, 1]}\n"
                        "joints:\n"
                        "  rail: {kind: prismatic, bodies: [ground, block], at: [0, 0, 0], axis: "
                        "[1, 0, 0]}\n"
                        "forces:\n"
                        "  law: {kind: joint-law, joint: rail, law: "
                        "'-10*rail.displacement*exp(-rail.displacement^2/2)'}\n"
                        "  pull: {kind: point-force, body: block, force: [12, 0, 0]}\n",
                        options);
    CHECK(f.status == TN_ERR_NUMERIC);
    CHECK(tn_test_says("beyond load 0.505") && tn_test_says("joint 'rail', displacement"));
    CHECK_NEAR(f.facts->load, 10.0 * exp(-0.5) / 12.0, 1e-5);
    CHECK(tn_equilibrium_path_of(f.e).rows == 7); // loads 0 to 6/12
    forget(&f);
}

// Chains and cables -------------------------------------------------------------------------------

// A cable of n pieces between two points at one height: the horizontal pull H is the same in all
// pieces, the vertical one V_i falls by one weight from piece to piece. A piece under the tension T
// is `piece` (1 + T c) long and lies along (H, V). Finds H and V of the first piece for a span by
// Newton's method on the two sums, with derivatives by differences.
typedef struct cable {
    int n;
    double piece, weight, compliance;
    bool massive; // pieces have their weight in themselves, not at the points between them
} cable;

static void cable_ends(const cable *c, double H, double V, double *x, double *y)
{
    *x = *y = 0.0;
    for (int i = 0; i < c->n; i++) {
        const double v = V - c->weight * (c->massive ? i + 0.5 : i), T = hypot(H, v);
        const double length = c->piece * (1.0 + c->compliance * T);
        *x += length * H / T;
        *y += length * v / T;
    }
}

static double cable_pull(const cable *c, double span)
{
    const double V = 0.5 * c->weight * (c->massive ? c->n : c->n - 1); // by symmetry
    double low = 1e-6, high = 1e6, x, y;
    for (int k = 0; k < 200; k++) {
        const double H = sqrt(low * high);
        cable_ends(c, H, V, &x, &y);
        *(x > span ? &high : &low) = H;
    }
    return sqrt(low * high);
}

// The sag in the middle.
static double cable_sag(const cable *c, double H)
{
    const double V = 0.5 * c->weight * (c->massive ? c->n : c->n - 1);
    cable half = *c;
    double x, y;
    half.n = c->n / 2;
    cable_ends(&half, H, V, &x, &y);
    return y;
}

// Elastic catenary of length L, weight w per length, compliance c: half the span and the sag.
static double catenary_span(double L, double w, double c, double H)
{
    const double V = 0.5 * w * L;
    return 2.0 * (H * c * 0.5 * L + H / w * asinh(V / H));
}

static double catenary_sag(double L, double w, double c, double H)
{
    const double V = 0.5 * w * L;
    return (hypot(H, V) - H) / w + 0.5 * c * V * V / w;
}

enum { TEXT_SIZE = 200000 };

static found find_cable(int n, double L, double span, double stiffness)
{
    char *text = calloc(1, TEXT_SIZE);
    const double piece = L / n, mass = 2.0 / n; // 2 kg in all, at the points between the pieces
    tn_test_append(text, TEXT_SIZE, "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 1; i < n; i++)
        tn_test_append(
            text, TEXT_SIZE,
            "  p%d: {kind: point-2d, mass: %.17g, initial: {position: [%.17g, %.17g]}}\n", i, mass,
            span * i / n, -2.0 * L * i / n * (n - i) / n);
    tn_test_append(text, TEXT_SIZE, "forces:\n");
    for (int i = 0; i < n; i++) {
        char a[32] = "ground", b[32] = "ground";
        if (i > 0)
            snprintf(a, sizeof a, "p%d", i);
        if (i + 1 < n)
            snprintf(b, sizeof b, "p%d", i + 1);
        const double y0 = -2.0 * L * i / n * (n - i) / n;
        const double y1 = -2.0 * L * (i + 1) / n * (n - i - 1) / n;
        tn_test_append(text, TEXT_SIZE,
                       "  s%d: {kind: spring, bodies: [%s, %s], at_a: [%.17g, %.17g, 0], at_b: "
                       "[%.17g, %.17g, 0], stiffness: %.17g, free: %.17g}\n",
                       i, a, b, span * i / n, y0, span * (i + 1) / n, y1, stiffness * n / L, piece);
    }
    const found f = find(text);
    free(text);
    return f;
}

// EA = 500 N against a weight of some 20 N: it gives way by several percent.
static void a_cable_hangs_as_the_elastic_catenary(void)
{
    const double L = 1.5, span = 1.0, EA = 500.0, weight = 2.0 * GRAVITY;
    double off[2];
    for (int k = 0; k < 2; k++) {
        const int n = k == 0 ? 20 : 80;
        const cable c = {.n = n, .piece = L / n, .weight = weight / n, .compliance = 1.0 / EA};
        found f = find_cable(n, L, span, EA);
        char middle[16];
        snprintf(middle, sizeof middle, "p%d", n / 2);
        CHECK(f.facts->stability == TN_STABLE);
        const double sag = -place(&f, middle).y;
        CHECK_NEAR(place(&f, middle).x, 0.5 * span, 1e-10);
        CHECK_NEAR(sag, cable_sag(&c, cable_pull(&c, span)), 1e-10);
        double low = 1e-6, high = 1e6; // H of the continuous cable
        for (int i = 0; i < 200; i++) {
            const double H = sqrt(low * high);
            *(catenary_span(L, weight / L, 1.0 / EA, H) > span ? &high : &low) = H;
        }
        off[k] = fabs(sag - catenary_sag(L, weight / L, 1.0 / EA, low));
        forget(&f);
    }
    CHECK(off[0] < 5e-3 && off[1] < 3e-4);
    CHECK_NEAR(off[0] / off[1], 16.0, 4.0); // second order in the length of the pieces
}

// Rods on pins between two points, put up as two straight legs.
static void a_chain_hangs_as_its_rods_balance(void)
{
    enum { N = 40 };
    const double L = 1.5, span = 1.0, drop = sqrt(0.75 * 0.75 - 0.25), piece = L / N;
    const double turn = atan2(drop, 0.5 * span);
    char *text = calloc(1, TEXT_SIZE);
    tn_test_append(text, TEXT_SIZE, "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    double x[N + 1], y[N + 1];
    for (int i = 0; i <= N; i++) {
        x[i] = span * i / N;
        y[i] = -drop * (1.0 - fabs(2.0 * i - N) / N);
    }
    for (int i = 0; i < N; i++)
        tn_test_append(text, TEXT_SIZE,
                       "  r%d: {kind: planar, mass: 0.05, inertia: 1e-5, initial: {position: "
                       "[%.17g, %.17g], angle: %.17g}}\n",
                       i, 0.5 * (x[i] + x[i + 1]), 0.5 * (y[i] + y[i + 1]),
                       i < N / 2 ? -turn : turn);
    tn_test_append(text, TEXT_SIZE, "joints:\n");
    for (int i = 0; i <= N; i++) {
        char a[32] = "ground", b[32] = "ground";
        if (i > 0)
            snprintf(a, sizeof a, "r%d", i - 1);
        if (i < N)
            snprintf(b, sizeof b, "r%d", i);
        tn_test_append(text, TEXT_SIZE,
                       "  j%d: {kind: revolute, bodies: [%s, %s], at: [%.17g, %.17g, 0]}\n", i, a,
                       b, x[i], y[i]);
    }
    found f = find(text);
    const cable c = {.n = N, .piece = piece, .weight = 0.05 * GRAVITY, .massive = true};
    const double H = cable_pull(&c, span), sag = cable_sag(&c, H);
    CHECK(f.facts->stability == TN_STABLE && f.facts->freedoms == N - 2);
    const tn_wrench w = tn_equilibrium_joint_reaction(f.e, tn_model_find_joint(f.model, "j0"));
    CHECK_NEAR(w.f.x, -H, 1e-9);
    CHECK_NEAR(w.f.y, 0.5 * N * 0.05 * GRAVITY, 1e-9);
    const tn_vec3 a = place(&f, "r19"), b = place(&f, "r20"); // on both sides of the middle
    CHECK_NEAR(a.y, b.y, 1e-10);
    const double slope = 0.5 * c.weight / hypot(H, 0.5 * c.weight);
    CHECK_NEAR(-a.y, sag - 0.5 * piece * slope, 1e-10);
    // The inextensible catenary, but for the length of the rods.
    CHECK_NEAR(H, 9.81 * 2.0 / L * 0.5 * span / 1.6221, 0.02);
    forget(&f);
    free(text);
}

// A chain of n rods of 1 m that starts along x or stands upright; free it.
static char *rods(int n, bool upright)
{
    char *text = calloc(1, 2 * TEXT_SIZE);
    tn_test_append(text, 2 * TEXT_SIZE, "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 0; i < n; i++)
        tn_test_append(text, 2 * TEXT_SIZE,
                       "  r%d: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [%g, "
                       "%g]}}\n",
                       i, upright ? 0.0 : i + 0.5, upright ? i + 0.5 : 0.0);
    tn_test_append(text, 2 * TEXT_SIZE, "joints:\n");
    for (int i = 0; i < n; i++) {
        char a[32] = "ground";
        if (i > 0)
            snprintf(a, sizeof a, "r%d", i - 1);
        tn_test_append(text, 2 * TEXT_SIZE,
                       "  j%d: {kind: revolute, bodies: [%s, r%d], at: [%d, %d, 0]}\n", i, a, i,
                       upright ? 0 : i, upright ? i : 0);
    }
    return text;
}

// It lets itself down from the horizontal.
static void a_thousand_rods_hang(void)
{
    char *text = rods(1000, false);
    found f = find(text);
    CHECK_NEAR(place(&f, "r999").y, -999.5, 1e-9);
    CHECK_NEAR(place(&f, "r999").x, 0.0, 1e-6);
    CHECK(f.facts->freedoms == 1000 && f.facts->stability == TN_STABLE);
    forget(&f);
    free(text);
}

// By dense matrices and by Lanczos' method, which sees the fastest of all unstable motions.
static void many_rods_do_not_stand(void)
{
    tn_equilibrium_options options = plain();
    options.nearest = true;
    for (int k = 0; k < 2; k++) {
        char *text = rods(k == 0 ? 60 : 700, true);
        found f = find_with(text, options);
        CHECK_OK(f.status);
        CHECK(f.facts->stability == TN_UNSTABLE && f.facts->at_least == (k == 1));
        CHECK(k == 0 ? f.facts->unstable == 60 : f.facts->unstable > 0);
        // A chain of one rod less on top of the lowest one pushes it over faster than its weight
        // alone would.
        CHECK(f.facts->growth > sqrt(GRAVITY * 0.5 / 0.35));
        forget(&f);
        free(text);
    }
}

// The double wishbone, let go with its damper, comes to rest where its equilibrium is.
static void a_suspension_comes_to_rest_in_its_equilibrium(void)
{
    tn_model *model = NULL;
    double turn[2], rate[1];
    CHECK_OK(tn_model_load(tn_test_path("models/wishbone.yaml"), &model, NULL));
    tn_sim *sim = tn_test_open(model, "radau5/ggl", 0.0, 1e-9);
    CHECK_OK(tn_sim_run(sim, 4.0, NULL, NULL));
    tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "lower pivot"), turn, rate);
    const tn_vec3 wheel = tn_sim_body_frame(sim, tn_model_find_body(model, "upright")).p;
    CHECK_NEAR(rate[0], 0.0, 1e-7);
    tn_sim_destroy(sim);
    found f = find_of(model, plain());
    CHECK_OK(f.status);
    CHECK(f.facts->stability == TN_STABLE && f.facts->freedoms == 1);
    CHECK_NEAR(coordinate(&f, "lower pivot"), turn[0], 1e-8);
    CHECK_NEAR(tn_v3_norm(tn_v3_sub(place(&f, "upright"), wheel)), 0.0, 1e-8);
    forget(&f);
}

// Beams -------------------------------------------------------------------------------------------

// Nodes of a beam in the plane of x and z, whose elements are unstrained between them as they lie.
typedef struct beam {
    tn_model *model;
    int n; // nodes
    tn_body node[64];
    tn_vec3 at[64];
} beam;

static void add_node(beam *b, tn_vec3 at)
{
    char name[16];
    tn_body_def def = tn_default_body();
    snprintf(name, sizeof name, "n%d", b->n);
    def.name = name;
    def.mass = 0.1;
    def.inertia = tn_v3(1e-5, 1e-5, 1e-5);
    def.frame.p = at;
    b->node[b->n] = tn_model_add_body(b->model, &def);
    b->at[b->n++] = at;
}

// EI = 1 N m^2 about y, and about x five times as much.
static void add_element(beam *b, double EA)
{
    const tn_vec3 d = tn_v3_sub(b->at[b->n - 1], b->at[b->n - 2]);
    const double turn = atan2(d.x, d.z);
    char name[16];
    tn_force_def def = tn_default_force(TN_FORCE_BEAM_ELEMENT);
    snprintf(name, sizeof name, "e%d", b->n - 1);
    def.name = name;
    def.body_a = b->node[b->n - 2];
    def.body_b = b->node[b->n - 1];
    def.frame_a.R = def.frame_b.R =
        (tn_mat3){{{cos(turn), 0.0, sin(turn)}, {0.0, 1.0, 0.0}, {-sin(turn), 0.0, cos(turn)}}};
    def.beam.length = tn_v3_norm(d);
    def.beam.stiffness = tn_v3(EA, EA, EA);
    def.beam.rotational_stiffness = tn_v3(5.0, 1.0, 5.0);
    tn_model_add_force(b->model, &def);
}

static void hold_node(beam *b, int node, tn_joint_kind kind)
{
    char name[16];
    tn_joint_def def = tn_default_joint(kind);
    snprintf(name, sizeof name, "j%d", node);
    def.name = name;
    def.body_a = TN_GROUND;
    def.body_b = b->node[node];
    def.frame_a.p = b->at[node];
    def.frame_a.R = def.frame_b.R = // z of the joint along y
        (tn_mat3){{{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, -1.0, 0.0}}};
    tn_model_add_joint(b->model, &def);
}

// A moment at its end bends a straight beam into an arc of a circle, 2 pi EI / L into a whole one.
// The elements are exact there.
static void a_beam_rolls_up_into_a_circle(void)
{
    enum { ELEMENTS = 10 };
    beam b = {.model = tn_model_create()};
    for (int i = 0; i <= ELEMENTS; i++) {
        add_node(&b, tn_v3(0.0, 0.0, (double)i / ELEMENTS));
        if (i > 0)
            add_element(&b, 1e4);
    }
    hold_node(&b, 0, TN_JOINT_FIXED);
    tn_force_def moment = tn_default_force(TN_FORCE_POINT);
    moment.name = "moment";
    moment.body_b = b.node[ELEMENTS];
    moment.point.torque[1].constant = 2.0 * PI;
    tn_model_add_force(b.model, &moment);
    tn_equilibrium_options options = plain();
    options.steps = 8;
    found f = find_of(b.model, options);
    CHECK_OK(f.status);
    const tn_equilibrium_path p = tn_equilibrium_path_of(f.e);
    const int x = column_of(&p, "n10.x"), z = column_of(&p, "n10.z");
    for (int k = 1; k < p.rows; k++) {
        const double *row = p.values + k * p.ncolumn, turn = 2.0 * PI * k / 8.0;
        CHECK_NEAR(row[x], (1.0 - cos(turn)) / turn, 1e-9);
        CHECK_NEAR(row[z], sin(turn) / turn, 1e-9);
    }
    forget(&f);
}

// A shallow arch h sin(k z), k = pi / L, pinned at both ends, under a load P sin(k z): with the
// radius of gyration r = sqrt(EI / EA) its height a is that of [TG61]
//
//   P = EI k^4 (h - a + a (h^2 - a^2) / (4 r^2)),   h = 4 r:  P / (EI k^4 r) = 4 + 3 A - A^3 / 4
//
// with A = a / r, and limit points at A = 2, P = 8, and A = -2, P = 0. It does not turn aside, as
// h / r is below sqrt(22). Slopes of 0.06 that the formula neglects and 40 elements: some 0.5 %.
static void an_arch_snaps_through(void)
{
    enum { ELEMENTS = 40 };
    const double h = 0.02, r = 0.25 * h, unit = PI * PI * PI * PI * r, top = 12.0;
    beam b = {.model = tn_model_create()};
    for (int i = 0; i <= ELEMENTS; i++) {
        const double z = (double)i / ELEMENTS;
        add_node(&b, tn_v3(h * sin(PI * z), 0.0, z));
        if (i > 0)
            add_element(&b, 1.0 / (r * r));
        tn_force_def load = tn_default_force(TN_FORCE_POINT);
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        load.name = name;
        load.body_b = b.node[i];
        load.point.force[0].constant = -top * unit * sin(PI * z) / ELEMENTS;
        tn_model_add_force(b.model, &load);
    }
    hold_node(&b, 0, TN_JOINT_REVOLUTE);
    hold_node(&b, ELEMENTS, TN_JOINT_REVOLUTE);
    tn_equilibrium_options options = plain();
    options.arc = true;
    options.arc_step = 0.3;
    found f = find_of(b.model, options);
    CHECK_OK(f.status);
    const tn_equilibrium_path p = tn_equilibrium_path_of(f.e);
    const int x = column_of(&p, "n20.x");
    int limits = 0;
    double last = 4.0;
    for (int k = 0; k < p.rows; k++) {
        const double *row = p.values + k * p.ncolumn, A = row[x] / r;
        CHECK_NEAR(top * row[0], 4.0 + 3.0 * A - 0.25 * A * A * A, 0.06);
        CHECK(A <= last + 1e-9);
        last = A;
        if (row[2] != 0.0) {
            CHECK_NEAR(top * row[0], limits == 0 ? 8.0 : 0.0, 0.04);
            CHECK_NEAR(A, limits == 0 ? 2.0 : -2.0, 0.04);
            limits++;
        }
    }
    CHECK(limits == 2 && f.facts->stability == TN_STABLE);
    forget(&f);
}

// Steady rotation ---------------------------------------------------------------------------------

// The governor of models/governor.yaml at the angle p of its rods below the level and the height s
// of its slider: derivatives of the potential in the frame that turns with w, divided by 2.
static void governor_balance(double w, double p, double s, double out[2])
{
    const double rho = 3000.0, a = 0.1, b = 0.01, l = 1.0, k = 8e5, ball = 5.0;
    const double M = rho * a * a * a, m = rho * b * b * l;
    const double along = m * b * b / 6.0, across = m * (l * l + b * b) / 12.0;
    const double X = 0.5 * l * cos(p), Z = 1.0 - 0.5 * l * sin(p) - s, d = hypot(X, Z);
    const double pull = k * (d - 0.5) / d;
    const double weight = -GRAVITY * (0.5 * m + ball) * l * cos(p);
    const double link = pull * (X * -0.5 * l * sin(p) + Z * -0.5 * l * cos(p));
    const double fly = (0.5 * a + X) * m * -0.5 * l * sin(p) +
                       (0.5 * a + 2.0 * X) * ball * -l * sin(p) +
                       (along - across) * sin(p) * cos(p);
    out[0] = weight + link - w * w * fly;
    out[1] = 0.5 * M * GRAVITY - pull * Z;
}

static void a_governor_opens_with_its_speed(void)
{
    const double speeds[] = {3.0, 4.0, 5.0, 2.0 * PI, 8.0, 12.0};
    double last = -1.0;
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path("models/governor.yaml"), &model, NULL));
    for (int i = 0; i < TN_COUNT(speeds); i++) {
        tn_equilibrium_options options = plain();
        options.spin = speeds[i];
        tn_equilibrium *e = NULL;
        double turn[3], out[2];
        CHECK_OK(tn_equilibrium_create(model, &options, &e));
        CHECK_OK(tn_equilibrium_find(e));
        tn_equilibrium_joint_coordinates(e, tn_model_find_joint(model, "hinge right"), turn);
        const double p = PI / 6.0 + turn[0]; // 30 degrees at the start
        const double s = tn_equilibrium_body_frame(e, tn_model_find_body(model, "slider")).p.z;
        governor_balance(speeds[i], p, s, out);
        CHECK_NEAR(out[0], 0.0, 1e-7); // links of 8e5 N/m, lengths to 1e-13 m
        CHECK_NEAR(out[1], 0.0, 1e-7);
        const tn_equilibrium_facts *f = tn_equilibrium_facts_of(e);
        CHECK(f->stability == TN_NEUTRAL && f->neutral == 1); // the angle of the shaft
        CHECK_TEXT(f->direction, "joint 'bearing', angle");
        CHECK(s > last); // the faster, the higher
        last = s;
        tn_equilibrium_destroy(e);
    }
    tn_model_destroy(model);
}

// With a drive that holds the speed the angle of the shaft is no freedom any more.
static void a_drive_may_hold_the_speed(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  hoop: {mass: 1, inertia: [1, 1, 1]}\n"
        "  bead: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], initial: {position: [0.1, 0, -1]}}\n"
        "joints:\n"
        "  bearing: {kind: revolute, bodies: [ground, hoop], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  arm: {kind: revolute, bodies: [hoop, bead], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  speed: {kind: drive, joint: bearing, motion: 4*t}\n";
    tn_equilibrium_options options = plain();
    options.spin = 4.0;
    found f = find_with(text, options);
    CHECK_OK(f.status);
    CHECK(f.facts->stability == TN_STABLE && f.facts->freedoms == 1);
    CHECK_NEAR(place(&f, "bead").z, -GRAVITY / 16.0, 1e-10); // whatever the radius
    forget(&f);
    options.spin = 5.0;
    f = find_with(text, options);
    CHECK(f.status == TN_ERR_NUMERIC && tn_test_says("joint 'speed'"));
    forget(&f);
}

// A bead on a hoop of radius 1 that turns: at the bottom up to w^2 = g, then at cos = g / w^2.
static void a_bead_leaves_the_bottom_of_its_hoop(void)
{
    static const char hoop[] =
        "tenon: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  hoop: {mass: 1, inertia: [1, 1, 1]}\n"
        "  bead: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], initial: {position: [0, 0, -1]}}\n"
        "joints:\n"
        "  bearing: {kind: revolute, bodies: [ground, hoop], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  arm: {kind: revolute, bodies: [hoop, bead], at: [0, 0, 0], axis: [0, 1, 0]}\n";
    tn_equilibrium_options options = plain();
    options.nearest = true;
    for (int k = 0; k < 2; k++) {
        options.spin = k == 0 ? 3.0 : 4.0;
        found f = find_with(hoop, options);
        CHECK_OK(f.status);
        CHECK_NEAR(place(&f, "bead").z, -1.0, 1e-12);
        CHECK(f.facts->unstable == k && f.facts->neutral == 1);
        // exp(s t) with s^2 = w^2 m / (m + J) - g m / (m + J), by a bead with J in its own right:
        // J does not push it out, as it is a sphere.
        if (k == 1)
            CHECK_NEAR(f.facts->growth, sqrt((16.0 - GRAVITY) / 1.001), 1e-6);
        forget(&f);
    }
    options.nearest = false;
    found f = find_with(hoop, options);
    CHECK_OK(f.status);
    CHECK_NEAR(place(&f, "bead").z, -GRAVITY / 16.0, 1e-10);
    CHECK(f.facts->unstable == 0 && f.facts->left == 1);
    forget(&f);
    options.axis = tn_v3(1.0, 0.0, 0.0);
    tn_equilibrium *e = NULL;
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(hoop, "hoop", &model, NULL));
    CHECK_OK(tn_equilibrium_create(model, &options, &e));
    CHECK(tn_equilibrium_find(e) == TN_ERR_NUMERIC && tn_test_says("joint 'bearing'"));
    tn_equilibrium_destroy(e);
    tn_model_destroy(model);
}

// Follower forces ---------------------------------------------------------------------------------

// Ziegler's column: two rods of length 1 on springs k, a follower force P at the tip; masses 2 and
// 1 at the ends of the rods. Straight it is an equilibrium for every P, which loses its stability
// by flutter at P = (7/2 - sqrt 2) k [Zie52] and by no dead load. A dead load buckles it at
// P = (3 - sqrt 5) / 2 k.
static void column_text(double P, bool follower, char *text, size_t size)
{
    snprintf(text, size,
             "tenon: 1\n"
             "bodies:\n"
             "  a: {kind: planar, mass: 2, inertia: 1e-9, com: [1, 0], initial: {position: [0, "
             "0]}}\n"
             "  b: {kind: planar, mass: 1, inertia: 1e-9, com: [1, 0], initial: {position: [1, "
             "0]}}\n"
             "joints:\n"
             "  p: {kind: revolute, bodies: [ground, a], at: [0, 0, 0]}\n"
             "  q: {kind: revolute, bodies: [a, b], at: [1, 0, 0]}\n"
             "forces:\n"
             "  kp: {kind: joint-spring, joint: p, stiffness: 1}\n"
             "  kq: {kind: joint-spring, joint: q, stiffness: 1}\n"
             "  tip: {kind: point-force, body: b, at: [2, 0, 0], force: [%.17g, 0, 0], follower: "
             "%s}\n",
             -P, follower ? "true" : "false");
}

static found column(double P, bool follower)
{
    char text[1600];
    tn_equilibrium_options options = plain();
    column_text(P, follower, text, sizeof text);
    options.nearest = true;
    const found f = find_with(text, options);
    CHECK_OK(f.status);
    return f;
}

static void a_follower_force_makes_a_column_flutter(void)
{
    const double flutter = 3.5 - sqrt(2.0), buckling = 0.5 * (3.0 - sqrt(5.0));
    found f = column(0.999 * flutter, true);
    CHECK(f.facts->unstable == 0 && f.facts->stability == TN_STABLE);
    forget(&f);
    f = column(1.001 * flutter, true);
    CHECK(f.facts->stability == TN_UNSTABLE && f.facts->flutter);
    forget(&f);
    f = column(0.999 * buckling, false);
    CHECK(f.facts->stability == TN_STABLE);
    forget(&f);
    f = column(1.001 * buckling, false);
    CHECK(f.facts->stability == TN_UNSTABLE && !f.facts->flutter && f.facts->unstable == 1);
    forget(&f);
}

// Loads in steps come to the buckling load, where the straight column is left.
static void a_column_buckles(void)
{
    tn_equilibrium_options options = plain();
    options.steps = 3;
    const double P = 0.6, buckling = 0.5 * (3.0 - sqrt(5.0));
    char text[1600];
    column_text(P, false, text, sizeof text);
    found f = find_with(text, options);
    CHECK_OK(f.status);
    CHECK(f.facts->jumped && f.facts->stability == TN_STABLE);
    CHECK_NEAR(f.facts->jumped_from, buckling / P, 1e-5);
    // Balance of the rods: P sin a = a - b, P sin(a + b) = b with angles a and b of the springs.
    const double a = coordinate(&f, "p"), b = coordinate(&f, "q");
    CHECK(fabs(a) > 0.1);
    CHECK_NEAR(P * sin(a), a - b, 1e-11);
    CHECK_NEAR(P * sin(a + b), b, 1e-11);
    forget(&f);
}

static void keep_sentence(void *user, const char *sentence)
{
    snprintf(user, 800, "%s", sentence);
}

// By its length the path of the straight column goes on, and where it is left is told.
static void a_fork_of_a_path_is_told(void)
{
    tn_equilibrium_options options = plain();
    char text[1600], told[800] = "";
    column_text(0.6, false, text, sizeof text);
    options.arc = true;
    options.teller = (tn_teller){keep_sentence, told};
    found f = find_with(text, options);
    CHECK_OK(f.status);
    CHECK(f.facts->unstable == 1 && f.facts->limits == 0);
    CHECK(strstr(told, "from 0 to 1 (joint 'p', angle)") != NULL);
    forget(&f);
}

// A mass on a spring and a damper with an integral controller, x'' + c x' + k x + i z = 0, z' = x:
// stable where c k > i (Routh).
static void a_controller_takes_part_in_stability(void)
{
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies:\n  block: {mass: 1, inertia: [1, 1, 1]}\n"
                 "joints:\n"
                 "  rail: {kind: prismatic, bodies: [ground, block], at: [0, 0, 0], axis: [1, 0, "
                 "0]}\n"
                 "states:\n  z: {rate: rail.displacement - 0.25}\n"
                 "forces:\n"
                 "  spring: {kind: joint-spring, joint: rail, stiffness: 4, damping: 0.5}\n"
                 "  control: {kind: motor, joint: rail, effort: '-%g*z'}\n",
                 k == 0 ? 1.99 : 2.01);
        found f = find(text);
        CHECK_NEAR(coordinate(&f, "rail"), 0.25, 1e-12);
        CHECK(f.facts->stability == (k == 0 ? TN_STABLE : TN_UNSTABLE));
        CHECK(f.facts->flutter == (k == 1));
        forget(&f);
    }
}

// Trim --------------------------------------------------------------------------------------------

static void trim_finds_the_torques_of_an_arm(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, -9.81, 0]\n"
        "inputs:\n  T1: {kind: held, value: 0}\n  T2: {kind: held, value: 0}\n"
        "bodies:\n"
        "  a: {kind: planar, mass: 4, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
        "  b: {kind: planar, mass: 2, inertia: 0.1, initial: {position: [1.5, 0]}}\n"
        "joints:\n"
        "  s: {kind: revolute, bodies: [ground, a], at: [0, 0, 0]}\n"
        "  e: {kind: revolute, bodies: [a, b], at: [1, 0, 0]}\n"
        "forces:\n"
        "  m1: {kind: motor, joint: s, effort: T1}\n"
        "  m2: {kind: motor, joint: e, effort: T2}\n";
    tn_equilibrium_options options = plain();
    options.trim = "T1, T2";
    options.outputs = "s.angle = 0.3, e.angle=0.4";
    found f = find_with(text, options);
    CHECK_OK(f.status);
    CHECK_NEAR(coordinate(&f, "s"), 0.3, 1e-12);
    CHECK_NEAR(coordinate(&f, "e"), 0.4, 1e-12);
    const double T2 = 2.0 * GRAVITY * 0.5 * cos(0.7);
    const double T1 = T2 + 4.0 * GRAVITY * 0.5 * cos(0.3) + 2.0 * GRAVITY * cos(0.3);
    CHECK_TEXT(tn_equilibrium_trim_name(f.e, 1), "T2");
    CHECK_NEAR(tn_equilibrium_trim_value(f.e, 0), T1, 1e-10);
    CHECK_NEAR(tn_equilibrium_trim_value(f.e, 1), T2, 1e-10);
    forget(&f);
    // The same by the place of the lower arm, whose centre is its origin.
    char by_place[120];
    snprintf(by_place, sizeof by_place, "b.x = %.17g, b.y=%.17g", cos(0.3) + 0.5 * cos(0.7),
             sin(0.3) + 0.5 * sin(0.7));
    options.outputs = by_place;
    f = find_with(text, options);
    CHECK_OK(f.status);
    CHECK_NEAR(place(&f, "b").x, cos(0.3) + 0.5 * cos(0.7), 1e-12);
    const double s = coordinate(&f, "s"), d = s + coordinate(&f, "e"); // elbow up or down
    CHECK_NEAR(tn_equilibrium_trim_value(f.e, 1), GRAVITY * cos(d), 1e-10);
    CHECK_NEAR(tn_equilibrium_trim_value(f.e, 0), GRAVITY * (cos(d) + 4.0 * cos(s)), 1e-10);
    forget(&f);
    tn_model *model = NULL;
    tn_equilibrium *e = NULL;
    CHECK_OK(tn_model_parse(text, "arm", &model, NULL));
    options.outputs = "s.angle = 0.3";
    CHECK_STATUS(tn_equilibrium_create(model, &options, &e), TN_ERR_USAGE);
    CHECK(tn_test_says("as many"));
    options.trim = "T3";
    CHECK_STATUS(tn_equilibrium_create(model, &options, &e), TN_ERR_USAGE);
    CHECK(tn_test_says("no input 'T3'") && tn_test_says("'T1', 'T2'"));
    options.trim = "T1";
    options.outputs = "wrist.angle = 1";
    CHECK_STATUS(tn_equilibrium_create(model, &options, &e), TN_ERR_USAGE);
    CHECK(tn_test_says("no body as in 'wrist.angle'"));
    options.outputs = "s.angle";
    CHECK_STATUS(tn_equilibrium_create(model, &options, &e), TN_ERR_USAGE);
    CHECK(tn_test_says("JOINT.COORDINATE=VALUE"));
    // Both torques hold the elbow alone: the shoulder cannot be where it is asked for.
    options.trim = "T2";
    options.outputs = "s.angle = 0.3";
    CHECK_OK(tn_equilibrium_create(model, &options, &e));
    CHECK_STATUS(tn_equilibrium_find(e), TN_ERR_NUMERIC);
    CHECK(tn_test_says("joint 's', angle") && tn_test_says("input 'T2'"));
    tn_equilibrium_destroy(e);
    tn_model_destroy(model);
}

static void fails_with(const char *text, const char *sentence)
{
    found f = find_with(text, plain());
    CHECK_STATUS(f.status, TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), sentence) != NULL);
    forget(&f);
}

static void states_stand_still_within_their_limits(void)
{
    fails_with("{tenon: 1, bodies: {r: {kind: planar, mass: 1, inertia: 1}},\n"
               " joints: {b: {kind: prismatic, bodies: [ground, r], axis: [1, 0]}},\n"
               " states: {z: {rate: '5 - b.displacement.rate'}},\n"
               " forces: {m: {kind: joint-law, joint: b, law: '-10*coordinate'}}}",
               "state 'z' goes on with the rate 5");
    fails_with("{tenon: 1, bodies: {a: {kind: planar, mass: 2, inertia: 0.1}},\n"
               " joints: {s: {kind: prismatic, bodies: [ground, a], axis: [1, 0]}},\n"
               " states: {i: {rate: '0.1 - s.displacement', limits: [-0.2, 0.2]}},\n"
               " forces: {f: {kind: joint-law, joint: s, law: '-10*coordinate - rate + 3*i'}}}",
               "its limits are [-0.2, 0.2]");
}

static void a_damper_that_drives_is_unstable(void)
{
    found f = find("{tenon: 1, bodies: {b: {kind: point-2d, mass: 1}},\n"
                   " joints: {p: {kind: pin-in-slot, bodies: [ground, b], axis: [1, 0]}},\n"
                   " forces: {f: {kind: joint-law, joint: p, law: '-400*coordinate + rate/2'}}}");
    CHECK(f.facts->stability == TN_UNSTABLE && f.facts->flutter);
    CHECK_NEAR(f.facts->growth, 0.25, 1e-9);
    forget(&f);
}

// A state that grows by itself, beside a pendulum at rest with and without a damper.
static void states_that_grow_alone_are_named(void)
{
    static const char *const dampers[] = {"", ", forces: {m: {kind: joint-spring, joint: p, "
                                              "damping: 1}}"};
    for (int k = 0; k < TN_COUNT(dampers); k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{tenon: 1, gravity: [0, -9.81], bodies: {b: {kind: planar, mass: 1,\n"
                 " inertia: 0.1, initial: {position: [0, -1]}}},\n"
                 " joints: {p: {kind: revolute, bodies: [ground, b], at: [0, 0]}},\n"
                 " states: {c: {rate: '0.1*c'}}%s}",
                 dampers[k]);
        found f = find(text);
        CHECK(f.facts->stability == TN_UNSTABLE && f.facts->unstable == 1 && f.facts->left == 0);
        CHECK_TEXT(f.facts->direction, "state 'c'");
        CHECK_NEAR(f.facts->growth, 0.1, 1e-9);
        forget(&f);
    }
}

static const tn_test tests[] = {
    {"states that grow alone are named", states_that_grow_alone_are_named},
    {"states stand still within their limits", states_stand_still_within_their_limits},
    {"a damper that drives is unstable", a_damper_that_drives_is_unstable},
    {"a pendulum hangs from wherever it starts", a_pendulum_hangs_from_wherever_it_starts},
    {"an upright pendulum is left unless the nearest is asked for",
     an_upright_pendulum_is_left_unless_the_nearest_is_asked_for},
    {"a door on a plumb hinge rests anywhere", a_door_on_a_plumb_hinge_rests_anywhere},
    {"what nothing holds is named", what_nothing_holds_is_named},
    {"redundant rows and drives are met", redundant_rows_and_drives_are_met},
    {"hinges of a door share its weight", hinges_of_a_door_share_its_weight},
    {"a truss is followed past its limit points", a_truss_is_followed_past_its_limit_points},
    {"loads in steps jump where the path ends", loads_in_steps_jump_where_the_path_ends},
    {"a load that nothing carries ends with the last that was",
     a_load_that_nothing_carries_ends_with_the_last_that_was},
    {"a cable hangs as the elastic catenary", a_cable_hangs_as_the_elastic_catenary},
    {"a chain hangs as its rods balance", a_chain_hangs_as_its_rods_balance},
    {"a thousand rods hang", a_thousand_rods_hang},
    {"many rods do not stand", many_rods_do_not_stand},
    {"a suspension comes to rest in its equilibrium",
     a_suspension_comes_to_rest_in_its_equilibrium},
    {"a beam rolls up into a circle", a_beam_rolls_up_into_a_circle},
    {"an arch snaps through", an_arch_snaps_through},
    {"a governor opens with its speed", a_governor_opens_with_its_speed},
    {"a drive may hold the speed", a_drive_may_hold_the_speed},
    {"a bead leaves the bottom of its hoop", a_bead_leaves_the_bottom_of_its_hoop},
    {"a follower force makes a column flutter", a_follower_force_makes_a_column_flutter},
    {"a column buckles", a_column_buckles},
    {"a fork of a path is told", a_fork_of_a_path_is_told},
    {"a controller takes part in stability", a_controller_takes_part_in_stability},
    {"trim finds the torques of an arm", trim_finds_the_torques_of_an_arm},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
