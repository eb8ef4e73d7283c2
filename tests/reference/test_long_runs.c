// SPDX-License-Identifier: MIT
//
// What integrators by discrete principles promise for long runs, for each of them and in each form
// of its equations that the registries list: momenta of a free chain at round-off, one motion of a
// chaotic chain whatever the form, and for a heavy top an energy that stays in its band, beside
// methods for which it does not.

#include "fixed_step.h"
#include "heavy_top.h"

enum { LINKS = 6 };

// Chains ------------------------------------------------------------------------------------------

// Links of 1 m along x, each on the end of the one before it: on pins, whose axes differ, and on
// balls in turn. They spin in different ways; the first one is free, or falls, held by the ground,
// at rest at first and with a little of gravity aside.
static tn_model *chain(bool free, double aside)
{
    tn_model *model = tn_model_create();
    if (!free)
        tn_model_set_gravity(model, tn_v3(-2.0, 3.0 + aside, -9.0));
    tn_body last = TN_GROUND;
    for (int k = 0; k < LINKS; k++) {
        tn_body_def link = tn_default_body();
        link.mass = 1.0 + 0.2 * k;
        link.inertia = tn_v3(0.02 + 0.01 * k, 0.1, 0.11);
        link.frame.p = tn_v3(k + 0.5, 0.0, 0.0);
        if (free) { // of which those that the joints allow are left
            link.rate = tn_v3(3.0 - 1.2 * k, 1.5 * k - 3.0, 2.4);
            link.velocity = tn_v3(0.3, 0.1 * k, -0.2);
        }
        tn_joint_def joint = tn_default_joint(k % 2 ? TN_JOINT_REVOLUTE : TN_JOINT_SPHERICAL);
        joint.body_a = last;
        joint.body_b = last = tn_model_add_body(model, &link);
        joint.frame_a.p.x = k > 0 ? 0.5 : 0.0;
        joint.frame_b.p.x = -0.5;
        joint.frame_a.R = joint.frame_b.R = tn_m3_rot_x(0.4 * k); // axes z of pins
        if (k > 0 || !free)
            tn_model_add_joint(model, &joint);
    }
    return model;
}

static void check_momenta(const char *method, const tn_integrator_ops *integrator, void *user)
{
    (void)integrator;
    const double h = 0.01;
    tn_sim *sim = open_fixed(user, method, h);
    tn_ledger ledger;
    double lost = 0.0, size = 0.0;
    const int most = getenv("TN_LONG") ? 10000 : 4000;
    const int steps = strstr(method, "dalembert") ? 1000 : most; // full matrices take their time
    for (int n = 0; n < steps; n++) {
        CHECK_OK(tn_sim_step(sim, h));
        tn_sim_ledger(sim, &ledger);
        for (int i = 0; i < 3; i++) {
            lost = fmax(lost, fabs(ledger.spin[i] - ledger.spin_start[i]));
            lost = fmax(lost, fabs(ledger.momentum[i] - ledger.momentum_start[i]));
            size = fmax(size, fabs(ledger.spin[i]));
        }
    }
    printf("%-36s momenta of size %.2f change by %.1e, energy %.2f J by %.1e\n", method, size, lost,
           ledger.kinetic, ledger.max_balance);
    // Round-off of the linear solver, 2e-15 of a moment of momentum in a step (a solver of its own
    // for trees left 1e-16), adds up in 10^4 steps.
    CHECK(size > 1.0 && lost < 1e-10 * size);
    tn_sim_destroy(sim);
}

static void a_free_chain_keeps_its_momenta(void)
{
    tn_model *model = chain(true, 0.0);
    CHECK(for_discrete_methods(check_momenta, model) >= 2);
    tn_model_destroy(model);
}

// Chaos -------------------------------------------------------------------------------------------

typedef struct motions {
    const tn_model *model;
    int count;
    char method[16][64];
    tn_sim *sim[16];
} motions;

static void open_motion(const char *method, const tn_integrator_ops *integrator, void *user)
{
    (void)integrator;
    motions *m = user;
    CHECK(m->count < TN_COUNT(m->sim));
    snprintf(m->method[m->count], sizeof m->method[0], "%s", method);
    m->sim[m->count++] = open_fixed(m->model, method, 0.01);
}

// Positions [m] and velocities [m/s].
static double apart(tn_sim *a, tn_sim *b)
{
    double most = 0.0;
    for (int i = 0; i < tn_sim_nq(a); i++) {
        most = fmax(most, fabs(tn_sim_q(a)[i] - tn_sim_q(b)[i]));
        most = fmax(most, fabs(tn_sim_v(a)[i] - tn_sim_v(b)[i])); // directors: nv = nq
    }
    return most;
}

// The first method of the same integrator.
static int relative_of(const motions *m, int k)
{
    int first = 0;
    const size_t length = strcspn(m->method[k], "/");
    while (strncmp(m->method[first], m->method[k], length + 1))
        first++;
    return first;
}

// How far a small change of gravity has moved the chain after 300 steps, by that change.
static double sensitivity(void)
{
    const double aside = 1e-9;
    tn_model *model[2] = {chain(false, 0.0), chain(false, aside)};
    tn_sim *sim[2];
    for (int i = 0; i < 2; i++) {
        sim[i] = open_fixed(model[i], "variational/multiplier@director", 0.01);
        for (int n = 0; n < 300; n++)
            CHECK_OK(tn_sim_step(sim[i], 0.01));
    }
    const double out = apart(sim[0], sim[1]) / aside;
    for (int i = 0; i < 2; i++) {
        tn_sim_destroy(sim[i]);
        tn_model_destroy(model[i]);
    }
    return out;
}

static void a_chaotic_chain_moves_alike_in_every_form(void)
{
    tn_model *model = chain(false, 0.0);
    motions m = {.model = model};
    double most[16] = {0.0};
    const double enlarged = sensitivity();
    printf("changes of gravity by 1 m/s^2 move the chain by %.0f m or m/s at the end\n", enlarged);
    CHECK(enlarged > 100.0); // 4.5 m and 3 m/s for a body that falls
    for_discrete_methods(open_motion, &m);
    for (int n = 0; n < 300; n++) {
        for (int k = 0; k < m.count; k++)
            CHECK_OK(tn_sim_step(m.sim[k], 0.01));
        for (int k = 0; k < m.count; k++)
            most[k] = fmax(most[k], apart(m.sim[k], m.sim[relative_of(&m, k)]));
    }
    for (int k = 0; k < m.count; k++) {
        printf("%-36s %.1e from %s\n", m.method[k], most[k], m.method[relative_of(&m, k)]);
        CHECK(most[k] < 1e-9);
        tn_sim_destroy(m.sim[k]);
    }
    tn_model_destroy(model);
}

// Heavy top ---------------------------------------------------------------------------------------

// Largest |energy balance| in the first and in the last tenth of a run [J].
typedef struct band {
    double early, late;
} band;

typedef struct watch {
    double t_end;
    band out;
} watch;

static tn_status note(void *user, tn_sim *sim)
{
    watch *w = user;
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    if (tn_sim_time(sim) <= 0.1 * w->t_end)
        w->out.early = fmax(w->out.early, fabs(ledger.balance));
    if (tn_sim_time(sim) >= 0.9 * w->t_end)
        w->out.late = fmax(w->out.late, fabs(ledger.balance));
    return TN_OK;
}

// The fast top for 20 s, in which it turns 480 times about its axis; with a fixed step, or with
// h = 0 and a tolerance.
static band spin(const char *method, double h, double rtol)
{
    top s = build(&FAST);
    tn_sim_options options = tn_default_sim();
    watch w = {.t_end = 20.0};
    options.method = method;
    options.step = h;
    options.adaptive = h == 0.0;
    options.rtol = rtol;
    options.atol = 0.01 * rtol;
    CHECK_OK(tn_sim_create(s.model, &options, &s.sim));
    CHECK_OK(tn_sim_run(s.sim, w.t_end, note, &w));
    printf("%-36s balance at most %.2e J, in the end %.2e J\n", method, w.out.early, w.out.late);
    destroy(&s);
    return w.out;
}

static void check_band(const char *method, const tn_integrator_ops *integrator, void *user)
{
    (void)integrator;
    (void)user;
    const band b = spin(method, 2e-3, 1e-6);
    const double round_off = 1e-9 * 5435.7; // of the energy, in 10000 steps
    CHECK(b.late < 1.02 * b.early + round_off);
    CHECK(b.early < 0.12); // shrinks with h^2, see docs/theory/variational.md
}

static void the_energy_of_a_top_stays_in_its_band(void)
{
    CHECK(for_discrete_methods(check_band, NULL) >= 2);
}

// Steps and tolerances for which runs take about the time of the band above.
static void that_of_other_methods_is_lost(void)
{
    const band losses[] = {spin("galpha/ggl@director", 1.5e-3, 0.0), spin("bdf/ggl", 0.0, 1e-5),
                           spin("radau5/ggl", 0.0, 1e-5)};
    for (int k = 0; k < TN_COUNT(losses); k++)
        CHECK(losses[k].late > 5.0 * losses[k].early);
}

int main(int argc, char **argv)
{
    static const tn_test tests[] = {
        {"a free chain keeps its momenta", a_free_chain_keeps_its_momenta},
        {"a chaotic chain moves alike in every form", a_chaotic_chain_moves_alike_in_every_form},
        {"the energy of a top stays in its band", the_energy_of_a_top_stays_in_its_band},
        {"that of other methods is lost", that_of_other_methods_is_lost},
    };
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
