// SPDX-License-Identifier: MIT
//
// Sparsity patterns of the equations of motion: the blocks of an example of the literature,
// symmetry, what loops and couplings add, and pictures of all models.

#include "tenon/tenon.h"
#include "test.h"

#include "base/alloc.h"
#include "text/target.h"

#include <dirent.h>
#include <stdlib.h>

enum { MOST = 20000 };

typedef struct nonzero {
    int row, column, ordered_row, ordered_column;
    int block_row, block_column, block_rows, block_columns;
} nonzero;

static nonzero found[MOST];

static char *draw(const tn_model *model, const char *path, tn_pattern_told *told)
{
    char *text = NULL;
    size_t length = 0;
    CHECK_OK(tn_model_draw_pattern(model, path, told));
    CHECK_OK(tn_file_read(path, 1 << 26, &text, &length));
    CHECK(length == strlen(text));
    return text;
}

static tn_model *model_of(const char *text)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "m.yaml", &model, NULL));
    return model;
}

// All nonzeros of a model.
static int nonzeros_of(const tn_model *model, tn_pattern_told *told)
{
    int n = 0;
    char *text = draw(model, "pattern.csv", told);
    for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        nonzero *x = &found[n++];
        CHECK(n < MOST);
        CHECK(sscanf(line, "%d,%d,%d,%d,%d,%d,%d,%d,", &x->row, &x->column, &x->ordered_row,
                     &x->ordered_column, &x->block_row, &x->block_column, &x->block_rows,
                     &x->block_columns) == 8);
    }
    tn_free(text);
    CHECK(n == told->nonzeros);
    return n;
}

static int in_block(int n, int row, int column)
{
    int count = 0;
    for (int k = 0; k < n; k++)
        count += found[k].block_row == row && found[k].block_column == column;
    return count;
}

// The tree of Fig. 8 with joints of 4, 2, 5, 1 and 2 freedoms [Arn16, Example 7].
static const char tree[] =
    "tenon: 1\n"
    "bodies:\n"
    "  one: {mass: 1, inertia: [0.1, 0.2, 0.15], initial: {position: [1, 0, 0]}}\n"
    "  two: {mass: 2, inertia: [0.1, 0.2, 0.15], initial: {position: [2, 0, 0]}}\n"
    "  three: {mass: 3, inertia: [0.1, 0.2, 0.15], initial: {position: [3, 0, 0]}}\n"
    "  four: {mass: 4, inertia: [0.1, 0.2, 0.15], initial: {position: [4, 0, 0]}}\n"
    "  five: {mass: 5, inertia: [0.1, 0.2, 0.15], initial: {position: [2, 1, 0]}}\n"
    "joints:\n"
    "  a: {kind: point-on-line, bodies: [ground, one], at: [0.5, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {kind: universal, bodies: [one, two], at: [1.5, 0, 0]}\n"
    "  c: {kind: point-in-plane, bodies: [two, three], at: [2.5, 0, 0], axis: [1, 0, 0]}\n"
    "  d: {kind: revolute, bodies: [three, four], at: [3.5, 0, 0], axis: [0, 0, 1]}\n"
    "  e: {kind: cylindrical, bodies: [two, five], at: [2, 0.5, 0], axis: [0, 1, 0]}\n";

// Diagonal blocks of 14, 13, 17, 14 and 16, tridiagonal but for (4, 1) and (1, 4), where the tree
// has a ramification; diagonal blocks have at least M, K and K^T.
static void a_tree_has_the_blocks_of_the_example(void)
{
    static const int size[] = {14, 13, 17, 14, 16};
    tn_model *model = model_of(tree);
    tn_pattern_told told;
    const int n = nonzeros_of(model, &told);
    CHECK(told.unknowns == 5 * 12 + 4 + 2 + 5 + 1 + 2 && told.blocks == 5);
    for (int i = 1; i <= 5; i++)
        for (int j = 1; j <= 5; j++) {
            const int count = in_block(n, i, j);
            const bool chain = abs(i - j) == 1 && i + j != 3; // 5 does not stand on 4
            const bool branch = (i == 4 && j == 1) || (i == 1 && j == 4);
            if (i == j)
                CHECK(count >= 12 + 6 + 6);
            else
                CHECK(count == (chain || branch ? 12 : 0)); // I, the lever, and I again
        }
    for (int k = 0; k < n; k++) {
        CHECK(found[k].block_rows == size[found[k].block_row - 1]);
        CHECK(found[k].block_columns == size[found[k].block_column - 1]);
    }
    CHECK(in_block(n, 2, 2) == 12 + 2 * (6 + 6));     // a revolute joint: one column of J
    CHECK(in_block(n, 1, 1) == 12 + 2 * (6 + 6 + 3)); // of a cylindrical one half slides
    CHECK(in_block(n, 3, 3) == 12 + 2 * (6 + 5 * 6));
    tn_model_destroy(model);
}

// Both orders hold the same entries, symmetric, each place once.
static void check_orders(int n, const tn_pattern_told *told)
{
    static int place[MOST];
    memset(place, 0, sizeof place);
    int band = 0, ordered = 0;
    for (int k = 0; k < n; k++) {
        const nonzero *x = &found[k];
        CHECK(x->row >= 1 && x->row <= told->unknowns && x->ordered_row <= told->unknowns);
        CHECK(place[x->row] == 0 || place[x->row] == x->ordered_row);
        place[x->row] = x->ordered_row;
        band = abs(x->row - x->column) > band ? abs(x->row - x->column) : band;
        const int off = abs(x->ordered_row - x->ordered_column);
        ordered = off > ordered ? off : ordered;
        CHECK(k == 0 || x[-1].row < x->row || (x[-1].row == x->row && x[-1].column < x->column));
    }
    CHECK(band == told->bandwidth && ordered == told->bandwidth_ordered);
    for (int k = 0; k < n; k++) { // rows in order: the other triangle by bisection
        int low = 0, high = n;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            const nonzero *x = &found[middle];
            if (x->row < found[k].column ||
                (x->row == found[k].column && x->column <= found[k].row))
                low = middle;
            else
                high = middle;
        }
        CHECK(found[low].row == found[k].column && found[low].column == found[k].row);
    }
}

// Every unknown has an entry, in models of all kinds; the picture has one dot for each nonzero.
static void models_have_symmetric_patterns(void)
{
    static const char *const folders[] = {"models", "models/modal", "models/beams"};
    int seen = 0;
    for (int f = 0; f < TN_COUNT(folders); f++) {
        DIR *folder = opendir(tn_test_path(folders[f]));
        CHECK(folder != NULL);
        for (struct dirent *file; (file = readdir(folder));) {
            char path[300];
            tn_model *model = NULL;
            tn_pattern_told told;
            if (!strstr(file->d_name, ".yaml"))
                continue;
            snprintf(path, sizeof path, "%s/%s", folders[f], file->d_name);
            CHECK_OK(tn_model_load(tn_test_path(path), &model, NULL));
            check_orders(nonzeros_of(model, &told), &told);
            char *svg = draw(model, "pattern.svg", NULL);
            int dots = 0;
            for (const char *at = strstr(svg, "class=\"dots"); at;
                 at = strstr(at + 1, "class=\"dots"))
                for (const char *c = at; *c != '>'; c++)
                    dots += *c == 'M';
            const int legend = dots - 2 * told.nonzeros;
            CHECK(legend >= 1 && legend <= 4 && strstr(svg, "ordered by topology"));
            tn_free(svg);
            tn_model_destroy(model);
            seen++;
        }
        closedir(folder);
    }
    CHECK(seen > 20);
}

// A chain is block-tridiagonal: its bandwidth by topology does not grow with its length.
static void chains_are_block_tridiagonal(void)
{
    int bandwidth[2], written[2];
    for (int k = 0; k < 2; k++) {
        static char text[20000];
        const int n = k == 0 ? 10 : 40;
        *text = '\0';
        tn_test_append(text, sizeof text, "tenon: 1\nbodies:\n");
        for (int i = 0; i < n; i++)
            tn_test_append(text, sizeof text, "  r%d: {mass: 1, inertia: [1, 1, 1]}\n", i + 1);
        tn_test_append(text, sizeof text,
                       "joints:\n  p1: {kind: revolute, bodies: [ground, r1]}\n");
        for (int i = 1; i < n; i++)
            tn_test_append(text, sizeof text, "  p%d: {kind: revolute, bodies: [r%d, r%d]}\n",
                           i + 1, i, i + 1);
        tn_model *model = model_of(text);
        tn_pattern_told told;
        const int count = nonzeros_of(model, &told);
        for (int i = 0; i < count; i++)
            CHECK(abs(found[i].block_row - found[i].block_column) <= 1);
        CHECK(told.unknowns == 13 * n && told.blocks == n);
        bandwidth[k] = told.bandwidth_ordered;
        written[k] = told.bandwidth;
        tn_model_destroy(model);
    }
    CHECK(bandwidth[0] == bandwidth[1] && bandwidth[0] < 2 * 13 && written[1] > 3 * written[0]);
}

// A loop is cut: rows of one joint on both its bodies; a gear couples two joint coordinates.
static void loops_and_couplings_have_rows(void)
{
    tn_model *model =
        model_of("tenon: 1\n"
                 "bodies:\n"
                 "  a: {kind: planar, mass: 1, inertia: 1, initial: {position: [0, 1]}}\n"
                 "  b: {kind: planar, mass: 1, inertia: 1, initial: {position: [1, 2]}}\n"
                 "  c: {kind: planar, mass: 1, inertia: 1, initial: {position: [2, 1]}}\n"
                 "joints:\n"
                 "  A: {kind: revolute, bodies: [ground, a], at: [0, 0]}\n"
                 "  B: {kind: revolute, bodies: [a, b], at: [0, 2]}\n"
                 "  C: {kind: revolute, bodies: [b, c], at: [2, 2]}\n"
                 "  D: {kind: revolute, bodies: [ground, c], at: [2, 0]}\n"
                 "  gear: {kind: gear, joint_1: A, joint_2: D, ratio_1: 1, ratio_2: 1}\n");
    tn_pattern_told told;
    const int n = nonzeros_of(model, &told);
    CHECK(told.unknowns == 3 * (3 + 1 + 3) + 2 + 1 && told.blocks == 4);
    check_orders(n, &told);
    int gear = 0, loop = 0;
    for (int k = 0; k < n; k++) {
        gear += found[k].row == told.unknowns;
        loop += found[k].row > told.unknowns - 3 && found[k].row < told.unknowns;
    }
    CHECK(gear == 2 && loop == 2 * 6);
    tn_model_destroy(model);
}

static void other_endings_are_refused(void)
{
    tn_model *model = tn_model_create();
    CHECK_STATUS(tn_model_draw_pattern(model, "model.yaml", NULL), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(),
               "'model.yaml': the ending tells what is written of the pattern, and "
               "must be .svg or .csv; - is SVG on the standard output");
    CHECK_STATUS(tn_model_draw_pattern(model, "nowhere/a.svg", NULL), TN_ERR_FILE);
    CHECK_STATUS(tn_model_draw_pattern(NULL, "a.svg", NULL), TN_ERR_USAGE);
    CHECK_OK(tn_model_draw_pattern(model, "ground.SVG", NULL)); // no unknowns at all
    tn_model_destroy(model);
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void)
{
    tn_model *model = model_of(tree);
    const long live = tn_test_alloc_live();
    int made_do = 0; // a file that is written goes by its name where memory for more is short
    for (long n = 1;; n++) {
        tn_test_alloc_fail_at(n);
        const tn_status s = tn_model_draw_pattern(model, "memory.svg", NULL);
        const bool failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(tn_test_alloc_live() == live);
        if (!failed)
            break;
        if (s == TN_OK)
            made_do++;
        else
            CHECK_STATUS(s, TN_ERR_MEMORY);
    }
    CHECK(made_do <= 1);
    tn_model_destroy(model);
}

int main(int argc, char **argv)
{
    static const tn_test tests[] = {
        {"a tree has the blocks of the example", a_tree_has_the_blocks_of_the_example},
        {"models have symmetric patterns", models_have_symmetric_patterns},
        {"chains are block tridiagonal", chains_are_block_tridiagonal},
        {"loops and couplings have rows", loops_and_couplings_have_rows},
        {"other endings are refused", other_endings_are_refused},
        {"running out of memory is an error and leaks nothing",
         running_out_of_memory_is_an_error_and_leaks_nothing},
    };
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
