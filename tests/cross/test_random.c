// SPDX-License-Identifier: MIT
//
// Random mechanisms, 240 of them, planar and spatial, trees and loops, some with repeated rows,
// some floating: they assemble, have the freedoms that their rank says, conserve energy and
// momentum at the order of the method, and their tangents match differences.

#include "integrator/integrator.h"
#include "probe_start.h"
#include "sim/sim.h"
#include "tenon/tenon.h"

enum { SEEDS = 240 };

static const double T_END = 0.2; // [s], long enough for accelerations to turn
static const double STEP = 2e-3; // [s]
// Fourth-order differences on arms of up to some metres, see probe.h.
static const double TANGENT_TOL = 1e-8;
static const double RANK_TOL = 1e-8; // far between round-off and the angles of random frames

static tn_sim_options options_of(int seed, double step)
{
    static const char *const methods[] = {"galpha/ggl",    "hht/ggl",    "galpha/index3",
                                          "galpha/index2", "hht/index3", "hht/index2"};
    tn_sim_options options = tn_default_sim();
    options.method = methods[seed % TN_COUNT(methods)];
    options.rotation = seed / 6 % 2 ? "se3" : "so3";
    options.step = step;
    options.corrected_start = true;
    return options;
}

// Rank of B by a pivoted QR of its own.
static int rank_of(tn_system *sys, const tn_state *x)
{
    const int rows = sys->ng, nv = sys->nv;
    if (rows == 0)
        return 0;
    const tn_point at = tn_state_point(x);
    CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_B));
    double *A = calloc((size_t)(rows * nv), sizeof(double));
    int *pivot = calloc((size_t)nv, sizeof(int));
    const int lwork = tn_qr_work(rows, nv);
    double *work = calloc((size_t)(lwork + rows + nv), sizeof(double));
    CHECK(A && pivot && work);
    tn_sparse_to_dense(sys->block[TN_BLOCK_B], A);
    const int rank = tn_qr_rank(rows, nv, A, RANK_TOL, pivot, work + lwork, work, lwork);
    free(A);
    free(pivot);
    free(work);
    return rank;
}

static void mechanisms_assemble_with_sensible_freedoms(void)
{
    int loops = 0, redundant = 0, floating = 0, planar = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = random_mechanism(seed);
        const tn_sim_options options = options_of(seed, STEP);
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(m.model, &options, &sim));
        const tn_redundancy *r = &sim->start.redundancy;
        CHECK(tn_sim_nv(sim) == m.nv);
        CHECK(r->rows == m.tree_rows + m.loop_rows + m.copied_rows);
        CHECK(r->rank == rank_of(sim->start.sys, &sim->start.x));
        CHECK(r->rank <= m.tree_rows + m.loop_rows);
        CHECK(r->rank >= m.tree_rows); // a tree is independent
        CHECK(r->count >= m.copied_rows);
        CHECK_NEAR(sim->start.residual, 0.0, 1e-9);
        loops += m.loop_rows > 0;
        redundant += r->count > 0;
        floating += m.floating;
        planar += m.planar;
        tn_sim_destroy(sim);
        tn_model_destroy(m.model);
    }
    printf("%d mechanisms: %d with loops, %d with repeated rows, %d floating, %d planar\n", SEEDS,
           loops, redundant, floating, planar);
    CHECK(loops > 60 && redundant > 30 && floating > 30 && planar > 30);
}

// Energy and momentum -----------------------------------------------------------------------------

typedef struct drift {
    double energy, momentum, spin; // largest at the end or on the way
} drift;

static drift run(const mechanism *m, int seed, double step)
{
    const tn_sim_options options = options_of(seed, step);
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(m->model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, T_END, NULL, NULL));
    tn_ledger l;
    tn_sim_ledger(sim, &l);
    drift d = {.energy = l.max_balance / (1.0 + l.energy_scale)};
    for (int i = 0; i < 3; i++) {
        d.momentum = fmax(d.momentum, fabs(l.momentum[i] - l.momentum_start[i]));
        d.spin = fmax(d.spin, fabs(l.spin[i] - l.spin_start[i]));
    }
    tn_sim_destroy(sim);
    return d;
}

// Errors of order two shrink by four. What is below 1e-9 is round-off of positions divided by
// steps, added up over a hundred of them.
static const double NEGLIGIBLE = 1e-9, GAIN_TOL = 0.3;

static void check_gain(double coarse, double fine, int seed, const char *what)
{
    if (fine <= NEGLIGIBLE)
        return;
    if (fabs(coarse / fine - 4.0) > GAIN_TOL)
        printf("seed %d: %s drifts by %.3g, at half the step by %.3g\n", seed, what, coarse, fine);
    CHECK_NEAR(coarse / fine, 4.0, GAIN_TOL);
}

static void energy_and_momentum_are_conserved_at_the_order(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = random_mechanism(seed);
        const drift coarse = run(&m, seed, STEP), fine = run(&m, seed, 0.5 * STEP);
        check_gain(coarse.energy, fine.energy, seed, "energy");
        if (m.floating) {
            check_gain(coarse.momentum, fine.momentum, seed, "momentum");
            check_gain(coarse.spin, fine.spin, seed, "spin");
            // Velocities of R^3 x SO(3) are inertial: the method is linear in their sum.
            if (!strcmp(options_of(seed, STEP).rotation, "so3"))
                CHECK_NEAR(fine.momentum, 0.0, NEGLIGIBLE);
        }
        tn_model_destroy(m.model);
    }
}

// Tangents ----------------------------------------------------------------------------------------

static void tangents_match_differences(void)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = random_mechanism(seed);
        check_absolute_columns(m.model, seed, TANGENT_TOL);
        tn_model_destroy(m.model);
    }
}

static const tn_test tests[] = {
    {"mechanisms assemble with sensible freedoms", mechanisms_assemble_with_sensible_freedoms},
    {"energy and momentum are conserved at the order",
     energy_and_momentum_are_conserved_at_the_order},
    {"tangents match differences", tangents_match_differences},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
