// SPDX-License-Identifier: MIT
//
// The store of a run for its viewers: what is stored of a row, and where, and the data JSON of the
// rows from a number on.

#include "view/live.h"

#include "base/alloc.h"
#include "base/array.h"
#include "file/yaml_text.h"
#include "page/page_parts.h"
#include "result/record.h"
#include "result/result.h"
#include "result/scene.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOST_BLOCKS = 48, // 2^48 rows are beyond any run
    MOST_LIVE_CHANNELS = 512,
    MOST_BLOCK_ROWS = 4096,
    LEAST_BLOCK_ROWS = 32,
    BLOCK_BYTES = 8 << 20, // of a block, unless that is fewer than the least rows
    ANSWER_BYTES = 16 << 20
};

typedef struct tn_live_part {
    int at, count; // of the numbers of a dataset in a stored row
} tn_live_part;

typedef struct tn_live_channel {
    char *name;
    const char *group; // "bodies", "run" for the run itself
    const char *unit;
    int at; // in a stored row
} tn_live_channel;

struct tn_live {
    // Constant once created.
    tn_record record; // reads rows out of the simulation; it has no files
    char *title, *scene;
    tn_live_part part[TN_MOST_CHANNELS];
    TN_ARRAY(tn_live_channel) channels;
    int left_out; // channels that are in the results only
    int width;    // numbers of a stored row
    long block_rows, answer_rows;
    long first; // number of the first row

    // The simulation alone uses these.
    long offered, written;
    double time; // of the last row

    // Rows below the count are read without the lock: they do not change.
    double *block[MOST_BLOCKS];

    // Guarded by the lock.
    pthread_mutex_t lock;
    long count;
    char *run;
    bool ended;
};

// Stored rows -------------------------------------------------------------------------------------

static bool is_of_frames(const tn_channel *channel)
{
    for (int i = 0; i < TN_FRAME_PARTS; i++)
        if (strcmp(channel->kind->path, tn_frame_parts[i].path) == 0)
            return true;
    return false;
}

static tn_status live_add_channel(tn_live *live, int dataset, int column, int at)
{
    const tn_channel *channel = &live->record.list.channel[dataset];
    const tn_column c = tn_channel_column(live->record.sim, channel, column);
    char *name = tn_quantity_name(channel->kind, &c);
    const tn_live_channel entry = {
        .name = name, .group = tn_channel_group(channel->kind), .unit = c.unit, .at = at};
    if (name && tn_array_push(&live->channels, entry) == TN_OK)
        return TN_OK;
    tn_free(name);
    return tn_got(false);
}

// Names the columns of a dataset that are plotted, and returns how many there are: as many as the
// page can take, those of the run always.
static tn_status choose_columns(tn_live *live, int dataset, int *chosen)
{
    const tn_channel *channel = &live->record.list.channel[dataset];
    const bool always = channel->kind->owner == TN_OWNER_RUN;
    *chosen = 0;
    for (int i = 0; i < channel->size; i++) {
        if (!always && live->channels.count >= MOST_LIVE_CHANNELS) {
            live->left_out += channel->size - i;
            return TN_OK;
        }
        TN_TRY(live_add_channel(live, dataset, i, live->width + i));
        (*chosen)++;
    }
    return TN_OK;
}

// Lays out a stored row: time, then each dataset as far as frames or plots need it.
static tn_status lay_out(tn_live *live)
{
    for (int k = 0; k < live->record.list.nchannel; k++) {
        const tn_channel *channel = &live->record.list.channel[k];
        tn_live_part *part = &live->part[k];
        int chosen = 0;
        if (strcmp(channel->kind->path, "time") != 0)
            TN_TRY(choose_columns(live, k, &chosen));
        else
            chosen = 1;
        part->at = live->width;
        part->count = is_of_frames(channel) ? channel->size : chosen;
        live->width += part->count;
    }
    const size_t bytes = (size_t)live->width * sizeof(double);
    const size_t fit = BLOCK_BYTES / bytes, answer = ANSWER_BYTES / bytes;
    live->block_rows = fit < LEAST_BLOCK_ROWS  ? LEAST_BLOCK_ROWS
                       : fit > MOST_BLOCK_ROWS ? MOST_BLOCK_ROWS
                                               : (long)fit;
    live->answer_rows = answer < 1 ? 1 : (long)answer;
    return TN_OK;
}

// Finds the numbers of a dataset in a stored row, and their count; none if it is not stored.
static int live_part_at(const tn_live *live, const char *path, int *count)
{
    for (int k = 0; k < live->record.list.nchannel; k++)
        if (strcmp(live->record.list.channel[k].kind->path, path) == 0) {
            *count = live->part[k].count;
            return live->part[k].at;
        }
    *count = 0;
    return 0;
}

// Create and destroy ------------------------------------------------------------------------------

// The name of the model, for which its file is read again unless it was a pipe.
static char *live_title(const char *path)
{
    struct stat info;
    char *source = NULL;
    size_t length = 0;
    const bool again = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    if (again && tn_yaml_text_read(path, &source, &length) != TN_OK)
        tn_clear_error();
    char *title = tn_page_name(source, path);
    tn_free(source);
    return title;
}

static tn_status fill_live(tn_live *live, const tn_model *model, const char *model_path,
                           tn_sim *sim)
{
    live->record.model = model;
    live->record.sim = sim;
    live->record.directory = live->title = live_title(model_path);
    live->run = tn_strdup("{\"status\": \"running\"}");
    TN_TRY(tn_got(live->title && live->run));
    TN_TRY(tn_scene_json(model, model_path, &live->scene));
    TN_TRY(tn_record_layout(&live->record));
    return lay_out(live);
}

tn_status tn_live_create(const tn_model *model, const char *model_path, tn_sim *sim,
                         tn_live *before, tn_live **out)
{
    tn_live *live = tn_alloc(sizeof(*live));
    *out = NULL;
    TN_TRY(tn_got(live));
    if (pthread_mutex_init(&live->lock, NULL) != 0) {
        tn_free(live);
        return tn_fail(TN_ERR_MEMORY, "live view: no memory for a lock");
    }
    live->first = before ? before->first + before->written + 1 : 0;
    const tn_status s = fill_live(live, model, model_path, sim);
    TN_HAND_OUT(s, live, tn_live_destroy, out);
}

void tn_live_destroy(tn_live *live)
{
    if (!live)
        return;
    for (int i = 0; i < MOST_BLOCKS; i++)
        tn_free(live->block[i]);
    for (int i = 0; i < live->channels.count; i++)
        tn_free(live->channels.at[i].name);
    tn_array_free(&live->channels);
    TN_FREE(live->record.block, live->title, live->scene, live->run);
    pthread_mutex_destroy(&live->lock);
    tn_free(live);
}

// The side of the simulation ----------------------------------------------------------------------

static double *live_row_at(const tn_live *live, long row)
{
    return live->block[row / live->block_rows] +
           (size_t)(row % live->block_rows) * (size_t)live->width;
}

// The place of the next row, in a new block when the last one is full; NULL when memory is short.
static double *next_place(tn_live *live)
{
    const long block = live->written / live->block_rows;
    if (block >= MOST_BLOCKS)
        return NULL;
    if (!live->block[block])
        live->block[block] =
            tn_alloc((size_t)live->block_rows * (size_t)live->width * sizeof(double));
    return live->block[block] ? live_row_at(live, live->written) : NULL;
}

static void copy_row(const tn_live *live, double *to)
{
    for (int k = 0; k < live->record.list.nchannel; k++)
        if (live->part[k].count > 0)
            memcpy(to + live->part[k].at, live->record.gathered[k],
                   (size_t)live->part[k].count * sizeof(double));
}

void tn_live_row(tn_live *live, tn_sim *sim, bool last)
{
    const long stride = 1L << (live->written / live->block_rows);
    const bool due = live->offered++ % stride == 0;
    const double t = tn_sim_time(sim);
    if (live->written > 0 && !(t > live->time)) // the last row may have come already
        return;
    double *place = due || last ? next_place(live) : NULL;
    if (!place)
        return;
    live->record.count = 0; // its one row anew
    tn_record_gather(&live->record, sim);
    copy_row(live, place);
    live->time = t;
    live->written++;
    pthread_mutex_lock(&live->lock);
    live->count = live->written;
    pthread_mutex_unlock(&live->lock);
}

void tn_live_tell(tn_live *live, const char *run, bool ended)
{
    char *copy = tn_strdup(run);
    pthread_mutex_lock(&live->lock);
    char *old = copy ? live->run : NULL;
    if (copy)
        live->run = copy;
    live->ended |= ended;
    pthread_mutex_unlock(&live->lock);
    tn_free(old);
}

bool tn_live_ended(tn_live *live)
{
    pthread_mutex_lock(&live->lock);
    const bool ended = live->ended;
    pthread_mutex_unlock(&live->lock);
    return ended;
}

// The other side ---------------------------------------------------------------------------------

// Contents of one answer.
typedef struct {
    const tn_live *live;
    tn_json *json;
    long from, to; // rows
    bool on;       // more will come
} answer;

// Numbers at … at + n - 1 of every row.
static void put_array(answer *a, const char *key, int at, int n, bool narrow)
{
    tn_page_array array;
    tn_page_array_begin(&array, a->json, key, narrow);
    for (long row = a->from; row < a->to; row++)
        tn_page_array_put(&array, n, live_row_at(a->live, row) + at);
    tn_page_array_end(&array);
}

static void put_frames(answer *a)
{
    tn_json_begin_object(a->json, "frames");
    tn_json_integer(a->json, "count", a->to - a->from);
    put_array(a, "time", 0, 1, false);
    for (int i = 0; i < TN_FRAME_PARTS; i++) {
        int n = 0;
        const int at = live_part_at(a->live, tn_frame_parts[i].path, &n);
        put_array(a, tn_frame_parts[i].key, at, n, tn_frame_parts[i].narrow);
    }
    tn_json_end_object(a->json);
}

static void put_channels(answer *a)
{
    tn_json_begin_array(a->json, "channels");
    for (int i = 0; i < a->live->channels.count; i++) {
        const tn_live_channel *channel = &a->live->channels.at[i];
        tn_json_put(a->json, "{ name %s group %s unit %s", channel->name, channel->group,
                    channel->unit);
        if (i == 0)
            put_array(a, "time", 0, 1, false);
        else
            tn_json_object(a->json, "time", "same %d", 0);
        put_array(a, "value", channel->at, 1, false);
        tn_json_end_object(a->json);
    }
    tn_json_end_array(a->json);
}

static void put_warnings(answer *a)
{
    const tn_live *live = a->live;
    char text[128];
    snprintf(text, sizeof text,
             "%d of %d channels are not shown while the run goes on; the results have them all",
             live->left_out, live->left_out + live->channels.count);
    tn_json_begin_array(a->json, "warnings");
    if (live->left_out > 0)
        tn_json_string(a->json, NULL, text);
    tn_json_end_array(a->json);
}

static tn_status live_json_put_document(answer *a, const char *run, bool whole)
{
    const long first = a->live->first;
    tn_json_put(a->json, "{ format %s version %d title %s live %i from %ld next %ld", "tenon-page",
                1, a->live->title, a->on, a->from > 0 ? first + a->from : 0, first + a->to);
    tn_json_raw(a->json, "run", run);
    put_warnings(a);
    if (whole)
        TN_TRY(tn_page_put_scene(a->live->scene, a->json));
    put_frames(a);
    put_channels(a);
    tn_json_end_object(a->json);
    return tn_json_finish(a->json);
}

// A client that asks for rows that are not there has seen another run and gets this one whole.
tn_status tn_live_json(tn_live *live, long from, bool whole, tn_page_sink sink)
{
    answer a = {.live = live};
    pthread_mutex_lock(&live->lock);
    const long count = live->count;
    const bool ended = live->ended;
    char *run = tn_strdup(live->run);
    pthread_mutex_unlock(&live->lock);
    a.from = from < live->first || from > live->first + count ? 0 : from - live->first;
    a.to = count - a.from > live->answer_rows ? a.from + live->answer_rows : count;
    a.on = !ended || a.to < count;
    tn_status s = tn_got(run);
    TN_THEN(s, tn_json_stream(sink, &a.json));
    TN_THEN(s, live_json_put_document(&a, run, whole));
    tn_json_destroy(a.json);
    tn_free(run);
    return s;
}
