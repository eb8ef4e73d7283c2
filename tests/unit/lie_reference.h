// SPDX-License-Identifier: MIT
//
// What the tests of lie/ compare with: the exponential of a matrix in long double by its Taylor
// series with scaling and squaring, and the tangent operator from its definition as an integral.
// No closed form and no coefficient of the library is used.

#pragma once

#include "tenon/spatial.h"

#include <math.h>

enum { REF_MAX = 12 };

typedef struct ref_mat {
    int n;
    long double m[REF_MAX][REF_MAX];
} ref_mat;

static inline ref_mat ref_identity(int n)
{
    ref_mat A = {.n = n};
    for (int i = 0; i < n; i++)
        A.m[i][i] = 1.0L;
    return A;
}

static inline ref_mat ref_skew(tn_vec3 a)
{
    return (ref_mat){3, {{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

static inline ref_mat ref_scale(long double s, ref_mat A)
{
    for (int i = 0; i < A.n; i++)
        for (int j = 0; j < A.n; j++)
            A.m[i][j] *= s;
    return A;
}

static inline ref_mat ref_add(ref_mat A, ref_mat B)
{
    for (int i = 0; i < A.n; i++)
        for (int j = 0; j < A.n; j++)
            A.m[i][j] += B.m[i][j];
    return A;
}

static inline ref_mat ref_mul(ref_mat A, ref_mat B)
{
    ref_mat C = {.n = A.n};
    for (int i = 0; i < A.n; i++)
        for (int k = 0; k < A.n; k++)
            for (int j = 0; j < A.n && A.m[i][k] != 0.0L; j++) // block triangles: half is zero
                C.m[i][j] += A.m[i][k] * B.m[k][j];
    return C;
}

// (A B; 0 C), all n x n
static inline ref_mat ref_upper(ref_mat A, ref_mat B, ref_mat C)
{
    const int n = A.n;
    ref_mat M = {.n = 2 * n};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            M.m[i][j] = A.m[i][j];
            M.m[i][j + n] = B.m[i][j];
            M.m[i + n][j + n] = C.m[i][j];
        }
    return M;
}

static inline ref_mat ref_upper_right(ref_mat M)
{
    const int n = M.n / 2;
    ref_mat B = {.n = n};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            B.m[i][j] = M.m[i][j + n];
    return B;
}

static inline long double ref_norm(ref_mat A) // largest entry
{
    long double norm = 0.0L;
    for (int i = 0; i < A.n; i++)
        for (int j = 0; j < A.n; j++)
            norm = fmaxl(norm, fabsl(A.m[i][j]));
    return norm;
}

static inline ref_mat ref_exp(ref_mat A)
{
    int squarings = 0;
    for (long double norm = A.n * ref_norm(A); norm > 0.25L; norm *= 0.5L)
        squarings++;
    A = ref_scale(ldexpl(1.0L, -squarings), A);
    ref_mat term = ref_identity(A.n), sum = term;
    for (int k = 1; k <= 26; k++) { // 0.25^26 / 26! is below 1e-41
        term = ref_scale(1.0L / k, ref_mul(term, A));
        sum = ref_add(sum, term);
    }
    for (; squarings > 0; squarings--)
        sum = ref_mul(sum, sum);
    return sum;
}

// The tangent operator: the integral of exp(-s A) over s in [0, 1]. It is the upper right block of
// the exponential of (-A I; 0 0), as differentiating exp(s (-A I; 0 0)) shows.
static inline ref_mat ref_tangent(ref_mat A)
{
    const ref_mat zero = {.n = A.n};
    return ref_upper_right(ref_exp(ref_upper(ref_scale(-1.0L, A), ref_identity(A.n), zero)));
}

// The derivative of ref_tangent in the direction B, exact: a power series of (A B; 0 A) holds it in
// the upper right block.
static inline ref_mat ref_tangent_deriv(ref_mat A, ref_mat B)
{
    return ref_upper_right(ref_tangent(ref_upper(A, B, A)));
}

static inline ref_mat ref_inverse(ref_mat A) // Gauss-Jordan with row exchange
{
    ref_mat B = ref_identity(A.n);
    for (int k = 0; k < A.n; k++) {
        int p = k;
        for (int i = k + 1; i < A.n; i++)
            if (fabsl(A.m[i][k]) > fabsl(A.m[p][k]))
                p = i;
        for (int j = 0; j < A.n; j++) {
            const long double a = A.m[p][j], b = B.m[p][j];
            A.m[p][j] = A.m[k][j], B.m[p][j] = B.m[k][j];
            A.m[k][j] = a, B.m[k][j] = b;
        }
        const long double pivot = A.m[k][k];
        for (int j = 0; j < A.n; j++)
            A.m[k][j] /= pivot, B.m[k][j] /= pivot;
        for (int i = 0; i < A.n; i++) {
            const long double f = A.m[i][k];
            for (int j = 0; j < A.n && i != k; j++)
                A.m[i][j] -= f * A.m[k][j], B.m[i][j] -= f * B.m[k][j];
        }
    }
    return B;
}

// The largest deviation of the leading n x n entries of A (row length ld), relative to the largest
// entry of the reference.
static inline double ref_error(const double *A, int ld, ref_mat reference)
{
    long double error = 0.0L;
    for (int i = 0; i < reference.n; i++)
        for (int j = 0; j < reference.n; j++) {
            const long double e = fabsl(A[i * ld + j] - reference.m[i][j]);
            error = e <= error ? error : e; // lets NaN through
        }
    return (double)(error / ref_norm(reference));
}
