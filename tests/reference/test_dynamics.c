// SPDX-License-Identifier: MIT
//
// The equations of motion at any state, against closed forms from textbooks, against differences,
// and against what simulations know: cart-pole [Florian 2007, "Correct equations for the dynamics
// of the cart-pole system", without friction], planar elbow arm [Spong, Hutchinson, Vidyasagar
// 2006, "Robot Modeling and Control", section 7.4].

#include "test.h"

#include "tenon/tenon.h"

enum { MOST = 64 };

static const double GRAVITY = 9.81;

static tn_model *parse(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "test", &model, NULL));
    return model;
}

static tn_dynamics *create(const tn_model *model, const char *coordinates)
{
    tn_dynamics *d = NULL;
    CHECK_OK(tn_dynamics_create(model, coordinates, &d));
    CHECK(tn_dynamics_nq(d) <= MOST && tn_dynamics_nv(d) <= MOST && tn_dynamics_rows(d) <= MOST);
    return d;
}

static void end(tn_dynamics *d, tn_model *model)
{
    tn_dynamics_destroy(d);
    tn_model_destroy(model);
}

// The velocity whose name holds a text.
static int find_velocity(const tn_dynamics *d, const char *part)
{
    for (int i = 0; i < tn_dynamics_nv(d); i++) {
        char name[160];
        CHECK_OK(tn_dynamics_velocity_name(d, i, name, sizeof name));
        if (strstr(name, part))
            return i;
    }
    CHECK_TEXT(part, "the name of a velocity");
    return -1;
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

// Closed forms ------------------------------------------------------------------------------------

static const char *const cart_pole =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  cart: {mass: 2, inertia: [1, 1, 1]}\n"
    "  pole: {mass: 0.6, com: [0, 0.7, 0], inertia: [0.098, 0.001, 0.098]}\n" // m l^2 / 3
    "joints:\n"
    "  rail: {kind: prismatic, body: cart, axis: [1, 0, 0]}\n"
    "  pin: {kind: revolute, bodies: [cart, pole], axis: [0, 0, -1]}\n";

static void a_cart_with_a_pole_is_that_of_the_books(void)
{
    const double mc = 2.0, mp = 0.6, l = 0.7, m = mc + mp;
    tn_model *model = parse(cart_pole);
    tn_dynamics *d = create(model, "joint");
    const int x = find_velocity(d, "rail"), t = find_velocity(d, "pin");
    CHECK(tn_dynamics_nv(d) == 2 && tn_dynamics_rows(d) == 0);
    for (int k = 0; k < 20; k++) {
        double q[2], v[2], tau[2] = {0}, a[2];
        q[x] = tn_random();
        q[t] = 3.0 * tn_random();
        v[x] = tn_random();
        v[t] = 5.0 * tn_random();
        const double F = tau[x] = 30.0 * tn_random(), s = sin(q[t]), c = cos(q[t]);
        const double turn = (GRAVITY * s + c * (-F - mp * l * v[t] * v[t] * s) / m) /
                            (l * (4.0 / 3.0 - mp * c * c / m));
        CHECK_OK(tn_dynamics_set(d, 0.0, q, v));
        CHECK_OK(tn_dynamics_forward(d, tau, a, NULL));
        CHECK_NEAR(a[t], turn, 1e-11);
        CHECK_NEAR(a[x], (F + mp * l * (v[t] * v[t] * s - turn * c)) / m, 1e-11);
    }
    end(d, model);
}

static const char *const elbow_arm =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  upper: {mass: 3, com: [0.4, 0, 0], inertia: [0.1, 0.2, 0.25]}\n"
    "  lower: {mass: 1.5, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.09],"
    " initial: {position: [0.9, 0, 0]}}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, body: upper}\n"
    "  elbow: {kind: revolute, bodies: [upper, lower], at: [0.9, 0, 0]}\n";

static void an_elbow_arm_is_that_of_the_books(void)
{
    const double m1 = 3.0, m2 = 1.5, l1 = 0.9, c1 = 0.4, c2 = 0.3, I1 = 0.25, I2 = 0.09;
    tn_model *model = parse(elbow_arm);
    tn_dynamics *d = create(model, "joint");
    const int i = find_velocity(d, "shoulder"), j = find_velocity(d, "elbow");
    for (int k = 0; k < 20; k++) {
        double q[2], v[2], M[4], f[2], tau[2];
        for (int n = 0; n < 2; n++) {
            q[n] = 3.0 * tn_random();
            v[n] = 4.0 * tn_random();
        }
        const double cross = m2 * l1 * c2, C = cos(q[j]), h = -cross * sin(q[j]);
        const double low = m2 * c2 * GRAVITY * cos(q[i] + q[j]);
        const double high = (m1 * c1 + m2 * l1) * GRAVITY * cos(q[i]);
        CHECK_OK(tn_dynamics_set(d, 0.0, q, v));
        CHECK_OK(tn_dynamics_mass_matrix(d, M));
        CHECK_NEAR(M[3 * i], m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2) + 2.0 * cross * C + I1 + I2,
                   1e-13);
        CHECK_NEAR(M[1], m2 * c2 * c2 + cross * C + I2, 1e-13);
        CHECK_NEAR(M[2], M[1], 1e-14);
        CHECK_NEAR(M[3 * j], m2 * c2 * c2 + I2, 1e-13);
        CHECK_OK(tn_dynamics_forces(d, f));
        CHECK_NEAR(-f[i], h * v[j] * (2.0 * v[i] + v[j]) + high + low, 1e-11);
        CHECK_NEAR(-f[j], -h * v[i] * v[i] + low, 1e-11);
        CHECK_OK(tn_dynamics_inverse(d, (double[2]){1.5, 1.5}, NULL, tau));
        for (int n = 0; n < 2; n++)
            CHECK_NEAR(tau[n], 1.5 * (M[n] + M[n + 2]) - f[n], 1e-11);
    }
    end(d, model);
}

// Identities --------------------------------------------------------------------------------------

// A loop of three moving bars, in which one row repeats others, with a spring and a damper.
static const char *const loop =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {mass: 1, com: [0, 0.5, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "  rod: {mass: 2, com: [1, 0.5, 0], inertia: [0.2, 0.6, 0.7], initial: {position: [0, 1, 0]}}\n"
    "  rocker: {mass: 1.5, com: [-0.5, 1, 0], inertia: [0.3, 0.3, 0.3],"
    " initial: {position: [3, 0, 0]}}\n"
    "joints:\n"
    "  a: {kind: revolute, body: crank, initial: {rate: 2}}\n"
    "  b: {kind: revolute, bodies: [crank, rod], at: [0, 1, 0]}\n"
    "  c: {kind: spherical, bodies: [rod, rocker], at: [2, 2, 0]}\n"
    "  d: {kind: revolute, body: rocker, at: [3, 0, 0]}\n"
    "forces:\n"
    "  s: {kind: spring, bodies: [crank, rocker], at_a: [0, 0.5, 0], at_b: [2.5, 1, 0],"
    " stiffness: 40, damping: 3, free: 1}\n";

static const char *const coordinates[] = {"absolute", "joint", "director"};

typedef struct equations {
    int n, rows;
    double M[MOST * MOST], G[MOST * MOST], f[MOST], c[MOST], a[MOST], lambda[MOST], tau[MOST];
} equations;

static void take(tn_dynamics *d, equations *e)
{
    e->n = tn_dynamics_nv(d);
    e->rows = tn_dynamics_rows(d);
    for (int i = 0; i < e->n; i++)
        e->tau[i] = tn_random();
    CHECK_OK(tn_dynamics_mass_matrix(d, e->M));
    CHECK_OK(tn_dynamics_forces(d, e->f));
    CHECK_OK(tn_dynamics_constraints(d, e->G, e->c));
    CHECK_OK(tn_dynamics_forward(d, e->tau, e->a, e->lambda));
}

static void accelerations_satisfy_the_equations(void)
{
    static equations e;
    tn_model *model = parse(loop);
    for (int k = 0; k < TN_COUNT(coordinates); k++) {
        tn_dynamics *d = create(model, coordinates[k]);
        double back[MOST];
        take(d, &e);
        CHECK(e.rows > 0);
        for (int i = 0; i < e.n; i++) {
            double left = -e.f[i] - e.tau[i];
            for (int j = 0; j < e.n; j++)
                left += e.M[i + j * e.n] * e.a[j];
            CHECK_NEAR(left + dot(e.rows, e.G + i * e.rows, e.lambda), 0.0, 1e-9);
        }
        for (int i = 0; i < e.rows; i++) {
            double left = -e.c[i];
            for (int j = 0; j < e.n; j++)
                left += e.G[i + j * e.rows] * e.a[j];
            CHECK_NEAR(left, 0.0, 1e-9);
        }
        CHECK_OK(tn_dynamics_inverse(d, e.a, e.lambda, back));
        for (int i = 0; i < e.n; i++)
            CHECK_NEAR(back[i], e.tau[i], 1e-9);
        tn_dynamics_destroy(d);
    }
    tn_model_destroy(model);
}

// The same mechanism in all coordinates moves alike.
static void frames_accelerate_alike_in_all_coordinates(void)
{
    tn_model *model = parse(loop);
    const tn_frame spot = {.R = tn_m3_identity, .p = {0.3, -0.2, 0.5}};
    tn_frame_motion first = {0};
    tn_wrench force = {0};
    for (int k = 0; k < TN_COUNT(coordinates); k++) {
        tn_dynamics *d = create(model, coordinates[k]);
        const tn_frame_motion now = tn_dynamics_frame(d, tn_model_find_body(model, "rod"), spot);
        const tn_wrench reaction = tn_dynamics_joint_reaction(d, tn_model_find_joint(model, "c"));
        if (k == 0) {
            first = now;
            force = reaction;
        }
        CHECK(tn_v3_norm(now.acceleration) > 1.0 && tn_v3_norm(reaction.f) > 1.0);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(now.frame.p, first.frame.p)), 0.0, 1e-12);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(now.velocity, first.velocity)), 0.0, 1e-12);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(now.acceleration, first.acceleration)), 0.0, 1e-9);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(now.rate_dot, first.rate_dot)), 0.0, 1e-9);
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(reaction.f, force.f)), 0.0, 1e-8);
        tn_dynamics_destroy(d);
    }
    tn_model_destroy(model);
}

// A simulation and the object agree at a state that the motion has reached.
static void a_simulation_has_the_same_equations(void)
{
    tn_model *model = parse(loop);
    for (int k = 0; k < TN_COUNT(coordinates); k++) {
        char method[64];
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        static double M[MOST * MOST], N[MOST * MOST];
        double f[MOST], g[MOST], a[MOST];
        tn_force_state spring, other;
        snprintf(method, sizeof method, "dopri5/index1@%s", coordinates[k]);
        options.method = method;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 0.3, NULL, NULL));
        tn_dynamics *d = create(model, coordinates[k]);
        const int n = tn_dynamics_nv(d);
        CHECK(tn_sim_nq(sim) == tn_dynamics_nq(d) && tn_sim_nv(sim) == n);
        CHECK_OK(tn_dynamics_set(d, tn_sim_time(sim), tn_sim_q(sim), tn_sim_v(sim)));
        CHECK_OK(tn_dynamics_mass_matrix(d, M));
        CHECK_OK(tn_sim_mass_matrix(sim, N));
        CHECK_OK(tn_dynamics_forces(d, f));
        CHECK_OK(tn_sim_forces(sim, g));
        CHECK_OK(tn_dynamics_forward(d, NULL, a, NULL));
        CHECK_OK(tn_dynamics_force(d, tn_model_find_force(model, "s"), &spring));
        CHECK_OK(tn_sim_force(sim, tn_model_find_force(model, "s"), &other));
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(f[i], g[i], 1e-11);
            CHECK_NEAR(a[i], tn_sim_a(sim)[i], 1e-8);
            CHECK_NEAR(M[i + i * n], N[i + i * n], 1e-13);
        }
        CHECK_NEAR(spring.effort, other.effort, 1e-11);
        tn_dynamics_destroy(d);
        tn_sim_destroy(sim);
    }
    tn_model_destroy(model);
}

// Differences -------------------------------------------------------------------------------------

// Moves joint coordinates, which are numbers in this loop but for the spherical joint, which is
// cut: q + h v and v + h a.
static void set_along(tn_dynamics *d, const double *q, const double *v, const double *a, double h)
{
    double there[MOST], fast[MOST];
    const int n = tn_dynamics_nv(d);
    CHECK(tn_dynamics_nq(d) == n);
    for (int i = 0; i < n; i++) {
        there[i] = q[i] + h * v[i];
        fast[i] = v[i] + h * a[i];
    }
    CHECK_OK(tn_dynamics_set(d, h, there, fast));
}

static void copy_state(const tn_dynamics *d, double *q, double *v)
{
    memcpy(q, tn_dynamics_q(d), (size_t)tn_dynamics_nq(d) * sizeof *q);
    memcpy(v, tn_dynamics_v(d), (size_t)tn_dynamics_nv(d) * sizeof *v);
}

static void constraint_matrices_are_derivatives(void)
{
    const double h = 1e-5;
    tn_model *model = parse(loop);
    tn_dynamics *d = create(model, "joint");
    static equations e;
    double q[MOST], v[MOST], none[MOST] = {0}, g[2][MOST], rate[2][MOST], unit[MOST];
    copy_state(d, q, v);
    take(d, &e);
    for (int j = 0; j < e.n; j++) {
        memset(unit, 0, sizeof unit);
        unit[j] = 1.0;
        for (int side = 0; side < 2; side++) {
            set_along(d, q, unit, none, side ? h : -h);
            CHECK_OK(tn_dynamics_residuals(d, g[side], NULL));
        }
        for (int i = 0; i < e.rows; i++)
            CHECK_NEAR((g[1][i] - g[0][i]) / (2.0 * h), e.G[i + j * e.rows], 1e-8);
    }
    // g'' = G a - c along any motion
    for (int i = 0; i < e.n; i++)
        e.a[i] = tn_random();
    for (int side = 0; side < 2; side++) {
        set_along(d, q, v, e.a, side ? h : -h);
        CHECK_OK(tn_dynamics_residuals(d, NULL, rate[side]));
    }
    for (int i = 0; i < e.rows; i++) {
        double second = -e.c[i];
        for (int j = 0; j < e.n; j++)
            second += e.G[i + j * e.rows] * e.a[j];
        CHECK_NEAR((rate[1][i] - rate[0][i]) / (2.0 * h), second, 1e-7);
    }
    tn_dynamics_destroy(d);
    tn_model_destroy(model);
}

// Without the damper energy stays; and it is that of M.
static void energy_is_kept_by_the_accelerations(void)
{
    const double h = 1e-5;
    tn_model *model = parse(elbow_arm);
    tn_dynamics *d = create(model, "joint");
    const double q[2] = {0.4, -0.9}, v[2] = {1.3, 2.1};
    double a[2], M[4], kinetic, potential, energy[2];
    CHECK_OK(tn_dynamics_set(d, 0.0, q, v));
    CHECK_OK(tn_dynamics_forward(d, NULL, a, NULL));
    CHECK_OK(tn_dynamics_mass_matrix(d, M));
    CHECK_OK(tn_dynamics_energy(d, &kinetic, NULL));
    CHECK_NEAR(kinetic, 0.5 * (M[0] * v[0] * v[0] + 2.0 * M[1] * v[0] * v[1] + M[3] * v[1] * v[1]),
               1e-12);
    for (int side = 0; side < 2; side++) {
        set_along(d, q, v, a, side ? h : -h);
        CHECK_OK(tn_dynamics_energy(d, &kinetic, &potential));
        energy[side] = kinetic + potential;
    }
    CHECK_NEAR((energy[1] - energy[0]) / (2.0 * h), 0.0, 1e-7);
    end(d, model);
}

// With accelerations of zero that of a frame is J' v, which operational-space control needs.
static void frames_have_jacobians_and_their_rates(void)
{
    const double h = 1e-5;
    tn_model *model = parse(elbow_arm);
    tn_dynamics *d = create(model, "joint");
    const tn_body hand = tn_model_find_body(model, "lower");
    const tn_frame tip = {.R = tn_m3_identity, .p = {0.8, 0.1, 0.0}};
    const double q[2] = {0.4, -0.9}, v[2] = {1.3, 2.1}, none[2] = {0};
    double J[2][12], tau[2], x[3];
    for (int side = 0; side < 2; side++) {
        set_along(d, q, v, none, side ? h : -h);
        CHECK_OK(tn_dynamics_frame_jacobian(d, hand, tip, J[side]));
    }
    CHECK_OK(tn_dynamics_set(d, 0.0, q, v));
    CHECK_OK(tn_dynamics_inverse(d, none, NULL, tau));
    const tn_frame_motion now = tn_dynamics_frame(d, hand, tip);
    tn_v3_to(now.acceleration, x);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR((J[1][i] - J[0][i]) / (2.0 * h) * v[0] +
                       (J[1][6 + i] - J[0][6 + i]) / (2.0 * h) * v[1],
                   x[i], 1e-7);
    CHECK_OK(tn_dynamics_frame_jacobian(d, hand, tip, J[0]));
    CHECK_NEAR(J[0][0] * v[0] + J[0][6] * v[1], now.velocity.x, 1e-12);
    CHECK_NEAR(J[0][5] * v[0] + J[0][11] * v[1], now.rate.z, 1e-12);
    end(d, model);
}

// Force elements ----------------------------------------------------------------------------------

static void springs_tell_what_they_do(void)
{
    tn_model *model = parse(
        "tenon: 1\n"
        "bodies:\n"
        "  ball: {kind: point, mass: 2, initial: {position: [3, 4, 0], velocity: [5, 0, 0]}}\n"
        "forces:\n"
        "  s: {kind: spring, body: ball, stiffness: 10, damping: 2, free: 4}\n");
    for (int k = 0; k < TN_COUNT(coordinates); k++) {
        tn_dynamics *d = create(model, coordinates[k]);
        tn_force_state s;
        CHECK_OK(tn_dynamics_force(d, tn_model_find_force(model, "s"), &s));
        CHECK(s.is_scalar);
        CHECK_NEAR(s.coordinate, 5.0, 1e-14);
        CHECK_NEAR(s.deflection, 1.0, 1e-14);
        CHECK_NEAR(s.rate, 3.0, 1e-14);
        CHECK_NEAR(s.effort, -10.0 - 6.0, 1e-13);
        CHECK_NEAR(s.energy, 5.0, 1e-13);
        CHECK_NEAR(s.dissipated, 18.0, 1e-13);
        CHECK_NEAR(s.on_b.f.x, -16.0 * 0.6, 1e-13);
        CHECK_NEAR(s.on_b.f.y, -16.0 * 0.8, 1e-13);
        tn_dynamics_destroy(d);
    }
    tn_model_destroy(model);
}

// Inputs, resets, turns ---------------------------------------------------------------------------

static void inputs_act_and_a_reset_takes_them_back(void)
{
    tn_model *model = parse("tenon: 1\n"
                            "inputs: {u: 1.5}\n"
                            "bodies:\n"
                            "  cart: {mass: 2, inertia: [1, 1, 1]}\n"
                            "joints:\n"
                            "  rail: {kind: prismatic, body: cart, axis: [1, 0, 0]}\n"
                            "forces:\n"
                            "  motor: {kind: motor, joint: rail, effort: 4*u}\n");
    tn_dynamics *d = create(model, "joint");
    double a;
    CHECK_OK(tn_dynamics_forward(d, NULL, &a, NULL));
    CHECK_NEAR(a, 3.0, 1e-14);
    CHECK_OK(tn_dynamics_set_input(d, tn_model_find_input(model, "u"), -0.5));
    CHECK_OK(tn_dynamics_set(d, 2.0, (double[]){7.0}, (double[]){1.0}));
    CHECK_OK(tn_dynamics_forward(d, NULL, &a, NULL));
    CHECK_NEAR(a, -1.0, 1e-14);
    CHECK_OK(tn_dynamics_reset(d));
    CHECK_OK(tn_dynamics_forward(d, NULL, &a, NULL));
    CHECK_NEAR(a, 3.0, 1e-14);
    CHECK(tn_dynamics_time(d) == 0.0 && tn_dynamics_q(d)[0] == 0.0 && tn_dynamics_v(d)[0] == 0.0);
    CHECK_STATUS(tn_dynamics_set_input(d, (tn_input){1}, 0.0), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "tn_dynamics_set_input: 'input.index' is 1, but there are 1");
    CHECK_STATUS(tn_dynamics_set_input(d, (tn_input){0}, NAN), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "input 'u': its value is nan; it must be finite");
    end(d, model);
}

static void states_and_sampled_values_are_set_by_name(void)
{
    tn_model *model = parse("tenon: 1\n"
                            "states: {z: {rate: 0, initial: 1, limits: [0, 5]}}\n"
                            "sampled: {servo: {every: 0.1, next: {u: u}}}\n"
                            "bodies:\n"
                            "  cart: {mass: 2, inertia: [1, 1, 1]}\n"
                            "joints:\n"
                            "  rail: {kind: prismatic, body: cart, axis: [1, 0, 0]}\n"
                            "forces:\n"
                            "  motor: {kind: motor, joint: rail, effort: 4*z + 2*servo.u}\n");
    static const char *const both[] = {"joint", "absolute"};
    for (int k = 0; k < TN_COUNT(both); k++) {
        tn_dynamics *d = create(model, both[k]);
        double a[6];
        CHECK_OK(tn_dynamics_forward(d, NULL, a, NULL));
        CHECK_NEAR(a[0], 2.0, 1e-14);
        CHECK_OK(tn_dynamics_set_value(d, "z", 3.0));
        CHECK_OK(tn_dynamics_set_value(d, "servo.u", -1.0));
        CHECK_OK(tn_dynamics_forward(d, NULL, a, NULL));
        CHECK_NEAR(a[0], 5.0, 1e-14);
        CHECK_STATUS(tn_dynamics_set_value(d, "z", 6.0), TN_ERR_USAGE);
        CHECK_TEXT(tn_last_error(), "state 'z' cannot be 6: its limits are [0, 5]");
        CHECK_STATUS(tn_dynamics_set_value(d, "cart", 6.0), TN_ERR_USAGE);
        CHECK_OK(tn_dynamics_reset(d));
        CHECK_OK(tn_dynamics_forward(d, NULL, a, NULL));
        CHECK_NEAR(a[0], 2.0, 1e-14);
        tn_dynamics_destroy(d);
    }
    tn_model_destroy(model);
}

// A joint spring sees the turns that a joint coordinate has.
static void turns_count_in_joint_coordinates(void)
{
    tn_model *model = parse("tenon: 1\n"
                            "bodies:\n"
                            "  wheel: {mass: 2, inertia: [1, 1, 1]}\n"
                            "joints:\n"
                            "  hub: {kind: revolute, body: wheel}\n"
                            "forces:\n"
                            "  s: {kind: joint-spring, joint: hub, stiffness: 2, free: 0}\n");
    tn_dynamics *d = create(model, "joint");
    double angle = 0.0;
    tn_force_state s;
    CHECK_OK(tn_dynamics_set(d, 0.0, (double[]){20.0}, NULL));
    CHECK(tn_dynamics_joint_coordinates(d, tn_model_find_joint(model, "hub"), &angle, NULL) == 1);
    CHECK_NEAR(angle, 20.0, 1e-13);
    CHECK_OK(tn_dynamics_force(d, tn_model_find_force(model, "s"), &s));
    CHECK_NEAR(s.effort, -40.0, 1e-12);
    end(d, model);
}

// Bad input ---------------------------------------------------------------------------------------

static void what_is_no_state_is_refused(void)
{
    tn_model *model = parse(elbow_arm);
    tn_dynamics *d = NULL;
    char name[64];
    CHECK_STATUS(tn_dynamics_create(model, "joints", &d), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "unknown coordinates 'joints'; did you mean 'joint'?");
    CHECK(d == NULL);
    d = create(model, "absolute");
    double q[MOST], v[MOST];
    copy_state(d, q, v);
    v[3] = NAN;
    CHECK_STATUS(tn_dynamics_set(d, 0.0, q, v), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "velocity 3 of the state is nan; it must be finite");
    CHECK_STATUS(tn_dynamics_set(d, INFINITY, q, NULL), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "time 0 of the state is inf; it must be finite");
    memset(q + 3, 0, 4 * sizeof *q);
    CHECK_STATUS(tn_dynamics_set(d, 0.0, q, NULL), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(),
               "positions 3 to 6 of the state are a quaternion of length 0; its length must be 1");
    CHECK(tn_dynamics_v(d)[3] == 0.0 && tn_dynamics_q(d)[3] == 1.0);
    CHECK_STATUS(tn_dynamics_velocity_name(d, 12, name, sizeof name), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "tn_dynamics_velocity_name: 'i' is 12, but there are 12");
    CHECK_OK(tn_dynamics_row_name(d, 0, name, sizeof name));
    CHECK_TEXT(name, "joint 'shoulder', row x");
    end(d, model);
}

// Two dampers in line, and no mass between them: 0 = u - 2 v1 + v2.
static void massless_motions_take_forces_of_the_model_alone(void)
{
    tn_model *model = parse("tenon: 1\n"
                            "inputs: {u: 1}\n"
                            "bodies:\n"
                            "  small: {mass: 0, inertia: [0, 0, 0]}\n"
                            "  large: {mass: 1, inertia: [1, 1, 1]}\n"
                            "joints:\n"
                            "  a: {kind: prismatic, bodies: [ground, small], axis: [1, 0, 0]}\n"
                            "  b: {kind: prismatic, bodies: [small, large], axis: [1, 0, 0]}\n"
                            "forces:\n"
                            "  d1: {kind: joint-spring, joint: a, damping: 1}\n"
                            "  d2: {kind: joint-spring, joint: b, damping: 1}\n"
                            "  push: {kind: point-force, body: small, force: [u, 0, 0]}\n");
    for (int k = 0; k < 2; k++) {
        tn_dynamics *d = create(model, coordinates[k]);
        double tau[MOST] = {0}, a[MOST];
        CHECK_OK(tn_dynamics_forward(d, tau, a, NULL));
        CHECK_NEAR(
            tn_dynamics_frame(d, tn_model_find_body(model, "small"), tn_frame_identity).velocity.x,
            0.5, 1e-14);
        const tn_body large = tn_model_find_body(model, "large");
        CHECK_NEAR(tn_dynamics_frame(d, large, tn_frame_identity).acceleration.x, 0.5, 1e-14);
        tau[0] = 1.0;
        CHECK_STATUS(tn_dynamics_forward(d, tau, a, NULL), TN_ERR_USAGE);
        CHECK(strstr(tn_last_error(), "takes no tau where motions have no inertia, as "));
        tn_dynamics_destroy(d);
    }
    tn_model_destroy(model);
}

static void nothing_is_allocated_in_use(void)
{
    static equations e;
    tn_model *model = parse(loop);
    for (int k = 0; k < TN_COUNT(coordinates); k++) {
        tn_dynamics *d = create(model, coordinates[k]);
        double q[MOST], v[MOST];
        copy_state(d, q, v);
        take(d, &e);
        const long before = tn_test_alloc_count();
        CHECK_OK(tn_dynamics_set(d, 0.1, q, v));
        take(d, &e);
        CHECK_OK(tn_dynamics_inverse(d, e.a, e.lambda, e.tau));
        tn_dynamics_joint_reaction(d, tn_model_find_joint(model, "c"));
        CHECK(tn_test_alloc_count() == before);
        tn_dynamics_destroy(d);
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"a cart with a pole is that of the books", a_cart_with_a_pole_is_that_of_the_books},
    {"an elbow arm is that of the books", an_elbow_arm_is_that_of_the_books},
    {"accelerations satisfy the equations", accelerations_satisfy_the_equations},
    {"frames accelerate alike in all coordinates", frames_accelerate_alike_in_all_coordinates},
    {"a simulation has the same equations", a_simulation_has_the_same_equations},
    {"constraint matrices are derivatives", constraint_matrices_are_derivatives},
    {"energy is kept by the accelerations", energy_is_kept_by_the_accelerations},
    {"frames have Jacobians and their rates", frames_have_jacobians_and_their_rates},
    {"springs tell what they do", springs_tell_what_they_do},
    {"inputs act and a reset takes them back", inputs_act_and_a_reset_takes_them_back},
    {"states and sampled values are set by name", states_and_sampled_values_are_set_by_name},
    {"turns count in joint coordinates", turns_count_in_joint_coordinates},
    {"what is no state is refused", what_is_no_state_is_refused},
    {"massless motions take forces of the model alone",
     massless_motions_take_forces_of_the_model_alone},
    {"nothing is allocated in use", nothing_is_allocated_in_use},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
