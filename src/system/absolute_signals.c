// SPDX-License-Identifier: MIT
//
// Expressions of the state on the posed bodies: values of formulas with their derivatives, and the
// numbers of forces that they set. With a measure m(q, v) (absolute_measure.c) whose derivatives in
// world axes are m_q and m_v, a formula z(m, e) has
//
//   dz = sum of z_m (m_q dx + m_v dV) + z_e de
//
// and a force w(z) that depends on it affinely has dw = w_z dz, w_z = w(1) - w(0).

#include "system/signal_blocks.h"

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

// Takes the variables outside the mechanism, then those of it.
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

// The modes of a node's conditions; NULL where it is evaluated as its numbers say.
static signed char *sides_of(const abs_signals *sig, int k)
{
    return sig->decision[k] >= 0 ? sig->side + sig->decision[k] : NULL;
}

static double eval_formula(const abs_signals *sig, const tn_formula_node *node, double t,
                           tn_sides side, bool tangent)
{
    return tangent ? tn_formula_gradient(node->formula, t, sig->x, side, sig->partial)
                   : tn_formula_eval(node->formula, t, sig->x, side);
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

static void add_share(const abs_measure *m, double d, int end, abs_share *share)
{
    share->varies = true;
    tn_axpy(6, d, m->q + 6 * end, share->q);
    tn_axpy(6, d, m->v + 6 * end, share->v);
}

// The derivatives of a formula by motions of bodies.
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

static double nudged_value(const abs_signals *sig, int k)
{
    return sig->value[k] + (sig->nudged ? sig->along[sig->program->nvariable + k] : 0.0);
}

void tn_absolute_set_signals(absolute *s, const abs_point *at, bool tangent)
{
    abs_signals *sig = s->signals;
    if (!sig || sig->idle)
        return;
    const double t = abs_clock(s, at->t) * s->model->units.time;
    take_variables(s, at, tangent);
    for (int i = 0; i < sig->program->nfirst; i++)
        eval_node(s, sig->program->order[i], t, tangent);
    for (int i = 0; i < sig->nlive; i++)
        *sig->live[i].number = nudged_value(sig, sig->live[i].z.node) / sig->live[i].unit;
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

int tn_placed_out_of_range(tn_system *self, const tn_point *at, double *value)
{
    absolute *s = self->world;
    const abs_signals *sig = s->signals;
    const abs_point here = tn_place_at(self, at, PLACED_USED);
    tn_absolute_set_signals(s, &here, false);
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

static int list_parts(const tn_formula *f, int n, const tn_expression **list)
{
    tn_expression *const *part;
    const int count = tn_formula_time_parts(f, &part);
    for (int i = 0; list && i < count; i++)
        list[n + i] = part[i];
    return n + count;
}

int tn_absolute_time_parts(const tn_system *world, const tn_expression **list)
{
    const absolute *s = (const absolute *)world;
    const tn_signals *p = s->signals ? s->signals->program : NULL;
    int n = 0;
    for (int i = 0; p && i < p->nfirst; i++)
        n = list_parts(p->node[p->order[i]].formula, n, list);
    for (int i = 0; i < s->nformula_row; i++)
        n = list_parts(s->formula_row[i].from.formula, n, list);
    return n;
}

// Ways --------------------------------------------------------------------------------------------

// A step sees an expression at its ends and stages only, and misses a field that is narrow against
// it. Variables go from one end of a part of the step to the other by parabolas through its middle:
// between two places of this way intervals bound the expression (signal/range.h). An interval is
// closed where that agrees with the ends of the step, but for a part of their size, or where it
// rises or falls throughout; else it is divided, not in the middle, where a symmetric field may
// lie. Values there beyond those at its ends count as hidden in intervals shorter than the distance
// of stages. Bounds of smooth expressions close within the first few samples.

int tn_absolute_way_size(const tn_system *world)
{
    const abs_signals *sig = ((const absolute *)world)->signals;
    const bool any = sig && !sig->idle && sig->nlive > 0;
    return any ? sig->program->nvariable + 1 : 0;
}

void tn_absolute_copy_variables(const tn_system *world, double *x)
{
    const abs_signals *sig = ((const absolute *)world)->signals;
    tn_copy(sig->program->nvariable + 1, sig->x, x);
}

enum { DEEPEST = 60, LOOKS = 100 };
static const double SHOWN = 0.1, OF_BOUND = 1e-6, OF_UNIT = 1e-6, DIVIDED = 0.4877;

typedef struct hidden {
    const abs_signals *sig;
    const tn_way *way;
    int node, looks;
    double shown;
    tn_interval ends;
    double begin, width;
} hidden;

static void place_variable(const hidden *h, int i, double a, double b)
{
    const tn_way *w = h->way;
    const double rise = w->to[i] - w->from[i],
                 bend = 4.0 * w->middle[i] - 2.0 * (w->from[i] + w->to[i]);
    const double va = w->from[i] + a * (rise + (1.0 - a) * bend);
    const double vb = w->from[i] + b * (rise + (1.0 - b) * bend);
    const double da = rise + (1.0 - 2.0 * a) * bend, db = rise + (1.0 - 2.0 * b) * bend;
    const double top = 0.5 * (1.0 + rise / bend); // its turning point
    const double vt = da * db < 0.0 ? w->from[i] + top * (rise + (1.0 - top) * bend) : va;
    w->x[i] = (tn_range_jet){.v = {fmin(vt, fmin(va, vb)), fmax(vt, fmax(va, vb))},
                             .d = {fmin(da, db), fmax(da, db)},
                             .dd = {-2.0 * bend, -2.0 * bend}};
}

// Returns true if a node may use another one: that one depends on nothing else.
static bool may_use(const tn_formula_node *node, const tn_formula_node *other)
{
    int k = 0;
    for (int i = 0; i < other->ndep; i++) {
        while (k < node->ndep && node->dep[k] < other->dep[i])
            k++;
        if (k == node->ndep || node->dep[k] != other->dep[i])
            return false;
    }
    return true;
}

static tn_range_jet over_part(hidden *h, double a, double b)
{
    const tn_signals *p = h->sig->program;
    const tn_formula_node *node = &p->node[h->node];
    tn_range_jet *x = h->way->x, r = {0};
    h->looks++;
    for (int i = 0; i < node->ndep; i++)
        place_variable(h, node->dep[i], a, b);
    place_variable(h, p->nvariable, a, b);
    for (int i = 0; i < p->nfirst; i++) {
        const int k = p->order[i];
        if (k != h->node && !may_use(node, &p->node[k]))
            continue;
        r = tn_formula_over(p->node[k].formula, &x[p->nvariable], x);
        if (k == h->node)
            break;
        if (h->sig->variable_of[k] >= 0)
            x[h->sig->variable_of[k]] = r;
    }
    return r;
}

static double at_part(hidden *h, double a)
{
    const tn_interval v = over_part(h, a, a).v;
    return 0.5 * (v.low + v.high);
}

static double at_state(hidden *h, double *x)
{
    const tn_way *way = h->way;
    const tn_way still = {.from = x, .middle = x, .to = x, .x = way->x};
    h->way = &still;
    const double value = at_part(h, 0.0);
    h->way = way;
    return value;
}

// Bounds by the slopes as well: lines from both ends that rise and fall as fast as can be. They
// close on smooth expressions by squares of the length.
static tn_interval bound_by_slopes(const tn_range_jet *r, double w, double fa, double fb)
{
    const double least = r->d.low, most = r->d.high, rise = fb - fa;
    tn_interval v = r->v;
    if (!isfinite(least) || !isfinite(most) || !(most > least))
        return v;
    const double up = (rise - least * w) / (most - least),
                 down = (most * w - rise) / (most - least);
    v.high = fmin(v.high, fmax(fmax(fa, fb), fa + most * up));
    v.low = fmax(v.low, fmin(fmin(fa, fb), fa + least * down));
    return v;
}

// A number that rises to more than the ends of the step show, as to a plateau within it, is not
// closed by rising throughout.
static bool is_closed(const hidden *h, const tn_range_jet *r, double w, double fa, double fb)
{
    const tn_interval v = bound_by_slopes(r, w, fa, fb);
    const double low = fmin(fa, fb) - h->shown, high = fmax(fa, fb) + h->shown;
    const bool shows = low >= h->ends.low - 2.0 * h->shown && high <= h->ends.high + 2.0 * h->shown;
    return v.high - v.low <= h->shown ||
           (shows && (!tn_range_has_zero(r->d) || (v.low >= low && v.high <= high)));
}

// Width of the pulse at half its height, beside a place in the interval.
static double half_width(hidden *h, double m, double f)
{
    double side[2];
    for (int k = 0; k < 2; k++) {
        double in = m, out = k ? h->begin + h->width : h->begin;
        for (int i = 0; i < 12; i++) {
            const double at = 0.5 * (in + out);
            *(fabs(at_part(h, at)) > 0.5 * fabs(f) ? &in : &out) = at;
        }
        side[k] = out;
    }
    return side[1] - side[0];
}

// A corner, as sqrt(x^2 + small^2) has one, is no narrower in shorter intervals. The value f at m
// lies on the line of one end then, and a history sees at the other that it is another line.
static bool is_corner(hidden *h, double a, double fa, double b, double fb, double m, double f)
{
    if (!h->way->corners)
        return false;
    const tn_interval da = over_part(h, a, a).d, db = over_part(h, b, b).d;
    return fabs(fa + 0.5 * (da.low + da.high) * (m - a) - f) <= h->shown ||
           fabs(fb + 0.5 * (db.low + db.high) * (m - b) - f) <= h->shown;
}

// The first interval, from the left, in which something is hidden.
static bool find_hidden(hidden *h, int depth, double a, double fa, double b, double fb)
{
    if (depth > DEEPEST || h->looks > LOOKS)
        return false;
    const tn_range_jet r = over_part(h, a, b);
    if (is_closed(h, &r, b - a, fa, fb))
        return false;
    const double m = a + DIVIDED * (b - a), f = at_part(h, m);
    const bool stands_out = !h->way->judged || fabs(f) > 2.0 * h->shown;
    if (stands_out && depth >= h->way->seen && fabs(f - fa - DIVIDED * (fb - fa)) > h->shown &&
        !is_corner(h, a, fa, b, fb, m, f)) {
        h->begin = a;
        h->width = b - a;
        if (h->way->judged)
            h->width = half_width(h, m, f);
        return true;
    }
    if (depth < h->way->seen && isfinite(f))
        h->shown = fmax(h->shown, SHOWN * fabs(f));
    return find_hidden(h, depth + 1, a, fa, m, f) || find_hidden(h, depth + 1, m, f, b, fb);
}

// If conditions let a number jump, monitors watch them (sim/watch.c), and its values in other modes
// mean nothing. Conditions with equal modes at both ends may have changed twice between.
static bool jumps(const abs_signals *sig, const tn_way *way, int node)
{
    const tn_signals *p = sig->program;
    for (int i = 0; i < p->nfirst; i++) {
        const tn_formula_node *used = &p->node[p->order[i]];
        if (tn_formula_jumps(used->formula, way->steady) && may_use(&p->node[node], used))
            return true;
    }
    return false;
}

// If the number is checked, the ends of a step show half as large a pulse.
static bool hides_live(const abs_signals *sig, const tn_way *way, const abs_live *live, hidden *h)
{
    *h = (hidden){.sig = sig, .way = way, .node = live->z.node};
    const double first = at_state(h, way->first), last = at_state(h, way->last);
    const double fa = at_part(h, 0.0), fb = at_part(h, 1.0);
    const double ends = fmax(fabs(first), fabs(last));
    h->ends = (tn_interval){fmin(first, last), fmax(first, last)};
    const tn_interval bound = over_part(h, 0.0, 1.0).v;
    const double most = fmax(fabs(bound.low), fabs(bound.high));
    h->shown = fmax((way->judged ? 1.0 : SHOWN) * ends, OF_UNIT * live->unit);
    h->shown = fmax(h->shown, isfinite(most) ? OF_BOUND * most : 0.0);
    return find_hidden(h, 0, 0.0, fa, 1.0, fb);
}

int tn_absolute_hides(const tn_system *world, const tn_way *way, double *begin, double *width)
{
    const abs_signals *sig = ((const absolute *)world)->signals;
    int found = -1;
    *begin = *width = 1.0;
    for (int i = 0; i < sig->nlive; i++) {
        const abs_live *live = &sig->live[i];
        hidden h;
        if (jumps(sig, way, live->z.node) || !hides_live(sig, way, live, &h) ||
            (way->judged ? h.width >= *width : h.begin >= *begin))
            continue;
        found = live->force;
        *begin = h.begin;
        *width = h.width;
    }
    return found;
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

void tn_placed_decisions(tn_system *self, const tn_point *at, double *value)
{
    absolute *s = self->world;
    abs_signals *sig = s->signals;
    const abs_point here = tn_place_at(self, at, PLACED_USED);
    const double t = abs_clock(s, at->t) * s->model->units.time;
    tn_absolute_set_signals(s, &here, false);
    for (int i = 0; i < sig->program->nfirst; i++) {
        const int k = sig->program->order[i];
        if (sig->decision[k] >= 0)
            tn_formula_switches(sig->program->node[k].formula, t, sig->x, sides_of(sig, k),
                                value + sig->decision[k]);
    }
}

static int switches_of(const abs_signals *sig, int node, double *value)
{
    const tn_formula_node *of = &sig->program->node[node];
    int n = tn_formula_switch_count(of->formula);
    if (value)
        tn_formula_switches(of->formula, sig->x[sig->program->nvariable], sig->x, NULL, value);
    for (int l = 0; l < of->nlocal; l++) {
        const tn_variable *v = &sig->program->variable[of->local[l]];
        if (v->kind == TN_VARIABLE_NODE)
            n += switches_of(sig, v->index, value ? value + n : NULL);
    }
    return n;
}

int tn_absolute_signal_switches(const tn_system *sys, int signal, double *value)
{
    return switches_of(((const absolute *)sys)->signals, signal, value);
}

// One condition may be part of another one: modes are updated until none changes. Expressions whose
// conditions contradict each other stay in the modes that came last.
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

void tn_placed_settle(tn_system *self, const tn_point *at, const bool *fixed)
{
    absolute *s = self->world;
    abs_signals *sig = s->signals;
    const abs_point here = tn_place_at(self, at, PLACED_USED);
    const double t = abs_clock(s, at->t) * s->model->units.time;
    take_variables(s, &here, false);
    for (int i = 0; i < sig->program->nfirst; i++) {
        const int k = sig->program->order[i];
        if (sig->decision[k] >= 0)
            settle_node(sig, k, t, fixed);
        eval_node(s, k, t, false);
    }
}

// Memories of one node, at most.
enum { RECALLED = 8 };

// Sets the modes with hysteresis of a node by the bits of `which`, updates all others, and returns
// true if the former stay.
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

// Chooses, among all modes of the conditions with hysteresis of a node, those by which its value is
// the recorded one. False where two will do.
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
            fabs(tn_formula_eval(formula, t, sig->x, sig->side + sig->decision[k]) - told);
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
        extra[i] = nudged_value(sig, sig->extra[i].node) * (i < nc ? s->model->units.time : 1.0);
}

// Variations --------------------------------------------------------------------------------------

static double vary_measure(absolute *s, const abs_measure *m, const tn_variation *by)
{
    double value = 0.0;
    body_columns c;
    for (int i = 0; by->lambda && i < m->nrow; i++)
        value += m->lambda[i] * by->lambda[m->rows[i]];
    for (int end = 0; end < 2; end++) {
        const double *q = m->q + 6 * end, *v = m->v + 6 * end;
        if (m->body[end] == 0)
            continue;
        tn_absolute_signal_ops.columns(&s->base, m->body[end], &c);
        for (int i = 0; i < c.n; i++)
            value += by->x[c.index[i]] * (abs_along(q, c.q[i]) + abs_along(v, c.p[i])) +
                     by->v[c.index[i]] * abs_along(v, c.v[i]);
    }
    return value;
}

static double vary_plain(const abs_signals *sig, const tn_model *m, const tn_variable *v,
                         const tn_variation *by)
{
    const int latest = v->kind == TN_VARIABLE_LATEST ? sig->nsampled : 0;
    if (v->kind == TN_VARIABLE_STATE)
        return by->e[v->index];
    if (v->kind == TN_VARIABLE_UNKNOWN)
        return by->e[m->states.count + v->index];
    if (v->kind == TN_VARIABLE_SAMPLED || v->kind == TN_VARIABLE_LATEST)
        return by->r ? by->r[sig->sampled0 + latest + v->index] : 0.0;
    return v->kind == TN_VARIABLE_INPUT && v->index == by->input ? 1.0 : 0.0;
}

// Numbers that no measure has, by the points that are moved along.
static void vary_others(absolute *s, tn_system *sys, const tn_variation *by)
{
    abs_signals *sig = s->signals;
    for (int i = 0; i < by->count; i++) {
        tn_absolute_read_variables(s, sys, &by->moved[i]);
        for (int k = 0; k < sig->program->nvariable; k++) {
            const tn_variable *v = &sig->program->variable[k];
            if (v->kind == TN_VARIABLE_QUANTITY && !tn_variable_is_measured(v))
                sig->along[k] += by->weight[i] * sig->x[k];
        }
    }
}

void tn_absolute_vary_signals(tn_system *sys, const tn_point *at, const tn_variation *by)
{
    absolute *s = (absolute *)sys;
    abs_signals *sig = s->signals;
    const tn_signals *program = sig ? sig->program : NULL;
    const abs_point here = abs_here(at);
    const double t = abs_clock(s, at->t) * s->model->units.time;
    if (!sig || sig->idle)
        return;
    tn_zero(program->nvariable + program->nnode, sig->along);
    vary_others(s, sys, by);
    tn_absolute_read_variables(s, sys, at);
    tn_absolute_place(s, at);
    take_variables(s, &here, true);
    for (int i = 0; i < sig->nplain; i++)
        sig->along[sig->plain[i]] =
            vary_plain(sig, s->model, &program->variable[sig->plain[i]], by);
    for (int k = 0; k < sig->nmeasure; k++) {
        if (k >= sig->nfirst)
            take_measure(s, k, &here, true);
        sig->along[sig->measure[k].variable] = vary_measure(s, &sig->measure[k], by);
    }
    for (int i = 0; i < program->nnode; i++) {
        const int k = program->order[i];
        const tn_formula_node *node = &program->node[k];
        double *to = &sig->along[program->nvariable + k];
        eval_node(s, k, t, true);
        for (int l = 0; l < node->nlocal; l++)
            *to += sig->partial[l] * sig->along[node->local[l]];
        if (sig->variable_of[k] >= 0)
            sig->along[sig->variable_of[k]] = *to;
    }
}

const double *tn_absolute_varied(const tn_system *sys, int *first_signal, int *first_next)
{
    const abs_signals *sig = ((const absolute *)sys)->signals;
    *first_signal = sig ? sig->program->first[TN_FORMULA_SIGNAL] : 0;
    *first_next = sig ? sig->program->first[TN_FORMULA_NEXT] : 0;
    return sig ? sig->along + sig->program->nvariable : NULL;
}

int tn_absolute_sampled_place(const tn_system *sys)
{
    const abs_signals *sig = ((const absolute *)sys)->signals;
    return sig ? sig->sampled0 : 0;
}

bool tn_absolute_reads_others(const tn_system *sys)
{
    const abs_signals *sig = ((const absolute *)sys)->signals;
    for (int k = 0; sig && k < sig->program->nvariable; k++) {
        const tn_variable *v = &sig->program->variable[k];
        if (v->kind == TN_VARIABLE_QUANTITY && !tn_variable_is_measured(v))
            return true;
    }
    return false;
}

void tn_absolute_nudge_signals(tn_system *sys, bool on)
{
    abs_signals *sig = ((absolute *)sys)->signals;
    if (sig)
        sig->nudged = on;
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

// Change of a variable parameter with the bodies of its own force.
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
