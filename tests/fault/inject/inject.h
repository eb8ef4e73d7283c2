// SPDX-License-Identifier: MIT
//
// What inject.c and sweep.c of the library for injected faults share.

#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TN_INJECT_MOST = 1 << 22 }; // calls whose stacks are recorded

typedef int tn_main(int argc, char **argv, char **envp);

// From now on the n-th call of this kind fails, n = 0 for none, or the first with this stack, 0 for
// none; all counts begin anew.
void tn_inject_choose(const char *kind, long n, uint64_t stack);
void tn_inject_arm(bool on);
long tn_inject_count(const char *kind); // calls since then, in this process and its children

// The stacks of calls of the chosen kind, as numbers: of all calls while they are recorded, by the
// number of the call from one on, and of the one that failed last, 0 for none.
void tn_inject_record(bool on);
const uint64_t *tn_inject_stacks(void);
uint64_t tn_inject_failed(void);

// Runs the program once for each call; returns its exit code.
int tn_sweep(tn_main *program, int argc, char **argv, char **envp);
