// SPDX-License-Identifier: MIT
//
// Very long chains in joint coordinates: N planar rods of 1 m and 1 kg on pins, straight and at
// rest 30 degrees below the horizontal, are let go and fall for 1 s, by dopri5 and by radau5 with
// the topological solver. The pull of what hangs below makes waves that run along the chain at up
// to sqrt(N g / 2) links per second, so that steps of explicit methods shrink like N^-1/2.
//
//     bench_long [CSV [MOST [METHOD]]]      MOST links, 10^5 if not stated
//
// Steps and evaluations, processor time per step and body, the largest error of energy by the
// energy that the fall has exchanged, and what the library has in use for each body. Two threads
// that simulate a chain of 40 links over and over close the table: how much longer they take at
// once than one of them alone.

#include "counted_memory.h"
#include "tenon/tenon.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double TOLERANCE = 1e-6;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tn_model *chain(int n)
{
    const double angle = -M_PI / 6.0, x = cos(angle), y = sin(angle);
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, -9.81, 0.0});
    tn_body last = TN_GROUND;
    for (int k = 0; k < n; k++) {
        tn_body_def rod = tn_default_body();
        rod.kind = TN_BODY_PLANAR;
        rod.mass = 1.0;
        rod.inertia.z = 1.0 / 12.0;
        rod.frame = (tn_frame){tn_m3_rot_z(angle), {(k + 0.5) * x, (k + 0.5) * y, 0.0}};
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_a = last;
        pin.body_b = last = tn_model_add_body(model, &rod);
        pin.frame_a.p = (tn_vec3){k > 0 ? 0.5 : 0.0, 0.0, 0.0};
        pin.frame_b.p = (tn_vec3){-0.5, 0.0, 0.0};
        tn_model_add_joint(model, &pin);
    }
    return model;
}

typedef struct result {
    tn_status status;
    double build, create, run; // processor time [s]
    size_t memory;             // [bytes]
    tn_ledger ledger;
} result;

static result simulate(int n, const char *method)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = TOLERANCE;
    result r = {.memory = in_use};
    tn_sim *sim = NULL;
    const double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
    tn_model *model = chain(n);
    const double built = seconds(CLOCK_THREAD_CPUTIME_ID);
    r.status = tn_sim_create(model, &options, &sim);
    r.memory = in_use - r.memory;
    const double ready = seconds(CLOCK_THREAD_CPUTIME_ID);
    if (r.status == TN_OK)
        r.status = tn_sim_run(sim, 1.0, NULL, NULL);
    const double end = seconds(CLOCK_THREAD_CPUTIME_ID);
    r.build = built - begin, r.create = ready - built, r.run = end - ready;
    if (r.status == TN_OK)
        tn_sim_ledger(sim, &r.ledger);
    else
        fprintf(stderr, "%d links, %s: %s\n", n, method, tn_last_error());
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return r;
}

static bool report(int n, const char *method, FILE *csv)
{
    const result r = simulate(n, method);
    const tn_ledger *l = &r.ledger;
    if (r.status != TN_OK)
        return false;
    const double each = 1e9 * r.run / n / (double)(l->steps + l->rejected);
    const double energy = l->max_balance / l->energy_scale, bytes = (double)r.memory / n;
    printf("%7d  %-22s %6ld %4ld %7ld %7.2f %8.2f %9.0f  %8.1e %8.0f\n", n, method, l->steps,
           l->rejected, l->evaluations, r.build + r.create, r.run, each, energy, bytes);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%d,%s,%ld,%ld,%ld,%.3f,%.3f,%.3f,%.1f,%.2e,%.0f\n", n, method, l->steps,
                l->rejected, l->evaluations, r.build, r.create, r.run, each, energy, bytes);
    return true;
}

// Two at once -------------------------------------------------------------------------------------

enum { PAIR_LINKS = 40, PAIR_RUNS = 100 };

typedef struct task {
    pthread_t thread;
    const char *method;
    double processor; // time that it took [s]
} task;

static void *work(void *user)
{
    task *t = user;
    const double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < PAIR_RUNS; i++)
        simulate(PAIR_LINKS, t->method);
    t->processor = seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
    return NULL;
}

typedef struct cost {
    double wall, processor; // [s], the latter of one thread
} cost;

// The least of some times for `count` threads that do the same.
static cost at_once(int count, const char *method)
{
    cost least = {INFINITY, INFINITY};
    for (int run = 0; run < 5; run++) {
        task tasks[2] = {{.method = method}, {.method = method}};
        const double begin = seconds(CLOCK_MONOTONIC);
        for (int i = 0; i < count; i++)
            pthread_create(&tasks[i].thread, NULL, work, &tasks[i]);
        for (int i = 0; i < count; i++)
            pthread_join(tasks[i].thread, NULL);
        least.wall = fmin(least.wall, seconds(CLOCK_MONOTONIC) - begin);
        least.processor = fmin(least.processor, fmax(tasks[0].processor, tasks[1].processor));
    }
    return least;
}

static void report_pair(const char *method, FILE *csv)
{
    const cost one = at_once(1, method), two = at_once(2, method);
    const double wall = two.wall / one.wall, processor = two.processor / one.processor;
    printf("two at once, %d links, %s: %.3f times the time of one, %.3f times its processor time\n",
           PAIR_LINKS, method, wall, processor);
    if (csv)
        fprintf(csv, "two at once,%s,%.3f,%.3f\n", method, wall, processor);
}

int main(int argc, char **argv)
{
    static const char *const methods[] = {"dopri5/index1@joint", "radau5/index1@joint"};
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    const int most = argc > 2 ? atoi(argv[2]) : 100000;
    const char *only = argc > 3 ? argv[3] : NULL;
    tn_set_allocator(&(tn_allocator){counted, NULL});
    if (csv)
        fprintf(csv, "links,method,steps,rejected,evaluations,build_s,create_s,run_s,"
                     "ns_per_step_and_link,energy_error,bytes_per_link\n");
    printf("  links  method                  steps rej.   evals set-up s    run s  "
           "ns/step/link  energy  bytes/link\n");
    for (int k = 0; k < 2; k++)
        for (int n = 1000; n <= most; n *= 10)
            if ((!only || !strcmp(only, methods[k])) && !report(n, methods[k], csv))
                return 1;
    for (int k = 0; k < 2; k++)
        if (!only || !strcmp(only, methods[k]))
            report_pair(methods[k], csv);
    if (csv)
        fclose(csv);
    return 0;
}
