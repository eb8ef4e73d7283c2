// SPDX-License-Identifier: MIT
//
// Sampled systems r_{j+1} = a(…) [Arn16, eq. 41] on the posed bodies. Behind the memories of angles
// the numbers r of a state are: all values as they act, all values as computed last, then of each
// system how many samples it has taken, how many have come to act, and its queue of values that
// wait for their delay. Sample j of a system is at t_first + j every, whatever steps are taken: no
// error adds up.

#include "system/absolute_parts.h"

#include "linalg/dense.h"
#include "model/units.h"
#include "tenon/sim.h"

#include <math.h>

enum { COUNTERS = 2 };

// Samples that wait at the same time, at most.
static int queue_length(const tn_sampled_def *def)
{
    return def->delay > 0.0 ? (int)ceil(def->delay / def->every) + 1 : 0;
}

int tn_absolute_sampled_size(const tn_model *model)
{
    int size = 2 * tn_model_sampled_count(model);
    for (int k = 0; k < model->samplers.count; k++)
        size += COUNTERS + queue_length(&model->samplers.at[k]) * model->samplers.at[k].n;
    return size;
}

// One sampled system: its numbers in r, and its times in units of the model.
typedef struct sampler {
    const tn_sampled_def *def;
    int first, node; // number of its first value, and the node of its next value
    double *acts, *last, *taken, *acted, *queue;
    double every, delay;
} sampler;

static sampler sampler_of(const absolute *s, int k, double *r)
{
    const tn_model *m = s->model;
    sampler x = {.def = &m->samplers.at[k]};
    double *behind = r + s->signals->sampled0 + 2 * s->signals->nsampled;
    for (int i = 0; i < k; i++) {
        x.first += m->samplers.at[i].n;
        behind += COUNTERS + queue_length(&m->samplers.at[i]) * m->samplers.at[i].n;
    }
    x.node = s->signals->program->first[TN_FORMULA_NEXT] + x.first;
    x.acts = r + s->signals->sampled0 + x.first;
    x.last = x.acts + s->signals->nsampled;
    x.taken = behind;
    x.acted = behind + 1;
    x.queue = behind + COUNTERS;
    x.every = x.def->every / m->units.time;
    x.delay = x.def->delay / m->units.time;
    return x;
}

void tn_absolute_start_samples(const absolute *s, double *r)
{
    for (int k = 0; s->signals && k < s->model->samplers.count; k++) {
        const sampler x = sampler_of(s, k, r);
        for (int i = 0; i < x.def->n; i++)
            x.acts[i] = x.last[i] = x.def->value[i].initial;
        *x.taken = *x.acted = 0.0;
    }
}

// The last of the times first + j every that is not after t, as j; -1 before the first.
static double last_index(double first, double every, double t)
{
    const double now = t + tn_time_round_off(t);
    double j = floor((t - first) / every);
    while (first + (j + 1.0) * every <= now)
        j += 1.0;
    while (j >= 0.0 && first + j * every > now)
        j -= 1.0;
    return fmax(j, -1.0);
}

double tn_placed_next_sample(tn_system *self, double t)
{
    const absolute *s = self->world;
    const abs_signals *sig = s->signals;
    double next = INFINITY;
    for (int k = 0; sig && k < s->model->samplers.count; k++) {
        const double unit = s->model->units.time;
        const double every = s->model->samplers.at[k].every / unit;
        const double delay = s->model->samplers.at[k].delay / unit;
        next = fmin(next, sig->t_first + (last_index(sig->t_first, every, t) + 1.0) * every);
        const double acts = sig->t_first + delay;
        if (delay > 0.0)
            next = fmin(next, acts + (last_index(acts, every, t) + 1.0) * every);
    }
    return next;
}

// Sets value i of a sampled system in all that wait for their delay.
static void fill_queue(const sampler *x, int i, double value)
{
    for (int slot = 0; slot < queue_length(x->def); slot++)
        x->queue[slot * x->def->n + i] = value;
}

void tn_absolute_set_sample_time(const tn_system *sys, double t, double *r)
{
    const absolute *s = (const absolute *)sys;
    for (int k = 0; s->signals && k < s->model->samplers.count; k++) {
        const sampler x = sampler_of(s, k, r);
        const double first = s->signals->t_first;
        *x.taken = last_index(first, x.every, t) + 1.0;
        *x.acted = last_index(first + x.delay, x.every, t) + 1.0;
        for (int i = 0; i < x.def->n; i++)
            fill_queue(&x, i, x.acts[i]);
    }
}

double tn_absolute_samples(const tn_system *sys, double *r, int system, const double **value)
{
    const sampler x = sampler_of((const absolute *)sys, system, r);
    *value = x.last;
    return *x.taken;
}

void tn_absolute_set_sampled(const tn_system *sys, int system, int i, double value, double *r)
{
    const absolute *s = (const absolute *)sys;
    TN_ASSERT(system >= 0 && system < s->model->samplers.count);
    const sampler x = sampler_of(s, system, r);
    TN_ASSERT(i >= 0 && i < x.def->n);
    x.acts[i] = x.last[i] = value;
    fill_queue(&x, i, value);
}

// What read-out alone knows ----------------------------------------------------------------------

static double body_number(tn_system *self, const tn_point *at, const tn_variable *v)
{
    tn_body_state b;
    self->ops->mechanism->body(self, at, v->element, &b);
    switch ((tn_quantity)v->index) {
    case TN_Q_BODY_ACCELERATION:
        return abs_component(b.acceleration, v->component);
    case TN_Q_BODY_ANGULAR_ACCELERATION:
        return abs_component(b.rate_dot, v->component);
    case TN_Q_BODY_ANGLE_ACCELERATION:
        return b.rate_dot.z;
    default: // quaternion
        return (&b.rotation.w)[v->component];
    }
}

static double force_number(tn_system *self, const tn_point *at, const tn_variable *v)
{
    tn_force_state f = {0};
    self->ops->mechanism->force(self, at, v->element, &f);
    switch ((tn_quantity)v->index) {
    case TN_Q_FORCE_FORCE:
        return abs_component(f.on_b.f, v->component);
    case TN_Q_FORCE_TORQUE:
        return abs_component(f.on_b.m, v->component);
    default:
        return f.power;
    }
}

// In units of the model.
static double read_number(tn_system *self, const tn_point *at, const tn_variable *v)
{
    tn_energy energy;
    switch ((tn_quantity)v->index) {
    case TN_Q_KINETIC:
    case TN_Q_POTENTIAL:
        self->ops->energy(self, at, &energy);
        return v->index == TN_Q_KINETIC ? energy.kinetic : energy.potential;
    case TN_Q_FORCE_FORCE:
    case TN_Q_FORCE_TORQUE:
        return force_number(self, at, v);
    default:
        return body_number(self, at, v);
    }
}

void tn_absolute_read_variables(absolute *s, tn_system *self, const tn_point *at)
{
    abs_signals *sig = s->signals;
    for (int k = 0; k < sig->program->nvariable; k++) {
        const tn_variable *v = &sig->program->variable[k];
        if (v->kind == TN_VARIABLE_QUANTITY && !tn_variable_is_measured(v))
            sig->x[k] = tn_unit_of(s->model->units, v->unit, true) * read_number(self, at, v);
    }
}

// All values at a point.
static void read_signals(tn_system *self, const tn_point *at)
{
    absolute *s = self->world;
    const abs_point here = tn_place_at(self, at, PLACED_ALL);
    tn_absolute_read_variables(s, self, at);
    tn_absolute_set_signals(s, &here, false);
    tn_absolute_late_signals(s, &here);
}

void tn_placed_signals(tn_system *self, const tn_point *at, double *values)
{
    const absolute *s = self->world;
    const abs_signals *sig = s->signals;
    const tn_model *m = s->model;
    const int ne = m->states.count + m->unknowns.count;
    if (!sig)
        return;
    read_signals(self, at);
    tn_copy(m->signals.count, sig->value + sig->program->first[TN_FORMULA_SIGNAL], values);
    values += m->signals.count;
    if (at->e)
        tn_copy(ne, at->e, values);
    if (at->r)
        tn_copy(sig->nsampled, at->r + sig->sampled0, values + ne);
}

// Sampling ----------------------------------------------------------------------------------------

// Values that have waited for their delay come to act.
static void let_act(const absolute *s, const sampler *x, double t)
{
    if (x->delay <= 0.0)
        return; // they act at once
    const double j = last_index(s->signals->t_first + x->delay, x->every, t);
    if (j + 1.0 == *x->acted || j < 0.0)
        return;
    const int n = x->def->n, slot = (int)fmod(j, queue_length(x->def));
    tn_copy(n, x->queue + slot * n, x->acts);
    *x->acted = j + 1.0;
}

static tn_status take_sample(const absolute *s, const sampler *x, double t)
{
    const double j = last_index(s->signals->t_first, x->every, t);
    const double *next = s->signals->value + x->node;
    const int n = x->def->n;
    if (j + 1.0 == *x->taken || j < 0.0)
        return TN_OK;
    for (int i = 0; i < n; i++)
        if (!isfinite(next[i]))
            return tn_fail(TN_ERR_NUMERIC, "sampled '%s': its value '%s' becomes %g at t = %.6g s",
                           x->def->name, x->def->value[i].name, next[i], t * s->model->units.time);
    tn_copy(n, next, x->last);
    *x->taken = j + 1.0;
    if (x->delay > 0.0)
        tn_copy(n, x->last, x->queue + (int)fmod(j, queue_length(x->def)) * n);
    else
        tn_copy(n, x->last, x->acts);
    return TN_OK;
}

tn_status tn_placed_sample(tn_system *self, const tn_point *at, double *r)
{
    const absolute *s = self->world;
    const abs_signals *sig = s->signals;
    if (!sig || sig->nsampled == 0)
        return TN_OK;
    read_signals(self, at);
    for (int k = 0; k < s->model->samplers.count; k++) {
        const sampler x = sampler_of(s, k, r);
        let_act(s, &x, at->t);
        TN_TRY(take_sample(s, &x, at->t));
    }
    return TN_OK;
}
