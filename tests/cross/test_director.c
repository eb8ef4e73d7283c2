// SPDX-License-Identifier: MIT
//
// Director against absolute coordinates: on 200 random mechanisms one set of accelerations,
// reactions and multipliers, and derivatives that match differences; on twelve models one motion by
// galpha, radau5 and bdf with ggl and by two discrete principles, and on two of them by every legal
// pairing.

#include "coords/director.h"
#include "fixed_step.h"
#include "probe_start.h"
#include "random_mechanism.h"
#include "same_motion.h"
#include "sim/sim.h"
#include "tenon/tenon.h"
#include "track.h"

enum { SEEDS = 200 };

// Both solve systems of equations whose condition is that of the mechanism: up to 1e6 for chains of
// 60 bodies of very different joints.
static const double SAME = 1e-9;
// Fourth-order differences on arms of up to some metres, see probe.h.
static const double TANGENT_TOL = 1e-8;

static int bodies_of(int seed)
{
    return seed % 10 == 0 ? 60 : 2 + seed % 29;
}

static void one_motion_and_one_set_of_reactions(void)
{
    int redundant = 0, bad = 0;
    difference most = {0};
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = random_mechanism_of(seed, bodies_of(seed));
        tn_sim *absolute = open_sim(m.model, "dopri5/index1@absolute");
        tn_sim *director = open_sim(m.model, "dopri5/index1@director");
        CHECK(tn_sim_freedoms(absolute) == tn_sim_freedoms(director));
        CHECK(tn_sim_redundant(absolute) == tn_sim_redundant(director));
        const difference d = compare(m.model, absolute, director);
        if (!is_same(&d, SAME)) {
            printf("seed %d: pose %.1e, velocity %.1e, acceleration %.1e, reaction %.1e, "
                   "multiplier %.1e\n",
                   seed, d.pose, d.velocity, d.acceleration, d.reaction, d.multiplier);
            bad++;
        }
        most.acceleration = fmax(most.acceleration, d.acceleration);
        most.reaction = fmax(most.reaction, d.reaction);
        redundant += tn_sim_redundant(absolute) > 0;
        tn_sim_destroy(absolute);
        tn_sim_destroy(director);
        tn_model_destroy(m.model);
    }
    printf("%d redundant; accelerations within %.1e, reactions %.1e\n", redundant,
           most.acceleration, most.reaction);
    CHECK(bad == 0);
    CHECK(redundant > 10);
}

static const char chain[] =
    "tenon: 1\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  b1: {kind: planar, mass: 1, inertia: 0.08, initial: {position: [0.5, 0]}}\n"
    "joints:\n"
    "  j1: {kind: revolute, bodies: [ground, b1], at: [0, 0]}\n"
    "repeat:\n"
    "  from: 2\n"
    "  to: 25\n"
    "  bodies: {b$i: {kind: planar, mass: 1, inertia: 0.08, initial: {position: [i-0.5, 0]}}}\n"
    "  joints: {j$i: {kind: revolute, bodies: [b$(i-1), b$i], at: [i-1, 0]}}\n";
static const char scissors[] =
    "tenon: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {a: 0.5, th: 0.6, x: a*cos(th), y: a*sin(th)}\n"
    "repeat:\n"
    "  - from: 0\n"
    "    to: 19\n"
    "    bodies:\n"
    "      p$i: {kind: planar, mass: 1, inertia: a^2/3,"
    " initial: {position: [x, (2*i+1)*y], angle: th}}\n"
    "      n$i: {kind: planar, mass: 1, inertia: a^2/3,"
    " initial: {position: [x, (2*i+1)*y], angle: -th}}\n"
    "    joints: {c$i: {kind: revolute, bodies: [p$i, n$i], at: [x, (2*i+1)*y]}}\n"
    "  - from: 1\n"
    "    to: 19\n"
    "    joints:\n"
    "      l$i: {kind: revolute, bodies: [n$(i-1), p$i], at: [0, 2*i*y]}\n"
    "      r$i: {kind: revolute, bodies: [p$(i-1), n$i], at: [2*x, 2*i*y]}\n"
    "joints:\n"
    "  j1: {kind: revolute, bodies: [ground, p0], at: [0, 0]}\n"
    "  B: {kind: pin-in-slot, bodies: [ground, n0], at: [2*x, 0], axis: [1, 0]}\n";

// Systems of more than 256 unknowns, whose order of elimination is searched for: the factors of
// one that was tried with other values had been taken.
static void long_nets_start_alike(void)
{
    const char *const texts[] = {chain, scissors};
    for (int k = 0; k < TN_COUNT(texts); k++) {
        tn_sim *absolute = tn_test_open_text(texts[k], "dopri5/index1@absolute", 0.0, 1e-6);
        tn_sim *director = tn_test_open_text(texts[k], "dopri5/index1@director", 0.0, 1e-6);
        const double force = tn_test_value(absolute, "j1.force.y");
        CHECK_NEAR(tn_test_value(director, "j1.force.y"), force, SAME * fabs(force));
        tn_sim_destroy(absolute);
        tn_sim_destroy(director);
    }
}

static void derivatives_match_differences(void)
{
    const tn_sim_options options = tn_default_sim();
    double worst = 0.0;
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = random_mechanism_of(seed, 1 + seed % 8);
        tn_start start;
        CHECK_OK(tn_start_model(m.model, &options, &start));
        CHECK_OK(tn_start_to(&start, tn_find_coordinates("director"), NULL));
        worst = fmax(worst, check_columns(&start, seed, TANGENT_TOL));
        tn_start_clear(&start);
        tn_model_destroy(m.model);
    }
    printf("derivatives within %.1e\n", worst);
}

// Runs --------------------------------------------------------------------------------------------

// Andrews' mechanism moves within milliseconds.
static const road_model models[] = {
    {"double_pendulum", 0.4}, {"fourbar", 0.4},   {"fourbar_spatial", 0.2}, {"slider_crank", 0.2},
    {"pendulum_3d", 0.4},     {"heavy_top", 0.1}, {"gear_train", 0.2},      {"andrews", 0.01},
    {"governor", 0.2},        {"arm", 0.2},       {"quarter_car", 0.4},     {"car_axis", 0.4},
};

// Its motion without inertia is for other integrators.
static const char WITHOUT_INERTIA[] = "quarter_car";

// Errors of a run are some hundred tolerances of a step; multipliers, and in index3 velocities,
// have lower orders, and those of the interpolation that shows them. Methods of second order take
// fixed steps, and so does baumgarte2.
static bool agrees(const tn_model *model, const road_model *m, const tn_integrator_ops *integrator,
                   const tn_formulation *f, track *reference)
{
    static track run;
    char method[96];
    snprintf(method, sizeof method, "%s/%s@director", integrator->name, f->name);
    tn_sim_options options = controlled(method, 1e-9);
    double motion_tol = f->index == 3 ? 1e-5 : 1e-6, force_tol = 1e-3;
    const bool second_order = integrator->needs & (TN_VIEW_STEP | TN_VIEW_DISCRETE);
    if (second_order || (f->baumgarte && !f->acceleration)) {
        options.adaptive = false;
        options.step = m->t_end / (second_order ? 4000.0 : 1600.0);
        motion_tol = 1e-4;
        force_tol = 1e-2;
    }
    follow(model, m, &options, &run);
    CHECK(run.nmotion == reference->nmotion && run.nforce == reference->nforce);
    const double motion = distance(run.nmotion, run.motion, reference->motion);
    const double force = distance(run.nforce, run.force, reference->force);
    const bool ok = motion <= motion_tol && force <= force_tol;
    if (!ok)
        printf("%-16s %-32s motion %.1e, multipliers %.1e\n", m->file, method, motion, force);
    return ok;
}

static tn_sim_options exact(void)
{
    return controlled("dop853/index1+project@absolute", 1e-12);
}

static void integrators_give_the_motion_of_absolute_coordinates(void)
{
    static const char *const integrators[] = {"galpha", "radau5", "bdf"};
    static const char *const principles[] = {"variational", "energy-momentum"};
    static track reference;
    const tn_sim_options options = exact();
    int bad = 0;
    for (int k = 0; k < TN_COUNT(models); k++) {
        tn_model *model = load_model(models[k].file);
        follow(model, &models[k], &options, &reference);
        for (int i = 0; i < TN_COUNT(integrators); i++)
            bad += !agrees(model, &models[k], tn_find_integrator(integrators[i]),
                           tn_find_formulation("ggl"), &reference);
        for (int i = 0; i < 2 && strcmp(models[k].file, WITHOUT_INERTIA); i++)
            bad += !agrees(model, &models[k], tn_find_integrator(principles[i]),
                           tn_find_formulation("multiplier"), &reference);
        tn_model_destroy(model);
    }
    CHECK(bad == 0);
}

static void every_pairing_gives_the_motion_of_absolute_coordinates(void)
{
    static track reference;
    const tn_sim_options options = exact();
    int bad = 0;
    for (int n = 1; n < 3; n++) {
        tn_model *model = load_model(models[n].file);
        follow(model, &models[n], &options, &reference);
        for (int i = 0; i < tn_integrator_count; i++)
            for (int k = 0; k < tn_formulation_count; k++)
                if (tn_pairing_is_legal(tn_integrators[i], tn_formulations[k]) &&
                    (getenv("TN_LONG") || (i + k + n) % 2 == 0)) // each one with one of the models
                    bad += !agrees(model, &models[n], tn_integrators[i], tn_formulations[k],
                                   &reference);
        tn_model_destroy(model);
    }
    CHECK(bad == 0);
}

static void se3_is_refused_with_the_reason(void)
{
    tn_model *model = load_model("heavy_top");
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = "galpha/ggl@director";
    options.rotation = "se3";
    CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_PAIRING);
    CHECK(strstr(tn_last_error(), "in director coordinates take so3") != NULL);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"one motion and one set of reactions", one_motion_and_one_set_of_reactions},
    {"long nets start alike", long_nets_start_alike},
    {"derivatives match differences", derivatives_match_differences},
    {"integrators give the motion of absolute coordinates",
     integrators_give_the_motion_of_absolute_coordinates},
    {"every pairing gives the motion of absolute coordinates",
     every_pairing_gives_the_motion_of_absolute_coordinates},
    {"se3 is refused with the reason", se3_is_refused_with_the_reason},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
