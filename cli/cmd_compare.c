// SPDX-License-Identifier: MIT
//
// tenon compare: what methods cost on a model and what they give for it, as a table, as a picture
// and as a page.

#include "base/alloc.h"
#include "compare.h"
#include "io/page.h"
#include "run.h"

#include <string.h>
#include <sys/stat.h>

typedef struct {
    cli_study_options study;
    const char *out;
    bool force;
} compare_options;

#define OPTION(...) CLI_OPTION(compare_options, __VA_ARGS__)

static const tn_param options[] = {
    CLI_STUDY_OPTIONS(compare_options),
    OPTION("out", out, TEXT, "DIR",
           "folder for compare.svg, energy.svg, compare.csv and compare.html"),
    CLI_OPTION_WITH(compare_options, "force", force, BOOL, "",
                    "replace a comparison that the folder holds", .needs = "out"),
};

static int run(int argc, char **argv);

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
    .run = run,
};

static const char *const names[] = {"compare.svg", "energy.svg", "compare.csv", "compare.html"};

static tn_status check_folder(const char *directory, bool force)
{
    struct stat info;

    for (int i = 0; i < CLI_COUNT(names) && !force; i++) {
        char *path = tn_format("%s/%s", directory, names[i]);
        if (!path)
            return tn_fail(TN_ERR_MEMORY, "%s: out of memory", directory);
        const bool there = lstat(path, &info) == 0;
        tn_free(path);
        if (there)
            return tn_fail(TN_ERR_USAGE,
                           "%s holds a comparison already; use --force to replace it or --out for "
                           "another place",
                           directory);
    }
    return TN_OK;
}

// Before anything is computed: a folder that cannot be made is told at once.
static tn_status make_folder(const char *directory)
{
    char *below = tn_format("%s/", directory);

    if (!below)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", directory);
    const tn_status s = cli_results_parents(below);
    tn_free(below);
    struct stat info;
    if (s == TN_OK && (stat(directory, &info) != 0 || !S_ISDIR(info.st_mode)))
        return tn_fail(TN_ERR_USAGE, "--out: the folder %s cannot be made", directory);
    return s;
}

typedef tn_status (*picture)(const tn_study *study, const char *title, const char *path);

static tn_status write_picture(const cli_study *study, const char *directory, const char *name,
                               const char *about, picture draw)
{
    char *path = tn_format("%s/%s", directory, name);
    char *title = tn_format("%s: %s", study->model_path, about);

    tn_status s = path && title ? draw(study->study, title, path)
                                : tn_fail(TN_ERR_MEMORY, "%s: out of memory", directory);
    tn_free(path);
    tn_free(title);
    return s;
}

static tn_status write_table(const cli_study *study, const char *directory)
{
    char *text = NULL;

    CLI_TRY(tn_study_csv(study->study, &text));
    const tn_status s = cli_results_write(directory, "compare.csv", text);
    tn_free(text);
    return s;
}

static tn_status write_page(const cli_study *study, const char *directory)
{
    const tn_study_about about = {study->kind, study->model_path, study->command};
    char *path = tn_format("%s/compare.html", directory);

    if (!path)
        return tn_fail(TN_ERR_MEMORY, "%s: out of memory", directory);
    const tn_status s = tn_study_page(study->study, &about, path);
    tn_free(path);
    return s;
}

// All of them; a Tenon without the page says so and writes the others.
static tn_status write_files(const cli_study *study, const char *directory)
{
    const bool page = tn_report_check() == TN_OK;

    if (!page)
        cli_message("compare.html is left out: %s", tn_last_error());
    tn_status s = write_picture(study, directory, names[0], "work against digits", tn_study_plot);
    if (s == TN_OK)
        s = write_picture(study, directory, names[1], "energy against time", tn_study_plot_energy);
    if (s == TN_OK)
        s = write_table(study, directory);
    if (s == TN_OK && page)
        s = write_page(study, directory);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

static tn_status print(const cli_study *study, const char *directory)
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

static int run(int argc, char **argv)
{
    cli_args args;
    cli_study study = {.kind = "compare"};
    compare_options wanted = {.study.patience = 60.0};

    tn_status s = cli_parse(&cmd_compare, argc, argv, &args, &wanted);
    if (s == TN_OK && wanted.out)
        s = check_folder(wanted.out, wanted.force);
    if (s == TN_OK && wanted.out)
        s = make_folder(wanted.out);
    if (s == TN_OK)
        s = cli_study_prepare(&study, &args, &wanted.study);
    if (s == TN_OK)
        s = cli_study_run(&study);
    if (s == TN_OK && wanted.out)
        s = write_files(&study, wanted.out);
    if (s == TN_OK)
        s = print(&study, wanted.out);
    cli_study_free(&study);
    cli_args_free(&args);
    return cli_finish(s);
}
