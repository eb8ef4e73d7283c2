// SPDX-License-Identifier: MIT
//
// The recursion with pseudo-inverses [Arn13, sections 3 and 4, appendix A].
//
//   formalism points FILE.csv      the condensed mass matrix (17a) of point i in both parts of
//                                  Fig. 3, over masses m_i, with the rank r_i of J^T M J
//   formalism lemmas N FILE.csv    Lemmas 1, 2 and 3 and (A2) on N random matrices of all ranks:
//                                  the largest violation of each

#include "linalg/dense.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 6, AREA = D * D }; // matrices are column major, with their own number of rows

static void must(tn_status s)
{
    if (s != TN_OK)
        abort(); // small matrices of moderate numbers
}

// C (m x n) = A B, or A^T B.
static void multiply(int m, int k, int n, bool transposed, const double *A, const double *B,
                     double *C)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int l = 0; l < k; l++)
                sum += (transposed ? A[l + k * i] : A[i + m * l]) * B[l + k * j];
            C[i + m * j] = sum;
        }
}

static double largest(int n, const double *A)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(A[i]));
    return most;
}

// X f(Lambda) X^T of a symmetric, positive semi-definite A; eigenvalues below 1e-10 of the largest
// count as zero. (A1) with f = 1/lambda, and the square root. Returns the rank.
typedef enum kind { PSEUDO_INVERSE, ROOT } kind;

static int function_of(int n, kind what, const double *A, double *out)
{
    double X[AREA], Y[AREA], w[D];
    int rank = 0;
    tn_copy(n * n, A, X);
    must(tn_eigen_symmetric(n, X, w));
    for (int j = 0; j < n; j++) {
        const bool counts = w[j] > 1e-10 * fmax(w[n - 1], 1e-300);
        rank += counts;
        for (int i = 0; i < n; i++)
            Y[j + n * i] = counts ? X[i + n * j] * (what == ROOT ? sqrt(w[j]) : 1.0 / w[j]) : 0.0;
    }
    multiply(n, n, n, false, X, Y, out);
    return rank;
}

// M - M J (J^T M J)^+ J^T M, and the rank of J^T M J.
static int condense(int d, int n, const double *M, const double *J, double *out)
{
    double MJ[AREA], A[AREA], P[AREA], Q[AREA], T[AREA];
    multiply(d, d, n, false, M, J, MJ);
    multiply(n, d, n, true, J, MJ, A);
    const int rank = function_of(n, PSEUDO_INVERSE, A, P);
    multiply(d, n, n, false, MJ, P, Q);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < n; j++)
            T[j + n * i] = MJ[i + d * j];
    multiply(d, n, d, false, Q, T, out);
    for (int i = 0; i < d * d; i++)
        out[i] = M[i] - out[i];
    return rank;
}

// The two configurations --------------------------------------------------------------------------

// M_i of (17a) with K = I, H = -I: m_i I + what body j leaves behind its joint.
static void write_configuration(FILE *out, const char *name, int freedoms, double mi, double mj)
{
    const double Mj[4] = {mj, 0.0, 0.0, mj};
    const double both[4] = {-1.0, 0.0, 0.0, -1.0}, along_y[2] = {0.0, -1.0};
    double left[4], A[4], P[4];
    condense(2, freedoms, Mj, freedoms == 2 ? both : along_y, left);
    left[0] += mi;
    left[3] += mi;
    multiply(2, 2, 2, true, both, left, A);
    multiply(2, 2, 2, false, A, both, P); // J_i^T M_i J_i with J_i = -I
    double pseudo[4];
    fprintf(out, "%s %g,%g,%g,%g,%d\n", name, mi, left[0], left[1], left[3],
            function_of(2, PSEUDO_INVERSE, P, pseudo));
}

static void points(FILE *out)
{
    static const double masses[] = {0.5, 0.01, 0.0};
    fprintf(out, "configuration,xx,xy,yy,rank\n");
    for (int k = 0; k < 3; k++) {
        write_configuration(out, "upper", 2, masses[k], 2.0);
        write_configuration(out, "lower", 1, masses[k], 2.0);
    }
}

// The lemmas of the appendix ----------------------------------------------------------------------

static double uniform(void) // in (-1, 1)
{
    static unsigned long long x = 88172645463325252ULL; // xorshift
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (double)(x >> 11) / 4503599627370496.0 - 1.0;
}

static void random_matrix(int n, double *A)
{
    for (int i = 0; i < n; i++)
        A[i] = uniform();
}

// Matrices that share eigenvectors X, so that ranks are told from round-off: semi-definite ones
// with eigenvalues of about one in some directions and none in the others; J = (columns of X) R.
static void random_basis(int d, double *X)
{
    double A[AREA], w[D];
    random_matrix(d * d, A);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            X[i + d * j] = A[i + d * j] + A[j + d * i];
    must(tn_eigen_symmetric(d, X, w));
}

static void random_semidefinite(int d, const double *X, double part, double *A)
{
    double Y[AREA];
    for (int j = 0; j < d; j++) {
        const double w = uniform() < part ? 1.0 + 0.5 * uniform() : 0.0;
        for (int i = 0; i < d; i++)
            Y[j + d * i] = w * X[i + d * j];
    }
    multiply(d, d, d, false, X, Y, A);
}

static void random_joint(int d, int n, const double *X, double *J)
{
    double R[AREA];
    random_matrix(n * n, R);
    tn_scale(n * n, 0.3, R);
    for (int i = 0; i < n; i++)
        R[i + n * i] += 1.0;
    multiply(d, n, n, false, X, R, J);
}

// Least eigenvalue of the matrix of Lemma 1, where negative, and how unsymmetric it is.
static double lemma1(int d, int n, const double *X0, const double *M)
{
    double H[AREA], J[AREA], K[AREA], left[AREA], X[AREA], Y[AREA], w[D], off = 0.0;
    int pivot[D];
    random_matrix(d * d, H);
    random_joint(d, n, X0, J);
    random_matrix(d * d, K);
    for (int i = 0; i < d; i++)
        K[i + d * i] += 4.0; // regular
    condense(d, n, M, J, left);
    must(tn_lu_factor(d, K, pivot));
    for (int i = 0; i < d; i++) { // X = H K^-1, row by row: K^T x = h
        double row[D];
        for (int j = 0; j < d; j++)
            row[j] = H[i + d * j];
        tn_lu_solve_t(d, K, pivot, row);
        for (int j = 0; j < d; j++)
            X[i + d * j] = row[j];
    }
    multiply(d, d, d, false, left, X, Y);
    multiply(d, d, d, true, X, Y, left);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            off = fmax(off, fabs(left[i + d * j] - left[j + d * i]));
    must(tn_eigen_symmetric(d, left, w));
    return fmax(off, fmax(0.0, -w[0]));
}

// B J (I - (C^T C)^+ C^T C) for a C with these products; zero for B = C (Lemma 2a) and for parts
// B_j of which C^T C is the sum (Lemma 3).
static double killed(int d, int n, const double *BJ, const double *CtC)
{
    double P[AREA], Q[AREA], out[AREA];
    function_of(n, PSEUDO_INVERSE, CtC, P);
    multiply(n, n, n, false, P, CtC, Q);
    for (int i = 0; i < n * n; i++)
        Q[i] = (i % (n + 1) == 0 ? 1.0 : 0.0) - Q[i];
    multiply(d, n, n, false, BJ, Q, out);
    return largest(d * n, out);
}

static double lemma2(int d, int n, const double *X, const double *M)
{
    double J[AREA], root[AREA], C[AREA], CtC[AREA];
    random_joint(d, n, X, J);
    function_of(d, ROOT, M, root);
    multiply(d, d, n, false, root, J, C);
    multiply(n, d, n, true, C, C, CtC);
    return killed(d, n, C, CtC); // (b) is the transpose of (a)
}

static double lemma3(int d, int n, const double *X)
{
    enum { PARTS = 3 };
    double B[PARTS][AREA], A[AREA], J[AREA], sum[AREA] = {0}, SJ[AREA], CtC[AREA], BJ[AREA];
    double most = 0.0;
    random_joint(d, n, X, J);
    for (int k = 0; k < PARTS; k++) {
        random_semidefinite(d, X, -0.4, B[k]);
        multiply(d, d, d, true, B[k], B[k], A);
        tn_axpy(d * d, 1.0, A, sum);
    }
    multiply(d, d, n, false, sum, J, SJ);
    multiply(n, d, n, true, J, SJ, CtC);
    for (int k = 0; k < PARTS; k++) {
        multiply(d, d, n, false, B[k], J, BJ);
        most = fmax(most, killed(d, n, BJ, CtC));
    }
    return most;
}

// A A^+ A = A
static double a2(int d, const double *M)
{
    double P[AREA], X[AREA], Y[AREA];
    function_of(d, PSEUDO_INVERSE, M, P);
    multiply(d, d, d, false, M, P, X);
    multiply(d, d, d, false, X, M, Y);
    tn_axpy(d * d, -1.0, M, Y);
    return largest(d * d, Y);
}

static void lemmas(int count, FILE *out)
{
    double worst[4] = {0};
    int deficient = 0;
    for (int k = 0; k < count; k++) {
        const int d = 2 + k % (D - 1), n = 1 + k / 5 % d;
        double X[AREA], M[AREA], P[AREA];
        random_basis(d, X);
        random_semidefinite(d, X, 0.0, M);
        deficient += function_of(d, ROOT, M, P) < d;
        worst[0] = fmax(worst[0], lemma1(d, n, X, M));
        worst[1] = fmax(worst[1], lemma2(d, n, X, M));
        worst[2] = fmax(worst[2], lemma3(d, n, X));
        worst[3] = fmax(worst[3], a2(d, M));
    }
    fprintf(out, "statement,violation\nLemma 1,%.3e\nLemma 2,%.3e\nLemma 3,%.3e\n(A2),%.3e\n",
            worst[0], worst[1], worst[2], worst[3]);
    fprintf(out, "rank-deficient,%d\n", deficient);
}

int main(int argc, char **argv)
{
    FILE *out = argc > 2 ? fopen(argv[argc - 1], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: formalism points | lemmas N, and a file to write to\n");
        return 1;
    }
    if (strcmp(argv[1], "points") == 0)
        points(out);
    else
        lemmas(argc == 4 ? atoi(argv[2]) : 100, out);
    return fclose(out) == 0 ? 0 : 1;
}
