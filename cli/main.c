// SPDX-License-Identifier: MIT
//
// The `tenon` command: the table of commands, and the choice of one.

#include "cli.h"

#include "base/alloc.h"
#include "io/shell.h"

#include <string.h>

const cli_command *const cli_commands[] = {
    &cmd_new,     &cmd_run,     &cmd_report,   &cmd_plot,    &cmd_view, &cmd_check,
    &cmd_inverse, &cmd_methods, &cmd_converge, &cmd_compare, &cmd_help,
};
const int cli_command_count = TN_COUNT(cli_commands);

static int word_count;
static char **word;

char **cli_words(int *count)
{
    *count = word_count > 2 ? word_count - 2 : 0;
    return word + (word_count > 2 ? 2 : word_count);
}

char *cli_command_line(void)
{
    char *line = tn_strdup("tenon");

    for (int i = 1; line && i < word_count; i++) {
        char *quoted = tn_shell_quote(word[i]);
        char *longer = quoted ? tn_format("%s %s", line, quoted) : NULL;
        tn_free(quoted);
        tn_free(line);
        line = longer;
    }
    return line;
}

static tn_status print_version(void)
{
    tn_json *json = NULL;

    if (!cli_json()) {
        printf("tenon %s\n", tn_version());
        return TN_OK;
    }
    TN_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "version", tn_version());
    tn_json_end_object(json);
    return cli_print_json(json);
}

static tn_status unknown_command(const char *name)
{
    const char *known[TN_COUNT(cli_commands)];

    for (int i = 0; i < cli_command_count; i++)
        known[i] = cli_commands[i]->name;
    return cli_fail_unknown("command", name, cli_command_count, known);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";

    word_count = argc;
    word = argv;
    cli_set_json(cli_has_flag(argc, argv, "--json"));
    if (strcmp(name, "--version") == 0)
        return cli_finish(print_version());
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "--json") == 0)
        name = "help";

    const cli_command *command = cli_find_command(name);
    if (!command)
        return cli_finish(unknown_command(name));
    if (cli_has_flag(argc - 2, argv + 2, "--help") || cli_has_flag(argc - 2, argv + 2, "-h")) {
        char *words[] = {(char *)command->name, NULL};
        return cmd_help.run(1, words);
    }
    return command->run(argc > 2 ? argc - 2 : 0, argv + 2);
}
