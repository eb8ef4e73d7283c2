// SPDX-License-Identifier: MIT
//
// Functions of the state that are watched within a step, on its dense output: events, and
// switches, which are conditions on the state at which forces have kinks. Each step is looked at
// in equal parts, and between them at the turning points of parabolas through three values, so
// that a function that passes zero and comes back within one step is seen too. Steps in which
// every function is farther from zero than its rates could bring it are left alone.

#include "linalg/dense.h"
#include "model/expression.h"
#include "model/units.h"
#include "sim/sim.h"
#include "system/callbacks.h"

// The way that a function may go within a step, by its rates at both ends.
static const double QUIET = 2.0;
// With larger turns per part, places that are passed twice within one are missed [rad].
static const double TURN = 0.5;
enum { WINDOWS_MAX = 100000 };
// A spring that comes to rest at a point of its table passes it by round-off or by the errors of
// steps: deflections below this part of the table, or below their tolerance, are not looked
// at. With less, runs end each step at such a place.
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
    return def->joint.index >= 0 && def->coordinate < 0;
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
    for (int k = 0; k < w->n; k++) {
        double *to = rate ? &rate[k] : &unused;
        const tn_switch *s = k < w->nevent ? NULL : &w->switches[k - w->nevent];
        if (!s) {
            event_value(sim, &sim->model->events.at[k], &value[k], to);
        } else if (s->force < 0) {
            value[k] = w->decision[s->kind];
            *to = INFINITY;
        } else {
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
    for (int k = 0; k < sim->watch.ndecision; k++)
        *next++ = (tn_switch){.force = -1, .kind = k, .since = -INFINITY, .step = -1};
}

// Parts of a step ---------------------------------------------------------------------------------

static double part_time(const tn_sim *sim, int i)
{
    TN_ASSERT(i >= 0 && i <= TN_WATCH_PARTS);
    const double a = sim->watch.from, b = sim->watch.to;
    return i == TN_WATCH_PARTS ? b : a + (b - a) * i / TN_WATCH_PARTS;
}

tn_status tn_sim_find_unknowns(tn_sim *sim)
{
    tn_roots *w = &sim->watch.unknowns;
    const tn_point at = tn_state_point(&sim->shown);
    if (w->n == 0)
        return TN_OK;
    const tn_status status = tn_roots_find(w, sim->start.sys, &at, sim->shown.e);
    if (status > 0)
        tn_clear_error();
    return status > 0 ? TN_OK : status;
}

// Users' functions may ask for accelerations and multipliers. Of models only loads do.
static bool asks_for_motion_only(const tn_sim *sim)
{
    bool loads = !sim->model || sim->start.sys->force_uses_lambda;
    for (int k = 0; !loads && k < sim->watch.nevent; k++)
        loads = is_of_load(&sim->model->events.at[k]);
    return !loads;
}

// `exact`: at the state as it is shown, on the constraints.
static tn_status values_at(tn_sim *sim, double t, bool exact, double *out)
{
    sim->stepper.motion_only = asks_for_motion_only(sim);
    const tn_status status = tn_sim_interpolate(sim, t);
    sim->stepper.motion_only = false;
    TN_TRY(status);
    if (exact)
        tn_sim_straighten(sim);
    TN_TRY(tn_sim_find_unknowns(sim));
    sim->view = &sim->shown;
    tn_sim_forget_told(sim);
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

// A decision that was taken to be zero in the step, and is so at its end.
static bool stays_zero(const tn_sim *sim, int k)
{
    const tn_watch *w = &sim->watch;
    const int decision = k - w->nevent - w->first_decision;
    return decision >= 0 && w->side[1][decision] == TN_SIDE_ZERO &&
           tn_sim_is_zero(sim, decision, w->end[1][k]);
}

// Bodies that turn several times within a step pass places again and again: so many windows that
// none turns by more than TURN in a part. Points may go around others within the size of the
// mechanism, where that is known.
static int count_windows(tn_sim *sim, double h)
{
    const tn_sizes *s = &sim->judge.sizes;
    if (!sim->model)
        return 1;
    const double turned = h * (s->grows ? s->fastest_turn : s->rate) / (TN_WATCH_PARTS * TURN);
    if (!(turned < WINDOWS_MAX)) {
        tn_notes_add(&sim->start.notes,
                     "bodies turn too often within one step to look at all of it: events and "
                     "contacts may be missed; bound the step by step_max");
        return WINDOWS_MAX;
    }
    return turned < 1.0 ? 1 : 1 + (int)turned;
}

// The rates of decisions are not known: what they have done in this step, and in the one before.
static void guess_rates(const tn_sim *sim, tn_watch *w, double h)
{
    for (int k = 0; sim->model && k < w->nevent; k++)
        if (is_of_slip(&sim->model->events.at[k]) || is_of_load(&sim->model->events.at[k]))
            w->rate[1][k] = 2.0 * (w->end[1][k] - w->end[0][k]) / h;
    for (int i = w->first_decision; i < w->n - w->nevent; i++) {
        const int k = w->nevent + i;
        w->rate[1][k] = 2.0 * (w->end[1][k] - w->end[0][k]) / h;
        w->switches[i].largest = fmax(w->switches[i].largest, fabs(w->end[1][k]));
    }
}

tn_status tn_sim_watch_step(tn_sim *sim, int *windows)
{
    tn_watch *w = &sim->watch;
    const double h = sim->start.x.t - sim->before.t;
    bool quiet = true;
    tn_sim_present(sim);
    TN_TRY(tn_sim_watch_values(sim, w->end[1], w->rate[1]));
    guess_rates(sim, w, h);
    for (int k = 0; k < w->n; k++)
        quiet = quiet && (is_quiet(w, k, h) || stays_zero(sim, k));
    *windows = count_windows(sim, h);
    if (*windows == 1 && quiet)
        *windows = 0;
    return TN_OK;
}

tn_status tn_sim_watch_window(tn_sim *sim, int i, int windows)
{
    TN_ASSERT(i >= 0 && i < windows);
    tn_watch *w = &sim->watch;
    const double a = sim->before.t, b = sim->start.x.t;
    tn_copy(w->n, i == 0 ? w->end[0] : w->value[TN_WATCH_PARTS], w->value[0]);
    w->from = i == 0 ? a : w->to;
    w->to = i == windows - 1 ? b : a + (b - a) * (i + 1) / windows;
    for (int k = 1; k <= TN_WATCH_PARTS; k++)
        if (k < TN_WATCH_PARTS || i < windows - 1)
            TN_TRY(values_at(sim, part_time(sim, k), false, w->value[k]));
    if (i == windows - 1)
        tn_copy(w->n, w->end[1], w->value[TN_WATCH_PARTS]);
    tn_sim_present(sim);
    return TN_OK;
}

// A decision that stays at zero but for round-off: what it compares is at rest there.
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
    if (w->switches[k - w->nevent].force < 0)
        return decision_rests(sim, k);
    const tn_force_data *force = &sim->model->forces.at[w->switches[k - w->nevent].force];
    const tn_force_range table = tn_force_range_of(force);
    if (!(table.high > table.low))
        return false;
    for (int i = 0; i <= TN_WATCH_PARTS; i++)
        largest = fmax(largest, fabs(w->value[i][k]));
    const bool length = tn_force_acts_on_length(force);
    const double atol = sim->stepper.atol[length ? TN_KIND_LENGTH : TN_KIND_ANGLE];
    return largest <= fmax(RESTS * (table.high - table.low), sim->options.adaptive ? atol : 0.0);
}

// Changes of sign ---------------------------------------------------------------------------------

// A value of exactly zero at the end of a part counts there and not again at the next start.
static bool passes(double a, double b)
{
    return (a < 0.0 && b >= 0.0) || (a > 0.0 && b <= 0.0);
}

static tn_status value_at(tn_sim *sim, int k, double t, double *out)
{
    TN_ASSERT(k >= 0 && k < sim->watch.n);
    TN_TRY(values_at(sim, t, true, sim->watch.work));
    *out = sim->watch.work[k];
    return TN_OK;
}

// The place of the turning point of the parabola through three points, NAN where it has none, or
// one that is farthest from zero.
static double turning_point(const double t[3], const double f[3])
{
    TN_ASSERT(!(t[0] > t[1]) && !(t[1] > t[2])); // equal ones: a part of a few round-offs
    const double s0 = (f[1] - f[0]) / (t[1] - t[0]), s1 = (f[2] - f[1]) / (t[2] - t[1]);
    const double bend = (s1 - s0) / (t[2] - t[0]);
    return bend * f[1] > 0.0 ? 0.5 * (t[0] + t[1]) - 0.5 * s0 / bend : NAN;
}

// Between the middles of its neighbours, so that each turning point belongs to one part.
static bool is_own(const tn_sim *sim, int i, double t)
{
    const double left =
        i == 1 ? part_time(sim, 0) : 0.5 * (part_time(sim, i - 1) + part_time(sim, i));
    const double right = i == TN_WATCH_PARTS - 1
                             ? part_time(sim, i + 1)
                             : 0.5 * (part_time(sim, i) + part_time(sim, i + 1));
    return t >= left && t < right;
}

// Looks for a change of sign around part i, at which and beside which the function has one sign:
// follows parabolas to the point nearest to zero. *t is NAN where it does not come to zero.
static tn_status seek(tn_sim *sim, int k, int i, double *t, double *value)
{
    TN_ASSERT(i > 0 && i < TN_WATCH_PARTS);
    double at[3], f[3];
    for (int j = 0; j < 3; j++) {
        at[j] = part_time(sim, i - 1 + j);
        f[j] = sim->watch.value[i - 1 + j][k];
    }
    *t = turning_point(at, f);
    if (!is_own(sim, i, *t))
        *t = NAN;
    for (int step = 0; step < 12 && *t > at[0] && *t < at[2] && *t != at[1]; step++) {
        TN_TRY(value_at(sim, k, *t, value));
        if (*value * f[1] <= 0.0)
            return TN_OK;
        if (fabs(*value) >= fabs(f[1])) // no nearer
            break;
        const int drop = *t < at[1] ? 2 : 0;
        at[drop] = at[1];
        f[drop] = f[1];
        at[1] = *t;
        f[1] = *value;
        *t = turning_point(at, f);
    }
    *t = NAN;
    return TN_OK;
}

static bool has_one_sign(const tn_watch *w, int k, int i)
{
    TN_ASSERT(i > 0 && i < TN_WATCH_PARTS);
    const double a = w->value[i - 1][k], b = w->value[i][k], c = w->value[i + 1][k];
    return a * b > 0.0 && b * c > 0.0;
}

tn_status tn_sim_watch_changes(tn_sim *sim, int k, tn_change change[TN_CHANGES_MAX], int *count)
{
    TN_ASSERT(k >= 0 && k < sim->watch.n);
    const tn_watch *w = &sim->watch;
    int n = 0;
    for (int i = 1; i <= TN_WATCH_PARTS; i++) {
        const double a = w->value[i - 1][k], b = w->value[i][k];
        double t = NAN, f = 0.0;
        if (passes(a, b))
            change[n++] = (tn_change){part_time(sim, i - 1), a, part_time(sim, i), b};
        if (i < TN_WATCH_PARTS && has_one_sign(w, k, i))
            TN_TRY(seek(sim, k, i, &t, &f));
        if (isnan(t))
            continue;
        change[n++] = (tn_change){part_time(sim, i - 1), a, t, f};
        if (f != 0.0)
            change[n++] = (tn_change){t, f, part_time(sim, i + 1), w->value[i + 1][k]};
    }
    tn_sim_present(sim);
    *count = n;
    return TN_OK;
}

tn_status tn_sim_watch_start(tn_sim *sim, int k, int side, tn_change *change, bool *found)
{
    static const double PARTS[] = {1e-4, 1e-3, 1e-2, 1e-1}; // of the time up to the first look
    const tn_watch *w = &sim->watch;
    const double a = part_time(sim, 0), b = part_time(sim, 1), fb = w->value[1][k];
    *found = false;
    for (int i = 0; i < TN_COUNT(PARTS) && !*found; i++) {
        const double t = a + PARTS[i] * (b - a);
        double f;
        TN_TRY(value_at(sim, k, t, &f));
        *change = (tn_change){t, f, b, fb};
        *found = f * side > 0.0;
    }
    tn_sim_present(sim);
    return TN_OK;
}

tn_status tn_sim_watch_locate(tn_sim *sim, int k, const tn_change *change, double *when)
{
    TN_ASSERT(change->a <= change->b);
    double a = change->a, b = change->b, fa = change->fa, fb = change->fb;
    const double h = sim->start.x.t - sim->before.t;
    const double tol = 1e-15 * fabs(b) + 1e-13 * h;
    for (int step = 0; step < 100 && b - a > tol && fb != 0.0; step++) {
        double t = (a * fb - b * fa) / (fb - fa), f;
        if (step % 4 == 3 || !(t > a && t < b))
            t = 0.5 * (a + b);
        TN_TRY(value_at(sim, k, t, &f));
        if ((f > 0.0) == (fb > 0.0) || f == 0.0) {
            b = t;
            fb = f;
            fa *= 0.5;
        } else {
            a = t;
            fa = f;
            fb *= 0.5;
        }
    }
    tn_sim_present(sim);
    *when = b;
    return TN_OK;
}
