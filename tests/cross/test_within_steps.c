// SPDX-License-Identifier: MIT
//
// Nothing is lost within steps: samples, kinks of own equations, events that come back, turns, and
// rows before the end of a run.

#include "integrator/integrator.h"
#include "rail.h"

typedef struct sampler {
    double period;
    int style, count;
} sampler;

static int unit_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = 1.0;
    return 0;
}

static int held_force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    f[0] = at->r[0];
    return 0;
}

static double next_time(void *user, double t)
{
    const sampler *s = user;
    double k = 0.0;
    if (s->style == 0)
        return (floor(t / s->period) + 1.0) * s->period;
    if (s->style == 1)
        return (floor(t / s->period + 1e-9) + 1.0) * s->period;
    while (k * s->period <= t)
        k += 1.0;
    return k * s->period;
}

static int take_sample(void *user, const tn_arguments *at, double *r)
{
    ((sampler *)user)->count++;
    r[0] = -4.0 * at->q[0] - at->v[0];
    return 0;
}

static void all_samples_are_taken(void)
{
    static const char *const names[] = {"galpha/ggl",    "hht/ggl",      "bdf/ggl",    "radau5/ggl",
                                        "dop853/index1", "herk5/index2", "variational"};
    static const double steps[] = {0.05, 0.01, 5e-4, 0.007, 0.0};
    const double q0 = 1.0, v0 = 0.0;
    for (int k = 0; k < TN_COUNT(names) * TN_COUNT(steps) * 3; k++) {
        sampler s = {.period = 0.05, .style = k % 3};
        const tn_callbacks cb = {.nq = 1,
                                 .nr = 1,
                                 .user = &s,
                                 .mass = unit_mass,
                                 .force = held_force,
                                 .next_sample = next_time,
                                 .sample = take_sample};
        const double step = steps[k / 3 % TN_COUNT(steps)];
        const tn_sim_options o = method(names[k / 3 / TN_COUNT(steps)], step);
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create_callbacks(&cb, &q0, &v0, &o, &sim));
        CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
        if (s.count != 40)
            printf("%s, step %g, style %d: %d samples\n", o.method, step, s.style, s.count);
        CHECK(s.count == 40);
        tn_sim_destroy(sim);
    }
}

// A user's force that jumps at a time that it tells.
static int jumping_force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    f[0] = at->t >= 0.7 && at->t < 0.7003 ? 1000.0 : 0.0;
    return 0;
}

static double jump_time(void *user, double t)
{
    (void)user;
    return t < 0.7 ? 0.7 : t < 0.7003 ? 0.7003 : INFINITY;
}

static void kinks_of_own_equations_are_met(void)
{
    const tn_callbacks cb = {
        .nq = 1, .mass = unit_mass, .force = jumping_force, .next_kink = jump_time};
    static const char *const names[] = {"radau5/ggl", "dopri5/index1", "bdf/ggl", "galpha/ggl"};
    for (int k = 0; k < TN_COUNT(names); k++) {
        const double q0 = 0.0, v0 = 0.0;
        const tn_sim_options o = method(names[k], k == 3 ? 0.05 : 0.0);
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create_callbacks(&cb, &q0, &v0, &o, &sim));
        CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
        CHECK_NEAR(tn_sim_v(sim)[0], 0.3, 1e-6);
        tn_sim_destroy(sim);
    }
}

// An oscillator that comes just above 0.99 of its amplitude, twice a period, in large steps.
static void events_that_come_back_within_a_step_are_seen(void)
{
    static const char *const names[] = {"dop853", "radau5/ggl", "dopri5", "galpha/ggl"};
    for (int k = 0; k < TN_COUNT(names); k++) {
        tn_model *model =
            rail("kind: joint-spring, stiffness: 2, free: 0", "position: [0, 0], velocity: [1, 0]");
        tn_event_def def = tn_default_event();
        const tn_event_hit *hit;
        def.name = "top";
        def.joint = (tn_joint){0};
        def.value = 0.99;
        CHECK_OK(tn_model_add_event(model, &def));
        tn_sim_options o = method(names[k], k == 3 ? 0.5 : 0.0);
        o.rtol = o.atol = 1e-5;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &o, &sim));
        CHECK_OK(tn_sim_run(sim, 10.0, NULL, NULL));
        const int n = tn_sim_event_hits(sim, &hit);
        printf("%-10s %d events\n", names[k], n);
        CHECK(n == 4);
        for (int i = 0; i < n; i++)
            CHECK(hit[i].rising == (i % 2 == 0) && (i == 0 || hit[i].t > hit[i - 1].t));
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// 4 and 20 rad in a step: rows between steps know the turns.
static void dense_output_knows_the_turns_of_a_step(void)
{
    static const char *const names[] = {"galpha/ggl@absolute", "hht/ggl@absolute"};
    for (int k = 0; k < 4; k++) {
        const double h = k < 2 ? 0.01 : 0.05;
        tn_model *model = parse("tenon: 1\nbodies:\n  rotor: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                                "joints:\n  A: {kind: revolute, body: rotor, at: [0, 0, 0], "
                                "axis: [0, 0, 1], initial: {rate: 400}}\n");
        const tn_sim_options o = method(names[k % 2], h);
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &o, &sim));
        for (int i = 0; i < 5; i++) {
            CHECK_OK(tn_sim_step(sim, h));
            for (int j = 1; j < 4; j++) {
                double angle, rate;
                const double t = (i + 0.25 * j) * h;
                CHECK_OK(tn_sim_show(sim, t));
                tn_sim_joint_coordinates(sim, (tn_joint){0}, &angle, &rate);
                CHECK_NEAR(angle, 400.0 * t, 1e-7);
                CHECK_NEAR(rate, 400.0, 1e-9);
            }
        }
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// A ball falls from 1 m; rows within the step that the event cuts are still there.
static void rows_before_the_end_of_a_run_are_kept(void)
{
    for (int k = 0; k < tn_integrator_count; k++) {
        tn_model *model =
            parse("tenon: 1\ngravity: [0, 0, -9.81]\n"
                  "bodies:\n  ball: {kind: point, mass: 1, initial: {position: [0, 0, 1]}}\n"
                  "events:\n  down: {body: ball, axis: z, value: 0, stop: true}\n");
        const tn_sim_options o = method(tn_integrators[k]->name, 0.0);
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &o, &sim));
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        const double end = tn_sim_time(sim), begin = tn_sim_before(sim);
        CHECK_NEAR(end, sqrt(2.0 / 9.81), 1e-7);
        for (int i = 1; i < 4; i++) {
            const double t = begin + 0.25 * i * (end - begin);
            CHECK_OK(tn_sim_show(sim, t));
            CHECK_NEAR(tn_sim_body_frame(sim, (tn_body){1}).p.z, 1.0 - 0.5 * 9.81 * t * t, 1e-7);
        }
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Between steps, too: a pin carries no torque about its axis, whatever its spring does, and the
// rest of the reaction lies between those of the ends.
static void pins_are_free_between_steps(void)
{
    static const char pair[] =
        "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  a: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}\n"
        "  b: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1.5, 0]}}\n"
        "joints:\n  p: {kind: revolute, body: a, at: [0, 0]}\n"
        "  q: {kind: revolute, bodies: [a, b], at: [1, 0]}\n"
        "forces: {k: {kind: joint-spring, joint: q, stiffness: 1e8}}\n"; // period 1e-4 s
    const double STEP = 0.01;
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    CHECK_OK(tn_model_parse(pair, "pair.yaml", &model, NULL));
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl@joint";
    options.adaptive = false;
    options.step = STEP;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    for (int i = 0; i < 50; i++) {
        const double t = tn_sim_time(sim);
        double end[2][2], between[2];
        for (int j = 0; j < 2; j++)
            end[0][j] = tn_sim_joint_reaction(sim, (tn_joint){j}).f.y;
        CHECK_OK(tn_sim_step(sim, STEP));
        for (int j = 0; j < 2; j++)
            end[1][j] = tn_sim_joint_reaction(sim, (tn_joint){j}).f.y;
        CHECK_OK(tn_sim_show(sim, t + 0.4 * STEP));
        for (int j = 0; j < 2; j++) {
            const tn_wrench w = tn_sim_joint_reaction(sim, (tn_joint){j});
            between[j] = w.f.y;
            CHECK_NEAR(w.m.z, 0.0, 1e-12);
        }
        // The vibration of the start is damped within 20 steps; then |f.y''| < 500 N/s^2.
        for (int j = 0; j < 2 && i >= 20; j++)
            CHECK_NEAR(between[j], 0.6 * end[0][j] + 0.4 * end[1][j], 500.0 * STEP * STEP);
        tn_sim_current(sim);
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"pins are free between steps", pins_are_free_between_steps},
    {"all samples are taken", all_samples_are_taken},
    {"kinks of own equations are met", kinks_of_own_equations_are_met},
    {"events that come back within a step are seen", events_that_come_back_within_a_step_are_seen},
    {"dense output knows the turns of a step", dense_output_knows_the_turns_of_a_step},
    {"rows before the end of a run are kept", rows_before_the_end_of_a_run_are_kept},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
