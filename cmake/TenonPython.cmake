# SPDX-License-Identifier: MIT
#
# The Python package: <build>/python/tenon, which PYTHONPATH=<build>/python finds, on the library of
# this build. It needs the Python of the system with cffi and NumPy (scripts/setup --python), and
# tests with pytest; without them everything else is built, and CMake says so.

set(TENON_PYTHON_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "Python that the package is built for")
mark_as_advanced(TENON_PYTHON_EXECUTABLE)

# Whether this Python can import all of these modules.
function(tenon_python_has out)
    list(JOIN ARGN ", " modules)
    execute_process(COMMAND ${TENON_PYTHON_EXECUTABLE} -c "import ${modules}"
        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed)
        set(${out} OFF PARENT_SCOPE)
    else()
        set(${out} ON PARENT_SCOPE)
    endif()
endfunction()

tenon_python_has(python_found cffi numpy setuptools)
option(TENON_PYTHON "Build the Python package" ${python_found})
if(NOT TENON_PYTHON)
    message(STATUS "The Python package is not built: ${TENON_PYTHON_EXECUTABLE} with cffi, NumPy "
        "and setuptools is not here or -DTENON_PYTHON=OFF (scripts/setup --python installs them)")
    return()
endif()

set(python_source ${CMAKE_CURRENT_SOURCE_DIR}/python)
set(python_build ${CMAKE_BINARY_DIR}/python)
file(GLOB python_headers CONFIGURE_DEPENDS include/tenon/*)
file(GLOB python_files CONFIGURE_DEPENDS python/tenon/*.py python/tenon/*.pyi python/tenon/*.typed)
set(python_command ${TENON_PYTHON_EXECUTABLE} ${python_source}/extension.py
    --include ${CMAKE_CURRENT_SOURCE_DIR}/include --library $<TARGET_FILE_DIR:tenon>
    --rpath $ORIGIN/../.. --out ${python_build} --cc ${CMAKE_C_COMPILER})
add_custom_command(OUTPUT ${python_build}/extension.stamp
    DEPENDS ${python_source}/extension.py ${python_headers}
    COMMAND ${python_command}
    COMMAND ${CMAKE_COMMAND} -E touch ${python_build}/extension.stamp
    COMMENT "Building the Python package in ${python_build}" VERBATIM)
add_custom_command(OUTPUT ${python_build}/files.stamp
    DEPENDS ${python_build}/extension.stamp ${python_files}
    COMMAND ${python_command} --files-only
    COMMAND ${CMAKE_COMMAND} -E touch ${python_build}/files.stamp VERBATIM)
add_custom_target(tenon_python ALL DEPENDS ${python_build}/files.stamp)
add_dependencies(tenon_python tenon)

if(BUILD_TESTING)
    tenon_python_has(python_tests pytest)
    if(NOT python_tests)
        message(STATUS "The Python package is not tested: pytest is not here "
            "(scripts/setup --python installs it)")
        return()
    endif()
    set(python_environment PYTHONPATH=${python_build} PYTHONDONTWRITEBYTECODE=1
        TENON_SOURCE=${CMAKE_CURRENT_SOURCE_DIR} TENON_BUILD=${CMAKE_BINARY_DIR}
        MPLBACKEND=Agg OPENBLAS_NUM_THREADS=1)
    # A library with sanitizers wants them loaded in front of the interpreter, whose own memory is
    # not looked at for leaks.
    if(CMAKE_C_FLAGS MATCHES "-fsanitize=address")
        set(libasan libasan.so)
        if(CMAKE_C_COMPILER_ID STREQUAL Clang)
            set(libasan libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so)
        endif()
        execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${libasan}
            OUTPUT_VARIABLE libasan OUTPUT_STRIP_TRAILING_WHITESPACE)
        list(APPEND python_environment LD_PRELOAD=${libasan} ASAN_OPTIONS=detect_leaks=0)
    endif()
    set(scratch ${CMAKE_BINARY_DIR}/tests/scratch/python)
    file(MAKE_DIRECTORY ${scratch})
    add_test(NAME python/pytest WORKING_DIRECTORY ${scratch}
        COMMAND ${TENON_PYTHON_EXECUTABLE} -m pytest -q -p no:cacheprovider
            --rootdir ${python_source} ${python_source}/tests)
    math(EXPR limit "${TENON_PATIENCE} * 240")
    set_tests_properties(python/pytest PROPERTIES LABELS python TIMEOUT ${limit}
        ENVIRONMENT "${python_environment}")
endif()
