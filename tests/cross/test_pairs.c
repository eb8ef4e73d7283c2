// SPDX-License-Identifier: MIT
//
// Kinematic pairs by discrete principles: all forms of an integrator give one motion over one
// thousand steps, with TN_LONG in the environment over ten thousand, with the same multipliers, and
// keep momentum and spin.

#include "fixed_step.h"
#include "kinds/family.h"
#include "pairs.h"

enum { MOST_FORMS = 8 };

static int steps_of_runs(void)
{
    return getenv("TN_LONG") ? 10000 : 1000;
}

// In 20 s differences by round-off grow to 1e-11 at most. Spherical, universal and planar pairs are
// chaotic: in 100 s they would grow to between 1e-5 and one.
static const double STEP = 0.002;
static const double SAME = 1e-9;
// Round-off of q over h^2, in forces of some newtons.
static const double SAME_FORCE = 1e-8;
// Of sums over 1e4 steps, of size one.
static const double KEPT = 1e-12;
static const double START = 1e-13;

static int open_forms(const tn_model *model, const tn_integrator_ops *integrator, tn_sim **sim)
{
    int count = 0;
    for (int k = 0; k < tn_formulation_count; k++) {
        char method[96];
        if (!tn_pairing_is_legal(integrator, tn_formulations[k]))
            continue;
        CHECK(count < MOST_FORMS);
        snprintf(method, sizeof method, "%s/%s@director", integrator->name,
                 tn_formulations[k]->name);
        sim[count++] = open_fixed(model, method, STEP);
    }
    return count;
}

static double apart(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static double lost(const tn_sim *sim)
{
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    return fmax(apart(3, ledger.momentum, ledger.momentum_start),
                apart(3, ledger.spin, ledger.spin_start));
}

static void check_pair(tn_joint_kind kind, const tn_integrator_ops *integrator)
{
    tn_model *model = kinematic_pair(kind);
    tn_sim *sim[MOST_FORMS];
    const int n = open_forms(model, integrator, sim);
    const int nq = tn_sim_nq(sim[0]), nl = tn_sim_nl(sim[0]);
    double motion = 0.0, force = 0.0, momenta = 0.0;
    const int steps = steps_of_runs();
    CHECK(n > 1);
    for (int step = 0; step < steps; step++)
        for (int k = 0; k < n; k++) {
            CHECK_OK(tn_sim_step(sim[k], STEP));
            motion = fmax(motion, apart(nq, tn_sim_q(sim[k]), tn_sim_q(sim[0])));
            force = fmax(force, apart(nl, tn_sim_lambda(sim[k]), tn_sim_lambda(sim[0])));
            momenta = fmax(momenta, lost(sim[k]));
        }
    printf("%s, %d forms of %s: motion %.1e, multipliers %.1e, momenta %.1e\n",
           tn_joint_ops_of(kind)->name, n, integrator->name, motion, force, momenta);
    CHECK(motion < SAME && force < SAME_FORCE && momenta < KEPT);
    for (int k = 0; k < n; k++)
        tn_sim_destroy(sim[k]);
    tn_model_destroy(model);
}

static void every_form_gives_one_motion_of_every_pair(void)
{
    for (int i = 0; i < tn_integrator_count; i++)
        for (int k = 0; tn_integrators[i]->needs & TN_VIEW_DISCRETE && k < TN_COUNT(pair_kinds);
             k++)
            check_pair(pair_kinds[k], tn_integrators[i]);
}

static double between(tn_vec3 x, tn_vec3 y)
{
    return tn_v3_norm(tn_v3_sub(x, y));
}

// Assembly finds nothing to correct, and all freedoms of the pair are there and move.
static void pairs_start_where_they_fit(void)
{
    for (int k = 0; k < TN_COUNT(pair_kinds); k++) {
        tn_model *model = kinematic_pair(pair_kinds[k]);
        tn_sim *sim = open_fixed(model, "variational@director", STEP);
        for (int body = 1; body <= 2; body++) {
            const tn_body_kept *def = &model->bodies.at[body].def;
            const tn_frame at = tn_sim_body_frame(sim, (tn_body){body});
            CHECK_NEAR(between(at.p, def->frame.p), 0.0, START);
            CHECK_NEAR(between(tn_m3_column(at.R, 0), tn_m3_column(def->frame.R, 0)), 0.0, START);
            CHECK_NEAR(between(tn_sim_body_velocity(sim, (tn_body){body}), def->velocity), 0.0,
                       START);
            CHECK_NEAR(between(tn_sim_body_rate(sim, (tn_body){body}), def->rate), 0.0, START);
        }
        tn_ledger ledger;
        tn_sim_ledger(sim, &ledger);
        CHECK(tn_sim_freedoms(sim) == 6 + tn_joint_ops_of(pair_kinds[k])->nv);
        CHECK(ledger.kinetic > 0.1 && apart(3, ledger.spin, (double[3]){0}) > 0.05);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

static const tn_test tests[] = {
    {"pairs start where they fit", pairs_start_where_they_fit},
    {"every form gives one motion of every pair", every_form_gives_one_motion_of_every_pair},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
