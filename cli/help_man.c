// SPDX-License-Identifier: MIT
//
// The manual page tenon(1), in the macros of man(7). Texts are those of `tenon help`.

#include "cli.h"

#include <string.h>

// Text in which nothing is a command of roff: escapes, and characters that printers would replace.
static void put_roff(FILE *out, const char *text)
{
    static const char special[] = "\\-'`^~";
    static const char *const escapes[] = {"\\e", "\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti"};
    bool line_start = true;
    for (const char *c = text; *c; c++) {
        const char *found = strchr(special, *c);
        if (line_start && (*c == '.' || *c == '\''))
            fputs("\\&", out);
        line_start = *c == '\n';
        if (found)
            fputs(escapes[found - special], out);
        else
            fputc(*c, out);
    }
}

static void help_man_put_line(FILE *out, const char *text)
{
    put_roff(out, text);
    fputc('\n', out);
}

static void put_option(FILE *out, const tn_param *option)
{
    char name[CLI_NAME_SIZE];
    const char *word = cli_value_word(option);
    const bool unit = option->type != TN_PARAM_TEXT && *option->unit;
    fputs(".TP\n\\fB", out);
    put_roff(out, cli_option_name(option, name));
    fputs("\\fR", out);
    if (*word) {
        fputs(" \\fI", out);
        put_roff(out, word);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_roff(out, option->text);
    if (unit)
        fprintf(out, " [%s]", option->unit);
    for (int i = 0; option->choices && option->choices[i]; i++)
        fprintf(out, "%s%s", i ? ", " : "; one of ", option->choices[i]);
    fputc('\n', out);
}

// Which options of the `simulate` block a command takes.
static void put_simulate_note(FILE *out, const cli_command *command)
{
    char name[CLI_NAME_SIZE];
    fputs(".PP\nTakes the\n.B SIMULATION OPTIONS\nbelow", out);
    for (int i = 0; command->instead && command->instead[i][0]; i++) {
        const tn_param left_out = {.name = command->instead[i][0]};
        fputs(i ? ", " : " but for ", out);
        put_roff(out, cli_option_name(&left_out, name));
    }
    fputs(".\n", out);
}

static void put_command(FILE *out, const cli_command *command)
{
    fputs(".SS ", out);
    help_man_put_line(out, command->name);
    help_man_put_line(out, command->summary);
    fputs(".PP\n.B tenon\n", out);
    help_man_put_line(out, command->usage);
    if (command->text) {
        fputs(".PP\n", out);
        help_man_put_line(out, command->text);
    }
    for (int i = 0; i < cli_own_count(command); i++)
        put_option(out, cli_option_at(command, i));
    if (command->simulate)
        put_simulate_note(out, command);
}

static void put_commands(FILE *out)
{
    for (int i = 0; i < cli_command_count; i++)
        put_command(out, cli_commands[i]);
}

static void put_common_options(FILE *out)
{
    for (int i = 0; i < cli_common_count; i++)
        put_option(out, &cli_common_options[i]);
}

static void put_simulation_options(FILE *out)
{
    for (int i = 0; tn_help_option(i); i++)
        put_option(out, tn_help_option(i));
}

static void put_exit_codes(FILE *out)
{
    for (int i = 0; i <= CLI_DOUBTFUL; i++) {
        fprintf(out, ".TP\n.B %d\n", i);
        help_man_put_line(out, cli_exit_words[i]);
    }
}

static void put_first_steps(FILE *out)
{
    put_roff(out, CLI_FIRST_STEPS);
}

// The page is texts/man.1, in which these lines stand for the contents of the tables.
static const struct {
    const char *line;
    void (*put)(FILE *out);
} places[] = {
    {"@first-steps", put_first_steps},       {"@commands", put_commands},
    {"@common-options", put_common_options}, {"@simulation-options", put_simulation_options},
    {"@exit-codes", put_exit_codes},
};

static void put_page_line(FILE *out, const char *line, size_t length)
{
    for (int i = 0; i < CLI_COUNT(places); i++)
        if (strlen(places[i].line) == length && strncmp(line, places[i].line, length) == 0) {
            places[i].put(out);
            return;
        }
    fprintf(out, "%.*s\n", (int)length, line);
}

extern const unsigned char tn_man_asset[];

void cli_write_man(FILE *out)
{
    // The version stands for a date: the page is the same whenever it is written.
    fprintf(out, ".TH TENON 1 \"\" \"Tenon %s\" \"User Commands\"\n", tn_version());
    for (const char *line = (const char *)tn_man_asset; *line;) {
        const size_t length = strcspn(line, "\n");
        put_page_line(out, line, length);
        line += length + (line[length] == '\n');
    }
}
