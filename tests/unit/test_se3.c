// SPDX-License-Identifier: MIT
//
// SE(3) against the exponential of 4 x 4 matrices and power series of the 6 x 6 adjoint, in long
// double, at angles from 0 to 100.

#include "test.h"

#include "lie/se3.h"
#include "lie_reference.h"

static const double PI = 3.14159265358979323846;

// As for SO(3): 1e-12 is promised, an angle of 100 is itself known to 1e-14 only, and the inverse
// and its derivative magnify rounding by up to 1/0.1^2 of the distance to their pole at 2 pi.
static const double ACCURACY = 5e-14;

static const double angles[] = {
    0.0,
    1e-300,
    1e-9,
    1e-4,
    0.01,
    0.5,
    1.0,
    2.0,
    2.9999999,
    3.0,
    3.0000001,
    3.14159265258979323846, // pi - 1e-9
    3.14159265358979323846, // pi
    3.14259265358979323846, // pi + 1e-3
    5.0,
    6.18318530717958647692, // 2 pi - 0.1
    7.0,
    100.0,
};
enum { ANGLES = sizeof(angles) / sizeof(angles[0]), CASES = 8 };

static tn_vec3 random_vector(void)
{
    const double x = tn_random(), y = tn_random(), z = tn_random(); // in this order
    return tn_v3(x, y, z);
}

// A random twist of the given angle; the translation is along the axis in the first case, absent in
// the second, of random size from 1e-3 to 1e3 in the others.
static void random_twist(double angle, int k, double x[6])
{
    tn_vec3 w = random_vector();
    w = tn_v3_scale(1.0 / tn_v3_norm(w), w);
    const double size = k == 1 ? 0.0 : pow(10.0, 3.0 * tn_random());
    const tn_vec3 u = k == 0 ? w : random_vector();
    tn_v3_to(tn_v3_scale(size, u), x);
    tn_v3_to(tn_v3_scale(angle, w), x + 3);
}

static void check_each(void (*check)(const double x[6]))
{
    for (int i = 0; i < ANGLES; i++)
        for (int k = 0; k < CASES; k++) {
            double x[6];
            random_twist(angles[i], k, x);
            check(x);
        }
}

static ref_mat twist_matrix(const double x[6])
{
    ref_mat A = ref_skew(tn_v3_from(x + 3));
    A.n = 4;
    for (int i = 0; i < 3; i++)
        A.m[i][3] = x[i];
    return A;
}

static ref_mat adjoint(const double x[6])
{
    const ref_mat W = ref_skew(tn_v3_from(x + 3));
    return ref_upper(W, ref_skew(tn_v3_from(x)), W);
}

static void frame_matrix(tn_frame H, double A[4][4])
{
    memset(A, 0, 16 * sizeof(double));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[i][j] = H.R.m[i][j];
    A[0][3] = H.p.x, A[1][3] = H.p.y, A[2][3] = H.p.z;
    A[3][3] = 1.0;
}

// Rotation and translation have different sizes, so each is compared with its own.
static double block_error(const double *A, int ld, ref_mat reference, int row, int column)
{
    ref_mat block = {.n = 3};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block.m[i][j] = reference.m[row + i][column + j];
    const double *at = A + row * ld + column;
    for (int i = 0; i < 3 && ref_norm(block) == 0.0L; i++) // then it has to be zero exactly
        for (int j = 0; j < 3; j++)
            CHECK(at[i * ld + j] == 0.0);
    return ref_norm(block) > 0.0L ? ref_error(at, ld, block) : 0.0;
}

static void check_exp(const double x[6])
{
    double H[4][4];
    frame_matrix(tn_se3_exp(x), H);
    const ref_mat E = ref_exp(twist_matrix(x));
    CHECK_NEAR(block_error(&H[0][0], 4, E, 0, 0), 0.0, ACCURACY);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(H[i][3], (double)E.m[i][3], ACCURACY * (fabs(x[0]) + fabs(x[1]) + fabs(x[2])));
}

static void exp_is_the_matrix_exponential(void)
{
    check_each(check_exp);
}

// Below half a turn; a little below it in the angle list is pi - 1e-9.
static void check_log(const double x[6])
{
    const double angle = tn_v3_norm(tn_v3_from(x + 3));
    double y[6];
    tn_se3_log(tn_se3_exp(x), y);
    const double size = fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
    for (int i = 0; i < 6 && angle < PI - 1e-10; i++)
        CHECK_NEAR(y[i], x[i], ACCURACY * (i < 3 ? size : angle));
    double H[4][4], H1[4][4];
    frame_matrix(tn_se3_exp(x), H);
    frame_matrix(tn_se3_exp(y), H1);
    for (int i = 0; i < 16; i++)
        CHECK_NEAR(H1[i / 4][i % 4], H[i / 4][i % 4], ACCURACY * (i % 4 < 3 ? 1.0 : size));
}

static void log_and_exp_invert_each_other(void)
{
    check_each(check_log);
}

static void check_tangent(const double x[6])
{
    double T[6][6], inverse[6][6];
    tn_se3_tangent(x, T);
    tn_se3_tangent_inv(x, inverse);
    const ref_mat reference = ref_tangent(adjoint(x)), reference_inverse = ref_inverse(reference);
    for (int i = 0; i < 6; i += 3)
        for (int j = 0; j < 6; j += 3) {
            CHECK_NEAR(block_error(&T[0][0], 6, reference, i, j), 0.0, ACCURACY);
            CHECK_NEAR(block_error(&inverse[0][0], 6, reference_inverse, i, j), 0.0,
                       2.0 * ACCURACY);
        }
}

static void tangent_and_inverse_are_functions_of_the_adjoint(void)
{
    check_each(check_tangent);
}

static void check_product(const double x[6])
{
    double T[6][6], inverse[6][6];
    tn_se3_tangent(x, T);
    tn_se3_tangent_inv(x, inverse);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double sum = 0.0, size = 0.0;
            for (int k = 0; k < 6; k++) {
                sum += T[i][k] * inverse[k][j];
                size += fabs(T[i][k] * inverse[k][j]);
            }
            CHECK_NEAR(sum, i == j ? 1.0 : 0.0, 10.0 * ACCURACY * (1.0 + size));
        }
}

static void tangent_times_inverse_is_one(void)
{
    check_each(check_product);
}

// d/de exp(x + e y) = exp(x) (T(x) y)~; the left side exactly, by a block exponential.
static void check_definition(const double x[6])
{
    double y[6], Ty[6], T[6][6];
    random_twist(1.0, 5, y);
    tn_se3_tangent(x, T);
    for (int i = 0; i < 6; i++) {
        Ty[i] = 0.0;
        for (int j = 0; j < 6; j++)
            Ty[i] += T[i][j] * y[j];
    }
    const ref_mat A = twist_matrix(x);
    const ref_mat left = ref_upper_right(ref_exp(ref_upper(A, twist_matrix(y), A)));
    const ref_mat right = ref_mul(ref_exp(A), twist_matrix(Ty));
    const double size = fabs(y[0]) + fabs(y[1]) + fabs(y[2]) + fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            CHECK_NEAR((double)(left.m[i][j] - right.m[i][j]), 0.0,
                       ACCURACY * (j < 3 ? 1.0 : 1.0 + size));
}

static void tangent_is_the_derivative_of_exp(void)
{
    check_each(check_definition);
}

// The same by central differences of the library's own exp, which knows nothing of adjoints.
static void tangent_matches_differences(void)
{
    static const double step = 1e-5, TRUNCATION = 1e-9; // h^2 / 6 times third derivatives of a few
    for (int k = 0; k < 50; k++) {
        double x[6], T[6][6];
        for (int i = 0; i < 6; i++)
            x[i] = 2.0 * tn_random();
        tn_se3_tangent(x, T);
        const tn_frame back = tn_frame_inverse(tn_se3_exp(x));
        for (int j = 0; j < 6; j++) {
            double plus[6], minus[6];
            memcpy(plus, x, sizeof(x));
            memcpy(minus, x, sizeof(x));
            plus[j] += step;
            minus[j] -= step;
            double a[6], b[6];
            tn_se3_log(tn_frame_mul(back, tn_se3_exp(plus)), a);
            tn_se3_log(tn_frame_mul(back, tn_se3_exp(minus)), b);
            for (int i = 0; i < 6; i++)
                CHECK_NEAR((a[i] - b[i]) / (2.0 * step), T[i][j], TRUNCATION);
        }
    }
}

// Logarithm, inverse and its derivative in one go, against the functions for one of them each:
// T(x)^-1 at x and at -x, and columns of the derivative. Sizes are those of the coefficients with
// the translation, up to 1e3; the derivative of the inverse near its pole is as in ACCURACY.
static void check_together(const double x[6])
{
    const tn_frame H = tn_se3_exp(x);
    const tn_se3_inverse T = tn_se3_log_inverse(H);
    double h[6], back[6], forth[6][6], against[6][6], y[6];
    tn_se3_log(H, h);
    for (int i = 0; i < 6; i++) {
        back[i] = -h[i];
        y[i] = tn_random();
    }
    const double size = 1.0 + tn_v3_norm(tn_v3_from(h)), tol = 4.0 * ACCURACY * size;
    tn_se3_tangent_inv(h, forth);
    tn_se3_tangent_inv(back, against);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            CHECK_NEAR(T.F.m[i][j], forth[i][j], tol);
            CHECK_NEAR(T.D.m[i][j], forth[i][j + 3], tol);
            CHECK_NEAR(T.F.m[j][i], against[i][j], tol);
            CHECK_NEAR(T.D.m[j][i], against[i][j + 3], tol);
        }
    const tn_vec3 yu = tn_v3_from(y), yw = tn_v3_from(y + 3);
    tn_mat3 N, Z;
    tn_se3_inverse_slopes(&T, yu, yw, &N, &Z);
    N = tn_m3_axpy(-0.5, tn_m3_skew(yw), N);
    Z = tn_m3_axpy(-0.5, tn_m3_skew(yu), Z);
    for (int j = 0; j < 6; j++) {
        double along[6] = {0}, slope[6];
        along[j] = 1.0;
        tn_se3_tangent_inv_along(h, y, along, slope);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(j < 3 ? N.m[i][j] : Z.m[i][j - 3], slope[i], tol);
            CHECK_NEAR(j < 3 ? 0.0 : N.m[i][j - 3], slope[i + 3], tol);
        }
    }
}

static void logarithm_inverse_and_slopes_together(void)
{
    check_each(check_together);
}

static const tn_test tests[] = {
    {"exp is the matrix exponential", exp_is_the_matrix_exponential},
    {"log and exp invert each other", log_and_exp_invert_each_other},
    {"tangent and inverse are functions of the adjoint",
     tangent_and_inverse_are_functions_of_the_adjoint},
    {"tangent times inverse is one", tangent_times_inverse_is_one},
    {"tangent is the derivative of exp", tangent_is_the_derivative_of_exp},
    {"tangent matches differences", tangent_matches_differences},
    {"logarithm, inverse and slopes together", logarithm_inverse_and_slopes_together},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
