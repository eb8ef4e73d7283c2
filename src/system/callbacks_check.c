// SPDX-License-Identifier: MIT
//
// What can be told of a user's functions at one point: the mass matrix is symmetric, functions of a
// rotation are the same for both its quaternions, and given derivatives with respect to q are those
// of the constraints. They are compared with differences to three digits, so that slips of signs,
// factors, columns and of the kind of increments are found, and noise is not.

#include "base/alloc.h"
#include "linalg/dense.h"
#include "system/callbacks_parts.h"

#include <math.h>

typedef tn_callbacks_system callbacks;

static const double DIGITS = 1e-3; // to which given derivatives must be right
static const double SAME = 1e-9;   // of functions at e and -e, by their largest entry

static tn_status check_mass(tn_system *sys, const tn_point *at)
{
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_MASS));
    const tn_sparse *M = sys->block[TN_BLOCK_M];
    const double most = tn_norm_inf(M->nnz, M->val);
    for (int j = 0; j < M->ncol; j++)
        for (int i = 0; i < j; i++) {
            const double a = tn_sparse_at(M, i, j), b = tn_sparse_at(M, j, i);
            if (fabs(a - b) > 1e-10 * most)
                return tn_fail(
                    TN_ERR_USAGE,
                    "callbacks: the matrix of 'mass' is not symmetric: it has %g at row "
                    "%d, column %d and %g at row %d, column %d; a mass matrix is that of "
                    "the kinetic energy v^T M v / 2",
                    a, i + 1, j + 1, b, j + 1, i + 1);
        }
    return TN_OK;
}

// Signs of quaternions ----------------------------------------------------------------------------

// What the user's functions give at a point: M, f, g, extra.
typedef struct values {
    const char *name;
    int n;
    const double *now;
} values;

enum { FUNCTIONS = 4 };

static void list_values(const tn_system *sys, values v[FUNCTIONS])
{
    const tn_sparse *M = sys->block[TN_BLOCK_M];
    v[0] = (values){"mass", M->nnz, M->val};
    v[1] = (values){"force", sys->nv, sys->f};
    v[2] = (values){"constraint", sys->ng, sys->g};
    v[3] = (values){"states, algebraic or contact", sys->ne, sys->extra};
}

static bool differ(int n, const double *x, const double *y)
{
    const double size = fmax(tn_norm_inf(n, x), tn_norm_inf(n, y));
    for (int i = 0; i < n; i++)
        if (fabs(x[i] - y[i]) > SAME * size)
            return true;
    return false;
}

static tn_status eval_values(tn_system *sys, const tn_point *at)
{
    return tn_system_eval(sys, at, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_G | TN_EVAL_EXTRA);
}

// `kept` has the values at the point, one after the other.
static tn_status compare_sign(callbacks *s, const tn_point *at, int k, double *q,
                              const double *kept)
{
    tn_system *sys = &s->base;
    values v[FUNCTIONS];
    tn_point other = *at;
    tn_copy(sys->nq, at->q, q);
    tn_scale(4, -1.0, q + s->group[k].q0 + tn_group_turn(&s->group[k]));
    other.q = q;
    TN_TRY(eval_values(sys, &other));
    list_values(sys, v);
    for (int i = 0; i < FUNCTIONS; kept += v[i++].n)
        if (differ(v[i].n, kept, v[i].now))
            return tn_fail(TN_ERR_USAGE,
                           "callbacks: the function '%s' changes with the sign of the quaternion "
                           "of spaces[%d], but e and -e are the same rotation; mend it, or take "
                           "TN_SPACE_QUATERNION, where they differ",
                           v[i].name, k);
    return TN_OK;
}

static tn_status check_signs(callbacks *s, const tn_point *at)
{
    tn_system *sys = &s->base;
    values v[FUNCTIONS];
    int n = sys->nq, count = 0;
    for (int k = 0; k < sys->ngroup; k++)
        count += tn_group_turns(&s->group[k]) && !s->sided[k];
    if (count == 0)
        return TN_OK;
    TN_TRY(eval_values(sys, at));
    list_values(sys, v);
    for (int i = 0; i < FUNCTIONS; i++)
        n += v[i].n;
    double *room = tn_alloc(sizeof(double) * (size_t)n);
    TN_TRY(tn_got(room));
    double *to = room + sys->nq;
    for (int i = 0; i < FUNCTIONS; to += v[i++].n)
        tn_copy(v[i].n, v[i].now, to);
    tn_status status = TN_OK;
    for (int k = 0; k < sys->ngroup && status == TN_OK; k++)
        if (tn_group_turns(&s->group[k]) && !s->sided[k])
            status = compare_sign(s, at, k, room, room + sys->nq);
    tn_free(room);
    return status;
}

// Derivatives -------------------------------------------------------------------------------------

static double row_largest(int m, int n, const double *A, int i)
{
    double most = 0.0;
    for (int j = 0; j < n; j++)
        most = fmax(most, fabs(A[i + (size_t)j * (size_t)m]));
    return most;
}

static tn_status compare_jacobian(const callbacks *s, double t, const double *by_differences)
{
    const int ng = s->base.ng, nv = s->base.nv;
    char row[80], velocity[80];
    for (int i = 0; i < ng; i++) {
        const double size =
            fmax(row_largest(ng, nv, s->B, i), row_largest(ng, nv, by_differences, i));
        for (int j = 0; j < nv; j++) {
            const size_t at = (size_t)i + (size_t)j * (size_t)ng;
            if (fabs(s->B[at] - by_differences[at]) <= DIGITS * size)
                continue;
            s->ops.row_name(&s->base, i, row, sizeof row);
            s->ops.velocity_name(&s->base, j, velocity, sizeof velocity);
            return tn_fail(TN_ERR_USAGE,
                           "callbacks: 'jacobian' has %g at row %d (%s), column %d (%s) at t = %g "
                           "s, but differences of 'constraint' give %g; column j is the rate of "
                           "change of g while v is the unit vector j",
                           s->B[at], i + 1, row, j + 1, velocity, t, by_differences[at]);
        }
    }
    return TN_OK;
}

// gamma is a sum of G v^2 by lengths, beside which round-off of differences is noise.
static tn_status compare_gamma(const callbacks *s, const tn_point *at, const double *by_differences)
{
    const int ng = s->base.ng, nv = s->base.nv;
    double square = 0.0;
    char row[80];
    for (int j = 0; j < nv; j++)
        square = fmax(square, at->v[j] * at->v[j] / s->length_q[j]);
    for (int i = 0; i < ng; i++) {
        const double given = s->base.gamma[i], found = by_differences[i];
        const double room = DIGITS * fmax(fabs(given), fabs(found)) +
                            0.1 * DIGITS * row_largest(ng, nv, s->B, i) * square;
        s->ops.row_name(&s->base, i, row, sizeof row);
        if (fabs(given - found) > room)
            return tn_fail(TN_ERR_USAGE,
                           "callbacks: 'gamma' has %g at row %d (%s) at t = %g s, but differences "
                           "give %g; it is g'' where v' = 0",
                           given, i + 1, row, at->t, found);
    }
    return TN_OK;
}

// Functions that cannot be asked beside the point are not compared.
static tn_status leave_out(tn_status status, bool *compared)
{
    *compared = status == TN_OK;
    if (status > 0)
        tn_clear_error();
    return status > 0 ? TN_OK : status;
}

static tn_status compare_derivatives(callbacks *s, const tn_point *at, double *room)
{
    bool compared = false;
    if (s->cb.jacobian) {
        TN_TRY(tn_system_eval(&s->base, at, TN_EVAL_B));
        TN_TRY(leave_out(tn_callbacks_try_jacobian(s, at, room), &compared));
        if (compared)
            TN_TRY(compare_jacobian(s, at->t, room));
    }
    if (s->cb.gamma && !s->rheonomic) {
        TN_TRY(leave_out(tn_callbacks_try_gamma(s, at, room), &compared));
        TN_TRY(tn_system_eval(&s->base, at, TN_EVAL_B | TN_EVAL_GAMMA));
        if (compared)
            TN_TRY(compare_gamma(s, at, room));
    }
    return TN_OK;
}

tn_status tn_callbacks_check_derivatives(tn_system *sys, const tn_point *at)
{
    callbacks *s = (callbacks *)sys;
    if (sys->ng == 0 || sys->ns > 0 || !(s->cb.jacobian || s->cb.gamma))
        return TN_OK; // with s the matrix is a total derivative that is formed here
    double *room = tn_alloc(sizeof(double) * (size_t)sys->ng * (size_t)sys->nv);
    TN_TRY(tn_got(room));
    const tn_status status = compare_derivatives(s, at, room);
    tn_free(room);
    return status;
}

tn_status tn_callbacks_check(tn_system *sys, const tn_point *at)
{
    TN_TRY(check_mass(sys, at));
    return check_signs((callbacks *)sys, at);
}
