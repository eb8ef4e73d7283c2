// SPDX-License-Identifier: MIT
//
// Channels followed along a run. Each step is cut into parts, a PARTS-th of the run at most, and a
// part is halved until the rule of the works (works.c) has its integral: means and extremes are
// those of the motion, not of rows. Values at the ends of a step are those within it, so that what
// jumps between two steps belongs to the right one; a jump within a step is found by halving.

#include "monitor/follow.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "model/units.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// Parts of a run at least, and samples at nodes of one: what happens within less is only seen where
// steps end for it. With less the pulses of an output that no force has are missed.
enum { PARTS = 100 };
// The error that a part may have, of the largest value: by its length and, as jumps are halved
// until they are next to nothing, by that of the run.
static const double SHARE = 1e-7, JUMP_SHARE = 1e-9;
enum { HALVINGS = 30, FEW_HALVINGS = 2 };
// So many halvings in a run: beyond them what is left open counts as not resolved. Noise would be
// halved for ever.
enum { PATIENCE = 4000 };
// An extreme is searched where a polynomial is above all values so far by this part of their range.
static const double ENOUGH = 1e-9;
enum { GRID = 32 };
// Parts below this one of the run need not be sampled again for conditions that nearly change, and
// changes are located to this one.
static const double SMOOTH = 1e-5, NEXT = 1e-12;
// Values below this part of what a mechanism of this size, mass and speed has are none: what a
// planar one has out of its plane, and round-off of stiff beams. Of numbers without a unit the
// parts are those of one.
static const double NOTHING = 1e-9;

// Values over time --------------------------------------------------------------------------------

void tn_taken_see(tn_taken *taken, double t, double x)
{
    if (taken->n++ == 0) {
        taken->first = taken->least = taken->most = x;
        taken->t_least = taken->t_most = t;
    }
    taken->last = x;
    if (x < taken->least || isnan(x)) {
        taken->least = x;
        taken->t_least = t;
    }
    if (x > taken->most || isnan(x)) {
        taken->most = x;
        taken->t_most = t;
    }
}

void tn_taken_add(tn_taken *taken, double span, double sum, double squares)
{
    taken->span += span;
    taken->sum += sum;
    taken->squares += squares;
}

static double reduce_first(const tn_taken *x)
{
    return x->first;
}

static double reduce_last(const tn_taken *x)
{
    return x->last;
}

static double reduce_min(const tn_taken *x)
{
    return x->least;
}

static double reduce_max(const tn_taken *x)
{
    return x->most;
}

static double reduce_amax(const tn_taken *x)
{
    return fmax(fabs(x->least), fabs(x->most));
}

static double reduce_range(const tn_taken *x)
{
    return x->most - x->least;
}

static double reduce_mean(const tn_taken *x)
{
    return x->span > 0.0 ? x->sum / x->span : x->last;
}

static double reduce_rms(const tn_taken *x)
{
    return x->span > 0.0 ? sqrt(fmax(x->squares / x->span, 0.0)) : fabs(x->last);
}

static double reduce_time_of_max(const tn_taken *x)
{
    return x->t_most;
}

static double reduce_time_of_min(const tn_taken *x)
{
    return x->t_least;
}

const tn_reduction tn_reductions[TN_REDUCTIONS] = {
    {"final", reduce_last, false, false, false, false},
    {"last", reduce_last, false, false, false, false},
    {"first", reduce_first, false, false, false, false},
    {"min", reduce_min, true, true, false, false},
    {"max", reduce_max, true, true, false, false},
    {"amax", reduce_amax, true, true, false, false},
    {"range", reduce_range, true, true, false, false},
    {"mean", reduce_mean, true, false, false, false},
    {"rms", reduce_rms, true, false, true, false},
    {"time_of_max", reduce_time_of_max, true, true, false, true},
    {"time_of_min", reduce_time_of_min, true, true, false, true},
};

const tn_reduction *tn_reduction_find(const char *name)
{
    for (int i = 0; i < TN_REDUCTIONS; i++)
        if (strcmp(tn_reductions[i].name, name) == 0)
            return &tn_reductions[i];
    return NULL;
}

// Typical size of a quantity with this unit.
static double usual_size(const tn_sim *sim, const char *unit)
{
    const tn_sizes *s = &sim->sums.judge.sizes;
    const tn_units u = sim->start.sys->units;
    const double force = s->mass * s->speed * s->rate * tn_unit_force(u);
    const double length = s->length * u.length, rate = s->rate / u.time, speed = length * rate;
    const struct {
        const char *unit;
        double size;
    } known[] = {{"m", length},           {"m/s", speed},           {"m/s^2", speed * rate},
                 {"rad/s", rate},         {"rad/s^2", rate * rate}, {"N", force},
                 {"N m", force * length}, {"J", force * length},    {"W", force * speed}};
    for (int i = 0; i < TN_COUNT(known); i++)
        if (strcmp(known[i].unit, unit) == 0)
            return known[i].size;
    return 1.0;
}

double tn_followed_error(const tn_followed *f)
{
    const double most = reduce_amax(&f->taken);
    return most > f->nothing ? f->unresolved / (most * f->taken.span) : 0.0;
}

// Within a step -----------------------------------------------------------------------------------

static double *node_values(const tn_follow *f, int halving, int k)
{
    return f->node + (size_t)(halving * TN_POWER_NODES + k) * (size_t)f->width;
}

// All values at the output state, then what decides the expressions among them.
static void read_values(tn_follow *f, double *value)
{
    int n = f->n;
    for (int i = 0; i < f->n; i++) {
        const tn_followed *x = &f->all[i];
        value[i] = tn_sim_channel(f->sim, x->channel);
        if (x->what->along)
            n += tn_channel_switches(f->sim, x->channel, value + n);
    }
    for (int j = f->n; j < f->width; j++)
        f->largest[j] = fmax(f->largest[j], fabs(value[j]));
}

// Evaluates within the step; quantities at nodes of discrete principles go on lines between them.
static tn_status look_within(tn_follow *f, double t, double *value)
{
    const double a = tn_sim_before(f->sim), s = (t - a) / (tn_sim_time(f->sim) - a);
    TN_TRY(tn_sim_show(f->sim, t));
    read_values(f, value);
    for (int i = 0; i < f->n; i++)
        if (isnan(value[i]) && f->sim->discrete)
            value[i] = f->begin[i] + s * (f->end[i] - f->begin[i]);
    return TN_OK;
}

static double largest_value(const tn_followed *x, const double value[TN_POWER_NODES])
{
    return fmax(fmax(fabs(x->taken.least), fabs(x->taken.most)),
                tn_norm_inf(TN_POWER_NODES, value));
}

static void values_of(const tn_follow *f, int halving, int i, double out[TN_POWER_NODES])
{
    for (int k = 0; k < TN_POWER_NODES; k++)
        out[k] = node_values(f, halving, k)[i];
}

// Error of the integral over a part of this length beyond its bound.
static double excess(const tn_follow *f, int i, double length, int halving)
{
    const tn_followed *x = &f->all[i];
    double value[TN_POWER_NODES];
    values_of(f, halving, i, value);
    const double most = largest_value(x, value);
    double error = tn_power_error(value);
    if (!(most > x->nothing) || !isfinite(most))
        return 0.0;
    for (int k = 0; k < TN_POWER_NODES && x->what->squares; k++)
        value[k] *= value[k] / most;
    if (x->what->squares)
        error = fmax(error, tn_power_error(value));
    const double share = most * fmax(SHARE * length, JUMP_SHARE * f->span);
    return error * length > share ? error * length : 0.0;
}

static bool is_open(const tn_follow *f, double length, int halving)
{
    bool open = false;
    for (int i = 0; i < f->n && !open; i++)
        open = f->all[i].what->along && excess(f, i, length, halving) > 0.0;
    return open;
}

// Looks where the polynomial through the nodes is largest, where that is a new extreme.
static tn_status look_at_turn(tn_follow *f, int i, double a, double b, int halving, double sign)
{
    tn_followed *x = &f->all[i];
    double value[TN_POWER_NODES], at[3] = {-INFINITY, -INFINITY, -INFINITY};
    const double top = sign > 0.0 ? x->taken.most : -x->taken.least;
    const double way = x->taken.most - x->taken.least;
    int best = 0;
    values_of(f, halving, i, value);
    const double most = tn_norm_inf(TN_POWER_NODES, value);
    if (!isfinite(most))
        return TN_OK;
    for (int k = 1; k < GRID; k++) {
        const double p = sign * tn_power_at(value, (double)k / GRID);
        if (p > at[1]) {
            best = k;
            at[1] = p;
        }
    }
    at[0] = sign * tn_power_at(value, (best - 1.0) / GRID);
    at[2] = sign * tn_power_at(value, (best + 1.0) / GRID);
    const double bend = at[0] - 2.0 * at[1] + at[2];
    const double turn = bend < 0.0 ? 0.5 * (at[0] - at[2]) / bend : 0.0;
    if (!(at[1] - 0.25 * (at[2] - at[0]) * turn > top + ENOUGH * way) || fabs(turn) > 1.0)
        return TN_OK;
    const double t = a + (b - a) * (best + turn) / GRID;
    double *seen = node_values(f, HALVINGS + 1, 0);
    TN_TRY(look_within(f, t, seen));
    tn_taken_see(&x->taken, t, seen[i]);
    return TN_OK;
}

static tn_status take_values(tn_follow *f, double a, double b, int halving)
{
    double value[TN_POWER_NODES];
    for (int i = 0; i < f->n; i++) {
        tn_followed *x = &f->all[i];
        double squares = 0.0;
        if (!x->what->along)
            continue;
        x->unresolved += excess(f, i, b - a, halving);
        values_of(f, halving, i, value);
        for (int k = 0; k < TN_POWER_NODES; k++) {
            tn_taken_see(&x->taken, a + tn_power_node[k] * (b - a), value[k]);
            squares += tn_power_weight[k] * value[k] * value[k];
        }
        tn_taken_add(&x->taken, b - a, (b - a) * tn_dot(TN_POWER_NODES, tn_power_weight, value),
                     (b - a) * squares);
        if (!x->what->extreme)
            continue;
        TN_TRY(look_at_turn(f, i, a, b, halving, 1.0));
        TN_TRY(look_at_turn(f, i, a, b, halving, -1.0));
    }
    return TN_OK;
}

// A time between two samples at which a condition has other signs.
typedef struct crossing {
    int decision; // -1: none
    double a, b, fa, fb;
} crossing;

// Samples a dip, where the polynomial through nodes of one sign has the other; reports what it
// finds there, and that a part is too long to tell.
static tn_status look_at_dip(tn_follow *f, double a, double b, int halving, crossing *out,
                             bool *open)
{
    double value[TN_POWER_NODES];
    double *seen = node_values(f, HALVINGS + 1, 0);
    values_of(f, halving, out->decision, value);
    int lowest = 0;
    const double sign = value[0] > 0.0 ? 1.0 : -1.0;
    double least = INFINITY;
    for (int k = 1; k < GRID; k++) {
        const double p = sign * tn_power_at(value, (double)k / GRID);
        lowest = p < least ? k : lowest;
        least = fmin(least, p);
    }
    if (!(least < 0.0))
        return TN_OK;
    const double t = a + (b - a) * lowest / GRID;
    TN_TRY(look_within(f, t, seen));
    *out = (crossing){out->decision, a, t, value[0], seen[out->decision]};
    *open = b - a > SMOOTH * f->span;
    return TN_OK;
}

static bool is_other(const tn_follow *f, int decision, double u, double v)
{
    const double least = fmax(1e-3 * SMOOTH * f->largest[decision], 1e-3 * NOTHING);
    return u * v < 0.0 && fmax(fabs(u), fabs(v)) > least;
}

// The first condition that changes within a part.
static tn_status find_crossing(tn_follow *f, double a, double b, int halving, crossing *out,
                               bool *open)
{
    for (int j = f->n; j < f->width; j++) {
        double value[TN_POWER_NODES];
        values_of(f, halving, j, value);
        for (int k = 1; k < TN_POWER_NODES; k++)
            if (is_other(f, j, value[k - 1], value[k])) {
                *out = (crossing){j, a + tn_power_node[k - 1] * (b - a),
                                  a + tn_power_node[k] * (b - a), value[k - 1], value[k]};
                return TN_OK;
            }
        out->decision = j;
        TN_TRY(look_at_dip(f, a, b, halving, out, open));
        if (is_other(f, j, out->fa, out->fb))
            return TN_OK;
        out->decision = -1;
    }
    return TN_OK;
}

// Closes in on it by secants and halves; leaves the values on both sides at its ends.
static tn_status locate(tn_follow *f, crossing *c, double *from, double *to)
{
    enum { SECANTS = 60 };
    double fa = c->fa, fb = c->fb, *seen = node_values(f, HALVINGS + 1, 0);
    for (int k = 0; k < SECANTS && c->b - c->a > NEXT * f->span; k++) {
        double t = (c->a * fb - c->b * fa) / (fb - fa);
        const double least = 0.25 * NEXT * f->span;
        if (k % 4 == 3)
            t = 0.5 * (c->a + c->b);
        t = fmin(fmax(t, c->a + least), c->b - least); // the last check is beside the zero
        TN_TRY(look_within(f, t, seen));
        const double v = seen[c->decision];
        if ((v > 0.0) == (c->fb > 0.0)) {
            c->b = t;
            fb = v;
            fa *= 0.5;
        } else {
            c->a = t;
            fa = v;
            fb *= 0.5;
        }
    }
    TN_TRY(look_within(f, c->a, from));
    return look_within(f, c->b, to);
}

static tn_status follow_part(tn_follow *f, double a, double b, int halving);

// In two, at the ends of the crossing; values at the ends of the part are there.
static tn_status follow_both(tn_follow *f, double a, double b, int halving, const crossing *c)
{
    f->halvings++;
    double *from = node_values(f, halving + 1, 0);
    double *to = node_values(f, halving + 1, TN_POWER_NODES - 1);
    tn_copy(f->width, node_values(f, halving, 0), from);
    tn_copy(f->width, node_values(f, halving, 1), to);
    if (c->a - a > NEXT * f->span)
        TN_TRY(follow_part(f, a, c->a, halving + 1));
    tn_copy(f->width, node_values(f, halving, 2), from);
    tn_copy(f->width, node_values(f, halving, TN_POWER_NODES - 1), to);
    return b - c->b > NEXT * f->span ? follow_part(f, c->b, b, halving + 1) : TN_OK;
}

// Values at the ends of the part are there.
static tn_status follow_part(tn_follow *f, double a, double b, int halving)
{
    const int most = f->halvings < PATIENCE ? HALVINGS : FEW_HALVINGS;
    crossing c = {.decision = -1};
    bool open = false;
    for (int k = 1; k < TN_POWER_NODES - 1; k++)
        TN_TRY(look_within(f, a + tn_power_node[k] * (b - a), node_values(f, halving, k)));
    if (halving < most)
        TN_TRY(find_crossing(f, a, b, halving, &c, &open));
    if (c.decision >= 0) {
        TN_TRY(locate(f, &c, node_values(f, halving, 1), node_values(f, halving, 2)));
        return follow_both(f, a, b, halving, &c);
    }
    c.a = c.b = 0.5 * (a + b);
    if (halving >= most || !(open || is_open(f, b - a, halving)) || !(c.a > a && c.a < b))
        return take_values(f, a, b, halving);
    TN_TRY(look_within(f, c.a, node_values(f, halving, 1)));
    tn_copy(f->width, node_values(f, halving, 1), node_values(f, halving, 2));
    return follow_both(f, a, b, halving, &c);
}

tn_status tn_follow_open(tn_sim *sim, int n, tn_followed *all, double span, tn_follow *out)
{
    *out = (tn_follow){.sim = sim, .n = n, .all = all, .span = span, .width = n};
    for (int i = 0; i < n; i++)
        out->width += all[i].what->along ? tn_channel_switches(sim, all[i].channel, NULL) : 0;
    const size_t values = (size_t)((HALVINGS + 2) * TN_POWER_NODES + 3) * (size_t)out->width;
    out->begin = tn_alloc((values + 1) * sizeof(double));
    TN_TRY(tn_got(out->begin));
    out->end = out->begin + out->width;
    out->largest = out->end + out->width;
    out->node = out->largest + out->width;
    out->piece_from = sim->pieces.now.from;
    read_values(out, out->end);
    for (int i = 0; i < n; i++) {
        tn_channel_info info = {.unit = ""};
        if (all[i].channel >= 0)
            tn_sim_channel_at(sim, all[i].channel, &info);
        all[i].nothing = NOTHING * usual_size(sim, info.unit);
        all[i].taken = (tn_taken){0};
        all[i].unresolved = 0.0;
        tn_taken_see(&all[i].taken, tn_sim_time(sim), out->end[i]);
    }
    return TN_OK;
}

// Steps that are short beside the run take one sample, by the parabola through it and both ends. It
// is where no ripple that fits into the step is seen at one phase only.
static const double BETWEEN = 0.3819660112501051;

static double mean_of_parabola(double v0, double v, double v1)
{
    const double w0 = 0.5 - 1.0 / (6.0 * BETWEEN), w1 = 0.5 - 1.0 / (6.0 * (1.0 - BETWEEN));
    return w0 * v0 + (1.0 - w0 - w1) * v + w1 * v1;
}

// The error of the parabola is of one order more than its distance from the line between the ends.
static bool parabola_resolves(const tn_follow *f, int i, double h)
{
    const tn_followed *x = &f->all[i];
    const double v0 = node_values(f, 0, 0)[i], v = node_values(f, 0, 1)[i];
    const double v1 = node_values(f, 0, TN_POWER_NODES - 1)[i];
    const double most = fmax(fmax(fabs(x->taken.least), fabs(x->taken.most)),
                             fmax(fmax(fabs(v0), fabs(v)), fabs(v1)));
    const double off = fabs(mean_of_parabola(v0, v, v1) - 0.5 * (v0 + v1));
    const double s0 = (v - v0) / BETWEEN, bend = (v1 - v) / (1.0 - BETWEEN) - s0;
    const double turn = 0.5 * BETWEEN - 0.5 * s0 / bend, top = v0 - bend * turn * turn;
    const double slack = ENOUGH * (x->taken.most - x->taken.least);
    const bool turns = x->what->extreme && turn > 0.0 && turn < 1.0;
    return (most <= x->nothing ||
            off * sqrt(off / most) <= most * fmax(SHARE, JUMP_SHARE * f->span / h)) &&
           !(turns && !(top <= x->taken.most + slack && top >= x->taken.least - slack));
}

static void take_parabola(tn_follow *f, int i, double a, double b)
{
    tn_followed *x = &f->all[i];
    const double v0 = node_values(f, 0, 0)[i], v = node_values(f, 0, 1)[i];
    const double v1 = node_values(f, 0, TN_POWER_NODES - 1)[i], h = b - a;
    tn_taken_see(&x->taken, a, v0);
    tn_taken_see(&x->taken, a + BETWEEN * h, v);
    tn_taken_see(&x->taken, b, v1);
    tn_taken_add(&x->taken, h, h * mean_of_parabola(v0, v, v1),
                 h * mean_of_parabola(v0 * v0, v * v, v1 * v1));
}

// A condition is farther from zero than it moves in the step.
static bool keeps_sign(const tn_follow *f, int j)
{
    const double v0 = node_values(f, 0, 0)[j], v = node_values(f, 0, 1)[j];
    const double v1 = node_values(f, 0, TN_POWER_NODES - 1)[j];
    const double least = fmin(fmin(fabs(v0), fabs(v)), fabs(v1));
    return v0 * v > 0.0 && v * v1 > 0.0 && fmax(fabs(v - v0), fabs(v1 - v)) < least;
}

static tn_status follow_short(tn_follow *f, double a, double b, bool *done)
{
    TN_TRY(look_within(f, a + BETWEEN * (b - a), node_values(f, 0, 1)));
    *done = true;
    for (int j = f->n; j < f->width && *done; j++)
        *done = keeps_sign(f, j);
    for (int i = 0; i < f->n && *done; i++)
        *done = !f->all[i].what->along || parabola_resolves(f, i, b - a);
    for (int i = 0; i < f->n && *done; i++)
        if (f->all[i].what->along)
            take_parabola(f, i, a, b);
    return TN_OK;
}

// The step is in another smooth interval of functions of time than the one before.
static bool begins_anew(tn_follow *f)
{
    const double from = f->sim->pieces.last.from;
    const bool anew = from != f->piece_from;
    f->piece_from = from;
    return anew;
}

// Samples are taken, or a condition changes, where the step ends.
static bool ends_with_jump(const tn_sim *sim)
{
    const tn_watch *w = &sim->watch;
    return sim->sample_at <= sim->start.x.t || sim->step_end.kept ||
           (w->ndecision > 0 && memcmp(w->side[0], w->side[1], (size_t)w->ndecision) != 0);
}

static tn_status follow_within(tn_follow *f, double a, double b)
{
    const double h = b - a;
    const int parts = (int)fmin(ceil(PARTS * h / f->span), PARTS);
    const double last = nextafter(b, a); // of the step, and not of what begins at its end
    double *from = node_values(f, 0, 0), *to = node_values(f, 0, TN_POWER_NODES - 1);
    bool done = false;
    tn_copy(f->width, f->begin, from);
    tn_copy(f->width, f->end, to);
    if (begins_anew(f))
        TN_TRY(look_within(f, a, from));
    if (ends_with_jump(f->sim))
        TN_TRY(look_within(f, last, to));
    if (h * PARTS * TN_POWER_NODES < f->span)
        TN_TRY(follow_short(f, a, b, &done));
    double *end = node_values(f, HALVINGS + 1, TN_POWER_NODES - 1);
    tn_copy(f->width, to, end);
    for (int k = 0; k < parts && !done; k++) {
        const double begin = a + h * k / parts, next = k < parts - 1 ? a + h * (k + 1) / parts : b;
        if (k < parts - 1)
            TN_TRY(look_within(f, next, to));
        else
            tn_copy(f->width, end, to);
        TN_TRY(follow_part(f, begin, next, 0));
        tn_copy(f->width, to, from);
    }
    return TN_OK;
}

tn_status tn_follow_step(tn_follow *f)
{
    const double a = tn_sim_before(f->sim), b = tn_sim_time(f->sim);
    bool along = false;
    tn_status status = TN_OK;
    tn_copy(f->width, f->end, f->begin);
    read_values(f, f->end);
    for (int i = 0; i < f->n; i++)
        along |= f->all[i].what->along;
    if (along && b > a)
        status = follow_within(f, a, b);
    tn_sim_current(f->sim);
    for (int i = 0; i < f->n; i++)
        tn_taken_see(&f->all[i].taken, b, f->end[i]);
    return status;
}

void tn_follow_close(tn_follow *f)
{
    tn_free(f->begin);
    f->begin = NULL;
}
