// SPDX-License-Identifier: MIT
//
// Matrix Market files; see matrix_market.h.

#include "reduce/matrix_market.h"

#include "linalg/entries.h"
#include "text/lines.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <strings.h>

// %%MatrixMarket matrix coordinate real symmetric
static tn_status read_banner(tn_lines *l, bool *symmetric)
{
    static const char *const expected[] = {"%%MatrixMarket", "matrix", "coordinate"};
    if (!tn_lines_next(l))
        return tn_fail(TN_ERR_FILE, "%s: the file is empty", l->path);
    for (int i = 0; i < 3; i++) {
        const char *word = tn_lines_word(l, false);
        if (!word || strcasecmp(word, expected[i]) != 0)
            return tn_lines_fail(l,
                                 "expected '%s', found '%.40s'; the file must begin with "
                                 "'%%%%MatrixMarket matrix coordinate real symmetric' (or general)",
                                 expected[i], word ? word : "");
    }
    const char *numbers = tn_lines_word(l, false), *shape = tn_lines_word(l, false);
    if (!numbers || (strcasecmp(numbers, "real") != 0 && strcasecmp(numbers, "integer") != 0 &&
                     strcasecmp(numbers, "double") != 0))
        return tn_lines_fail(l, "entries are '%.40s'; they must be real or integer",
                             numbers ? numbers : "");
    *symmetric = shape && strcasecmp(shape, "symmetric") == 0;
    if (!*symmetric && (!shape || strcasecmp(shape, "general") != 0))
        return tn_lines_fail(l, "the matrix is '%.40s'; it must be symmetric or general",
                             shape ? shape : "");
    return TN_OK;
}

// The next line that is no comment and not empty.
static bool next_content(tn_lines *l)
{
    while (tn_lines_next(l))
        if (*l->at != '%' && l->at[strspn(l->at, " \t\r")])
            return true;
    return false;
}

static tn_status read_sizes(tn_lines *l, int *nrow, int *ncol, int *n)
{
    if (!next_content(l))
        return tn_fail(TN_ERR_FILE, "%s: the line of sizes is missing", l->path);
    TN_TRY(tn_lines_integer(l, tn_lines_word(l, false), "number of rows", 1, INT_MAX - 1, nrow));
    TN_TRY(tn_lines_integer(l, tn_lines_word(l, false), "number of columns", 1, INT_MAX - 1, ncol));
    return tn_lines_integer(l, tn_lines_word(l, false), "number of entries", 0, INT_MAX - 1, n);
}

static tn_status read_entry(tn_lines *l, bool symmetric, int nrow, int ncol, tn_entries *e)
{
    int row, col;
    double value;
    TN_TRY(tn_lines_integer(l, tn_lines_word(l, false), "row", 1, nrow, &row));
    TN_TRY(tn_lines_integer(l, tn_lines_word(l, false), "column", 1, ncol, &col));
    TN_TRY(tn_lines_number(l, tn_lines_word(l, false), "value", &value));
    const char *more = tn_lines_word(l, false);
    if (more)
        return tn_lines_fail(l, "'%.40s' behind the value; a line has row, column and value", more);
    if (symmetric && col > row)
        return tn_lines_fail(l,
                             "entry (%d, %d) is above the diagonal; of a symmetric matrix the "
                             "lower triangle is given",
                             row, col);
    TN_TRY(tn_entries_add(e, row - 1, col - 1, value));
    return symmetric && row != col ? tn_entries_add(e, col - 1, row - 1, value) : TN_OK;
}

// Rows and columns beside each entry: memory is taken for all of them. Matrices of finite elements
// have as many entries as rows.
static const double MOST_EMPTY = 1000.0;

static tn_status read_market(tn_lines *l, tn_entries *e, tn_sparse **out)
{
    bool symmetric = false;
    int nrow = 0, ncol = 0, n = 0, count = 0;
    TN_TRY(read_banner(l, &symmetric));
    TN_TRY(read_sizes(l, &nrow, &ncol, &n));
    if (symmetric && nrow != ncol)
        return tn_lines_fail(l, "a symmetric matrix of %d x %d; it must be square", nrow, ncol);
    if (fmax(nrow, ncol) > MOST_EMPTY + MOST_EMPTY * (double)n)
        return tn_lines_fail(l,
                             "a matrix of %d x %d with %d entries, of which nearly all rows or "
                             "columns are empty; check the line of sizes",
                             nrow, ncol, n);
    while (next_content(l)) {
        if (count++ == n)
            return tn_lines_fail(l, "more than the %d entries that the line of sizes tells of", n);
        TN_TRY(read_entry(l, symmetric, nrow, ncol, e));
    }
    if (count < n)
        return tn_fail(TN_ERR_FILE, "%s: it ends after %d of %d entries", l->path, count, n);
    return tn_entries_finish(e, nrow, ncol, out);
}

tn_status tn_matrix_market_read(const char *path, tn_sparse **out)
{
    tn_lines l;
    tn_entries e = {0};
    *out = NULL;
    tn_status s = tn_lines_open(path, &l);
    TN_THEN(s, read_market(&l, &e, out));
    tn_entries_clear(&e);
    tn_lines_close(&l);
    return s;
}
