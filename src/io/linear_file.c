// SPDX-License-Identifier: MIT
//
// Files of linear models; see tenon/linear.h and docs/formats/linear.md. HDF5 works in a child
// process, as for results.

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/status.h"
#include "io/child.h"
#include "io/hdf5_library.h"
#include "io/named_matrix.h"
#include "io/target.h"
#include "tenon/json.h"
#include "tenon/linear.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const lists[] = {"states", "inputs", "outputs", "coordinates", "rows"};

// What the rows and columns of a matrix are.
static tn_linear_list rows_of(tn_linear_matrix m)
{
    static const tn_linear_list of[] = {
        TN_LINEAR_STATES,      TN_LINEAR_STATES,      TN_LINEAR_OUTPUTS,     TN_LINEAR_OUTPUTS,
        TN_LINEAR_COORDINATES, TN_LINEAR_COORDINATES, TN_LINEAR_COORDINATES, TN_LINEAR_ROWS};
    return of[m];
}

static tn_linear_list columns_of(tn_linear_matrix m)
{
    static const tn_linear_list of[] = {
        TN_LINEAR_STATES,      TN_LINEAR_INPUTS,      TN_LINEAR_STATES,      TN_LINEAR_INPUTS,
        TN_LINEAR_COORDINATES, TN_LINEAR_COORDINATES, TN_LINEAR_COORDINATES, TN_LINEAR_COORDINATES};
    return of[m];
}

// Text --------------------------------------------------------------------------------------------

static const char *linear_row(const tn_named_matrix *m, int i)
{
    return tn_linear_name(m->owner, rows_of((tn_linear_matrix)m->which), i);
}

static const char *linear_column(const tn_named_matrix *m, int j)
{
    return tn_linear_name(m->owner, columns_of((tn_linear_matrix)m->which), j);
}

// False for a matrix that was not asked for.
static bool linear_matrix(const tn_linear *l, int which, tn_named_matrix *out)
{
    *out = (tn_named_matrix){.name = tn_linear_matrix_name((tn_linear_matrix)which),
                             .owner = l,
                             .which = which,
                             .row_name = linear_row,
                             .column_name = linear_column};
    out->at = tn_linear_values(l, (tn_linear_matrix)which, &out->rows, &out->columns);
    return out->at;
}

static tn_status write_linear_csv(const tn_linear *l, const char *path)
{
    tn_buffer out = {0};
    char *text;
    tn_named_matrix matrix;
    for (int m = 0; m < TN_LINEAR_MATRICES; m++)
        if (linear_matrix(l, m, &matrix))
            tn_named_matrix_csv(&out, &matrix);
    TN_TRY(tn_buffer_finish(&out, path, &text));
    const tn_status status = tn_target_write(path, text, out.length);
    tn_free(text);
    return status;
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

static tn_status write_linear_json(const tn_linear *l, const char *path)
{
    tn_json *json = NULL;
    TN_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_linear_put(json, l);
    tn_json_end_object(json);
    tn_status status = tn_json_finish(json);
    TN_THEN(status, tn_target_write(path, tn_json_text(json), strlen(tn_json_text(json))));
    tn_json_destroy(json);
    return status;
}

// HDF5 --------------------------------------------------------------------------------------------

#ifdef TN_WITH_HDF5

typedef struct linear_hdf5 {
    const tn_linear *linear;
    hid_t file, text;
    bool failed;
} linear_hdf5;

static hid_t linear_call(linear_hdf5 *f, hid_t result)
{
    f->failed = f->failed || result < 0;
    return result;
}

// Row by row, as programs other than Octave expect.
static void put_hdf5_matrix(linear_hdf5 *f, tn_linear_matrix m)
{
    int rows, columns;
    const double *at = tn_linear_values(f->linear, m, &rows, &columns);
    if (!at || f->failed)
        return;
    double *turned = tn_alloc(sizeof(double) * ((size_t)rows * (size_t)columns + 1));
    f->failed = !turned;
    for (int i = 0; turned && i < rows; i++)
        for (int j = 0; j < columns; j++)
            turned[(size_t)i * (size_t)columns + (size_t)j] =
                at[(size_t)j * (size_t)rows + (size_t)i];
    const hsize_t shape[2] = {(hsize_t)rows, (hsize_t)columns};
    const hid_t space = linear_call(f, H5Screate_simple(2, shape, NULL));
    const hid_t set =
        linear_call(f, H5Dcreate2(f->file, tn_linear_matrix_name(m), H5T_NATIVE_DOUBLE, space,
                                  H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    if (rows > 0 && columns > 0 && turned)
        linear_call(f, H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, turned));
    linear_call(f, H5Dclose(set));
    linear_call(f, H5Sclose(space));
    tn_free(turned);
}

static void put_hdf5_attribute(linear_hdf5 *f, const char *name, hid_t type, int n,
                               const void *values)
{
    const hsize_t size = (hsize_t)n;
    const hid_t space =
        linear_call(f, n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL));
    const hid_t set =
        linear_call(f, H5Acreate2(f->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    if (n != 0)
        linear_call(f, H5Awrite(set, type, values));
    linear_call(f, H5Aclose(set));
    linear_call(f, H5Sclose(space));
}

static void put_hdf5_names(linear_hdf5 *f, tn_linear_list list)
{
    const int n = tn_linear_count(f->linear, list);
    const char **names = tn_alloc(sizeof(char *) * (size_t)(n + 1));
    f->failed = f->failed || !names;
    for (int i = 0; names && i < n; i++)
        names[i] = tn_linear_name(f->linear, list, i);
    if (!f->failed)
        put_hdf5_attribute(f, lists[list], f->text, n, names);
    tn_free((void *)names);
}

static tn_status make_linear_image(void *user, char **bytes, size_t *size)
{
    linear_hdf5 f = {.linear = user};
    const char *format = "tenon-linear";
    const int version = 1;
    const double t = tn_linear_time(f.linear);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    f.text = linear_call(&f, H5Tcopy(H5T_C_S1));
    linear_call(&f, H5Tset_size(f.text, H5T_VARIABLE));
    linear_call(&f, H5Tset_cset(f.text, H5T_CSET_UTF8));
    const hid_t access = linear_call(&f, H5Pcreate(H5P_FILE_ACCESS));
    linear_call(&f, H5Pset_fapl_core(access, (size_t)1 << 20, false));
    f.file = linear_call(&f, H5Fcreate("image", H5F_ACC_TRUNC, H5P_DEFAULT, access));
    if (!f.failed) {
        put_hdf5_attribute(&f, "format", f.text, -1, &format);
        put_hdf5_attribute(&f, "version", H5T_NATIVE_INT, -1, &version);
        put_hdf5_attribute(&f, "t", H5T_NATIVE_DOUBLE, -1, &t);
    }
    for (int k = 0; k < TN_COUNT(lists) && !f.failed; k++)
        if (k <= TN_LINEAR_OUTPUTS || tn_linear_count(f.linear, (tn_linear_list)k) > 0)
            put_hdf5_names(&f, (tn_linear_list)k);
    for (int m = 0; m < TN_LINEAR_MATRICES && !f.failed; m++)
        put_hdf5_matrix(&f, (tn_linear_matrix)m);
    if (!f.failed)
        linear_call(&f, H5Fflush(f.file, H5F_SCOPE_GLOBAL));
    const ssize_t n = f.failed ? -1 : H5Fget_file_image(f.file, NULL, 0);
    *bytes = n > 0 ? tn_alloc((size_t)n) : NULL;
    if (!*bytes || H5Fget_file_image(f.file, *bytes, (size_t)n) != n)
        return tn_fail(TN_ERR_FILE, "HDF5 cannot lay out the file");
    *size = (size_t)n;
    return TN_OK;
}

static tn_status write_linear_hdf5(const tn_linear *l, const char *path)
{
    static const tn_child_terms terms = {.who = "HDF5"};
    char *bytes = NULL;
    size_t size = 0;
    TN_TRY(tn_target_check(path));
    tn_status status = tn_child_take(make_linear_image, (void *)l, &terms, &bytes, &size);
    if (status != TN_OK)
        return tn_fail_within(status, "%s", path);
    status = tn_target_write(path, bytes, size);
    tn_free(bytes);
    return status;
}

#else

static tn_status write_linear_hdf5(const tn_linear *l, const char *path)
{
    (void)l;
    return tn_fail(TN_ERR_USAGE, "%s: Tenon was built without HDF5; write FILE.json or FILE.csv",
                   path);
}

#endif

static bool ends_with(const char *path, const char *end)
{
    const size_t n = strlen(path), k = strlen(end);
    return n > k && strcmp(path + n - k, end) == 0;
}

tn_status tn_linear_write(const tn_linear *l, const char *path)
{
    TN_NEED_ALL(TN_ERR_USAGE, l, path);
    tn_clear_error();
    if (ends_with(path, ".h5"))
        return write_linear_hdf5(l, path);
    if (ends_with(path, ".json"))
        return write_linear_json(l, path);
    if (ends_with(path, ".csv") || strcmp(path, "-") == 0)
        return write_linear_csv(l, path);
    return tn_fail(TN_ERR_USAGE, "%s: a linear model is written as FILE.h5, FILE.json or FILE.csv",
                   path);
}
