# SPDX-License-Identifier: MIT
#
# How everything is compiled and linked against attacks by files and libraries that Tenon reads.

include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options(-fstack-protector-strong)
# Checks of string and memory functions need an optimiser, and sanitizers have their own.
add_compile_options("$<$<CONFIG:Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
# Symbols are bound at the start and their table is read-only then; libraries that are not used are
# not loaded.
add_link_options(LINKER:--as-needed LINKER:-z,relro LINKER:-z,now)
# Libraries are looked for where the system has them: no path to them is left in the programs, and
# so none that is empty, which means the folder of the caller.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
