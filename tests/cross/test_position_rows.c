// SPDX-License-Identifier: MIT
//
// Rows of positions that expressions give: against closed forms, against the joints that hold the
// same, their derivatives against differences, and what is refused.

#include "model/units.h"
#include "probe_start.h"
#include "start/start.h"
#include "tenon/tenon.h"
#include "test.h"

static const char *const methods[] = {
    "dop853/index1@absolute", "dop853/index1+project@joint", "galpha/ggl@absolute",
    "galpha/ggl@joint",       "radau5/ggl@absolute",         "radau5/index2@joint",
    "bdf/ggl@absolute",       "radau5/stabilized-index1",    "dop853/nullspace",
    "dop853/maggi@joint",     "dop853/minimal@absolute",     "herk5@joint",
    "galpha/index3@joint",    "dop853/udwadia-kalaba",
};

typedef struct outcome {
    tn_vec3 p, v;
    double lambda; // of the last joint
    tn_ledger ledger;
} outcome;

static outcome run_rows(const char *text, const char *method, double t_end, const char *body)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    outcome out;
    double lambda[6];
    options.method = method;
    options.rtol = 1e-9;
    options.atol = 1e-11;
    CHECK_OK(tn_model_parse(text, "rows.yaml", &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    const tn_status status = tn_sim_run(sim, t_end, NULL, NULL);
    if (status != TN_OK)
        printf("%s: %s\n", method, tn_last_error());
    CHECK_OK(status);
    const tn_body b = tn_model_find_body(model, body);
    out.p = tn_sim_body_frame(sim, b).p;
    out.v = tn_sim_body_velocity(sim, b);
    tn_sim_joint_multipliers(sim, (tn_joint){tn_model_joint_count(model) - 1}, lambda, NULL);
    out.lambda = lambda[0];
    tn_sim_ledger(sim, &out.ledger);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return out;
}

// A bead on y = x^2 under weight: the energy gives the speed at its place, and the force along the
// row, m y'' + m g = -lambda dg/dy, its acceleration. The row is divided by its largest slope at
// the start, 2.
static void a_bead_on_a_wire_keeps_its_energy(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  b: {kind: point, mass: 2, initial: {position: [1, 1, 0]}}\njoints:\n"
        "  flat: {kind: position-row, row: b.position.z}\n"
        "  wire: {kind: position-row, row: b.position.y - b.position.x^2}\n";
    for (int i = 0; i < TN_COUNT(methods); i++) {
        const outcome o = run_rows(text, methods[i], 1.3, "b");
        const double x = o.p.x, u = o.v.x, n = 1.0 + 4.0 * x * x;
        const double xdd = -(4.0 * x * u * u + 2.0 * 9.81 * x) / n;
        printf("%-28s %g %.1e\n", methods[i], x, fabs(u * u * n / 2.0 - 9.81 * (1.0 - x * x)));
        CHECK_NEAR(o.p.y, x * x, 1e-8);
        CHECK_NEAR(u * u * n / 2.0, 9.81 * (1.0 - x * x), 2e-5);
        CHECK_NEAR(o.lambda, -2.0 * 2.0 * (2.0 * u * u + 2.0 * x * xdd + 9.81), 1e-2);
        CHECK_NEAR(o.ledger.supplied, 0.0, 1e-9);
    }
}

// What a joint holds and what an expression says of the same bodies.
static void check_alike(const char *model, const char *joint, const char *row, const char *body,
                        double sign)
{
    char as_joint[1500], as_row[1500];
    snprintf(as_joint, sizeof as_joint, model, joint);
    snprintf(as_row, sizeof as_row, model, row);
    const outcome exact = run_rows(as_joint, "dop853/index1+project@absolute", 0.7, body);
    CHECK(tn_v3_norm(exact.v) > 0.05);
    for (int i = 0; i < TN_COUNT(methods); i++) {
        const outcome o = run_rows(as_row, methods[i], 0.7, body);
        const double off = tn_v3_norm(tn_v3_sub(o.p, exact.p));
        if (off > 1e-6 || fabs(o.lambda - sign * exact.lambda) > 1e-3 * (1 + fabs(exact.lambda)))
            printf("%s by %s: %.1e, lambda %g %g\n", row, methods[i], off, o.lambda, exact.lambda);
        CHECK_NEAR(off, 0.0, 5e-6); // galpha is of second order
        CHECK_NEAR(o.lambda, sign * exact.lambda, 1e-3 * (1 + fabs(exact.lambda)));
        CHECK_NEAR(o.ledger.supplied, exact.ledger.supplied, 1e-5);
        CHECK_NEAR(o.ledger.balance, 0.0, 1e-4);
    }
}

static const char hinged[] =
    "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.1, 0.05, 0], initial: {position: [0.1, 0, "
    "0]}}\n"
    "  b: {mass: 2, inertia: [0.1, 0.2, 0.3], com: [0.2, 0, 0.1], initial: {position: [1.2, 0, "
    "0]}}\n"
    "outputs:\n"
    "  far: {quantity: distance, of: b, point: [0.3, 0, 0], in: a, from: [0, 0.2, 0.1]}\n"
    "  side: {quantity: position, of: b, point: [0.3, 0, 0], in: a, axis: y}\n"
    "joints:\n"
    "  ja: {kind: revolute, body: a, at: [0, 0, 0], axis: [0, 0, 1], initial: {position: 0}}\n"
    "  jb: {kind: revolute, body: b, at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  c: {%s}\n";

static void rows_hold_what_joints_hold(void)
{
    check_alike(hinged, "kind: gear, joint_1: ja, joint_2: jb, ratio_1: 1, ratio_2: -2",
                "kind: position-row, row: ja.angle - 2*jb.angle", "b", 2.0);
    check_alike(hinged, "kind: drive, joint: ja, motion: 0.5*sin(3*t)",
                "kind: position-row, row: ja.angle - 0.5*sin(3*t)", "a", 1.0);
    check_alike(hinged,
                "kind: distance, bodies: [a, b], frame_a: {at: [0, 0.2, 0.1]}, "
                "frame_b: {at: [0.3, 0, 0]}",
                "kind: position-row, row: far - sqrt(1.4^2 + 0.2^2 + 0.1^2)", "b", 1.0);
}

// All that rows may name, with time: derivatives in all coordinates, and one motion.
static const char everything[] =
    "tenon: 1\n%s"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.3, 0.2, 0.4], com: [0.25, 0.1, 0.2],\n"
    "      initial: {velocity: [1, 0, 0.2]}}\n"
    "  b: {mass: 1, inertia: [0.1, 0.2, 0.25], initial: {position: [1, 0, 0]}}\n"
    "  c: {mass: 1, inertia: [0.1, 0.2, 0.25], com: [0, 0, 0.3], initial: {position: [1, 1, 0]}}\n"
    "joints:\n"
    "  hinge: {kind: revolute, bodies: [b, c], at: [1, 0.5, 0], axis: [0, 1, 1]}\n"
    "  row: {kind: position-row, row: '%s'}\n"
    "forces:\n"
    "  spring: {kind: spring, bodies: [a, b], stiffness: 10, free: 1}\n"
    "outputs:\n"
    "  far: {quantity: distance, of: c, point: [0.3, 0, 0], in: a, from: [0, 0.2, 0.1]}\n"
    "  side: {quantity: position, of: b, point: [0.3, 0, 0], in: a, axis: y}\n";
static const char its_row[] =
    "a.position.y*cos(b.position.x) - (2 + sin(t))*side*hinge.angle + far^2 - 0.3*t^2"
    " + spring.length*a.position.z - exp(a.position.x)";

static void derivatives_match_differences(void)
{
    static const char *const coordinates[] = {"joint", "absolute"};
    char text[2000];
    snprintf(text, sizeof text, everything, "", its_row);
    for (int i = 0; i < 2; i++) {
        tn_model *model = NULL;
        tn_start start;
        const tn_sim_options options = tn_default_sim();
        CHECK_OK(tn_model_parse(text, "rows.yaml", &model, NULL));
        CHECK_OK(tn_start_model(model, &options, &start));
        CHECK_OK(tn_start_to(&start, tn_find_coordinates(coordinates[i]), NULL));
        for (int seed = 0; seed < 5; seed++)
            check_columns(&start, seed, 1e-8);
        tn_start_clear(&start);
        tn_model *copy = NULL;
        CHECK_OK(tn_model_in_units(model, i ? (tn_units){0.25, 0.5, 2.0} : tn_units_si, &copy));
        for (int seed = 0; seed < 6; seed++)
            check_absolute_columns(copy, seed, 1e-7);
        tn_model_in_units_destroy(copy);
        tn_model_destroy(model);
    }
}

static void one_motion_by_every_method(void)
{
    char text[2000];
    snprintf(text, sizeof text, everything, "", its_row);
    const outcome exact = run_rows(text, "dop853/index1+project@absolute", 0.5, "c");
    for (int i = 0; i < TN_COUNT(methods); i++) {
        const outcome o = run_rows(text, methods[i], 0.5, "c");
        printf("%-28s %.1e %.1e\n", methods[i], tn_v3_norm(tn_v3_sub(o.p, exact.p)),
               fabs(o.ledger.balance));
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(o.p, exact.p)), 0.0, 1e-6);
        // The row moves with time: what it puts in is in the ledger.
        CHECK(fabs(o.ledger.supplied) > 1e-3);
        CHECK_NEAR(o.ledger.balance, 0.0, 1e-5);
    }
}

// However it is written, a row holds: factors, and squares of lengths.
static void rows_of_any_size_hold(void)
{
    static const char model[] = "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                                "  b: {kind: planar, mass: 2, inertia: 1, initial: {position: [2, "
                                "0.3], velocity: [0, 0]}}\n"
                                "joints:\n  row: {kind: position-row, row: %s}\n";
    static const char *const rows[] = {
        "b.position.x^2/4 + b.position.y^2 - 1",
        "1e6*(b.position.x^2/4 + b.position.y^2 - 1)",
        "1e-6*(b.position.x^2/4 + b.position.y^2 - 1)",
        "sqrt(b.position.x^2/4 + b.position.y^2) - 1",
    };
    for (int k = 0; k < TN_COUNT(rows); k++) {
        char text[800];
        snprintf(text, sizeof text, model, rows[k]);
        for (int i = 0; i < TN_COUNT(methods); i++) {
            const outcome o = run_rows(text, methods[i], 1.0, "b");
            CHECK_NEAR(o.p.x * o.p.x / 4.0 + o.p.y * o.p.y, 1.0, 1e-7);
            CHECK_NEAR(o.ledger.balance, 0.0, 1e-4);
            CHECK(o.ledger.max_g < 1e-6);
        }
    }
}

static void a_row_that_joints_hold_already_is_redundant(void)
{
    static const char model[] =
        "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  b: {mass: 2, inertia: [1, 1, 1], com: [0.3, 0, 0]}\njoints:\n"
        "  hinge: {kind: revolute, body: b, at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  row: {kind: position-row, row: b.position.z + 2*b.position.x}\n";
    const outcome exact = run_rows(model, methods[0], 0.5, "b");
    for (int i = 1; i < TN_COUNT(methods); i++) {
        const outcome o = run_rows(model, methods[i], 0.5, "b");
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(o.p, exact.p)), 0.0, 1e-6);
    }
}

static void bad_rows_are_refused(void)
{
    static const struct {
        const char *row, *told;
    } bad[] = {
        {"a.velocity.x", "'a.velocity.x' is a velocity, and a row of positions has none; take a "
                         "velocity-row"},
        {"0.3*t", "it has no position in it"},
        {"abs(b.position.y)", "it has a condition in it"},
        {"a.position.x + spring.tension", "'spring.tension' is neither a position nor a velocity"},
        {"a.positionx", "did you mean 'a.position.x'?"},
        {"0*b.position.x", "no position in it changes it"},
        {"b.position.x - b.position.x + 0.3*t", "so that it constrains nothing"},
    };
    for (int i = 0; i < TN_COUNT(bad); i++) {
        char text[2000];
        const tn_sim_options options = tn_default_sim();
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        snprintf(text, sizeof text, everything, "", bad[i].row);
        CHECK_OK(tn_model_parse(text, "rows.yaml", &model, NULL));
        CHECK(tn_sim_create(model, &options, &sim) != TN_OK);
        CHECK(tn_test_says("joint 'row': row"));
        if (!tn_test_says(bad[i].told))
            printf("%s\n  is not in\n%s\n", bad[i].told, tn_last_error());
        CHECK(tn_test_says(bad[i].told));
        tn_model_destroy(model);
    }
}

// Directors have no numbers of rotations that expressions could name.
static void directors_take_no_rows_by_expressions(void)
{
    static const char *const names[] = {"galpha/ggl@director", "variational", "energy-momentum",
                                        "radau5/ggl@director"};
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(
        "tenon: 1\n"
        "bodies: {q: {mass: 1, inertia: [1, 1, 1], initial: {position: [1, 0, 0]}}}\n"
        "joints: {row: {kind: position-row, row: q.position.x - 1}}\n",
        "rows.yaml", &model, NULL));
    for (int i = 0; i < TN_COUNT(names); i++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = names[i];
        options.step = 1e-3;
        CHECK(tn_sim_create(model, &options, &sim) != TN_OK);
        CHECK(tn_test_says("rows.yaml:3:10: director coordinates take no rows by expressions"));
        CHECK(tn_test_says("joint 'row' is one; take @absolute or @joint"));
    }
    tn_model_destroy(model);
}

// The force -0.3 lambda moves 1 kg by what the results tell, in newtons: the unit of length within
// Tenon is not the metre here. At rest at (0.6, 0.36) on y = x^2 the bead has
// lambda = -m g y' / (1 + y'^2), the row divided by its largest slope y' = 1.2.
static void expressions_know_the_multiplier_that_results_tell(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  p: {kind: point, mass: 1, initial: {position: [0.6, 0.36, 0]}}\n"
        "  q: {kind: point, mass: 1, initial: {position: [2, 0, 0]}}\njoints:\n"
        "  wire: {kind: position-row, row: p.position.y - p.position.x^2}\n"
        "signals: {seen: wire.lambda.position}\nforces:\n"
        "  t: {kind: point-force, body: q, force: [\"-0.3*wire.lambda.position\", 0, 0]}\n";
    const double lambda = -9.81 * 1.2 / (1.0 + 1.2 * 1.2);
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    const tn_sim_options options = tn_default_sim();
    tn_channel_info info;
    int told, seen, moved;
    CHECK_OK(tn_model_parse(text, "rows.yaml", &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_channel_find(sim, "wire.lambda.position", &told));
    CHECK_OK(tn_sim_channel_find(sim, "seen", &seen));
    CHECK_OK(tn_sim_channel_find(sim, "q.acceleration.x", &moved));
    CHECK_OK(tn_sim_channel_at(sim, told, &info));
    CHECK_TEXT(info.unit, "N");
    CHECK_NEAR(tn_sim_channel(sim, told), lambda, 1e-9);
    CHECK_NEAR(tn_sim_channel(sim, seen), lambda, 1e-9);
    CHECK_NEAR(tn_sim_channel(sim, moved), -0.3 * lambda, 1e-9);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// A second of a point with one row.
static tn_outcome run_point(const char *row, tn_vec3 gravity, tn_vec3 at, double speed,
                            const char *method, double rtol, outcome *out)
{
    char text[600];
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_verdict verdict;
    tn_sim_options options = tn_default_sim();
    snprintf(text, sizeof text,
             "tenon: 1\ngravity: [%.17g, %.17g, %.17g]\nbodies:\n"
             "  p: {kind: point, mass: 1, initial: {position: [%.17g, %.17g, 0],"
             " velocity: [0, %g, 0]}}\njoints:\n  r: {kind: position-row, row: \"%s\"}\n",
             gravity.x, gravity.y, gravity.z, at.x, at.y, speed, row);
    options.method = method;
    options.rtol = rtol > 0.0 ? rtol : options.rtol;
    CHECK_OK(tn_model_parse(text, "rows.yaml", &model, NULL));
    CHECK_OK(tn_sim_create(model, &options, &sim));
    tn_sim_run(sim, 1.0, NULL, NULL);
    tn_sim_verdict(sim, &verdict);
    tn_sim_ledger(sim, &out->ledger);
    out->p = tn_sim_body_frame(sim, tn_model_find_body(model, "p")).p;
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return verdict.outcome;
}

// At rest where two lines cross, under a force along neither: errors choose one, which is a doubt.
// Along both a = (g . e) e, so that x(1 s) is (2 + 9.81) / 4 or (2 - 9.81) / 4 on x^2 = y^2, and
// 1 or 0 on x y = 0. Before, tolerances of a first step of 1e-14 s and its way of 1e-27 m let such
// runs gain 1e7 J and end as done. Along one of the lines there is no doubt.
static void a_start_at_rest_where_lines_cross_is_doubtful(void)
{
    static const char *const lines[] = {"p.position.x^2 - p.position.y^2",
                                        "p.position.x*p.position.y"};
    static const char *const ways[] = {"dop853/index1+project@absolute", "adams/index1+project",
                                       "radau5/index2", "herk5/index2+project", "galpha/ggl"};
    static const double ends[2][2] = {{2.9525, -1.9525}, {1.0, 0.0}};
    const tn_vec3 none = {0.0, 0.0, 0.0}, across = {2.0, -9.81, 1.0};
    outcome o;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TN_COUNT(ways); i++) {
            const tn_outcome told = run_point(lines[k], across, none, 0.0, ways[i], 0.0, &o);
            CHECK(told != TN_OUTCOME_DONE);
            CHECK(o.ledger.max_balance < 1e-5 && o.ledger.rank_margin == 0.0);
            if (told == TN_OUTCOME_DOUBTFUL)
                CHECK_NEAR(fmin(fabs(o.p.x - ends[k][0]), fabs(o.p.x - ends[k][1])), 0.0, 1e-4);
            const tn_vec3 along = {1.0, k == 0 ? 1.0 : 0.0, 0.5};
            CHECK(run_point(lines[k], along, none, 0.0, ways[i], 0.0, &o) == TN_OUTCOME_DONE);
            CHECK_NEAR(o.p.x, 0.5, 1e-6);
        }
}

// A bead that falls along x y = c is turned at the origin. A step that goes straight on comes out
// on the other branch, 2 sqrt(2 c) away; c = 1e-4 is followed. A long step on a circle, whose row
// turns as far, has not jumped.
static void a_step_to_another_branch_of_a_row_is_noticed(void)
{
    static const double c[] = {1e-4, 1e-7};
    const tn_vec3 down = {0.0, -9.81, 0.0}, right = {1.0, 0.0, 0.0};
    outcome o;
    for (int i = 0; i < 2; i++) {
        char row[80];
        snprintf(row, sizeof row, "p.position.x*p.position.y - %g", c[i]);
        const tn_outcome told =
            run_point(row, down, (tn_vec3){c[i], 1.0, 0.0}, 0.0, "herk5/index2+project", 0.0, &o);
        CHECK(told == (i == 0 ? TN_OUTCOME_DONE : TN_OUTCOME_FAILED));
        CHECK(i == 0 ? fabs(o.p.x - 2.4461) < 1e-3 : tn_test_says("jumped from one branch"));
    }
    tn_clear_error();
    run_point("p.position.x^2 + p.position.y^2 - 1", down, right, 8.0, "dop853/index1+project",
              1e-1, &o);
    CHECK(!tn_test_says("jumped"));
}

// However loose, a tolerance does not take a motion for rest: the energy of a bead on a circle that
// is lost as a whole is a doubt.
static void lost_energies_are_doubtful_at_all_tolerances(void)
{
    const tn_vec3 down = {0.0, -9.81, 0.0}, right = {1.0, 0.0, 0.0};
    outcome o;
    const tn_outcome told = run_point("p.position.x^2 + p.position.y^2 - 1", down, right, 8.0,
                                      "herk5/index2+project", 1e-1, &o);
    printf("balance %g, %g of the energy\n", o.ledger.max_balance,
           tn_ledger_relative_balance(&o.ledger));
    CHECK(tn_ledger_relative_balance(&o.ledger) > 0.1);
    CHECK(told == TN_OUTCOME_DOUBTFUL);
}

// A disc of mass m = 2 and radius 0.2 that rolls without slip, J = m r^2, under 1 N: 1/(m + J/r^2).
// The row of z repeats the wheel. What is read first is the acceleration, after other evaluations.
static void accelerations_are_those_of_the_state_whatever_is_read_first(void)
{
    static const char text[] =
        "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  d: {mass: 2, inertia: [0.02, 0.02, 0.04], initial: {position: [0, 0, 0.2], "
        "orientation: {axis: [1, 0, 0], angle_deg: -90}, velocity: [1, 0, 0]}}\njoints:\n"
        "  r: {kind: rolling-wheel, body: d, at_a: [0, 0, 0], radius: 0.2}\n"
        "  y: {kind: position-row, row: d.position.y}\n"
        "  z: {kind: position-row, row: d.position.z - 0.2}\n"
        "forces: {f: {kind: point-force, body: d, force: [1, 0, 0]}}\n";
    for (int i = 0; i < TN_COUNT(methods); i++) {
        tn_sim_options options = tn_default_sim();
        tn_model *model = NULL;
        tn_sim *sim = NULL;
        options.method = methods[i];
        CHECK_OK(tn_model_parse(text, "disc.yaml", &model, NULL));
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
        const tn_vec3 a = tn_sim_body_acceleration(sim, tn_model_find_body(model, "d"));
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(a, tn_v3(1.0 / 3.0, 0.0, 0.0))), 0.0, 1e-5);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"a bead on a wire keeps its energy", a_bead_on_a_wire_keeps_its_energy},
    {"rows hold what joints hold", rows_hold_what_joints_hold},
    {"derivatives match differences", derivatives_match_differences},
    {"one motion by every method", one_motion_by_every_method},
    {"rows of any size hold", rows_of_any_size_hold},
    {"a row that joints hold already is redundant", a_row_that_joints_hold_already_is_redundant},
    {"bad rows are refused", bad_rows_are_refused},
    {"directors take no rows by expressions", directors_take_no_rows_by_expressions},
    {"expressions know the multiplier that results tell",
     expressions_know_the_multiplier_that_results_tell},
    {"accelerations are those of the state whatever is read first",
     accelerations_are_those_of_the_state_whatever_is_read_first},
    {"a start at rest where lines cross is doubtful",
     a_start_at_rest_where_lines_cross_is_doubtful},
    {"a step to another branch of a row is noticed", a_step_to_another_branch_of_a_row_is_noticed},
    {"lost energies are doubtful at all tolerances", lost_energies_are_doubtful_at_all_tolerances},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
