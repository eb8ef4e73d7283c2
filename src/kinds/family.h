// SPDX-License-Identifier: MIT
//
// The registry of kinds, for the reader, help and schema: by their names, and by their numbers,
// built-in ones first, then those that programs have added. NULL where there is no such kind.

#pragma once

#include "model/block.h"
#include "model/body.h"
#include "model/force.h"
#include "model/joint.h"
#include "model/kind_lists.h"
#include "model/shape.h"
#include "tenon/extend.h"

const char *tn_kind_name(tn_family family, int kind); // "revolute"; NULL beyond the last
int tn_find_kind(tn_family family, const char *name); // -1 and an error with the nearest name

const tn_body_ops *tn_body_ops_of(int kind);
const tn_joint_ops *tn_joint_ops_of(int kind);
const tn_force_ops *tn_force_ops_of(int kind);
const tn_shape_ops *tn_shape_ops_of(int kind);
const tn_block_ops *tn_block_ops_of(int kind);
const tn_own_function *tn_own_function_table(int kind); // counted from 1

enum { TN_OWN_MOST = 64 }; // kinds of a family that programs add

// The kinds of a family that were added, from 0 on; NULL behind the last one.
const void *tn_own_at(tn_family family, int i);
int tn_own_count(tn_family family);
// Puts a finished kind, which begins with its name, at the end of its family, or frees it where the
// name is taken. *number is its place among the own ones.
tn_status tn_own_push(tn_family family, void *kind, int *number);
