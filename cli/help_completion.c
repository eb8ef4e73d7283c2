// SPDX-License-Identifier: MIT
//
// Completion for bash and zsh: one table of commands, their options and what may stand behind
// these, and the script of the shell that reads it (texts/completion_bash.sh and _zsh.sh). What a
// word stands for follows from the tables of the command: MODEL, DIR or FILE in the usage or as the
// word for a value, the choices of an option, the names of methods.

#include "cli.h"

#include <ctype.h>
#include <string.h>

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
    char *options = strstr(usage, "-");
    while (options && options > usage && strchr(" [", options[-1]) == NULL)
        options = strstr(options + 1, "-"); // slider-crank
    if (options)
        *options = '\0';
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

void cli_write_bash(FILE *out)
{
    fprintf(out,
            "# Completion of tenon %s for bash, written by `tenon help --completion bash`.\n\n",
            tn_version());
    put_table(out);
    fputs((const char *)tn_completion_bash_asset, out);
}

void cli_write_zsh(FILE *out)
{
    fprintf(out,
            "#compdef tenon\n"
            "# Completion of tenon %s for zsh, written by `tenon help --completion zsh`.\n\n",
            tn_version());
    put_table(out);
    fputs((const char *)tn_completion_zsh_asset, out);
}
