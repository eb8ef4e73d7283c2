// SPDX-License-Identifier: MIT
//
// The self-contained page of a run: the data of a result as one JSON document, and the page asset
// with that document put into it. Long runs are thinned for display (page/thin.h), so that memory
// and the page stay small.

#pragma once

#include "base/array.h"
#include "file/json_stream.h"
#include "result/result.h"
#include "tenon/modes.h"
#include "text/buffer.h"

// Sentences for the page and for the caller.
typedef struct tn_page_notes {
    TN_ARRAY(char *) texts;
} tn_page_notes;

void tn_page_notes_free(tn_page_notes *notes);
void tn_page_notes_tell(const tn_page_notes *notes, tn_teller teller);
tn_status tn_page_note(tn_page_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

typedef struct tn_page_options {
    int most_frames;  // of the animation
    int most_buckets; // of a plot, with two points each
    int most_channels;
    // Bytes in the page of the animation and of all plots: the aim, which long runs are thinned
    // to while they stay smooth, and the limit.
    size_t frame_aim, frame_bytes;
    size_t channel_aim, channel_bytes;
    size_t mesh_bytes;
    int nsnapshot; // times at which the mechanism is drawn as well [s]
    const double *snapshots;
    int nover; // runs that are laid over the first
    tn_result *const *over;
} tn_page_options;

tn_page_options tn_default_page(void);

// The data of a page, by a function that writes it. Data JSON is safe inside <script>. What could
// not be shown goes into the document and is added to the notes (may be NULL).
typedef tn_status (*tn_page_data)(void *user, tn_page_sink sink);

// That of a result: a tn_page_of_result. Options may be NULL.
typedef struct tn_page_of_result {
    tn_result *result;
    const tn_page_options *options;
    tn_page_notes *notes;
} tn_page_of_result;
tn_status tn_page_data_json(void *of_result, tn_page_sink sink);

// That of modes: a tn_page_of_modes.
typedef struct tn_page_of_modes {
    const tn_modes *modes;
    const tn_modes_page *how;
    tn_page_notes *notes;
} tn_page_of_modes;
tn_status tn_mode_page_json(void *of_modes, tn_page_sink sink);

// The page: the asset of its kind, that of a run, of a comparison of methods or of a sweep, with
// the data in place of its marker; and the page as a file, which appears when it is complete.
typedef enum tn_page_kind { TN_PAGE_RUN, TN_PAGE_COMPARE, TN_PAGE_SWEEP } tn_page_kind;
tn_status tn_page_emit(tn_page_kind kind, tn_page_data data, void *user, tn_page_sink sink);
tn_status tn_page_write(const char *path, tn_page_kind kind, tn_page_data data, void *user);
