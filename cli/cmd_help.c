// SPDX-License-Identifier: MIT
//
// tenon help: the commands, one command, or one kind of body, joint, force or shape, the manual
// page and the completion of shells. Everything is written from the tables that the commands and
// the model reader use.

#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bool reference, schema, man;
    const char *completion;
} help_options;

static const char *const shells[] = {"bash", "zsh", NULL};

#define OPTION(...) CLI_OPTION(help_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("reference", reference, BOOL, "",
           "print the reference page of the model format, in Markdown"),
    OPTION("schema", schema, BOOL, "", "print the JSON Schema of model files, for editors"),
    OPTION("man", man, BOOL, "", "print the manual page"),
    OPTION("completion", completion, TEXT, "SHELL",
           "print the completion of command lines for bash or zsh", .choices = shells),
};

// Text --------------------------------------------------------------------------------------------

static void print_commands(void)
{
    printf("Tenon %s simulates constrained mechanical systems.\n\nUsage: tenon "
           "COMMAND ...\n\n",
           tn_version());
    for (int i = 0; i < cli_command_count; i++)
        printf("  %-9s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    printf("\nBegin with:\n" CLI_FIRST_STEPS "\n"
           "tenon help COMMAND explains a command, tenon help KIND a kind of body, joint,\n"
           "force or shape. Exit codes:\n");
    for (int i = 0; i <= CLI_DOUBTFUL; i++)
        printf("  %d  %s\n", i, cli_exit_words[i]);
}

static void print_option(const tn_param *p)
{
    char name[CLI_NAME_SIZE], left[2 * CLI_NAME_SIZE];
    const char *word = cli_value_word(p);
    const bool unit = p->type != TN_PARAM_TEXT && *p->unit;
    snprintf(left, sizeof(left), "%s%s%s", cli_option_name(p, name), *word ? " " : "", word);
    printf("  %-24s %s%s%s%s\n", left, p->text, unit ? " [" : "", unit ? p->unit : "",
           unit ? "]" : "");
}

static void print_command(const cli_command *command)
{
    printf("tenon %s: %s\n\nUsage: tenon %s\n", command->name, command->summary, command->usage);
    if (command->text)
        printf("\n%s\n", command->text);
    printf("\nOptions:\n");
    for (int i = 0; i < cli_own_count(command); i++)
        print_option(cli_option_at(command, i));
    for (int i = 0; i < cli_common_count; i++)
        print_option(&cli_common_options[i]);
    if (!command->simulate)
        return;
    printf("\nOptions that replace keys of the `simulate` block of the model; "
           "--no-adaptive and "
           "the\nlike switch off what the block switches on:\n");
    for (int i = 0; tn_help_option(i); i++)
        if (!cli_instead(command, tn_help_option(i)->name))
            print_option(tn_help_option(i));
}

// JSON --------------------------------------------------------------------------------------------

static void put_option(tn_json *json, const tn_param *option)
{
    char name[CLI_NAME_SIZE];
    tn_json_object(json, NULL, "name %s type %s unit %s text %s", cli_option_name(option, name),
                   tn_param_type_text(option->type),
                   option->type == TN_PARAM_TEXT ? "" : option->unit, option->text);
}

static void put_command(tn_json *json, const cli_command *command)
{
    tn_json_put(json, "{ name %s summary %s usage %s options [", command->name, command->summary,
                command->usage);
    for (int i = 0; cli_option_at(command, i); i++)
        put_option(json, cli_option_at(command, i));
    tn_json_put(json, "] }");
}

static tn_status commands_json(const cli_command *only)
{
    tn_json *json = cli_json_begin();
    tn_json_put(json, "{ version %s commands [", tn_version());
    for (int i = 0; i < cli_command_count; i++)
        if (!only || only == cli_commands[i])
            put_command(json, cli_commands[i]);
    tn_json_put(json, "] }");
    return cli_print_json(json);
}

// The manual page tenon(1), in the macros of man(7) -----------------------------------------------

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

static void put_roff_line(FILE *out, const char *text)
{
    put_roff(out, text);
    fputc('\n', out);
}

static void put_man_option(FILE *out, const tn_param *option)
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

static void put_man_command(FILE *out, const cli_command *command)
{
    fputs(".SS ", out);
    put_roff_line(out, command->name);
    put_roff_line(out, command->summary);
    fputs(".PP\n.B tenon\n", out);
    put_roff_line(out, command->usage);
    if (command->text) {
        fputs(".PP\n", out);
        put_roff_line(out, command->text);
    }
    for (int i = 0; i < cli_own_count(command); i++)
        put_man_option(out, cli_option_at(command, i));
    if (command->simulate)
        put_simulate_note(out, command);
}

static void put_commands(FILE *out)
{
    for (int i = 0; i < cli_command_count; i++)
        put_man_command(out, cli_commands[i]);
}

static void put_common_options(FILE *out)
{
    for (int i = 0; i < cli_common_count; i++)
        put_man_option(out, &cli_common_options[i]);
}

static void put_simulation_options(FILE *out)
{
    for (int i = 0; tn_help_option(i); i++)
        put_man_option(out, tn_help_option(i));
}

static void put_exit_codes(FILE *out)
{
    for (int i = 0; i <= CLI_DOUBTFUL; i++) {
        fprintf(out, ".TP\n.B %d\n", i);
        put_roff_line(out, cli_exit_words[i]);
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

static void write_man(FILE *out)
{
    // The version stands for a date: the page is the same whenever it is written.
    fprintf(out, ".TH TENON 1 \"\" \"Tenon %s\" \"User Commands\"\n", tn_version());
    for (const char *line = (const char *)tn_man_asset; *line;) {
        const size_t length = strcspn(line, "\n");
        put_page_line(out, line, length);
        line += length + (line[length] == '\n');
    }
}

// Completion --------------------------------------------------------------------------------------

// For bash and zsh: one table of commands, their options and what may stand behind these, and the
// script of the shell that reads it (texts/completion_bash.sh and _zsh.sh). What a word stands for
// follows from the tables of the command: MODEL, DIR or FILE in the usage or as the word for a
// value, the choices of an option, the names of methods.

// Kinds of words that shells look up themselves. In lists of words they begin with '@'.
#define MODEL_WORD "@model"
#define FOLDER_WORD "@folder"
#define FILE_WORD "@file"
#define METHOD_WORD "@method"
#define METHODS_WORD "@methods"

static void put_topics(FILE *out)
{
    const char *topics[CLI_MOST_TOPICS];
    const int n = cli_topics(topics);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s ", topics[i]);
}

// One word of a usage line: a kind of word, or a word to be written as it is.
static void put_usage_word(FILE *out, const char *word)
{
    if (islower((unsigned char)word[0]))
        fprintf(out, "%s ", word);
    else if (strcmp(word, "MODEL") == 0)
        fputs(MODEL_WORD " ", out);
    else if (strcmp(word, "DIR") == 0)
        fputs(FOLDER_WORD " ", out);
    else if (strcmp(word, "FILE") == 0)
        fputs(FILE_WORD " ", out);
    else if (strcmp(word, "KIND") == 0)
        put_topics(out);
}

// Writes the words that may stand beside the options: the usage line up to its first option.
static void put_words(FILE *out, const cli_command *command)
{
    char usage[256];
    snprintf(usage, sizeof usage, "%s", command->usage + strlen(command->name));
    char *dash = strstr(usage, "-");
    while (dash && dash > usage && strchr(" [", dash[-1]) == NULL)
        dash = strstr(dash + 1, "-"); // slider-crank
    if (dash)
        *dash = '\0';
    for (char *word = strtok(usage, " |[];"); word; word = strtok(NULL, " |[];"))
        put_usage_word(out, word);
}

// Writes the values that an option may have.
static void put_values(FILE *out, const tn_param *option)
{
    const char *word = cli_value_word(option);
    for (int i = 0; option->choices && option->choices[i]; i++)
        fprintf(out, "%s ", option->choices[i]);
    if (strcmp(option->name, "method") == 0)
        fputs(METHOD_WORD, out);
    else if (strcmp(option->name, "methods") == 0)
        fputs(METHODS_WORD, out);
    else if (strcmp(word, "DIR") == 0)
        fputs(FOLDER_WORD, out);
    else if (strncmp(word, "FILE", 4) == 0)
        fputs(FILE_WORD, out);
}

static void put_method(const char *name, void *out)
{
    fprintf(out, "%s ", name);
}

// Lines COMMAND|OPTION|WORD FOR ITS VALUE|VALUES|TEXT. Words beside the options have '*' for an
// option, and what takes no value has no word.
static void put_options(FILE *out, const cli_command *command)
{
    const tn_param *option = NULL;
    char name[CLI_NAME_SIZE];
    for (int i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        cli_option_name(option, name);
        fprintf(out, "%s|%s|%s|", command->name, name, cli_value_word(option));
        put_values(out, option);
        fprintf(out, "|%s\n", option->text);
        // Those of the `simulate` block can be switched off.
        if (option->type == TN_PARAM_BOOL && i >= cli_own_count(command) + cli_common_count)
            fprintf(out, "%s|--no-%s|||switch off %s\n", command->name, name + 2, name);
    }
}

static void put_table(FILE *out)
{
    fputs("_tenon_table()\n{\n    cat <<'END'\n@method|||", out);
    cli_each_method(put_method, out);
    fputs("|\n", out);
    for (int i = 0; i < cli_command_count; i++) {
        fprintf(out, "%s|*|%s|", cli_commands[i]->name, cli_commands[i]->word);
        put_words(out, cli_commands[i]);
        fprintf(out, "|%s\n", cli_commands[i]->summary);
        put_options(out, cli_commands[i]);
    }
    fputs("END\n}\n\n", out);
}

extern const unsigned char tn_completion_bash_asset[], tn_completion_zsh_asset[];

static void write_bash(FILE *out)
{
    fprintf(out,
            "# Completion of tenon %s for bash, written by `tenon help --completion bash`.\n\n",
            tn_version());
    put_table(out);
    fputs((const char *)tn_completion_bash_asset, out);
}

static void write_zsh(FILE *out)
{
    fprintf(out,
            "#compdef tenon\n"
            "# Completion of tenon %s for zsh, written by `tenon help --completion zsh`.\n\n",
            tn_version());
    put_table(out);
    fputs((const char *)tn_completion_zsh_asset, out);
}

// The command -------------------------------------------------------------------------------------

static tn_status print_text(const char *key, const char *text)
{
    if (!cli_json()) {
        fputs(text, stdout);
        return TN_OK;
    }
    tn_json *json = cli_json_begin();
    tn_json_begin_object(json, NULL);
    tn_json_string(json, key, text);
    tn_json_end_object(json);
    return cli_print_json(json);
}

int cli_topics(const char **out)
{
    int n = 0;
    for (int i = 0; i < cli_command_count; i++)
        out[n++] = cli_commands[i]->name;
    for (int i = 0; tn_help_kind(i) && n < CLI_MOST_TOPICS - 1; i++)
        out[n++] = tn_help_kind(i);
    out[n++] = "simulate";
    return n;
}

// A word that is neither: the nearest among commands and kinds.
static tn_status unknown_topic(const char *name)
{
    const char *known[CLI_MOST_TOPICS];
    return tn_fail_unknown("command or kind", name, cli_topics(known), known);
}

static tn_status explain_kind(const char *name)
{
    char *text = NULL;
    tn_status s = tn_help_text(name, &text);
    if (s == TN_OK)
        s = print_text("text", text);
    else if (s != TN_ERR_MEMORY)
        s = unknown_topic(name);
    tn_text_free(text);
    return s;
}

// Kinds of the plugins that a model file names.
static tn_status load_kinds(const char *path)
{
    tn_model *model = NULL;

    CLI_TRY(tn_model_load(path, &model, NULL));
    tn_model_destroy(model);
    return TN_OK;
}

static tn_status print_page(const char *key, tn_status (*make)(char **))
{
    char *text = NULL;
    tn_status s = make(&text);
    CLI_THEN(s, print_text(key, text));
    tn_text_free(text);
    return s;
}

// Prints the text that a writer writes.
static tn_status print_written(const char *key, void (*write)(FILE *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file)
        write(file);
    const tn_status s = file && fclose(file) == 0
                            ? print_text(key, text)
                            : tn_fail(TN_ERR_MEMORY, "out of memory while writing help");
    free(text);
    return s;
}

static tn_status explain(cli_args *args)
{
    help_options own = {0}, *wanted = &own;
    CLI_TRY(cli_parse(args, wanted));
    const cli_command *command = args->count ? cli_find_command(args->word[0]) : NULL;
    if (wanted->reference)
        return print_page("reference", tn_help_reference);
    if (wanted->schema)
        return print_page("schema", tn_help_schema);
    if (wanted->man)
        return print_written("man", write_man);
    if (wanted->completion)
        return print_written("completion",
                             strcmp(wanted->completion, "zsh") == 0 ? write_zsh : write_bash);
    if (args->count > 1)
        CLI_TRY(load_kinds(args->word[1]));
    if (args->count && !command)
        return explain_kind(args->word[0]);
    if (cli_json())
        return commands_json(command);
    if (command)
        print_command(command);
    else
        print_commands();
    return TN_OK;
}

const cli_command cmd_help = {
    .name = "help",
    .summary = "explain a command, or a kind of body, joint, force or shape",
    .usage = "help [COMMAND | KIND [MODEL]] [--reference | --schema | --man | --completion SHELL] "
             "[--json]",
    .text = "Without a word it lists the commands. KIND is a kind of body, "
            "joint, force or\n"
            "shape as model files name it, for example rigid, revolute, spring or "
            "box, or the word\n"
            "simulate.",
    .word = "a command or kind",
    .most = 2,
    CLI_OPTIONS(options),
    .run = explain,
};
