// SPDX-License-Identifier: MIT
//
// Files of linear models; see tenon/linear.h and docs/formats/linear.md.

#include "base/alloc.h"
#include "file/hdf5_write.h"
#include "study/named_matrix.h"
#include "tenon/json.h"
#include "tenon/linear.h"

#include <math.h>

static const char *const lists[] = {"states", "inputs", "outputs", "coordinates", "rows"};

// Lists that name the rows and the columns of a matrix.
static const tn_linear_list sides[][2] = {
    {TN_LINEAR_STATES, TN_LINEAR_STATES},           {TN_LINEAR_STATES, TN_LINEAR_INPUTS},
    {TN_LINEAR_OUTPUTS, TN_LINEAR_STATES},          {TN_LINEAR_OUTPUTS, TN_LINEAR_INPUTS},
    {TN_LINEAR_COORDINATES, TN_LINEAR_COORDINATES}, {TN_LINEAR_COORDINATES, TN_LINEAR_COORDINATES},
    {TN_LINEAR_COORDINATES, TN_LINEAR_COORDINATES}, {TN_LINEAR_ROWS, TN_LINEAR_COORDINATES},
};

// Text --------------------------------------------------------------------------------------------

static const char *linear_row(const tn_named_matrix *m, int i)
{
    return tn_linear_name(m->owner, sides[m->which][0], i);
}

static const char *linear_column(const tn_named_matrix *m, int j)
{
    return tn_linear_name(m->owner, sides[m->which][1], j);
}

static bool linear_matrix(const void *owner, int which, tn_named_matrix *out)
{
    const tn_linear *l = owner;
    *out = (tn_named_matrix){.name = tn_linear_matrix_name((tn_linear_matrix)which),
                             .owner = l,
                             .which = which,
                             .row_name = linear_row,
                             .column_name = linear_column};
    out->at = tn_linear_values(l, (tn_linear_matrix)which, &out->rows, &out->columns);
    return out->at;
}

static void put_json_names(tn_json *json, const tn_linear *l, tn_linear_list list)
{
    tn_json_begin_array(json, lists[list]);
    for (int i = 0; i < tn_linear_count(l, list); i++) {
        tn_json_put(json, "{ name %s unit %s", tn_linear_name(l, list, i),
                    tn_linear_unit(l, list, i));
        if (list == TN_LINEAR_INPUTS ||
            (list == TN_LINEAR_OUTPUTS && !isnan(tn_linear_nominal(l, list, i))))
            tn_json_number(json, "value", tn_linear_nominal(l, list, i));
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

void tn_linear_put(tn_json *json, const tn_linear *l)
{
    if (!json || !l)
        return;
    const tn_vec3 w = tn_linear_turning(l);
    tn_json_number(json, "t", tn_linear_time(l));
    tn_json_numbers(json, "turning", 3, &w.x);
    for (int k = 0; k < TN_COUNT(lists); k++)
        if (k <= TN_LINEAR_OUTPUTS || tn_linear_count(l, (tn_linear_list)k) > 0)
            put_json_names(json, l, (tn_linear_list)k);
    tn_named_matrix matrix;
    for (int m = 0; m < TN_LINEAR_MATRICES; m++)
        if (linear_matrix(l, m, &matrix))
            tn_named_matrix_json(json, &matrix);
}

static void put_members(tn_json *json, const void *owner)
{
    tn_linear_put(json, owner);
}

// HDF5 --------------------------------------------------------------------------------------------

#ifdef TN_WITH_HDF5

// Row by row, as programs other than Octave expect.
static tn_status put_hdf5_matrix(tn_hdf5_out *f, const tn_linear *l, tn_linear_matrix m)
{
    int rows, columns;
    const double *at = tn_linear_values(l, m, &rows, &columns);
    if (!at)
        return TN_OK;
    double *turned = tn_alloc(sizeof(double) * ((size_t)rows * (size_t)columns + 1));
    TN_TRY(tn_got(turned));
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            turned[(size_t)i * (size_t)columns + (size_t)j] =
                at[(size_t)j * (size_t)rows + (size_t)i];
    const hsize_t shape[2] = {(hsize_t)rows, (hsize_t)columns};
    tn_hdf5_put(f, tn_linear_matrix_name(m), H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 2, shape,
                turned);
    tn_free(turned);
    return TN_OK;
}

static tn_status put_hdf5_names(tn_hdf5_out *f, const tn_linear *l, tn_linear_list list)
{
    const int n = tn_linear_count(l, list);
    const char **names = tn_alloc(sizeof(char *) * (size_t)(n + 1));
    TN_TRY(tn_got(names));
    for (int i = 0; i < n; i++)
        names[i] = tn_linear_name(l, list, i);
    tn_hdf5_about(f, f->file, lists[list], f->text, f->text, n, names);
    tn_free((void *)names);
    return TN_OK;
}

static tn_status put_hdf5(tn_hdf5_out *f, const void *user)
{
    const tn_linear *l = user;
    const char *format = "tenon-linear";
    const int version = 1;
    const double t = tn_linear_time(l);
    tn_hdf5_about(f, f->file, "format", f->text, f->text, -1, &format);
    tn_hdf5_about(f, f->file, "version", H5T_NATIVE_INT, H5T_NATIVE_INT, -1, &version);
    tn_hdf5_about(f, f->file, "t", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, -1, &t);
    for (int k = 0; k < TN_COUNT(lists); k++)
        if (k <= TN_LINEAR_OUTPUTS || tn_linear_count(l, (tn_linear_list)k) > 0)
            TN_TRY(put_hdf5_names(f, l, (tn_linear_list)k));
    for (int m = 0; m < TN_LINEAR_MATRICES; m++)
        TN_TRY(put_hdf5_matrix(f, l, (tn_linear_matrix)m));
    return TN_OK;
}

#else

static const tn_hdf5_layout put_hdf5 = NULL;

#endif

tn_status tn_linear_write(const tn_linear *l, const char *path)
{
    TN_NEED_ALL(TN_ERR_USAGE, l, path);
    const tn_named_matrices all = {l, TN_LINEAR_MATRICES, linear_matrix, put_members,
                                   "a linear model is written as FILE.h5, FILE.json or FILE.csv"};
    return tn_path_ends_with(path, ".h5") ? tn_hdf5_write(path, put_hdf5, l)
                                          : tn_named_matrices_write(&all, path);
}
