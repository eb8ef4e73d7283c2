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
    tn_kept_state *state = NULL;
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
    tn_kept_state_free(state);
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

static const tn_test tests[] = {
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
