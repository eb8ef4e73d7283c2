// SPDX-License-Identifier: MIT
//
// The elements of parts, with their full names and where they stand: what is included, what a part
// states itself and what it repeats. When a part is listed, all names in it are known.

#include "read/part_own.h"

#include "model/signal_names.h"
#include "signal/expression.h"
#include "text/measure.h"
#include "text/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_VALUES = 100000000, // as in a file that is written out
    COPY = 8                 // what a copy counts for, even when there is nothing in it
};

const tn_part_section tn_part_sections[TN_PART_SECTIONS] = {
    {"parameters", "parameter"}, {"tables", "table"},    {"inputs", "input"},
    {"bodies", "body"},          {"frames", "frame"},    {"joints", "joint"},
    {"forces", "force"},         {"signals", "signal"},  {"states", "state"},
    {"unknowns", "unknown"},     {"sampled", "sampled"}, {"blocks", "block"},
    {"events", "event"},         {"outputs", "output"},  {"assemblies", "assembly"},
};

const char *const tn_part_heads[TN_PART_HEADS] = {"tenon", "name", "gravity", "simulate"};

// Keys and sources --------------------------------------------------------------------------------

static bool is_among(const char *text, int n, const char *const *list)
{
    for (int i = 0; i < n; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

tn_status tn_part_check_keys(const tn_part_writer *w, const tn_part_where *at, const char *owner,
                             const tn_node *map, tn_key_list list, tn_key_list more)
{
    const char *known[64];
    int n = 0;
    for (int i = 0; i < list.count && n < TN_COUNT(known); i++)
        known[n++] = list.at[i].name;
    for (int i = 0; i < more.count && n < TN_COUNT(known); i++)
        known[n++] = more.at[i].name;
    for (int i = 0; i < map->count; i++)
        if (!is_among(map->keys[i]->text, n, known))
            return tn_part_fail(w, at, map->keys[i], "%s: unknown key %s; %s", owner,
                                tn_node_found(map->keys[i]).text,
                                tn_name_hint(map->keys[i]->text, n, known).text);
    return TN_OK;
}

tn_status tn_part_need_map(const tn_part_writer *w, const tn_part_where *at, const char *owner,
                           const tn_node *node)
{
    return node->kind == TN_NODE_MAP ? TN_OK : tn_part_expected(w, at, node, owner, "a map");
}

tn_status tn_part_add_source(tn_part_writer *w, tn_source source, int *out)
{
    TN_TRY(tn_array_push(&w->doc->parts->sources, source));
    w->doc->sources = w->doc->parts->sources.at;
    *out = w->doc->nsource++;
    return TN_OK;
}

// "file:line:column" of a node of a part, and how that part is used.
char *tn_part_place_of(const tn_part_writer *w, const tn_part_where *at, const tn_node *node)
{
    const tn_source *from = &w->doc->sources[at->source];
    return tn_format("%s:%d:%d%s%s", from->file, node->line, node->column, *from->used ? ", " : "",
                     from->used);
}

// A text that lives as long as the document.
tn_status tn_part_keep_text(tn_part_writer *w, char *text, const char **out)
{
    const size_t size = text ? strlen(text) + 1 : 0;
    char *kept = text ? tn_document_take(w->doc, size) : NULL;
    if (kept)
        memcpy(kept, text, size);
    tn_free(text);
    *out = kept;
    return tn_got(kept);
}

tn_status tn_part_full_name(tn_part_writer *w, const tn_part_scope *scope, const char *name,
                            const char **out)
{
    *out = name;
    return *scope->prefix ? tn_part_keep_text(w, tn_format("%s%s", scope->prefix, name), out)
                          : TN_OK;
}

// Elements ----------------------------------------------------------------------------------------

tn_status tn_part_count(tn_part_writer *w, const tn_part_where *at, const tn_node *node, int64_t n)
{
    w->nodes += n;
    if (w->nodes <= MOST_VALUES)
        return TN_OK;
    return tn_part_fail(w, at, node, "the model has more than %.0e values when it is written out",
                        (double)MOST_VALUES);
}

static tn_status given_twice(tn_part_writer *w, const tn_part_where *at, const tn_node *key,
                             const char *word, const char *name, const tn_part_item *first)
{
    const tn_source *from = &w->doc->sources[first->key_source];
    return tn_part_fail(w, at, key, "%s '%s' is given twice, first at %s:%d:%d%s%s%s", word, name,
                        from->file, first->key->line, first->key->column, *from->used ? " (" : "",
                        from->used, *from->used ? ")" : "");
}

// A name of a scope, for the texts in it.
tn_status tn_part_add_known(const tn_part_scope *scope, const char *name, bool value)
{
    if (!scope->known)
        return TN_OK;
    if (value && tn_table_find(scope->values, name) < 0)
        TN_TRY(tn_table_add(scope->values, name, 0));
    return tn_table_find(scope->known, name) >= 0 ? TN_OK : tn_table_add(scope->known, name, 0);
}

// Names that expressions use by themselves.
static bool is_value(int section)
{
    static const char *const mechanism[] = {"bodies", "frames", "joints",
                                            "forces", "events", "assemblies"};
    return !is_among(tn_part_sections[section].key, TN_COUNT(mechanism), mechanism);
}

// Prefixes must not hide that a name is taken.
static tn_status check_taken(const tn_part_writer *w, const tn_part *p, int section,
                             const tn_node *key, const char *name)
{
    if (p->scope->outer && strcmp(tn_part_sections[section].key, "bodies") == 0 &&
        strcmp(name, "ground") == 0)
        return tn_part_fail(w, &p->at, key,
                            "body 'ground': the name stands for the inertial frame; choose "
                            "another");
    if (!p->scope->outer || !is_value(section) ||
        strcmp(tn_part_sections[section].key, "outputs") == 0)
        return TN_OK;
    return tn_part_check_free(w, &p->at, key, tn_part_sections[section].word, name);
}

static tn_status add_item(tn_part_writer *w, tn_part *p, int section, const tn_node *key,
                          const tn_node *value)
{
    tn_part_item item = {
        .key = key, .value = value, .at = p->at, .section = section, .key_source = p->at.source};
    const char *name = NULL;
    TN_TRY(tn_part_text(w, &p->at, key, TN_PART_TEXT, &name));
    const tn_node *given = section == TN_PART_PARAMETERS && p->scope->given
                               ? tn_node_get(p->scope->given, name)
                               : NULL;
    if (given) {
        item.value = given;
        item.at = *p->scope->used;
    }
    TN_TRY(tn_part_full_name(w, p->scope, name, &item.name));
    const int first = tn_table_find(w->names[section], item.name);
    if (first >= 0)
        return given_twice(w, &p->at, key, tn_part_sections[section].word, item.name,
                           &w->items.at[first]);
    TN_TRY(tn_part_count(w, &p->at, key, 1 + value->size));
    TN_TRY(check_taken(w, p, section, key, name));
    TN_TRY(tn_part_add_known(p->scope, name, is_value(section)));
    TN_TRY(tn_table_add(w->names[section], item.name, w->items.count));
    return tn_array_push(&w->items, item);
}

static tn_status add_section(tn_part_writer *w, tn_part *p, int section, const tn_node *map)
{
    if (map->kind == TN_NODE_NULL)
        return TN_OK;
    TN_TRY(tn_part_need_map(w, &p->at, tn_part_sections[section].key, map));
    for (int i = 0; i < map->count; i++) {
        const tn_part_item assembly = {.key = map->keys[i], .value = map->children[i], .at = p->at};
        TN_TRY(section == TN_PART_ASSEMBLIES
                   ? tn_array_push(&p->assemblies, assembly)
                   : add_item(w, p, section, map->keys[i], map->children[i]));
    }
    return TN_OK;
}

// Numbers -----------------------------------------------------------------------------------------

static const tn_parameter_value *other_value(const tn_part_writer *w, const char *name)
{
    for (int i = 0; i < w->nvalue; i++)
        if (strcmp(w->values[i].name, name) == 0)
            return &w->values[i];
    return NULL;
}

// Fails where a parameter needs one that stands behind it.
static tn_status tell_behind(const tn_part_writer *w, const tn_part_item *item, const char *text)
{
    for (int i = 0; text && i < w->items.count; i++) {
        const tn_part_item *other = &w->items.at[i];
        if (other <= item || other->section != TN_PART_PARAMETERS ||
            !tn_text_uses(text, other->name))
            continue;
        return tn_part_fail(w, &item->at, item->value,
                            "parameter '%s' needs '%s', which stands behind it, at %s:%d:%d; a "
                            "parameter may use those before it",
                            item->name, other->name, w->doc->sources[other->key_source].file,
                            other->key->line, other->key->column);
    }
    return TN_OK;
}

static tn_status evaluate(tn_part_writer *w, const tn_part_item *item)
{
    const tn_parameter_value *other = other_value(w, item->name);
    const char *text = NULL;
    double value = other ? other->value : 0.0;
    if (!other && item->value->kind != TN_NODE_SCALAR)
        return TN_OK; // the reader reports it
    if (!other)
        TN_TRY(tn_part_text(w, &item->at, item->value, TN_PART_NUMBER, &text));
    tn_status s = TN_OK;
    if (other)
        text = other->expression;
    if (text && !tn_number_from_text(text, &value))
        s = tn_measure_is_one(text) ? tn_measure_read(text, NULL, &value)
                                    : tn_model_value(w->numbers, text, &value);
    TN_THEN(s, tn_model_set_parameter(w->numbers, item->name, value));
    if (s != TN_ERR_MODEL)
        return s;
    char reason[600];
    snprintf(reason, sizeof reason, "%s", tn_last_error());
    return tell_behind(w, item, text) != TN_OK
               ? TN_ERR_MODEL
               : tn_part_fail(w, &item->at, item->value, "parameter '%s': %s", item->name, reason);
}

bool tn_part_has_place(const tn_part_writer *w)
{
    for (int i = 0; i < w->doc->nsource; i++) {
        const size_t n = strlen(w->doc->sources[i].file);
        if (strncmp(tn_last_error(), w->doc->sources[i].file, n) == 0 && tn_last_error()[n] == ':')
            return true;
    }
    return false;
}

tn_status tn_part_numbers(tn_part_writer *w)
{
    const tn_buffer text = w->text; // in use
    tn_status s = TN_OK;
    w->text = (tn_buffer){0};
    for (; s == TN_OK && w->evaluated < w->items.count; w->evaluated++)
        if (w->items.at[w->evaluated].section == TN_PART_PARAMETERS) {
            s = evaluate(w, &w->items.at[w->evaluated]);
            w->by_parameters = true;
        }
    tn_free(w->text.text);
    w->text = text;
    return s;
}

// Parts -------------------------------------------------------------------------------------------

// A file as part of an assembly.
static tn_status file_mark(tn_part_writer *w, const tn_part *p, int file, const char **out)
{
    return tn_part_keep_text(w, tn_format("%s %d", p->scope->prefix, file), out);
}

// Includes a file, if it is not included already.
static tn_status include(tn_part_writer *w, tn_part *p, const tn_node *node)
{
    const char *mark = NULL;
    int file = -1;
    TN_TRY(tn_part_file_find(w->parts, p->at.file, node->text, &file));
    if (file < 0)
        return tn_part_fail(w, &p->at, node, "include: '%s' cannot be found", node->text);
    TN_TRY(file_mark(w, p, file, &mark));
    if (is_among(mark, w->open.count, w->open.at))
        return tn_part_fail(w, &p->at, node, "include: '%s' includes itself, without end",
                            node->text);
    if (is_among(mark, w->included.count, w->included.at))
        return TN_OK;
    TN_TRY(tn_array_push(&w->included, mark));
    const tn_part_where outer = p->at;
    char *place = tn_part_place_of(w, &outer, node);
    const char *used = NULL;
    tn_status s = tn_part_keep_text(w, place ? tn_format("included at %s", place) : NULL, &used);
    tn_free(place);
    p->at.file = file;
    TN_THEN(s, tn_part_add_source(w,
                                  (tn_source){w->parts->files.at[file].doc->name, used,
                                              w->doc->sources[outer.source].placing,
                                              p->scope->outer ? p->scope : NULL},
                                  &p->at.source));
    w->depth++;
    TN_THEN(s, tn_part_add_file(w, p, file));
    w->depth--;
    p->at = outer;
    return s;
}

static tn_status add_includes(tn_part_writer *w, tn_part *p, const tn_node *list)
{
    if (list->kind == TN_NODE_SCALAR)
        return include(w, p, list);
    for (int i = 0; list->kind == TN_NODE_SEQUENCE && i < list->count; i++)
        TN_TRY(include(w, p, list->children[i]));
    return list->kind == TN_NODE_SEQUENCE
               ? TN_OK
               : tn_part_expected(w, &p->at, list, "include", "a file or a list of files");
}

tn_status tn_part_check_free(const tn_part_writer *w, const tn_part_where *at, const tn_node *node,
                             const char *word, const char *name)
{
    char reason[900];
    if (tn_expression_check_name(word, name) == TN_OK)
        return TN_OK;
    snprintf(reason, sizeof reason, "%s", tn_last_error());
    return tn_part_fail(w, at, node, "%s", reason);
}

static tn_status check_index(tn_part_writer *w, tn_part *p, const tn_node *node, const char *name)
{
    const char *full = NULL;
    if (!tn_part_is_name(name))
        return tn_part_fail(w, &p->at, node,
                            "repeat: index '%s': a name is a letter followed by letters, digits or "
                            "'_'",
                            name);
    TN_TRY(tn_part_check_free(w, &p->at, node, "repeat: index", name));
    if (tn_is_force_word(name))
        return tn_part_fail(w, &p->at, node,
                            "repeat: index '%s': within expressions of forces it is a number of "
                            "theirs; choose another one",
                            name);
    for (const tn_part_index *i = p->at.index; i; i = i->outer)
        if (strcmp(i->name, name) == 0)
            return tn_part_fail(w, &p->at, node,
                                "repeat: index '%s' is that of the repeat around it, too; choose "
                                "another one",
                                name);
    TN_TRY(tn_part_full_name(w, p->scope, name, &full));
    if (tn_table_find(w->names[TN_PART_PARAMETERS], full) >= 0)
        return tn_part_fail(w, &p->at, node,
                            "repeat: index '%s': there is a parameter of that name; choose another "
                            "one",
                            name);
    return TN_OK;
}

static tn_status check_copies(const tn_part_writer *w, const tn_part *p, const tn_node *block,
                              int64_t from, int64_t to)
{
    const double copies = (double)to - (double)from + 1.0;
    if (copies < 0.0)
        return tn_part_fail(w, &p->at, block,
                            "repeat: from %" PRId64 " to %" PRId64 ": 'to' must not be below "
                            "'from'",
                            from, to);
    if (copies * block->size > MOST_VALUES)
        return tn_part_fail(
            w, &p->at, block,
            "repeat: %.10g copies of %d values are %.3g values; at most %.0e can be "
            "read",
            copies, block->size, copies * block->size, (double)MOST_VALUES);
    return TN_OK;
}

static tn_status add_copies(tn_part_writer *w, tn_part *p, const tn_node *block)
{
    const tn_node *index = tn_node_get(block, "index"), *first = tn_node_get(block, "from"),
                  *last = tn_node_get(block, "to");
    const tn_part_index *outer = p->at.index;
    int64_t from = 1, to = 0;
    TN_TRY(tn_part_need_map(w, &p->at, "repeat", block));
    TN_TRY(tn_part_check_keys(w, &p->at, "repeat", block, tn_keys_repeat, tn_keys_template));
    if (!last)
        return tn_part_fail(w, &p->at, block,
                            "repeat: missing key 'to': the last value of the "
                            "index");
    if (index && index->kind != TN_NODE_SCALAR)
        return tn_part_fail(w, &p->at, index, "repeat: index: expected a name, found %s",
                            tn_node_found(index).text);
    const char *name = index ? index->text : "i";
    TN_TRY(check_index(w, p, index ? index : block, name));
    if (first)
        TN_TRY(tn_part_integer(w, &p->at, first, "repeat: from", &from));
    TN_TRY(tn_part_integer(w, &p->at, last, "repeat: to", &to));
    TN_TRY(check_copies(w, p, block, from, to));
    tn_status s = TN_OK;
    w->doc->parts->none |= to < from;
    for (int64_t i = from; i <= to && s == TN_OK; i++) {
        tn_part_index *value = tn_document_take(w->doc, sizeof *value);
        s = tn_got(value);
        if (s != TN_OK)
            break;
        *value = (tn_part_index){name, i, outer};
        p->at.index = value;
        s = tn_part_count(w, &p->at, block, COPY);
        TN_THEN(s, tn_part_add(w, p, block));
    }
    p->at.index = outer;
    return s;
}

static tn_status add_repeats(tn_part_writer *w, tn_part *p, const tn_node *node)
{
    if (node->kind != TN_NODE_SEQUENCE)
        return add_copies(w, p, node);
    for (int i = 0; i < node->count; i++)
        TN_TRY(add_copies(w, p, node->children[i]));
    return TN_OK;
}

static tn_status add_templates(tn_part_writer *w, const tn_part *p, const tn_node *map)
{
    TN_TRY(tn_part_need_map(w, &p->at, "templates", map));
    for (int i = 0; i < map->count; i++) {
        const tn_part_item template = {.key = map->keys[i], .value = map->children[i], .at = p->at};
        const char *name = NULL;
        char owner[300];
        snprintf(owner, sizeof owner, "template '%.200s'", map->keys[i]->text);
        TN_TRY(tn_part_need_map(w, &p->at, owner, template.value));
        TN_TRY(
            tn_part_check_keys(w, &p->at, owner, template.value, tn_keys_template, tn_keys_none));
        TN_TRY(tn_part_full_name(w, p->scope, map->keys[i]->text, &name));
        if (tn_table_find(w->template_names, name) >= 0)
            return tn_part_fail(w, &p->at, map->keys[i], "%s is given twice", owner);
        TN_TRY(tn_table_add(w->template_names, name, w->templates.count));
        TN_TRY(tn_array_push(&w->templates, template));
    }
    return TN_OK;
}

static tn_status add_mentions(tn_part_writer *w, const tn_part *p, const char *key,
                              const tn_node *node, tn_part_items *out)
{
    if (node->kind != TN_NODE_SEQUENCE)
        return tn_part_expected(w, &p->at, node, key, "a list");
    for (int i = 0; i < node->count; i++) {
        const tn_part_item mention = {.key = node, .value = node->children[i], .at = p->at};
        TN_TRY(tn_array_push(out, mention));
    }
    return TN_OK;
}

// If the ground of an assembly is a body of the outside, its look is that body's.
static tn_status add_ground(tn_part_writer *w, const tn_part *p, const tn_node *ground)
{
    if (ground->kind == TN_NODE_NULL || tn_part_ground_of(p->scope))
        return TN_OK;
    TN_TRY(tn_part_need_map(w, &p->at, "ground", ground));
    TN_TRY(tn_part_check_keys(w, &p->at, "ground", ground, tn_keys_ground, tn_keys_none));
    const tn_node *shapes = tn_node_get(ground, "shapes");
    return shapes && shapes->kind != TN_NODE_NULL
               ? add_mentions(w, p, "ground: shapes", shapes, &w->shapes)
               : TN_OK;
}

int tn_part_section_of(const char *key)
{
    for (int i = 0; i < TN_PART_SECTIONS; i++)
        if (strcmp(tn_part_sections[i].key, key) == 0)
            return i;
    return -1;
}

// The elements of a map: a file, a template or a block that is repeated.
tn_status tn_part_add(tn_part_writer *w, tn_part *p, const tn_node *map)
{
    const tn_node *repeat = tn_node_get(map, "repeat"), *ground = tn_node_get(map, "ground");
    for (int i = 0; i < map->count; i++) {
        const int section = tn_part_section_of(map->keys[i]->text);
        if (section >= 0)
            TN_TRY(add_section(w, p, section, map->children[i]));
    }
    if (ground)
        TN_TRY(add_ground(w, p, ground));
    return repeat ? add_repeats(w, p, repeat) : TN_OK;
}

// If one file includes another, the outer one has the last word.
static tn_status add_heads(tn_part_writer *w, const tn_part *p, const tn_node *root)
{
    for (int i = 0; i < root->count; i++)
        for (int k = 0; k < TN_PART_HEADS; k++) {
            tn_part_item *head = &w->heads[k];
            const tn_part_item mine = {
                .key = root->keys[i], .value = root->children[i], .at = p->at, .depth = w->depth};
            if (strcmp(root->keys[i]->text, tn_part_heads[k]) != 0)
                continue;
            if (head->key && head->depth == w->depth && k > 0)
                return tn_part_fail(w, &p->at, root->keys[i],
                                    "'%s' is given by two files that are included, first at "
                                    "%s:%d:%d; state it in the model itself",
                                    tn_part_heads[k], w->doc->sources[head->at.source].file,
                                    head->key->line, head->key->column);
            *head = mine;
        }
    return TN_OK;
}

tn_status tn_part_add_file(tn_part_writer *w, tn_part *p, int file)
{
    const tn_node *root = w->parts->files.at[file].doc->root;
    const char *mark = NULL;
    TN_TRY(file_mark(w, p, file, &mark));
    TN_TRY(tn_array_push(&w->open, mark));
    const tn_status version = tn_check_version(w->parts->files.at[file].doc);
    const tn_node *of_file = version == TN_OK ? tn_node_get(root, "include") : NULL;
    if (version != TN_OK)
        return tn_fail_used(version, w->doc->sources[p->at.source].used);
    TN_TRY(tn_part_check_keys(w, &p->at, "file", root, tn_keys_file, tn_keys_none));
    if (of_file)
        TN_TRY(add_includes(w, p, of_file));
    const tn_node *templates = tn_node_get(root, "templates");
    const tn_node *plugins = tn_node_get(root, "plugins");
    if (templates)
        TN_TRY(add_templates(w, p, templates));
    if (plugins)
        TN_TRY(add_mentions(w, p, "plugins", plugins, &w->plugins));
    if (!p->scope->outer)
        TN_TRY(add_heads(w, p, root));
    TN_TRY(tn_part_add(w, p, root));
    w->open.count--;
    return TN_OK;
}
