// SPDX-License-Identifier: MIT
//
// The ledger of a simulation: constraint residuals, energy balance and counters. The balance is
//
//   stored(t) + dissipated - supplied - stored(0)
//
// with the work of dampers, motors, outer forces and drives integrated on the dense output of the
// step (works.c), or, for integrators of second order that have none of their own, by quadratic
// interpolation of their power over three steps, which is one order above them. Its band is what
// lies between the smallest and the largest balance, its drift the slope of the line nearest to it.

#include "formulation/ode_ops.h"
#include "linalg/dense.h"
#include "sim/monitor.h"
#include "sim/sim.h"

#include <math.h>

// Powers of drives are those of reactions.
static const tn_state *with_reactions(tn_sim *sim, const tn_state *x)
{
    return sim->powers_need_reactions ? tn_sim_recover(sim, x) : x;
}

static void measure_energy(tn_sim *sim, const tn_state *x, tn_energy *e, tn_ledger *l)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(x);
    l->has_energy = sys->ops->energy;
    if (!sys->ops->energy)
        return;
    sys->ops->energy(sys, &at, e);
    l->kinetic = e->kinetic;
    l->potential = e->potential;
    l->energy = e->kinetic + e->potential;
    l->has_momentum = e->has_momentum;
    tn_copy(3, e->momentum, l->momentum);
    tn_copy(3, e->spin, l->spin);
}

// False if there are no rows to check. A step of ggl begins with B, which comes with the rates.
static bool measure_residuals(tn_sim *sim, const tn_state *x, tn_ledger *l)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(x);
    const bool begins = sim->problem && sim->problem->at.mu >= 0;
    const unsigned want = TN_EVAL_G | TN_EVAL_GDOT | (begins ? (unsigned)TN_EVAL_B : 0);
    if (sys->ng + sys->nn == 0 || tn_system_sample(sys, &at, want) != TN_OK)
        return false;
    l->g = tn_system_largest_row(sys, sys->g);
    l->gdot = tn_system_largest_rate(sys);
    return true;
}

void tn_sim_measure_shown(tn_sim *sim, bool judged, tn_ledger *out)
{
    tn_energy e = {0};
    if (measure_residuals(sim, &sim->shown, out) && judged)
        tn_sim_judge_shown(sim);
    measure_energy(sim, &sim->shown, &e, out);
}

static void note_residuals(tn_ledger *l)
{
    l->max_g = fmax(l->max_g, l->g);
    l->max_gdot = fmax(l->max_gdot, l->gdot);
}

static void measure_present(tn_sim *sim)
{
    if (measure_residuals(sim, &sim->start.x, &sim->sums.ledger))
        tn_sim_judge_step(sim);
    note_residuals(&sim->sums.ledger);
}

// Drives supply power by their reactions; for all other powers the motion is enough.
// Rows by expressions may depend on time, or do work where they are not linear in velocities.
static bool something_drives(const tn_sim *sim)
{
    bool drives = !sim->model || tn_sim_is_driven(sim);
    for (int k = 0; !drives && k < sim->model->joints.count; k++)
        drives = sim->model->joints.at[k].ops->by_formula;
    return drives;
}

static bool something_works(const tn_sim *sim)
{
    if (!sim->model)
        return sim->start.sys->ops->energy;
    return sim->model->forces.count > 0 || sim->start.sys->nslide > 0 || something_drives(sim);
}

void tn_sim_layout_ledger(tn_sim *sim, tn_carve *mem)
{
    tn_works *w = &sim->step_works;
    const bool works = something_works(sim), used = works && sim->method.integrator->interpolate;
    w->part = used ? tn_carve_bytes(mem, TN_POWER_PARTS * sizeof *w->part) : NULL;
    const bool closed_form = used && !something_drives(sim) && tn_sim_works_have_closed_form(sim);
    tn_sim_layout_element_work(sim, works, used, closed_form, mem);
}

static tn_exchange powers_of(const tn_energy *e)
{
    return (tn_exchange){e->dissipated, e->supplied};
}

void tn_sim_open_ledger(tn_sim *sim)
{
    sim->powers_need_reactions = something_drives(sim) || sim->start.sys->force_uses_lambda;
    tn_ledger *l = &sim->sums.ledger;
    *l = (tn_ledger){0};
    sim->sums.fit = (tn_fit){0};
    sim->sums.powers = (tn_powers){0};
    measure_present(sim);
    measure_energy(sim, with_reactions(sim, &sim->start.x), &sim->now, l);
    l->energy_start = l->energy;
    l->energy_scale = fabs(l->kinetic);
    tn_copy(3, l->momentum, l->momentum_start);
    tn_copy(3, l->spin, l->spin_start);
    sim->sums.powers.end = powers_of(&sim->now);
    tn_sim_open_element_work(sim);
    l->step_min = INFINITY;
}

// Weights of the integral over the last step h of the parabola through values at -k, 0 and h; of
// the trapezium when k is 0.
static void weigh_step(double h, double k, double w[3])
{
    TN_ASSERT(h > 0.0);
    const double second = k > 0.0 ? h * h * h / 6.0 / (h + k) : 0.0;
    w[0] = k > 0.0 ? -second / k : 0.0;
    w[1] = 0.5 * h + second / h - w[0];
    w[2] = 0.5 * h - second / h;
}

// By the powers at the ends of this step and of the one before it.
static void add_parabola(tn_sim *sim, double h, const tn_powers *last, tn_exchange now)
{
    double w[3];
    tn_ledger *l = &sim->sums.ledger;
    weigh_step(h, last->h, w);
    l->dissipated +=
        w[0] * last->begin.dissipated + w[1] * last->end.dissipated + w[2] * now.dissipated;
    l->supplied += w[0] * last->begin.supplied + w[1] * last->end.supplied + w[2] * now.supplied;
    tn_sim_element_work_step(sim, w);
}

// Slope of the line through all points so far, the means updated one by one so that long runs do
// not lose digits [Welford 1962].
static double slope(tn_fit *fit, double w, double t, double y)
{
    TN_ASSERT(w > 0.0);
    fit->weight += w;
    const double part = w / fit->weight, dt = t - fit->t, dy = y - fit->y;
    fit->t += part * dt;
    fit->y += part * dy;
    fit->tt += w * dt * (t - fit->t);
    fit->ty += w * dt * (y - fit->y);
    return fit->tt > 0.0 ? fit->ty / fit->tt : 0.0;
}

// A balance that is no number stays the largest.
void tn_sim_note_balance(tn_ledger *l)
{
    if (!(fabs(l->balance) <= l->max_balance) && !isnan(l->max_balance))
        l->max_balance = fabs(l->balance);
    l->band[0] = fmin(l->band[0], l->balance);
    l->band[1] = fmax(l->band[1], l->balance);
}

static void note_momenta(tn_ledger *l)
{
    for (int i = 0; i < 3; i++) {
        l->momentum_change[i] =
            fmax(l->momentum_change[i], fabs(l->momentum[i] - l->momentum_start[i]));
        l->spin_change[i] = fmax(l->spin_change[i], fabs(l->spin[i] - l->spin_start[i]));
    }
}

// Adds works within the step, also of energy that comes and goes.
static void add_works(tn_sim *sim)
{
    tn_ledger *l = &sim->sums.ledger;
    const tn_works *w = &sim->step_works;
    l->energy_scale = fmax(l->energy_scale, w->most.dissipated);
    l->energy_scale = fmax(l->energy_scale, w->most.supplied);
    l->dissipated += w->sum.dissipated;
    l->supplied += w->sum.supplied;
    sim->sums.judge.not_resolved += w->not_resolved;
}

static void balance_energy(tn_sim *sim, double h)
{
    TN_ASSERT(h > 0.0);
    tn_ledger *l = &sim->sums.ledger;
    measure_energy(sim, with_reactions(sim, &sim->start.x), &sim->now, l);
    if (!l->has_energy)
        return;
    tn_sim_judge_modals(sim);
    const tn_powers last = sim->sums.powers;
    const tn_exchange now = powers_of(&sim->now);
    tn_sim_shift_powers(sim);
    sim->step_works.known = sim->step_works.part && tn_sim_integrate_works(sim, h, last.end, now);
    if (sim->step_works.known)
        add_works(sim);
    else
        add_parabola(sim, h, &last, now);
    // A slope over a short part is round-off.
    sim->sums.powers =
        (tn_powers){.h = sim->micro_stepped ? 0.0 : h, .begin = last.end, .end = now};
    l->balance = l->energy + l->dissipated - l->supplied - l->energy_start;
    tn_sim_note_balance(l);
    note_momenta(l);
    l->drift = slope(&sim->sums.fit, h, sim->start.x.t, l->balance);
    l->energy_scale =
        fmax(l->energy_scale, fmax(fabs(l->kinetic), fabs(l->energy - l->energy_start)));
    l->energy_scale = fmax(l->energy_scale, fmax(fabs(l->dissipated), fabs(l->supplied)));
    // If a drive holds against a force, the energies that they exchange nearly cancel.
    l->energy_scale = fmax(l->energy_scale, tn_sim_largest_element_work(sim));
}

static tn_status note_step(tn_monitor *m, tn_sim *sim)
{
    const double h = sim->stepper.taken;
    TN_ASSERT(h > 0.0);
    tn_ledger *l = &sim->sums.ledger;
    l->steps++;
    if (sim->stepper.order > 0 && sim->stepper.order < TN_COUNT(l->order_steps))
        l->order_steps[sim->stepper.order]++;
    l->step_min = fmin(l->step_min, h);
    l->step_max = fmax(l->step_max, h);
    tn_sim_forget_recovered(sim);
    tn_sim_see_sizes(sim, h);
    measure_present(sim);
    balance_energy(sim, h);
    if (l->has_energy)
        tn_sim_judge_energy(sim);
    return TN_OK;
}

static void restore_ledger(tn_monitor *m, tn_sim *sim)
{
    tn_sim_take_sums_back(sim);
}

const tn_monitor_ops tn_monitor_ledger = {
    .name = "ledger", .after = note_step, .restore = restore_ledger};

// Residuals of output between steps enter the maxima, too.
void tn_sim_note_shown(tn_sim *sim)
{
    tn_ledger *l = &sim->sums.ledger, *shown = &sim->ledger_shown;
    note_residuals(shown);
    if (shown->has_energy)
        tn_sim_note_balance(shown);
    l->max_g = shown->max_g;
    l->max_gdot = shown->max_gdot;
    l->max_balance = shown->max_balance;
    tn_copy(2, shown->band, l->band);
}

void tn_sim_note_jump(tn_sim *sim)
{
    tn_sim_forget_recovered(sim);
    measure_energy(sim, with_reactions(sim, &sim->start.x), &sim->now, &sim->sums.ledger);
    sim->sums.powers.end = powers_of(&sim->now);
    sim->sums.powers.h = 0.0;
    tn_sim_element_work_jump(sim);
}

// In directors scalar laws act without their powers.
void tn_sim_note_push(tn_sim *sim)
{
    if (sim->powers_need_reactions || tn_sim_has_directors(sim)) {
        tn_sim_note_jump(sim);
        return;
    }
    tn_sim_forget_recovered(sim);
    sim->sums.powers.h = 0.0;
    sim->sums.powers.end = tn_sim_element_work_push(sim);
}

void tn_sim_note_impulse(tn_sim *sim, double energy)
{
    sim->sums.ledger.supplied += energy;
    sim->sums.ledger.jumps += energy;
}

void tn_sim_note_impact(tn_sim *sim, double lost)
{
    sim->sums.ledger.dissipated += lost;
    sim->sums.ledger.impacts += lost;
}

void tn_sim_ledger(const tn_sim *sim, tn_ledger *out)
{
    TN_NEED_ALL(, sim, out);
    *out = sim->view == &sim->shown ? sim->ledger_shown : sim->sums.ledger;
    out->energy_noise = tn_sim_energy_noise(sim, out);
    tn_sim_si_ledger(sim->start.sys->units, out);
    out->newton = sim->stepper.newton;
    out->factorizations = sim->stepper.factorizations;
    if (sim->ode)
        out->factorizations += sim->ode->factorizations;
    out->rejected += sim->stepper.failures;
    out->order = sim->stepper.order > 0 ? sim->stepper.order : sim->method.integrator->order;
    out->evaluations = sim->start.sys->evals;
    out->tangents = sim->start.sys->tangents;
    TN_EACH_MONITOR(sim, report, out);
    out->step = sim->start.x.t - sim->before.t;
    if (out->steps == 0)
        out->step_min = 0.0;
}
