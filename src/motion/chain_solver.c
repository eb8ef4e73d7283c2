// SPDX-License-Identifier: MIT
//
// Elimination along an open chain, two-sided: L^T W R w = b with the blocks I, T, S of L (left) and
// R (right) and H = I_L^T W I_R between nodes. With X = T_R X_parent + S_R w, the rows are
//
//   S_L^T z = b,   z = sum_j H_j X_j + sum over the children of the node of T_L^T z
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
//
// W may couple a few pairs of nodes a, b across the chain, as the last element of a beam does whose
// ends are both held. The term of a pair, L_a^T H_ab R_b + L_b^T H_ba R_a = U V^T, is of rank 12:
//
//   (T + U V^T)^-1 b = x - T^-1 U (1 + V^T T^-1 U)^-1 V^T x,   x = T^-1 b

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "motion/chain.h"

#include <math.h>

// All matrices of a node but D, which is nw x nw, have 6 rows.
typedef struct node_factors {
    double A[36];  // on its motion
    double U[36];  // of its rows on the motion of the parent
    double V[36];  // of the rows of the parent on its motion
    double D[36];  // factors
    double G[36];  // nw x nm of the parent
    double CS[36]; // nm of the parent x nw
    int pivot[6];
} node_factors;

// Pairs that the chain may have, and motions of one.
enum { PAIRS_MAX = 8, PAIR = 12 };

typedef struct node_pair {
    int a, b;
    double ab[36], ba[36]; // rows of a on motions of b, and the other way round
} node_pair;

struct tn_chain_solver {
    const tn_chain *chain;
    int npair, m; // m: 12 npair, or 0 where W has nothing there
    node_pair *pair;
    double *V, *answers; // T^-1 U                                   nw x 12 npair
    double *schur, *s;   // (12 npair)^2, 12 npair
    int *pivot;
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
    const int m = PAIR * s->npair;
    s->pair = tn_carve_bytes(mem, sizeof(node_pair) * (size_t)s->npair);
    TN_CARVE_DOUBLES(mem, s->chain->nw * m, &s->V, &s->answers);
    TN_CARVE_DOUBLES(mem, m * m, &s->schur);
    TN_CARVE_DOUBLES(mem, m, &s->s);
    s->pivot = tn_carve_ints(mem, m);
}

static bool is_beside(const tn_chain *c, int a, int b)
{
    return a == b || c->node[a].parent == b || c->node[b].parent == a;
}

// Pairs of nodes that W couples across the chain; how many, or more than may be.
static int find_pairs(const tn_chain *c, const int *of_velocity, const tn_sparse *W,
                      int pairs[PAIRS_MAX][2])
{
    int n = 0;
    for (int j = 0; j < W->ncol; j++)
        for (int p = W->colptr[j]; p < W->colptr[j + 1]; p++) {
            const int u = of_velocity[W->rowind[p]], v = of_velocity[j];
            const int a = u < v ? u : v, b = u < v ? v : u;
            int k = is_beside(c, a, b) ? -1 : 0;
            while (k >= 0 && k < n && (pairs[k][0] != a || pairs[k][1] != b))
                k++;
            if (k < n)
                continue;
            if (n == PAIRS_MAX)
                return n + 1;
            pairs[n][0] = a;
            pairs[n++][1] = b;
        }
    return n;
}

bool tn_chain_follows(const tn_chain *c, const int *of_velocity, const tn_sparse *W)
{
    int pairs[PAIRS_MAX][2];
    const int n = find_pairs(c, of_velocity, W, pairs);
    return n <= PAIRS_MAX && 2 * PAIR * n <= c->nw;
}

tn_status tn_chain_solver_create(const tn_chain *c, const int *of_velocity, const tn_sparse *W,
                                 tn_chain_solver **out)
{
    int pairs[PAIRS_MAX][2];
    *out = NULL;
    tn_chain_solver *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->chain = c;
    s->of_velocity = of_velocity;
    s->npair = find_pairs(c, of_velocity, W, pairs);
    TN_ASSERT(s->npair <= PAIRS_MAX);
    const tn_status status = tn_carve_block(s, layout_chain_solver, &s->block);
    for (int k = 0; status == TN_OK && k < s->npair; k++) {
        s->pair[k].a = pairs[k][0];
        s->pair[k].b = pairs[k][1];
    }
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

// Factors -----------------------------------------------------------------------------------------

// Returns the block that sums I_L^T W I_R of the rows of node a and the columns of node b.
static double *place_chain_solver(tn_chain_solver *s, int a, int b)
{
    if (a == b)
        return s->node[a].A;
    if (is_beside(s->chain, a, b))
        return s->chain->node[a].parent == b ? s->node[a].U : s->node[b].V;
    node_pair *pair = s->pair;
    while ((pair->a != a || pair->b != b) && (pair->a != b || pair->b != a))
        pair++;
    TN_ASSERT(pair < s->pair + s->npair);
    return pair->a == a ? pair->ab : pair->ba;
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
        for (int m = 0; m < row->nm; m++)
            t[m] += W->val[p] * left[i + m * row->nv];
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
    for (int k = 0; k < s->npair; k++) {
        tn_zero(36, s->pair[k].ab);
        tn_zero(36, s->pair[k].ba);
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
    double AS[36] = {0.0}, D[36] = {0.0};
    chain_solver_add_product(nm, nm, nw, f->A, 6, s->R[k].S, nm, AS);
    add_product_t(nw, nm, nw, s->L[k].S, nm, AS, 6, D);
    for (int j = 0; j < nw; j++)
        tn_copy(nw, D + 6 * j, f->D + nw * j);
    return tn_lu_factor(nw, f->D, f->pivot);
}

// Eliminates a node into its parent.
static void add_to_parent(tn_chain_solver *s, int k)
{
    TN_ASSERT(s->chain->node[k].parent >= 0 && s->chain->node[k].parent < k);
    const tn_chain_node *node = &s->chain->node[k];
    const int nm = node->nm, np = s->chain->node[node->parent].nm;
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
        tn_lu_solve(nw, f->D, f->pivot, f->G + 6 * j);
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
        tn_lu_solve(node->nw, f->D, f->pivot, e);
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

// Couplings across the chain ----------------------------------------------------------------------

// Column of P^T for what acts on the motion of node k.
static void pull(const tn_chain *c, const tn_chain_block *P, int k, const double *x, double *out)
{
    double own[6];
    tn_copy(6, x, own);
    tn_zero(c->nw, out);
    for (; k >= 0; k = c->node[k].parent) {
        const tn_chain_node *node = &c->node[k];
        double up[6] = {0.0}, w[6] = {0.0};
        add_product_t(node->nw, node->nm, 1, P[k].S, node->nm, own, 6, w);
        tn_copy(node->nw, w, out + node->w0);
        if (node->parent >= 0)
            add_product_t(c->node[node->parent].nm, node->nm, 1, P[k].T, node->nm, own, 6, up);
        tn_copy(6, up, own);
    }
}

// Rows of node a on the motion of b: six columns of U and V, the first of them `at`.
static void couple(tn_chain_solver *s, int a, int b, const double *H, int at)
{
    const tn_chain *c = s->chain;
    for (int m = 0; m < 6; m++) {
        const size_t column = (size_t)(at + m) * (size_t)c->nw;
        double unit[6] = {0.0}, row[6];
        unit[m] = 1.0;
        for (int l = 0; l < 6; l++)
            row[l] = H[m + 6 * l];
        pull(c, s->L, a, unit, s->answers + column);
        pull(c, s->R, b, row, s->V + column);
        solve_up(s, s->answers + column);
        solve_down(s, s->answers + column);
    }
}

static tn_status couple_pairs(tn_chain_solver *s)
{
    const int nw = s->chain->nw;
    bool is_coupled = false;
    for (int k = 0; k < s->npair; k++)
        is_coupled = is_coupled || tn_norm_inf(36, s->pair[k].ab) > 0.0 ||
                     tn_norm_inf(36, s->pair[k].ba) > 0.0;
    const int n = s->m = is_coupled ? PAIR * s->npair : 0;
    for (int k = 0; is_coupled && k < s->npair; k++) {
        const node_pair *pair = &s->pair[k];
        couple(s, pair->a, pair->b, pair->ab, PAIR * k);
        couple(s, pair->b, pair->a, pair->ba, PAIR * k + 6);
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            s->schur[i + j * n] = (i == j) + tn_dot(nw, s->V + (size_t)i * (size_t)nw,
                                                    s->answers + (size_t)j * (size_t)nw);
    return n > 0 ? tn_lu_factor(n, s->schur, s->pivot) : TN_OK;
}

void tn_chain_solver_solve(tn_chain_solver *s, double *b)
{
    TN_ASSERT(s->L && s->R);
    const int nw = s->chain->nw, n = s->m;
    solve_up(s, b);
    solve_down(s, b);
    tn_inner(nw, n, s->V, 1, b, s->s);
    if (n > 0)
        tn_lu_solve(n, s->schur, s->pivot, s->s);
    tn_add_columns(nw, n, -1.0, s->answers, s->s, b);
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
    return couple_pairs(s);
}
