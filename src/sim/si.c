// SPDX-License-Identifier: MIT
//
// The boundary between a simulation, which computes with the model in units of its own size
// (model/units.h), and its user, who sees SI units: raw states, nodes of discrete principles, and
// the ledger. Bodies and joints cross it in sensors.c. Times are seconds on both sides.

#include "sim/sim.h"

void tn_sim_layout_si(tn_sim *sim, tn_carve *mem)
{
    const tn_system *sys = sim->start.sys;
    tn_si *si = &sim->si;
    tn_state_layout(sys, &si->x, mem);
    TN_CARVE_DOUBLES(mem, sys->nv, &si->p, &si->Qp, &si->reduced);
    for (int k = 0; k < 3; k++)
        TN_CARVE_DOUBLES(mem, sys->ng, &si->rows[k]);
}

const double *tn_sim_si(const tn_sim *sim, tn_measure measure, const double *x, double *out)
{
    tn_system_to_si(sim->start.sys, measure, x, out);
    return out;
}

void tn_sim_si_node(tn_sim *sim, tn_discrete_node *node)
{
    const tn_system *sys = sim->start.sys;
    const double **const rows[] = {&node->f, &node->h, &node->h_Qp};
    tn_si *si = &sim->si;
    if (!sys->q_length)
        return;
    const double energy = tn_unit_energy(sys->units);
    node->p = tn_sim_si(sim, TN_MEASURE_FORCE, node->p, si->p);
    node->Qp = tn_sim_si(sim, TN_MEASURE_FORCE, node->Qp, si->Qp);
    for (int i = 0; i < node->nreduced; i++) // motions are measured by lengths
        si->reduced[i] = energy / sys->units.length * node->reduced[i];
    node->reduced = si->reduced;
    for (int k = 0; k < TN_COUNT(rows); k++)
        if (*rows[k])
            *rows[k] = tn_sim_si(sim, TN_MEASURE_ROW, *rows[k], si->rows[k]);
    for (int i = 0; i < 3; i++) {
        node->linear_d[i] *= energy / sys->units.length;
        node->angular_d[i] *= energy;
        node->linear_p[i] *= energy / sys->units.length;
        node->linear_Qp[i] *= energy / sys->units.length;
        node->angular_p[i] *= energy;
        node->angular_Qp[i] *= energy;
    }
    node->E_d *= energy;
    node->H_d *= energy;
}

void tn_sim_si_ledger(tn_units units, tn_ledger *l)
{
    const double energy = tn_unit_energy(units), momentum = energy / units.length;
    double *const energies[] = {&l->energy_start, &l->energy,   &l->kinetic, &l->potential,
                                &l->dissipated,   &l->supplied, &l->balance, &l->max_balance,
                                &l->band[0],      &l->band[1],  &l->drift,   &l->energy_scale,
                                &l->energy_noise, &l->jumps,    &l->impacts};
    for (int k = 0; k < TN_COUNT(energies); k++)
        *energies[k] *= energy;
    for (int i = 0; i < 3; i++) {
        l->momentum[i] *= momentum;
        l->momentum_start[i] *= momentum;
        l->momentum_change[i] *= momentum;
        l->spin[i] *= energy;
        l->spin_start[i] *= energy;
        l->spin_change[i] *= energy;
    }
}
