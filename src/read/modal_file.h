// SPDX-License-Identifier: MIT
//
// Files of modal bodies, in HDF5; see docs/formats/modal.md. HDF5 works in a child process: damaged
// files end that one only.

#pragma once

#include "file/data_file.h"
#include "flex/modal.h"

#define TN_MODAL_VERSION 1

// Reads and checks a file. On failure *out is NULL and the sentence begins with the path.
tn_status tn_modal_read(const char *path, tn_modal **out);
// The same of a file that is open; the sentence is about what is in it.
tn_status tn_modal_take(tn_data_file *file, tn_modal **out);

// Writes a file, which appears when it is complete and replaces what was there.
tn_status tn_modal_write(const tn_modal *modal, const char *path);
