// SPDX-License-Identifier: MIT
//
// Dense vectors and matrices: every factorisation is multiplied out and compared with the matrix
// that it came from.

#include "linalg/dense.h"
#include "test.h"

enum { N = 12, M = 17, WORK = 4096 };

static const double ROUNDOFF = 1e-13; // random matrices of order N: condition below 1e3
static const double RANK_TOL = 1e-10; // far above round-off, far below the entries of size one

static void random_fill(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = tn_random();
}

// An m x n matrix of the given rank: a product of two random factors.
static void random_of_rank(int m, int n, int rank, double *A)
{
    double left[M * N], right[M * N];
    random_fill(m * rank, left);
    random_fill(rank * n, right);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            A[i + j * m] = 0.0;
            for (int k = 0; k < rank; k++)
                A[i + j * m] += left[i + k * m] * right[k + j * rank];
        }
}

static void multiply(int m, int n, const double *A, const double *x, double *y)
{
    tn_zero(m, y);
    for (int j = 0; j < n; j++)
        tn_axpy(m, x[j], A + j * m, y);
}

static void vector_operations_follow_their_definitions(void)
{
    for (int n = 0; n <= 11; n++) { // all remainders of the four lanes
        double x[11] = {0}, y[11] = {0}, z[11] = {0}, dot = 0.0, largest = 0.0;
        random_fill(n, x);
        random_fill(n, y);
        tn_copy(n, y, z);
        tn_axpy(n, 2.5, x, z);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(z[i], y[i] + 2.5 * x[i], ROUNDOFF);
            dot += x[i] * y[i];
            largest = fmax(largest, fabs(x[i]));
        }
        CHECK_NEAR(tn_dot(n, x, y), dot, ROUNDOFF);
        CHECK_NEAR(tn_norm2(n, x) * tn_norm2(n, x), tn_dot(n, x, x), ROUNDOFF);
        CHECK(tn_norm_inf(n, x) == largest);
        tn_scale(n, -3.0, z);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(z[i], -3.0 * (y[i] + 2.5 * x[i]), ROUNDOFF);
        tn_zero(n, z);
        CHECK(tn_norm_inf(n, z) == 0.0);
    }
}

static void one_number_that_is_not_finite_is_seen(void)
{
    double x[7] = {1, 2, 3, 4, 5, 6, 7};
    CHECK(tn_all_finite(7, x));
    for (int i = 0; i < 7; i++) {
        const double good = x[i];
        x[i] = NAN;
        CHECK(!tn_all_finite(7, x));
        CHECK(isnan(tn_norm_inf(7, x)));
        x[i] = -INFINITY;
        CHECK(!tn_all_finite(7, x));
        CHECK(isinf(tn_norm_inf(7, x)));
        x[i] = good;
    }
}

// Also long ones.
static void one_bit_tells_vectors_apart(void)
{
    enum { MOST = 200000 };
    static const int lengths[] = {0, 1, 7, 65535, 65536, MOST};
    double *x = calloc(MOST, sizeof *x), *y = calloc(MOST, sizeof *y),
           *size = calloc(MOST, sizeof *size);
    random_fill(MOST, x);
    tn_copy(MOST, x, y);
    for (int k = 0; k < TN_COUNT(lengths); k++) {
        const int n = lengths[k], places[] = {0, n / 3, n - 1};
        CHECK(tn_same(n, x, y));
        for (int i = 0; n > 0 && i < TN_COUNT(places); i++) {
            y[places[i]] = nextafter(y[places[i]], 2.0);
            CHECK(!tn_same(n, x, y));
            CHECK(places[i] == 0 || tn_same(places[i], x, y));
            y[places[i]] = x[places[i]];
        }
    }
    x[MOST - 1] = -3.0;
    tn_magnitudes(MOST, x, size);
    for (int i = 0; i < MOST; i++)
        CHECK(size[i] == fabs(x[i]));
    free(x);
    free(y);
    free(size);
}

// Small ones by plain loops, others by LAPACK.
static void lu_solves(void)
{
    enum { MOST = 40 };
    double A[MOST * MOST], LU[MOST * MOST], x[MOST], b[MOST];
    int pivot[MOST];
    for (int n = 1; n <= MOST; n++) {
        random_fill(n * n, A);
        random_fill(n, x);
        multiply(n, n, A, x, b);
        tn_copy(n * n, A, LU);
        CHECK_OK(tn_lu_factor(n, LU, pivot));
        tn_lu_solve(n, LU, pivot, b);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(b[i], x[i], 1e-9);
    }
}

static void bands_solve_as_full_matrices(void)
{
    for (int band = 0; band < N; band++) {
        double A[N * N] = {0}, LU[N * (3 * N + 1)], x[N], b[N];
        int pivot[N];
        CHECK(tn_band_size(N, band) <= TN_COUNT(LU));
        random_fill(TN_COUNT(LU), LU); // outside the band anything may stand
        random_fill(N, x);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                if (abs(i - j) <= band)
                    LU[tn_band_at(band, i, j)] = A[i + N * j] = tn_random();
        multiply(N, N, A, x, b);
        CHECK_OK(tn_band_factor(N, band, LU, pivot));
        tn_band_solve(N, band, LU, pivot, b);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(b[i], x[i], 1e4 * ROUNDOFF); // conditions differ
    }
    double zero[1] = {0.0};
    int pivot[1];
    CHECK_STATUS(tn_band_factor(1, 0, zero, pivot), TN_RETRY_SINGULAR);
    zero[0] = NAN;
    CHECK_STATUS(tn_band_factor(1, 0, zero, pivot), TN_RETRY_SINGULAR);
    CHECK_OK(tn_band_factor(0, 0, zero, pivot));
}

static void lu_refuses_a_zero_pivot_and_nan(void)
{
    double A[4] = {1, 2, 2, 4}, B[4] = {1, 0, NAN, 1};
    int pivot[2];
    CHECK_STATUS(tn_lu_factor(2, A, pivot), TN_RETRY_SINGULAR);
    CHECK_STATUS(tn_lu_factor(2, B, pivot), TN_RETRY_SINGULAR);
}

static void rcond_of_a_diagonal_is_the_ratio_of_its_ends(void)
{
    double A[9] = {100, 0, 0, 0, 1, 0, 0, 0, 1e-6}, work[12];
    int pivot[3], iwork[3];
    CHECK_OK(tn_lu_factor(3, A, pivot));
    CHECK_NEAR(tn_lu_rcond(3, A, 100.0, work, iwork), 1e-8, 1e-20);
}

static void qr_and_singular_values_find_the_rank(void)
{
    for (int rank = 1; rank <= N; rank++) {
        double A[M * N], tau[N], work[WORK], s[N];
        int jpvt[N];
        random_of_rank(M, N, rank, A);
        CHECK(tn_qr_work(M, N) <= WORK);
        CHECK(tn_qr_rank(M, N, A, RANK_TOL, jpvt, tau, work, WORK) == rank);
        int seen = 0;
        for (int j = 0; j < N; j++)
            seen |= 1 << jpvt[j];
        CHECK(seen == (1 << N) - 1); // a permutation

        random_of_rank(M, N, rank, A);
        CHECK_OK(tn_singular_values(M, N, A, s));
        for (int j = 0; j < N; j++)
            CHECK((s[j] > RANK_TOL * s[0]) == (j < rank));
    }
}

// Column `column` of A against Q R, with the factors in QR; x and work are scratch.
static double misfit(int m, int n, const double *QR, const double *tau, int column, const double *A)
{
    double x[M] = {0}, work[1];
    const int k = m < n ? m : n;
    for (int i = 0; i <= column && i < k; i++)
        x[i] = QR[i + m * column];
    tn_qr_apply(m, k, false, QR, tau, x, work);
    double worst = 0.0;
    for (int i = 0; i < m; i++)
        worst = fmax(worst, fabs(x[i] - A[i]));
    return worst;
}

static void qr_gives_the_matrix_back(void)
{
    static const int sizes[][2] = {{1, 1}, {2, 1}, {5, 5}, {M, N}, {N, M}};
    for (int c = 0; c < TN_COUNT(sizes); c++) {
        const int m = sizes[c][0], n = sizes[c][1];
        double A[M * M], QR[M * M], tau[M], work[WORK];
        int jpvt[M];
        random_fill(m * n, A);
        tn_copy(m * n, A, QR);
        tn_qr_rank(m, n, QR, RANK_TOL, jpvt, tau, work, WORK);
        for (int j = 0; j < n; j++)
            CHECK_NEAR(misfit(m, n, QR, tau, j, A + m * jpvt[j]), 0.0, 1e-14);
        for (int j = 1; j < n && j < m; j++) // the longest first
            CHECK(fabs(QR[j + m * j]) <= fabs(QR[j - 1 + m * (j - 1)]) * (1.0 + 1e-12));
        if (m < n)
            continue;
        tn_copy(m * n, A, QR);
        tn_qr_factor(m, n, QR, tau, work, WORK);
        for (int j = 0; j < n; j++)
            CHECK_NEAR(misfit(m, n, QR, tau, j, A + m * j), 0.0, 1e-14);
    }
}

// Columns of zeros and ones with denormal and other tiny numbers between them, of which norms by
// OpenBLAS were NaN: the rank is that without them.
static void tiny_numbers_do_not_hide_the_rank(void)
{
    static const double tiny[] = {5e-324, 1e-310, 1e-200, 1e-120};
    double A[M * N], bare[M * N], tau[N], work[WORK];
    int jpvt[N];
    for (int trial = 0; trial < 200; trial++) {
        for (int i = 0; i < M * N; i++) {
            const double x = tn_random();
            A[i] = x > 0.6 ? 1.0 : x > 0.0 ? tiny[i % TN_COUNT(tiny)] : 0.0;
            bare[i] = A[i] == 1.0 ? 1.0 : 0.0;
        }
        const int rank = tn_qr_rank(M, N, A, RANK_TOL, jpvt, tau, work, WORK);
        CHECK(tn_all_finite(M * N, A));
        CHECK(tn_qr_rank(M, N, bare, RANK_TOL, jpvt, tau, work, WORK) == rank);
    }
}

// The part of the constraints of a governor, after its swinging had been damped away, of which
// LAPACK made NaN: all columns are independent, one has a denormal number.
static void denormal_numbers_do_not_hide_the_rank(void)
{
    enum { ROWS = 27, COLUMNS = 8 };
    static const struct {
        int row, column;
        double value;
    } entries[] = {
        {6, 0, -0.74380880523459525},
        {10, 1, 1.0},
        {6, 2, -4.9406564584124654e-324},
        {7, 2, 0.70710678118654746},
        {8, 2, 1.0},
        {9, 2, 1.0},
        {14, 3, -0.62804798371375548},
        {15, 3, -0.69891217878506851},
        {16, 3, -0.34216589032075512},
        {17, 4, 1.0},
        {18, 4, -0.66839244554040556},
        {14, 5, 1.0},
        {15, 5, -0.47262483073548089},
        {17, 5, -0.4440969881945348},
        {18, 5, 1.0},
        {16, 6, 0.66442550504213982},
        {20, 6, 1.0},
        {21, 6, 1.0},
        {22, 6, 1.0},
        {26, 7, -0.93963956041718721},
    };
    double A[ROWS * COLUMNS] = {0}, tau[COLUMNS], work[WORK];
    int jpvt[COLUMNS];
    for (int k = 0; k < TN_COUNT(entries); k++)
        A[entries[k].row + ROWS * entries[k].column] = entries[k].value;
    CHECK(tn_qr_work(ROWS, COLUMNS) <= WORK);
    CHECK(tn_qr_rank(ROWS, COLUMNS, A, RANK_TOL, jpvt, tau, work, WORK) == COLUMNS);
    CHECK(tn_all_finite(ROWS * COLUMNS, A));
}

static void empty_matrices_are_legal(void)
{
    double x[1] = {3.0};
    int pivot[1];
    CHECK_OK(tn_lu_factor(0, x, pivot));
    tn_lu_solve(0, x, pivot, x);
    CHECK(tn_lu_rcond(0, x, 0.0, x, pivot) == 1.0);
    CHECK(tn_qr_rank(0, 1, x, RANK_TOL, pivot, x, x, 1) == 0);
    CHECK_OK(tn_singular_values(0, 5, NULL, NULL));
}

// R R^T with R of the given rank.
static void random_gram(int n, int rank, double *A)
{
    double R[N * N];
    random_of_rank(n, n, rank, R);
    tn_zero(n * n, A);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            tn_axpy(n, R[j + k * n], R + k * n, A + j * n);
}

static void definite_matrices_solve(void)
{
    for (int n = 1; n <= N; n++) {
        double A[N * N], F[N * N], x[N], b[N], y[N], pivot[N];
        random_gram(n, n, A);
        for (int i = 0; i < n; i++)
            A[i + i * n] += 1.0; // no smaller eigenvalue
        random_fill(n, x);
        multiply(n, n, A, x, b);
        tn_copy(n * n, A, F);
        tn_copy(n, b, y);
        CHECK_OK(tn_cholesky(n, F, RANK_TOL));
        tn_lower_solve(n, F, y);
        tn_lower_solve_t(n, F, y);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(y[i], x[i], 100.0 * ROUNDOFF);
        double roots[N];
        for (int i = 0; i < n; i++)
            roots[i] = F[i + i * n];
        tn_copy(n * n, A, F);
        tn_copy(n, b, y);
        CHECK_OK(tn_ldl(n, F, RANK_TOL, pivot));
        tn_ldl_solve(n, F, y);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(y[i], x[i], 100.0 * ROUNDOFF);
            CHECK_NEAR(pivot[i], roots[i] * roots[i], 100.0 * ROUNDOFF);
            CHECK_NEAR(F[i + i * n], 1.0 / pivot[i], ROUNDOFF);
        }
    }
}

static void matrices_that_are_not_definite_are_refused(void)
{
    double A[N * N], F[N * N], pivot[N];
    random_gram(N, N - 1, A);
    tn_copy(N * N, A, F);
    CHECK_STATUS(tn_cholesky(N, F, RANK_TOL), TN_RETRY_SINGULAR);
    tn_copy(N * N, A, F);
    CHECK_STATUS(tn_ldl(N, F, RANK_TOL, pivot), TN_RETRY_SINGULAR);
    for (int i = 0; i < N; i++)
        A[i + i * N] += 1.0;
    A[2] = NAN;
    tn_copy(N * N, A, F);
    CHECK_STATUS(tn_cholesky(N, F, RANK_TOL), TN_RETRY_SINGULAR);
    CHECK_STATUS(tn_ldl(N, A, RANK_TOL, pivot), TN_RETRY_SINGULAR);
}

static void only_singular_values_allocate(void)
{
    double A[N * N], x[M], tau[N], work[WORK], s[N];
    int pivot[N];
    const long before = tn_test_alloc_count();
    random_fill(N * N, A);
    CHECK_OK(tn_lu_factor(N, A, pivot));
    tn_lu_solve(N, A, pivot, x);
    random_fill(N * N, A);
    tn_qr_rank(N, N, A, RANK_TOL, pivot, tau, work, WORK);
    CHECK(tn_test_alloc_count() == before);

    random_fill(N * N, A);
    tn_test_alloc_fail_at(1);
    CHECK_STATUS(tn_singular_values(N, N, A, s), TN_ERR_MEMORY);
    CHECK_TEXT(tn_last_error(), "singular values of a 12 x 12 matrix: out of memory");
}

static const tn_test tests[] = {
    {"vector operations follow their definitions", vector_operations_follow_their_definitions},
    {"one number that is not finite is seen", one_number_that_is_not_finite_is_seen},
    {"one bit tells vectors apart", one_bit_tells_vectors_apart},
    {"LU solves", lu_solves},
    {"bands solve as full matrices", bands_solve_as_full_matrices},
    {"LU refuses a zero pivot and NaN", lu_refuses_a_zero_pivot_and_nan},
    {"definite matrices solve", definite_matrices_solve},
    {"matrices that are not definite are refused", matrices_that_are_not_definite_are_refused},
    {"rcond of a diagonal is the ratio of its ends", rcond_of_a_diagonal_is_the_ratio_of_its_ends},
    {"QR and singular values find the rank", qr_and_singular_values_find_the_rank},
    {"QR gives the matrix back", qr_gives_the_matrix_back},
    {"tiny numbers do not hide the rank", tiny_numbers_do_not_hide_the_rank},
    {"denormal numbers do not hide the rank", denormal_numbers_do_not_hide_the_rank},
    {"empty matrices are legal", empty_matrices_are_legal},
    {"only singular values allocate", only_singular_values_allocate},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
