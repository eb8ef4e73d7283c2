// SPDX-License-Identifier: MIT
//
// Fills, factors and solves the iteration matrices that corrector_layout.c has laid out; what they
// are is said there.

#include "formulation/corrector_parts.h"

#include "base/team.h"
#include "lie/product.h"
#include "linalg/dense.h"

// Products with block diagonal operators ----------------------------------------------------------

// The columns that X mixes have the same rows, so a row of the product mixes entries at one offset.
// Moving columns of R^3 x SO(3) are not mixed: X is `diagonal` times the identity there.
static void group_product(const tn_group *group, const tn_sparse *A, const double *val,
                          const double *X, double diagonal, double *out)
{
    TN_ASSERT(group->kind != TN_GROUP_R && group->nv <= 6);
    const int first = tn_group_mixed(group), n = group->nv;
    const int *column = A->colptr + group->v0;
    const int rows = column[first + 1] - column[first];
    for (int i = column[0]; i < column[first]; i++)
        out[i] = diagonal * val[i];
    for (int j = first; j < n; j++) {
        tn_zero(rows, out + column[j]);
        for (int i = first; i < n; i++)
            if (X[6 * i + j] != 0.0)
                tn_axpy(rows, X[6 * i + j], val + column[i], out + column[j]);
    }
}

typedef struct product_task {
    const tn_group *groups;
    const tn_sparse *A;
    const double *val, *X;
    double diagonal, *out;
} product_task;

static void product_of_groups(void *user, int first, int last)
{
    const product_task *t = user;
    for (int k = first; k < last; k++) {
        const tn_group *group = &t->groups[k];
        const int begin = t->A->colptr[group->v0], end = t->A->colptr[group->v0 + group->nv];
        if (tn_group_turns(group))
            group_product(group, t->A, t->val, t->X + 36 * k, t->diagonal, t->out);
        else
            for (int i = begin; i < end; i++)
                t->out[i] = t->diagonal * t->val[i];
    }
}

// out = A X for X of 6 x 6 blocks, row major; on linear factors X is `diagonal` times the identity.
static void corrector_product(const tn_system *s, const tn_sparse *A, const double *val,
                              const double *X, double diagonal, double *out)
{
    enum { GROUPS = 512 }; // that are worth a thread
    product_task t = {s->groups, A, val, X, diagonal, out};
    tn_team_loop(s->ngroup, GROUPS, product_of_groups, &t);
}

// ad(v) of one factor, by columns.
static void corrector_adjoint(const tn_group *group, const double *v, double *X)
{
    TN_ASSERT(group->nv <= 6);
    tn_group at_zero = *group;
    at_zero.v0 = 0;
    for (int j = 0; j < group->nv; j++) {
        double unit[6] = {0}, column[6];
        unit[j] = 1.0;
        tn_group_bracket(1, &at_zero, v + group->v0, unit, column);
        for (int i = 0; i < group->nv; i++)
            X[6 * i + j] = column[i];
    }
}

static void times_adjoint(tn_corrector *cr, const tn_tangent *at)
{
    TN_ASSERT(at->v && cr->times_ad);
    const tn_sparse *B = cr->sys->block[TN_BLOCK_B];
    for (int k = 0; k < cr->sys->ngroup; k++) {
        const tn_group *group = &cr->sys->groups[k];
        double X[36] = {0};
        if (!tn_group_turns(group)) {
            const int begin = B->colptr[group->v0], end = B->colptr[group->v0 + group->nv];
            tn_zero(end - begin, cr->times_ad + begin);
            continue;
        }
        corrector_adjoint(group, at->v, X);
        group_product(group, B, at->value[TN_BLOCK_B], X, 0.0, cr->times_ad);
    }
}

static void form_products(tn_corrector *cr, const tn_tangent *at)
{
    for (int k = 0; k < TN_COUNT(tn_moved_blocks); k++)
        for (int plane = 0; plane < 2; plane++) {
            const tn_sparse *A = cr->sys->block[tn_moved_blocks[k]];
            if (A && at->T[plane])
                corrector_product(cr->sys, A, at->value[tn_moved_blocks[k]], at->T[plane],
                                  plane == 0 ? 1.0 : 0.0, cr->times_T[tn_moved_blocks[k]][plane]);
        }
    if (cr->times_ad)
        times_adjoint(cr, at);
}

// Assembly ----------------------------------------------------------------------------------------

static double complex weight_value(const tn_place_weight *w, const tn_zweights *x, double step)
{
    TN_ASSERT(w->by != BY_STEP || step > 0.0);
    const double complex weights[] = {[BY_ONE] = 1.0,
                                      [BY_Q] = x->q,
                                      [BY_V] = x->v,
                                      [BY_A] = x->a,
                                      [BY_C] = x->c,
                                      [BY_STEP] = 1.0 / step,
                                      [BY_Q_STEP] = x->q / step};
    const double complex h = w->power > 0 ? x->h : w->power < 0 ? 1.0 / x->h : 1.0;
    return w->factor * h * weights[w->by];
}

// Values of a placed block: real and imaginary part (or NULL).
static void values_of(const tn_corrector *cr, const tn_tangent *at, const placed *p,
                      const double *value[2])
{
    TN_ASSERT(p->block >= 0 && p->block < TN_BLOCK_COUNT);
    value[0] = at->value[p->block];
    value[1] = NULL;
    if (p->values == TIMES_AD)
        value[0] = cr->times_ad;
    else if (p->values == KINEMATIC)
        value[0] = at->kinematic;
    else if (p->values == TIMES_T)
        for (int plane = 0; plane < 2; plane++)
            if (at->T[plane])
                value[plane] = cr->times_T[p->block][plane];
}

// To pairs of real and imaginary parts.
static void scatter_complex(double *to, const int *map, int n, double complex s,
                            const double *const value[2])
{
    const double a = creal(s), b = cimag(s);
    for (int i = 0; i < n; i++) {
        const double re = value[0][i], im = value[1] ? value[1][i] : 0.0;
        to[2 * map[i]] += a * re - b * im;
        to[2 * map[i] + 1] += a * im + b * re;
    }
}

// The real or the complex matrix of a part.
static tn_sparse part_matrix(const tn_part *m, bool is_complex)
{
    tn_sparse A = *m->matrix.matrix;
    TN_ASSERT(!is_complex || m->zval);
    if (is_complex)
        A.val = (double *)m->zval;
    return A;
}

static void assemble_corrector(tn_corrector *cr, tn_part *m, const tn_tangent *at,
                               const tn_zweights *w, bool is_complex)
{
    const tn_sparse A = part_matrix(m, is_complex);
    const int parts = is_complex ? 2 : 1;
    tn_zero(parts * A.nnz, A.val);
    for (int k = 0; k < m->nplaced; k++) {
        const placed *p = &m->placed[k];
        const double complex scale = weight_value(&p->weight, w, at->step);
        const int *map = m->matrix.maps[k];
        const double *value[2] = {NULL, NULL};
        if (p->block >= 0)
            values_of(cr, at, p, value);
        for (int i = 0; i < p->count && p->block < 0; i++) { // a diagonal
            A.val[parts * map[i]] += creal(scale);
            if (is_complex)
                A.val[2 * map[i] + 1] += cimag(scale);
        }
        if (p->block >= 0 && is_complex)
            scatter_complex(A.val, map, p->count, scale, value);
        else if (p->block >= 0)
            tn_sparse_scatter(A.val, map, p->count, creal(scale), value[0]);
    }
    for (int k = 0; k < m->nmasked; k++)
        tn_zero(parts, A.val + parts * m->masked[k]);
    for (int k = 0; k < m->nunit; k++)
        A.val[parts * m->unit[k]] = 1.0;
}

// Factors on row and column i: 1 except for extra variables, see the head comment.
static double complex row_scale(const tn_corrector *cr, const tn_places *at, double complex h,
                                int i)
{
    TN_ASSERT(i >= 0 && i < at->n);
    const int first_s = at->n - cr->sys->ns;
    return i < at->e ? 1.0 : i < first_s ? h : 1.0 / h;
}

static double complex column_scale(const tn_corrector *cr, const tn_places *at, double complex h,
                                   int i)
{
    TN_ASSERT(i >= 0 && i < at->n);
    const int first_w = at->e + cr->sys->nc, first_s = at->n - cr->sys->ns;
    return i < first_w ? 1.0 : i < first_s ? 1.0 / h : h;
}

static void scale_extra(const tn_corrector *cr, tn_part *m, bool is_complex)
{
    tn_sparse *A = m->matrix.matrix;
    const double complex h = cr->h[is_complex];
    for (int j = 0; j < A->ncol && m->col.e < m->col.n; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            const double complex scale =
                row_scale(cr, &m->col, h, A->rowind[k]) * column_scale(cr, &m->col, h, j);
            if (is_complex)
                m->zval[k] *= scale;
            else
                A->val[k] *= creal(scale);
        }
}

static tn_status part_factor(tn_corrector *cr, tn_part *m, bool is_complex)
{
    const tn_sparse A = part_matrix(m, is_complex);
    const tn_status status = tn_solver_factor(is_complex ? m->zsolver : m->solver, &A);
    // Projections depend on the constraints only; pivots of the core are those of masses and stiff
    // forces as well.
    if (!is_complex && (m != &cr->core || !cr->position.solver) && cr->sys->ng + cr->sys->nn > 0)
        tn_system_note_rcond(cr->sys, m->solver->stats.rcond);
    m->singular[is_complex] = status == TN_RETRY_SINGULAR;
    return m->singular[is_complex] ? TN_OK : status;
}

tn_status tn_corrector_factor(tn_corrector *cr, const tn_tangent *at, const tn_zweights *w,
                              bool is_complex)
{
    TN_ASSERT(w->h != 0.0 && (!is_complex || cr->zblock || cr->by_tree));
    cr->h[is_complex] = w->h;
    if (cr->by_tree) {
        const double complex c[3] = {w->h * w->q, w->h * w->v, w->h * w->a};
        return cr->sys->ops->recursive->factor_linear(cr->sys, is_complex, c, at->T);
    }
    form_products(cr, at);
    for (int k = 0; k < cr->nused; k++) {
        assemble_corrector(cr, cr->used[k], at, w, is_complex);
        scale_extra(cr, cr->used[k], is_complex);
        TN_TRY(part_factor(cr, cr->used[k], is_complex));
    }
    return TN_OK;
}

// Solving -----------------------------------------------------------------------------------------

static tn_status part_solve(tn_part *m, bool is_complex, double *b)
{
    tn_solver *solver = is_complex ? m->zsolver : m->solver;
    const tn_sparse A = part_matrix(m, is_complex);
    if (m->singular[is_complex])
        return tn_solver_solve_rank(solver, &A, b);
    tn_solver_solve(solver, b);
    return TN_OK;
}

static tn_status part_solve_complex(tn_corrector *cr, tn_part *m, double *re, double *im)
{
    TN_ASSERT(m->zsolver && re != im);
    const int n = m->matrix.matrix->nrow;
    for (int i = 0; i < n; i++)
        cr->zrhs[i] = CMPLX(re[i], im[i]);
    TN_TRY(part_solve(m, true, (double *)cr->zrhs));
    for (int i = 0; i < n; i++) {
        re[i] = creal(cr->zrhs[i]);
        im[i] = cimag(cr->zrhs[i]);
    }
    return TN_OK;
}

static tn_status solve_corrector(tn_corrector *cr, tn_part *m, double *re, double *im)
{
    if (cr->by_tree) {
        cr->sys->ops->recursive->solve_linear(cr->sys, re, im);
        return TN_OK;
    }
    return im ? part_solve_complex(cr, m, re, im) : part_solve(m, false, re);
}

static void multiply_corrector(double complex s, double *re, double *im)
{
    const double complex x = s * CMPLX(*re, im ? *im : 0.0);
    *re = creal(x);
    if (im)
        *im = cimag(x);
}

tn_status tn_corrector_solve(tn_corrector *cr, double *re, double *im)
{
    TN_ASSERT(cr->h[im != NULL] != 0.0);
    const double complex h = cr->h[im != NULL];
    const tn_places *at = &cr->used[0]->col; // e has its rows there, too
    for (int i = at->e; i < at->n; i++)
        multiply_corrector(row_scale(cr, at, h, i), re + i, im ? im + i : NULL);
    TN_TRY(solve_corrector(cr, cr->used[0], re, im));
    for (int i = at->e; i < at->n; i++)
        multiply_corrector(column_scale(cr, at, h, i), re + i, im ? im + i : NULL);
    return TN_OK;
}

tn_status tn_corrector_solve_position(tn_corrector *cr, double *re, double *im)
{
    TN_ASSERT(cr->position.solver);
    return solve_corrector(cr, &cr->position, re, im);
}

tn_status tn_corrector_solve_velocity(tn_corrector *cr, double *re, double *im)
{
    TN_ASSERT(cr->velocity.solver);
    return solve_corrector(cr, &cr->velocity, re, im);
}

void tn_corrector_times_mass(const tn_corrector *cr, const tn_tangent *at, const double *x,
                             double *y)
{
    if (cr->by_tree)
        cr->sys->ops->recursive->times_linear(cr->sys, (double[3]){0.0, 0.0, 1.0}, x, y);
    else
        tn_tangent_mul(cr->sys, at, TN_BLOCK_M, 1.0, x, y);
}

const tn_solver *tn_corrector_fullest(const tn_corrector *cr, int *part)
{
    const tn_solver *most = NULL;
    for (int k = 0; k < cr->nused && !cr->by_tree; k++) {
        const tn_solver *solver = cr->used[k]->solver;
        if (!most || tn_solver_fill_of(solver).fact > tn_solver_fill_of(most).fact) {
            most = solver;
            *part = k;
        }
    }
    return most;
}

void tn_corrector_name(const tn_corrector *cr, int part, int i, char *text, size_t size)
{
    TN_ASSERT(part >= 0 && part < cr->nused);
    const tn_system *s = cr->sys;
    const tn_places *at = &cr->used[part]->col;
    const bool whole = cr->used[part] == &cr->whole;
    const int lambda = whole ? at->lambda : s->nv, eta = whole ? at->eta : s->nv + s->ng;
    const int tau_n = whole && at->tau_n >= 0 ? at->tau_n : eta;
    if (i >= at->e)
        tn_system_extra_name(s, i - at->e, text, size);
    else if (i < lambda)
        s->ops->velocity_name(s, i % s->nv, text, size);
    else if (i < tau_n)
        s->ops->row_name(s, (i - lambda) % s->ng, text, size);
    else
        s->ops->row_name(s, s->ng + i - (i < eta ? tau_n : eta), text, size);
}

// Products with the tangent -----------------------------------------------------------------------

static tn_sparse with_values(const tn_sparse *pattern, const double *val)
{
    tn_sparse A = *pattern;
    A.val = (double *)val; // read only
    return A;
}

void tn_tangent_mul(const tn_system *sys, const tn_tangent *at, tn_block block, double s,
                    const double *x, double *y)
{
    if (!sys->block[block] || s == 0.0)
        return;
    const tn_sparse A = with_values(sys->block[block], at->value[block]);
    tn_sparse_mul(&A, s, x, y);
}

// The rows of the projections, which are among the rows of the whole.
static void projections_along(const tn_system *s, const tn_tangent *at, const tn_part *m,
                              const double *x, double *rows)
{
    const tn_places *place = &m->row;
    if (m->col.mu >= 0)
        tn_tangent_mul(s, at, TN_BLOCK_B, -1.0, x, rows + place->mu);
    if (m->col.tau < 0)
        return;
    tn_tangent_mul(s, at, TN_BLOCK_Z, -1.0, x, rows + place->tau);
    tn_tangent_mul(s, at, TN_BLOCK_NZ, -1.0, x, rows + place->tau_n);
}

void tn_corrector_along(const tn_corrector *cr, const tn_tangent *at, const double *x, double *rows)
{
    const tn_formulation *f = cr->formulation;
    const tn_system *s = cr->sys;
    const tn_places *place = &cr->used[0]->row;
    double *lambda = rows + place->lambda, *eta = rows + place->eta;
    if (cr->by_tree)
        s->ops->recursive->times_linear(cr->sys, (double[3]){-1.0, 0.0, 0.0}, x, rows + place->u);
    else
        tn_tangent_mul(s, at, TN_BLOCK_K, -1.0, x, rows + place->u);
    tn_tangent_mul(s, at, TN_BLOCK_EQ, 1.0, x, rows + place->e);
    projections_along(s, at, cr->used[0], x, rows);
    if (f->acceleration) {
        const double a = f->baumgarte ? 2.0 * cr->alpha : 0.0;
        tn_tangent_mul(s, at, TN_BLOCK_Z, -a, x, lambda);
        tn_tangent_mul(s, at, TN_BLOCK_NZ, -a, x, eta);
        tn_tangent_mul(s, at, TN_BLOCK_B, f->baumgarte ? -cr->beta * cr->beta : 0.0, x, lambda);
        return;
    }
    tn_tangent_mul(s, at, TN_BLOCK_NZ, -1.0, x, eta);
    if (f->velocity)
        tn_tangent_mul(s, at, TN_BLOCK_Z, -1.0, x, lambda);
    const double position = !f->velocity ? 1.0 : f->baumgarte ? cr->c / at->step : 0.0;
    tn_tangent_mul(s, at, TN_BLOCK_B, -position, x, lambda);
}
