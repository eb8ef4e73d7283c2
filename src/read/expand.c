// SPDX-License-Identifier: MIT
//
// A model with its parts written out, as a model file again. Texts stay as they are, so that a
// model without placed parts is the same to the last bit; what placed parts state is written as it
// is in the inertial frame, or on the bodies (part_over.c).

#include "base/alloc.h"
#include "read/model_yaml.h"
#include "read/parts.h"
#include "text/buffer.h"
#include "text/number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDTH = 100, STEP = 2 };

// Text -------------------------------------------------------------------------------------------

// Returns true if a text needs no quotes where lines are indented; within brackets `flow`.
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

static void put_key(tn_buffer *out, const tn_node *key, bool flow)
{
    if (is_plain(key->text, flow))
        tn_buffer_say(out, key->text);
    else
        put_quoted(out, key->text);
}

static void put_scalar(tn_buffer *out, const tn_node *node, bool flow)
{
    if (node->kind == TN_NODE_NULL)
        tn_buffer_say(out, "~");
    else if (node->quoted)
        put_quoted(out, node->text);
    else
        put_key(out, node, flow);
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
            put_key(out, node->keys[i], true);
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

// Members, one in a line; the first goes on in the line that is begun where `begun`.
static void put_members(tn_buffer *out, const tn_node *node, int indent, bool begun)
{
    for (int i = 0; i < node->count; i++) {
        const tn_node *child = node->children[i];
        if (i > 0 || !begun)
            tn_buffer_format(out, "%*s", indent, "");
        if (node->kind == TN_NODE_MAP) {
            put_key(out, node->keys[i], false);
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
            tn_buffer_say(out, "\n");
            put_members(out, child, indent + STEP, false);
        }
    }
}

// The whole --------------------------------------------------------------------------------------

// Parameters have the values that were set.
static tn_status set_values(tn_document *doc, int n, const tn_parameter_value *values)
{
    const tn_node *map = tn_node_get(doc->root, "parameters");
    for (int k = 0; map && k < n * map->count; k++) {
        const tn_parameter_value *v = &values[k / map->count];
        const int i = k % map->count;
        char number[TN_NUMBER_SIZE];
        if (strcmp(v->name, map->keys[i]->text) != 0)
            continue;
        if (!v->expression)
            tn_number_text(v->value, number);
        const char *text = v->expression ? v->expression : number;
        map->children[i] = tn_node_new(doc, TN_NODE_SCALAR, text, 0);
        TN_TRY(tn_got(map->children[i]));
    }
    return TN_OK;
}

static void put_model(const tn_node *root, tn_buffer *out)
{
    for (int i = 0; i < root->count; i++) {
        const tn_node *key = root->keys[i], *value = root->children[i];
        const bool section = tn_part_section_of(key->text) >= 0;
        if (section && value->kind != TN_NODE_MAP)
            continue;
        tn_buffer_format(out, "%s%s:", section ? "\n" : "", key->text);
        if (!section && put_in_line(out, value, (int)strlen(key->text)))
            continue;
        tn_buffer_say(out, "\n");
        put_members(out, value, STEP, false);
    }
}

static tn_status write_model(const tn_document *doc, const tn_document *plain, char **out)
{
    const char *slash = strrchr(doc->name, '/');
    tn_buffer text = {0};
    tn_buffer_format(&text, "# %s with its parts written out by 'tenon expand'\n",
                     slash ? slash + 1 : doc->name);
    put_model(plain->root, &text);
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
    char *base = folder_of(path, folder);
    *out = NULL;
    tn_status s = tn_got(base);
    TN_THEN(s, tn_document_read(path, &doc));
    TN_THEN(s, tn_parts_expand(doc, n, values, base, &plain));
    TN_THEN(s, tn_model_from_plain(plain, n, values, true, &model, NULL));
    TN_THEN(s, set_values(plain, n, values));
    TN_THEN(s, write_model(doc, plain, out));
    tn_model_destroy(model);
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
