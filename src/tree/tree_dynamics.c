// SPDX-License-Identifier: MIT
//
// The explicit formalism [Arn16, Table 1] after the kinematics: condensed inertias and forces going
// backwards (57), accelerations going forwards (58), (59); in Featherstone's words the articulated
// body algorithm. With the composite inertia I of a body and its subtree, the force F that it takes
// to give it no acceleration, and the columns S of its joint,
//
//   U = I S,  D = S^T U,  F' = F + I (cl; ca),  h = D^-1 (tau - S^T F'),
//   the predecessor gets  I - U D^-1 U^T  and  F' + U h,  both about its own reference point,
//   v' = h - (D^-1 U^T) a_p,   a = a_p + c + S v'.
//
// [Arn16, Lemma 3] with K = 1, H = -(shift to P), J = -S, mu = I a + F. U is shifted instead of the
// accelerations: one product less on the way forwards, whose latency a long chain waits for.
//
// Revolute and prismatic joints take S = (0; z) or (z; 0) and divide once. Other joints have the
// Cholesky factor D = L L^T and W = U L^-T. D is singular where nothing that the joint carries has
// inertia in one of its freedoms: that is for tree_massless.c.

#include "tree/tree_massless.h"
#include "tree/tree_parts.h"
#include "tree/tree_subtrees.h"

#include <math.h>

// The bound of D against the inertia in any direction: above that it is no round-off, below it may
// be. The first of N links in a straight chain has N^-3 of the inertia across it, and long chains
// are none the worse for it; a small one is measured with care then (tree_massless.c), once, and
// trusted to stay positive after that.
static const double DOUBTFUL = 1e-13;

// Backwards ---------------------------------------------------------------------------------------

// Returns the node where D is too small, 0 when there is none.
static inline int condense_axes(tree *t, tree_run run, bool slides, bool bias, double least,
                                const double *tau, tree_carry *carry)
{
    tree_carry c = *carry;
    const double *own = tau ? tau + t->base.body[run.first].v0 : NULL;
    for (int k = run.end - 1; k >= run.first; k--) {
        tree_gather_body(t, k, &c, bias);
        const tree_sym *all = slides ? &c.I.A : &c.I.C;
        const double most = all->xx + all->yy + all->zz;
        const double D = tree_eliminate(&t->link[k], &t->pivot[k], t->link[k].z, slides, bias,
                                        false, own ? own[k - run.first] : 0.0, &c);
        if (!(D > least * most))
            return k;
        tree_deliver(t, k, &c);
    }
    *carry = c;
    return 0;
}

// The next row of L and column of W. Pivots are measured against the inertia along the column.
static bool next_column(const tree_inertia *I, double least, tree_column *columns, int i)
{
    TN_ASSERT(i >= 0 && i < 6);
    tree_column *c = &columns[i];
    const tree_force none = {{0, 0, 0}, {0, 0, 0}};
    tree_force U = tree_inertia_add(none, I, c->S.v, c->S.w);
    for (int j = 0; j < i; j++) {
        const tree_column *d = &columns[j];
        const double product = tn_power((tn_wrench){d->wf, d->ws}, c->S);
        c->L[j] = product;
        U.f = tn_v3_axpy(-product, d->wf, U.f);
        U.n = tn_v3_axpy(-product, d->ws, U.n);
    }
    const double pivot = tree_power(U, c->S);
    const double most = tn_v3_dot(c->S.v, c->S.v) * (I->A.xx + I->A.yy + I->A.zz) +
                        tn_v3_dot(c->S.w, c->S.w) * (I->C.xx + I->C.yy + I->C.zz);
    if (!(pivot > least * most))
        return false;
    c->L[i] = sqrt(pivot);
    c->wf = tn_v3_scale(1.0 / c->L[i], U.f);
    c->ws = tn_v3_scale(1.0 / c->L[i], U.n);
    return true;
}

// y = L^-1 (tau - S^T F'), F' + W y.
static void apply_columns(int nv, const tree_column *columns, const double *tau, double *y,
                          tree_force *F)
{
    for (int i = 0; i < nv; i++) {
        double sum = (tau ? tau[i] : 0.0) - tree_power(*F, columns[i].S);
        for (int j = 0; j < i; j++)
            sum -= columns[i].L[j] * y[j];
        y[i] = sum / columns[i].L[i];
    }
    for (int i = 0; i < nv; i++) {
        F->f = tn_v3_axpy(y[i], columns[i].wf, F->f);
        F->n = tn_v3_axpy(y[i], columns[i].ws, F->n);
    }
}

static bool condense_general(tree *t, int k, bool bias, double least, const double *tau,
                             tree_carry *c)
{
    TN_ASSERT(t->wide[k] || t->base.body[k].nv == 0);
    const tn_tree_body *body = &t->base.body[k];
    const tree_link *link = &t->link[k];
    tree_column *columns = t->wide[k];
    tree_gather_body(t, k, c, bias);
    for (int i = 0; i < body->nv; i++)
        if (!next_column(&c->I, least, columns, i))
            return false;
    if (bias) {
        c->F = tree_inertia_add(c->F, &c->I, link->cl, link->ca);
        apply_columns(body->nv, columns, tau ? tau + body->v0 : NULL, t->work + body->v0, &c->F);
        c->F = tree_force_shift(c->F, link->r);
    }
    tree_inertia_shift(&c->I, link->r);
    for (int i = 0; i < body->nv; i++) {
        tree_column *w = &columns[i];
        w->ws = tree_add_cross(w->ws, link->r, w->wf);
        tree_sym_less(&c->I.A, w->wf, w->wf);
        tree_mat_less(&c->I.H, w->wf, w->ws);
        tree_sym_less(&c->I.C, w->ws, w->ws);
    }
    tree_deliver(t, k, c);
    return true;
}

static inline int condense_run(tree *t, tree_run run, bool bias, double least, const double *tau,
                               tree_carry *carry)
{
    switch (run.kind) {
    case TREE_REVOLUTE:
        return condense_axes(t, run, false, bias, least, tau, carry);
    case TREE_FLAT_TURN:
    case TREE_FLAT_SLIDE:
        return tn_tree_flat_condense(t, run, bias, least, tau, carry);
    case TREE_PRISMATIC:
        return condense_axes(t, run, true, bias, least, tau, carry);
    default:
        for (int k = run.end - 1; k >= run.first; k--)
            if (!condense_general(t, k, bias, least, tau, carry))
                return k;
        return 0;
    }
}

typedef struct condensing {
    bool bias;
    double least;
    const double *tau;
} condensing;

static int condense_part(tree *t, tree_run run, tree_carry *carry, void *user)
{
    const condensing *c = user;
    if (c->bias)
        return condense_run(t, run, true, c->least, c->tau, carry);
    return condense_run(t, run, false, c->least, NULL, carry);
}

// The node of a joint without inertia, 0 for none; `none` that there is none.
static int measure_tree_dynamics(tree *t, bool *none)
{
    const int place = tn_tree_massless_place(t);
    *none = place == 0;
    return place;
}

// Everything is measured the first time: inertias that are all round-off seem to be inertia.
static tn_status tree_dynamics_condense(tree *t, bool bias, const double *tau, int *singular)
{
    int failed = t->regular ? 0 : measure_tree_dynamics(t, &t->regular);
    bool again = failed == 0;
    while (again) {
        condensing c = {bias, t->trusted ? 0.0 : DOUBTFUL, tau};
        t->massless = false;
        failed = tn_tree_backward(t, condense_part, &c);
        again = failed > 0 && !t->trusted;
        if (again)
            failed = measure_tree_dynamics(t, &t->trusted);
        again = again && t->trusted;
    }
    if (failed > 0 && singular)
        *singular = failed;
    return failed > 0 ? TN_RETRY_SINGULAR : TN_OK;
}

// Forwards ----------------------------------------------------------------------------------------

// Without bias the right-hand sides h are in `x` and velocities do not count.
static inline void unfold_axes(tree *t, tree_run run, bool slides, bool bias, double *x)
{
    double *own = x + t->base.body[run.first].v0;
    tree_accel a = t->accel[t->node[run.first].parent];
    for (int k = run.first; k < run.end; k++) {
        const tree_link *link = &t->link[k];
        const tree_pivot *pivot = &t->pivot[k];
        if (t->node[k].parent != k - 1)
            a = t->accel[t->node[k].parent];
        double *xk = &own[k - run.first];
        *xk = tree_unfold_axis(link, pivot, link->z, slides, bias, bias ? pivot->h : *xk, &a);
        if (t->node[k].slot >= 0)
            t->accel[k] = a;
    }
    t->accel[run.end - 1] = a;
}

static void unfold_general(tree *t, int k, bool bias, const double *y, double *x)
{
    TN_ASSERT(t->wide[k] || t->base.body[k].nv == 0);
    const tree_column *columns = t->wide[k];
    const int nv = t->base.body[k].nv, v0 = t->base.body[k].v0;
    const tree_accel a = t->accel[t->node[k].parent];
    tree_accel next = tree_carried(&t->link[k], a, bias);
    for (int i = nv - 1; i >= 0; i--) {
        double sum = y[v0 + i] - tn_v3_dot(columns[i].wf, a.l) - tn_v3_dot(columns[i].ws, a.al);
        for (int j = i + 1; j < nv; j++)
            sum -= columns[j].L[i] * x[v0 + j];
        x[v0 + i] = sum / columns[i].L[i];
    }
    for (int i = 0; i < nv; i++)
        next = tree_moved(next, x[v0 + i], columns[i].S);
    t->accel[k] = next;
}

static inline void unfold_run(tree *t, tree_run run, bool bias, const double *y, double *x)
{
    switch (run.kind) {
    case TREE_REVOLUTE:
        unfold_axes(t, run, false, bias, x);
        break;
    case TREE_FLAT_TURN:
    case TREE_FLAT_SLIDE:
        tn_tree_flat_unfold(t, run, bias, x);
        break;
    case TREE_PRISMATIC:
        unfold_axes(t, run, true, bias, x);
        break;
    default:
        for (int k = run.first; k < run.end; k++)
            unfold_general(t, k, bias, y, x);
    }
}

typedef struct unfolding {
    bool bias;
    const double *y;
    double *x;
} unfolding;

static void unfold_part(tree *t, tree_run run, void *user)
{
    const unfolding *u = user;
    if (u->bias)
        unfold_run(t, run, true, u->y, u->x);
    else
        unfold_run(t, run, false, u->y, u->x);
}

static void unfold_tree_dynamics(tree *t, bool bias, tn_vec3 ground, const double *y, double *x)
{
    t->accel[0] = (tree_accel){ground, {0, 0, 0}};
    tn_tree_forward(t, unfold_part, &(unfolding){bias, y, x});
}

tn_status tn_tree_accelerate(tn_tree *self, const double *tau, double *vdot, int *singular)
{
    TN_ASSERT(tau != vdot || !tau);
    tree *t = (tree *)self;
    TN_TRY(tree_dynamics_condense(t, true, tau, singular));
    // Gravity is an acceleration of the ground upwards.
    unfold_tree_dynamics(t, true, tn_v3_neg(self->model->gravity), t->work, vdot);
    return TN_OK;
}

// Solutions ---------------------------------------------------------------------------------------

tn_status tn_tree_factor(tn_tree *self, int *singular)
{
    return tree_dynamics_condense((tree *)self, false, NULL, singular);
}

// Adds U D^-1 (b - S^T F) to the force F of node k, about its predecessor; b becomes h, of joints
// with any freedoms y.
static inline tree_force tree_dynamics_reduce_place(const tree *t, int k, tree_force F, double *b)
{
    const tree_link *link = &t->link[k];
    const tree_pivot *pivot = &t->pivot[k];
    const tree_column *columns = t->wide[k];
    const tree_force at = F;
    F = tree_force_shift(F, link->r);
    if (!columns) {
        const double u = *b - tree_power(at, tree_column_at(t, k, 0));
        *b = pivot->Di * u;
        return (tree_force){tn_v3_axpy(u, pivot->wf, F.f), tn_v3_axpy(u, pivot->ws, F.n)};
    }
    for (int i = 0; i < t->base.body[k].nv; i++) {
        double sum = b[i] - tree_power(at, columns[i].S);
        for (int j = 0; j < i; j++)
            sum -= columns[i].L[j] * b[j];
        b[i] = sum / columns[i].L[i];
        F.f = tn_v3_axpy(b[i], columns[i].wf, F.f);
        F.n = tn_v3_axpy(b[i], columns[i].ws, F.n);
    }
    return F;
}

static tree_force reduce_place(const tree *t, int k, tree_force F, double *b)
{
    if (t->massless)
        return tn_tree_massless_reduce(t, k, F, b);
    return t->node[k].kind == TREE_WELD ? tree_force_shift(F, t->link[k].r)
                                        : tree_dynamics_reduce_place(t, k, F, b);
}

// The backward recursion for forces alone.
void tn_tree_reduce(tn_tree *self, double *b)
{
    tree *t = (tree *)self;
    const tree_force none = {{0, 0, 0}, {0, 0, 0}};
    tree_force F = none;
    for (int k = t->base.n - 1; k > 0; k--) {
        const tree_node *node = &t->node[k];
        if (node->slot >= 0)
            F = tree_force_sum(F, t->slot[node->slot].F);
        F = reduce_place(t, k, F, b + t->base.body[k].v0);
        if (node->parent == k - 1)
            continue;
        if (node->up >= 0)
            t->slot[node->up].F = node->first ? F : tree_force_sum(F, t->slot[node->up].F);
        F = none;
    }
}

void tn_tree_expand(tn_tree *self, double *h)
{
    unfold_tree_dynamics((tree *)self, false, tn_v3(0, 0, 0), h, h);
}

// The forces of all rows that a node hands down.
typedef struct reduced_rows {
    int place;     // current node, 0 for the ground
    const int *at; // values from there on
    tree_force F[TN_TREE_ROWS];
} reduced_rows;

// Joins paths that have come to the same node: one goes on, with the forces of all.
static reduced_rows *join_ways(int n, reduced_rows *way, int count)
{
    reduced_rows *first = &way[0];
    for (int i = 1; i < n; i++)
        first = way[i].place > first->place ? &way[i] : first;
    for (int i = 0; i < n && first->place > 0; i++)
        if (&way[i] != first && way[i].place == first->place) {
            for (int k = 0; k < count; k++)
                first->F[k] = tree_force_sum(first->F[k], way[i].F[k]);
            way[i].place = 0;
        }
    return first;
}

static void reduce_rows_at(const tree *t, reduced_rows *way, int count, double *x)
{
    const int k = way->place, nv = t->base.body[k].nv;
    for (int i = 0; i < count; i++) {
        double b[6];
        for (int c = 0; c < nv; c++)
            b[c] = x[way->at[c] + i];
        way->F[i] = nv > 0 ? tree_dynamics_reduce_place(t, k, way->F[i], b)
                           : tree_force_shift(way->F[i], t->link[k].r);
        for (int c = 0; c < nv; c++)
            x[way->at[c] + i] = b[c];
    }
    way->at += nv;
    way->place = t->node[k].parent;
}

void tn_tree_reduce_rows(const tn_tree *self, int nend, const tn_tree_end *end, int count,
                         double *x)
{
    enum { ENDS = 4 };
    TN_ASSERT(nend <= ENDS && count <= TN_TREE_ROWS);
    const tree *t = (const tree *)self;
    reduced_rows way[ENDS];
    for (int i = 0; i < nend; i++) {
        way[i].place = end[i].place;
        way[i].at = end[i].at;
        for (int k = 0; k < count; k++)
            way[i].F[k] = (tree_force){{0, 0, 0}, {0, 0, 0}};
    }
    reduced_rows *next = join_ways(nend, way, count);
    for (; next->place > 0; next = join_ways(nend, way, count))
        reduce_rows_at(t, next, count, x);
}

void tn_tree_solve(tn_tree *self, double *b)
{
    tree *t = (tree *)self;
    if (t->massless) {
        tn_tree_solve_massless(self, b, NULL);
        return;
    }
    tn_tree_reduce(self, b);
    tn_tree_expand(self, b);
}

void tn_tree_pivots(const tn_tree *self, double *d)
{
    const tree *t = (const tree *)self;
    for (int k = 1; k < self->n; k++)
        for (int i = 0; i < self->body[k].nv; i++)
            d[self->body[k].v0 + i] = t->wide[k] ? 1.0 : 1.0 / t->pivot[k].Di;
}
