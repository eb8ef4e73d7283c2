// SPDX-License-Identifier: MIT
//
// tenon paper: figures, tables and examples of papers, computed anew and laid beside what was
// published.

#define _GNU_SOURCE // versionsort
#include "cli.h"

#include <dirent.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct {
    const char *out, *papers;
    int jobs;
    bool all, quick, quiet;
} wanted;

#define OPTION(...) CLI_OPTION(wanted, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("all", all, BOOL, "", "run all items, or all of the paper that is named"),
    OPTION("quick", quick, BOOL, "", "leave out what is long"),
    OPTION("out", out, TEXT, "DIR",
           "folder for what is written; KEY_ITEM.paper, or papers.results with --all"),
    CLI_OPTION(wanted, "jobs", jobs, INTEGER, "", "items that run at the same time; 2",
               .range = TN_AT_LEAST_ONE, .needs = "all"),
    OPTION("papers", papers, TEXT, "DIR", "folder of the items; the one that came with Tenon"),
    OPTION("quiet", quiet, BOOL, "", "print nothing unless something is wrong"),
};

// Places ------------------------------------------------------------------------------------------

enum { PATH = 4096 };

typedef struct places {
    char tenon[PATH], papers[PATH], programs[PATH], models[PATH];
} places;

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

// The first of two folders that is there, from the folder of the command on; "" for none.
static void find_folder(const char *command, const char *built, const char *installed, char *out)
{
    const char *const tries[] = {built, installed};
    const int n = (int)(strrchr(command, '/') - command);
    for (int i = 0; i < CLI_COUNT(tries); i++) {
        char path[2 * PATH];
        snprintf(path, sizeof path, "%.*s/%s", n, command, tries[i]);
        char *full = is_folder(path) ? realpath(path, NULL) : NULL;
        snprintf(out, PATH, "%s", full ? full : "");
        free(full);
        if (*out)
            return;
    }
}

// Beside the command where it is built, in the folders of data where it is installed.
static tn_status find_places(const char *papers, places *p)
{
    const ssize_t n = readlink("/proc/self/exe", p->tenon, sizeof p->tenon - 1);
    p->tenon[n > 0 ? n : 0] = '\0';
    if (n <= 0)
        return tn_fail(TN_ERR_USAGE, "paper: cannot find the tenon command itself");
    find_folder(p->tenon, "papers", TN_DATA_DIR "/papers", p->papers);
    find_folder(p->tenon, "programs", TN_LIBEXEC_DIR, p->programs);
    find_folder(p->tenon, "models", TN_DATA_DIR "/models", p->models);
    if (papers)
        snprintf(p->papers, sizeof p->papers, "%s", papers);
    if (!*p->papers || !is_folder(p->papers))
        return tn_fail(TN_ERR_USAGE,
                       "paper: the folder of items %s%sis not there; name it with "
                       "--papers",
                       p->papers, *p->papers ? " " : "");
    return TN_OK;
}

// Lists -------------------------------------------------------------------------------------------

enum { MOST_ITEMS = 512, NAME = 128 };

typedef struct list {
    int n;
    char key[MOST_ITEMS][NAME], name[MOST_ITEMS][NAME];
} list;

// Names of a folder, those that end with `ending`, which is cut off: fig2 before fig10.
static int list_folder(const char *path, const char *ending, int most, char (*out)[NAME])
{
    struct dirent **entry = NULL;
    const int all = scandir(path, &entry, NULL, versionsort);
    int n = 0;
    for (int i = 0; i < all; i++) {
        const char *name = entry[i]->d_name;
        const size_t length = strlen(name), tail = strlen(ending);
        if (n < most && *name != '.' && length > tail && length - tail < NAME &&
            strcmp(name + length - tail, ending) == 0)
            snprintf(out[n++], NAME, "%.*s", (int)(length - tail), name);
        free(entry[i]);
    }
    free(entry);
    return n;
}

// All items, or those of one paper.
static tn_status list_items(const char *papers, const char *key, list *out)
{
    char keys[64][NAME], path[2 * PATH], known[512] = "";
    const int n = list_folder(papers, "", 64, keys);
    size_t length = 0;
    out->n = 0;
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%.4095s/%.127s", papers, keys[i]);
        if (!is_folder(path))
            continue;
        if (length < sizeof known)
            length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                                       length ? ", " : "", keys[i]);
        if (key && strcmp(key, keys[i]) != 0)
            continue;
        const int last =
            out->n + list_folder(path, ".yaml", MOST_ITEMS - out->n, out->name + out->n);
        while (out->n < last)
            snprintf(out->key[out->n++], NAME, "%.127s", keys[i]);
    }
    return out->n > 0 ? TN_OK
           : key      ? tn_fail(TN_ERR_USAGE, "there is no paper '%s'; known are %s", key, known)
                      : tn_fail(TN_ERR_USAGE, "%s has no items of papers", papers);
}

static tn_status read_item(const places *at, const char *key, const char *name, tn_paper **out)
{
    char path[3 * PATH];
    snprintf(path, sizeof path, "%s/%s/%s.yaml", at->papers, key, name);
    if (access(path, R_OK) != 0)
        return tn_fail(TN_ERR_USAGE, "%s has no item '%s'; 'tenon paper %s' lists them", key, name,
                       key);
    return tn_paper_read(path, out);
}

static tn_status tell_list(const places *at, const list *l)
{
    tn_json *json = cli_json() ? cli_json_begin() : NULL;
    int damaged = 0;
    if (json)
        tn_json_put(json, "{ items [");
    for (int i = 0; i < l->n; i++) {
        tn_paper *item = NULL;
        if (read_item(at, l->key[i], l->name[i], &item) != TN_OK) {
            cli_message("%s", tn_last_error());
            damaged++;
            continue;
        }
        const tn_paper_facts *f = tn_paper_about(item);
        if (json)
            tn_json_object(json, NULL, "paper %s item %s called %s title %s", f->key, f->name,
                           f->item, f->title);
        else
            printf("%-6s %-20s %-14s %s\n", f->key, f->name, f->item, f->title);
        tn_paper_destroy(item);
    }
    if (json) {
        tn_json_put(json, "] }");
        CLI_TRY(cli_print_json(json));
    } else {
        puts("\ntenon paper PAPER ITEM runs one of them.");
    }
    return damaged ? tn_fail(TN_ERR_MODEL, "%d item%s cannot be read", damaged, CLI_S(damaged))
                   : TN_OK;
}

// One item ----------------------------------------------------------------------------------------

static const char *outcome_word(const tn_paper_number *q, tn_paper_verdict verdict)
{
    if (q->skipped)
        return "left out";
    if (isnan(q->tenon))
        return "not there";
    if (verdict == TN_PAPER_OPEN)
        return "shown";
    if (tn_paper_number_fails(q))
        return "fails";
    if (*q->differs)
        return "differs";
    return isnan(q->low) ? "shown" : "holds";
}

static void print_value(int width, int digits, double x)
{
    if (isnan(x))
        printf("%*s", width, "-");
    else
        printf("%*.*g", width, digits, x);
}

static void print_words(const char *head, const char *text)
{
    cli_print_wrapped(text, printf("%-12s", head), 12);
}

static void print_item(const tn_paper *item, const char *out)
{
    const tn_paper_facts *f = tn_paper_about(item);
    printf("%s, %s: %s\n\n", f->key, f->item, f->title);
    print_words("paper", f->states);
    if (*f->chosen) {
        putchar('\n');
        print_words("chosen", f->chosen);
    }
    printf("\n%14s%14s%12s\n", "paper", "Tenon", "ratio");
    for (int i = 0; i < f->nnumber; i++) {
        const tn_paper_number q = tn_paper_number_at(item, i);
        print_value(14, 7, q.paper);
        print_value(14, 7, q.tenon);
        print_value(12, 5, q.paper != 0.0 ? q.tenon / q.paper : NAN);
        printf("  %-9s %s%s%s%s\n", outcome_word(&q, f->verdict), q.what, *q.unit ? " [" : "",
               q.unit, *q.unit ? "]" : "");
    }
    const bool open = f->verdict == TN_PAPER_OPEN, why = *f->why && f->verdict != TN_PAPER_FAILS;
    printf("\nverdict     %s%s%s%s\n", tn_paper_verdict_word(f->verdict),
           open ? ": the paper has other parameters than " : "", open ? f->changed : "",
           why ? ":" : "");
    if (why)
        print_words("", f->why);
    printf("written     %s: paper.html, record.json and what the commands wrote (%.1f s)\n", out,
           f->seconds);
}

static tn_status print_item_json(const tn_paper *item, const char *out)
{
    const tn_paper_facts *f = tn_paper_about(item);
    tn_json *json = cli_json_begin();
    tn_json_put(json, "{ paper %s item %s verdict %s reason %s folder %s seconds %g numbers [",
                f->key, f->name, tn_paper_verdict_word(f->verdict), f->reason, out, f->seconds);
    for (int i = 0; i < f->nnumber; i++) {
        const tn_paper_number q = tn_paper_number_at(item, i);
        tn_json_object(json, NULL, "what %s paper %g tenon %g low %g high %g outcome %s", q.what,
                       q.paper, q.tenon, q.low, q.high, outcome_word(&q, f->verdict));
    }
    tn_json_put(json, "] }");
    return cli_print_json(json);
}

static void tell_command(void *quiet, const char *command)
{
    if (!*(const bool *)quiet && !cli_json() && isatty(STDERR_FILENO))
        fprintf(stderr, "%s\n", command);
}

static tn_status write_page(const places *at, int n, const tn_paper *const *items,
                            const char *const *folders, const char *out, const char *name)
{
    char path[2 * PATH], index[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", out, name);
    snprintf(index, sizeof index, "%s/index.yaml", at->papers);
    return tn_paper_page(n, items, folders, access(index, R_OK) == 0 ? index : NULL, path);
}

static tn_status run_item(const places *at, const char *key, const char *name, const cli_set *set,
                          wanted *w, bool *fails)
{
    char folder[2 * NAME + 16];
    tn_paper *item = NULL;
    snprintf(folder, sizeof folder, "%s_%s.paper", key, name);
    CLI_TRY(read_item(at, key, name, &item));
    const tn_paper_options how = {
        .out = w->out ? w->out : folder,
        .tenon = at->tenon,
        .programs = *at->programs ? at->programs : NULL,
        .models = *at->models ? at->models : NULL,
        .quick = w->quick,
        .nset = set->count,
        .set = set->value,
        .teller = {tell_command, &w->quiet},
    };
    tn_status s = tn_paper_run(item, &how);
    CLI_THEN(s, write_page(at, 1, (const tn_paper *const *)&item, &how.out, how.out, "paper.html"));
    if (s == TN_OK && cli_json())
        s = print_item_json(item, how.out);
    else if (s == TN_OK && !w->quiet)
        print_item(item, how.out);
    *fails = s == TN_OK && tn_paper_about(item)->verdict == TN_PAPER_FAILS;
    if (*fails)
        s = tn_fail(TN_ERR_USAGE, "%s %s fails: %s", key, name, tn_paper_about(item)->reason);
    tn_paper_destroy(item);
    return s;
}

// All items ---------------------------------------------------------------------------------------

typedef struct sweep {
    const places *at;
    const list *items;
    const wanted *w;
    const char *out;
    pid_t running[MOST_ITEMS];
    int done;
} sweep;

static void item_folder(const sweep *s, int i, char *out)
{
    snprintf(out, 2 * PATH, "%s/%s/%s", s->out, s->items->key[i], s->items->name[i]);
}

static tn_status begin_item(sweep *s, int i)
{
    char folder[2 * PATH];
    char *words[16] = {(char *)s->at->tenon,
                       "paper",
                       (char *)s->items->key[i],
                       (char *)s->items->name[i],
                       "--out",
                       folder,
                       "--papers",
                       (char *)s->at->papers,
                       "--quiet",
                       s->w->quick ? "--quick" : NULL};
    posix_spawn_file_actions_t quiet;
    item_folder(s, i, folder);
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", 1, 0);
    const int failed = posix_spawn(&s->running[i], s->at->tenon, &quiet, NULL, words, environ);
    posix_spawn_file_actions_destroy(&quiet);
    return failed
               ? tn_fail(TN_ERR_USAGE, "paper: cannot start %s: %s", s->at->tenon, strerror(failed))
               : TN_OK;
}

// Says how an item ended.
static tn_status end_item(sweep *s, int i, tn_paper *item)
{
    char folder[2 * PATH];
    item_folder(s, i, folder);
    if (tn_paper_recall(item, folder) != TN_OK)
        return tn_fail(TN_ERR_USAGE, "%s %s could not be run; 'tenon paper %s %s' says why",
                       s->items->key[i], s->items->name[i], s->items->key[i], s->items->name[i]);
    const tn_paper_facts *f = tn_paper_about(item);
    s->done++;
    if (!s->w->quiet && !cli_json()) {
        printf("[%d/%d] %s %s: %s (%.1f s)%s%s\n", s->done, s->items->n, f->key, f->name,
               tn_paper_verdict_word(f->verdict), f->seconds, *f->reason ? ": " : "", f->reason);
        fflush(stdout);
    }
    return TN_OK;
}

static tn_status run_all(sweep *s, tn_paper **papers)
{
    const int jobs = s->w->jobs > 0 ? s->w->jobs : 2;
    tn_status status = TN_OK;
    for (int begun = 0, active = 0; active > 0 || (begun < s->items->n && status == TN_OK);) {
        if (status == TN_OK && begun < s->items->n && active < jobs) {
            status = begin_item(s, begun++);
            active += status == TN_OK;
            continue;
        }
        int how, i = 0;
        const pid_t ended = waitpid(-1, &how, 0);
        while (i < s->items->n && s->running[i] != ended)
            i++;
        if (i == s->items->n)
            continue;
        active--;
        CLI_THEN(status, end_item(s, i, papers[i]));
    }
    return status;
}

static tn_status page_of_all(const sweep *s, tn_paper *const *papers)
{
    char(*folders)[2 * PATH] = calloc((size_t)s->items->n, sizeof *folders);
    const char **list_of = calloc((size_t)s->items->n, sizeof *list_of);
    tn_status status = folders && list_of ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory");
    for (int i = 0; status == TN_OK && i < s->items->n; i++) {
        item_folder(s, i, folders[i]);
        list_of[i] = folders[i];
    }
    CLI_THEN(status, write_page(s->at, s->items->n, (const tn_paper *const *)papers, list_of,
                                s->out, "papers.html"));
    free(folders);
    free(list_of);
    return status;
}

static tn_status tell_all(const sweep *s, tn_paper *const *papers, int *failing)
{
    int count[TN_PAPER_FAILS + 1] = {0};
    for (int i = 0; i < s->items->n; i++)
        count[tn_paper_about(papers[i])->verdict]++;
    *failing = count[TN_PAPER_FAILS];
    if (cli_json()) {
        tn_json *json = cli_json_begin();
        tn_json_put(json, "{ items %d agrees %d shape %d differs %d fails %d page %s }",
                    s->items->n, count[TN_PAPER_AGREES], count[TN_PAPER_SHAPE],
                    count[TN_PAPER_DIFFERS], count[TN_PAPER_FAILS], s->out);
        return cli_print_json(json);
    }
    if (!s->w->quiet)
        printf("\n%d items: %d agree, %d agree in shape, %d differ, %d fail\nwritten     "
               "%s/papers.html\n",
               s->items->n, count[TN_PAPER_AGREES], count[TN_PAPER_SHAPE], count[TN_PAPER_DIFFERS],
               count[TN_PAPER_FAILS], s->out);
    return TN_OK;
}

static tn_status run_sweep(const places *at, const list *items, const wanted *w, bool *fails)
{
    sweep *s = calloc(1, sizeof *s);
    tn_paper **papers = calloc((size_t)items->n, sizeof *papers);
    int failing = 0;
    tn_status status = s && papers ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory");
    if (status == TN_OK)
        *s = (sweep){.at = at, .items = items, .w = w, .out = w->out ? w->out : "papers.results"};
    // All are read before one is run: a mistake in a file is reported at once.
    for (int i = 0; status == TN_OK && i < items->n; i++)
        status = read_item(at, items->key[i], items->name[i], &papers[i]);
    CLI_THEN(status, run_all(s, papers));
    CLI_THEN(status, page_of_all(s, papers));
    CLI_THEN(status, tell_all(s, papers, &failing));
    *fails = failing > 0;
    if (status == TN_OK && failing > 0)
        status = tn_fail(TN_ERR_USAGE, "%d item%s", failing, failing == 1 ? " fails" : "s fail");
    for (int i = 0; papers && i < items->n; i++)
        tn_paper_destroy(papers[i]);
    free(papers);
    free(s);
    return status;
}

static tn_status check_words(const cli_args *args, const wanted *w)
{
    const bool one = args->count == 2;
    if (one && w->all)
        return tn_fail(TN_ERR_USAGE, "--all runs all items; leave out '%s'", args->word[1]);
    if (!one && args->sets)
        return tn_fail(TN_ERR_USAGE, "--set is for one item; name it: tenon paper PAPER ITEM");
    if (!one && !w->all && (w->out || w->quick))
        return tn_fail(TN_ERR_USAGE, "name the item to run, or say --all");
    return TN_OK;
}

static tn_status paper(cli_args *args)
{
    wanted own = {0}, *w = &own;
    CLI_TRY(cli_parse(args, w));
    static places at;
    list *items = calloc(1, sizeof *items);
    bool fails = false;
    cli_set set;
    tn_status s = items ? cli_read_set(args, &set) : tn_fail(TN_ERR_MEMORY, "out of memory");
    CLI_THEN(s, check_words(args, w));
    CLI_THEN(s, find_places(w->papers, &at));
    CLI_THEN(s, list_items(at.papers, args->count > 0 ? args->word[0] : NULL, items));
    if (s == TN_OK)
        s = args->count == 2 ? run_item(&at, args->word[0], args->word[1], &set, w, &fails)
            : w->all         ? run_sweep(&at, items, w, &fails)
                             : tell_list(&at, items);
    free(items);
    if (!fails)
        return s;
    // Under --json what fails is in the document that was printed.
    args->code =
        cli_json() ? cli_end(CLI_DONE) == CLI_DONE ? CLI_REQUIRE : CLI_USAGE : cli_end(CLI_REQUIRE);
    return TN_OK;
}

const cli_command cmd_paper = {
    .name = "paper",
    .summary = "compute figures, tables and examples of papers anew",
    .usage = "paper | paper PAPER | paper PAPER ITEM [--set NAME=VALUE] [--quick] [--out DIR] | "
             "paper [PAPER] --all [--jobs N]",
    .text = "Without words it lists the items that there are, of all papers or of one. An item is\n"
            "one figure, table, example or statement: its commands are run, and its numbers laid\n"
            "beside those that were published. An item whose numbers are beyond their bounds\n"
            "ends with code 4. The folder gets paper.html, or papers.html with --all.",
    .word = "PAPER",
    .least = 0,
    .most = 2,
    .parameters = true,
    CLI_OPTIONS(options),
    .run = paper,
};
