// SPDX-License-Identifier: MIT
//
// Users' forces and extra equations that use multipliers which the equations do not determine. With
// C^T z = 0 the multipliers lambda and lambda + z are the same reactions on the bodies [Arn16,
// section 2.3]: functions that differ for the two give a motion that depends on which row was left
// out.

#pragma once

#include "analysis/start.h"

// TN_ERR_MODEL with the rows where f, c', b or h changes along such a z.
tn_status tn_unique_judge(tn_start *start);
