# SPDX-License-Identifier: MIT
#
# Tenon::dependencies: the libraries that libtenon stands on.
#
# Reads TENON_HDF5, TENON_CAIRO and TENON_HTTP.

find_package(PkgConfig REQUIRED)

add_library(Tenon::dependencies INTERFACE IMPORTED)

# Links the first pkg-config module found, or stops and names the Debian package that has it. What
# was found is kept under the name of the first one, so that another order is looked for anew.
function(tenon_link_module package)
    string(MAKE_C_IDENTIFIER "tenon_${ARGV1}" prefix)
    pkg_search_module(${prefix} QUIET IMPORTED_TARGET GLOBAL ${ARGN})
    if(NOT ${prefix}_FOUND)
        message(FATAL_ERROR "Tenon needs ${ARGV1}, which pkg-config cannot find. "
            "On Debian: apt-get install ${package} (scripts/setup installs everything).")
    endif()
    target_link_libraries(Tenon::dependencies INTERFACE PkgConfig::${prefix})
endfunction()

tenon_link_module(liblapacke-dev lapacke)
tenon_link_module(libopenblas-dev openblas)
tenon_link_module(libyaml-dev yaml-0.1)
tenon_link_module(libxml2-dev libxml-2.0)
if(TENON_HDF5)
    tenon_link_module(libhdf5-dev hdf5-serial hdf5) # without MPI where there are both
    target_compile_definitions(Tenon::dependencies INTERFACE TN_WITH_HDF5=1)
endif()
if(TENON_CAIRO)
    tenon_link_module(libcairo2-dev cairo)
    target_compile_definitions(Tenon::dependencies INTERFACE TN_WITH_CAIRO=1)
endif()
if(TENON_HTTP)
    tenon_link_module(libmicrohttpd-dev libmicrohttpd)
    target_compile_definitions(Tenon::dependencies INTERFACE TN_WITH_HTTP=1)
endif()

# SUNDIALS has no pkg-config files, and its CMake package asks for OpenMP and MPI, which these four
# libraries do not use. IDA is the integrator bdf, CVODE adams. What version 6 has in
# libsundials_generic is in libsundials_core since version 7.
foreach(name ida cvode nvecserial core)
    set(tenon_names sundials_${name})
    if(name STREQUAL core)
        list(APPEND tenon_names sundials_generic)
    endif()
    find_library(TENON_LIB_sundials_${name} NAMES ${tenon_names})
    mark_as_advanced(TENON_LIB_sundials_${name})
    if(NOT TENON_LIB_sundials_${name})
        message(FATAL_ERROR "Tenon needs libsundials_${name}. "
            "On Debian: apt-get install libsundials-dev (scripts/setup installs everything).")
    endif()
    target_link_libraries(Tenon::dependencies INTERFACE ${TENON_LIB_sundials_${name}})
endforeach()
find_path(TENON_SUNDIALS_INCLUDE sundials/sundials_config.h)
mark_as_advanced(TENON_SUNDIALS_INCLUDE)
if(NOT TENON_SUNDIALS_INCLUDE)
    message(FATAL_ERROR "Tenon needs the headers of SUNDIALS. "
        "On Debian: apt-get install libsundials-dev (scripts/setup installs everything).")
endif()
file(STRINGS ${TENON_SUNDIALS_INCLUDE}/sundials/sundials_config.h tenon_sundials_version
    REGEX "^#define SUNDIALS_VERSION ")
if(NOT tenon_sundials_version MATCHES "\"[67]\\.")
    message(FATAL_ERROR "Tenon needs version 6 or 7 of SUNDIALS; "
        "${TENON_SUNDIALS_INCLUDE} has: ${tenon_sundials_version}")
endif()
target_include_directories(Tenon::dependencies INTERFACE ${TENON_SUNDIALS_INCLUDE})
# Since version 7 its headers need those of MPI where it is built with it, as on Debian, and even
# "no communicator" is a symbol of that library.
file(STRINGS ${TENON_SUNDIALS_INCLUDE}/sundials/sundials_config.h tenon_sundials_mpi
    REGEX "^#define SUNDIALS_MPI_ENABLED 1")
if(tenon_sundials_mpi AND NOT tenon_sundials_version MATCHES "\"6\\.")
    tenon_link_module(mpi-default-dev mpi-c ompi-c ompi mpich)
endif()

# SuiteSparse before version 6 has no pkg-config files. The order matters for static archives.
foreach(name spqr cholmod klu btf colamd camd amd suitesparseconfig)
    find_library(TENON_LIB_${name} ${name})
    mark_as_advanced(TENON_LIB_${name})
    if(NOT TENON_LIB_${name})
        message(FATAL_ERROR "Tenon needs lib${name} of SuiteSparse. "
            "On Debian: apt-get install libsuitesparse-dev (scripts/setup installs everything).")
    endif()
    target_link_libraries(Tenon::dependencies INTERFACE ${TENON_LIB_${name}})
endforeach()
find_path(TENON_SUITESPARSE_INCLUDE klu.h PATH_SUFFIXES suitesparse)
mark_as_advanced(TENON_SUITESPARSE_INCLUDE)
if(NOT TENON_SUITESPARSE_INCLUDE)
    message(FATAL_ERROR "Tenon needs klu.h of SuiteSparse. "
        "On Debian: apt-get install libsuitesparse-dev (scripts/setup installs everything).")
endif()
target_include_directories(Tenon::dependencies INTERFACE ${TENON_SUITESPARSE_INCLUDE})

# ARPACK is asked for by its C interface, arpack.h, which arpack-ng has since version 3.7. Its
# pkg-config file is not in all packages of it.
find_library(TENON_LIB_arpack arpack)
find_path(TENON_ARPACK_INCLUDE arpack.h PATH_SUFFIXES arpack arpack-ng)
mark_as_advanced(TENON_LIB_arpack TENON_ARPACK_INCLUDE)
if(NOT TENON_LIB_arpack OR NOT TENON_ARPACK_INCLUDE)
    message(FATAL_ERROR "Tenon needs libarpack and its header arpack.h. "
        "On Debian: apt-get install libarpack2-dev (scripts/setup installs everything).")
endif()
target_link_libraries(Tenon::dependencies INTERFACE ${TENON_LIB_arpack})
target_include_directories(Tenon::dependencies INTERFACE ${TENON_ARPACK_INCLUDE})
if(TENON_LIB_arpack MATCHES "\\.a$")
    target_link_libraries(Tenon::dependencies INTERFACE gfortran)
endif()

# SPQR is C++ behind its C interface. The shared library brings its runtime, an archive does not.
if(TENON_LIB_spqr MATCHES "\\.a$")
    target_link_libraries(Tenon::dependencies INTERFACE stdc++)
endif()
find_package(Threads REQUIRED)
target_link_libraries(Tenon::dependencies INTERFACE Threads::Threads m ${CMAKE_DL_LIBS})

# Most of these are loaded when the first of their functions is called (src/base/library.h), by the
# names that the loader knows. Archives have none: then all are linked as they are.
set(tenon_lazy TRUE)
function(tenon_load_lazily name path)
    set(loaded "")
    if(path AND EXISTS "${path}")
        execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${path} OUTPUT_VARIABLE head ERROR_QUIET)
        if(head MATCHES "SONAME +([^ \n]+)")
            set(loaded ${CMAKE_MATCH_1})
            set_property(GLOBAL APPEND PROPERTY tenon_loaded_files ${path})
            set_property(GLOBAL APPEND PROPERTY tenon_lazy_libraries ${name}=${path})
        endif()
    endif()
    if(NOT loaded)
        set(tenon_lazy FALSE PARENT_SCOPE)
    endif()
    target_compile_definitions(Tenon::dependencies INTERFACE TN_FILE_${name}="${loaded}")
endfunction()
tenon_load_lazily(LAPACKE "${pkgcfg_lib_tenon_lapacke_lapacke}")
tenon_load_lazily(OPENBLAS "${pkgcfg_lib_tenon_openblas_openblas}")
tenon_load_lazily(IDA "${TENON_LIB_sundials_ida}")
tenon_load_lazily(CVODE "${TENON_LIB_sundials_cvode}")
tenon_load_lazily(SUNDIALS "${TENON_LIB_sundials_core}")
tenon_load_lazily(SPQR "${TENON_LIB_spqr}")
tenon_load_lazily(CHOLMOD "${TENON_LIB_cholmod}")
tenon_load_lazily(KLU "${TENON_LIB_klu}")
tenon_load_lazily(ARPACK "${TENON_LIB_arpack}")
tenon_load_lazily(XML2 "${pkgcfg_lib_tenon_libxml_2_0_xml2}")
if(NOT TENON_HDF5)
    target_compile_definitions(Tenon::dependencies INTERFACE TN_FILE_HDF5="")
elseif(pkgcfg_lib_tenon_hdf5_serial_hdf5_serial) # as later versions of Debian name it
    tenon_load_lazily(HDF5 "${pkgcfg_lib_tenon_hdf5_serial_hdf5_serial}")
else()
    tenon_load_lazily(HDF5 "${pkgcfg_lib_tenon_hdf5_serial_hdf5}")
endif()
if(TENON_CAIRO)
    tenon_load_lazily(CAIRO "${pkgcfg_lib_tenon_cairo_cairo}")
else()
    target_compile_definitions(Tenon::dependencies INTERFACE TN_FILE_CAIRO="")
endif()
if(TENON_HTTP)
    tenon_load_lazily(MICROHTTPD "${pkgcfg_lib_tenon_libmicrohttpd_microhttpd}")
else()
    target_compile_definitions(Tenon::dependencies INTERFACE TN_FILE_MICROHTTPD="")
endif()
if(tenon_lazy)
    target_compile_definitions(Tenon::dependencies INTERFACE TN_LAZY_LIBRARIES=1)
endif()
