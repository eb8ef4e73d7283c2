// SPDX-License-Identifier: MIT
//
// The verdict on the balance of energy. Its bound is, with e, n and tau of verdict.c,
//
//   n e              what may add up
//   + tau^(2/3)      where positions alone are enforced, under error control
//   + sum |d^3 T|    third differences of the kinetic energy, with fixed steps
//
// and under error control never more than half of the digits. A balance below the round-off of the
// energies, or below what works that are not resolved may explain, is no warning.

#include "integrator/past.h"
#include "linalg/dense.h"
#include "sim/sim.h"
#include "sim/verdict.h"
#include "text/notes.h"

#include <float.h>
#include <math.h>

// The energy that is off, by that exchanged, at which nothing is left to trust.
static const double ENERGY = 0.1;
// Works of drives come from multipliers, which are less accurate than the motion.
static const double DRIVEN = 10.0;
// Safety of the estimate of velocities that are not enforced, as LEFT of verdict.c.
static const double LOOSE = 10.0;
// Under error control the energy may be off by the root of the tolerance, times this.
static const double HALF_THE_DIGITS = 10.0;
// And by no more than what makes this error of the angle that directors have turned by [rad].
static const double LOST = 0.5;
// Round-off of a sum of energies, in units of the last place.
static const double NOISE = 32.0;
// Works are integrated to this part of the error of a step, as far as multipliers have digits, and
// well below bounds that are wide.
static const double WORK = 0.01, WORK_LEAST = 1e-10, WORK_MOST = 1e-6;

// Bounds ------------------------------------------------------------------------------------------

// Velocities of index 3 are variables of index 2, whose errors count h times. radau5 takes
// tolerances to the power 2/3, so that its velocities are less accurate than positions by that. The
// errors do not add up.
static double loose_velocities(const tn_sim *sim)
{
    const tn_formulation *f = sim->method.formulation;
    const bool loose = f->position && !f->velocity && !sim->sums.judge.mostly_fixed;
    return loose ? LOOSE * pow(tn_sim_error_tolerance(sim), 2.0 / 3.0) : 0.0;
}

// The most that may add up under error control, however many steps there are. Where the energy is
// off by d, directors turn at a rate that is off by d/2, as nothing else conserves it: over a
// thousand turns a small part of the energy is a large angle.
static double most_energy(const tn_sim *sim)
{
    const bool directors = tn_sim_has_directors(sim);
    if (sim->sums.judge.mostly_fixed)
        return ENERGY;
    if (sim->powers_need_reactions)
        return fmin(ENERGY, DRIVEN * HALF_THE_DIGITS * sqrt(tn_sim_error_tolerance(sim)));
    return fmin(fmin(ENERGY, HALF_THE_DIGITS * sqrt(tn_sim_error_tolerance(sim))),
                directors && sim->sums.judge.turned > 0.0 ? 2.0 * LOST / sim->sums.judge.turned
                                                          : ENERGY);
}

static double energy_bound(const tn_sim *sim)
{
    const tn_ledger *l = &sim->sums.ledger;
    double n;
    const double e = tn_sim_step_error(sim, sim->sums.judge.mostly_fixed, &n);
    const double seen = !sim->sums.judge.mostly_fixed || !(l->energy_scale > 0.0)
                            ? 0.0
                            : sim->sums.judge.differences / l->energy_scale;
    const double share = sim->sums.judge.mostly_fixed ? 0.1
                         : sim->powers_need_reactions ? DRIVEN
                                                      : 1.0;
    return fmin(most_energy(sim), share * n * e + seen + loose_velocities(sim));
}

// On the way --------------------------------------------------------------------------------------

// The kinetic energy of a motion that steps resolve is smooth. Its third differences, the distances
// from the parabola through the last three values, are of the order of the errors of energy that a
// method of second order makes in each step. A single jump shows in three of them and must not
// raise its bound: each counts no more than the one three steps before it.
static void add_difference(tn_judge *j, double t, double kinetic)
{
    double weight[3];
    tn_lagrange(3, j->when, t, weight, NULL);
    const double third = fabs(kinetic - tn_dot(3, weight, j->kinetic));
    j->differences += fmin(third, j->third[2]);
    j->third[2] = j->third[1];
    j->third[1] = j->third[0];
    j->third[0] = third;
}

void tn_sim_judge_energy(tn_sim *sim)
{
    tn_judge *j = &sim->sums.judge;
    const tn_ledger *l = &sim->sums.ledger;
    const double t = sim->start.x.t;
    const bool instead = sim->micro_stepped && j->nkinetic > 0; // over a short part nothing changes
    if (!instead && j->nkinetic == 3)
        add_difference(j, t, l->kinetic);
    for (int i = 2; i > 0 && !instead; i--) {
        j->kinetic[i] = j->kinetic[i - 1];
        j->when[i] = j->when[i - 1];
    }
    j->kinetic[0] = l->kinetic;
    j->when[0] = t;
    if (!instead && j->nkinetic < 3)
        j->nkinetic++;
    if (fabs(l->balance) >= l->max_balance)
        j->t_balance = t;
}

// The verdict -------------------------------------------------------------------------------------

// Velocities below this are round-off and no motion. Where they follow from positions alone they
// have the round-off of positions, divided by the step.
static double speed_of_rest(const tn_sim *sim, const tn_ledger *l)
{
    const tn_sizes *s = &sim->sums.judge.sizes;
    const tn_formulation *f = sim->method.formulation;
    const bool differences = f->position && !f->velocity && l->step_max > 0.0;
    const double slow = sim->model ? tn_system_typical(sim->start.sys, TN_KIND_SPEED) : 0.0;
    const double jitter = differences ? (s->far + s->length) / l->step_max : 0.0;
    return NOISE * DBL_EPSILON * fmax(fmax(slow, s->speed), jitter);
}

// Positions have round-off in each step, and stiff elements store energy by it: what adds up at
// random to sqrt(n) of it in positions is n of it in energies.
double tn_sim_energy_noise(const tn_sim *sim, const tn_ledger *l)
{
    const tn_judge *j = &sim->sums.judge;
    const double round = NOISE * DBL_EPSILON;
    const double summed = fabs(l->energy_start) + fabs(l->kinetic) + fabs(l->potential) +
                          fabs(l->dissipated) + fabs(l->supplied) +
                          j->weight * (j->sizes.far + j->sizes.length);
    const double rest = speed_of_rest(sim, l);
    return round * summed * sqrt(1.0 + (double)l->steps) + 0.5 * j->sizes.mass * rest * rest +
           round * round * j->stiffness * (1.0 + (double)l->steps);
}

double tn_sim_work_share(const tn_sim *sim)
{
    const tn_ledger *l = &sim->sums.ledger;
    double n;
    const double part =
        fmin(WORK_MOST,
             fmax(WORK_LEAST, WORK * tn_sim_step_error(sim, sim->sums.judge.mostly_fixed, &n)));
    const double scale = fmax(l->energy_scale, fabs(l->kinetic));
    return fmax(part * scale, tn_sim_energy_noise(sim, l));
}

double tn_ledger_relative_balance(const tn_ledger *l)
{
    TN_NEED(l, 0.0);
    if (!l->has_energy)
        return NAN;
    if (l->max_balance <= l->energy_noise)
        return 0.0;
    return (l->max_balance - l->energy_noise) / fmax(l->energy_scale, l->energy_noise);
}

// The energy of a motion at speeds that the tolerance does not separate from rest [J]. A mechanism
// in equilibrium, but for the digits of its data, may gain or lose as much without a warning. What
// single steps gain and lose is random, and adds up as sqrt(n). No tolerance takes all of a motion
// for rest.
static double energy_of_rest(const tn_sim *sim)
{
    const tn_sizes *s = &sim->sums.judge.sizes;
    double n;
    const double e = tn_sim_step_error(sim, sim->sums.judge.mostly_fixed, &n);
    const double part = sim->sums.judge.mostly_fixed ? 0.0 : fmin(ENERGY, e * e * sqrt(n));
    return 0.5 * s->mass * s->speed * s->speed * part;
}

// What weight does over the way by which rows have drifted, which is judged itself.
static double energy_of_drift(const tn_sim *sim)
{
    return sim->sums.judge.weight * sim->sums.ledger.max_g / sim->start.sys->units.length;
}

tn_worst tn_sim_worst_energy(const tn_sim *sim, bool *judged)
{
    const tn_judge *j = &sim->sums.judge;
    const double stated = j->stated[TN_QUANTITY_ENERGY];
    const double rest = energy_of_rest(sim) + energy_of_drift(sim);
    const double bound = isnan(stated) ? energy_bound(sim) : stated;
    const double balance = sim->sums.ledger.max_balance;
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    const double value = ledger.has_energy ? tn_ledger_relative_balance(&ledger) : 0.0;
    const bool explained = isnan(stated) && balance <= rest + j->not_resolved;
    *judged = !(explained && balance > rest && value > bound);
    if (explained)
        return (tn_worst){.bound = bound, .where = -1};
    return (tn_worst){.value = value, .bound = bound, .t = j->t_balance, .where = -1};
}

void tn_sim_note_not_judged(tn_sim *sim)
{
    bool judged = true;
    if (sim->sums.judge.not_resolved > 0.0)
        tn_sim_worst_energy(sim, &judged);
    if (judged)
        return;
    tn_notes_add(&sim->start.notes,
                 "the energy balance is not judged: powers of drives, motors or dampers change so "
                 "fast within steps that %d parts of one do not resolve their work; state step_max "
                 "or bounds (energy<1e-2) to have it judged",
                 TN_POWER_PARTS);
}
