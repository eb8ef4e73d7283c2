// SPDX-License-Identifier: MIT
//
// tenon plot: channels of results and tables, or the mechanism at several times, as a picture for a
// paper.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXTS = 64 };

typedef struct {
    tn_plot_options plot;
    const char *out, *size, *labels, *paths;
    bool log_log, no_differences, list;
    int nsnapshot;
    const double *snapshots;
} plot_options;

#define OPTION(...) CLI_OPTION(plot_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("out", out, TEXT, "FILE", "the picture, FILE.svg, FILE.png or FILE.pdf; -o for short"),
    OPTION("x", plot.x, TEXT, "CHANNEL",
           "draw along this channel instead of the time: phase plots, orbits; RUN:CHANNEL is that "
           "of one run, at the times of the others"),
    OPTION("equal", plot.equal, BOOL, "", "equal scales of both axes"),
    OPTION("log", plot.log, BOOL, "", "logarithmic axis for the values"),
    OPTION("log_x", plot.log_x, BOOL, "", "logarithmic axis for what goes along"),
    OPTION("log_log", log_log, BOOL, "", "both axes logarithmic"),
    OPTION("slopes", plot.nslope, NUMBERS, "",
           "with --log-log, lines of these slopes to compare with, for example 1,2"),
    OPTION("difference", plot.difference, TEXT, "RUN",
           "subtract the same channels of another run, interpolated at the times of each"),
    OPTION("no_differences", no_differences, BOOL, "",
           "of two runs over time, draw the curves alone, without panels of what they differ by"),
    OPTION("absolute", plot.absolute, BOOL, "", "draw absolute values"),
    OPTION("points", plot.points, BOOL, "", "marks at the points instead of lines"),
    OPTION("snapshots", nsnapshot, NUMBERS, "",
           "draw the mechanism at these times instead of channels, all in one picture, later ones "
           "darker [s]"),
    OPTION("plane", plot.plane, TEXT, "xy",
           "onto which snapshots are projected, two axes, along and up", .needs = "snapshots"),
    OPTION("paths", paths, TEXT, "NAME,...",
           "bodies and joints whose ways are drawn with the snapshots", .needs = "snapshots"),
    OPTION("from", plot.from, NUMBER, "s",
           "first time to show; of tables alone, in the unit of the first column of the first"),
    OPTION("to", plot.to, NUMBER, "s", "last time to show, the same"),
    OPTION("size", size, TEXT, "WxH", "pixels, for example 800x500"),
    OPTION("title", plot.title, TEXT, "TEXT", "line above the picture"),
    OPTION("x_label", plot.x_label, TEXT, "TEXT", "text at the axis instead of name and unit"),
    OPTION("y_label", plot.y_label, TEXT, "TEXT", "the same at the axis of the values"),
    OPTION("labels", labels, TEXT, "A,B,...",
           "texts of the legend, for all curves or for all runs, in their order; with semicolons "
           "between them where they hold commas"),
    OPTION("list", list, BOOL, "", "print the channels that the results have"),
    OPTION("trust", plot.trust, BOOL, "", "read results without checksums all the same"),
};

// The list ----------------------------------------------------------------------------------------

static tn_status list_channels(const tn_result *result)
{
    if (!cli_json()) {
        for (int i = 0; i < tn_result_channel_count(result); i++) {
            const tn_result_channel *c = tn_result_channel_at(result, i);
            printf("%s%s%s%s\n", c->name, *c->unit ? " [" : "", c->unit, *c->unit ? "]" : "");
        }
        return TN_OK;
    }
    tn_json *json = cli_json_begin();
    tn_json_put(json, "{ channels [");
    for (int i = 0; i < tn_result_channel_count(result); i++) {
        const tn_result_channel *c = tn_result_channel_at(result, i);
        tn_json_object(json, NULL, "name %s unit %s group %s", c->name, c->unit, c->group);
    }
    tn_json_put(json, "] }");
    return cli_print_json(json);
}

// A list is no picture: what is for one has no effect on it.
static tn_status check_list(const cli_args *args)
{
    char name[CLI_NAME_SIZE];
    for (int i = 0; i < CLI_COUNT(options); i++)
        if (options[i].offset != offsetof(plot_options, list) &&
            options[i].offset != offsetof(plot_options, plot.trust) &&
            cli_is_stated(args, options[i].name))
            return tn_fail(TN_ERR_USAGE, "%s has no effect with --list; leave one of them out",
                           cli_option_name(&options[i], name));
    if (args->count > 1)
        return tn_fail(TN_ERR_USAGE, "--list shows all channels; leave out '%s'", args->word[1]);
    return TN_OK;
}

static bool is_table(const char *path)
{
    const size_t n = strlen(path);
    return (n > 4 && strcmp(path + n - 4, ".csv") == 0) || strstr(path, ".csv:");
}

static tn_status list(const cli_args *args, bool trust)
{
    const char *path = args->word[0];
    tn_result *result = NULL;
    CLI_TRY(check_list(args));
    CLI_TRY(is_table(path) ? tn_result_open_table(path, &result)
                           : tn_result_open(path, trust, &result));
    for (int i = 0; i < tn_result_warning_count(result); i++)
        cli_message("%s", tn_result_warning(result, i));
    const tn_status s = list_channels(result);
    tn_result_close(result);
    return s;
}

// The picture -------------------------------------------------------------------------------------

static tn_status read_size(const char *text, tn_plot_options *plot)
{
    int end = -1;
    if (!text)
        return TN_OK;
    // Five digits are more than a picture can have; more would not fit into an int.
    if (sscanf(text, "%5dx%5d%n", &plot->width, &plot->height, &end) != 2 || text[end] != '\0' ||
        plot->width <= 0 || plot->height <= 0)
        return tn_fail(TN_ERR_USAGE,
                       "--size: expected WIDTHxHEIGHT in pixels, for example 800x500, found '%s'",
                       text);
    return TN_OK;
}

// Texts between commas, or between semicolons where there are any. *text is freed by the caller.
static tn_status read_texts(const char *option, const char *given, char **text,
                            const char *part[MOST_TEXTS], int *count)
{
    const char between = given && strchr(given, ';') ? ';' : ',';
    *count = 0;
    if (!given)
        return TN_OK;
    *text = malloc(strlen(given) + 1);
    if (!*text)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    strcpy(*text, given);
    for (char *at = *text, *end; at; at = end) {
        if (*count == MOST_TEXTS)
            return tn_fail(TN_ERR_USAGE, "%s: at most %d are possible", option, MOST_TEXTS);
        end = strchr(at, between);
        if (end)
            *end++ = '\0';
        part[(*count)++] = at + strspn(at, " ");
    }
    return TN_OK;
}

// The first word is a run unless it names a channel of one; those behind it are runs as long as
// there are results or tables of that name.
static int count_runs(const cli_args *args)
{
    int n = tn_result_is_there(args->word[0]) || !strchr(args->word[0], ':');
    while (n > 0 && n < args->count && tn_result_is_there(args->word[n]))
        n++;
    return n;
}

// Snapshots are of one run, and have no channels.
static tn_status check_snapshots(const cli_args *args)
{
    static const char *const other[] = {"x",       "equal",         "log",        "log_x",
                                        "log_log", "slopes",        "difference", "absolute",
                                        "points",  "no_differences"};
    for (int i = 0; i < CLI_COUNT(other); i++)
        for (int k = 0; k < CLI_COUNT(options); k++) {
            char name[CLI_NAME_SIZE];
            if (strcmp(options[k].name, other[i]) == 0 && cli_is_stated(args, other[i]))
                return tn_fail(TN_ERR_USAGE,
                               "%s is for curves and has no effect with --snapshots; "
                               "leave one of them out",
                               cli_option_name(&options[k], name));
        }
    if (is_table(args->word[0]))
        return tn_fail(TN_ERR_USAGE, "--snapshots: %s is a table; name the results of a run",
                       args->word[0]);
    if (args->count == 1)
        return TN_OK;
    if (tn_result_is_there(args->word[1]))
        return tn_fail(TN_ERR_USAGE, "--snapshots draws one run; leave out '%s'", args->word[1]);
    return tn_fail(TN_ERR_USAGE,
                   "--snapshots draws the mechanism and no channels; leave out '%s', or draw it in "
                   "a picture of its own",
                   args->word[1]);
}

static tn_status fail_without_channel(const cli_args *args)
{
    const char *run = args->word[0], *last = args->word[args->count - 1];
    if (args->count > 1)
        return tn_fail(TN_ERR_USAGE,
                       "plot: name a channel, for example energy; '%s' counts as a run, for there "
                       "are results at that path: write '%s:%s' if a channel is meant",
                       last, run, last);
    return tn_fail(TN_ERR_USAGE,
                   "plot: name a channel or the beginning of names, for example energy; "
                   "'tenon plot %s --list' lists them all",
                   run);
}

// Everything that the command line alone determines.
static tn_status check(const cli_args *args, const plot_options *wanted, tn_plot_options *plot)
{
    if (wanted->nsnapshot > 0)
        CLI_TRY(check_snapshots(args));
    else if (count_runs(args) == args->count)
        return fail_without_channel(args);
    if (!wanted->out)
        return tn_fail(TN_ERR_USAGE, "plot: -o FILE.svg, FILE.png or FILE.pdf is missing");
    *plot = wanted->plot;
    plot->log |= wanted->log_log;
    plot->log_x |= wanted->log_log;
    plot->differences = !wanted->no_differences;
    plot->teller.tell = cli_tell;
    return read_size(wanted->size, plot);
}

static tn_status tell_cmd_plot(const tn_plotted *p, const char *file)
{
    if (!cli_json()) {
        printf("Wrote %s: %d %s%s", file, p->nchannel, p->nrun > 1 ? "curve" : "channel",
               p->nchannel == 1 ? "" : "s");
        if (p->nrun > 1)
            printf(" of %d runs", p->nrun);
        printf(", %ld row%s", p->rows, p->rows == 1 ? "" : "s");
        if (p->from <= p->to)
            printf(" from %g%s to %g%s", p->from, p->timed ? " s" : "", p->to,
                   p->timed ? " s" : "");
        printf(".\n");
        return TN_OK;
    }
    tn_json *json = cli_json_begin();
    tn_json_put(json, "{ status %s file %s width %d height %d rows %ld from %g to %g channels [",
                "done", file, p->width, p->height, p->rows, p->from, p->to);
    for (int i = 0; i < p->nchannel; i++)
        tn_json_string(json, NULL, p->names[i]);
    tn_json_put(json, "] }");
    return cli_print_json(json);
}

static tn_status tell_snapshots(const tn_plotted *p, const plot_options *wanted)
{
    if (!cli_json()) {
        printf("Wrote %s: %d snapshot%s from %g s to %g s.\n", wanted->out, wanted->nsnapshot,
               wanted->nsnapshot == 1 ? "" : "s", p->from, p->to);
        return TN_OK;
    }
    tn_json *json = cli_json_begin();
    tn_json_put(json, "{ status %s file %s width %d height %d", "done", wanted->out, p->width,
                p->height);
    tn_json_numbers(json, "snapshots", (int)p->rows, p->times);
    tn_json_put(json, "}");
    return cli_print_json(json);
}

static tn_status draw_snapshots(const char *path, const plot_options *wanted,
                                const tn_plot_options *plot)
{
    tn_result *result = NULL;
    tn_plotted plotted = {0};
    CLI_TRY(tn_result_open(path, wanted->plot.trust, &result));
    for (int i = 0; i < tn_result_warning_count(result); i++)
        cli_message("%s", tn_result_warning(result, i));
    tn_status s = tn_result_snapshots(result, wanted->nsnapshot, wanted->snapshots, plot,
                                      wanted->out, &plotted);
    CLI_THEN(s, tell_snapshots(&plotted, wanted));
    tn_plotted_free(&plotted);
    tn_result_close(result);
    return s;
}

static tn_status draw_channels(const cli_args *args, const plot_options *wanted,
                               const tn_plot_options *plot)
{
    const int nrun = count_runs(args);
    tn_plotted plotted = {0};
    tn_status s = TN_OK;
    for (int i = 0; i < nrun; i++)
        CLI_THEN(s, cli_refuse_model(args->word[i], "plot"));
    CLI_THEN(s, tn_runs_plot(nrun, args->word, args->count - nrun, args->word + nrun, plot,
                             wanted->out, &plotted));
    CLI_THEN(s, tell_cmd_plot(&plotted, wanted->out));
    tn_plotted_free(&plotted);
    return s;
}

static tn_status draw_cmd_plot(const cli_args *args, const plot_options *wanted)
{
    const char *label[MOST_TEXTS], *way[MOST_TEXTS];
    tn_plot_options plot;
    char *labels = NULL, *paths = NULL;
    CLI_TRY(check(args, wanted, &plot));
    tn_status s = read_texts("--labels", wanted->labels, &labels, label, &plot.nlabel);
    CLI_THEN(s, read_texts("--paths", wanted->paths, &paths, way, &plot.npath));
    plot.labels = label;
    plot.paths = way;
    CLI_THEN(s, wanted->nsnapshot > 0 ? draw_snapshots(args->word[0], wanted, &plot)
                                      : draw_channels(args, wanted, &plot));
    free(labels);
    free(paths);
    return s;
}

static tn_status plot(cli_args *args)
{
    plot_options own = {.plot = {.from = NAN, .to = NAN}}, *wanted = &own;
    tn_status s = cli_parse(args, wanted);
    CLI_THEN(s, cli_refuse_model(args->word[0], "plot"));
    CLI_THEN(s, wanted->list ? list(args, wanted->plot.trust) : draw_cmd_plot(args, wanted));
    for (int i = 0; i < CLI_COUNT(options); i++)
        tn_param_clear(&options[i], (char *)wanted + options[i].offset);
    return s;
}

const cli_command cmd_plot = {
    .name = "plot",
    .summary = "draw channels of results and tables, or snapshots, as SVG, PNG or PDF",
    .usage =
        "plot RUN... CHANNEL... -o FILE.svg|png|pdf [options]; plot RUN --snapshots T,... -o FILE; "
        "plot RUN --list",
    .text = "RUN is a folder of results, or a table FILE.csv with names and units in its first\n"
            "line, whose first column stands in place of the time. CHANNEL is a name as in\n"
            "result.csv, for example crank.position.x, the beginning of names, for example\n"
            "crank.position, crank or energy, or a pattern such as '*.position.x'. It is drawn\n"
            "of every RUN; RUN:CHANNEL is that of one. Each unit has its own panel.",
    .word = "RUN",
    .least = 1,
    .most = CLI_MOST_WORDS,
    CLI_OPTIONS(options),
    .run = plot,
};
