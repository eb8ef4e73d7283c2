// SPDX-License-Identifier: MIT
//
// tenon sweep: one model with many values of its parameters.

#include "cli.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct wanted {
    tn_sweep_options sweep;
    const char *outputs, *jobs, *shard, *merge;
    int seed;
    bool quiet;
} wanted;

#define OPTION(...) CLI_OPTION(wanted, __VA_ARGS__)

static const tn_param options[] = {
    OPTION(
        "outputs", outputs, TEXT, "LIST",
        "numbers of each run with commas between: final, min, max, range, mean, rms of a channel "
        "or an expression, event or count of an event, for example 'max(pin.force.x)'"),
    OPTION("sample", sweep.sample, TEXT, "WAY",
           "grid, rows, lhs:N, sobol:N or random:N; grid when it is left out"),
    OPTION("seed", seed, INTEGER, "", "of samples; 1", .range = TN_NONNEGATIVE),
    OPTION("out", sweep.out, TEXT, "DIR", "folder of the table; MODEL.sweep"),
    OPTION("plots", sweep.plots, TEXT, "LIST",
           "pictures beside the table: auto, none, or curves, map and scatter with commas between, "
           "with columns behind them, for example curves:k,map:k:m,scatter:k:tip"),
    OPTION("jobs", jobs, TEXT, "N", "worker processes; auto is one for each processor"),
    OPTION("shard", shard, TEXT, "I/N", "run part I of N of the cases; --merge joins them"),
    OPTION("merge", merge, TEXT, "DIRS", "take over cases of these folders, with commas between"),
    OPTION("force", sweep.replace, BOOL, "", "replace cases that the folder holds"),
    OPTION("yes", sweep.large, BOOL, "", "allow more than a million cases"),
    OPTION("quiet", quiet, BOOL, "", "print nothing but errors"),
};

enum { MOST_ITEMS = 64 };

static tn_status split(char *text, const char *option, const char **items, int *count)
{
    *count = 0;
    for (char *at = text, *next; *at; at = next) {
        next = cli_item_end(at);
        if (*next)
            *next++ = '\0';
        if (*count == MOST_ITEMS)
            return tn_fail(TN_ERR_USAGE, "%s takes up to %d items", option, MOST_ITEMS);
        if (*at)
            items[(*count)++] = at;
    }
    return TN_OK;
}

static tn_status read_shard(const char *text, tn_sweep_options *out)
{
    char rest;
    if (text && (sscanf(text, "%d/%d%c", &out->shard, &out->shards, &rest) != 2 || out->shard < 1 ||
                 out->shards < out->shard))
        return tn_fail(TN_ERR_USAGE, "--shard: '%s' is not I/N with I from 1 to N", text);
    return TN_OK;
}

// Progress -------------------------------------------------------------------------------------

typedef struct progress {
    cli_progress bar;
    bool begun;
} progress;

static void show(void *user, int64_t cases, int64_t all)
{
    progress *p = user;
    const double part = all > 0 ? (double)cases / (double)all : 1.0;
    if (!p->begun) // others were there before
        p->bar.before = part - 1.0 / fmax(1.0, (double)all);
    p->begun = true;
    cli_progress_show(&p->bar, part, "%lld of %lld cases", (long long)cases, (long long)all);
}

static tn_sweep *running;

static void interrupt(int signal)
{
    (void)signal;
    tn_sweep_stop(running);
}

// After the death of a rank, mpirun of Open MPI sends SIGCONT to the others and kills them a second
// later: time to write what there is.
static void catch_signals(tn_sweep *sweep)
{
    struct sigaction action = {.sa_handler = interrupt};
    running = sweep;
    signal(SIGXFSZ, SIG_IGN); // a write fails instead
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (tn_ranks_here(NULL, NULL))
        sigaction(SIGCONT, &action, NULL);
}

// Results --------------------------------------------------------------------------------------

enum { NAME_WIDTH = 30 };

// A name that is too long for its column has a line of its own.
static void print_column(const tn_sweep_column *c)
{
    char name[200];
    snprintf(name, sizeof name, *c->unit ? "%s [%s]" : "%s%s", c->name, c->unit);
    if (strlen(name) > NAME_WIDTH)
        printf("%s\n%*s", name, NAME_WIDTH, "");
    else
        printf("%-*s", NAME_WIDTH, name);
    const double shown[] = {c->least,       c->quantile[0], c->quantile[2], c->mean,
                            c->quantile[4], c->most,        c->deviation};
    for (int i = 0; i < CLI_COUNT(shown); i++)
        printf(" %9.4g", shown[i]);
    putchar('\n');
}

static void print_found(const tn_sweep *sweep, const tn_sweep_facts *f, const char *path,
                        double seconds)
{
    static const char *const heads[] = {"least", "5 %",  "median",   "mean",
                                        "95 %",  "most", "deviation"};
    printf("%s: %lld case%s, %lld done, %lld doubtful, %lld failed", path, (long long)f->cases,
           f->cases == 1 ? "" : "s", (long long)f->done, (long long)f->doubtful,
           (long long)f->failed);
    if (f->missing > 0)
        printf(", %lld missing", (long long)f->missing);
    printf("; %.3g s\n\n%-*s", seconds, NAME_WIDTH, "");
    for (int i = 0; i < CLI_COUNT(heads); i++)
        printf(" %9s", heads[i]);
    putchar('\n');
    for (int i = 0; i < f->ncolumn; i++)
        print_column(&f->columns[i]);
    printf("\ntable              %s/table.csv\n", f->directory);
    if (tn_report_check() == TN_OK)
        printf("page               %s/report.html\n", f->directory);
    for (int i = 0; tn_sweep_plot(sweep, i); i++)
        printf("%-18s %s/%s\n", i == 0 ? "pictures" : "", f->directory, tn_sweep_plot(sweep, i));
}

static tn_status print_found_json(const tn_sweep_facts *f)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/summary.json", f->directory);
    FILE *file = fopen(path, "r");
    if (!file)
        return tn_fail(TN_ERR_USAGE, "cannot read %s", path);
    for (int c; (c = fgetc(file)) != EOF;)
        putchar(c);
    fclose(file);
    return TN_OK;
}

static tn_status merge_folders(tn_sweep *sweep, char *folders)
{
    const char *list[MOST_ITEMS];
    int n = 0;
    CLI_TRY(split(folders, "--merge", list, &n));
    for (int i = 0; i < n; i++)
        CLI_TRY(tn_sweep_merge(sweep, list[i]));
    return TN_OK;
}

// Ranks of mpirun but the first have nothing to say: it says the same, and what it finds wrong with
// them.
static bool is_follower(void)
{
    int rank = 0;
    return tn_ranks_here(&rank, NULL) && rank > 0;
}

// mpirun ends all ranks as soon as one of them has failed: they leave time for the first to speak.
static int end_follower(tn_status s)
{
    const struct timespec pause = {2, 0};
    if (s != TN_OK)
        nanosleep(&pause, NULL);
    return cli_exit_code(s);
}

static tn_status run_cases(tn_sweep *sweep, const wanted *w, char *folders)
{
    if (w->merge)
        return merge_folders(sweep, folders);
    if (!is_follower())
        catch_signals(sweep);
    return tn_sweep_run(sweep);
}

static tn_status run_sweep(const cli_args *args, const wanted *w, char *sets, char *outputs,
                           char *folders, tn_sweep_facts *facts, tn_sweep **made)
{
    const char *set[MOST_ITEMS], *list[MOST_ITEMS];
    progress p = {.bar = cli_progress_begin(!w->quiet)};
    char *command = cli_command_line();
    tn_sweep_options o = w->sweep;
    o.set = set;
    o.outputs = list;
    o.seed = (uint64_t)w->seed;
    o.command = command;
    o.teller.tell = cli_tell;
    o.done = show;
    o.user = &p;
    o.ranks = tn_ranks_here(NULL, NULL);
    tn_status s = TN_OK;
    if (o.ranks && w->merge)
        s = tn_fail(TN_ERR_USAGE, "--merge is work for one process: call it without mpirun");
    CLI_THEN(s, split(sets, "--set", set, &o.nset));
    CLI_THEN(s, split(outputs, "--outputs", list, &o.noutput));
    CLI_THEN(s, cli_read_threads("jobs", w->jobs, &o.jobs));
    CLI_THEN(s, read_shard(w->shard, &o));
    CLI_THEN(s, tn_sweep_create(args->word[0], &args->simulate, args->given, &o, made));
    CLI_THEN(s, run_cases(*made, w, folders));
    if (is_follower()) {
        tn_text_free(command);
        return s;
    }
    cli_progress_end(&p.bar);
    if (*made && (s == TN_OK || s == TN_ERR_STOPPED)) {
        char reason[CLI_MESSAGE_SIZE];
        snprintf(reason, sizeof reason, "%s", tn_last_error());
        const tn_status written = tn_sweep_write(*made);
        if (written != TN_OK)
            s = written;
        else if (s == TN_ERR_STOPPED)
            tn_fail(s, "%s; the same command goes on from there", reason);
        CLI_THEN(s, tn_sweep_found(*made, facts));
    }
    if (s == TN_OK && cli_json())
        s = print_found_json(facts);
    else if (s == TN_OK && !w->quiet)
        print_found(*made, facts, args->word[0], cli_wall_time() - p.bar.began);
    tn_text_free(command);
    return s;
}

// The first few cases that are not done; the table has all.
static void tell_cases(tn_sweep *sweep, const tn_sweep_facts *f)
{
    enum { FEW = 3 };
    double *values = malloc(((size_t)f->ncolumn + 1) * sizeof *values);
    const char *reason = "";
    tn_case_state state;
    int64_t left = f->doubtful + f->failed;
    for (int64_t i = 0, told = 0; values && i < f->cases && told < FEW && left > 0; i++) {
        if (tn_sweep_case(sweep, i, &state, values, &reason) != TN_OK || state < TN_CASE_DOUBTFUL)
            continue;
        cli_message("%s: case %lld: %s", state == TN_CASE_FAILED ? "failed" : "doubtful",
                    (long long)i, reason);
        told++;
        left--;
        if (told == FEW && left > 0)
            cli_message("%lld more cases are not done; %s/table.csv has their reasons",
                        (long long)left, f->directory);
    }
    free(values);
}

static int tell_end(tn_status s, const wanted *w, tn_sweep *made, const tn_sweep_facts *facts)
{
    if (s == TN_OK && made)
        tell_cases(made, facts);
    if (s == TN_OK && w->merge && facts->missing > 0) {
        tn_fail(TN_ERR_NUMERIC,
                "%lld of %lld cases are missing; the same command without --merge runs them",
                (long long)facts->missing, (long long)facts->cases);
        return cli_end(CLI_NUMERICS);
    }
    if (s == TN_OK && facts->failed > 0)
        return cli_end(CLI_DONE) == CLI_DONE ? CLI_NUMERICS : CLI_USAGE;
    if (s == TN_OK && facts->doubtful > 0)
        return cli_end(CLI_DONE) == CLI_DONE ? CLI_DOUBTFUL : CLI_USAGE;
    return cli_finish(s);
}

static tn_status sweep(cli_args *args)
{
    wanted own = {.sweep = tn_default_sweep(), .seed = 1}, *w = &own;
    tn_sweep *made = NULL;
    tn_sweep_facts facts = {0};
    tn_status s = cli_parse(args, w);
    char *outputs = strdup(w->outputs ? w->outputs : ""),
         *folders = strdup(w->merge ? w->merge : "");
    if (s == TN_OK && (!outputs || !folders))
        s = tn_fail(TN_ERR_MEMORY, "out of memory");
    CLI_THEN(s, run_sweep(args, w, args->set, outputs, folders, &facts, &made));
    running = NULL;
    args->code = is_follower() ? end_follower(s) : tell_end(s, w, made, &facts);
    tn_sweep_destroy(made); // where ranks of mpirun end
    free(outputs);
    free(folders);
    return TN_OK;
}

const cli_command cmd_sweep = {
    .name = "sweep",
    .summary = "run a model with many values of its parameters",
    .usage = "sweep MODEL --set NAME=VALUES ... --outputs LIST [--sample WAY] [--jobs N] ...",
    .text =
        "VALUES are FROM:TO:COUNT, with :log behind it for even ratios, [A, B, C], @FILE.csv for\n"
        "a column of a file, or one value. A grid runs every value with every other, --sample\n"
        "rows takes lists side by side. With lhs:N, sobol:N and random:N values are drawn from\n"
        "FROM:TO, uniform(FROM, TO), normal(MEAN, DEVIATION), lognormal(MEAN, DEVIATION), where\n"
        "both are of the logarithm, or triangular(FROM, MODE, TO). Every case is one row of\n"
        "table.csv, whatever the number of workers; one that fails or is doubtful has its reason\n"
        "there, and the command ends with code 3 or 5. A sweep that was stopped or killed goes on\n"
        "with the same command. Ranks of mpirun are workers, the first of them hands out cases\n"
        "and writes.",
    CLI_ONE_MODEL,
    .simulate = true,
    CLI_OPTIONS(options),
    .run = sweep,
};
