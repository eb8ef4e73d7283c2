// SPDX-License-Identifier: MIT
//
// Consequences of functions that change their sign within a step (watch.c).
//
// Events are located, noted and may end the run: that cuts the last step. Steps do not change for
// them otherwise.
//
// Switches are conditions at which a force has a discontinuity, such as the contact of a stop or a
// point of a linear table. The step is taken back and taken again up to the switch, so that no step
// goes across it; an integrator that keeps a past, which would be lost by that, is cut there
// instead. The mode of a switch is the sign that it has had since its last change: the value at the
// switch itself is zero but for the error of the step, of either sign.

#include "linalg/dense.h"
#include "signal/expression.h"
#include "sim/monitor.h"
#include "sim/sim.h"
#include "system/absolute.h"
#include "system/callbacks.h"

#include <math.h>

// Steps below this part of the time that motions take do not divide what happens in them further.
static const double SHORTEST = 1e-9;

// Changes in steps one after the other, from which on a switch is said to chatter.
enum { CHATTER = 20 };
// A contact that fixed steps see in fewer of them is not resolved.
static const double STEPS_OF_CONTACT = 5.0;
// A step that is taken again up to a switch may pass it by this part of itself.
static const double AT_END = 1e-6;
// The length of the shortest step, as the difference of two times.
static const double ROUNDED = 1.1;
// The end of a step is moved onto a condition so often, and by no more than this part of the step.
enum { SHARPENED_MAX = 3 };
static const double SHARPENED_BY = 1e-3;

// A step within which a contact parts and closes again before its first sample is taken again as
// this part of itself.
static const double SOONER = 0.125;

// Steps in which a contact is met: shorter ones cost a few more per contact, longer ones miss
// stiff ones.
static const double FIRST_PART = 1e-4, PARTS_OF_CONTACT = 8.0;

void tn_sim_layout_events(tn_sim *sim, tn_carve *mem)
{
    tn_watch *w = &sim->watch;
    w->first_contact = tn_sim_count_switches(sim);
    w->first_decision = w->first_contact + sim->contacts.nwatched;
    w->ndecision = tn_sim_count_decisions(sim);
    const int nswitch = w->first_decision + w->ndecision;
    w->nevent = sim->model ? sim->model->events.count : tn_callbacks_event_count(sim->start.sys);
    w->n = w->nevent + nswitch;
    for (int i = 0; i <= TN_WATCH_PARTS; i++)
        TN_CARVE_DOUBLES(mem, w->n, &w->value[i]);
    for (int i = 0; i < 2; i++) {
        TN_CARVE_DOUBLES(mem, w->n, &w->end[i], &w->rate[i]);
    }
    TN_CARVE_DOUBLES(mem, w->n, &w->work);
    TN_CARVE_DOUBLES(mem, w->ndecision, &w->decision);
    tn_unknowns_layout(&w->unknowns, sim->start.sys, mem);
    w->decided = tn_carve_bytes(mem, (size_t)w->ndecision * sizeof *w->decided);
    for (int i = 0; i < 2; i++)
        w->side[i] = tn_carve_bytes(mem, (size_t)w->ndecision);
    w->switches = tn_carve_bytes(mem, (size_t)nswitch * sizeof *w->switches);
    sim->hits = tn_carve_bytes(mem, w->nevent > 0 ? TN_EVENT_HITS * sizeof *sim->hits : 0);
}

tn_status tn_sim_open_events(tn_sim *sim)
{
    tn_watch *w = &sim->watch;
    w->redo_at = w->span = INFINITY;
    if (w->n == 0)
        return TN_OK;
    tn_sim_open_switches(sim);
    if (w->ndecision > 0) {
        TN_TRY(tn_sim_settle_decisions(sim));
        TN_TRY(tn_leave(tn_start_refresh(&sim->start), "no start accelerations")); // of new forces
        tn_sim_note_jump(sim);
    }
    TN_TRY(tn_sim_watch_values(sim, w->end[1], w->rate[1]));
    for (int k = w->nevent; k < w->n; k++) {
        tn_switch *s = &w->switches[k - w->nevent];
        s->mode = s->force == TN_SWITCH_CONTACT || w->end[1][k] > 0.0 ? 1 : -1;
    }
    tn_sim_keep_modes(sim);
    return TN_OK;
}

// Events ------------------------------------------------------------------------------------------

static tn_event_direction events_wanted(const tn_sim *sim, int k)
{
    TN_ASSERT(k >= 0 && k < sim->watch.nevent);
    return sim->model ? (tn_event_direction)sim->model->events.at[k].direction : TN_EVENT_BOTH;
}

static bool ends_run(const tn_sim *sim, int k)
{
    TN_ASSERT(k >= 0 && k < sim->watch.nevent);
    return sim->model ? sim->model->events.at[k].stop : tn_callbacks_event_stops(sim->start.sys, k);
}

// In the order of time among those of the step, which begin at `first`.
static void note_events(tn_sim *sim, int first, tn_event_hit hit)
{
    TN_ASSERT(first >= 0 && first <= sim->nhit && sim->nhit <= TN_EVENT_HITS);
    sim->sums.ledger.events++;
    if (sim->nhit == TN_EVENT_HITS)
        return;
    int i = sim->nhit++;
    for (; i > first && sim->hits[i - 1].t > hit.t; i--)
        sim->hits[i] = sim->hits[i - 1];
    sim->hits[i] = hit;
}

void tn_sim_note_event(tn_sim *sim, tn_event_hit hit)
{
    note_events(sim, sim->nhit, hit);
}

// All changes of event k up to `end`. Where it ends the run, and does so before, *end and *last
// are set.
static tn_status note_changes(tn_sim *sim, int k, int first, bool stops, double *end, int *last)
{
    tn_change change[TN_CHANGES_MAX];
    const tn_event_direction d = events_wanted(sim, k);
    int n;
    TN_TRY(tn_sim_watch_changes(sim, k, change, &n));
    for (int i = 0; i < n; i++) {
        const bool rising = change[i].fa < 0.0;
        double t;
        if (d == (rising ? TN_EVENT_FALLING : TN_EVENT_RISING))
            continue;
        TN_TRY(tn_sim_watch_locate(sim, k, &change[i], &t));
        if (t > *end)
            continue;
        if (!stops) {
            note_events(sim, first, (tn_event_hit){.event = k, .t = t, .rising = rising});
        } else if (t < *end || *last < 0) {
            *end = t;
            *last = k;
        }
    }
    return TN_OK;
}

// Those that end the run first, as nothing is noted after the earliest of them.
static tn_status watch_events(tn_sim *sim, double *end, int *last)
{
    const int first = sim->nhit, n = sim->watch.nevent;
    *last = -1;
    for (int k = 0; k < n; k++)
        if (ends_run(sim, k))
            TN_TRY(note_changes(sim, k, first, true, end, last));
    for (int k = 0; k < n; k++)
        TN_TRY(note_changes(sim, k, first, false, end, last));
    return TN_OK;
}

// Switches ----------------------------------------------------------------------------------------

// Steps without a change after which a condition that has chattered is located again.
enum { CALM = 50 };

static bool chatters(const tn_sim *sim, tn_switch *s)
{
    if (sim->sums.ledger.steps - s->step > CALM)
        s->in_a_row = 0;
    return s->in_a_row >= CHATTER && !sim->options.adaptive;
}

// A condition that changes in every step of a given size is not located any more, or no step would
// get anywhere: it changes where steps end. Error-controlled steps end there.
static void follow_chatter(tn_sim *sim, int k, tn_switch *s)
{
    tn_watch *w = &sim->watch;
    if (w->value[TN_WATCH_PARTS][k] * s->mode >= 0.0)
        return;
    s->mode = -s->mode;
    s->step = sim->sums.ledger.steps;
    w->settles = w->decided[s->kind] = true;
}

// Takes the step again with the condition in this mode.
static void take_side(tn_sim *sim, tn_switch *s, int side)
{
    tn_watch *w = &sim->watch;
    s->mode = side;
    w->side[1][s->kind] = (signed char)side;
    w->redo_at = sim->start.x.t;
    w->left_zero = true;
    tn_sim_use_sides(sim, true);
}

// A condition that the step has taken to be zero, and that has left it: the step is taken again
// with the sign that it takes first.
static void leave_zero(tn_sim *sim, int k, tn_switch *s)
{
    tn_watch *w = &sim->watch;
    int i = 0;
    while (i <= TN_WATCH_PARTS && tn_sim_is_zero(sim, s->kind, w->value[i][k]))
        i++;
    if (i > TN_WATCH_PARTS)
        return;
    take_side(sim, s, w->value[i][k] > 0.0 ? 1 : -1);
}

// A condition that is zero at the start but for round-off, and then in the other mode than the one
// that the step was taken with, at the first sample at least.
static bool is_in_wrong_mode(const tn_sim *sim, int k, const tn_switch *s)
{
    const tn_watch *w = &sim->watch;
    return s->force == TN_SWITCH_CONDITION && w->value[0][k] * s->mode <= 0.0 &&
           w->value[1][k] * s->mode < 0.0;
}

// Takes the step again with the other mode, which a condition had from the start on.
// If this does not stay in its mode either, the step is too long for what happens there; where no
// step is short enough, the motion slides.
static tn_status turn_side(tn_sim *sim, tn_switch *s)
{
    const int side = -s->mode;
    const double h = sim->start.x.t - sim->before.t;
    if (s->turned && sim->options.adaptive && h > SHORTEST * sim->start.sys->time_scale) {
        s->kept_mode = s->mode; // the mode that the accelerations at the start belong to
        return TN_RETRY_ERROR;
    }
    if (s->turned) {
        s->mode = side;
        return sim->options.adaptive ? tn_sim_tell_slide(sim, s->kind) : TN_OK;
    }
    s->turned = true;
    take_side(sim, s, side);
    return TN_OK;
}

// The dense output that has shown where a condition changes may have fewer digits than the end of a
// step: a step that ends there gives the time better, by the zero of its last secant, and is taken
// again where that differs by more than its tolerance.
static void sharpen(tn_sim *sim, int k)
{
    tn_watch *w = &sim->watch;
    const double t = sim->start.x.t, h = t - sim->before.t;
    const double last = w->value[TN_WATCH_PARTS][k], before = w->value[TN_WATCH_PARTS - 1][k];
    const double part = w->to - tn_sim_part_time(sim, TN_WATCH_PARTS - 1);
    const double dt = last * part / (before - last);
    const double least = fmax(1e-10, 1e-2 * sim->options.rtol) * h;
    if (!sim->options.adaptive || w->to < t || w->sharpened == SHARPENED_MAX)
        return;
    if (!(fabs(dt) > least && fabs(dt) < SHARPENED_BY * h) || t + dt > w->latest)
        return;
    w->sharpened++;
    w->redo_at = t + dt;
}

// A switch that begins at zero, and has the other sign at the end of the step. A closed contact
// opens at the start then; an open one has left and come back before the first sample.
static tn_status has_touched(tn_sim *sim, tn_switch *s)
{
    if (s->force != TN_SWITCH_CONTACT) {
        s->mode = -s->mode;
        return TN_OK;
    }
    const double h = sim->start.x.t - sim->before.t;
    const bool presses = tn_sim_contact_holds(sim, s->kind);
    sim->contacts.turn = presses ? s->kind : -1;
    sim->watch.redo_at = presses ? sim->start.x.t : sim->before.t + SOONER * h;
    return TN_OK;
}

// The first change of switch k to the other mode.
static tn_status first_change(tn_sim *sim, int k, tn_switch *s)
{
    TN_ASSERT(k >= sim->watch.nevent && k < sim->watch.n);
    tn_watch *w = &sim->watch;
    tn_change change[TN_CHANGES_MAX];
    int n;
    const bool expected = s->flips; // at the end of this step
    s->when = INFINITY;
    if (s->force == TN_SWITCH_CONDITION && w->side[1][s->kind] == TN_SIDE_ZERO) {
        leave_zero(sim, k, s);
        return TN_OK;
    }
    if (s->force == TN_SWITCH_CONDITION && chatters(sim, s)) {
        follow_chatter(sim, k, s);
        return TN_OK;
    }
    if (!expected && tn_sim_switch_rests(sim, k)) {
        if (s->force >= 0) // a condition keeps its mode: the sign is round-off
            s->mode = w->value[TN_WATCH_PARTS][k] > 0.0 ? 1 : -1;
        return TN_OK;
    }
    TN_TRY(tn_sim_watch_changes(sim, k, change, &n));
    bool in_wrong_mode = is_in_wrong_mode(sim, k, s);
    if (in_wrong_mode) {
        bool found;
        TN_TRY(tn_sim_watch_start(sim, k, s->mode, change, &found));
        n = found ? 1 : 0;
        in_wrong_mode = !found;
    }
    for (int i = 0; i < n && s->when == INFINITY; i++)
        if (change[i].fa * s->mode > 0.0)
            TN_TRY(tn_sim_watch_locate(sim, k, &change[i], &s->when));
    const double h = sim->start.x.t - sim->before.t;
    const bool shortest = h <= ROUNDED * w->least;
    const bool on_time = shortest ? expected || s->when < INFINITY
                                  : expected && s->when > sim->start.x.t - AT_END * h;
    s->flips = s->flips || on_time;
    if (on_time)
        s->when = INFINITY;
    else if (expected)
        s->flips = false; // the step that gave the time had gone too far to know it
    else if (in_wrong_mode)
        return turn_side(sim, s);
    else if (n == 0 && w->value[TN_WATCH_PARTS][k] * s->mode < 0.0)
        return has_touched(sim, s);
    if (on_time && s->force < 0)
        sharpen(sim, k);
    return TN_OK;
}

// The earliest switch within the step; all that change there are marked.
static tn_status watch_switches(tn_sim *sim, double *when)
{
    tn_watch *w = &sim->watch;
    const double slack = 1e-12 * (sim->start.x.t - sim->before.t);
    *when = INFINITY;
    for (int k = w->nevent; k < w->n; k++) {
        tn_switch *s = &w->switches[k - w->nevent];
        TN_TRY(first_change(sim, k, s));
        *when = fmin(*when, s->when);
    }
    for (int i = 0; i < w->n - w->nevent && *when < INFINITY; i++)
        w->switches[i].flips = w->switches[i].when <= *when + slack;
    return TN_OK;
}

void tn_sim_forget_flips(tn_sim *sim)
{
    sim->watch.sharpened = 0;
    for (int i = 0; i < sim->watch.n - sim->watch.nevent; i++) {
        tn_switch *s = &sim->watch.switches[i];
        s->flips = s->turned = false;
        s->mode = s->kept_mode;
    }
}

void tn_sim_keep_modes(tn_sim *sim)
{
    tn_watch *w = &sim->watch;
    for (int i = 0; i < w->n - w->nevent; i++)
        w->switches[i].kept_mode = w->switches[i].mode;
    for (int i = 0; i < w->ndecision; i++) {
        double *end = &w->end[1][w->nevent + w->first_decision + i];
        if (w->side[1][i] == TN_SIDE_ZERO)
            *end = 0.0; // but for round-off, which must not seem to pass zero later
        else if (*end != 0.0)
            w->side[1][i] = (signed char)w->switches[w->first_decision + i].mode;
    }
    tn_sim_use_sides(sim, true);
}

static void tell_short_contact(tn_sim *sim, tn_switch *s)
{
    const double t = sim->start.x.t, lasted = t - s->since, h = sim->options.step;
    const bool released = s->contact && s->mode < 0 && isfinite(s->since);
    if (!sim->options.adaptive && released && lasted < STEPS_OF_CONTACT * h)
        tn_sim_judge_missed(sim, TN_MISSED_CONTACT, s->force, STEPS_OF_CONTACT * h / lasted);
}

// Steps end at every change: those follow each other in every step where motions hardly go on
// between them, or where hardly a part of a fixed step lies between them. Changes of forces always
// count in fixed steps.
static bool goes_on(const tn_sim *sim, const tn_switch *s)
{
    static const double HARDLY = 1e-4, PART = 1e-2;
    const double passed = sim->start.x.t - s->since;
    if (sim->options.adaptive)
        return passed > HARDLY * sim->start.sys->time_scale;
    return s->force == TN_SWITCH_CONDITION && passed > PART * sim->options.step;
}

static void tell_chatter(tn_sim *sim, tn_switch *s)
{
    const bool follows = sim->sums.ledger.steps - s->step <= 1;
    s->in_a_row = follows && !goes_on(sim, s) ? s->in_a_row + 1 : 0;
    s->step = sim->sums.ledger.steps;
    if (s->in_a_row != CHATTER)
        return;
    if (s->force == TN_SWITCH_CONDITION) {
        char what[TN_FORMULA_WORDS];
        tn_absolute_describe_decision(tn_sim_world(sim), s->kind, what, sizeof what);
        tn_notes_add(&sim->start.notes,
                     "%s chatters near t = %.6g s: a condition in it changes in every step", what,
                     sim->start.x.t);
        return;
    }
    const tn_force_data *force = &sim->model->forces.at[s->force];
    if (force->ops->range)
        tn_notes_add(
            &sim->start.notes,
            "force '%s' chatters near t = %.6g s: it passes point %d of its table in every "
            "step",
            force->name, sim->start.x.t, s->kind + 1);
    else
        tn_notes_add(&sim->start.notes,
                     "force '%s' chatters near t = %.6g s: contact and release follow each other "
                     "in every step",
                     force->name, sim->start.x.t);
}

// The duration of a first contact is unknown, and methods that damp stiff forces pass over it in a
// step as long as those before, with all its energy: it starts with steps that are short against
// those, the next ones as the last one lasted.
static void meet_contact(tn_sim *sim, tn_switch *s)
{
    const double lasted = sim->start.x.t - s->since;
    if (!s->contact || !sim->options.adaptive)
        return;
    if (s->mode < 0)
        s->lasted = isfinite(lasted) ? lasted : 0.0;
    else
        sim->h = fmin(sim->h, s->lasted > 0.0 ? s->lasted / PARTS_OF_CONTACT : FIRST_PART * sim->h);
}

void tn_sim_flip_switches(tn_sim *sim)
{
    tn_watch *w = &sim->watch;
    for (int i = 0; i < w->n - w->nevent; i++) {
        tn_switch *s = &w->switches[i];
        if (!s->flips)
            continue;
        s->flips = false;
        if (s->force == TN_SWITCH_CONTACT) {
            tn_sim_reach_contact(sim, s->kind);
            continue;
        }
        s->mode = -s->mode;
        if (s->force == TN_SWITCH_CONDITION)
            w->settles = w->decided[s->kind] = true;
        tell_short_contact(sim, s);
        tell_chatter(sim, s);
        s->at_once =
            sim->start.x.t - s->since <= SHORTEST * sim->start.sys->time_scale ? s->at_once + 1 : 0;
        meet_contact(sim, s);
        s->since = sim->start.x.t;
        sim->restart = sim->restart || sim->method.integrator->multistep;
    }
    if (sim->restart)
        sim->stepper.moved = true;
}

// The step ----------------------------------------------------------------------------------------

// The last step ends at t: the output state becomes the current one.
static tn_status cut(tn_sim *sim, double t)
{
    TN_ASSERT(t >= sim->before.t);
    tn_system *sys = sim->start.sys;
    tn_state *x = &sim->start.x;
    if (t >= x->t)
        return TN_OK;
    tn_sim_keep_step_end(sim);
    tn_sim_cut_element_work(sim, (t - sim->before.t) / (x->t - sim->before.t),
                            x->t - sim->before.t);
    TN_TRY(tn_sim_sample_silently(sim, t));
    tn_state_copy(sys, &sim->shown, x);
    sim->sums.ledger = sim->ledger_shown;
    tn_sim_note_balance(&sim->sums.ledger);
    tn_sim_current(sim);
    const tn_point at = tn_state_point(x);
    if (sys->ops->accept)
        TN_TRY(sys->ops->accept(sys, &at, x->r));
    tn_sim_note_jump(sim); // powers are those of this state now
    sim->stepper.moved = true;
    sim->stepper.known = false;
    sim->stepper.taken = t - sim->before.t;
    sim->restart = true;
    return TN_OK;
}

// One window of the step. *done: the last one, or nothing of the rest counts.
static tn_status watch_window(tn_sim *sim, bool *done)
{
    tn_watch *w = &sim->watch;
    double switched, end;
    int last;
    TN_TRY(watch_switches(sim, &switched));
    if (w->redo_at < INFINITY && !w->left_zero) { // its end is moved
        *done = true;
        return TN_OK;
    }
    const bool inside = switched < sim->start.x.t - 1e-12 * (sim->start.x.t - sim->before.t);
    if (inside && !sim->method.integrator->own_steps)
        w->redo_at = switched;
    if (w->redo_at < INFINITY) {
        *done = true;
        return TN_OK;
    }
    end = switched;
    TN_TRY(watch_events(sim, &end, &last));
    sim->ended_by = last;
    if (last >= 0 || inside) {
        *done = true;
        TN_TRY(cut(sim, end));
        TN_TRY(tn_sim_watch_values(sim, w->end[1], w->rate[1]));
    }
    if (*done && switched <= end)
        tn_sim_flip_switches(sim);
    return TN_OK;
}

static tn_status watch(tn_sim *sim)
{
    bool done;
    TN_TRY(tn_sim_watch_step(sim, &done));
    while (!done) {
        TN_TRY(tn_sim_heed_stop(sim));
        TN_TRY(tn_sim_watch_window(sim));
        done = !(sim->watch.to < sim->start.x.t);
        TN_TRY(watch_window(sim, &done));
    }
    return TN_OK;
}

static tn_status watch_functions(tn_monitor *m, tn_sim *sim)
{
    tn_watch *w = &sim->watch;
    const int nhit = sim->nhit;
    sim->ended_by = -1;
    w->redo_at = INFINITY;
    w->left_zero = false;
    if (w->n == 0)
        return TN_OK;
    tn_copy(w->n, w->end[1], w->end[0]);
    tn_copy(w->n, w->rate[1], w->rate[0]);
    tn_status status = watch(sim);
    if (status == TN_OK && !(w->redo_at < INFINITY))
        status = tn_sim_watch_tables(sim);
    if (status != TN_OK || w->redo_at < INFINITY) { // as if the step had not been taken
        tn_copy(w->n, w->end[0], w->end[1]);
        tn_copy(w->n, w->rate[0], w->rate[1]);
        sim->nhit = nhit;
        sim->ended_by = -1;
    }
    return status;
}

const tn_monitor_ops tn_monitor_switching = {.name = "switching", .after = watch_functions};

int tn_sim_event_hits(const tn_sim *sim, const tn_event_hit **out)
{
    TN_NEED_ALL(0, sim, out);
    *out = sim->hits;
    return sim->nhit;
}

TN_GETTER(int, tn_sim_ended_by, (const tn_sim *sim), sim, -1, sim->ended_by);
