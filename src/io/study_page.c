// SPDX-License-Identifier: MIT
//
// The page of a study: its asset with the JSON of the study in place of the marker.

#include "base/alloc.h"
#include "io/page_parts.h"
#include "io/study_io.h"

typedef struct {
    const tn_study *study;
    const tn_study_about *about;
} source;

static tn_status write_data(void *user, tn_page_sink sink)
{
    const source *from = user;
    tn_json *json = NULL;
    tn_page_out *out = tn_alloc(sizeof(*out));
    if (!out)
        return tn_fail(TN_ERR_MEMORY, "out of memory: the page of a study");
    tn_status s = tn_study_json(from->study, from->about, &json);
    if (s == TN_OK) {
        tn_out_begin(out, sink);
        tn_out_json(out, tn_json_text(json));
        s = tn_out_end(out);
    }
    tn_json_destroy(json);
    tn_free(out);
    return s;
}

tn_status tn_study_page(const tn_study *study, const tn_study_about *about, const char *path)
{
    source from = {study, about};
    return tn_page_write_data(path, TN_PAGE_COMPARE, write_data, &from);
}
