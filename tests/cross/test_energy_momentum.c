// SPDX-License-Identifier: MIT
//
// The energy-momentum scheme: with every potential of the force library the energy stays at
// round-off over ten thousand steps, and so do momentum and spin of free systems and the
// constraints; dampers take energy out in every step; both forms give one motion; what is exact of
// velocities, and what is not; prescribed motions; what it refuses. Orders are those of
// cross/orders.

#include "fixed_step.h"
#include "kinds/family.h"
#include "model/model.h"

// Round-off of ten thousand steps, relative to the energies that are exchanged.
static const double ROUNDOFF = 1e-12;

// Energy and momenta are as exact in each of them; with TN_LONG in the environment there are more.
static int steps_of_runs(void)
{
    return getenv("TN_LONG") ? 10000 : 1000;
}

enum { DAMPED_STEPS = 2000 };

static const double STEP = 5e-3;

// Potentials --------------------------------------------------------------------------------------

// Stiffness, cube, preload and a table, whose knots are passed in every swing.
static void set_spring(tn_force_def *def, double free, double damping)
{
    static const double x[] = {-0.5, -0.1, 0.0, 0.05, 0.2, 0.6};
    static const double f[] = {-8.0, -3.0, 0.0, 1.0, 1.5, 9.0};
    def->spring.stiffness = 40.0;
    def->spring.cubic = 30.0;
    def->spring.preload = 0.5;
    def->spring.free = free;
    def->spring.free_given = true;
    def->spring.damping = damping;
    def->spring.ntable = TN_COUNT(x);
    def->spring.table_x = x;
    def->spring.table_f = f;
    def->spring.interpolation = TN_TABLE_SPLINE; // orders are those of a smooth force
}

static tn_joint add_joint(tn_model *model, tn_joint_kind kind, tn_body a, tn_body b, tn_vec3 at)
{
    tn_joint_def def = tn_default_joint(kind);
    def.body_a = a;
    def.body_b = b;
    def.frame_a.p = at;
    def.frame_a.R = def.frame_b.R = tn_m3_rot_x(0.8);
    return tn_model_add_joint(model, &def);
}

// Ground and two blocks in a row, each on the one before by the force.
static void add_between(tn_model *model, const tn_body *block, tn_force_def def)
{
    def.body_a = TN_GROUND;
    def.body_b = block[0];
    tn_model_add_force(model, &def);
    def.body_a = block[0];
    def.body_b = block[1];
    def.frame_a.p = tn_v3(0.5, 0.0, 0.0);
    tn_model_add_force(model, &def);
}

static void add_spring(tn_model *model, const tn_body *block, double damping)
{
    tn_force_def def = tn_default_force(TN_FORCE_SPRING);
    set_spring(&def, 0.3, damping);
    def.frame_b.p = tn_v3(0.0, 0.3, 0.0);
    add_between(model, block, def);
}

static void add_torsion(tn_model *model, const tn_body *block, double damping)
{
    tn_force_def def = tn_default_force(TN_FORCE_TORSION_SPRING);
    set_spring(&def, 0.2, damping);
    add_joint(model, TN_JOINT_REVOLUTE, TN_GROUND, block[0], tn_v3(0, 0, 0));
    add_joint(model, TN_JOINT_REVOLUTE, block[0], block[1], tn_v3(0.5, 0.0, 0.0));
    def.frame_a.R = def.frame_b.R = tn_m3_rot_x(0.8);
    add_between(model, block, def);
}

static void add_bushing(tn_model *model, const tn_body *block, double damping)
{
    tn_force_def def = tn_default_force(TN_FORCE_BUSHING);
    def.bushing.stiffness = tn_v3(300.0, 400.0, 500.0);
    def.bushing.rotational_stiffness = tn_v3(60.0, 80.0, 50.0);
    def.bushing.damping = tn_v3(damping, 2.0 * damping, 3.0 * damping);
    def.bushing.rotational_damping = tn_v3(damping, 2.0 * damping, 3.0 * damping);
    def.frame_a.R = def.frame_b.R = tn_m3_rot_y(0.4);
    add_between(model, block, def);
}

static void add_beam(tn_model *model, const tn_body *block, double damping)
{
    tn_force_def def = tn_default_force(TN_FORCE_BEAM_ELEMENT);
    def.beam.length = 0.5;
    def.beam.stiffness = tn_v3(300.0, 400.0, 500.0);
    def.beam.rotational_stiffness = tn_v3(30.0, 40.0, 25.0);
    def.beam.damping = 0.2 * damping;
    def.beam.stretch = tn_v3(0.1, 0.2, 0.4);
    def.beam.turn = tn_v3(0.2, -0.3, 0.1);
    def.frame_a.R = def.frame_b.R = tn_m3_rot_y(1.4);
    add_between(model, block, def);
}

static void add_joint_spring(tn_model *model, const tn_body *block, double damping)
{
    tn_force_def def = tn_default_force(TN_FORCE_JOINT_SPRING);
    set_spring(&def, 0.1, damping);
    def.joint = add_joint(model, TN_JOINT_REVOLUTE, TN_GROUND, block[0], tn_v3(0, 0, 0));
    tn_model_add_force(model, &def);
    def.joint = add_joint(model, TN_JOINT_CYLINDRICAL, block[0], block[1], tn_v3(0.5, 0.0, 0.0));
    tn_model_add_force(model, &def);
    def.coordinate = 1;
    tn_model_add_force(model, &def);
}

// Both ends are met, with a corner in the force, a smooth start and a hard one.
static void add_stops(tn_model *model, const tn_body *block, double damping)
{
    static const double exponents[] = {1.0, 1.5, 3.0};
    tn_force_def def = tn_default_force(TN_FORCE_JOINT_STOP);
    def.stop.lower = -0.2;
    def.stop.upper = 0.3;
    def.stop.stiffness = 3000.0;
    def.stop.damping = 0.2 * damping;
    def.joint = add_joint(model, TN_JOINT_REVOLUTE, TN_GROUND, block[0], tn_v3(0, 0, 0));
    for (int k = 0; k < 3; k++) {
        def.stop.exponent = exponents[k];
        tn_model_add_force(model, &def);
        def.joint =
            k ? def.joint
              : add_joint(model, TN_JOINT_CYLINDRICAL, block[0], block[1], tn_v3(0.5, 0.0, 0.0));
        def.coordinate = k;
    }
}

typedef struct potential {
    const char *name;
    void (*add)(tn_model *model, const tn_body *block, double damping);
    tn_force_kind kind;
} potential;

static const potential potentials[] = {
    {"spring", add_spring, TN_FORCE_SPRING},
    {"torsion spring", add_torsion, TN_FORCE_TORSION_SPRING},
    {"bushing", add_bushing, TN_FORCE_BUSHING},
    {"beam element", add_beam, TN_FORCE_BEAM_ELEMENT},
    {"joint spring", add_joint_spring, TN_FORCE_JOINT_SPRING},
    {"joint stop", add_stops, TN_FORCE_JOINT_STOP},
};

static tn_model *blocks_on(const potential *p, double damping)
{
    tn_model *model = tn_model_create();
    const tn_body block[2] = {add_block(model, "one", tn_v3(0.0, 0.0, 0.0), tn_v3(0.0, 0.0, 0.0)),
                              add_block(model, "two", tn_v3(0.5, 0.0, 0.0), tn_v3(0.0, 0.0, 0.0))};
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    p->add(model, block, damping);
    CHECK_OK(tn_model_status(model));
    return model;
}

static void energy_is_exact_with_every_potential(void)
{
    for (int k = 0; k < TN_COUNT(potentials); k++) {
        tn_model *model = blocks_on(&potentials[k], 0.0);
        tn_sim *sim = open_fixed(model, "energy-momentum@director", STEP);
        tn_ledger ledger;
        const int steps = steps_of_runs();
        const long before = tn_test_alloc_count();
        for (int n = 0; n < steps; n++)
            CHECK_OK(tn_sim_step(sim, STEP));
        CHECK(tn_test_alloc_count() == before);
        tn_sim_ledger(sim, &ledger);
        printf("%-15s energy within %.1e of %.1f J, |g| %.1e, %.2f iterations a step\n",
               potentials[k].name, ledger.max_balance / ledger.energy_scale, ledger.energy_scale,
               ledger.max_g, (double)ledger.newton / steps);
        CHECK(ledger.energy_scale > 0.3);
        CHECK(ledger.max_balance < ROUNDOFF * ledger.energy_scale);
        CHECK(ledger.max_g < ROUNDOFF);
        CHECK(ledger.newton < 6 * steps);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Forces with a potential are all there.
static void no_potential_is_missing(void)
{
    for (int k = 0; k < TN_FORCE_KIND_COUNT; k++) {
        bool found = false;
        for (int i = 0; i < TN_COUNT(potentials); i++)
            found = found || (int)potentials[i].kind == k;
        CHECK(found == (tn_force_ops_of(k)->mean || tn_force_ops_of(k)->between));
    }
}

static void dampers_take_energy_out_in_every_step(void)
{
    for (int k = 0; k < TN_COUNT(potentials); k++) {
        tn_model *model = blocks_on(&potentials[k], 0.4);
        tn_sim *sim = open_fixed(model, "energy-momentum@director", STEP);
        tn_ledger ledger;
        tn_sim_ledger(sim, &ledger);
        const double first = ledger.energy;
        double last = first, gained = 0.0;
        for (int n = 0; n < DAMPED_STEPS; n++) {
            CHECK_OK(tn_sim_step(sim, STEP));
            tn_sim_ledger(sim, &ledger);
            gained = fmax(gained, ledger.energy - last);
            last = ledger.energy;
        }
        printf("%-15s from %.3f J to %.3f J, never up by more than %.1e J\n", potentials[k].name,
               first, last, gained);
        CHECK(gained < ROUNDOFF * ledger.energy_scale);
        CHECK(first - last > 0.1 * ledger.energy_scale);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Momenta -----------------------------------------------------------------------------------------

static double lost_momentum(const tn_ledger *ledger)
{
    double lost = 0.0;
    for (int i = 0; i < 3; i++) {
        lost = fmax(lost, fabs(ledger->spin[i] - ledger->spin_start[i]));
        lost = fmax(lost, fabs(ledger->momentum[i] - ledger->momentum_start[i]));
    }
    return lost;
}

// Three blocks that float and turn: a hinge with a torsion spring, a spring and a bushing.
static tn_model *floating_blocks(double damping)
{
    tn_model *model = tn_model_create();
    const tn_body one = add_block(model, "one", tn_v3(0.0, 0.0, 0.0), tn_v3(1.0, 2.0, -0.5));
    const tn_body two = add_block(model, "two", tn_v3(1.0, 0.0, 0.0), tn_v3(-1.0, 0.5, 2.0));
    const tn_body three = add_block(model, "three", tn_v3(1.0, 1.0, 0.0), tn_v3(0.0, 1.0, 0.0));
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, 0.0));
    add_joint(model, TN_JOINT_REVOLUTE, one, two, tn_v3(1.0, 0.0, 0.0));
    tn_force_def def = tn_default_force(TN_FORCE_SPRING);
    def.body_a = one;
    def.body_b = three;
    set_spring(&def, 1.2, damping);
    tn_model_add_force(model, &def);
    def = tn_default_force(TN_FORCE_TORSION_SPRING);
    def.body_a = one;
    def.body_b = two;
    def.frame_a.R = def.frame_b.R = tn_m3_rot_x(0.8);
    set_spring(&def, 0.0, damping);
    tn_model_add_force(model, &def);
    def = tn_default_force(TN_FORCE_BUSHING);
    def.body_a = two;
    def.body_b = three;
    def.frame_a.p = tn_v3(0.0, 1.0, 0.0);
    def.bushing.stiffness = tn_v3(300.0, 400.0, 500.0);
    def.bushing.rotational_stiffness = tn_v3(60.0, 80.0, 50.0);
    def.bushing.damping = def.bushing.rotational_damping = tn_v3(damping, damping, damping);
    tn_model_add_force(model, &def);
    CHECK_OK(tn_model_status(model));
    return model;
}

static void free_systems_keep_momentum_spin_and_energy(void)
{
    for (int damped = 0; damped < 2; damped++) {
        tn_model *model = floating_blocks(0.3 * damped);
        tn_sim *sim = open_fixed(model, "energy-momentum@director", STEP);
        tn_ledger ledger;
        double lost = 0.0;
        for (int n = 0; n < steps_of_runs(); n++) {
            CHECK_OK(tn_sim_step(sim, STEP));
            tn_sim_ledger(sim, &ledger);
            lost = fmax(lost, lost_momentum(&ledger));
        }
        const double size = fabs(ledger.spin[0]) + fabs(ledger.spin[1]) + fabs(ledger.spin[2]);
        printf("%s: momenta of size %.1f change by %.1e, energy %.3f to %.3f J, balance %.1e\n",
               damped ? "damped" : "undamped", size, lost, ledger.energy_start, ledger.energy,
               ledger.balance);
        CHECK(size > 1.0 && lost < ROUNDOFF * size);
        if (damped)
            CHECK(ledger.energy < 0.9 * ledger.energy_start);
        else
            CHECK(ledger.max_balance < ROUNDOFF * ledger.energy_scale);
        CHECK(ledger.max_g < ROUNDOFF);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// Forms -------------------------------------------------------------------------------------------

// One freedom, so that neighbouring motions stay together.
static tn_model *swinging_block(void)
{
    tn_model *model = tn_model_create();
    const tn_vec3 rate = tn_m3_apply(tn_m3_rot_x(0.8), tn_v3(0.0, 0.0, 3.0)); // about the hinge
    const tn_body block = add_block(model, "one", tn_v3(0.0, 0.0, 0.0), rate);
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    tn_force_def def = tn_default_force(TN_FORCE_JOINT_SPRING);
    set_spring(&def, 0.4, 0.0);
    def.joint = add_joint(model, TN_JOINT_REVOLUTE, TN_GROUND, block, tn_v3(0.0, 0.0, 0.0));
    tn_model_add_force(model, &def);
    return model;
}

static void both_forms_give_one_motion(void)
{
    tn_model *model = swinging_block();
    tn_sim *a = open_fixed(model, "energy-momentum/multiplier@director", STEP);
    tn_sim *b = open_fixed(model, "energy-momentum/dalembert@director", STEP);
    double motion = 0.0, force = 0.0;
    for (int n = 0; n < steps_of_runs(); n++) {
        CHECK_OK(tn_sim_step(a, STEP));
        CHECK_OK(tn_sim_step(b, STEP));
        for (int i = 0; i < tn_sim_nq(a); i++)
            motion = fmax(motion, fabs(tn_sim_q(a)[i] - tn_sim_q(b)[i]));
        for (int i = 0; i < tn_sim_nl(a); i++)
            force = fmax(force, fabs(tn_sim_lambda(a)[i] - tn_sim_lambda(b)[i]));
    }
    printf("positions within %.1e, multipliers %.1e\n", motion, force);
    CHECK(motion < 1e-10);
    CHECK(force < 1e-6); // see round-off by h^2
    tn_sim_destroy(a);
    tn_sim_destroy(b);
    tn_model_destroy(model);
}

// Velocities --------------------------------------------------------------------------------------

enum { NV = 12, NL = 11 }; // of a block on a hinge

typedef struct unrest {
    double hidden;    // largest |B v|
    double v, lambda; // largest second differences, which show alternating errors four times
} unrest;

static double second_difference(int n, const double *a, const double *b, const double *c)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - 2.0 * b[i] + c[i]));
    return most;
}

// Of both halves of a run.
static void watch(const tn_model *model, double h, double t_end, unrest out[2])
{
    const int steps = (int)(t_end / h + 0.5);
    tn_sim *sim = open_fixed(model, "energy-momentum@director", h);
    double v[3][NV], lambda[3][NL];
    CHECK(tn_sim_nv(sim) == NV && tn_sim_nl(sim) == NL);
    out[0] = out[1] = (unrest){0};
    for (int n = 0; n < steps; n++) {
        tn_ledger ledger;
        unrest *u = &out[2 * n / steps];
        const int a = n % 3, b = (n + 2) % 3, c = (n + 1) % 3;
        CHECK_OK(tn_sim_step(sim, h));
        tn_sim_ledger(sim, &ledger);
        memcpy(v[a], tn_sim_v(sim), sizeof v[a]);
        memcpy(lambda[a], tn_sim_lambda(sim), sizeof lambda[a]);
        u->hidden = fmax(u->hidden, ledger.gdot);
        if (n < 2)
            continue;
        u->v = fmax(u->v, second_difference(NV, v[a], v[b], v[c]));
        u->lambda = fmax(u->lambda, second_difference(NL, lambda[a], lambda[b], lambda[c]));
    }
    tn_sim_destroy(sim);
}

static void check_second_order(double coarse, double fine)
{
    CHECK_NEAR(log2(coarse / fine), 2.0, 0.1);
}

// The velocities shown satisfy the hidden constraints to second order only; what alternates in them
// is of that order too and does not grow. Multipliers of single intervals alternate by O(h), those
// shown, which are means of two, do not.
static void hidden_constraints_hold_to_second_order(void)
{
    tn_model *model = swinging_block();
    unrest coarse[2], fine[2];
    watch(model, 0.01, 100.0, coarse);
    watch(model, 0.005, 100.0, fine);
    for (int k = 0; k < 2; k++) {
        printf("|B v| %.2e and %.2e, second differences of v %.2e and %.2e, lambda %.2e and "
               "%.2e\n",
               coarse[k].hidden, fine[k].hidden, coarse[k].v, fine[k].v, coarse[k].lambda,
               fine[k].lambda);
        check_second_order(coarse[k].hidden, fine[k].hidden);
        check_second_order(coarse[k].v, fine[k].v);
        check_second_order(coarse[k].lambda, fine[k].lambda);
    }
    CHECK_NEAR(coarse[1].hidden / coarse[0].hidden, 1.0, 0.01);
    CHECK_NEAR(coarse[1].v / coarse[0].v, 1.0, 0.01);
    tn_model_destroy(model);
}

// Prescribed motions ------------------------------------------------------------------------------

static tn_function expression(const char *text)
{
    return (tn_function){.expression = text};
}

// A carrier on a prescribed path, a drive of the turn on it, and a block that swings on both.
static tn_model *driven_blocks(void)
{
    tn_model *model = tn_model_create();
    const tn_body carrier = add_block(model, "carrier", tn_v3(0, 0, 0), tn_v3(0, 0, 0));
    const tn_body arm = add_block(model, "arm", tn_v3(0.2, 0, 0), tn_v3(0, 0, 0));
    const tn_body bob = add_block(model, "bob", tn_v3(0.7, 0, 0), tn_v3(0, 0, 0));
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -9.81));
    tn_joint_def path = tn_default_joint(TN_JOINT_POSE_DRIVE);
    path.body_b = carrier;
    path.pose.x = expression("0.3*(1-cos(2*t))");
    path.pose.z = expression("0.1*t^2");
    path.pose.yaw = expression("0.5*(1-cos(3*t))");
    path.pose.pitch = expression("0.2*t^2");
    tn_model_add_joint(model, &path);
    tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
    drive.drive.joint = add_joint(model, TN_JOINT_REVOLUTE, carrier, arm, tn_v3(0.2, 0, 0));
    drive.drive.motion = expression("1-cos(2*t)");
    tn_model_add_joint(model, &drive);
    add_joint(model, TN_JOINT_SPHERICAL, arm, bob, tn_v3(0.5, 0, 0));
    CHECK_OK(tn_model_status(model));
    return model;
}

typedef struct place {
    double x[24]; // positions and velocities of three bodies, and six multipliers of the path
} place;

static place place_at(const tn_model *model, const char *method, double h, double t)
{
    place p;
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.step = h;
    options.adaptive = h == 0.0;
    options.rtol = options.atol = 1e-12;
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    for (int k = 0; k < 3; k++) {
        tn_v3_to(tn_sim_body_frame(sim, (tn_body){k + 1}).p, p.x + 6 * k);
        tn_v3_to(tn_sim_body_velocity(sim, (tn_body){k + 1}), p.x + 6 * k + 3);
    }
    CHECK(tn_sim_joint_multipliers(sim, (tn_joint){0}, p.x + 18, NULL) == 6);
    tn_sim_destroy(sim);
    return p;
}

static double apart(const place *a, const place *b, int from, int to)
{
    double most = 0.0;
    for (int i = from; i < to; i++)
        most = fmax(most, fabs(a->x[i] - b->x[i]));
    return most;
}

static void prescribed_motions_are_of_second_order(void)
{
    tn_model *model = driven_blocks();
    const place exact = place_at(model, "dop853/index1+project@absolute", 0.0, 1.0);
    const place coarse = place_at(model, "energy-momentum@director", 0.005, 1.0);
    const place fine = place_at(model, "energy-momentum@director", 0.0025, 1.0);
    const double motion[2] = {apart(&coarse, &exact, 0, 18), apart(&fine, &exact, 0, 18)};
    const double force[2] = {apart(&coarse, &exact, 18, 24), apart(&fine, &exact, 18, 24)};
    printf("motion %.1e, with half the step %.1e; multipliers %.1e and %.1e\n", motion[0],
           motion[1], force[0], force[1]);
    CHECK(motion[0] < 0.01);
    CHECK_NEAR(log2(motion[0] / motion[1]), 2.0, 0.1);
    CHECK_NEAR(log2(force[0] / force[1]), 2.0, 0.1);
    tn_model_destroy(model);
}

// Refusals ----------------------------------------------------------------------------------------

static void systems_without_discrete_derivatives_are_refused(void)
{
    tn_model *model = tn_model_create();
    tn_body_def def = tn_default_body();
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    def.kind = TN_BODY_POINT;
    tn_model_add_body(model, &def);
    options.method = "energy-momentum@absolute";
    CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_PAIRING);
    CHECK(strstr(tn_last_error(), "which absolute coordinates do not have; take @director"));
    options.method = "energy-momentum@director";
    options.adaptive = true;
    CHECK(tn_sim_create(model, &options, &sim) == TN_ERR_PAIRING);
    CHECK(strstr(tn_last_error(), "fixed step only"));
    tn_model_destroy(model);
}

static const tn_test tests[] = {

    {"energy is exact with every potential", energy_is_exact_with_every_potential},
    {"no potential is missing", no_potential_is_missing},
    {"dampers take energy out in every step", dampers_take_energy_out_in_every_step},
    {"free systems keep momentum, spin and energy", free_systems_keep_momentum_spin_and_energy},
    {"both forms give one motion", both_forms_give_one_motion},
    {"hidden constraints hold to second order", hidden_constraints_hold_to_second_order},
    {"prescribed motions are of second order", prescribed_motions_are_of_second_order},
    {"systems without discrete derivatives are refused",
     systems_without_discrete_derivatives_are_refused},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
