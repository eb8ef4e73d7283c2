// SPDX-License-Identifier: MIT
//
// Files that Tenon writes. They appear under their name when they are complete, so that a reader
// never sees half of one and the old file stays when writing fails. Only plain files are replaced:
// a device, a pipe or a link may lead to something else than its name says.

#pragma once

#include "text/buffer.h"

#include <stdio.h>

// Fails when something stands at the path that is no plain file; nothing there is fine.
tn_status tn_target_check(const char *path);
// Fails with TN_ERR_USAGE when anything stands at the path; --force is said to replace it.
tn_status tn_target_check_free(const char *path);

typedef struct tn_target {
    FILE *file; // to write to
    char *path, *part;
    bool named; // the unfinished file is at `part`, not nameless
} tn_target;

// "-" is the standard output. Failures have status TN_ERR_FILE and name the path.
tn_status tn_target_open(const char *path, tn_target *out);
tn_status tn_target_put(tn_target *target, const void *bytes, size_t n);
// Completes the file when `status` is TN_OK, else leaves nothing; returns the status or a failure.
tn_status tn_target_close(tn_target *target, tn_status status);
// All of it at once.
tn_status tn_target_write(const char *path, const char *text, size_t length);
// Writes a text, which errors call `what` where memory was short, unless `s` is a failure; its
// memory is given back.
tn_status tn_target_finish(tn_status s, const char *path, tn_buffer *text, const char *what);

// A whole file of at most `most` bytes, ended by a zero. Free the text, also after a failure.
tn_status tn_file_read(const char *path, size_t most, char **text, size_t *length);

// "fourbar.results" for a/fourbar.yaml and "results", in the working folder.
char *tn_folder_named(const char *path, const char *ending); // tn_free it

// A folder that one process at a time may write to. *fd is -1 where the file system knows no locks.
tn_status tn_folder_lock(const char *directory, int *fd);
void tn_folder_unlock(int fd);
bool tn_folder_is_locked(const char *directory); // by whomever

// Makes the folders above a folder; a failure shows when that is made.
tn_status tn_folder_parents(const char *directory);
// A file in it, all at once.
tn_status tn_folder_write(const char *directory, const char *name, const char *text);
// Returns true if it holds a file of this name. Allocates nothing.
bool tn_folder_has(const char *directory, const char *name);
