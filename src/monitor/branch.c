// SPDX-License-Identifier: MIT
//
// Singular positions on the way: distance of the motion from one, and if it has left its branch
// there, or does not get on; branch_jump.c has steps from one branch to another. See
// docs/theory/singular_positions.md.
//
// If constraints lose rank, solutions of g = 0 cross. Near the crossing, with delta the distance
// along the branch and s across it, g ~ s (s - c delta): an error of size e in g turns the cross
// into s (s - c delta) = e, whose curves lead from one branch to the other or back. A method that
// follows such a curve does so at delta^2 ~ e, by accelerations that no force explains, and no
// tolerance that it keeps shows. So, while the condition of the constraints is far below what it
// was elsewhere, changes of velocity in a step are compared with what the acceleration before, and
// the applied forces, can have done in that time, and what is left is summed up:
//
//   sum of |v1 - v0| - 4 h max(|a|, |M^-1 f|)      norms of M, where positive; forgotten at |a|/|v|
//
// If that comes to a good part of |v|, and the condition was of the size of the errors, these have
// decided. A linkage that is not quite singular turns as fast, but at a distance that errors do not
// reach. Forms on acceleration level that drift may turn slowly, in hundreds of steps: there the
// sign of branch_jump.c shows it, where the motion has come away again.
//
// Conditions are estimates of factorisations on the way, which may be far too low, as pivots say
// little and stages of a step need not lie on the constraints. The measure is the smallest
// eigenvalue of C M^-1 C^T, the square of a singular value, found where there is a hint by inverse
// iteration with one factorisation more: for the comparison at the ends of steps, for the ledger on
// the dense output at the time of the hint.

#include "monitor/branch.h"
#include "base/random.h"
#include "linalg/dense.h"
#include "motion/kinds.h"
#include "sim/verdict.h"
#include "start/singular.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Reciprocal condition numbers below this part of the largest one: as squares of singular values, a
// hundredth of their usual size. Where errors of the constraints are larger they reach farther.
static const double NEAR = 1e-4, NEAR_MAX = 0.1, REACH = 10.0;
// For a step that fails: a hint, and a ratio of singular values to go with it. Also what is far.
static const double NEAR_STUCK = 1e-2, RATIO_STUCK = 0.03;
// Below this a start is a singular position; long chains have ratios of down to 1e-4.
static const double RATIO_START = 1e-6;
static const double TURN = 0.2, TIMES = 4.0; // of the comparison
static const double DECIDES = 100.0;         // times errors, as a part of the largest eigenvalue
static const double DECIDES_ALONE = 6.0;     // the same without a velocity
static const double ROUNDING = 1e-14;
// The ledger: estimates from here on, and as many steps from one check to the next, unless one is
// much lower.
static const double HINT = 1e-3, LOWER = 0.5;
enum { LOOK_EVERY = 16 };
// A step that comes nearer than this part of the distance at its start is shortened by SHORTER, so
// that the next one goes on beyond.
static const double TOO_NEAR = 0.1, SHORTER = 0.8;
// Over a position by the polynomial of steps before: tries in the largest step so far, from one to
// the next; how near it comes at least, or how far where it begins there, as eigenvalues; the error
// that is borne, in tolerances, as the steps of a run add up to it.
static const double OVER_LEAST = 0.03, OVER_MOST = 4.0, OVER_MORE = 1.1;
static const double OVER_NEARER = 0.25, OVER_FARTHER = 100.0, OVER_ERROR = 100.0;
// Fixed steps have no error control: estimates beyond this, in tolerances and in those elsewhere.
static const double FAILED_NEAR_SINGULAR = 1e3;
static const double RATIO_DEAD =
    0.2;                        // of singular values, at which a step that fails may be at one
static const double DEAD = 0.5; // tn_dead_end.part from which on it is one: 0 or 1, but for errors
// Without estimates: steps from one check to the next, and the eigenvalue, as a part of the largest
// one, below which none is left out. Steps that turn a linkage by 0.1 rad do not get past unseen.
enum { LOOK_WITHOUT_HINTS = 4 };
static const double CLOSE = 0.1;
// Steps near a singular position that take less time together than the largest one took.
enum { CREEPING = 3000 };

// Motions are compared in the world: in joint coordinates velocities change, and forces of inertia
// change them, where nothing turns.
static tn_system *world_of(const tn_sim *sim)
{
    return sim->start.world ? sim->start.world->sys : sim->start.sys;
}

static void layout_branch(tn_monitor *m, const tn_sim *sim, tn_carve *mem)
{
    const tn_system *sys = sim->start.sys;
    tn_branch *b = (tn_branch *)m;
    TN_CARVE_DOUBLES(mem, sys->nq, &b->q);
    TN_CARVE_DOUBLES(mem, sys->ne, &b->e);
    TN_CARVE_DOUBLES(mem, sys->nr, &b->r);
    TN_CARVE_DOUBLES(mem, world_of(sim)->nv, &b->v, &b->dv);
    TN_CARVE_DOUBLES(mem, sys->nv, &b->x);
    TN_CARVE_DOUBLES(mem, sys->ng + sys->nn, &b->y);
}

tn_branch *tn_branch_of(const tn_sim *sim)
{
    return (tn_branch *)tn_sim_monitor(sim, &tn_monitor_near_singular);
}

static void keep_place(tn_sim *sim, const tn_state *x)
{
    const tn_system *sys = sim->start.sys;
    tn_branch *b = tn_branch_of(sim);
    b->t = x->t;
    tn_copy(sys->nq, x->q, b->q);
    tn_copy(sys->ne, x->e, b->e);
    tn_copy(sys->nr, x->r, b->r);
}

// y = (C M^-1 C^T)^-1 z again and again.
tn_status tn_branch_eigenvalue(tn_sim *sim, const tn_state *state, double *out)
{
    TN_ASSERT(sim->start.accel);
    enum { ITERATIONS = 4 };
    const tn_system *sys = sim->start.sys;
    const int rows = sys->ng + sys->nn;
    const tn_point at = tn_state_point(state);
    double *x = sim->scratch, *y = sim->rows;
    TN_TRY(tn_accel_factor(sim->start.accel, &at));
    *out = 0.0;
    if (sim->start.accel->kkt.singular)
        return TN_OK;
    tn_random_fill(12345u, rows, y);
    for (int k = 0; k < ITERATIONS; k++) {
        for (int i = 0; i < rows; i++)
            y[i] = tn_start_active(&sim->start)[i] ? y[i] : 0.0;
        const double size = tn_norm2(rows, y);
        if (!(size > 0.0)) // nothing holds
            return TN_RETRY_FUNCTION;
        tn_scale(rows, 1.0 / size, y);
        tn_zero(sys->nv, x);
        TN_TRY(tn_accel_resolve(sim->start.accel, x, y));
    }
    *out = 1.0 / tn_norm2(rows, y);
    return TN_OK;
}

// Takes a state into account for the ledger.
static void look_branch(tn_sim *sim, const tn_state *x)
{
    tn_branch *b = tn_branch_of(sim);
    double value = 0.0;
    if (tn_branch_eigenvalue(sim, x, &value) != TN_OK)
        return;
    b->eigen_best = fmax(b->eigen_best, value);
    if (value >= b->eigen_least)
        return;
    b->eigen_least = value;
    keep_place(sim, x);
}

// After a step: at the time of the hint, if it lies within.
static void follow_hint(tn_sim *sim)
{
    tn_branch *b = tn_branch_of(sim);
    const bool again = b->since >= LOOK_EVERY || sim->condition.now < LOWER * b->hint;
    b->since++;
    if (!again || !(sim->condition.now < HINT * sim->condition.best))
        return;
    b->since = 0;
    b->hint = sim->condition.now;
    const bool within =
        sim->condition.t_now > sim->before.t && sim->condition.t_now < sim->start.x.t;
    if (within && tn_sim_interpolate(sim, sim->condition.t_now) == TN_OK)
        look_branch(sim, &sim->shown);
    else
        look_branch(sim, &sim->start.x);
}

// At rest in a singular position M a + C^T lambda = f, C a = 0 leaves out that branches cross.
// Along one of them a way s of a is off by s^2, otherwise by a part of s, which one step of
// Newton's iteration shows: then errors decide which branch the motion takes.
static void judge_rest(tn_sim *sim)
{
    static const double WAY = 1e-5, OFF = 0.01, REST = 1e-9;
    tn_system *sys = sim->start.sys;
    const tn_state *x = &sim->start.x;
    tn_accel *accel = sim->start.accel;
    const int *active = tn_start_active(&sim->start);
    const tn_point at = tn_state_point(&sim->shown), start = tn_state_point(x);
    const double gain = tn_norm_inf(sys->nv, x->a), rest = REST / sys->time_scale;
    if (tn_branch_of(sim)->eigen_least > 0.0 || tn_norm_inf(sys->nv, x->v) > rest ||
        !(gain * sys->time_scale > rest))
        return;
    tn_state_copy(sys, x, &sim->shown);
    tn_zero(sys->nv, sim->scratch);
    tn_axpy(sys->nv, WAY / gain, x->a, sim->scratch);
    tn_group_retract(sys->ngroup, sys->groups, x->q, sim->scratch, sim->shown.q);
    tn_zero(sys->nv, sim->scratch);
    tn_zero(sys->ng + sys->nn, sim->rows);
    tn_status status = tn_system_eval(sys, &at, TN_EVAL_G);
    for (int i = 0; i < sys->ng; i++)
        sim->rows[i] = active[i] ? -sys->g[i] : 0.0;
    TN_THEN(status, tn_accel_factor(accel, &at));
    if (status == TN_OK && !accel->kkt.singular &&
        tn_accel_resolve(accel, sim->scratch, sim->rows) == TN_OK)
        tn_sim_judge(&sim->sums.judge, TN_QUANTITY_START, tn_norm_inf(sys->nv, sim->scratch) / WAY,
                     OFF, x->t, -1);
    tn_accel_factor(accel, &start);
}

static tn_status open_branch(tn_monitor *m, tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    tn_branch *b = tn_branch_of(sim);
    sim->condition.best = isfinite(sim->hint.rcond) ? sim->hint.rcond : 0.0; // of warming up
    sim->hint = (tn_rank_hint){.rcond = INFINITY};
    sim->condition.now = b->eigen_least = INFINITY;
    b->inside = b->looked = b->bends = false;
    for (int k = 0; sim->model && k < sim->model->joints.count; k++)
        b->bends |= sim->model->joints.at[k].ops->by_formula && !tn_branch_drifts(sim);
    keep_place(sim, &sim->start.x);
    if (sys->ng + sys->nn > 0)
        look_branch(sim, &sim->start.x);
    judge_rest(sim);
    b->hint = b->eigen_last = INFINITY;
    b->since = LOOK_EVERY;
    return TN_OK;
}

// Other rows have other margins: the largest so far is that of these.
static void forget_branch(tn_monitor *m, tn_sim *sim)
{
    tn_branch *b = tn_branch_of(sim);
    sim->condition.best = b->eigen_best = 0.0;
    sim->hint = (tn_rank_hint){.rcond = INFINITY};
    sim->condition.now = b->eigen_least = b->hint = b->eigen_last = INFINITY;
    b->inside = b->looked = false;
    b->since = LOOK_EVERY;
}

// Takes the condition estimates that factorisations gave in the step.
static void take_condition(tn_sim *sim)
{
    tn_condition *condition = &sim->condition;
    if (isfinite(sim->hint.rcond)) {
        condition->told = true;
        condition->now = sim->hint.rcond;
        condition->t_now = sim->hint.t;
        condition->best = fmax(condition->best, condition->now);
    }
    sim->hint.rcond = INFINITY;
}

// v and v' of a state there; a may be NULL.
static void world_rates(tn_sim *sim, const tn_state *x, double *v, double *a)
{
    const tn_point at = tn_state_point(x);
    const int nv = world_of(sim)->nv;
    if (sim->start.world) {
        sim->start.sys->ops->world->to(sim->start.sys, &at, sim->start.world->x.q, v, a);
        return;
    }
    tn_copy(nv, x->v, v);
    if (a)
        tn_copy(nv, x->a, a);
}

static double kinetic_norm(const tn_system *sys, const double *x)
{
    TN_ASSERT(sys->block[TN_BLOCK_M]);
    const tn_sparse *M = sys->block[TN_BLOCK_M];
    double sum = 0.0;
    for (int j = 0; j < M->ncol; j++)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++)
            sum += x[M->rowind[k]] * M->val[k] * x[j];
    return sqrt(fmax(sum, 0.0));
}

// |M^-1 f|, by the diagonal of M.
static double force_norm(const tn_system *sys)
{
    double sum = 0.0;
    for (int i = 0; i < sys->nv; i++) {
        const double m = tn_sparse_at(sys->block[TN_BLOCK_M], i, i);
        sum += m > 0.0 ? sys->f[i] * sys->f[i] / m : 0.0;
    }
    return sqrt(sum);
}

static void enter_branch(tn_sim *sim)
{
    tn_branch *b = tn_branch_of(sim);
    b->inside = true;
    // Hints come and go: what creeps has not left the place.
    if (b->steps == 0 || sim->before.t - b->t0 > sim->sums.ledger.step_max) {
        b->t0 = sim->before.t;
        b->steps = 0;
    }
    world_rates(sim, &sim->before, b->v, b->dv);
    b->rate = kinetic_norm(world_of(sim), b->dv);
    b->turned = 0.0;
    b->least_inside = INFINITY;
    b->errors = ROUNDING;
}

static void note_eigenvalue(tn_sim *sim, double value)
{
    tn_branch *b = tn_branch_of(sim);
    if (value < b->least_inside) {
        b->least_inside = value;
        b->t_inside = sim->start.x.t;
    }
}

// Returns true if the end of the step is worth a factorisation: methods without estimates are
// checked from time to time, and at each step if that has shown little. So are rows by expressions,
// of which two branches may be a step apart with nothing near at its ends.
static bool is_worth_a_look(const tn_sim *sim)
{
    tn_branch *b = tn_branch_of(sim);
    if (b->bends)
        return true;
    if (sim->condition.told)
        return b->inside || sim->condition.now < NEAR_STUCK * sim->condition.best;
    const bool close = b->eigen_last < CLOSE * b->eigen_best;
    b->unseen = close || b->unseen >= LOOK_WITHOUT_HINTS ? 0 : b->unseen + 1;
    return b->unseen == 0;
}

static bool has_turned(tn_sim *sim)
{
    TN_ASSERT(sim->start.x.t > sim->before.t);
    const tn_system *sys = world_of(sim);
    tn_branch *b = tn_branch_of(sim);
    const double h = sim->start.x.t - sim->before.t;
    world_rates(sim, &sim->before, b->dv, NULL);
    world_rates(sim, &sim->start.x, b->v, NULL);
    const double speed = kinetic_norm(sys, b->v), rate = fmax(b->rate, force_norm(sys));
    tn_scale(sys->nv, -1.0, b->dv);
    tn_axpy(sys->nv, 1.0, b->v, b->dv);
    b->turned *= fmax(0.0, 1.0 - h * rate / fmax(speed, 1e-300));
    b->turned += fmax(0.0, kinetic_norm(sys, b->dv) - TIMES * h * rate);
    return b->turned > TURN * speed && b->least_inside <= DECIDES * b->errors * b->eigen_best;
}

// Methods that get past, other than the one at hand.
static void advise(const tn_sim *sim, const char *more, char *text, size_t size)
{
    static const char *const known[] = {"herk5/index2+project", "galpha/ggl", "bdf/ggl"};
    const char *taken[2] = {0};
    for (int k = 0, n = 0; k < TN_COUNT(known) && n < 2; k++)
        if (strncmp(known[k], tn_sim_method(sim), strcspn(known[k], "/") + 1))
            taken[n++] = known[k];
    snprintf(text, size, "take a method that steps over it, such as %s or %s%s", taken[0], taken[1],
             more);
}

// No method gets past the end of what a mechanism reaches.
static tn_status dead_end(tn_sim *sim, const tn_rank_margin *m)
{
    const tn_point at = tn_state_point(sim->view);
    tn_dead_end dead;
    char rows[640];
    if (tn_singular_dead_end(sim->start.sys, &at, tn_start_active(&sim->start), &dead) != TN_OK ||
        dead.part < DEAD)
        return TN_OK;
    tn_singular_text(m, rows, sizeof rows);
    return tn_fail(
        TN_ERR_NUMERIC,
        "at t = %.6g s the mechanism is at a dead end of %s, which asks for all that "
        "the mechanism reaches or more: the constraints lose rank there (%s), and no motion "
        "goes on; let the drive turn back before, drive another joint or change lengths",
        sim->start.x.t, dead.row, rows);
}

// Texts of messages on a singular position, unless it is a dead end.
typedef struct words {
    char rows[640], advice[160];
} words;

static tn_status find_words(tn_sim *sim, const tn_rank_margin *m, words *out)
{
    TN_TRY(dead_end(sim, m));
    tn_singular_text(m, out->rows, sizeof out->rows);
    advise(sim, ", or other tolerances", out->advice, sizeof out->advice);
    return TN_OK;
}

static tn_status find_words_here(tn_sim *sim, words *out)
{
    tn_rank_margin m;
    TN_TRY(tn_sim_rank_now(sim, &m));
    return find_words(sim, &m, out);
}

static tn_status left_branch(tn_sim *sim, double t, double errors)
{
    words w;
    TN_TRY(find_words_here(sim, &w));
    return tn_fail(
        TN_ERR_NUMERIC,
        "at t = %.6g s %s has left its branch in a singular position: the constraints lose rank "
        "there (%s), and errors of %.1g in them decide which way it goes on; %s",
        t, tn_sim_method(sim), w.rows, errors, w.advice);
}

bool tn_branch_drifts(const tn_sim *sim)
{
    const tn_formulation *f = sim->method.formulation;
    return f->acceleration && f->projects && !sim->method.project;
}

// After checks of a position, which has been left behind.
static bool has_turned_slowly(const tn_sim *sim, double errors)
{
    const tn_branch *b = tn_branch_of(sim);
    return tn_branch_drifts(sim) && b->looked && b->crossings % 2 == 0 &&
           b->least_seen <= fmin(DECIDES_ALONE * errors, HINT) * b->eigen_best;
}

// The errors of the constraints, by lengths of one and the speed of the motion.
static double errors_now(const tn_sim *sim)
{
    const double speed = 1.0 + tn_norm_inf(sim->start.sys->nv, sim->start.x.v);
    return fmax(sim->sums.ledger.g, sim->sums.ledger.gdot / speed);
}

// M and f of the world at the end of the step.
static tn_status world_forces(tn_sim *sim)
{
    tn_start *world = sim->start.world;
    tn_point at = tn_state_point(&sim->start.x);
    if (world) {
        sim->start.sys->ops->world->to(sim->start.sys, &at, world->x.q, world->x.v, NULL);
        at.q = world->x.q;
        at.v = world->x.v;
    }
    return tn_system_eval(world_of(sim), &at, TN_EVAL_MASS | TN_EVAL_FORCE);
}

// A stage of a fixed explicit step has met the position so nearly that round-off of the constraints
// moves the end of the step.
static bool is_failed_near_singular(const tn_sim *sim)
{
    const bool watched = !sim->options.adaptive && sim->method.integrator->needs & TN_VIEW_ACCEL;
    return watched &&
           sim->stepper.error > FAILED_NEAR_SINGULAR * fmax(1.0, tn_branch_of(sim)->elsewhere);
}

static tn_status failed_near_singular(tn_sim *sim)
{
    words w;
    TN_TRY(find_words_here(sim, &w));
    return tn_fail(TN_ERR_NUMERIC,
                   "at t = %.6g s a fixed step of %s has met a singular position: the constraints "
                   "lose rank there (%s), and its error is %.1g tolerances; set adaptive: true, or "
                   "%s",
                   sim->start.x.t, tn_sim_method(sim), w.rows, sim->stepper.error, w.advice);
}

static tn_status stuck(tn_sim *sim, const tn_rank_margin *m, double h)
{
    TN_ASSERT(h > 0.0);
    words w;
    TN_TRY(find_words(sim, m, &w));
    return tn_fail(TN_ERR_NUMERIC,
                   "at t = %.6g s %s does not get past a singular position with steps down to %.3g "
                   "s: the constraints lose rank there (%s), their smallest singular value is %.2g "
                   "of the largest; %s",
                   sim->start.x.t, tn_sim_method(sim), h, w.rows, m->ratio, w.advice);
}

static tn_status explain_singular(tn_sim *sim, double h)
{
    tn_rank_margin m;
    take_condition(sim);
    if (tn_sim_rank_now(sim, &m) == TN_OK && m.ratio < RATIO_DEAD)
        TN_TRY(dead_end(sim, &m));
    const bool met =
        tn_branch_of(sim)->inside || sim->condition.now < NEAR_STUCK * sim->condition.best;
    tn_sim_current(sim);
    if (met && is_failed_near_singular(
                   sim)) // a long step may begin far from the position that its stage has met
        return failed_near_singular(sim);
    if (tn_sim_rank_now(sim, &m) != TN_OK || !(m.ratio < (met ? RATIO_STUCK : RATIO_START)))
        return TN_OK;
    return stuck(sim, &m, h);
}

static tn_status watch_branch(tn_monitor *m, tn_sim *sim)
{
    if (sim->start.sys->ng + sim->start.sys->nn == 0) // nothing loses rank, and the world of a tree
        return TN_OK;                                 // may have no blocks
    tn_branch *b = tn_branch_of(sim);
    const double errors = errors_now(sim);
    take_condition(sim);
    follow_hint(sim);
    const bool near =
        sim->condition.now < fmax(NEAR, fmin(NEAR_MAX, REACH * errors)) * sim->condition.best;
    double value = INFINITY;
    if (!(sim->condition.now < NEAR_STUCK * sim->condition.best))
        b->elsewhere = fmax(b->elsewhere, sim->stepper.error);
    const bool leaves = tn_branch_drifts(sim) && b->looked && b->eigen_last < CLOSE * b->eigen_best;
    if (near || leaves || is_worth_a_look(sim))
        TN_TRY(tn_branch_look(sim, &value));
    else if (has_turned_slowly(sim, errors))
        return left_branch(sim, b->t_seen, errors);
    else
        b->looked = false;
    if (!near && !b->inside)
        return TN_OK;
    if (is_failed_near_singular(sim))
        return failed_near_singular(sim);
    TN_TRY(world_forces(sim));
    if (!b->inside)
        enter_branch(sim);
    b->errors = fmax(b->errors, errors);
    note_eigenvalue(sim, value);
    b->inside = near;
    if (has_turned(sim))
        return left_branch(sim, b->t_inside, b->errors);
    if (++b->steps > CREEPING && sim->start.x.t - b->t0 < sim->sums.ledger.step_max)
        return explain_singular(sim, sim->stepper.taken);
    return TN_OK;
}

static tn_status explain_start(tn_monitor *self, tn_sim *sim, const tn_point *at)
{
    tn_rank_margin m;
    words w;
    if (tn_singular_find(sim->start.sys, at, tn_start_active(&sim->start), &m) != TN_OK ||
        !(m.ratio < RATIO_START))
        return TN_OK;
    tn_singular_text(&m, w.rows, sizeof w.rows);
    advise(sim, "", w.advice, sizeof w.advice);
    return tn_fail(TN_ERR_NUMERIC,
                   "the start is a singular position, where %s cannot begin: the constraints lose "
                   "rank there (%s), their smallest singular value is %.2g of the largest; start "
                   "beside it, or %s",
                   tn_sim_method(sim), w.rows, m.ratio, w.advice);
}

// Round-off e of the constraints turns into velocities e / sigma along the motion that becomes
// free. An explicit step from there enlarges them by its length over the time to the singular
// position.
static tn_status watch_distance(tn_monitor *m, tn_sim *sim)
{
    const tn_integrator_ops *integrator = sim->method.integrator;
    tn_branch *b = tn_branch_of(sim);
    double begin = 0.0, end = INFINITY;
    if (!sim->options.adaptive || integrator->own_steps || integrator->on_group)
        return TN_OK;
    if (sim->hint.rcond < HINT * sim->condition.best)
        tn_branch_eigenvalue(sim, &sim->start.x, &end);
    if (end < TOO_NEAR * TOO_NEAR * b->eigen_best)
        tn_branch_eigenvalue(sim, &sim->before, &begin);
    const bool too_near = end < TOO_NEAR * TOO_NEAR * begin;
    if (too_near)
        sim->stepper.factor = SHORTER;
    return too_near ? TN_RETRY_ERROR : TN_OK;
}

// The error of the polynomial at the end of a step of h, in tolerances: what its rates differ by
// from those of the equations is the rate of its error, which grows as h^(k+1) [HNW93, III.2].
static double error_of_past(tn_sim *sim, const double *a, double h)
{
    const tn_system *sys = sim->start.sys;
    const tn_state *x = &sim->start.x;
    double *tol = sim->scratch, sum = 0.0;
    tn_velocities_by_kind(sys, sim->stepper.atol, tol);
    for (int i = 0; i < sys->nv; i++) {
        const double e = (x->a[i] - a[i]) / (tol[i] + sim->options.rtol * fabs(x->v[i]));
        sum += e * e;
    }
    return h / (sim->stepper.order + 1) * sqrt(sum / sys->nv);
}

// The end of a step of h by the polynomial, on the constraints: TN_RETRY_ERROR unless the position
// lies between and as far away as from the begin at least, or the step begins in it.
static tn_status go_beyond(tn_sim *sim, double begin, double h, double *least)
{
    tn_state *x = &sim->start.x;
    double *a = sim->shown.a, value = 0.0;
    TN_TRY(sim->integrator->ops->interpolate(sim->integrator, &sim->stepper, x->t + h, x));
    x->t += h;
    TN_TRY(tn_branch_eigenvalue(sim, x, &value));
    *least = fmin(*least, value);
    if (!(value >= (*least < OVER_NEARER * begin ? 1.0 : OVER_FARTHER) * begin))
        return TN_RETRY_ERROR;
    tn_copy(sim->start.sys->nv, x->a, a);
    TN_TRY(tn_sim_project(sim));
    TN_TRY(tn_start_refresh(&sim->start));
    return error_of_past(sim, a, h) <= OVER_ERROR ? TN_OK : TN_RETRY_NEWTON;
}

// The longest of them, as the method begins anew there and does so the better the farther it is.
static bool steps_over(tn_monitor *m, tn_sim *sim, double end)
{
    tn_state *x = &sim->start.x;
    const double most = fmin(OVER_MOST * sim->sums.ledger.step_max, end - x->t);
    const long projections = sim->sums.ledger.projections;
    double begin = 0.0, least = INFINITY, over = 0.0;
    tn_status status = tn_branch_eigenvalue(sim, x, &begin);
    if (status != TN_OK || !(begin < NEAR_STUCK * ((tn_branch *)m)->eigen_best))
        return false;
    for (double h = OVER_LEAST * most; h < most && status != TN_RETRY_NEWTON; h *= OVER_MORE) {
        status = go_beyond(sim, begin, h, &least);
        tn_state_copy(sim->start.sys, &sim->before, x);
        over = status == TN_OK ? h : over;
    }
    sim->sums.ledger.projections = projections; // of tries
    sim->stepper.taken = over;
    sim->stepper.known = true;
    sim->stepper.moved = sim->restart = over > 0.0 && go_beyond(sim, begin, over, &least) == TN_OK;
    return sim->restart;
}

static void report_margin(const tn_monitor *m, tn_ledger *out)
{
    const tn_branch *b = (const tn_branch *)m;
    out->rank_margin = !(b->eigen_least > 0.0)          ? 0.0
                       : b->eigen_least < b->eigen_best ? sqrt(b->eigen_least / b->eigen_best)
                                                        : 1.0;
    out->rank_margin_time = b->t;
}

tn_status tn_sim_rank_now(tn_sim *sim, tn_rank_margin *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, out);
    const tn_point at = tn_state_point(sim->view);
    tn_clear_error();
    return tn_sim_leave(sim,
                        tn_singular_find(sim->start.sys, &at, tn_start_active(&sim->start), out),
                        "no margin of rank");
}

tn_status tn_sim_rank_least(tn_sim *sim, tn_rank_margin *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, out);
    const tn_branch *b = tn_branch_of(sim);
    const tn_point at = {.t = b->t, .q = b->q, .e = b->e, .r = b->r};
    tn_clear_error();
    return tn_sim_leave(sim,
                        tn_singular_find(sim->start.sys, &at, tn_start_active(&sim->start), out),
                        "no margin of rank");
}

static void branch_values(tn_monitor *m, const tn_sim *sim, tn_values *v)
{
    tn_branch *b = (tn_branch *)m;
    TN_VALUES_ANY(v, "1", 1, &b->eigen_best, &b->eigen_least, &b->t, &b->hint, &b->t0, &b->rate,
                  &b->turned, &b->least_inside, &b->t_inside, &b->errors, &b->elsewhere, &b->slope,
                  &b->eigen_last, &b->least_seen, &b->t_seen);
    TN_VALUES_INT(v, 0, INT_MAX / 2, 1, &b->since, &b->crossings, &b->unseen);
    TN_VALUES_LONG(v, &b->steps);
    TN_VALUES_BOOL(v, &b->inside, &b->looked);
}

static tn_status explain_branch(tn_monitor *m, tn_sim *sim, tn_status status, double h)
{
    return status != TN_RETRY_FUNCTION ? explain_singular(sim, h) : TN_OK;
}

const tn_monitor_ops tn_monitor_branch = {.name = "branch",
                                          .after = watch_branch,
                                          .explain = explain_branch,
                                          .explain_start = explain_start};

// Holds what both know of singular positions.
const tn_monitor_ops tn_monitor_near_singular = {.name = "near_singular",
                                                 .size = sizeof(tn_branch),
                                                 .layout = layout_branch,
                                                 .values = branch_values,
                                                 .open = open_branch,
                                                 .rows_change = forget_branch,
                                                 .steps_over = steps_over,
                                                 .after = watch_distance,
                                                 .report = report_margin};
