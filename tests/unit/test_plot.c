// SPDX-License-Identifier: MIT
//
// Plots: where points and texts are on the picture, gaps, thinning, and the files.

#include "base/alloc.h"
#include "draw/plot_parts.h"
#include "test.h"

#include <unistd.h>

static char *picture;
static size_t picture_size;

static bool has_png(void)
{
    tn_plot_format format;
    return tn_plot_format_of("a.png", &format) == TN_OK;
}

static void forget_picture(void)
{
    tn_free(picture);
    picture = NULL;
}

static const char *svg(const tn_plot *plot)
{
    forget_picture();
    CHECK_OK(tn_plot_render(plot, TN_PLOT_SVG, &picture, &picture_size));
    CHECK(picture_size == strlen(picture));
    return picture;
}

static tn_plot_series line_of(int n, const double *x, const double *y)
{
    return (tn_plot_series){.n = n, .x = x, .y = y, .line = true};
}

// A plot of one panel; valid until the next call.
static tn_plot one_panel(int nseries, const tn_plot_series *series)
{
    static tn_plot_panel panel;
    panel = (tn_plot_panel){.nseries = nseries, .series = series};
    return (tn_plot){.npanel = 1, .panels = &panel};
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

// What SVG must be ------------------------------------------------------------------------------

static void skip_attributes(const char **at)
{
    while (**at && **at != '>' && **at != '/' && **at != '?') {
        const size_t name = strcspn(*at, "=<>&\"");
        CHECK((*at)[name] == '=' && (*at)[name + 1] == '"');
        *at += name + 2;
        *at += strcspn(*at, "\"<");
        CHECK(**at == '"');
        ++*at;
    }
}

// Tags nest, attributes are quoted, and texts have no bare < or &.
static void check_well_formed(const char *text)
{
    char open[16][16];
    int depth = 0;

    for (const char *at = text; *at;) {
        const size_t name = strcspn(at + 1, " />");
        if (*at == '&')
            CHECK(strncmp(at, "&lt;", 4) == 0 || strncmp(at, "&gt;", 4) == 0 ||
                  strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&quot;", 6) == 0);
        CHECK((unsigned char)*at >= 32 || *at == '\n');
        if (*at != '<') {
            at++;
        } else if (at[1] == '/') {
            CHECK(depth > 0);
            const size_t n = strlen(open[--depth]);
            CHECK(strncmp(at + 2, open[depth], n) == 0 && at[2 + n] == '>');
            at += 3 + n;
        } else {
            CHECK(name > 0 && name < 16 && depth < 16);
            snprintf(open[depth++], 16, "%.*s", (int)name, at + 1);
            at += 1 + name;
            skip_attributes(&at);
            depth -= *at != '>'; // ends here: <rect/>, <?xml?>
            at += strcspn(at, ">") + 1;
        }
    }
    CHECK(depth == 0);
}

static double attribute(const char *element, const char *name)
{
    char key[32];
    snprintf(key, sizeof(key), " %s=\"", name);
    const char *found = strstr(element, key);
    CHECK(found != NULL);
    return strtod(found + strlen(key), NULL);
}

static void points_are_where_the_axes_say(void)
{
    const double x[] = {0.0, 1.0, 2.0}, y[] = {0.0, 1.0, 0.5}, SPARE = 1.0;
    const tn_plot_series series = line_of(3, x, y);
    tn_plot_panel panel = {.y = {.from = 0.0, .to = 1.0}, .nseries = 1, .series = &series};
    const tn_plot plot = {.npanel = 1, .panels = &panel};
    char expected[128];

    const char *text = svg(&plot);
    check_well_formed(text);
    const char *clip = strstr(text, "<clipPath");
    const double left = attribute(clip, "x") + SPARE, top = attribute(clip, "y") + SPARE;
    const double width = attribute(clip, "width") - 2.0 * SPARE;
    const double height = attribute(clip, "height") - 2.0 * SPARE;
    CHECK(width > 600.0 && height > 400.0);
    snprintf(expected, sizeof(expected), " points=\"%g,%g %g,%g %g,%g\"/>", left, top + height,
             left + 0.5 * width, top, left + width, top + 0.5 * height);
    CHECK(strstr(clip, expected) != NULL);
}

static void gaps_break_lines_and_lone_points_are_marked(void)
{
    const double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {1, 2, NAN, 3, INFINITY, 2, 1};
    const tn_plot_series series = line_of(7, x, y);
    const tn_plot plot = one_panel(1, &series);

    const char *curves = strstr(svg(&plot), "<g clip-path");
    CHECK(curves != NULL);
    CHECK(count(picture, "stroke-linejoin=\"round\" points") > 2); // axes and ticks are lines too
    CHECK(count(curves, "stroke=\"#0072b2\"") == 2);
    CHECK(count(curves, "<circle") == 1);
}

static void log_axes_leave_out_what_is_not_positive(void)
{
    const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {1e-3, 1e-2, 0.0, -1.0, 1e-1, 1.0};
    const tn_plot_series series = line_of(6, x, y);
    tn_plot_panel panel = {.y = {.log = true}, .nseries = 1, .series = &series};
    const tn_plot plot = {.x = {.log = true}, .npanel = 1, .panels = &panel};

    CHECK(count(svg(&plot), "stroke=\"#0072b2\"") == 2);
    CHECK(strstr(picture, ">10<tspan dy=\"-0.5em\" font-size=\"72%\">−3</tspan></text>") != NULL);
}

static void constants_single_points_and_nothing_are_shown(void)
{
    const double x[] = {0, 1}, y[] = {2.5, 2.5}, noise[] = {9.81, 9.81 * (1.0 + 3e-16)};
    const double nan[] = {NAN, NAN}, zero[] = {0.0, 0.0}, huge[] = {-1.7e308, 1.7e308};
    const double *const values[] = {y, noise, nan, zero, huge};

    for (int n = 0; n <= 2; n++)
        for (int log = 0; log < 2; log++)
            for (int k = 0; k < TN_COUNT(values); k++) {
                const tn_plot_series series = line_of(n, x, values[k]);
                tn_plot_panel panel = {.y = {.log = log}, .nseries = 1, .series = &series};
                const tn_plot plot = {.npanel = 1, .panels = &panel};
                check_well_formed(svg(&plot));
                CHECK(strstr(picture, "nan") == NULL && strstr(picture, "inf") == NULL);
                const bool none = n == 0 || k == 2 || (log && (k == 3 || (k == 4 && n == 1)));
                CHECK((strstr(picture, ">no data<") != NULL) == none);
            }
    const tn_plot_series flat = line_of(2, x, y);
    const tn_plot plot = one_panel(1, &flat);
    CHECK(strstr(svg(&plot), ">2.50<") != NULL || strstr(picture, ">2.5<") != NULL);
}

static void texts_are_escaped_and_cleaned(void)
{
    const double x[] = {0, 1}, y[] = {0, 1};
    const tn_plot_series series[] = {
        {.label = "<script>alert(\"1\")</script>", .n = 2, .x = x, .y = y, .line = true},
        {.label = "tab\tbell\a stray\xff cut\xc3", .n = 2, .x = x, .y = x, .line = true},
    };
    tn_plot plot = one_panel(2, series);

    plot.title = "a & b";
    plot.x = (tn_plot_axis){.label = "λ <1>", .unit = "m/s^2"};
    check_well_formed(svg(&plot));
    CHECK(strstr(picture, ">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;</text>") != NULL);
    CHECK(strstr(picture, ">tab bell  stray\xef\xbf\xbd cut\xef\xbf\xbd</text>") != NULL);
    CHECK(strstr(picture, ">a &amp; b</text>") != NULL);
    CHECK(strstr(picture, ">λ &lt;1&gt; [m/s²]</text>") != NULL);
}

static void styles_differ_in_colour_and_dashes(void)
{
    const double x[] = {0, 1}, y[] = {0, 1};
    tn_plot_series series[35];
    char seen[35][192];

    for (int k = 0; k < 35; k++)
        series[k] = line_of(2, x, y);
    const tn_plot plot = one_panel(35, series);
    const char *at = strstr(svg(&plot), "<g clip-path");
    for (int k = 0; k < 35; k++) {
        at = strstr(at, "<polyline");
        CHECK(at != NULL);
        snprintf(seen[k], sizeof(seen[k]), "%.*s", (int)(strstr(at, " points") - at), at);
        for (int i = 0; i < k; i++)
            CHECK(strcmp(seen[i], seen[k]) != 0);
        at++;
    }
}

static void every_mark_is_drawn_at_its_points(void)
{
    const double x[] = {1, 10, 100}, y[] = {1, 4, 9};

    for (int mark = TN_MARK_CIRCLE; mark <= TN_MARK_CROSS; mark++) {
        const tn_plot_series series = {.n = 3, .x = x, .y = y, .mark = (tn_plot_mark)mark};
        tn_plot plot = one_panel(1, &series);
        plot.x.log = true;
        check_well_formed(svg(&plot));
        const bool cross = mark == TN_MARK_CROSS;
        CHECK(count(picture, mark == TN_MARK_CIRCLE ? "<circle" : "<polygon") == (cross ? 0 : 3));
        CHECK(count(picture, "<polyline fill=\"none\" stroke=\"#0072b2\"") == (cross ? 6 : 0));
    }
}

// Thinning --------------------------------------------------------------------------------------

static void thinning_keeps_extremes_ends_and_gaps(void)
{
    enum { N = 100000, COLUMNS = 100 };
    static double x[N], y[N];

    for (int i = 0; i < N; i++) {
        x[i] = (double)i / N;
        y[i] = sin(1e3 * x[i]);
    }
    y[54321] = 7.0;
    y[54322] = -8.0;
    for (int i = 20000; i < 30000; i++)
        y[i] = NAN; // ten columns
    y[70500] = NAN; // inside one
    const int n = tn_plot_thin(N, x, y, 0.0, 1.0, COLUMNS);
    int gaps = 0, peak = -1;
    CHECK(n <= 4 * COLUMNS + 1 && n > COLUMNS);
    CHECK(x[0] == 0.0 && x[n - 1] == (N - 1.0) / N);
    for (int i = 0; i < n; i++) {
        gaps += isnan(x[i]);
        peak = y[i] == 7.0 ? i : peak;
    }
    CHECK(gaps == 1);
    CHECK(peak >= 0 && x[peak] == 54321.0 / N && y[peak + 1] == -8.0);
}

static void few_points_are_left_as_they_are(void)
{
    double x[] = {0, 1, 2, 3}, y[] = {3, NAN, 2, 1};

    CHECK(tn_plot_thin(4, x, y, 0.0, 3.0, 100) == 4);
    CHECK(x[0] == 0.0 && isnan(x[1]) && x[2] == 2.0 && y[3] == 1.0);
    CHECK(tn_plot_thin(0, x, y, 0.0, 1.0, 10) == 0);
}

static void long_series_make_small_pictures(void)
{
    enum { N = 1000000 };
    double *x = malloc(N * sizeof(double)), *y = malloc(N * sizeof(double));

    CHECK(x != NULL && y != NULL);
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = sin(0.1 * i);
    }
    const tn_plot_series series = line_of(N, x, y);
    const tn_plot plot = one_panel(1, &series);
    svg(&plot);
    CHECK(picture_size < 400000);
    free(x);
    free(y);
}

// Layout: a canvas that only keeps where texts are ----------------------------------------------

enum { MOST_TEXTS = 512 };

typedef struct {
    tn_canvas base;
    int n;
    tn_box box[MOST_TEXTS];
} sketch;

static void sketch_label(tn_canvas *canvas, const tn_label *label)
{
    sketch *s = (sketch *)canvas;
    const double width = tn_plot_width(label), before = 0.5 * width * (double)label->anchor;
    const double up = 0.75 * label->size, height = label->size;

    CHECK(s->n < MOST_TEXTS);
    s->box[s->n++] = label->upward
                         ? (tn_box){label->x - up, label->y - width + before, height, width}
                         : (tn_box){label->x - before, label->y - up, width, height};
}

static void ignore_clip(tn_canvas *canvas, const tn_box *box)
{
    (void)canvas;
    (void)box;
}

static void ignore_path(tn_canvas *canvas, const tn_ink *ink, int n, const double *x,
                        const double *y)
{
    (void)canvas;
    CHECK(ink->width > 0.0 || n > 2);
    for (int i = 0; i < n; i++)
        CHECK(isfinite(x[i]) && isfinite(y[i]));
}

static const tn_canvas_ops sketch_ops = {
    .clip = ignore_clip,
    .path = ignore_path,
    .label = sketch_label,
};

static bool overlap(const tn_box *a, const tn_box *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

static void check_sketch(const tn_plot *plot, double width, double height)
{
    static tn_plot_layout layout;
    static double points[2 * 64];
    static sketch s;

    memset(&layout, 0, sizeof(layout));
    s = (sketch){.base.ops = &sketch_ops};
    layout.width = width;
    layout.height = height;
    layout.px = points;
    layout.py = points + 64;
    CHECK_OK(tn_plot_arrange(plot, &layout));
    tn_plot_draw(plot, &s.base, &layout);
    for (int i = 0; i < s.n; i++) {
        CHECK(s.box[i].x >= 0.0 && s.box[i].x + s.box[i].width <= width);
        CHECK(s.box[i].y >= 0.0 && s.box[i].y + s.box[i].height <= height);
        for (int k = 0; k < i; k++)
            CHECK(!overlap(&s.box[i], &s.box[k]));
    }
}

static int whole(int from, int to) // random, both ends included
{
    return from + (int)((0.5 * tn_random() + 0.5) * (to - from + 0.999));
}

static void no_text_is_cut_or_meets_another(void)
{
    enum { N = 64, MOST = 12 };
    static const char *const labels[] = {
        NULL, "x", "crank.position.x",
        "a name that is so long that it cannot possibly stand beside or above the panel of a plot"};
    static double x[N], y[MOST][N];
    tn_plot_series series[MOST];
    tn_plot_panel panels[3];

    for (int round = 0; round < 300; round++) {
        const double sign = tn_random(), start = sign * pow(10.0, 8.0 * tn_random());
        const double span = pow(10.0, 8.0 * tn_random());
        const int nseries = whole(1, MOST);
        for (int k = 0; k < nseries; k++) {
            const double size = pow(10.0, 12.0 * tn_random());
            for (int i = 0; i < N; i++) {
                x[i] = start + span * i / N;
                y[k][i] = whole(0, 9) == 0 ? NAN : size * tn_random();
            }
            series[k] = line_of(N, x, y[k]);
            series[k].label = labels[whole(0, 3)];
        }
        for (int p = 0; p < 3; p++)
            panels[p] = (tn_plot_panel){.y = {labels[whole(0, 3)], "N m", whole(0, 1), 0, 0},
                                        .nseries = nseries,
                                        .series = series};
        const tn_plot plot = {.x = {labels[whole(1, 3)], "s", start > 0.0 && whole(0, 1), 0, 0},
                              .npanel = whole(1, 3),
                              .panels = panels,
                              .title = labels[whole(0, 3)]};
        check_sketch(&plot, whole(500, 1500), whole(250, 500) * (1 + plot.npanel));
    }
}

// Files -----------------------------------------------------------------------------------------

static void png_has_its_signature_and_size(void)
{
    const double x[] = {0, 1}, y[] = {0, 1};
    const tn_plot_series series = line_of(2, x, y);
    tn_plot plot = one_panel(1, &series);
    const int sizes[][4] = {{0, 0, 1600, 1000}, {640, 480, 640, 480}};

    for (int k = 0; k < TN_COUNT(sizes) && has_png(); k++) {
        plot.width = sizes[k][0];
        plot.height = sizes[k][1];
        forget_picture();
        CHECK_OK(tn_plot_render(&plot, TN_PLOT_PNG, &picture, &picture_size));
        const unsigned char *b = (const unsigned char *)picture;
        CHECK(picture_size > 100 && memcmp(b, "\x89PNG\r\n\x1a\n", 8) == 0);
        CHECK(memcmp(b + 12, "IHDR", 4) == 0);
        CHECK((b[18] << 8 | b[19]) == sizes[k][2] && (b[22] << 8 | b[23]) == sizes[k][3]);
    }
    forget_picture();
    if (!has_png())
        CHECK_TEXT(tn_last_error(),
                   "a.png: this Tenon was built without cairo and cannot write PNG; "
                   "write SVG, or build it with -DTENON_CAIRO=ON");
}

static void files_are_written_by_their_ending(void)
{
    const double x[] = {0, 1}, y[] = {0, 1};
    const tn_plot_series series = line_of(2, x, y);
    tn_plot plot = one_panel(1, &series);
    char start[6] = "";

    CHECK_OK(tn_plot_write(&plot, "picture.SVG"));
    FILE *file = fopen("picture.SVG", "r");
    CHECK(file && fread(start, 1, 5, file) == 5);
    fclose(file);
    CHECK_TEXT(start, "<?xml");
    CHECK_STATUS(tn_plot_write(&plot, "picture.jpg"), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "'picture.jpg': the ending tells the kind of picture, and must be "
                                ".svg, .png or .pdf");
    CHECK_STATUS(tn_plot_write(&plot, "no such folder/p.svg"), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "cannot write no such folder/p.svg: No such file or directory");
    unlink("linked.svg");
    CHECK(symlink("picture.SVG", "linked.svg") == 0);
    CHECK_STATUS(tn_plot_write(&plot, "linked.svg"), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(),
               "cannot write linked.svg: it is a link, and only plain files are replaced");
    unlink("linked.svg");
    unlink("picture.SVG");
}

static void sizes_out_of_range_are_refused(void)
{
    tn_plot_panel panels[TN_MOST_PANELS + 1] = {0};
    tn_plot plot = {.npanel = 1, .panels = panels, .width = 100, .height = 100};

    CHECK_STATUS(tn_plot_render(&plot, TN_PLOT_SVG, &picture, &picture_size), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(),
               "a picture of 100 x 100 pixels is out of range; it must be at least "
               "240 x 160 and at most 10000 x 10000");
    plot = (tn_plot){.npanel = 10, .panels = panels, .width = 400, .height = 300};
    CHECK_STATUS(tn_plot_render(&plot, TN_PLOT_SVG, &picture, &picture_size), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(),
               "10 panels have no room in a picture of this height; make it higher");
    plot = (tn_plot){.npanel = TN_MOST_PANELS + 1, .panels = panels};
    CHECK_STATUS(tn_plot_render(&plot, TN_PLOT_SVG, &picture, &picture_size), TN_ERR_USAGE);
    CHECK_TEXT(tn_last_error(), "a picture has at most 16 panels, and this one needs 17");
}

static void a_failed_allocation_is_told_and_nothing_leaks(void)
{
    const double x[] = {0, 1}, y[] = {0, 1};
    const tn_plot_series series = line_of(2, x, y);
    const tn_plot plot = one_panel(1, &series);
    const tn_plot_format formats[] = {TN_PLOT_SVG, TN_PLOT_PNG};

    forget_picture();
    for (int k = 0; k < 1 + has_png(); k++) {
        const long live = tn_test_alloc_live();
        tn_status s;
        long nth = 0;
        do {
            tn_test_alloc_fail_at(++nth);
            s = tn_plot_render(&plot, formats[k], &picture, &picture_size);
            // Of PNG most is allocated in a process of its own, which tells when it fails.
            CHECK(s == TN_OK ? !tn_test_alloc_failed() : s == TN_ERR_MEMORY && picture == NULL);
            forget_picture();
            CHECK(tn_test_alloc_live() == live);
        } while (s != TN_OK);
        CHECK(nth > 3);
        tn_test_alloc_fail_at(0);
    }
}

// What a legend has no room for is counted in a line that fits, also beside short names.
static void legends_that_are_cut_say_so_within_the_picture(void)
{
    enum { MANY = 300 };
    static const double x[] = {0.0, 1.0}, up[] = {0.0, 1.0}, down[] = {1.0, 0.0};
    tn_plot_series series[MANY];
    double at = 0.0;
    for (int i = 0; i < MANY; i++) {
        series[i] = line_of(2, x, i % 2 ? up : down);
        series[i].label = "a";
    }
    tn_plot plot = one_panel(MANY, series);
    plot.width = 600;
    plot.height = 400;
    const char *more = strstr(svg(&plot), ">and 2");
    CHECK(more && strstr(more, " more</text>"));
    while (more && strncmp(more, "<text x=\"", 9) != 0)
        more--;
    CHECK(sscanf(more, "<text x=\"%lf", &at) == 1);
    CHECK(at + 60.0 < plot.width); // twelve characters of 5 pixels and more
}

static const tn_test tests[] = {
    {"legends that are cut say so within the picture",
     legends_that_are_cut_say_so_within_the_picture},
    {"points are where the axes say", points_are_where_the_axes_say},
    {"gaps break lines and lone points are marked", gaps_break_lines_and_lone_points_are_marked},
    {"log axes leave out what is not positive", log_axes_leave_out_what_is_not_positive},
    {"constants, single points and nothing are shown",
     constants_single_points_and_nothing_are_shown},
    {"texts are escaped and cleaned", texts_are_escaped_and_cleaned},
    {"styles differ in colour and dashes", styles_differ_in_colour_and_dashes},
    {"every mark is drawn at its points", every_mark_is_drawn_at_its_points},
    {"thinning keeps extremes, ends and gaps", thinning_keeps_extremes_ends_and_gaps},
    {"few points are left as they are", few_points_are_left_as_they_are},
    {"long series make small pictures", long_series_make_small_pictures},
    {"no text is cut or meets another", no_text_is_cut_or_meets_another},
    {"PNG has its signature and size", png_has_its_signature_and_size},
    {"files are written by their ending", files_are_written_by_their_ending},
    {"sizes out of range are refused", sizes_out_of_range_are_refused},
    {"a failed allocation is told and nothing leaks",
     a_failed_allocation_is_told_and_nothing_leaks},
};

int main(int argc, char **argv)
{
    const int failed = tn_run_tests(tests, TN_COUNT(tests), argc, argv);
    forget_picture();
    return failed;
}
