// SPDX-License-Identifier: MIT
//
// Expressions of the state on the placed bodies: values of formulas with their derivatives, and the
// numbers of forces that they set. With a measure m(q, v) (absolute_measure.c) whose derivatives in
// world axes are m_q and m_v, a formula z(m, e) has
//
//   dz = sum of z_m (m_q dx + m_v dV) + z_e de
//
// and a force w(z) that depends on it affinely has dw = w_z dz, w_z = w(1) - w(0).

#include "system/absolute_parts.h"

#include "linalg/dense.h"
#include "model/units.h"

#include <math.h>

static double state_value(const absolute *s, const abs_point *at, int i)
{
    return at->e ? at->e[i] : s->model->states.at[i].initial;
}

static double unknown_value(const absolute *s, const abs_point *at, int i)
{
    return at->e ? at->e[s->model->states.count + i] : s->model->unknowns.at[i].start;
}

static double sampled_value(const absolute *s, const abs_point *at, const tn_variable *v)
{
    const abs_signals *sig = s->signals;
    const int latest = v->kind == TN_VARIABLE_LATEST ? sig->nsampled : 0;
    return at->r ? at->r[sig->sampled0 + latest + v->index] : 0.0;
}

// A number of the mechanism: one of the coordinates or rates of the point, or of placed bodies.
static void take_measure(absolute *s, int k, const abs_point *at, bool tangent)
{
    abs_measure *m = &s->signals->measure[k];
    const int i = at->direct && (!tangent || at->alone) ? at->direct[k] : -1;
    s->signals->x[m->variable] = i < 0        ? tn_measure_take(s, m, at, tangent)
                                 : i < at->nq ? m->unit * at->q[i]
                                              : m->unit * at->v[i - at->nq];
}

// What is not of the mechanism, then what is.
static void take_variables(absolute *s, const abs_point *at, bool tangent)
{
    abs_signals *sig = s->signals;
    const double t = abs_clock(s, at->t) * s->model->units.time;
    sig->x[sig->program->nvariable] = t;
    for (int i = 0; i < sig->nplain; i++) {
        const int k = sig->plain[i];
        const tn_variable *v = &sig->program->variable[k];
        double u[3];
        if (v->kind == TN_VARIABLE_STATE)
            sig->x[k] = state_value(s, at, v->index);
        else if (v->kind == TN_VARIABLE_SAMPLED || v->kind == TN_VARIABLE_LATEST)
            sig->x[k] = sampled_value(s, at, v);
        else if (v->kind == TN_VARIABLE_UNKNOWN)
            sig->x[k] = unknown_value(s, at, v->index);
        else if (v->kind == TN_VARIABLE_INPUT) {
            tn_model_eval_input(s->model, v->index, t, u);
            sig->x[k] = u[0];
        }
    }
    for (int k = 0; k < sig->nfirst; k++)
        take_measure(s, k, at, tangent);
}

// Derivatives by the variables that a node depends on in the end, from those by its own variables.
static void chain_rule(const abs_signals *sig, const tn_formula_node *node, double *d)
{
    const int *at = node->into;
    tn_zero(node->ndep, d);
    for (int l = 0; l < node->nlocal; l++) {
        const tn_variable *v = &sig->program->variable[node->local[l]];
        const double *inner = v->kind == TN_VARIABLE_NODE ? sig->d[v->index] : NULL;
        const int n = *at++;
        for (int i = 0; i < n; i++)
            d[*at++] += sig->partial[l] * (inner ? inner[i] : 1.0);
    }
}

// The sides of a node's decisions; NULL where it is evaluated as its numbers say.
static signed char *sides_of(const abs_signals *sig, int k)
{
    return sig->decision[k] >= 0 ? sig->side + sig->decision[k] : NULL;
}

static double eval_formula(const abs_signals *sig, const tn_formula_node *node, double t,
                           tn_sides side, bool tangent)
{
    return tangent ? tn_formula_gradient(node->formula, t, sig->x, side, sig->partial)
                   : tn_formula_run(node->formula, sig->x, side);
}

// A branch need not be defined beyond its condition, as that of sqrt(max(x, 0)): there it is the
// one that the numbers say.
static void eval_node(const absolute *s, int k, double t, bool tangent)
{
    abs_signals *sig = s->signals;
    const tn_formula_node *node = &sig->program->node[k];
    const tn_sides side = sides_of(sig, k);
    sig->value[k] = eval_formula(sig, node, t, side, tangent);
    if (side && !isfinite(sig->value[k]))
        sig->value[k] = eval_formula(sig, node, t, NULL, tangent);
    if (tangent)
        chain_rule(sig, node, sig->d[k]);
    if (sig->variable_of[k] >= 0) // others use it
        sig->x[sig->variable_of[k]] = sig->value[k];
}

// All of them without derivatives, as most evaluations are.
static void eval_steps(const absolute *s, double t)
{
    const abs_signals *sig = s->signals;
    double *x = sig->x;
    for (int i = 0; i < sig->nstep; i++) {
        const abs_step *step = &sig->step[i];
        if (step->what == ABS_PRODUCT)
            x[step->out] = x[step->a] * x[step->b];
        else if (step->what == ABS_COPY)
            x[step->out] = x[step->a];
        else if (step->what == ABS_SUM)
            x[step->out] = x[step->a] + x[step->b];
        else if (step->what == ABS_DIFFERENCE)
            x[step->out] = x[step->a] - x[step->b];
        else if (step->what == ABS_CALL)
            x[step->out] =
                tn_formula_step_value(sig->program->node[step->a].formula, step->b, x, NULL);
        else
            eval_node(s, step->a, t, false);
    }
}

static void add_share(const abs_measure *m, double d, int end, abs_share *share)
{
    share->varies = true;
    tn_axpy(6, d, m->q + 6 * end, share->q);
    tn_axpy(6, d, m->v + 6 * end, share->v);
}

// The derivatives of a formula by what bodies do.
static void spread_outcome(const abs_signals *sig, const abs_point *at, abs_outcome *o)
{
    const double *d = sig->d[o->node];
    for (int i = 0; i < o->nshare; i++) {
        tn_zero(6, o->share[i].q);
        tn_zero(6, o->share[i].v);
        o->share[i].varies = false;
    }
    for (int k = 0; k < o->ndep; k++) {
        const int m = o->measure[k];
        if (m < 0 || (at->alone && at->direct[m] >= 0))
            continue;
        for (int end = 0; end < 2; end++)
            if (o->into[k][end] >= 0)
                add_share(&sig->measure[m], d[k], end, &o->share[o->into[k][end]]);
    }
}

// w(1) - w(0): the wrench is affine in the number.
static void find_slope(absolute *s, abs_live *live, const abs_point *at)
{
    const abs_force *f = &s->force[live->force];
    const double now = *live->number;
    tn_load load[2] = {{.energy = 0.0}};
    for (int k = 0; k < 2; k++) {
        *live->number = k;
        tn_force_eval(&f->data, abs_clock(s, at->t), abs_expected(s, at, f->memory),
                      &s->pair[f->pair].at, &load[k]);
    }
    *live->number = now;
    for (int i = 0; i < 12; i++)
        live->w[i] = (load[1].w[i] - load[0].w[i]) / live->unit;
}

void tn_absolute_set_signals(absolute *s, const abs_point *at, bool tangent)
{
    abs_signals *sig = s->signals;
    if (!sig || sig->idle)
        return;
    const double t = abs_clock(s, at->t) * s->model->units.time;
    take_variables(s, at, tangent);
    if (!tangent)
        eval_steps(s, t);
    for (int i = 0; tangent && i < sig->program->nfirst; i++)
        eval_node(s, sig->program->order[i], t, true);
    for (int i = 0; i < sig->nlive; i++)
        *sig->live[i].number = sig->value[sig->live[i].z.node] / sig->live[i].unit;
    for (int i = 0; tangent && i < sig->nlive; i++) {
        spread_outcome(sig, at, &sig->live[i].z);
        if (!at->alone || !at->alone[sig->live[i].force])
            find_slope(s, &sig->live[i], at);
    }
    for (int i = 0; tangent && i < sig->nextra; i++)
        spread_outcome(sig, at, &sig->extra[i]);
}

// Round-off below zero, in units of the model, is no sign.
static const double SLACK = 1e-9;

int tn_absolute_out_of_range(absolute *s, const abs_point *at, double *value)
{
    const abs_signals *sig = s->signals;
    tn_absolute_set_signals(s, at, false);
    for (int i = 0; i < sig->nlive; i++) {
        const tn_live_data *data = &s->model->lives.at[i];
        const abs_live *live = &sig->live[i];
        *value = sig->value[live->z.node];
        if (data->function < 0 && data->param->range == TN_NONNEGATIVE &&
            *value < -SLACK * live->unit)
            return i;
    }
    return -1;
}

// Decisions ---------------------------------------------------------------------------------------

int tn_absolute_decision_count(const tn_system *sys)
{
    const abs_signals *sig = ((const absolute *)sys)->signals;
    return sig && !sig->idle ? sig->ndecision : 0;
}

signed char *tn_absolute_sides(const tn_system *sys)
{
    const abs_signals *sig = ((const absolute *)sys)->signals;
    return sig ? sig->side : NULL;
}

static int node_of_decision(const abs_signals *sig, int k)
{
    int node = -1;
    for (int i = 0; i < sig->program->nnode; i++)
        if (sig->decision[i] >= 0 && sig->decision[i] <= k &&
            k < sig->decision[i] + tn_formula_switch_count(sig->program->node[i].formula))
            node = i;
    TN_ASSERT(node >= 0);
    return node;
}

void tn_absolute_describe_decision(const tn_system *sys, int k, char *text, size_t size)
{
    const absolute *s = (const absolute *)sys;
    const int node = node_of_decision(s->signals, k);
    tn_formula_describe(s->model, &s->signals->program->node[node], text, size);
}

bool tn_absolute_remembers(const tn_system *sys, int k)
{
    const abs_signals *sig = ((const absolute *)sys)->signals;
    const int node = node_of_decision(sig, k);
    return tn_formula_remembers(sig->program->node[node].formula, k - sig->decision[node]);
}

void tn_absolute_decisions(absolute *s, const abs_point *at, double *value)
{
    abs_signals *sig = s->signals;
    const double t = abs_clock(s, at->t) * s->model->units.time;
    tn_absolute_set_signals(s, at, false);
    for (int i = 0; i < sig->program->nfirst; i++) {
        const int k = sig->program->order[i];
        if (sig->decision[k] >= 0)
            tn_formula_switches(sig->program->node[k].formula, t, sig->x, sides_of(sig, k),
                                value + sig->decision[k]);
    }
}

// One decision may be part of another one: sides are taken until none changes. Expressions whose
// decisions contradict each other are left on the sides that came last.
enum { SETTLED = 4 };

static void settle_node(abs_signals *sig, int k, double t, const bool *fixed)
{
    const tn_formula *formula = sig->program->node[k].formula;
    const int first = sig->decision[k], n = tn_formula_switch_count(formula);
    bool changed = n > 0;
    for (int sweep = 0; changed && sweep < SETTLED; sweep++) {
        tn_formula_switches(formula, t, sig->x, sig->side + first, sig->decided);
        changed = false;
        for (int i = 0; i < n; i++) {
            const signed char side =
                (signed char)((sig->decided[i] > 0.0) - (sig->decided[i] < 0.0));
            if ((fixed && fixed[first + i]) || side == sig->side[first + i])
                continue;
            sig->side[first + i] = side;
            changed = true;
        }
    }
}

void tn_absolute_settle(absolute *s, const abs_point *at, const bool *fixed)
{
    abs_signals *sig = s->signals;
    const double t = abs_clock(s, at->t) * s->model->units.time;
    take_variables(s, at, false);
    for (int i = 0; i < sig->program->nfirst; i++) {
        const int k = sig->program->order[i];
        if (sig->decision[k] >= 0)
            settle_node(sig, k, t, fixed);
        eval_node(s, k, t, false);
    }
}

// Memories of one node, at most.
enum { RECALLED = 8 };

// Puts memories of a node on the sides that the bits of `which` say, settles all others, and tells
// whether the memories stay.
static bool try_memories(abs_signals *sig, int k, double t, int n, const int *memory, int which)
{
    bool stay = true;
    for (int i = 0; i < n; i++)
        sig->side[memory[i]] = which >> i & 1 ? 1 : -1;
    settle_node(sig, k, t, NULL);
    for (int i = 0; i < n; i++)
        stay = stay && sig->side[memory[i]] == (which >> i & 1 ? 1 : -1);
    return stay;
}

static int list_memories(const abs_signals *sig, int k, int *memory)
{
    const tn_formula *formula = sig->program->node[k].formula;
    int n = 0;
    for (int i = 0; i < tn_formula_switch_count(formula) && n <= RECALLED; i++)
        if (tn_formula_remembers(formula, i))
            memory[n++] = sig->decision[k] + i;
    return n;
}

// Of all sides on which the memories of a node may be, those by which its value is the one that is
// told. False where two will do.
static bool recall_node(abs_signals *sig, int k, double t, double told)
{
    static const double ALIKE = 1e-9;
    const tn_formula *formula = sig->program->node[k].formula;
    int memory[RECALLED + 1], best = 0, found = 0;
    const int n = list_memories(sig, k, memory);
    double nearest = INFINITY, next = INFINITY;
    for (int which = 0; n <= RECALLED && which < 1 << n; which++) {
        if (!try_memories(sig, k, t, n, memory, which))
            continue;
        const double off =
            fabs(tn_formula_run(formula, sig->x, sig->side + sig->decision[k]) - told);
        best = found++ == 0 || off < nearest ? which : best;
        next = fmin(next, fmax(off, nearest));
        nearest = fmin(nearest, off);
    }
    if (n > 0 && n <= RECALLED)
        try_memories(sig, k, t, n, memory, best);
    return n == 0 || found == 1 || next - nearest > ALIKE * (1.0 + fabs(told));
}

tn_status tn_absolute_recall(tn_system *sys, const tn_point *at, const double *signal)
{
    absolute *s = (absolute *)sys;
    abs_signals *sig = s->signals;
    const abs_point here = abs_here(at);
    const double t = abs_clock(s, at->t) * s->model->units.time;
    char what[TN_FORMULA_WORDS];
    if (tn_absolute_decision_count(sys) == 0)
        return TN_OK;
    tn_absolute_place(s, at);
    take_variables(s, &here, false);
    for (int i = 0; i < sig->program->nfirst; i++) {
        const int k = sig->program->order[i];
        const tn_formula_node *node = &sig->program->node[k];
        const double told = node->use == TN_FORMULA_SIGNAL ? signal[node->index] : NAN;
        if (sig->decision[k] >= 0 && !recall_node(sig, k, t, told)) {
            tn_formula_describe(s->model, node, what, sizeof what);
            return tn_fail(
                TN_ERR_USAGE,
                "%s: the results do not tell whether its hysteresis is on at t = %g s; "
                "make it a signal that is this hysteresis alone, and run the model again",
                what, t);
        }
        eval_node(s, k, t, false);
    }
    return TN_OK;
}

void tn_absolute_late_signals(absolute *s, const abs_point *at)
{
    abs_signals *sig = s->signals;
    const double t = abs_clock(s, at->t) * s->model->units.time;
    sig->x[sig->program->nvariable] = t;
    for (int k = sig->nfirst; k < sig->nmeasure; k++)
        take_measure(s, k, at, false);
    for (int i = sig->program->nfirst; i < sig->program->nnode; i++)
        eval_node(s, sig->program->order[i], t, false);
}

void tn_absolute_extra(const absolute *s, double *extra)
{
    const abs_signals *sig = s->signals;
    const int nc = s->model->states.count;
    for (int i = 0; i < sig->nextra; i++)
        extra[i] = sig->value[sig->extra[i].node] * (i < nc ? s->model->units.time : 1.0);
}

// Loads -------------------------------------------------------------------------------------------

tn_load tn_absolute_load(const absolute *s, const abs_point *at, const abs_force *f)
{
    const tn_pair *pair = &s->pair[f->pair].at;
    tn_load load = {0};
    tn_force_eval(&f->data, abs_clock(s, at->t), abs_expected(s, at, f->memory), pair, &load);
    if (f->fed) {
        load.energy = 0.0;
        load.supplied =
            abs_along(load.w, pair->a.V) + abs_along(load.w + 6, pair->b.V) + load.dissipated;
    }
    s->exchange[f - s->force] = (tn_exchange){load.dissipated, load.supplied};
    return load;
}

// What a live number changes by with the bodies of its own force.
static void add_near(const absolute *s, const abs_force *f, const abs_live *live,
                     tn_load_tangent *T)
{
    const abs_pair *p = &s->pair[f->pair];
    const int body[2] = {p->a, p->b};
    for (int k = 0; k < live->z.nshare; k++)
        for (int end = 0; end < 2; end++) {
            const abs_share *share = &live->z.share[k];
            if (share->body != body[end])
                continue;
            for (int i = 0; i < 12; i++) {
                tn_axpy(6, live->w[i], share->q, T->K[i] + 6 * end);
                tn_axpy(6, live->w[i], share->v, T->D[i] + 6 * end);
            }
        }
}

tn_load_tangent tn_absolute_load_tangent(const absolute *s, const abs_point *at, const abs_force *f)
{
    tn_load_tangent T = {0};
    tn_force_tangent(&f->data, abs_clock(s, at->t), abs_expected(s, at, f->memory),
                     &s->pair[f->pair].at, &T);
    for (int i = f->live; i >= 0; i = s->signals->live[i].next)
        add_near(s, f, &s->signals->live[i], &T);
    return T;
}
