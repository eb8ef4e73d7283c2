// SPDX-License-Identifier: MIT
//
// tenon expand: a model with its parts written out, as a model file again.

#include "cli.h"

#include <stdlib.h>

typedef struct {
    const char *out;
    bool force;
} expand_options;

#define OPTION(...) CLI_OPTION(expand_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("out", out, TEXT, "FILE", "the file to write; the standard output when left out"),
    OPTION("force", force, BOOL, "", "replace a file that exists, but none that MODEL is made of",
           .needs = "out"),
};

static tn_status tell_cmd_expand(const char *path)
{
    if (!cli_json()) {
        printf("%s\n", path);
        return TN_OK;
    }
    tn_json *json = cli_json_begin();
    tn_json_object(json, NULL, "status %s file %s", "done", path);
    return cli_print_json(json);
}

// The expanded model has no parts: it must not replace the files that it was made of.
static tn_status refuse_own_files(const char *model, const char *out)
{
    bool own = false;
    if (out)
        CLI_TRY(tn_model_is_made_of(model, out, &own));
    return own ? tn_fail(TN_ERR_USAGE,
                         "%s belongs to the model %s and is not replaced by what is written out of "
                         "it; name another file",
                         out, model)
               : TN_OK;
}

static tn_status expand(cli_args *args)
{
    expand_options own = {0}, *wanted = &own;
    CLI_TRY(cli_parse(args, wanted));
    const char *out = cli_is_stdout(wanted->out) ? NULL : wanted->out;
    cli_set set;
    char *text = NULL;
    if (!out && cli_json())
        return tn_fail(TN_ERR_USAGE, "--json tells what was written: name a file with --out");
    CLI_TRY(cli_read_set(args, &set));
    CLI_TRY(refuse_own_files(args->word[0], out));
    CLI_TRY(cli_check_place(out, wanted->force));
    char *folder = out ? cli_folder_of(out) : NULL;
    if (out && !folder)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    tn_status s = tn_model_expand(args->word[0], set.count, set.value, folder, &text);
    if (s == TN_OK && !out)
        fputs(text, stdout);
    else if (s == TN_OK)
        s = cli_write_text(out, text);
    if (out)
        CLI_THEN(s, tell_cmd_expand(out));
    tn_text_free(text);
    free(folder);
    return s;
}

const cli_command cmd_expand = {
    .name = "expand",
    .summary = "write a model with its parts written out",
    .usage = "expand MODEL [--set NAME=VALUE,...] [--out FILE] [--force]",
    .text =
        "What is included, repeated and assembled stands in the text by its full name, where\n"
        "it is in the inertial frame, and parameters have the values that --set gives. It is a\n"
        "model file again, with the same motion. Files that it names are found from the folder\n"
        "of FILE; on the standard output, from that of MODEL. Comments are left out.",
    CLI_ONE_MODEL,
    CLI_OPTIONS(options),
    .run = expand,
};
