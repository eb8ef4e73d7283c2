// SPDX-License-Identifier: MIT
//
// The matrices of the error recursions of generalized-alpha methods [ACB15, eq. 8 and 27].
//
//   recursion radius FILE.csv          spectral radius of T_+^-1 T_0 over rho_inf, and what is left
//                                      of (T_+^-1 T_0 + rho_inf)^3, zero for a threefold eigenvalue
//   recursion powers RHO N FILE.csv    norms of the powers, and these over n^2 rho^n
//   recursion null FILE.csv            spectral radius of the 2 x 2 matrices of (27) over gamma and
//                                      beta, beside the condition gamma > 1/2, beta > gamma/2

#include "linalg/dense.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3 }; // matrices are column major

typedef struct parameters {
    double alpha_m, alpha_f, beta, gamma;
} parameters;

static parameters chung_hulbert(double rho)
{
    const double alpha_m = (2.0 * rho - 1.0) / (rho + 1.0), alpha_f = rho / (rho + 1.0);
    const double gamma = 0.5 - alpha_m + alpha_f;
    return (parameters){alpha_m, alpha_f, 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma};
}

// T_0 becomes T_+^-1 T_0.
static void divide(int n, double *plus, double *zero)
{
    int pivot[N];
    if (tn_lu_factor(n, plus, pivot) != TN_OK)
        abort(); // beta > 0 and alpha_f < 1
    for (int j = 0; j < n; j++)
        tn_lu_solve(n, plus, pivot, zero + n * j);
}

static void iteration(double rho, double T[N * N])
{
    const parameters p = chung_hulbert(rho);
    double plus[N * N] = {
        0.0, 1.0, 0.0, 0.0, 0.0, 1.0 - p.alpha_f, -p.beta, -p.gamma, 1.0 - p.alpha_m};
    const double zero[N * N] = {1.0,        1.0,          0.0,           0.0,       0.0,
                                -p.alpha_f, 0.5 - p.beta, 1.0 - p.gamma, -p.alpha_m};
    memcpy(T, zero, sizeof zero);
    divide(N, plus, T);
}

static void multiply(const double *A, const double *B, double *C)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            C[i + N * j] = 0.0;
            for (int k = 0; k < N; k++)
                C[i + N * j] += A[i + N * k] * B[k + N * j];
        }
}

static double norm(int n, const double *A) // largest sum of a row
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += fabs(A[i + n * j]);
        most = fmax(most, sum);
    }
    return most;
}

static double radius(int n, const double *A)
{
    double copy[N * N], re[N], im[N], most = 0.0;
    tn_copy(n * n, A, copy);
    if (tn_eigen_general(n, copy, re, im, NULL) != TN_OK)
        abort();
    for (int i = 0; i < n; i++)
        most = fmax(most, hypot(re[i], im[i]));
    return most;
}

static void radii(FILE *out)
{
    fprintf(out, "rho_inf,radius,left\n");
    for (int k = 0; k <= 10; k++) {
        const double rho = 0.1 * k;
        double T[N * N], shifted[N * N], square[N * N], cube[N * N];
        iteration(rho, T);
        tn_copy(N * N, T, shifted);
        for (int i = 0; i < N; i++)
            shifted[i + N * i] += rho;
        multiply(shifted, shifted, square);
        multiply(square, shifted, cube);
        fprintf(out, "%.1f,%.10f,%.3e\n", rho, radius(N, T), norm(N, cube));
    }
}

static void powers(double rho, int most, FILE *out)
{
    double T[N * N], P[N * N] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, next[N * N];
    iteration(rho, T);
    fprintf(out, "n,norm,bound,ratio\n");
    for (int n = 1; n <= most; n++) {
        const double bound = (double)n * (double)n * pow(rho, n);
        multiply(T, P, next);
        memcpy(P, next, sizeof P);
        fprintf(out, "%d,%.10g,%.10g,%.10g\n", n, norm(N, P), bound, norm(N, P) / bound);
    }
}

static void null_space(FILE *out)
{
    fprintf(out, "gamma,beta,radius,condition,agrees\n");
    for (int i = 0; i <= 10; i++)
        for (int j = 0; j <= 10; j++) {
            const double gamma = 0.27 + 0.08 * i, beta = 0.11 + 0.06 * j; // on no border
            double plus[4] = {0.0, 1.0, -beta, -gamma}, T[4] = {1.0, 1.0, 0.5 - beta, 1.0 - gamma};
            const int condition = gamma > 0.5 && beta > 0.5 * gamma;
            divide(2, plus, T);
            const double r = radius(2, T);
            fprintf(out, "%.2f,%.2f,%.6f,%d,%d\n", gamma, beta, r, condition,
                    (r < 1.0) == condition);
        }
}

int main(int argc, char **argv)
{
    FILE *out = argc > 2 ? fopen(argv[argc - 1], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: recursion radius | powers RHO N | null, and a file to write to\n");
        return 1;
    }
    if (strcmp(argv[1], "radius") == 0)
        radii(out);
    else if (strcmp(argv[1], "powers") == 0 && argc == 5)
        powers(atof(argv[2]), atoi(argv[3]), out);
    else
        null_space(out);
    return fclose(out) == 0 ? 0 : 1;
}
