// SPDX-License-Identifier: MIT
//
// A model with its parts written out, as a model file again. Texts stay as they are, so that a
// model without placed parts is the same to the last bit; what placed parts state is written as it
// is in the inertial frame, or on the bodies (part_over.c).

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/number.h"
#include "io/model_yaml.h"
#include "io/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDTH = 100, STEP = 2 };

// Text -------------------------------------------------------------------------------------------

// Whether a text may stand without quotes where lines are indented; within brackets `flow`.
static bool is_plain(const char *text, bool flow)
{
    const size_t n = strlen(text);
    if (n == 0 || isspace((unsigned char)text[0]) || isspace((unsigned char)text[n - 1]) ||
        strchr("?:,[]{}#&*!|>'\"%@`", text[0]) || text[n - 1] == ':' ||
        (text[0] == '-' && (n == 1 || text[1] == ' ')) || strncmp(text, "---", 3) == 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] < 32 || (text[i] == ':' && text[i + 1] == ' ') ||
            (text[i] == ' ' && text[i + 1] == '#') || (flow && strchr(",[]{}", text[i])))
            return false;
    return true;
}

static void put_quoted(tn_buffer *out, const char *text)
{
    tn_buffer_say(out, "\"");
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            tn_buffer_format(out, "\\%c", c);
        else if (c == '\n')
            tn_buffer_say(out, "\\n");
        else if (c < 32)
            tn_buffer_format(out, "\\x%02x", c);
        else
            tn_buffer_put(out, text, 1);
    }
    tn_buffer_say(out, "\"");
}

static void put_scalar(tn_buffer *out, const tn_node *node, bool flow)
{
    if (node->kind == TN_NODE_NULL)
        tn_buffer_say(out, "~");
    else if (!node->quoted && is_plain(node->text, flow))
        tn_buffer_say(out, node->text);
    else
        put_quoted(out, node->text);
}

// Nodes ------------------------------------------------------------------------------------------

static bool is_scalar(const tn_node *node)
{
    return node->kind == TN_NODE_SCALAR || node->kind == TN_NODE_NULL;
}

// Numbers must not get quotes: they would be texts.
static bool fits_brackets(const tn_node *node)
{
    if (is_scalar(node))
        return node->kind == TN_NODE_NULL || node->quoted || is_plain(node->text, true);
    for (int i = 0; i < node->count; i++)
        if (!fits_brackets(node->children[i]) ||
            (node->kind == TN_NODE_MAP && !is_plain(node->keys[i]->text, true)))
            return false;
    return true;
}

static void put_brackets(tn_buffer *out, const tn_node *node)
{
    const bool map = node->kind == TN_NODE_MAP;
    if (is_scalar(node)) {
        put_scalar(out, node, true);
        return;
    }
    tn_buffer_say(out, map ? "{" : "[");
    for (int i = 0; i < node->count; i++) {
        tn_buffer_say(out, i > 0 ? ", " : "");
        if (map) {
            put_scalar(out, node->keys[i], true);
            tn_buffer_say(out, ": ");
        }
        put_brackets(out, node->children[i]);
    }
    tn_buffer_say(out, map ? "}" : "]");
}

// The value behind a key or a dash in one line, where it fits.
static bool put_in_line(tn_buffer *out, const tn_node *node, int indent)
{
    if (is_scalar(node)) {
        tn_buffer_say(out, node->kind == TN_NODE_NULL ? "" : " ");
        if (node->kind != TN_NODE_NULL)
            put_scalar(out, node, false);
        tn_buffer_say(out, "\n");
        return true;
    }
    const size_t before = out->length;
    if (!fits_brackets(node))
        return false;
    tn_buffer_say(out, " ");
    put_brackets(out, node);
    if (out->length - before + (size_t)indent <= WIDTH || node->count == 0) {
        tn_buffer_say(out, "\n");
        return true;
    }
    out->length = before;
    return false;
}

static void put_value(tn_buffer *out, const tn_node *node, int indent);

// Members, one in a line; the first goes on in the line that is begun where `begun`.
static void put_members(tn_buffer *out, const tn_node *node, int indent, bool begun)
{
    for (int i = 0; i < node->count; i++) {
        const tn_node *child = node->children[i];
        if (i > 0 || !begun)
            tn_buffer_format(out, "%*s", indent, "");
        if (node->kind == TN_NODE_MAP) {
            put_scalar(out, node->keys[i], false);
            tn_buffer_say(out, ":");
        } else {
            tn_buffer_say(out, "-");
        }
        if (put_in_line(out, child, indent + (int)(node->keys ? strlen(node->keys[i]->text) : 0)))
            continue;
        if (node->kind == TN_NODE_SEQUENCE && child->kind == TN_NODE_MAP) {
            tn_buffer_say(out, " ");
            put_members(out, child, indent + STEP, true);
        } else {
            put_value(out, child, indent + STEP);
        }
    }
}

static void put_value(tn_buffer *out, const tn_node *node, int indent)
{
    tn_buffer_say(out, "\n");
    put_members(out, node, indent, false);
}

// What stands instead ----------------------------------------------------------------------------

typedef struct writing {
    tn_document *doc; // plain
    const tn_overrides *over;
    int nvalue;
    const tn_parameter_value *values;
} writing;

static int by_element(const void *a, const void *b)
{
    const tn_override *x = a, *y = b;
    if (x->element != y->element)
        return (uintptr_t)x->element < (uintptr_t)y->element ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

// The overrides of an element; the first and how many.
static const tn_override *overrides_of(const writing *w, const tn_node *element, int *count)
{
    int low = 0, high = w->over->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if ((uintptr_t)w->over->at[middle].element < (uintptr_t)element)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    if (low == w->over->count)
        return NULL; // of a list that may be none
    while (low + *count < w->over->count && w->over->at[low + *count].element == element)
        ++*count;
    return w->over->at + low;
}

// The last word on a key of an element, or of a map within it.
static const tn_override *find_over(const tn_override *list, int n, const char *map,
                                    const char *key)
{
    const tn_override *found = NULL;
    for (int i = 0; i < n; i++)
        if (strcmp(list[i].map, map) == 0 && strcmp(list[i].key, key) == 0)
            found = &list[i];
    return found;
}

static tn_status new_map(const writing *w, int most, tn_node **out)
{
    *out = tn_document_take(w->doc, sizeof **out);
    const tn_node **at = tn_document_take(w->doc, sizeof *at * (size_t)(2 * most + 1));
    TN_TRY(tn_got(*out && at));
    **out = (tn_node){.kind = TN_NODE_MAP, .keys = at, .children = at + most};
    return TN_OK;
}

static tn_status add_pair(const writing *w, tn_node *map, const char *key, const tn_node *value)
{
    tn_node *name = tn_document_take(w->doc, sizeof *name);
    TN_TRY(tn_got(name));
    *name = (tn_node){.kind = TN_NODE_SCALAR, .text = key};
    map->keys[map->count] = name;
    map->children[map->count++] = value;
    return TN_OK;
}

// A map with what stands instead of its values, and what is added.
static tn_status merge(const writing *w, const tn_override *list, int n, const char *name,
                       const tn_node *map, const tn_node **out)
{
    tn_node *merged = NULL;
    const int count = map ? map->count : 0;
    TN_TRY(new_map(w, count + n + 1, &merged));
    for (int i = 0; i < count; i++) {
        const tn_override *over = find_over(list, n, name, map->keys[i]->text);
        if (!over || over->value)
            TN_TRY(add_pair(w, merged, map->keys[i]->text, over ? over->value : map->children[i]));
    }
    for (int i = 0; i < n; i++) {
        const bool here = strcmp(list[i].map, name) == 0 && list[i].value &&
                          find_over(list, n, name, list[i].key) == &list[i];
        if (here && (!map || !tn_node_get(map, list[i].key)))
            TN_TRY(add_pair(w, merged, list[i].key, list[i].value));
    }
    *out = merged;
    return TN_OK;
}

// An element: its own keys, those of `initial`, and its shapes.
static tn_status resolve(const writing *w, const tn_node *key, const tn_node *value,
                         const tn_node **out)
{
    int n = 0;
    const tn_override *list = overrides_of(w, key, &n);
    *out = value;
    if (n == 0)
        return TN_OK;
    const tn_node *merged = NULL, *initial = NULL;
    TN_TRY(merge(w, list, n, "", value->kind == TN_NODE_MAP ? value : NULL, &merged));
    TN_TRY(merge(w, list, n, "initial", tn_node_get(value, "initial"), &initial));
    tn_node *all = NULL;
    TN_TRY(new_map(w, merged->count + 1, &all));
    for (int i = 0; i < merged->count; i++)
        if (strcmp(merged->keys[i]->text, "initial") != 0)
            TN_TRY(add_pair(w, all, merged->keys[i]->text, merged->children[i]));
    if (initial->count > 0)
        TN_TRY(add_pair(w, all, "initial", initial));
    *out = all;
    return TN_OK;
}

static tn_status resolve_shapes(const writing *w, const tn_node *ground, const tn_node **out)
{
    const tn_node *shapes = tn_node_get(ground, "shapes");
    *out = ground;
    if (!shapes || shapes->kind != TN_NODE_SEQUENCE)
        return TN_OK;
    tn_node *map = NULL, *list = NULL;
    TN_TRY(new_map(w, 1, &map));
    TN_TRY(new_map(w, shapes->count, &list));
    *list = (tn_node){.kind = TN_NODE_SEQUENCE, .count = shapes->count, .children = list->children};
    for (int i = 0; i < shapes->count; i++)
        TN_TRY(resolve(w, shapes->children[i], shapes->children[i], &list->children[i]));
    TN_TRY(add_pair(w, map, "shapes", list));
    *out = map;
    return TN_OK;
}

// A parameter has the value that was set.
static tn_status set_value(const writing *w, const tn_node *key, const tn_node **value)
{
    for (int i = 0; i < w->nvalue; i++) {
        const tn_parameter_value *v = &w->values[i];
        char number[TN_NUMBER_SIZE];
        if (strcmp(v->name, key->text) != 0)
            continue;
        tn_node *node = tn_document_take(w->doc, sizeof *node);
        if (!v->expression)
            tn_number_text(v->value, number);
        const char *text = v->expression ? v->expression : number;
        char *copy = tn_document_take(w->doc, strlen(text) + 1);
        TN_TRY(tn_got(node && copy));
        memcpy(copy, text, strlen(text));
        *node = (tn_node){.kind = TN_NODE_SCALAR, .text = copy};
        *value = node;
    }
    return TN_OK;
}

static tn_status put_section(const writing *w, const tn_node *key, const tn_node *section,
                             tn_buffer *out)
{
    const bool parameters = strcmp(key->text, "parameters") == 0;
    tn_node *all = NULL;
    if (section->kind != TN_NODE_MAP)
        return TN_OK;
    TN_TRY(new_map(w, section->count, &all));
    for (int i = 0; i < section->count; i++) {
        const tn_node *value = section->children[i];
        TN_TRY(parameters ? set_value(w, section->keys[i], &value)
                          : resolve(w, section->keys[i], value, &value));
        TN_TRY(add_pair(w, all, section->keys[i]->text, value));
    }
    tn_buffer_format(out, "\n%s:", key->text);
    put_value(out, all, STEP);
    return TN_OK;
}

static bool is_head(const char *key)
{
    static const char *const heads[] = {"tenon", "name", "gravity", "simulate", "plugins"};
    for (int i = 0; i < TN_COUNT(heads); i++)
        if (strcmp(key, heads[i]) == 0)
            return true;
    return false;
}

static tn_status put_model(const writing *w, tn_buffer *out)
{
    const tn_node *root = w->doc->root;
    for (int i = 0; i < root->count; i++) {
        const tn_node *key = root->keys[i], *value = root->children[i];
        const bool ground = strcmp(key->text, "ground") == 0;
        if (!is_head(key->text) && !ground) {
            TN_TRY(put_section(w, key, value, out));
            continue;
        }
        if (ground)
            TN_TRY(resolve_shapes(w, value, &value));
        tn_buffer_format(out, "%s:", key->text);
        if (!put_in_line(out, value, (int)strlen(key->text)))
            put_value(out, value, STEP);
    }
    return TN_OK;
}

// The whole --------------------------------------------------------------------------------------

static tn_status write_model(tn_document *doc, tn_document *plain, int n,
                             const tn_parameter_value *values, tn_overrides *over, char **out)
{
    const writing w = {plain, over, n, values};
    const char *slash = strrchr(doc->name, '/');
    tn_buffer text = {0};
    if (over->count > 0)
        qsort(over->at, (size_t)over->count, sizeof *over->at, by_element);
    tn_buffer_format(&text, "# %s with its parts written out by 'tenon expand'\n",
                     slash ? slash + 1 : doc->name);
    const tn_status s = put_model(&w, &text);
    if (s != TN_OK) {
        tn_free(text.text);
        return s;
    }
    return tn_buffer_finish(&text, "a model", out);
}

// The folder of the model with a slash behind it, from which paths in the text are meant; "" where
// the text will stand beside the model.
static char *folder_of(const char *path, const char *folder)
{
    const char *slash = strrchr(path, '/');
    char *own = slash ? tn_format("%.*s", (int)(slash - path) + (slash == path), path) : NULL;
    char *real = realpath(own ? own : ".", NULL), *other = folder ? realpath(folder, NULL) : NULL;
    char *out = !folder || !real || (other && strcmp(real, other) == 0)
                    ? tn_strdup("")
                    : tn_format("%s/", strcmp(real, "/") == 0 ? "" : real);
    tn_free(own);
    free(real);
    free(other);
    return out;
}

tn_status tn_model_expand(const char *path, int n, const tn_parameter_value *values,
                          const char *folder, char **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, path, out);
    if (n > 0)
        TN_NEED(values, TN_ERR_USAGE);
    tn_document *doc = NULL, *plain = NULL;
    tn_model *model = NULL;
    tn_overrides over = {0};
    char *base = folder_of(path, folder);
    *out = NULL;
    tn_status s = tn_got(base);
    TN_THEN(s, tn_document_read(path, &doc));
    TN_THEN(s, tn_parts_expand(doc, n, values, base, &plain));
    TN_THEN(s, tn_model_from_plain(plain, n, values, &over, &model, NULL));
    TN_THEN(s, write_model(doc, plain, n, values, &over, out));
    tn_model_destroy(model);
    tn_array_free(&over);
    tn_document_destroy(plain);
    tn_document_destroy(doc);
    tn_free(base);
    return s;
}

static bool is_same_file(const char *path, const struct stat *file)
{
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

tn_status tn_model_is_made_of(const char *path, const char *file, bool *out)
{
    TN_NEED_ALL(TN_ERR_USAGE, path, file, out);
    struct stat info;
    tn_document *doc = NULL;
    int n = 0;
    const bool there = stat(file, &info) == 0;
    *out = there && is_same_file(path, &info);
    if (!there || *out)
        return TN_OK;
    tn_status s = tn_document_read(path, &doc);
    TN_THEN(s, tn_parts_file_count(doc, &n));
    for (int i = 0; s == TN_OK && i < n && !*out; i++) {
        const tn_document *part;
        char *name = NULL;
        s = tn_parts_file(doc, i, &name, &part);
        *out = s == TN_OK && is_same_file(part->name, &info);
        tn_free(name);
    }
    tn_document_destroy(doc);
    return s;
}
