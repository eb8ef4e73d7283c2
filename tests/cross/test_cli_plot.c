// SPDX-License-Identifier: MIT
//
// tenon plot: pictures of results, channels by name, and its messages.

#include "cli_driver.h"
#include "io/plot.h"

static const char pair_model[] =
    "tenon: 1\n"
    "bodies:\n"
    "  <b>rod</b>: {mass: 1, inertia: [1, 1, 1], initial: {position: [1, 0, 0]}}\n"
    "  weight: {mass: 1, inertia: [1, 1, 1], initial: {position: [0, 3, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, body: <b>rod</b>, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  nail: {kind: revolute, body: weight, at: [0, 4, 0], axis: [0, 0, 1]}\n"
    "simulate: {t_end: 1, step: 0.01}\n";

static bool has_results;

static void make_results(void)
{
    if (has_results)
        return;
    write_text("pair.yaml", pair_model);
    CHECK(tenon("run pair.yaml --out run --quiet") == 0);
    has_results = true;
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

static char svg[CLI_TEXT_SIZE];

static void plot_draws_a_channel_with_its_name_and_unit(void)
{
    make_results();
    CHECK(tenon("plot run weight.position.y -o y.svg") == 0);
    CHECK_TEXT(cli.out, "Wrote y.svg: 1 channel, 101 rows from 0 s to 1 s.\n");
    CHECK_TEXT(cli.err, "");
    read_text("y.svg", svg);
    CHECK(strncmp(svg, "<?xml", 5) == 0 && strstr(svg, "</svg>\n") != NULL);
    CHECK(strstr(svg, ">weight.position.y [m]</text>") != NULL);
    CHECK(strstr(svg, ">time [s]</text>") != NULL);
    const char *line = strstr(strstr(svg, "<g clip-path"), " points=\"");
    CHECK(line != NULL);
    int commas = 0;
    for (const char *c = line + 9; *c != '"'; c++)
        commas += *c == ',';
    CHECK(commas == 101);
}

static void beginnings_and_patterns_choose_groups(void)
{
    make_results();
    CHECK(tenon("plot run energy -o e.svg --title 'Energy & more'") == 0);
    CHECK_TEXT(cli.out, "Wrote e.svg: 5 channels, 101 rows from 0 s to 1 s.\n");
    read_text("e.svg", svg);
    CHECK(strstr(svg, ">energy [J]</text>") != NULL);
    CHECK(strstr(svg, ">energy.kinetic</text>") != NULL);
    CHECK(strstr(svg, ">Energy &amp; more</text>") != NULL);

    CHECK(tenon("plot run weight.position -o p.svg") == 0);
    CHECK_TEXT(cli.out, "Wrote p.svg: 3 channels, 101 rows from 0 s to 1 s.\n");
    CHECK(tenon("plot run '*.position.x' -o every.svg") == 0);
    read_text("every.svg", svg);
    CHECK(strstr(svg, ">&lt;b&gt;rod&lt;/b&gt;.position.x</text>") != NULL);
    CHECK(strstr(svg, "<b>") == NULL);
    CHECK(strstr(svg, ">position [m]</text>") != NULL);
}

static void each_unit_has_its_panel(void)
{
    make_results();
    CHECK(tenon("plot run pin.force.x energy.kinetic weight.position.x nail.force.y "
                "weight.position.x --json -o units.svg") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(json_text(doc, "status"), "done");
    CHECK_TEXT(json_text(doc, "file"), "units.svg");
    CHECK(json_number(doc, "rows") == 101 && json_number(doc, "to") == 1.0);
    CHECK(json_number(doc, "width") == 800 && json_number(doc, "height") == 820);
    const tn_node *channels = json_at(doc, "channels");
    CHECK(channels->count == 4);
    CHECK_TEXT(channels->children[1]->text, "nail.force.y");
    tn_document_destroy(doc);
    read_text("units.svg", svg);
    CHECK(count(svg, "<clipPath") == 3);
    CHECK(strstr(svg, ">force [N]</text>") != NULL);
}

static void a_stretch_of_time_can_be_chosen(void)
{
    make_results();
    CHECK(tenon("plot run energy.kinetic --from 0.25 --to 0.5 -o part.svg") == 0);
    CHECK_TEXT(cli.out, "Wrote part.svg: 1 channel, 26 rows from 0.25 s to 0.5 s.\n");
    refuses(1, "plot run energy --from 2 -o x.svg",
            "tenon: --from 2 s: the results go from 0 s to 1 s\n");
    refuses(1, "plot run energy --to -1 -o x.svg",
            "tenon: --to -1 s: the results go from 0 s to 1 s\n");
    refuses(1, "plot run energy --from 0.5 --to 0.1 -o x.svg",
            "tenon: --from 0.5 s lies behind --to 0.1 s\n");
}

static void a_log_axis_tells_what_it_cannot_show(void)
{
    make_results();
    CHECK(tenon("plot run weight.position --log -o log.svg") == 0);
    CHECK(strstr(cli.err,
                 "tenon: weight.position.z: 101 of 101 values are not positive and have no "
                 "place on a log axis\n") != NULL);
    refuses(1, "plot run energy.dissipated --log -o x.svg",
            "tenon: --log: none of the values is positive; leave it out to see them\n");
}

static void channels_are_listed(void)
{
    make_results();
    CHECK(tenon("plot run --list") == 0);
    CHECK(strstr(cli.out, "\nweight.position.x [m]\n") != NULL);
    CHECK(strstr(cli.out, "\nenergy.kinetic [J]\n") != NULL);
    CHECK(strstr(cli.out, "\nresiduals.g\n") != NULL);
    CHECK(tenon("plot run --list --json") == 0);
    tn_document *doc = json_of(cli.out);
    const tn_node *first = json_at(doc, "channels")->children[0];
    CHECK_TEXT(tn_node_get(first, "name")->text, "step");
    CHECK_TEXT(tn_node_get(first, "unit")->text, "s");
    tn_document_destroy(doc);
}

static void unknown_channels_name_the_nearest(void)
{
    make_results();
    refuses(1, "plot run weigth.position -o x.svg",
            "tenon: no channel 'weigth.position'; did you mean 'weight.position'? 'tenon plot run "
            "--list' lists them all\n");
    refuses(1, "plot run enery -o x.svg",
            "tenon: no channel 'enery'; did you mean 'energy'? 'tenon plot run --list' lists them "
            "all\n");
    refuses(1, "plot run temperature -o x.svg",
            "tenon: no channel 'temperature'; 'tenon plot run --list' lists them all\n");
    CHECK(!file_exists("x.svg"));
}

static void wrong_usage_is_explained(void)
{
    make_results();
    refuses(1, "plot",
            "tenon: plot: DIR is missing; usage: tenon plot DIR CHANNEL... -o FILE.svg|FILE.png "
            "[options]; plot DIR --list\n");
    refuses(
        1, "plot run -o x.svg",
        "tenon: plot: name a channel or the beginning of names, for example energy; 'tenon plot "
        "run --list' lists them all\n");
    refuses(1, "plot run energy", "tenon: plot: -o FILE.svg or -o FILE.png is missing\n");
    refuses(1, "plot run energy -o x.pdf",
            "tenon: 'x.pdf': the ending tells the kind of picture, and must be .svg or .png\n");
    refuses(1, "plot run energy -o x.svg --size 800",
            "tenon: --size: expected WIDTHxHEIGHT in pixels, for example 800x500, found '800'\n");
    refuses(1, "plot run energy -o x.svg --size 20x20",
            "tenon: a picture of 20 x 20 pixels is out of range; it must be at least 240 x 160 and "
            "at most 10000 x 10000\n");
    refuses(1, "plot run energy -o no/x.svg",
            "tenon: cannot write no/x.svg: No such file or directory\n");
    refuses(2, "plot elsewhere energy -o x.svg",
            "tenon: cannot read elsewhere: No such file or directory\n");
}

static void png_has_the_size_that_was_asked_for(void)
{
    unsigned char bytes[24] = {0};

    make_results();
    if (tn_plot_format_of("e.png", &(tn_plot_format){0}) != TN_OK) {
        refuses(1, "plot run energy -o e.png",
                "tenon: e.png: this Tenon was built without cairo and cannot write PNG; write SVG, "
                "or build it with -DTENON_CAIRO=ON\n");
        return;
    }
    CHECK(tenon("plot run energy -o e.png --size 640x400") == 0);
    FILE *file = fopen("e.png", "rb");
    CHECK(file && fread(bytes, 1, sizeof(bytes), file) == sizeof(bytes));
    fclose(file);
    CHECK(memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0);
    CHECK((bytes[18] << 8 | bytes[19]) == 640 && (bytes[22] << 8 | bytes[23]) == 400);
}

static const tn_test tests[] = {
    {"plot draws a channel with its name and unit", plot_draws_a_channel_with_its_name_and_unit},
    {"beginnings and patterns choose groups", beginnings_and_patterns_choose_groups},
    {"each unit has its panel", each_unit_has_its_panel},
    {"a stretch of time can be chosen", a_stretch_of_time_can_be_chosen},
    {"a log axis tells what it cannot show", a_log_axis_tells_what_it_cannot_show},
    {"channels are listed", channels_are_listed},
    {"unknown channels name the nearest", unknown_channels_name_the_nearest},
    {"wrong usage is explained", wrong_usage_is_explained},
    {"PNG has the size that was asked for", png_has_the_size_that_was_asked_for},
};

int main(int argc, char **argv)
{
    enter_scratch("cli_plot");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
