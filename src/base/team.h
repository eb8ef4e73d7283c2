// SPDX-License-Identifier: MIT
//
// A team: threads of a simulation for the loops of its steps. To start a loop on them and to wait
// for its end takes one to two microseconds while they are awake; they poll for the next one for
// some tens of microseconds, then sleep.
//
// Functions deep in a step do not know whose step it is. So a team is joined by the thread that
// steps, and loops are handed to the team that their thread has joined, or done by the thread
// itself where it has joined none. Loops within tasks are done by the thread of the task.
//
// A loop must compute the same whoever has done which part: each task writes what no other one
// reads or writes, and sums over tasks are taken in their order afterwards. The size of a loop
// fixes its parts, never the number of threads.

#pragma once

#include "base/status.h"

typedef struct tn_team tn_team;

enum { TN_TEAM_MOST = 256 }; // threads

// A team of so many threads, the one that steps included: a team of one does its loops itself. If
// the system has fewer threads to give, fewer work.
tn_status tn_team_create(int threads, tn_team **out);
void tn_team_destroy(tn_team *team); // NULL is fine

// The calling thread hands its loops to this team (NULL: to none) from now on. Returns the one that
// it had joined: give it back when the work is done.
tn_team *tn_team_join(tn_team *team);

// Calls task(user, k) for k = 0 … count - 1, each once, in any order and on any thread; returns
// when all are done. Tasks leave no errors behind: tn_last_error is the thread's.
void tn_team_run(int count, void (*task)(void *user, int k), void *user);

// For loops whose things have nothing to do with each other, so that their parts do not matter:
// calls body(user, begin, end) for parts of 0 … n - 1 of at least `least` things each, in the same
// way; how many parts there are is fixed by n.
void tn_team_loop(int n, int least, void (*body)(void *user, int begin, int end), void *user);

// Part k of n things that are split into `parts` of like size: from *begin to *end - 1.
static inline void tn_team_part(int n, int parts, int k, int *begin, int *end)
{
    *begin = (int)((long long)n * k / parts);
    *end = (int)((long long)n * (k + 1) / parts);
}

// In how many parts a loop over n things of a vector or a matrix is done: fixed by n alone. One for
// loops that are over before a team could be asked.
static inline int tn_team_parts(int n, int least)
{
    enum { MOST = 32 };
    const int parts = n / least;
    return parts < 1 ? 1 : parts < MOST ? parts : MOST;
}
