// SPDX-License-Identifier: MIT
//
// Friction where bodies slip, in a system of any coordinates; see slide.h. With J = d eta / du:
//
//   f -= N^T eta,   -df/dlambda = N^T mu F_lambda u / |u|,   K += N^T J NZ,   D += N^T J N
//
// and K has the change of N^T by q as if eta were multipliers.

#include "system/slide.h"

#include "linalg/dense.h"
#include "system/system.h"

#include <math.h>

// Speeds of slip below which it has the direction in which it began, by typical ones. Friction that
// turned with slower ones would be as stiff as they are slow; what it costs is a part of this size.
static const double BEGUN = 1e-8;

void tn_slide_law(const tn_slide *slide, double tiny, double F, const double u[2], double eta[2],
                  double eta_u[2][2])
{
    const double *way = slide->way, push = slide->mu * F;
    if (eta_u)
        eta_u[0][0] = eta_u[0][1] = eta_u[1][0] = eta_u[1][1] = 0.0;
    if (slide->n == 1) {
        eta[0] = push * way[0];
        return;
    }
    const double z[2] = {u[0] + tiny * way[0], u[1] + tiny * way[1]}, size = hypot(z[0], z[1]);
    const double back = z[0] * way[0] + z[1] * way[1] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 2; i++) {
        const double e = size > 0.0 ? back * z[i] / size : way[i];
        eta[i] = push * e;
        for (int k = 0; eta_u && size > 0.0 && k < 2; k++)
            eta_u[i][k] =
                push * (back * (i == k) / size - back * z[i] * z[k] / (size * size * size));
    }
}

static double tiny_speed(const tn_system *sys)
{
    return BEGUN * tn_system_typical(sys, TN_KIND_SPEED);
}

// Opening -----------------------------------------------------------------------------------------

// Lists the columns in which one of the rows of a slide has an entry.
static int list_columns(const tn_system *sys, const tn_slide *slide, int *list)
{
    int n = 0;
    for (int j = 0; j < sys->nv; j++) {
        bool any = false;
        for (int i = 0; i < slide->n && !any; i++)
            any = tn_sparse_place(sys->block[TN_BLOCK_N], slide->row + i, j) >= 0 ||
                  tn_sparse_place(sys->block[TN_BLOCK_NZ], slide->row + i, j) >= 0;
        if (any)
            list[n++] = j;
    }
    return n;
}

static tn_status place_slide(const tn_system *sys, tn_slide *slide, int *list)
{
    const int n = slide->ncol = list_columns(sys, slide, list);
    int *all = tn_alloc(sizeof *all * (size_t)(5 * n + 1));
    TN_TRY(tn_got(all));
    slide->col = all;
    for (int k = 0; k < n; k++)
        slide->col[k] = list[k];
    for (int i = 0; i < 2; i++) {
        slide->at_N[i] = all + (1 + i) * n;
        slide->at_Z[i] = all + (3 + i) * n;
        for (int k = 0; k < n && i < slide->n; k++) {
            const int row = slide->row + i, j = slide->col[k];
            slide->at_N[i][k] = tn_sparse_place(sys->block[TN_BLOCK_N], row, j);
            slide->at_Z[i][k] = tn_sparse_place(sys->block[TN_BLOCK_NZ], row, j);
        }
    }
    return TN_OK;
}

// FL with what expressions have there.
static tn_status create_derivatives(tn_system *sys)
{
    const tn_sparse *old = sys->block[TN_BLOCK_FL];
    int n = old ? old->nnz : 0, k = 0;
    for (int i = 0; i < sys->nslide; i++)
        n += sys->slide[i].ncol;
    int *row = tn_alloc(sizeof *row * (size_t)(n + 1)),
        *col = tn_alloc(sizeof *col * (size_t)(n + 1));
    double *zero = tn_alloc(sizeof *zero * (size_t)(n + 1));
    tn_sparse *made = NULL;
    tn_status status = tn_got(row && col && zero);
    for (int j = 0; status == TN_OK && old && j < old->ncol; j++)
        for (int p = old->colptr[j]; p < old->colptr[j + 1]; p++) {
            row[k] = old->rowind[p];
            col[k++] = j;
        }
    for (int i = 0; status == TN_OK && i < sys->nslide; i++)
        for (int c = 0; c < sys->slide[i].ncol; c++) {
            row[k] = sys->slide[i].col[c];
            col[k++] = sys->slide[i].normal;
        }
    TN_THEN(status, tn_sparse_from_entries(sys->nv, sys->ng, n, row, col, zero, &made));
    TN_FREE(row, col, zero);
    TN_TRY(status);
    tn_sparse_destroy(sys->block[TN_BLOCK_FL]);
    sys->block[TN_BLOCK_FL] = made;
    return TN_OK;
}

tn_status tn_slides_open(tn_system *sys)
{
    if (sys->nslide == 0)
        return TN_OK;
    int *list = tn_alloc(sizeof *list * (size_t)(sys->nv + 1));
    tn_status status = tn_got(list);
    for (int i = 0; status == TN_OK && i < sys->nslide; i++)
        status = place_slide(sys, &sys->slide[i], list);
    tn_free(list);
    TN_THEN(status, create_derivatives(sys));
    sys->force_uses_lambda = true;
    return status;
}

// Evaluation --------------------------------------------------------------------------------------

static double pressing(const tn_slide *slide, const tn_point *at)
{
    return at->lambda ? -slide->side * at->lambda[slide->normal] : 0.0;
}

static void add_friction(tn_system *sys, const tn_slide *slide, const tn_point *at)
{
    const double *N = sys->block[TN_BLOCK_N]->val;
    double eta[2];
    tn_slide_law(slide, tiny_speed(sys), pressing(slide, at), sys->ndot + slide->row, eta, NULL);
    for (int i = 0; i < slide->n; i++)
        for (int c = 0; c < slide->ncol; c++)
            if (slide->at_N[i][c] >= 0)
                sys->f[slide->col[c]] -= N[slide->at_N[i][c]] * eta[i];
}

static void add_at(tn_sparse *A, int row, int col, double x)
{
    const int place = A && x != 0.0 ? tn_sparse_place(A, row, col) : -1;
    if (place >= 0)
        A->val[place] += x;
}

static double entry(const tn_sparse *A, const int *at, int c)
{
    return at[c] >= 0 ? A->val[at[c]] : 0.0;
}

static void add_derivatives(tn_system *sys, const tn_slide *slide, const tn_point *at)
{
    const tn_sparse *N = sys->block[TN_BLOCK_N], *Z = sys->block[TN_BLOCK_NZ];
    double eta[2], one[2], J[2][2];
    tn_slide_law(slide, tiny_speed(sys), pressing(slide, at), sys->ndot + slide->row, eta, J);
    tn_slide_law(slide, tiny_speed(sys), -slide->side, sys->ndot + slide->row, one, NULL);
    for (int c = 0; c < slide->ncol; c++)
        for (int i = 0; i < slide->n; i++) {
            const double n = entry(N, slide->at_N[i], c);
            add_at(sys->block[TN_BLOCK_FL], slide->col[c], slide->normal, n * one[i]);
            for (int k = 0; k < slide->n && slide->n > 1; k++)
                for (int b = 0; b < slide->ncol; b++) {
                    add_at(sys->block[TN_BLOCK_D], slide->col[c], slide->col[b],
                           n * J[i][k] * entry(N, slide->at_N[k], b));
                    add_at(sys->block[TN_BLOCK_K], slide->col[c], slide->col[b],
                           n * J[i][k] * entry(Z, slide->at_Z[k], b));
                }
        }
}

static bool some_slip(const tn_system *sys)
{
    for (int i = 0; i < sys->nslide; i++)
        if (sys->slide[i].slips)
            return true;
    return false;
}

// The multipliers of the point with those of slides, so that the parts of the tangent come that
// have them.
static void fill_multipliers(tn_system *sys, const tn_point *at)
{
    if (at->eta)
        tn_copy(sys->nn, at->eta, sys->slide_eta);
    else
        tn_zero(sys->nn, sys->slide_eta);
    for (int i = 0; i < sys->nslide; i++) {
        const tn_slide *slide = &sys->slide[i];
        if (slide->slips)
            tn_slide_law(slide, tiny_speed(sys), pressing(slide, at), sys->ndot + slide->row,
                         sys->slide_eta + slide->row, NULL);
    }
}

const double *tn_slides_eta(tn_system *sys, const tn_point *at)
{
    bool turns = false;
    if (!at->lambda || !some_slip(sys))
        return at->eta;
    for (int i = 0; i < sys->nslide; i++)
        turns = turns || (sys->slide[i].slips && sys->slide[i].n > 1);
    if (turns && sys->ops->eval(sys, at, TN_EVAL_GDOT) != TN_OK)
        tn_clear_error();
    fill_multipliers(sys, at);
    return sys->slide_eta;
}

tn_status tn_slides_eval(tn_system *sys, const tn_point *at, unsigned want)
{
    const unsigned derives = want & (TN_EVAL_TANGENT | TN_EVAL_LOADS);
    const unsigned pushes = want & (TN_EVAL_FORCE | TN_EVAL_DYNAMICS);
    tn_point full = *at;
    if (derives && sys->block[TN_BLOCK_FL])
        tn_sparse_clear(sys->block[TN_BLOCK_FL]);
    if (!(derives || pushes) || !some_slip(sys))
        return sys->ops->eval(sys, at, want);
    if (derives) {
        TN_TRY(sys->ops->eval(sys, at, TN_EVAL_B | TN_EVAL_GDOT));
        fill_multipliers(sys, at);
        full.eta = sys->slide_eta;
    }
    TN_TRY(sys->ops->eval(sys, &full, want | TN_EVAL_B | TN_EVAL_GDOT));
    for (int i = 0; i < sys->nslide; i++) {
        const tn_slide *slide = &sys->slide[i];
        if (slide->slips && pushes)
            add_friction(sys, slide, at);
        if (slide->slips && derives)
            add_derivatives(sys, slide, at);
    }
    return TN_OK;
}
