// SPDX-License-Identifier: MIT
//
// Drift [Arn16, 4.2, Fig. 14]: without stabilisation the residual of the constraints grows with
// time, linearly in the index-2 form and quadratically in the index-1 form; projection, Baumgarte's
// combinations and the stabilised form hold it for 2e5 steps, or a million with TN_LONG in the
// environment.

#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

// A pendulum of unit mass and length on a circle, with g = 9.81, that swings over the top.
static int mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int force(void *user, const tn_arguments *at, double *f)
{
    (void)user, (void)at;
    f[0] = 0.0;
    f[1] = -9.81;
    return 0;
}

static int constraint(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1.0);
    return 0;
}

static int jacobian(void *user, const tn_arguments *at, double *G)
{
    (void)user;
    G[0] = at->q[0];
    G[1] = at->q[1];
    return 0;
}

static int centripetal(void *user, const tn_arguments *at, double *gamma)
{
    (void)user;
    gamma[0] = at->v[0] * at->v[0] + at->v[1] * at->v[1];
    return 0;
}

static tn_sim *open_pendulum(const char *method, double h)
{
    static const tn_callbacks f = {.nq = 2,
                                   .ng = 1,
                                   .mass = mass,
                                   .force = force,
                                   .constraint = constraint,
                                   .jacobian = jacobian,
                                   .gamma = centripetal};
    static const double q0[] = {1.0, 0.0}, v0[] = {0.0, 6.0};
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = h;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create_callbacks(&f, q0, v0, &options, &sim));
    return sim;
}

// Growth between the largest residuals up to t and up to 8 t.
static double exponent(const char *method, double h, double t)
{
    tn_sim *sim = open_pendulum(method, h);
    tn_ledger early, late;
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    tn_sim_ledger(sim, &early);
    CHECK_OK(tn_sim_run(sim, 8.0 * t, NULL, NULL));
    tn_sim_ledger(sim, &late);
    tn_sim_destroy(sim);
    const double e = log(late.max_g / early.max_g) / log(8.0);
    printf("%-16s max |g| %.2e at %g s, %.2e at %g s: exponent %.2f\n", method, early.max_g, t,
           late.max_g, 8.0 * t, e);
    return e;
}

// radau5/index1 is not among them: on this motion, which is reversible, its exponent is 1.05, as
// the leading error of B v does not gather. Two is the bound of the theory, not what every method
// shows.
static void residuals_grow_as_theory_says(void)
{
    static const struct {
        const char *method;
        double h, t, exponent, tol;
    } runs[] = {
        {"herk5/index2", 0.02, 5.0, 1.0, 0.15},    {"radau5/index2", 0.04, 5.0, 1.0, 0.15},
        {"dopri5/index1", 0.02, 5.0, 2.0, 0.2},    {"dop853/index1", 0.08, 5.0, 2.0, 0.2},
        {"dopri5/nullspace", 0.02, 5.0, 2.0, 0.2}, {"dopri5/maggi", 0.02, 5.0, 1.0, 0.15},
    };
    for (int k = 0; k < TN_COUNT(runs); k++)
        CHECK_NEAR(exponent(runs[k].method, runs[k].h, runs[k].t), runs[k].exponent, runs[k].tol);
}

static void stabilised_residuals_stay_for_very_many_steps(void)
{
    // Thresholds: of the projection, the option's; Baumgarte's combinations leave what a step of
    // this size adds within their decay; ggl leaves round-off.
    static const struct {
        const char *method;
        double h, g;
    } runs[] = {{"dopri5/index1+project", 2e-3, 1e-10},
                {"dopri5/baumgarte", 2e-3, 1e-9},
                {"herk5/baumgarte2", 2e-3, 1e-9},
                {"galpha/ggl", 2e-3, 1e-12}};
    const long many = getenv("TN_LONG") ? 1000000 : 200000;
    for (int k = 0; k < TN_COUNT(runs); k++) {
        tn_sim *sim = open_pendulum(runs[k].method, runs[k].h);
        tn_ledger ledger;
        CHECK_OK(tn_sim_run(sim, runs[k].h * (double)many, NULL, NULL));
        tn_sim_ledger(sim, &ledger);
        printf("%-22s %ld steps, max |g| %.2e, max |Bv| %.2e, %ld projections, %.1f s\n",
               runs[k].method, ledger.steps, ledger.max_g, ledger.max_gdot, ledger.projections,
               ledger.wall);
        CHECK(ledger.steps == many);
        CHECK(ledger.max_g < runs[k].g);
        tn_sim_destroy(sim);
    }
}

static const tn_test tests[] = {
    {"residuals grow as theory says", residuals_grow_as_theory_says},
    {"stabilised residuals stay for very many steps",
     stabilised_residuals_stay_for_very_many_steps},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
