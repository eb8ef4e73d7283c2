// SPDX-License-Identifier: MIT
//
// Files of projectors; see tenon/projectors.h.

#include "study/named_matrix.h"
#include "tenon/json.h"
#include "tenon/projectors.h"

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

static bool projectors_matrix(const void *owner, int which, tn_named_matrix *out)
{
    *out = (tn_named_matrix){.name = tn_projectors_name((tn_projector_matrix)which),
                             .owner = owner,
                             .which = which,
                             .row_name = projectors_row,
                             .column_name = projectors_column};
    out->at = tn_projectors_values(owner, (tn_projector_matrix)which, &out->rows, &out->columns);
    return true;
}

// Vectors are lists of numbers.
static void put_members(tn_json *json, const void *owner)
{
    int rows, columns;
    tn_named_matrix m;
    tn_projectors_values(owner, TN_PROJECTOR_B, &rows, &columns);
    tn_json_put(json, "t %g rank %d velocities [", tn_projectors_time(owner),
                tn_projectors_rank(owner));
    for (int i = 0; i < columns; i++)
        tn_json_string(json, NULL, tn_projectors_velocity(owner, i));
    tn_json_put(json, "] rows [");
    for (int i = 0; i < rows; i++)
        tn_json_string(json, NULL, tn_projectors_row(owner, i));
    tn_json_end_array(json);
    for (int which = 0; which < TN_PROJECTOR_MATRICES; which++) {
        projectors_matrix(owner, which, &m);
        if (which >= TN_PROJECTOR_F)
            tn_json_numbers(json, m.name, m.rows, m.at);
        else
            tn_named_matrix_json(json, &m);
    }
}

tn_status tn_projectors_write(const tn_projectors *p, const char *path)
{
    TN_NEED_ALL(TN_ERR_USAGE, p, path);
    const tn_named_matrices all = {p, TN_PROJECTOR_MATRICES, projectors_matrix, put_members,
                                   "projectors are written as FILE.json or FILE.csv"};
    return tn_named_matrices_write(&all, path);
}
