// SPDX-License-Identifier: MIT
//
// The data JSON of a run that is being watched: the rows from a number on.

#include "base/alloc.h"
#include "io/live_parts.h"
#include "io/page_parts.h"

enum { NUMBERS = 512 }; // gathered for the writer

const tn_frame_part tn_frame_parts[TN_FRAME_PARTS] = {
    {"bodies/position", "position", false},
    {"bodies/quaternion", "quaternion", false},
    {"bodies/velocity", "velocity", true},
    {"joints/force", "force", true},
};

// What one answer holds.
typedef struct {
    const tn_live *live;
    tn_page_out out;
    long from, to; // rows
    bool on;       // more will come
} answer;

// Numbers at … at + n - 1 of every row.
static void put_array(answer *a, int at, int n, bool narrow)
{
    double numbers[NUMBERS];
    int count = 0;
    tn_out_array_begin(&a->out, narrow);
    for (long row = a->from; row < a->to; row++) {
        const double *from = tn_live_row_at(a->live, row) + at;
        for (int i = 0; i < n; i++) {
            numbers[count++] = from[i];
            if (count == NUMBERS) {
                tn_out_array_put(&a->out, count, numbers);
                count = 0;
            }
        }
    }
    tn_out_array_put(&a->out, count, numbers);
    tn_out_array_end(&a->out);
}

static void put_frames(answer *a)
{
    tn_out_format(&a->out, ",\n\"frames\":{\"count\":%ld,\"time\":", a->to - a->from);
    put_array(a, 0, 1, false);
    for (int i = 0; i < TN_FRAME_PARTS; i++) {
        int n = 0;
        const int at = tn_live_part_at(a->live, tn_frame_parts[i].path, &n);
        tn_out_format(&a->out, ",\"%s\":", tn_frame_parts[i].key);
        put_array(a, at, n, tn_frame_parts[i].narrow);
    }
    tn_out_raw(&a->out, "}");
}

static void put_channel(answer *a, const tn_live_channel *channel, bool first)
{
    tn_out_raw(&a->out, first ? "\n{\"name\":" : ",\n{\"name\":");
    tn_out_string(&a->out, channel->name);
    tn_out_format(
        &a->out, ",\"group\":\"%.*s\",\"unit\":", channel->group_length ? channel->group_length : 3,
        channel->group_length ? channel->group : "run");
    tn_out_string(&a->out, channel->unit);
    tn_out_raw(&a->out, ",\"time\":");
    if (first)
        put_array(a, 0, 1, false);
    else
        tn_out_raw(&a->out, "{\"same\":0}");
    tn_out_raw(&a->out, ",\"value\":");
    put_array(a, channel->at, 1, false);
    tn_out_raw(&a->out, "}");
}

static void put_channels(answer *a)
{
    tn_out_raw(&a->out, ",\n\"channels\":[");
    for (int i = 0; i < a->live->channels.count; i++)
        put_channel(a, &a->live->channels.at[i], i == 0);
    tn_out_raw(&a->out, "]");
}

static void put_warnings(answer *a)
{
    const tn_live *live = a->live;
    tn_out_raw(&a->out, ",\n\"warnings\":[");
    if (live->left_out > 0)
        tn_out_format(&a->out,
                      "\"%d of %d channels are not shown while the run goes on; the results have "
                      "them all\"",
                      live->left_out, live->left_out + live->channels.count);
    tn_out_raw(&a->out, "]");
}

static tn_status live_json_put_document(answer *a, const char *run, bool whole)
{
    tn_out_raw(&a->out, "{\"format\":\"tenon-page\",\"version\":1,\"title\":");
    tn_out_string(&a->out, a->live->title);
    tn_out_format(&a->out, ",\"live\":%s,\"from\":%ld,\n\"run\":", a->on ? "true" : "false",
                  a->from);
    tn_out_json(&a->out, run);
    put_warnings(a);
    if (whole) {
        tn_out_raw(&a->out, ",\n");
        TN_TRY(tn_page_put_scene(a->live->scene, &a->out));
    }
    put_frames(a);
    put_channels(a);
    tn_out_raw(&a->out, "}\n");
    return tn_out_end(&a->out);
}

// A client that asks for rows beyond the last has seen another run and gets this one whole.
tn_status tn_live_json(tn_live *live, long from, bool whole, tn_page_sink sink)
{
    answer *a = tn_alloc(sizeof(*a));
    pthread_mutex_lock(&live->lock);
    const long count = live->count;
    const bool ended = live->ended;
    char *run = tn_strdup(live->run);
    pthread_mutex_unlock(&live->lock);
    tn_status s = TN_OK;
    if (a && run) {
        a->live = live;
        a->from = from < 0 || from > count ? 0 : from;
        a->to = count - a->from > live->answer_rows ? a->from + live->answer_rows : count;
        a->on = !ended || a->to < count;
        tn_out_begin(&a->out, sink);
        s = live_json_put_document(a, run, whole);
    } else {
        s = tn_got(false);
    }
    TN_FREE(run, a);
    return s;
}
