// SPDX-License-Identifier: MIT
//
// Random mechanisms with wheels, balls and blades that roll on planes of other bodies, some with a
// row of velocities that an expression gives: ranks are found, tangents match differences, and all
// roads (coordinates, formulation, integrator) give one motion. Each seed goes some of the roads;
// with TN_LONG in the environment there are 200 seeds, and each goes all of them.

#include "probe_start.h"
#include "same_motion.h"
#include "sim/sim.h"

static const double T_END = 0.2;        // [s]
static const double TANGENT_TOL = 1e-7; // of discs that lean: see probe.h
static const double RANK_TOL = 1e-8;

typedef struct road {
    const char *method;
    double tol; // of the motion; errors of a run are some hundred tolerances of a step
} road;

static const road roads[] = {
    {"radau5/ggl@absolute", 1e-7},
    {"bdf/ggl@absolute", 1e-6},
    {"dop853/index1@joint", 1e-7},
    {"radau5/index2@joint", 1e-7},
    {"bdf/index1@joint", 1e-6},
    {"herk5/index2+project@absolute", 1e-7},
    {"herk5@joint", 1e-7},
    {"dopri5/nullspace@absolute", 1e-7},
    {"dopri5/maggi@absolute", 1e-7},
    {"dopri5/maggi@joint", 1e-7},
    {"adams/index1+project@absolute", 1e-6},
    {"dopri5/udwadia-kalaba+project@absolute", 1e-7},
    {"dop853/minimal@absolute", 1e-7},
    {"dopri5/projective@absolute", 1e-7},
    {"dopri5/phase-space@joint", 1e-6},
    {"radau5/index1@absolute", 1e-7},
    {"radau5/index3@absolute", 1e-5},
    {"radau5/ggl@joint", 1e-7},
    {"radau5/stabilized-index1@absolute", 1e-7},
    {"galpha/ggl@absolute", 1e-5},
    {"galpha/index3@joint", 1e-5},
    {"galpha/index2@absolute", 1e-5},
    {"radau5/ggl@director", 1e-7},
    {"dop853/index1@director", 1e-7},
    {"variational/multiplier", 1e-5},
    {"energy-momentum/multiplier", 1e-5},
};

static bool is_long(void)
{
    return getenv("TN_LONG") != NULL;
}

// Mechanisms --------------------------------------------------------------------------------------

// Frame B in frame A, touching the plane: a disc or blade that is not too steep.
static tn_frame rolling_placement(const tn_joint_def *def, bool planar)
{
    const double x = 0.5 * tn_random(), y = 0.5 * tn_random(), turn = 3.0 * tn_random();
    const double lean = 0.7 * tn_random(), spin = 3.0 * tn_random();
    tn_frame X = {tn_m3_rot_z(turn), tn_v3(x, y, 0.0)};
    if (planar)
        return X;
    if (def->kind == TN_JOINT_KNIFE_EDGE)
        X.R = tn_m3_mul(tn_m3_mul(X.R, tn_m3_rot_y(lean)), tn_m3_rot_x(spin));
    else
        X.R = tn_m3_mul(tn_m3_mul(X.R, tn_m3_rot_x(0.5 * M_PI + lean)), tn_m3_rot_z(spin));
    const double h = sqrt(1.0 - X.R.m[2][2] * X.R.m[2][2]);
    if (def->kind == TN_JOINT_ROLLING_WHEEL)
        X.p.z = def->rolling.radius * h + def->rolling.tube;
    else if (def->kind == TN_JOINT_ROLLING_BALL)
        X.p.z = def->rolling.radius;
    return X;
}

static tn_joint_def random_rolling(bool planar)
{
    static const tn_joint_kind kinds[] = {TN_JOINT_ROLLING_WHEEL, TN_JOINT_ROLLING_BALL,
                                          TN_JOINT_KNIFE_EDGE};
    tn_joint_def def =
        tn_default_joint(planar ? TN_JOINT_KNIFE_EDGE : kinds[random_int(TN_COUNT(kinds))]);
    if (def.kind != TN_JOINT_KNIFE_EDGE)
        def.rolling.radius = 0.2 + 0.2 * random_unit();
    if (def.kind == TN_JOINT_ROLLING_WHEEL && random_int(2))
        def.rolling.tube = 0.1;
    if (def.kind == TN_JOINT_ROLLING_BALL)
        def.rolling.spin = random_int(2);
    return def;
}

// A row that couples the velocities of two bodies by where they are. It says nothing of time:
// bodies that cannot move would contradict.
static bool add_velocity_row(mechanism *m)
{
    static const char axis[] = "xyz";
    const int a = 1 + random_int(m->nbody), b = 1 + random_int(m->nbody);
    const int i = random_int(m->planar ? 2 : 3), j = random_int(m->planar ? 2 : 3);
    const double x = tn_random();
    char row[256];
    snprintf(row, sizeof row,
             "'body %d'.velocity.%c*cos('body %d'.position.%c) - %.3f*'body %d'.velocity.%c", a,
             axis[i], b, axis[j], x, b, axis[j]);
    tn_joint_def joint = tn_default_joint(TN_JOINT_VELOCITY_ROW);
    joint.formula.row = row;
    if (a == b || freedoms_left(m) < 2)
        return false;
    m->loop_rows += rows_of(m, tn_model_add_joint(m->model, &joint));
    return true;
}

// A joint across two bodies that leaves something to move.
static bool add_rolling(mechanism *m)
{
    const int a = random_carrier(m), b = random_carrier(m);
    tn_joint_def joint = random_rolling(m->planar);
    joint.body_a = (tn_body){a};
    joint.body_b = (tn_body){b};
    joint.frame_a = joint_frame(m->planar);
    if (a == b || b == 0)
        return false;
    joint.frame_b = tn_frame_mul(tn_frame_mul(tn_frame_inverse(m->frame[b]), m->frame[a]),
                                 tn_frame_mul(joint.frame_a, rolling_placement(&joint, m->planar)));
    const int most = 4; // rows of a kind
    if (freedoms_left(m) <= most)
        return false;
    m->loop_rows += rows_of(m, tn_model_add_joint(m->model, &joint));
    return true;
}

// The seeds of mechanisms that have room for something that rolls.
static mechanism rolling_mechanism(int seed)
{
    for (int k = 0;; k++) {
        mechanism m = random_mechanism_of(seed + 1000 * k, 3 + seed % 5);
        bool rolls = false;
        for (int tries = 0; tries < 20; tries++)
            rolls = add_rolling(&m) || rolls;
        if (seed % 3 == 0)
            rolls = add_velocity_row(&m) || rolls;
        CHECK_OK(tn_model_status(m.model));
        if (rolls)
            return m;
        tn_model_destroy(m.model);
    }
}

// One motion --------------------------------------------------------------------------------------

// Director coordinates take no expressions of velocities.
static bool is_open(const tn_model *model, const road *r)
{
    const tn_joint_data *last = &model->joints.at[model->joints.count - 1];
    const bool directors = strstr(r->method, "director") || strstr(r->method, "/multiplier");
    return !directors || last->def->kind != TN_JOINT_VELOCITY_ROW;
}

static int check_road(const tn_model *model, tn_sim *reference, int seed, const road *r)
{
    if (!is_open(model, r))
        return 0;
    tn_sim *sim = travel_by(model, r->method, 1e-10, T_END);
    const double off = sim ? bodies_apart(model, reference, sim) : INFINITY;
    tn_sim_destroy(sim);
    if (!(off <= r->tol))
        printf("seed %d: %s is %.1e off\n", seed, r->method, off);
    return !(off <= r->tol);
}

static int seeds(void)
{
    return is_long() ? 200 : 20;
}

static void one_motion_by_all_roads(void)
{
    const int each = is_long() ? TN_COUNT(roads) : 4;
    int bad = 0;
    for (int seed = 0; seed < seeds(); seed++) {
        mechanism m = rolling_mechanism(seed);
        tn_sim *reference = travel_by(m.model, "dop853/index1+project@absolute", 1e-12, T_END);
        if (!reference)
            printf("seed %d: no reference\n", seed);
        bad += !reference;
        for (int k = 0; reference && k < each; k++)
            bad +=
                check_road(m.model, reference, seed, &roads[(seed * each + k) % TN_COUNT(roads)]);
        tn_sim_destroy(reference);
        tn_model_destroy(m.model);
    }
    CHECK(bad == 0);
}

// Energy is constant: rows of velocities do no work, springs have none to lose.
static void energy_is_constant(void)
{
    for (int seed = 0; seed < seeds(); seed++) {
        mechanism m = rolling_mechanism(seed);
        tn_sim *sim = travel_by(m.model, "dop853/index1+project", 1e-11, T_END);
        CHECK(sim != NULL);
        tn_ledger ledger;
        tn_sim_ledger(sim, &ledger);
        CHECK_NEAR(ledger.max_balance / (1.0 + ledger.energy_scale), 0.0, 1e-8);
        tn_sim_destroy(sim);
        tn_model_destroy(m.model);
    }
}

// Ranks -------------------------------------------------------------------------------------------

// Rank of (B; N) by a pivoted QR of its own, over the rows as columns.
static int rank_of(tn_system *sys, const tn_state *x)
{
    const int rows = sys->ng + sys->nn, nv = sys->nv, lwork = tn_qr_work(nv, rows);
    const tn_point at = tn_state_point(x);
    CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_B));
    double *A = calloc((size_t)(rows * nv), sizeof(double));
    int *pivot = calloc((size_t)rows, sizeof(int));
    double *work = calloc((size_t)(lwork + rows + nv), sizeof(double));
    CHECK(A && pivot && work);
    if (sys->ng > 0)
        tn_sparse_rows(sys->block[TN_BLOCK_B], NULL, nv, A);
    if (sys->nn > 0)
        tn_sparse_rows(sys->block[TN_BLOCK_N], NULL, nv, A + (size_t)(sys->ng * nv));
    const int rank = tn_qr_rank(nv, rows, A, RANK_TOL, pivot, work + lwork, work, lwork);
    free(A);
    free(pivot);
    free(work);
    return rank;
}

static void ranks_are_found(void)
{
    int rolling = 0, redundant = 0;
    for (int seed = 0; seed < seeds(); seed++) {
        mechanism m = rolling_mechanism(seed);
        tn_sim *sim = open_sim(m.model, "galpha/ggl@absolute");
        tn_system *sys = sim->start.sys;
        const tn_redundancy *r = &sim->start.redundancy;
        CHECK(r->rows == m.tree_rows + m.loop_rows + m.copied_rows);
        CHECK(sys->nn > 0 && tn_sim_freedoms(sim) == m.nv - r->rank);
        CHECK(r->rank == rank_of(sys, &sim->start.x));
        rolling += sys->nn;
        redundant += r->count > 0;
        tn_sim_destroy(sim);
        tn_model_destroy(m.model);
    }
    printf("%d mechanisms with %d rows of velocities, %d with repeated rows\n", seeds(), rolling,
           redundant);
}

// Tangents ----------------------------------------------------------------------------------------

static void tangents_match_differences(void)
{
    for (int seed = 0; seed < seeds(); seed++) {
        mechanism m = rolling_mechanism(seed);
        check_absolute_columns(m.model, seed, TANGENT_TOL);
        tn_model_destroy(m.model);
    }
}

static const tn_test tests[] = {
    {"one motion by all roads", one_motion_by_all_roads},
    {"energy is constant", energy_is_constant},
    {"ranks are found", ranks_are_found},
    {"tangents match differences", tangents_match_differences},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
