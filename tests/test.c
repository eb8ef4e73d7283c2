// SPDX-License-Identifier: MIT
//
// The layer over cmocka that tests/test.h describes.
//
// Random numbers are SplitMix64, a counter with the increment 2^64 / golden ratio behind a mixing
// function (Steele, Lea, Flood, OOPSLA 2014): any seed is a good one.

#include "test.h"

#include "tenon/tenon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include <cmocka.h>

enum { PATHS = 8, PATH_SIZE = 1024 };

static uint64_t random_state;
static atomic_long alloc_count, alloc_live, alloc_countdown;
static atomic_bool alloc_failed;

static void *counting_resize(void *user, void *block, size_t size)
{
    (void)user;
    if (size == 0) {
        if (block)
            atomic_fetch_sub(&alloc_live, 1);
        free(block);
        return NULL;
    }
    atomic_fetch_add(&alloc_count, 1);
    if (atomic_load(&alloc_countdown) > 0 && atomic_fetch_sub(&alloc_countdown, 1) == 1) {
        atomic_store(&alloc_failed, true);
        return NULL;
    }
    void *p = realloc(block, size);
    if (p && !block)
        atomic_fetch_add(&alloc_live, 1);
    return p;
}

void tn_test_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK(fwrite(bytes, 1, size, file) == size);
    CHECK(fclose(file) == 0);
}

void tn_test_append(char *out, size_t size, const char *format, ...)
{
    const size_t used = strlen(out);
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(out + used, size - used, format, args);
    va_end(args);
    CHECK(n >= 0 && (size_t)n < size - used);
}

bool tn_test_says(const char *text)
{
    return strstr(tn_last_error(), text) != NULL;
}

tn_sim *tn_test_open(const tn_model *model, const char *method, double step, double tol)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    options.method = method;
    options.step = step;
    options.adaptive = step == 0.0;
    options.rtol = tol;
    options.atol = 0.01 * tol;
    CHECK_OK(tn_sim_create(model, &options, &sim));
    return sim;
}

tn_sim *tn_test_open_text(const char *text, const char *method, double step, double tol)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "text.yaml", &model, NULL));
    tn_sim *sim = tn_test_open(model, method, step, tol);
    tn_model_destroy(model);
    return sim;
}

double tn_test_value(tn_sim *sim, const char *name)
{
    int channel = -1;
    CHECK_OK(tn_sim_channel_find(sim, name, &channel));
    return tn_sim_channel(sim, channel);
}

bool tn_test_has_note(const tn_sim *sim, const char *text)
{
    for (int k = 0; k < tn_sim_note_count(sim); k++)
        if (strstr(tn_sim_note(sim, k), text))
            return true;
    return false;
}

long tn_test_alloc_count(void)
{
    return atomic_load(&alloc_count);
}

long tn_test_alloc_live(void)
{
    return atomic_load(&alloc_live);
}

void tn_test_alloc_fail_at(long n)
{
    atomic_store(&alloc_failed, false);
    atomic_store(&alloc_countdown, n);
}

bool tn_test_alloc_failed(void)
{
    return atomic_load(&alloc_failed);
}

void tn_random_seed(uint64_t seed)
{
    random_state = seed;
}

double tn_random(void)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1.0; // 53 bits onto [-1, 1)
}

const char *tn_test_path(const char *relative)
{
    static char paths[PATHS][PATH_SIZE];
    static int next;
    char *path = paths[next++ % PATHS];
    snprintf(path, PATH_SIZE, "%s/%s", TN_SOURCE_DIR, relative);
    return path;
}

// Copies the line with "$variable" for every path.
static void quote_path(const char *line, const char *path, const char *variable, char *out,
                       size_t room)
{
    const size_t n = strlen(path);
    size_t used = 0;
    while (*line && used + 1 < room) {
        const bool found = strncmp(line, path, n) == 0;
        used += (size_t)(found ? snprintf(out + used, room - used, "\"$%s\"", variable)
                               : snprintf(out + used, room - used, "%c", *line));
        line += found ? n : 1;
    }
    CHECK(used < room);
}

const char *tn_test_quoted(const char *line)
{
    static char command[8192], whole[8192];
    setenv("TN_COMMAND", TN_BINARY, 1);
    setenv("TN_SOURCE", TN_SOURCE_DIR, 1);
    quote_path(line, TN_BINARY, "TN_COMMAND", command, sizeof command);
    quote_path(command, TN_SOURCE_DIR, "TN_SOURCE", whole, sizeof whole);
    return whole;
}

int tn_test_shell(const char *line)
{
    return system(tn_test_quoted(line));
}

static double tol_scale(void)
{
    const char *text = getenv("TN_TOL_SCALE");
    return text ? strtod(text, NULL) : 1.0;
}

void tn_test_check(bool holds, const char *text, const char *file, int line)
{
    if (holds)
        return;
    print_error("does not hold: %s\n", text);
    _fail(file, line);
}

void tn_check_near(double actual, double expected, double tol, const char *text, const char *file,
                   int line)
{
    const double scale = tol_scale();
    const double residual = fabs(actual - expected);
    if (scale == 0.0) {
        print_message("%s:%d: %s: residual %.3g, tolerance %.3g\n", file, line, text, residual,
                      tol);
        return;
    }
    // Written so that NaN fails; equal infinities are near each other.
    if (actual == expected || residual <= scale * tol)
        return;
    print_error("%s is %.17g, expected %.17g: off by %.3g, tolerance %.3g\n", text, actual,
                expected, residual, scale * tol);
    _fail(file, line);
}

void tn_check_status(tn_status actual, tn_status expected, const char *text, const char *file,
                     int line)
{
    if (actual == expected)
        return;
    print_error("%s ended with '%s', expected '%s'\n", text, tn_status_text(actual),
                tn_status_text(expected));
    if (actual != TN_OK)
        print_error("last error: %s\n", tn_last_error());
    _fail(file, line);
}

void tn_check_text(const char *actual, const char *expected, const char *text, const char *file,
                   int line)
{
    if (actual && expected ? strcmp(actual, expected) == 0 : actual == expected)
        return;
    print_error("%s differs\n  actual:   %s\n  expected: %s\n", text, actual ? actual : "(NULL)",
                expected ? expected : "(NULL)");
    _fail(file, line);
}

static void run_one(void **state)
{
    static const tn_allocator counting = {counting_resize, NULL};
    const tn_test *test = *state;
    tn_set_allocator(&counting);
    tn_clear_error();
    tn_random_seed(1);
    tn_test_alloc_fail_at(0);
    test->run();
}

int tn_run_tests(const tn_test *tests, int count, int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "";
    struct CMUnitTest *units = calloc((size_t)count, sizeof(*units));
    size_t n = 0;

    if (!units)
        return 1;
    for (int i = 0; i < count; i++)
        if (strstr(tests[i].sentence, wanted))
            units[n++] = (struct CMUnitTest){tests[i].sentence, run_one, NULL, NULL,
                                             (void *)(uintptr_t)&tests[i]};
    const int failed = n > 0 ? _cmocka_run_group_tests("tests", units, n, NULL, NULL) : 1;
    if (n == 0)
        fprintf(stderr, "no test contains '%s'\n", wanted);
    free(units);
    return failed;
}
