// SPDX-License-Identifier: MIT
//
// Distance of a configuration from one where the constraints lose rank: the smallest and the
// largest singular value of the active rows of C = (B; N), each row of unit length, and the rows
// that depend on each other there. In joint coordinates rows shrink as a whole: there each row is
// as long as it is against its largest entry so far.
//
//   C = U S V^T,     u_m^T C = s_m v_m^T ~ 0:    rows with a part in u_m
//
// v_m is the motion that becomes free.

#pragma once

#include "system/system.h"
#include "tenon/sim.h"

// Evaluates B and N at t, q, e, r of the point. Allocates. Large systems, of more than 10^6
// entries, are left alone: ratio is NAN and no rows are named.
tn_status tn_singular_find(tn_system *sys, const tn_point *at, const int *active,
                           tn_rank_margin *out);
// Finds if a drive cannot be followed in a position near to the point: there is no velocity with C
// v = -g_t. In other singular positions there is one. `part` is 1 where that is so, 0 where drives
// have no part in it or agree; `row` is that of the drive.
typedef struct tn_dead_end {
    double part;
    char row[160];
} tn_dead_end;
tn_status tn_singular_dead_end(tn_system *sys, const tn_point *at, const int *active,
                               tn_dead_end *out);
// "joint 'B1', row x and joint 'B3', row x"; "some of them" where no rows are known.
void tn_singular_text(const tn_rank_margin *m, char *text, size_t size);
