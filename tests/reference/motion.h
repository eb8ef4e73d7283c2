// SPDX-License-Identifier: MIT
//
// Mechanisms whose motion and reactions are known in closed form, judged under several methods: the
// largest deviation over a run is at round-off, or falls with the square of the step.

#pragma once

#include "mechanism.h"

// Largest deviations of the coordinates and of the reactions.
typedef struct deviation {
    double motion, force;
} deviation;

// What a mechanism consists of; which entry is which is agreed between `build` and `compare`.
typedef struct rig {
    part part[3];
    tn_joint joint[5];
} rig;

typedef struct motion {
    const char *name;
    void (*build)(tn_model *model, rig *r);
    deviation (*compare)(tn_sim *sim, const rig *r, double t);
    double step, end; // [s]
    deviation bound;  // at that step, where the motion is not exact
    bool exact;       // in so3 the method has no error for this motion
} motion;

typedef struct variant {
    const char *method, *rotation;
} variant;

static const variant variants[] = {
    {"galpha/ggl", "so3"},    {"galpha/ggl", "se3"}, {"galpha/index3", "so3"},
    {"galpha/index3", "se3"}, {"hht/ggl", "so3"},    {"galpha/index2", "so3"},
};

static inline deviation deviation_of(const motion *m, const variant *how, double h)
{
    deviation worst = {0.0, 0.0};
    rig r = {0};
    tn_model *model = tn_model_create();
    m->build(model, &r);
    tn_sim_options options = tn_default_sim();
    options.method = how->method;
    options.rotation = how->rotation;
    options.step = h;
    options.corrected_start = true;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    const int steps = (int)lround(m->end / h);
    for (int k = 1; k <= steps; k++) {
        CHECK_OK(tn_sim_step(sim, h));
        const deviation d = m->compare(sim, &r, k * h);
        // Written so that NaN stays.
        worst.motion = d.motion <= worst.motion ? worst.motion : d.motion;
        worst.force = d.force <= worst.force ? worst.force : d.force;
    }
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return worst;
}

static inline void check_order(double coarse, double fine, double bound, double round_off)
{
    CHECK_NEAR(coarse, 0.0, fmax(bound, round_off));
    if (!(coarse <= round_off))
        CHECK_NEAR(log2(coarse / fine), 2.0, 0.2);
}

static inline void judge(const motion *m)
{
    // Positions of size ten, and forces of size ten that feel round-off of positions over h^2 and
    // what the corrector leaves of the multipliers.
    const double ROUND_OFF = 1e-10, FORCE_ROUND_OFF = 1e-6;
    for (int j = 0; j < TN_COUNT(variants); j++) {
        const bool exact = m->exact && strcmp(variants[j].rotation, "so3") == 0;
        const deviation coarse = deviation_of(m, &variants[j], m->step);
        printf("%-15s %-13s %s  motion %.1e  force %.1e", m->name, variants[j].method,
               variants[j].rotation, coarse.motion, coarse.force);
        if (exact) {
            printf("\n");
            CHECK_NEAR(coarse.motion, 0.0, ROUND_OFF);
            CHECK_NEAR(coarse.force, 0.0, FORCE_ROUND_OFF);
            continue;
        }
        const deviation fine = deviation_of(m, &variants[j], 0.5 * m->step);
        printf("  orders %.2f %.2f\n", log2(coarse.motion / fine.motion),
               log2(coarse.force / fine.force));
        check_order(coarse.motion, fine.motion, m->bound.motion, ROUND_OFF);
        check_order(coarse.force, fine.force, m->bound.force, FORCE_ROUND_OFF);
    }
}

static inline double worse_of(double a, double b)
{
    return a <= b ? b : a;
}

// Largest difference of force and moment.
static inline double wrench_distance(tn_wrench a, tn_vec3 f, tn_vec3 m)
{
    return worse_of(distance(a.f, f), distance(a.m, m));
}
