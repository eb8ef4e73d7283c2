// SPDX-License-Identifier: MIT
//
// Which root of an interval continues the motion. The end q1 lies where the ways q0 + h (u0 - M^-1
// A^T J) meet g = 0. A way that bends back meets it more than once: on a circle of radius 1 with
// momentum p at cos(turn) = +-sqrt(1 - h^2 p^2). The roots differ by what a change of J
// does to g at the end, the matrix B(q1) M^-1 A^T of the interval: it is positive definite for
// h -> 0, and on the way from there to another root it is singular once. The entry of each row
// on the diagonal is compared with the diagonal of M: where it is not positive the row has turned
// by more than a quarter of a turn since A was formed.

#include "integrator/march.h"

#include "linalg/dense.h"

// 0 for directions of thin bodies, which have no inertia; where round-off leaves them a little they
// rule their rows, and show their turn as well.
void tn_march_find_mobilities(tn_march *s, const tn_sparse *M)
{
    TN_ASSERT(M->nrow == M->ncol);
    for (int i = 0; i < M->ncol; i++) {
        const double m = tn_sparse_at(M, i, i);
        s->mobility[i] = m > 0.0 ? 1.0 / m : 0.0;
    }
}

// Products of all rows of A and B with the weights of the velocities, and without them.
static void multiply_march_root(const tn_sparse *B, const double *A, const double *mobility,
                                double *weighed, double *plain)
{
    for (int j = 0; j < B->ncol; j++)
        for (int k = B->colptr[j]; k < B->colptr[j + 1]; k++) {
            weighed[B->rowind[k]] += mobility[j] * A[k] * B->val[k];
            plain[B->rowind[k]] += A[k] * B->val[k];
        }
}

int tn_march_turned_row(tn_march *s, const tn_discrete *d)
{
    const tn_sparse *B = d->sys->block[TN_BLOCK_B];
    if (!B)
        return -1;
    double *weighed = s->f_d, *plain = s->h_d; // of a node, which is not reported yet
    tn_zero(d->sys->ng, weighed);
    tn_zero(d->sys->ng, plain);
    multiply_march_root(B, d->carry, s->mobility, weighed, plain);
    for (int i = 0; i < d->sys->ng; i++)
        if (d->active[i] && !(weighed[i] > 0.0) && !(weighed[i] == 0.0 && plain[i] > 0.0))
            return i;
    return -1;
}
