// SPDX-License-Identifier: MIT
//
// A semismooth Newton method for contacts with friction, and Lemke's method where it stalls.
//
// Per contact, for any r > 0 [AC91]
//
//   0 = Phi(y) = y - P(y - r u),  P_N = max(l, z_N),  P_T = point of the disc mu P_N nearest to z_T
//
// with l = 0; l is the part of an expansion that is owed. With Q = dP/dz the rows of a step are
//
//   (1 - Q + Q r A) dy = -Phi
//
// and singular where W is: the least step is taken. It starts from the last impulses, from all
// contacts closed and holding, and from zero. In the plane the problem is linear by pieces and
// equivalent to a linear complementarity problem with a copositive matrix [ST96; AP97], per contact
//
//   0 <= u_N           _|_  y_N - l >= 0
//   0 <= d_k u_T + s   _|_  b_k >= 0,     y_T = sum b_k d_k
//   0 <= mu y_N - sum b_k  _|_  s >= 0
//
// whose solution by Lemke's method then is the start. In space d_k are four directions, and it is
// only near. Without friction only the first line is left.

#include "linalg/cone_parts.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>

enum {
    FACETS = 4,      // directions of friction in space
    UNKNOWNS = 6,    // of the linear problem, per contact: normal, facets, slip
    MOST_STEPS = 60, // of Newton's method, per start
    PATIENCE = 10,   // steps in which the residual must halve
    HALVINGS = 5,
    ROUNDS = 16, // of sweeps, and Newton's method after each
    SWEEPS = 50,
    BISECTIONS = 55,
};

static void layout_cone(void *self, tn_carve *mem)
{
    tn_cone *s = self;
    const int n = s->most, N = 3 * n;
    TN_CARVE_INTS(mem, n, &s->dim, &s->at, &s->from);
    TN_CARVE_DOUBLES(mem, n, &s->mu, &s->least, &s->scale);
    TN_CARVE_DOUBLES(mem, N, &s->lean, &s->r, &s->c, &s->y, &s->u, &s->phi);
    TN_CARVE_DOUBLES(mem, N, &s->step, &s->trial, &s->best, &s->swept);
    s->tau = tn_carve_doubles(mem, N);
    TN_CARVE_INTS(mem, N, &s->jpvt);
    s->lwork = tn_qr_work(N, N);
    s->work = tn_carve_doubles(mem, s->lwork);
    TN_CARVE_NUMBERS(mem, (size_t)N * (size_t)N * sizeof(double), s->A);
    TN_CARVE_NUMBERS(mem, (size_t)N * (size_t)N * sizeof(double), s->J);
    TN_CARVE_NUMBERS(mem, (size_t)N * (size_t)N * sizeof(double), s->R);
    const int m = UNKNOWNS * n;
    tn_lemke_layout(&s->lemke, m, mem);
    TN_CARVE_NUMBERS(mem, (size_t)m * (size_t)m * sizeof(double), s->M);
    TN_CARVE_DOUBLES(mem, m, &s->q, &s->z);
    TN_CARVE_INTS(mem, m, &s->slot);
    s->impact = tn_carve_doubles(mem, 3 * N + n);
}

tn_status tn_cone_create(int most, tn_cone **out)
{
    TN_ASSERT(most >= 0);
    *out = NULL;
    tn_cone *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->most = most;
    const tn_status status = tn_carve_block(s, layout_cone, &s->block);
    TN_HAND_OUT(status, s, tn_cone_destroy, out);
}

void tn_cone_destroy(tn_cone *s)
{
    if (s)
        TN_FREE(s->block, s);
}

int tn_cone_rows(const tn_cone_problem *p)
{
    int rows = 0;
    for (int i = 0; i < p->n; i++)
        rows += p->dim[i];
    return rows;
}

// ---- The problem in its own units

static bool slips(const tn_cone_problem *p, const double *slip, int i, int from)
{
    return slip && p->dim[i] > 1 && tn_norm2(p->dim[i] - 1, slip + from + 1) > 0.0;
}

static void pose_shape(tn_cone *s, const tn_cone_problem *p, const double *slip)
{
    s->n = p->n;
    s->N = 0;
    for (int i = 0, from = 0; i < p->n; from += p->dim[i], i++) {
        const bool known = slips(p, slip, i, from), rough = p->dim[i] > 1 && p->mu[i] > 0.0;
        s->mu[i] = p->dim[i] > 1 ? p->mu[i] : 0.0;
        s->dim[i] = rough && !known ? p->dim[i] : 1;
        s->from[i] = from;
        s->at[i] = s->N;
        s->N += s->dim[i];
        const int tangents = p->dim[i] - 1;
        tn_zero(tangents, s->lean + from + 1);
        if (known)
            tn_axpy(tangents, -p->mu[i] / tn_norm2(tangents, slip + from + 1), slip + from + 1,
                    s->lean + from + 1);
    }
}

// The largest diagonal entry of a contact becomes one. Contacts that nothing can move keep the
// scale of the largest of all.
static void pose_scales(tn_cone *s, const tn_cone_problem *p, int rows)
{
    double largest = 0.0;
    for (int k = 0; k < rows; k++)
        largest = fmax(largest, p->W[(size_t)k * ((size_t)rows + 1)]);
    for (int i = 0; i < s->n; i++) {
        double size = 0.0;
        for (int k = s->from[i]; k < s->from[i] + s->dim[i]; k++)
            size = fmax(size, p->W[(size_t)k * ((size_t)rows + 1)]);
        if (!(size > TN_ROUND_SUM * largest))
            size = largest > 0.0 ? largest : 1.0;
        s->scale[i] = 1.0 / sqrt(size);
    }
}

// One column of A: what unknown k of contact j does to all rows.
static void pose_column(tn_cone *s, const tn_cone_problem *p, int rows, int j, int k)
{
    double *column = tn_column_of(s->A, s->N, s->at[j] + k);
    const int from = s->from[j];
    for (int i = 0; i < s->n; i++)
        for (int l = 0; l < s->dim[i]; l++) {
            const double *W = p->W + (size_t)(s->from[i] + l);
            double sum = W[(size_t)(from + k) * (size_t)rows];
            for (int t = 1; s->dim[j] == 1 && t < p->dim[j]; t++)
                sum += W[(size_t)(from + t) * (size_t)rows] * s->lean[from + t];
            column[s->at[i] + l] = s->scale[i] * sum * s->scale[j];
        }
}

static void pose_factors(tn_cone *s, const tn_cone_problem *p, int rows)
{
    for (int i = 0; i < s->n; i++) {
        const double square = s->scale[i] * s->scale[i];
        double tangential = 0.0;
        for (int k = 0; k < s->dim[i]; k++) {
            const double w = square * p->W[(size_t)(s->from[i] + k) * ((size_t)rows + 1)];
            if (k > 0)
                tangential = fmax(tangential, w);
            s->r[s->at[i] + k] = w > TN_ROUND_SUM ? 1.0 / w : 1.0;
        }
        for (int k = 1; k < s->dim[i]; k++)
            s->r[s->at[i] + k] = tangential > TN_ROUND_SUM ? 1.0 / tangential : 1.0;
    }
}

static bool is_finite_problem(const tn_cone_problem *p, int rows)
{
    for (int i = 0; i < p->n; i++)
        if (p->dim[i] > 1 && !isfinite(p->mu[i]))
            return false;
    return tn_all_finite(rows, p->c) && tn_all_finite(rows * rows, p->W);
}

tn_status tn_cone_pose(tn_cone *s, const tn_cone_problem *p, const double *slip,
                       const double *least, const double *y)
{
    const int rows = tn_cone_rows(p);
    if (p->n > s->most)
        return tn_fail(TN_ERR_USAGE, "contacts: %d are closed at a time, with room for %d", p->n,
                       s->most);
    if (!is_finite_problem(p, rows) || !tn_all_finite(rows, y) ||
        (slip && !tn_all_finite(rows, slip)))
        return tn_fail(TN_ERR_NUMERIC,
                       "contacts: their velocities, inertias or friction are not finite");
    pose_shape(s, p, slip);
    pose_scales(s, p, rows);
    pose_factors(s, p, rows);
    for (int j = 0; j < s->n; j++)
        for (int k = 0; k < s->dim[j]; k++)
            pose_column(s, p, rows, j, k);
    s->unit = 0.0;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->dim[i]; k++)
            s->unit = fmax(s->unit, s->scale[i] * fabs(p->c[s->from[i] + k]));
    for (int i = 0; least && i < s->n; i++)
        s->unit = fmax(s->unit, least[i] / s->scale[i]);
    s->unit = s->unit > 0.0 ? s->unit : 1.0;
    for (int i = 0; i < s->n; i++) {
        s->least[i] = least ? least[i] / (s->scale[i] * s->unit) : 0.0;
        for (int k = 0; k < s->dim[i]; k++) {
            s->c[s->at[i] + k] = s->scale[i] * p->c[s->from[i] + k] / s->unit;
            s->y[s->at[i] + k] = y[s->from[i] + k] / (s->scale[i] * s->unit);
        }
    }
    s->iterations = 0;
    return TN_OK;
}

void tn_cone_return(const tn_cone *s, const tn_cone_problem *p, double *y, double *u)
{
    const int rows = tn_cone_rows(p);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < p->dim[i]; k++) {
            const double *own = s->y + s->at[i];
            const double part = k < s->dim[i] ? own[k] : own[0] * s->lean[s->from[i] + k];
            y[s->from[i] + k] = part * s->scale[i] * s->unit;
        }
    tn_copy(rows, p->c, u);
    for (int j = 0; j < rows; j++)
        tn_axpy(rows, y[j], p->W + (size_t)j * (size_t)rows, u);
}

// ---- Residuals

// The point of the cone that y - r u is led to.
static void project_contact(const tn_cone *s, int i, const double *y, const double *u, double *out)
{
    const int a = s->at[i], d = s->dim[i];
    double z[3] = {0.0};
    for (int k = 0; k < d; k++)
        z[k] = y[a + k] - s->r[a + k] * u[a + k];
    out[0] = fmax(s->least[i], z[0]);
    const double disc = s->mu[i] * out[0], size = hypot(z[1], z[2]);
    for (int k = 1; k < d; k++)
        out[k] = size <= disc ? z[k] : z[k] * (disc / size);
}

// Phi and u at y; returns the largest |Phi|.
static double look(tn_cone *s, const double *y)
{
    const int N = s->N;
    tn_copy(N, s->c, s->u);
    for (int j = 0; j < N; j++)
        if (y[j] != 0.0)
            tn_axpy(N, y[j], s->A + (size_t)j * (size_t)N, s->u);
    for (int i = 0; i < s->n; i++) {
        double point[3] = {0.0};
        project_contact(s, i, y, s->u, point);
        for (int k = 0; k < s->dim[i]; k++)
            s->phi[s->at[i] + k] = y[s->at[i] + k] - point[k];
    }
    return tn_norm_inf(N, s->phi);
}

// What Phi at y may be by rounding.
static double noise(const tn_cone *s, const double *y)
{
    const int N = s->N;
    double largest = 0.0;
    for (int i = 0; i < N; i++) {
        double sum = fabs(s->c[i]);
        for (int j = 0; j < N; j++)
            sum += fabs(tn_column_of(s->A, N, j)[i] * y[j]);
        largest = fmax(largest, fabs(y[i]) + s->r[i] * sum);
    }
    return TN_ROUND_SUM * largest;
}

// The same of velocities, in units of the caller.
static double rounding_of_speeds(const tn_cone *s)
{
    double most = 0.0;
    for (int i = 0; i < s->n; i++)
        most = fmax(most, s->unit / s->scale[i]);
    return most * noise(s, s->y);
}

tn_cone_report tn_cone_judge(const tn_cone *s, const tn_cone_problem *p, const double *y,
                             const double *u)
{
    tn_cone_report report = {.iterations = s->iterations};
    double size = tn_norm_inf(tn_cone_rows(p), p->c); // or what is owed
    for (int i = 0; i < s->n; i++) {
        const int from = s->from[i], a = s->at[i];
        const double square = s->scale[i] * s->scale[i], owed = s->least[i] * s->scale[i] * s->unit;
        const double W_NN = 1.0 / (s->r[a] * square), free = y[from] - owed;
        size = fmax(size, W_NN * owed);
        report.signorini = fmax(report.signorini, fabs(fmin(W_NN * free, u[from])));
        if (s->dim[i] == 1)
            continue;
        const double W_TT = 1.0 / (s->r[a + 1] * square);
        double z[2] = {0.0}, held[2] = {0.0}, miss[2] = {0.0};
        for (int k = 0; k + 1 < s->dim[i]; k++) {
            held[k] = y[from + 1 + k];
            z[k] = held[k] - u[from + 1 + k] / W_TT;
        }
        const double disc = s->mu[i] * fmax(0.0, y[from]), length = hypot(z[0], z[1]);
        for (int k = 0; k < 2; k++)
            miss[k] = held[k] - (length <= disc ? z[k] : z[k] * (disc / length));
        report.coulomb = fmax(report.coulomb, W_TT * hypot(miss[0], miss[1]));
        report.cone = fmax(report.cone, W_NN * (hypot(held[0], held[1]) - disc));
    }
    const double inverse = size > 0.0 ? 1.0 / size : 1.0;
    report.signorini *= inverse;
    report.coulomb *= inverse;
    report.cone *= inverse;
    const double bound = fmax(TN_CONE_BOUND, inverse * rounding_of_speeds(s));
    report.solved = report.signorini <= bound && report.coulomb <= bound && report.cone <= bound;
    return report;
}

// ---- Newton's method

// Q of a contact at y and u, by rows. Contacts within `border` of closing or holding do so: they
// have more load to share.
static void derive_contact(const tn_cone *s, int i, const double *y, double border, double Q[9])
{
    const int a = s->at[i], d = s->dim[i];
    double z[3] = {0.0};
    tn_zero(9, Q);
    for (int k = 0; k < d; k++)
        z[k] = y[a + k] - s->r[a + k] * s->u[a + k];
    const bool closed = z[0] > s->least[i] - border;
    const double disc = s->mu[i] * fmax(s->least[i], z[0]), size = hypot(z[1], z[2]);
    Q[0] = closed ? 1.0 : 0.0;
    const bool holds = closed && size <= disc + border;
    for (int k = 1; k < d; k++) {
        if (holds || size <= disc) {
            Q[4 * k] = 1.0;
            continue;
        }
        Q[3 * k] = s->mu[i] * Q[0] * z[k] / size;
        for (int l = 1; l < d; l++)
            Q[3 * k + l] = disc / size * ((k == l ? 1.0 : 0.0) - z[k] * z[l] / (size * size));
    }
}

static void fill_jacobian(tn_cone *s, const double *y, double border)
{
    const int N = s->N;
    for (int i = 0; i < s->n; i++) {
        double Q[9];
        const int a = s->at[i], d = s->dim[i];
        derive_contact(s, i, y, border, Q);
        for (int j = 0; j < N; j++) {
            const double *A = tn_column_of(s->A, N, j) + a;
            double *J = tn_column_of(s->J, N, j) + a;
            for (int k = 0; k < d; k++) {
                J[k] = 0.0;
                for (int l = 0; l < d; l++)
                    J[k] += Q[3 * k + l] * s->r[a + l] * A[l];
            }
        }
        for (int k = 0; k < d; k++)
            for (int l = 0; l < d; l++)
                tn_column_of(s->J, N, a + l)[a + k] += (k == l ? 1.0 : 0.0) - Q[3 * k + l];
    }
}

// The least x of those that make |J x - b| the least, in the place of b. J P = Q1 [R; 0] and
// R^T = Q2 R2 give x = P Q2 R2^-T (Q1^T b). J is overwritten.
static void solve_least(tn_cone *s, double *b)
{
    const int N = s->N;
    const int rank = tn_qr_rank(N, N, s->J, TN_ROUND_SOLVE, s->jpvt, s->tau, s->work, s->lwork);
    tn_qr_apply(N, N, true, s->J, s->tau, b, s->work);
    tn_zero(N - rank, b + rank);
    if (rank == 0)
        return;
    if (rank == N) {
        tn_upper_solve(N, N, false, s->J, b);
    } else {
        for (int i = 0; i < rank; i++)
            for (int j = 0; j < N; j++)
                tn_column_of(s->R, N, i)[j] = j < i ? 0.0 : tn_column_of(s->J, N, j)[i];
        tn_qr_factor(N, rank, s->R, s->tau, s->work, s->lwork);
        tn_upper_solve(rank, N, true, s->R, b);
        tn_qr_apply(N, rank, false, s->R, s->tau, b, s->work);
    }
    tn_copy(N, b, s->work);
    for (int k = 0; k < N; k++)
        b[s->jpvt[k]] = s->work[k];
}

// Goes along -step as far as |Phi| falls, or by the part that leaves the least of it.
static void advance_y(tn_cone *s, double *y)
{
    const int N = s->N;
    const double now = tn_norm2(N, s->phi);
    double least = INFINITY, best = 1.0, part = 1.0;
    for (int k = 0; k < HALVINGS; k++, part *= 0.5) {
        tn_copy(N, y, s->trial);
        tn_axpy(N, -part, s->step, s->trial);
        (void)look(s, s->trial);
        const double size = tn_norm2(N, s->phi);
        if (size < least) {
            least = size;
            best = part;
        }
        if (size < (1.0 - 1e-4 * part) * now)
            break;
    }
    tn_axpy(N, -best, s->step, y);
}

// From y to s->best where that leaves less than `left`. True at a solution.
static bool iterate(tn_cone *s, double *y, double *left)
{
    const int N = s->N;
    double mark = INFINITY, size = look(s, y);
    int since = 0;
    for (int k = 0; k < MOST_STEPS && isfinite(size); k++) {
        if (size < *left) {
            tn_copy(N, y, s->best);
            *left = size;
        }
        since = size <= 0.5 * mark ? 0 : since + 1;
        mark = fmin(mark, size);
        const bool done = size <= noise(s, y);
        if (size == 0.0 || since > (done ? 0 : PATIENCE))
            return done;
        s->iterations++;
        fill_jacobian(s, y, 0.0);
        tn_copy(N, s->phi, s->step);
        solve_least(s, s->step);
        advance_y(s, y);
        size = look(s, y);
    }
    return *left <= noise(s, s->best);
}

// ---- Starts

// All contacts closed and holding, as far as that is possible.
static void start_closed(tn_cone *s, double *y)
{
    const int N = s->N;
    tn_copy(N * N, s->A, s->J);
    tn_copy(N, s->c, y);
    solve_least(s, y);
    tn_scale(N, -1.0, y);
}

static int direction_count(const tn_cone *s, int i)
{
    return s->dim[i] == 1 ? 0 : s->dim[i] == 2 ? 2 : FACETS;
}

// Component and sign of direction k of contact i.
static int direction(const tn_cone *s, int i, int k, double *sign)
{
    *sign = k % 2 == 0 ? 1.0 : -1.0;
    return s->at[i] + 1 + k / 2;
}

// Column of M for an unknown that presses on component `at`.
static void fill_lcp_column(tn_cone *s, int m, int column, int at, double sign)
{
    const double *A = tn_column_of(s->A, s->N, at);
    for (int i = 0, row = 0; i < s->n; i++) {
        const int facets = direction_count(s, i);
        double *M = tn_column_of(s->M, m, column);
        M[row++] = sign * A[s->at[i]];
        for (int k = 0; k < facets; k++) {
            double other = 0.0;
            const int to = direction(s, i, k, &other);
            M[row++] = sign * other * A[to];
        }
        row += facets > 0;
    }
}

// Rows and columns of the bound on friction.
static void fill_lcp_bound(tn_cone *s, int m, int i, int first)
{
    const int facets = direction_count(s, i), bound = first + facets + 1;
    tn_column_of(s->M, m, first)[bound] = s->mu[i];
    for (int k = 1; k <= facets; k++) {
        tn_column_of(s->M, m, first + k)[bound] = -1.0;
        tn_column_of(s->M, m, bound)[first + k] = 1.0;
    }
    s->q[bound] = s->mu[i] * s->least[i];
}

static int fill_lcp(tn_cone *s)
{
    int m = 0;
    for (int i = 0; i < s->n; i++) {
        s->slot[i] = m;
        m += s->dim[i] == 1 ? 1 : 2 + direction_count(s, i);
    }
    tn_zero(m * m, s->M);
    tn_zero(s->N, s->trial);
    for (int i = 0; i < s->n; i++)
        s->trial[s->at[i]] = s->least[i];
    (void)look(s, s->trial); // u of the least normal components
    for (int i = 0; i < s->n; i++) {
        const int first = s->slot[i], facets = direction_count(s, i);
        s->q[first] = s->u[s->at[i]];
        fill_lcp_column(s, m, first, s->at[i], 1.0);
        for (int k = 0; k < facets; k++) {
            double sign = 0.0;
            const int at = direction(s, i, k, &sign);
            s->q[first + 1 + k] = sign * s->u[at];
            fill_lcp_column(s, m, first + 1 + k, at, sign);
        }
    }
    for (int i = 0; i < s->n; i++)
        if (s->dim[i] > 1)
            fill_lcp_bound(s, m, i, s->slot[i]);
    return m;
}

static void start_pivoting(tn_cone *s, double *y)
{
    const int m = fill_lcp(s);
    (void)tn_lemke_solve(&s->lemke, m, s->M, s->q, s->z); // what it leaves is judged by Phi
    tn_zero(s->N, y);
    for (int i = 0; i < s->n; i++) {
        y[s->at[i]] = s->least[i] + s->z[s->slot[i]];
        for (int k = 0; k < direction_count(s, i); k++) {
            double sign = 0.0;
            const int at = direction(s, i, k, &sign);
            y[at] += sign * s->z[s->slot[i] + 1 + k];
        }
    }
}

// ---- Sweeps

// One contact alone: u = a y + b, a by columns.
typedef struct {
    int d;
    double mu, least, a[9], b[3];
} lonely;

static lonely isolate(const tn_cone *s, int i, const double *y)
{
    lonely one = {.d = s->dim[i], .mu = s->mu[i], .least = s->least[i]};
    const int at = s->at[i];
    tn_copy(one.d, s->u + at, one.b);
    for (int l = 0; l < one.d; l++) {
        tn_copy(one.d, tn_column_of(s->A, s->N, at + l) + at, one.a + l * one.d);
        tn_axpy(one.d, -y[at + l], one.a + l * one.d, one.b);
    }
    return one;
}

// Components `first` and on of y with u_N = 0 and u_T = -drag y_T.
static void drag_part(const lonely *one, double drag, int first, double *y)
{
    const int d = one->d, m = d - first;
    double a[9];
    int pivot[3];
    for (int k = 0; k < m; k++) {
        tn_copy(m, one->a + (k + first) * d + first, a + k * m);
        a[k * (m + 1)] += k + first > 0 ? drag : 0.0;
        y[k + first] = -one->b[k + first] - (first > 0 ? one->a[k + first] * one->least : 0.0);
    }
    if (tn_lu_factor(m, a, pivot) == TN_OK)
        tn_lu_solve(m, a, pivot, y + first);
    else
        tn_zero(m, y + first);
}

// The same with the least normal component where it would be less; returns how far y then is
// outside of the cone.
static double drag_contact(const lonely *one, double drag, double *y)
{
    drag_part(one, drag, 0, y);
    if (!(y[0] >= one->least)) {
        y[0] = one->least;
        drag_part(one, drag, 1, y);
    }
    return hypot(y[1], y[2]) - one->mu * y[0];
}

// A contact that the least drag keeps within the cone holds; Newton's method takes the drag out
// again. Otherwise there is a drag
// that leaves it on the border: one that is large enough takes all friction away.
static void sweep_contact(tn_cone *s, int i, double *y)
{
    const lonely one = isolate(s, i, y);
    double own[3] = {0.0}, low = log(TN_ROUND_SOLVE), high = -low;
    const bool off = one.least == 0.0 && one.b[0] >= 0.0;
    if (!off && drag_contact(&one, TN_ROUND_SOLVE, own) > 0.0)
        for (int k = 0; k < BISECTIONS; k++) {
            const double middle = 0.5 * (low + high);
            *(drag_contact(&one, exp(middle), own) > 0.0 ? &low : &high) = middle;
        }
    for (int k = 0; k < one.d; k++) {
        const double change = own[k] - y[s->at[i] + k];
        tn_axpy(s->N, change, tn_column_of(s->A, s->N, s->at[i] + k), s->u);
        y[s->at[i] + k] = own[k];
    }
}

// Contact after contact with the loads of all others [JAJ98], from the best that is known.
static bool sweep(tn_cone *s, double *y, double *left)
{
    for (int round = 0; round < ROUNDS; round++) {
        tn_copy(s->N, round == 0 ? s->best : s->swept, y);
        (void)look(s, y);
        for (int k = 0; k < SWEEPS; k++)
            for (int i = 0; i < s->n; i++)
                sweep_contact(s, i, y);
        tn_copy(s->N, y, s->swept);
        if (iterate(s, y, left))
            return true;
    }
    return false;
}

// Loads that no velocity depends on: the least of those in the same pieces.
static void share_loads(tn_cone *s)
{
    const int N = s->N;
    double *y = s->y, left = INFINITY;
    (void)look(s, s->best);
    fill_jacobian(s, s->best, TN_ROUND_ITERATE);
    tn_zero(N, y);
    for (int j = 0; j < N; j++)
        tn_axpy(N, s->best[j], tn_column_of(s->J, N, j), y);
    tn_axpy(N, -1.0, s->phi, y);
    solve_least(s, y);
    if (look(s, y) <= noise(s, y))
        (void)iterate(s, y, &left); // to the last digit
}

// From the last loads, all contacts closed, none, and by pivoting, until a start leads to the end.
static bool try_starts(tn_cone *s, double *y, double *left)
{
    if (tn_norm_inf(s->N, y) > 0.0 && iterate(s, y, left))
        return true;
    start_closed(s, y);
    if (iterate(s, y, left))
        return true;
    tn_zero(s->N, y);
    if (s->N > s->n && iterate(s, y, left)) // pivoting is quicker where directions are known
        return true;
    start_pivoting(s, y);
    return iterate(s, y, left) || sweep(s, y, left);
}

void tn_cone_search(tn_cone *s)
{
    double left = INFINITY;
    tn_zero(s->N, s->best);
    (void)try_starts(s, s->y, &left);
    share_loads(s);
    (void)look(s, s->best);
    for (int i = 0; i < s->n; i++) // into the cones, to the last digit
        project_contact(s, i, s->best, s->u, s->y + s->at[i]);
}

tn_status tn_cone_solve(tn_cone *s, const tn_cone_problem *p, double *y, double *u,
                        tn_cone_report *report)
{
    TN_TRY(tn_cone_pose(s, p, NULL, NULL, y));
    tn_cone_search(s);
    tn_cone_return(s, p, y, u);
    *report = tn_cone_judge(s, p, y, u);
    return TN_OK;
}
