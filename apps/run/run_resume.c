// SPDX-License-Identifier: MIT
//
// tenon run --resume: a run that was stopped or killed goes on from its last checkpoint. Rows that
// were stored behind it are cut off and made again, to the last bit. A checkpoint has the words of
// the command line, so that the run is set up as it was before its state is loaded.

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/clock.h"
#include "file/yaml_text.h"
#include "read/parts.h"
#include "run/run_parts.h"
#include "tenon/json.h"
#include "text/notes.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A checkpoint may take this part of the time of a run.
static const double LARGEST_SHARE = 0.02;
// Counts beyond it are not distinguished.
static const double MOST_COUNTED = 9007199254740992.0;

static char *checkpoint_path(const char *directory)
{
    return tn_format("%s/" TN_CHECKPOINT_FILE, directory);
}

static tn_status put_sums(tn_json *json, tn_document *doc)
{
    int n;
    TN_TRY(tn_parts_file_count(doc, &n));
    tn_json_begin_object(json, "files");
    for (int i = 0; i < n; i++) {
        const tn_document *file;
        char *name;
        TN_TRY(tn_parts_file(doc, i, &name, &file));
        tn_json_number(json, name, (double)file->sum);
        tn_free(name);
    }
    tn_json_end_object(json);
    return TN_OK;
}

// The model must be the one that the run began with. Sums of its parts are put into json, where
// that is not NULL.
static tn_status sum_of_file(const char *path, tn_json *json, uint32_t *out)
{
    char *text = NULL;
    size_t length = 0;
    tn_document *doc = NULL;
    TN_TRY(tn_yaml_text_read(path, &text, &length));
    *out = tn_checksum(0, text, length);
    tn_status s = TN_OK;
    if (strstr(text, "include") || strstr(text, "assemblies")) { // with all of its files
        s = tn_document_read(path, &doc);
        TN_THEN(s, tn_parts_sum(doc, out));
        if (s == TN_OK && json)
            s = put_sums(json, doc);
    }
    tn_document_destroy(doc);
    tn_free(text);
    return s;
}

// Writing ----------------------------------------------------------------------------------------

static void put_words(tn_json *json, const tn_run *r)
{
    const tn_resume *from = r->wanted.resume;
    const int count = from ? from->nword : r->wanted.nword;
    char *const *word = from ? from->word : r->wanted.words;
    tn_json_begin_array(json, "words");
    for (int i = 0; word && i < count; i++)
        tn_json_string(json, NULL, word[i]);
    tn_json_end_array(json);
}

static tn_status describe_run_resume(const tn_run *r, const tn_record_mark *mark, tn_json **out)
{
    char folder[4096];
    uint32_t sum = 0;
    tn_json *json = NULL;
    *out = NULL;
    if (!getcwd(folder, sizeof folder))
        folder[0] = '\0';
    TN_TRY(tn_json_create(&json));
    tn_json_put(json, "{ tenon %s folder %s", tn_version(), folder);
    const tn_status summed = sum_of_file(r->model_path, json, &sum);
    if (summed != TN_OK) {
        tn_json_destroy(json);
        return summed;
    }
    put_words(json, r);
    tn_json_put(json, "model %s model_sum %lld journal %lld sequence %lld rows %ld last_steps %ld",
                r->model_path, (long long)sum, (long long)mark->journal, (long long)mark->sequence,
                mark->rows, mark->last_steps);
    tn_json_put(json, "last_time %g last_end %g stored %g time %g ended %d event %d stiff %s }",
                mark->last_time, mark->last_end, r->stored, tn_sim_time(r->sim), r->ended,
                tn_run_event(r), r->simulate.options.stiff);
    const tn_status s = tn_json_finish(json);
    TN_HAND_OUT(s, json, tn_json_destroy, out);
}

static tn_status put_checkpoint(const tn_run *r, const void *state, size_t size)
{
    tn_record_mark mark = {0};
    tn_json *json = NULL;
    TN_TRY(tn_record_mark_now(r->record, &mark));
    TN_TRY(describe_run_resume(r, &mark, &json));
    char *path = checkpoint_path(r->directory);
    const tn_status s =
        path ? tn_checkpoint_write(path, tn_json_text(json), state, size) : tn_got(false);
    tn_free(path);
    tn_json_destroy(json);
    return s;
}

// A model that comes from a pipe cannot be read again: such a run has no checkpoints.
static bool can_go_on(const tn_run *r)
{
    struct stat info;
    return stat(r->model_path, &info) == 0 && S_ISREG(info.st_mode);
}

// A run does not fail for want of a checkpoint: it says so, once, and goes on without.
static void do_without(tn_run *r)
{
    tn_tell(r->wanted.teller, "note: the run could not be resumed after a crash: %s",
            tn_last_error());
    tn_clear_error();
    r->wanted.checkpoint = INFINITY;
}

void tn_checkpoint_first(tn_run *r)
{
    r->saved = tn_wall_time();
    if (!can_go_on(r))
        r->wanted.checkpoint = INFINITY;
    else if (!tn_run_has_state(r) && put_checkpoint(r, NULL, 0) != TN_OK)
        do_without(r);
}

// A state that cannot be saved at this moment leaves the checkpoint before it.
void tn_checkpoint_now(tn_run *r)
{
    void *state = NULL;
    size_t size = 0;
    if (isinf(r->wanted.checkpoint))
        return;
    const double begin = tn_wall_time();
    tn_status s = tn_sim_save(r->sim, &state, &size);
    TN_THEN(s, put_checkpoint(r, state, size));
    if (s != TN_OK && s != TN_ERR_NUMERIC)
        do_without(r);
    tn_saved_free(state);
    r->saved = tn_wall_time();
    r->saving = r->saved - begin;
}

// The state before is as good, only further back: others report a disk that is full.
void tn_checkpoint_end(tn_run *r)
{
    void *state = NULL;
    size_t size = 0;
    if (isinf(r->wanted.checkpoint))
        return;
    r->ended = true;
    if (tn_sim_save(r->sim, &state, &size) != TN_OK || put_checkpoint(r, state, size) != TN_OK)
        tn_clear_error();
    tn_saved_free(state);
}

void tn_checkpoint_when_due(tn_run *r)
{
    if (tn_wall_time() - r->saved >= fmax(r->wanted.checkpoint, r->saving / LARGEST_SHARE))
        tn_checkpoint_now(r);
}

void tn_checkpoint_remove(const tn_run *r)
{
    char *path = checkpoint_path(r->directory);
    if (path)
        unlink(path);
    tn_free(path);
}

// Reading ----------------------------------------------------------------------------------------

static tn_status get_node(const tn_document *doc, const char *key, const tn_node **out)
{
    *out = tn_node_get(doc->root, key);
    return *out ? TN_OK : tn_fail(TN_ERR_FILE, "%s: '%s' is missing", doc->name, key);
}

static tn_status get_number(const tn_document *doc, const char *key, double *out)
{
    const tn_node *node;
    TN_TRY(get_node(doc, key, &node));
    return tn_node_number(doc, node, key, out);
}

static tn_status get_text(const tn_document *doc, const char *key, const char **out)
{
    const tn_node *node;
    TN_TRY(get_node(doc, key, &node));
    return tn_node_string(doc, node, key, out);
}

static tn_status get_mark(const tn_document *doc, tn_resume *out)
{
    enum { JOURNAL, SEQUENCE, ROWS, STEPS, TIME, END, STORED, ENDED, EVENT, COUNT };
    static const char *const keys[COUNT] = {"journal",    "sequence",  "rows",
                                            "last_steps", "last_time", "last_end",
                                            "stored",     "ended",     "event"};
    double value[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const bool counts = i <= STEPS || i == ENDED || i == EVENT;
        TN_TRY(get_number(doc, keys[i], &value[i]));
        if (counts && !(value[i] >= -1.0 && value[i] <= (i >= ENDED ? INT_MAX : MOST_COUNTED)))
            return tn_fail(TN_ERR_FILE, "%s: '%s' is %g, which is no count", doc->name, keys[i],
                           value[i]);
    }
    out->mark = (tn_record_mark){.journal = (int64_t)value[JOURNAL],
                                 .sequence = (uint64_t)value[SEQUENCE],
                                 .rows = (long)value[ROWS],
                                 .last_steps = (long)value[STEPS],
                                 .last_time = value[TIME],
                                 .last_end = value[END]};
    out->rows = out->mark.rows;
    out->stored = value[STORED];
    out->ended = value[ENDED] != 0.0;
    out->event = (int)value[EVENT];
    return TN_OK;
}

// Reads the entries of runs that have begun anew.
static tn_status get_stiff(const tn_document *doc, tn_resume *out)
{
    const tn_node *node = tn_node_get(doc->root, "stiff");
    if (!node || node->kind == TN_NODE_NULL)
        return TN_OK;
    return tn_node_string(doc, node, "stiff", &out->stiff);
}

static tn_status get_words(const tn_document *doc, tn_resume *out)
{
    const tn_node *node = tn_node_get(doc->root, "words");
    const int count = node && node->kind == TN_NODE_SEQUENCE ? node->count : 0;
    out->word = tn_alloc((size_t)(count + 1) * sizeof(char *));
    TN_TRY(tn_got(out->word));
    for (int i = 0; i < count; i++) {
        const char *text = NULL;
        TN_TRY(tn_node_string(doc, node->children[i], "words", &text));
        out->word[out->nword] = tn_strdup(text);
        TN_TRY(tn_got(out->word[out->nword++]));
    }
    return TN_OK;
}

// The part that has changed, by the sums of the checkpoint; *out is NULL where none has.
static tn_status find_changed(const tn_document *checkpoint, const char *path, char **out)
{
    const tn_node *files = tn_node_get(checkpoint->root, "files");
    tn_document *doc = NULL;
    int n = 0;
    *out = NULL;
    tn_status s = files ? tn_document_read(path, &doc) : TN_OK;
    TN_THEN(s, files ? tn_parts_file_count(doc, &n) : TN_OK);
    for (int i = 0; i < n && s == TN_OK && !*out; i++) {
        const tn_document *file;
        double sum = NAN;
        s = tn_parts_file(doc, i, out, &file);
        const tn_node *known = s == TN_OK ? tn_node_get(files, *out) : NULL;
        if (known && tn_node_number(checkpoint, known, "files", &sum) == TN_OK &&
            sum == (double)file->sum) {
            tn_free(*out);
            *out = NULL;
        }
    }
    tn_document_destroy(doc);
    return s;
}

static tn_status refuse_changed(const tn_document *checkpoint, const char *path)
{
    char *part = NULL;
    const tn_status s = find_changed(checkpoint, path, &part);
    if (s == TN_OK)
        tn_fail(TN_ERR_USAGE,
                "%s%s%s%s has changed since the run began, which therefore cannot go on; run it "
                "anew with --force",
                part ? part : path, part ? ", a part of " : "", part ? path : "", part ? "," : "");
    tn_free(part);
    return s == TN_OK ? TN_ERR_USAGE : s;
}

static tn_status get_model(const tn_document *doc, tn_resume *out)
{
    const char *model = NULL, *folder = NULL;
    double expected;
    uint32_t sum;
    TN_TRY(get_text(doc, "model", &model));
    TN_TRY(get_text(doc, "folder", &folder));
    TN_TRY(get_number(doc, "model_sum", &expected));
    out->model_path = *model == '/' || access(model, R_OK) == 0 ? tn_strdup(model)
                                                                : tn_format("%s/%s", folder, model);
    TN_TRY(tn_got(out->model_path));
    TN_TRY(sum_of_file(out->model_path, NULL, &sum));
    return (double)sum == expected ? TN_OK : refuse_changed(doc, out->model_path);
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

static tn_status read_resume(const char *directory, tn_resume *out)
{
    char *path = checkpoint_path(directory);
    TN_TRY(tn_got(path));
    tn_status s = tn_checkpoint_read(path, &out->data);
    if (s == TN_ERR_FILE)
        s = explain_missing(directory, path);
    TN_THEN(s, get_mark(out->data.about, out));
    TN_THEN(s, get_words(out->data.about, out));
    TN_THEN(s, get_stiff(out->data.about, out));
    TN_THEN(s, get_model(out->data.about, out));
    tn_free(path);
    return s;
}

tn_status tn_resume_open(const char *directory, tn_resume **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, directory, out);
    *out = tn_alloc(sizeof **out);
    TN_TRY(tn_got(*out));
    const tn_status s = read_resume(directory, *out);
    if (s != TN_OK) {
        tn_resume_close(*out);
        *out = NULL;
    }
    return s;
}

void tn_resume_close(tn_resume *resume)
{
    if (!resume)
        return;
    for (int i = 0; i < resume->nword; i++)
        tn_free(resume->word[i]);
    TN_FREE(resume->word, resume->model_path);
    tn_checkpoint_free(&resume->data);
    tn_free(resume);
}

TN_GETTER(const char *, tn_resume_model, (const tn_resume *resume), resume, "", resume->model_path);

char *const *tn_resume_words(const tn_resume *resume, int *count)
{
    TN_NEED_ALL(NULL, resume, count);
    *count = resume->nword;
    return resume->word;
}

// Rows that come behind the state, or an end that it has not reached, are those of no run.
static tn_status check_mark(const tn_run *r, const tn_resume *from)
{
    const double t = tn_sim_time(r->sim), begin = r->simulate.options.t_start;
    const double left = r->simulate.t_end - t, slack = 8.0 * DBL_EPSILON * fabs(t);
    if (from->stored >= begin && from->stored <= t &&
        (!from->ended || from->event >= 0 || left <= slack))
        return TN_OK;
    return tn_fail(TN_ERR_FILE,
                   "the run in %s cannot go on: its checkpoint tells of rows up to t = %g s%s, and "
                   "its state is at %g s of %g to %g s; repeat the run",
                   r->directory, from->stored, from->ended ? " and of the end" : "", t, begin,
                   r->simulate.t_end);
}

tn_status tn_resume_load(tn_run *r)
{
    const tn_resume *from = r->wanted.resume;
    if (from->event >= tn_model_event_count(r->model))
        return tn_fail(TN_ERR_FILE,
                       "the run in %s cannot go on: its checkpoint names event %d, and "
                       "the model has %d",
                       r->directory, from->event, tn_model_event_count(r->model));
    const tn_status s = tn_sim_load(r->sim, from->data.state, from->data.size);
    if (s != TN_OK)
        return tn_fail_within(s, "the run in %s cannot go on", r->directory);
    TN_TRY(check_mark(r, from));
    r->stored = from->stored;
    r->rows = from->rows;
    if (!tn_sim_loads_exactly(r->sim))
        tn_tell(r->wanted.teller,
                "note: %s begins a new history at t = %g s: its old one is lost with the "
                "process that had it",
                tn_sim_method(r->sim), tn_sim_time(r->sim));
    return TN_OK;
}
