# SPDX-License-Identifier: MIT
#
# What the command prints about itself and about model files, kept as files to be installed.

# tenon_page(FILE FOLDER ARGUMENTS...): what `tenon ARGUMENTS` prints becomes FILE, installed in FOLDER.
function(tenon_page file folder)
    set(path ${CMAKE_BINARY_DIR}/pages/${file})
    add_custom_command(OUTPUT ${path}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/pages
        COMMAND tenon_command ${ARGN} > ${path}
        DEPENDS tenon_command COMMENT "Writing ${file}" VERBATIM)
    set_property(GLOBAL APPEND PROPERTY tenon_pages ${path})
    install(FILES ${path} DESTINATION ${folder})
endfunction()

if(TARGET tenon_command AND NOT (CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
    tenon_page(model.schema.json ${CMAKE_INSTALL_DATADIR}/tenon help --schema)
    tenon_page(tenon.1 ${CMAKE_INSTALL_MANDIR}/man1 help --man)
    tenon_page(tenon ${CMAKE_INSTALL_DATADIR}/bash-completion/completions help --completion bash)
    tenon_page(_tenon ${CMAKE_INSTALL_DATADIR}/zsh/site-functions help --completion zsh)
    get_property(pages GLOBAL PROPERTY tenon_pages)
    add_custom_target(tenon_pages ALL DEPENDS ${pages})
endif()
