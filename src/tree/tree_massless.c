// SPDX-License-Identifier: MIT
//
// The explicit formalism with pseudo-inverses [Arn13, eq. 17, 18, 28]; the letters are those of
// tree_dynamics.c. With e_i, the least inertia that counts in freedom i of a joint,
//
//   E D E = X Lambda X^T,   E = diag(e_i^-1/2),   T = E X_r Lambda_r^-1/2,   Z = E X_0
//
// where Lambda_r > 1, splits the freedoms of the joint into those with inertia, T^T D T = 1, and
// the singular directions Z, D Z = 0. As I is semidefinite, U Z = I S Z = 0 as well, so that T T^T
// takes the place of D^-1:
//
//   W = U T,   y = T^T (tau - S^T F'),   the predecessor gets  I - W W^T  and  F' + W y,
//   v' = T (y - W^T a_p),               gamma = Z^T (tau - S^T F') - (U Z)^T a_p.
//
// The last term of gamma is that of inertias which are too small to count; it makes gamma the exact
// remainder. Accelerations in singular directions are set to zero; those of the bodies that stand
// on them then differ from the true ones by a motion N, of which no force knows. [Arn13, eq. 24b]
// skips these bodies instead, for which it assumes that they are isolated (23).
//
// Decides if an inertia counts. It is measured against I + Q, that of the same bodies with their
// child joints locked, where Q = W W^T is the part that these have taken out, and against the
// largest numbers that went into it, of which elimination leaves round-off in place of zero. The
// mass matrix, in which all joints are locked, would be no measure: the first of N links in a chain
// has N^-3 of it. So Q fades by a half with each joint whose freedoms all count, and is passed on
// by the others: of several small masses in a row each is measured against the large one. For
// orders of magnitude the diagonal of Q will do.

#include "tree/tree_massless.h"

#include "linalg/dense.h"
#include "tree/tree_parts.h"

#include <float.h>
#include <math.h>

static const double DEFAULT_TOL = 1e-10; // far below parts of real mechanisms
static const double NOISE = 1e-14;       // the rest of elimination for zero, and some margin
static const double REST = 1e-11;        // of the largest in a motion: round-off after a few joints

enum { MOST = 6, MOST_SWEEPS = 30 }; // freedoms of a joint; Jacobi's method needs about five

// The scale of inertia: diagonals, of mass and of moments.
typedef struct tree_scale {
    tn_vec3 QA, QC; // of inertia that joints have taken out
    tn_vec3 A, C;   // of the largest inertias that are carried
    double mass;    // trace of the masses that are left
} tree_scale;

static inline tn_vec3 tree_massless_larger(tn_vec3 a, tn_vec3 b)
{
    return tn_v3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static inline tn_vec3 tree_massless_squares(tn_vec3 a)
{
    return tn_v3(a.x * a.x, a.y * a.y, a.z * a.z);
}

static inline double sum_tree_massless(tn_vec3 a)
{
    return a.x + a.y + a.z;
}

static inline void scale_sum(tree_scale *a, const tree_scale *b)
{
    a->QA = tn_v3_add(a->QA, b->QA);
    a->QC = tn_v3_add(a->QC, b->QC);
    a->A = tree_massless_larger(a->A, b->A);
    a->C = tree_massless_larger(a->C, b->C);
}

// Column j of U (T, Z), about the reference point of the predecessor.
static inline tree_force weight(const tree *t, int k, int j)
{
    if (t->wide[k])
        return (tree_force){t->wide[k][j].wf, t->wide[k][j].ws};
    return (tree_force){t->pivot[k].wf, t->pivot[k].ws};
}

// Entry of (T, Z).
static inline double basis(const tree *t, int k, int i, int j)
{
    return t->wide[k] ? t->wide[k][i].L[j] : t->pivot[k].Di;
}

void tn_tree_massless_init(tree *t)
{
    double total = 0.0;
    int count = 0;
    for (int k = 1; k < t->base.n; k++) {
        const tree_mass *mass = &t->mass[k];
        if (mass->m > 0.0 && ++count)
            total += tn_v3_norm(mass->mc) / mass->m;
        if (t->node[k].parent > 0 && ++count) // its distance from the origin does not matter
            total += tn_v3_norm(t->at[k].d);
    }
    t->length = count > 0 ? total / count : 0.0;
    t->singular_tol = DEFAULT_TOL;
}

void tn_tree_set_singular_tol(tn_tree *self, double tol)
{
    TN_ASSERT(tol >= 0.0 && tol < 1.0);
    ((tree *)self)->singular_tol = tol;
}

// The freedoms of a joint -------------------------------------------------------------------------

// One rotation of Jacobi's method that makes A[p][q] vanish; X collects the eigenvectors.
static void rotate(int n, double A[MOST][MOST], double X[MOST][MOST], int p, int q)
{
    TN_ASSERT(p != q && p < n && q < n && A[p][q] != 0.0);
    const double theta = 0.5 * (A[q][q] - A[p][p]) / A[p][q];
    const double tangent = copysign(1.0, theta) / (fabs(theta) + hypot(theta, 1.0));
    const double c = 1.0 / hypot(tangent, 1.0), s = c * tangent;
    for (int i = 0; i < n; i++) {
        const double a = A[i][p], b = A[i][q], x = X[i][p], y = X[i][q];
        A[i][p] = c * a - s * b;
        A[i][q] = s * a + c * b;
        X[i][p] = c * x - s * y;
        X[i][q] = s * x + c * y;
    }
    for (int i = 0; i < n; i++) {
        const double a = A[p][i], b = A[q][i];
        A[p][i] = c * a - s * b;
        A[q][i] = s * a + c * b;
    }
}

// Eigenvalues on the diagonal of A, eigenvectors in the columns of X. Entries that do not count are
// left as they are, so that freedoms that do not mix are directions of their own.
static void diagonalise(int n, double A[MOST][MOST], double X[MOST][MOST])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            X[i][j] = i == j;
    bool turned = true;
    for (int sweep = 0; turned && sweep < MOST_SWEEPS; sweep++) {
        turned = false;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                const bool counts = A[p][p] > 1.0 || A[q][q] > 1.0;
                const double size = fmax(1.0, sqrt(fabs(A[p][p] * A[q][q])));
                if (!counts || !(fabs(A[p][q]) > DBL_EPSILON * size))
                    continue;
                rotate(n, A, X, p, q);
                turned = true;
            }
    }
}

// A singular direction as it is handed out: of length one, its largest component positive.
static double tree_massless_length_of(int n, const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fabs(x[i]) > fabs(largest) ? x[i] : largest;
    double square = 0.0;
    for (int i = 0; i < n; i++)
        square += x[i] * x[i];
    return copysign(sqrt(square), largest);
}

// The least inertia along S that counts, where there is D. Turning is also measured against all
// masses at the mean length of links.
static inline double tree_massless_threshold(const tree *t, const tree_scale *scale, tn_twist S,
                                             double D)
{
    const tn_vec3 v = tree_massless_squares(S.v), w = tree_massless_squares(S.w);
    const double round = t->length * t->length * sum_tree_massless(w) / 3.0;
    const double locked = D + tn_v3_dot(v, scale->QA) + tn_v3_dot(w, scale->QC);
    const double largest = tn_v3_dot(v, scale->A) + tn_v3_dot(w, scale->C);
    return fmax(t->singular_tol * (locked + round * (scale->mass + sum_tree_massless(scale->QA))),
                NOISE * (largest + round * sum_tree_massless(scale->A)));
}

// X = L^-T of A = L L^T where the trace of A^-1 = X X^T shows that all eigenvalues are above one.
static bool is_regular(int n, double A[MOST][MOST], double X[MOST][MOST])
{
    double trace = 0.0;
    for (int j = 0; j < n; j++) { // column j of X is A-orthogonal to those before
        double product[MOST], square = A[j][j];
        for (int k = 0; k < j; k++) {
            product[k] = 0.0;
            for (int i = 0; i <= k; i++)
                product[k] += X[i][k] * A[i][j];
            square -= product[k] * product[k];
        }
        if (!(square > 1.0))
            return false;
        for (int i = 0; i <= j; i++) {
            X[i][j] = i == j;
            for (int k = i; k < j; k++)
                X[i][j] -= product[k] * X[i][k];
            X[i][j] /= sqrt(square);
            X[j][i] = i == j ? X[j][j] : 0.0;
            trace += X[i][j] * X[i][j];
        }
    }
    return trace < 1.0;
}

// A column of (T, Z), in the rows L, and of U (T, Z).
static void put_column(int n, const double *x, double scale, const tree_force *U, tree_column *to,
                       tree_column *rows)
{
    TN_ASSERT(to - rows < n);
    to->wf = to->ws = tn_v3(0, 0, 0);
    for (int i = 0; i < n; i++) {
        const double entry = rows[i].L[to - rows] = scale * x[i];
        to->wf = tn_v3_axpy(entry, U[i].f, to->wf);
        to->ws = tn_v3_axpy(entry, U[i].n, to->ws);
    }
}

static int split_general(const tree *t, int n, const tree_scale *scale, const tree_force *U,
                         tree_column *c)
{
    TN_ASSERT(n > 0 && n <= MOST);
    double A[MOST][MOST], X[MOST][MOST], E[MOST];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++)
            A[i][j] = tree_power(U[j], c[i].S);
        const double least = tree_massless_threshold(t, scale, c[i].S, A[i][i]);
        E[i] = least > 0.0 ? 1.0 / sqrt(least) : 1.0;
        for (int j = 0; j <= i; j++)
            A[i][j] = A[j][i] = E[i] * E[j] * A[i][j];
    }
    const bool regular = is_regular(n, A, X);
    if (!regular)
        diagonalise(n, A, X);
    int rank = 0;
    for (int j = 0; j < n; j++)
        rank += regular || A[j][j] > 1.0;
    for (int j = 0, with = 0, without = rank; j < n; j++) {
        const bool counts = regular || A[j][j] > 1.0;
        double x[MOST];
        for (int i = 0; i < n; i++)
            x[i] = E[i] * X[i][j];
        const double size = regular ? 1.0 : counts ? sqrt(A[j][j]) : tree_massless_length_of(n, x);
        put_column(n, x, 1.0 / size, U, &c[counts ? with++ : without++], c);
    }
    return rank;
}

static int split_axis(const tree *t, const tree_scale *scale, tn_twist S, tree_force U,
                      tree_pivot *pivot)
{
    const double D = tree_power(U, S);
    const bool counts = D > tree_massless_threshold(t, scale, S, D);
    pivot->Di = counts ? 1.0 / sqrt(D) : 1.0;
    pivot->wf = tn_v3_scale(pivot->Di, U.f);
    pivot->ws = tn_v3_scale(pivot->Di, U.n);
    return counts;
}

// Backwards ---------------------------------------------------------------------------------------

// The basis of node k and its rank, from its composite inertia; U (T, Z) about its own reference
// point.
static void split_tree_massless(tree *t, int k, const tree_inertia *I, const tree_scale *scale)
{
    const tree_force none = {{0, 0, 0}, {0, 0, 0}};
    const int nv = t->base.body[k].nv;
    tree_force U[MOST];
    for (int i = 0; i < nv; i++) {
        const tn_twist S = tree_column_at(t, k, i);
        U[i] = tree_inertia_add(none, I, S.v, S.w);
    }
    int rank = 0;
    if (t->wide[k])
        rank = split_general(t, nv, scale, U, t->wide[k]);
    else if (nv > 0)
        rank = split_axis(t, scale, tree_column_at(t, k, 0), U[0], &t->pivot[k]);
    t->node[k].rank = (unsigned char)rank;
}

tree_force tn_tree_massless_reduce(const tree *t, int k, tree_force F, double *b)
{
    const int nv = t->base.body[k].nv;
    double u[MOST];
    for (int i = 0; i < nv; i++)
        u[i] = b[i] - tree_power(F, tree_column_at(t, k, i));
    F = tree_force_shift(F, t->link[k].r);
    for (int j = 0; j < nv; j++) {
        b[j] = 0.0;
        for (int i = 0; i < nv; i++)
            b[j] += basis(t, k, i, j) * u[i];
        if (j < t->node[k].rank) {
            const tree_force W = weight(t, k, j);
            F = (tree_force){tn_v3_axpy(b[j], W.f, F.f), tn_v3_axpy(b[j], W.n, F.n)};
        }
    }
    return F;
}

// Moves the inertia and U (T, Z) to the predecessor and takes out the part that the joint yields: W
// W^T.
static void reduce_inertia(tree *t, int k, tree_inertia *I)
{
    const tn_vec3 r = t->link[k].r;
    tree_inertia_shift(I, r);
    for (int j = 0; j < t->base.body[k].nv; j++) {
        tn_vec3 *wf = t->wide[k] ? &t->wide[k][j].wf : &t->pivot[k].wf;
        tn_vec3 *ws = t->wide[k] ? &t->wide[k][j].ws : &t->pivot[k].ws;
        *ws = tree_add_cross(*ws, r, *wf);
        if (j >= t->node[k].rank)
            continue;
        tree_sym_less(&I->A, *wf, *wf);
        tree_mat_less(&I->H, *wf, *ws);
        tree_sym_less(&I->C, *ws, *ws);
    }
}

// Adds node k to the results of its successors; false where numbers are not finite.
static inline bool grow_tree_massless(const tree_inertia *I, tree_scale *scale)
{
    const tn_vec3 A = {I->A.xx, I->A.yy, I->A.zz}, C = {I->C.xx, I->C.yy, I->C.zz};
    scale->A = tree_massless_larger(scale->A, A);
    scale->C = tree_massless_larger(scale->C, C);
    scale->mass = sum_tree_massless(A);
    return isfinite(scale->mass + sum_tree_massless(C));
}

// Leaves the results for the predecessor, after the inertia.
static inline void tree_massless_pass_on(const tree *t, int k, tree_scale *scale)
{
    const tn_tree_body *body = &t->base.body[k];
    const double rr = tn_v3_dot(t->link[k].r, t->link[k].r);
    const double fading = body->nv > 0 && t->node[k].rank == body->nv ? 0.5 : 1.0;
    const double lever = rr * sum_tree_massless(scale->A),
                 taken = rr * sum_tree_massless(scale->QA);
    scale->C = tree_massless_larger(scale->C, tn_v3(lever, lever, lever));
    scale->QC = tn_v3_scale(fading, tn_v3_add(scale->QC, tn_v3(taken, taken, taken)));
    scale->QA = tn_v3_scale(fading, scale->QA);
    for (int j = 0; j < t->node[k].rank; j++) {
        const tree_force W = weight(t, k, j);
        scale->QA = tn_v3_add(scale->QA, tree_massless_squares(W.f));
        scale->QC = tn_v3_add(scale->QC, tree_massless_squares(W.n));
    }
}

static bool condense_place(tree *t, int k, bool bias, const double *tau, tree_carry *c,
                           tree_scale *scale)
{
    const tree_link *link = &t->link[k];
    const tn_tree_body *body = &t->base.body[k];
    tree_gather_body(t, k, c, bias);
    if (!grow_tree_massless(&c->I, scale))
        return false;
    split_tree_massless(t, k, &c->I, scale);
    if (bias)
        c->F = tree_inertia_add(c->F, &c->I, link->cl, link->ca);
    reduce_inertia(t, k, &c->I);
    tree_massless_pass_on(t, k, scale);
    if (bias) {
        double *y = t->work + body->v0;
        for (int i = 0; i < body->nv; i++)
            y[i] = tau ? tau[body->v0 + i] : 0.0;
        c->F = tn_tree_massless_reduce(t, k, c->F, y);
    }
    return true;
}

static tn_status not_finite(const tree *t, int k)
{
    const tn_tree_body *body = &t->base.body[k];
    return tn_fail(TN_RETRY_SINGULAR,
                   "body '%s': its inertia or that of what stands on it is not a finite number",
                   tn_model_body_name(t->base.model, (tn_body){body->body}));
}

// Returns the node whose inertia is not finite, 0 for none.
static int tree_massless_condense(tree *t, bool bias, const double *tau)
{
    const tree_scale nothing = {.A = {0, 0, 0}};
    tree_scale scales[TREE_SLOTS], scale = nothing;
    tree_carry carry = tree_nothing();
    for (int k = t->base.n - 1; k > 0; k--) {
        const tree_node *node = &t->node[k];
        if (node->slot >= 0)
            scale_sum(&scale, &scales[node->slot]);
        if (!condense_place(t, k, bias, tau, &carry, &scale))
            return k;
        tree_deliver(t, k, &carry);
        if (node->parent == k - 1)
            continue;
        if (node->up >= 0) {
            if (!node->first)
                scale_sum(&scale, &scales[node->up]);
            scales[node->up] = scale;
        }
        scale = nothing;
    }
    t->massless = true;
    return 0;
}

// Forwards ----------------------------------------------------------------------------------------

// x = T (y - W^T a_p), and the same with Z for gamma, after the first rank entries of `left`. y may
// be x, or NULL for zero.
static void unfold_place(tree *t, int k, bool bias, const double *y, double *x, double *left)
{
    const tree_accel a = t->accel[t->node[k].parent];
    const int nv = t->base.body[k].nv;
    tree_accel next = tree_carried(&t->link[k], a, bias);
    for (int j = 0; j < nv; j++) {
        const tree_force W = weight(t, k, j);
        left[j] = (y ? y[j] : 0.0) - tn_v3_dot(W.f, a.l) - tn_v3_dot(W.n, a.al);
    }
    for (int i = 0; i < nv; i++) {
        x[i] = 0.0;
        for (int j = 0; j < t->node[k].rank; j++)
            x[i] += basis(t, k, i, j) * left[j];
        next = tree_moved(next, x[i], tree_column_at(t, k, i));
    }
    t->accel[k] = next;
}

// The singular directions of node k.
static int list(const tree *t, int k, const double *left, tn_tree_massless *out)
{
    const tn_tree_body *body = &t->base.body[k];
    int count = 0;
    for (int j = t->node[k].rank; j < body->nv; j++) {
        out[count] = (tn_tree_massless){.place = k, .v0 = body->v0, .nv = body->nv};
        for (int i = 0; i < body->nv; i++)
            out[count].direction[i] = basis(t, k, i, j);
        out[count++].gamma = left ? left[j] : 0.0;
    }
    return count;
}

tn_status tn_tree_accelerate_massless(tn_tree *self, const double *tau, double *vdot, int *count,
                                      tn_tree_massless *out)
{
    tree *t = (tree *)self;
    double left[MOST];
    const int bad = tree_massless_condense(t, true, tau);
    if (bad > 0)
        return not_finite(t, bad);
    // Gravity is an acceleration of the ground upwards.
    t->accel[0] = (tree_accel){tn_v3_neg(self->model->gravity), {0, 0, 0}};
    *count = 0;
    for (int k = 1; k < self->n; k++) {
        const int v0 = self->body[k].v0;
        unfold_place(t, k, true, t->work + v0, vdot + v0, left);
        *count += list(t, k, left, out + *count);
    }
    return TN_OK;
}

tn_status tn_tree_factor_massless(tn_tree *self, int *count, tn_tree_massless *out)
{
    tree *t = (tree *)self;
    int n = 0;
    const int bad = tree_massless_condense(t, false, NULL);
    if (bad > 0)
        return not_finite(t, bad);
    for (int k = 1; k < self->n; k++)
        n += out ? list(t, k, NULL, out + n) : self->body[k].nv - t->node[k].rank;
    if (count)
        *count = n;
    return TN_OK;
}

int tn_tree_massless_place(tree *t)
{
    const double tol = t->singular_tol;
    t->singular_tol = 0.0;
    const int bad = tree_massless_condense(t, false, NULL);
    t->singular_tol = tol;
    if (bad > 0)
        return bad;
    int k = t->base.n - 1;
    while (k > 0 && t->node[k].rank == t->base.body[k].nv)
        k--;
    return k;
}

void tn_tree_solve_massless(tn_tree *self, double *b, double *gamma)
{
    tree *t = (tree *)self;
    double left[MOST];
    TN_ASSERT(t->massless);
    tn_tree_reduce(self, b);
    t->accel[0] = (tree_accel){{0, 0, 0}, {0, 0, 0}};
    for (int k = 1, n = 0; k < self->n; k++) {
        double *x = b + self->body[k].v0;
        unfold_place(t, k, false, x, x, left);
        for (int j = t->node[k].rank; gamma && j < self->body[k].nv; j++)
            gamma[n++] = left[j];
    }
}

// Moves node k by x (nv) beside its predecessor.
static void add_freedoms(tree *t, int k, const double *x)
{
    tree_accel *a = &t->accel[k];
    for (int i = 0; i < t->base.body[k].nv; i++)
        *a = tree_moved(*a, x[i], tree_column_at(t, k, i));
}

static void start_motion(tree *t, const tn_tree_massless *d)
{
    TN_ASSERT(t->massless);
    t->accel[d->place] = (tree_accel){{0, 0, 0}, {0, 0, 0}};
    add_freedoms(t, d->place, d->direction);
}

void tn_tree_massless_sum(tn_tree *self, const double *z, double *x)
{
    tree *t = (tree *)self;
    double ignored[MOST], along[MOST];
    TN_ASSERT(t->massless);
    t->accel[0] = (tree_accel){{0, 0, 0}, {0, 0, 0}};
    for (int k = 1; k < self->n; k++) {
        const tn_tree_body *body = &self->body[k];
        unfold_place(t, k, false, NULL, x + body->v0, ignored);
        if (t->node[k].rank == body->nv)
            continue;
        tn_zero(body->nv, along);
        for (int j = t->node[k].rank; j < body->nv; j++, z++)
            for (int i = 0; i < body->nv; i++)
                along[i] += *z * basis(t, k, i, j);
        tn_axpy(body->nv, 1.0, along, x + body->v0);
        add_freedoms(t, k, along);
    }
}

// Sizes of the velocities and rates in a motion.
typedef struct motion_size {
    double l, al;
} motion_size;

static bool rests(const tree *t, int k, motion_size *most)
{
    const motion_size is = {tn_v3_norm(t->accel[k].l), tn_v3_norm(t->accel[k].al)};
    const double by_rate = t->length * most->al;
    const double by_speed = t->length > 0.0 ? most->l / t->length : 0.0;
    if (is.l <= REST * fmax(most->l, by_rate) && is.al <= REST * fmax(most->al, by_speed))
        return true;
    *most = (motion_size){fmax(most->l, is.l), fmax(most->al, is.al)};
    return false;
}

int tn_tree_massless_bodies(tn_tree *self, const tn_tree_massless *d, int *place, tn_twist *V)
{
    tree *t = (tree *)self;
    double x[MOST], ignored[MOST];
    motion_size most = {0.0, 0.0};
    int count = 0;
    start_motion(t, d);
    for (int k = d->place; k < self->body[d->place].end;) {
        if (k > d->place)
            unfold_place(t, k, false, NULL, x, ignored);
        if (rests(t, k, &most)) {
            k = self->body[k].end;
            continue;
        }
        place[count] = k;
        V[count++] = (tn_twist){t->accel[k].l, t->accel[k].al};
        k++;
    }
    return count;
}
