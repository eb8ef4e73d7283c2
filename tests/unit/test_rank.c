// SPDX-License-Identifier: MIT
//
// The rank of rows that depend on each other by construction, and their combinations.

#include "linalg/dense.h"
#include "linalg/solver.h"
#include "test.h"

static const double RANK_TOL = 1e-8;   // between round-off and the entries of size one
static const double AGREEMENT = 1e-12; // relative; random rows, well conditioned

static double *random_vector(int n)
{
    double *x = malloc((size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        x[i] = tn_random();
    return x;
}

// Rows 0 ... 4 and 7 are random, 5 is zero, 6 = 2 (0) - 3 (3), 8 = (1) + (7).
enum { ROWS = 9, DEPENDENT = 3 };

// `repeats` such blocks along the diagonal.
static tn_sparse *dependent_rows(int ncol, int repeats)
{
    int *height = malloc((size_t)repeats * sizeof(int)),
        *width = malloc((size_t)repeats * sizeof(int));
    tn_pair_index *pairs = malloc((size_t)repeats * sizeof(*pairs));
    tn_sparse *A = NULL;
    for (int k = 0; k < repeats; k++) {
        pairs[k] = (tn_pair_index){k, k};
        height[k] = ROWS;
        width[k] = ncol;
    }
    CHECK_OK(tn_sparse_create(repeats, height, repeats, width, repeats, pairs, &A));
    for (int j = 0; j < A->ncol; j++) {
        double *a = A->val + A->colptr[j];
        for (int i = 0; i < ROWS; i++)
            a[i] = tn_random() * pow(10.0, i - 4); // lengths of rows differ
        a[5] = 0.0;
        a[6] = 2.0 * a[0] - 3.0 * a[3];
        a[8] = a[1] + a[7];
    }
    free(height);
    free(width);
    free(pairs);
    return A;
}

static void the_first_of_dependent_rows_are_kept(void)
{
    static const int expected[ROWS] = {1, 1, 1, 1, 1, 0, 0, 1, 0};
    tn_sparse *A = dependent_rows(11, 3);
    int independent[3 * ROWS], rank = 0;
    CHECK_OK(tn_row_rank(A, RANK_TOL, independent, &rank));
    CHECK(rank == 3 * (ROWS - DEPENDENT));
    for (int i = 0; i < 3 * ROWS; i++)
        CHECK(independent[i] == expected[i % ROWS]);
    tn_sparse_destroy(A);
}

static void more_rows_than_columns_have_the_rank_of_the_columns(void)
{
    tn_sparse *A = dependent_rows(4, 1);
    int independent[ROWS], rank = 0;
    CHECK_OK(tn_row_rank(A, RANK_TOL, independent, &rank));
    CHECK(rank == 4);
    for (int i = 0; i < ROWS; i++)
        CHECK(independent[i] == (i < 4));
    tn_sparse_destroy(A);
}

static void the_scan_finds_the_rank_that_pivoted_qr_finds(void)
{
    enum { M = 20, N = 14, WORK = 4096 };
    for (int rank = 1; rank <= N; rank++) {
        const int nrow = M, ncol = N;
        tn_sparse *A = NULL;
        CHECK_OK(tn_sparse_create(1, &nrow, 1, &ncol, 1, &(tn_pair_index){0, 0}, &A));
        double *left = random_vector(M * rank), *right = random_vector(rank * N);
        double At[N * M] = {0}, tau[N], work[WORK];
        int jpvt[M], independent[M], found = 0, sum = 0;
        for (int j = 0; j < N; j++)
            for (int i = 0; i < M; i++) {
                A->val[i + j * M] = 0.0;
                for (int k = 0; k < rank; k++)
                    A->val[i + j * M] += left[i + k * M] * right[k + j * rank];
                At[j + i * N] = A->val[i + j * M];
            }
        CHECK_OK(tn_row_rank(A, RANK_TOL, independent, &found));
        CHECK(found == rank);
        CHECK(tn_qr_rank(N, M, At, RANK_TOL, jpvt, tau, work, WORK) == rank);
        for (int i = 0; i < M; i++)
            sum += independent[i];
        CHECK(sum == rank);
        tn_sparse_destroy(A);
        free(left);
        free(right);
    }
}

static tn_status combine(const tn_sparse *A, const int *independent, int row, double *coefficient,
                         double *misfit)
{
    tn_row_basis *basis;
    TN_TRY(tn_row_basis_create(A, independent, &basis));
    const tn_status s = tn_row_basis_combine(basis, 1, &row, coefficient, misfit);
    tn_row_basis_destroy(basis);
    return s;
}

static void check_combination(const tn_sparse *A, const int *independent, int i, const double *c,
                              double *row)
{
    double size = 0.0;
    for (int j = 0; j < A->ncol; j++) {
        row[j] = tn_sparse_at(A, i, j);
        size = fmax(size, fabs(row[j]));
    }
    tn_sparse_mul_t(A, -1.0, c, row);
    CHECK_NEAR(tn_norm_inf(A->ncol, row), 0.0, AGREEMENT * size);
    for (int k = 0; k < A->nrow; k++)
        CHECK(independent[k] || c[k] == 0.0);
}

// `most` dependent rows, all at a time.
static void check_combinations(const tn_sparse *A, const int *independent, int most)
{
    const size_t n = (size_t)A->nrow;
    double *c = malloc(n * (size_t)most * sizeof *c), *misfit = malloc((size_t)most * sizeof *c);
    double *row = malloc((size_t)A->ncol * sizeof(double));
    int *which = malloc((size_t)most * sizeof *which), count = 0;
    tn_row_basis *basis;
    for (int i = 0; i < A->nrow && count < most; i++)
        if (!independent[i])
            which[count++] = i;
    CHECK_OK(tn_row_basis_create(A, independent, &basis));
    CHECK_OK(tn_row_basis_combine(basis, count, which, c, misfit));
    tn_row_basis_destroy(basis);
    for (int k = 0; k < count; k++) {
        CHECK_NEAR(misfit[k], 0.0, AGREEMENT);
        check_combination(A, independent, which[k], c + (size_t)k * n, row);
    }
    free(c);
    free(misfit);
    free(row);
    free(which);
}

static void dependent_rows_are_combinations_of_the_independent_ones(void)
{
    tn_sparse *A = dependent_rows(11, 2);
    int independent[2 * ROWS], rank = 0;
    double c[2 * ROWS], misfit = NAN;
    CHECK_OK(tn_row_rank(A, RANK_TOL, independent, &rank));
    check_combinations(A, independent, 2 * ROWS);
    CHECK_OK(combine(A, independent, 6, c, &misfit));
    CHECK_NEAR(c[0], 2.0, 1e4 * AGREEMENT); // rows 0 and 3 differ in length by 1e3
    CHECK_NEAR(c[3], -3.0, 1e4 * AGREEMENT);
    CHECK_OK(combine(A, independent, 5, c, &misfit)); // a zero row
    CHECK(misfit == 0.0 && tn_norm_inf(2 * ROWS, c) == 0.0);

    independent[0] = 0; // without it row 6 cannot be written
    CHECK_OK(combine(A, independent, 6, c, &misfit));
    CHECK(misfit > 1e-6 && misfit <= 1.0);
    const int none[2 * ROWS] = {0};
    CHECK_OK(combine(A, none, 6, c, &misfit));
    CHECK(misfit == 1.0);
    tn_sparse_destroy(A);
}

static void large_matrices_have_the_rank_of_their_blocks(void)
{
    enum { BLOCKS = 300 }; // 2700 x 3300: beyond the dense size
    tn_sparse *A = dependent_rows(11, BLOCKS);
    int *independent = malloc((size_t)A->nrow * sizeof(int)), rank = 0, sum = 0;
    CHECK_OK(tn_row_rank(A, RANK_TOL, independent, &rank));
    CHECK(rank == BLOCKS * (ROWS - DEPENDENT));
    for (int i = 0; i < A->nrow; i++) {
        sum += independent[i];
        CHECK(i % ROWS != 5 || !independent[i]);
    }
    CHECK(sum == rank);
    check_combinations(A, independent, 10);
    free(independent);
    tn_sparse_destroy(A);
}

static void a_row_that_is_not_finite_is_an_error(void)
{
    tn_sparse *A = dependent_rows(11, 1);
    int independent[ROWS], rank = 0;
    A->val[2] = INFINITY;
    CHECK_STATUS(tn_row_rank(A, RANK_TOL, independent, &rank), TN_ERR_NUMERIC);
    CHECK_TEXT(tn_last_error(), "rank of a 9 x 11 matrix: row 2 is not finite");
    tn_sparse_destroy(A);
}

static void failing_memory_is_reported_and_nothing_is_lost(void)
{
    tn_sparse *A = dependent_rows(11, 1);
    const long live = tn_test_alloc_live();
    bool failed = true;
    for (int n = 1; failed; n++) {
        int independent[ROWS], rank = 0;
        double coefficient[ROWS], misfit = 0.0;
        tn_test_alloc_fail_at(n);
        tn_status s = tn_row_rank(A, RANK_TOL, independent, &rank);
        if (s == TN_OK)
            s = combine(A, independent, 6, coefficient, &misfit);
        failed = tn_test_alloc_failed();
        CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK));
        CHECK(tn_test_alloc_live() == live);
    }
    tn_test_alloc_fail_at(0);
    tn_sparse_destroy(A);
}

static const tn_test tests[] = {
    {"the first of dependent rows are kept", the_first_of_dependent_rows_are_kept},
    {"more rows than columns have the rank of the columns",
     more_rows_than_columns_have_the_rank_of_the_columns},
    {"the scan finds the rank that pivoted QR finds",
     the_scan_finds_the_rank_that_pivoted_qr_finds},
    {"dependent rows are combinations of the independent ones",
     dependent_rows_are_combinations_of_the_independent_ones},
    {"large matrices have the rank of their blocks", large_matrices_have_the_rank_of_their_blocks},
    {"a row that is not finite is an error", a_row_that_is_not_finite_is_an_error},
    {"failing memory is reported and nothing is lost",
     failing_memory_is_reported_and_nothing_is_lost},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
