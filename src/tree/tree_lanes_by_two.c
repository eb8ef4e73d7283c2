// SPDX-License-Identifier: MIT
//
// Two lanes in a vector, which every machine has that Tenon is built for: NEON, SSE2.

#define LANE_WIDTH 2
#define LANE_FUNCTION tn_lanes_by_two
#define LANE_FLAT tn_lanes_flat_by_two
#define LANE_FEW tn_lanes_few_by_two
#define LANE_FEW_FLAT tn_lanes_few_flat_by_two
#include "tree/tree_lanes_kernel.h"
// Behind it, as they use the types of that one.
#include "tree/tree_lanes_few.h"
#include "tree/tree_lanes_few_flat.h"
