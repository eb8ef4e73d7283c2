// SPDX-License-Identifier: MIT
//
// The registry of kinds of all families. Those who add a kind take a lock.

#include "kinds/family.h"

#include "model/builder.h"

#include <pthread.h>
#include <string.h>

static tn_kinds registry = {{
    [TN_FAMILY_BODY] =
        {
#define TN_KIND(NAME, name) &tn_body_##name,
#include "tenon/body_kinds.inc"
#undef TN_KIND
        },
    [TN_FAMILY_JOINT] =
        {
#define TN_KIND(NAME, name) &tn_joint_##name,
#include "tenon/joint_kinds.inc"
#undef TN_KIND
        },
    [TN_FAMILY_FORCE] =
        {
#define TN_KIND(NAME, name) &tn_force_##name,
#include "tenon/force_kinds.inc"
#undef TN_KIND
        },
    [TN_FAMILY_SHAPE] =
        {
#define TN_KIND(NAME, name) &tn_shape_##name,
#include "tenon/shape_kinds.inc"
#undef TN_KIND
        },
    [TN_FAMILY_BLOCK] =
        {
#define TN_KIND(NAME, name) &tn_block_##name,
#include "tenon/block_kinds.inc"
#undef TN_KIND
        },
}};
static const int built_in[TN_FAMILY_COUNT] = {
    [TN_FAMILY_BODY] = TN_BODY_KIND_COUNT,   [TN_FAMILY_JOINT] = TN_JOINT_KIND_COUNT,
    [TN_FAMILY_FORCE] = TN_FORCE_KIND_COUNT, [TN_FAMILY_SHAPE] = TN_SHAPE_KIND_COUNT,
    [TN_FAMILY_BLOCK] = TN_BLOCK_KIND_COUNT,
};
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

tn_model *tn_model_create(void)
{
    return tn_model_create_with(&registry);
}

const char *tn_kind_name(tn_family family, int kind)
{
    const char *const *table = tn_kind_at(&registry, family, kind);
    return table ? *table : NULL;
}

int tn_find_kind(tn_family family, const char *name)
{
    const char *names[TN_KINDS_MOST + 1], *list = tn_family_name(family);
    int n = 0;
    for (; (names[n] = tn_kind_name(family, n)); n++)
        if (strcmp(names[n], name) == 0)
            return n;
    if (n == 0)
        names[n++] = "none";
    if (family == TN_FAMILY_BODY)
        names[n++] = "beam"; // which is made of bodies (flex/beam.h)
    (void)tn_fail(TN_ERR_MODEL, "'%s' is not a kind of %s; %s", name, list,
                  tn_name_hint(name, n, names).text);
    return -1;
}

#define OPS_OF(FAMILY, name)                                    \
    const tn_##name##_ops *tn_##name##_ops_of(int kind)         \
    {                                                           \
        return tn_kind_at(&registry, TN_FAMILY_##FAMILY, kind); \
    }

OPS_OF(BODY, body)
OPS_OF(JOINT, joint)
OPS_OF(FORCE, force)
OPS_OF(SHAPE, shape)
OPS_OF(BLOCK, block)

const tn_own_function *tn_own_function_table(int kind)
{
    return tn_own_at(TN_FAMILY_FUNCTION, kind - 1);
}

// Defaults ----------------------------------------------------------------------------------------

tn_joint_def tn_default_joint(tn_joint_kind kind)
{
    return tn_joint_def_of(&registry, kind);
}

tn_force_def tn_default_force(tn_force_kind kind)
{
    return tn_force_def_of(&registry, kind);
}

tn_shape_def tn_default_shape(tn_shape_kind kind)
{
    tn_shape_def def = {
        .body = TN_GROUND,
        .kind = kind,
        .frame = tn_frame_identity,
        .scale = 1.0,
        .color = TN_COLOR_AUTOMATIC,
    };
    const tn_shape_ops *ops = tn_shape_ops_of((int)kind);
    if (ops)
        tn_params_default(ops->nparam, ops->params, &def);
    return def;
}

tn_block_def tn_default_block(tn_block_kind kind)
{
    tn_block_def def = {.kind = kind};
    const tn_block_ops *ops = tn_block_ops_of((int)kind);
    if (ops)
        tn_params_default(ops->nparam, ops->params, &def);
    return def;
}

// Own kinds ---------------------------------------------------------------------------------------

const void *tn_own_at(tn_family family, int i)
{
    return i < 0 ? NULL : tn_kind_at(&registry, family, built_in[family] + i);
}

int tn_own_count(tn_family family)
{
    int count = 0;
    while (tn_own_at(family, count))
        count++;
    return count;
}

static tn_status push_locked(tn_family family, const void *kind, int *number)
{
    const char *name = *(const char *const *)kind, *known;
    for (int i = 0; (known = tn_kind_name(family, i)); i++)
        if (strcmp(name, known) == 0)
            return tn_fail(TN_ERR_USAGE,
                           "kind '%s': there is a kind of that name already; choose another", name);
    *number = tn_own_count(family);
    if (*number == TN_OWN_MOST)
        return tn_fail(TN_ERR_USAGE, "kind '%s': there are %d own kinds of its family, no more fit",
                       name, *number);
    atomic_store(&registry.at[family][built_in[family] + *number], kind);
    return TN_OK;
}

tn_status tn_own_push(tn_family family, void *kind, int *number)
{
    pthread_mutex_lock(&adding);
    const tn_status status = push_locked(family, kind, number);
    pthread_mutex_unlock(&adding);
    if (status != TN_OK)
        tn_free(kind);
    return status;
}
