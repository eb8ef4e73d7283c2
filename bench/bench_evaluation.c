// SPDX-License-Identifier: MIT
//
// What an evaluation of the equations of motion costs within a simulation, beside equations written
// by hand. Ratios come first; both sides alternate, and times are the least of the processor.
//
//     bench_evaluation [CSV [PART [SECONDS]]]        PART: all, andrews, andrews@joint, forward ...
//
// - Runs (runs.h) of a chain of 4 links, Andrews' mechanism and ten coupled four-bars, all to the
//   same tolerance: time of the run by its evaluations, and by its steps that were tried.
// - Forward dynamics: fixed steps of DOP853 of chains with random axes (revolute_trees.h), time by
//   evaluations and bodies, beside the kernel for revolute joints alone.
// - A humanoid of 35 freedoms: steps of generalized-alpha in absolute beside joint coordinates.

#include "../tests/reference/humanoid_data.h"
#include "revolute_trees.h"
#include "runs.h"

static double seconds = 2.0; // for each line
static const char *part = NULL;
static FILE *csv = NULL;

static bool wanted(const char *name)
{
    return !part || !strcmp(part, "all") || !strcmp(part, name);
}

static void put_line(const char *name, const char *method, double ratio, double other, double time,
                     double hand, long steps, long evaluations)
{
    printf("%6.2f  %6.2f  %-10s %-34s %10.4f %10.4f %7ld %8ld\n", ratio, other, name, method,
           1e6 * time, 1e6 * hand, steps, evaluations);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%s,%.3f,%.3f,%.5f,%.5f,%ld,%ld\n", name, method, ratio, other, 1e6 * time,
                1e6 * hand, steps, evaluations);
}

// Runs --------------------------------------------------------------------------------------------

static void compare_run(const problem *p, const char *coordinates)
{
    static const double tol = 1e-7;
    char method[80];
    double out[2 * BARS + 2];
    snprintf(method, sizeof method, "%s@%s", p->method, coordinates);
    char both[80];
    snprintf(both, sizeof both, "%s@%s", p->name, coordinates);
    if (!wanted(p->name) && !wanted(both))
        return;
    result hand = run_by_hand(p, NULL, tol, out), tenon = run_by_tenon(p, method, tol, out);
    for (const double begin = clock_now(); tenon.done && clock_now() - begin < seconds;) {
        hand.run = fmin(hand.run, run_by_hand(p, NULL, tol, out).run);
        tenon.run = fmin(tenon.run, run_by_tenon(p, method, tol, out).run);
    }
    const double one = tenon.run / (double)tenon.evaluations;
    const double one_by_hand = hand.run / (double)hand.evaluations;
    const double tries = (double)(tenon.steps + tenon.rejected);
    const double tries_by_hand = (double)(hand.steps + hand.rejected);
    put_line(p->name, method, one / one_by_hand, tenon.run / tries / (hand.run / tries_by_hand),
             one, one_by_hand, tenon.steps + tenon.rejected, tenon.evaluations);
}

// Forward dynamics --------------------------------------------------------------------------------

static tn_sim *simulation(const tn_model *model, const char *method)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = 1e-3;
    tn_sim *sim = NULL;
    if (tn_sim_create(model, &options, &sim) != TN_OK)
        fprintf(stderr, "%s\n", tn_last_error());
    return sim;
}

// Seconds of `count` steps of h.
static double time_steps(tn_sim *sim, double h, int count)
{
    const double begin = clock_now();
    for (int i = 0; i < count; i++)
        if (tn_sim_step(sim, h) != TN_OK) {
            fprintf(stderr, "%s\n", tn_last_error());
            return INFINITY;
        }
    return clock_now() - begin;
}

static long evaluations_of(const tn_sim *sim)
{
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    return ledger.evaluations;
}

static double time_kernel(kernel *k, shape form, const double *q, const double *v, double *a,
                          int count)
{
    const double begin = clock_now();
    for (int i = 0; i < count; i++)
        kernel_run(k, form, q, v, a);
    return clock_now() - begin;
}

static void compare_forward(int n, shape form)
{
    static const char *method = "dop853/index1@joint";
    char name[20];
    snprintf(name, sizeof name, "%s%d", names[form], n);
    if (!wanted("forward") && !wanted(name))
        return;
    tn_model *model = mechanism(n, form);
    tn_tree *base = NULL;
    int *below = malloc((size_t)n * sizeof *below);
    double *q = calloc((size_t)n * 3, sizeof *q), *v = q + n, *a = v + n;
    tn_sim *sim = simulation(model, method);
    if (!sim || tn_tree_create(model, &base) != TN_OK)
        return;
    for (int i = 0; i < n; i++)
        q[i] = 3.0 * uniform(), v[i] = uniform();
    kernel k = kernel_of(base, form, below);
    const int steps = n < 1000 ? 1000 / n : 1, count = 12 * steps;
    double hand = 1e9, tenon = 1e9;
    const long before = evaluations_of(sim);
    long tried = 0;
    for (const double begin = clock_now(); clock_now() - begin < seconds; tried += steps) {
        hand = fmin(hand, time_kernel(&k, form, q, v, a, count));
        tenon = fmin(tenon, time_steps(sim, 1e-7, steps));
    }
    const long all = evaluations_of(sim) - before;
    const double each = (double)all / (double)tried * steps * n;
    put_line(name, method, tenon / each / (hand / (count * n)), NAN, tenon / each,
             hand / (count * n), tried, all);
    tn_sim_destroy(sim);
    free_kernel(&k);
    tn_tree_destroy(base);
    tn_model_destroy(model);
    free(below);
    free(q);
}

// Humanoid ----------------------------------------------------------------------------------------

static tn_model *humanoid_model(void)
{
    tn_body id[HUMANOID_BODIES];
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){0.0, 0.0, -9.8});
    for (int k = 0; k < HUMANOID_BODIES; k++) {
        const humanoid_body *b = &humanoid[k];
        tn_body_def body = tn_default_body();
        body.mass = b->mass;
        body.com = b->com;
        body.inertia = (tn_vec3){1.0, 1.0, 1.0};
        id[k] = tn_model_add_body(model, &body);
        if (b->below < 0)
            continue;
        tn_joint_def pin = tn_default_joint(TN_JOINT_REVOLUTE);
        pin.body_a = id[b->below];
        pin.body_b = id[k];
        pin.frame_a.p = b->at;
        pin.frame_a.R = pin.frame_b.R = b->axis == 'x'   ? tn_m3_rot_y(1.5707963267948966)
                                        : b->axis == 'y' ? tn_m3_rot_x(-1.5707963267948966)
                                                         : tn_m3_identity;
        pin.nrate = 1;
        pin.rate[0] = k % 2 ? 0.5 : -0.4;
        pin.nposition = 1;
        pin.position[0] = k % 3 ? 0.2 : -0.3;
        tn_model_add_joint(model, &pin);
    }
    return model;
}

static void compare_humanoid(const char *method)
{
    char other[80], first[80];
    snprintf(first, sizeof first, "%s@joint", method);
    snprintf(other, sizeof other, "%s@absolute", method);
    if (!wanted("humanoid") && !wanted(method))
        return;
    enum { STEPS = 200 };
    tn_model *model = humanoid_model();
    double joint = 1e9, absolute = 1e9;
    tn_ledger ledger = {0};
    for (const double begin = clock_now(); clock_now() - begin < seconds;) {
        tn_sim *a = simulation(model, first), *b = simulation(model, other);
        if (!a || !b)
            return;
        joint = fmin(joint, time_steps(a, 1e-3, STEPS) / STEPS);
        absolute = fmin(absolute, time_steps(b, 1e-3, STEPS) / STEPS);
        tn_sim_ledger(b, &ledger);
        tn_sim_destroy(a);
        tn_sim_destroy(b);
    }
    put_line("humanoid", other, absolute / joint, NAN, absolute, joint, ledger.factorizations,
             ledger.newton);
    tn_model_destroy(model);
}

int main(int argc, char **argv)
{
    csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    part = argc > 2 ? argv[2] : NULL;
    seconds = argc > 3 ? atof(argv[3]) : seconds;
    hand_fourbars bars;
    hand_chain links = hand_chain_create(4);
    const problem problems[] = {chain_problem(4, "chain4", &links), andrews_problem(),
                                fourbars_problem(&bars)};
    if (csv)
        fprintf(csv, "problem,method,ratio,ratio_per_step,us,us_by_hand,steps,evaluations\n");
    printf("ratio per\n  eval.    step  problem    method                              us/eval.   "
           " by hand   steps    evals\n");
    for (size_t i = 0; i < TN_COUNT(problems); i++) {
        compare_run(&problems[i], "joint");
        compare_run(&problems[i], "absolute");
    }
    for (int n = 10; n <= 1000; n *= 10)
        compare_forward(n, CHAIN);
    for (int n = 10; n <= 1000; n *= 10)
        compare_forward(n, PLANAR);
    printf("\nabsolute: joint                                           us/step       joint  "
           "factors   Newton\n");
    compare_humanoid("galpha/ggl");
    compare_humanoid("galpha/index3");
    hand_chain_destroy(&links);
    if (csv)
        fclose(csv);
    return 0;
}
