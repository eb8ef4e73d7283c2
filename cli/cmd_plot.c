// SPDX-License-Identifier: MIT
//
// tenon plot: channels of the results over time, as a picture for a paper.

#include "base/alloc.h"
#include "plot_channels.h"

#include <math.h>
#include <string.h>

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

static int run(int argc, char **argv);

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
    .run = run,
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
    tn_json_begin_object(json, NULL);
    tn_json_begin_array(json, "channels");
    for (int i = 0; i < tn_result_channel_count(result); i++) {
        const tn_result_channel *c = tn_result_channel_at(result, i);
        tn_json_begin_object(json, NULL);
        tn_json_string(json, "name", c->name);
        tn_json_string(json, "unit", c->unit);
        tn_json_string(json, "group", c->group);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
    tn_json_end_object(json);
    return cli_print_json(json);
}

static tn_status read_size(const char *text, tn_plot *plot)
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
static tn_status check(const cli_args *args, const plot_options *wanted, tn_plot *plot,
                       tn_plot_format *format)
{
    if (args->count < 2)
        return tn_fail(TN_ERR_USAGE,
                       "plot: name a channel or the beginning of names, for example energy; "
                       "'tenon plot %s --list' lists them all",
                       args->word[0]);
    if (!wanted->out)
        return tn_fail(TN_ERR_USAGE, "plot: -o FILE.svg or -o FILE.png is missing");
    CLI_TRY(tn_plot_format_of(wanted->out, format));
    if (*format == TN_PLOT_PNG && !tn_plot_has_png())
        return tn_fail(TN_ERR_USAGE,
                       "%s: this Tenon was built without cairo and cannot write PNG; write SVG, or "
                       "build it with -DTENON_CAIRO=ON",
                       wanted->out);
    plot->title = wanted->title;
    return read_size(wanted->size, plot);
}

// Tells about curves that are not shown whole; fails when nothing at all can be shown.
static tn_status look_over(const cli_curves *curves, const tn_result *result)
{
    long shown = 0, unplaced = 0;

    for (int i = 0; i < curves->curve.count; i++) {
        shown += curves->curve.at[i].numbers - curves->curve.at[i].unplaced;
        unplaced += curves->curve.at[i].unplaced;
    }
    if (shown == 0 && unplaced > 0)
        return tn_fail(TN_ERR_USAGE,
                       "--log: none of the values is positive; leave it out to see them");
    for (int i = 0; i < curves->curve.count; i++) {
        const cli_curve *c = &curves->curve.at[i];
        const char *name = tn_result_channel_at(result, c->channel)->name;
        if (c->unplaced > 0)
            cli_message("%s: %ld of %ld values are not positive and have no place on a log axis",
                        name, c->unplaced, c->count);
        if (c->numbers < c->count)
            cli_message("%s: %ld of %ld values are no numbers and leave gaps", name,
                        c->count - c->numbers, c->count);
    }
    return TN_OK;
}

static tn_status tell(const cli_curves *curves, const tn_result *result, const char *file,
                      int width, int height)
{
    tn_json *json = NULL;

    if (!cli_json()) {
        printf("Wrote %s: %d channel%s, %ld row%s from %g s to %g s.\n", file, curves->curve.count,
               curves->curve.count == 1 ? "" : "s", curves->rows, curves->rows == 1 ? "" : "s",
               curves->from, curves->to);
        return TN_OK;
    }
    CLI_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "status", "done");
    tn_json_string(json, "file", file);
    tn_json_integer(json, "width", width);
    tn_json_integer(json, "height", height);
    tn_json_integer(json, "rows", curves->rows);
    tn_json_number(json, "from", curves->from);
    tn_json_number(json, "to", curves->to);
    tn_json_begin_array(json, "channels");
    for (int i = 0; i < curves->curve.count; i++)
        tn_json_string(json, NULL, tn_result_channel_at(result, curves->curve.at[i].channel)->name);
    tn_json_end_array(json);
    tn_json_end_object(json);
    return cli_print_json(json);
}

static tn_status draw(tn_result *result, const cli_args *args, const plot_options *wanted,
                      cli_curves *curves)
{
    tn_plot plot = {0};
    tn_plot_format format;
    int width, height;

    CLI_TRY(check(args, wanted, &plot, &format));
    for (int i = 1; i < args->count; i++)
        CLI_TRY(cli_curves_add(curves, result, args->word[0], args->word[i]));
    tn_plot_size(&plot, format, &width, &height);
    CLI_TRY(cli_curves_read(curves, result, wanted->from, wanted->to, wanted->log, width));
    CLI_TRY(look_over(curves, result));
    CLI_TRY(cli_curves_arrange(curves, result, wanted->log, &plot));
    const tn_status s = tn_plot_write(&plot, wanted->out);
    if (s != TN_OK)
        return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
    tn_plot_size(&plot, format, &width, &height);
    return tell(curves, result, wanted->out, width, height);
}

static int run(int argc, char **argv)
{
    cli_args args;
    plot_options wanted = {.from = NAN, .to = NAN};
    cli_curves curves = {0};
    tn_result *result = NULL;

    tn_status s = cli_parse(&cmd_plot, argc, argv, &args, &wanted);
    if (s == TN_OK)
        s = cli_refuse_model(args.word[0], "plot");
    if (s == TN_OK && wanted.list)
        s = check_list(&args);
    if (s == TN_OK)
        s = tn_result_open(args.word[0], wanted.trust, &result);
    for (int i = 0; s == TN_OK && i < tn_result_warning_count(result); i++)
        cli_message("%s", tn_result_warning(result, i));
    if (s == TN_OK)
        s = wanted.list ? list_channels(result) : draw(result, &args, &wanted, &curves);
    cli_curves_free(&curves);
    tn_result_close(result);
    cli_args_free(&args);
    return cli_finish(s);
}
