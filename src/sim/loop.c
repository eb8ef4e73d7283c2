// SPDX-License-Identifier: MIT
//
// The time loop: attempts at a step and what follows an accepted one, fixed and error-controlled
// steps, and the times at which a step must end.

#include "base/clock.h"
#include "linalg/dense.h"
#include "model/model_kinks.h"
#include "sim/monitor.h"
#include "sim/sim.h"
#include "text/notes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

tn_status tn_sim_heed_stop(tn_sim *sim)
{
    if (!sim->stop)
        return TN_OK;
    sim->stop = 0;
    return tn_fail(TN_ERR_STOPPED, "stopped on request at t = %.6g s", sim->start.x.t);
}

// Velocity projection at given times [ACB15, eq. 7]; it leaves a and lambda alone.
static tn_status project_when_due(tn_sim *sim, double h)
{
    TN_ASSERT(h > 0.0);
    tn_state *x = &sim->start.x;
    bool due = false;
    while (sim->nprojected < sim->options.nproject &&
           sim->project_times[sim->nprojected] <= x->t + 1e-6 * h) {
        sim->nprojected++;
        due = true;
    }
    if (!due)
        return TN_OK;
    const tn_point at = tn_state_point(x);
    sim->stepper.moved = true;
    sim->stepper.known = false;
    return tn_accel_project(sim->start.accel, &at, x->v);
}

// Rows that are enforced are off by what a step or its dense output has left. A method that begins
// anew with short steps would take that away within the first of them, at any speed: no error test
// would hold, the less the shorter the step.
static tn_status move_onto_enforced(tn_sim *sim)
{
    const tn_formulation *f = sim->method.formulation;
    const bool enforced = f->position || f->velocity;
    const bool rows = sim->start.sys->ng + sim->start.sys->nn > 0;
    const bool short_steps = sim->method.integrator->own_steps && sim->options.adaptive;
    return enforced && rows && short_steps ? tn_sim_project(sim) : TN_OK;
}

// Forces may jump here: the old accelerations belong to the past, and so does the integrator's
// memory of them.
tn_status tn_sim_begin_anew(tn_sim *sim, const char *after)
{
    tn_status status = move_onto_enforced(sim);
    TN_THEN(status, tn_start_refresh(&sim->start));
    if (status > 0)
        return tn_fail_within(TN_ERR_NUMERIC, "no accelerations after %s at t = %.6g s", after,
                              sim->start.x.t);
    TN_TRY(status);
    tn_sim_note_jump(sim);
    sim->stepper.moved = sim->stepper.known = sim->restart = true;
    return TN_OK;
}

static tn_status sample_when_due(tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    tn_state *x = &sim->start.x;
    if (!sys->ops->next_sample || x->t < sim->sample_at)
        return TN_OK;
    tn_sim_keep_step_end(sim);
    const tn_point at = tn_state_point(x);
    tn_status status = sys->ops->sample(sys, &at, x->r);
    if (status > 0) // no smaller step ends anywhere else
        return tn_fail_within(TN_ERR_NUMERIC, "no sample at t = %.6g s", x->t);
    TN_TRY(status);
    tn_sim_judge_samples(sim);
    TN_TRY(tn_sim_settle_decisions(sim));
    return tn_sim_begin_anew(sim, "the sample");
}

// Conditions of expressions have changed, and forces may jump with them.
static tn_status decide(tn_sim *sim)
{
    tn_sim_keep_step_end(sim);
    TN_TRY(tn_sim_settle_decisions(sim));
    TN_TRY(tn_sim_begin_anew(sim, "a decision of an expression"));
    return tn_sim_watch_slides(sim);
}

static const char *advice_on(const tn_sim *sim)
{
    if (sim->options.adaptive)
        return "loosen the tolerances or check the model there";
    return tn_integrator_is_fixed(sim->method.integrator) ? "try a smaller step"
                                                          : "try a smaller step or adaptive: true";
}

// Places so far from the origin that their round-off is FAR times that of one beside it, and more
// than what the step moves: no smaller step is better.
static bool is_lost_in_round_off(const tn_sim *sim, double h)
{
    static const double FAR = 1e5;
    const tn_judge *j = &sim->sums.judge;
    return j->round_off > FAR * DBL_EPSILON * j->sizes.length && h * j->sizes.speed < j->round_off;
}

// A step that only a smaller one can cure, and none is allowed: say where, what and what to try.
static tn_status give_up(tn_sim *sim, tn_status status, double h, const char *advice)
{
    TN_ASSERT(status != TN_OK);
    const double t = sim->start.x.t;
    char why[400]; // a check of singular positions may have sentences of its own
    snprintf(why, sizeof why, "%s", *tn_last_error() ? tn_last_error() : tn_status_text(status));
    TN_TRY(tn_sim_explain(sim, status, h));
    const bool lost = is_lost_in_round_off(sim, h);
    if (lost)
        advice = "bodies move by less than the round-off of their places in such a step: put the "
                 "origin near the model, or check the model there";
    if (status == TN_RETRY_ERROR)
        return tn_fail(
            TN_ERR_NUMERIC,
            "at t = %.6g s the error stays above the tolerance at the smallest step %.3g "
            "s; %s",
            t, h,
            lost ? advice
                 : "loosen rtol and atol, or check whether forces grow without bound or "
                   "jump there");
    if (status != TN_RETRY_FUNCTION && sim->stepper.culprit[0])
        return tn_fail(TN_ERR_NUMERIC,
                       "at t = %.6g s the step of %.3g s did not converge: the largest residual is "
                       "%.3g%s at %s; %s",
                       t, h, sim->stepper.worst,
                       sim->model ? " (with lengths and masses in units of the model's size)" : "",
                       sim->stepper.culprit, advice);
    return tn_fail(TN_ERR_NUMERIC, "at t = %.6g s the step of %.3g s failed: %s; %s", t, h, why,
                   advice);
}

// The step itself succeeded, but not what follows it: back to where it began.
static tn_status take_back(tn_sim *sim, tn_status status)
{
    TN_EACH_MONITOR(sim, restore, sim);
    tn_sim_current(sim);
    tn_state_copy(sim->start.sys, &sim->before, &sim->start.x);
    sim->stepper.moved = sim->stepper.known = true;
    sim->took_back = true;
    TN_TRY(sim->integrator->ops->begin(sim->integrator, &sim->options));
    return status;
}

// Rows that come in are off by what their loop is off.
static tn_status move_onto_rows(tn_sim *sim)
{
    tn_state *x = &sim->start.x;
    const tn_point at = tn_state_point(x);
    TN_TRY(tn_sim_project(sim));
    return tn_accel_solve(sim->start.accel, &at, x->e, x->a, x->lambda, x->eta);
}

// The rows that take part are others than the views know. Where the state has to move onto them the
// integrator begins anew; otherwise the motion goes on, whatever rows it is computed with.
static tn_status change_rows(tn_sim *sim)
{
    TN_ASSERT(sim->start.rows);
    const int *active = tn_start_active(&sim->start);
    tn_state *x = &sim->start.x;
    if (sim->problem)
        tn_problem_set_active(sim->problem, active);
    if (sim->ode)
        tn_ode_set_active(sim->ode, active);
    tn_row_choice_settle(sim->start.rows, x->lambda, x->eta);
    sim->row_changes = sim->start.rows->changes;
    const tn_integrator_ops *ops = sim->integrator->ops;
    const bool moves = sim->start.redundancy.off > tn_redundancy_typed;
    if (moves)
        TN_TRY(move_onto_rows(sim));
    else if (ops->change_rows)
        ops->change_rows(sim->integrator, &sim->stepper);
    sim->stepper.moved = sim->stepper.known = true;
    return moves && ops->change_rows ? ops->begin(sim->integrator, &sim->options) : TN_OK;
}

// Fixed steps until the next check of the rows: a small part of those in which the margin would be
// lost, if it went on as since the last check. Error-controlled ones are long and check each time.
static int steps_to_wait(tn_sim *sim)
{
    const double reserve = tn_row_choice_reserve(sim->start.rows);
    const double lost = fabs(sim->rows_reserve - reserve) / (sim->rows_waited + 1);
    sim->rows_reserve = reserve;
    return sim->options.adaptive ? 0 : (int)fmin(15.0, 0.1 * reserve / fmax(lost, 1e-6));
}

// If rows repeat each other, those that take part may become dependent on the way: others are
// chosen then, before a step. Discrete principles do so themselves.
static tn_status follow_rows(tn_sim *sim)
{
    tn_row_choice *rows = sim->start.rows;
    if (!rows || sim->discrete || sim->rows_wait-- > 0)
        return TN_OK;
    const tn_point at = tn_state_point(&sim->start.x);
    TN_TRY(tn_row_choice_at(rows, &at));
    sim->rows_waited = sim->rows_wait = steps_to_wait(sim);
    return rows->changes == sim->row_changes ? TN_OK : change_rows(sim);
}

// Prepares a step from the current state.
static tn_status open_attempt(tn_sim *sim, double h)
{
    TN_ASSERT(h > 0.0);
    TN_TRY(tn_sim_enter_piece(sim));
    tn_sim_keep_sides(sim);
    tn_sim_keep(sim);
    tn_sim_current(sim);
    tn_sim_follow_time_scale(sim);
    TN_EACH_MONITOR(sim, before, sim);
    sim->took_back = sim->unknowns.looked = false;
    sim->stepper.taken = h;
    sim->stepper.factor = sim->stepper.stiffness = 0.0;
    sim->stepper.culprit[0] = '\0';
    tn_clear_error();
    if (sim->restart)
        TN_TRY(sim->integrator->ops->begin(sim->integrator, &sim->options));
    sim->restart = false;
    return follow_rows(sim);
}

static tn_status advance(tn_sim *sim, double h)
{
    TN_ASSERT(h > 0.0);
    tn_state *x = &sim->start.x;
    if (sim->ode) // no smaller step will be tried where an unknown is too far
        tn_ode_follow(sim->ode, sim->stepper.unknowns && !sim->options.adaptive ? &sim->way : NULL);
    sim->micro_stepped = tn_sim_is_short(sim, h);
    if (sim->micro_stepped) {
        const tn_status status = tn_sim_micro_step(sim, h);
        if (status <= 0)
            return status;
        tn_clear_error();
        tn_state_copy(sim->start.sys, &sim->before, x);
        sim->micro_stepped = false;
    }
    const tn_status status = sim->integrator->ops->step(sim->integrator, &sim->stepper, x, h);
    if (!sim->stepper.paused || tn_sim_steps_over(sim, sim->before.t + h))
        return sim->stepper.paused ? TN_OK : status;
    return sim->integrator->ops->step(sim->integrator, &sim->stepper, x, h);
}

// Checks unknowns of methods that have not done so: explicit ones, and bdf under error control,
// whose iteration ends at a tolerance.
static tn_status check_unknowns(tn_sim *sim)
{
    if (!sim->stepper.unknowns || sim->unknowns.looked)
        return TN_OK;
    TN_TRY(tn_stepper_check(&sim->stepper, &sim->before, &sim->start.x));
    return sim->dae ? tn_unknowns_settle(&sim->unknowns, &sim->before, &sim->start.x) : TN_OK;
}

// The step, and what makes its end a state. Factorisations on the way show how near a singular
// position was, those of others nothing of this motion.
static tn_status take_step(tn_sim *sim, double to, double h, bool *taken)
{
    tn_system *sys = sim->start.sys;
    tn_state *x = &sim->start.x;
    TN_TRY(advance(sim, h));
    *taken = true;
    if (sim->stepper.taken >= h)
        x->t = to;
    const tn_point at = tn_state_point(x);
    tn_status status = check_unknowns(sim);
    if (status == TN_OK && sys->ops->accept)
        status = sys->ops->accept(sys, &at, x->r);
    TN_THEN(status, project_when_due(sim, h));
    TN_THEN(status, tn_sim_project_drift(sim));
    return status;
}

// One attempt, of size h, to a time that is rounded already. Where it fails the state is as it was.
static tn_status attempt_once(tn_sim *sim, double to, double h)
{
    TN_ASSERT(h > 0.0 && to > sim->start.x.t);
    tn_system *sys = sim->start.sys;
    bool taken = false;
    TN_TRY(open_attempt(sim, h));
    sim->hint = (tn_rank_hint){.rcond = INFINITY};
    sys->hint = &sim->hint;
    tn_status status = take_step(sim, to, h, &taken);
    sys->hint = NULL;
    if (!taken)
        return status;
    TN_ASK_MONITORS(&status, sim, after, sim);
    return status == TN_OK ? TN_OK : take_back(sim, status);
}

// The same with contacts that do not pull: one that would is open from the beginning of the step.
static tn_status attempt_held(tn_sim *sim, double to, double h)
{
    bool released = true;
    tn_status status = TN_OK;
    while (released) {
        status = attempt_once(sim, to, h);
        const bool taken = status == TN_OK;
        TN_TRY(tn_sim_find_released(sim, status, &released));
        if (released && taken)
            TN_TRY(take_back(sim, TN_OK));
        if (released)
            TN_TRY(tn_sim_let_go(sim));
    }
    return status;
}

// A step that has passed a switch is taken again up to there; the shorter one may find another one
// that comes first, or the same earlier, as a stiff force behind the switch spoils the output on
// the way there. Where that goes on it is halved, to end before. A switch may also lie at the very
// start of the step: a condition that depends on lambda sees that of the accelerations there, and
// in the step that of the method. The step up to it is one of this part of the whole, and longer
// than round-off of the time: it would be none otherwise.
enum { REDONE_MAX = 6, HALVED_MAX = 60 };
static const double LEAST_PART = 1e-12;

static tn_status attempt(tn_sim *sim, double to, double h)
{
    tn_sim_forget_flips(sim);
    sim->watch.latest = to;
    sim->watch.least = 0.0;
    TN_TRY(attempt_held(sim, to, h));
    const bool again = sim->watch.redo_at < INFINITY;
    for (int k = 0; k < REDONE_MAX + HALVED_MAX && sim->watch.redo_at < INFINITY; k++) {
        double switched = sim->watch.redo_at;
        TN_TRY(take_back(sim, TN_OK));
        if (sim->contacts.turn >= 0)
            TN_TRY(tn_sim_turn_contact(sim));
        if (sim->watch.left_zero)
            TN_TRY(tn_sim_begin_anew(sim, "a decision of an expression"));
        if (k >= REDONE_MAX) {
            switched = 0.5 * (sim->start.x.t + switched);
            sim->h = fmin(sim->h, switched - sim->start.x.t);
            tn_sim_forget_flips(sim);
        }
        sim->watch.least = fmax(LEAST_PART * h, tn_time_round_off(sim->start.x.t));
        switched = fmin(to, fmax(switched, sim->start.x.t + sim->watch.least));
        TN_TRY(attempt_held(sim, switched, switched - sim->start.x.t));
    }
    TN_EACH_MONITOR(sim, kept, sim);
    if (again)
        tn_sim_flip_switches(sim);
    tn_sim_keep_modes(sim);
    if (sim->watch.settles)
        TN_TRY(decide(sim));
    TN_TRY(tn_sim_step_over_impacts(sim));
    tn_status status = TN_OK;
    TN_ASK_MONITORS(&status, sim, check, sim);
    return status == TN_OK ? sample_when_due(sim) : take_back(sim, status);
}

// The time of the next sample after t. Functions that count periods may lose one to round-off, so
// that "after" is a little later than t.
static double next_sample(tn_sim *sim, double t)
{
    tn_system *sys = sim->start.sys;
    if (!sys->ops->next_sample)
        return INFINITY;
    const double slack = 8.0 * DBL_EPSILON * fmax(fabs(t), DBL_MIN);
    const double next = sys->ops->next_sample(sys, t);
    return next > t + slack ? next : sys->ops->next_sample(sys, t + 2.0 * slack);
}

// Latest end of a step of about h from the current state. A stop that comes less than `snap` later
// comes with it, so that no step is left over that is round-off.
static tn_status next_stop(tn_sim *sim, double end, double h, double snap, double *to)
{
    TN_ASSERT(end > sim->start.x.t && h > 0.0);
    const double t = sim->start.x.t;
    double piece_end;
    TN_TRY(tn_sim_pass_contacts(sim));
    TN_TRY(tn_sim_take_inputs(sim));
    TN_TRY(tn_sim_pass_kinks(sim, h, &piece_end));
    TN_TRY(tn_sim_heed_stop(sim)); // the search may have ended over it
    sim->sample_at = next_sample(sim, t);
    if (!(sim->sample_at > t))
        return tn_fail(TN_ERR_USAGE, "next_sample tells %.17g s for a time after %.17g s",
                       sim->sample_at, t);
    TN_TRY(tn_sim_check_pole(sim));
    const double stop[] = {end,          sim->sample_at,         piece_end,
                           sim->pole_at, tn_sim_next_pulse(sim), tn_sim_next_contact(sim, h)};
    double first = INFINITY;
    for (int i = 0; i < TN_COUNT(stop); i++)
        first = fmin(first, stop[i]);
    *to = first;
    for (int i = 0; i < TN_COUNT(stop); i++)
        if (stop[i] <= first + fmax(snap, tn_time_round_off(first)))
            *to = fmax(*to, stop[i]);
    return TN_OK;
}

// Steps of a given size that end at `end`, divided where something happens on the way. Integrators
// that choose their steps take as many as they need.
static tn_status step_to(tn_sim *sim, double end, double h)
{
    TN_ASSERT(h > 0.0);
    tn_state *x = &sim->start.x;
    sim->whole = h;
    while (x->t < end) {
        double to = end;
        TN_TRY(next_stop(sim, end, end - x->t, 0.0, &to));
        const double left = to - x->t;
        TN_TRY(attempt(sim, to, fabs(left - h) < 1e-9 * h ? h : left));
        if (sim->ended_by >= 0)
            return TN_OK;
    }
    return TN_OK;
}

tn_status tn_sim_step(tn_sim *sim, double h)
{
    TN_NEED(sim, TN_ERR_USAGE);
    if (!(h > 0.0) || !isfinite(h))
        return tn_fail(TN_ERR_USAGE, "the step is %g s; it must be positive", h);
    const tn_sim_entry outer = tn_sim_enter(sim);
    const double begin = tn_wall_time();
    const bool adaptive = sim->options.adaptive, own = sim->method.integrator->own_steps;
    sim->options.adaptive = adaptive && own; // a step of a given size is not checked by its error
    tn_clear_error();
    const tn_status status = step_to(sim, sim->start.x.t + h, h);
    sim->options.adaptive = adaptive;
    sim->sums.ledger.wall += tn_wall_time() - begin;
    tn_sim_exit(outer);
    sim->sums.judge.failed = status != TN_OK;
    tn_sim_note_not_judged(sim);
    return tn_sim_leave(sim,
                        status > 0 ? give_up(sim, status, own ? sim->stepper.taken : h,
                                             own ? advice_on(sim) : "try a smaller step")
                                   : status,
                        "the step fails");
}

static tn_status after_step(tn_sim *sim, tn_sim_observer each, void *user)
{
    if (each)
        TN_TRY(each(user, sim));
    return tn_sim_heed_stop(sim);
}

// Times nearer than this part of a fixed step are one: half a step that is shorter would lose its
// digits in divisions by its size.
static const double SNAP = 1e-6;

// Samples are exact: a point of the grid, or another sample, that comes a little later does not
// put one off. Only the end of the run does.
static double stop_for_sample(const tn_sim *sim, double to, double t_end)
{
    const double sample = sim->sample_at;
    return to < t_end && sample + tn_time_round_off(sample) < to ? sample : to;
}

// One step, or a part of it, towards a point of the grid.
static tn_status fixed_step(tn_sim *sim, double target, double t_end)
{
    TN_ASSERT(sim->options.step > 0.0);
    const double h = sim->options.step, clock = tn_wall_time();
    double to;
    sim->whole = h;
    TN_TRY(next_stop(sim, target, h, SNAP * h, &to));
    to = stop_for_sample(sim, to, t_end);
    const double left = to - sim->start.x.t, size = fabs(left - h) < 1e-9 * h ? h : left;
    const tn_status status = attempt(sim, to, size);
    sim->sums.ledger.wall += tn_wall_time() - clock;
    return status > 0 ? give_up(sim, status, size, advice_on(sim)) : status;
}

// Begin of the grid: where the run began, also of one that was stopped and goes on.
static double grid_begin(tn_sim *sim, double t_end)
{
    tn_stretch *s = &sim->stretch;
    const double steps = (s->reached - s->begin) / sim->options.step;
    if (s->reached != sim->start.x.t || s->end != t_end || !(steps >= 0.0 && steps < 0x1p52))
        *s = (tn_stretch){sim->start.x.t, t_end, sim->start.x.t};
    return s->begin;
}

// Fixed steps: times are multiples of h from where the run began, so that they do not drift. What
// happens between two of them divides that one step. Remainders that are round-off are left out.
static tn_status run_fixed(tn_sim *sim, double t_end, tn_sim_observer each, void *user)
{
    tn_state *x = &sim->start.x;
    const double h = sim->options.step, slack = SNAP * h, begin = grid_begin(sim, t_end);
    double k = floor((x->t - begin) / h);
    while (x->t < t_end) {
        if (h <= tn_time_round_off(x->t))
            return tn_fail(TN_ERR_NUMERIC,
                           "at t = %.6g s a step of %.3g s is lost in the round-off of the time; "
                           "begin nearer to t = 0 or take longer steps",
                           x->t, h);
        while (begin + k * h <= x->t + slack)
            k += 1.0;
        const double target = begin + k * h;
        TN_TRY(fixed_step(sim, target > t_end - slack ? t_end : target, t_end));
        sim->stretch.reached = x->t;
        TN_TRY(after_step(sim, each, user));
        if (sim->ended_by >= 0)
            return TN_OK;
    }
    return TN_OK;
}

static double smallest_step(const tn_sim *sim)
{
    const double least = 1e-14 * fmax(sim->start.sys->time_scale, fabs(sim->start.x.t));
    return fmax(sim->options.step_min, least);
}

// A first step from the sizes of motion, its rates and the tolerances [HNW93, II.4].
static double first_step(const tn_sim *sim, double left)
{
    TN_ASSERT(left > 0.0);
    const tn_system *sys = sim->start.sys;
    const tn_state *x = &sim->start.x;
    const double rtol = sim->options.rtol, *atol = sim->stepper.atol;
    const double q = fmax(1e-3, tn_norm_inf(sys->nq, x->q)), v = tn_norm_inf(sys->nv, x->v);
    const double a = tn_norm_inf(sys->nv, x->a);
    const double least_q = fmin(atol[TN_KIND_LENGTH], atol[TN_KIND_ANGLE]);
    const double least_v = fmin(atol[TN_KIND_SPEED], atol[TN_KIND_RATE]);
    const double at_q = least_q + rtol * q, at_v = least_v + rtol * fmax(v, q / left);
    const double size = fmax(q / at_q, v / at_v), rate = fmax(v / at_q, a / at_v);
    return fmin(rate > 0.0 ? 0.01 * size / rate : 1e-3 * left, 0.1 * left);
}

static double next_step(const tn_sim *sim, double h, tn_status status)
{
    TN_ASSERT(h > 0.0);
    const int order = sim->method.integrator->order;
    const double wanted = sim->stepper.factor;
    if (status == TN_OK) {
        const double factor =
            wanted > 0.0 ? wanted : tn_step_factor(sim->stepper.error, sim->last_error, order);
        // Small changes are not worth a new factorisation and the transient of a step change.
        return wanted > 0.0 || factor < 0.95 || factor > 1.3 ? h * factor : h;
    }
    if (status != TN_RETRY_ERROR)
        return h * (wanted > 0.0 ? fmin(wanted, 0.5) : 0.25);
    return h * fmin(0.9, wanted > 0.0 ? wanted : tn_step_factor(sim->stepper.error, 1.0, order));
}

// A step at which a corrector has failed will fail again next time: errors do not show it, so the
// way back up is slow.
static const double LIMIT_BELOW = 0.8, LIMIT_GROWTH = 1.02;

static double wanted_step(const tn_sim *sim, double left)
{
    const bool own = sim->method.integrator->own_steps;
    double h = fmin(own ? left : sim->h, sim->h_limit);
    if (sim->options.step_max > 0.0 && !own)
        h = fmin(h, sim->options.step_max);
    const bool last = h >= left * (1.0 - 1e-9);
    return last ? left : h > 0.5 * left && !own ? 0.5 * left : h; // no tiny remainder
}

// Forces or speeds that are so large that no step is short enough for them.
static tn_status tell_lost(const tn_sim *sim, double h)
{
    const tn_state *x = &sim->start.x;
    const int nv = sim->start.sys->nv;
    return tn_fail(TN_ERR_NUMERIC,
                   "at t = %.6g s the motion asks for steps of %.3g s, which are lost in the "
                   "round-off of the time: rates reach %.3g and accelerations %.3g, in units of "
                   "the model's size; check forces, masses and speeds",
                   x->t, h, tn_norm_inf(nv, x->v), tn_norm_inf(nv, x->a));
}

// Integrators that choose their steps would take one again that was taken back: this part of it is
// the next try.
static const double TAKEN_BACK = 0.25;

// Steps of an explicit method are held by stability where so many of them come near its bound with
// no so many others between them, as in the codes of [HW96, IV.2]. Near is not at it: where
// stiffness grows, steps lag behind. Many such steps are reported, once.
static const double NEAR_BOUND = 0.75;
enum { HITS = 15, OTHERS = 6, MANY_HELD = 200 };

static void watch_stability(tn_sim *sim)
{
    tn_held *s = &sim->held;
    const double now = sim->stepper.stiffness, bound = sim->method.integrator->decay_max;
    if (now == 0.0)
        return;
    s->others = now > NEAR_BOUND * bound ? 0 : s->others + 1;
    s->hits = s->others >= OTHERS ? 0 : s->hits + (s->others == 0);
    if (s->hits < HITS)
        return;
    if (s->steps++ == 0)
        s->since = sim->before.t;
    if (s->steps == MANY_HELD)
        tn_notes_add(&sim->start.notes,
                     "steps of %s are held by stability, not by accuracy, since t = %.4g s: an "
                     "implicit method such as radau5/ggl may be faster",
                     sim->method.integrator->name, s->since);
}

// One accepted error-controlled step, not beyond `end`, of a run up to t_end. Integrators that
// choose their steps have done all they can when they fail, unless their step was taken back.
static tn_status controlled_step(tn_sim *sim, double end, double t_end)
{
    TN_ASSERT(end > sim->start.x.t && t_end >= end);
    tn_state *x = &sim->start.x;
    const bool own = sim->method.integrator->own_steps;
    if (sim->h == 0.0)
        sim->h = first_step(sim, t_end - x->t);
    for (double most = INFINITY;;) {
        const double left = end - x->t, h = fmin(wanted_step(sim, left), most);
        if (!(x->t + h > x->t))
            return tell_lost(sim, h);
        sim->whole = fmax(sim->h, h);
        const tn_status status = attempt(sim, h < left ? x->t + h : end, h);
        if (status == TN_OK) {
            sim->h_limit *= LIMIT_GROWTH;
            if (h < left && !own && sim->stepper.taken >= h) {
                sim->h = next_step(sim, h, status);
                watch_stability(sim);
            }
            sim->last_error = sim->stepper.error;
            return TN_OK;
        }
        if (status < 0)
            return status;
        const double tried = own ? sim->stepper.taken : h;
        sim->sums.ledger.rejected++;
        TN_TRY(tn_sim_heed_stop(sim));
        if (status != TN_RETRY_ERROR)
            sim->h_limit = LIMIT_BELOW * tried;
        sim->h = next_step(sim, tried, status);
        const double wanted = sim->stepper.factor;
        most = own ? (wanted > 0.0 ? fmin(wanted, TAKEN_BACK) : TAKEN_BACK) * tried : INFINITY;
        if ((own && !sim->took_back) || sim->h < smallest_step(sim))
            return give_up(sim, status, tried, advice_on(sim));
    }
}

// Steps that are all accepted and lead nowhere: functions that jump from call to call let a method
// creep. After many of them, as many more as no one would wait for are left; after a few, more than
// any growth of steps makes up for, each of which may be long where bodies turn often in it.
typedef struct stalling {
    long steps;
    double t;
} stalling;

enum { STALL_LOOK = 2000, STALL_SOON = 32 };
static const double STALL_MOST = 1e9, STALL_NEVER = 1e20; // steps
static const double STALL_FAR = 1e7;                      // where round-off is all that moves

static tn_status check_stalling(const tn_sim *sim, stalling *c, double t_end)
{
    const double t = sim->start.x.t, way = t - c->t, left = t_end - t;
    const long steps = ++c->steps;
    if (steps != STALL_SOON && steps < STALL_LOOK)
        return TN_OK;
    const double more = (double)steps * left / fmax(way, 1e-300);
    const bool looks = steps == STALL_LOOK;
    if (looks)
        *c = (stalling){.t = t};
    if (looks && more > STALL_FAR &&
        way * sim->sums.judge.sizes.speed < STALL_LOOK * sim->sums.judge.round_off)
        return tn_fail(
            TN_ERR_NUMERIC,
            "at t = %.6g s the last %d steps have taken %.3g s together, in which bodies "
            "move by less than the round-off of their places, %.2g m: put the origin "
            "near the model, or loosen the tolerances",
            t, STALL_LOOK, way, 2.0 * sim->start.sys->units.length * sim->sums.judge.round_off);
    if (more <= (looks ? STALL_MOST : STALL_NEVER))
        return TN_OK;
    return tn_fail(TN_ERR_NUMERIC,
                   "at t = %.6g s the last %ld steps have taken %.3g s together, so that %.1g more "
                   "would be needed; forces may jump from one evaluation to the next there, or be "
                   "far too stiff for %s: check the model, loosen the tolerances or state a step",
                   t, steps, way, more, tn_sim_method(sim));
}

static void count_time(tn_sim *sim, double *clock)
{
    const double now = tn_wall_time();
    sim->sums.ledger.wall += now - *clock;
    *clock = now;
}

// The time of observers, which read the clock, is not the simulation's.
static tn_status run_controlled(tn_sim *sim, double t_end, tn_sim_observer each, void *user,
                                double *clock)
{
    tn_state *x = &sim->start.x;
    const bool own = sim->method.integrator->own_steps;
    stalling creep = {.t = x->t};
    while (x->t < t_end) {
        const double left = t_end - x->t, last = own ? sim->stepper.taken : sim->h;
        double to = t_end;
        TN_TRY(next_stop(sim, t_end, last > 0.0 ? fmin(last, left) : left / 64.0, 0.0, &to));
        TN_TRY(controlled_step(sim, fmin(to, t_end), t_end)); // samples may be a rounding later
        if (each)
            count_time(sim, clock);
        const tn_status status = after_step(sim, each, user);
        if (each)
            *clock = tn_wall_time();
        TN_TRY(status);
        if (sim->ended_by >= 0)
            break;
        TN_TRY(check_stalling(sim, &creep, t_end));
    }
    return TN_OK;
}

static tn_status run_adaptive(tn_sim *sim, double t_end, tn_sim_observer each, void *user)
{
    double clock = tn_wall_time();
    const tn_status status = run_controlled(sim, t_end, each, user, &clock);
    count_time(sim, &clock);
    return status;
}

// Steps of a size that nobody has stated; more of them is a slip in the model, a mass of 1e-30 kg
// on a spring, more often than a request.
static tn_status check_usual_step(const tn_sim *sim, double t_end)
{
    const double MOST_STEPS = 1e9, count = (t_end - sim->start.x.t) / sim->options.step;
    const double latest = fmax(fabs(sim->start.x.t), fabs(t_end));
    if (!sim->options.adaptive && sim->options.step < tn_time_round_off(latest))
        return tn_fail(TN_ERR_USAGE,
                       "steps of %g s are lost in the round-off of times up to %g s; state steps "
                       "above %.1g s",
                       sim->options.step, latest, tn_time_round_off(latest));
    if (!sim->usual_step || count <= MOST_STEPS)
        return TN_OK;
    return tn_fail(
        TN_ERR_NUMERIC,
        "the fastest motion asks for fixed steps of %.2g s, %.2g of them up to t = %g s; "
        "check masses and stiffnesses, state a step, or take a method that controls its "
        "steps",
        sim->options.step, count, t_end);
}

tn_status tn_sim_run(tn_sim *sim, double t_end, tn_sim_observer each, void *user)
{
    TN_NEED(sim, TN_ERR_USAGE);
    if (!isfinite(t_end) || t_end < sim->start.x.t)
        return tn_fail(TN_ERR_USAGE, "t_end is %g s; it must not lie before the start at %g s",
                       t_end, sim->start.x.t);
    tn_clear_error();
    tn_sim_current(sim);
    TN_TRY(tn_sim_heed_stop(sim)); // asked for before
    if (sim->pieces.move) {
        int joint;
        tn_status fits = tn_model_check_tables(sim->model, sim->start.x.t, t_end);
        TN_THEN(fits, tn_model_check_drives(sim->model, sim->start.x.t, t_end, &joint));
        TN_TRY(tn_sim_leave(sim, fits, "the run cannot begin"));
        tn_sim_open_shapes(sim, t_end);
        TN_TRY(tn_sim_heed_stop(sim));
    }
    tn_sim_bound_time_scale(sim, t_end - sim->start.x.t);
    TN_TRY(tn_sim_leave(sim, check_usual_step(sim, t_end), "the run cannot begin"));
    const tn_sim_entry outer = tn_sim_enter(sim);
    tn_status status = sim->options.adaptive ? run_adaptive(sim, t_end, each, user)
                                             : run_fixed(sim, t_end, each, user);
    tn_sim_exit(outer);
    if (status == TN_ERR_NUMERIC)
        status = tn_sim_explain_singular_time(sim, status);
    sim->sums.judge.failed = status != TN_OK && status != TN_ERR_STOPPED;
    tn_sim_note_not_judged(sim);
    return tn_sim_leave(sim, status, "the run ends");
}

void tn_sim_stop(tn_sim *sim)
{
    TN_NEED(sim, );
    sim->stop = 1;
}

static const double WORTH = 0.75; // part of the time span

static bool is_worth_another(const tn_sim *sim, const tn_auto_run *run)
{
    const double start = run->options->t_start;
    return sim->held.steps >= MANY_HELD && sim->method.chosen && !run->options->stiff &&
           !*run->why && tn_sim_time(sim) < start + WORTH * (run->t_end - start);
}

static tn_status observe_auto(void *user, tn_sim *sim)
{
    tn_auto_run *run = user;
    TN_TRY(run->each(run->user, sim));
    if (!is_worth_another(sim, run))
        return TN_OK;
    snprintf(run->why, sizeof run->why,
             "chosen: not stiff at the start, but steps of %s were held by stability, not by "
             "accuracy, from t = %.4g s on; the run began anew",
             sim->method.integrator->name, sim->held.since);
    return TN_ERR_STOPPED;
}

// If there is no method for stiff models, the run goes on as it is.
tn_status tn_sim_run_auto(tn_auto_run *run, tn_sim *sim)
{
    tn_sim_options stiff = *run->options;
    tn_sim *next = NULL;
    tn_status s = tn_sim_run(sim, run->t_end, observe_auto, run);
    if (s != TN_ERR_STOPPED || !*run->why)
        return s;
    stiff.stiff = run->why;
    if (tn_sim_create_with(sim->monitor_kinds, sim->model->source, &stiff, &next) == TN_OK) {
        next->sums.ledger.wall += sim->sums.ledger.wall;
        TN_TRY(run->again(run->user, next));
    } else {
        tn_clear_error();
        next = sim;
    }
    return tn_sim_run(next, run->t_end, observe_auto, run);
}
