# SPDX-License-Identifier: MIT
#
# Other libraries beside bench_tree and bench_peers, with TENON_PEERS=ON. Each is one file bench/peer_*.cpp; what is
# not installed is left out with a message.

enable_language(CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_FLAGS_RELEASE "-O3") # without NDEBUG, as Debian's Simbody is built
find_package(PkgConfig REQUIRED)

# tenon_add_peer(<name> <package> <libraries> <include folders> <options>)
function(tenon_add_peer name package libraries folders options)
    if(NOT libraries)
        message(STATUS "Benchmarks run without ${name}: install ${package} for it")
        return()
    endif()
    add_library(peer_${name} OBJECT bench/peer_${name}.cpp)
    target_compile_options(peer_${name} PRIVATE -Wall -Wextra -Wno-psabi ${options})
    target_include_directories(peer_${name} SYSTEM PRIVATE ${folders})
    string(TOUPPER ${name} NAME)
    foreach(program bench_tree bench_peers)
        target_compile_definitions(${program} PRIVATE PEER_${NAME})
        target_link_libraries(${program} PRIVATE peer_${name} ${libraries})
    endforeach()
endfunction()

find_package(Simbody QUIET)
if(Simbody_FOUND)
    set(simbody_libraries SimTKsimbody SimTKmath SimTKcommon)
endif()
tenon_add_peer(simbody libsimbody-dev "${simbody_libraries}" "${Simbody_INCLUDE_DIR}" "")

pkg_check_modules(bullet QUIET bullet-float64)
tenon_add_peer(bullet libbullet-dev "${bullet_LINK_LIBRARIES}" "${bullet_INCLUDE_DIRS}"
    "${bullet_CFLAGS_OTHER}")

find_library(mujoco_library mujoco)
find_path(mujoco_folder mujoco/mujoco.h)
if(mujoco_library AND mujoco_folder)
    set(mujoco_libraries ${mujoco_library})
endif()
tenon_add_peer(mujoco libmujoco-dev "${mujoco_libraries}" "${mujoco_folder}" "")

pkg_check_modules(eigen QUIET eigen3)
find_library(dart_library dart)
if(dart_library AND eigen_FOUND)
    set(dart_libraries ${dart_library})
endif()
tenon_add_peer(dart libdart-dev "${dart_libraries}" "${eigen_INCLUDE_DIRS}" "")
