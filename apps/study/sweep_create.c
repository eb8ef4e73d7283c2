// SPDX-License-Identifier: MIT
//
// A sweep: what is asked for, the key that distinguishes it from others, and its folder.

#include "base/alloc.h"
#include "base/checksum.h"
#include "read/parts.h"
#include "study/sweep_parts.h"
#include "tenon/help.h"
#include "text/param.h"
#include "text/target.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const double MOST_CASES = 1e6; // more is a slip more often than a request
enum { MOST_JOBS = 1024 };

// Requested outputs ----------------------------------------------------------------------------

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

// Values that cannot be read of a parameter that is none: the name is what is wrong first.
static tn_status fail_axis(const tn_sweep *s, const sweep_axis *axis, tn_status status)
{
    const tn_parameter_value any = {.name = axis->name, .value = 1.0};
    char *why = tn_strdup(tn_last_error());
    tn_model *model = NULL;
    TN_TRY(tn_got(why));
    const bool unknown =
        axis->name && tn_model_load_with(s->model_path, 1, &any, &model, NULL) == TN_ERR_USAGE;
    tn_model_destroy(model);
    if (!unknown)
        tn_fail(status, "%s", why);
    tn_free(why);
    return unknown ? TN_ERR_USAGE : status;
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
            status = fail_axis(s, &axis, status);
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

// Hashes everything that decides the numbers of every case.
static tn_status make_key(tn_sweep *s)
{
    const tn_sweep_options *w = &s->wanted;
    uint32_t model = 0;
    const tn_status status = tn_parts_sum(s->doc, &model);
    if (status == TN_OK) {
        s->key = tn_checksum(model, &s->subject, sizeof s->subject);
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
    return status;
}

static tn_status make_columns(tn_sweep *s)
{
    int n = 0;
    s->columns = tn_alloc(sizeof *s->columns * (size_t)(s->axes.count + s->outputs.count));
    s->values = tn_alloc(sizeof(double) * (size_t)(s->axes.count + 2 * s->outputs.count + 1));
    s->record = tn_alloc(tn_sweep_record_size(s->outputs.count));
    TN_TRY(tn_got(s->columns && s->values && s->record));
    for (int i = 0; i < s->axes.count; i++)
        if (s->axes.at[i].kind != SWEEP_FIXED)
            s->columns[n++] =
                (tn_sweep_column){.name = s->axes.at[i].name, .unit = "", .varied = true};
    for (int i = 0; i < s->outputs.count; i++)
        s->columns[n++] =
            (tn_sweep_column){.name = s->outputs.at[i].name, .unit = s->outputs.at[i].unit};
    return TN_OK;
}

int tn_sweep_varied(const tn_sweep *s)
{
    int n = 0;
    for (int i = 0; i < s->axes.count; i++)
        n += s->axes.at[i].kind != SWEEP_FIXED;
    return n;
}

char *tn_sweep_file(const char *folder, const char *name)
{
    return folder ? tn_format("%s/%s", folder, name) : NULL;
}

tn_status tn_sweep_open_store(const char *folder, const tn_sweep *s, bool replace, sweep_store *out)
{
    char *path = tn_sweep_file(folder, "cases.bin");
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
    return tn_sweep_open_store(s->directory, s, s->wanted.replace, &s->store);
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
    TN_TRY(tn_sweep_read_plots(s));
    return tn_sweep_rank(s) == 0 ? open_folder(s) : TN_OK; // only this one writes
}

static tn_status prepare_on_ranks(tn_sweep *s)
{
    TN_TRY(tn_sweep_join_ranks(s));
    return tn_sweep_agree(s, prepare_sweep(s));
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
    const tn_status status = options->ranks ? prepare_on_ranks(s) : prepare_sweep(s);
    TN_HAND_OUT(status, s, tn_sweep_destroy, out);
}

void tn_sweep_destroy(tn_sweep *s)
{
    if (!s)
        return;
    tn_sweep_leave_ranks(s->ranks);
    tn_sweep_store_close(&s->store);
    tn_folder_unlock(s->lock);
    tn_document_destroy(s->doc);
    tn_sweep_free_axes(&s->axes);
    tn_sweep_free_outputs(&s->outputs);
    tn_sweep_free_sample(&s->sample);
    TN_FREE(s->model_path, s->directory, s->columns, s->plots.at, s->drawn.at, s->values, s->record,
            s);
}

void tn_sweep_stop(tn_sweep *sweep)
{
    if (sweep)
        atomic_store(&sweep->stop, 1);
}
