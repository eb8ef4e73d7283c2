// SPDX-License-Identifier: MIT
//
// tenon equilibrium: where a mechanism rests, or turns steadily, and whether it is stable there.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct wanted {
    tn_equilibrium_options find;
    cli_point point;
    const char *out, *plot, *show;
    bool replace;
} wanted;

#define OPTION(...) CLI_OPTION(wanted, __VA_ARGS__)

static const tn_param options[] = {
    CLI_TIME_OPTION(wanted),
    OPTION("nearest", find.nearest, BOOL, "",
           "the nearest equilibrium by Newton's method, even if it is unstable"),
    OPTION("steps", find.steps, INTEGER, "", "raise the loads in this many steps",
           .range = TN_AT_LEAST_ONE),
    OPTION("arc", find.arc, BOOL, "",
           "follow the path of equilibria by its length, past limit points of the load"),
    OPTION("arc_step", find.arc_step, NUMBER, "",
           "longest step along it, in sizes of the model, radians and load factors",
           .range = TN_POSITIVE, .needs = "arc"),
    OPTION("most_points", find.most_points, INTEGER, "", "how many points it may have",
           .range = TN_AT_LEAST_ONE, .needs = "arc"),
    OPTION("load", find.load, TEXT, "INPUT",
           "the input that is the load; gravity, point forces and motors when left out"),
    OPTION("load_from", find.load_from, NUMBER, "", "first load factor of a path, 0"),
    OPTION("load_to", find.load_to, NUMBER, "", "load factor at the end, 1"),
    OPTION("spin", find.spin, NUMBER, "rad/s", "steady rotation of the whole mechanism"),
    OPTION("axis", point.axis, TEXT, "X,Y,Z", "its axis, 0,0,1", .needs = "spin"),
    OPTION("about", point.about, TEXT, "X,Y,Z", "a point of its axis, 0,0,0 [m]", .needs = "spin"),
    OPTION("trim", find.trim, TEXT, "INPUTS",
           "find the values of these inputs, for example 'lift,rudder'"),
    OPTION("outputs", find.outputs, TEXT, "VALUES",
           "so that joints and bodies have these coordinates, for example "
           "'hinge.angle=0.1,plate.z=0.2'"),
    OPTION("out", out, TEXT, "FILE.csv", "write a table of the path; -o for short"),
    OPTION("plot", plot, TEXT, "FILE.svg", "draw the path over the load, as SVG, PNG or PDF"),
    OPTION("show", show, TEXT, "COLUMNS",
           "which columns, for example 'pin.angle,rod.x'; the first that change", .needs = "plot"),
    OPTION("force", replace, BOOL, "", "replace the table or the picture that is there"),
};

// Options -----------------------------------------------------------------------------------------

static tn_status check_places(const wanted *w, const cli_args *args)
{
    if (cli_is_stated(args, "load_from") && !w->find.arc && w->find.steps == 0)
        return tn_fail(TN_ERR_USAGE, "--load-from begins a path of loads: add --steps N or --arc");
    if (w->plot && !w->find.arc && w->find.steps == 0)
        return tn_fail(TN_ERR_USAGE, "--plot draws a path of loads: add --steps N or --arc");
    CLI_TRY(cli_check_place(w->out, w->replace));
    return cli_check_place(w->plot, w->replace);
}

static void tell_point(void *user, int point, double load)
{
    (void)user;
    if (point > 1)
        cli_show_progress("point %d, load %.6g", point, load);
}

// Output ------------------------------------------------------------------------------------------

enum { MOST_SHOWN = 24 };

static void print_stability(const tn_equilibrium_facts *f)
{
    if (f->stability == TN_STABILITY_OPEN)
        printf("stability          not judged for forces by reactions, contacts, or large models "
               "that turn\n");
    else if (f->stability == TN_STABLE)
        printf("stability          stable%s\n", f->freedoms == 0 ? ": nothing can move" : "");
    else if (f->stability == TN_NEUTRAL)
        printf("stability          neutral: %s%d motion%s not driven back, as %s\n",
               f->at_least ? "at least " : "", f->neutral, f->neutral == 1 ? " is" : "s are",
               f->direction);
    else
        printf("stability          unstable: %s%d motion%s driven on, most %s%s; it grows as "
               "exp(%.4g t)\n",
               f->at_least ? "at least " : "", f->unstable, f->unstable == 1 ? " is" : "s are",
               f->direction, f->flutter ? ", which swings" : "", f->growth);
}

static void print_branches(const tn_equilibrium_facts *f, bool nearest)
{
    if (f->left > 0)
        printf("other equilibria   %d unstable one%s left behind, the last along %s; --nearest "
               "keeps to it\n",
               f->left, f->left == 1 ? " was" : "s were", f->left_by);
    if (f->jumped)
        printf(
            "jump               the path ends near load %.6g, where %s moves on; this is another "
            "equilibrium beyond\n"
            "                   it, and --arc follows the path\n",
            f->jumped_from, f->jumped_by);
    if (f->limits > 0)
        printf("limit points       %d, the first at load %.9g\n", f->limits, f->limit);
    if (nearest && f->stability == TN_UNSTABLE)
        printf("other equilibria   leave out --nearest to go on to a stable one\n");
}

static void print_equilibrium(const tn_equilibrium *e, const char *path, const wanted *w)
{
    const tn_equilibrium_facts *f = tn_equilibrium_facts_of(e);
    printf("%s: equilibrium at t = %g s, %d freedom%s\n", path, f->t, f->freedoms,
           CLI_S(f->freedoms));
    cli_print_doubts(tn_equilibrium_verdict(e), 19);
    print_stability(f);
    print_branches(f, w->find.nearest);
    for (int i = 0; i < tn_equilibrium_trim_count(e); i++)
        printf("trim               %s = %.9g\n", tn_equilibrium_trim_name(e, i),
               tn_equilibrium_trim_value(e, i));
    printf("balance            to %.2g N or N m, max |g| %.2g, after %ld iterations\n", f->residual,
           f->misfit, f->iterations);
    // The last row of the path, behind load, stability and trim.
    const tn_equilibrium_path t = tn_equilibrium_path_of(e);
    const int first = 3 + tn_equilibrium_trim_count(e);
    const double *row = t.values + (size_t)(t.rows - 1) * (size_t)t.ncolumn;
    for (int i = first; i < t.ncolumn && i < first + MOST_SHOWN; i++)
        printf("  %s = %.9g %s\n", t.names[i], row[i], t.units[i]);
    if (t.ncolumn > first + MOST_SHOWN)
        printf("  … and %d more (--json and -o tell all)\n", t.ncolumn - first - MOST_SHOWN);
    cli_print_wrote(w->out, w->plot);
}

static void put_position(tn_json *json, tn_equilibrium *e, const tn_model *model)
{
    tn_json_begin_array(json, "joints");
    for (int j = 0; j < tn_model_joint_count(model); j++) {
        const tn_joint joint = {j};
        double q[3];
        const int n = tn_equilibrium_joint_coordinates(e, joint, q);
        const tn_wrench r = tn_equilibrium_joint_reaction(e, joint);
        tn_json_put(json, "{ name %s", tn_model_joint_name(model, joint));
        tn_json_numbers(json, "coordinates", n, q);
        tn_json_numbers(json, "force", 3, &r.f.x);
        tn_json_numbers(json, "torque", 3, &r.m.x);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
    tn_json_begin_array(json, "bodies");
    for (int k = 1; k < tn_model_body_count(model); k++) {
        const tn_frame frame = tn_equilibrium_body_frame(e, (tn_body){k});
        tn_json_put(json, "{ name %s", tn_model_body_name(model, (tn_body){k}));
        tn_json_numbers(json, "position", 3, &frame.p.x);
        tn_json_numbers(json, "rotation", 9, &frame.R.m[0][0]);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

static void put_forces(tn_json *json, tn_equilibrium *e, const tn_model *model)
{
    tn_json_begin_array(json, "forces");
    for (int k = 0; k < tn_model_force_count(model); k++) {
        tn_force_state at;
        if (tn_equilibrium_force(e, (tn_force){k}, &at) != TN_OK)
            continue;
        tn_json_put(json, "{ name %s", tn_model_force_name(model, (tn_force){k}));
        tn_json_numbers(json, "force", 3, &at.on_b.f.x);
        tn_json_numbers(json, "torque", 3, &at.on_b.m.x);
        if (at.is_section) {
            tn_json_numbers(json, "section_force", 3, &at.section.f.x);
            tn_json_numbers(json, "section_moment", 3, &at.section.m.x);
            tn_json_numbers(json, "strain", 3, &at.strain.x);
            tn_json_numbers(json, "curvature", 3, &at.curvature.x);
        }
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

static tn_status print_equilibrium_json(tn_equilibrium *e, const tn_model *model, const char *path)
{
    const tn_equilibrium_facts *f = tn_equilibrium_facts_of(e);
    tn_json *json = cli_json_begin();
    tn_status s = TN_OK;
    tn_json_put(json,
                "{ status %s model %s t %g load %g stability %s unstable %d neutral %d at_least %i "
                "flutter %i "
                "direction %s growth %g freedoms %d residual %g misfit %g iterations %ld left %d "
                "left_by %s jumped %i jumped_from %g jumped_by %s limits %d limit %g",
                tn_outcome_word(tn_equilibrium_verdict(e)->outcome), path, f->t, f->load,
                tn_stability_word(f->stability), f->unstable, f->neutral, f->at_least, f->flutter,
                f->direction, f->growth, f->freedoms, f->residual, f->misfit, f->iterations,
                f->left, f->left_by, f->jumped, f->jumped_from, f->jumped_by, f->limits, f->limit);
    tn_verdict_put(json, tn_equilibrium_verdict(e));
    tn_json_begin_array(json, "trim");
    for (int i = 0; i < tn_equilibrium_trim_count(e); i++)
        tn_json_object(json, NULL, "name %s value %g", tn_equilibrium_trim_name(e, i),
                       tn_equilibrium_trim_value(e, i));
    tn_json_end_array(json);
    put_position(json, e, model);
    put_forces(json, e, model);
    tn_json_begin_array(json, "path");
    const tn_equilibrium_path t = tn_equilibrium_path_of(e);
    for (int i = 0; i < t.ncolumn; i++)
        CLI_THEN(s, cli_put_column(json, t.names[i], t.units[i], t.rows, t.ncolumn, t.values + i));
    tn_json_put(json, "] }");
    return cli_end_json(json, s);
}

// Saves the results up to a failure; returns the reason of the failure.
static tn_status conclude_equilibrium(tn_equilibrium *e, tn_status s, const char *path,
                                      const wanted *w)
{
    char reason[CLI_MESSAGE_SIZE];
    cli_show_progress(NULL);
    if (s != TN_OK) {
        snprintf(reason, sizeof reason, "%s", tn_last_error());
        if (w->out && tn_equilibrium_path_of(e).rows > 0)
            tn_equilibrium_path_write(e, w->out);
        return tn_fail(s, "%s", reason);
    }
    s = w->out ? tn_equilibrium_path_write(e, w->out) : TN_OK;
    if (w->plot)
        CLI_THEN(s, tn_equilibrium_path_plot(e, w->show, w->plot));
    CLI_TRY(cli_of_target(s));
    if (cli_json())
        return print_equilibrium_json(e, w->point.model, path);
    print_equilibrium(e, path, w);
    return TN_OK;
}

static tn_status equilibrium(cli_args *args)
{
    wanted own = {.find = tn_default_equilibrium(), .point.time = NAN}, *w = &own;
    tn_equilibrium *e = NULL;
    w->find.progress = tell_point;
    tn_status s = cli_parse(args, w);
    CLI_THEN(s, cli_read_vector("axis", w->point.axis, &w->find.axis));
    CLI_THEN(s, cli_read_vector("about", w->point.about, &w->find.about));
    CLI_THEN(s, check_places(w, args));
    CLI_THEN(s, cli_open_point(args, &w->point, &w->find));
    CLI_THEN(s, tn_equilibrium_create(w->point.model, &w->find, &e));
    CLI_THEN(s, conclude_equilibrium(e, tn_equilibrium_find(e), args->word[0], w));
    if (e)
        args->verdict = *tn_equilibrium_verdict(e);
    tn_equilibrium_destroy(e);
    cli_close_point(&w->point);
    return s;
}

const cli_command cmd_equilibrium = {
    .name = "equilibrium",
    .summary = "where a mechanism rests or turns steadily, and whether it is stable",
    .usage = "equilibrium MODEL [--nearest] [--steps N | --arc] [--spin X] [--trim INPUTS] ...",
    .text =
        "Drives and functions of time are held at one time, and velocities are zero. The search\n"
        "goes downhill from the start of the model to an equilibrium that is stable, and leaves\n"
        "unstable ones; --nearest keeps to the nearest one. --steps and --arc follow equilibria\n"
        "while the load grows: gravity, point forces and motors together, or one input. With\n"
        "--spin the whole mechanism turns steadily about an axis. --trim finds inputs for\n"
        "coordinates that are stated by --outputs. Where there is no equilibrium the command\n"
        "ends with code 3, the last load and the motion that goes on.",
    CLI_ONE_MODEL,
    CLI_OPTIONS(options),
    .run = equilibrium,
};
