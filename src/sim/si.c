// SPDX-License-Identifier: MIT
//
// The boundary between a simulation, which computes with the model in units of its own size
// (model/units.h), and its user, who sees SI units: raw states, nodes of discrete principles, and
// the ledger. Bodies and joints cross it in readout.c. Times are seconds on both sides.

#include "linalg/dense.h"
#include "sim/sim.h"

void tn_sim_layout_si(tn_sim *sim, tn_carve *mem)
{
    const tn_system *sys = sim->start.sys;
    tn_si *si = &sim->si;
    tn_state_layout(sys, &si->x, mem);
    si->p = tn_carve_doubles(mem, sys->nv);
    si->Qp = tn_carve_doubles(mem, sys->nv);
    si->reduced = tn_carve_doubles(mem, sys->nv);
    for (int k = 0; k < 3; k++)
        si->rows[k] = tn_carve_doubles(mem, sys->ng);
}

static void multiply_si(int n, const bool *length, double unit, double other, const double *x,
                        double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = x[i] * (length[i] ? unit : other);
}

const double *tn_sim_si_q(const tn_sim *sim, const double *q)
{
    const tn_system *sys = sim->start.sys;
    if (!sys->q_length)
        return q;
    multiply_si(sys->nq, sys->q_length, sys->units.length, 1.0, q, sim->si.x.q);
    return sim->si.x.q;
}

const double *tn_sim_si_v(const tn_sim *sim, const double *v)
{
    const tn_system *sys = sim->start.sys;
    if (!sys->v_length)
        return v;
    multiply_si(sys->nv, sys->v_length, sys->units.length, 1.0, v, sim->si.x.v);
    return sim->si.x.v;
}

const double *tn_sim_si_a(const tn_sim *sim, const double *a)
{
    const tn_system *sys = sim->start.sys;
    if (!sys->v_length)
        return a;
    multiply_si(sys->nv, sys->v_length, sys->units.length, 1.0, a, sim->si.x.a);
    return sim->si.x.a;
}

const double *tn_sim_si_lambda(const tn_sim *sim, const double *lambda)
{
    const tn_system *sys = sim->start.sys;
    if (!sys->g_length)
        return lambda;
    const double energy = tn_unit_energy(sys->units);
    multiply_si(sys->ng, sys->g_length, energy / sys->units.length, energy, lambda,
                sim->si.x.lambda);
    return sim->si.x.lambda;
}

static const double *si_rows(tn_si *si, int k, const tn_system *sys, const double *x)
{
    if (!x)
        return NULL;
    multiply_si(sys->ng, sys->g_length, sys->units.length, 1.0, x, si->rows[k]);
    return si->rows[k];
}

void tn_sim_si_node(tn_sim *sim, tn_discrete_node *node)
{
    const tn_system *sys = sim->start.sys;
    tn_si *si = &sim->si;
    if (!sys->q_length)
        return;
    const double energy = tn_unit_energy(sys->units), momentum = energy / sys->units.length;
    multiply_si(sys->nv, sys->v_length, momentum, energy, node->p, si->p);
    multiply_si(sys->nv, sys->v_length, momentum, energy, node->Qp, si->Qp);
    for (int i = 0; i < node->nreduced; i++) // motions are measured by lengths
        si->reduced[i] = momentum * node->reduced[i];
    node->p = si->p;
    node->Qp = si->Qp;
    node->reduced = si->reduced;
    node->f = si_rows(si, 0, sys, node->f);
    node->h = si_rows(si, 1, sys, node->h);
    node->h_Qp = si_rows(si, 2, sys, node->h_Qp);
    node->E_d *= energy;
    node->H_d *= energy;
}

void tn_sim_si_ledger(tn_units units, tn_ledger *l)
{
    const double energy = tn_unit_energy(units), momentum = energy / units.length;
    double *const energies[] = {&l->energy_start, &l->energy,   &l->kinetic, &l->potential,
                                &l->dissipated,   &l->supplied, &l->balance, &l->max_balance,
                                &l->band[0],      &l->band[1],  &l->drift,   &l->energy_scale,
                                &l->energy_noise};
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
