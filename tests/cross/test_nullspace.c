// SPDX-License-Identifier: MIT
//
// Null spaces at work: whatever way the null space is found, a formulation on it gives one motion;
// the basis of Gram and Schmidt turns with the mechanism, without a jump, through full turns of a
// four-bar; rows that repeat others change neither the motion nor the forces that are unique; and
// what a formulation enforces holds to round-off.

#include "formulation/ode.h"
#include "motion/basis.h"
#include "road_problems.h"
#include "start/start.h"

static const char *const ways[] = {"lu", "qr", "svd", "gram-schmidt", "natural", "zero-eigenvalue"};
static const char *const formulations[] = {"nullspace", "maggi", "projective", "phase-space"};

// Errors of runs with tolerance TOL add up over some hundred steps at velocities of ten;
// multipliers have sizes of up to a hundred and go with the square of the velocities.
static const double TOL = 1e-11, SAME = 2e-9, SAME_V = 2e-8, SAME_LAMBDA = 5e-7;
// Derivatives of own equations are differences of theirs, with a noise of 1e-9.
static const double SAME_OWN = 1e-8;

static tn_sim_options tight(const char *method, const char *way)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.nullspace = way;
    options.adaptive = true;
    options.rtol = options.atol = TOL;
    return options;
}

static tn_model *load(const char *path)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
    return model;
}

static tn_model *planar_fourbar(void)
{
    return load("models/fourbar.yaml");
}

static tn_model *spatial_fourbar(void)
{
    return load("models/fourbar_spatial.yaml");
}

static const problem linkages[] = {
    {.name = "four-bar", .model = planar_fourbar, .t_end = 0.8},
    {.name = "four-bar in space", .model = spatial_fourbar, .rotates = true, .t_end = 0.8},
};

static void check_ways(const problem *p)
{
    static track reference, other;
    const double same = p->model ? SAME : SAME_OWN;
    tn_sim_options options = tight("dop853/index1", "auto");
    follow(p, &options, &reference);
    for (int f = 0; f < TN_COUNT(formulations); f++)
        for (int k = 0; k < TN_COUNT(ways); k++) {
            char method[64];
            if (!p->model && !strcmp(ways[k], "natural"))
                continue;
            snprintf(method, sizeof method, "dop853/%s", formulations[f]);
            options = tight(method, ways[k]);
            options.rotation = p->rotates && k % 2 ? "se3" : "auto";
            const long steps = follow(p, &options, &other);
            printf("%-28s %-18s %-12s %4ld steps, off by %.1e %.1e %.1e\n", p->name, method,
                   ways[k], steps, distance(&reference, &other, OF_Q),
                   distance(&reference, &other, OF_V), distance(&reference, &other, OF_LAMBDA));
            CHECK_NEAR(distance(&reference, &other, OF_Q), 0.0, same);
            CHECK_NEAR(distance(&reference, &other, OF_V), 0.0, SAME_V);
            CHECK_NEAR(distance(&reference, &other, OF_LAMBDA), 0.0, SAME_LAMBDA);
            CHECK_NEAR(distance(&reference, &other, OF_C), 0.0, same);
            CHECK_NEAR(distance(&reference, &other, OF_W), 0.0, same);
        }
}

// Open and closed chains in the plane and in space, none at all, rows that move in time,
// nonholonomic ones, and a contact point coordinate.
static void all_ways_give_one_motion(void)
{
    static const int chosen[] = {SLOW_TOP, SLIDER_CRANK, TUMBLER, DRIVEN_ARM, KNIFE_EDGE, BEAD};
    for (int k = 0; k < TN_COUNT(linkages); k++)
        check_ways(&linkages[k]);
    for (int k = 0; k < TN_COUNT(chosen); k++)
        check_ways(&problems[chosen[k]]);
}

// A full turn -------------------------------------------------------------------------------------

enum { BODY_COORDINATES = 9 };

// The configurations of the free motion of the four-bar over more than two turns of its crank.
typedef struct turn {
    tn_model *model;
    tn_start start; // the system, with the same coordinates as the simulation
    double *q;      // BODY_COORDINATES of each of count + 1
    int count;
    double crank; // angle at the end
} turn;

static turn record_turn(int count)
{
    turn x = {.model = planar_fourbar(), .count = count};
    tn_sim_options options = tight("dop853/minimal", "auto");
    tn_sim *sim = NULL;
    double rate;
    CHECK_OK(tn_start_model(x.model, &options, &x.start));
    CHECK_OK(tn_sim_create(x.model, &options, &sim));
    CHECK(tn_sim_nq(sim) == BODY_COORDINATES && x.start.sys->nq == BODY_COORDINATES);
    x.q = calloc((size_t)(count + 1) * BODY_COORDINATES, sizeof(double));
    CHECK(x.q != NULL);
    for (int k = 0; k <= count; k++) {
        CHECK_OK(tn_sim_run(sim, 1.3 * k / count, NULL, NULL));
        tn_copy(BODY_COORDINATES, tn_sim_q(sim), x.q + (size_t)k * BODY_COORDINATES);
    }
    tn_sim_joint_coordinates(sim, tn_model_find_joint(x.model, "A"), &x.crank, &rate);
    tn_sim_destroy(sim);
    return x;
}

static void forget_turn(turn *x)
{
    tn_start_clear(&x->start);
    tn_model_destroy(x->model);
    free(x->q);
}

// Forms the basis at one configuration after the other, with `active` rows: the largest angle
// between a vector and the one in its place before. Vectors are orthonormal, angles at most pi.
static double largest_angle(const turn *x, const char *way, const int *active, int *flips)
{
    tn_system *sys = x->start.sys;
    const int nv = sys->nv;
    double *last = calloc((size_t)(nv * nv), sizeof(double)), largest = 0.0;
    tn_basis *b = NULL;
    CHECK(last != NULL);
    CHECK_OK(tn_basis_create(sys, way, &b));
    tn_basis_set_active(b, active);
    *flips = 0;
    for (int k = 0; k <= x->count; k++) {
        tn_point at = tn_state_point(&x->start.x);
        at.q = x->q + (size_t)k * BODY_COORDINATES;
        CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_B));
        CHECK_OK(tn_basis_form(b, &at));
        for (int j = 0; k > 0 && j < b->nf; j++) {
            const double *now = b->vectors + (size_t)(j * nv), *then = last + j * nv;
            double chord[BODY_COORDINATES];
            for (int i = 0; i < nv; i++)
                chord[i] = now[i] - then[i];
            const double angle = 2.0 * asin(fmin(1.0, 0.5 * tn_norm2(nv, chord)));
            largest = fmax(largest, angle);
            *flips += angle > 1.5;
        }
        tn_copy(nv * b->nf, b->vectors, last);
    }
    tn_basis_destroy(b);
    free(last);
    return largest;
}

// With all pins there is one freedom; without the pin between coupler and rocker there are three,
// a double pendulum beside a single one, which share no coordinate, so that a basis of the null
// space is free to mix them.
static void gram_schmidt_turns_without_a_jump(void)
{
    enum { LEVELS = 4, FIRST = 200 };
    int open[8];
    double angle[2][LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        turn x = record_turn(FIRST << level);
        CHECK(fabs(x.crank) > 2.0 * 6.283185307179586);
        CHECK(x.start.sys->ng == 8);
        for (int i = 0; i < 8; i++)
            open[i] = i / 2 != 2;
        for (int free = 0; free < 2; free++) {
            const int *active = free ? open : x.start.redundancy.active;
            int flips, other_flips;
            angle[free][level] = largest_angle(&x, "gram-schmidt", active, &flips);
            const double other = largest_angle(&x, "qr", active, &other_flips);
            printf("%d freedoms, %4d positions of %.1f turns: gram-schmidt %.2e rad, %d flips; qr "
                   "%.2e rad, %d flips\n",
                   free ? 3 : 1, x.count, x.crank / 6.283185307179586, angle[free][level], flips,
                   other, other_flips);
            CHECK(flips == 0);
            // The test can tell: vectors as a factorisation happens to give them do jump.
            CHECK(other > 10.0 * angle[free][level]);
            if (level > 0)
                CHECK_NEAR(log2(angle[free][level - 1] / angle[free][level]), 1.0, 0.05);
        }
        forget_turn(&x);
    }
}

// Rows that repeat others -------------------------------------------------------------------------

enum { ROWS = 20, COMPARED = 20 };

// Positions and velocities of the bodies, and the multipliers of the rows that are unique: those of
// the method, and those of the linear system of the acceleration level with all rows, solved by its
// rank, at the state where the method is.
typedef struct course {
    double motion[COMPARED][18], force[COMPARED][8], solved[COMPARED][8];
} course;

static void take_unique(const tn_start *start, const double *lambda, double *out)
{
    int n = 0;
    for (int i = 0; i < ROWS; i++)
        if (start->redundancy.unique[i]) {
            CHECK(n < 8);
            out[n++] = lambda[i];
        }
    CHECK(n == 8); // rows x and y of each joint, see test_fourbar.c
}

static void note_course(tn_sim *sim, const tn_start *start, tn_accel *all, int k, course *out)
{
    double a[18], lambda[ROWS], eta[1];
    tn_point at = tn_state_point(&start->x);
    for (int b = 0; b < 3; b++) {
        const tn_body body = {b + 1};
        tn_v3_to(tn_sim_body_frame(sim, body).p, out->motion[k] + 6 * b);
        tn_v3_to(tn_sim_body_velocity(sim, body), out->motion[k] + 6 * b + 3);
    }
    at.t = tn_sim_time(sim);
    at.q = tn_sim_q(sim);
    at.v = tn_sim_v(sim);
    CHECK_OK(tn_accel_solve(all, &at, NULL, a, lambda, eta));
    CHECK(all->kkt.singular);
    take_unique(start, lambda, out->solved[k]);
    take_unique(start, tn_sim_lambda(sim), out->force[k]);
}

static void run_course(const char *method, const char *way, course *out)
{
    tn_model *model = spatial_fourbar();
    tn_sim_options options = tight(method, way);
    tn_sim *sim = NULL;
    tn_start start;
    tn_accel *all = NULL;
    options.rtol = options.atol = options.project_tol = 1e-13;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_start_model(model, &options, &start));
    CHECK_OK(tn_accel_create(start.sys, &all));
    CHECK(tn_sim_redundant(sim) == 3 && start.sys->ng == ROWS && tn_sim_nq(sim) == start.sys->nq);
    for (int k = 0; k < COMPARED; k++) {
        CHECK_OK(tn_sim_run(sim, 0.25 * (k + 1) / COMPARED, NULL, NULL));
        note_course(sim, &start, all, k, out);
    }
    tn_accel_destroy(all);
    tn_start_clear(&start);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// Relative to sizes, or to one where they are smaller.
static double largest_difference(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]) / (1.0 + fabs(x[i])));
    return most;
}

// The multipliers of radau5 are index-2 variables, of third order instead of fifth: at the steps
// that 1e-13 asks for they have six digits, and those that belong to its motion have ten.
static void repeated_rows_change_nothing_that_is_unique(void)
{
    static const struct {
        const char *method, *way;
        double force;
    } runs[] = {
        {"dop853/udwadia-kalaba+project", "auto", 1e-10},
        {"dop853/nullspace+project", "svd", 1e-10},
        {"dop853/nullspace+project", "qr", 1e-10},
        {"dop853/nullspace+project", "lu", 1e-10},
        {"dop853/nullspace+project", "natural", 1e-10},
        {"dop853/maggi+project", "svd", 1e-10},
        {"dop853/projective+project", "gram-schmidt", 1e-10},
        {"dop853/phase-space+project", "qr", 1e-10},
        {"radau5/ggl", "auto", 5e-6},
    };
    static course first, other;
    run_course(runs[0].method, runs[0].way, &first);
    for (int k = 0; k < TN_COUNT(runs); k++) {
        run_course(runs[k].method, runs[k].way, &other);
        const double motion =
            largest_difference(COMPARED * 18, &first.motion[0][0], &other.motion[0][0]);
        const double force =
            largest_difference(COMPARED * 8, &first.force[0][0], &other.force[0][0]);
        const double solved =
            largest_difference(COMPARED * 8, &first.force[0][0], &other.solved[0][0]);
        printf("%-30s %-12s motion off by %.1e, unique forces by %.1e, by rank %.1e\n",
               runs[k].method, runs[k].way, motion, force, solved);
        CHECK_NEAR(motion, 0.0, 1e-10);
        CHECK_NEAR(force, 0.0, runs[k].force);
        CHECK_NEAR(solved, 0.0, 1e-10);
    }
}

// All twenty rows in the null space, of rank seventeen: the same accelerations, the same unique
// forces, and of the others those of minimum norm, as udwadia-kalaba has them.
static void ranks_are_found_where_nothing_is_left_out(void)
{
    static const char *const by[] = {"udwadia-kalaba", "nullspace", "maggi", "projective",
                                     "phase-space"};
    tn_model *model = spatial_fourbar();
    tn_start start;
    tn_sim_options options = tight("dop853/nullspace", "auto");
    CHECK_OK(tn_start_model(model, &options, &start));
    const tn_system *sys = start.sys;
    CHECK(sys->nv == 18 && sys->ng == 20 && start.redundancy.rank == 17);
    double lambda[2][20], a[2][18], z[64], zdot[64];
    for (int f = 0; f < TN_COUNT(by); f++)
        for (int w = 0; w < (f ? TN_COUNT(ways) : 1); w++) {
            tn_ode *ode = NULL;
            options.nullspace = ways[w];
            CHECK_OK(tn_ode_create(start.sys, tn_find_formulation(by[f]), TN_CHART_LOCAL, &options,
                                   &ode));
            if (f == 0) // takes all rows, and their rank from here
                tn_ode_set_active(ode, start.redundancy.active);
            CHECK(tn_ode_size(ode) <= TN_COUNT(z));
            tn_state x = start.x;
            x.a = a[f > 0];
            x.lambda = lambda[f > 0];
            CHECK_OK(tn_ode_begin(ode, &start.x, false, z, zdot, NULL));
            CHECK_OK(tn_ode_state(ode, start.x.t, z, &x));
            tn_ode_destroy(ode);
            for (int i = 0; f > 0 && i < 18; i++)
                CHECK_NEAR(a[1][i], a[0][i], 1e-10 * (1.0 + fabs(a[0][i])));
            for (int i = 0; f > 0 && i < 20; i++)
                CHECK_NEAR(lambda[1][i], lambda[0][i], 1e-10 * (1.0 + fabs(lambda[0][i])));
        }
    tn_start_clear(&start);
    tn_model_destroy(model);
}

// What is enforced --------------------------------------------------------------------------------

// Velocities in the tangent space by construction: round-off, whatever the tolerance of the run.
// nullspace has errors of the size of the tolerance there.
static void velocities_stay_on_the_constraints(void)
{
    for (int f = 0; f < TN_COUNT(formulations); f++)
        for (int k = 0; k < TN_COUNT(ways); k++) {
            char method[64];
            tn_model *model = planar_fourbar();
            tn_sim *sim = NULL;
            tn_ledger ledger;
            snprintf(method, sizeof method, "dopri5/%s", formulations[f]);
            tn_sim_options options = tight(method, ways[k]);
            options.rtol = options.atol = 1e-4;
            CHECK_OK(tn_sim_create(model, &options, &sim));
            CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
            tn_sim_ledger(sim, &ledger);
            printf("%-20s %-12s %3ld steps, max |g| %.1e, max |Bv| %.1e\n", method, ways[k],
                   ledger.steps, ledger.max_g, ledger.max_gdot);
            CHECK(f == 0 ? ledger.max_gdot > 1e-6 : ledger.max_gdot < 1e-12);
            tn_sim_destroy(sim);
            tn_model_destroy(model);
        }
}

static const tn_test tests[] = {
    {"all ways give one motion", all_ways_give_one_motion},
    {"Gram-Schmidt turns without a jump", gram_schmidt_turns_without_a_jump},
    {"repeated rows change nothing that is unique", repeated_rows_change_nothing_that_is_unique},
    {"ranks are found where nothing is left out", ranks_are_found_where_nothing_is_left_out},
    {"velocities stay on the constraints", velocities_stay_on_the_constraints},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
