// SPDX-License-Identifier: MIT
//
// Table 1 of [LMO08]: the six-body linkage by every form of every integrator with discrete
// equations. Unknowns, processor time per step and the condition of the iteration matrix for steps
// of 1e-2, 1e-3 and 1e-4 s; the last as it is, and for multipliers also scaled back to unknowns q1
// and lambda, as in the paper. Arguments: a file for the table, and the path of the model where it
// is not models/six_body_linkage.yaml.

#include "integrator/integrator.h"
#include "linalg/dense.h"
#include "sim/sim.h"
#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double steps[] = {1e-2, 1e-3, 1e-4};
enum { STEPS = 3, WARM = 20, COUNT = 1000, REPEAT = 3 };

static double now(void) // processor time of this program [s]
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// In the 2-norm, of the last matrix; rows and columns of multipliers that are left out stay out.
// Scaled back, unknowns are q1 = q0 + h u and lambda = J / (share h), rows of momenta those of the
// paper, 1 / share of ours, and those of constraints g instead of g / h. share 0: as it is.
static double condition(const tn_discrete *d, double share, int *unknowns)
{
    const int nv = d->sys->nv, n = d->n;
    const bool multipliers = n == nv + d->sys->ng;
    double *full = malloc(sizeof(double) * (size_t)(n * n + n)), *s = full + n * n, *to = full;
    int m = 0;
    if (!full)
        exit(1);
    d->ops->dense(d, full);
    for (int j = 0; j < n; j++) {
        if (multipliers && j >= nv && !d->active[j - nv])
            continue;
        m++;
        for (int i = 0; i < n; i++) {
            if (multipliers && i >= nv && !d->active[i - nv])
                continue;
            const double row = i >= nv ? d->h : 1.0 / share;
            const double column = j >= nv ? share * d->h : 1.0 / d->h;
            *to++ = (share > 0.0 ? row * column : 1.0) * full[i + j * n];
        }
    }
    *unknowns = m;
    const double value = tn_singular_values(m, m, full, s) == TN_OK ? s[0] / s[m - 1] : NAN;
    free(full);
    return value;
}

typedef struct line {
    int unknowns;
    double time[STEPS], iterations[STEPS];       // per step
    double condition[STEPS], scaled_back[STEPS]; // the latter NAN where it means nothing
} line;

static tn_status run(const tn_model *model, const char *method, int k, line *out)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = steps[k];
    tn_sim *sim = NULL;
    tn_ledger before = {0}, after = {0};
    tn_status status = tn_sim_create(model, &options, &sim);
    double start = 0.0;
    for (int i = 0; status == TN_OK && i < WARM + COUNT; i++) {
        if (i == WARM) {
            tn_sim_ledger(sim, &before);
            start = now();
        }
        status = tn_sim_step(sim, options.step);
    }
    if (status == TN_OK) {
        out->time[k] = fmin(out->time[k], (now() - start) / COUNT);
        tn_sim_ledger(sim, &after);
        out->iterations[k] = (double)(after.newton - before.newton) / COUNT;
        const tn_discrete *d = sim->discrete;
        const double share = strstr(method, "energy-momentum") ? 0.5 : 1.0;
        out->condition[k] = condition(d, 0.0, &out->unknowns);
        out->scaled_back[k] =
            d->n == d->sys->nv + d->sys->ng ? condition(d, share, &out->unknowns) : NAN;
    }
    tn_sim_destroy(sim);
    return status;
}

static void print_line(const char *method, const line *l)
{
    printf("%-36s %4d ", method, l->unknowns);
    for (int k = 0; k < STEPS; k++)
        printf(" %7.3f (%.1f)", 1e3 * l->time[k], l->iterations[k]);
    for (int k = 0; k < STEPS; k++)
        printf(" %8.1e", l->condition[k]);
    for (int k = 0; k < STEPS && isfinite(l->scaled_back[0]); k++)
        printf(" %8.1e", l->scaled_back[k]);
    printf("\n");
}

static void write_lines(FILE *csv, const char *method, const line *l)
{
    for (int k = 0; csv && k < STEPS; k++)
        fprintf(csv, "%s,%d,%g,%.4f,%.2f,%.3g,%.3g\n", method, l->unknowns, steps[k],
                1e3 * l->time[k], l->iterations[k], l->condition[k], l->scaled_back[k]);
}

static void measure(const tn_model *model, const char *method, FILE *csv)
{
    line l = {.time = {INFINITY, INFINITY, INFINITY}};
    for (int i = 0; i < REPEAT * STEPS; i++)
        if (run(model, method, i % STEPS, &l) != TN_OK) {
            printf("%-36s %s\n", method, tn_last_error());
            return;
        }
    print_line(method, &l);
    write_lines(csv, method, &l);
}

int main(int argc, char **argv)
{
    tn_model *model = NULL;
    const char *path = argc > 2 ? argv[2] : "models/six_body_linkage.yaml";
    if (tn_model_load(path, &model, NULL) != TN_OK) {
        fprintf(stderr, "%s\n", tn_last_error());
        return 1;
    }
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (csv)
        fprintf(csv, "method,unknowns,h,ms_per_step,iterations,condition,as_in_the_paper\n");
    printf("%-36s %4s  %-39s %-26s %s\n", "method", "n", "ms per step (iterations) at h = 1e-2 ...",
           "condition", "as in the paper");
    for (int i = 0; i < tn_integrator_count; i++)
        for (int f = 0; f < tn_formulation_count; f++) {
            char method[80];
            if (!(tn_integrators[i]->needs & tn_formulations[f]->offers & TN_VIEW_DISCRETE))
                continue;
            snprintf(method, sizeof method, "%s/%s@director", tn_integrators[i]->name,
                     tn_formulations[f]->name);
            measure(model, method, csv);
        }
    if (csv)
        fclose(csv);
    tn_model_destroy(model);
    return 0;
}
