// SPDX-License-Identifier: MIT
//
// Nodes of parts as the readers shall see them: what an index changes, what may hold names of its
// part, and all that stands in another file is copied; the rest is shared.

#include "read/part_own.h"
#include "text/number.h"

#include <string.h>

// Data while a value is copied.
typedef struct copying {
    tn_part_writer *w;
    const tn_part_where *at, *kept; // kept: NULL where names are those of the model
} copying;

static tn_status new_copy(const copying *c, const tn_node *node, tn_node **out)
{
    *out = tn_document_take(c->w->doc, sizeof **out);
    TN_TRY(tn_got(*out));
    **out = *node;
    (*out)->source = c->at->source;
    return TN_OK;
}

static tn_status copy_text(const copying *c, const tn_node *node, bool key, const tn_node **out)
{
    const char *text = node->text;
    tn_node *copy = NULL;
    bool moved = false;
    if (node->kind == TN_NODE_SCALAR)
        TN_TRY(tn_part_text(c->w, c->at, node, TN_PART_TEXT, &text));
    const bool named = c->kept && !key && node->kind == TN_NODE_SCALAR &&
                       (!tn_number_is_one(text) || tn_part_is_element(c->at->scope, text));
    *out = node;
    if (text == node->text && !named && c->at->source == node->source)
        return TN_OK;
    if (named && text == node->text && node->text_column > 0)
        TN_TRY(tn_part_changes(c->w, c->at, text, &moved));
    TN_TRY(new_copy(c, node, &copy));
    copy->text_column = text == node->text && !moved ? node->text_column : 0;
    copy->text = text;
    copy->part = named ? c->kept : NULL;
    *out = copy;
    return TN_OK;
}

// With the members of the node, keys of a map first.
static tn_status copy_list(const copying *c, const tn_node *node, int nkey, tn_node **out)
{
    const size_t n = (size_t)node->count, size = sizeof(tn_node *);
    const tn_node **to = tn_document_take(c->w->doc, size * ((size_t)nkey + n + 1));
    TN_TRY(tn_got(to));
    TN_TRY(new_copy(c, node, out));
    (*out)->keys = nkey > 0 ? memcpy(to, node->keys, size * (size_t)nkey) : NULL;
    (*out)->children = n > 0 ? memcpy(to + nkey, node->children, size * n) : NULL;
    return TN_OK;
}

static tn_status copy_node(const copying *c, const tn_node *node, bool key, const tn_node **out)
{
    const int nkey = node->kind == TN_NODE_MAP ? node->count : 0;
    tn_node *copy = NULL;
    if (node->kind == TN_NODE_SCALAR || node->kind == TN_NODE_NULL)
        return copy_text(c, node, key, out);
    if (c->at->source != node->source)
        TN_TRY(copy_list(c, node, nkey, &copy));
    for (int i = 0; i < nkey + node->count; i++) {
        const tn_node *old = i < nkey ? node->keys[i] : node->children[i - nkey], *now = NULL;
        TN_TRY(copy_node(c, old, i < nkey, &now));
        if (now != old && !copy)
            TN_TRY(copy_list(c, node, nkey, &copy));
        if (now != old)
            *(i < nkey ? &copy->keys[i] : &copy->children[i - nkey]) = now;
    }
    *out = copy ? copy : node;
    return TN_OK;
}

tn_status tn_part_copy(tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                       const tn_node **out)
{
    const char *folder = w->parts->files.at[at->file].folder;
    tn_part_where *kept = NULL;
    if (at->index || at->scope->outer || *folder) {
        kept = tn_document_take(w->doc, sizeof *kept);
        TN_TRY(tn_got(kept));
        char *copy = tn_document_take(w->doc, strlen(folder) + 1);
        TN_TRY(tn_got(copy));
        *kept = *at;
        kept->folder = strcpy(copy, folder); // which expanding changes
    }
    return copy_node(&(copying){w, at, kept}, node, false, out);
}

// The ground --------------------------------------------------------------------------------------

// Elements between the ground and a body leave out the ground; if that is a body of the outside, it
// is put in.
tn_status tn_part_bodies(tn_document *doc, const tn_node *key, const tn_node *map,
                         const tn_node **out, bool *mounted)
{
    const tn_node *bodies = tn_node_get(map, "bodies");
    const tn_node *stated = bodies ? bodies : tn_node_get(map, "body"), *only = stated;
    const char *ground = tn_part_ground(doc, key);
    *out = stated;
    *mounted = false;
    if (!stated)
        return TN_OK;
    TN_TRY(tn_node_resolve(doc, stated, TN_PART_NAME));
    if (stated->kind == TN_NODE_SEQUENCE && stated->count == 1)
        only = stated->children[0];
    if (!ground || only->kind != TN_NODE_SCALAR)
        return TN_OK;
    tn_node *list = tn_node_new(doc, TN_NODE_SEQUENCE, NULL, 2);
    tn_node *mount = tn_node_new(doc, TN_NODE_SCALAR, ground, 0);
    TN_TRY(tn_got(list && mount));
    mount->mounted = true;
    mount->line = list->line = only->line;
    mount->column = list->column = only->column;
    mount->source = list->source = only->source;
    list->children[0] = mount;
    list->children[1] = only;
    *out = list;
    *mounted = true;
    return TN_OK;
}
