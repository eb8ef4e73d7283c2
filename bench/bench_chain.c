// SPDX-License-Identifier: MIT
//
// Cost of a step of galpha/ggl on chains of rigid links, spatial revolute joints, that fall from
// the horizontal, against the number of bodies N: processor time per step and body, observed
// exponent between sizes and over the whole range from 100, memory per body. With an argument, also
// as CSV into that file.

#include "counted_memory.h"
#include "tenon/tenon.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) // processor time of this program [s]
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tn_model *chain(int n)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, 0.0, -9.81});
    tn_body last = TN_GROUND;
    for (int k = 0; k < n; k++) {
        tn_body_def link = tn_default_body();
        link.mass = 1.0;
        link.inertia = (tn_vec3){0.01, 0.09, 0.09};
        link.frame.p = (tn_vec3){k + 0.5, 0.0, 0.0};
        const tn_body body = tn_model_add_body(model, &link);
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_a = last;
        pin.body_b = body;
        pin.frame_a.p = (tn_vec3){k == 0 ? 0.0 : 0.5, 0.0, 0.0};
        pin.frame_b.p = (tn_vec3){-0.5, 0.0, 0.0};
        pin.frame_a.R = pin.frame_b.R = tn_m3_rot_x(-1.5707963267948966); // axis along y
        tn_model_add_joint(model, &pin);
        last = body;
    }
    return model;
}

// One run: 20 steps to get past the start, then 40 that count, the same stretch of time for all N.
typedef struct cost {
    double setup, time;    // [s], for all steps that count
    double newton, factor; // per step
    size_t memory;         // of the library [bytes]
} cost;

enum { WARM = 20, STEPS = 40 };

static bool run(int n, cost *out)
{
    tn_model *model = chain(n);
    tn_sim_options options = tn_default_sim();
    options.method = "galpha/ggl";
    tn_sim *sim = NULL;
    tn_ledger before = {0}, after;
    const double begin = now();
    tn_status status = tn_sim_create(model, &options, &sim);
    double start = now();
    out->setup = start - begin;
    out->memory = in_use;
    for (int i = 0; status == TN_OK && i < WARM + STEPS; i++) {
        if (i == WARM) {
            tn_sim_ledger(sim, &before);
            start = now();
        }
        status = tn_sim_step(sim, 1e-3);
    }
    out->time += now() - start;
    if (status == TN_OK) {
        tn_sim_ledger(sim, &after);
        out->newton = (double)(after.newton - before.newton) / STEPS;
        out->factor = (double)(after.factorizations - before.factorizations) / STEPS;
    } else
        fprintf(stderr, "%s\n", tn_last_error());
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return status == TN_OK;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {10, 100, 1000, 10000}, repeats[] = {100, 20, 3, 1};
    double last = 0.0, at_100 = 0.0;
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (csv)
        fprintf(csv, "bodies,setup_s,us_per_step,newton_per_step,factor_per_step,kB_per_body\n");
    tn_set_allocator(&(tn_allocator){counted, NULL});
    printf(
        "bodies  set-up [s]  us/step  ns/step/body  exponent  newton/step  factor/step  kB/body\n");
    for (int k = 0; k < 4; k++) {
        const int n = sizes[k];
        cost c = {0};
        for (int i = 0; i < repeats[k]; i++)
            if (!run(n, &c))
                return 1;
        const double time = c.time / repeats[k] / STEPS;
        const double memory = (double)c.memory / 1024.0 / n;
        printf("%6d  %10.3f  %7.0f  %12.0f  %8.2f  %11.2f  %11.2f  %7.1f\n", n, c.setup, 1e6 * time,
               1e9 * time / n, k ? log(time / last) / log((double)n / sizes[k - 1]) : NAN, c.newton,
               c.factor, memory);
        fflush(stdout);
        if (csv)
            fprintf(csv, "%d,%.3f,%.1f,%.2f,%.2f,%.1f\n", n, c.setup, 1e6 * time, c.newton,
                    c.factor, memory);
        last = time;
        at_100 = n == 100 ? time : at_100;
    }
    printf("exponent between 100 and 10000 bodies: %.3f\n", log(last / at_100) / log(100.0));
    if (csv)
        fclose(csv);
    return 0;
}
