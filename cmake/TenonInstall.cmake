# SPDX-License-Identifier: MIT
#
# cmake --install: headers, library, command, example models, pkg-config and CMake package files.
# What the command writes about itself: TenonPages.cmake.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tenon)

install(DIRECTORY include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS tenon EXPORT TenonTargets)
if(TARGET tenon_command)
    install(TARGETS tenon_command)
endif()
if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/models)
    install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/tenon USE_SOURCE_PERMISSIONS)
endif()

install(EXPORT TenonTargets NAMESPACE Tenon:: DESTINATION ${package_dir})
configure_package_config_file(cmake/TenonConfig.cmake.in ${CMAKE_BINARY_DIR}/TenonConfig.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TenonConfig.cmake ${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake
    cmake/TenonDependencies.cmake DESTINATION ${package_dir})

# A static libtenon needs its dependencies at each link. They stand as public ones because they are
# shared themselves: as private ones they would also ask for what only archives of them need.
set(pc_requires)
set(pc_libs)
if(NOT BUILD_SHARED_LIBS)
    set(pc_requires lapacke openblas yaml-0.1)
    if(TENON_HDF5)
        list(APPEND pc_requires ${tenon_hdf5_serial_MODULE_NAME})
    endif()
    if(tenon_mpi_c_FOUND)
        list(APPEND pc_requires ${tenon_mpi_c_MODULE_NAME})
    endif()
    if(TENON_CAIRO)
        list(APPEND pc_requires cairo)
    endif()
    if(TENON_HTTP)
        list(APPEND pc_requires libmicrohttpd)
    endif()
    list(JOIN pc_requires " " pc_requires)
    set(pc_libs " -lsundials_ida -lsundials_cvode -lsundials_nvecserial")
    cmake_path(GET TENON_LIB_sundials_core STEM core) # or generic, before version 7
    string(REGEX REPLACE "^lib" " -l" core ${core})
    string(APPEND pc_libs ${core})
    string(APPEND pc_libs " -lspqr -lcholmod -lklu -lbtf -lcolamd -lamd -lsuitesparseconfig")
    string(APPEND pc_libs " -lpthread -lm")
endif()
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /) # an installed tree may be moved
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(cmake/tenon.pc.in ${CMAKE_BINARY_DIR}/tenon.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tenon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
