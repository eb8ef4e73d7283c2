// SPDX-License-Identifier: MIT
//
// The families of kinds that a model is made of, by their names: for the reader, help and schema.

#pragma once

typedef enum tn_family {
    TN_FAMILY_BODY,
    TN_FAMILY_JOINT, // with couplings
    TN_FAMILY_FORCE,
    TN_FAMILY_SHAPE,
    TN_FAMILY_BLOCK,
    TN_FAMILY_FUNCTION, // of time: own ones alone
    TN_FAMILY_COUNT
} tn_family;

const char *tn_family_name(tn_family family);         // "body"
const char *tn_kind_name(tn_family family, int kind); // "revolute"; NULL beyond the last
int tn_find_kind(tn_family family, const char *name); // -1 and an error with the nearest name
