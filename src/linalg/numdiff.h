// SPDX-License-Identifier: MIT
//
// Difference quotients: for user callbacks without Jacobians, and for the tests of tangents.

#pragma once

#include "base/status.h"

// y = F(x) for x of length n and y of length m.
typedef tn_status (*tn_vector_function)(void *user, const double *x, double *y);

// J (m x n, column major) by central differences of order two; work holds 2 m + n doubles. `scale`
// (n numbers, NULL for 1) gives the typical size of each x. F may return a retry status.
tn_status tn_numdiff(tn_vector_function F, void *user, int n, int m, const double *x,
                     const double *scale, double *J, double *work);
