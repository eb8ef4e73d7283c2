// SPDX-License-Identifier: MIT
//
// Fields that are narrow in space, and conditions that change twice within a step: expressions of
// forces are bounded along the way of their variables (system/absolute_signals.c). A step of error
// control that has passed over something is taken again, shorter; fixed steps are doubtful.

#include "linalg/dense.h"
#include "sim/monitor.h"
#include "sim/sim.h"
#include "system/absolute.h"

#include <math.h>

typedef struct narrow_fields {
    tn_monitor monitor;
    int n; // variables of expressions, and the time
    tn_way way;
    double at; // the time of way.first
} narrow_fields;

// Returns true if the simulation has expressions of the state to sample.
static bool has_ways(const tn_sim *sim)
{
    return sim->model && sim->start.sys->ops->mechanism &&
           tn_absolute_way_size(tn_sim_world(sim)) > 0;
}

static void layout_ways(tn_monitor *m, const tn_sim *sim, tn_carve *mem)
{
    narrow_fields *f = (narrow_fields *)m;
    tn_way *way = &f->way;
    f->n = tn_absolute_way_size(tn_sim_world(sim));
    f->at = NAN;
    TN_CARVE_DOUBLES(mem, f->n, &way->from, &way->middle, &way->to, &way->first, &way->last);
    way->x =
        (tn_range_jet *)tn_carve_doubles(mem, f->n * (int)(sizeof(tn_range_jet) / sizeof(double)));
}

static void ways_values(tn_monitor *m, const tn_sim *sim, tn_values *v)
{
    if (tn_values_are_read(v))
        ((narrow_fields *)m)->at = NAN;
}

static void take_way(tn_sim *sim, const tn_state *x, double *out)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(x);
    sys->ops->mechanism->decisions(sys, &at, sim->watch.decision);
    tn_absolute_copy_variables(tn_sim_world(sim), out);
}

// Multipliers between ends of steps cost evaluations: ways of laws by them are straight.
static tn_status take_within(const narrow_fields *f, tn_sim *sim, double t, double *out)
{
    const bool straight = sim->start.sys->force_uses_lambda;
    sim->stepper.motion_only = true;
    const tn_status status = straight ? TN_OK : tn_sim_interpolate(sim, t);
    sim->stepper.motion_only = false;
    TN_TRY(status);
    TN_TRY(straight ? TN_OK : tn_sim_find_unknowns(sim));
    const double s = (t - sim->before.t) / (sim->start.x.t - sim->before.t);
    for (int i = 0; straight && i < f->n; i++)
        out[i] = (1.0 - s) * f->way.first[i] + s * f->way.last[i];
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
    const double turned = sim->sums.judge.sizes.fastest_turn * (sim->start.x.t - sim->before.t);
    return 1 + (divisions > 0) + (int)fmin(turned / PARABOLA, PARTS_MAX);
}

// Returns true if conditions of expressions keep their signs, and none is zero, from their values
// at the begin of the step to those of the last sample.
static bool are_steady(const tn_sim *sim, const double *begins)
{
    const tn_watch *w = &sim->watch;
    for (int i = 0; i < w->ndecision; i++) {
        const int mode = w->switches[w->first_decision + i].mode;
        const double begin = begins[w->nevent + w->first_decision + i], end = w->decision[i];
        if (!(begin * mode > 0.0) || !(end * mode > 0.0) || tn_sim_is_zero(sim, i, begin) ||
            tn_sim_is_zero(sim, i, end))
            return false;
    }
    return true;
}

// The first force that hides something in the last step, -1 for none, and where.
static tn_status find_hidden(narrow_fields *f, tn_sim *sim, bool judged, int *force, double *begin,
                             double *width)
{
    const tn_integrator_ops *by = sim->method.integrator; // 1, 3, and 7 and more places in a step
    const int seen = by->multistep || judged ? 0 : by->needs & TN_VIEW_RESIDUAL ? 1 : 2;
    const int n = count_parts(sim, seen);
    const double t = sim->before.t, h = sim->start.x.t - t;
    tn_way *way = &f->way;
    way->judged = judged;
    way->corners = by->multistep;
    way->seen = n == 1 ? seen : n < 4 && seen > 0 ? seen - 1 : 0;
    if (f->at != t || sim->sums_before.powers.h == 0.0) // or the state or its forces have jumped
        take_way(sim, &sim->before, way->first);
    f->at = t;
    take_way(sim, &sim->start.x, way->last);
    way->steady = are_steady(sim, sim->watch.end[!judged]); // judged: once the step is kept
    *force = -1;
    for (int k = 0; k < n && *force < 0; k++) {
        tn_copy(f->n, k > 0 ? way->to : way->first, way->from);
        if (k + 1 < n)
            TN_TRY(take_within(f, sim, t + h * (k + 1) / n, way->to));
        else
            tn_copy(f->n, way->last, way->to);
        TN_TRY(take_within(f, sim, t + h * (k + 0.5) / n, way->middle));
        *force = tn_absolute_hides(tn_sim_world(sim), way, begin, width);
        *begin = (k + *begin) / n;
        *width /= n;
    }
    tn_sim_current(sim);
    return TN_OK;
}

// Jumps, as of rotation vectors at half a turn, are no wider in shorter steps: fields are not
// searched in less than this part of the time so far.
static const double LEAST_WAY = 1e-9;

// A step that has passed over a narrow field is taken again up to where that begins, or, from
// there, as long as it is wide: error control sees the rest.
static tn_status watch_ways(tn_monitor *m, tn_sim *sim)
{
    double begin, width;
    int force;
    narrow_fields *f = (narrow_fields *)m;
    if (!sim->options.adaptive)
        return TN_OK;
    TN_TRY(find_hidden(f, sim, false, &force, &begin, &width));
    const double h = sim->start.x.t - sim->before.t, part = fmin(0.5, fmax(begin, width));
    if (force >= 0 && part * h > LEAST_WAY * (sim->start.x.t - sim->options.t_start)) {
        sim->stepper.factor = part;
        tn_clear_error();
        return TN_RETRY_ERROR;
    }
    tn_copy(f->n, f->way.last, f->way.first);
    f->at = sim->start.x.t;
    return TN_OK;
}

// Fixed steps go over it: how often it would fit in one, at half its height.
static void judge_fixed(tn_monitor *m, tn_sim *sim)
{
    double begin, width;
    int force;
    if (!sim->options.adaptive && sim->start.x.t > sim->before.t &&
        find_hidden((narrow_fields *)m, sim, true, &force, &begin, &width) == TN_OK && force >= 0)
        tn_sim_judge_theory(sim, TN_QUANTITY_NARROW, 1.0 / width, 1.0, force);
}

const tn_monitor_ops tn_monitor_narrow_fields = {.name = "narrow_fields",
                                                 .size = sizeof(narrow_fields),
                                                 .applies = has_ways,
                                                 .layout = layout_ways,
                                                 .values = ways_values,
                                                 .after = watch_ways,
                                                 .kept = judge_fixed};
