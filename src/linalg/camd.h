// SPDX-License-Identifier: MIT
//
// Orders of elimination with constraints, by CAMD of SuiteSparse. These functions allocate.

#pragma once

#include "linalg/sparse.h"

// An order that keeps the fill of S + S^T low, in which the last `border` unknowns come last, and
// the entries of L and U by it; negative where there is no memory.
double tn_camd_order(const tn_sparse *S, int border, int *order);
