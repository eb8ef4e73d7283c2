# SPDX-License-Identifier: MIT
#
# The module by which `tenon sweep` shares its cases among ranks of MPI: a file beside the library,
# which loads it when mpirun has started it. Nothing else links MPI.

pkg_search_module(tenon_mpi QUIET IMPORTED_TARGET mpi-c ompi-c mpich)
option(TENON_MPI "Build the module for ranks of MPI" ${tenon_mpi_FOUND})
if(NOT TENON_MPI)
    message(STATUS "Sweeps on ranks of MPI are left out: MPI is not here or -DTENON_MPI=OFF "
        "(on Debian: apt-get install libopenmpi-dev openmpi-bin)")
    return()
endif()
if(NOT tenon_mpi_FOUND)
    message(FATAL_ERROR "-DTENON_MPI=ON needs MPI, which pkg-config cannot find. "
        "On Debian: apt-get install libopenmpi-dev openmpi-bin.")
endif()

add_library(tenon_mpi MODULE modules/tenon_mpi.c)
set_target_properties(tenon_mpi PROPERTIES PREFIX "")
target_include_directories(tenon_mpi PRIVATE src)
target_link_libraries(tenon_mpi PRIVATE tenon_compile PkgConfig::tenon_mpi)
install(TARGETS tenon_mpi DESTINATION ${CMAKE_INSTALL_LIBDIR}/tenon COMPONENT mpi)
