// SPDX-License-Identifier: MIT
//
// The model that the readers see, of the elements that its parts have.

#include "read/part_own.h"

#include <string.h>

// A node with room for n members.
static tn_status new_node(tn_part_writer *w, tn_node_kind kind, const char *text,
                          const tn_node *place, int source, int n, tn_node **out)
{
    *out = tn_node_new(w->doc, kind, text, n);
    TN_TRY(tn_got(*out));
    if (place) {
        (*out)->line = place->line;
        (*out)->column = place->column;
        (*out)->quoted = place->quoted;
        (*out)->text_column = place->text_column;
    }
    (*out)->count = 0;
    (*out)->source = source;
    return TN_OK;
}

static tn_status write_item(tn_part_writer *w, const tn_part_item *item, tn_node *map)
{
    tn_node *key = NULL;
    TN_TRY(new_node(w, TN_NODE_SCALAR, item->name, item->key, item->key_source, 0, &key));
    tn_part_where at = item->at;
    at.of_force = strcmp(tn_part_sections[item->section].key, "forces") == 0;
    TN_TRY(tn_part_copy(w, &at, item->value, &map->children[map->count]));
    map->keys[map->count++] = key;
    return TN_OK;
}

static void put_pair(tn_node *root, const tn_node *key, const tn_node *value)
{
    root->keys[root->count] = key;
    root->children[root->count++] = value;
}

static tn_status write_heads(tn_part_writer *w, tn_node *root)
{
    for (int k = 0; k < TN_PART_HEADS; k++) {
        const tn_part_item *head = &w->heads[k];
        const tn_node *value = NULL;
        tn_node *key = NULL;
        if (!head->key)
            continue;
        TN_TRY(new_node(w, TN_NODE_SCALAR, tn_part_heads[k], head->key, head->at.source, 0, &key));
        TN_TRY(tn_part_copy(w, &head->at, head->value, &value));
        put_pair(root, key, value);
    }
    return TN_OK;
}

// A list of what parts mention, under a key.
static tn_status write_mentions(tn_part_writer *w, const char *name, const tn_part_items *all,
                                tn_node *root)
{
    tn_node *key = NULL, *list = NULL;
    const tn_part_item *first = all->at;
    TN_TRY(new_node(w, TN_NODE_SCALAR, name, first->key, first->at.source, 0, &key));
    TN_TRY(new_node(w, TN_NODE_SEQUENCE, NULL, first->key, first->at.source, all->count, &list));
    for (int i = 0; i < all->count; i++) {
        const tn_part_item *m = &all->at[i];
        TN_TRY(tn_part_copy(w, &m->at, m->value, &list->children[list->count++]));
    }
    put_pair(root, key, list);
    return TN_OK;
}

static tn_status write_ground(tn_part_writer *w, tn_node *root)
{
    tn_node *key = NULL, *map = NULL;
    const tn_part_item *first = w->shapes.at;
    TN_TRY(new_node(w, TN_NODE_SCALAR, "ground", first->key, first->at.source, 0, &key));
    TN_TRY(new_node(w, TN_NODE_MAP, NULL, first->key, first->at.source, 1, &map));
    TN_TRY(write_mentions(w, "shapes", &w->shapes, map));
    put_pair(root, key, map);
    return TN_OK;
}

static tn_status write_sections(tn_part_writer *w, tn_node *root)
{
    tn_node *map[TN_PART_SECTIONS] = {NULL};
    int count[TN_PART_SECTIONS] = {0};
    for (int i = 0; i < w->items.count; i++)
        count[w->items.at[i].section]++;
    for (int k = 0; k < TN_PART_SECTIONS; k++) {
        tn_node *key = NULL;
        if (count[k] == 0)
            continue;
        TN_TRY(new_node(w, TN_NODE_SCALAR, tn_part_sections[k].key, NULL, 0, 0, &key));
        TN_TRY(new_node(w, TN_NODE_MAP, NULL, NULL, 0, count[k], &map[k]));
        put_pair(root, key, map[k]);
    }
    for (int i = 0; i < w->items.count; i++)
        TN_TRY(write_item(w, &w->items.at[i], map[w->items.at[i].section]));
    return TN_OK;
}

tn_status tn_part_write_model(tn_part_writer *w)
{
    tn_node *root = NULL;
    TN_TRY(new_node(w, TN_NODE_MAP, NULL, NULL, 0, TN_PART_HEADS + TN_PART_SECTIONS + 2, &root));
    TN_TRY(write_heads(w, root));
    if (w->plugins.count > 0)
        TN_TRY(write_mentions(w, "plugins", &w->plugins, root));
    if (w->shapes.count > 0)
        TN_TRY(write_ground(w, root));
    TN_TRY(write_sections(w, root));
    w->doc->root = root;
    return TN_OK;
}
