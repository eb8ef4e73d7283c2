// SPDX-License-Identifier: MIT

#include "io/hdf5_library.h"

#ifdef TN_WITH_HDF5

#include <dlfcn.h>

tn_library tn_hdf5_library = {.file = TN_FILE_HDF5, .package = "libhdf5-dev"};
TN_LAZY(tn_hdf5_library, H5Aclose);
TN_LAZY(tn_hdf5_library, H5Acreate2);
TN_LAZY(tn_hdf5_library, H5Aexists);
TN_LAZY(tn_hdf5_library, H5Aget_space);
TN_LAZY(tn_hdf5_library, H5Aget_type);
TN_LAZY(tn_hdf5_library, H5Aopen);
TN_LAZY(tn_hdf5_library, H5Aread);
TN_LAZY(tn_hdf5_library, H5Awrite);
TN_LAZY(tn_hdf5_library, H5Dclose);
TN_LAZY(tn_hdf5_library, H5Dcreate2);
TN_LAZY(tn_hdf5_library, H5Dget_space);
TN_LAZY(tn_hdf5_library, H5Dget_type);
TN_LAZY(tn_hdf5_library, H5Dopen2);
TN_LAZY(tn_hdf5_library, H5Dread);
TN_LAZY(tn_hdf5_library, H5Dvlen_reclaim);
TN_LAZY(tn_hdf5_library, H5Dwrite);
TN_LAZY(tn_hdf5_library, H5Eget_auto2);
TN_LAZY(tn_hdf5_library, H5Eset_auto2);
TN_LAZY(tn_hdf5_library, H5Ewalk2);
TN_LAZY(tn_hdf5_library, H5Fclose);
TN_LAZY(tn_hdf5_library, H5Fcreate);
TN_LAZY(tn_hdf5_library, H5Fflush);
TN_LAZY(tn_hdf5_library, H5Fget_file_image);
TN_LAZY(tn_hdf5_library, H5Fopen);
TN_LAZY(tn_hdf5_library, H5Gclose);
TN_LAZY(tn_hdf5_library, H5Gcreate2);
TN_LAZY(tn_hdf5_library, H5Gget_info_by_name);
TN_LAZY(tn_hdf5_library, H5Lexists);
TN_LAZY(tn_hdf5_library, H5Lget_name_by_idx);
TN_LAZY(tn_hdf5_library, H5Pclose);
TN_LAZY(tn_hdf5_library, H5Pcreate);
TN_LAZY(tn_hdf5_library, H5Pset_buffer);
TN_LAZY(tn_hdf5_library, H5Pset_create_intermediate_group);
TN_LAZY(tn_hdf5_library, H5Pset_fapl_core);
TN_LAZY(tn_hdf5_library, H5Pset_fclose_degree);
TN_LAZY(tn_hdf5_library, H5Pset_file_locking);
TN_LAZY(tn_hdf5_library, H5Pset_fill_time);
TN_LAZY(tn_hdf5_library, H5Pset_obj_track_times);
TN_LAZY(tn_hdf5_library, H5Sclose);
TN_LAZY(tn_hdf5_library, H5Screate);
TN_LAZY(tn_hdf5_library, H5Screate_simple);
TN_LAZY(tn_hdf5_library, H5Sget_simple_extent_dims);
TN_LAZY(tn_hdf5_library, H5Sget_simple_extent_ndims);
TN_LAZY(tn_hdf5_library, H5Sget_simple_extent_npoints);
TN_LAZY(tn_hdf5_library, H5Sselect_hyperslab);
TN_LAZY(tn_hdf5_library, H5Tclose);
TN_LAZY(tn_hdf5_library, H5Tcopy);
TN_LAZY(tn_hdf5_library, H5Tget_class);
TN_LAZY(tn_hdf5_library, H5Tget_cset);
TN_LAZY(tn_hdf5_library, H5Tget_size);
TN_LAZY(tn_hdf5_library, H5Tis_variable_str);
TN_LAZY(tn_hdf5_library, H5Tset_cset);
TN_LAZY(tn_hdf5_library, H5Tset_size);
TN_LAZY(tn_hdf5_library, H5check_version);
TN_LAZY(tn_hdf5_library, H5open);

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

#endif
