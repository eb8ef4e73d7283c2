// SPDX-License-Identifier: MIT
//
// Kinds of all families by name.

#include "model/family.h"

#include "base/status.h"
#include "base/table.h"
#include "model/block.h"
#include "model/body.h"
#include "model/force.h"
#include "model/joint.h"
#include "model/own.h"
#include "model/shape.h"

#include <string.h>

enum { KINDS_MAX = 256 }; // of one family

const char *tn_family_name(tn_family family)
{
    static const char *const names[TN_FAMILY_COUNT] = {"body",  "joint", "force",
                                                       "shape", "block", "function"};
    return names[family];
}

#define NAME_OF(ops) ((ops) ? (ops)->name : NULL)

const char *tn_kind_name(tn_family family, int kind)
{
    switch (family) {
    case TN_FAMILY_BODY:
        return NAME_OF(tn_body_ops_of(kind));
    case TN_FAMILY_JOINT:
        return NAME_OF(tn_joint_ops_of(kind));
    case TN_FAMILY_FORCE:
        return NAME_OF(tn_force_ops_of(kind));
    case TN_FAMILY_SHAPE:
        return NAME_OF(tn_shape_ops_of(kind));
    case TN_FAMILY_BLOCK:
        return NAME_OF(tn_block_ops_of(kind));
    default:
        return tn_own_function_table(kind + 1) ? tn_own_function_table(kind + 1)->kind.name : NULL;
    }
}

int tn_find_kind(tn_family family, const char *name)
{
    const char *names[KINDS_MAX], *list = tn_family_name(family);
    int n = 0;
    for (; n < KINDS_MAX && (names[n] = tn_kind_name(family, n)); n++)
        if (strcmp(names[n], name) == 0)
            return n;
    if (n == 0)
        names[n++] = "none";
    if (family == TN_FAMILY_BODY && n < KINDS_MAX)
        names[n++] = "beam"; // which is made of bodies (model/beam.h)
    (void)tn_fail(TN_ERR_MODEL, "'%s' is not a kind of %s; %s", name, list,
                  tn_name_hint(name, n, names).text);
    return -1;
}
