// SPDX-License-Identifier: MIT
//
// Singular positions on the way: how near the motion came to one, whether it has left its branch
// there, or does not get on; branch_jump.c has steps from one branch to another. See
// docs/theory/singular_positions.md.
//
// Where constraints lose rank, solutions of g = 0 cross. Near the crossing, with delta the distance
// along the branch and s across it, g ~ s (s - c delta): an error of size e in g turns the cross
// into s (s - c delta) = e, whose curves lead from one branch to the other or back. A method that
// follows such a curve does so at delta^2 ~ e, by accelerations that no force explains, and no
// tolerance that it keeps tells. So, while the condition of the constraints is far below what it
// was elsewhere, changes of velocity in a step are compared with what the acceleration before, and
// the applied forces, can have done in that time, and what is left is summed up:
//
//   sum of |v1 - v0| - 4 h max(|a|, |M^-1 f|)      norms of M, where positive; forgotten at |a|/|v|
//
// Where that comes to a good part of |v|, and the condition was of the size of the errors, these
// have decided. A linkage that is not quite singular turns as fast, but at a distance that errors
// do not reach. Forms on acceleration level that drift may turn slowly, in hundreds of steps: there
// the sign of branch_jump.c tells, where the motion has come away again.
//
// Conditions are those that factorisations tell by the way: hints, which may be far too low, as
// pivots tell little and stages of a step need not lie on the constraints. What counts is the
// smallest eigenvalue of C M^-1 C^T, the square of a singular value, found where there is a hint by
// inverse iteration with one factorisation more: for the comparison at the ends of steps, for the
// ledger on the dense output at the time of the hint.

#include "analysis/singular.h"
#include "base/random.h"
#include "linalg/dense.h"
#include "sim/sim.h"

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
static const double DECIDES_ALONE = 6.0;     // the same where no velocity tells
static const double ROUNDING = 1e-14;
// The ledger: hints from here on, and as many steps from one look to the next, unless a hint is
// much lower.
static const double HINT = 1e-3, LOWER = 0.5;
enum { LOOK_EVERY = 16 };
// A step that comes nearer than this part of the distance at its start is shortened by SHORTER, so
// that the next one goes on beyond.
static const double TOO_NEAR = 0.1, SHORTER = 0.8;
// Fixed steps have no error control: estimates beyond this, in tolerances and in those elsewhere.
static const double SPOILT = 1e3;
static const double RATIO_DEAD =
    0.2;                        // of singular values, at which a step that fails may be at one
static const double DEAD = 0.5; // tn_dead_end.part from which on it is one: 0 or 1, but for errors
// Without hints: steps from one look to the next, and the eigenvalue, as a part of the largest one,
// below which none is left out. Steps that turn a linkage by 0.1 rad do not get past unseen.
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

void tn_sim_layout_branch(tn_sim *sim, tn_carve *mem)
{
    const tn_system *sys = sim->start.sys;
    tn_branch *b = &sim->branch;
    b->q = tn_carve_doubles(mem, sys->nq);
    b->e = tn_carve_doubles(mem, sys->ne);
    b->r = tn_carve_doubles(mem, sys->nr);
    TN_CARVE_DOUBLES(mem, world_of(sim)->nv, &b->v, &b->dv);
    b->x = tn_carve_doubles(mem, sys->nv);
    b->y = tn_carve_doubles(mem, sys->ng + sys->nn);
}

static void keep_place(tn_sim *sim, const tn_state *x)
{
    const tn_system *sys = sim->start.sys;
    tn_branch *b = &sim->branch;
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
        if (!(size > 0.0))
            return TN_OK;
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
    tn_branch *b = &sim->branch;
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
    tn_branch *b = &sim->branch;
    const bool again = b->since >= LOOK_EVERY || b->now < LOWER * b->hint;
    b->since++;
    if (!again || !(b->now < HINT * b->best))
        return;
    b->since = 0;
    b->hint = b->now;
    const bool within = b->t_now > sim->before.t && b->t_now < sim->start.x.t;
    if (within && tn_sim_interpolate(sim, b->t_now) == TN_OK)
        look_branch(sim, &sim->shown);
    else
        look_branch(sim, &sim->start.x);
    sim->start.sys->rcond = INFINITY;
}

// Factorisations so far were those of start values.
void tn_sim_open_branch(tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    tn_branch *b = &sim->branch;
    b->best = isfinite(sys->rcond) ? sys->rcond : 0.0;
    b->now = b->eigen_least = INFINITY;
    b->inside = b->looked = false;
    keep_place(sim, &sim->start.x);
    if (sys->ng + sys->nn > 0)
        look_branch(sim, &sim->start.x);
    b->hint = b->eigen_last = INFINITY;
    b->since = LOOK_EVERY;
    sys->rcond = INFINITY;
}

// What factorisations have told in the step.
static void take_condition(tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    tn_branch *b = &sim->branch;
    if (isfinite(sys->rcond)) {
        b->told = true;
        b->now = sys->rcond;
        b->t_now = sys->rcond_t;
        b->best = fmax(b->best, b->now);
    }
    sys->rcond = INFINITY;
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
    tn_branch *b = &sim->branch;
    b->inside = true;
    // Hints come and go: what creeps has not left the place.
    if (b->steps == 0 || sim->before.t - b->t0 > sim->ledger.step_max) {
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
    tn_branch *b = &sim->branch;
    if (value < b->least_inside) {
        b->least_inside = value;
        b->t_inside = sim->start.x.t;
    }
}

// Whether the end of the step is worth a factorisation of its own: methods that tell no hints are
// looked at from time to time, and at each step where that has shown little.
static bool is_worth_a_look(tn_branch *b)
{
    if (b->told)
        return b->inside || b->now < NEAR_STUCK * b->best;
    const bool close = b->eigen_last < CLOSE * b->eigen_best;
    b->unseen = close || b->unseen >= LOOK_WITHOUT_HINTS ? 0 : b->unseen + 1;
    return b->unseen == 0;
}

static bool has_turned(tn_sim *sim)
{
    TN_ASSERT(sim->start.x.t > sim->before.t);
    const tn_system *sys = world_of(sim);
    tn_branch *b = &sim->branch;
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

// What messages of a singular position tell of it, unless it is a dead end.
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

// After looks at a position, which has been left behind.
static bool has_turned_slowly(const tn_sim *sim, double errors)
{
    const tn_branch *b = &sim->branch;
    return tn_branch_drifts(sim) && b->looked && b->crossings % 2 == 0 &&
           b->least_seen <= fmin(DECIDES_ALONE * errors, HINT) * b->eigen_best;
}

// The errors of the constraints, by lengths of one and the speed of the motion.
static double errors_now(const tn_sim *sim)
{
    const double speed = 1.0 + tn_norm_inf(sim->start.sys->nv, sim->start.x.v);
    return fmax(sim->ledger.g, sim->ledger.gdot / speed);
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
static bool is_spoilt(const tn_sim *sim)
{
    const bool watched = !sim->options.adaptive && sim->method.integrator->needs & TN_VIEW_ACCEL;
    return watched && sim->stepper.error > SPOILT * fmax(1.0, sim->branch.elsewhere);
}

static tn_status spoilt(tn_sim *sim)
{
    words w;
    TN_TRY(find_words_here(sim, &w));
    return tn_fail(TN_ERR_NUMERIC,
                   "at t = %.6g s a fixed step of %s has met a singular position: the constraints "
                   "lose rank there (%s), and its error is %.1g tolerances; set adaptive: true, or "
                   "%s",
                   sim->start.x.t, tn_sim_method(sim), w.rows, sim->stepper.error, w.advice);
}

tn_status tn_sim_watch_branch(tn_sim *sim)
{
    if (sim->start.sys->ng + sim->start.sys->nn == 0) // nothing loses rank, and the world of a tree
        return TN_OK;                                 // may have no blocks
    tn_branch *b = &sim->branch;
    const double errors = errors_now(sim);
    take_condition(sim);
    follow_hint(sim);
    const bool near = b->now < fmax(NEAR, fmin(NEAR_MAX, REACH * errors)) * b->best;
    double value = INFINITY;
    if (!(b->now < NEAR_STUCK * b->best))
        b->elsewhere = fmax(b->elsewhere, sim->stepper.error);
    const bool leaves = tn_branch_drifts(sim) && b->looked && b->eigen_last < CLOSE * b->eigen_best;
    if (near || leaves || is_worth_a_look(b))
        TN_TRY(tn_branch_look(sim, &value));
    else if (has_turned_slowly(sim, errors))
        return left_branch(sim, b->t_seen, errors);
    else
        b->looked = false;
    if (!near && !b->inside)
        return TN_OK;
    if (is_spoilt(sim))
        return spoilt(sim);
    TN_TRY(world_forces(sim));
    if (!b->inside)
        enter_branch(sim);
    b->errors = fmax(b->errors, errors);
    note_eigenvalue(sim, value);
    b->inside = near;
    if (has_turned(sim))
        return left_branch(sim, b->t_inside, b->errors);
    if (++b->steps > CREEPING && sim->start.x.t - b->t0 < sim->ledger.step_max)
        return tn_sim_explain_singular(sim, sim->stepper.taken);
    return TN_OK;
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

tn_status tn_sim_explain_singular(tn_sim *sim, double h)
{
    tn_rank_margin m;
    take_condition(sim);
    if (tn_sim_rank_now(sim, &m) == TN_OK && m.ratio < RATIO_DEAD)
        TN_TRY(dead_end(sim, &m));
    const bool met = sim->branch.inside || sim->branch.now < NEAR_STUCK * sim->branch.best;
    tn_sim_present(sim);
    if (met && is_spoilt(sim)) // a long step may begin far from the position that its stage has met
        return spoilt(sim);
    if (tn_sim_rank_now(sim, &m) != TN_OK || !(m.ratio < (met ? RATIO_STUCK : RATIO_START)))
        return TN_OK;
    return stuck(sim, &m, h);
}

tn_status tn_sim_explain_singular_start(tn_sim *sim, const tn_point *at)
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
bool tn_sim_ends_too_near(tn_sim *sim)
{
    const tn_integrator_ops *integrator = sim->method.integrator;
    tn_branch *b = &sim->branch;
    tn_system *sys = sim->start.sys;
    const double told = sys->rcond, t_told = sys->rcond_t;
    double begin = 0.0, end = INFINITY;
    if (!sim->options.adaptive || integrator->own_steps || integrator->on_group)
        return false;
    if (told < HINT * b->best)
        tn_branch_eigenvalue(sim, &sim->start.x, &end);
    if (end < TOO_NEAR * TOO_NEAR * b->eigen_best)
        tn_branch_eigenvalue(sim, &sim->before, &begin);
    sys->rcond = told;
    sys->rcond_t = t_told;
    const bool too_near = end < TOO_NEAR * TOO_NEAR * begin;
    if (too_near)
        sim->stepper.factor = SHORTER;
    return too_near;
}

static double margin(const tn_branch *b, double rcond)
{
    return b->best > 0.0 && rcond < b->best ? sqrt(fmax(rcond, 0.0) / b->best) : 1.0;
}

double tn_sim_margin(const tn_sim *sim)
{
    const double told = sim->start.sys->rcond;
    return margin(&sim->branch, isfinite(told) ? told : sim->branch.now);
}

void tn_sim_put_margin(const tn_sim *sim, tn_ledger *out)
{
    const tn_branch *b = &sim->branch;
    out->rank_margin =
        b->eigen_least < b->eigen_best ? sqrt(fmax(b->eigen_least, 0.0) / b->eigen_best) : 1.0;
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
    const tn_branch *b = &sim->branch;
    const tn_point at = {.t = b->t, .q = b->q, .e = b->e, .r = b->r};
    tn_clear_error();
    return tn_sim_leave(sim,
                        tn_singular_find(sim->start.sys, &at, tn_start_active(&sim->start), out),
                        "no margin of rank");
}
