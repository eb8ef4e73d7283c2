// SPDX-License-Identifier: MIT
//
// tenon check: what can be said of a model before it moves. Freedoms, rank,
// redundant rows, reactions that the equations do not determine, and what the
// initialisation moved; and how near its motion comes to singular positions.

#include "run.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *graph, *pattern, *projectors; // files, "-" for the standard output
    double at;
    bool along;
    // What was found:
    tn_model *model;
    tn_check *check;
    tn_sim *sim; // that a run would begin with: options and methods are checked as there
    tn_simulate simulate;
    tn_along motion;
    tn_pattern_told told;
    double projected; // time of the projectors
} check_job;

#define OPTION(...) CLI_OPTION(check_job, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("along", along, BOOL, "",
           "follow the motion and tell how near it comes to singular positions"),
    OPTION("graph", graph, TEXT, "FILE",
           "draw bodies, joints, couplings and forces: FILE.svg, FILE.dot for Graphviz, or - for "
           "SVG on the standard output"),
    OPTION("pattern", pattern, TEXT, "FILE",
           "draw which entries of the matrix of the equations in mixed coordinates are not zero, "
           "whatever the method: FILE.svg, FILE.csv for a table, or - for SVG on the standard "
           "output"),
    OPTION("projectors", projectors, TEXT, "FILE",
           "write the projectors of the constraints and what they are made of: FILE.json, "
           "FILE.csv, or - for CSV on the standard output"),
    OPTION("at", at, NUMBER, "T", "with --projectors: after a run up to this time [s]"),
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

// Bodies whose mass comes from their shapes.
static void print_masses(const tn_model *model)
{
    enum { MASSES_SHOWN = 20 }; // of many
    int count = 0;
    for (int i = 1; i < tn_model_body_count(model); i++) {
        const tn_mass m = tn_model_body_mass(model, (tn_body){i});
        const double(*I)[3] = m.inertia.m;
        if (!tn_model_body_mass_is_of_shapes(model, (tn_body){i}))
            continue;
        if (count++ == 0)
            printf("masses           from shapes, inertia about the centre in axes of the body:\n");
        if (count > MASSES_SHOWN)
            continue;
        printf("    body '%s': %.9g kg, centre (%.9g, %.9g, %.9g) m,\n"
               "        inertia (%.9g, %.9g, %.9g), products (%.9g, %.9g, %.9g) kg m^2\n",
               tn_model_body_name(model, (tn_body){i}), m.mass, m.com.x, m.com.y, m.com.z, I[0][0],
               I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]);
    }
    if (count > MASSES_SHOWN)
        printf("    and %d more bodies, see --json\n", count - MASSES_SHOWN);
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

static const char *outcome_of(const tn_along *a)
{
    return a->failed ? "failed" : *a->doubt ? "doubtful" : "done";
}

static void print_along(const check_job *job)
{
    const tn_along *a = &job->motion;
    printf("along            %g to %g s by %s, %ld steps%s\n", job->simulate.options.t_start, a->t,
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
               a->count, CLI_S(a->count));
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
        printf(" with %d row%s", rows, CLI_S(rows));
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
static void print_directors(const check_job *job)
{
    if (tn_sim_nn(job->sim) > 0 || tn_model_modal_count(job->model) > 0 || has_formula(job->model))
        return;
    const int internal = tn_check_internal_rows(job->check);
    printf("director coords  %d with %d rows of rank %d\n",
           tn_check_coordinates(job->check) + internal, tn_check_rows(job->check) + internal,
           tn_check_rank(job->check) + internal);
}

static void print_files(const check_job *job)
{
    if (job->graph)
        printf("graph            %s\n", job->graph);
    if (job->pattern)
        printf("pattern          %s: %d unknowns, %d nonzeros, bandwidth %d, ordered by topology "
               "%d\n",
               job->pattern, job->told.unknowns, job->told.nonzeros, job->told.bandwidth,
               job->told.bandwidth_ordered);
    if (job->projectors)
        printf("projectors       %s, at t = %g s\n", job->projectors, job->projected);
}

static void print_report(const char *path, const check_job *job)
{
    const tn_model *model = job->model;
    const tn_check *check = job->check;
    tn_equations e;
    tn_sim_equations(job->sim, &e);
    printf("%s: consistent\n\n", path);
    printf("bodies           %d\n", tn_model_body_count(model) - 1);
    printf("joints           %d\n", tn_model_joint_count(model));
    printf("forces           %d\n", tn_model_force_count(model));
    printf("coordinates      %d\n", tn_check_coordinates(check));
    printf("constraint rows  %d of rank %d\n", tn_check_rows(check), tn_check_rank(check));
    if (tn_check_one_sided(check) > 0)
        printf("contact rows     %d that count while they hold\n", tn_check_one_sided(check));
    printf("freedoms         %d\n", tn_check_freedoms(check));
    print_tree(model, check);
    print_directors(job);
    printf("index            %d in %s coordinates: %s\n", e.index, e.coordinates, e.why);
    printf("unknowns         q %d, v %d, c %d, w %d, s %d, r %d, lambda %d, eta %d\n", e.q, e.v,
           e.c, e.w, e.s, e.r, e.lambda, e.eta);
    print_redundant(model, check);
    print_not_unique(model, check);
    printf("residual         max |g| %.3g after assembly\n", tn_check_residual(check));
    printf("condition        %.3g\n", tn_check_condition(check));
    print_masses(model);
    print_massless(check, job->simulate.options.massless_tol);
    const int n = tn_check_moved_count(check);
    printf("initialisation   %s\n", n ? "moved these bodies:" : "moved nothing");
    for (int i = 0; i < n; i++) {
        const tn_moved m = tn_check_moved(check, i);
        printf("    body '%s': by %.3g m and %.3g rad, velocity by %.3g m/s and "
               "%.3g rad/s\n",
               tn_model_body_name(model, m.body), m.position, m.rotation, m.velocity, m.rate);
    }
    print_small(model, check);
    print_start(tn_check_margin(check));
    print_files(job);
    cli_notes_tell(model, job->sim);
    if (job->along)
        print_along(job);
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

static void put_masses(tn_json *json, const tn_model *model)
{
    tn_json_begin_array(json, "masses");
    for (int i = 1; i < tn_model_body_count(model); i++) {
        const tn_mass m = tn_model_body_mass(model, (tn_body){i});
        const double(*I)[3] = m.inertia.m;
        if (!tn_model_body_mass_is_of_shapes(model, (tn_body){i}))
            continue;
        tn_json_put(json, "{ body %s mass %g", tn_model_body_name(model, (tn_body){i}), m.mass);
        tn_json_numbers(json, "com", 3, (const double[]){m.com.x, m.com.y, m.com.z});
        tn_json_numbers(json, "inertia", 3, (const double[]){I[0][0], I[1][1], I[2][2]});
        tn_json_numbers(json, "products", 3, (const double[]){I[0][1], I[0][2], I[1][2]});
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
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

static void put_bodies(tn_json *json, const check_job *job)
{
    const tn_model *model = job->model;
    const tn_check *check = job->check;
    tn_json_put(json, "massless_tol %g massless [", job->simulate.options.massless_tol);
    for (int i = 0; i < tn_check_massless_count(check); i++)
        tn_json_string(json, NULL, tn_check_massless(check, i));
    tn_json_put(json, "] small_masses [");
    for (int i = 0; i < tn_check_small_mass_count(check); i++) {
        const tn_small_mass m = tn_check_small_mass(check, i);
        tn_json_object(json, NULL, "body %s neighbour %s of %s ratio %g frequency %g decay %g",
                       tn_model_body_name(model, m.body), tn_model_body_name(model, m.neighbour),
                       m.turning ? "inertia" : "mass", m.ratio, m.frequency, m.decay);
    }
    tn_json_put(json, "] moved [");
    for (int i = 0; i < tn_check_moved_count(check); i++) {
        const tn_moved m = tn_check_moved(check, i);
        tn_json_object(
            json, NULL, "body %s position %g rotation %g velocity %g angular_velocity %g",
            tn_model_body_name(model, m.body), m.position, m.rotation, m.velocity, m.rate);
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
    const char *const reason = a->failed ? a->reason : *a->doubt ? a->doubt : NULL;
    tn_json_put(json, "along { status %s reason %s method %s time %g steps %ld largest %g",
                outcome_of(a), reason, a->method, a->t, a->steps, a->largest);
    put_margin(json, "least", &a->least);
    tn_json_put(json, "count %d near_singular [", a->count);
    for (int k = 0; k < a->count && k < TN_MOST_MET; k++)
        put_margin(json, NULL, &a->met[k]);
    tn_json_put(json, "] }");
}

static tn_status put_report(const char *path, const check_job *job)
{
    const tn_model *model = job->model;
    const tn_check *check = job->check;
    const tn_pattern_told *told = &job->told;
    const int internal = tn_check_internal_rows(check);
    tn_json *json = cli_json_begin();
    tn_equations e;
    tn_sim_equations(job->sim, &e);
    tn_json_put(json, "{ status %s model %s bodies %d joints %d forces %d", "done", path,
                tn_model_body_count(model) - 1, tn_model_joint_count(model),
                tn_model_force_count(model));
    tn_json_put(
        json,
        "coordinates %d rows %d rank %d one_sided %d freedoms %d joint_coordinates %d joint_rows "
        "%d cut [",
        tn_check_coordinates(check), tn_check_rows(check), tn_check_rank(check),
        tn_check_one_sided(check), tn_check_freedoms(check), tn_check_joint_coordinates(check),
        tn_check_joint_rows(check));
    for (int i = 0; i < tn_check_cut_count(check); i++)
        tn_json_string(json, NULL, tn_model_joint_name(model, tn_check_cut(check, i)));
    tn_json_put(json, "] director_coordinates %d director_rows %d",
                tn_check_coordinates(check) + internal, tn_check_rows(check) + internal);
    tn_json_object(json, "equations",
                   "coordinates %s index %d why %s q %d v %d c %d w %d s %d r %d lambda %d eta %d",
                   e.coordinates, e.index, e.why, e.q, e.v, e.c, e.w, e.s, e.r, e.lambda, e.eta);
    put_redundant(json, model, check);
    tn_json_put(json, "consistent %i residual %g condition %g", true, tn_check_residual(check),
                tn_check_condition(check));
    put_masses(json, model);
    put_bodies(json, job);
    put_unique(json, model, check);
    put_margin(json, "margin", tn_check_margin(check));
    tn_json_begin_array(json, "notes");
    for (int i = 0; i < tn_model_note_count(model); i++)
        tn_json_string(json, NULL, tn_model_note(model, i));
    for (int i = 0; i < tn_sim_note_count(job->sim); i++)
        tn_json_string(json, NULL, tn_sim_note(job->sim, i));
    tn_json_end_array(json);
    if (job->along)
        put_along(json, &job->motion);
    else
        tn_json_null(json, "along");
    tn_json_string(json, "graph", job->graph);
    if (job->pattern)
        tn_json_object(
            json, "pattern",
            "file %s unknowns %d nonzeros %d bandwidth %d bandwidth_ordered %d blocks %d",
            job->pattern, told->unknowns, told->nonzeros, told->bandwidth, told->bandwidth_ordered,
            told->blocks);
    else
        tn_json_null(json, "pattern");
    tn_json_put(json, "projectors %s }", job->projectors);
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

// Files ------------------------------------------------------------------------------------------

// One of two with the same name would be gone.
static tn_status refuse_mixture(const check_job *job)
{
    const struct {
        const char *option, *file, *what;
    } files[] = {{"graph", job->graph, "picture"},
                 {"pattern", job->pattern, "picture"},
                 {"projectors", job->projectors, "projectors"}};
    for (int i = 0; i < CLI_COUNT(files); i++)
        for (int k = 0; k < i; k++) {
            const char *a = files[k].option, *b = files[i].option, *file = files[i].file;
            if (!file || !files[k].file || strcmp(file, files[k].file) != 0)
                continue;
            if (cli_is_stdout(file))
                return tn_fail(TN_ERR_USAGE,
                               "--%s - and --%s - both write to the standard output; name a file "
                               "for one of the two",
                               a, b);
            return tn_fail(TN_ERR_USAGE, "--%s and --%s both write '%s'; name two files", a, b,
                           file);
        }
    for (int i = 0; i < CLI_COUNT(files); i++)
        if (cli_is_stdout(files[i].file) && cli_json())
            return tn_fail(TN_ERR_USAGE,
                           "--%s - and --json both write to the standard output; name a file for "
                           "the %s",
                           files[i].option, files[i].what);
    return !job->projectors && job->at > 0.0
               ? tn_fail(TN_ERR_USAGE, "--at is for --projectors FILE")
               : TN_OK;
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

static tn_status write_projectors(check_job *job)
{
    tn_dynamics *dynamics = NULL;
    tn_projectors *projectors = NULL;
    if (!job->projectors)
        return TN_OK;
    tn_status s = tn_dynamics_create(job->model, "absolute", &dynamics);
    if (s == TN_OK && job->at > 0.0)
        s = move_to(job->model, job->at, dynamics);
    CLI_THEN(s, tn_projectors_create(dynamics, &projectors));
    CLI_THEN(s, tn_projectors_write(projectors, job->projectors));
    if (s == TN_OK)
        job->projected = tn_projectors_time(projectors);
    tn_projectors_destroy(projectors);
    tn_dynamics_destroy(dynamics);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

// The command -------------------------------------------------------------------------------------

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

static tn_status examine(const cli_args *args, check_job *job)
{
    const tn_sim_options *start = &job->simulate.options;
    cli_apply(args, &job->simulate);
    // The pictures need no consistent start: they may show why there is none.
    tn_status s = refuse_mixture(job);
    if (s == TN_OK && job->graph)
        s = tn_model_draw(job->model, job->graph);
    if (s == TN_OK && job->pattern)
        s = tn_model_draw_pattern(job->model, job->pattern, &job->told);
    CLI_TRY(s == TN_ERR_FILE ? TN_ERR_USAGE : s);
    CLI_TRY(tn_check_create(job->model, start, &job->check));
    CLI_TRY(tn_simulate_check(&job->simulate));
    CLI_TRY(tn_sim_create(job->model, start, &job->sim));
    if (job->along)
        CLI_TRY(tn_check_along(job->model, start, job->simulate.t_end, &job->motion));
    CLI_TRY(write_projectors(job));
    if (cli_is_stdout(job->graph) || cli_is_stdout(job->pattern) || cli_is_stdout(job->projectors))
        return TN_OK;
    if (cli_json())
        return put_report(args->word[0], job);
    print_report(args->word[0], job);
    return TN_OK;
}

// Tells of a motion that did not end as it should.
static int tell_end(const tn_along *along)
{
    if (along->failed)
        cli_message("%s", along->reason);
    else if (*along->doubt)
        cli_message("doubtful: %s", along->doubt);
    return along->failed ? CLI_NUMERICS : *along->doubt ? CLI_DOUBTFUL : CLI_DONE;
}

static tn_status check_model(cli_args *args)
{
    check_job own = {0}, *job = &own;
    CLI_TRY(cli_parse(args, job));
    tn_status s = cli_load(args, args->word[0], NULL, &job->model, &job->simulate);
    if (s == TN_OK) {
        s = examine(args, job);
        if (s == TN_OK) {
            tell_unused(args, job->along);
            args->code = tell_end(&job->motion);
        } else if (s == TN_ERR_MODEL && cli_json()) {
            args->code = inconsistent(args->word[0]);
            s = TN_OK;
        }
    }
    tn_sim_destroy(job->sim);
    tn_check_destroy(job->check);
    tn_model_destroy(job->model);
    return s;
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
    .run = check_model,
};
