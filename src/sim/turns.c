// SPDX-License-Identifier: MIT
//
// Angles by which bodies turn, and the errors of fixed steps in them. A uniform rotation is exact
// on the group and in angles of joints. In directors and quaternions it is an oscillation
// y' = i w y. With z = w h in directors, half of that in quaternions, a formula of order p makes
// the angle too small or too large by about
//
//   z^p / (p + 1)    backward differentiation [HW96, V.1]
//   z^p / (6 p!)     one-step methods: z^2 / 12 of the midpoint rule; less for p = 5
//
// of the angle. The energy may be right all the same, and no other quantity of the ledger shows it.
// The rate at which directors turn is not conserved by itself either: where the energy is off by d,
// the rate is off by d/2.

#include "integrator/bdf_fixed.h"
#include "linalg/dense.h"
#include "sim/sim.h"
#include "sim/verdict.h"

#include <math.h>
#include <string.h>

// The fastest rotation that is a coordinate. Rotations by angles of joints are exact.
static double fastest_rotation(const tn_sim *sim)
{
    const tn_system *sys = sim->start.sys;
    double most = 0.0;
    for (int k = 0; k < sys->ngroup; k++) {
        const tn_group *g = &sys->groups[k];
        if (tn_group_turns(g))
            most = fmax(most, tn_norm2(3, sim->start.x.v + g->v0 + tn_group_turn(g)));
    }
    return most;
}

// The part of a rotation that a step of that z loses.
static double part_lost(const tn_sim *sim, double z)
{
    const tn_integrator_ops *integrator = sim->method.integrator;
    const int asked = sim->options.max_order;
    if (integrator->multistep) {
        const int order = asked > 0 ? asked : TN_BDF_FIXED_DEFAULT;
        return pow(z, order) / (order + 1);
    }
    return pow(z, integrator->order) / (6.0 * tgamma(integrator->order + 1));
}

// The error of the rate at which directors turn, by the balance of energy.
static double rates_lost(const tn_sim *sim)
{
    const tn_ledger *l = &sim->sums.ledger;
    const bool told = l->has_energy && l->energy_scale > 0.0 && !sim->powers_need_reactions;
    return told ? 0.5 * fabs(l->balance) / l->energy_scale : 0.0;
}

void tn_sim_follow_turns(tn_sim *sim, double h)
{
    tn_judge *j = &sim->sums.judge;
    const bool directors = tn_sim_has_directors(sim);
    const char *rotation = sim->options.rotation;
    const bool on_group = strcmp(rotation, "quaternion") && strcmp(rotation, "euler");
    if (!sim->model || (!directors && (!j->fixed || on_group)))
        return;
    const double turn = h * (directors ? j->sizes.turning : fastest_rotation(sim));
    const double part =
        directors ? part_lost(sim, turn) + rates_lost(sim) : part_lost(sim, 0.5 * turn);
    j->turned += turn;
    if (j->fixed)
        j->lag += turn * fmin(1.0, part);
}
