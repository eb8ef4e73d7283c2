// SPDX-License-Identifier: MIT
//
// The growing tree of a document. Children wait in one list until the level that they belong to
// ends, and are taken from its end then.

#include "file/yaml_tree.h"

#include "base/memory.h"
#include "base/table.h"

#include <math.h>
#include <string.h>

enum { FEW_KEYS = 8 };

void tn_tree_free(tn_yaml_tree *tree)
{
    tn_array_free(&tree->pending);
}

bool tn_tree_at_key(const tn_yaml_tree *tree)
{
    if (tree->depth == 0)
        return false;
    const tn_tree_level *top = &tree->open[tree->depth - 1];
    return top->node->kind == TN_NODE_MAP && (tree->pending.count - top->first) % 2 == 0;
}

static tn_status check_key(const tn_yaml_tree *tree, const tn_node *key)
{
    if (key->kind != TN_NODE_SCALAR)
        return tn_node_fail(tree->doc, key, TN_ERR_MODEL, "a key must be text, found %s",
                            tn_node_found(key).text);
    if (!key->quoted && key->text[0] == '\0')
        return tn_node_fail(tree->doc, key, TN_ERR_MODEL, "expected a key before ':'");
    if (!key->quoted && strcmp(key->text, "<<") == 0)
        return tn_node_fail(tree->doc, key, TN_ERR_MODEL,
                            "merge keys '<<' are not supported: write the keys out");
    return TN_OK;
}

// {mass:1} is a key 'mass:1' without a value to YAML, and never what was meant.
static tn_status check_value(const tn_yaml_tree *tree, const tn_node *value)
{
    const tn_node *key = tree->pending.at[tree->pending.count - 1];
    if (value->kind == TN_NODE_NULL && !key->quoted && strchr(key->text, ':') &&
        value->text[0] == '\0')
        return tn_node_fail(tree->doc, key, TN_ERR_MODEL, "%s needs a space after ':'",
                            tn_node_found(key).text);
    return TN_OK;
}

tn_status tn_tree_attach(tn_yaml_tree *tree, const tn_node *node)
{
    if (tree->depth == 0) {
        tree->doc->root = node;
        return TN_OK;
    }
    if (tn_tree_at_key(tree))
        TN_TRY(check_key(tree, node));
    else if (tree->open[tree->depth - 1].node->kind == TN_NODE_MAP)
        TN_TRY(check_value(tree, node));
    return tn_array_push(&tree->pending, node);
}

static tn_status new_node(tn_yaml_tree *tree, const tn_node *at, tn_node **out)
{
    if (++tree->nodes > TN_TREE_MAX_NODES)
        return tn_node_fail(tree->doc, at, TN_ERR_MODEL, "more than %d values in one file",
                            TN_TREE_MAX_NODES);
    *out = tn_document_take(tree->doc, sizeof(**out));
    TN_TRY(tn_got(*out));
    **out = *at;
    return TN_OK;
}

static bool means_null(const char *text)
{
    return text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0 ||
           strcmp(text, "Null") == 0 || strcmp(text, "NULL") == 0;
}

tn_status tn_tree_text(tn_yaml_tree *tree, const tn_node *at, const char *text, size_t length,
                       const tn_node **out)
{
    tn_node *node = NULL;
    TN_TRY(new_node(tree, at, &node));
    char *copy = tn_pool_text(&tree->doc->memory, text, length);
    TN_TRY(tn_got(copy));
    const bool null = !node->quoted && !tn_tree_at_key(tree) && means_null(copy);
    node->kind = null ? TN_NODE_NULL : TN_NODE_SCALAR;
    node->text = copy;
    node->size = 1;
    *out = node;
    return tn_tree_attach(tree, node);
}

tn_status tn_tree_open(tn_yaml_tree *tree, const tn_node *at, const tn_node **out)
{
    tn_node *node = NULL;
    TN_TRY(new_node(tree, at, &node));
    if (tree->depth == TN_TREE_MAX_DEPTH)
        return tn_node_fail(tree->doc, node, TN_ERR_MODEL,
                            "more than %d levels of lists and maps inside each other",
                            TN_TREE_MAX_DEPTH);
    TN_TRY(tn_tree_attach(tree, node));
    tree->open[tree->depth++] = (tn_tree_level){node, tree->pending.count};
    *out = node;
    return TN_OK;
}

// The keys of most maps are so few that each is compared with each.
static bool all_differ(const tn_node *map)
{
    for (int i = 1; i < map->count; i++)
        for (int j = 0; j < i; j++)
            if (map->keys[i]->text[0] == map->keys[j]->text[0] &&
                strcmp(map->keys[i]->text, map->keys[j]->text) == 0)
                return false;
    return true;
}

// The first key that stands there already.
static tn_status find_again(const tn_node *map, tn_table *seen, int *first, int *again)
{
    for (int i = 0; i < map->count; i++) {
        *first = *again = i;
        TN_TRY(tn_table_enter(seen, map->keys[i]->text, first));
        if (*first != i)
            return TN_OK;
    }
    return TN_OK;
}

static tn_status check_duplicates(const tn_yaml_tree *tree, const tn_node *map)
{
    int first = 0, again = 0;
    tn_table *seen = NULL;
    if (map->count <= FEW_KEYS && all_differ(map))
        return TN_OK;
    TN_TRY(tn_table_create(&seen));
    tn_table_borrow(seen); // of the document
    const tn_status s = find_again(map, seen, &first, &again);
    tn_table_destroy(seen);
    if (s != TN_OK || first == again)
        return s;
    const tn_node *at = map->keys[first];
    return tn_node_fail(tree->doc, map->keys[again], TN_ERR_MODEL,
                        "key %s is given twice, first at %d:%d",
                        tn_node_found(map->keys[again]).text, at->line, at->column);
}

tn_status tn_tree_close(tn_yaml_tree *tree)
{
    const tn_tree_level *top = &tree->open[--tree->depth];
    const bool map = top->node->kind == TN_NODE_MAP;
    const int members = tree->pending.count - top->first;
    const tn_node **from = members > 0 ? tree->pending.at + top->first : NULL;
    const tn_node **to = NULL;
    tn_node *node = top->node;
    node->size = 1;
    if (members > 0) {
        to = tn_document_take(tree->doc, (size_t)members * sizeof(*to));
        TN_TRY(tn_got(to));
    }
    node->count = map ? members / 2 : members;
    node->keys = map ? to : NULL;
    node->children = map && to ? to + node->count : to;
    for (int i = 0; i < members; i++) {
        to[map ? i / 2 + (i % 2) * node->count : i] = from[i];
        node->size += from[i]->size;
    }
    tree->pending.count = top->first;
    return map ? check_duplicates(tree, node) : TN_OK;
}

// Values so far, and the part of the text that they stand in, tell what all will need; the model
// that is made of them needs about as much again.
tn_status tn_tree_fits(const tn_yaml_tree *tree, double read)
{
    static const double WITH_MODEL = 1.5;
    const double taken = (double)tree->doc->memory.taken;
    return tn_memory_fits(WITH_MODEL * taken / fmin(read, 1.0), tn_memory_left() + taken,
                          "%s: its values need", tree->doc->name);
}
