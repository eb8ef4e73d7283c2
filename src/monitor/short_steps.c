// SPDX-License-Identifier: MIT
//
// Reactions that are lost in the round-off of places. Far from the origin coordinates are rounded
// to eps |q|. Multipliers of position rows divide that by h^2, those of velocity rows, which see it
// by way of B(q) v, by h: beyond a part of the accelerations of the motion it is reported.

#include "linalg/dense.h"
#include "sim/monitor.h"
#include "sim/sim.h"
#include "text/notes.h"

#include <float.h>
#include <math.h>

static const double PART = 1e-3;
// By which generalized-alpha may leave more than that, in velocities (genalpha_judge.c), and by
// which multipliers of index3 that alternate enlarge it.
static const double LEFT = 20.0, ALTERNATES = 100.0;

// Round-off of accelerations, in units of the model; zero if rows are those of accelerations.
static double rounding_of_accelerations(const tn_sim *sim, double h)
{
    const tn_formulation *f = sim->method.formulation;
    const tn_system *sys = sim->start.sys;
    const double rounding = DBL_EPSILON * tn_norm_inf(sys->nq, sim->start.x.q);
    if (f->acceleration || sys->ng == 0)
        return 0.0;
    const bool step = sim->method.integrator->needs & TN_VIEW_STEP;
    if (f->velocity)
        return (step ? LEFT : 1.0) * rounding * tn_norm_inf(sys->nv, sim->start.x.v) / h;
    return (step ? ALTERNATES : 1.0) * rounding / (h * h);
}

static void note_short_steps(tn_monitor *m, tn_sim *sim)
{
    const tn_state *x = &sim->start.x;
    const tn_system *sys = sim->start.sys;
    const double h = sim->options.step, speed = tn_norm_inf(sys->nv, x->v);
    const bool implicit = !(sim->method.integrator->needs & TN_VIEW_ACCEL);
    if (sim->options.adaptive || !sim->model || !implicit || !(h > 0.0))
        return;
    const double off = rounding_of_accelerations(sim, h);
    // If nothing moves at the start, 1 m/s^2 stands for what will.
    const double least = fmax(tn_v3_norm(sim->model->gravity), 1.0 / sys->units.length);
    const double size = fmax(least, fmax(tn_norm_inf(sys->nv, x->a), speed * speed));
    if (off > PART * size)
        tn_notes_add(&sim->start.notes,
                     "steps of %.3g s are short for places that are %.3g m from the origin: "
                     "reactions by %s carry their round-off, some %.2g m/s^2 times masses; take "
                     "longer steps, an origin near the model, joint coordinates or index1",
                     h, sys->units.length * tn_norm_inf(sys->nq, x->q), tn_sim_method(sim),
                     sys->units.length * off);
}

const tn_monitor_ops tn_monitor_short_steps = {.name = "short_steps", .note = note_short_steps};
