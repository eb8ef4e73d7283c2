// SPDX-License-Identifier: MIT
//
// C and D of a linear model: outputs are read from a simulation whose state is moved along each
// state and input, with accelerations and multipliers found anew there, and differences are of
// fourth order. See docs/theory/linearisation.md.

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "model/output.h"
#include "sim/linear_model.h"
#include "sim/sim.h"
#include "system/absolute.h"

#include <math.h>
#include <string.h>

static const double CONSTANT = 1e-6;  // change of an output along a steady motion, relative
static const double LATER[] = {0.61}; // [rad, sizes of the model]

// A simulation that is put to states near the point.
typedef struct probe {
    tn_linear *l;
    tn_sim *sim;
    double *q0, *v0;                        // the point, or one later
    double time;                            // since the point
    double *x, *v, *e, *state, *u;          // variations
    double *carried;                        // nv
    double *value, *sum;                    // of the outputs
    double *narrow, *last, *before, *apart; // differences of these
    bool *settled;
    void *block;
} probe;

static void layout_probe(void *self, tn_carve *mem)
{
    probe *p = self;
    const tn_system *sys = p->l->at->sys;
    const tn_linear_motion *m = p->l->motion;
    const int ny = p->l->names[TN_LINEAR_OUTPUTS].count;
    p->q0 = tn_carve_doubles(mem, sys->nq);
    TN_CARVE_DOUBLES(mem, sys->nv, &p->v0, &p->x, &p->v, &p->carried);
    p->e = tn_carve_doubles(mem, sys->ne);
    p->state = tn_carve_doubles(mem, m->n);
    p->u = tn_carve_doubles(mem, m->nu);
    TN_CARVE_DOUBLES(mem, ny, &p->value, &p->sum);
    TN_CARVE_DOUBLES(mem, ny, &p->narrow, &p->last, &p->before, &p->apart);
    p->settled = tn_carve_bytes(mem, sizeof(bool) * (size_t)ny);
}

static void put_input_value(probe *p, int input, double value)
{
    const double number[TN_INPUT_NUMBERS] = {value, 0.0, 0.0, p->sim->start.x.t};
    tn_model_put_numbers(p->sim->model, input, number);
}

// The outputs at the point moved by s times the variation.
static tn_status read_outputs(probe *p, double s)
{
    tn_linear *l = p->l;
    tn_sim *sim = p->sim;
    tn_system *sys = sim->start.sys;
    tn_state *x = &sim->start.x;
    const linear_names *out = &l->names[TN_LINEAR_OUTPUTS], *in = &l->names[TN_LINEAR_INPUTS];
    for (int i = 0; i < sys->nv; i++)
        x->a[i] = s * p->x[i];
    tn_group_retract(sys->ngroup, sys->groups, p->q0, x->a, x->q);
    for (int i = 0; i < sys->nv; i++)
        x->v[i] = p->v0[i] + s * p->v[i];
    for (int i = 0; i < sys->ne; i++)
        x->e[i] = l->at->now.e[i] + s * p->e[i];
    tn_copy(sys->nr, l->at->now.r, x->r);
    x->t = l->at->start.x.t + p->time;
    for (int k = 0; k < in->count; k++)
        put_input_value(p, l->input[k], in->at[k].value + s * p->u[k]);
    tn_copy(sys->ng, l->at->now.lambda, x->lambda);
    tn_copy(sys->nn, l->at->now.eta, x->eta);
    TN_TRY(tn_start_refresh(&sim->start));
    tn_sim_forget_told(sim);
    tn_sim_open_ledger(sim); // energies are those of this state
    for (int k = 0; k < out->count; k++)
        p->value[k] = tn_sim_channel(sim, l->channel[k]);
    return TN_OK;
}

// Derivatives of all outputs along the variation into `to` (ny), with steps h.
static tn_status difference_of(probe *p, double h, double *to)
{
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};
    const int ny = p->l->names[TN_LINEAR_OUTPUTS].count;
    tn_zero(ny, p->sum);
    for (int k = 0; k < 4; k++) {
        TN_TRY(read_outputs(p, at[k] * h));
        tn_axpy(ny, weight[k] / (12.0 * h), p->value, p->sum);
    }
    tn_copy(ny, p->sum, to);
    return TN_OK;
}

// How large the variation is: motions by sizes of the model and radians, states and inputs by their
// values where these are larger than 1.
static double size_of(const probe *p)
{
    const tn_linear *l = p->l;
    const int nv = p->sim->start.sys->nv;
    double size = fmax(tn_norm_inf(nv, p->x), tn_norm_inf(nv, p->v));
    for (int i = 0; i < l->at->sys->ne; i++)
        size = fmax(size, fabs(p->e[i]) / fmax(1.0, fabs(l->at->now.e[i])));
    for (int k = 0; k < l->motion->nu; k++)
        size = fmax(size, fabs(p->u[k]) / fmax(1.0, fabs(l->names[TN_LINEAR_INPUTS].at[k].value)));
    return size;
}

// Differences with steps from wide to narrow. An output is settled where two agree, or where they
// part again as round-off grows.
typedef struct ladder {
    double first, factor;
    int count;
} ladder;

static const ladder by_states = {2e-4, 0.1, 6}; // which are seldom linear
static const ladder by_inputs = {1.0, 1e-2, 5}; // which are linear mostly

static void settle_output(probe *p, int i, double *to)
{
    const double apart = fabs(p->narrow[i] - p->last[i]);
    if (apart <= 1e-9 * fabs(p->narrow[i])) {
        to[i] = p->last[i];
        p->settled[i] = true;
    } else if (apart >= p->apart[i]) {
        to[i] = p->before[i];
        p->settled[i] = true;
    } else {
        p->apart[i] = apart;
        p->before[i] = p->last[i];
        to[i] = p->last[i] = p->narrow[i];
    }
}

static tn_status differentiate_outputs(probe *p, const ladder *steps, double *to)
{
    const int ny = p->l->names[TN_LINEAR_OUTPUTS].count;
    const double size = size_of(p);
    double h = steps->first / (size > 0.0 ? size : 1.0);
    bool begun = false, open = true;
    for (int k = 0; k < steps->count && open; k++, h *= steps->factor) {
        const tn_status status = difference_of(p, h, p->narrow);
        if (status != TN_OK && (begun || status == TN_ERR_MEMORY || k + 1 == steps->count))
            return status;
        if (status != TN_OK) { // too far for it
            tn_clear_error();
            continue;
        }
        open = !begun;
        for (int i = 0; i < ny; i++) {
            if (begun && !p->settled[i])
                settle_output(p, i, to);
            if (!begun) {
                to[i] = p->last[i] = p->narrow[i];
                p->apart[i] = INFINITY;
                p->settled[i] = false;
            }
            open = open || !p->settled[i];
        }
        begun = true;
    }
    return TN_OK;
}

// The variation of state i (in SI units) or of input i, carried on to the time of the probe.
static void take_variation(probe *p, int state, int input)
{
    tn_linear *l = p->l;
    const tn_linear_motion *m = l->motion;
    tn_equilibrium *s = l->at;
    tn_zero(m->n, p->state);
    tn_zero(m->nu, p->u);
    if (state >= 0)
        p->state[state] = 1.0 / tn_linear_state_unit(m, state);
    if (input >= 0)
        p->u[input] = 1.0;
    tn_linear_motion_at(m, p->state, p->u, p->x, p->v, p->e);
    if (p->time != 0.0) {
        tn_eq_carry(s, p->time, p->x, p->carried);
        tn_copy(s->sys->nv, p->carried, p->x);
        tn_eq_carry(s, p->time, p->v, p->carried);
        tn_copy(s->sys->nv, p->carried, p->v);
    }
}

static tn_status put_readout(probe *p, double *C, double *D)
{
    const tn_linear_motion *m = p->l->motion;
    const int ny = p->l->names[TN_LINEAR_OUTPUTS].count;
    for (int j = 0; j < m->n && ny > 0; j++) {
        take_variation(p, j, -1);
        TN_TRY(differentiate_outputs(p, &by_states, tn_column_of(C, ny, j)));
    }
    for (int j = 0; j < m->nu && ny > 0; j++) {
        take_variation(p, -1, j);
        TN_TRY(differentiate_outputs(p, &by_inputs, tn_column_of(D, ny, j)));
    }
    return TN_OK;
}

// Entries that are round-off of the differences.
static void drop_round_off(const tn_linear *l)
{
    const linear_values *C = &l->matrix[TN_LINEAR_C], *D = &l->matrix[TN_LINEAR_D];
    const linear_names *out = &l->names[TN_LINEAR_OUTPUTS];
    for (int i = 0; i < C->rows; i++) {
        double most = fabs(out->at[i].value);
        for (int j = 0; j < C->columns; j++)
            most = fmax(most, fabs(tn_column_of(C->at, C->rows, j)[i]));
        for (int j = 0; j < C->columns; j++)
            if (fabs(tn_column_of(C->at, C->rows, j)[i]) < 1e-11 * most)
                tn_column_of(C->at, C->rows, j)[i] = 0.0;
        for (int j = 0; j < D->columns; j++)
            if (fabs(tn_column_of(D->at, C->rows, j)[i]) < 1e-11 * most)
                tn_column_of(D->at, C->rows, j)[i] = 0.0;
    }
}

// Along a steady motion outputs must stay as they are, but for what goes on steadily.
static tn_status check_constant(probe *p, double time)
{
    tn_linear *l = p->l;
    const int ny = l->names[TN_LINEAR_OUTPUTS].count, n = l->motion->n, nu = l->motion->nu;
    const linear_values *C = &l->matrix[TN_LINEAR_C], *D = &l->matrix[TN_LINEAR_D];
    double *later = tn_alloc(sizeof(double) * ((size_t)ny * (size_t)(n + nu) + 1));
    TN_TRY(tn_got(later));
    p->time = time;
    tn_eq_moved_on(l->at, time, p->q0, p->v0);
    tn_status status = put_readout(p, later, later + (size_t)ny * (size_t)n);
    for (int i = 0; status == TN_OK && i < ny; i++) {
        double most = 0.0, change = 0.0;
        for (int j = 0; j < n + nu; j++) {
            const double here =
                j < n ? tn_column_of(C->at, ny, j)[i] : tn_column_of(D->at, ny, j - n)[i];
            most = fmax(most, fabs(here));
            change = fmax(change, fabs(here - tn_column_of(later, ny, j)[i]));
        }
        most = fmax(most, fabs(l->names[TN_LINEAR_OUTPUTS].at[i].value));
        if (change > CONSTANT * fmax(most, 1e-5)) // below that differences are round-off
            status = tn_fail(TN_ERR_NUMERIC,
                             "output '%s' is periodic about this steady motion: how it depends on "
                             "the states changes by %.2g of %.2g on the way; take one that turns "
                             "with the motion, as the coordinate of a joint",
                             l->names[TN_LINEAR_OUTPUTS].at[i].name, change, most);
    }
    tn_free(later);
    return status;
}

static tn_status add_output(tn_linear *l, const char *name, void *user)
{
    tn_sim *sim = user;
    linear_names *to = &l->names[TN_LINEAR_OUTPUTS];
    tn_channel_info info;
    int channel;
    TN_TRY(tn_sim_channel_find(sim, name, &channel));
    for (int k = 0; k < to->count; k++)
        if (l->channel[k] == channel)
            return tn_fail(TN_ERR_USAGE, "output '%s' is listed twice", name);
    TN_TRY(tn_sim_channel_at(sim, channel, &info));
    l->channel[to->count] = channel;
    return tn_linear_add_name(to, name, info.unit ? info.unit : "", NAN);
}

static tn_status choose_outputs(tn_linear *l, tn_sim *sim)
{
    const tn_model *model = l->at->model;
    const int most =
        model->outputs.count * 3 + l->motion->n + tn_linear_count_names(l->options.outputs);
    TN_TRY(tn_linear_open_names(&l->names[TN_LINEAR_OUTPUTS], most));
    l->channel = tn_alloc(sizeof(int) * (size_t)(most + 1));
    TN_TRY(tn_got(l->channel));
    if (l->options.outputs)
        return tn_linear_each_name(l, l->options.outputs, add_output, sim);
    for (int k = 0; k < model->outputs.count; k++) {
        int channel;
        if (tn_sim_channel_find(sim, model->outputs.at[k]->name, &channel) == TN_OK)
            TN_TRY(add_output(l, model->outputs.at[k]->name, sim));
        else
            tn_clear_error();
    }
    return TN_OK;
}

// Without outputs the states are seen.
static tn_status show_states(tn_linear *l)
{
    const linear_names *states = &l->names[TN_LINEAR_STATES];
    linear_names *to = &l->names[TN_LINEAR_OUTPUTS];
    linear_values *C = &l->matrix[TN_LINEAR_C];
    TN_TRY(tn_linear_open_matrix(C, states->count, states->count));
    TN_TRY(tn_linear_open_matrix(&l->matrix[TN_LINEAR_D], states->count, l->motion->nu));
    for (int i = 0; i < states->count; i++) {
        TN_TRY(tn_linear_add_name(to, states->at[i].name, states->at[i].unit, NAN));
        tn_column_of(C->at, C->rows, i)[i] = 1.0;
    }
    return TN_OK;
}

// Conditions and relays of expressions are as they are at the point.
static void take_sides(probe *p)
{
    const tn_system *from = p->l->at->sys;
    const int n = p->sim->watch.ndecision;
    TN_ASSERT(tn_absolute_decision_count(from) == n);
    if (n > 0)
        memcpy(p->sim->watch.side[1], tn_absolute_sides(from), (size_t)n);
    tn_sim_use_sides(p->sim, true);
}

static tn_status fill_readout(probe *p)
{
    tn_linear *l = p->l;
    tn_equilibrium *s = l->at;
    const int ny = l->names[TN_LINEAR_OUTPUTS].count;
    linear_values *C = &l->matrix[TN_LINEAR_C], *D = &l->matrix[TN_LINEAR_D];
    TN_TRY(tn_linear_open_matrix(C, ny, l->motion->n));
    TN_TRY(tn_linear_open_matrix(D, ny, l->motion->nu));
    tn_eq_moved_on(s, 0.0, p->q0, p->v0);
    take_sides(p);
    TN_TRY(read_outputs(p, 0.0));
    for (int k = 0; k < ny; k++)
        l->names[TN_LINEAR_OUTPUTS].at[k].value = p->value[k];
    TN_TRY(put_readout(p, C->at, D->at));
    drop_round_off(l);
    for (int k = 0; tn_eq_moves(s) && k < TN_COUNT(LATER); k++)
        TN_TRY(check_constant(p, tn_eq_time_of(s, LATER[k])));
    return TN_OK;
}

tn_status tn_linear_put_outputs(tn_linear *l, const tn_model *model)
{
    tn_sim_options options = l->options.find.start;
    tn_sim *sim = NULL;
    probe p = {.l = l};
    options.method = "auto@absolute";
    options.rotation = "so3";
    options.stated = 0;
    options.step = 0.0;
    options.adaptive = false;
    TN_TRY(tn_sim_create(model, &options, &sim));
    tn_status status = choose_outputs(l, sim);
    if (status == TN_OK && !l->options.outputs && l->names[TN_LINEAR_OUTPUTS].count == 0) {
        status = show_states(l);
    } else {
        p.sim = sim;
        TN_THEN(status, tn_carve_block(&p, layout_probe, &p.block));
        TN_THEN(status, fill_readout(&p));
    }
    tn_free(p.block);
    tn_sim_destroy(sim);
    return status;
}
