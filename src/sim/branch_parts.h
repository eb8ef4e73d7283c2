// SPDX-License-Identifier: MIT
//
// What the files of branch.c share.

#pragma once

#include "analysis/singular.h"
#include "sim/sim.h"

// The smallest eigenvalue of C M^-1 C^T at a state, 0 where that is singular. The motion x that
// becomes free is left in sim->scratch, the rows y that become dependent in sim->rows.
tn_status tn_branch_eigenvalue(tn_sim *sim, const tn_state *state, double *out);
// At the end of a step: fails where it has jumped to another branch; else *value is the smallest
// eigenvalue there.
tn_status tn_branch_look(tn_sim *sim, double *value);
