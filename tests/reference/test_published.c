// SPDX-License-Identifier: MIT
//
// Published problems by many methods: the digits of the literature, and the work it takes.
//
// 1. The pendulum in Cartesian coordinates in index 0 to 3 [Cash, MEBDFDAE distribution, "pendul"]:
//    x'' = -x l, y'' = -y l - 1, x^2 + y^2 = 1 from (1, 0) with the velocity (0, 1). The digits at
//    t = 1 were computed again for these tests in one angle; they satisfy l = 1 - 3 y to 2e-14.
// 2. The car axis, see car_functions.h.
// 3. The slider-crank of SUNDIALS' examples [LLNL, idaSlCrank_dns]: a crank angle q, slider x and
//    rod angle p, with a spring-damper between the middles of crank and rod. Five digits are
//    published; these were computed again for these tests.
// 4. The elastic chain, see chain_functions.h.
// 5. Andrews' mechanism, see andrews_functions.h, beside the work of MEBDFI [Cash, MEBDFI
//    distribution, andrews.out].

#include "andrews_functions.h"
#include "car_functions.h"
#include "chain_functions.h"
#include "linalg/dense.h"

static tn_sim_options tolerance(const char *method, double tol)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = tol;
    options.project_tol = 1e-12;
    return options;
}

typedef struct result {
    double q[CHAIN_N], v[CHAIN_N], lambda[8];
    tn_ledger ledger;
} result;

static result run(const tn_callbacks *f, const double *q0, const double *v0,
                  const tn_sim_options *options, double t_end)
{
    result out;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create_callbacks(f, q0, v0, options, &sim));
    CHECK_OK(tn_sim_run(sim, t_end, NULL, NULL));
    tn_copy(f->nq, tn_sim_q(sim), out.q);
    tn_copy(f->nq, tn_sim_v(sim), out.v);
    tn_copy(f->ng, tn_sim_lambda(sim), out.lambda);
    tn_sim_ledger(sim, &out.ledger);
    tn_sim_destroy(sim);
    return out;
}

static double distance(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static double relative(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]) / fabs(y[i]));
    return most;
}

// 1. The pendulum ---------------------------------------------------------------------------------

static int rod_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int rod_force(void *user, const tn_arguments *at, double *f)
{
    (void)user, (void)at;
    f[0] = 0.0;
    f[1] = -1.0;
    return 0;
}

static int rod(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1.0);
    return 0;
}

static int rod_jacobian(void *user, const tn_arguments *at, double *J)
{
    (void)user;
    J[0] = at->q[0];
    J[1] = at->q[1];
    return 0;
}

static int rod_gamma(void *user, const tn_arguments *at, double *gamma)
{
    (void)user;
    gamma[0] = at->v[0] * at->v[0] + at->v[1] * at->v[1];
    return 0;
}

static void pendulum_in_every_index(void)
{
    static const tn_callbacks f = {.nq = 2,
                                   .ng = 1,
                                   .mass = rod_mass,
                                   .force = rod_force,
                                   .constraint = rod,
                                   .jacobian = rod_jacobian,
                                   .gamma = rod_gamma};
    static const double q0[] = {1.0, 0.0}, v0[] = {0.0, 1.0};
    static const double q[] = {.8673486406004443, .4977010504796643};
    static const double v[] = {-.0337480180609522, .0588130114652473}, lambda = -.493103151439011;
    static const struct {
        const char *method;
        int index;
        double tol, lambda;
    } by[] = {
        {"dop853/minimal", 0, 1e-12, 1e-9}, {"dopri5/minimal", 0, 1e-12, 1e-9},
        {"adams/minimal", 0, 1e-13, 1e-9},  {"dop853/index1", 1, 1e-12, 1e-9},
        {"radau5/index1", 1, 1e-12, 1e-9},  {"bdf/index1", 1, 1e-12, 1e-9},
        {"radau5/index2", 2, 1e-12, 1e-7},  {"bdf/index2", 2, 1e-12, 1e-9},
        {"herk5/index2", 2, 1e-12, 1e-9},   {"radau5/index3", 3, 1e-12, 1e-5},
        {"bdf/index3", 3, 1e-12, 1e-7},     {"radau5/ggl", 2, 1e-12, 1e-7},
        {"bdf/ggl", 2, 1e-12, 1e-9},        {"bdf/stabilized-index1", 1, 1e-12, 1e-9},
    };
    for (int k = 0; k < TN_COUNT(by); k++) {
        const tn_sim_options options = tolerance(by[k].method, by[k].tol);
        const result x = run(&f, q0, v0, &options, 1.0);
        const double of_q = distance(2, x.q, q), of_v = distance(2, x.v, v);
        printf("index %d %-22s %5ld steps, errors of q %.1e, v %.1e, lambda %.1e\n", by[k].index,
               by[k].method, x.ledger.steps, of_q, of_v, fabs(x.lambda[0] - lambda));
        CHECK_NEAR(of_q, 0.0, 1e-9);
        CHECK_NEAR(of_v, 0.0, 1e-9);
        // The multipliers of Radau IIA are of order three in index 2 and two in index 3, and those
        // of BDF in index 3 see errors of the position divided by h^2: step control sees none of
        // it.
        CHECK_NEAR(x.lambda[0], lambda, by[k].lambda);
    }
}

// 2. The car axis ---------------------------------------------------------------------------------

static void car_axis_has_its_digits(void)
{
    static const struct {
        const char *method;
        double tol;
    } by[] = {{"radau5/ggl", 1e-10}, {"bdf/ggl", 1e-11}, {"dop853/index1+project", 1e-11}};
    for (int k = 0; k < TN_COUNT(by); k++) {
        tn_sim_options options = tolerance(by[k].method, by[k].tol);
        result x = run(&car_functions, car_p0, car_v0, &options, 3.0);
        for (int i = 0; i < 2; i++)
            x.lambda[i] = -x.lambda[i]; // the other sign
        const double p = distance(4, x.q, car_end.p), v = distance(4, x.v, car_end.v);
        const double l = distance(2, x.lambda, car_end.lambda);
        printf("car axis %-22s %5ld steps, errors of p %.1e, v %.1e, lambda %.1e\n", by[k].method,
               x.ledger.steps, p, v, l);
        CHECK_NEAR(p, 0.0, 1e-8);
        CHECK_NEAR(l, 0.0, 1e-6);
    }
}

// 3. The slider-crank -----------------------------------------------------------------------------

static const double CRANK = 0.5;

static int slide_mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    memset(M, 0, 9 * sizeof(double));
    M[0] = 1.0;
    M[4] = 1.0;
    M[8] = 2.0;
    return 0;
}

// Spring and damper of unit strength and length between (a cos q, a sin q) / 2 and (x - cos p / 2,
// -sin p / 2), and a force of one on the rod.
static int slide_force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    const double q = at->q[0], x = at->q[1], p = at->q[2];
    const double qd = at->v[0], xd = at->v[1], pd = at->v[2];
    const double dx = x - 0.5 * cos(p) - 0.5 * CRANK * cos(q),
                 dy = -0.5 * (sin(p) + CRANK * sin(q));
    const double vx = xd + 0.5 * sin(p) * pd + 0.5 * CRANK * sin(q) * qd;
    const double vy = -0.5 * (cos(p) * pd + CRANK * cos(q) * qd);
    const double length = hypot(dx, dy), S = length - 1.0 + (dx * vx + dy * vy) / length;
    const double ex = dx / length, ey = dy / length; // the tension S pulls both ends together
    f[0] = -S * (0.5 * CRANK * sin(q) * ex - 0.5 * CRANK * cos(q) * ey);
    f[1] = -S * ex + 1.0;
    f[2] = -S * (0.5 * sin(p) * ex - 0.5 * cos(p) * ey) - 1.0 * sin(p);
    return 0;
}

static int slide(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = at->q[1] - cos(at->q[2]) - CRANK * cos(at->q[0]);
    g[1] = -sin(at->q[2]) - CRANK * sin(at->q[0]);
    return 0;
}

static int slide_jacobian(void *user, const tn_arguments *at, double *J)
{
    (void)user;
    const double q = at->q[0], p = at->q[2];
    const double values[6] = {CRANK * sin(q), -CRANK * cos(q), 1.0, 0.0, sin(p), -cos(p)};
    memcpy(J, values, sizeof values);
    return 0;
}

static void slider_crank_has_its_digits(void)
{
    static const tn_callbacks f = {.nq = 3,
                                   .ng = 2,
                                   .mass = slide_mass,
                                   .force = slide_force,
                                   .constraint = slide,
                                   .jacobian = slide_jacobian};
    const double p0 = asin(-CRANK), q0[] = {1.57079632679489661923, cos(p0), p0}, v0[3] = {0};
    static const double q[] = {1.2756758487, 1.0235785590, -.4988130492};
    static const double v[] = {-.2399149972, .1337782832, .0397314960};
    static const char *const by[] = {"bdf/ggl", "radau5/ggl", "bdf/stabilized-index1",
                                     "dop853/index1+project"};
    for (int k = 0; k < TN_COUNT(by); k++) {
        const tn_sim_options options = tolerance(by[k], 1e-11);
        const result x = run(&f, q0, v0, &options, 10.0);
        printf("slider-crank %-22s %5ld steps, errors of q %.1e, v %.1e\n", by[k], x.ledger.steps,
               distance(3, x.q, q), distance(3, x.v, v));
        CHECK_NEAR(distance(3, x.q, q), 0.0, 1e-8);
        CHECK_NEAR(distance(3, x.v, v), 0.0, 1e-8);
    }
    const tn_sim_options options = tolerance("bdf/ggl", 1e-6);
    const result x = run(&f, q0, v0, &options, 10.0);
    printf("slider-crank bdf/ggl at 1e-6: %ld steps, %ld evaluations (IDA's example: 222, 874)\n",
           x.ledger.steps, x.ledger.evaluations);
    CHECK(x.ledger.steps <= 300);
}

// 4. The elastic chain ----------------------------------------------------------------------------

static void elastic_chain_has_its_digits(void)
{
    static const char *const by[] = {"radau5/ggl", "bdf/ggl"};
    static const double zero[CHAIN_N];
    for (int k = 0; k < TN_COUNT(by); k++) {
        tn_sim_options options = tolerance(by[k], k ? 1e-7 : 1e-9);
        const result x = run(&chain_functions, zero, zero, &options, 5.0);
        const double th = distance(CHAIN_N, x.q, chain_end);
        const double rate = distance(CHAIN_N, x.v, chain_end + CHAIN_N);
        printf("chain %-12s %5ld steps, errors of angles %.1e, rates %.1e\n", by[k], x.ledger.steps,
               th, rate);
        CHECK_NEAR(th, 0.0, 1e-6);
    }
}

// 5. Andrews' mechanism ---------------------------------------------------------------------------

static result andrews(const char *method, double tol)
{
    static const double at_rest[NQ];
    tn_sim_options options = tolerance(method, tol);
    return run(&andrews_functions, q_start, at_rest, &options, T_END);
}

static const char *const andrews_methods[] = {"radau5/ggl", "bdf/ggl", "bdf/index2",
                                              "dopri5/index1+project", "herk5/index2"};

static void andrews_has_its_digits(void)
{
    // At 1e-12 bdf meets round-off: velocities are a thousand, positions divided by its steps more.
    for (int k = 0; k < TN_COUNT(andrews_methods); k++) {
        const bool bdf = !strncmp(andrews_methods[k], "bdf", 3);
        const result x = andrews(andrews_methods[k], bdf ? 1e-11 : 1e-12);
        const double q = relative(NQ, x.q, q_end), v = relative(NQ, x.v, v_end);
        printf("andrews %-22s %5ld steps, %6ld evaluations, errors of q %.1e, v %.1e\n",
               andrews_methods[k], x.ledger.steps, x.ledger.evaluations, q, v);
        CHECK_NEAR(q, 0.0, 1e-8);
    }
}

// Residual evaluations and digits of MEBDFI, tolerances from 1e-6 to 1e-10.
static const struct {
    double digits, evaluations;
} mebdfi[] = {{4.01, 993},  {3.06, 1116}, {3.13, 1310}, {3.92, 1484}, {5.59, 1674},
              {5.32, 1859}, {5.49, 2026}, {6.24, 2225}, {5.79, 2564}};

// The cheapest published run with these digits. Beyond 6.24 digits none is published: there the
// line through all runs, log of the evaluations over digits, is continued.
static double mebdfi_evaluations(double digits)
{
    double least = INFINITY, n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int k = 0; k < TN_COUNT(mebdfi); k++) {
        const double a = mebdfi[k].digits, b = log(mebdfi[k].evaluations);
        if (a >= digits)
            least = fmin(least, mebdfi[k].evaluations);
        n += 1.0, x += a, y += b, xx += a * a, xy += a * b;
    }
    const double slope = (n * xy - x * y) / (n * xx - x * x);
    return isfinite(least) ? least : exp((y - slope * x) / n + slope * digits);
}

// Fewest evaluations by which a method reaches the digits, over tolerances in quarter decades.
static long least_evaluations(const char *method, double digits)
{
    for (double k = 3.0; k <= 12.0; k += 0.25) {
        const result x = andrews(method, pow(10.0, -k));
        if (-log10(relative(NQ, x.q, q_end)) >= digits)
            return x.ledger.evaluations;
    }
    return 1000000;
}

static void andrews_takes_less_work_than_published(void)
{
    static const double digits[] = {4.0, 6.0, 8.0};
    for (int i = 0; i < TN_COUNT(digits); i++) {
        long best = 1000000;
        printf("%.0f digits: MEBDFI %.0f%s", digits[i], mebdfi_evaluations(digits[i]),
               digits[i] > 6.24 ? " (extrapolated)" : "");
        for (int k = 0; k < TN_COUNT(andrews_methods); k++) {
            const long n = least_evaluations(andrews_methods[k], digits[i]);
            printf(", %s %ld", andrews_methods[k], n);
            best = n < best ? n : best;
        }
        printf("\n");
        CHECK((double)best < mebdfi_evaluations(digits[i]));
    }
}

static const tn_test tests[] = {
    {"pendulum in every index", pendulum_in_every_index},
    {"car axis has its digits", car_axis_has_its_digits},
    {"slider-crank has its digits", slider_crank_has_its_digits},
    {"elastic chain has its digits", elastic_chain_has_its_digits},
    {"andrews has its digits", andrews_has_its_digits},
    {"andrews takes less work than published", andrews_takes_less_work_than_published},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
