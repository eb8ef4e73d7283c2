// SPDX-License-Identifier: MIT
//
// Accelerations, generalised forces and mass matrices of trees as published in the tests of other
// programs: RBDL, tests/DynamicsTests.cc, and Pinocchio, unittest/joint-spherical.cpp and, for a
// walking robot, unittest/value.cpp.

#include "test.h"

#include "humanoid_data.h"
#include "lie/so3.h"
#include "tree/tree.h"

static const double DIGITS = 2e-14; // the numbers have 15 digits

// A body on a revolute joint, its frame parallel to that of the body below at zero.
static tn_body add_on_axis(tn_model *model, tn_body below, tn_vec3 at, char axis,
                           const tn_body_def *body)
{
    const tn_mat3 turn[] = {{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}, // z of the joint along x, y, z
                            {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}},
                            {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    tn_joint_def joint = tn_default_joint(TN_JOINT_REVOLUTE);
    joint.body_a = below;
    joint.body_b = tn_model_add_body(model, body);
    joint.frame_a = (tn_frame){turn[axis - 'x'], at};
    joint.frame_b = (tn_frame){turn[axis - 'x'], {0, 0, 0}};
    tn_model_add_joint(model, &joint);
    return joint.body_b;
}

// A body of 1 kg with unit moments about its centre of mass, or of neither.
static tn_body add_body(tn_model *model, tn_body below, tn_vec3 at, char axis, tn_vec3 com,
                        double mass)
{
    tn_body_def body = tn_default_body();
    body.mass = mass;
    body.inertia = tn_v3(mass, mass, mass);
    body.com = com;
    return add_on_axis(model, below, at, axis, &body);
}

// Accelerations from rest at q = 0 without forces, in the order of the bodies.
static void check_accelerations(tn_model *model, int n, const double *expected)
{
    tn_tree *t;
    double q[8] = {0}, a[8], r[8];
    CHECK_OK(tn_tree_create(model, &t));
    CHECK(t->nv == n);
    tn_tree_move(t, q, q);
    CHECK_OK(tn_tree_accelerate(t, NULL, a, NULL));
    tn_tree_residual(t, NULL, a, r);
    for (int k = 1; k <= n; k++) {
        const int v = t->body[t->place[k]].v0;
        CHECK_NEAR(a[v], expected[k - 1], DIGITS);
        CHECK_NEAR(r[v], 0.0, DIGITS);
    }
    tn_tree_destroy(t);
    tn_model_destroy(model);
}

static void triple_chain_accelerates_as_in_rbdl(void)
{
    static const double expected[] = {-6.03692307692308, 3.77307692307692, 1.50923076923077};
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0, -9.81, 0));
    tn_body last = TN_GROUND;
    for (int k = 0; k < 3; k++)
        last = add_body(model, last, tn_v3(k > 0, 0, 0), 'z', tn_v3(1, 0, 0), 1.0);
    check_accelerations(model, 3, expected);
}

static void branched_tree_accelerates_as_in_rbdl(void)
{
    static const double expected[] = {-1.60319066147860, -0.534396887159533, 4.10340466926070,
                                      0.267198443579767, 5.30579766536965};
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3(0, -9.81, 0));
    const tn_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const tn_body a = add_body(model, TN_GROUND, tn_v3(0, 0, 0), 'z', x, 1.0);
    const tn_body b1 = add_body(model, a, tn_v3(1, 0, 0), 'y', y, 1.0);
    add_body(model, b1, tn_v3(0, 1, 0), 'x', z, 1.0);
    const tn_body b2 = add_body(model, a, tn_v3(-0.5, 0, 0), 'y', y, 1.0);
    add_body(model, b2, tn_v3(0, -0.5, 0), 'x', z, 1.0);
    check_accelerations(model, 5, expected);
}

// R = Rz(q0) Ry(q1) Rx(q2) as three axes with nothing between them; the middle bodies are massless,
// which the inertia behind them carries.
static void turning_about_three_axes_takes_the_forces_of_pinocchio(void)
{
    static const struct {
        double q[3], tau[3], M00;
    } expected[] = {
        {{1, 1, 1}, {-0.53611600195085, -0.74621832606188, -0.38177329067604}, 1.0729816454316},
        {{3, 2, 1}, {0.73934458094049, 2.7804530848031, 0.50684940972146}, 1.043294547392},
    };
    static const double one[3] = {1, 1, 1};
    tn_model *model = tn_model_create();
    tn_tree *t;
    const tn_vec3 none = {0, 0, 0};
    tn_model_set_gravity(model, tn_v3(0, 0, -9.81));
    const tn_body a = add_body(model, TN_GROUND, none, 'z', none, 0.0);
    const tn_body b = add_body(model, a, none, 'y', none, 0.0);
    add_body(model, b, none, 'x', tn_v3(0.5, 0, 0), 1.0);
    CHECK_OK(tn_tree_create(model, &t));
    for (int k = 0; k < TN_COUNT(expected); k++) {
        double tau[3], M[9], a1[3];
        tn_tree_move(t, expected[k].q, one);
        tn_tree_residual(t, NULL, one, tau);
        tn_tree_mass(t, M);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(tau[i], expected[k].tau[i], 1e-13); // fourteen digits
        CHECK_NEAR(M[0], expected[k].M00, 1e-12);          // twelve or thirteen
        CHECK_OK(tn_tree_accelerate(t, tau, a1, NULL));
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(a1[i], 1.0, 1e-13);
    }
    tn_tree_destroy(t);
    tn_model_destroy(model);
}

// The robot, with gravity along the given axis downwards.
static tn_model *humanoid_model(tn_vec3 down)
{
    tn_body id[HUMANOID_BODIES];
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, tn_v3_scale(9.8, down));
    for (int k = 0; k < HUMANOID_BODIES; k++) {
        const humanoid_body *b = &humanoid[k];
        tn_body_def body = tn_default_body();
        body.name = b->name;
        body.mass = b->mass;
        body.com = b->com;
        body.inertia = tn_v3(1, 1, 1);
        id[k] = b->below < 0 ? tn_model_add_body(model, &body)
                             : add_on_axis(model, id[b->below], b->at, b->axis, &body);
    }
    return model;
}

// The forces of a state in the order of the table, where the waist stands at the frame `waist` and
// moves with a constant velocity. The waist of the tree is its centre of mass with a force in
// inertial axes and a moment in its own; the table has both in its own, at the origin.
static void humanoid_forces(const humanoid_state *state, tn_frame waist, tn_vec3 velocity,
                            double *tau)
{
    tn_model *model = humanoid_model(tn_m3_apply(waist.R, tn_v3(0, 0, -1)));
    tn_tree *t;
    double q[HUMANOID_NV + 1], v[HUMANOID_NV] = {0}, a[HUMANOID_NV] = {0};
    double r[HUMANOID_NV], back[HUMANOID_NV];
    CHECK_OK(tn_tree_create(model, &t));
    CHECK(t->nv == HUMANOID_NV);
    const tn_tree_body *base = &t->body[t->place[1]];
    CHECK(base->joint == -1 && base->nq == 7);
    tn_v3_to(tn_frame_point(waist, humanoid[0].com), q + base->q0);
    tn_quat_to(tn_quat_from_matrix(waist.R), q + base->q0 + 3);
    tn_v3_to(velocity, v + base->v0);
    for (int k = 6; k < HUMANOID_NV; k++) {
        const tn_tree_body *b = &t->body[t->place[k - 4]];
        q[b->q0] = k * state->q;
        v[b->v0] = k * state->v;
        a[b->v0] = k * state->a;
    }
    tn_tree_move(t, q, v);
    tn_tree_residual(t, NULL, a, r);
    const tn_vec3 f = tn_m3_apply_t(waist.R, tn_v3_from(r + base->v0));
    tn_v3_to(f, tau);
    tn_v3_to(tn_v3_add(tn_v3_from(r + base->v0 + 3), tn_v3_cross(humanoid[0].com, f)), tau + 3);
    for (int k = 6; k < HUMANOID_NV; k++)
        tau[k] = r[t->body[t->place[k - 4]].v0];
    CHECK_OK(tn_tree_accelerate(t, r, back, NULL));
    for (int i = 0; i < HUMANOID_NV; i++)
        CHECK_NEAR(back[i], a[i], 1e-12); // forces of 1e3 on inertias of one
    tn_tree_destroy(t);
    tn_model_destroy(model);
}

// Ten digits are printed; sums of weights of 1e3 N have round-off of 1e-12.
static void check_humanoid(tn_frame waist, tn_vec3 velocity)
{
    for (int s = 0; s < TN_COUNT(humanoid_states); s++) {
        double tau[HUMANOID_NV];
        humanoid_forces(&humanoid_states[s], waist, velocity, tau);
        for (int k = 0; k < HUMANOID_NV; k++) {
            const double expected = humanoid_tau[s][k / 5][k % 5];
            CHECK_NEAR(tau[k], expected, 5e-10 * fabs(expected) + 1e-11);
        }
    }
}

static void humanoid_takes_the_forces_of_pinocchio(void)
{
    check_humanoid(tn_frame_identity, tn_v3(0, 0, 0));
}

static void humanoid_takes_them_in_any_pose_that_gravity_follows(void)
{
    const tn_frame waist = {tn_so3_exp(tn_v3(1.1, -0.7, 2.0)), {3.0, -2.0, 5.0}};
    check_humanoid(waist, tn_v3(0.4, 0.9, -1.3));
}

static const tn_test tests[] = {
    {"triple chain accelerates as in rbdl", triple_chain_accelerates_as_in_rbdl},
    {"branched tree accelerates as in rbdl", branched_tree_accelerates_as_in_rbdl},
    {"turning about three axes takes the forces of pinocchio",
     turning_about_three_axes_takes_the_forces_of_pinocchio},
    {"humanoid takes the forces of pinocchio", humanoid_takes_the_forces_of_pinocchio},
    {"humanoid takes them in any pose that gravity follows",
     humanoid_takes_them_in_any_pose_that_gravity_follows},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
