// SPDX-License-Identifier: MIT
//
// Adding a modal body to a model, from its file or from the shapes of a rod.

#include "flex/modal.h"
#include "flex/modal_body.h"
#include "model/builder.h"
#include "read/modal_file.h"

#include <stdio.h>

static tn_status make_modal(const tn_model *model, const tn_modal_def *def, const char *what,
                            tn_modal **out)
{
    const bool rod = def->rod.nshape > 0 || def->rod.length != 0.0;
    if (def->file && rod)
        return tn_fail(TN_ERR_MODEL, "%s: both 'file' and 'rod' are stated; leave out one", what);
    if (!def->file && !rod)
        return tn_fail(TN_ERR_MODEL,
                       "%s: neither 'file' nor 'rod' is stated; a modal body is read from a file "
                       "(tenon reduce makes it), or is a rod with shapes by expressions",
                       what);
    if (rod)
        return tn_modal_of_rod(model, &def->rod, what, out);
    const tn_status s = tn_modal_read(def->file, out);
    return s == TN_OK ? TN_OK : tn_fail_within(s, "%s: file", what);
}

tn_modal_body tn_model_add_modal(tn_model *model, const tn_modal_def *def)
{
    TN_NEED_ALL(((tn_modal_body){-1}), model, def);
    char what[300];
    tn_modal *modal = NULL;
    if (tn_model_open_to_change(model) != TN_OK)
        return (tn_modal_body){-1};
    snprintf(what, sizeof what, "body '%.250s'", def->name ? def->name : "");
    tn_status status = make_modal(model, def, what, &modal);
    TN_THEN(status, tn_modal_add(model, def, what, modal));
    if (status != TN_OK)
        tn_modal_destroy(modal);
    tn_model_keep_error(model, status);
    return (tn_modal_body){status == TN_OK ? model->modals.count - 1 : -1};
}
