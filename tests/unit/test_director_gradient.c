// SPDX-License-Identifier: MIT
//
// Discrete derivatives in director coordinates over the whole registry: every joint, coupling and
// force between every kind of body it accepts, over random intervals. Differences of rows and of
// energies are met as they stand, inner forces have neither a sum nor a moment, dampers take energy
// out, and derivatives by the end of the interval match differences.

#include "coords/director.h"
#include "kinds/family.h"
#include "probe.h"
#include "test.h"
#include "workshop.h"

// Differences of fourth order, as in test_director_system.c. Rows of wheels on directors that are
// far from rigid are steep: fifth derivatives of 1e9 times the fourth power of the step 2e-4.
static const double TANGENT_TOL = 3e-7; // differences of fourth order, of angles near half a turn
static const double SAME = 1e-12;       // sums of some hundred terms of size ten

enum { WORKSHOPS = 4 };

// Lengths of intervals, as changes of coordinates: long ones, and some where quotients of
// differences have no digits left.
static const double lengths[] = {0.2, 1e-3, 1e-8, 0.0};

static tn_model *workshop(int k)
{
    return k == 0 ? floating_workshop() : k == 1 ? spatial_workshop() : planar_workshop(k == 2);
}

typedef struct bench {
    probe world, p; // of absolute coordinates, and of directors: p.q is the start
    double moved;   // from the start of the model
    double h;
    double *q1, *u;
    double *r, *exact; // nv
} bench;

static bench open_bench(const tn_model *model)
{
    tn_system *world = NULL, *sys = NULL;
    CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &world));
    CHECK_OK(tn_director_create(world, &sys));
    bench b = {.world = probe_open(world), .p = probe_open(sys), .moved = 0.3, .h = 0.1};
    double *block = calloc(4 * (size_t)sys->nv, sizeof(double));
    CHECK(block != NULL);
    b.q1 = block;
    b.u = block + sys->nv;
    b.r = block + 2 * sys->nv;
    b.exact = block + 3 * sys->nv;
    return b;
}

static void close_bench(bench *b)
{
    free(b->q1);
    probe_close(&b->p);
    probe_close(&b->world);
}

static tn_span span_of(const bench *b)
{
    return (tn_span){b->p.t, b->h, b->p.q, b->q1, b->u, b->p.lambda, b->p.eta, b->p.r, b->p.e};
}

// Directors of a state of the world, off it by `off`, with memories of angles there. The world is
// moved at random from the start of the model.
static void place_start(bench *b, double off)
{
    tn_system *s = b->p.sys;
    probe_randomize(&b->world, b->moved);
    const tn_point at = probe_point(&b->world);
    CHECK_OK(s->ops->world->from(s, &at, b->p.q, b->p.v));
    for (int i = 0; i < s->nq; i++)
        b->p.q[i] += off * tn_random();
    tn_zero(s->nv, b->p.v);
    random_fill(s->ng, b->p.lambda);
    random_fill(s->nn, b->p.eta);
    b->p.t = b->world.t;
    tn_copy(s->nr, b->world.r, b->p.r);
    const tn_point point = probe_point(&b->p);
    s->ops->accept(s, &point, b->p.r);
}

static void find_rate(bench *b)
{
    for (int i = 0; i < b->p.sys->nv; i++)
        b->u[i] = (b->q1[i] - b->p.q[i]) / b->h;
}

// Directors anywhere, also off the rigid ones.
static void loose_interval(bench *b, double length)
{
    place_start(b, 0.1);
    for (int i = 0; i < b->p.sys->nq; i++)
        b->q1[i] = b->p.q[i] + length * tn_random();
    find_rate(b);
}

// Between states of the world, both rigid.
static void rigid_interval(bench *b, double length)
{
    tn_system *s = b->p.sys, *w = b->world.sys;
    place_start(b, 0.0);
    random_fill(w->nv, b->world.x);
    tn_scale(w->nv, length, b->world.x);
    tn_group_retract(w->ngroup, w->groups, b->world.q, b->world.x, b->world.q);
    const tn_point at = probe_point(&b->world);
    CHECK_OK(s->ops->world->from(s, &at, b->q1, b->u));
    find_rate(b);
}

static void everywhere(void (*check)(bench *b, double length))
{
    for (int k = 0; k < WORKSHOPS; k++) {
        tn_model *model = workshop(k);
        bench b = open_bench(model);
        for (int n = 0; n < TN_COUNT(lengths); n++)
            check(&b, lengths[n]);
        close_bench(&b);
        tn_model_destroy(model);
    }
}

// Rows --------------------------------------------------------------------------------------------

static void add_rows(bench *b, double t, const double *q, double scale, double *sum)
{
    tn_point at = probe_point(&b->p);
    at.t = t;
    at.q = q;
    CHECK_OK(tn_system_eval(b->p.sys, &at, TN_EVAL_G));
    tn_axpy(b->p.sys->ng, scale, b->p.sys->g, sum);
}

// With what time alone does at the mean of both ends, B (q1 - q0) is the change of the rows.
static void check_rows(bench *b, double length)
{
    tn_system *s = b->p.sys;
    loose_interval(b, length);
    const tn_span over = span_of(b);
    double *change = calloc((size_t)s->ng, sizeof(double));
    CHECK(change != NULL);
    for (int k = 0; k < 2; k++) {
        add_rows(b, b->p.t + k * b->h, b->q1, -0.5, change);
        add_rows(b, b->p.t + k * b->h, b->p.q, 0.5, change);
    }
    CHECK_OK(tn_system_gradient(s, &over, TN_EVAL_B));
    tn_sparse_mul(s->block[TN_BLOCK_B], b->h, b->u, change);
    for (int i = 0; i < s->ng; i++)
        CHECK_NEAR(change[i], 0.0, 10.0 * SAME);
    free(change);
}

static void rows_change_by_their_discrete_gradients(void)
{
    everywhere(check_rows);
}

// Derivatives -------------------------------------------------------------------------------------

// -f + B^T lambda + N^T eta with one number moved.
static void residual_at(bench *b, double *moved, double e, double *out)
{
    tn_system *s = b->p.sys;
    const tn_span over = span_of(b);
    const double before = *moved;
    *moved += e;
    CHECK_OK(tn_system_gradient(s, &over, TN_EVAL_FORCE | TN_EVAL_B));
    *moved = before;
    for (int i = 0; i < s->nv; i++)
        out[i] = -s->f[i];
    tn_sparse_mul_t(s->block[TN_BLOCK_B], 1.0, b->p.lambda, out);
    if (s->nn > 0)
        tn_sparse_mul_t(s->block[TN_BLOCK_N], 1.0, b->p.eta, out);
}

static void check_column(bench *b, tn_block block, int j)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    tn_system *s = b->p.sys;
    const tn_span over = span_of(b);
    double *r = calloc((size_t)s->nv, sizeof(double));
    CHECK(r != NULL);
    CHECK_OK(tn_system_gradient(s, &over, TN_EVAL_TANGENT));
    probe_column(s->block[block], j, b->exact);
    const double size = 1.0 + tn_norm_inf(s->nv, b->exact);
    for (int k = 0; k < 4; k++) {
        residual_at(b, (block == TN_BLOCK_K ? b->q1 : b->u) + j, at_step[k] * PROBE_STEP, r);
        tn_axpy(s->nv, -weight[k] / (12.0 * PROBE_STEP), r, b->exact);
    }
    free(r);
    CHECK_NEAR(tn_norm_inf(s->nv, b->exact) / size, 0.0, TANGENT_TOL);
}

static void check_tangent(bench *b, double length)
{
    loose_interval(b, length);
    random_fill(b->p.sys->nv, b->u); // as they are independent here
    for (int j = 0; j < b->p.sys->nv; j++) {
        check_column(b, TN_BLOCK_K, j);
        check_column(b, TN_BLOCK_D, j);
    }
}

static void derivatives_match_differences(void)
{
    everywhere(check_tangent);
}

// Energy ------------------------------------------------------------------------------------------

static tn_force_def between(tn_model *model, tn_force_kind kind, tn_body a, tn_body b)
{
    tn_force_def def = tn_default_force(kind);
    def.body_a = a;
    def.body_b = b;
    random_frames(model, a, b, &def.frame_a, &def.frame_b);
    return def;
}

// Springs of all terms; deflections of some tenths pass several knots.
static void set_spring(tn_force_def *def)
{
    static const double x[] = {-1.0, -0.1, 0.0, 0.1, 0.15, 0.3, 1.0};
    static const double f[] = {-3.0, -1.0, 0.2, 0.5, 0.5, 2.0, 2.5};
    def->spring.stiffness = 4.0;
    def->spring.cubic = 0.8;
    def->spring.preload = 0.5;
    def->spring.free = 0.6;
    def->spring.free_given = true;
    def->spring.ntable = TN_COUNT(x);
    def->spring.table_x = x;
    def->spring.table_f = f;
    def->spring.interpolation = TN_TABLE_SPLINE; // orders are those of a smooth force
}

static void add_coordinate_forces(tn_model *model, tn_joint joint, double damping)
{
    static const double exponents[] = {1.0, 1.5, 3.0};
    for (int i = 0; joint_coord(model, joint, i); i++) {
        tn_force_def spring = tn_default_force(TN_FORCE_JOINT_SPRING);
        spring.joint = joint;
        spring.coordinate = i;
        set_spring(&spring);
        spring.spring.damping = damping;
        tn_model_add_force(model, &spring);
        tn_force_def stop = tn_default_force(TN_FORCE_JOINT_STOP);
        stop.joint = joint;
        stop.coordinate = i;
        stop.stop.lower = 0.3; // in touch, just leaving and free
        stop.stop.upper = 0.5;
        stop.stop.stiffness = 30.0;
        stop.stop.exponent = exponents[i];
        stop.stop.damping = damping;
        tn_model_add_force(model, &stop);
    }
}

static void add_potentials(tn_model *model, tn_body a, tn_body b, double damping)
{
    static const tn_force_kind springs[] = {TN_FORCE_SPRING, TN_FORCE_TORSION_SPRING};
    for (int k = 0; k < TN_COUNT(springs); k++) {
        tn_force_def def = between(model, springs[k], a, b);
        set_spring(&def);
        def.spring.damping = damping;
        tn_model_add_force(model, &def);
    }
    tn_force_def bushing = between(model, TN_FORCE_BUSHING, a, b);
    bushing.bushing.stiffness = tn_v3(3.0, 4.0, 5.0);
    bushing.bushing.rotational_stiffness = tn_v3(0.6, 0.7, 0.8);
    bushing.bushing.damping = tn_v3(damping, 0.5 * damping, 2.0 * damping);
    bushing.bushing.rotational_damping = tn_v3(damping, 0.5 * damping, 2.0 * damping);
    tn_model_add_force(model, &bushing);
    tn_force_def beam = between(model, TN_FORCE_BEAM_ELEMENT, a, b);
    beam.beam.length = 0.7;
    beam.beam.stiffness = tn_v3(3.0, 4.0, 5.0);
    beam.beam.rotational_stiffness = tn_v3(0.6, 0.7, 0.8);
    beam.beam.damping = damping;
    beam.beam.turn = tn_v3(0.3, -0.2, 0.4);
    tn_model_add_force(model, &beam);
    for (int kind = 0; kind < TN_JOINT_KIND_COUNT; kind++)
        if (joint_fits(model, (tn_joint_kind)kind, a, b))
            add_coordinate_forces(model, random_joint(model, (tn_joint_kind)kind, a, b), damping);
}

// Every force with a potential, between bodies and to the ground.
static tn_model *potentials(tn_body_kind kind, double damping)
{
    tn_model *model = tn_model_create();
    const tn_body a = random_body(model, kind), b = random_body(model, kind);
    tn_model_set_gravity(model, tn_v3(1.0, -2.0, kind == TN_BODY_RIGID ? -9.81 : 0.0));
    add_potentials(model, a, b, damping);
    add_potentials(model, TN_GROUND, a, damping);
    CHECK_OK(tn_model_status(model));
    return model;
}

static double potential_at(bench *b, const double *q)
{
    tn_energy energy;
    tn_point at = probe_point(&b->p);
    at.q = q;
    b->p.sys->ops->energy(b->p.sys, &at, &energy);
    return energy.potential;
}

// f . (q1 - q0) + V(q1) - V(q0)
static double gain(bench *b)
{
    tn_system *s = b->p.sys;
    const tn_span over = span_of(b);
    CHECK_OK(tn_system_gradient(s, &over, TN_EVAL_FORCE));
    return b->h * tn_dot(s->nv, s->f, b->u) + potential_at(b, b->q1) - potential_at(b, b->p.q);
}

static void for_potentials(double damping, void (*check)(bench *b, double length))
{
    static const tn_body_kind kinds[] = {TN_BODY_RIGID, TN_BODY_PLANAR};
    for (int k = 0; k < 2; k++) {
        tn_model *model = potentials(kinds[k], damping);
        bench b = open_bench(model);
        for (int n = 0; n < 50; n++)
            check(&b, lengths[n % TN_COUNT(lengths)]);
        close_bench(&b);
        tn_model_destroy(model);
    }
}

static void check_energy(bench *b, double length)
{
    rigid_interval(b, length);
    CHECK_NEAR(gain(b), 0.0, 100.0 * SAME); // potentials are of size 100
}

static void potentials_change_by_the_work_of_their_forces(void)
{
    for_potentials(0.0, check_energy);
}

static void check_heat(bench *b, double length)
{
    rigid_interval(b, length);
    const double work = gain(b);
    CHECK(work < 100.0 * SAME);
    if (length == lengths[0])
        CHECK(work < -1e-3);
}

static void dampers_take_energy_out(void)
{
    for_potentials(0.4, check_heat);
}

static double energy_of(const tn_force_data *f, double x)
{
    tn_scalar_load load = {0};
    f->ops->law(f, 0.0, x, 0.0, 0.0, &load);
    return load.energy;
}

static double mean_slope(const tn_force_data *f, double x0, double x1)
{
    static const double at_step[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
    double sum = 0.0;
    for (int k = 0; k < 4; k++)
        sum +=
            weight[k] / (12.0 * PROBE_STEP) * f->ops->mean(f, x0, x1 + at_step[k] * PROBE_STEP).Q;
    return sum;
}

// Of a stop, where differences of fourth order see higher derivatives grow.
static bool is_at_corner(const tn_force_data *f, double x)
{
    return f->ops == tn_force_ops_of(TN_FORCE_JOINT_STOP) &&
           fmin(fabs(x - f->def.stop.lower), fabs(x - f->def.stop.upper)) < 50.0 * PROBE_STEP;
}

// From 1e-12 on, where the difference of energies would tell nothing of the mean.
static void check_mean(const tn_force_data *f, double length)
{
    const double x0 = 0.4 + 0.6 * tn_random(), x1 = x0 + length * tn_random();
    const tn_scalar_mean mean = f->ops->mean(f, x0, x1), back = f->ops->mean(f, x1, x0);
    tn_scalar_load middle = {0};
    f->ops->law(f, 0.0, 0.5 * (x0 + x1), 0.0, 0.0, &middle);
    const double size = 1.0 + fabs(mean.Q);
    CHECK_NEAR(mean.Q * (x1 - x0), energy_of(f, x0) - energy_of(f, x1), SAME * size);
    CHECK_NEAR(mean.Q, back.Q, SAME * size);
    CHECK_NEAR(middle.Q, middle.elastic, SAME * size); // at rest all is elastic
    if (length < 1e-5)
        CHECK_NEAR(mean.Q, middle.elastic, 100.0 * length * size);
    if (!is_at_corner(f, x1)) // third derivatives of the table jump by up to 1e3 at its knots
        CHECK_NEAR(mean.Q_1, mean_slope(f, x0, x1), 1e-6 * (1.0 + fabs(mean.Q_1)));
}

static void means_of_laws_are_those_of_their_energies(void)
{
    static const double reach[] = {0.8, 0.05, 1e-4, 1e-8, 1e-12};
    tn_model *model = potentials(TN_BODY_RIGID, 0.0);
    tn_system *world = NULL;
    int checked = 0;
    CHECK_OK(tn_absolute_create(model, TN_ROTATION_SO3, false, &world)); // free lengths are set
    for (int k = 0; k < model->forces.count; k++)
        for (int n = 0; model->forces.at[k].ops->mean && n < 200; n++, checked++)
            check_mean(&model->forces.at[k], reach[n % TN_COUNT(reach)]);
    CHECK(checked > 1000);
    tn_system_destroy(world);
    tn_model_destroy(model);
}

// Frames turned against each other by the angle about any axis.
static tn_model *turned_bushing(double angle, double damping)
{
    tn_model *model = tn_model_create();
    const tn_body a = random_body(model, TN_BODY_RIGID), b = random_body(model, TN_BODY_RIGID);
    tn_force_def def = between(model, TN_FORCE_BUSHING, a, b);
    const tn_mat3 axes = random_rotation();
    const tn_mat3 turn = tn_m3_mul(axes, tn_m3_mul_t(tn_m3_rot_z(angle), axes));
    const tn_mat3 from_a = tn_m3_mul(tn_m3_transpose(model->bodies.at[b.index].def.frame.R),
                                     model->bodies.at[a.index].def.frame.R);
    def.frame_b.R = tn_m3_mul(tn_m3_mul(from_a, def.frame_a.R), turn);
    def.bushing.rotational_stiffness = tn_v3(6.0, 7.0, 8.0);
    def.bushing.rotational_damping = tn_v3(damping, 2.0 * damping, 3.0 * damping);
    tn_model_add_force(model, &def);
    CHECK_OK(tn_model_status(model));
    return model;
}

static void check_turned(double angle, double damping, void (*check)(bench *b, double length))
{
    tn_model *model = turned_bushing(angle, damping);
    bench b = open_bench(model);
    b.moved = 0.0;
    for (int n = 0; n < TN_COUNT(lengths); n++)
        check(&b, lengths[n]);
    close_bench(&b);
    tn_model_destroy(model);
}

// By series and in closed form, near the half turn that ends it.
static void bushings_may_turn_far(void)
{
    static const double angles[] = {0.0, 0.6, 1.04, 1.2, 2.0, 2.3};
    for (int k = 0; k < TN_COUNT(angles); k++) {
        check_turned(angles[k], 0.0, check_energy);
        check_turned(angles[k], 0.1, check_tangent);
    }
}

// All potentials of the library are above.
static void no_law_with_energy_is_without_its_mean(void)
{
    for (int k = 0; k < TN_FORCE_KIND_COUNT; k++) {
        const tn_force_ops *ops = tn_force_ops_of(k);
        const bool by_expression =
            k == TN_FORCE_LAW || k == TN_FORCE_JOINT_LAW || k == TN_FORCE_FRAME_LAW;
        const bool has_potential = k != TN_FORCE_POINT && k != TN_FORCE_MOTOR &&
                                   k != TN_FORCE_FRICTION && k != TN_FORCE_LUGRE &&
                                   k != TN_FORCE_CREEP && k != TN_FORCE_CONTACT &&
                                   !by_expression; // contacts act as they do in the middle
        CHECK(has_potential == (ops->mean || ops->between));
    }
}

// Momentum ----------------------------------------------------------------------------------------

// Sum and moment of f over the vectors of all bodies in the middle; all are in R^3 here.
static void check_wrench(bench *b, double length)
{
    tn_system *s = b->p.sys;
    loose_interval(b, length);
    const tn_span over = span_of(b);
    CHECK_OK(tn_system_gradient(s, &over, TN_EVAL_FORCE));
    tn_vec3 sum = {0}, moment = {0};
    for (int k = 0; k < s->ngroup; k++) {
        const int at = s->groups[k].v0;
        const tn_vec3 f = tn_v3_from(s->f + at);
        const tn_vec3 x = tn_v3_add(tn_v3_from(b->p.q + at), tn_v3_from(b->q1 + at));
        const bool centre = k == 0 || k == 4 || k > 7; // two rigid bodies, then point masses
        moment = tn_v3_add(moment, tn_v3_cross(tn_v3_scale(0.5, x), f));
        if (centre)
            sum = tn_v3_add(sum, f);
    }
    CHECK_NEAR(tn_v3_norm(sum), 0.0, 10.0 * SAME);
    CHECK_NEAR(tn_v3_norm(moment), 0.0, 10.0 * SAME);
}

static void inner_forces_have_no_sum_and_no_moment(void)
{
    tn_model *model = floating_workshop();
    bench b = open_bench(model);
    for (int n = 0; n < TN_COUNT(lengths); n++)
        check_wrench(&b, lengths[n]);
    close_bench(&b);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"rows change by their discrete gradients", rows_change_by_their_discrete_gradients},
    {"derivatives match differences", derivatives_match_differences},
    {"potentials change by the work of their forces",
     potentials_change_by_the_work_of_their_forces},
    {"dampers take energy out", dampers_take_energy_out},
    {"means of laws are those of their energies", means_of_laws_are_those_of_their_energies},
    {"bushings may turn far", bushings_may_turn_far},
    {"no law with energy is without its mean", no_law_with_energy_is_without_its_mean},
    {"inner forces have no sum and no moment", inner_forces_have_no_sum_and_no_moment},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
