// SPDX-License-Identifier: MIT
//
// One case: the model with its parameters, a run, and the outputs. The document of the model is
// parsed once; what is done anew is what depends on parameters.

#include "signal/parser.h"
#include "sim/sim.h"
#include "study/sweep_parts.h"
#include "text/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct case_run {
    const tn_sweep *sweep;
    tn_model *model;
    tn_simulate simulate;
    tn_sim *sim;
    tn_followed *all; // outputs; those of events have the channel -1
    int *event;       // of these, -1 for others
    tn_follow follow;
    tn_auto_run way;
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

static int find_event(const tn_model *model, const char *name)
{
    for (int i = 0; i < tn_model_event_count(model); i++)
        if (strcmp(tn_model_event_name(model, i), name) == 0)
            return i;
    return -1;
}

static tn_status unknown_event(const tn_model *model, const char *name)
{
    const char *known[64];
    int n = 0;
    for (; n < tn_model_event_count(model) && n < TN_COUNT(known); n++)
        known[n] = tn_model_event_name(model, n);
    return n > 0 ? tn_fail_unknown("event", name, n, known)
                 : tn_fail(TN_ERR_USAGE, "the model has no event '%s': it states none", name);
}

static bool is_of_event(const sweep_output *o)
{
    return !o->take;
}

static tn_status find_outputs(case_run *c)
{
    const sweep_outputs *o = &c->sweep->outputs;
    for (int i = 0; i < o->count; i++) {
        const sweep_output *out = &o->at[i];
        c->all[i] = (tn_followed){.channel = -1, .what = out->take ? out->take : &tn_reductions[0]};
        c->event[i] = -1;
        if (is_of_event(out)) {
            c->event[i] = find_event(c->model, out->what);
            if (c->event[i] < 0)
                return unknown_event(c->model, out->what);
        } else {
            TN_TRY(tn_sim_channel_find(c->sim, *out->signal ? out->signal : out->what,
                                       &c->all[i].channel));
        }
    }
    return TN_OK;
}

static tn_status open_case(case_run *c, int64_t index)
{
    const size_t n = (size_t)c->sweep->outputs.count;
    c->all = tn_alloc(sizeof *c->all * (n + 1));
    c->event = tn_alloc(sizeof *c->event * (n + 1));
    TN_TRY(tn_got(c->all && c->event));
    TN_TRY(load_case(c, index));
    // Expressions become signals of the model. Which outputs are expressions was found by the first
    // case: those that have a signal.
    const sweep_outputs *o = &c->sweep->outputs;
    for (int i = 0; i < o->count; i++)
        if (*o->at[i].signal)
            TN_TRY(tn_model_add_signal(c->model, o->at[i].signal, o->at[i].what));
    c->simulate.options.threads = 1; // processors have a case each
    TN_TRY(tn_sim_create(c->model, &c->simulate.options, &c->sim));
    return find_outputs(c);
}

static void close_case(case_run *c)
{
    tn_follow_close(&c->follow);
    tn_sim_destroy(c->sim);
    tn_model_destroy(c->model);
    TN_FREE(c->all, c->event);
}

// The run --------------------------------------------------------------------------------------

static tn_status each_step(void *user, tn_sim *sim)
{
    case_run *c = user;
    (void)sim;
    return tn_follow_step(&c->follow);
}

static tn_status follow_case(case_run *c)
{
    const double span = c->simulate.t_end - tn_sim_time(c->sim);
    return tn_follow_open(c->sim, c->sweep->outputs.count, c->all, span, &c->follow);
}

static tn_status begin_again(void *user, tn_sim *next)
{
    case_run *c = user;
    tn_follow_close(&c->follow);
    tn_sim_destroy(c->sim);
    c->sim = next;
    TN_TRY(find_outputs(c));
    return follow_case(c);
}

static double event_value(const case_run *c, int event, bool counts)
{
    const tn_event_hit *hits = NULL;
    const int n = tn_sim_event_hits(c->sim, &hits);
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (hits[i].event != event)
            continue;
        if (!counts)
            return hits[i].t;
        count++;
    }
    return counts ? count : NAN;
}

static double output_value(const case_run *c, int i)
{
    const sweep_output *o = &c->sweep->outputs.at[i];
    return o->take ? o->take->value(&c->all[i].taken) : event_value(c, c->event[i], o->counts);
}

// Integrals that halving has left open by more are no numbers to go by. Methods have errors of
// this size at loose tolerances.
static const double OPEN = 1e-4;

static void doubt_output(sweep_ended *out, const sweep_output *o, const char *why)
{
    out->state = TN_CASE_DOUBTFUL;
    snprintf(out->reason, sizeof out->reason, "output '%.120s' %s", o->name, why);
}

// Outputs are numbers, but for times of events that were not met, and resolved.
static void check_numbers(const case_run *c, sweep_ended *out)
{
    const sweep_outputs *o = &c->sweep->outputs;
    char why[100];
    for (int i = 0; i < o->count && out->state == TN_CASE_DONE; i++) {
        const double value = out->values[i], error = tn_followed_error(&c->all[i]);
        snprintf(why, sizeof why, "goes up and down too often: off by about %.1g of its largest",
                 error);
        if (!isfinite(value) && (o->at[i].take || o->at[i].counts))
            doubt_output(out, &o->at[i], isnan(value) ? "is no number" : "is infinite");
        else if (error > OPEN)
            doubt_output(out, &o->at[i], why);
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

static const char *raised(const tn_sweep *sweep)
{
    const char *text = sweep->wanted.raised ? sweep->wanted.raised(sweep->wanted.user) : NULL;
    return text ? text : "";
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
    (void)raised(sweep); // of what was there before
    tn_status s = open_case(&c, index);
    TN_THEN(s, follow_case(&c));
    c.way = (tn_auto_run){.options = &c.simulate.options,
                          .t_end = c.simulate.t_end,
                          .each = each_step,
                          .again = begin_again,
                          .user = &c};
    TN_THEN(s, tn_sim_run_auto(&c.way, c.sim));
    if (s == TN_OK) {
        for (int i = 0; i < sweep->outputs.count; i++)
            out->values[i] = output_value(&c, i);
        tn_sim_verdict(c.sim, &verdict);
        const bool done = verdict.outcome == TN_OUTCOME_DONE;
        out->state = done ? TN_CASE_DONE : TN_CASE_DOUBTFUL;
        put_reason(out, done ? "" : tn_verdict_warn(&verdict));
        check_numbers(&c, out);
    } else {
        put_reason(out, *tn_last_error() ? tn_last_error() : tn_status_text(s));
    }
    const char *exception = raised(sweep);
    if (*exception) { // what follows from it says less
        out->state = TN_CASE_FAILED;
        put_reason(out, exception);
        for (int i = 0; i < sweep->outputs.count; i++)
            out->values[i] = NAN;
    }
    close_case(&c);
}

// Before the first case ------------------------------------------------------------------------

// Returns true if a plain run has the channel, or event, of this name.
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
        const bool time = o->take ? o->take->time : !o->counts;
        tn_channel_info info = {.unit = time ? "s" : ""};
        if (c->all[i].channel >= 0 && !time)
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
    (void)raised(sweep); // in another case
    tn_status s = load_case(&plain, index);
    TN_THEN(s, tn_sim_create(plain.model, &plain.simulate.options, &plain.sim));
    *runs = s == TN_OK;
    TN_THEN(s, sort_outputs(sweep, &plain));
    if (s == TN_OK) {
        s = open_case(&c, index);
        sweep->subject = tn_sim_whole_fingerprint(plain.sim);
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
    tn_status s = try_case(sweep, 0, &runs);
    if (s == TN_ERR_USAGE && !runs)
        s = try_others(sweep);
    else if (s != TN_OK && !runs && s != TN_ERR_MEMORY)
        s = try_case(sweep, AS_WRITTEN, &runs);
    if (s == TN_OK)
        (void)raised(sweep); // the case will report it
    return s;
}
