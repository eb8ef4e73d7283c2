// SPDX-License-Identifier: MIT
//
// Ensembles move as separate simulations do, whatever the number of threads, and refuse by name
// what they cannot move.

#include "test.h"

#include "tenon/ensemble.h"
#include "tenon/io.h"

enum { COUNT = 19, MOST = 8 }; // two blocks of lanes and a part of a third

static const double ROUNDOFF = 1e-12;

// Numbers of a model: something between 0.5 and 1.5, other for each instance.
static double vary(int instance, int k)
{
    return 1.0 + 0.5 * sin(1.0 + 1.7 * instance + 0.9 * k);
}

// In space: a limb with a slide, a fixed part and springs beside another limb.
static const char branched[] =
    "tenon: 1\n"
    "gravity: [0.3, 0, -9.81]\n"
    "parameters: {m: %.17g, l: %.17g, a: %.17g, w: %.17g, k: %.17g}\n"
    "bodies:\n"
    "  base: {mass: 2*m, inertia: [0.1, 0.12, 0.15], initial: {position: [0.2, 0, 0.1]}}\n"
    "  left: {mass: m, com: [0.1, 0, 0], inertia: [0.02, 0.03, 0.04], "
    "initial: {position: [l, 0, 0]}}\n"
    "  tip: {mass: 0.3, inertia: [0.01, 0.01, 0.02], initial: {position: [l, 0.5, 0]}}\n"
    "  sledge: {mass: m/2, inertia: [0.01, 0.02, 0.01], initial: {position: [0, l, 0]}}\n"
    "  cap: {mass: 0.2, inertia: [0.001, 0.002, 0.002], initial: {position: [0, l, 0.3]}}\n"
    "  blade: {mass: 0.4, com: [0, 0, 0.1], inertia: [0.004, 0.002, 0.003], "
    "initial: {position: [0.1, l, 0.4]}}\n"
    "joints:\n"
    "  turret: {kind: revolute, bodies: [ground, base], at: [0, 0, 0], axis: [0.2, 0.1, 1], "
    "initial: {rate: w}}\n"
    "  shoulder: {kind: revolute, bodies: [base, left], at: [0.3, 0, 0], axis: [0, 1, 0.3], "
    "initial: {rate: a}}\n"
    "  wrist: {kind: revolute, bodies: [tip, left], at: [l, 0.2, 0], axis: [1, 0, 0], "
    "initial: {rate: -w}}\n"
    "  slide: {kind: prismatic, bodies: [base, sledge], at: [0, 0.1, 0], axis: [0.1, 1, 0.2], "
    "initial: {rate: 0.2*a}}\n"
    "  weld: {kind: fixed, bodies: [sledge, cap], at: [0, l, 0.2]}\n"
    "  fan: {kind: revolute, bodies: [cap, blade], at: [0.1, l, 0.3], axis: [1, 0, 1], "
    "initial: {rate: 2*w}}\n"
    "forces:\n"
    "  hold: {kind: joint-spring, joint: slide, stiffness: 300*k, damping: 2, preload: 1}\n"
    "  twist: {kind: joint-spring, joint: shoulder, stiffness: 5, cubic: 2*k, free: 0.3, "
    "damping: 0.1}\n"
    "  drag: {kind: joint-spring, joint: shoulder, damping: 0.05*k}\n";

// In the plane: a cart with two pendulums, one on the other.
static const char cart[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {m: %.17g, l: %.17g, a: %.17g, w: %.17g, k: %.17g}\n"
    "bodies:\n"
    "  cart: {kind: planar, mass: m, inertia: 0.1}\n"
    "  upper: {kind: planar, mass: 0.5*m, com: [0, -l/2], inertia: 0.02}\n"
    "  lower: {kind: planar, mass: 0.3, com: [0, -0.2], inertia: 0.01, "
    "initial: {position: [0, -l]}}\n"
    "joints:\n"
    "  rail: {kind: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0.1], "
    "initial: {rate: a}}\n"
    "  pin: {kind: revolute, bodies: [cart, upper], at: [0, 0], initial: {rate: w}}\n"
    "  knee: {kind: revolute, bodies: [lower, upper], at: [0, -l], initial: {rate: a}}\n"
    "forces:\n"
    "  spring: {kind: joint-spring, joint: rail, stiffness: 20*k, damping: 0.3}\n";

// Four links in a row, in space.
static const char chain[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {m: %.17g, l: %.17g, a: %.17g, w: %.17g, k: %.17g}\n"
    "bodies:\n"
    "  b1: {mass: m, inertia: [0.01, 0.09, 0.08], initial: {position: [l/2, 0, 0]}}\n"
    "  b2: {mass: k, inertia: [0.01, 0.09, 0.08], initial: {position: [3*l/2, 0, 0]}}\n"
    "  b3: {mass: m, inertia: [0.01, 0.09, 0.08], initial: {position: [5*l/2, 0, 0]}}\n"
    "  b4: {mass: k, inertia: [0.01, 0.09, 0.08], initial: {position: [7*l/2, 0, 0]}}\n"
    "joints:\n"
    "  j1: {kind: revolute, bodies: [ground, b1], at: [0, 0, 0], axis: [0, 1, 0], "
    "initial: {rate: w}}\n"
    "  j2: {kind: revolute, bodies: [b1, b2], at: [l, 0, 0], axis: [0, 0, 1], "
    "initial: {rate: a}}\n"
    "  j3: {kind: revolute, bodies: [b2, b3], at: [2*l, 0, 0], axis: [0, 1, 0]}\n"
    "  j4: {kind: revolute, bodies: [b3, b4], at: [3*l, 0, 0], axis: [0, 1, 1]}\n";

// One body in space.
static const char pendulum[] =
    "tenon: 1\n"
    "gravity: [0, 0.5, -9.81]\n"
    "parameters: {m: %.17g, l: %.17g, a: %.17g, w: %.17g, k: %.17g}\n"
    "bodies:\n"
    "  bob: {mass: m, com: [l, 0.1*a, 0], inertia: [0.01, 0.09, 0.08]}\n"
    "joints:\n"
    "  pin: {kind: revolute, bodies: [ground, bob], at: [0, 0.1*k, 0], axis: [0.3, 1, 0.2], "
    "initial: {rate: w}}\n";

// In space, joints that all turn: fingers on a palm, of which one is turned round, and a flag on
// the same arm.
static const char hand[] =
    "tenon: 1\n"
    "gravity: [0.2, 0.1, -9.81]\n"
    "parameters: {m: %.17g, l: %.17g, a: %.17g, w: %.17g, k: %.17g}\n"
    "bodies:\n"
    "  arm: {mass: 2*m, com: [0.1, 0, 0.2], inertia: [0.1, 0.12, 0.15], initial: {position: [0.2, "
    "0, 0.1]}}\n"
    "  palm: {mass: m, com: [0.1, 0.05, 0], inertia: [0.02, 0.03, 0.04], "
    "initial: {position: [l, 0, 0]}}\n"
    "  thumb: {mass: 0.3, com: [0, 0.1, 0], inertia: [0.01, 0.01, 0.02], "
    "initial: {position: [l, 0.5, 0]}}\n"
    "  finger: {mass: 0.2*k, inertia: [0.002, 0.004, 0.003], initial: {position: [l+0.3, 0, 0]}}\n"
    "  tip: {mass: 0.1, com: [0.02, 0, 0.05], inertia: [0.001, 0.002, 0.002], "
    "initial: {position: [l+0.5, 0, 0.1]}}\n"
    "  flag: {mass: 0.4, com: [0, 0, 0.1], inertia: [0.004, 0.002, 0.003], "
    "initial: {position: [0.1, l, 0.4]}}\n"
    "joints:\n"
    "  turret: {kind: revolute, bodies: [ground, arm], at: [0, 0, 0.1], axis: [0.2, 0.1, 1], "
    "initial: {rate: w}}\n"
    "  wrist: {kind: revolute, bodies: [arm, palm], at: [0.5*l, 0, 0], axis: [0, 1, 0.3], "
    "initial: {rate: a}}\n"
    "  j1: {kind: revolute, bodies: [thumb, palm], at: [l, 0.2, 0], axis: [1, 0, 0], "
    "initial: {rate: -w}}\n"
    "  j2: {kind: revolute, bodies: [palm, finger], at: [l+0.2, 0, 0], axis: [0.3, 0, 1], "
    "initial: {rate: 2*a}}\n"
    "  j3: {kind: revolute, bodies: [finger, tip], at: [l+0.4, 0, 0.1], axis: [0, 1, 1]}\n"
    "  hinge: {kind: revolute, bodies: [arm, flag], at: [0.1, l, 0.3], axis: [1, 0, 1], "
    "initial: {rate: 2*w}}\n"
    "forces:\n"
    "  hold: {kind: joint-spring, joint: wrist, stiffness: 30*k, damping: 2, preload: 1}\n"
    "  twist: {kind: joint-spring, joint: j3, stiffness: 0.5, cubic: 2*k, free: 0.3}\n";

// The same in the plane, with two bodies on the ground and links that do not lie along axes.
static const char mobile[] =
    "tenon: 1\n"
    "gravity: [1.5, -9.81, 0]\n"
    "parameters: {m: %.17g, l: %.17g, a: %.17g, w: %.17g, k: %.17g}\n"
    "bodies:\n"
    "  beam: {kind: planar, mass: m, com: [0.1, -0.2], inertia: 0.1, "
    "initial: {position: [0.3, 0.1], angle: 0.4}}\n"
    "  left: {kind: planar, mass: 0.5*m, com: [0, -l/2], inertia: 0.02, "
    "initial: {position: [-0.4, 0], angle: -1.1}}\n"
    "  lower: {kind: planar, mass: 0.3, com: [0.1, -0.2], inertia: 0.01, "
    "initial: {position: [-0.5, -l]}}\n"
    "  right: {kind: planar, mass: k, com: [0.05, -0.3], inertia: 0.03, "
    "initial: {position: [0.7, 0.2], angle: 2.0}}\n"
    "  other: {kind: planar, mass: 0.7, com: [l/3, 0.1], inertia: 0.05, "
    "initial: {position: [2, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, bodies: [ground, beam], at: [0.1, 0.2], initial: {rate: w}}\n"
    "  j1: {kind: revolute, bodies: [left, beam], at: [-0.4, 0.1], initial: {rate: a}}\n"
    "  j2: {kind: revolute, bodies: [lower, left], at: [-0.5, -l], initial: {rate: -a}, "
    "orientation: {axis: [0, 0, 1], angle: 0.7}}\n"
    "  j3: {kind: revolute, bodies: [right, beam], at: [0.8, 0.3], initial: {rate: w}}\n"
    "  post: {kind: revolute, bodies: [other, ground], at: [2, 0.1], initial: {rate: 2*w}}\n"
    "forces:\n"
    "  spring: {kind: joint-spring, joint: j1, stiffness: 20*k, damping: 0.3}\n"
    "  brake: {kind: joint-spring, joint: j3, damping: 0.2*k, preload: 0.1}\n"
    "  clock: {kind: joint-spring, joint: post, stiffness: 3, free: 0.2}\n";

// A four-bar in the plane, turned about by its start velocity and held by a spring.
static const char fourbar[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {m: %.17g, l: %.17g, a: %.17g, w: %.17g, k: %.17g}\n"
    "bodies:\n"
    "  crank: {kind: planar, mass: m, inertia: 0.02, com: [0, 0.2]}\n"
    "  coupler: {kind: planar, mass: 1, inertia: 0.1, com: [0.5*l, 0.1], "
    "initial: {position: [0, 0.4]}}\n"
    "  rocker: {kind: planar, mass: k, inertia: 0.05, com: [0, -0.3], "
    "initial: {position: [l, 0.4]}}\n"
    "joints:\n"
    "  shaft: {kind: revolute, bodies: [ground, crank], at: [0, 0], initial: {rate: 3*w}}\n"
    "  first: {kind: revolute, bodies: [crank, coupler], at: [0, 0.4]}\n"
    "  second: {kind: revolute, bodies: [rocker, coupler], at: [l, 0.4]}\n"
    "  bearing: {kind: revolute, bodies: [ground, rocker], at: [l, -0.3]}\n"
    "forces:\n"
    "  hold: {kind: joint-spring, joint: shaft, stiffness: 3*a, damping: 0.1}\n";

// The same in space, where pins repeat each other's rows.
static const char pinned[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {m: %.17g, l: %.17g, a: %.17g, w: %.17g, k: %.17g}\n"
    "bodies:\n"
    "  crank: {mass: m, inertia: [0.02, 0.02, 0.03], com: [0, 0.2, 0]}\n"
    "  coupler: {mass: a, inertia: [0.1, 0.2, 0.1], com: [0.5*l, 0.1, 0.1], "
    "initial: {position: [0, 0.4, 0]}}\n"
    "  rocker: {mass: k, inertia: [0.05, 0.03, 0.04], com: [0, -0.3, 0], "
    "initial: {position: [l, 0.4, 0]}}\n"
    "joints:\n"
    "  shaft: {kind: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], "
    "initial: {rate: 3*w}}\n"
    "  first: {kind: revolute, bodies: [crank, coupler], at: [0, 0.4, 0], axis: [0, 0, 1]}\n"
    "  second: {kind: revolute, bodies: [rocker, coupler], at: [l, 0.4, 0], axis: [0, 0, 1]}\n"
    "  bearing: {kind: revolute, bodies: [ground, rocker], at: [l, -0.3, 0], axis: [0, 0, 1]}\n";

static const char *const texts[] = {branched, cart, chain, pendulum, hand, mobile, fourbar, pinned};

static tn_model *model_of(const char *text, int i)
{
    char full[4096];
    tn_model *model = NULL;
    snprintf(full, sizeof full, text, vary(i, 0), vary(i, 1), vary(i, 2), vary(i, 3), vary(i, 4));
    CHECK_OK(tn_model_parse(full, "ensemble.yaml", &model, NULL));
    return model;
}

static tn_ensemble *open_ensemble(const tn_model *model, int count, const char *method, double step,
                                  int threads)
{
    tn_ensemble_options options = tn_default_ensemble();
    tn_ensemble *ensemble = NULL;
    options.method = method;
    options.step = step;
    options.threads = threads;
    CHECK_OK(tn_ensemble_create(model, count, &options, &ensemble));
    return ensemble;
}

static void near_simulation(const tn_ensemble *ensemble, int i, tn_sim *sim)
{
    double q[MOST], v[MOST];
    const int nv = tn_ensemble_nv(ensemble);
    CHECK(nv == tn_sim_nv(sim) && nv <= MOST);
    CHECK_OK(tn_ensemble_state(ensemble, i, q, v));
    for (int k = 0; k < nv; k++) {
        CHECK_NEAR(q[k], tn_sim_q(sim)[k], ROUNDOFF * fmax(1.0, fabs(q[k])));
        CHECK_NEAR(v[k], tn_sim_v(sim)[k], ROUNDOFF * fmax(1.0, fabs(v[k])));
    }
}

// Masses, lengths, springs and start values differ from instance to instance.
static void instances_move_as_simulations_do(void)
{
    static const char *const methods[] = {"dopri5", "dop853"};
    const double step = 2e-3, t_end = 0.101; // the last step is shorter
    for (int m = 0; m < TN_COUNT(texts) * 2; m++) {
        const char *text = texts[m / 2], *method = methods[m % 2];
        char full[64];
        tn_model *first = model_of(text, 0);
        tn_ensemble *ensemble = open_ensemble(first, COUNT, method, step, 1);
        snprintf(full, sizeof full, "%s/index1@joint", method);
        for (int i = 1; i < COUNT; i++) {
            tn_model *model = model_of(text, i);
            CHECK_OK(tn_ensemble_set_model(ensemble, i, model));
            tn_model_destroy(model);
        }
        CHECK_OK(tn_ensemble_run(ensemble, t_end));
        CHECK(tn_ensemble_time(ensemble) == t_end);
        for (int i = 0; i < COUNT; i++) {
            tn_model *model = model_of(text, i);
            tn_sim *sim = tn_test_open(model, full, step, 1e-6);
            CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
            near_simulation(ensemble, i, sim);
            tn_sim_destroy(sim);
            tn_model_destroy(model);
        }
        tn_ensemble_destroy(ensemble);
        tn_model_destroy(first);
    }
}

static tn_joint joint_named(const tn_model *model, const char *name)
{
    const tn_joint joint = tn_model_find_joint(model, name);
    CHECK(joint.index >= 0);
    return joint;
}

static void threads_and_neighbours_change_no_bit(void)
{
    tn_model *model = model_of(chain, 3);
    const tn_joint j2 = joint_named(model, "j2");
    double one[COUNT][2 * MOST], q, rate;
    for (int threads = 1; threads <= 3; threads++) {
        tn_ensemble *ensemble = open_ensemble(model, COUNT, "dopri5", 1e-3, threads);
        for (int i = 0; i < COUNT; i++)
            CHECK_OK(tn_ensemble_set_joint(ensemble, i, j2, 0.1 * i, -0.2 * i));
        CHECK_OK(tn_ensemble_run(ensemble, 0.02));
        CHECK_OK(tn_ensemble_run(ensemble, 0.05));
        for (int i = 0; i < COUNT; i++) {
            double state[2 * MOST] = {0};
            CHECK_OK(tn_ensemble_state(ensemble, i, state, state + MOST));
            if (threads > 1)
                CHECK(memcmp(state, one[i], sizeof state) == 0);
            memcpy(one[i], state, sizeof state);
        }
        tn_ensemble_destroy(ensemble);
    }
    // Alone, and on another lane.
    tn_ensemble *alone = open_ensemble(model, 1, "dopri5", 1e-3, 0);
    CHECK_OK(tn_ensemble_set_joint(alone, 0, j2, 0.1 * 11, -0.2 * 11));
    CHECK_OK(tn_ensemble_joint(alone, 0, j2, &q, &rate));
    CHECK(q == 0.1 * 11 && rate == -0.2 * 11);
    CHECK_OK(tn_ensemble_run(alone, 0.02));
    CHECK_OK(tn_ensemble_run(alone, 0.05));
    double state[2 * MOST] = {0};
    CHECK_OK(tn_ensemble_state(alone, 0, state, state + MOST));
    CHECK(memcmp(state, one[11], sizeof state) == 0);
    tn_ensemble_destroy(alone);
    tn_model_destroy(model);
}

static void states_of_simulations_can_be_set(void)
{
    tn_model *model = model_of(branched, 2);
    tn_sim *sim = tn_test_open(model, "dopri5/index1@joint", 1e-3, 1e-6);
    tn_ensemble *ensemble = open_ensemble(model, 3, "dopri5", 1e-3, 0);
    CHECK_OK(tn_sim_run(sim, 0.05, NULL, NULL));
    CHECK_OK(tn_ensemble_set_state(ensemble, 2, tn_sim_q(sim), tn_sim_v(sim)));
    CHECK_OK(tn_sim_run(sim, 0.1, NULL, NULL));
    const long before = tn_test_alloc_count();
    CHECK_OK(tn_ensemble_run(ensemble, 0.05));
    CHECK(tn_test_alloc_count() == before);
    near_simulation(ensemble, 2, sim);
    tn_ensemble_destroy(ensemble);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Inverse masses of light bodies in loops take no digits (motion/schur.c); below 1e-14 they
// count as none in simulations, and ensembles refuse them.
static void light_couplers_take_no_digits(void)
{
    static const double mass[] = {1e-6, 1e-9, 1e-11, 1e-12, 1e-13};
    static const char text[] =
        "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  crank: {kind: planar, mass: 1, inertia: 0.0075, initial: {angle: 0.7, position: "
        "[0.11472632809267327, 0.09663265308565365]}}\n"
        "  coupler: {kind: planar, mass: %g, inertia: %g, initial: {angle: 0.6477428391420664, "
        "position: [0.6281765424467527, 0.49495929438552616]}}\n"
        "  rocker: {kind: planar, mass: 1, inertia: 0.0533, initial: {angle: 1.6622984230550284, "
        "position: [1.0634502143540794, 0.3983266412998725]}}\n"
        "joints:\n"
        "  A: {kind: revolute, body: crank, at: [0, 0], initial: {rate: 2}}\n"
        "  B: {kind: revolute, bodies: [crank, coupler], at: [0.22945265618534655, "
        "0.1932653061713073]}\n"
        "  C: {kind: revolute, bodies: [coupler, rocker], at: [1.026900428708159, "
        "0.796653282599745]}\n"
        "  D: {kind: revolute, body: rocker, at: [1.1, 0]}\n";
    char whole[2000];
    tn_model *model = NULL;
    for (int k = 0; k < TN_COUNT(mass); k++) {
        snprintf(whole, sizeof whole, text, mass[k], mass[k] / 12.0);
        CHECK_OK(tn_model_parse(whole, "light", &model, NULL));
        tn_sim *sim = tn_test_open(model, "dopri5/index1@absolute", 1e-3, 1e-6);
        tn_ensemble *ensemble = open_ensemble(model, 3, "dopri5", 1e-3, 0);
        CHECK_OK(tn_sim_run(sim, 0.3, NULL, NULL));
        CHECK_OK(tn_ensemble_run(ensemble, 0.3));
        double angle, rate, q, v;
        tn_sim_joint_coordinates(sim, (tn_joint){0}, &angle, &rate);
        CHECK_OK(tn_ensemble_joint(ensemble, 2, (tn_joint){0}, &q, &v));
        CHECK_NEAR(q, angle, 1e-9); // steps of 1 ms leave 1e-12 in either coordinates
        CHECK_NEAR(v, rate, 1e-9);
        tn_ensemble_destroy(ensemble);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
    const tn_ensemble_options options = tn_default_ensemble();
    tn_ensemble *none = NULL;
    snprintf(whole, sizeof whole, text, 1e-16, 1e-17);
    CHECK_OK(tn_model_parse(whole, "light", &model, NULL));
    CHECK_STATUS(tn_ensemble_create(model, 3, &options, &none), TN_ERR_MODEL);
    CHECK(tn_test_says("body 'coupler': "));
    tn_model_destroy(model);
}

// Nothing closes a loop that is open at the start.
static void refuses_to_open(const char *text)
{
    tn_model *model = model_of(text, 1);
    tn_sim *sim = tn_test_open(model, "dopri5/index1@joint", 1e-3, 1e-6);
    tn_ensemble *ensemble = open_ensemble(model, 2, "dopri5", 1e-3, 0);
    double q[MOST], v[MOST], kept[MOST], now[MOST];
    const int nv = tn_ensemble_nv(ensemble);
    const tn_joint first = {0};
    CHECK_OK(tn_sim_run(sim, 0.05, NULL, NULL));
    memcpy(q, tn_sim_q(sim), sizeof(double) * (size_t)nv);
    memcpy(v, tn_sim_v(sim), sizeof(double) * (size_t)nv);
    CHECK_OK(tn_ensemble_set_state(ensemble, 1, q, v));
    CHECK_OK(tn_ensemble_state(ensemble, 1, kept, NULL));
    q[0] += 1e-3;
    CHECK_STATUS(tn_ensemble_set_state(ensemble, 1, q, v), TN_ERR_USAGE);
    CHECK(tn_test_says("instance 1: the loop that joint '"));
    q[0] -= 1e-3;
    v[0] *= 1.01;
    CHECK_STATUS(tn_ensemble_set_state(ensemble, 1, q, v), TN_ERR_USAGE);
    CHECK_STATUS(tn_ensemble_set_joint(ensemble, 1, first, 0.3, 0.0), TN_ERR_USAGE);
    CHECK(tn_test_says("set all of them at once"));
    CHECK_OK(tn_ensemble_state(ensemble, 1, now, NULL));
    CHECK(memcmp(kept, now, sizeof(double) * (size_t)nv) == 0);
    tn_ensemble_destroy(ensemble);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void open_loops_are_refused(void)
{
    refuses_to_open(fourbar);
    refuses_to_open(pinned);
}

static void refuses_model(const char *text, const char *message)
{
    const tn_ensemble_options options = tn_default_ensemble();
    tn_ensemble *ensemble = NULL;
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "refused.yaml", &model, NULL));
    CHECK_STATUS(tn_ensemble_create(model, 4, &options, &ensemble), TN_ERR_MODEL);
    CHECK(ensemble == NULL);
    CHECK_TEXT(tn_last_error(), message);
    tn_model_destroy(model);
}

#define PLANE                                                                      \
    "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"                                  \
    "  rod: {kind: planar, mass: 1, inertia: 0.1, com: [0.5, 0]}\n"                \
    "  next: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [1, 0]}}\n" \
    "joints:\n  pin: {kind: revolute, bodies: [ground, rod], at: [0, 0]}\n"        \
    "  elbow: {kind: revolute, bodies: [rod, next], at: [1, 0]}\n"

static void what_cannot_be_moved_is_named(void)
{
    refuses_model(PLANE "  lift: {kind: drive, joint: pin, motion: 't'}\n",
                  "joint 'lift': an ensemble has no couplings and drives");
    refuses_model(PLANE "forces:\n  pull: {kind: motor, joint: pin, effort: 1}\n",
                  "force 'pull' is a motor; forces of an ensemble are gravity and springs on joint "
                  "coordinates");
    refuses_model(PLANE "forces:\n  s: {kind: joint-spring, joint: pin, stiffness: 1 + 3*t}\n",
                  "force 's': stiffness is an expression of the time or the state; springs of an "
                  "ensemble have constant numbers");
    refuses_model(
        "tenon: 1\nbodies:\n"
        "  a: {kind: planar, mass: 1, inertia: 1}\n  b: {kind: planar, mass: 1, inertia: 1}\n"
        "joints:\n  x: {kind: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}\n"
        "  y: {kind: prismatic, bodies: [a, b], at: [0, 0], axis: [0, 1]}\n"
        "  z: {kind: prismatic, bodies: [ground, b], at: [0, 0], axis: [1, 1]}\n",
        "joint 'y' closes a loop and is planar-prismatic; joints that close loops of an "
        "ensemble are revolute or spherical");
    refuses_model("tenon: 1\nbodies:\n  ball: {mass: 1, inertia: [1, 1, 1]}\n"
                  "joints:\n  socket: {kind: spherical, bodies: [ground, ball], at: [0, 0, 1]}\n",
                  "joint 'socket' is spherical; joints of an ensemble are revolute, prismatic or "
                  "fixed");
    refuses_model("tenon: 1\nbodies:\n"
                  "  a: {kind: planar, mass: 1, inertia: 0.02, initial: {position: [0, 0.1]}}\n"
                  "  b: {kind: planar, mass: 1, inertia: 0.02, initial: {position: [0.2, 0.2]}}\n"
                  "  c: {kind: planar, mass: 0, inertia: 0, initial: {position: [0.4, 0.1]}}\n"
                  "joints:\n"
                  "  A: {kind: revolute, bodies: [ground, a], at: [0, 0], initial: {rate: 3}}\n"
                  "  B: {kind: revolute, bodies: [a, b], at: [0, 0.2]}\n"
                  "  C: {kind: revolute, bodies: [b, c], at: [0.4, 0.2]}\n"
                  "  D: {kind: revolute, bodies: [ground, c], at: [0.4, 0]}\n",
                  "body 'c': an ensemble moves trees of bodies with inertia, also where loops hold "
                  "them; give it a mass and a moment of inertia that are not next to nothing");
    refuses_model("tenon: 1\nbodies:\n  ball: {mass: 1, inertia: [1, 1, 1]}\n",
                  "body 'ball' is carried by no joint; bodies of an ensemble stand on revolute, "
                  "prismatic and fixed joints");
}

static void wrong_calls_are_told(void)
{
    tn_model *model = model_of(chain, 0), *other = model_of(cart, 0);
    tn_ensemble_options options = tn_default_ensemble();
    tn_ensemble *ensemble = NULL;
    double q, rate;
    CHECK_STATUS(tn_ensemble_create(model, 0, &options, &ensemble), TN_ERR_USAGE);
    options.method = "bdf";
    CHECK_STATUS(tn_ensemble_create(model, 1, &options, &ensemble), TN_ERR_USAGE);
    CHECK(tn_test_says("dopri5 or dop853, not by 'bdf'"));
    options = tn_default_ensemble();
    options.step = -1.0;
    CHECK_STATUS(tn_ensemble_create(model, 1, &options, &ensemble), TN_ERR_USAGE);
    ensemble = open_ensemble(model, 2, "dop853", 1e-3, 0);
    CHECK_STATUS(tn_ensemble_state(ensemble, 2, &q, &rate), TN_ERR_USAGE);
    CHECK(tn_test_says("there is no instance 2; they are numbered from 0 to 1"));
    CHECK_STATUS(tn_ensemble_joint(ensemble, 0, (tn_joint){77}, &q, &rate), TN_ERR_USAGE);
    CHECK_STATUS(tn_ensemble_set_model(ensemble, 1, other), TN_ERR_MODEL);
    CHECK(tn_test_says("differs from that of the ensemble in more than numbers"));
    CHECK_STATUS(tn_ensemble_run(ensemble, -1.0), TN_ERR_USAGE);
    CHECK_OK(tn_ensemble_set_joint(ensemble, 1, joint_named(model, "j1"), 0.0, 1e200));
    CHECK_STATUS(tn_ensemble_run(ensemble, 0.01), TN_ERR_NUMERIC);
    CHECK(tn_test_says("instance 1"));
    tn_ensemble_destroy(ensemble);
    tn_model_destroy(model);
    tn_model_destroy(other);
}

static const tn_test tests[] = {
    {"instances move as simulations do", instances_move_as_simulations_do},
    {"threads and neighbours change no bit", threads_and_neighbours_change_no_bit},
    {"states of simulations can be set", states_of_simulations_can_be_set},
    {"light couplers take no digits", light_couplers_take_no_digits},
    {"open loops are refused", open_loops_are_refused},
    {"what cannot be moved is named", what_cannot_be_moved_is_named},
    {"wrong calls are told", wrong_calls_are_told},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
