// SPDX-License-Identifier: MIT
//
// Files of linear models (tenon/linear.h, docs/formats/linear.md) and of projectors
// (tenon/projectors.h): matrices whose rows and columns have names.

#include "base/alloc.h"
#include "file/hdf5_write.h"
#include "tenon/json.h"
#include "tenon/linear.h"
#include "tenon/projectors.h"
#include "text/buffer.h"
#include "text/lines.h"
#include "text/target.h"

#include <math.h>
#include <string.h>

typedef struct named_matrix {
    const char *name;
    int rows, columns;
    const double *at; // by columns
    int list[2];      // of the owner's lists of names, those of its rows and of its columns
} named_matrix;

typedef struct named_matrices {
    const void *owner;
    int n;
    // False for one that was not asked for.
    bool (*get)(const void *owner, int which, named_matrix *out);
    const char *(*name)(const void *owner, int list, int i);
    void (*put)(tn_json *json, const void *owner); // the members of the document
    const char *formats;                           // "projectors are written as FILE.json"
} named_matrices;

static double entry(const named_matrix *m, int i, int j)
{
    return m->at[(size_t)j * (size_t)m->rows + (size_t)i];
}

static void put_csv(tn_buffer *out, const named_matrices *all, const named_matrix *m)
{
    tn_buffer_field(out, m->name);
    for (int j = 0; j < m->columns; j++) {
        tn_buffer_say(out, ",");
        tn_buffer_field(out, all->name(all->owner, m->list[1], j));
    }
    tn_buffer_say(out, "\n");
    for (int i = 0; i < m->rows; i++) {
        tn_buffer_field(out, all->name(all->owner, m->list[0], i));
        for (int j = 0; j < m->columns; j++) {
            tn_buffer_say(out, ",");
            tn_csv_number(out, entry(m, i, j));
        }
        tn_buffer_say(out, "\n");
    }
    tn_buffer_say(out, "\n");
}

// A list of rows under its name.
static void put_matrix(tn_json *json, const named_matrix *m)
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

static tn_status write_csv(const named_matrices *all, const char *path)
{
    tn_buffer out = {0};
    named_matrix matrix;
    for (int m = 0; m < all->n; m++)
        if (all->get(all->owner, m, &matrix))
            put_csv(&out, all, &matrix);
    return tn_target_finish(TN_OK, path, &out, path);
}

static tn_status write_json(const named_matrices *all, const char *path)
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

static bool path_ends_with(const char *path, const char *end)
{
    const size_t n = strlen(path), k = strlen(end);
    return n > k && strcmp(path + n - k, end) == 0;
}

// FILE.json, FILE.csv, or - for CSV: of each matrix its name and those of its columns, its rows
// behind their names, and an empty line.
static tn_status write_matrices(const named_matrices *all, const char *path)
{
    tn_clear_error();
    if (path_ends_with(path, ".json"))
        return write_json(all, path);
    if (path_ends_with(path, ".csv") || strcmp(path, "-") == 0)
        return write_csv(all, path);
    return tn_fail(TN_ERR_USAGE, "%s: %s", path, all->formats);
}

// Linear models -----------------------------------------------------------------------------------

static const char *const lists[] = {"states", "inputs", "outputs", "coordinates", "rows"};

// Lists that name the rows and the columns of a matrix.
static const tn_linear_list sides[][2] = {
    {TN_LINEAR_STATES, TN_LINEAR_STATES},           {TN_LINEAR_STATES, TN_LINEAR_INPUTS},
    {TN_LINEAR_OUTPUTS, TN_LINEAR_STATES},          {TN_LINEAR_OUTPUTS, TN_LINEAR_INPUTS},
    {TN_LINEAR_COORDINATES, TN_LINEAR_COORDINATES}, {TN_LINEAR_COORDINATES, TN_LINEAR_COORDINATES},
    {TN_LINEAR_COORDINATES, TN_LINEAR_COORDINATES}, {TN_LINEAR_ROWS, TN_LINEAR_COORDINATES},
};

static const char *linear_name(const void *owner, int list, int i)
{
    return tn_linear_name(owner, (tn_linear_list)list, i);
}

static bool linear_matrix(const void *owner, int which, named_matrix *out)
{
    *out = (named_matrix){.name = tn_linear_matrix_name((tn_linear_matrix)which),
                          .list = {(int)sides[which][0], (int)sides[which][1]}};
    out->at = tn_linear_values(owner, (tn_linear_matrix)which, &out->rows, &out->columns);
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
    named_matrix matrix;
    for (int m = 0; m < TN_LINEAR_MATRICES; m++)
        if (linear_matrix(l, m, &matrix))
            put_matrix(json, &matrix);
}

static void put_linear(tn_json *json, const void *owner)
{
    tn_linear_put(json, owner);
}

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
    const named_matrices all = {l,
                                TN_LINEAR_MATRICES,
                                linear_matrix,
                                linear_name,
                                put_linear,
                                "a linear model is written as FILE.h5, FILE.json or FILE.csv"};
    return path_ends_with(path, ".h5") ? tn_hdf5_write(path, put_hdf5, l)
                                       : write_matrices(&all, path);
}

// Projectors --------------------------------------------------------------------------------------

enum { VELOCITIES, ROWS, VALUE }; // lists of names

static const char *projectors_name(const void *owner, int list, int i)
{
    return list == VALUE  ? "value"
           : list == ROWS ? tn_projectors_row(owner, i)
                          : tn_projectors_velocity(owner, i);
}

static bool projectors_matrix(const void *owner, int which, named_matrix *out)
{
    const bool of_rows =
        which == TN_PROJECTOR_B || which == TN_PROJECTOR_E_PLUS || which == TN_PROJECTOR_C;
    const int columns = which >= TN_PROJECTOR_F   ? VALUE
                        : which == TN_PROJECTOR_E ? ROWS
                                                  : VELOCITIES;
    *out = (named_matrix){.name = tn_projectors_name((tn_projector_matrix)which),
                          .list = {of_rows ? ROWS : VELOCITIES, columns}};
    out->at = tn_projectors_values(owner, (tn_projector_matrix)which, &out->rows, &out->columns);
    return true;
}

// Vectors are lists of numbers.
static void put_members(tn_json *json, const void *owner)
{
    int rows, columns;
    named_matrix m;
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
            put_matrix(json, &m);
    }
}

tn_status tn_projectors_write(const tn_projectors *p, const char *path)
{
    TN_NEED_ALL(TN_ERR_USAGE, p, path);
    const named_matrices all = {p,
                                TN_PROJECTOR_MATRICES,
                                projectors_matrix,
                                projectors_name,
                                put_members,
                                "projectors are written as FILE.json or FILE.csv"};
    return write_matrices(&all, path);
}
