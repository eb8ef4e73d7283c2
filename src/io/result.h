// SPDX-License-Identifier: MIT
//
// What reports and motions read of results beside channels (tenon/result.h): the file is a list of
// datasets that grow along time.

#pragma once

#include "base/status.h"
#include "sim/channels.h"
#include "tenon/result.h"

typedef struct tn_result_dataset {
    const char *path; // "bodies/position"
    int width;        // numbers per row
} tn_result_dataset;

const char *tn_channel_group(const tn_quantity_kind *kind);      // "bodies", "energy", … or "run"
const char *tn_result_body(const tn_result *result, int body);   // name, from 0 without the ground
const char *tn_result_joint(const tn_result *result, int joint); // name
const char *tn_result_scene(const tn_result *result); // JSON of the scene, NULL when not stored
const char *tn_result_parameters(const tn_result *result); // JSON, {"k": 5}; NULL likewise
const char *tn_result_parts(const tn_result *result); // JSON, {"leg.yaml": "…"}; NULL likewise

// Whole datasets: n x width numbers.
const tn_result_dataset *tn_result_dataset_at(const tn_result *result, int dataset);
int tn_result_dataset_find(const tn_result *result, const char *path); // -1 when it is not there
tn_status tn_result_read_rows(tn_result *result, int dataset, long first, long n, double *out);
