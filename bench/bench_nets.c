// SPDX-License-Identifier: MIT
//
// What a step costs on nets of loops (nets.h), against the number of loops: processor time of one
// thread from rest on, per step that was tried. Steps of galpha have 1 ms, those of others an error
// of 1e-6.
//
//     bench_nets [CSV [COORDINATES [MOST [NET [METHOD [STEPS]]]]]]
//
// COORDINATES are absolute and joint if not stated; MOST loops, 10000; NET: row, even, ladder and
// grid; METHOD: all four; STEPS, that are counted after the first four: 12. For every size: seconds
// to set up; microseconds of a step, of factorisation and of the rest; iterations and
// factorisations a step; nanoseconds of an iteration and body in steps without new tangents, of
// which a motion that is harder to follow may ask more; entries of the matrix with the largest
// factors and of L + U; time of a step by that of the size before in units of the ratio of bodies,
// and the slope between the two. Then slopes from 100 loops on, of the whole, of both parts and of
// an iteration, and the largest ratio, beside their bounds. The least of a few runs where they are
// short.

#include "linalg/solver.h"
#include "nets.h"

#include <stdio.h>
#include <time.h>

static const double STEP = 1e-3; // [s], of galpha
static const double TOL = 1e-6;  // of the others
enum { WARM = 4, STEPS = 12 };   // not counted, and counted, where that does not take longer than
static const double WARM_MAX = 120.0, TIME_MAX = 600.0; // [s]
enum { RUNS = 5 };                                      // of a size that is done in
static const double SHORT = 0.3;                        // [s]
enum { SLOPE_FROM = 100 };                              // loops
static const double RATIO_MAX = 2.0;                    // of neighbouring sizes, by bodies

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The linker leads calls of tn_solver_factor here.
static double factoring; // [s]
static int counted = STEPS;
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
    double iteration;           // [s], in steps without new factors; NAN: there are none
    tn_solver_fill fill;
} cost;

// Where the counted steps begin and end.
typedef struct stretch {
    tn_ledger first, last;
    double born, begin, end, in_factor; // [s]
    double plain;                       // [s] of steps without new factors
    long plain_iterations;              //   and how many they took
} stretch;

static long tries(const tn_ledger *l)
{
    return l->steps + l->rejected;
}

static tn_status after_step(void *user, tn_sim *sim)
{
    stretch *s = user;
    const tn_ledger before = s->last;
    const double begin = s->end;
    s->end = now();
    tn_sim_ledger(sim, &s->last);
    if (s->begin > 0.0 && s->last.factorizations == before.factorizations) {
        s->plain += s->end - begin;
        s->plain_iterations += s->last.newton - before.newton;
    }
    const bool warm = s->last.steps >= WARM || (s->last.steps > 0 && s->end - s->born > WARM_MAX);
    if (s->begin == 0.0 && warm) {
        s->first = s->last;
        s->begin = s->end;
        s->in_factor = factoring;
    }
    const bool enough = tries(&s->last) - tries(&s->first) >= counted;
    return s->begin > 0.0 && (enough || s->end - s->begin > TIME_MAX) ? TN_ERR_STOPPED : TN_OK;
}

static tn_status steps(tn_sim *sim, cost *out)
{
    stretch s = {.born = now()};
    const tn_status status = tn_sim_run(sim, 1.0, after_step, &s);
    const double taken = (double)(tries(&s.last) - tries(&s.first));
    out->step = (s.end - s.begin) / taken;
    out->factor = (factoring - s.in_factor) / taken;
    out->newton = (double)(s.last.newton - s.first.newton) / taken;
    out->factors = (double)(s.last.factorizations - s.first.factorizations) / taken;
    out->iteration = s.plain_iterations > 0 ? s.plain / (double)s.plain_iterations : NAN;
    return status == TN_ERR_STOPPED ? TN_OK : status;
}

static bool run_once(const char *kind, int loops, const char *method, cost *out)
{
    net n;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    net_create(kind, loops, &n);
    options.method = method;
    options.step = strncmp(method, "galpha", 6) == 0 ? STEP : 0.0;
    options.rtol = options.atol = TOL;
    options.threads = 1; // others would wait on the processor
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

static bool measure(const char *kind, int loops, const char *method, cost *out)
{
    const double begin = now();
    if (!run_once(kind, loops, method, out))
        return false;
    for (int k = 1; k < RUNS && now() - begin < SHORT; k++) {
        cost again;
        if (run_once(kind, loops, method, &again) && again.step < out->step)
            *out = again;
    }
    return true;
}

static double slope(double from, double to, const cost *a, const cost *b)
{
    return from > 0.0 && to > 0.0 ? log(to / from) / log((double)b->bodies / a->bodies) : NAN;
}

static double ratio(const cost *last, const cost *c)
{
    return last->bodies ? c->step / last->step / ((double)c->bodies / last->bodies) : NAN;
}

static void print_size(FILE *csv, const char *kind, const char *method, const cost *last,
                       const cost *c)
{
    const double local = last->bodies ? slope(last->step, c->step, last, c) : NAN;
    printf("%-7s %-29s %6d %6d %8.3f %10.1f %10.1f %10.1f %5.1f %5.2f %7.0f %8.0f %9.0f "
           "%6.2f %6.2f\n",
           kind, method, c->loops, c->bodies, c->setup, 1e6 * c->step, 1e6 * c->factor,
           1e6 * (c->step - c->factor), c->newton, c->factors, 1e9 * c->iteration / c->bodies,
           c->fill.matrix, c->fill.fact, ratio(last, c), local);
    fflush(stdout);
    if (csv)
        fprintf(csv, "%s,%s,%d,%d,%.4f,%.2f,%.2f,%.2f,%.2f,%.2f,%.1f,%.0f,%.0f,%.3f,%.3f\n", kind,
                method, c->loops, c->bodies, c->setup, 1e6 * c->step, 1e6 * c->factor,
                1e6 * (c->step - c->factor), c->newton, c->factors, 1e9 * c->iteration / c->bodies,
                c->fill.matrix, c->fill.fact, ratio(last, c), local);
}

static const char *verdict(double value, double bound)
{
    return value <= bound ? "within" : "ABOVE";
}

// Planar nets are bands, and their factors grow with them; those of grids like n^1.5 [George, by
// nested dissection].
static void print_slopes(const char *kind, const char *method, const cost *a, const cost *b,
                         double worst)
{
    const bool band = strcmp(kind, "grid") != 0 && strcmp(kind, "mail") != 0;
    const double whole = slope(a->step, b->step, a, b), bound = band ? 1.1 : 1.55;
    printf("%-7s %-29s slope from %d to %d loops: %.2f, %s %.2f (factors %.2f, rest %.2f, an "
           "iteration %.2f, entries %.2f); largest ratio %.2f, %s %.1f\n",
           kind, method, a->loops, b->loops, whole, verdict(whole, bound), bound,
           slope(a->factor, b->factor, a, b), slope(a->step - a->factor, b->step - b->factor, a, b),
           slope(a->iteration, b->iteration, a, b), slope(a->fill.fact, b->fill.fact, a, b), worst,
           verdict(worst, RATIO_MAX), RATIO_MAX);
}

static void report(FILE *csv, const char *kind, const char *method, int most)
{
    static const int sizes[] = {10, 32, 100, 316, 1000, 3162, 10000};
    cost last = {0}, first = {0}, c = {0};
    double worst = 0.0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && sizes[k] <= most; k++) {
        if (!measure(kind, sizes[k], method, &c))
            break;
        print_size(csv, kind, method, &last, &c);
        if (sizes[k] > SLOPE_FROM)
            worst = fmax(worst, ratio(&last, &c));
        if (sizes[k] >= SLOPE_FROM && !first.bodies)
            first = c;
        last = c;
    }
    if (first.bodies && last.bodies > first.bodies)
        print_slopes(kind, method, &first, &last, worst);
}

static bool is_asked(const char *name, const char *asked, bool by_itself)
{
    return asked[0] ? strncmp(asked, name, strlen(asked)) == 0 : by_itself;
}

int main(int argc, char **argv)
{
    static const char *const nets[] = {"row",  "even",  "ladder", "grid",  "truss",
                                       "mail", "tower", "wheel",  "tangle"};
    static const char *const methods[] = {"galpha/ggl", "bdf/ggl", "radau5/ggl",
                                          "dop853/index1+project"};
    static const char *const coordinates[] = {"absolute", "joint"};
    enum { NETS = 4 }; // by themselves
    const char *asked[7] = {"", "", "", "", "", "", ""};
    for (int k = 1; k < argc && k < 7; k++)
        asked[k] = argv[k];
    if (asked[6][0])
        counted = atoi(asked[6]);
    FILE *csv = asked[1][0] ? fopen(asked[1], "w") : NULL;
    const int most = asked[3][0] ? atoi(asked[3]) : 10000;
    printf("                                                       setup    us/step:"
           "                         per step    ns/it.  entries:           to the size before\n"
           "net     method                         loops bodies      [s]      whole     "
           "factor       rest  iter  fact  a. body   matrix     L + U  ratio  slope\n");
    if (csv)
        fprintf(csv, "net,method,loops,bodies,setup_s,us_per_step,us_factoring,us_rest,"
                     "iterations_per_step,factorizations_per_step,ns_per_iteration_and_body,"
                     "matrix,factors,ratio,slope\n");
    for (int i = 0; i < (int)(sizeof nets / sizeof *nets); i++)
        for (int j = 0; j < 2; j++)
            for (int m = 0; m < 4; m++) {
                char method[64];
                snprintf(method, sizeof method, "%s@%s", methods[m], coordinates[j]);
                if (is_asked(nets[i], asked[4], i < NETS) &&
                    is_asked(coordinates[j], asked[2], true) && is_asked(method, asked[5], true))
                    report(csv, nets[i], method, most);
            }
    if (csv)
        fclose(csv);
    return 0;
}
