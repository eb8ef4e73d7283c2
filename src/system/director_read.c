// SPDX-License-Identifier: MIT
//
// Start values of director coordinates, and the read-out of bodies, joints and reactions, which
// looks the same as that of absolute coordinates.

#include "system/director_parts.h"

#include "lie/so3.h"
#include "linalg/dense.h"
#include "tenon/sim.h"

static tn_status from_world(tn_system *self, const tn_point *world, double *q, double *v)
{
    director *s = (director *)self;
    s->placed = DIR_NOTHING;
    for (int k = 1; k < s->world->nbody; k++) {
        tn_body_state x;
        tn_absolute_body(&s->world->base, world, k, &x);
        s->rotation[k] = x.rotation;
        const abs_body *from = &s->world->body[k]; // placed by the line above
        tn_vec3 place[4] = {from->p}, rate[4] = {from->V.v};
        for (int m = 1; m < 4; m++) {
            place[m] = tn_m3_column(from->R, m - 1);
            rate[m] = tn_v3_cross(from->V.w, place[m]);
        }
        tn_director_put(&s->body[k], place, q + s->body[k].v0);
        tn_director_put(&s->body[k], rate, v + s->body[k].v0);
    }
    return TN_OK;
}

// Second rates of a body: of its centre of mass, and of its turning.
static tn_twist acceleration(const dir_body *b, const tn_point *at)
{
    TN_ASSERT(at->a);
    tn_vec3 a[4] = {{0}};
    tn_director_vectors(b, at->a + b->v0, a);
    return (tn_twist){a[0], tn_director_turn(b, a)};
}

static void to_world(tn_system *self, const tn_point *at, double *q, double *v, double *a)
{
    director *s = (director *)self;
    tn_director_place(s, at, DIR_ALL);
    for (int k = 1; k < s->world->nbody; k++) {
        tn_absolute_put(s->world, k, q, v);
        if (a)
            tn_absolute_put_acceleration(s->world, k, acceleration(&s->body[k], at), a);
    }
}

static int world_row(const tn_system *self, int i)
{
    TN_ASSERT(i >= 0 && i < self->ng + self->nn);
    const int internal = ((const director *)self)->ninternal;
    return i < internal ? -1 : i - internal;
}

const tn_world_ops tn_director_world = {
    .from = from_world,
    .to = to_world,
    .row = world_row,
};

// Read-out ----------------------------------------------------------------------------------------

static void look_director_read(tn_system *self, const tn_point *at)
{
    tn_director_place((director *)self, at, DIR_ALL);
    self->looked = true;
}

static void body(const tn_system *self, const tn_point *at, int body, tn_body_state *out)
{
    director *s = (director *)self;
    tn_twist A = {0};
    tn_director_see(s, at);
    if (at->a && body > 0)
        A = acceleration(&s->body[body], at);
    tn_placed_body(s->world, body, at->a ? &A : NULL, &s->rotation[body], out);
}

static tn_wrench director_read_reaction(const tn_system *self, const tn_point *at, int joint)
{
    director *s = (director *)self;
    const abs_point here = dir_here(s, at);
    tn_director_see(s, at);
    return tn_placed_reaction(s->world, &here, joint);
}

static int director_read_multipliers(const tn_system *self, const tn_point *at, int joint,
                                     double *lambda)
{
    const director *s = (const director *)self;
    TN_ASSERT(at->lambda && joint >= 0 && joint < s->world->njoint);
    const abs_joint *j = &s->world->joint[joint];
    tn_copy(j->nrow, at->lambda + s->ninternal + j->row0, lambda);
    if (j->rolling < 0)
        return j->nrow;
    const abs_joint *rolling = &s->world->joint[j->rolling];
    tn_copy(rolling->nrow, at->eta + rolling->row0, lambda + j->nrow);
    return j->nrow + rolling->nrow;
}

static int director_read_coordinates(const tn_system *self, const tn_point *at, int joint,
                                     double *q, double *qd)
{
    director *s = (director *)self;
    const abs_point here = dir_here(s, at);
    tn_director_see(s, at);
    return tn_placed_coordinates(s->world, &here, joint, q, qd);
}

static void director_read_force(const tn_system *self, const tn_point *at, int force,
                                tn_force_state *out)
{
    director *s = (director *)self;
    const abs_point here = dir_here(s, at);
    tn_director_see(s, at);
    tn_placed_force(s->world, &here, force, out);
}

static void director_decisions(tn_system *self, const tn_point *at, double *value)
{
    director *s = (director *)self;
    const abs_point here = dir_here(s, at);
    tn_director_place(s, at, DIR_USED);
    tn_absolute_decisions(s->world, &here, value);
}

static void director_settle(tn_system *self, const tn_point *at, const bool *fixed)
{
    director *s = (director *)self;
    const abs_point here = dir_here(s, at);
    tn_director_place(s, at, DIR_USED);
    tn_absolute_settle(s->world, &here, fixed);
}

static int director_out_of_range(tn_system *self, const tn_point *at, double *value)
{
    director *s = (director *)self;
    const abs_point here = dir_here(s, at);
    tn_director_place(s, at, DIR_USED);
    return tn_absolute_out_of_range(s->world, &here, value);
}

static void director_read_signals(tn_system *self, const tn_point *at, double *values)
{
    director *s = (director *)self;
    const abs_point here = dir_here(s, at);
    tn_director_place(s, at, DIR_ALL);
    tn_absolute_tell_signals(s->world, self, at, &here, values);
}

const tn_mechanism_ops tn_director_mechanism = {
    .decisions = director_decisions,
    .settle = director_settle,
    .out_of_range = director_out_of_range,
    .look = look_director_read,
    .body = body,
    .reaction = director_read_reaction,
    .multipliers = director_read_multipliers,
    .coordinates = director_read_coordinates,
    .force = director_read_force,
    .signals = director_read_signals,
};
