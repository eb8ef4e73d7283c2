// SPDX-License-Identifier: MIT
//
// The data JSON of a run that is being watched: the rows from a number on.

#include "base/alloc.h"
#include "io/live_parts.h"
#include "io/page_parts.h"

#include <stdio.h>

// What one answer holds.
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
        tn_page_array_put(&array, n, tn_live_row_at(a->live, row) + at);
    tn_page_array_end(&array);
}

static void put_frames(answer *a)
{
    tn_json_begin_object(a->json, "frames");
    tn_json_integer(a->json, "count", a->to - a->from);
    put_array(a, "time", 0, 1, false);
    for (int i = 0; i < TN_FRAME_PARTS; i++) {
        int n = 0;
        const int at = tn_live_part_at(a->live, tn_frame_parts[i].path, &n);
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
    tn_json_put(a->json, "{ format %s version %d title %s live %i from %ld", "tenon-page", 1,
                a->live->title, a->on, a->from);
    tn_json_raw(a->json, "run", run);
    put_warnings(a);
    if (whole)
        TN_TRY(tn_page_put_scene(a->live->scene, a->json));
    put_frames(a);
    put_channels(a);
    tn_json_end_object(a->json);
    return tn_json_finish(a->json);
}

// A client that asks for rows beyond the last has seen another run and gets this one whole.
tn_status tn_live_json(tn_live *live, long from, bool whole, tn_page_sink sink)
{
    answer a = {.live = live};
    pthread_mutex_lock(&live->lock);
    const long count = live->count;
    const bool ended = live->ended;
    char *run = tn_strdup(live->run);
    pthread_mutex_unlock(&live->lock);
    a.from = from < 0 || from > count ? 0 : from;
    a.to = count - a.from > live->answer_rows ? a.from + live->answer_rows : count;
    a.on = !ended || a.to < count;
    tn_status s = tn_got(run);
    TN_THEN(s, tn_json_stream(sink, &a.json));
    TN_THEN(s, live_json_put_document(&a, run, whole));
    tn_json_destroy(a.json);
    tn_free(run);
    return s;
}
