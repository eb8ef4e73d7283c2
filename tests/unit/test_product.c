// SPDX-License-Identifier: MIT
//
// The product group: increment and difference undo each other, factors do not touch each other's
// slices, and the tangent is the derivative of the increment.

#include "test.h"

#include "lie/product.h"
#include "lie/se3.h"
#include "lie/so3.h"

static const double ROUNDOFF = 2e-14; // a few dozen operations on numbers up to ten

// Slices in another order than the factors, with gaps: q[9], q[17] and v[8], v[15] are nobody's.
static const tn_group groups[] = {
    {TN_GROUP_R, 10, 7, 0, 7}, {TN_GROUP_SO3, 2, 7, 9, 6}, {TN_GROUP_SE3, 18, 7, 16, 6},
    {TN_GROUP_R, 0, 2, 22, 2}, {TN_GROUP_R, 25, 1, 7, 1},  {TN_GROUP_ROTATION, 26, 4, 24, 3},
};
enum { NQ = 30, NV = 27, GROUPS = sizeof(groups) / sizeof(groups[0]) };

static void random_q(double q[NQ])
{
    for (int i = 0; i < NQ; i++)
        q[i] = 5.0 * tn_random();
    for (int k = 0; k < GROUPS; k++) {
        double *e = q + groups[k].q0 + tn_group_turn(&groups[k]);
        if (groups[k].kind != TN_GROUP_R)
            tn_quat_to(tn_quat_normalize(tn_quat_from(e)), e);
    }
}

static void random_x(double size, double x[NV])
{
    for (int i = 0; i < NV; i++)
        x[i] = size * tn_random();
}

static bool nobodys(int i)
{
    return i == 8 || i == 15;
}

static void difference_undoes_the_increment(void)
{
    static const double sizes[] = {0.0, 1e-300, 1e-12, 1e-4, 1.0, 1.8}; // 1.8 sqrt(3) < pi
    for (int k = 0; k < 50 * TN_COUNT(sizes); k++) {
        double q[NQ], q1[NQ], x[NV], y[NV] = {0};
        random_q(q);
        random_x(sizes[k % TN_COUNT(sizes)], x);
        tn_group_retract(GROUPS, groups, q, x, q1);
        tn_group_difference(GROUPS, groups, q, q1, y);
        for (int i = 0; i < NV; i++)
            if (!nobodys(i))
                CHECK_NEAR(y[i], x[i], ROUNDOFF);
    }
}

static void increment_undoes_the_difference(void)
{
    for (int k = 0; k < 200; k++) {
        double q[NQ], q1[NQ], q2[NQ], x[NV] = {0};
        random_q(q);
        random_q(q1);
        tn_group_difference(GROUPS, groups, q, q1, x);
        memcpy(q2, q, sizeof(q));
        tn_group_retract(GROUPS, groups, q2, x, q2); // in place
        for (int g = 0; g < GROUPS; g++) {
            const double *a = q1 + groups[g].q0, *b = q2 + groups[g].q0;
            const bool rigid = groups[g].kind != TN_GROUP_R;
            // e and -e are the same rotation
            const int turn = rigid ? tn_group_turn(&groups[g]) : groups[g].nq;
            double product = 0.0;
            for (int i = turn; i < groups[g].nq; i++)
                product += a[i] * b[i];
            for (int i = 0; i < groups[g].nq; i++)
                CHECK_NEAR(b[i], i >= turn && product < 0.0 ? -a[i] : a[i], 10.0 * ROUNDOFF);
            if (rigid)
                CHECK_NEAR(tn_quat_norm(tn_quat_from(b + turn)), 1.0, 1e-15);
        }
    }
}

static void numbers_outside_the_slices_stay(void)
{
    double q[NQ], q1[NQ], x[NV];
    random_q(q);
    random_x(1.0, x);
    for (int i = 0; i < NQ; i++)
        q1[i] = 77.0;
    tn_group_retract(GROUPS, groups, q, x, q1);
    CHECK(q1[9] == 77.0 && q1[17] == 77.0);
    for (int i = 0; i < NV; i++)
        x[i] = 77.0;
    tn_group_difference(GROUPS, groups, q, q1, x);
    CHECK(x[8] == 77.0 && x[15] == 77.0);
    CHECK_NEAR(q1[10] - q[10], x[0], 0.0);
}

// Translation first in the inertial frame for R^3 x SO(3), in the body's for SE(3).
static void rigid_factors_follow_their_definition(void)
{
    double q[NQ], q1[NQ], x[NV];
    random_q(q);
    random_x(1.0, x);
    tn_group_retract(GROUPS, groups, q, x, q1);
    for (int k = 1; k <= 2; k++) {
        const double *from = q + groups[k].q0, *to = q1 + groups[k].q0, *y = x + groups[k].v0;
        const tn_frame H = {tn_quat_matrix(tn_quat_from(from + 3)), tn_v3_from(from)};
        const tn_frame moved = tn_frame_mul(H, tn_se3_exp(y));
        const tn_vec3 p = k == 2 ? moved.p : tn_v3_add(H.p, tn_v3_from(y));
        const tn_mat3 R = tn_quat_matrix(tn_quat_from(to + 3));
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(tn_v3_from(to), p)), 0.0, ROUNDOFF);
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(R.m[i / 3][i % 3], moved.R.m[i / 3][i % 3], ROUNDOFF);
    }
}

static void rotations_follow_their_definition(void)
{
    const tn_group *group = &groups[GROUPS - 1];
    double q[NQ], q1[NQ], x[NV];
    random_q(q);
    random_x(1.0, x);
    tn_group_retract(GROUPS, groups, q, x, q1);
    const tn_mat3 R = tn_quat_matrix(tn_quat_from(q1 + group->q0));
    const tn_mat3 moved = tn_m3_mul(tn_quat_matrix(tn_quat_from(q + group->q0)),
                                    tn_so3_exp(tn_v3_from(x + group->v0)));
    CHECK(group->kind == TN_GROUP_ROTATION);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(R.m[i / 3][i % 3], moved.m[i / 3][i % 3], ROUNDOFF);
}

// q o exp(x + e y) is about (q o exp(x)) o exp(e T(x) y).
static void tangent_is_the_derivative_of_the_increment(void)
{
    static const double step = 1e-5, TRUNCATION = 1e-9; // h^2 / 6 times third derivatives of a few
    for (int g = 0; g < GROUPS; g++) {
        const tn_group *group = &groups[g];
        double q[NQ], base[NQ], x[NV], T[6][6];
        random_q(q);
        random_x(1.5, x);
        tn_group_retract(1, group, q, x, base);
        tn_group_tangent(group, x + group->v0, T);
        for (int j = 0; j < group->nv && j < 6; j++) {
            double moved[NQ], plus[NV] = {0}, minus[NV] = {0}, *xj = &x[group->v0 + j];
            const double keep = *xj;
            *xj = keep + step;
            tn_group_retract(1, group, q, x, moved);
            tn_group_difference(1, group, base, moved, plus);
            *xj = keep - step;
            tn_group_retract(1, group, q, x, moved);
            tn_group_difference(1, group, base, moved, minus);
            *xj = keep;
            for (int i = 0; i < group->nv && i < 6; i++)
                CHECK_NEAR((plus[group->v0 + i] - minus[group->v0 + i]) / (2.0 * step), T[i][j],
                           TRUNCATION);
        }
    }
}

// exp(hx) o exp(hy) is exp(h^2 [x, y]) away from exp(hy) o exp(hx), up to h^3.
static void bracket_is_the_commutator(void)
{
    static const double h = 1e-4, TRUNCATION = 2e-3; // h times cubic products of numbers up to five
    double q[NQ], xy[NQ], yx[NQ], x[NV], y[NV], hx[NV], hy[NV], z[NV] = {0}, w[NV] = {0};
    random_q(q);
    random_x(1.0, x);
    random_x(1.0, y);
    for (int i = 0; i < NV; i++) {
        hx[i] = h * x[i];
        hy[i] = h * y[i];
    }
    tn_group_retract(GROUPS, groups, q, hx, xy);
    tn_group_retract(GROUPS, groups, xy, hy, xy);
    tn_group_retract(GROUPS, groups, q, hy, yx);
    tn_group_retract(GROUPS, groups, yx, hx, yx);
    tn_group_difference(GROUPS, groups, yx, xy, z);
    tn_group_bracket(GROUPS, groups, x, y, w);
    for (int i = 0; i < NV; i++)
        if (!nobodys(i))
            CHECK_NEAR(z[i] / (h * h), w[i], TRUNCATION);
}

static void quaternions_stay_on_the_sphere(void)
{
    const tn_group top = {TN_GROUP_SE3, 0, 7, 0, 6};
    double q[7] = {0, 0, 0, 1, 0, 0, 0};
    const double x[6] = {0.01, 0.02, -0.01, 0.3, -0.2, 0.1};
    for (int k = 0; k < 100000; k++)
        tn_group_retract(1, &top, q, x, q);
    CHECK_NEAR(tn_quat_norm(tn_quat_from(q + 3)), 1.0, 1e-15);
}

static const tn_test tests[] = {
    {"difference undoes the increment", difference_undoes_the_increment},
    {"increment undoes the difference", increment_undoes_the_difference},
    {"numbers outside the slices stay", numbers_outside_the_slices_stay},
    {"rigid factors follow their definition", rigid_factors_follow_their_definition},
    {"rotations follow their definition", rotations_follow_their_definition},
    {"tangent is the derivative of the increment", tangent_is_the_derivative_of_the_increment},
    {"bracket is the commutator", bracket_is_the_commutator},
    {"quaternions stay on the sphere", quaternions_stay_on_the_sphere},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
