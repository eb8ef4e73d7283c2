// SPDX-License-Identifier: MIT
//
// The slow heavy top of [Arn16, Example 6], on every way to carry rotations: on the group, by
// quaternions and by Euler angles. Its motion is smooth, but the angles psi, theta, phi of
// R = Rz(psi) Ry(theta) Rz(phi) pass near their singularity, theta = 0.059 rad at t = 1.1 s
// [Arn16, Remark 6 d], where they turn ten times as fast as the top itself.

#include "heavy_top.h"

#include "formulation/ode_ops.h"
#include "lie/chart.h"
#include "sim/sim.h"

static const double END = 2.0; // of [Arn16, Figs. 5 and 6]

typedef struct road {
    const char *method, *rotation, *sequence, *norm;
    double tol;                      // of the step control
    double rotates, moves, supports; // errors that may be: of q, v and the force in the tip
} road;

static top start(const road *r, const truth *from)
{
    top s = build(from);
    tn_sim_options options = tn_default_sim();
    options.method = r->method;
    options.rotation = r->rotation;
    options.euler_sequence = r->sequence ? r->sequence : "auto";
    options.quaternion_norm = r->norm ? r->norm : "renormalise";
    options.adaptive = true;
    options.rtol = options.atol = r->tol;
    CHECK_OK(tn_sim_create(s.model, &options, &s.sim));
    return s;
}

static const char *title(const road *r)
{
    static char text[80];
    snprintf(text, sizeof text, "%s %s%s%s%s%s", r->method, r->rotation, r->sequence ? " " : "",
             r->sequence ? r->sequence : "", r->norm ? " " : "", r->norm ? r->norm : "");
    return text;
}

// Angles [Arn16, Remark 6] ------------------------------------------------------------------------

static const tn_group body = {TN_GROUP_SO3, 0, 7, 0, 6};

static void layout_chart(void *self, tn_carve *mem)
{
    tn_chart_layout(self, mem);
}

// |q_R'| of the angles of "zyz"
static double speed_of_angles(tn_quat e, tn_vec3 rate)
{
    tn_chart chart = {.kind = TN_CHART_EULER, .ngroup = 1, .nq = 7, .nv = 6, .groups = &body};
    double q[7] = {0}, v[6] = {0}, z[6], zdot[6];
    void *block = NULL;
    int zyz = 0;
    while (strcmp(tn_euler_sequences[zyz], "zyz"))
        zyz++;
    CHECK_OK(tn_carve_block(&chart, layout_chart, &block));
    tn_chart_open(&chart, zyz);
    tn_quat_to(e, q + 3);
    tn_v3_to(rate, v + 3);
    tn_chart_to_z(&chart, q, z); // no base: it would take another sequence
    tn_chart_rates(&chart, z, v, zdot);
    tn_free(block);
    return tn_v3_norm(tn_v3_from(zdot + 3));
}

// What is read from the figures: least nutation and when, largest |Omega| and |q_R'|.
typedef struct extremes {
    double theta, theta_at, rate, angles;
} extremes;

static void note(extremes *x, double t, tn_quat e, tn_vec3 rate)
{
    const double theta = nutation(tn_quat_matrix(e));
    if (theta < x->theta) {
        x->theta = theta;
        x->theta_at = t;
    }
    x->rate = fmax(x->rate, tn_v3_norm(rate));
    x->angles = fmax(x->angles, speed_of_angles(e, rate));
}

static void check_extremes(const char *name, const extremes *x)
{
    printf("%s: nutation %.5f rad at %.4f s, |Omega| up to %.3f, |q_R'| up to %.3f, ratio %.2f\n",
           name, x->theta, x->theta_at, x->rate, x->angles, x->angles / x->rate);
    CHECK_NEAR(x->theta, 0.059, 0.0005); // the digits printed
    CHECK_NEAR(x->theta_at, 1.1, 0.05);
    CHECK_NEAR(x->angles / x->rate, 10.0, 2.0); // "larger by a factor of 10"
}

static const double GRID = 1e-3; // of the read-out [s]

static void euler_equations_show_the_figures(void)
{
    extremes x = {.theta = INFINITY};
    truth r = SLOW;
    note(&x, r.t, r.e, r.rate);
    for (int k = 1; k <= 2000; k++) {
        advance(&r, k * GRID);
        note(&x, r.t, r.e, r.rate);
    }
    check_extremes("Euler equations", &x);
}

// One motion --------------------------------------------------------------------------------------

// Ten times what was measured, or more. Multi-step methods control the error of a step less
// closely. The force is free of an error test where it is an unknown: that of half-explicit methods
// is of lower order than the motion, and that of bdf starts with order one after each change of the
// sequence.
#define EXPLICIT 1e-11, 5e-10, 2e-9, 1e-8
#define HERK 1e-11, 1e-9, 5e-9, 5e-7
#define ADAMS 1e-11, 1e-8, 2e-8, 2e-7
#define RADAU 1e-10, 5e-9, 2e-8, 2e-5
#define BDF 1e-9, 1e-6, 3e-6, 5e-4

static const road roads[] = {
    {"dopri5/index1", "so3", NULL, NULL, EXPLICIT},
    {"dopri5/index1", "se3", NULL, NULL, EXPLICIT},
    {"dopri5/index1", "quaternion", NULL, NULL, EXPLICIT},
    {"dopri5/index1", "euler", NULL, NULL, EXPLICIT},
    {"dopri5/index1", "euler", "zyz", NULL, EXPLICIT},
    {"dopri5/index1", "euler", "xyz", NULL, EXPLICIT},
    {"dop853/index1", "so3", NULL, NULL, EXPLICIT},
    {"dop853/index1", "se3", NULL, NULL, EXPLICIT},
    {"dop853/index1", "quaternion", NULL, NULL, EXPLICIT},
    {"dop853/index1", "euler", "zyz", NULL, EXPLICIT},
    {"herk5/index2", "so3", NULL, NULL, HERK},
    {"herk5/index2", "quaternion", NULL, NULL, HERK},
    {"herk5/index2", "euler", "zyz", NULL, HERK},
    {"adams/index1", "quaternion", NULL, NULL, ADAMS},
    {"adams/index1", "euler", "zyz", NULL, ADAMS},
    {"radau5/ggl", "so3", NULL, NULL, RADAU},
    {"radau5/ggl", "se3", NULL, NULL, RADAU},
    {"radau5/ggl", "quaternion", NULL, "renormalise", RADAU},
    {"radau5/ggl", "quaternion", NULL, "multipliers", RADAU},
    {"radau5/ggl", "euler", NULL, NULL, RADAU},
    {"radau5/ggl", "euler", "zyz", NULL, RADAU},
    {"radau5/ggl", "euler", "xyz", NULL, RADAU},
    {"bdf/ggl", "quaternion", NULL, "renormalise", BDF},
    {"bdf/ggl", "quaternion", NULL, "multipliers", BDF},
    {"bdf/ggl", "euler", NULL, NULL, BDF},
    {"bdf/ggl", "euler", "zyz", NULL, BDF},
    {"bdf/ggl", "euler", "xyz", NULL, BDF},
};

static void follow(const road *way)
{
    truth r = SLOW;
    top s = start(way, &SLOW);
    double q = 0.0, v = 0.0, force = 0.0;
    for (int k = 1; k <= 20; k++) {
        advance(&r, 0.05 * END * k);
        CHECK_OK(tn_sim_run(s.sim, r.t, NULL, NULL));
        q = fmax(q, position_error(&s, &r));
        v = fmax(v, velocity_error(&s, &r));
        force = fmax(force, force_error(&s, &r));
    }
    tn_ledger ledger;
    tn_sim_ledger(s.sim, &ledger);
    printf("%-42s %5ld steps, errors of q %.1e, v %.1e, force %.1e\n", title(way), ledger.steps, q,
           v, force);
    CHECK_NEAR(q, 0.0, way->rotates);
    CHECK_NEAR(v, 0.0, way->moves);
    CHECK_NEAR(force, 0.0, way->supports);
    destroy(&s);
}

static void every_road_gives_the_motion_of_the_euler_equations(void)
{
    for (int i = 0; i < TN_COUNT(roads); i++)
        follow(&roads[i]);
}

static void every_sequence_gives_the_same_motion(void)
{
    for (int i = 0; tn_euler_sequences[i]; i++) {
        follow(&(road){"dop853/index1", "euler", tn_euler_sequences[i], NULL, EXPLICIT});
        follow(&(road){"radau5/ggl", "euler", tn_euler_sequences[i], NULL, RADAU});
    }
}

// The grid is read from the dense output of steps that do not know of it.
typedef struct reader {
    const top *top;
    extremes x;
    int next;
} reader;

static tn_status read_step(void *user, tn_sim *sim)
{
    reader *r = user;
    for (const double end = tn_sim_time(sim); r->next * GRID <= end; r->next++) {
        CHECK_OK(tn_sim_show(sim, fmax(r->next * GRID, tn_sim_before(sim))));
        note(&r->x, tn_sim_time(sim), tn_sim_body_rotation(sim, r->top->body),
             tn_sim_body_rate(sim, r->top->body));
    }
    tn_sim_current(sim);
    return TN_OK;
}

static void runs_show_the_figures(void)
{
    static const road ways[] = {
        {"dopri5/index1", "so3", NULL, NULL, 1e-7, 0, 0, 0},
        {"dop853/index1", "quaternion", NULL, NULL, 1e-7, 0, 0, 0},
        {"radau5/ggl", "euler", "zyz", NULL, 1e-7, 0, 0, 0},
        {"bdf/ggl", "euler", "zyz", NULL, 1e-7, 0, 0, 0},
        {"bdf/ggl", "quaternion", NULL, NULL, 1e-7, 0, 0, 0},
    };
    for (int i = 0; i < TN_COUNT(ways); i++) {
        top s = start(&ways[i], &SLOW);
        reader r = {&s, {.theta = INFINITY}, 1};
        CHECK_OK(tn_sim_run(s.sim, END, read_step, &r));
        CHECK(r.next >= 2000);
        check_extremes(title(&ways[i]), &r.x);
        destroy(&s);
    }
}

// Through the singularity -------------------------------------------------------------------------

static const tn_chart *chart_of(const tn_sim *sim)
{
    return sim->dae ? &sim->dae->chart : sim->ode ? &sim->ode->chart : &sim->chart;
}

typedef struct watch {
    int wanted, others; // steps in the sequence asked for, and in others
    double least;       // |sin| of the swing at the ends of steps
    const top *top;
    const char *sequence;
} watch;

static tn_status watch_step(void *user, tn_sim *sim)
{
    watch *w = user;
    const char *now = tn_euler_sequences[chart_of(sim)->sequence[0]];
    *(strcmp(now, w->sequence) ? &w->others : &w->wanted) += 1;
    w->least = fmin(w->least, sin(nutation(tn_sim_body_frame(sim, w->top->body).R)));
    return TN_OK;
}

// The top swings about the x axis from 0.5 rad above the level, R = Rx(alpha): it passes alpha = 0
// and -pi, where the angles of zxz and of zyz are singular, exactly, and turns at -pi - 0.5.
static void swings_pass_the_singularity_with_another_sequence(void)
{
    static const char *const sequences[] = {"zxz", "zyz"};
    // Over three seconds the errors of the swing grow ten times as far.
    static const road ways[] = {
        {"dopri5/index1", "euler", NULL, NULL, EXPLICIT},
        {"herk5/index2", "euler", NULL, NULL, HERK},
        {"adams/index1", "euler", NULL, NULL, 1e-11, 4e-8, 1e-7, 1e-7},
        {"radau5/ggl", "euler", NULL, NULL, 1e-10, 4e-8, 2e-7, 5e-5},
        {"bdf/ggl", "euler", NULL, NULL, 1e-9, 5e-6, 2e-5, 5e-4},
    };
    const truth from = {0.0, {cos(0.25), sin(0.25), 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < TN_COUNT(sequences) * TN_COUNT(ways); i++) {
        road way = ways[i / TN_COUNT(sequences)];
        way.sequence = sequences[i % TN_COUNT(sequences)];
        truth r = from;
        top s = start(&way, &from);
        watch w = {.least = 1.0, .top = &s, .sequence = way.sequence};
        double lowest = 0.0, q = 0.0, v = 0.0, force = 0.0;
        for (int k = 1; k <= 30; k++) {
            advance(&r, 0.1 * k);
            CHECK_OK(tn_sim_run(s.sim, r.t, watch_step, &w));
            q = fmax(q, position_error(&s, &r));
            v = fmax(v, velocity_error(&s, &r));
            force = fmax(force, force_error(&s, &r));
            lowest = fmin(lowest, centre(&s).y);
        }
        printf("%-32s %4d steps in its sequence, %4d in others, errors %.1e %.1e %.1e\n",
               title(&way), w.wanted, w.others, q, v, force);
        CHECK(lowest < -0.87);               // beyond -pi: cos 0.5 = 0.878
        CHECK(w.wanted > 0 && w.others > 0); // the one asked for as long as it is good
        CHECK(w.least < 0.1);                // where it is not
        CHECK_NEAR(q, 0.0, way.rotates);
        CHECK_NEAR(v, 0.0, way.moves);
        CHECK_NEAR(force, 0.0, way.supports);
        destroy(&s);
    }
}

// Refusals ----------------------------------------------------------------------------------------

static void check_refused(const char *method, const char *rotation, const char *reason)
{
    top s = build(&SLOW);
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.rotation = rotation;
    CHECK_STATUS(tn_sim_create(s.model, &options, &s.sim), TN_ERR_PAIRING);
    CHECK(strstr(tn_last_error(), reason) && strstr(tn_last_error(), rotation));
    destroy(&s);
}

static void rotations_are_refused_with_the_reason(void)
{
    static const char *const multistep[] = {"bdf/ggl", "adams/index1"};
    static const char *const group[] = {"galpha/ggl", "hht/ggl"};
    for (int k = 0; k < 2; k++) {
        check_refused(multistep[k], "so3", "one set of linear coordinates for many steps");
        check_refused(multistep[k], "se3", "take quaternion or euler");
        check_refused(group[k], "quaternion", "steps rotations on the group itself");
        check_refused(group[k], "euler", "take so3 or se3");
    }
}

static const tn_test tests[] = {
    {"Euler's equations show the figures", euler_equations_show_the_figures},
    {"every road gives the motion of Euler's equations",
     every_road_gives_the_motion_of_the_euler_equations},
    {"every sequence gives the same motion", every_sequence_gives_the_same_motion},
    {"runs show the figures", runs_show_the_figures},
    {"swings pass the singularity with another sequence",
     swings_pass_the_singularity_with_another_sequence},
    {"rotations are refused with the reason", rotations_are_refused_with_the_reason},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
