// SPDX-License-Identifier: MIT
//
// Tasks on several cores. Threads live as long as one call: their tasks last far longer than the 20
// µs that it takes to start one, and a program without such tasks has none.

#pragma once

int tn_processors(void); // that are switched on, at least 1

// Calls task(user, k) for k = 0 … count - 1, each once, from up to `threads` threads, the calling
// one among them, in any order but each thread in that of k; 0 threads: one for each processor.
// Returns when all are done. If the system has no thread to give, fewer work. A task saves the text
// of its errors by itself: tn_last_error is the thread's.
void tn_workers_run(int threads, int count, void (*task)(void *user, int k), void *user);
