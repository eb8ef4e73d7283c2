// SPDX-License-Identifier: MIT
//
// Wall time, for ledgers, progress and flushing: it runs on evenly when the clock of the day is
// set.

#pragma once

#include <time.h>

static inline double tn_wall_time(void) // [s] from some moment in the past
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
