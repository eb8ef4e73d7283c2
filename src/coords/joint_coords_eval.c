// SPDX-License-Identifier: MIT
//
// Evaluation in joint coordinates; see joint_coords.h.

#include "coords/joint_coords_parts.h"
#include "system/signal_blocks.h"

#include "base/alloc.h"
#include "linalg/dense.h"

#include <stdio.h>
#include <string.h>

// Placing -----------------------------------------------------------------------------------------

static void move_tree(joint_coords *s, const tn_point *at)
{
    tn_note_placed(&s->base, at, PLACED_TREE);
    s->known = JOINT_COORDS_MOTION;
    tn_tree_move(s->tree, at->q, at->v);
}

void tn_joint_coords_place_body(joint_coords *s, int body)
{
    TN_ASSERT(body > 0 && body < s->base.world->nbody);
    const int place = s->tree->place[body];
    const tn_frame frame = tn_tree_frame(s->tree, place);
    abs_body *b = &s->base.world->body[body];
    b->R = s->straight[body] ? frame.R : tn_m3_mul_t(frame.R, s->tree->body[place].attachment.R);
    const tn_vec3 arm = s->arm[body] = tn_m3_apply(b->R, s->local[body]);
    b->V = tn_tree_twist(s->tree, place);
    b->V.v = tn_v3_add(b->V.v, tn_v3_cross(b->V.w, arm));
    b->p = tn_v3_add(frame.p, arm);
    if (joint_coords_is_point(s, body)) {
        b->R = tn_m3_identity;
        b->V.w = (tn_vec3){0};
    }
}

void tn_joint_coords_place(joint_coords *s, const tn_point *at, placed what)
{
    absolute *w = s->base.world;
    if (!tn_is_placed(&s->base, at))
        move_tree(s, at);
    if (w->placed >= what || what == PLACED_TREE)
        return;
    const bool all = what == PLACED_ALL;
    for (int k = 0; k < (all ? w->nbody - 1 : s->nused_body); k++)
        tn_joint_coords_place_body(s, all ? k + 1 : s->used_body[k]);
    for (int k = 1; all && k < w->nbody; k++) // for energies alone
        w->body[k].W = tn_m3_apply_t(w->body[k].R, w->body[k].V.w);
    for (int k = 0; k < (all ? w->npair : s->nused_pair); k++)
        tn_absolute_place_pair(w, &w->pair[all ? k : s->used_pair[k]], at->t);
    if (at->v)
        w->placed = what;
}

static void joint_place(tn_system *self, const tn_point *at, placed what)
{
    tn_joint_coords_place((joint_coords *)self, at, what);
}

static abs_point joint_here(tn_system *self, const tn_point *at)
{
    return tn_joint_coords_here((joint_coords *)self, at);
}

const placing_ops tn_joint_coords_placing = {joint_place, joint_here};

abs_point tn_joint_coords_here(joint_coords *s, const tn_point *at)
{
    for (int i = 0; at->lambda && i < s->base.ng; i++)
        s->lambda[s->world_row[i]] = at->lambda[i];
    return (abs_point){.t = at->t,
                       .lambda = s->lambda,
                       .eta = at->eta, // no row of velocities is carried by the tree
                       .r = at->r,
                       .e = at->e,
                       .q = at->q,
                       .angle_q = s->turn_q,
                       .v = at->v,
                       .direct = at->v ? s->direct : NULL,
                       .nq = s->base.nq};
}

abs_point tn_joint_coords_by_coordinates(joint_coords *s, const tn_point *at)
{
    abs_point here = tn_joint_coords_here(s, at);
    here.alone = here.direct ? s->alone : NULL;
    return here;
}

// Forces ------------------------------------------------------------------------------------------

static void joint_coords_eval_add_load(joint_coords *s, int body, const double *w)
{
    TN_ASSERT(body >= 0 && body < s->base.world->nbody);
    const tn_vec3 f = tn_v3_from(w), m = tn_v3_from(w + 3);
    if (body > 0)
        tn_tree_add_load(s->tree, s->tree->place[body],
                         (tn_wrench){f, tn_v3_add(m, tn_v3_cross(s->arm[body], f))});
}

void tn_joint_coords_add_forces(joint_coords *s, const abs_point *here, bool tangent)
{
    const absolute *w = s->base.world;
    tn_absolute_set_signals(s->base.world, here, tangent);
    for (int k = 0; k < w->nforce; k++) {
        const abs_force *f = &w->force[k];
        const abs_pair *p = &w->pair[f->pair];
        if (here->alone && here->alone[k] > 0)
            continue;
        const tn_load load = tn_absolute_load(w, here, f);
        joint_coords_eval_add_load(s, p->a, load.w);
        joint_coords_eval_add_load(s, p->b, load.w + 6);
    }
}

void tn_joint_coords_add_reactions(joint_coords *s, const tn_point *at)
{
    absolute *w = s->base.world;
    const abs_point here = tn_joint_coords_here(s, at);
    for (int k = 0; k < s->nset; k++) {
        const abs_joint *j = &w->joint[s->set[k].joint];
        const double *multiplier = (j->rolls ? at->eta : at->lambda) + s->set[k].row0;
        abs_rows rows;
        if (j->attachment) {
            double load[6] = {0};
            const int n = 12 + w->modal[j->attachment->modal].x.m;
            tn_attachment_rows(w, j->attachment, TN_EVAL_B, NULL, NULL, NULL, NULL);
            for (int i = 0; i < j->nrow; i++)
                tn_axpy(6, -multiplier[i], j->attachment->G + i * n + n - 6, load);
            joint_coords_eval_add_load(s, j->attachment->body, load);
            continue;
        }
        tn_absolute_rows(w, j, &here, TN_EVAL_B, &rows);
        for (int m = 0; m < j->nbody; m++) {
            double load[6] = {0};
            for (int i = 0; i < j->nrow; i++)
                tn_axpy(6, -multiplier[i], rows.G[m][i], load);
            joint_coords_eval_add_load(s, j->body[m], load);
        }
    }
}

static bool has_loads(const joint_coords *s)
{
    return s->base.world->nforce > 0 || s->nset > 0;
}

void tn_joint_coords_load_forces(joint_coords *s, const tn_point *at)
{
    if (!has_loads(s))
        return;
    const abs_point here = tn_joint_coords_here(s, at);
    tn_tree_clear_loads(s->tree);
    tn_joint_coords_add_forces(s, &here, false);
}

// After forces at the same point the numbers of the extra equations are there.
static void extra_eval(joint_coords *s, const tn_point *at, bool after_forces)
{
    if (s->base.ne == 0)
        return;
    const abs_point here = tn_joint_coords_here(s, at);
    if (!after_forces || !has_loads(s))
        tn_absolute_set_signals(s->base.world, &here, false);
    tn_absolute_extra(s->base.world, s->base.extra);
}

// Rows --------------------------------------------------------------------------------------------

tn_twist tn_joint_coords_acceleration(const joint_coords *s, int place)
{
    TN_ASSERT(place > 0 && place < s->tree->n);
    const tn_vec3 arm = s->arm[s->tree->body[place].body], w = tn_tree_twist(s->tree, place).w;
    tn_twist a = tn_tree_acceleration(s->tree, place);
    a.v = tn_v3_add(a.v, tn_v3_cross(a.w, arm));
    a.v = tn_v3_add(a.v, tn_v3_cross(w, tn_v3_cross(w, arm)));
    return a;
}

// Places whose round-off is that of g reach this far.
static void note_reach(joint_coords *s, tn_vec3 p)
{
    s->base.reach = fmax(s->base.reach, fmax(fmax(fabs(p.x), fabs(p.y)), fabs(p.z)));
}

// Origins that coincide: g = p_b - p_a in the directions of the rows, so that values, rates and
// accelerations are those of two points, and gradients unit forces on them. These are the rows of
// row.c, without its derivatives of frames and without the world between. Points are those from the
// feet of their paths, and the feet's own difference is a constant: g of a loop far from the origin
// is as exact as that of one which is near.
static void points_eval(joint_coords *s, const joint_coords_rows *set, unsigned want)
{
    tn_system *sys = &s->base;
    tn_vec3 place = set->fixed, rate = {0, 0, 0}, gain = {0, 0, 0};
    for (int m = 0; m < set->nend; m++) {
        const double sign = set->sign[m];
        const tn_tree_point x = tn_tree_point_of(s->tree, set->end[m].place, set->at[m]);
        rate = tn_v3_axpy(sign, x.velocity, rate);
        gain = tn_v3_axpy(sign, x.acceleration, gain);
        if (want & TN_EVAL_G) {
            const tn_vec3 way = tn_v3_add(x.arm, tn_tree_way(s->tree, set->end[m].place));
            place = tn_v3_axpy(sign, way, place);
            note_reach(s, way);
        }
        if (want & TN_EVAL_B)
            tn_tree_add_point(s->tree, &set->end[m], x.arm, sign, set->nrow, set->axis,
                              sys->block[TN_BLOCK_B]->val);
    }
    for (int i = 0; i < set->nrow; i++) {
        const int axis = set->axis[i], row = set->row0 + i;
        if (want & TN_EVAL_G)
            sys->g[row] = abs_component(place, axis);
        sys->gdot[row] = abs_component(rate, axis);
        if (want & TN_EVAL_GAMMA)
            sys->gamma[row] = abs_component(gain, axis);
    }
}

static void joint_coords_eval_add_columns(joint_coords *s, const joint_coords_rows *set,
                                          const abs_rows *rows, int m)
{
    TN_ASSERT(m >= 0 && m < set->nend);
    const tn_tree_end *end = &set->end[m];
    const tn_vec3 arm = s->arm[s->tree->body[end->place].body];
    tn_wrench w[TN_JOINT_MAX_ROWS];
    for (int i = 0; i < set->nrow; i++) {
        w[i].f = tn_v3_from(rows->G[m][i]);
        w[i].m = tn_v3_add(tn_v3_from(rows->G[m][i] + 3), tn_v3_cross(arm, w[i].f));
    }
    tn_tree_add_rows(s->tree, end, set->nrow, w,
                     s->base.block[set->rolls ? TN_BLOCK_N : TN_BLOCK_B]->val);
}

static void set_eval(joint_coords *s, const joint_coords_rows *set, const abs_point *here,
                     unsigned want)
{
    absolute *w = s->base.world;
    const abs_joint *j = &w->joint[set->joint];
    tn_system *sys = &s->base;
    abs_rows rows;
    for (int m = 0; m < set->nend && want & TN_EVAL_G; m++)
        note_reach(s, w->body[s->tree->body[set->end[m].place].body].p);
    if (j->attachment) {
        tn_joint_coords_attachment_rows(s, set, j->attachment, want & ~(unsigned)TN_EVAL_TANGENT);
        return;
    }
    tn_absolute_rows(w, j, here, want & ~(unsigned)TN_EVAL_TANGENT, &rows);
    double *gamma = (set->rolls ? sys->ngamma : sys->gamma) + set->row0;
    if (set->rolls) {
        tn_copy(set->nrow, w->base.ndot + j->row0, sys->ndot + set->row0);
        tn_copy(set->nrow, w->base.ngamma + j->row0, gamma);
    } else {
        tn_copy(set->nrow, w->base.g + j->row0, sys->g + set->row0);
        tn_copy(set->nrow, w->base.gdot + j->row0, sys->gdot + set->row0);
        tn_copy(set->nrow, w->base.gamma + j->row0, gamma);
    }
    for (int m = 0; m < set->nend; m++) {
        if (want & TN_EVAL_B)
            joint_coords_eval_add_columns(s, set, &rows, m);
        if (want & TN_EVAL_GAMMA) {
            const tn_twist a = tn_joint_coords_acceleration(s, set->end[m].place);
            for (int i = 0; i < set->nrow; i++)
                gamma[i] += abs_along(rows.G[m][i], a);
        }
    }
}

static void rows_eval(joint_coords *s, const tn_point *at, unsigned want)
{
    abs_point here = {0};
    if (s->npoints < s->nset)
        here = tn_joint_coords_here(s, at);
    if (want & TN_EVAL_G)
        s->base.reach = 0.0;
    if (want & TN_EVAL_B)
        tn_sparse_clear(s->base.block[TN_BLOCK_B]);
    if (want & TN_EVAL_B && s->base.nn > 0)
        tn_sparse_clear(s->base.block[TN_BLOCK_N]);
    if (want & TN_EVAL_GAMMA) {
        tn_tree_spread(s->tree, NULL);
        s->known = JOINT_COORDS_MOTION;
    }
    for (int k = 0; k < s->nset; k++)
        if (s->set[k].points)
            points_eval(s, &s->set[k], want);
        else
            set_eval(s, &s->set[k], &here, want);
}

// Evaluation --------------------------------------------------------------------------------------

static void mass_eval(joint_coords *s)
{
    tn_tree_mass(s->tree, s->K);
    tn_joint_coords_modal_mass(s, s->K);
    tn_joint_coords_unpack(s, s->K, s->base.block[TN_BLOCK_M]);
}

static const unsigned ROWS = TN_EVAL_G | TN_EVAL_B | TN_EVAL_GDOT | TN_EVAL_GAMMA;

// The part of the world that evaluations pose at a point: none where nothing of it acts.
static placed part_used(const joint_coords *s)
{
    return s->acts ? PLACED_USED : PLACED_TREE;
}

static tn_status joint_coords_eval_joint_eval(tn_system *self, const tn_point *at, unsigned want)
{
    joint_coords *s = (joint_coords *)self;
    tn_joint_coords_place(s, at,
                          want & (TN_EVAL_TANGENT | TN_EVAL_LINEAR) ? PLACED_USED : part_used(s));
    if (want & (TN_EVAL_FORCE | TN_EVAL_DYNAMICS)) {
        s->known = JOINT_COORDS_MOTION;
        tn_joint_coords_load_forces(s, at);
        tn_tree_residual(s->tree, NULL, want & TN_EVAL_DYNAMICS ? at->a : NULL, self->f);
        tn_scale(self->nv, -1.0, self->f);
        tn_joint_coords_modal_force(s, want & TN_EVAL_DYNAMICS ? at->a : NULL);
    }
    if (want & TN_EVAL_MASS && s->K)
        mass_eval(s);
    if (want & ROWS && s->nset > 0)
        rows_eval(s, at, want);
    if (want & TN_EVAL_EXTRA)
        extra_eval(s, at, want & (TN_EVAL_FORCE | TN_EVAL_DYNAMICS));
    if (want & TN_EVAL_TANGENT)
        tn_joint_coords_tangent(s, at);
    if (want & TN_EVAL_LINEAR)
        tn_joint_coords_linearise(s, at);
    return TN_OK;
}

static tn_status joint_coords_eval_singular(const joint_coords *s, int k)
{
    char name[160];
    tn_joint_coords_ops.velocity_name(&s->base, s->tree->body[k].v0, name, sizeof name);
    if (s->base.nmassless > 0) // all that has no inertia has a damper
        return tn_fail(TN_RETRY_SINGULAR,
                       "%s: what resists it is lost in the round-off of the masses that stand on "
                       "it in a step as short as this; take @absolute, where they stand apart",
                       name);
    return tn_fail(TN_RETRY_SINGULAR, "%s has no inertia to move", name);
}

static tn_status accelerate_joint_system_eval(tn_system *self, const tn_point *at, unsigned want,
                                              double *a)
{
    joint_coords *s = (joint_coords *)self;
    tn_joint_coords_place(s, at, part_used(s));
    s->known = JOINT_COORDS_MOTION;
    if (want & ROWS && s->nset > 0)
        rows_eval(s, at, want);
    tn_joint_coords_load_forces(s, at);
    if (want & TN_EVAL_EXTRA)
        extra_eval(s, at, true);
    int place = 0;
    const tn_status status = tn_tree_accelerate(s->tree, NULL, a, &place);
    return status == TN_OK ? TN_OK : joint_coords_eval_singular(s, place);
}

static tn_status factor_joint_system_eval(tn_system *self, const tn_point *at, unsigned want)
{
    joint_coords *s = (joint_coords *)self;
    tn_joint_coords_place(s, at, part_used(s));
    if (want & ROWS && s->nset > 0)
        rows_eval(s, at, want);
    int place = 0;
    const tn_status status = tn_tree_factor(s->tree, &place);
    return status == TN_OK ? TN_OK : joint_coords_eval_singular(s, place);
}

static void solve_joint_system_eval(tn_system *self, double *b)
{
    joint_coords *s = (joint_coords *)self;
    s->known = JOINT_COORDS_MOTION;
    tn_tree_solve(s->tree, b);
}

static void reduce_joint_system_eval(tn_system *self, double *B, double *N)
{
    const joint_coords *s = (const joint_coords *)self;
    for (int k = 0; k < s->nset; k++) {
        const joint_coords_rows *set = &s->set[k];
        tn_tree_reduce_rows(s->tree, set->nend, set->end, set->nrow, set->rolls ? N : B);
    }
}

static void expand_joint_system_eval(tn_system *self, double *h)
{
    joint_coords *s = (joint_coords *)self;
    s->known = JOINT_COORDS_MOTION;
    tn_tree_expand(s->tree, h);
}

static void pivots(tn_system *self, double *d)
{
    tn_tree_pivots(((joint_coords *)self)->tree, d);
}

static void times_mass(tn_system *self, const double *x, double *y)
{
    joint_coords *s = (joint_coords *)self;
    s->known = JOINT_COORDS_MOTION;
    tn_tree_times_mass(s->tree, x, y);
}

static void times_linear(tn_system *self, const double c[3], const double *x, double *y)
{
    tn_tree_linear_times(((joint_coords *)self)->linear, c[0], c[1], c[2], x, y);
}

static tn_status factor_linear(tn_system *self, int plane, const double complex c[3],
                               const double *const X[2])
{
    joint_coords *s = (joint_coords *)self;
    int place = 0;
    const tn_status status = tn_tree_linear_factor(s->linear, plane, c, X, &place);
    return status == TN_OK ? TN_OK : joint_coords_eval_singular(s, place);
}

static void solve_linear(tn_system *self, double *re, double *im)
{
    tn_tree_linear_solve(((joint_coords *)self)->linear, re, im);
}

static const tn_recursive_ops recursive = {
    .accelerate = accelerate_joint_system_eval,
    .factor = factor_joint_system_eval,
    .solve = solve_joint_system_eval,
    .reduce = reduce_joint_system_eval,
    .expand = expand_joint_system_eval,
    .pivots = pivots,
    .times_mass = times_mass,
    .open_linear = tn_joint_coords_open_linear,
    .times_linear = times_linear,
    .factor_linear = factor_linear,
    .solve_linear = solve_linear,
};

// What the world does -----------------------------------------------------------------------------

// Drives are among the rows, whose pairs are posed with those of forces.
static void joint_power(tn_system *self, const tn_point *at, tn_energy *out)
{
    joint_coords *s = (joint_coords *)self;
    *out = (tn_energy){0};
    if (!has_loads(s))
        return;
    abs_point here = tn_joint_coords_here(s, at);
    here.eta = tn_slides_eta(self, at);
    tn_joint_coords_place(s, at, PLACED_USED);
    tn_absolute_powers(s->base.world, &here, out);
}

static void joint_energy(tn_system *self, const tn_point *at, tn_energy *out)
{
    joint_coords *s = (joint_coords *)self;
    abs_point here = tn_joint_coords_here(s, at);
    here.eta = tn_slides_eta(self, at);
    if (!self->looked || s->base.world->placed_by != s)
        tn_joint_coords_place(s, at, PLACED_ALL);
    tn_absolute_energies(s->base.world, &here, out);
}

static void take_turns(const joint_coords *s, const tn_point *at, double *r)
{
    const int n = s->base.world->nmemory;
    for (int k = 0; k < n; k++)
        if (s->turn_q[k] >= 0) {
            r[k] = at->q[s->turn_q[k]];
            r[n + k] = at->v[s->turn_v[k]];
        }
    r[2 * n] = at->t;
    r[2 * n + 1] = 1.0;
}

static tn_status joint_accept(tn_system *self, const tn_point *at, double *r)
{
    joint_coords *s = (joint_coords *)self;
    if (s->base.world->nmemory == 0)
        return TN_OK;
    if (s->nother > 0) {
        tn_joint_coords_place(s, at, PLACED_USED);
        TN_TRY(tn_absolute_count_turns(s->base.world, at->t, s->nother, s->other, r));
    }
    take_turns(s, at, r);
    return TN_OK;
}

static void joint_row_name(const tn_system *self, int i, char *text, size_t size)
{
    const joint_coords *s = (const joint_coords *)self;
    TN_ASSERT(i >= 0 && i < self->ng + self->nn);
    tn_absolute_ops.row_name(&s->base.world->base, s->world_row[i], text, size);
}

static bool joint_row_turns(const tn_system *self, int i, double *coefficient)
{
    const joint_coords *s = (const joint_coords *)self;
    TN_ASSERT(i >= 0 && i < self->ng + self->nn);
    return tn_absolute_row_turns(&s->base.world->base, s->world_row[i], coefficient);
}

static void joint_velocity_name(const tn_system *self, int i, char *text, size_t size)
{
    TN_ASSERT(i >= 0 && i < self->nv);
    const joint_coords *s = (const joint_coords *)self;
    const tn_tree *tree = s->tree;
    int k = 1;
    while (k + 1 < tree->n && tree->body[k + 1].v0 <= i)
        k++;
    while (tree->body[k].nv == 0)
        k--;
    const tn_tree_body *body = &tree->body[k];
    i -= body->v0;
    if (body->joint < 0) {
        const tn_body_data *data = &tree->model->bodies.at[body->body];
        snprintf(text, size, "body '%s', %s", data->name, tn_body_velocity_name(data->ops, i));
        return;
    }
    const tn_joint_data *joint = &tree->model->joints.at[body->joint];
    if (joint->ops->ncoord >= body->nv)
        snprintf(text, size, "joint '%s', %s", joint->name, joint->ops->coords[i].name);
    else
        snprintf(text, size, "joint '%s', freedom %d", joint->name, i + 1);
}

static void joint_destroy(tn_system *self)
{
    joint_coords *s = (joint_coords *)self;
    tn_tree_linear_destroy(s->linear);
    tn_joint_coords_close_massless(s);
    tn_signal_blocks_destroy(s->blocks);
    tn_tree_destroy(s->tree);
    TN_FREE(s->block, s);
}

static void joint_values(tn_system *self, tn_values *v)
{
    joint_coords *s = (joint_coords *)self;
    if (s->linear)
        tn_tree_linear_values(s->linear, v);
    TN_VALUES(v, "1", 4 * s->base.world->nbody, (double *)s->rotation);
}

#define JOINT_COORDS                                                                          \
    .coordinates = "joint", .eval = joint_coords_eval_joint_eval, .energy = joint_energy,     \
    .accept = joint_accept, .next_sample = tn_placed_next_sample, .sample = tn_placed_sample, \
    .row_name = joint_row_name, .row_turns = joint_row_turns,                                 \
    .velocity_name = joint_velocity_name, .extra_name = tn_placed_extra_name,                 \
    .force_name = tn_placed_force_name, .mechanism = &tn_joint_coords_mechanism,              \
    .world = &tn_joint_coords_world, .placing = &tn_joint_coords_placing,                     \
    .destroy = joint_destroy, .values = joint_values

const tn_system_ops tn_joint_coords_ops = {
    JOINT_COORDS,
    .power = joint_power,
    .recursive = &recursive,
    .massless = &tn_joint_coords_massless,
};

const tn_system_ops tn_joint_coords_modal_ops = {JOINT_COORDS};
