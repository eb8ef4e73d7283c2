// SPDX-License-Identifier: MIT
//
// Files of modal bodies; see modal_file.h. The child and its caller exchange a body as bytes, in
// one walk over its fields that serves both ways.

#include "read/modal_file.h"

#ifdef TN_WITH_HDF5

#include "base/alloc.h"
#include "base/child.h"
#include "file/hdf5_write.h"
#include "flex/modal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    // Far above what is of use: what HDF5 reads from a damaged file is not allocated.
    MOST_MODES = 1000,
    MOST_ATTACHMENTS = 10000,
    MOST_POINTS = 50000000,
    NAME_SIZE = 256,
    SECONDS = 60 // of work for one file; HDF5 on a damaged one may never end
};

// Bytes -------------------------------------------------------------------------------------------

typedef struct stream {
    char *bytes; // NULL while the size is measured
    size_t used, size;
    bool reading;
    tn_status status;
} stream;

static void flow(stream *s, void *data, size_t n)
{
    if (s->status != TN_OK)
        return;
    if (s->reading && n > s->size - s->used) {
        s->status = tn_fail(TN_ERR_FILE, "HDF5 sent less than it has told of");
        return;
    }
    if (s->reading)
        memcpy(data, s->bytes + s->used, n);
    else if (s->bytes)
        memcpy(s->bytes + s->used, data, n);
    s->used += n;
}

// An array that may be missing. Values that are read get new memory.
static void flow_array(stream *s, void *array, size_t n)
{
    void *at = NULL;
    memcpy(&at, array, sizeof(at));
    bool there = at != NULL;
    flow(s, &there, sizeof(there));
    if (s->reading) {
        at = there && s->status == TN_OK ? tn_alloc(n + 1) : NULL;
        if (there && !at && s->status == TN_OK)
            s->status = tn_got(false);
        memcpy(array, &at, sizeof(at));
    }
    if (at)
        flow(s, at, n);
}

static void flow_text(stream *s, char **text)
{
    size_t n = *text && !s->reading ? strlen(*text) : 0;
    flow(s, &n, sizeof(n));
    flow_array(s, text, n);
}

// All fields but m and nattachment, for which there is room.
static void flow_modal(stream *s, tn_modal *x)
{
    const size_t m = (size_t)x->m, n = (size_t)tn_modal_size(x->m), square = m * m * sizeof(double);
    flow_text(s, &x->source);
    flow(s, x->gram, n * n * sizeof(double));
    flow(s, x->stiffness, square);
    flow_array(s, &x->damping, square);
    flow(s, x->frequency, m * sizeof(double));
    for (size_t j = 0; j < m; j++)
        flow_text(s, &x->names[j]);
    for (int i = 0; i < x->nattachment; i++) {
        flow_text(s, &x->attachment[i].name);
        flow(s, &x->attachment[i].frame, sizeof(tn_frame));
        flow(s, x->attachment[i].modes, 6 * m * sizeof(double));
    }
    flow_array(s, &x->rate, 6 * square);
    flow_array(s, &x->acceleration, 3 * square);
    flow_array(s, &x->turning, 3 * square);
    flow_array(s, &x->loads, 6 * (size_t)x->nattachment * square);
    flow(s, &x->npoint, sizeof(int));
    flow(s, &x->ntriangle, sizeof(int));
    flow_array(s, &x->points, 3 * (size_t)x->npoint * sizeof(double));
    flow_array(s, &x->triangles, 3 * (size_t)x->ntriangle * sizeof(int));
    flow_array(s, &x->shapes, 3 * m * (size_t)x->npoint * sizeof(float));
}

static tn_status pack_modal(tn_modal *x, char **bytes, size_t *size)
{
    stream s = {.status = TN_OK};
    flow(&s, &x->m, sizeof(int));
    flow(&s, &x->nattachment, sizeof(int));
    flow_modal(&s, x);
    s = (stream){.bytes = tn_alloc(s.used), .status = TN_OK};
    TN_TRY(tn_got(s.bytes));
    flow(&s, &x->m, sizeof(int));
    flow(&s, &x->nattachment, sizeof(int));
    flow_modal(&s, x);
    *bytes = s.bytes;
    *size = s.used;
    return TN_OK;
}

tn_status tn_modal_unpack(char *bytes, size_t size, tn_modal **out)
{
    stream s = {.bytes = bytes, .size = size, .reading = true, .status = TN_OK};
    int m = 0, n = 0;
    flow(&s, &m, sizeof(int));
    flow(&s, &n, sizeof(int));
    TN_TRY(s.status);
    TN_TRY(tn_modal_create(m, n, out));
    flow_modal(&s, *out);
    if (s.status != TN_OK) {
        tn_modal_destroy(*out);
        *out = NULL;
    }
    return s.status;
}

// Calls of reading --------------------------------------------------------------------------

typedef struct modal_hdf5 {
    const char *path;
    hid_t file;
    tn_modal *modal;
    tn_status status; // the first failure; nothing is done behind it
} modal_hdf5;

// Passes on the result of a call and keeps the first failure.
static hid_t modal_call(modal_hdf5 *f, hid_t result)
{
    char reason[256];
    if (result < 0 && f->status == TN_OK) {
        tn_hdf5_reason(reason);
        f->status = tn_fail(TN_ERR_FILE, "HDF5: %s", reason);
    }
    return result;
}

// Writing ----------------------------------------------------------------------------------------

static void put_modal_array(tn_hdf5_out *f, const char *path, hid_t type, int rank,
                            const hsize_t *shape, const void *values)
{
    if (values)
        tn_hdf5_put(f, path, type, type, rank, shape, values);
}

#define PUT_MODAL(f, path, type, values, ...)                                  \
    put_modal_array(f, path, type, TN_COUNT(((const hsize_t[]){__VA_ARGS__})), \
                    (const hsize_t[]){__VA_ARGS__}, values)

static void put_modal_attachments(tn_hdf5_out *f, const tn_modal *x)
{
    tn_hdf5_note(f, H5Gclose(tn_hdf5_note(f, H5Gcreate2(f->file, "attachments", H5P_DEFAULT,
                                                        H5P_DEFAULT, H5P_DEFAULT))));
    for (int i = 0; i < x->nattachment; i++) {
        const tn_modal_attachment *a = &x->attachment[i];
        const double p[3] = {a->frame.p.x, a->frame.p.y, a->frame.p.z};
        char path[3][NAME_SIZE + 32];
        static const char *const part[] = {"position", "rotation", "modes"};
        for (int k = 0; k < 3; k++)
            snprintf(path[k], sizeof(path[k]), "attachments/%.*s/%s", NAME_SIZE, a->name, part[k]);
        PUT_MODAL(f, path[0], H5T_NATIVE_DOUBLE, p, 3);
        PUT_MODAL(f, path[1], H5T_NATIVE_DOUBLE, a->frame.R.m, 3, 3);
        PUT_MODAL(f, path[2], H5T_NATIVE_DOUBLE, a->modes, 6, (hsize_t)x->m);
    }
}

static tn_status put_modal(tn_hdf5_out *f, const void *user)
{
    const tn_modal *x = user;
    const hsize_t m = (hsize_t)x->m, n = (hsize_t)tn_modal_size(x->m);
    const hsize_t loads = 6 * (hsize_t)x->nattachment;
    const char *format = "tenon-modal", *source = x->source ? x->source : "";
    const int version = TN_MODAL_VERSION;
    tn_hdf5_about(f, f->file, "format", f->text, f->text, -1, &format);
    tn_hdf5_about(f, f->file, "version", H5T_NATIVE_INT, H5T_NATIVE_INT, -1, &version);
    tn_hdf5_about(f, f->file, "source", f->text, f->text, -1, &source);
    PUT_MODAL(f, "gram", H5T_NATIVE_DOUBLE, x->gram, n, n);
    PUT_MODAL(f, "stiffness", H5T_NATIVE_DOUBLE, x->stiffness, m, m);
    PUT_MODAL(f, "damping", H5T_NATIVE_DOUBLE, x->damping, m, m);
    PUT_MODAL(f, "frequency", H5T_NATIVE_DOUBLE, x->frequency, m);
    PUT_MODAL(f, "names", f->text, x->names, m);
    put_modal_attachments(f, x);
    PUT_MODAL(f, "geometric/rate", H5T_NATIVE_DOUBLE, x->rate, 6, m, m);
    PUT_MODAL(f, "geometric/acceleration", H5T_NATIVE_DOUBLE, x->acceleration, 3, m, m);
    PUT_MODAL(f, "geometric/turning", H5T_NATIVE_DOUBLE, x->turning, 3, m, m);
    PUT_MODAL(f, "geometric/attachments", H5T_NATIVE_DOUBLE, x->loads, loads, m, m);
    if (x->npoint == 0)
        return TN_OK;
    PUT_MODAL(f, "mesh/points", H5T_NATIVE_DOUBLE, x->points, (hsize_t)x->npoint, 3);
    PUT_MODAL(f, "mesh/triangles", H5T_NATIVE_INT, x->triangles, (hsize_t)x->ntriangle, 3);
    PUT_MODAL(f, "mesh/modes", H5T_NATIVE_FLOAT, x->shapes, m, (hsize_t)x->npoint, 3);
    return TN_OK;
}

tn_status tn_modal_write(const tn_modal *modal, const char *path)
{
    return tn_hdf5_write(path, put_modal, modal);
}

// Reading ----------------------------------------------------------------------------------------

enum { ANY = -1 };

typedef struct modal_shape {
    int rank;
    hssize_t n[3]; // ANY, or what it must be
} modal_shape;

static void shape_words(int rank, const hsize_t *n, char text[64])
{
    size_t used = (size_t)snprintf(text, 64, rank == 0 ? "one value" : "%s", "");
    for (int i = 0; i < rank && used < 40; i++)
        used += (size_t)snprintf(text + used, 64 - used, "%s%llu", i ? " x " : "",
                                 (unsigned long long)n[i]);
}

static bool has_link_to(hid_t at, const char *path)
{
    char part[NAME_SIZE * 2];
    for (const char *end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
        snprintf(part, sizeof(part), "%.*s", (int)(end - path), path);
        if (H5Lexists(at, part, H5P_DEFAULT) <= 0)
            return false;
    }
    return H5Lexists(at, path, H5P_DEFAULT) > 0;
}

static void check_modal_shape(modal_hdf5 *f, const char *path, hid_t space, modal_shape *want)
{
    hsize_t n[H5S_MAX_RANK] = {0}, need[3];
    char is[64], must[64];
    const int rank = H5Sget_simple_extent_dims(space, n, NULL);
    bool same = rank == want->rank;
    for (int i = 0; i < want->rank; i++) {
        same = same && (want->n[i] == ANY || n[i] == (hsize_t)want->n[i]);
        need[i] = want->n[i] == ANY ? n[i] : (hsize_t)want->n[i];
        want->n[i] = (hssize_t)n[i];
    }
    if (same || f->status != TN_OK)
        return;
    shape_words(rank < 0 ? 0 : rank, n, is);
    shape_words(want->rank, need, must);
    f->status = tn_fail(TN_ERR_FILE, "'%s' is %s; it must be %s", path, is,
                        rank == want->rank ? must : "of another rank: see docs/formats/modal.md");
}

// Opens a dataset whose shape is as wanted; the sizes that it has stand in `want` afterwards.
static hid_t open_modal_array(modal_hdf5 *f, const char *path, modal_shape *want)
{
    if (f->status != TN_OK)
        return -1;
    if (!has_link_to(f->file, path)) {
        f->status = tn_fail(TN_ERR_FILE, "there is no dataset '%s'", path);
        return -1;
    }
    const hid_t set = modal_call(f, H5Dopen2(f->file, path, H5P_DEFAULT));
    const hid_t space = modal_call(f, H5Dget_space(set));
    if (f->status == TN_OK)
        check_modal_shape(f, path, space, want);
    H5Sclose(space);
    return set;
}

static void get_modal_array(modal_hdf5 *f, const char *path, hid_t type, modal_shape want,
                            void *out)
{
    const hid_t set = open_modal_array(f, path, &want);
    if (f->status == TN_OK) {
        const hid_t stored = H5Dget_type(set);
        const H5T_class_t kind = H5Tget_class(stored);
        if (kind != H5T_INTEGER && kind != H5T_FLOAT)
            f->status = tn_fail(TN_ERR_FILE, "'%s' holds no numbers", path);
        else
            modal_call(f, H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
        H5Tclose(stored);
    }
    if (set >= 0)
        H5Dclose(set);
}

#define GET_MODAL(f, path, type, out, ...)                                                     \
    get_modal_array(f, path, type,                                                             \
                    (modal_shape){TN_COUNT(((const hssize_t[]){__VA_ARGS__})), {__VA_ARGS__}}, \
                    out)

// The same of an array that may be missing; it gets memory.
static void get_modal_optional(modal_hdf5 *f, const char *path, hid_t type, size_t size,
                               modal_shape want, void *out)
{
    void *at = NULL;
    if (f->status != TN_OK || !has_link_to(f->file, path))
        return;
    for (int i = 0; i < want.rank; i++)
        size *= (size_t)want.n[i];
    at = tn_alloc(size + 1);
    f->status = tn_got(at);
    if (at)
        get_modal_array(f, path, type, want, at);
    memcpy(out, &at, sizeof(at));
}

#define GET_MODAL_OPTIONAL(f, path, out, ...)                                                     \
    get_modal_optional(f, path, H5T_NATIVE_DOUBLE, sizeof(double),                                \
                       (modal_shape){TN_COUNT(((const hssize_t[]){__VA_ARGS__})), {__VA_ARGS__}}, \
                       out)

static void get_modal_names(modal_hdf5 *f)
{
    modal_shape want = {1, {f->modal->m}};
    const hid_t set = open_modal_array(f, "names", &want);
    const hid_t stored = f->status == TN_OK ? modal_call(f, H5Dget_type(set)) : -1;
    char **texts = tn_alloc(((size_t)f->modal->m + 1) * sizeof(char *));
    if (f->status == TN_OK)
        f->status = tn_got(texts);
    if (f->status == TN_OK && H5Tis_variable_str(stored) <= 0)
        f->status = tn_fail(TN_ERR_FILE, "'names' does not hold texts of variable length");
    if (f->status == TN_OK && f->modal->m > 0)
        modal_call(f, H5Dread(set, stored, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts));
    for (int j = 0; f->status == TN_OK && j < f->modal->m; j++) {
        f->modal->names[j] = tn_strdup(texts[j] ? texts[j] : "");
        f->status = tn_got(f->modal->names[j]);
    }
    tn_free(texts); // what HDF5 has given ends with this process
}

static void get_modal_attachment(modal_hdf5 *f, int i, const char *name)
{
    tn_modal_attachment *a = &f->modal->attachment[i];
    char path[3][NAME_SIZE + 32];
    double p[3] = {0};
    static const char *const part[] = {"position", "rotation", "modes"};
    for (int k = 0; k < 3; k++)
        snprintf(path[k], sizeof(path[k]), "attachments/%s/%s", name, part[k]);
    a->name = tn_strdup(name);
    if (f->status == TN_OK)
        f->status = tn_got(a->name);
    GET_MODAL(f, path[0], H5T_NATIVE_DOUBLE, p, 3);
    GET_MODAL(f, path[1], H5T_NATIVE_DOUBLE, a->frame.R.m, 3, 3);
    GET_MODAL(f, path[2], H5T_NATIVE_DOUBLE, a->modes, 6, f->modal->m);
    a->frame.p = tn_v3_from(p);
}

// Names of the attachments, by name: HDF5 hands them out in that order.
static void get_modal_attachments(modal_hdf5 *f)
{
    char name[NAME_SIZE];
    for (int i = 0; f->status == TN_OK && i < f->modal->nattachment; i++) {
        const ssize_t n = H5Lget_name_by_idx(f->file, "attachments", H5_INDEX_NAME, H5_ITER_INC,
                                             (hsize_t)i, name, sizeof(name), H5P_DEFAULT);
        if (n <= 0 || n >= (ssize_t)sizeof(name))
            f->status = tn_fail(TN_ERR_FILE,
                                "attachment %d has a name of %zd bytes; 1 to %d are "
                                "possible",
                                i + 1, n, NAME_SIZE - 1);
        else
            get_modal_attachment(f, i, name);
    }
}

static void get_modal_mesh(modal_hdf5 *f)
{
    modal_shape points = {2, {ANY, 3}}, triangles = {2, {ANY, 3}};
    tn_modal *x = f->modal;
    if (f->status != TN_OK || !has_link_to(f->file, "mesh"))
        return;
    hid_t set = open_modal_array(f, "mesh/points", &points);
    if (set >= 0)
        H5Dclose(set);
    set = open_modal_array(f, "mesh/triangles", &triangles);
    if (set >= 0)
        H5Dclose(set);
    if (f->status == TN_OK && (points.n[0] > MOST_POINTS || triangles.n[0] > MOST_POINTS))
        f->status =
            tn_fail(TN_ERR_FILE, "its mesh has more than %d points or triangles", MOST_POINTS);
    if (f->status != TN_OK)
        return;
    x->npoint = (int)points.n[0];
    x->ntriangle = (int)triangles.n[0];
    get_modal_optional(f, "mesh/points", H5T_NATIVE_DOUBLE, sizeof(double), points, &x->points);
    get_modal_optional(f, "mesh/triangles", H5T_NATIVE_INT, sizeof(int), triangles, &x->triangles);
    if (f->status == TN_OK && !has_link_to(f->file, "mesh/modes"))
        f->status = tn_fail(TN_ERR_FILE, "there is no dataset 'mesh/modes'");
    get_modal_optional(f, "mesh/modes", H5T_NATIVE_FLOAT, sizeof(float),
                       (modal_shape){3, {x->m, x->npoint, 3}}, &x->shapes);
}

static void get_modal_text(modal_hdf5 *f, const char *name, char **out)
{
    char *text = NULL;
    if (f->status != TN_OK || H5Aexists(f->file, name) <= 0)
        return;
    const hid_t set = modal_call(f, H5Aopen(f->file, name, H5P_DEFAULT));
    const hid_t stored = modal_call(f, H5Aget_type(set));
    if (f->status == TN_OK && H5Tis_variable_str(stored) > 0)
        modal_call(f, H5Aread(set, stored, &text));
    *out = tn_strdup(text ? text : "");
    if (f->status == TN_OK)
        f->status = tn_got(*out);
}

// Reads the numbers of modes and attachments, and if it is such a file at all.
static void get_modal_sizes(modal_hdf5 *f, int *m, int *nattachment)
{
    modal_shape stiffness = {2, {ANY, ANY}};
    char *format = NULL;
    int version = 0;
    H5G_info_t group = {0};
    get_modal_text(f, "format", &format);
    if (f->status == TN_OK && (!format || strcmp(format, "tenon-modal") != 0))
        f->status = tn_fail(TN_ERR_FILE, "this is no modal body: its attribute 'format' is not "
                                         "'tenon-modal'");
    tn_free(format);
    if (f->status == TN_OK && H5Aexists(f->file, "version") > 0)
        modal_call(f, H5Aread(H5Aopen(f->file, "version", H5P_DEFAULT), H5T_NATIVE_INT, &version));
    if (f->status == TN_OK && version != TN_MODAL_VERSION)
        f->status = tn_fail(TN_ERR_FILE, "it has version %d of the format; this Tenon reads %d",
                            version, TN_MODAL_VERSION);
    const hid_t set = open_modal_array(f, "stiffness", &stiffness);
    if (set >= 0)
        H5Dclose(set);
    if (f->status == TN_OK && has_link_to(f->file, "attachments"))
        modal_call(f, H5Gget_info_by_name(f->file, "attachments", &group, H5P_DEFAULT));
    *m = (int)stiffness.n[0];
    *nattachment = (int)group.nlinks;
    if (f->status == TN_OK && (stiffness.n[0] > MOST_MODES || group.nlinks > MOST_ATTACHMENTS))
        f->status = tn_fail(TN_ERR_FILE,
                            "it has %lld modes and %llu attachments; %d and %d are "
                            "possible",
                            (long long)stiffness.n[0], (unsigned long long)group.nlinks, MOST_MODES,
                            MOST_ATTACHMENTS);
}

static void get_modal(modal_hdf5 *f)
{
    tn_modal *x = f->modal;
    const hssize_t m = x->m, n = tn_modal_size(x->m), loads = 6 * (hssize_t)x->nattachment;
    get_modal_text(f, "source", &x->source);
    GET_MODAL(f, "gram", H5T_NATIVE_DOUBLE, x->gram, n, n);
    GET_MODAL(f, "stiffness", H5T_NATIVE_DOUBLE, x->stiffness, m, m);
    GET_MODAL_OPTIONAL(f, "damping", &x->damping, m, m);
    GET_MODAL(f, "frequency", H5T_NATIVE_DOUBLE, x->frequency, m);
    get_modal_names(f);
    get_modal_attachments(f);
    GET_MODAL_OPTIONAL(f, "geometric/rate", &x->rate, 6, m, m);
    GET_MODAL_OPTIONAL(f, "geometric/acceleration", &x->acceleration, 3, m, m);
    GET_MODAL_OPTIONAL(f, "geometric/turning", &x->turning, 3, m, m);
    GET_MODAL_OPTIONAL(f, "geometric/attachments", &x->loads, loads, m, m);
    get_modal_mesh(f);
}

tn_status tn_modal_pack(void *path, char **bytes, size_t *size)
{
    modal_hdf5 f = {.path = path, .status = TN_OK};
    int m = 0, n = 0;
    TN_TRY(tn_library_need(&tn_hdf5_library));
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    f.file = modal_call(&f, H5Fopen(f.path, H5F_ACC_RDONLY, H5P_DEFAULT));
    if (f.status != TN_OK)
        return tn_fail(TN_ERR_FILE, "this is no HDF5 file, or a damaged one");
    get_modal_sizes(&f, &m, &n);
    TN_TRY(f.status);
    TN_TRY(tn_modal_create(m, n, &f.modal));
    get_modal(&f);
    TN_TRY(f.status);
    return pack_modal(f.modal, bytes, size);
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
    // HDF5 sleeps before files that another program seems to write, longer with each attempt.
    static const tn_child_terms terms = {
        .who = "HDF5", .patience = 2.0 * SECONDS, .seconds = SECONDS};
    char *bytes = NULL;
    size_t size = 0;
    *out = NULL;
    tn_status s = check_readable(path);
    TN_THEN(s, tn_child_take(tn_modal_pack, (void *)path, &terms, &bytes, &size));
    TN_THEN(s, tn_modal_unpack(bytes, size, out));
    TN_THEN(s, tn_modal_check(*out));
    tn_free(bytes);
    if (s == TN_OK)
        return TN_OK;
    tn_modal_destroy(*out);
    *out = NULL;
    return tn_fail_within(s, "%s", path);
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
