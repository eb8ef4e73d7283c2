// SPDX-License-Identifier: MIT
//
// tenon plot: channels of the results over time, as a picture for a paper.

#include "cli.h"

#include <math.h>

typedef struct {
    const char *out, *size, *title;
    double from, to;
    bool log, list, trust;
} plot_options;

#define OPTION(...) CLI_OPTION(plot_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("out", out, TEXT, "FILE", "the picture, FILE.svg or FILE.png; -o for short"),
    OPTION("log", log, BOOL, "", "logarithmic axis for the values"),
    OPTION("from", from, NUMBER, "s", "first time to show"),
    OPTION("to", to, NUMBER, "s", "last time to show"),
    OPTION("size", size, TEXT, "WxH", "pixels, for example 800x500"),
    OPTION("title", title, TEXT, "TEXT", "line above the picture"),
    OPTION("list", list, BOOL, "", "print the channels that the results have"),
    OPTION("trust", trust, BOOL, "", "read results without checksums all the same"),
};

static tn_status list_channels(const tn_result *result)
{
    tn_json *json = NULL;
    if (!cli_json()) {
        for (int i = 0; i < tn_result_channel_count(result); i++) {
            const tn_result_channel *c = tn_result_channel_at(result, i);
            printf("%s%s%s%s\n", c->name, *c->unit ? " [" : "", c->unit, *c->unit ? "]" : "");
        }
        return TN_OK;
    }
    CLI_TRY(tn_json_create(&json));
    tn_json_put(json, "{ channels [");
    for (int i = 0; i < tn_result_channel_count(result); i++) {
        const tn_result_channel *c = tn_result_channel_at(result, i);
        tn_json_object(json, NULL, "name %s unit %s group %s", c->name, c->unit, c->group);
    }
    tn_json_put(json, "] }");
    return cli_print_json(json);
}

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

// A list is no picture: what is for one has no effect on it.
static tn_status check_list(const cli_args *args)
{
    static const char *const drawn[] = {"out", "log", "from", "to", "size", "title"};
    for (int i = 0; i < CLI_COUNT(drawn); i++)
        if (cli_is_stated(args, drawn[i]))
            return tn_fail(TN_ERR_USAGE, "--%s has no effect with --list; leave one of them out",
                           drawn[i]);
    if (args->count > 1)
        return tn_fail(TN_ERR_USAGE, "--list shows all channels; leave out '%s'", args->word[1]);
    return TN_OK;
}

// All that can be told from the command line alone.
static tn_status check(const cli_args *args, const plot_options *wanted, tn_plot_options *plot)
{
    if (args->count < 2)
        return tn_fail(TN_ERR_USAGE,
                       "plot: name a channel or the beginning of names, for example energy; "
                       "'tenon plot %s --list' lists them all",
                       args->word[0]);
    if (!wanted->out)
        return tn_fail(TN_ERR_USAGE, "plot: -o FILE.svg or -o FILE.png is missing");
    plot->title = wanted->title;
    plot->from = wanted->from;
    plot->to = wanted->to;
    plot->log = wanted->log;
    plot->teller.tell = cli_tell;
    return read_size(wanted->size, plot);
}

static tn_status tell_cmd_plot(const tn_plotted *p, const tn_result *result, const char *file)
{
    tn_json *json = NULL;
    if (!cli_json()) {
        printf("Wrote %s: %d channel%s, %ld row%s from %g s to %g s.\n", file, p->nchannel,
               p->nchannel == 1 ? "" : "s", p->rows, p->rows == 1 ? "" : "s", p->from, p->to);
        return TN_OK;
    }
    CLI_TRY(tn_json_create(&json));
    tn_json_put(json, "{ status %s file %s width %d height %d rows %ld from %g to %g channels [",
                "done", file, p->width, p->height, p->rows, p->from, p->to);
    for (int i = 0; i < p->nchannel; i++)
        tn_json_string(json, NULL, tn_result_channel_at(result, p->channels[i])->name);
    tn_json_put(json, "] }");
    return cli_print_json(json);
}

static tn_status draw_cmd_plot(tn_result *result, const cli_args *args, const plot_options *wanted)
{
    tn_plot_options plot = tn_default_plot();
    tn_plotted plotted = {0};
    CLI_TRY(check(args, wanted, &plot));
    tn_status s =
        tn_result_plot(result, args->count - 1, args->word + 1, &plot, wanted->out, &plotted);
    if (s == TN_OK)
        s = tell_cmd_plot(&plotted, result, wanted->out);
    else if (s == TN_ERR_FILE)
        s = TN_ERR_USAGE;
    tn_plotted_free(&plotted);
    return s;
}

static int plot_main(int argc, char **argv)
{
    cli_args args;
    plot_options wanted = {.from = NAN, .to = NAN};
    tn_result *result = NULL;
    tn_status s = cli_parse(&cmd_plot, argc, argv, &args, &wanted);
    CLI_THEN(s, cli_refuse_model(args.word[0], "plot"));
    if (s == TN_OK && wanted.list)
        s = check_list(&args);
    CLI_THEN(s, tn_result_open(args.word[0], wanted.trust, &result));
    for (int i = 0; s == TN_OK && i < tn_result_warning_count(result); i++)
        cli_message("%s", tn_result_warning(result, i));
    CLI_THEN(s, wanted.list ? list_channels(result) : draw_cmd_plot(result, &args, &wanted));
    tn_result_close(result);
    cli_args_free(&args);
    return cli_finish(s);
}

const cli_command cmd_plot = {
    .name = "plot",
    .summary = "draw channels of the results over time, as SVG or PNG",
    .usage = "plot DIR CHANNEL... -o FILE.svg|FILE.png [options]; plot DIR --list",
    .text = "DIR is a folder of results. CHANNEL is a name as in result.csv, for example\n"
            "crank.position.x, the beginning of names, for example crank.position, crank or\n"
            "energy, or a pattern such as '*.position.x'. Each unit has its own panel.",
    .word = "DIR",
    .least = 1,
    .most = CLI_MOST_WORDS,
    .noption = CLI_COUNT(options),
    .options = options,
    .run = plot_main,
};
