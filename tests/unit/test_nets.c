// SPDX-License-Identifier: MIT
//
// Fill of factors on nets of loops (bench/nets.h): every factorisation of a run, whichever part of
// the program asks for it, keeps to bounds on the entries of L and U, in units of those of the
// matrix, and to what its order promised. Entries are counted, not time. And how often correctors
// ask for factors, where round-off is enlarged by the length of a net.

#include "test.h"

#include "../../bench/counted_memory.h"
#include "../../bench/nets.h"
#include "linalg/solver.h"
#include "sim/sim.h"

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
static void check_method(const char *kind, int loops, const char *method, double bound,
                         double growth)
{
    run_net(kind, loops, method);
    const double before = entries;
    run_net(kind, 4 * loops, method);
    if (!(most <= bound && entries <= growth * before && most_over <= 1.1))
        printf("%s, %s: %.2f of the matrix, %.2f of the promise, grown by %.2f\n", kind, method,
               most, most_over, entries / before);
    CHECK(most <= bound);
    CHECK(most_over <= 1.1);
    CHECK(entries <= growth * before);
    CHECK(real_ones > 0);
    CHECK((complex_ones > 0) == (strncmp(method, "radau5", 6) == 0));
}

static void check_net(const char *kind, int loops, double bound, double growth)
{
    for (int m = 0; m < (getenv("TN_LONG") ? TN_COUNT(methods) : SHORT); m++)
        check_method(kind, loops, methods[m], bound, growth);
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

// In parts that separators join: 9.0e5 in one piece, 1.24e6 in an order that looks at the border.
static void cloths_keep_to_the_fill_of_amd(void)
{
    run_net("grid", 1024, "galpha/ggl@absolute");
    CHECK(entries <= 1.15e6); // 1.06e6
}

static void chain_mail_fills_as_planar_graphs_do(void)
{
    check_net("mail", 49, 3.4, 5.2);
}

static void towers_fill_linearly(void)
{
    check_net("tower", 25, 1.8, 4.4);
}

// The hub comes last, and nothing waits for it.
static void wheels_fill_linearly(void)
{
    check_net("wheel", 60, 2.3, 4.3);
}

// Curvature of loops that close on a point couples no pieces, and what stands on other bodies keeps
// its pivots.
static void nets_in_joint_coordinates_fill_as_others_do(void)
{
    static const char *const joint[] = {"galpha/ggl@joint", "bdf/ggl@joint", "radau5/ggl@joint",
                                        "dop853/index1+project@joint"};
    for (int m = 0; m < TN_COUNT(joint); m++) {
        check_method("grid", 64, joint[m], 3.6, 5.5);
        check_method("ladder", 60, joint[m], 1.8, 4.3);
        check_method("row", 60, joint[m], 1.6, 4.3);
        check_method("wheel", 60, joint[m], 2.3, 4.4);
    }
}

static const char *note_with(const tn_sim *sim, const char *words)
{
    for (int k = 0; k < tn_sim_note_count(sim); k++)
        if (strstr(tn_sim_note(sim, k), words))
            return tn_sim_note(sim, k);
    return NULL;
}

static void fill_that_explodes_is_told(void)
{
    static const struct {
        const char *kind;
        int loops;
        bool told;
    } cases[] = {
        {"tangle", 300, true}, {"tangle", 60, false}, {"grid", 256, false}, {"wheel", 300, false}};
    for (int k = 0; k < TN_COUNT(cases); k++) {
        net n;
        tn_sim *sim = NULL;
        tn_sim_options options = tn_default_sim();
        CHECK(net_create(cases[k].kind, cases[k].loops, &n));
        options.method = "galpha/ggl@absolute";
        options.step = 1e-3;
        CHECK_OK(tn_sim_create(n.model, &options, &sim));
        const char *note = note_with(sim, "times those of their matrix");
        printf("%s, %d: %s\n", cases[k].kind, cases[k].loops, note ? note : "nothing");
        CHECK((note != NULL) == cases[k].told);
        CHECK(!note || (strstr(note, "loops through ") && strstr(note, "springs in")));
        tn_sim_destroy(sim);
        net_destroy(&n);
    }
}

// A row of 1000 four-bars shares one freedom and is 1 km long: round-off of its positions moves
// bodies by a hundred times as much. That is no reason to form tangents or to give up.
static void check_round_off(const char *kind, int loops, double step, const char *method,
                            double iterations, double factors)
{
    net n;
    tn_sim *sim = NULL;
    tn_sim_options options = tn_default_sim();
    tn_ledger ledger;
    CHECK(net_create(kind, loops, &n));
    options.method = method;
    options.step = step;
    CHECK_OK(tn_sim_create(n.model, &options, &sim));
    for (int k = 0; k < 10; k++)
        CHECK_OK(tn_sim_step(sim, options.step));
    tn_sim_ledger(sim, &ledger);
    printf("%s of %d, %s, %g s: %.1f iterations, %.1f factorisations a step\n", kind, loops, method,
           step, (double)ledger.newton / 10.0, (double)ledger.factorizations / 10.0);
    CHECK((double)ledger.newton <= 10.0 * iterations);
    CHECK((double)ledger.factorizations <= 10.0 * factors);
    tn_sim_destroy(sim);
    net_destroy(&n);
}

static void round_off_of_long_nets_asks_for_no_factors(void)
{
    check_round_off("row", 1000, 1e-3, "galpha/ggl@absolute", 3.5, 0.5);
    check_round_off("row", 1000, 1e-3, "galpha/ggl@joint", 3.5, 0.6);
    check_round_off("row", 1000, 1e-3, "bdf/ggl@absolute", 5.0, 1.0);
    check_round_off("row", 1000, 1e-3, "radau5/ggl@absolute", 7.0, 2.0);
    check_round_off("ladder", 1000, 1e-3, "bdf/ggl@absolute", 5.0, 1.0);
}

// Shorter steps have less to follow, and round-off of q / h grows: they take no more iterations.
static void round_off_by_short_steps_takes_no_iterations(void)
{
    check_round_off("row", 3162, 2e-4, "galpha/ggl@absolute", 2.5, 0.2);
}

// What a model needs is known by its size before it starts: at least half of it, and never more
// than it takes.
static void check_memory_of(const char *net_name, int size, const char *method)
{
    net n;
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    tn_set_allocator(&(tn_allocator){counted, NULL});
    CHECK(net_create(net_name, size, &n));
    const size_t before = in_use;
    const double told = tn_sim_memory(n.model, method);
    CHECK_OK(tn_sim_create(n.model, &options, &sim));
    const double taken = (double)(in_use - before);
    printf("  %s %s: %.0f of %.0f bytes a body\n", net_name, method, told / n.bodies,
           taken / n.bodies);
    CHECK(told <= taken && told > 0.3 * taken);
    tn_sim_destroy(sim);
    net_destroy(&n);
    tn_set_allocator(NULL);
}

static void memory_is_known_before_it_is_taken(void)
{
    check_memory_of("chain", 3000, "dopri5/index1@joint");
    check_memory_of("chain", 3000, "auto");
    check_memory_of("chain", 1000, "galpha/ggl@absolute");
    check_memory_of("row", 300, "galpha/ggl@absolute");
    check_memory_of("row", 300, "dop853/index1+project@joint");
    check_memory_of("grid", 256, "galpha/ggl@absolute");
}

static const tn_test tests[] = {
    {"rows of four-bars fill linearly", rows_fill_linearly},
    {"ladders fill linearly", ladders_fill_linearly},
    {"trusses fill linearly", trusses_fill_linearly},
    {"grids fill as planar graphs do", grids_fill_as_planar_graphs_do},
    {"cloths keep to the fill of AMD", cloths_keep_to_the_fill_of_amd},
    {"chain mail fills as planar graphs do", chain_mail_fills_as_planar_graphs_do},
    {"towers of platforms fill linearly", towers_fill_linearly},
    {"wheels fill linearly", wheels_fill_linearly},
    {"nets in joint coordinates fill as others do", nets_in_joint_coordinates_fill_as_others_do},
    {"fill that explodes is told", fill_that_explodes_is_told},
    {"round-off of long nets asks for no factors", round_off_of_long_nets_asks_for_no_factors},
    {"round-off by short steps takes no iterations", round_off_by_short_steps_takes_no_iterations},
    {"memory is known before it is taken", memory_is_known_before_it_is_taken},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
