// SPDX-License-Identifier: MIT
//
// Linux tells in /proc/meminfo what can be had without swapping: free pages and what caches give
// back. Elsewhere the memory of the machine has to do.

#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static const double GB = 1e9;

double tn_memory_of_machine(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (double)pages * (double)size : INFINITY;
}

double tn_memory_left(void)
{
    char line[128];
    double available = -1.0, kilobytes;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && available < 0.0 && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1)
            available = 1024.0 * kilobytes;
    if (file)
        fclose(file);
    return available >= 0.0 ? available : tn_memory_of_machine();
}

tn_status tn_memory_fits(double need, double left, const char *format, ...)
{
    char what[512];
    va_list args;
    if (need <= left)
        return TN_OK;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return tn_fail(TN_ERR_MEMORY,
                   "%s about %.3g GB of memory, and %.3g GB can be had on this machine; end other "
                   "programs, or take fewer elements or a machine with more",
                   what, need / GB, left / GB);
}
