// SPDX-License-Identifier: MIT
//
// A model made of parts is written out in two passes. The first lists its elements, with their full
// names and where they stand; when a part is listed, all names in it are known. The second copies
// their values with these names (part_copy.c). Within a part come first the files that it includes,
// then its own elements, then what it repeats, then its assemblies.

#include "read/parts.h"

#include "read/part_own.h"

#include <string.h>

bool tn_has_parts(const tn_node *root)
{
    static const char *const keys[] = {"include", "repeat", "templates", "assemblies"};
    for (int i = 0; i < TN_COUNT(keys); i++)
        if (tn_node_get(root, keys[i]))
            return true;
    return false;
}

static tn_status list_model(tn_part_writer *w)
{
    tn_part_scope *model = tn_document_take(w->doc, sizeof *model);
    TN_TRY(tn_got(model));
    *model = (tn_part_scope){.prefix = "", .of = w->parts->files.at[0].doc->root};
    tn_part top = {.at = {.scope = model}, .scope = model};
    TN_TRY(tn_part_add_source(w, (tn_source){w->doc->name, "", -1, NULL}, &top.at.source));
    tn_status s = tn_part_add_file(w, &top, 0);
    TN_THEN(s, tn_part_add_assemblies(w, &top));
    tn_array_free(&top.assemblies);
    return s;
}

static tn_status open_list(tn_part_writer *list)
{
    for (int k = 0; k < TN_PART_SECTIONS; k++) {
        TN_TRY(tn_table_create(&list->names[k]));
        tn_table_borrow(list->names[k]); // of documents
    }
    return tn_table_create(&list->template_names);
}

static void close_list(tn_part_writer *list)
{
    for (int k = 0; k < TN_PART_SECTIONS; k++)
        tn_table_destroy(list->names[k]);
    tn_table_destroy(list->template_names);
    tn_array_free(&list->items);
    tn_array_free(&list->templates);
    tn_array_free(&list->shapes);
    tn_array_free(&list->plugins);
    tn_array_free(&list->included);
    tn_array_free(&list->open);
}

static tn_status write_parts(tn_part_writer *w)
{
    w->doc->parts = tn_alloc(sizeof *w->doc->parts);
    w->doc->close_parts = tn_parts_close;
    TN_TRY(tn_got(w->doc->parts));
    TN_TRY(open_list(w));
    TN_TRY(list_model(w));
    return tn_part_write_model(w);
}

static tn_status write_document(tn_document *doc, int nvalue, const tn_parameter_value *values,
                                bool *by_parameters, tn_document **out)
{
    tn_part_writer w = {
        .parts = doc->parts, .nvalue = nvalue, .values = values, .numbers = tn_model_create()};
    tn_status s = tn_got(w.numbers);
    TN_THEN(s, tn_document_create(doc->name, &w.doc));
    TN_THEN(s, write_parts(&w));
    close_list(&w);
    tn_model_destroy(w.numbers);
    tn_free(w.text.text);
    *by_parameters = w.by_parameters;
    TN_HAND_OUT(s, w.doc, tn_document_destroy, out);
}

tn_status tn_parts_write(tn_document *doc, int nvalue, const tn_parameter_value *values,
                         tn_document **out)
{
    bool by_parameters = false;
    *out = doc;
    if (!tn_has_parts(doc->root))
        return TN_OK;
    TN_TRY(tn_part_files_open(doc));
    *out = doc->parts->written;
    if (*out)
        return TN_OK;
    TN_TRY(write_document(doc, nvalue, values, &by_parameters, out));
    if (!by_parameters)
        doc->parts->written = *out;
    return TN_OK;
}

tn_status tn_parts_expand(tn_document *doc, int nvalue, const tn_parameter_value *values,
                          const char *folder, tn_document **out)
{
    bool by_parameters = false;
    TN_TRY(tn_check_version(doc));
    TN_TRY(tn_part_files_open(doc));
    for (int i = 0; i < doc->parts->files.count; i++) {
        tn_part_file *file = &doc->parts->files.at[i];
        char *seen = file->folder[0] == '/' ? tn_strdup(file->folder)
                                            : tn_format("%s%s", folder, file->folder);
        TN_TRY(tn_got(seen));
        tn_free(file->folder);
        file->folder = seen;
    }
    return write_document(doc, nvalue, values, &by_parameters, out);
}

void tn_parts_done(tn_document *doc, tn_document *written)
{
    if (written != doc && (!doc->parts || written != doc->parts->written))
        tn_document_destroy(written);
}
