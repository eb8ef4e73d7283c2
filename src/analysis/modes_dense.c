// SPDX-License-Identifier: MIT
//
// Modes by dense matrices, on the motions x = G y that the constraints allow, G^T G = 1:
//
//   (s^2 Mr + s Dr + Kr) y = 0,    Kr = G^T K' G
//
// Without damping and with a symmetric Kr, mu = -s^2 comes from a symmetric matrix,
//
//   L^T (Kr + c Mr)^-1 L z = theta z,  Mr = L L^T,  theta = 1 / (mu + c),  y = (…)^-1 L z / theta
//
// which takes Mr as it is: motions without inertia follow the others statically, by themselves.
// Otherwise s comes from the inverse of the linear pencil of (y, y') at a shift c,
//
//   ( -P^-1 (Dr + c Mr)         -P^-1 Mr   )
//   ( 1 - c P^-1 (Dr + c Mr)   -c P^-1 Mr  )     P = Kr + c Dr + c^2 Mr,   theta = 1 / (s - c)

#include "analysis/modes.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"

#include <math.h>

static const double SHIFT = 1e-7;    // by the largest mu
static const double RESOLVED = 1e-6; // theta by the largest one: digits are left for it
static const double SEEN = 1e-3;     // |s| by the shift that it was found with: more than round-off
static const double BESIDE = 0.618;  // of a value: a motion that grows may be real and at the shift
static const double LEAP = 1e4;      // from one shift to the next
static const double INERTIA = 1e-15; // eigenvalue of Mr by the largest one: round-off
static const double SINGULAR = 1e-15; // reciprocal condition number
enum { MOST_PASSES = 12, MOST_TRIALS = 4 };

typedef struct reduced {
    tn_modes *m;
    int n;
    double *G;         // nv x n
    double *K, *D, *M; // n x n
    double *A;         // n x n: factors
    double *L;         // n x nl: Mr = L L^T
    int nl;
    double *W; // n x n: A^-1 L
    double *T; // n x n
    double *theta, *mu;
    double *scale; // n: A is factored with rows and columns divided by these
    double *x;     // nv
    int *pivot;
    void *block;
} reduced;

// Matrices ----------------------------------------------------------------------------------------

static tn_status open_reduced(reduced *r)
{
    const size_t n = (size_t)r->n, square = n * n, nv = (size_t)r->m->state->sys->nv;
    r->block = tn_alloc(sizeof(double) * (7 * square + 3 * n + nv) + sizeof(int) * (n + 1));
    TN_TRY(tn_got(r->block));
    double *at = r->block;
    double **const parts[] = {&r->K, &r->D, &r->M, &r->A, &r->L, &r->W, &r->T};
    for (int k = 0; k < TN_COUNT(parts); k++, at += square)
        *parts[k] = at;
    r->theta = at;
    r->mu = r->theta + n;
    r->scale = r->mu + n;
    r->x = r->scale + n;
    r->pivot = (int *)(r->x + nv);
    tn_eq_reduce(r->m->state, r->n, r->G, tn_eq_times_stiffness, r->K);
    tn_eq_reduce(r->m->state, r->n, r->G, tn_eq_times_mass, r->M);
    tn_eq_reduce(r->m->state, r->n, r->G, tn_eq_times_damping, r->D);
    tn_eq_keep_part(r->n, 1.0, r->M);
    return TN_OK;
}

// x = G y
static const double *motion_of(reduced *r, const double *y)
{
    const int nv = r->m->state->sys->nv;
    tn_zero(nv, r->x);
    tn_add_columns(nv, r->n, 1.0, r->G, y, r->x);
    return r->x;
}

// Factors -----------------------------------------------------------------------------------------

// Heavy and light motions beside each other are no singular matrix.
static void scale_matrix(reduced *r)
{
    const int n = r->n;
    for (int i = 0; i < n; i++) {
        double most = 0.0;
        for (int c = 0; c < n; c++)
            most = fmax(most,
                        fmax(fabs(tn_column_of(r->A, n, c)[i]), fabs(tn_column_of(r->A, n, i)[c])));
        r->scale[i] = most > 0.0 ? sqrt(most) : 1.0;
    }
    for (int c = 0; c < n; c++)
        for (int i = 0; i < n; i++)
            tn_column_of(r->A, n, c)[i] /= r->scale[i] * r->scale[c];
}

static double norm_of(int n, double *A)
{
    double norm = 0.0;
    for (int c = 0; c < n; c++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += fabs(tn_column_of(A, n, c)[i]);
        norm = fmax(norm, sum);
    }
    return norm;
}

static tn_status factor_once(reduced *r, double d, double c)
{
    const int n = r->n;
    tn_copy(n * n, r->K, r->A);
    tn_axpy(n * n, c, r->M, r->A);
    if (d != 0.0)
        tn_axpy(n * n, d, r->D, r->A);
    scale_matrix(r);
    const double norm = norm_of(n, r->A);
    TN_TRY(tn_lu_factor(n, r->A, r->pivot));
    double *work = tn_alloc(sizeof(double) * 4 * (size_t)n + sizeof(int) * (size_t)n);
    TN_TRY(tn_got(work));
    const double rcond = tn_lu_rcond(n, r->A, norm, work, (int *)(work + 4 * n));
    tn_free(work);
    return rcond > SINGULAR ? TN_OK : TN_RETRY_SINGULAR;
}

static void solve_scaled(const reduced *r, double *b)
{
    for (int i = 0; i < r->n; i++)
        b[i] /= r->scale[i];
    tn_lu_solve(r->n, r->A, r->pivot, b);
    for (int i = 0; i < r->n; i++)
        b[i] /= r->scale[i];
}

// The motion that the matrix in K + c M does not see, named.
static tn_status fail_singular(reduced *r, double c)
{
    const int n = r->n;
    tn_copy(n * n, r->K, r->A);
    tn_axpy(n * n, c, r->M, r->A);
    const tn_status status = tn_left_singular(n, n, r->A, r->theta, r->W);
    TN_TRY(status);
    return tn_modes_fail_motion(r->m, motion_of(r, tn_column_of(r->W, n, n - 1)));
}

// Factors of K + c^2 M (or, damped, K + c D + c^2 M). A value at the shift is met by chance only:
// another shift is free of it.
static tn_status factor_at(reduced *r, bool damped, double *c)
{
    for (int k = 0; k < MOST_TRIALS; k++, *c *= 1.37) {
        const tn_status status = factor_once(r, damped ? *c : 0.0, *c * *c);
        if (status != TN_RETRY_SINGULAR)
            return status;
    }
    return fail_singular(r, *c * *c);
}

// Without damping ---------------------------------------------------------------------------------

static tn_status factor_mass(reduced *r)
{
    const int n = r->n;
    tn_copy(n * n, r->M, r->T);
    TN_TRY(tn_eigen_symmetric(n, r->T, r->theta));
    r->nl = 0;
    for (int i = 0; i < n; i++)
        if (r->theta[i] > INERTIA * r->theta[n - 1]) {
            double *column = tn_column_of(r->L, n, r->nl++);
            tn_copy(n, tn_column_of(r->T, n, i), column);
            tn_scale(n, sqrt(r->theta[i]), column);
        }
    return TN_OK;
}

// theta in increasing order of mu, vectors y in W.
static tn_status solve_symmetric(reduced *r, double c)
{
    const int n = r->n, nl = r->nl;
    double *T = r->T;
    tn_copy(n * nl, r->L, r->W);
    for (int k = 0; k < nl; k++)
        solve_scaled(r, tn_column_of(r->W, n, k));
    tn_inner(n, nl, r->L, nl, r->W, T);
    tn_eq_keep_part(nl, 1.0, T);
    TN_TRY(tn_eigen_symmetric(nl, T, r->theta));
    // A factor of A is not needed any more: y = W z / theta takes its place.
    for (int k = 0; k < nl; k++) {
        double *y = tn_column_of(r->A, n, k);
        tn_zero(n, y);
        for (int i = 0; i < nl; i++)
            tn_axpy(n, tn_column_of(T, nl, k)[i] / r->theta[k], tn_column_of(r->W, n, i), y);
        r->mu[k] = 1.0 / r->theta[k] - c;
    }
    return TN_OK;
}

// The place of the i-th smallest mu. theta increases: first mu < -c downwards from -c, then all
// others from the largest down.
static int place_of(const reduced *r, int i)
{
    int below = 0;
    while (below < r->nl && r->theta[below] < 0.0)
        below++;
    return i < below ? below - 1 - i : r->nl - 1 - (i - below);
}

// Modes i that this shift has digits for and the ones before had not.
static tn_status take_resolved(reduced *r, bool *taken, int *left)
{
    const double most = tn_norm_inf(r->nl, r->theta);
    for (int i = 0; i < r->nl; i++) {
        const int k = place_of(r, i);
        if (taken[i] || !(fabs(r->theta[k]) >= RESOLVED * most))
            continue;
        taken[i] = true;
        (*left)--;
        TN_TRY(tn_modes_add_square(r->m, r->mu[k], motion_of(r, tn_column_of(r->A, r->n, k))));
    }
    return TN_OK;
}

// The slowest value of those that were added and are not rigid takes the place of the guess c, and
// all are dropped.
static void take_slowest(tn_modes *m, double *c)
{
    double least = INFINITY;
    for (int i = 0; i < m->n; i++) {
        const double size = hypot(m->mode[i].re, m->mode[i].im);
        if (size > SEEN * *c && size < least && tn_modes_is_held(m, i))
            least = size;
    }
    *c = isfinite(least) ? BESIDE * least : *c;
    m->n = 0;
}

static tn_status guess_symmetric(reduced *r, double *c)
{
    *c = sqrt(SHIFT * tn_modes_largest_square(r->m));
    TN_TRY(factor_at(r, false, c));
    TN_TRY(solve_symmetric(r, *c * *c));
    for (int k = 0; k < r->nl; k++)
        TN_TRY(tn_modes_add_square(r->m, r->mu[k], motion_of(r, tn_column_of(r->A, r->n, k))));
    take_slowest(r->m, c);
    return TN_OK;
}

// Shifts from small to large: each one finds modes of about its own size with all digits.
static tn_status find_symmetric(reduced *r)
{
    double c;
    TN_TRY(factor_mass(r));
    TN_TRY(guess_symmetric(r, &c));
    r->m->shift = c;
    r->m->facts.hidden = 0;
    bool *taken = tn_alloc((size_t)r->nl + 1);
    TN_TRY(tn_got(taken));
    int left = tn_smaller(r->m->wanted, r->nl);
    tn_status status = TN_OK;
    for (int k = 0; status == TN_OK && left > 0 && k < MOST_PASSES; k++, c *= sqrt(LEAP)) {
        status = factor_at(r, false, &c);
        TN_THEN(status, solve_symmetric(r, c * c));
        TN_THEN(status, take_resolved(r, taken, &left));
    }
    tn_free(taken);
    return status;
}

// With damping ------------------------------------------------------------------------------------

// Columns of the inverse pencil: what it makes of the unit vectors (e_k, 0) and (0, e_k).
static void form_inverse_pencil(reduced *r, double c, double *A)
{
    const int n = r->n;
    for (int k = 0; k < 2 * n; k++) {
        double *y = tn_column_of(A, 2 * n, k), *rate = y + n;
        if (k < n) {
            tn_copy(n, tn_column_of(r->D, n, k), y);
            tn_axpy(n, c, tn_column_of(r->M, n, k), y);
        } else {
            tn_copy(n, tn_column_of(r->M, n, k - n), y);
        }
        solve_scaled(r, y);
        tn_scale(n, -1.0, y);
        tn_zero(n, rate);
        if (k < n)
            rate[k] = 1.0;
        tn_axpy(n, c, y, rate);
    }
}

static tn_status take_values(reduced *r, double c, const double *re, const double *im, double *V)
{
    const int n = r->n, nv = r->m->state->sys->nv;
    double most = 0.0, *imaginary = tn_alloc(sizeof(double) * (size_t)(nv + 1));
    tn_status status = tn_got(imaginary);
    for (int i = 0; i < 2 * n; i++)
        most = fmax(most, hypot(re[i], im[i]));
    for (int i = 0; status == TN_OK && i < 2 * n; i++) {
        const double size = hypot(re[i], im[i]);
        if (!(size > TN_ROUND_MATRIX * most) || im[i] > 0.0) // theta and s lie on opposite sides
            continue;
        // The pair's first column is that of im > 0; its conjugate belongs to this one.
        const bool pair = im[i] < 0.0;
        const double *y = tn_column_of(V, 2 * n, pair ? i - 1 : i);
        tn_copy(nv, motion_of(r, pair ? tn_column_of(V, 2 * n, i) : y), imaginary);
        tn_scale(nv, pair ? -1.0 : 0.0, imaginary);
        status = tn_modes_add(r->m, re[i] / (size * size) + c, -im[i] / (size * size),
                              motion_of(r, y), imaginary);
    }
    tn_free(imaginary);
    return status;
}

static tn_status find_damped(reduced *r)
{
    const size_t size = 2 * (size_t)r->n, square = size * size;
    double c = sqrt(SHIFT * tn_modes_largest_square(r->m));
    double *A = tn_alloc(sizeof(double) * (2 * square + 2 * size + 1));
    TN_TRY(tn_got(A));
    double *V = A + square, *re = V + square, *im = re + size;
    tn_status status = TN_OK;
    for (int twice = 0; twice < 2 && status == TN_OK; twice++) {
        if (twice > 0)
            take_slowest(r->m, &c);
        status = factor_at(r, true, &c);
        if (status == TN_OK) {
            form_inverse_pencil(r, c, A);
            status = tn_eigen_general((int)size, A, re, im, V);
        }
        TN_THEN(status, take_values(r, c, re, im, V));
    }
    r->m->shift = c;
    tn_free(A);
    return status;
}

// In a steady rotation what is left without damping is the gyroscopic part of D and the symmetric
// part of K.
static tn_status find_reduced(reduced *r)
{
    tn_modes *m = r->m;
    TN_TRY(open_reduced(r));
    if (m->options.undamped) {
        if (!tn_eq_moves(m->state) && tn_eq_asymmetry(r->n, r->K) > TN_SYMMETRIC)
            return tn_fail(TN_ERR_USAGE,
                           "undamped: forces that follow the motion make the stiffness "
                           "unsymmetric, so that damping is not all that takes or gives energy; "
                           "leave it out");
        tn_eq_keep_part(r->n, 1.0, r->K);
        tn_eq_keep_part(r->n, -1.0, r->D);
    }
    const double gyroscopic = m->facts.damped ? tn_norm_inf(r->n * r->n, r->D) : 0.0;
    m->facts.damped = gyroscopic > 0.0 || tn_eq_asymmetry(r->n, r->K) > TN_SYMMETRIC;
    if (m->facts.damped)
        return find_damped(r);
    tn_eq_keep_part(r->n, 1.0, r->K);
    return find_symmetric(r);
}

tn_status tn_modes_dense(tn_modes *m)
{
    reduced r = {.m = m};
    tn_status status = tn_eq_motions(m->state, &r.G, &r.n);
    TN_THEN(status, find_reduced(&r));
    TN_FREE(r.G, r.block);
    return status;
}
