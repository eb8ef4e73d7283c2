// SPDX-License-Identifier: MIT
//
// Thinning: extremes, ends and gaps survive; few rows stay as they are; frames are spaced in time.

#include "base/alloc.h"
#include "page/thin.h"
#include "test.h"

#include <math.h>

enum { ROWS = 100000, BUCKETS = 200 };

static tn_thin_point points[3 * 4000 + 2];

static double wave(long row)
{
    return sin(1e-3 * (double)row) + (row == 77777 ? 5.0 : 0.0) - (row == 33333 ? 7.0 : 0.0);
}

static int thinned(long rows, int buckets, int merges, double (*value)(long))
{
    tn_thin thin;
    CHECK_OK(tn_thin_open(&thin, rows, buckets));
    for (long i = 0; i < rows; i++)
        tn_thin_put(&thin, i, 1e-4 * (double)i, value(i));
    for (int i = 0; i < merges; i++)
        tn_thin_merge(&thin, 2);
    CHECK(tn_thin_room(&thin) <= TN_COUNT(points));
    const int n = tn_thin_points(&thin, points);
    tn_thin_close(&thin);
    for (int i = 0; i < n; i++) {
        CHECK(i == 0 || points[i].row > points[i - 1].row);
        const double v = value(points[i].row);
        CHECK(points[i].value == v || (isnan(v) && isnan(points[i].value)));
        CHECK(points[i].time == 1e-4 * (double)points[i].row);
    }
    return n;
}

static bool holds(int n, long row)
{
    for (int i = 0; i < n; i++)
        if (points[i].row == row)
            return true;
    return false;
}

static void extremes_survive(void)
{
    for (int merges = 0; merges < 8; merges++) {
        const int n = thinned(ROWS, BUCKETS, merges, wave);
        CHECK(n <= 2 * ((BUCKETS >> merges) + 1) + 2);
        CHECK(holds(n, 0) && holds(n, ROWS - 1));
        CHECK(holds(n, 77777) && holds(n, 33333)); // peaks one row wide
    }
}

// The smallest and largest value of any bucket are among the points.
static void every_bucket_keeps_its_range(void)
{
    const int n = thinned(ROWS, BUCKETS, 0, wave);
    const long per = ROWS / BUCKETS;
    for (int b = 0; b < BUCKETS; b++) {
        double low = INFINITY, high = -INFINITY, got_low = INFINITY, got_high = -INFINITY;
        for (long i = b * per; i < (b + 1) * per; i++) {
            low = fmin(low, wave(i));
            high = fmax(high, wave(i));
        }
        for (int i = 0; i < n; i++)
            if (points[i].row / per == b) {
                got_low = fmin(got_low, points[i].value);
                got_high = fmax(got_high, points[i].value);
            }
        CHECK(got_low == low && got_high == high);
    }
}

static void merging_is_thinning(void)
{
    static tn_thin_point merged[3 * BUCKETS];
    const int n = thinned(ROWS, BUCKETS, 1, wave);
    for (int i = 0; i < n; i++)
        merged[i] = points[i];
    CHECK(thinned(ROWS, BUCKETS / 2, 0, wave) == n);
    for (int i = 0; i < n; i++)
        CHECK(merged[i].row == points[i].row);
}

static double steps(long row)
{
    return (double)(row / 3 % 5);
}

static void few_rows_stay(void)
{
    for (long rows = 0; rows <= 2 * BUCKETS; rows++)
        CHECK(thinned(rows, BUCKETS, 0, wave) == rows);
    CHECK(thinned(2 * BUCKETS, BUCKETS, 0, steps) == 2 * BUCKETS); // with equal neighbours too
}

static double constant(long row)
{
    (void)row;
    return 0.25;
}

static double jump(long row)
{
    return row < 500 ? 1.0 : 2.0;
}

static void flat_stretches_keep_their_ends(void)
{
    CHECK(thinned(1000, 4000, 0, constant) == 2);
    CHECK(points[0].row == 0 && points[1].row == 999);
    CHECK(thinned(1000, 4000, 0, jump) == 4);
    CHECK(points[1].row == 499 && points[2].row == 500);
}

static double holes(long row)
{
    return row == 12345 || (row >= 50000 && row < 60000) ? NAN : wave(row);
}

static double nothing(long row)
{
    (void)row;
    return NAN;
}

static void gaps_survive(void)
{
    const int n = thinned(ROWS, BUCKETS, 0, holes);
    CHECK(holds(n, 12345));
    for (long row = 50000; row < 60000; row += ROWS / BUCKETS)
        CHECK(holds(n, row)); // the first of each bucket
    CHECK(holds(n, 77777));
    CHECK(thinned(ROWS, BUCKETS, 0, nothing) == BUCKETS + 1);
}

static double infinite(long row)
{
    return row == 5000 ? INFINITY : row == 6000 ? -INFINITY : 0.0;
}

static void infinity_is_an_extreme(void)
{
    const int n = thinned(ROWS, BUCKETS, 0, infinite);
    CHECK(holds(n, 5000) && holds(n, 6000));
}

// Frames -----------------------------------------------------------------------------------------

typedef struct {
    int count;
    long row[ROWS];
} shown;

static const shown *frames(long rows, int most, double (*time)(long))
{
    static double times[ROWS];
    static shown f;
    for (long i = 0; i < rows; i++)
        times[i] = time(i);
    f.count = tn_thin_rows(rows, times, most, f.row);
    CHECK(f.count <= most && f.count <= rows);
    for (int i = 1; i < f.count; i++)
        CHECK(f.row[i] > f.row[i - 1]);
    if (rows > 0)
        CHECK(f.row[0] == 0 && f.row[f.count - 1] == rows - 1);
    return &f;
}

static double even(long row)
{
    return 2.0 + 1e-3 * (double)row;
}

static double uneven(long row) // small steps in the first half of the rows
{
    return row < 50000 ? 1e-6 * (double)row : 0.05 + 1e-3 * (double)(row - 50000);
}

static double broken(long row)
{
    return row % 2 ? NAN : 0.0;
}

static void frames_are_spaced_in_time(void)
{
    const shown *f = frames(ROWS, 301, even);
    CHECK(f->count == 301);
    for (int i = 0; i < f->count; i++) // within a row of the place in time
        CHECK_NEAR(even(f->row[i]), 2.0 + i * (even(ROWS - 1) - 2.0) / 300.0, 1.001e-3);
    f = frames(ROWS, 301, uneven);
    CHECK(f->count > 290);
    for (int i = 1; i < f->count; i++)
        CHECK(uneven(f->row[i]) - uneven(f->row[i - 1]) < 2.0 * uneven(ROWS - 1) / 300.0);
}

static void frames_of_few_rows(void)
{
    for (long rows = 0; rows < 12; rows++) {
        const shown *f = frames(rows, 10, even);
        CHECK(f->count == (rows < 10 ? rows : 10));
    }
}

static void frames_without_time(void)
{
    const shown *f = frames(ROWS, 100, broken);
    CHECK(f->count > 90);
    CHECK(f->row[50] > 40000 && f->row[50] < 60000); // spaced by rows instead
}

static const tn_test tests[] = {
    {"extremes and ends survive any thinning", extremes_survive},
    {"every bucket keeps its range", every_bucket_keeps_its_range},
    {"merging buckets is thinning to fewer", merging_is_thinning},
    {"up to twice as many rows as buckets stay", few_rows_stay},
    {"flat stretches keep their ends", flat_stretches_keep_their_ends},
    {"gaps survive", gaps_survive},
    {"infinity is an extreme", infinity_is_an_extreme},
    {"frames are spaced in time", frames_are_spaced_in_time},
    {"frames of few rows are all rows", frames_of_few_rows},
    {"frames of a time that is not a number are spaced by rows", frames_without_time},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
