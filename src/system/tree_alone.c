// SPDX-License-Identifier: MIT
//
// Trees that are alone (tree.h), of either kind: of the plane (tree_alone_plane.c), or in space
// (tree_alone_space.c).

#include "base/alloc.h"
#include "base/carve.h"
#include "system/tree_parts.h"

static const tn_alone_kind *const kinds[] = {&tn_alone_plane, &tn_alone_space};

// The kind whose joints are those of all places; NULL for none.
static const tn_alone_kind *kind_of(const tree *t)
{
    if (t->nlimb > 0 || t->base.n < 2)
        return NULL;
    for (int i = 0; i < TN_COUNT(kinds); i++) {
        bool all = true;
        for (int k = 1; k < t->base.n; k++)
            all = all && t->node[k].kind == kinds[i]->joint;
        if (all)
            return kinds[i];
    }
    return NULL;
}

static bool is_chain(const tree *t)
{
    for (int k = 1; k < t->base.n; k++)
        if (t->node[k].parent != k - 1)
            return false;
    return true;
}

static void layout_alone(void *self, tn_carve *mem)
{
    tn_alone *s = self;
    s->at = tn_carve_bytes(mem, sizeof *s->at * (size_t)s->n);
    s->kind->layout(s, mem);
}

tn_status tn_alone_create(const tn_tree *self, tn_alone **out)
{
    const tree *t = (const tree *)self;
    const tn_alone_kind *kind = kind_of(t);
    *out = NULL;
    if (!kind)
        return TN_OK;
    tn_alone *s = tn_alloc(kind->size);
    TN_TRY(tn_got(s));
    s->kind = kind;
    s->of = t;
    s->n = self->n;
    s->accelerate = is_chain(t) ? kind->accelerate_chain : kind->accelerate;
    const tn_status status = tn_carve_block(s, layout_alone, &s->block);
    for (int k = 1; status == TN_OK && k < s->n; k++)
        s->at[k] = (alone_at){NAN, NAN};
    if (status == TN_OK)
        kind->set(s);
    TN_HAND_OUT(status, s, tn_alone_destroy, out);
}

void tn_alone_destroy(tn_alone *s)
{
    if (s)
        TN_FREE(s->block, s);
}

bool tn_alone_accelerate(tn_alone *s, const double *q, const double *v, double *vdot)
{
    TN_ASSERT(vdot != q && vdot != v);
    s->looked = false;
    return s->accelerate(s, q, v, vdot);
}

// Energies and speeds -----------------------------------------------------------------------------

alone_centre tn_alone_centre(const tree *t, int k)
{
    const tn_body_data *body = &t->base.model->bodies.at[t->base.body[k].body];
    const tn_frame seat = t->base.body[k].seat;
    return (alone_centre){.at = tn_frame_point(tn_frame_inverse(seat), body->def.com),
                          .gyration = tn_body_gyration(body),
                          .point = body->ops->turns == 0};
}

static bool is_at(const tn_alone *s, const double *q, const double *v)
{
    for (int k = 1; k < s->n; k++)
        if (s->at[k].q != q[k - 1] || s->at[k].v != v[k - 1])
            return false;
    return true;
}

// An explicit method has just evaluated the end of its step: mostly the records are there.
static void look_alone(tn_alone *s, const double *q, const double *v, const double *vdot,
                       tn_extremes *most)
{
    if (!is_at(s, q, v))
        s->kind->move(s, q, v);
    s->sums = s->kind->look(s, vdot, most);
    s->looked = true;
}

tn_extremes tn_alone_extremes(tn_alone *s, const double *q, const double *v, const double *vdot)
{
    tn_extremes most = {.speed = 0.0};
    look_alone(s, q, v, vdot, &most);
    return most;
}

tn_tree_sums tn_alone_energy(tn_alone *s, const double *q, const double *v)
{
    if (!s->looked || !is_at(s, q, v))
        look_alone(s, q, v, NULL, NULL);
    return s->sums;
}
