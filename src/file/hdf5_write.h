// SPDX-License-Identifier: MIT
//
// Writing HDF5 in child processes. A sequence of calls needs one check at its end: the reason of
// the first that failed is kept, and those behind it fail, too, or do nothing. After a failure
// nothing is closed, because HDF5 then crashes; the process ends.

#pragma once

#include "base/status.h"

#ifdef TN_WITH_HDF5

#include "base/library.h"

// HDF5 is loaded where it is used: in child processes. Its types and classes are variables, which
// are looked up once H5open has set them.
#include <hdf5.h>

#ifdef TN_LAZY_CODE
hid_t tn_hdf5_id(const char *name);
#define TN_HDF5_ID(name) tn_hdf5_id(#name)
#define H5P_CLS_DATASET_XFER_ID_g TN_HDF5_ID(H5P_CLS_DATASET_XFER_ID_g)
#define H5P_CLS_DATASET_ACCESS_ID_g TN_HDF5_ID(H5P_CLS_DATASET_ACCESS_ID_g)
#define H5P_CLS_DATASET_CREATE_ID_g TN_HDF5_ID(H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_CLS_FILE_ACCESS_ID_g TN_HDF5_ID(H5P_CLS_FILE_ACCESS_ID_g)
#define H5P_CLS_FILE_CREATE_ID_g TN_HDF5_ID(H5P_CLS_FILE_CREATE_ID_g)
#define H5P_CLS_LINK_CREATE_ID_g TN_HDF5_ID(H5P_CLS_LINK_CREATE_ID_g)
#define H5T_C_S1_g TN_HDF5_ID(H5T_C_S1_g)
#define H5T_IEEE_F64LE_g TN_HDF5_ID(H5T_IEEE_F64LE_g)
#define H5T_NATIVE_DOUBLE_g TN_HDF5_ID(H5T_NATIVE_DOUBLE_g)
#define H5T_NATIVE_FLOAT_g TN_HDF5_ID(H5T_NATIVE_FLOAT_g)
#define H5T_NATIVE_INT32_g TN_HDF5_ID(H5T_NATIVE_INT32_g)
#define H5T_NATIVE_INT_g TN_HDF5_ID(H5T_NATIVE_INT_g)
#define H5T_NATIVE_LLONG_g TN_HDF5_ID(H5T_NATIVE_LLONG_g)
#define H5T_NATIVE_SCHAR_g TN_HDF5_ID(H5T_NATIVE_SCHAR_g)
#define H5T_STD_I32LE_g TN_HDF5_ID(H5T_STD_I32LE_g)
#define H5T_STD_I64LE_g TN_HDF5_ID(H5T_STD_I64LE_g)
#define H5T_STD_I8LE_g TN_HDF5_ID(H5T_STD_I8LE_g)
#endif

typedef struct tn_hdf5_out {
    hid_t file;
    hid_t text;                    // type of texts
    hid_t links, create, transfer; // of datasets: groups on their way, no times, small buffers
    char reason[256];              // of the first call that failed, "" while all is well
} tn_hdf5_out;

// The innermost entry of HDF5's error stack, which says most.
void tn_hdf5_reason(char text[256]);

// Passes on the result of a call and keeps the reason of a failure.
hid_t tn_hdf5_note(tn_hdf5_out *f, hid_t result);
bool tn_hdf5_is_well(const tn_hdf5_out *f);
// A new file, in memory alone for NULL; fails where HDF5 cannot be loaded.
tn_status tn_hdf5_begin(tn_hdf5_out *f, const char *path);
// Fails with the reason unless all is well.
tn_status tn_hdf5_end(const tn_hdf5_out *f);

// An attribute: one value for n < 0, else a list.
void tn_hdf5_about(tn_hdf5_out *f, hid_t object, const char *name, hid_t stored, hid_t type, int n,
                   const void *values);
// A dataset with the groups on its way, one value for rank 0. The first of them leaves it open, and
// without values where `values` is NULL.
hid_t tn_hdf5_put_open(tn_hdf5_out *f, const char *path, hid_t stored, hid_t type, int rank,
                       const hsize_t *shape, const void *values);
void tn_hdf5_put(tn_hdf5_out *f, const char *path, hid_t stored, hid_t type, int rank,
                 const hsize_t *shape, const void *values);

#endif

// Writes a file that `put` lays out in memory in a child process, so that a full disk leaves none.
struct tn_hdf5_out;
typedef tn_status (*tn_hdf5_layout)(struct tn_hdf5_out *f, const void *user);
tn_status tn_hdf5_write(const char *path, tn_hdf5_layout put, const void *user);
