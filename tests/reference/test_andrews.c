// SPDX-License-Identifier: MIT
//
// Andrews' squeezing mechanism, by two roads: the seven equations of the literature handed over as
// C functions, and seven bodies with ten revolute joints read from models/andrews.yaml.
//
//   M(q) q'' = f(q, q') - G(q)^T lambda,   0 = g(q),   q = (beta, Theta, gamma, Phi, delta, Omega,
//                                                           epsilon),   0 <= t <= 0.03
//
// Equations and parameters: [Test Set for IVP Solvers, "andrews"; Hairer & Wanner, Solving Ordinary
// Differential Equations II, section VII.7]. The digits at t = 0.03 were computed for these tests
// by an eighth-order method in two formulations that agree to 1e-14. The digits that the test set
// publishes (16 of them) belong to a time that is 1.0e-12 s later: they differ by q' times that, up
// to 2.7e-10 of q.

#include "andrews_functions.h"

// Two roads to one simulation ---------------------------------------------------------------------

typedef enum road { BY_FUNCTIONS, BY_DIFFERENCES, BY_BODIES, ROADS } road;

static const char *const road_names[ROADS] = {"functions with Jacobians", "functions alone",
                                              "bodies and joints"};

typedef struct run {
    road by;
    tn_model *model;
    tn_sim *sim;
} run;

typedef struct state {
    double q[NQ], v[NQ], a[NQ], lambda[NG];
} state;

// `fresh` tangents in every iteration keep the tolerance of the corrector out of the comparison.
static run begin(road by, const char *method, double h, bool fresh)
{
    static const tn_callbacks bare = {
        .nq = NQ, .ng = NG, .mass = mass, .force = force, .constraint = constraint};
    const double v_start[NQ] = {0};
    run r = {.by = by};
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = h;
    options.jacobian_every = fresh;
    if (by == BY_BODIES) {
        CHECK_OK(tn_model_load(tn_test_path("models/andrews.yaml"), &r.model, NULL));
        CHECK_OK(tn_sim_create(r.model, &options, &r.sim));
    } else {
        CHECK_OK(tn_sim_create_callbacks(by == BY_FUNCTIONS ? &andrews_functions : &bare, q_start,
                                         v_start, &options, &r.sim));
    }
    return r;
}

static void end(run *r)
{
    tn_sim_destroy(r->sim);
    tn_model_destroy(r->model);
}

static double angular_acceleration(const run *r, const char *body)
{
    return tn_sim_body_rate_dot(r->sim, tn_model_find_body(r->model, body)).z;
}

// Joint angles are q; a joint between two bodies has the difference of their accelerations. The
// joint E3 joins k3 to k2 by p(k2) - p(k3) = (g1, g2): the force on k2 is -(lambda1, lambda2).
static state read_bodies(const run *r)
{
    static const char *const joints[NQ] = {"beta",  "theta", "gamma",  "phi",
                                           "delta", "omega", "epsilon"};
    static const char *const bodies[NQ] = {"k1", "k2", "k3", "k4", "k5", "k6", "k7"};
    static const char *const carriers[NQ] = {"ground", "k1", "ground", "k5",
                                             "ground", "k7", "ground"};
    static const char *const loops[] = {"E3", "E4", "E6"};
    state x;
    for (int i = 0; i < NQ; i++) {
        tn_sim_joint_coordinates(r->sim, tn_model_find_joint(r->model, joints[i]), &x.q[i],
                                 &x.v[i]);
        x.a[i] = angular_acceleration(r, bodies[i]) - angular_acceleration(r, carriers[i]);
    }
    for (int i = 0; i < TN_COUNT(loops); i++) {
        const tn_wrench w = tn_sim_joint_reaction(r->sim, tn_model_find_joint(r->model, loops[i]));
        x.lambda[2 * i] = -w.f.x;
        x.lambda[2 * i + 1] = -w.f.y;
    }
    return x;
}

static state read_out(const run *r)
{
    if (r->by == BY_BODIES)
        return read_bodies(r);
    state x;
    memcpy(x.q, tn_sim_q(r->sim), sizeof x.q);
    memcpy(x.v, tn_sim_v(r->sim), sizeof x.v);
    memcpy(x.a, tn_sim_a(r->sim), sizeof x.a);
    memcpy(x.lambda, tn_sim_lambda(r->sim), sizeof x.lambda);
    return x;
}

static state at_end(road by, const char *method, int steps, bool fresh)
{
    run r = begin(by, method, T_END / steps, fresh);
    CHECK_OK(tn_sim_run(r.sim, T_END, NULL, NULL));
    const state x = read_out(&r);
    end(&r);
    return x;
}

// Largest difference relative to the largest component.
static double distance(int n, const double *x, const double *y)
{
    double most = 0.0, size = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return most / size;
}

typedef struct errors {
    double q, v, a, lambda;
} errors;

static errors errors_of(const state *x)
{
    return (errors){distance(NQ, x->q, q_end), distance(NQ, x->v, v_end), distance(NQ, x->a, a_end),
                    distance(NG, x->lambda, lambda_end)};
}

// What is left when the leading error terms of two runs cancel, whose ratio is `gain`.
static state extrapolate(double gain, const state *coarse, const state *fine)
{
    state x;
    const double *c = (const double *)coarse, *f = (const double *)fine;
    double *out = (double *)&x;
    for (size_t i = 0; i < sizeof x / sizeof(double); i++)
        out[i] = (gain * f[i] - c[i]) / (gain - 1.0);
    return x;
}

// The sentences -----------------------------------------------------------------------------------

static void start_values_are_the_published_ones(void)
{
    const double WITHIN = 1e-9; // relative; round-off of 21 coordinates and stiffness 4530 N/m
    for (int by = 0; by < ROADS; by++) {
        run r = begin((road)by, "galpha/ggl", 1e-5, false);
        const state x = read_out(&r);
        printf("%-25s q'' %.1e  lambda %.1e\n", road_names[by], distance(NQ, x.a, a_start),
               distance(NG, x.lambda, lambda_start));
        CHECK_NEAR(distance(NQ, x.q, q_start), 0.0, 1e-15);
        CHECK_NEAR(distance(NQ, x.a, a_start), 0.0, WITHIN);
        CHECK_NEAR(distance(NG, x.lambda, lambda_start), 0.0, WITHIN);
        end(&r);
    }
}

// Errors at steps of T_END / 1500, / 3000, / 6000, each a quarter of the one before.
static void check_order(const char *method)
{
    static const int steps[] = {1500, 3000, 6000};
    const double WITHIN = 0.05; // of the order; the measured ones are 2.00
    for (int by = 0; by < ROADS; by++) {
        errors last = {0};
        for (int i = 0; i < TN_COUNT(steps); i++) {
            const state x = at_end((road)by, method, steps[i], false);
            const errors now = errors_of(&x);
            printf("%-13s %-24s %4d steps: error in q %.2e  v %.2e  a %.2e  lambda %.2e\n", method,
                   road_names[by], steps[i], now.q, now.v, now.a, now.lambda);
            if (i > 0) {
                CHECK_NEAR(log2(last.q / now.q), 2.0, WITHIN);
                CHECK_NEAR(log2(last.v / now.v), 2.0, WITHIN);
                CHECK_NEAR(log2(last.a / now.a), 2.0, WITHIN);
                CHECK_NEAR(log2(last.lambda / now.lambda), 2.0, WITHIN);
            }
            last = now;
        }
        CHECK(last.q < 2e-6 && last.v < 1e-5 && last.a < 6e-5 && last.lambda < 3e-5);
    }
}

static void ggl_converges_with_order_two(void)
{
    check_order("galpha/ggl");
}

static void index3_converges_with_order_two(void)
{
    check_order("galpha/index3");
}

// Extrapolation takes away the h^2 terms, and with a third run the h^3 terms: what is left tells
// whether the roads lead to the digits and not only close by.
static state limit_of(road by)
{
    const state s1 = at_end(by, "galpha/ggl", 3000, true),
                s2 = at_end(by, "galpha/ggl", 6000, true),
                s3 = at_end(by, "galpha/ggl", 12000, true);
    const state r1 = extrapolate(4.0, &s1, &s2), r2 = extrapolate(4.0, &s2, &s3);
    return extrapolate(8.0, &r1, &r2);
}

static void both_roads_meet_the_digits_and_each_other(void)
{
    // Left over by the extrapolation, and by the last of the printed digits, in q, v and the rest.
    // Differences of g carry a relative noise of 3e-12 into a and lambda, by levers of 0.02 m.
    const double Q = 1e-11, V = 3e-10, REST = 2e-9, NOISY = 3e-7;
    state x[ROADS];
    for (int by = 0; by < ROADS; by++) {
        x[by] = limit_of((road)by);
        const errors now = errors_of(&x[by]);
        printf("%-24s extrapolated: error in q %.1e  v %.1e  a %.1e  lambda %.1e\n", road_names[by],
               now.q, now.v, now.a, now.lambda);
        CHECK_NEAR(now.q, 0.0, Q);
        CHECK_NEAR(now.v, 0.0, V);
        CHECK_NEAR(now.a, 0.0, by == BY_DIFFERENCES ? NOISY : REST);
        CHECK_NEAR(now.lambda, 0.0, by == BY_DIFFERENCES ? NOISY : REST);
    }
    CHECK_NEAR(distance(NQ, x[BY_BODIES].q, x[BY_FUNCTIONS].q), 0.0, Q);
    CHECK_NEAR(distance(NQ, x[BY_BODIES].v, x[BY_FUNCTIONS].v), 0.0, V);
    CHECK_NEAR(distance(NG, x[BY_BODIES].lambda, x[BY_FUNCTIONS].lambda), 0.0, REST);
    CHECK_NEAR((beta_published - x[BY_FUNCTIONS].q[BETA]) / v_end[BETA], 1.005e-12, 5e-14);
}

// The motor's work is M (beta_end - beta_start); with it the energy balance closes as the method
// converges, and the loops stay closed to round-off.
static void motor_work_is_in_the_balance(void)
{
    double last = 0.0;
    for (int steps = 3000; steps <= 6000; steps *= 2) {
        run r = begin(BY_BODIES, "galpha/ggl", T_END / steps, false);
        CHECK_OK(tn_sim_run(r.sim, T_END, NULL, NULL));
        tn_ledger l;
        tn_sim_ledger(r.sim, &l);
        const double balance = l.max_balance / l.energy_scale;
        printf("%d steps: work %.7f J, energy balance %.1e, max|g| %.1e, max|Bv| %.1e\n", steps,
               l.supplied, balance, l.max_g, l.max_gdot);
        CHECK_NEAR(l.supplied, mom * (q_end[BETA] - q_start[BETA]), 5e-6);
        CHECK_NEAR(l.max_g, 0.0, 1e-15);   // coordinates of 0.1 m
        CHECK_NEAR(l.max_gdot, 0.0, 1e-9); // velocities of 40 m/s; round-off of q over h
        CHECK(balance < 4e-5);
        if (last > 0.0)
            CHECK_NEAR(log2(last / balance), 2.0, 0.1);
        last = balance;
        end(&r);
    }
}

static const tn_test tests[] = {
    {"start values are the published ones", start_values_are_the_published_ones},
    {"ggl converges with order two", ggl_converges_with_order_two},
    {"index3 converges with order two", index3_converges_with_order_two},
    {"both roads meet the digits and each other", both_roads_meet_the_digits_and_each_other},
    {"motor work is in the balance", motor_work_is_in_the_balance},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
