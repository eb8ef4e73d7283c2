// SPDX-License-Identifier: MIT
//
// The start of a tree of joints: no search, but forward kinematics and a check of what is stated;
// see start_parts.h. The search of assemble.c ends in the same place where this one succeeds.

#include "start/start_parts.h"

#include "base/alloc.h"
#include "base/tolerance.h"
#include "coords/joint_coords.h"
#include "linalg/dense.h"
#include "start/sizes.h"

#include <math.h>
#include <string.h>

// Misfit from which on bodies are placed, in sizes of the mechanism (assemble.c).
static const double PLACE_FROM = 1e-3;
// Round-off beside TN_ROUND_SUM of sizes and speeds: by how far bodies are from the origin, and of
// velocities for each body along the tree.
static const double FAR_ROUND_OFF = 4e-15, ROUND_OFF_EACH = 4e-16;

typedef struct growth {
    const tn_model *model;
    tn_start *s;
    tn_system *sys;
    tn_tree *tree;
    tn_point at;      // of the state of the start
    double size, far; // of the mechanism, and of bodies from the origin [m]
    double slip;      // speed that is round-off [1/s]
} growth;

// Bodies that must not move, guesses and rows of velocities are for the search.
static bool suits_tree(const tn_model *model, const tn_system *sys)
{
    if (sys->nn > 0 || model->modals.count > 0)
        return false;
    for (int k = 1; k < model->bodies.count; k++)
        if (model->bodies.at[k].def.fixed_start)
            return false;
    for (int k = 0; k < model->joints.count; k++)
        if (model->joints.at[k].def->guess)
            return false;
    return true;
}

static bool is_length(const tn_joint_data *joint, int coordinate)
{
    return !strcmp(joint->ops->coords[coordinate].unit, "m");
}

static double round_off(const growth *g, bool length)
{
    return length ? TN_ROUND_SUM * g->size + FAR_ROUND_OFF * g->far : TN_ROUND_SUM;
}

// Positions ---------------------------------------------------------------------------------------

static void find_far(growth *g)
{
    for (int i = 0; i < g->sys->nq; i++)
        g->far = fmax(g->far, g->sys->q_length[i] ? fabs(g->at.q[i]) : 0.0);
}

static bool rows_hold(growth *g)
{
    const tn_point at = {.t = g->at.t, .q = g->at.q, .r = g->at.r};
    if (tn_system_eval(g->sys, &at, TN_EVAL_G) != TN_OK)
        return false;
    for (int i = 0; i < g->sys->ng; i++)
        if (!(fabs(g->sys->g[i]) <= round_off(g, g->sys->g_length[i])))
            return false;
    return true;
}

// Stated coordinates of joints, or their stated rates.
static bool coordinates_hold(const growth *g, bool rates)
{
    for (int k = 0; k < g->model->joints.count; k++) {
        const tn_joint_data *joint = &g->model->joints.at[k];
        const tn_joint_def *def = joint->def;
        const int n = rates ? def->nrate : def->nposition;
        const double *stated = rates ? def->rate : def->position;
        double q[TN_JOINT_MAX_COORDS] = {0}, rate[TN_JOINT_MAX_COORDS] = {0};
        if (n == 0)
            continue;
        tn_absolute_coordinates(g->sys, &g->at, k, q, rate);
        const double *found = rates ? rate : q;
        for (int i = 0; i < n && i < joint->ops->ncoord; i++) {
            const bool length = is_length(joint, i);
            const double allowed = rates ? g->slip * (length ? g->size : 1.0)
                                         : round_off(g, length) + TN_ROUND_SUM * fabs(stated[i]);
            if (!(fabs(found[i] - stated[i]) <= allowed))
                return false;
        }
    }
    return true;
}

// Bodies stand where positions and rotations are stated.
static bool bodies_hold(const growth *g, double *offset)
{
    tn_absolute_stated_offset(g->sys, g->at.q, offset);
    for (int i = 0; i < g->sys->nv; i++)
        if (!(fabs(offset[i]) <= round_off(g, g->sys->v_length[i])))
            return false;
    return true;
}

static bool joints_hold(growth *g)
{
    return rows_hold(g) && coordinates_hold(g, false);
}

// Residual of rows and stated coordinates of the joints, in sizes and radians. g as last evaluated.
static double misfit(const growth *g)
{
    double sum = 0.0;
    for (int i = 0; i < g->sys->ng; i++) {
        const double off = g->sys->g[i] / (g->sys->g_length[i] ? g->size : 1.0);
        sum += off * off;
    }
    for (int k = 0; k < g->model->joints.count; k++) {
        const tn_joint_data *joint = &g->model->joints.at[k];
        double q[TN_JOINT_MAX_COORDS] = {0}, rate[TN_JOINT_MAX_COORDS] = {0};
        if (joint->def->nposition > 0)
            tn_absolute_coordinates(g->sys, &g->at, k, q, rate);
        for (int i = 0; i < joint->def->nposition && i < joint->ops->ncoord; i++) {
            const double off =
                (q[i] - joint->def->position[i]) / (is_length(joint, i) ? g->size : 1.0);
            sum += off * off;
        }
    }
    return sqrt(sum);
}

// As they are, or placed where they are far from it. Values that are off by the digits that
// somebody typed are for the search, which moves bodies by as little as can be.
static tn_status find_positions(growth *g, double *offset, bool *found)
{
    tn_state *x = &g->s->x;
    find_far(g);
    const bool flipped = tn_place_flipped(g->model, g->sys, x->q) >= 0;
    *found = joints_hold(g) && !flipped;
    if (*found || (misfit(g) < PLACE_FROM && !flipped))
        return TN_OK;
    TN_TRY(tn_place_positions(g->model, g->sys, g->tree, x->t, TN_PLACE_CARRIED, x->q));
    tn_absolute_fix_constants(g->sys, x->q, x->r);
    find_far(g);
    *found =
        joints_hold(g) && bodies_hold(g, offset) && tn_place_flipped(g->model, g->sys, x->q) < 0;
    return TN_OK;
}

// Velocities --------------------------------------------------------------------------------------

static double largest_speed(const growth *g, const double *v)
{
    double most = 0.0;
    for (int i = 0; i < g->sys->nv; i++)
        most = fmax(most, fabs(v[i]) / (g->sys->v_length[i] ? g->size : 1.0));
    return most;
}

// v: work
static bool velocities_hold(growth *g, double *v)
{
    g->slip = (TN_ROUND_SUM + ROUND_OFF_EACH * g->tree->n) * largest_speed(g, g->at.v);
    tn_copy(g->sys->nv, g->s->x.v, v);
    tn_absolute_restate(g->sys, g->at.q, v);
    for (int i = 0; i < g->sys->nv; i++)
        if (!(fabs(v[i] - g->at.v[i]) <= g->slip * (g->sys->v_length[i] ? g->size : 1.0)))
            return false;
    if (tn_system_eval(g->sys, &g->at, TN_EVAL_GDOT) != TN_OK)
        return false;
    for (int i = 0; i < g->sys->ng; i++)
        if (!(fabs(g->sys->gdot[i]) <= g->slip * (g->sys->g_length[i] ? g->size : 1.0)))
            return false;
    return coordinates_hold(g, true);
}

// Nothing moves, and nothing is stated to.
static bool is_at_rest(const growth *g)
{
    for (int k = 0; k < g->model->joints.count; k++)
        if (g->model->joints.at[k].def->nrate > 0)
            return false;
    for (int i = 0; i < g->sys->nv; i++)
        if (g->at.v[i] != 0.0)
            return false;
    return true;
}

static tn_status find_velocities(growth *g, double *work, bool *found)
{
    tn_state *x = &g->s->x;
    if (is_at_rest(g))
        return TN_OK;
    TN_TRY(tn_place_velocities(g->model, g->sys, g->tree, x->t, g->size, x->q, x->v));
    *found = velocities_hold(g, work);
    return TN_OK;
}

// The whole ---------------------------------------------------------------------------------------

static void begin_tree(growth *g)
{
    tn_state *x = &g->s->x;
    tn_absolute_start(g->sys, x->q, x->v, x->r);
    tn_absolute_start_turns(g->sys, x->t, x->r);
    tn_copy(g->sys->nq, x->q, g->s->q_given);
    tn_copy(g->sys->nv, x->v, g->s->v_given);
    g->at = (tn_point){.t = x->t, .q = x->q, .v = x->v, .r = x->r};
    g->size = tn_sizes_length(g->model, g->sys, &g->at);
}

static tn_status grow_tree(growth *g, bool *found)
{
    double *work = tn_alloc(sizeof(double) * (size_t)(g->sys->nv + 1));
    TN_TRY(tn_got(work));
    begin_tree(g);
    tn_status status = find_positions(g, work, found);
    if (status == TN_OK && *found)
        status = find_velocities(g, work, found);
    tn_free(work);
    if (status != TN_OK || !*found)
        return status;
    tn_absolute_fix_constants(g->sys, g->s->x.q, g->s->x.r);
    return g->sys->ops->accept(g->sys, &g->at, g->s->x.r);
}

tn_status tn_assemble_tree(const tn_model *model, tn_start *s, bool *found)
{
    growth g = {.model = model, .s = s, .sys = s->sys};
    *found = false;
    if (!suits_tree(model, s->sys))
        return TN_OK;
    TN_TRY(tn_joint_coords_keep_tree(s->sys, &g.tree));
    const bool tree =
        tn_joint_coords_rows_left(s->sys, g.tree) == 0 && s->sys->nv - s->sys->ng == g.tree->nv;
    return tree ? grow_tree(&g, found) : TN_OK;
}
