// SPDX-License-Identifier: MIT
//
// y >= 0 and u = W y + c >= 0, of each pair one zero, for some hundreds of unknowns: contacts
// without friction that are too many for the steps of tn_cone_solve. W is symmetric and may be
// singular; the solution is the least of y W y / 2 + c y on y >= 0.

#pragma once

typedef struct tn_bounded_problem {
    int n;
    const double *W; // n x n, positive semidefinite, its diagonal positive
    const double *c;
    double tol; // of max |min(W_ii y_i, u_i)|, relative to the largest |c|
    int most;   // products with W
} tn_bounded_problem;

// Doubles of its workspace.
static inline int tn_bounded_size(int n)
{
    return 7 * n;
}

// From y on, which becomes the solution, and u; what is left of the above, relative.
double tn_bounded_solve(const tn_bounded_problem *p, double *y, double *u, double *work);
