// SPDX-License-Identifier: MIT
//
// Equilibrium: creation, checks of options, and the read-out. See tenon/equilibrium.h,
// equilibrium.h and docs/theory/equilibrium.md.

#include "analysis/equilibrium.h"
#include "start/combinations.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "model/units.h"
#include "motion/basis.h"
#include "system/absolute.h"

#include <math.h>
#include <stdio.h>

tn_equilibrium_options tn_default_equilibrium(void)
{
    return (tn_equilibrium_options){
        .start = tn_default_sim(),
        .axis = {0.0, 0.0, 1.0},
        .load_to = 1.0,
        .arc_step = 0.05,
        .most_points = 2000,
    };
}

// Creation --------------------------------------------------------------------------------------

static void layout_state(const tn_equilibrium *s, eq_state *x, tn_carve *mem)
{
    const tn_system *sys = s->sys;
    x->q = tn_carve_doubles(mem, sys->nq);
    x->lambda = tn_carve_doubles(mem, sys->ng);
    x->eta = tn_carve_doubles(mem, sys->nn);
    x->e = tn_carve_doubles(mem, sys->ne);
    x->r = tn_carve_doubles(mem, sys->nr);
    x->p = tn_carve_doubles(mem, s->np + 1);
}

static void layout_equilibrium(void *self, tn_carve *mem)
{
    tn_equilibrium *s = self;
    const tn_system *sys = s->sys;
    const bool moves = tn_eq_moves(s);
    layout_state(s, &s->now, mem);
    layout_state(s, &s->next, mem);
    layout_state(s, &s->kept, mem);
    layout_state(s, &s->first, mem);
    layout_state(s, &s->last, mem);
    TN_CARVE_DOUBLES(mem, sys->nv, &s->v, &s->a, &s->force, &s->force1, &s->y, &s->y1);
    TN_CARVE_DOUBLES(mem, s->n, &s->rows, &s->step, &s->other, &s->tangent, &s->tried);
    s->shared = tn_carve_doubles(mem, sys->ng + sys->nn);
    s->own_spin = tn_carve_bytes(mem, sizeof *s->own_spin * (size_t)sys->ngroup);
    s->spun = tn_carve_doubles(mem, moves ? sys->block[TN_BLOCK_D]->nnz : 0);
    s->moved = tn_carve_doubles(mem, moves ? sys->block[TN_BLOCK_M]->nnz : 0);
}

static tn_status check_options(const tn_equilibrium_options *o)
{
    const bool path = o->arc || o->steps > 0;
    if (!isfinite(o->spin) || !isfinite(o->load_from) || !isfinite(o->load_to) ||
        !isfinite(o->start.t_start))
        return tn_fail(TN_ERR_USAGE, "equilibrium: time, spin and loads must be finite");
    if (o->spin != 0.0 && !(tn_v3_norm(o->axis) > 0.0))
        return tn_fail(TN_ERR_USAGE, "spin: its axis has no length; state one, as 0,0,1");
    if (path && (o->trim || o->outputs))
        return tn_fail(TN_ERR_USAGE,
                       "trim: inputs are found under one load, not along a path; leave out steps "
                       "and arc, or the trim");
    if (o->arc && o->steps > 0)
        return tn_fail(TN_ERR_USAGE, "arc: its steps follow the path; leave out steps");
    if (path && o->load_from == o->load_to)
        return tn_fail(TN_ERR_USAGE, "load: the path from %g to %g has no length", o->load_from,
                       o->load_to);
    if (o->arc && (!(o->arc_step > 0.0) || o->most_points < 2))
        return tn_fail(TN_ERR_USAGE, "arc: its longest step must be above 0 and its points be 2 at "
                                     "least");
    return TN_OK;
}

// A planar mechanism turns in its plane alone.
static tn_status open_spin(tn_equilibrium *s)
{
    const tn_system *sys = s->sys;
    const double size = tn_v3_norm(s->options.axis);
    s->turns = tn_alloc((size_t)(sys->nv + 1));
    TN_TRY(tn_got(s->turns));
    tn_absolute_turns(sys, s->turns);
    if (s->options.spin == 0.0)
        return TN_OK;
    s->spin = tn_v3_scale(s->options.spin * s->model->units.time / size, s->options.axis);
    s->about = tn_v3_scale(1.0 / s->model->units.length, s->options.about);
    for (int k = 0; k < sys->ngroup; k++) {
        const tn_group *group = &sys->groups[k];
        const bool planar = group->kind == TN_GROUP_R && group->nv > 1 &&
                            (group->nv == 2 || s->turns[group->v0 + 2]);
        if (planar && hypot(s->spin.x, s->spin.y) > 0.0)
            return tn_fail(TN_ERR_USAGE,
                           "spin: body '%s' moves in the plane of x and y, so that the axis of the "
                           "rotation must be 0,0,1",
                           s->model->bodies.at[k + 1].name);
    }
    return TN_OK;
}

// Largest distance of bodies from each other at the start, along an axis. A chain is longer than
// the unit of length, which is that of its links.
static double find_extent(const tn_equilibrium *s)
{
    const tn_system *sys = s->sys;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double most = 1.0;
    for (int k = 0; k < sys->ngroup; k++)
        for (int i = 0; i < 3 && i < sys->groups[k].nv; i++) {
            const double p = s->now.q[sys->groups[k].q0 + i];
            if (s->turns[sys->groups[k].v0 + i])
                break;
            low[i] = fmin(low[i], p);
            high[i] = fmax(high[i], p);
            most = fmax(most, high[i] - low[i]);
        }
    return most;
}

static void take_start(tn_equilibrium *s)
{
    const tn_system *sys = s->sys;
    const tn_state *x = &s->start.x;
    tn_copy(sys->nq, x->q, s->now.q);
    tn_copy(sys->ng, x->lambda, s->now.lambda);
    tn_copy(sys->nn, x->eta, s->now.eta);
    tn_copy(sys->ne, x->e, s->now.e);
    tn_copy(sys->nr, x->r, s->now.r);
    for (int k = 0; k < s->ntrim; k++) {
        double u[3];
        tn_model_eval_input(s->model, s->trim_input[k], x->t, u);
        s->now.p[k] = u[0];
    }
}

// Fails if the state cannot be one of the model.
static tn_status check_kept(const tn_model *m, const tn_saved_state *from)
{
    if (from->nbody != m->bodies.count || from->nstate != m->states.count)
        return tn_fail(TN_ERR_USAGE,
                       "the state is one of %d bodies and %d states, and the model has %d and %d",
                       from->nbody - 1, from->nstate, m->bodies.count - 1, m->states.count);
    if (from->nunknown != m->unknowns.count || from->nsampled != tn_model_sampled_count(m) ||
        from->nsignal != m->signals.count)
        return tn_fail(TN_ERR_USAGE,
                       "the state is one of %d unknowns, %d sampled values and %d signals, and the "
                       "model has %d, %d and %d",
                       from->nunknown, from->nsampled, from->nsignal, m->unknowns.count,
                       tn_model_sampled_count(m), m->signals.count);
    return TN_OK;
}

// Sampled values as they act, and where the search for unknowns begins.
static tn_status take_kept_values(tn_equilibrium *s, const tn_saved_state *from)
{
    const tn_model *m = s->model;
    tn_state *x = &s->start.x;
    const double *value = from->sampled;
    tn_copy(from->nstate, from->states, x->e);
    for (int i = 0; i < from->nunknown; i++)
        if (isfinite(from->unknowns[i]))
            x->e[from->nstate + i] = from->unknowns[i];
    for (int k = 0; k < m->samplers.count; k++)
        for (int i = 0; i < m->samplers.at[k].n; i++, value++) {
            if (!isfinite(*value))
                return tn_fail(TN_ERR_USAGE,
                               "the results have no sampled value '%s.%s'; run the model as it is "
                               "now",
                               m->samplers.at[k].name, m->samplers.at[k].value[i].name);
            tn_absolute_set_sampled(s->sys, k, i, *value, x->r);
        }
    return TN_OK;
}

// Frames and velocities of a state that was kept, in the units of the model.
static tn_status take_kept(tn_equilibrium *s, const tn_saved_state *from)
{
    tn_state *x = &s->start.x;
    const tn_units u = s->model->units;
    TN_TRY(check_kept(s->model, from));
    for (int k = 1; k < from->nbody; k++) {
        const tn_body_state body = {
            .frame = {from->frames[k].R, tn_v3_scale(1.0 / u.length, from->frames[k].p)},
            .velocity = tn_v3_scale(u.time / u.length, from->velocities[k]),
            .rate = tn_v3_scale(u.time, from->rates[k])};
        tn_absolute_set_body(s->sys, k, &body, x->q, x->v);
    }
    x->t = from->t;
    return take_kept_values(s, from);
}

// Relays as they are in the state: by the reactions of the start, then by those that they lead to.
static tn_status recall_kept(tn_equilibrium *s, const tn_saved_state *from)
{
    const tn_point at = tn_state_point(&s->start.x);
    TN_TRY(tn_absolute_recall(s->sys, &at, from->signals));
    TN_TRY(tn_start_refresh(&s->start));
    return tn_absolute_recall(s->sys, &at, from->signals);
}

// The motion that is stated, with its accelerations and multipliers.
static tn_status take_stated(tn_equilibrium *s)
{
    s->as_stated = true;
    if (s->purpose.state)
        TN_TRY(take_kept(s, s->purpose.state));
    tn_scale(s->sys->nv, s->purpose.faster, s->start.x.v);
    if (s->purpose.faster == 1.0 && !s->purpose.state && !s->purpose.input)
        return TN_OK;
    TN_TRY(tn_start_set(&s->start, s->start.x.t, NULL, NULL)); // angles have other rates
    if (s->purpose.state)
        TN_TRY(recall_kept(s, s->purpose.state));
    return tn_start_refresh(&s->start);
}

// Multipliers of a mechanism that is let go at rest, to begin with.
static tn_status let_go(tn_equilibrium *s)
{
    if (s->purpose.as_stated)
        return take_stated(s);
    tn_zero(s->sys->nv, s->start.x.v);
    const tn_status status = tn_start_refresh(&s->start);
    if (status != TN_OK && status != TN_ERR_MEMORY) {
        tn_zero(s->sys->ng, s->start.x.lambda);
        tn_zero(s->sys->nn, s->start.x.eta);
        tn_clear_error();
        return TN_OK;
    }
    return status;
}

static tn_status build_equilibrium(tn_equilibrium *s)
{
    TN_TRY(check_options(&s->options));
    if (!s->purpose.hold_sampled)
        TN_TRY(tn_combination_check(TN_BEFORE_EQUILIBRIUM, (tn_combination){.model = s->model}));
    s->options.start.rotation = "so3";
    TN_TRY(tn_eq_open_loads(s)); // the system copies forces
    TN_TRY(tn_start_model(s->model, &s->options.start, &s->start));
    s->sys = s->start.sys;
    TN_TRY(tn_combination_check(TN_AT_EQUILIBRIUM,
                                (tn_combination){.model = s->model, .sys = s->sys}));
    s->active = tn_start_active(&s->start);
    TN_TRY(tn_eq_hold_input(s));
    TN_TRY(let_go(s));
    TN_TRY(open_spin(s));
    s->by_load = s->options.arc;
    s->np = s->by_load ? 1 : s->ntrim;
    s->border = s->by_load ? EQ_ARC : EQ_TRIM;
    TN_TRY(tn_eq_open(s));
    TN_TRY(tn_carve_block(s, layout_equilibrium, &s->block));
    TN_TRY(tn_eq_open_path(s));
    take_start(s);
    s->extent = find_extent(s);
    return TN_OK;
}

tn_status tn_equilibrium_create(const tn_model *model, const tn_equilibrium_options *options,
                                tn_equilibrium **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, options, out);
    return tn_eq_create(model, options, &(tn_eq_purpose){0}, out);
}

tn_status tn_eq_create(const tn_model *model, const tn_equilibrium_options *options,
                       const tn_eq_purpose *purpose, tn_equilibrium **out)
{
    *out = NULL;
    TN_TRY(tn_model_status(model));
    tn_clear_error();
    tn_equilibrium *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->options = *options;
    s->purpose = *purpose;
    s->given = model;
    tn_status status = tn_model_in_units(model, tn_model_units(model), &s->model);
    TN_THEN(status, build_equilibrium(s));
    if (status != TN_OK) {
        tn_equilibrium_destroy(s);
        return tn_place_error(model, tn_leave(status, "the search for an equilibrium cannot "
                                                      "start"));
    }
    *out = s;
    return TN_OK;
}

void tn_equilibrium_destroy(tn_equilibrium *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->ncolumn; i++)
        tn_free(s->names[i]);
    TN_FREE(s->names, (void *)s->units, s->values, s->turns, s->block);
    tn_eq_close_sides(s);
    tn_eq_close(s);
    tn_basis_destroy(s->basis);
    tn_start_clear(&s->start);
    if (s->model)
        tn_eq_close_loads(s);
    tn_model_in_units_destroy(s->model);
    tn_free(s);
}

// The search ------------------------------------------------------------------------------------

// A mechanism that turns as a whole keeps its constraints on the way.
static tn_status check_spin(tn_equilibrium *s)
{
    tn_system *sys = s->sys;
    const double speed = tn_v3_norm(s->spin);
    if (speed == 0.0)
        return TN_OK;
    const tn_point at = tn_eq_point(s, &s->now);
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_GDOT));
    for (int i = 0; i < sys->ng + sys->nn; i++) {
        const double rate = i < sys->ng ? sys->gdot[i] : sys->ndot[i - sys->ng];
        if (!(fabs(rate) <= 1e-6 * speed)) {
            char name[160];
            sys->ops->row_name(sys, i, name, sizeof name);
            return tn_fail(TN_ERR_NUMERIC,
                           "spin: the mechanism cannot turn about this axis as a whole: %s does "
                           "not allow it; choose the axis of its bearing, or make that joint turn "
                           "with it",
                           name);
        }
    }
    return TN_OK;
}

// Rows of velocities may ask for motion where the search has ended, as q.velocity.x - 0.2 always
// does.
static tn_status check_rest(tn_equilibrium *s)
{
    tn_system *sys = s->sys;
    const tn_point at = tn_eq_point(s, &s->now);
    if (s->as_stated || tn_v3_norm(s->spin) > 0.0)
        return TN_OK;
    TN_TRY(tn_system_eval(sys, &at, TN_EVAL_GDOT));
    for (int i = 0; i < sys->nn; i++) {
        const tn_joint_data *joint =
            &s->model->joints.at[tn_absolute_row_joint(sys, sys->ng + i, NULL)];
        if (joint->ops->by_formula && !(fabs(sys->ndot[i]) <= TN_ROUND_ITERATE))
            return tn_fail(TN_ERR_MODEL,
                           "joint '%s': its row is not zero without motion at the position that "
                           "was found, so that the mechanism does not rest there; leave the joint "
                           "out, or take 'tenon run'",
                           joint->name);
    }
    return TN_OK;
}

// Takes multipliers of minimum norm, as runs report them, if constraints repeat each other.
static void share_reactions(tn_equilibrium *s)
{
    const int ng = s->sys->ng;
    const tn_point at = tn_eq_point(s, &s->now);
    tn_copy(ng, s->now.lambda, s->shared);
    tn_copy(s->sys->nn, s->now.eta, s->shared + ng);
    if (s->start.redundancy.count > 0 && tn_row_choice_look(s->start.rows, &at) == TN_OK)
        tn_row_choice_share(s->start.rows, s->shared);
}

// Measures the residual at the end, in SI units.
static tn_status measure_equilibrium(tn_equilibrium *s)
{
    TN_TRY(tn_eq_rows(s, &s->now, s->rows));
    s->facts.residual = 0.0;
    for (int i = 0; i < s->sys->nv; i++)
        s->facts.residual =
            fmax(s->facts.residual, fabs(s->rows[i]) * tn_system_unit(s->sys, TN_MEASURE_FORCE, i));
    s->facts.misfit = tn_system_largest_row(s->sys, s->sys->g);
    s->facts.load = s->load;
    share_reactions(s);
    return TN_OK;
}

// All rows hold, also those that were left out as they repeat others.
static tn_status check_rows(tn_equilibrium *s)
{
    static const double OPEN = 1e-5; // sizes of the model, rad
    tn_system *sys = s->sys;
    char name[160];
    const int worst = sys->ng > 0 ? tn_largest_at(sys->ng, sys->g) : 0;
    if (sys->ng == 0 || fabs(sys->g[worst]) <= OPEN)
        return TN_OK;
    sys->ops->row_name(sys, worst, name, sizeof name);
    return tn_fail(TN_ERR_NUMERIC,
                   "no equilibrium was found: %s, which was left out as it repeats others, is open "
                   "by %.3g; a smaller dependence_tol in `simulate` keeps it",
                   name, fabs(sys->g[worst]) * tn_system_row_unit(sys, worst));
}

// States stand still, within their limits.
static tn_status check_states(tn_equilibrium *s)
{
    const tn_system *sys = s->sys;
    for (int i = 0; i < sys->nc && i < s->model->states.count; i++) {
        const tn_state_def *def = &s->model->states.at[i];
        const double rate = sys->extra[i], value = s->now.e[i];
        if (fabs(rate) > 1e-6 * fmax(1.0, fabs(value)))
            return tn_fail(TN_ERR_NUMERIC,
                           "no equilibrium was found: state '%s' goes on with the rate %.4g, "
                           "whatever the position",
                           def->name, rate);
        const double room = TN_ROUND_ITERATE * fmax(1.0, fabs(value));
        if (value < def->lower - room || value > def->upper + room)
            return tn_fail(TN_ERR_NUMERIC,
                           "no equilibrium was found within limits: state '%s' would have to be "
                           "%.6g, and its limits are [%g, %g]",
                           def->name, value, def->lower, def->upper);
    }
    return TN_OK;
}

tn_status tn_equilibrium_find(tn_equilibrium *s)
{
    TN_NEED(s, TN_ERR_USAGE);
    tn_clear_error();
    s->nrow = 0;
    s->facts = (tn_equilibrium_facts){.t = s->start.x.t, .limit = NAN, .jumped_from = NAN};
    s->verdict = (tn_verdict){0};
    tn_status status = check_spin(s);
    TN_THEN(status, tn_eq_follow(s));
    TN_THEN(status, check_rest(s));
    TN_THEN(status, check_spin(s));
    s->facts.load = s->load;
    TN_THEN(status, tn_eq_check_rotation(s, false));
    TN_THEN(status, measure_equilibrium(s));
    TN_THEN(status, check_rows(s));
    TN_THEN(status, check_states(s));
    TN_THEN(status, tn_eq_judge_sides(s));
    if (status == TN_OK && s->facts.stability == TN_UNSTABLE)
        tn_eq_measure_growth(s);
    return tn_place_error(s->given, tn_leave(status, "no equilibrium was found"));
}

// Read-out --------------------------------------------------------------------------------------

TN_GETTER(const tn_equilibrium_facts *, tn_equilibrium_facts_of, (const tn_equilibrium *s), s, NULL,
          &s->facts);
TN_GETTER(const tn_verdict *, tn_equilibrium_verdict, (const tn_equilibrium *s), s, NULL,
          &s->verdict);
TN_GETTER(int, tn_equilibrium_trim_count, (const tn_equilibrium *s), s, 0, s->ntrim);
TN_GETTER_AT(const char *, tn_equilibrium_trim_name, (const tn_equilibrium *s, int i), s, i,
             s->ntrim, "", s->model->inputs.at[s->trim_input[i]]->name);
TN_GETTER_AT(double, tn_equilibrium_trim_value, (const tn_equilibrium *s, int i), s, i, s->ntrim,
             NAN, s->now.p[i]);

int tn_equilibrium_joint_coordinates(tn_equilibrium *s, tn_joint joint, double *q)
{
    TN_NEED_ALL(0, s, q);
    TN_NEED_INDEX(joint.index, s->model->joints.count, 0);
    const tn_point at = tn_eq_point(s, &s->now);
    double rate[TN_JOINT_MAX_COORDS];
    const int n = tn_absolute_coordinates(s->sys, &at, joint.index, q, rate);
    for (int i = 0; i < n; i++)
        q[i] *= tn_unit_joint_coordinate(s->model, joint, i);
    return n;
}

tn_frame tn_equilibrium_body_frame(tn_equilibrium *s, tn_body body)
{
    TN_NEED(s, tn_frame_identity);
    TN_NEED_INDEX(body.index, s->model->bodies.count, tn_frame_identity);
    const tn_point at = tn_eq_point(s, &s->now);
    return tn_absolute_frame_in_si(s->sys, &at, body.index);
}

tn_wrench tn_equilibrium_joint_reaction(tn_equilibrium *s, tn_joint joint)
{
    TN_NEED(s, ((tn_wrench){0}));
    TN_NEED_INDEX(joint.index, s->model->joints.count, ((tn_wrench){0}));
    tn_point at = tn_eq_point(s, &s->now);
    at.lambda = s->shared;
    at.eta = s->shared + s->sys->ng;
    return tn_wrench_in_si(s->model->units, tn_absolute_reaction(s->sys, &at, joint.index));
}

tn_status tn_equilibrium_force(tn_equilibrium *s, tn_force force, tn_force_state *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, s, out);
    TN_NEED_INDEX(force.index, s->model->forces.count, TN_ERR_USAGE);
    const tn_point at = tn_eq_point(s, &s->now);
    *out = (tn_force_state){0};
    s->sys->ops->mechanism->force(s->sys, &at, force.index, out);
    tn_force_state_to_si(s->model->units, &s->model->forces.at[force.index].row, out);
    return TN_OK;
}

tn_equilibrium_path tn_equilibrium_path_of(const tn_equilibrium *s)
{
    TN_NEED(s, ((tn_equilibrium_path){0}));
    return (tn_equilibrium_path){.rows = s->nrow,
                                 .ncolumn = s->ncolumn,
                                 .names = (const char *const *)s->names,
                                 .units = s->units,
                                 .values = s->values};
}
