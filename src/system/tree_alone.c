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
    const tn_status status = tn_carve_block(s, kind->layout, &s->block);
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
    return s->kind->accelerate(s, q, v, vdot);
}
