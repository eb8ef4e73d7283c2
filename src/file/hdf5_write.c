// SPDX-License-Identifier: MIT

#include "file/hdf5_write.h"

#ifdef TN_WITH_HDF5

#include "base/alloc.h"
#include "base/child.h"
#include "text/target.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum {
    TEXT_BUFFER = 1 << 14 // for texts; HDF5 would clear 2 MB for each list, which takes longer than
                          // all the rest of a small file
};

#ifdef TN_LAZY_CODE
// A program that is linked with HDF5 may hold a variable itself (a copy relocation): the library
// then sets that one, and its own stays as it was compiled, which is no valid one.
hid_t tn_hdf5_id(const char *name)
{
    const hid_t *own = tn_library_data(&tn_hdf5_library, name);
    const hid_t *copy = *own < 0 ? dlsym(RTLD_DEFAULT, name) : NULL;
    return copy ? *copy : *own;
}
#endif

// Takes the reason of an error. That of a failed system call is a long line of key = value, of
// which the message of the system is wanted.
static herr_t take_reason(unsigned n, const H5E_error2_t *entry, void *user)
{
    static const char key[] = "error message = '";
    const char *text = entry->desc ? entry->desc : "HDF5 failed";
    const char *found = strstr(text, key);
    if (n > 0)
        return 0;
    text = found ? found + strlen(key) : text;
    snprintf(user, 256, "%.*s", (int)(found ? strcspn(text, "'") : strlen(text)), text);
    return 0;
}

void tn_hdf5_reason(char text[256])
{
    snprintf(text, 256, "unknown reason");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, text);
}

hid_t tn_hdf5_note(tn_hdf5_out *f, hid_t result)
{
    if (result < 0 && !f->reason[0])
        tn_hdf5_reason(f->reason);
    return result;
}

bool tn_hdf5_is_well(const tn_hdf5_out *f)
{
    return !f->reason[0];
}

tn_status tn_hdf5_end(const tn_hdf5_out *f)
{
    return tn_hdf5_is_well(f) ? TN_OK : tn_fail(TN_ERR_FILE, "%s", f->reason);
}

tn_status tn_hdf5_begin(tn_hdf5_out *f, const char *path)
{
    *f = (tn_hdf5_out){0};
    TN_TRY(tn_library_need(&tn_hdf5_library));
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    f->text = tn_hdf5_note(f, H5Tcopy(H5T_C_S1));
    tn_hdf5_note(f, H5Tset_size(f->text, H5T_VARIABLE));
    tn_hdf5_note(f, H5Tset_cset(f->text, H5T_CSET_UTF8));
    f->links = tn_hdf5_note(f, H5Pcreate(H5P_LINK_CREATE));
    tn_hdf5_note(f, H5Pset_create_intermediate_group(f->links, 1));
    f->create = tn_hdf5_note(f, H5Pcreate(H5P_DATASET_CREATE));
    tn_hdf5_note(f, H5Pset_obj_track_times(f->create, false));
    f->transfer = tn_hdf5_note(f, H5Pcreate(H5P_DATASET_XFER));
    tn_hdf5_note(f, H5Pset_buffer(f->transfer, TEXT_BUFFER, NULL, NULL));
    const hid_t access = tn_hdf5_note(f, H5Pcreate(H5P_FILE_ACCESS));
    if (!path)
        tn_hdf5_note(f, H5Pset_fapl_core(access, (size_t)1 << 20, false));
    f->file = tn_hdf5_note(f, H5Fcreate(path ? path : "image", H5F_ACC_TRUNC, H5P_DEFAULT, access));
    return tn_hdf5_end(f);
}

static hid_t open_space(tn_hdf5_out *f, int rank, const hsize_t *shape)
{
    return tn_hdf5_note(f, rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape, NULL));
}

void tn_hdf5_about(tn_hdf5_out *f, hid_t object, const char *name, hid_t stored, hid_t type, int n,
                   const void *values)
{
    const hsize_t size = (hsize_t)n;
    const hid_t space = open_space(f, n < 0 ? 0 : 1, &size);
    const hid_t attribute =
        tn_hdf5_note(f, H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT));
    if (n != 0)
        tn_hdf5_note(f, H5Awrite(attribute, type, values));
    H5Aclose(attribute);
    H5Sclose(space);
}

hid_t tn_hdf5_put_open(tn_hdf5_out *f, const char *path, hid_t stored, hid_t type, int rank,
                       const hsize_t *shape, const void *values)
{
    const hid_t space = open_space(f, rank, shape);
    const hid_t set =
        tn_hdf5_note(f, H5Dcreate2(f->file, path, stored, space, f->links, f->create, H5P_DEFAULT));
    if (values && H5Sget_simple_extent_npoints(space) > 0)
        tn_hdf5_note(f, H5Dwrite(set, type, H5S_ALL, H5S_ALL, f->transfer, values));
    H5Sclose(space);
    return set;
}

void tn_hdf5_put(tn_hdf5_out *f, const char *path, hid_t stored, hid_t type, int rank,
                 const hsize_t *shape, const void *values)
{
    H5Dclose(tn_hdf5_put_open(f, path, stored, type, rank, shape, values));
}

// The file as bytes ------------------------------------------------------------------------------

typedef struct image {
    tn_hdf5_layout put;
    const void *user;
} image;

static tn_status make_image(void *user, char **bytes, size_t *size)
{
    const image *made = user;
    tn_hdf5_out f;
    TN_TRY(tn_hdf5_begin(&f, NULL));
    TN_TRY(made->put(&f, made->user));
    tn_hdf5_note(&f, H5Fflush(f.file, H5F_SCOPE_GLOBAL));
    TN_TRY(tn_hdf5_end(&f));
    const ssize_t n = H5Fget_file_image(f.file, NULL, 0);
    *bytes = n > 0 ? tn_alloc((size_t)n) : NULL;
    TN_TRY(tn_got(n <= 0 || *bytes));
    if (n <= 0 || H5Fget_file_image(f.file, *bytes, (size_t)n) != n)
        return tn_fail(TN_ERR_FILE, "HDF5 cannot lay out the file");
    *size = (size_t)n;
    return TN_OK;
}

tn_status tn_hdf5_write(const char *path, tn_hdf5_layout put, const void *user)
{
    static const tn_child_terms terms = {.who = "HDF5"};
    image made = {put, user};
    char *bytes = NULL;
    size_t size = 0;
    TN_TRY(tn_target_check(path));
    tn_status s = tn_child_take(make_image, &made, &terms, &bytes, &size);
    if (s != TN_OK)
        return tn_fail_within(s, "%s", path);
    s = tn_target_write(path, bytes, size);
    tn_free(bytes);
    return s;
}

#else

tn_status tn_hdf5_write(const char *path, tn_hdf5_layout put, const void *user)
{
    (void)put, (void)user;
    return tn_fail(TN_ERR_USAGE, "%s: this Tenon was built without HDF5, as which it is written",
                   path);
}

#endif
