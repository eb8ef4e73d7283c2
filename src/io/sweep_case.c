// SPDX-License-Identifier: MIT
//
// One case: the model with its parameters, a run, and the outputs. The document of the model is
// parsed once; what is done anew is what depends on parameters.

#include "base/table.h"
#include "io/sweep_parts.h"
#include "model/parser.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A step is looked at in equal parts, more of them where it is long, and never in more than PARTS:
// what is shown within a step costs an evaluation.
enum { ROWS = 600, PARTS = 8 };

// A number that is followed along a run.
typedef struct followed {
    int channel;                      // -1 for events
    int event;                        // -1 for channels
    double at[PARTS + 1];             // values along the last step
    double least, most, sum, squares; // integrals by time
} followed;

typedef struct case_run {
    const tn_sweep *sweep;
    tn_model *model;
    tn_simulate simulate;
    tn_sim *sim;
    followed *all;
    bool along;    // whether any output asks for more than the end
    bool extremes; // and for extremes
    double seen;   // end of the last step [s]
} case_run;

// The model ------------------------------------------------------------------------------------

// With this number what is varied has the values of the file.
enum { AS_WRITTEN = -1 };

static tn_status load_case(case_run *c, int64_t index)
{
    const tn_sweep *s = c->sweep;
    tn_parameter_value *values = tn_alloc(sizeof *values * (size_t)(s->axes.count + 1));
    int n = 0;
    TN_TRY(tn_got(values));
    for (int i = 0; i < s->axes.count; i++)
        if (index != AS_WRITTEN || s->axes.at[i].kind == SWEEP_FIXED)
            values[n++] = (tn_parameter_value){s->axes.at[i].name,
                                               tn_sweep_value(&s->sample, &s->axes, i, index),
                                               s->axes.at[i].expression};
    const tn_status status = tn_model_from_document(s->doc, n, values, &c->model, &c->simulate);
    tn_free(values);
    TN_TRY(status);
    if (s->simulate && s->given)
        TN_TRY(tn_simulate_override(&c->simulate, s->simulate, s->given));
    return tn_simulate_check(&c->simulate);
}

static bool takes_extremes(const case_run *c, int i)
{
    const sweep_take take = c->sweep->outputs.at[i].take;
    return take == SWEEP_LEAST || take == SWEEP_MOST || take == SWEEP_WAY;
}

static int find_event(const tn_model *model, const char *name)
{
    for (int i = 0; i < tn_model_event_count(model); i++)
        if (strcmp(tn_event_name(model, i), name) == 0)
            return i;
    return -1;
}

static tn_status unknown_event(const tn_model *model, const char *name)
{
    const char *known[64];
    int n = 0;
    for (; n < tn_model_event_count(model) && n < TN_COUNT(known); n++)
        known[n] = tn_event_name(model, n);
    return n > 0 ? tn_fail_unknown("event", name, n, known)
                 : tn_fail(TN_ERR_USAGE, "the model has no event '%s': it states none", name);
}

static bool is_of_event(const sweep_output *o)
{
    return o->take == SWEEP_EVENT || o->take == SWEEP_COUNT;
}

// Expressions become signals of the model. Which outputs are expressions was found by the first
// case: those that have a signal.
static tn_status add_expressions(case_run *c)
{
    const sweep_outputs *o = &c->sweep->outputs;
    for (int i = 0; i < o->count; i++)
        if (*o->at[i].signal)
            TN_TRY(tn_add_signal(c->model, o->at[i].signal, o->at[i].what));
    return TN_OK;
}

static tn_status find_outputs(case_run *c)
{
    const sweep_outputs *o = &c->sweep->outputs;
    for (int i = 0; i < o->count; i++) {
        const sweep_output *out = &o->at[i];
        followed *f = &c->all[i];
        *f = (followed){.channel = -1, .event = -1, .least = INFINITY, .most = -INFINITY};
        c->along |= out->take > SWEEP_FINAL && out->take < SWEEP_EVENT;
        c->extremes |= takes_extremes(c, i);
        if (is_of_event(out)) {
            f->event = find_event(c->model, out->what);
            if (f->event < 0)
                return unknown_event(c->model, out->what);
        } else {
            TN_TRY(
                tn_sim_channel_find(c->sim, *out->signal ? out->signal : out->what, &f->channel));
        }
    }
    return TN_OK;
}

static tn_status open_case(case_run *c, int64_t index)
{
    c->all = tn_alloc(sizeof *c->all * (size_t)(c->sweep->outputs.count + 1));
    TN_TRY(tn_got(c->all));
    TN_TRY(load_case(c, index));
    TN_TRY(add_expressions(c));
    c->simulate.options.threads = 1; // processors have a case each
    TN_TRY(tn_sim_create(c->model, &c->simulate.options, &c->sim));
    return find_outputs(c);
}

static void close_case(case_run *c)
{
    tn_sim_destroy(c->sim);
    tn_model_destroy(c->model);
    tn_free(c->all);
}

// The run --------------------------------------------------------------------------------------

// What is no number stays: an extreme of the rest would hide it.
static double lesser(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

// All numbers at the state that is shown, as point k of the step.
static void look(case_run *c, int k)
{
    for (int i = 0; i < c->sweep->outputs.count; i++) {
        followed *f = &c->all[i];
        if (f->channel < 0)
            continue;
        f->at[k] = tn_sim_channel(c->sim, f->channel);
        f->least = lesser(f->least, f->at[k]);
        f->most = -lesser(-f->most, -f->at[k]);
    }
}

// By Simpson's rule, and for a step in one part by trapezia.
static void integrate(followed *f, int parts, double h)
{
    for (int k = 0; k <= parts; k++) {
        const bool end = k == 0 || k == parts;
        const double weight = parts == 1 ? 0.5 : (end ? 1.0 : k % 2 ? 4.0 : 2.0) / (3.0 * parts);
        f->sum += h * weight * f->at[k];
        f->squares += h * weight * f->at[k] * f->at[k];
    }
}

// The largest of sign * f around point k of the step: where the parabola through three points turns
// beyond all that there was, f is looked at there.
static tn_status refine(case_run *c, followed *f, int k, int parts, double h, double sign)
{
    static const double ENOUGH = 1e-9; // of the way between extremes
    const double left = sign * f->at[k - 1], middle = sign * f->at[k], right = sign * f->at[k + 1];
    const double slope = 0.5 * (right - left), bend = left - 2.0 * middle + right;
    const double turn = -slope / bend, top = middle + 0.5 * slope * turn; // in parts from k
    const double most = sign > 0.0 ? f->most : -f->least;
    if (!(bend < 0.0 && fabs(turn) < 1.0 && top > most + ENOUGH * (f->most - f->least)))
        return TN_OK;
    TN_TRY(tn_sim_show(c->sim, c->seen + h * (k + turn) / parts));
    const double value = tn_sim_channel(c->sim, f->channel);
    f->least = lesser(f->least, value);
    f->most = -lesser(-f->most, -value);
    return TN_OK;
}

static tn_status refine_extremes(case_run *c, int parts, double h)
{
    for (int i = 0; i < c->sweep->outputs.count; i++) {
        followed *f = &c->all[i];
        for (int k = 1; k < parts && f->channel >= 0 && takes_extremes(c, i); k++) {
            TN_TRY(refine(c, f, k, parts, h, 1.0));
            TN_TRY(refine(c, f, k, parts, h, -1.0));
        }
    }
    tn_sim_present(c->sim);
    return TN_OK;
}

static tn_status each_step(void *user, tn_sim *sim)
{
    case_run *c = user;
    const double end = tn_sim_time(sim), h = end - c->seen;
    const double span = c->simulate.t_end - c->simulate.options.t_start;
    if (!c->along || !(h > 0.0))
        return TN_OK;
    int parts = c->extremes ? 2 : 1;
    while (parts < PARTS && h * ROWS > parts * span)
        parts *= 2;
    for (int k = 1; k < parts; k++) {
        TN_TRY(tn_sim_show(sim, c->seen + h * k / parts));
        look(c, k);
    }
    tn_sim_present(sim);
    look(c, parts);
    if (c->extremes)
        TN_TRY(refine_extremes(c, parts, h));
    for (int i = 0; i < c->sweep->outputs.count; i++) {
        integrate(&c->all[i], parts, h);
        c->all[i].at[0] = c->all[i].at[parts];
    }
    c->seen = end;
    return TN_OK;
}

static double event_value(const case_run *c, const followed *f, sweep_take take)
{
    const tn_event_hit *hits = NULL;
    const int n = tn_sim_event_hits(c->sim, &hits);
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (hits[i].event != f->event)
            continue;
        if (take == SWEEP_EVENT)
            return hits[i].t;
        count++;
    }
    return take == SWEEP_EVENT ? NAN : count;
}

static double output_value(const case_run *c, int i)
{
    const followed *f = &c->all[i];
    const double span = tn_sim_time(c->sim) - c->simulate.options.t_start, last = f->at[0];
    switch (c->sweep->outputs.at[i].take) {
    case SWEEP_FINAL:
        return last;
    case SWEEP_LEAST:
        return f->least;
    case SWEEP_MOST:
        return f->most;
    case SWEEP_WAY:
        return f->most - f->least;
    case SWEEP_MEAN:
        return span > 0.0 ? f->sum / span : last;
    case SWEEP_RMS:
        return span > 0.0 ? sqrt(f->squares / span) : fabs(last);
    default:
        return event_value(c, f, c->sweep->outputs.at[i].take);
    }
}

// Outputs are numbers, but for times of events that were not met.
static void check_numbers(const tn_sweep *sweep, sweep_ended *out)
{
    for (int i = 0; i < sweep->outputs.count && out->state == TN_CASE_DONE; i++)
        if (!isfinite(out->values[i]) && sweep->outputs.at[i].take != SWEEP_EVENT) {
            out->state = TN_CASE_DOUBTFUL;
            snprintf(out->reason, sizeof out->reason, "output '%.180s' is %s",
                     sweep->outputs.at[i].name, isnan(out->values[i]) ? "no number" : "infinite");
        }
}

// A reason that is too long ends with dots, not within a character.
static void put_reason(sweep_ended *out, const char *reason)
{
    static const char dots[] = " ...";
    const size_t room = sizeof out->reason - sizeof dots;
    snprintf(out->reason, sizeof out->reason, "%s", reason);
    if (strlen(reason) < sizeof out->reason)
        return;
    size_t end = room;
    while (end > 0 && ((unsigned char)out->reason[end] & 0xc0) == 0x80)
        end--;
    memcpy(out->reason + end, dots, sizeof dots);
}

void tn_sweep_run_case(tn_sweep *sweep, int64_t index, sweep_ended *out)
{
    case_run c = {.sweep = sweep};
    tn_verdict verdict;
    out->state = TN_CASE_FAILED;
    *out->reason = '\0';
    for (int i = 0; i < sweep->outputs.count; i++)
        out->values[i] = NAN;
    tn_clear_error();
    tn_status s = open_case(&c, index);
    if (s == TN_OK) {
        c.seen = tn_sim_time(c.sim);
        look(&c, 0);
        s = tn_sim_run(c.sim, c.simulate.t_end, each_step, &c);
    }
    if (s == TN_OK) {
        look(&c, 0);
        for (int i = 0; i < sweep->outputs.count; i++)
            out->values[i] = output_value(&c, i);
        tn_sim_verdict(c.sim, &verdict);
        const bool done = verdict.outcome == TN_OUTCOME_DONE;
        out->state = done ? TN_CASE_DONE : TN_CASE_DOUBTFUL;
        put_reason(out, done ? "" : tn_verdict_doubt(&verdict));
        check_numbers(sweep, out);
    } else {
        put_reason(out, *tn_last_error() ? tn_last_error() : tn_status_text(s));
    }
    close_case(&c);
}

// Before the first case ------------------------------------------------------------------------

// Whether a plain run has the channel, or event, of this name.
static bool has_output(const case_run *plain, const sweep_output *o, const char *name)
{
    int channel;
    return is_of_event(o) ? find_event(plain->model, name) >= 0
                          : tn_sim_channel_find(plain->sim, name, &channel) == TN_OK;
}

// Which outputs are channels or events of the model as it is, by names with or without quotes; the
// others stay expressions.
static tn_status sort_outputs(tn_sweep *sweep, const case_run *plain)
{
    char name[TN_LONG_NAME];
    for (int i = 0; i < sweep->outputs.count; i++) {
        sweep_output *o = &sweep->outputs.at[i];
        bool found = has_output(plain, o, o->what);
        if (!found && tn_name_without_quotes(o->what, name) && has_output(plain, o, name)) {
            char *copy = tn_strdup(name);
            TN_TRY(tn_got(copy));
            tn_free(o->what);
            o->what = copy;
            found = true;
        }
        if (found || is_of_event(o))
            *o->signal = '\0';
    }
    tn_clear_error();
    return TN_OK;
}

static void find_units(tn_sweep *sweep, const case_run *c)
{
    for (int i = 0; i < sweep->outputs.count; i++) {
        sweep_output *o = &sweep->outputs.at[i];
        tn_channel_info info = {.unit = o->take == SWEEP_EVENT ? "s" : ""};
        if (c->all[i].channel >= 0)
            tn_sim_channel_at(c->sim, c->all[i].channel, &info);
        snprintf(o->unit, sizeof o->unit, "%s", info.unit);
    }
}

// A word that is no channel was meant as one: its own message names the nearest.
static tn_status tell_output(const tn_sweep *sweep, tn_sim *sim, tn_status s)
{
    char reason[TN_ERROR_SIZE];
    snprintf(reason, sizeof reason, "%s", tn_last_error());
    for (int i = 0; i < sweep->outputs.count; i++) {
        const sweep_output *o = &sweep->outputs.at[i];
        int channel;
        if (*o->signal && strspn(o->what, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_.") == strlen(o->what))
            return tn_fail(TN_ERR_USAGE, "--outputs: %s",
                           tn_sim_channel_find(sim, o->what, &channel) == TN_OK ? reason
                                                                                : tn_last_error());
    }
    const char *behind = strstr(reason, "': ");
    return tn_fail(s == TN_ERR_MODEL ? TN_ERR_USAGE : s, "--outputs: %s",
                   strncmp(reason, "signal '", 8) == 0 && behind ? behind + 3 : reason);
}

static tn_status try_case(tn_sweep *sweep, int64_t index, bool *runs)
{
    case_run plain = {.sweep = sweep}, c = {.sweep = sweep};
    tn_status s = load_case(&plain, index);
    TN_THEN(s, tn_sim_create(plain.model, &plain.simulate.options, &plain.sim));
    *runs = s == TN_OK;
    TN_THEN(s, sort_outputs(sweep, &plain));
    if (s == TN_OK) {
        s = open_case(&c, index);
        sweep->subject = tn_sim_whole_subject(plain.sim);
        if (s == TN_OK)
            find_units(sweep, &c);
        else if (s != TN_ERR_MEMORY)
            s = tell_output(sweep, plain.sim, s);
        close_case(&c);
    }
    close_case(&plain);
    return s;
}

// Parameters of a part are there where the part is: a name is wrong if no case knows it, of a few
// from the last to the first.
static tn_status try_others(tn_sweep *sweep)
{
    enum { FEW = 16 };
    char first[TN_ERROR_SIZE];
    const int64_t last = sweep->sample.cases - 1, tries = last < FEW ? last : FEW;
    snprintf(first, sizeof first, "%s", tn_last_error());
    for (int64_t k = 0; k < tries; k++) {
        bool runs = false;
        const tn_status s = try_case(sweep, last - k * last / tries, &runs);
        if (s == TN_OK || runs || s == TN_ERR_MEMORY)
            return s;
    }
    return tn_fail(TN_ERR_USAGE, "%s", first);
}

// A first case that cannot run is a row as others are; names are then tried on other cases, or on
// the file as it is.
tn_status tn_sweep_try(tn_sweep *sweep)
{
    bool runs = false;
    const tn_status s = try_case(sweep, 0, &runs);
    if (s == TN_OK || runs || s == TN_ERR_MEMORY)
        return s;
    return s == TN_ERR_USAGE ? try_others(sweep) : try_case(sweep, AS_WRITTEN, &runs);
}
