// SPDX-License-Identifier: MIT
//
// The base folder: errors, memory, carving, arrays and name tables; and the test layer itself, as
// far as other tests rely on its random numbers and its allocation counts.

#include "test.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/carve.h"
#include "base/memory.h"
#include "base/pool.h"
#include "text/notes.h"
#include "text/number.h"
#include "text/table.h"

#include <sys/stat.h>
#include <unistd.h>

static void a_failure_keeps_its_code_and_its_sentence(void)
{
    CHECK_TEXT(tn_last_error(), "");
    CHECK(tn_fail(TN_ERR_MODEL, "body '%s': mass is %g, must be positive", "arm", -2.0) ==
          TN_ERR_MODEL);
    CHECK_TEXT(tn_last_error(), "body 'arm': mass is -2, must be positive");
    tn_clear_error();
    CHECK_TEXT(tn_last_error(), "");
}

static void a_failure_may_quote_the_one_before(void)
{
    tn_fail(TN_ERR_FILE, "line %d", 7);
    tn_fail(TN_ERR_FILE, "a.yaml: %s", tn_last_error());
    CHECK_TEXT(tn_last_error(), "a.yaml: line 7");
    tn_fail(TN_ERR_FILE, "%s: %s", tn_last_error() + 8, tn_last_error());
    CHECK_TEXT(tn_last_error(), "line 7: a.yaml: line 7");
}

static void a_prefix_stands_in_front_of_the_sentence(void)
{
    tn_fail(TN_ERR_MODEL, "axis is zero");
    CHECK(tn_fail_within(TN_ERR_MODEL, "joint '%s'", "hinge") == TN_ERR_MODEL);
    CHECK(tn_fail_within(TN_ERR_FILE, "%s:%d", "arm.yaml", 12) == TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "arm.yaml:12: joint 'hinge': axis is zero");
    tn_fail_within(TN_ERR_FILE, "(%.3s)", tn_last_error());
    CHECK_TEXT(tn_last_error(), "(arm): arm.yaml:12: joint 'hinge': axis is zero");
}

static void a_prefix_without_a_sentence_gets_the_text_of_the_code(void)
{
    tn_fail_within(TN_ERR_MEMORY, "body 'arm'");
    CHECK_TEXT(tn_last_error(), "body 'arm': out of memory");
}

static void what_is_not_a_number_has_no_sign(void)
{
    tn_fail(TN_ERR_NUMERIC, "force 'hot-nan' is %g (%g)", copysign(NAN, -1.0), -1.0);
    CHECK_TEXT(tn_last_error(), "force 'hot-nan' is nan (-1)");
}

static void a_long_failure_is_cut_at_its_end(void)
{
    char *name = tn_format("%s%10000d%s", "begin", 0, "end");
    CHECK(name != NULL);
    for (int i = 0; i < 3; i++) { // the third prefix meets a full text
        tn_fail(TN_ERR_MODEL, "%s", name);
        CHECK(strlen(tn_last_error()) >= 2047);
        CHECK(strncmp(tn_last_error(), "begin", 5) == 0);
        tn_fail_within(TN_ERR_MODEL, "first %d", i);
        CHECK(strncmp(tn_last_error(), "first", 5) == 0);
        tn_fail_within(TN_ERR_MODEL, "%s", name);
        CHECK(strncmp(tn_last_error(), "begin", 5) == 0);
    }
    tn_free(name);
}

static tn_status leave_early(tn_status inner, int *passed)
{
    TN_TRY(inner);
    (*passed)++;
    return TN_OK;
}

static void try_passes_on_errors_and_retries(void)
{
    int passed = 0;
    CHECK_OK(leave_early(TN_OK, &passed));
    CHECK_STATUS(leave_early(TN_ERR_SINGULAR, &passed), TN_ERR_SINGULAR);
    CHECK_STATUS(leave_early(TN_RETRY_NEWTON, &passed), TN_RETRY_NEWTON);
    CHECK(passed == 1);
}

static void every_status_has_a_text_and_the_right_sign(void)
{
#define STATUS_ROW(name, value, text)                                \
    CHECK_TEXT(tn_status_text(name), text);                          \
    CHECK((strncmp(#name, "TN_RETRY_", 9) == 0) == ((int)name > 0)); \
    CHECK((strncmp(#name, "TN_ERR_", 7) == 0) == ((int)name < 0));
    TN_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
    CHECK_TEXT(tn_status_text((tn_status)-1000), "unknown status");
}

static void the_version_matches_the_header(void)
{
    char text[32];
    snprintf(text, sizeof(text), "%d.%d.%d", TN_VERSION_MAJOR, TN_VERSION_MINOR, TN_VERSION_PATCH);
    CHECK_TEXT(tn_version(), text);
}

typedef struct {
    double *x, *nothing, *y;
    int *n;
    char *bytes;
} workspace;

static void layout(workspace *w, tn_carve *mem)
{
    w->x = tn_carve_doubles(mem, 3);
    w->nothing = tn_carve_doubles(mem, 0);
    w->n = tn_carve_ints(mem, 17);
    w->bytes = tn_carve_bytes(mem, 65);
    w->y = tn_carve_doubles(mem, 8);
}

static void carving_measures_what_it_assigns(void)
{
    workspace w;
    tn_carve measure = {0};
    layout(&w, &measure);
    CHECK(w.x == NULL && w.n == NULL && w.bytes == NULL && w.y == NULL);

    tn_carve assign = {.base = tn_alloc(measure.used)};
    CHECK(assign.base != NULL);
    layout(&w, &assign);
    CHECK(assign.used == measure.used);
    CHECK((char *)w.x == assign.base);
    CHECK((char *)(w.y + 8) <= assign.base + assign.used);

    // Each piece full of its own value: overlaps would show, and sanitizers see the end.
    for (int i = 0; i < 3; i++)
        w.x[i] = 1.0;
    for (int i = 0; i < 17; i++)
        w.n[i] = 2;
    memset(w.bytes, 3, 65);
    for (int i = 0; i < 8; i++)
        w.y[i] = 4.0;
    CHECK(w.x[0] == 1.0 && w.x[2] == 1.0 && w.n[0] == 2 && w.n[16] == 2);
    CHECK(w.bytes[0] == 3 && w.bytes[64] == 3 && w.y[0] == 4.0);
    CHECK(((uintptr_t)w.y - (uintptr_t)w.x) % 64 == 0);
    tn_free(assign.base);
}

static void memory_is_zeroed_and_text_is_copied(void)
{
    unsigned char *block = tn_alloc(1000);
    CHECK(block != NULL);
    for (int i = 0; i < 1000; i++)
        CHECK(block[i] == 0);
    tn_free(block);
    tn_free(NULL);

    void *empty = tn_alloc(0);
    CHECK(empty != NULL);
    tn_free(empty);

    char original[] = "crank";
    char *copy = tn_strdup(original);
    original[0] = 'C';
    CHECK_TEXT(copy, "crank");
    tn_free(copy);
    CHECK(tn_strdup(NULL) == NULL);

    char *text = tn_format("%s-%03d", "link", 7);
    CHECK_TEXT(text, "link-007");
    tn_free(text);
}

static void allocations_are_counted(void)
{
    const long count = tn_test_alloc_count(), live = tn_test_alloc_live();
    char *block = tn_alloc(10);
    CHECK(tn_test_alloc_count() == count + 1 && tn_test_alloc_live() == live + 1);
    block = tn_resize(block, 1000);
    CHECK(tn_test_alloc_count() == count + 2 && tn_test_alloc_live() == live + 1);
    tn_free(block);
    CHECK(tn_test_alloc_count() == count + 2 && tn_test_alloc_live() == live);
}

static void the_allocation_asked_for_fails_once(void)
{
    tn_test_alloc_fail_at(2);
    void *first = tn_alloc(8), *second = tn_alloc(8), *third = tn_alloc(8);
    CHECK(first != NULL && second == NULL && third != NULL);
    CHECK(tn_test_alloc_failed());
    tn_free(first);
    tn_free(third);
    tn_test_alloc_fail_at(0);
    CHECK(!tn_test_alloc_failed());
}

static void *counting_in_user(void *user, void *block, size_t size)
{
    ++*(int *)user;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

static void a_users_allocator_gets_every_request(void)
{
    int calls = 0;
    const tn_allocator mine = {counting_in_user, &calls};
    tn_set_allocator(&mine);
    tn_free(tn_strdup("rod"));
    tn_set_allocator(NULL);
    tn_free(tn_strdup("rod"));
    CHECK(calls == 2);
}

static void arrays_grow_and_keep_their_elements(void)
{
    TN_ARRAY(double) x = {0};
    const long before = tn_test_alloc_count();
    for (int i = 0; i < 10000; i++)
        CHECK_OK(tn_array_push(&x, 0.5 * i));
    CHECK(x.count == 10000 && x.capacity >= 10000);
    CHECK(tn_test_alloc_count() - before < 30); // geometric growth, not one by one
    for (int i = 0; i < 10000; i++)
        CHECK(x.at[i] == 0.5 * i);
    tn_array_free(&x);
    CHECK(x.at == NULL && x.count == 0 && x.capacity == 0);
}

static void pieces_of_a_pool_are_apart_and_zeroed(void)
{
    tn_pool pool = {0};
    double *numbers[300];
    char *texts[300];
    for (int i = 0; i < 300; i++) {
        texts[i] = tn_pool_text(&pool, "a longer text", (size_t)(i % 8)); // ends at odd addresses
        numbers[i] = tn_pool_take(&pool, (size_t)(i % 50 + 1) * sizeof(double));
        CHECK((uintptr_t)numbers[i] % sizeof(double) == 0);
        for (int k = 0; k <= i % 50; k++) {
            CHECK(numbers[i][k] == 0.0);
            numbers[i][k] = i;
        }
    }
    for (int i = 0; i < 300; i++) {
        CHECK(strlen(texts[i]) == (size_t)(i % 8) &&
              strncmp(texts[i], "a longer text", i % 8) == 0);
        CHECK(numbers[i][0] == i && numbers[i][i % 50] == i);
    }
    CHECK(pool.taken >= 300 * 25 * sizeof(double));
    tn_pool_clear(&pool);
    CHECK(!pool.blocks && pool.taken == 0);
}

static void what_memory_does_not_hold_is_told(void)
{
    CHECK_OK(tn_memory_fits(12e9, 12e9, "%d bodies need", 4));
    CHECK(tn_memory_fits(12.34e9, 12e9, "%d bodies need", 4) == TN_ERR_MEMORY);
    CHECK(strstr(tn_last_error(), "4 bodies need about 12.3 GB of memory, and 12 GB can be had"));
    CHECK(tn_memory_left() > 0.0 && tn_memory_left() <= tn_memory_of_machine());
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void limits_of_control_groups_bound_memory(void)
{
    mkdir("groups", 0777);
    mkdir("groups/a", 0777);
    mkdir("groups/a/b", 0777);
    mkdir("groups/memory", 0777);
    mkdir("groups/memory/c", 0777);
    write_text("groups/a/memory.max", "3000000000\n");
    write_text("groups/a/b/memory.max", "max\n");
    write_text("groups/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_text("groups/memory/c/memory.limit_in_bytes", "2000000000\n");
    static const struct {
        const char *lines;
        double limit;
    } cases[] = {{"0::/a/b\n", 3e9},
                 {"0::/a\n", 3e9},
                 {"0::/\n", INFINITY},
                 {"0::/a/of/another/name\n", 3e9},
                 {"9:cpu:/a\n4:memory:/c\n0::/\n", 2e9},
                 {"4:memory:/c\n0::/a/b\n", 2e9},
                 {"4:memory:/\n", 9223372036854771712.0},
                 {"no line of this kind\n", INFINITY}};
    for (int k = 0; k < TN_COUNT(cases); k++) {
        write_text("groups/mine", cases[k].lines);
        CHECK(tn_memory_limit("groups/mine", "groups") == cases[k].limit);
    }
    CHECK(tn_memory_limit("groups/none", "groups") == INFINITY);
}

static void an_array_that_cannot_grow_is_unchanged(void)
{
    TN_ARRAY(int) x = {0};
    CHECK_OK(tn_array_push(&x, 42));
    while (x.count < x.capacity)
        CHECK_OK(tn_array_push(&x, x.count));
    const int count = x.count;
    tn_test_alloc_fail_at(1);
    CHECK_STATUS(tn_array_push(&x, 1), TN_ERR_MEMORY);
    CHECK(x.count == count && x.capacity == count && x.at[0] == 42);
    CHECK(strstr(tn_last_error(), "out of memory") != NULL);
    CHECK_OK(tn_array_push(&x, 1));
    tn_array_free(&x);
}

static void tables_find_every_name(void)
{
    enum { N = 3000 };
    tn_table *table = NULL;
    char name[32];

    CHECK_OK(tn_table_create(&table));
    CHECK(tn_table_find(table, "body-1") == -1);
    CHECK(tn_table_nearest(table, "body-1") == NULL);
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof(name), "body-%d", i);
        CHECK_OK(tn_table_add(table, name, 7 * i));
    }
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof(name), "body-%d", i);
        CHECK(tn_table_find(table, name) == 7 * i);
    }
    CHECK(tn_table_find(table, "body-3000") == -1);
    CHECK(tn_table_find(table, "") == -1);
    CHECK_OK(tn_table_add(table, "", -5));
    CHECK(tn_table_find(table, "") == -5);
    int index = 4;
    CHECK_OK(tn_table_enter(table, "body-3000", &index));
    CHECK(index == 4 && tn_table_find(table, "body-3000") == 4);
    index = 5;
    CHECK_OK(tn_table_enter(table, "body-3000", &index));
    CHECK(index == 4);
    tn_table_destroy(table);
    tn_table_destroy(NULL);
}

static void tables_suggest_the_nearest_name(void)
{
    tn_table *table = NULL;
    CHECK_OK(tn_table_create(&table));
    CHECK_OK(tn_table_add(table, "crank", 0));
    CHECK_OK(tn_table_add(table, "coupler", 1));
    CHECK_OK(tn_table_add(table, "rocker", 2));
    CHECK_TEXT(tn_table_nearest(table, "cuopler"), "coupler");
    CHECK_TEXT(tn_table_nearest(table, "crnak"), "crank");
    CHECK_TEXT(tn_table_nearest(table, "rockers"), "rocker");
    CHECK(tn_table_nearest(table, "wheel") == NULL);
    tn_table_destroy(table);
}

static void nearest_names_are_within_a_third(void)
{
    static const char *const known[] = {"stiffness", "damping", "length0", "mass"};
    CHECK_TEXT(tn_nearest_name("stifness", 4, known), "stiffness");
    CHECK_TEXT(tn_nearest_name("STiffness", 4, known), "stiffness");
    CHECK_TEXT(tn_nearest_name("sifne", 4, known), NULL); // 4 letters away, 3 allowed
    CHECK_TEXT(tn_nearest_name("mast", 4, known), "mass");
    CHECK_TEXT(tn_nearest_name("moss", 4, known), "mass");
    CHECK_TEXT(tn_nearest_name("moist", 4, known), NULL);        // 2 away, 1 allowed
    CHECK_TEXT(tn_nearest_name("stiff", 4, known), "stiffness"); // so it begins
    CHECK_TEXT(tn_nearest_name("length", 4, known), "length0");
    CHECK_TEXT(tn_nearest_name("masses", 4, known), "mass");
    CHECK_TEXT(tn_nearest_name("viscosity", 4, known), NULL);
    CHECK_TEXT(tn_nearest_name("mass", 0, NULL), NULL);
}

static void edit_distance_counts_exchanges_once(void)
{
    CHECK(tn_edit_distance("", "") == 0);
    CHECK(tn_edit_distance("", "rod") == 3);
    CHECK(tn_edit_distance("rod", "") == 3);
    CHECK(tn_edit_distance("mass", "mass") == 0);
    CHECK(tn_edit_distance("mass", "mas") == 1);
    CHECK(tn_edit_distance("mass", "maass") == 1);
    CHECK(tn_edit_distance("mass", "mast") == 1);
    CHECK(tn_edit_distance("axis", "axsi") == 1);
    CHECK(tn_edit_distance("axis", "xasi") == 2);
    CHECK(tn_edit_distance("kitten", "sitting") == 3);
    CHECK(tn_edit_distance("ca", "abc") == 3); // no letter is edited twice
}

static void edit_distance_is_a_symmetric_measure(void)
{
    for (int trial = 0; trial < 500; trial++) {
        char a[12] = {0}, b[12] = {0};
        const int na = (int)(5.0 + 5.0 * tn_random()), nb = (int)(5.0 + 5.0 * tn_random());
        for (int i = 0; i < na && i < TN_COUNT(a) - 1; i++)
            a[i] = tn_random() < 0.0 ? 'x' : 'y';
        for (int i = 0; i < nb && i < TN_COUNT(b) - 1; i++)
            b[i] = tn_random() < 0.0 ? 'x' : 'y';
        const int d = tn_edit_distance(a, b);
        CHECK(d == tn_edit_distance(b, a));
        CHECK(d >= abs(na - nb) && d <= (na > nb ? na : nb));
        CHECK((d == 0) == (strcmp(a, b) == 0));
    }
}

static void very_long_names_are_compared_safely(void)
{
    char *a = tn_format("%300d", 1), *b = tn_format("%300d", 2);
    const char *const known[] = {b, a};
    CHECK(tn_edit_distance(a, a) == 0);
    CHECK(tn_edit_distance(a, b) > 300);
    CHECK(tn_nearest_name("crank", 2, known) == NULL);
    CHECK(tn_nearest_name(a, 1, known) == NULL);
    tn_free(a);
    tn_free(b);
}

static tn_status fill_table(tn_table **table)
{
    char name[16];
    TN_TRY(tn_table_create(table));
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        TN_TRY(tn_table_add(*table, name, i));
    }
    return TN_OK;
}

static void every_failing_allocation_of_a_table_is_reported(void)
{
    const long live = tn_test_alloc_live();
    long failures = 0;
    for (long n = 1;; n++) {
        tn_table *table = NULL;
        tn_test_alloc_fail_at(n);
        const tn_status s = fill_table(&table);
        const bool failed = tn_test_alloc_failed();
        tn_test_alloc_fail_at(0);
        CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK));
        if (failed && table) // what was added before is still found
            for (int i = 0; i < 40; i++) {
                char name[16];
                snprintf(name, sizeof(name), "n%d", i);
                const int found = tn_table_find(table, name);
                CHECK(found == i || found == -1);
            }
        tn_table_destroy(table);
        CHECK(tn_test_alloc_live() == live);
        if (!failed)
            break;
        failures++;
    }
    CHECK(failures > 8); // of the names and of both arrays
}

static void random_numbers_repeat_and_fill_their_range(void)
{
    tn_random_seed(12345);
    const double first = tn_random(), second = tn_random();
    tn_random_seed(12345);
    CHECK(tn_random() == first && tn_random() == second && first != second);

    enum { N = 100000 };
    double sum = 0.0, sum2 = 0.0, smallest = 1.0, largest = -1.0;
    for (int i = 0; i < N; i++) {
        const double x = tn_random();
        sum += x;
        sum2 += x * x;
        smallest = fmin(smallest, x);
        largest = fmax(largest, x);
    }
    CHECK(smallest >= -1.0 && smallest < -0.999 && largest <= 1.0 && largest > 0.999);
    const double FIVE_SIGMA = 5.0 / sqrt(3.0 * N); // the mean of N has deviation 1 / sqrt(3 N)
    CHECK_NEAR(sum / N, 0.0, FIVE_SIGMA);
    CHECK_NEAR(sum2 / N, 1.0 / 3.0, FIVE_SIGMA);
}

static void notes_are_kept_once_and_within_their_room(void)
{
    tn_notes notes = {0};
    for (int i = 0; i < 2; i++)
        tn_notes_add(&notes, "joint '%s' was moved", "pin");
    CHECK(notes.count == 1);
    CHECK(!strcmp(notes.text[0], "joint 'pin' was moved"));
    for (int i = 0; i < TN_MOST_NOTES + 2; i++)
        tn_notes_add(&notes, "note %d", i);
    CHECK(notes.count == TN_MOST_NOTES && notes.dropped == 3);
}

static void judge(tn_verdict *v, const char *where, double value)
{
    tn_judged what = {.quantity = "kink", .value = value, .bound = 1.0};
    snprintf(what.where, sizeof what.where, "%s", where);
    tn_verdict_add(v, &what, "%s jumps by %g", where, value);
}

static void a_doubt_is_kept_once_where_it_is_worst(void)
{
    tn_verdict v = {0};
    judge(&v, "stop", 0.5);
    CHECK(v.outcome == TN_OUTCOME_DONE && v.count == 1 && !tn_verdict_warn(&v));
    judge(&v, "stop", 3.0);
    judge(&v, "stop", 2.0);
    CHECK(v.outcome == TN_OUTCOME_DOUBTFUL && v.count == 1);
    CHECK_TEXT(tn_verdict_warn(&v), "stop jumps by 3");
    judge(&v, "clutch", NAN); // no number is a doubt, and stays the worst
    judge(&v, "clutch", 9.0);
    CHECK(v.count == 2 && v.judged[1].doubtful && isnan(v.judged[1].value));
    for (int i = 0; i < 2 * TN_MOST_JUDGED; i++) {
        char name[20];
        snprintf(name, sizeof name, "spring %d", i);
        judge(&v, name, 2.0);
    }
    CHECK(v.count == TN_MOST_JUDGED);
    CHECK_TEXT(tn_outcome_word(v.outcome), "doubtful");
}

static void paths_lead_to_the_repository(void)
{
    FILE *file = fopen(tn_test_path("include/tenon/base.h"), "r");
    CHECK(file != NULL);
    fclose(file);
}

// The fewest digits of 15, 16 and 17, as printf writes them.
static void by_printf(double value, char text[TN_NUMBER_SIZE])
{
    for (int n = 15; n <= 17; n++) {
        snprintf(text, TN_NUMBER_SIZE, "%.*g", n, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

// Powers of two and of ten, their neighbours, short decimals and random ones, on both sides of the
// range in which whole numbers write them.
static double sample_number(int i)
{
    const int k = i / 6 % 90 - 30;
    switch (i % 6) {
    case 0:
        return ldexp(1.0 + tn_random(), k);
    case 1:
        return -ldexp(1.0, k);
    case 2:
        return nextafter(ldexp(1.0, k), i % 4 < 2 ? 0.0 : INFINITY);
    case 3:
        return nextafter(pow(10.0, k / 2), i % 4 < 2 ? 0.0 : INFINITY);
    case 4:
        return round(1e6 * tn_random()) / 1000.0;
    default:
        return pow(10.0, k / 2) * round(1e4 * tn_random());
    }
}

static void numbers_have_the_fewest_digits(void)
{
    tn_random_seed(11);
    for (int i = 0; i < 60000; i++) {
        const double value = sample_number(i);
        char text[TN_NUMBER_SIZE], expected[TN_NUMBER_SIZE];
        double back = NAN;
        by_printf(value, expected);
        CHECK(tn_number_text(value, text) == strlen(expected));
        CHECK_TEXT(text, expected);
        CHECK(tn_number_from_text(text, &back) && back == value);
    }
}

static void decimals_are_read_as_by_strtod(void)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "+0.0",
        "1.",
        ".5",
        "-.5",
        "1e3",
        "2.5E-3",
        "12345678901234567890",
        "9007199254740993",
        "0.1",
        "00000000000000000000000000001.5",
        "0.00000000000000000000000001",
        "123456789.123456789",
        "9007199254740992",
        "4.35",
        "0.000001",
        "1e400",
    };
    for (int i = 0; i < TN_COUNT(texts); i++) {
        double value = NAN;
        CHECK(tn_number_from_text(texts[i], &value));
        const double expected = strtod(texts[i], NULL);
        CHECK(value == expected && signbit(value) == signbit(expected));
    }
}

static const tn_test tests[] = {
    {"numbers have the fewest digits", numbers_have_the_fewest_digits},
    {"decimals are read as by strtod", decimals_are_read_as_by_strtod},
    {"a failure keeps its code and its sentence", a_failure_keeps_its_code_and_its_sentence},
    {"a failure may quote the one before", a_failure_may_quote_the_one_before},
    {"a prefix stands in front of the sentence", a_prefix_stands_in_front_of_the_sentence},
    {"a prefix without a sentence gets the text of the code",
     a_prefix_without_a_sentence_gets_the_text_of_the_code},
    {"what is not a number has no sign", what_is_not_a_number_has_no_sign},
    {"a long failure is cut at its end", a_long_failure_is_cut_at_its_end},
    {"TN_TRY passes on errors and retries", try_passes_on_errors_and_retries},
    {"every status has a text and the right sign", every_status_has_a_text_and_the_right_sign},
    {"the version matches the header", the_version_matches_the_header},
    {"carving measures what it assigns", carving_measures_what_it_assigns},
    {"memory is zeroed and text is copied", memory_is_zeroed_and_text_is_copied},
    {"allocations are counted", allocations_are_counted},
    {"the allocation asked for fails, once", the_allocation_asked_for_fails_once},
    {"a user's allocator gets every request", a_users_allocator_gets_every_request},
    {"arrays grow and keep their elements", arrays_grow_and_keep_their_elements},
    {"pieces of a pool are apart and zeroed", pieces_of_a_pool_are_apart_and_zeroed},
    {"what memory does not hold is told", what_memory_does_not_hold_is_told},
    {"limits of control groups bound memory", limits_of_control_groups_bound_memory},
    {"an array that cannot grow is unchanged", an_array_that_cannot_grow_is_unchanged},
    {"tables find every name", tables_find_every_name},
    {"tables suggest the nearest name", tables_suggest_the_nearest_name},
    {"nearest names are within a third of the length", nearest_names_are_within_a_third},
    {"edit distance counts exchanges once", edit_distance_counts_exchanges_once},
    {"edit distance is a symmetric measure", edit_distance_is_a_symmetric_measure},
    {"very long names are compared safely", very_long_names_are_compared_safely},
    {"every failing allocation of a table is reported",
     every_failing_allocation_of_a_table_is_reported},
    {"random numbers repeat and fill their range", random_numbers_repeat_and_fill_their_range},
    {"notes are kept once and within their room", notes_are_kept_once_and_within_their_room},
    {"a doubt is kept once, where it is worst", a_doubt_is_kept_once_where_it_is_worst},
    {"paths lead to the repository", paths_lead_to_the_repository},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
