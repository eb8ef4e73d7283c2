// SPDX-License-Identifier: MIT
//
// The page of a study: its asset with the JSON of the study in place of the marker.

#include "io/page.h"
#include "io/study_io.h"

typedef struct {
    const tn_study *study;
    const tn_study_about *about;
} source;

static tn_status write_data(void *user, tn_page_sink sink)
{
    const source *from = user;
    tn_json *json = NULL, *out = NULL;
    tn_status s = tn_study_json(from->study, from->about, &json);
    TN_THEN(s, tn_json_stream(sink, &out));
    if (s == TN_OK) {
        tn_json_raw(out, NULL, tn_json_text(json));
        s = tn_json_finish(out);
    }
    tn_json_destroy(json);
    tn_json_destroy(out);
    return s;
}

tn_status tn_study_page(const tn_study *study, const tn_study_about *about, const char *path)
{
    source from = {study, about};
    return tn_page_write_data(path, TN_PAGE_COMPARE, write_data, &from);
}
