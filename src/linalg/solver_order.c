// SPDX-License-Identifier: MIT
//
// See solver_order.h.

#include "linalg/solver_order.h"

#include <math.h>
#include <string.h>

static const double WEAK = 1e-6; // diagonal entries up to this part of their column count as none

// Entries of a hub: so many at least, and so many times the mean.
enum { HUB_LEAST = 40, HUB_MEAN = 10 };

static const double REGULAR = 1e-3; // in the scales of tn_order_judge

static bool is_strong(char kind)
{
    return kind == TN_UNKNOWN_STRONG || kind == TN_UNKNOWN_HUB;
}

static double order_size(int parts, const double *value)
{
    return parts == 1 ? fabs(*value) : hypot(value[0], value[1]);
}

static void judge_strong(int parts, const tn_sparse *S, char *kind, double *d)
{
    for (int j = 0; j < S->ncol; j++) {
        double diagonal = 0.0, largest = 0.0;
        for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++) {
            const double size = order_size(parts, S->val + parts * k);
            largest = fmax(largest, size);
            if (S->rowind[k] == j)
                diagonal = size;
        }
        const bool strong = diagonal > WEAK * largest;
        kind[j] = strong ? TN_UNKNOWN_STRONG : TN_UNKNOWN_WEAK;
        d[j] = strong ? 1.0 / sqrt(diagonal) : 0.0;
    }
}

void tn_order_judge(int parts, const tn_sparse *S, char *kind, double *d)
{
    TN_ASSERT(S->nrow == S->ncol);
    judge_strong(parts, S, kind, d);
    for (int j = 0; j < S->ncol; j++)
        for (int k = S->colptr[j]; k < S->colptr[j + 1] && kind[j] == TN_UNKNOWN_STRONG; k++)
            if (kind[S->rowind[k]] == TN_UNKNOWN_WEAK)
                d[S->rowind[k]] =
                    fmax(d[S->rowind[k]], order_size(parts, S->val + parts * k) * d[j]);
    for (int j = 0; j < S->ncol; j++)
        if (kind[j] == TN_UNKNOWN_WEAK)
            d[j] = d[j] > 0.0 ? 1.0 / d[j] : 1.0;
}

static const double *entry_at(int parts, const tn_sparse *S, int i, int j)
{
    for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++)
        if (S->rowind[k] == i)
            return S->val + parts * k;
    return NULL;
}

// Sign of the largest product of an entry of column j with its mirror image.
static double coupling_sign(int parts, const tn_sparse *S, const char *kind, const double *d, int j)
{
    double largest = 0.0, sign = 1.0;
    for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++) {
        const int i = S->rowind[k];
        const double size = order_size(parts, S->val + parts * k) * d[i];
        const double *mirror = size > largest ? entry_at(parts, S, j, i) : NULL;
        if (!is_strong(kind[i]) || !mirror || *mirror == 0.0)
            continue;
        largest = size;
        sign = S->val[parts * k] * *mirror < 0.0 ? -1.0 : 1.0;
    }
    return sign;
}

void tn_order_regularise(int parts, const tn_sparse *S, const char *kind, const double *d,
                         double *val)
{
    memcpy(val, S->val, sizeof(double) * (size_t)(parts * S->nnz));
    for (int j = 0; j < S->ncol; j++)
        for (int k = S->colptr[j]; k < S->colptr[j + 1] && !is_strong(kind[j]); k++)
            if (S->rowind[k] == j)
                val[parts * k] = -coupling_sign(parts, S, kind, d, j) * REGULAR / (d[j] * d[j]);
}

int tn_order_hubs(const tn_sparse *S, char *kind)
{
    int count = 0;
    for (int j = 0; j < S->ncol; j++) {
        const double degree = S->colptr[j + 1] - S->colptr[j];
        if (kind[j] == TN_UNKNOWN_STRONG && degree > HUB_LEAST &&
            degree * S->ncol > (double)HUB_MEAN * S->nnz) {
            kind[j] = TN_UNKNOWN_HUB;
            count++;
        }
    }
    return count;
}

// Number of strong unknowns that share an entry with j and are eliminated before a place.
static int gone_before(const tn_sparse *S, const char *kind, const int *place, int j, int before)
{
    int count = 0;
    for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++)
        count += kind[S->rowind[k]] == TN_UNKNOWN_STRONG && place[S->rowind[k]] < before;
    return count;
}

// The place at which enough strong unknowns are gone that share an entry with j.
static int release(const tn_sparse *S, const char *kind, const int *place, int j)
{
    enum { MANY = 64 }; // of which halves are not counted
    const int degree = S->colptr[j + 1] - S->colptr[j];
    const bool moves = kind[j] == TN_UNKNOWN_LATE || kind[j] == TN_UNKNOWN_LAST;
    const int all = moves ? gone_before(S, kind, place, j, S->ncol) : 0;
    const int enough = kind[j] == TN_UNKNOWN_LAST || degree > MANY ? all : (all + 1) / 2;
    int last = place[j];
    for (int k = S->colptr[j]; k < S->colptr[j + 1] && moves; k++) {
        const int i = S->rowind[k];
        if (kind[i] == TN_UNKNOWN_STRONG && place[i] > last &&
            (enough == all || gone_before(S, kind, place, j, place[i]) < enough))
            last = place[i];
    }
    return last;
}

enum { BEFORE_HUBS, HUBS, AFTER_HUBS, GROUPS };

// Unknowns that bind hubs alone come after them.
static int group_of(const tn_sparse *S, const char *kind, int j)
{
    bool hubs = false;
    if (kind[j] == TN_UNKNOWN_HUB || kind[j] == TN_UNKNOWN_STRONG)
        return kind[j] == TN_UNKNOWN_HUB ? HUBS : BEFORE_HUBS;
    for (int k = S->colptr[j]; k < S->colptr[j + 1]; k++) {
        if (kind[S->rowind[k]] == TN_UNKNOWN_STRONG)
            return BEFORE_HUBS;
        hubs = hubs || kind[S->rowind[k]] == TN_UNKNOWN_HUB;
    }
    return hubs ? AFTER_HUBS : BEFORE_HUBS;
}

void tn_order_delay(const tn_sparse *S, const char *kind, int *order, int *room)
{
    TN_ASSERT(S->nrow == S->ncol);
    enum { STAYS = -2, END = -1 };
    const int n = S->ncol;
    int *place = room, *first = room + n, *next = room + 2 * n, count = 0;
    for (int k = 0; k < n; k++) {
        place[order[k]] = k;
        first[k] = END;
    }
    for (int k = n - 1; k >= 0; k--) { // backwards, so that lists are in the old order
        const int j = order[k], last = release(S, kind, place, j);
        next[j] = last == k ? STAYS : first[last];
        if (last > k)
            first[last] = j;
    }
    for (int k = 0; k < n; k++) {
        if (next[order[k]] == STAYS)
            place[count++] = order[k];
        for (int j = first[k]; j != END; j = next[j])
            place[count++] = j;
    }
    TN_ASSERT(count == n);
    count = 0;
    for (int g = 0; g < GROUPS; g++)
        for (int k = 0; k < n; k++)
            if (group_of(S, kind, place[k]) == g)
                order[count++] = place[k];
}
