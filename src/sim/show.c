// SPDX-License-Identifier: MIT
//
// Dense output: a state within the last step, for the read-out functions. Steps do not change for
// it.

#include "integrator/interpolate.h"
#include "linalg/dense.h"
#include "sim/sim.h"
#include "system/absolute.h"

TN_GETTER(double, tn_sim_before, (const tn_sim *sim), sim, 0.0, sim->before.t);

void tn_sim_keep(tn_sim *sim)
{
    tn_state_copy(sim->start.sys, &sim->start.x, &sim->before);
    tn_sim_keep_sums(sim);
    sim->view = &sim->start.x;
    sim->recovered.ends = NAN; // another step
    tn_sim_forget_recovered(sim);
    sim->step_end.kept = false;
    sim->pieces.last = sim->pieces.now;
}

void tn_sim_keep_step_end(tn_sim *sim)
{
    if (sim->step_end.kept)
        return;
    tn_state_copy(sim->start.sys, &sim->start.x, &sim->step_end.x);
    sim->step_end.ledger = sim->sums.ledger;
    sim->step_end.powers = sim->sums.powers.end;
    sim->step_end.kept = true;
}

static const tn_state *step_end(const tn_sim *sim)
{
    return sim->step_end.kept ? &sim->step_end.x : &sim->start.x;
}

static void show_ledger(tn_sim *sim, bool judged)
{
    tn_ledger *l = &sim->ledger_shown;
    const tn_step_end *end = &sim->step_end;
    const tn_ledger *l0 = &sim->sums_before.ledger,
                    *l1 = end->kept ? &end->ledger : &sim->sums.ledger;
    const double h = step_end(sim)->t - sim->before.t, s = (sim->shown.t - sim->before.t) / h;
    TN_ASSERT(s > -1e-9 && s < 1.0 + 1e-9);
    *l = sim->sums.ledger;
    tn_sim_measure_shown(sim, judged, l);
    if (sim->step_works.known) {
        const tn_exchange work = tn_sim_partial_work(sim, s, h);
        l->dissipated = l0->dissipated + work.dissipated;
        l->supplied = l0->supplied + work.supplied;
    } else {
        const tn_exchange p0 = sim->sums.powers.begin,
                          p1 = end->kept ? end->powers : sim->sums.powers.end;
        l->dissipated =
            tn_hermite(s, h, l0->dissipated, l1->dissipated, p0.dissipated, p1.dissipated);
        l->supplied = tn_hermite(s, h, l0->supplied, l1->supplied, p0.supplied, p1.supplied);
    }
    l->balance = l->energy + l->dissipated - l->supplied - l->energy_start;
    if (judged)
        tn_sim_note_shown(sim);
}

void tn_sim_look_ahead(tn_sim *sim, double dt)
{
    const tn_system *sys = sim->start.sys;
    const tn_state *x = &sim->start.x;
    tn_state *to = &sim->shown;
    tn_state_copy(sys, x, to);
    to->t = x->t + dt;
    for (int i = 0; i < sys->nv; i++)
        sim->scratch[i] = dt * (x->v[i] + 0.5 * dt * x->a[i]);
    tn_group_retract(sys->ngroup, sys->groups, x->q, sim->scratch, to->q);
    tn_axpy(sys->nv, dt, x->a, to->v);
}

// Sampled values are those of the step, whatever has changed at its end.
static tn_status interpolate(tn_sim *sim, double t)
{
    const tn_integrator_ops *ops = sim->method.integrator;
    if (!sim->ode)
        return ops->interpolate(sim->integrator, &sim->stepper, t, &sim->shown);
    const double *r = tn_ode_use_samples(sim->ode, sim->shown.r);
    const bool exist = tn_unknowns_exist(&sim->watch.unknowns);
    const tn_ode_way *way = tn_ode_follow(sim->ode, exist ? &sim->way_within : NULL);
    const tn_status status = ops->interpolate(sim->integrator, &sim->stepper, t, &sim->shown);
    tn_ode_follow(sim->ode, way);
    tn_ode_use_samples(sim->ode, r);
    return status;
}

tn_status tn_sim_interpolate(tn_sim *sim, double t)
{
    TN_ASSERT(t >= sim->before.t && t <= step_end(sim)->t);
    const tn_integrator_ops *ops = sim->method.integrator;
    tn_sim_use_piece(sim, &sim->pieces.last);
    const tn_state *end = step_end(sim);
    tn_copy(sim->start.sys->nr, sim->before.r, sim->shown.r);
    if (sim->model && end->t > sim->before.t)
        tn_absolute_between(sim->start.sys->nturn, sim->before.t, end->t, sim->before.r, end->r, t,
                            sim->shown.r);
    if (ops->interpolate && !sim->micro_stepped)
        TN_TRY(interpolate(sim, t));
    else
        tn_interpolate(sim->start.sys, &sim->before, step_end(sim), t, &sim->shown);
    sim->shown.t = t;
    return TN_OK;
}

static tn_status show(tn_sim *sim, double t, bool judged)
{
    const tn_state *x = &sim->start.x;
    if (!(t >= sim->before.t && t <= x->t))
        return tn_fail(TN_ERR_USAGE, "t = %g s is not within the last step, from %g s to %g s", t,
                       sim->before.t, x->t);
    tn_sim_current(sim);
    if (t == x->t || x->t == sim->before.t)
        return TN_OK;
    TN_TRY(tn_sim_leave(sim, tn_sim_interpolate(sim, t), "no dense output"));
    tn_sim_project_output(sim);
    if (!sim->ode) // which has solved for them
        TN_TRY(tn_sim_find_unknowns(sim));
    show_ledger(sim, judged);
    sim->view = &sim->shown;
    tn_sim_forget_recovered(sim);
    return TN_OK;
}

tn_status tn_sim_show(tn_sim *sim, double t)
{
    TN_NEED(sim, TN_ERR_USAGE);
    return show(sim, t, true);
}

tn_status tn_sim_sample_silently(tn_sim *sim, double t)
{
    return show(sim, t, false);
}

void tn_sim_current(tn_sim *sim)
{
    TN_NEED(sim, );
    tn_sim_use_piece(sim, &sim->pieces.now);
    const bool other = sim->view != &sim->start.x;
    sim->view = &sim->start.x;
    sim->start.sys->looked = false;
    if (other)
        tn_sim_forget_recovered(sim);
}
