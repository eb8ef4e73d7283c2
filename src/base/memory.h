// SPDX-License-Identifier: MIT
//
// Reports the memory of the machine, so that a task that cannot fit fails before it begins: the
// system hands out more than it has, and ends a process that uses it.

#pragma once

#include "base/status.h"

double tn_memory_of_machine(void); // [bytes], or a limit below; INFINITY where that is not known
double tn_memory_left(void);       // memory that the system says is available now
// The least limit of the control groups [bytes] that a file like /proc/self/cgroup names, in a
// folder like /sys/fs/cgroup; INFINITY for none.
double tn_memory_limit(const char *membership, const char *groups);
// Fails where a need [bytes] is more than the memory left: "a simulation of 9 bodies needs about
// …".
tn_status tn_memory_fits(double need, double left, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
