// SPDX-License-Identifier: MIT
//
// Functions that SuiteSparse takes its memory by. They are a struct before version 6, and behind
// functions since.

#pragma once

#include <SuiteSparse_config.h>
#include <stdlib.h>

static inline void set_sparse_memory(void *(*take)(size_t), void *(*take_zeroed)(size_t, size_t),
                                     void *(*resize)(void *, size_t))
{
#if SUITESPARSE_MAIN_VERSION >= 6
    SuiteSparse_config_malloc_func_set(take);
    SuiteSparse_config_calloc_func_set(take_zeroed);
    SuiteSparse_config_realloc_func_set(resize);
#else
    SuiteSparse_config.malloc_func = take;
    SuiteSparse_config.calloc_func = take_zeroed;
    SuiteSparse_config.realloc_func = resize;
#endif
}

static inline void set_standard_sparse_memory(void)
{
    set_sparse_memory(malloc, calloc, realloc);
}
