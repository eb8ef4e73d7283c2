// SPDX-License-Identifier: MIT
//
// See arpack.h. ARPACK asks for products by returning, with a number `ido` that says which one.

#include "linalg/arpack.h"

#include "base/alloc.h"
#include "base/library.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "linalg/dense.h"

#include <arpack.h>
#include <math.h>
#include <pthread.h>

static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

// A value counts when its residual is below this, by its size. Round-off of the factors leaves
// about 1e-15; symmetric values are twice as many digits better than their vectors.
static const double TOLERANCE = TN_ROUND_MATRIX;
enum { MOST_RESTARTS = 300, ASKS_APPLY_START = -1, ASKS_APPLY = 1, ASKS_MASS = 2, DONE = 99 };

typedef struct arpack_room {
    int n, count, space; // space: vectors between restarts
    double *V;           // n x space
    double *residual;    // n: first the vector to start with
    double *work;        // 3 n: arguments and results of products
    double *small;       // nsmall
    int nsmall;
    int *select; // space
    int param[11], at[14];
    int info;
    void *block;
} arpack_room;

// More vectors cost memory and products between them, fewer cost restarts.
static int space_of(int rank, int count)
{
    return tn_smaller(rank, tn_larger(2 * count + 1, count + 20));
}

static int rank_of(int n, const tn_arpack_ops *ops)
{
    return ops->rank > 0 ? tn_smaller(n, ops->rank) : n;
}

static tn_status open_room(arpack_room *r, int n, int count, int space, int extra)
{
    const size_t size = (size_t)n * (size_t)(space + 4) + (size_t)space * (size_t)(3 * space + 8);
    TN_TRY(tn_library_need(&tn_arpack_library));
    *r = (arpack_room){.n = n, .count = count, .space = space};
    r->block = tn_alloc(sizeof(double) * (size + (size_t)extra) + sizeof(int) * (size_t)space);
    if (!r->block)
        return tn_fail(TN_ERR_MEMORY, "%d eigenvalues of a %d x %d matrix: out of memory", count, n,
                       n);
    r->V = r->block;
    r->residual = r->V + (size_t)n * (size_t)space;
    r->work = r->residual + n;
    r->small = r->work + 3 * (size_t)n;
    r->nsmall = space * (3 * space + 8);
    r->select = (int *)(r->V + size + extra);
    r->param[0] = 1; // shifts of restarts are ARPACK's own
    r->param[2] = MOST_RESTARTS;
    r->param[3] = 1;
    r->info = 1; // starts with the vector in residual
    tn_random_fill(1, n, r->residual);
    return TN_OK;
}

static tn_status fail_count(int n, int count, int most)
{
    return tn_fail(TN_ERR_NUMERIC,
                   "eigenvalues of a %d x %d matrix by ARPACK: %d were asked for, but it finds 1 "
                   "to %d of them; the dense method finds all",
                   n, n, count, tn_larger(most, 0));
}

static tn_status judge_arpack(const arpack_room *r, int found)
{
    if (r->info == 0 && found >= r->count)
        return TN_OK;
    if (r->info == 0 || r->info == 1 || r->info == 3)
        return tn_fail(TN_ERR_NUMERIC,
                       "eigenvalues of a %d x %d matrix by ARPACK: the iteration found %d of %d in "
                       "%d restarts; ask for fewer or more, move the shift nearer to them, or use "
                       "the dense method",
                       r->n, r->n, found, r->count, r->param[2]);
    if (r->info == -9 || r->info == -9999)
        return tn_fail(TN_ERR_NUMERIC,
                       "eigenvalues of a %d x %d matrix by ARPACK: fewer than the %d asked for are "
                       "different from zero, or a product is not finite; ask for fewer, or use the "
                       "dense method",
                       r->n, r->n, r->count);
    return tn_fail(TN_ERR_NUMERIC, "eigenvalues of a %d x %d matrix by ARPACK: it ended with %d",
                   r->n, r->n, r->info);
}

// Serves a request of ARPACK; done where there is none.
static tn_status serve(arpack_room *r, int ido, const tn_arpack_ops *ops, bool symmetric)
{
    const double *x = r->work + r->at[0] - 1;
    double *y = r->work + r->at[1] - 1;
    tn_status s = TN_OK;
    switch (ido) {
    case ASKS_APPLY_START: // M x is not known yet; y is room for it
        if (symmetric) {
            s = ops->mass(ops->user, x, r->small + r->nsmall);
            x = r->small + r->nsmall;
        }
        TN_THEN(s, ops->apply(ops->user, x, y));
        break;
    case ASKS_APPLY:
        TN_THEN(s, ops->apply(ops->user, symmetric ? r->work + r->at[2] - 1 : x, y));
        break;
    case ASKS_MASS:
        TN_THEN(s, ops->mass(ops->user, x, y));
        break;
    default:
        return tn_fail(TN_ERR_NUMERIC, "ARPACK asks for %d, which is not known", ido);
    }
    if (s == TN_OK && !tn_all_finite(r->n, y))
        return tn_fail(TN_ERR_NUMERIC,
                       "eigenvalues of a %d x %d matrix: a product with a vector is not finite",
                       r->n, r->n);
    return s;
}

static tn_status iterate_symmetric(arpack_room *r, const tn_arpack_ops *ops)
{
    r->param[6] = 3; // shift and invert
    for (int ido = 0;;) {
        dsaupd_c(&ido, "G", r->n, "LM", r->count, TOLERANCE, r->residual, r->space, r->V, r->n,
                 r->param, r->at, r->work, r->small, r->nsmall, &r->info);
        if (ido == DONE)
            return r->info == 0 || r->info == 1 ? TN_OK : judge_arpack(r, 0);
        TN_TRY(serve(r, ido, ops, true));
    }
}

static tn_status iterate_general(arpack_room *r, const tn_arpack_ops *ops)
{
    r->param[6] = 1; // the matrix as it is
    for (int ido = 0;;) {
        dnaupd_c(&ido, "I", r->n, "LM", r->count, TOLERANCE, r->residual, r->space, r->V, r->n,
                 r->param, r->at, r->work, r->small, r->nsmall, &r->info);
        if (ido == DONE)
            return r->info == 0 || r->info == 1 ? TN_OK : judge_arpack(r, 0);
        TN_TRY(serve(r, ido, ops, false));
    }
}

// Values in the order of their sizes, largest first: order[i] is where the i-th of them stands.
// Values of the same size, as a pair, stay in their order.
static void order_by_size(int n, const double *re, const double *im, int *order)
{
    for (int i = 0; i < n; i++) {
        const double size = hypot(re[i], im ? im[i] : 0.0);
        int at = i;
        for (; at > 0; at--) {
            const int before = order[at - 1];
            if (hypot(re[before], im ? im[before] : 0.0) >= size)
                break;
            order[at] = before;
        }
        order[at] = i;
    }
}

static void hand_out(int n, const int *order, const double *from, double *to)
{
    for (int i = 0; i < n; i++)
        to[i] = from[order[i]];
}

// dseupd gives mu - s for a shift that is set to 0.
static tn_status read_symmetric(arpack_room *r, double *theta, double *V, int *found)
{
    double *mu = r->small + r->nsmall;
    const int restarted = r->info;
    int *order = r->select;
    dseupd_c(1, "A", r->select, mu, r->V, r->n, 0.0, "G", r->n, "LM", r->count, TOLERANCE,
             r->residual, r->space, r->V, r->n, r->param, r->at, r->work, r->small, r->nsmall,
             &r->info);
    *found = r->info == 0 ? tn_smaller(r->param[4], r->count) : 0;
    for (int i = 0; i < *found; i++)
        mu[i] = 1.0 / mu[i];
    order_by_size(*found, mu, NULL, order);
    hand_out(*found, order, mu, theta);
    for (int i = 0; i < *found; i++)
        tn_copy(r->n, tn_column_of(r->V, r->n, order[i]), tn_column_of(V, r->n, i));
    if (restarted == 1 && *found < r->count)
        r->info = restarted;
    return judge_arpack(r, *found);
}

static tn_status read_general(arpack_room *r, double *re, double *im, double *V, int *found)
{
    double *values = r->small + r->nsmall, *work = values + 2 * (r->count + 1);
    const int restarted = r->info;
    int *order = r->select;
    dneupd_c(1, "A", r->select, values, values + r->count + 1, r->V, r->n, 0.0, 0.0, work, "I",
             r->n, "LM", r->count, TOLERANCE, r->residual, r->space, r->V, r->n, r->param, r->at,
             r->work, r->small, r->nsmall, &r->info);
    // A pair is not parted: then there is one more than the count.
    *found = r->info == 0 ? tn_smaller(r->param[4], r->count + 1) : 0;
    order_by_size(*found, values, values + r->count + 1, order);
    hand_out(*found, order, values, re);
    hand_out(*found, order, values + r->count + 1, im);
    for (int i = 0; i < *found; i++)
        tn_copy(r->n, tn_column_of(r->V, r->n, order[i]), tn_column_of(V, r->n, i));
    if (restarted == 1 && *found < r->count)
        r->info = restarted;
    return judge_arpack(r, *found);
}

tn_status tn_arpack_symmetric(int n, int count, const tn_arpack_ops *ops, double *theta, double *V,
                              int *found)
{
    arpack_room r;
    *found = 0;
    const int rank = rank_of(n, ops);
    if (count < 1 || count >= rank)
        return fail_count(n, count, rank - 1);
    TN_TRY(open_room(&r, n, count, space_of(rank, count), n));
    pthread_mutex_lock(&arpack_lock);
    tn_status s = iterate_symmetric(&r, ops);
    TN_THEN(s, read_symmetric(&r, theta, V, found));
    pthread_mutex_unlock(&arpack_lock);
    tn_free(r.block);
    return s;
}

tn_status tn_arpack_general(int n, int count, const tn_arpack_ops *ops, double *re, double *im,
                            double *V, int *found)
{
    arpack_room r;
    *found = 0;
    const int rank = rank_of(n, ops), space = space_of(rank, count);
    if (count < 1 || count >= rank - 1)
        return fail_count(n, count, rank - 2);
    TN_TRY(open_room(&r, n, count, space, 2 * (count + 1) + 3 * space));
    pthread_mutex_lock(&arpack_lock);
    tn_status s = iterate_general(&r, ops);
    TN_THEN(s, read_general(&r, re, im, V, found));
    pthread_mutex_unlock(&arpack_lock);
    tn_free(r.block);
    return s;
}
