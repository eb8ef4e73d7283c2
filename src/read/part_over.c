// SPDX-License-Identifier: MIT
//
// Values of a model that is written out, instead of those of its placed parts: in the inertial
// frame, or on the bodies, where the parts state them in frames of their own.

#include "read/model_yaml.h"

#include "text/number.h"

#include <string.h>

static tn_node *scalar(const tn_element *e, const char *text)
{
    return tn_node_new(e->reader->doc, TN_NODE_SCALAR, text, 0);
}

static tn_node *group(const tn_element *e, tn_node_kind kind, int n)
{
    return tn_node_new(e->reader->doc, kind, NULL, n);
}

static const tn_node *number(const tn_element *e, double value)
{
    char text[TN_NUMBER_SIZE];
    tn_number_text(value + 0.0, text); // no -0
    return scalar(e, text);
}

static const tn_node *vector(const tn_element *e, tn_vec3 v)
{
    tn_node *list = group(e, TN_NODE_SEQUENCE, 3);
    const double parts[3] = {v.x, v.y, v.z};
    for (int i = 0; list && i < 3; i++)
        if (!(list->children[i] = number(e, parts[i])))
            return NULL;
    return list;
}

static const tn_node *pair_map(const tn_element *e, const char *key_1, const tn_node *one,
                               const char *key_2, const tn_node *two)
{
    tn_node *map = group(e, TN_NODE_MAP, two ? 2 : 1);
    if (!map || !one)
        return NULL;
    map->keys[0] = scalar(e, key_1);
    map->children[0] = one;
    if (two) {
        map->keys[1] = scalar(e, key_2);
        map->children[1] = two;
    }
    return map->keys[0] && (!two || map->keys[1]) ? map : NULL;
}

static const tn_node *rotation(const tn_element *e, tn_mat3 R)
{
    const tn_node *x = vector(e, tn_v3(R.m[0][0], R.m[1][0], R.m[2][0]));
    const tn_node *z = vector(e, tn_v3(R.m[0][2], R.m[1][2], R.m[2][2]));
    return x && z ? pair_map(e, "x_axis", x, "z_axis", z) : NULL;
}

bool tn_is_over(const tn_element *e)
{
    return e->reader->over;
}

static int place_of(const tn_node *map, const char *key)
{
    int i = 0;
    while (i < map->count && strcmp(map->keys[i]->text, key) != 0)
        i++;
    return i;
}

// A map of a part is a copy that can be changed (part_copy.c).
static tn_status put(const tn_element *e, tn_node *map, const char *key, const tn_node *value)
{
    const int n = map->count, i = place_of(map, key);
    if (i < n && value) {
        map->children[i] = value;
    } else if (i < n) {
        map->count--;
        for (int k = i; k < map->count; k++) {
            map->keys[k] = map->keys[k + 1];
            map->children[k] = map->children[k + 1];
        }
    } else if (value) {
        tn_node *longer = group(e, TN_NODE_MAP, n + 1);
        const tn_node *name = scalar(e, key);
        TN_TRY(tn_got(longer && name));
        for (int k = 0; k <= n; k++) {
            longer->keys[k] = k < n ? map->keys[k] : name;
            longer->children[k] = k < n ? map->children[k] : value;
        }
        map->keys = longer->keys;
        map->children = longer->children;
        map->count++;
    }
    return TN_OK;
}

tn_status tn_over_node(const tn_element *e, const char *map, const char *key, const tn_node *value)
{
    tn_node *all = (tn_node *)e->map;
    if (*map && value && place_of(all, map) == all->count) {
        tn_node *inner = group(e, TN_NODE_MAP, 0);
        TN_TRY(tn_got(inner));
        TN_TRY(put(e, all, map, inner));
    }
    if (*map && place_of(all, map) == all->count)
        return TN_OK;
    return put(e, *map ? (tn_node *)all->children[place_of(all, map)] : all, key, value);
}

// Puts a value that may lack memory.
static tn_status put_new(const tn_element *e, const char *map, const char *key,
                         const tn_node *value)
{
    TN_TRY(tn_got(value));
    return tn_over_node(e, map, key, value);
}

tn_status tn_over_vector(const tn_element *e, const char *map, const char *key, tn_vec3 v)
{
    return put_new(e, map, key, vector(e, v));
}

tn_status tn_over_rotation(const tn_element *e, const char *map, const char *key, tn_mat3 R)
{
    return put_new(e, map, key, rotation(e, R));
}

tn_status tn_over_points(const tn_element *e, const char *key, int n, const tn_vec3 *points)
{
    tn_node *list = group(e, TN_NODE_SEQUENCE, n);
    TN_TRY(tn_got(list));
    for (int i = 0; i < n; i++) {
        list->children[i] = vector(e, points[i]);
        TN_TRY(tn_got(list->children[i]));
    }
    return tn_over_node(e, "", key, list);
}

tn_status tn_over_text(const tn_element *e, const char *map, const char *key, const char *text)
{
    return put_new(e, map, key, scalar(e, text));
}

tn_status tn_over_remove(const tn_element *e, const char *map, const char *key)
{
    return tn_over_node(e, map, key, NULL);
}

static const tn_node *function(const tn_element *e, const tn_function *f)
{
    return f->expression ? scalar(e, f->expression) : number(e, f->constant);
}

static bool is_same(const tn_function *a, const tn_function *b)
{
    return a->constant == b->constant && a->expression == b->expression && a->n == b->n &&
           a->kind == b->kind;
}

// A table or a function of an own kind stays what the part has it as.
static tn_status check_function(const tn_element *e, const char *key, const tn_function *f)
{
    return !f->n && !f->kind
               ? TN_OK
               : tn_element_fail(e,
                                 "%s: a function that is no expression, turned with its assembly, "
                                 "cannot be written out; write it as a table of the model, "
                                 "'tables', and call that",
                                 key);
}

tn_status tn_over_function(const tn_element *e, const char *key, const tn_function *old,
                           const tn_function *f)
{
    if (!tn_is_over(e) || is_same(old, f))
        return TN_OK;
    TN_TRY(check_function(e, key, f));
    return put_new(e, "", key, function(e, f));
}

tn_status tn_over_functions(const tn_element *e, const char *key, const tn_function old[3],
                            const tn_function f[3])
{
    const tn_node *from = tn_element_get(e, key);
    if (!tn_is_over(e) || !from)
        return TN_OK;
    tn_node *list = group(e, TN_NODE_SEQUENCE, 3);
    TN_TRY(tn_got(list));
    for (int i = 0; i < 3; i++) {
        const bool has = from->kind == TN_NODE_SEQUENCE && i < from->count;
        if (is_same(&old[i], &f[i]) && has) {
            list->children[i] = from->children[i];
            continue;
        }
        TN_TRY(check_function(e, key, &f[i]));
        list->children[i] = function(e, &f[i]);
        TN_TRY(tn_got(list->children[i]));
    }
    return tn_over_node(e, "", key, list);
}

// Bodies instead of named frames on them, since the frames are written on the bodies.
static tn_status name_bodies(const tn_element *e, bool single, const tn_attachment *at)
{
    const tn_model *model = e->reader->model;
    if (!at->on_a && !at->on_b)
        return TN_OK;
    tn_node *list = group(e, TN_NODE_SEQUENCE, 2);
    const tn_node *b = scalar(e, tn_model_body_name(model, at->b));
    if (!list || !b || !(list->children[0] = scalar(e, tn_model_body_name(model, at->a))))
        return tn_got(false);
    list->children[1] = b;
    return tn_over_node(e, "", tn_element_get(e, "body") ? "body" : "bodies",
                        tn_element_get(e, "body") || single ? b : list);
}

// The frames on the bodies, which hold wherever the part is.
tn_status tn_over_attachment(const tn_element *e, bool single, const tn_attachment *at)
{
    static const char *const instead[] = {"at", "at_a", "at_b", "axis", "axis_2", "orientation"};
    const tn_frame *frame = NULL;
    if (!tn_is_over(e))
        return TN_OK;
    TN_TRY(tn_element_frame(e, &frame));
    if (!frame && !at->mounted_a && !at->mounted_b)
        return TN_OK;
    for (int i = 0; i < TN_COUNT(instead); i++)
        TN_TRY(tn_over_remove(e, "", instead[i]));
    TN_TRY(name_bodies(e, single, at));
    if (!single)
        TN_TRY(tn_over_frame(e, "frame_a", &at->frame_a));
    return tn_over_frame(e, "frame_b", &at->frame_b);
}

static const tn_node *turn_of(const tn_element *e, tn_mat3 R, bool *failed)
{
    if (memcmp(&R, &tn_m3_identity, sizeof R) == 0)
        return NULL;
    const tn_node *turn = rotation(e, R);
    *failed |= !turn;
    return turn;
}

tn_status tn_over_frame(const tn_element *e, const char *key, const tn_frame *frame)
{
    bool failed = false;
    const tn_node *turn = turn_of(e, frame->R, &failed);
    const tn_node *value = pair_map(e, "at", vector(e, frame->p), "orientation", turn);
    TN_TRY(tn_got(value && !failed));
    return tn_over_node(e, "", key, value);
}

// A shape of the ground.
tn_status tn_over_shape(const tn_element *e, const tn_frame *frame)
{
    bool failed = false;
    if (!tn_is_over(e))
        return TN_OK;
    const tn_node *turn = turn_of(e, frame->R, &failed);
    TN_TRY(tn_got(!failed));
    TN_TRY(tn_over_remove(e, "", "axis"));
    TN_TRY(tn_over_remove(e, "", "axis_2"));
    TN_TRY(tn_over_vector(e, "", "at", frame->p));
    return tn_over_node(e, "", "orientation", turn); // none where it is not turned
}
