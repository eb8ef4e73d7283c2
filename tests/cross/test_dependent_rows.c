// SPDX-License-Identifier: MIT
//
// Constraints that depend on each other: redundant, contradictory from the start or from a later
// time on, and dependent but for the digits with which they were typed. Each case ends as it must
// in all coordinates and by methods of all kinds.

#include "tenon/tenon.h"
#include "test.h"

#include <stdarg.h>

static const char *const methods[] = {
    "auto",
    "galpha/ggl@absolute",
    "galpha/ggl@joint",
    "galpha/ggl@director",
    "hht/index3@absolute",
    "bdf/ggl@absolute",
    "bdf/index2@joint",
    "radau5/ggl@joint",
    "herk5/index2+project@absolute",
    "dop853/index1+project@absolute",
    "dopri5/minimal@absolute",
    "dopri5/udwadia-kalaba+project@joint",
    "adams/nullspace+project@absolute",
    "variational/multiplier@director",
    "energy-momentum/multiplier@director",
};

typedef struct run {
    tn_model *model;
    tn_simulate simulate;
    tn_sim *sim;
    tn_status status;
    tn_ledger ledger;
} run;

static void run_text(run *r, const char *text, const char *method)
{
    *r = (run){0};
    CHECK_OK(tn_model_parse(text, "model", &r->model, &r->simulate));
    r->simulate.options.method = method;
    r->status = tn_sim_create(r->model, &r->simulate.options, &r->sim);
    if (r->status == TN_OK) {
        r->status = tn_sim_run(r->sim, r->simulate.t_end, NULL, NULL);
        tn_sim_ledger(r->sim, &r->ledger);
    }
}

static void end_run(run *r)
{
    tn_sim_destroy(r->sim);
    tn_model_destroy(r->model);
}

// Contradictions on the way ---------------------------------------------------------------------

static const char parting_slides[] =
    "tenon: 1\n"
    "bodies:\n"
    "  m: {kind: planar, mass: 2, inertia: 1}\n"
    "joints:\n"
    "  rail: {kind: prismatic, body: m, at: [0, 0], axis: [1, 0]}\n"
    "  d1: {kind: drive, joint: rail, motion: 'sin(t)'}\n"
    "  d2: {kind: drive, joint: rail, motion: 't'}\n"
    "simulate: {t_end: 3}\n";

static const char parting_late[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
    "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1.5, 0]}}\n"
    "joints:\n"
    "  p: {kind: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "  r: {kind: revolute, bodies: [a, b], at: [1, 0]}\n"
    "  d1: {kind: drive, joint: p, motion: sin(t)}\n"
    "  d2: {kind: drive, joint: p, motion: 'sin(t)+0.3*(t>0.5 ? (t-0.5)^3 : 0)'}\n"
    "simulate: {t_end: 1}\n";

static const char parting_cranks[] =
    "tenon: 1\n"
    "bodies:\n"
    "  r0: {kind: planar, mass: 1, inertia: 1/12, initial: {position: [0, 0.5]}}\n"
    "  r1: {kind: planar, mass: 1, inertia: 1/12, initial: {position: [1, 0.5]}}\n"
    "  link: {kind: planar, mass: 1, inertia: 1/12, initial: {position: [0.5, 1]}}\n"
    "joints:\n"
    "  A0: {kind: revolute, bodies: [ground, r0], at: [0, 0]}\n"
    "  A1: {kind: revolute, bodies: [ground, r1], at: [1, 0]}\n"
    "  B0: {kind: revolute, bodies: [r0, link], at: [0, 1]}\n"
    "  B1: {kind: revolute, bodies: [r1, link], at: [1, 1]}\n"
    "  d1: {kind: drive, joint: A0, motion: 'sin(t)'}\n"
    "  d2: {kind: drive, joint: A1, motion: 'sin(t) + 0.1*t^3'}\n"
    "simulate: {t_end: 1}\n";

// A stretched loop that a drive opens: consistent at t = 0 on all levels.
static const char opened_loop[] =
    "tenon: 1\n"
    "bodies:\n"
    "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
    "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1.5, 0]}}\n"
    "joints:\n"
    "  p: {kind: revolute, body: a, at: [0, 0]}\n"
    "  q: {kind: revolute, bodies: [a, b], at: [1, 0]}\n"
    "  r: {kind: revolute, body: b, at: [2, 0]}\n"
    "  d1: {kind: drive, joint: p, motion: t^2}\n"
    "simulate: {t_end: 2}\n";

// Drives that part within a step and agree at both of its ends: in the second model the row that is
// kept is the one that moves away.
#define TWO_SLIDES(first, second)                                            \
    "tenon: 1\nbodies:\n  c: {kind: planar, mass: 1, inertia: 1}\njoints:\n" \
    "  s: {kind: prismatic, body: c, at: [0, 0], axis: [1, 0]}\n"            \
    "  d1: {kind: drive, joint: s, motion: '" first "'}\n"                   \
    "  d2: {kind: drive, joint: s, motion: '" second "'}\nsimulate: {t_end: 1}\n"
#define BUMP "0.1*t + (t > 0.5 && t < 0.6 ? 1e7*((t - 0.5)*(0.6 - t))^3 : 0)"
static const char bump_left_out[] = TWO_SLIDES("0.1*t", BUMP);
static const char bump_kept[] = TWO_SLIDES(BUMP, "0.1*t");
static const char smooth_bump[] = TWO_SLIDES("0.1*t", "0.1*t + 0.05*exp(-((t - 0.5)/0.004)^2)");

static void check_parting(const char *text, const char *drive, double after)
{
    for (int k = 0; k < TN_COUNT(methods); k++) {
        run r;
        run_text(&r, text, methods[k]);
        const bool right = r.status == TN_ERR_NUMERIC && tn_test_says("contradict each other") &&
                           tn_test_says(drive) && r.ledger.max_g < 1e-4 &&
                           tn_sim_time(r.sim) < after + 0.1;
        if (!right)
            printf("%s: status %d, max |g| %g: %s\n", methods[k], r.status, r.ledger.max_g,
                   tn_last_error());
        CHECK(right);
        end_run(&r);
    }
}

static void drives_that_part_end_the_run(void)
{
    check_parting(parting_slides, "'d2'", 0.0);
    check_parting(parting_late, "'d2'", 0.5);
    check_parting(parting_cranks, "'d1'", 0.0);
}

static void drives_that_part_within_a_step_end_the_run(void)
{
    check_parting(bump_left_out, "'d2'", 0.5);
    check_parting(bump_kept, "'d2'", 0.5);
    check_parting(smooth_bump, "'d2'", 0.5);
}

static void a_drive_that_opens_a_loop_ends_the_run(void)
{
    check_parting(opened_loop, "'d1'", 0.0);
}

// Levers of a kilometre: what is told is not in units of the size of the model. After a step of
// 0.1 s from where they part the drives are off by 50*0.1^2.
static void how_far_rows_part_is_told_in_metres(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  car: {mass: 1, inertia: [1e6, 1e6, 1e6], initial: {position: [0, 0, 0]}}\n"
        "joints:\n"
        "  rail: {kind: prismatic, bodies: [ground, car], at: [1000, 0, 0], axis: [1, 0, 0]}\n"
        "  d1: {kind: drive, joint: rail, motion: '0'}\n"
        "  d2: {kind: drive, joint: rail, motion: '50*max(0, t - 0.1)^2'}\n"
        "simulate: {t_end: 1, step: 0.1}\n";
    run r;
    run_text(&r, text, "galpha/ggl@absolute");
    CHECK(r.status == TN_ERR_NUMERIC);
    CHECK(tn_test_says("is off by 0.5 there"));
    end_run(&r);
}

// Formulations of index 3 keep positions alone, and rates as well as steps do: a velocity row that
// repeats the rate of a joint is no better off than the joint, and contradicts nothing.
static void a_row_that_repeats_a_rate_is_no_contradiction(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  p: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1, 0]}}\n"
        "joints:\n"
        "  A: {kind: revolute, bodies: [ground, p], at: [0, 0]}\n"
        "  V: {kind: velocity-row, row: p.velocity.x*p.position.x + p.velocity.y*p.position.y}\n"
        "simulate: {t_end: 1}\n";
    static const char *const of_positions[] = {"radau5/index3@absolute", "bdf/index3@absolute",
                                               "galpha/index3@absolute", "radau5/index3@joint"};
    for (int k = 0; k < TN_COUNT(of_positions); k++) {
        run r;
        run_text(&r, text, of_positions[k]);
        CHECK_OK(r.status);
        CHECK_NEAR(r.ledger.max_balance / r.ledger.energy_scale, 0.0, 1e-3);
        end_run(&r);
    }
}

// Contradictions at the start -------------------------------------------------------------------

static void check_level(const char *second, const char *level)
{
    char text[1000] = "";
    run r;
    tn_test_append(text, sizeof text,
                   "tenon: 1\nbodies:\n  m: {kind: planar, mass: 2, inertia: 1}\njoints:\n"
                   "  pin: {kind: revolute, body: m, at: [0, 0]}\n"
                   "  d1: {kind: drive, joint: pin, motion: 'sin(t)'}\n"
                   "  d2: {kind: drive, joint: pin, motion: '%s'}\nsimulate: {t_end: 1}\n",
                   second);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        run_text(&r, text, methods[k]);
        CHECK(r.status == TN_ERR_MODEL);
        CHECK(tn_test_says("contradict each other"));
        CHECK(tn_test_says("'d1'") && tn_test_says("'d2'"));
        CHECK(tn_test_says(level));
        end_run(&r);
    }
}

static void the_level_of_a_contradiction_is_told(void)
{
    check_level("sin(t) + 0.1", "they miss each other");
    check_level("sin(t) + 0.1*t", "velocity level");
    check_level("sin(t) + 0.1*t^2", "acceleration level");
}

static void drives_that_agree_are_redundant(void)
{
    char text[sizeof parting_slides];
    memcpy(text, parting_slides, sizeof text);
    memcpy(strstr(text, "'sin(t)'"), "t       ", 8);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        run r;
        run_text(&r, text, methods[k]);
        CHECK_OK(r.status);
        CHECK(r.ledger.max_g < 1e-9);
        end_run(&r);
    }
}

// Typed loops -----------------------------------------------------------------------------------

typedef struct typed {
    int digits;
    tn_mat3 R;
    char text[4000];
} typed;

static void print_vector(typed *t, tn_vec3 v)
{
    const tn_vec3 w = tn_m3_apply(t->R, v);
    tn_test_append(t->text, sizeof t->text, "[%.*f, %.*f, %.*f]", t->digits, w.x, t->digits, w.y,
                   t->digits, w.z);
}

static void print_rod(typed *t, const char *name, tn_vec3 from, tn_vec3 to)
{
    tn_test_append(t->text, sizeof t->text,
                   "  %s: {mass: 1, inertia: [0.1, 0.12, 0.14], initial: {position: ", name);
    print_vector(t, tn_v3_scale(0.5, tn_v3_add(from, to)));
    tn_test_append(t->text, sizeof t->text, "}}\n");
}

static void print_hinge(typed *t, const char *name, const char *bodies, tn_vec3 at, tn_vec3 axis,
                        const char *more)
{
    tn_test_append(t->text, sizeof t->text, "  %s: {kind: revolute, bodies: [%s], at: ", name,
                   bodies);
    print_vector(t, at);
    tn_test_append(t->text, sizeof t->text, ", axis: ");
    print_vector(t, axis);
    tn_test_append(t->text, sizeof t->text, "%s}\n", more);
}

// Three bodies and four hinges, the last two of which are at the ends of the ground.
static void print_loop(typed *t, const tn_vec3 pin[4], const tn_vec3 axis[4])
{
    t->text[0] = 0;
    tn_test_append(t->text, sizeof t->text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n");
    print_rod(t, "crank", pin[0], pin[1]);
    print_rod(t, "coupler", pin[1], pin[2]);
    print_rod(t, "rocker", pin[2], pin[3]);
    tn_test_append(t->text, sizeof t->text, "joints:\n");
    print_hinge(t, "A", "ground, crank", pin[0], axis[0], ", initial: {rate: 3}");
    print_hinge(t, "B", "crank, coupler", pin[1], axis[1], "");
    print_hinge(t, "C", "coupler, rocker", pin[2], axis[2], "");
    print_hinge(t, "D", "ground, rocker", pin[3], axis[3], "");
    tn_test_append(t->text, sizeof t->text, "simulate: {t_end: 0.5, rtol: 1e-8, atol: 1e-10}\n");
}

static void print_planar(typed *t)
{
    static const tn_vec3 pin[4] = {{0, 0, 0}, {0, 0.3, 0}, {0.8, 0.7, 0}, {1, 0, 0}};
    static const tn_vec3 z[4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    print_loop(t, pin, z);
}

// Bennett's linkage: opposite links have equal lengths and twists, a / sin(alpha) = b / sin(beta).
static void print_bennett(typed *t)
{
    const double alpha = 0.7, beta = 1.2, a = 1.0, b = a * sin(beta) / sin(alpha), first = 1.0;
    const double second =
        2.0 * atan(sin(0.5 * (beta + alpha)) / sin(0.5 * (beta - alpha)) / tan(0.5 * first));
    const double turn[3] = {first, second, -first}, length[3] = {a, b, a};
    const double twist[3] = {alpha, beta, alpha};
    tn_vec3 pin[4] = {{0, 0, 0}}, axis[4] = {{0, 0, 1}};
    tn_mat3 R = tn_m3_identity;
    for (int k = 0; k < 3; k++) {
        R = tn_m3_mul(R, tn_m3_rot_z(turn[k]));
        pin[k + 1] = tn_v3_add(pin[k], tn_m3_apply(R, tn_v3(length[k], 0, 0)));
        R = tn_m3_mul(R, tn_m3_rot_x(twist[k]));
        axis[k + 1] = tn_m3_apply(R, tn_v3(0, 0, 1));
    }
    print_loop(t, pin, axis);
}

static double crank_after(typed *t, const char *method)
{
    double q[3], rate[3];
    run r;
    run_text(&r, t->text, method);
    if (r.status != TN_OK)
        printf("%d digits by %s: %s\n", t->digits, method, tn_last_error());
    CHECK_OK(r.status);
    tn_sim_joint_coordinates(r.sim, (tn_joint){0}, q, rate);
    const double size = fmax(pow(10.0, -t->digits), 1e-12);
    CHECK(r.ledger.max_g < 20.0 * size + 1e-8);
    end_run(&r);
    return q[0];
}

static void check_typed(void (*print)(typed *))
{
    static const char *const by[] = {"auto",
                                     "dop853/index1+project@absolute",
                                     "radau5/ggl@director",
                                     "bdf/ggl@absolute",
                                     "radau5/ggl@joint",
                                     "herk5/index2+project@joint"};
    static typed t;
    t.R = tn_m3_mul(tn_m3_rot_x(0.4), tn_m3_rot_z(0.9));
    t.digits = 16;
    print(&t);
    const double exact = crank_after(&t, "dop853/index1+project@absolute");
    for (t.digits = 6; t.digits <= 12; t.digits++) {
        print(&t);
        for (int k = 0; k < TN_COUNT(by); k++)
            CHECK_NEAR(crank_after(&t, by[k]), exact, 1e-5 + 30.0 * pow(10.0, -t.digits));
    }
}

static void a_typed_planar_loop_moves_as_the_exact_one(void)
{
    check_typed(print_planar);
}

static void a_typed_bennett_linkage_moves_as_the_exact_one(void)
{
    check_typed(print_bennett);
}

// One body on two joints along the same line: in joint coordinates the second one closes a loop of
// which nothing is left but the digits of its axis. Some are off by one in the last of them.
static void print_shaft(typed *t, const char *kind, double tilt, const char *more)
{
    const tn_vec3 axis = {0, 0, 1}, other = {tilt, 0, 1};
    t->text[0] = 0;
    tn_test_append(t->text, sizeof t->text,
                   "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                   "  d: {mass: 20, inertia: [3, 2, 1], initial: {position: [0.4, 0.1, 0.2]}}\n"
                   "joints:\n  h0: {kind: %s, body: d, at: [0, 0, 0], axis: ",
                   kind);
    print_vector(t, axis);
    tn_test_append(t->text, sizeof t->text, "%s}\n  h1: {kind: %s, body: d, at: ", more, kind);
    print_vector(t, tn_v3(0, 0, 0.7));
    tn_test_append(t->text, sizeof t->text, ", axis: ");
    print_vector(t, other);
    tn_test_append(t->text, sizeof t->text, "}\nsimulate: {t_end: 1, rtol: 1e-8, atol: 1e-10}\n");
}

static void check_shaft(const char *kind, const char *more)
{
    static const char *const by[] = {"auto",
                                     "galpha/ggl@joint",
                                     "radau5/ggl@joint",
                                     "bdf/index2@joint",
                                     "dopri5/minimal@joint",
                                     "dop853/index1+project@absolute",
                                     "radau5/ggl@director"};
    static typed t;
    t.R = tn_m3_mul(tn_m3_rot_x(0.4), tn_m3_rot_y(0.9));
    t.digits = 16;
    print_shaft(&t, kind, 0.0, more);
    const double exact = crank_after(&t, "dop853/index1+project@absolute");
    CHECK(fabs(exact) > 0.1);
    for (t.digits = 6; t.digits <= 9; t.digits++)
        for (int off = 0; off < 2; off++) {
            print_shaft(&t, kind, off * pow(10.0, -t.digits), more);
            for (int k = 0; k < TN_COUNT(by); k++)
                CHECK_NEAR(crank_after(&t, by[k]), exact, 1e-3); // steps of 1 ms in one
        }
}

static void a_body_on_two_typed_joints_moves_as_on_one(void)
{
    check_shaft("revolute", "");
    check_shaft("revolute", ", initial: {rate: 2}");
    check_shaft("prismatic", "");
    check_shaft("prismatic", ", initial: {rate: 2}");
}

// With five digits the body stands still: one that was meant to turn is told of.
static void digits_that_lock_a_body_are_noted(void)
{
    static typed t;
    t.R = tn_m3_mul(tn_m3_rot_x(0.4), tn_m3_rot_y(0.9));
    for (t.digits = 5; t.digits <= 6; t.digits++) {
        run r;
        print_shaft(&t, "revolute", 4.0 * pow(10.0, -t.digits), "");
        run_text(&r, t.text, "auto");
        CHECK_OK(r.status);
        CHECK(tn_sim_freedoms(r.sim) == t.digits - 5);
        CHECK(tn_test_has_note(r.sim, "locks a loop that is meant to move") == (t.digits == 5));
        end_run(&r);
    }
}

// The four-bar with one axis off by `tilt`.
static void print_tilted(char *text, size_t size, double tilt, double tol)
{
    text[0] = 0;
    tn_test_append(
        text, size,
        "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {position: [0, 0.15, 0]}}\n"
        "  coupler: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {position: [0.4, 0.5, 0]}}\n"
        "  rocker: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {position: [0.9, 0.35, 0]}}\n"
        "joints:\n"
        "  A: {kind: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], "
        "initial: {rate: 10}}\n"
        "  B: {kind: revolute, bodies: [crank, coupler], at: [0, 0.3, 0], axis: [0, 0, 1]}\n"
        "  C: {kind: revolute, bodies: [coupler, rocker], at: [0.8, 0.7, 0], axis: [%g, 0, 1]}\n"
        "  D: {kind: revolute, bodies: [ground, rocker], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "simulate: {t_end: 0.5, dependence_tol: %g}\n",
        tilt, tol);
}

static void no_tilt_within_the_tolerance_stops_a_linkage(void)
{
    static const double tilts[] = {0.0, 3e-11, 1e-9, 3e-9, 1e-8, 1e-7, 1e-6};
    char text[2000];
    double exact = 0.0;
    for (int k = 0; k < TN_COUNT(tilts); k++)
        for (int m = 0; m < TN_COUNT(methods) - 2; m++) {
            double q[3], rate[3];
            run r;
            print_tilted(text, sizeof text, tilts[k], 1e-6);
            run_text(&r, text, methods[m]);
            CHECK_OK(r.status);
            CHECK(tn_sim_freedoms(r.sim) == 1);
            tn_sim_joint_coordinates(r.sim, (tn_joint){0}, q, rate);
            if (k == 0 && m == 0)
                exact = q[0];
            CHECK_NEAR(q[0], exact, 1e-2); // steps of 1 ms in some, standing still is 5 rad off
            end_run(&r);
        }
}

static void the_tolerance_can_be_set(void)
{
    char text[2000];
    run r;
    print_tilted(text, sizeof text, 1e-4, 1e-6);
    run_text(&r, text, "auto");
    CHECK(r.status == TN_ERR_MODEL);
    CHECK(tn_test_says("dependence_tol"));
    end_run(&r);
    print_tilted(text, sizeof text, 1e-4, 1e-4);
    run_text(&r, text, "auto");
    CHECK_OK(r.status);
    end_run(&r);
}

static void a_loop_near_a_singular_position_keeps_its_rows(void)
{
    static const double angles[] = {0.0, 1e-9, 1e-7, 1e-5};
    for (int k = 0; k < TN_COUNT(angles); k++) {
        const double x = cos(angles[k]), y = sin(angles[k]);
        char text[1500] = "";
        tn_model *model = NULL;
        tn_simulate simulate;
        tn_check *check = NULL;
        tn_test_append(
            text, sizeof text,
            "tenon: 1\nbodies:\n"
            "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [%.17g, %.17g]}}\n"
            "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [%.17g, %.17g]}}\n"
            "  c: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [%.17g, %.17g]}}\n"
            "joints:\n"
            "  A: {kind: revolute, bodies: [ground, a], at: [0, 0]}\n"
            "  B: {kind: revolute, bodies: [a, b], at: [%.17g, %.17g]}\n"
            "  C: {kind: revolute, bodies: [b, c], at: [%.17g, %.17g]}\n"
            "  D: {kind: revolute, bodies: [ground, c], at: [2, 0]}\n",
            0.5 * x, 0.5 * y, x + 1.0, y, 2.0 + 0.5 * x, 0.5 * y, x, y, x + 2.0, y);
        CHECK_OK(tn_model_parse(text, "flat", &model, &simulate));
        CHECK_OK(tn_check_create(model, &simulate.options, &check));
        CHECK(tn_check_redundant_count(check) == 0);
        tn_check_destroy(check);
        tn_model_destroy(model);
    }
}

// Rows that change places -----------------------------------------------------------------------

static const char locked_pair[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  b1: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0, -0.1], initial: {rate: [0, 0, 3]}}\n"
    "  b2: {mass: 1, inertia: [0.1, 0.1, 0.1],\n"
    "       initial: {position: [0.5, 0, 0], velocity: [0, 1.5, 0], rate: [0, 0, 3]}}\n"
    "joints:\n"
    "  ball: {kind: spherical, bodies: [ground, b1], at: [0, 0, 0]}\n"
    "  hinge: {kind: revolute, bodies: [b1, b2], at: [0.5, 0, 0], axis: [0, 0, 1]}\n"
    "  lock: {kind: spherical, bodies: [b1, b2], at: [0.5, 0.4, 0]}\n"
    "simulate: {t_end: 2}\n";

static void rows_that_lose_their_gradient_are_exchanged(void)
{
    static const char *const by[] = {"dop853/index1+project@joint", "radau5/ggl@joint",
                                     "bdf/ggl@joint", "galpha/ggl@joint", "herk5/index2@joint"};
    static const double tols[] = {1e-6, 1e-10, 1e-12};
    for (int k = 0; k < TN_COUNT(by); k++)
        for (int m = 0; m < TN_COUNT(tols); m++) {
            tn_model *model = NULL;
            tn_simulate simulate;
            tn_sim *sim = NULL;
            CHECK_OK(tn_model_parse(locked_pair, "pair", &model, &simulate));
            simulate.options.method = by[k];
            simulate.options.rtol = simulate.options.atol = tols[m];
            CHECK_OK(tn_sim_create(model, &simulate.options, &sim));
            CHECK_OK(tn_sim_run(sim, simulate.t_end, NULL, NULL));
            tn_sim_destroy(sim);
            tn_model_destroy(model);
        }
}

// Dead ends -------------------------------------------------------------------------------------

static void the_dead_end_of_a_drive_is_told(void)
{
    static const char text[] =
        "tenon: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0, 0.25]}}\n"
        "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0.75]}}\n"
        "  c: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1, 0.5]}}\n"
        "joints:\n"
        "  A: {kind: revolute, bodies: [ground, a], at: [0, 0]}\n"
        "  B: {kind: revolute, bodies: [a, b], at: [0, 0.5]}\n"
        "  C: {kind: revolute, bodies: [b, c], at: [1, 1]}\n"
        "  D: {kind: revolute, bodies: [ground, c], at: [1, 0]}\n"
        "  motor: {kind: drive, joint: D, motion: t}\n"
        "simulate: {t_end: 3}\n";
    for (int k = 0; k < TN_COUNT(methods); k++) {
        run r;
        run_text(&r, text, methods[k]);
        if (!tn_test_says("dead end"))
            printf("%s: %s\n", methods[k], tn_last_error());
        CHECK(r.status == TN_ERR_NUMERIC);
        CHECK(tn_test_says("dead end of joint 'motor'"));
        CHECK(!tn_test_says("take a method"));
        end_run(&r);
    }
}

// Four-bars in a row that go flat: rods of 1 m on the ground, links between their tops.
static void print_flat(char *text, size_t size, int loops)
{
    text[0] = 0;
    tn_test_append(text, size, "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int k = 0; k <= 2 * loops; k++)
        tn_test_append(
            text, size,
            "  b%d: {kind: planar, mass: 1, inertia: 1/12, initial: {position: [%g, %g]}}\n", k,
            k <= loops ? k : k - loops - 0.5, k <= loops ? 0.5 : 1.0);
    tn_test_append(text, size, "joints:\n");
    for (int k = 0; k <= loops; k++)
        tn_test_append(text, size,
                       "  A%d: {kind: revolute, bodies: [ground, b%d], at: [%d, 0]%s}\n", k, k, k,
                       k == 0 ? ", initial: {rate: -1}" : "");
    for (int k = 1; k <= loops; k++)
        tn_test_append(text, size,
                       "  B%d: {kind: revolute, bodies: [b%d, b%d], at: [%d, 1]}\n"
                       "  C%d: {kind: revolute, bodies: [b%d, b%d], at: [%d, 1]}\n",
                       k, k - 1, k + loops, k - 1, k, k, k + loops, k);
}

static void many_loops_go_flat_by_what_auto_takes(void)
{
    static const double tols[] = {1e-4, 1e-7, 1e-10};
    static char text[12000];
    print_flat(text, sizeof text, 16);
    for (int k = 0; k < TN_COUNT(tols); k++) {
        const size_t used = strlen(text);
        run r;
        tn_test_append(text, sizeof text, "simulate: {t_end: 3, rtol: %g, atol: %g}\n", tols[k],
                       tols[k]);
        run_text(&r, text, "auto");
        CHECK_OK(r.status);
        CHECK(strstr(tn_sim_method(r.sim), "herk5/index2+project") != NULL);
        CHECK(r.ledger.max_balance < 30.0 * tols[k] * r.ledger.energy_scale);
        end_run(&r);
        text[used] = 0;
    }
}

// Multipliers that are not unique ---------------------------------------------------------------

static bool by_sum;

static int block_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

// A block on two supports with different friction.
static int block_force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    const double l0 = at->lambda ? at->lambda[0] : 0.0, l1 = at->lambda ? at->lambda[1] : 0.0;
    const double normal = by_sum ? 0.2 * fabs(l0 + l1) : 0.3 * fabs(l0) + 0.1 * fabs(l1);
    f[0] = -normal * tanh(at->v[0] / 0.01);
    f[1] = -9.81;
    return 0;
}

static int block_rows(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = g[1] = at->q[1];
    return 0;
}

static void friction_needs_multipliers_that_are_unique(void)
{
    const tn_callbacks c = {.nq = 2,
                            .ng = 2,
                            .lambda_in_force = true,
                            .mass = block_mass,
                            .force = block_force,
                            .constraint = block_rows};
    for (int speed = 0; speed < 2; speed++)
        for (by_sum = false;; by_sum = true) {
            const double q[2] = {0, 0}, v[2] = {3.0 * speed, 0};
            tn_sim_options options = tn_default_sim();
            tn_sim *sim = NULL;
            options.method = "radau5/ggl";
            const tn_status status = tn_sim_create_callbacks(&c, q, v, &options, &sim);
            CHECK(status == (by_sum ? TN_OK : TN_ERR_MODEL));
            CHECK(by_sum || tn_test_says("multipliers that the equations do not determine"));
            tn_sim_destroy(sim);
            if (by_sum)
                break;
        }
}

// A ball and a universal joint whose line is nearly in the plane of the axes: rows that are almost
// dependent, one that is. Reactions are large, and nothing moves.
static void a_body_that_is_held_hangs_still(void)
{
    static const char model[] =
        "tenon: 1\n"
        "gravity: [5.059, -8.309, -1.262]\n"
        "bodies:\n"
        "  b: {mass: 0.7555, inertia: [0.0946, 0.0841, 0.0955], com: [-0.04, 0.0172, 0.0575],\n"
        "      initial: {position: [0.0407415, -0.317074, -0.3317659],\n"
        "                orientation: {quaternion: [-0.6726, -0.2831, -1.2516, 0.9848]}}}\n"
        "joints:\n"
        "  ball: {kind: spherical, body: b, at: [0.0564079, -0.0362682, 0.1482973]}\n"
        "  cross: {kind: universal, bodies: [b, ground], at: [0.2011998, -0.2981793, %.7f],\n"
        "          axis: [1, 0, 0], axis_2: [0, 0, 1]}\n"
        "simulate: {t_end: 0.1}\n";
    for (int k = 0; k < 6; k++) {
        char text[1000];
        run r;
        snprintf(text, sizeof text, model, 0.1482973 - 5.483e-4 / (1 << k));
        run_text(&r, text, k % 2 ? "auto" : "galpha/ggl@absolute");
        CHECK_OK(r.status);
        end_run(&r);
    }
}

// Rows of velocities beside redundant ones ------------------------------------------------------

// Pairs of joints that hold body a twice, and what lets body b move along its rows of velocities.
static const char *const twice[] = {
    "  j1: {kind: point-on-line, body: a, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  j2: {kind: spherical, body: a, at: [0, 0, 0]}\n",
    "  j1: {kind: revolute, body: a, at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  j2: {kind: revolute, body: a, at: [0, 0.5, 0], axis: [0, 1, 0]}\n",
    "  j1: {kind: spherical, body: a, at: [0, 0, 0]}\n"
    "  j2: {kind: spherical, body: a, at: [0, 0, 0]}\n",
    "  j1: {kind: prismatic, body: a, at: [0, 0, 0], axis: [1, 0, 1]}\n"
    "  j2: {kind: prismatic, body: a, at: [1, 0, 0], axis: [1, 0, 1]}\n",
};
static const char *const velocity_rows[] = {
    "  v1: {kind: knife-edge, body: b}\n  v2: {kind: planar, body: b}\n",
    "  v1: {kind: knife-edge, body: b}\n",
    "  v1: {kind: rolling-ball, body: b, radius: 0.2}\n",
    "  v1: {kind: rolling-wheel, body: b, radius: 0.2, axis: [0, 1, 0]}\n",
    "  v1: {kind: velocity-row, row: b.velocity.z - 0.3*b.position.y*b.velocity.x}\n",
};
static const char beam[] =
    "  tail: {kind: beam, elements: 3, points: [[0.2, 0, 0], [0.2, 0.9, 0]], damping: 2e-3, "
    "section: {kind: tube, radius: 0.02, wall: 0.002, E: 7e9, rho: 2700}}\n";

static void write_mixture(char *text, size_t size, int seed)
{
    const int rows = seed % TN_COUNT(velocity_rows);
    const bool tail = seed % 3 == 0;
    text[0] = 0;
    tn_test_append(text, size,
                   "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                   "  a: {mass: 1, inertia: [0.1, 0.2, 0.3], com: [0.3, 0.1, 0]}\n"
                   "  b: {mass: 2, inertia: [0.1, 0.1, 0.1], initial: {");
    tn_test_append(text, size, rows == 2 || rows == 3 ? "position: [0, 3, 0.2], " : "");
    tn_test_append(text, size, "velocity: [1, 0, 0], rate: [0, %g, 0.4]}}\n",
                   rows == 2 || rows == 3 ? 5.0 : 0.0);
    tn_test_append(text, size, "%sjoints:\n%s%s", tail ? beam : "", twice[seed % TN_COUNT(twice)],
                   velocity_rows[rows]);
    tn_test_append(text, size, tail ? "  weld: {kind: fixed, bodies: [a, tail.start]}\n" : "");
    tn_test_append(text, size, "simulate: {t_end: 0.1, rtol: 1e-8, atol: 1e-10, step: 1e-3}\n");
}

static void redundant_joints_beside_rows_of_velocities_move_alike(void)
{
    static const char *const by[] = {"galpha/ggl@absolute", "auto", "galpha/ggl@joint",
                                     "bdf/ggl@joint", "radau5/ggl@director"};
    for (int seed = 0; seed < TN_COUNT(twice) * TN_COUNT(velocity_rows); seed++) {
        char text[2000];
        double first[2][3];
        write_mixture(text, sizeof text, seed);
        // Directors take no expressions of velocities, which come last here.
        const bool directors = (seed + 1) % TN_COUNT(velocity_rows) != 0;
        for (int k = 0; k < TN_COUNT(by) - !directors; k++) {
            run r;
            run_text(&r, text, by[k]);
            if (r.status != TN_OK)
                printf("%s%s: %s\n", text, by[k], tn_last_error());
            CHECK_OK(r.status);
            for (int body = 0; body < 2; body++) {
                const tn_frame at = tn_sim_body_frame(r.sim, (tn_body){body + 1});
                for (int i = 0; i < 3; i++) {
                    const double x = i == 0 ? at.p.x : i == 1 ? at.p.y : at.p.z;
                    if (k == 0)
                        first[body][i] = x;
                    CHECK_NEAR(x, first[body][i], 2e-5); // steps of 1 ms in some
                }
            }
            end_run(&r);
        }
    }
}

static const tn_test tests[] = {
    {"redundant joints beside rows of velocities move alike",
     redundant_joints_beside_rows_of_velocities_move_alike},
    {"a body that is held hangs still", a_body_that_is_held_hangs_still},
    {"drives that part end the run", drives_that_part_end_the_run},
    {"drives that part within a step end the run", drives_that_part_within_a_step_end_the_run},
    {"a drive that opens a loop ends the run", a_drive_that_opens_a_loop_ends_the_run},
    {"how far rows part is told in metres", how_far_rows_part_is_told_in_metres},
    {"a row that repeats a rate is no contradiction",
     a_row_that_repeats_a_rate_is_no_contradiction},
    {"the level of a contradiction is told", the_level_of_a_contradiction_is_told},
    {"drives that agree are redundant", drives_that_agree_are_redundant},
    {"a typed planar loop moves as the exact one", a_typed_planar_loop_moves_as_the_exact_one},
    {"a typed Bennett linkage moves as the exact one",
     a_typed_bennett_linkage_moves_as_the_exact_one},
    {"a body on two typed joints moves as on one", a_body_on_two_typed_joints_moves_as_on_one},
    {"digits that lock a body are noted", digits_that_lock_a_body_are_noted},
    {"no tilt within the tolerance stops a linkage", no_tilt_within_the_tolerance_stops_a_linkage},
    {"the tolerance can be set", the_tolerance_can_be_set},
    {"a loop near a singular position keeps its rows",
     a_loop_near_a_singular_position_keeps_its_rows},
    {"rows that lose their gradient are exchanged", rows_that_lose_their_gradient_are_exchanged},
    {"the dead end of a drive is told", the_dead_end_of_a_drive_is_told},
    {"many loops go flat by what auto takes", many_loops_go_flat_by_what_auto_takes},
    {"friction needs multipliers that are unique", friction_needs_multipliers_that_are_unique},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
