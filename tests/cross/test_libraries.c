// SPDX-License-Identifier: MIT
//
// Which shared libraries a process holds: a small run, its result file included, needs none but
// libyaml, KLU and those of the system; others come with the first call of one of their functions.

#include "base/library.h"
#include "tenon/tenon.h"
#include "test.h"

static void a_library_that_is_missing_is_named(void)
{
#ifdef TN_LAZY_CODE
    tn_library none = {.file = "libnowhere.so.9", .package = "libnowhere-dev"};
    CHECK_STATUS(tn_library_need(&none), TN_ERR_FILE);
    CHECK(strstr(tn_last_error(), "cannot load libnowhere.so.9: "));
    CHECK(strstr(tn_last_error(), "; on Debian apt-get install libnowhere-dev brings it"));
#endif
}

#ifdef TN_LAZY_CODE

// Whether a library with this word in its name is in the map of the process.
static bool is_loaded(const char *word)
{
    char line[4096];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (!found && fgets(line, sizeof line, maps)) {
        const char *name = strrchr(line, '/');
        found = name && strstr(name, ".so") && strstr(name, word);
    }
    fclose(maps);
    return found;
}

static void run_pendulum(const char *method)
{
    tn_run_options options = tn_default_run();
    tn_run *run = NULL;
    FILE *file = fopen("swing.yaml", "w");
    CHECK(file != NULL);
    fprintf(file,
            "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
            "  bob: {kind: point-2d, mass: 1, initial: {position: [-1, 0]}}\n"
            "joints:\n  rod: {kind: distance, bodies: [ground, bob], length: 1}\n"
            "simulate: {method: %s, t_end: 0.1, output: 0.01}\n",
            method);
    CHECK(fclose(file) == 0);
    options.out = "swing.results";
    options.replace = true;
    CHECK_OK(tn_run_create("swing.yaml", NULL, NULL, &options, &run));
    CHECK_OK(tn_run_open(run));
    CHECK_OK(tn_run_conclude(run, tn_run_simulate(run)));
    CHECK_TEXT(tn_run_about(run)->status, "done");
    tn_run_destroy(run);
}

#endif

// HDF5, and the thirty libraries that it brings along, are loaded by the child that writes.
static void a_small_run_loads_what_it_uses(void)
{
#ifdef TN_LAZY_CODE
    static const char *const heavy[] = {"hdf5",       "openblas", "lapack",   "cairo",
                                        "microhttpd", "arpack",   "spqr",     "curl",
                                        "X11",        "gnutls",   "sundials", "gfortran"};
    run_pendulum("galpha/ggl");
    for (int i = 0; i < TN_COUNT(heavy); i++) {
        if (is_loaded(heavy[i]))
            printf("%s is loaded\n", heavy[i]);
        CHECK(!is_loaded(heavy[i]));
    }
    run_pendulum("bdf/ggl");
    CHECK(is_loaded("sundials_ida") && !is_loaded("sundials_cvode"));
#endif
}

static const tn_test tests[] = {
    {"a library that is missing is named", a_library_that_is_missing_is_named},
    {"a small run loads what it uses", a_small_run_loads_what_it_uses},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
