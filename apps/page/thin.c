// SPDX-License-Identifier: MIT
//
// Thinning for display. Buckets hold equal numbers of rows, not equal times: where a run took
// small steps, something happened, and the plot keeps its detail there.

#include "page/thin.h"

#include "base/alloc.h"

#include <math.h>

static const tn_thin_point none = {-1, 0.0, 0.0};

tn_status tn_thin_open(tn_thin *thin, long rows, int most_buckets)
{
    const long most = most_buckets > 0 ? most_buckets : 1;
    *thin = (tn_thin){.rows = rows, .first = none, .last = none};
    thin->per_bucket = rows > most ? (rows + most - 1) / most : 1;
    thin->nbucket = (int)((rows + thin->per_bucket - 1) / thin->per_bucket);
    thin->bucket = tn_alloc((size_t)(thin->nbucket + 1) * sizeof(*thin->bucket));
    if (!thin->bucket)
        return tn_fail(TN_ERR_MEMORY, "out of memory: a plot of %d buckets", thin->nbucket);
    for (int i = 0; i < thin->nbucket; i++)
        thin->bucket[i] = (tn_thin_bucket){none, none, none};
    return TN_OK;
}

void tn_thin_close(tn_thin *thin)
{
    tn_free(thin->bucket);
    thin->bucket = NULL;
}

void tn_thin_put(tn_thin *thin, long row, double time, double value)
{
    const tn_thin_point point = {row, time, value};
    tn_thin_bucket *b = &thin->bucket[row / thin->per_bucket];
    TN_ASSERT(row >= 0 && row < thin->rows);
    if (row == 0)
        thin->first = point;
    if (row == thin->rows - 1)
        thin->last = point;
    if (isnan(value)) {
        if (b->gap.row < 0)
            b->gap = point;
        return;
    }
    // Among equal values the first is the smallest and the last the largest: with two rows in a
    // bucket both stay.
    if (b->low.row < 0 || value < b->low.value)
        b->low = point;
    if (b->high.row < 0 || value >= b->high.value)
        b->high = point;
}

static void join_thin(tn_thin_bucket *a, const tn_thin_bucket *b)
{
    if (b->low.row >= 0 && (a->low.row < 0 || b->low.value < a->low.value))
        a->low = b->low;
    if (b->high.row >= 0 && (a->high.row < 0 || b->high.value >= a->high.value))
        a->high = b->high;
    if (a->gap.row < 0)
        a->gap = b->gap;
}

void tn_thin_merge(tn_thin *thin, int factor)
{
    const int n = (thin->nbucket + factor - 1) / factor;
    for (int i = 0; i < n; i++) {
        thin->bucket[i] = thin->bucket[i * factor];
        for (int k = i * factor + 1; k < (i + 1) * factor && k < thin->nbucket; k++)
            join_thin(&thin->bucket[i], &thin->bucket[k]);
    }
    thin->nbucket = n;
    thin->per_bucket *= factor;
}

int tn_thin_room(const tn_thin *thin)
{
    return 3 * thin->nbucket + 2;
}

// Puts a point into its place among the last ones; a row that is there already stays once.
static int insert(tn_thin_point *out, int n, tn_thin_point point)
{
    int i = n;
    if (point.row < 0)
        return n;
    while (i > 0 && out[i - 1].row > point.row)
        i--;
    if (i > 0 && out[i - 1].row == point.row)
        return n;
    for (int k = n; k > i; k--)
        out[k] = out[k - 1];
    out[i] = point;
    return n + 1;
}

static bool is_flat(const tn_thin_point *p)
{
    return p[-1].value == p[0].value && p[0].value == p[1].value;
}

int tn_thin_points(const tn_thin *thin, tn_thin_point *out)
{
    int n = insert(out, 0, thin->first), flat = 0, kept = 1;
    for (int i = 0; i < thin->nbucket; i++) {
        n = insert(out, n, thin->bucket[i].low);
        n = insert(out, n, thin->bucket[i].high);
        n = insert(out, n, thin->bucket[i].gap);
    }
    n = insert(out, n, thin->last);
    for (int i = 1; i + 1 < n; i++)
        flat += is_flat(&out[i]);
    if (n == 0 || n - flat > n / 2)
        return n;
    for (int i = 1; i < n; i++) // out[i - 1] may be gone: compare with the last one kept
        if (i + 1 == n ||
            !(out[kept - 1].value == out[i].value && out[i].value == out[i + 1].value))
            out[kept++] = out[i];
    return kept;
}

// Frame k is the first row whose part of the whole is k / (most - 1). Without a time that can be
// trusted the part is that of the rows.
int tn_thin_rows(long rows, const double *time, int most, long *out)
{
    const double ROUNDOFF = 1e-9; // of a spacing; it must not move a frame by one row
    const double span = rows > 0 ? time[rows - 1] - time[0] : 0.0;
    long shown = 0;
    int n = 0;
    most = most < 2 ? 2 : most;
    for (long row = 0; row < rows; row++) {
        const bool timed = isfinite(span) && span > 0.0 && isfinite(time[row]);
        const bool end = row == 0 || row == rows - 1;
        const double part =
            timed ? (time[row] - time[0]) / span : (double)row / fmax(1.0, (double)(rows - 1));
        const long due = (long)floor(part * (most - 1) + ROUNDOFF);
        if (rows > most && !end && (n >= most - 1 || due <= shown))
            continue;
        out[n++] = row;
        shown = end ? shown : due;
    }
    return n;
}
