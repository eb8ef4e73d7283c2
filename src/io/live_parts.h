// SPDX-License-Identifier: MIT
//
// The inside of the live store, for live.c and live_json.c.

#pragma once

#include "base/array.h"
#include "io/live.h"
#include "io/record.h"

#include <pthread.h>

enum { TN_LIVE_BLOCKS = 48 }; // 2^48 rows are beyond any run

typedef struct tn_live_part {
    int at, count; // of the numbers of a dataset in a stored row
} tn_live_part;

typedef struct tn_live_channel {
    char *name;
    const char *group; // "bodies", "run" for the run itself
    const char *unit;
    int at; // in a stored row
} tn_live_channel;

struct tn_live {
    // Constant once created.
    tn_record record; // reads rows out of the simulation; it has no files
    char *title, *scene;
    tn_live_part part[TN_MOST_CHANNELS];
    TN_ARRAY(tn_live_channel) channels;
    int left_out; // channels that are in the results only
    int width;    // numbers of a stored row
    long block_rows, answer_rows;

    // The simulation alone uses these.
    long offered, written;
    double time; // of the last row

    // Rows below the count are read without the lock: they do not change.
    double *block[TN_LIVE_BLOCKS];

    // Guarded by the lock.
    pthread_mutex_t lock;
    long count;
    char *run;
    bool ended;
};

double *tn_live_row_at(const tn_live *live, long row);
// Where the numbers of a dataset stand in a stored row, and how many; none when it is not kept.
int tn_live_part_at(const tn_live *live, const char *path, int *count);
