// SPDX-License-Identifier: MIT
//
// Sparse matrices against dense ones: slots, products, and compositions.

#include "linalg/sparse.h"
#include "test.h"

static const double ROUNDOFF = 1e-14; // sums of at most 20 numbers of size one

// Row blocks of 2, 0, 3, 1 and column blocks of 3, 2, 0; declared out of order and with repeats.
static const int rowsize[] = {2, 0, 3, 1}, colsize[] = {3, 2, 0};
static const tn_pair_index pairs[] = {{3, 1}, {0, 0}, {2, 1}, {1, 0}, {3, 0}, {0, 0}, {2, 2}};
enum { NROW = 6, NCOL = 5, NNZ = 2 * 3 + 3 * 2 + 1 * 3 + 1 * 2 };

static tn_sparse *example(void)
{
    tn_sparse *A = NULL;
    CHECK_OK(tn_sparse_create(TN_COUNT(rowsize), rowsize, TN_COUNT(colsize), colsize,
                              TN_COUNT(pairs), pairs, &A));
    for (int k = 0; k < A->nnz; k++)
        A->val[k] = tn_random();
    return A;
}

// A random pattern of single entries.
static tn_sparse *random_sparse(int nrow, int ncol, int npair)
{
    int *ones = malloc((size_t)(nrow > ncol ? nrow : ncol) * sizeof(int));
    tn_pair_index *at = malloc((size_t)npair * sizeof(*at));
    tn_sparse *A = NULL;
    for (int i = 0; i < (nrow > ncol ? nrow : ncol); i++)
        ones[i] = 1;
    for (int k = 0; k < npair; k++)
        at[k] = (tn_pair_index){(int)(0.5 * (1.0 + tn_random()) * nrow),
                                (int)(0.5 * (1.0 + tn_random()) * ncol)};
    CHECK_OK(tn_sparse_create(nrow, ones, ncol, ones, npair, at, &A));
    for (int k = 0; k < A->nnz; k++)
        A->val[k] = tn_random();
    free(ones);
    free(at);
    return A;
}

static bool rows_increase(const tn_sparse *A)
{
    for (int j = 0; j < A->ncol; j++)
        for (int k = A->colptr[j] + 1; k < A->colptr[j + 1]; k++)
            if (A->rowind[k] <= A->rowind[k - 1])
                return false;
    return A->colptr[0] == 0 && A->colptr[A->ncol] == A->nnz;
}

static void declared_blocks_make_the_pattern(void)
{
    tn_sparse *A = example();
    CHECK(A->nrow == NROW && A->ncol == NCOL && A->nnz == NNZ);
    CHECK(rows_increase(A));
    CHECK(tn_sparse_slot(A, 0, 1).offset == -1);
    CHECK(tn_sparse_slot(A, 2, 0).offset == -1);
    CHECK(tn_sparse_slot(A, 2, 1).offset == 0);
    CHECK(tn_sparse_slot(A, 3, 1).offset == 3);
    tn_sparse_destroy(A);
}

static void slots_write_where_they_should(void)
{
    tn_sparse *A = example();
    double block[3 * 4]; // row major with a leading dimension larger than the block
    for (int k = 0; k < 12; k++)
        block[k] = tn_random();
    for (int I = 0; I < A->nrowblk; I++)
        for (int J = 0; J < A->ncolblk; J++) {
            const tn_slot at = tn_sparse_slot(A, I, J);
            double before[NROW * NCOL], after[NROW * NCOL];
            tn_sparse_to_dense(A, before);
            tn_sparse_add(A, at, -2.0, block, 4);
            tn_sparse_to_dense(A, after);
            for (int i = 0; i < NROW; i++)
                for (int j = 0; j < NCOL; j++) {
                    const int bi = i - A->rowstart[I], bj = j - A->colstart[J];
                    const bool inside =
                        at.offset >= 0 && bi >= 0 && bi < rowsize[I] && bj >= 0 && bj < colsize[J];
                    CHECK_NEAR(after[i + j * NROW] - before[i + j * NROW],
                               inside ? -2.0 * block[4 * bi + bj] : 0.0, ROUNDOFF);
                }
        }
    tn_sparse_clear(A);
    CHECK(tn_sparse_norm1(A) == 0.0);
    tn_sparse_destroy(A);
}

static void products_and_norm_equal_the_dense_ones(void)
{
    tn_sparse *A = example();
    double D[NROW * NCOL], x[NCOL], y[NROW], Ax[NROW] = {0}, Aty[NCOL] = {0}, norm = 0.0;
    tn_sparse_to_dense(A, D);
    for (int j = 0; j < NCOL; j++)
        x[j] = tn_random();
    for (int i = 0; i < NROW; i++)
        y[i] = tn_random();
    tn_sparse_mul(A, 1.5, x, Ax);
    tn_sparse_mul_t(A, -0.5, y, Aty);
    for (int j = 0; j < NCOL; j++) {
        double column = 0.0, size = 0.0;
        for (int i = 0; i < NROW; i++) {
            CHECK(tn_sparse_at(A, i, j) == D[i + j * NROW]);
            Ax[i] -= 1.5 * D[i + j * NROW] * x[j];
            column += D[i + j * NROW] * y[i];
            size += fabs(D[i + j * NROW]);
        }
        CHECK_NEAR(Aty[j], -0.5 * column, ROUNDOFF);
        norm = fmax(norm, size);
    }
    for (int i = 0; i < NROW; i++)
        CHECK_NEAR(Ax[i], 0.0, ROUNDOFF);
    CHECK_NEAR(tn_sparse_norm1(A), norm, ROUNDOFF);
    tn_sparse_destroy(A);
}

// [M B^T; B 0] + diagonals, with M placed twice so that two placements share every slot of it.
static void a_composition_equals_the_dense_sum(void)
{
    enum { NM = 14, NB = 5, NN = NM + NB };
    tn_sparse *M = random_sparse(NM, NM, 60), *B = random_sparse(NB, NM, 30);
    const tn_placement places[] = {
        {.source = M},
        {.source = B, .row0 = NM},
        {.source = B, .col0 = NM, .transposed = true},
        {.size = NN},
        {.source = M, .transposed = true},
        {.size = 3, .row0 = 1, .col0 = 4},
        {.source = M},
    };
    const double weight[] = {1.0, 2.0, 3.0, 0.5, -1.0, 7.0, 0.25};
    double diagonal[NN], expected[NN * NN] = {0}, actual[NN * NN];
    for (int i = 0; i < NN; i++)
        diagonal[i] = tn_random();

    tn_composition c;
    CHECK_OK(tn_sparse_compose(NN, NN, TN_COUNT(places), places, &c));
    CHECK(c.matrix->nrow == NN && c.matrix->ncol == NN && c.matrix->rowstart == NULL);
    CHECK(rows_increase(c.matrix));
    for (int k = 0; k < TN_COUNT(places); k++) {
        const tn_placement *p = &places[k];
        const tn_sparse *S = p->source;
        tn_sparse_scatter(c.matrix->val, c.maps[k], S ? S->nnz : p->size, weight[k],
                          S ? S->val : diagonal);
        for (int i = 0; i < (S ? S->nrow : p->size); i++)
            for (int j = 0; j < (S ? S->ncol : p->size); j++) {
                const int row = p->row0 + (p->transposed ? j : i);
                const int col = p->col0 + (p->transposed ? i : j);
                expected[row + col * NN] +=
                    weight[k] * (S ? tn_sparse_at(S, i, j) : (i == j ? diagonal[i] : 0.0));
            }
    }
    tn_sparse_to_dense(c.matrix, actual);
    for (int k = 0; k < NN * NN; k++)
        CHECK_NEAR(actual[k], expected[k], ROUNDOFF);
    for (int i = 0; i < M->nnz; i++)
        CHECK(c.maps[0][i] == c.maps[6][i]);

    tn_composition_clear(&c);
    tn_composition_clear(&c); // zeroed is fine
    tn_sparse_destroy(M);
    tn_sparse_destroy(B);
}

static void empty_matrices_are_legal(void)
{
    tn_sparse *A = NULL;
    CHECK_OK(tn_sparse_create(0, NULL, 1, (int[]){2}, 0, NULL, &A));
    CHECK(A->nrow == 0 && A->ncol == 2 && A->nnz == 0);
    double x[2] = {1, 1}, y[2] = {0};
    tn_sparse_mul(A, 1.0, x, NULL);
    tn_sparse_mul_t(A, 1.0, NULL, y);
    CHECK(y[0] == 0.0 && y[1] == 0.0);

    tn_composition c;
    CHECK_OK(tn_sparse_compose(2, 2, 1, &(tn_placement){.source = A}, &c));
    CHECK(c.matrix->nnz == 0 && rows_increase(c.matrix));
    tn_composition_clear(&c);
    CHECK_OK(tn_sparse_compose(2, 2, 0, NULL, &c));
    CHECK(c.matrix->nnz == 0);
    tn_composition_clear(&c);
    tn_sparse_destroy(A);
}

// A quadratic algorithm would need minutes here.
static void a_million_entries_are_composed(void)
{
    enum { BIG = 200000 };
    tn_sparse *A = random_sparse(BIG, BIG, 5 * BIG);
    const tn_placement places[] = {{.source = A}, {.source = A, .transposed = true}, {.size = BIG}};
    tn_composition c;
    CHECK(A->nnz > 900000);
    CHECK_OK(tn_sparse_compose(BIG, BIG, TN_COUNT(places), places, &c));
    CHECK(rows_increase(c.matrix));
    double total = 0.0, placed = 0.0; // sums of all values, exact in integers
    for (int k = 0; k < A->nnz; k++)
        placed += A->val[k] = (double)(k % 7);
    tn_sparse_scatter(c.matrix->val, c.maps[0], A->nnz, 1.0, A->val);
    tn_sparse_scatter(c.matrix->val, c.maps[1], A->nnz, 1.0, A->val);
    for (int k = 0; k < c.matrix->nnz; k++)
        total += c.matrix->val[k];
    CHECK(total == 2.0 * placed);
    tn_composition_clear(&c);
    tn_sparse_destroy(A);
}

static void sizes_beyond_int_are_refused(void)
{
    const int huge[] = {1 << 20, 1 << 20};
    tn_sparse *A = NULL;
    CHECK_STATUS(tn_sparse_create(2, huge, 2, huge, 1, &(tn_pair_index){0, 1}, &A), TN_ERR_USAGE);
    CHECK(A == NULL);
    CHECK_TEXT(tn_last_error(),
               "sparse matrix: 2097152 x 2097152 with 1099511627776 entries is too large, at most "
               "2147483646 rows, columns and entries are possible");
}

static void failing_memory_is_reported_and_nothing_is_lost(void)
{
    tn_sparse *A = example();
    const tn_placement place = {.source = A};
    const long live = tn_test_alloc_live();
    for (int n = 1;; n++) {
        tn_sparse *S = NULL;
        tn_composition c = {0};
        tn_test_alloc_fail_at(n);
        tn_status s = tn_sparse_create(TN_COUNT(rowsize), rowsize, TN_COUNT(colsize), colsize,
                                       TN_COUNT(pairs), pairs, &S);
        if (s == TN_OK)
            s = tn_sparse_compose(NROW, NROW, 1, &place, &c);
        const bool failed = tn_test_alloc_failed();
        CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK));
        tn_composition_clear(&c);
        tn_sparse_destroy(S);
        CHECK(tn_test_alloc_live() == live);
        if (!failed)
            break;
    }
    tn_test_alloc_fail_at(0);
    tn_sparse_destroy(A);
}

static const tn_test tests[] = {
    {"declared blocks make the pattern", declared_blocks_make_the_pattern},
    {"slots write where they should", slots_write_where_they_should},
    {"products and norm equal the dense ones", products_and_norm_equal_the_dense_ones},
    {"a composition equals the dense sum", a_composition_equals_the_dense_sum},
    {"empty matrices are legal", empty_matrices_are_legal},
    {"a million entries are composed", a_million_entries_are_composed},
    {"sizes beyond int are refused", sizes_beyond_int_are_refused},
    {"failing memory is reported and nothing is lost",
     failing_memory_is_reported_and_nothing_is_lost},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
