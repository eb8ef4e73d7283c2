// SPDX-License-Identifier: MIT
//
// Absolute coordinates against themselves, over the whole registry: every joint, coupling and force
// between every kind of body it accepts, in R^3 x SO(3) and in SE(3), at random states. Derivative
// blocks match differences, energies balance the powers, and what is internal moves no momentum.

#include "probe.h"
#include "test.h"
#include "workshop.h"

#include "kinds/family.h"
#include "motion/accel.h"

// Differences of fourth order with the step 1e-3 on functions of size up to 1e3 (see probe.h): some
// 1e-10 of the largest entry of a column.
static const double TANGENT_TOL = 1e-9;
static const double RATE_TOL = 4e-9;  // along motions with accelerations of some hundreds, relative
static const double ROUNDOFF = 1e-12; // sums of some hundred terms of size ten

enum { STATES = 3, WORKSHOPS = 4 };

static const tn_rotation rotations[] = {TN_ROTATION_SO3, TN_ROTATION_SE3};

// Rows by expressions: of all kinds of numbers that they know, and of time.
static void add_formula_rows(tn_model *model, bool spatial)
{
    static const char *const space[] = {
        "'body 1'.velocity.y*cos('body 2'.position.x) - (2 + sin(t))*'body 2'.angular_velocity.x",
        "'body 1'.angular_velocity.z*'body 2'.position.z - 'body 3'.velocity.x/(2 + "
        "'body 4'.position.y^2) - 0.3*t",
        "'body 1'.velocity.x*'body 2'.velocity.y + sin('body 2'.angular_velocity.y)*"
        "'body 1'.position.x",
        "'body 1'.position.x*'body 2'.position.y - exp('body 3'.position.z)*(1 + 0.2*t^2)",
    };
    static const char *const plane[] = {
        "'body 1'.velocity.y*cos('body 1'.angle) - 'body 1'.velocity.x*sin('body 1'.angle)",
        "'body 1'.angle.rate*'body 2'.position.x + 'body 2'.angle.rate - 0.2*t^2",
        "'body 1'.angle.rate^2*'body 2'.position.x + 'body 2'.velocity.y",
        "sin('body 1'.angle)*'body 2'.position.y - 'body 2'.position.x^2 + 0.1*t^2",
    };
    for (int i = 0; i < 4; i++) {
        tn_joint_def def = tn_default_joint(i < 3 ? TN_JOINT_VELOCITY_ROW : TN_JOINT_POSITION_ROW);
        def.formula.row = spatial ? space[i] : plane[i];
        tn_model_add_joint(model, &def);
    }
    CHECK_OK(tn_model_status(model));
}

// Beam elements that spread inertia between rigid bodies, less than these have.
static void add_spread(tn_model *model)
{
    int last = -1;
    for (int k = 1; k < model->bodies.count; k++) {
        if (model->bodies.at[k].ops->turns != 3)
            continue;
        tn_force_def def = tn_default_force(TN_FORCE_BEAM_ELEMENT);
        def.body_a = (tn_body){last};
        def.body_b = (tn_body){k};
        def.frame_b.p = model->bodies.at[k].def.com;
        def.beam.length = 0.5;
        def.beam.stiffness = tn_v3(1.0, 2.0, 3.0);
        def.beam.rotational_stiffness = tn_v3(0.3, 0.2, 0.1);
        def.beam.mass = 0.06;
        def.beam.inertia = tn_v3(0.003, 0.002, 0.005);
        if (last > 0) {
            def.frame_a.p = model->bodies.at[last].def.com;
            tn_model_add_force(model, &def);
        }
        last = k;
    }
    CHECK_OK(tn_model_status(model));
}

static tn_model *workshop(int k)
{
    tn_model *model = k == 0   ? floating_workshop()
                      : k == 1 ? spatial_workshop()
                               : planar_workshop(k == 2);
    add_friction(model, TN_FORCE_FRICTION);
    add_friction(model, TN_FORCE_LUGRE);
    add_formula_rows(model, k < 2);
    if (k < 2)
        add_spread(model);
    return model;
}

static probe open_at_random(const tn_model *model, tn_rotation rotation, bool start_rows)
{
    tn_system *sys = NULL;
    CHECK_OK(tn_absolute_create(model, rotation, start_rows, &sys));
    probe p = probe_open(sys);
    probe_randomize(&p, 0.3);
    return p;
}

// Runs `check` at random states of all workshops in both rotations.
static void everywhere(void (*check)(probe *p))
{
    for (int k = 0; k < WORKSHOPS; k++)
        for (int i = 0; i < TN_COUNT(rotations); i++) {
            tn_model *model = workshop(k);
            probe p = open_at_random(model, rotations[i], false);
            for (int n = 0; n < STATES; n++) {
                probe_randomize(&p, 0.3);
                check(&p);
            }
            probe_close(&p);
            tn_model_destroy(model);
        }
}

// Registry ----------------------------------------------------------------------------------------

static void workshops_hold_every_kind(void)
{
    int joints[TN_JOINT_KIND_COUNT] = {0}, forces[TN_FORCE_KIND_COUNT] = {0};
    int bodies[TN_BODY_KIND_COUNT] = {0};
    for (int k = 0; k < WORKSHOPS; k++) {
        tn_model *model = workshop(k);
        for (int i = 1; i < model->bodies.count; i++)
            for (int j = 0; j < TN_BODY_KIND_COUNT; j++)
                bodies[j] += model->bodies.at[i].ops == tn_body_ops_of(j);
        for (int i = 0; i < model->joints.count; i++)
            for (int j = 0; j < TN_JOINT_KIND_COUNT; j++)
                joints[j] += model->joints.at[i].ops == tn_joint_ops_of(j);
        for (int i = 0; i < model->forces.count; i++)
            forces[model->forces.at[i].def.kind]++;
        tn_model_destroy(model);
    }
    for (int i = 0; i < TN_JOINT_KIND_COUNT; i++)
        CHECK(joints[i] > 0 || tn_joint_ops_of(i)->shapes);
    for (int i = 0; i < TN_FORCE_KIND_COUNT; i++)
        CHECK(forces[i] > 0 || i == TN_FORCE_CREEP || i == TN_FORCE_CONTACT);
    for (int i = 0; i < TN_BODY_KIND_COUNT; i++)
        CHECK(bodies[i] > 0);
}

// Derivatives -------------------------------------------------------------------------------------

static void check_columns(probe *p)
{
    for (int j = 0; j < p->sys->nv; j++) {
        CHECK_NEAR(probe_misfit(p, ALONG_Q, j), 0.0, TANGENT_TOL);
        CHECK_NEAR(probe_misfit(p, ALONG_V, j), 0.0, TANGENT_TOL);
    }
}

static void derivative_blocks_match_differences(void)
{
    everywhere(check_columns);
}

// g' = gdot, gdot' = B a + gamma and ndot' = N a + ngamma along the motion.
static void check_levels(probe *p)
{
    tn_system *s = p->sys;
    const int ng = s->ng;
    double *rate = calloc((size_t)(2 * ng + s->nn + s->nv + 1), sizeof(double));
    CHECK(rate != NULL);
    probe_derivative(p, ALONG_MOTION, 0, rate);
    const tn_point at = probe_point(p);
    CHECK_OK(tn_system_eval(s, &at, TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA));
    double *level = s->gamma;
    tn_sparse_mul(s->block[TN_BLOCK_B], 1.0, p->a, level);
    for (int i = 0; i < ng; i++) {
        CHECK_NEAR(s->gdot[i], rate[i], RATE_TOL * (1.0 + fabs(rate[i])));
        CHECK_NEAR(level[i], rate[ng + i], RATE_TOL * (1.0 + fabs(rate[ng + i])));
    }
    if (s->nn > 0)
        tn_sparse_mul(s->block[TN_BLOCK_N], 1.0, p->a, s->ngamma);
    for (int i = 0; i < s->nn; i++)
        CHECK_NEAR(s->ngamma[i], rate[2 * ng + i], RATE_TOL * (1.0 + fabs(rate[2 * ng + i])));
    free(rate);
}

static void velocity_and_acceleration_level_are_rates(void)
{
    everywhere(check_levels);
}

// Start rows: stated coordinates and rates, which the assembly uses.
static void start_rows_have_the_same_derivatives(void)
{
    for (int i = 0; i < TN_COUNT(rotations); i++) {
        tn_model *model = tn_model_create();
        const tn_body a = random_body(model, TN_BODY_RIGID), b = random_body(model, TN_BODY_RIGID);
        tn_joint_def def = tn_default_joint(TN_JOINT_CYLINDRICAL);
        def.name = "tube";
        def.body_a = a;
        def.body_b = b;
        def.frame_a = random_frame(model, a, false);
        def.nposition = 1;
        def.nrate = 2;
        def.position[0] = 0.4;
        def.rate[0] = 0.5;
        def.rate[1] = -0.6;
        tn_model_add_joint(model, &def);
        probe p = open_at_random(model, rotations[i], true);
        CHECK(p.sys->ng == 4 + 2);
        for (int row = 3; row < 6; row++) {
            const tn_row_levels level = tn_absolute_row_levels(p.sys, row);
            CHECK(level.position == (row < 5) && level.velocity && !level.guess);
        }
        check_columns(&p);

        const tn_point at = probe_point(&p);
        double q[3], rate[3];
        CHECK(tn_absolute_coordinates(p.sys, &at, 0, q, rate) == 2);
        CHECK_OK(tn_system_eval(p.sys, &at, TN_EVAL_G | TN_EVAL_GDOT));
        CHECK_NEAR(p.sys->g[4], q[0] - 0.4, ROUNDOFF);
        CHECK_NEAR(p.sys->gdot[4], rate[0] - 0.5, ROUNDOFF);
        CHECK_NEAR(p.sys->gdot[5], rate[1] + 0.6, ROUNDOFF);
        char name[96];
        p.sys->ops->row_name(p.sys, 4, name, sizeof name);
        CHECK_TEXT(name, "joint 'tube', stated start value");
        probe_close(&p);
        tn_model_destroy(model);
    }
}

// Each part alone ---------------------------------------------------------------------------------

typedef struct part {
    unsigned bit;
    tn_block block; // TN_BLOCK_COUNT for none
    size_t vector;  // offset of a vector in tn_system, 0 for none
    bool rows;      // of ng numbers, else nv
} part;

static const part parts[] = {
    {TN_EVAL_MASS, TN_BLOCK_M, 0, false},
    {TN_EVAL_FORCE, TN_BLOCK_COUNT, offsetof(tn_system, f), false},
    {TN_EVAL_G, TN_BLOCK_COUNT, offsetof(tn_system, g), true},
    {TN_EVAL_B, TN_BLOCK_B, 0, false},
    {TN_EVAL_GDOT, TN_BLOCK_COUNT, offsetof(tn_system, gdot), true},
    {TN_EVAL_GAMMA, TN_BLOCK_COUNT, offsetof(tn_system, gamma), true},
    {TN_EVAL_TANGENT, TN_BLOCK_K, 0, false},
    {TN_EVAL_TANGENT, TN_BLOCK_D, 0, false},
    {TN_EVAL_TANGENT, TN_BLOCK_Z, 0, false},
};

static double *part_values(tn_system *s, const part *x, int *n)
{
    if (x->block < TN_BLOCK_COUNT) {
        *n = s->block[x->block]->nnz;
        return s->block[x->block]->val;
    }
    *n = x->rows ? s->ng : s->nv;
    return *(double **)((char *)s + x->vector);
}

// A part that is asked for alone has the value it has among all, and those not asked for stay.
static void check_parts(probe *p)
{
    tn_system *s = p->sys;
    const tn_point at = probe_point(p);
    CHECK_OK(tn_system_eval(s, &at, 2 * TN_EVAL_TANGENT - 1));
    for (int k = 0; k < TN_COUNT(parts); k++) {
        int n;
        double *values = part_values(s, &parts[k], &n);
        double *all = malloc(sizeof(double) * (size_t)(n + 1));
        CHECK(all != NULL);
        tn_copy(n, values, all);
        CHECK_OK(tn_system_eval(s, &at, parts[k].bit));
        CHECK(!memcmp(values, all, sizeof(double) * (size_t)n));
        for (int i = 0; i < TN_COUNT(parts); i++) {
            const bool with_force =
                parts[i].bit == TN_EVAL_TANGENT && parts[k].bit == TN_EVAL_FORCE;
            if (parts[i].bit == parts[k].bit || with_force)
                continue;
            CHECK_OK(tn_system_eval(s, &at, parts[i].bit));
            CHECK(!memcmp(values, all, sizeof(double) * (size_t)n));
        }
        free(all);
    }
}

static void parts_do_not_disturb_one_another(void)
{
    everywhere(check_parts);
}

// Energy and momentum -----------------------------------------------------------------------------

// M a = f - B^T lambda - N^T eta, with any multipliers.
static void solve_motion(probe *p)
{
    tn_system *s = p->sys;
    const int nv = s->nv;
    double *M = calloc((size_t)(nv * nv) + 1, sizeof(double));
    int *pivot = calloc((size_t)nv + 1, sizeof(int));
    CHECK(M && pivot);
    tn_zero(nv, p->a);
    const tn_point at = probe_point(p);
    double *r = calloc((size_t)nv + 1, sizeof(double));
    CHECK(r != NULL);
    probe_residual(s, &at, r);
    tn_sparse_to_dense(s->block[TN_BLOCK_M], M);
    CHECK_OK(tn_lu_factor(nv, M, pivot));
    tn_lu_solve(nv, M, pivot, r);
    for (int i = 0; i < nv; i++)
        p->a[i] = -r[i];
    free(M);
    free(pivot);
    free(r);
}

typedef struct rates {
    double energy, momentum[3], spin[3];
} rates;

static rates energy_rates(probe *p)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    rates d = {0};
    for (int k = 0; k < 4; k++) {
        const tn_point at = probe_moved(p, ALONG_MOTION, 0, at_step[k] * PROBE_STEP);
        const double scale = weight[k] / (12.0 * PROBE_STEP);
        tn_energy e;
        p->sys->ops->energy(p->sys, &at, &e);
        d.energy += scale * (e.kinetic + e.potential);
        tn_axpy(3, scale, e.momentum, d.momentum);
        tn_axpy(3, scale, e.spin, d.spin);
    }
    return d;
}

// Off the velocity level the constraints do the work -lambda^T (gdot - g_t) - eta^T ndot.
static void check_power(probe *p)
{
    tn_system *s = p->sys;
    solve_motion(p);
    const tn_point at = probe_point(p);
    CHECK_OK(tn_system_eval(s, &at, TN_EVAL_GDOT));
    const double slip = tn_dot(s->ng, p->lambda, s->gdot) + tn_dot(s->nn, p->eta, s->ndot);
    tn_energy e;
    s->ops->energy(s, &at, &e);
    const double power = e.supplied - e.dissipated - slip;
    const double size = 1.0 + fabs(e.supplied) + fabs(e.dissipated) + fabs(slip) + e.kinetic;
    CHECK(e.dissipated >= 0.0);
    CHECK_NEAR(energy_rates(p).energy, power, RATE_TOL * size);
}

static void energy_changes_by_supplied_less_dissipated_power(void)
{
    everywhere(check_power);
}

// On the constraints the same with the multipliers of the motion, where constraints do no work but
// that of the drives.
static void constrained_motion_balances_energy(void)
{
    for (int i = 0; i < TN_COUNT(rotations); i++) {
        tn_model *model = tn_model_create();
        const tn_body a = random_body(model, TN_BODY_RIGID), b = random_body(model, TN_BODY_RIGID);
        const tn_body c = random_body(model, TN_BODY_RIGID);
        const tn_joint pin = random_joint(model, TN_JOINT_UNIVERSAL, TN_GROUND, a);
        random_joint(model, TN_JOINT_CYLINDRICAL, a, b);
        use_coordinates(model, pin);
        random_pose_drive(model, c);
        random_pair_forces(model, b, c);
        tn_model_set_gravity(model, tn_v3(0.0, 1.0, -9.81));
        probe p = open_at_random(model, rotations[i], false);
        tn_accel *accel = NULL;
        CHECK_OK(tn_accel_create(p.sys, &accel));
        const tn_point at = probe_point(&p);
        CHECK_OK(tn_accel_project(accel, &at, p.v));
        CHECK_OK(tn_accel_solve(accel, &at, NULL, p.a, p.lambda, p.eta));
        tn_energy e;
        p.sys->ops->energy(p.sys, &at, &e);
        const double size = 1.0 + fabs(e.supplied) + fabs(e.dissipated) + e.kinetic;
        CHECK(fabs(e.supplied) > 0.1);
        CHECK_NEAR(energy_rates(&p).energy, e.supplied - e.dissipated, RATE_TOL * size);
        tn_accel_destroy(accel);
        probe_close(&p);
        tn_model_destroy(model);
    }
}

// Rows on components of d in inertial axes turn bodies that are not assembled, so they rest here.
static void rest_inertial_rows(probe *p)
{
    const tn_model *model = tn_absolute_model(p->sys);
    for (int k = 0; k < model->joints.count; k++)
        for (int i = 0; i < tn_constraint_count(model, k); i++)
            if (tn_constraint_get(model, k, i).term[0].row.form == TN_ROW_COORD)
                p->lambda[tn_absolute_joint_row(p->sys, k, i)] = 0.0;
}

// Nothing acts from outside, whatever the multipliers are; drives and gears act between bodies too.
static void internal_forces_move_no_momentum(void)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TN_COUNT(rotations); i++) {
            tn_model *model = k == 0 ? floating_workshop() : planar_workshop(false);
            add_spread(model);
            probe p = open_at_random(model, rotations[i], false);
            rest_inertial_rows(&p);
            solve_motion(&p);
            const rates d = energy_rates(&p);
            const double size = 1.0 + tn_norm_inf(p.sys->nv, p.a);
            for (int n = 0; n < 3; n++) {
                CHECK_NEAR(d.momentum[n], 0.0, RATE_TOL * size);
                if (k == 0 || n == 2) // the plane holds spins about x and y
                    CHECK_NEAR(d.spin[n], 0.0, RATE_TOL * size);
            }
            probe_close(&p);
            tn_model_destroy(model);
        }
}

static const tn_test tests[] = {
    {"workshops hold every kind of body, joint, coupling and force", workshops_hold_every_kind},
    {"derivative blocks match differences", derivative_blocks_match_differences},
    {"velocity and acceleration level are rates", velocity_and_acceleration_level_are_rates},
    {"start rows have the same derivatives", start_rows_have_the_same_derivatives},
    {"parts do not disturb one another", parts_do_not_disturb_one_another},
    {"energy changes by supplied less dissipated power",
     energy_changes_by_supplied_less_dissipated_power},
    {"constrained motion balances energy", constrained_motion_balances_energy},
    {"internal forces move no momentum", internal_forces_move_no_momentum},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
