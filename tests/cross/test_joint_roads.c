// SPDX-License-Identifier: MIT
//
// Every legal pairing of formulation and integrator in joint coordinates, on models with trees,
// loops, gears and drives: one motion and one set of multipliers, those of absolute coordinates.

#include "integrator/integrator.h"
#include "tenon/tenon.h"
#include "test.h"
#include "track.h"

#include <math.h>

// Andrews' mechanism moves within milliseconds.
static const road_model models[] = {
    {"double_pendulum", 0.4}, {"fourbar", 0.4},   {"fourbar_spatial", 0.2}, {"slider_crank", 0.2},
    {"pendulum_3d", 0.4},     {"heavy_top", 0.1}, {"gear_train", 0.2},      {"andrews", 0.01},
};

typedef struct tolerances {
    tn_sim_options options;
    double motion, force;
} tolerances;

// What a road can be held to. Errors of a run are some hundred tolerances of a step; multipliers,
// and in index3 velocities, have lower orders, and those of the interpolation that shows them.
// baumgarte2 takes fixed steps, and no shorter ones than round-off allows [Arn16, after eq. 87].
static tolerances expected(const tn_integrator_ops *integrator, const tn_formulation *f,
                           const char *method, const road_model *m)
{
    tolerances t = {controlled(method, 1e-9), f->index == 3 ? 1e-5 : 1e-6, 1e-3};
    const bool second_order = integrator->needs & TN_VIEW_STEP;
    if (!second_order && !(f->baumgarte && !f->acceleration))
        return t;
    t.options.adaptive = false;
    t.options.step = m->t_end / (second_order ? 4000.0 : 800.0);
    t.motion = 1e-4;
    t.force = 1e-2;
    return t;
}

static int check_model(const road_model *m)
{
    char path[160];
    static track reference, run;
    tn_model *model = NULL;
    tn_simulate simulate;
    int bad = 0;
    snprintf(path, sizeof path, "models/%s.yaml", m->file);
    CHECK_OK(tn_model_load(tn_test_path(path), &model, &simulate));
    const tn_sim_options exact = controlled("dop853/index1+project@absolute", 1e-12);
    follow(model, m, &exact, &reference);
    double worst = 0.0;
    int roads = 0;
    for (int i = 0; i < tn_integrator_count; i++)
        for (int k = 0; k < tn_formulation_count; k++) {
            char method[96];
            if (!tn_pairing_is_legal(tn_integrators[i], tn_formulations[k]) ||
                tn_integrators[i]->needs & TN_VIEW_DISCRETE) // not in joint coordinates
                continue;
            snprintf(method, sizeof method, "%s/%s@joint", tn_integrators[i]->name,
                     tn_formulations[k]->name);
            const tolerances t = expected(tn_integrators[i], tn_formulations[k], method, m);
            follow(model, m, &t.options, &run);
            CHECK(run.nmotion == reference.nmotion && run.nforce == reference.nforce);
            const double motion = distance(run.nmotion, run.motion, reference.motion);
            const double force = distance(run.nforce, run.force, reference.force);
            roads++;
            worst = fmax(worst, motion / t.motion);
            if (motion <= t.motion && force <= t.force)
                continue;
            printf("%-16s %-32s motion %.1e, multipliers %.1e\n", m->file, method, motion, force);
            bad++;
        }
    printf("%-16s %d roads, motion within %.2g of what is asked\n", m->file, roads, worst);
    tn_model_destroy(model);
    return bad;
}

static void every_pairing_gives_one_motion_in_joint_coordinates(void)
{
    int bad = 0;
    for (int k = 0; k < TN_COUNT(models); k++)
        bad += check_model(&models[k]);
    CHECK(bad == 0);
}

static const tn_test tests[] = {
    {"every pairing gives one motion in joint coordinates",
     every_pairing_gives_one_motion_in_joint_coordinates},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
