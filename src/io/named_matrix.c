// SPDX-License-Identifier: MIT

#include "io/named_matrix.h"

#include "base/number.h"

static double entry(const tn_named_matrix *m, int i, int j)
{
    return m->at[(size_t)j * (size_t)m->rows + (size_t)i];
}

void tn_named_matrix_csv(tn_buffer *out, const tn_named_matrix *m)
{
    char digits[TN_NUMBER_SIZE];
    tn_buffer_field(out, m->name);
    for (int j = 0; j < m->columns; j++) {
        tn_buffer_say(out, ",");
        tn_buffer_field(out, m->column_name(m, j));
    }
    tn_buffer_say(out, "\n");
    for (int i = 0; i < m->rows; i++) {
        tn_buffer_field(out, m->row_name(m, i));
        for (int j = 0; j < m->columns; j++) {
            tn_number_text(entry(m, i, j), digits);
            tn_buffer_format(out, ",%s", digits);
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
