// SPDX-License-Identifier: MIT
//
// Shared libraries that are loaded when the first of their functions is called: a small run is over
// before the loader would have found the sixty libraries that HDF5, LAPACK, SuiteSparseQR, cairo
// and microhttpd bring along.
//
// The build looks up which functions of these libraries the object files need
// (tools/lazy_functions.sh). For each it defines a function with this name inside of Tenon only,
// which jumps to the one of the library and loads that before the first jump. Callers include the
// header of the library and call as ever.
//
// If the library cannot be loaded within such a call, the program ends with one sentence. So
// modules that can fail and are entered in few places call tn_library_need there; LAPACK and sparse
// QR are called from within computations all over, SUNDIALS from within a step.

#pragma once

#include "base/status.h"

typedef struct tn_library {
    const char *file;             // as the loader knows it: "libarpack.so.2"
    const char *package;          // of Debian, which brings it
    struct tn_library *before;    // to be loaded first, or NULL
    bool shared;                  // its symbols serve libraries that are loaded later
    void (*loaded)(void *handle); // called after that, or NULL
    void *handle;
} tn_library;

extern tn_library tn_arpack_library, tn_cairo_library, tn_cholmod_library, tn_cvode_library,
    tn_hdf5_library, tn_ida_library, tn_klu_library, tn_lapacke_library, tn_microhttpd_library,
    tn_openblas_library, tn_spqr_library, tn_sundials_library, tn_xml2_library;

// Loads the library unless it is there; fails with a sentence that names it.
tn_status tn_library_need(tn_library *library);

// The address of a variable of the library, which is loaded for it.
void *tn_library_data(tn_library *library, const char *name);

typedef struct tn_lazy {
    void (*jump)(void); // to the function, or to code that finds it
    tn_library *library;
    const char *name;
} tn_lazy;

// For the jumps only: the new target of `lazy`.
void *tn_lazy_find(tn_lazy *lazy);

// TN_LAZY(library, function) defines such a function.
// TN_LAZY_LIBRARIES, TN_FILE_ARPACK and the like come from cmake/TenonDependencies.cmake. Without
// them, and on other machines, the linker finds all functions and libraries are loaded at the
// start.
#if defined(TN_LAZY_LIBRARIES) && defined(__x86_64__)
#define TN_LAZY_CODE(name)                   \
    "endbr64\n\t"                            \
    "jmp *tn_lazy_" #name "(%rip)\n"         \
    "tn_lazy_first_" #name ":\n\t"           \
    "endbr64\n\t"                            \
    "leaq tn_lazy_" #name "(%rip), %r11\n\t" \
    "jmp tn_lazy_enter\n"
#elif defined(TN_LAZY_LIBRARIES) && defined(__aarch64__)
#define TN_LAZY_CODE(name)                        \
    "hint #34\n\t"                                \
    "adrp x16, tn_lazy_" #name "\n\t"             \
    "ldr x17, [x16, :lo12:tn_lazy_" #name "]\n\t" \
    "br x17\n"                                    \
    "tn_lazy_first_" #name ":\n\t"                \
    "hint #34\n\t"                                \
    "adrp x16, tn_lazy_" #name "\n\t"             \
    "add x16, x16, :lo12:tn_lazy_" #name "\n\t"   \
    "b tn_lazy_enter\n"
#endif

#ifdef TN_LAZY_CODE
#define TN_LAZY(of, name)                                                               \
    void tn_lazy_first_##name(void);                                                    \
    extern tn_lazy tn_lazy_##name;                                                      \
    tn_lazy tn_lazy_##name = {tn_lazy_first_##name, &of, #name};                        \
    __asm__(".text\n\t.balign 16\n\t"                                                   \
            ".globl " #name "\n\t.hidden " #name "\n\t.type " #name ", %function\n"     \
            ".globl tn_lazy_first_" #name "\n\t.hidden tn_lazy_first_" #name "\n" #name \
            ":\n\t" TN_LAZY_CODE(name) ".size " #name ", . - " #name "\n")
#else
#define TN_LAZY(of, name) extern tn_lazy tn_lazy_##name
#endif
