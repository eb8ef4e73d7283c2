// SPDX-License-Identifier: MIT
//
// Motions without inertia in equations of any kind: the span of the common kernel of M and C, the
// velocities that forces determine there, accelerations against differences, what is refused, and
// what `check` says of small masses.

#include "coords/joint_coords.h"
#include "linalg/dense.h"
#include "reference/mechanism.h"
#include "start/start.h"
#include "tenon/analysis.h"

#include <string.h>

// A mass matrix whose kernel turns with q ---------------------------------------------------------
//
// M(q) = T(q)^T diag(1, 2, 3, 4, 0, 0, 0) T(q), T a product of plane rotations by angles linear in
// q; one constraint, g = q . q / 2 + b . q. The kernel of M has three dimensions, of which the
// constraint leaves two. Dampers are not symmetric, and forces depend on time and on squares of
// velocities.

enum { N = 7, MOTIONS = 2 };

static const double MASSES[N] = {1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0};
static const double LINE[N] = {0.3, -0.2, 0.5, 0.1, 0.7, -0.4, 0.6};

static void turn(const double *q, double *T) // column major
{
    tn_zero(N * N, T);
    for (int i = 0; i < N; i++)
        T[i * N + i] = 1.0;
    for (int k = 0; k < 2 * N; k++) {
        const int a = k % N, b = (k + 3) % N;
        const double angle = 0.4 * k + 0.3 * q[(k + 1) % N], c = cos(angle), s = sin(angle);
        for (int j = 0; j < N; j++) {
            const double x = T[j * N + a], y = T[j * N + b];
            T[j * N + a] = c * x - s * y;
            T[j * N + b] = s * x + c * y;
        }
    }
}

static int turning_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user;
    double T[N * N];
    turn(at->q, T);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            M[j * N + i] = 0.0;
            for (int k = 0; k < N; k++)
                M[j * N + i] += T[i * N + k] * MASSES[k] * T[j * N + k];
        }
    return 0;
}

static int turning_force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    const double speed = tn_dot(N, at->v, at->v);
    for (int i = 0; i < N; i++) {
        const double gyro = 0.3 * (at->v[(i + 1) % N] - at->v[(i + N - 1) % N]);
        f[i] = -(1.0 + 0.2 * i + 0.1 * speed) * at->v[i] + gyro - (2.0 + i) * at->q[i] +
               sin(3.0 * at->t + i);
    }
    return 0;
}

static int sphere(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = 0.5 * tn_dot(N, at->q, at->q) + tn_dot(N, LINE, at->q);
    return 0;
}

static tn_callbacks turning(void)
{
    return (tn_callbacks){
        .nq = N, .ng = 1, .mass = turning_mass, .force = turning_force, .constraint = sphere};
}

static const double REST[N] = {0}, SPEED[N] = {0.4, -0.1, 0.3, 0.2, -0.5, 0.1, 0.2};

static double multiplied(const tn_sparse *A, const double *x) // largest |A x|
{
    double y[N] = {0};
    tn_sparse_mul(A, 1.0, x, y);
    return tn_norm_inf(A->nrow, y);
}

static void motions_without_inertia_span_the_common_kernel(void)
{
    const tn_callbacks functions = turning();
    const tn_sim_options options = tn_default_sim();
    tn_start s;
    CHECK_OK(tn_start_callbacks(&functions, REST, SPEED, &options, &s));
    tn_massless *ml = s.accel->massless;
    CHECK(s.sys->nmassless == MOTIONS && tn_massless_count(ml) == MOTIONS);
    const tn_point at = tn_state_point(&s.x);
    CHECK_OK(tn_system_eval(s.sys, &at, TN_EVAL_MASS | TN_EVAL_B | TN_EVAL_FORCE | TN_EVAL_GAMMA));
    double gamma = s.sys->gamma[0], left[N] = {0};
    for (int k = 0; k < MOTIONS; k++) {
        const double *motion = tn_massless_motion(ml, k);
        CHECK_NEAR(multiplied(s.sys->block[TN_BLOCK_M], motion), 0.0, 1e-12);
        CHECK_NEAR(multiplied(s.sys->block[TN_BLOCK_B], motion), 0.0, 1e-12);
        CHECK_NEAR(tn_dot(N, motion, s.sys->f), 0.0, 1e-12); // forces balance
    }
    tn_sparse_mul(s.sys->block[TN_BLOCK_M], 1.0, s.x.a, left);
    tn_sparse_mul_t(s.sys->block[TN_BLOCK_B], 1.0, s.x.lambda, left);
    tn_axpy(N, -1.0, s.sys->f, left);
    CHECK_NEAR(tn_norm_inf(N, left), 0.0, 1e-11);
    tn_sparse_mul(s.sys->block[TN_BLOCK_B], 1.0, s.x.a, &gamma);
    CHECK_NEAR(gamma, 0.0, 1e-6); // gamma is by differences here
    tn_start_clear(&s);
}

// Along a run by a method that carries v of the motions without inertia as a guess only.
static void accelerations_are_rates_of_velocities(void)
{
    static const double e = 1e-3;
    const tn_callbacks functions = turning();
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    double before[N], a[N];
    options.method = "dop853/index1+project";
    options.rtol = options.atol = 1e-12;
    CHECK_OK(tn_sim_create_callbacks(&functions, REST, SPEED, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.7 - e, NULL, NULL));
    tn_copy(N, tn_sim_v(sim), before);
    CHECK_OK(tn_sim_run(sim, 0.7, NULL, NULL));
    tn_copy(N, tn_sim_a(sim), a);
    CHECK_OK(tn_sim_run(sim, 0.7 + e, NULL, NULL));
    for (int i = 0; i < N; i++) // third derivatives of size ten
        CHECK_NEAR(0.5 / e * (tn_sim_v(sim)[i] - before[i]), a[i], 1e-5);
    tn_sim_destroy(sim);
}

static void explicit_and_implicit_methods_agree(void)
{
    static const char *const methods[] = {"dop853/index1+project", "radau5/ggl", "bdf/ggl",
                                          "radau5/index1", "adams/index1"};
    double expected[2 * N];
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const tn_callbacks functions = turning();
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = methods[k];
        options.rtol = options.atol = 1e-9;
        CHECK_OK(tn_sim_create_callbacks(&functions, REST, SPEED, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 2.0, NULL, NULL));
        if (k == 0) {
            tn_copy(N, tn_sim_q(sim), expected);
            tn_copy(N, tn_sim_v(sim), expected + N);
        }
        double off = 0.0;
        for (int i = 0; i < N; i++)
            off = fmax(off, fmax(fabs(tn_sim_q(sim)[i] - expected[i]),
                                 fabs(tn_sim_v(sim)[i] - expected[N + i])));
        printf("%-24s %.1e\n", methods[k], off);
        CHECK_NEAR(off, 0.0, 1e-6);
        tn_sim_destroy(sim);
    }
}

// What is refused ---------------------------------------------------------------------------------

// A massless point on springs and dampers between ground and a mass.
static tn_model *series(double k, double d, double k2, double d2)
{
    tn_model *model = tn_model_create();
    tn_body_def def = body_def("mid", 0.0, tn_v3(0, 0, 0), frame_at(1.0, 0.0, 0.0));
    def.kind = TN_BODY_POINT;
    const part mid = add_part(model, &def);
    def = body_def("mass", 2.0, tn_v3(0, 0, 0), frame_at(2.0, 0.0, 0.0));
    def.kind = TN_BODY_POINT;
    const part mass = add_part(model, &def);
    tn_force_def f = tn_default_force(TN_FORCE_SPRING);
    f.body_a = ground.id;
    f.body_b = mid.id;
    f.spring.stiffness = k;
    f.spring.damping = d;
    tn_model_add_force(model, &f);
    f.body_a = mid.id;
    f.body_b = mass.id;
    f.spring.stiffness = k2;
    f.spring.damping = d2;
    tn_model_add_force(model, &f);
    return model;
}

static void check_refused(tn_model *model, const char *text)
{
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK_STATUS(tn_check_create(model, &options, &check), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), text);
    tn_model_destroy(model);
}

static tn_model *rail(double damping, double stiffness)
{
    tn_model *model = tn_model_create();
    const tn_body_def def = body_def("block", 0.0, tn_v3(0, 0, 0), tn_frame_identity);
    const part block = add_part(model, &def);
    const tn_joint j = join(model, TN_JOINT_PRISMATIC, "rail", ground, block, tn_frame_identity);
    tn_force_def f = tn_default_force(TN_FORCE_JOINT_SPRING);
    f.joint = j;
    f.spring.stiffness = stiffness;
    f.spring.damping = damping;
    tn_model_add_force(model, &f);
    return model;
}

static void what_no_damper_determines_is_named(void)
{
    check_refused(series(10.0, 1.0, 10.0, 1.0), // dampers along x only
                  "body 'mid', y is free to move without inertia, and no damper acts on it; add "
                  "one, give the body mass or inertia, or hold it by a joint");
    check_refused(rail(0.0, 0.0),
                  "body 'block', z is free to move without inertia, and no damper acts on it; add "
                  "one, give the body mass or inertia, or hold it by a joint");
    check_refused(rail(0.0, 100.0),
                  "body 'block', z is free to move without inertia and held by springs or weights "
                  "alone, which determine its position and not its velocity (an equation of higher "
                  "index, which is not solved); add a damper, or give the body mass or inertia");
}

// The block alone on its rail, with a damper: nothing in the model has mass.
static void a_model_may_have_no_mass_at_all(void)
{
    tn_model *model = rail(4.0, 2.0);
    tn_force_def f = tn_default_force(TN_FORCE_POINT);
    f.body_b.index = 1;
    f.point.force[2].constant = 3.0;
    tn_model_add_force(model, &f);
    static const char *const methods[] = {"dop853/index1", "radau5/ggl", "auto"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = methods[k];
        options.rtol = options.atol = 1e-9;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
        CHECK_NEAR(tn_sim_body_frame(sim, (tn_body){1}).p.z, 1.5 * (1.0 - exp(-0.5)), 1e-7);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// Coordinate 0 is held by a row, coordinate 1 has no mass and rubs on that row, or not.
static int held_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user;
    (void)at;
    static const double one[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
    memcpy(M, one, sizeof one);
    return 0;
}

static int rubbing_force(void *user, const tn_arguments *at, double *f)
{
    const double lambda = at->lambda ? at->lambda[0] : 0.0;
    const bool *massless_rubs = user;
    f[0] = -1.0;
    f[1] = -at->v[1] - (*massless_rubs ? 0.3 * lambda : 0.0);
    f[2] = *massless_rubs ? 0.0 : -0.3 * lambda;
    return 0;
}

static int hold_first(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = at->q[0];
    return 0;
}

static void friction_is_refused_only_where_it_acts_on_such_a_motion(void)
{
    bool rubs = true;
    const double zero[3] = {0};
    const tn_callbacks functions = {.user = &rubs,
                                    .nq = 3,
                                    .ng = 1,
                                    .lambda_in_force = true,
                                    .mass = held_mass,
                                    .force = rubbing_force,
                                    .constraint = hold_first};
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = "radau5/ggl";
    CHECK_STATUS(tn_sim_create_callbacks(&functions, zero, zero, &options, &sim), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(),
               "coordinate 1 has no inertia, and a force on it depends on constraint forces "
               "(friction), which is not solved; give the body mass or inertia, or take the "
               "friction out");
    rubs = false;
    CHECK_OK(tn_sim_create_callbacks(&functions, zero, zero, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 1.0, NULL, NULL));
    CHECK_NEAR(tn_sim_q(sim)[2], 0.5 * 0.3, 1e-6); // lambda = -1
    tn_sim_destroy(sim);
}

static int any_algebraic(void *user, const tn_arguments *at, double *b)
{
    (void)user;
    b[0] = at->w[0] - at->q[1];
    return 0;
}

static void algebraic_variables_are_refused(void)
{
    bool rubs = false;
    const double zero[3] = {0};
    const tn_callbacks functions = {.user = &rubs,
                                    .nq = 3,
                                    .nw = 1,
                                    .mass = held_mass,
                                    .force = rubbing_force,
                                    .algebraic = any_algebraic};
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_STATUS(tn_sim_create_callbacks(&functions, zero, zero, &options, &sim), TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), "motions without inertia together with algebraic variables w or s "
                                "are not solved; give all coordinates mass");
}

// Coordinate 1 has inertia once coordinate 0 is beyond one half.
static int growing_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user;
    M[0] = 1.0;
    M[1] = M[2] = 0.0;
    M[3] = fmax(0.0, at->q[0] - 0.5);
    return 0;
}

static int growing_force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    f[0] = 0.0;
    f[1] = -at->v[1] - at->q[1];
    return 0;
}

static void inertia_that_comes_later_ends_the_run(void)
{
    const tn_callbacks functions = {.nq = 2, .mass = growing_mass, .force = growing_force};
    const double q[2] = {0.0, 1.0}, v[2] = {1.0, 0.0};
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = "dopri5/index1";
    CHECK_OK(tn_sim_create_callbacks(&functions, q, v, &options, &sim));
    CHECK_STATUS(tn_sim_run(sim, 1.0, NULL, NULL), TN_ERR_NUMERIC);
    CHECK(strstr(tn_last_error(), "coordinate 1 had no inertia at the start and has some") != NULL);
    CHECK_NEAR(tn_sim_time(sim), 0.5, 1e-3);
    tn_sim_destroy(sim);
}

// Tolerances and warnings -------------------------------------------------------------------------

static tn_model *light_block(double mass)
{
    tn_model *model = rail(4.0, 2.0);
    const tn_body_def def = body_def("load", 1.0, tn_v3(1, 1, 1), tn_frame_identity);
    const part load = add_part(model, &def);
    tn_body_def light = body_def("light", mass, tn_v3(mass, mass, mass), tn_frame_identity);
    const part block = add_part(model, &light);
    const tn_joint a = join(model, TN_JOINT_PRISMATIC, "a", ground, block, tn_frame_identity);
    const tn_joint b = join(model, TN_JOINT_PRISMATIC, "b", block, load, tn_frame_identity);
    tn_force_def f = tn_default_force(TN_FORCE_JOINT_SPRING);
    f.joint = a;
    f.spring.stiffness = 90.0;
    f.spring.damping = 3.0;
    tn_model_add_force(model, &f);
    f.joint = b;
    f.spring.stiffness = 10.0;
    f.spring.damping = 2.0;
    f.spring.preload = 1.0; // so that it moves
    tn_model_add_force(model, &f);
    return model;
}

static void the_tolerance_says_what_counts_as_none(void)
{
    tn_model *model = light_block(1e-9);
    tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK_OK(tn_check_create(model, &options, &check));
    CHECK(tn_check_massless_count(check) == 1);
    CHECK_TEXT(tn_check_massless(check, 0), "body 'block', z");
    tn_check_destroy(check);
    options.massless_tol = 1e-8;
    CHECK_OK(tn_check_create(model, &options, &check));
    CHECK(tn_check_massless_count(check) == 2);
    CHECK_TEXT(tn_check_massless(check, 1), "body 'light', z");
    tn_check_destroy(check);
    // What is left out is of the order of the ratio.
    tn_model *heavier = light_block(1e-4), *without = light_block(0.0);
    double z[2];
    for (int k = 0; k < 2; k++) {
        tn_sim *run = NULL;
        options.method = "dopri5/index1";
        options.massless_tol = 1e-3;
        CHECK_OK(tn_sim_create(k ? without : heavier, &options, &run));
        CHECK_OK(tn_sim_run(run, 0.5, NULL, NULL));
        z[k] = tn_sim_body_frame(run, (tn_body){2}).p.z;
        tn_sim_destroy(run);
    }
    CHECK(fabs(z[1]) > 0.01);
    CHECK_NEAR(z[0], z[1], 1e-4 * fabs(z[1]));
    tn_model_destroy(heavier);
    tn_model_destroy(without);
    options.massless_tol = -1.0;
    tn_sim *sim = NULL;
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "massless_tol is -1; it must not be negative");
    tn_model_destroy(model);
}

// The light block between its two springs: sqrt(100 / m) and 5 / m.
static void small_masses_are_reported_with_their_rates(void)
{
    tn_model *model = light_block(1e-6);
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK_OK(tn_check_create(model, &options, &check));
    CHECK(tn_check_small_mass_count(check) == 1);
    const tn_small_mass m = tn_check_small_mass(check, 0);
    CHECK_TEXT(tn_model_body_name(model, m.body), "light");
    CHECK_TEXT(tn_model_body_name(model, m.neighbour), "load");
    CHECK(!m.turning);
    CHECK_NEAR(m.ratio, 1e-6, 1e-18);
    CHECK_NEAR(m.frequency / 1e4, 1.0, 1e-5); // off by the part of the load in the motion
    CHECK_NEAR(m.decay / 5e6, 1.0, 1e-5);
    tn_check_destroy(check);
    tn_model_destroy(model);
}

static void ordinary_masses_are_not_reported(void)
{
    tn_model *model = light_block(0.01);
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK_OK(tn_check_create(model, &options, &check));
    CHECK(tn_check_small_mass_count(check) == 0);
    tn_check_destroy(check);
    tn_model_destroy(model);
}

// Large trees have no mass matrix in joint coordinates, which loops need: they cut the tree.
static void loops_bring_a_mass_matrix_to_large_models(void)
{
    tn_model *model = rail(4.0, 2.0);
    part last = ground;
    for (int k = 0; k < TN_JOINT_DENSE_MAX; k++) {
        const tn_body_def def = body_def(NULL, 1.0, tn_v3(1, 1, 1), tn_frame_identity);
        const part next = add_part(model, &def);
        join(model, TN_JOINT_REVOLUTE, NULL, last, next, frame_at(k, 0.0, 0.0));
        last = next;
    }
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    char text[240];
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_TEXT(tn_sim_method(sim), "dop853/index1@joint");
    CHECK_OK(tn_sim_step(sim, 1e-3));
    CHECK_TEXT(tn_sim_solver(sim), "tree");
    tn_sim_destroy(sim);
    tn_joint_def rod = joint_at(TN_JOINT_DISTANCE, NULL, ground, last, tn_frame_identity);
    rod.frame_a.p = tn_v3(0.0, 1.0, 0.0);
    rod.distance.length = 1.0;
    tn_model_add_joint(model, &rod);
    options.method = "dopri5/index1@joint";
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_step(sim, 1e-3));
    CHECK(strcmp(tn_sim_solver(sim), "tree") != 0);
    tn_sim_destroy(sim);
    tn_force_def motor = tn_default_force(TN_FORCE_MOTOR); // couples what loops would cut
    motor.joint = (tn_joint){0};
    motor.motor.effort = (tn_function){.expression = "-0.1*rail.displacement"};
    tn_model_add_force(model, &motor);
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_PAIRING);
    snprintf(
        text, sizeof text,
        "motions without inertia in closed loops, or under forces by expressions of the state, "
        "need a mass matrix, which joint coordinates of more than %d velocities do without, "
        "and this model has %d; take @absolute",
        TN_JOINT_DENSE_MAX, TN_JOINT_DENSE_MAX + 1);
    CHECK_TEXT(tn_last_error(), text);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// A body in two massless rings, the outer and the innermost axis in line at the start: the rings
// are free to turn between these, until the middle axis has turned.
static void rings_that_lock_at_the_start_are_told_of(void)
{
    static const char *const methods[] = {"dopri5/index1@absolute", "dopri5/index1@joint"};
    static const char *const expected[] = {
        "had no inertia at the start and has some at t =",
        "motions without inertia was 1 at the start and is 0 at"};
    tn_model *model = tn_model_create();
    const tn_frame along_x = {tn_m3_rot_y(0.5 * PI), {0, 0, 0}};
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    part last = ground;
    for (int k = 0; k < 3; k++) {
        const double mass = k < 2 ? 0.0 : 1.0;
        tn_body_def def = body_def(NULL, mass, tn_v3(mass, mass, mass), tn_frame_identity);
        def.com = tn_v3(0.0, 0.3 * mass, 0.0);
        const part next = add_part(model, &def);
        tn_force_def f = tn_default_force(TN_FORCE_JOINT_SPRING);
        f.joint =
            join(model, TN_JOINT_REVOLUTE, NULL, last, next, k == 1 ? along_x : tn_frame_identity);
        f.spring.damping = 0.5;
        tn_model_add_force(model, &f);
        last = next;
    }
    for (int k = 0; k < 2; k++) {
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = methods[k];
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_STATUS(tn_sim_run(sim, 1.0, NULL, NULL), TN_ERR_NUMERIC);
        printf("%s\n", tn_last_error());
        CHECK(strstr(tn_last_error(), expected[k]) != NULL);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

static void auto_knows_how_stiff_massless_motions_are(void)
{
    static const double damping[] = {4.0, 1e-4};
    static const char *const given[] = {"auto", "auto@joint"};
    static const char *const chosen[2][2] = {{"dop853/index1@joint", "radau5/ggl@absolute"},
                                             {"dop853/index1@joint", "radau5/ggl@joint"}};
    for (int k = 0; k < 4; k++) {
        tn_model *model = rail(damping[k % 2], 2.0); // comes to rest at k / d
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = given[k / 2];
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_TEXT(tn_sim_method(sim), chosen[k / 2][k % 2]);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Memory ------------------------------------------------------------------------------------------

static void runs_allocate_nothing(void)
{
    static const char *const methods[] = {"dopri5/index1+project", "radau5/ggl", "galpha/ggl"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = light_block(0.0);
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        options.method = methods[k];
        CHECK_OK(tn_sim_create(model, &options, &sim));
        const long before = tn_test_alloc_count();
        CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
        CHECK(tn_test_alloc_count() == before);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static void running_out_of_memory_leaks_nothing(void)
{
    tn_model *model = light_block(0.0);
    tn_sim_options options = tn_default_sim();
    options.method = "dopri5/index1+project";
    const long live = tn_test_alloc_live();
    int refused = 0;
    for (int k = 1;; k++) {
        tn_sim *sim = NULL;
        tn_check *check = NULL;
        tn_test_alloc_fail_at(k);
        tn_status status = tn_sim_create(model, &options, &sim);
        if (status == TN_OK)
            status = tn_check_create(model, &options, &check);
        const bool failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        tn_check_destroy(check);
        tn_sim_destroy(sim);
        CHECK(tn_test_alloc_live() == live);
        if (!failed)
            break;
        CHECK(status == TN_ERR_MEMORY);
        refused++;
    }
    CHECK(refused > 20);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"motions without inertia span the common kernel",
     motions_without_inertia_span_the_common_kernel},
    {"accelerations are rates of velocities", accelerations_are_rates_of_velocities},
    {"explicit and implicit methods agree", explicit_and_implicit_methods_agree},
    {"what no damper determines is named", what_no_damper_determines_is_named},
    {"friction is refused only where it acts on such a motion",
     friction_is_refused_only_where_it_acts_on_such_a_motion},
    {"algebraic variables are refused", algebraic_variables_are_refused},
    {"a model may have no mass at all", a_model_may_have_no_mass_at_all},
    {"inertia that comes later ends the run", inertia_that_comes_later_ends_the_run},
    {"the tolerance says what counts as none", the_tolerance_says_what_counts_as_none},
    {"small masses are reported with their rates", small_masses_are_reported_with_their_rates},
    {"ordinary masses are not reported", ordinary_masses_are_not_reported},
    {"loops bring a mass matrix to large models", loops_bring_a_mass_matrix_to_large_models},
    {"rings that lock at the start are told of", rings_that_lock_at_the_start_are_told_of},
    {"auto knows how stiff massless motions are", auto_knows_how_stiff_massless_motions_are},
    {"runs allocate nothing", runs_allocate_nothing},
    {"running out of memory leaks nothing", running_out_of_memory_leaks_nothing},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
