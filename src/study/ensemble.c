// SPDX-License-Identifier: MIT
//
// Ensembles; see tenon/ensemble.h. Instances are moved in blocks of TN_LANES, each from the start
// of the run to its end before the next one begins: what a block needs stays in the first cache.
// Blocks are spread over threads, and which instances form a block is fixed, so that their number
// changes nothing.

#include "tenon/ensemble.h"

#include "base/alloc.h"
#include "base/workers.h"
#include "integrator/runge_kutta.h"
#include "sim/sim.h"
#include "tree/tree_lanes.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST_STAGES = 16, MOST_SLOTS = 256 };
static const double SNAP = 1e-9; // parts of a step that are round-off

struct tn_ensemble {
    const tn_model *model;
    tn_tree *tree;
    tn_lanes *lanes;
    const tn_tableau *tableau;
    tn_ensemble_options options;
    double t;
    int count, nblock, nslot;
    int nz; // values of a block's state: q, then v
    // Doubles:
    size_t numbers, per_block, memory, per_stage, per_slot;
    double *block;        // nblock x (numbers, state)
    double *slot;         // nslot x (memory of evaluations, stages): one per thread
    double *unaligned[2]; // the same as they were allocated
    double *work;         // 2 nv: a state
    // The run under way:
    atomic_int next;    // block
    double steps, rest; // whole steps, and what is left after them [s]
};

// Creation ----------------------------------------------------------------------------------------

tn_ensemble_options tn_default_ensemble(void)
{
    return (tn_ensemble_options){.method = "dopri5", .step = 1e-3};
}

static tn_status check_options(const tn_ensemble_options *o, int count, const tn_tableau **out)
{
    if (count < 1)
        return tn_fail(TN_ERR_USAGE, "count is %d; an ensemble has at least one instance", count);
    if (!(o->step > 0.0) || !isfinite(o->step))
        return tn_fail(TN_ERR_USAGE, "step is %g s; it must be positive", o->step);
    if (!isfinite(o->t_start))
        return tn_fail(TN_ERR_USAGE, "t_start is %g s; it must be a number", o->t_start);
    if (o->threads < 0)
        return tn_fail(TN_ERR_USAGE, "threads is %d; it must be 0 or more", o->threads);
    *out = !o->method || strcmp(o->method, "dopri5") == 0 ? &tn_tableau_dopri5
           : strcmp(o->method, "dop853") == 0             ? &tn_tableau_dop853
                                                          : NULL;
    if (!*out)
        return tn_fail(TN_ERR_USAGE, "an ensemble moves by dopri5 or dop853, not by '%s'",
                       o->method);
    return TN_OK;
}

static tn_status refuse_named(const char *what, const char *name, const char *why)
{
    return tn_fail(TN_ERR_MODEL, "%s '%s': %s", what, name, why);
}

static tn_status check_model(const tn_model *model, const tn_tree *tree)
{
    if (model->events.count > 0)
        return refuse_named("event", model->events.at[0].name, "an ensemble meets no events");
    if (model->states.count > 0)
        return refuse_named("state", model->states.at[0].name, "an ensemble has no such states");
    if (model->unknowns.count > 0)
        return refuse_named("unknown", model->unknowns.at[0].name,
                            "an ensemble has no such variables");
    if (model->samplers.count > 0)
        return refuse_named("sampled system", model->samplers.at[0].name,
                            "an ensemble has no such systems");
    for (int i = 0; i < model->forces.count; i++)
        if (model->forces.at[i].ops->keeps_speed)
            return refuse_named("force", model->forces.at[i].name,
                                "an ensemble does not know the speed at which shapes meet");
    if (tree->ncoupling > 0)
        return refuse_named("joint", model->joints.at[tree->coupling[0]].name,
                            "an ensemble has no couplings and drives");
    return TN_OK;
}

// A model in joint coordinates and its start, as a simulation finds it.
typedef struct {
    tn_tree *tree;
    double *q, *v, *a; // one block
    int *active;       // rows of joints that close loops
} opened;

static void close_model(opened *m)
{
    tn_tree_destroy(m->tree);
    TN_FREE(m->q, m->active);
}

static tn_status take_start(const tn_sim *sim, const double *q, const double *v, const double *a,
                            opened *m)
{
    const int nv = m->tree->nv, rows = tn_sim_nl(sim);
    int all = 0;
    if (sim->start.sys->force_uses_lambda)
        return tn_fail(TN_ERR_MODEL, "the model has forces that depend on reactions, which an "
                                     "ensemble does not find");
    for (int k = 0; k < m->tree->ncut; k++)
        all += tn_constraint_count(m->tree->model, m->tree->cut[k]);
    if (sim->start.sys->nmassless > 0 || tn_sim_nv(sim) != nv || rows != all)
        return tn_fail(TN_ERR_MODEL, "the model has motions without inertia, which an ensemble "
                                     "cannot move");
    m->q = tn_alloc((3 * (size_t)nv + 1) * sizeof(double));
    m->active = tn_alloc(((size_t)rows + 1) * sizeof(int));
    TN_TRY(tn_got(m->q && m->active));
    m->v = m->q + nv;
    m->a = m->v + nv;
    memcpy(m->q, q, sizeof(double) * (size_t)nv);
    memcpy(m->v, v, sizeof(double) * (size_t)nv);
    memcpy(m->a, a, sizeof(double) * (size_t)nv);
    memcpy(m->active, tn_start_active(&sim->start), sizeof(int) * (size_t)rows);
    return TN_OK;
}

// close_model it, also after a failure.
static tn_status open_model(const tn_ensemble *s, const tn_model *model, opened *m)
{
    tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    TN_TRY(tn_tree_create(model, &m->tree));
    TN_TRY(check_model(model, m->tree));
    options.method = "dopri5/index1@joint";
    options.step = s->options.step;
    options.t_start = s->options.t_start;
    options.threads = 1; // nothing is stepped here
    TN_TRY(tn_sim_create(model, &options, &sim));
    const tn_status status = take_start(sim, tn_sim_q(sim), tn_sim_v(sim), tn_sim_a(sim), m);
    tn_sim_destroy(sim);
    return status;
}

static double *block_of(const tn_ensemble *s, int instance)
{
    return s->block + (size_t)(instance / TN_LANES) * s->per_block;
}

// Begin of the state of an instance: value i is TN_LANES i further on.
static double *state_of(const tn_ensemble *s, int instance)
{
    return block_of(s, instance) + s->numbers + instance % TN_LANES;
}

static void put_instance(tn_ensemble *s, const tn_tree *tree, int instance, const double *q,
                         const double *v)
{
    double *state = state_of(s, instance);
    tn_lanes_put(s->lanes, tree, q, instance % TN_LANES, block_of(s, instance));
    for (int i = 0; i < tree->nv; i++) {
        state[i * TN_LANES] = q[i];
        state[(tree->nv + i) * TN_LANES] = v[i];
    }
}

static double *aligned(double *block)
{
    return (double *)(((uintptr_t)block + TN_LANES_ALIGN - 1) / TN_LANES_ALIGN * TN_LANES_ALIGN);
}

static const char *lightest(const tn_model *model)
{
    int found = 1;
    for (int i = 2; i < model->bodies.count; i++)
        if (tn_model_body_mass(model, (tn_body){i}).mass <
            tn_model_body_mass(model, (tn_body){found}).mass)
            found = i;
    return model->bodies.at[found].name;
}

// Accelerations of an ensemble are those of the simulation to this part, but for round-off of what
// is at rest.
static const double ALIKE = 1e-6, AT_REST = 1e-10;

static bool is_same(const opened *m, const double *vdot)
{
    double most = 0.0, off = 0.0;
    for (int i = 0; i < m->tree->nv; i++) {
        most = fmax(most, fabs(m->a[i]));
        for (int lane = 0; lane < TN_LANES; lane++)
            off = fmax(off, fabs(vdot[i * TN_LANES + lane] - m->a[i]));
    }
    return off <= ALIKE * most + AT_REST * (1.0 + tn_v3_norm(m->tree->model->gravity));
}

// Recursions take the inertia of the tree as if its loops were open: all of it must be there. `z`
// is memory for two states and an evaluation.
static bool accelerates(const tn_ensemble *s, const opened *m, double *numbers, double *z)
{
    const int nv = m->tree->nv, half = nv * TN_LANES;
    double *vdot = z + 2 * half;
    bool finite = true;
    for (int lane = 0; lane < TN_LANES; lane++) {
        tn_lanes_put(s->lanes, m->tree, m->q, lane, numbers);
        for (int i = 0; i < 2 * nv; i++)
            z[i * TN_LANES + lane] = m->q[i]; // v follows q
    }
    tn_lanes_accelerate(s->lanes, numbers, z, z + half, vdot, vdot + half);
    for (int i = 0; i < half; i++)
        finite = finite && isfinite(vdot[i]);
    return finite && is_same(m, vdot);
}

static tn_status check_inertia(const tn_ensemble *s, const opened *m)
{
    const size_t numbers = tn_lanes_numbers(s->lanes), spare = TN_LANES_ALIGN / sizeof(double);
    const size_t states = 3 * (size_t)m->tree->nv * TN_LANES;
    double *block =
        tn_alloc((numbers + states + tn_lanes_memory(s->lanes) + spare) * sizeof(double));
    TN_TRY(tn_got(block));
    double *at = aligned(block);
    const bool finite = accelerates(s, m, at, at + numbers);
    tn_free(block);
    return finite ? TN_OK
                  : refuse_named("body", lightest(m->tree->model),
                                 "an ensemble moves trees of bodies with inertia, also where loops "
                                 "hold them; give it a mass and a moment of inertia that are not "
                                 "next to nothing");
}

static tn_status take_memory(tn_ensemble *s)
{
    const size_t spare = TN_LANES_ALIGN / sizeof(double);
    s->nz = 2 * s->tree->nv * TN_LANES;
    s->numbers = tn_lanes_numbers(s->lanes);
    s->per_block = s->numbers + (size_t)s->nz;
    s->memory = tn_lanes_memory(s->lanes);
    s->per_stage = (size_t)(s->nz + s->nz / 2);
    s->per_slot = s->memory + s->per_stage * (size_t)s->tableau->stages;
    s->nblock = (s->count - 1) / TN_LANES + 1;
    s->nslot = s->options.threads > 0 ? s->options.threads : tn_processors();
    s->nslot = s->nslot < s->nblock ? s->nslot : s->nblock;
    s->nslot = s->nslot < MOST_SLOTS ? s->nslot : MOST_SLOTS;
    s->unaligned[0] = tn_alloc(((size_t)s->nblock * s->per_block + spare) * sizeof(double));
    s->unaligned[1] = tn_alloc(((size_t)s->nslot * s->per_slot + spare) * sizeof(double));
    s->work = tn_alloc((2 * (size_t)s->tree->nv + 1) * sizeof(double));
    TN_TRY(tn_got(s->unaligned[0] && s->unaligned[1] && s->work));
    s->block = aligned(s->unaligned[0]);
    s->slot = aligned(s->unaligned[1]);
    return TN_OK;
}

static tn_status prepare_ensemble(tn_ensemble *s, const tn_model *model)
{
    opened m = {0};
    TN_TRY(check_options(&s->options, s->count, &s->tableau));
    TN_TRY(tn_model_status(model));
    s->model = tn_model_hold(model);
    tn_status status = open_model(s, model, &m);
    TN_THEN(status, tn_lanes_create(m.tree, m.active, &s->lanes));
    TN_THEN(status, check_inertia(s, &m));
    s->tree = m.tree;
    TN_THEN(status, take_memory(s));
    for (int i = 0; status == TN_OK && i < s->nblock * TN_LANES; i++)
        put_instance(s, s->tree, i, m.q, m.v);
    m.tree = NULL;
    close_model(&m);
    return status;
}

tn_status tn_ensemble_create(const tn_model *model, int count, const tn_ensemble_options *options,
                             tn_ensemble **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, options, out);
    *out = NULL;
    tn_clear_error();
    tn_ensemble *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->options = *options;
    s->count = count;
    s->t = options->t_start;
    const tn_status status = tn_leave(prepare_ensemble(s, model), "the ensemble");
    TN_HAND_OUT(status, s, tn_ensemble_destroy, out);
}

void tn_ensemble_destroy(tn_ensemble *s)
{
    if (!s)
        return;
    tn_lanes_destroy(s->lanes);
    tn_tree_destroy(s->tree);
    if (s->model)
        tn_model_release(s->model);
    TN_FREE(s->unaligned[0], s->unaligned[1], s->work, s);
}

// Instances ---------------------------------------------------------------------------------------

TN_GETTER(int, tn_ensemble_count, (const tn_ensemble *ensemble), ensemble, 0, ensemble->count);
TN_GETTER(int, tn_ensemble_nv, (const tn_ensemble *ensemble), ensemble, 0, ensemble->tree->nv);
TN_GETTER(double, tn_ensemble_time, (const tn_ensemble *ensemble), ensemble, NAN, ensemble->t);

static tn_status check_instance(const tn_ensemble *s, int instance)
{
    if (instance >= 0 && instance < s->count)
        return TN_OK;
    return tn_fail(TN_ERR_USAGE, "there is no instance %d; they are numbered from 0 to %d",
                   instance, s->count - 1);
}

// Which coordinate a joint is.
static tn_status coordinate_of(const tn_ensemble *s, tn_joint joint, int *out)
{
    for (int k = 1; k < s->tree->n; k++)
        if (s->tree->body[k].joint == joint.index && s->tree->body[k].nv == 1) {
            *out = s->tree->body[k].v0;
            return TN_OK;
        }
    if (joint.index >= 0 && joint.index < s->model->joints.count)
        return tn_fail(TN_ERR_USAGE, "joint '%s' has no coordinate",
                       s->model->joints.at[joint.index].name);
    return tn_fail(TN_ERR_USAGE, "the model has no such joint");
}

tn_status tn_ensemble_set_model(tn_ensemble *ensemble, int instance, const tn_model *model)
{
    TN_NEED_ALL(TN_ERR_USAGE, ensemble, model);
    opened m = {0};
    TN_TRY(check_instance(ensemble, instance));
    TN_TRY(tn_model_status(model));
    tn_status s = open_model(ensemble, model, &m);
    if (s == TN_OK && !tn_lanes_fits(ensemble->lanes, m.tree))
        s = tn_fail(TN_ERR_MODEL,
                    "instance %d: the model differs from that of the ensemble in more than "
                    "numbers: bodies, joints and forces must be of the same kinds, in the same "
                    "order",
                    instance);
    TN_THEN(s, check_inertia(ensemble, &m));
    if (s == TN_OK)
        put_instance(ensemble, m.tree, instance, m.q, m.v);
    close_model(&m);
    return tn_leave(s, "the instance");
}

// Parts of the size and the speeds of the mechanism by which loops may be open.
static const double OPEN = 1e-5;

// Loops must be closed, and stay so: nothing closes them later.
static tn_status check_loops(const tn_ensemble *s, int instance, const double *q, const double *v)
{
    double off;
    int joint;
    TN_TRY(tn_lanes_gap(s->lanes, block_of(s, instance), instance % TN_LANES, q, v, &off, &joint));
    if (off <= OPEN)
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "instance %d: the loop that joint '%s' closes is open there, or its rates do "
                   "not fit, by %.2g of the size or speed of the mechanism, and %.0g is allowed; "
                   "take coordinates and rates of a simulation, and set all of them at once "
                   "(tn_ensemble_set_state)",
                   instance, s->model->joints.at[joint].name, off, OPEN);
}

static tn_status put_state(tn_ensemble *s, int instance, const double *q, const double *v)
{
    const int nv = s->tree->nv;
    double *state = state_of(s, instance);
    TN_TRY(check_loops(s, instance, q, v));
    for (int i = 0; i < nv; i++) {
        state[i * TN_LANES] = q[i];
        state[(nv + i) * TN_LANES] = v[i];
    }
    return TN_OK;
}

tn_status tn_ensemble_set_state(tn_ensemble *ensemble, int instance, const double *q,
                                const double *v)
{
    TN_NEED_ALL(TN_ERR_USAGE, ensemble, q, v);
    TN_TRY(check_instance(ensemble, instance));
    for (int i = 0; i < ensemble->tree->nv; i++)
        if (!isfinite(q[i]) || !isfinite(v[i]))
            return tn_fail(TN_ERR_USAGE, "instance %d: coordinate %d and its rate are %g and %g",
                           instance, i, q[i], v[i]);
    return put_state(ensemble, instance, q, v);
}

tn_status tn_ensemble_state(const tn_ensemble *ensemble, int instance, double *q, double *v)
{
    TN_NEED(ensemble, TN_ERR_USAGE);
    TN_TRY(check_instance(ensemble, instance));
    const int nv = ensemble->tree->nv;
    const double *state = state_of(ensemble, instance);
    for (int i = 0; i < nv; i++) {
        if (q)
            q[i] = state[i * TN_LANES];
        if (v)
            v[i] = state[(nv + i) * TN_LANES];
    }
    return TN_OK;
}

tn_status tn_ensemble_set_joint(tn_ensemble *ensemble, int instance, tn_joint joint, double q,
                                double rate)
{
    int i = 0;
    TN_NEED(ensemble, TN_ERR_USAGE);
    TN_TRY(check_instance(ensemble, instance));
    TN_TRY(coordinate_of(ensemble, joint, &i));
    if (!isfinite(q) || !isfinite(rate))
        return tn_fail(TN_ERR_USAGE, "instance %d: the coordinate of joint '%s' is %g, its rate %g",
                       instance, ensemble->model->joints.at[joint.index].name, q, rate);
    double *all = ensemble->work;
    TN_TRY(tn_ensemble_state(ensemble, instance, all, all + ensemble->tree->nv));
    all[i] = q;
    all[ensemble->tree->nv + i] = rate;
    return put_state(ensemble, instance, all, all + ensemble->tree->nv);
}

tn_status tn_ensemble_joint(const tn_ensemble *ensemble, int instance, tn_joint joint, double *q,
                            double *rate)
{
    int i = 0;
    TN_NEED(ensemble, TN_ERR_USAGE);
    TN_TRY(check_instance(ensemble, instance));
    TN_TRY(coordinate_of(ensemble, joint, &i));
    const double *state = state_of(ensemble, instance);
    if (q)
        *q = state[i * TN_LANES];
    if (rate)
        *rate = state[(ensemble->tree->nv + i) * TN_LANES];
    return TN_OK;
}

// Motion ------------------------------------------------------------------------------------------

typedef struct {
    const tn_ensemble *of;
    const double *numbers;
    double *memory;             // of evaluations
    double *stage[MOST_STAGES]; // q, v, v' of each
} march;

static void evaluate(const march *m, double *stage)
{
    const int half = m->of->nz / 2;
    tn_lanes_accelerate(m->of->lanes, m->numbers, stage, stage + half, stage + 2 * half, m->memory);
}

typedef double pair __attribute__((vector_size(2 * sizeof(double))));

typedef struct {
    const pair *k; // v, v'
    double weight;
} term;

// (q, v) of a stage: those of the first, and h sum a_j k_j. Two values of all lanes at a time.
static void combine(const march *m, double h, int count, const double *a, double *stage)
{
    enum { PART = TN_LANES };
    const pair *first = (const pair *)m->stage[0];
    pair *to = (pair *)stage;
    term terms[MOST_STAGES], *end = terms;
    for (int j = 0; j < count; j++)
        if (a[j] != 0.0)
            *end++ = (term){(const pair *)(m->stage[j] + m->of->nz / 2), h * a[j]};
    for (int i = 0; i < m->of->nz / 2; i += PART) {
        pair sum[PART];
        for (int l = 0; l < PART; l++)
            sum[l] = first[i + l];
        for (const term *t = terms; t < end; t++)
            for (int l = 0; l < PART; l++)
                sum[l] += t->weight * t->k[i + l];
        for (int l = 0; l < PART; l++)
            to[i + l] = sum[l];
    }
}

// The last stage is the first one of the next step.
static void step_block(march *m, double h)
{
    const tn_tableau *t = m->of->tableau;
    const int last = t->stages - 1;
    for (int i = 1; i <= last; i++) {
        combine(m, h, i, tn_tableau_row(t, i), m->stage[i]);
        evaluate(m, m->stage[i]);
    }
    double *first = m->stage[0];
    m->stage[0] = m->stage[last];
    m->stage[last] = first;
}

static void move_block(const tn_ensemble *s, int b, double *slot)
{
    const size_t size = sizeof(double) * (size_t)s->nz;
    double *block = s->block + (size_t)b * s->per_block, *state = block + s->numbers;
    march m = {.of = s, .numbers = block, .memory = slot};
    for (int i = 0; i < s->tableau->stages; i++)
        m.stage[i] = slot + s->memory + (size_t)i * s->per_stage;
    memcpy(m.stage[0], state, size);
    evaluate(&m, m.stage[0]);
    for (double k = 0.0; k < s->steps; k += 1.0)
        step_block(&m, s->options.step);
    if (s->rest > 0.0)
        step_block(&m, s->rest);
    memcpy(state, m.stage[0], size);
}

static void move_some(void *user, int slot)
{
    tn_ensemble *s = user;
    for (int b = atomic_fetch_add(&s->next, 1); b < s->nblock; b = atomic_fetch_add(&s->next, 1))
        move_block(s, b, s->slot + (size_t)slot * s->per_slot);
}

static tn_status check_finite(const tn_ensemble *s)
{
    for (int i = 0; i < s->count; i++) {
        const double *state = state_of(s, i);
        for (int k = 0; k < s->nz; k += TN_LANES)
            if (!isfinite(state[k]))
                return tn_fail(TN_ERR_NUMERIC,
                               "the motion of instance %d has no bounds with steps of %g s; take "
                               "smaller ones",
                               i, s->options.step);
    }
    return TN_OK;
}

tn_status tn_ensemble_run(tn_ensemble *ensemble, double t_end)
{
    tn_ensemble *s = ensemble;
    TN_NEED(ensemble, TN_ERR_USAGE);
    tn_clear_error();
    if (!isfinite(t_end) || t_end < s->t)
        return tn_fail(TN_ERR_USAGE, "t_end is %g s; it must not lie before the present time, %g s",
                       t_end, s->t);
    const double h = s->options.step, span = t_end - s->t;
    s->steps = floor(span / h + SNAP);
    s->rest = span - s->steps * h;
    if (s->rest < SNAP * h)
        s->rest = 0.0;
    atomic_store(&s->next, 0);
    tn_workers_run(s->nslot, s->nslot, move_some, s);
    s->t = t_end;
    return check_finite(s);
}
