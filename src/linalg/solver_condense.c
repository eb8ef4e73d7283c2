// SPDX-License-Identifier: MIT
//
// Large real matrices: condensed (solver_complement.h) for as long as their values are symmetric
// and definite, by KLU from then on. The matrix alone decides that.

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/solver_complement.h"
#include "linalg/solver_order.h"
#include "linalg/solver_parts.h"

typedef struct condensed {
    void *klu;
    const tn_sparse *S;
    const double *row, *col; // D_r, D_c
    int suits;               // 1: it is condensed, -1: it does not suit, 0: not tried yet
    double rcond;            // of the factors when they were checked
    bool has_factors;
    char *kind;                // n, of unknowns
    double *b, *x;             // n, trial solve
    tn_complement *complement; // made of the above
} condensed;

static void condensed_destroy(void *self)
{
    condensed *s = self;
    tn_complement_destroy(s->complement);
    if (s->klu)
        tn_factor_klu.destroy(s->klu);
    TN_FREE(s->b, s);
}

static tn_status condensed_create(int parts, const tn_sparse *S, void **out)
{
    const size_t n = (size_t)S->ncol;
    condensed *s = tn_alloc(sizeof *s);
    if (s)
        s->b = tn_alloc(2 * n * sizeof(double) + n);
    tn_status status =
        s && s->b ? tn_factor_klu.create(parts, S, &s->klu)
                  : tn_fail(TN_ERR_MEMORY, "linear solver: no memory for %d unknowns", S->ncol);
    if (!s)
        return status;
    s->S = S;
    if (s->b) {
        s->x = s->b + n;
        s->kind = (char *)(s->x + n);
    }
    TN_HAND_OUT(status, (void *)s, condensed_destroy, out);
}

static void condensed_scales(void *self, const double *row, const double *col)
{
    condensed *s = self;
    s->row = row;
    s->col = col;
}

// It suits where the first values have the right form, and for as long as others do.
static void condense_first(condensed *s)
{
    tn_order_judge(1, s->S, s->kind, s->b);
    tn_complement_create(s->S, s->row, s->col, s->kind, &s->complement);
    s->suits = s->complement ? 1 : -1;
}

static void condense_end(condensed *s)
{
    tn_complement_destroy(s->complement);
    s->complement = NULL;
    s->suits = -1;
}

static void condensed_solve(void *self, double *b)
{
    condensed *s = self;
    if (s->suits > 0)
        tn_complement_solve(s->complement, b);
    else
        tn_factor_klu.solve(s->klu, b);
}

// False where it does not suit these values.
static bool condense(condensed *s, double *rcond)
{
    if (!tn_complement_factor(s->complement, s->S, rcond) || *rcond < TN_RCOND_DOUBT)
        return false;
    s->has_factors = true;
    if (s->rcond > 0.0 && *rcond * TN_PIVOT_CHANGE >= s->rcond)
        return true;
    s->rcond = *rcond;
    return tn_trial_error(s, condensed_solve, 1, s->S, s->b, s->x) <= TN_BACKWARD_MAX;
}

static tn_status condensed_factor(void *self, const tn_sparse *S, tn_solver_stats *stats)
{
    condensed *s = self;
    s->S = S;
    if (s->suits == 0)
        condense_first(s);
    if (s->suits > 0 && condense(s, &stats->rcond))
        return TN_OK;
    if (s->suits > 0)
        condense_end(s);
    return tn_factor_klu.factor(s->klu, S, stats);
}

// The same factors from the same values.
static void condense_again(condensed *s, tn_values *v)
{
    double rcond;
    tn_complement_destroy(s->complement);
    s->complement = NULL;
    if (s->suits <= 0)
        return;
    tn_complement_create(s->S, s->row, s->col, s->kind, &s->complement);
    if (!s->complement || (s->has_factors && !tn_complement_factor(s->complement, s->S, &rcond)))
        tn_values_refuse(v, "the saved state has a matrix whose complement cannot be factored");
}

static void condensed_values(void *self, const tn_sparse *S, tn_values *v)
{
    condensed *s = self;
    s->S = S;
    tn_values_bytes(v, 0, TN_UNKNOWN_HUB, S->ncol, "kind", (signed char *)s->kind);
    TN_VALUES_INT(v, -1, 1, 1, &s->suits);
    TN_VALUES_BOOL(v, &s->has_factors);
    TN_VALUES_ANY(v, "1", 1, &s->rcond);
    if (tn_values_are_read(v))
        condense_again(s, v);
    tn_factor_klu.values(s->klu, S, v);
}

static void condensed_fill(const void *self, tn_solver_fill *out)
{
    const condensed *s = self;
    if (s->suits > 0)
        out->estimate = out->fact = tn_complement_entries(s->complement);
    else
        tn_factor_klu.fill(s->klu, out);
}

static void condensed_widths(const void *self, int *width)
{
    const condensed *s = self;
    if (s->suits > 0)
        tn_complement_widths(s->complement, width);
    else
        tn_factor_klu.widths(s->klu, width);
}

bool tn_is_condensed(const void *self)
{
    return ((const condensed *)self)->suits > 0;
}

const tn_factor_ops tn_factor_condensed = {
    .name = "KLU",
    .create = condensed_create,
    .destroy = condensed_destroy,
    .factor = condensed_factor,
    .solve = condensed_solve,
    .fill = condensed_fill,
    .widths = condensed_widths,
    .scales = condensed_scales,
    .values = condensed_values,
};
