// SPDX-License-Identifier: MIT
//
// Builds expressions of the state in absolute coordinates (absolute_signals.c): measures, and
// variable parameters with the bodies that they depend on.

#include "system/absolute_parts.h"

#include "model/units.h"

static int count_measures(const tn_signals *program)
{
    int n = 0;
    for (int k = 0; k < program->nvariable; k++)
        n += tn_variable_is_measured(&program->variable[k]);
    return n;
}

static bool sees_reactions(const tn_signals *program, const tn_formula_node *node)
{
    for (int i = 0; i < node->ndep; i++)
        if (tn_variable_is_reaction(&program->variable[node->dep[i]]))
            return true;
    return false;
}

// Discontinuities that depend on reactions do not count: multipliers within a step are less
// accurate than the motion is, and those at its start are others than those of the method. One that
// is located by them is found, taken back and found again, a little later or earlier, without end;
// and to step across it costs little.
static int count_decisions(const tn_signals *program, const tn_formula_node *node)
{
    const bool kinks = sees_reactions(program, node) && !tn_formula_jumps(node->formula, false);
    return node->continuous && !kinks ? tn_formula_switch_count(node->formula) : 0;
}

static void layout_outcome(const tn_formula_node *node, abs_outcome *o, tn_carve *mem)
{
    o->ndep = node->ndep;
    TN_CARVE_INTS(mem, node->ndep, &o->measure, &o->e);
    o->into = tn_carve_bytes(mem, sizeof *o->into * (size_t)node->ndep);
    o->share = tn_carve_bytes(mem, sizeof *o->share * (size_t)(2 * node->ndep));
}

static void layout_signals(void *self, tn_carve *mem)
{
    abs_signals *sig = self;
    const tn_signals *program = sig->program;
    sig->nmeasure = count_measures(program);
    sig->nlive = program->first[TN_FORMULA_LIVE + 1] - program->first[TN_FORMULA_LIVE];
    sig->nextra = program->first[TN_FORMULA_NEXT] - program->first[TN_FORMULA_RATE];
    sig->measure = tn_carve_bytes(mem, sizeof *sig->measure * (size_t)sig->nmeasure);
    sig->live = tn_carve_bytes(mem, sizeof *sig->live * (size_t)sig->nlive);
    sig->function = tn_carve_bytes(mem, sizeof *sig->function * (size_t)sig->nlive);
    sig->extra = tn_carve_bytes(mem, sizeof *sig->extra * (size_t)sig->nextra);
    sig->x = tn_carve_doubles(mem, program->nvariable + 1);
    sig->value = tn_carve_doubles(mem, program->nnode);
    sig->variable_of = tn_carve_ints(mem, program->nnode);
    sig->plain = tn_carve_ints(mem, program->nvariable);
    sig->partial = tn_carve_doubles(mem, program->most_local);
    sig->along = tn_carve_doubles(mem, program->nvariable + program->nnode);
    sig->ndecision = 0;
    for (int k = 0; k < program->nnode; k++)
        sig->ndecision += count_decisions(program, &program->node[k]);
    sig->decision = tn_carve_ints(mem, program->nnode);
    sig->side = tn_carve_bytes(mem, (size_t)sig->ndecision);
    sig->decided = tn_carve_doubles(mem, sig->ndecision);
    sig->d = tn_carve_bytes(mem, sizeof *sig->d * (size_t)program->nnode);
    for (int k = 0; k < program->nnode; k++) {
        double *d = tn_carve_doubles(mem, program->node[k].ndep);
        if (mem->base)
            sig->d[k] = d;
    }
    for (int k = 0; k < sig->nlive + sig->nextra; k++) {
        abs_outcome none; // while bytes are counted there is nothing yet
        abs_outcome *o = !mem->base       ? &none
                         : k < sig->nlive ? &sig->live[k].z
                                          : &sig->extra[k - sig->nlive];
        layout_outcome(&program->node[program->first[TN_FORMULA_LIVE] + k], o, mem);
    }
}

static void number_decisions(abs_signals *sig)
{
    int n = 0;
    for (int k = 0; k < sig->program->nnode; k++) {
        const int own = count_decisions(sig->program, &sig->program->node[k]);
        sig->decision[k] = own > 0 ? n : -1;
        n += own;
    }
}

static void number_variables(abs_signals *sig)
{
    const tn_signals *program = sig->program;
    for (int k = 0; k < program->nnode; k++)
        sig->variable_of[k] = -1;
    for (int k = 0; k < program->nvariable; k++)
        if (program->variable[k].kind == TN_VARIABLE_NODE)
            sig->variable_of[program->variable[k].index] = k;
        else if (program->variable[k].kind != TN_VARIABLE_QUANTITY)
            sig->plain[sig->nplain++] = k;
}

static bool moves_by(const tn_signals *program, int variable)
{
    for (int k = 0; k < program->nnode; k++)
        for (int i = 0; program->node[k].continuous && i < program->node[k].ndep; i++)
            if (program->node[k].dep[i] == variable)
                return true;
    return false;
}

// Those of the equations of motion first, then those of samples and read-out alone.
static void number_measures(abs_signals *sig)
{
    const tn_signals *program = sig->program;
    int n = 0;
    for (int late = 0; late < 2; late++) {
        for (int k = 0; k < program->nvariable; k++)
            if (tn_variable_is_measured(&program->variable[k]) && moves_by(program, k) == !late)
                sig->measure[n++] = (abs_measure){.from = &program->variable[k], .variable = k};
        sig->nfirst = late ? sig->nfirst : n;
    }
}

tn_status tn_absolute_open_signals(absolute *s)
{
    if (!tn_model_has_signals(s->model))
        return TN_OK;
    abs_signals *sig = s->signals = tn_alloc(sizeof *sig);
    TN_TRY(tn_got(sig));
    TN_TRY(tn_signals_create(s->model, &sig->program));
    TN_TRY(tn_carve_block(sig, layout_signals, &sig->block));
    number_variables(sig);
    number_measures(sig);
    number_decisions(sig);
    sig->nsampled = tn_model_sampled_count(s->model);
    return TN_OK;
}

static int share_of(abs_outcome *o, int body)
{
    if (body == 0)
        return -1;
    int k = 0;
    while (k < o->nshare && o->share[k].body != body)
        k++;
    o->share[k].body = body;
    o->nshare = tn_larger(o->nshare, k + 1);
    return k;
}

static int measure_of(const abs_signals *sig, int variable)
{
    for (int k = 0; k < sig->nmeasure; k++)
        if (sig->measure[k].variable == variable)
            return k;
    return -1;
}

static void link_outcome(const absolute *s, int node, abs_outcome *o)
{
    const abs_signals *sig = s->signals;
    const tn_formula_node *from = &sig->program->node[node];
    o->node = node;
    for (int k = 0; k < o->ndep; k++) {
        const tn_variable *v = &sig->program->variable[from->dep[k]];
        const int m = o->measure[k] = measure_of(sig, from->dep[k]);
        o->e[k] = v->kind == TN_VARIABLE_STATE     ? v->index
                  : v->kind == TN_VARIABLE_UNKNOWN ? s->model->states.count + v->index
                                                   : -1;
        for (int end = 0; end < 2; end++)
            o->into[k][end] = m < 0 ? -1 : share_of(o, sig->measure[m].body[end]);
    }
}

static tn_status link_live(absolute *s, int i)
{
    abs_signals *sig = s->signals;
    abs_live *live = &sig->live[i];
    const tn_live_data *data = &s->model->lives.at[i];
    abs_force *f = &s->force[data->force];
    const bool length = tn_force_acts_on_length(&f->data);
    live->force = data->force;
    live->next = f->live;
    live->unit = f->data.ops->own ? 1.0 : tn_unit_of(s->model->units, data->param->unit, length);
    f->live = i;
    f->fed = f->fed || (data->function < 0 && !data->param->damps);
    link_outcome(s, sig->program->first[TN_FORMULA_LIVE] + i, &live->z);
    const abs_pair *p = &s->pair[f->pair];
    for (int k = 0; k < live->z.nshare; k++) {
        const int body = live->z.share[k].body;
        live->z.share[k].far = body != p->a && body != p->b;
    }
    if (data->function < 0) {
        live->number = (double *)((char *)&f->data.def + data->param->offset);
        return TN_OK;
    }
    TN_TRY(tn_timefn_live(&sig->function[i]));
    f->data.u[data->function] = sig->function[i];
    live->number = tn_timefn_number(sig->function[i]);
    return TN_OK;
}

tn_status tn_absolute_link_signals(absolute *s)
{
    abs_signals *sig = s->signals;
    if (!sig)
        return TN_OK;
    for (int k = 0; k < sig->nmeasure; k++)
        TN_TRY(tn_measure_open(s, &sig->measure[k]));
    for (int i = 0; i < sig->nlive; i++)
        TN_TRY(link_live(s, i));
    for (int i = 0; i < sig->nextra; i++)
        link_outcome(s, sig->program->first[TN_FORMULA_RATE] + i, &sig->extra[i]);
    return TN_OK;
}

void tn_absolute_close_signals(absolute *s)
{
    abs_signals *sig = s->signals;
    if (!sig)
        return;
    for (int i = 0; sig->function && i < sig->nlive; i++)
        tn_timefn_destroy(sig->function[i]);
    tn_signals_destroy(sig->program);
    TN_FREE(sig->block, sig);
    s->signals = NULL;
}
