// SPDX-License-Identifier: MIT
//
// tenon compare: what methods cost on a model and what they give for it, as a table, as a picture
// and as a page.

#include "compare.h"

static const tn_param options[] = {
    CLI_STUDY_OPTIONS,
    CLI_OPTION(tn_compare_options, "out", out, TEXT, "DIR",
               "folder for compare.svg, energy.svg, compare.csv and compare.html"),
    CLI_OPTION(tn_compare_options, "force", replace, BOOL, "",
               "replace a comparison that the folder holds", .needs = "out"),
};

static int compare_main(int argc, char **argv);

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
    .instead = cli_study_instead,
    .noption = CLI_COUNT(options),
    .options = options,
    .run = compare_main,
};

// A Tenon without the page says so and writes the other files.
static tn_status write_files(const cli_study *study, const char *directory)
{
    if (tn_report_check() != TN_OK)
        cli_message("compare.html is left out: %s", tn_last_error());
    const tn_status s = tn_compare_write(study->compare, directory);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

static tn_status print_cmd_compare(const cli_study *study, const char *directory)
{
    if (cli_json())
        return cli_study_json(study);
    cli_study_print_head(study);
    cli_study_print_work(study);
    if (directory)
        printf("\nwritten     %s: compare.svg, energy.svg, compare.csv%s\n", directory,
               tn_report_check() == TN_OK ? ", compare.html" : "");
    return TN_OK;
}

static int compare_main(int argc, char **argv)
{
    cli_args args;
    cli_study study = {0};
    tn_compare_options wanted = tn_default_compare();
    tn_status s = cli_parse(&cmd_compare, argc, argv, &args, &wanted);
    CLI_THEN(s, cli_study_make(&study, &cmd_compare, &args, &wanted));
    if (s == TN_OK && wanted.out)
        s = write_files(&study, wanted.out);
    CLI_THEN(s, print_cmd_compare(&study, wanted.out));
    cli_study_free(&study);
    cli_args_free(&args);
    return cli_finish(s);
}
