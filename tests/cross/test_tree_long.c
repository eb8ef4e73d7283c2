// SPDX-License-Identifier: MIT
//
// What counts as no inertia in the regular recursions: long straight chains, in which the inertia
// of a joint is a tiny part of the one across it, are as good as short ones, and freedoms whose
// inertia is round-off altogether are none.

#include "test.h"

#include "linalg/dense.h"
#include "tree/tree.h"

enum { LINKS = 100000 };

// Relative to the largest number; moments of the whole chain about its end lose digits as they are
// sums of 10^5 forces at 10^5 m.
static const double ROUNDOFF = 1e-11;

// N rods of 1 m along x, straight, of 1 kg.
static tn_model *straight(int n, tn_body_kind body, tn_joint_kind joint)
{
    tn_model *model = tn_model_create();
    tn_model_set_gravity(model, (tn_vec3){-4.0, -9.0, 0.0}); // aslant to the chain
    for (int k = 0; k < n; k++) {
        tn_body_def rod = tn_default_body();
        rod.kind = body;
        rod.mass = 1.0;
        rod.inertia = (tn_vec3){0.01, 1.0 / 12.0, 1.0 / 12.0};
        rod.frame.p = (tn_vec3){k + 0.5, 0.0, 0.0};
        tn_joint_def pin = tn_default_joint(joint);
        pin.body_a.index = k;
        pin.body_b = tn_model_add_body(model, &rod);
        pin.frame_a.p = (tn_vec3){k > 0 ? 0.5 : 0.0, 0.0, 0.0};
        pin.frame_b.p = (tn_vec3){-0.5, 0.0, 0.0};
        tn_model_add_joint(model, &pin);
    }
    return model;
}

// v' of the chain at rest and what the residual formalism leaves of it, by the largest force.
static double *accelerations(tn_model *model, double *left)
{
    tn_tree *tree = NULL;
    CHECK_OK(tn_model_status(model));
    CHECK_OK(tn_tree_create(model, &tree));
    double *a = calloc((size_t)tree->nv, sizeof *a), *r = calloc((size_t)tree->nv, sizeof *r);
    double *q = calloc((size_t)tree->nq, sizeof *q);
    for (int k = 0; k < tree->ngroup; k++) // none turned
        if (tree->groups[k].kind != TN_GROUP_R)
            q[tree->groups[k].q0] = 1.0;
    tn_tree_move(tree, q, NULL);
    CHECK_OK(tn_tree_accelerate(tree, NULL, a, NULL));
    tn_tree_residual(tree, NULL, NULL, r);
    const double size = tn_norm_inf(tree->nv, r);
    tn_tree_residual(tree, NULL, a, r);
    *left = tn_norm_inf(tree->nv, r) / size;
    tn_tree_destroy(tree);
    tn_model_destroy(model);
    free(q);
    free(r);
    return a;
}

static void long_chains_in_space_are_those_of_the_plane(void)
{
    double left[2];
    double *plane = accelerations(straight(LINKS, TN_BODY_PLANAR, TN_JOINT_REVOLUTE), &left[0]);
    double *space = accelerations(straight(LINKS, TN_BODY_RIGID, TN_JOINT_REVOLUTE), &left[1]);
    const double size = tn_norm_inf(LINKS, plane);
    CHECK(size > 1.0);
    CHECK(left[0] < ROUNDOFF && left[1] < ROUNDOFF);
    for (int i = 0; i < LINKS; i++)
        CHECK_NEAR(space[i], plane[i], ROUNDOFF * size);
    free(plane);
    free(space);
}

static void long_chains_of_other_joints_move(void)
{
    static const tn_joint_kind kinds[] = {TN_JOINT_UNIVERSAL, TN_JOINT_SPHERICAL,
                                          TN_JOINT_CYLINDRICAL};
    for (int k = 0; k < TN_COUNT(kinds); k++) {
        tn_model *model = straight(LINKS, TN_BODY_RIGID, kinds[k]);
        double left;
        tn_model_set_gravity(model, (tn_vec3){-4.0, -7.0, -6.0});
        free(accelerations(model, &left));
        CHECK(left < ROUNDOFF);
    }
}

// A body on a ball, on nothing, on a ball at the same place: the inner ball turns nothing, and what
// elimination leaves of the moments of inertia is round-off in all directions.
static void what_is_round_off_altogether_is_no_inertia(void)
{
    tn_model *model = tn_model_create();
    tn_body_def body = tn_default_body();
    body.mass = 1.3;
    body.inertia = (tn_vec3){0.31, 0.47, 0.53};
    tn_body_def nothing = tn_default_body();
    nothing.mass = 0.0;
    nothing.inertia = (tn_vec3){0.0, 0.0, 0.0};
    tn_joint_def ball = tn_default_joint(TN_JOINT_SPHERICAL);
    ball.body_a = TN_GROUND;
    ball.body_b = tn_model_add_body(model, &nothing);
    ball.name = "inner";
    tn_model_add_joint(model, &ball);
    ball.body_a = ball.body_b;
    ball.body_b = tn_model_add_body(model, &body);
    ball.frame_b.p = (tn_vec3){0.1, 0.7, -0.3};
    ball.name = "outer";
    tn_model_add_joint(model, &ball);

    tn_tree *tree = NULL;
    double a[6];
    CHECK_OK(tn_model_status(model));
    CHECK_OK(tn_tree_create(model, &tree));
    for (int i = 0; i < 100; i++) { // round-off has either sign
        double q[8];
        for (int k = 0; k < 8; k++)
            q[k] = tn_random();
        for (int k = 0; k < 8; k += 4)
            tn_quat_to(tn_quat_normalize(tn_quat_from(q + k)), q + k);
        tn_tree_move(tree, q, NULL);
        int singular = 0;
        CHECK(tn_tree_accelerate(tree, NULL, a, &singular) == TN_RETRY_SINGULAR);
        CHECK(singular == 1);
    }
    tn_tree_destroy(tree);
    tn_model_destroy(model);
}

static const tn_test tests[] = {
    {"long chains in space are those of the plane", long_chains_in_space_are_those_of_the_plane},
    {"long chains of other joints move", long_chains_of_other_joints_move},
    {"what is round-off altogether is no inertia", what_is_round_off_altogether_is_no_inertia},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
