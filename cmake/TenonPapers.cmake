# SPDX-License-Identifier: MIT
#
# papers/: items that `tenon paper` runs, and the programs that some of them need. In the folder of
# the build the command finds both beside itself, and where it is installed in the folders of data
# and of programs for programs.

file(RELATIVE_PATH data_dir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/tenon)
file(RELATIVE_PATH libexec_dir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR}/tenon)
set_source_files_properties(cli/cmd_paper.c PROPERTIES
    COMPILE_DEFINITIONS "TN_DATA_DIR=\"${data_dir}\";TN_LIBEXEC_DIR=\"${libexec_dir}\"")
# A tree may move with its build.
foreach(folder papers models)
    file(RELATIVE_PATH target ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
    file(CREATE_LINK ${target} ${CMAKE_BINARY_DIR}/${folder} SYMBOLIC)
endforeach()

# papers/Arn16/example9.c is the program Arn16_example9. It may use inner functions, as tests do.
file(GLOB paper_sources CONFIGURE_DEPENDS papers/*/*.c)
foreach(source IN LISTS paper_sources)
    cmake_path(GET source STEM name)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME key)
    set(program ${key}_${name})
    add_executable(${program} ${source})
    set_target_properties(${program} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/programs)
    target_link_libraries(${program} PRIVATE tenon_internal m)
    install(TARGETS ${program} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tenon)
    list(APPEND paper_programs ${program})
endforeach()
# All that `tenon paper` needs.
add_custom_target(tenon_papers DEPENDS tenon_command ${paper_programs})
if(BUILD_TESTING)
    # Every number that a paper states; what it writes is looked at by web/papers.
    add_test(NAME papers/quick
        COMMAND tenon_command paper --all --quick --jobs 2 --out ${CMAKE_BINARY_DIR}/papers.quick)
    set_tests_properties(papers/quick PROPERTIES LABELS papers TIMEOUT 900 PROCESSORS 2
        FIXTURES_SETUP papers)
endif()
install(DIRECTORY papers DESTINATION ${CMAKE_INSTALL_DATADIR}/tenon PATTERN "*.c" EXCLUDE)
