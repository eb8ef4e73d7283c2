// SPDX-License-Identifier: MIT
//
// Discontinuities of functions of time. Between two of them lies a smooth interval, in which all
// functions are smooth. A step never leaves its interval: it ends at the discontinuity, with the
// functions as they are before it, and the next step begins there, with those after it, new
// accelerations and an integrator that starts anew. Until then the state at the discontinuity is
// the one before it.
//
// If a drive with `impulse` jumps in velocity, velocities after the discontinuity are
//
//   M (v+ - v-) + B^T L = 0,   B v+ + g_t = 0,
//
// and the impulse L supplies the gain of kinetic energy.

#include "model/model_kinks.h"

#include "sim/sim.h"
#include "system/callbacks.h"

// Discontinuities that must be searched: so many steps ahead, at so many times.
static const double STEPS_AHEAD = 8.0, LOOKS = 256.0;
// Steps of integrators that choose them are not known ahead: they may grow by as much.
static const double GROWTH = 2.0;

void tn_sim_use_piece(tn_sim *sim, const tn_piece *piece)
{
    tn_start *start = sim->start.world ? sim->start.world : &sim->start;
    start->sys->piece = *piece;
    tn_sim_use_sides(sim, piece != &sim->pieces.last);
}

static bool find_next(const tn_sim *sim, double t, double end, double spacing, tn_kink *out)
{
    if (sim->model)
        return tn_model_next_kink(sim->model, t, end, spacing, out);
    return tn_callbacks_next_kink(sim->start.sys, t, out);
}

// Once: the next places are like the first one.
static void tell_sampled(tn_sim *sim, double t, double spacing)
{
    if (!sim->pieces.told)
        tn_notes_add(&sim->start.notes,
                     "from t = %.6g s on a condition or kink of a function of time is zero but for "
                     "round-off, or changes too often to be followed: it is looked at every %.2g s "
                     "only, so state it more simply or bound the step by step_max",
                     t, spacing);
    sim->pieces.told = true;
}

// From t on, in the interval that is valid there.
static void look_ahead(tn_sim *sim, double t, double h)
{
    TN_ASSERT(h > 0.0);
    tn_pieces *p = &sim->pieces;
    const double end = p->searched ? t + STEPS_AHEAD * h : INFINITY;
    p->ends = find_next(sim, fmax(t, p->now.from), end, STEPS_AHEAD * h / LOOKS, &p->next);
    if (p->next.sampled)
        tell_sampled(sim, t, STEPS_AHEAD * h / LOOKS);
    p->known_to = p->next.t;
    p->now.to = p->ends ? p->next.before : INFINITY;
    tn_sim_use_piece(sim, &p->now);
}

void tn_sim_open_pieces(tn_sim *sim)
{
    tn_pieces *p = &sim->pieces;
    const tn_start *start = sim->start.world ? sim->start.world : &sim->start;
    p->now = start->sys->piece;
    p->now.bounded = true;
    if (!sim->model)
        p->now.from = -INFINITY;
    p->move = sim->model && (tn_model_moves(sim->model) || sim->time_parts.n > 0);
    p->searched = sim->model && tn_model_kinks_are_searched(sim->model);
    p->ends = false;
    p->known_to = -INFINITY;
    sim->singular.t = sim->pole_at = INFINITY;
    sim->shapes_to = NAN;
}

static void begin_at(tn_sim *sim, double t)
{
    tn_pieces *p = &sim->pieces;
    p->now = (tn_piece){true, t, INFINITY};
    p->ends = false;
    p->known_to = -INFINITY;
    tn_sim_use_piece(sim, &p->now);
}

void tn_sim_begin_piece_here(tn_sim *sim)
{
    begin_at(sim, sim->start.x.t);
    sim->shapes_to = NAN;
}

// The time at which a step of about h must end for them; INFINITY where none is known.
static double piece_end_of(tn_sim *sim, double h)
{
    tn_pieces *p = &sim->pieces;
    const double t = sim->start.x.t;
    if (!p->ends && p->known_to < t + GROWTH * h)
        look_ahead(sim, t, h);
    return p->known_to;
}

static tn_energy energy_of(tn_sim *sim)
{
    tn_energy e = {0};
    const tn_point at = tn_state_point(&sim->start.x);
    if (sim->start.sys->ops->energy)
        sim->start.sys->ops->energy(sim->start.sys, &at, &e);
    return e;
}

double tn_sim_kinetic(tn_sim *sim)
{
    return energy_of(sim).kinetic;
}

double tn_sim_stored(tn_sim *sim)
{
    const tn_energy e = energy_of(sim);
    return e.kinetic + e.potential;
}

static tn_status take_impulse(tn_sim *sim)
{
    tn_state *x = &sim->start.x;
    const tn_point at = tn_state_point(x);
    const double before = tn_sim_kinetic(sim);
    TN_TRY(tn_accel_project(sim->start.accel, &at, x->v));
    tn_sim_note_impulse(sim, tn_sim_kinetic(sim) - before);
    return TN_OK;
}

static tn_status begin_piece(tn_sim *sim, const tn_kink *kink)
{
    TN_ASSERT(kink->before <= kink->after);
    if (sim->model && tn_model_has_impulse(sim->model, kink))
        TN_TRY(take_impulse(sim));
    return tn_start_refresh(&sim->start);
}

tn_status tn_sim_enter_piece(tn_sim *sim)
{
    tn_pieces *p = &sim->pieces;
    const double t = sim->start.x.t;
    if (!p->ends || t + tn_time_round_off(t) < p->next.t)
        return TN_OK;
    const tn_kink kink = p->next;
    begin_at(sim, kink.after);
    const tn_status status = begin_piece(sim, &kink);
    if (status != TN_OK)
        return status > 0
                   ? tn_fail_within(TN_ERR_NUMERIC, "no accelerations after t = %.9g s", kink.t)
                   : status;
    tn_sim_note_jump(sim);
    sim->stepper.moved = sim->stepper.known = true;
    sim->restart = true;
    return TN_OK;
}

tn_status tn_sim_pass_kinks(tn_sim *sim, double h, double *piece_end)
{
    const double t = sim->start.x.t, now = t + tn_time_round_off(t);
    do {
        TN_TRY(tn_sim_enter_piece(sim));
        *piece_end = piece_end_of(sim, h);
    } while (sim->pieces.ends && *piece_end <= now);
    return TN_OK;
}
