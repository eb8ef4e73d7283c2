// SPDX-License-Identifier: MIT
//
// A sweep: what is asked for, the workers, and what was found. Workers are copies of this process,
// made when the model is read; each gets one case at a time, so that long ones hold up nobody, and
// one that dies costs its case alone.

#include "base/buffer.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/param.h"
#include "base/workers.h"
#include "io/checksum.h"
#include "io/child.h"
#include "io/sweep_parts.h"
#include "io/target.h"
#include "tenon/help.h"
#include "tenon/json.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

static const double MOST_CASES = 1e6; // more is a slip more often than a wish
enum { MOST_JOBS = 1024, LOOK_EVERY = 100, MOST_FILE = 1 << 30 }; // [ms], [bytes]

// A case whose process has died is run again when the sweep goes on: memory may have been short.
#define DIED "the process that ran it "

static const char *const states[] = {"missing", "done", "doubtful", "failed"};

// What is asked for ----------------------------------------------------------------------------

tn_sweep_options tn_default_sweep(void)
{
    return (tn_sweep_options){.sample = "grid", .seed = 1};
}

// Columns of the table have names of their own.
static tn_status check_names(const tn_sweep *s)
{
    static const char *const taken[] = {"case", "status", "reason"};
    for (int i = 0; i < s->outputs.count; i++) {
        const char *name = s->outputs.at[i].name;
        bool twice = false;
        for (int k = 0; k < i; k++)
            twice |= strcmp(s->outputs.at[k].name, name) == 0;
        for (int k = 0; k < s->axes.count; k++)
            twice |= strcmp(s->axes.at[k].name, name) == 0;
        for (int k = 0; k < TN_COUNT(taken); k++)
            twice |= strcmp(taken[k], name) == 0;
        if (twice)
            return tn_fail(TN_ERR_USAGE,
                           "--outputs: the table has a column '%s' already; name it "
                           "differently, NAME=%s",
                           name, s->outputs.at[i].what);
    }
    return TN_OK;
}

static tn_status read_wanted(tn_sweep *s)
{
    const tn_sweep_options *w = &s->wanted;
    s->sample.seed = w->seed;
    TN_TRY(tn_sweep_read_sample(w->sample, &s->sample));
    for (int i = 0; i < w->nset; i++) {
        sweep_axis axis;
        tn_status status = tn_sweep_read_axis(w->set[i], s->sample.way > SWEEP_ROWS, &axis);
        TN_THEN(status, tn_array_push(&s->axes, axis));
        if (status != TN_OK) {
            TN_FREE(axis.name, axis.expression, axis.list.at);
            return status;
        }
        for (int k = 0; k < i; k++)
            if (strcmp(s->axes.at[k].name, axis.name) == 0)
                return tn_fail(TN_ERR_USAGE, "--set: '%s' is stated twice", axis.name);
    }
    for (int i = 0; i < w->noutput; i++) {
        sweep_output output;
        tn_status status = tn_sweep_read_output(w->outputs[i], i + 1, &output);
        TN_THEN(status, tn_array_push(&s->outputs, output));
        if (status != TN_OK) {
            TN_FREE(output.name, output.what);
            return status;
        }
    }
    TN_TRY(check_names(s));
    return tn_sweep_prepare(&s->sample, &s->axes);
}

static tn_status check_wanted(const tn_sweep *s)
{
    const tn_sweep_options *w = &s->wanted;
    if (w->noutput == 0)
        return tn_fail(TN_ERR_USAGE, "a sweep needs outputs: --outputs 'max(JOINT.force.x)'");
    if (w->jobs < 0 || w->jobs > MOST_JOBS)
        return tn_fail(TN_ERR_USAGE, "a sweep has 1 to %d workers, found %d", MOST_JOBS, w->jobs);
    if (w->shards < 0 || (w->shards > 0 && (w->shard < 1 || w->shard > w->shards)))
        return tn_fail(TN_ERR_USAGE, "shard %d/%d: write I/N with I from 1 to N", w->shard,
                       w->shards);
    if ((double)s->sample.cases > MOST_CASES && !w->large)
        return tn_fail(
            TN_ERR_USAGE,
            "the sweep has %.3g cases, %.3g GB on disk; --yes allows more than a million",
            (double)s->sample.cases,
            1e-9 * (double)s->sample.cases * (SWEEP_REASON + 8.0 + 8.0 * w->noutput));
    return TN_OK;
}

static uint32_t add_text(uint32_t key, const char *text)
{
    return text ? tn_checksum(key, text, strlen(text) + 1) : tn_checksum(key, "", 1);
}

// Options in the place of those of the model.
static uint32_t add_simulate(uint32_t key, const tn_sweep *s)
{
    const tn_param *p;
    for (int i = 0; s->simulate && s->given && (p = tn_help_option(i)); i++) {
        const char *at = (const char *)s->simulate + p->offset;
        if (!s->given[i])
            continue;
        key = add_text(key, p->name);
        if (p->type == TN_PARAM_TEXT)
            key = add_text(key, *(const char *const *)at);
        else if (p->type == TN_PARAM_NUMBERS) // a count, then where they are
            key = tn_checksum(key, *(const double *const *)(at + sizeof(const double *)),
                              sizeof(double) * (size_t) * (const int *)at);
        else
            key = tn_checksum(key, at, tn_param_size(p->type));
    }
    return key;
}

// What decides the numbers of every case.
static tn_status make_key(tn_sweep *s)
{
    char *text = NULL;
    size_t length = 0;
    const tn_sweep_options *w = &s->wanted;
    tn_status status = tn_file_read(s->model_path, MOST_FILE, &text, &length);
    if (status == TN_OK) {
        s->key = tn_checksum(tn_checksum(0, text, length), &s->subject, sizeof s->subject);
        for (int i = 0; i < s->axes.count; i++) {
            const sweep_axis *x = &s->axes.at[i];
            s->key = add_text(add_text(s->key, w->set[i]), x->name);
            s->key = tn_checksum(s->key, x->list.at, sizeof(double) * (size_t)x->list.count);
        }
        for (int i = 0; i < w->noutput; i++)
            s->key = add_text(s->key, w->outputs[i]);
        s->key = add_simulate(add_text(s->key, w->sample), s);
        s->key = tn_checksum(s->key, &w->seed, sizeof w->seed);
    }
    tn_free(text);
    return status;
}

static tn_status make_columns(tn_sweep *s)
{
    int n = 0;
    s->columns = tn_alloc(sizeof *s->columns * (size_t)(s->axes.count + s->outputs.count));
    s->values = tn_alloc(sizeof(double) * (size_t)(s->axes.count + 2 * s->outputs.count + 1));
    if (!s->columns || !s->values)
        return TN_ERR_MEMORY;
    for (int i = 0; i < s->axes.count; i++)
        if (s->axes.at[i].kind != SWEEP_FIXED)
            s->columns[n++] =
                (tn_sweep_column){.name = s->axes.at[i].name, .unit = "", .varied = true};
    for (int i = 0; i < s->outputs.count; i++)
        s->columns[n++] =
            (tn_sweep_column){.name = s->outputs.at[i].name, .unit = s->outputs.at[i].unit};
    return TN_OK;
}

static int varied_count(const tn_sweep *s)
{
    int n = 0;
    for (int i = 0; i < s->axes.count; i++)
        n += s->axes.at[i].kind != SWEEP_FIXED;
    return n;
}

static char *file_in(const char *folder, const char *name)
{
    return folder ? tn_format("%s/%s", folder, name) : NULL;
}

static tn_status open_store(const char *folder, const tn_sweep *s, bool replace, sweep_store *out)
{
    char *path = file_in(folder, "cases.bin");
    tn_status status = tn_got(path);
    TN_THEN(status, tn_sweep_store_open(path, s->key, s->outputs.count, replace, out));
    tn_free(path);
    return status == TN_ERR_FILE ? TN_ERR_USAGE : status;
}

static tn_status open_folder(tn_sweep *s)
{
    s->directory =
        s->wanted.out ? tn_strdup(s->wanted.out) : tn_folder_named(s->model_path, "sweep");
    TN_TRY(tn_got(s->directory));
    TN_TRY(tn_folder_parents(s->directory));
    if (mkdir(s->directory, 0777) != 0 && errno != EEXIST)
        return tn_fail(TN_ERR_USAGE, "cannot make the folder %s: %s", s->directory,
                       strerror(errno));
    TN_TRY(tn_folder_lock(s->directory, &s->lock));
    return open_store(s->directory, s, s->wanted.replace, &s->store);
}

static tn_status prepare_sweep(tn_sweep *s)
{
    TN_TRY(tn_got(s->model_path));
    TN_TRY(read_wanted(s));
    TN_TRY(check_wanted(s));
    TN_TRY(tn_document_read(s->model_path, &s->doc));
    TN_TRY(tn_sweep_try(s));
    TN_TRY(make_key(s));
    TN_TRY(make_columns(s));
    return open_folder(s);
}

tn_status tn_sweep_create(const char *model_path, const tn_simulate *values, const bool *given,
                          const tn_sweep_options *options, tn_sweep **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model_path, options, out);
    if (options->nset > 0)
        TN_NEED(options->set, TN_ERR_USAGE);
    if (options->noutput > 0)
        TN_NEED(options->outputs, TN_ERR_USAGE);
    *out = NULL;
    tn_sweep *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->wanted = *options;
    s->simulate = values;
    s->given = given;
    if (!s->wanted.sample)
        s->wanted.sample = "grid";
    s->model_path = tn_strdup(model_path);
    s->lock = s->store.file = -1;
    const tn_status status = prepare_sweep(s);
    if (status != TN_OK) {
        tn_sweep_destroy(s);
        return status;
    }
    *out = s;
    return TN_OK;
}

void tn_sweep_destroy(tn_sweep *s)
{
    if (!s)
        return;
    tn_sweep_store_close(&s->store);
    tn_folder_unlock(s->lock);
    tn_document_destroy(s->doc);
    tn_sweep_free_axes(&s->axes);
    tn_sweep_free_outputs(&s->outputs);
    tn_sweep_free_sample(&s->sample);
    TN_FREE(s->model_path, s->directory, s->columns, s->values, s);
}

void tn_sweep_stop(tn_sweep *sweep)
{
    if (sweep)
        atomic_store(&sweep->stop, 1);
}

// Workers --------------------------------------------------------------------------------------

typedef struct answer {
    int32_t state;
    char reason[SWEEP_REASON];
} answer;

typedef struct worker {
    tn_child child;
    int64_t index; // of its case; -1 for none
} worker;

typedef struct pool {
    tn_sweep *sweep;
    int n;
    worker *workers;
    struct pollfd *polls;
    int64_t next, ended, all; // case to look at; cases that have ended, of so many
} pool;

static void work(int socket, void *user)
{
    tn_sweep *s = user;
    sweep_ended ended = {.values = s->values};
    int64_t index;
    while (tn_child_receive(socket, &index, sizeof index)) {
        answer a = {0};
        tn_sweep_run_case(s, index, &ended);
        a.state = ended.state;
        memcpy(a.reason, ended.reason, sizeof a.reason);
        if (!tn_child_send(socket, &a, sizeof a) ||
            !tn_child_send(socket, ended.values, sizeof(double) * (size_t)s->outputs.count))
            return;
    }
}

static bool is_ours(const tn_sweep *s, int64_t index)
{
    return s->wanted.shards == 0 || index % s->wanted.shards == s->wanted.shard - 1;
}

// The next case that is missing, -1 for none.
static tn_status next_case(pool *p, int64_t *out)
{
    tn_sweep *s = p->sweep;
    sweep_ended ended = {.values = s->values};
    for (*out = -1; p->next < s->sample.cases; p->next++) {
        if (!is_ours(s, p->next))
            continue;
        TN_TRY(tn_sweep_store_get(&s->store, p->next, &ended));
        if (ended.state == TN_CASE_MISSING || strncmp(ended.reason, DIED, strlen(DIED)) == 0) {
            *out = p->next++;
            return TN_OK;
        }
        p->ended++;
    }
    return TN_OK;
}

static tn_status hand_out(pool *p, worker *w)
{
    TN_TRY(next_case(p, &w->index));
    if (w->index < 0)
        return TN_OK;
    if (w->child.pid == 0)
        TN_TRY(tn_child_start(work, p->sweep, &w->child));
    (void)tn_child_send(w->child.socket, &w->index, sizeof w->index); // a failure shows at its end
    return TN_OK;
}

// Takes the answer of a worker, or its end, and gives it something else.
static tn_status take_answer(pool *p, worker *w)
{
    tn_sweep *s = p->sweep;
    sweep_ended ended = {.values = s->values};
    answer a;
    if (tn_child_receive(w->child.socket, &a, sizeof a) &&
        tn_child_receive(w->child.socket, ended.values,
                         sizeof(double) * (size_t)s->outputs.count)) {
        ended.state = (tn_case_state)a.state;
        memcpy(ended.reason, a.reason, sizeof ended.reason);
    } else {
        char how[100] = "";
        tn_child_end(&w->child, true, how, sizeof how);
        w->child = (tn_child){.socket = -1};
        ended.state = TN_CASE_FAILED;
        for (int i = 0; i < s->outputs.count; i++)
            ended.values[i] = NAN;
        snprintf(ended.reason, sizeof ended.reason, DIED "%s", *how ? how : "ended");
    }
    TN_TRY(tn_sweep_store_put(&s->store, w->index, &ended));
    p->ended++;
    if (s->wanted.done)
        s->wanted.done(s->wanted.user, p->ended, p->all);
    return hand_out(p, w);
}

// Whoever has an answer, or is gone; none where nobody works any more.
static tn_status take_answers(pool *p, int *busy)
{
    *busy = 0;
    for (int i = 0; i < p->n; i++)
        if (p->workers[i].index >= 0)
            p->polls[(*busy)++] = (struct pollfd){p->workers[i].child.socket, POLLIN, 0};
    if (*busy == 0)
        return TN_OK;
    if (atomic_load(&p->sweep->stop))
        return tn_fail(TN_ERR_STOPPED, "stopped on request after %lld of %lld cases",
                       (long long)p->ended, (long long)p->all);
    if (poll(p->polls, (nfds_t)*busy, LOOK_EVERY) < 0 && errno != EINTR)
        return tn_fail(TN_ERR_FILE, "cannot wait for workers: %s", strerror(errno));
    for (int i = 0, k = 0; i < p->n; i++)
        if (p->workers[i].index >= 0 && p->polls[k++].revents)
            TN_TRY(take_answer(p, &p->workers[i]));
    return TN_OK;
}

static tn_status work_off(pool *p)
{
    int busy = p->n;
    for (int i = 0; i < p->n; i++)
        TN_TRY(hand_out(p, &p->workers[i]));
    while (busy > 0)
        TN_TRY(take_answers(p, &busy));
    return TN_OK;
}

static int64_t our_cases(const tn_sweep *s)
{
    const int64_t n = s->sample.cases, shards = s->wanted.shards;
    return shards == 0 ? n : (n - s->wanted.shard + shards) / shards;
}

tn_status tn_sweep_run(tn_sweep *sweep)
{
    TN_NEED(sweep, TN_ERR_USAGE);
    pool p = {.sweep = sweep, .all = our_cases(sweep)};
    p.n = sweep->wanted.jobs > 0 ? sweep->wanted.jobs : tn_processors();
    p.n = (int)fmin(p.n, (double)p.all);
    p.workers = tn_alloc(sizeof *p.workers * (size_t)(p.n + 1));
    p.polls = tn_alloc(sizeof *p.polls * (size_t)(p.n + 1));
    tn_status s = p.workers && p.polls ? TN_OK : TN_ERR_MEMORY;
    for (int i = 0; i < p.n && p.workers; i++)
        p.workers[i] = (worker){.child.socket = -1, .index = -1};
    TN_THEN(s, work_off(&p));
    for (int i = 0; i < p.n && p.workers; i++)
        if (p.workers[i].child.pid != 0)
            tn_child_end(&p.workers[i].child, s != TN_OK, NULL, 0);
    TN_FREE(p.workers, p.polls);
    return s == TN_ERR_FILE ? TN_ERR_USAGE : s;
}

// What was found -------------------------------------------------------------------------------

tn_status tn_sweep_case(tn_sweep *sweep, int64_t index, tn_case_state *state, double *values,
                        const char **reason)
{
    TN_NEED_ALL(TN_ERR_USAGE, sweep, state, values);
    tn_sweep *s = sweep;
    const int varied = varied_count(s);
    sweep_ended ended = {.values = values + varied};
    if (index < 0 || index >= s->sample.cases)
        return tn_fail(TN_ERR_USAGE, "tn_sweep_case: there is no case %lld of %lld",
                       (long long)index, (long long)s->sample.cases);
    TN_TRY(tn_sweep_store_get(&s->store, index, &ended));
    for (int i = 0, k = 0; i < s->axes.count; i++)
        if (s->axes.at[i].kind != SWEEP_FIXED)
            values[k++] = tn_sweep_value(&s->sample, &s->axes, i, index);
    for (int i = 0; i < s->outputs.count && ended.state == TN_CASE_MISSING; i++)
        values[varied + i] = NAN;
    *state = ended.state;
    memcpy(s->reason, ended.reason, sizeof s->reason);
    if (reason)
        *reason = s->reason;
    return TN_OK;
}

// Mean and deviation as they come [Welford: Note on a method for calculating corrected sums of
// squares and products, Technometrics 4 (1962)].
static void add_to_column(tn_sweep_column *c, int64_t *n, double *squares, double x, int64_t index)
{
    if (isnan(x))
        return;
    const double away = x - (*n ? c->mean : 0.0);
    ++*n;
    c->mean = *n > 1 ? c->mean + away / (double)*n : x;
    *squares += *n > 1 ? away * (x - c->mean) : 0.0;
    if (*n == 1 || x < c->least)
        c->least = x, c->least_at = index;
    if (*n == 1 || x > c->most)
        c->most = x, c->most_at = index;
}

tn_status tn_sweep_found(tn_sweep *sweep, tn_sweep_facts *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, sweep, out);
    tn_sweep *s = sweep;
    const int ncolumn = varied_count(s) + s->outputs.count;
    int64_t count[TN_CASE_FAILED + 1] = {0};
    int64_t *n = tn_alloc(sizeof *n * (size_t)(ncolumn + 1));
    double *squares = tn_alloc(sizeof *squares * (size_t)(ncolumn + 1));
    tn_status status = n && squares ? TN_OK : TN_ERR_MEMORY;
    for (int i = 0; i < ncolumn; i++) {
        tn_sweep_column *c = &s->columns[i];
        c->least = c->most = c->mean = c->deviation = NAN;
        c->least_at = c->most_at = -1;
    }
    for (int64_t index = 0; status == TN_OK && index < s->sample.cases; index++) {
        tn_case_state state;
        status = tn_sweep_case(s, index, &state, s->values, NULL);
        count[status == TN_OK ? state : TN_CASE_MISSING]++;
        for (int i = 0; i < ncolumn && status == TN_OK && state != TN_CASE_MISSING; i++)
            add_to_column(&s->columns[i], &n[i], &squares[i], s->values[i], index);
    }
    for (int i = 0; i < ncolumn && status == TN_OK; i++)
        if (n[i] > 1)
            s->columns[i].deviation = sqrt(squares[i] / (double)(n[i] - 1));
    TN_FREE(n, squares);
    *out = (tn_sweep_facts){s->directory,
                            s->sample.cases,
                            count[TN_CASE_DONE],
                            count[TN_CASE_DOUBTFUL],
                            count[TN_CASE_FAILED],
                            count[TN_CASE_MISSING],
                            ncolumn,
                            s->columns};
    return status;
}

tn_status tn_sweep_merge(tn_sweep *sweep, const char *folder)
{
    TN_NEED_ALL(TN_ERR_USAGE, sweep, folder);
    sweep_store other = {.file = -1};
    sweep_ended ended = {.values = sweep->values};
    if (!tn_folder_has(folder, "cases.bin"))
        return tn_fail(TN_ERR_USAGE, "%s holds no cases of a sweep", folder);
    tn_status s = open_store(folder, sweep, false, &other);
    for (int64_t i = 0; s == TN_OK && i < sweep->sample.cases; i++) {
        s = tn_sweep_store_get(&other, i, &ended);
        if (s == TN_OK && ended.state != TN_CASE_MISSING)
            s = tn_sweep_store_put(&sweep->store, i, &ended);
    }
    tn_sweep_store_close(&other);
    return s;
}

// Files ----------------------------------------------------------------------------------------

static void put_number(tn_buffer *b, double x)
{
    char text[TN_NUMBER_SIZE];
    if (isfinite(x)) {
        tn_number_text(x, text);
        tn_buffer_say(b, text);
    }
}

static void put_heads(tn_buffer *b, const tn_sweep *s, int ncolumn)
{
    tn_buffer_say(b, "case");
    for (int i = 0; i < ncolumn; i++) {
        const tn_sweep_column *c = &s->columns[i];
        char *name = *c->unit ? tn_format("%s [%s]", c->name, c->unit) : tn_strdup(c->name);
        tn_buffer_say(b, ",");
        tn_buffer_field(b, name ? name : "");
        b->failed |= !name;
        tn_free(name);
    }
    tn_buffer_say(b, ",status,reason\n");
}

static tn_status put_case(tn_sweep *s, int ncolumn, int64_t index, tn_buffer *b)
{
    tn_case_state state;
    const char *reason = "";
    TN_TRY(tn_sweep_case(s, index, &state, s->values, &reason));
    if (state == TN_CASE_MISSING)
        return TN_OK;
    tn_buffer_format(b, "%lld", (long long)index);
    for (int i = 0; i < ncolumn; i++) {
        tn_buffer_say(b, ",");
        put_number(b, s->values[i]);
    }
    tn_buffer_format(b, ",%s,", states[state]);
    tn_buffer_field(b, reason);
    tn_buffer_say(b, "\n");
    return TN_OK;
}

static tn_status write_table(tn_sweep *s, int ncolumn)
{
    char *path = file_in(s->directory, "table.csv");
    tn_target target;
    TN_TRY(tn_got(path));
    tn_status status = tn_target_open(path, &target);
    tn_free(path);
    TN_TRY(status);
    tn_buffer b = {0};
    put_heads(&b, s, ncolumn);
    for (int64_t i = 0; status == TN_OK && i < s->sample.cases; i++) {
        status = put_case(s, ncolumn, i, &b);
        if (status == TN_OK && (b.length > (1u << 16) || i == s->sample.cases - 1)) {
            status = b.failed ? TN_ERR_MEMORY : tn_target_put(&target, b.text, b.length);
            b.length = 0;
        }
    }
    tn_free(b.text);
    return tn_target_close(&target, status);
}

static tn_status write_summary(tn_sweep *s, const tn_sweep_facts *f)
{
    tn_json *json = NULL;
    TN_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "model", s->model_path);
    tn_json_string(json, "command", s->wanted.command);
    tn_json_string(json, "sample", s->wanted.sample);
    tn_json_integer(json, "seed", (long long)s->wanted.seed);
    tn_json_integer(json, "cases", f->cases);
    tn_json_integer(json, "done", f->done);
    tn_json_integer(json, "doubtful", f->doubtful);
    tn_json_integer(json, "failed", f->failed);
    tn_json_integer(json, "missing", f->missing);
    tn_json_begin_array(json, "columns");
    for (int i = 0; i < f->ncolumn; i++) {
        const tn_sweep_column *c = &f->columns[i];
        tn_json_begin_object(json, NULL);
        tn_json_string(json, "name", c->name);
        tn_json_string(json, "unit", c->unit);
        tn_json_boolean(json, "varied", c->varied);
        tn_json_number(json, "min", c->least);
        tn_json_integer(json, "min_case", c->least_at);
        tn_json_number(json, "max", c->most);
        tn_json_integer(json, "max_case", c->most_at);
        tn_json_number(json, "mean", c->mean);
        tn_json_number(json, "deviation", c->deviation);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
    tn_json_end_object(json);
    tn_status status = tn_json_finish(json);
    TN_THEN(status, tn_folder_write(s->directory, "summary.json", tn_json_text(json)));
    tn_json_destroy(json);
    return status;
}

tn_status tn_sweep_write(tn_sweep *sweep)
{
    TN_NEED(sweep, TN_ERR_USAGE);
    tn_sweep_facts f;
    TN_TRY(tn_sweep_found(sweep, &f));
    TN_TRY(write_table(sweep, f.ncolumn));
    return write_summary(sweep, &f);
}
