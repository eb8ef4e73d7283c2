// SPDX-License-Identifier: MIT
//
// tenon new: writes a starter model with comments, ready to run and to change.

#include "cli.h"
#include "io/target.h"
#include "starter.h"

#include <string.h>
#include <sys/stat.h>

typedef struct {
    bool force;
} new_options;

static const tn_param options[] = {
    {.name = "force",
     .type = TN_PARAM_BOOL,
     .unit = "",
     .text = "replace a file that exists",
     .offset = offsetof(new_options, force)},
};

static int run(int argc, char **argv);

const cli_command cmd_new = {
    .name = "new",
    .summary = "write a starter model: pendulum, fourbar, slider-crank or top",
    .usage = "new pendulum|fourbar|slider-crank|top [FILE] [--force] [--json]",
    .text = "FILE is NAME.yaml in the current folder when it is left out.",
    .word = "the name of a starter model",
    .least = 1,
    .most = 2,
    .noption = TN_COUNT(options),
    .options = options,
    .run = run,
};

static tn_status find_starter(const char *name, const cli_starter **out)
{
    const char *known[CLI_MOST_STARTERS];

    for (int i = 0; i < cli_starter_count; i++) {
        *out = &cli_starters[i];
        known[i] = cli_starters[i].name;
        if (strcmp(name, known[i]) == 0)
            return TN_OK;
    }
    return cli_fail_unknown("starter model", name, cli_starter_count, known);
}

static tn_status write_starter(const cli_starter *starter, const char *path, bool force)
{
    struct stat info;
    tn_target target;

    if (!force && lstat(path, &info) == 0)
        return tn_fail(TN_ERR_USAGE,
                       "%s exists already; use --force to replace it or name another file", path);
    tn_status s = tn_target_open(path, &target);
    if (s == TN_OK) {
        for (const char *const *line = starter->lines; *line; line++)
            fprintf(target.file, "%s\n", *line);
        s = tn_target_close(&target, TN_OK);
    }
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

static tn_status tell(const cli_starter *starter, const char *path)
{
    tn_json *json = NULL;
    char next[4200];

    snprintf(next, sizeof(next), "tenon run %.4096s", path);
    if (!cli_json()) {
        printf("Wrote %s: %s.\nNext: %s\n", path, starter->summary, next);
        return TN_OK;
    }
    TN_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "status", "done");
    tn_json_string(json, "model", starter->name);
    tn_json_string(json, "file", path);
    tn_json_string(json, "next", next);
    tn_json_end_object(json);
    return cli_print_json(json);
}

static tn_status new_model(const cli_args *args, bool force)
{
    const cli_starter *starter = NULL;
    char path[128];

    TN_TRY(find_starter(args->word[0], &starter));
    snprintf(path, sizeof(path), "%s.yaml", starter->name);
    const char *file = args->count > 1 ? args->word[1] : path;
    TN_TRY(write_starter(starter, file, force));
    return tell(starter, file);
}

static int run(int argc, char **argv)
{
    cli_args args;
    new_options wanted = {0};

    tn_status s = cli_parse(&cmd_new, argc, argv, &args, &wanted);
    if (s == TN_OK)
        s = new_model(&args, wanted.force);
    return cli_finish(s);
}
