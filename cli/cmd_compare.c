// SPDX-License-Identifier: MIT
//
// tenon compare: what methods cost on a model and what they give for it, as a table, as a picture
// and as a page. tenon converge: their errors and observed orders, over halved steps or falling
// tolerances. Both are a study of some runs against a reference.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparison {
    const char *model_path;
    char *command;
    tn_model *model;
    tn_simulate simulate;
    tn_compare *compare;
} comparison;

typedef struct {
    tn_compare_options study;
    const char *jobs;
} study_options;

#define OPTION(option, member, ...) CLI_OPTION(study_options, option, study.member, __VA_ARGS__)

// The last ones are those of compare alone.
enum { OWN_OPTIONS = 3 };
static const tn_param options[] = {
    OPTION("methods", methods, TEXT, "LIST",
           "methods with commas between, for example bdf/ggl,galpha/ggl"),
    OPTION("tols", tols, TEXT, "LIST", "tolerances rtol with commas between"),
    OPTION("steps", steps, TEXT, "LIST", "fixed steps [s] with commas between"),
    OPTION("levels", levels, INTEGER, "", "how many tolerances or steps to make of one",
           .range = TN_AT_LEAST_ONE),
    OPTION("reference", reference, TEXT, "DIR",
           "results of 'tenon run' to compare with; auto makes a tight run by itself"),
    OPTION("points", points, INTEGER, "",
           "compare at so many times, by dense output, not only at the end",
           .range = TN_AT_LEAST_ONE),
    OPTION("patience", patience, NUMBER, "s", "time after which a run is given up; 0 for never",
           .range = TN_NONNEGATIVE),
    CLI_OPTION(study_options, "jobs", jobs, TEXT, "N",
               "runs at the same time; auto, which is usual, for one on each processor"),
    OPTION("trust", trust, BOOL, "", "read a reference without checksums all the same",
           .needs = "reference"),
    OPTION("condition", condition, BOOL, "",
           "condition numbers of the iteration matrices of discrete principles"),
    OPTION("out", out, TEXT, "DIR",
           "folder for compare.svg, energy.svg, compare.csv and compare.html"),
    OPTION("force", replace, BOOL, "", "replace a comparison that the folder holds",
           .needs = "out"),
};

static const char *const study_instead[][2] = {
    {"method", "--methods"}, {"step", "--steps"},    {"adaptive", "--tols"}, {"rtol", "--tols"},
    {"atol", "--tols"},      {"output", "--points"}, {NULL, NULL},
};

// Keys of the `simulate` block that a comparison sets itself.
static tn_status refuse_options(const cli_args *args)
{
    for (int i = 0; tn_help_option(i); i++) {
        const char *key = tn_help_option(i)->name, *instead = cli_instead(args->command, key);
        if (args->given[i] && instead)
            return tn_fail(TN_ERR_USAGE, "%s: --%s is for one run; this command takes %s",
                           args->command->name, key, instead);
    }
    return TN_OK;
}

// On a terminal, what is being run; the reference comes before all others.
static void tell_run(void *user, const char *method, tn_setting setting, int run, int total)
{
    char count[64] = "reference: ";
    (void)user;
    if (total > 0)
        snprintf(count, sizeof count, "[%d/%d] ", run, total);
    cli_show_progress("%s%s, %s %g", count, method, setting.fixed ? "step" : "rtol", setting.value);
}

// Reads the model and makes the whole comparison.
static tn_status make_study(comparison *s, const cli_args *args, tn_compare_options *wanted)
{
    s->model_path = args->word[0];
    CLI_TRY(refuse_options(args));
    CLI_TRY(cli_load(args, s->model_path, NULL, &s->model, &s->simulate));
    cli_apply(args, &s->simulate);
    s->command = cli_command_line();
    if (!s->command)
        return TN_ERR_MEMORY;
    wanted->given = args->given;
    wanted->model_path = s->model_path;
    wanted->command = s->command;
    wanted->teller.tell = cli_tell;
    wanted->before = tell_run;
    CLI_TRY(tn_compare_create(s->model, &s->simulate, wanted, &s->compare));
    const tn_status status = tn_compare_run(s->compare);
    cli_show_progress(NULL);
    return status;
}

// The tables, within 100 columns ------------------------------------------------------------------

enum { WIDTH = CLI_WIDTH, LEFT = 12, CELL = 32, RUN = TN_METHOD_SIZE + 2 * CELL };

static void print_item(const char *name, const char *text)
{
    cli_print_wrapped(text, printf("%-*s", LEFT, name), LEFT);
}

// The head ----------------------------------------------------------------------------------------

static void describe_reference(const tn_compare_facts *f, char *text, size_t size)
{
    int n = f->file ? snprintf(text, size, "%s", f->file)
                    : snprintf(text, size, "%s with rtol %g", f->source, f->source_tol);
    if (!*f->judge) {
        snprintf(text + n, size - (size_t)n, "; how far it can be trusted is not known");
        return;
    }
    const tn_distance *d = &f->doubt;
    n += snprintf(text + n, size - (size_t)n,
                  "; %s with rtol %g differs from it by %.1e in q, %.1e in v", f->judge,
                  f->judge_tol, d->q, d->v);
    if (!isnan(d->lambda))
        snprintf(text + n, size - (size_t)n, ", %.1e in lambda", d->lambda);
}

static void describe_errors(const tn_compare_facts *f, char *text, size_t size)
{
    int n;
    if (f->ntime == 1)
        n = snprintf(text, size, "at t = %g s", f->t_end);
    else
        n = snprintf(text, size, "largest at %d times%s", f->ntime,
                     f->shared ? " that all runs share" : ", by dense output");
    snprintf(text + n, size - (size_t)n,
             ", as parts of the largest position (%.3g m), velocity (%.3g m/s, %.3g rad/s) and "
             "multiplier (%.3g) of the motion; rotations in rad",
             f->position, f->velocity, f->rate, f->lambda);
}

static void study_print_head(const comparison *s)
{
    const tn_compare_facts found = tn_compare_found(s->compare), *f = &found;
    char text[1024];
    printf("%s, %g to %g s\n", s->model_path, f->t_start, f->t_end);
    describe_reference(f, text, sizeof(text));
    print_item("reference", text);
    if (f->outcome == TN_OUTCOME_DOUBTFUL)
        print_item("doubtful",
                   "the two runs for the reference are far apart: the motion may be too "
                   "sensitive for this time, or the model may have a jump; errors below "
                   "mean little, try a smaller --t-end");
    describe_errors(f, text, sizeof(text));
    print_item("errors", text);
    if (f->ranks_lambda)
        print_item("note", "drives prescribe the whole motion: q and v follow from the constraints "
                           "alone, and lambda tells the methods apart");
}

// Cells -------------------------------------------------------------------------------------------

static void print_small(double value, int width)
{
    if (isnan(value))
        printf("%*s", width, "-");
    else if (value == 0.0)
        printf("%*s", width, "0");
    else
        printf("%*.1e", width, value);
}

static void print_order(double value)
{
    if (isnan(value))
        printf("%7s", "-");
    else
        printf("%7.2f", value);
}

// Tolerances as powers of ten where they are such.
static const char *setting_text(const tn_setting *setting, char text[CELL])
{
    snprintf(text, CELL, "%.0e", setting->value);
    if (setting->fixed || strtod(text, NULL) != setting->value)
        snprintf(text, CELL, "%.6g", setting->value);
    return text;
}

static const char *time_text(double seconds, char text[CELL])
{
    const double ms = 1e3 * seconds;
    snprintf(text, CELL, ms < 999.5 ? "%.3g" : "%.0f", ms);
    return text;
}

// One line: what does not fit is left to --json.
static void print_reason(const char *text, int at)
{
    const int room = WIDTH - at, n = (int)strcspn(text, "\n");
    if (n <= room)
        printf("%.*s\n", n, text);
    else
        printf("%.*s...\n", room - 3, text);
}

static bool all_failed_alike(const tn_series *series)
{
    for (int k = 0; k < series->trials.count; k++)
        if (series->trials.at[k].done ||
            strcmp(series->trials.at[k].reason, series->trials.at[0].reason) != 0)
            return false;
    return series->trials.count > 0;
}

static bool any_fixed(const tn_compare_facts *f, bool fixed)
{
    for (int i = 0; i < f->nseries; i++)
        if (f->series[i].trials.at[0].setting.fixed == fixed)
            return true;
    return false;
}

// Orders ------------------------------------------------------------------------------------------

static void print_convergence(const tn_compare *compare, const tn_series *series)
{
    const tn_distance none = {NAN, NAN, NAN};
    const bool fixed = series->trials.at[0].setting.fixed;
    printf("\n%s", series->method);
    if (series->order[0] > 0)
        printf(", states order %d, %d, %d", series->order[0], series->order[1], series->order[2]);
    printf("\n%12s %9s %10s  order %9s  order %9s  order\n", fixed ? "step [s]" : "rtol", "steps",
           "q", "v", "lambda");
    for (int k = 0; k < series->trials.count; k++) {
        const tn_trial *t = &series->trials.at[k];
        const tn_distance p = k > 0 ? tn_compare_order(compare, t - 1, t) : none;
        char text[CELL];
        const int at = printf("%12s ", setting_text(&t->setting, text));
        if (!t->done) {
            print_reason(t->reason, at + printf("failed: "));
            continue;
        }
        printf("%9ld", t->ledger.steps);
        print_small(t->error.q, 11);
        print_order(p.q);
        print_small(t->error.v, 10);
        print_order(p.v);
        print_small(t->error.lambda, 10);
        print_order(p.lambda);
        printf("\n");
    }
}

static void study_print_orders(const comparison *s)
{
    const tn_compare_facts found = tn_compare_found(s->compare), *f = &found;
    char text[256];
    snprintf(text, sizeof(text),
             "of the error in the step%s; - where an error is not well above the doubt about the "
             "reference",
             any_fixed(f, false) ? ", the mean one where it is controlled" : "");
    print_item("order", text);
    for (int i = 0; i < f->nseries; i++)
        print_convergence(s->compare, &f->series[i]);
}

// Work --------------------------------------------------------------------------------------------

static void print_trial(const tn_trial *t)
{
    const tn_ledger *l = &t->ledger;
    char text[CELL];
    const int at = printf("%8s", setting_text(&t->setting, text));
    if (!t->done) {
        print_reason(t->reason, at + printf("  failed: "));
        return;
    }
    printf(" %7ld %4ld %8ld %6ld %6ld %7s", l->steps, l->rejected, l->evaluations, l->tangents,
           l->factorizations, time_text(t->cpu, text));
    print_small(t->error.q, 8);
    print_small(t->error.v, 8);
    print_small(t->error.lambda, 8);
    print_small(l->max_g, 8);
    print_small(l->max_gdot, 8);
    print_small(t->energy, 8);
    printf("%s\n", *t->doubt ? " ?" : "");
}

static void print_series(const tn_series *series)
{
    printf("%s\n", series->method);
    if (all_failed_alike(series)) {
        print_reason(series->trials.at[0].reason, printf("%8s  failed: ", "all"));
        return;
    }
    for (int k = 0; k < series->trials.count; k++)
        print_trial(&series->trials.at[k]);
}

// "dop853/index1+project, rtol 1e-06", or nothing.
static void describe_run(const tn_compare_facts *f, tn_best best, char text[RUN])
{
    text[0] = '\0';
    if (best.series < 0)
        return;
    const tn_series *series = &f->series[best.series];
    const tn_setting *setting = &series->trials.at[best.trial].setting;
    char value[CELL];
    snprintf(text, RUN, "%s %s %s", series->method, setting->fixed ? "h" : "rtol",
             setting_text(setting, value));
}

static bool is_same(tn_best a, tn_best b)
{
    return a.series == b.series && a.trial == b.trial;
}

enum { MOST_DIGITS = 16 }; // of a double; an error of zero has them all

// The cheapest runs with so many digits, as far as any has them; digits with the same runs share a
// line.
static void print_cheapest(const tn_compare *compare, const tn_compare_facts *f)
{
    char text[RUN], digits[CELL], time[CELL];
    tn_best least = tn_compare_best(compare, 1e-2, TN_WORK_EVALUATIONS);
    tn_best fastest = tn_compare_best(compare, 1e-2, TN_WORK_CPU);
    if (least.series < 0) {
        printf("\nNo run has two correct digits.\n");
        return;
    }
    printf("\nCheapest runs with so many correct digits of %s\n%8s %11s %41s %8s\n",
           f->ranks_lambda ? "lambda" : "q", "digits", "evaluations", "", "CPU ms");
    for (int first = 2, d = 3; least.series >= 0; d++) {
        const double error = d > MOST_DIGITS ? -1.0 : pow(10.0, -d); // beyond all numbers: no run
        const tn_best less = tn_compare_best(compare, error, TN_WORK_EVALUATIONS);
        const tn_best faster = tn_compare_best(compare, error, TN_WORK_CPU);
        if (is_same(less, least) && is_same(faster, fastest))
            continue;
        snprintf(digits, sizeof(digits), first == d - 1 ? "%d" : "%d to %d", first, d - 1);
        describe_run(f, least, text);
        printf("%8s %11.0f  %-40s", digits, least.work, text);
        describe_run(f, fastest, text);
        printf(" %7s  %s\n", time_text(fastest.work, time), text);
        least = less;
        fastest = faster;
        first = d;
    }
}

// Prints the warnings behind the question marks.
static void print_doubts(const tn_compare_facts *f)
{
    char value[CELL];
    bool any = false;
    for (int i = 0; i < f->nseries; i++)
        for (int k = 0; k < f->series[i].trials.count; k++) {
            const tn_trial *t = &f->series[i].trials.at[k];
            if (!*t->doubt)
                continue;
            printf("%s%s %s %s: ", any ? "" : "\nDoubtful runs (?)\n", f->series[i].method,
                   t->setting.fixed ? "h" : "rtol", setting_text(&t->setting, value));
            printf("%s\n", t->doubt);
            any = true;
        }
}

// Conditions --------------------------------------------------------------------------------------

// "4.9e+04 to 4.1e+05", one number where both are the same, - where there is none.
static const char *range_text(const double range[2], char text[CELL])
{
    char least[CELL / 3], most[CELL / 3];
    if (isnan(range[0]))
        return "-";
    snprintf(least, sizeof least, "%.1e", range[0]);
    snprintf(most, sizeof most, "%.1e", range[1]);
    snprintf(text, CELL, strcmp(least, most) == 0 ? "%s" : "%s to %s", least, most);
    return text;
}

// p of a largest condition that goes with h^p.
static double condition_power(const tn_trial *coarse, const tn_trial *fine, bool written)
{
    const tn_conditions *a = &coarse->conditions, *b = &fine->conditions;
    const double most = written ? a->written[1] / b->written[1] : a->solved[1] / b->solved[1];
    return log(most) / log(coarse->setting.value / fine->setting.value);
}

static void print_power(const tn_series *series, int k, bool written)
{
    const tn_trial *t = &series->trials.at[k];
    const double p = k > 0 ? condition_power(t - 1, t, written) : NAN;
    if (isfinite(p))
        printf(" %6.2f", fabs(p) < 0.005 ? 0.0 : p);
    else
        printf(" %6s", "-");
}

static void print_conditions_of(const tn_series *series)
{
    char text[CELL];
    printf("%s\n", series->method);
    for (int k = 0; k < series->trials.count; k++) {
        const tn_trial *t = &series->trials.at[k];
        const tn_conditions *c = &t->conditions;
        printf("%8s", setting_text(&t->setting, text));
        if (c->nodes > 0)
            printf(" %9d", c->unknowns);
        else
            printf(" %9s", "-");
        printf(" %22s", range_text(c->written, text));
        print_power(series, k, true);
        printf(" %22s", range_text(c->solved, text));
        print_power(series, k, false);
        printf("\n");
    }
}

static void print_conditions(const tn_compare_facts *f)
{
    printf("\nCondition numbers (2-norm) of the iteration matrices, least and largest at up to ten "
           "nodes, and\nthe power of the step that the largest goes with. 'as written': unknowns q "
           "and lambda, SI units\n[LMO08, eq. 22, 25, 28]; 'as solved': what Tenon factors; -: the "
           "method has no such matrix\n%8s %9s %22s %6s %22s %6s\n",
           "step", "unknowns", "as written", "power", "as solved", "power");
    for (int i = 0; i < f->nseries; i++)
        print_conditions_of(&f->series[i]);
}

static void study_print_work(const comparison *s)
{
    const tn_compare_facts found = tn_compare_found(s->compare), *f = &found;
    print_item("work", "accepted and rejected steps, evaluations of the equations, tangents, "
                       "factorisations, time of the processor for one run without its start");
    print_item("kept", "largest |g| and |Bv| over all steps, and energy balance by the energy "
                       "exchanged");
    printf("\n%8s %7s %4s %8s %6s %6s %7s %7s %7s %7s %7s %7s %7s\n",
           !any_fixed(f, true)    ? "rtol"
           : !any_fixed(f, false) ? "step"
                                  : "rtol/h",
           "steps", "rej.", "evals", "tang.", "fact.", "CPU ms", "err q", "err v", "err la", "|g|",
           "|Bv|", "energy");
    for (int i = 0; i < f->nseries; i++)
        print_series(&f->series[i]);
    print_doubts(f);
    print_cheapest(s->compare, f);
}

// The commands ------------------------------------------------------------------------------------

// A Tenon without the page says so and writes the other files.
static tn_status write_files(const comparison *study, const char *directory)
{
    if (!directory)
        return TN_OK;
    if (tn_report_check() != TN_OK)
        cli_message("compare.html is left out: %s", tn_last_error());
    const tn_status s = tn_compare_write(study->compare, directory);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

static tn_status print_study(const comparison *study, const tn_compare_options *wanted)
{
    tn_json *json = NULL;
    if (cli_json()) {
        CLI_TRY(tn_compare_json(study->compare, &json));
        return cli_print_json(json);
    }
    study_print_head(study);
    (wanted->converge ? study_print_orders : study_print_work)(study);
    if (wanted->condition) {
        const tn_compare_facts found = tn_compare_found(study->compare);
        print_conditions(&found);
    }
    if (wanted->out)
        printf("\nwritten     %s: compare.svg, energy.svg, compare.csv%s\n", wanted->out,
               tn_report_check() == TN_OK ? ", compare.html" : "");
    return TN_OK;
}

static int study_code(const comparison *study)
{
    const tn_outcome outcome = tn_compare_found(study->compare).outcome;
    const int code = cli_end(CLI_DONE);
    if (outcome == TN_OUTCOME_DONE || code != CLI_DONE)
        return code;
    cli_message(outcome == TN_OUTCOME_FAILED
                    ? "no run came to its end"
                    : "doubtful: the two runs for the reference are far apart, so that errors mean "
                      "little; try a smaller --t-end");
    return outcome == TN_OUTCOME_FAILED ? CLI_NUMERICS : CLI_DOUBTFUL;
}

static tn_status compare(cli_args *args)
{
    study_options own = {.study = tn_default_compare()}, *wanted = &own;
    comparison study = {0};
    wanted->study.converge = args->command == &cmd_converge;
    tn_status s = cli_parse(args, wanted);
    CLI_THEN(s, cli_read_threads("jobs", wanted->jobs, &wanted->study.jobs));
    CLI_THEN(s, make_study(&study, args, &wanted->study));
    CLI_THEN(s, write_files(&study, wanted->study.out));
    CLI_THEN(s, print_study(&study, &wanted->study));
    if (s == TN_OK)
        args->code = study_code(&study);
    tn_compare_destroy(study.compare);
    tn_model_destroy(study.model);
    tn_text_free(study.command);
    return s;
}

const cli_command cmd_compare = {
    .name = "compare",
    .summary = "work and accuracy of methods on one model, side by side",
    .usage = "compare MODEL [--methods a,b,...] [--tols LIST] [--steps LIST] [--out DIR] ...",
    .text = "Runs each method with each tolerance and tells steps, evaluations, time and the\n"
            "errors of positions and rotations (q), velocities (v) and multipliers (lambda)\n"
            "against a reference: a tight run of a method of high order, judged by a second one,\n"
            "or the results of --reference. Without --methods one or two of each family are\n"
            "taken. With --steps, methods that do not control their error by themselves (galpha,\n"
            "hht) run with these fixed steps instead of tolerances; methods that have no other\n"
            "steps (variational) always do, without --steps from four times the step of the model\n"
            "on. A number behind a method, bdf/ggl:1e-5, is its tolerance or step alone. A method\n"
            "that fails says why in the table.",
    CLI_ONE_MODEL,
    .simulate = true,
    .instead = study_instead,
    CLI_OPTIONS(options),
    .run = compare,
};

const cli_command cmd_converge = {
    .name = "converge",
    .summary = "errors and observed orders over halved steps or tolerances",
    .usage = "converge MODEL [--methods a,b,...] [--steps LIST | --tols LIST] [--levels N] ...",
    .text = "Runs each method with falling steps or tolerances and compares positions and\n"
            "rotations (q), velocities (v) and multipliers (lambda) with a reference: a tight run\n"
            "of a method of high order, judged by a second one, or the results of --reference.\n"
            "Without --methods the method of the model is taken. Without --steps and --tols,\n"
            "methods that control their error get tolerances and the others steps. Where all\n"
            "steps are fixed the error is the largest at the steps that all runs share, else that\n"
            "at the end.",
    CLI_ONE_MODEL,
    .simulate = true,
    .instead = study_instead,
    .noption = CLI_COUNT(options) - OWN_OPTIONS,
    .options = options,
    .run = compare,
};
