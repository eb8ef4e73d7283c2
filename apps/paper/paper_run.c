// SPDX-License-Identifier: MIT
//
// Running an item: its commands in a folder of their own, then its numbers, then record.json, which
// has all that the page needs to know of it.

#include "base/clock.h"
#include "paper/paper_parts.h"
#include "tenon/json.h"
#include "text/number.h"
#include "text/table.h"
#include "text/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned PATIENCE = 900; // for a command [s]
static const char RECORD[] = "record.json", LOG[] = "log.txt";

// The folder --------------------------------------------------------------------------------------

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *where)
{
    (void)s;
    (void)kind;
    return where->level == 0 ? 0 : remove(path);
}

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    int n = 0;
    while (folder && n < 3 && readdir(folder))
        n++;
    if (folder)
        closedir(folder);
    return n <= 2; // . and ..
}

// A folder that holds something else stays as it is.
static tn_status empty_folder(const char *out)
{
    if (!is_empty(out) && !tn_folder_has(out, RECORD) && !tn_folder_has(out, LOG))
        return tn_fail(TN_ERR_USAGE,
                       "%s holds something else than an item of a paper; name another folder with "
                       "--out",
                       out);
    if (nftw(out, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
        return tn_fail(TN_ERR_USAGE, "cannot empty %s: %s", out, strerror(errno));
    return tn_folder_write(out, LOG, "");
}

// Commands ----------------------------------------------------------------------------------------

enum { MOST_WORDS = 64 };

static tn_status set_values(tn_paper *p, const tn_paper_options *o)
{
    const char *known[TN_PAPER_PARAMETERS];
    const int n = p->parameters.count;
    for (int i = 0; i < n; i++) {
        known[i] = p->parameters.at[i].name;
        p->value[i] = p->parameters.at[i].value;
    }
    for (int k = 0; k < o->nset; k++) {
        const tn_parameter_value *set = &o->set[k];
        int i = 0;
        while (i < n && strcmp(set->name, known[i]) != 0)
            i++;
        if (i == n)
            return tn_fail(TN_ERR_USAGE, "%s %s has no parameter '%s'; %s", p->key, p->name,
                           set->name, tn_name_hint(set->name, n, known).text);
        if (set->expression)
            return tn_fail(TN_ERR_USAGE, "%s %s: parameter '%s' takes a number, found '%s'", p->key,
                           p->name, set->name, set->expression);
        p->value[i] = set->value;
    }
    p->models = o->models ? o->models : "models";
    return TN_OK;
}

// A parameter is not that of the paper.
static bool is_changed(const tn_paper *p)
{
    bool changed = false;
    for (int i = 0; i < p->parameters.count; i++)
        changed |= p->value[i] != p->parameters.at[i].value;
    return changed;
}

// "x0 = 0.1, h = 0.2"
static tn_status tell_changed(tn_paper *p, const tn_paper_options *o)
{
    tn_buffer text = {0};
    tn_buffer_put(&text, "", 0);
    for (int k = 0; k < o->nset; k++)
        tn_buffer_format(&text, "%s%s = %g", k ? ", " : "", o->set[k].name, o->set[k].value);
    TN_TRY(tn_buffer_finish(&text, "a list", &p->changed));
    p->facts.changed = p->changed;
    return TN_OK;
}

// The words of a command line, in quotes where they have blanks; each is filled and to be freed.
static tn_status split_command(const tn_paper *p, const char *text, int *n, char **list)
{
    while (*(text += strspn(text, " \n"))) {
        const char quote = *text == '\'' || *text == '"' ? *text : '\0';
        const size_t length =
            quote ? strcspn(text + 1, (char[]){quote, '\0'}) : strcspn(text, " \n");
        char plain[4096];
        if (*n == MOST_WORDS - 1 || length >= sizeof plain)
            return tn_fail(TN_ERR_MODEL, "the command is too long");
        snprintf(plain, sizeof plain, "%.*s", (int)length, text + (quote != '\0'));
        TN_TRY(tn_paper_fill(p, plain, TN_PAPER_RUN, "a command", &list[(*n)++]));
        text += length + (quote ? 2 : 0);
    }
    return TN_OK;
}

static _Noreturn void become(const char *out, const char *to, const char *program, char **list)
{
    if (chdir(out) != 0)
        _exit(126);
    const int log = open(LOG, O_WRONLY | O_APPEND | O_CREAT, 0666);
    const int target = to ? open(to, O_WRONLY | O_TRUNC | O_CREAT, 0666) : log;
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(target, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    alarm(PATIENCE);
    execv(program, list);
    dprintf(STDERR_FILENO, "cannot start %s: %s\n", program, strerror(errno));
    _exit(127);
}

static tn_status run_words(const tn_paper_options *o, tn_paper_command *c, const char *program,
                           char **list)
{
    const double start = tn_wall_time();
    const pid_t pid = fork();
    int how = 0;
    if (pid == 0)
        become(o->out, c->to, program, list);
    if (pid < 0 || waitpid(pid, &how, 0) != pid)
        return tn_fail(TN_ERR_FILE, "cannot start %s: %s", program, strerror(errno));
    c->ended = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    c->seconds = tn_wall_time() - start;
    return TN_OK;
}

static tn_status run_command(const tn_paper *p, const tn_paper_options *o, tn_paper_command *c)
{
    char *list[MOST_WORDS] = {NULL}, program[4096];
    int n = 1;
    tn_status s = split_command(p, c->text, &n, list);
    const bool own = s == TN_OK && n > 2 && strcmp(list[1], "program") == 0;
    if (own && !o->programs)
        s = tn_fail(TN_ERR_USAGE, "the programs of papers are not there");
    if (s == TN_OK) {
        if (own)
            snprintf(program, sizeof program, "%s/%s_%s", o->programs, p->key, list[2]);
        else
            snprintf(program, sizeof program, "%s", o->tenon);
        char **begin = own ? list + 2 : list;
        char *kept = begin[0];
        begin[0] = program;
        if (o->teller.tell)
            o->teller.tell(o->teller.user, c->shown);
        s = run_words(o, c, program, begin);
        begin[0] = kept;
    }
    for (int i = 0; i < n; i++)
        tn_free(list[i]);
    return s == TN_OK ? s : tn_node_within(p->doc, c->node, s, "command");
}

// The verdict -------------------------------------------------------------------------------------

// Keeps the first reason.
static tn_status fail_item(tn_paper *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static tn_status fail_item(tn_paper *p, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    p->facts.verdict = TN_PAPER_FAILS;
    if (p->reason)
        return TN_OK;
    p->reason = tn_strdup(text);
    p->facts.reason = p->reason;
    return tn_got(p->reason);
}

// The last lines that commands have written.
static void log_end(const char *out, size_t size, char *text)
{
    char path[4096], *all = NULL;
    size_t length = 0;
    snprintf(path, sizeof path, "%s/%s", out, LOG);
    *text = '\0';
    if (tn_file_read(path, 64 << 20, &all, &length) == TN_OK && length > 0) {
        while (length > 0 && all[length - 1] == '\n')
            all[--length] = '\0';
        const char *line = strrchr(all, '\n');
        snprintf(text, size, "%s", line ? line + 1 : all);
    }
    tn_free(all);
}

static tn_status run_commands(tn_paper *p, const tn_paper_options *o)
{
    for (int i = 0; i < p->commands.count; i++) {
        tn_paper_command *c = &p->commands.at[i];
        if (o->quick && c->is_long)
            continue;
        TN_TRY(run_command(p, o, c));
        if (c->exit == TN_PAPER_ANY_EXIT ? c->ended < 126 : c->ended == c->exit)
            continue;
        char said[512];
        log_end(o->out, sizeof said, said);
        return fail_item(p, "'%s' ended with code %d, not %d: %s", c->shown, c->ended, c->exit,
                         said);
    }
    return TN_OK;
}

static tn_status find_numbers(tn_paper *p, const tn_paper_options *o)
{
    for (int i = 0; i < p->numbers.count; i++) {
        tn_paper_quantity *q = &p->numbers.at[i];
        char *text = NULL;
        q->facts.skipped = o->quick && q->is_long;
        if (q->facts.skipped)
            continue;
        tn_status s = tn_paper_fill(p, q->text, TN_PAPER_EXPRESSION, "an expression", &text);
        TN_THEN(s, tn_paper_value(o->out, text, &q->facts.tenon));
        tn_free(text);
        if (s == TN_ERR_MEMORY)
            return s;
        if (s != TN_OK) {
            char said[1024];
            snprintf(said, sizeof said, "%s", tn_last_error());
            TN_TRY(fail_item(p, "%s: %s", q->facts.what, said));
        } else if (!is_changed(p) && tn_paper_number_fails(&q->facts)) {
            TN_TRY(fail_item(p, "%s: %.6g is not within %.6g and %.6g", q->facts.what,
                             q->facts.tenon, q->facts.low, q->facts.high));
        }
    }
    return TN_OK;
}

static tn_status find_files(tn_paper *p, const tn_paper_options *o, int n,
                            const tn_paper_file *list)
{
    for (int i = 0; i < n; i++)
        if (!(o->quick && list[i].is_long) && !tn_folder_has(o->out, list[i].file))
            TN_TRY(fail_item(p, "no command has written %s", list[i].file));
    return TN_OK;
}

// The record --------------------------------------------------------------------------------------

static tn_status write_record(const tn_paper *p, const char *out)
{
    const tn_paper_facts *f = &p->facts;
    tn_json *json = NULL;
    TN_TRY(tn_json_create(&json));
    tn_json_put(json,
                "{ paper %s item %s verdict %s verdict_number %d reason %s changed %s seconds %g "
                "quick %i",
                p->key, p->name, tn_paper_verdict_word(f->verdict), (int)f->verdict, f->reason,
                f->changed, f->seconds, f->quick);
    tn_json_begin_array(json, "commands");
    for (int i = 0; i < p->commands.count; i++) {
        const tn_paper_command *c = &p->commands.at[i];
        tn_json_object(json, NULL, "command %s exit %d seconds %g", c->shown, c->ended, c->seconds);
    }
    tn_json_end_array(json);
    tn_json_begin_array(json, "numbers");
    for (int i = 0; i < p->numbers.count; i++) {
        const tn_paper_number *q = &p->numbers.at[i].facts;
        tn_json_object(json, NULL, "what %s paper %g tenon %g low %g high %g skipped %i holds %i",
                       q->what, q->paper, q->tenon, q->low, q->high, q->skipped,
                       !tn_paper_number_fails(q));
    }
    tn_json_put(json, "] }");
    tn_status s = tn_json_finish(json);
    TN_THEN(s, tn_folder_write(out, RECORD, tn_json_text(json)));
    tn_json_destroy(json);
    return s;
}

static tn_status start_over(tn_paper *p)
{
    p->facts.verdict = TN_PAPER_OPEN;
    p->facts.reason = p->facts.changed = "";
    TN_FREE(p->reason, p->changed);
    p->reason = p->changed = NULL;
    for (int i = 0; i < p->commands.count; i++)
        p->commands.at[i].ended = -1;
    for (int i = 0; i < p->numbers.count; i++)
        p->numbers.at[i].facts.tenon = NAN;
    return TN_OK;
}

static tn_status run_locked(tn_paper *paper, const tn_paper_options *options)
{
    paper->facts.quick = options->quick;
    TN_TRY(run_commands(paper, options));
    if (paper->facts.verdict != TN_PAPER_FAILS) {
        TN_TRY(find_numbers(paper, options));
        TN_TRY(find_files(paper, options, paper->pictures.count, paper->pictures.at));
        TN_TRY(find_files(paper, options, paper->tables.count, paper->tables.at));
    }
    if (paper->facts.verdict != TN_PAPER_FAILS && !is_changed(paper))
        paper->facts.verdict = paper->facts.declared;
    return TN_OK;
}

tn_status tn_paper_run(tn_paper *paper, const tn_paper_options *options)
{
    TN_NEED_ALL(TN_ERR_USAGE, paper, options);
    TN_NEED_ALL(TN_ERR_USAGE, options->out, options->tenon);
    if (options->nset > 0)
        TN_NEED(options->set, TN_ERR_USAGE);
    const double start = tn_wall_time();
    TN_TRY(start_over(paper));
    TN_TRY(set_values(paper, options));
    TN_TRY(tn_paper_show(paper));
    if (is_changed(paper))
        TN_TRY(tell_changed(paper, options));
    int lock = -1;
    TN_TRY(tn_folder_parents(options->out));
    if (mkdir(options->out, 0777) != 0 && errno != EEXIST)
        return tn_fail(TN_ERR_USAGE, "cannot make the folder %s: %s", options->out,
                       strerror(errno));
    TN_TRY(tn_folder_lock(options->out, &lock));
    tn_status s = empty_folder(options->out);
    TN_THEN(s, run_locked(paper, options));
    paper->facts.seconds = tn_wall_time() - start;
    TN_THEN(s, write_record(paper, options->out));
    tn_folder_unlock(lock);
    return s;
}

// Results of an earlier run ----------------------------------------------------------------------

static void recall_text(const tn_node *map, const char *key, char **out, const char **shown)
{
    const char *text = tn_node_text(map, key);
    *out = *text ? tn_strdup(text) : NULL;
    *shown = *out ? *out : "";
}

tn_status tn_paper_recall(tn_paper *p, const char *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, p, out);
    char path[4096];
    tn_document *doc = NULL;
    snprintf(path, sizeof path, "%s/%s", out, RECORD);
    TN_TRY(start_over(p));
    TN_TRY(tn_document_read(path, &doc));
    const tn_node *root = doc->root, *numbers = tn_node_get(root, "numbers"),
                  *commands = tn_node_get(root, "commands");
    tn_status s = TN_OK;
    if (!numbers || numbers->count != p->numbers.count || !commands ||
        commands->count != p->commands.count)
        s = tn_fail(TN_ERR_FILE, "%s is of another item; run it again", path);
    if (s == TN_OK) {
        recall_text(root, "changed", &p->changed, &p->facts.changed);
        recall_text(root, "reason", &p->reason, &p->facts.reason);
    }
    for (int i = 0; s == TN_OK && i < p->numbers.count; i++) {
        tn_paper_number *q = &p->numbers.at[i].facts;
        q->tenon = tn_node_value(numbers->children[i], "tenon", NAN);
        q->skipped = strcmp(tn_node_text(numbers->children[i], "skipped"), "true") == 0;
    }
    for (int i = 0; s == TN_OK && i < p->commands.count; i++) {
        p->commands.at[i].ended = (int)tn_node_value(commands->children[i], "exit", NAN);
        p->commands.at[i].seconds = tn_node_value(commands->children[i], "seconds", NAN);
    }
    const double verdict = tn_node_value(root, "verdict_number", NAN);
    if (s == TN_OK && verdict >= TN_PAPER_OPEN && verdict <= TN_PAPER_FAILS)
        p->facts.verdict = (tn_paper_verdict)verdict;
    p->facts.seconds = tn_node_value(root, "seconds", NAN);
    p->facts.quick = strcmp(tn_node_text(root, "quick"), "true") == 0;
    tn_document_destroy(doc);
    return s;
}
