// SPDX-License-Identifier: MIT
//
// The parts of the data of a page, and what they share.
//
//   page.c            the page as a file
//   page_data.c       the document as a whole, and the run
//   page_scene.c      bodies, joints, forces and meshes
//   page_frames.c     the animation
//   page_channels.c   the plots
//   page_over.c       a second run over the first, and what the two differ by
//   mode_page.c       the page of modes, which has no result

#pragma once

#include "file/base64.h"
#include "file/document.h"
#include "page/page.h"
#include "page/thin.h"

// The parts of an animation: datasets of results, and their keys in a page.
enum { TN_FRAME_PARTS = 7 };
typedef struct tn_frame_part {
    const char *path, *key; // "bodies/position", "position"
    bool narrow;            // float32 is enough
} tn_frame_part;

extern const tn_frame_part tn_frame_parts[TN_FRAME_PARTS];

// Data that the parts of a page work on.
typedef struct tn_page_job {
    tn_result *result;
    tn_result *first; // of several runs
    tn_page_options options;
    tn_page_notes *notes;
    tn_json *json;
    unsigned damaged; // bit by dataset: damage was reported
    // Values of another run that are subtracted from channels; NULL for none.
    const struct tn_page_minus *minus;
} tn_page_job;

// Each writes some members of the document.
tn_status tn_page_run(tn_page_job *job);   // "title": ..., "run": ..., "reproduce": ...
tn_status tn_page_scene(tn_page_job *job); // "scene": ..., "meshes": ...
// The same for a scene as tn_scene_json writes it, without a result; and for a model that runs now,
// without notes on meshes that cannot be read. These are left empty.
tn_status tn_page_scene_text(tn_page_job *job, const char *scene);
tn_status tn_page_put_scene(const char *scene, tn_json *json);
tn_status tn_page_frames(tn_page_job *job);                    // "frames": ...
tn_status tn_page_channels(tn_page_job *job, const char *key); // "channels": ...
tn_status tn_page_over(tn_page_job *job); // "label": ..., "over": [{..., "difference": ...}]
void tn_page_warnings(tn_page_job *job, int first); // "warnings": notes from this one on

// Reads rows of a dataset. Where the file is damaged they are NaN, and a note says so.
tn_status tn_page_read(tn_page_job *job, int dataset, long first, long n, double *out);
const char *tn_page_title(const char *path); // the name of the file or folder
// The name that the text of a model states, else that of its file, without its ending; tn_free it.
char *tn_page_name(const char *source, const char *path);
// Which dataset is time.
int tn_page_time(const tn_page_job *job);

// The other run of a difference. Its values at times of the first are interpolated as those of
// plots are (draw/plot_runs.h).
typedef struct tn_page_minus {
    tn_result *result;
    double sign; // of the difference: -1 where the second run has the times
    long rows;
    double *time; // rows
    int *partner; // by channel of the first run: that of the second, -1 for none
} tn_page_minus;

// A channel that is plotted.
typedef struct tn_page_plot {
    int channel;
    tn_thin thin;
} tn_page_plot;

// Takes the other run from the values of rows of the dataset of n plots, `width` columns; gaps
// where it has no values.
tn_status tn_page_subtract(const tn_page_job *job, int n, const tn_page_plot *plots, int width,
                           long rows, const double *times, double *values);
