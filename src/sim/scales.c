// SPDX-License-Identifier: MIT
//
// Measures of large and small in a simulation: the time scale of its motion, and absolute
// tolerances of each kind of quantity. Lengths and masses have units of the model's own size
// (model/units.h); times stay in seconds, and speeds are compared with lengths by the time scale.

#include "model/units.h"
#include "sim/sim.h"

#include <math.h>

// The time scale in times in which a body at its speed goes a length, or turns by a radian: 1 s for
// a metre under gravity. The number is not critical: a power of two is as good as the next one.
static const double LENGTHS = 4.0;
// If nothing moves at the start and nothing pulls, a stated step sets the time scale.
static const double STEPS = 1000.0;
// The duration of the first run counts too: the time scale is at least a part of it where nothing
// else is known, and not far longer where what moves at the start all but stands still. Not near to
// it: a run may be the first of thousands.
static const double RUNS_LEAST = 1.0 / 16.0, RUNS_MOST = 1024.0;
// The step, by the time scale or by a run longer than a second, for want of a stated one.
static const double USUAL_STEP = 1e-3;

// Times of the run in which a body would go a length by what moves it at the start: beyond, as
// under the foot of a pulse that comes later, it says nothing of the motion, and tolerances by it
// are none.
static const double STILL = 1e6;

// Baumgarte's weights where none are stated: both by the time scale of the start. They stay when
// the time scale changes: weights are part of the equations that are solved, and steps that know
// others of their past would see a jump.
static const double WEIGHT = 20.0;

static void choose_weights(tn_sim *sim)
{
    tn_sim_options *o = &sim->options;
    if (o->baumgarte_alpha == 0.0 && o->baumgarte_beta == 0.0)
        o->baumgarte_alpha = o->baumgarte_beta = WEIGHT / sim->start.sys->time_scale;
    if (o->penalty_omega == 0.0)
        o->penalty_omega = WEIGHT / sim->start.sys->time_scale;
}

static tn_sizes find_time_scale(tn_sim *sim)
{
    TN_ASSERT(sim->start.sys->time_scale > 0.0);
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->start.x);
    const tn_sizes sizes = tn_sizes_at_start(sim->model, sys, &at);
    if (!sim->model)
        return sizes;
    sim->time_scale_unknown = sizes.still;
    if (!sizes.still)
        sys->time_scale = tn_power_of_two(LENGTHS * sizes.time);
    else if (sim->options.step > 0.0)
        sys->time_scale = tn_power_of_two(STEPS * sim->options.step);
    return sizes;
}

tn_status tn_sim_find_time_scale(tn_sim *sim, tn_sizes *sizes)
{
    *sizes = find_time_scale(sim);
    choose_weights(sim);
    if (isfinite(sizes->speed) && isfinite(sizes->rate) && isfinite(sizes->far))
        return TN_OK;
    return tn_fail(TN_ERR_NUMERIC,
                   "at the start places, speeds or accelerations are so large that their squares "
                   "are no numbers, which no step resolves; check gravity, forces and masses");
}

double tn_sim_usual_step(const tn_sim *sim)
{
    return USUAL_STEP * sim->start.sys->time_scale;
}

void tn_sim_bound_time_scale(tn_sim *sim, double duration)
{
    tn_system *sys = sim->start.sys;
    const double run = tn_power_of_two(duration);
    if (!sim->model || sim->time_scale_bounded || !(duration > 0.0))
        return;
    const bool still = sim->time_scale_unknown || sys->time_scale > STILL * duration;
    sim->time_scale_bounded = true;
    if (still && sim->options.adaptive)
        sys->time_scale = fmax(1.0, RUNS_LEAST * run);
    sys->time_scale = fmin(sys->time_scale, RUNS_MOST * run);
    if (sim->usual_step)
        sim->options.step = fmin(sim->options.step, USUAL_STEP * fmax(1.0, run));
    tn_sim_set_tolerances(sim);
}

// If a motion that began slowly has become far faster, what was typical at the start is below the
// round-off of what moves now, and iterations would never end. A length that grows with the way
// from the origin gives no time: the first step is a small one.
static const double FASTER = 64.0;

void tn_sim_follow_time_scale(tn_sim *sim)
{
    const tn_sizes *sizes = &sim->sums.judge.sizes;
    const double rate = sizes->grows ? fmax(sizes->speed, sizes->fastest_turn) : 1.0 / sizes->time;
    const double time_scale = tn_power_of_two(LENGTHS / rate);
    if (!sim->model || sizes->still || FASTER * time_scale > sim->start.sys->time_scale)
        return;
    sim->start.sys->time_scale = time_scale;
    tn_sim_set_tolerances(sim);
}

void tn_sim_set_tolerances(tn_sim *sim)
{
    const tn_sim_options *o = &sim->options;
    const tn_system *sys = sim->start.sys;
    double *atol = sim->stepper.atol;
    for (int k = 0; k < TN_KIND_COUNT; k++)
        atol[k] = o->atol * tn_system_typical(sys, k);
    if (o->atol_length > 0.0)
        atol[TN_KIND_LENGTH] = o->atol_length / sys->units.length;
    if (o->atol_angle > 0.0)
        atol[TN_KIND_ANGLE] = o->atol_angle;
    if (o->atol_speed > 0.0)
        atol[TN_KIND_SPEED] = o->atol_speed / sys->units.length;
    if (o->atol_rate > 0.0)
        atol[TN_KIND_RATE] = o->atol_rate;
}

// Tolerances of one's own must fit the model: what is larger than all there is controls nothing.
static tn_status check_one(const char *name, double value, const char *unit, double most)
{
    if (value < most)
        return TN_OK;
    return tn_fail(
        TN_ERR_USAGE,
        "%s is %g %s, as large as the model itself (about %g %s), so that no error would "
        "be seen; state a small part of that, or leave it out",
        name, value, unit, most, unit);
}

tn_status tn_sim_check_tolerances(const tn_sim *sim)
{
    const tn_sim_options *o = &sim->options;
    const double stated = o->atol_length + o->atol_angle + o->atol_speed + o->atol_rate;
    if (!sim->model && stated > 0.0)
        return tn_fail(TN_ERR_USAGE,
                       "atol_length, atol_angle, atol_speed and atol_rate are for models; of "
                       "equations of one's own Tenon does not know what they measure: state atol");
    if (!sim->model)
        return TN_OK;
    TN_TRY(check_one("atol_length", o->atol_length, "m", sim->start.sys->units.length));
    return check_one("atol_angle", o->atol_angle, "rad", 1.0);
}
