// SPDX-License-Identifier: MIT
//
// The row forms on linear frames: G against differences of the value, H against differences of G,
// the curvature against H, at vectors that are not orthonormal; and on frames that are, everything
// row.h says of the same rigid motion.

#include "lie/so3.h"
#include "linalg/dense.h"
#include "row/row_linear.h"
#include "test.h"

// As in test_row.c: truncation 1e-10 / 6 times third derivatives of up to 400.
static const double STEP = 1e-5;
static const double DIFFERENCE = 1e-8;
static const double ROUNDOFF = 1e-12; // a few hundred operations on numbers of size one

static const tn_row rows[] = {
    {TN_ROW_COORD, TN_X, 0, 0, 0},          {TN_ROW_COORD, TN_Z, 0, 0, 0},
    {TN_ROW_AXIS, TN_X, 0, 0, 0},           {TN_ROW_AXIS, TN_Z, 0, 0, 0},
    {TN_ROW_DOT, TN_X, TN_X, 0, 0},         {TN_ROW_DOT, TN_Y, TN_Z, 0, 0},
    {TN_ROW_DISTANCE, 0, 0, 0, 0},          {TN_ROW_LENGTH, 0, 0, 0, 0},
    {TN_ROW_ANGLE, TN_Y, TN_X, TN_X, TN_X}, {TN_ROW_ANGLE, TN_Z, TN_Y, TN_Y, TN_Y},
    {TN_ROW_ANGLE, TN_X, TN_Z, TN_X, TN_X}, {TN_ROW_TURN, TN_X, 0, 0, 0},
    {TN_ROW_TURN, TN_Z, 0, 0, 0},
};

static tn_vec3 random_vec3(void)
{
    const double x = tn_random(), y = tn_random(), z = tn_random(); // in this order
    return tn_v3(x, y, z);
}

// Away from d = 0 and s = c = 0, where LENGTH and ANGLE have no derivatives, and from half a turn,
// where TURN jumps.
static bool regular(const tn_row *row, const tn_linear_pair *at)
{
    const tn_vec3 *x = at->x;
    if (row->form == TN_ROW_LENGTH)
        return tn_v3_norm(tn_v3_sub(x[4], x[0])) > 0.5;
    if (row->form == TN_ROW_ANGLE)
        return hypot(tn_v3_dot(x[1 + row->i], x[5 + row->j]),
                     tn_v3_dot(x[1 + row->k], x[5 + row->l])) > 0.5;
    for (int i = 0; row->form == TN_ROW_TURN && i < 3; i++) {
        const tn_row turn = {.form = TN_ROW_TURN, .i = i};
        if (fabs(tn_linear_value(&turn, at, 0.0)) > 1.7) // |phi| below 3
            return false;
    }
    return true;
}

// Axes that are not far from a rotation, which is what has a nearest one.
static void stand_up(tn_vec3 axes[3])
{
    const tn_mat3 R = tn_so3_exp(tn_v3_scale(2.0, random_vec3()));
    for (int i = 0; i < 3; i++)
        axes[i] = tn_v3_axpy(0.15, axes[i], tn_m3_column(R, i));
}

static tn_linear_pair random_pair(const tn_row *row)
{
    tn_linear_pair at = {.length = 0.7};
    do
        for (int k = 0; k < 8; k++) {
            at.x[k] = random_vec3();
            at.v[k] = random_vec3();
            if (tn_row_needs_rotation(row) && k % 4 == 3)
                stand_up(at.x + k - 2);
        }
    while (!regular(row, &at));
    return at;
}

static tn_linear_pair vary(tn_linear_pair at, int variable, double step)
{
    double x[3] = {0};
    x[variable % 3] = step;
    at.x[variable / 3] = tn_v3_add(at.x[variable / 3], tn_v3_from(x));
    return at;
}

static void derivatives_match_differences(void)
{
    for (int k = 0; k < TN_COUNT(rows); k++)
        for (int seed = 0; seed < 20; seed++) {
            const tn_linear_pair at = random_pair(&rows[k]);
            const double here = tn_linear_value(&rows[k], &at, 0.0), scale = -1.7, before = 0.3;
            double G[24], H[24][24];
            tn_linear_gradient(&rows[k], &at, G);
            for (int p = 0; p < 24; p++)
                for (int q = 0; q < 24; q++)
                    H[p][q] = before;
            tn_linear_hessian(&rows[k], &at, scale, H);
            for (int q = 0; q < 24; q++) {
                const tn_linear_pair ahead = vary(at, q, STEP), behind = vary(at, q, -STEP);
                double G1[24], G0[24];
                CHECK_NEAR(G[q],
                           (tn_linear_value(&rows[k], &ahead, here) -
                            tn_linear_value(&rows[k], &behind, here)) /
                               (2.0 * STEP),
                           DIFFERENCE);
                tn_linear_gradient(&rows[k], &ahead, G1);
                tn_linear_gradient(&rows[k], &behind, G0);
                for (int p = 0; p < 24; p++)
                    CHECK_NEAR(H[p][q] - before, scale * (G1[p] - G0[p]) / (2.0 * STEP),
                               DIFFERENCE);
            }
        }
}

static void curvature_is_that_of_the_second_derivative(void)
{
    for (int k = 0; k < TN_COUNT(rows); k++)
        for (int seed = 0; seed < 20; seed++) {
            const tn_linear_pair at = random_pair(&rows[k]);
            double H[24][24] = {{0}}, v[24], sum = 0.0;
            tn_linear_hessian(&rows[k], &at, 1.0, H);
            for (int m = 0; m < 8; m++)
                tn_v3_to(at.v[m], v + 3 * m);
            for (int p = 0; p < 24; p++)
                sum += v[p] * tn_dot(24, H[p], v);
            CHECK_NEAR(tn_linear_curvature(&rows[k], &at), sum, ROUNDOFF * (1.0 + fabs(sum)));
        }
}

// Rigid motion ------------------------------------------------------------------------------------

// A body with a frame, its twist and the origin and axes of the frame with their rates; `a` are
// their second rates at V' = 0.
static tn_end rigid_end(tn_vec3 *x, tn_vec3 *v, tn_vec3 *a)
{
    const tn_mat3 R = tn_so3_exp(tn_v3_scale(2.0, random_vec3()));
    const tn_vec3 p = random_vec3(), r = random_vec3(), w = random_vec3(), u = random_vec3();
    const tn_end end = {.x = {R, tn_v3_add(p, r)}, .r = r, .V = {u, w}};
    for (int m = 0; m < 4; m++) {
        const tn_vec3 fixed = m == 0 ? r : tn_m3_column(R, m - 1);
        x[m] = m == 0 ? end.x.p : fixed;
        v[m] = tn_v3_add(m == 0 ? u : tn_v3(0, 0, 0), tn_v3_cross(w, fixed));
        a[m] = tn_v3_cross(w, tn_v3_cross(w, fixed));
    }
    return end;
}

static void rows_of_rigid_frames_are_those_of_row_h(void)
{
    for (int k = 0; k < TN_COUNT(rows); k++)
        for (int seed = 0; seed < 20; seed++) {
            tn_linear_pair at = {.length = 0.7};
            tn_pair rigid = {.length = 0.7};
            tn_vec3 a[8];
            do {
                rigid.a = rigid_end(at.x, at.v, a);
                rigid.b = rigid_end(at.x + 4, at.v + 4, a + 4);
            } while (!regular(&rows[k], &at));
            double G[24], W[12], second = tn_linear_curvature(&rows[k], &at);
            tn_linear_gradient(&rows[k], &at, G);
            tn_row_gradient(&rows[k], &rigid, W);
            CHECK_NEAR(tn_linear_value(&rows[k], &at, 2.0), tn_row_value(&rows[k], &rigid, 2.0),
                       ROUNDOFF);
            CHECK_NEAR(tn_linear_rate(G, &at), tn_row_rate(W, &rigid), ROUNDOFF);
            for (int m = 0; m < 8; m++)
                second += tn_v3_dot(tn_v3_from(G + 3 * m), a[m]);
            CHECK_NEAR(second, tn_row_curvature(&rows[k], &rigid), 10.0 * ROUNDOFF);
        }
}

static void points_without_derivatives_have_finite_numbers(void)
{
    const tn_row length = {.form = TN_ROW_LENGTH};
    const tn_row angle = {TN_ROW_ANGLE, TN_Y, TN_X, TN_X, TN_X};
    const tn_linear_pair at = {.length = 1.0}; // all vectors zero
    const tn_row *both[] = {&length, &angle};
    for (int k = 0; k < 2; k++) {
        double G[24], H[24][24] = {{0}};
        tn_linear_gradient(both[k], &at, G);
        tn_linear_hessian(both[k], &at, 1.0, H);
        CHECK_NEAR(tn_norm_inf(24, G), 0.0, 0.0);
        CHECK_NEAR(tn_norm_inf(24 * 24, &H[0][0]), 0.0, 0.0);
        CHECK_NEAR(tn_linear_curvature(both[k], &at), 0.0, 0.0);
    }
}

static const tn_test tests[] = {
    {"derivatives match differences", derivatives_match_differences},
    {"curvature is that of the second derivative", curvature_is_that_of_the_second_derivative},
    {"rows of rigid frames are those of row.h", rows_of_rigid_frames_are_those_of_row_h},
    {"points without derivatives have finite numbers",
     points_without_derivatives_have_finite_numbers},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
