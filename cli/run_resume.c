// SPDX-License-Identifier: MIT
//
// tenon run --resume: a run that was stopped or killed goes on from its last checkpoint. Rows that
// were stored behind it are cut off and made again, to the last bit. A checkpoint has the words of
// the command line, so that the run is set up as it was before its state is loaded.

#include "base/alloc.h"
#include "base/clock.h"
#include "io/checksum.h"
#include "io/yaml_text.h"
#include "run.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A checkpoint may take this part of the time of a run.
static const double LARGEST_SHARE = 0.02;

static char *checkpoint_path(const char *directory)
{
    return tn_format("%s/" TN_CHECKPOINT_FILE, directory);
}

static tn_status no_memory(const char *directory)
{
    return tn_fail(TN_ERR_MEMORY, "%s: out of memory", directory);
}

// The model must be the one that the run began with.
static tn_status sum_of_file(const char *path, uint32_t *out)
{
    char *text = NULL;
    size_t length = 0;
    CLI_TRY(tn_yaml_text_read(path, &text, &length));
    *out = tn_checksum(0, text, length);
    tn_free(text);
    return TN_OK;
}

// Writing ----------------------------------------------------------------------------------------

static void put_words(tn_json *json, const cli_job *j)
{
    int count = j->resume ? j->resume->nword : 0;
    char **word = j->resume ? j->resume->word : cli_words(&count);
    tn_json_begin_array(json, "words");
    for (int i = 0; i < count; i++)
        tn_json_string(json, NULL, word[i]);
    tn_json_end_array(json);
}

static tn_status describe(const cli_job *j, const tn_record_mark *mark, tn_json **out)
{
    char folder[4096];
    uint32_t sum = 0;
    tn_json *json = NULL;
    *out = NULL;
    CLI_TRY(sum_of_file(j->model_path, &sum));
    if (!getcwd(folder, sizeof folder))
        folder[0] = '\0';
    CLI_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "tenon", tn_version());
    tn_json_string(json, "folder", folder);
    put_words(json, j);
    tn_json_string(json, "model", j->model_path);
    tn_json_integer(json, "model_sum", sum);
    tn_json_integer(json, "journal", mark->journal);
    tn_json_integer(json, "sequence", (long long)mark->sequence);
    tn_json_integer(json, "rows", mark->rows);
    tn_json_integer(json, "last_steps", mark->last_steps);
    tn_json_number(json, "last_time", mark->last_time);
    tn_json_number(json, "last_end", mark->last_end);
    tn_json_number(json, "stored", j->stored);
    tn_json_number(json, "time", tn_sim_time(j->sim));
    tn_json_integer(json, "ended", j->ended);
    tn_json_integer(json, "event", cli_job_event(j));
    tn_json_end_object(json);
    const tn_status s = tn_json_finish(json);
    if (s == TN_OK)
        *out = json;
    else
        tn_json_destroy(json);
    return s;
}

static tn_status put_checkpoint(const cli_job *j, const void *image, size_t size)
{
    tn_record_mark mark = {0};
    tn_json *json = NULL;
    CLI_TRY(tn_record_mark_now(j->record, &mark));
    CLI_TRY(describe(j, &mark, &json));
    char *path = checkpoint_path(j->directory);
    const tn_status s =
        path ? tn_checkpoint_write(path, tn_json_text(json), image, size) : no_memory(j->directory);
    tn_free(path);
    tn_json_destroy(json);
    return s;
}

// A model that comes from a pipe cannot be read again: such a run has no checkpoints.
static bool can_go_on(const cli_job *j)
{
    struct stat info;
    return stat(j->model_path, &info) == 0 && S_ISREG(info.st_mode);
}

// A run does not fail for want of a checkpoint: it says so, once, and goes on without.
static void do_without(cli_job *j)
{
    cli_message("note: the run could not be resumed after a crash: %s", tn_last_error());
    tn_clear_error();
    j->wanted.checkpoint = INFINITY;
}

void cli_checkpoint_first(cli_job *j)
{
    j->saved = tn_wall_time();
    if (!can_go_on(j))
        j->wanted.checkpoint = INFINITY;
    else if (!j->resume && put_checkpoint(j, NULL, 0) != TN_OK)
        do_without(j);
}

// A state that cannot be saved at this moment leaves the checkpoint before it.
void cli_checkpoint_now(cli_job *j)
{
    void *image = NULL;
    size_t size = 0;
    if (isinf(j->wanted.checkpoint))
        return;
    const double begin = tn_wall_time();
    tn_status s = tn_sim_save(j->sim, &image, &size);
    if (s == TN_OK)
        s = put_checkpoint(j, image, size);
    if (s != TN_OK && s != TN_ERR_NUMERIC)
        do_without(j);
    tn_saved_free(image);
    j->saved = tn_wall_time();
    j->saving = j->saved - begin;
}

// The state before is as good, only further back: a disk that is full is told of by others.
void cli_checkpoint_end(cli_job *j)
{
    void *image = NULL;
    size_t size = 0;
    if (isinf(j->wanted.checkpoint))
        return;
    j->ended = true;
    if (tn_sim_save(j->sim, &image, &size) != TN_OK || put_checkpoint(j, image, size) != TN_OK)
        tn_clear_error();
    tn_saved_free(image);
}

void cli_checkpoint_when_due(cli_job *j)
{
    if (tn_wall_time() - j->saved >= fmax(j->wanted.checkpoint, j->saving / LARGEST_SHARE))
        cli_checkpoint_now(j);
}

void cli_checkpoint_remove(const cli_job *j)
{
    char *path = checkpoint_path(j->directory);
    if (path)
        unlink(path);
    tn_free(path);
}

// Reading ----------------------------------------------------------------------------------------

static tn_status get_number(const tn_document *doc, const char *key, double *out)
{
    const tn_node *node = tn_node_get(tn_document_root(doc), key);
    if (!node)
        return tn_fail(TN_ERR_FILE, "%s: '%s' is missing", tn_document_name(doc), key);
    return tn_node_number(doc, node, key, out);
}

static tn_status get_text(const tn_document *doc, const char *key, const char **out)
{
    const tn_node *node = tn_node_get(tn_document_root(doc), key);
    if (!node)
        return tn_fail(TN_ERR_FILE, "%s: '%s' is missing", tn_document_name(doc), key);
    return tn_node_string(doc, node, key, out);
}

static tn_status get_mark(const tn_document *doc, cli_resume *out)
{
    double journal, sequence, rows, steps, ended, event;
    CLI_TRY(get_number(doc, "journal", &journal));
    CLI_TRY(get_number(doc, "sequence", &sequence));
    CLI_TRY(get_number(doc, "rows", &rows));
    CLI_TRY(get_number(doc, "last_steps", &steps));
    CLI_TRY(get_number(doc, "last_time", &out->mark.last_time));
    CLI_TRY(get_number(doc, "last_end", &out->mark.last_end));
    CLI_TRY(get_number(doc, "stored", &out->stored));
    CLI_TRY(get_number(doc, "ended", &ended));
    CLI_TRY(get_number(doc, "event", &event));
    out->ended = ended != 0.0;
    out->event = (int)event;
    out->mark.journal = (int64_t)journal;
    out->mark.sequence = (uint64_t)sequence;
    out->mark.rows = out->rows = (long)rows;
    out->mark.last_steps = (long)steps;
    return TN_OK;
}

static tn_status get_words(const tn_document *doc, cli_resume *out)
{
    const tn_node *node = tn_node_get(tn_document_root(doc), "words");
    const int count = node && node->kind == TN_NODE_SEQUENCE ? node->count : 0;
    out->word = tn_alloc((size_t)(count + 1) * sizeof(char *));
    if (!out->word)
        return no_memory(tn_document_name(doc));
    for (int i = 0; i < count; i++) {
        const char *text = NULL;
        CLI_TRY(tn_node_string(doc, node->children[i], "words", &text));
        out->word[out->nword] = tn_strdup(text);
        if (!out->word[out->nword++])
            return no_memory(tn_document_name(doc));
    }
    return TN_OK;
}

static tn_status get_model(const tn_document *doc, cli_resume *out)
{
    const char *model = NULL, *folder = NULL;
    double expected;
    uint32_t sum;
    CLI_TRY(get_text(doc, "model", &model));
    CLI_TRY(get_text(doc, "folder", &folder));
    CLI_TRY(get_number(doc, "model_sum", &expected));
    out->model_path = *model == '/' || access(model, R_OK) == 0 ? tn_strdup(model)
                                                                : tn_format("%s/%s", folder, model);
    if (!out->model_path)
        return no_memory(tn_document_name(doc));
    CLI_TRY(sum_of_file(out->model_path, &sum));
    if ((double)sum != expected)
        return tn_fail(TN_ERR_USAGE,
                       "%s has changed since the run began, which therefore cannot go on; run it "
                       "anew with --force",
                       out->model_path);
    return TN_OK;
}

static tn_status explain_missing(const char *directory, const char *path)
{
    char *summary = tn_format("%s/summary.json", directory);
    const bool ended = summary && access(summary, R_OK) == 0;
    tn_free(summary);
    if (access(path, F_OK) == 0)
        return TN_ERR_FILE;
    if (ended)
        return tn_fail(TN_ERR_USAGE, "the run in %s has ended: there is nothing to go on with",
                       directory);
    return tn_fail(TN_ERR_USAGE, "%s holds no run that could go on: %s is missing", directory,
                   TN_CHECKPOINT_FILE);
}

tn_status cli_resume_open(const char *directory, cli_resume *out)
{
    char *path = checkpoint_path(directory);
    *out = (cli_resume){0};
    if (!path)
        return no_memory(directory);
    tn_status s = tn_checkpoint_read(path, &out->data);
    if (s == TN_ERR_FILE)
        s = explain_missing(directory, path);
    if (s == TN_OK)
        s = get_mark(out->data.about, out);
    if (s == TN_OK)
        s = get_words(out->data.about, out);
    if (s == TN_OK)
        s = get_model(out->data.about, out);
    tn_free(path);
    return s;
}

void cli_resume_free(cli_resume *r)
{
    for (int i = 0; i < r->nword; i++)
        tn_free(r->word[i]);
    tn_free(r->word);
    tn_free(r->model_path);
    tn_checkpoint_free(&r->data);
}

tn_status cli_resume_load(cli_job *j)
{
    const cli_resume *r = j->resume;
    const tn_status s = tn_sim_load(j->sim, r->data.image, r->data.size);
    if (s != TN_OK)
        return tn_fail_within(s, "the run in %s cannot go on", j->directory);
    j->stored = r->stored;
    j->rows = r->rows;
    if (!tn_sim_loads_exactly(j->sim))
        cli_message("note: %s begins a new history at t = %g s: its old one is lost with the "
                    "process that had it",
                    tn_sim_method(j->sim), tn_sim_time(j->sim));
    return TN_OK;
}
