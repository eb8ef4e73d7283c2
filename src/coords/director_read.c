// SPDX-License-Identifier: MIT
//
// Start values of director coordinates, and the read-out of bodies, joints and reactions, which has
// the form of that in absolute coordinates.

#include "coords/director_parts.h"

#include "lie/so3.h"
#include "linalg/dense.h"
#include "tenon/sim.h"

static tn_status from_world(tn_system *self, const tn_point *world, double *q, double *v)
{
    director *s = (director *)self;
    for (int k = 1; k < s->base.world->nbody; k++) {
        tn_body_state x;
        tn_absolute_body(&s->base.world->base, world, k, &x);
        s->rotation[k] = x.rotation;
        const abs_body *from = &s->base.world->body[k]; // placed by the line above
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
    tn_director_place(s, at, PLACED_ALL);
    for (int k = 1; k < s->base.world->nbody; k++) {
        tn_absolute_put(s->base.world, k, q, v);
        if (a)
            tn_absolute_put_acceleration(s->base.world, k, acceleration(&s->body[k], at), a);
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

static void body(const tn_system *self, const tn_point *at, int body, tn_body_state *out)
{
    director *s = (director *)self;
    tn_twist A = {0};
    tn_place_at(&s->base, at, PLACED_SEEN);
    if (at->a && body > 0)
        A = acceleration(&s->body[body], at);
    tn_placed_body(s->base.world, body, at->a ? &A : NULL, &s->rotation[body], out);
}

static tn_wrench director_read_reaction(const tn_system *self, const tn_point *at, int joint)
{
    const abs_point here = tn_place_at((tn_system *)self, at, PLACED_SEEN);
    return tn_placed_reaction(self->world, &here, joint);
}

const tn_mechanism_ops tn_director_mechanism = {
    .decisions = tn_placed_decisions,
    .settle = tn_placed_settle,
    .out_of_range = tn_placed_out_of_range,
    .look = tn_placed_look,
    .body = body,
    .reaction = director_read_reaction,
    .multipliers = tn_placed_multipliers,
    .coordinates = tn_seen_coordinates,
    .force = tn_seen_force,
    .signals = tn_placed_signals,
};
