// SPDX-License-Identifier: MIT
//
// Many four-link chains at once: time of one step of one instance on one core, by an ensemble and
// by separate simulations of the same method with the same steps; how two threads share the work.
// Chains in space have skew axes, chains in the plane are planar bodies. With an argument, also as
// CSV into that file.

#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LINKS = 4, INSTANCES = 10000, SEPARATE = 100, STEPS = 20, REPEATS = 3 };
static const double STEP = 1e-3;

static double clock_at(clockid_t clock) // [s]
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tn_model *chain(bool flat)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, flat ? (tn_vec3){0.0, -9.81, 0.0} : (tn_vec3){0.0, 0.0, -9.81});
    tn_body last = TN_GROUND;
    for (int k = 0; k < LINKS; k++) {
        tn_body_def link = tn_default_body();
        link.kind = flat ? TN_BODY_PLANAR : TN_BODY_RIGID;
        link.mass = 1.0;
        link.inertia = (tn_vec3){0.01, 0.09, 0.09};
        link.frame.p = (tn_vec3){k + 0.5, 0.0, 0.0};
        const tn_body body = tn_model_add_body(model, &link);
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_a = last;
        pin.body_b = body;
        pin.frame_a.p = (tn_vec3){k == 0 ? 0.0 : 0.5, 0.0, 0.0};
        pin.frame_b.p = (tn_vec3){-0.5, 0.0, 0.0};
        if (!flat)
            pin.frame_a.R = pin.frame_b.R = tn_m3_rot_x(-1.5 + 0.7 * k);
        tn_model_add_joint(model, &pin);
        last = body;
    }
    return model;
}

static void stop_at(tn_status s)
{
    if (s == TN_OK)
        return;
    fprintf(stderr, "%s\n", tn_last_error());
    exit(1);
}

// Processor time of one step of one separate simulation, the least of some.
static double separate(const tn_model *model, const char *method)
{
    double least = INFINITY;
    for (int i = 0; i < SEPARATE; i++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = method;
        options.step = STEP;
        stop_at(tn_sim_create(model, &options, &sim));
        const double begin = clock_at(CLOCK_PROCESS_CPUTIME_ID);
        stop_at(tn_sim_run(sim, STEPS * STEP, NULL, NULL));
        least = fmin(least, clock_at(CLOCK_PROCESS_CPUTIME_ID) - begin);
        tn_sim_destroy(sim);
    }
    return least / STEPS;
}

// Time of one step of one instance by the clock, the least of some runs.
static double together(const tn_model *model, const char *method, int threads, clockid_t clock)
{
    tn_ensemble_options options = tn_default_ensemble();
    tn_ensemble *ensemble = NULL;
    double least = INFINITY;
    options.method = method;
    options.step = STEP;
    options.threads = threads;
    stop_at(tn_ensemble_create(model, INSTANCES, &options, &ensemble));
    for (int i = 0; i < INSTANCES; i++)
        stop_at(tn_ensemble_set_joint(ensemble, i, (tn_joint){0}, 1e-4 * i, 0.0));
    for (int k = 1; k <= REPEATS; k++) {
        const double begin = clock_at(clock);
        stop_at(tn_ensemble_run(ensemble, k * STEPS * STEP));
        least = fmin(least, clock_at(clock) - begin);
    }
    tn_ensemble_destroy(ensemble);
    return least / ((double)STEPS * INSTANCES);
}

int main(int argc, char **argv)
{
    static const char *const methods[] = {"dopri5", "dop853"};
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (csv)
        fprintf(csv, "chain,method,separate us,ensemble us,ratio,two threads\n");
    printf("%d chains of %d links, time of one step of one chain\n", INSTANCES, LINKS);
    printf("%-8s %-8s %12s %12s %8s %12s\n", "chain", "method", "separate us", "ensemble us",
           "ratio", "two threads");
    for (int k = 0; k < 4; k++) {
        const bool flat = k / 2 == 1;
        const char *method = methods[k % 2], *name = flat ? "plane" : "space";
        char full[64];
        snprintf(full, sizeof full, "%s/index1@joint", method);
        tn_model *model = chain(flat);
        const double alone = 1e6 * separate(model, full);
        const double one = 1e6 * together(model, method, 1, CLOCK_PROCESS_CPUTIME_ID);
        const double wall[2] = {together(model, method, 1, CLOCK_MONOTONIC),
                                together(model, method, 2, CLOCK_MONOTONIC)};
        printf("%-8s %-8s %12.3f %12.3f %8.2f %12.2f\n", name, method, alone, one, alone / one,
               wall[0] / wall[1]);
        if (csv)
            fprintf(csv, "%s,%s,%.4g,%.4g,%.3g,%.3g\n", name, method, alone, one, alone / one,
                    wall[0] / wall[1]);
        tn_model_destroy(model);
    }
    if (csv)
        fclose(csv);
    return 0;
}
