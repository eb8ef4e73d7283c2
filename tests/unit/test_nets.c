// SPDX-License-Identifier: MIT
//
// Fill of factors on nets of loops (bench/nets.h): every factorisation of a run, whichever part of
// the program asks for it, keeps to bounds on the entries of L and U, in units of those of the
// matrix, and to what its order promised. Entries are counted, not time.

#include "test.h"

#include "../../bench/nets.h"
#include "linalg/solver.h"

// The linker leads calls of tn_solver_factor here.
tn_status __real_tn_solver_factor(tn_solver *solver, const tn_sparse *A);
tn_status __wrap_tn_solver_factor(tn_solver *solver, const tn_sparse *A);

static double most, most_over;      // entries of L and U by those of the matrix, and by the promise
static int real_ones, complex_ones; // sparse factorisations seen
static double entries;              // of the largest

tn_status __wrap_tn_solver_factor(tn_solver *solver, const tn_sparse *A)
{
    const tn_status status = __real_tn_solver_factor(solver, A);
    const tn_solver_fill fill = tn_solver_fill_of(solver);
    if (status != TN_OK)
        return status;
    most = fmax(most, fill.fact / fill.matrix);
    most_over = fmax(most_over, fill.fact / fill.estimate);
    entries = fmax(entries, fill.fact);
    *(solver->parts == 1 ? &real_ones : &complex_ones) += 1;
    return status;
}

static void run_net(const char *kind, int loops, const char *method)
{
    net n;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    most = most_over = entries = 0.0;
    real_ones = complex_ones = 0;
    CHECK(net_create(kind, loops, &n));
    options.method = method;
    CHECK_OK(tn_sim_create(n.model, &options, &sim));
    for (int k = 0; k < 2; k++)
        CHECK_OK(tn_sim_step(sim, 1e-3));
    tn_sim_destroy(sim);
    net_destroy(&n);
}

static const char *const methods[] = {"galpha/ggl@absolute",    "bdf/ggl@absolute",
                                      "radau5/ggl@absolute",    "dop853/index1+project@absolute",
                                      "galpha/index3@absolute", "bdf/stabilized-index1@absolute"};

enum { SHORT = 4 }; // of the methods, without TN_LONG: all kinds of factorisation are among them

// Entries by those of the matrix with so many loops, and how much more four times as many loops
// have, which would be four for what is linear.
static void check_net(const char *kind, int loops, double bound, double growth)
{
    for (int m = 0; m < (getenv("TN_LONG") ? TN_COUNT(methods) : SHORT); m++) {
        run_net(kind, loops, methods[m]);
        const double before = entries;
        run_net(kind, 4 * loops, methods[m]);
        if (!(most <= bound && entries <= growth * before && most_over <= 1.1))
            printf("%s, %s: %.2f of the matrix, %.2f of the promise, grown by %.2f\n", kind,
                   methods[m], most, most_over, entries / before);
        CHECK(most <= bound);
        CHECK(most_over <= 1.1);
        CHECK(entries <= growth * before);
        CHECK(real_ones > 0);
        CHECK(complex_ones > 0 || strncmp(methods[m], "radau5", 6) != 0);
    }
}

static void rows_fill_linearly(void)
{
    check_net("row", 60, 1.6, 4.2);
}

static void ladders_fill_linearly(void)
{
    check_net("ladder", 60, 1.8, 4.2);
}

static void trusses_fill_linearly(void)
{
    check_net("truss", 60, 2.3, 4.2);
}

static void grids_fill_as_planar_graphs_do(void)
{
    check_net("grid", 64, 3.3, 5.2);
}

static void chain_mail_fills_as_planar_graphs_do(void)
{
    check_net("mail", 49, 3.4, 5.2);
}

static void towers_fill_linearly(void)
{
    check_net("tower", 25, 1.8, 4.4);
}

// Some of the multipliers at the hub come after it and fill: less than all of them would.
static void wheels_fill_less_than_their_hub_binds(void)
{
    check_net("wheel", 40, 11.0, 10.5);
}

static const tn_test tests[] = {
    {"rows of four-bars fill linearly", rows_fill_linearly},
    {"ladders fill linearly", ladders_fill_linearly},
    {"trusses fill linearly", trusses_fill_linearly},
    {"grids fill as planar graphs do", grids_fill_as_planar_graphs_do},
    {"chain mail fills as planar graphs do", chain_mail_fills_as_planar_graphs_do},
    {"towers of platforms fill linearly", towers_fill_linearly},
    {"wheels fill less than their hub binds", wheels_fill_less_than_their_hub_binds},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
