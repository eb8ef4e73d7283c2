// SPDX-License-Identifier: MIT
//
// Bodies whose small mass or inertia makes steps collapse: light against their neighbours, and
// taking part in motions that are far faster than those of the others. The error of leaving the
// inertia out is of the order of the ratio [Arn13, eq. 3], what is gained may be a factor of
// hundreds.

#pragma once

#include "base/array.h"
#include "start/start.h"
#include "tenon/analysis.h"

typedef TN_ARRAY(tn_small_mass) tn_small_masses;

// One entry for each body, in their order. Allocates.
tn_status tn_small_mass_find(tn_start *start, const tn_model *model, tn_small_masses *out);
