// SPDX-License-Identifier: MIT
//
// Unknowns without rates are eliminated: see linear_motion.h. With Y = (y, z, e, eta) the equations
// are
//
//   E Y' = A Y + B u
//
// with a singular E. One step of the elimination [Lue77] splits the rows by those of E: E1 Y' = A1
// Y + B1 u and 0 = A2 Y + B2 u, and the unknowns Y = Z c + Vb b by A2 Vb = 0 and E1 Z = 0, so that
//
//   A2 Z c = -B2 u,    E1 Vb b' = A1 Vb b + (B1 u + A1 Z c)
//
// as long as there is such a c: otherwise motions depend on the rate of an input, which is refused.

#include "analysis/linear_parts.h"
#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static const double NO_RATE = 1e-8; // of inputs, relative

static void layout_descriptor(void *self, tn_carve *mem)
{
    tn_descriptor *d = self;
    TN_CARVE_DOUBLES(mem, d->nall * d->nall, &d->E, &d->A, &d->T);
    TN_CARVE_DOUBLES(mem, d->nall * d->nu, &d->B, &d->S);
    d->size = tn_carve_doubles(mem, d->nall);
}

static void put_block(double *to, int ld, int row, int col, double s, int rows, int cols,
                      const double *from)
{
    for (int j = 0; j < cols; j++)
        tn_axpy(rows, s, from + (size_t)j * (size_t)rows, tn_column_of(to, ld, col + j) + row);
}

static void form_descriptor(const tn_linear_motion *l, tn_descriptor *d)
{
    const tn_reduced_motion *m = &l->m;
    const int n = m->n, all = d->nall, e = 2 * n, h = e + m->ne;
    for (int i = 0; i < n; i++) {
        tn_column_of(d->E, all, i)[i] = 1.0;
        tn_column_of(d->A, all, n + i)[i] = 1.0;
    }
    put_block(d->E, all, n, n, 1.0, n, n, m->M);
    put_block(d->A, all, n, 0, -1.0, n, n, m->K);
    put_block(d->A, all, n, n, -1.0, n, n, m->D);
    put_block(d->A, all, n, e, -1.0, n, m->ne, m->F);
    put_block(d->A, all, n, h, -1.0, n, m->nn, m->H);
    put_block(d->B, all, n, 0, 1.0, n, m->nu, m->U);
    for (int i = 0; i < l->s->sys->nc; i++)
        tn_column_of(d->E, all, e + i)[e + i] = 1.0;
    put_block(d->E, all, e, n, -1.0, m->ne, n, m->Ma);
    put_block(d->A, all, e, 0, 1.0, m->ne, n, m->Q);
    put_block(d->A, all, e, n, 1.0, m->ne, n, m->V);
    put_block(d->A, all, e, e, 1.0, m->ne, m->ne, m->E);
    put_block(d->A, all, e, h, 1.0, m->ne, m->nn, m->X);
    put_block(d->B, all, e, 0, 1.0, m->ne, m->nu, m->R);
    put_block(d->A, all, h, 0, 1.0, m->nn, n, m->Z);
    put_block(d->A, all, h, n, 1.0, m->nn, n, m->N);
    put_block(d->A, all, h, e, 1.0, m->nn, m->ne, m->P);
    put_block(d->B, all, h, 0, -1.0, m->nn, m->nu, m->W);
    for (int i = 0; i < all; i++)
        tn_column_of(d->T, all, i)[i] = 1.0;
}

// Masses of motions without inertia that are round-off of G, which scaling would make masses of. M
// is positive semidefinite: where x^T M x is nothing, so is M x, and y^T M x is round-off by the
// size of y^T M y, which a gear may make large.
static tn_status clean_masses(tn_linear_motion *l)
{
    const tn_system *sys = l->s->sys;
    const double mass = tn_sparse_norm1(sys->block[TN_BLOCK_M]);
    const int n = l->m.n;
    double *energy = tn_alloc(sizeof(double) * (size_t)(n + 1));
    TN_TRY(tn_got(energy));
    for (int k = 0; k < n; k++) {
        tn_eq_times_mass(l->s, tn_column_of(l->G, sys->nv, k), l->s->y1);
        energy[k] = tn_dot(sys->nv, tn_column_of(l->G, sys->nv, k), l->s->y1);
    }
    for (int k = 0; k < n; k++) {
        const double size = tn_norm_inf(sys->nv, tn_column_of(l->G, sys->nv, k));
        if (fabs(energy[k]) > 1e-24 * mass * size * size)
            continue;
        tn_zero(n, tn_column_of(l->m.M, n, k));
        for (int i = 0; i < n; i++) { // of L where forces depend on reactions, and not of G
            double *row = tn_column_of(l->m.M, n, i) + k;
            *row = fabs(*row) > 1e-12 * size * sqrt(mass * fabs(energy[i])) ? *row : 0.0;
        }
    }
    tn_free(energy);
    return TN_OK;
}

// Unknowns by the roots of their masses, rows by their largest entries.
static void scale_descriptor(const tn_linear_motion *l, tn_descriptor *d)
{
    const int n = l->m.n, all = d->nall;
    for (int i = 0; i < all; i++) {
        const int k = i < n ? i : i - n;
        const double mass = i < 2 * n ? tn_column_of(l->m.M, n, k)[k] : 0.0;
        d->size[i] = mass > 0.0 ? 1.0 / sqrt(mass) : 1.0;
        tn_scale(all, d->size[i], tn_column_of(d->E, all, i));
        tn_scale(all, d->size[i], tn_column_of(d->A, all, i));
        tn_scale(all, d->size[i], tn_column_of(d->T, all, i));
    }
    for (int i = 0; i < all; i++) {
        double most = 0.0, other = 0.0;
        for (int j = 0; j < all; j++) {
            most = fmax(most, fabs(tn_column_of(d->E, all, j)[i]));
            other = fmax(other, fabs(tn_column_of(d->A, all, j)[i]));
        }
        const double s = most > 0.0 ? 1.0 / most : other > 0.0 ? 1.0 / other : 1.0;
        for (int j = 0; j < all; j++) {
            tn_column_of(d->E, all, j)[i] *= s;
            tn_column_of(d->A, all, j)[i] *= s;
        }
        for (int j = 0; j < d->nu; j++)
            tn_column_of(d->B, all, j)[i] *= s;
    }
}

// States c in units in which they do as much as is done to them: pressures in Pa beside motions
// would fill those with their round-off.
static void balance_states(const tn_linear_motion *l, tn_descriptor *d)
{
    const int all = d->nall, e = 2 * l->m.n;
    for (int sweep = 0; sweep < 3; sweep++)
        for (int i = e; i < e + l->s->sys->nc; i++) {
            double does = 0.0, done = 0.0;
            for (int j = 0; j < all; j++) {
                does = fmax(does, j == i ? 0.0 : fabs(tn_column_of(d->A, all, i)[j]));
                done = fmax(done, j == i ? 0.0 : fabs(tn_column_of(d->A, all, j)[i]));
            }
            if (!(does > 0.0) || !(done > 0.0))
                continue;
            const double s = ldexp(1.0, (int)lround(0.5 * log2(done / does)));
            d->size[i] *= s;
            tn_scale(all, s, tn_column_of(d->E, all, i));
            tn_scale(all, s, tn_column_of(d->A, all, i));
            tn_scale(all, s, tn_column_of(d->T, all, i));
            for (int j = 0; j < all; j++) {
                tn_column_of(d->E, all, j)[i] /= s;
                tn_column_of(d->A, all, j)[i] /= s;
            }
            for (int j = 0; j < d->nu; j++)
                tn_column_of(d->B, all, j)[i] /= s;
        }
}

// Room of one elimination.
typedef struct splitting {
    int n, rank;
    double *Q, *tau, *work; // n x n reflections
    int *pivot, lwork;
    double *V;     // n x rank: Vb
    double *Z, *R; // n x k, k x k: unknowns that E does not see, the factors of A2 Z
    int nseen;     // its rank
    double *X;     // n x n
    double *moved; // n
    void *block;
} splitting;

static void layout_splitting(void *self, tn_carve *mem)
{
    splitting *s = self;
    TN_CARVE_DOUBLES(mem, s->n * s->n, &s->Q, &s->Z, &s->R, &s->V, &s->X);
    TN_CARVE_DOUBLES(mem, s->n, &s->tau, &s->moved);
    s->work = tn_carve_doubles(mem, s->lwork);
    TN_CARVE_INTS(mem, s->n, &s->pivot);
}

// Rows by Q^T, so that those of E below its rank are zero.
static void compress_rows(tn_descriptor *d, splitting *s)
{
    const int n = d->n;
    tn_copy(n * n, d->E, s->Q);
    s->rank = tn_qr_rank(n, n, s->Q, TN_ROUND_SOLVE, s->pivot, s->tau, s->work, s->lwork);
    if (s->rank == n)
        return;
    for (int j = 0; j < n; j++) {
        tn_qr_apply(n, n, true, s->Q, s->tau, tn_column_of(d->E, n, j), s->work);
        tn_qr_apply(n, n, true, s->Q, s->tau, tn_column_of(d->A, n, j), s->work);
    }
    for (int j = 0; j < d->nu; j++) {
        double *b = tn_column_of(d->B, n, j);
        const double most = tn_norm_inf(n, b);
        tn_qr_apply(n, n, true, s->Q, s->tau, b, s->work);
        for (int i = s->rank; i < n; i++) // zeros that the reflections left as round-off
            b[i] = fabs(b[i]) > TN_ROUND_MATRIX * most ? b[i] : 0.0;
    }
}

void tn_linear_times(int rows, int ld, const double *X, int n, const double *V, int cols,
                     double *out)
{
    tn_zero(rows * cols, out);
    for (int j = 0; j < cols; j++)
        for (int k = 0; k < n; k++)
            tn_axpy(rows, V[(size_t)j * (size_t)n + (size_t)k], X + (size_t)k * (size_t)ld,
                    out + (size_t)j * (size_t)rows);
}

tn_status tn_linear_undetermined(void)
{
    return tn_fail(TN_ERR_NUMERIC,
                   "the linear motion is not determined: an unknown or a motion without inertia "
                   "has neither an equation nor a force; give it a mass, a spring or a damper");
}

// Vb from the rows of A that have no rates: A2 Vb = 0.
static tn_status split_unknowns(tn_descriptor *d, splitting *s)
{
    const int n = d->n, k = n - s->rank;
    for (int i = 0; i < k; i++) // each row by its size: A2^T into Q
        for (int j = 0; j < n; j++)
            tn_column_of(s->Q, n, i)[j] = tn_column_of(d->A, n, j)[s->rank + i];
    for (int i = 0; i < k; i++) {
        double *row = tn_column_of(s->Q, n, i);
        const double size = tn_norm_inf(n, row);
        if (!(size > 0.0))
            return tn_linear_undetermined();
        tn_scale(n, 1.0 / size, row);
        for (int j = 0; j < n; j++)
            tn_column_of(d->A, n, j)[s->rank + i] /= size;
        for (int j = 0; j < d->nu; j++)
            tn_column_of(d->B, n, j)[s->rank + i] /= size;
    }
    if (tn_qr_rank(n, k, s->Q, TN_ROUND_SOLVE, s->pivot, s->tau, s->work, s->lwork) < k)
        return tn_linear_undetermined();
    for (int j = 0; j < s->rank; j++) {
        double *column = tn_column_of(s->V, n, j);
        tn_zero(n, column);
        column[k + j] = 1.0;
        tn_qr_apply(n, k, false, s->Q, s->tau, column, s->work);
    }
    return TN_OK;
}

// Z (n x k) with E1 Z = 0, and the factors of A2 Z, columns scaled: what inputs move at once.
static void find_unseen(tn_descriptor *d, splitting *s)
{
    const int n = d->n, r = s->rank, k = n - r;
    for (int i = 0; i < r; i++) // E1^T
        for (int j = 0; j < n; j++)
            tn_column_of(s->Q, n, i)[j] = tn_column_of(d->E, n, j)[i];
    tn_qr_factor(n, r, s->Q, s->tau, s->work, s->lwork);
    for (int j = 0; j < k; j++) {
        double *column = tn_column_of(s->Z, n, j);
        tn_zero(n, column);
        column[r + j] = 1.0;
        tn_qr_apply(n, r, false, s->Q, s->tau, column, s->work);
    }
    tn_linear_times(k, n, d->A + r, n, s->Z, k, s->R);
    for (int j = 0; j < k; j++) {
        const double size = tn_norm2(k, tn_column_of(s->R, k, j));
        tn_scale(k, size > 0.0 ? 1.0 / size : 1.0, tn_column_of(s->R, k, j));
        tn_scale(n, size > 0.0 ? 1.0 / size : 1.0, tn_column_of(s->Z, n, j));
    }
    s->nseen = tn_qr_rank(k, k, s->R, TN_RANK_TOL, s->pivot, s->tau, s->work, s->lwork);
}

// x = Z c with A2 x + B2 = 0 for input j into out (n), or false where there is none.
static bool unknowns_of_input(tn_descriptor *d, splitting *s, int j, double *out)
{
    const int n = d->n, k = n - s->rank;
    double *b = s->X;
    for (int i = 0; i < k; i++)
        b[i] = -tn_column_of(d->B, n, j)[s->rank + i];
    const double size = tn_norm2(k, b);
    tn_zero(n, out);
    if (size == 0.0)
        return true;
    tn_qr_apply(k, k, true, s->R, s->tau, b, s->work);
    if (tn_norm2(k - s->nseen, b + s->nseen) > NO_RATE * size)
        return false;
    tn_upper_solve(s->nseen, k, false, s->R, b);
    for (int i = 0; i < s->nseen; i++)
        tn_axpy(n, b[i], tn_column_of(s->Z, n, s->pivot[i]), out);
    return true;
}

static tn_status substitute_inputs(const tn_linear_motion *l, tn_descriptor *d, splitting *s)
{
    const int n = d->n;
    if (d->nu > 0)
        find_unseen(d, s);
    for (int j = 0; j < d->nu; j++) {
        double *x = s->moved, *b = tn_column_of(d->B, n, j);
        if (!unknowns_of_input(d, s, j, x))
            return tn_fail(TN_ERR_NUMERIC,
                           "input '%s': motions depend on its rate, as it acts on what has no "
                           "inertia; give that a mass, or a damper",
                           l->input[j] < l->s->model->inputs.count
                               ? l->s->model->inputs.at[l->input[j]]->name
                               : "of a sampled system");
        for (int c = 0; c < n; c++) {
            tn_axpy(s->rank, x[c], tn_column_of(d->A, n, c), b);
            tn_axpy(d->nall, x[c], tn_column_of(d->T, d->nall, c), tn_column_of(d->S, d->nall, j));
        }
    }
    return TN_OK;
}

// X (rows x n) becomes X Vb, its first `keep` rows, packed.
static void onto_rest(const splitting *s, int rows, int keep, double *X)
{
    tn_linear_times(keep, rows, X, s->n, s->V, s->rank, s->X);
    tn_copy(keep * s->rank, s->X, X);
}

static tn_status eliminate_once(const tn_linear_motion *l, tn_descriptor *d, splitting *s)
{
    TN_TRY(split_unknowns(d, s));
    TN_TRY(substitute_inputs(l, d, s));
    const int n = d->n, r = s->rank;
    onto_rest(s, n, r, d->E);
    onto_rest(s, n, r, d->A);
    onto_rest(s, d->nall, d->nall, d->T);
    for (int j = 0; j < d->nu; j++)
        memmove(d->B + (size_t)j * (size_t)r, d->B + (size_t)j * (size_t)n,
                sizeof(double) * (size_t)r);
    d->n = r;
    return TN_OK;
}

// X holds nall x rank numbers, too.
static tn_status open_splitting(const tn_descriptor *d, splitting *s)
{
    *s = (splitting){.n = d->nall, .lwork = tn_qr_work(d->nall, d->nall) + d->nall + 1};
    TN_TRY(tn_carve_block(s, layout_splitting, &s->block));
    s->n = d->n;
    return TN_OK;
}

static tn_status eliminate_all(const tn_linear_motion *l, tn_descriptor *d)
{
    for (int step = 0; step < 6 && d->n > 0; step++) {
        splitting s;
        TN_TRY(open_splitting(d, &s));
        compress_rows(d, &s);
        const bool regular = s.rank == d->n;
        const tn_status status = regular ? TN_OK : eliminate_once(l, d, &s);
        tn_free(s.block);
        if (status != TN_OK)
            return status == TN_RETRY_SINGULAR ? tn_linear_undetermined() : status;
        if (regular)
            return TN_OK;
    }
    return d->n == 0 ? TN_OK : tn_linear_undetermined();
}

// A and B become E^-1 A and E^-1 B.
static tn_status solve_rates(tn_descriptor *d)
{
    int *pivot = tn_alloc(sizeof(int) * (size_t)(d->n + 1));
    TN_TRY(tn_got(pivot));
    const tn_status status = tn_lu_factor(d->n, d->E, pivot);
    for (int j = 0; status == TN_OK && j < d->n; j++)
        tn_lu_solve(d->n, d->E, pivot, tn_column_of(d->A, d->n, j));
    for (int j = 0; status == TN_OK && j < d->nu; j++)
        tn_lu_solve(d->n, d->E, pivot, tn_column_of(d->B, d->n, j));
    tn_free(pivot);
    return status == TN_RETRY_SINGULAR ? tn_linear_undetermined() : status;
}

tn_status tn_linear_eliminate(tn_linear_motion *l, tn_descriptor *d)
{
    *d = (tn_descriptor){.nu = l->nu, .nall = 2 * l->n1 + l->m.ne + l->m.nn};
    d->n = d->nall;
    TN_TRY(tn_carve_block(d, layout_descriptor, &d->block));
    TN_TRY(clean_masses(l));
    form_descriptor(l, d);
    scale_descriptor(l, d);
    balance_states(l, d);
    TN_TRY(eliminate_all(l, d));
    return solve_rates(d);
}
