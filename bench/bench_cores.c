// SPDX-License-Identifier: MIT
//
// What more processors give: steps of large models with one thread and with one for each processor,
// and a comparison of methods with one run at a time and with one on each processor, by the clock
// and by processor time, and how much longer the same runs take beside each other. Times are the
// least of some repetitions; on a machine that others use they say little.
//
//     bench_cores [CSV [SIZE [NET [METHOD]]]]
//
// SIZE is that of chains and trees in links and of grids in loops, 100000 and 10000 if not stated;
// NET and METHOD: all of them.

#include "nets.h"
#include "tenon/tenon.h"

#include <stdio.h>
#include <time.h>

enum { REPEATS = 2 };
static const char METHODS[] = "galpha/ggl,bdf/ggl,radau5/ggl,herk5/index2,dop853/index1+project";

static double clock_at(clockid_t clock) // [s]
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop_at(tn_status s)
{
    if (s == TN_OK)
        return;
    fprintf(stderr, "%s\n", tn_last_error());
    exit(1);
}

typedef struct cost {
    double wall, cpu; // of the whole [s]
    double runs;      // sum of what the runs took [s]
} cost;

static cost compare_with(const char *path, int jobs)
{
    cost least = {INFINITY, INFINITY, INFINITY};
    for (int k = 0; k < REPEATS; k++) {
        tn_model *model = NULL;
        tn_compare *compare = NULL;
        tn_simulate simulate;
        tn_compare_options options = tn_default_compare();
        options.jobs = jobs;
        options.methods = METHODS;
        options.tols = "1e-4,1e-6";
        stop_at(tn_model_load(path, &model, &simulate));
        stop_at(tn_compare_create(model, &simulate, &options, &compare));
        const double wall = clock_at(CLOCK_MONOTONIC), cpu = clock_at(CLOCK_PROCESS_CPUTIME_ID);
        stop_at(tn_compare_run(compare));
        least.wall = fmin(least.wall, clock_at(CLOCK_MONOTONIC) - wall);
        least.cpu = fmin(least.cpu, clock_at(CLOCK_PROCESS_CPUTIME_ID) - cpu);
        const tn_compare_facts found = tn_compare_found(compare);
        double runs = 0.0;
        for (int i = 0; i < found.nseries; i++)
            for (int n = 0; n < found.series[i].trials.count; n++)
                runs += found.series[i].trials.at[n].done ? found.series[i].trials.at[n].cpu : 0.0;
        least.runs = fmin(least.runs, runs);
        tn_compare_destroy(compare);
        tn_model_destroy(model);
    }
    return least;
}

// Steps -------------------------------------------------------------------------------------------

enum { WARM = 3, STEPS = 12 };

// Steps with one thread and with all, by turns: what else the machine does meets both alike.
static void compare_threads(FILE *csv, const char *kind, int size, const char *method)
{
    net n;
    tn_sim *sim[2] = {NULL, NULL};
    double wall[2] = {INFINITY, INFINITY}, cpu[2] = {INFINITY, INFINITY};
    tn_sim_options options = tn_default_sim();
    net_create(kind, size, &n);
    options.method = method;
    for (int k = 0; k < 2; k++) {
        options.threads = 1 - k; // then auto
        stop_at(tn_sim_create(n.model, &options, &sim[k]));
    }
    for (int i = 0; i < 2 * (WARM + STEPS); i++) {
        const int k = i % 2;
        const double begin = clock_at(CLOCK_MONOTONIC), used = clock_at(CLOCK_PROCESS_CPUTIME_ID);
        stop_at(tn_sim_step(sim[k], 1e-3));
        if (i < 2 * WARM)
            continue;
        wall[k] = fmin(wall[k], clock_at(CLOCK_MONOTONIC) - begin);
        cpu[k] = fmin(cpu[k], clock_at(CLOCK_PROCESS_CPUTIME_ID) - used);
    }
    printf("%-7s %-32s %7d %8.2f %12.3f %12.3f %10.2f\n", kind, method, n.bodies, wall[0] / wall[1],
           1e3 * wall[0], 1e3 * wall[1], cpu[1] / cpu[0]);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%s,%d,%.3g,%.4g,%.4g,%.3g\n", kind, method, n.bodies, wall[0] / wall[1],
                1e3 * wall[0], 1e3 * wall[1], cpu[1] / cpu[0]);
    for (int k = 0; k < 2; k++)
        tn_sim_destroy(sim[k]);
    net_destroy(&n);
}

static void compare_all_threads(FILE *csv, int size, const char *kind, const char *method)
{
    static const char *const absolute[] = {"galpha/ggl@absolute", "bdf/ggl@absolute",
                                           "radau5/ggl@absolute", "dop853/index1+project@absolute"};
    static const char *const joint[] = {"dop853/index1@joint", "dopri5/index1@joint"};
    static const char *const nets[] = {"chain", "grid", "star"};
    if (csv)
        fprintf(csv, "net,method,bodies,faster,1 thread ms,all threads ms,cpu ratio\n");
    printf("%-7s %-32s %7s %8s %12s %12s %10s\n", "steps", "method", "bodies", "faster",
           "1 thread ms", "auto ms", "cpu ratio");
    for (int i = 0; i < 10; i++) {
        const char *name = nets[i / 4];
        const char *by = i < 8 ? absolute[i % 4] : joint[i % 4];
        if ((kind && strcmp(kind, name) != 0) || (method && strcmp(method, by) != 0))
            continue;
        compare_threads(csv, name, size > 0 ? size : i / 4 == 1 ? 10000 : 100000, by);
    }
}

int main(int argc, char **argv)
{
    static const char *const models[] = {"slider_crank", "andrews", "fourbar"};
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    compare_all_threads(csv, argc > 2 ? atoi(argv[2]) : 0, argc > 3 ? argv[3] : NULL,
                        argc > 4 ? argv[4] : NULL);
    if (argc > 3)
        return 0;
    if (csv)
        fprintf(csv, "model,jobs 1 s,jobs auto s,faster,cpu ratio,time of runs ratio\n");
    printf("%-18s %10s %12s %8s %10s %14s\n", "compare", "jobs 1 s", "jobs auto s", "faster",
           "cpu ratio", "time of runs");
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        char path[512];
        snprintf(path, sizeof path, "%s/models/%s.yaml", TN_SOURCE_DIR, models[k]);
        const cost one = compare_with(path, 1), all = compare_with(path, 0);
        printf("%-18s %10.3f %12.3f %8.2f %10.2f %14.2f\n", models[k], one.wall, all.wall,
               one.wall / all.wall, all.cpu / one.cpu, all.runs / one.runs);
        if (csv)
            fprintf(csv, "%s,%.4g,%.4g,%.3g,%.3g,%.3g\n", models[k], one.wall, all.wall,
                    one.wall / all.wall, all.cpu / one.cpu, all.runs / one.runs);
    }
    if (csv)
        fclose(csv);
    return 0;
}
