// SPDX-License-Identifier: MIT
//
// See library.h.

#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

// More threads lose time at the sizes of mechanisms, and would add in an order of their own.
static void use_one_thread(void *handle)
{
    void (*set)(int) = NULL;
    *(void **)&set = dlsym(handle, "openblas_set_num_threads");
    if (set)
        set(1);
}

// OpenBLAS comes first and its symbols are for all: so the others find its BLAS and LAPACK, and not
// those of reference that they name.
tn_library tn_openblas_library = {
    TN_FILE_OPENBLAS, "libopenblas-dev", NULL, true, use_one_thread, NULL};
#define ON_BLAS(file, package)                                 \
    {                                                          \
        file, package, &tn_openblas_library, false, NULL, NULL \
    }
#define ALONE(file, package)                   \
    {                                          \
        file, package, NULL, false, NULL, NULL \
    }
tn_library tn_lapacke_library = ON_BLAS(TN_FILE_LAPACKE, "liblapacke-dev");
tn_library tn_arpack_library = ON_BLAS(TN_FILE_ARPACK, "libarpack2-dev");
tn_library tn_cholmod_library = ON_BLAS(TN_FILE_CHOLMOD, "libsuitesparse-dev");
tn_library tn_spqr_library = ON_BLAS(TN_FILE_SPQR, "libsuitesparse-dev");
tn_library tn_klu_library = ALONE(TN_FILE_KLU, "libsuitesparse-dev");
tn_library tn_ida_library = ALONE(TN_FILE_IDA, "libsundials-dev");
tn_library tn_cvode_library = ALONE(TN_FILE_CVODE, "libsundials-dev");
tn_library tn_sundials_library = ALONE(TN_FILE_SUNDIALS, "libsundials-dev"); // what both share
tn_library tn_hdf5_library = ALONE(TN_FILE_HDF5, "libhdf5-dev");
tn_library tn_cairo_library = ALONE(TN_FILE_CAIRO, "libcairo2-dev");
tn_library tn_xml2_library = ALONE(TN_FILE_XML2, "libxml2-dev");
tn_library tn_microhttpd_library = ALONE(TN_FILE_MICROHTTPD, "libmicrohttpd-dev");

enum { GAVE_UP = 3 }; // the exit code of a command that did not reach its end

static _Thread_local const char *loading;

// libgfortran ends the program where it has no memory, with the exit code of a wrong command line
// or by a signal from its own end.
static void end_while_loading(void)
{
    if (!loading)
        return;
    fprintf(stderr, "tenon: %s ended the program while it was loaded: out of memory\n", loading);
    _Exit(GAVE_UP);
}

static void *open_library(const tn_library *library)
{
    static int told;
    if (!__atomic_exchange_n(&told, 1, __ATOMIC_ACQ_REL))
        (void)atexit(end_while_loading);
    loading = library->file;
    errno = 0;
    void *handle = dlopen(library->file, RTLD_LAZY | (library->shared ? RTLD_GLOBAL : RTLD_LOCAL));
    loading = NULL;
    return handle;
}

// Threads that load the same library at the same time get the same handle, so that no lock is
// needed, which a child process might find locked.
static void *load(tn_library *library)
{
    if (library->before && !load(library->before))
        return NULL;
    void *handle = __atomic_load_n(&library->handle, __ATOMIC_ACQUIRE);
    if (!handle) {
        handle = open_library(library);
        if (handle && library->loaded)
            library->loaded(handle);
        __atomic_store_n(&library->handle, handle, __ATOMIC_RELEASE);
    }
    return handle;
}

tn_status tn_library_need(tn_library *library)
{
#ifdef TN_LAZY_CODE
    if (!load(library)) {
        const bool memory = errno != ENOMEM;
        const char *why = dlerror();
        return tn_fail(memory ? TN_ERR_FILE : TN_ERR_MEMORY,
                       "cannot load %s: %s; on Debian apt-get install %s brings it", library->file,
                       why ? why : "the loader gives no reason", library->package);
    }
#endif
    return TN_OK;
}

// The caller has no way to fail.
static void *find_or_end(tn_library *library, const char *name)
{
    if (tn_library_need(library) != TN_OK) {
        fprintf(stderr, "tenon: %s\n", tn_last_error());
        _Exit(GAVE_UP);
    }
    void *found = dlsym(load(library), name);
    if (!found) {
        fprintf(stderr, "tenon: %s has no %s: it is not the version that Tenon was built with\n",
                library->file, name);
        _Exit(GAVE_UP);
    }
    return found;
}

void *tn_library_data(tn_library *library, const char *name)
{
    return find_or_end(library, name);
}

void *tn_lazy_find(tn_lazy *lazy)
{
    void *found = find_or_end(lazy->library, lazy->name);
    __atomic_store_n((void **)&lazy->jump, found, __ATOMIC_RELEASE);
    return found;
}

// The first call of a function enters here: this code finds the function and jumps to it, as if it
// had been called in the first place.
#if defined(TN_LAZY_CODE) && defined(__x86_64__)
__asm__(".text\n\t.balign 16\n\t.globl tn_lazy_enter\n\t.hidden tn_lazy_enter\n"
        ".type tn_lazy_enter, %function\n"
        "tn_lazy_enter:\n\t"
        ".cfi_startproc\n\t"
        "pushq %rbp\n\t"
        ".cfi_def_cfa_offset 16\n\t.cfi_offset %rbp, -16\n\t"
        "movq %rsp, %rbp\n\t"
        ".cfi_def_cfa_register %rbp\n\t"
        "subq $192, %rsp\n\t"
        "movq %rdi, 0(%rsp)\n\tmovq %rsi, 8(%rsp)\n\tmovq %rdx, 16(%rsp)\n\t"
        "movq %rcx, 24(%rsp)\n\tmovq %r8, 32(%rsp)\n\tmovq %r9, 40(%rsp)\n\t"
        "movq %rax, 48(%rsp)\n\t"
        "movups %xmm0, 64(%rsp)\n\tmovups %xmm1, 80(%rsp)\n\tmovups %xmm2, 96(%rsp)\n\t"
        "movups %xmm3, 112(%rsp)\n\tmovups %xmm4, 128(%rsp)\n\tmovups %xmm5, 144(%rsp)\n\t"
        "movups %xmm6, 160(%rsp)\n\tmovups %xmm7, 176(%rsp)\n\t"
        "movq %r11, %rdi\n\t"
        "call tn_lazy_find\n\t"
        "movq %rax, %r11\n\t"
        "movq 0(%rsp), %rdi\n\tmovq 8(%rsp), %rsi\n\tmovq 16(%rsp), %rdx\n\t"
        "movq 24(%rsp), %rcx\n\tmovq 32(%rsp), %r8\n\tmovq 40(%rsp), %r9\n\t"
        "movq 48(%rsp), %rax\n\t"
        "movups 64(%rsp), %xmm0\n\tmovups 80(%rsp), %xmm1\n\tmovups 96(%rsp), %xmm2\n\t"
        "movups 112(%rsp), %xmm3\n\tmovups 128(%rsp), %xmm4\n\tmovups 144(%rsp), %xmm5\n\t"
        "movups 160(%rsp), %xmm6\n\tmovups 176(%rsp), %xmm7\n\t"
        "leave\n\t"
        ".cfi_def_cfa %rsp, 8\n\t"
        "jmp *%r11\n\t"
        ".cfi_endproc\n"
        ".size tn_lazy_enter, . - tn_lazy_enter\n");
#elif defined(TN_LAZY_CODE) && defined(__aarch64__)
__asm__(".text\n\t.balign 16\n\t.globl tn_lazy_enter\n\t.hidden tn_lazy_enter\n"
        ".type tn_lazy_enter, %function\n"
        "tn_lazy_enter:\n\t"
        ".cfi_startproc\n\t"
        "stp x29, x30, [sp, #-224]!\n\t"
        ".cfi_def_cfa_offset 224\n\t.cfi_offset 29, -224\n\t.cfi_offset 30, -216\n\t"
        "mov x29, sp\n\t"
        "stp x0, x1, [sp, #16]\n\tstp x2, x3, [sp, #32]\n\tstp x4, x5, [sp, #48]\n\t"
        "stp x6, x7, [sp, #64]\n\tstr x8, [sp, #80]\n\t"
        "stp q0, q1, [sp, #96]\n\tstp q2, q3, [sp, #128]\n\t"
        "stp q4, q5, [sp, #160]\n\tstp q6, q7, [sp, #192]\n\t"
        "mov x0, x16\n\t"
        "bl tn_lazy_find\n\t"
        "mov x17, x0\n\t"
        "ldp x0, x1, [sp, #16]\n\tldp x2, x3, [sp, #32]\n\tldp x4, x5, [sp, #48]\n\t"
        "ldp x6, x7, [sp, #64]\n\tldr x8, [sp, #80]\n\t"
        "ldp q0, q1, [sp, #96]\n\tldp q2, q3, [sp, #128]\n\t"
        "ldp q4, q5, [sp, #160]\n\tldp q6, q7, [sp, #192]\n\t"
        "ldp x29, x30, [sp], #224\n\t"
        ".cfi_restore 29\n\t.cfi_restore 30\n\t.cfi_def_cfa_offset 0\n\t"
        "br x17\n\t"
        ".cfi_endproc\n"
        ".size tn_lazy_enter, . - tn_lazy_enter\n");
#endif
