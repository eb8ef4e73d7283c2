// SPDX-License-Identifier: MIT
//
// Consistent initial values; see initial.h. Projections in a weighted norm after
// [Arn16, eq. 88 to 91].

#include "start/initial_parts.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static const double EPS = 1e-9;      // regularisation of the constraint block
static const double MOST_EPS = 1e4;  // the same in search of the least residual: steepest descent
static const double MASSLESS = 1e-6; // metric of a coordinate without mass, relative to the largest
// Guesses weigh more than stated values, and hold where rows leave them; much more would make the
// matrix as badly conditioned as EPS does.
static const double GUESS_EPS = 1e-8;
enum { APPROACHES = 60 };
static const double REST = 1e-15;  // [1/s] rates that are round-off of drives, in any units
static const double LONGEST = 0.5; // steps of the search, in the metric: no leaps to other branches

enum { PLACE_D, PLACE_L, PLACE_B, PLACE_BT, PLACE_N, PLACE_NT, PLACE_EPS, PLACE_COUNT };

static tn_status compose_initial(tn_initial *s)
{
    const tn_system *sys = s->sys;
    const tn_sparse *B = sys->block[TN_BLOCK_B], *N = sys->block[TN_BLOCK_N];
    tn_placement place[PLACE_COUNT] = {
        [PLACE_D] = {.size = sys->nv},
        [PLACE_L] = {.source = s->L},
        [PLACE_B] = {.source = B, .row0 = sys->nv},
        [PLACE_BT] = {.source = B, .col0 = sys->nv, .transposed = true},
        [PLACE_N] = {.source = N, .row0 = sys->nv + sys->ng},
        [PLACE_NT] = {.source = N, .col0 = sys->nv + sys->ng, .transposed = true},
        [PLACE_EPS] = {.size = s->rows, .row0 = sys->nv, .col0 = sys->nv},
    };
    return tn_sparse_compose(s->n, s->n, PLACE_COUNT, place, &s->matrix);
}

static void layout_initial(void *self, tn_carve *mem)
{
    tn_initial *s = self;
    const tn_system *sys = s->sys;
    TN_CARVE_DOUBLES(mem, sys->nv, &s->unit, &s->factor, &s->dx, &s->part, &s->wanted, &s->step);
    TN_CARVE_DOUBLES(mem, s->rows, &s->scale, &s->pressed);
    TN_CARVE_INTS(mem, s->rows, &s->position, &s->velocity);
    TN_CARVE_DOUBLES(mem, s->n, &s->rhs);
    TN_CARVE_DOUBLES(mem, sys->nq, &s->q1, &s->q2);
    tn_roots_layout(&s->extra, sys->nc, sys->nw + sys->ns, mem);
}

tn_status tn_initial_create(tn_system *sys, const tn_sparse *L, tn_initial **out)
{
    TN_ASSERT(!L || L->ncol == sys->nv);
    *out = NULL;
    tn_initial *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->sys = sys;
    s->L = L;
    s->rows = sys->ng + sys->nn;
    s->n = sys->nv + s->rows;
    s->eps = EPS;
    s->size = 1.0;
    tn_status status = compose_initial(s);
    TN_THEN(status, tn_carve_block(s, layout_initial, &s->block));
    TN_THEN(status, tn_solver_create(s->matrix.matrix, &s->solver));
    if (status != TN_OK) {
        tn_initial_destroy(s);
        return status;
    }
    for (int i = 0; i < sys->nv; i++)
        s->factor[i] = s->unit[i] = 1.0;
    for (int i = 0; i < s->rows; i++) {
        s->position[i] = i < sys->ng ? TN_ROW_HOLDS : TN_ROW_OFF;
        s->velocity[i] = TN_ROW_HOLDS;
        s->scale[i] = 1.0;
    }
    *out = s;
    return TN_OK;
}

void tn_initial_destroy(tn_initial *s)
{
    if (!s)
        return;
    tn_solver_destroy(s->solver);
    tn_composition_clear(&s->matrix);
    TN_FREE(s->block, s);
}

void tn_initial_values(tn_initial *s, tn_values *v)
{
    tn_carve_values(s, layout_initial, s->block, v);
    tn_values_enter(v, "initial");
    TN_VALUES(v, "1", 1, &s->eps);
    TN_VALUES(v, "1", s->matrix.matrix->nnz, s->matrix.matrix->val);
    tn_roots_values(&s->extra, v);
    tn_solver_values(s->solver, v);
    tn_values_leave(v);
}

void tn_initial_set_metric(tn_initial *s, const double *unit, double size)
{
    TN_ASSERT(size > 0.0);
    tn_copy(s->sys->nv, unit, s->unit);
    s->size = size;
    s->has_metric = true;
}

void tn_initial_set_weights(tn_initial *s, const double *factor)
{
    tn_copy(s->sys->nv, factor, s->factor);
}

void tn_initial_set_near(tn_initial *s, double near)
{
    TN_ASSERT(near >= 0.0);
    s->near = near;
}

void tn_initial_set_rows(tn_initial *s, const int *position, const int *velocity)
{
    memcpy(s->position, position, sizeof(int) * (size_t)s->rows);
    memcpy(s->velocity, velocity, sizeof(int) * (size_t)s->rows);
}

// Units from the diagonal of M (just evaluated), relative to its largest entry, where none are
// reported.
static void set_units(tn_initial *s)
{
    const tn_system *sys = s->sys;
    const tn_sparse *M = sys->block[TN_BLOCK_M];
    double largest = 0.0;
    if (s->has_metric || !M) // large trees have no matrix
        return;
    for (int i = 0; i < sys->nv; i++)
        largest = fmax(largest, tn_sparse_at(M, i, i));
    for (int i = 0; i < sys->nv && largest > 0.0; i++)
        s->unit[i] = 1.0 / sqrt(fmax(tn_sparse_at(M, i, i) / largest, MASSLESS));
}

// Rows of C (just evaluated) that see slides are lengths, in sizes of the mechanism. All others are
// angles, or belong to a system without a metric.
static void scale_rows(const tn_initial *s, const tn_sparse *C, double *scale)
{
    TN_ASSERT(scale && (!C || C->ncol == s->sys->nv));
    for (int i = 0; C && i < C->nrow; i++)
        scale[i] = 0.0;
    for (int j = 0; C && j < C->ncol; j++)
        for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++) {
            const bool slides = s->unit[j] != 1.0 && C->val[k] != 0.0;
            if (slides)
                scale[C->rowind[k]] = 1.0 / s->size;
        }
    for (int i = 0; C && i < C->nrow; i++)
        scale[i] = s->has_metric && scale[i] > 0.0 ? scale[i] : 1.0;
}

// Rows of velocities have any unit and size: each is taken by its largest part. A row that is no
// more than round-off holds nothing.
static void scale_velocity_rows(const tn_initial *s, const tn_sparse *N, double *scale)
{
    const double ROUND_OFF = 1e-15;
    for (int i = 0; N && i < N->nrow; i++)
        scale[i] = 0.0;
    for (int j = 0; N && j < N->ncol; j++)
        for (int k = N->colptr[j]; k < N->colptr[j + 1]; k++) {
            double *largest = &scale[N->rowind[k]];
            *largest = fmax(*largest, fabs(N->val[k]) * s->unit[j]);
        }
    for (int i = 0; N && i < N->nrow; i++)
        scale[i] = isfinite(scale[i]) && scale[i] > ROUND_OFF ? 1.0 / scale[i] : 1.0;
}

static void set_scales(tn_initial *s)
{
    set_units(s);
    scale_rows(s, s->sys->block[TN_BLOCK_B], s->scale);
    scale_velocity_rows(s, s->sys->block[TN_BLOCK_N], s->scale + s->sys->ng);
}

// Adds D L + L^T D + L^T D L, with L in the units of the metric. The block that holds column j
// starts at row `first`.
static void add_levers(const tn_initial *s, double *val)
{
    const tn_sparse *L = s->L;
    const int *map = s->matrix.maps[PLACE_L];
    for (int j = 0; L && j < L->ncol; j++)
        for (int k = L->colptr[j]; k < L->colptr[j + 1]; k++) {
            const int i = L->rowind[k], first = L->rowind[L->colptr[j]];
            const int end = first + L->colptr[j + 1] - L->colptr[j];
            const double DL = s->factor[i] * L->val[k] * s->unit[j] / s->unit[i];
            if (DL == 0.0)
                continue;
            val[map[k]] += DL;
            val[map[L->colptr[i] + j - first]] += DL;
            for (int m = first; m < end; m++)
                val[map[L->colptr[m] + j - first]] +=
                    DL * L->val[L->colptr[m] + i - first] * s->unit[m] / s->unit[i];
        }
}

static int initial_part_of(const tn_initial *s, int part)
{
    return part == TN_ROW_GUESS && !s->guessing ? TN_ROW_OFF : part;
}

// Rows of C, from row0 of the matrix on, and their transpose; values that must not move have no
// part.
static void initial_add_rows(const tn_initial *s, const tn_sparse *C, int row0, const int *rows,
                             const int *map, const int *map_t, double *val)
{
    for (int j = 0; C && j < C->ncol; j++)
        for (int k = C->colptr[j]; k < C->colptr[j + 1] && isfinite(s->factor[j]); k++) {
            const int i = row0 + C->rowind[k];
            const double scaled =
                initial_part_of(s, rows[i]) ? C->val[k] * s->unit[j] * s->scale[i] : 0.0;
            val[map[k]] += scaled;
            val[map_t[k]] += scaled;
        }
}

static tn_status factor(tn_initial *s, const int *rows)
{
    const tn_system *sys = s->sys;
    tn_sparse *A = s->matrix.matrix;
    int **map = s->matrix.maps;
    tn_zero(A->nnz, A->val);
    for (int i = 0; i < sys->nv; i++)
        A->val[map[PLACE_D][i]] += isfinite(s->factor[i]) ? s->factor[i] : 1.0;
    add_levers(s, A->val);
    initial_add_rows(s, sys->block[TN_BLOCK_B], 0, rows, map[PLACE_B], map[PLACE_BT], A->val);
    initial_add_rows(s, sys->block[TN_BLOCK_N], sys->ng, rows, map[PLACE_N], map[PLACE_NT], A->val);
    for (int i = 0; i < s->rows; i++)
        A->val[map[PLACE_EPS][i]] += rows[i] == TN_ROW_HOLDS                       ? -s->eps
                                     : initial_part_of(s, rows[i]) == TN_ROW_GUESS ? -GUESS_EPS
                                                                                   : 1.0;
    return tn_solver_factor(s->solver, A);
}

// dx from what is wanted in rhs[0 … nv) and the residual rows in rhs[nv…].
static void solve_initial(tn_initial *s, double *dx)
{
    tn_solver_solve(s->solver, s->rhs);
    for (int i = 0; i < s->sys->nv; i++)
        dx[i] = isfinite(s->factor[i]) ? s->rhs[i] * s->unit[i] : 0.0;
}

tn_status tn_initial_extra(tn_initial *s, const tn_point *at, double *e)
{
    tn_point point = *at;
    point.e = e;
    return tn_roots_search(&s->extra, s->sys, &point, e);
}

double tn_initial_largest(const tn_initial *s, const int *rows, int *where)
{
    const tn_system *sys = s->sys;
    double most = 0.0;
    *where = 0;
    for (int i = 0; i < sys->ng; i++) {
        const double misfit = fabs(sys->g[i]) * (s->has_metric ? s->scale[i] : 1.0);
        if (rows[i] == TN_ROW_HOLDS && misfit > (1.0 + 1e-6) * most) {
            most = misfit;
            *where = i;
        }
    }
    return most;
}

double tn_initial_residual(tn_initial *s, const tn_point *at, double *e, const double *q)
{
    tn_point point = *at;
    point.q = q;
    if (tn_initial_extra(s, &point, e) != TN_OK)
        return INFINITY;
    point.e = e;
    if (tn_system_eval(s->sys, &point, TN_EVAL_G) != TN_OK)
        return INFINITY;
    double sum = 0.0;
    for (int i = 0; i < s->sys->ng; i++) {
        const double scaled = s->scale[i] * s->sys->g[i];
        sum += s->position[i] == TN_ROW_HOLDS ? scaled * scaled : 0.0;
    }
    return sqrt(sum);
}

// (I + L)^T D d into the right-hand side, in the units of the metric.
static void set_pull(tn_initial *s)
{
    const tn_sparse *L = s->L;
    for (int i = 0; i < s->sys->nv; i++)
        s->rhs[i] = isfinite(s->factor[i]) ? s->factor[i] * s->wanted[i] / s->unit[i] : 0.0;
    for (int j = 0; L && j < L->ncol; j++)
        for (int k = L->colptr[j]; k < L->colptr[j + 1]; k++) {
            const int i = L->rowind[k];
            if (isfinite(s->factor[i]))
                s->rhs[j] +=
                    L->val[k] * s->unit[j] / s->unit[i] * s->factor[i] * s->wanted[i] / s->unit[i];
        }
}

// A step from q towards g = 0 into dx, Gauss-Newton at eps = EPS; or, `pulled`, along the rows into
// step to where the distance is least, linearised [Arn16, eq. 89].
static tn_status find_step(tn_initial *s, const tn_point *at, const double *q, const double *e,
                           bool pulled)
{
    tn_system *sys = s->sys;
    tn_point point = *at;
    point.q = q;
    point.e = e;
    TN_TRY(tn_system_eval(sys, &point, TN_EVAL_G | TN_EVAL_B));
    tn_zero(sys->nv, s->rhs);
    if (pulled)
        set_pull(s);
    s->guessing = pulled;
    const tn_status status = factor(s, s->position);
    for (int i = 0; i < s->rows; i++)
        s->rhs[sys->nv + i] =
            i < sys->ng && initial_part_of(s, s->position[i]) ? -s->scale[i] * sys->g[i] : 0.0;
    s->guessing = false;
    if (status == TN_OK)
        solve_initial(s, pulled ? s->step : s->dx);
    return status;
}

static double length_in_metric(const tn_initial *s, const double *dx)
{
    double most = 0.0;
    for (int i = 0; i < s->sys->nv; i++)
        most = fmax(most, fabs(dx[i]) / s->unit[i]);
    return most;
}

// q1 = q o exp(scale dx)
static void go(tn_initial *s, const double *q, double scale, const double *dx, double *q1)
{
    TN_ASSERT(q != q1 && dx != s->part);
    for (int i = 0; i < s->sys->nv; i++)
        s->part[i] = scale * dx[i];
    tn_group_retract(s->sys->ngroup, s->sys->groups, q, s->part, q1);
}

// The longest part of dx, halved up to eight times, that lowers the residual `norm`; q1 is there.
// `whole` says that the first trial did.
static double search_initial(tn_initial *s, const tn_point *at, double *e, const double *q,
                             double norm, bool *whole)
{
    const double length = length_in_metric(s, s->dx);
    double scale = length > LONGEST ? LONGEST / length : 1.0;
    double found = INFINITY;
    for (int half = 0; half < 8 && !(found < norm); half++, scale *= 0.5) {
        go(s, q, scale, s->dx, s->q1);
        found = tn_initial_residual(s, at, e, s->q1);
        *whole = half == 0;
    }
    return found;
}

// Scales of the rows at q, and their residual there.
static tn_status open_search(tn_initial *s, const tn_point *at, const double *q, double *e,
                             double *norm)
{
    tn_point point = *at;
    *norm = tn_initial_residual(s, at, e, q); // finds w and s
    point.q = q;
    point.e = e;
    if (isfinite(*norm))
        TN_TRY(tn_system_eval(s->sys, &point, TN_EVAL_MASS | TN_EVAL_B));
    if (isfinite(*norm)) {
        set_scales(s);
        *norm = tn_initial_residual(s, at, e, q);
    }
    return isfinite(*norm) ? TN_OK : tn_fail(TN_ERR_MODEL, "%s", tn_last_error());
}

double tn_initial_misfit(tn_initial *s, const tn_point *at, const double *q)
{
    double norm;
    return open_search(s, at, q, NULL, &norm) == TN_OK ? norm : INFINITY;
}

// Gauss-Newton to round-off, not to tol: the integrators start from what is left. Where its steps
// are too long eps grows, as in the method of Levenberg and Marquardt, so that a mechanism that
// cannot be assembled ends at its least residual, which the message reports.
static tn_status descend(tn_initial *s, const tn_point *at, double *q, double *e, double norm)
{
    tn_system *sys = s->sys;
    int stalled = 0;
    // Round-off of all rows together, where bodies are far from the origin.
    const double noise = fmax(1e-10, 1e-14 * sqrt(sys->ng) * tn_norm_inf(sys->nq, q) / s->size);
    tn_status status = TN_OK;
    for (int k = 0; k < 200 && norm > 1e-15 && stalled < 8 && status == TN_OK; k++) {
        status = find_step(s, at, q, e, false);
        bool whole = false;
        const double found = status == TN_OK ? search_initial(s, at, e, q, norm, &whole) : INFINITY;
        const bool better = found < norm;
        stalled = found < (1.0 - 1e-6) * norm ? 0 : stalled + 1;
        if (!better && norm < noise)
            break;
        s->eps = better && whole ? fmax(0.1 * s->eps, EPS) : fmin(100.0 * s->eps, MOST_EPS);
        if (better)
            tn_copy(sys->nq, s->q1, q);
        const bool slow = found > 0.5 * norm;
        norm = fmin(norm, found);
        if (slow && norm < s->near) // rows that fit but for some digits: no walk to where they do
            break;
    }
    s->eps = EPS;
    return status;
}

tn_status tn_initial_position(tn_initial *s, const tn_point *at, double tol, double *q, double *e)
{
    TN_ASSERT(tol > 0.0);
    double norm;
    int where = 0;
    TN_TRY(open_search(s, at, q, e, &norm));
    TN_TRY(descend(s, at, q, e, norm));
    tn_initial_residual(s, at, e, q); // w and s, and g, belong to q again
    const double most = tn_initial_largest(s, s->position, &where);
    if (most > tol && most < s->near)
        return TN_RETRY_NEWTON;
    return most <= tol ? TN_OK : tn_initial_cannot_assemble(s, at, q, e);
}

// Approach ----------------------------------------------------------------------------------------

void tn_initial_set_request(tn_initial *s, tn_initial_request *request, void *of)
{
    s->request = request;
    s->of = of;
}

// Leaves what is wanted in `wanted`, and g.
double tn_initial_distance(tn_initial *s, const tn_point *at, const double *q)
{
    double sum = 0.0;
    tn_initial_residual(s, at, NULL, q);
    s->request(s->of, q, s->wanted);
    for (int i = 0; i < s->sys->nv; i++) {
        const double away = s->wanted[i] / s->unit[i];
        sum += isfinite(s->factor[i]) ? s->factor[i] * away * away : 0.0;
    }
    for (int i = 0; i < s->sys->ng; i++) {
        const double away = s->scale[i] * s->sys->g[i];
        sum += s->position[i] == TN_ROW_GUESS ? away * away / GUESS_EPS : 0.0;
    }
    return sqrt(sum);
}

// The longest part of the step, halved up to eight times, after which the rows can be made to hold
// again nearer to what is wanted; q2 is there.
static double approach_along(tn_initial *s, const tn_point *at, const double *q, double distance)
{
    const double length = length_in_metric(s, s->step),
                 misfit = tn_initial_residual(s, at, NULL, q),
                 round_off = TN_ROUND_MATRIX * (1.0 + tn_norm_inf(s->sys->nq, q));
    double scale = length > LONGEST ? LONGEST / length : 1.0;
    for (int half = 0; half < 8; half++, scale *= 0.5) {
        go(s, q, scale, s->step, s->q2);
        const double norm = tn_initial_residual(s, at, NULL, s->q2);
        if (!isfinite(norm) || descend(s, at, s->q2, NULL, norm) != TN_OK ||
            tn_initial_residual(s, at, NULL, s->q2) > 10.0 * misfit + round_off)
            continue;
        const double found = tn_initial_distance(s, at, s->q2);
        if (found < distance)
            return found;
    }
    return INFINITY;
}

// The distance is flat where it is least: 1e-7 radians gain 1e-14, which is round-off.
tn_status tn_initial_approach(tn_initial *s, const tn_point *at, double *q)
{
    double distance = tn_initial_distance(s, at, q);
    for (int k = 0; k < APPROACHES && distance > TN_ROUND_MATRIX; k++) {
        TN_TRY(find_step(s, at, q, at->e, true));
        const double found = approach_along(s, at, q, distance);
        const bool gains = found < (1.0 - TN_ROUND_SUM) * distance;
        if (found < distance) {
            tn_copy(s->sys->nq, s->q2, q);
            distance = found;
        }
        if (!gains)
            break;
        tn_initial_distance(s, at, q);
    }
    return TN_OK;
}

// Velocity ----------------------------------------------------------------------------------------

static double velocity_residual(tn_initial *s, tn_point *at, const double *v, int *where)
{
    tn_system *sys = s->sys;
    double most = 0.0;
    at->v = v;
    if (tn_system_eval(sys, at, TN_EVAL_B | TN_EVAL_GDOT) != TN_OK)
        return INFINITY;
    tn_zero(sys->nv, s->rhs);
    for (int i = 0; i < s->rows; i++) {
        const double r = s->scale[i] * (i < sys->ng ? sys->gdot[i] : sys->ndot[i - sys->ng]);
        s->rhs[sys->nv + i] = s->velocity[i] ? -r : 0.0;
        if (s->velocity[i] && fabs(r) > (1.0 + 1e-6) * most) { // the first of equals
            most = fabs(r);
            *where = i;
        }
    }
    return most;
}

tn_status tn_initial_velocity(tn_initial *s, const tn_point *at, double tol, double *v)
{
    TN_ASSERT(tol > 0.0);
    tn_system *sys = s->sys;
    tn_point point = *at;
    int where = 0;
    const bool bent = sys->bent_row; // Newton's method: its rows are others at each velocity,
                                     // and what is left may first grow
    TN_TRY(tn_system_eval(sys, &point, TN_EVAL_MASS | TN_EVAL_B));
    set_scales(s);
    double most = velocity_residual(s, &point, v, &where), last = INFINITY;
    tn_zero(s->rows, s->pressed);
    if (most > 0.0)
        TN_TRY(factor(s, s->velocity));
    for (int k = 0; k < 10 * (1 + 2 * bent) && most > 0.0; k++) {
        const bool holds = most <= fmax(tol * length_in_metric(s, v), REST);
        if (most >= 0.5 * last && (holds || !bent))
            break;
        if (k > 0 && bent)
            TN_TRY(factor(s, s->velocity));
        solve_initial(s, s->dx);
        tn_axpy(sys->nv, 1.0, s->dx, v);
        tn_axpy(s->rows, 1.0, s->rhs + sys->nv, s->pressed);
        last = most;
        most = velocity_residual(s, &point, v, &where);
    }
    return most <= fmax(tol * length_in_metric(s, v), REST) ? TN_OK
                                                            : tn_initial_cannot_move(s, where);
}
