// SPDX-License-Identifier: MIT
//
// A simulation: start values, one method, and all memory, which is taken when it is created.

#include "sim/sim.h"
#include "sim/monitor.h"

#include "base/alloc.h"
#include "base/memory.h"
#include "base/workers.h"
#include "integrator/integrator_list.h"
#include "linalg/blas_threads.h"
#include "linalg/cone.h"
#include "linalg/dense.h"
#include "model/model.h"
#include "system/callbacks.h"
#include "tenon/beam.h"
#include "text/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

tn_status tn_sim_options_check(const tn_sim_options *o)
{
    double bounds[TN_QUANTITY_COUNT];
    TN_TRY(tn_options_check(o));
    return tn_bounds_parse(o->bounds, bounds);
}

static void layout_sim(void *self, tn_carve *mem)
{
    tn_sim *sim = self;
    const tn_system *sys = sim->start.sys;
    const int rows = sys->ng + sys->nn;
    sim->integrator = tn_carve_bytes(mem, sim->method.integrator->size);
    TN_CARVE_DOUBLES(mem, sim->options.nproject, &sim->project_times);
    tn_sensors_layout(&sim->sensors, mem);
    tn_sim_layout_channels(sim, mem);
    const int world = sim->start.world ? sim->start.world->sys->nv : 0;
    TN_CARVE_DOUBLES(mem, world > sys->nv ? world : sys->nv, &sim->scratch);
    TN_CARVE_DOUBLES(mem, rows, &sim->rows);
    tn_state_layout(sys, &sim->before, mem);
    tn_state_layout(sys, &sim->shown, mem);
    tn_state_layout(sys, &sim->step_end.x, mem);
    tn_unknowns_layout(&sim->unknowns, sim->start.sys, mem);
    tn_sim_layout_contacts(sim, mem);
    tn_sim_layout_events(sim, mem);
    tn_sim_layout_inputs(sim, mem);
    tn_sim_layout_shapes(sim, mem);
    tn_sim_layout_ledger(sim, mem);
    tn_sim_layout_recovered(sim, mem);
    TN_EACH_MONITOR(sim, layout, sim, mem);
    tn_sim_layout_judge(sim, mem);
    tn_sim_layout_si(sim, mem);
    // On the measuring pass there is no integrator yet: it is laid out in a scratch one.
    tn_integrator *target = mem->base ? sim->integrator : sim->measuring;
    sim->method.integrator->layout(target, &sim->stepper, mem);
}

static tn_status allocate_sim(tn_sim *sim)
{
    sim->measuring = tn_alloc(sim->method.integrator->size);
    TN_TRY(tn_got(sim->measuring));
    TN_TRY(tn_carve_block(sim, layout_sim, &sim->block));
    tn_free(sim->measuring);
    sim->measuring = NULL;
    return TN_OK;
}

void tn_sim_carved_values(tn_sim *sim, tn_values *v)
{
    tn_carve_values(sim, layout_sim, sim->block, v);
}

// The first factorisation chooses pivots and takes memory: do it now, with the weights of a typical
// implicit step.
static tn_status warm_up(tn_sim *sim)
{
    const tn_point at = tn_state_point(&sim->start.x);
    const double h = sim->options.step > 0.0 ? sim->options.step : tn_sim_usual_step(sim);
    const tn_weights w = {.h = h, .q = h, .v = 2.0, .a = 4.0 / h, .c = 2.0 / h};
    tn_status status = TN_OK;
    if (sim->method.integrator->needs & TN_VIEW_RESIDUAL)
        status = tn_dae_warm_up(sim->dae, &sim->start.x, h);
    if (sim->method.integrator->needs & TN_VIEW_ACCEL)
        status = tn_ode_warm_up(sim->ode, &sim->start.x);
    if (sim->method.integrator->needs & TN_VIEW_STEP) {
        TN_TRY(tn_problem_begin(sim->problem, &at));
        tn_zero(sim->start.sys->nv, sim->scratch);
        status = tn_problem_factor(sim->problem, &at, sim->scratch, w);
    }
    if (sim->method.integrator->needs & TN_VIEW_DISCRETE)
        status = tn_discrete_warm_up(sim->discrete, &at, h);
    if (status > 0 && !*tn_last_error()) {
        tn_status why = TN_OK;
        TN_ASK_MONITORS(&why, sim, explain_start, sim, &at);
        TN_TRY(why);
        return tn_fail(TN_ERR_NUMERIC,
                       "at the start a step of %.3g s fails: %s; try a smaller step", h,
                       tn_status_text(status));
    }
    return status > 0 ? tn_fail(TN_ERR_NUMERIC, "%s", tn_last_error()) : status;
}

// A stated step without `adaptive` is a fixed one; where none is stated the method has its way.
static void choose_step(tn_sim *sim)
{
    tn_sim_options *o = &sim->options;
    const bool stated = o->step > 0.0;
    o->adaptive = o->adaptive || (sim->method.integrator->controlled && !stated);
    sim->usual_step = !stated && !sim->method.integrator->controlled;
    if (sim->usual_step)
        o->step = tn_sim_usual_step(sim);
    sim->h = o->step;
}

// Initialises the integrator. The first step reports failures that a smaller step may cure.
static tn_status settle_sim(tn_sim *sim)
{
    const tn_integrator_ops *ops = sim->method.integrator;
    if (!ops->settle)
        return TN_OK;
    const tn_status status =
        ops->settle(sim->integrator, &sim->stepper, &sim->start.x, sim->options.step);
    if (status > 0)
        tn_clear_error();
    return status < 0 ? status : TN_OK;
}

// sizes: of the current state, where they are known; else NULL.
static tn_status begin_sim(tn_sim *sim, const tn_sizes *sizes)
{
    TN_TRY(tn_sim_open_contacts(sim));
    TN_TRY(sim->integrator->ops->begin(sim->integrator, &sim->options));
    TN_TRY(settle_sim(sim));
    sim->h = sim->options.step;
    sim->last_error = 1.0;
    sim->h_limit = INFINITY;
    sim->held = (tn_held){0};
    tn_sim_open_pieces(sim);
    tn_sim_open_inputs(sim);
    tn_sim_keep(sim);
    TN_TRY(tn_sim_open_judge(sim, sim->integrator->ops->settle ? NULL : sizes));
    tn_sim_open_ledger(sim);
    tn_status status = TN_OK;
    TN_ASK_MONITORS(&status, sim, open, sim);
    sim->nhit = 0;
    sim->ended_by = -1;
    TN_THEN(status, tn_sim_watch_tables(sim));
    TN_THEN(status, tn_sim_open_events(sim));
    TN_THEN(status, tn_sim_check_loads(sim));
    TN_ASK_MONITORS(&status, sim, check, sim);
    return status;
}

tn_status tn_sim_begin(tn_sim *sim)
{
    return begin_sim(sim, NULL);
}

static int count_beam_nodes(const tn_model *model)
{
    int sum = 0;
    for (int k = 0; k < tn_model_beam_count(model); k++)
        sum += tn_model_beam_node_count(model, (tn_beam){k});
    return sum;
}

// From the beginning of the step.
static tn_status follow_in_step(void *self, const tn_point *at, double *e)
{
    tn_sim *sim = self;
    return tn_unknowns_at(&sim->unknowns, &sim->before, at, e);
}

static tn_status follow_within(void *self, const tn_point *at, double *e)
{
    tn_sim *sim = self;
    return tn_unknowns_at(&sim->watch.unknowns, &sim->before, at, e);
}

static tn_status build_sim(tn_sim *sim, const tn_sim_options *options)
{
    const int nodes = sim->model ? count_beam_nodes(sim->model->source) : 0;
    TN_TRY(tn_method_parse(options->method, &sim->start, options, nodes, &sim->method));
    TN_TRY(tn_sim_check_tolerances(sim));
    tn_sizes sizes;
    TN_TRY(tn_sim_find_time_scale(sim, &sizes));
    choose_step(sim);
    if (sim->start.sys->nv + sim->start.sys->ne == 0)
        sim->method.integrator = &tn_integrator_rest;
    TN_TRY(tn_sim_open_views(sim));
    tn_sim_note_unused(sim);
    sim->sensors = (tn_sensors){.model = sim->model, .start = &sim->start};
    TN_TRY(tn_sim_create_monitors(sim));
    TN_TRY(allocate_sim(sim));
    tn_copy(options->nproject, options->project_times, sim->project_times);
    sim->options.project_times = sim->project_times;
    sim->options.method = sim->method.name;
    sim->hint = (tn_rank_hint){.rcond = INFINITY};
    sim->start.sys->hint = &sim->hint;
    const tn_status warm = warm_up(sim);
    sim->start.sys->hint = NULL;
    TN_TRY(warm);
    TN_EACH_MONITOR(sim, note, sim);
    sim->integrator->ops = sim->method.integrator;
    sim->stepper.unknowns = tn_unknowns_exist(&sim->unknowns) ? &sim->unknowns : NULL;
    sim->stepper.within = sim->stepper.unknowns ? &sim->watch.unknowns : NULL;
    sim->stepper.begin = &sim->before;
    sim->way = (tn_ode_way){follow_in_step, sim};
    sim->way_within = (tn_ode_way){follow_within, sim};
    if (sim->integrator->ops->open)
        TN_TRY(sim->integrator->ops->open(sim->integrator, &sim->stepper));
    TN_TRY(tn_sim_open_recovered(sim));
    tn_sim_open_channels(sim);
    tn_planar_angles_open(&sim->sensors, &sim->start.x);
    TN_TRY(tn_bounds_parse(sim->options.bounds, sim->sums.judge.stated));
    sim->options.bounds = NULL; // the caller's
    sim->options.characteristics = NULL;
    sim->options.stiff = NULL;
    return begin_sim(sim, &sizes);
}

// Locates an error about an option, "max_order is 40 …", in the file of the model that states it.
static tn_status place_option(const tn_sim *sim, tn_status status)
{
    const char *text = tn_last_error();
    for (int k = 0; status != TN_OK && k < tn_simulate_param_count; k++) {
        const char *name = tn_simulate_params[k].name;
        const size_t n = strlen(name);
        char words[64];
        if (!(sim->options.in_file >> k & 1) || strncmp(text, name, n) != 0 || text[n] != ' ')
            continue;
        snprintf(words, sizeof words, "simulate: %s", name);
        return tn_place_error_at(sim->model, tn_fail_within(status, "simulate"), words);
    }
    return status;
}

tn_status tn_sim_leave(const tn_sim *sim, tn_status status, const char *what)
{
    return place_option(sim, tn_place_error(sim->model, tn_leave(status, what)));
}

// Bodies from which a step is shared by all processors if nothing is said: a step of that many in
// absolute coordinates takes some 10 ms, and its loops give each thread some 0.1 ms at a time.
enum { THREADS_FROM = 2000 };

static int threads_of(const tn_sim_options *options, const tn_model *model)
{
    if (options->threads > 0)
        return options->threads;
    return model && model->bodies.count >= THREADS_FROM ? tn_processors() : 1;
}

// Until finish_create loops are shared by the team.
static tn_status begin_create(const tn_monitor_ops *const *monitors, const tn_sim_options *options,
                              const tn_model *model, tn_team **outer, tn_sim **out)
{
    *out = NULL;
    tn_clear_error();
    tn_blas_one_thread();
    TN_TRY(tn_sim_options_check(options));
    tn_sim *sim = tn_alloc(sizeof *sim);
    if (!sim || tn_team_create(threads_of(options, model), &sim->team) != TN_OK) {
        tn_free(sim);
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    }
    *outer = tn_team_join(sim->team);
    sim->monitor_kinds = monitors;
    sim->options = *options;
    sim->options.stated = tn_options_stated(options);
    *out = sim;
    return TN_OK;
}

static tn_status finish_create(tn_sim *sim, tn_status status, tn_team *outer, tn_sim **out)
{
    status = tn_sim_leave(sim, status, "no consistent start values");
    TN_THEN(status, tn_sim_leave(sim, build_sim(sim, &sim->options), "the method cannot start"));
    tn_team_join(outer);
    if (status == TN_OK)
        sim->fingerprint = tn_sim_fingerprint(sim);
    TN_HAND_OUT(status, sim, tn_sim_destroy, out);
}

// Measured (docs/theory/cost.md): a body of a tree with its joint where joint coordinates are asked
// for; else an unknown of (M, C^T; C, 0), without the factors, whose need is known when their order
// is known. To choose a method takes these matrices, too.
double tn_sim_memory(const tn_model *model, const char *method)
{
    static const double OF_TREE = 3000.0, OF_UNKNOWN = 1200.0; // [bytes]
    const tn_coordinates *stated = tn_method_coordinates(method);
    int closing = -model->bodies.count + 1; // joints beyond those of a tree
    double unknowns = 0.0;
    for (int k = 1; k < model->bodies.count; k++)
        unknowns += model->bodies.at[k].ops->moves + model->bodies.at[k].ops->turns;
    for (int k = 0; k < model->joints.count; k++) {
        unknowns += tn_constraint_count(model, k);
        closing += !model->joints.at[k].ops->coupling;
    }
    const bool tree = closing <= 0 && stated && strcmp(stated->name, "joint") == 0;
    return tree ? OF_TREE * model->bodies.count : OF_UNKNOWN * unknowns;
}

// A model that is too large says so before it takes hours, or all memory.
static tn_status check_memory(const tn_model *model, const char *method)
{
    enum { LARGE = 100000 }; // bodies, from which on it is worth a check
    if (model->bodies.count < LARGE)
        return TN_OK;
    return tn_memory_fits(tn_sim_memory(model, method), tn_memory_left(),
                          "a simulation of %d bodies needs", model->bodies.count - 1);
}

tn_status tn_sim_create_with(const tn_monitor_ops *const *monitors, const tn_model *model,
                             const tn_sim_options *options, tn_sim **out)
{
    tn_sim *sim = NULL;
    tn_team *outer;
    *out = NULL;
    TN_TRY(tn_model_status(model));
    TN_TRY(check_memory(model, options->method));
    TN_TRY(begin_create(monitors, options, model, &outer, &sim));
    tn_status status = tn_model_in_units(model, tn_model_units(model), &sim->own);
    sim->model = sim->own;
    if (status == TN_OK && options->wrenches)
        status = tn_model_take_wrenches(sim->own, &sim->inputs.wrench);
    TN_THEN(status, tn_start_model_for(sim->model, &sim->options,
                                       tn_method_coordinates(options->method), &sim->start));
    return finish_create(sim, status, outer, out);
}

tn_status tn_sim_create_callbacks_with(const tn_monitor_ops *const *monitors,
                                       const tn_callbacks *callbacks, const double *q,
                                       const double *v, const tn_sim_options *options, tn_sim **out)
{
    tn_sim *sim = NULL;
    tn_team *outer;
    *out = NULL;
    TN_TRY(begin_create(monitors, options, NULL, &outer, &sim));
    tn_status status = tn_start_callbacks(callbacks, q, v, &sim->options, &sim->start);
    if (status == TN_OK) {
        const tn_point at = tn_state_point(&sim->start.x);
        status = tn_callbacks_check(sim->start.sys, &at);
    }
    return finish_create(sim, status, outer, out);
}

void tn_sim_destroy(tn_sim *sim)
{
    if (!sim)
        return;
    if (sim->integrator && sim->integrator->ops && sim->integrator->ops->close)
        sim->integrator->ops->close(sim->integrator);
    tn_sim_close_channels(sim);
    tn_accel_destroy(sim->recovered.accel);
    tn_cone_destroy(sim->contacts.cone);
    tn_sim_destroy_monitors(sim);
    tn_sim_close_views(sim);
    tn_start_clear(&sim->start);
    tn_model_in_units_destroy(sim->own);
    TN_FREE(sim->measuring, sim->block);
    tn_team_destroy(sim->team);
    tn_free(sim);
}
