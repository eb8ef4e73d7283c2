// SPDX-License-Identifier: MIT
//
// The model that the readers see, of the elements that its parts have.

#include "io/part_list.h"

#include <string.h>

static tn_status new_node(tn_part_writer *w, tn_node_kind kind, const char *text,
                          const tn_node *place, int source, tn_node **out)
{
    *out = tn_document_take(w->doc, sizeof **out);
    TN_TRY(tn_got(*out));
    **out = (tn_node){.kind = kind, .line = 1, .column = 1, .text = text, .size = 1};
    if (place) {
        (*out)->line = place->line;
        (*out)->column = place->column;
        (*out)->quoted = place->quoted;
        (*out)->text_column = place->text_column;
    }
    (*out)->source = source;
    return TN_OK;
}

static tn_status new_members(tn_part_writer *w, tn_node *node, int n)
{
    const bool map = node->kind == TN_NODE_MAP;
    const tn_node **at = tn_document_take(w->doc, sizeof *at * (size_t)(2 * n + 1));
    TN_TRY(tn_got(at));
    node->keys = map ? at : NULL;
    node->children = at + n;
    return TN_OK;
}

static tn_status write_item(tn_part_writer *w, const tn_part_item *item, tn_node *map)
{
    tn_node *key = NULL;
    TN_TRY(new_node(w, TN_NODE_SCALAR, item->name, item->key, item->key_source, &key));
    tn_part_where at = item->at;
    at.of_force = strcmp(tn_part_sections[item->section].key, "forces") == 0;
    TN_TRY(tn_part_copy(w, &at, item->value, &map->children[map->count]));
    map->keys[map->count++] = key;
    return TN_OK;
}

static tn_status put_pair(tn_node *root, const tn_node *key, const tn_node *value)
{
    root->keys[root->count] = key;
    root->children[root->count++] = value;
    return TN_OK;
}

static tn_status write_heads(tn_part_writer *w, tn_node *root)
{
    for (int k = 0; k < TN_PART_HEADS; k++) {
        const tn_part_head *head = &w->list->heads[k];
        const tn_node *value = NULL;
        tn_node *key = NULL;
        if (!head->key)
            continue;
        TN_TRY(new_node(w, TN_NODE_SCALAR, tn_part_heads[k], head->key, head->at.source, &key));
        TN_TRY(tn_part_copy(w, &head->at, head->value, &value));
        TN_TRY(put_pair(root, key, value));
    }
    return TN_OK;
}

// A list of what parts mention, under a key.
static tn_status write_mentions(tn_part_writer *w, const char *name, const tn_part_mentions *all,
                                tn_node *root)
{
    tn_node *key = NULL, *list = NULL;
    const tn_part_mention *first = all->at;
    TN_TRY(new_node(w, TN_NODE_SCALAR, name, first->key, first->at.source, &key));
    TN_TRY(new_node(w, TN_NODE_SEQUENCE, NULL, first->key, first->at.source, &list));
    TN_TRY(new_members(w, list, all->count));
    for (int i = 0; i < all->count; i++) {
        const tn_part_mention *m = &all->at[i];
        TN_TRY(tn_part_copy(w, &m->at, m->node, &list->children[list->count++]));
    }
    return put_pair(root, key, list);
}

static tn_status write_ground(tn_part_writer *w, tn_node *root)
{
    tn_node *key = NULL, *map = NULL;
    const tn_part_mention *first = w->list->shapes.at;
    TN_TRY(new_node(w, TN_NODE_SCALAR, "ground", first->key, first->at.source, &key));
    TN_TRY(new_node(w, TN_NODE_MAP, NULL, first->key, first->at.source, &map));
    TN_TRY(new_members(w, map, 1));
    TN_TRY(write_mentions(w, "shapes", &w->list->shapes, map));
    return put_pair(root, key, map);
}

static tn_status write_sections(tn_part_writer *w, tn_node *root)
{
    const struct tn_part_list *list = w->list;
    tn_node *map[TN_PART_SECTIONS] = {NULL};
    int count[TN_PART_SECTIONS] = {0};
    for (int i = 0; i < list->items.count; i++)
        count[list->items.at[i].section]++;
    for (int k = 0; k < TN_PART_SECTIONS; k++) {
        tn_node *key = NULL;
        if (count[k] == 0)
            continue;
        TN_TRY(new_node(w, TN_NODE_SCALAR, tn_part_sections[k].key, NULL, 0, &key));
        TN_TRY(new_node(w, TN_NODE_MAP, NULL, NULL, 0, &map[k]));
        TN_TRY(new_members(w, map[k], count[k]));
        TN_TRY(put_pair(root, key, map[k]));
    }
    for (int i = 0; i < list->items.count; i++)
        TN_TRY(write_item(w, &list->items.at[i], map[list->items.at[i].section]));
    return TN_OK;
}

tn_status tn_part_write_model(tn_part_writer *w)
{
    tn_node *root = NULL;
    TN_TRY(new_node(w, TN_NODE_MAP, NULL, NULL, 0, &root));
    TN_TRY(new_members(w, root, TN_PART_HEADS + TN_PART_SECTIONS + 2));
    TN_TRY(write_heads(w, root));
    if (w->list->plugins.count > 0)
        TN_TRY(write_mentions(w, "plugins", &w->list->plugins, root));
    if (w->list->shapes.count > 0)
        TN_TRY(write_ground(w, root));
    TN_TRY(write_sections(w, root));
    w->doc->root = root;
    return TN_OK;
}
