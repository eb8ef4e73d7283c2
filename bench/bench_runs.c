// SPDX-License-Identifier: MIT
//
// Whole runs beside equations written by hand: pendulum chains of 4, 40 and 400 links, 1 m
// together, that fall from 45 degrees below the horizontal for 1 s, Andrews' mechanism for 0.05 s,
// and ten coupled four-bars (IFToMM A02) for 10 s, each to 1e-6. Both sides use DOP853, by hand in
// plain_dop853.h, and each takes the loosest tolerance by which its error at the end is below 1e-6,
// against a run by hand with a tight tolerance or, for the four-bars, the pendulum that they are on
// their regular branch. Errors are those of positions in metres, of Andrews' mechanism of angles,
// by 1 + |x|.
//
//     bench_runs [CSV [METHOD [PROBLEM]]]
//
// By hand, chains are O(N) recursions, and mechanisms with loops one full matrix of accelerations
// and multipliers in each evaluation; what blocks gain over that stands beside them.
// Times are those of the processor, the least of several runs; Tenon's are those of tn_sim_run, and
// set-up by tn_sim_create stands beside them.

#include "runs.h"

static const double GOAL = 1e-6;

static double error_of(const problem *p, const double *out, const double *exact)
{
    double error = 0.0;
    for (int i = 0; i < p->nout; i++)
        error = fmax(error, fabs(out[i] - exact[i]) / (1.0 + fabs(exact[i])));
    return error;
}

// Tolerances from loose to tight, in half decades; the first that meets the goal, unless by chance
// (the next one misses it), and the least times with it.
static result measure(const problem *p, runner run, const char *method, const double *exact)
{
    double *out = malloc((size_t)p->nout * sizeof *out);
    result best = {0};
    for (int half = 6; half <= 18; half++) {
        result r = run(p, method, pow(10.0, -0.5 * half), out);
        r.error = r.done ? error_of(p, out, exact) : INFINITY;
        const bool good = r.error <= GOAL;
        if (good && best.done)
            break;
        best = good ? r : (result){0};
    }
    const double begin = clock_now();
    for (int i = 0; best.done && i < 200 && (i < 2 || clock_now() - begin < 1.0); i++) {
        const result r = run(p, method, best.tol, out);
        best.create = fmin(best.create, r.create);
        best.run = fmin(best.run, r.run);
    }
    free(out);
    return best;
}

static void report(const problem *p, const char *method, const result *r, double hand, FILE *csv)
{
    if (!r->done) {
        printf("%-10s %-34s %s\n", p->name, method, tn_last_error());
        return;
    }
    printf("%-10s %-34s %8.1e %6ld %5ld %7ld  %9.3f %9.3f %7.2f   %.1e\n", p->name, method, r->tol,
           r->steps, r->rejected, r->evaluations, 1e3 * r->create, 1e3 * r->run, r->run / hand,
           r->error);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%s,%.1e,%ld,%ld,%ld,%.4f,%.4f,%.2f,%.1e\n", p->name, method, r->tol,
                r->steps, r->rejected, r->evaluations, 1e3 * r->create, 1e3 * r->run, r->run / hand,
                r->error);
}

// With the method that is wanted, NULL for those of the problem; `only` is the problem, or NULL.
static void compare(const problem *p, const char *wanted, const char *only, FILE *csv)
{
    static const char *const coordinates[] = {"joint", "absolute"};
    if (only && strcmp(only, p->name) != 0)
        return;
    double *exact = malloc((size_t)p->nout * sizeof *exact);
    if (p->exact)
        p->exact(p, exact);
    else
        run_by_hand(p, NULL, 1e-12, exact);
    const result hand = measure(p, run_by_hand, NULL, exact);
    report(p, "by hand", &hand, hand.run, csv);
    if (p->blocks) {
        problem other = *p;
        other.rates = p->blocks;
        const result r = measure(&other, run_by_hand, NULL, exact);
        report(p, "by hand in blocks", &r, hand.run, csv);
    }
    for (int i = 0; i < (wanted ? 1 : 2); i++) {
        char method[80];
        snprintf(method, sizeof method, "%s@%s", p->method, coordinates[i]);
        const char *name = wanted ? wanted : method;
        const result r = measure(p, run_by_tenon, name, exact);
        report(p, name, &r, hand.run, csv);
    }
    free(exact);
}

static void compare_chain(int n, const char *wanted, const char *only, FILE *csv)
{
    char name[20];
    snprintf(name, sizeof name, "chain%d", n);
    hand_chain work = hand_chain_create(n);
    const problem p = chain_problem(n, name, &work);
    compare(&p, wanted, only, csv);
    hand_chain_destroy(&work);
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    const char *wanted = argc > 2 ? argv[2] : NULL, *only = argc > 3 ? argv[3] : NULL;
    hand_fourbars work;
    const problem andrews = andrews_problem(), fourbars = fourbars_problem(&work);
    if (csv)
        fprintf(csv, "problem,method,tolerance,steps,rejected,evaluations,create_ms,run_ms,ratio,"
                     "error\n");
    printf("problem    method                                  tol  steps rej.   evals  create "
           "ms    run ms   ratio   error\n");
    for (int n = 4; n <= 400; n *= 10)
        compare_chain(n, wanted, only, csv);
    compare(&andrews, wanted, only, csv);
    compare(&fourbars, wanted, only, csv);
    if (csv)
        fclose(csv);
    return 0;
}
