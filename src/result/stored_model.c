// SPDX-License-Identifier: MIT
//
// Comparing models by what results keep of them. Parameters are compared by value, so that
// `--set k=5` is seen; files node by node, so that comments and the order of keys do not count;
// scenes last, for what files include and for models that were made by calls.

#include "result/stored_model.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/checksum.h"
#include "file/document.h"
#include "file/yaml_text.h"
#include "model/model.h"
#include "read/parts.h"
#include "result/scene.h"
#include "tenon/json.h"
#include "text/lines.h"
#include "text/target.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SENTENCES = 6, PATH_SIZE = 160 };

typedef struct {
    const char *name_a, *name_b;
    tn_notes *out;
    const char *const *without; // keys that do not count, at any depth; ends with NULL
    bool shared;                // keys that only one of the two has do not count
    double rounding;            // numbers that differ by less, relatively, are the same
} comparison;

// Stored parts --------------------------------------------------------------------------------

tn_status tn_model_parameters_json(const tn_model *model, char **out)
{
    tn_json *json = NULL;
    *out = NULL;
    TN_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    for (int i = 0; i < model->parameters.count; i++) {
        const tn_named_value *p = &model->parameters.at[i];
        if (!p->input && !p->table)
            tn_json_number(json, p->name, p->value);
    }
    tn_json_end_object(json);
    tn_status s = tn_json_finish(json);
    *out = s == TN_OK ? tn_strdup(tn_json_text(json)) : NULL;
    tn_json_destroy(json);
    return s == TN_OK ? tn_got(*out) : s;
}

static tn_status put_files(tn_json *json, tn_document *doc, int n)
{
    tn_status s = TN_OK;
    for (int i = 0; i < n && s == TN_OK; i++) {
        const tn_document *file = NULL;
        char *name = NULL, *text = NULL;
        size_t length = 0;
        s = tn_parts_file(doc, i, &name, &file);
        TN_THEN(s, tn_yaml_text_read(file->name, &text, &length));
        if (s == TN_OK)
            tn_json_string(json, name, text);
        TN_FREE(name, text);
    }
    return s;
}

// Data files ----------------------------------------------------------------------------------

// Those that decide the motion: of modal bodies, and meshes that a body takes its mass from. They
// are kept by their checksums.
#define SUM "checksum "

typedef struct data_files {
    tn_json *json;
    tn_document *plain;
    const char *model; // its path
    TN_ARRAY(const char *) known;
} data_files;

// Leaves `out` empty where there is no such file.
static tn_status sum_file(const char *path, char *out, size_t size)
{
    char *bytes = NULL;
    size_t all = 0;
    const tn_status s = tn_file_read(path, SIZE_MAX, &bytes, &all);
    *out = '\0';
    if (s == TN_OK)
        snprintf(out, size, SUM "%08x of %zu bytes", tn_checksum(0, bytes, all), all);
    tn_free(bytes);
    if (s == TN_OK || s == TN_ERR_MEMORY)
        return s;
    tn_clear_error();
    return TN_OK;
}

static tn_status put_data_file(data_files *d, const tn_node *name)
{
    char sum[80];
    if (!name || name->kind != TN_NODE_SCALAR)
        return TN_OK;
    TN_TRY(tn_node_resolve(d->plain, name, TN_PART_FILE));
    for (int i = 0; i < d->known.count; i++)
        if (strcmp(d->known.at[i], name->text) == 0)
            return TN_OK;
    TN_TRY(tn_array_push(&d->known, name->text));
    char *path = tn_path_beside(d->model, name->text);
    TN_TRY(tn_got(path));
    const tn_status s = sum_file(path, sum, sizeof sum);
    if (*sum)
        tn_json_string(d->json, name->text, sum);
    tn_free(path);
    return s;
}

static tn_status put_shape_files(data_files *d, const tn_node *body)
{
    const tn_node *shapes = tn_node_get(body, "shapes");
    bool heavy = tn_node_get(body, "density") || tn_node_get(body, "inertia_from_shapes");
    if (!shapes || shapes->kind != TN_NODE_SEQUENCE)
        return TN_OK;
    for (int i = 0; i < shapes->count; i++)
        heavy = heavy || tn_node_get(shapes->children[i], "density");
    for (int i = 0; heavy && i < shapes->count; i++)
        TN_TRY(put_data_file(d, tn_node_get(shapes->children[i], "file")));
    return TN_OK;
}

static tn_status put_data_files(data_files *d, const tn_document *plain)
{
    const tn_node *bodies = tn_node_get(plain->root, "bodies");
    for (int i = 0; bodies && bodies->kind == TN_NODE_MAP && i < bodies->count; i++) {
        const tn_node *body = bodies->children[i], *kind = tn_node_get(body, "kind");
        if (kind && kind->kind == TN_NODE_SCALAR && strcmp(kind->text, "modal") == 0)
            TN_TRY(put_data_file(d, tn_node_get(body, "file")));
        TN_TRY(put_shape_files(d, body));
    }
    return TN_OK;
}

// Parts are written out, so that paths are those from the folder of the model.
static tn_status add_data_files(tn_json *json, tn_document *doc)
{
    data_files d = {.json = json, .model = doc->name};
    tn_document *plain = NULL;
    tn_status s = tn_parts_expand(doc, 0, NULL, "", &plain);
    d.plain = plain;
    TN_THEN(s, put_data_files(&d, plain));
    tn_array_free(&d.known);
    tn_document_destroy(plain);
    return s;
}

static tn_status write_files(tn_document *doc, int n, char **out)
{
    tn_json *json = NULL;
    TN_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_status s = put_files(json, doc, n);
    TN_THEN(s, add_data_files(json, doc));
    tn_json_end_object(json);
    TN_THEN(s, tn_json_finish(json));
    const bool some = s == TN_OK && strchr(tn_json_text(json), ':');
    *out = some ? tn_strdup(tn_json_text(json)) : NULL;
    tn_json_destroy(json);
    return some ? tn_got(*out) : s;
}

tn_status tn_model_files_json(const char *path, char **out)
{
    char *text = NULL;
    size_t length = 0;
    tn_document *doc = NULL;
    int n = 0;
    *out = NULL;
    tn_status s = tn_yaml_text_read(path, &text, &length);
    if (s == TN_OK &&
        (strstr(text, "include") || strstr(text, "assemblies") || strstr(text, "file"))) {
        s = tn_document_parse(text, length, path, &doc);
        TN_THEN(s, tn_parts_file_count(doc, &n));
        TN_THEN(s, write_files(doc, n, out));
    }
    tn_document_destroy(doc);
    tn_free(text);
    if (s == TN_OK || s == TN_ERR_MEMORY)
        return s;
    tn_clear_error(); // files that are gone
    return TN_OK;
}

static tn_status copy_text(const char *text, char **out)
{
    *out = text ? tn_strdup(text) : NULL;
    return text ? tn_got(*out) : TN_OK;
}

tn_status tn_stored_model_of_result(const tn_result *result, tn_stored_model *out)
{
    *out = (tn_stored_model){0};
    TN_TRY(copy_text(tn_result_parameters(result), &out->parameters));
    TN_TRY(copy_text(tn_result_source(result), &out->source));
    TN_TRY(copy_text(tn_result_parts(result), &out->files));
    return copy_text(tn_result_scene(result), &out->scene);
}

tn_status tn_stored_model_of(const tn_model *model, const char *path, tn_stored_model *out)
{
    size_t length = 0;
    *out = (tn_stored_model){0};
    TN_TRY(tn_model_parameters_json(model, &out->parameters));
    if (path && tn_yaml_text_read(path, &out->source, &length) != TN_OK)
        tn_clear_error(); // a pipe, or a file that is gone: the scene has the rest
    if (out->source)
        TN_TRY(tn_model_files_json(path, &out->files));
    return tn_scene_json(model, path, &out->scene);
}

void tn_stored_model_free(tn_stored_model *stored)
{
    TN_FREE(stored->parameters, stored->source, stored->files, stored->scene);
}

// Comparing -----------------------------------------------------------------------------------

static bool is_full(const comparison *c)
{
    return c->out->count >= MOST_SENTENCES;
}

static bool is_left_out(const comparison *c, const char *key)
{
    for (const char *const *k = c->without; *k; k++)
        if (strcmp(*k, key) == 0)
            return true;
    return false;
}

static bool same_number(const comparison *c, const char *a, const char *b)
{
    double x = NAN, y = NAN;
    if (!tn_number_from_text(a, &x) || !tn_number_from_text(b, &y))
        return false;
    return fabs(x - y) <= c->rounding * fmax(fmax(fabs(x), fabs(y)), c->rounding);
}

// The place of a key; maps that are alike have it where the last one was, or behind.
static int find_key(const tn_node *map, const char *key, int guess)
{
    for (int i = 0; i < map->count; i++) {
        const int at = (guess + i) % map->count;
        if (strcmp(map->keys[at]->text, key) == 0)
            return at;
    }
    return -1;
}

static void compare_nodes(const comparison *c, const tn_node *a, const tn_node *b,
                          const char *path);

// "bodies.crank.mass"
static void extend(char out[PATH_SIZE], const char *path, const char *key)
{
    snprintf(out, PATH_SIZE, "%s%s%s", path, *path ? "." : "", key);
}

static void compare_maps(const comparison *c, const tn_node *a, const tn_node *b, const char *path)
{
    char deeper[PATH_SIZE];
    for (int i = 0, guess = 0; i < a->count && !is_full(c); i++) {
        const char *key = a->keys[i]->text;
        const int at = find_key(b, key, guess);
        extend(deeper, path, key);
        if (is_left_out(c, key))
            continue;
        if (at >= 0)
            compare_nodes(c, a->children[i], b->children[at], deeper);
        else if (!c->shared)
            tn_notes_add(c->out, "%s is in %s alone", deeper, c->name_a);
        guess = at >= 0 ? at + 1 : guess;
    }
    for (int i = 0, guess = 0; i < b->count && !c->shared && !is_full(c); i++) {
        const char *key = b->keys[i]->text;
        const int at = find_key(a, key, guess);
        extend(deeper, path, key);
        if (at < 0 && !is_left_out(c, key))
            tn_notes_add(c->out, "%s is in %s alone", deeper, c->name_b);
        guess = at >= 0 ? at + 1 : guess;
    }
}

static void compare_lists(const comparison *c, const tn_node *a, const tn_node *b, const char *path)
{
    char deeper[PATH_SIZE];
    for (int i = 0; i < a->count && i < b->count && !is_full(c); i++) {
        const tn_node *name = tn_node_get(a->children[i], "name");
        char number[16];
        snprintf(number, sizeof(number), "%d", i + 1);
        extend(deeper, path, name && name->kind == TN_NODE_SCALAR ? name->text : number);
        compare_nodes(c, a->children[i], b->children[i], deeper);
    }
    if (a->count != b->count && !is_full(c))
        tn_notes_add(c->out, "%s has %d entries in %s and %d in %s", path, a->count, c->name_a,
                     b->count, c->name_b);
}

static void compare_nodes(const comparison *c, const tn_node *a, const tn_node *b, const char *path)
{
    if (a->kind == TN_NODE_MAP && b->kind == TN_NODE_MAP) {
        compare_maps(c, a, b, path);
    } else if (a->kind == TN_NODE_SEQUENCE && b->kind == TN_NODE_SEQUENCE) {
        compare_lists(c, a, b, path);
    } else if (a->kind == TN_NODE_SCALAR && b->kind == TN_NODE_SCALAR) {
        if (strcmp(a->text, b->text) != 0 && !same_number(c, a->text, b->text))
            tn_notes_add(c->out, "%s is %.60s in %s and %.60s in %s", path, a->text, c->name_a,
                         b->text, c->name_b);
    } else if (a->kind != b->kind) {
        tn_notes_add(c->out, "%s is %s in %s and %s in %s", path, tn_node_found(a).text, c->name_a,
                     tn_node_found(b).text, c->name_b);
    }
}

// Compares two texts by what they hold. Those that cannot be read give nothing: results from
// elsewhere may hold anything.
static tn_status compare_documents(const comparison *c, const char *a, const char *b,
                                   tn_status (*compare)(const comparison *, const tn_node *,
                                                        const tn_node *))
{
    tn_document *first = NULL, *second = NULL;
    if (!a || !b || strcmp(a, b) == 0)
        return TN_OK;
    tn_status s = tn_document_parse(a, strlen(a), c->name_a, &first);
    TN_THEN(s, tn_document_parse(b, strlen(b), c->name_b, &second));
    TN_THEN(s, compare(c, first->root, second->root));
    tn_document_destroy(first);
    tn_document_destroy(second);
    if (s == TN_OK || s == TN_ERR_MEMORY)
        return s;
    tn_clear_error();
    return TN_OK;
}

static tn_status compare_models(const comparison *c, const tn_node *a, const tn_node *b)
{
    compare_nodes(c, a, b, "");
    return TN_OK;
}

// A file that is not the same, by its name, and what differs first in it.
static tn_status compare_file(const comparison *c, const char *name, const tn_node *a,
                              const tn_node *b)
{
    tn_notes found = {0};
    comparison within = *c;
    within.out = &found;
    const bool data = a->kind == TN_NODE_SCALAR && strncmp(a->text, SUM, strlen(SUM)) == 0;
    if (data && (!b || b->kind != TN_NODE_SCALAR)) // results of before do not have it
        return TN_OK;
    if (data && strcmp(a->text, b->text) != 0)
        tn_notes_add(c->out, "the file %s is not the same in %s and in %s", name, c->name_a,
                     c->name_b);
    if (data)
        return TN_OK;
    if (!b || b->kind != TN_NODE_SCALAR || a->kind != TN_NODE_SCALAR) {
        tn_notes_add(c->out, "the file %s is in %s alone", name, c->name_a);
        return TN_OK;
    }
    TN_TRY(compare_documents(&within, a->text, b->text, compare_models));
    if (found.count > 0)
        tn_notes_add(c->out, "in the file %s %s", name, found.text[0]);
    return TN_OK;
}

static tn_status compare_files(const comparison *c, const tn_node *a, const tn_node *b)
{
    tn_status s = TN_OK;
    for (int i = 0; s == TN_OK && i < a->count && a->keys && !is_full(c); i++) {
        const char *name = a->keys[i]->text;
        s = compare_file(c, name, a->children[i], tn_node_get(b, name));
    }
    return s;
}

tn_status tn_stored_models_compare(const tn_stored_model *a, const char *name_a,
                                   const tn_stored_model *b, const char *name_b, tn_notes *out)
{
    static const char *const nothing[] = {NULL};
    static const char *const looks[] = {"simulate", "parameters", "outputs", "name", "color", NULL};
    static const char *const files[] = {"simulate", "outputs", "name", "color", NULL};
    // Values that other files and the folder of the run may change.
    static const char *const places[] = {"meshes", "shapes", "color", "size",   "glyph",
                                         "parts",  "points", "beams", "modals", NULL};
    comparison c = {name_a, name_b, out, nothing, false, 0.0};
    *out = (tn_notes){0};
    TN_TRY(compare_documents(&c, a->parameters, b->parameters, compare_models));
    c.without = looks;
    TN_TRY(compare_documents(&c, a->source, b->source, compare_models));
    c.without = files; // parameters of assemblies are none of the model
    TN_TRY(compare_documents(&c, a->files, b->files, compare_files));
    if (out->count > 0)
        return TN_OK;
    const double ROUNDING = 1e-10; // of principal axes, from one build to another
    c = (comparison){name_a, name_b, out, places, true, ROUNDING};
    return compare_documents(&c, a->scene, b->scene, compare_models);
}
