// SPDX-License-Identifier: MIT
//
// Shared parts of the commands of `tenon`. A command is one cli_command in its file; main.c lists
// them. Options are parameter tables (tenon/param.h), the same that the model reader uses: a key
// step_min of the `simulate` block is the option --step-min. Parsing, range checks and help read
// the tables.
//
// Results go to stdout, messages to stderr. Under --json an error also puts
// {"status": "error", "message": …} on stdout.

#pragma once

#include "tenon/tenon.h"

#include <stdio.h>

// Leaves the calling function when the call did not end with TN_OK.
#define CLI_TRY(call)                    \
    do {                                 \
        const tn_status cli_s_ = (call); \
        if (cli_s_ != TN_OK)             \
            return cli_s_;               \
    } while (0)

// Goes on with a call where all went well so far; s keeps the first failure.
#define CLI_THEN(s, call) \
    do {                  \
        if ((s) == TN_OK) \
            (s) = (call); \
    } while (0)

#define CLI_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// The s of a plural.
#define CLI_S(n) ((n) == 1 ? "" : "s")

// Exit codes of the process.
enum {
    CLI_DONE = 0,
    CLI_USAGE = 1,    // the command line, or a place to write to
    CLI_MODEL = 2,    // the model
    CLI_NUMERICS = 3, // the run did not reach its end
    CLI_REQUIRE = 4,  // a bound of --require, or of an item of a paper, was exceeded
    CLI_DOUBTFUL = 5  // the run has ended, but a bound of the verdict is passed
};

extern const char *const cli_exit_words[]; // what each code means

// First commands of a new user, for help and the manual page.
#define CLI_FIRST_STEPS                                   \
    "  tenon new pendulum         writes pendulum.yaml\n" \
    "  tenon run pendulum.yaml    simulates it\n"

// One row of an option table: the option --NAME, which goes to a member of the command's struct.
// More members of the row may follow: a range, or an option that it needs.
#define CLI_OPTION(type_name, option, member, kind, word, ...)      \
    {                                                               \
        .name = (option), .type = TN_PARAM_##kind, .unit = (word),  \
        .offset = offsetof(type_name, member), .text = __VA_ARGS__, \
    }

// Arguments of a command: one model, with --set, and a table of options.
#define CLI_ONE_MODEL .word = "MODEL", .least = 1, .most = 1, .parameters = true
#define CLI_OPTIONS(table) .noption = CLI_COUNT(table), .options = (table)

struct cli_args;

typedef struct cli_command {
    const char *name;
    const char *summary; // one line for the list of commands
    const char *usage;   // after "tenon "
    const char *text;    // a paragraph for help, may be NULL
    const char *word;    // what the words beside the options are, "MODEL"; for messages
    int least, most;     // how many there may be
    bool parameters;     // takes --set
    bool simulate;       // takes every key of the `simulate` block as an option, but for these:
    const char *const (*instead)[2]; // key, and the option that takes its place; ends with NULL
    int noption;
    const tn_param *options; // its own; the unit of a text is the word for its value in help
    // Reads its options by cli_parse and does the work.
    tn_status (*run)(struct cli_args *args);
} cli_command;

extern const cli_command *const cli_commands[];
extern const int cli_command_count;

enum { CLI_MOST_WORDS = 64, CLI_MOST_OPTIONS = 48 };

typedef struct cli_args {
    const cli_command *command;
    int argc; // of the part behind its name
    char **argv;
    int count;
    const char *word[CLI_MOST_WORDS];
    bool sets;            // whether --set was there
    char set[4096];       // all of them, NAME=VALUE with commas between
    tn_simulate simulate; // values of the `simulate` options that were given
    bool given[CLI_MOST_OPTIONS];
    const tn_param *seen[2 * CLI_MOST_OPTIONS]; // options so far
    int nseen;
    // How the command has ended where its status is TN_OK: warnings of an analysis, which make it
    // doubtful, or another code.
    tn_verdict verdict;
    int code;
} cli_args;

// Three numbers "0,0,1" of an option; what is there stays for NULL.
tn_status cli_read_vector(const char *name, const char *text, tn_vec3 *out);
// Tells what was written: up to two files, which may be NULL.
void cli_print_wrote(const char *first, const char *second);
// A failure to write is one of the command line.
tn_status cli_of_target(tn_status s);
bool cli_is_stdout(const char *path); // "-"; NULL is fine
// A file that is there is not replaced unless --force says so; "-" and NULL are fine.
tn_status cli_check_place(const char *path, bool replace);
// The folder of a file that will be written; free it.
char *cli_folder_of(const char *file);
tn_status cli_write_text(const char *path, const char *text);

// Reads the command line. The command's own options go to `own`, a struct that its table describes.
// Ends with TN_ERR_USAGE and a sentence.
tn_status cli_parse(cli_args *args, void *own);
// Runs a command with these arguments; returns the exit code.
int cli_run(const cli_command *command, int argc, char **argv);
// Returns true if an option, by its name in the tables, was on the command line.
bool cli_is_stated(const cli_args *args, const char *name);
// Puts the `simulate` options that were given over the values of a model file.
void cli_apply(const cli_args *args, tn_simulate *simulate);

// Returns true if --json, or --help, is among the arguments.
bool cli_has_flag(int argc, char **argv, const char *flag);
bool cli_json(void);
void cli_set_json(bool json);
// The words of the command line behind the name of the command.
char **cli_words(int *count);
// The command line of this process as a shell reads it; NULL when memory is short. tn_text_free it.
char *cli_command_line(void);

// Prints the last error when the code is not CLI_DONE and returns the code; makes sure that
// everything printed has arrived.
int cli_end(int code);
// The same with the code that belongs to a status.
int cli_finish(tn_status status);
int cli_exit_code(tn_status status);
void cli_tell_doubts(const tn_verdict *verdict);
// The lines "doubtful …" of a summary, the words behind it in column `indent`.
void cli_print_doubts(const tn_verdict *verdict, int indent);
enum { CLI_MESSAGE_SIZE = 16384 }; // ten mistakes of a model file
void cli_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_tell(void *ignored, const char *sentence); // a message, for a tn_teller

// Prints words from the cursor in column `at` on, within CLI_WIDTH columns; further lines begin in
// column `indent`.
enum { CLI_WIDTH = 100 };
void cli_print_wrapped(const char *text, int at, int indent);
// A document, and its end: it is printed on stdout, unless something has failed, and destroyed.
// Short memory shows at the end.
tn_json *cli_json_begin(void);
tn_status cli_print_json(tn_json *json);
tn_status cli_end_json(tn_json *json, tn_status s);

// A progress bar on stderr: only on a terminal, and only when the work takes long.
typedef struct cli_progress {
    bool enabled, shown;
    double before;      // part of the work that was done before
    double began, last; // wall time [s]
} cli_progress;

double cli_wall_time(void); // [s] from some moment in the past
cli_progress cli_progress_begin(bool enabled);
void cli_progress_show(cli_progress *p, double part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void cli_progress_end(cli_progress *p);

// On a terminal, what is being done: a line that the next one replaces; NULL ends it.
void cli_show_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The comma behind an item of a list, or the end: those within parentheses, brackets and quotes
// belong to calls, lists and names.
char *cli_item_end(char *text);

// The parameters of --set.
enum { CLI_MOST_SET = 64 };
typedef struct cli_set {
    int count;
    tn_parameter_value value[CLI_MOST_SET + 1]; // and one more, of the command
    char text[4096];                            // names and expressions, cut up
} cli_set;
tn_status cli_read_set(const cli_args *args, cli_set *out);

// The model of a file with the parameters of --set, and with one more, which may be NULL.
tn_status cli_load(const cli_args *args, const char *path, const tn_parameter_value *more,
                   tn_model **model, tn_simulate *simulate);
// The model of an analysis, whose notes are printed; a `time` that is no NAN takes the place of
// that of its start.
tn_status cli_load_held(const cli_args *args, double time, tn_model **model, tn_simulate *simulate);

// The point that an analysis is about: its options, and what is read by them.
typedef struct cli_point {
    const char *about, *axis, *through, *from; // words, "0,0,1", and results
    double at, time;
    bool trust;
    tn_model *model;
    tn_saved_state *state;
} cli_point;

// Rows of an option table, of members `point` and `find`.
#define CLI_ABOUT_OPTIONS(type)                                                                  \
    CLI_OPTION(type, "about", point.about, TEXT, "POINT",                                        \
               "'equilibrium', which is looked for, or 'start', which must be one, or a steady " \
               "motion"),                                                                        \
        CLI_OPTION(type, "from", point.from, TEXT, "RESULTS",                                    \
                   "about a state of a run: its folder, or a file of results"),                  \
        CLI_OPTION(type, "at", point.at, NUMBER, "s",                                            \
                   "the row nearest to this time; the last one", .needs = "from"),               \
        CLI_OPTION(type, "trust", point.trust, BOOL, "",                                         \
                   "read results without checksums all the same", .needs = "from")
#define CLI_TIME_OPTION(type)                         \
    CLI_OPTION(type, "time", point.time, NUMBER, "s", \
               "time at which drives and functions are held; that of the model's start")

// Reads the number of threads of an option, 1 to 256; auto, or NULL, does not change *out.
tn_status cli_read_threads(const char *name, const char *text, int *out);
// Reads the axis, and by --about, --from and --motion what a linear model is taken about; a start
// or a state goes with none of the options `others`.
tn_status cli_read_about(const cli_point *point, double motion, const char *others,
                         tn_equilibrium_options *find, tn_about *out);
// Loads the model, and the state of --from and --at where it is stated.
tn_status cli_open_point(const cli_args *args, cli_point *point, tn_equilibrium_options *find);
void cli_close_point(cli_point *point);
// A column of a table: its name, its unit and its values, which are `stride` numbers apart.
tn_status cli_put_column(tn_json *json, const char *name, const char *unit, int rows, int stride,
                         const double *first);

const cli_command *cli_find_command(const char *name); // NULL when unknown
// All options of a command one by one: its own, those of every command, those of the `simulate`
// block. NULL behind the last one.
const tn_param *cli_option_at(const cli_command *command, int i);
// Number of the first options that other commands do not share: its own and --set.
int cli_own_count(const cli_command *command);
// The word for the value of an option in help, "FILE" or "X"; "" where it takes none.
const char *cli_value_word(const tn_param *p);
// Topics of `tenon help`: commands and kinds. Returns their number.
enum { CLI_MOST_TOPICS = 128 };
int cli_topics(const char **out);
// Names of methods, auto and every legal integrator/formulation.
void cli_each_method(void (*visit)(const char *name, void *user), void *user);
// The option that a command takes instead of a key of the `simulate` block; NULL where it takes it.
const char *cli_instead(const cli_command *command, const char *key);
// A model where results are expected: says how to get from one to the other.
tn_status cli_refuse_model(const char *path, const char *command);
// "--step-min" for the key step_min, into a buffer of CLI_NAME_SIZE bytes.
enum { CLI_NAME_SIZE = 64 };
const char *cli_option_name(const tn_param *option, char *text);
extern const tn_param cli_common_options[]; // of every command
extern const int cli_common_count;

extern const cli_command cmd_run;
extern const cli_command cmd_report;
extern const cli_command cmd_plot;
extern const cli_command cmd_paper;
extern const cli_command cmd_doctor;
extern const cli_command cmd_sweep;
extern const cli_command cmd_view;
extern const cli_command cmd_check;
extern const cli_command cmd_equilibrium;
extern const cli_command cmd_modes;
extern const cli_command cmd_linearize;
extern const cli_command cmd_inverse;
extern const cli_command cmd_methods;
extern const cli_command cmd_converge;
extern const cli_command cmd_compare;
extern const cli_command cmd_reduce;
extern const cli_command cmd_import;
extern const cli_command cmd_new;
extern const cli_command cmd_expand;
extern const cli_command cmd_help;
