// SPDX-License-Identifier: MIT
//
// Linear models against matrices by hand, published eigenvalues, and the nonlinear run: a cart with
// a pole, the benchmark bicycle, spinning tops and rotors, a controlled motor, massless parts; what
// is periodic or no steady motion is refused.

#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "tenon/tenon.h"
#include "test.h"

#include <string.h>

typedef struct found {
    tn_model *model;
    tn_linear *l;
    tn_status status;
} found;

static tn_linear_options plain(void)
{
    return tn_default_linear();
}

static found linearise_of(tn_model *model, tn_linear_options options)
{
    found f = {.model = model};
    f.status = tn_linear_create(model, &options, &f.l);
    return f;
}

static found linearise(const char *text, tn_linear_options options)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "linear", &model, NULL));
    const found f = linearise_of(model, options);
    CHECK_OK(f.status);
    return f;
}

static void forget(found *f)
{
    tn_linear_destroy(f->l);
    tn_model_destroy(f->model);
}

static double entry(const found *f, tn_linear_matrix m, int i, int j)
{
    int rows, columns;
    const double *at = tn_linear_values(f->l, m, &rows, &columns);
    CHECK(at && i < rows && j < columns);
    return at[j * rows + i];
}

static int doubts(const tn_verdict *v)
{
    int n = 0;
    for (int k = 0; k < v->count; k++)
        n += v->judged[k].doubtful;
    return n;
}

// Doubt i of a verdict; an empty one where there are fewer.
static const tn_judged *doubt(const tn_verdict *v, int i)
{
    static const tn_judged none = {.quantity = ""};
    for (int k = 0; k < v->count; k++)
        if (v->judged[k].doubtful && i-- == 0)
            return &v->judged[k];
    return &none;
}

static bool has_value(int n, const double *re, const double *im, double a, double b, double tol)
{
    for (int i = 0; i < n; i++)
        if (hypot(re[i] - a, im[i] - b) < tol)
            return true;
    return false;
}

// A cart and a pole -------------------------------------------------------------------------------

// Upright, with the angle to the left: (M + m) x'' - m l a'' = F, (J + m l^2) a'' - m l x'' = m g l
// a.
static const char *const cart_pole =
    "{tenon: 1, gravity: [0, -9.81, 0], inputs: {push: {value: 0}, twist: {value: 0}},\n"
    " bodies: {cart: {kind: planar, mass: 1.3, inertia: 0.01},\n"
    "          pole: {kind: planar, mass: 0.2, inertia: 0.0166, com: [0, 0.5]}},\n"
    " joints: {rail: {kind: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]},\n"
    "          pin: {kind: revolute, bodies: [cart, pole], at: [0, 0]}},\n"
    " forces: {drive: {kind: motor, joint: rail, effort: push},\n"
    "          hand: {kind: motor, joint: pin, effort: twist},\n"
    "          rub: {kind: joint-spring, joint: rail, damping: 0.7}}}";

static void a_pole_on_a_cart_is_that_of_the_hand(void)
{
    const double M = 1.3, m = 0.2, l = 0.5, J = 0.0166, g = 9.81, d = 0.7;
    const double n = (M + m) * (J + m * l * l) - m * l * m * l;
    tn_linear_options options = plain();
    options.find.nearest = true;
    options.coordinates = "joint";
    options.outputs = "pin.angle,pole.position.x,rail.displacement.acceleration,pin.force.x";
    found f = linearise(cart_pole, options);
    const char *const states[] = {"rail.displacement", "pin.angle", "rail.displacement.rate",
                                  "pin.angle.rate"};
    CHECK(tn_linear_count(f.l, TN_LINEAR_STATES) == 4);
    for (int i = 0; i < 4; i++)
        CHECK_TEXT(tn_linear_name(f.l, TN_LINEAR_STATES, i), states[i]);
    const double A[4][4] = {{0, 0, 1, 0},
                            {0, 0, 0, 1},
                            {0, m * l * m * g * l / n, -(J + m * l * l) * d / n, 0},
                            {0, (M + m) * m * g * l / n, -m * l * d / n, 0}};
    const double B[4][2] = {
        {0, 0}, {0, 0}, {(J + m * l * l) / n, m * l / n}, {m * l / n, (M + m) / n}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            CHECK_NEAR(entry(&f, TN_LINEAR_A, i, j), A[i][j], 1e-10);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            CHECK_NEAR(entry(&f, TN_LINEAR_B, i, j), B[i][j], 1e-10);
    // Outputs: the angle, x of the pin, x'', and the reaction of the pin on the pole, m (x - l
    // a)''.
    for (int j = 0; j < 4; j++) {
        CHECK_NEAR(entry(&f, TN_LINEAR_C, 0, j), j == 1, 1e-10);
        CHECK_NEAR(entry(&f, TN_LINEAR_C, 1, j), j == 0, 1e-10);
        CHECK_NEAR(entry(&f, TN_LINEAR_C, 2, j), A[2][j], 1e-8); // differences of accelerations
        CHECK_NEAR(entry(&f, TN_LINEAR_C, 3, j), m * (A[2][j] - l * A[3][j]), 1e-8);
    }
    CHECK_NEAR(entry(&f, TN_LINEAR_MASS, 0, 0), M + m, 1e-12);
    CHECK_NEAR(entry(&f, TN_LINEAR_MASS, 0, 1), -m * l, 1e-12);
    CHECK_NEAR(entry(&f, TN_LINEAR_MASS, 1, 1), J + m * l * l, 1e-12);
    CHECK_NEAR(entry(&f, TN_LINEAR_DAMPING, 0, 0), d, 1e-12);
    CHECK_NEAR(entry(&f, TN_LINEAR_STIFFNESS, 1, 1), -m * g * l, 1e-12);
    for (int j = 0; j < 2; j++) {
        CHECK_NEAR(entry(&f, TN_LINEAR_D, 2, j), B[2][j], 1e-8);
        CHECK_NEAR(entry(&f, TN_LINEAR_D, 3, j), m * (B[2][j] - l * B[3][j]), 1e-8);
    }
    forget(&f);
}

// The bicycle -------------------------------------------------------------------------------------

// M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer) [MPRS07, eq. A27 to A30].
static void bicycle_by_hand(double v, double re[4], double im[4])
{
    static const double M[2][2] = {{80.81722, 2.31941332208709},
                                   {2.31941332208709, 0.29784188199686}};
    static const double C1[2][2] = {{0, 33.86641391492494}, {-0.85035641456978, 1.68540397397560}};
    static const double K0[2][2] = {{-80.95, -2.59951685249872},
                                    {-2.59951685249872, -0.80329488458618}};
    static const double K2[2][2] = {{0, 76.59734589573222}, {0, 2.65431523794604}};
    const double det = M[0][0] * M[1][1] - M[0][1] * M[1][0], g = 9.81;
    const double inverse[2][2] = {{M[1][1] / det, -M[0][1] / det}, {-M[1][0] / det, M[0][0] / det}};
    double A[16] = {0}, V[16];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++) {
                A[j * 4 + 2 + i] -= inverse[i][k] * (g * K0[k][j] + v * v * K2[k][j]);
                A[(2 + j) * 4 + 2 + i] -= inverse[i][k] * v * C1[k][j];
            }
    A[2 * 4] = A[3 * 4 + 1] = 1.0;
    CHECK_OK(tn_eigen_general(4, A, re, im, V));
}

// That of the model, without its push.
static tn_model *upright_bicycle(void)
{
    static char text[8192];
    FILE *file = fopen(tn_test_path("models/bicycle.yaml"), "r");
    tn_model *model = NULL;
    CHECK(file != NULL);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    char *push = strstr(text, "push: 0.4");
    CHECK(push != NULL);
    push[6] = ' ';
    push[7] = ' ';
    push[8] = '0';
    CHECK_OK(tn_model_parse(text, "bicycle", &model, NULL));
    return model;
}

// Each of the four is among those of the linear model, the others of which are zero: place,
// heading, speed and the angles of the wheels.
static void the_bicycle_is_that_of_the_benchmark(void)
{
    for (int k = 0; k <= 10; k++) {
        tn_linear_options options = plain();
        double re[16], im[16], hand_re[4], hand_im[4];
        options.about = TN_ABOUT_START;
        options.motion = k / 5.0; // of 5 m/s
        found f = linearise_of(upright_bicycle(), options);
        CHECK_OK(f.status);
        const int n = tn_linear_count(f.l, TN_LINEAR_STATES);
        CHECK(n == 10);
        CHECK_OK(tn_linear_eigenvalues(f.l, re, im));
        bicycle_by_hand(k, hand_re, hand_im);
        for (int i = 0; i < 4; i++) {
            double least = INFINITY;
            for (int j = 0; j < n; j++)
                least = fmin(least, hypot(re[j] - hand_re[i], im[j] - hand_im[i]));
            // The digits that the paper gives of its matrices; beside the zeros less, see below.
            CHECK(least < (hypot(hand_re[i], hand_im[i]) < 0.1 ? 1e-7 : 1e-8));
        }
        // A threefold zero that were not known as such would be some 1e-5; single ones are
        // round-off of entries up to 100.
        for (int j = 0; j < n - 4; j++)
            CHECK_NEAR(hypot(re[j], im[j]), 0.0, 1e-11);
        forget(&f);
    }
}

// A row of a run, half a second later, is as steady as the start.
static void a_state_of_a_run_serves_as_the_start_does(void)
{
    tn_model *model = upright_bicycle();
    tn_sim_options how = tn_default_sim();
    tn_record_options files = tn_default_record();
    tn_linear_options options = plain();
    tn_sim *sim = NULL;
    tn_record *record = NULL;
    tn_result *result = NULL;
    tn_saved_state *state = NULL;
    double re[16], im[16], hand_re[4], hand_im[4];
    files.overwrite = true;
    CHECK_OK(tn_sim_create(model, &how, &sim));
    CHECK_OK(tn_record_create("kept", sim, &files, &record));
    CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
    CHECK_OK(tn_record_row(record, sim));
    CHECK_OK(tn_record_close(record, "done"));
    tn_sim_destroy(sim);
    CHECK_OK(tn_result_open("kept", true, &result));
    CHECK_OK(tn_result_state(result, model, 0.4, &state)); // the only row
    tn_result_close(result);
    CHECK_NEAR(state->t, 0.5, 1e-12);
    CHECK_NEAR(state->frames[2].p.x, 2.5, 1e-6);
    options.about = TN_ABOUT_STATE;
    options.state = state;
    options.outputs = "";
    found f = linearise_of(model, options);
    CHECK_OK(f.status);
    CHECK_OK(tn_linear_eigenvalues(f.l, re, im));
    bicycle_by_hand(5.0, hand_re, hand_im);
    for (int i = 0; i < 4; i++)
        CHECK(has_value(10, re, im, hand_re[i], hand_im[i], 1e-6)); // the error of the run
    state->nbody--;
    tn_linear *none = NULL;
    CHECK_STATUS(tn_linear_create(model, &options, &none), TN_ERR_USAGE);
    state->nbody++;
    tn_saved_state_free(state);
    forget(&f);
}

// Tops --------------------------------------------------------------------------------------------

// A symmetric top on a ball at the origin.
static const double TOP_I1 = 0.05, TOP_I3 = 0.02, TOP_M = 1.5, TOP_L = 0.15; // about the ball

static tn_model *top(double tilt, double precession, double spin, double other, const char *more)
{
    static char text[2048];
    const double I1 = TOP_I1 - TOP_M * TOP_L * TOP_L, s = sin(tilt), c = cos(tilt);
    tn_model *model = NULL;
    // Angular velocity in body axes, the axis of the top being z of the body, x level.
    snprintf(text, sizeof text,
             "{tenon: 1, gravity: [0, 0, -9.81],\n"
             " bodies: {top: {mass: %.17g, com: [0, 0, %.17g], inertia: [%.17g, %.17g, %.17g],\n"
             "  initial: {position: [0, 0, 0], orientation: {axis: [1, 0, 0], angle: %.17g},\n"
             "            rate: [0, %.17g, %.17g], velocity: [0, 0, 0]}}},\n"
             " joints: {ball: {kind: spherical, bodies: [ground, top], at: [0, 0, 0]}}%s}",
             TOP_M, TOP_L, I1, other * I1, TOP_I3, tilt, precession * s, spin + precession * c,
             more);
    CHECK_OK(tn_model_parse(text, "top", &model, NULL));
    return model;
}

// I1 z'' - i I3 W z' - m g l z = 0 for z = x + i y of an upright top, seen from the inertial frame.
static void a_sleeping_top_nutates_and_precesses(void)
{
    const double W = 60.0, a = TOP_I3 * W / (2.0 * TOP_I1);
    const double root = sqrt(a * a - TOP_M * 9.81 * TOP_L / TOP_I1);
    tn_linear_options options = plain();
    double re[6], im[6];
    options.about = TN_ABOUT_START;
    found f = linearise_of(top(0.0, 0.0, W, 1.0, ""), options);
    CHECK_OK(f.status);
    CHECK(tn_linear_count(f.l, TN_LINEAR_STATES) == 6);
    CHECK_OK(tn_linear_eigenvalues(f.l, re, im));
    CHECK(has_value(6, re, im, 0.0, a + root, 1e-9));
    CHECK(has_value(6, re, im, 0.0, a - root, 1e-9));
    forget(&f);
}

// Steady precession: with p = m g l and the momenta about both axes the tilt moves in the potential
// (L - L3 cos b)^2 / (2 I1 sin(b)^2) + p cos b, whose curvature is I1 times the square of the
// nutation.
static double top_potential(double b, double L, double L3)
{
    const double x = L - L3 * cos(b), s = sin(b);
    return x * x / (2.0 * TOP_I1 * s * s) + TOP_M * 9.81 * TOP_L * cos(b);
}

static void a_top_nutates_about_its_steady_precession(void)
{
    const double b = 0.7, w = 3.0, h = 1e-3; // tilt and precession
    // I1 w^2 s c - L3 w s + m g l s = 0, with L3 = I3 (spin + w c)
    const double L3 = (TOP_I1 * w * w * cos(b) + TOP_M * 9.81 * TOP_L) / w;
    const double spin = L3 / TOP_I3 - w * cos(b);
    const double L = TOP_I1 * w * sin(b) * sin(b) + L3 * cos(b);
    double curve = 0.0, re[6], im[6];
    const double weight[5] = {-1.0 / 12, 4.0 / 3, -2.5, 4.0 / 3, -1.0 / 12};
    for (int k = 0; k < 5; k++)
        curve += weight[k] * top_potential(b + (k - 2) * h, L, L3) / (h * h);
    tn_linear_options options = plain();
    options.about = TN_ABOUT_START;
    found f = linearise_of(top(b, w, spin, 1.0, ""), options);
    CHECK_OK(f.status);
    CHECK_OK(tn_linear_eigenvalues(f.l, re, im));
    CHECK(has_value(6, re, im, 0.0, sqrt(curve / TOP_I1), 1e-7)); // digits of the difference
    forget(&f);
}

static void what_is_not_steady_is_refused(void)
{
    tn_linear_options options = plain();
    options.about = TN_ABOUT_START;
    // A top that is not symmetric is steady in its own frame, upright between two springs it is
    // not.
    found f = linearise_of(top(0.0, 0.0, 60.0, 1.3, ""), options);
    CHECK_OK(f.status);
    forget(&f);
    f = linearise_of(
        top(0.0, 0.0, 60.0, 1.3,
            ", forces: {left: {kind: spring, bodies: [ground, top], stiffness: 100, free: "
            "1, at_a: [1, 0, 0.3], at_b: [0, 0, 0.3]}, right: {kind: spring, bodies: "
            "[ground, top], stiffness: 100, free: 1, at_a: [-1, 0, 0.3], at_b: [0, 0, "
            "0.3]}}"),
        options);
    CHECK_STATUS(f.status, TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "periodic") != NULL);
    forget(&f);
    // One that falls.
    f = linearise_of(top(0.7, 0.0, 60.0, 1.0, ""), options);
    CHECK_STATUS(f.status, TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "neither an equilibrium nor a steady motion") != NULL);
    CHECK(strstr(tn_last_error(), "body 'top'") != NULL);
    forget(&f);
}

// A slide of a gear with the ratio 80 goes far for small turns: round-off of its inertia beside
// that of a link without mass is no mass of the link. The values are those of the pencil of modes.
static void round_off_beside_a_gear_is_no_mass(void)
{
    static const double value[] = {0.044788921, -4.6715779, -92.825506};
    tn_linear_options options = plain();
    options.find.nearest = true;
    found f = linearise(
        "{tenon: 1, gravity: [0, -9.81, 0],\n"
        " bodies: {b1: {kind: planar, mass: 1, inertia: 0.01},\n"
        "  b2: {kind: planar, mass: 1.5, inertia: 0.03, initial: {position: [0.7615, 0.2086]}},\n"
        "  link: {kind: planar, massless: true, initial: {position: [0.7615, 0.2086]}}},\n"
        " joints: {j1: {kind: revolute, bodies: [ground, b1], at: [0, 0]},\n"
        "  j2: {kind: prismatic, bodies: [b1, b2], at: [0.6208, -0.07493], axis: [0.6, 0.8]},\n"
        "  k3: {kind: prismatic, bodies: [b2, link], at: [0.7615, 0.2086], axis: [1, 0]},\n"
        "  k4: {kind: gear, joint_1: j2, joint_2: j1, ratio_1: 0.5, ratio_2: 40}},\n"
        " forces: {f5: {kind: joint-spring, joint: j1, stiffness: 20},\n"
        "  flink: {kind: joint-spring, joint: k3, stiffness: 300},\n"
        "  fdash: {kind: spring, bodies: [ground, link], at_a: [0.3, 0.7],\n"
        "          at_b: [0.7615, 0.2086], damping: 8}}}",
        options);
    double re[3], im[3];
    CHECK(tn_linear_count(f.l, TN_LINEAR_STATES) == 3);
    CHECK_OK(tn_linear_eigenvalues(f.l, re, im));
    for (int i = 0; i < TN_COUNT(value); i++)
        CHECK(has_value(3, re, im, value[i], 0.0, 1e-6)); // digits of the values
    tn_equilibrium_options find = tn_default_equilibrium();
    tn_equilibrium *e = NULL;
    find.nearest = true;
    CHECK_OK(tn_equilibrium_create(f.model, &find, &e));
    CHECK_OK(tn_equilibrium_find(e));
    CHECK_NEAR(tn_equilibrium_facts_of(e)->growth, value[0], 1e-6);
    tn_equilibrium_destroy(e);
    forget(&f);
}

// The second part of the row is zero in all motions of the slide, but for round-off: its rate is
// held, and no state.
static void a_rate_that_a_row_holds_is_no_state(void)
{
    static const char *const rows[] = {"slide.displacement.rate",
                                       "slide.displacement.rate - 0.3*b.velocity.x",
                                       "7*slide.displacement.rate + 1e3*b.velocity.z"};
    for (int k = 0; k < TN_COUNT(rows); k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{tenon: 1, bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, "
                 "1, 1]}},\n"
                 " joints: {slide: {kind: prismatic, body: b, at: [0, 0, -0.1], axis: [0, 1, 0]},\n"
                 "          row: {kind: velocity-row, row: '%s'}},\n"
                 " forces: {k: {kind: bushing, body: a, stiffness: [100, 100, 100],\n"
                 "              rotational_stiffness: [100, 100, 100]}}}",
                 rows[k]);
        found f = linearise(text, plain());
        double re[20], im[20];
        const int n = tn_linear_count(f.l, TN_LINEAR_STATES);
        CHECK(n == 13); // the slide, and what the bushing holds
        CHECK_OK(tn_linear_eigenvalues(f.l, re, im));
        CHECK(re[0] == 0.0 && im[0] == 0.0);
        for (int i = 1; i < n; i++)
            CHECK(hypot(re[i], fabs(im[i]) - 10.0) < 1e-12); // round-off of a symmetric spring
        tn_modes_options options = tn_default_modes();
        tn_modes *modes = NULL;
        CHECK_OK(tn_modes_create(f.model, &options, &modes));
        CHECK(tn_modes_count(modes) == 7 && tn_modes_facts_of(modes).rigid == 1); // the slide
        for (int i = 1; i < 7; i++)
            CHECK(hypot(tn_mode_of(modes, i).re, tn_mode_of(modes, i).im - 10.0) < 1e-9);
        tn_modes_destroy(modes);
        forget(&f);
    }
}

// Outputs of steep expressions, of accelerations, reactions, and laws of forces, against
// derivatives by hand: x'' = (sin(300 u) - 50 x - tanh(x'/1e-6)) / 2.
static void steep_outputs_have_their_derivatives(void)
{
    static const struct {
        const char *name;
        double x, v, u;
    } wanted[] = {
        {"y", 0.0, 0.0, 300.0},
        {"w", 0.0, 0.0, 1e3},
        {"steep", 1e6, 0.0, 0.0},
        {"z", 15811.388300841896, 0.0, 0.0}, // 1 / (2 sqrt(1e-9))
        {"both", 1e6, 0.0, 300.0},
        {"b.acceleration.x", -25.0, -5e5, 150.0},
        {"a", -25.0 / 1e-5, -5e5 / 1e-5, 150.0 / 1e-5},
        {"rub.effort", 0.0, -1e6, 0.0},
        {"s.effort", -50.0, 0.0, 0.0},
        {"pull", -50.0 / 1e-7, 0.0, 0.0},
        {"r.force.y", 0.0, 0.0, 0.0},
    };
    tn_linear_options options = plain();
    options.outputs = "y,w,steep,z,both,b.acceleration.x,a,rub.effort,s.effort,pull,r.force.y";
    found f = linearise(
        "{tenon: 1, inputs: {u: 0}, bodies: {b: {mass: 2, inertia: [1, 1, 1]}},\n"
        " joints: {r: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0]}},\n"
        " forces: {s: {kind: joint-spring, joint: r, stiffness: 50},\n"
        "          m: {kind: motor, joint: r, effort: sin(300*u)},\n"
        "          rub: {kind: joint-law, joint: r, law: -tanh(rate/1e-6)}},\n"
        " signals: {y: sin(300*u), w: tanh(u/1e-3), steep: tanh(r.displacement/1e-6),\n"
        "           z: sqrt(r.displacement + 1e-9), both: y + steep, pull: tanh(s.effort/1e-7)},\n"
        " outputs: {a: {value: tanh(b.acceleration.x/1e-5)}}}",
        options);
    CHECK(tn_linear_verdict(f.l)->outcome == TN_OUTCOME_DONE);
    for (int i = 0; i < TN_COUNT(wanted); i++) {
        const double size = fmax(fabs(wanted[i].x), fmax(fabs(wanted[i].v), fabs(wanted[i].u)));
        // Expressions are exact; laws that are read have differences of round-off near 1e-9.
        const double tol = 1e-8 * fmax(size, 1.0);
        CHECK_TEXT(tn_linear_name(f.l, TN_LINEAR_OUTPUTS, i), wanted[i].name);
        CHECK_NEAR(entry(&f, TN_LINEAR_C, i, 0), wanted[i].x, tol);
        CHECK_NEAR(entry(&f, TN_LINEAR_C, i, 1), wanted[i].v, tol);
        CHECK_NEAR(entry(&f, TN_LINEAR_D, i, 0), wanted[i].u, tol);
    }
    forget(&f);
}

// A law steeper than the narrowest difference: its effort, which is read, is told as doubtful; the
// same as a signal is exact.
static void differences_that_do_not_settle_are_doubtful(void)
{
    static const char *const text =
        "{tenon: 1, bodies: {b: {mass: 2, inertia: [1, 1, 1]}},\n"
        " joints: {r: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0]}},\n"
        " forces: {s: {kind: joint-law, joint: r, law: -tanh(coordinate/1e-13)}},\n"
        " signals: {held: s.effort}}";
    tn_linear_options options = plain();
    options.outputs = "held";
    found f = linearise(text, options);
    // As narrow as that it is told as a jump, too, but its slope is its slope.
    CHECK_TEXT(doubt(tn_linear_verdict(f.l), 0)->quantity, "kink");
    CHECK_NEAR(entry(&f, TN_LINEAR_C, 0, 0), -1e13, 1e3);
    CHECK_NEAR(entry(&f, TN_LINEAR_A, 1, 0), -5e12, 1e3);
    forget(&f);
    options.outputs = "s.effort";
    f = linearise(text, options);
    const tn_verdict *v = tn_linear_verdict(f.l);
    CHECK(v->outcome == TN_OUTCOME_DOUBTFUL);
    CHECK_TEXT(doubt(v, 1)->quantity, "difference");
    CHECK_TEXT(doubt(v, 1)->where, "output 's.effort'");
    CHECK(doubt(v, 1)->value > 0.5);
    forget(&f);
}

// Kinks at the point, of every kind of element: the sizes of both sides, the growth of the worse
// one, and what is as steep but smooth is left alone.
static void kinks_are_told_with_both_sides(void)
{
    static const struct {
        const char *elements, *where;
        double one, other, growth; // of x'' = -k x / 2 on the worse side
        bool unstable;
    } kinks[] = {
        {"forces: {t: {kind: joint-law, joint: r, law: '-15*coordinate - 35*abs(coordinate)'}}",
         "force 't'", -20.0, 50.0, 3.16227766, true},
        {"forces: {t: {kind: joint-law, joint: r, law: '-10*coordinate - 3*max(coordinate, 0)'}}",
         "force 't'", 10.0, 13.0, 0.0, false},
        {"forces: {t: {kind: joint-spring, joint: r, stiffness: 10}, d: {kind: joint-stop,\n"
         "  joint: r, lower: -1, upper: 0, stiffness: 1000}}",
         "force 'd'", 0.0, 1000.0, 0.0, false},
        {"forces: {t: {kind: joint-spring, joint: r, stiffness: 10}, d: {kind: joint-law,\n"
         "  joint: r, law: 'if(rate > 0, 3*rate, -rate)'}}",
         "force 'd'", -3.0, 1.0, 0.75, true},
        {"forces: {t: {kind: joint-spring, joint: r, stiffness: 10}},\n"
         " states: {z: {rate: '-z + abs(r.displacement)'}}",
         "state 'z'", -1.0, 1.0, 0.0, false},
        {"forces: {t: {kind: joint-law, joint: r, law: bent(coordinate)}},\n"
         " tables: {bent: {x: [-1, 0, 1], values: [-20, 0, -50], interpolation: linear}}",
         "force 't'", -20.0, 50.0, 3.16227766, true},
    };
    for (int k = 0; k < TN_COUNT(kinks); k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{tenon: 1, bodies: {b: {mass: 2, inertia: [1, 1, 1]}},\n"
                 " joints: {r: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0]}},\n"
                 " %s}",
                 kinks[k].elements);
        found f = linearise(text, plain());
        const tn_verdict *v = tn_linear_verdict(f.l);
        double re[3], im[3], fastest = 0.0;
        CHECK(v->outcome == TN_OUTCOME_DOUBTFUL && doubts(v) == 1);
        CHECK_TEXT(doubt(v, 0)->quantity, "kink");
        CHECK_TEXT(doubt(v, 0)->where, kinks[k].where);
        char one[40], other[40];
        snprintf(one, sizeof one, " is %.4g", kinks[k].one);
        snprintf(other, sizeof other, "and %.4g on the other", kinks[k].other);
        if (!strstr(doubt(v, 0)->text, one)) { // which side is which does not matter
            snprintf(one, sizeof one, " is %.4g", kinks[k].other);
            snprintf(other, sizeof other, "and %.4g on the other", kinks[k].one);
        }
        CHECK(strstr(doubt(v, 0)->text, one) && strstr(doubt(v, 0)->text, other));
        CHECK_OK(tn_linear_eigenvalues(f.l, re, im));
        for (int i = 0; i < tn_linear_count(f.l, TN_LINEAR_STATES); i++)
            fastest = fmax(fastest, re[i]);
        CHECK_NEAR(fastest, kinks[k].growth, 1e-6); // by the width of the sides
        tn_equilibrium_options options = tn_default_equilibrium();
        tn_equilibrium *e = NULL;
        CHECK_OK(tn_equilibrium_create(f.model, &options, &e));
        CHECK_OK(tn_equilibrium_find(e));
        CHECK((tn_equilibrium_facts_of(e)->stability == TN_UNSTABLE) == kinks[k].unstable);
        CHECK(tn_equilibrium_verdict(e)->outcome == TN_OUTCOME_DOUBTFUL);
        tn_equilibrium_destroy(e);
        tn_modes_options modes_options = tn_default_modes();
        tn_modes *modes = NULL;
        CHECK_OK(tn_modes_create(f.model, &modes_options, &modes));
        CHECK(tn_modes_verdict(modes)->outcome == TN_OUTCOME_DOUBTFUL);
        CHECK_TEXT(doubt(tn_modes_verdict(modes), 0)->where, kinks[k].where);
        tn_modes_destroy(modes);
        forget(&f);
    }
    found f = linearise(
        "{tenon: 1, bodies: {b: {mass: 2, inertia: [1, 1, 1]}},\n"
        " joints: {r: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0]}},\n"
        " forces: {t: {kind: joint-law, joint: r, law: '-10*coordinate - 2*tanh(coordinate/1e-5) "
        "- coordinate*abs(coordinate) - tanh(rate/1e-5)'}}}",
        plain());
    CHECK(tn_linear_verdict(f.l)->outcome == TN_OUTCOME_DONE);
    forget(&f);
}

// What inputs do and what outputs are on the two sides of a kink.
static void kinks_of_inputs_and_outputs_are_told(void)
{
    tn_linear_options options = plain();
    options.outputs = "y,k,g,smooth";
    found f = linearise(
        "{tenon: 1, inputs: {u: 0, w: 2}, bodies: {b: {mass: 2, inertia: [1, 1, 1]}},\n"
        " joints: {r: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0]}},\n"
        " forces: {s: {kind: joint-spring, joint: r, stiffness: 50},\n"
        "          m: {kind: motor, joint: r, effort: 'max(u, -3*u) + tanh((w - 2)/1e-3)'}},\n"
        " signals: {y: abs(r.displacement), k: abs(w - 2), smooth: tanh((w - 2)/1e-3)},\n"
        " outputs: {g: {value: 'min(s.effort, 0)'}}}",
        options);
    static const char *const wanted[] = {"input 'u'", "output 'y'", "output 'k'", "output 'g'"};
    const tn_verdict *v = tn_linear_verdict(f.l);
    CHECK(doubts(v) == TN_COUNT(wanted));
    for (int i = 0; i < TN_COUNT(wanted); i++) {
        CHECK_TEXT(doubt(v, i)->quantity, "kink");
        CHECK_TEXT(doubt(v, i)->where, wanted[i]);
    }
    CHECK(strstr(doubt(v, 0)->text, "-3 times as large below") != NULL);
    CHECK_NEAR(entry(&f, TN_LINEAR_B, 1, 0), 0.5, 1e-9);
    CHECK_NEAR(entry(&f, TN_LINEAR_B, 1, 1), 500.0, 1e-6); // differences of an input
    forget(&f);
}

// Laws and outputs with a slope that has no limit at the point, as that of sqrt at zero, on both
// sides alike; what is as steep but has one is left alone.
static void slopes_without_a_limit_are_doubtful(void)
{
    static const struct {
        const char *law, *signal, *where, *says; // NULL: done
    } cases[] = {
        {"-50*coordinate", "sqrt(r.displacement)", "output 'y'", "is no number"},
        {"-50*coordinate", "sqrt(u)", "output 'y'", "is no number"},
        {"-50*coordinate", "sign(r.displacement)*sqrt(abs(r.displacement))", "output 'y'",
         "tell 0"},
        {"-50*coordinate", "3e4*r.displacement + sign(r.displacement)*sqrt(abs(r.displacement))",
         "output 'y'", "tell "},
        {"-50*coordinate", "tanh(r.displacement/1e-9) + u", NULL, NULL},
        {"-50*coordinate - 3e-5*sign(coordinate)*sqrt(abs(coordinate))", "u", "force 's'",
         "stiffness is 50 N/m at this point"},
        {"-50*coordinate - sign(coordinate)*sqrt(abs(coordinate))", "u", "force 's'",
         "stiffness is 50 N/m at this point"},
        {"-50*coordinate - 3*rate - sign(rate)*sqrt(abs(rate))", "u", "force 's'",
         "damping is 3 N s/m at this point"},
        {"-50*coordinate - sign(rate)*abs(rate)^1.5 - tanh(coordinate/1e-6)", "u", NULL, NULL},
    };
    for (int k = 0; k < TN_COUNT(cases); k++) {
        char text[1000];
        tn_linear_options options = plain();
        options.outputs = "y";
        snprintf(text, sizeof text,
                 "{tenon: 1, inputs: {u: 0}, bodies: {b: {mass: 2, inertia: [1, 1, 1]}},\n"
                 " joints: {r: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0]}},\n"
                 " forces: {s: {kind: joint-law, joint: r, law: '%s'}},\n"
                 " signals: {y: '%s'}}",
                 cases[k].law, cases[k].signal);
        found f = linearise(text, options);
        const tn_verdict *v = tn_linear_verdict(f.l);
        CHECK(doubts(v) == (cases[k].where ? 1 : 0));
        if (cases[k].where) {
            CHECK_TEXT(doubt(v, 0)->quantity, "kink");
            CHECK_TEXT(doubt(v, 0)->where, cases[k].where);
            CHECK(strstr(doubt(v, 0)->text, cases[k].says));
        }
        forget(&f);
    }
}

// Inputs that act as steeply as that; what has no slope at all is told.
static void steep_inputs_have_their_slope(void)
{
    static const struct {
        const char *effort;
        double slope; // NAN: doubtful
    } cases[] = {{"2*tanh(u/1e-7)", 1e7},
                 {"2*tanh(u/1e-9)", 1e9},
                 {"2*sin(1e8*u) + 5*exp(u)", 1e8 + 2.5},
                 {"2*sqrt(u + 1e-9)", 15811.388300841897},
                 {"2*sign(u)*sqrt(abs(u))", NAN},
                 {"1e4*u + sign(u)*sqrt(abs(u))", NAN}};
    for (int k = 0; k < TN_COUNT(cases); k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{tenon: 1, inputs: {u: 0}, bodies: {b: {mass: 2, inertia: [1, 1, 1]}},\n"
                 " joints: {r: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0]}},\n"
                 " forces: {s: {kind: joint-spring, joint: r, stiffness: 50},\n"
                 "          m: {kind: motor, joint: r, effort: '%s'},\n"
                 "          o: {kind: motor, joint: r, effort: -2*sqrt(1e-9)}}}",
                 cases[k].effort);
        found f = linearise(text, plain());
        const tn_verdict *v = tn_linear_verdict(f.l);
        if (isnan(cases[k].slope)) {
            CHECK(doubts(v) == 1);
            CHECK_TEXT(doubt(v, 0)->quantity, "difference");
            CHECK_TEXT(doubt(v, 0)->where, "input 'u'");
        } else {
            CHECK(v->outcome == TN_OUTCOME_DONE);
            CHECK_NEAR(entry(&f, TN_LINEAR_B, 1, 0), cases[k].slope, 1e-6 * cases[k].slope);
        }
        forget(&f);
    }
}

// A cart with a pole whose controller is sampled: the poles of exp(h A) with its zero-order hold,
// by another program.
static void a_sampled_loop_has_its_poles(void)
{
    static const double re[] = {0.8917373, 0.97036243, 0.97864722, 0.97864722},
                        im[] = {0.0, 0.0, 0.01649768, -0.01649768};
    tn_linear_options options = plain();
    options.find.nearest = true;
    found f = linearise(
        "{tenon: 1, gravity: [0, -9.81, 0],\n"
        " bodies: {cart: {kind: planar, mass: 1, inertia: 0.01},\n"
        "          pole: {kind: planar, mass: 0.2, inertia: 0.006, com: [0, 0.3]}},\n"
        " joints: {rail: {kind: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]},\n"
        "          pin: {kind: revolute, bodies: [cart, pole], at: [0, 0]}},\n"
        " sampled: {c: {every: 0.01, next: {f: '10*rail.displacement - 56.043*pin.angle\n"
        "   + 10.013*rail.displacement.rate - 11.443*pin.angle.rate'}}},\n"
        " forces: {drive: {kind: motor, joint: rail, effort: c.f}}}",
        options);
    const tn_verdict *v = tn_linear_verdict(f.l);
    double z[2][6];
    CHECK(tn_linear_pole_count(f.l) == 6);
    CHECK_NEAR(tn_linear_period(f.l), 0.01, 1e-15);
    CHECK_OK(tn_linear_poles(f.l, z[0], z[1]));
    CHECK(hypot(z[0][1], z[1][1]) < 1e-12); // of what was computed last
    for (int i = 0; i < TN_COUNT(re); i++)
        CHECK(has_value(6, z[0], z[1], re[i], im[i], 1e-8)); // digits of the values
    CHECK(v->outcome == TN_OUTCOME_DOUBTFUL);
    CHECK_TEXT(doubt(v, 0)->quantity, "held");
    CHECK_TEXT(doubt(v, 0)->where, "sampled 'c'");
    CHECK(strstr(doubt(v, 0)->text, "is stable") != NULL);
    // The modes are of the cart with the force that is held, and say so.
    tn_modes_options modes_options = tn_default_modes();
    tn_modes *modes = NULL;
    modes_options.find.nearest = true;
    CHECK_OK(tn_modes_create(f.model, &modes_options, &modes));
    v = tn_modes_verdict(modes);
    CHECK(v->outcome == TN_OUTCOME_DOUBTFUL);
    CHECK_TEXT(doubt(v, 0)->quantity, "held");
    CHECK_TEXT(doubt(v, 0)->where, "sampled 'c'");
    tn_modes_destroy(modes);
    forget(&f);
    // What is sampled and moves nothing leaves the linear motion as it is.
    f = linearise("{tenon: 1, bodies: {b: {mass: 2, inertia: [1, 1, 1]}},\n"
                  " joints: {r: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0]}},\n"
                  " sampled: {c: {every: 0.01, next: {f: r.displacement}}},\n"
                  " forces: {s: {kind: joint-spring, joint: r, stiffness: 50}}}",
                  plain());
    CHECK(tn_linear_verdict(f.l)->outcome == TN_OUTCOME_DONE);
    CHECK(tn_linear_pole_count(f.l) == 0);
    forget(&f);
}

// Two rates and a delay: the slowest pair of poles is the recurrence that a run settles to, from
// one common period to the next.
static void two_rates_and_a_delay_are_those_of_the_run(void)
{
    static const char text[] =
        "{tenon: 1, bodies: {b: {mass: 2, inertia: [1, 1, 1]}},\n"
        " joints: {r: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0],\n"
        "              initial: {position: %s}}},\n"
        " sampled: {c: {every: 0.05, delay: 0.02, next: {f: '-3*r.displacement.rate - g.m'}},\n"
        "           g: {every: 0.1, next: {m: '0.5*m + 4*r.displacement'}}},\n"
        " forces: {s: {kind: joint-spring, joint: r, stiffness: 50, free: 0},\n"
        "          d: {kind: motor, joint: r, effort: c.f}}}";
    char at[1000];
    snprintf(at, sizeof at, text, "0");
    found f = linearise(at, plain());
    double re[20], im[20], y[3] = {0.0};
    const int n = tn_linear_pole_count(f.l);
    CHECK(n > 0 && n <= 20);
    CHECK_NEAR(tn_linear_period(f.l), 0.1, 1e-15);
    CHECK_OK(tn_linear_poles(f.l, re, im));
    forget(&f);
    const double a = 2.0 * re[n - 1], b = re[n - 1] * re[n - 1] + im[n - 1] * im[n - 1];
    CHECK(im[n - 1] != 0.0 && hypot(re[n - 3], im[n - 3]) < 0.7 * sqrt(b));
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    snprintf(at, sizeof at, text, "0.1");
    CHECK_OK(tn_model_parse(at, "linear", &model, NULL));
    tn_sim_options options = tn_default_sim();
    options.method = "dopri5/index1";
    options.rtol = options.atol = 1e-11;
    options.adaptive = true;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    for (int k = 0; k < 60; k++) { // the others are down by 0.7^60
        double q[3], rate[3];
        CHECK_OK(tn_sim_run(sim, 0.1 * (k + 1), NULL, NULL));
        tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "r"), q, rate);
        y[0] = y[1];
        y[1] = y[2];
        y[2] = q[0];
    }
    CHECK_NEAR(y[2], a * y[1] - b * y[0], 1e-7 * fmax(fabs(y[0]), fabs(y[1])));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"a sampled loop has its poles", a_sampled_loop_has_its_poles},
    {"two rates and a delay are those of the run", two_rates_and_a_delay_are_those_of_the_run},
    {"kinks are told with both sides", kinks_are_told_with_both_sides},
    {"kinks of inputs and outputs are told", kinks_of_inputs_and_outputs_are_told},
    {"slopes without a limit are doubtful", slopes_without_a_limit_are_doubtful},
    {"steep inputs have their slope", steep_inputs_have_their_slope},
    {"steep outputs have their derivatives", steep_outputs_have_their_derivatives},
    {"differences that do not settle are doubtful", differences_that_do_not_settle_are_doubtful},
    {"round-off beside a gear is no mass", round_off_beside_a_gear_is_no_mass},
    {"a rate that a row holds is no state", a_rate_that_a_row_holds_is_no_state},
    {"a pole on a cart is that of the hand", a_pole_on_a_cart_is_that_of_the_hand},
    {"the bicycle is that of the benchmark", the_bicycle_is_that_of_the_benchmark},
    {"a state of a run serves as the start does", a_state_of_a_run_serves_as_the_start_does},
    {"a sleeping top nutates and precesses", a_sleeping_top_nutates_and_precesses},
    {"a top nutates about its steady precession", a_top_nutates_about_its_steady_precession},
    {"what is not steady is refused", what_is_not_steady_is_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
