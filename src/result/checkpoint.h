// SPDX-License-Identifier: MIT
//
// The file from which a run goes on, result.checkpoint: what its writer says of the run, as JSON,
// and the state of the simulation (tn_sim_save), behind one checksum. It is replaced as a whole:
// the newest complete one is there at any time.

#pragma once

#include "file/document.h"

#define TN_CHECKPOINT_FILE "result.checkpoint"

typedef struct tn_checkpoint_data {
    tn_document *about;
    void *state; // NULL: none yet, the run begins anew
    size_t size;
} tn_checkpoint_data;

tn_status tn_checkpoint_write(const char *path, const char *about, const void *state, size_t size);
// TN_ERR_FILE with a sentence where there is none or where it is damaged.
tn_status tn_checkpoint_read(const char *path, tn_checkpoint_data *out);
void tn_checkpoint_free(tn_checkpoint_data *data);
