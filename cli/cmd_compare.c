// SPDX-License-Identifier: MIT
//
// tenon compare: what methods cost on a model and what they give for it, as a table, as a picture
// and as a page. tenon converge: their errors and observed orders, over halved steps or falling
// tolerances. Both are a study of some runs against a reference.

#include "compare.h"

#include <unistd.h>

#define OPTION(...) CLI_OPTION(tn_compare_options, __VA_ARGS__)

// The last ones are those of compare alone.
enum { OWN_OPTIONS = 2 };
static const tn_param options[] = {
    OPTION("methods", methods, TEXT, "LIST",
           "methods with commas between, for example bdf/ggl,galpha/ggl"),
    OPTION("tols", tols, TEXT, "LIST", "tolerances rtol with commas between"),
    OPTION("steps", steps, TEXT, "LIST", "fixed steps [s] with commas between"),
    OPTION("levels", levels, INTEGER, "", "how many tolerances or steps to make of one",
           .range = TN_AT_LEAST_ONE),
    OPTION("reference", reference, TEXT, "DIR",
           "results of 'tenon run' to compare with; auto makes a tight run by itself"),
    OPTION("points", points, INTEGER, "",
           "compare at so many times, by dense output, not only at the end",
           .range = TN_AT_LEAST_ONE),
    OPTION("patience", patience, NUMBER, "s", "time after which a run is given up; 0 for never",
           .range = TN_NONNEGATIVE),
    OPTION("trust", trust, BOOL, "", "read a reference without checksums all the same",
           .needs = "reference"),
    OPTION("out", out, TEXT, "DIR",
           "folder for compare.svg, energy.svg, compare.csv and compare.html"),
    OPTION("force", replace, BOOL, "", "replace a comparison that the folder holds",
           .needs = "out"),
};

static const char *const study_instead[][2] = {
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

// Reads the model and makes the whole comparison.
static tn_status make_study(cli_study *s, const cli_command *command, const cli_args *args,
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

// A Tenon without the page says so and writes the other files.
static tn_status write_files(const cli_study *study, const char *directory)
{
    if (!directory)
        return TN_OK;
    if (tn_report_check() != TN_OK)
        cli_message("compare.html is left out: %s", tn_last_error());
    const tn_status s = tn_compare_write(study->compare, directory);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

static tn_status print_study(const cli_study *study, const tn_compare_options *wanted)
{
    tn_json *json = NULL;
    if (cli_json()) {
        CLI_TRY(tn_compare_json(study->compare, &json));
        return cli_print_json(json);
    }
    cli_study_print_head(study);
    (wanted->converge ? cli_study_print_orders : cli_study_print_work)(study);
    if (wanted->out)
        printf("\nwritten     %s: compare.svg, energy.svg, compare.csv%s\n", wanted->out,
               tn_report_check() == TN_OK ? ", compare.html" : "");
    return TN_OK;
}

static int study_main(const cli_command *command, int argc, char **argv, bool converge)
{
    cli_args args;
    cli_study study = {0};
    tn_compare_options wanted = tn_default_compare();
    wanted.converge = converge;
    tn_status s = cli_parse(command, argc, argv, &args, &wanted);
    CLI_THEN(s, make_study(&study, command, &args, &wanted));
    CLI_THEN(s, write_files(&study, wanted.out));
    CLI_THEN(s, print_study(&study, &wanted));
    tn_compare_destroy(study.compare);
    tn_model_destroy(study.model);
    tn_text_free(study.command);
    cli_args_free(&args);
    return cli_finish(s);
}

static int compare_main(int argc, char **argv)
{
    return study_main(&cmd_compare, argc, argv, false);
}

static int converge_main(int argc, char **argv)
{
    return study_main(&cmd_converge, argc, argv, true);
}

const cli_command cmd_compare = {
    .name = "compare",
    .summary = "work and accuracy of methods on one model, side by side",
    .usage = "compare MODEL [--methods a,b,...] [--tols LIST] [--steps LIST] [--out DIR] ...",
    .text = "Runs each method with each tolerance and tells steps, evaluations, time and the\n"
            "errors of positions and rotations (q), velocities (v) and multipliers (lambda)\n"
            "against a reference: a tight run of a method of high order, judged by a second one,\n"
            "or the results of --reference. Without --methods one or two of each family are\n"
            "taken. With --steps, methods that do not control their error by themselves (galpha,\n"
            "hht) run with these fixed steps instead of tolerances; methods that have no other\n"
            "steps (variational) always do, without --steps from four times the step of the model\n"
            "on. A number behind a method, bdf/ggl:1e-5, is its tolerance or step alone. A method\n"
            "that fails says why in the table.",
    .word = "MODEL",
    .least = 1,
    .most = 1,
    .simulate = true,
    .instead = study_instead,
    .noption = CLI_COUNT(options),
    .options = options,
    .run = compare_main,
};

const cli_command cmd_converge = {
    .name = "converge",
    .summary = "errors and observed orders over halved steps or tolerances",
    .usage = "converge MODEL [--methods a,b,...] [--steps LIST | --tols LIST] [--levels N] ...",
    .text = "Runs each method with falling steps or tolerances and compares positions and\n"
            "rotations (q), velocities (v) and multipliers (lambda) with a reference: a tight run\n"
            "of a method of high order, judged by a second one, or the results of --reference.\n"
            "Without --methods the method of the model is taken. Without --steps and --tols,\n"
            "methods that control their error get tolerances and the others steps. Where all\n"
            "steps are fixed the error is the largest at the steps that all runs share, else that\n"
            "at the end.",
    .word = "MODEL",
    .least = 1,
    .most = 1,
    .simulate = true,
    .instead = study_instead,
    .noption = CLI_COUNT(options) - OWN_OPTIONS,
    .options = options,
    .run = converge_main,
};
