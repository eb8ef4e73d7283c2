// SPDX-License-Identifier: MIT

#include "io/hdf5_library.h"

#ifdef TN_WITH_HDF5

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
TN_LAZY(tn_hdf5_library, H5Dget_create_plist);
TN_LAZY(tn_hdf5_library, H5Dget_space);
TN_LAZY(tn_hdf5_library, H5Dget_type);
TN_LAZY(tn_hdf5_library, H5Dopen2);
TN_LAZY(tn_hdf5_library, H5Dread);
TN_LAZY(tn_hdf5_library, H5Dvlen_reclaim);
TN_LAZY(tn_hdf5_library, H5Dwrite);
TN_LAZY(tn_hdf5_library, H5Eauto_is_v2);
TN_LAZY(tn_hdf5_library, H5Eget_auto1);
TN_LAZY(tn_hdf5_library, H5Eget_auto2);
TN_LAZY(tn_hdf5_library, H5Eset_auto1);
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
TN_LAZY(tn_hdf5_library, H5Pget_layout);
TN_LAZY(tn_hdf5_library, H5Pget_mdc_config);
TN_LAZY(tn_hdf5_library, H5Pset_alloc_time);
TN_LAZY(tn_hdf5_library, H5Pset_cache);
TN_LAZY(tn_hdf5_library, H5Pset_chunk);
TN_LAZY(tn_hdf5_library, H5Pset_chunk_cache);
TN_LAZY(tn_hdf5_library, H5Pset_create_intermediate_group);
TN_LAZY(tn_hdf5_library, H5Pset_fapl_core);
TN_LAZY(tn_hdf5_library, H5Pset_fclose_degree);
TN_LAZY(tn_hdf5_library, H5Pset_file_locking);
TN_LAZY(tn_hdf5_library, H5Pset_fill_time);
TN_LAZY(tn_hdf5_library, H5Pset_layout);
TN_LAZY(tn_hdf5_library, H5Pset_libver_bounds);
TN_LAZY(tn_hdf5_library, H5Pset_mdc_config);
TN_LAZY(tn_hdf5_library, H5Pset_meta_block_size);
TN_LAZY(tn_hdf5_library, H5Pset_sizes);
TN_LAZY(tn_hdf5_library, H5Pset_small_data_block_size);
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

#endif
