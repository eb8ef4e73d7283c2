// SPDX-License-Identifier: MIT
//
// Files of projectors; see tenon/projectors.h.

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/status.h"
#include "io/named_matrix.h"
#include "io/target.h"
#include "tenon/json.h"
#include "tenon/projectors.h"

#include <string.h>

static bool counts_rows(tn_projector_matrix m, bool columns) // else velocities
{
    return columns ? m == TN_PROJECTOR_E
                   : m == TN_PROJECTOR_B || m == TN_PROJECTOR_E_PLUS || m == TN_PROJECTOR_C;
}

static const char *name_of(const tn_named_matrix *m, bool columns, int i)
{
    const tn_projector_matrix which = (tn_projector_matrix)m->which;
    if (columns && which >= TN_PROJECTOR_F)
        return "value";
    return counts_rows(which, columns) ? tn_projectors_row(m->owner, i)
                                       : tn_projectors_velocity(m->owner, i);
}

static const char *projectors_row(const tn_named_matrix *m, int i)
{
    return name_of(m, false, i);
}

static const char *projectors_column(const tn_named_matrix *m, int j)
{
    return name_of(m, true, j);
}

static tn_named_matrix projectors_matrix(const tn_projectors *p, tn_projector_matrix which)
{
    tn_named_matrix m = {.name = tn_projectors_name(which),
                         .owner = p,
                         .which = (int)which,
                         .row_name = projectors_row,
                         .column_name = projectors_column};
    m.at = tn_projectors_values(p, which, &m.rows, &m.columns);
    return m;
}

static tn_status write_csv(const tn_projectors *p, const char *path)
{
    tn_buffer out = {0};
    char *text;
    for (int m = 0; m < TN_PROJECTOR_MATRICES; m++) {
        const tn_named_matrix matrix = projectors_matrix(p, (tn_projector_matrix)m);
        tn_named_matrix_csv(&out, &matrix);
    }
    TN_TRY(tn_buffer_finish(&out, path, &text));
    const tn_status status = tn_target_write(path, text, out.length);
    tn_free(text);
    return status;
}

// Vectors are lists of numbers.
static void put_json_matrix(tn_json *json, const tn_projectors *p, tn_projector_matrix which)
{
    const tn_named_matrix m = projectors_matrix(p, which);
    if (which >= TN_PROJECTOR_F)
        tn_json_numbers(json, m.name, m.rows, m.at);
    else
        tn_named_matrix_json(json, &m);
}

static tn_status write_json(const tn_projectors *p, const char *path)
{
    int rows, columns;
    tn_json *json = NULL;
    TN_TRY(tn_json_create(&json));
    tn_projectors_values(p, TN_PROJECTOR_B, &rows, &columns);
    tn_json_put(json, "{ t %g rank %d velocities [", tn_projectors_time(p), tn_projectors_rank(p));
    for (int i = 0; i < columns; i++)
        tn_json_string(json, NULL, tn_projectors_velocity(p, i));
    tn_json_put(json, "] rows [");
    for (int i = 0; i < rows; i++)
        tn_json_string(json, NULL, tn_projectors_row(p, i));
    tn_json_end_array(json);
    for (int m = 0; m < TN_PROJECTOR_MATRICES; m++)
        put_json_matrix(json, p, (tn_projector_matrix)m);
    tn_json_end_object(json);
    tn_status status = tn_json_finish(json);
    TN_THEN(status, tn_target_write(path, tn_json_text(json), strlen(tn_json_text(json))));
    tn_json_destroy(json);
    return status;
}

static bool ends_with(const char *path, const char *end)
{
    const size_t n = strlen(path), k = strlen(end);
    return n > k && strcmp(path + n - k, end) == 0;
}

tn_status tn_projectors_write(const tn_projectors *p, const char *path)
{
    TN_NEED_ALL(TN_ERR_USAGE, p, path);
    tn_clear_error();
    if (ends_with(path, ".json"))
        return write_json(p, path);
    if (ends_with(path, ".csv") || strcmp(path, "-") == 0)
        return write_csv(p, path);
    return tn_fail(TN_ERR_USAGE, "%s: projectors are written as FILE.json or FILE.csv", path);
}
