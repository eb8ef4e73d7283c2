// SPDX-License-Identifier: MIT
//
// Minimal coordinates: of the coordinates z of the chart as many as there are freedoms are kept,
// the others follow from the constraints [LB08, section 4.1; Arn16, Remark 2]. No constraint is
// left, so the index is zero and nothing drifts: g = 0 and B v + g_t = 0 hold to round-off.
//
//   positions      g(t, q(z)) = 0                z_D by Newton's method, with B Y (v = Y z')
//   velocities     C_D v_D = -(C_I v_I + g_t)    C = (B; N)
//   accelerations  v' = R v_I' + a0,   R = (1; -C_D^-1 C_I),   a0 = (0; -C_D^-1 gamma)
//                  R^T M R v_I' = R^T (f - M a0)
//   multipliers    C_D^T lambda = (f - M v')_D
//
// Independent coordinates z_I are chosen by a pivoted QR of B Y, independent velocities v_I by one
// of C. With Pfaffian rows there are fewer of these: they restrict velocities only, and z_I' = (A
// v)_I takes the velocity as a whole. Rows are scaled to unit length, so that pivots are free of
// units.
//
// The choice stays as long as it can, for multi-step methods and interpolation. It is made anew
// where the smallest pivot of B Y_D or C_D has fallen to POOR of what it was at the choice, where
// the largest entry of C_D^-1 C_I has GROWN (a director along an axis: its component there does
// not show how far it turned, though no pivot need be small), or where the chart is left. Where
// nothing is free (all motions are driven), coordinates are carried along all the same, so that
// the integrator has errors to control; they only start Newton's method. Rotations are those of the
// chart, LOCAL about the place of the choice for QUATERNION: unit quaternions are not independent
// coordinates.

#include "base/tolerance.h"
#include "formulation/formulation_list.h"
#include "formulation/ode_ops.h"
#include "linalg/dense.h"
#include "motion/kinds.h"

#include <math.h>
#include <string.h>

static const double POOR = 0.2;     // of the pivot at the choice: others are taken at the next step
static const double BAD = 0.05;     // the step is given up
static const double GROWN = 4.0;    // entries of C_D^-1 C_I, of 1 or of those at the choice
static const double ENOUGH = 2e-14; // corrections of positions, relative
static const double ROUNDING = 1e-10; // below this corrections may stop to shrink
enum { MAX_ITERATIONS = 20, LARGEST_FACTOR = 6 };

// Coordinates or velocities split into dependent and independent ones.
typedef struct split {
    int rows;            // of the matrix, and dependent ones
    int nindependent;    // columns - rows
    int *dependent;      // rows
    int *independent;    // nindependent
    double *matrix;      // rows x n
    double *LU;          // rows x rows: factors of the dependent columns
    int *pivot;          // rows
    double quality;      // smallest pivot
    double quality_then; // where the choice was made
    double growth;       // largest entry of D^-1 I, the columns of the two parts
    double growth_then;  // where the choice was made
    bool negative;       // the determinant of the dependent columns
    bool negative_then;  // at the base of the step
} split;

typedef struct minimal {
    tn_ode base;
    int n;          // nv, and coordinates
    int *row;       // ng + nn: place among the active rows, -1 for none
    double *scale;  // of active rows: 1 / length
    split position; // B Y
    split velocity; // C
    bool carried;   // nothing is free: x are all coordinates
    double t;       // of the last evaluation
    double *z;      // n: all coordinates there
    double *zdot;   // n: and their rates
    double t_base;  // the same at the base of the step, to start again from
    double *z_base, *zdot_base;
    bool chosen;     // splits are there
    double *Y;       // LARGEST_FACTOR x n: columns j of all factors, one after another
    double *unit;    // n
    double *rows;    // right-hand sides of active rows
    double *X;       // rows x n: C_D^-1 C_I
    double *X_of;    // rows x n: the C of X, where `follows`
    bool follows;    // X is there, of the current choice
    double *Ma;      // n
    double *mass;    // n n: R^T M R
    double *reduced; // n: R^T (f - M a0), v_I'
    double *copy;    // rows x n, of the choice
    double *tau, *work;
    int lwork;
    int *order, *is_dependent; // n each
} minimal;

static size_t at(int ld, int column)
{
    return (size_t)ld * (size_t)column;
}

static size_t bytes(int m, int n)
{
    return at(m, n) * sizeof(double);
}

static void layout_split(split *p, int rows, int n, tn_carve *mem)
{
    TN_CARVE_CHOICES(mem, 0, n - 1, n, &p->dependent, &p->independent);
    TN_CARVE_NUMBERS(mem, bytes(rows, n), p->matrix);
    TN_CARVE_NUMBERS(mem, bytes(rows, rows), p->LU);
    TN_CARVE_CHOICES(mem, 1, rows, rows, &p->pivot);
}

static void layout_minimal(tn_ode *self, tn_carve *mem)
{
    minimal *s = (minimal *)self;
    const int n = self->sys->nv, rows = self->sys->ng + self->sys->nn;
    s->n = n;
    s->row = tn_carve_ints(mem, rows);
    TN_CARVE_DOUBLES(mem, rows, &s->scale);
    layout_split(&s->position, self->sys->ng, n, mem);
    layout_split(&s->velocity, rows, n, mem);
    TN_CARVE_DOUBLES(mem, n, &s->z, &s->zdot, &s->z_base, &s->zdot_base, &s->unit);
    TN_CARVE_DOUBLES(mem, LARGEST_FACTOR * n, &s->Y);
    TN_CARVE_DOUBLES(mem, rows, &s->rows);
    TN_CARVE_NUMBERS(mem, bytes(rows, n), s->X);
    TN_CARVE_NUMBERS(mem, bytes(rows, n), s->X_of);
    TN_CARVE_DOUBLES(mem, n, &s->Ma);
    TN_CARVE_NUMBERS(mem, bytes(n, n), s->mass);
    TN_CARVE_DOUBLES(mem, n, &s->reduced);
    TN_CARVE_NUMBERS(mem, bytes(rows, n), s->copy);
    TN_CARVE_DOUBLES(mem, n, &s->tau);
    s->lwork = tn_qr_work(rows > 0 ? rows : 1, n);
    s->work = tn_carve_doubles(mem, s->lwork);
    TN_CARVE_INTS(mem, n, &s->order, &s->is_dependent);
}

static void split_values(split *p, tn_values *v)
{
    TN_VALUES_ANY(v, "1", 1, &p->quality, &p->quality_then, &p->growth, &p->growth_then);
    TN_VALUES_BOOL(v, &p->negative, &p->negative_then);
}

static void minimal_values(tn_ode *self, tn_values *v)
{
    minimal *s = (minimal *)self;
    split_values(&s->position, v);
    split_values(&s->velocity, v);
    TN_VALUES(v, "s", 1, &s->t, &s->t_base);
    TN_VALUES_BOOL(v, &s->chosen, &s->follows);
}

static void minimal_activate(tn_ode *self)
{
    minimal *s = (minimal *)self;
    const tn_system *sys = self->sys;
    int count = 0;
    for (int i = 0; i < sys->ng + sys->nn; i++) {
        s->row[i] = self->active[i] ? count++ : -1;
        if (i < sys->ng)
            s->position.rows = count;
    }
    if (sys->ng == 0)
        s->position.rows = 0;
    s->velocity.rows = count;
    s->position.nindependent = self->nx = s->n - s->position.rows;
    s->velocity.nindependent = self->nu = s->n - s->velocity.rows;
    s->carried = self->nx == 0;
    if (s->carried)
        self->nx = s->n;
    s->chosen = s->follows = false;
}

// Matrices ----------------------------------------------------------------------------------------

static void minimal_take_rows(minimal *s, const tn_sparse *B, const int *row)
{
    for (int j = 0; B && j < s->n; j++)
        for (int k = B->colptr[j]; k < B->colptr[j + 1]; k++)
            if (row[B->rowind[k]] >= 0)
                s->velocity.matrix[at(s->velocity.rows, j) + (size_t)row[B->rowind[k]]] = B->val[k];
}

// C from the blocks B and N, rows of unit length.
static void take_constraints(minimal *s)
{
    const tn_system *sys = s->base.sys;
    const int m = s->velocity.rows;
    double *C = s->velocity.matrix;
    tn_zero(m * s->n, C);
    minimal_take_rows(s, sys->block[TN_BLOCK_B], s->row);
    minimal_take_rows(s, sys->block[TN_BLOCK_N], s->row + sys->ng);
    tn_zero(m, s->scale);
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < m; i++)
            s->scale[i] += C[at(m, j) + (size_t)i] * C[at(m, j) + (size_t)i];
    for (int i = 0; i < m; i++)
        s->scale[i] = s->scale[i] > 0.0 ? 1.0 / sqrt(s->scale[i]) : 1.0;
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < m; i++)
            C[at(m, j) + (size_t)i] *= s->scale[i];
}

// Columns j of Y for all factors that turn, at once: Y is block diagonal.
static void take_chart(minimal *s)
{
    const tn_chart *chart = &s->base.chart;
    for (int j = 0; j < LARGEST_FACTOR; j++) {
        tn_zero(s->n, s->unit);
        for (int k = 0; k < chart->ngroup; k++)
            if (tn_group_turns(&chart->groups[k]) && j < chart->groups[k].nv)
                s->unit[chart->z0[k] + j] = 1.0;
        tn_chart_velocity(chart, s->z, s->unit, s->Y + at(s->n, j));
    }
}

// B Y from the first rows of C.
static void take_positions(minimal *s)
{
    const tn_chart *chart = &s->base.chart;
    const int m = s->position.rows, ld = s->velocity.rows;
    const double *C = s->velocity.matrix;
    take_chart(s);
    for (int k = 0; k < chart->ngroup; k++) {
        const tn_group *group = &chart->groups[k];
        for (int j = 0; j < group->nv; j++) {
            double *column = s->position.matrix + at(m, chart->z0[k] + j);
            const double *Y = s->Y + at(s->n, j < LARGEST_FACTOR ? j : 0) + group->v0;
            if (!tn_group_turns(group)) {
                tn_copy(m, C + at(ld, group->v0 + j), column);
                continue;
            }
            tn_zero(m, column);
            for (int i = 0; i < group->nv; i++)
                tn_axpy(m, Y[i], C + at(ld, group->v0 + i), column);
        }
    }
}

// Splits ------------------------------------------------------------------------------------------

static tn_status singular_position(const minimal *s)
{
    tn_system_note_rcond(s->base.sys, 0.0);
    return tn_fail(TN_RETRY_SINGULAR,
                   "minimal: the constraints lose rank at t = %g s, a singular position, where no "
                   "coordinates are independent; take udwadia-kalaba, or a stabilised form such as "
                   "radau5/ggl",
                   s->base.t);
}

static tn_status factor_minimal(minimal *s, split *p)
{
    TN_ASSERT(p->rows <= s->n);
    const int m = p->rows;
    for (int j = 0; j < m; j++)
        tn_copy(m, p->matrix + at(m, p->dependent[j]), p->LU + at(m, j));
    p->quality = 0.0;
    if (tn_lu_factor(m, p->LU, p->pivot) != TN_OK)
        return singular_position(s);
    p->quality = INFINITY;
    p->negative = false;
    for (int i = 0; i < m; i++) {
        const double pivot = p->LU[at(m, i) + (size_t)i];
        p->quality = fmin(p->quality, fabs(pivot));
        p->negative ^= (pivot < 0.0) ^ (p->pivot[i] != i + 1); // rows are numbered from one
    }
    tn_system_note_rcond(s->base.sys, p->quality * p->quality); // as that of (M C^T; C 0)
    return TN_OK;
}

// Rates of the dependent ones by independent one j: a column of D^-1 I.
static void follow_one(split *p, int j, double *column)
{
    TN_ASSERT(j >= 0 && j < p->nindependent);
    const int m = p->rows;
    tn_copy(m, p->matrix + at(m, p->independent[j]), column);
    tn_lu_solve(m, p->LU, p->pivot, column);
    p->growth = fmax(p->growth, tn_norm_inf(m, column));
}

// Positions need nothing but the growth.
static void follow_positions(minimal *s)
{
    s->position.growth = 0.0;
    for (int j = 0; j < s->position.nindependent; j++)
        follow_one(&s->position, j, s->rows);
}

// X = C_D^-1 C_I. A step mostly begins where the last one had its last evaluation, with the same C.
static void follow_velocities(minimal *s)
{
    split *p = &s->velocity;
    const size_t size = bytes(p->rows, s->n);
    if (size == 0 || (s->follows && memcmp(s->X_of, p->matrix, size) == 0))
        return;
    p->growth = 0.0;
    for (int j = 0; j < p->nindependent; j++)
        follow_one(p, j, s->X + at(p->rows, j));
    memcpy(s->X_of, p->matrix, size);
    s->follows = true;
}

static bool has_pivots(const split *p)
{
    return p->rows == 0 || p->quality >= POOR * p->quality_then;
}

static bool is_fine(const split *p)
{
    return p->rows == 0 || (has_pivots(p) && p->growth <= GROWN * fmax(1.0, p->growth_then));
}

// The columns that stand out most are dependent: each of the two parts in increasing order.
static tn_status choose_minimal(minimal *s, split *p, bool *changed)
{
    const int m = p->rows, n = s->n;
    tn_copy(m * n, p->matrix, s->copy);
    const int rank = tn_qr_rank(m, n, s->copy, TN_RANK_TOL, s->order, s->tau, s->work, s->lwork);
    if (rank < m)
        return singular_position(s);
    for (int j = 0; j < n; j++)
        s->is_dependent[j] = 0;
    for (int k = 0; k < m; k++)
        s->is_dependent[s->order[k]] = 1; // dependent
    for (int j = 0, d = 0, i = 0; j < n; j++) {
        int *place = s->is_dependent[j] ? &p->dependent[d++] : &p->independent[i++];
        *changed |= *place != j;
        *place = j;
    }
    TN_TRY(factor_minimal(s, p));
    p->quality_then = p->quality;
    return TN_OK;
}

static tn_status choose_both(minimal *s, bool *changed)
{
    s->chosen = s->follows = false;
    TN_TRY(choose_minimal(s, &s->position, changed));
    TN_TRY(choose_minimal(s, &s->velocity, changed));
    follow_positions(s);
    follow_velocities(s);
    s->position.growth_then = s->position.growth;
    s->velocity.growth_then = s->velocity.growth;
    s->chosen = true;
    return TN_OK;
}

// The base ----------------------------------------------------------------------------------------

// Copies the entries of x from all coordinates, or from their rates and sizes.
static void show_positions(const minimal *s, const double *z, double *x)
{
    TN_ASSERT(s->carried || s->base.nx == s->position.nindependent);
    for (int i = 0; i < s->base.nx; i++)
        x[i] = z[s->carried ? i : s->position.independent[i]];
}

static void keep_rates(minimal *s)
{
    s->t = s->base.t;
    tn_chart_rates(&s->base.chart, s->z, s->base.v, s->zdot);
}

// Returns true if the current choice serves at the configuration.
static bool serves(minimal *s)
{
    if (!s->chosen || !tn_chart_is_good(&s->base.chart, s->z))
        return false;
    take_positions(s);
    if (factor_minimal(s, &s->position) != TN_OK || factor_minimal(s, &s->velocity) != TN_OK)
        return false;
    if (!has_pivots(&s->position) || !has_pivots(&s->velocity))
        return false;
    follow_velocities(s);
    if (!is_fine(&s->velocity))
        return false;
    follow_positions(s);
    return is_fine(&s->position);
}

static tn_status minimal_base(tn_ode *self, double *x, double *u, bool *changed)
{
    minimal *s = (minimal *)self;
    const tn_point point = tn_ode_point(self);
    TN_TRY(tn_system_eval(self->sys, &point, TN_EVAL_B));
    take_constraints(s);
    tn_chart_to_z(&self->chart, self->q, s->z);
    *changed = false;
    if (!serves(s)) {
        *changed = tn_chart_base(&self->chart, self->q) || !s->chosen;
        tn_chart_to_z(&self->chart, self->q, s->z);
        take_positions(s);
        TN_TRY(choose_both(s, changed));
    }
    s->position.negative_then = s->position.negative;
    show_positions(s, s->z, x);
    for (int i = 0; i < self->nu; i++)
        u[i] = self->v[s->velocity.independent[i]];
    keep_rates(s);
    s->t_base = s->t;
    tn_copy(s->n, s->z, s->z_base);
    tn_copy(s->n, s->zdot, s->zdot_base);
    return TN_OK;
}

static bool is_good(const tn_ode *self, const double *x)
{
    const minimal *s = (const minimal *)self;
    return s->chosen && is_fine(&s->position) && is_fine(&s->velocity) &&
           tn_chart_is_good(&self->chart, s->z);
}

// Motion ------------------------------------------------------------------------------------------

static void scaled_rows(const minimal *s, int first, int count, const double *from, double *rows)
{
    TN_ASSERT(first + count <= s->base.sys->ng + s->base.sys->nn);
    for (int i = first; i < first + count; i++)
        if (s->row[i] >= 0)
            rows[s->row[i]] = s->scale[s->row[i]] * from[i - first];
}

// All coordinates move on with their rates of the last evaluation, then z_D along with z_I on the
// tangent there.
static void predict_minimal(minimal *s, const double *x)
{
    const split *p = &s->position;
    if (s->carried) {
        tn_copy(s->n, x, s->z);
        return;
    }
    tn_axpy(s->n, s->base.t - s->t, s->zdot, s->z);
    tn_zero(p->rows, s->rows);
    for (int i = 0; i < p->nindependent; i++) {
        const int j = p->independent[i];
        tn_axpy(p->rows, s->z[j] - x[i], p->matrix + at(p->rows, j), s->rows);
        s->z[j] = x[i];
    }
    if (!(p->quality > 0.0))
        return;
    tn_lu_solve(p->rows, p->LU, p->pivot, s->rows);
    for (int i = 0; i < p->rows; i++)
        s->z[p->dependent[i]] += s->rows[i];
}

// One evaluation at z, with v_D = 0: matrices, their factors, and the correction of z_D in rows.
static tn_status linearise_minimal(minimal *s)
{
    tn_ode *self = &s->base;
    const split *p = &s->position;
    tn_chart_to_q(&self->chart, s->z, self->q);
    if (self->sys->ns > 0)
        TN_TRY(tn_ode_extra(self));
    const tn_point point = tn_ode_point(self);
    TN_TRY(tn_system_eval(self->sys, &point, TN_EVAL_G | TN_EVAL_B | TN_EVAL_GDOT));
    take_constraints(s);
    take_positions(s);
    TN_TRY(factor_minimal(s, &s->position));
    scaled_rows(s, 0, self->sys->ng, self->sys->g, s->rows);
    tn_lu_solve(p->rows, p->LU, p->pivot, s->rows);
    return TN_OK;
}

// On the way from one way to assemble the mechanism to another the determinant of the dependent
// columns passes zero: a solution with the other sign was jumped to.
static tn_status other_branch(const minimal *s)
{
    return tn_fail(TN_RETRY_NEWTON,
                   "minimal: the dependent coordinates were found in another assembly of the "
                   "mechanism at t = %g s",
                   s->base.t);
}

// Near the end of the range of an independent coordinate all is steep, and errors are not seen. A
// step must not pass a full turn of the chart either: all is well behind it, but not on the way.
static tn_status check_quality(const minimal *s)
{
    const split *p = &s->position;
    if (!tn_chart_reaches(&s->base.chart, s->z))
        return tn_fail(TN_RETRY_NEWTON,
                       "minimal: a rotation turns nearly full circle within the step at t = %g s",
                       s->base.t);
    if (p->rows == 0 || p->quality >= BAD * p->quality_then)
        return TN_OK;
    return tn_fail(TN_RETRY_NEWTON,
                   "minimal: the independent coordinates become poor within the step at t = %g s",
                   s->base.t);
}

static tn_status solve_positions(minimal *s)
{
    const split *p = &s->position;
    double last = INFINITY;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        TN_TRY(linearise_minimal(s));
        const double size =
            p->rows > 0 ? tn_norm_inf(p->rows, s->rows) / (1.0 + tn_norm_inf(s->n, s->z)) : 0.0;
        if (size <= ENOUGH || (size <= ROUNDING && size > 0.5 * last))
            return p->negative != p->negative_then ? other_branch(s) : check_quality(s);
        if (!isfinite(size) || (k > 2 && size > 2.0 * last))
            break;
        for (int i = 0; i < p->rows; i++)
            s->z[p->dependent[i]] -= s->rows[i];
        last = size;
    }
    return tn_fail(TN_RETRY_NEWTON,
                   "minimal: the constraints were not solved for the dependent coordinates at "
                   "t = %g s",
                   s->base.t);
}

// v_D from gdot and ndot at v_D = 0, as last evaluated.
static tn_status solve_velocities(minimal *s)
{
    TN_ASSERT(s->chosen);
    const tn_system *sys = s->base.sys;
    const split *p = &s->velocity;
    TN_TRY(factor_minimal(s, &s->velocity));
    scaled_rows(s, 0, sys->ng, sys->gdot, s->rows);
    scaled_rows(s, sys->ng, sys->nn, sys->ndot, s->rows);
    tn_lu_solve(p->rows, p->LU, p->pivot, s->rows);
    for (int i = 0; i < p->rows; i++)
        s->base.v[p->dependent[i]] = -s->rows[i];
    keep_rates(s);
    return TN_OK;
}

// Returns to the base after a failure: the last iterate of Newton's method is no place to go on.
static void start_again(minimal *s)
{
    s->t = s->t_base;
    tn_copy(s->n, s->z_base, s->z);
    tn_copy(s->n, s->zdot_base, s->zdot);
    s->position.quality = 0.0;
}

static tn_status minimal_motion(tn_ode *self, const double *x, const double *u)
{
    minimal *s = (minimal *)self;
    tn_zero(s->n, self->v);
    for (int i = 0; i < self->nu; i++)
        self->v[s->velocity.independent[i]] = u[i];
    predict_minimal(s, x);
    const tn_status status = solve_positions(s);
    if (status != TN_OK) {
        start_again(s);
        return status;
    }
    return solve_velocities(s);
}

// Accelerations -----------------------------------------------------------------------------------

// X = C_D^-1 C_I, and a0 into a.
static void reduce_constraints(minimal *s)
{
    const tn_system *sys = s->base.sys;
    split *p = &s->velocity;
    const int m = p->rows;
    follow_velocities(s);
    scaled_rows(s, 0, sys->ng, sys->gamma, s->rows);
    scaled_rows(s, sys->ng, sys->nn, sys->ngamma, s->rows);
    tn_lu_solve(m, p->LU, p->pivot, s->rows);
    tn_zero(s->n, s->base.a);
    for (int i = 0; i < m; i++)
        s->base.a[p->dependent[i]] = -s->rows[i];
}

// (R^T y)_j
static double project_minimal(const minimal *s, int j, const double *y)
{
    TN_ASSERT(j >= 0 && j < s->velocity.nindependent);
    const split *p = &s->velocity;
    const double *column = s->X + at(p->rows, j);
    double sum = y[p->independent[j]];
    for (int i = 0; i < p->rows; i++)
        sum -= column[i] * y[p->dependent[i]];
    return sum;
}

// f - M a
static void minimal_residual(const minimal *s, double *out)
{
    const tn_system *sys = s->base.sys;
    tn_copy(s->n, sys->f, out);
    tn_sparse_mul(sys->block[TN_BLOCK_M], -1.0, s->base.a, out);
}

static tn_status reduce_mass(minimal *s)
{
    const split *p = &s->velocity;
    const int n = p->nindependent;
    for (int j = 0; j < n; j++) {
        tn_zero(s->n, s->unit);
        s->unit[p->independent[j]] = 1.0;
        for (int i = 0; i < p->rows; i++)
            s->unit[p->dependent[i]] = -s->X[at(p->rows, j) + (size_t)i];
        tn_zero(s->n, s->Ma);
        tn_sparse_mul(s->base.sys->block[TN_BLOCK_M], 1.0, s->unit, s->Ma);
        for (int i = j; i < n; i++)
            s->mass[at(n, j) + (size_t)i] = project_minimal(s, i, s->Ma);
    }
    if (tn_cholesky(n, s->mass, TN_ROUND_MATRIX) == TN_OK)
        return TN_OK;
    return tn_fail(TN_RETRY_SINGULAR,
                   "minimal: the mass matrix is not definite on the motions that the constraints "
                   "allow at t = %g s",
                   s->base.t);
}

static void take_multipliers(minimal *s)
{
    tn_ode *self = &s->base;
    const split *p = &s->velocity;
    minimal_residual(s, s->Ma);
    for (int i = 0; i < p->rows; i++)
        s->rows[i] = s->Ma[p->dependent[i]];
    tn_lu_solve_t(p->rows, p->LU, p->pivot, s->rows);
    for (int i = 0; i < self->sys->ng + self->sys->nn; i++) {
        double *place = i < self->sys->ng ? &self->lambda[i] : &self->eta[i - self->sys->ng];
        *place = s->row[i] >= 0 ? s->scale[s->row[i]] * s->rows[s->row[i]] : 0.0;
    }
}

// C and its factors are those of the motion.
static tn_status minimal_accelerations(tn_ode *self)
{
    minimal *s = (minimal *)self;
    const split *p = &s->velocity;
    const tn_point point = tn_ode_point(self);
    TN_TRY(tn_system_eval(self->sys, &point, TN_EVAL_MASS | TN_EVAL_FORCE | TN_EVAL_GAMMA));
    reduce_constraints(s);
    TN_TRY(reduce_mass(s));
    minimal_residual(s, s->Ma);
    for (int j = 0; j < p->nindependent; j++)
        s->reduced[j] = project_minimal(s, j, s->Ma);
    tn_lower_solve(p->nindependent, s->mass, s->reduced);
    tn_lower_solve_t(p->nindependent, s->mass, s->reduced);
    for (int j = 0; j < p->nindependent; j++) {
        self->a[p->independent[j]] = s->reduced[j];
        for (int i = 0; i < p->rows; i++)
            self->a[p->dependent[i]] -= s->X[at(p->rows, j) + (size_t)i] * s->reduced[j];
    }
    take_multipliers(s);
    return TN_OK;
}

static tn_status minimal_rates(tn_ode *self, const double *x, const double *u, double *xdot,
                               double *udot)
{
    minimal *s = (minimal *)self;
    show_positions(s, s->zdot, xdot);
    for (int i = 0; i < self->nu; i++)
        udot[i] = self->a[s->velocity.independent[i]];
    return TN_OK;
}

static void minimal_sizes(const tn_ode *self, const double *x, const double *u, double *size_x,
                          double *size_u)
{
    const minimal *s = (const minimal *)self;
    tn_copy(s->n, s->z, s->Ma);
    for (int i = 0; i < self->nx; i++)
        s->Ma[s->carried ? i : s->position.independent[i]] = x[i];
    tn_chart_sizes(&self->chart, s->Ma, s->unit);
    show_positions(s, s->unit, size_x);
    tn_magnitudes(self->nu, u, size_u);
}

static void by_kind(const tn_ode *self, const double value[TN_KIND_COUNT], double *of_x,
                    double *of_u)
{
    const minimal *s = (const minimal *)self;
    tn_coordinates_by_kind(self->sys, &self->chart, value, s->unit);
    show_positions(s, s->unit, of_x);
    for (int i = 0; i < self->nu; i++)
        of_u[i] = value[tn_velocity_kind(self->sys, s->velocity.independent[i])];
}

static const char *solver(const tn_ode *self)
{
    return "dense LU and Cholesky";
}

static const tn_ode_ops ops = {
    .size = sizeof(minimal),
    .local_rotation = true,
    .layout = layout_minimal,
    .activate = minimal_activate,
    .base = minimal_base,
    .motion = minimal_motion,
    .accel = minimal_accelerations,
    .rates = minimal_rates,
    .rates_from_known = true,
    .is_good = is_good,
    .sizes = minimal_sizes,
    .by_kind = by_kind,
    .solver = solver,
    .values = minimal_values,
};

const tn_formulation tn_formulation_minimal = {
    .name = "minimal",
    .text = "independent coordinates only, the others follow from the constraints",
    .source = "[LB08, section 4.1]",
    .offers = TN_VIEW_ACCEL,
    .index = 0,
    .position = true,
    .velocity = true,
    .acceleration = true,
    .ode = &ops,
};
