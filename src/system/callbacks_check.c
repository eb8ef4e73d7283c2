// SPDX-License-Identifier: MIT
//
// Checks a user's functions at the start: the mass matrix is symmetric, constraints depend on time
// only where that is said, functions of a rotation are the same for both its quaternions, and given
// derivatives are those of constraints and contacts. They are compared with differences to three
// digits, so that slips of signs, factors, columns and of the kind of increments are found, and
// noise is not.

#include "base/alloc.h"
#include "linalg/dense.h"
#include "system/callbacks_parts.h"

#include <math.h>
#include <stdio.h>

typedef tn_callbacks_system callbacks;

static const double DIGITS = 1e-3; // to which given derivatives must be right
static const double NOISE = 1e-8;  // of derivatives by differences, by the size of terms
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

// The results of the user's functions at a point: M, f, g, extra.
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

// `kept` holds the values at the point, one after the other.
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

static tn_status tell_entry(const callbacks *s, const tn_partial *p, int i, int j, double t,
                            const double entry[2])
{
    char row[80], column[80];
    if (p->of_g)
        s->ops.row_name(&s->base, i, row, sizeof row);
    else
        snprintf(row, sizeof row, "h %d", i);
    if (p->by_q)
        s->ops.velocity_name(&s->base, j, column, sizeof column);
    else
        snprintf(column, sizeof column, "s %d", j);
    return tn_fail(TN_ERR_USAGE,
                   "callbacks: '%s' has %g at row %d (%s), column %d (%s) at t = %g s, but "
                   "differences of '%s' give %g; column j is the rate of change of %s while %s is "
                   "the unit vector j",
                   p->name, entry[0], i + 1, row, j + 1, column, t,
                   p->of_g ? "constraint" : "contact", entry[1], p->of_g ? "g" : "h",
                   p->by_q ? "v" : "s'");
}

// `found` has the derivatives of g or h by all of q and s, m rows, which times the lengths are of
// the size of the terms of its rows. Round-off of these is noise, as in dg/ds, which is zero where
// surfaces touch.
static double row_extent(const callbacks *s, int m, const double *found, int i)
{
    double most = 0.0;
    for (int j = 0; j < s->base.nv + s->base.ns; j++) {
        const double length = j < s->base.nv ? s->length_q[j] : s->length_s[j - s->base.nv];
        most = fmax(most, length * fabs(found[i + (size_t)j * (size_t)m]));
    }
    return most;
}

static tn_status compare_partial(const callbacks *s, double t, const tn_partial *p,
                                 const double *given, const double *all)
{
    const double *found = all + (p->by_q ? 0 : (size_t)p->m * (size_t)s->base.nv);
    const double *length = p->by_q ? s->length_q : s->length_s;
    for (int i = 0; i < p->m; i++) {
        const double size =
            fmax(row_largest(p->m, p->n, given, i), row_largest(p->m, p->n, found, i));
        const double noise = NOISE * row_extent(s, p->m, all, i);
        for (int j = 0; j < p->n; j++) {
            const size_t at = (size_t)i + (size_t)j * (size_t)p->m;
            const double entry[2] = {given[at], found[at]};
            if (fabs(entry[0] - entry[1]) > DIGITS * size + noise / length[j])
                return tell_entry(s, p, i, j, t, entry);
        }
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

// The derivatives of g or h that are given, with those by differences, first by q, then by s.
static tn_status compare_partials(callbacks *s, const tn_point *at, bool of_g, double *room)
{
    const tn_callbacks_partial which[2] = {of_g ? TN_PARTIAL_GQ : TN_PARTIAL_HQ,
                                           of_g ? TN_PARTIAL_GS : TN_PARTIAL_HS};
    const tn_partial p[2] = {tn_callbacks_partial_of(s, which[0]),
                             tn_callbacks_partial_of(s, which[1])};
    double *by_s = room + p[0].m * p[0].n, *given = by_s + p[1].m * p[1].n;
    bool compared = false;
    if (p[0].m == 0 || !(p[0].given || p[1].given))
        return TN_OK;
    TN_TRY(leave_out(tn_callbacks_partials(s, which[0], true, at, room), &compared));
    if (compared && s->base.ns > 0)
        TN_TRY(leave_out(tn_callbacks_partials(s, which[1], true, at, by_s), &compared));
    for (int k = 0; k < 2 && compared; k++)
        if (p[k].given && p[k].n > 0) {
            TN_TRY(tn_callbacks_partials(s, which[k], false, at, given));
            TN_TRY(compare_partial(s, at->t, &p[k], given, room));
        }
    return TN_OK;
}

tn_status tn_callbacks_check_derivatives(tn_system *sys, const tn_point *at)
{
    callbacks *s = (callbacks *)sys;
    const int rows = sys->ng > sys->ns ? sys->ng : sys->ns, n = sys->nv + sys->ns;
    if (rows == 0)
        return TN_OK;
    double *room = tn_alloc(2 * sizeof(double) * (size_t)rows * (size_t)n);
    TN_TRY(tn_got(room));
    tn_status status = compare_partials(s, at, true, room);
    TN_THEN(status, compare_partials(s, at, false, room));
    tn_free(room);
    return status;
}

// Derivatives over time ---------------------------------------------------------------------------
//
// gamma is quadratic in v, so start values at rest show nothing of it: it is evaluated at
// velocities of one length in one length of time, at which its terms are of one size. Functions of
// time and of q may have discontinuities at the start, and need not be defined everywhere. So they
// are evaluated at a few times and places nearby, and a row is wrong where it differs at all of
// them at which it can be evaluated.

typedef struct place {
    double later, aside; // in lengths of time, and of q along the velocities
} place;

// Far enough for functions to change by more than the digits that are compared. The second one is
// beyond a discontinuity that has made the length of time short. The last one is for functions that
// cannot be evaluated at the others.
static const place PLACES[] = {{0.618, 0.0}, {6.18, 0.0618}, {0.0618, -0.0618}, {0.00618, 0.0}};

// The result of the check of a row.
typedef struct verdict {
    bool agrees, differs;   // at some place
    double t, given, found; // the place of the difference
} verdict;

typedef struct rate {
    tn_callbacks_part given, formed;
    double noise; // of `formed`, by the size of terms in lengths and lengths of time
    verdict *rows;
} rate;

static tn_status given_gamma(callbacks *s, const tn_point *at, double *gamma)
{
    TN_TRY(tn_system_eval(&s->base, at, TN_EVAL_GAMMA));
    tn_copy(s->base.ng, s->base.gamma, gamma);
    return TN_OK;
}

static void scale_lengths(callbacks *s, double by)
{
    tn_scale(s->base.nv, by, s->length_q);
    tn_scale(s->base.ns, by, s->length_s);
    s->length_t *= by;
}

// Differences with two steps that disagree are those of a discontinuity or of noise, and show
// nothing; nor does a row that is zero.
static void judge_row(verdict *row, double t, double given, const double found[2], double noise)
{
    const double size = fmax(fabs(given), fabs(found[1])), room = DIGITS * size + noise;
    if (!(fabs(found[1] - found[0]) <= 0.1 * room))
        return;
    if (fabs(given - found[1]) <= room)
        row->agrees = row->agrees || size > noise;
    else if (!row->differs)
        *row = (verdict){row->agrees, true, t, given, found[1]};
}

// With steps that are `part` of the usual ones, and half of that. `room` has 3 ng numbers.
static tn_status judge_rate(callbacks *s, const rate *r, const tn_point *at, double part,
                            double *room)
{
    const int ng = s->base.ng;
    double *given = room, *coarse = room + ng, *fine = room + 2 * ng;
    TN_TRY(r->given(s, at, given));
    scale_lengths(s, part);
    tn_status status = r->formed(s, at, coarse);
    scale_lengths(s, 0.5);
    TN_THEN(status, r->formed(s, at, fine));
    scale_lengths(s, 2.0 / part);
    TN_THEN(status, tn_system_eval(&s->base, at, TN_EVAL_B));
    TN_TRY(status);
    for (int i = 0; i < ng; i++) {
        double size = 0.0;
        for (int j = 0; j < s->base.nv; j++)
            size = fmax(size, s->length_q[j] * fabs(s->B[i + (size_t)j * (size_t)ng]));
        judge_row(&r->rows[i], at->t, given[i], (double[]){coarse[i], fine[i]}, r->noise * size);
    }
    return TN_OK;
}

static const verdict *first_wrong(const callbacks *s, const rate *r)
{
    for (int i = 0; i < s->base.ng; i++)
        if (r->rows[i].differs && !r->rows[i].agrees)
            return &r->rows[i];
    return NULL;
}

// Ripples are right in shorter steps alone; wrong ones are so in all of them.
static tn_status judge_rates(callbacks *s, const rate *r, const tn_point *at, double *room)
{
    TN_TRY(judge_rate(s, r, at, 1.0, room));
    for (double part = 0x1p-4; part >= 0x1p-8 && first_wrong(s, r); part *= 0x1p-4)
        TN_TRY(judge_rate(s, r, at, part, room));
    return TN_OK;
}

// Irregular, so that terms do not cancel.
static double speed(const callbacks *s, int j)
{
    const double golden = 0.6180339887 * (j + 1), part = 0.4 + 0.6 * (golden - floor(golden));
    return (j % 2 ? -part : part) * s->length_q[j] / s->length_t;
}

// Returns true if the functions could be evaluated there. `room` has nq + 2 nv + 3 ng numbers.
static bool ask_at(callbacks *s, const rate *r, const tn_point *start, place to, double *room)
{
    const int nq = s->base.nq, nv = s->base.nv;
    double *q = room, *v = room + nq, *dx = v + nv;
    tn_point at = *start;
    for (int j = 0; j < nv; j++) {
        v[j] = speed(s, j);
        dx[j] = to.aside * s->length_t * v[j];
    }
    tn_group_retract(s->base.ngroup, s->base.groups, start->q, dx, q);
    at.q = q;
    at.v = v;
    if (s->rheonomic)
        at.t += to.later * s->length_t;
    if (judge_rates(s, r, &at, dx + nv) == TN_OK)
        return true;
    tn_clear_error();
    return false;
}

// Contacts are only where h = 0: their s belongs to the start values.
static void ask_everywhere(callbacks *s, const rate *r, const tn_point *start, double *room)
{
    const int last = TN_COUNT(PLACES) - 1;
    int asked = 0;
    for (int k = 0; k < last; k++) {
        const bool other = s->rheonomic || s->base.ns == 0 || k == 0;
        const place to = {PLACES[k].later, s->base.ns > 0 ? 0.0 : PLACES[k].aside};
        asked += other && ask_at(s, r, start, to, room);
    }
    if (asked == 0)
        ask_at(s, r, start, PLACES[last], room);
}

static tn_status tell_constraint_t(const callbacks *s, const rate *r, const verdict *wrong)
{
    const int i = (int)(wrong - r->rows);
    char row[80];
    s->ops.row_name(&s->base, i, row, sizeof row);
    return tn_fail(TN_ERR_USAGE,
                   "callbacks: 'constraint_t' has %g at row %d (%s) at t = %g s, but differences "
                   "of 'constraint' over time give %g; it is the rate of change of g while q and "
                   "s are fixed",
                   wrong->given, i + 1, row, wrong->t, wrong->found);
}

static tn_status tell_gamma(const callbacks *s, const rate *r, const verdict *wrong)
{
    const int i = (int)(wrong - r->rows);
    const int nv = s->base.nv;
    char row[80], v[120];
    int n = 0;
    s->ops.row_name(&s->base, i, row, sizeof row);
    for (int j = 0; j < nv && j < 3; j++)
        n += snprintf(v + n, sizeof v - (size_t)n, "%s%.3g", j ? ", " : "", speed(s, j));
    snprintf(v + n, sizeof v - (size_t)n, "%s", nv > 3 ? ", …" : "");
    return tn_fail(TN_ERR_USAGE,
                   "callbacks: 'gamma' has %g at row %d (%s) at t = %g s near the start q with "
                   "v = (%s), but differences give %g; it is g'' where v' = 0, at any t, q and v",
                   wrong->given, i + 1, row, wrong->t, v, wrong->found);
}

// gamma by differences is made of a given constraint_t, which is compared first.
static tn_status check_rates(callbacks *s, const tn_point *at, verdict *rows, double *room)
{
    const double per_time = 1.0 / s->length_t;
    const rate over_time = {tn_callbacks_constraint_t, tn_callbacks_try_constraint_t,
                            NOISE * per_time, rows};
    const rate gamma = {given_gamma, tn_callbacks_try_gamma, 0.1 * DIGITS * per_time * per_time,
                        rows + s->base.ng};
    const verdict *wrong = NULL;
    if (s->cb.constraint_t) {
        ask_everywhere(s, &over_time, at, room);
        wrong = first_wrong(s, &over_time);
    }
    if (wrong)
        return tell_constraint_t(s, &over_time, wrong);
    if (s->cb.gamma && (!s->rheonomic || s->base.ns == 0)) { // s is not that of later times
        ask_everywhere(s, &gamma, at, room);
        wrong = first_wrong(s, &gamma);
    }
    return wrong ? tell_gamma(s, &gamma, wrong) : TN_OK;
}

tn_status tn_callbacks_check_rates(tn_system *sys, const tn_point *at)
{
    callbacks *s = (callbacks *)sys;
    const size_t ng = (size_t)sys->ng;
    if (ng == 0 || !(s->cb.constraint_t || s->cb.gamma))
        return TN_OK;
    verdict *rows = tn_alloc(2 * ng * sizeof *rows);
    double *room = tn_alloc(sizeof(double) * ((size_t)(sys->nq + 2 * sys->nv) + 3 * ng));
    tn_status status = tn_got(rows);
    TN_THEN(status, tn_got(room));
    TN_THEN(status, check_rates(s, at, rows, room));
    tn_free(room);
    tn_free(rows);
    return status;
}

// Constraints that do not depend on time are the same at other times, to the last bit. A function
// that cannot be evaluated then shows nothing.
static tn_status check_clock(callbacks *s, const tn_point *at)
{
    static const double LATER[] = {1e-3, 0.618};
    tn_system *sys = &s->base;
    if (s->rheonomic || sys->ng == 0)
        return TN_OK;
    double *now = tn_alloc(sizeof(double) * (size_t)sys->ng);
    TN_TRY(tn_got(now));
    tn_status status = tn_system_eval(sys, at, TN_EVAL_G);
    tn_copy(sys->ng, sys->g, now);
    for (int k = 0; status == TN_OK && k < TN_COUNT(LATER); k++) {
        tn_point later = *at;
        later.t += LATER[k];
        if (tn_system_eval(sys, &later, TN_EVAL_G) != TN_OK) {
            tn_clear_error();
            continue;
        }
        for (int i = 0; i < sys->ng && status == TN_OK; i++)
            if (sys->g[i] != now[i])
                status = tn_fail(TN_ERR_USAGE,
                                 "callbacks: 'constraint' depends on time: entry [%d] is %g at "
                                 "t = %g s and %g at t = %g s with the same q; set "
                                 "'time_dependent'",
                                 i, now[i], at->t, sys->g[i], later.t);
    }
    tn_free(now);
    return status;
}

tn_status tn_callbacks_check(tn_system *sys, const tn_point *at)
{
    callbacks *s = (callbacks *)sys;
    TN_TRY(check_mass(sys, at));
    TN_TRY(check_clock(s, at));
    return check_signs(s, at);
}
