// SPDX-License-Identifier: MIT
//
// Cost of a step of galpha/ggl on chains of rigid links, spatial revolute joints, that fall from the
// horizontal, against the number of bodies N: time per step and body, observed exponent between sizes
// and over the whole range from 100, memory per body. With an argument, also as CSV into that file.

#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tn_model *chain(int n)
{
    tn_model *model = tn_model_create();
    tn_set_gravity(model, (tn_vec3){0.0, 0.0, -9.81});
    tn_body last = TN_GROUND;
    for (int k = 0; k < n; k++) {
        tn_body_def link = tn_default_body();
        link.mass = 1.0;
        link.inertia = (tn_vec3){0.01, 0.09, 0.09};
        link.frame.p = (tn_vec3){k + 0.5, 0.0, 0.0};
        const tn_body body = tn_add_body(model, &link);
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_a = last;
        pin.body_b = body;
        pin.frame_a.p = (tn_vec3){k == 0 ? 0.0 : 0.5, 0.0, 0.0};
        pin.frame_b.p = (tn_vec3){-0.5, 0.0, 0.0};
        pin.frame_a.R = pin.frame_b.R = tn_m3_rot_x(-1.5707963267948966); // axis along y
        tn_add_joint(model, &pin);
        last = body;
    }
    return model;
}

// Bytes in use by the library, counted through its allocator.
static size_t in_use;

static void *counted(void *user, void *block, size_t size)
{
    (void)user;
    size_t *head = block ? (size_t *)block - 2 : NULL;
    in_use -= head ? head[0] : 0;
    if (size == 0) {
        free(head);
        return NULL;
    }
    head = realloc(head, size + 2 * sizeof(size_t));
    if (!head)
        return NULL;
    head[0] = size;
    in_use += size;
    return head + 2;
}

int main(int argc, char **argv)
{
    const int sizes[] = {10, 100, 1000, 10000};
    const int steps[] = {2000, 400, 100, 30};
    const int warm = 20; // steps before the clock starts: past the start of the multipliers
    double last_time = 0.0, time_100 = 0.0;
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (csv)
        fprintf(csv,
                "bodies,setup_s,us_per_step,newton_per_step,factor_per_step,library_kB_per_body,"
                "peak_MB\n");
    tn_set_allocator(&(tn_allocator){counted, NULL});
    printf("bodies  set-up [s]  us/step  ns/step/body  exponent  newton/step  factor/step  library "
           "kB/body  peak RSS [MB]\n");
    for (int k = 0; k < 4; k++) {
        tn_model *model = chain(sizes[k]);
        tn_sim_options options = tn_default_sim();
        options.method = "galpha/ggl";
        tn_sim *sim = NULL;
        const double begin = now();
        if (tn_sim_create(model, &options, &sim) != TN_OK) {
            fprintf(stderr, "%s\n", tn_last_error());
            return 1;
        }
        const double ready = now();
        const size_t memory = in_use;
        tn_ledger before, after;
        double start = ready;
        for (int i = 0; i < warm + steps[k]; i++) {
            if (i == warm) {
                tn_sim_ledger(sim, &before);
                start = now();
            }
            if (tn_sim_step(sim, 1e-3) != TN_OK) {
                fprintf(stderr, "%s\n", tn_last_error());
                return 1;
            }
        }
        const double time = (now() - start) / steps[k];
        tn_sim_ledger(sim, &after);
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("%6d  %10.3f  %7.0f  %12.0f  %8.2f  %11.2f  %11.2f  %15.1f  %13.0f\n", sizes[k],
               ready - begin, 1e6 * time, 1e9 * time / sizes[k],
               k ? log(time / last_time) / log((double)sizes[k] / sizes[k - 1]) : NAN,
               (double)(after.newton - before.newton) / steps[k],
               (double)(after.factorizations - before.factorizations) / steps[k],
               (double)memory / 1024.0 / sizes[k], (double)usage.ru_maxrss / 1024.0);
        if (csv)
            fprintf(csv, "%d,%.3f,%.1f,%.2f,%.2f,%.1f,%.0f\n", sizes[k], ready - begin, 1e6 * time,
                    (double)(after.newton - before.newton) / steps[k],
                    (double)(after.factorizations - before.factorizations) / steps[k],
                    (double)memory / 1024.0 / sizes[k], (double)usage.ru_maxrss / 1024.0);
        last_time = time;
        time_100 = sizes[k] == 100 ? time : time_100;
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
    printf("exponent between 100 and 10000 bodies: %.3f\n", log(last_time / time_100) / log(100.0));
    if (csv)
        fclose(csv);
    return 0;
}
