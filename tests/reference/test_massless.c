// SPDX-License-Identifier: MIT
//
// Motions without inertia that dampers determine [Arn13]: the two planar configurations of its
// section 4, the coupled oscillators of section 2.2, and mechanisms beyond its assumption (23):
// massless bodies in a row, as leaves, in space, in loops, and without inertia about one axis. Each
// is compared with equations written by hand in other coordinates, which a Runge-Kutta method of
// order four solves to round-off here. Every integrator solves them under every formulation that
// can, and those that cannot say so.

#include "integrator/integrator.h"
#include "mechanism.h"
#include "model/model.h"

#include <string.h>

// Sets of coordinates in which the mechanisms are solved.
static const char *const coordinate_sets[] = {"absolute", "joint", "director"};

static const double T_END = 1.0;

// Equations by hand -------------------------------------------------------------------------------

enum { MOST = 12 };

typedef void (*equations)(double t, const double *y, double *ydot);

static void by_hand(equations f, int n, double t_end, double *y)
{
    enum { STEPS = 20000 }; // errors of 1e-16 and less for rates of a few hundred
    double k[4][MOST], z[MOST];
    const double h = t_end / STEPS;
    for (int i = 0; i < STEPS; i++) {
        f(i * h, y, k[0]);
        for (int s = 1; s < 4; s++) {
            const double ahead = s < 3 ? 0.5 * h : h;
            for (int j = 0; j < n; j++)
                z[j] = y[j] + ahead * k[s - 1][j];
            f(i * h + ahead, z, k[s]);
        }
        for (int j = 0; j < n; j++)
            y[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
    }
}

// Mechanisms --------------------------------------------------------------------------------------

typedef struct rig {
    tn_body mass;
    tn_joint joint[6];
} rig;

typedef struct mechanism {
    const char *name;
    int massless; // motions without inertia
    void (*build)(tn_model *model, rig *r);
    int n;
    equations f; // by hand
    double start[MOST];
    // Largest deviation of positions and velocities from those by hand.
    double (*deviation)(tn_sim *sim, const rig *r, double t, const double *y);
} mechanism;

static const tn_frame along_x = {{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}, {0, 0, 0}}; // its z axis
static tn_frame level(double angle)
{
    return (tn_frame){tn_m3_rot_z(angle), {0, 0, 0}};
}

static part add_body(tn_model *model, tn_body_kind kind, const char *name, double mass,
                     tn_vec3 velocity)
{
    tn_body_def def = body_def(name, mass, tn_v3(mass, mass, mass), tn_frame_identity);
    def.kind = kind;
    def.velocity = velocity;
    def.given_velocity = mass > 0.0;
    return add_part(model, &def);
}

// Joints start at zero, where their springs are stretched by u.
static void hold(tn_model *model, tn_joint joint, double k, double d, double u)
{
    tn_force_def f = tn_default_force(TN_FORCE_JOINT_SPRING);
    f.joint = joint;
    f.spring.stiffness = k;
    f.spring.damping = d;
    f.spring.free = -u;
    f.spring.free_given = true;
    tn_model_add_force(model, &f);
}

static void push(tn_model *model, tn_body body, const char *along_x_of_t)
{
    tn_force_def f = tn_default_force(TN_FORCE_POINT);
    f.body_b = body;
    f.point.force[0].expression = along_x_of_t;
    tn_model_add_force(model, &f);
}

static double coordinate(tn_sim *sim, tn_joint joint, double u0, double u, double rate)
{
    double q[3], v[3];
    CHECK(tn_sim_joint_coordinates(sim, joint, q, v) >= 1);
    return fmax(fabs(q[0] + u0 - u), fabs(v[0] - rate));
}

// The upper configuration of [Arn13, Fig. 3]. A point i that moves freely in the plane stands on
// two sliders at right angles, and j on i: the coordinates of the joints are those of the paper.
enum { IX, IY, JX, JY };

static const double CIX = 40.0, DIX = 3.0, CIY = 25.0, DIY = 2.0, CJX = 30.0, DJX = 1.5, MJ = 2.0;
static const double UIX = 0.3, UIY = -0.2, UJX = 0.15, VJX = 0.4, VJY = -0.3;

static void build_upper(tn_model *model, rig *r)
{
    const tn_vec3 rest = {0, 0, 0};
    const part a = add_body(model, TN_BODY_PLANAR, "a", 0.0, rest);
    const part i = add_body(model, TN_BODY_PLANAR, "i", 0.0, rest);
    const part b = add_body(model, TN_BODY_PLANAR, "b", 0.0, rest);
    const part j = add_body(model, TN_BODY_PLANAR, "j", MJ, tn_v3(VJX, VJY, 0.0));
    r->joint[IX] = join(model, TN_JOINT_PRISMATIC, "ix", ground, a, level(0.0));
    r->joint[IY] = join(model, TN_JOINT_PRISMATIC, "iy", a, i, level(0.5 * PI));
    r->joint[JX] = join(model, TN_JOINT_PRISMATIC, "jx", i, b, level(0.0));
    r->joint[JY] = join(model, TN_JOINT_PRISMATIC, "jy", b, j, level(0.5 * PI));
    hold(model, r->joint[IX], CIX, DIX, UIX);
    hold(model, r->joint[IY], CIY, DIY, UIY);
    hold(model, r->joint[JX], CJX, DJX, UJX);
    r->mass = j.id;
}

// y = (q_ix, q_iy, p_jx, p_jy, their rates of j): the first two by (34), then (35).
static void upper(double t, const double *y, double *ydot)
{
    (void)t;
    const double stretch = y[2] - y[0];
    ydot[0] = (DJX * y[4] + CJX * stretch - CIX * y[0]) / (DIX + DJX);
    ydot[1] = -CIY / DIY * y[1];
    ydot[2] = y[4];
    ydot[3] = y[5];
    ydot[4] = (-DJX * (y[4] - ydot[0]) - CJX * stretch) / MJ;
    ydot[5] = 0.0;
}

static double upper_deviation(tn_sim *sim, const rig *r, double t, const double *y)
{
    double f[MOST];
    upper(t, y, f);
    const double x = fmax(coordinate(sim, r->joint[IX], UIX, y[0], f[0]),
                          coordinate(sim, r->joint[JX], UJX, y[2] - y[0], f[2] - f[0]));
    return fmax(x, fmax(coordinate(sim, r->joint[IY], UIY, y[1], f[1]),
                        coordinate(sim, r->joint[JY], 0.0, y[3] - y[1], f[3] - f[1])));
}

// The lower one: j keeps its distance from i in x.
static void build_lower(tn_model *model, rig *r)
{
    const tn_vec3 rest = {0, 0, 0};
    const part a = add_body(model, TN_BODY_PLANAR, "a", 0.0, rest);
    const part i = add_body(model, TN_BODY_PLANAR, "i", 0.0, rest);
    const part j = add_body(model, TN_BODY_PLANAR, "j", MJ, tn_v3(VJX, VJY, 0.0));
    r->joint[IX] = join(model, TN_JOINT_PRISMATIC, "ix", ground, a, level(0.0));
    r->joint[IY] = join(model, TN_JOINT_PRISMATIC, "iy", a, i, level(0.5 * PI));
    r->joint[JY] = join(model, TN_JOINT_PRISMATIC, "jy", i, j, level(0.5 * PI));
    hold(model, r->joint[IX], CIX, DIX, UIX);
    hold(model, r->joint[IY], CIY, DIY, UIY);
    r->mass = j.id;
}

// y = (q_ix, q_iy, p_jy, rates of j) by (36) with m_i = 0.
static void lower(double t, const double *y, double *ydot)
{
    (void)t;
    ydot[0] = y[3];
    ydot[1] = -CIY / DIY * y[1];
    ydot[2] = y[4];
    ydot[3] = (-DIX * y[3] - CIX * y[0]) / MJ;
    ydot[4] = 0.0;
}

static double lower_deviation(tn_sim *sim, const rig *r, double t, const double *y)
{
    double f[MOST];
    lower(t, y, f);
    return fmax(coordinate(sim, r->joint[IX], UIX, y[0], f[0]),
                fmax(coordinate(sim, r->joint[IY], UIY, y[1], f[1]),
                     coordinate(sim, r->joint[JY], 0.0, y[2] - y[1], f[2] - f[1])));
}

// Three massless bodies in a row before a mass, on a line: one tension T in all four elements,
//
//   d_k u_k' + c_k u_k = T,   sum of u_k' = v,   m v' = F(t) - T.
static const double CK[4] = {50.0, 20.0, 80.0, 35.0}, DK[4] = {2.0, 4.0, 1.0, 3.0};
static const double UK[4] = {0.1, -0.05, 0.02, 0.08}, MASS = 1.5;

static void build_row(tn_model *model, rig *r)
{
    static const char *const names[] = {"first", "second", "third", "mass"};
    part last = ground;
    for (int k = 0; k < 4; k++) {
        const part next =
            add_body(model, TN_BODY_RIGID, names[k], k == 3 ? MASS : 0.0, tn_v3(0.2, 0.0, 0.0));
        r->joint[k] = join(model, TN_JOINT_PRISMATIC, names[k], last, next, along_x);
        hold(model, r->joint[k], CK[k], DK[k], UK[k]);
        last = next;
    }
    push(model, last.id, "4*sin(6*t)");
    r->mass = last.id;
}

static void row(double t, const double *y, double *ydot)
{
    double give = 0.0, T = y[4];
    for (int k = 0; k < 4; k++) {
        give += 1.0 / DK[k];
        T += CK[k] * y[k] / DK[k];
    }
    T /= give;
    for (int k = 0; k < 4; k++)
        ydot[k] = (T - CK[k] * y[k]) / DK[k];
    ydot[4] = (4.0 * sin(6.0 * t) - T) / MASS;
}

static double row_deviation(tn_sim *sim, const rig *r, double t, const double *y)
{
    double f[MOST], worst = fabs(tn_sim_body_velocity(sim, r->mass).x - y[4]);
    row(t, y, f);
    for (int k = 0; k < 4; k++)
        worst = fmax(worst, coordinate(sim, r->joint[k], UK[k], y[k], f[k]));
    return worst;
}

// A massless leaf that a force moves to and fro, on a mass on a spring.
static void build_leaf(tn_model *model, rig *r)
{
    const part mass = add_body(model, TN_BODY_RIGID, "mass", MASS, tn_v3(0.2, 0.0, 0.0));
    const part leaf = add_body(model, TN_BODY_RIGID, "leaf", 0.0, tn_v3(0.0, 0.0, 0.0));
    r->joint[0] = join(model, TN_JOINT_PRISMATIC, "rail", ground, mass, along_x);
    r->joint[1] = join(model, TN_JOINT_PRISMATIC, "slide", mass, leaf, along_x);
    hold(model, r->joint[0], CK[0], DK[0], UK[0]);
    hold(model, r->joint[1], CK[1], DK[1], UK[1]);
    push(model, leaf.id, "4*sin(6*t)");
    r->mass = mass.id;
}

static void leaf_equations(double t, const double *y, double *ydot)
{
    const double F = 4.0 * sin(6.0 * t);
    ydot[0] = y[2];
    ydot[1] = (F - CK[1] * y[1]) / DK[1];
    ydot[2] = (F - CK[0] * y[0] - DK[0] * y[2]) / MASS;
}

static double leaf_deviation(tn_sim *sim, const rig *r, double t, const double *y)
{
    double f[MOST];
    leaf_equations(t, y, f);
    return fmax(coordinate(sim, r->joint[0], UK[0], y[0], f[0]),
                coordinate(sim, r->joint[1], UK[1], y[1], f[1]));
}

// A pendulum in space on a spring and a damper in series: a tube on a universal joint, a point in
// it behind a spring, and the bob behind a damper, on rods of no mass. With e = x / |x|
//
//   T = k u,   u' = e . v - T / d,   m x'' = m g - T e.
static const double STRUT_K = 60.0, STRUT_D = 8.0, STRUT_U = 0.1, GRAVITY = 9.81;
static const tn_vec3 BOB = {0.6, -0.3, -0.9}, BOB_V = {0.2, 0.5, -0.1};

static void build_strut(tn_model *model, rig *r)
{
    const tn_vec3 z = tn_v3_scale(1.0 / tn_v3_norm(BOB), BOB);
    const tn_vec3 level_x = tn_v3(-z.y, z.x, 0.0);
    const tn_vec3 x = tn_v3_scale(1.0 / tn_v3_norm(level_x), level_x), y = tn_v3_cross(z, x);
    const tn_mat3 R = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -GRAVITY));
    tn_body_def tube = body_def("tube", 0.0, tn_v3(0, 0, 0), (tn_frame){R, {0, 0, 0}});
    tn_body_def mid = body_def("mid", 0.0, tn_v3(0, 0, 0), (tn_frame){R, tn_v3_scale(0.5, BOB)});
    tn_body_def bob = body_def("bob", MASS, tn_v3(0, 0, 0), (tn_frame){R, BOB});
    bob.velocity = BOB_V;
    bob.given_velocity = true;
    const part a = add_part(model, &tube), b = add_part(model, &mid), c = add_part(model, &bob);
    join(model, TN_JOINT_UNIVERSAL, "foot", ground, a, tube.frame);
    r->joint[0] = join(model, TN_JOINT_PRISMATIC, "spring side", a, b, mid.frame);
    r->joint[1] = join(model, TN_JOINT_PRISMATIC, "damper side", b, c, bob.frame);
    hold(model, r->joint[0], STRUT_K, 0.0, STRUT_U);
    hold(model, r->joint[1], 0.0, STRUT_D, 0.0);
    r->mass = c.id;
}

static void strut(double t, const double *y, double *ydot)
{
    (void)t;
    const double l = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]), T = STRUT_K * y[6];
    ydot[6] = (y[0] * y[3] + y[1] * y[4] + y[2] * y[5]) / l - T / STRUT_D;
    for (int i = 0; i < 3; i++) {
        ydot[i] = y[3 + i];
        ydot[3 + i] = -T / MASS * y[i] / l - (i == 2 ? GRAVITY : 0.0);
    }
}

static double strut_deviation(tn_sim *sim, const rig *r, double t, const double *y)
{
    double f[MOST];
    strut(t, y, f);
    const double bob = fmax(distance(tn_sim_body_frame(sim, r->mass).p, tn_v3(y[0], y[1], y[2])),
                            distance(tn_sim_body_velocity(sim, r->mass), tn_v3(y[3], y[4], y[5])));
    return fmax(bob, coordinate(sim, r->joint[0], STRUT_U, y[6], f[6]));
}

// A rod without inertia about its axis a, tilted in the body frame, on a ball in oil: rotational
// damping determines the spin, here none. With u the axis and w the angular velocity
//
//   u' = w x u,   (J + m l^2) w' = m l u x g - c w,   w . u = 0.
static const double ROD_L = 0.7, ROD_J = 0.08, ROD_C = 0.6;
static const tn_vec3 ROD_A = {0.48, 0.6, 0.64}; // of unit length

static tn_mat3 rod_axes(void) // z along a
{
    const tn_vec3 z = ROD_A, level_x = tn_v3(-z.y, z.x, 0.0);
    const tn_vec3 x = tn_v3_scale(1.0 / tn_v3_norm(level_x), level_x), y = tn_v3_cross(z, x);
    return (tn_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

static void build_rod(tn_model *model, rig *r)
{
    tn_body_def def = body_def("rod", MASS, tn_v3(ROD_J, ROD_J, 0.0), tn_frame_identity);
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -GRAVITY));
    def.com = tn_v3_scale(ROD_L, ROD_A);
    def.inertia_axes = rod_axes();
    def.rate = tn_v3_cross(ROD_A, tn_v3(1.0, -2.0, 0.5)); // and more about a, which will not stay
    def.rate = tn_v3_add(def.rate, tn_v3_scale(3.0, ROD_A)); // not stated: it would have to hold
    const part rod = add_part(model, &def);
    join(model, TN_JOINT_SPHERICAL, "ball", ground, rod, tn_frame_identity);
    tn_force_def oil = tn_default_force(TN_FORCE_BUSHING);
    oil.body_a = ground.id;
    oil.body_b = rod.id;
    oil.bushing.rotational_damping = tn_v3(ROD_C, ROD_C, ROD_C);
    tn_model_add_force(model, &oil);
    r->mass = rod.id;
}

static void rod_equations(double t, const double *y, double *ydot)
{
    (void)t;
    const tn_vec3 u = {y[0], y[1], y[2]}, w = {y[3], y[4], y[5]}, turn = tn_v3_cross(w, u);
    const tn_vec3 weight = tn_v3_scale(MASS * ROD_L, tn_v3_cross(u, tn_v3(0.0, 0.0, -GRAVITY)));
    const tn_vec3 bend =
        tn_v3_scale(1.0 / (ROD_J + MASS * ROD_L * ROD_L), tn_v3_sub(weight, tn_v3_scale(ROD_C, w)));
    const double out[6] = {turn.x, turn.y, turn.z, bend.x, bend.y, bend.z};
    memcpy(ydot, out, sizeof out);
}

static double rod_deviation(tn_sim *sim, const rig *r, double t, const double *y)
{
    (void)t;
    const tn_mat3 R = tn_sim_body_frame(sim, r->mass).R;
    const tn_vec3 w = tn_m3_apply(R, tn_sim_body_rate(sim, r->mass));
    return fmax(distance(tn_m3_apply(R, ROD_A), tn_v3(y[0], y[1], y[2])),
                distance(w, tn_v3(y[3], y[4], y[5])));
}

// A massless plate in a loop of four sliders: with carriage A, which has mass, it moves along x,
// with carriage B, which has none, along y. Springs hold the carriages, and a strut from (2, 1) the
// plate, so that both motions belong together:
//
//   m v' = -k x - d v + T e_x,   0 = -k y - d y' + T e_y,
//   T = c (l - l0) + g l',       l' = -e . (v, y')
static const double LOOP_K = 30.0, LOOP_D = 2.0, LOOP_C = 50.0, LOOP_G = 1.5, LOOP_L = 1.5;
static const double LOOP_UX = 0.2, LOOP_UY = -0.1;

static void build_loop(tn_model *model, rig *r)
{
    const part a = add_body(model, TN_BODY_PLANAR, "A", MASS, tn_v3(0.3, 0.0, 0.0));
    const part b = add_body(model, TN_BODY_PLANAR, "B", 0.0, tn_v3(0.0, 0.0, 0.0));
    const part plate = add_body(model, TN_BODY_PLANAR, "plate", 0.0, tn_v3(0.0, 0.0, 0.0));
    r->joint[0] = join(model, TN_JOINT_PRISMATIC, "x", ground, a, level(0.0));
    r->joint[1] = join(model, TN_JOINT_PRISMATIC, "y", ground, b, level(0.5 * PI));
    join(model, TN_JOINT_PRISMATIC, "A to plate", a, plate, level(0.5 * PI));
    join(model, TN_JOINT_PRISMATIC, "B to plate", b, plate, level(0.0));
    hold(model, r->joint[0], LOOP_K, LOOP_D, LOOP_UX);
    hold(model, r->joint[1], LOOP_K, LOOP_D, LOOP_UY);
    tn_force_def f = tn_default_force(TN_FORCE_SPRING);
    f.body_a = ground.id;
    f.body_b = plate.id;
    f.frame_a.p = tn_v3(2.0, 1.0, 0.0);
    f.spring.stiffness = LOOP_C;
    f.spring.damping = LOOP_G;
    f.spring.free = LOOP_L;
    f.spring.free_given = true;
    tn_model_add_force(model, &f);
    r->mass = a.id;
}

// y = (u_x, u_y, v) with the stretch of the springs: the plate is at (u_x - UX, u_y - UY).
static void loop_equations(double t, const double *y, double *ydot)
{
    (void)t;
    const double dx = 2.0 - (y[0] - LOOP_UX), dy = 1.0 - (y[1] - LOOP_UY), l = hypot(dx, dy);
    const double ex = dx / l, ey = dy / l, elastic = LOOP_C * (l - LOOP_L);
    ydot[0] = y[2];
    ydot[1] = (-LOOP_K * y[1] + (elastic - LOOP_G * ex * y[2]) * ey) / (LOOP_D + LOOP_G * ey * ey);
    const double T = elastic - LOOP_G * (ex * y[2] + ey * ydot[1]);
    ydot[2] = (-LOOP_K * y[0] - LOOP_D * y[2] + T * ex) / MASS;
}

static double loop_deviation(tn_sim *sim, const rig *r, double t, const double *y)
{
    double f[MOST];
    loop_equations(t, y, f);
    return fmax(coordinate(sim, r->joint[0], LOOP_UX, y[0], f[0]),
                coordinate(sim, r->joint[1], LOOP_UY, y[1], f[1]));
}

// Start values are those with which the models are built.
static const mechanism mechanisms[] = {
    {"upper", 2, build_upper, 6, upper, {0.3, -0.2, 0.45, -0.2, 0.4, -0.3}, upper_deviation},
    {"lower", 1, build_lower, 5, lower, {0.3, -0.2, -0.2, 0.4, -0.3}, lower_deviation},
    {"row", 3, build_row, 5, row, {0.1, -0.05, 0.02, 0.08, 0.2}, row_deviation},
    {"leaf", 1, build_leaf, 3, leaf_equations, {0.1, -0.05, 0.2}, leaf_deviation},
    {"strut", 1, build_strut, 7, strut, {0.6, -0.3, -0.9, 0.2, 0.5, -0.1, 0.1}, strut_deviation},
    {"rod", 1, build_rod, 6, rod_equations, {0}, rod_deviation},
    {"loop", 1, build_loop, 3, loop_equations, {0.2, -0.1, 0.3}, loop_deviation},
};

static void start_by_hand(const mechanism *m, double *y)
{
    memcpy(y, m->start, sizeof m->start);
    if (m->f != rod_equations)
        return;
    const tn_vec3 w = tn_v3_cross(ROD_A, tn_v3(1.0, -2.0, 0.5));
    const double start[6] = {ROD_A.x, ROD_A.y, ROD_A.z, w.x, w.y, w.z};
    memcpy(y, start, sizeof start);
}

// Deviations at t, by a run that ends there; 0 for the start.
static double deviation_at(const mechanism *m, const tn_sim_options *options, double t,
                           tn_ledger *ledger)
{
    rig r;
    double y[MOST];
    tn_model *model = tn_model_create();
    tn_sim *sim = NULL;
    m->build(model, &r);
    CHECK_OK(tn_model_status(model));
    CHECK_OK(tn_sim_create(model, options, &sim));
    start_by_hand(m, y);
    if (t > 0.0) {
        by_hand(m->f, m->n, t, y);
        CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    }
    const bool is_explicit = strstr(options->method, "dop") || strstr(options->method, "adams");
    if (is_explicit && strstr(options->method, "index1@joint") && tn_sim_nl(sim) == 0)
        CHECK_TEXT(tn_sim_solver(sim), "tree"); // by recursion
    const double worst = m->deviation(sim, &r, t, y);
    if (ledger)
        tn_sim_ledger(sim, ledger);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return worst;
}

static void motions_without_inertia_are_counted(void)
{
    for (int k = 0; k < TN_COUNT(mechanisms); k++) {
        rig r;
        const tn_sim_options options = tn_default_sim();
        tn_model *model = tn_model_create();
        tn_check *check = NULL;
        mechanisms[k].build(model, &r);
        CHECK_OK(tn_check_create(model, &options, &check));
        CHECK(tn_check_massless_count(check) == mechanisms[k].massless);
        for (int i = 0; i < mechanisms[k].massless; i++)
            printf("%-6s %s\n", mechanisms[k].name, tn_check_massless(check, i));
        tn_check_destroy(check);
        tn_model_destroy(model);
    }
}

static void start_velocities_follow_the_forces(void)
{
    for (int k = 0; k < TN_COUNT(mechanisms); k++) {
        const tn_sim_options options = tn_default_sim();
        const double off = deviation_at(&mechanisms[k], &options, 0.0, NULL);
        printf("%-6s %.1e\n", mechanisms[k].name, off);
        CHECK_NEAR(off, 0.0, 1e-12);
    }
}

static bool can(const tn_integrator_ops *integrator, const tn_formulation *formulation)
{
    const bool kkt =
        !strcmp(formulation->name, "index1") || !strcmp(formulation->name, "baumgarte");
    return integrator->needs & (TN_VIEW_STEP | TN_VIEW_RESIDUAL) ||
           (integrator->needs & TN_VIEW_ACCEL && kkt);
}

static void check_run(const mechanism *m, const char *method, bool controlled)
{
    tn_sim_options options = tn_default_sim();
    options.method = method;
    tn_ledger ledger;
    if (controlled) {
        options.rtol = options.atol = 1e-9;
        const double off = deviation_at(m, &options, T_END, &ledger);
        printf("%-6s %-34s %.1e in %ld steps\n", m->name, method, off, ledger.steps);
        CHECK_NEAR(off, 0.0, strstr(method, "index3") ? 1e-4 : 1e-6);
        return;
    }
    options.step = 2e-3;
    const double coarse = deviation_at(m, &options, T_END, &ledger);
    options.step = 1e-3;
    const double fine = deviation_at(m, &options, T_END, &ledger);
    printf("%-6s %-34s %.1e, gain %.2f\n", m->name, method, fine, coarse / fine);
    CHECK_NEAR(fine, 0.0, 1e-3);
    CHECK(coarse / fine > 3.0);
}

static void check_refused(const mechanism *m, const char *method)
{
    tn_sim_options options = tn_default_sim();
    rig r;
    tn_model *model = tn_model_create();
    tn_sim *sim = NULL;
    options.method = method;
    m->build(model, &r);
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_PAIRING);
    CHECK(strstr(tn_last_error(), "needs inertia in every motion") != NULL);
    tn_model_destroy(model);
}

static void every_method_solves_them_or_says_that_it_cannot(void)
{
    for (int c = 0; c < TN_COUNT(coordinate_sets); c++)
        for (int k = 0; k < TN_COUNT(mechanisms); k++)
            for (int i = 0; i < tn_integrator_count; i++)
                for (int f = 0; f < tn_formulation_count; f++) {
                    const tn_integrator_ops *integrator = tn_integrators[i];
                    const tn_formulation *formulation = tn_formulations[f];
                    const bool weight = formulation->baumgarte && !formulation->acceleration;
                    char method[96];
                    if (!tn_pairing_is_legal(integrator, formulation) ||
                        (weight && integrator->controlled))
                        continue;
                    snprintf(method, sizeof method, "%s/%s@%s", integrator->name, formulation->name,
                             coordinate_sets[c]);
                    if (can(integrator, formulation))
                        check_run(&mechanisms[k], method, integrator->controlled);
                    else
                        check_refused(&mechanisms[k], method);
                }
}

// Accelerations -----------------------------------------------------------------------------------

// v' against differences of v along a run by a method of order eight: what time, positions and
// velocities do to the motions without inertia. Differences of second order over 1 ms leave 1e-6 of
// third derivatives of up to a few hundred.
static void check_accelerations(const mechanism *m, const char *method, const char *rotation)
{
    static const double e = 1e-3, t = 0.3;
    double before[64], a[64], worst = 0.0;
    rig r;
    tn_sim_options options = tn_default_sim();
    tn_model *model = tn_model_create();
    tn_sim *sim = NULL;
    options.method = method;
    options.rotation = rotation;
    options.rtol = options.atol = 1e-12;
    m->build(model, &r);
    CHECK_OK(tn_sim_create(model, &options, &sim));
    const int nv = tn_sim_nv(sim);
    CHECK(nv <= 64);
    CHECK_OK(tn_sim_run(sim, t - e, NULL, NULL));
    memcpy(before, tn_sim_v(sim), sizeof(double) * (size_t)nv);
    CHECK_OK(tn_sim_run(sim, t, NULL, NULL));
    memcpy(a, tn_sim_a(sim), sizeof(double) * (size_t)nv);
    CHECK_OK(tn_sim_run(sim, t + e, NULL, NULL));
    for (int i = 0; i < nv; i++)
        worst = fmax(worst, fabs(0.5 / e * (tn_sim_v(sim)[i] - before[i]) - a[i]));
    printf("%-6s %-30s %s %.1e\n", m->name, method, rotation, worst);
    CHECK_NEAR(worst, 0.0, 1e-3);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void accelerations_are_those_of_the_motion(void)
{
    for (int k = 0; k < TN_COUNT(mechanisms); k++) {
        check_accelerations(&mechanisms[k], "dop853/index1+project@absolute", "so3");
        check_accelerations(&mechanisms[k], "dop853/index1+project@absolute", "se3");
        check_accelerations(&mechanisms[k], "dop853/index1+project@joint", "so3");
    }
}

// Reactions depend on the accelerations of bodies with mass alone. The loop, the last one, has a
// redundant row and shares its reactions in other ways in other coordinates.
enum { MOST_JOINTS = 6 };

static int reactions_of(const mechanism *m, const char *method, tn_wrench *out)
{
    rig r;
    tn_sim_options options = tn_default_sim();
    tn_model *model = tn_model_create();
    tn_sim *sim = NULL;
    options.method = method;
    options.rtol = options.atol = 1e-11;
    m->build(model, &r);
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, 0.4, NULL, NULL));
    const int n = tn_model_joint_count(model);
    CHECK(n <= MOST_JOINTS);
    for (int k = 0; k < n; k++)
        out[k] = tn_sim_joint_reaction(sim, (tn_joint){k});
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return n;
}

static void reactions_are_the_same_in_all_coordinates(void)
{
    for (int k = 0; k < TN_COUNT(mechanisms) - 1; k++) {
        tn_wrench a[MOST_JOINTS], b[MOST_JOINTS];
        double off = 0.0, size = 0.0;
        const int n = reactions_of(&mechanisms[k], "dop853/index1@absolute", a);
        CHECK(reactions_of(&mechanisms[k], "radau5/ggl@joint", b) == n);
        for (int i = 0; i < n; i++) {
            off = fmax(off, fmax(distance(a[i].f, b[i].f), distance(a[i].m, b[i].m)));
            size = fmax(size, fmax(largest(a[i].f), largest(a[i].m)));
        }
        printf("%-6s reactions of up to %.3g differ by %.1e\n", mechanisms[k].name, size, off);
        CHECK_NEAR(off, 0.0, 1e-7 * fmax(1.0, size));
    }
}

// [Arn13, eq. 34 to 36] at the end of each step: what is left of the equations.
typedef struct watch {
    const rig *r;
    bool upper;
    double worst;
} watch;

static double rate_of(tn_sim *sim, tn_joint joint, double *q)
{
    double all[3], v[3];
    CHECK(tn_sim_joint_coordinates(sim, joint, all, v) == 1);
    *q = all[0];
    return v[0];
}

static tn_status watch_equations(void *user, tn_sim *sim)
{
    watch *w = user;
    double ix, iy, jx = 0.0;
    const double ixdot = rate_of(sim, w->r->joint[IX], &ix);
    const double iydot = rate_of(sim, w->r->joint[IY], &iy);
    const double jxdot = w->upper ? rate_of(sim, w->r->joint[JX], &jx) : 0.0;
    const double first = -DIX * ixdot - CIX * (ix + UIX);
    const double second = w->upper ? -DJX * jxdot - CJX * (jx + UJX) : 0.0;
    const tn_vec3 a = tn_sim_body_acceleration(sim, w->r->mass);
    const double left[4] = {
        w->upper ? first - second : 0.0,        // (34), first line
        -DIY * iydot - CIY * (iy + UIY),        // (34), second line; (36b) with m_i = 0
        MJ * a.x - (w->upper ? second : first), // (35a); the sum of (36a) and (36c)
        MJ * a.y,                               // (35b), (36d)
    };
    for (int i = 0; i < 4; i++)
        w->worst = fmax(w->worst, fabs(left[i]));
    return TN_OK;
}

// The rates of q_ix and q_iy once more, from the derivatives of (34).
static void check_second_rates(tn_sim *sim, const rig *r, tn_body i)
{
    double q;
    const double ix = rate_of(sim, r->joint[IX], &q), iy = rate_of(sim, r->joint[IY], &q);
    const double jx = rate_of(sim, r->joint[JX], &q);
    const tn_vec3 a = tn_sim_body_acceleration(sim, i);
    const double j = tn_sim_body_acceleration(sim, r->mass).x;
    CHECK_NEAR(a.x, (DJX * j + CJX * jx - CIX * ix) / (DIX + DJX), 1e-10);
    CHECK_NEAR(a.y, -CIY / DIY * iy, 1e-10);
}

static void planar_configurations_satisfy_their_equations(void)
{
    static const char *const methods[] = {"dopri5/index1",      "dop853/index1+project",
                                          "adams/index1",       "dopri5/index1@joint",
                                          "adams/index1@joint", "radau5/ggl",
                                          "radau5/ggl@joint",   "bdf/ggl",
                                          "bdf/ggl@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++)
        for (int m = 0; m < 2; m++) {
            rig r;
            tn_sim_options options = tn_default_sim();
            tn_model *model = tn_model_create();
            tn_sim *sim = NULL;
            options.method = methods[k];
            options.rtol = options.atol = 1e-10;
            mechanisms[m].build(model, &r);
            watch w = {&r, m == 0, 0.0};
            CHECK_OK(tn_sim_create(model, &options, &sim));
            CHECK_OK(watch_equations(&w, sim));
            if (m == 0)
                check_second_rates(sim, &r, (tn_body){2});
            CHECK_NEAR(w.worst, 0.0, 1e-12); // start values
            CHECK_OK(tn_sim_run(sim, T_END, watch_equations, &w));
            if (m == 0 && k < 5)
                check_second_rates(sim, &r, (tn_body){2});
            printf("%-5s %-22s left of (34) to (36): %.1e\n", mechanisms[m].name, methods[k],
                   w.worst);
            // bdf ends a step with the error of its corrector, which is a part of the tolerance.
            CHECK_NEAR(w.worst, 0.0, k < 7 ? 1e-10 : 1e-6);
            tn_sim_destroy(sim);
            tn_model_destroy(model);
        }
}

// Coupled oscillators of [Arn13, section 2.2] -----------------------------------------------------

static tn_model *oscillators(double m1, double d, rig *r)
{
    tn_model *model = tn_model_create();
    const part small = add_body(model, TN_BODY_RIGID, "small", m1, tn_v3(0.0, 0.0, 0.0));
    const part large = add_body(model, TN_BODY_RIGID, "large", 1.0, tn_v3(0.0, 0.0, 0.0));
    r->joint[0] = join(model, TN_JOINT_PRISMATIC, "rail", ground, small, along_x);
    r->joint[1] = join(model, TN_JOINT_PRISMATIC, "slide", small, large, along_x);
    hold(model, r->joint[0], 100.0, d, 0.01);
    hold(model, r->joint[1], 100.0, d, 0.02);
    push(model, small.id, "sin(5*t)");
    r->mass = large.id;
    return model;
}

static long steps_of(double m1, double d, const char *method, double tol, double *x)
{
    rig r;
    tn_ledger ledger;
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    tn_model *model = oscillators(m1, d, &r);
    options.method = method;
    options.rtol = tol;
    options.atol = 0.01 * tol;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK_OK(tn_sim_run(sim, T_END, NULL, NULL));
    tn_sim_ledger(sim, &ledger);
    *x = tn_sim_body_frame(sim, r.mass).p.x;
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return ledger.steps;
}

// [Arn13, Fig. 2]. Damping is so weak that the small mass oscillates at all these ratios.
static void small_masses_cost_steps_and_none_costs_none(void)
{
    const double d = 1e-6;
    double x;
    long last = 0;
    for (int k = 1; k <= 5; k++) {
        const double m1 = pow(10.0, -k);
        const long steps = steps_of(m1, d, "bdf/ggl", 1e-5, &x);
        printf("m1/m2 = %.0e: %ld steps of bdf\n", m1, steps);
        CHECK(steps > 2.5 * (double)last); // frequencies grow by 3.2
        last = steps;
    }
    const long limit = steps_of(0.0, d, "bdf/ggl", 1e-5, &x);
    printf("m1/m2 = 0:     %ld steps of bdf\n", limit);
    CHECK(limit < last / 100);
    // In joint coordinates the transient of the start must not be faster than 1 us.
    const long joint = steps_of(0.0, 1e-4, "bdf/ggl@joint", 1e-5, &x);
    printf("m1/m2 = 0:     %ld steps in joint coordinates, with more damping\n", joint);
    CHECK(joint < last / 100);
}

// With enough damping solutions for small m1 stay near that of m1 = 0 [Arn13, eq. 3].
static void the_limit_is_near_that_of_small_masses(void)
{
    double x0, last = 0.0;
    steps_of(0.0, 5.0, "radau5/ggl", 1e-11, &x0);
    for (int k = 3; k <= 6; k++) {
        double x;
        steps_of(pow(10.0, -k), 5.0, "radau5/ggl", 1e-11, &x);
        printf("m1 = 1e-%d: x2 off by %.3e\n", k, x - x0);
        if (k > 3)
            CHECK_NEAR(last / (x - x0), 10.0, 0.1);
        last = x - x0;
    }
}

// A universal joint of two revolutes and a cross without mass -------------------------------------

// From rest: start velocities are not a matter of what they are made of.
static tn_model *shafts(bool cross_of_parts, tn_body *output)
{
    tn_model *model = tn_model_create();
    const tn_frame middle = {tn_m3_rot_y(0.4), {0, 0, 0}};
    tn_model_set_gravity(model, tn_v3(0.0, 0.0, -GRAVITY));
    const tn_body_def in = body_def("in", 1.0, tn_v3(0.1, 0.2, 0.3), frame_at(0.0, 0.0, 0.5));
    const tn_body_def out = body_def("out", 2.0, tn_v3(0.2, 0.3, 0.1), frame_at(0.0, 0.2, -0.6));
    const part a = add_part(model, &in), b = add_part(model, &out);
    join(model, TN_JOINT_REVOLUTE, "bearing", ground, a, frame_at(0.0, 0.0, 1.0));
    if (cross_of_parts) {
        const tn_body_def cross = body_def("cross", 0.0, tn_v3(0, 0, 0), middle);
        const part c = add_part(model, &cross);
        join(model, TN_JOINT_REVOLUTE, "first", a, c,
             (tn_frame){tn_m3_mul(middle.R, tn_m3_rot_y(0.5 * PI)), {0, 0, 0}}); // about its x
        join(model, TN_JOINT_REVOLUTE, "second", c, b,
             (tn_frame){tn_m3_mul(middle.R, tn_m3_rot_x(-0.5 * PI)), {0, 0, 0}}); // about its y
    } else {
        join(model, TN_JOINT_UNIVERSAL, "universal", a, b, middle);
    }
    *output = b.id;
    return model;
}

static tn_frame shaft_end(const char *method, bool cross_of_parts, tn_vec3 *rate)
{
    tn_body output;
    tn_sim *sim = NULL;
    tn_model *model = shafts(cross_of_parts, &output);
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.rtol = options.atol = 1e-10;
    options.step = strstr(method, "galpha") ? 1e-3 : 0.0;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    CHECK(tn_sim_freedoms(sim) == 3);
    CHECK_OK(tn_sim_run(sim, T_END, NULL, NULL));
    const tn_frame at = tn_sim_body_frame(sim, output);
    *rate = tn_sim_body_rate(sim, output);
    tn_sim_destroy(sim);
    tn_model_destroy(model);
    return at;
}

static void a_massless_cross_makes_a_universal_joint(void)
{
    static const char *const methods[] = {
        "dop853/index1+project",
        "herk5/index2",
        "radau5/ggl",
        "bdf/ggl",
        "galpha/ggl",
        "adams/index1",
        "dopri5/minimal",
        "dopri5/nullspace",
        "dop853/index1@joint",
        "radau5/ggl@joint",
        "bdf/ggl@joint",
        "herk5/index2@joint",
    };
    tn_vec3 rate, expected_rate;
    const tn_frame expected = shaft_end("dop853/index1+project", false, &expected_rate);
    for (int k = 0; k < TN_COUNT(methods); k++) {
        const tn_frame at = shaft_end(methods[k], true, &rate);
        const double off = fmax(distance(at.p, expected.p), distance(rate, expected_rate));
        printf("%-24s off by %.1e\n", methods[k], off);
        CHECK_NEAR(off, 0.0, strstr(methods[k], "galpha") ? 1e-3 : 1e-6);
    }
}

// What turns on the way ---------------------------------------------------------------------------

// A massless slider on a turning arm: the direction without inertia goes round, so that no
// coordinate tells its motion all the way. The slider creeps home as exp(-k t / d).
static void directions_without_inertia_may_turn(void)
{
    static const char *const methods[] = {"dop853/index1",       "radau5/ggl",
                                          "bdf/index2",          "dopri5/index1+project",
                                          "dop853/index1@joint", "radau5/ggl@joint"};
    for (int k = 0; k < TN_COUNT(methods); k++) {
        tn_model *model = tn_model_create();
        tn_sim_options options = tn_default_sim();
        tn_sim *sim = NULL;
        tn_body_def def = body_def("arm", 1.0, tn_v3(1.0, 1.0, 1.0), tn_frame_identity);
        def.kind = TN_BODY_PLANAR;
        def.rate.z = 5.0;
        def.given_rate = true;
        const part arm = add_part(model, &def);
        const part slider = add_body(model, TN_BODY_PLANAR, "slider", 0.0, tn_v3(0.0, 0.0, 0.0));
        join(model, TN_JOINT_REVOLUTE, "pin", ground, arm, tn_frame_identity);
        const tn_joint s = join(model, TN_JOINT_PRISMATIC, "s", arm, slider, level(0.0));
        hold(model, s, 2.0, 4.0, 0.3);
        options.method = methods[k];
        options.rtol = options.atol = 1e-10;
        CHECK_OK(tn_sim_create(model, &options, &sim));
        CHECK_OK(tn_sim_run(sim, 3.0, NULL, NULL)); // more than two turns
        const double u = 0.3 * exp(-0.5 * 3.0), off = coordinate(sim, s, 0.3, u, -0.5 * u);
        printf("%-22s off by %.1e\n", methods[k], off);
        CHECK_NEAR(off, 0.0, 1e-7);
        tn_sim_destroy(sim);
        tn_model_destroy(model);
    }
}

// The damper determines the turn about the axis of the rod; another one that is stated cannot hold.
static void stated_rate_that_forces_determine_is_refused(void)
{
    tn_model *model = tn_model_create();
    rig r = {0};
    build_rod(model, &r);
    model->bodies.at[r.mass.index].def.given_rate = true;
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK_STATUS(tn_check_create(model, &options, &check), TN_ERR_MODEL);
    CHECK(strstr(tn_last_error(), "body 'rod' does not start with the rate that it states"));
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"stated rate that forces determine is refused", stated_rate_that_forces_determine_is_refused},
    {"motions without inertia are counted", motions_without_inertia_are_counted},
    {"start velocities follow the forces", start_velocities_follow_the_forces},
    {"every method solves them or says that it cannot",
     every_method_solves_them_or_says_that_it_cannot},
    {"accelerations are those of the motion", accelerations_are_those_of_the_motion},
    {"reactions are the same in all coordinates", reactions_are_the_same_in_all_coordinates},
    {"planar configurations satisfy their equations",
     planar_configurations_satisfy_their_equations},
    {"small masses cost steps and none costs none", small_masses_cost_steps_and_none_costs_none},
    {"the limit is near that of small masses", the_limit_is_near_that_of_small_masses},
    {"a massless cross makes a universal joint", a_massless_cross_makes_a_universal_joint},
    {"directions without inertia may turn", directions_without_inertia_may_turn},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
