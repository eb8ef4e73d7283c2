// SPDX-License-Identifier: MIT
//
// A four-bar linkage in space with parallel axes against the same linkage in the plane, and its
// reactions against a calculation by hand.
//
// Hand calculation. Bodies crank, coupler and rocker, joints A (ground-crank), B (crank-coupler), C
// (coupler-rocker) and D (ground-rocker), all axes along z. 4 x 5 = 20 rows meet 3 x 6 = 18
// velocity coordinates; the loop moves in its plane with one freedom, so the rank is 17 and three
// rows are redundant. Which ones follows from the states of self-stress, G^T lambda = 0: a wrench
// that is handed on from joint to joint around the loop without meeting a load. The in-plane part
// (f_x, f_y, m_z) cannot do that: a pin transmits no m_z, so its line of action would have to pass
// through all four pins. The other part (f_z, m_x, m_y) can, with any values: three states, each
// with entries in the rows z, "tilt about y", "tilt about x" of all four joints. Hence
//
//   rows x, y           unique, equal to those of the planar linkage
//   rows z, tilt, tilt  not unique; of the many values those of minimum norm, which are the ones at
//                       right angles to the three states of self-stress
//
// What equilibrium does fix stays fixed whatever the choice: with gravity g_z across the plane
//
//   f_z(A) + f_z(D) + m g_z = 0,    moments of f_z, m_x and m_y about x and y likewise,
//
// and for every single body Newton's and Euler's equations hold with the reactions as reported.

#include "model/units.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>

enum { X, Y, Z, TILT_Y, TILT_X, ROWS }; // rows of a revolute joint
enum { JOINTS = 4, BODIES = 3, STATES = 3 };

static const char *const joint_names[JOINTS] = {"A", "B", "C", "D"};
static const char *const body_names[BODIES] = {"crank", "coupler", "rocker"};
static const int joint_bodies[JOINTS][2] = {{-1, 0}, {0, 1}, {1, 2}, {-1, 2}}; // A and B side
static const double ACROSS = -3.0; // gravity across the plane [m/s^2]

typedef struct linkage {
    tn_model *model;
    tn_sim *sim;
} linkage;

static linkage open_linkage(const char *path, const char *method, const char *rotation, double h)
{
    linkage k = {0};
    tn_sim_options options = tn_default_sim();
    options.method = method;
    options.rotation = rotation;
    options.step = h;
    options.jacobian_every = 1; // keeps the tolerance of the corrector out of the comparison
    CHECK_OK(tn_model_load(tn_test_path(path), &k.model, NULL));
    // The linkage lies on a slope: part of its weight acts across the plane of motion.
    tn_model_set_gravity(k.model, (tn_vec3){0.0, -9.81, ACROSS});
    CHECK_OK(tn_sim_create(k.model, &options, &k.sim));
    return k;
}

static void close_linkage(linkage *k)
{
    tn_sim_destroy(k->sim);
    tn_model_destroy(k->model);
}

static tn_joint joint(const linkage *k, int i)
{
    return tn_model_find_joint(k->model, joint_names[i]);
}

static tn_body body(const linkage *k, int i)
{
    return tn_model_find_body(k->model, body_names[i]);
}

static double crank_angle(const linkage *k)
{
    double angle, rate;
    tn_sim_joint_coordinates(k->sim, joint(k, 0), &angle, &rate);
    return angle;
}

static void three_redundant_rows_are_named(void)
{
    linkage k = open_linkage("models/fourbar_spatial.yaml", "galpha/ggl", "so3", 1e-3);
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK_OK(tn_check_create(k.model, &options, &check));
    CHECK(tn_check_coordinates(check) == 18);
    CHECK(tn_check_rows(check) == 20);
    CHECK(tn_check_rank(check) == 17);
    CHECK(tn_check_freedoms(check) == 1);
    CHECK(tn_check_redundant_count(check) == 3);
    for (int i = 0; i < tn_check_redundant_count(check); i++) {
        const tn_redundant r = tn_check_redundant(check, i);
        printf("redundant: joint %s, row %s; repeats", tn_model_joint_name(k.model, r.joint),
               r.row_name);
        CHECK(r.row >= Z);
        CHECK_TEXT(r.row_name,
                   ((const char *[]){"x", "y", "z", "tilt about y", "tilt about x"})[r.row]);
        for (int j = 0; j < r.nrepeats; j++)
            printf(" %s", tn_model_joint_name(k.model, r.repeats[j]));
        printf("\n");
        CHECK(r.nrepeats >= 3); // a loop: it takes the other joints to say it
    }
    for (int i = 0; i < JOINTS; i++)
        for (int row = 0; row < ROWS; row++)
            CHECK(tn_check_unique(check, joint(&k, i), row) == (row <= Y));
    tn_check_destroy(check);
    close_linkage(&k);
}

static void planar_linkage_has_no_redundant_row(void)
{
    linkage k = open_linkage("models/fourbar.yaml", "galpha/ggl", "so3", 1e-3);
    const tn_sim_options options = tn_default_sim();
    tn_check *check = NULL;
    CHECK_OK(tn_check_create(k.model, &options, &check));
    CHECK(tn_check_coordinates(check) == 9);
    CHECK(tn_check_rows(check) == 8);
    CHECK(tn_check_rank(check) == 8);
    CHECK(tn_check_redundant_count(check) == 0);
    tn_check_destroy(check);
    close_linkage(&k);
}

// Largest difference of positions, velocities and in-plane forces, each relative to its size.
typedef struct differences {
    double position, velocity, angle, force;
} differences;

static void compare(const linkage *a, const linkage *b, differences *most)
{
    for (int i = 0; i < BODIES; i++) {
        const tn_vec3 p = tn_v3_sub(tn_sim_body_frame(a->sim, body(a, i)).p,
                                    tn_sim_body_frame(b->sim, body(b, i)).p);
        const tn_vec3 v = tn_v3_sub(tn_sim_body_velocity(a->sim, body(a, i)),
                                    tn_sim_body_velocity(b->sim, body(b, i)));
        most->position = fmax(most->position, tn_v3_norm(p));
        most->velocity = fmax(most->velocity, tn_v3_norm(v));
    }
    for (int i = 0; i < JOINTS; i++) {
        const tn_vec3 f = tn_sim_joint_reaction(a->sim, joint(a, i)).f;
        const tn_vec3 g = tn_sim_joint_reaction(b->sim, joint(b, i)).f;
        most->force = fmax(most->force, hypot(f.x - g.x, f.y - g.y) / (1.0 + hypot(g.x, g.y)));
    }
    most->angle = fmax(most->angle, fabs(crank_angle(a) - crank_angle(b)));
}

static differences race(const char *method, const char *rotation, double h, double t_end)
{
    linkage space = open_linkage("models/fourbar_spatial.yaml", method, rotation, h);
    linkage plane = open_linkage("models/fourbar.yaml", method, rotation, h);
    differences most = {0};
    const int n = (int)lround(t_end / h);
    for (int k = 1; k <= n; k++) {
        CHECK_OK(tn_sim_step(space.sim, h));
        CHECK_OK(tn_sim_step(plane.sim, h));
        compare(&space, &plane, &most);
    }
    tn_ledger l;
    tn_sim_ledger(space.sim, &l);
    printf("%-13s %s  h = %g: %.1f turns, differences: position %.1e  velocity %.1e  angle %.1e  "
           "force %.1e; max|g| %.1e\n",
           method, rotation, h, crank_angle(&plane) / 6.283185307179586, most.position,
           most.velocity, most.angle, most.force, l.max_g);
    close_linkage(&space);
    close_linkage(&plane);
    return most;
}

// In so3 both linkages take the same steps, x, y and angle, so that only round-off tells them
// apart; ten turns at 13 rad/s. The forces of index3 follow from second differences of positions.
static void motion_is_that_of_the_planar_linkage(void)
{
    const double SAME = 1e-9, SAME_FORCE = 1e-9, SECOND_DIFFERENCE = 1e-5;
    const char *const methods[] = {"galpha/ggl", "galpha/index3", "hht/ggl", "galpha/ggl@joint"};
    for (int i = 0; i < TN_COUNT(methods); i++) {
        const differences d = race(methods[i], "so3", 1e-3, 5.0);
        CHECK_NEAR(d.position, 0.0, SAME);
        CHECK_NEAR(d.velocity, 0.0, SAME);
        CHECK_NEAR(d.angle, 0.0, SAME);
        CHECK_NEAR(d.force, 0.0, i == 1 ? SECOND_DIFFERENCE : SAME_FORCE);
    }
}

// In se3 a step follows a screw instead: another method of second order.
static void se3_converges_to_the_same_motion(void)
{
    const differences coarse = race("galpha/ggl", "se3", 2e-3, 2.0);
    const differences fine = race("galpha/ggl", "se3", 1e-3, 2.0);
    CHECK_NEAR(log2(coarse.position / fine.position), 2.0, 0.1);
    CHECK_NEAR(log2(coarse.force / fine.force), 2.0, 0.1);
}

// Reactions ---------------------------------------------------------------------------------------

static const double ROUNDOFF = 1e-11; // forces of 100 N, moments of 10 N m, sums of a dozen terms

static tn_vec3 place_of(const linkage *k, int j)
{
    // Each joint frame lies at an end of the rod that is its body B; the start configuration tells.
    static const double start[JOINTS][2] = {{0, 0}, {0, 0.3}, {0.8, 0.7}, {1, 0}};
    static const double middle[BODIES][2] = {{0, 0.15}, {0.4, 0.5}, {0.9, 0.35}};
    const int b = joint_bodies[j][1];
    const tn_frame now = tn_sim_body_frame(k->sim, body(k, b));
    const double angle[BODIES] = {atan2(0.3, 0.0), atan2(0.4, 0.8), atan2(0.7, -0.2)};
    const tn_vec3 arm = {start[j][0] - middle[b][0], start[j][1] - middle[b][1], 0.0};
    return tn_frame_point(now, tn_m3_apply(tn_m3_rot_z(-angle[b]), arm));
}

// Newton and Euler for one body: m (a - g) = sum of forces, J w' = sum of moments about the centre
// of mass; the rods turn about z only, which is a principal axis.
static void check_body(const linkage *k, int b)
{
    static const double length[BODIES] = {0.3, 0.8944271909999159, 0.7280109889280518};
    const double m = 2.0 * length[b], J = 2.0 * length[b] * length[b] * length[b] / 12.0;
    const tn_vec3 centre = tn_sim_body_frame(k->sim, body(k, b)).p;
    tn_vec3 f = tn_v3_scale(
        -m, tn_v3_sub(tn_sim_body_acceleration(k->sim, body(k, b)), (tn_vec3){0.0, -9.81, ACROSS}));
    tn_vec3 moment = {0.0, 0.0, -J * tn_sim_body_rate_dot(k->sim, body(k, b)).z};
    for (int j = 0; j < JOINTS; j++)
        for (int side = 0; side < 2; side++) {
            if (joint_bodies[j][side] != b)
                continue;
            const tn_wrench w = tn_sim_joint_reaction(k->sim, joint(k, j));
            const double sign = side == 1 ? 1.0 : -1.0; // on body B, and back on body A
            const tn_vec3 arm = tn_v3_sub(place_of(k, j), centre);
            f = tn_v3_axpy(sign, w.f, f);
            moment = tn_v3_axpy(sign, tn_v3_add(w.m, tn_v3_cross(arm, w.f)), moment);
        }
    CHECK_NEAR(tn_v3_norm(f), 0.0, ROUNDOFF);
    CHECK_NEAR(tn_v3_norm(moment), 0.0, ROUNDOFF);
}

// The ground carries the weight across the plane, wherever the centre of mass is.
static void check_ground(const linkage *k)
{
    static const double mass[BODIES] = {0.6, 1.7888543819998317, 1.4560219778561037};
    tn_vec3 f = {0}, moment = {0};
    for (int j = 0; j < JOINTS; j += 3) { // A and D
        const tn_wrench w = tn_sim_joint_reaction(k->sim, joint(k, j));
        f = tn_v3_add(f, w.f);
        moment = tn_v3_add(moment, tn_v3_add(w.m, tn_v3_cross(place_of(k, j), w.f)));
    }
    for (int b = 0; b < BODIES; b++) {
        const tn_vec3 weight = {0.0, 0.0, mass[b] * ACROSS};
        f = tn_v3_add(f, weight);
        moment = tn_v3_add(moment, tn_v3_cross(tn_sim_body_frame(k->sim, body(k, b)).p, weight));
    }
    CHECK_NEAR(f.z, 0.0, ROUNDOFF);
    CHECK_NEAR(moment.x, 0.0, ROUNDOFF);
    CHECK_NEAR(moment.y, 0.0, ROUNDOFF);
}

// The rows of a joint that hand on the wrench (f_z, m_x, m_y) about the origin, from the ground
// over crank, coupler and rocker back to the ground, which is body A of joint D. With the rows z_B
// - z_A, x_A . z_B and y_A . z_B the force on body B is -lambda e_z and the moments are -lambda y_A
// and +lambda x_A; all joint frames are parallel to the inertial axes at the start.
static void self_stress(const linkage *k, int j, int state, double row[ROWS])
{
    const tn_vec3 p = place_of(k, j);
    const double on = j == 3 ? -1.0 : 1.0;
    const double fz = on * (state == 0), mx = on * (state == 1), my = on * (state == 2);
    const tn_vec3 m = {mx - p.y * fz, my + p.x * fz, 0.0}; // about the joint
    const int a = joint_bodies[j][0];
    double turn = 0.0;
    if (a >= 0) {
        const double angle[BODIES] = {atan2(0.3, 0.0), atan2(0.4, 0.8), atan2(0.7, -0.2)};
        const tn_mat3 R = tn_sim_body_frame(k->sim, body(k, a)).R;
        turn = atan2(R.m[1][0], R.m[0][0]) - angle[a];
    }
    row[X] = row[Y] = 0.0;
    row[Z] = -fz;
    row[TILT_Y] = -(-sin(turn) * m.x + cos(turn) * m.y);
    row[TILT_X] = cos(turn) * m.x + sin(turn) * m.y;
}

// A force counts times the unit of length in which the mechanism is computed, so that the norm does
// not depend on units.
static void check_minimum_norm(const linkage *k, double *least)
{
    const double length = tn_model_units(k->model).length;
    for (int state = 0; state < STATES; state++) {
        double along = 0.0, size = 0.0;
        for (int j = 0; j < JOINTS; j++) {
            double lambda[6], row[ROWS];
            bool unique[6];
            CHECK(tn_sim_joint_multipliers(k->sim, joint(k, j), lambda, unique) == ROWS);
            self_stress(k, j, state, row);
            for (int i = 0; i < ROWS; i++) {
                const double unit = i <= Z ? length : 1.0;
                along += row[i] * lambda[i] * unit * unit;
                size += fabs(row[i] * lambda[i]);
                CHECK(unique[i] == (i <= Y));
            }
        }
        CHECK_NEAR(along, 0.0, ROUNDOFF);
        *least = fmin(*least, size);
    }
}

static void check_reactions(const char *method)
{
    linkage k = open_linkage("models/fourbar_spatial.yaml", method, "so3", 1e-3);
    double least = INFINITY; // the sums that must vanish are not sums of zeros
    for (int i = 0; i <= 400; i++) {
        if (i > 0)
            CHECK_OK(tn_sim_step(k.sim, 1e-3));
        for (int b = 0; b < BODIES; b++)
            check_body(&k, b);
        check_ground(&k);
        check_minimum_norm(&k, &least);
    }
    printf("least sum of absolute terms %.2f N\n", least);
    CHECK(least > 0.1);
    close_linkage(&k);
}

static void reactions_agree_with_the_hand_calculation(void)
{
    check_reactions("galpha/ggl");
}

static void reactions_in_joint_coordinates_agree_with_it(void)
{
    check_reactions("galpha/ggl@joint");
}

static const tn_test tests[] = {
    {"three redundant rows are named", three_redundant_rows_are_named},
    {"planar linkage has no redundant row", planar_linkage_has_no_redundant_row},
    {"motion is that of the planar linkage", motion_is_that_of_the_planar_linkage},
    {"se3 converges to the same motion", se3_converges_to_the_same_motion},
    {"reactions agree with the hand calculation", reactions_agree_with_the_hand_calculation},
    {"reactions in joint coordinates agree with it", reactions_in_joint_coordinates_agree_with_it},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
