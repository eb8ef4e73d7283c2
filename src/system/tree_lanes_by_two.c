// SPDX-License-Identifier: MIT
//
// Two lanes in a vector, which every machine has that Tenon is built for: NEON, SSE2.

#define LANE_WIDTH 2
#define LANE_FUNCTION tn_lanes_by_two
#define LANE_FLAT tn_lanes_flat_by_two
#include "system/tree_lanes_kernel.h"
// Behind it, as it uses the types of that one.
#include "system/tree_lanes_flat.h"
