// SPDX-License-Identifier: MIT
//
// tenon report: one self-contained HTML file with the animation, the plots and the ledger of a
// run. It opens from disk, without a server and without a network.

#include "run.h"

#include <string.h>
#include <sys/stat.h>

typedef struct {
    const char *out;
    bool trust;
    int nsnapshot;
    const double *snapshots;
} report_options;

#define OPTION(...) CLI_OPTION(report_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("out", out, TEXT, "FILE",
           "the file to write, - for the standard output; DIR/report.html when left out"),
    OPTION("snapshots", nsnapshot, NUMBERS, "",
           "draw the mechanism at these times, too, all in one picture; they are times of the run "
           "[s], for example 0,0.5,1"),
    OPTION("trust", trust, BOOL, "", "read results without checksums all the same"),
};

tn_status cli_report_write(const char *directory, bool trust, const tn_report_options *how,
                           char **path)
{
    tn_result *result = NULL;
    *path = NULL;
    CLI_TRY(tn_report_check());
    CLI_TRY(tn_result_open(directory, trust, &result));
    const tn_status s = tn_report_write(result, how, (tn_teller){.tell = cli_tell}, path);
    tn_result_close(result);
    return s;
}

// The page of one run, or of two that lie over each other.
static tn_status write_cmd_report(const cli_args *args, const report_options *wanted, char **path)
{
    tn_report_options how = {wanted->out, wanted->nsnapshot, wanted->snapshots, NULL};
    CLI_TRY(cli_refuse_model(args->word[0], "report"));
    if (args->count == 1)
        return cli_report_write(args->word[0], wanted->trust, &how, path);
    CLI_TRY(cli_refuse_model(args->word[1], "report"));
    if (!wanted->out)
        return tn_fail(TN_ERR_USAGE,
                       "a report of two runs belongs to neither folder: name it, for example "
                       "'tenon report %s %s -o both.html'",
                       args->word[0], args->word[1]);
    CLI_TRY(tn_report_check());
    CLI_TRY(tn_result_open(args->word[1], wanted->trust, &how.over));
    const tn_status s = cli_report_write(args->word[0], wanted->trust, &how, path);
    tn_result_close(how.over);
    return s;
}

static tn_status tell_cmd_report(const char *path)
{
    struct stat info = {0};
    tn_json *json = NULL;
    if (strcmp(path, "-") == 0)
        return TN_OK; // the page is there itself
    if (!cli_json()) {
        printf("%s\n", path);
        return TN_OK;
    }
    stat(path, &info);
    CLI_TRY(tn_json_create(&json));
    tn_json_object(json, NULL, "status %s report %s bytes %lld", "done", path,
                   (long long)info.st_size);
    return cli_print_json(json);
}

static int report_main(int argc, char **argv)
{
    cli_args args;
    report_options wanted = {0};
    char *path = NULL;
    tn_status s = cli_parse(&cmd_report, argc, argv, &args, &wanted);
    if (s == TN_OK && cli_json() && wanted.out && strcmp(wanted.out, "-") == 0)
        s = tn_fail(TN_ERR_USAGE, "--json and --out - both print to the standard output; leave one "
                                  "of them out");
    CLI_THEN(s, write_cmd_report(&args, &wanted, &path));
    CLI_THEN(s, tell_cmd_report(path));
    for (int i = 0; i < CLI_COUNT(options); i++)
        tn_param_clear(&options[i], (char *)&wanted + options[i].offset);
    tn_text_free(path);
    cli_args_free(&args);
    return cli_finish(s);
}

const cli_command cmd_report = {
    .name = "report",
    .summary = "write a page with animation, plots and ledger of a run",
    .usage = "report DIR [OTHER] [--out FILE] [--snapshots T,T,...]",
    .text = "DIR is the results folder of a run, finished or not, or its result.h5. The page is\n"
            "one file that any browser opens from disk. Long runs are thinned for display; what\n"
            "the page cannot show is told on stderr and in the page. With OTHER, both move in one\n"
            "picture, OTHER seen through, and curves lie over each other with their differences.",
    .word = "DIR",
    .least = 1,
    .most = 2,
    .noption = CLI_COUNT(options),
    .options = options,
    .run = report_main,
};
