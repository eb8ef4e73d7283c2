// SPDX-License-Identifier: MIT
//
// Command line options by parameter table, and how a command ends.

#include "cli.h"

#include <errno.h>
#include <stdlib.h>

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const cli_exit_words[] = {
    [CLI_DONE] = "done",
    [CLI_USAGE] = "usage: the command line, or a place to write to",
    [CLI_MODEL] = "model",
    [CLI_NUMERICS] = "the run did not reach its end",
    [CLI_REQUIRE] = "a bound of --require, or of an item of a paper, was exceeded",
    [CLI_DOUBTFUL] = "doubtful: a bound of the verdict is passed",
};

static bool json_wanted, plugins_wanted;

bool cli_json(void)
{
    return json_wanted;
}

void cli_set_json(bool json)
{
    json_wanted = json;
}

bool cli_has_flag(int argc, char **argv, const char *flag)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], flag) == 0)
            return true;
    return false;
}

const cli_command *cli_find_command(const char *name)
{
    for (int i = 0; i < cli_command_count; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    return NULL;
}

const char *cli_option_name(const tn_param *option, char *text)
{
    snprintf(text, CLI_NAME_SIZE, "--%s", option->name);
    for (char *c = text; *c; c++)
        if (*c == '_')
            *c = '-';
    return text;
}

// Options -----------------------------------------------------------------------------------------

typedef struct {
    const tn_param *param;
    void *at;    // where its value goes
    bool *given; // NULL for the command's own
    bool off;    // --no-adaptive
} option;

const tn_param cli_common_options[] = {
    {.name = "json", .type = TN_PARAM_BOOL, .unit = "", .text = "print JSON instead of text"},
    {.name = "plugins",
     .type = TN_PARAM_BOOL,
     .unit = "",
     .text = "load the shared objects that a model file names: their code runs"},
    {.name = "help", .type = TN_PARAM_BOOL, .unit = "", .text = "print this help"},
};
const int cli_common_count = CLI_COUNT(cli_common_options);

static const tn_param set_param = {
    .name = "set",
    .type = TN_PARAM_TEXT,
    .unit = "NAME=VALUE",
    .offset = offsetof(cli_args, set),
    .text =
        "another value of a parameter of the model, a number or an expression; may be repeated"};

static bool matches(const tn_param *p, const char *name, bool *off)
{
    char known[CLI_NAME_SIZE];
    cli_option_name(p, known);
    *off = p->type == TN_PARAM_BOOL && strncmp(name, "--no-", 5) == 0 &&
           strcmp(name + 5, known + 2) == 0;
    return *off || strcmp(name, known) == 0;
}

// Returns true if the option is this one; its value goes to the member of its row in `base`.
static bool takes(const tn_param *p, const char *name, void *base, option *out)
{
    if (!matches(p, name, &out->off))
        return false;
    out->param = p;
    out->at = (char *)base + p->offset;
    return true;
}

static bool find_option(const cli_command *command, const char *name, cli_args *args, void *own,
                        option *out)
{
    *out = (option){0};
    for (int i = 0; i < command->noption; i++)
        if (takes(&command->options[i], name, own, out))
            return true;
    if (command->parameters && takes(&set_param, name, args, out))
        return true;
    for (int i = 0; command->simulate && tn_help_option(i); i++)
        if (takes(tn_help_option(i), name, &args->simulate, out)) {
            out->given = &args->given[i];
            return true;
        }
    return takes(&cli_common_options[0], name, &json_wanted, out) ||
           takes(&cli_common_options[1], name, &plugins_wanted, out);
}

const char *cli_instead(const cli_command *command, const char *key)
{
    for (int i = 0; command->instead && command->instead[i][0]; i++)
        if (strcmp(command->instead[i][0], key) == 0)
            return command->instead[i][1];
    return NULL;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

int cli_own_count(const cli_command *command)
{
    return command->noption + command->parameters;
}

const tn_param *cli_option_at(const cli_command *command, int i)
{
    if (i < command->noption)
        return &command->options[i];
    i -= command->noption;
    if (command->parameters && i-- == 0)
        return &set_param;
    if (i < cli_common_count)
        return &cli_common_options[i];
    i -= cli_common_count;
    for (int k = 0; command->simulate && tn_help_option(k); k++)
        if (!cli_instead(command, tn_help_option(k)->name) && i-- == 0)
            return tn_help_option(k);
    return NULL;
}

const char *cli_value_word(const tn_param *p)
{
    switch (p->type) {
    case TN_PARAM_BOOL:
        return "";
    case TN_PARAM_INTEGER:
        return "N";
    case TN_PARAM_NUMBER:
        return "X";
    case TN_PARAM_NUMBERS:
        return "X,X,...";
    case TN_PARAM_TEXT:
        return *p->unit ? p->unit : "NAME";
    default:
        return "NAME";
    }
}

tn_status cli_refuse_model(const char *path, const char *command)
{
    if (!ends_with(path, ".yaml") && !ends_with(path, ".yml") && !ends_with(path, ".json"))
        return TN_OK;
    const char *slash = strrchr(path, '/');
    if (!strcmp(slash ? slash + 1 : path, "summary.json"))
        return tn_fail(
            TN_ERR_USAGE,
            "%s is the summary of a run; name the folder that it is in ('tenon %s %.*s')", path,
            command, slash ? (int)(slash - path) : 1, slash ? path : ".");
    return tn_fail(TN_ERR_USAGE,
                   "%s is a model: run it first ('tenon run %s'), then name its folder of results "
                   "('tenon %s %.*s.results')",
                   path, path, command, (int)(strrchr(path, '.') - path), path);
}

static tn_status unknown_option(const cli_command *command, const char *name)
{
    char text[CLI_MOST_OPTIONS * 2][CLI_NAME_SIZE];
    const char *known[CLI_MOST_OPTIONS * 2];
    int n = 0;
    for (const tn_param *o; (o = cli_option_at(command, n)) != NULL; n++)
        known[n] = cli_option_name(o, text[n]);
    const char *nearest = tn_nearest_name(name, n, known);
    if (nearest)
        return tn_fail(TN_ERR_USAGE, "unknown option '%s'; did you mean '%s'?", name, nearest);
    return tn_fail(TN_ERR_USAGE, "unknown option '%s'; 'tenon help %s' lists the options", name,
                   command->name);
}

// One --set more.
static tn_status add_parameter(cli_args *args, const char *value)
{
    const size_t used = strlen(args->set), room = sizeof args->set - used;
    const int n = snprintf(args->set + used, room, "%s%s", args->sets ? "," : "", value);
    args->sets = true;
    return (size_t)n < room ? TN_OK
                            : tn_fail(TN_ERR_USAGE, "--set: more than %zu characters in all",
                                      sizeof args->set - 1);
}

static tn_status set_option(const option *o, const char *name, const char *value)
{
    if (o->given)
        *o->given = true;
    if (o->param->type != TN_PARAM_BOOL)
        return tn_param_read(o->param, value, name, o->at);
    *(bool *)o->at = !o->off;
    return TN_OK;
}

// A second value would silently take the place of the first.
static tn_status refuse_again(cli_args *args, const tn_param *param, const char *name)
{
    for (int i = 0; i < args->nseen && param->type != TN_PARAM_BOOL; i++)
        if (args->seen[i] == param)
            return tn_fail(TN_ERR_USAGE, "%s is stated twice; state it once, lists with commas",
                           name);
    if (args->nseen < CLI_COUNT(args->seen))
        args->seen[args->nseen++] = param;
    return TN_OK;
}

// The option at argv[*i], with its value behind '=' or in the next argument; -o is short for --out.
static tn_status parse_option(const cli_command *command, int argc, char **argv, int *i,
                              cli_args *args, void *own)
{
    const char *equals = strchr(argv[*i], '=');
    const int length = equals ? (int)(equals - argv[*i]) : (int)strlen(argv[*i]);
    const char *value = equals ? equals + 1 : NULL;
    char name[CLI_NAME_SIZE];
    option o;
    snprintf(name, sizeof(name), "%.*s", length, argv[*i]);
    if (strcmp(name, "-o") == 0)
        snprintf(name, sizeof(name), "--out");
    if (length >= CLI_NAME_SIZE || !find_option(command, name, args, own, &o))
        return unknown_option(command, name);
    if (o.param != &set_param)
        CLI_TRY(refuse_again(args, o.param, name));
    if (o.param->type == TN_PARAM_BOOL)
        return value ? tn_fail(TN_ERR_USAGE, "%s takes no value, found '%s'", name, value)
                     : set_option(&o, name, NULL);
    if (!value && *i + 1 < argc && strncmp(argv[*i + 1], "--", 2) != 0)
        value = argv[++*i];
    if (!value)
        return tn_fail(TN_ERR_USAGE, "%s needs a value: %s", name, o.param->text);
    return o.param == &set_param ? add_parameter(args, value) : set_option(&o, name, value);
}

bool cli_is_stated(const cli_args *args, const char *name)
{
    for (int i = 0; i < args->nseen; i++)
        if (strcmp(args->seen[i]->name, name) == 0)
            return true;
    return false;
}

static tn_status check_needs(const cli_args *args)
{
    char name[CLI_NAME_SIZE];
    for (int i = 0; i < args->nseen; i++) {
        const tn_param *p = args->seen[i];
        if (p->needs && !cli_is_stated(args, p->needs))
            return tn_fail(TN_ERR_USAGE,
                           "%s has no effect without --%s; state both or leave it out",
                           cli_option_name(p, name), p->needs);
    }
    return TN_OK;
}

tn_status cli_parse(cli_args *args, void *own)
{
    const cli_command *command = args->command;
    bool only_words = false;
    const int argc = args->argc;
    char **argv = args->argv;
    *args = (cli_args){.command = command, .argc = argc, .argv = argv};
    for (int i = 0; i < argc; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (!only_words && argv[i][0] == '-' && argv[i][1] != '\0')
            CLI_TRY(parse_option(command, argc, argv, &i, args, own));
        else if (args->count < command->most)
            args->word[args->count++] = argv[i];
        else
            return tn_fail(TN_ERR_USAGE, "%s: unexpected argument '%s'; usage: tenon %s",
                           command->name, argv[i], command->usage);
    }
    CLI_TRY(check_needs(args));
    if (args->count < command->least)
        return tn_fail(TN_ERR_USAGE, "%s: %s is missing; usage: tenon %s", command->name,
                       command->word, command->usage);
    return TN_OK;
}

// The end of an analysis: its warnings as messages, and CLI_DOUBTFUL where there are some. A status
// other than TN_OK counts before them.
static int finish_args(const cli_args *args, tn_status s)
{
    if (s != TN_OK)
        return cli_finish(s);
    cli_tell_doubts(&args->verdict);
    const int code = cli_end(CLI_DONE);
    const bool doubtful = code == CLI_DONE && args->verdict.outcome != TN_OUTCOME_DONE;
    return args->code != CLI_DONE ? args->code : doubtful ? CLI_DOUBTFUL : code;
}

int cli_run(const cli_command *command, int argc, char **argv)
{
    const tn_param *p;
    cli_args args = {.command = command, .argc = argc, .argv = argv};
    const int code = finish_args(&args, command->run(&args));
    for (int i = 0; (p = tn_help_option(i)); i++)
        if (args.given[i])
            tn_param_clear(p, (char *)&args.simulate + p->offset);
    return code;
}

void cli_apply(const cli_args *args, tn_simulate *simulate)
{
    tn_simulate_override(simulate, &args->simulate, args->given);
}

// Values of options that commands share ---------------------------------------------------------

tn_status cli_read_vector(const char *name, const char *text, tn_vec3 *out)
{
    int used = 0;
    if (!text)
        return TN_OK;
    if (sscanf(text, "%lf ,%lf ,%lf %n", &out->x, &out->y, &out->z, &used) == 3 &&
        text[used] == '\0' && isfinite(out->x + out->y + out->z))
        return TN_OK;
    return tn_fail(TN_ERR_USAGE, "--%s: '%s' is not three numbers; write them as 0,0,1", name,
                   text);
}

bool cli_is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

tn_status cli_check_place(const char *path, bool replace)
{
    if (!path || replace || cli_is_stdout(path) || access(path, F_OK) != 0)
        return TN_OK;
    return tn_fail(TN_ERR_USAGE, "%s is there already; --force replaces it", path);
}

char *cli_folder_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? strndup(file, (size_t)(slash - file) + (slash == file)) : strdup(".");
}

tn_status cli_write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    const bool put = file && fputs(text, file) >= 0;
    const bool closed = file && fclose(file) == 0;
    return put && closed ? TN_OK
                         : tn_fail(TN_ERR_USAGE, "cannot write %s: %s", path, strerror(errno));
}

// The end of a command ----------------------------------------------------------------------------

int cli_exit_code(tn_status status)
{
    switch (status) {
    case TN_OK:
        return CLI_DONE;
    case TN_ERR_USAGE:
    case TN_ERR_PAIRING:
        return CLI_USAGE;
    case TN_ERR_MODEL:
    case TN_ERR_FILE:
        return CLI_MODEL;
    case TN_ERR_REQUIRE:
        return CLI_REQUIRE;
    default:
        return CLI_NUMERICS;
    }
}

// Names of files and of what stands in them may hold anything.
void cli_message(const char *format, ...)
{
    char text[CLI_MESSAGE_SIZE], clean[4 * sizeof(text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fputs("tenon: ", stderr);
    for (char *line = text, *end = NULL; line; line = end) { // several mistakes have a line each
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        tn_printable(line, clean, sizeof(clean));
        fprintf(stderr, "%s\n", clean);
    }
}

void cli_tell(void *ignored, const char *sentence)
{
    cli_message("%s", sentence);
}

void cli_print_wrapped(const char *text, int at, int indent)
{
    bool first = true;
    while (*text) {
        const int n = (int)strcspn(text, " ");
        if (!first && at + 1 + n > CLI_WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
            first = true;
        }
        at += printf("%s%.*s", first ? "" : " ", n, text);
        first = false;
        text += n + (text[n] == ' ');
    }
    printf("\n");
}

void cli_show_progress(const char *format, ...)
{
    va_list args;
    if (!isatty(STDERR_FILENO))
        return;
    fputs("\r\033[K", stderr);
    va_start(args, format);
    if (format)
        vfprintf(stderr, format, args);
    va_end(args);
    fflush(stderr);
}

double cli_wall_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cli_progress cli_progress_begin(bool enabled)
{
    return (cli_progress){.enabled = enabled && isatty(STDERR_FILENO), .began = cli_wall_time()};
}

// The bar waits half a second before it shows itself, and is drawn at most ten times a second.
void cli_progress_show(cli_progress *p, double part, const char *format, ...)
{
    static const double PATIENCE = 0.5, PERIOD = 0.1; // [s]
    static const char full[] = "##############################";
    static const char empty[] = "..............................";
    const int width = (int)sizeof full - 1, n = (int)(fmin(fmax(part, 0.0), 1.0) * width);
    const double now = cli_wall_time(), spent = now - p->began;
    va_list args;
    if (!p->enabled || spent < PATIENCE || now - p->last < PERIOD)
        return;
    fprintf(stderr, "\r[%.*s%.*s] ", n, full, width - n, empty);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    if (part > p->before + 0.01)
        fprintf(stderr, ", %.0f s left", spent * (1.0 - part) / (part - p->before));
    fputs("\033[K", stderr);
    fflush(stderr);
    p->last = now;
    p->shown = true;
}

void cli_progress_end(cli_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}

void cli_print_wrote(const char *first, const char *second)
{
    if (first || second)
        printf("\nWrote %s%s%s.\n", first ? first : "", first && second ? " and " : "",
               second ? second : "");
}

tn_status cli_of_target(tn_status s)
{
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

tn_status cli_put_column(tn_json *json, const char *name, const char *unit, int rows, int stride,
                         const double *first)
{
    double *values = malloc(((size_t)rows + 1) * sizeof *values);
    if (!values)
        return tn_fail(TN_ERR_MEMORY, "out of memory for the table");
    for (int k = 0; k < rows; k++)
        values[k] = first[(size_t)k * (size_t)stride];
    tn_json_put(json, "{ name %s unit %s", name, unit);
    tn_json_numbers(json, "values", rows, values);
    tn_json_end_object(json);
    free(values);
    return TN_OK;
}

tn_json *cli_json_begin(void)
{
    tn_json *json = NULL;
    tn_json_create(&json);
    return json;
}

tn_status cli_print_json(tn_json *json)
{
    return cli_end_json(json, TN_OK);
}

tn_status cli_end_json(tn_json *json, tn_status s)
{
    CLI_THEN(s, json ? tn_json_finish(json) : tn_fail(TN_ERR_MEMORY, "out of memory"));
    if (s == TN_OK)
        fputs(tn_json_text(json), stdout);
    tn_json_destroy(json);
    return s;
}

static void print_error_json(void)
{
    tn_json *json = cli_json_begin();
    tn_json_object(json, NULL, "status %s message %s", "error", tn_last_error());
    cli_print_json(json);
}

int cli_end(int code)
{
    if (code != CLI_DONE) {
        cli_message("%s", *tn_last_error() ? tn_last_error() : "no reason was given");
        if (json_wanted)
            print_error_json();
    }
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_DONE) {
        cli_message("cannot write to the standard output; is the disk full?");
        clearerr(stdout); // it is said once
        return CLI_USAGE;
    }
    return code;
}

int cli_finish(tn_status status)
{
    if (status != TN_OK && !*tn_last_error())
        tn_fail(status, "%s", tn_status_text(status));
    return cli_end(cli_exit_code(status));
}

void cli_tell_doubts(const tn_verdict *verdict)
{
    for (int i = 0; i < verdict->count; i++)
        if (verdict->judged[i].doubtful)
            cli_message("doubtful: %s", verdict->judged[i].text);
}

void cli_print_doubts(const tn_verdict *verdict, int indent)
{
    const char *before = "doubtful";
    for (int i = 0; i < verdict->count; i++) {
        const tn_judged *j = &verdict->judged[i];
        if (!j->doubtful)
            continue;
        printf("%-*s%s %.3g at t = %.6g s, bound %.2g", indent, before, j->quantity, j->value, j->t,
               j->bound);
        printf("%s%s\n", *j->where ? ": " : "", j->where);
        before = "";
    }
}

// Parameters --------------------------------------------------------------------------------------

char *cli_item_end(char *text)
{
    int depth = 0;
    for (; *text && (*text != ',' || depth > 0); text++) {
        char *quote = *text == '\'' || *text == '"' ? strchr(text + 1, *text) : NULL;
        text = quote ? quote : text;
        depth += (*text == '(' || *text == '[') - (*text == ')' || *text == ']');
    }
    return text;
}

static void trim(char **text)
{
    *text += strspn(*text, " ");
    for (char *end = *text + strlen(*text); end > *text && end[-1] == ' ';)
        *--end = '\0';
}

// "NAME=VALUE" at the text, which is cut up; a value that is no number is an expression.
static bool read_parameter(char *text, tn_parameter_value *out)
{
    char *name = text, *value = strchr(text, '='), *end = NULL;
    if (!value)
        return false;
    *value++ = '\0';
    trim(&name);
    trim(&value);
    *out = (tn_parameter_value){.name = name, .value = strtod(value, &end)};
    if (*end || !isfinite(out->value))
        out->expression = value;
    return *name && *value;
}

tn_status cli_read_set(const cli_args *args, cli_set *out)
{
    out->count = 0;
    snprintf(out->text, sizeof out->text, "%s", args->set);
    for (char *at = out->text, *next; *at; at = next) {
        next = cli_item_end(at);
        if (*next)
            *next++ = '\0';
        if (out->count == CLI_MOST_SET)
            return tn_fail(TN_ERR_USAGE, "--set takes up to %d parameters", CLI_MOST_SET);
        if (!read_parameter(at, &out->value[out->count]))
            return tn_fail(TN_ERR_USAGE,
                           "--set: '%s' does not state parameters; write NAME=VALUE, with commas "
                           "between or with --set before each",
                           args->set);
        for (int i = 0; i < out->count; i++)
            if (strcmp(out->value[i].name, out->value[out->count].name) == 0)
                return tn_fail(TN_ERR_USAGE, "--set: '%s' has two values", out->value[i].name);
        out->count++;
    }
    if (args->sets && out->count == 0)
        return tn_fail(TN_ERR_USAGE, "--set: the list is empty; write NAME=VALUE");
    return TN_OK;
}

tn_status cli_load(const cli_args *args, const char *path, const tn_parameter_value *more,
                   tn_model **model, tn_simulate *simulate)
{
    cli_set set;
    CLI_TRY(cli_read_set(args, &set));
    if (more)
        set.value[set.count++] = *more;
    return tn_model_load_with(path, set.count, set.value, model, simulate);
}

tn_status cli_load_held(const cli_args *args, double time, tn_model **model, tn_simulate *simulate)
{
    CLI_TRY(cli_load(args, args->word[0], NULL, model, simulate));
    for (int i = 0; i < tn_model_note_count(*model); i++)
        cli_message("note: %s", tn_model_note(*model, i));
    if (!isnan(time))
        simulate->options.t_start = time;
    return TN_OK;
}

tn_status cli_read_about(const cli_point *p, double motion, const char *others,
                         tn_equilibrium_options *find, tn_about *out)
{
    const bool stated = p->from || (p->about && strcmp(p->about, "start") == 0);
    CLI_TRY(cli_read_vector("axis", p->axis, &find->axis));
    CLI_TRY(cli_read_vector("through", p->through, &find->about));
    if (p->about && p->from)
        return tn_fail(TN_ERR_USAGE, "--from states the point: leave out --about");
    if (p->about && !stated && strcmp(p->about, "equilibrium") != 0)
        return tn_fail(TN_ERR_USAGE, "--about: '%s' is neither 'equilibrium' nor 'start'",
                       p->about);
    if (!stated && motion != 1.0)
        return tn_fail(TN_ERR_USAGE, "--motion changes velocities of a start: add --about start");
    if (stated && (find->spin != 0.0 || find->nearest || find->load_to != 1.0))
        return tn_fail(TN_ERR_USAGE, "a start or a state is taken as it is: leave out %s", others);
    if (stated)
        *out = p->from ? TN_ABOUT_STATE : TN_ABOUT_START;
    return TN_OK;
}

static tn_status read_state(cli_point *p)
{
    tn_result *result = NULL;
    tn_status s = tn_result_open(p->from, p->trust, &result);
    CLI_THEN(s, tn_result_state(result, p->model, p->at, &p->state));
    for (int i = 0; result && i < tn_result_warning_count(result); i++)
        cli_message("note: %s", tn_result_warning(result, i));
    tn_result_close(result);
    return s;
}

tn_status cli_open_point(const cli_args *args, cli_point *p, tn_equilibrium_options *find)
{
    tn_simulate simulate = {0};
    find->teller.tell = cli_tell;
    CLI_TRY(cli_load_held(args, p->time, &p->model, &simulate));
    find->start = simulate.options;
    return p->from ? read_state(p) : TN_OK;
}

void cli_close_point(cli_point *p)
{
    tn_saved_state_free(p->state);
    tn_model_destroy(p->model);
}

tn_status cli_read_threads(const char *name, const char *text, int *out)
{
    enum { MOST = 256 };
    char *end = NULL;
    if (!text || strcmp(text, "auto") == 0)
        return TN_OK;
    const long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1 || n > MOST)
        return tn_fail(TN_ERR_USAGE, "--%s: expected a number from 1 to %d or auto, found '%s'",
                       name, MOST, text);
    *out = (int)n;
    return TN_OK;
}
