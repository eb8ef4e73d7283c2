// SPDX-License-Identifier: MIT
//
// Forces that use multipliers that are not unique; see start_parts.h.

#include "start/start_parts.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>

typedef struct probe {
    tn_system *sys;
    tn_point at;
    double *y;         // ng + nn: lambda and eta
    double *v;         // nv
    double *f, *extra; // at the multipliers of the start
} probe;

// f and extra where the multipliers are those of the start plus `part` of z.
static tn_status evaluate_unique(probe *p, const tn_start *s, const double *z, double part)
{
    const tn_system *sys = p->sys;
    tn_copy(sys->ng, s->x.lambda, p->y);
    tn_copy(sys->nn, s->x.eta, p->y + sys->ng);
    tn_axpy(sys->ng + sys->nn, part, z, p->y);
    return tn_system_eval(p->sys, &p->at,
                          TN_EVAL_FORCE | (sys->ne > 0 ? (unsigned)TN_EVAL_EXTRA : 0));
}

static double change(int n, const double *now, const double *before)
{
    double most = 0.0, size = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(now[i] - before[i]));
        size = fmax(size, fmax(fabs(now[i]), fabs(before[i])));
    }
    return size > 0.0 ? most / size : 0.0;
}

static tn_status depends_on(probe *p, const tn_start *s, const double *z, bool *out)
{
    const tn_system *sys = p->sys;
    const double size = fmax(1.0, tn_norm_inf(sys->ng, s->x.lambda));
    *out = false;
    for (int moving = 0; moving < 2; moving++) { // friction vanishes at rest
        for (int i = 0; i < sys->nv; i++)
            p->v[i] = s->x.v[i] + (moving ? 1.0 + 0.1 * i : 0.0);
        TN_TRY(evaluate_unique(p, s, z, 0.0));
        tn_copy(sys->nv, sys->f, p->f);
        tn_copy(sys->ne, sys->extra, p->extra);
        TN_TRY(evaluate_unique(p, s, z, size));
        *out = *out || change(sys->nv, sys->f, p->f) > TN_ROUND_ITERATE ||
               change(sys->ne, sys->extra, p->extra) > TN_ROUND_ITERATE;
    }
    return TN_OK;
}

static tn_status refuse_unique(const tn_start *s, int k)
{
    TN_ASSERT(k >= 0 && k < s->redundancy.count);
    const tn_redundancy *r = &s->redundancy;
    char row[160], other[160] = "others";
    s->sys->ops->row_name(s->sys, r->redundant[k], row, sizeof row);
    for (int i = r->rows - 1; i >= 0; i--)
        if (tn_redundancy_repeats(r, k, i))
            s->sys->ops->row_name(s->sys, i, other, sizeof other);
    return tn_fail(
        TN_ERR_MODEL,
        "%s multipliers that the equations do not determine: %s repeats %s, so that only "
        "a sum of their multipliers is unique, and how it is shared would change the "
        "motion; leave one of the rows out, use the sum, or state the 'share' of joints between "
        "the "
        "same bodies",
        s->from_callbacks ? "the functions use" : "friction or expressions use", row, other);
}

// Column k of the kernel of C^T, by the combination of redundant row k.
static void kernel_of(const tn_redundancy *r, int k, double *z)
{
    TN_ASSERT(k >= 0 && k < r->count);
    for (int i = 0; i < r->rows; i++)
        z[i] = -r->combination[(size_t)k * (size_t)r->rows + (size_t)i];
    z[r->redundant[k]] = 1.0;
}

static tn_status judge_unique(tn_start *s, double *memory)
{
    const tn_redundancy *r = &s->redundancy;
    double *z = memory, *y = z + r->rows, *v = y + r->rows, *f = v + s->sys->nv;
    probe p = {s->sys, tn_state_point(&s->x), y, v, f, f + s->sys->nv};
    p.at.lambda = y;
    p.at.eta = y + s->sys->ng;
    p.at.v = v;
    for (int k = 0; k < r->count; k++) {
        bool depends = false;
        kernel_of(r, k, z);
        TN_TRY(depends_on(&p, s, z, &depends));
        if (depends)
            return refuse_unique(s, k);
    }
    return TN_OK;
}

tn_status tn_unique_judge(tn_start *s)
{
    const tn_system *sys = s->sys;
    if (s->redundancy.count == 0 || !(sys->force_uses_lambda || sys->ne > 0))
        return TN_OK;
    const size_t n = 2 * (size_t)s->redundancy.rows + 2 * (size_t)sys->nv + (size_t)sys->ne + 1;
    double *memory = tn_alloc(sizeof(double) * n);
    TN_TRY(tn_got(memory));
    const tn_status status = judge_unique(s, memory);
    tn_free(memory);
    return status;
}
