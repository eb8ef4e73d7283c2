// SPDX-License-Identifier: MIT
//
// tenon new: writes a starter model with comments, ready to run and to change.

#include "cli.h"

#include <string.h>

typedef struct {
    bool force;
} new_options;

static const tn_param options[] = {
    CLI_OPTION(new_options, "force", force, BOOL, "", "replace a file that exists"),
};

static tn_status find_starter(const char *name, const tn_starter **out)
{
    enum { MOST = 16 };
    const char *known[MOST];
    int n = 0;
    for (; n < MOST && (*out = tn_help_starter(n)); n++) {
        known[n] = (*out)->name;
        if (strcmp(name, known[n]) == 0)
            return TN_OK;
    }
    return tn_fail_unknown("starter model", name, n, known);
}

static tn_status tell_cmd_new(const tn_starter *starter, const char *path)
{
    char next[4200];
    snprintf(next, sizeof(next), "tenon run %.4096s", path);
    if (!cli_json()) {
        printf("Wrote %s: %s.\nNext: %s\n", path, starter->summary, next);
        return TN_OK;
    }
    tn_json *json = cli_json_begin();
    tn_json_object(json, NULL, "status %s model %s file %s next %s", "done", starter->name, path,
                   next);
    return cli_print_json(json);
}

static tn_status new_model(cli_args *args)
{
    new_options own = {0}, *wanted = &own;
    CLI_TRY(cli_parse(args, wanted));
    const tn_starter *starter = NULL;
    char path[128];
    CLI_TRY(find_starter(args->word[0], &starter));
    snprintf(path, sizeof(path), "%s.yaml", starter->name);
    const char *file = args->count > 1 ? args->word[1] : path;
    const tn_status s = tn_starter_write(starter, file, wanted->force);
    return s == TN_OK ? tell_cmd_new(starter, file) : s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

const cli_command cmd_new = {
    .name = "new",
    .summary = "write a starter model: pendulum, arm, crane and others",
    .usage = "new pendulum|fourbar|slider-crank|top|arm|suspension|stewart|chain|gyroscope|crane "
             "[FILE] [--force] [--json]",
    .text = "FILE is NAME.yaml in the current folder when it is left out.",
    .word = "the name of a starter model",
    .least = 1,
    .most = 2,
    CLI_OPTIONS(options),
    .run = new_model,
};
