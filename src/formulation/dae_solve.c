// SPDX-License-Identifier: MIT
//
// Linear systems of the residual view.
//
// With w = v - B^T mu the kinematic rows of c F_y' + F_y are, for each factor of the group and with
// increments u of v - B^T mu,
//
//   ( c + nu - d(A w)/dz   e ) ( dz  )   ( r_z + A u )
//   ( e^T                  0 ) ( dnu ) = ( r_nu      )        the border: quaternions with norm
//
// G is the inverse of this small matrix divided by c (nu by c as well), so that it stays bounded:
//
//   dz = G (r_z + A u) / c + …,     increments of q: dx = Y dz = x0 + (1/c) T u,   T = Y G A
//
// x0, the part without u, moves to the right-hand sides; what is left is the corrector of a step
// h = 1/c with weights q = h, v = 1, a = 1/h, c = 1/h and T in the place of the tangent operator of
// an increment (corrector.c). There lambda and eta are unknown as h lambda and h eta, and rows are
// scaled by powers of h, which keeps its matrices bounded for c -> infinity. The derivatives of
// B^T mu and C^T tau by q are left out: mu and tau vanish but for errors of the integrator.
//
// stabilized-index1: the core has v~ with da = c v~ - r_v for the unknown; the velocity projection
// then takes v~ to v = v~ - C^T tau / c.
//
// A complex system is two real planes: everything here but c, G and T is real.

#include "formulation/dae.h"

#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double ROUNDING = 4.0 * DBL_EPSILON; // of a coordinate, in what is made of it

// Real and imaginary part of a vector; the latter NULL where all is real.
typedef struct planes {
    double *x[2];
} planes;

// Kinematics --------------------------------------------------------------------------------------

// The rotating part of factor k: its first velocity and coordinate, and how many of each.
typedef struct turning {
    int v, nv, z, nz;
    bool any; // false on linear factors
} turning;

static turning turning_of(const tn_dae *d, int k)
{
    TN_ASSERT(k >= 0 && k < d->sys->ngroup);
    const tn_group *group = &d->sys->groups[k];
    const int first = tn_group_mixed(group);
    const int nz = d->chart.z0[k + 1] - d->chart.z0[k];
    return (turning){group->v0 + first, group->nv - first, d->chart.z0[k] + first, nz - first,
                     tn_group_turns(group)};
}

typedef enum derivative { OF_RATES, OF_A, OF_Y } derivative;

static bool has_column(const turning *t, derivative what, int j)
{
    return t->any && j < (what == OF_A ? t->nv : t->nz);
}

// Column j of the small matrices of all factors: the chart is asked once for all of them.
static void chart_column(tn_dae *d, const double *z, derivative what, int j, double *blocks)
{
    double *in = d->unit[0], *out = d->unit[1];
    tn_zero(what == OF_A ? d->sys->nv : d->at.nz, in);
    for (int k = 0; k < d->sys->ngroup; k++) {
        const turning t = turning_of(d, k);
        if (has_column(&t, what, j))
            in[(what == OF_A ? t.v : t.z) + j] = 1.0;
    }
    if (what == OF_A)
        tn_chart_rates(&d->chart, z, in, out);
    else if (what == OF_Y)
        tn_chart_velocity(&d->chart, z, in, out);
    else
        tn_chart_rates_along(&d->chart, z, d->w, in, out);
    for (int k = 0; k < d->sys->ngroup; k++) {
        const turning t = turning_of(d, k);
        const int rows = what == OF_Y ? t.nv : t.nz;
        const double *from = out + (what == OF_Y ? t.v : t.z);
        for (int i = 0; has_column(&t, what, j) && i < rows; i++)
            blocks[TN_DAE_BLOCK * k + 6 * i + j] = from[i];
    }
}

static void linearise_chart(tn_dae *d, const double *y)
{
    if (!d->curved)
        return;
    for (int j = 0; j < d->wide; j++) {
        chart_column(d, y + d->at.z, OF_RATES, j, d->bend);
        chart_column(d, y + d->at.z, OF_A, j, d->A);
        chart_column(d, y + d->at.z, OF_Y, j, d->Y);
    }
    for (int k = 0; k < d->sys->ngroup && d->nnu > 0; k++) {
        if (d->nu_of[k] < 0)
            continue;
        tn_copy(4, tn_dae_quaternion(d, y, k), d->axis + 4 * k);
        for (int i = 0; i < 4; i++)
            d->bend[TN_DAE_BLOCK * k + 7 * i] -= y[d->at.nu + d->nu_of[k]];
    }
}

// G of factor k: the inverse of (I - bend / c, e; e^T, 0).
static bool invert_kinematics(const tn_dae *d, int k, int nz, double complex c,
                              double complex (*X)[12])
{
    TN_ASSERT(c != 0.0 && nz + (d->nu_of[k] >= 0) <= 6);
    const bool border = d->nu_of[k] >= 0;
    const int n = nz + border;
    memset(X, 0, sizeof(double complex[6][12]));
    for (int i = 0; i < nz; i++) {
        for (int j = 0; j < nz; j++)
            X[i][j] = (i == j ? 1.0 : 0.0) - d->bend[TN_DAE_BLOCK * k + 6 * i + j] / c;
        if (border)
            X[i][nz] = X[nz][i] = d->axis[4 * k + i];
    }
    for (int i = 0; i < n; i++)
        X[i][n + i] = 1.0;
    return tn_gauss_jordan(n, 12, false, &X[0][0]);
}

// G, and T = Y G A.
static bool factor_kinematics(const tn_dae *d, int k, tn_dae_inverse *c)
{
    const turning t = turning_of(d, k);
    const int n = t.nz + (d->nu_of[k] >= 0);
    double complex X[6][12], GA[6][6] = {{0}};
    if (!invert_kinematics(d, k, t.nz, c->c, X))
        return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c->G[0][TN_DAE_BLOCK * k + 6 * i + j] = creal(X[i][n + j]);
            c->G[1][TN_DAE_BLOCK * k + 6 * i + j] = cimag(X[i][n + j]);
        }
    for (int i = 0; i < t.nz; i++)
        for (int j = 0; j < t.nv; j++)
            for (int m = 0; m < t.nz; m++)
                GA[i][j] += X[i][n + m] * d->A[TN_DAE_BLOCK * k + 6 * m + j];
    for (int i = 0; i < t.nv; i++)
        for (int j = 0; j < t.nv; j++) {
            double complex sum = 0.0;
            for (int m = 0; m < t.nz; m++)
                sum += d->Y[TN_DAE_BLOCK * k + 6 * i + m] * GA[m][j];
            const int first = t.v - d->sys->groups[k].v0; // as in corrector.c
            c->T[0][TN_DAE_BLOCK * k + 6 * (first + i) + first + j] = creal(sum);
            c->T[1][TN_DAE_BLOCK * k + 6 * (first + i) + first + j] = cimag(sum);
        }
    return true;
}

// Factorisation -----------------------------------------------------------------------------------

static tn_status factor(tn_dae *d, tn_dae_inverse *at, double complex c)
{
    TN_ASSERT(c != 0.0);
    const bool is_complex = at == &d->at_complex;
    const tn_zweights w = {.h = 1.0 / c, .q = 1.0 / c, .v = 1.0, .a = c, .c = c};
    at->c = c;
    for (int k = 0; k < d->sys->ngroup && d->curved; k++)
        if (tn_group_turns(&d->sys->groups[k]) && !factor_kinematics(d, k, at))
            return tn_fail(TN_RETRY_SINGULAR, "coordinates of a rotation turn too far in one step");
    for (int p = 0; p < 2; p++)
        d->tangent.T[p] = d->curved && p <= is_complex ? at->T[p] : NULL;
    return tn_corrector_factor(d->corrector, &d->tangent, &w, is_complex);
}

tn_status tn_dae_factor(tn_dae *d, double t, const double *y, const double *yp, double h, double c)
{
    TN_ASSERT(h > 0.0 && c > 0.0);
    tn_system *s = d->sys;
    const tn_point point = tn_dae_point(d, t, y, yp);
    TN_TRY(tn_system_eval(s, &point, tn_corrector_wants(d->corrector)));
    for (int k = 0; k < TN_BLOCK_COUNT; k++)
        if (s->block[k])
            tn_copy(s->block[k]->nnz, s->block[k]->val, d->kept[k]);
    tn_copy(s->nv, y + d->at.v, d->v);
    tn_dae_motion(d, y);
    linearise_chart(d, y);
    d->tangent.step = h;
    return factor(d, &d->at_real, c);
}

// Without factors: of a state that was read, with numbers that contradict each other.
static tn_status need_factors(const tn_dae_inverse *at)
{
    return at->c != 0.0 ? TN_OK : TN_RETRY_SINGULAR;
}

tn_status tn_dae_refactor(tn_dae *d, double c)
{
    TN_TRY(need_factors(&d->at_real));
    return factor(d, &d->at_real, c);
}

tn_status tn_dae_factor_complex(tn_dae *d, double complex c)
{
    TN_ASSERT(d->complex_too);
    TN_TRY(need_factors(&d->at_real));
    return factor(d, &d->at_complex, c);
}

tn_status tn_dae_warm_up(tn_dae *d, const tn_state *x, double h)
{
    TN_ASSERT(h > 0.0);
    double *y = d->y[0], *yp = d->y[1];
    TN_TRY(tn_dae_begin(d, x, y, yp, NULL));
    TN_TRY(tn_dae_factor(d, x->t, y, yp, h, 1.0 / h));
    return d->complex_too ? tn_dae_factor_complex(d, CMPLX(1.0 / h, 1.0 / h)) : TN_OK;
}

// Solving -----------------------------------------------------------------------------------------

static planes from(planes x, int first)
{
    return (planes){{x.x[0] + first, x.x[1] ? x.x[1] + first : NULL}};
}

static void copy(int n, planes x, planes y)
{
    for (int p = 0; p < 2 && y.x[p]; p++)
        tn_copy(n, x.x[p], y.x[p]);
}

static void add_dae_solve(int n, double s, planes x, planes y) // y += s x
{
    for (int p = 0; p < 2 && y.x[p]; p++)
        tn_axpy(n, s, x.x[p], y.x[p]);
}

static void scale(int n, double complex s, planes x)
{
    if (!x.x[1]) {
        tn_scale(n, creal(s), x.x[0]);
        return;
    }
    const double a = creal(s), b = cimag(s);
    for (int i = 0; i < n; i++) {
        const double re = x.x[0][i], im = x.x[1][i];
        x.x[0][i] = a * re - b * im;
        x.x[1][i] = a * im + b * re;
    }
}

static double complex dae_solve_power(double complex c, int k) // of h = 1/c
{
    return k > 0 ? 1.0 / c : k < 0 ? c : 1.0;
}

static void dae_solve_mul(const tn_dae *d, tn_block block, double s, planes x, planes y)
{
    for (int p = 0; p < 2 && y.x[p]; p++)
        tn_tangent_mul(d->sys, &d->tangent, block, s, x.x[p], y.x[p]);
}

// y = X x with one small matrix, real or complex.
static void dae_solve_times(int m, int n, const double *const X[2], planes x, planes y)
{
    TN_ASSERT(m <= 6 && n <= 6);
    for (int i = 0; i < m; i++) {
        double re = 0.0, im = 0.0;
        for (int j = 0; j < n; j++) {
            re += X[0][6 * i + j] * x.x[0][j];
            if (x.x[1])
                im += X[0][6 * i + j] * x.x[1][j];
            if (x.x[1] && X[1]) {
                re -= X[1][6 * i + j] * x.x[1][j];
                im += X[1][6 * i + j] * x.x[0][j];
            }
        }
        y.x[0][i] = re;
        if (y.x[1])
            y.x[1][i] = im;
    }
}

static planes local(double (*x)[8], bool is_complex)
{
    return (planes){{x[0], is_complex ? x[1] : NULL}};
}

// dz becomes G dz, and nu (already divided by c) with it, for all factors.
static void apply_G(const tn_dae *d, const tn_dae_inverse *c, planes dz, planes nu)
{
    for (int k = 0; k < d->sys->ngroup && d->curved; k++) {
        const turning turn = turning_of(d, k);
        const bool border = d->nu_of[k] >= 0, is_complex = dz.x[1] != NULL;
        const double *const G[2] = {c->G[0] + TN_DAE_BLOCK * k,
                                    is_complex ? c->G[1] + TN_DAE_BLOCK * k : NULL};
        double in[2][8], out[2][8];
        const planes x = local(in, is_complex), y = local(out, is_complex);
        if (!turn.any)
            continue;
        copy(turn.nz, from(dz, turn.z), x);
        if (border)
            copy(1, from(nu, d->nu_of[k]), from(x, turn.nz));
        dae_solve_times(turn.nz + border, turn.nz + border, G, x, y);
        copy(turn.nz, y, from(dz, turn.z));
        if (border)
            copy(1, from(y, turn.nz), from(nu, d->nu_of[k]));
    }
}

// x = Y dz, or dz = A x.
static void apply_chart(const tn_dae *d, bool to_velocity, planes in, planes out)
{
    for (int k = 0; k < d->sys->ngroup; k++) {
        const tn_group *group = &d->sys->groups[k];
        const turning t = turning_of(d, k);
        const int z0 = d->chart.z0[k], linear = t.any ? t.v - group->v0 : group->nv;
        const double *const X[2] = {(to_velocity ? d->Y : d->A) +
                                    (d->curved ? TN_DAE_BLOCK * k : 0)};
        if (to_velocity)
            copy(linear, from(in, z0), from(out, group->v0));
        else
            copy(linear, from(in, group->v0), from(out, z0));
        if (!t.any)
            continue;
        if (to_velocity)
            dae_solve_times(t.nv, t.nz, X, from(in, t.z), from(out, t.v));
        else
            dae_solve_times(t.nz, t.nv, X, from(in, t.v), from(out, t.z));
    }
}

// Rows that are left out say that their multiplier is the right-hand side: b holds it as the
// matrix has it, scaled.
static void set_inactive(const tn_dae *d, int first, int count, double complex factor, planes r,
                         planes b)
{
    const int *active = d->problem->active + first;
    for (int i = 0; i < count && !d->problem->all_active; i++)
        if (!active[i]) {
            copy(1, from(r, i), from(b, i));
            scale(1, factor, from(b, i));
        }
}

// Right-hand sides of the first matrix, scaled as its rows are.
static void matrix_rows(const tn_dae *d, double complex c, planes r, planes x0, planes b)
{
    const tn_system *s = d->sys;
    const tn_dae_layout *at = &d->at;
    const tn_places row = tn_corrector_rows(d->corrector), col = tn_corrector_columns(d->corrector);
    for (int p = 0; p < 2 && b.x[p]; p++)
        tn_zero(row.n, b.x[p]);
    copy(s->nv, from(r, at->a >= 0 ? at->a : at->v), from(b, row.u));
    copy(s->ng, from(r, at->lambda), from(b, row.lambda));
    copy(s->nn, from(r, at->eta), from(b, row.eta));
    copy(s->ne, from(r, at->e), from(b, row.e));
    if (col.mu >= 0)
        copy(s->ng, from(r, at->mu), from(b, row.mu));
    if (col.tau >= 0) {
        copy(s->ng, from(r, at->tau), from(b, row.tau));
        copy(s->nn, from(r, at->tau + s->ng), from(b, row.tau_n));
    }
    for (int p = 0; p < 2 && b.x[p]; p++)
        tn_corrector_along(d->corrector, &d->tangent, x0.x[p], b.x[p]);
    if (at->a >= 0) {
        for (int p = 0; p < 2 && b.x[p]; p++)
            tn_corrector_times_mass(d->corrector, &d->tangent, r.x[p] + at->v, b.x[p] + row.u);
        dae_solve_mul(d, TN_BLOCK_B, 1.0, from(r, at->v), from(b, row.lambda));
        dae_solve_mul(d, TN_BLOCK_N, 1.0, from(r, at->v), from(b, row.eta));
    }
    scale(s->nv, 1.0 / c, from(b, row.u));
    scale(s->ng, dae_solve_power(c, tn_lambda_power(d->formulation)), from(b, row.lambda));
    scale(s->nn, dae_solve_power(c, tn_eta_power(d->formulation)), from(b, row.eta));
    if (col.mu >= 0)
        scale(s->ng, c, from(b, row.mu));
}

// Rows of multipliers that are left out, at the place of the unknown.
static void inactive_rows(const tn_dae *d, double complex c, planes r, planes b)
{
    const tn_system *s = d->sys;
    const tn_dae_layout *at = &d->at;
    const tn_places col = tn_corrector_columns(d->corrector);
    set_inactive(d, 0, s->ng, 1.0 / c, from(r, at->lambda), from(b, col.lambda));
    set_inactive(d, s->ng, s->nn, 1.0 / c, from(r, at->eta), from(b, col.eta));
    if (col.mu >= 0)
        set_inactive(d, 0, s->ng, 1.0, from(r, at->mu), from(b, col.mu));
    if (col.tau >= 0)
        set_inactive(d, 0, s->ng + s->nn, 1.0 / c, from(r, at->tau), from(b, col.tau));
}

// The first matrix, core or whole. Increments x, v and u stay in b, multipliers and e go to r:
// lambda, eta and tau without their factor h.
static tn_status solve_matrix(tn_dae *d, double complex c, planes r, planes x0, planes b)
{
    const tn_system *s = d->sys;
    const tn_dae_layout *at = &d->at;
    const tn_places col = tn_corrector_columns(d->corrector);
    matrix_rows(d, c, r, x0, b);
    inactive_rows(d, c, r, b);
    TN_TRY(tn_corrector_solve(d->corrector, b.x[0], b.x[1]));
    copy(s->ng, from(b, col.lambda), from(r, at->lambda));
    scale(s->ng, c, from(r, at->lambda));
    copy(s->nn, from(b, col.eta), from(r, at->eta));
    scale(s->nn, c, from(r, at->eta));
    copy(s->ne, from(b, col.e), from(r, at->e));
    if (col.mu >= 0)
        copy(s->ng, from(b, col.mu), from(r, at->mu));
    if (col.tau >= 0) {
        copy(s->ng + s->nn, from(b, col.tau), from(r, at->tau));
        scale(s->ng + s->nn, c, from(r, at->tau));
    }
    return TN_OK;
}

// v' of stabilized-index1: da = c v~ - r_v.
static void take_acceleration(const tn_dae *d, double complex c, planes u, planes r)
{
    TN_ASSERT(d->at.a >= 0);
    const int nv = d->sys->nv;
    const planes a = from(r, d->at.a);
    copy(nv, u, a);
    scale(nv, c, a);
    add_dae_solve(nv, -1.0, from(r, d->at.v), a);
}

// b: v~ becomes v, r: tau of stabilized-index1.
static tn_status project_velocity(tn_dae *d, double complex c, planes r, planes x0, planes b)
{
    TN_ASSERT(d->at.tau >= 0);
    const tn_system *s = d->sys;
    const tn_dae_layout *at = &d->at;
    const int nv = s->nv, rows = s->ng + s->nn;
    const planes tau = from(r, at->tau), low = from(b, nv), e = from(r, at->e);
    copy(rows, tau, low);
    dae_solve_mul(d, TN_BLOCK_Z, -1.0, x0, low);
    dae_solve_mul(d, TN_BLOCK_ZE, -1.0, e, low);
    dae_solve_mul(d, TN_BLOCK_NZ, -1.0, x0, from(low, s->ng));
    dae_solve_mul(d, TN_BLOCK_NE, -1.0, e, from(low, s->ng));
    set_inactive(d, 0, rows, 1.0 / c, tau, low);
    TN_TRY(tn_corrector_solve_velocity(d->corrector, b.x[0], b.x[1]));
    copy(rows, low, tau);
    scale(rows, c, tau);
    return TN_OK;
}

// b: v becomes v - B^T mu, r: mu.
static tn_status project_position(tn_dae *d, double complex c, planes r, planes x0, planes b)
{
    TN_ASSERT(d->at.mu >= 0);
    const int nv = d->sys->nv, ng = d->sys->ng;
    const planes mu = from(r, d->at.mu), low = from(b, nv);
    copy(ng, mu, low);
    dae_solve_mul(d, TN_BLOCK_B, -1.0, x0, low);
    scale(ng, c, low);
    set_inactive(d, 0, ng, 1.0, mu, low);
    TN_TRY(tn_corrector_solve_position(d->corrector, b.x[0], b.x[1]));
    copy(ng, low, mu);
    return TN_OK;
}

// v and, in b, the increment of v - B^T mu that moves q: projections after the core, or all at
// once.
static tn_status solve_motion(tn_dae *d, double complex c, planes r, planes x0, planes b)
{
    const tn_dae_layout *at = &d->at;
    const int nv = d->sys->nv;
    const tn_places col = tn_corrector_columns(d->corrector);
    const bool whole = col.mu >= 0 || col.tau >= 0;
    TN_TRY(solve_matrix(d, c, r, x0, b));
    if (at->a >= 0)
        take_acceleration(d, c, from(b, col.u), r);
    if (at->tau >= 0 && !whole)
        TN_TRY(project_velocity(d, c, r, x0, b));
    copy(nv, from(b, col.v), from(r, at->v));
    if (at->mu >= 0 && !whole)
        TN_TRY(project_position(d, c, r, x0, b));
    return TN_OK;
}

static tn_status solve(tn_dae *d, const tn_dae_inverse *at, planes r)
{
    const tn_dae_layout *y = &d->at;
    const int nz = y->nz;
    const bool is_complex = r.x[1] != NULL;
    const double complex c = at->c;
    const planes x0 = {{d->x0[0], is_complex ? d->x0[1] : NULL}};
    const planes dz = {{d->dz[0], is_complex ? d->dz[1] : NULL}};
    const planes dnu = {{d->dnu[0], is_complex ? d->dnu[1] : NULL}};
    const planes b = {{d->b[0], is_complex ? d->b[1] : NULL}};
    const planes z = from(r, y->z), nu = from(r, y->nu >= 0 ? y->nu : 0);
    scale(nz, 1.0 / c, z);
    apply_G(d, at, z, nu);
    apply_chart(d, true, z, x0);
    TN_TRY(solve_motion(d, c, r, x0, b));
    // z and nu hold what r_z and r_nu give; A u / c adds to both.
    apply_chart(d, false, b, dz);
    scale(nz, 1.0 / c, dz);
    for (int p = 0; p < 2 && r.x[p]; p++)
        tn_zero(d->nnu, dnu.x[p]);
    apply_G(d, at, dz, dnu);
    add_dae_solve(nz, 1.0, dz, z);
    add_dae_solve(d->nnu, 1.0, dnu, nu);
    scale(d->nnu, c, nu);
    return TN_OK;
}

tn_status tn_dae_solve(tn_dae *d, double *r)
{
    TN_TRY(need_factors(&d->at_real));
    return solve(d, &d->at_real, (planes){{r, NULL}});
}

tn_status tn_dae_solve_complex(tn_dae *d, double complex *r)
{
    TN_TRY(need_factors(&d->at_complex));
    const planes y = {{d->y[0], d->y[1]}};
    for (int i = 0; i < d->at.n; i++) {
        y.x[0][i] = creal(r[i]);
        y.x[1][i] = cimag(r[i]);
    }
    TN_TRY(solve(d, &d->at_complex, y));
    for (int i = 0; i < d->at.n; i++)
        r[i] = CMPLX(y.x[0][i], y.x[1][i]);
    return TN_OK;
}

// Round-off of the coordinate that is farthest from the origin.
static double farthest(const tn_dae *d, const double *y)
{
    return ROUNDING * (1.0 + fmax(tn_norm_inf(d->at.nz, y + d->at.z), d->sys->reach));
}

double tn_dae_rounding(const tn_dae *d, double c, const double *y)
{
    return fmax(1.0, c) * farthest(d, y);
}

tn_status tn_dae_noise(tn_dae *d, double c, const double *y, double *r)
{
    const tn_dae_layout *at = &d->at;
    const tn_formulation *f = d->formulation;
    const tn_system *s = d->sys;
    const int *active = d->problem->active;
    const double most = farthest(d, y);
    const bool directly = f->position && !f->velocity && !f->acceleration; // index3
    double *rows = at->mu >= 0 ? r + at->mu : directly ? r + at->lambda : NULL;
    tn_zero(at->n, r);
    for (int i = 0; i < at->nz; i++)
        r[at->z + i] = c * ROUNDING * fabs(y[at->z + i]) * tn_noise_sign(i);
    for (int i = 0; i < s->ng && rows; i++)
        rows[i] = active[i] ? most * tn_noise_sign(at->nz + i) : 0.0;
    return tn_dae_solve(d, r);
}
