// SPDX-License-Identifier: MIT
//
// Kinks beside the start or the end of a step leave parts that are short, down to the round-off of
// the time. They leave no trace in the motion, in accelerations and in the verdict: of a start on a
// kink or beside it, and of a kink beside a point of the grid of fixed steps.

#include "read/model_yaml.h"
#include "tenon/tenon.h"
#include "test.h"

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "text", &model, NULL));
    return model;
}

typedef struct motion {
    double x, v, most; // at the end, and the largest acceleration on the way
} motion;

static tn_status look(void *user, tn_sim *sim)
{
    motion *m = user;
    const tn_vec3 a = tn_sim_body_acceleration(sim, (tn_body){1});
    m->most = fmax(m->most, fabs(a.x));
    return TN_OK;
}

// A run that is done, by its verdict.
static motion run(tn_model *model, const char *method, bool adaptive, double step, double t_end)
{
    tn_sim_options o = tn_default_sim();
    tn_sim *sim = NULL;
    tn_verdict verdict;
    motion m = {0};
    o.method = method;
    o.adaptive = adaptive;
    o.step = step;
    if (step == 0.0) {
        o.rtol = 1e-11;
        o.atol = 1e-13;
    }
    CHECK_OK(tn_sim_create(model, &o, &sim));
    CHECK_OK(tn_sim_run(sim, t_end, look, &m));
    tn_sim_joint_coordinates(sim, (tn_joint){0}, &m.x, &m.v);
    tn_sim_verdict(sim, &verdict);
    if (verdict.outcome != TN_OUTCOME_DONE)
        printf("%s: %s\n", method, tn_verdict_warn(&verdict));
    CHECK(verdict.outcome == TN_OUTCOME_DONE);
    tn_sim_destroy(sim);
    return m;
}

static void check_same(const char *method, const char *what, double off, motion m, motion exact,
                       double tol)
{
    const bool same = fabs(m.x - exact.x) < tol && fabs(m.v - exact.v) < 10.0 * tol;
    if (!same || m.most > 1.1 * exact.most)
        printf("%s %s %g: x %.9g for %.9g, v %.9g for %.9g, a up to %.3g for %.3g\n", method, what,
               off, m.x, exact.x, m.v, exact.v, m.most, exact.most);
    CHECK(same);
    CHECK(m.most <= 1.1 * exact.most);
}

// A rod on a pin with one force.
static tn_model *rod(double angle, double rate, const char *force)
{
    char text[1000];
    snprintf(text, sizeof text,
             "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n  rod: {kind: planar, mass: 2, inertia: "
             "0.16, initial: {position: [%.17g, %.17g], angle: %.17g}}\n"
             "joints:\n  pin: {kind: revolute, bodies: [ground, rod], frame_a: {at: [0, 0]}, "
             "frame_b: {at: [-0.5, 0]}, initial: {rate: %g}}\nforces:\n  f: {joint: pin, %s}\n",
             0.5 * cos(angle), 0.5 * sin(angle), angle, rate, force);
    return parse(text);
}

// By these methods, with fixed steps and error-controlled ones.
static void check_rod(tn_model *model, int count, const char *const *names, double off,
                      double t_end)
{
    const motion exact = run(model, "dop853/minimal@joint", true, 0.0, t_end);
    for (int k = 0; k < 2 * count; k++) {
        motion m = run(model, names[k / 2], k % 2, 1e-3, t_end);
        if (k % 2) // index3 with steps that change has accelerations that swing, anywhere
            m.most = 0.0;
        check_same(names[k / 2], k % 2 ? "adaptive," : "fixed,", off, m, exact, 1e-5);
    }
}

// The torsion spring has a kink at 0.1 rad.
static void a_start_on_a_kink_is_like_any_other(void)
{
    static const double off[] = {0.0, 1e-16, -1e-16, 1e-14, -1e-14, 1e-12, -1e-12, 1e-10, -1e-9};
    static const char *const names[] = {
        "galpha/ggl@absolute", "galpha/index3@absolute", "galpha/index3@director", "hht/ggl@joint",
        "radau5/ggl@absolute", "radau5/index3@director", "herk5/index2+project"};
    for (int i = 0; i < TN_COUNT(off); i++)
        for (int down = 0; down < 2; down++) {
            tn_model *model = rod(0.1 + off[i], down ? -1.0 : 1.0,
                                  "kind: joint-spring, free: 0, interpolation: linear, "
                                  "table: [[-3, 0], [0.1, 0], [1.1, 20]]");
            check_rod(model, TN_COUNT(names), names, off[i], 0.2);
            tn_model_destroy(model);
        }
}

// A mass of 1 kg at 1 m/s meets a stop of 400 N/m at x0 + off, x0 a point of the grid.
static void a_contact_beside_a_point_of_the_grid_is_like_any_other(void)
{
    static const double off[] = {0.0,   -1e-13, -1e-10, -3e-7, 1e-15, 1e-14, 1e-13,
                                 1e-12, 1e-11,  1e-10,  1e-8,  1e-7,  1e-5};
    static const char *const names[] = {
        "galpha/ggl@absolute",  "galpha/index3@absolute",         "hht/ggl@joint",
        "radau5/ggl@absolute",  "radau5/index3@director",         "bdf/ggl@absolute",
        "herk5/index2+project", "variational/multiplier@director"};
    const double h = 1.0 / 1024.0, x0 = 0.125, w = 20.0, t_end = 0.25;
    for (int i = 0; i < TN_COUNT(off); i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "tenon: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
                 "joints:\n  p: {kind: prismatic, body: b, at: [0, 0, 0], axis: [1, 0, 0], "
                 "initial: {position: 0, rate: 1}}\n"
                 "forces:\n  s: {kind: joint-stop, joint: p, upper: %.17g, stiffness: 400}\n",
                 x0 + off[i]);
        tn_model *model = parse(text);
        const double since = w * (t_end - x0 - off[i]);
        const motion exact = {x0 + off[i] + sin(since) / w, cos(since), w};
        for (int k = 0; k < TN_COUNT(names); k++) {
            const motion m = run(model, names[k], false, h, t_end);
            check_same(names[k], "behind the grid by", off[i], m, exact, 1e-4);
        }
        tn_model_destroy(model);
    }
}

// Here the motor is switched on; parts of more than 1e-6 of a fixed step are not left out.
static void a_kink_in_time_beside_the_ends_of_a_run_is_like_any_other(void)
{
    static const double at[] = {1e-17, 1e-13,      1e-10,       3e-9,
                                2e-6,  0.1 - 2e-6, 0.2 - 1e-13, 0.2 - 3e-9};
    static const char *const names[] = {"galpha/index3@absolute", "galpha/ggl@absolute",
                                        "hht/ggl@joint", "radau5/index3@director",
                                        "dopri5/index1+project"};
    for (int i = 0; i < TN_COUNT(at); i++) {
        char force[100];
        snprintf(force, sizeof force, "kind: motor, effort: 't > %.17g ? 3 : 0'", at[i]);
        tn_model *model = rod(0.1, 1.0, force);
        check_rod(model, TN_COUNT(names), names, at[i], 0.2);
        tn_model_destroy(model);
    }
}

// The reaction of the pin at the end of an error-controlled run.
static tn_vec3 reaction_at(tn_model *model, const char *method, double t_end)
{
    tn_sim_options o = tn_default_sim();
    tn_sim *sim = NULL;
    o.method = method;
    o.adaptive = true;
    o.rtol = 1e-7;
    o.atol = 1e-9;
    CHECK_OK(tn_sim_create(model, &o, &sim));
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    const tn_vec3 force = tn_sim_joint_reaction(sim, (tn_joint){0}).f;
    tn_sim_destroy(sim);
    return force;
}

// Methods that choose their steps took even the shortest, and told reactions of 600 N of them.
static void reactions_right_behind_a_kink_are_those_of_the_state(void)
{
    static const char *const names[] = {"bdf/ggl@absolute",      "bdf/ggl@joint",
                                        "bdf/index2@absolute",   "bdf/index3@absolute",
                                        "bdf/ggl@director",      "bdf/stabilized-index1@absolute",
                                        "adams/index1@absolute", "radau5/ggl@absolute"};
    tn_model *model = rod(0.1, 1.0, "kind: motor, effort: 't > 0.2 ? 3 : 0'");
    for (double off = 1e-14; off < 5e-7; off *= 10.0) {
        const tn_vec3 exact = reaction_at(model, "dop853/index1@joint", 0.2 + off);
        for (int k = 0; k < TN_COUNT(names); k++) {
            const tn_vec3 found = reaction_at(model, names[k], 0.2 + off);
            const double apart = tn_v3_norm(tn_v3_sub(found, exact));
            if (apart > 1e-4)
                printf("%s, %g s behind: off by %g N\n", names[k], off, apart);
            CHECK(apart < 1e-4); // of some 30 N; the tolerance of the motion is 1e-7
        }
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"a start on a kink is like any other", a_start_on_a_kink_is_like_any_other},
    {"a contact beside a point of the grid is like any other",
     a_contact_beside_a_point_of_the_grid_is_like_any_other},
    {"a kink in time beside the ends of a run is like any other",
     a_kink_in_time_beside_the_ends_of_a_run_is_like_any_other},
    {"reactions right behind a kink are those of the state",
     reactions_right_behind_a_kink_are_those_of_the_state},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
