// SPDX-License-Identifier: MIT
//
// SO(3) against matrix functions in long double at angles from 0 to 100, on both sides of every
// switch and of every special angle.

#include "test.h"

#include "lie/coefficients.h"
#include "lie/so3.h"
#include "lie_reference.h"

static const double PI = 3.14159265358979323846;

// What the header promises is 1e-12; what is reached is 100 times better. An angle of 100 turns its
// own rounding, 1e-14, into an error of that size, and the pole of T^-1 at 2 pi magnifies the
// rounding of an angle 0.1 away from it by 60.
static const double ACCURACY = 5e-14;
static const double EXACT = 4e-15; // a scalar coefficient: a dozen roundings

static const double angles[] = {
    0.0,
    1e-300,
    1e-160,
    1e-20,
    1e-9,
    0.999999e-8,
    1.000001e-8,
    1e-6,
    0.99999e-4,
    1e-4,
    2e-4,
    1e-3,
    1e-2,
    0.1,
    0.5,
    1.0,
    1.5707963,
    2.0,
    2.5,
    2.9999999,
    3.0,
    3.0000001,
    3.14159265258979323846, // pi - 1e-9
    3.14159265358979323846, // pi
    3.14259265358979323846, // pi + 1e-3
    4.0,
    4.7,
    5.5,
    6.0,
    6.18318530717958647692, // 2 pi - 0.1
    7.0,
    8.9868,
    12.0,
    30.0,
    100.0,
};
enum { ANGLES = sizeof(angles) / sizeof(angles[0]), AXES = 9 };

static tn_vec3 random_vector(void)
{
    const double x = tn_random(), y = tn_random(), z = tn_random(); // in this order
    return tn_v3(x, y, z);
}

// The axes of coordinates, the diagonal, one almost on an axis, then random ones.
static tn_vec3 axis(int k)
{
    static const tn_vec3 fixed[] = {{1, 0, 0},  {0, 1, 0}, {0, 0, 1},
                                    {0, 0, -1}, {1, 1, 1}, {-1, 1e-9, 1e-5}};
    const tn_vec3 a = k < TN_COUNT(fixed) ? fixed[k] : random_vector();
    return tn_v3_scale(1.0 / tn_v3_norm(a), a);
}

static void check_each(void (*check)(tn_vec3 x))
{
    for (int i = 0; i < ANGLES; i++)
        for (int k = 0; k < AXES; k++)
            check(tn_v3_scale(angles[i], axis(k)));
}

static void check_vector(tn_vec3 actual, tn_vec3 expected, double tol)
{
    CHECK_NEAR(actual.x, expected.x, tol);
    CHECK_NEAR(actual.y, expected.y, tol);
    CHECK_NEAR(actual.z, expected.z, tol);
}

static void check_matrix(tn_mat3 A, tn_mat3 B, double tol)
{
    for (int i = 0; i < 3; i++)
        check_vector(tn_m3_column(A, i), tn_m3_column(B, i), tol);
}

// sum over k of (-s)^k / (2k + n)!, n = 1, 2, 3, in long double: good up to t = 6, where terms
// reach 2000 times the sum and 1e-19 times that is still far below EXACT.
static long double power_series(long double s, int n, int derivatives)
{
    long double sum = 0.0L, term = 1.0L; // s^(k-derivatives) / (2k + n)!, with its sign
    for (int i = 2; i <= 2 * derivatives + n; i++)
        term /= i;
    if (derivatives % 2)
        term = -term;
    for (int k = derivatives; k <= 40; k++) {
        long double weight = 1.0L;
        for (int i = 0; i < derivatives; i++)
            weight *= 2.0L * (k - i); // (1/t) d/dt = 2 d/ds
        sum += weight * term;
        term *= -s / ((2 * k + n + 1) * (2 * k + n + 2));
    }
    return sum;
}

static void coefficients_lose_no_digits(void)
{
    for (int i = 0; i <= 600; i++) {
        const double t = 0.01 * i + 1e-5, s = t * t;
        const long double a1 = power_series(s, 2, 0), b1 = power_series(s, 2, 1);
        const long double e1 = power_series(s, 2, 2);
        const long double gamma = -b1 / (2 * a1), delta = (b1 * b1 - e1 * a1) / (2 * a1 * a1);
        // Near 2 pi alpha1, gamma and delta turn the rounding of t into the relative error
        // t / (2 pi - t) and twice that; near its zero at pi alpha0 is absolute.
        const double pole = 1.0 + 2.0 * t / (2.0 * PI - t);
        CHECK_NEAR(tn_lie_alpha0(s), (double)power_series(s, 1, 0), EXACT);
        CHECK_NEAR(tn_lie_alpha1(s) / (double)a1, 1.0, EXACT * pole);
        CHECK_NEAR(tn_lie_alpha2(s) / (double)power_series(s, 3, 0), 1.0, EXACT);
        CHECK_NEAR(tn_lie_beta1(s) / (double)b1, 1.0, EXACT * pole);
        CHECK_NEAR(tn_lie_beta2(s) / (double)power_series(s, 3, 1), 1.0, EXACT);
        CHECK_NEAR(tn_lie_gamma(s) / (double)gamma, 1.0, EXACT * pole);
        CHECK_NEAR(tn_lie_delta(s) / (double)delta, 1.0, EXACT * pole);
    }
}

static void check_exp(tn_vec3 x)
{
    const tn_mat3 R = tn_so3_exp(x);
    CHECK_NEAR(ref_error(&R.m[0][0], 3, ref_exp(ref_skew(x))), 0.0, ACCURACY);
    const tn_mat3 Q = tn_quat_matrix(tn_so3_exp_quat(x));
    CHECK_NEAR(ref_error(&Q.m[0][0], 3, ref_exp(ref_skew(x))), 0.0, ACCURACY);
}

static void exp_is_the_matrix_exponential(void)
{
    check_each(check_exp);
}

// Beyond half a turn the logarithm is the short way round; at pi either sign is right.
static void check_log(tn_vec3 x)
{
    const double t = tn_v3_norm(x), turns = nearbyint(t / (2.0 * PI));
    const tn_vec3 expected = turns > 0.0 ? tn_v3_scale(1.0 - 2.0 * PI * turns / t, x) : x;
    const double size = fmax(fabs(expected.x), fmax(fabs(expected.y), fabs(expected.z)));
    const tn_quat e = tn_so3_exp_quat(x);
    const tn_vec3 logs[] = {tn_so3_log(tn_so3_exp(x)), tn_so3_log_quat(e),
                            tn_so3_log_quat((tn_quat){-e.w, -e.x, -e.y, -e.z})};
    for (int i = 0; i < TN_COUNT(logs); i++) {
        const bool half_turn = fabs(t - PI) < 1e-12 && tn_v3_dot(logs[i], expected) < 0.0;
        // An angle of 100 is known to 1e-14, so its remainder is not known better.
        check_vector(half_turn ? tn_v3_neg(logs[i]) : logs[i], expected,
                     ACCURACY * (turns > 0.0 ? 1.0 : size));
        CHECK(tn_v3_norm(logs[i]) <= PI * (1.0 + 1e-15));
    }
    CHECK(logs[1].x == logs[2].x && logs[1].y == logs[2].y && logs[1].z == logs[2].z);
}

static void log_inverts_exp(void)
{
    check_each(check_log);
}

static void check_exp_of_log(tn_vec3 x)
{
    const tn_mat3 R = tn_so3_exp(x);
    check_matrix(tn_so3_exp(tn_so3_log(R)), R, ACCURACY);
}

static void exp_inverts_log(void)
{
    check_each(check_exp_of_log);
}

static void half_turns_have_one_logarithm(void)
{
    for (int k = 0; k < 100; k++) {
        const tn_vec3 a = axis(k);
        const tn_quat e = {0.0, a.x, a.y, a.z}, minus = {-0.0, -a.x, -a.y, -a.z};
        check_vector(tn_so3_log_quat(e), tn_so3_log_quat(minus), 0.0);
        CHECK_NEAR(tn_v3_norm(tn_so3_log_quat(e)), PI, ACCURACY);
        // R = 2 a a^T - I
        const tn_mat3 R = tn_m3_axpy(2.0, tn_m3_outer(a, a), tn_m3_diag(-1.0, -1.0, -1.0));
        check_matrix(tn_so3_exp(tn_so3_log(R)), R, ACCURACY);
    }
}

static void check_quaternion(tn_vec3 x)
{
    const tn_quat e = tn_quat_from_matrix(tn_so3_exp(x));
    CHECK(e.w >= 0.0);
    CHECK_NEAR(tn_quat_norm(e), 1.0, EXACT);
    check_matrix(tn_quat_matrix(e), tn_so3_exp(x), ACCURACY);
}

static void quaternions_come_from_matrices(void)
{
    check_each(check_quaternion);
}

static void check_tangent(tn_vec3 x)
{
    const ref_mat T = ref_tangent(ref_skew(x));
    const tn_mat3 A = tn_so3_tangent(x), B = tn_so3_tangent_inv(x);
    CHECK_NEAR(ref_error(&A.m[0][0], 3, T), 0.0, ACCURACY);
    CHECK_NEAR(ref_error(&B.m[0][0], 3, ref_inverse(T)), 0.0, ACCURACY);
    check_matrix(tn_m3_mul(A, B), tn_m3_identity, 10.0 * ACCURACY); // |T^-1| is up to 60
    check_matrix(tn_m3_transpose(A), tn_so3_tangent(tn_v3_neg(x)), 0.0);
}

static void tangent_is_the_integral_of_exp(void)
{
    check_each(check_tangent);
}

// d/de exp(x + e y) = exp(x) skew(T(x) y), the derivative by the block exponential.
static void check_definition(tn_vec3 x)
{
    const tn_vec3 y = random_vector();
    const ref_mat E = ref_exp(ref_upper(ref_skew(x), ref_skew(y), ref_skew(x)));
    const tn_mat3 D = tn_m3_mul(tn_so3_exp(x), tn_m3_skew(tn_m3_apply(tn_so3_tangent(x), y)));
    CHECK_NEAR(ref_error(&D.m[0][0], 3, ref_upper_right(E)), 0.0, 3.0 * ACCURACY);
}

static void tangent_is_the_derivative_of_exp(void)
{
    check_each(check_definition);
}

// Column j of the reference: the operator given by `factor` times y.
static void check_derivative(tn_vec3 x)
{
    static const tn_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const tn_vec3 y = random_vector();
    const ref_mat inverse = ref_inverse(ref_tangent(ref_skew(x)));
    ref_mat D = {.n = 3};
    for (int j = 0; j < 3; j++) {
        const ref_mat dT = ref_tangent_deriv(ref_skew(x), ref_skew(unit[j]));
        const ref_mat d = ref_scale(-1.0L, ref_mul(inverse, ref_mul(dT, inverse)));
        for (int i = 0; i < 3; i++)
            D.m[i][j] = d.m[i][0] * y.x + d.m[i][1] * y.y + d.m[i][2] * y.z;
    }
    const tn_mat3 A = tn_so3_tangent_inv_deriv(x, y);
    CHECK_NEAR(ref_error(&A.m[0][0], 3, D), 0.0, 3.0 * ACCURACY);
}

static void derivative_of_the_inverse_tangent_is_exact(void)
{
    check_each(check_derivative);
}

static void orthonormalizing_finds_the_nearest_rotation(void)
{
    for (int k = 0; k < 200; k++) {
        const tn_mat3 R = tn_so3_exp(tn_v3_scale(4.0, random_vector()));
        const double size = k % 2 ? 0.1 : 1e-7;
        tn_mat3 S = tn_m3_identity; // R S with S symmetric and positive: R is the nearest
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++)
                S.m[i][j] = S.m[j][i] = S.m[i][j] + size * tn_random();
        const tn_mat3 Q = tn_m3_orthonormalize(tn_m3_mul(R, S));
        check_matrix(Q, R, ACCURACY);
        check_matrix(tn_m3_mul(tn_m3_transpose(Q), Q), tn_m3_identity, EXACT);
    }
}

static void nearest_rotations_turn_as_stated(void)
{
    const double h = 1e-5;
    for (int n = 0; n < 50; n++) {
        tn_mat3 A = tn_so3_exp(tn_v3_scale(4.0, random_vector())), dA;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                A.m[i][j] += 0.2 * tn_random();
                dA.m[i][j] = tn_random();
            }
        const tn_mat3 R = tn_m3_orthonormalize(A);
        const tn_mat3 to = tn_m3_orthonormalize(tn_m3_axpy(h, dA, A));
        const tn_mat3 from = tn_m3_orthonormalize(tn_m3_axpy(-h, dA, A));
        tn_vec3 sum = {0};
        for (int k = 0; k < 3; k++)
            sum = tn_v3_add(sum, tn_v3_cross(tn_m3_column(R, k), tn_m3_column(dA, k)));
        const tn_vec3 turn = tn_m3_apply(tn_m3_polar_turn(tn_m3_mul_t(A, R)), sum);
        const tn_vec3 seen = tn_v3_scale(0.5 / h, tn_so3_log(tn_m3_mul_t(to, from)));
        CHECK_NEAR(tn_v3_norm(tn_v3_sub(turn, seen)), 0.0, 1e-8);
    }
}

static const tn_test tests[] = {
    {"coefficients lose no digits", coefficients_lose_no_digits},
    {"exp is the matrix exponential", exp_is_the_matrix_exponential},
    {"log inverts exp", log_inverts_exp},
    {"exp inverts log", exp_inverts_log},
    {"half turns have one logarithm", half_turns_have_one_logarithm},
    {"quaternions come from matrices", quaternions_come_from_matrices},
    {"tangent is the integral of exp", tangent_is_the_integral_of_exp},
    {"tangent is the derivative of exp", tangent_is_the_derivative_of_exp},
    {"derivative of the inverse tangent is exact", derivative_of_the_inverse_tangent_is_exact},
    {"orthonormalizing finds the nearest rotation", orthonormalizing_finds_the_nearest_rotation},
    {"nearest rotations turn as stated", nearest_rotations_turn_as_stated},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
