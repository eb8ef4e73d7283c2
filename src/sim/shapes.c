// SPDX-License-Identifier: MIT
//
// Bounds that the shapes of functions of time set to the steps of a run. Pulses end steps where
// they begin (model/pulses.c).
//
// Times at which functions of time are not finite (model/finite.c). Up to a pole a run goes, but
// for a little, and ends: a step across would see nothing of it, or give a motion that means
// nothing. Where a function is not defined from some time on, integrators fail there by
// themselves, with small steps or with values that are no numbers, and report why.

#include "model/model_kinks.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A run ends so much before a pole, as a part of the time up to there; and one that fails so near
// to a place where a function is not finite failed over it.
static const double BEFORE_POLE = 1e-3, NEAR_END = 1e-2;

void tn_sim_layout_shapes(tn_sim *sim, tn_carve *mem)
{
    tn_time_parts *parts = &sim->time_parts;
    parts->n = sim->model ? tn_absolute_time_parts(tn_sim_world(sim), NULL) : 0;
    parts->of = tn_carve_bytes(mem, sizeof *parts->of * (size_t)parts->n);
    sim->pulses.room = sim->model ? tn_model_pulse_room(sim->model, parts->n) : 0;
    TN_CARVE_DOUBLES(mem, sim->pulses.room, &sim->pulses.t);
    if (mem->base && parts->n > 0)
        tn_absolute_time_parts(tn_sim_world(sim), parts->of);
}

// Grids are those of the whole run, also where it is taken up again. What lies behind is not looked
// at again: a controller that lets the simulation run for a millisecond at a time would spend all
// its time there.
void tn_sim_open_shapes(tn_sim *sim, double t_end)
{
    const double start = sim->options.t_start, t = sim->start.x.t;
    const bool same = t_end == sim->shapes_to && t < sim->singular.t; // single steps went across
    if (same || t_end <= t)
        return;
    tn_model_find_singular(sim->model, start, t, t_end, &sim->singular);
    sim->pole_at = INFINITY;
    if (sim->singular.pole)
        sim->pole_at = sim->singular.t - BEFORE_POLE * (sim->singular.t - start);
    tn_model_find_pulses(sim->model, &sim->time_parts, start, t, t_end,
                         sim->options.adaptive ? 0.0 : sim->options.step, &sim->pulses);
    if (isfinite(sim->pulses.dropped) && !(sim->options.step_max > 0.0))
        tn_sim_judge_missed(sim, TN_MISSED_PULSES, 0, (t_end - t) / (sim->pulses.dropped - t));
    sim->shapes_to = t_end;
}

double tn_sim_next_pulse(const tn_sim *sim)
{
    const double now = sim->start.x.t + tn_time_round_off(sim->start.x.t);
    const int next = tn_count_up_to(sim->pulses.count, sim->pulses.t, now);
    return next < sim->pulses.count ? sim->pulses.t[next] : INFINITY;
}

static tn_status ends(const tn_sim *sim)
{
    return tn_fail(TN_ERR_NUMERIC,
                   "%s is not finite at t = %.9g s; end the run before, or state a function that "
                   "stays finite",
                   sim->singular.what, sim->singular.t);
}

tn_status tn_sim_check_pole(const tn_sim *sim)
{
    const double t = sim->start.x.t;
    return t + tn_time_round_off(t) < sim->pole_at ? TN_OK : ends(sim);
}

tn_status tn_sim_explain_singular_time(const tn_sim *sim, tn_status status)
{
    const double t = sim->start.x.t, away = sim->singular.t - t;
    const double slack =
        fmax(NEAR_END * fabs(sim->singular.t - sim->options.t_start), 2.0 * sim->stepper.taken);
    char name[sizeof sim->singular.what];
    if (!(away <= slack))
        return status;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(sim->singular.what, ":"), sim->singular.what);
    return strstr(tn_last_error(), name) ? status : ends(sim);
}
