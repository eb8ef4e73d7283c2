// SPDX-License-Identifier: MIT
//
// Files of modal bodies; see modal_file.h.

#include "read/modal_file.h"

#ifdef TN_WITH_HDF5

#include "base/alloc.h"
#include "file/hdf5_write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    // Far above what is of use: what HDF5 reads from a damaged file is not allocated.
    MOST_MODES = 1000,
    MOST_ATTACHMENTS = 10000,
    MOST_POINTS = 50000000,
    NAME_SIZE = 256
};

// Arrays of a body ------------------------------------------------------------------------------

// Sides of arrays that the body decides; others are numbers, and 0 ends them.
enum { ANY = -6, TRIANGLES, POINTS, LOADS, GRAM, MODES };

typedef enum number_type { DOUBLES, INTS, FLOATS } number_type;

typedef struct part {
    const char *path;
    size_t at; // of the pointer to its numbers
    number_type type;
    int side[3];
    bool optional;
} part;

#define PART(path, member, type, optional, ...)                         \
    {                                                                   \
        path, offsetof(tn_modal, member), type, {__VA_ARGS__}, optional \
    }

enum { GEOMETRIC = 4, MESH = 8 }; // the first of these
static const part parts[] = {
    PART("gram", gram, DOUBLES, false, GRAM, GRAM),
    PART("stiffness", stiffness, DOUBLES, false, MODES, MODES),
    PART("damping", damping, DOUBLES, true, MODES, MODES),
    PART("frequency", frequency, DOUBLES, false, MODES),
    PART("geometric/rate", rate, DOUBLES, true, 6, MODES, MODES),
    PART("geometric/acceleration", acceleration, DOUBLES, true, 3, MODES, MODES),
    PART("geometric/turning", turning, DOUBLES, true, 3, MODES, MODES),
    PART("geometric/attachments", loads, DOUBLES, true, LOADS, MODES, MODES),
    PART("mesh/points", points, DOUBLES, false, POINTS, 3),
    PART("mesh/triangles", triangles, INTS, false, TRIANGLES, 3),
    PART("mesh/modes", shapes, FLOATS, false, MODES, POINTS, 3),
};

static long side_of(const tn_modal *x, int side)
{
    return side == MODES       ? x->m
           : side == GRAM      ? tn_modal_size(x->m)
           : side == LOADS     ? 6L * x->nattachment
           : side == POINTS    ? x->npoint
           : side == TRIANGLES ? x->ntriangle
                               : side;
}

// Arrays of attachment number k, in its order.
static const char *const of_attachment[] = {"position", "rotation", "modes"};

static void attachment_path(const char *name, int k, char path[NAME_SIZE + 32])
{
    snprintf(path, NAME_SIZE + 32, "attachments/%.*s/%s", NAME_SIZE, name, of_attachment[k]);
}

// Writing ----------------------------------------------------------------------------------------

static void put_part(tn_hdf5_out *f, const tn_modal *x, const part *p, const void *values)
{
    const hid_t type = p->type == INTS     ? H5T_NATIVE_INT
                       : p->type == FLOATS ? H5T_NATIVE_FLOAT
                                           : H5T_NATIVE_DOUBLE;
    hsize_t shape[3];
    int rank = 0;
    for (; rank < 3 && p->side[rank]; rank++)
        shape[rank] = (hsize_t)side_of(x, p->side[rank]);
    if (values)
        tn_hdf5_put(f, p->path, type, type, rank, shape, values);
}

static void put_parts(tn_hdf5_out *f, const tn_modal *x, int from, int to)
{
    for (int i = from; i < to; i++) {
        const void *values;
        memcpy(&values, (const char *)x + parts[i].at, sizeof values);
        put_part(f, x, &parts[i], values);
    }
}

static void put_attachments(tn_hdf5_out *f, const tn_modal *x)
{
    tn_hdf5_note(f, H5Gclose(tn_hdf5_note(f, H5Gcreate2(f->file, "attachments", H5P_DEFAULT,
                                                        H5P_DEFAULT, H5P_DEFAULT))));
    for (int i = 0; i < x->nattachment; i++) {
        const tn_modal_attachment *a = &x->attachment[i];
        const double p[3] = {a->frame.p.x, a->frame.p.y, a->frame.p.z};
        char path[3][NAME_SIZE + 32];
        for (int k = 0; k < 3; k++)
            attachment_path(a->name, k, path[k]);
        put_part(f, x, &(part){path[0], 0, DOUBLES, {3}, false}, p);
        put_part(f, x, &(part){path[1], 0, DOUBLES, {3, 3}, false}, a->frame.R.m);
        put_part(f, x, &(part){path[2], 0, DOUBLES, {6, MODES}, false}, a->modes);
    }
}

static tn_status put_modal(tn_hdf5_out *f, const void *user)
{
    const tn_modal *x = user;
    const hsize_t m = (hsize_t)x->m;
    const char *format = "tenon-modal", *source = x->source ? x->source : "";
    const int version = TN_MODAL_VERSION;
    tn_hdf5_about(f, f->file, "format", f->text, f->text, -1, &format);
    tn_hdf5_about(f, f->file, "version", H5T_NATIVE_INT, H5T_NATIVE_INT, -1, &version);
    tn_hdf5_about(f, f->file, "source", f->text, f->text, -1, &source);
    put_parts(f, x, 0, GEOMETRIC);
    tn_hdf5_put(f, "names", f->text, f->text, 1, &m, x->names);
    put_attachments(f, x);
    put_parts(f, x, GEOMETRIC, x->npoint > 0 ? TN_COUNT(parts) : MESH);
    return TN_OK;
}

tn_status tn_modal_write(const tn_modal *modal, const char *path)
{
    return tn_hdf5_write(path, put_modal, modal);
}

// Reading ----------------------------------------------------------------------------------------

static void shape_words(int rank, const long *n, char text[64])
{
    size_t used = 0;
    for (int i = 0; i < rank && used < 40; i++)
        used += (size_t)snprintf(text + used, 64 - used, "%s%ld", i ? " x " : "", n[i]);
}

// Finds an array that is as wanted.
static tn_status look_at(tn_data_file *file, const tn_modal *x, const part *p, tn_data_table *out)
{
    long is[3], need[3];
    char words[2][64];
    int rank = 0;
    bool same = true;
    TN_TRY(file->ops->table(file, p->path, out));
    if (out->handle < 0)
        return p->optional ? TN_OK : tn_fail(TN_ERR_FILE, "there is no dataset '%s'", p->path);
    for (; rank < 3 && p->side[rank]; rank++) {
        is[rank] = (long)out->shape[rank];
        need[rank] = p->side[rank] == ANY ? is[rank] : side_of(x, p->side[rank]);
        same = same && is[rank] == need[rank];
    }
    if (same && rank == out->rank)
        return TN_OK;
    for (int i = rank; i < out->rank; i++)
        is[i] = (long)out->shape[i];
    shape_words(out->rank, is, words[0]);
    shape_words(rank, need, words[1]);
    return tn_fail(TN_ERR_FILE, "'%s' is %s; it must be %s", p->path, words[0],
                   rank == out->rank ? words[1] : "of another rank: see docs/formats/modal.md");
}

static void narrow(number_type type, size_t n, const double *from, void *to)
{
    for (size_t i = 0; i < n; i++)
        if (type == FLOATS)
            ((float *)to)[i] = (float)from[i];
        else
            ((int *)to)[i] = from[i] >= 0.0 && from[i] <= INT_MAX ? (int)from[i] : -1;
}

// The numbers of an array, for which there is room in *to, or is made.
static tn_status take_numbers(tn_data_file *file, const tn_data_table *t, number_type type,
                              void **to)
{
    const size_t n = (size_t)t->rows * (size_t)t->width;
    if (!*to)
        *to = tn_alloc((n + 1) * sizeof(double));
    TN_TRY(tn_got(*to));
    if (type == DOUBLES)
        return file->ops->read(file, t, 0, t->rows, -1, *to);
    double *wide = tn_alloc((n + 1) * sizeof *wide);
    tn_status s = tn_got(wide);
    TN_THEN(s, file->ops->read(file, t, 0, t->rows, -1, wide));
    if (s == TN_OK)
        narrow(type, n, wide, *to);
    tn_free(wide);
    return s;
}

static tn_status take_parts(tn_data_file *file, tn_modal *x, int from, int to)
{
    for (int i = from; i < to; i++) {
        tn_data_table t;
        void *at;
        TN_TRY(look_at(file, x, &parts[i], &t));
        if (t.handle < 0)
            continue;
        memcpy(&at, (char *)x + parts[i].at, sizeof at);
        const tn_status s = take_numbers(file, &t, parts[i].type, &at);
        memcpy((char *)x + parts[i].at, &at, sizeof at);
        TN_TRY(s);
    }
    return TN_OK;
}

static tn_status take_names(tn_data_file *file, tn_modal *x)
{
    tn_data_bytes names;
    tn_status s = file->ops->list(file, TN_DATA_TEXTS, "names", &names);
    if (s == TN_OK && !names.at)
        s = tn_fail(TN_ERR_FILE, "there is no dataset 'names'");
    else if (s == TN_OK && names.count != x->m)
        s = tn_fail(TN_ERR_FILE, "'names' is %d; it must be %d", names.count, x->m);
    const char *name = names.at;
    for (int j = 0; s == TN_OK && j < x->m; j++, name += strlen(name) + 1) {
        x->names[j] = tn_strdup(name);
        s = tn_got(x->names[j]);
    }
    tn_free(names.at);
    return s;
}

static tn_status take_attachment(tn_data_file *file, const tn_modal *x, const char *name,
                                 tn_modal_attachment *a)
{
    static const int side[3][3] = {{3}, {3, 3}, {6, MODES}};
    double p[3];
    void *const to[3] = {p, a->frame.R.m, a->modes};
    a->name = tn_strdup(name);
    TN_TRY(tn_got(a->name));
    for (int k = 0; k < 3; k++) {
        char path[NAME_SIZE + 32];
        tn_data_table t;
        void *at = to[k];
        attachment_path(name, k, path);
        const part wanted = {path, 0, DOUBLES, {side[k][0], side[k][1]}, false};
        TN_TRY(look_at(file, x, &wanted, &t));
        TN_TRY(take_numbers(file, &t, DOUBLES, &at));
    }
    a->frame.p = tn_v3_from(p);
    return TN_OK;
}

static tn_status take_mesh(tn_data_file *file, tn_modal *x)
{
    const part any[2] = {{"mesh/points", 0, DOUBLES, {ANY, 3}, true},
                         {"mesh/triangles", 0, INTS, {ANY, 3}, false}};
    tn_data_table t[2];
    TN_TRY(look_at(file, x, &any[0], &t[0]));
    if (t[0].handle < 0)
        return TN_OK;
    TN_TRY(look_at(file, x, &any[1], &t[1]));
    if (t[0].rows > MOST_POINTS || t[1].rows > MOST_POINTS)
        return tn_fail(TN_ERR_FILE, "its mesh has more than %d points or triangles", MOST_POINTS);
    x->npoint = (int)t[0].rows;
    x->ntriangle = (int)t[1].rows;
    return take_parts(file, x, MESH, TN_COUNT(parts));
}

static tn_status take_body(tn_data_file *file, const tn_data_bytes *attachments, tn_modal *x)
{
    tn_data_bytes source;
    const char *name = attachments->at;
    TN_TRY(file->ops->list(file, TN_DATA_ATTRIBUTE, "source", &source));
    x->source = source.at;
    TN_TRY(take_parts(file, x, 0, GEOMETRIC));
    TN_TRY(take_names(file, x));
    for (int i = 0; i < x->nattachment; i++, name += strlen(name) + 1)
        TN_TRY(take_attachment(file, x, name, &x->attachment[i]));
    TN_TRY(take_parts(file, x, GEOMETRIC, MESH));
    return take_mesh(file, x);
}

// Checks if it is such a file at all.
static tn_status check_format(tn_data_file *file)
{
    tn_data_bytes format, version;
    TN_TRY(file->ops->list(file, TN_DATA_ATTRIBUTE, "format", &format));
    const bool ours = format.at && strcmp(format.at, "tenon-modal") == 0;
    tn_free(format.at);
    if (!ours)
        return tn_fail(TN_ERR_FILE, "this is no modal body: its attribute 'format' is not "
                                    "'tenon-modal'");
    TN_TRY(file->ops->list(file, TN_DATA_NUMBER, "version", &version));
    int number = 0;
    if (version.count > 0)
        memcpy(&number, version.at, sizeof number);
    tn_free(version.at);
    return number == TN_MODAL_VERSION
               ? TN_OK
               : tn_fail(TN_ERR_FILE, "it has version %d of the format; this Tenon reads %d",
                         number, TN_MODAL_VERSION);
}

static tn_status take_modal(tn_data_file *file, const tn_data_bytes *attachments, tn_modal **out)
{
    const part any = {"stiffness", 0, DOUBLES, {ANY, ANY}, false};
    tn_data_table stiffness;
    TN_TRY(look_at(file, NULL, &any, &stiffness));
    if (stiffness.rows > MOST_MODES || attachments->count > MOST_ATTACHMENTS)
        return tn_fail(TN_ERR_FILE, "it has %ld modes and %d attachments; %d and %d are possible",
                       stiffness.rows, attachments->count, MOST_MODES, MOST_ATTACHMENTS);
    TN_TRY(tn_modal_create((int)stiffness.rows, attachments->count, out));
    TN_TRY(take_body(file, attachments, *out));
    return tn_modal_check(*out);
}

tn_status tn_modal_take(tn_data_file *file, tn_modal **out)
{
    tn_data_bytes attachments = {0};
    *out = NULL;
    tn_status s = check_format(file);
    TN_THEN(s, file->ops->list(file, TN_DATA_NAMES, "attachments", &attachments));
    TN_THEN(s, take_modal(file, &attachments, out));
    tn_free(attachments.at);
    if (s != TN_OK) {
        tn_modal_destroy(*out);
        *out = NULL;
    }
    return s;
}

// Opens the file first: the system explains failures more clearly than HDF5 does.
static tn_status check_readable(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return tn_fail(TN_ERR_FILE, "cannot open it: %s", strerror(errno));
    close(fd);
    return TN_OK;
}

tn_status tn_modal_read(const char *path, tn_modal **out)
{
    tn_data_file *file = NULL;
    *out = NULL;
    tn_status s = check_readable(path);
    TN_THEN(s, tn_data_remote_open(path, false, &file));
    TN_THEN(s, tn_modal_take(file, out));
    if (file)
        file->ops->close(file);
    return s == TN_OK ? TN_OK : tn_fail_within(s, "%s", path);
}

#else

tn_status tn_modal_write(const tn_modal *modal, const char *path)
{
    (void)modal;
    return tn_fail(TN_ERR_FILE,
                   "%s: this Tenon was built without HDF5, in which files of modal "
                   "bodies are",
                   path);
}

tn_status tn_modal_read(const char *path, tn_modal **out)
{
    *out = NULL;
    return tn_modal_write(NULL, path);
}

#endif
