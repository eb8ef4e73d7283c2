// SPDX-License-Identifier: MIT
//
// What more processors give: a comparison of methods with one run at a time and with one on each
// processor, by the clock and by processor time, and how much longer the same runs take beside each
// other. Times are the least of some repetitions; on a machine that others use they say little.
// With an argument, also as CSV into that file.

#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

int main(int argc, char **argv)
{
    static const char *const models[] = {"slider_crank", "andrews", "fourbar"};
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
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
