// SPDX-License-Identifier: MIT

#include "study/named_matrix.h"

#include "base/alloc.h"
#include "text/buffer.h"
#include "text/lines.h"
#include "text/target.h"

#include <string.h>

static double entry(const tn_named_matrix *m, int i, int j)
{
    return m->at[(size_t)j * (size_t)m->rows + (size_t)i];
}

static void put_csv(tn_buffer *out, const tn_named_matrix *m)
{
    tn_buffer_field(out, m->name);
    for (int j = 0; j < m->columns; j++) {
        tn_buffer_say(out, ",");
        tn_buffer_field(out, m->column_name(m, j));
    }
    tn_buffer_say(out, "\n");
    for (int i = 0; i < m->rows; i++) {
        tn_buffer_field(out, m->row_name(m, i));
        for (int j = 0; j < m->columns; j++) {
            tn_buffer_say(out, ",");
            tn_csv_number(out, entry(m, i, j));
        }
        tn_buffer_say(out, "\n");
    }
    tn_buffer_say(out, "\n");
}

void tn_named_matrix_json(tn_json *json, const tn_named_matrix *m)
{
    tn_json_begin_array(json, m->name);
    for (int i = 0; i < m->rows; i++) {
        tn_json_begin_array(json, NULL);
        for (int j = 0; j < m->columns; j++)
            tn_json_number(json, NULL, entry(m, i, j));
        tn_json_end_array(json);
    }
    tn_json_end_array(json);
}

static tn_status write_csv(const tn_named_matrices *all, const char *path)
{
    tn_buffer out = {0};
    tn_named_matrix matrix;
    for (int m = 0; m < all->n; m++)
        if (all->get(all->owner, m, &matrix))
            put_csv(&out, &matrix);
    return tn_target_finish(TN_OK, path, &out, path);
}

static tn_status write_json(const tn_named_matrices *all, const char *path)
{
    tn_json *json = NULL;
    TN_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    all->put(json, all->owner);
    tn_json_end_object(json);
    tn_status status = tn_json_finish(json);
    TN_THEN(status, tn_target_write(path, tn_json_text(json), strlen(tn_json_text(json))));
    tn_json_destroy(json);
    return status;
}

bool tn_path_ends_with(const char *path, const char *end)
{
    const size_t n = strlen(path), k = strlen(end);
    return n > k && strcmp(path + n - k, end) == 0;
}

tn_status tn_named_matrices_write(const tn_named_matrices *all, const char *path)
{
    tn_clear_error();
    if (tn_path_ends_with(path, ".json"))
        return write_json(all, path);
    if (tn_path_ends_with(path, ".csv") || strcmp(path, "-") == 0)
        return write_csv(all, path);
    return tn_fail(TN_ERR_USAGE, "%s: %s", path, all->formats);
}
