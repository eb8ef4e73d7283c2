// SPDX-License-Identifier: MIT
//
// The mixed coordinate formulation of a tree [Arn16, section 3.3, Example 7, Fig. 9]: accelerations
// p'' of all bodies and q'' of all joints and the multipliers mu follow from the equilibrium of
// each body (50), the joint equations on acceleration level (48) and J^T mu = 0 (51). With p_i =
// r_i(p_pi, q_i), K_i = I, -H_i moves body i along with its predecessor and -J_i spans what the
// joint leaves free. The matrix (18) of this system is made here from masses and constraint rows
// that Tenon has of a model, once as it stands and once in the order of the tree, and solved by
// block elimination from the leaves to the root.
//
//     fig9 MODEL
//
// The model rests at its start, bodies are turned as the inertial frame, joint i carries body i and
// bodies come after those that carry them. Writes blocks.csv (what body each diagonal block is of,
// its size and entries) and numbers.csv. The picture is that of `tenon check --pattern`.

#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 8, D = 6, MOST = 18 * BODIES };

typedef struct link {
    int parent;   // -1: the ground
    int freedoms; // of its joint
    int at;       // of its block in the order of the tree
    double M[D][D], H[D][D], J[D][D];
} link;

static link links[BODIES];
static int n, size;                              // bodies, unknowns
static double A[MOST][MOST], rhs[MOST], x[MOST]; // in the order of the tree
static int place[MOST];                          // in that order of unknown i of (p'', q'', mu)

static void fail(const char *what)
{
    fprintf(stderr, "fig9: %s %s\n", what, tn_last_error());
    exit(1);
}

static void check(tn_status status)
{
    if (status != TN_OK)
        fail("");
}

// A basis of the null space of `rows` x 6 rows by Gauss-Jordan elimination, as columns of J.
static int null_space(int rows, double R[D][D], double J[D][D])
{
    bool pivot[D] = {false};
    int of[D], rank = 0;
    for (int c = 0; c < D && rank < rows; c++) {
        int best = rank;
        for (int i = rank; i < rows; i++)
            best = fabs(R[i][c]) > fabs(R[best][c]) ? i : best;
        if (fabs(R[best][c]) < 1e-12)
            continue;
        for (int j = 0; j < D; j++) {
            const double t = R[best][j];
            R[best][j] = R[rank][j];
            R[rank][j] = t;
        }
        for (int j = D - 1; j >= 0; j--)
            R[rank][j] /= j == c ? 1.0 : R[rank][c];
        R[rank][c] = 1.0;
        for (int i = 0; i < rows; i++) {
            const double f = i == rank ? 0.0 : R[i][c];
            for (int j = 0; j < D; j++)
                R[i][j] -= f * R[rank][j];
        }
        pivot[c] = true;
        of[rank++] = c;
    }
    int count = 0;
    for (int c = 0; c < D; c++) {
        if (pivot[c])
            continue;
        for (int i = 0; i < D; i++)
            J[i][count] = i == c;
        for (int i = 0; i < rank; i++)
            J[of[i]][count] = -R[i][c];
        count++;
    }
    return count;
}

// H = -(1, -r~; 0, 1): what the body has of its predecessor's motion, r from there to it.
static void put_arm(link *k, tn_vec3 r)
{
    const double cross[3][3] = {{0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}};
    for (int i = 0; i < D; i++)
        k->H[i][i] = -1.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            k->H[i][3 + j] = cross[i][j];
}

// Joint j is what its rows of G are: those of body j and of the one that carries it.
static void read_joint(const tn_model *model, tn_dynamics *world, const double *G, int j, int first)
{
    link *k = &links[j];
    const int rows = tn_model_joint_row_count(model, (tn_joint){j}), all = tn_dynamics_rows(world);
    double R[D][D] = {{0}};
    k->parent = -1;
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < D * n; c++) {
            const double entry = G[first + i + all * c];
            if (c / D == j)
                R[i][c % D] = entry;
            else if (entry != 0.0)
                k->parent = c / D;
        }
    const tn_frame none = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
    const tn_vec3 here = tn_dynamics_frame(world, (tn_body){j + 1}, none).frame.p;
    const tn_vec3 there = k->parent < 0
                              ? (tn_vec3){0, 0, 0}
                              : tn_dynamics_frame(world, (tn_body){k->parent + 1}, none).frame.p;
    put_arm(k, (tn_vec3){here.x - there.x, here.y - there.y, here.z - there.z});
    if (k->parent >= j)
        fail("a body comes before the one that carries it");
    k->freedoms = null_space(rows, R, k->J);
    for (int i = 0; i < D; i++)
        for (int c = 0; c < k->freedoms; c++)
            k->J[i][c] = -k->J[i][c];
}

static void number_unknowns(void)
{
    int joints = 0, at = 0, p = 0, q, mu;
    for (int i = 0; i < n; i++)
        joints += links[i].freedoms;
    for (int i = n - 1; i >= 0; i--) { // leaves first
        links[i].at = at;
        at += 2 * D + links[i].freedoms;
    }
    size = at;
    q = D * n;
    mu = D * n + joints;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < D; k++) {
            place[p++] = links[i].at + k;
            place[mu++] = links[i].at + D + links[i].freedoms + k;
        }
        for (int k = 0; k < links[i].freedoms; k++)
            place[q++] = links[i].at + D + k;
    }
}

static void put(int i, int j, double entry)
{
    A[i][j] = A[j][i] = entry;
}

static void fill(void)
{
    for (int i = 0; i < n; i++) {
        const link *k = &links[i];
        const int mu = k->at + D + k->freedoms;
        for (int r = 0; r < D; r++) {
            put(mu + r, k->at + r, 1.0); // K
            for (int c = 0; c < D; c++) {
                put(k->at + r, k->at + c, k->M[r][c]);
                if (k->parent >= 0)
                    put(mu + r, links[k->parent].at + c, k->H[r][c]);
            }
            for (int c = 0; c < k->freedoms; c++)
                put(mu + r, k->at + D + c, k->J[r][c]);
        }
    }
}

// The largest distance of an entry from the diagonal.
static int bandwidth(bool tree)
{
    int width = 0;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            if (A[tree ? i : place[i]][tree ? j : place[j]] != 0.0)
                width = abs(i - j) > width ? abs(i - j) : width;
    return width;
}

static int block_size(int b)
{
    return 2 * D + links[n - 1 - b].freedoms;
}

static int block_at(int b)
{
    return links[n - 1 - b].at;
}

static int successors(int body)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        count += links[i].parent == body;
    return count;
}

static int entries(int a, int b)
{
    int count = 0;
    for (int i = 0; i < block_size(a); i++)
        for (int j = 0; j < block_size(b); j++)
            count += A[block_at(a) + i][block_at(b) + j] != 0.0;
    return count;
}

static int all_entries(void)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            count += entries(i, j);
    return count;
}

// Eliminates block b below itself by rows with pivots from within the block; returns how many
// blocks become other than zero that were not.
static int eliminate(int b)
{
    const int from = block_at(b), to = from + block_size(b);
    bool was[BODIES][BODIES];
    int more = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            was[i][j] = entries(i, j) > 0;
    for (int c = from; c < to; c++) {
        int best = c;
        for (int i = c; i < to; i++)
            best = fabs(A[i][c]) > fabs(A[best][c]) ? i : best;
        for (int j = 0; j < size; j++) {
            const double t = A[c][j];
            A[c][j] = A[best][j];
            A[best][j] = t;
        }
        const double t = rhs[c];
        rhs[c] = rhs[best];
        rhs[best] = t;
        for (int i = c + 1; i < size; i++) {
            const double f = A[i][c] / A[c][c];
            if (f == 0.0)
                continue;
            for (int j = c; j < size; j++)
                A[i][j] -= f * A[c][j];
            A[i][c] = 0.0;
            rhs[i] -= f * rhs[c];
        }
    }
    for (int i = b; i < n; i++)
        for (int j = b; j < n; j++)
            more += !was[i][j] && entries(i, j) > 0;
    return more;
}

static int solve(void)
{
    int more = 0;
    for (int b = 0; b < n; b++)
        more += eliminate(b);
    for (int i = size - 1; i >= 0; i--) {
        x[i] = rhs[i];
        for (int j = i + 1; j < size; j++)
            x[i] -= A[i][j] * x[j];
        x[i] /= A[i][i];
    }
    return more;
}

// Reads M, f, G and a of the model at its start.
static void read_model(tn_model *model, double *a)
{
    tn_dynamics *world = NULL;
    check(tn_dynamics_create(model, "absolute", &world));
    const int nv = tn_dynamics_nv(world), all = tn_dynamics_rows(world);
    n = tn_model_body_count(model) - 1;
    if (n > BODIES || nv != D * n || tn_model_joint_count(model) != n)
        fail("the model is no tree of at most eight rigid bodies");
    double *M = calloc((size_t)nv * (size_t)(nv + all), sizeof *M), *G = M + nv * nv, f[D * BODIES];
    check(tn_dynamics_mass_matrix(world, M));
    check(tn_dynamics_constraints(world, G, NULL));
    check(tn_dynamics_forces(world, f));
    check(tn_dynamics_forward(world, NULL, a, NULL));
    for (int j = 0, first = 0; j < n; j++) {
        read_joint(model, world, G, j, first);
        first += tn_model_joint_row_count(model, (tn_joint){j});
        for (int r = 0; r < D; r++)
            for (int c = 0; c < D; c++)
                links[j].M[r][c] = M[D * j + r + nv * (D * j + c)];
    }
    number_unknowns();
    for (int i = 0; i < nv; i++)
        rhs[place[i]] = f[i];
    free(M);
    tn_dynamics_destroy(world);
}

int main(int argc, char **argv)
{
    tn_model *model = NULL;
    double a[D * BODIES], off = 0.0;
    int band = 0, count = 0;
    if (argc < 2)
        return fprintf(stderr, "usage: fig9 MODEL\n"), 1;
    check(tn_model_load(argv[1], &model, NULL));
    read_model(model, a);
    fill();
    FILE *blocks = fopen("blocks.csv", "w"), *numbers = fopen("numbers.csv", "w");
    if (!blocks || !numbers)
        fail("cannot write");
    fprintf(blocks, "block,body,predecessor,successors,freedoms,size,entries\n");
    for (int b = 0; b < n; b++)
        fprintf(blocks, "%d,%d,%d,%d,%d,%d,%d\n", b + 1, n - b, links[n - 1 - b].parent + 1,
                successors(n - 1 - b), links[n - 1 - b].freedoms, block_size(b), entries(b, b));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            count += entries(i, j) > 0;
            band += entries(i, j) > 0 && abs(i - j) < 2;
        }
    fprintf(numbers, "what,value\nsize,%d\nblocks,%d\nblocks of the band,%d\n", size, count, band);
    fprintf(numbers, "entries of block 4 1,%d\nentries of block 1 4,%d\n", entries(3, 0),
            entries(0, 3));
    fprintf(numbers, "entries,%d\n", all_entries());
    fprintf(numbers, "bandwidth before,%d\nbandwidth after,%d\n", bandwidth(false),
            bandwidth(true));
    fprintf(numbers, "new blocks,%d\n", solve());
    for (int i = 0; i < D * n; i++)
        off = fmax(off, fabs(x[place[i]] - a[i]));
    fprintf(numbers, "accelerations differ by,%g\n", off);
    tn_model_destroy(model);
    return fclose(blocks) == 0 && fclose(numbers) == 0 ? 0 : 1;
}
