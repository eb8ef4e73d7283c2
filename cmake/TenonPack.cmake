# SPDX-License-Identifier: MIT
#
# cpack -G DEB: packages of the installed tree, for the Debian on which they are built: tenon, and
# tenon-mpi with the module for ranks of MPI, so that the former does not ask for MPI. Libraries that
# are loaded with the first call of their functions stand in no header that dpkg-shlibdeps reads:
# their packages are asked from dpkg.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tenon)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The authors of Tenon <tenon@users.noreply.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator for constrained mechanical systems")
set(CPACK_PACKAGE_DESCRIPTION "Rigid and flexible bodies, joints, closed loops and force elements
 of a text file, simulated by any constraint method of the literature. Command, library and headers.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})

get_property(loaded GLOBAL PROPERTY tenon_loaded_files)
set(packages "")
foreach(path IN LISTS loaded)
    file(REAL_PATH ${path} file)
    string(REGEX REPLACE "^/usr/lib/" "/lib/" short ${file}) # as dpkg may know it
    foreach(name ${file} ${short})
        execute_process(COMMAND dpkg-query -S ${name} OUTPUT_VARIABLE owner ERROR_QUIET)
        if(owner MATCHES "^([a-z0-9.+-]+):?[a-z0-9]*: ")
            list(APPEND packages ${CMAKE_MATCH_1})
            break()
        endif()
    endforeach()
endforeach()
list(REMOVE_DUPLICATES packages)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL tenon)
set(CPACK_DEBIAN_TENON_PACKAGE_NAME tenon)
list(JOIN packages ", " CPACK_DEBIAN_TENON_PACKAGE_DEPENDS)
if(TARGET tenon_mpi)
    list(APPEND CPACK_COMPONENTS_ALL mpi)
    set(CPACK_DEBIAN_TENON_PACKAGE_SUGGESTS tenon-mpi)
    set(CPACK_DEBIAN_MPI_PACKAGE_NAME tenon-mpi)
    set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "tenon (= ${PROJECT_VERSION})")
    set(CPACK_DEBIAN_MPI_DESCRIPTION "Tenon on ranks of MPI
 The module by which 'mpirun tenon sweep' shares its cases among machines.")
endif()
include(CPack)
