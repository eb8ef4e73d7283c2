// SPDX-License-Identifier: MIT
//
// Nodes of parts as the readers shall see them: what an index or a prefix changes, and all that
// stands in another file, is copied; the rest is shared.

#include "io/part_own.h"

#include <string.h>

// What is known while a value is copied.
typedef struct copying {
    tn_part_writer *w;
    const tn_part_where *at;
} copying;

// An expression of s along a curve is of no other s.
static const tn_node *names_of_curves(void)
{
    static const tn_node s = {.kind = TN_NODE_SCALAR, .text = "s"},
                         u = {.kind = TN_NODE_SCALAR, .text = "u"},
                         v = {.kind = TN_NODE_SCALAR, .text = "v"};
    static const tn_node *names[] = {&s, &u, &v};
    static const tn_node map = {
        .kind = TN_NODE_MAP, .count = TN_COUNT(names), .keys = names, .children = names};
    return &map;
}

// What a force between two frames sees of them, whatever else has a name like that.
static const tn_node *names_of_forces(void)
{
#define SEEN(text_)                           \
    {                                         \
        .kind = TN_NODE_SCALAR, .text = text_ \
    }
#define SEEN_OF(word)                                                                              \
    SEEN(word ".x"), SEEN(word ".y"), SEEN(word ".z"), SEEN(word ".x.rate"), SEEN(word ".y.rate"), \
        SEEN(word ".z.rate")
    static const tn_node seen[] = {SEEN_OF("displacement"), SEEN_OF("turn")};
    static const tn_node *names[] = {&seen[0], &seen[1], &seen[2], &seen[3], &seen[4],  &seen[5],
                                     &seen[6], &seen[7], &seen[8], &seen[9], &seen[10], &seen[11]};
    static const tn_node map = {
        .kind = TN_NODE_MAP, .count = TN_COUNT(names), .keys = names, .children = names};
    return &map;
}

static tn_status new_copy(const copying *c, const tn_node *node, tn_node **out)
{
    *out = tn_document_take(c->w->doc, sizeof **out);
    TN_TRY(tn_got(*out));
    **out = *node;
    (*out)->source = c->at->source;
    return TN_OK;
}

static tn_status copy_scalar(const copying *c, const tn_node *node, tn_part_role role,
                             const tn_node *locals, const tn_node **out)
{
    const char *text = node->text;
    tn_node *copy = NULL;
    *out = node;
    if (role == TN_PART_CURVE)
        locals = names_of_curves();
    if (node->kind == TN_NODE_SCALAR)
        TN_TRY(tn_part_text(c->w, c->at, node, role, locals, &text));
    if (text == node->text && c->at->source == node->source)
        return TN_OK;
    TN_TRY(new_copy(c, node, &copy));
    if (text != node->text) {
        copy->text = text;
        copy->text_column = 0;
        copy->mounted = role == TN_PART_NAME && strcmp(node->text, "ground") == 0;
    }
    *out = copy;
    return TN_OK;
}

static tn_status copy_value(const copying *c, const tn_node *node, tn_part_role role,
                            const tn_part_keys *keys, const char *key, const tn_node *locals,
                            const tn_node **out);

// The role of the value of a key, and the names that are its own.
static tn_status copy_pair(const copying *c, const tn_node *map, int i, tn_part_role role,
                           const tn_part_keys *keys, const tn_node *locals, const tn_node **out)
{
    const char *key = map->keys[i]->text;
    const tn_node *value = map->children[i];
    if (role != TN_PART_MAP)
        return copy_value(c, value, role, keys, key, locals, out);
    const tn_part_role inside = tn_part_role_of(keys, key, value);
    const bool sampled = strcmp(keys->section, "sampled") == 0 && strcmp(key, "next") == 0;
    return copy_value(c, value, inside, keys, key, sampled ? value : locals, out);
}

// Members of lists and maps; those that change make a copy of the whole.
static tn_status copy_members(const copying *c, const tn_node *node, tn_part_role role,
                              const tn_part_keys *keys, const char *key, const tn_node *locals,
                              const tn_node **out)
{
    const bool map = node->kind == TN_NODE_MAP;
    const int n = node->count;
    tn_node *copy = NULL;
    *out = node;
    for (int i = 0; i < n; i++) {
        const tn_node *name = map ? node->keys[i] : NULL, *value = node->children[i];
        const tn_node *new_name = name, *new_value = value;
        if (map) {
            TN_TRY(copy_scalar(c, name, TN_PART_TEXT, NULL, &new_name));
            TN_TRY(copy_pair(c, node, i, role, keys, locals, &new_value));
        } else {
            TN_TRY(copy_value(c, value, role, keys, key, locals, &new_value));
        }
        if (!copy && (new_name != name || new_value != value)) {
            const tn_node **to =
                tn_document_take(c->w->doc, sizeof *to * (size_t)(map ? 2 * n : n));
            TN_TRY(tn_got(to));
            TN_TRY(new_copy(c, node, &copy));
            copy->keys = map ? to : NULL;
            copy->children = map ? to + n : to;
            for (int k = 0; k < n; k++) {
                copy->children[k] = node->children[k];
                if (map)
                    copy->keys[k] = node->keys[k];
            }
        }
        if (copy) {
            copy->children[i] = new_value;
            if (map)
                copy->keys[i] = new_name;
        }
    }
    if (copy)
        *out = copy;
    return TN_OK;
}

static tn_status copy_value(const copying *c, const tn_node *node, tn_part_role role,
                            const tn_part_keys *keys, const char *key, const tn_node *locals,
                            const tn_node **out)
{
    if (node->kind == TN_NODE_SCALAR || node->kind == TN_NODE_NULL)
        return copy_scalar(c, node, role == TN_PART_MAP ? TN_PART_NUMBER : role, locals, out);
    if (node->count == 0) {
        tn_node *copy = NULL;
        if (c->at->source == node->source) {
            *out = node;
            return TN_OK;
        }
        TN_TRY(new_copy(c, node, &copy));
        *out = copy;
        return TN_OK;
    }
    if (role != TN_PART_MAP || node->kind == TN_NODE_SEQUENCE)
        return copy_members(c, node, role, keys, key, locals, out);
    const tn_part_keys inside = tn_part_keys_within(keys, key, node);
    return copy_members(c, node, TN_PART_MAP, &inside, key, locals, out);
}

tn_status tn_part_copy(tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                       tn_part_role role, const tn_node **out)
{
    const copying c = {w, at};
    const tn_part_keys none = {.section = ""};
    return copy_value(&c, node, role, &none, "", NULL, out);
}

// The ground --------------------------------------------------------------------------------------

static bool has_key(const tn_part_keys *keys, const char *name)
{
    for (int k = 0; k < keys->nlist; k++)
        for (int i = 0; i < keys->lists[k].count; i++)
            if (strcmp(keys->lists[k].at[i].name, name) == 0)
                return true;
    return false;
}

// The only body that a joint or a force states: under `body`, or under `bodies`; NULL for two.
static const tn_node *only_body(const tn_node *value)
{
    if (value->kind == TN_NODE_SEQUENCE && value->count == 1)
        value = value->children[0];
    return value->kind == TN_NODE_SCALAR ? value : NULL;
}

// `bodies: [mount, body]` instead of the pair number `place`.
static tn_status mount_body(const copying *c, const tn_node *map, int place, const char *mount,
                            const tn_node **out)
{
    const tn_node *body = only_body(map->children[place]);
    const tn_node **all = tn_document_take(c->w->doc, sizeof *all * (size_t)(2 * map->count + 2));
    tn_node *copy = NULL, *key = NULL, *list = NULL, *name = NULL;
    TN_TRY(tn_got(all));
    TN_TRY(new_copy(c, map, &copy));
    TN_TRY(new_copy(c, map->keys[place], &key));
    TN_TRY(new_copy(c, body, &list));
    TN_TRY(new_copy(c, body, &name));
    name->text = mount;
    name->mounted = true;
    key->text = "bodies";
    *list = (tn_node){.kind = TN_NODE_SEQUENCE,
                      .line = body->line,
                      .column = body->column,
                      .count = 2,
                      .children = all + 2 * map->count,
                      .size = 3,
                      .source = c->at->source};
    list->children[0] = name;
    list->children[1] = body;
    memcpy(all, map->keys, sizeof *all * (size_t)map->count);
    memcpy(all + map->count, map->children, sizeof *all * (size_t)map->count);
    copy->keys = all;
    copy->children = all + map->count;
    copy->keys[place] = key;
    copy->children[place] = list;
    *out = copy;
    return TN_OK;
}

// What acts between the ground and a body leaves out the ground; where that is a body of the
// outside, it is put in.
static tn_status mount(const copying *c, const tn_part_keys *keys, const tn_node *map,
                       const tn_node **out)
{
    const char *ground = tn_part_ground(c->at->scope);
    const tn_node *kind = tn_node_get(map, "kind");
    *out = map;
    if (strcmp(ground, "ground") == 0)
        return TN_OK;
    if (kind && keys->nparam > 0 && strcmp(kind->text, "pose-drive") == 0)
        return tn_part_fail(c->w, c->at, kind,
                            "kind: a pose-drive moves its body as the inertial frame sees it, but "
                            "the ground of this part is '%s' by 'names'; hold the body by joints "
                            "instead",
                            ground);
    if (!has_key(keys, "frame_a") || (tn_node_get(map, "body") && tn_node_get(map, "bodies")))
        return TN_OK;
    for (int i = 0; i < map->count; i++)
        if ((strcmp(map->keys[i]->text, "body") == 0 ||
             strcmp(map->keys[i]->text, "bodies") == 0) &&
            only_body(map->children[i]))
            return mount_body(c, map, i, ground, out);
    return TN_OK;
}

// Elements ----------------------------------------------------------------------------------------

tn_status tn_part_element(tn_part_writer *w, const tn_part_where *at, const char *section,
                          const tn_node *value, const tn_node **out)
{
    static const char *const plain[] = {"parameters", "inputs", "signals", "outputs"};
    const copying c = {w, at};
    tn_part_role role = TN_PART_TEXT;
    for (int i = 0; i < TN_COUNT(plain); i++)
        if (strcmp(section, plain[i]) == 0)
            role = TN_PART_NUMBER;
    if (value->kind != TN_NODE_MAP || value->count == 0)
        return tn_part_copy(w, at, value, role, out);
    const tn_part_keys keys = tn_part_keys_of(section, value);
    const tn_node *copy = NULL;
    const tn_node *locals = strcmp(section, "forces") == 0 ? names_of_forces() : NULL;
    TN_TRY(copy_members(&c, value, TN_PART_MAP, &keys, "", locals, &copy));
    *out = copy;
    const bool sits = strcmp(section, "joints") == 0 || strcmp(section, "forces") == 0;
    return sits ? mount(&c, &keys, copy, out) : TN_OK;
}
