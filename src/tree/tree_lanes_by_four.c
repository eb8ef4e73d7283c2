// SPDX-License-Identifier: MIT
//
// Four lanes in a vector: AVX2 with products and sums in one instruction, which CMakeLists.txt
// switches on for this file alone. Machines are asked before it is called.

#include "tree/tree_lanes_parts.h"

#if defined(__x86_64__)
#define LANE_WIDTH 4
#define LANE_FUNCTION tn_lanes_by_four
#define LANE_FLAT tn_lanes_flat_by_four
#define LANE_FEW tn_lanes_few_by_four
#define LANE_FEW_FLAT tn_lanes_few_flat_by_four
#include "tree/tree_lanes_kernel.h"
// Behind it, as they use the types of that one.
#include "tree/tree_lanes_few.h"
#include "tree/tree_lanes_few_flat.h"
#endif
