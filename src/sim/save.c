// SPDX-License-Identifier: MIT
//
// Saving and loading of simulations: the list of all their values (base/values.h).

#include "flex/modal.h"
#include "linalg/dense.h"
#include "model/model.h"
#include "signal/formula.h"
#include "signal/grid.h"
#include "sim/channels.h"
#include "sim/monitor.h"
#include "sim/sim.h"
#include "system/absolute.h"
#include "text/options.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// The subject of a saved state -------------------------------------------------------------------

// FNV-1a.
static void mix_bytes(uint64_t *mark, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *mark = (*mark ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}

// Numbers that come out of calculations, which differ by round-off from machine to machine.
static void mix_found(uint64_t *mark, int n, const double *x)
{
    enum { DIGITS = 24 };
    static const double NOTHING = 1e-12; // beside the largest
    const double most = tn_norm_inf(n, x);
    for (int i = 0; i < n; i++) {
        int exponent = 0;
        const double digits = round(ldexp(frexp(x[i], &exponent), DIGITS));
        const double rounded = fabs(x[i]) <= NOTHING * most ? 0.0 : ldexp(digits, exponent);
        mix_bytes(mark, &rounded, sizeof rounded);
    }
}

static void mix_text(uint64_t *mark, const char *text)
{
    mix_bytes(mark, text, strlen(text) + 1);
}

static void mix_number(uint64_t *mark, double x)
{
    mix_bytes(mark, &x, sizeof x);
}

// The numbers that an element states; those of its functions count by values at some times.
static void mix_element(uint64_t *mark, const char *name, int n, const tn_param *params,
                        const void *def)
{
    mix_text(mark, name);
    for (int k = 0; k < n; k++) {
        const char *at = (const char *)def + params[k].offset;
        if (params[k].type == TN_PARAM_NUMBER)
            mix_bytes(mark, at, sizeof(double));
        else if (params[k].type == TN_PARAM_VEC3)
            mix_bytes(mark, at, sizeof(tn_vec3));
    }
}

static void mix_body(uint64_t *mark, const tn_body_data *body)
{
    const tn_body_kept *def = &body->def;
    mix_text(mark, body->name);
    mix_number(mark, def->mass);
    mix_bytes(mark, &body->inertia, sizeof body->inertia);
    mix_bytes(mark, &def->com, sizeof def->com);
    mix_bytes(mark, &def->frame, sizeof def->frame);
    mix_bytes(mark, &def->velocity, sizeof def->velocity);
    mix_bytes(mark, &def->rate, sizeof def->rate);
}

static void mix_functions(uint64_t *mark, int n, tn_timefn *const *functions)
{
    static const double times[] = {0.0, 0.1234, 1.7, 23.0};
    for (int k = 0; k < n; k++)
        for (int i = 0; functions[k] && i < TN_COUNT(times); i++) {
            double u[3];
            tn_timefn_eval(functions[k], times[i], u);
            mix_found(mark, 3, u);
        }
}

// Expressions count by their texts, with the parameters that these may name.
static void mix_parameters(uint64_t *mark, const tn_model *model)
{
    for (int i = 0; i < model->parameters.count; i++) {
        const tn_named_value *p = &model->parameters.at[i];
        mix_text(mark, p->name);
        mix_number(mark, p->input || p->table ? 0.0 : p->value);
    }
    for (int k = 0; k < model->tables.count; k++) {
        const tn_grid *g = model->tables.at[k];
        for (int i = 0; i < g->n[0]; i++)
            for (int j = 0; j < (g->narg == 2 ? g->n[1] : 1); j++) {
                const double a[2] = {g->at[0][i], g->narg == 2 ? g->at[1][j] : 0.0};
                mix_bytes(mark, a, sizeof a);
                mix_found(mark, 1, &(double){tn_grid_eval(g, a, NULL).f});
            }
    }
}

static void mix_sampled(uint64_t *mark, const tn_sampled_def *s)
{
    mix_number(mark, s->every);
    mix_number(mark, s->delay);
    for (int i = 0; i < s->n; i++) {
        mix_text(mark, s->value[i].name);
        mix_text(mark, s->value[i].next);
    }
}

static void mix_expressions(uint64_t *mark, const tn_model *model)
{
    mix_parameters(mark, model);
    for (int i = 0; i < model->signals.count; i++) {
        mix_text(mark, model->signals.at[i].name);
        mix_text(mark, model->signals.at[i].text);
    }
    for (int i = 0; i < model->states.count; i++) {
        const tn_state_def *s = &model->states.at[i];
        mix_text(mark, s->name);
        mix_text(mark, s->rate);
        mix_number(mark, s->lower);
        mix_number(mark, s->upper);
    }
    for (int i = 0; i < model->unknowns.count; i++)
        mix_text(mark, model->unknowns.at[i].equation);
    for (int i = 0; i < model->samplers.count; i++)
        mix_sampled(mark, &model->samplers.at[i]);
    for (int i = 0; i < model->lives.count; i++) {
        mix_text(mark, model->lives.at[i].what);
        mix_text(mark, model->lives.at[i].text);
    }
    for (int i = 0; i < model->joints.count; i++)
        mix_text(mark, model->joints.at[i].text ? model->joints.at[i].text : "");
}

// Mixes in the numbers that files and expressions of modal bodies have given.
static void mix_modals(uint64_t *mark, const tn_model *model)
{
    for (int k = 0; k < model->modals.count; k++) {
        const tn_modal_data *data = &model->modals.at[k];
        const tn_modal *from = data->from;
        const size_t n = (size_t)tn_modal_size(from->m), square = (size_t)from->m * (size_t)from->m;
        const int stiffening = data->stiffening;
        mix_found(mark, (int)(n * n), from->gram);
        mix_found(mark, (int)square, from->stiffness);
        if (data->damping)
            mix_found(mark, (int)square, data->damping);
        for (int i = 0; i < from->nattachment; i++)
            mix_found(mark, 6 * from->m, from->attachment[i].modes);
        mix_bytes(mark, &stiffening, sizeof stiffening);
    }
}

static void mix_model(uint64_t *mark, const tn_model *model)
{
    mix_expressions(mark, model);
    mix_bytes(mark, &model->gravity, sizeof model->gravity);
    for (int i = 1; i < model->bodies.count; i++)
        mix_body(mark, &model->bodies.at[i]);
    for (int i = 0; i < model->joints.count; i++) {
        const tn_joint_data *j = &model->joints.at[i];
        mix_element(mark, j->name, j->ops->nparam, j->ops->params, j->def);
        mix_functions(mark, TN_JOINT_FUNCTIONS, j->u);
    }
    for (int i = 0; i < model->forces.count; i++) {
        const tn_force_data *f = &model->forces.at[i];
        mix_element(mark, f->name, f->ops->nparam, f->ops->params, &f->def);
        mix_functions(mark, TN_COUNT(f->u), f->u);
    }
    mix_modals(mark, model);
}

// Method, options and start. The rest is the model, which stays as it is: it is checked when a
// state is saved or loaded, and simulations that do neither need not wait for it.
uint64_t tn_sim_fingerprint(const tn_sim *sim)
{
    const tn_system *sys = sim->start.sys;
    const tn_state *x = &sim->start.x;
    uint64_t mark = 14695981039346656037u;
    mix_text(&mark, sim->method.name);
    for (int k = 0; k < tn_simulate_param_count; k++)
        if (tn_simulate_params[k].offset < sizeof sim->options) // behind: when and what to store
            mix_element(&mark, "", 1, &tn_simulate_params[k], &sim->options);
    mix_found(&mark, sys->nq, x->q);
    mix_found(&mark, sys->nv, x->v);
    return mark;
}

// A number for model, method, options and start, which is the same in every process.
uint64_t tn_sim_whole_fingerprint(const tn_sim *sim)
{
    uint64_t mark = sim->fingerprint;
    if (sim->model)
        mix_model(&mark, sim->model->source);
    return mark;
}

// Values ------------------------------------------------------------------------------------------

// A list for each struct, in the order of its use.
static const char OTHER[] = "the saved state is that of another model, method or options";

static void list_energy(tn_energy *e, tn_values *v)
{
    TN_VALUES_ANY(v, "J", 1, &e->kinetic, &e->potential);
    TN_VALUES_ANY(v, "W", 1, &e->dissipated, &e->supplied);
    TN_VALUES_ANY(v, "1", 3, e->momentum, e->spin);
    TN_VALUES_BOOL(v, &e->has_momentum);
}

static void list_ledger(const char *name, tn_ledger *l, tn_values *v)
{
    enum { ORDERS = sizeof l->order_steps / sizeof l->order_steps[0] };
    tn_values_enter(v, name);
    TN_VALUES_LONG(v, &l->steps, &l->rejected, &l->newton, &l->factorizations, &l->evaluations,
                   &l->tangents, &l->projections, &l->events);
    TN_VALUES_INT(v, 0, ORDERS - 1, 1, &l->order);
    for (int i = 0; i < ORDERS; i++)
        TN_VALUES_LONG(v, &l->order_steps[i]);
    TN_VALUES_ANY(v, "1", 1, &l->g, &l->gdot, &l->max_g, &l->max_gdot);
    TN_VALUES_ANY(v, "J", 1, &l->energy_start, &l->energy, &l->kinetic, &l->potential,
                  &l->dissipated, &l->supplied, &l->jumps, &l->impacts, &l->balance,
                  &l->max_balance, &l->energy_scale, &l->energy_noise);
    TN_VALUES_ANY(v, "J", 2, l->band);
    TN_VALUES_ANY(v, "W", 1, &l->drift);
    TN_VALUES_ANY(v, "1", 1, &l->rank_margin);
    TN_VALUES_ANY(v, "1", 3, l->momentum, l->spin, l->momentum_start, l->spin_start,
                  l->momentum_change, l->spin_change);
    TN_VALUES_BOOL(v, &l->has_energy, &l->has_momentum);
    TN_VALUES_ANY(v, "s", 1, &l->rank_margin_time, &l->step_min, &l->step_max, &l->step, &l->wall);
    tn_values_leave(v);
}

static void list_sizes(tn_sizes *s, tn_values *v)
{
    TN_VALUES_ANY(v, "1", 1, &s->length, &s->speed, &s->rate, &s->time, &s->change, &s->mass,
                  &s->far, &s->fastest, &s->gain, &s->fastest_turn, &s->turn_gain, &s->turning);
    TN_VALUES_BOOL(v, &s->grows, &s->still);
}

// Number of elements that quantity k may name.
static int count_where(const tn_sim *sim, tn_bounded k)
{
    const tn_model *m = sim->model;
    if (k != TN_QUANTITY_START && k != TN_QUANTITY_TURN && !tn_is_theory(k))
        return sim->start.sys->ng + sim->start.sys->nn;
    return !m                          ? 0
           : !tn_is_theory(k)          ? m->bodies.count
           : k == TN_QUANTITY_MODAL    ? m->modals.count
           : k == TN_QUANTITY_SAMPLING ? m->samplers.count
                                       : m->forces.count;
}

static void list_worst(const tn_sim *sim, tn_bounded k, tn_worst *w, tn_values *v)
{
    const int n = count_where(sim, k);
    TN_VALUES_ANY(v, "1", 1, &w->value, &w->bound, &w->t);
    TN_VALUES_INT(v, -1, n > 0 ? n - 1 : 0, 1, &w->where);
    const bool named = w->where >= 0 ? w->where < n : !tn_is_theory(k);
    if (!named && w->value != 0.0 && k != TN_QUANTITY_ROUNDING)
        tn_values_refuse(v, "the saved state judges what this simulation has not");
}

static void list_judge(tn_sim *sim, tn_judge *j, tn_values *v)
{
    tn_values_enter(v, "judge");
    list_sizes(&j->sizes, v);
    TN_VALUES_INT(v, INT_MIN / 2, INT_MAX / 2, 1, &j->look_in);
    for (int k = 0; k < TN_QUANTITY_COUNT; k++) {
        tn_values_enter_at(v, "worst", k);
        list_worst(sim, k, &j->worst[k], v);
        tn_values_leave(v);
    }
    list_worst(sim, TN_QUANTITY_JOINTS, &j->joints, v);
    TN_VALUES_ANY(v, "J", 1, &j->weight, &j->stiffness, &j->not_resolved, &j->differences);
    TN_VALUES_ANY(v, "1", 3, j->kinetic, j->when, j->third);
    TN_VALUES_INT(v, 0, INT_MAX / 2, 1, &j->nkinetic);
    TN_VALUES_ANY(v, "1", 1, &j->t_balance, &j->turned, &j->lag, &j->passed, &j->given,
                  &j->given_max, &j->round_off, &j->rounded);
    TN_VALUES_BOOL(v, &j->fixed, &j->mostly_fixed, &j->failed, &j->coarse, &j->estimated,
                   &j->check.fixed);
    TN_VALUES_ANY(v, "1", 1, &j->check.value);
    tn_values_leave(v);
}

static void list_sums(tn_sim *sim, const char *name, tn_sums *s, tn_values *v)
{
    tn_fit *f = &s->fit;
    tn_powers *p = &s->powers;
    tn_values_enter(v, name);
    list_ledger("ledger", &s->ledger, v);
    TN_VALUES_ANY(v, "1", 1, &f->weight, &f->t, &f->y, &f->tt, &f->ty, &p->h);
    TN_VALUES_ANY(v, "W", 2, (double *)&p->begin, (double *)&p->end);
    list_judge(sim, &s->judge, v);
    tn_values_leave(v);
}

static void list_swings(tn_sim *sim, tn_values *v)
{
    const int n = sim->model ? tn_model_sampled_count(sim->model) : 0;
    for (int k = 0; k < n; k++) {
        tn_swing *s = &sim->swing[k];
        tn_values_enter_at(v, "swing", k);
        TN_VALUES_ANY(v, "1", 1, &s->taken, &s->last, &s->way, &s->turn, &s->height, &s->first);
        TN_VALUES_INT(v, 0, INT_MAX / 2, 1, &s->samples, &s->count);
        tn_values_leave(v);
    }
}

static void list_notes(tn_notes *notes, tn_values *v)
{
    tn_values_enter(v, "notes");
    TN_VALUES_INT(v, 0, TN_MOST_NOTES, 1, &notes->count);
    TN_VALUES_INT(v, 0, INT_MAX / 2, 1, &notes->dropped);
    for (int i = 0; i < notes->count; i++)
        tn_values_text(v, TN_NOTE_SIZE, "text", notes->text[i]);
    tn_values_leave(v);
}

static void list_stepper(tn_stepper *s, tn_values *v)
{
    tn_values_enter(v, "stepper");
    TN_VALUES(v, "1", TN_KIND_COUNT, s->atol);
    TN_VALUES_BOOL(v, &s->moved, &s->known, &s->motion_only);
    TN_VALUES_LONG(v, &s->newton, &s->factorizations, &s->failures);
    TN_VALUES_ANY(v, "1", 1, &s->error, &s->factor, &s->taken, &s->worst);
    TN_VALUES_INT(v, 0, 12, 1, &s->order);
    tn_values_leave(v);
}

static void list_piece(tn_piece *p, tn_values *v)
{
    TN_VALUES_BOOL(v, &p->bounded);
    TN_VALUES_ANY(v, "s", 1, &p->from, &p->to);
}

static void list_pieces(tn_sim *sim, tn_values *v)
{
    tn_pieces *p = &sim->pieces;
    tn_values_enter(v, "pieces");
    list_piece(&p->last, v);
    list_piece(&p->now, v);
    TN_VALUES_BOOL(v, &p->ends, &p->next.sampled, &p->told);
    TN_VALUES_ANY(v, "s", 1, &p->next.t, &p->next.before, &p->next.after, &p->known_to);
    TN_VALUES_BOOL(v, &sim->singular.pole);
    TN_VALUES_ANY(v, "s", 1, &sim->singular.t, &sim->pole_at, &sim->shapes_to);
    tn_values_text(v, sizeof sim->singular.what, "what", sim->singular.what);
    TN_VALUES_INT(v, 0, sim->pulses.room, 1, &sim->pulses.count);
    TN_VALUES_ANY(v, "s", 1, &sim->pulses.dropped);
    tn_values_leave(v);
}

static void list_switch(tn_switch *s, tn_values *v)
{
    TN_VALUES_INT(v, -1, 1, 1, &s->mode, &s->kept_mode);
    TN_VALUES_ANY(v, "s", 1, &s->when, &s->since, &s->lasted);
    TN_VALUES_ANY(v, "1", 1, &s->largest);
    TN_VALUES_LONG(v, &s->step);
    TN_VALUES_INT(v, 0, INT_MAX / 2, 1, &s->in_a_row, &s->at_once);
    TN_VALUES_BOOL(v, &s->flips, &s->turned, &s->slide_told);
}

static void list_hits(tn_sim *sim, tn_values *v)
{
    TN_VALUES_INT(v, 0, TN_EVENT_HITS, 1, &sim->nhit);
    if (sim->watch.nevent == 0 && sim->nhit > 0)
        tn_values_refuse(v, "the saved state has met events, and this simulation has none");
    for (int i = 0; sim->watch.nevent > 0 && i < sim->nhit; i++) {
        TN_VALUES_INT(v, 0, sim->watch.nevent - 1, 1, &sim->hits[i].event);
        TN_VALUES(v, "s", 1, &sim->hits[i].t);
        TN_VALUES_BOOL(v, &sim->hits[i].rising);
    }
    TN_VALUES_INT(v, -1, sim->watch.nevent - 1, 1, &sim->ended_by);
}

static void list_watch(tn_sim *sim, tn_values *v)
{
    tn_watch *w = &sim->watch;
    const int nswitch = w->n - w->nevent;
    tn_values_enter(v, "watch");
    for (int i = 0; i < nswitch; i++) {
        tn_values_enter_at(v, "switch", i);
        list_switch(&w->switches[i], v);
        tn_values_leave(v);
    }
    TN_VALUES_ANY(v, "s", 1, &w->from, &w->to, &w->span, &w->whole, &w->redo_at, &w->latest,
                  &w->least);
    TN_VALUES_INT(v, 0, INT_MAX / 2, 1, &w->close, &w->sharpened);
    TN_VALUES_BOOL(v, &w->settles, &w->left_zero);
    TN_VALUES_BOOLS(v, w->ndecision, w->decided);
    for (int k = 0; k < 2; k++)
        tn_values_bytes(v, -1, TN_SIDE_ZERO, w->ndecision, "side", w->side[k]);
    if (w->ndecision > 0)
        tn_values_bytes(v, -1, TN_SIDE_ZERO, w->ndecision, "used",
                        tn_absolute_sides(tn_sim_world(sim)));
    tn_unknowns_values(&w->unknowns, v);
    list_hits(sim, v);
    tn_values_leave(v);
}

static void list_wrenches(const tn_sim *sim, const char *name, tn_applied *w, tn_values *v)
{
    for (int k = 0; k < sim->model->bodies.count; k++) {
        tn_values_enter_at(v, name, k);
        TN_VALUES(v, "1", 6, (double *)&w[k].own);
        TN_VALUES(v, "1", 3, (double *)&w[k].from_com);
        TN_VALUES_BOOL(v, &w[k].follower);
        tn_values_leave(v);
    }
}

static void list_inputs(tn_sim *sim, tn_values *v)
{
    tn_sim_inputs *in = &sim->inputs;
    tn_values_enter(v, "inputs");
    TN_VALUES_BOOL(v, &in->changed);
    for (int i = 0; i < in->n; i++) {
        tn_input_set *set = &in->set[i];
        tn_values_enter_at(v, "input", i);
        TN_VALUES_BOOL(v, &set->changed);
        TN_VALUES(v, "1", 3, set->u);
        TN_VALUES(v, "1", TN_INPUT_NUMBERS, set->number, set->kept);
        if (tn_values_are_read(v))
            tn_model_put_numbers(sim->model, i, set->number);
        tn_values_leave(v);
    }
    for (int i = 0; i < in->ndrive; i++)
        TN_VALUES(v, "1", 3, in->drive[i].before, in->drive[i].after);
    if (in->wrench) {
        list_wrenches(sim, "wrench", in->wrench, v);
        list_wrenches(sim, "wrench_set", in->wrench_set, v);
        list_wrenches(sim, "wrench_kept", in->wrench_kept, v);
    }
    tn_values_leave(v);
}

static void list_works(tn_sim *sim, tn_values *v)
{
    tn_works *w = &sim->step_works;
    tn_values_enter(v, "works");
    TN_VALUES_BOOL(v, &w->known, &w->closed_form);
    TN_VALUES_INT(v, 0, w->part ? TN_POWER_PARTS : 0, 1, &w->count);
    if (w->part && w->count >= 0)
        TN_VALUES_ANY(v, "1", w->count * (int)(sizeof *w->part / sizeof(double)),
                      (double *)w->part);
    TN_VALUES_ANY(v, "J", 2, (double *)&w->sum, (double *)&w->most);
    TN_VALUES_ANY(v, "J", 1, &w->share, &w->not_resolved);
    TN_VALUES_INT(v, 0, INT_MAX / 2, 1, &w->in_a_row);
    tn_values_leave(v);
}

static void list_monitors(tn_sim *sim, tn_values *v)
{
    for (tn_monitor **m = sim->monitor; *m; m++) {
        tn_values_enter(v, (*m)->ops->name);
        if ((*m)->ops->values)
            (*m)->ops->values(*m, sim, v);
        tn_values_leave(v);
    }
}

static void list_told(tn_sim *sim, tn_values *v)
{
    tn_recovered *recovered = &sim->recovered;
    bool own = recovered->best == &recovered->x;
    recovered->loads_known = false;
    tn_values_enter(v, "told");
    TN_VALUES_BOOL(v, &recovered->known, &own);
    TN_VALUES_ANY(v, "s", 1, &recovered->x.t, &recovered->begins, &recovered->ends);
    if (tn_values_are_read(v)) {
        recovered->best = own ? &recovered->x : sim->view;
        if (recovered->accel && recovered->active[0] >= 0)
            tn_accel_set_active(recovered->accel, recovered->active);
    }
    if (recovered->accel)
        tn_accel_values(recovered->accel, v);
    tn_values_leave(v);
}

// Times at which rows are checked, and the condition estimates of all of them.
static void list_looks(tn_sim *sim, tn_values *v)
{
    TN_VALUES_ANY(v, "1", 1, &sim->condition.best, &sim->condition.now, &sim->condition.t_now,
                  &sim->rows_reserve);
    TN_VALUES_BOOL(v, &sim->condition.told);
    TN_VALUES_INT(v, INT_MIN / 2, INT_MAX / 2, 1, &sim->rows_wait, &sim->rows_waited);
    TN_VALUES_LONG(v, &sim->row_changes);
}

static void list_run(tn_sim *sim, tn_values *v)
{
    tn_stretch *s = &sim->stretch;
    TN_VALUES_ANY(v, "s", 1, &s->begin, &s->end, &s->reached, &sim->h, &sim->whole, &sim->sample_at,
                  &sim->h_limit, &sim->options.step, &sim->options.step_max);
    TN_VALUES_ANY(v, "1", 1, &sim->last_error);
    TN_VALUES_INT(v, 0, INT_MAX / 2, 1, &sim->held.hits, &sim->held.others);
    TN_VALUES_LONG(v, &sim->held.steps);
    TN_VALUES_ANY(v, "s", 1, &sim->held.since);
    TN_VALUES_BOOL(v, &sim->time_scale_unknown, &sim->time_scale_bounded, &sim->micro_stepped,
                   &sim->took_back, &sim->restart);
    TN_VALUES_INT(v, 0, sim->options.nproject, 1, &sim->nprojected);
    TN_VALUES_BOOL(v, &sim->step_end.kept);
    TN_VALUES_ANY(v, "W", 2, (double *)&sim->step_end.powers);
    TN_VALUES(v, "s", 1, &sim->before.t, &sim->shown.t, &sim->step_end.x.t);
}

// Rows that take part, for all whose values follow.
static void list_rows(tn_sim *sim, tn_values *v)
{
    tn_sim_contacts_values(sim, v);
    if (!sim->start.rows)
        return;
    tn_row_choice_values(sim->start.rows, v);
    if (!tn_values_are_read(v))
        return;
    const int *active = tn_start_active(&sim->start);
    tn_accel_set_active(sim->start.accel, active);
    if (sim->problem)
        tn_problem_set_active(sim->problem, active);
    if (sim->ode)
        tn_ode_set_active(sim->ode, active);
}

static void list_start(tn_start *start, tn_values *v)
{
    tn_values_enter(v, "start");
    tn_state_values(start->sys, &start->x, v);
    TN_VALUES_ANY(v, "1", 1, &start->redundancy.off, &start->redundancy.least);
    tn_system_values(start->sys, v);
    if (start->accel)
        tn_accel_values(start->accel, v);
    if (start->initial)
        tn_initial_values(start->initial, v);
    if (start->world)
        list_start(start->world, v);
    tn_values_leave(v);
}

static void list_method(tn_sim *sim, tn_values *v)
{
    tn_values_enter(v, "method");
    if (sim->problem)
        tn_problem_values(sim->problem, v);
    if (sim->dae)
        tn_dae_values(sim->dae, v);
    if (sim->ode)
        tn_ode_values(sim->ode, sim->start.x.r, v);
    if (sim->discrete)
        tn_discrete_values(sim->discrete, v);
    if (sim->chart_block)
        tn_chart_values(&sim->chart, sim->chart_block, v);
    if (sim->integrator->ops->values)
        sim->integrator->ops->values(sim->integrator, v);
    tn_unknowns_values(&sim->unknowns, v);
    tn_values_leave(v);
}

static void list_element_work(tn_sim *sim, tn_values *v)
{
    list_sums(sim, "sums", &sim->sums, v);
    list_sums(sim, "sums_before", &sim->sums_before, v);
    list_ledger("ledger_shown", &sim->ledger_shown, v);
    list_ledger("ledger_end", &sim->step_end.ledger, v);
    list_swings(sim, v);
    list_energy(&sim->now, v);
    list_works(sim, v);
}

// Checks relations of numbers that are each possible by themselves.
static void check_state(const tn_sim *sim, tn_values *v)
{
    const tn_state *x = &sim->start.x;
    const tn_system *sys = sim->start.sys;
    if (!(sim->h >= 0.0) || !(sim->options.step >= 0.0) || !isfinite(sim->options.step) ||
        !(sim->options.step_max >= 0.0) || (!sim->options.adaptive && sim->options.step == 0.0))
        tn_values_refuse(v, "the saved state has a step of %g s", sim->options.step);
    if (!(sim->sums.judge.sizes.length > 0.0) || !isfinite(sim->sums.judge.sizes.length))
        tn_values_refuse(v, "the saved state has a size of %g m", sim->sums.judge.sizes.length);
    if (x->t < sim->options.t_start)
        tn_values_refuse(v, "the saved state is at t = %.9g s, before the run begins", x->t);
    for (int k = 0; k < sys->ngroup; k++) {
        const tn_group *group = &sys->groups[k];
        if (!tn_group_turns(group))
            continue;
        const double *e = x->q + group->q0 + tn_group_turn(group);
        const double length = sqrt(tn_dot(4, e, e));
        if (fabs(length - 1.0) > 1e-6)
            tn_values_refuse(v, "the saved state has a quaternion of length %.9g", length);
    }
}

static void list_sim(void *self, tn_values *v)
{
    tn_sim *sim = self;
    tn_units units = sim->start.sys->units;
    bool shows = sim->view == &sim->shown;
    tn_values_mark(v, "subject", tn_sim_whole_fingerprint(sim), OTHER);
    TN_VALUES(v, "m", 1, &units.length);
    TN_VALUES(v, "kg", 1, &units.mass);
    if (units.length != sim->start.sys->units.length || units.mass != sim->start.sys->units.mass)
        tn_values_refuse(v, "%s", OTHER);
    list_rows(sim, v);
    TN_VALUES_BOOL(v, &shows);
    if (tn_values_are_read(v))
        sim->view = shows ? &sim->shown : &sim->start.x;
    tn_sim_carved_values(sim, v);
    list_start(&sim->start, v);
    list_notes(&sim->start.notes, v);
    list_run(sim, v);
    list_stepper(&sim->stepper, v);
    list_pieces(sim, v);
    list_watch(sim, v);
    list_inputs(sim, v);
    list_element_work(sim, v);
    list_monitors(sim, v);
    list_looks(sim, v);
    list_told(sim, v);
    list_method(sim, v);
    if (tn_values_are_read(v))
        check_state(sim, v);
}

tn_status tn_sim_save(const tn_sim *sim, void **saved, size_t *size)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, saved, size);
    return tn_values_write(list_sim, (tn_sim *)sim, saved, size);
}

void tn_saved_free(void *saved)
{
    tn_free(saved);
}

TN_GETTER(bool, tn_sim_loads_exactly, (const tn_sim *sim), sim, false,
          !(sim->method.integrator->own_steps && sim->options.adaptive));

tn_status tn_sim_load(tn_sim *sim, const void *saved, size_t size)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, saved);
    (void)tn_sim_channels(sim); // their list asks a node, and its answer moves what is remembered
    tn_team *outer = tn_team_join(sim->team);
    const tn_status status = tn_values_read(list_sim, sim, saved, size);
    tn_team_join(outer);
    TN_TRY(status);
    tn_sensors_forget(&sim->sensors);
    if (tn_sim_loads_exactly(sim))
        return TN_OK;
    sim->stepper.moved = sim->stepper.known = true;
    return sim->integrator->ops->begin(sim->integrator, &sim->options);
}
