// SPDX-License-Identifier: MIT
//
// Functions of the state that are monitored within a step, on its dense output: events, and
// switches, which are conditions on the state at which forces have discontinuities. Each step is
// sampled in parts, and between them at turning points (watch_changes.c), so that a function that
// passes zero and comes back within one step is seen too. Conditions of expressions may go up and
// down many times within a step, as those of a sensor with many teeth: where samples do not resolve
// one they are taken closer to each other. Steps in which every function is farther from zero than
// its rates could bring it are left alone.

#include "linalg/dense.h"
#include "model/units.h"
#include "signal/expression.h"
#include "sim/sim.h"
#include "system/absolute.h"
#include "system/callbacks.h"

// The way that a function may go within a step, by its rates at both ends.
static const double QUIET = 2.0;
// With larger turns per part, places that are passed twice within one are missed [rad].
static const double TURN = 0.5;
enum { WINDOWS_MAX = 10000 };
// Looks at a window, in parts of it. Even ones could find one and the same value of a function of
// many periods, and take it for a constant.
static const double LOOK[TN_WATCH_PARTS + 1] = {0.0,   0.141, 0.233, 0.406, 0.489,
                                                0.652, 0.729, 0.893, 1.0};
// A condition is resolved where samples are within this part of its largest value there of the
// polynomial through every other one; what is below a part of all that it has been is not sampled
// at.
static const double ROUGH = 0.03, SMOOTH = 1e-4;
// Windows get shorter and then longer again by these factors, down to a part of what the turns of
// bodies ask for, and so many are sampled in one step.
static const double CLOSER = 0.25, WIDER = 2.0, CLOSEST = 1e-3;
enum { CLOSE_MAX = 256 };
// A spring that comes to rest at a point of its table, or what rests at a stop without a load,
// passes it by round-off or by the errors of steps: deflections below this part of the table, or of
// the size of the model, or below their tolerance, are not looked at. With less, runs end each step
// at such a place.
static const double RESTS = 1e-12;

// Functions ---------------------------------------------------------------------------------------

static int count_switches(const tn_force_data *force)
{
    return force->ops->switches ? force->ops->switches(force) : 0;
}

int tn_sim_count_switches(const tn_sim *sim)
{
    int n = 0;
    for (int i = 0; sim->model && i < sim->model->forces.count; i++) {
        const tn_force_data *force = &sim->model->forces.at[i];
        for (int k = 0; k < count_switches(force); k++)
            n += force->ops->switch_at(force, k, 0.0, 0.0).exists;
    }
    return n;
}

static void decision_values(tn_sim *sim)
{
    tn_system *sys = sim->start.sys;
    const tn_point at = tn_state_point(sim->view);
    if (sim->watch.ndecision > 0)
        sys->ops->mechanism->decisions(sys, &at, sim->watch.decision);
}

// The force whose deflection was read last: tables have many points.
typedef struct seen_force {
    int force;
    double y, rate;
} seen_force;

static void switch_value(tn_sim *sim, const tn_switch *s, seen_force *seen, double *value,
                         double *rate)
{
    const tn_force_data *force = &sim->model->forces.at[s->force];
    if (seen->force != s->force)
        tn_sim_deflection(sim, s->force, &seen->y, &seen->rate);
    seen->force = s->force;
    const tn_force_switch at = force->ops->switch_at(force, s->kind, seen->y, seen->rate);
    *value = at.value;
    *rate = at.rate;
}

// An event of how a joint with friction slips, and not of a joint or body.
static bool is_of_slip(const tn_event_def *def)
{
    return def->joint.index < 0 && def->body.index < 0;
}

// An event of how hard shapes are pressed together.
static bool is_of_load(const tn_event_def *def)
{
    return def->joint.index >= 0 && def->coordinate == TN_EVENT_OF_LOAD;
}

// An event that a contact notes itself, which no sign tells.
static bool is_noted(const tn_event_def *def)
{
    return def->joint.index >= 0 && def->coordinate < TN_EVENT_OF_LOAD;
}

static void event_value(tn_sim *sim, const tn_event_def *def, double *value, double *rate)
{
    double q[3] = {0}, qd[3] = {0};
    tn_force_state force = {0};
    if (is_of_slip(def)) {
        const bool known = tn_sim_force(sim, def->force, &force) == TN_OK;
        *value = (known ? force.slip : 0.0) - def->value;
        *rate = 0.0; // guess_rates
        return;
    }
    if (is_noted(def)) {
        *value = 1.0;
        *rate = 0.0;
        return;
    }
    if (is_of_load(def)) {
        *value = tn_sim_contact_load(sim, def->joint);
        *rate = 0.0; // guess_rates
        return;
    }
    if (def->joint.index >= 0) {
        tn_sim_joint_coordinates(sim, def->joint, q, qd);
    } else {
        tn_v3_to(tn_sim_body_frame(sim, def->body).p, q);
        tn_v3_to(tn_sim_body_velocity(sim, def->body), qd);
    }
    const int i = def->joint.index >= 0 ? def->coordinate : def->axis;
    *value = q[i] - def->value;
    *rate = qd[i];
}

tn_status tn_sim_watch_values(tn_sim *sim, double *value, double *rate)
{
    const tn_watch *w = &sim->watch;
    seen_force seen = {.force = -1};
    double unused;
    if (!sim->model) {
        const tn_point at = tn_state_point(sim->view);
        for (int k = 0; rate && k < w->n; k++)
            rate[k] = INFINITY;
        return tn_callbacks_events(sim->start.sys, &at, value);
    }
    decision_values(sim);
    TN_TRY(tn_sim_contact_values(sim, value + w->nevent + w->first_contact,
                                 rate ? rate + w->nevent + w->first_contact : NULL));
    for (int k = 0; k < w->n; k++) {
        double *to = rate ? &rate[k] : &unused;
        const tn_switch *s = k < w->nevent ? NULL : &w->switches[k - w->nevent];
        if (!s) {
            event_value(sim, &sim->model->events.at[k], &value[k], to);
        } else if (s->force == TN_SWITCH_CONDITION) {
            value[k] = w->decision[s->kind];
            *to = INFINITY;
        } else if (s->force >= 0) {
            switch_value(sim, s, &seen, &value[k], to);
        }
    }
    return TN_OK;
}

void tn_sim_open_switches(tn_sim *sim)
{
    tn_switch *next = sim->watch.switches;
    for (int i = 0; sim->model && i < sim->model->forces.count; i++) {
        const tn_force_data *force = &sim->model->forces.at[i];
        for (int k = 0; k < count_switches(force); k++) {
            const tn_force_switch at = force->ops->switch_at(force, k, 0.0, 0.0);
            if (at.exists)
                *next++ = (tn_switch){
                    .force = i, .kind = k, .contact = at.contact, .since = -INFINITY, .step = -1};
        }
    }
    for (int k = 0; k < sim->contacts.nwatched; k++)
        *next++ = (tn_switch){
            .force = TN_SWITCH_CONTACT, .kind = k, .since = -INFINITY, .step = -1, .mode = 1};
    for (int k = 0; k < sim->watch.ndecision; k++)
        *next++ =
            (tn_switch){.force = TN_SWITCH_CONDITION, .kind = k, .since = -INFINITY, .step = -1};
}

// Parts of a step ---------------------------------------------------------------------------------

double tn_sim_part_time(const tn_sim *sim, int i)
{
    TN_ASSERT(i >= 0 && i <= TN_WATCH_PARTS);
    const double a = sim->watch.from, b = sim->watch.to;
    return i == TN_WATCH_PARTS ? b : a + (b - a) * LOOK[i];
}

tn_status tn_sim_find_unknowns(tn_sim *sim)
{
    tn_unknowns *w = &sim->watch.unknowns;
    if (!sim->model || !tn_unknowns_exist(w))
        return TN_OK;
    const tn_status status = tn_unknowns_follow(w, &sim->before, &sim->shown);
    if (status > 0)
        tn_clear_error();
    return status > 0 ? TN_OK : status;
}

// Users' functions may ask for accelerations and multipliers. Of models only loads do.
static bool asks_for_motion_only(const tn_sim *sim)
{
    bool loads = !sim->model || sim->start.sys->force_uses_lambda || sim->contacts.nclosed > 0;
    for (int k = 0; !loads && k < sim->watch.nevent; k++)
        loads = is_of_load(&sim->model->events.at[k]);
    return !loads;
}

// `exact`: at the output state, on the constraints.
static tn_status values_at(tn_sim *sim, double t, bool exact, double *out)
{
    sim->stepper.motion_only = asks_for_motion_only(sim);
    const tn_status status = tn_sim_interpolate(sim, t);
    sim->stepper.motion_only = false;
    TN_TRY(status);
    if (exact)
        tn_sim_project_output(sim);
    TN_TRY(tn_sim_find_unknowns(sim));
    sim->view = &sim->shown;
    tn_sim_forget_recovered(sim);
    return tn_sim_watch_values(sim, out, NULL);
}

static bool is_quiet(const tn_watch *w, int k, double h)
{
    TN_ASSERT(k >= 0 && k < w->n);
    const double a = w->end[0][k], b = w->end[1][k];
    const double reach = QUIET * h * fmax(fabs(w->rate[0][k]), fabs(w->rate[1][k]));
    return a * b > 0.0 && fmin(fabs(a), fabs(b)) > reach;
}

bool tn_sim_is_zero(const tn_sim *sim, int decision, double value)
{
    const tn_watch *w = &sim->watch;
    TN_ASSERT(decision >= 0 && decision < w->ndecision);
    return fabs(value) <= RESTS * fmax(w->switches[w->first_decision + decision].largest, 1e-3);
}

// A condition that was taken to be zero in the step, and is so at its end.
static bool stays_zero(const tn_sim *sim, int k)
{
    const tn_watch *w = &sim->watch;
    const int decision = k - w->nevent - w->first_decision;
    return decision >= 0 && w->side[1][decision] == TN_SIDE_ZERO &&
           tn_sim_is_zero(sim, decision, w->end[1][k]);
}

// Angle by which bodies turn in a step. Points may go around others within the size of the
// mechanism, where that is known; a rate from energies that overflow says nothing.
static double turn_in_step(const tn_sim *sim, double h)
{
    const tn_sizes *s = &sim->sums.judge.sizes;
    return sim->model ? h * (s->grows || !isfinite(s->rate) ? s->fastest_turn : s->rate) : 0.0;
}

// Bodies that turn several times within a step pass places again and again: so many windows that
// none turns by more than TURN in a part. Error-controlled steps that would need too many are taken
// again, shorter.
static int count_windows(tn_sim *sim, double turned)
{
    const double windows = turned / (TN_WATCH_PARTS * TURN);
    if (!(windows < WINDOWS_MAX)) {
        sim->stepper.factor = 0.5 * WINDOWS_MAX / windows;
        if (sim->options.adaptive)
            return 0;
        tn_sim_judge_missed(sim, TN_MISSED_TURNS, 0, windows / WINDOWS_MAX);
        return WINDOWS_MAX;
    }
    return windows < 1.0 ? 1 : 1 + (int)windows;
}

// Values of conditions a little later, where further states go on as in the last step.
static tn_status decide_ahead(tn_sim *sim, double dt, double h)
{
    tn_system *sys = sim->start.sys;
    tn_sim_look_ahead(sim, dt);
    for (int i = 0; i < sys->nc; i++)
        sim->shown.e[i] += dt / h * (sim->start.x.e[i] - sim->before.e[i]);
    TN_TRY(tn_sim_find_unknowns(sim));
    const tn_point later = tn_state_point(&sim->shown);
    sys->ops->mechanism->decisions(sys, &later, sim->watch.decision);
    return TN_OK;
}

// Rates that are not given: of slips and loads what they have done in this step; of conditions,
// which may have gone up and down within it, also what they are about to do.
static tn_status guess_rates(tn_sim *sim, double h)
{
    tn_watch *w = &sim->watch;
    const int first = w->nevent + w->first_decision;
    for (int k = 0; sim->model && k < w->nevent; k++)
        if (is_of_slip(&sim->model->events.at[k]) || is_of_load(&sim->model->events.at[k]))
            w->rate[1][k] = 2.0 * (w->end[1][k] - w->end[0][k]) / h;
    for (int i = 0; i < sim->contacts.nwatched; i++)
        if (tn_sim_contact_holds(sim, i)) {
            const int k = w->nevent + w->first_contact + i;
            w->rate[1][k] = 2.0 * (w->end[1][k] - w->end[0][k]) / h;
        }
    if (w->ndecision == 0)
        return TN_OK;
    const double dt = tn_sim_lookahead_time(sim);
    TN_TRY(decide_ahead(sim, dt, h));
    for (int i = 0; i < w->ndecision; i++) {
        const double *end = &w->end[1][first + i];
        tn_switch *s = &w->switches[w->first_decision + i];
        const double gone = 2.0 * fabs(*end - w->end[0][first + i]) / h;
        w->rate[1][first + i] = fmax(gone, fabs(w->decision[i] - *end) / dt);
        s->largest = fmax(s->largest, fabs(*end));
    }
    tn_sim_current(sim);
    return TN_OK;
}

tn_status tn_sim_watch_step(tn_sim *sim, bool *quiet)
{
    tn_watch *w = &sim->watch;
    const double h = sim->start.x.t - sim->before.t, turned = turn_in_step(sim, h);
    const int windows = count_windows(sim, turned);
    if (windows == 0)
        return TN_RETRY_ERROR;
    tn_sim_current(sim);
    TN_TRY(tn_sim_watch_values(sim, w->end[1], w->rate[1]));
    TN_TRY(guess_rates(sim, h));
    *quiet = windows == 1 && (w->ndecision == 0 || turned < TURN);
    for (int k = 0; k < w->n && *quiet; k++)
        *quiet = is_quiet(w, k, h) || stays_zero(sim, k);
    w->from = w->to = sim->before.t;
    w->whole = h / windows;
    w->close = 0;
    tn_copy(w->n, w->end[0], w->value[TN_WATCH_PARTS]);
    return TN_OK;
}

// The value at sample `odd` of the polynomial through all even ones.
static double by_even_looks(const tn_watch *w, int k, int odd)
{
    TN_ASSERT(odd % 2 == 1 && odd < TN_WATCH_PARTS);
    double sum = 0.0;
    for (int i = 0; i <= TN_WATCH_PARTS; i += 2) {
        double term = w->value[i][k];
        for (int j = 0; j <= TN_WATCH_PARTS; j += 2)
            if (j != i)
                term *= (LOOK[odd] - LOOK[j]) / (LOOK[i] - LOOK[j]);
        sum += term;
    }
    return sum;
}

static bool is_resolved(const tn_watch *w, int k)
{
    TN_ASSERT(k >= w->nevent && k < w->n);
    double rough = 0.0, largest = 0.0;
    for (int i = 0; i <= TN_WATCH_PARTS; i++)
        largest = fmax(largest, fabs(w->value[i][k]));
    for (int i = 1; i < TN_WATCH_PARTS; i += 2)
        rough = fmax(rough, fabs(w->value[i][k] - by_even_looks(w, k, i)));
    return rough <= fmax(ROUGH * largest, SMOOTH * w->switches[k - w->nevent].largest);
}

// Looks at this window must be closer to each other; a run of them ends by a note.
static bool is_too_wide(tn_sim *sim)
{
    tn_watch *w = &sim->watch;
    int k = w->nevent + w->first_decision;
    while (k < w->n && is_resolved(w, k))
        k++;
    if (k < w->n && w->close == CLOSE_MAX)
        tn_sim_judge_missed(sim, TN_MISSED_DECISION, w->switches[k - w->nevent].kind, 1.0 / CLOSER);
    return k < w->n && w->span > CLOSEST * w->whole && w->close < CLOSE_MAX;
}

static tn_status look(tn_sim *sim)
{
    static const double NEXT_TO_NOTHING = 1e-9; // of a window, between its end and that of the step
    tn_watch *w = &sim->watch;
    const double end = sim->start.x.t, to = w->from + w->span;
    const bool last = !(to < end - NEXT_TO_NOTHING * w->span);
    w->to = last ? end : to;
    w->close += w->span < w->whole;
    for (int k = 1; k < TN_WATCH_PARTS + !last; k++)
        TN_TRY(values_at(sim, tn_sim_part_time(sim, k), false, w->value[k]));
    if (last)
        tn_copy(w->n, w->end[1], w->value[TN_WATCH_PARTS]);
    return TN_OK;
}

tn_status tn_sim_watch_window(tn_sim *sim)
{
    tn_watch *w = &sim->watch;
    w->from = w->to;
    tn_copy(w->n, w->value[TN_WATCH_PARTS], w->value[0]);
    w->span = w->close < CLOSE_MAX ? fmin(WIDER * w->span, w->whole) : w->whole;
    TN_TRY(look(sim));
    while (is_too_wide(sim)) {
        w->span *= CLOSER;
        TN_TRY(look(sim));
    }
    tn_sim_current(sim);
    return TN_OK;
}

// A condition that stays at zero but for round-off: what it compares is at rest there.
static bool decision_rests(const tn_sim *sim, int k)
{
    const tn_watch *w = &sim->watch;
    bool rests = true;
    for (int i = 0; i <= TN_WATCH_PARTS; i++)
        rests = rests && tn_sim_is_zero(sim, w->switches[k - w->nevent].kind, w->value[i][k]);
    return rests;
}

bool tn_sim_switch_rests(const tn_sim *sim, int k)
{
    TN_ASSERT(k >= sim->watch.nevent && k < sim->watch.n);
    const tn_watch *w = &sim->watch;
    double largest = 0.0;
    if (w->switches[k - w->nevent].force == TN_SWITCH_CONTACT)
        return false;
    if (w->switches[k - w->nevent].force == TN_SWITCH_CONDITION)
        return decision_rests(sim, k);
    const tn_force_data *force = &sim->model->forces.at[w->switches[k - w->nevent].force];
    const tn_force_range table = tn_force_range_of(force);
    for (int i = 0; i <= TN_WATCH_PARTS; i++)
        largest = fmax(largest, fabs(w->value[i][k]));
    const bool length = tn_force_acts_on_length(force);
    const tn_kind kind = length ? TN_KIND_LENGTH : TN_KIND_ANGLE;
    const double atol = sim->options.adaptive ? sim->stepper.atol[kind] : 0.0;
    const double range =
        table.high > table.low ? table.high - table.low : tn_system_typical(sim->start.sys, kind);
    return largest <= fmax(RESTS * range, atol);
}

tn_status tn_sim_watch_value_at(tn_sim *sim, int k, double t, double *out)
{
    TN_ASSERT(k >= 0 && k < sim->watch.n);
    TN_TRY(values_at(sim, t, true, sim->watch.work));
    *out = sim->watch.work[k];
    return TN_OK;
}
