// SPDX-License-Identifier: MIT
//
// The topological solver: block elimination along the tree [Arn16, section 3.3, Example 7]. Going
// backwards, the force through the joint of node k is A Y_k + F by the variation of its motion, and
// with Y_k = T Y_p + E du,
//
//   U = A E,  R = S^T A T,  D = S^T U + N,  V = (U + H) shifted to P_p,
//   du = D^-1 (b - S^T F) - K Y_p,  K = D^-1 R,
//   the predecessor gets  A T shifted - V K  and  F shifted + V D^-1 (b - S^T F).
//
// N and H say that the observer of the predecessor sees the force turn (tree_linear.c). E, N and H
// are sums with the coefficients c, everything else about the motion is real: complex matrices are
// two real planes but for the products with E, D and K.
//
// Functions that take `planes` (1 or 2), `blocks` or `nv` are inlined with constants: each
// combination is compiled for itself.

#include "tree/tree_linear_parts.h"

#include <string.h>

// Pivots against the sum of sizes of the products they are made of. Elimination leaves some units
// in the last place for zero.
static const double SINGULAR = 1e-13;
// And against the numbers before the joint of a successor was eliminated, which is the size of the
// rounding errors.
static const double ROUNDED = 1e-14;

// Columns -----------------------------------------------------------------------------------------

// A x y added to three columns of n numbers, y three others: for all rows at once.
static inline void add_cross(int n, tn_vec3 a, const double *restrict y, double *restrict to)
{
    for (int i = 0; i < n; i++) {
        to[i] += a.y * y[2 * n + i] - a.z * y[n + i];
        to[n + i] += a.z * y[i] - a.x * y[2 * n + i];
        to[2 * n + i] += a.x * y[n + i] - a.y * y[i];
    }
}

// A becomes A T.
static inline void move_down(int planes, int blocks, const linear_body *b, double *A)
{
    const int n = 6 * planes;
    add_cross(n, b->r, A + 3 * n * LINEAR_LAMBDA, A + 3 * n * LINEAR_ZETA);
    add_cross(n, tn_v3_scale(2.0, b->nu), A + 3 * n * LINEAR_LAMBDA, A + 3 * n * LINEAR_ETA);
    if (blocks < LINEAR_BLOCKS)
        return;
    add_cross(n, b->r, A + 3 * n * LINEAR_SPEED, A + 3 * n * LINEAR_ETA);
    add_cross(n, b->r, A + 3 * n * LINEAR_PLACE, A + 3 * n * LINEAR_THETA);
    add_cross(n, b->nu, A + 3 * n * LINEAR_SPEED, A + 3 * n * LINEAR_THETA);
}

// Moments of one column about the point that is r further back.
static inline void shift(int planes, tn_vec3 r, double *F)
{
    for (int p = 0; p < planes; p++, F += 6) {
        F[3] += r.y * F[2] - r.z * F[1];
        F[4] += r.z * F[0] - r.x * F[2];
        F[5] += r.x * F[1] - r.y * F[0];
    }
}

// y += s x, complex: parts of x and y are n apart.
static inline void add_times(int planes, int n, double re, double im, const double *restrict x,
                             double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] += re * x[i];
    if (planes == 1)
        return;
    for (int i = 0; i < n; i++) {
        y[i] -= im * x[n + i];
        y[n + i] += re * x[n + i] + im * x[i];
    }
}

// y += s x with real x.
static inline void add_real(int planes, int n, double re, double im, const double *restrict x,
                            double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] += re * x[i];
    for (int i = 0; i < n && planes == 2; i++)
        y[n + i] += im * x[i];
}

static inline double dot6(const double *S, const double *F)
{
    return S[0] * F[0] + S[1] * F[1] + S[2] * F[2] + S[3] * F[3] + S[4] * F[4] + S[5] * F[5];
}

// Own part of a place -----------------------------------------------------------------------------

static inline void add_entry(double *column, double fx, double fy, double fz, tn_vec3 n)
{
    column[0] += fx;
    column[1] += fy;
    column[2] += fz;
    column[3] += n.x;
    column[4] += n.y;
    column[5] += n.z;
}

// 2 e x a and 2 w x (J e) - tr(J) w x e for the unit vectors e.
static inline void add_gyroscopic(int n, const linear_body *b, double *A)
{
    const tree_sym *J = &b->own.J;
    const double half = 0.5 * (J->xx + J->yy + J->zz);
    const tn_vec3 a = tn_v3_scale(2.0, tn_v3_cross(b->w, b->own.mc));
    const tn_vec3 w = tn_v3_scale(2.0, b->w);
    add_entry(A, 0, -a.z, a.y, tn_v3_cross(w, tn_v3(J->xx - half, J->xy, J->xz)));
    add_entry(A + n, a.z, 0, -a.x, tn_v3_cross(w, tn_v3(J->xy, J->yy - half, J->yz)));
    add_entry(A + 2 * n, -a.y, a.x, 0, tn_v3_cross(w, tn_v3(J->xz, J->yz, J->zz - half)));
}

static inline void add_inertia(int n, const tree_rigid *own, double *A)
{
    const double m = own->m;
    const tn_vec3 c = own->mc;
    const tree_sym *J = &own->J;
    add_entry(A, m, 0, 0, tn_v3(0, c.z, -c.y));
    add_entry(A + n, 0, m, 0, tn_v3(-c.z, 0, c.x));
    add_entry(A + 2 * n, 0, 0, m, tn_v3(c.y, -c.x, 0));
    A += 3 * n;
    add_entry(A, 0, -c.z, c.y, tn_v3(J->xx, J->xy, J->xz));
    add_entry(A + n, c.z, 0, -c.x, tn_v3(J->xy, J->yy, J->yz));
    add_entry(A + 2 * n, -c.y, c.x, 0, tn_v3(J->xz, J->yz, J->zz));
}

// e x f and e x n + c x (e x f) for the unit vectors e.
static inline void tree_linear_solve_add_load(int n, const linear_body *b, double *A)
{
    for (int j = 0; j < 3; j++) {
        const tn_vec3 e = tn_v3(j == 0, j == 1, j == 2);
        const tn_vec3 f = tn_v3_cross(e, b->load.f);
        add_entry(A + n * j, f.x, f.y, f.z, tree_add_cross(tn_v3_cross(e, b->load.n), b->c, f));
    }
}

static inline void tree_linear_solve_add_element(int n, int blocks, const linear_column *from,
                                                 double *A)
{
    for (int j = 0; j < 3 * (blocks - LINEAR_ETA); j++)
        for (int i = 0; i < 6; i++)
            A[n * (3 * LINEAR_ETA + j) + i] += from[j].at[i];
}

static inline void add_own(int planes, int blocks, const tn_tree_linear *lin, int k, double *A)
{
    const int n = 6 * planes;
    const linear_body *b = &lin->body[k];
    add_inertia(n, &b->own, A);
    add_gyroscopic(n, b, A + 3 * n * LINEAR_ETA);
    tree_linear_solve_add_load(n, b, A + 3 * n * LINEAR_THETA);
    if (b->element >= 0)
        tree_linear_solve_add_element(n, blocks, lin->element[b->element].own, A);
}

// Coefficients ------------------------------------------------------------------------------------

// For the freedoms of a joint: increments dx = q du, velocities dv = v du, dv' = a du; real and
// imaginary parts.
typedef struct coefficients {
    double q[LINEAR_MOST][LINEAR_MOST][2];
    double v[2], a[2];
} coefficients;

static void turn_coefficients(const tn_tree_linear *lin, int k, const double complex c[3],
                              const double *const X[2], coefficients *out)
{
    TN_ASSERT(lin->group[k] >= 0);
    const int g = lin->group[k];
    const tn_group *group = &lin->t->base.groups[g];
    const int nv = lin->t->base.body[k].nv;
    const int turn = !tn_group_turns(group) || !X[0] ? nv : tn_group_turn(group);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            const size_t at = 36 * (size_t)g + (size_t)(6 * i + j);
            double complex x = i == j ? 1.0 : 0.0;
            if (i >= turn && j >= turn)
                x = CMPLX(X[0][at], X[1] ? X[1][at] : 0.0);
            out->q[i][j][0] = creal(c[0] * x);
            out->q[i][j][1] = cimag(c[0] * x);
        }
}

static inline void add_blocks(int planes, int blocks, double re, double im, const tn_vec3 *x,
                              double *E)
{
    for (int b = 0; b < blocks; b++) {
        double entry[3];
        tn_v3_to(x[b], entry);
        for (int i = 0; i < 3; i++) {
            E[3 * b + i] += re * entry[i];
            if (planes == 2)
                E[3 * (blocks + b) + i] += im * entry[i];
        }
    }
}

// E of freedom j: the motion by one unit of du.
static inline void tree_linear_solve_motion_of(int planes, int blocks, int nv,
                                               const linear_freedom *freedom, int j,
                                               const coefficients *c, double *E)
{
    const tn_vec3 none = {0, 0, 0};
    const tree_slope *s = &freedom[j].slope;
    const tn_vec3 by_v[LINEAR_BLOCKS] = {s->W.v, s->W.w, s->S.w, none, none, s->S.v};
    const tn_vec3 by_a[LINEAR_BLOCKS] = {s->S.v, s->S.w, none, none, none, none};
    for (int i = 0; i < 3 * blocks * planes; i++)
        E[i] = 0.0;
    add_blocks(planes, blocks, c->v[0], c->v[1], by_v, E);
    add_blocks(planes, blocks, c->a[0], c->a[1], by_a, E);
    for (int i = 0; i < nv; i++) {
        const tree_slope *d = &freedom[i].slope;
        const tn_vec3 by_q[LINEAR_BLOCKS] = {d->Z.v, d->Z.w, d->Y.w, d->S.w, d->S.v, d->Y.v};
        add_blocks(planes, blocks, c->q[i][j][0], c->q[i][j][1], by_q, E);
    }
}

// Pivots ------------------------------------------------------------------------------------------

// U = A E, and the sizes of the products that each number is the sum of.
static inline void times_motion(int planes, int blocks, const double *restrict A,
                                const double *restrict E, double *restrict U, double *restrict size)
{
    for (int i = 0; i < 6 * planes; i++)
        U[i] = 0.0;
    for (int i = 0; i < 6; i++)
        size[i] = 0.0;
    for (int c = 0; c < 3 * blocks; c++) {
        const double *a = A + 6 * planes * c;
        const double re = E[c], im = planes == 2 ? E[3 * blocks + c] : 0.0;
        add_times(planes, 6, re, im, a, U);
        for (int i = 0; i < 6; i++) {
            const double entry = fabs(a[i]) + (planes == 2 ? fabs(a[6 + i]) : 0.0);
            size[i] += (fabs(re) + fabs(im)) * entry;
        }
    }
}

// Elements between the body and its predecessor, by freedom j: the force on either.
static inline void add_ties(int planes, int nv, const linear_tie *tie, int j, const coefficients *c,
                            bool back, double *U)
{
    add_real(planes, 6, c->v[0], c->v[1], back ? tie[j].back[1] : tie[j].on[1], U);
    for (int i = 0; i < nv; i++)
        add_real(planes, 6, c->q[i][j][0], c->q[i][j][1], back ? tie[i].back[0] : tie[i].on[0], U);
}

typedef struct pivot {
    double D[LINEAR_MOST][LINEAR_MOST][2]; // then its inverse
    double size[LINEAR_MOST][LINEAR_MOST]; // below which an entry is nothing
} pivot;

static inline bool invert_one(int planes, pivot *p)
{
    const double re = p->D[0][0][0], im = p->D[0][0][1];
    if (planes == 1) {
        p->D[0][0][0] = 1.0 / re;
        return fabs(re) > p->size[0][0];
    }
    const double square = re * re + im * im;
    p->D[0][0][0] = re / square;
    p->D[0][0][1] = -im / square;
    return sqrt(square) > p->size[0][0];
}

// Pivots are largest against a zero in their place: freedoms have different units.
static bool invert_tree_linear_solve(int planes, int nv, pivot *p)
{
    TN_ASSERT(nv > 0 && nv <= LINEAR_MOST);
    double complex X[LINEAR_MOST][3 * LINEAR_MOST];
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            X[i][j] = CMPLX(p->D[i][j][0], planes == 2 ? p->D[i][j][1] : 0.0);
            X[i][nv + j] = i == j ? 1.0 : 0.0;
            X[i][2 * nv + j] = p->size[i][j];
        }
    if (!tn_gauss_jordan(nv, 3 * LINEAR_MOST, true, &X[0][0]))
        return false;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            p->D[i][j][0] = creal(X[i][nv + j]);
            p->D[i][j][1] = cimag(X[i][nv + j]);
        }
    return true;
}

static inline double tree_linear_solve_largest(tn_vec3 a)
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

// Elimination -------------------------------------------------------------------------------------

typedef struct elimination {
    const linear_body *b;
    const linear_freedom *freedom;
    const linear_tie *tie;
    const linear_element *element; // NULL for none
    linear_record at[LINEAR_MOST];
    double U[LINEAR_MOST][12];
    double size[LINEAR_MOST][6];
    pivot p;
} elimination;

// D = S^T U + N and the sizes that make its entries nothing.
static inline void form_pivot(int planes, int nv, const coefficients *c, const double was[2],
                              elimination *e)
{
    for (int i = 0; i < nv; i++) {
        const tn_twist S = e->freedom[i].slope.S;
        const double column[6] = {S.v.x, S.v.y, S.v.z, S.w.x, S.w.y, S.w.z};
        const double slides = tree_linear_solve_largest(S.v),
                     turns = tree_linear_solve_largest(S.w);
        for (int j = 0; j < nv; j++) {
            const double *size = e->size[j];
            double sum =
                slides * (size[0] + size[1] + size[2]) + turns * (size[3] + size[4] + size[5]);
            for (int p = 0; p < planes; p++)
                e->p.D[i][j][p] = dot6(column, e->U[j] + 6 * p);
            for (int m = 0; m < nv; m++)
                for (int p = 0; p < planes; p++) {
                    e->p.D[i][j][p] += e->freedom[m].across[i] * c->q[m][j][p];
                    sum += fabs(e->freedom[m].across[i] * c->q[m][j][p]);
                }
            e->p.size[i][j] = SINGULAR * sum + ROUNDED * (slides * was[0] + turns * was[1]);
        }
    }
}

// R = S^T A, then K = D^-1 R.
static inline void form_gain(int planes, int blocks, int nv, const double *A, elimination *e)
{
    double R[LINEAR_MOST][2 * LINEAR_MOTIONS];
    for (int i = 0; i < nv; i++) {
        const tn_twist S = e->freedom[i].slope.S;
        const double column[6] = {S.v.x, S.v.y, S.v.z, S.w.x, S.w.y, S.w.z};
        for (int m = 0; m < 3 * blocks; m++)
            for (int p = 0; p < planes; p++)
                R[i][3 * blocks * p + m] = dot6(column, A + 6 * (planes * m + p));
    }
    for (int i = 0; i < nv; i++) {
        double *K = e->at[i].K;
        for (int m = 0; m < 3 * blocks * planes; m++)
            K[m] = 0.0;
        for (int j = 0; j < nv; j++)
            add_times(planes, 3 * blocks, e->p.D[i][j][0], planes == 2 ? e->p.D[i][j][1] : 0.0,
                      R[j], K);
    }
}

// V = (U + H) shifted, and the force on the predecessor by elements between the two.
static inline void form_push(int planes, int nv, const coefficients *c, elimination *e)
{
    for (int j = 0; j < nv; j++) {
        double *V = e->at[j].V;
        for (int i = 0; i < 6 * planes; i++)
            V[i] = e->U[j][i];
        for (int i = 0; i < nv; i++) {
            const tree_force H = e->freedom[i].turned;
            const double column[6] = {H.f.x, H.f.y, H.f.z, H.n.x, H.n.y, H.n.z};
            add_real(planes, 6, c->q[i][j][0], c->q[i][j][1], column, V);
        }
        shift(planes, e->b->r, V);
        if (e->element)
            add_ties(planes, nv, e->tie, j, c, true, V);
    }
}

// The part that passes the joint: A T - V K, about the point of the predecessor.
static inline void pass_joint(int planes, int blocks, int nv, const elimination *e, double *A)
{
    for (int m = 0; m < 3 * blocks; m++) {
        double *column = A + 6 * planes * m;
        shift(planes, e->b->r, column);
        for (int j = 0; j < nv; j++)
            add_times(planes, 6, -e->at[j].K[m], planes == 2 ? -e->at[j].K[3 * blocks + m] : 0.0,
                      e->at[j].V, column);
    }
}

static inline void keep_sizes(int nv, const elimination *e, linear_carry *carry)
{
    const double arm = tree_linear_solve_largest(e->b->r);
    carry->was[0] = carry->was[1] = 0.0;
    for (int j = 0; j < nv; j++) {
        const double *size = e->size[j];
        const double f = size[0] + size[1] + size[2], n = size[3] + size[4] + size[5];
        carry->was[0] = fmax(carry->was[0], f);
        carry->was[1] = fmax(carry->was[1], n + arm * f);
    }
}

static inline bool eliminate_tree_linear_solve(int planes, int blocks, int nv,
                                               const coefficients *c, elimination *e,
                                               linear_carry *carry)
{
    double *A = carry->A;
    for (int j = 0; j < nv; j++) {
        tree_linear_solve_motion_of(planes, blocks, nv, e->freedom, j, c, e->at[j].E);
        times_motion(planes, blocks, A, e->at[j].E, e->U[j], e->size[j]);
        if (e->element)
            add_ties(planes, nv, e->tie, j, c, false, e->U[j]);
        for (int i = 0; i < 6 * planes; i++)
            e->size[j][i % 6] += fabs(e->U[j][i]);
    }
    form_pivot(planes, nv, c, carry->was, e);
    if (!(nv == 1 ? invert_one(planes, &e->p) : invert_tree_linear_solve(planes, nv, &e->p)))
        return false;
    move_down(planes, blocks, e->b, A);
    if (e->element)
        tree_linear_solve_add_element(6 * planes, blocks, e->element->below, A);
    form_gain(planes, blocks, nv, A, e);
    form_push(planes, nv, c, e);
    pass_joint(planes, blocks, nv, e, A);
    keep_sizes(nv, e, carry);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            for (int p = 0; p < planes; p++)
                e->at[i].D[LINEAR_MOST * p + j] = e->p.D[i][j][p];
    return true;
}

static inline void pass_weld(int planes, int blocks, const elimination *e, linear_carry *carry)
{
    move_down(planes, blocks, e->b, carry->A);
    if (e->element)
        tree_linear_solve_add_element(6 * planes, blocks, e->element->below, carry->A);
    for (int m = 0; m < 3 * blocks; m++)
        shift(planes, e->b->r, carry->A + 6 * planes * m);
    carry->was[1] += tree_linear_solve_largest(e->b->r) * carry->was[0];
}

static inline void carry_sum(int planes, int blocks, const linear_carry *from, linear_carry *to)
{
    for (int i = 0; i < 18 * planes * blocks; i++)
        to->A[i] += from->A[i];
    to->was[0] += from->was[0];
    to->was[1] += from->was[1];
}

static inline void carry_copy(int planes, int blocks, const linear_carry *from, linear_carry *to)
{
    memcpy(to->A, from->A, sizeof(double) * (size_t)(18 * planes * blocks));
    to->was[0] = from->was[0];
    to->was[1] = from->was[1];
}

static inline void carry_nothing(int planes, int blocks, linear_carry *carry)
{
    memset(carry->A, 0, sizeof(double) * (size_t)(18 * planes * blocks));
    carry->was[0] = carry->was[1] = 0.0;
}

// As tree_deliver.
static inline void deliver_tree_linear_solve(int planes, int blocks, const tn_tree_linear *lin,
                                             int k, linear_carry *carry)
{
    const tree_node *node = &lin->t->node[k];
    if (node->parent == k - 1)
        return;
    if (node->up >= 0) {
        if (!node->first)
            carry_sum(planes, blocks, &lin->slot[node->up], carry);
        carry_copy(planes, blocks, carry, &lin->slot[node->up]);
    }
    carry_nothing(planes, blocks, carry);
}

// Factors the joint of node k, with its subtree in `carry`; false where the pivot is singular.
static inline bool factor_place(int planes, int blocks, const tn_tree_linear *lin, int k,
                                const double complex c[3], const double *const X[2],
                                linear_carry *carry)
{
    const tn_tree_body *body = &lin->t->base.body[k];
    const linear_body *b = &lin->body[k];
    coefficients own; // set as far as the joint has freedoms
    elimination e;
    e.b = b;
    e.freedom = &lin->freedom[body->v0];
    e.tie = &lin->tie[body->v0];
    e.element = b->element < 0 ? NULL : &lin->element[b->element];
    for (int j = 0; j < body->nv; j++)
        e.at[j] = linear_at(lin->factors[planes - 1].at, planes, blocks, body->v0 + j);
    if (body->nv == 0) {
        pass_weld(planes, blocks, &e, carry);
        return true;
    }
    for (int part = 0; part < 2; part++) {
        own.v[part] = part == 0 ? creal(c[1]) : cimag(c[1]);
        own.a[part] = part == 0 ? creal(c[2]) : cimag(c[2]);
        own.q[0][0][part] = part == 0 ? creal(c[0]) : cimag(c[0]);
    }
    if (body->nv == 1)
        return eliminate_tree_linear_solve(planes, blocks, 1, &own, &e, carry);
    turn_coefficients(lin, k, c, X, &own);
    return eliminate_tree_linear_solve(planes, blocks, body->nv, &own, &e, carry);
}

// Returns the node where the pivot is singular, 0 when there is none.
static inline int factor(int planes, int blocks, tn_tree_linear *lin, const double complex c[3],
                         const double *const X[2])
{
    const tree *t = lin->t;
    linear_carry carry;
    carry_nothing(planes, blocks, &carry);
    for (int k = t->base.n - 1; k > 0; k--) {
        if (t->node[k].slot >= 0)
            carry_sum(planes, blocks, &lin->slot[t->node[k].slot], &carry);
        add_own(planes, blocks, lin, k, carry.A);
        if (!factor_place(planes, blocks, lin, k, c, X, &carry))
            return k;
        deliver_tree_linear_solve(planes, blocks, lin, k, &carry);
    }
    return 0;
}

static int factor_plane(int planes, tn_tree_linear *lin, const double complex c[3],
                        const double *const X[2])
{
    if (lin->blocks == LINEAR_BLOCKS)
        return planes == 1 ? factor(1, LINEAR_BLOCKS, lin, c, X)
                           : factor(2, LINEAR_BLOCKS, lin, c, X);
    return planes == 1 ? factor(1, LINEAR_RELATIVE, lin, c, X)
                       : factor(2, LINEAR_RELATIVE, lin, c, X);
}

tn_status tn_tree_linear_factor(tn_tree_linear *lin, int plane, const double complex c[3],
                                const double *const X[2], int *singular)
{
    TN_ASSERT(plane == 0 || plane == 1);
    const double complex real[3] = {creal(c[0]), creal(c[1]), creal(c[2])};
    const double *const real_X[2] = {X[0], NULL};
    lin->factors[plane].blocks = lin->blocks;
    const int failed = plane == 0 ? factor_plane(1, lin, real, real_X) : factor_plane(2, lin, c, X);
    if (failed > 0 && singular)
        *singular = failed;
    return failed > 0 ? TN_RETRY_SINGULAR : TN_OK;
}

// Solutions ---------------------------------------------------------------------------------------

// The right-hand sides of node k become y = D^-1 (b - S^T F), F the load on the predecessor.
static inline void tree_linear_solve_reduce_place(int planes, int blocks, int nv,
                                                  const linear_body *b,
                                                  const linear_freedom *freedom, double *at, int v0,
                                                  double *const x[2], double *F)
{
    double rest[LINEAR_MOST][2];
    for (int i = 0; i < nv; i++) {
        const tn_twist S = freedom[i].slope.S;
        const double column[6] = {S.v.x, S.v.y, S.v.z, S.w.x, S.w.y, S.w.z};
        for (int p = 0; p < planes; p++)
            rest[i][p] = x[p][v0 + i] - dot6(column, F + 6 * p);
    }
    shift(planes, b->r, F);
    for (int i = 0; i < nv; i++) {
        const linear_record record = linear_at(at, planes, blocks, v0 + i);
        double y[2] = {0.0, 0.0};
        for (int j = 0; j < nv; j++) {
            const double re = record.D[j], im = planes == 2 ? record.D[LINEAR_MOST + j] : 0.0;
            y[0] += re * rest[j][0];
            if (planes == 2) {
                y[0] -= im * rest[j][1];
                y[1] += re * rest[j][1] + im * rest[j][0];
            }
        }
        add_times(planes, 6, y[0], y[1], record.V, F);
        for (int p = 0; p < planes; p++)
            x[p][v0 + i] = y[p];
    }
}

static inline void reduce_tree_linear_solve(int planes, int blocks, tn_tree_linear *lin,
                                            double *const x[2])
{
    const tree *t = lin->t;
    double *at = lin->factors[planes - 1].at;
    double F[12] = {0.0};
    for (int k = t->base.n - 1; k > 0; k--) {
        const tree_node *node = &t->node[k];
        const tn_tree_body *body = &t->base.body[k];
        for (int i = 0; i < 6 * planes && node->slot >= 0; i++)
            F[i] += lin->fork[node->slot][i];
        if (body->nv == 1)
            tree_linear_solve_reduce_place(planes, blocks, 1, &lin->body[k],
                                           &lin->freedom[body->v0], at, body->v0, x, F);
        else
            tree_linear_solve_reduce_place(planes, blocks, body->nv, &lin->body[k],
                                           &lin->freedom[body->v0], at, body->v0, x, F);
        if (node->parent == k - 1)
            continue;
        for (int i = 0; i < 6 * planes && node->up >= 0; i++)
            lin->fork[node->up][i] = F[i] + (node->first ? 0.0 : lin->fork[node->up][i]);
        memset(F, 0, sizeof F);
    }
}

// Y_p becomes T Y_p.
static inline void tree_linear_solve_pass_on(int planes, int blocks, const linear_body *b,
                                             double *Y)
{
    for (int p = 0; p < planes; p++, Y += 3 * blocks) {
        const tn_vec3 zeta = tn_v3_from(Y + 3 * LINEAR_ZETA), eta = tn_v3_from(Y + 3 * LINEAR_ETA);
        tn_v3_to(tree_add_cross(tree_add_cross(tn_v3_from(Y + 3 * LINEAR_LAMBDA), zeta, b->r),
                                tn_v3_scale(2.0, eta), b->nu),
                 Y + 3 * LINEAR_LAMBDA);
        if (blocks < LINEAR_BLOCKS)
            continue;
        const tn_vec3 theta = tn_v3_from(Y + 3 * LINEAR_THETA);
        tn_v3_to(tree_add_cross(tn_v3_from(Y + 3 * LINEAR_PLACE), theta, b->r),
                 Y + 3 * LINEAR_PLACE);
        tn_v3_to(tree_add_cross(tree_add_cross(tn_v3_from(Y + 3 * LINEAR_SPEED), eta, b->r), theta,
                                b->nu),
                 Y + 3 * LINEAR_SPEED);
    }
}

// du = y - K Y_p, and Y of the node.
static inline void unfold_place(int planes, int blocks, int nv, const linear_body *b, double *at,
                                int v0, double *const x[2], double *Y)
{
    const int n = 3 * blocks;
    double u[LINEAR_MOST][2];
    for (int i = 0; i < nv; i++) {
        const double *K = linear_at(at, planes, blocks, v0 + i).K;
        double re = x[0][v0 + i], im = planes == 2 ? x[1][v0 + i] : 0.0;
        for (int m = 0; m < n; m++) {
            re -= K[m] * Y[m];
            if (planes == 2) {
                re += K[n + m] * Y[n + m];
                im -= K[m] * Y[n + m] + K[n + m] * Y[m];
            }
        }
        u[i][0] = x[0][v0 + i] = re;
        u[i][1] = im;
        if (planes == 2)
            x[1][v0 + i] = im;
    }
    tree_linear_solve_pass_on(planes, blocks, b, Y);
    for (int i = 0; i < nv; i++)
        add_times(planes, n, u[i][0], u[i][1], linear_at(at, planes, blocks, v0 + i).E, Y);
}

static inline void unfold_tree_linear_solve(int planes, int blocks, tn_tree_linear *lin,
                                            double *const x[2])
{
    const tree *t = lin->t;
    double *at = lin->factors[planes - 1].at;
    double Y[2 * LINEAR_MOTIONS] = {0.0};
    const size_t size = sizeof(double) * (size_t)(3 * blocks * planes);
    for (int k = 1; k < t->base.n; k++) {
        const tree_node *node = &t->node[k];
        const tn_tree_body *body = &t->base.body[k];
        if (node->parent != k - 1 && node->up >= 0)
            memcpy(Y, lin->fork[node->up], size);
        else if (node->parent != k - 1)
            memset(Y, 0, size);
        if (body->nv == 1)
            unfold_place(planes, blocks, 1, &lin->body[k], at, body->v0, x, Y);
        else
            unfold_place(planes, blocks, body->nv, &lin->body[k], at, body->v0, x, Y);
        if (node->slot >= 0)
            memcpy(lin->fork[node->slot], Y, size);
    }
}

static inline void solve(int planes, int blocks, tn_tree_linear *lin, double *const x[2])
{
    reduce_tree_linear_solve(planes, blocks, lin, x);
    unfold_tree_linear_solve(planes, blocks, lin, x);
}

void tn_tree_linear_solve(tn_tree_linear *lin, double *re, double *im)
{
    TN_ASSERT(re != im && lin->factors[im != NULL].blocks > 0);
    double *const x[2] = {re, im};
    if (lin->factors[im != NULL].blocks == LINEAR_BLOCKS)
        im ? solve(2, LINEAR_BLOCKS, lin, x) : solve(1, LINEAR_BLOCKS, lin, x);
    else
        im ? solve(2, LINEAR_RELATIVE, lin, x) : solve(1, LINEAR_RELATIVE, lin, x);
}
