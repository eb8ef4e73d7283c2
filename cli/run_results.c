// SPDX-License-Identifier: MIT
//
// The folder that a run writes: result.h5, result.csv, summary.json and report.html.

#include "base/alloc.h"
#include "io/journal.h"
#include "io/target.h"
#include "run.h"

#include <string.h>
#include <sys/stat.h>

static const char *const result_names[] = {TN_JOURNAL_FILE, TN_CHECKPOINT_FILE, "result.h5",
                                           "result.csv",    "summary.json",     "report.html"};

char *cli_results_default(const char *model_path)
{
    const char *slash = strrchr(model_path, '/');
    const char *base = slash ? slash + 1 : model_path;
    const char *dot = strrchr(base, '.');
    const int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);

    return tn_format("%.*s.results", length, base);
}

// 1 when the file is there, 0 when not, -1 when memory is short.
static int is_there(const char *directory, const char *name)
{
    char *path = tn_format("%s/%s", directory, name);
    struct stat info;

    if (!path)
        return -1;
    const bool there = lstat(path, &info) == 0;
    tn_free(path);
    return there ? 1 : 0;
}

tn_status cli_results_check(const char *directory, bool force)
{
    for (int i = 0; i < CLI_COUNT(result_names) && !force; i++) {
        const int there = is_there(directory, result_names[i]);
        if (there < 0)
            return tn_fail(TN_ERR_MEMORY, "%s: out of memory", directory);
        if (there)
            return tn_fail(TN_ERR_USAGE,
                           "%s holds results already; use --force to replace them or --out for "
                           "another place",
                           directory);
    }
    return TN_OK;
}

bool cli_results_have(const char *directory, const char *name)
{
    return is_there(directory, name) > 0;
}

void cli_results_tell_kept(const char *directory)
{
    for (int i = 0; i < CLI_COUNT(result_names); i++)
        if (is_there(directory, result_names[i]) > 0) {
            cli_message("note: %s still holds the results of an earlier run", directory);
            return;
        }
}

// What cannot be made is found out by the record, which makes the folder itself.
tn_status cli_results_parents(const char *directory)
{
    char *path = tn_strdup(directory);

    if (!path)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", directory);
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (*path)
            mkdir(path, 0777);
        *slash = '/';
    }
    tn_free(path);
    return TN_OK;
}

tn_status cli_results_write(const char *directory, const char *name, const char *text)
{
    char *path = tn_format("%s/%s", directory, name);
    if (!path)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", directory);
    const tn_status s = tn_target_write(path, text, strlen(text));
    tn_free(path);
    return s;
}
