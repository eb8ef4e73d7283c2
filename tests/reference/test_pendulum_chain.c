// SPDX-License-Identifier: MIT
//
// Chains of links in joint coordinates against equations of motion that are written down here.
//
// 1. N point masses on massless rods, in angles a_i between rod i and the -y axis. Example 3 of
//    [Arn16] has N = 2; with x_i = x_{i-1} + l_i sin a_i, y_i = y_{i-1} - l_i cos a_i and the mass
//    from rod k on, s_k = m_k + ... + m_N, Lagrange's equations become
//
//      sum_j s_max(i,j) l_i l_j (cos(a_i - a_j) a_j'' + sin(a_i - a_j) a_j'^2) = -s_i g l_i sin a_i
//
//    In the paper T lacks the factor 2 of a_1'^2; the equations have it.
//    Simulations of the same model start with these accelerations.
// 2. The same in Cartesian coordinates with one multiplier per rod [Arn16, eq. 7].
// 3. The elastic chain of chain_functions.h as links, joints and springs.

#include "chain_functions.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "tree/tree.h"

enum { MOST = 40 };

static const double GRAVITY = 9.81;
// Relative to the largest value: the condition of M grows with the square of the number of links,
// and the worst positions among those here lose three digits.
static const double PER_LINK = 1e-13;

typedef struct pendulums {
    int n;
    double m[MOST], l[MOST]; // [kg], [m]
    double a[MOST], w[MOST]; // angles and rates [rad], [rad/s]
} pendulums;

// m = l = 1 as in the paper, or each its own; angles all around.
static pendulums random_pendulums(int n, bool equal)
{
    pendulums p = {.n = n};
    for (int i = 0; i < n; i++) {
        p.m[i] = equal ? 1.0 : 1.0 + 0.5 * tn_random();
        p.l[i] = equal ? 1.0 : 1.0 + 0.5 * tn_random();
        p.a[i] = 3.14 * tn_random();
        p.w[i] = 3.0 * tn_random();
    }
    return p;
}

// As a tree ---------------------------------------------------------------------------------------

// The plane of the motion in space: its axes x, y and the normal, as columns.
typedef struct setting {
    tn_body_kind body;
    tn_joint_kind joint;
    tn_mat3 R;
} setting;

static setting planar_links(void)
{
    return (setting){TN_BODY_PLANAR, TN_JOINT_PLANAR_REVOLUTE, tn_m3_identity};
}

static setting spatial_links(void)
{
    return (setting){TN_BODY_RIGID, TN_JOINT_REVOLUTE, tn_so3_exp(tn_v3(0.8, -1.9, 0.6))};
}

static tn_vec3 rod_of(const pendulums *p, int i)
{
    return tn_v3(p->l[i] * sin(p->a[i]), -p->l[i] * cos(p->a[i]), 0.0);
}

// With the state of the pendulums as its start.
static tn_model *pendulum_model(const pendulums *p, setting in)
{
    tn_model *model = tn_model_create();
    tn_vec3 at = {0, 0, 0}, velocity = {0, 0, 0};
    tn_model_set_gravity(model, tn_m3_apply(in.R, tn_v3(0, -GRAVITY, 0)));
    tn_joint_def joint = tn_default_joint(in.joint);
    joint.frame_a.R = in.R;
    for (int i = 0; i < p->n; i++) {
        tn_body_def rod = tn_default_body();
        rod.kind = in.body;
        rod.mass = p->m[i];
        rod.com = tn_v3(0, -p->l[i], 0);
        rod.inertia = tn_v3(0, 0, 0);
        rod.frame = (tn_frame){tn_m3_mul(in.R, tn_m3_rot_z(p->a[i])), tn_m3_apply(in.R, at)};
        rod.velocity = tn_m3_apply(in.R, velocity);
        rod.rate = tn_v3(0, 0, p->w[i]);
        at = tn_v3_add(at, rod_of(p, i));
        velocity = tn_v3_add(velocity, tn_v3_cross(rod.rate, rod_of(p, i)));
        joint.body_b = tn_model_add_body(model, &rod);
        tn_model_add_joint(model, &joint);
        joint.body_a = joint.body_b;
        joint.frame_a = (tn_frame){tn_m3_identity, rod.com};
    }
    return model;
}

// Accelerations of the angles, and the forces of the joints on their rods in the plane, which may
// be NULL.
static void by_tree(const pendulums *p, setting in, double *acceleration, tn_vec3 *reaction)
{
    tn_model *model = pendulum_model(p, in);
    tn_tree *t;
    double q[MOST], v[MOST], a[MOST], r[MOST];
    CHECK_OK(tn_tree_create(model, &t));
    CHECK(t->nv == p->n);
    for (int i = 0; i < p->n; i++) {
        const tn_tree_body *b = &t->body[t->place[i + 1]];
        q[b->q0] = p->a[i] - (i ? p->a[i - 1] : 0.0);
        v[b->v0] = p->w[i] - (i ? p->w[i - 1] : 0.0);
    }
    tn_tree_move(t, q, v);
    CHECK_OK(tn_tree_accelerate(t, NULL, a, NULL));
    tn_tree_residual(t, NULL, a, r);
    for (int i = 0; i < p->n; i++) {
        const int place = t->place[i + 1];
        acceleration[i] = a[t->body[place].v0] + (i ? acceleration[i - 1] : 0.0);
        if (reaction)
            reaction[i] = tn_m3_apply_t(in.R, tn_tree_reaction(t, place).f);
    }
    tn_tree_destroy(t);
    tn_model_destroy(model);
}

// In closed form ----------------------------------------------------------------------------------

static void solve(int n, double *A, double *b)
{
    int pivot[MOST];
    CHECK_OK(tn_lu_factor(n, A, pivot));
    tn_lu_solve(n, A, pivot, b);
}

static void in_angles(const pendulums *p, double *acceleration)
{
    const int n = p->n;
    double A[MOST * MOST], behind[MOST + 1];
    behind[n] = 0.0;
    for (int i = n - 1; i >= 0; i--)
        behind[i] = behind[i + 1] + p->m[i];
    for (int i = 0; i < n; i++) {
        acceleration[i] = -behind[i] * GRAVITY * p->l[i] * sin(p->a[i]);
        for (int j = 0; j < n; j++) {
            const double s = behind[i > j ? i : j] * p->l[i] * p->l[j];
            A[i + n * j] = s * cos(p->a[i] - p->a[j]);
            acceleration[i] -= s * sin(p->a[i] - p->a[j]) * p->w[j] * p->w[j];
        }
    }
    solve(n, A, acceleration);
}

// lambda of [Arn16, eq. 7]: with d_i = (x_i - x_{i-1}, y_i - y_{i-1}) the masses accelerate by
// (0, -g) + (d_{i+1} lambda_{i+1} - d_i lambda_i) / m_i, and d_i . d_i'' = -d_i' . d_i'.
static void multipliers(const pendulums *p, double *lambda)
{
    const int n = p->n;
    double A[MOST * MOST] = {0};
    for (int i = 0; i < n; i++) {
        const tn_vec3 d = rod_of(p, i);
        const double speed = p->l[i] * p->w[i], outer = 1.0 / p->m[i];
        const double inner = i ? 1.0 / p->m[i - 1] : 0.0;
        A[i + n * i] = (outer + inner) * tn_v3_dot(d, d);
        if (i > 0)
            A[i + n * (i - 1)] = -inner * tn_v3_dot(d, rod_of(p, i - 1));
        if (i < n - 1)
            A[i + n * (i + 1)] = -outer * tn_v3_dot(d, rod_of(p, i + 1));
        lambda[i] = speed * speed + (i ? 0.0 : tn_v3_dot(d, tn_v3(0, -GRAVITY, 0)));
    }
    solve(n, A, lambda);
}

// Tests -------------------------------------------------------------------------------------------

static double worst_of(int n, const double *x, const double *y)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++)
        worst = fabs(x[i] - y[i]) <= worst ? worst : fabs(x[i] - y[i]); // NaN stays
    return worst;
}

// [Arn16, Example 3] as printed, and the explicit solution of textbooks for any masses and lengths.
static void double_pendulum_accelerates_as_printed(void)
{
    for (int k = 0; k < 100; k++) {
        const pendulums p = random_pendulums(2, true);
        const double c = cos(p.a[1] - p.a[0]), s = sin(p.a[1] - p.a[0]);
        const double f[] = {-2.0 * GRAVITY * sin(p.a[0]) + s * p.w[1] * p.w[1],
                            -GRAVITY * sin(p.a[1]) - s * p.w[0] * p.w[0]};
        double x[2];
        by_tree(&p, k % 2 ? planar_links() : spatial_links(), x, NULL);
        CHECK_NEAR(2.0 * x[0] + c * x[1], f[0], 1e-13);
        CHECK_NEAR(c * x[0] + x[1], f[1], 1e-13);
    }
}

static void double_pendulum_accelerates_as_in_textbooks(void)
{
    for (int k = 0; k < 100; k++) {
        const pendulums p = random_pendulums(2, false);
        const double m1 = p.m[0], m2 = p.m[1], m = m1 + m2, g = GRAVITY;
        const double s = sin(p.a[0] - p.a[1]), c = cos(p.a[0] - p.a[1]);
        const double u1 = p.l[0] * p.w[0] * p.w[0], u2 = p.l[1] * p.w[1] * p.w[1];
        const double below = 2.0 * m1 + m2 - m2 * cos(2.0 * (p.a[0] - p.a[1]));
        const double expected[] = {
            -(g * (2.0 * m1 + m2) * sin(p.a[0]) + m2 * g * sin(p.a[0] - 2.0 * p.a[1]) +
              2.0 * s * m2 * (u2 + u1 * c)) /
                (p.l[0] * below),
            2.0 * s * (u1 * m + g * m * cos(p.a[0]) + u2 * m2 * c) / (p.l[1] * below)};
        double x[2];
        by_tree(&p, k % 2 ? planar_links() : spatial_links(), x, NULL);
        for (int i = 0; i < 2; i++)
            CHECK_NEAR(x[i], expected[i], 1e-13 * tn_norm_inf(2, expected));
    }
}

static void chain_accelerates_as_in_closed_form(setting in)
{
    double worst = 0.0;
    for (int n = 1; n <= MOST; n++)
        for (int k = 0; k < 10; k++) {
            const pendulums p = random_pendulums(n, k % 2);
            double x[MOST], y[MOST];
            by_tree(&p, in, x, NULL);
            in_angles(&p, y);
            const double error = worst_of(n, x, y) / tn_norm_inf(n, y);
            worst = error <= worst ? worst : error;
            CHECK_NEAR(error, 0.0, PER_LINK * n);
        }
    printf("largest difference of accelerations %.1e of the largest\n", worst);
}

static void planar_chain_accelerates_as_in_closed_form(void)
{
    chain_accelerates_as_in_closed_form(planar_links());
}

static void spatial_chain_accelerates_as_in_closed_form(void)
{
    chain_accelerates_as_in_closed_form(spatial_links());
}

// The start of a simulation by each of these methods.
static void simulated_chain_accelerates_as_in_closed_form(void)
{
    static const char *const by[] = {"dopri5/index1@absolute", "dopri5/index1@joint"};
    static const int lengths[] = {1, 2, 3, 5, 10, MOST};
    for (int k = 0; k < 2 * TN_COUNT(by) * TN_COUNT(lengths); k++) {
        const int n = lengths[k / 2 % TN_COUNT(lengths)];
        const pendulums p = random_pendulums(n, false);
        tn_model *model = pendulum_model(&p, k % 2 ? planar_links() : spatial_links());
        tn_sim_options options = tn_default_sim();
        options.method = by[k / 2 / TN_COUNT(lengths)];
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        double x[MOST], y[MOST];
        for (int i = 0; i < n; i++)
            x[i] = tn_sim_body_rate_dot(sim, (tn_body){i + 1}).z;
        in_angles(&p, y);
        CHECK_NEAR(worst_of(n, x, y) / tn_norm_inf(n, y), 0.0, PER_LINK * n);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// The force of the joint on rod i is -d_i lambda_i.
static void chain_pulls_by_the_multipliers(setting in)
{
    double worst = 0.0;
    for (int n = 1; n <= MOST; n++)
        for (int k = 0; k < 10; k++) {
            const pendulums p = random_pendulums(n, k % 2);
            double x[MOST], lambda[MOST], most = 0.0, error = 0.0;
            tn_vec3 pull[MOST];
            by_tree(&p, in, x, pull);
            multipliers(&p, lambda);
            for (int i = 0; i < n; i++) {
                const tn_vec3 e = tn_v3_axpy(lambda[i], rod_of(&p, i), pull[i]);
                most = fmax(most, p.l[i] * fabs(lambda[i]));
                error = tn_v3_norm(e) <= error ? error : tn_v3_norm(e);
            }
            worst = error / most <= worst ? worst : error / most;
            CHECK_NEAR(error / most, 0.0, PER_LINK * n);
        }
    printf("largest difference of forces %.1e of the largest\n", worst);
}

static void planar_chain_pulls_by_the_multipliers(void)
{
    chain_pulls_by_the_multipliers(planar_links());
}

static void spatial_chain_pulls_by_the_multipliers(void)
{
    chain_pulls_by_the_multipliers(spatial_links());
}

// Positions and velocities of all rods and the forces of all joints after half a second.
static int simulate(const tn_model *model, const char *method, double tol, double *out)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    int n = 0;
    options.method = method;
    options.adaptive = true;
    options.rtol = options.atol = tol;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.5, NULL, NULL));
    for (int i = 1; i < tn_model_body_count(model); i++, n += 9) {
        tn_v3_to(tn_sim_body_frame(sim, (tn_body){i}).p, out + n);
        tn_v3_to(tn_sim_body_velocity(sim, (tn_body){i}), out + n + 3);
        tn_v3_to(tn_sim_joint_reaction(sim, (tn_joint){i - 1}).f, out + n + 6);
    }
    tn_sim_destroy(sim);
    return n;
}

// Rods that swing from rest aside; chains of more rods multiply errors faster.
static void pendulums_swing_as_in_absolute_coordinates(void)
{
    static const char *const by[] = {"dopri5/index1@joint", "radau5/ggl@joint", "bdf/ggl@joint",
                                     "dop853/minimal@joint"};
    static const int rods[] = {1, 2, 5, 12};
    for (int i = 0; i < 2 * TN_COUNT(rods); i++) {
        pendulums p = random_pendulums(rods[i / 2], false);
        double x[9 * MOST], y[9 * MOST], worst = 0.0;
        for (int k = 0; k < p.n; k++)
            p.a[k] *= 0.3, p.w[k] = 0.0;
        tn_model *model = pendulum_model(&p, i % 2 ? spatial_links() : planar_links());
        const int n = simulate(model, "dop853/index1+project@absolute", 1e-12, y);
        for (int k = 0; k < TN_COUNT(by); k++) {
            CHECK(simulate(model, by[k], 1e-10, x) == n);
            const double error = worst_of(n, x, y) / tn_norm_inf(n, y);
            worst = error <= worst ? worst : error;
        }
        printf("%d %s: within %.1e of the largest\n", p.n, i % 2 ? "in space" : "in the plane",
               worst);
        CHECK_NEAR(worst, 0.0, 2e-7);
        tn_model_destroy(model);
    }
}

// The elastic chain -------------------------------------------------------------------------------

// A beam of unit length, mass and bending stiffness in n links. g_lk = n + 1/2 - max(l, k) is that
// of links with half of their mass at each end: centre in the middle, moment m l^2 / 4. The
// equations divided by n^3 have springs of stiffness n, and 2 n at the clamp, where D_1 has
// -3 th_1. The load F (-1, 1) at the tip does the work F (sin th_l + cos th_l) / n per angle.
static tn_model *elastic_chain(tn_body *link)
{
    const double n = CHAIN_N, l = 1.0 / n, m = 1.0 / n;
    tn_model *model = tn_model_create();
    tn_joint_def joint = tn_default_joint(TN_JOINT_PLANAR_REVOLUTE);
    for (int k = 0; k < CHAIN_N; k++) {
        tn_body_def body = tn_default_body();
        body.kind = TN_BODY_PLANAR;
        body.mass = m;
        body.com = tn_v3(0.5 * l, 0, 0);
        body.inertia = tn_v3(0, 0, 0.25 * m * l * l);
        body.frame.p = tn_v3(k * l, 0, 0);
        joint.body_b = link[k] = tn_model_add_body(model, &body);
        tn_force_def spring = tn_default_force(TN_FORCE_JOINT_SPRING);
        spring.joint = tn_model_add_joint(model, &joint);
        spring.spring.stiffness = k ? n : 2.0 * n;
        spring.spring.free_given = true;
        tn_model_add_force(model, &spring);
        joint.body_a = joint.body_b;
        joint.frame_a.p = tn_v3(l, 0, 0);
    }
    tn_force_def load = tn_default_force(TN_FORCE_POINT);
    load.body_b = link[CHAIN_N - 1];
    load.frame_b.p = tn_v3(l, 0, 0);
    load.point.force[0].expression = "t <= pi ? -1.5*sin(t)^2 : 0";
    load.point.force[1].expression = "t <= pi ? 1.5*sin(t)^2 : 0";
    tn_model_add_force(model, &load);
    return model;
}

// The springs as forces of the joints, and the load on the last link moved to its centre.
static void accelerate_elastic_chain(tn_tree *t, const tn_body *link, double at_time,
                                     const double *th, const double *w, double *acceleration)
{
    const double n = CHAIN_N, F = 1.5 * sin(at_time) * sin(at_time);
    double q[CHAIN_N], v[CHAIN_N], tau[CHAIN_N], a[CHAIN_N];
    for (int i = 0; i < CHAIN_N; i++) {
        const tn_tree_body *b = &t->body[t->place[link[i].index]];
        q[b->q0] = th[i] - (i ? th[i - 1] : 0.0);
        v[b->v0] = w[i] - (i ? w[i - 1] : 0.0);
        tau[b->v0] = (i ? -n : -2.0 * n) * q[b->q0];
    }
    const double arm = 0.5 / n, tip = th[CHAIN_N - 1];
    const int last = t->place[link[CHAIN_N - 1].index];
    tn_wrench load = {{-F, F, 0}, {0, 0, arm * F * (cos(tip) + sin(tip))}}; // at the centre of mass
    tn_tree_move(t, q, v);
    load.m = tn_v3_add(load.m, tn_v3_cross(tn_tree_com(t, last), load.f));
    tn_tree_add_load(t, last, load);
    CHECK_OK(tn_tree_accelerate(t, tau, a, NULL));
    for (int i = 0; i < CHAIN_N; i++)
        acceleration[i] = a[t->body[t->place[link[i].index]].v0] + (i ? acceleration[i - 1] : 0.0);
}

static void elastic_chain_of_links_accelerates_as_its_functions(void)
{
    tn_body link[CHAIN_N];
    tn_model *model = elastic_chain(link);
    tn_tree *t;
    CHECK_OK(tn_tree_create(model, &t));
    CHECK(t->nv == CHAIN_N);
    for (int k = 0; k < 20; k++) {
        double th[CHAIN_N], w[CHAIN_N], x[CHAIN_N], y[CHAIN_N], A[CHAIN_N * CHAIN_N];
        for (int i = 0; i < CHAIN_N; i++) {
            // Where the chain is smooth, springs do not hide the load and the velocities.
            th[i] = (k % 2 ? 1e-4 : 0.5) * tn_random() + 0.5 * i / CHAIN_N;
            w[i] = 3.0 * tn_random();
        }
        const tn_arguments at = {.t = 1.0, .q = th, .v = w};
        chain_mass(NULL, &at, A);
        chain_force(NULL, &at, y);
        solve(CHAIN_N, A, y);
        accelerate_elastic_chain(t, link, at.t, th, w, x);
        CHECK_NEAR(worst_of(CHAIN_N, x, y) / tn_norm_inf(CHAIN_N, y), 0.0, PER_LINK * CHAIN_N);
    }
    tn_tree_destroy(t);
    tn_model_destroy(model);
}

// In joint coordinates an angle is the sum of up to forty, each of which has an error.
static void elastic_chain_of_links_has_its_digits(void)
{
    static const struct {
        const char *method;
        double tol, angles, rates;
    } by[] = {{"radau5/ggl", 1e-9, 5e-7, 1e-4},
              {"dopri5/index1@joint", 1e-9, 1e-9, 5e-6},
              {"radau5/ggl@joint", 1e-9, 5e-7, 1e-4},
              {"bdf/ggl@joint", 1e-8, 1e-6, 5e-5}};
    tn_body link[CHAIN_N];
    tn_model *model = elastic_chain(link);
    for (int k = 0; k < TN_COUNT(by); k++) {
        tn_sim_options options = tn_default_sim();
        options.method = by[k].method;
        options.adaptive = true;
        options.rtol = options.atol = by[k].tol;
        tn_sim *sim = NULL;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 5.0, NULL, NULL));
        double th[CHAIN_N], rate[CHAIN_N];
        for (int i = 0; i < CHAIN_N; i++) {
            const tn_mat3 R = tn_sim_body_frame(sim, link[i]).R;
            th[i] = atan2(R.m[1][0], R.m[0][0]);
            rate[i] = tn_sim_body_rate(sim, link[i]).z;
        }
        const double angles = worst_of(CHAIN_N, th, chain_end);
        const double rates = worst_of(CHAIN_N, rate, chain_end + CHAIN_N);
        tn_ledger ledger;
        tn_sim_ledger(sim, &ledger);
        printf("links %-20s %6ld steps, %.2f s, errors of angles %.1e, rates %.1e\n",
               tn_sim_method(sim), ledger.steps, ledger.wall, angles, rates);
        tn_sim_destroy(sim);
        CHECK_NEAR(angles, 0.0, by[k].angles);
        CHECK_NEAR(rates, 0.0, by[k].rates);
    }
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"double pendulum accelerates as printed", double_pendulum_accelerates_as_printed},
    {"double pendulum accelerates as in textbooks", double_pendulum_accelerates_as_in_textbooks},
    {"planar chain accelerates as in closed form", planar_chain_accelerates_as_in_closed_form},
    {"spatial chain accelerates as in closed form", spatial_chain_accelerates_as_in_closed_form},
    {"simulated chain accelerates as in closed form",
     simulated_chain_accelerates_as_in_closed_form},
    {"planar chain pulls by the multipliers", planar_chain_pulls_by_the_multipliers},
    {"spatial chain pulls by the multipliers", spatial_chain_pulls_by_the_multipliers},
    {"pendulums swing as in absolute coordinates", pendulums_swing_as_in_absolute_coordinates},
    {"elastic chain of links accelerates as its functions",
     elastic_chain_of_links_accelerates_as_its_functions},
    {"elastic chain of links has its digits", elastic_chain_of_links_has_its_digits},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
