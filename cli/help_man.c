// SPDX-License-Identifier: MIT
//
// The manual page tenon(1), in the macros of man(7). Texts are those of `tenon help`.

#include "cli.h"
#include "help_pages.h"

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

static void put_section(FILE *out, const char *macro, const char *title)
{
    fprintf(out, ".%s ", macro);
    put_roff(out, title);
    fputc('\n', out);
}

static void help_man_put_line(FILE *out, const char *text)
{
    put_roff(out, text);
    fputc('\n', out);
}

static void put_paragraph(FILE *out, const char *text)
{
    fputs(".PP\n", out);
    help_man_put_line(out, text);
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
    put_section(out, "SS", command->name);
    help_man_put_line(out, command->summary);
    fputs(".PP\n.B tenon\n", out);
    help_man_put_line(out, command->usage);
    if (command->text)
        put_paragraph(out, command->text);
    for (int i = 0; i < command->noption; i++)
        put_option(out, &command->options[i]);
    if (command->simulate)
        put_simulate_note(out, command);
}

static void put_options(FILE *out)
{
    put_section(out, "SH", "OPTIONS");
    help_man_put_line(out, "Every command takes these:");
    for (int i = 0; i < cli_common_count; i++)
        put_option(out, &cli_common_options[i]);
    put_paragraph(out, "Instead of a command:");
    put_option(out, &(tn_param){.name = "version",
                                .type = TN_PARAM_BOOL,
                                .unit = "",
                                .text = "print the version of Tenon"});
    put_section(out, "SH", "SIMULATION OPTIONS");
    help_man_put_line(out,
                      "These replace keys of the `simulate` block of the model; --no-adaptive and "
                      "the like switch off what the block switches on.");
    for (int i = 0; tn_help_option(i); i++)
        put_option(out, tn_help_option(i));
}

static void put_exit_codes(FILE *out)
{
    put_section(out, "SH", "EXIT STATUS");
    for (int i = 0; i <= CLI_DOUBTFUL; i++) {
        fprintf(out, ".TP\n.B %d\n", i);
        help_man_put_line(out, cli_exit_words[i]);
    }
}

static void put_files(FILE *out)
{
    static const char *const files[][2] = {
        {"MODEL.results/result.h5", "rows of a run; result.journal while it goes on"},
        {"MODEL.results/summary.json", "its ledger, what --json prints"},
        {"PREFIX/share/tenon/models", "example models"},
        {"PREFIX/share/tenon/model.schema.json",
         "JSON Schema of model files, with which editors complete and check them"},
    };
    put_section(out, "SH", "FILES");
    for (int i = 0; i < CLI_COUNT(files); i++) {
        fputs(".TP\n.I ", out);
        help_man_put_line(out, files[i][0]);
        help_man_put_line(out, files[i][1]);
    }
}

void cli_write_man(FILE *out)
{
    // The version stands for a date: the page is the same whenever it is written.
    fprintf(out, ".TH TENON 1 \"\" \"Tenon %s\" \"User Commands\"\n", tn_version());
    put_section(out, "SH", "NAME");
    fputs("tenon \\- simulate constrained mechanical systems\n", out);
    put_section(out, "SH", "SYNOPSIS");
    fputs(".B tenon\n.I COMMAND\n\\&...\n", out);
    put_section(out, "SH", "DESCRIPTION");
    put_roff(out, "Tenon simulates mechanisms of rigid bodies, joints, drives and forces that a "
                  "text file in YAML or JSON describes.\n");
    fputs(".PP\nBegin with:\n.PP\n.nf\n", out);
    put_roff(out, CLI_FIRST_STEPS);
    fputs(".fi\n", out);
    put_section(out, "SH", "COMMANDS");
    for (int i = 0; i < cli_command_count; i++)
        put_command(out, cli_commands[i]);
    put_options(out);
    put_exit_codes(out);
    put_files(out);
}
