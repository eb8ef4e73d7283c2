// SPDX-License-Identifier: MIT
//
// Completion for bash and zsh: commands, their options, and what may stand behind these. What a
// word stands for follows from the tables: MODEL, DIR or FILE in the usage of a command or as the
// word for a value, the choices of an option, the names of methods.

#include "cli.h"
#include "help_pages.h"

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

// What may stand beside the options, from the usage line up to its first option.
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

static bool takes_value(const tn_param *option)
{
    return option->type != TN_PARAM_BOOL;
}

// What may stand behind an option.
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

// Options of the `simulate` block: --no-adaptive and the like.
static bool can_be_switched_off(const cli_command *command, int i, const tn_param *option)
{
    return !takes_value(option) && i >= command->noption + cli_common_count;
}

// bash --------------------------------------------------------------------------------------------

static const char bash_end[] =
    "    esac\n"
    "    [[ $command == help || -n $options ]] || return\n"
    "    if [[ -z $is_value && $current == -* ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
    "        return\n"
    "    fi\n"
    "    for kind in $words; do\n"
    "        case $kind in\n"
    "        @model) _tenon_files \"$current\" yaml yml json ;;\n"
    "        @folder) _tenon_files \"$current\" h5 ;;\n"
    "        @file) _tenon_files \"$current\" '' ;;\n"
    "        @method) COMPREPLY+=($(compgen -W \"$methods\" -- \"$current\")) ;;\n"
    "        @methods)\n"
    "            [[ $current == *,* ]] && before=${current%,*},\n"
    "            COMPREPLY+=($(compgen -P \"$before\" -W \"$methods\" -- \"${current##*,}\"))\n"
    "            ;;\n"
    "        *) COMPREPLY+=($(compgen -W \"$kind\" -- \"$current\")) ;;\n"
    "        esac\n"
    "    done\n"
    "}\n"
    "complete -F _tenon tenon\n";

static const char bash_begin[] =
    "# Folders, and files with one of the endings ('' for any).\n"
    "_tenon_files()\n"
    "{\n"
    "    local current=$1 ending name\n"
    "    shift\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(\n"
    "        compgen -d -- \"$current\"\n"
    "        for ending; do\n"
    "            compgen -f -X \"!*${ending:+.}$ending\" -- \"$current\" |\n"
    "                while IFS= read -r name; do\n"
    "                    [[ -d $name ]] || printf '%s\\n' \"$name\"\n"
    "                done\n"
    "        done\n"
    "    )\n"
    "}\n"
    "\n"
    "_tenon()\n"
    "{\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local command=${COMP_WORDS[1]} options= words= is_value= before= kind\n"
    "    COMPREPLY=()\n"
    "    if [[ $current == '=' ]]; then # --step=0.1 is three words\n"
    "        current=\n"
    "    elif [[ $last == '=' ]]; then\n"
    "        last=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n";

// The options of a command that take a value, one line each.
static void put_bash_values(FILE *out, const cli_command *command)
{
    const tn_param *option = NULL;
    char name[CLI_NAME_SIZE];
    fputs("        case $last in\n", out);
    for (int i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        if (!takes_value(option))
            continue;
        fprintf(out, "        %s%s) is_value=yes words='", cli_option_name(option, name),
                strcmp(option->name, "out") == 0 ? " | -o" : "");
        put_values(out, option);
        fputs("' ;;\n", out);
    }
    fputs("        esac\n", out);
}

static void put_bash_command(FILE *out, const cli_command *command)
{
    const tn_param *option = NULL;
    char name[CLI_NAME_SIZE];
    fprintf(out, "    %s)\n        words='", command->name);
    put_words(out, command);
    fputs("'\n        options='", out);
    for (int i = 0; (option = cli_option_at(command, i)) != NULL; i++) {
        cli_option_name(option, name);
        fprintf(out, "%s ", name);
        if (can_be_switched_off(command, i, option))
            fprintf(out, "--no-%s ", name + 2);
    }
    fputs("'\n", out);
    put_bash_values(out, command);
    fputs("        ;;\n", out);
}

void cli_write_bash(FILE *out)
{
    fprintf(out,
            "# Completion of tenon %s for bash, written by `tenon help --completion bash`.\n\n",
            tn_version());
    fputs(bash_begin, out);
    fputs("    local methods='", out);
    cli_each_method(put_method, out);
    fputs("'\n    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W '", out);
    for (int i = 0; i < cli_command_count; i++)
        fprintf(out, "%s ", cli_commands[i]->name);
    fputs("--help --version --json' -- \"$current\"))\n        return\n    fi\n", out);
    fputs("    case $command in\n", out);
    for (int i = 0; i < cli_command_count; i++)
        put_bash_command(out, cli_commands[i]);
    fputs(bash_end, out);
}

// zsh ---------------------------------------------------------------------------------------------

// Text inside single quotes, in which _arguments reads brackets and colons.
static void put_zsh_text(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *c))
            fprintf(out, "\\%c", *c);
        else
            fputc(*c, out);
}

static const char zsh_begin[] = "_tenon_words() {\n"
                                "    local word\n"
                                "    local -a plain\n"
                                "    for word; do\n"
                                "        case $word in\n"
                                "        @model) _files -g '*.(yaml|yml|json)(-.)' ;;\n"
                                "        @folder) _files -/ ;;\n"
                                "        @file) _files ;;\n"
                                "        @method) plain+=($methods) ;;\n"
                                "        @methods) _values -s , method $methods ;;\n"
                                "        *) plain+=$word ;;\n"
                                "        esac\n"
                                "    done\n"
                                "    (( $#plain )) && compadd -a plain\n"
                                "}\n"
                                "\n"
                                "_tenon() {\n"
                                "    local -a commands methods\n";

static void put_zsh_option(FILE *out, const tn_param *option, bool can_be_off)
{
    char name[CLI_NAME_SIZE];
    cli_option_name(option, name);
    fprintf(out, "            '%s%s[", name, takes_value(option) ? "=" : "");
    put_zsh_text(out, option->text);
    fputc(']', out);
    if (takes_value(option)) {
        fputc(':', out);
        put_zsh_text(out, cli_value_word(option));
        fputs(": _tenon_words ", out);
        put_values(out, option);
    }
    fputs("' \\\n", out);
    if (can_be_off)
        fprintf(out, "            '--no-%s[switch off %s]' \\\n", name + 2, name);
}

static void put_zsh_command(FILE *out, const cli_command *command)
{
    const tn_param *option = NULL;
    fprintf(out, "    %s)\n        _arguments \\\n", command->name);
    for (int i = 0; (option = cli_option_at(command, i)) != NULL; i++)
        put_zsh_option(out, option, can_be_switched_off(command, i, option));
    fputs("            '*:", out);
    put_zsh_text(out, command->word);
    fputs(": _tenon_words ", out);
    put_words(out, command);
    fputs("' ;;\n", out);
}

void cli_write_zsh(FILE *out)
{
    fprintf(out,
            "#compdef tenon\n"
            "# Completion of tenon %s for zsh, written by `tenon help --completion zsh`.\n\n",
            tn_version());
    fputs(zsh_begin, out);
    fputs("    methods=(", out);
    cli_each_method(put_method, out);
    fputs(")\n    commands=(\n", out);
    for (int i = 0; i < cli_command_count; i++) {
        fprintf(out, "        '%s:", cli_commands[i]->name);
        put_zsh_text(out, cli_commands[i]->summary);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n"
          "        compadd -- --help --version --json\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $command in\n",
          out);
    for (int i = 0; i < cli_command_count; i++)
        put_zsh_command(out, cli_commands[i]);
    fputs("    esac\n}\n\n_tenon \"$@\"\n", out);
}
