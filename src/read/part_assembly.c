// SPDX-License-Identifier: MIT
//
// Assemblies: a template or a file, with parameters, names and a frame of its own, becomes a part
// whose elements have its name as prefix.

#include "read/part_own.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_LEVELS = 32, // of assemblies inside each other
    ASSEMBLY = 200    // what one counts for among the values, by the memory that it takes
};

// Sources of an assembly.
typedef struct assembly_of {
    const tn_node *map;
    int file;     // of the parts
    bool is_file; // as a whole
} assembly_of;

static tn_status find_template(tn_part_writer *w, const tn_part_where *at, const char *owner,
                               const tn_node *node, assembly_of *out)
{
    for (const tn_part_scope *scope = at->scope; scope; scope = scope->outer) {
        char *name = tn_format("%s%s", scope->prefix, node->text);
        TN_TRY(tn_got(name));
        const int found = tn_table_find(w->template_names, name);
        tn_free(name);
        if (found >= 0) {
            *out =
                (assembly_of){w->templates.at[found].value, w->templates.at[found].at.file, false};
            return TN_OK;
        }
    }
    return tn_part_fail(w, at, node, "%s: unknown template '%s'; %s", owner, node->text,
                        w->templates.count > 0
                            ? tn_table_hint(w->template_names, node->text).text
                            : "there are none; write it under 'templates', or name its 'file'");
}

static tn_status find_origin(tn_part_writer *w, const tn_part_where *at, const char *owner,
                             const tn_part_item *a, assembly_of *out)
{
    const tn_node *of = tn_node_get(a->value, "of"), *file = tn_node_get(a->value, "file");
    if (!of == !file)
        return tn_part_fail(w, at, a->key, "%s: %s 'of', the name of a template, or 'file'", owner,
                            of ? "state one of" : "missing key:");
    if (of && of->kind != TN_NODE_SCALAR)
        return tn_part_fail(w, at, of, "%s: of: expected a name, found %s", owner,
                            tn_node_found(of).text);
    if (of)
        return find_template(w, at, owner, of, out);
    TN_TRY(tn_part_file_find(w->parts, at->file, file->text, &out->file));
    if (out->file < 0)
        return tn_part_fail(w, at, file, "%s: file '%s' cannot be found", owner, file->text);
    out->map = w->parts->files.at[out->file].doc->root;
    out->is_file = true;
    return TN_OK;
}

static tn_status check_recursion(const tn_part_writer *w, const tn_part_where *at,
                                 const char *owner, const tn_part_item *a, const assembly_of *of)
{
    bool inside = false;
    for (const tn_part_scope *scope = at->scope; scope; scope = scope->outer)
        inside = inside || scope->of == of->map;
    const tn_node *named = tn_node_get(a->value, of->is_file ? "file" : "of");
    if (inside)
        return tn_part_fail(w, at, named, "%s: '%s' contains itself, without end", owner,
                            named->text);
    if (w->levels >= MOST_LEVELS)
        return tn_part_fail(w, at, a->key, "%s: assemblies stand more than %d deep in each other",
                            owner, MOST_LEVELS);
    return TN_OK;
}

// names: {inside: outside}
static tn_status take_names(tn_part_writer *w, const tn_part_where *at, const char *owner,
                            const tn_node *map, tn_part_scope *scope)
{
    char words[400];
    if (!map || map->kind == TN_NODE_NULL)
        return TN_OK;
    snprintf(words, sizeof words, "%s: names", owner);
    TN_TRY(tn_part_need_map(w, at, words, map));
    const size_t size = sizeof(char *) * (size_t)(map->count + 1);
    scope->inside = tn_document_take(w->doc, size);
    scope->outside = tn_document_take(w->doc, size);
    scope->met = tn_document_take(w->doc, sizeof(bool) * (size_t)(map->count + 1));
    TN_TRY(tn_got(scope->inside && scope->outside && scope->met));
    TN_TRY(tn_array_push(&w->doc->parts->renamed, ((tn_part_renamed){scope, map})));
    for (int i = 0; i < map->count; i++) {
        if (map->children[i]->kind != TN_NODE_SCALAR)
            return tn_part_fail(w, at, map->children[i], "%s: %s: expected a name, found %s", words,
                                map->keys[i]->text, tn_node_found(map->children[i]).text);
        TN_TRY(tn_part_check_free(w, at, map->keys[i], words, map->keys[i]->text));
        scope->inside[i] = map->keys[i]->text;
        scope->met[i] = false;
        TN_TRY(tn_part_text(w, at, map->children[i], TN_PART_NAME, &scope->outside[i]));
    }
    scope->nname = map->count;
    return TN_OK;
}

static tn_status open_table(tn_part_writer *w, tn_table **out)
{
    TN_TRY(tn_table_create(out));
    const tn_status s = tn_array_push(&w->doc->parts->tables, *out);
    if (s != TN_OK)
        tn_table_destroy(*out);
    return s;
}

static tn_status open_scope(tn_part_writer *w, const tn_part_where *at, const char *full,
                            const tn_part_item *a, const assembly_of *of, tn_part_scope **out)
{
    tn_part_scope *scope = tn_document_take(w->doc, sizeof *scope);
    tn_part_where *used = tn_document_take(w->doc, sizeof *used);
    TN_TRY(tn_got(scope && used));
    *used = *at;
    *scope = (tn_part_scope){.outer = at->scope, .of = of->map, .used = used};
    scope->given = tn_node_get(a->value, "parameters");
    TN_TRY(tn_part_keep_text(w, tn_format("%s.", full), &scope->prefix));
    TN_TRY(open_table(w, &scope->known));
    TN_TRY(open_table(w, &scope->values));
    TN_TRY(open_table(w, &scope->asked));
    *out = scope;
    return TN_OK;
}

// Adds the placing of an assembly; one that states none has that of the model it is part of.
static tn_status add_placing(tn_part_writer *w, const tn_part_where *at, const tn_part_item *a,
                             const char *full, int *out)
{
    const tn_node *origin = tn_node_get(a->value, "at");
    const tn_node *orientation = tn_node_get(a->value, "orientation");
    tn_node *name = tn_document_take(w->doc, sizeof *name);
    TN_TRY(tn_got(name));
    *name = *a->key;
    name->text = full;
    name->source = at->source;
    tn_placing placing = {.assembly = name, .outer = w->doc->sources[at->source].placing};
    *out = placing.outer;
    if (!origin && !orientation)
        return TN_OK;
    if (origin)
        TN_TRY(tn_part_copy(w, at, origin, &placing.at));
    if (orientation)
        TN_TRY(tn_part_copy(w, at, orientation, &placing.orientation));
    *out = w->doc->parts->placings.count;
    return tn_array_push(&w->doc->parts->placings, placing);
}

static tn_status open_part(tn_part_writer *w, const tn_part_where *at, const tn_part_item *a,
                           const char *full, const assembly_of *of, tn_part *out)
{
    char *place = tn_part_place_of(w, at, a->key);
    tn_source source = {.file = w->parts->files.at[of->file].doc->name};
    const tn_status s = tn_part_keep_text(
        w, place ? tn_format("used as '%s' at %s", full, place) : NULL, &source.used);
    tn_free(place);
    TN_TRY(s);
    TN_TRY(add_placing(w, at, a, full, &source.placing));
    TN_TRY(open_scope(w, at, full, a, of, &out->scope));
    out->at = (tn_part_where){.scope = out->scope, .file = of->file};
    source.scope = out->scope;
    return tn_part_add_source(w, source, &out->at.source);
}

// Checks that an assembly is only given its parameters.
static tn_status check_given(tn_part_writer *w, const tn_part_where *at, const char *owner,
                             const tn_part_scope *scope)
{
    const size_t prefix = strlen(scope->prefix);
    for (int i = 0; scope->given && i < scope->given->count; i++) {
        const tn_node *key = scope->given->keys[i];
        const char *full = NULL, *known[32];
        int n = 0;
        TN_TRY(tn_part_full_name(w, scope, key->text, &full));
        if (tn_table_find(w->names[TN_PART_PARAMETERS], full) >= 0)
            continue;
        for (int k = 0; k < w->items.count && n < TN_COUNT(known); k++)
            if (w->items.at[k].section == TN_PART_PARAMETERS &&
                strncmp(w->items.at[k].name, scope->prefix, prefix) == 0)
                known[n++] = w->items.at[k].name + prefix;
        return tn_part_fail(w, at, key, "%s: it has no parameter '%s'; %s", owner, key->text,
                            n > 0 ? tn_name_hint(key->text, n, known).text : "it states none");
    }
    return TN_OK;
}

// Names that stand for others outside are not those of its own elements.
static tn_status check_names(const tn_part_writer *w, const tn_part_where *at, const char *owner,
                             const tn_part_scope *scope, const tn_node *names)
{
    for (int i = 0; i < scope->nname; i++)
        if (tn_table_find(scope->known, scope->inside[i]) >= 0)
            return tn_part_fail(w, at, names->keys[i],
                                "%s: names: it has '%s' itself; leave one of them out", owner,
                                scope->inside[i]);
    return TN_OK;
}

static tn_status add_assembly(tn_part_writer *w, const tn_part_item *a);

tn_status tn_part_add_assemblies(tn_part_writer *w, tn_part *p)
{
    tn_status s = TN_OK;
    for (int i = 0; i < p->assemblies.count && s == TN_OK; i++)
        s = add_assembly(w, &p->assemblies.at[i]);
    tn_array_free(&p->assemblies);
    return s;
}

// The names of its assemblies are names of a part, too.
static tn_status know_assemblies(tn_part_writer *w, const tn_part *p)
{
    for (int i = 0; i < p->assemblies.count; i++) {
        const tn_part_item *a = &p->assemblies.at[i];
        const char *name = NULL;
        TN_TRY(tn_part_text(w, &a->at, a->key, TN_PART_TEXT, &name));
        TN_TRY(tn_part_add_known(p->scope, name, false));
    }
    return TN_OK;
}

static tn_status check_assembly(tn_part_writer *w, const tn_part_item *a, const char *name,
                                const char *full, const char *owner)
{
    const tn_node *given = tn_node_get(a->value, "parameters");
    if (!tn_part_is_name(name))
        return tn_part_fail(w, &a->at, a->key,
                            "%s: the name is put before those of its elements; it must be a letter "
                            "followed by letters, digits or '_'",
                            owner);
    if (tn_table_find(w->names[TN_PART_ASSEMBLIES], full) >= 0)
        return tn_part_fail(w, &a->at, a->key, "%s is given twice", owner);
    TN_TRY(tn_part_need_map(w, &a->at, owner, a->value));
    TN_TRY(tn_part_check_keys(w, &a->at, owner, a->value, tn_keys_assembly, tn_keys_none));
    if (given && given->kind != TN_NODE_MAP)
        return tn_part_need_map(w, &a->at, "parameters", given);
    return tn_table_add(w->names[TN_PART_ASSEMBLIES], full, 0);
}

static tn_status add_assembly(tn_part_writer *w, const tn_part_item *a)
{
    tn_part inner = {0};
    assembly_of of = {0};
    const char *name = NULL, *full = NULL;
    char owner[320];
    TN_TRY(tn_part_text(w, &a->at, a->key, TN_PART_TEXT, &name));
    TN_TRY(tn_part_full_name(w, a->at.scope, name, &full));
    snprintf(owner, sizeof owner, "assembly '%.280s'", full);
    TN_TRY(check_assembly(w, a, name, full, owner));
    TN_TRY(find_origin(w, &a->at, owner, a, &of));
    TN_TRY(check_recursion(w, &a->at, owner, a, &of));
    TN_TRY(tn_part_count(w, &a->at, a->key, ASSEMBLY));
    TN_TRY(open_part(w, &a->at, a, full, &of, &inner));
    TN_TRY(take_names(w, &a->at, owner, tn_node_get(a->value, "names"), inner.scope));
    w->levels++;
    tn_status s =
        of.is_file ? tn_part_add_file(w, &inner, of.file) : tn_part_add(w, &inner, of.map);
    TN_THEN(s, check_given(w, &a->at, owner, inner.scope));
    TN_THEN(s, know_assemblies(w, &inner));
    TN_THEN(s, check_names(w, &a->at, owner, inner.scope, tn_node_get(a->value, "names")));
    TN_THEN(s, tn_part_add_assemblies(w, &inner));
    tn_array_free(&inner.assemblies);
    w->levels--;
    return s;
}

tn_status tn_parts_check_names(const tn_document *written, bool others)
{
    const struct tn_parts *parts = written->parts;
    for (int k = 0; parts && k < parts->renamed.count && !parts->none; k++) {
        const tn_part_scope *scope = parts->renamed.at[k].scope;
        const tn_node *names = parts->renamed.at[k].names;
        for (int i = 0; i < scope->nname; i++) {
            tn_node place = *names->keys[i];
            if (scope->met[i])
                continue;
            if (tn_table_find(scope->asked, "ground") < 0)
                TN_TRY(tn_table_add(scope->asked, "ground", 0));
            const tn_hint hint = tn_table_hint(scope->asked, scope->inside[i]);
            if (others && strncmp(hint.text, "did you mean", 12) != 0)
                continue;
            place.source = scope->used->source;
            return tn_node_fail(written, &place, TN_ERR_MODEL,
                                "assembly '%.*s': names: it uses no '%s' from outside; %s",
                                (int)strlen(scope->prefix) - 1, scope->prefix, scope->inside[i],
                                hint.text);
        }
    }
    return TN_OK;
}
