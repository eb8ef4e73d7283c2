// SPDX-License-Identifier: MIT
//
// Events: functions of the state whose sign changes are located on the dense output of the step in
// which they happen, by bisection speeded up with false positions (the Illinois rule). So every
// integrator has them, and its steps do not change. One that ends the run cuts the last step there.

#include "linalg/dense.h"
#include "model/model.h"
#include "sim/sim.h"
#include "system/callbacks.h"

#include <string.h>

enum { HITS_MAX = 4096 };

static int count(const tn_sim *sim)
{
    return sim->model ? tn_model_event_count(sim->model) : tn_callbacks_event_count(sim->start.sys);
}

void tn_sim_layout_events(tn_sim *sim, tn_carve *mem)
{
    const int n = count(sim);
    sim->event_before = tn_carve_doubles(mem, n);
    sim->event_now = tn_carve_doubles(mem, n);
    sim->event_work = tn_carve_doubles(mem, n);
    sim->hits = tn_carve_bytes(mem, n > 0 ? HITS_MAX * sizeof *sim->hits : 0);
}

static double model_value(const tn_sim *sim, const tn_event_def *def)
{
    double q[3] = {0}, rate[3];
    if (def->joint.index >= 0) {
        tn_sim_joint_coordinates(sim, def->joint, q, rate);
        return q[def->coordinate] - def->value;
    }
    tn_v3_to(tn_sim_body_frame(sim, def->body).p, q);
    return q[def->axis] - def->value;
}

// All functions at the state that is shown.
static tn_status values(tn_sim *sim, double *out)
{
    if (!sim->model) {
        const tn_point at = tn_state_point(sim->view);
        return tn_callbacks_events(sim->start.sys, &at, out);
    }
    for (int k = 0; k < count(sim); k++)
        out[k] = model_value(sim, &sim->model->events.at[k]);
    return TN_OK;
}

static tn_event_direction wanted(const tn_sim *sim, int k)
{
    return sim->model ? (tn_event_direction)sim->model->events.at[k].direction : TN_EVENT_BOTH;
}

static bool ends_run(const tn_sim *sim, int k)
{
    return sim->model ? sim->model->events.at[k].stop : tn_callbacks_event_stops(sim->start.sys, k);
}

// A value of exactly zero at the end counts there and not again at the start of the next step.
static bool passes(const tn_sim *sim, int k)
{
    const double a = sim->event_before[k], b = sim->event_now[k];
    const bool rising = a < 0.0 && b >= 0.0, falling = a > 0.0 && b <= 0.0;
    const tn_event_direction d = wanted(sim, k);
    return (rising && d != TN_EVENT_FALLING) || (falling && d != TN_EVENT_RISING);
}

static tn_status value_at(tn_sim *sim, double t, int k, double *out)
{
    TN_TRY(tn_sim_peek(sim, t));
    TN_TRY(values(sim, sim->event_work));
    *out = sim->event_work[k];
    return TN_OK;
}

static tn_status locate(tn_sim *sim, int k, double *when)
{
    double a = sim->before.t, b = sim->start.x.t;
    double fa = sim->event_before[k], fb = sim->event_now[k];
    const double tol = 1e-14 * fmax(1.0, fabs(b)) + 1e-13 * (b - a);
    for (int step = 0; step < 100 && b - a > tol && fb != 0.0; step++) {
        double t = (a * fb - b * fa) / (fb - fa), f;
        if (step % 4 == 3 || !(t > a && t < b))
            t = 0.5 * (a + b);
        TN_TRY(value_at(sim, t, k, &f));
        if ((f > 0.0) == (fb > 0.0) || f == 0.0) {
            b = t;
            fb = f;
            fa *= 0.5;
        } else {
            a = t;
            fa = f;
            fb *= 0.5;
        }
    }
    *when = b;
    return TN_OK;
}

// In order of time, also within a step.
static void note(tn_sim *sim, int k, double t)
{
    const bool rising = sim->event_before[k] < 0.0;
    sim->ledger.events++;
    if (sim->nhit == HITS_MAX)
        return;
    int at = sim->nhit++;
    for (; at > 0 && sim->hits[at - 1].t > t; at--)
        sim->hits[at] = sim->hits[at - 1];
    sim->hits[at] = (tn_event_hit){.event = k, .t = t, .rising = rising};
}

// The last step ends at t: the shown state becomes the present one.
static tn_status cut(tn_sim *sim, double t)
{
    tn_system *sys = sim->start.sys;
    tn_state *x = &sim->start.x;
    if (t < x->t) {
        TN_TRY(tn_sim_peek(sim, t));
        tn_state_copy(sys, &sim->shown, x);
        sim->ledger = sim->ledger_shown;
        tn_sim_note_balance(&sim->ledger);
        tn_sim_present(sim);
        const tn_point at = tn_state_point(x);
        if (sys->ops->accept)
            TN_TRY(sys->ops->accept(sys, &at, x->r));
        tn_sim_note_jump(sim); // powers are those of this state now
        sim->stepper.moved = true;
        sim->stepper.known = false;
        TN_TRY(sim->integrator->ops->begin(sim->integrator, &sim->options));
    }
    return TN_OK;
}

tn_status tn_sim_open_events(tn_sim *sim)
{
    return count(sim) > 0 ? values(sim, sim->event_now) : TN_OK;
}

static tn_status watch(tn_sim *sim)
{
    const int n = count(sim);
    double end = INFINITY, t;
    int last = -1;
    tn_sim_present(sim);
    TN_TRY(values(sim, sim->event_now));
    for (int k = 0; k < n; k++) {
        if (!passes(sim, k) || !ends_run(sim, k))
            continue;
        TN_TRY(locate(sim, k, &t));
        if (t < end) {
            end = t;
            last = k;
        }
    }
    for (int k = 0; k < n; k++) {
        if (!passes(sim, k))
            continue;
        TN_TRY(locate(sim, k, &t));
        if (t <= end)
            note(sim, k, t);
    }
    tn_sim_present(sim);
    if (last < 0)
        return TN_OK;
    sim->ended_by = last;
    TN_TRY(cut(sim, end));
    return values(sim, sim->event_now);
}

tn_status tn_sim_watch_events(tn_sim *sim)
{
    const int n = count(sim), nhit = sim->nhit;
    sim->ended_by = -1;
    if (n == 0)
        return TN_OK;
    tn_copy(n, sim->event_now, sim->event_before);
    const tn_status status = watch(sim);
    if (status != TN_OK) { // as if the step had not been taken
        tn_copy(n, sim->event_before, sim->event_now);
        sim->nhit = nhit;
        sim->ended_by = -1;
    }
    return status;
}

int tn_sim_event_hits(const tn_sim *sim, const tn_event_hit **out)
{
    TN_NEED(sim, 0);
    TN_NEED(out, 0);
    *out = sim->hits;
    return sim->nhit;
}

int tn_sim_ended_by(const tn_sim *sim)
{
    TN_NEED(sim, -1);
    return sim->ended_by;
}
