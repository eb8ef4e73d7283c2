// SPDX-License-Identifier: MIT
//
// Products with the null space matrix of an open chain, its kernel for other carriers, and the
// impulses of its joints; see chain.h.

#include "motion/chain.h"

#include "linalg/dense.h"

#include <math.h>

void tn_chain_owners(const tn_chain *c, int ng, int *of_row, int *of_velocity)
{
    for (int i = 0; i < ng; i++)
        of_row[i] = TN_CHAIN_LOOP;
    for (int k = 0; k < c->n; k++) {
        const tn_chain_node *node = &c->node[k];
        for (int i = 0; i < node->nv; i++)
            of_velocity[node->v0 + i] = k;
        for (int i = 0; i < node->nrow; i++)
            of_row[node->row0 + i] = k;
        for (int i = 0; i < node->ninternal; i++)
            of_row[node->internal0 + i] = TN_CHAIN_INTERNAL;
    }
}

static int parent_motions(const tn_chain *c, const tn_chain_node *node)
{
    TN_ASSERT(node->parent < node - c->node);
    return node->parent < 0 ? 0 : c->node[node->parent].nm;
}

// y += A x and y += A^T x for a small m x n matrix.
static inline void chain_add_product(int m, int n, const double *A, const double *x, double *y)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            y[i] += A[i + j * m] * x[j];
}

static inline void add_product_t(int m, int n, const double *A, const double *x, double *y)
{
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = 0; i < m; i++)
            sum += A[i + j * m] * x[i];
        y[j] += sum;
    }
}

void tn_chain_expand(const tn_chain *c, const tn_chain_block *P, const double *w, double *X,
                     double *v)
{
    for (int k = 0; k < c->n; k++) {
        const tn_chain_node *node = &c->node[k];
        double *own = X + 6 * k;
        tn_zero(6, own);
        if (node->parent >= 0)
            chain_add_product(node->nm, parent_motions(c, node), P[k].T, X + 6 * node->parent, own);
        chain_add_product(node->nm, node->nw, P[k].S, w + node->w0, own);
        tn_zero(node->nv, v + node->v0);
        chain_add_product(node->nv, node->nm, P[k].I, own, v + node->v0);
    }
}

void tn_chain_reduce(const tn_chain *c, const tn_chain_block *P, const double *f, double *X,
                     double *out)
{
    tn_zero(6 * c->n, X);
    for (int k = c->n - 1; k >= 0; k--) {
        const tn_chain_node *node = &c->node[k];
        double *own = X + 6 * k;
        add_product_t(node->nv, node->nm, P[k].I, f + node->v0, own);
        tn_zero(node->nw, out + node->w0);
        add_product_t(node->nm, node->nw, P[k].S, own, out + node->w0);
        if (node->parent >= 0)
            add_product_t(node->nm, parent_motions(c, node), P[k].T, own, X + 6 * node->parent);
    }
}

// Small factorisations ----------------------------------------------------------------------------

// x -= beta v (v . x), with the reflection that stands below the diagonal of column j; v_j = 1.
static inline void reflect_chain(int m, int j, const double *QR, double beta, double *x)
{
    TN_ASSERT(j < m);
    const double *v = QR + j * m;
    double s = x[j];
    for (int i = j + 1; i < m; i++)
        s += v[i] * x[i];
    s *= beta;
    x[j] -= s;
    for (int i = j + 1; i < m; i++)
        x[i] -= s * v[i];
}

// A = Q R in place by Householder's reflections, m >= n.
static inline tn_status small_qr(int m, int n, double *A, double *beta)
{
    TN_ASSERT(n <= m && m <= 6);
    double largest = 0.0;
    for (int j = 0; j < n; j++) {
        double *column = A + j * m;
        const double norm = tn_norm2(m - j, column + j);
        const double diagonal = column[j] > 0.0 ? -norm : norm;
        largest = fmax(largest, norm);
        if (!(norm > TN_RANK_TOL * largest))
            return TN_RETRY_SINGULAR;
        const double head = column[j] - diagonal;
        for (int i = j + 1; i < m; i++)
            column[i] /= head;
        beta[j] = -head / diagonal;
        column[j] = diagonal;
        for (int k = j + 1; k < n; k++)
            reflect_chain(m, j, A, beta[j], A + k * m);
    }
    return TN_OK;
}

// The shortest x (m) with A^T x = b (n), b in the first entries of x.
static inline void solve_shortest(int m, int n, const double *QR, const double *beta, double *x)
{
    TN_ASSERT(n <= m);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            x[i] -= QR[j + i * m] * x[j];
        x[i] /= QR[i + i * m];
    }
    tn_zero(m - n, x + n);
    for (int j = n - 1; j >= 0; j--)
        reflect_chain(m, j, QR, beta[j], x);
}

// y (n) with A y nearest to b (m), in the first entries of b.
static inline void solve_nearest(int m, int n, const double *QR, const double *beta, double *b)
{
    TN_ASSERT(n <= m);
    for (int j = 0; j < n; j++)
        reflect_chain(m, j, QR, beta[j], b);
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= QR[i + j * m] * b[j];
        b[i] /= QR[i + i * m];
    }
}

// Carriers ----------------------------------------------------------------------------------------

// Column j of A, which is one of node `here`.
static void gather_column(const tn_chain *c, const tn_sparse *A, const int *of_row, int j, int here,
                          const tn_chain_block *P, tn_chain_joint *joints)
{
    const tn_chain_node *node = &c->node[here];
    TN_ASSERT(j >= node->v0 && j < node->v0 + node->nv);
    double lever[6] = {0.0};
    for (int m = 0; m < node->nm; m++)
        lever[m] = P[here].I[j - node->v0 + m * node->nv];
    for (int p = A->colptr[j], end = A->colptr[j + 1]; p < end;) {
        const int k = of_row[A->rowind[p]];
        if (k < 0) {
            p++;
            continue;
        }
        const int row0 = c->node[k].row0, last = row0 + c->node[k].nrow;
        double *C = k == here ? joints[k].own : joints[k].parent;
        for (; p < end && A->rowind[p] < last; p++) { // rows of a joint stand together
            double *to = C + 6 * (A->rowind[p] - row0);
            for (int m = 0; m < 6 && A->val[p] != 0.0; m++)
                to[m] += A->val[p] * lever[m];
        }
    }
}

// Rows of joints on the rigid motions of their nodes, in one pass over A.
static void gather_joints(const tn_chain *c, const tn_sparse *A, const int *of_row,
                          const int *of_velocity, const tn_chain_block *P, tn_chain_joint *joints)
{
    for (int k = 0; k < c->n; k++) {
        tn_zero(6 * c->node[k].nrow, joints[k].own);
        tn_zero(6 * c->node[k].nrow, joints[k].parent);
    }
    for (int j = 0; j < A->ncol; j++)
        gather_column(c, A, of_row, j, of_velocity[j], P, joints);
}

// X -= C^+ (C X + D) in each column, the nearest X with C X = -D; D^T by columns of 6, or NULL.
static void satisfy(const tn_chain_node *node, const tn_chain_joint *joint, int columns,
                    const double *D, double *X)
{
    TN_ASSERT(node->nm <= 6 && node->nrow <= 6);
    for (int j = 0; j < columns; j++) {
        double x[6] = {0.0}, column[6] = {0.0};
        tn_copy(node->nm, X + j * node->nm, column);
        for (int i = 0; D && i < node->nrow; i++)
            x[i] = D[j + 6 * i];
        add_product_t(6, node->nrow, joint->own, column, x);
        solve_shortest(6, node->nrow, joint->qr, joint->beta, x);
        tn_axpy(node->nm, -1.0, x, X + j * node->nm);
    }
}

tn_status tn_chain_carry(const tn_chain *c, const tn_sparse *A, const int *of_row,
                         const int *of_velocity, const tn_chain_block *P, tn_chain_joint *joints)
{
    gather_joints(c, A, of_row, of_velocity, P, joints);
    for (int k = 0; k < c->n; k++) {
        const tn_chain_node *node = &c->node[k];
        tn_chain_joint *joint = &joints[k];
        tn_copy(6 * node->nrow, joint->own, joint->qr);
        TN_TRY(small_qr(6, node->nrow, joint->qr, joint->beta));
    }
    return TN_OK;
}

void tn_chain_follow(const tn_chain *c, const tn_chain_joint *joints, tn_chain_block *P)
{
    for (int k = 0; k < c->n; k++) {
        const tn_chain_node *node = &c->node[k];
        satisfy(node, &joints[k], parent_motions(c, node), joints[k].parent, P[k].T);
        satisfy(node, &joints[k], node->nw, NULL, P[k].S);
    }
}

// The joint takes -J = (C^+)^T f of f on the rigid motion of its node; f += C^T J remains.
static void chain_take_rows(int nrow, const tn_chain_joint *joint, double *f, double *J)
{
    TN_ASSERT(nrow <= 6);
    double x[6];
    tn_copy(6, f, x);
    solve_nearest(6, nrow, joint->qr, joint->beta, x);
    for (int i = 0; i < nrow; i++)
        J[i] = -x[i];
    chain_add_product(6, nrow, joint->own, J, f);
}

void tn_chain_reduce_along(const tn_chain *c, const tn_chain_block *P, const tn_chain_joint *joints,
                           const double *f, double *X, double *out, double *J)
{
    tn_zero(6 * c->n, X);
    for (int k = c->n - 1; k >= 0; k--) {
        const tn_chain_node *node = &c->node[k];
        double *own = X + 6 * k, minus[6];
        add_product_t(node->nv, node->nm, P[k].I, f + node->v0, own);
        chain_take_rows(node->nrow, &joints[k], own, minus);
        for (int i = 0; J && i < node->nrow; i++)
            J[node->row0 + i] = -minus[i];
        tn_zero(node->nw, out + node->w0);
        add_product_t(node->nm, node->nw, P[k].S, own, out + node->w0);
        if (node->parent < 0)
            continue;
        const int np = parent_motions(c, node);
        add_product_t(node->nm, np, P[k].T, own, X + 6 * node->parent);
        chain_add_product(6, node->nrow, joints[k].parent, minus, X + 6 * node->parent);
    }
}

// Impulses ----------------------------------------------------------------------------------------

// J = N^-1 A f, N = A A^T, with the rows of A by columns of nv numbers.
static inline void solve_normal(int nv, int n, const double *rows, const double *f, double *J)
{
    TN_ASSERT(n <= 6);
    double N[6 * 6];
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = 0.0;
            for (int k = 0; k < nv; k++)
                sum += rows[k + i * nv] * rows[k + j * nv];
            N[i + j * n] = sum;
        }
    if (tn_cholesky(n, N, 0.0) != TN_OK)
        return; // directors that have collapsed: no position of an interval that is solved
    add_product_t(nv, n, rows, f, J);
    tn_lower_solve(n, N, J);
    tn_lower_solve_t(n, N, J);
}

// The internal rows of a node take what is left of f on its coordinates. Products of directors are
// nearly orthogonal rows: nothing is lost with normal equations.
static void internal_impulse(const tn_chain_node *node, const tn_sparse *A, const double *rest,
                             double *J)
{
    TN_ASSERT(node->nv <= 12 && node->ninternal <= 6);
    double rows[12 * 6] = {0.0};
    for (int i = 0; i < node->nv; i++) {
        const int j = node->v0 + i;
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
            const int row = A->rowind[p] - node->internal0;
            if (row >= 0 && row < node->ninternal)
                rows[i + row * node->nv] = A->val[p];
        }
    }
    solve_normal(node->nv, node->ninternal, rows, rest, J);
}

void tn_chain_impulse(const tn_chain *c, const tn_sparse *A, const tn_chain_block *P,
                      const tn_chain_joint *joints, const double *f, double *rest, double *X,
                      double *out, double *J)
{
    for (int k = 0; k < c->n; k++) {
        tn_zero(c->node[k].nrow, J + c->node[k].row0);
        tn_zero(c->node[k].ninternal, J + c->node[k].internal0);
    }
    tn_copy(A->ncol, f, rest);
    if (tn_norm_inf(A->nrow, J) > 0.0)
        tn_sparse_mul_t(A, -1.0, J, rest);
    tn_chain_reduce_along(c, P, joints, rest, X, out, J);
    tn_copy(A->ncol, f, rest);
    tn_sparse_mul_t(A, -1.0, J, rest);
    for (int k = 0; k < c->n; k++) {
        const tn_chain_node *node = &c->node[k];
        if (node->ninternal > 0)
            internal_impulse(node, A, rest + node->v0, J + node->internal0);
    }
}
