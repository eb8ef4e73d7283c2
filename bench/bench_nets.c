// SPDX-License-Identifier: MIT
//
// What a step costs on nets of loops (nets.h), against the number of loops: processor time from
// rest on, per step that was tried. Steps of galpha have 1 ms, those of others an error of 1e-6.
//
//     bench_nets [CSV [COORDINATES [MOST [NET [METHOD]]]]]
//
// COORDINATES are absolute if not stated; MOST loops, 1000; NET and METHOD: all of them. For every
// net, method and size: time of a step, split into factorisation and the rest, its ratio to the
// size before in units of the ratio of bodies; entries of the largest factors L + U, of the matrix
// that they belong to, and of L + U as the order promised; at the end slopes. A size that takes
// more than TIME_MAX to set up or to step ends the line of sizes.

#include "linalg/solver.h"
#include "nets.h"

#include <stdio.h>
#include <time.h>

static const double STEP = 1e-3;     // [s], of galpha
static const double TOL = 1e-6;      // of the others
static const double TIME_MAX = 20.0; // [s] for the steps of one size
enum { WARM = 4, STEPS = 12 };
enum { SLOPE_FROM = 100 }; // loops

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The linker leads calls of tn_solver_factor here.
static double factoring; // [s]
static tn_solver_fill largest;
tn_status __real_tn_solver_factor(tn_solver *solver, const tn_sparse *A);
tn_status __wrap_tn_solver_factor(tn_solver *solver, const tn_sparse *A);
tn_status __wrap_tn_solver_factor(tn_solver *solver, const tn_sparse *A)
{
    const double begin = now();
    const tn_status status = __real_tn_solver_factor(solver, A);
    factoring += now() - begin;
    const tn_solver_fill fill = tn_solver_fill_of(solver);
    if (fill.fact >= largest.fact)
        largest = fill;
    return status;
}

typedef struct cost {
    int loops, bodies;
    double setup, step, factor; // [s]
    double newton, factors;     // per step
    tn_solver_fill fill;
} cost;

// Where the counted steps begin and end.
typedef struct stretch {
    tn_ledger first, last;
    double begin, end, in_factor; // [s]
} stretch;

static long tries(const tn_ledger *l)
{
    return l->steps + l->rejected;
}

static tn_status after_step(void *user, tn_sim *sim)
{
    stretch *s = user;
    s->end = now();
    tn_sim_ledger(sim, &s->last);
    if (s->begin == 0.0 && s->last.steps >= WARM) {
        s->first = s->last;
        s->begin = s->end;
        s->in_factor = factoring;
    }
    const bool enough = tries(&s->last) - tries(&s->first) >= STEPS;
    return s->begin > 0.0 && (enough || s->end - s->begin > TIME_MAX) ? TN_ERR_STOPPED : TN_OK;
}

static tn_status steps(tn_sim *sim, cost *out)
{
    stretch s = {0};
    const tn_status status = tn_sim_run(sim, 1.0, after_step, &s);
    const double taken = (double)(tries(&s.last) - tries(&s.first));
    out->step = (s.end - s.begin) / taken;
    out->factor = (factoring - s.in_factor) / taken;
    out->newton = (double)(s.last.newton - s.first.newton) / taken;
    out->factors = (double)(s.last.factorizations - s.first.factorizations) / taken;
    return status == TN_ERR_STOPPED ? TN_OK : status;
}

static bool measure(const char *kind, int loops, const char *method, cost *out)
{
    net n;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    net_create(kind, loops, &n);
    options.method = method;
    options.step = strncmp(method, "galpha", 6) == 0 ? STEP : 0.0;
    options.rtol = options.atol = TOL;
    largest = (tn_solver_fill){0};
    *out = (cost){.loops = n.loops, .bodies = n.bodies};
    const double begin = now();
    tn_status status = tn_sim_create(n.model, &options, &sim);
    out->setup = now() - begin;
    if (status == TN_OK)
        status = steps(sim, out);
    out->fill = largest;
    if (status != TN_OK)
        fprintf(stderr, "%s, %d loops, %s: %s\n", kind, loops, method, tn_last_error());
    tn_sim_destroy(sim);
    net_destroy(&n);
    return status == TN_OK;
}

static double slope(const cost *from, const cost *to)
{
    return log(to->step / from->step) / log((double)to->bodies / from->bodies);
}

static void report(FILE *csv, const char *kind, const char *method, int most)
{
    static const int sizes[] = {10, 32, 100, 316, 1000, 3162, 10000};
    cost last = {0}, first = {0}, c = {0};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && sizes[k] <= most; k++) {
        if (!measure(kind, sizes[k], method, &c))
            break;
        const double grown = last.bodies ? (double)c.bodies / last.bodies : 1.0;
        const double ratio = last.bodies ? c.step / last.step / grown : NAN;
        printf("%-7s %-29s %6d %6d %8.3f %10.1f %10.1f %10.1f %6.2f %5.1f %5.2f %9.0f %9.0f "
               "%9.0f\n",
               kind, method, c.loops, c.bodies, c.setup, 1e6 * c.step, 1e6 * c.factor,
               1e6 * (c.step - c.factor), ratio, c.newton, c.factors, c.fill.matrix,
               c.fill.estimate, c.fill.fact);
        fflush(stdout);
        if (csv)
            fprintf(csv, "%s,%s,%d,%d,%.4f,%.2f,%.2f,%.2f,%.3f,%.2f,%.2f,%.0f,%.0f,%.0f\n", kind,
                    method, c.loops, c.bodies, c.setup, 1e6 * c.step, 1e6 * c.factor,
                    1e6 * (c.step - c.factor), ratio, c.newton, c.factors, c.fill.matrix,
                    c.fill.estimate, c.fill.fact);
        if (sizes[k] >= SLOPE_FROM && !first.bodies)
            first = c;
        last = c;
        if (c.setup > 3.0 * TIME_MAX || STEPS * c.step > TIME_MAX)
            break;
    }
    if (first.bodies && last.bodies > first.bodies)
        printf("%-7s %-29s slope from %d to %d loops: %.2f\n", kind, method, first.loops,
               last.loops, slope(&first, &last));
}

int main(int argc, char **argv)
{
    static const char *const nets[] = {"row", "ladder", "truss", "grid", "mail", "tower"};
    static const char *const methods[] = {"galpha/ggl", "bdf/ggl", "radau5/ggl",
                                          "dop853/index1+project"};
    FILE *csv = argc > 1 && argv[1][0] ? fopen(argv[1], "w") : NULL;
    const char *coordinates = argc > 2 && argv[2][0] ? argv[2] : "absolute";
    const int most = argc > 3 && argv[3][0] ? atoi(argv[3]) : 1000;
    const char *only = argc > 4 ? argv[4] : "", *way = argc > 5 ? argv[5] : "";
    printf("                                                       setup    us/step:"
           "                        per size   per step     entries:\n"
           "net     method                         loops bodies      [s]      whole     "
           "factor       rest  ratio  iter  fact    matrix  estimate     L + U\n");
    if (csv)
        fprintf(csv, "net,method,loops,bodies,setup_s,us_per_step,us_factoring,us_rest,ratio,"
                     "iterations_per_step,factorizations_per_step,matrix,estimate,factors\n");
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            char method[64];
            snprintf(method, sizeof method, "%s@%s", methods[m], coordinates);
            if ((!only[0] || strcmp(only, nets[k]) == 0) &&
                (!way[0] || strncmp(way, method, strlen(way)) == 0))
                report(csv, nets[k], method, most);
        }
    if (csv)
        fclose(csv);
    return 0;
}
