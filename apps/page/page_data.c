// SPDX-License-Identifier: MIT
//
// The data of a page as one document: docs/formats/page.md. summary.json describes the run beside
// the result, or by the attributes of the result where that file is missing or damaged.

#include "base/alloc.h"
#include "file/shell.h"
#include "page/page_parts.h"
#include "result/checksums.h"
#include "text/notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// Notes ------------------------------------------------------------------------------------------

tn_status tn_page_note(tn_page_notes *notes, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    for (int i = 0; i < notes->texts.count; i++)
        if (strcmp(notes->texts.at[i], text) == 0)
            return TN_OK; // said already
    char *copy = tn_strdup(text);
    if (!copy || tn_array_push(&notes->texts, copy) != TN_OK) {
        tn_free(copy);
        return tn_got(false);
    }
    return TN_OK;
}

void tn_page_notes_tell(const tn_page_notes *notes, tn_teller teller)
{
    for (int i = 0; i < notes->texts.count; i++)
        tn_tell(teller, "%s", notes->texts.at[i]);
}

void tn_page_notes_free(tn_page_notes *notes)
{
    for (int i = 0; i < notes->texts.count; i++)
        tn_free(notes->texts.at[i]);
    tn_array_free(&notes->texts);
}

tn_page_options tn_default_page(void)
{
    return (tn_page_options){
        .most_frames = 3000,
        .most_buckets = 2000,
        .most_channels = 400,
        .frame_aim = 768u << 10,
        .frame_bytes = 14u << 20,
        .channel_aim = 1u << 20,
        .channel_bytes = 6u << 20,
        .mesh_bytes = 8u << 20,
    };
}

// Rows -------------------------------------------------------------------------------------------

int tn_page_time(const tn_page_job *job)
{
    return tn_result_dataset_find(job->result, "time");
}

tn_status tn_page_read(tn_page_job *job, int dataset, long first, long n, double *out)
{
    const tn_status s = tn_result_read_rows(job->result, dataset, first, n, out);
    const long width = tn_result_dataset_at(job->result, dataset)->width;
    if (s != TN_ERR_FILE)
        return s;
    for (long i = 0; i < n * width; i++)
        out[i] = NAN;
    if (job->damaged & 1u << dataset % 32) // once per dataset is enough
        return TN_OK;
    job->damaged |= 1u << dataset % 32;
    return tn_page_note(job->notes, "%s; shown as gaps", tn_last_error());
}

// The run ----------------------------------------------------------------------------------------

const char *tn_page_title(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

// summary.json of the result as a document; NULL, with a note, when it cannot be used.
static tn_status read_summary(tn_page_job *job, tn_document **out)
{
    const tn_result_info *info = tn_result_about(job->result);
    struct stat status;
    *out = NULL;
    char *path = tn_format("%s/summary.json", info->directory);
    TN_TRY(tn_got(path));
    const char *fault = NULL;
    tn_status s = tn_summary_look(info->directory, &fault);
    if (s == TN_OK && fault) // who trusts the results sees it all the same
        s = tn_page_note(job->notes, "%s %s", path, fault);
    const bool there = stat(path, &status) == 0;
    if (s == TN_OK && !there)
        s = tn_page_note(job->notes, "%s is missing: the ledger of the run is not known", path);
    TN_THEN(s, there ? tn_document_read(path, out) : TN_OK);
    if (s == TN_ERR_MODEL) // damaged; a summary that cannot be opened is another matter
        s = tn_page_note(job->notes, "the ledger of the run is not known: %s", tn_last_error());
    if (s == TN_OK && *out && (*out)->root->kind != TN_NODE_MAP) {
        tn_document_destroy(*out);
        *out = NULL;
        s = tn_page_note(job->notes, "the ledger of the run is not known: %s holds no object",
                         path);
    }
    tn_free(path);
    return s;
}

// "failed: reason" is a status and a reason.
static void put_attributes(tn_page_job *job)
{
    const tn_result_info *info = tn_result_about(job->result);
    const char *colon = strstr(info->outcome, ": ");
    char status[32];
    double time = NAN;
    snprintf(status, sizeof(status), "%.*s",
             colon ? (int)(colon - info->outcome) : (int)strlen(info->outcome), info->outcome);
    tn_json_put(job->json, "run { status %s tenon %s model %s results %s method %s",
                *status ? status : "unknown", info->version, info->model, info->directory,
                info->method);
    if (colon)
        tn_json_string(job->json, "reason", colon + 2);
    const long rows = tn_result_rows(job->result);
    if (rows > 0 && tn_result_time(job->result, rows - 1, 1, &time) == TN_OK && isfinite(time))
        tn_json_number(job->json, "time", time);
    tn_json_end_object(job->json);
}

// The command of the run if the summary has it, else one with the same method and times. Steps that
// varied are left to the model.
static tn_status put_reproduce(tn_page_job *job, const tn_document *summary)
{
    const tn_result_info *info = tn_result_about(job->result);
    const tn_node *root = summary ? summary->root : NULL;
    const char *step = tn_node_text(root, "step"), *t_end = tn_node_text(root, "t_end");
    const char *command = tn_node_text(root, "command");
    const bool steady = *step && strcmp(step, tn_node_text(root, "step_min")) == 0;
    if (*command || !*info->model) {
        tn_json_string(job->json, "reproduce", command);
        return TN_OK;
    }
    char *model = tn_shell_quote(info->model);
    char *text = model ? tn_format("tenon run %s --method %s%s%s%s%s", model, info->method,
                                   steady ? " --step " : "", steady ? step : "",
                                   *t_end ? " --t-end " : "", t_end)
                       : NULL;
    const tn_status s = tn_got(text);
    tn_json_string(job->json, "reproduce", text ? text : "");
    TN_FREE(text, model);
    return s;
}

// The name that a model gives itself; NULL where it has none, or would take long to be read.
static tn_status find_stated_name(const char *source, char **out)
{
    enum { MOST = 4 << 20 };
    tn_document *doc = NULL;
    *out = NULL;
    if (!source || strlen(source) > MOST)
        return TN_OK;
    const tn_status s = tn_document_parse(source, strlen(source), "model", &doc);
    if (s != TN_OK && s != TN_ERR_MEMORY)
        tn_clear_error();
    const char *name = tn_node_text(doc ? doc->root : NULL, "name");
    const bool stated = *name != '\0';
    *out = stated ? tn_strdup(name) : NULL;
    tn_document_destroy(doc);
    return stated ? tn_got(*out) : s == TN_ERR_MEMORY ? s : TN_OK;
}

char *tn_page_name(const char *source, const char *path)
{
    static const char *const endings[] = {".yaml", ".yml", ".json"};
    char *name = NULL;
    if (find_stated_name(source, &name) != TN_OK || name)
        return name;
    const char *file = tn_page_title(path);
    size_t n = strlen(file);
    for (int i = 0; i < TN_COUNT(endings); i++) {
        const size_t m = strlen(endings[i]);
        if (n > m && strcmp(file + n - m, endings[i]) == 0)
            n -= m;
    }
    return tn_format("%.*s", (int)n, file);
}

tn_status tn_page_run(tn_page_job *job)
{
    const tn_result_info *info = tn_result_about(job->result);
    tn_document *summary = NULL;
    char *name =
        tn_page_name(tn_result_source(job->result), *info->model ? info->model : info->directory);
    TN_TRY(tn_got(name));
    tn_json_put(job->json, "title %s live %i", name, false);
    tn_free(name);
    TN_TRY(read_summary(job, &summary));
    if (summary)
        tn_page_node(job->json, "run", summary->root, "checksums");
    else
        put_attributes(job);
    const tn_status s = put_reproduce(job, summary);
    tn_document_destroy(summary);
    return s;
}

// The document -----------------------------------------------------------------------------------

static tn_status note_result(tn_page_job *job)
{
    const tn_result_info *info = tn_result_about(job->result);
    for (int i = 0; i < tn_result_warning_count(job->result); i++)
        TN_TRY(tn_page_note(job->notes, "%s", tn_result_warning(job->result, i)));
    if (strcmp(info->outcome, "running") == 0)
        TN_TRY(tn_page_note(job->notes, "the run goes on or was killed: %ld rows are shown",
                            tn_result_rows(job->result)));
    if (tn_result_rows(job->result) == 0)
        TN_TRY(tn_page_note(job->notes, "no rows are stored yet"));
    return TN_OK;
}

void tn_page_warnings(tn_page_job *job, int first)
{
    tn_json_begin_array(job->json, "warnings");
    for (int i = first; i < job->notes->texts.count; i++)
        tn_json_string(job->json, NULL, job->notes->texts.at[i]);
    tn_json_end_array(job->json);
}

static tn_status page_data_put_document(tn_page_job *job)
{
    const int first = job->notes->texts.count;
    TN_TRY(note_result(job));
    tn_json_put(job->json, "{ format %s version %d", "tenon-page", 1);
    tn_json_numbers(job->json, "snapshots", job->options.nsnapshot, job->options.snapshots);
    TN_TRY(tn_page_run(job));
    TN_TRY(tn_page_scene(job));
    TN_TRY(tn_page_frames(job));
    TN_TRY(tn_page_channels(job, "channels"));
    if (job->options.nover > 0)
        TN_TRY(tn_page_over(job));
    tn_page_warnings(job, first);
    tn_json_end_object(job->json);
    return tn_json_finish(job->json);
}

tn_status tn_page_data_json(void *of_result, tn_page_sink sink)
{
    const tn_page_of_result *of = of_result;
    tn_page_notes own = {0};
    tn_page_job job = {
        .result = of->result,
        .options = of->options ? *of->options : tn_default_page(),
        .notes = of->notes ? of->notes : &own,
    };
    TN_TRY(tn_json_stream(sink, &job.json));
    const tn_status s = page_data_put_document(&job);
    tn_page_notes_free(&own);
    tn_json_destroy(job.json);
    return s;
}
