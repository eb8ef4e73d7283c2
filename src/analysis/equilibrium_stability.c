// SPDX-License-Identifier: MIT
//
// Stability of an equilibrium, from its linearised motions x = Gamma y, C Gamma = 0, C = (B; N):
//
//   Mr y'' + Dr y' + Kr y = 0,    Kr = Gamma^T K' Gamma
//
// K' holds the derivative of B^T lambda: the geometric stiffness of the constraints. At rest under
// forces with a potential Kr is symmetric, and the signs of its eigenvalues decide: a negative one
// is unstable, and all positive ones are stable (theorem of Lagrange and Dirichlet). Otherwise
// (follower forces, steady rotation) the exponents s of exp(s t) decide:
//
//   ( 0  I  ) ( y  )     ( I  0  ) ( y  )
//   ( -Kr -Dr) ( y' ) = s ( 0  Mr ) ( y' )        Dr = Gamma^T (D + M G) Gamma,
//
// G being the Coriolis part of accelerations seen from the rotating frame. Where Mr = L L^T is
// regular and there are no states, y = L^-T z makes it an ordinary eigenvalue problem, and without
// Dr one of half the size, K z = -s^2 z with K = L^-1 Kr L^-T: the QR method takes a fraction of
// the time of the QZ method of a pencil, which counts where each point of a path is checked.

#include "analysis/equilibrium.h"

#include "analysis/motion_name.h"
#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "motion/basis.h"
#include "system/absolute.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SYMMETRIC = 1e-7; // part of Kr that is not symmetric, relative
static const double GROWTH = 1e-6;    // of an exponent, by its modulus: undamped swinging
static const double SPLIT = 1e-5;     // of a double zero, by the root of Kr / Mr
static const double PAIRED = 1e-13;   // imaginary part of s^2 that splits two equal ones, by the
                                      // largest
enum { MOST_FREEDOMS = 600, MOST_VELOCITIES = 1500 };

const char *tn_stability_word(tn_stability stability)
{
    static const char *const words[] = {"open", "stable", "neutral", "unstable"};
    return (int)stability >= 0 && (int)stability < TN_COUNT(words) ? words[stability] : "open";
}

typedef struct judgement {
    tn_equilibrium *s;
    int n;             // freedoms
    double *G;         // nv x n, orthonormal
    double *K, *M, *D; // n x n
    double *work;      // nv
    double *direction; // nv
} judgement;

// (re + i im) / scale, as of tn_eigen_pair.
typedef struct exponents {
    double *re, *im, *scale;
} exponents;

// Columns that are nearly in the span of those before were independent in the basis: twice is
// enough.
void tn_eq_orthonormalise(int nv, int n, double *G)
{
    for (int j = 0; j < n; j++) {
        double *column = tn_column_of(G, nv, j);
        for (int twice = 0; twice < 2; twice++)
            for (int i = 0; i < j; i++) {
                const double *other = tn_column_of(G, nv, i);
                tn_axpy(nv, -tn_dot(nv, other, column), other, column);
            }
        tn_scale(nv, 1.0 / tn_norm2(nv, column), column);
    }
}

void tn_eq_reduce(tn_equilibrium *s, int n, double *G, tn_eq_times *times, double *out)
{
    const int nv = s->sys->nv;
    for (int c = 0; c < n; c++) {
        times(s, tn_column_of(G, nv, c), s->y1);
        tn_inner(nv, n, G, 1, s->y1, tn_column_of(out, n, c));
    }
}

void tn_eq_name(tn_equilibrium *s, const double *x, char *text, size_t size)
{
    const tn_point at = tn_eq_point(s, &s->now);
    tn_motion_name(s->model, s->sys, &at, x, text, size);
    if (text[0] && text[strlen(text) - 1] == ',')
        text[strlen(text) - 1] = '\0';
}

double tn_eq_asymmetry(int n, double *A)
{
    const double most = tn_norm_inf(n * n, A);
    double off = 0.0;
    for (int c = 0; c < n; c++)
        for (int i = 0; i < c; i++)
            off = fmax(off, fabs(tn_column_of(A, n, c)[i] - tn_column_of(A, n, i)[c]));
    return most > 0.0 ? off / most : 0.0;
}

void tn_eq_keep_part(int n, double sign, double *A)
{
    for (int c = 0; c < n; c++)
        for (int i = 0; i <= c; i++) {
            double *a = &tn_column_of(A, n, c)[i], *b = &tn_column_of(A, n, i)[c];
            *a = 0.5 * (*a + sign * *b);
            *b = sign * *a;
        }
}

// The motion G y, named and kept; where the extra states c (or NULL) grow alone, the largest.
static void name_direction(judgement *j, const double *y, const double *c)
{
    tn_equilibrium *s = j->s;
    tn_equilibrium_facts *f = &s->facts;
    const int nv = s->sys->nv, ne = c ? s->sys->ne : 0;
    const bool moves = tn_norm_inf(j->n, y) > TN_ROUND_ITERATE * tn_norm_inf(ne, c);
    tn_zero(nv, j->direction);
    tn_add_columns(nv, moves ? j->n : 0, 1.0, j->G, y, j->direction);
    if (moves || ne == 0)
        tn_eq_name(s, j->direction, f->direction, sizeof f->direction);
    else
        tn_system_extra_name(s->sys, tn_largest_at(ne, c), f->direction, sizeof f->direction);
}

static void conclude_judgement(tn_equilibrium *s)
{
    snprintf(s->softest, sizeof s->softest, "%s", s->facts.direction);
    if (s->facts.unstable + s->facts.neutral == 0)
        s->facts.direction[0] = '\0';
    s->facts.stability = s->facts.unstable > 0  ? TN_UNSTABLE
                         : s->facts.neutral > 0 ? TN_NEUTRAL
                                                : TN_STABLE;
}

// Growth of the motion y with the stiffness k < 0: k / (y^T Mr y).
static double growth_of(const judgement *j, const double *y, double k)
{
    double m = 0.0;
    for (int c = 0; c < j->n; c++)
        m += y[c] * tn_dot(j->n, j->M + (size_t)c * (size_t)j->n, y);
    return m > 0.0 ? sqrt(-k / m) : INFINITY;
}

static tn_status judge_symmetric(judgement *j)
{
    tn_equilibrium_facts *f = &j->s->facts;
    const int n = j->n;
    double *w = tn_alloc(sizeof(double) * (size_t)(n + 1));
    TN_TRY(tn_got(w));
    tn_eq_keep_part(n, 1.0, j->K);
    const tn_status status = tn_eigen_symmetric(n, j->K, w);
    if (status == TN_OK && n > 0) {
        const double none = TN_ROUND_MATRIX * fmax(fabs(w[0]), fabs(w[n - 1]));
        int flat = 0;
        for (int i = 0; i < n; i++) {
            f->unstable += w[i] < -none;
            f->neutral += fabs(w[i]) <= none;
            flat = fabs(w[i]) < fabs(w[flat]) ? i : flat;
        }
        name_direction(j, f->unstable > 0 ? j->K : j->K + (size_t)flat * (size_t)n, NULL);
        if (f->unstable > 0)
            f->growth = growth_of(j, j->K, w[0]);
    }
    tn_free(w);
    return status;
}

// Divides the rows of S^T by their sizes and its columns, these into `col`, by theirs. Those of
// motions, the first n, have one size together: a row of a neutral motion is round-off alone.
static void scale_rows(int n, int all, double *St, double *col)
{
    double row = 0.0, most = 0.0;
    for (int i = 0; i < n; i++)
        row = fmax(row, tn_norm_inf(all, tn_column_of(St, all, i)));
    for (int i = 0; i < all; i++) {
        const double own = tn_norm_inf(all, tn_column_of(St, all, i)), size = i < n ? row : own;
        tn_scale(all, size > 0.0 ? 1.0 / size : 1.0, tn_column_of(St, all, i));
    }
    for (int c = 0; c < all; c++) {
        col[c] = 0.0;
        for (int i = 0; i < all; i++)
            col[c] = fmax(col[c], fabs(tn_column_of(St, all, i)[c]));
        most = c < n ? fmax(most, col[c]) : most;
    }
    for (int c = 0; c < all; c++) {
        const double size = c < n ? most : col[c];
        col[c] = size > 0.0 ? 1.0 / size : 1.0;
        for (int i = 0; i < all; i++)
            tn_column_of(St, all, i)[c] *= col[c];
    }
}

// Motions that nothing drives on or back: the null space of
//
//   ( Kr  G^T FE )
//   ( EQ G    EE )
//
// by its singular values, scaled by the sizes of rows and columns. Their number, and one of them
// (n + ne) in `out`. The pencil has an exponent of zero for each, or two where nothing damps it
// either, which round-off splits by its root; this separates them from slow motions.
static tn_status find_neutral(judgement *j, int size, const double *A, double *out, int *count)
{
    const int n = j->n, all = size - n;
    const size_t square = (size_t)all * (size_t)all;
    double *S = tn_alloc(sizeof(double) * (2 * square + 2 * (size_t)all + 1));
    TN_TRY(tn_got(S));
    double *U = S + square, *w = U + square, *col = w + all;
    for (int c = 0; c < all; c++) // the transpose, as left vectors are found
        for (int i = 0; i < all; i++)
            tn_column_of(S, all, i)[c] = tn_column_of((double *)A, size, c < n ? c : n + c)[n + i];
    scale_rows(n, all, S, col);
    const tn_status status = tn_left_singular(all, all, S, w, U);
    *count = 0;
    for (int i = 0; status == TN_OK && i < all; i++)
        *count += w[i] <= TN_ROUND_MATRIX * fmax(w[0], 1.0);
    for (int c = 0; status == TN_OK && c < all; c++)
        out[c] = col[c] * tn_column_of(U, all, all - 1)[c];
    tn_free(S);
    return status;
}

static double modulus_of(const exponents *x, int i)
{
    const double size = hypot(x->re[i], x->im[i]);
    return fabs(x->scale[i]) > TN_ROUND_SOLVE * size ? size / fabs(x->scale[i]) : INFINITY;
}

// Marks the exponents of neutral motions as infinite: the smallest, two for each motion at most,
// which are not above what a double zero splits by.
static void drop_zeros(const judgement *j, int size, int neutral, const exponents *x)
{
    const double K = tn_norm_inf(j->n * j->n, j->K), M = tn_norm_inf(j->n * j->n, j->M);
    const double split = M > 0.0 ? SPLIT * sqrt(K / M) : 0.0;
    for (int k = 0; k < 2 * neutral; k++) {
        int least = 0;
        for (int i = 1; i < size; i++)
            least = modulus_of(x, i) < modulus_of(x, least) ? i : least;
        if (k < neutral || modulus_of(x, least) <= split)
            x->scale[least] = 0.0;
    }
}

// Finds the worst exponent; vectors in V (size x size).
static int worst_exponent(judgement *j, int size, const exponents *x)
{
    tn_equilibrium_facts *f = &j->s->facts;
    double largest = 0.0, fastest = 0.0;
    int worst = -1;
    for (int i = 0; i < size; i++)
        if (isfinite(modulus_of(x, i)))
            largest = fmax(largest, modulus_of(x, i));
    for (int i = 0; i < size; i++) {
        const double modulus = modulus_of(x, i);
        if (!isfinite(modulus))
            continue;
        const double real = x->re[i] / x->scale[i];
        const bool grows = real > GROWTH * modulus + TN_ROUND_SUM * largest;
        f->unstable += grows && x->im[i] >= 0.0;
        if (grows && real > fastest) {
            fastest = real;
            worst = i;
            f->flutter = x->im[i] != 0.0;
        }
    }
    f->growth = fastest / j->s->sys->units.time;
    return worst;
}

// Entries of the pencil that belong to states c and unknowns w: with e = (c, w)
//
//   M y'' + D y' + K y + G^T FE e = 0,   c' and 0 = EQ G y + EV G y' + EE e
static void put_states(judgement *j, int size, double *A, double *E)
{
    const tn_system *sys = j->s->sys;
    const int n = j->n, nv = sys->nv;
    double *column = j->work;
    for (int c = 0; c < sys->ne; c++) {
        double *to = tn_column_of(A, size, 2 * n + c);
        const tn_sparse *FE = sys->block[TN_BLOCK_FE], *EE = sys->block[TN_BLOCK_EE];
        tn_zero(nv, column);
        for (int k = FE ? FE->colptr[c] : 0; FE && k < FE->colptr[c + 1]; k++)
            column[FE->rowind[k]] = FE->val[k];
        for (int i = 0; i < n; i++)
            to[n + i] = -tn_dot(nv, tn_column_of(j->G, nv, i), column);
        for (int k = EE ? EE->colptr[c] : 0; EE && k < EE->colptr[c + 1]; k++)
            to[2 * n + EE->rowind[k]] = EE->val[k];
        if (c < sys->nc)
            tn_column_of(E, size, 2 * n + c)[2 * n + c] = 1.0;
    }
    for (int c = 0; c < n; c++) {
        const double *motion = tn_column_of(j->G, nv, c);
        tn_sparse_mul(sys->block[TN_BLOCK_EQ], 1.0, motion, tn_column_of(A, size, c) + 2 * n);
        tn_sparse_mul(sys->block[TN_BLOCK_EV], 1.0, motion, tn_column_of(A, size, n + c) + 2 * n);
    }
}

static void form_pencil(judgement *j, int size, double *A, double *E)
{
    const int n = j->n;
    for (int c = 0; c < n; c++) {
        tn_column_of(A, size, n + c)[c] = 1.0;
        tn_column_of(E, size, c)[c] = 1.0;
        for (int i = 0; i < n; i++) {
            const size_t from = (size_t)c * (size_t)n + (size_t)i;
            tn_column_of(A, size, c)[n + i] = -j->K[from];
            tn_column_of(A, size, n + c)[n + i] = -j->D[from];
            tn_column_of(E, size, n + c)[n + i] = j->M[from];
        }
    }
    put_states(j, size, A, E);
}

// s = +-sqrt(mu) of the values mu of -K without damping; vectors of K in Z, those of all in V.
static tn_status swing_exponents(judgement *j, double *K, double *Z, const exponents *x, double *V)
{
    const int n = j->n, size = 2 * n;
    double *re = x->scale, *im = x->scale + n, largest = 0.0; // not needed yet
    TN_TRY(tn_eigen_general(n, K, re, im, Z));
    for (int i = 0; i < n; i++)
        largest = fmax(largest, hypot(re[i], im[i]));
    for (int i = 0; i < n; i++) {
        const double b = fabs(im[i]) > PAIRED * largest ? -im[i] : 0.0, a = -re[i];
        const double modulus = hypot(a, b);
        const double root = sqrt(0.5 * (modulus + fabs(a))),
                     other = root > 0.0 ? 0.5 * b / root : 0;
        x->re[2 * i] = a >= 0.0 ? root : fabs(other);
        x->im[2 * i] = a >= 0.0 ? other : copysign(root, b);
        x->re[2 * i + 1] = -x->re[2 * i];
        x->im[2 * i + 1] = -x->im[2 * i];
        tn_copy(n, tn_column_of(Z, n, i), tn_column_of(V, size, 2 * i));
        tn_copy(n, tn_column_of(Z, n, i), tn_column_of(V, size, 2 * i + 1));
    }
    return TN_OK;
}

// The exponents by the ordinary problem, with the factor L of Mr; A and E are room for it.
static tn_status ordinary_exponents(judgement *j, const double *L, double *A, double *E,
                                    const exponents *x, double *V)
{
    const int n = j->n, size = 2 * n;
    const bool damped = tn_norm_inf(n * n, j->D) > 0.0;
    double *K = E, *D = E + (size_t)n * (size_t)n;
    tn_copy(n * n, j->K, K);
    tn_copy(n * n, j->D, D);
    tn_eigen_reduce(n, L, K);
    tn_status status;
    if (damped) {
        tn_eigen_reduce(n, L, D);
        tn_zero(size * size, A);
        for (int c = 0; c < n; c++) {
            tn_column_of(A, size, n + c)[c] = 1.0;
            tn_axpy(n, -1.0, tn_column_of(K, n, c), tn_column_of(A, size, c) + n);
            tn_axpy(n, -1.0, tn_column_of(D, n, c), tn_column_of(A, size, n + c) + n);
        }
        status = tn_eigen_general(size, A, x->re, x->im, V);
    } else {
        status = swing_exponents(j, K, A, x, V);
    }
    for (int i = 0; i < size; i++) {
        x->scale[i] = 1.0;
        tn_lower_solve_t(n, L, tn_column_of(V, size, i));
    }
    return status;
}

static tn_status find_exponents(judgement *j, int size, double *A, double *E, const exponents *x,
                                double *V)
{
    const int n = j->n;
    double *L = tn_alloc(sizeof(double) * ((size_t)n * (size_t)n + 1));
    TN_TRY(tn_got(L));
    tn_copy(n * n, j->M, L);
    const bool regular = j->s->sys->ne == 0 && tn_cholesky(n, L, TN_RCOND_DOUBT) == TN_OK;
    const tn_status status = regular ? ordinary_exponents(j, L, A, E, x, V)
                                     : tn_eigen_pair(size, A, E, x->re, x->im, x->scale, V);
    tn_free(L);
    return status;
}

static tn_status judge_exponents(judgement *j)
{
    const int size = 2 * j->n + j->s->sys->ne;
    const size_t square = (size_t)size * (size_t)size;
    double *A = tn_alloc(sizeof(double) * (3 * square + 4 * (size_t)size + 1));
    TN_TRY(tn_got(A));
    double *E = A + square, *V = E + square, *flat = V + square;
    const exponents x = {flat + size, flat + 2 * size, flat + 3 * size};
    form_pencil(j, size, A, E);
    tn_status status = find_neutral(j, size, A, flat, &j->s->facts.neutral);
    TN_THEN(status, find_exponents(j, size, A, E, &x, V));
    if (status == TN_OK && j->n > 0) {
        drop_zeros(j, size, j->s->facts.neutral, &x);
        const int worst = worst_exponent(j, size, &x);
        const double *y = worst >= 0 ? tn_column_of(V, size, worst) : flat;
        name_direction(j, y, y + 2 * j->n);
    }
    tn_free(A);
    return status;
}

// Finds if dampers only take energy: no eigenvalue of the symmetric part of Dr is below zero.
static tn_status dampers_take(judgement *j, bool *out)
{
    const int n = j->n;
    double *w = tn_alloc(sizeof(double) * ((size_t)n * (size_t)(n + 1) + 1));
    *out = true;
    TN_TRY(tn_got(w));
    double *S = w + n;
    tn_eq_reduce(j->s, n, j->G, tn_eq_times_damping, S);
    tn_eq_keep_part(n, 1.0, S);
    const tn_status status = tn_eigen_symmetric(n, S, w);
    if (status == TN_OK && n > 0)
        *out = w[0] >= -TN_ROUND_ITERATE * fmax(fabs(w[0]), w[n - 1]);
    tn_free(w);
    return status;
}

// Weight and load, or the forces of a spin, may cancel in the stiffness of a motion.
static void drop_round_off(judgement *j)
{
    const tn_system *sys = j->s->sys;
    const double spin = tn_v3_norm(j->s->spin);
    const double size = tn_sparse_norm1(sys->block[TN_BLOCK_K]) +
                        tn_sparse_norm1(sys->block[TN_BLOCK_M]) * spin * spin;
    for (int i = 0; i < j->n * j->n; i++)
        if (fabs(j->K[i]) <= TN_ROUND_MATRIX * size)
            j->K[i] = 0.0;
}

static tn_status judge_reduced(judgement *j)
{
    tn_equilibrium *s = j->s;
    const bool turns = tn_v3_norm(s->spin) > 0.0;
    tn_eq_reduce(s, j->n, j->G, tn_eq_times_stiffness, j->K);
    drop_round_off(j);
    tn_eq_reduce(s, j->n, j->G, tn_eq_times_mass, j->M);
    bool takes = true;
    TN_TRY(dampers_take(j, &takes));
    if (takes && !turns && s->sys->ne == 0 && tn_eq_asymmetry(j->n, j->K) <= SYMMETRIC) {
        TN_TRY(judge_symmetric(j));
    } else {
        tn_eq_reduce(s, j->n, j->G, tn_eq_times_damping, j->D);
        TN_TRY(judge_exponents(j));
    }
    conclude_judgement(s);
    return TN_OK;
}

tn_status tn_eq_motions(tn_equilibrium *s, double **G, int *n)
{
    *G = NULL;
    if (!s->basis)
        TN_TRY(tn_basis_create(s->sys, "qr", &s->basis));
    const tn_point at = tn_eq_point(s, &s->now);
    TN_TRY(tn_basis_form(s->basis, &at));
    *n = s->basis->nf;
    *G = tn_alloc(sizeof(double) * ((size_t)s->sys->nv * (size_t)*n + 1));
    TN_TRY(tn_got(*G));
    tn_copy(s->sys->nv * *n, s->basis->vectors, *G);
    tn_eq_orthonormalise(s->sys->nv, *n, *G);
    return TN_OK;
}

static void clear_judgement(tn_equilibrium *s)
{
    tn_equilibrium_facts *f = &s->facts;
    f->stability = TN_STABILITY_OPEN;
    f->unstable = f->neutral = 0;
    f->flutter = f->at_least = false;
    f->growth = 0.0;
    f->direction[0] = '\0';
}

tn_status tn_eq_judge(tn_equilibrium *s, double *direction)
{
    judgement j = {.s = s};
    const int nv = s->sys->nv;
    clear_judgement(s);
    s->facts.freedoms = nv - s->start.redundancy.rank;
    s->softest[0] = '\0';
    if (s->sys->force_uses_lambda || s->sys->ns > 0)
        return TN_OK;
    if (nv > MOST_VELOCITIES || s->facts.freedoms > MOST_FREEDOMS)
        return s->sys->ne == 0 ? tn_eq_judge_large(s, direction) : TN_OK;
    TN_TRY(tn_eq_linearise(s, &s->now));
    tn_status status = tn_eq_motions(s, &j.G, &j.n);
    s->facts.freedoms = j.n;
    const size_t n = (size_t)j.n, square = n * n;
    double *block = tn_alloc(sizeof(double) * (3 * square + 2 * (size_t)nv + 1));
    TN_THEN(status, tn_got(block));
    if (status == TN_OK) {
        j.K = block;
        j.M = j.K + square;
        j.D = j.M + square;
        j.work = j.D + square;
        j.direction = j.work + nv;
        status = judge_reduced(&j);
    }
    if (status == TN_OK && direction)
        tn_copy(nv, j.direction, direction);
    TN_FREE(j.G, block);
    return status;
}
