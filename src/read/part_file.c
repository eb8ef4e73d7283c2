// SPDX-License-Identifier: MIT
//
// The files that a model is made of: those that it includes, those of its assemblies, and theirs.
// Paths are relative to the file in which they stand.

#include "read/part_own.h"
#include "text/lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// The path by which a file is known, whatever way leads to it.
static char *known_path(const char *path)
{
    char full[PATH_MAX];
    return tn_strdup(realpath(path, full) ? full : path);
}

static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

static int find_path(const struct tn_parts *parts, const char *path)
{
    for (int i = 0; i < parts->files.count; i++)
        if (strcmp(parts->files.at[i].path, path) == 0)
            return i;
    return -1;
}

tn_status tn_part_file_find(const struct tn_parts *parts, int from, const char *text, int *out)
{
    char *path = tn_path_beside(parts->files.at[from].doc->name, text);
    char *known = path ? known_path(path) : NULL;
    *out = known ? find_path(parts, known) : -1;
    const tn_status s = tn_got(known);
    TN_FREE(path, known);
    return s;
}

static tn_status read_map(struct tn_parts *parts, int file, const tn_node *map);

// A file that is known by its path now; takes the path and the folder.
static tn_status add_file(struct tn_parts *parts, char *known, char *folder, tn_document *doc)
{
    const tn_part_file file = {known, folder, doc};
    const tn_status s = known && folder ? tn_array_push(&parts->files, file) : tn_got(false);
    if (s != TN_OK)
        TN_FREE(known, folder);
    return s;
}

static tn_status open_file(struct tn_parts *parts, int from, const char *text, const char *path)
{
    const char *outer = text[0] == '/' ? "" : parts->files.at[from].folder;
    tn_document *doc = NULL;
    char *known = known_path(path);
    const bool again = known && find_path(parts, known) >= 0;
    tn_status s = again ? TN_OK : tn_document_read(path, &doc);
    if (again || s != TN_OK) {
        tn_free(known);
        return s;
    }
    s = add_file(parts, known, tn_format("%s%.*s", outer, folder_length(text), text), doc);
    if (s != TN_OK)
        tn_document_destroy(doc);
    return s == TN_OK ? read_map(parts, parts->files.count - 1, doc->root) : s;
}

// Reports a file that cannot be opened where it is named; mistakes within it, in their own place.
static tn_status read_file(struct tn_parts *parts, int from, const char *key, const tn_node *node)
{
    const tn_document *doc = parts->files.at[from].doc;
    if (node->kind != TN_NODE_SCALAR)
        return tn_node_expected(doc, node, key, "the name of a file");
    char *path = tn_path_beside(doc->name, node->text);
    TN_TRY(tn_got(path));
    const tn_status s = open_file(parts, from, node->text, path);
    tn_free(path);
    return s == TN_ERR_FILE ? tn_node_within(doc, node, TN_ERR_MODEL, key) : s;
}

static tn_status read_assemblies(struct tn_parts *parts, int file, const tn_node *section)
{
    for (int i = 0; section && section->kind == TN_NODE_MAP && i < section->count; i++) {
        const tn_node *named = tn_node_get(section->children[i], "file");
        if (named)
            TN_TRY(read_file(parts, file, "file", named));
    }
    return TN_OK;
}

// Reads the map of a file, a template or a block that is repeated.
static tn_status read_map(struct tn_parts *parts, int file, const tn_node *map)
{
    const tn_node *include = tn_node_get(map, "include"), *repeat = tn_node_get(map, "repeat"),
                  *templates = tn_node_get(map, "templates");
    if (include && include->kind == TN_NODE_SCALAR)
        TN_TRY(read_file(parts, file, "include", include));
    for (int i = 0; include && include->kind == TN_NODE_SEQUENCE && i < include->count; i++)
        TN_TRY(read_file(parts, file, "include", include->children[i]));
    TN_TRY(read_assemblies(parts, file, tn_node_get(map, "assemblies")));
    for (int i = 0; templates && i < templates->count; i++)
        TN_TRY(read_map(parts, file, templates->children[i]));
    if (repeat && repeat->kind == TN_NODE_MAP)
        return read_map(parts, file, repeat);
    for (int i = 0; repeat && i < repeat->count; i++)
        TN_TRY(read_map(parts, file, repeat->children[i]));
    return TN_OK;
}

tn_status tn_part_files_open(tn_document *doc)
{
    if (doc->parts)
        return TN_OK;
    struct tn_parts *parts = tn_alloc(sizeof *parts);
    TN_TRY(tn_got(parts));
    doc->close_parts = tn_parts_close;
    tn_status s = add_file(parts, known_path(doc->name), tn_strdup(""), doc);
    TN_THEN(s, read_map(parts, 0, doc->root));
    TN_HAND_OUT(s, parts, tn_parts_close, &doc->parts);
}

void tn_parts_close(struct tn_parts *parts)
{
    if (!parts)
        return;
    for (int i = 0; i < parts->files.count; i++) {
        if (i > 0)
            tn_document_destroy(parts->files.at[i].doc);
        TN_FREE(parts->files.at[i].path, parts->files.at[i].folder);
    }
    tn_document_destroy(parts->written);
    tn_array_free(&parts->files);
    tn_array_free(&parts->placings);
    tn_array_free(&parts->renamed);
    tn_array_free(&parts->sources);
    for (int i = 0; i < parts->tables.count; i++)
        tn_table_destroy(parts->tables.at[i]);
    tn_array_free(&parts->tables);
    tn_free(parts);
}

tn_status tn_parts_file_count(tn_document *doc, int *out)
{
    *out = 0;
    if (!tn_has_parts(doc->root))
        return TN_OK;
    TN_TRY(tn_part_files_open(doc));
    *out = doc->parts->files.count - 1;
    return TN_OK;
}

tn_status tn_parts_file(const tn_document *doc, int i, char **path, const tn_document **file)
{
    const tn_part_file *part = &doc->parts->files.at[i + 1]; // the first is the model itself
    const char *name = part->doc->name;
    *file = part->doc;
    *path = tn_format("%s%s", part->folder, name + folder_length(name));
    return tn_got(*path);
}

tn_status tn_parts_sum(tn_document *doc, uint32_t *out)
{
    int n;
    *out = doc->sum;
    TN_TRY(tn_parts_file_count(doc, &n));
    for (int i = 0; i < n; i++)
        *out = *out * 31u + doc->parts->files.at[i + 1].doc->sum;
    return TN_OK;
}
