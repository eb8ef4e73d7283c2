// SPDX-License-Identifier: MIT
//
// Linearisation; see tenon/linear.h and docs/theory/linearisation.md. A and B are those of
// analysis/linear_motion.h in SI units. Outputs are read from a simulation whose state is moved
// along each state and input, with accelerations and multipliers found anew there: C and D are
// differences of fourth order.

#include "tenon/linear.h"

#include "analysis/linear_motion.h"
#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "model/output.h"
#include "model/units.h"
#include "sim/sim.h"
#include "system/absolute.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double CONSTANT = 1e-6;  // change of an output along a steady motion, relative
static const double LATER[] = {0.61}; // [rad, sizes of the model]

typedef struct linear_name {
    char *name, *unit;
    double value;
} linear_name;

typedef struct linear_names {
    int count;
    linear_name *at;
} linear_names;

typedef struct linear_values {
    int rows, columns;
    double *at;
} linear_values;

struct tn_linear {
    tn_linear_options options;
    tn_equilibrium *at;
    tn_linear_motion *motion;
    int *input, *channel; // of each input and output
    linear_names names[TN_LINEAR_ROWS + 1];
    linear_values matrix[TN_LINEAR_MATRICES];
};

tn_linear_options tn_default_linear(void)
{
    return (tn_linear_options){.find = tn_default_equilibrium(), .motion = 1.0};
}

// Names -------------------------------------------------------------------------------------------

static tn_status add_name(linear_names *to, const char *name, const char *unit, double value)
{
    linear_name *at = &to->at[to->count];
    *at = (linear_name){tn_strdup(name), tn_strdup(unit), value};
    to->count++;
    return tn_got(at->name && at->unit);
}

static tn_status open_names(linear_names *to, int most)
{
    to->at = tn_alloc(sizeof *to->at * (size_t)(most + 1));
    return tn_got(to->at);
}

static tn_status open_matrix(linear_values *to, int rows, int columns)
{
    to->rows = rows;
    to->columns = columns;
    to->at = tn_alloc(sizeof(double) * ((size_t)rows * (size_t)columns + 1));
    return tn_got(to->at);
}

// Calls `each` for the names of a list "a, b,c".
static tn_status each_name(tn_linear *l, const char *list,
                           tn_status (*each)(tn_linear *, const char *, void *), void *user)
{
    const char *at = list;
    while (*at) {
        while (isspace((unsigned char)*at) || *at == ',')
            at++;
        size_t n = strcspn(at, ",");
        const char *next = at + n;
        char name[300];
        while (n > 0 && isspace((unsigned char)at[n - 1]))
            n--;
        if (n == 0)
            break;
        if (n >= sizeof name)
            return tn_fail(TN_ERR_USAGE, "the name '%.40s…' is too long", at);
        memcpy(name, at, n);
        name[n] = '\0';
        TN_TRY(each(l, name, user));
        at = next;
    }
    return TN_OK;
}

static int count_names(const char *list)
{
    int n = 1;
    for (; list && *list; list++)
        n += *list == ',';
    return n;
}

// Inputs ------------------------------------------------------------------------------------------

static tn_status add_input(tn_linear *l, int i)
{
    const tn_model *model = l->at->model;
    linear_names *to = &l->names[TN_LINEAR_INPUTS];
    double u[3];
    for (int k = 0; k < to->count; k++)
        if (l->input[k] == i)
            return tn_fail(TN_ERR_USAGE, "input '%s' is listed twice", to->at[k].name);
    tn_model_eval_input(model, i, l->at->start.x.t, u);
    l->input[to->count] = i;
    return add_name(to, model->inputs.at[i]->name, "", u[0]);
}

static tn_status find_input(tn_linear *l, const char *name, void *user)
{
    const tn_model *model = l->at->model;
    (void)user;
    for (int i = 0; i < model->inputs.count; i++)
        if (strcmp(model->inputs.at[i]->name, name) == 0)
            return add_input(l, i);
    const char *known[64];
    int n = 0;
    for (; n < model->inputs.count && n < TN_COUNT(known); n++)
        known[n] = model->inputs.at[n]->name;
    if (n == 0)
        return tn_fail(TN_ERR_USAGE,
                       "inputs: the model has no input '%s', as it has none; state it under "
                       "`inputs` and let a force use it",
                       name);
    return tn_fail_unknown("input", name, n, known);
}

static tn_status choose_inputs(tn_linear *l)
{
    const int most = l->at->model->inputs.count + count_names(l->options.inputs);
    TN_TRY(open_names(&l->names[TN_LINEAR_INPUTS], most));
    l->input = tn_alloc(sizeof(int) * (size_t)(most + 1));
    TN_TRY(tn_got(l->input));
    if (l->options.inputs)
        return each_name(l, l->options.inputs, find_input, NULL);
    for (int i = 0; i < l->at->model->inputs.count; i++)
        TN_TRY(add_input(l, i));
    return TN_OK;
}

// A and B -----------------------------------------------------------------------------------------

static const char *state_unit(const tn_linear_motion *m, tn_linear_state s)
{
    static const char *const units[2][2] = {{"m", "rad"}, {"m/s", "rad/s"}};
    if (s.kind == TN_STATE_EXTRA)
        return "";
    return units[s.kind == TN_STATE_RATE][strcmp(m->coordinate[s.index].text, "rad") == 0];
}

static tn_status name_states(tn_linear *l)
{
    const tn_linear_motion *m = l->motion;
    char name[320];
    TN_TRY(open_names(&l->names[TN_LINEAR_STATES], m->n));
    for (int i = 0; i < m->n; i++) {
        const tn_linear_state s = m->state[i];
        if (s.kind == TN_STATE_EXTRA)
            snprintf(name, sizeof name, "%s", l->at->model->states.at[s.index].name);
        else
            snprintf(name, sizeof name, "%s%s%s", m->coordinate[s.index].name,
                     s.kind == TN_STATE_RATE ? ".rate" : "", s.jumps ? " without inputs" : "");
        TN_TRY(add_name(&l->names[TN_LINEAR_STATES], name, state_unit(m, s), NAN));
    }
    return TN_OK;
}

static tn_status put_dynamics(tn_linear *l)
{
    const tn_linear_motion *m = l->motion;
    const double time = l->at->sys->units.time;
    linear_values *A = &l->matrix[TN_LINEAR_A], *B = &l->matrix[TN_LINEAR_B];
    TN_TRY(open_matrix(A, m->n, m->n));
    TN_TRY(open_matrix(B, m->n, m->nu));
    for (int i = 0; i < m->n; i++) {
        const double unit = tn_linear_state_unit(m, i) / time;
        for (int j = 0; j < m->n; j++)
            tn_column_of(A->at, m->n, j)[i] =
                unit * tn_column_of(m->A, m->n, j)[i] / tn_linear_state_unit(m, j);
        for (int j = 0; j < m->nu; j++)
            tn_column_of(B->at, m->n, j)[i] = unit * tn_column_of(m->B, m->n, j)[i];
    }
    return TN_OK;
}

// C and D -----------------------------------------------------------------------------------------

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
    return add_name(to, name, info.unit ? info.unit : "", NAN);
}

static tn_status choose_outputs(tn_linear *l, tn_sim *sim)
{
    const tn_model *model = l->at->model;
    const int most = model->outputs.count * 3 + l->motion->n + count_names(l->options.outputs);
    TN_TRY(open_names(&l->names[TN_LINEAR_OUTPUTS], most));
    l->channel = tn_alloc(sizeof(int) * (size_t)(most + 1));
    TN_TRY(tn_got(l->channel));
    if (l->options.outputs)
        return each_name(l, l->options.outputs, add_output, sim);
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
    TN_TRY(open_matrix(C, states->count, states->count));
    TN_TRY(open_matrix(&l->matrix[TN_LINEAR_D], states->count, l->motion->nu));
    for (int i = 0; i < states->count; i++) {
        TN_TRY(add_name(to, states->at[i].name, states->at[i].unit, NAN));
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
    TN_TRY(open_matrix(C, ny, l->motion->n));
    TN_TRY(open_matrix(D, ny, l->motion->nu));
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

static tn_status put_outputs(tn_linear *l, const tn_model *model)
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

// Mass, damping and stiffness in other coordinates ------------------------------------------------

static tn_status name_velocities(tn_linear *l, const tn_system *sys)
{
    char name[200];
    TN_TRY(open_names(&l->names[TN_LINEAR_COORDINATES], sys->nv));
    TN_TRY(open_names(&l->names[TN_LINEAR_ROWS], sys->ng + sys->nn));
    for (int i = 0; i < sys->nv; i++) {
        sys->ops->velocity_name(sys, i, name, sizeof name);
        const bool length = sys->v_length && sys->v_length[i];
        TN_TRY(add_name(&l->names[TN_LINEAR_COORDINATES], name, length ? "m" : "rad", NAN));
    }
    for (int i = 0; i < sys->ng + sys->nn; i++) {
        sys->ops->row_name(sys, i, name, sizeof name);
        TN_TRY(add_name(&l->names[TN_LINEAR_ROWS], name, "", NAN));
    }
    return TN_OK;
}

// A block of forces by increments, rates or accelerations, in SI units.
static tn_status put_square(tn_linear *l, const tn_system *sys, tn_linear_matrix which,
                            tn_block block, double per)
{
    linear_values *to = &l->matrix[which];
    TN_TRY(open_matrix(to, sys->nv, sys->nv));
    tn_sparse_to_dense(sys->block[block], to->at);
    for (int j = 0; j < sys->nv; j++)
        for (int i = 0; i < sys->nv; i++)
            tn_column_of(to->at, sys->nv, j)[i] *= tn_system_unit(sys, TN_MEASURE_FORCE, i) * per /
                                                   tn_system_unit(sys, TN_MEASURE_VELOCITY, j);
    return TN_OK;
}

static tn_status put_rows(tn_linear *l, const tn_system *sys)
{
    linear_values *to = &l->matrix[TN_LINEAR_CONSTRAINTS];
    const int rows = sys->ng + sys->nn;
    TN_TRY(open_matrix(to, rows, sys->nv));
    for (int part = 0; part < 2; part++) {
        const tn_sparse *A = sys->block[part ? TN_BLOCK_N : TN_BLOCK_B];
        for (int j = 0; A && j < sys->nv; j++)
            for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
                const int i = A->rowind[k] + (part ? sys->ng : 0);
                tn_column_of(to->at, rows, j)[i] = A->val[k] * tn_system_row_unit(sys, i) /
                                                   tn_system_unit(sys, TN_MEASURE_VELOCITY, j);
            }
    }
    return TN_OK;
}

static tn_status fill_mechanics(tn_linear *l, tn_system *sys, const tn_point *at)
{
    const double time = sys->units.time;
    TN_TRY(name_velocities(l, sys));
    TN_TRY(tn_system_eval(sys, at,
                          TN_EVAL_TANGENT | TN_EVAL_B | TN_EVAL_MASS | TN_EVAL_FORCE |
                              (sys->ne > 0 ? TN_EVAL_EXTRA : 0)));
    TN_TRY(put_square(l, sys, TN_LINEAR_MASS, TN_BLOCK_M, time));
    TN_TRY(put_square(l, sys, TN_LINEAR_DAMPING, TN_BLOCK_D, 1.0));
    TN_TRY(put_square(l, sys, TN_LINEAR_STIFFNESS, TN_BLOCK_K, 1.0 / time));
    return put_rows(l, sys);
}

// The point in coordinates of joints. Accelerations are differences of velocities along the steady
// motion.
typedef struct jointed {
    tn_equilibrium *s;
    tn_system *sys;
    tn_state x;
    double *q, *v, *other, *later; // of the world, nq and nv; in these coordinates, nq and nv
    void *block;
} jointed;

static void layout_jointed(void *self, tn_carve *mem)
{
    jointed *j = self;
    tn_state_layout(j->sys, &j->x, mem);
    j->q = tn_carve_doubles(mem, j->s->sys->nq);
    j->v = tn_carve_doubles(mem, j->s->sys->nv);
    j->other = tn_carve_doubles(mem, j->sys->nq);
    j->later = tn_carve_doubles(mem, j->sys->nv);
}

// q and v of the world after a time, in these coordinates.
static tn_status seen_at(jointed *j, double t, double *q, double *v)
{
    tn_eq_moved_on(j->s, t, j->q, j->v);
    const tn_point at = {.t = j->s->start.x.t + t, .q = j->q, .v = j->v, .r = j->s->now.r};
    return j->sys->ops->world->from(j->sys, &at, q, v);
}

static tn_status fill_jointed(jointed *j)
{
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};
    const tn_system *sys = j->sys;
    const eq_state *now = &j->s->now;
    const double h = 1e-3 * tn_eq_time_of(j->s, 1.0);
    TN_TRY(seen_at(j, 0.0, j->x.q, j->x.v));
    for (int k = 0; h > 0.0 && k < 4; k++) {
        TN_TRY(seen_at(j, at[k] * h, j->other, j->later));
        tn_axpy(sys->nv, weight[k] / (12.0 * h), j->later, j->x.a);
    }
    j->x.t = j->s->start.x.t;
    tn_copy(sys->nr, now->r, j->x.r);
    tn_copy(sys->ne, now->e, j->x.e);
    tn_copy(sys->nn, now->eta, j->x.eta);
    for (int i = 0; i < sys->ng; i++) {
        const int row = sys->ops->world->row(sys, i);
        j->x.lambda[i] = row >= 0 ? now->lambda[row] : 0.0;
    }
    return TN_OK;
}

static tn_status put_mechanics(tn_linear *l)
{
    tn_equilibrium *s = l->at;
    const tn_coordinates *to = tn_find_coordinates(l->options.coordinates);
    jointed j = {.s = s};
    if (!to || (to->create && strcmp(to->name, "joint") != 0))
        return tn_fail_unknown("coordinates", l->options.coordinates, 2,
                               (const char *[]){"absolute", "joint"});
    const tn_point at = tn_eq_point(s, &s->now);
    if (!to->create)
        return fill_mechanics(l, s->sys, &at);
    TN_TRY(to->create(s->sys, &j.sys));
    tn_status status = tn_carve_block(&j, layout_jointed, &j.block);
    TN_THEN(status, fill_jointed(&j));
    const tn_point there = tn_state_point(&j.x);
    TN_THEN(status, fill_mechanics(l, j.sys, &there));
    tn_system_destroy(j.sys);
    tn_free(j.block);
    return status;
}

// All ---------------------------------------------------------------------------------------------

static tn_status find_point(tn_linear *l, const tn_model *model)
{
    const tn_linear_options *o = &l->options;
    const tn_eq_purpose purpose = {
        .as_stated = o->about != TN_ABOUT_EQUILIBRIUM,
        .faster = o->motion,
        .state = o->about == TN_ABOUT_STATE ? o->state : NULL,
        .hold_sampled = true,
    };
    if (!isfinite(o->motion))
        return tn_fail(TN_ERR_USAGE, "motion: the factor of velocities must be finite");
    if (o->about == TN_ABOUT_STATE && !o->state)
        return tn_fail(TN_ERR_USAGE, "about: there is no state; read one by tn_result_state");
    if (o->find.arc || o->find.steps > 0)
        return tn_fail(TN_ERR_USAGE, "linearisation is about one point: leave out steps and arc");
    TN_TRY(tn_eq_create(model, &l->options.find, &purpose, &l->at));
    if (!purpose.as_stated) {
        TN_TRY(tn_equilibrium_find(l->at));
        return tn_eq_check_rotation(l->at, true);
    }
    return tn_place_error(model, tn_leave(tn_eq_take_motion(l->at), "no linear motion was found"));
}

static tn_status build_linear(tn_linear *l, const tn_model *model)
{
    TN_TRY(find_point(l, model));
    TN_TRY(tn_eq_tell_kinks(l->at));
    TN_TRY(choose_inputs(l));
    TN_TRY(tn_linear_motion_create(l->at, l->names[TN_LINEAR_INPUTS].count, l->input, &l->motion));
    TN_TRY(name_states(l));
    TN_TRY(put_dynamics(l));
    TN_TRY(put_outputs(l, model));
    return l->options.coordinates ? put_mechanics(l) : TN_OK;
}

tn_status tn_linear_create(const tn_model *model, const tn_linear_options *options, tn_linear **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, options, out);
    *out = NULL;
    TN_TRY(tn_model_status(model));
    tn_clear_error();
    tn_linear *l = tn_alloc(sizeof *l);
    TN_TRY(tn_got(l));
    l->options = *options;
    const tn_status status =
        tn_place_error(model, tn_leave(build_linear(l, model), "it cannot be linearised"));
    TN_HAND_OUT(status, l, tn_linear_destroy, out);
}

void tn_linear_destroy(tn_linear *l)
{
    if (!l)
        return;
    for (int k = 0; k <= TN_LINEAR_ROWS; k++) {
        for (int i = 0; i < l->names[k].count; i++)
            TN_FREE(l->names[k].at[i].name, l->names[k].at[i].unit);
        tn_free(l->names[k].at);
    }
    for (int k = 0; k < TN_LINEAR_MATRICES; k++)
        tn_free(l->matrix[k].at);
    TN_FREE(l->input, l->channel);
    tn_linear_motion_destroy(l->motion);
    tn_equilibrium_destroy(l->at);
    tn_free(l);
}

// Read-out ----------------------------------------------------------------------------------------

int tn_linear_count(const tn_linear *l, tn_linear_list list)
{
    TN_NEED(l, 0);
    TN_NEED_INDEX((int)list, TN_LINEAR_ROWS + 1, 0);
    return l->names[list].count;
}

#define LINEAR_GETTER(type, function, neutral, field)             \
    type function(const tn_linear *l, tn_linear_list list, int i) \
    {                                                             \
        TN_NEED(l, neutral);                                      \
        TN_NEED_INDEX((int)list, TN_LINEAR_ROWS + 1, neutral);    \
        TN_NEED_INDEX(i, l->names[list].count, neutral);          \
        return l->names[list].at[i].field;                        \
    }

LINEAR_GETTER(const char *, tn_linear_name, "", name)
LINEAR_GETTER(const char *, tn_linear_unit, "", unit)
LINEAR_GETTER(double, tn_linear_nominal, NAN, value)

tn_vec3 tn_linear_turning(const tn_linear *l)
{
    TN_NEED(l, ((tn_vec3){0}));
    return tn_v3_scale(1.0 / l->at->sys->units.time, l->at->spin);
}

TN_GETTER(double, tn_linear_time, (const tn_linear *l), l, NAN, l->at->facts.t);

const char *tn_linear_matrix_name(tn_linear_matrix matrix)
{
    static const char *const names[] = {"A",    "B",       "C",         "D",
                                        "mass", "damping", "stiffness", "constraints"};
    return (int)matrix >= 0 && (int)matrix < TN_COUNT(names) ? names[matrix] : "";
}

const double *tn_linear_values(const tn_linear *l, tn_linear_matrix matrix, int *rows, int *columns)
{
    TN_NEED_ALL(NULL, l, rows, columns);
    TN_NEED_INDEX((int)matrix, TN_LINEAR_MATRICES, NULL);
    *rows = l->matrix[matrix].rows;
    *columns = l->matrix[matrix].columns;
    return l->matrix[matrix].at;
}

static void sort_by_modulus(int n, double *re, double *im)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && hypot(re[k - 1], im[k - 1]) > hypot(re[k], im[k]); k--) {
            const double r = re[k], m = im[k];
            re[k] = re[k - 1];
            im[k] = im[k - 1];
            re[k - 1] = r;
            im[k - 1] = m;
        }
}

tn_status tn_linear_eigenvalues(const tn_linear *l, double *re, double *im)
{
    TN_NEED_ALL(TN_ERR_USAGE, l, re, im);
    const linear_values *A = &l->matrix[TN_LINEAR_A];
    const int n = A->rows;
    int left = n;
    double *copy = tn_alloc(sizeof(double) * ((size_t)n * (size_t)n + 1));
    TN_TRY(tn_got(copy));
    tn_zero(n, re);
    tn_zero(n, im);
    bool sure;
    tn_status status = tn_linear_rest(l->motion, copy, &left, &sure);
    TN_THEN(status, tn_eigen_general(left, copy, re, im, NULL));
    tn_free(copy);
    tn_scale(n, 1.0 / l->at->sys->units.time, re);
    tn_scale(n, 1.0 / l->at->sys->units.time, im);
    if (status == TN_OK)
        sort_by_modulus(n, re, im);
    return status;
}
