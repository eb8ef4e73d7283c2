// SPDX-License-Identifier: MIT
//
// The folder that a run writes: result.h5, result.csv, summary.json and report.html.

#include "io/run_parts.h"

#include "base/alloc.h"
#include "io/journal.h"
#include "io/target.h"

#include <string.h>

static const char *const result_names[] = {TN_JOURNAL_FILE, TN_CHECKPOINT_FILE, "result.h5",
                                           "result.csv",    "summary.json",     "report.html"};

char *tn_run_folder(const char *model_path)
{
    const char *slash = strrchr(model_path, '/');
    const char *base = slash ? slash + 1 : model_path;
    const char *dot = strrchr(base, '.');
    const int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    return tn_format("%.*s.results", length, base);
}

static bool holds_results(const char *directory)
{
    for (int i = 0; i < TN_COUNT(result_names); i++)
        if (tn_folder_has(directory, result_names[i]))
            return true;
    return false;
}

tn_status tn_run_folder_check(const char *directory, bool replace)
{
    if (replace || !holds_results(directory))
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "%s holds results already; use --force to replace them or --out for another "
                   "place",
                   directory);
}

char *tn_run_kept(const char *model_path, const char *out)
{
    TN_NEED(model_path, NULL);
    char *directory = out ? tn_strdup(out) : tn_run_folder(model_path);
    if (directory && !tn_folder_is_locked(directory) && holds_results(directory))
        return directory;
    tn_free(directory);
    return NULL;
}
