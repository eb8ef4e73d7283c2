// SPDX-License-Identifier: MIT
//
// Some modes of large mechanisms near zero, by sparse factors of the matrix with the constraints,
//
//   ( K' + c D' + c^2 M   C^T ) ( x )   ( b )
//   ( C                   0   ) ( l ) = ( 0 )      x = P^-1 b for short,
//
// and ARPACK. Without damping and with a symmetric K, mu = -s^2 comes from theta = 1 / (mu + c^2)
// of x -> (K + c^2 M)^-1 M x. Otherwise s comes from theta = 1 / (s - c) of the pencil of (x, x'),
// as in modes_dense.c; the rate is divided by c, so that both halves are of one size.

#include "analysis/modes.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/arpack.h"
#include "linalg/dense.h"

#include <math.h>

static const double FIRST_SHIFT = 1e-10; // c^2 by the largest mu
static const double SPREAD = 1e6;        // of mu + c^2 that one shift serves
static const double SPREAD_DAMPED = 1e3; // of s - c
static const double NEXT_SHIFT = 1e-2;   // c^2 by the last mu of those that are wanted
enum { MOST_TRIALS = 4 };

typedef struct sparse_road {
    tn_modes *m;
    tn_equilibrium *s;
    double c;
    double *b, *y;       // nv
    double *re, *im, *V; // of ARPACK
    int asked, found;
    void *block;
} sparse_road;

// Factors at c; another shift where a value is met by chance.
static tn_status factor_near(sparse_road *r, bool damped)
{
    for (int k = 0; k < MOST_TRIALS; k++, r->c *= 1.37) {
        const tn_status status =
            damped ? tn_eq_factor_exponent(r->s, r->c) : tn_eq_factor(r->s, r->c * r->c);
        if (status != TN_RETRY_SINGULAR)
            return status;
    }
    return tn_modes_fail_motion(r->m, NULL);
}

static tn_status open_road(sparse_road *r, int n, int asked)
{
    const size_t nv = (size_t)r->s->sys->nv, rows = (size_t)n, columns = (size_t)asked + 1;
    tn_free(r->block);
    r->asked = asked;
    r->block = tn_alloc(sizeof(double) * (2 * nv + 2 * columns + rows * columns));
    TN_TRY(tn_got(r->block));
    r->b = r->block;
    r->y = r->b + nv;
    r->re = r->y + nv;
    r->im = r->re + columns;
    r->V = r->im + columns;
    return TN_OK;
}

// Without damping ---------------------------------------------------------------------------------

static tn_status apply_symmetric(void *user, const double *b, double *x)
{
    return tn_eq_solve_motion(((sparse_road *)user)->s, b, x);
}

static tn_status apply_mass(void *user, const double *x, double *y)
{
    tn_eq_times_mass(((sparse_road *)user)->s, x, y);
    return TN_OK;
}

static tn_status run_symmetric(sparse_road *r)
{
    const int massive = r->m->facts.freedoms - r->s->sys->nmassless;
    const tn_arpack_ops ops = {apply_symmetric, apply_mass, r, massive};
    TN_TRY(factor_near(r, false));
    return tn_arpack_symmetric(r->s->sys->nv, r->asked, &ops, r->re, r->V, &r->found);
}

static tn_status sparse_symmetric(sparse_road *r)
{
    const int nv = r->s->sys->nv;
    TN_TRY(open_road(r, nv, r->m->wanted));
    TN_TRY(run_symmetric(r));
    if (fabs(r->re[0]) > SPREAD * fabs(r->re[r->found - 1])) {
        r->c = sqrt(NEXT_SHIFT / fabs(r->re[r->found - 1]));
        TN_TRY(run_symmetric(r));
    }
    for (int i = 0; i < r->found; i++)
        TN_TRY(tn_modes_add_square(r->m, 1.0 / r->re[i] - r->c * r->c, tn_column_of(r->V, nv, i)));
    return TN_OK;
}

// With damping ------------------------------------------------------------------------------------

// (x, v / c) -> (x1, v1 / c):  x1 = -P^-1 (M v + (D + c M) x),  v1 = x + c x1
static tn_status apply_pencil(void *user, const double *in, double *out)
{
    sparse_road *r = user;
    const int nv = r->s->sys->nv;
    for (int i = 0; i < nv; i++)
        r->y[i] = -r->c * (in[nv + i] + in[i]);
    tn_eq_times_mass(r->s, r->y, r->b);
    tn_eq_times_damping(r->s, in, r->y);
    tn_axpy(nv, -1.0, r->y, r->b);
    TN_TRY(tn_eq_solve_motion(r->s, r->b, out));
    for (int i = 0; i < nv; i++)
        out[nv + i] = in[i] / r->c + out[i];
    return TN_OK;
}

static tn_status run_damped(sparse_road *r)
{
    const int massive = r->m->facts.freedoms - r->s->sys->nmassless;
    const tn_arpack_ops ops = {.apply = apply_pencil, .user = r, .rank = 2 * massive};
    TN_TRY(factor_near(r, true));
    return tn_arpack_general(2 * r->s->sys->nv, r->asked, &ops, r->re, r->im, r->V, &r->found);
}

static tn_status sparse_damped(sparse_road *r)
{
    const int nv = r->s->sys->nv, most = 2 * (r->m->facts.freedoms - r->s->sys->nmassless) - 2;
    TN_TRY(open_road(r, 2 * nv, tn_smaller(2 * r->m->wanted + 2, most)));
    TN_TRY(run_damped(r));
    const double last = hypot(r->re[r->found - 1], r->im[r->found - 1]);
    if (hypot(r->re[0], r->im[0]) > SPREAD_DAMPED * last) {
        r->c = sqrt(NEXT_SHIFT) / last;
        TN_TRY(run_damped(r));
    }
    r->m->shift = r->c;
    for (int i = 0; i < r->found; i++) {
        const double square = r->re[i] * r->re[i] + r->im[i] * r->im[i];
        const double *y = tn_column_of(r->V, 2 * nv, i);
        if (r->im[i] > 0.0) // its conjugate belongs to s with im > 0
            continue;
        if (r->im[i] < 0.0) {
            tn_copy(nv, y, r->y);
            tn_scale(nv, -1.0, r->y);
        }
        TN_TRY(tn_modes_add(r->m, r->re[i] / square + r->c, -r->im[i] / square,
                            r->im[i] < 0.0 ? y - 2 * nv : y, r->im[i] < 0.0 ? r->y : NULL));
    }
    return TN_OK;
}

// The choice --------------------------------------------------------------------------------------

static tn_status check_sparse(const tn_modes *m)
{
    const int most = m->facts.freedoms - m->state->sys->nmassless - 1;
    if (m->wanted <= most)
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "method: the sparse method finds at most %d of the modes of this mechanism, "
                   "and %d were asked for; ask for fewer, or use the dense method",
                   tn_larger(most, 0), m->wanted);
}

static tn_status choose_sparse(sparse_road *r)
{
    tn_modes *m = r->m;
    const double largest = tn_modes_largest_square(m);
    bool symmetric = false;
    if (!m->facts.damped) {
        r->c = sqrt(largest); // motions of all sizes, not the slowest alone
        TN_TRY(factor_near(r, false));
        TN_TRY(tn_eq_find_symmetry(r->s, TN_SYMMETRIC, &symmetric));
    }
    r->c = sqrt(FIRST_SHIFT * largest);
    if (symmetric)
        return sparse_symmetric(r);
    if (m->options.undamped)
        return tn_fail(TN_ERR_USAGE,
                       "undamped: the sparse method does not part damping from gyroscopic terms "
                       "and from forces that follow the motion; leave it out, or use the dense "
                       "method");
    m->facts.damped = true;
    return sparse_damped(r);
}

tn_status tn_modes_sparse(tn_modes *m)
{
    sparse_road r = {.m = m, .s = m->state};
    TN_TRY(check_sparse(m));
    const tn_status status = choose_sparse(&r);
    tn_free(r.block);
    return status;
}
