// SPDX-License-Identifier: MIT
//
// tenon modes: natural frequencies, damping and mode shapes about an equilibrium.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct wanted {
    tn_modes_options find;
    cli_point point;
    const char *method, *over;
    const char *out, *plot, *report;
    bool shapes, replace;
} wanted;

#define OPTION(...) CLI_OPTION(wanted, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("count", find.count, INTEGER, "",
           "how many modes, the slowest first; 20, or 8 with --over", .range = TN_AT_LEAST_ONE),
    OPTION("undamped", find.undamped, BOOL, "", "leave out damping"),
    OPTION("over", over, TEXT, "NAME=FROM:TO:N",
           "a Campbell diagram: modes at N values of 'spin' [rad/s], 'motion', 'load', an input or "
           "a parameter of the model"),
    OPTION("plot", plot, TEXT, "FILE.svg",
           "draw frequencies and damping over it, as SVG, PNG or PDF", .needs = "over"),
    CLI_ABOUT_OPTIONS(wanted),
    OPTION("motion", find.motion, NUMBER, "", "velocities of the start or state times this factor"),
    CLI_TIME_OPTION(wanted),
    OPTION("nearest", find.find.nearest, BOOL, "",
           "about the nearest equilibrium by Newton's method, even if it is unstable"),
    OPTION("load", find.find.load, TEXT, "INPUT",
           "the input that the load factor scales; gravity, point forces and motors when left out"),
    OPTION("load_to", find.find.load_to, NUMBER, "", "load factor, 1"),
    OPTION("spin", find.find.spin, NUMBER, "rad/s", "steady rotation of the whole mechanism"),
    OPTION("axis", point.axis, TEXT, "X,Y,Z", "its axis, 0,0,1"),
    OPTION("through", point.through, TEXT, "X,Y,Z", "a point of its axis, 0,0,0 [m]"),
    OPTION("method", method, TEXT, "METHOD",
           "'dense' matrices for all modes or 'sparse' ones for some; 'auto' goes by the size"),
    OPTION("shapes", shapes, BOOL, "", "with --json: the motion of every body in each mode"),
    OPTION("out", out, TEXT, "FILE.csv", "write a table of the modes; -o for short"),
    OPTION("report", report, TEXT, "FILE.html", "write a page that shows the modes in motion"),
    OPTION("force", replace, BOOL, "", "replace the table, picture or page that is there"),
};

// Options -----------------------------------------------------------------------------------------

static tn_status read_method(const char *text, tn_modes_method *out)
{
    static const char *const words[] = {"auto", "dense", "sparse"};
    for (int i = 0; text && i < CLI_COUNT(words); i++)
        if (strcmp(text, words[i]) == 0) {
            *out = (tn_modes_method)i;
            return TN_OK;
        }
    return text ? tn_fail(TN_ERR_USAGE, "--method: '%s' is not auto, dense or sparse", text)
                : TN_OK;
}

// "spin=0:100:21"
static tn_status read_over(const char *text, char *name, size_t size, tn_campbell_options *out)
{
    const char *equals = strrchr(text, '=');
    double points = 0.0;
    int used = 0;
    if (!equals || equals == text || (size_t)(equals - text) >= size ||
        sscanf(equals + 1, "%lf:%lf:%lf%n", &out->from, &out->to, &points, &used) != 3 ||
        equals[1 + used] != '\0' || !(points >= 2.0 && points <= 100000.0) ||
        points != floor(points))
        return tn_fail(TN_ERR_USAGE,
                       "--over: '%s' is not NAME=FROM:TO:N with N from 2 to 100000; write it as "
                       "spin=0:100:21",
                       text);
    out->points = (int)points;
    snprintf(name, size, "%.*s", (int)(equals - text), text);
    out->over = name;
    return TN_OK;
}

// Parts: bodies, beams with all their nodes, modal bodies with their amplitudes -------------------

typedef struct part {
    const char *name;
    double share;
} part;

typedef struct parts {
    int n;
    int *of; // of each body
    part *at;
    part *sorted;
} parts;

// The body 'arm' of 'arm.q1' and 'arm.end'; -1 for none.
static int whole_of(const tn_model *model, int body)
{
    char name[200];
    snprintf(name, sizeof name, "%s", tn_model_body_name(model, (tn_body){body}));
    char *dot = strrchr(name, '.');
    if (!dot)
        return -1;
    *dot = '\0';
    return tn_model_find_body(model, name).index;
}

static tn_status list_parts(const tn_model *model, parts *p)
{
    const int bodies = tn_model_body_count(model);
    p->of = calloc((size_t)bodies + 1, sizeof *p->of);
    p->at = calloc((size_t)bodies + 1, sizeof *p->at);
    p->sorted = calloc((size_t)bodies + 1, sizeof *p->sorted);
    if (!p->of || !p->at || !p->sorted)
        return tn_fail(TN_ERR_MEMORY, "out of memory for the parts of modes");
    for (int k = 0; k < bodies; k++)
        p->of[k] = -1;
    for (int b = 0; b < tn_model_beam_count(model); b++) {
        for (int k = 0; k < tn_model_beam_node_count(model, (tn_beam){b}); k++)
            p->of[tn_model_beam_node(model, (tn_beam){b}, k).index] = p->n;
        p->at[p->n++].name = tn_model_beam_name(model, (tn_beam){b});
    }
    for (int k = 1; k < bodies; k++)
        if (p->of[k] < 0) {
            const int whole = whole_of(model, k);
            p->of[k] = whole > 0 && p->of[whole] >= 0 ? p->of[whole] : p->n;
            if (p->of[k] == p->n)
                p->at[p->n++].name = tn_model_body_name(model, (tn_body){k});
        }
    return TN_OK;
}

static void free_parts(parts *p)
{
    free(p->of);
    free(p->at);
    free(p->sorted);
}

static int by_share(const void *a, const void *b)
{
    const double x = ((const part *)a)->share, y = ((const part *)b)->share;
    return (x < y) - (x > y);
}

// Shares of mode i by parts, and these from the largest on.
static void share_parts(const tn_modes *m, int i, const tn_model *model, parts *p)
{
    for (int k = 0; k < p->n; k++)
        p->at[k].share = 0.0;
    for (int k = 1; k < tn_model_body_count(model); k++)
        p->at[p->of[k]].share += tn_mode_share(m, i, (tn_body){k});
    memcpy(p->sorted, p->at, (size_t)p->n * sizeof *p->at);
    qsort(p->sorted, (size_t)p->n, sizeof *p->sorted, by_share);
}

// Output ------------------------------------------------------------------------------------------

enum { MOST_PARTS = 3 };

static void print_mode(const tn_mode *mode, int i)
{
    if (mode->kind == TN_MODE_RIGID)
        printf("%4d  %14s  %11s  %12s  ", i + 1, "rigid", "", "");
    else if (mode->im == 0.0)
        printf("%4d  %14s  %11s  %12.6g  ", i + 1, "-", "", mode->re);
    else
        printf("%4d  %14.8g  %11.6f  %12.6g  ", i + 1, mode->frequency, mode->damping, mode->re);
}

static void print_table(const tn_modes *m, const tn_model *model, parts *p)
{
    printf("\nmode  frequency [Hz]  damping [1]    real [1/s]  most motion; kinetic energy in\n");
    for (int i = 0; i < tn_modes_count(m); i++) {
        const tn_mode mode = tn_mode_of(m, i);
        share_parts(m, i, model, p);
        print_mode(&mode, i);
        printf("%s; ", mode.name);
        for (int k = 0; k < p->n && k < MOST_PARTS && p->sorted[k].share >= 0.1; k++)
            printf("%s%s %.0f %%", k > 0 ? ", " : "", p->sorted[k].name,
                   100.0 * p->sorted[k].share);
        if (p->n > 0 && p->sorted[0].share < 0.1)
            printf("many bodies");
        putchar('\n');
    }
}

static const char *about_words(const wanted *w)
{
    return w->find.about == TN_ABOUT_START   ? "about the start at"
           : w->find.about == TN_ABOUT_STATE ? "about the state at"
           : w->find.find.spin != 0.0        ? "in steady rotation at"
                                             : "about the equilibrium at";
}

static void print_modes(const tn_modes *m, const tn_model *model, const char *path, parts *p,
                        const wanted *w)
{
    const tn_modes_facts f = tn_modes_facts_of(m);
    printf("%s: modes %s t = %g s, %d freedom%s, %s%s\n", path, about_words(w), f.state->t,
           f.freedoms, CLI_S(f.freedoms), f.damped ? "damped" : "undamped",
           f.sparse ? ", by sparse factors and ARPACK" : "");
    if (tn_v3_norm(f.turning) > 0.0)
        printf("frames             seen from frames that turn with %g, %g, %g rad/s\n", f.turning.x,
               f.turning.y, f.turning.z);
    cli_print_doubts(tn_modes_verdict(m), 19);
    if (f.rigid > 0)
        printf("rigid              %d mode%s s = 0: nothing drives %s back\n", f.rigid,
               f.rigid == 1 ? " has" : "s have", f.rigid == 1 ? "it" : "them");
    if (f.unstable > 0)
        printf("unstable           %d mode%s; their real parts are positive\n", f.unstable,
               f.unstable == 1 ? " grows" : "s grow");
    if (f.hidden > 0)
        printf("not listed         %d of them: --count lists more\n", f.hidden);
    print_table(m, model, p);
    cli_print_wrote(w->out, NULL);
    if (w->report)
        printf("\nreport             %s\n", w->report);
}

static void put_shapes(tn_json *json, const tn_modes *m, int i, const tn_model *model)
{
    tn_json_begin_array(json, "bodies");
    for (int k = 1; k < tn_model_body_count(model); k++) {
        const tn_mode_motion x = tn_mode_motion_of(m, i, (tn_body){k});
        tn_json_put(json, "{ name %s share %g", tn_model_body_name(model, (tn_body){k}),
                    tn_mode_share(m, i, (tn_body){k}));
        tn_json_numbers(json, "move_re", 3, &x.move_re.x);
        tn_json_numbers(json, "move_im", 3, &x.move_im.x);
        tn_json_numbers(json, "turn_re", 3, &x.turn_re.x);
        tn_json_numbers(json, "turn_im", 3, &x.turn_im.x);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

static void put_mode(tn_json *json, const tn_modes *m, int i, const tn_model *model, parts *p,
                     bool shapes)
{
    const tn_mode mode = tn_mode_of(m, i);
    tn_json_put(json, "{ kind %s re %g im %g frequency %g undamped %g damping %g name %s",
                tn_mode_kind_word(mode.kind), mode.re, mode.im, mode.frequency, mode.undamped,
                mode.damping, mode.name);
    share_parts(m, i, model, p);
    tn_json_begin_array(json, "parts");
    for (int k = 0; k < p->n && p->sorted[k].share >= 1e-3; k++)
        tn_json_object(json, NULL, "name %s share %g", p->sorted[k].name, p->sorted[k].share);
    tn_json_end_array(json);
    if (shapes)
        put_shapes(json, m, i, model);
    tn_json_end_object(json);
}

static void put_place(tn_json *json, const tn_modes *m, const tn_model *model)
{
    tn_json_begin_array(json, "bodies");
    for (int k = 1; k < tn_model_body_count(model); k++) {
        const tn_frame frame = tn_modes_body_frame(m, (tn_body){k});
        tn_json_put(json, "{ name %s", tn_model_body_name(model, (tn_body){k}));
        tn_json_numbers(json, "position", 3, &frame.p.x);
        tn_json_numbers(json, "rotation", 9, &frame.R.m[0][0]);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

static tn_status print_modes_json(const tn_modes *m, const tn_model *model, const char *path,
                                  parts *p, const wanted *w)
{
    const tn_modes_facts f = tn_modes_facts_of(m);
    tn_json *json = cli_json_begin();
    tn_json_put(json,
                "{ status %s model %s t %g spin %g load %g stability %s freedoms %d rigid %d "
                "unstable %d hidden %d damped %i method %s",
                tn_outcome_word(tn_modes_verdict(m)->outcome), path, f.state->t, w->find.find.spin,
                f.state->load, tn_stability_word(f.state->stability), f.freedoms, f.rigid,
                f.unstable, f.hidden, f.damped, f.sparse ? "sparse" : "dense");
    tn_verdict_put(json, tn_modes_verdict(m));
    tn_json_numbers(json, "turning", 3, &f.turning.x);
    tn_json_begin_array(json, "modes");
    for (int i = 0; i < tn_modes_count(m); i++)
        put_mode(json, m, i, model, p, w->shapes);
    tn_json_end_array(json);
    if (w->shapes)
        put_place(json, m, model);
    tn_json_end_object(json);
    return cli_print_json(json);
}

static tn_status write_report(const tn_modes *m, const char *model_path, const char *path)
{
    char *command = cli_command_line();
    const tn_modes_page page = {path, model_path, command};
    const tn_status s = tn_modes_report(m, &page, (tn_teller){.tell = cli_tell});
    tn_text_free(command);
    return s;
}

static tn_status check_report(const wanted *w)
{
    if (!w->report)
        return TN_OK;
    if (w->over)
        return tn_fail(TN_ERR_USAGE, "--report shows the modes about one state: leave out --over, "
                                     "or state the value");
    if (cli_is_stdout(w->report))
        return tn_fail(TN_ERR_USAGE, "--report: the standard output has the table; name a file, "
                                     "modes.html");
    CLI_TRY(tn_report_check());
    return cli_check_place(w->report, w->replace);
}

static tn_status tell_modes(const tn_modes *m, const tn_model *model, const char *path,
                            const wanted *w)
{
    parts p = {0};
    tn_status s = w->out ? tn_modes_write(m, w->out) : TN_OK;
    if (s == TN_OK && w->report)
        s = write_report(m, path, w->report);
    s = cli_of_target(s);
    if (s == TN_OK && cli_is_stdout(w->out))
        return TN_OK;
    CLI_THEN(s, list_parts(model, &p));
    if (s == TN_OK && cli_json())
        s = print_modes_json(m, model, path, &p, w);
    else if (s == TN_OK)
        print_modes(m, model, path, &p, w);
    free_parts(&p);
    return s;
}

// Over a parameter --------------------------------------------------------------------------------

static void print_campbell(const tn_campbell *c, const char *path, const wanted *w)
{
    const int last = tn_campbell_points(c) - 1;
    printf("%s: %d modes over %s, %d points\n", path, tn_campbell_lines(c), w->over, last + 1);
    cli_print_doubts(tn_campbell_verdict(c), 19);
    printf("\nline  %30s  %30s\n", "first [Hz, damping]", "last [Hz, damping]");
    for (int l = 0; l < tn_campbell_lines(c); l++) {
        const tn_mode a = tn_campbell_mode(c, l, 0), b = tn_campbell_mode(c, l, last);
        printf("%4d  %17.8g  %11.6f  ", l + 1, a.frequency, a.damping);
        if (isnan(b.re))
            printf("%30s  %s\n", "lost", a.name);
        else
            printf("%17.8g  %11.6f  %s\n", b.frequency, b.damping, a.name);
    }
    cli_print_wrote(w->out, w->plot);
}

static void put_line(tn_json *json, const tn_campbell *c, int line, double *room)
{
    const int n = tn_campbell_points(c);
    static const char *const keys[] = {"re", "im", "frequency", "damping"};
    tn_json_put(json, "{ name %s", tn_campbell_mode(c, line, 0).name);
    for (int i = 0; i < CLI_COUNT(keys); i++) {
        for (int k = 0; k < n; k++) {
            const tn_mode m = tn_campbell_mode(c, line, k);
            const double values[] = {m.re, m.im, m.frequency, m.damping};
            room[k] = values[i];
        }
        tn_json_numbers(json, keys[i], n, room);
    }
    tn_json_end_object(json);
}

static tn_status print_campbell_json(const tn_campbell *c, const char *path, const char *over)
{
    const int n = tn_campbell_points(c);
    tn_json *json = NULL;
    double *room = malloc((size_t)n * sizeof *room);
    if (!room)
        return tn_fail(TN_ERR_MEMORY, "out of memory for the lines of a Campbell diagram");
    const tn_status s = tn_json_create(&json);
    if (s != TN_OK) {
        free(room);
        return s;
    }
    tn_json_put(json, "{ status %s model %s over %s unit %s",
                tn_outcome_word(tn_campbell_verdict(c)->outcome), path, over, tn_campbell_unit(c));
    tn_verdict_put(json, tn_campbell_verdict(c));
    for (int k = 0; k < n; k++)
        room[k] = tn_campbell_value(c, k);
    tn_json_numbers(json, "values", n, room);
    for (int k = 0; k < n; k++)
        room[k] = tn_campbell_speed(c, k);
    tn_json_numbers(json, "speed", n, room);
    tn_json_begin_array(json, "lines");
    for (int l = 0; l < tn_campbell_lines(c); l++)
        put_line(json, c, l, room);
    tn_json_end_array(json);
    tn_json_end_object(json);
    free(room);
    return cli_print_json(json);
}

static void show_point(void *user, int point, double value)
{
    (void)user;
    cli_show_progress("point %d, %.6g", point, value);
}

// A parameter of the model that is none of the names that tn_campbell knows.
typedef struct parameter {
    const cli_args *args;
    const char *name;
} parameter;

static tn_status model_at(void *user, double value, tn_model **out)
{
    const parameter *p = user;
    return cli_load(p->args, p->args->word[0], &(tn_parameter_value){p->name, value, NULL}, out,
                    NULL);
}

static bool is_parameter(const tn_model *model, const char *name)
{
    static const char *const known[] = {"spin", "motion", "load"};
    for (int i = 0; i < CLI_COUNT(known); i++)
        if (strcmp(name, known[i]) == 0)
            return false;
    return tn_model_find_input(model, name).index < 0;
}

// Fails if the file has no such parameter.
static tn_status check_parameter(parameter *of, double value)
{
    tn_model *model = NULL;
    char reason[CLI_MESSAGE_SIZE];
    const tn_status s = model_at(of, value, &model);
    tn_model_destroy(model);
    if (s != TN_ERR_USAGE)
        return s;
    snprintf(reason, sizeof reason, "%s", tn_last_error());
    return tn_fail(s, "--over: there is no input '%s', and %s", of->name, reason);
}

static tn_status do_campbell(const cli_args *args, const wanted *w, tn_verdict *verdict)
{
    const tn_model *model = w->point.model;
    tn_campbell_options o = tn_default_campbell();
    tn_campbell *c = NULL;
    char name[200];
    o.modes = w->find;
    o.progress = show_point;
    CLI_TRY(read_over(w->over, name, sizeof name, &o));
    parameter of = {args, name};
    if (is_parameter(model, name)) {
        CLI_TRY(check_parameter(&of, o.from));
        o.model_at = model_at;
        o.user = &of;
    }
    tn_status s = tn_campbell_create(model, &o, &c);
    cli_show_progress(NULL);
    if (s == TN_OK)
        *verdict = *tn_campbell_verdict(c);
    if (w->out)
        CLI_THEN(s, tn_campbell_write(c, w->out));
    if (w->plot)
        CLI_THEN(s, tn_campbell_plot(c, w->plot));
    s = cli_of_target(s);
    if (s == TN_OK && cli_json())
        s = print_campbell_json(c, args->word[0], name);
    else if (s == TN_OK && !cli_is_stdout(w->out))
        print_campbell(c, args->word[0], w);
    tn_campbell_destroy(c);
    return s;
}

// The command -------------------------------------------------------------------------------------

static tn_status do_modes(const cli_args *args, const wanted *w, tn_verdict *verdict)
{
    tn_modes *m = NULL;
    cli_show_progress("the state and its modes …");
    tn_status s = tn_modes_create(w->point.model, &w->find, &m);
    cli_show_progress(NULL);
    if (s == TN_OK)
        *verdict = *tn_modes_verdict(m);
    CLI_THEN(s, tell_modes(m, w->point.model, args->word[0], w));
    tn_modes_destroy(m);
    return s;
}

static tn_status check_table(const wanted *w)
{
    const char *end = w->out ? strrchr(w->out, '.') : NULL;
    if (w->shapes && !cli_json())
        return tn_fail(TN_ERR_USAGE, "--shapes belongs to --json: add it");
    if (!w->out || cli_is_stdout(w->out) || (end && strcmp(end, ".csv") == 0))
        return TN_OK;
    return tn_fail(TN_ERR_USAGE, "--out: %s is no table; write FILE.csv, or use --json", w->out);
}

static tn_status read_options(wanted *w)
{
    // An axis belongs to a rotation, by --spin or over it.
    const bool turns = w->find.find.spin != 0.0 || (w->over && strncmp(w->over, "spin=", 5) == 0);
    if ((w->point.axis || w->point.through) && !turns)
        return tn_fail(TN_ERR_USAGE, "--%s belongs to a rotation: add --spin, or --over spin=...",
                       w->point.axis ? "axis" : "through");
    CLI_TRY(cli_read_about(&w->point, w->find.motion, "--spin, --nearest and --load-to",
                           &w->find.find, &w->find.about));
    CLI_TRY(read_method(w->method, &w->find.method));
    CLI_TRY(check_table(w));
    CLI_TRY(cli_check_place(w->out, w->replace));
    CLI_TRY(check_report(w));
    return cli_check_place(w->plot, w->replace);
}

static tn_status modes(cli_args *args)
{
    wanted own = {.find = tn_default_modes(), .point = {.time = NAN, .at = NAN}}, *w = &own;
    CLI_TRY(cli_parse(args, w));
    CLI_TRY(read_options(w));
    tn_status s = cli_open_point(args, &w->point, &w->find.find);
    w->find.state = w->point.state;
    CLI_THEN(s, w->over ? do_campbell(args, w, &args->verdict) : do_modes(args, w, &args->verdict));
    cli_close_point(&w->point);
    return s;
}

const cli_command cmd_modes = {
    .name = "modes",
    .summary = "natural frequencies, damping and mode shapes about an equilibrium",
    .usage = "modes MODEL [--count N] [--undamped] [--spin X] [--about start] [--over ...] ...",
    .text =
        "Finds the equilibrium as `tenon equilibrium` does and the small motions exp(s t) about\n"
        "it, with all constraints, forces and beams of the model: frequency, damping ratio and\n"
        "the bodies that move. Motions that nothing drives back are told as rigid, unstable ones\n"
        "by their growth. With --spin the whole mechanism turns steadily about an axis, and\n"
        "modes are those seen from it, with gyroscopic and centrifugal terms; --about start takes\n"
        "the steady motion that the model starts with, as of a rotor that spins. --over follows\n"
        "modes along a parameter (Campbell diagram). Small models are solved by dense matrices,\n"
        "large ones by sparse factors and ARPACK.",
    CLI_ONE_MODEL,
    CLI_OPTIONS(options),
    .run = modes,
};
