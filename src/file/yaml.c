// SPDX-License-Identifier: MIT
//
// Reads YAML, and JSON as the part of YAML that it almost is, into a tree, by libyaml's events.
//
// Whatever comes in, the tree is small enough to walk by recursion and to expand: at most 64
// levels, 10^8 nodes (some 10 GB; a body and its joint are 30), and 10^6 more by aliases. Only data
// is accepted: no tags but those of the core types, no merge keys, one document per file.

#include "file/document.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/checksum.h"
#include "base/memory.h"
#include "file/yaml_text.h"
#include "text/table.h"
#include "text/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

// The tree ----------------------------------------------------------------------------------------
//
// Children wait in one list until the level that they belong to ends, and are taken from its end
// then.

enum { MAX_DEPTH = 64, MAX_NODES = 100000000 };

typedef struct tree_level {
    tn_node *node; // a list or a map whose end has not been read
    int first;     // where its children, or keys and values in turn, begin in `pending`
} tree_level;

typedef struct yaml_tree {
    tn_document *doc;
    tree_level open[MAX_DEPTH];
    int depth;
    TN_ARRAY(const tn_node *) pending; // children of all open levels
    int nodes;
} yaml_tree;

static bool at_key(const yaml_tree *tree)
{
    if (tree->depth == 0)
        return false;
    const tree_level *top = &tree->open[tree->depth - 1];
    return top->node->kind == TN_NODE_MAP && (tree->pending.count - top->first) % 2 == 0;
}

static tn_status check_key(const yaml_tree *tree, const tn_node *key)
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
static tn_status check_value(const yaml_tree *tree, const tn_node *value)
{
    const tn_node *key = tree->pending.at[tree->pending.count - 1];
    if (value->kind == TN_NODE_NULL && !key->quoted && strchr(key->text, ':') &&
        value->text[0] == '\0')
        return tn_node_fail(tree->doc, key, TN_ERR_MODEL, "%s needs a space after ':'",
                            tn_node_found(key).text);
    return TN_OK;
}

static tn_status tree_attach(yaml_tree *tree, const tn_node *node)
{
    if (tree->depth == 0) {
        tree->doc->root = node;
        return TN_OK;
    }
    if (at_key(tree))
        TN_TRY(check_key(tree, node));
    else if (tree->open[tree->depth - 1].node->kind == TN_NODE_MAP)
        TN_TRY(check_value(tree, node));
    return tn_array_push(&tree->pending, node);
}

static tn_status new_node(yaml_tree *tree, const tn_node *at, tn_node **out)
{
    if (++tree->nodes > MAX_NODES)
        return tn_node_fail(tree->doc, at, TN_ERR_MODEL, "more than %d values in one file",
                            MAX_NODES);
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

static tn_status tree_text(yaml_tree *tree, const tn_node *at, const char *text, size_t length,
                           const tn_node **out)
{
    tn_node *node = NULL;
    TN_TRY(new_node(tree, at, &node));
    char *copy = tn_pool_text(&tree->doc->memory, text, length);
    TN_TRY(tn_got(copy));
    const bool null = !node->quoted && !at_key(tree) && means_null(copy);
    node->kind = null ? TN_NODE_NULL : TN_NODE_SCALAR;
    node->text = copy;
    node->size = 1;
    *out = node;
    return tree_attach(tree, node);
}

static tn_status tree_open(yaml_tree *tree, const tn_node *at, const tn_node **out)
{
    tn_node *node = NULL;
    TN_TRY(new_node(tree, at, &node));
    if (tree->depth == MAX_DEPTH)
        return tn_node_fail(tree->doc, node, TN_ERR_MODEL,
                            "more than %d levels of lists and maps inside each other", MAX_DEPTH);
    TN_TRY(tree_attach(tree, node));
    tree->open[tree->depth++] = (tree_level){node, tree->pending.count};
    *out = node;
    return TN_OK;
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

static tn_status check_duplicates(const yaml_tree *tree, const tn_node *map)
{
    int first = 0, again = 0;
    tn_table *seen = NULL;
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

static tn_status tree_close(yaml_tree *tree)
{
    const tree_level *top = &tree->open[--tree->depth];
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

// Values so far, and the part of the text that they stand in, give what all will need; the model
// that is made of them needs about as much again.
static tn_status tree_fits(const yaml_tree *tree, double read)
{
    static const double WITH_MODEL = 1.5;
    const double taken = (double)tree->doc->memory.taken;
    return tn_memory_fits(WITH_MODEL * taken / fmin(read, 1.0), tn_memory_left() + taken,
                          "%s: its values need", tree->doc->name);
}

// Events ------------------------------------------------------------------------------------------

enum { MAX_ALIASED = 1000000 }; // nodes that aliases add when they are counted in full

typedef struct {
    yaml_tree tree;
    yaml_parser_t parser;
    tn_yaml_text source;
    tn_table *anchors; // name to place in `anchored`
    TN_ARRAY(const tn_node *) anchored;
    int aliased;
} reader;

enum { PLAIN, CUT, INSIDE, KEY }; // how a sentence goes on

typedef struct {
    const char *problem; // in libyaml's words
    int way;
    const char *sentence;
} wording;

static const char tabs[] = "a tab cannot indent a line: use spaces";

static const wording wordings[] = {
    {"found a tab character that violates indentation", PLAIN, tabs},
    {"found a tab character where an indentation space is expected", PLAIN, tabs},
    {"mapping values are not allowed in this context", PLAIN,
     "':' cannot stand here: check the indentation, or put text that contains ': ' in quotes"},
    {"mapping keys are not allowed in this context", PLAIN,
     "a key cannot stand here: check the indentation"},
    {"block sequence entries are not allowed in this context", PLAIN,
     "a list item '- ' cannot stand here: begin it on a line of its own"},
    {"could not find expected ':'", KEY, "expected ':' after this key"},
    {"did not find expected key", INSIDE, "expected a key: check the indentation"},
    {"did not find expected '-' indicator", INSIDE,
     "expected a list item '- ': check the indentation"},
    {"did not find expected ',' or ']'", CUT, "expected ',' or ']'"},
    {"did not find expected ',' or '}'", CUT, "expected ',' or '}'"},
    {"did not find expected node content", CUT, "expected a value"},
    {"found unexpected end of stream", CUT, "expected the end of the text in quotes"},
    {"found unexpected document indicator", PLAIN,
     "'---' or '...' inside text in quotes: is a quote missing?"},
    {"found unknown escape character", PLAIN,
     "unknown escape in double quotes: write '\\\\' for a backslash"},
    {"did not find expected hexdecimal number", PLAIN,
     "an escape needs hexadecimal digits: 2 after \\x, 4 after \\u, 8 after \\U"},
    {"found invalid Unicode character escape code", PLAIN, "the escape is no Unicode character"},
    {"did not find expected <document start>", PLAIN,
     "more text after the end of the document: a model file holds one map"},
    {"did not find expected alphabetic or numeric character", PLAIN,
     "expected a name after '&' or '*': put text that begins with one of them in quotes"},
    {"found unknown directive name", PLAIN,
     "unknown directive: put text that begins with '%' in quotes"},
    {"found undefined tag handle", PLAIN, "unknown tag: remove it"},
};

static tn_node node_at(yaml_mark_t mark)
{
    return (tn_node){.line = (int)mark.line + 1, .column = (int)mark.column + 1};
}

static const char *kind_name(const tn_node *node)
{
    return node->kind == TN_NODE_MAP ? "map" : "list";
}

// The character with a number that libyaml gives; a zero at the end.
static char find_character(const reader *r, size_t number)
{
    const char *c = r->source.text;
    const char *end = c + r->source.length;
    uint32_t code = 0;
    while (number-- > 0 && c < end)
        c += tn_utf8_decode(c, (size_t)(end - c), &code);
    return c < end ? *c : '\0';
}

static tn_status bad_start(const reader *r)
{
    const tn_node at = node_at(r->parser.problem_mark);
    const char c = find_character(r, r->parser.problem_mark.index);
    if (c == '\t')
        return tn_node_fail(r->tree.doc, &at, TN_ERR_MODEL, "%s", tabs);
    return tn_node_fail(r->tree.doc, &at, TN_ERR_MODEL,
                        "'%c' cannot begin a value: put it in quotes", c);
}

static tn_status bad_key(const reader *r, const wording *known)
{
    const tn_node at = node_at(r->parser.context_mark);
    const bool dash = find_character(r, r->parser.context_mark.index) == '-';
    return tn_node_fail(r->tree.doc, &at, TN_ERR_MODEL, "%s",
                        dash ? "a list item needs a space after '-'" : known->sentence);
}

static tn_status cut_off(const reader *r)
{
    const tn_node end = {.line = r->source.line, .column = r->source.column};
    const tn_node quote = node_at(r->parser.context_mark);
    const bool in_text = r->parser.error == YAML_SCANNER_ERROR;
    const tn_node *start =
        in_text || r->tree.depth == 0 ? &quote : r->tree.open[r->tree.depth - 1].node;
    return tn_node_fail(r->tree.doc, &end, TN_ERR_MODEL,
                        "the file ends inside the %s that starts at %d:%d: is it cut off?",
                        in_text ? "text" : kind_name(start), start->line, start->column);
}

static tn_status syntax_error(const reader *r)
{
    const yaml_parser_t *p = &r->parser;
    const tn_node at = node_at(p->problem_mark);
    const wording *known = NULL;
    if (p->error == YAML_MEMORY_ERROR)
        return tn_got(false);
    if (p->error == YAML_READER_ERROR)
        return tn_fail(TN_ERR_MODEL, "%s: %s", r->tree.doc->name, p->problem);
    if (strcmp(p->problem, "found character that cannot start any token") == 0)
        return bad_start(r);
    for (int i = 0; i < TN_COUNT(wordings) && !known; i++)
        if (strcmp(p->problem, wordings[i].problem) == 0)
            known = &wordings[i];
    if (!known)
        return tn_node_fail(r->tree.doc, &at, TN_ERR_MODEL, "%s", p->problem);
    if (known->way == CUT && p->problem_mark.index >= r->source.characters &&
        (r->tree.depth > 0 || p->error == YAML_SCANNER_ERROR))
        return cut_off(r);
    if (known->way == KEY)
        return bad_key(r, known);
    if (known->way == PLAIN || r->tree.depth == 0)
        return tn_node_fail(r->tree.doc, &at, TN_ERR_MODEL, "%s", known->sentence);
    const tn_node *inside = r->tree.open[r->tree.depth - 1].node;
    return tn_node_fail(r->tree.doc, &at, TN_ERR_MODEL, "%s, inside the %s that starts at %d:%d",
                        known->sentence, kind_name(inside), inside->line, inside->column);
}

static tn_status remember_anchor(reader *r, const yaml_char_t *anchor, const tn_node *node)
{
    if (!anchor)
        return TN_OK;
    const char *name = (const char *)anchor;
    const int known = tn_table_find(r->anchors, name);
    if (known >= 0) { // YAML lets a name be used again, for what follows
        r->anchored.at[known] = node;
        return TN_OK;
    }
    TN_TRY(tn_table_add(r->anchors, name, r->anchored.count));
    return tn_array_push(&r->anchored, node);
}

static const char core_tag[] = "tag:yaml.org,2002:";

static tn_status check_tag(const reader *r, const tn_node *node, const yaml_char_t *tag,
                           const char *allowed)
{
    const size_t prefix = sizeof(core_tag) - 1;
    const char *name = (const char *)tag;
    if (!tag || strcmp(name, "!") == 0)
        return TN_OK;
    const bool core = strncmp(name, core_tag, prefix) == 0;
    if (core) {
        char word[16];
        name += prefix;
        snprintf(word, sizeof(word), " %.12s ", name);
        if (strlen(name) <= 12 && strstr(allowed, word))
            return TN_OK;
    }
    return tn_node_fail(r->tree.doc, node, TN_ERR_MODEL,
                        "tag '%s%.100s' is not supported: remove it", core ? "!!" : "", name);
}

// Column where the text begins, behind a quotation mark, unless it has escapes, several lines or
// characters of several bytes.
static int column_of_text(const yaml_event_t *event)
{
    const yaml_mark_t from = event->start_mark, to = event->end_mark;
    const bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const size_t quotes = plain ? 0 : 2;
    if (from.line != to.line || to.column != from.column + event->data.scalar.length + quotes)
        return 0;
    return (int)from.column + (plain ? 1 : 2);
}

static tn_status take_scalar(reader *r, const yaml_event_t *event)
{
    const yaml_char_t *tag = event->data.scalar.tag;
    const char *text = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    const tn_node *node = NULL;
    tn_node at = node_at(event->start_mark);
    TN_TRY(check_tag(r, &at, tag, " str int float bool null "));
    if (memchr(text, '\0', length))
        return tn_node_fail(r->tree.doc, &at, TN_ERR_MODEL,
                            "text must not contain a NUL character");
    at.text_column = column_of_text(event);
    at.quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (tag) // what follows !!int or !!float is read as if it were not quoted
        at.quoted = tag[1] == '\0' || strcmp((const char *)tag, "tag:yaml.org,2002:str") == 0;
    TN_TRY(tree_text(&r->tree, &at, text, length, &node));
    return remember_anchor(r, event->data.scalar.anchor, node);
}

static tn_status take_start(reader *r, tn_node_kind kind, const yaml_event_t *event)
{
    const bool map = kind == TN_NODE_MAP;
    const yaml_char_t *tag = map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    const yaml_char_t *anchor =
        map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    const tn_node *node = NULL;
    tn_node at = node_at(event->start_mark);
    at.kind = kind;
    TN_TRY(check_tag(r, &at, tag, map ? " map " : " seq "));
    TN_TRY(tree_open(&r->tree, &at, &node));
    return remember_anchor(r, anchor, node);
}

static tn_status take_alias(reader *r, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const tn_node at = node_at(event->start_mark);
    const int known = tn_table_find(r->anchors, name);
    if (known < 0)
        return tn_node_fail(r->tree.doc, &at, TN_ERR_MODEL, "alias '*%.40s' has no anchor '&%.40s'",
                            name, name);
    const tn_node *node = r->anchored.at[known];
    if (node->size == 0)
        return tn_node_fail(r->tree.doc, &at, TN_ERR_MODEL,
                            "alias '*%.40s' stands inside its own anchor at %d:%d", name,
                            node->line, node->column);
    if (node->size > MAX_ALIASED - r->aliased)
        return tn_node_fail(r->tree.doc, &at, TN_ERR_MODEL,
                            "aliases stand for more than %d values: write fewer of them",
                            MAX_ALIASED);
    r->aliased += node->size;
    return tree_attach(&r->tree, node);
}

static tn_status take_event(reader *r, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (r->tree.doc->root) {
            const tn_node at = node_at(event->start_mark);
            return tn_node_fail(r->tree.doc, &at, TN_ERR_MODEL,
                                "a second document starts here: a model file holds one");
        }
        return TN_OK;
    case YAML_SCALAR_EVENT:
        return take_scalar(r, event);
    case YAML_SEQUENCE_START_EVENT:
        return take_start(r, TN_NODE_SEQUENCE, event);
    case YAML_MAPPING_START_EVENT:
        return take_start(r, TN_NODE_MAP, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return tree_close(&r->tree);
    case YAML_ALIAS_EVENT:
        return take_alias(r, event);
    default:
        return TN_OK;
    }
}

static tn_status read_events(reader *r)
{
    enum { LOOK_EVERY = 1 << 20 }; // nodes
    bool more = true;
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)r->source.text,
                                 r->source.length);
    while (more) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event))
            return syntax_error(r);
        tn_status s = take_event(r, &event);
        if (r->tree.nodes % LOOK_EVERY == 0 && r->tree.nodes > 0)
            TN_THEN(s, tree_fits(&r->tree, (double)(r->parser.mark.index + 1) /
                                               (double)(r->source.characters + 1)));
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        TN_TRY(s);
    }
    const tn_node *root = r->tree.doc->root;
    if (!root || (root->kind == TN_NODE_NULL && root->text[0] == '\0'))
        return tn_fail(TN_ERR_MODEL, "%s: file holds no values, only comments or markers",
                       r->tree.doc->name);
    return TN_OK;
}

static tn_status read_text(reader *r)
{
    TN_TRY(tn_table_create(&r->anchors));
    const tn_status s = yaml_parser_initialize(&r->parser) ? read_events(r) : tn_got(false);
    yaml_parser_delete(&r->parser);
    return s;
}

tn_status (*tn_document_read_xml)(const char *text, size_t length, const char *name,
                                  tn_document **out);

// No YAML or JSON that is a map begins with '<'.
static bool is_xml(const char *text, size_t length)
{
    size_t i = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < length && strchr(" \t\r\n", text[i]) && text[i])
        i++;
    return i < length && text[i] == '<';
}

tn_status tn_document_parse(const char *text, size_t length, const char *name, tn_document **out)
{
    *out = NULL;
    if (tn_document_read_xml && is_xml(text, length))
        return tn_document_read_xml(text, length, name, out);
    reader *r = tn_alloc(sizeof(*r));
    TN_TRY(tn_got(r));
    tn_status s = tn_document_create(name, &r->tree.doc);
    TN_THEN(s, tn_yaml_text_prepare(text, length, name, &r->source));
    TN_THEN(s, read_text(r));
    if (s == TN_OK)
        *out = r->tree.doc;
    else
        tn_document_destroy(r->tree.doc);
    tn_table_destroy(r->anchors);
    tn_array_free(&r->tree.pending);
    tn_array_free(&r->anchored);
    TN_FREE(r->source.own, r);
    return s;
}

tn_status tn_document_read(const char *path, tn_document **out)
{
    char *text = NULL;
    size_t length = 0;
    *out = NULL;
    tn_status s = tn_yaml_text_read(path, &text, &length);
    TN_THEN(s, tn_document_parse(text, length, path, out));
    if (s == TN_OK)
        (*out)->sum = tn_checksum(0, text, length);
    tn_free(text);
    return s;
}
