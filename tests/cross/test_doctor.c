// SPDX-License-Identifier: MIT
//
// tenon doctor tells what is there, and works where things are missing.

#include "cli_driver.h"

#include "tenon/doctor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const tn_node *part_named(const tn_document *doc, const char *name)
{
    const tn_node *parts = json_at(doc, "parts");
    for (int i = 0; i < parts->count; i++)
        if (strcmp(tn_node_get(parts->children[i], "name")->text, name) == 0)
            return parts->children[i];
    return NULL;
}

static bool has_state(const tn_document *doc, const char *name, const char *state)
{
    const tn_node *part = part_named(doc, name);
    CHECK(part != NULL);
    return strcmp(tn_node_get(part, "state")->text, state) == 0;
}

static void libraries_have_versions(void)
{
    CHECK(tenon("doctor --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK(has_state(doc, "OpenBLAS", "there") && has_state(doc, "ARPACK", "there"));
    CHECK(strstr(tn_node_get(part_named(doc, "OpenBLAS"), "found")->text, "OpenBLAS 0.") != NULL);
    const char *sundials = tn_node_get(part_named(doc, "IDA of SUNDIALS"), "found")->text;
    CHECK(*sundials == '6' || *sundials == '7'); // what docs/platforms.md names
    const tn_node *parts = json_at(doc, "parts");
    for (int i = 0; i < parts->count; i++) {
        const bool needed = strcmp(tn_node_get(parts->children[i], "needed")->text, "true") == 0;
        CHECK(!needed || strcmp(tn_node_get(parts->children[i], "state")->text, "there") == 0);
        CHECK(*tn_node_get(parts->children[i], "purpose")->text);
    }
    tn_document_destroy(doc);
    CHECK(tenon("doctor") == 0);
    CHECK(strstr(cli.out, "OpenBLAS 0.") != NULL);
}

static void programs_may_be_missing(void)
{
    char *path = strdup(getenv("PATH"));
    CHECK(path && setenv("PATH", "/nowhere::relative", 1) == 0);
    CHECK(tenon("doctor --json") == 0);
    tn_document *doc = json_of(cli.out);
    static const char *const gone[] = {"mpirun", "browser", "xdg-open", "dot", "python3", "numpy"};
    for (int i = 0; i < TN_COUNT(gone); i++)
        CHECK(has_state(doc, gone[i], "missing"));
    tn_document_destroy(doc);
    CHECK(tenon("doctor") == 0);
    CHECK(strstr(cli.out, "python3            missing  not in PATH\n") != NULL);
    CHECK(strstr(cli.out, "apt-get install python3-numpy\n") != NULL);
    CHECK(strstr(cli.out, "Models can be simulated; what is missing is for other things.\n"));
    CHECK(setenv("PATH", path, 1) == 0);
    free(path);
}

// A file of the same name that is no library stands before it.
static void a_library_that_cannot_be_loaded_is_told(void)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    char *kept = before ? strdup(before) : NULL;
    if (!*TN_FILE_ARPACK)
        return; // archives
    mkdir("broken", 0777);
    write_text("broken/" TN_FILE_ARPACK, "no library");
    CHECK(setenv("LD_LIBRARY_PATH", "broken", 1) == 0);
    CHECK(tenon("doctor") == 4);
    CHECK(strstr(cli.out, "  ARPACK             MISSING ") != NULL);
    CHECK(strstr(cli.out, "for: modes of large models; on Debian: apt-get install libarpack2-dev"));
    CHECK(strstr(cli.out, "1 library that commands need is missing.\n") != NULL);
    CHECK(tenon("doctor --json") == 4);
    CHECK(strstr(cli.out, "\"failed\"") != NULL);
    CHECK((kept ? setenv("LD_LIBRARY_PATH", kept, 1) : unsetenv("LD_LIBRARY_PATH")) == 0);
    free(kept);
    remove("broken/" TN_FILE_ARPACK);
    remove("broken");
}

static void the_list_ends(void)
{
    tn_equipment part;
    CHECK(!tn_doctor_check(-1, &part) && !tn_doctor_check(1000, &part));
    CHECK(tn_doctor_check(0, &part) && strcmp(part.kind, "machine") == 0);
}

static const tn_test tests[] = {
    {"libraries have versions", libraries_have_versions},
    {"programs may be missing", programs_may_be_missing},
    {"a library that cannot be loaded is told", a_library_that_cannot_be_loaded_is_told},
    {"the list ends", the_list_ends},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
