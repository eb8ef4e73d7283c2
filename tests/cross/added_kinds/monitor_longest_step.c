// SPDX-License-Identifier: MIT
//
// A monitor of which the library knows nothing: it tells the longest step that was kept, at the
// first step after t = 0.5 s, and once.

#include "sim/monitor.h"
#include "sim/sim.h"
#include "text/notes.h"

#include <math.h>

extern const tn_monitor_ops tn_monitor_longest_step;

typedef struct longest_step {
    tn_monitor monitor;
    double h;
    bool told;
} longest_step;

static void keep_longest(tn_monitor *m, tn_sim *sim)
{
    longest_step *s = (longest_step *)m;
    s->h = fmax(s->h, sim->start.x.t - sim->before.t);
    if (s->told || sim->start.x.t < 0.5)
        return;
    s->told = true;
    tn_notes_add(&sim->start.notes, "the longest step so far was one of %.17g s", s->h);
}

const tn_monitor_ops tn_monitor_longest_step = {
    .name = "longest_step", .size = sizeof(longest_step), .kept = keep_longest};
