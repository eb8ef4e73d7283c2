// SPDX-License-Identifier: MIT
//
// Constrained systems with a mass matrix that is definite only where the constraints let it move
// [ACB15, section 4], by the steps of its proof of Lemma 1.
//
//   lemma1 MODEL FILE.csv      M, B, g and Z of a model in absolute coordinates, at its start
//   lemma1 euler FILE.csv      a body turned by four Euler parameters, which are no coordinates of
//                              Tenon: M = 4 E^T J E, B = e^T
//
// Rows of the file: sizes, the distance between both sides of (13), ranks of its blocks, the least
// eigenvalue of M* = M + B^T B, the distance of (10) with M* and g* from the solution of (9), and
// that of the multipliers without any acceleration from (17a).

#include "linalg/dense.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

enum { MOST = 24, AREA = MOST * MOST };

typedef struct problem {
    int k, m;                // velocities, constraints
    double M[AREA], B[AREA]; // column major, k x k and m x k
    double g[MOST], Z[MOST]; // M v' + B^T lambda = -g, B v' = -Z
    double a[MOST], l[MOST]; // v' and lambda by (9)
} problem;

static void need(tn_status s)
{
    if (s == TN_OK)
        return;
    fprintf(stderr, "lemma1: %s\n", tn_last_error());
    exit(1);
}

// C (m x n) = A (m x k) B (k x n), or A^T B with A (k x m).
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

static double off(int n, const double *A, const double *B)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(A[i] - B[i]));
    return most;
}

static void solve(int n, int columns, const double *A, double *b)
{
    static double copy[4 * AREA];
    int pivot[2 * MOST];
    tn_copy(n * n, A, copy);
    need(tn_lu_factor(n, copy, pivot));
    for (int j = 0; j < columns; j++)
        tn_lu_solve(n, copy, pivot, b + n * j);
}

// Two problems ------------------------------------------------------------------------------------

static void of_model(const char *path, problem *p)
{
    tn_model *model = NULL;
    tn_dynamics *dynamics = NULL;
    need(tn_model_load(path, &model, NULL));
    need(tn_dynamics_create(model, "absolute", &dynamics));
    p->k = tn_dynamics_nv(dynamics);
    p->m = tn_dynamics_rows(dynamics);
    if (p->k > MOST || p->m > MOST)
        need(TN_ERR_USAGE);
    need(tn_dynamics_mass_matrix(dynamics, p->M));
    need(tn_dynamics_constraints(dynamics, p->B, p->Z));
    need(tn_dynamics_forces(dynamics, p->g));
    tn_scale(p->k, -1.0, p->g);
    tn_scale(p->m, -1.0, p->Z);
    tn_dynamics_destroy(dynamics);
    tn_model_destroy(model);
}

// w = 2 E(e) e', T = w^T J w / 2, g = (e^T e - 1)/2: M e'' = -4 E(e')^T J w - e lambda.
static void euler_parameters(problem *p)
{
    const double e[4] = {0.8, 0.4, -0.2, 0.4}, w[3] = {1.5, -0.7, 2.0}, J[3] = {1.0, 1.0, 1.8};
    double rate[4] = {0};
    p->k = 4;
    p->m = 1;
    for (int pass = 0; pass < 2; pass++) { // first e', then what depends on it
        const double *x = pass == 0 ? e : rate;
        const double E[3][4] = {
            {-x[1], x[0], x[3], -x[2]}, {-x[2], -x[3], x[0], x[1]}, {-x[3], x[2], -x[1], x[0]}};
        for (int l = 0; l < 3; l++)
            for (int i = 0; i < 4; i++) {
                if (pass == 1)
                    p->g[i] += 4.0 * J[l] * w[l] * E[l][i];
                for (int j = 0; j < 4 && pass == 0; j++)
                    p->M[i + 4 * j] += 4.0 * J[l] * E[l][i] * E[l][j];
            }
        for (int l = 0; l < 3 && pass == 0; l++)
            tn_axpy(4, 0.5 * w[l], E[l], rate);
    }
    tn_copy(4, e, p->B);
    p->Z[0] = tn_dot(4, rate, rate);
}

// (9)
static void solve_directly(problem *p)
{
    static double A[4 * AREA];
    double b[2 * MOST];
    const int k = p->k, m = p->m, n = k + m;
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < k; i++)
            A[i + n * j] = p->M[i + k * j];
        for (int i = 0; i < m; i++)
            A[k + i + n * j] = A[j + n * (k + i)] = p->B[i + m * j];
        b[j] = -p->g[j];
    }
    for (int i = 0; i < m; i++)
        b[k + i] = -p->Z[i];
    solve(n, 1, A, b);
    tn_copy(k, b, p->a);
    tn_copy(m, b + k, p->l);
}

// (10) with M* = M + B^T B and g* = g + B^T Z -----------------------------------------------------

static void with_star(const problem *p, FILE *out)
{
    static double M[AREA], X[AREA], S[AREA];
    double g[MOST], l[MOST], a[MOST], w[MOST];
    const int k = p->k, m = p->m;
    multiply(k, m, k, true, p->B, p->B, M);
    tn_axpy(k * k, 1.0, p->M, M);
    multiply(k, m, 1, true, p->B, p->Z, g);
    tn_axpy(k, 1.0, p->g, g);
    for (int i = 0; i < m; i++) // X = M*^-1 B^T
        for (int j = 0; j < k; j++)
            X[j + k * i] = p->B[i + m * j];
    solve(k, m, M, X);
    solve(k, 1, M, g); // M*^-1 g*
    multiply(m, k, m, false, p->B, X, S);
    multiply(m, k, 1, false, p->B, g, l);
    for (int i = 0; i < m; i++)
        l[i] = p->Z[i] - l[i];
    solve(m, 1, S, l);
    multiply(k, m, 1, false, X, l, a);
    for (int i = 0; i < k; i++)
        a[i] = -g[i] - a[i];
    need(tn_eigen_symmetric(k, M, w));
    fprintf(out, "least eigenvalue of M*,%.10g\n", w[0]);
    fprintf(out, "accelerations of (10) off,%.3e\n", off(k, a, p->a));
    fprintf(out, "multipliers of (10) off,%.3e\n", off(m, l, p->l));
}

// Lemma 1 -----------------------------------------------------------------------------------------

static int rank(int m, int n, const double *A)
{
    static double copy[AREA], work[64 * MOST];
    double tau[MOST];
    int pivot[MOST] = {0};
    if (m == 0 || n == 0)
        return 0;
    tn_copy(m * n, A, copy);
    return tn_qr_rank(m, n, copy, 1e-10, pivot, tau, work, 64 * MOST);
}

// Q of (14), from B restricted to the null space of M: m x s with s = k - r columns.
static void choose_Q(int m, int s, const double *BN, double *Q)
{
    static double A[AREA], work[64 * MOST];
    double tau[MOST];
    tn_copy(m * s, BN, A);
    tn_qr_factor(m, s, A, tau, work, 64 * MOST);
    tn_zero(m * m, Q);
    for (int j = 0; j < m - s; j++) // Qbar (0; I)
        Q[s + j + m * j] = 1.0;
    for (int j = 0; j < s; j++) // Qbar (Rbar; 0)
        for (int i = 0; i <= j; i++)
            Q[i + m * (m - s + j)] = A[i + m * j];
    for (int j = 0; j < m; j++)
        tn_qr_apply(m, s, false, A, tau, Q + m * j, work);
}

static void decompose(const problem *p, FILE *out)
{
    static double V[AREA], BV[AREA], Q[AREA], C[AREA], U[AREA], L[AREA], X[AREA], Y[AREA];
    const int k = p->k, m = p->m;
    double w[MOST], scratch[MOST];
    int s = 0; // k - r
    tn_copy(k * k, p->M, V);
    need(tn_eigen_symmetric(k, V, w)); // increasing: the null space comes first
    while (s < k && w[s] < 1e-12 * w[k - 1])
        s++;
    const int r = k - s;
    multiply(m, k, k, false, p->B, V, BV);
    choose_Q(m, s, BV, Q);
    tn_copy(m * r, BV + m * s, C); // Q^-1 B Ubar: m - s rows of Bbar over s rows of Bbarbar
    solve(m, r, Q, C);
    tn_copy(k * k, V, U);
    for (int j = 0; j < s; j++) // U = (Ubarbar, Ubar) (I 0; Bbarbar^T I)
        for (int i = 0; i < r; i++)
            tn_axpy(k, C[m - s + j + m * i], V + k * (s + i), U + k * j);
    // M = U diag(0, Lambda) U^T, B = Q (0 Bbar; I 0) U^T
    tn_zero(k * k, L);
    for (int i = 0; i < r; i++)
        tn_copy(k, U + k * (s + i), L + k * (s + i));
    for (int i = 0; i < r; i++)
        tn_scale(k, w[s + i], L + k * (s + i));
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            X[j + k * i] = U[i + k * j]; // U^T
    multiply(k, k, k, false, L, X, Y);
    const double off_M = off(k * k, Y, p->M);
    tn_zero(m * k, L);
    for (int j = 0; j < s; j++)
        L[m - s + j + m * j] = 1.0;
    for (int j = 0; j < r; j++)
        for (int i = 0; i < m - s; i++)
            L[i + m * (s + j)] = C[i + m * j];
    multiply(m, m, k, false, Q, L, Y);
    multiply(m, k, k, false, Y, X, V);
    const double off_B = off(m * k, V, p->B);
    for (int j = 0; j < r; j++) // Bbar alone
        for (int i = 0; i < m - s; i++)
            Y[i + (m - s) * j] = C[i + m * j];
    fprintf(out, "k,%d\nm,%d\nr,%d\n", k, m, r);
    fprintf(out, "rank of B on the null space of M,%d\n", rank(m, s, BV));
    fprintf(out, "rank of Bbar,%d\nrank of U,%d\nrank of Q,%d\n", rank(m - s, r, Y), rank(k, k, U),
            rank(m, m, Q));
    fprintf(out, "(13) off,%.3e\n", fmax(off_M, off_B));
    // (17a): the last s entries of Q^T lambda are minus the first s of U^-1 g
    tn_copy(k, p->g, w);
    solve(k, 1, U, w);
    multiply(m, m, 1, true, Q, p->l, scratch);
    double most = 0.0;
    for (int i = 0; i < s; i++)
        most = fmax(most, fabs(scratch[m - s + i] + w[i]));
    fprintf(out, "(17a) off,%.3e\n", most);
}

int main(int argc, char **argv)
{
    static problem p;
    FILE *out = argc == 3 ? fopen(argv[2], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: lemma1 MODEL | euler, and a file to write to\n");
        return 1;
    }
    if (strcmp(argv[1], "euler") == 0)
        euler_parameters(&p);
    else
        of_model(argv[1], &p);
    solve_directly(&p);
    fprintf(out, "quantity,value\n");
    decompose(&p, out);
    with_star(&p, out);
    for (int i = 0; i < p.m; i++)
        fprintf(out, "lambda %d,%.10g\n", i + 1, p.l[i]);
    return fclose(out) == 0 ? 0 : 1;
}
