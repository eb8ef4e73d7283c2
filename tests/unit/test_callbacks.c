// SPDX-License-Identifier: MIT
//
// Systems of user functions: a pendulum against its derivatives by hand, the outcomes of the user's
// functions, what is refused, given derivatives over time beside differences, memory, samples and
// names. test_callbacks_tangent.c has the derivatives of a problem with every kind of variable.

#include "callbacks_problem.h"
#include "tenon/sim.h"
#include "test.h"

static const double ROUNDOFF = 1e-13; // a few operations on numbers of size one
static const double FIRST = 3e-11;    // order four, one level: 3e-12 times the size of the terms
static const double TANGENT = 1e-9;   // order two, of exact functions: 4e-11 times that size
static const double NESTED = 2e-7;    // order two, of differences: 2e-8 times that size
static const double NESTED_4 = 4e-8;  // order four, of differences: 4e-9 times that size

// The pendulum ------------------------------------------------------------------------------------

typedef struct pendulum {
    int fails_in;  // which function fails: 'm', 'f', 'g', 'G'
    int code;      // what it returns
    double result; // what stands in its last entry instead
    int sees_v;    // how often a position function was given v
} pendulum;

static int outcome(pendulum *p, int name, double *last)
{
    if (p->fails_in != name)
        return 0;
    if (p->code == 0)
        *last = p->result;
    return p->code;
}

static int pendulum_mass(void *user, const tn_arguments *at, double *M)
{
    ((pendulum *)user)->sees_v += at->v != NULL;
    M[0] = M[3] = 2.0;
    M[1] = M[2] = 0.0;
    return outcome(user, 'm', M + 3);
}

static int pendulum_force(void *user, const tn_arguments *at, double *f)
{
    CHECK(at->lambda == NULL);
    f[0] = -0.5 * at->v[0];
    f[1] = -0.5 * at->v[1] - 2.0 * 9.81;
    return outcome(user, 'f', f + 1);
}

static int pendulum_constraint(void *user, const tn_arguments *at, double *g)
{
    ((pendulum *)user)->sees_v += at->v != NULL;
    g[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1.0);
    return outcome(user, 'g', g);
}

static int pendulum_jacobian(void *user, const tn_arguments *at, double *G)
{
    G[0] = at->q[0];
    G[1] = at->q[1];
    return outcome(user, 'G', G + 1);
}

static int pendulum_gamma(void *user, const tn_arguments *at, double *gamma)
{
    (void)user;
    gamma[0] = at->v[0] * at->v[0] + at->v[1] * at->v[1];
    return 0;
}

static int pendulum_force_dv(void *user, const tn_arguments *at, double *fv)
{
    (void)user;
    (void)at;
    fv[0] = fv[3] = -0.5;
    fv[1] = fv[2] = 0.0;
    return 0;
}

static int pendulum_residual_dq(void *user, const tn_arguments *at, const double *a, double *K)
{
    (void)user;
    (void)a;
    K[0] = K[3] = at->lambda[0];
    K[1] = K[2] = 0.0;
    return 0;
}

static int pendulum_energy(void *user, const tn_arguments *at, double energy[4])
{
    (void)user;
    const double vv = at->v[0] * at->v[0] + at->v[1] * at->v[1];
    energy[0] = vv;
    energy[1] = 2.0 * 9.81 * at->q[1];
    energy[2] = 0.5 * vv;
    energy[3] = 0.0;
    return at->q[1] > 10.0 ? -1 : 0;
}

static tn_callbacks pendulum_callbacks(pendulum *p)
{
    return (tn_callbacks){.user = p,
                          .nq = 2,
                          .ng = 1,
                          .mass = pendulum_mass,
                          .force = pendulum_force,
                          .constraint = pendulum_constraint};
}

static const double pq[2] = {0.6, -0.8}, pv[2] = {0.4, 0.3}, pa[2] = {1.0, 2.0}, pl[1] = {7.0};
static const tn_point pendulum_point = {.t = 0.5, .q = pq, .v = pv, .a = pa, .lambda = pl};

static void check_block(const tn_sparse *A, int n, const double *expected, double tol)
{
    CHECK(A != NULL && A->nnz == n);
    for (int k = 0; k < n; k++)
        CHECK_NEAR(A->val[k], expected[k], tol);
}

static void check_pendulum(const tn_callbacks *cb, double first, double gamma, double tangent)
{
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(cb, &sys));
    CHECK_OK(tn_system_eval(sys, &pendulum_point, EVERYTHING));
    check_block(sys->block[TN_BLOCK_M], 4, (double[]){2.0, 0.0, 0.0, 2.0}, ROUNDOFF);
    check_block(sys->block[TN_BLOCK_B], 2, pq, first);
    check_block(sys->block[TN_BLOCK_K], 4, (double[]){7.0, 0.0, 0.0, 7.0}, tangent);
    check_block(sys->block[TN_BLOCK_D], 4, (double[]){0.5, 0.0, 0.0, 0.5}, TANGENT);
    check_block(sys->block[TN_BLOCK_Z], 2, pv, tangent);
    CHECK_NEAR(sys->f[1], -0.15 - 19.62, ROUNDOFF);
    CHECK_NEAR(sys->g[0], 0.0, ROUNDOFF);
    CHECK_NEAR(sys->gdot[0], 0.0, first);
    CHECK_NEAR(sys->gamma[0], 0.25, gamma);
    for (int k = TN_BLOCK_NZ; k < TN_BLOCK_COUNT; k++)
        CHECK(sys->block[k] == NULL);
    CHECK(sys->block[TN_BLOCK_N] == NULL && !sys->force_uses_lambda && sys->nv == 2);
    CHECK(sys->ops->energy == NULL && sys->ops->sample == NULL && sys->ops->next_sample == NULL);
    tn_system_destroy(sys);
}

static void a_pendulum_matches_its_derivatives_by_hand(void)
{
    pendulum p = {0};
    tn_callbacks cb = pendulum_callbacks(&p);
    check_pendulum(&cb, FIRST, NESTED_4, NESTED);
    cb.jacobian = pendulum_jacobian;
    check_pendulum(&cb, ROUNDOFF, FIRST, TANGENT);
    cb.gamma = pendulum_gamma;
    cb.force_dv = pendulum_force_dv;
    cb.residual_dq = pendulum_residual_dq;
    check_pendulum(&cb, ROUNDOFF, ROUNDOFF, TANGENT);
    CHECK(p.sees_v == 0);
}

static void far_coordinates_keep_their_digits(void)
{
    pendulum p = {0};
    const tn_callbacks cb = pendulum_callbacks(&p);
    const double q[2] = {1e6, -3e5};
    const tn_point at = {.t = 0.0, .q = q, .v = pv, .a = pa, .lambda = pl};
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(&cb, &sys));
    CHECK_OK(tn_system_eval(sys, &at, TN_EVAL_B));
    for (int j = 0; j < 2; j++)
        CHECK_NEAR(sys->block[TN_BLOCK_B]->val[j] / q[j], 1.0, 1e-7); // eps g / (d q)
    tn_system_destroy(sys);
}

static void energies_pass_through(void)
{
    pendulum p = {0};
    tn_callbacks cb = pendulum_callbacks(&p);
    cb.energy = pendulum_energy;
    tn_system *sys = NULL;
    tn_energy energy;
    CHECK_OK(tn_callbacks_create(&cb, &sys));
    sys->ops->energy(sys, &pendulum_point, &energy);
    CHECK_NEAR(energy.kinetic, 0.25, ROUNDOFF);
    CHECK_NEAR(energy.potential, -0.8 * 19.62, 100 * ROUNDOFF);
    CHECK_NEAR(energy.dissipated, 0.125, ROUNDOFF);
    CHECK(energy.supplied == 0.0 && !energy.has_momentum);
    const double high[2] = {0.0, 11.0};
    const tn_point at = {.q = high, .v = pv, .lambda = pl};
    sys->ops->energy(sys, &at, &energy); // the function refuses
    CHECK(isnan(energy.kinetic));
    tn_system_destroy(sys);
}

// Outcomes ----------------------------------------------------------------------------------------

static void check_outcome(pendulum p, bool jacobians, unsigned want, tn_status code,
                          const char *text)
{
    tn_callbacks cb = pendulum_callbacks(&p);
    cb.jacobian = jacobians ? pendulum_jacobian : NULL;
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(&cb, &sys));
    CHECK_STATUS(tn_system_eval(sys, &pendulum_point, want), code);
    CHECK_TEXT(tn_last_error(), text);
    tn_system_destroy(sys);
}

static void return_codes_are_understood(void)
{
    check_outcome((pendulum){.fails_in = 'f', .code = 2}, true, TN_EVAL_FORCE, TN_RETRY_FUNCTION,
                  "the user's function 'force' asked for a smaller step at t = 0.5 s");
    check_outcome((pendulum){.fails_in = 'f', .code = -3}, true, TN_EVAL_FORCE, TN_ERR_NUMERIC,
                  "the user's function 'force' returned -3 at t = 0.5 s");
    check_outcome((pendulum){.fails_in = 'g', .code = -1}, false, TN_EVAL_B, TN_ERR_NUMERIC,
                  "the user's function 'constraint' returned -1 at t = 0.5 s");
    check_outcome((pendulum){.fails_in = 'G', .code = 1}, true, TN_EVAL_TANGENT, TN_RETRY_FUNCTION,
                  "the user's function 'jacobian' asked for a smaller step at t = 0.5 s");
}

static void numbers_that_are_not_finite_are_caught(void)
{
    const double inf = INFINITY;
    check_outcome((pendulum){.fails_in = 'm', .result = inf}, true, TN_EVAL_MASS, TN_RETRY_FUNCTION,
                  "the user's function 'mass' gave inf in entry [3] at t = 0.5 s");
    check_outcome((pendulum){.fails_in = 'f', .result = inf}, true, TN_EVAL_FORCE,
                  TN_RETRY_FUNCTION,
                  "the user's function 'force' gave inf in entry [1] at t = 0.5 s");
    check_outcome((pendulum){.fails_in = 'G', .result = inf}, true, TN_EVAL_B, TN_RETRY_FUNCTION,
                  "the user's function 'jacobian' gave inf in entry [1] at t = 0.5 s");
}

static int degenerate(void *user, const tn_arguments *at, double *h)
{
    (void)user;
    h[0] = h[1] = at->s[0] + at->s[1];
    return 0;
}

static void contact_points_that_are_not_determined_are_told(void)
{
    tn_callbacks cb = whole_problem(true, true);
    cb.contact = degenerate;
    double x[NX] = {0.25};
    const tn_point at = point_of(x);
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(&cb, &sys));
    CHECK_STATUS(tn_system_eval(sys, &at, TN_EVAL_B), TN_RETRY_SINGULAR);
    CHECK_TEXT(tn_last_error(),
               "the derivative dh/ds of the user's function 'contact' is singular at "
               "t = 0.25 s: h = 0 must determine s");
    tn_system_destroy(sys);
}

static int swings(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = hypot(at->q[0], at->q[1]) - 1.0 - 0.01 * sin(3.0 * at->t);
    return 0;
}

static void time_in_constraints_must_be_told(void)
{
    pendulum p = {0};
    tn_callbacks cb = pendulum_callbacks(&p);
    cb.constraint = swings;
    cb.jacobian = NULL;
    cb.time_dependent = false;
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(&cb, &sys));
    CHECK_STATUS(tn_callbacks_check(sys, &pendulum_point), TN_ERR_USAGE);
    CHECK(strstr(tn_last_error(), "'constraint' depends on time") != NULL);
    tn_system_destroy(sys);
    cb.time_dependent = true;
    CHECK_OK(tn_callbacks_create(&cb, &sys));
    CHECK_OK(tn_callbacks_check(sys, &pendulum_point));
    tn_system_destroy(sys);
}

// Derivatives over time ---------------------------------------------------------------------------

// A pendulum whose pivot stands still until `begins` and then moves by 0.1 sin(3 t) along x. Its
// functions ask for a smaller step before `starts` and after `ends`. The factors are one where they
// are right.
typedef struct driven {
    double begins, starts, ends;
    double in_gt, in_gamma, in_bend;
} driven;

static const driven RIGHT = {-INFINITY, -INFINITY, INFINITY, 1.0, 1.0, 1.0};

static void pivot(const driven *d, double t, double u[3])
{
    const double since = t - fmax(d->begins, -1.0), on = since > 0.0;
    u[0] = on * 0.1 * sin(3.0 * since);
    u[1] = on * 0.3 * cos(3.0 * since);
    u[2] = -on * 0.9 * sin(3.0 * since);
}

static int driven_outcome(const driven *d, double t)
{
    return t < d->starts || t > d->ends;
}

static int driven_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int driven_force(void *user, const tn_arguments *at, double *f)
{
    (void)user, (void)at;
    f[0] = 0.0;
    f[1] = -9.81;
    return 0;
}

static int driven_constraint(void *user, const tn_arguments *at, double *g)
{
    double u[3];
    pivot(user, at->t, u);
    const double x = at->q[0] - u[0], y = at->q[1];
    g[0] = 0.5 * (x * x + y * y - 1.0);
    return driven_outcome(user, at->t);
}

static int driven_constraint_t(void *user, const tn_arguments *at, double *gt)
{
    double u[3];
    pivot(user, at->t, u);
    gt[0] = -((const driven *)user)->in_gt * (at->q[0] - u[0]) * u[1];
    return driven_outcome(user, at->t);
}

static int driven_gamma(void *user, const tn_arguments *at, double *gamma)
{
    const driven *d = user;
    double u[3];
    pivot(user, at->t, u);
    const double vx = at->v[0] - u[1], vy = at->v[1];
    gamma[0] = d->in_gamma * (vx * vx + vy * vy) - d->in_bend * (at->q[0] - u[0]) * u[2];
    return driven_outcome(user, at->t);
}

// NULL where the start is taken, else what is said. At rest but for what the drive asks.
static const char *start_driven(driven d, bool with_gamma)
{
    const double q[2] = {0.6, -0.8}, v[2] = {0.0, 0.0};
    const tn_callbacks cb = {.user = &d,
                             .nq = 2,
                             .ng = 1,
                             .mass = driven_mass,
                             .force = driven_force,
                             .constraint = driven_constraint,
                             .constraint_t = driven_constraint_t,
                             .gamma = with_gamma ? driven_gamma : NULL,
                             .time_dependent = true};
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    const tn_status status = tn_sim_create_callbacks(&cb, q, v, &options, &sim);
    CHECK(status == TN_OK || status == TN_ERR_USAGE);
    tn_sim_destroy(sim);
    return status == TN_OK ? NULL : tn_last_error();
}

static void check_says(const char *said, const char *part)
{
    CHECK(said != NULL && strstr(said, part) != NULL);
}

static void rates_over_time_are_compared_with_differences(void)
{
    driven d = RIGHT;
    CHECK(start_driven(d, false) == NULL);
    CHECK(start_driven(d, true) == NULL);
    d.in_gt = 0.0; // left at zero
    check_says(start_driven(d, false), "'constraint_t' has 0 at row 1 (row 0) at t = 0.");
    check_says(start_driven(d, false), "differences of 'constraint' over time give ");
    d.in_gt = -1.0;
    check_says(start_driven(d, true), "'constraint_t' has ");
    d.in_gt = 1.01;
    check_says(start_driven(d, true), "'constraint_t' has ");
    d = RIGHT;
    d.in_bend = 0.0; // as if the pivot moved steadily
    check_says(start_driven(d, true), "'gamma' has ");
    d = RIGHT;
    d.in_gamma = -1.0;
    check_says(start_driven(d, true), "'gamma' has ");
}

// A drive that begins at the start, or later, and functions with a first and a last time.
static void kinks_and_ends_of_time_raise_no_alarm(void)
{
    static const double begins[] = {0.0, 0.05, 0.4};
    for (int k = 0; k < TN_COUNT(begins); k++) {
        driven d = RIGHT;
        d.begins = begins[k];
        CHECK(start_driven(d, true) == NULL);
        d.in_gt = -1.0;
        check_says(start_driven(d, true), "'constraint_t' has ");
    }
    driven d = RIGHT;
    d.begins = d.starts = 0.0;
    d.ends = 0.01;
    CHECK(start_driven(d, true) == NULL);
    d.in_gt = -1.0;
    check_says(start_driven(d, true), "'constraint_t' has ");
}

static int wrong_gamma(void *user, const tn_arguments *at, double *gamma)
{
    pendulum_gamma(user, at, gamma);
    gamma[0] = -gamma[0];
    return 0;
}

// A way that is straight up to x = 0, and bent from there on.
static int bent_constraint(void *user, const tn_arguments *at, double *g)
{
    const double x = fmax(at->q[0], 0.0);
    (void)user;
    g[0] = at->q[1] - x * x;
    return 0;
}

static int bent_gamma(void *user, const tn_arguments *at, double *gamma)
{
    (void)user;
    gamma[0] = at->q[0] > 0.0 ? -2.0 * at->v[0] * at->v[0] : 0.0;
    return 0;
}

static int bent_wrong_gamma(void *user, const tn_arguments *at, double *gamma)
{
    bent_gamma(user, at, gamma);
    gamma[0] = -gamma[0];
    return 0;
}

static void gamma_is_compared_in_motion(void)
{
    const double q[2][2] = {{0.6, -0.8}, {0.0, 0.0}}, rest[2] = {0.0, 0.0};
    pendulum p = {0};
    tn_callbacks cb[4] = {pendulum_callbacks(&p)};
    cb[1] = cb[2] = cb[3] = cb[0];
    cb[0].gamma = pendulum_gamma;
    cb[1].gamma = wrong_gamma;
    cb[2].constraint = cb[3].constraint = bent_constraint;
    cb[2].gamma = bent_gamma;
    cb[3].gamma = bent_wrong_gamma;
    for (int k = 0; k < 4; k++) {
        const tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        const tn_status status = tn_sim_create_callbacks(&cb[k], q[k / 2], rest, &options, &sim);
        if (k % 2 == 0)
            CHECK_OK(status);
        else
            CHECK_STATUS(status, TN_ERR_USAGE);
        if (k == 1)
            CHECK(strstr(tn_last_error(), "'gamma' has -") != NULL);
        tn_sim_destroy(sim);
    }
}

static void check_refused(const tn_callbacks *cb, const char *text)
{
    tn_system *sys = NULL;
    CHECK_STATUS(tn_callbacks_create(cb, &sys), TN_ERR_USAGE);
    CHECK(sys == NULL);
    CHECK_TEXT(tn_last_error(), text);
}

static double never(void *user, double t)
{
    (void)user;
    (void)t;
    return INFINITY;
}

static void missing_functions_are_refused(void)
{
    tn_callbacks all = whole_problem(true, true), cb = all;
#define WITHOUT(name, reason) \
    cb = all;                 \
    cb.name = NULL;           \
    check_refused(&cb,        \
                  "callbacks: the function '" #name "' is missing; it is needed because " reason)
    WITHOUT(mass, "nq = 3");
    WITHOUT(force, "nq = 3");
    WITHOUT(constraint, "ng = 2");
    WITHOUT(pfaffian, "nn = 1");
    WITHOUT(states, "nc = 2");
    WITHOUT(algebraic, "nw = 1");
    WITHOUT(contact, "ns = 2");
    all.sample = states;
    WITHOUT(next_sample, "'sample' is given");
    all.next_sample = never;
    WITHOUT(sample, "'next_sample' is given");
#undef WITHOUT
}

static void impossible_dimensions_are_refused(void)
{
    tn_callbacks cb = whole_problem(true, true);
    cb.nw = -1;
    check_refused(&cb, "callbacks: nw = -1, but a dimension cannot be negative");
    cb.nw = 10001;
    check_refused(&cb, "callbacks: nw = 10001 is more than the 10000 that dense blocks allow");
    cb.nw = 1;
    cb.nq = 0;
    check_refused(&cb, "callbacks: nq = 0, but there must be at least one coordinate");
}

// The rest ----------------------------------------------------------------------------------------

static void evaluation_allocates_nothing(void)
{
    const tn_callbacks cb = whole_problem(false, true);
    const double x[NX] = {0.3, 0.9, 0.2, -0.4};
    const tn_point at = point_of(x);
    tn_system *sys = NULL;
    const long live = tn_test_alloc_live();
    CHECK_OK(tn_callbacks_create(&cb, &sys));
    const long count = tn_test_alloc_count();
    for (int k = 0; k < 3; k++)
        CHECK_OK(tn_system_eval(sys, &at, EVERYTHING));
    CHECK(tn_test_alloc_count() == count);
    tn_system_destroy(sys);
    CHECK(tn_test_alloc_live() == live);
}

static void a_creation_without_memory_leaves_nothing_behind(void)
{
    const tn_callbacks cb = whole_problem(true, true);
    const long live = tn_test_alloc_live();
    bool failed = true;
    for (int n = 1; failed; n++) {
        tn_system *sys = NULL;
        tn_test_alloc_fail_at(n);
        const tn_status status = tn_callbacks_create(&cb, &sys);
        failed = tn_test_alloc_failed();
        CHECK(status == (failed ? TN_ERR_MEMORY : TN_OK));
        tn_system_destroy(sys);
        CHECK(tn_test_alloc_live() == live && n < 1000);
    }
    tn_test_alloc_fail_at(0);
}

static double every_tenth(void *user, double t)
{
    (void)user;
    return 0.1 * (floor(t / 0.1) + 1.0);
}

static int doubling(void *user, const tn_arguments *at, double *r)
{
    CHECK(at->r == r && at->lambda != NULL);
    r[0] = 2.0 * r[0] + at->q[0];
    return *(int *)user;
}

static void samples_and_start_values_pass_through(void)
{
    int code = 0;
    tn_callbacks cb = whole_problem(true, true);
    cb.user = &code;
    cb.next_sample = every_tenth;
    cb.sample = doubling;
    cb.c0 = (double[]){1.0, 2.0};
    cb.s0 = (double[]){4.0, 5.0};
    cb.r0 = (double[]){6.0};
    double x[NX] = {0.1, 0.5}, e[NE], r[NR];
    const tn_point at = point_of(x);
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(&cb, &sys));
    tn_callbacks_start(sys, e, r);
    CHECK(e[0] == 1.0 && e[1] == 2.0 && e[2] == 0.0 && e[3] == 4.0 && e[4] == 5.0 && r[0] == 6.0);
    CHECK_NEAR(sys->ops->next_sample(sys, 0.25), 0.3, ROUNDOFF);
    CHECK_OK(sys->ops->sample(sys, &at, r));
    CHECK(r[0] == 12.5);
    code = -7;
    CHECK_STATUS(sys->ops->sample(sys, &at, r), TN_ERR_NUMERIC);
    CHECK_TEXT(tn_last_error(), "the user's function 'sample' returned -7 at t = 0.1 s");
    tn_system_destroy(sys);
}

static void names_are_the_users_or_numbers(void)
{
    const char *const coordinates[] = {"x", NULL, "z"}, *const rows[] = {"rod", "slot", "wheel"};
    tn_callbacks cb = whole_problem(true, true);
    char text[40];
    tn_system *sys = NULL;
    CHECK_OK(tn_callbacks_create(&cb, &sys));
    sys->ops->velocity_name(sys, 2, text, sizeof text);
    CHECK_TEXT(text, "coordinate 2");
    sys->ops->row_name(sys, 1, text, sizeof text);
    CHECK_TEXT(text, "row 1");
    tn_system_destroy(sys);

    cb.coordinate_names = coordinates;
    cb.row_names = rows;
    CHECK_OK(tn_callbacks_create(&cb, &sys));
    sys->ops->velocity_name(sys, 2, text, sizeof text);
    CHECK_TEXT(text, "z");
    sys->ops->velocity_name(sys, 1, text, sizeof text);
    CHECK_TEXT(text, "coordinate 1");
    sys->ops->row_name(sys, 2, text, 4);
    CHECK_TEXT(text, "whe");
    tn_system_destroy(sys);
}

static const tn_test tests[] = {
    {"a pendulum matches its derivatives by hand", a_pendulum_matches_its_derivatives_by_hand},
    {"far coordinates keep their digits", far_coordinates_keep_their_digits},
    {"energies pass through", energies_pass_through},
    {"return codes are understood", return_codes_are_understood},
    {"time in constraints must be told", time_in_constraints_must_be_told},
    {"rates over time are compared with differences",
     rates_over_time_are_compared_with_differences},
    {"kinks and ends of time raise no alarm", kinks_and_ends_of_time_raise_no_alarm},
    {"gamma is compared in motion", gamma_is_compared_in_motion},
    {"numbers that are not finite are caught", numbers_that_are_not_finite_are_caught},
    {"contact points that are not determined are told",
     contact_points_that_are_not_determined_are_told},
    {"missing functions are refused", missing_functions_are_refused},
    {"impossible dimensions are refused", impossible_dimensions_are_refused},
    {"evaluation allocates nothing", evaluation_allocates_nothing},
    {"a creation without memory leaves nothing behind",
     a_creation_without_memory_leaves_nothing_behind},
    {"samples and start values pass through", samples_and_start_values_pass_through},
    {"names are the user's or numbers", names_are_the_users_or_numbers},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
