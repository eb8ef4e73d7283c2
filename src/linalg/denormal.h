// SPDX-License-Identifier: MIT
//
// Norms by OpenBLAS 0.3.21 on aarch64 are NaN for vectors with some denormal number in them, which
// damped motions leave in constraints, or products of small entries. While orthogonal
// factorisations are at work such numbers are zeros there: bit 24 of the control register.

#pragma once

#include <stdint.h>

#if defined(__aarch64__)
static inline uint64_t tn_flush_denormals(void) // returns what to restore
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | (UINT64_C(1) << 24)) : "memory");
    return control;
}

static inline void tn_keep_denormals(uint64_t control)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory");
}
#else
static inline uint64_t tn_flush_denormals(void)
{
    return 0;
}

static inline void tn_keep_denormals(uint64_t control)
{
}
#endif
