// SPDX-License-Identifier: MIT
//
// Fewer rows for display. A plot of a long run keeps, of every bucket of neighbouring rows, the
// smallest and the largest value at the times where they occur, so that no peak is lost at any
// width of the screen; the first and the last row always stay, and so does one row of a bucket
// that has no number (NaN), as a gap. An animation keeps rows that are equally spaced in time.
// Rows come one after another: memory does not grow with their number.

#pragma once

#include "base/status.h"

typedef struct tn_thin_point {
    long row; // -1 for none
    double time, value;
} tn_thin_point;

typedef struct tn_thin_bucket {
    tn_thin_point low, high, gap; // gap: the first NaN
} tn_thin_bucket;

// One plotted channel.
typedef struct tn_thin {
    long rows, per_bucket; // how many there will be, rows of a bucket
    int nbucket;
    tn_thin_bucket *bucket;
    tn_thin_point first, last;
} tn_thin;

// `rows` is the number of rows that will come; up to twice as many as buckets are kept as they are.
tn_status tn_thin_open(tn_thin *thin, long rows, int most_buckets);
void tn_thin_close(tn_thin *thin);
void tn_thin_put(tn_thin *thin, long row, double time, double value); // in the order of rows
// Joins every `factor` buckets into one, as if there had been fewer from the beginning.
void tn_thin_merge(tn_thin *thin, int factor);
// The points in order of rows: at most three per bucket and the two ends. Stretches of equal values
// keep their ends only where this saves more than half. `out` has room for tn_thin_room points.
int tn_thin_room(const tn_thin *thin);
int tn_thin_points(const tn_thin *thin, tn_thin_point *out);

// Rows of an animation: at most `most`, and two at least, equally spaced in time, with the first
// and the last. Returns how many; `out` has room for them.
int tn_thin_rows(long rows, const double *time, int most, long *out);
