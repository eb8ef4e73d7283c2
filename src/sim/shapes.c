// SPDX-License-Identifier: MIT
//
// What the shapes of functions of time ask of the steps of a run. Pulses end steps where they begin
// (model/pulses.c).
//
// Times at which functions of time are not finite (model/finite.c). Up to a pole a run goes, but
// for a little, and ends: a step across would see nothing of it, or give a motion that means
// nothing. Where a function is not defined from some time on, integrators fail there by
// themselves, with small steps or with values that are no numbers, and are told why.

#include "linalg/dense.h"
#include "model/model_kinks.h"
#include "sim/monitor.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A run ends so much before a pole, as a part of the time up to there; and one that fails so near
// to a place where a function is not finite failed over it.
static const double BEFORE_POLE = 1e-3, NEAR_END = 1e-2;

void tn_sim_layout_shapes(tn_sim *sim, tn_carve *mem)
{
    sim->pulses.room = sim->model ? tn_model_pulse_room(sim->model) : 0;
    TN_CARVE_DOUBLES(mem, sim->pulses.room, &sim->pulses.t);
    sim->ntrack =
        sim->model && sim->start.sys->ops->mechanism ? tn_absolute_way_size(tn_sim_world(sim)) : 0;
    TN_CARVE_DOUBLES(mem, sim->ntrack, &sim->track.from, &sim->track.middle, &sim->track.to,
                     &sim->track.first, &sim->track.last);
    sim->track.x = (tn_range_jet *)tn_carve_doubles(
        mem, sim->ntrack * (int)(sizeof(tn_range_jet) / sizeof(double)));
    sim->track_at = NAN;
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
    tn_model_find_pulses(sim->model, start, t, t_end,
                         sim->options.adaptive ? 0.0 : sim->options.step, &sim->pulses);
    if (isfinite(sim->pulses.dropped))
        tn_notes_add(&sim->start.notes,
                     "functions of time have more short pulses than steps can be ended for: from "
                     "t = %.6g s on some may be stepped over; state step_max",
                     sim->pulses.dropped);
    sim->shapes_to = t_end;
}

double tn_sim_next_pulse(const tn_sim *sim)
{
    const double now = sim->start.x.t + tn_time_round_off(sim->start.x.t);
    const int next = tn_count_up_to(sim->pulses.count, sim->pulses.t, now);
    return next < sim->pulses.count ? sim->pulses.t[next] : INFINITY;
}

static void take_way(tn_sim *sim, const tn_state *x, double *out)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(x);
    sys->ops->mechanism->decisions(sys, &at, sim->watch.decision);
    tn_absolute_copy_variables(tn_sim_world(sim), out);
}

// Multipliers between ends of steps cost evaluations: ways of laws by them are straight.
static tn_status take_within(tn_sim *sim, double t, double *out)
{
    const bool straight = sim->start.sys->force_uses_lambda;
    sim->stepper.motion_only = true;
    const tn_status status = straight ? TN_OK : tn_sim_interpolate(sim, t);
    sim->stepper.motion_only = false;
    TN_TRY(status);
    TN_TRY(straight ? TN_OK : tn_sim_find_unknowns(sim));
    const double s = (t - sim->before.t) / (sim->start.x.t - sim->before.t);
    for (int i = 0; straight && i < sim->ntrack; i++)
        out[i] = (1.0 - s) * sim->track.first[i] + s * sim->track.last[i];
    if (!straight)
        take_way(sim, &sim->shown, out);
    return TN_OK;
}

// Parts in which no body turns by more than this are about parabolas [rad]. Where one turns so
// often that there would be more of them, fields are passed often as well.
static const double PARABOLA = 1.0;
enum { PARTS_MAX = 64 };

static int count_parts(const tn_sim *sim, int divisions)
{
    const double turned = sim->judge.sizes.fastest_turn * (sim->start.x.t - sim->before.t);
    return 1 + (divisions > 0) + (int)fmin(turned / PARABOLA, PARTS_MAX);
}

// The first force that hides something in the last step, -1 for none, and where.
static tn_status find_hidden(tn_sim *sim, bool judged, int *force, double *begin, double *width)
{
    const tn_integrator_ops *by = sim->method.integrator; // 1, 3, and 7 and more places in a step
    const int seen = by->multistep || judged ? 0 : by->needs & TN_VIEW_RESIDUAL ? 1 : 2;
    const int n = count_parts(sim, seen);
    const double t = sim->before.t, h = sim->start.x.t - t;
    tn_way *way = &sim->track;
    way->judged = judged;
    way->corners = by->multistep;
    way->seen = n == 1 ? seen : n < 4 && seen > 0 ? seen - 1 : 0;
    if (sim->track_at != t)
        take_way(sim, &sim->before, way->first);
    sim->track_at = t;
    take_way(sim, &sim->start.x, way->last);
    *force = -1;
    for (int k = 0; k < n && *force < 0; k++) {
        tn_copy(sim->ntrack, k > 0 ? way->to : way->first, way->from);
        if (k + 1 < n)
            TN_TRY(take_within(sim, t + h * (k + 1) / n, way->to));
        else
            tn_copy(sim->ntrack, way->last, way->to);
        TN_TRY(take_within(sim, t + h * (k + 0.5) / n, way->middle));
        *force = tn_absolute_hides(tn_sim_world(sim), way, begin, width);
        *begin = (k + *begin) / n;
        *width /= n;
    }
    tn_sim_present(sim);
    return TN_OK;
}

// What jumps, as rotation vectors do at half a turn, is no wider in shorter steps: fields are not
// looked for in less than this part of the time so far.
static const double LEAST_WAY = 1e-9;

// A step that has passed over a narrow field is taken again up to where that begins, or, from
// there, as long as it is wide: error control sees the rest.
static tn_status watch_ways(tn_monitor *m, tn_sim *sim)
{
    double begin, width;
    int force;
    if (sim->ntrack == 0 || !sim->options.adaptive)
        return TN_OK;
    TN_TRY(find_hidden(sim, false, &force, &begin, &width));
    const double h = sim->start.x.t - sim->before.t, part = fmin(0.5, fmax(begin, width));
    if (force >= 0 && part * h > LEAST_WAY * (sim->start.x.t - sim->options.t_start)) {
        sim->stepper.factor = part;
        tn_clear_error();
        return TN_RETRY_ERROR;
    }
    tn_copy(sim->ntrack, sim->track.last, sim->track.first);
    sim->track_at = sim->start.x.t;
    return TN_OK;
}

// Fixed steps go over it: how often it would fit in one, at half its height.
double tn_sim_narrowest(tn_sim *sim, int *force)
{
    double begin, width;
    if (sim->ntrack == 0 || sim->options.adaptive ||
        find_hidden(sim, true, force, &begin, &width) != TN_OK || *force < 0)
        return 0.0;
    return 1.0 / width;
}

const tn_monitor_ops tn_monitor_narrow_fields = {.name = "narrow_fields", .after = watch_ways};

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
