// SPDX-License-Identifier: MIT
//
// The start of a model on position and velocity level; see start_parts.h.

#include "start/start_parts.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "start/sizes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Weight of values that the model states, beside 1 of those it leaves open. Restating makes the
// stated ones exact, each time by about this factor. Weights below 1 make the solver turn to the
// rows for pivots, which fills its factors.
static const double STATED = 1e4;
// Amplitudes of modal bodies stay, but where nothing else can give way: a stiff body whose shape
// changed at the start would ring.
static const double AMPLITUDE = 1e12;
enum { RESTATEMENTS = 12 };
static const double ROUND_OFF = 1e-15; // changes of stated values that no restating removes
// Misfit, in sizes of the mechanism, from which on bodies are placed anew before the search.
static const double PLACE_FROM = 1e-3;
// Part by which another way to assemble must be nearer to what is stated: round-off chooses none.
static const double NEARER = 1e-6;
// Bodies up to which other ways are tried: each costs a search, and nobody types more by hand.
enum { MOST_TRIED = 1000 };
static const double NEARLY = 1e-3; // distance of a row from others at which a loop is all but free
// Largest error of stated velocities, relative to the speeds: digits that a user typed.
static const double STATED_TOL = 1e-6;

typedef struct assembly {
    const tn_model *model;
    tn_start *s;
    tn_system *sys; // with rows for stated joint coordinates
    tn_initial *initial;
    tn_sparse *L;
    double size;           // of the mechanism [m]
    double *unit, *weight; // nv
    double *stated;        // nv: velocities with the stated ones put back
    double *r;             // nr
    tn_place_way way;      // how the search begins
    bool placed;           // it moved bodies before
    double *first_r;       // nr: before the first search
    double *q;             // nq
    double least;          // as of tn_redundancy
    int least_row;
    void *block;
} assembly;

static void layout_assemble(void *self, tn_carve *mem)
{
    assembly *a = self;
    TN_CARVE_DOUBLES(mem, a->sys->nv, &a->unit, &a->weight, &a->stated);
    TN_CARVE_DOUBLES(mem, a->sys->nr, &a->r, &a->first_r);
    a->q = tn_carve_doubles(mem, a->sys->nq);
    if (a->s->one_sided) {
        a->sys->row_side = tn_carve_ints(mem, a->sys->ng + a->sys->nn);
        a->sys->row_open = tn_carve_ints(mem, a->sys->ng + a->sys->nn);
    }
}

// The metric --------------------------------------------------------------------------------------

static void set_metric(assembly *a)
{
    TN_ASSERT(a->size > 0.0);
    for (int k = 1; k < a->model->bodies.count; k++) {
        int v0;
        const int nv = tn_absolute_body_velocity(a->sys, k, &v0);
        for (int i = 0; i < nv; i++)
            a->unit[v0 + i] = i < a->model->bodies.at[k].ops->moves ? a->size : 1.0;
    }
    tn_initial_set_metric(a->initial, a->unit, a->size);
}

static void assemble_set_weights(assembly *a, bool velocity)
{
    for (int k = 1; k < a->model->bodies.count; k++) {
        const tn_body_kept *def = &a->model->bodies.at[k].def;
        const int moves = a->model->bodies.at[k].ops->moves;
        int v0;
        const int nv = tn_absolute_body_velocity(a->sys, k, &v0);
        const bool move = velocity ? def->given_velocity : def->given_position;
        const bool turn = velocity ? def->given_rate : def->given_rotation;
        for (int i = 0; i < nv; i++)
            a->weight[v0 + i] = def->fixed_start            ? INFINITY
                                : moves == 1                ? AMPLITUDE
                                : (i < moves ? move : turn) ? STATED
                                                            : 1.0;
    }
    tn_initial_set_weights(a->initial, a->weight);
}

// Levers ------------------------------------------------------------------------------------------

// Returns true if the model states the position (or velocity) of a body frame whose origin is not
// the centre of mass, and leaves the rest of its motion to the assembly.
static bool needs_lever(const tn_body_kept *def)
{
    const bool moves = def->given_position || def->given_velocity;
    return moves && !def->fixed_start && tn_v3_norm(def->com) > 0.0;
}

// The pattern of L of initial.h; NULL where no body needs it. Groups are the bodies in their order.
static tn_status create_levers(assembly *a)
{
    const tn_system *sys = a->sys;
    int count = 0;
    int *size = tn_alloc(sizeof(int) * (size_t)(sys->ngroup + 1));
    tn_pair_index *blocks = tn_alloc(sizeof *blocks * (size_t)(sys->ngroup + 1));
    tn_status status = tn_got(size && blocks);
    for (int k = 0; status == TN_OK && k < sys->ngroup; k++) {
        size[k] = sys->groups[k].nv;
        if (needs_lever(&a->model->bodies.at[k + 1].def))
            blocks[count++] = (tn_pair_index){k, k};
    }
    if (status == TN_OK && count > 0)
        status = tn_sparse_create(sys->ngroup, size, sys->ngroup, size, count, blocks, &a->L);
    TN_FREE(size, blocks);
    return status;
}

// A stated position or velocity is that of the body frame, not of the centre of mass; where it is
// not stated the centre of mass is free.
static void set_levers(assembly *a, const double *q, bool velocity)
{
    if (!a->L)
        return;
    tn_sparse_clear(a->L);
    for (int k = 1; k < a->model->bodies.count; k++) {
        const tn_body_kept *def = &a->model->bodies.at[k].def;
        double lever[6][6] = {{0}};
        if (needs_lever(def) && (velocity ? def->given_velocity : def->given_position) &&
            tn_absolute_lever(a->sys, q, k, lever))
            tn_sparse_add(a->L, tn_sparse_slot(a->L, k - 1, k - 1), 1.0, &lever[0][0], 6);
    }
}

// Rows --------------------------------------------------------------------------------------------

// `active` (rows of the mechanism, NULL for all) says which are not left out.
static tn_status set_rows(assembly *a, const int *active)
{
    const int rows = a->sys->ng + a->sys->nn;
    int *part = tn_alloc(sizeof(int) * (size_t)(2 * rows + 1));
    TN_TRY(tn_got(part));
    for (int i = 0; i < rows; i++) {
        const tn_row_levels level = tn_absolute_row_levels(a->sys, i);
        const int here = i < a->sys->ng ? i : a->s->sys->ng + i - a->sys->ng;
        const bool stated = i >= a->s->sys->ng && i < a->sys->ng;
        if (!stated && (tn_system_row_is_one_sided(a->s->sys, here) || (active && !active[here])))
            continue;
        part[i] = !level.position ? TN_ROW_OFF : level.guess ? TN_ROW_GUESS : TN_ROW_HOLDS;
        part[rows + i] = level.velocity ? TN_ROW_HOLDS : TN_ROW_OFF;
    }
    tn_initial_set_rows(a->initial, part, part + rows);
    tn_free(part);
    return TN_OK;
}

// Positions ---------------------------------------------------------------------------------------

static bool has_guess(const tn_model *model)
{
    for (int k = 0; k < model->joints.count; k++)
        if (model->joints.at[k].def->guess && model->joints.at[k].def->nposition > 0)
            return true;
    return false;
}

static bool states_a_position(const tn_model *model)
{
    for (int k = 1; k < model->bodies.count; k++) {
        const tn_body_kept *def = &model->bodies.at[k].def;
        if (!def->fixed_start && (def->given_position || def->given_rotation))
            return true;
    }
    return has_guess(model);
}

// Bodies that do not stand as joints and stated coordinates ask are placed along them first.
static tn_status place_assemble(assembly *a, const tn_point *at)
{
    double *q = a->s->x.q;
    if (a->way == TN_PLACE_CARRIED && !has_guess(a->model) &&
        tn_initial_misfit(a->initial, at, q) < PLACE_FROM &&
        tn_place_flipped(a->model, a->sys, q) < 0)
        return TN_OK;
    TN_TRY(tn_place_positions(a->model, a->sys, NULL, at->t, a->way, q));
    a->placed = true;
    tn_absolute_fix_constants(a->sys, q, a->r);
    return TN_OK;
}

static void assemble_wanted(void *of, const double *q, double *d)
{
    assembly *a = of;
    set_levers(a, q, false);
    tn_absolute_stated_offset(a->sys, q, d);
}

static tn_status refuse_flipped(const assembly *a, const double *q)
{
    const int joint = tn_place_flipped(a->model, a->sys, q);
    if (joint < 0)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "the mechanism can only be assembled with the axes of joint '%s' against each "
                   "other: turn its frame_a or frame_b by half a turn, or state where the bodies "
                   "that it connects start",
                   a->model->joints.at[joint].name);
}

// Memories and constants of the mechanism that come from the configuration, on the turns that the
// model states.
static tn_status settle_assemble(assembly *a)
{
    tn_start *s = a->s;
    tn_copy(s->sys->nr, a->r, s->x.r);
    tn_absolute_fix_constants(s->sys, s->x.q, s->x.r);
    const tn_point at = tn_state_point(&s->x);
    return s->sys->ops->accept(s->sys, &at, s->x.r);
}

static tn_status assemble_leave_out(assembly *a)
{
    tn_redundancy *r = &a->s->redundancy;
    TN_TRY(settle_assemble(a));
    tn_redundancy_clear(r);
    TN_TRY(tn_start_find_redundancy(a->s));
    a->least = r->least;
    a->least_row = r->least_row;
    return set_rows(a, r->count > 0 ? r->active : NULL);
}

// Rows that repeat others, but perhaps for some digits, would hold a loop in the one position in
// which they fit exactly: they are left out before anything else is asked for.
static tn_status close_loops(assembly *a, const tn_point *at, double tol)
{
    TN_ASSERT(tol > 0.0);
    tn_start *s = a->s;
    tn_initial_set_near(a->initial, tn_dependence_judge * s->dependence_tol);
    const tn_status status = tn_initial_position(a->initial, at, tol, s->x.q, NULL);
    tn_initial_set_near(a->initial, 0.0);
    if (status < 0)
        return status;
    TN_TRY(assemble_leave_out(a));
    if (status != TN_OK || s->redundancy.count > 0)
        TN_TRY(tn_initial_position(a->initial, at, tol, s->x.q, NULL));
    return TN_OK;
}

static tn_status assemble_positions(assembly *a, const tn_point *at, double tol)
{
    TN_ASSERT(tol > 0.0);
    double *q = a->s->x.q;
    TN_TRY(set_rows(a, NULL));
    assemble_set_weights(a, false);
    TN_TRY(place_assemble(a, at));
    set_levers(a, q, false);
    TN_TRY(close_loops(a, at, tol));
    tn_copy(a->sys->nq, q, a->q);
    if (states_a_position(a->model))
        TN_TRY(tn_initial_approach(a->initial, at, q));
    if (memcmp(q, a->q, sizeof(double) * (size_t)a->sys->nq) != 0) {
        TN_TRY(assemble_leave_out(a)); // in another position
        TN_TRY(tn_initial_position(a->initial, at, tol, q, NULL));
    }
    return refuse_flipped(a, q);
}

// Velocities --------------------------------------------------------------------------------------

// The largest change from v to w in the metric, and the body that it belongs to.
static double largest_change(const assembly *a, const double *v, const double *w, int *body)
{
    double most = 0.0;
    *body = 1;
    for (int k = 1; k < a->model->bodies.count; k++) {
        int v0;
        const int nv = tn_absolute_body_velocity(a->sys, k, &v0);
        for (int i = v0; i < v0 + nv; i++)
            if (fabs(w[i] - v[i]) / a->unit[i] > (1.0 + 1e-6) * most) {
                most = fabs(w[i] - v[i]) / a->unit[i];
                *body = k;
            }
    }
    return most;
}

static double speed(const assembly *a, const double *v)
{
    double most = 0.0;
    for (int i = 0; i < a->sys->nv; i++)
        most = fmax(most, fabs(v[i]) / a->unit[i]);
    return most;
}

static tn_status refuse_velocity(const assembly *a, int body)
{
    const tn_body_kept *def = &a->model->bodies.at[body].def;
    char rows[480];
    int v0;
    const int nv = tn_absolute_body_velocity(a->sys, body, &v0);
    tn_initial_pressed(a->initial, v0, nv, rows, sizeof rows);
    return tn_fail(TN_ERR_MODEL,
                   "body '%s': its stated %s cannot hold together with %s; change one of them, or "
                   "leave it out so that it follows",
                   a->model->bodies.at[body].name,
                   !def->given_rate       ? "velocity"
                   : !def->given_velocity ? "rate"
                                          : "velocity and rate",
                   rows);
}

// Finds the velocities that the model leaves open from those that it states: these are put back and
// the open ones taken as they came out, until nothing changes. The stated ones are then met, or
// cannot be.
static tn_status assemble_velocities(assembly *a, const tn_point *at)
{
    double *v = a->s->x.v, change = INFINITY, last = INFINITY;
    int body = 1;
    assemble_set_weights(a, true);
    set_levers(a, at->q, true);
    TN_TRY(tn_place_velocities(a->model, a->sys, NULL, at->t, a->size, at->q, v));
    if (a->sys->bent_row) // which rows repeat others depends on velocities
        TN_TRY(assemble_leave_out(a));
    for (int k = 0; k < RESTATEMENTS; k++) {
        tn_copy(a->sys->nv, v, a->stated);
        tn_absolute_restate(a->sys, at->q, a->stated);
        last = change;
        change = largest_change(a, v, a->stated, &body);
        const bool stuck = k > 2 && change > 0.9 * last;
        if (k > 0 && (change <= ROUND_OFF * speed(a, v) || stuck))
            break;
        tn_copy(a->sys->nv, a->stated, v);
        TN_TRY(tn_initial_velocity(a->initial, at, TN_ROUND_ITERATE, v));
    }
    return change <= STATED_TOL * speed(a, a->stated) ? TN_OK : refuse_velocity(a, body);
}

// The whole ---------------------------------------------------------------------------------------

static void add_fixed(const assembly *a, tn_body body, char *text, size_t size)
{
    const tn_body_data *data = &a->model->bodies.at[body.index];
    char add[160];
    snprintf(add, sizeof add, "; body '%s' is fixed", data->name);
    if (data->def.fixed_start && !strstr(text, add) && strlen(text) + strlen(add) < size)
        strcat(text, add);
}

// Adds to an error the bodies that must not move of the joints that it names.
static tn_status name_fixed(const assembly *a, tn_status status)
{
    char text[800], name[160];
    if (status != TN_ERR_MODEL)
        return status;
    snprintf(text, sizeof text, "%s", tn_last_error());
    for (int k = 0; k < a->model->joints.count; k++) {
        const tn_joint_data *joint = &a->model->joints.at[k];
        snprintf(name, sizeof name, "joint '%s'", joint->name);
        if (!joint->ops->relative || !strstr(tn_last_error(), name))
            continue;
        add_fixed(a, joint->def->body_a, text, sizeof text);
        add_fixed(a, joint->def->body_b, text, sizeof text);
    }
    return tn_fail(status, "%s", text);
}

static tn_status open_assembly(assembly *a, tn_rotation rotation)
{
    TN_TRY(tn_absolute_create(a->model, rotation, true, &a->sys));
    a->sys->piece = a->s->sys->piece;
    TN_TRY(tn_carve_block(a, layout_assemble, &a->block));
    for (int i = 0; a->s->one_sided && i < a->s->sys->ng + a->s->sys->nn; i++) {
        // Bodies may be apart at these rows; those of velocities follow start rows.
        const int to = i < a->s->sys->ng ? i : a->sys->ng + i - a->s->sys->ng;
        a->sys->row_side[to] = a->s->sys->row_side[i];
        a->sys->row_open[to] = a->s->sys->row_open[i];
    }
    TN_TRY(create_levers(a));
    TN_TRY(tn_initial_create(a->sys, a->L, &a->initial));
    tn_initial_set_request(a->initial, assemble_wanted, a);
    return set_rows(a, NULL);
}

static tn_status assemble_by(assembly *a, const tn_point *at, tn_place_way way, double tol)
{
    a->way = way;
    tn_copy(a->sys->nq, a->s->q_given, a->s->x.q);
    tn_copy(a->sys->nr, a->first_r, a->r);
    tn_absolute_fix_constants(a->sys, a->s->x.q, a->r);
    return assemble_positions(a, at, tol);
}

// Distance of the result of a way to assemble from what is stated; INFINITY if it failed.
static double distance_of(assembly *a, const tn_point *at, tn_status status)
{
    return status == TN_OK ? tn_initial_distance(a->initial, at, a->s->x.q) : INFINITY;
}

// A search ends on the branch on which it begins. Where that misses what is stated, or ends in a
// residual, others are tried and the nearest is taken. An error stays that of the first.
static tn_status take_nearest(assembly *a, const tn_point *at, tn_status status, double tol)
{
    char text[800] = "";
    tn_place_way nearest = TN_PLACE_CARRIED;
    double least = distance_of(a, at, status);
    if (status != TN_OK)
        snprintf(text, sizeof text, "%s", tn_last_error());
    const bool large = a->model->bodies.count > MOST_TRIED;
    if (least <= PLACE_FROM * sqrt(STATED) || (large && status == TN_OK))
        return status;
    for (int way = TN_PLACE_GIVEN; way < (large ? TN_PLACE_FITTED : TN_PLACE_WAYS); way++) {
        const tn_status other = assemble_by(a, at, (tn_place_way)way, tol);
        if (other == TN_ERR_MEMORY)
            return other;
        const double found = distance_of(a, at, other);
        if (found < (1.0 - NEARER) * least) {
            least = found;
            nearest = (tn_place_way)way;
        }
    }
    if (!isfinite(least))
        return tn_fail(status, "%s", text);
    return a->way == nearest ? TN_OK : assemble_by(a, at, nearest, tol);
}

static tn_status assemble(assembly *a, double tol)
{
    tn_state *x = &a->s->x;
    tn_absolute_start(a->sys, x->q, x->v, a->r);
    tn_absolute_start_turns(a->sys, x->t, a->r);
    tn_copy(a->sys->nq, x->q, a->s->q_given);
    tn_copy(a->sys->nv, x->v, a->s->v_given);
    tn_copy(a->sys->nr, a->r, a->first_r);
    const tn_point at = {.t = x->t, .q = x->q, .v = x->v, .r = a->r};
    a->size = tn_sizes_length(a->model, a->sys, &at);
    set_metric(a);
    tn_status status = assemble_positions(a, &at, tol);
    if (status == TN_OK || (status == TN_ERR_MODEL && a->placed))
        status = take_nearest(a, &at, status, tol);
    TN_TRY(status);
    return assemble_velocities(a, &at);
}

static void close_assembly(assembly *a)
{
    tn_initial_destroy(a->initial);
    tn_sparse_destroy(a->L);
    tn_system_destroy(a->sys);
    tn_free(a->block);
}

// A loop that is off by more than counts as typed has no freedom: it may be why something cannot
// hold; at rest it stands still, which only a reader can distinguish from what was meant.
static tn_status hint_at_dependence(const assembly *a, tn_status status)
{
    char name[160];
    if ((status != TN_ERR_MODEL && status != TN_OK) || !(a->least < NEARLY))
        return status;
    a->s->sys->ops->row_name(a->s->sys, a->least_row, name, sizeof name);
    if (status == TN_OK) {
        tn_notes_add(&a->s->notes,
                     "%s repeats others but for %.1e, above dependence_tol %g, and takes part: if "
                     "it locks a loop that is meant to move, make its axes and lengths fit, or "
                     "state a dependence_tol above that",
                     name, a->least, a->s->dependence_tol);
        return TN_OK;
    }
    return tn_fail(status,
                   "%s; %s repeats others but for %.1e: if a loop is meant to move, make its axes "
                   "and lengths fit, or state a dependence_tol above that",
                   tn_last_error(), name, a->least);
}

tn_status tn_assemble(const tn_model *model, const tn_sim_options *options, tn_rotation rotation,
                      bool *tree, tn_start *s)
{
    assembly a = {.model = model, .s = s, .least = 1.0};
    s->x.t = options->t_start;
    TN_TRY(tn_assemble_tree(model, s, tree));
    if (*tree)
        return TN_OK;
    TN_TRY(tn_absolute_open_blocks(s->sys));
    tn_status status = open_assembly(&a, rotation);
    TN_THEN(status, name_fixed(&a, assemble(&a, options->assembly_tol)));
    TN_THEN(status, settle_assemble(&a));
    close_assembly(&a);
    return hint_at_dependence(&a, status);
}
