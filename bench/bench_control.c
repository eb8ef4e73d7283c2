// SPDX-License-Identifier: MIT
//
// What a control loop costs: a cart-pole for 2 s, whose motor gets another force every millisecond,
// beside one call of tn_sim_run over the same time with the same steps. The forces are small, so
// that both make the same motion. Error-controlled methods end a step at each millisecond in the
// loop; beside them stands the run that chooses its steps.
//
//     bench_control [CSV]
//
// Times are those of the processor, the least of several runs that alternate.

#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static const char *const text =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "inputs: {force: 0}\n"
    "bodies:\n"
    "  cart: {kind: planar, mass: 1, inertia: 0.1}\n"
    "  pole: {kind: planar, mass: 0.2, inertia: 0.006, initial: {position: [0, 0.3]}}\n"
    "joints:\n"
    "  rail: {kind: prismatic, body: cart, axis: [1, 0, 0]}\n"
    "  hinge: {kind: revolute, bodies: [cart, pole], at: [0, 0], initial: {rate: 1}}\n"
    "forces:\n"
    "  motor: {kind: motor, joint: rail, effort: force}\n";

static const struct {
    const char *method;
    bool controlled;
} cases[] = {
    {"galpha/ggl@joint", false},   {"galpha/ggl@absolute", false}, {"hht/index3@absolute", false},
    {"radau5/ggl@absolute", true}, {"bdf/ggl@absolute", true},     {"dopri5@joint", true},
    {"dop853@joint", true},
};

enum { STEPS = 2000, REPEATS = 9 };
static const double PERIOD = 1e-3; // [s]

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tn_status control(tn_sim *sim, tn_input force, bool controlled)
{
    tn_status s = TN_OK;
    for (int k = 0; k < STEPS && s == TN_OK; k++) {
        s = tn_sim_set_input(sim, force, 1e-6 * sin(0.01 * k));
        if (s == TN_OK)
            s = controlled ? tn_sim_run(sim, (k + 1) * PERIOD, NULL, NULL)
                           : tn_sim_step(sim, PERIOD);
    }
    return s;
}

// Seconds of one run; negative where it fails.
static double measure(const tn_model *model, int k, bool loop)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = cases[k].method;
    options.step = cases[k].controlled ? 0.0 : PERIOD;
    tn_status s = tn_sim_create(model, &options, &sim);
    const double begin = clock_now();
    if (s == TN_OK)
        s = loop ? control(sim, tn_model_find_input(model, "force"), cases[k].controlled)
                 : tn_sim_run(sim, STEPS * PERIOD, NULL, NULL);
    const double taken = clock_now() - begin;
    tn_sim_destroy(sim);
    if (s != TN_OK)
        fprintf(stderr, "%s: %s\n", cases[k].method, tn_last_error());
    return s == TN_OK ? taken : -1.0;
}

int main(int argc, char **argv)
{
    tn_model *model = NULL;
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (tn_model_parse(text, "cart_pole", &model, NULL) != TN_OK)
        return 1;
    if (csv)
        fprintf(csv, "method,run [us per ms],loop [us per ms],ratio\n");
    printf("%-22s %14s %14s %8s\n", "method", "run [us/ms]", "loop [us/ms]", "ratio");
    for (int k = 0; k < (int)(sizeof cases / sizeof cases[0]); k++) {
        double best[2] = {INFINITY, INFINITY};
        for (int i = 0; i < 2 * REPEATS; i++)
            best[i % 2] = fmin(best[i % 2], measure(model, k, i % 2 == 1));
        if (best[0] < 0.0 || best[1] < 0.0)
            return 1;
        const double run = 1e6 * best[0] / STEPS, loop = 1e6 * best[1] / STEPS;
        printf("%-22s %14.2f %14.2f %8.2f\n", cases[k].method, run, loop, loop / run);
        if (csv)
            fprintf(csv, "%s,%.3f,%.3f,%.3f\n", cases[k].method, run, loop, loop / run);
    }
    if (csv)
        fclose(csv);
    tn_model_destroy(model);
    return 0;
}
