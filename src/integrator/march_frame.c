// SPDX-License-Identifier: MIT
//
// Reduced momenta P^T p that change as the motion does. A null space has no basis of its own: that
// of an orthogonal factorisation is another one wherever its pivots change. All bases P R with R
// orthogonal are as good as P; the output is the one nearest to that of the last output: R is what
// Gram-Schmidt makes of the least squares solution of P R = F, F the basis of the last output.

#include "integrator/march.h"

#include "linalg/dense.h"

void tn_march_frame_layout(tn_march *s, const tn_discrete *d, tn_carve *mem)
{
    const int nf = s->nloose = d->ops->loose ? d->ops->loose(d) : 0, nv = d->sys->nv;
    TN_CARVE_DOUBLES(mem, nv * nf, &s->axes, &s->frame);
    TN_CARVE_DOUBLES(mem, nf * nf, &s->gram, &s->turn);
    TN_CARVE_DOUBLES(mem, nv, &s->unit);
    TN_CARVE_CHOICES(mem, 1, nf, nf, &s->order);
}

// P, row by row: the reduced momenta of unit ones.
static void find_axes(tn_march *s, tn_discrete *d)
{
    const int nv = d->sys->nv, nf = s->nloose;
    tn_zero(nv, s->unit);
    for (int i = 0; i < nv; i++) {
        s->unit[i] = 1.0;
        d->ops->reduce(d, s->unit, s->reduced);
        s->unit[i] = 0.0;
        for (int k = 0; k < nf; k++)
            s->axes[i + k * nv] = s->reduced[k];
    }
}

static void be_identity(int n, double *R)
{
    for (int i = 0; i < n * n; i++)
        R[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
}

static bool orthonormalise(int n, double *R)
{
    for (int k = 0; k < n; k++) {
        double *x = R + k * n;
        for (int j = 0; j < k; j++)
            tn_axpy(n, -tn_dot(n, R + j * n, x), R + j * n, x);
        const double size = tn_norm2(n, x);
        if (!(size > 0.1)) // a turn of more than 84 degrees: nothing that could be followed
            return false;
        tn_scale(n, 1.0 / size, x);
    }
    return true;
}

static bool find_turn(tn_march *s, int nv)
{
    TN_ASSERT(s->framed && s->nloose > 0);
    const int nf = s->nloose;
    tn_inner(nv, nf, s->axes, nf, s->axes, s->gram);
    tn_inner(nv, nf, s->axes, nf, s->frame, s->turn);
    if (tn_lu_factor(nf, s->gram, s->order) != TN_OK)
        return false;
    for (int j = 0; j < nf; j++)
        tn_lu_solve(nf, s->gram, s->order, s->turn + j * nf);
    return orthonormalise(nf, s->turn);
}

void tn_march_follow_frame(tn_march *s, tn_discrete *d)
{
    TN_ASSERT(s->nloose <= d->sys->nv);
    const int nv = d->sys->nv, nf = s->nloose;
    if (nf == 0)
        return;
    find_axes(s, d);
    if (!s->framed || !find_turn(s, nv))
        be_identity(nf, s->turn);
    s->framed = true;
    tn_zero(nv * nf, s->frame);
    for (int k = 0; k < nf; k++)
        tn_add_columns(nv, nf, 1.0, s->axes, s->turn + k * nf, s->frame + k * nv);
    tn_inner(nv, nf, s->frame, 1, s->node_p, s->reduced);
}
