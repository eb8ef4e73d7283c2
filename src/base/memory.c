// SPDX-License-Identifier: MIT
//
// Linux lists in /proc/meminfo the memory that is available without swapping: free pages and what
// caches give back. Elsewhere the memory of the machine has to do. Containers and services have
// limits of their own, those of their control group and of the groups that it is in.

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double GB = 1e9;

static double number_in(const char *folder, const char *name)
{
    char path[1024];
    double value;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    const bool found = file && fscanf(file, "%lf", &value) == 1; // "max": none
    if (file)
        fclose(file);
    return found ? value : INFINITY;
}

// The least of a group's folder and of all above it, up to the one that is `top` characters long.
static double limit_above(char *folder, size_t top, const char *name)
{
    double least = number_in(folder, name);
    while (strlen(folder) > top) {
        *strrchr(folder, '/') = '\0';
        least = fmin(least, number_in(folder, name));
    }
    return least;
}

// A line of `membership` is "0::/group", or "4:memory:/group" where each kind of limit has groups
// of its own. Within a container the group may be unknown, and the container is the root.
double tn_memory_limit(const char *membership, const char *groups)
{
    char line[512], folder[800];
    double least = INFINITY;
    FILE *file = fopen(membership, "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char *kind = strchr(line, ':'), *group = strchr(line, '/');
        const bool all = kind && !strncmp(kind, "::", 2), own = kind && strstr(kind, ":memory:");
        if (!group || !(all || own))
            continue;
        const int top = snprintf(folder, sizeof folder, "%s%s", groups, own ? "/memory" : "");
        snprintf(folder + top, sizeof folder - (size_t)top, "%s", strcmp(group, "/") ? group : "");
        least = fmin(
            least, limit_above(folder, (size_t)top, own ? "memory.limit_in_bytes" : "memory.max"));
    }
    if (file)
        fclose(file);
    return least;
}

double tn_memory_of_machine(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    const double all = pages > 0 && size > 0 ? (double)pages * (double)size : INFINITY;
    return fmin(all, tn_memory_limit("/proc/self/cgroup", "/sys/fs/cgroup"));
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
    const double all = tn_memory_of_machine();
    return available >= 0.0 ? fmin(available, all) : all;
}

tn_status tn_memory_fits(double need, double left, const char *format, ...)
{
    char what[512];
    if (need <= left)
        return TN_OK;
    TN_SENTENCE(what, format);
    return tn_fail(TN_ERR_MEMORY,
                   "%s about %.3g GB of memory, and %.3g GB can be had on this machine; end other "
                   "programs, or take fewer elements or a machine with more",
                   what, need / GB, left / GB);
}
