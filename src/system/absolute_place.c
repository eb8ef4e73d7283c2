// SPDX-License-Identifier: MIT
//
// Poses of bodies and pairs of frames, and their motion, at a point in absolute coordinates.

#include "system/absolute_parts.h"

#include "base/team.h"
#include "linalg/dense.h"

static void absolute_place_body(abs_body *b, const tn_point *at)
{
    static const double rest[6] = {0};
    const double *q = at->q + b->q0, *v = at->v ? at->v + b->v0 : rest;
    b->R = tn_m3_identity;
    b->U = b->W = (tn_vec3){0};
    if (b->turns == 3) {
        b->p = tn_v3_from(q);
        b->R = tn_quat_matrix(tn_quat_from(q + 3));
        b->W = tn_v3_from(v + 3);
        b->V.w = tn_m3_apply(b->R, b->W);
        b->U = b->se3 ? tn_v3_from(v) : tn_m3_apply_t(b->R, tn_v3_from(v));
        b->V.v = b->se3 ? tn_m3_apply(b->R, b->U) : tn_v3_from(v);
        return;
    }
    if (b->moves == 1) {
        b->p = tn_v3(q[0], 0.0, 0.0);
        b->V = (tn_twist){.v = {v[0], 0.0, 0.0}};
        return;
    }
    const bool space = b->moves == 3;
    b->p = (tn_vec3){q[0], q[1], space ? q[2] : b->height};
    b->V = (tn_twist){.v = {v[0], v[1], space ? v[2] : 0.0}};
    if (b->turns == 1) {
        b->R = tn_m3_rot_z(q[2]);
        b->W.z = b->V.w.z = v[2];
    }
}

static void place_end(const abs_body *b, const tn_frame *local, bool turned, tn_end *end)
{
    end->r = tn_m3_apply(b->R, local->p);
    end->x.p = tn_v3_add(b->p, end->r);
    end->x.R = turned ? tn_m3_mul(b->R, local->R) : b->R;
    end->V = b->V;
}

static void place_prescribed(const absolute *s, abs_pair *p, double t)
{
    double u[6][3] = {{0}};
    for (int k = 0; k < 6 && p->pose->u[k]; k++)
        abs_driven(s, p->pose->u[k], t, u[k]);
    p->at.a.r = (tn_vec3){0};
    p->pose->ops->prescribe(u, &p->at.a.x, &p->at.a.V, p->Va_dot);
}

void tn_absolute_place_pair(absolute *s, abs_pair *p, double t)
{
    if (p->pose) {
        place_prescribed(s, p, t);
    } else if (p->attachment) {
        tn_attachment_place(s, p->attachment);
        tn_attachment_end(s, p->attachment, &p->at.a);
    } else {
        place_end(&s->body[p->a], &p->fa, p->turned[0], &p->at.a);
    }
    place_end(&s->body[p->b], &p->fb, p->turned[1], &p->at.b);
}

bool tn_is_placed(const tn_system *self, const tn_point *at)
{
    const absolute *w = self->world;
    return w->placed_by == self && w->placed != PLACED_NOTHING && at->v &&
           abs_clock(w, at->t) == w->placed_t && tn_same(self->nq, at->q, w->placed_q) &&
           tn_same(self->nv, at->v, w->placed_v);
}

// Without velocities nothing is there for others.
void tn_note_placed(tn_system *self, const tn_point *at, placed what)
{
    absolute *w = self->world;
    w->placed_by = self;
    w->placed = at->v ? what : PLACED_NOTHING;
    w->placed_t = abs_clock(w, at->t);
    self->looked = false;
    tn_copy(self->nq, at->q, w->placed_q);
    if (at->v)
        tn_copy(self->nv, at->v, w->placed_v);
}

abs_point tn_place_at(tn_system *self, const tn_point *at, placed what)
{
    const bool seen = self->looked && self->world->placed_by == self;
    if (what != PLACED_SEEN || !seen)
        self->ops->placing->place(self, at, what == PLACED_SEEN ? PLACED_ALL : what);
    return self->ops->placing->here(self, at);
}

typedef struct placing {
    absolute *s;
    const tn_point *at;
} placing;

static void place_bodies(void *user, int begin, int end)
{
    const placing *p = user;
    for (int k = begin; k < end; k++)
        absolute_place_body(&p->s->body[k + 1], p->at);
}

static void place_pairs(void *user, int begin, int end)
{
    const placing *p = user;
    for (int k = begin; k < end; k++)
        tn_absolute_place_pair(p->s, &p->s->pair[k], p->at->t);
}

void tn_absolute_place(absolute *s, const tn_point *at)
{
    if (tn_is_placed(&s->base, at))
        return;
    tn_note_placed(&s->base, at, PLACED_ALL);
    s->has_B = false;
    placing all = {s, at};
    tn_team_loop(s->nbody - 1, ABS_MANY, place_bodies, &all);
    if (s->is_prescribed)
        place_pairs(&all, 0, s->npair);
    else
        tn_team_loop(s->npair, ABS_MANY, place_pairs, &all);
}

void tn_absolute_place_body(absolute *s, const tn_point *at, int body)
{
    s->placed_by = NULL;
    TN_ASSERT(body >= 0 && body < s->nbody);
    if (body > 0)
        absolute_place_body(&s->body[body], at);
}

void tn_absolute_place_joint(absolute *s, const tn_point *at, const abs_joint *j)
{
    const int own = j->own_pair >= 0;
    s->placed_by = NULL;
    if (j->attachment) {
        tn_absolute_place(s, at);
        return;
    }
    for (int k = -own; k < j->npair; k++) {
        abs_pair *p = &s->pair[k < 0 ? j->own_pair : j->pair[k]];
        tn_absolute_place_body(s, at, p->a);
        tn_absolute_place_body(s, at, p->b);
        tn_absolute_place_pair(s, p, at->t);
    }
}

void tn_absolute_place_force(absolute *s, const tn_point *at, const abs_force *f)
{
    TN_ASSERT(f->pair >= 0 && f->pair < s->npair);
    abs_pair *p = &s->pair[f->pair];
    tn_absolute_place_body(s, at, p->a);
    tn_absolute_place_body(s, at, p->b);
    tn_absolute_place_pair(s, p, at->t);
}

static void absolute_place(tn_system *self, const tn_point *at, placed what)
{
    (void)what;
    tn_absolute_place((absolute *)self, at);
}

static abs_point absolute_here(tn_system *self, const tn_point *at)
{
    (void)self;
    return abs_here(at);
}

const placing_ops tn_absolute_placing = {absolute_place, absolute_here};
