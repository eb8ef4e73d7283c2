// SPDX-License-Identifier: MIT
//
// Parts of a step that are short beside it. Discontinuities near the start and the end of a step
// leave such parts. Integrators that solve for their rates divide the round-off of positions by the
// square of the step size: after a part of 1e-17 s their accelerations and multipliers are noise,
// and the next step, a thousand million times as long, would begin with that noise. So the
// integrator does not take such a part; the midpoint rule on the accelerations of the state does,
//
//   q1 = q0 o exp(h v0 + h^2/2 a),  v1 = v0 + h a,  a = v'(t0 + h/2).
//
// It divides by nothing, and its error of h^3 is far below that of any step. The integrator begins
// anew behind it.

#include "linalg/dense.h"
#include "sim/sim.h"

// A part is short below `part` of the whole step. With a smaller limit the errors that iterations
// leave show in the accelerations of index3; with a larger one the error of the midpoint rule shows
// beside that of the step. The acceleration, times h, may change by `change` of the speed over the
// part, and rates of extra states alike: where they change faster than that, the integrator takes
// the part after all.
typedef struct limits {
    double part, change;
} limits;

// For methods of second order, which keep accelerations, and for methods of higher order. Discrete
// principles count among the latter, as their energies are exact. Methods that choose their steps
// have no other whole step than the first one.
static const limits SECOND = {0.05, 1e-4}, HIGHER = {1e-3, 1e-6}, OWN = {1e-4, 1e-6};

static limits limits_of(const tn_sim *sim)
{
    if (sim->method.integrator->own_steps)
        return OWN;
    return sim->method.integrator->order <= 2 && !sim->discrete ? SECOND : HIGHER;
}

bool tn_sim_is_short(const tn_sim *sim, double h)
{
    return h < limits_of(sim).part * sim->whole;
}

// Moves the state by h from where the step began, along velocities v and accelerations a; the extra
// states c move by their rates in sys->extra. Refreshes all that follows from the state.
static tn_status move_micro_step(tn_sim *sim, double h, const double *v, const double *a)
{
    TN_ASSERT(h > 0.0);
    tn_system *sys = sim->start.sys;
    const tn_state *from = &sim->before;
    tn_state *x = &sim->start.x;
    for (int i = 0; i < sys->nv; i++) {
        sim->scratch[i] = h * (v[i] + 0.5 * h * a[i]);
        x->v[i] = v[i] + h * a[i];
    }
    tn_group_retract(sys->ngroup, sys->groups, from->q, sim->scratch, x->q);
    for (int i = 0; i < sys->nc; i++)
        x->e[i] = from->e[i] + h * sys->extra[i];
    x->t = from->t + h;
    return tn_start_refresh(&sim->start);
}

// c' at the current state, in sys->extra.
static tn_status find_extra_rates(tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->start.x);
    return sys->nc > 0 ? tn_system_eval(sys, &at, TN_EVAL_EXTRA) : TN_OK;
}

// By how much extra states would move otherwise over h with the rates of here than with those by
// which they have moved over `gone`; a part of their size.
static double differ_in_extra(const tn_sim *sim, double gone, double h)
{
    TN_ASSERT(gone > 0.0);
    const tn_system *sys = sim->start.sys;
    const double *from = sim->before.e, *to = sim->start.x.e;
    const double size = tn_system_typical(sys, TN_KIND_EXTRA) + tn_norm_inf(sys->nc, to);
    double most = 0.0;
    for (int i = 0; i < sys->nc; i++)
        most = fmax(most, fabs(h * sys->extra[i] - h / gone * (to[i] - from[i])));
    return most / size;
}

// The velocity has changed by h times the acceleration of the middle; x->a is that of the end.
static bool is_resolved(const tn_sim *sim, double h)
{
    TN_ASSERT(h > 0.0);
    const tn_system *sys = sim->start.sys;
    const tn_state *x = &sim->start.x;
    const double speed = tn_system_typical(sys, TN_KIND_SPEED) + tn_norm_inf(sys->nv, x->v);
    double change = 0.0;
    for (int i = 0; i < sys->nv; i++)
        change = fmax(change, fabs(h * x->a[i] - (x->v[i] - sim->before.v[i])));
    return change <= limits_of(sim).change * speed;
}

tn_status tn_sim_micro_step(tn_sim *sim, double h)
{
    TN_ASSERT(h > 0.0);
    tn_state *x = &sim->start.x;
    TN_TRY(tn_start_refresh(&sim->start));
    TN_TRY(find_extra_rates(sim));
    TN_TRY(move_micro_step(sim, 0.5 * h, sim->before.v, x->a));
    TN_TRY(find_extra_rates(sim));
    double change = differ_in_extra(sim, 0.5 * h, h);
    TN_TRY(move_micro_step(sim, h, sim->before.v, x->a));
    TN_TRY(find_extra_rates(sim));
    change = fmax(change, differ_in_extra(sim, h, h));
    if (!is_resolved(sim, h) || change > limits_of(sim).change)
        return TN_RETRY_ERROR;
    sim->stepper.error = sim->last_error; // the next step is chosen as if there were no part
    sim->stepper.moved = sim->stepper.known = sim->restart = true;
    return TN_OK;
}
