// SPDX-License-Identifier: MIT
//
// The animation: poses of all bodies, their velocities, the reaction forces and what sections of
// beams carry, at rows that are equally spaced in time. Their number depends on what the page can
// carry; poses are float64 unless they would be too many.

#include "page/page_parts.h"
#include "page/thin.h"

#include <math.h>

enum { FEWEST_FRAMES = 600 }; // the aim for bytes does not go below; the limit does

const tn_frame_part tn_frame_parts[TN_FRAME_PARTS] = {
    {"bodies/position", "position", false},
    {"bodies/quaternion", "quaternion", false},
    {"bodies/velocity", "velocity", true},
    {"joints/force", "force", true},
    {"joints/point", "point", true},
    {"forces/section_force", "section_force", true},
    {"forces/section_moment", "section_moment", true},
};

typedef struct {
    int dataset[TN_FRAME_PARTS]; // -1 when not there
    bool narrow;                 // all parts, also poses
    int count;
    long *rows;     // count
    double *values; // one row of the widest dataset
} animation;

static int width_of(const tn_page_job *job, int dataset)
{
    return dataset < 0 ? 0 : tn_result_dataset_at(job->result, dataset)->width;
}

// Bytes of a frame in the page: base64 takes 4 for 3.
static double frame_bytes(const tn_page_job *job, const animation *a, bool narrow)
{
    double bytes = 8.0;
    for (int i = 0; i < TN_FRAME_PARTS; i++)
        bytes += (narrow || tn_frame_parts[i].narrow ? 4.0 : 8.0) * width_of(job, a->dataset[i]);
    return bytes * 4.0 / 3.0;
}

static int choose_count(const tn_page_job *job, animation *a)
{
    const long rows = tn_result_rows(job->result);
    const tn_page_options *o = &job->options;
    double count = fmin((double)rows, o->most_frames);
    const double aimed = (double)o->frame_aim / frame_bytes(job, a, false);
    if (count > aimed)
        count = fmax(aimed, fmin(count, FEWEST_FRAMES));
    a->narrow = count * frame_bytes(job, a, false) > (double)o->frame_bytes;
    if (a->narrow)
        count = fmin(count, (double)o->frame_bytes / frame_bytes(job, a, true));
    return count < 2.0 ? 2 : (int)count;
}

static tn_status page_frames_choose_rows(tn_page_job *job, animation *a)
{
    enum { BLOCK = 4096 }; // what damage takes along
    const long rows = tn_result_rows(job->result);
    const int most = choose_count(job, a);
    double *times = tn_alloc((size_t)(rows + 1) * sizeof *times);
    a->rows = tn_alloc((size_t)(rows < most ? rows + 1 : most) * sizeof *a->rows);
    tn_status s = tn_got(times && a->rows);
    for (long first = 0; s == TN_OK && first < rows; first += BLOCK)
        s = tn_page_read(job, tn_page_time(job), first, rows - first < BLOCK ? rows - first : BLOCK,
                         times + first);
    if (s == TN_OK)
        a->count = tn_thin_rows(rows, times, most, a->rows);
    tn_free(times);
    return s;
}

static tn_status put_dataset(tn_page_job *job, const animation *a, const char *key, int dataset,
                             bool narrow)
{
    tn_page_array array;
    tn_page_array_begin(&array, job->json, key, narrow);
    for (int i = 0; dataset >= 0 && i < a->count; i++) {
        TN_TRY(tn_page_read(job, dataset, a->rows[i], 1, a->values));
        tn_page_array_put(&array, width_of(job, dataset), a->values);
    }
    tn_page_array_end(&array);
    return TN_OK;
}

static tn_status put_animation(tn_page_job *job, animation *a)
{
    int most = 1;
    TN_TRY(page_frames_choose_rows(job, a));
    for (int i = 0; i < TN_FRAME_PARTS; i++)
        most = tn_larger(most, width_of(job, a->dataset[i]));
    a->values = tn_alloc((size_t)most * sizeof(double));
    TN_TRY(tn_got(a->values));
    tn_json_begin_object(job->json, "frames");
    tn_json_integer(job->json, "count", a->count);
    TN_TRY(put_dataset(job, a, "time", tn_page_time(job), false));
    for (int i = 0; i < TN_FRAME_PARTS; i++)
        TN_TRY(put_dataset(job, a, tn_frame_parts[i].key, a->dataset[i],
                           a->narrow || tn_frame_parts[i].narrow));
    tn_json_end_object(job->json);
    return TN_OK;
}

tn_status tn_page_frames(tn_page_job *job)
{
    animation a = {0};
    for (int i = 0; i < TN_FRAME_PARTS; i++)
        a.dataset[i] = tn_result_dataset_find(job->result, tn_frame_parts[i].path);
    tn_status s = put_animation(job, &a);
    const int shown = a.count;
    if (s == TN_OK && a.narrow)
        s = tn_page_note(job->notes,
                         "the animation shows %d of %ld stored rows in single precision", shown,
                         tn_result_rows(job->result));
    TN_FREE(a.rows, a.values);
    return s;
}
