// SPDX-License-Identifier: MIT
//
// C and D of a linear model. How positions, velocities, accelerations, multipliers and states vary
// with each state and input is known from the linearised equations (analysis/linear_motion.h). What
// the exact derivatives of expressions show what these make of that; what is read of the mechanism,
// differences of fourth order along the variation, in which forces take no part but where they are
// read themselves. See docs/theory/linearisation.md.

#include "base/alloc.h"
#include "base/array.h"
#include "base/carve.h"
#include "base/random.h"
#include "linalg/dense.h"
#include "model/output.h"
#include "sim/sim.h"
#include "study/linear_model.h"
#include "system/absolute.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double CONSTANT = 1e-6;  // change of an output along a steady motion, relative
static const double LATER[] = {0.61}; // [rad, sizes of the model]
// Differences with two steps may part by this part of the largest entry of their row: what is right
// parts by round-off, 1e-9 and less.
static const double PARTS = 1e-5;
// Bound of what counts as zero, by the largest force of the variation.
static const double ROUND_OFF = 1e-9;

// A number whose differences are taken, as part of an output.
typedef struct term {
    int output;
    double weight;             // derivative of the output by it
    int input;                 // of the model: it is this, -1 for a quantity
    const tn_channel *channel; // of numbers without names, and their column; NULL for others
    int column;
    tn_named_quantity quantity;
} term;

enum { AROUND = 4 };
static const double PLACES[AROUND] = {-2.0, -1.0, 1.0, 2.0};
static const double WEIGHTS[AROUND] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};

// A simulation that is put to states near the point.
typedef struct probe {
    tn_linear *l;
    tn_sim *sim;
    double time; // since the point
    tn_linear_variation vary;
    double *state, *u;            // variations
    tn_state at, moved[AROUND];   // the point, and along the variation
    double *narrow, *last, *best; // differences of the outputs, and of several the best ones
    double *apart;                // what the best ones part by
    double *unsure;               // the most of these of each output
    TN_ARRAY(term) terms;
    void *block;
} probe;

static void layout_probe(void *self, tn_carve *mem)
{
    probe *p = self;
    const tn_system *sys = p->l->at->sys;
    const tn_linear_motion *m = p->l->motion;
    const int ny = p->l->names[TN_LINEAR_OUTPUTS].count;
    TN_CARVE_DOUBLES(mem, sys->nv, &p->vary.x, &p->vary.v, &p->vary.a);
    p->vary.lambda = tn_carve_doubles(mem, sys->ng);
    p->vary.eta = tn_carve_doubles(mem, sys->nn);
    p->vary.e = tn_carve_doubles(mem, sys->ne);
    p->state = tn_carve_doubles(mem, m->n);
    p->u = tn_carve_doubles(mem, m->nu);
    tn_state_layout(sys, &p->at, mem);
    for (int k = 0; k < AROUND; k++)
        tn_state_layout(sys, &p->moved[k], mem);
    TN_CARVE_DOUBLES(mem, ny, &p->narrow, &p->last, &p->best, &p->apart, &p->unsure);
}

static void put_input_value(probe *p, int input, double value)
{
    const double number[TN_INPUT_NUMBERS] = {value, 0.0, 0.0, p->sim->start.x.t};
    tn_model_put_numbers(p->sim->model, input, number);
}

// The point where s stands: the one of the linear model, or one later.
static void take_point(probe *p)
{
    tn_equilibrium *s = p->l->at;
    const tn_system *sys = s->sys;
    const tn_point at = tn_eq_point(s, &s->now);
    tn_state *x = &p->at;
    x->t = at.t;
    tn_copy(sys->nq, at.q, x->q);
    tn_copy(sys->nv, at.v, x->v);
    tn_copy(sys->nv, at.a, x->a);
    tn_copy(sys->ng, at.lambda, x->lambda);
    tn_copy(sys->nn, at.eta, x->eta);
    tn_copy(sys->ne, at.e, x->e);
    tn_copy(sys->nr, at.r, x->r);
}

// The point moved by s times the variation.
static void move_along(const probe *p, double s, tn_state *to)
{
    const tn_system *sys = p->l->at->sys;
    const tn_linear_variation *by = &p->vary;
    tn_state_copy(sys, &p->at, to);
    for (int i = 0; i < sys->nv; i++)
        to->a[i] = s * by->x[i];
    tn_group_retract(sys->ngroup, sys->groups, p->at.q, to->a, to->q);
    tn_copy(sys->nv, p->at.a, to->a);
    tn_axpy(sys->nv, s, by->a, to->a);
    tn_axpy(sys->nv, s, by->v, to->v);
    tn_axpy(sys->ng, s, by->lambda, to->lambda);
    tn_axpy(sys->nn, s, by->eta, to->eta);
    tn_axpy(sys->ne, s, by->e, to->e);
}

// The simulation stands at x, with inputs s times their variation further.
static void stand_at(probe *p, const tn_state *x, double s)
{
    tn_linear *l = p->l;
    const linear_names *in = &l->names[TN_LINEAR_INPUTS];
    tn_state_copy(p->sim->start.sys, x, &p->sim->start.x);
    for (int k = 0; k < in->count; k++)
        put_input_value(p, l->input[k], in->at[k].value + s * p->u[k]);
    tn_sim_forget_recovered(p->sim);
    tn_sim_open_ledger(p->sim); // energies are those of this state
}

// Terms of outputs --------------------------------------------------------------------------------

static tn_status add_term(probe *p, term what)
{
    return tn_array_push(&p->terms, what);
}

static const tn_output_data *formula_output(const probe *p, const tn_named_quantity *q)
{
    const tn_output_data *o =
        q->what == TN_Q_OUTPUT ? tn_sim_model(p->sim)->outputs.at[q->element] : NULL;
    return o && o->formula ? o : NULL;
}

static tn_status add_quantity(probe *p, int output, double weight, const tn_named_quantity *q);

// Expressions become what they are made of, by their gradients at the point.
static tn_status add_formula(probe *p, int output, double weight, const tn_output_data *o)
{
    double x[TN_OUTPUT_VARIABLES], d[TN_OUTPUT_VARIABLES];
    const int *list;
    for (int i = 0; i < o->nvariable; i++)
        x[i] = o->variable[i].input >= 0 ? tn_sim_input(p->sim, (tn_input){o->variable[i].input})
                                         : tn_quantity_read(p->sim, &o->variable[i].quantity);
    tn_formula_gradient(o->formula, tn_sim_time(p->sim), x, NULL, d);
    const int n = tn_formula_variables(o->formula, &list);
    for (int k = 0; k < n; k++) {
        const tn_output_variable *v = &o->variable[list[k]];
        if (d[k] == 0.0)
            continue;
        TN_TRY(
            v->input >= 0
                ? add_term(p, (term){.output = output, .weight = weight * d[k], .input = v->input})
                : add_quantity(p, output, weight * d[k], &v->quantity));
    }
    return TN_OK;
}

static tn_status add_quantity(probe *p, int output, double weight, const tn_named_quantity *q)
{
    const tn_output_data *o = formula_output(p, q);
    return o ? add_formula(p, output, weight, o)
             : add_term(p, (term){.output = output, .weight = weight, .input = -1, .quantity = *q});
}

static tn_status list_terms(probe *p)
{
    const tn_linear *l = p->l;
    const tn_channels *c = tn_sim_channels(p->sim);
    p->terms.count = 0;
    stand_at(p, &p->at, 0.0);
    for (int k = 0; k < l->names[TN_LINEAR_OUTPUTS].count; k++) {
        int i = 0;
        while (l->channel[k] >= c->channel[i].first + c->channel[i].size)
            i++;
        const int column = l->channel[k] - c->channel[i].first;
        if (c->channel[i].kind->owner == TN_OWNER_STATE) {
            TN_TRY(add_term(p, (term){.output = k,
                                      .weight = 1.0,
                                      .input = -1,
                                      .channel = &c->channel[i],
                                      .column = column}));
            continue;
        }
        const tn_named_quantity q = tn_channel_quantity(c, &c->channel[i], column);
        TN_TRY(add_quantity(p, k, 1.0, &q));
    }
    return TN_OK;
}

// Derivatives -------------------------------------------------------------------------------------

// Finds slopes known without differences: of inputs, signals, states and unknowns; held values do
// not vary.
static bool known_slope(const probe *p, const term *at, const double *signals, double *out)
{
    *out = 0.0;
    for (int j = 0; at->input >= 0 && j < p->l->motion->nu; j++)
        *out += p->l->input[j] == at->input ? p->u[j] : 0.0;
    if (at->input >= 0)
        return true;
    if (at->channel)
        return false;
    const int nc = tn_sim_model(p->sim)->states.count;
    if (at->quantity.what == TN_Q_SIGNAL)
        *out = signals[at->quantity.element];
    else if (at->quantity.what == TN_Q_STATE)
        *out = p->vary.e[at->quantity.element];
    else if (at->quantity.what == TN_Q_UNKNOWN)
        *out = p->vary.e[nc + at->quantity.element];
    else
        return at->quantity.what == TN_Q_SAMPLED;
    return true;
}

static double read_term(probe *p, const term *at)
{
    return at->channel ? tn_channel_read(p->sim, at->channel, at->column)
                       : tn_quantity_read(p->sim, &at->quantity);
}

// Exact derivatives of signals, those of numbers without any by the points that are moved.
static const double *vary_signals(probe *p, double h)
{
    tn_system *sys = p->sim->start.sys;
    tn_point moved[AROUND];
    double weight[AROUND];
    int first_signal, first_next, input = -1;
    for (int k = 0; k < AROUND; k++) {
        moved[k] = tn_state_point(&p->moved[k]);
        weight[k] = WEIGHTS[k] / h;
    }
    for (int j = 0; j < p->l->motion->nu; j++)
        input = p->u[j] != 0.0 ? p->l->input[j] : input;
    stand_at(p, &p->at, 0.0);
    const tn_point at = tn_state_point(&p->sim->start.x);
    const tn_variation by = {.x = p->vary.x,
                             .v = p->vary.v,
                             .lambda = p->vary.lambda,
                             .e = p->vary.e,
                             .input = input,
                             .count = AROUND,
                             .moved = moved,
                             .weight = weight};
    tn_absolute_vary_signals(sys, &at, &by);
    const double *all = tn_absolute_varied(sys, &first_signal, &first_next);
    return all ? all + first_signal : NULL;
}

// Derivatives of all outputs along the variation into `to` (ny), with differences of width h.
static void differentiate(probe *p, double h, double *to)
{
    tn_zero(p->l->names[TN_LINEAR_OUTPUTS].count, to);
    for (int k = 0; k < AROUND; k++)
        move_along(p, PLACES[k] * h, &p->moved[k]);
    const double *signals = vary_signals(p, h);
    for (int k = -1; k < AROUND; k++) {
        if (k >= 0)
            stand_at(p, &p->moved[k], PLACES[k] * h);
        for (int i = 0; i < p->terms.count; i++) {
            const term *at = &p->terms.at[i];
            double slope;
            const bool known = known_slope(p, at, signals, &slope);
            if (known ? k < 0 : k >= 0)
                to[at->output] += at->weight * (known ? slope : WEIGHTS[k] / h * read_term(p, at));
        }
    }
}

// Size of the variation: motions by sizes of the model and radians, states and inputs by their
// values where these are larger than 1.
static double size_of(const probe *p)
{
    const tn_linear *l = p->l;
    const int nv = p->sim->start.sys->nv;
    double size = fmax(tn_norm_inf(nv, p->vary.x), tn_norm_inf(nv, p->vary.v));
    for (int i = 0; i < l->at->sys->ne; i++)
        size = fmax(size, fabs(p->vary.e[i]) / fmax(1.0, fabs(l->at->now.e[i])));
    for (int k = 0; k < l->motion->nu; k++)
        size = fmax(size, fabs(p->u[k]) / fmax(1.0, fabs(l->names[TN_LINEAR_INPUTS].at[k].value)));
    return size;
}

// Differences with widths from 2e-3 to 2e-11 sizes: of an output those two count that part least,
// which are narrower the steeper the law is that is read, and wide where there is none. Narrow ones
// are multiples of round-off that may be equal by chance, so that it is added.
static void settle_outputs(probe *p, double *to)
{
    enum { WIDTHS = 9 };
    static const double FIRST = 2e-3, AGREE = 1e-10;
    const int ny = p->l->names[TN_LINEAR_OUTPUTS].count;
    const double size = size_of(p);
    double h = FIRST / (size > 0.0 ? size : 1.0);
    bool open = true;
    differentiate(p, h, p->last);
    for (int i = 0; i < ny; i++)
        p->apart[i] = INFINITY;
    for (int k = 1; k < WIDTHS && open; k++) {
        h *= 0.1;
        differentiate(p, h, p->narrow);
        open = false;
        for (int i = 0; i < ny; i++) {
            const double noise = DBL_EPSILON * fabs(p->l->names[TN_LINEAR_OUTPUTS].at[i].value) / h;
            const double apart = fabs(p->narrow[i] - p->last[i]) + (noise > 0.0 ? noise : 0.0);
            if (apart < p->apart[i]) {
                p->apart[i] = apart;
                to[i] = p->last[i];
            }
            p->last[i] = p->narrow[i];
            open = open || !(p->apart[i] <= AGREE * fabs(to[i]));
        }
    }
    for (int i = 0; i < ny; i++) {
        to[i] = isfinite(p->apart[i]) ? to[i] : NAN;
        if (!(p->apart[i] <= ROUND_OFF * p->vary.force))
            p->unsure[i] = fmax(p->unsure[i], p->apart[i]);
    }
}

// Puts the column of a state (in SI units) or of an input; the other one is -1.
static tn_status put_column(probe *p, int state, int input, double *to)
{
    const tn_linear_motion *m = p->l->motion;
    tn_zero(m->n, p->state);
    tn_zero(m->nu, p->u);
    if (state >= 0)
        p->state[state] = 1.0 / tn_linear_state_unit(m, state);
    if (input >= 0)
        p->u[input] = 1.0;
    TN_TRY(tn_linear_vary(p->l->motion, p->state, p->u, p->time, &p->vary));
    settle_outputs(p, to);
    return TN_OK;
}

static tn_status put_readout(probe *p, double *C, double *D)
{
    const tn_linear_motion *m = p->l->motion;
    const int ny = p->l->names[TN_LINEAR_OUTPUTS].count;
    take_point(p);
    tn_zero(m->nu, p->u);
    TN_TRY(list_terms(p));
    for (int j = 0; j < m->n && ny > 0; j++)
        TN_TRY(put_column(p, j, -1, tn_column_of(C, ny, j)));
    for (int j = 0; j < m->nu && ny > 0; j++)
        TN_TRY(put_column(p, -1, j, tn_column_of(D, ny, j)));
    return TN_OK;
}

// The largest entry of an output, or its value.
static double row_size(const tn_linear *l, int i)
{
    double most = fabs(l->names[TN_LINEAR_OUTPUTS].at[i].value);
    for (int part = TN_LINEAR_C; part <= TN_LINEAR_D; part++) {
        const linear_values *X = &l->matrix[part];
        for (int j = 0; j < X->columns; j++)
            most = fmax(most, fabs(tn_column_of(X->at, X->rows, j)[i]));
    }
    return most;
}

// Discontinuities of outputs ------------------------------------------------------------------

// One-sided slopes of all outputs along the variation.
static void slopes_of_sides(probe *p, double h, double *above, double *below)
{
    const linear_names *out = &p->l->names[TN_LINEAR_OUTPUTS];
    for (int side = 0; side < 2; side++) {
        double *to = side ? below : above;
        move_along(p, side ? -h : h, &p->moved[side]);
        stand_at(p, &p->moved[side], side ? -h : h);
        for (int k = 0; k < out->count; k++)
            to[k] = (tn_sim_channel(p->sim, p->l->channel[k]) - out->at[k].value) / (side ? -h : h);
    }
}

// The slope along the variation that C and D tell.
static double told_slope(const probe *p, int output)
{
    const linear_values *C = &p->l->matrix[TN_LINEAR_C], *D = &p->l->matrix[TN_LINEAR_D];
    double slope = 0.0;
    for (int j = 0; j < C->columns; j++)
        slope += tn_column_of(C->at, C->rows, j)[output] * p->state[j] *
                 tn_linear_state_unit(p->l->motion, j);
    for (int j = 0; j < D->columns; j++)
        slope += tn_column_of(D->at, D->rows, j)[output] * p->u[j];
    return slope;
}

static void doubt_output(tn_linear *l, int output, double value, double bound, const char *why)
{
    const char *name = l->names[TN_LINEAR_OUTPUTS].at[output].name;
    tn_judged what = {.quantity = "kink", .value = value, .bound = bound, .t = tn_linear_time(l)};
    snprintf(what.where, sizeof what.where, "output '%.80s'", name);
    tn_verdict_add(&l->at->verdict, &what, "output '%s' %s", name, why);
}

// The slopes of an output to both sides by a wide and a narrow step, and the one that is told. It
// has a discontinuity where sides part as much by a narrow step as by a wide one, and no derivative
// where their mean goes away from what is told the narrower they are, as that of sqrt at zero.
static void judge_slopes(probe *p, int output, const double wide[2], const double narrow[2])
{
    static const double SHRINKS = 0.5, GROWS = 1.05, KINK = 1e-5, STEEP = 1e-3;
    const double told = told_slope(p, output), round_off = ROUND_OFF * p->vary.force;
    const double scale =
        fmax(fmax(fabs(narrow[0]), fabs(narrow[1])), 1e-6 * row_size(p->l, output));
    const double bends = fabs(narrow[0] - narrow[1]);
    const double steep = fabs(0.5 * (narrow[0] + narrow[1]) - told);
    char why[300];
    if (!isfinite(told)) {
        doubt_output(p->l, output, INFINITY, KINK,
                     "has no derivative here, as sqrt(x) has none at zero: what C and D tell of it "
                     "is no number; move off this point, or bound the slope");
    } else if (bends > SHRINKS * fabs(wide[0] - wide[1]) && bends > fmax(KINK * scale, round_off)) {
        snprintf(why, sizeof why,
                 "has a kink right here: its slope along a motion is %.4g on one side and %.4g on "
                 "the other, and C and D are those of one of them; move off it, or round it",
                 narrow[0], narrow[1]);
        doubt_output(p->l, output, bends / scale, KINK, why);
    } else if (steep > GROWS * fabs(0.5 * (wide[0] + wide[1]) - told) &&
               steep > fmax(STEEP * scale, round_off)) {
        snprintf(why, sizeof why,
                 "has no derivative here: its slope along a motion is %.4g beside this point, and "
                 "C and D tell %.4g; move off it, or bound the slope",
                 0.5 * (narrow[0] + narrow[1]), told);
        doubt_output(p->l, output, steep / scale, STEEP, why);
    }
}

// Along a variation in no special direction.
static tn_status judge_kinks(probe *p)
{
    static const double STEPS[] = {1e-4, 1e-5};
    tn_linear *l = p->l;
    const tn_linear_motion *m = l->motion;
    const int ny = l->names[TN_LINEAR_OUTPUTS].count;
    double *slopes = tn_alloc(sizeof(double) * 4 * (size_t)(ny + 1));
    uint32_t seed = 5u;
    TN_TRY(tn_got(slopes));
    for (int i = 0; i < m->n; i++)
        p->state[i] = tn_random_next(&seed) / tn_linear_state_unit(m, i);
    for (int j = 0; j < m->nu; j++)
        p->u[j] = tn_random_next(&seed);
    const tn_status status = tn_linear_vary(l->motion, p->state, p->u, p->time, &p->vary);
    const double size = size_of(p);
    for (int k = 0; k < 2 && status == TN_OK && size > 0.0; k++)
        slopes_of_sides(p, STEPS[k] / size, slopes + 2 * k * ny, slopes + (2 * k + 1) * ny);
    for (int i = 0; i < ny && status == TN_OK && size > 0.0; i++)
        judge_slopes(p, i, (double[]){slopes[i], slopes[ny + i]},
                     (double[]){slopes[2 * ny + i], slopes[3 * ny + i]});
    tn_free(slopes);
    return status;
}

// Entries that are round-off of the differences.
static void drop_round_off(const tn_linear *l)
{
    for (int part = TN_LINEAR_C; part <= TN_LINEAR_D; part++) {
        const linear_values *X = &l->matrix[part];
        for (int i = 0; i < X->rows; i++)
            for (int j = 0; j < X->columns; j++) {
                double *at = &tn_column_of(X->at, X->rows, j)[i];
                *at = fabs(*at) < 1e-11 * row_size(l, i) ? 0.0 : *at;
            }
    }
}

// Returns true if laws of forces are read: all else is smooth, but for expressions, which are
// exact.
static bool reads_forces(const probe *p, int output)
{
    for (int i = 0; i < p->terms.count; i++) {
        const term *at = &p->terms.at[i];
        const tn_owner owner = tn_quantity_kinds[at->quantity.what].owner;
        if (at->output == output && at->input < 0 && !at->channel &&
            ((owner >= TN_OWNER_FORCE && owner <= TN_OWNER_SIGNAL) || owner == TN_OWNER_RUN))
            return true;
    }
    return false;
}

// Differences that part with the width are no derivatives.
static void judge_differences(probe *p)
{
    tn_linear *l = p->l;
    for (int i = 0; i < l->names[TN_LINEAR_OUTPUTS].count; i++) {
        if (!reads_forces(p, i))
            continue;
        const double size = row_size(l, i);
        tn_judged what = {.quantity = "difference",
                          .value = size > 0.0 ? p->unsure[i] / size : 0.0,
                          .bound = PARTS,
                          .t = tn_linear_time(l)};
        const char *name = l->names[TN_LINEAR_OUTPUTS].at[i].name;
        snprintf(what.where, sizeof what.where, "output '%.80s'", name);
        if (what.value > PARTS || isnan(what.value))
            tn_verdict_add(&l->at->verdict, &what,
                           "output '%s' is differentiated by differences, which part by %.2g of "
                           "the largest entry of its row however narrow they are, bound %.2g; it "
                           "has no derivative here, or is noise: read what it is made of",
                           name, what.value, PARTS);
    }
}

// Along a steady motion outputs must stay as they are, but for what goes on steadily.
static tn_status check_there(tn_equilibrium *s, double t, void *user)
{
    probe *p = user;
    tn_linear *l = p->l;
    const int ny = l->names[TN_LINEAR_OUTPUTS].count, n = l->motion->n, nu = l->motion->nu;
    const linear_values *C = &l->matrix[TN_LINEAR_C], *D = &l->matrix[TN_LINEAR_D];
    double *later = tn_alloc(sizeof(double) * ((size_t)ny * (size_t)(n + nu) + 1));
    (void)s;
    TN_TRY(tn_got(later));
    p->time = t;
    tn_linear_forget_loads(l->motion);
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
    take_point(p);
    take_sides(p);
    stand_at(p, &p->at, 0.0);
    for (int k = 0; k < ny; k++)
        l->names[TN_LINEAR_OUTPUTS].at[k].value = tn_sim_channel(p->sim, l->channel[k]);
    TN_TRY(put_readout(p, C->at, D->at));
    judge_differences(p);
    TN_TRY(judge_kinks(p));
    drop_round_off(l);
    for (int k = 0; tn_eq_moves(s) && k < TN_COUNT(LATER); k++)
        TN_TRY(tn_eq_do_later(s, tn_eq_time_of(s, LATER[k]), check_there, p));
    return TN_OK;
}

// The linearised equations hold for what the states fix, whatever was eliminated on the way.
tn_status tn_linear_judge_elimination(tn_linear *l)
{
    static const double LEFT = 1e-7; // models leave 1e-12 and less
    const tn_linear_motion *m = l->motion;
    probe p = {.l = l};
    uint32_t seed = 3u;
    TN_TRY(tn_carve_block(&p, layout_probe, &p.block));
    for (int i = 0; i < m->n; i++)
        p.state[i] = tn_random_next(&seed) / tn_linear_state_unit(m, i);
    const tn_status status = tn_linear_vary(l->motion, p.state, p.u, 0.0, &p.vary);
    const double left = p.vary.misfit;
    tn_free(p.block);
    tn_judged what = {
        .quantity = "elimination", .value = left, .bound = LEFT, .t = tn_linear_time(l)};
    if (status == TN_OK)
        tn_verdict_add(&l->at->verdict, &what,
                       "motions by this linear model leave %.2g of the largest term in the "
                       "linearised equations, bound %.2g: constraints, or motions with next to no "
                       "inertia, cannot be told apart from round-off; leave out rows that repeat "
                       "others, or give small parts no mass at all (massless: true)",
                       left, LEFT);
    return status;
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
    sim->recovered.recovers = false; // accelerations and multipliers are those of the linear motion
    tn_status status = choose_outputs(l, sim);
    if (status == TN_OK && !l->options.outputs && l->names[TN_LINEAR_OUTPUTS].count == 0) {
        status = show_states(l);
    } else {
        p.sim = sim;
        TN_THEN(status, tn_carve_block(&p, layout_probe, &p.block));
        TN_THEN(status, fill_readout(&p));
    }
    tn_array_free(&p.terms);
    tn_free(p.block);
    tn_sim_destroy(sim);
    return status;
}
