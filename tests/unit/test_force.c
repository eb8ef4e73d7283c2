// SPDX-License-Identifier: MIT
//
// Every force kind in the registry, tested against itself: its tangents match differences of its
// wrench, its power is the rate of its energy, and pairs exert no net force or moment. Parameters
// are drawn from the tables, so a new kind is covered the moment it is registered.

#include "force_bench.h"

#include "kinds/family.h"
#include "lie/so3.h"

// Central differences: truncation h^2 / 6 times third derivatives of up to 1e3 (a stop at its
// smallest penetration), round-off 1e-15 / h; relative to the size of the tangent.
static const double STEP = 1e-5;
static const double TANGENT_TOL = 1e-7;
// Fourth-order differences of the energy with the step 1e-3: truncation 1e-12 / 30 times fifth
// derivatives of up to 1e4, or a jump in the third derivative at a knot of a table times 1e-9.
static const double RATE_STEP = 1e-3;
static const double POWER_TOL = 1e-8;
static const double ROUNDOFF = 1e-12; // some hundred operations on numbers of size ten
static const double CLEAR = 0.05;     // distance that states keep from the corner of a stop

enum { STATES = 20 };

static tn_vec3 random_vec3(double size)
{
    const double x = tn_random(), y = tn_random(), z = tn_random();
    return tn_v3(size * x, size * y, size * z);
}

// Parameters of size one drawn from the table of a kind -------------------------------------------

static double random_number(const tn_param *p)
{
    switch (p->range) {
    case TN_UNBOUNDED: // free travel of a stop: narrow, so that most states touch an end
        return p->fallback < 0.0 ? -0.1 : 0.1;
    case TN_AT_LEAST_ONE:
        return 1.5 + 0.5 * tn_random();
    case TN_ANY:
        return tn_random();
    default:
        return 1.0 + 0.5 * tn_random();
    }
}

static tn_function random_function(void)
{
    static const char *const choices[] = {"0.3 + 2*sin(3*t)", "cos(t)^2 - 0.5", "1.5"};
    return (tn_function){.expression = choices[(int)(1.5 + 1.49 * tn_random())]};
}

static void random_value(const tn_param *p, void *at)
{
    static const double table_x[] = {-1.0, -0.3, 0.1, 0.5, 1.5};
    static const double table_f[] = {-2.0, -0.4, 0.05, 1.0, 4.0};

    if (p->type == TN_PARAM_NUMBER)
        *(double *)at = random_number(p);
    if (p->type == TN_PARAM_VEC3)
        for (int i = 0; i < 3; i++)
            ((double *)at)[i] = random_number(p);
    if (p->type == TN_PARAM_BOOL)
        *(bool *)at = tn_random() > 0.0;
    if (p->type == TN_PARAM_FUNCTION || p->type == TN_PARAM_FUNCTION3)
        for (int i = 0; i < (p->type == TN_PARAM_FUNCTION ? 1 : 3); i++)
            ((tn_function *)at)[i] = random_function();
    if (p->type == TN_PARAM_TABLE && tn_random() > 0.0) {
        const struct {
            int n;
            const double *x, *f;
        } table = {TN_COUNT(table_x), table_x, table_f};
        memcpy(at, &table, sizeof(table));
    }
}

static tn_force_data *add_random_force(tn_force_kind kind)
{
    const tn_force_ops *ops = tn_force_ops_of(kind);
    tn_force_def def = tn_default_force(kind);

    def.body_a = body_a;
    def.body_b = body_b;
    def.joint = tn_random() > 0.0 ? hinge : slider;
    for (int i = 0; i < ops->nparam; i++) {
        const tn_param *p = &ops->params[i];
        random_value(p, (char *)&def + p->offset);
        if (p->given)
            *(bool *)((char *)&def + p->given) = true;
    }
    if (ops->mean && kind != TN_FORCE_JOINT_STOP && def.spring.ntable > 0) {
        def.spring.interpolation = (tn_interpolation)(2.0 + 1.99 * tn_random());
        def.spring.beyond = tn_random() > 0.0 ? TN_BEYOND_HOLD : TN_BEYOND_DEFAULT;
    }
    const tn_force force = tn_model_add_force(model, &def);
    CHECK_OK(tn_model_status(model));
    return &model->forces.at[force.index];
}

// States ------------------------------------------------------------------------------------------

// Two bodies and the frames on them; the pair that a force sees follows.
typedef struct {
    tn_frame body[2], local[2];
    tn_twist V[2];
} state;

static state random_state(void)
{
    state s;
    for (int i = 0; i < 2; i++) {
        s.body[i] = (tn_frame){tn_so3_exp(random_vec3(0.4)), random_vec3(0.5)};
        s.local[i] = (tn_frame){tn_so3_exp(random_vec3(0.4)), random_vec3(0.5)};
        s.V[i] = (tn_twist){random_vec3(1.0), random_vec3(1.0)};
    }
    s.body[1].p.x += 2.0; // two points at the same place have no direction
    return s;
}

static tn_end end_of(const state *s, int i)
{
    return (tn_end){.x = tn_frame_mul(s->body[i], s->local[i]),
                    .r = tn_m3_apply(s->body[i].R, s->local[i].p),
                    .V = s->V[i]};
}

static tn_pair pair_of(const state *s)
{
    return (tn_pair){.a = end_of(s, 0), .b = end_of(s, 1), .length = 1.0};
}

static double *twist_entry(state *s, int i)
{
    tn_twist *V = &s->V[i / 6];
    double *const entries[] = {&V->v.x, &V->v.y, &V->v.z, &V->w.x, &V->w.y, &V->w.z};
    return entries[i % 6];
}

static void move_body(tn_frame *body, tn_vec3 dp, tn_vec3 turn)
{
    body->p = tn_v3_add(body->p, dp);
    body->R = tn_m3_mul(tn_so3_exp(turn), body->R);
}

static state varied(state s, int i, double h)
{
    double x[6] = {0};
    x[i % 6] = h;
    move_body(&s.body[i / 6], tn_v3_from(x), tn_v3_from(x + 3));
    return s;
}

static state moved(state s, double h) // along its twists for the time h
{
    for (int i = 0; i < 2; i++)
        move_body(&s.body[i], tn_v3_scale(h, s.V[i].v), tn_v3_scale(h, s.V[i].w));
    return s;
}

static tn_load load_at(const tn_force_data *force, double t, const state *s)
{
    const tn_pair at = pair_of(s);
    tn_load load;
    memset(&load, 0x7f, sizeof(load)); // whatever eval leaves out shows up as a huge number
    tn_force_eval(force, t, 0.0, &at, &load);
    return load;
}

// Stops are not smooth where they begin to touch and where they let go.
static bool is_smooth(const tn_force_data *force, const state *s)
{
    if (force->ops != tn_force_ops_of(TN_FORCE_JOINT_STOP))
        return true;
    const tn_pair at = pair_of(s);
    double G[12];
    tn_row_gradient(&force->row, &at, G);
    const double x = tn_row_value(&force->row, &at, 0.0), rate = tn_row_rate(G, &at);
    const double speed = x > force->def.stop.upper ? rate : -rate;
    return fabs(x - force->def.stop.lower) > CLEAR && fabs(x - force->def.stop.upper) > CLEAR &&
           fabs(1.0 + force->def.stop.damping * speed) > CLEAR;
}

// Calls `test` for every kind with new parameters and a new state each time.
static void over_registry(void (*test)(const tn_force_data *force, double t, const state *s))
{
    open_model();
    for (int kind = 0; kind < TN_FORCE_KIND_COUNT; kind++)
        for (int k = 0; k < STATES; k++) {
            if ((kind >= TN_FORCE_FRICTION && kind <= TN_FORCE_CREEP) || kind == TN_FORCE_CONTACT)
                continue; // tests of friction, creep and contact
            tn_force_data *force = add_random_force((tn_force_kind)kind);
            state s = random_state();
            force->by_products = force->ops->products && k % 2;
            while (!is_smooth(force, &s))
                s = random_state();
            test(force, 0.7 + tn_random(), &s);
        }
    close_model();
}

// Properties --------------------------------------------------------------------------------------

typedef state (*variation)(state s, int i, double h);

static state varied_twist(state s, int i, double h)
{
    *twist_entry(&s, i) += h;
    return s;
}

static double size_of(const double A[12][12])
{
    double largest = 1.0;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            largest = fmax(largest, fabs(A[i][j]));
    return largest;
}

static void check_matrix(const tn_force_data *force, double t, const state *s,
                         const double A[12][12], variation vary)
{
    const double tol = TANGENT_TOL * size_of(A);

    for (int j = 0; j < 12; j++) {
        const state plus = vary(*s, j, STEP), minus = vary(*s, j, -STEP);
        const tn_load high = load_at(force, t, &plus), low = load_at(force, t, &minus);
        for (int i = 0; i < 12; i++)
            CHECK_NEAR(A[i][j], (high.w[i] - low.w[i]) / (2.0 * STEP), tol);
    }
}

static void check_tangents(const tn_force_data *force, double t, const state *s)
{
    const tn_pair at = pair_of(s);
    tn_load_tangent tangent;

    memset(&tangent, 0x7f, sizeof(tangent));
    tn_force_tangent(force, t, 0.0, &at, &tangent);
    check_matrix(force, t, s, (const double(*)[12])tangent.K, varied);
    check_matrix(force, t, s, (const double(*)[12])tangent.D, varied_twist);
}

static void tangents_match_differences(void)
{
    over_registry(check_tangents);
}

static double energy_moved(const tn_force_data *force, double t, const state *s, double h)
{
    const state there = moved(*s, h);
    return load_at(force, t, &there).energy;
}

static void check_power(const tn_force_data *force, double t, const state *s)
{
    const double h = RATE_STEP;
    const double wide = energy_moved(force, t, s, 2.0 * h) - energy_moved(force, t, s, -2.0 * h);
    const double near = energy_moved(force, t, s, h) - energy_moved(force, t, s, -h);
    const double rate = (8.0 * near - wide) / (12.0 * h);
    const tn_load load = load_at(force, t, s);
    state copy = *s;
    double power = 0.0;

    for (int i = 0; i < 12; i++)
        power += load.w[i] * *twist_entry(&copy, i);
    CHECK_NEAR(power, -rate - load.dissipated + load.supplied, POWER_TOL * (1.0 + fabs(power)));
    CHECK(load.dissipated >= 0.0);
}

static void power_is_accounted_for(void)
{
    over_registry(check_power);
}

static void check_balance(const tn_force_data *force, double t, const state *s)
{
    const tn_load load = load_at(force, t, s);
    tn_vec3 total = {0}, moment = {0};

    if (force->ops->single)
        return;
    for (int i = 0; i < 2; i++) {
        const tn_vec3 f = tn_v3_from(load.w + 6 * i), m = tn_v3_from(load.w + 6 * i + 3);
        total = tn_v3_add(total, f);
        moment = tn_v3_add(moment, tn_v3_add(m, tn_v3_cross(s->body[i].p, f)));
    }
    CHECK_NEAR(tn_v3_norm(total), 0.0, ROUNDOFF);
    CHECK_NEAR(tn_v3_norm(moment), 0.0, ROUNDOFF);
}

static void pairs_exert_no_net_force_or_moment(void)
{
    over_registry(check_balance);
}

static void check_energy_sign(const tn_force_data *force, double t, const state *s)
{
    tn_force_data plain = *force;

    if (strstr(force->ops->name, "spring")) { // preload and softening may store less than nothing
        plain.def.spring.preload = 0.0;
        plain.def.spring.cubic = fabs(plain.def.spring.cubic);
    }
    CHECK(load_at(&plain, t, s).energy >= 0.0);
}

static void elastic_energy_is_not_negative(void)
{
    over_registry(check_energy_sign);
}

// Numbers by hand ---------------------------------------------------------------------------------

static state at_rest(tn_vec3 p, tn_mat3 R) // B at (R, p), A at the origin
{
    return (state){.body = {tn_frame_identity, {R, p}},
                   .local = {tn_frame_identity, tn_frame_identity}};
}

static const tn_force_data *add_force(tn_force_def def)
{
    def.body_a = body_a;
    def.body_b = body_b;
    const tn_force force = tn_model_add_force(model, &def);
    CHECK_OK(tn_model_status(model));
    return &model->forces.at[force.index];
}

static void stretched_spring_pulls(void)
{
    tn_force_def def = tn_default_force(TN_FORCE_SPRING);
    open_model();
    def.spring.stiffness = 100.0;
    def.spring.damping = 10.0;
    def.spring.cubic = 1000.0;
    def.spring.free = 1.5;
    def.spring.free_given = true;
    state s = at_rest(tn_v3(2.0, 0.0, 0.0), tn_m3_identity);
    s.V[1].v = tn_v3(0.3, 7.0, 0.0);

    const tn_load load = load_at(add_force(def), 0.0, &s);
    CHECK_NEAR(load.w[0], 50.0 + 125.0 + 3.0, ROUNDOFF);
    CHECK_NEAR(load.w[6], -178.0, ROUNDOFF);
    CHECK_NEAR(load.energy, 12.5 + 1000.0 * 0.0625 / 4.0, ROUNDOFF);
    CHECK_NEAR(load.dissipated, 0.9, ROUNDOFF);
    close_model();
}

static void torsion_spring_counts_full_turns(void)
{
    const double turns = 2.0 * 3.14159265358979323846;
    tn_force_def def = tn_default_force(TN_FORCE_TORSION_SPRING);
    open_model();
    def.spring.stiffness = 2.0;
    def.spring.free_given = true;
    const tn_force_data *force = add_force(def);
    const state s = at_rest(tn_v3(1.0, 0.0, 0.0), tn_m3_rot_z(0.3));
    const tn_pair at = pair_of(&s);
    tn_load load;

    tn_force_eval(force, 0.0, turns, &at, &load);
    CHECK_NEAR(load.w[11], -2.0 * (0.3 + turns), ROUNDOFF);
    CHECK_NEAR(load.w[5], 2.0 * (0.3 + turns), ROUNDOFF);
    close_model();
}

// A table that is a straight line is a linear spring, inside and beyond its ends.
static void straight_table_is_a_linear_spring(void)
{
    static const double x[] = {0.5, 0.7, 1.0}, f[] = {1.5, 2.1, 3.0};
    tn_force_def def = tn_default_force(TN_FORCE_SPRING);
    open_model();
    def.spring.ntable = 3;
    def.spring.table_x = x;
    def.spring.table_f = f;
    def.spring.free = 2.0;
    def.spring.free_given = true;
    const tn_force_data *force = add_force(def);

    for (double l = 0.5; l < 4.0; l += 0.25) {
        const state s = at_rest(tn_v3(l, 0.0, 0.0), tn_m3_identity);
        const tn_load load = load_at(force, 0.0, &s);
        CHECK_NEAR(load.w[0], 3.0 * (l - 2.0), ROUNDOFF);
        CHECK_NEAR(load.energy, 1.5 * (l - 2.0) * (l - 2.0), ROUNDOFF);
    }
    close_model();
}

// Play: no force and no stiffness where points state none, and no force beyond two neighbours.
static void a_table_stays_between_its_points(void)
{
    static const double x[] = {-0.03, -0.02, -0.01, 0.01, 0.02, 0.03};
    static const double f[] = {-2000.0, -500.0, 0.0, 0.0, 500.0, 2000.0};
    tn_force_def def = tn_default_force(TN_FORCE_SPRING);
    open_model();
    def.spring.ntable = TN_COUNT(x);
    def.spring.table_x = x;
    def.spring.table_f = f;
    def.spring.free = 2.0;
    def.spring.free_given = true;
    const tn_force_data *force = add_force(def);
    for (int i = 0; i <= 120; i++) {
        const double y = -0.03 + 0.0005 * i, size = fabs(y);
        const state s = at_rest(tn_v3(2.0 + y, 0.0, 0.0), tn_m3_identity);
        const tn_load load = load_at(force, 0.0, &s);
        if (size < 0.00999) {
            CHECK_NEAR(load.w[0], 0.0, ROUNDOFF);
            CHECK_NEAR(load.energy, 0.0, ROUNDOFF);
        } else {
            CHECK(load.w[0] * y >= 0.0 && fabs(load.w[0]) <= (size < 0.01999 ? 500.0 : 2000.1));
        }
    }
    close_model();
}

static double stored(const tn_force_data *force, double x, double *pull)
{
    tn_scalar_load load = {0};
    force->ops->law(force, 0.0, x, 0.0, 0.0, &load);
    *pull = load.elastic;
    return load.energy;
}

// What is stored between two deflections is the work on the way, piece by piece of the curve, and
// means over an interval give it to the last digit.
static void check_work(const tn_force_data *force)
{
    for (int k = 0; k < 40; k++) {
        const double x0 = 1.5 * tn_random(), x1 = 1.5 * tn_random();
        double from, to, work = 0.0;
        const double gained = stored(force, x1, &to) - stored(force, x0, &from);
        for (int i = 0; i < 4000; i++) {
            double pull;
            stored(force, x0 + (x1 - x0) * (i + 0.5) / 4000, &pull);
            work -= pull * (x1 - x0) / 4000;
        }
        CHECK_NEAR(gained, work, 1e-4);
        CHECK_NEAR(force->ops->mean(force, x0, x1).Q * (x1 - x0), -gained, 1e-13);
    }
}

static void every_table_stores_its_work(void)
{
    static const double x[] = {-0.3, -0.1, 0.0, 0.15, 0.4};
    static const double f[] = {-0.2, -3.0, 0.5, 2.0, -0.2};
    for (int curve = TN_TABLE_LINEAR; curve <= TN_TABLE_SPLINE; curve++)
        for (int beyond = TN_BEYOND_HOLD; beyond <= TN_BEYOND_PERIODIC; beyond++) {
            tn_force_def def = tn_default_force(TN_FORCE_SPRING);
            open_model();
            def.spring.ntable = TN_COUNT(x);
            def.spring.table_x = x;
            def.spring.table_f = f;
            def.spring.interpolation = (tn_interpolation)curve;
            def.spring.beyond = (tn_beyond)beyond;
            def.spring.free_given = true;
            check_work(add_force(def));
            close_model();
        }
}

static void bushing_turns_back_about_the_axis_of_the_turn(void)
{
    const tn_vec3 phi = {0.4, -0.9, 1.1};
    tn_force_def def = tn_default_force(TN_FORCE_BUSHING);
    open_model();
    def.bushing.stiffness = tn_v3(1.0, 2.0, 3.0);
    def.bushing.rotational_stiffness = tn_v3(5.0, 5.0, 5.0);
    const state s = at_rest(tn_v3(0.1, 0.2, 0.3), tn_so3_exp(phi));
    const tn_load load = load_at(add_force(def), 0.0, &s);

    CHECK_NEAR(load.w[6], -0.1, ROUNDOFF);
    CHECK_NEAR(load.w[7], -0.4, ROUNDOFF);
    CHECK_NEAR(load.w[8], -0.9, ROUNDOFF);
    CHECK_NEAR(load.w[9], -5.0 * phi.x, ROUNDOFF);
    CHECK_NEAR(load.w[10], -5.0 * phi.y, ROUNDOFF);
    CHECK_NEAR(load.w[11], -5.0 * phi.z, ROUNDOFF);
    close_model();
}

static tn_force_def beam_element(void)
{
    tn_force_def def = tn_default_force(TN_FORCE_BEAM_ELEMENT);
    def.beam.length = 0.8;
    def.beam.stiffness = tn_v3(20.0, 30.0, 50.0);
    def.beam.rotational_stiffness = tn_v3(5.0, 6.0, 7.0);
    return def;
}

// On a circle the element is exact: the moment is EI times the curvature, and there is no force.
static void beam_elements_are_exact_on_a_circle(void)
{
    const double angle = 1.1, length = 0.8, radius = length / angle;
    open_model();
    const state s =
        at_rest(tn_v3(0.0, -radius * (1.0 - cos(angle)), radius * sin(angle)), tn_m3_rot_x(angle));
    const tn_load load = load_at(add_force(beam_element()), 0.0, &s);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(load.w[6 + i], 0.0, ROUNDOFF);
    CHECK_NEAR(load.w[9], -5.0 / radius, ROUNDOFF);
    CHECK_NEAR(load.energy, 0.5 * 5.0 / radius / radius * length, ROUNDOFF);
    close_model();
}

// Both elements know nothing of where and how the whole is turned, and agree where strains are
// small: the difference is of second order in the angle.
static void beam_elements_are_objective(void)
{
    open_model();
    tn_force_data *force = (tn_force_data *)add_force(beam_element());
    const tn_frame far = {tn_so3_exp(tn_v3(0.7, -2.0, 1.5)), {10.0, -20.0, 30.0}};
    for (int products = 0; products < 2; products++) {
        const state s = at_rest(tn_v3(0.01, 0.02, 0.79), tn_so3_exp(tn_v3(0.02, 0.03, -0.01)));
        state moved = s;
        for (int k = 0; k < 2; k++)
            moved.body[k] = tn_frame_mul(far, s.body[k]);
        force->by_products = products;
        const tn_load here = load_at(force, 0.0, &s), there = load_at(force, 0.0, &moved);
        CHECK_NEAR(here.energy, there.energy, 1e-12);
        CHECK_NEAR(tn_v3_norm(tn_v3_from(here.w + 6)), tn_v3_norm(tn_v3_from(there.w + 6)), 1e-12);
        CHECK_NEAR(tn_v3_norm(tn_v3_from(here.w + 9)), tn_v3_norm(tn_v3_from(there.w + 9)), 1e-12);
    }
    close_model();
}

static tn_load stop_load(const tn_force_data *force, double x, double rate)
{
    state s = at_rest(tn_v3(0.0, 0.0, x), tn_m3_identity);
    s.V[1].v.z = rate;
    return load_at(force, 0.0, &s);
}

static void stop_pushes_and_never_pulls(void)
{
    tn_force_def def = tn_default_force(TN_FORCE_JOINT_STOP);
    open_model();
    def.joint = slider;
    def.stop.lower = -1.0;
    def.stop.upper = 2.0;
    def.stop.stiffness = 100.0;
    def.stop.damping = 0.5;
    const tn_force_data *force = add_force(def);

    CHECK_NEAR(stop_load(force, 1.9, 5.0).w[8], 0.0, 0.0);           // free travel
    CHECK_NEAR(stop_load(force, 2.1, 0.0).w[8], -10.0, ROUNDOFF);    // pushes down
    CHECK_NEAR(stop_load(force, -1.2, 0.0).w[8], 20.0, ROUNDOFF);    // pushes up
    CHECK_NEAR(stop_load(force, 2.1, 1.0).w[8], -15.0, ROUNDOFF);    // damping adds inwards
    CHECK_NEAR(stop_load(force, -1.2, 1.0).w[8], 10.0, ROUNDOFF);    // and takes off outwards
    CHECK_NEAR(stop_load(force, 2.1, -3.0).w[8], 0.0, 0.0);          // but never pulls
    CHECK_NEAR(stop_load(force, 2.1, -3.0).dissipated, 30.0, 1e-11); // what it cannot give back
    CHECK_NEAR(stop_load(force, 2.0 + 1e-9, 1e3).w[8], -5e-5, 1e-6); // starts from zero
    close_model();
}

static void motor_and_point_force_follow_time(void)
{
    tn_force_def motor = tn_default_force(TN_FORCE_MOTOR);
    tn_force_def point = tn_default_force(TN_FORCE_POINT);
    open_model();
    CHECK_OK(tn_model_set_parameter(model, "amplitude", 4.0));
    motor.joint = hinge;
    motor.motor.effort.expression = "amplitude*t";
    point.point.force[0].constant = 2.0;
    point.point.torque[2].expression = "t^2";
    point.point.follower = true;
    point.frame_b.p = tn_v3(0.0, 1.0, 0.0);

    state s = at_rest(tn_v3(0.0, 0.0, 0.0), tn_m3_rot_z(0.5));
    s.V[1].w.z = 3.0;
    const tn_load turn = load_at(add_force(motor), 0.25, &s);
    CHECK_NEAR(turn.w[11], 1.0, ROUNDOFF);
    CHECK_NEAR(turn.w[5], -1.0, ROUNDOFF);
    CHECK_NEAR(turn.supplied, 3.0, ROUNDOFF);

    s.local[1].p = tn_v3(0.0, 1.0, 0.0);
    const tn_load push = load_at(add_force(point), 3.0, &s);
    CHECK_NEAR(push.w[6], 2.0 * cos(0.5), ROUNDOFF);
    CHECK_NEAR(push.w[7], 2.0 * sin(0.5), ROUNDOFF);
    CHECK_NEAR(push.w[11], 9.0 - 2.0, ROUNDOFF);
    CHECK_NEAR(push.supplied, 21.0, ROUNDOFF);
    close_model();
}

static const tn_test tests[] = {
    {"tangents match differences", tangents_match_differences},
    {"power is accounted for", power_is_accounted_for},
    {"pairs exert no net force or moment", pairs_exert_no_net_force_or_moment},
    {"elastic energy is not negative", elastic_energy_is_not_negative},
    {"a stretched spring pulls", stretched_spring_pulls},
    {"a torsion spring counts full turns", torsion_spring_counts_full_turns},
    {"a straight table is a linear spring", straight_table_is_a_linear_spring},
    {"a table stays between its points", a_table_stays_between_its_points},
    {"every table stores its work", every_table_stores_its_work},
    {"a bushing turns back about the axis of the turn",
     bushing_turns_back_about_the_axis_of_the_turn},
    {"beam elements are exact on a circle", beam_elements_are_exact_on_a_circle},
    {"beam elements are objective", beam_elements_are_objective},
    {"a stop pushes and never pulls", stop_pushes_and_never_pulls},
    {"motor and point force follow time", motor_and_point_force_follow_time},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
