// SPDX-License-Identifier: MIT
//
// Parts of results that reports and motions read beside channels (tenon/result.h): the file is a
// list of datasets that grow along time.

#pragma once

#include "base/status.h"
#include "sim/channels.h"
#include "tenon/result.h"

const char *tn_channel_group(const tn_quantity_kind *kind);      // "bodies", "energy", … or "run"
const char *tn_result_body(const tn_result *result, int body);   // name, from 0 without the ground
const char *tn_result_joint(const tn_result *result, int joint); // name
const char *tn_result_parameters(const tn_result *result);       // JSON, {"k": 5}; NULL likewise
const char *tn_result_parts(const tn_result *result); // JSON, {"leg.yaml": "…"}; NULL likewise
// Adds a sentence to the warnings.
tn_status tn_result_warn(tn_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
