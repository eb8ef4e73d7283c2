// SPDX-License-Identifier: MIT
//
// HDF5, which is loaded where it is used: in child processes. Its types and classes are variables,
// which are looked up once H5open has set them.

#pragma once

#ifdef TN_WITH_HDF5

#include "base/library.h"

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

#endif
