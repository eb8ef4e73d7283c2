// SPDX-License-Identifier: MIT

#include "linalg/zsolver.h"

static void swap_rows(int n, double complex *a, double complex *b)
{
    for (int i = 0; i < n; i++) {
        const double complex x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

bool tn_gauss_jordan(int n, int ld, bool sized, double complex *X)
{
    TN_ASSERT(n > 0 && ld >= (sized ? 3 : 2) * n);
    for (int j = 0; j < n; j++) {
        double complex *row = X + ld * j, *best = row;
        for (double complex *other = row; other < X + ld * n; other += ld) {
            const double mine = sized ? creal(other[2 * n + j]) : 1.0;
            const double its = sized ? creal(best[2 * n + j]) : 1.0;
            if (cabs(other[j]) * its > cabs(best[j]) * mine)
                best = other;
        }
        if (!(cabs(best[j]) > (sized ? creal(best[2 * n + j]) : 0.0)))
            return false;
        swap_rows((sized ? 3 : 2) * n, row, best);
        const double complex inverse = 1.0 / row[j];
        for (int m = 0; m < 2 * n; m++)
            row[m] *= inverse;
        for (double complex *other = X; other < X + ld * n; other += ld) {
            const double complex factor = other[j];
            for (int m = 0; m < 2 * n && other != row; m++)
                other[m] -= factor * row[m];
        }
    }
    return true;
}
