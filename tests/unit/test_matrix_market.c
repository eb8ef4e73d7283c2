// SPDX-License-Identifier: MIT
//
// Matrix Market files: what they hold, and what is wrong with them.

#include "reduce/matrix_market.h"
#include "test.h"

static tn_sparse *A;

static tn_status read_text_file(const char *text)
{
    tn_sparse_destroy(A);
    tn_test_write("a.mtx", text, strlen(text));
    return tn_matrix_market_read("a.mtx", &A);
}

static void symmetric_matrices_are_stored_in_full(void)
{
    CHECK_OK(read_text_file("%%MatrixMarket matrix coordinate real symmetric\n"
                            "% a comment\n\n"
                            "3 3 4\n"
                            "1 1 2.5\n2 1 -1e-3\r\n% another\n3 3 4\n3 3 0.5\n"));
    CHECK(A->nrow == 3 && A->ncol == 3 && A->nnz == 4);
    CHECK(tn_sparse_at(A, 0, 0) == 2.5 && tn_sparse_at(A, 2, 2) == 4.5);
    CHECK(tn_sparse_at(A, 1, 0) == -1e-3 && tn_sparse_at(A, 0, 1) == -1e-3);
}

static void general_matrices_are_read_as_they_are(void)
{
    CHECK_OK(
        read_text_file("%%matrixmarket MATRIX Coordinate Integer General\n2 3 2\n1 3 7\n2 1 5"));
    CHECK(A->nrow == 2 && A->ncol == 3);
    CHECK(tn_sparse_at(A, 0, 2) == 7.0 && tn_sparse_at(A, 1, 0) == 5.0);
}

#define HEAD "%%MatrixMarket matrix coordinate real symmetric\n"

static void mistakes_are_told_with_their_line(void)
{
    static const char *const wrong[][2] = {
        {"", "a.mtx: the file is empty"},
        {"1 1 1\n", "a.mtx:1: expected '%%MatrixMarket', found '1'; the file must begin with "
                    "'%%MatrixMarket matrix coordinate real symmetric' (or general)"},
        {"%%MatrixMarket matrix array real general\n",
         "a.mtx:1: expected 'coordinate', found 'array'; the file must begin with "
         "'%%MatrixMarket matrix coordinate real symmetric' (or general)"},
        {"%%MatrixMarket matrix coordinate complex general\n",
         "a.mtx:1: entries are 'complex'; they must be real or integer"},
        {"%%MatrixMarket matrix coordinate real hermitian\n",
         "a.mtx:1: the matrix is 'hermitian'; it must be symmetric or general"},
        {HEAD, "a.mtx: the line of sizes is missing"},
        {HEAD "3 3\n", "a.mtx:2: number of entries is missing"},
        {HEAD "3 4 1\n", "a.mtx:2: a symmetric matrix of 3 x 4; it must be square"},
        {HEAD "999999991 999999991 1\n1 1 2\n",
         "a.mtx:2: a matrix of 999999991 x 999999991 with 1 entries, of which nearly all rows or "
         "columns are empty; check the line of sizes"},
        {HEAD "3 3 1\n4 1 2\n", "a.mtx:3: row is 4; it must be from 1 to 3"},
        {HEAD "3 3 1\n1 0 2\n", "a.mtx:3: column is 0; it must be from 1 to 3"},
        {HEAD "3 3 1\n1 1 two\n", "a.mtx:3: value: expected a number, found 'two'"},
        {HEAD "3 3 1\n1 1 nan\n", "a.mtx:3: value: expected a number, found 'nan'"},
        {HEAD "3 3 1\n1 1\n", "a.mtx:3: value is missing"},
        {HEAD "3 3 1\n1 1 2 3\n",
         "a.mtx:3: '3' behind the value; a line has row, column and value"},
        {HEAD "3 3 1\n1.5 1 2\n", "a.mtx:3: row: expected an integer, found '1.5'"},
        {HEAD "3 3 1\n1 2 2\n",
         "a.mtx:3: entry (1, 2) is above the diagonal; of a symmetric matrix "
         "the lower triangle is given"},
        {HEAD "3 3 1\n1 1 2\n2 2 2\n",
         "a.mtx:4: more than the 1 entries that the line of sizes tells of"},
        {HEAD "3 3 5\n1 1 2\n2 2 2\n", "a.mtx: it ends after 2 of 5 entries"},
    };
    for (int i = 0; i < TN_COUNT(wrong); i++) {
        CHECK_STATUS(read_text_file(wrong[i][0]), TN_ERR_FILE);
        CHECK(A == NULL);
        CHECK_TEXT(tn_last_error(), wrong[i][1]);
    }
    CHECK_STATUS(tn_matrix_market_read("absent.mtx", &A), TN_ERR_FILE);
    CHECK(tn_test_says("absent.mtx"));
    tn_test_write("a.mtx", "a\0b", 3);
    CHECK_STATUS(tn_matrix_market_read("a.mtx", &A), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "a.mtx: this is no text: it holds a byte 0");
}

static const tn_test tests[] = {
    {"symmetric matrices are stored in full", symmetric_matrices_are_stored_in_full},
    {"general matrices are read as they are", general_matrices_are_read_as_they_are},
    {"mistakes are told with their line", mistakes_are_told_with_their_line},
};

int main(int argc, char **argv)
{
    const int failed = tn_run_tests(tests, TN_COUNT(tests), argc, argv);
    tn_sparse_destroy(A);
    return failed;
}
