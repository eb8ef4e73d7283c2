// SPDX-License-Identifier: MIT
//
// The verdict on a run. Each quantity of the ledger is related to the size of what it belongs to
// and compared with a bound that healthy runs keep. With
//
//   e = C tau                under error control, tau the tolerance by the sizes of the mechanism
//   e = C (w h)^p            with fixed steps h of a method of order p, w the rate of the motion
//
// for the error of one step, and n (steps, or w t with fixed steps) for how often it may add up,
//
//   g, B v   enforced            round-off, tolerance of the iteration, or e under error control
//   g        not enforced        n e, where velocities are enforced: grows linearly; n e (1 + w t)
//                                where accelerations are: quadratically [Arn16, sect. 4.1]
//   B v      not enforced        e where positions are: of the order of the method, without
//                                growth; n e where accelerations are
//   energy                       n e, see verdict_energy.c
//   turn     fixed steps         the error of the formula for a uniform rotation, see turns.c
//   error    where asked for     difference to a run with half the step, or a tenth of tau
//
// but never above bounds at which no motion is worth having.

#include "sim/verdict.h"

#include "linalg/dense.h"
#include "model/model.h"
#include "sim/monitor.h"
#include "sim/sim.h"
#include "text/notes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

// Safety of the estimates: of what adds up under error control, of what iterations leave there, and
// of fixed steps. The sweep of tests/cross/test_verdict_sweep.c keeps each by a factor of three.
static const double CONTROLLED = 20.0, LEFT = 10.0, FIXED = 10.0;
// Residuals of rows that are enforced are never asked to be below this part of the size: what
// iterations to round-off leave in mechanisms of hundreds of bodies.
static const double ENFORCED = 1e-8;
// Rows that are left out follow from the others but for the digits with which they were typed, up
// to dependence_tol, which the loop may enlarge.
static const double TYPED = 10.0;
// Joints open by a thousandth of the mechanism end a run; where positions are not enforced those
// that are open by a tenth make it doubtful at the latest, and by three end it.
static const double JOINTS = 1e-3, DRIFT = 0.1, DRIFTED = 0.3;
// Rates of constraints, by the speeds, at which nothing is left to trust.
static const double RATES = 0.1;
// Fixed steps in which a body turns by more than this do not see what happens on the way [rad].
static const double FAR_TURN = 1.5;
// The lag of bodies with fixed steps is a warning from this part of their turns on, and from this
// angle on [rad]: the heavy top of the models turns by 0.3 rad in steps of 2 ms and lags by 0.0075
// of it.
static const double LAGS = 0.01, LAG = 1.0;
// An error, by the largest positions and speeds, at which a motion is another one.
static const double ANOTHER_MOTION = 0.1;

void tn_sim_layout_judge(tn_sim *sim, tn_carve *mem)
{
    const int rows = sim->start.sys->ng + sim->start.sys->nn;
    TN_CARVE_DOUBLES(mem, rows, &sim->row_weight);
    sim->row_turns = tn_carve_bytes(mem, (size_t)rows * sizeof *sim->row_turns);
    tn_sim_layout_theories(sim, mem);
}

// Rows of user equations only show how they change with q.
static tn_status weigh_by_gradient(tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->start.x);
    const int rows = sys->ng + sys->nn;
    if (rows == 0)
        return TN_OK;
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_B));
    tn_zero(rows, sim->row_weight);
    for (int b = 0; b < 2; b++) {
        const tn_sparse *A = sys->block[b ? TN_BLOCK_N : TN_BLOCK_B];
        double *size = sim->row_weight + (b ? sys->ng : 0);
        for (int k = 0; A && k < A->nnz; k++)
            size[A->rowind[k]] = fmax(size[A->rowind[k]], fabs(A->val[k]));
    }
    for (int i = 0; i < rows; i++)
        sim->row_weight[i] = sim->row_weight[i] > 0.0 ? 1.0 / sim->row_weight[i] : 1.0;
    return TN_OK;
}

static tn_status weigh_rows(tn_sim *sim)
{
    const tn_system *sys = sim->start.sys;
    if (!sys->ops->row_turns)
        return weigh_by_gradient(sim);
    for (int i = 0; i < sys->ng + sys->nn; i++) {
        double coefficient = 1.0;
        sim->row_turns[i] = sys->ops->row_turns(sys, i, &coefficient);
        sim->row_weight[i] = coefficient > 0.0 ? 1.0 / coefficient : 1.0;
    }
    return TN_OK;
}

// Sizes -------------------------------------------------------------------------------------------

// The largest residual of all rows, those that are left out as well, by a length and by an angle;
// a residual that is no number counts as the largest.
static double largest_row(const tn_sim *sim, const double *rows, const double *more, double length,
                          double angle, int *where)
{
    TN_ASSERT(length > 0.0 && angle > 0.0);
    const int ng = sim->start.sys->ng, n = ng + (more ? sim->start.sys->nn : 0);
    double most = 0.0; // the first of several, or the first that is no number
    *where = -1;       // all are zero
    for (int i = 0; i < n; i++) {
        const double value = fabs(i < ng ? rows[i] : more[i - ng]) * sim->row_weight[i] /
                             (sim->row_turns[i] ? angle : length);
        if (!(value <= most) && !isnan(most)) {
            most = value;
            *where = i;
        }
    }
    return most;
}

void tn_sim_judge(tn_judge *j, tn_bounded k, double value, double bound, double t, int where)
{
    TN_ASSERT(k >= 0 && k < TN_QUANTITY_COUNT);
    tn_worst *w = &j->worst[k];
    if (!isnan(j->stated[k]))
        bound = j->stated[k];
    if (!isnan(w->value) && !(value * w->bound <= w->value * bound))
        *w = (tn_worst){.value = value, .bound = bound, .t = t, .where = where};
}

static void tell_coarse_steps(tn_sim *sim)
{
    tn_judge *j = &sim->sums.judge;
    const double h = j->given_max, turn = j->sizes.fastest_turn * h;
    if (!j->fixed || j->coarse || !(turn > FAR_TURN))
        return;
    j->coarse = true;
    tn_notes_add(
        &sim->start.notes,
        "a body turns by %.2g rad within a fixed step of %.3g s at t = %.6g s: what changes on the "
        "way, such as the direction of its forces, is not resolved; take steps below %.2g s or an "
        "error-controlled method",
        turn, h, sim->start.x.t, 0.1 * FAR_TURN / j->sizes.fastest_turn);
}

// Rates of rows count by the largest speeds of the motion: beside those of the first steps from
// rest, which a fixed step does not resolve, they say nothing.
static void see_sizes(tn_sim *sim)
{
    tn_judge *j = &sim->sums.judge;
    const tn_sizes before = j->sizes;
    const tn_point at = tn_state_point(&sim->start.x);
    tn_sizes_see(&j->sizes, sim->model, sim->start.sys, &at);
    const double speed = before.speed / j->sizes.speed, rate = before.rate / j->sizes.rate;
    if (speed < 1.0 && rate < 1.0)
        j->worst[TN_QUANTITY_BV].value *= fmax(speed, rate);
}

// Speeds of all bodies cost as much as a small part of a step, of large mechanisms now and then.
void tn_sim_see_sizes(tn_sim *sim, double h)
{
    enum { BODIES_EACH_STEP = 16 };
    tn_judge *j = &sim->sums.judge;
    j->fixed = !sim->options.adaptive;
    j->passed += h;
    j->given += j->fixed ? h : 0.0;
    j->given_max = j->fixed ? fmax(j->given_max, h) : j->given_max;
    j->mostly_fixed = j->given > 0.5 * j->passed;
    if (j->look_in-- <= 0) {
        j->look_in = sim->model ? sim->model->bodies.count / BODIES_EACH_STEP : 0;
        see_sizes(sim);
        tell_coarse_steps(sim);
    }
    tn_sim_judge_rounding(sim);
    tn_sim_follow_turns(sim, h);
    if (j->fixed && j->lag > LAG)
        tn_sim_judge(j, TN_QUANTITY_TURN, fmin(1.0, j->lag / j->turned), LAGS, sim->start.x.t, -1);
}

// Estimates ---------------------------------------------------------------------------------------

// Tolerances are parts of coordinates, which are counted from the origin, or absolute: then the one
// counts that is largest beside what it is a tolerance of.
double tn_sim_error_tolerance(const tn_sim *sim)
{
    const tn_sizes *s = &sim->sums.judge.sizes;
    const double *atol = sim->stepper.atol;
    const double positions = fmax(atol[TN_KIND_LENGTH] / s->length, atol[TN_KIND_ANGLE]);
    const double velocities = fmax(atol[TN_KIND_SPEED] / s->speed, atol[TN_KIND_RATE] / s->rate);
    return sim->options.rtol * fmax(1.0, s->far / s->length) + fmax(positions, velocities);
}

// Two, whatever the method: the rest is a margin for rates that are higher than those of the
// bodies, of springs for one. One where a formula of first order is asked for, and where
// projections take away what Baumgarte's rows on velocity level have let in: multipliers, and with
// them the work of drives, are of first order then.
static int order_of(const tn_sim *sim)
{
    const tn_formulation *f = sim->method.formulation;
    const bool formula = sim->method.integrator->multistep && sim->options.max_order == 1;
    const bool multipliers = f->baumgarte && f->velocity && sim->method.project;
    return formula || multipliers ? 1 : 2;
}

double tn_sim_step_error(const tn_sim *sim, bool fixed, double *times)
{
    const tn_judge *j = &sim->sums.judge;
    const double t = sim->start.x.t - sim->options.t_start;
    if (!fixed) {
        *times = 1.0 + (double)sim->sums.ledger.steps;
        return CONTROLLED * tn_sim_error_tolerance(sim);
    }
    *times = 1.0 + j->sizes.change * t;
    return FIXED * pow(j->sizes.change * j->given_max, order_of(sim));
}

// Error of iterations and projections, by the size, and round-off of positions far out.
static double enforced(const tn_sim *sim)
{
    const tn_sizes *s = &sim->sums.judge.sizes;
    const double noise = 100.0 * DBL_EPSILON * s->far / s->length;
    const double project =
        sim->method.project ? 10.0 * sim->options.project_tol / fmin(1.0, s->length) : 0.0;
    const double newton = 1e3 * sim->options.newton_tol;
    const double typed =
        sim->start.redundancy.count > 0 ? TYPED * sim->options.dependence_tol : 0.0;
    const double error = !sim->sums.judge.fixed ? LEFT * tn_sim_error_tolerance(sim) : 0.0;
    return fmax(fmax(fmax(ENFORCED, typed), noise), fmax(fmax(project, newton), error));
}

static bool holds_positions(const tn_sim *sim)
{
    return sim->method.formulation->position || sim->method.project;
}

// A velocity that is off moves positions for as long as it is, in lengths of the mechanism.
static double position_bound(const tn_sim *sim)
{
    const double way = 1.0 + sim->sums.judge.sizes.change * (sim->start.x.t - sim->options.t_start);
    double n;
    const double e = tn_sim_step_error(sim, sim->sums.judge.fixed, &n);
    if (holds_positions(sim))
        return enforced(sim);
    return fmin(DRIFT, enforced(sim) + n * e * (sim->method.formulation->velocity ? 1.0 : way));
}

static double velocity_bound(const tn_sim *sim)
{
    const tn_formulation *f = sim->method.formulation;
    double n;
    const double e = tn_sim_step_error(sim, sim->sums.judge.fixed, &n);
    if ((f->velocity && !f->baumgarte) || sim->method.project)
        return fmin(RATES, 10.0 * enforced(sim));
    if (f->position && !sim->sums.judge.fixed)
        return fmin(RATES, 10.0 * sqrt(tn_sim_error_tolerance(sim)));
    return fmin(RATES, enforced(sim) + (f->position ? e : n * e));
}

// On the way --------------------------------------------------------------------------------------

void tn_sim_judge_step(tn_sim *sim)
{
    tn_judge *j = &sim->sums.judge;
    const tn_system *sys = sim->start.sys;
    const tn_sizes *s = &j->sizes;
    const double t = sim->start.x.t;
    int where;
    const double g = largest_row(sim, sys->g, NULL, s->length, 1.0, &where);
    tn_sim_judge(j, TN_QUANTITY_G, g, position_bound(sim), t, where);
    j->joints = (tn_worst){.value = g, .where = where};
    const double rate = largest_row(sim, sys->gdot, sys->ndot, s->speed, s->rate, &where);
    tn_sim_judge(j, TN_QUANTITY_BV, rate, velocity_bound(sim), t, where);
}

void tn_sim_judge_shown(tn_sim *sim)
{
    tn_judge *j = &sim->sums.judge;
    int where;
    double n;
    const double e = tn_sim_step_error(sim, sim->sums.judge.fixed, &n);
    const double g = largest_row(sim, sim->start.sys->g, NULL, j->sizes.length, 1.0, &where);
    tn_sim_judge(j, TN_QUANTITY_ROWS, g,
                 fmin(holds_positions(sim) ? JOINTS : DRIFT, position_bound(sim) + e), sim->shown.t,
                 where);
}

bool tn_sim_bounds_error(const tn_sim *sim)
{
    return !isnan(sim->sums.judge.stated[TN_QUANTITY_ERROR]);
}

void tn_sim_judge_error(tn_sim *sim, double error, double t, tn_setting check)
{
    tn_judge *j = &sim->sums.judge;
    j->estimated = !isnan(error) || tn_sim_bounds_error(sim);
    j->check = check;
    tn_sim_judge(j, TN_QUANTITY_ERROR, error, ANOTHER_MOTION, t, -1);
}

// Impacts of several contacts may add energy by Newton's law; loads are solved for to round-off but
// for many contacts, and bodies are moved apart to that.
static const double DEEP = 1e-9, LOADS_LEFT = 1e-8, GAINED = 1e-9;

void tn_sim_judge_contacts(tn_sim *sim, tn_bounded k, double value, int row)
{
    const double far = fmax(1.0, sim->start.sys->reach);
    const double bound = k == TN_QUANTITY_DEPTH   ? DEEP * far
                         : k == TN_QUANTITY_LOADS ? LOADS_LEFT
                                                  : GAINED;
    tn_sim_judge(&sim->sums.judge, k, value, bound, sim->start.x.t, row);
}

static void name_row(const tn_sim *sim, int row, char *text, size_t size)
{
    text[0] = '\0';
    if (row >= 0)
        sim->start.sys->ops->row_name(sim->start.sys, row, text, size);
}

// The size of the mechanism, and its speed, in SI units.
static double verdict_length_of(const tn_sim *sim)
{
    return sim->start.sys->units.length * sim->sums.judge.sizes.length;
}

static double speed_of(const tn_sim *sim)
{
    return sim->start.sys->units.length * sim->sums.judge.sizes.speed;
}

// Writes the residual of a row with its unit: "0.012 m".
static void residual_text(const tn_sim *sim, const tn_worst *w, char *text, size_t size)
{
    const bool turns = w->where >= 0 && sim->row_turns[w->where];
    const double residual = w->value * (turns ? 1.0 : verdict_length_of(sim));
    snprintf(text, size, "%.3g%s", residual, !sim->model ? "" : turns ? " rad" : " m");
}

static tn_status check_joints(tn_monitor *m, tn_sim *sim)
{
    const tn_judge *j = &sim->sums.judge;
    const double stated = j->stated[TN_QUANTITY_JOINTS];
    const double bound = !isnan(stated) ? stated : holds_positions(sim) ? JOINTS : DRIFTED;
    char row[96], residual[48];
    if (!sim->model && isnan(stated)) // the size of own equations is a guess: warnings, but no end
        return TN_OK;
    if (!(j->joints.value > bound)) // the next step reports what is no number
        return TN_OK;
    name_row(sim, j->joints.where, row, sizeof row);
    residual_text(sim, &j->joints, residual, sizeof residual);
    return tn_fail(TN_ERR_NUMERIC,
                   "at t = %.6g s %s is open by %s, %.2g of the size of the mechanism (%.3g m) and "
                   "more than %g: either no motion satisfies all constraints from here on, or they "
                   "are not kept by %s at these steps; check drives and loops there, take +project "
                   "or ggl, or a smaller step (bounds: joints<… widens this bound)",
                   sim->start.x.t, row, residual, j->joints.value, verdict_length_of(sim), bound,
                   tn_sim_method(sim));
}

const tn_monitor_ops tn_monitor_joint_gap = {.name = "joint_gap", .after = check_joints};

// The start ---------------------------------------------------------------------------------------

static void judge_start(tn_sim *sim)
{
    tn_judge *j = &sim->sums.judge;
    const tn_point at = tn_state_point(&sim->start.x);
    int body;
    const double moved = tn_sizes_moved(&j->sizes, sim->model, sim->start.sys, &at, &body);
    if (body > 0)
        tn_sim_judge(j, TN_QUANTITY_START, moved, TN_START_MOVED, at.t, body);
}

static double weight_of(const tn_sim *sim)
{
    double mass = 0.0;
    for (int k = 1; sim->model && k < sim->model->bodies.count; k++)
        mass += sim->model->bodies.at[k].def.mass;
    return sim->model ? mass * tn_v3_norm(sim->model->gravity) : 0.0;
}

// sum K_ii l_i^2 / 2, with the length l of the mechanism for coordinates that are lengths, at the
// start of a mechanism with forces. 0 if it cannot be found; nothing of it is counted.
static double stiffness_of(const tn_sim *sim, double length)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(&sim->start.x);
    const tn_sparse *K = sys->block[TN_BLOCK_K];
    double sum = 0.0;
    if (!sim->model || sim->model->forces.count == 0 || !K || K->nrow != sys->nv ||
        tn_system_sample(sys, &at, TN_EVAL_TANGENT) != TN_OK)
        return 0.0;
    for (int j = 0; j < K->ncol; j++)
        for (int p = K->colptr[j]; p < K->colptr[j + 1]; p++)
            if (K->rowind[p] == j)
                sum += 0.5 * fabs(K->val[p]) *
                       (tn_increment_kind(sys, j) == TN_KIND_LENGTH ? length * length : 1.0);
    return isfinite(sum) ? sum : 0.0;
}

tn_status tn_sim_open_judge(tn_sim *sim, const tn_sizes *sizes)
{
    tn_judge *j = &sim->sums.judge, fresh = {0};
    const tn_point at = tn_state_point(&sim->start.x);
    tn_copy(TN_QUANTITY_COUNT, j->stated, fresh.stated);
    *j = fresh;
    for (int k = 0; k < TN_QUANTITY_COUNT; k++)
        j->worst[k] = (tn_worst){.bound = 1.0, .where = -1};
    tn_sim_open_theories(sim);
    j->sizes = sizes ? *sizes : tn_sizes_at_start(sim->model, sim->start.sys, &at);
    j->weight = weight_of(sim);
    j->stiffness = stiffness_of(sim, j->sizes.far + j->sizes.length);
    judge_start(sim);
    return weigh_rows(sim);
}

// The verdict -------------------------------------------------------------------------------------

static tn_worst worst_of(const tn_sim *sim, tn_bounded k)
{
    bool judged;
    return k == TN_QUANTITY_ENERGY ? tn_sim_worst_energy(sim, &judged) : sim->sums.judge.worst[k];
}

static const char *what_to_try(const tn_sim *sim, tn_bounded k)
{
    const tn_formulation *f = sim->method.formulation;
    const bool controlled = !sim->sums.judge.mostly_fixed;
    if (k == TN_QUANTITY_START)
        return "check the stated positions with 'tenon check', or leave out those that are guesses";
    if (k == TN_QUANTITY_ERROR)
        return controlled ? "tighten rtol and atol, or end the run before motions part, as chaotic "
                            "ones do"
                          : "try a smaller step, or end the run before motions part, as chaotic "
                            "ones do";
    if (k == TN_QUANTITY_TURN)
        return "try a smaller step, error control, or rotations on the group (so3) or of joints, "
               "which galpha and radau5 turn exactly";
    if (k == TN_QUANTITY_ENERGY)
        return controlled ? "tighten rtol and atol, and look for forces or drives that jump there"
                          : "try a smaller step, and look for stops, forces or drives that the "
                            "steps do not resolve there";
    if (k == TN_QUANTITY_GAIN)
        return "Newton's law does that where contacts that touch at once differ in restitution, or "
               "part when another one is hit; leave small gaps between them";
    if (k == TN_QUANTITY_ROWS)
        return controlled ? "tighten rtol and atol, or set step_max"
                          : "try a smaller step, or store steps only (output: 0)";
    if (f->projects && !sim->method.project)
        return controlled ? "add +project, take ggl, or tighten rtol and atol"
                          : "add +project, take ggl, or try a smaller step";
    return controlled ? "tighten rtol and atol, and check the model there"
                      : "try a smaller step, and check the model there";
}

static void tell_verdict(const tn_sim *sim, tn_bounded k, const tn_worst *w, tn_judged *out)
{
    const char *hint = what_to_try(sim, k);
    char residual[48];
    if (k == TN_QUANTITY_ENERGY)
        snprintf(out->text, sizeof out->text,
                 "the energy balance is off by %.3g of the energy exchanged at t = %.6g s, bound "
                 "%.2g; %s",
                 w->value, w->t, w->bound, hint);
    else if (k == TN_QUANTITY_ERROR && isnan(w->value))
        snprintf(out->text, sizeof out->text,
                 "the error of the motion is not known, for the reason that is told with it, and "
                 "%.2g is stated as its bound",
                 w->bound);
    else if (k == TN_QUANTITY_ERROR)
        snprintf(
            out->text, sizeof out->text,
            "the motion is off by about %.2g of its largest positions or speeds at t = %.6g s, as "
            "a run with %s %.3g tells, bound %.2g; %s",
            w->value, w->t, sim->sums.judge.check.fixed ? "steps of" : "rtol",
            sim->sums.judge.check.value, w->bound, hint);
    else if (k == TN_QUANTITY_TURN)
        snprintf(out->text, sizeof out->text,
                 "rotations (%s) are off by about %.2g of what bodies have turned at t = %.6g s, "
                 "bound %.2g; %s",
                 tn_sim_rotation(sim), w->value, w->t, w->bound, hint);
    else if (k == TN_QUANTITY_START && w->where < 0)
        snprintf(out->text, sizeof out->text,
                 "the start is a singular position at rest, and the accelerations that forces give "
                 "there leave all branches (%.2g of the way is off, bound %.2g): errors decide "
                 "which one the motion takes; start beside it, or state velocities",
                 w->value, w->bound);
    else if (k == TN_QUANTITY_START)
        snprintf(out->text, sizeof out->text,
                 "the start has moved %s by %.3g of the size of the mechanism (%.3g m) from where "
                 "it is stated, bound %.2g; %s",
                 out->where, w->value, verdict_length_of(sim), w->bound, hint);
    else if (k == TN_QUANTITY_BV)
        snprintf(out->text, sizeof out->text,
                 "the rate of %s is off by %.3g of the speeds (%.3g m/s) at t = %.6g s, bound "
                 "%.2g; %s",
                 out->where, w->value, speed_of(sim), w->t, w->bound, hint);
    else if (k == TN_QUANTITY_DEPTH)
        snprintf(out->text, sizeof out->text,
                 "bodies at %s are in each other by %.3g m at t = %.6g s, %.3g of the size of the "
                 "mechanism, bound %.2g; %s",
                 out->where, w->value * verdict_length_of(sim), w->t, w->value, w->bound, hint);
    else if (k == TN_QUANTITY_LOADS)
        snprintf(out->text, sizeof out->text,
                 "the loads of contacts at t = %.6g s are off by %.3g of the largest speed at %s, "
                 "bound %.2g; %s",
                 w->t, w->value, out->where, w->bound, hint);
    else if (k == TN_QUANTITY_GAIN)
        snprintf(out->text, sizeof out->text,
                 "the impact at %s has added %.3g of the kinetic energy at t = %.6g s, bound %.2g; "
                 "%s",
                 out->where, w->value, w->t, w->bound, hint);
    else {
        residual_text(sim, w, residual, sizeof residual);
        snprintf(out->text, sizeof out->text,
                 "%s is open by %s, %.3g of the size of the mechanism, %s t = %.6g s, bound %.2g; "
                 "%s",
                 out->where, residual, w->value,
                 k == TN_QUANTITY_ROWS ? "in what is stored between steps at" : "at", w->t,
                 w->bound, hint);
    }
}

static tn_judged judge_verdict(const tn_sim *sim, tn_bounded k)
{
    const tn_worst w = worst_of(sim, k);
    tn_judged out = {.quantity = tn_quantity_names[k],
                     .value = w.value,
                     .bound = w.bound,
                     .t = w.t,
                     .doubtful = !(w.value <= w.bound)};
    if (k == TN_QUANTITY_START && w.where >= 0)
        snprintf(out.where, sizeof out.where, "body '%s'",
                 tn_model_body_name(sim->model, (tn_body){w.where}));
    else if (!tn_is_theory(k))
        name_row(sim, w.where, out.where, sizeof out.where);
    if (tn_is_theory(k))
        tn_sim_tell_theory(sim, k, &w, &out);
    else if (out.doubtful)
        tell_verdict(sim, k, &w, &out);
    return out;
}

void tn_sim_verdict(const tn_sim *sim, tn_verdict *out)
{
    TN_NEED_ALL(, sim, out);
    *out = (tn_verdict){.length = verdict_length_of(sim), .speed = speed_of(sim)};
    for (int k = 0; k < TN_QUANTITY_JOINTS; k++) {
        if ((k == TN_QUANTITY_ERROR && !sim->sums.judge.estimated) ||
            (k >= TN_QUANTITY_DEPTH && sim->sums.judge.worst[k].where < 0))
            continue;
        out->judged[out->count] = judge_verdict(sim, (tn_bounded)k);
        if (out->judged[out->count++].doubtful)
            out->outcome = TN_OUTCOME_DOUBTFUL;
    }
    if (sim->sums.judge.failed)
        out->outcome = TN_OUTCOME_FAILED;
}
