// SPDX-License-Identifier: MIT
//
// What inject.c and sweep.c of the library for injected faults share.

#pragma once

#include <stdbool.h>

typedef int tn_main(int argc, char **argv, char **envp);

// From now on the n-th call of this kind fails, n = 0 for none; all counts begin anew.
void tn_inject_choose(const char *kind, long n);
void tn_inject_arm(bool on);
long tn_inject_count(const char *kind); // calls since then, in this process and its children

// Runs the program once for each call; returns its exit code.
int tn_sweep(tn_main *program, int argc, char **argv, char **envp);
