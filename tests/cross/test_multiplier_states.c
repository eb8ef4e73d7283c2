// SPDX-License-Identifier: MIT
//
// Own equations whose extra variables depend on constraint forces: their functions are given
// multipliers in every call of every method, and all methods agree on what comes of it.

#include "test.h"

#include "integrator/integrator.h"
#include "tenon/tenon.h"

static int missing; // calls without multipliers

static int mass(void *user, const tn_arguments *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static double pull(const tn_arguments *at)
{
    missing += !at->lambda;
    return at->lambda ? at->lambda[0] : 0.0;
}

static int force(void *user, const tn_arguments *at, double *f)
{
    (void)user;
    f[0] = -0.02 * fabs(pull(at)) * tanh(at->v[0]) * (1.0 + at->c[0]) - 0.01 * at->w[0];
    f[1] = -9.81;
    return 0;
}

static int circle(void *user, const tn_arguments *at, double *g)
{
    (void)user;
    g[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1.0);
    return 0;
}

static int creep(void *user, const tn_arguments *at, double *d)
{
    (void)user;
    d[0] = 0.1 * pull(at) - at->c[0];
    return 0;
}

static int follower(void *user, const tn_arguments *at, double *b)
{
    (void)user;
    b[0] = at->w[0] - 0.1 * pull(at);
    return 0;
}

static const tn_callbacks stalling = {.nq = 2,
                                      .ng = 1,
                                      .nc = 1,
                                      .nw = 1,
                                      .lambda_in_force = true,
                                      .mass = mass,
                                      .force = force,
                                      .constraint = circle,
                                      .states = creep,
                                      .algebraic = follower};

// Position and state after half a second.
static void run(const char *method, bool fixed, double out[2])
{
    const double q[2] = {1.0, 0.0}, v[2] = {0.0, 0.0};
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = fixed ? 1e-3 : 0.0;
    options.rtol = options.atol = 1e-8;
    CHECK_OK(tn_sim_create_callbacks(&stalling, q, v, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
    out[0] = tn_sim_q(sim)[0];
    out[1] = tn_sim_extra(sim)[0];
    tn_sim_destroy(sim);
}

static void functions_always_see_multipliers(void)
{
    double exact[2];
    int count = 0;
    missing = 0;
    run("radau5/ggl", false, exact);
    for (int i = 0; i < tn_integrator_count; i++)
        for (int k = 0; k < tn_formulation_count; k++) {
            const tn_integrator_ops *integrator = tn_integrators[i];
            char method[64];
            double found[2];
            const bool own = integrator->own_steps && strcmp(integrator->name, "bdf");
            if (own || integrator->needs & TN_VIEW_DISCRETE ||
                !tn_pairing_is_legal(integrator, tn_formulations[k]))
                continue;
            snprintf(method, sizeof method, "%s/%s", integrator->name, tn_formulations[k]->name);
            run(method, true, found);
            printf("%-24s %d calls without, off by %.1e and %.1e\n", method, missing,
                   found[0] - exact[0], found[1] - exact[1]);
            CHECK(missing == 0);
            CHECK_NEAR(found[0], exact[0], 2e-5);
            CHECK_NEAR(found[1], exact[1], 2e-5);
            count++;
        }
    CHECK(count >= 38);
}

static const tn_test tests[] = {
    {"functions of multipliers see them in every call", functions_always_see_multipliers},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
