// SPDX-License-Identifier: MIT
//
// The progress bar of a run. It waits half a second before it shows itself, and
// is drawn at most ten times a second.

#include "run.h"

#include <time.h>
#include <unistd.h>

static const double PATIENCE = 0.5; // [s]
static const double PERIOD = 0.1;   // [s]

enum { WIDTH = 30 };

static double wall_time(void) // [s] from some moment in the past
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cli_progress cli_progress_begin(bool enabled, double t_start, double t_end)
{
    return (cli_progress){
        .enabled = enabled && isatty(STDERR_FILENO) && t_end > t_start,
        .t_start = t_start,
        .t_end = t_end,
        .began = wall_time(),
    };
}

void cli_progress_update(cli_progress *progress, double t)
{
    static const char full[] = "##############################";
    static const char empty[] = "..............................";
    if (!progress->enabled)
        return;
    const double now = wall_time(), spent = now - progress->began;
    if (spent < PATIENCE || now - progress->last < PERIOD)
        return;
    const double part = (t - progress->t_start) / (progress->t_end - progress->t_start);
    const int n = part < 0.0 ? 0 : part > 1.0 ? WIDTH : (int)(part * WIDTH);
    fprintf(stderr, "\r[%.*s%.*s] %3.0f %%  t = %.4g of %.4g s", n, full, WIDTH - n, empty,
            100.0 * part, t, progress->t_end);
    if (part > 0.01)
        fprintf(stderr, ", %.0f s left", spent * (1.0 - part) / part);
    fputs("\033[K", stderr);
    fflush(stderr);
    progress->last = now;
    progress->shown = true;
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
