// SPDX-License-Identifier: MIT
//
// Rows of velocities that expressions give: the sleigh as a knife edge and as an expression, one
// motion of a mechanism with everything in its row by every method, derivatives in joint
// coordinates against differences, what such a row supplies, and what is refused.

#include "joint/formula_row.h"
#include "probe_start.h"
#include "start/start.h"
#include "tenon/tenon.h"
#include "test.h"

#include <string.h>

static const char sleigh[] = "tenon: 1\n"
                             "bodies:\n"
                             "  sled: {kind: planar, mass: 2, inertia: 0.3, com: [0.25, 0],\n"
                             "         initial: {velocity: [1, 0], rate: 1.2}}\n"
                             "joints:\n"
                             "  blade: {%s}\n";
static const char as_edge[] = "kind: knife-edge, bodies: [ground, sled]";
static const char as_row[] =
    "kind: velocity-row, row: sled.velocity.y*cos(sled.angle) - sled.velocity.x*sin(sled.angle)";

// Positions, velocities in inertial and in body axes, coordinates of a joint and their rates, time.
static const char everything[] =
    "tenon: 1\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.3, 0.2, 0.4], com: [0.25, 0.1, 0.2],\n"
    "      initial: {velocity: [1, 0, 0.2], rate: [0.3, 1.2, 0.1]}}\n"
    "  b: {mass: 1, inertia: [0.1, 0.2, 0.25],\n"
    "      initial: {position: [1, 0, 0], velocity: [1, 0.3, 0.2], rate: [0.3, 0.2, 0.1]}}\n"
    "  c: {mass: 1, inertia: [0.1, 0.2, 0.25], com: [0, 0, 0.3],\n"
    "      initial: {position: [1, 1, 0]}}\n"
    "joints:\n"
    "  hinge: {kind: revolute, bodies: [b, c], at: [1, 0.5, 0], axis: [0, 1, 1]}\n"
    "  row: {kind: velocity-row, row: \"%s\"}\n"
    "forces:\n"
    "  spring: {kind: spring, bodies: [a, b], stiffness: 10, free: 1}\n";
static const char its_row[] =
    "a.velocity.y*cos(b.position.x) - (2 + sin(t))*b.angular_velocity.x*hinge.angle"
    " + a.position.z*hinge.angle.rate - 0.3*t";

static const char bent_row[] =
    "a.velocity.y*a.velocity.x*cos(b.position.x) - (2 + sin(t))*b.angular_velocity.x*hinge.angle"
    " + exp(a.position.z)*hinge.angle.rate^2 + b.velocity.x - 1.6 - 0.3*t + a.velocity.z";

static tn_model *read_model(const char *text, const char *row)
{
    char all[2048];
    tn_model *model = NULL;
    snprintf(all, sizeof all, text, row);
    CHECK_OK(tn_model_parse(all, "rows.yaml", &model, NULL));
    return model;
}

// The frame of the body at the end of a run, and the multiplier of the row.
static tn_frame end_of(const tn_model *model, const char *method, double t_end, const char *body,
                       double *eta, tn_ledger *ledger)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = 1e-10;
    options.atol = 1e-12;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    const tn_frame frame = tn_sim_body_frame(sim, tn_model_find_body(model, body));
    *eta = tn_sim_eta(sim)[0];
    tn_sim_ledger(sim, ledger);
    tn_sim_destroy(sim);
    return frame;
}

static double apart(tn_frame a, tn_frame b)
{
    return tn_v3_norm(tn_v3_sub(a.p, b.p)) +
           tn_v3_norm(tn_v3_sub(tn_m3_column(a.R, 0), tn_m3_column(b.R, 0)));
}

static void a_sleigh_is_a_row(void)
{
    static const char *const methods[] = {"dop853", "radau5/ggl", "dop853/minimal@joint"};
    tn_model *edge = read_model(sleigh, as_edge), *row = read_model(sleigh, as_row);
    for (int i = 0; i < TN_COUNT(methods); i++) {
        double eta[2];
        tn_ledger l;
        const tn_frame a = end_of(edge, methods[i], 3.0, "sled", &eta[0], &l);
        const tn_frame b = end_of(row, methods[i], 3.0, "sled", &eta[1], &l);
        CHECK_NEAR(apart(a, b), 0.0, 1e-8);
        CHECK_NEAR(fabs(eta[0]), fabs(eta[1]), 1e-7);
        CHECK_NEAR(l.energy, l.energy_start, 1e-8);
    }
    tn_model_destroy(edge);
    tn_model_destroy(row);
}

static void one_motion_by_every_method(void)
{
    static const char *const methods[] = {
        "radau5/ggl",   "radau5/index2",        "radau5/index1", "dop853/index1@absolute",
        "dop853/maggi", "dop853/minimal@joint", "herk5",         "radau5/ggl@joint",
        "dop853@joint", "dop853/nullspace",     "adams/index1"};
    tn_model *model = read_model(everything, its_row);
    double exact, eta;
    tn_ledger l;
    const tn_frame end = end_of(model, "dop853/index1+project@absolute", 1.0, "c", &exact, &l);
    for (int i = 0; i < TN_COUNT(methods); i++) {
        const tn_frame other = end_of(model, methods[i], 1.0, "c", &eta, &l);
        printf("%-24s %.1e %.1e\n", methods[i], apart(end, other), fabs(eta - exact));
        CHECK_NEAR(apart(end, other), 0.0, 1e-7);
        CHECK_NEAR(eta, exact, 1e-6);
        // The row moves with time: what it puts in is in the ledger.
        CHECK(fabs(l.supplied) > 1e-3);
        CHECK_NEAR(l.balance, 0.0, 1e-6);
    }
    tn_model_destroy(model);
}

static void check_derivatives(const char *row)
{
    static const char *const coordinates[] = {"joint", "absolute"};
    tn_model *model = read_model(everything, row);
    for (int i = 0; i < 2; i++) {
        const tn_sim_options options = tn_default_sim();
        tn_start start;
        CHECK_OK(tn_start_model(model, &options, &start));
        CHECK_OK(tn_start_to(&start, tn_find_coordinates(coordinates[i]), NULL));
        for (int seed = 0; seed < 5; seed++)
            check_columns(&start, seed, 1e-9);
        tn_start_clear(&start);
    }
    tn_model_destroy(model);
}

static void derivatives_match_differences(void)
{
    check_derivatives(its_row);
    check_derivatives(bent_row);
}

// Rows that are not linear in velocities --------------------------------------------------------

static const char *const bent_methods[] = {
    "dop853/index1@absolute",
    "dop853/index1+project@joint",
    "radau5/ggl@absolute",
    "radau5/ggl@joint",
    "radau5/index2",
    "radau5/index1",
    "dop853/nullspace",
    "dop853/udwadia-kalaba",
    "adams/index1",
    "radau5/stabilized-index1",
    "bdf/ggl",
};

static void a_bent_row_moves_alike_by_every_method(void)
{
    tn_model *model = read_model(everything, bent_row);
    double exact, eta;
    tn_ledger l;
    const tn_frame end = end_of(model, bent_methods[0], 0.5, "c", &exact, &l);
    for (int i = 0; i < TN_COUNT(bent_methods); i++) {
        const tn_frame other = end_of(model, bent_methods[i], 0.5, "c", &eta, &l);
        printf("%-24s %.1e %.1e\n", bent_methods[i], apart(end, other), fabs(eta - exact));
        CHECK_NEAR(apart(end, other), 0.0, 1e-7);
        CHECK_NEAR(eta, exact, 1e-5 * fabs(exact));
        // What the row puts in is in the ledger.
        CHECK(fabs(l.supplied) > 1e-3);
        CHECK_NEAR(l.balance, 0.0, 1e-6);
    }
    tn_model_destroy(model);
}

// x'^2 + y'^2 = z'^2 with weight along z: the rule of Chetaev gives the force -2 eta (x', y', -z'),
// which does no work; with s the speed in the plane, s = -z', eta = -m g / (4 s) and s' = g / 2.
static void the_particle_of_appell_and_hamel_keeps_to_its_cone(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  p: {kind: point, mass: 2, initial: {position: [0, 0, 0], velocity: [3, 4, -5]}}\n"
        "joints:\n"
        "  ham: {kind: velocity-row, row: p.velocity.x^2 + p.velocity.y^2 - p.velocity.z^2}\n";
    tn_model *model = read_model(text, "");
    for (int i = 0; i < TN_COUNT(bent_methods); i++) {
        double eta;
        tn_ledger l;
        const tn_frame end = end_of(model, bent_methods[i], 1.0, "p", &eta, &l);
        const double way = 5.0 + 9.81 / 4.0, s = 5.0 + 9.81 / 2.0;
        printf("%-24s %.1e\n", bent_methods[i], fabs(end.p.z + way));
        CHECK_NEAR(end.p.x, 0.6 * way, 1e-7);
        CHECK_NEAR(end.p.y, 0.8 * way, 1e-7);
        CHECK_NEAR(end.p.z, -way, 1e-7);
        CHECK_NEAR(eta, -2.0 * 9.81 / (4.0 * s), 1e-6);
        CHECK_NEAR(l.supplied, 0.0, 1e-9);
        CHECK_NEAR(l.balance, 0.0, 1e-6);
    }
    tn_model_destroy(model);
}

// A speed that stays V under weight: V theta' = -g cos(theta), sin(theta) = -tanh(g t / V); the row
// takes what the weight gives.
static void a_speed_that_is_held_takes_work(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  p: {kind: point, mass: 2, initial: {position: [0, 0, 0], velocity: [3, 0, 0]}}\n"
        "joints:\n"
        "  held: {kind: velocity-row, row: sqrt(p.velocity.x^2 + p.velocity.y^2) - 3}\n"
        "  flat: {kind: velocity-row, row: p.velocity.z}\n";
    tn_model *model = read_model(text, "");
    const double fall = 9.0 / 9.81 * log(cosh(9.81 * 0.5 / 3.0));
    for (int i = 0; i < TN_COUNT(bent_methods); i++) {
        double eta;
        tn_ledger l;
        const tn_frame end = end_of(model, bent_methods[i], 0.5, "p", &eta, &l);
        CHECK_NEAR(end.p.y, -fall, 1e-8);
        CHECK_NEAR(l.supplied, -2.0 * 9.81 * fall, 1e-6);
        CHECK_NEAR(l.balance, 0.0, 1e-6);
    }
    tn_model_destroy(model);
}

// A velocity that is not stated follows from the row by Newton's method.
static void start_velocities_follow_from_bent_rows(void)
{
    static const char text[] =
        "tenon: 1\nbodies:\n"
        "  p: {kind: point, mass: 2, initial: {velocity: [3, 0, 0]}}\n"
        "  q: {kind: point, mass: 2}\njoints:\n"
        "  row: {kind: velocity-row, row: p.velocity.x^2 - 8*q.velocity.x - q.velocity.x^2}\n";
    tn_model *model = read_model(text, "");
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_NEAR(tn_sim_body_velocity(sim, tn_model_find_body(model, "q")).x, 1.0, 1e-10);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void a_row_without_slope_at_the_start_is_refused(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  p: {kind: point, mass: 2, initial: {position: [0, 0, 0], velocity: [0, 0, 0]}}\n"
        "joints:\n"
        "  ham: {kind: velocity-row, row: p.velocity.x^2 + p.velocity.y^2 - p.velocity.z^2}\n";
    tn_model *model = read_model(text, "");
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_MODEL);
    CHECK(tn_test_says("rows.yaml:6:3: joint 'ham', row velocity is not linear in velocities"));
    tn_model_destroy(model);
}

// Which rows hold nothing is asked of the velocities that joints state, and not of bodies at rest.
static void bent_rows_see_the_rates_of_joints(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  a: {mass: 2, inertia: [0.1, 0.2, 0.3], com: [0.1, 0, 0]}\n"
        "  b: {mass: 2, inertia: [0.1, 0.2, 0.3], com: [0.1, 0.3, 0]}\njoints:\n"
        "  ja: {kind: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], initial: "
        "{rate: 2}}\n"
        "  jb: {kind: revolute, bodies: [ground, b], at: [1, 0, 0], axis: [0, 0, 1], initial: "
        "{rate: 1.5}}\n"
        "  ham: {kind: velocity-row, row: ja.angle.rate*jb.angle.rate - 3}\n";
    for (int i = 0; i < TN_COUNT(bent_methods); i++) {
        tn_sim_options o = tn_default_sim();
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        double q, ra, rb;
        o.method = bent_methods[i];
        CHECK_OK(tn_model_parse(text, "rows.yaml", &model, NULL));
        CHECK_OK(tn_sim_create(model, &o, &sim));
        tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "ja"), &q, &ra);
        CHECK_NEAR(ra, 2.0, 1e-9);
        CHECK_OK(tn_sim_run(sim, 0.2, NULL, NULL));
        tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "ja"), &q, &ra);
        tn_sim_joint_coordinates(sim, tn_model_find_joint(model, "jb"), &q, &rb);
        CHECK_NEAR(ra * rb, 3.0, 1e-4); // penalties leave some
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void methods_that_need_linear_rows_refuse_bent_ones(void)
{
    static const char *const methods[] = {"herk5", "dop853/maggi", "dop853/minimal",
                                          "dop853/phase-space", "dop853/projective"};
    tn_model *model = read_model(everything, bent_row);
    for (int i = 0; i < TN_COUNT(methods); i++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = methods[i];
        CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_PAIRING);
        CHECK(tn_test_says("the row of joint 'row' is not linear"));
    }
    tn_model_destroy(model);
}

static void bad_rows_are_refused(void)
{
    static const struct {
        const char *row, *told;
    } bad[] = {
        {"0.3*t", "it has no velocity in it"},
        {"a.position.x - 0.3", "it has no velocity in it; take a position-row"},
        {"a.velocity.x*abs(b.position.y)", "it has a condition in it"},
        {"a.velocity.x + spring.tension", "'spring.tension' is neither a position nor a velocity"},
        {"a.velocityy", "did you mean 'a.velocity.y'?"},
        {"0*b.velocity.x", "no velocity in it changes it"},
        {"b.velocity.x - b.velocity.x + 0.3*t", "so that it constrains nothing; correct it or"},
        {"0.1*b.velocity.x + 0.2*b.velocity.x - 0.3*b.velocity.x", "constrains nothing"},
    };
    for (int i = 0; i < TN_COUNT(bad); i++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        tn_model *model = read_model(everything, bad[i].row);
        CHECK(tn_sim_create(model, &options, &sim) != TN_OK);
        CHECK(strstr(tn_last_error(), "rows.yaml:11:") != NULL);
        CHECK(strstr(tn_last_error(), "joint 'row': row") != NULL);
        if (!strstr(tn_last_error(), bad[i].told))
            printf("%s\n  is not in\n%s\n", bad[i].told, tn_last_error());
        CHECK(strstr(tn_last_error(), bad[i].told) != NULL);
        tn_model_destroy(model);
    }
}

// What has no value at some places, and what loses digits, is linear as it is written.
static void good_rows_are_taken(void)
{
    static const char *const good[] = {
        "sqrt(b.position.x - 10)*b.velocity.x - t",
        "log(b.position.x)*b.velocity.x + sqrt(0.6 - b.position.y)*a.velocity.y",
        "1e9*b.velocity.x - 1e9*a.velocity.x + 1e-6*b.velocity.y",
        "1e-6*(b.velocity.x + 3*a.velocity.z) - 1e3",
        "b.velocity.x*(1 + b.position.x^2)/(1 + b.position.x) - a.velocity.x/3",
    };
    for (int i = 0; i < TN_COUNT(good); i++) {
        tn_formula_row row;
        tn_model *model = read_model(everything, good[i]);
        CHECK_OK(tn_formula_row_create(model, 1, false, &row));
        CHECK(row.linear);
        tn_formula_row_clear(&row);
        tn_model_destroy(model);
    }
}

// However small or large its factor is, a row holds at the start: a velocity that is not stated
// follows, and one that is stated otherwise is refused.
static void rows_of_any_size_hold_at_the_start(void)
{
    static const char text[] = "tenon: 1\n"
                               "bodies:\n"
                               "  a: {kind: planar, mass: 1, inertia: 1%s}\n"
                               "joints:\n"
                               "  r: {kind: velocity-row, row: %s*(a.velocity.x - 2)}\n";
    static const char *const factors[] = {"1e-12", "1e-6", "1", "1e6", "1e12"};
    for (int i = 0; i < 2 * TN_COUNT(factors); i++) {
        const bool stated = i % 2;
        char model_text[400];
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        tn_sim_options options = tn_default_sim();
        snprintf(model_text, sizeof model_text, text, stated ? ", initial: {velocity: [1, 0]}" : "",
                 factors[i / 2]);
        CHECK_OK(tn_model_parse(model_text, "rows.yaml", &model, NULL));
        const tn_status status = tn_sim_create(model, &options, &sim);
        CHECK((status != TN_OK) == stated);
        if (stated) {
            CHECK(strstr(tn_last_error(), "velocity cannot hold together with joint 'r'") != NULL);
        } else {
            CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
            CHECK_NEAR(tn_sim_body_velocity(sim, tn_model_find_body(model, "a")).x, 2.0, 1e-12);
            tn_sim_destroy(sim);
        }
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"a sleigh is a row", a_sleigh_is_a_row},
    {"one motion by every method", one_motion_by_every_method},
    {"derivatives match differences", derivatives_match_differences},
    {"a bent row moves alike by every method", a_bent_row_moves_alike_by_every_method},
    {"the particle of Appell and Hamel keeps to its cone",
     the_particle_of_appell_and_hamel_keeps_to_its_cone},
    {"a speed that is held takes work", a_speed_that_is_held_takes_work},
    {"start velocities follow from bent rows", start_velocities_follow_from_bent_rows},
    {"bent rows see the rates of joints", bent_rows_see_the_rates_of_joints},
    {"a row without slope at the start is refused", a_row_without_slope_at_the_start_is_refused},
    {"methods that need linear rows refuse bent ones",
     methods_that_need_linear_rows_refuse_bent_ones},
    {"bad rows are refused", bad_rows_are_refused},
    {"good rows are taken", good_rows_are_taken},
    {"rows of any size hold at the start", rows_of_any_size_hold_at_the_start},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
