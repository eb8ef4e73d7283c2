// SPDX-License-Identifier: MIT
//
// From a model, or from a user's functions, to consistent start values; see start.h.

#include "start/start.h"
#include "start/combinations.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "base/tolerance.h"
#include "coords/director.h"
#include "coords/joint_coords.h"
#include "linalg/dense.h"
#include "model/model_kinks.h"
#include "model/units.h"
#include "model/vocabulary.h"
#include "start/start_parts.h"
#include "system/absolute.h"
#include "system/callbacks.h"

#include <math.h>
#include <string.h>

static const double NOTED = 1e-11; // distance of rows that is reported, far above round-off

static void layout_start(void *self, tn_carve *mem)
{
    tn_start *s = self;
    const tn_system *sys = s->sys;
    tn_state_layout(sys, &s->x, mem);
    TN_CARVE_DOUBLES(mem, sys->nq, &s->q_given);
    TN_CARVE_DOUBLES(mem, sys->nv, &s->v_given);
    s->massless = tn_carve_ints(mem, sys->nv);
    s->sys->row_side = s->one_sided ? tn_carve_ints(mem, sys->ng + sys->nn) : NULL;
    s->sys->row_open = s->one_sided ? tn_carve_ints(mem, sys->ng + sys->nn) : NULL;
    s->sys->slide = tn_carve_bytes(mem, (size_t)sys->nslide * sizeof *sys->slide);
    s->sys->slide_eta = tn_carve_doubles(mem, sys->nslide > 0 ? sys->nn : 0);
}

static bool parts_somewhere(const tn_model *model)
{
    for (int k = 0; k < model->joints.count; k++)
        if (model->joints.at[k].def->one_sided)
            return true;
    return false;
}

static int count_slides(const tn_model *model)
{
    int n = 0;
    for (int k = 0; k < model->joints.count; k++)
        n += tn_joint_rubs(&model->joints.at[k]);
    return n;
}

static void open_slip(tn_start *s, const tn_model *model, int joint, tn_slide *slide)
{
    const int normal = tn_absolute_joint_row(s->sys, joint, 0);
    const int row = tn_absolute_joint_row(s->sys, joint, 1);
    *slide = (tn_slide){.row = row - s->sys->ng,
                        .n = tn_joint_roll_count(model, joint),
                        .normal = normal,
                        .side = s->sys->row_side[normal],
                        .way = {1.0}};
    for (int i = 0; i < slide->n; i++)
        s->sys->row_side[row + i] = s->sys->row_open[row + i] = 1;
}

// The rows at which bodies may part are open until a run closes them.
static void open_one_sided(tn_start *s, const tn_model *model)
{
    int slides = 0;
    for (int k = 0; k < model->joints.count; k++) {
        const tn_joint_data *joint = &model->joints.at[k];
        if (!joint->def->one_sided)
            continue;
        const int row = tn_absolute_joint_row(s->sys, k, 0);
        s->sys->row_side[row] = joint->ops->free_side;
        s->sys->row_open[row] = 1;
        if (tn_joint_rubs(joint))
            open_slip(s, model, k, &s->sys->slide[slides++]);
    }
}

// The same rows in other coordinates; the world is only read from now on.
static void take_one_sided(tn_start *s)
{
    tn_system *world = s->world->sys;
    for (int i = 0; s->one_sided && i < s->sys->ng; i++) {
        const int row = s->sys->ops->world->row(s->sys, i);
        s->sys->row_side[i] = s->sys->row_open[i] = 0;
        if (row >= 0 && world->row_side[row]) {
            s->sys->row_side[i] = world->row_side[row];
            s->sys->row_open[i] = 1;
            for (int k = 0; k < world->nslide; k++)
                if (world->slide[k].normal == row)
                    s->sys->slide[k].normal = i;
        }
    }
    for (int i = 0; s->one_sided && i < s->sys->nn; i++)
        s->sys->row_side[s->sys->ng + i] = s->sys->row_open[s->sys->ng + i] =
            world->row_side[world->ng + i];
    world->row_open = NULL;
}

// Slides of the world in other coordinates, which have places of their own.
static void copy_slides(tn_start *s)
{
    for (int k = 0; k < s->sys->nslide; k++) {
        s->sys->slide[k] = s->world->sys->slide[k];
        s->sys->slide[k].ncol = 0;
        s->sys->slide[k].col = NULL;
    }
}

void tn_start_set_slide(tn_start *s, int k, bool slips, const double *way)
{
    tn_system *const systems[] = {s->sys, s->world ? s->world->sys : s->sys};
    TN_ASSERT(k >= 0 && k < s->sys->nslide);
    for (int i = 0; i < TN_COUNT(systems); i++) {
        systems[i]->slide[k].mu = s->sys->slide[k].mu;
        systems[i]->slide[k].slips = slips;
        for (int m = 0; way && m < systems[i]->slide[k].n; m++)
            systems[i]->slide[k].way[m] = way[m];
    }
}

void tn_start_set_row(tn_start *s, int row, bool open, bool active)
{
    TN_ASSERT(tn_system_row_is_one_sided(s->sys, row));
    s->sys->row_open[row] = open;
    s->redundancy.active[row] = active;
    if (s->rows)
        s->rows->active[row] = active;
    tn_accel_set_active(s->accel, tn_start_active(s));
}

void tn_start_clear(tn_start *start)
{
    tn_redundancy_clear(&start->redundancy);
    tn_row_choice_destroy(start->rows);
    tn_initial_destroy(start->initial);
    tn_accel_destroy(start->accel);
    tn_system_destroy(start->sys);
    tn_free(start->block);
    if (start->world) {
        tn_start_clear(start->world);
        tn_free(start->world);
    }
    *start = (tn_start){0};
}

// Joints that form a tree leave its freedoms and nothing else: where there are as many rows as
// velocities are left over, each row takes one, and none repeats others.
static tn_status is_tree(const tn_start *s, bool *out)
{
    int nv = 0, ng = 0;
    bool local;
    *out = false;
    if (s->world || s->from_callbacks || s->sys->nn > 0)
        return TN_OK;
    const tn_status status = tn_joint_coords_size(s->sys, &nv, &ng, &local);
    *out = status == TN_OK && ng == 0 && s->sys->nv - s->sys->ng == nv;
    return status == TN_ERR_MEMORY ? status : TN_OK;
}

// In absolute coordinates, and for users' equations.
static tn_status find_sizes(tn_start *s, tn_row_sizes *out)
{
    const tn_point at = tn_state_point(&s->x);
    if (s->from_callbacks)
        return tn_row_sizes_find(s->sys, &at, NULL, out);
    bool *turns = tn_alloc((size_t)(s->sys->nv + 1));
    TN_TRY(tn_got(turns));
    tn_absolute_turns(s->sys, turns);
    const tn_status status = tn_row_sizes_find(s->sys, &at, turns, out);
    tn_free(turns);
    return status;
}

// A loop that is off by some digits holds but for these in the rows that are left out: rows of the
// tree take part then, so that the same rows serve in all coordinates.
static tn_status search_along_tree(tn_start *s, const tn_row_sizes *sizes)
{
    const tn_point at = tn_state_point(&s->x);
    int *first = tn_alloc(sizeof(int) * (size_t)(s->sys->ng + s->sys->nn + 1));
    TN_TRY(tn_got(first));
    tn_redundancy_clear(&s->redundancy);
    tn_status status = tn_joint_coords_tree_rows(s->sys, first);
    TN_THEN(status, tn_redundancy_find(s->sys, &at, sizes, tn_dependence_rank * s->dependence_tol,
                                       first, &s->redundancy));
    tn_free(first);
    return status;
}

static tn_status search_redundancy(tn_start *s, const tn_row_sizes *sizes)
{
    bool tree;
    const tn_point at = tn_state_point(&s->x);
    const double tol = tn_dependence_rank * s->dependence_tol;
    TN_TRY(is_tree(s, &tree));
    if (tree)
        return tn_redundancy_none(s->sys, sizes, &s->redundancy);
    TN_TRY(tn_redundancy_find(s->sys, &at, sizes, tol, NULL, &s->redundancy));
    const bool typed = s->redundancy.count > 0 && s->redundancy.off > tn_redundancy_typed;
    return typed && !s->from_callbacks ? search_along_tree(s, sizes) : TN_OK;
}

tn_status tn_start_find_redundancy(tn_start *s)
{
    TN_ASSERT(!s->redundancy.active);
    if (s->world) {
        const tn_point at = tn_state_point(&s->x), there = tn_state_point(&s->world->x);
        TN_TRY(tn_redundancy_over(s->sys, &at, &there, &s->world->redundancy, &s->redundancy));
    } else {
        tn_row_sizes sizes;
        TN_TRY(find_sizes(s, &sizes));
        const tn_status status = search_redundancy(s, &sizes);
        tn_row_sizes_clear(&sizes);
        return status;
    }
    return TN_OK;
}

static tn_status solve_accelerations(tn_start *s)
{
    const tn_point at = tn_state_point(&s->x);
    return tn_leave(tn_accel_solve(s->accel, &at, s->x.e, s->x.a, s->x.lambda, s->x.eta),
                    "no start accelerations");
}

static tn_status create_accel(tn_start *s)
{
    TN_ASSERT(s->redundancy.active);
    tn_accel_destroy(s->accel);
    s->accel = NULL;
    TN_TRY(tn_accel_create(s->sys, &s->accel));
    tn_accel_set_active(s->accel, s->redundancy.active);
    return TN_OK;
}

// Says which option it was where an inertia that a model states counts as none.
static tn_status name_tolerance(tn_start *s, tn_status status)
{
    char dropped[TN_DROPPED_TEXT];
    if (status != TN_OK)
        return tn_dropped_within(s->sys, s->massless_tol, status);
    TN_TRY(tn_dropped_inertia(s->sys, s->massless_tol, dropped));
    if (dropped[0])
        tn_notes_add(&s->notes, "%s", dropped);
    return TN_OK;
}

// Velocities of the motions without inertia, where forces determine them.
static tn_status massless_velocities(tn_start *s)
{
    TN_ASSERT(s->accel->massless);
    const tn_point at = tn_state_point(&s->x);
    tn_status status = tn_accel_factor(s->accel, &at);
    TN_THEN(status, tn_massless_judge(s->accel->massless, &at));
    if (status <= 0)
        status = name_tolerance(s, status);
    TN_THEN(status, tn_massless_velocity(s->accel->massless, &at, s->x.v));
    return tn_leave(status, "no start velocities");
}

// Motions without inertia by recursion, where it sees as many as there are in the world. Otherwise
// some inertias are near what counts as none, of which the two have different measures.
static tn_status take_recursion(tn_start *s, int expected)
{
    tn_system *sys = s->sys;
    const tn_point at = tn_state_point(&s->x);
    const bool suits = sys->ops->massless && sys->ng + sys->nn == 0 && !sys->live_forces;
    int count = 0;
    if (suits)
        TN_TRY(sys->ops->massless->open(sys, &at, s->massless_tol, &count));
    if (suits && count == expected)
        sys->nmassless = count;
    else if (suits && !sys->block[TN_BLOCK_M])
        return tn_fail(
            TN_ERR_PAIRING,
            "%d motions have no inertia in joint coordinates and %d in absolute ones: "
            "some are near the tolerance massless_tol = %g; change it, or take @absolute",
            count, expected, s->massless_tol);
    else if (!sys->block[TN_BLOCK_M])
        return tn_fail(TN_ERR_PAIRING,
                       "motions without inertia in closed loops, or under forces by expressions of "
                       "the state, need a mass matrix, which joint coordinates of more than %d "
                       "velocities do without, and this model has %d; take @absolute",
                       TN_JOINT_DENSE_MAX, sys->nv);
    return TN_OK;
}

static tn_status search_matrix(tn_start *s, bool known)
{
    const tn_point at = tn_state_point(&s->x);
    int count = 0;
    TN_TRY(tn_massless_find(s->sys, &at, s->redundancy.active, s->massless_tol,
                            known || s->accel->kkt.singular, s->massless, &count));
    s->sys->nmassless = count;
    s->sys->massless = count > 0 ? s->massless : NULL;
    return TN_OK;
}

// Acceleration level, with the motions that M does not see. A matrix that is singular without any
// belongs to a singular position: the rank-revealing solve has dealt with it.
static tn_status start_accelerations(tn_start *s)
{
    const bool known = s->world && s->world->sys->nmassless > 0;
    TN_TRY(create_accel(s));
    if (!known)
        TN_TRY(solve_accelerations(s));
    if (known)
        TN_TRY(take_recursion(s, s->world->sys->nmassless));
    if (s->sys->nmassless == 0)
        TN_TRY(search_matrix(s, known));
    if (s->sys->nmassless == 0)
        return known ? solve_accelerations(s) : TN_OK;
    TN_TRY(create_accel(s));
    TN_TRY(massless_velocities(s));
    return solve_accelerations(s);
}

// The rows that were found independent may be badly conditioned: a good set to begin with.
static tn_status start_choose_rows(tn_start *s)
{
    TN_ASSERT(!s->rows);
    const tn_point at = tn_state_point(&s->x);
    TN_TRY(tn_row_choice_create(s->sys, s->accel, s->redundancy.active, &s->rows));
    const bool typed = s->redundancy.off > tn_redundancy_typed; // stated values hold with this set
    const tn_status status =
        typed ? tn_row_choice_look(s->rows, &at) : tn_row_choice_at(s->rows, &at);
    s->sys->row_active = s->rows->active;
    if (status == TN_OK)
        tn_row_choice_settle(s->rows, s->x.lambda, s->x.eta);
    return tn_leave(status, "no choice of rows");
}

// Checks that rows that were left out hold with the rest, on all levels.
static tn_status judge_left_out(tn_start *s)
{
    const tn_point at = tn_state_point(&s->x);
    const unsigned levels = TN_LEVEL_POSITION | TN_LEVEL_VELOCITY | TN_LEVEL_ACCELERATION;
    const int *active = tn_start_active(s);
    double speed = 0.0;
    tn_violated v;
    TN_TRY(tn_dependence_judge_rows(s->sys, &at, &s->redundancy, active, s->dependence_tol, levels,
                                    0.0, &speed, &v));
    return v.row < 0 ? TN_OK : tn_dependence_fail_start(s->sys, &at, &s->redundancy, active, &v);
}

// Told once: the loop is taken for what it was meant to be.
static void note_typed(tn_start *s)
{
    const tn_redundancy *r = &s->redundancy;
    char name[160];
    if (!(r->off > NOTED))
        return;
    s->sys->ops->row_name(s->sys, r->redundant[0], name, sizeof name);
    tn_notes_add(&s->notes,
                 "%d constraint row%s (%s%s) repeat%s others but for %.1e, within dependence_tol "
                 "%g: left out, so that the mechanism moves as if axes and lengths fitted exactly",
                 r->count, r->count == 1 ? "" : "s", name, r->count == 1 ? "" : ", …",
                 r->count == 1 ? "s" : "", r->off, s->dependence_tol);
}

// Residual of the rows that take part, relative to their sizes.
static double active_misfit(const tn_start *s)
{
    const int *active = tn_start_active(s);
    double most = 0.0;
    for (int i = 0; i < s->sys->ng; i++)
        most = fmax(most, active[i] ? fabs(s->sys->g[i]) / s->redundancy.size[i] : 0.0);
    return most;
}

// A loop that is off by some digits holds but for these where other rows take part than those by
// which it was assembled.
static tn_status move_onto_rows(tn_start *s)
{
    const tn_point at = tn_state_point(&s->x);
    const int *active = tn_start_active(s);
    tn_initial *initial = NULL;
    TN_TRY(tn_initial_create(s->sys, NULL, &initial));
    tn_initial_set_rows(initial, active, active);
    tn_status status = tn_initial_position(initial, &at, s->dependence_tol, s->x.q, s->x.e);
    TN_THEN(status, tn_initial_velocity(initial, &at, TN_ROUND_ITERATE, s->x.v));
    tn_initial_destroy(initial);
    return status == TN_OK ? solve_accelerations(s) : status;
}

// A row that is not linear in velocities may hold nothing at those of the start: squares at rest.
static tn_status refuse_bent_rows(const tn_start *s)
{
    char name[200];
    for (int k = 0; s->sys->bent_row && k < s->redundancy.count; k++) {
        const int row = s->redundancy.redundant[k];
        s->sys->ops->row_name(s->sys, row, name, sizeof name);
        if (tn_absolute_row_is_bent(s->sys, row))
            return tn_fail(TN_ERR_MODEL,
                           "%s is not linear in velocities and has no slope at those of the start "
                           "but what other rows have: it would hold nothing there; state start "
                           "velocities at which it has one",
                           name);
    }
    return TN_OK;
}

static tn_status start_finish(tn_start *s)
{
    const tn_point at = tn_state_point(&s->x);
    if (!s->redundancy.active)
        TN_TRY(tn_start_find_redundancy(s));
    s->sys->row_size = s->redundancy.size;
    s->sys->row_active = s->redundancy.active;
    if (!s->world)
        TN_TRY(refuse_bent_rows(s));
    TN_TRY(start_accelerations(s));
    if (s->redundancy.count > 0 && !s->world) {
        TN_TRY(judge_left_out(s));
        note_typed(s);
    }
    if (s->redundancy.count > 0)
        TN_TRY(start_choose_rows(s));
    TN_TRY(tn_system_eval(s->sys, &at, TN_EVAL_G));
    const bool typed = s->from_callbacks && s->redundancy.off > tn_redundancy_typed;
    if (s->redundancy.count > 0 && (typed || active_misfit(s) > tn_redundancy_typed)) {
        TN_TRY(move_onto_rows(s));
        TN_TRY(tn_system_eval(s->sys, &at, TN_EVAL_G));
    }
    s->residual = tn_system_largest_row(s->sys, s->sys->g);
    return TN_OK;
}

const int *tn_start_active(const tn_start *s)
{
    return s->rows ? s->rows->active : s->redundancy.active;
}

// quaternion and euler are coordinates that integrators use on top of so3 (lie/chart.h).
static tn_status rotation_of(const char *name, tn_rotation *out)
{
    static const char *const on_so3[] = {"auto", "so3", "quaternion", "euler"};
    *out = TN_ROTATION_SO3;
    for (int k = 0; name && k < TN_COUNT(on_so3); k++)
        if (!strcmp(name, on_so3[k]))
            return TN_OK;
    if (name && strcmp(name, "se3"))
        return tn_fail(TN_ERR_USAGE,
                       "unknown rotation '%s'; known are auto, so3, se3, quaternion and euler",
                       name);
    *out = name ? TN_ROTATION_SE3 : TN_ROTATION_SO3;
    return TN_OK;
}

// Unknowns of a model, and what finds them anew when sampled values change.
static tn_status start_extra(tn_start *s)
{
    const tn_point at = tn_state_point(&s->x);
    if (s->sys->nw == 0)
        return TN_OK;
    TN_TRY(tn_initial_create(s->sys, NULL, &s->initial));
    return tn_initial_extra(s->initial, &at, s->x.e);
}

// Sampled systems take their first sample at the start, when accelerations are known.
static tn_status first_sample(tn_start *s)
{
    const tn_point at = tn_state_point(&s->x);
    if (!isfinite(s->sys->ops->next_sample(s->sys, s->x.t)))
        return s->sys->nw > 0 ? tn_start_refresh(s) : TN_OK;
    TN_TRY(s->sys->ops->sample(s->sys, &at, s->x.r));
    return tn_leave(tn_start_refresh(s), "no accelerations after the first sample");
}

// Stiff modal bodies give way by so little that rows which they alone distinguish repeat each other
// but for that: only those that do so to round-off are left out.
static double tolerance_of(const tn_model *model, const tn_sim_options *options)
{
    return model->modals.count > 0 ? fmin(options->dependence_tol, TN_ROUND_ITERATE)
                                   : options->dependence_tol;
}

// Trees in joint coordinates ----------------------------------------------------------------------

// No expressions of the state, modal bodies or rows of velocities.
static bool is_plain(const tn_model *model)
{
    return model->modals.count + model->signals.count + model->states.count +
               model->unknowns.count + model->samplers.count + model->lives.count ==
           0;
}

// Pivots of the inertia of a body relative to its largest entry, least first: 0 where some turn has
// none.
static double least_pivot(const tn_body_data *body)
{
    const double(*J)[3] = body->inertia.m;
    const double most = fmax(J[0][0], fmax(J[1][1], J[2][2]));
    if (body->ops->turns == 1)
        return J[2][2] > 0.0;
    const double l1 = J[1][0] / J[0][0], l2 = J[2][0] / J[0][0];
    const double d1 = J[1][1] - l1 * J[1][0], l = (J[2][1] - l2 * J[1][0]) / d1;
    const double d2 = J[2][2] - l2 * J[2][0] - l * l * d1;
    const double least = fmin(J[0][0], fmin(d1, d2)) / most;
    return isfinite(least) ? least : 0.0;
}

// The least inertia of all motions of all bodies by the largest; 0 where some turn has none.
static double least_inertia(const tn_model *model)
{
    double least = INFINITY, most = 0.0;
    for (int k = 1; k < model->bodies.count; k++) {
        const tn_body_data *body = &model->bodies.at[k];
        const double *J = &body->inertia.m[0][0];
        least = fmin(least, body->def.mass);
        most = fmax(most, body->def.mass);
        if (body->ops->turns > 0 && !(least_pivot(body) > TN_ROUND_ITERATE))
            return 0.0;
        for (int i = body->ops->turns == 1 ? 2 : 0; body->ops->turns > 0 && i < 3; i++) {
            least = fmin(least, J[4 * i]);
            most = fmax(most, J[4 * i]);
        }
    }
    return least / most;
}

static bool has_points(const tn_model *model)
{
    for (int k = 1; k < model->bodies.count; k++)
        if (model->bodies.at[k].ops->turns == 0)
            return true;
    return false;
}

// The world of a tree in joint coordinates: where bodies are and how they move is all that is asked
// of it, and its rows hold, each for itself.
static tn_status finish_world(tn_start *s)
{
    TN_TRY(tn_redundancy_none(s->sys, NULL, &s->redundancy));
    s->sys->row_active = s->redundancy.active;
    return TN_OK;
}

// The start in absolute coordinates --------------------------------------------------------------

static tn_status create_world(const tn_model *model, tn_rotation rotation, tn_system **out)
{
    return is_plain(model) ? tn_absolute_create_bare(model, rotation, false, out)
                           : tn_absolute_create(model, rotation, false, out);
}

static tn_status build_model(const tn_model *model, const tn_sim_options *options,
                             const tn_coordinates *to, tn_start *s)
{
    // Far above what counts as none, and above what round-off of large bodies leaves of small ones.
    static const double SOME = 1e3, SOLID = 1e-4;
    tn_rotation rotation;
    bool tree;
    TN_TRY(rotation_of(options->rotation, &rotation));
    TN_TRY(tn_vocabulary_check(model));
    TN_TRY(tn_model_check_start(model, options->t_start));
    TN_TRY(create_world(model, rotation, &s->sys));
    s->sys->piece = (tn_piece){true, tn_model_piece_after(model, options->t_start), INFINITY};
    s->one_sided = parts_somewhere(model);
    s->sys->nslide = count_slides(model);
    TN_TRY(tn_carve_block(s, layout_start, &s->block));
    open_one_sided(s, model);
    s->massless_tol = options->massless_tol;
    s->dependence_tol = tolerance_of(model, options);
    TN_TRY(tn_assemble(model, options, rotation, &tree, s));
    tn_absolute_start_extra(s->sys, s->x.t, s->x.e);
    TN_TRY(tn_start_check_own(model, s));
    tn_start_tell(model, s);
    const bool plain = tree && is_plain(model) && !s->sys->force_uses_lambda;
    const double least = plain ? least_inertia(model) : 0.0;
    const bool has_inertia = least > SOME * s->massless_tol;
    s->sys->solid = has_inertia && least > SOLID && !has_points(model);
    if (has_inertia && to && to->create == tn_joint_coords_create)
        return finish_world(s);
    TN_TRY(tn_absolute_open_blocks(s->sys));
    TN_TRY(tn_slides_open(s->sys));
    TN_TRY(start_extra(s));
    TN_TRY(tn_bristles_bend(s)); // straight ones of surfaces that slip would brake by their damping
    TN_TRY(start_finish(s));
    TN_TRY(tn_unique_judge(s));
    TN_TRY(tn_bristles_settle(s));
    TN_TRY(first_sample(s));
    TN_TRY(tn_start_tell_singular(model, s));
    return tn_start_verify(model, s);
}

tn_status tn_start_model(const tn_model *model, const tn_sim_options *options, tn_start *out)
{
    return tn_start_model_for(model, options, NULL, out);
}

tn_status tn_start_model_for(const tn_model *model, const tn_sim_options *options,
                             const tn_coordinates *to, tn_start *out)
{
    *out = (tn_start){0};
    TN_TRY(tn_model_status(model));
    if (model->bodies.count < 2)
        return tn_fail(TN_ERR_MODEL, "the model has no bodies: add at least one");
    tn_model_start_inputs(model, options->t_start);
    const tn_status status = build_model(model, options, to, out);
    if (status != TN_OK)
        tn_start_clear(out);
    return status;
}

typedef tn_status create_on_world(tn_system *world, tn_system **out);

static tn_status open_on_world(tn_start *s, create_on_world *create)
{
    TN_ASSERT(s->world);
    const tn_state *from = &s->world->x;
    TN_TRY(create(s->world->sys, &s->sys));
    s->one_sided = s->world->one_sided;
    s->sys->nslide = s->world->sys->nslide;
    TN_TRY(tn_carve_block(s, layout_start, &s->block));
    copy_slides(s);
    take_one_sided(s);
    TN_TRY(tn_slides_open(s->sys));
    s->x.t = from->t;
    tn_copy(s->sys->nr, from->r, s->x.r);
    tn_copy(s->sys->ne, from->e, s->x.e);
    const tn_point at = tn_state_point(from);
    TN_TRY(s->sys->ops->world->from(s->sys, &at, s->x.q, s->x.v));
    tn_copy(s->sys->nq, s->x.q, s->q_given);
    tn_copy(s->sys->nv, s->x.v, s->v_given);
    for (int i = 0; i < s->sys->ng; i++) { // forces may depend on them: they are the best guess
        const int row = s->sys->ops->world->row(s->sys, i);
        s->x.lambda[i] = row >= 0 ? from->lambda[row] : 0.0;
    }
    tn_copy(s->sys->nn, from->eta, s->x.eta);
    TN_TRY(start_extra(s));
    TN_TRY(start_finish(s));
    return tn_start_verify(tn_absolute_model(s->world->sys), s);
}

static tn_status go_over(tn_start *s, create_on_world *create)
{
    TN_ASSERT(!s->world && s->sys);
    tn_start *world = tn_alloc(sizeof *world);
    TN_TRY(tn_got(world));
    *world = *s;
    *s = (tn_start){.world = world,
                    .massless_tol = world->massless_tol,
                    .dependence_tol = world->dependence_tol,
                    .notes = world->notes};
    return open_on_world(s, create);
}

static const tn_coordinates coordinate_kinds[] = {
    {"absolute", "one frame per body, joints as constraints", NULL},
    {"joint", "freedoms of a spanning tree of joints, in O(N); loops as constraints",
     tn_joint_coords_create},
    {"director", "centre of mass and axes of each body, constant mass matrix; rigidity by rows",
     tn_director_create},
};

const tn_coordinates *tn_coordinates_at(int i)
{
    return i >= 0 && i < TN_COUNT(coordinate_kinds) ? &coordinate_kinds[i] : NULL;
}

const tn_coordinates *tn_find_coordinates(const char *name)
{
    int i = 0;
    while (tn_coordinates_at(i) && strcmp(coordinate_kinds[i].name, name) != 0)
        i++;
    return tn_coordinates_at(i);
}

tn_status tn_unknown_coordinates(const char *name)
{
    const char *known[TN_COUNT(coordinate_kinds)];
    for (int i = 0; i < TN_COUNT(known); i++)
        known[i] = coordinate_kinds[i].name;
    return tn_fail_unknown("coordinates", name, TN_COUNT(known), known);
}

tn_status tn_start_to(tn_start *s, const tn_coordinates *to, const tn_sim_options *options)
{
    const tn_combination all = {
        .model = tn_absolute_model(s->sys), .sys = s->sys, .to = to, .options = options};
    TN_TRY(to->create ? tn_combination_check(TN_BEFORE_COORDINATES, all) : TN_OK);
    return to->create ? go_over(s, to->create) : TN_OK;
}

// Velocities of motions without inertia may depend on w: a few sweeps.
tn_status tn_start_refresh(tn_start *s)
{
    TN_ASSERT(s->accel);
    const tn_point at = tn_state_point(&s->x);
    const int sweeps = s->sys->nw > 0 && s->sys->nmassless > 0 ? 20 : 1;
    for (int k = 0; k < sweeps; k++) {
        if (s->initial)
            TN_TRY(tn_initial_extra(s->initial, &at, s->x.e));
        TN_TRY(tn_accel_complete(s->accel, &at, s->x.v));
        TN_TRY(tn_accel_solve(s->accel, &at, s->x.e, s->x.a, s->x.lambda, s->x.eta));
    }
    return TN_OK;
}

// A user's equations ------------------------------------------------------------------------------

static tn_status build_callbacks(const tn_callbacks *callbacks, const double *q, const double *v,
                                 const tn_sim_options *options, tn_start *s)
{
    s->from_callbacks = true;
    TN_TRY(tn_callbacks_create(callbacks, &s->sys));
    TN_TRY(tn_carve_block(s, layout_start, &s->block));
    s->x.t = options->t_start;
    s->massless_tol = options->massless_tol;
    s->dependence_tol = options->dependence_tol;
    TN_TRY(tn_start_take_given(s, q, v));
    tn_callbacks_start(s->sys, s->x.e, s->x.r);
    if (callbacks->lambda0) {
        tn_copy(s->sys->ng, callbacks->lambda0, s->x.lambda);
        tn_copy(s->sys->nn, callbacks->lambda0 + s->sys->ng, s->x.eta);
    }
    TN_TRY(tn_initial_create(s->sys, NULL, &s->initial));
    const tn_point at = tn_state_point(&s->x);
    TN_TRY(tn_callbacks_find_lengths(s->sys, &at));
    TN_TRY(tn_callbacks_check_derivatives(s->sys, &at));
    TN_TRY(tn_initial_position(s->initial, &at, options->assembly_tol, s->x.q, s->x.e));
    TN_TRY(tn_callbacks_find_lengths(s->sys, &at)); // where it runs
    TN_TRY(tn_callbacks_check_rates(s->sys, &at));
    TN_TRY(tn_initial_velocity(s->initial, &at, TN_ROUND_ITERATE, s->x.v));
    TN_TRY(tn_initial_extra(s->initial, &at, s->x.e));
    TN_TRY(start_finish(s));
    TN_TRY(tn_unique_judge(s));
    return s->sys->nw > 0 ? tn_start_refresh(s) : TN_OK;
}

tn_status tn_start_callbacks(const tn_callbacks *callbacks, const double *q, const double *v,
                             const tn_sim_options *options, tn_start *out)
{
    *out = (tn_start){0};
    const tn_status status = build_callbacks(callbacks, q, v, options, out);
    if (status != TN_OK)
        tn_start_clear(out);
    return status;
}
