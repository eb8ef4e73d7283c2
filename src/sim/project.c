// SPDX-License-Identifier: MIT
//
// Projection of positions and velocities onto the constraints, `+project`: where |g| or the time
// scale times |B v + g_t| has grown beyond project_tol, q is moved by simplified Newton steps with
// the matrix of its start,
//
//   ( M  B^T ) ( dq )     (   0   )
//   ( B  0   ) ( mu ) = - ( g(q)  )          [Arn16, eq. 89]
//
// and then v onto B v + g_t = 0 in the norm of M [Arn16, eq. 91]. In (89) the right-hand side
// also has M (q - q_n); with the matrix kept, that part only turns mu into the sum of its steps.
//
// Near a singular position an error of size e in g moves the bodies by e / sigma, with sigma the
// smallest singular value of B: there the threshold is lowered with sigma, so that it is one for
// the motion, down to round-off.

#include "linalg/dense.h"
#include "sim/sim.h"

static const int STEPS_MAX = 12;
static const double ROUNDING = 1e-14;
static const double NEAR = 0.2; // of the margin: from here on down to round-off

// Round-off of g by coordinates of this size.
static double round_off(const tn_sim *sim)
{
    const tn_system *sys = sim->start.sys;
    return ROUNDING * (1.0 + fmax(sys->reach, tn_norm_inf(sys->nq, sim->start.x.q)));
}

// The smallest singular value of the constraints by the largest so far, by the estimates of
// factorisations.
static double rank_margin(const tn_sim *sim)
{
    const double told = sim->hint.rcond, best = sim->condition.best;
    const double now = isfinite(told) ? told : sim->condition.now;
    return best > 0.0 && now < best ? sqrt(fmax(now, 0.0) / best) : 1.0;
}

static double project_threshold(const tn_sim *sim)
{
    TN_ASSERT(sim->options.project_tol > 0.0);
    const double least = round_off(sim);
    const double tol = sim->options.project_tol, margin = rank_margin(sim);
    return fmin(tol, margin < NEAR ? least : fmax(least, tol * margin));
}

static tn_status position_residual(tn_sim *sim, double *norm)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->start.x);
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_G));
    *norm = 0.0;
    for (int i = 0; i < sys->ng; i++)
        if (tn_start_active(&sim->start)[i])
            *norm = fmax(*norm, fabs(sys->g[i]));
    return TN_OK;
}

static tn_status project_newton_step(tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    double *dq = sim->scratch, *rows = sim->rows, *q = sim->start.x.q;
    tn_zero(sys->nv, dq);
    tn_zero(sys->ng + sys->nn, rows);
    tn_axpy(sys->ng, -1.0, sys->g, rows);
    TN_TRY(tn_accel_resolve(sim->start.accel, dq, rows));
    tn_group_retract(sys->ngroup, sys->groups, q, dq, q);
    return TN_OK;
}

// Goes on to well below the threshold, or until round-off lets g fall no further.
static tn_status project_position(tn_sim *sim)
{
    const tn_point at = tn_state_point(&sim->start.x);
    const double target = 1e-2 * project_threshold(sim);
    const double enough = fmax(sim->options.project_tol, round_off(sim));
    double norm = 0.0, last = INFINITY;
    TN_TRY(tn_accel_factor(sim->start.accel, &at));
    for (int k = 0; k < STEPS_MAX; k++) {
        TN_TRY(position_residual(sim, &norm));
        if (norm <= target || (norm > 0.5 * last && norm <= enough))
            return TN_OK;
        last = norm;
        TN_TRY(project_newton_step(sim));
    }
    TN_TRY(position_residual(sim, &norm));
    if (norm <= enough)
        return TN_OK;
    return tn_fail(TN_RETRY_NEWTON, "the projection onto the constraints does not converge");
}

tn_status tn_sim_project(tn_sim *sim)
{
    tn_state *x = &sim->start.x;
    tn_system *sys = sim->start.sys;
    TN_TRY(project_position(sim));
    const tn_point at = tn_state_point(x);
    TN_TRY(tn_accel_project(sim->start.accel, &at, x->v));
    sim->stepper.moved = true;
    sim->stepper.known = false;
    sim->sums.ledger.projections++;
    if (sys->nw + sys->ns == 0)
        return TN_OK;
    sim->stepper.known = true; // w and s follow q, and with them a and lambda
    return tn_start_refresh(&sim->start);
}

// The drift of the rows that take part: others may be off by what their loop is off
// (dependence_tol). Rates count by the time scale of the motion.
static double project_drift(const tn_sim *sim)
{
    const tn_system *sys = sim->start.sys;
    const int *active = tn_start_active(&sim->start);
    double most = 0.0;
    for (int i = 0; i < sys->ng; i++)
        if (active[i])
            most = fmax(most, fmax(fabs(sys->g[i]), sys->time_scale * fabs(sys->gdot[i])));
    for (int i = 0; i < sys->nn; i++)
        if (active[sys->ng + i])
            most = fmax(most, sys->time_scale * fabs(sys->ndot[i]));
    return most;
}

tn_status tn_sim_project_drift(tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->start.x);
    if (!sim->method.project || sys->ng + sys->nn == 0)
        return TN_OK;
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_G | TN_EVAL_GDOT));
    return project_drift(sim) > project_threshold(sim) ? tn_sim_project(sim) : TN_OK;
}
