// SPDX-License-Identifier: MIT
//
// The linearised recursion: the numbers of a motion, tangents of elements, products. Variations go
// forwards, variations of forces backwards; see tree_linear_parts.h.
//
// For an observer who turns along with the body, the force that its motion takes changes by
//
//   f = m lambda + zeta x mc + 2 eta x (w x mc)
//   n = mc x lambda + J zeta + 2 w x J eta - tr(J) w x eta
//
// and a load of constant direction turns backwards. The force F through a joint turns with the body
// as seen by its predecessor, by S_w dx; its arm r changes by S_v dx.

#include "tree/tree_linear_parts.h"

#include "base/alloc.h"
#include "base/carve.h"

#include <string.h>

// Memory ------------------------------------------------------------------------------------------

static void layout_tree_linear(void *self, tn_carve *mem)
{
    tn_tree_linear *lin = self;
    const size_t n = (size_t)lin->t->base.n, nv = (size_t)lin->t->base.nv;
    lin->body = tn_carve_bytes(mem, sizeof *lin->body * n);
    lin->com = tn_carve_bytes(mem, sizeof *lin->com * n);
    lin->freedom = tn_carve_bytes(mem, sizeof *lin->freedom * nv);
    lin->group = tn_carve_ints(mem, lin->t->base.n);
    lin->force = tn_carve_bytes(mem, sizeof *lin->force * n);
    lin->slot = tn_carve_bytes(mem, sizeof *lin->slot * LINEAR_FORKS);
    lin->fork = tn_carve_bytes(mem, sizeof *lin->fork * LINEAR_FORKS);
}

// Room for the largest case. Most of it is never touched, so that it takes addresses but no memory.
static void layout_room(tn_tree_linear *lin, tn_carve *mem)
{
    const size_t n = (size_t)lin->t->base.n, nv = (size_t)lin->t->base.nv;
    for (int p = 0; p < 2; p++)
        lin->factors[p].at =
            tn_carve_bytes(mem, sizeof(double) * (size_t)linear_stride(p + 1, LINEAR_BLOCKS) * nv);
    lin->tie = tn_carve_bytes(mem, sizeof *lin->tie * nv);
    lin->element = tn_carve_bytes(mem, sizeof *lin->element * n);
}

static tn_status take_memory(tn_tree_linear *lin)
{
    tn_carve mem = {0};
    TN_TRY(tn_carve_block(lin, layout_tree_linear, &lin->block));
    layout_room(lin, &mem);
    lin->room = tn_alloc(mem.used);
    if (!lin->room)
        return tn_fail(TN_ERR_MEMORY, "out of memory: no block of %zu bytes", mem.used);
    mem = (tn_carve){.base = lin->room};
    layout_room(lin, &mem);
    return TN_OK;
}

tn_status tn_tree_linear_create(tn_tree *base, tn_tree_linear **out)
{
    tn_tree_linear *lin = *out = tn_alloc(sizeof *lin);
    TN_TRY(tn_got(lin));
    lin->t = (tree *)base;
    const tn_status status = take_memory(lin);
    if (status != TN_OK) {
        tn_tree_linear_destroy(lin);
        *out = NULL;
        return status;
    }
    for (int k = 0, g = 0; k < base->n; k++) {
        const tn_vec3 com = base->model->bodies.at[base->body[k].body].def.com;
        lin->com[k] = tn_frame_point(tn_frame_inverse(base->body[k].attachment), com);
        while (g < base->ngroup && base->groups[g].v0 + base->groups[g].nv <= base->body[k].v0)
            g++;
        lin->group[k] = base->body[k].nv > 0 ? g : -1;
    }
    return TN_OK;
}

void tn_tree_linear_destroy(tn_tree_linear *lin)
{
    if (!lin)
        return;
    TN_FREE(lin->room, lin->block, lin);
}

static void linear_body_values(linear_body *b, int nelement, tn_values *v)
{
    TN_VALUES(v, "1", 3, (double *)&b->r, (double *)&b->nu, (double *)&b->w, (double *)&b->c);
    TN_VALUES(v, "1", (int)(sizeof b->own / sizeof(double)), (double *)&b->own);
    TN_VALUES(v, "1", 6, (double *)&b->load);
    TN_VALUES_INT(v, -1, nelement > 0 ? nelement - 1 : 0, 1, &b->element);
}

// The linearisation, and the factors that were made of it.
void tn_tree_linear_values(tn_tree_linear *lin, tn_values *v)
{
    const int n = lin->t->base.n, nv = lin->t->base.nv;
    tn_values_enter(v, "linear");
    TN_VALUES_INT(v, 0, LINEAR_BLOCKS, 1, &lin->blocks, &lin->factors[0].blocks,
                  &lin->factors[1].blocks);
    TN_VALUES_INT(v, 0, n, 1, &lin->nelement);
    for (int k = 0; k < n; k++)
        linear_body_values(&lin->body[k], lin->nelement, v);
    TN_VALUES(v, "1", nv * (int)(sizeof *lin->freedom / sizeof(double)), (double *)lin->freedom);
    TN_VALUES(v, "1", nv * (int)(sizeof *lin->tie / sizeof(double)), (double *)lin->tie);
    TN_VALUES(v, "1", lin->nelement * (int)(sizeof *lin->element / sizeof(double)),
              (double *)lin->element);
    for (int p = 0; p < 2; p++)
        TN_VALUES_ANY(v, "1", nv * linear_stride(p + 1, lin->factors[p].blocks),
                      lin->factors[p].at);
    tn_values_leave(v);
}

// The motion --------------------------------------------------------------------------------------

// The load of a node at its centre of mass.
static tree_force load_at_com(const tree *t, int k, tn_vec3 c)
{
    const tree_force load = t->load[k];
    return (tree_force){load.f, tree_add_cross(load.n, load.f, c)};
}

static void set_body(tn_tree_linear *lin, int k)
{
    TN_ASSERT(k > 0 && k < lin->t->base.n);
    const tree *t = lin->t;
    const tree_force none = {{0, 0, 0}, {0, 0, 0}};
    const tn_vec3 c = tree_along(t->turn[k].x, t->turn[k].y, t->link[k].z, lin->com[k]);
    lin->body[k] = (linear_body){.r = t->link[k].r,
                                 .nu = tn_v3_sub(t->spot[k].u, t->spot[t->node[k].parent].u),
                                 .w = t->turn[k].w,
                                 .own = tree_rigid_at(t, k),
                                 .load = t->loaded ? load_at_com(t, k, c) : none,
                                 .c = c,
                                 .element = -1};
}

// The observer of the predecessor sees F turn by S_w dx, and the columns change by their slopes.
static void set_freedom(tn_tree_linear *lin, int k, int j, tree_slope slope)
{
    TN_ASSERT(j >= 0 && j < lin->t->base.body[k].nv);
    const tree *t = lin->t;
    const tree_force F = t->force[k];
    const tn_twist S = slope.S;
    linear_freedom *to = &lin->freedom[t->base.body[k].v0 + j];
    const tree_force turn = {tn_v3_cross(S.w, F.f), tn_v3_cross(S.w, F.n)};
    to->slope = slope;
    to->turned = (tree_force){turn.f, tree_add_cross(turn.n, S.v, F.f)};
    if (!t->wide[k]) {
        to->across[0] = 0.0; // of one axis: nothing changes along it
        return;
    }
    for (int i = 0; i < t->base.body[k].nv; i++)
        to->across[i] = tree_power(turn, tree_column_at(t, k, i)) +
                        tree_power(F, tree_column_slope(t, k, i, j));
}

void tn_tree_linear_set(tn_tree_linear *lin)
{
    tree *t = lin->t;
    lin->nelement = 0;
    lin->blocks = LINEAR_RELATIVE;
    for (int k = 1; k < t->base.n; k++) {
        tree_slope slope[LINEAR_MOST];
        set_body(lin, k);
        tn_tree_slopes(t, k, t->spot[k].u, slope);
        for (int j = 0; j < t->base.body[k].nv; j++)
            set_freedom(lin, k, j, slope[j]);
    }
}

// Elements ----------------------------------------------------------------------------------------

static linear_element *element_of(tn_tree_linear *lin, int k)
{
    TN_ASSERT(k > 0 && k < lin->t->base.n);
    linear_body *body = &lin->body[k];
    if (body->element >= 0)
        return &lin->element[body->element];
    body->element = lin->nelement++;
    linear_element *e = &lin->element[body->element];
    memset(e, 0, sizeof *e);
    for (int i = 0; i < lin->t->base.body[k].nv; i++)
        memset(&lin->tie[lin->t->base.body[k].v0 + i], 0, sizeof *lin->tie);
    return e;
}

// The part of K and D that is the load on one end by the motion of another; row, column 0 or 6.
typedef struct tangent_part {
    double (*K)[12], (*D)[12];
    int row, column;
} tangent_part;

static tn_vec3 tree_linear_row_of(double (*A)[12], int i, int j)
{
    return tn_v3(A[i][j], A[i][j + 1], A[i][j + 2]);
}

typedef tn_vec3 element_row[LINEAR_ELEMENT / 3]; // by eta, theta, p, u: a number for each component

// From the motion of the centre of mass to that of P: there dp + theta x c, dV = u + eta x c +
// theta x (w x c), dw = eta + theta x w.
static void motion_of_com(const linear_body *b, tangent_part x, int i, element_row out)
{
    const tn_vec3 kp = tree_linear_row_of(x.K, x.row + i, x.column),
                  kt = tree_linear_row_of(x.K, x.row + i, x.column + 3);
    const tn_vec3 du = tree_linear_row_of(x.D, x.row + i, x.column),
                  dw = tree_linear_row_of(x.D, x.row + i, x.column + 3);
    const tn_vec3 swing = tn_v3_cross(b->w, b->c);
    out[0] = tree_add_cross(dw, b->c, du);
    out[1] = tree_add_cross(tree_add_cross(tree_add_cross(kt, b->c, kp), swing, du), b->w, dw);
    out[2] = kp;
    out[3] = du;
}

// Columns of the force (less the load) on the node `on` at its P by the motion of `by`.
static void columns_of(const linear_body *on, const linear_body *by, tangent_part x,
                       linear_column *out)
{
    element_row row[6];
    for (int i = 0; i < 6; i++)
        motion_of_com(by, x, i, row[i]);
    for (int b = 0; b < LINEAR_ELEMENT / 3; b++) {
        double entry[6][3];
        for (int i = 0; i < 6; i++)
            tn_v3_to(row[i][b], entry[i]);
        for (int j = 0; j < 3; j++) {
            const tn_vec3 f = tn_v3(entry[0][j], entry[1][j], entry[2][j]);
            const tn_vec3 n = tn_v3(entry[3][j], entry[4][j], entry[5][j]);
            tn_v3_to(tn_v3_neg(f), out[3 * b + j].at);
            tn_v3_to(tn_v3_neg(tree_add_cross(n, on->c, f)), out[3 * b + j].at + 3);
        }
    }
}

static void tree_linear_add_columns(const linear_column *from, linear_column *to)
{
    for (int j = 0; j < LINEAR_ELEMENT; j++)
        for (int i = 0; i < 6; i++)
            to[j].at[i] += from[j].at[i];
}

// a x y added to the blocks of columns y, for each of their rows; as T^T is made of.
static void add_cross_columns(tn_vec3 a, const linear_column *from, linear_column *to)
{
    for (int i = 0; i < 6; i++) {
        to[0].at[i] += a.y * from[2].at[i] - a.z * from[1].at[i];
        to[1].at[i] += a.z * from[0].at[i] - a.x * from[2].at[i];
        to[2].at[i] += a.x * from[1].at[i] - a.y * from[0].at[i];
    }
}

// Columns by the motion of a body become those by the motion of its predecessor.
static void move_down(const linear_body *b, linear_column *A)
{
    add_cross_columns(b->r, A + 9, A);
    add_cross_columns(b->r, A + 6, A + 3);
    add_cross_columns(b->nu, A + 9, A + 3);
}

static void tree_linear_add_product(const linear_column *A, tn_vec3 x, double y[6])
{
    for (int i = 0; i < 6; i++)
        y[i] += A[0].at[i] * x.x + A[1].at[i] * x.y + A[2].at[i] * x.z;
}

// Adds the effect of a freedom, by its increment and by its velocity.
static void add_freedom(const tree_slope *s, const linear_column *A, double to[2][6])
{
    tree_linear_add_product(A, s->Y.w, to[0]);
    tree_linear_add_product(A + 3, s->S.w, to[0]);
    tree_linear_add_product(A + 6, s->S.v, to[0]);
    tree_linear_add_product(A + 9, s->Y.v, to[0]);
    tree_linear_add_product(A, s->S.w, to[1]);
    tree_linear_add_product(A + 9, s->S.v, to[1]);
}

// Returns true if the sum of two depends on positions and velocities of points; the rest of numbers
// that should cancel does not count.
static bool is_absolute(const linear_column *A, const linear_column *B)
{
    for (int j = 6; j < LINEAR_ELEMENT; j++)
        for (int i = 0; i < 6; i++)
            if (fabs(A[j].at[i] + B[j].at[i]) > 1e-14 * fabs(A[j].at[i]))
                return true;
    return false;
}

// Between node k and its predecessor p, written by the motion of p and the freedoms of k: `on[e]`
// and `back[e]` are the parts on k and p by the motion of k (e = 0) and p (1).
static void add_between(tn_tree_linear *lin, int k, const tangent_part on[2],
                        const tangent_part back[2])
{
    const tn_tree_body *body = &lin->t->base.body[k];
    const linear_body *b = &lin->body[k], *below = &lin->body[body->parent];
    linear_element *e = element_of(lin, k);
    linear_column A[2][LINEAR_ELEMENT], B[2][LINEAR_ELEMENT];
    columns_of(b, b, on[0], A[0]);
    columns_of(below, b, back[0], B[0]);
    for (int i = body->v0; i < body->v0 + body->nv; i++) {
        add_freedom(&lin->freedom[i].slope, A[0], lin->tie[i].on);
        if (body->parent > 0) // nothing is to be known of the ground
            add_freedom(&lin->freedom[i].slope, B[0], lin->tie[i].back);
    }
    if (body->parent == 0)
        return;
    linear_element *next = element_of(lin, body->parent);
    columns_of(b, below, on[1], A[1]);
    columns_of(below, below, back[1], B[1]);
    if (is_absolute(A[0], A[1]) || is_absolute(B[0], B[1]))
        lin->blocks = LINEAR_BLOCKS;
    move_down(b, A[0]);
    move_down(b, B[0]);
    for (int i = 0; i < 2; i++) {
        tree_linear_add_columns(A[i], e->below);
        tree_linear_add_columns(B[i], next->own);
    }
}

// On node k alone; the motion of the ground does not vary.
static void add_own(tn_tree_linear *lin, int k, tangent_part on)
{
    static const linear_column none[LINEAR_ELEMENT];
    linear_column A[LINEAR_ELEMENT];
    columns_of(&lin->body[k], &lin->body[k], on, A);
    tree_linear_add_columns(A, element_of(lin, k)->own);
    if (is_absolute(A, none))
        lin->blocks = LINEAR_BLOCKS;
}

bool tn_tree_linear_add(tn_tree_linear *lin, int a, int b, double K[12][12], double D[12][12])
{
    TN_ASSERT(a >= 0 && a < lin->t->base.n && b >= 0 && b < lin->t->base.n);
    const tn_tree_body *body = lin->t->base.body;
    const int end[2] = {a, b};
    const tangent_part part[2][2] = {{{K, D, 0, 0}, {K, D, 0, 6}}, {{K, D, 6, 0}, {K, D, 6, 6}}};
    for (int i = 0; i < 2; i++) {
        const int k = end[i], other = end[1 - i];
        if (k > 0 && body[k].parent == other) {
            add_between(lin, k, (tangent_part[2]){part[i][i], part[i][1 - i]},
                        (tangent_part[2]){part[1 - i][i], part[1 - i][1 - i]});
            return true;
        }
    }
    if (a != b && a > 0 && b > 0)
        return false;
    for (int i = 0; i < 4; i++)
        if (end[i / 2] > 0 && end[i % 2] > 0)
            add_own(lin, end[i / 2], part[i / 2][i % 2]);
    return true;
}

// Products ----------------------------------------------------------------------------------------

typedef struct variation {
    tn_vec3 lambda, zeta, eta, theta, p, u;
} variation;

static variation tree_linear_pass_on(const linear_body *b, variation y)
{
    y.lambda =
        tree_add_cross(tree_add_cross(y.lambda, y.zeta, b->r), y.eta, tn_v3_scale(2.0, b->nu));
    y.p = tree_add_cross(y.p, y.theta, b->r);
    y.u = tree_add_cross(tree_add_cross(y.u, y.eta, b->r), y.theta, b->nu);
    return y;
}

static tn_vec3 mix3(double q, tn_vec3 x, double v, tn_vec3 y, double a, tn_vec3 z)
{
    return tn_v3_axpy(a, z, tree_mix(q, x, v, y));
}

static void tree_linear_add_motion(const tree_slope *s, double q, double v, double a, variation *y)
{
    y->lambda = tn_v3_add(y->lambda, mix3(q, s->Z.v, v, s->W.v, a, s->S.v));
    y->zeta = tn_v3_add(y->zeta, mix3(q, s->Z.w, v, s->W.w, a, s->S.w));
    y->eta = tn_v3_add(y->eta, tree_mix(q, s->Y.w, v, s->S.w));
    y->theta = tn_v3_axpy(q, s->S.w, y->theta);
    y->p = tn_v3_axpy(q, s->S.v, y->p);
    y->u = tn_v3_add(y->u, tree_mix(q, s->Y.v, v, s->S.v));
}

static void tree_linear_add_force(tree_force F, double *to)
{
    const tn_vec3 f = tn_v3_add(tn_v3_from(to), F.f), n = tn_v3_add(tn_v3_from(to + 3), F.n);
    tn_v3_to(f, to);
    tn_v3_to(n, to + 3);
}

static tree_force own_force(const linear_body *b, variation y)
{
    const tree_rigid *own = &b->own;
    const double trace = own->J.xx + own->J.yy + own->J.zz;
    const tn_vec3 pull = tn_v3_cross(y.theta, b->load.f);
    const tn_vec3 Jeta = tree_sym_apply(&own->J, y.eta);
    tree_force F = {tn_v3_scale(own->m, y.lambda), tree_sym_apply(&own->J, y.zeta)};
    F.f = tree_add_cross(tree_add_cross(F.f, y.zeta, own->mc), tn_v3_scale(2.0, y.eta),
                         tn_v3_cross(b->w, own->mc));
    F.n = tree_add_cross(tree_add_cross(F.n, own->mc, y.lambda), b->w,
                         tree_mix(2.0, Jeta, -trace, y.eta));
    F.f = tn_v3_add(F.f, pull);
    F.n = tree_add_cross(tree_add_cross(F.n, y.theta, b->load.n), b->c, pull);
    return F;
}

static void tree_linear_add_element(const linear_column *A, variation y, double to[6])
{
    tree_linear_add_product(A, y.eta, to);
    tree_linear_add_product(A + 3, y.theta, to);
    tree_linear_add_product(A + 6, y.p, to);
    tree_linear_add_product(A + 9, y.u, to);
}

static void add_ties(const linear_tie *tie, double q, double v, double *on, double *back)
{
    for (int i = 0; i < 6; i++) {
        on[i] += q * tie->on[0][i] + v * tie->on[1][i];
        back[i] += q * tie->back[0][i] + v * tie->back[1][i];
    }
}

// The variation of node k, and that of the force it takes.
static variation vary(tn_tree_linear *lin, int k, const double c[3], const double *x, variation yp)
{
    const tn_tree_body *body = &lin->t->base.body[k];
    const linear_body *b = &lin->body[k];
    variation y = tree_linear_pass_on(b, yp);
    for (int i = body->v0; i < body->v0 + body->nv; i++)
        tree_linear_add_motion(&lin->freedom[i].slope, c[0] * x[i], c[1] * x[i], c[2] * x[i], &y);
    tree_linear_add_force(own_force(b, y), lin->force[k]);
    if (b->element < 0)
        return y;
    const linear_element *e = &lin->element[b->element];
    tree_linear_add_element(e->own, y, lin->force[k]);
    tree_linear_add_element(e->below, yp, lin->force[k]);
    for (int i = body->v0; i < body->v0 + body->nv; i++)
        add_ties(&lin->tie[i], c[0] * x[i], c[1] * x[i], lin->force[k], lin->force[body->parent]);
    return y;
}

// Rows of the joint of node k, and its results for its predecessor.
static void collect_tree_linear(tn_tree_linear *lin, int k, double cq, const double *x, double *y)
{
    const tn_tree_body *body = &lin->t->base.body[k];
    tree_force F = {tn_v3_from(lin->force[k]), tn_v3_from(lin->force[k] + 3)};
    for (int i = 0; i < body->nv; i++)
        y[body->v0 + i] += tree_power(F, lin->freedom[body->v0 + i].slope.S);
    for (int j = 0; j < body->nv; j++) {
        const linear_freedom *freedom = &lin->freedom[body->v0 + j];
        const double dx = cq * x[body->v0 + j];
        for (int i = 0; i < body->nv; i++)
            y[body->v0 + i] += freedom->across[i] * dx;
        F.f = tn_v3_axpy(dx, freedom->turned.f, F.f);
        F.n = tn_v3_axpy(dx, freedom->turned.n, F.n);
    }
    tree_linear_add_force(tree_force_shift(F, lin->body[k].r), lin->force[body->parent]);
}

void tn_tree_linear_times(tn_tree_linear *lin, double cq, double cv, double ca, const double *x,
                          double *y)
{
    const tree *t = lin->t;
    const double c[3] = {cq, cv, ca};
    variation rest, last;
    memset(&rest, 0, sizeof rest);
    memset(lin->force, 0, sizeof *lin->force * (size_t)t->base.n);
    last = rest;
    for (int k = 1; k < t->base.n; k++) {
        const tree_node *node = &t->node[k];
        if (node->parent != k - 1) {
            last = rest;
            if (node->up >= 0)
                memcpy(&last, lin->fork[node->up], sizeof last);
        }
        last = vary(lin, k, c, x, last);
        if (node->slot >= 0)
            memcpy(lin->fork[node->slot], &last, sizeof last);
    }
    for (int k = t->base.n - 1; k > 0; k--)
        collect_tree_linear(lin, k, cq, x, y);
}
