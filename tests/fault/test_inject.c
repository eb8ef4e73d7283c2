// SPDX-License-Identifier: MIT
//
// Some calls of the system fail, one in each run: a sample of what scripts/inject_faults does with
// all of them. Every run ends with a sentence, and results that were there stay.

#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

static const char *const kinds[] = {"malloc", "write", "fsync", "open", "rename"};

static void prepare(void)
{
    CHECK(tn_test_shell("rm -rf inject && mkdir inject && cp " TN_SOURCE_DIR
                        "/models/pendulum.yaml inject/model.yaml") == 0);
    // LD_PRELOAD cannot have spaces in it.
    CHECK(system("cp '" TN_INJECT_LIBRARY "' inject/inject.so") == 0);
    CHECK(tn_test_shell(
              "cd inject && " TN_BINARY " run model.yaml --t-end 0.02 --csv --quiet --out good "
              "&& cp -r good results && " TN_BINARY " plot results energy -o good.svg >log") == 0);
}

// Each `every`-th call of each kind fails in a run of its own.
static void sweep(const int every[5], const char *settings, const char *arguments)
{
    char line[2048];
    for (int k = 0; k < 5; k++) {
        snprintf(line, sizeof(line),
                 "cd inject && export OPENBLAS_NUM_THREADS=1 && env TN_SWEEP=%s:%d %s "
                 "LD_PRELOAD=./inject.so '" TN_BINARY "' %s >sweep.log",
                 kinds[k], every[k], settings, arguments);
        const int status = system(line);
        if (status != 0)
            (void)!system("cat inject/sweep.log >&2");
        CHECK(status == 0);
    }
}

static void runs_keep_what_was_there(void)
{
    prepare();
    sweep((const int[]){523, 19, 2, 3, 1},
          "TN_SWEEP_BEFORE='rm -rf results; cp -r good results' "
          "TN_SWEEP_CHECK='plot results energy -o checked.svg' "
          "TN_SWEEP_SAME=results/result.csv:good/result.csv",
          "run model.yaml --t-end 0.02 --csv --quiet --force --out results");
}

// Libraries are loaded on the way, and that of gfortran would end the program by itself.
static void memory_that_is_short_has_a_code_of_its_own(void)
{
    prepare();
    sweep((const int[]){5, 1, 1, 1, 1}, "", "modes model.yaml");
    sweep((const int[]){29, 1, 1, 1, 1}, "", "check model.yaml");
}

static void plots_are_whole_or_told(void)
{
    prepare();
    sweep((const int[]){509, 1, 1, 2, 1},
          "TN_SWEEP_BEFORE='cp good.svg picture.svg' TN_SWEEP_SAME=picture.svg:good.svg",
          "plot results energy -o picture.svg");
    sweep((const int[]){997, 1, 3, 2, 1}, "",
          "plot results results/result.csv energy.kinetic --difference good -o other.svg");
    sweep((const int[]){997, 1, 3, 2, 1}, "", "plot results --snapshots 0,0.02 -o shots.svg");
}

static void pages_are_whole_or_told(void)
{
    prepare();
    if (tn_test_shell("cd inject && " TN_BINARY " report results -o good.html >log 2>&1") != 0)
        return; // built without pages
    sweep((const int[]){197, 1, 1, 2, 1},
          "TN_SWEEP_BEFORE='cp good.html page.html' TN_SWEEP_SAME=page.html:good.html",
          "report results -o page.html");
}

static void comparisons_end_with_a_sentence(void)
{
    prepare();
    sweep((const int[]){2003, 3, 1, 3, 1}, "",
          "compare model.yaml --methods galpha/ggl,dop853 --t-end 0.02 --steps 1e-3 --tols 1e-4 "
          "--reference results");
}

static void views_start_and_end(void)
{
    prepare();
    sweep((const int[]){1009, 1, 1, 3, 1}, "TN_SWEEP_VISIT=1", "view results --no-browser");
}

static const tn_test tests[] = {
    {"runs keep what was there", runs_keep_what_was_there},
    {"memory that is short has a code of its own", memory_that_is_short_has_a_code_of_its_own},
    {"plots are whole or told", plots_are_whole_or_told},
    {"pages are whole or told", pages_are_whole_or_told},
    {"comparisons end with a sentence", comparisons_end_with_a_sentence},
    {"views start and end", views_start_and_end},
};

int main(int argc, char **argv)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)tests, (void)runs_keep_what_was_there, (void)argc, (void)argv;
    return 0; // the sanitizers have an allocator of their own
#else
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
#endif
}
