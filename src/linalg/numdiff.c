// SPDX-License-Identifier: MIT
//
// Central differences, column by column:
//
//   dF/dx_j = (F(x + d e_j) - F(x - d e_j)) / (2 d) + O(d^2),    d = eps^(1/3) max(|x_j|, scale_j)
//
// The step balances the truncation error d^2 against the rounding error eps / d; about ten of the
// sixteen digits of a smooth F remain.

#include "linalg/numdiff.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>

tn_status tn_numdiff(tn_vector_function F, void *user, int n, int m, const double *x,
                     const double *scale, double *J, double *work)
{
    double *above = work, *below = work + m, *at = work + 2 * (size_t)m;
    const double relative = cbrt(DBL_EPSILON);

    tn_copy(n, x, at);
    for (int j = 0; j < n; j++) {
        const double size = scale ? fabs(scale[j]) : 1.0;
        const double d = relative * fmax(fabs(x[j]), size > 0.0 ? size : 1.0);
        const double high = x[j] + d, low = x[j] - d; // as rounded, so is their distance
        at[j] = high;
        TN_TRY(F(user, at, above));
        at[j] = low;
        TN_TRY(F(user, at, below));
        at[j] = x[j];
        for (int i = 0; i < m; i++)
            J[i + (size_t)j * (size_t)m] = (above[i] - below[i]) / (high - low);
    }
    return TN_OK;
}
