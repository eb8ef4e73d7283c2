// SPDX-License-Identifier: MIT
//
// tenon plot: pictures of results, channels by name, and its messages.

#include "cli_driver.h"
#include "draw/plot_parts.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static const char pair_model[] =
    "tenon: 1\n"
    "bodies:\n"
    "  <b>rod</b>: {mass: 1, inertia: [1, 1, 1], initial: {position: [1, 0, 0]}}\n"
    "  weight: {mass: 1, inertia: [1, 1, 1], initial: {position: [0, 3, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, body: <b>rod</b>, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  nail: {kind: revolute, body: weight, at: [0, 4, 0], axis: [0, 0, 1]}\n"
    "simulate: {t_end: 1, step: 0.01, output: steps}\n";

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
            "tenon: plot: RUN is missing; usage: tenon plot RUN... CHANNEL... -o "
            "FILE.svg|png|pdf [options]; plot RUN --snapshots T,... -o FILE; plot RUN --list\n");
    refuses(
        1, "plot run -o x.svg",
        "tenon: plot: name a channel or the beginning of names, for example energy; 'tenon plot "
        "run --list' lists them all\n");
    refuses(1, "plot run energy", "tenon: plot: -o FILE.svg, FILE.png or FILE.pdf is missing\n");
    refuses(1, "plot run energy -o x.jpg",
            "tenon: 'x.jpg': the ending tells the kind of picture, and must be .svg, .png or "
            ".pdf\n");
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

// Several runs ------------------------------------------------------------------------------------

// Rows h, h^2 and 3 h: errors of order 2 and 1.
static const char orders[] = "# steps and errors\n"
                             "h [s],error q [m],\"error, v\",method\n"
                             "0.1,0.01,0.3,ggl\n"
                             "0.05,0.0025,0.15,ggl\n"
                             "\n"
                             "0.025,0.000625,,index1\n"
                             "0.0125,0.00015625,0.0375,index1\n";

// A rod that falls about its pin, and a weight that hangs at rest, both 1 m away from theirs.
static const char swing_model[] =
    "tenon: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  rod: {mass: 1, inertia: [1, 1, 1], initial: {position: [1, 0, 0]}}\n"
    "  weight: {mass: 1, inertia: [1, 1, 1], initial: {position: [0, 3, 0]}}\n"
    "joints:\n"
    "  pin: {kind: revolute, body: rod, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  nail: {kind: revolute, body: weight, at: [0, 4, 0], axis: [0, 0, 1]}\n"
    "simulate: {t_end: 1, step: 0.01, output: steps}\n";

static void make_pairs(void)
{
    static bool made;
    make_results();
    if (!made) {
        CHECK(tenon("run pair.yaml --out other --step 0.005 --t-end 0.5 --quiet") == 0);
        write_text("swing.yaml", swing_model);
        CHECK(tenon("run swing.yaml --out swing --quiet") == 0);
    }
    made = true;
    write_text("orders.csv", orders);
}

// Points of the i-th line of the first panel, from 0; returns how many.
static int points_of(const char *text, int i, double (*xy)[2], int most)
{
    const char *at = strstr(text, "<g clip-path");
    int n = 0;
    for (; i >= 0 && at; i--)
        at = strstr(at + 1, " points=\"");
    CHECK(at != NULL);
    for (at += 9; n < most && sscanf(at, "%lf,%lf", &xy[n][0], &xy[n][1]) == 2; n++) {
        at += strcspn(at, " \"");
        if (*at++ == '"')
            return n + 1;
    }
    return n;
}

static void runs_lie_over_each_other(void)
{
    make_pairs();
    CHECK(tenon("plot run other weight.position.y -o over.svg") == 0);
    CHECK_TEXT(cli.out, "Wrote over.svg: 3 curves of 2 runs, 202 rows from 0 s to 1 s.\n");
    read_text("over.svg", svg);
    CHECK(count(svg, "<clipPath") == 2);
    CHECK(strstr(svg, ">weight.position.y: run − other [m]</text>") != NULL);
    CHECK(tenon("plot run other weight.position.y --no-differences -o over.svg") == 0);
    CHECK_TEXT(cli.out, "Wrote over.svg: 2 curves of 2 runs, 202 rows from 0 s to 1 s.\n");
    read_text("over.svg", svg);
    CHECK(count(svg, "<clipPath") == 1);
    CHECK(strstr(svg, ">weight.position.y [m]</text>") != NULL);
    CHECK(strstr(svg, ">run</text>") != NULL && strstr(svg, ">other</text>") != NULL);

    CHECK(tenon("plot run/ other weight.position.x weight.position.y -o over.svg --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK(json_at(doc, "channels")->count == 6);
    CHECK_TEXT(json_at(doc, "channels")->children[1]->text, "other:weight.position.x");
    CHECK_TEXT(json_at(doc, "channels")->children[4]->text, "run - other:weight.position.x");
    tn_document_destroy(doc);
    read_text("over.svg", svg);
    CHECK(strstr(svg, ">run: weight.position.x</text>") != NULL);

    CHECK(tenon("plot run:weight.position.x other:weight.position.y -o one.svg") == 0);
    CHECK_TEXT(cli.out, "Wrote one.svg: 2 curves of 2 runs, 202 rows from 0 s to 1 s.\n");
    refuses(1, "plot run orders.csv weight.position.x -o x.svg",
            "tenon: orders.csv: there is no channel 'weight.position.x'; 'tenon plot orders.csv "
            "--list' lists them all\n");
    refuses(1, "plot run nowhere:energy -o x.svg",
            "tenon: no channel 'nowhere:energy'; 'tenon plot run --list' lists them all\n");
    refuses(1, "plot nowhere:energy -o x.svg",
            "tenon: 'nowhere:energy': there are no results and no table at 'nowhere'\n");
    refuses(1, "plot run other energy -o x.svg --from 0.7",
            "tenon: --from 0.7 s: the results in other go from 0 s to 0.5 s\n");
    refuses(1, "plot run other -o x.svg",
            "tenon: plot: name a channel, for example energy; 'other' counts as a run, for there "
            "are results at that path: write 'run:other' if a channel is meant\n");
    CHECK(mkdir("energy", 0777) == 0); // a folder without results is no run
    CHECK(tenon("plot run energy -o e.svg") == 0);
    CHECK_TEXT(cli.out, "Wrote e.svg: 5 channels, 101 rows from 0 s to 1 s.\n");
    CHECK(rmdir("energy") == 0);
}

// Both runs of a spring that is twice as stiff in one of them: x = cos(w t). The difference is that
// of the cosines, where both have rows; cubics between rows 0.01 s apart are good for 1e-7.
static void two_runs_show_what_they_differ_by(void)
{
    static const char mass[] =
        "tenon: 1\nparameters: {k: 4}\n"
        "bodies: {m: {kind: point, mass: 1, initial: {position: [1, 0, 0]}}}\n"
        "forces: {s: {kind: point-force, body: m, force: ['-k*m.position.x', 0, 0]}}\n"
        "simulate: {t_end: 1, method: dop853, rtol: 1e-10, atol: 1e-12, output: 0.01}\n";
    double xy[256][2];
    write_text("mass.yaml", mass);
    CHECK(tenon("run mass.yaml --out soft --quiet --force") == 0);
    CHECK(tenon("run mass.yaml --set k=8 --out stiff --quiet --force --t-end 2 --output 0.007") ==
          0);
    CHECK(tenon("plot soft stiff m.position.x -o apart.svg") == 0);
    read_text("apart.svg", svg);
    CHECK(strstr(svg, ">m.position.x: soft − stiff [m]</text>") != NULL);
    CHECK(tenon("plot soft m.position.x --difference stiff -o one.svg") == 0);
    read_text("one.svg", svg);
    CHECK(points_of(svg, 0, xy, 256) > 50);
    CHECK(tenon("plot soft run m.position.x energy -o apart.svg") == 1);
    CHECK(tenon("plot soft:m.position.x run:weight.position.x -o apart.svg") == 0);
    CHECK_TEXT(cli.err, "");
}

static void labels_of_the_user_take_their_place(void)
{
    make_pairs();
    CHECK(tenon("plot run other weight.position --labels long,short --x-label t/s --y-label "
                "'x, y, z' -o labels.svg") == 0);
    read_text("labels.svg", svg);
    CHECK(strstr(svg, ">long: weight.position.z</text>") != NULL);
    CHECK(strstr(svg, ">t/s</text>") != NULL && strstr(svg, ">x, y, z</text>") != NULL);
    CHECK(tenon("plot run weight.position --labels 'a, b;c;d' -o labels.svg") == 0);
    read_text("labels.svg", svg);
    CHECK(strstr(svg, ">a, b</text>") != NULL);
    refuses(1, "plot run weight.position --labels a,b -o x.svg",
            "tenon: --labels: 2 were given, but there are 3 curves\n");
    refuses(1, "plot run other weight.position --labels a,b,c -o x.svg",
            "tenon: --labels: 3 were given, but there are 6 curves of 2 runs; name all curves or "
            "all runs\n");
    refuses(1, "plot run weight.position.x energy --y-label y -o x.svg",
            "tenon: --y-label: the channels have 2 units and as many panels; draw those of one "
            "unit, or leave it out\n");
}

// The rod is on a circle about the origin.
static void a_channel_can_go_along(void)
{
    double at[200][2];
    make_pairs();
    CHECK(tenon("plot swing rod.position.y --x rod.position.x --equal -o xy.svg") == 0);
    read_text("xy.svg", svg);
    CHECK(strstr(svg, ">rod.position.x [m]</text>") != NULL);
    const int n = points_of(svg, 0, at, 200);
    CHECK(n == 101);
    // From (1, 0) downward: the centre is straight to the left, where the tangent is upright.
    double least = INFINITY, most = 0.0;
    for (double cx = at[0][0] - 1000.0; cx < at[0][0]; cx += 0.5) {
        double low = INFINITY, high = 0.0;
        for (int i = 0; i < n; i++) {
            const double r = hypot(at[i][0] - cx, at[i][1] - at[0][1]);
            low = fmin(low, r);
            high = fmax(high, r);
        }
        if (high - low < least) {
            least = high - low;
            most = high;
        }
    }
    CHECK(most > 100.0 && least < 0.005 * most); // a circle on the picture: equal scales
    CHECK(at[60][1] - at[0][1] > 0.5 * most);    // of which a part is seen

    CHECK(tenon("plot run energy.kinetic --x other:energy.potential -o xy.svg") == 0);
    CHECK(strstr(cli.err, "energy.kinetic: 50 of 101 values are no numbers") != NULL);
    CHECK(tenon("plot swing pin.angle -o one.svg") == 0); // and not pin.angle.rate
    CHECK_TEXT(cli.out, "Wrote one.svg: 1 channel, 101 rows from 0 s to 1 s.\n");
    CHECK(tenon("plot run time --x energy.kinetic -o xy.svg") == 0);
    refuses(1, "plot run energy --x energy -o x.svg",
            "tenon: --x energy: one channel goes along, by its whole name, for example "
            "'energy.kinetic'\n");
    refuses(1, "plot run energy --equal --log -o x.svg",
            "tenon: --equal: log axes have no scale in common; leave one of them out\n");
    write_text("late.csv", "time [s],energy.kinetic [J]\n7,1\n8,2\n");
    refuses(1, "plot run energy.kinetic --x late.csv:energy.kinetic -o x.svg",
            "tenon: --x: run goes from 0 to 1, and late.csv from 7 to 8: they have no times in "
            "common\n");
    refuses(1, "plot run energy.kinetic --difference late.csv -o x.svg",
            "tenon: --difference: run goes from 0 to 1, and late.csv from 7 to 8: they have no "
            "times in common\n");
}

static void tables_count_as_runs(void)
{
    double at[8][2];
    make_pairs();
    CHECK(tenon("plot orders.csv --list") == 0);
    CHECK_TEXT(cli.out, "error q [m]\nerror, v\nmethod\n");
    CHECK(tenon("plot orders.csv 'error q' --log-log --slopes 2 -o order.svg") == 0);
    CHECK_TEXT(cli.out, "Wrote order.svg: 1 channel, 4 rows.\n");
    read_text("order.svg", svg);
    CHECK(strstr(svg, ">h [s]</text>") != NULL && strstr(svg, ">slope 2</text>") != NULL);
    CHECK(count(svg, "<circle") >= 4); // few points have marks
    // The guide, which is drawn first, is parallel to the curve.
    CHECK(points_of(svg, 0, at, 8) == 2);
    const double guide = (at[1][1] - at[0][1]) / (at[1][0] - at[0][0]);
    CHECK(points_of(svg, 1, at, 8) == 4);
    const double curve = (at[3][1] - at[0][1]) / (at[3][0] - at[0][0]);
    CHECK(fabs(guide - curve) < 1e-3); // places have two decimals

    // Guides that would lie below the panel go through its middle.
    CHECK(tenon("plot orders.csv 'error q' --log-log --slopes=-1,0,1e9 -o other.svg") == 0);
    read_text("other.svg", svg);
    CHECK(strstr(svg, ">slope -1</text>") && strstr(svg, ">slope 0</text>"));
    for (int i = 0; i < 3; i++) {
        double line[8][2];
        CHECK(points_of(svg, 3, at, 8) == 4 && points_of(svg, i, line, 8) == 2);
        CHECK(hypot(line[1][0] - line[0][0], line[1][1] - line[0][1]) > 100.0);
        const double middle = 0.5 * (at[0][1] + at[3][1]), half = 0.5 * fabs(at[3][1] - at[0][1]);
        for (int k = 0; k < 2; k++) // a margin of 5 % is around the curve
            CHECK(fabs(line[k][1] - middle) < 1.11 * half);
    }

    CHECK(tenon("plot orders.csv:method=ggl 'error, v' --points -o few.svg") == 0);
    CHECK_TEXT(cli.out, "Wrote few.svg: 1 channel, 2 rows.\n");
    read_text("few.svg", svg);
    CHECK(strstr(strstr(svg, "<g clip-path"), "<polyline") == NULL ||
          strstr(strstr(svg, "<g clip-path"), "</g>") <
              strstr(strstr(svg, "<g clip-path"), "<polyline"));
    CHECK(tenon("plot orders.csv:method=ggl orders.csv:method=index1 'error q' -o two.svg") == 0);
    read_text("two.svg", svg);
    CHECK(strstr(svg, ">ggl</text>") != NULL && strstr(svg, ">index1</text>") != NULL);
    CHECK(tenon("plot orders.csv 'error, v' -o gap.svg") == 0);
    CHECK(strstr(cli.err, "error, v: 1 of 4 values are no numbers and leave gaps\n") != NULL);

    refuses(1, "plot orders.csv method -o x.svg",
            "tenon: orders.csv: the column 'method' holds no numbers\n");
    refuses(1, "plot orders.csv:method=bdf 'error q' -o x.svg",
            "tenon: orders.csv has no row with method = 'bdf'\n");
    refuses(1, "plot orders.csv:methd=bdf 'error q' -o x.svg",
            "tenon: orders.csv has no column 'methd'; did you mean 'method'?\n");
    refuses(1, "plot orders.csv 'error q' --slopes 2 -o x.svg",
            "tenon: --slopes are straight lines in log-log pictures only; add --log-log\n");
    refuses(1, "plot orders.csv 'error q' --from 0.01 -o x.svg",
            "tenon: --from 0.01: the first column of orders.csv, 'h', does not increase\n");
    refuses(2, "plot nothing.csv h -o x.svg",
            "tenon: cannot read nothing.csv: No such file or directory\n");
    write_text("bare.csv", "1,2\n3,4\n");
    refuses(2, "plot bare.csv 2 -o x.svg",
            "tenon: bare.csv:1: the first line must be the names of the columns, and it holds the "
            "number '1'\n");
    write_text("short.csv", "a,b\n3\n");
    refuses(2, "plot short.csv b -o x.svg",
            "tenon: short.csv:2: the row has 1 fields, and the head line has 2\n");
    write_text("twice.csv", "a,b,b\n3,1,2\n");
    refuses(2, "plot twice.csv b -o x.svg", "tenon: twice.csv:1: two columns are named 'b'\n");
    write_text("words.csv", "method,b\nx,1\n");
    refuses(1, "plot words.csv b -o x.svg",
            "tenon: words.csv: its first column, 'method', holds no numbers; --x COLUMN tells what "
            "to draw along\n");
    write_text("minus.csv", "h,b\n-1,1\n-2,2\n");
    refuses(1, "plot minus.csv b --log-x -o x.svg",
            "tenon: --log-x: none of the values of 'h' is positive; leave it out to see them\n");
}

// Two curves with the same points, of which one is stored in ms.
static void check_that_they_lie_over_each_other(const char *title)
{
    double one[8][2], two[8][2];
    read_text("u.svg", svg);
    CHECK(strstr(svg, title) != NULL);
    CHECK(points_of(svg, 0, one, 8) == 3 && points_of(svg, 1, two, 8) == 3);
    for (int i = 0; i < 3; i++)
        CHECK(fabs(one[i][0] - two[i][0]) < 1e-3 && fabs(one[i][1] - two[i][1]) < 1e-3);
}

static void curves_share_one_unit_of_time(void)
{
    double at[8][2];
    make_pairs();
    write_text("u_s.csv", "time [s],x [m],y [m]\n0,0,0\n0.5,1,500\n1,2,1000\n");
    write_text("u_ms.csv", "time [ms],x [m],y [mm]\n0,0,0\n500,1,5e5\n1000,2,1e6\n");
    write_text("u_m.csv", "way [m],x [m],y [kg]\n0,0,0\n500,1,0\n1000,2,1\n");
    CHECK(tenon("plot u_s.csv u_ms.csv x -o u.svg") == 0);
    check_that_they_lie_over_each_other(">time [s]</text>");
    CHECK(tenon("plot u_ms.csv u_s.csv x -o u.svg") == 0);
    check_that_they_lie_over_each_other(">time [ms]</text>");
    // Runs tell the unit wherever they stand: the table ends where the run does.
    CHECK(tenon("plot u_ms.csv:x run:energy.kinetic -o u.svg") == 0);
    CHECK_TEXT(cli.out, "Wrote u.svg: 2 curves of 2 runs, 104 rows from 0 s to 1 s.\n");
    read_text("u.svg", svg);
    CHECK(strstr(svg, ">time [s]</text>") && !strstr(svg, "[ms]"));
    CHECK(tenon("plot u_ms.csv:x run:energy.kinetic --from 0.4 --to 0.6 -o u.svg") == 0);
    refuses(1, "plot u_ms.csv x --from 2000 -o u.svg",
            "tenon: --from 2000 ms: the results go from 0 ms to 1000 ms\n");
    CHECK(tenon("plot u_ms.csv x --from 500 -o u.svg") == 0);
    read_text("u.svg", svg);
    CHECK(points_of(svg, 0, at, 8) == 3);
    refuses(1, "plot u_ms.csv u_m.csv x -o u.svg",
            "tenon: 'time' is in ms in u_ms.csv and 'way' in m in u_m.csv, which is no "
            "multiple\n");
    // What else goes along is converted, too, and needs no times.
    CHECK(tenon("plot u_s.csv u_ms.csv x --x y -o u.svg") == 0);
    check_that_they_lie_over_each_other(">y [m]</text>");
    CHECK(tenon("plot u_s.csv u_m.csv y --x x -o u.svg") == 0);
    refuses(1, "plot u_s.csv u_m.csv x --x y -o u.svg",
            "tenon: --x: 'y' is in m in u_s.csv and in kg in u_m.csv, which is no multiple\n");
}

// Of cubics the values between rows are exact: t^3 at other times, and a parabola to be seen.
static void differences_are_taken_between_rows(void)
{
    double at[8][2];
    make_pairs();
    write_text("a.csv", "t [s],x [m]\n0.5,0.375\n1.5,5.625\n2.5,21.875\n");
    write_text("b.csv", "t [s],x [m]\n0,0\n1,1\n2,8\n3,27\n");
    CHECK(tenon("plot a.csv x --difference b.csv -o d.svg") == 0);
    read_text("d.svg", svg);
    CHECK(strstr(svg, ">x − b [m]</text>") != NULL);
    // 0.25, 2.25, 6.25 = t^2: parts 0, 1/3, 1 of the height.
    CHECK(points_of(svg, 0, at, 8) == 3);
    CHECK(fabs((at[1][1] - at[0][1]) / (at[2][1] - at[0][1]) - 1.0 / 3.0) < 1e-4);
    // The same in other units; a unit that is left out is that of the other.
    write_text("b_mm.csv", "t [ms],x [mm]\n0,0\n1000,1000\n2000,8000\n3000,27000\n");
    write_text("b_n.csv", "t,x\n0,0\n1,1\n2,8\n3,27\n");
    for (int k = 0; k < 2; k++) {
        CHECK(tenon("plot a.csv x --difference %s -o d.svg", k ? "b_n.csv" : "b_mm.csv") == 0);
        read_text("d.svg", svg);
        CHECK(strstr(svg, k ? ">x − b_n [m]</text>" : ">x − b_mm [m]</text>") != NULL);
        CHECK(points_of(svg, 0, at, 8) == 3);
        CHECK(fabs((at[1][1] - at[0][1]) / (at[2][1] - at[0][1]) - 1.0 / 3.0) < 1e-4);
    }
    write_text("b_kg.csv", "t [s],x [kg]\n0,0\n3,1\n");
    refuses(1, "plot a.csv x --difference b_kg.csv -o d.svg",
            "tenon: --difference: 'x' is in m in a.csv and in kg in b_kg.csv, which is no "
            "multiple\n");
    write_text("b_m.csv", "t [m],x [m]\n0,0\n3,1\n");
    refuses(1, "plot a.csv x --difference b_m.csv -o d.svg",
            "tenon: 't' is in s in a.csv and in m in b_m.csv, which is no multiple\n");
    CHECK(tenon("plot b.csv x --difference a.csv --absolute -o d.svg") == 0);
    CHECK_TEXT(cli.err, "tenon: x: 2 of 4 values are no numbers and leave gaps\n");
    read_text("d.svg", svg);
    CHECK(strstr(svg, ">|x − a| [m]</text>") != NULL);
    refuses(1, "plot a.csv b.csv x --difference a.csv -o d.svg",
            "tenon: --difference a.csv: its difference to itself is zero; name other runs to "
            "draw\n");
    refuses(1, "plot run energy.kinetic --difference b.csv -o d.svg",
            "tenon: b.csv: there is no channel 'energy.kinetic'; 'tenon plot b.csv --list' lists "
            "them all\n");
    refuses(1, "plot a.csv x --difference orders.csv -o d.svg",
            "tenon: orders.csv: there is no channel 'x'; 'tenon plot orders.csv --list' lists them "
            "all\n");
}

// Snapshots ---------------------------------------------------------------------------------------

// Points of the lines of one width, in their order; returns how many lines there are.
static int lines_of(const char *text, const char *width, double (*xy)[4], int most)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, width)); n++) {
        at = strstr(at, " points=\"") + 9;
        if (n < most)
            CHECK(sscanf(at, "%lf,%lf %lf,%lf", &xy[n][0], &xy[n][1], &xy[n][2], &xy[n][3]) == 4);
    }
    return n;
}

// Both bodies are links of 1 m between mass and joint.
static void snapshots_show_the_mechanism(void)
{
    double at[8][4];
    make_pairs();
    CHECK(tenon("plot swing --snapshots 0,0.5 --paths rod,pin -o shots.svg") == 0);
    CHECK_TEXT(cli.out, "Wrote shots.svg: 2 snapshots from 0 s to 0.5 s.\n");
    CHECK_TEXT(cli.err, "");
    read_text("shots.svg", svg);
    CHECK(strstr(svg, ">x [m]</text>") && strstr(svg, ">y [m]</text>"));
    CHECK(strstr(svg, ">t = 0.5 s</text>") != NULL);
    CHECK(lines_of(strstr(svg, "<g clip-path"), "stroke-width=\"0.9\"", at, 1) == 2);
    const char *legend = strstr(svg, "</g>");
    CHECK(legend != NULL);
    CHECK(lines_of(strstr(svg, "<g clip-path"), "stroke-width=\"2.4\"", at, 8) ==
          4 + lines_of(legend, "stroke-width=\"2.4\"", at + 4, 4));
    CHECK(lines_of(strstr(svg, "<g clip-path"), "stroke-width=\"2.4\"", at, 8) == 6);
    const double lying = hypot(at[0][2] - at[0][0], at[0][3] - at[0][1]);
    const double hanging = hypot(at[1][2] - at[1][0], at[1][3] - at[1][1]);
    const double later = hypot(at[2][2] - at[2][0], at[2][3] - at[2][1]);
    CHECK(fabs(at[0][3] - at[0][1]) < 0.02 && fabs(at[1][2] - at[1][0]) < 0.02);
    CHECK(lying > 50.0 && fabs(lying - hanging) < 0.02 && fabs(lying - later) < 0.02);
    CHECK(at[2][1] > at[2][3] + 10.0); // the rod has fallen below its pin: y goes down on pictures

    CHECK(tenon("plot run --snapshots 0.123 -o shots.svg --plane yx --json") == 0);
    CHECK_TEXT(cli.err,
               "tenon: --snapshots: there is no row at 0.123 s; that at 0.12 s is drawn\n");
    tn_document *doc = json_of(cli.out);
    CHECK(json_number(doc, "width") == 800);
    CHECK_TEXT(json_at(doc, "snapshots")->children[0]->text, "0.12");
    tn_document_destroy(doc);
}

// Legends have the times of the rows, early and pale ones first, with their own labels.
static void snapshots_are_in_order(void)
{
    make_pairs();
    CHECK(tenon("plot run --snapshots 0.3234,0.1 -o shots.svg") == 0);
    CHECK_TEXT(cli.out, "Wrote shots.svg: 2 snapshots from 0.1 s to 0.32 s.\n");
    read_text("shots.svg", svg);
    const char *early = strstr(svg, ">t = 0.1 s</text>"), *late = strstr(svg, ">t = 0.32 s</text>");
    CHECK(early && late && early < late);
    CHECK(tenon("plot run --snapshots 0.3,0.1 --labels later,first -o shots.svg") == 0);
    read_text("shots.svg", svg);
    early = strstr(svg, ">first</text>");
    late = strstr(svg, ">later</text>");
    CHECK(early && late && early < late);
    refuses(1, "plot run --snapshots 0.1,0.5,0.101 -o x.svg",
            "tenon: --snapshots: for 0.1 s and 0.101 s the same row is drawn, that at 0.1 s; leave "
            "one of them out\n");
}

static void snapshots_that_cannot_be_are_explained(void)
{
    make_pairs();
    refuses(1, "plot run --snapshots 0,2 -o x.svg",
            "tenon: --snapshots: 2 s is no time of run, which goes from 0 s to 1 s\n");
    refuses(1, "plot run energy --snapshots 0 -o x.svg",
            "tenon: --snapshots draws the mechanism and no channels; leave out 'energy', or draw "
            "it in a picture of its own\n");
    refuses(1, "plot run other --snapshots 0 -o x.svg",
            "tenon: --snapshots draws one run; leave out 'other'\n");
    refuses(1, "plot orders.csv --snapshots 0 -o x.svg",
            "tenon: --snapshots: orders.csv is a table; name the results of a run\n");
    refuses(1, "plot run --snapshots 0 --log-log -o x.svg",
            "tenon: --log-log is for curves and has no effect with --snapshots; leave one of them "
            "out\n");
    refuses(1, "plot run --snapshots 0 --plane xx -o x.svg",
            "tenon: --plane: expected two of x, y and z, for example xz, found 'xx'\n");
    refuses(1, "plot run --snapshots 0 --paths wheel -o x.svg",
            "tenon: --paths: run has no body and no joint 'wheel'\n");
    refuses(1, "plot run --snapshots 0,1 --labels a -o x.svg",
            "tenon: --labels: 1 were given, but there are 2 snapshots\n");
    refuses(1, "plot run --snapshots 0 -o no/x.svg",
            "tenon: cannot write no/x.svg: No such file or directory\n");
    CHECK(!file_exists("x.svg"));
}

static void pdf_is_written(void)
{
    char start[6] = "";
    make_results();
    if (tn_plot_format_of("e.pdf", &(tn_plot_format){0}) != TN_OK)
        return;
    CHECK(tenon("plot run energy -o e.pdf") == 0);
    CHECK(tenon("plot run --snapshots 0,1 -o s.pdf") == 0);
    FILE *file = fopen("s.pdf", "rb");
    CHECK(file && fread(start, 1, 5, file) == 5);
    fclose(file);
    CHECK_TEXT(start, "%PDF-");
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
    {"runs lie over each other", runs_lie_over_each_other},
    {"two runs show what they differ by", two_runs_show_what_they_differ_by},
    {"labels of the user take their place", labels_of_the_user_take_their_place},
    {"a channel can go along", a_channel_can_go_along},
    {"tables count as runs", tables_count_as_runs},
    {"curves share one unit of time", curves_share_one_unit_of_time},
    {"differences are taken between rows", differences_are_taken_between_rows},
    {"snapshots show the mechanism", snapshots_show_the_mechanism},
    {"snapshots are in order", snapshots_are_in_order},
    {"snapshots that cannot be are explained", snapshots_that_cannot_be_are_explained},
    {"PDF is written", pdf_is_written},
    {"PNG has the size that was asked for", png_has_the_size_that_was_asked_for},
};

int main(int argc, char **argv)
{
    enter_scratch("cli_plot");
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
