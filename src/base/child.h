// SPDX-License-Identifier: MIT
//
// Work in a process of its own: a library that crashes or never ends under damaged files, full
// disks or short memory takes the child along, not the caller, who gets a sentence instead.

#pragma once

#include "base/status.h"

#include <sys/types.h>

typedef struct tn_child {
    pid_t pid;  // 0 when there is none
    int socket; // both sides send and receive on theirs
} tn_child;

// Runs `work` in a copy of this process; it talks over the socket and never returns to the caller.
// The copy has no other open file of the caller, and is to end when it receives no more: the caller
// has ended then.
tn_status tn_child_start(void (*work)(int socket, void *user), void *user, tn_child *out);

// Makes bytes in a child: a function that allocates them, or fails with a sentence, which is then
// one of the caller.
typedef tn_status (*tn_child_make)(void *user, char **bytes, size_t *size);

typedef struct tn_child_terms {
    const char *who; // the library that a report of a crash names
    double patience; // wall time until it is given up on [s]; 0: never
    int seconds;     // of work until it is ended; 0: any
    bool (*give_up)(
        void *asked); // asked twenty times a second, ends it with TN_ERR_STOPPED; or NULL
    void *asked;
} tn_child_terms;

// The child ends with the thread that waits for it.
tn_status tn_child_take(tn_child_make make, void *user, const tn_child_terms *terms, char **bytes,
                        size_t *size);

// All n bytes, or false when the other side is gone.
bool tn_child_send(int socket, const void *bytes, size_t n);
bool tn_child_receive(int socket, void *bytes, size_t n);
// Waits until there is something to receive or the child is gone; fails when its caller wants to
// wait no longer.
tn_status tn_child_await(const tn_child *child, const tn_child_terms *terms);

// In the child: working for longer than this without a call ends it, in loops of its own or of the
// system. Waiting for the disk or the other side does not count.
void tn_child_allow(int seconds);

// Ends and forgets the child; one that was waiting for us ends by itself. Puts the way it ended
// into `how` (may be NULL): "" when it left in order, else for example "crashed (signal 11)".
void tn_child_end(tn_child *child, bool kill_it, char *how, size_t size);
