// SPDX-License-Identifier: MIT
//
// The parts of the data of a page, and the writer they share.
//
//   page.c            the page as a file
//   page_data.c       the document as a whole, and the run
//   page_scene.c      bodies, joints, forces and meshes
//   page_frames.c     the animation
//   page_channels.c   the plots
//   page_out.c        JSON that is safe inside <script>, numbers as base64

#pragma once

#include "io/base64.h"
#include "io/document.h"
#include "io/page.h"

// Writes JSON without looking at its structure. Failures are remembered in `status`; what is
// written after one goes nowhere.
typedef struct tn_page_out {
    tn_page_sink sink;
    tn_status status;
    tn_base64 base64;
    bool narrow; // the array that is being written holds float32
    size_t used;
    char buffer[1 << 14];
} tn_page_out;

void tn_out_begin(tn_page_out *out, tn_page_sink sink);
tn_status tn_out_end(tn_page_out *out); // hands over the rest
void tn_out_bytes(tn_page_out *out, const char *text, size_t length);
void tn_out_raw(tn_page_out *out, const char *text); // JSON without '<'
void tn_out_format(tn_page_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tn_out_string(tn_page_out *out, const char *text); // in quotes
void tn_out_json(tn_page_out *out, const char *text);   // JSON that Tenon wrote, made safe
// A node of a document as JSON; the key `without` of a map is left out (NULL for none).
void tn_out_node(tn_page_out *out, const tn_node *node, const char *without);
// {"f64": "..."} or {"f32": "..."}, piece by piece.
void tn_out_array_begin(tn_page_out *out, bool narrow);
void tn_out_array_put(tn_page_out *out, long n, const double *values);
void tn_out_array_end(tn_page_out *out);

// What the parts work on.
typedef struct tn_page_job {
    tn_result *result;
    tn_page_options options;
    tn_page_notes *notes;
    tn_page_out *out;
    unsigned damaged; // bit by dataset: damage was told
} tn_page_job;

// Each writes the value behind its key, or keys with values.
tn_status tn_page_run(tn_page_job *job);   // "title": ..., "run": ..., "reproduce": ...
tn_status tn_page_scene(tn_page_job *job); // "scene": ..., "meshes": ...
// The same for the scene of a model that runs now, as tn_scene_json writes it; meshes that cannot
// be read are left empty.
tn_status tn_page_put_scene(const char *scene, tn_page_out *out);
tn_status tn_page_frames(tn_page_job *job);   // "frames": ...
tn_status tn_page_channels(tn_page_job *job); // "channels": ...

// Reads rows of a dataset. Where the file is damaged they are NaN, and a note says so.
tn_status tn_page_read(tn_page_job *job, int dataset, long first, long n, double *out);
// Which dataset is time.
int tn_page_time(const tn_page_job *job);
