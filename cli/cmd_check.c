// SPDX-License-Identifier: MIT
//
// tenon check: what can be said of a model before it moves. Freedoms, rank,
// redundant rows, reactions that the equations do not determine, and what the
// initialisation moved; and how near its motion comes to singular positions.

#include "run.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *graph, *pattern, *projectors;
    double at;
    bool along;
} check_options;

// Files that were drawn, NULL for none, and the lines about the pattern.
typedef struct {
    const char *graph, *pattern, *projectors;
    double at; // time of the projectors
    tn_pattern_told told;
} drawn_files;

static const tn_param options[] = {
    CLI_OPTION(check_options, "along", along, BOOL, "",
               "follow the motion and tell how near it comes to singular positions"),
    CLI_OPTION(check_options, "graph", graph, TEXT, "FILE",
               "draw bodies, joints, couplings and forces: FILE.svg, FILE.dot for Graphviz, or - "
               "for SVG on the standard output"),
    CLI_OPTION(check_options, "pattern", pattern, TEXT, "FILE",
               "draw which entries of the matrix of the equations in mixed coordinates are not "
               "zero, whatever the method: FILE.svg, FILE.csv for a table, or - for SVG on the "
               "standard output"),
    CLI_OPTION(check_options, "projectors", projectors, TEXT, "FILE",
               "write the projectors of the constraints and what they are made of: FILE.json, "
               "FILE.csv, or - for CSV on the standard output"),
    CLI_OPTION(check_options, "at", at, NUMBER, "T",
               "with --projectors: after a run up to this time [s]"),
};

// Ratio of singular values below which the start is a singular position; long chains of bodies in
// regular positions have ratios down to 1e-4.
static const double SINGULAR = 1e-6, NEAR = 1e-2;

// Text --------------------------------------------------------------------------------------------

enum { SHOWN = 4 };                // of a long list
static const double TYPED = 1e-11; // redundant rows farther off than round-off

static void print_redundant(const tn_model *model, const tn_check *check)
{
    printf("redundant rows   %d\n", tn_check_redundant_count(check));
    if (tn_check_off(check) > TYPED)
        printf("    but for %.1e, within dependence_tol: the loops are taken as exact\n",
               tn_check_off(check));
    for (int i = 0; i < tn_check_redundant_count(check); i++) {
        const tn_redundant r = tn_check_redundant(check, i);
        printf("    joint '%s', row %s %s%s", tn_model_joint_name(model, r.joint), r.row_name,
               r.nrepeats == 0 ? "holds whatever the motion" : "repeats joint",
               r.nrepeats > 1 ? "s" : "");
        for (int k = 0; k < r.nrepeats; k++)
            printf("%s '%s'", k ? "," : "", tn_model_joint_name(model, r.repeats[k]));
        printf("\n");
    }
}

static void print_not_unique(const tn_model *model, const tn_check *check)
{
    bool any = false;
    for (int j = 0; j < tn_model_joint_count(model); j++) {
        bool here = false;
        for (int i = 0; i < tn_model_joint_row_count(model, (tn_joint){j}); i++) {
            if (tn_check_unique(check, (tn_joint){j}, i))
                continue;
            if (!any)
                printf("reactions        not determined by the equations (runs report "
                       "those of "
                       "minimum norm):\n");
            if (!here)
                printf("    joint '%s', rows ", tn_model_joint_name(model, (tn_joint){j}));
            printf("%s%s", here ? ", " : "", tn_model_joint_row_name(model, (tn_joint){j}, i));
            any = here = true;
        }
        if (here)
            printf("\n");
    }
    if (!any)
        printf("reactions        all determined by the equations\n");
}

static void print_moved(const tn_model *model, const tn_check *check)
{
    const int n = tn_check_moved_count(check);
    printf("initialisation   %s\n", n ? "moved these bodies:" : "moved nothing");
    for (int i = 0; i < n; i++) {
        const tn_moved m = tn_check_moved(check, i);
        printf("    body '%s': by %.3g m and %.3g rad, velocity by %.3g m/s and "
               "%.3g rad/s\n",
               tn_model_body_name(model, m.body), m.position, m.rotation, m.velocity, m.rate);
    }
}

static void print_massless(const tn_check *check, double tol)
{
    const int n = tn_check_massless_count(check);
    if (n == 0)
        return;
    printf("massless motions %d, whose velocities follow from dampers (inertias up to %.3g of the\n"
           "                 largest count as none):\n",
           n, tol);
    for (int i = 0; i < n; i++)
        printf("    %s\n", tn_check_massless(check, i));
}

static void print_small(const tn_model *model, const tn_check *check)
{
    for (int i = 0; i < tn_check_small_mass_count(check); i++) {
        const tn_small_mass m = tn_check_small_mass(check, i);
        printf("warning          body '%s' is light: its %s is %.2g of that of body '%s', and it\n",
               tn_model_body_name(model, m.body), m.turning ? "inertia" : "mass", m.ratio,
               tn_model_body_name(model, m.neighbour));
        if (m.frequency > 0.0)
            printf("                 oscillates at about %.3g rad/s%s\n", m.frequency,
                   m.decay > 0.0 ? " and" : ",");
        if (m.decay > 0.0)
            printf("                 comes to rest at rates of up to %.3g 1/s,\n", m.decay);
        printf("                 far faster than the others move: steps may have to follow; state\n"
               "                 'massless: true' if its inertia does not matter\n");
    }
}

static void print_rows(const tn_rank_margin *m)
{
    for (int k = 0; k < m->nrow; k++)
        printf("%s%s%s",
               k == 0       ? "    "
               : k % 4 == 0 ? ",\n    "
                            : ", ",
               m->row[k], k + 1 == m->nrow ? "\n" : "");
}

static void print_start(const tn_rank_margin *m)
{
    if (!(m->ratio < SINGULAR))
        return;
    printf("warning          the start is a singular position, where these rows depend on each "
           "other\n"
           "                 (smallest singular value %.2g of the largest):\n",
           m->ratio);
    print_rows(m);
}

static void print_along(const tn_simulate *simulate, const tn_along *a)
{
    printf("along            %g to %g s by %s, %ld steps%s\n", simulate->options.t_start, a->t,
           a->method, a->steps,
           a->failed   ? ", where it failed"
           : *a->doubt ? ", doubtful"
                       : "");
    if (!isfinite(a->least.ratio))
        return;
    printf("singular values  smallest by largest from %.3g to %.3g, least at t = %.9g s\n",
           a->largest, a->least.ratio, a->least.t);
    if (a->count > 0)
        printf("warning          %d near-singular position%s on the way, where rows depend on each "
               "other:\n",
               a->count, a->count == 1 ? "" : "s");
    for (int k = 0; k < a->count && k < SHOWN; k++) {
        printf("  t = %.9g s, smallest singular value %.2g of the largest\n", a->met[k].t,
               a->met[k].ratio);
        print_rows(&a->met[k]);
    }
    if (a->count > SHOWN)
        printf("  and %d more, see --json\n", a->count - SHOWN);
}

// Prints the size of the system in joint coordinates, and where loops are cut.
static void print_tree(const tn_model *model, const tn_check *check)
{
    const int rows = tn_check_joint_rows(check), cuts = tn_check_cut_count(check);
    printf("joint coords     %d", tn_check_joint_coordinates(check));
    if (rows > 0)
        printf(" with %d row%s", rows, rows == 1 ? "" : "s");
    for (int i = 0; i < cuts && i < SHOWN; i++)
        printf("%s'%s'", i ? ", " : "; loops cut at ",
               tn_model_joint_name(model, tn_check_cut(check, i)));
    if (cuts > SHOWN)
        printf(" and %d more joints", cuts - SHOWN);
    printf("\n");
}

static bool has_formula(const tn_model *model)
{
    for (int k = 0; k < tn_model_joint_count(model); k++)
        if (!strcmp(tn_model_joint_kind_name(model, (tn_joint){k}), "position-row"))
            return true;
    return false;
}

// Directors have no rows of velocities and take no modal bodies, nor rows by expressions.
static void print_directors(const tn_model *model, const tn_check *check, const tn_sim *sim)
{
    if (tn_sim_nn(sim) > 0 || tn_model_modal_count(model) > 0 || has_formula(model))
        return;
    const int internal = tn_check_internal_rows(check);
    printf("director coords  %d with %d rows of rank %d\n", tn_check_coordinates(check) + internal,
           tn_check_rows(check) + internal, tn_check_rank(check) + internal);
}

static void print_equations(const tn_sim *sim)
{
    tn_equations e;
    tn_sim_equations(sim, &e);
    printf("index            %d in %s coordinates: %s\n", e.index, e.coordinates, e.why);
    printf("unknowns         q %d, v %d, c %d, w %d, s %d, r %d, lambda %d, eta %d\n", e.q, e.v,
           e.c, e.w, e.s, e.r, e.lambda, e.eta);
}

static void print_report(const char *path, const tn_model *model, const tn_check *check,
                         const tn_sim *sim, double massless_tol)
{
    printf("%s: consistent\n\n", path);
    printf("bodies           %d\n", tn_model_body_count(model) - 1);
    printf("joints           %d\n", tn_model_joint_count(model));
    printf("forces           %d\n", tn_model_force_count(model));
    printf("coordinates      %d\n", tn_check_coordinates(check));
    printf("constraint rows  %d of rank %d\n", tn_check_rows(check), tn_check_rank(check));
    if (tn_check_one_sided(check) > 0)
        printf("contacts         %d that part: rows that count while they are closed\n",
               tn_check_one_sided(check));
    printf("freedoms         %d\n", tn_check_freedoms(check));
    print_tree(model, check);
    print_directors(model, check, sim);
    print_equations(sim);
    print_redundant(model, check);
    print_not_unique(model, check);
    printf("residual         max |g| %.3g after assembly\n", tn_check_residual(check));
    printf("condition        %.3g\n", tn_check_condition(check));
    cli_masses_print(model);
    print_massless(check, massless_tol);
    print_moved(model, check);
    print_small(model, check);
    print_start(tn_check_margin(check));
}

// JSON --------------------------------------------------------------------------------------------

static void put_redundant(tn_json *json, const tn_model *model, const tn_check *check)
{
    tn_json_put(json, "dependence %s dependence_off %g redundant [",
                tn_check_redundant_count(check) == 0 ? "none"
                : tn_check_off(check) > TYPED        ? "typed"
                                                     : "redundant",
                tn_check_off(check));
    for (int i = 0; i < tn_check_redundant_count(check); i++) {
        const tn_redundant r = tn_check_redundant(check, i);
        tn_json_put(json, "{ joint %s row %s repeats [", tn_model_joint_name(model, r.joint),
                    r.row_name);
        for (int k = 0; k < r.nrepeats; k++)
            tn_json_string(json, NULL, tn_model_joint_name(model, r.repeats[k]));
        tn_json_put(json, "] }");
    }
    tn_json_end_array(json);
}

static void put_tree(tn_json *json, const tn_model *model, const tn_check *check)
{
    tn_json_put(json, "joint_coordinates %d joint_rows %d cut [", tn_check_joint_coordinates(check),
                tn_check_joint_rows(check));
    for (int i = 0; i < tn_check_cut_count(check); i++)
        tn_json_string(json, NULL, tn_model_joint_name(model, tn_check_cut(check, i)));
    tn_json_end_array(json);
}

static void put_directors(tn_json *json, const tn_check *check)
{
    const int internal = tn_check_internal_rows(check);
    tn_json_put(json, "director_coordinates %d director_rows %d",
                tn_check_coordinates(check) + internal, tn_check_rows(check) + internal);
}

static void put_equations(tn_json *json, const tn_sim *sim)
{
    tn_equations e;
    tn_sim_equations(sim, &e);
    tn_json_object(json, "equations",
                   "coordinates %s index %d why %s q %d v %d c %d w %d s %d r %d lambda %d eta %d",
                   e.coordinates, e.index, e.why, e.q, e.v, e.c, e.w, e.s, e.r, e.lambda, e.eta);
}

static void put_unique(tn_json *json, const tn_model *model, const tn_check *check)
{
    tn_json_begin_object(json, "unique");
    for (int j = 0; j < tn_model_joint_count(model); j++) {
        tn_json_begin_array(json, tn_model_joint_name(model, (tn_joint){j}));
        for (int i = 0; i < tn_model_joint_row_count(model, (tn_joint){j}); i++)
            tn_json_boolean(json, NULL, tn_check_unique(check, (tn_joint){j}, i));
        tn_json_end_array(json);
    }
    tn_json_end_object(json);
}

static void put_moved(tn_json *json, const tn_model *model, const tn_check *check)
{
    tn_json_begin_array(json, "moved");
    for (int i = 0; i < tn_check_moved_count(check); i++) {
        const tn_moved m = tn_check_moved(check, i);
        tn_json_object(
            json, NULL, "body %s position %g rotation %g velocity %g angular_velocity %g",
            tn_model_body_name(model, m.body), m.position, m.rotation, m.velocity, m.rate);
    }
    tn_json_end_array(json);
}

static void put_massless(tn_json *json, const tn_model *model, const tn_check *check, double tol)
{
    tn_json_put(json, "massless_tol %g massless [", tol);
    for (int i = 0; i < tn_check_massless_count(check); i++)
        tn_json_string(json, NULL, tn_check_massless(check, i));
    tn_json_put(json, "] small_masses [");
    for (int i = 0; i < tn_check_small_mass_count(check); i++) {
        const tn_small_mass m = tn_check_small_mass(check, i);
        tn_json_object(json, NULL, "body %s neighbour %s of %s ratio %g frequency %g decay %g",
                       tn_model_body_name(model, m.body), tn_model_body_name(model, m.neighbour),
                       m.turning ? "inertia" : "mass", m.ratio, m.frequency, m.decay);
    }
    tn_json_end_array(json);
}

// Far from singular positions rows mean nothing.
static void put_margin(tn_json *json, const char *key, const tn_rank_margin *m)
{
    const int nrow = m->ratio < NEAR ? m->nrow : 0;
    tn_json_begin_object(json, key);
    tn_json_put(json, "time %g ratio %g rows [", m->t, m->ratio);
    for (int k = 0; k < nrow; k++)
        tn_json_string(json, NULL, m->row[k]);
    tn_json_put(json, "] }");
}

static void put_along(tn_json *json, const tn_along *a)
{
    if (!a) {
        tn_json_null(json, "along");
        return;
    }
    tn_json_put(json, "along { status %s reason %s method %s time %g steps %ld largest %g",
                a->failed   ? "failed"
                : *a->doubt ? "doubtful"
                            : "done",
                a->failed   ? a->reason
                : *a->doubt ? a->doubt
                            : NULL,
                a->method, a->t, a->steps, a->largest);
    put_margin(json, "least", &a->least);
    tn_json_integer(json, "count", a->count);
    tn_json_begin_array(json, "near_singular");
    for (int k = 0; k < a->count && k < TN_MOST_MET; k++)
        put_margin(json, NULL, &a->met[k]);
    tn_json_put(json, "] }");
}

static void put_pattern(tn_json *json, const drawn_files *drawn)
{
    const tn_pattern_told *told = &drawn->told;
    if (drawn->pattern)
        tn_json_object(
            json, "pattern",
            "file %s unknowns %d nonzeros %d bandwidth %d bandwidth_ordered %d blocks %d",
            drawn->pattern, told->unknowns, told->nonzeros, told->bandwidth,
            told->bandwidth_ordered, told->blocks);
    else
        tn_json_null(json, "pattern");
}

static tn_status report_json(const char *path, const tn_model *model, const tn_check *check,
                             const tn_sim *sim, double massless_tol, const drawn_files *drawn,
                             const tn_along *along)
{
    tn_json *json = cli_json_begin();
    tn_json_put(json, "{ status %s model %s bodies %d joints %d forces %d", "done", path,
                tn_model_body_count(model) - 1, tn_model_joint_count(model),
                tn_model_force_count(model));
    tn_json_put(json, "coordinates %d rows %d rank %d one_sided %d freedoms %d",
                tn_check_coordinates(check), tn_check_rows(check), tn_check_rank(check),
                tn_check_one_sided(check), tn_check_freedoms(check));
    put_tree(json, model, check);
    put_directors(json, check);
    put_equations(json, sim);
    put_redundant(json, model, check);
    tn_json_put(json, "consistent %i residual %g condition %g", true, tn_check_residual(check),
                tn_check_condition(check));
    cli_masses_put(json, model);
    put_massless(json, model, check, massless_tol);
    put_moved(json, model, check);
    put_unique(json, model, check);
    put_margin(json, "margin", tn_check_margin(check));
    cli_notes_put(json, model, sim);
    put_along(json, along);
    tn_json_string(json, "graph", drawn->graph);
    put_pattern(json, drawn);
    tn_json_string(json, "projectors", drawn->projectors);
    tn_json_end_object(json);
    return cli_print_json(json);
}

// A model that could be read and not be assembled: what cli_end prints under
// --json, and that the constraints are the cause.
static int inconsistent(const char *path)
{
    tn_json *json = cli_json_begin();
    cli_message("%s", tn_last_error());
    tn_json_object(json, NULL, "status %s message %s model %s consistent %i", "error",
                   tn_last_error(), path, false);
    cli_print_json(json);
    return CLI_MODEL;
}

static bool on_stdout(const char *file)
{
    return file && strcmp(file, "-") == 0;
}

static bool draws_on_stdout(const check_options *wanted)
{
    return on_stdout(wanted->graph) || on_stdout(wanted->pattern);
}

// One of the two would be gone.
static tn_status refuse_same(const char *a, const char *first, const char *b, const char *second)
{
    const bool same = first && second && strcmp(first, second) == 0;
    if (same && on_stdout(first))
        return tn_fail(TN_ERR_USAGE,
                       "--%s - and --%s - both write to the standard output; name a file for one "
                       "of the two",
                       a, b);
    if (same)
        return tn_fail(TN_ERR_USAGE, "--%s and --%s both write '%s'; name two files", a, b, first);
    return TN_OK;
}

static tn_status refuse_mixture(const check_options *wanted)
{
    CLI_TRY(refuse_same("graph", wanted->graph, "pattern", wanted->pattern));
    CLI_TRY(refuse_same("graph", wanted->graph, "projectors", wanted->projectors));
    CLI_TRY(refuse_same("pattern", wanted->pattern, "projectors", wanted->projectors));
    if (draws_on_stdout(wanted) && cli_json())
        return tn_fail(TN_ERR_USAGE,
                       "--%s - and --json both write to the standard output; name a file for the "
                       "picture",
                       on_stdout(wanted->graph) ? "graph" : "pattern");
    return TN_OK;
}

// The pictures need no consistent start: they may show why there is none.
static tn_status draw_cmd_check(const tn_model *model, const check_options *wanted,
                                drawn_files *drawn)
{
    *drawn = (drawn_files){.graph = wanted->graph, .pattern = wanted->pattern};
    tn_status s = refuse_mixture(wanted);
    if (s == TN_OK && wanted->graph)
        s = tn_model_draw(model, wanted->graph);
    if (s == TN_OK && wanted->pattern)
        s = tn_model_draw_pattern(model, wanted->pattern, &drawn->told);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

// Positions and velocities of the motion at a time, by a method that most models can be run with.
static tn_status move_to(const tn_model *model, double t, tn_dynamics *dynamics)
{
    tn_sim_options by = tn_default_sim();
    tn_sim *sim = NULL;
    by.method = "dop853/index1+project@absolute";
    by.rotation = "so3";
    tn_status s = tn_sim_create(model, &by, &sim);
    CLI_THEN(s, tn_sim_run(sim, t, NULL, NULL));
    CLI_THEN(s, tn_dynamics_set(dynamics, t, tn_sim_q(sim), tn_sim_v(sim)));
    tn_sim_destroy(sim);
    return s;
}

static tn_status write_projectors(const tn_model *model, const check_options *wanted,
                                  drawn_files *drawn)
{
    tn_dynamics *dynamics = NULL;
    tn_projectors *projectors = NULL;
    if (!wanted->projectors)
        return wanted->at > 0.0 ? tn_fail(TN_ERR_USAGE, "--at is for --projectors FILE") : TN_OK;
    if (on_stdout(wanted->projectors) && cli_json())
        return tn_fail(TN_ERR_USAGE, "--projectors - and --json both write to the standard output; "
                                     "name a file for the projectors");
    tn_status s = tn_dynamics_create(model, "absolute", &dynamics);
    if (s == TN_OK && wanted->at > 0.0)
        s = move_to(model, wanted->at, dynamics);
    CLI_THEN(s, tn_projectors_create(dynamics, &projectors));
    CLI_THEN(s, tn_projectors_write(projectors, wanted->projectors));
    if (s == TN_OK) {
        drawn->projectors = wanted->projectors;
        drawn->at = tn_projectors_time(projectors);
    }
    tn_projectors_destroy(projectors);
    tn_dynamics_destroy(dynamics);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

static void print_drawn(const drawn_files *drawn)
{
    const tn_pattern_told *told = &drawn->told;
    if (drawn->graph)
        printf("graph            %s\n", drawn->graph);
    if (drawn->pattern)
        printf(
            "pattern          %s: %d unknowns, %d nonzeros, bandwidth %d, ordered by topology %d\n",
            drawn->pattern, told->unknowns, told->nonzeros, told->bandwidth,
            told->bandwidth_ordered);
    if (drawn->projectors)
        printf("projectors       %s, at t = %g s\n", drawn->projectors, drawn->at);
}

static tn_status tell_cmd_check(const char *path, const tn_model *model, const tn_check *check,
                                const tn_sim *sim, const tn_simulate *simulate,
                                const drawn_files *drawn, const tn_along *along)
{
    if (on_stdout(drawn->graph) || on_stdout(drawn->pattern) || on_stdout(drawn->projectors))
        return TN_OK;
    if (cli_json())
        return report_json(path, model, check, sim, simulate->options.massless_tol, drawn, along);
    print_report(path, model, check, sim, simulate->options.massless_tol);
    print_drawn(drawn);
    cli_notes_tell(model, sim);
    if (along)
        print_along(simulate, along);
    return TN_OK;
}

// Tells of a motion that did not end as it should.
static int tell_end(const tn_along *along)
{
    if (along->failed)
        cli_message("%s", along->reason);
    else
        cli_message("doubtful: %s", along->doubt);
    return along->failed ? CLI_NUMERICS : CLI_DOUBTFUL;
}

// Warns that options for steps and rows have no effect if none are made.
static void tell_unused(const cli_args *args, bool follow)
{
    static const char *const start[] = {"method",       "rotation",       "t_start",
                                        "assembly_tol", "dependence_tol", "massless_tol"};
    char text[512] = "";
    for (int i = 0; tn_help_option(i); i++) {
        const char *name = tn_help_option(i)->name;
        bool used = !args->given[i] || (follow && strcmp(name, "output") != 0);
        for (int k = 0; k < CLI_COUNT(start); k++)
            used = used || strcmp(name, start[k]) == 0;
        const size_t n = strlen(text);
        if (!used)
            snprintf(text + n, sizeof text - n, "%s%s", n ? ", " : "", name);
    }
    if (*text)
        cli_message(follow ? "note: no effect on check, which stores no rows: %s"
                           : "note: no effect without --along, which follows the motion: %s",
                    text);
}

static int check_model(const cli_args *args, const check_options *wanted)
{
    const bool follow = wanted->along;
    const char *path = args->word[0];
    tn_model *model = NULL;
    tn_check *check = NULL;
    tn_sim *sim = NULL; // that a run would begin with: options and methods are checked as there
    tn_simulate simulate;
    tn_along along;
    drawn_files drawn;
    tn_status s = cli_load(args, path, NULL, &model, &simulate);
    const bool loaded = s == TN_OK;
    if (loaded) {
        cli_apply(args, &simulate);
        s = draw_cmd_check(model, wanted, &drawn);
        CLI_THEN(s, tn_check_create(model, &simulate.options, &check));
    }
    CLI_THEN(s, tn_simulate_check(&simulate));
    CLI_THEN(s, tn_sim_create(model, &simulate.options, &sim));
    if (s == TN_OK && follow)
        s = tn_check_along(model, &simulate.options, simulate.t_end, &along);
    CLI_THEN(s, write_projectors(model, wanted, &drawn));
    CLI_THEN(s, tell_cmd_check(path, model, check, sim, &simulate, &drawn, follow ? &along : NULL));
    if (s == TN_OK)
        tell_unused(args, follow);
    int code;
    if (s == TN_OK && follow && (along.failed || *along.doubt))
        code = tell_end(&along);
    else if (loaded && s == TN_ERR_MODEL && cli_json())
        code = inconsistent(path);
    else
        code = cli_finish(s);
    tn_sim_destroy(sim);
    tn_check_destroy(check);
    tn_model_destroy(model);
    return code;
}

static int check_main(int argc, char **argv)
{
    cli_args args;
    check_options wanted = {0};
    const tn_status s = cli_parse(&cmd_check, argc, argv, &args, &wanted);
    const int code = s == TN_OK ? check_model(&args, &wanted) : cli_finish(s);
    cli_args_free(&args);
    return code;
}

const cli_command cmd_check = {
    .name = "check",
    .summary = "freedoms, rank, redundancy and start values of a model",
    .usage = "check MODEL [--along [--method NAME] ...] [--graph FILE] [--pattern FILE] "
             "[--projectors FILE [--at T]] [--json]",
    .text = "Assembles the model and analyses its constraints at the start. A "
            "model that cannot be\n"
            "assembled or whose constraints contradict each other ends with "
            "code 2 and the reason.\n"
            "With --along it also runs the model, stores nothing, and tells where the\n"
            "constraints come near to losing rank; a run that fails ends with code 3. With\n"
            "--graph it draws the topology, with --pattern the sparsity of the equations, both\n"
            "also of a model that cannot be assembled. With --projectors it writes the matrices\n"
            "that resolve forces and accelerations along the constraints and across them, at the\n"
            "start or at a time of the motion.",
    CLI_ONE_MODEL,
    .simulate = true,
    CLI_OPTIONS(options),
    .run = check_main,
};
