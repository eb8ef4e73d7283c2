// SPDX-License-Identifier: MIT
//
// Motions without inertia; see massless.h.
//
// Accelerations. Along a motion r = M a - f + C^T lambda vanishes at all times, and so does S^T r'
// with S kept as it is at the point:
//
//   S^T (M a' + C^T lambda' + K v + D a + r_t) = S^T (K v + D a + r_t) = 0,
//
// with K = dr/dq and D = dr/dv at a and lambda. The particular solution x of the acceleration level
// has the right lambda, and a = x + S z with
//
//   S^T D S z = -S^T (K(x) v + D x + r_t).
//
// K depends on a by the derivative of M(q) a. S^T M = 0 holds for all q, and so 0 = (S^T M S)' is
// S^T M' S: what z adds to K v vanishes, and K may be taken at x.

#include "motion/massless.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Motions up to which these are computed, which takes the cube of their number: 3 s for as many. Of
// only the factors of S^T D S show more.
enum { JUDGED = 1000 };

// Words -------------------------------------------------------------------------------------------

void tn_motion_text(const tn_system *sys, const double *direction, char *text, size_t size)
{
    enum { NAMED = 3 };
    const double largest = tn_norm_inf(sys->nv, direction);
    int parts = 0;
    for (int i = 0; i < sys->nv; i++)
        parts += fabs(direction[i]) > 1e-6 * largest;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0, named = 0; i < sys->nv && named < NAMED; i++) {
        char name[96];
        if (!(fabs(direction[i]) > 1e-6 * largest))
            continue;
        sys->ops->velocity_name(sys, i, name, sizeof name);
        if (parts == 1)
            snprintf(text, size, "%s", name);
        else
            snprintf(text + used, size - used, "%s%s (%.3g)",
                     named == 0 ? "the motion of " : " with ", name, direction[i] / largest);
        used = strlen(text);
        named++;
    }
    if (parts > NAMED)
        snprintf(text + used, size - used, " and %d more", parts - NAMED);
}

// Creation ----------------------------------------------------------------------------------------

static void layout_massless(void *self, tn_carve *mem)
{
    tn_massless *ml = self;
    const int nv = ml->sys->nv, m = ml->m;
    const bool by_matrix = ml->self == ml;
    const int band = tn_band_size(m, ml->most), columns = by_matrix ? nv * m : 0;
    TN_CARVE_CHOICES(mem, 0, nv - 1, by_matrix ? m : 0, &ml->coordinate);
    TN_CARVE_CHOICES(mem, 1, m, m, &ml->pivot);
    TN_CARVE_DOUBLES(mem, columns, &ml->S);
    TN_CARVE_DOUBLES(mem, columns > band ? columns : band, &ml->W);
    TN_CARVE_DOUBLES(mem, band, &ml->A);
    TN_CARVE_DOUBLES(mem, m, &ml->z, &ml->step, &ml->rt);
    TN_CARVE_DOUBLES(mem, nv, &ml->motion, &ml->x, &ml->y);
    TN_CARVE_DOUBLES(mem, nv + ml->sys->ng + ml->sys->nn, &ml->zeros);
}

tn_status tn_massless_create(tn_system *sys, tn_massless **out)
{
    *out = NULL;
    if (sys->nmassless == 0)
        return TN_OK;
    tn_massless *ml = tn_alloc(sizeof *ml);
    TN_TRY(tn_got(ml));
    ml->sys = sys;
    ml->m = sys->nmassless;
    const tn_massless_ops *recursion = sys->massless ? NULL : sys->ops->massless;
    ml->ops = recursion ? &recursion->motion : &tn_motions_by_matrix;
    ml->self = recursion ? (void *)sys : ml;
    ml->band = ml->most = recursion ? recursion->widest(sys) : ml->m - 1;
    const tn_status status = tn_carve_block(ml, layout_massless, &ml->block);
    if (status != TN_OK) {
        tn_massless_destroy(ml);
        return status;
    }
    if (sys->massless)
        memcpy(ml->coordinate, sys->massless, sizeof(int) * (size_t)ml->m);
    *out = ml;
    return TN_OK;
}

void tn_massless_destroy(tn_massless *ml)
{
    if (ml)
        TN_FREE(ml->block, ml);
}

void tn_massless_values(tn_massless *ml, tn_values *v)
{
    const int band = ml->band;
    tn_carve_values(ml, layout_massless, ml->block, v);
    tn_values_enter(v, "massless");
    TN_VALUES(v, "1", 1, &ml->weight, &ml->inertia, &ml->largest);
    TN_VALUES_BOOL(v, &ml->spanned);
    ml->band = band;
    TN_VALUES_INT(v, 0, ml->most, 1, &ml->band);
    tn_values_leave(v);
}

int tn_massless_count(const tn_massless *ml)
{
    return ml ? ml->m : 0;
}

const double *tn_massless_motion(tn_massless *ml, int k)
{
    TN_ASSERT(k >= 0 && k < ml->m);
    tn_zero(ml->m, ml->rt);
    tn_zero(ml->sys->nv, ml->motion);
    ml->rt[k] = 1.0;
    ml->ops->expand(ml->self, 1.0, ml->rt, ml->motion);
    return ml->motion;
}

// The factors of recursions -----------------------------------------------------------------------

static tn_status check_count(const tn_massless *ml, int count)
{
    if (count == ml->m)
        return TN_OK;
    return tn_fail(TN_RETRY_FUNCTION,
                   "the number of motions without inertia was %d at the start and is %d at t = "
                   "%.6g s, which is not solved; give the bodies of zero mass a little",
                   ml->m, count, ml->sys->t);
}

tn_status tn_massless_factor(tn_massless *ml, const tn_point *at)
{
    int count;
    ml->sys->t = at->t;
    TN_TRY(ml->sys->ops->massless->factor(ml->sys, at, &count));
    return check_count(ml, count);
}

tn_status tn_massless_accelerate(tn_massless *ml, const tn_point *at, double *a)
{
    int count;
    ml->sys->evals++;
    ml->sys->t = at->t;
    TN_TRY(ml->sys->ops->massless->accelerate(ml->sys, at, a, &count));
    return check_count(ml, count);
}

// Algebra of the motions --------------------------------------------------------------------------

void tn_massless_remove(const tn_massless *ml, double *x)
{
    if (ml->ops->remove)
        ml->ops->remove(ml->self, x);
}

// S^T D S at the point, where the blocks were last evaluated.
static tn_status reduce_damping(tn_massless *ml, const tn_point *at)
{
    TN_TRY(ml->ops->band(ml->self, at, &ml->band));
    ml->ops->tangent(ml->self, at, 1, ml->band, ml->A, &ml->largest);
    return TN_OK;
}

// Rows of a column that are in the band.
static int first_in(const tn_massless *ml, int j)
{
    return j > ml->band ? j - ml->band : 0;
}

static int last_in(const tn_massless *ml, int j)
{
    return j + ml->band < ml->m ? j + ml->band : ml->m - 1;
}

// z becomes S^T K S z, with S^T K S in W.
static void times_stiffness(tn_massless *ml, double *z)
{
    tn_copy(ml->m, z, ml->rt);
    tn_zero(ml->m, z);
    for (int j = 0; j < ml->m; j++)
        for (int i = first_in(ml, j); i <= last_in(ml, j); i++)
            z[i] += ml->W[tn_band_at(ml->band, i, j)] * ml->rt[j];
}

static tn_status factor_damping(tn_massless *ml, const tn_point *at)
{
    TN_TRY(reduce_damping(ml, at));
    if (tn_band_factor(ml->m, ml->band, ml->A, ml->pivot) == TN_OK)
        return TN_OK;
    return tn_fail(TN_RETRY_SINGULAR,
                   "no damper determines the motions without inertia at t = %.6g s: S^T D S is "
                   "singular there",
                   ml->sys->t);
}

tn_status tn_massless_follow(tn_massless *ml, const tn_point *at, double *x)
{
    TN_TRY(factor_damping(ml, at));
    tn_zero(ml->sys->nv, ml->y);
    tn_sparse_mul(ml->sys->block[TN_BLOCK_D], 1.0, x, ml->y);
    ml->ops->reduce(ml->self, ml->y, ml->z);
    tn_band_solve(ml->m, ml->band, ml->A, ml->pivot, ml->z);
    ml->ops->expand(ml->self, -1.0, ml->z, x);
    return TN_OK;
}

tn_status tn_massless_rate(tn_massless *ml, const tn_point *at, double *rate)
{
    enum { ITERATIONS = 12 };
    const int m = ml->m;
    double largest;
    *rate = 0.0;
    TN_TRY(factor_damping(ml, at));
    ml->ops->tangent(ml->self, at, 0, ml->band, ml->W, &largest);
    for (int k = 0; k < m; k++)
        ml->step[k] = 1.0 + 0.1 * k;
    for (int i = 0; i < ITERATIONS; i++) {
        const double size = tn_norm2(m, ml->step);
        times_stiffness(ml, ml->step);
        tn_band_solve(m, ml->band, ml->A, ml->pivot, ml->step);
        const double grown = tn_norm2(m, ml->step);
        if (!(size > 0.0) || !(grown > 0.0))
            return TN_OK;
        *rate = grown / size;
        tn_scale(m, 1.0 / grown, ml->step);
    }
    return TN_OK;
}

// Velocities --------------------------------------------------------------------------------------

static tn_point at_rest(const tn_massless *ml, const tn_point *at, const double *v)
{
    tn_point point = *at; // D does not depend on a and the multipliers, which a tangent asks for
    point.v = v;
    point.a = ml->zeros;
    point.lambda = ml->zeros + ml->sys->nv;
    point.eta = point.lambda + ml->sys->ng;
    return point;
}

// The Newton step from v, with new factors where they are wanted; its size in units of round-off.
static tn_status massless_newton_step(tn_massless *ml, const tn_point *at, bool renew,
                                      const double *v, double *size)
{
    TN_TRY(ml->ops->force(ml->self, at, renew ? ml->ops->tangents : TN_EVAL_FORCE, ml->z));
    if (renew)
        TN_TRY(factor_damping(ml, at));
    tn_band_solve(ml->m, ml->band, ml->A, ml->pivot, ml->z);
    *size = tn_norm_inf(ml->m, ml->z) / (1.0 + tn_norm_inf(ml->sys->nv, v));
    return TN_OK;
}

tn_status tn_massless_velocity(tn_massless *ml, const tn_point *at, double *v)
{
    enum { MAX_ITERATIONS = 60 };
    const double enough = 4e-15, rounding = 1e-9; // steps that no longer shrink below this
    const tn_point point = at_rest(ml, at, v);
    double last = INFINITY, size = 0.0;
    bool renew = true;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        TN_TRY(massless_newton_step(ml, &point, renew, v, &size));
        const double rate = isinf(last) ? 1.0 : size / last;
        if (!isfinite(size) || (rate > 1.0 && last > rounding)) { // too far: half the way back
            tn_scale(ml->m, 0.5, ml->step);
            ml->ops->expand(ml->self, -1.0, ml->step, v);
            renew = true;
            continue;
        }
        tn_copy(ml->m, ml->z, ml->step);
        ml->ops->expand(ml->self, 1.0, ml->step, v);
        if (size <= enough || (rate < 1.0 && size * rate <= enough) ||
            (rate > 0.5 && size < rounding && k > 1))
            return TN_OK;
        renew = rate > 0.1 && k > 0;
        last = size;
    }
    return tn_fail(TN_RETRY_NEWTON,
                   "the velocities of the motions without inertia were not found at t = %.6g s: "
                   "their dampers do not balance the other forces",
                   at->t);
}

// Accelerations -----------------------------------------------------------------------------------

// S^T r_t by central differences of fourth order; exactly zero where nothing depends on time.
static tn_status time_derivative(tn_massless *ml, const tn_point *at)
{
    static const double e = 0x1p-14; // [s], a power of two: t + e - t is e
    static const struct {
        double at, weight;
    } node[4] = {{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}};
    tn_zero(ml->m, ml->rt);
    for (int k = 0; k < 4; k++) {
        tn_point point = *at;
        point.t += node[k].at * e;
        TN_TRY(ml->ops->residual(ml->self, &point, ml->z));
        tn_axpy(ml->m, node[k].weight / (12.0 * e), ml->z, ml->rt);
        if (k == 1 && tn_norm_inf(ml->m, ml->rt) == 0.0)
            return TN_OK;
    }
    return TN_OK;
}

tn_status tn_massless_acceleration(tn_massless *ml, const tn_point *at, double *a)
{
    tn_point point = *at;
    point.a = a;
    tn_massless_remove(ml, a);
    TN_TRY(time_derivative(ml, &point));
    TN_TRY(ml->ops->rate(ml->self, &point, ml->step));
    tn_axpy(ml->m, 1.0, ml->rt, ml->step);
    TN_TRY(factor_damping(ml, &point));
    tn_band_solve(ml->m, ml->band, ml->A, ml->pivot, ml->step);
    ml->ops->expand(ml->self, -1.0, ml->step, a);
    return TN_OK;
}

// Regularity --------------------------------------------------------------------------------------

// Motions without any damping; the first, if there is one, into z. scale: 1 / sqrt of the largest
// entries of rows and columns.
static bool has_no_damper(tn_massless *ml, double *scale)
{
    const int m = ml->m;
    tn_zero(m, scale);
    for (int j = 0; j < m; j++)
        for (int i = first_in(ml, j); i <= last_in(ml, j); i++) {
            const double entry = fabs(ml->A[tn_band_at(ml->band, i, j)]);
            scale[i] = fmax(scale[i], entry);
            scale[j] = fmax(scale[j], entry);
        }
    tn_zero(m, ml->z);
    for (int k = 0; k < m; k++) {
        const double *motion = tn_massless_motion(ml, k);
        ml->z[k] = 1.0;
        if (!(scale[k] > TN_ROUND_MATRIX * ml->largest * tn_dot(ml->sys->nv, motion, motion)))
            return true;
        ml->z[k] = 0.0;
        scale[k] = 1.0 / sqrt(scale[k]);
    }
    return false;
}

// The direction z that S^T D S, in A, maps to zero, into ml->z; false where there is none.
static tn_status find_undamped(tn_massless *ml, const double *scale, bool *found)
{
    const size_t m = (size_t)ml->m;
    double *work = tn_alloc(sizeof(double) * (2 * m * m + m));
    TN_TRY(tn_got(work));
    double *U = work, *B = U + m * m, *s = B + m * m;
    for (int j = 0; j < ml->m; j++) // transposed: its left vectors are the right ones of A
        for (int i = first_in(ml, j); i <= last_in(ml, j); i++)
            B[(size_t)i * m + (size_t)j] = scale[i] * ml->A[tn_band_at(ml->band, i, j)] * scale[j];
    const tn_status status = tn_left_singular(ml->m, ml->m, B, s, U);
    if (status == TN_OK) {
        *found = !(s[m - 1] > TN_ROUND_SOLVE * s[0]);
        for (size_t k = 0; k < m; k++)
            ml->z[k] = scale[k] * U[(m - 1) * m + k];
    }
    tn_free(work);
    return status;
}

// The direction is in z.
static tn_status refuse_massless(tn_massless *ml, const tn_point *at)
{
    const int nv = ml->sys->nv;
    double largest;
    char text[480];
    ml->ops->tangent(ml->self, at, 0, ml->band, ml->W, &largest);
    tn_zero(nv, ml->x);
    ml->ops->expand(ml->self, 1.0, ml->z, ml->x);
    tn_motion_text(ml->sys, ml->x, text, sizeof text);
    const double size = largest * tn_norm_inf(nv, ml->x);
    times_stiffness(ml, ml->z);
    if (tn_norm_inf(ml->m, ml->z) > TN_ROUND_MATRIX * size)
        return tn_fail(TN_ERR_MODEL,
                       "%s is free to move without inertia and held by springs or weights alone, "
                       "which determine its position and not its velocity (an equation of higher "
                       "index, which is not solved); add a damper, or give the body mass or "
                       "inertia",
                       text);
    return tn_fail(TN_ERR_MODEL,
                   "%s is free to move without inertia, and no damper acts on it; add one, give "
                   "the body mass or inertia, or hold it by a joint",
                   text);
}

static tn_status check_kinds(tn_massless *ml)
{
    const tn_system *sys = ml->sys;
    const tn_sparse *part[2] = {sys->block[TN_BLOCK_FL], sys->block[TN_BLOCK_FN]};
    char text[480];
    if (sys->nw + sys->ns > 0)
        return tn_fail(TN_ERR_MODEL, "motions without inertia together with algebraic variables w "
                                     "or s are not solved; give all coordinates mass");
    for (int k = 0; k < ml->m; k++)
        for (int p = 0; p < 2; p++) {
            if (!part[p])
                continue;
            const double *s = tn_massless_motion(ml, k);
            tn_zero(part[p]->ncol, ml->zeros);
            tn_sparse_mul_t(part[p], 1.0, s, ml->zeros);
            const double size = tn_norm_inf(part[p]->ncol, ml->zeros);
            tn_zero(part[p]->ncol, ml->zeros);
            if (size <= TN_ROUND_MATRIX * tn_norm_inf(part[p]->nnz, part[p]->val))
                continue;
            tn_motion_text(sys, s, text, sizeof text);
            return tn_fail(TN_ERR_MODEL,
                           "%s has no inertia, and a force on it depends on constraint forces "
                           "(friction), which is not solved; give the body mass or inertia, or "
                           "take the friction out",
                           text);
        }
    return TN_OK;
}

tn_status tn_massless_judge(tn_massless *ml, const tn_point *at)
{
    const tn_point point = at_rest(ml, at, at->v);
    TN_TRY(tn_system_eval(ml->sys, &point, ml->ops->tangents));
    TN_TRY(check_kinds(ml));
    TN_TRY(reduce_damping(ml, &point));
    double *scale = tn_alloc(sizeof(double) * (size_t)ml->m);
    TN_TRY(tn_got(scale));
    bool found = has_no_damper(ml, scale);
    const tn_status status = found || ml->m > JUDGED ? TN_OK : find_undamped(ml, scale, &found);
    tn_free(scale);
    TN_TRY(status);
    return found ? refuse_massless(ml, &point) : TN_OK;
}
