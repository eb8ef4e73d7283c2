// SPDX-License-Identifier: MIT
//
// Elimination along an open chain, two-sided: L^T W R w = b with the blocks I, T, S of L (left) and
// R (right) and H = I_L^T W I_R between nodes. With X = T_R X_parent + S_R w, the rows are
//
//   S_L^T z = b,   z = sum_j H_j X_j + sum over those who stand on the node of T_L^T z
//
// From the leaves on, z = A X + U X_parent + c with A complete and U = H of node and parent. Then
//
//   w = D^-1 (b - S_L^T c) - G X_parent,   D = S_L^T A S_R,   G = D^-1 S_L^T (A T_R + U)
//
// and what a node does to its parent, with V = H of parent and node and C = V + T_L^T A, is
//
//   A_parent += C (T_R - S_R G) + T_L^T U,   c_parent += T_L^T c + C S_R D^-1 (b - S_L^T c)
//
// which for L = R and symmetric W is the articulated body of Featherstone.

#include "base/alloc.h"
#include "base/carve.h"
#include "formulation/chain.h"
#include "linalg/dense.h"

#include <math.h>

// All matrices of a node have 6 rows.
typedef struct node_factors {
    double A[36];  // on its motion
    double U[36];  // of its rows on the motion of the parent
    double V[36];  // of the rows of the parent on its motion
    double D[36];  // factors
    double G[36];  // nw x nm of the parent
    double CS[36]; // nm of the parent x nw
    int pivot[6];
} node_factors;

struct tn_chain_solver {
    const tn_chain *chain;
    const int *of_velocity;
    const tn_chain_block *L, *R;
    node_factors *node;
    double *c, *X, *e; // 6 a node
    void *block;
};

static void layout_chain_solver(void *self, tn_carve *mem)
{
    tn_chain_solver *s = self;
    const int n = s->chain->n;
    s->node = tn_carve_bytes(mem, sizeof(node_factors) * (size_t)n);
    TN_CARVE_DOUBLES(mem, 6 * n, &s->c, &s->X, &s->e);
}

bool tn_chain_follows(const tn_chain *c, const int *of_velocity, const tn_sparse *W)
{
    for (int j = 0; j < W->ncol; j++)
        for (int p = W->colptr[j]; p < W->colptr[j + 1]; p++) {
            const int a = of_velocity[W->rowind[p]], b = of_velocity[j];
            if (a != b && c->node[a].parent != b && c->node[b].parent != a)
                return false;
        }
    return true;
}

tn_status tn_chain_solver_create(const tn_chain *c, const int *of_velocity, tn_chain_solver **out)
{
    *out = NULL;
    tn_chain_solver *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->chain = c;
    s->of_velocity = of_velocity;
    const tn_status status = tn_carve_block(s, layout_chain_solver, &s->block);
    TN_HAND_OUT(status, s, tn_chain_solver_destroy, out);
}

void tn_chain_solver_destroy(tn_chain_solver *s)
{
    if (s)
        TN_FREE(s->block, s);
}

// Small matrices ----------------------------------------------------------------------------------

// C += A B; A is m x k with lda rows, B k x n with ldb, C with 6. Columns are summed up apart, in
// registers where m is constant.
static inline void chain_solver_add_product(int m, int k, int n, const double *A, int lda,
                                            const double *B, int ldb, double *C)
{
    for (int j = 0; j < n; j++) {
        double sum[6] = {0.0};
        for (int l = 0; l < k; l++)
            for (int i = 0; i < m; i++)
                sum[i] += A[i + l * lda] * B[l + j * ldb];
        for (int i = 0; i < m; i++)
            C[i + 6 * j] += sum[i];
    }
}

// C += A^T B; A is k x m.
static inline void add_product_t(int m, int k, int n, const double *A, int lda, const double *B,
                                 int ldb, double *C)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0.0;
            for (int l = 0; l < k; l++)
                sum += A[l + i * lda] * B[l + j * ldb];
            C[i + 6 * j] += sum;
        }
}

// A^T with 6 rows, of an m x n matrix: products with it run along columns.
static inline void transpose_chain_solver(int m, int n, const double *A, double *out)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            out[j + 6 * i] = A[i + j * m];
}

// P A = L U of an n x n matrix with 6 rows.
static tn_status small_lu(int n, double *A, int *pivot)
{
    TN_ASSERT(n <= 6);
    for (int j = 0; j < n; j++) {
        int p = j;
        for (int i = j + 1; i < n; i++)
            if (fabs(A[i + 6 * j]) > fabs(A[p + 6 * j]))
                p = i;
        pivot[j] = p;
        for (int k = 0; k < n; k++) {
            const double x = A[j + 6 * k];
            A[j + 6 * k] = A[p + 6 * k];
            A[p + 6 * k] = x;
        }
        if (A[j + 6 * j] == 0.0 || !isfinite(A[j + 6 * j]))
            return TN_RETRY_SINGULAR;
        for (int i = j + 1; i < n; i++) {
            const double s = A[i + 6 * j] /= A[j + 6 * j];
            for (int k = j + 1; k < n; k++)
                A[i + 6 * k] -= s * A[j + 6 * k];
        }
    }
    return TN_OK;
}

static void small_solve(int n, const double *LU, const int *pivot, double *b)
{
    TN_ASSERT(n <= 6 && (n == 0 || pivot[n - 1] == n - 1));
    for (int i = 0; i < n; i++) {
        const double x = b[pivot[i]];
        b[pivot[i]] = b[i];
        b[i] = x;
    }
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++)
            b[i] -= LU[i + 6 * j] * b[j];
    for (int j = n - 1; j >= 0; j--) {
        b[j] /= LU[j + 6 * j];
        for (int i = 0; i < j; i++)
            b[i] -= LU[i + 6 * j] * b[j];
    }
}

// Factors -----------------------------------------------------------------------------------------

// Where I_L^T W I_R of the rows of node a and the columns of node b is summed up.
static double *place_chain_solver(tn_chain_solver *s, int a, int b)
{
    TN_ASSERT(a == b || s->chain->node[a].parent == b || s->chain->node[b].parent == a);
    if (a == b)
        return s->node[a].A;
    return s->chain->node[a].parent == b ? s->node[a].U : s->node[b].V;
}

// t += w times row i of I, which has few entries that are not zero; for nv and nm of its node.
static inline void add_motions(int nv, int nm, const double *I, int i, double w, double *t)
{
    for (int m = 0; m < nm; m++)
        t[m] += w * I[i + m * nv];
}

// H += t times row i of I.
static inline void add_outer(int nv, int nm, const double *I, int i, int nt, const double *t,
                             double *H)
{
    for (int l = 0; l < nm; l++)
        if (I[i + l * nv] != 0.0)
            for (int m = 0; m < nt; m++)
                H[m + 6 * l] += t[m] * I[i + l * nv];
}

// Rows of a node in column j of W, which is one of node b, from entry p on; what comes after them.
// Most are zero: forces that could pull there do not, and directors have few products with each
// other.
static int gather_rows(tn_chain_solver *s, const tn_sparse *W, int j, int b, int p)
{
    const int a = s->of_velocity[W->rowind[p]], end = W->colptr[j + 1];
    const tn_chain_node *row = &s->chain->node[a], *column = &s->chain->node[b];
    const double *left = s->L[a].I;
    double t[6] = {0.0};
    bool is_zero = true;
    for (; p < end; p++) {
        const int i = W->rowind[p] - row->v0;
        if (i >= row->nv)
            break;
        if (W->val[p] == 0.0)
            continue;
        is_zero = false;
        if (row->nm == 6)
            add_motions(row->nv, 6, left, i, W->val[p], t);
        else
            add_motions(row->nv, row->nm, left, i, W->val[p], t);
    }
    if (!is_zero)
        add_outer(column->nv, column->nm, s->R[b].I, j - column->v0, 6, t,
                  place_chain_solver(s, a, b));
    return p;
}

static void gather_chain_solver(tn_chain_solver *s, const tn_sparse *W)
{
    for (int k = 0; k < s->chain->n; k++) {
        tn_zero(36, s->node[k].A);
        tn_zero(36, s->node[k].U);
        tn_zero(36, s->node[k].V);
    }
    for (int j = 0; j < W->ncol; j++)
        for (int p = W->colptr[j]; p < W->colptr[j + 1];)
            p = gather_rows(s, W, j, s->of_velocity[j], p);
}

// D of a node whose A is complete.
static tn_status pivot_of(tn_chain_solver *s, int k)
{
    const tn_chain_node *node = &s->chain->node[k];
    node_factors *f = &s->node[k];
    const int nm = node->nm, nw = node->nw;
    double AS[36] = {0.0};
    chain_solver_add_product(nm, nm, nw, f->A, 6, s->R[k].S, nm, AS);
    tn_zero(36, f->D);
    add_product_t(nw, nm, nw, s->L[k].S, nm, AS, 6, f->D);
    return small_lu(nw, f->D, f->pivot);
}

// What a node does to the one it stands on, for nm and np motions of the two.
static inline void eliminate_chain_solver(tn_chain_solver *s, int k, int nm, int np)
{
    TN_ASSERT(s->chain->node[k].parent >= 0 && s->chain->node[k].parent < k);
    const tn_chain_node *node = &s->chain->node[k];
    const tn_chain_block *L = &s->L[k], *R = &s->R[k];
    const int nw = node->nw;
    node_factors *f = &s->node[k];
    double *up = s->node[node->parent].A, AT[36], Tt[36], rest[36] = {0.0}, *C = f->V;
    transpose_chain_solver(nm, np, L->T, Tt);
    tn_copy(36, f->U, AT);
    chain_solver_add_product(nm, nm, np, f->A, 6, R->T, nm, AT);
    tn_zero(36, f->G);
    add_product_t(nw, nm, np, L->S, nm, AT, 6, f->G);
    for (int j = 0; j < np; j++)
        small_solve(nw, f->D, f->pivot, f->G + 6 * j);
    chain_solver_add_product(nm, nw, np, R->S, nm, f->G, 6, rest); // S G, then T - S G
    for (int j = 0; j < np; j++)
        for (int i = 0; i < nm; i++)
            rest[i + 6 * j] = R->T[i + j * nm] - rest[i + 6 * j];
    chain_solver_add_product(np, nm, nm, Tt, 6, f->A, 6, C);
    chain_solver_add_product(np, nm, np, C, 6, rest, 6, up);
    chain_solver_add_product(np, nm, np, Tt, 6, f->U, 6, up);
    tn_zero(36, f->CS);
    chain_solver_add_product(np, nm, nw, C, 6, R->S, nm, f->CS);
}

// Loops of constant length for chains of bodies of one kind.
static void add_to_parent(tn_chain_solver *s, int k)
{
    const tn_chain_node *node = &s->chain->node[k];
    const int nm = node->nm, np = s->chain->node[node->parent].nm;
    if (nm == 6 && np == 6)
        eliminate_chain_solver(s, k, 6, 6);
    else if (nm == 3 && np == 3)
        eliminate_chain_solver(s, k, 3, 3);
    else
        eliminate_chain_solver(s, k, nm, np);
}

tn_status tn_chain_solver_factor(tn_chain_solver *s, const tn_sparse *W, const tn_chain_block *L,
                                 const tn_chain_block *R)
{
    TN_ASSERT(tn_chain_follows(s->chain, s->of_velocity, W));
    s->L = L;
    s->R = R;
    gather_chain_solver(s, W);
    for (int k = s->chain->n - 1; k >= 0; k--) {
        TN_TRY(pivot_of(s, k));
        if (s->chain->node[k].parent >= 0)
            add_to_parent(s, k);
    }
    return TN_OK;
}

// Solutions ---------------------------------------------------------------------------------------

static void solve_up(tn_chain_solver *s, const double *b)
{
    tn_zero(6 * s->chain->n, s->c);
    for (int k = s->chain->n - 1; k >= 0; k--) {
        const tn_chain_node *node = &s->chain->node[k];
        const node_factors *f = &s->node[k];
        double *e = s->e + 6 * k, minus[6] = {0.0};
        const double *c = s->c + 6 * k;
        add_product_t(node->nw, node->nm, 1, s->L[k].S, node->nm, c, 6, minus);
        for (int i = 0; i < node->nw; i++)
            e[i] = b[node->w0 + i] - minus[i];
        small_solve(node->nw, f->D, f->pivot, e);
        if (node->parent < 0)
            continue;
        const int np = s->chain->node[node->parent].nm;
        double *up = s->c + 6 * node->parent;
        add_product_t(np, node->nm, 1, s->L[k].T, node->nm, c, 6, up);
        chain_solver_add_product(np, node->nw, 1, f->CS, 6, e, 6, up);
    }
}

static void solve_down(tn_chain_solver *s, double *w)
{
    tn_zero(6 * s->chain->n, s->X);
    for (int k = 0; k < s->chain->n; k++) {
        const tn_chain_node *node = &s->chain->node[k];
        double *X = s->X + 6 * k, turn[6] = {0.0};
        if (node->parent >= 0) {
            const double *up = s->X + 6 * node->parent;
            const int np = s->chain->node[node->parent].nm;
            chain_solver_add_product(node->nw, np, 1, s->node[k].G, 6, up, 6, turn);
            chain_solver_add_product(node->nm, np, 1, s->R[k].T, node->nm, up, 6, X);
        }
        for (int i = 0; i < node->nw; i++)
            w[node->w0 + i] = s->e[6 * k + i] - turn[i];
        chain_solver_add_product(node->nm, node->nw, 1, s->R[k].S, node->nm, w + node->w0, 6, X);
    }
}

void tn_chain_solver_solve(tn_chain_solver *s, double *b)
{
    TN_ASSERT(s->L && s->R);
    solve_up(s, b);
    solve_down(s, b);
}
