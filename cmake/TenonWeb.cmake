# SPDX-License-Identifier: MIT
#
# The pages of `tenon report` and `tenon view`, of `tenon compare` and of `tenon sweep`: web/ is bundled into one
# HTML file for each, which becomes a C array in the library. The packages they are bundled from come
# from npm into <build>/web.
#
# tenon_embed_page(target) gives the array to a target and defines TN_WITH_WEB. Without npm, or
# when the packages cannot be had, it says so and the library is built without the page.

option(TENON_WEB "Build the page of tenon report and tenon view (needs npm)" ON)

set(web_source ${CMAKE_CURRENT_SOURCE_DIR}/web)
set(web_build ${CMAKE_CURRENT_BINARY_DIR}/web)

# Installs what package-lock.json names, once per content of that file.
function(tenon_web_packages out)
    set(${out} FALSE PARENT_SCOPE)
    find_program(TENON_NPM npm)
    find_program(TENON_NODE NAMES node nodejs)
    mark_as_advanced(TENON_NPM TENON_NODE)
    if(NOT TENON_NPM OR NOT TENON_NODE)
        message(WARNING "npm is not here: Tenon is built without the page of `tenon report` and "
            "`tenon view`. On Debian: apt-get install nodejs npm (scripts/setup installs "
            "everything); then configure again. -DTENON_WEB=OFF leaves the page out silently.")
        return()
    endif()
    file(SHA256 ${web_source}/package-lock.json lock)
    set(stamp ${web_build}/node_modules/.tenon-lock)
    set(installed)
    if(EXISTS ${stamp})
        file(READ ${stamp} installed)
    endif()
    if(NOT installed STREQUAL lock)
        message(STATUS "Installing the packages of the page with npm in ${web_build}")
        file(COPY ${web_source}/package.json ${web_source}/package-lock.json
            DESTINATION ${web_build})
        # Nothing that a package brings is run: the compiled bundler is a package of its own.
        execute_process(COMMAND ${TENON_NPM} ci --ignore-scripts --no-audit --no-fund
            --fetch-retries 1 --fetch-timeout 30000
            WORKING_DIRECTORY ${web_build} RESULT_VARIABLE failed OUTPUT_VARIABLE log
            ERROR_VARIABLE log)
        if(failed)
            message(WARNING "npm could not install the packages of the page, so Tenon is built "
                "without the page of `tenon report` and `tenon view`. Configure again when the "
                "npm registry can be reached. npm said:\n${log}")
            return()
        endif()
        file(WRITE ${stamp} ${lock})
    endif()
    set(${out} TRUE PARENT_SCOPE)
endfunction()

function(tenon_embed_page target)
    if(NOT TENON_WEB)
        return()
    endif()
    tenon_web_packages(ready)
    if(NOT ready)
        return()
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${web_source}/*.html ${web_source}/*.mjs
        ${web_source}/src/*)
    # The pages of a run, a comparison and a sweep.
    foreach(name page compare sweep)
        set(page ${web_build}/${name}.html)
        set(asset ${web_build}/${name}_asset.c)
        add_custom_command(OUTPUT ${page} DEPENDS ${sources} ${web_source}/package-lock.json
            COMMAND ${TENON_NODE} ${web_source}/build.mjs --page ${name}
                --modules ${web_build}/node_modules --out ${page}
            COMMENT "Bundling ${name}.html" VERBATIM)
        add_custom_command(OUTPUT ${asset} DEPENDS ${page} tenon_embed
            COMMAND tenon_embed ${page} ${asset} tn_${name}_asset
            COMMENT "Embedding ${name}.html" VERBATIM)
        target_sources(${target} PRIVATE ${asset})
    endforeach()
    target_compile_definitions(${target} PRIVATE TN_WITH_WEB=1)
    tenon_test_page(${web_build}/page.html)
endfunction()

# Tests of the page in a headless browser, where there is one.
function(tenon_test_page page)
    find_program(TENON_CHROMIUM NAMES chromium chromium-browser google-chrome)
    mark_as_advanced(TENON_CHROMIUM)
    if(NOT BUILD_TESTING)
        return()
    endif()
    execute_process(COMMAND ${TENON_NODE} --version OUTPUT_VARIABLE node
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REPLACE "v" "" node "${node}")
    if(node VERSION_LESS 20)
        message(STATUS "The browser tests need Node 20, this is ${node}: they are left out")
        return()
    endif()
    set(where "TENON_PAGE=${page};TENON_MODULES=${web_build}/node_modules"
        "TENON_BINARY=${CMAKE_CURRENT_BINARY_DIR}/tenon")
    if(TENON_CHROMIUM)
        list(APPEND where "TENON_CHROMIUM=${TENON_CHROMIUM}")
        add_test(NAME web/page COMMAND ${TENON_NODE} --test ${web_source}/test/page.test.mjs)
        set_tests_properties(web/page PROPERTIES LABELS web TIMEOUT 600 ENVIRONMENT "${where}")
    endif()
    # What the built command writes. Without a browser they say so and count as skipped.
    foreach(name report compare sweep views)
        add_test(NAME web/${name} COMMAND ${TENON_NODE} --test ${web_source}/test/${name}.test.mjs)
        set_tests_properties(web/${name} PROPERTIES LABELS web TIMEOUT 600 ENVIRONMENT "${where}"
            SKIP_REGULAR_EXPRESSION "skipped: there is no browser")
    endforeach()
    add_test(NAME web/papers COMMAND ${TENON_NODE} --test ${web_source}/test/papers.test.mjs)
    list(APPEND where "TENON_PAPERS_OUT=${CMAKE_CURRENT_BINARY_DIR}/papers.quick")
    set_tests_properties(web/papers PROPERTIES LABELS web TIMEOUT 600 ENVIRONMENT "${where}"
        FIXTURES_REQUIRED papers SKIP_REGULAR_EXPRESSION "skipped: there is no browser")
endfunction()
