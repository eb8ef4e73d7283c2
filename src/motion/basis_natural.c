// SPDX-License-Identifier: MIT
//
// Null space by velocity analysis of the joints [LB08, 4.2; Garcia de Jalon et al. 1986; Avello et
// al. 1993]. The joints of a spanning tree give its motions T directly, from their free twists
// (system.h, tree); rows left over, of joints that close loops and of couplings, are reduced by
// pivoted QR on these motions:
//
//   Gamma = T N,     (C_L T) N = 0,     (C_L T)^T P = Q R,  N = the last columns of Q
//
// Rows of the tree are met body by body, from the ground outwards. With C_j = (…, C_jp, C_jc) the
// rows of the joint that carries body c on body p, and C_jc^T = Q_j (R_j; 0),
//
//   C x = c:    x_c = Q_j (R_j^-T (c_j - C_jp x_p); 0), then x += T s, C_L T s = c_L - C_L x
//   C^T y = r:  y_L from T^T r = (C_L T)^T y_L, r -= C_L^T y_L, then from the tips inwards
//               y_j = R_j^-1 (Q_j^T r_c)_1,  r_p -= C_jp^T y_j
//
// If the constraints have drifted, the twists miss the rows of the tree by as much: T is corrected
// by the solution of C x = C T.

#include "linalg/dense.h"
#include "motion/basis_parts.h"

#include <lapacke.h>
#include <math.h>

typedef struct local {
    double QR[36], tau[6]; // of C_jc^T, leading dimension nv of the body
} local;

typedef struct natural {
    tn_basis base;
    tn_tree_edge *edges;
    int nedge, nt; // edges, motions
    local *locals; // of each edge
    int *tree_row; // rows: 1 for those of the tree, by place among the active ones
    int *loop;     // rows: places of the others
    int nloop, nl; // how many, and how many of them are independent
    double *T;     // nv nt
    double *L;     // nt nloop: (C_L T)^T, factored
    double *tau;   // rows
    int *order;    // rows
    double *N;     // nt nf
    double *s;     // nv, scratch: nt
    double *r;     // nv, scratch
    double *left;  // rows, scratch
} natural;

static void layout_basis_natural(tn_basis *b, tn_carve *mem)
{
    natural *s = (natural *)b;
    const int nv = b->nv, rows = b->rows, bodies = b->sys->ngroup;
    s->edges = tn_carve_bytes(mem, sizeof *s->edges * (size_t)bodies);
    TN_CARVE_NUMBERS(mem, sizeof *s->locals * (size_t)bodies, s->locals);
    TN_CARVE_INTS(mem, rows, &s->tree_row, &s->loop);
    TN_CARVE_CHOICES(mem, 0, rows - 1, rows, &s->order);
    TN_CARVE_DOUBLES(mem, nv * nv, &s->T, &s->N);
    TN_CARVE_DOUBLES(mem, nv * rows, &s->L);
    TN_CARVE_DOUBLES(mem, rows, &s->tau, &s->left);
    TN_CARVE_DOUBLES(mem, nv, &s->s, &s->r);
}

static void basis_natural_plan(tn_basis *b, const int *active)
{
    natural *s = (natural *)b;
    s->nedge = b->sys->ops->tree->plan(b->sys, active, s->edges);
    s->nt = s->nloop = 0;
    for (int i = 0; i < b->m; i++)
        s->tree_row[i] = 0;
    for (int k = 0; k < s->nedge; k++) {
        s->nt += s->edges[k].ncol;
        for (int i = 0; i < s->edges[k].nrow; i++)
            s->tree_row[b->place[s->edges[k].row0 + i]] = 1;
    }
    for (int i = 0; i < b->m; i++)
        if (!s->tree_row[i])
            s->loop[s->nloop++] = i;
}

static void basis_natural_values(tn_basis *b, tn_values *v)
{
    natural *s = (natural *)b;
    TN_VALUES_INT(v, 0, s->nloop, 1, &s->nl);
}

// The tree ----------------------------------------------------------------------------------------

static double *basis_natural_row_of(const tn_basis *b, const tn_tree_edge *e, int i)
{
    TN_ASSERT(i < e->nrow && b->place[e->row0 + i] >= 0);
    return tn_column_of(b->A, b->nv, b->place[e->row0 + i]);
}

// A row of the tree has entries for its body and the one below only.
static double row_times(const natural *s, const tn_tree_edge *e, int i, const double *x)
{
    const double *row = basis_natural_row_of(&s->base, e, i);
    const tn_tree_edge *below = e->parent >= 0 ? &s->edges[e->parent] : NULL;
    double sum = tn_dot(e->nv, row + e->v0, x + e->v0);
    if (below)
        sum += tn_dot(below->nv, row + below->v0, x + below->v0);
    return sum;
}

static void take_row(const natural *s, const tn_tree_edge *e, int i, double scale, double *r)
{
    const double *row = basis_natural_row_of(&s->base, e, i);
    const tn_tree_edge *below = e->parent >= 0 ? &s->edges[e->parent] : NULL;
    tn_axpy(e->nv, -scale, row + e->v0, r + e->v0);
    if (below)
        tn_axpy(below->nv, -scale, row + below->v0, r + below->v0);
}

static void factor_tree(natural *s)
{
    tn_basis *b = &s->base;
    for (int k = 0; k < s->nedge; k++) {
        const tn_tree_edge *e = &s->edges[k];
        local *at = &s->locals[k];
        for (int i = 0; i < e->nrow; i++)
            tn_copy(e->nv, basis_natural_row_of(b, e, i) + e->v0, at->QR + i * e->nv);
        if (e->nrow > 0)
            tn_qr_factor(e->nv, e->nrow, at->QR, at->tau, b->work, b->lwork);
    }
}

// x with c in the rows of the tree, by place.
static void tree_particular(natural *s, const double *c, double *x)
{
    const tn_basis *b = &s->base;
    tn_zero(b->nv, x);
    for (int k = 0; k < s->nedge; k++) {
        const tn_tree_edge *e = &s->edges[k];
        double own[6] = {0};
        for (int i = 0; i < e->nrow; i++)
            own[i] = c[b->place[e->row0 + i]] - row_times(s, e, i, x);
        if (e->nrow == 0)
            continue;
        tn_upper_solve(e->nrow, e->nv, true, s->locals[k].QR, own);
        tn_qr_apply(e->nv, e->nrow, false, s->locals[k].QR, s->locals[k].tau, own, b->work);
        tn_copy(e->nv, own, x + e->v0);
    }
}

// y of the rows of the tree, by place; r becomes what they leave.
static void tree_multipliers(natural *s, double *r, double *y)
{
    const tn_basis *b = &s->base;
    for (int k = s->nedge - 1; k >= 0; k--) {
        const tn_tree_edge *e = &s->edges[k];
        double own[6] = {0};
        if (e->nrow == 0)
            continue;
        tn_copy(e->nv, r + e->v0, own);
        tn_qr_apply(e->nv, e->nrow, true, s->locals[k].QR, s->locals[k].tau, own, b->work);
        tn_upper_solve(e->nrow, e->nv, false, s->locals[k].QR, own);
        for (int i = 0; i < e->nrow; i++) {
            y[b->place[e->row0 + i]] = own[i];
            take_row(s, e, i, own[i], r);
        }
    }
}

static void correct_motions(natural *s)
{
    const tn_basis *b = &s->base;
    for (int j = 0; j < s->nt; j++) {
        double *motion = tn_column_of(s->T, b->nv, j), largest = 0.0;
        for (int k = 0; k < s->nedge; k++)
            for (int i = 0; i < s->edges[k].nrow; i++) {
                const double left = row_times(s, &s->edges[k], i, motion);
                s->left[b->place[s->edges[k].row0 + i]] = left;
                largest = fmax(largest, fabs(left));
            }
        if (largest == 0.0)
            continue;
        tree_particular(s, s->left, s->r);
        tn_axpy(b->nv, -1.0, s->r, motion);
    }
}

// The loops ---------------------------------------------------------------------------------------

static void apply_loops(natural *s, char transposed, int columns, double *X)
{
    tn_basis *b = &s->base;
    if (s->nl > 0 && columns > 0)
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', transposed, s->nt, columns, s->nl, s->L, s->nt,
                            s->tau, X, s->nt, b->work, b->lwork);
}

static double longest_motion(natural *s)
{
    double length = 0.0;
    for (int j = 0; j < s->nt; j++)
        length = fmax(length, tn_norm2(s->base.nv, tn_column_of(s->T, s->base.nv, j)));
    return length;
}

static void factor_loops(natural *s)
{
    tn_basis *b = &s->base;
    const int nt = s->nt, most = nt < s->nloop ? nt : s->nloop, wanted = b->wanted;
    for (int i = 0; i < s->nloop; i++)
        for (int j = 0; j < nt; j++)
            tn_column_of(s->L, nt, i)[j] =
                tn_dot(b->nv, tn_column_of(b->A, b->nv, s->loop[i]), tn_column_of(s->T, b->nv, j));
    if (most > 0)
        tn_qr_rank(nt, s->nloop, s->L, 0.0, s->order, s->tau, b->work, b->lwork);
    const int tree_rows = b->m - s->nloop;
    b->wanted = wanted >= 0 ? wanted - tree_rows : -1;
    s->nl = tn_basis_count(b, longest_motion(s), most, s->L, nt + 1);
    b->wanted = wanted;
    for (int i = 0; i < b->m; i++)
        b->independent[i] = s->tree_row[i];
    for (int k = 0; k < s->nl; k++)
        b->independent[s->loop[s->order[k]]] = 1;
    b->rank = tree_rows + s->nl;
    b->nf = nt - s->nl;
}

static void take_loop_motions(natural *s)
{
    TN_ASSERT(s->nl + s->base.nf <= s->nt);
    tn_basis *b = &s->base;
    tn_zero(s->nt * b->nf, s->N);
    tn_zero(b->nv * b->nf, b->raw);
    for (int k = 0; k < b->nf; k++)
        tn_column_of(s->N, s->nt, k)[s->nl + k] = 1.0;
    apply_loops(s, 'N', b->nf, s->N);
    for (int k = 0; k < b->nf; k++)
        for (int j = 0; j < s->nt; j++)
            tn_axpy(b->nv, tn_column_of(s->N, s->nt, k)[j], tn_column_of(s->T, b->nv, j),
                    tn_column_of(b->raw, b->nv, k));
}

static tn_status form_basis_natural(tn_basis *b, const tn_point *at)
{
    natural *s = (natural *)b;
    b->sys->ops->tree->motions(b->sys, at, s->nedge, s->edges, s->T);
    factor_tree(s);
    correct_motions(s);
    factor_loops(s);
    take_loop_motions(s);
    return TN_OK;
}

static void basis_natural_particular(tn_basis *b, const double *c, double *x)
{
    natural *s = (natural *)b;
    tree_particular(s, c, x);
    for (int k = 0; k < s->nt; k++) {
        const int i = k < s->nl ? s->loop[s->order[k]] : -1;
        s->s[k] = i >= 0 ? c[i] - tn_dot(b->nv, tn_column_of(b->A, b->nv, i), x) : 0.0;
    }
    tn_upper_solve(s->nl, s->nt, true, s->L, s->s);
    apply_loops(s, 'N', 1, s->s);
    tn_add_columns(b->nv, s->nt, 1.0, s->T, s->s, x);
}

static void basis_natural_multipliers(tn_basis *b, const double *r, double *y)
{
    natural *s = (natural *)b;
    tn_zero(b->m, y);
    tn_copy(b->nv, r, s->r);
    tn_inner(b->nv, s->nt, s->T, 1, r, s->s);
    apply_loops(s, 'T', 1, s->s);
    tn_upper_solve(s->nl, s->nt, false, s->L, s->s);
    for (int k = 0; k < s->nl; k++) {
        const int i = s->loop[s->order[k]];
        y[i] = s->s[k];
        tn_axpy(b->nv, -y[i], tn_column_of(b->A, b->nv, i), s->r);
    }
    tree_multipliers(s, s->r, y);
}

const tn_basis_ops tn_basis_natural = {
    .name = "natural",
    .by_joints = true,
    .size = sizeof(natural),
    .layout = layout_basis_natural,
    .plan = basis_natural_plan,
    .values = basis_natural_values,
    .form = form_basis_natural,
    .particular = basis_natural_particular,
    .multipliers = basis_natural_multipliers,
};
