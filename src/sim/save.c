// SPDX-License-Identifier: MIT
//
// Saving and loading of simulations, as images of all their memory (base/image.h).

#include "base/image.h"
#include "base/options.h"
#include "model/grid.h"
#include "model/model.h"
#include "sim/sim.h"

#include <string.h>

// The subject of a saved state -------------------------------------------------------------------

static void mix_text(uint64_t *mark, const char *text)
{
    tn_image_mark(mark, text, strlen(text) + 1);
}

static void mix_number(uint64_t *mark, double x)
{
    tn_image_mark(mark, &x, sizeof x);
}

// The numbers that an element states; those of its functions count by values at some times.
static void mix_element(uint64_t *mark, const char *name, int n, const tn_param *params,
                        const void *def)
{
    mix_text(mark, name);
    for (int k = 0; k < n; k++) {
        const char *at = (const char *)def + params[k].offset;
        if (params[k].type == TN_PARAM_NUMBER)
            tn_image_mark(mark, at, sizeof(double));
        else if (params[k].type == TN_PARAM_VEC3)
            tn_image_mark(mark, at, sizeof(tn_vec3));
    }
}

static void mix_body(uint64_t *mark, const tn_body_data *body)
{
    const tn_body_kept *def = &body->def;
    mix_text(mark, body->name);
    mix_number(mark, def->mass);
    tn_image_mark(mark, &body->inertia, sizeof body->inertia);
    tn_image_mark(mark, &def->com, sizeof def->com);
    tn_image_mark(mark, &def->frame, sizeof def->frame);
    tn_image_mark(mark, &def->velocity, sizeof def->velocity);
    tn_image_mark(mark, &def->rate, sizeof def->rate);
}

static void mix_functions(uint64_t *mark, int n, tn_timefn *const *functions)
{
    static const double times[] = {0.0, 0.1234, 1.7, 23.0};
    for (int k = 0; k < n; k++)
        for (int i = 0; functions[k] && i < TN_COUNT(times); i++) {
            double u[3];
            tn_timefn_eval(functions[k], times[i], u);
            tn_image_mark(mark, u, sizeof u);
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
                tn_image_mark(mark, a, sizeof a);
                mix_number(mark, tn_grid_eval(g, a, NULL).f);
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

// What files and expressions of modal bodies have given.
static void mix_modals(uint64_t *mark, const tn_model *model)
{
    for (int k = 0; k < model->modals.count; k++) {
        const tn_modal_data *data = &model->modals.at[k];
        const tn_modal *from = data->from;
        const size_t n = (size_t)tn_modal_size(from->m), square = (size_t)from->m * (size_t)from->m;
        const int stiffening = data->stiffening;
        tn_image_mark(mark, from->gram, n * n * sizeof(double));
        tn_image_mark(mark, from->stiffness, square * sizeof(double));
        if (data->damping)
            tn_image_mark(mark, data->damping, square * sizeof(double));
        for (int i = 0; i < from->nattachment; i++)
            tn_image_mark(mark, from->attachment[i].modes, 6 * (size_t)from->m * sizeof(double));
        tn_image_mark(mark, &stiffening, sizeof stiffening);
    }
}

static void mix_model(uint64_t *mark, const tn_model *model)
{
    mix_expressions(mark, model);
    tn_image_mark(mark, &model->gravity, sizeof model->gravity);
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

// Method, options and start. The rest is the model, which stays as it is: it is looked at when a
// state is saved or loaded, and simulations that do neither need not wait for it.
uint64_t tn_sim_subject(const tn_sim *sim)
{
    const tn_system *sys = sim->start.sys;
    const tn_state *x = &sim->start.x;
    uint64_t mark = 14695981039346656037u;
    mix_text(&mark, sim->method.name);
    for (int k = 0; k < tn_simulate_param_count; k++)
        if (tn_simulate_params[k].offset < sizeof sim->options) // behind: when and what to store
            mix_element(&mark, "", 1, &tn_simulate_params[k], &sim->options);
    tn_image_mark(&mark, x->q, (size_t)sys->nq * sizeof(double));
    tn_image_mark(&mark, x->v, (size_t)sys->nv * sizeof(double));
    return mark;
}

// A number for model, method, options and start, which is the same in every process.
uint64_t tn_sim_whole_subject(const tn_sim *sim)
{
    uint64_t mark = sim->subject;
    if (sim->model)
        mix_model(&mark, sim->model->source);
    return mark;
}

// Images ------------------------------------------------------------------------------------------

// A twin has the blocks of the creation. Others come and go with a solver that stands in for
// another one.
tn_status tn_sim_save(const tn_sim *sim, void **saved, size_t *size)
{
    TN_NEED_ALL(TN_ERR_USAGE, sim, saved, size);
    *saved = NULL;
    if (sim->memory->count != sim->nblock)
        return tn_fail(TN_ERR_NUMERIC,
                       "at t = %.6g s the state cannot be saved: a linear solver has taken more "
                       "memory; try again after some steps",
                       sim->start.x.t);
    return tn_image_save(sim->memory, tn_sim_whole_subject(sim), saved, size);
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
    const tn_channels list = sim->channels; // points to tables and names that an image has not
    TN_TRY(tn_image_load(sim->memory, tn_sim_whole_subject(sim), saved, size));
    sim->channels = list;
    if (tn_sim_loads_exactly(sim))
        return TN_OK;
    sim->stepper.moved = sim->stepper.known = true;
    return sim->integrator->ops->begin(sim->integrator, &sim->options);
}
