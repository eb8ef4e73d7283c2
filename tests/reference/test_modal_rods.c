// SPDX-License-Identifier: MIT
//
// Modal rods against closed forms and against geometrically exact beams: a cantilever under its
// weight and its frequencies, a free rod, frequencies of a rod that turns, the spin-up of a
// flexible arm with and without geometric stiffness [SVQ86], and a slider-crank whose rod bends.

#include "body_again.h"
#include "fixed_step.h"
#include "flex/modal.h"
#include "flex/modal_body.h"
#include "linalg/eigen.h"
#include "model/model.h"
#include "refined.h"
#include "tenon/equilibrium.h"
#include "tenon/modal.h"
#include "tenon/modes.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static const double LENGTH = 2.0, EI = 40.0, MASS = 1.2, GRAVITY = 9.81;

// With next to no rotary inertia: it must resist a turn about its own axis.
static tn_modal_def slender_rod(int n, const tn_rod_shape *shapes)
{
    static const double ends[] = {0.0, 2.0};
    static const char *const names[] = {"start", "end"};
    tn_modal_def def = tn_default_modal();
    def.name = "rod";
    def.rod.length = LENGTH;
    def.rod.section = (tn_section_def){.kind = TN_SECTION_STIFFNESS,
                                       .stiffness = {1e6, 1e6, 1e6},
                                       .rotational_stiffness = {EI, EI, EI},
                                       .mass = MASS,
                                       .inertia_x = 1e-7,
                                       .inertia_y = 1e-7};
    def.rod.nshape = n;
    def.rod.shapes = shapes;
    def.rod.nattachment = 2;
    def.rod.attachment_at = ends;
    def.rod.attachment_name = names;
    return def;
}

static tn_model *rod_model(const tn_modal_def *def, bool clamped)
{
    tn_model *model = tn_model_create();
    tn_model_set_parameter(model, "L", LENGTH);
    tn_model_add_modal(model, def);
    if (clamped) {
        tn_joint_def clamp = tn_default_joint(TN_JOINT_FIXED);
        clamp.name = "clamp";
        clamp.body_b = tn_model_find_body(model, "rod.start");
        tn_model_add_joint(model, &clamp);
    }
    CHECK_OK(tn_model_status(model));
    return model;
}

// The deflection w s^2 (6 L^2 - 4 L s + s^2) / (24 EI) is one of the shapes: the answer is exact.
static void a_cantilever_bends_under_its_weight(void)
{
    static const tn_rod_shape shapes[] = {{.y = "s^2*(6*L^2 - 4*L*s + s^2)/(3*L^4)"},
                                          {.y = "s^2*(L - s)/L^3"}};
    const tn_modal_def def = slender_rod(2, shapes);
    tn_model *model = rod_model(&def, true);
    tn_model_set_gravity(model, tn_v3(0.0, -GRAVITY, 0.0));
    tn_equilibrium_options options = tn_default_equilibrium();
    tn_equilibrium *rest = NULL;
    CHECK_OK(tn_equilibrium_create(model, &options, &rest));
    CHECK_OK(tn_equilibrium_find(rest));
    const tn_frame tip = tn_equilibrium_body_frame(rest, tn_model_find_body(model, "rod.end"));
    const double w = MASS * GRAVITY;
    CHECK_NEAR(tip.p.y, -w * pow(LENGTH, 4) / (8.0 * EI), 1e-12);
    CHECK_NEAR(atan2(tip.R.m[1][0], tip.R.m[0][0]), -w * pow(LENGTH, 3) / (6.0 * EI), 1e-12);
    tn_equilibrium_destroy(rest);
    tn_model_destroy(model);
}

// Frequency from the time of the n-th passage through zero of an amplitude.
static double frequency_of(const tn_model *model, const char *amplitude, int passages)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    const tn_body body = tn_model_find_body(model, amplitude);
    options.method = "dop853/index1+project";
    options.rtol = options.atol = 1e-12;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    double before = tn_sim_body_frame(sim, body).p.x, t = 0.0, first = 0.0;
    const double h = 2e-3;
    for (int n = 0; n <= passages;) {
        t += h;
        CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
        const double now = tn_sim_body_frame(sim, body).p.x;
        if (before * now < 0.0) { // by the cubic through values and rates
            double x = t;
            const double v = tn_sim_body_velocity(sim, body).x;
            x -= now / v;
            first = n == 0 ? x : first;
            if (n++ == passages) {
                tn_sim_destroy(sim);
                return PI * passages / (x - first);
            }
        }
        before = now;
    }
    return NAN;
}

// Ritz's method with the shapes of statics: the lowest root of cos x cosh x = -1, 1.8751, is met
// from above, with 5 polynomials to 1e-8.
static void a_cantilever_has_its_frequency(void)
{
    static const tn_rod_shape shapes[] = {{.y = "(s/L)^2"},
                                          {.y = "(s/L)^2*(2*s/L - 1)"},
                                          {.y = "(s/L)^2*(3*(2*s/L - 1)^2 - 1)/2"},
                                          {.y = "(s/L)^2*(5*(2*s/L - 1)^3 - 3*(2*s/L - 1))/2"},
                                          {.y = "(s/L)^6"}};
    const double x = 1.875104068711961, exact = x * x * sqrt(EI / (MASS * pow(LENGTH, 4)));
    const tn_modal_def def = slender_rod(5, shapes);
    tn_model *model = rod_model(&def, true);
    tn_equilibrium_options options = tn_default_equilibrium();
    tn_equilibrium *rest = NULL;
    CHECK_OK(tn_equilibrium_create(model, &options, &rest));
    CHECK_OK(tn_equilibrium_find(rest));
    tn_equilibrium_destroy(rest);
    // K and C of the body itself
    const tn_modal *modal = model->modals.at[0].from;
    double K[25], C[25], re[5], im[5], scale[5], V[25], lowest = INFINITY;
    const int n = tn_modal_size(5), phi = tn_modal_phi(5, 0);
    for (int i = 0; i < 25; i++) {
        K[i] = modal->stiffness[i];
        C[i] = modal->gram[(phi + i / 5) * n + phi + i % 5];
    }
    CHECK_OK(tn_eigen_pair(5, K, C, re, im, scale, V));
    for (int i = 0; i < 5; i++)
        lowest = fmin(lowest, sqrt(re[i] / scale[i]));
    printf("cantilever: %.9f rad/s, closed form %.9f rad/s\n", lowest, exact);
    CHECK_NEAR(lowest / exact, 1.0, 1e-7);
    tn_model_destroy(model);
}

// A free rod with its first shape, about which frame and body move against each other: the frame
// that is fixed to no point of the rod falls out. x = 4.73004, cos x cosh x = 1.
static void a_free_rod_has_its_frequency(void)
{
    static const double kick[] = {0.01};
    static const tn_rod_shape shapes[] = {
        {.y = "cosh(b*s) + cos(b*s) - 0.982502214576238*(sinh(b*s) + sin(b*s))"}};
    const double x = 4.730040744862704, exact = x * x * sqrt(EI / (MASS * pow(LENGTH, 4)));
    tn_modal_def def = slender_rod(1, shapes);
    def.rod.nattachment = 0;
    def.nrate = 1;
    def.amplitude_rates = kick;
    tn_model *model = tn_model_create();
    tn_model_set_parameter(model, "b", x / LENGTH);
    tn_model_add_modal(model, &def);
    CHECK_OK(tn_model_status(model));
    const double found = frequency_of(model, "rod.q1", 4);
    printf("free rod: %.9f rad/s, closed form %.9f rad/s\n", found, exact);
    CHECK_NEAR(found / exact, 1.0, 1e-5); // zeros by one step of Newton's method
    tn_model_destroy(model);
}

// Loads -------------------------------------------------------------------------------------------

static tn_stability stability_under(double push, bool stiffening)
{
    static const tn_rod_shape shapes[] = {{.y = "1 - cos(pi*s/(2*L))"}};
    tn_modal_def def = slender_rod(1, shapes);
    def.stiffening = stiffening;
    tn_model *model = rod_model(&def, true);
    tn_force_def load = tn_default_force(TN_FORCE_POINT);
    load.body_b = tn_model_find_body(model, "rod.end");
    load.point.force[0].constant = -push;
    tn_model_add_force(model, &load);
    tn_equilibrium_options options = tn_default_equilibrium();
    tn_equilibrium *rest = NULL;
    options.nearest = true;
    CHECK_OK(tn_equilibrium_create(model, &options, &rest));
    CHECK_OK(tn_equilibrium_find(rest));
    const tn_stability found = tn_equilibrium_facts_of(rest)->stability;
    tn_equilibrium_destroy(rest);
    tn_model_destroy(model);
    return found;
}

// The shape is that of Euler's buckling, (pi/2)^2 EI / L^2: the load at the attachment takes the
// stiffness away, through the second order of its displacement alone.
static void a_column_buckles_at_eulers_load(void)
{
    const double euler = 0.25 * PI * PI * EI / (LENGTH * LENGTH);
    CHECK(stability_under(0.999 * euler, true) == TN_STABLE);
    CHECK(stability_under(1.001 * euler, true) == TN_UNSTABLE);
    CHECK(stability_under(1.001 * euler, false) == TN_STABLE);
}

static double lowest_in_rotation(tn_model *model, double spin)
{
    tn_modes_options options = tn_default_modes();
    tn_modes *modes = NULL;
    double lowest = 0.0;
    options.find.spin = spin;
    CHECK_OK(tn_modes_create(model, &options, &modes));
    for (int i = tn_modes_count(modes) - 1; i >= 0; i--)
        if (tn_mode_of(modes, i).kind != TN_MODE_RIGID)
            lowest = tn_mode_of(modes, i).frequency;
    tn_modes_destroy(modes);
    tn_model_destroy(model);
    return lowest;
}

static tn_model *arm_without_motor(const char *path, int elements)
{
    char *text = text_of_model(path), *motor = strstr(text, "  motor:"),
         *rest = strstr(text, "outputs:"), *at = strstr(text, "elements: 16");
    tn_model *model = NULL;
    CHECK(motor && rest);
    if (at)
        text[snprintf(at, 13, "elements: %02d", elements) + (at - text)] = '\n';
    memmove(motor, rest, strlen(rest) + 1);
    for (char *y = text; !at && (y = strstr(y, "{y: ")); y++) // flapping in the place of lagging
        y[1] = 'z';
    CHECK_OK(tn_model_parse(text, path, &model, NULL));
    free(text);
    return model;
}

// The arm of the spin-up flaps: at 6 rad/s with 1.195 Hz, at rest with 0.604 Hz.
static void a_blade_stiffens_as_that_of_the_beam(void)
{
    const double modal = lowest_in_rotation(arm_without_motor("models/modal/spin_up.yaml", 0), 6.0);
    const double beam = lowest_in_rotation(arm_without_motor("models/beams/spin_up.yaml", 40), 6.0);
    printf("flapping at 6 rad/s: modal arm %.5f Hz, beam %.5f Hz\n", modal, beam);
    CHECK_NEAR(modal, beam, 1e-3 * beam); // shear and 40 elements of the beam, 4 shapes of the arm
    CHECK_NEAR(modal, 1.195, 1e-3);
}

// Spin-up -----------------------------------------------------------------------------------------

typedef struct lag_seen {
    double lag, when, swing;
} lag_seen;

static lag_seen run_spin_up(tn_model *model, double h, double t_end)
{
    tn_sim *sim = open_fixed(model, "galpha/ggl@absolute", h);
    lag_seen seen = {0};
    for (int n = 1; n * h < t_end + 0.5 * h; n++) {
        CHECK_OK(tn_sim_run(sim, n * h, NULL, NULL));
        const double lag = fabs(tn_test_value(sim, "lag"));
        if (lag > seen.lag)
            seen = (lag_seen){lag, n * h, 0.0};
        if (n * h > 15.0)
            seen.swing = fmax(seen.swing, lag);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return seen;
}

static tn_model *spin_up_model(bool stiffening)
{
    char *text = text_of_model("models/modal/spin_up.yaml"), *at = strstr(text, "stiffening: true");
    tn_model *model = NULL;
    CHECK(at != NULL);
    if (!stiffening)
        memcpy(at, "damping: 0.00000", 16);
    CHECK_OK(tn_model_parse(text, "spin_up.yaml", &model, NULL));
    free(text);
    return model;
}

static void the_tip_lags_as_that_of_the_beam(void)
{
    const lag_seen modal = run_spin_up(spin_up_model(true), 0.01, 17.0);
    const lag_seen beam =
        run_spin_up(refined_model("models/beams/spin_up.yaml", 32, NULL, NULL), 0.01, 7.0);
    printf("largest lag: modal arm %.5f m at %.2f s, beam %.5f m at %.2f s; from 15 s on %.5f m\n",
           modal.lag, modal.when, beam.lag, beam.when, modal.swing);
    // Bending is linear in a modal body: of third order in 0.57 m / 10 m.
    CHECK_NEAR(modal.lag, beam.lag, 0.01 * beam.lag);
    CHECK_NEAR(modal.when, beam.when, 0.1);
    CHECK(modal.swing < 0.01);
}

// 3.8 rad/s at rest: beyond that rate nothing holds it.
static void without_stiffening_the_arm_leaves(void)
{
    tn_model *model = spin_up_model(false);
    tn_sim *sim = open_fixed(model, "galpha/ggl@absolute", 0.01);
    double t = 0.0;
    tn_status status = TN_OK;
    for (; t < 15.0 && status == TN_OK && fabs(tn_test_value(sim, "lag")) < 10.0; t += 0.01)
        status = tn_sim_run(sim, t + 0.01, NULL, NULL);
    printf("without stiffening the tip is %.1f m off at %.2f s\n", tn_test_value(sim, "lag"), t);
    CHECK(t < 14.0);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// A slider-crank mechanism ------------------------------------------------------------------------
//
// [Sim96] in the test set for initial value problems [MMI06, II-19]: a rod of 0.3 m on a crank of
// 0.15 m that turns at 150 rad/s. Of its four shapes two stretch the rod; their mass matrix is that
// of quadratic elements without its factor 1/15, and the inertia of the rigid rod alone has that of
// its section. Published digits are those of these numbers.

static const double CRANK = 0.15, ROD = 0.3, HEIGHT = 0.008, YOUNG = 2e11, DENSITY = 7870.0;

static tn_modal_def crank_rod(double stiffer)
{
    static const double ends[] = {0.0, 0.3};
    static const char *const names[] = {"start", "end"};
    static const tn_rod_shape shapes[] = {{.y = "sin(pi*s/l)"},
                                          {.y = "sin(2*pi*s/l)"},
                                          {.x = "4*s/l*(1 - s/l)"},
                                          {.x = "s/l*(2*s/l - 1)"}};
    const double A = HEIGHT * HEIGHT, EI_of = YOUNG * A * A / 12.0 * stiffer;
    tn_modal_def def = tn_default_modal();
    def.name = "rod";
    def.frame.p.x = CRANK;
    def.rod.length = ROD;
    def.rod.section = (tn_section_def){.kind = TN_SECTION_STIFFNESS,
                                       .stiffness = {1e7, 1e7, YOUNG * A * stiffer},
                                       .rotational_stiffness = {EI_of, EI_of, EI_of},
                                       .mass = DENSITY * A,
                                       .inertia_x = 1e-9,
                                       .inertia_y = 1e-9};
    def.rod.nshape = 4;
    def.rod.shapes = shapes;
    def.rod.nattachment = 2;
    def.rod.attachment_at = ends;
    def.rod.attachment_name = names;
    return def;
}

// The numbers of the test set in the place of the integrals.
static void take_published(tn_modal *x)
{
    const int n = tn_modal_size(4);
    const double J2 = 0.0045339259;
    x->gram[5 * n + 5] = J2;
    x->gram[4 * n + 4] = J2;
    for (int i = 2; i < 4; i++)
        for (int j = 2; j < 4; j++) {
            const int phi = tn_modal_phi(4, i) * n + tn_modal_phi(4, j);
            x->gram[phi] *= 15.0;
            for (int k = 1; k < 3; k++)
                x->gram[tn_modal_c(i, k) * n + tn_modal_c(j, k)] *= 15.0;
        }
    CHECK_OK(tn_modal_check(x));
}

static tn_joint add_joint(tn_model *model, tn_joint_kind kind, tn_body a, tn_body b, tn_vec3 at_a,
                          tn_vec3 at_b)
{
    tn_joint_def def = tn_default_joint(kind);
    def.body_a = a;
    def.body_b = b;
    def.frame_a.p = at_a;
    def.frame_b.p = at_b;
    if (kind == TN_JOINT_POINT_IN_PLANE)
        def.frame_a.R = tn_m3_rot_x(-0.5 * PI); // its z is the axis y
    return tn_model_add_joint(model, &def);
}

// The mechanism on two bodies that carry the ends of its rod.
static void add_mechanism(tn_model *model, tn_body start, tn_body end, tn_vec3 at_end)
{
    const tn_vec3 zero = {0, 0, 0};
    tn_body_def crank = tn_default_body(), slider = tn_default_body();
    crank.mass = 0.36;
    crank.inertia = tn_v3(0.002727, 0.002727, 0.002727);
    const tn_body turning = tn_model_add_body(model, &crank);
    slider.name = "slider";
    slider.kind = TN_BODY_POINT;
    slider.mass = 0.075552;
    slider.frame.p.x = CRANK + ROD;
    const tn_body sliding = tn_model_add_body(model, &slider);
    const tn_joint shaft = add_joint(model, TN_JOINT_REVOLUTE, TN_GROUND, turning, zero, zero);
    add_joint(model, TN_JOINT_REVOLUTE, turning, start, tn_v3(CRANK, 0, 0), zero);
    add_joint(model, TN_JOINT_SPHERICAL, end, sliding, at_end, zero);
    add_joint(model, TN_JOINT_POINT_IN_PLANE, TN_GROUND, sliding, zero, zero);
    tn_joint_def motor = tn_default_joint(TN_JOINT_DRIVE);
    motor.drive.joint = shaft;
    motor.drive.motion.expression = "150*t";
    tn_model_add_joint(model, &motor);
    CHECK_OK(tn_model_status(model));
}

static tn_model *slider_crank(tn_modal_def *def, bool published)
{
    tn_modal *modal = NULL;
    tn_model *model = tn_model_create();
    tn_model_set_parameter(model, "l", ROD);
    CHECK_OK(tn_modal_of_rod(model, &def->rod, "body 'rod'", &modal));
    if (published)
        take_published(modal);
    CHECK_OK(tn_modal_add(model, def, "body 'rod'", modal));
    add_mechanism(model, tn_model_find_body(model, "rod.start"),
                  tn_model_find_body(model, "rod.end"), tn_v3(0.0, 0.0, 0.0));
    return model;
}

static tn_sim *open_accurate(const tn_model *model, const char *method, double tol)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = options.atol = tol;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

static void a_flexible_slider_crank_has_its_published_digits(void)
{
    static const double q[] = {0.0, 0.0, 1.03339863e-05, 1.69327969e-05};
    static const double rates[] = {0.444896105, 0.463434311e-02, -0.178591076e-05,
                                   -0.268938672e-05};
    static const double q_end[] = {1.893192460247178e-04, 2.375751865617931e-05,
                                   -5.323907988763734e-06, -8.363283141616840e-06};
    static const double r_end[] = {-3.005536801092212e-02, -5.500488291932075e-03,
                                   4.978243404809343e-04, 1.104933470696396e-03};
    tn_modal_def def = crank_rod(1.0);
    def.namplitude = def.nrate = 4;
    def.amplitudes = q;
    def.amplitude_rates = rates;
    tn_model *model = slider_crank(&def, true);
    tn_sim *sim = open_accurate(model, "dop853/index1+project@absolute", 1e-9);
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
    const tn_frame rod = tn_sim_body_frame(sim, tn_model_find_body(model, "rod"));
    const tn_body slider = tn_model_find_body(model, "slider");
    const double angle = atan2(rod.R.m[1][0], rod.R.m[0][0]);
    const double rate = tn_sim_body_rate(sim, tn_model_find_body(model, "rod")).z;
    printf("angle of the rod %.12f, slider %.12f m, %.9f m/s\n", angle,
           tn_sim_body_frame(sim, slider).p.x, tn_sim_body_velocity(sim, slider).x);
    CHECK_NEAR(angle, -3.311734987910881e-01, 1e-9); // start values have nine digits
    CHECK_NEAR(rate, 6.025346682645789e+01, 1e-6);
    CHECK_NEAR(tn_sim_body_frame(sim, slider).p.x, 1.697373326718410e-01, 1e-9);
    CHECK_NEAR(tn_sim_body_velocity(sim, slider).x, -8.753116989887888e+00, 1e-6);
    for (int j = 0; j < 4; j++) {
        const tn_body amplitude = tn_model_modal_amplitude(model, (tn_modal_body){0}, j);
        const double now = tn_sim_body_frame(sim, amplitude).p.x,
                     moving = tn_sim_body_velocity(sim, amplitude).x;
        printf("q%d %.10e, published %.10e; rate %.8e, published %.8e\n", j + 1, now, q_end[j],
               moving, r_end[j]);
        CHECK_NEAR(now, q_end[j], 2e-10);
        CHECK_NEAR(moving, r_end[j], 2e-6);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static tn_frame rod_soon(tn_model *model)
{
    tn_sim *sim = open_accurate(model, "radau5/ggl@absolute", 1e-8);
    CHECK_OK(tn_sim_run(sim, 2e-3, NULL, NULL));
    const tn_frame rod = tn_sim_body_frame(sim, tn_model_find_body(model, "rod"));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return rod;
}

// A stiffer rod comes nearer to the rigid one, by its stiffness.
static void a_stiff_slider_crank_moves_as_a_rigid_one(void)
{
    tn_modal_def soft = crank_rod(1.0);
    tn_model *model = slider_crank(&soft, false), *rigid = tn_model_create();
    tn_body_def def = body_again(model, "rod");
    def.name = "rod";
    const tn_body rod = tn_model_add_body(rigid, &def);
    add_mechanism(rigid, rod, rod, tn_v3(ROD, 0.0, 0.0));
    tn_model_destroy(model);
    const tn_frame exact = rod_soon(rigid);
    double off[2];
    for (int k = 0; k < 2; k++) {
        tn_modal_def stiff = crank_rod(k == 0 ? 10.0 : 1e3);
        const tn_frame now = rod_soon(slider_crank(&stiff, false));
        off[k] = fabs(now.R.m[1][0] - exact.R.m[1][0]);
    }
    printf("turn of the rod differs by %.2e with 10 times its stiffness, %.2e with 1e3\n", off[0],
           off[1]);
    CHECK(off[0] > 1e-7 && off[0] < 1e-5 && off[1] < 0.02 * off[0] + 1e-8);
}

// Two rods in a chain: no row repeats another one, however the first is turned. Of gravity along
// the axes of the hinges both bearings carry the weight.
static void rows_of_a_chain_stay(void)
{
    tn_equilibrium_options options = tn_default_equilibrium();
    tn_equilibrium *e = NULL;
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(
        "{tenon: 1, gravity: [0, -9.81, -3], bodies: {\n"
        " a: {kind: modal, rod: {length: 1, section: {kind: rectangle, width: 0.02, "
        "height: 0.02, E: 2.0e+10, rho: 2000},\n"
        "  functions: [{y: 'sin(pi*s)'}, {z: 'sin(pi*s)'}], attachments: {start: 0, end: 1}},\n"
        "  initial: {orientation: {axis: [0, 0, 1], angle_deg: -30}}},\n"
        " b: {kind: modal, rod: {length: 1, section: {kind: rectangle, width: 0.02, "
        "height: 0.02, E: 2.0e+10, rho: 2000},\n"
        "  functions: [{y: 'sin(pi*s)'}, {z: 'sin(pi*s)'}], attachments: {start: 0, end: 1}},\n"
        "  initial: {position: [0.86602540378443865, -0.5, 0]}}},\n"
        " joints: {j1: {kind: revolute, bodies: [ground, a.start], axis: [0, 0, 1]},\n"
        "  j2: {kind: revolute, bodies: [a.end, b.start], axis: [0, 0, 1]}}}",
        "chain", &model, NULL));
    CHECK_OK(tn_equilibrium_create(model, &options, &e));
    CHECK_OK(tn_equilibrium_find(e));
    const tn_wrench w = tn_equilibrium_joint_reaction(e, tn_model_find_joint(model, "j1"));
    const double mass = 2.0 * 2000.0 * 0.02 * 0.02;
    CHECK_NEAR(w.f.y, 9.81 * mass, 1e-8);
    CHECK_NEAR(w.f.z, 3.0 * mass, 1e-8);
    CHECK_NEAR(tn_equilibrium_facts_of(e)->misfit, 0.0, 1e-9);
    tn_equilibrium_destroy(e);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"rows of a chain stay", rows_of_a_chain_stay},
    {"a cantilever bends under its weight", a_cantilever_bends_under_its_weight},
    {"a cantilever has its frequency", a_cantilever_has_its_frequency},
    {"a free rod has its frequency", a_free_rod_has_its_frequency},
    {"a column buckles at Euler's load", a_column_buckles_at_eulers_load},
    {"a blade stiffens as that of the beam", a_blade_stiffens_as_that_of_the_beam},
    {"the tip lags as that of the beam", the_tip_lags_as_that_of_the_beam},
    {"without stiffening the arm leaves", without_stiffening_the_arm_leaves},
    {"a flexible slider-crank has its published digits",
     a_flexible_slider_crank_has_its_published_digits},
    {"a stiff slider-crank moves as a rigid one", a_stiff_slider_crank_moves_as_a_rigid_one},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
