// SPDX-License-Identifier: MIT
//
// A comparison from the command line to its last run.

#include "compare.h"

#include <unistd.h>

const char *const cli_study_instead[][2] = {
    {"method", "--methods"}, {"step", "--steps"},    {"adaptive", "--tols"}, {"rtol", "--tols"},
    {"atol", "--tols"},      {"output", "--points"}, {NULL, NULL},
};

// Keys of the `simulate` block that a comparison sets itself.
static tn_status refuse_options(const cli_command *command, const cli_args *args)
{
    for (int i = 0; tn_help_option(i); i++) {
        const char *key = tn_help_option(i)->name, *instead = cli_instead(command, key);
        if (args->given[i] && instead)
            return tn_fail(TN_ERR_USAGE, "%s: --%s is for one run; this command takes %s",
                           command->name, key, instead);
    }
    return TN_OK;
}

// On a terminal, what is being run; the reference comes before all others.
static void tell_run(void *user, const char *method, tn_setting setting, int run, int total)
{
    const cli_study *s = user;
    if (!s->progress)
        return;
    fputs("\r\033[K", stderr);
    if (total == 0)
        fputs("reference: ", stderr);
    else
        fprintf(stderr, "[%d/%d] ", run, total);
    fprintf(stderr, "%s, %s %g", method, setting.fixed ? "step" : "rtol", setting.value);
    fflush(stderr);
}

tn_status cli_study_make(cli_study *s, const cli_command *command, const cli_args *args,
                         tn_compare_options *wanted)
{
    s->model_path = args->word[0];
    s->progress = isatty(STDERR_FILENO);
    CLI_TRY(refuse_options(command, args));
    CLI_TRY(tn_model_load(s->model_path, &s->model, &s->simulate));
    cli_apply(args, &s->simulate);
    s->command = cli_command_line();
    if (!s->command)
        return TN_ERR_MEMORY;
    wanted->given = args->given;
    wanted->model_path = s->model_path;
    wanted->command = s->command;
    wanted->teller.tell = cli_tell;
    wanted->before = tell_run;
    wanted->user = s;
    CLI_TRY(tn_compare_create(s->model, &s->simulate, wanted, &s->compare));
    const tn_status status = tn_compare_run(s->compare);
    if (s->progress)
        fputs("\r\033[K", stderr);
    return status;
}

void cli_study_free(cli_study *s)
{
    tn_compare_destroy(s->compare);
    tn_model_destroy(s->model);
    tn_text_free(s->command);
}

tn_status cli_study_json(const cli_study *s)
{
    tn_json *json = NULL;
    CLI_TRY(tn_compare_json(s->compare, &json));
    return cli_print_json(json);
}
