// SPDX-License-Identifier: MIT
//
// Results do not depend on how many processors there are, or are used: neither bits of a run on the
// threads of BLAS, nor what comparisons tell on runs at the same time.

#define _GNU_SOURCE // RTLD_DEFAULT

#include "cli_driver.h"

#include "base/library.h"
#include "base/workers.h"
#include "tenon/model.h"

#include <dlfcn.h>
#include <stdatomic.h>

// A function of OpenBLAS; NULL where another BLAS serves. The library is not there before Tenon
// needs it, unless the linker has put it there.
static void *find_blas(const char *name)
{
#ifdef TN_LAZY_CODE
    CHECK_OK(tn_library_need(&tn_openblas_library));
    return dlsym(tn_openblas_library.handle, name);
#else
    return dlsym(RTLD_DEFAULT, name);
#endif
}

// Once in a process: this must be the first test.
static void blas_has_one_thread_until_a_program_wants_more(void)
{
    void (*set)(int count) = NULL;
    int (*get)(void) = NULL;
#ifdef TN_LAZY_CODE
    CHECK(!tn_openblas_library.handle); // nobody has called it
#else
    *(void **)&set = find_blas("openblas_set_num_threads");
    if (set)
        set(2);
    tn_model_destroy(tn_model_create()); // the first model sets it
#endif
    *(void **)&set = find_blas("openblas_set_num_threads");
    *(void **)&get = find_blas("openblas_get_num_threads");
    if (!set || !get)
        return;
    CHECK(get() == 1);
    set(2); // a program may want it so, and is left alone then
    tn_model_destroy(tn_model_create());
    CHECK(get() == 2);
    set(1);
}

static void runs_have_the_same_bits_whatever_blas_is_told(void)
{
    char line[2048];
    for (int n = 1; n <= 2; n++) {
        snprintf(line, sizeof line,
                 "OPENBLAS_NUM_THREADS=%d " TN_BINARY
                 " run %s --method dop853/nullspace+project --nullspace zero-eigenvalue "
                 "--t-end 0.01 --csv --out blas%d --force >/dev/null",
                 n, tn_test_path("models/andrews.yaml"), n);
        CHECK(tn_test_shell(line) == 0);
    }
    CHECK(tn_test_shell("cmp blas1/result.csv blas2/result.csv") == 0);
}

typedef struct {
    atomic_int calls[100], active, most;
} counted;

static void count_call(void *user, int k)
{
    counted *c = user;
    const int now = atomic_fetch_add(&c->active, 1) + 1;
    int most = atomic_load(&c->most);
    while (now > most && !atomic_compare_exchange_weak(&c->most, &most, now))
        ;
    atomic_fetch_add(&c->calls[k], 1);
    atomic_fetch_sub(&c->active, 1);
}

static void workers_do_each_task_once(void)
{
    static const int threads[] = {0, 1, 2, 7, 1000};
    for (int i = 0; i < TN_COUNT(threads); i++) {
        counted c = {.active = 0};
        tn_workers_run(threads[i], TN_COUNT(c.calls), count_call, &c);
        for (int k = 0; k < TN_COUNT(c.calls); k++)
            CHECK(c.calls[k] == 1);
        CHECK(threads[i] == 0 || c.most <= threads[i]);
        tn_workers_run(threads[i], 0, count_call, &c);
    }
}

// compare.csv without its column of times.
static void keep_without_times(const char *folder, const char *to)
{
    char line[1024];
    snprintf(line, sizeof line,
             "awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /cpu/) at = i } "
             "{ $at = \"\"; print }' %s/compare.csv >%s",
             folder, to);
    CHECK(tn_test_shell(line) == 0);
}

static void comparisons_tell_the_same_however_many_run_at_once(void)
{
    static cli_result first;
    const char *model = tn_test_path("models/slider_crank.yaml");
    for (int n = 1; n <= 3; n += 2) {
        char folder[32], list[32];
        snprintf(folder, sizeof folder, "jobs%d", n);
        snprintf(list, sizeof list, "jobs%d.csv", n);
        CHECK(tenon("compare %s --jobs %d --t-end 0.1 --tols 1e-4,1e-5 --out %s --force --methods "
                    "galpha/ggl,radau5/ggl,dop853/minimal",
                    model, n, folder) == 0);
        keep_without_times(folder, list);
    }
    CHECK(tn_test_shell("cmp jobs1.csv jobs3.csv") == 0);
    for (int n = 1; n <= 2; n++) {
        CHECK(tenon("converge %s --jobs %d --t-end 0.1 --levels 2 --methods "
                    "galpha/ggl,galpha/index3,variational/multiplier@director",
                    model, n) == 0);
        if (n == 2)
            CHECK_TEXT(cli.out, first.out);
        first = cli;
    }
}

static void numbers_of_jobs_and_threads_are_checked(void)
{
    const char *const wrong[] = {"0", "-1", "two", "1.5", "1000000"};
    const char *const option[][2] = {{"compare", "jobs"}, {"run", "threads"}};
    char words[512], message[512];
    for (int i = 0; i < 2 * TN_COUNT(wrong); i++) {
        const char *value = wrong[i / 2], *const *at = option[i % 2];
        snprintf(words, sizeof words, "%s %s --%s %s", at[0], tn_test_path("models/pendulum.yaml"),
                 at[1], value);
        snprintf(message, sizeof message,
                 "tenon: --%s: expected a number from 1 to 256 or auto, found '%s'\n", at[1],
                 value);
        refuses(1, words, message);
    }
}

static const tn_test tests[] = {
    {"BLAS has one thread until a program wants more",
     blas_has_one_thread_until_a_program_wants_more},
    {"runs have the same bits whatever BLAS is told",
     runs_have_the_same_bits_whatever_blas_is_told},
    {"workers do each task once", workers_do_each_task_once},
    {"comparisons tell the same however many run at once",
     comparisons_tell_the_same_however_many_run_at_once},
    {"numbers of jobs and threads are checked", numbers_of_jobs_and_threads_are_checked},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
