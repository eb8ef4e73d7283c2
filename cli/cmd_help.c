// SPDX-License-Identifier: MIT
//
// tenon help: the commands, one command, or one kind of body, joint, force or shape.
// Everything is written from the tables that the commands and the model reader
// use.

#include "cli.h"

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

static tn_status explain_cmd_help(const cli_args *args, const help_options *wanted)
{
    const cli_command *command = args->count ? cli_find_command(args->word[0]) : NULL;
    if (wanted->reference)
        return print_page("reference", tn_help_reference);
    if (wanted->schema)
        return print_page("schema", tn_help_schema);
    if (wanted->man)
        return print_written("man", cli_write_man);
    if (wanted->completion)
        return print_written("completion", strcmp(wanted->completion, "zsh") == 0 ? cli_write_zsh
                                                                                  : cli_write_bash);
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

static int help_main(int argc, char **argv)
{
    cli_args args;
    help_options wanted = {0};
    tn_status s = cli_parse(&cmd_help, argc, argv, &args, &wanted);
    CLI_THEN(s, explain_cmd_help(&args, &wanted));
    return cli_finish(s);
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
    .run = help_main,
};
