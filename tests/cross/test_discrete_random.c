// SPDX-License-Identifier: MIT
//
// Discrete principles on random mechanisms with springs, bushings, loops, gears and rows that
// repeat others, some with dampers and drives: the three forms of each scheme take the same steps,
// constraints stay at round-off, and energy-momentum keeps the energy of what is neither damped nor
// driven.

#include "fixed_step.h"
#include "random_mechanism.h"
#include "same_motion.h"
#include "tenon/tenon.h"

enum { SEEDS = 120, STEPS = 8, FORMS = 3 };

static const double H = 2e-3;
static const char *const forms[FORMS] = {"multiplier", "dalembert", "reparam"};

typedef struct extremes {
    difference most;
    double g, energy;
    int redundant, driven, exact;
} extremes;

// To the ground.
static void add_bushing(mechanism *m, double damping)
{
    tn_force_def def = tn_default_force(TN_FORCE_BUSHING);
    def.body_b = (tn_body){random_carrier(m)};
    if (def.body_b.index == 0)
        return;
    def.frame_a = m->frame[def.body_b.index]; // at rest but for what the frames differ by
    def.frame_a.p = tn_v3_add(def.frame_a.p, m->planar ? tn_v3(0.1, 0.2, 0.0) : random_vec3(0.2));
    def.bushing.stiffness = tn_v3(30.0, 40.0, 50.0);
    def.bushing.rotational_stiffness = tn_v3(3.0, 4.0, 5.0);
    def.bushing.damping = tn_v3(damping, damping, damping);
    def.bushing.rotational_damping = tn_v3(damping, damping, damping);
    tn_model_add_force(m->model, &def);
}

static void add_joint_law(mechanism *m, double damping)
{
    tn_force_def def = tn_default_force(TN_FORCE_JOINT_SPRING);
    def.joint = random_coordinate(m, &def.coordinate);
    if (def.joint.index < 0)
        return;
    def.spring.stiffness = 5.0;
    def.spring.cubic = 2.0;
    def.spring.damping = damping;
    tn_model_add_force(m->model, &def);
}

// A coordinate goes on from where it is. Mechanisms with loops are left alone: they may have fewer
// freedoms than were counted.
static bool add_drive(mechanism *m)
{
    tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
    drive.drive.joint = random_coordinate(m, &drive.drive.coordinate);
    if (drive.drive.joint.index < 0 || freedoms_left(m) < 2 || m->loop_rows > 0)
        return false;
    tn_sim *sim = open_sim(m->model, "dopri5/index1@absolute");
    double q[7], rate[7];
    tn_sim_joint_coordinates(sim, drive.drive.joint, q, rate);
    tn_sim_destroy(sim);
    char motion[96];
    snprintf(motion, sizeof motion, "%.17g%+.17g*sin(t)", q[drive.drive.coordinate],
             rate[drive.drive.coordinate]);
    drive.drive.motion = expression(motion);
    tn_model_add_joint(m->model, &drive);
    return true;
}

static tn_sim *run_form(const tn_model *model, const char *integrator, const char *form)
{
    char method[64];
    snprintf(method, sizeof method, "%s/%s@director", integrator, form);
    tn_sim *sim = open_fixed(model, method, H);
    for (int n = 0; n < STEPS; n++)
        CHECK_OK(tn_sim_step(sim, H));
    return sim;
}

static void keep_worst(difference *most, const difference *d)
{
    most->pose = fmax(most->pose, d->pose);
    most->velocity = fmax(most->velocity, d->velocity);
    most->reaction = fmax(most->reaction, d->reaction);
}

static void look_at(const tn_sim *sim, bool exact, extremes *x)
{
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    x->g = fmax(x->g, ledger.max_g);
    if (exact)
        x->energy = fmax(x->energy, ledger.max_balance / fmax(1.0, fabs(ledger.energy_start)));
}

static void take_steps(const tn_model *model, const char *integrator, bool exact, int seed,
                       extremes *x)
{
    tn_sim *sim[FORMS];
    for (int k = 0; k < FORMS; k++) {
        sim[k] = run_form(model, integrator, forms[k]);
        look_at(sim[k], exact, x);
        const difference d = compare(model, sim[0], sim[k]);
        if (d.pose > 1e-12)
            printf("seed %d, %s/%s: poses %.1e apart\n", seed, integrator, forms[k], d.pose);
        keep_worst(&x->most, &d);
    }
    x->redundant += tn_sim_redundant(sim[0]) > 0;
    for (int k = 0; k < FORMS; k++)
        tn_sim_destroy(sim[k]);
}

static extremes run_all(const char *integrator, bool conserves)
{
    extremes x = {0};
    for (int seed = 0; seed < SEEDS; seed++) {
        mechanism m = random_mechanism_of(seed, 2 + seed % 7);
        const double damping = seed % 3 == 1 ? 0.4 : 0.0;
        add_bushing(&m, damping);
        add_joint_law(&m, damping);
        const bool driven = seed % 3 == 2 && add_drive(&m), exact = !driven && damping == 0.0;
        take_steps(m.model, integrator, conserves && exact, seed, &x);
        x.driven += driven;
        x.exact += exact;
        tn_model_destroy(m.model);
    }
    printf(
        "%s: %d redundant, %d driven; poses within %.1e, velocities %.1e, reactions %.1e, g %.1e, "
        "energy of %d %.1e\n",
        integrator, x.redundant, x.driven, x.most.pose, x.most.velocity, x.most.reaction, x.g,
        x.exact, x.energy);
    return x;
}

static void check_forms(const extremes *x)
{
    // Round-off of q, some metres, over h and h^2.
    CHECK(x->most.pose < 1e-12);
    CHECK(x->most.velocity < 1e-9);
    CHECK(x->most.reaction < 1e-6);
    CHECK(x->g < 1e-13);
    CHECK(x->redundant > 10);
    CHECK(x->driven > 5);
}

static void the_forms_of_variational_agree(void)
{
    const extremes x = run_all("variational", false);
    check_forms(&x);
}

static void the_forms_of_energy_momentum_agree_and_keep_the_energy(void)
{
    const extremes x = run_all("energy-momentum", true);
    check_forms(&x);
    CHECK(x.exact > 15);
    CHECK(x.energy < 2e-13);
}

static const tn_test tests[] = {
    {"the forms of variational agree", the_forms_of_variational_agree},
    {"the forms of energy-momentum agree and keep the energy",
     the_forms_of_energy_momentum_agree_and_keep_the_energy},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
