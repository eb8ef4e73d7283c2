// SPDX-License-Identifier: MIT
//
// tenon report: one self-contained HTML file with the animation, the plots and the ledger of a
// run. It opens from disk, without a server and without a network.

#include "run.h"

#include <string.h>
#include <sys/stat.h>

typedef struct {
    const char *out;
    bool trust, replace;
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
    OPTION("force", replace, BOOL, "", "replace a file that is there and is no page of Tenon",
           .needs = "out"),
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

// Pages of Tenon have their title near the beginning (web/*.html); an empty file is lost by nobody.
static bool may_be_replaced(const char *path)
{
    char head[4096];
    FILE *file = fopen(path, "rb");
    if (!file)
        return true; // there is none, or writing will show it
    const size_t n = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    head[n] = '\0';
    return n == 0 || (strncmp(head, "<!doctype html>", 15) == 0 && strstr(head, "<title>Tenon"));
}

static tn_status check_page(const report_options *wanted)
{
    struct stat info;
    const char *out = wanted->out;
    if (!out || wanted->replace || cli_is_stdout(out) || stat(out, &info) != 0 ||
        !S_ISREG(info.st_mode) || may_be_replaced(out))
        return TN_OK;
    return tn_fail(TN_ERR_USAGE, "%s is there already and is no page of Tenon; --force replaces it",
                   out);
}

// The page of one run, or of several that lie over each other.
static tn_status write_cmd_report(const cli_args *args, const report_options *wanted, char **path)
{
    tn_result *over[TN_REPORT_RUNS] = {NULL};
    tn_report_options how = {.path = wanted->out,
                             .nsnapshot = wanted->nsnapshot,
                             .snapshots = wanted->snapshots,
                             .nover = args->count - 1,
                             .over = over};
    for (int i = 0; i < args->count; i++)
        CLI_TRY(cli_refuse_model(args->word[i], "report"));
    if (args->count > 1 && !wanted->out)
        return tn_fail(TN_ERR_USAGE,
                       "a report of several runs belongs to none of their folders: name it, for "
                       "example 'tenon report %s %s -o both.html'",
                       args->word[0], args->word[1]);
    CLI_TRY(check_page(wanted));
    CLI_TRY(tn_report_check());
    tn_status s = TN_OK;
    for (int i = 1; i < args->count; i++)
        CLI_THEN(s, tn_result_open(args->word[i], wanted->trust, &over[i - 1]));
    CLI_THEN(s, cli_report_write(args->word[0], wanted->trust, &how, path));
    for (int i = 1; i < args->count; i++)
        tn_result_close(over[i - 1]);
    return s;
}

static tn_status tell_cmd_report(const char *path)
{
    struct stat info = {0};
    if (cli_is_stdout(path))
        return TN_OK; // the page is there itself
    if (!cli_json()) {
        printf("%s\n", path);
        return TN_OK;
    }
    stat(path, &info);
    tn_json *json = cli_json_begin();
    tn_json_object(json, NULL, "status %s report %s bytes %lld", "done", path,
                   (long long)info.st_size);
    return cli_print_json(json);
}

static tn_status report(cli_args *args)
{
    report_options own = {0}, *wanted = &own;
    char *path = NULL;
    tn_status s = cli_parse(args, wanted);
    if (s == TN_OK && cli_json() && cli_is_stdout(wanted->out))
        s = tn_fail(TN_ERR_USAGE, "--json and --out - both print to the standard output; leave "
                                  "one of them out");
    CLI_THEN(s, write_cmd_report(args, wanted, &path));
    CLI_THEN(s, tell_cmd_report(path));
    for (int i = 0; i < CLI_COUNT(options); i++)
        tn_param_clear(&options[i], (char *)wanted + options[i].offset);
    tn_text_free(path);
    return s;
}

const cli_command cmd_report = {
    .name = "report",
    .summary = "write a page with animation, plots and ledger of a run, or of several",
    .usage = "report DIR [OTHER ...] [--out FILE] [--force] [--snapshots T,T,...]",
    .text = "DIR is the results folder of a run, finished or not, or its result.h5. The page is\n"
            "one file that any browser opens from disk. Long runs are thinned for display; what\n"
            "the page cannot show is told on stderr and in the page. With OTHERS, up to seven, all "
            "move\n"
            "in one picture, the others seen through, and curves lie over each other with their\n"
            "differences from the first.",
    .word = "DIR",
    .least = 1,
    .most = TN_REPORT_RUNS,
    CLI_OPTIONS(options),
    .run = report,
};
