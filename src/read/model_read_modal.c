// SPDX-License-Identifier: MIT
//
// A body of a model file that is a modal body: its file, or the shapes of a rod, and its start.

#include "flex/modal_body.h"
#include "read/model_yaml.h"

#include "base/alloc.h"
#include "model/builder.h"
#include "text/lines.h"

#include <string.h>

const tn_param tn_rod_params[] = {
    TN_PARAM(tn_rod_def, length, NUMBER, "length", "m", .range = TN_POSITIVE, .required = true,
             .text = "of the rod, which lies along x of its frame, from x = 0 on"),
};
const int tn_rod_param_count = TN_COUNT(tn_rod_params);

// One number for all modes, or a list.
static tn_status read_damping(const tn_element *e, tn_modal_def *def)
{
    const tn_reader *r = e->reader;
    const tn_node *node = tn_element_get(e, "damping");
    const tn_words what = tn_element_words(e, "damping");
    if (!node)
        return TN_OK;
    const bool list = node->kind == TN_NODE_SEQUENCE;
    const int n = list ? node->count : 1;
    double *x = tn_document_take(r->doc, (size_t)(n + 1) * sizeof *x);
    TN_TRY(tn_got(x));
    for (int i = 0; i < n; i++)
        TN_TRY(tn_read_number(r, list ? node->children[i] : node, what.text, "", &x[i]));
    def->ndamping = n;
    def->damping = x;
    return TN_OK;
}

// [{y: "sin(pi*s/L)"}, ...]
static tn_status read_functions(const tn_element *rod, tn_rod_def *def)
{
    static const char *const keys[] = {"x", "y", "z"};
    const tn_reader *r = rod->reader;
    const tn_node *list = tn_element_get(rod, "functions");
    const tn_words what = tn_element_words(rod, "functions");
    if (!list)
        return tn_element_fail(rod, "missing key 'functions': a list of shapes, each with x, y or "
                                    "z as an expression of s, [{y: \"sin(pi*s)\"}]");
    if (list->kind != TN_NODE_SEQUENCE)
        return tn_node_expected(r->doc, list, what.text, "a list of shapes, [{y: \"sin(pi*s)\"}]");
    tn_rod_shape *shapes = tn_document_take(r->doc, (size_t)(list->count + 1) * sizeof *shapes);
    TN_TRY(tn_got(shapes));
    for (int i = 0; i < list->count; i++) {
        const tn_node *map = list->children[i];
        const char **text[3] = {&shapes[i].x, &shapes[i].y, &shapes[i].z};
        if (map->kind != TN_NODE_MAP)
            return tn_node_expected(r->doc, map, what.text, "a shape, {y: \"sin(pi*s)\"}");
        for (int k = 0; k < map->count; k++) {
            int which = 0;
            while (which < 3 && strcmp(map->keys[k]->text, keys[which]))
                which++;
            if (which == 3)
                return tn_node_fail(r->doc, map->keys[k], TN_ERR_MODEL,
                                    "%s: unknown key '%s'; a shape has x, y and z, displacements "
                                    "as expressions of s",
                                    what.text, map->keys[k]->text);
            TN_TRY(tn_node_resolve(r->doc, map->children[k], TN_PART_CURVE));
            TN_TRY(tn_node_string(r->doc, map->children[k], what.text, text[which]));
        }
    }
    def->nshape = list->count;
    def->shapes = shapes;
    return TN_OK;
}

static tn_status read_rod(const tn_element *e, tn_rod_def *def)
{
    tn_element rod;
    TN_TRY(tn_element_child(e, "rod", &rod));
    if (!rod.map)
        return TN_OK;
    TN_TRY(TN_CHECK_KEYS(&rod, tn_rod_param_count, tn_rod_params, tn_keys_rod));
    TN_TRY(tn_read_params(&rod, tn_rod_param_count, tn_rod_params, def));
    TN_TRY(tn_read_section(&rod, &def->section));
    TN_TRY(read_functions(&rod, def));
    return tn_read_distances(&rod, "attachments", "{start: 0, end: 1}", &def->nattachment,
                             &def->attachment_at, &def->attachment_name);
}

static tn_status read_start(const tn_element *e, tn_modal_def *def)
{
    tn_element initial;
    TN_TRY(tn_element_child(e, "initial", &initial));
    if (!initial.map)
        return TN_OK;
    TN_TRY(TN_CHECK_KEYS(&initial, tn_modal_start_param_count, tn_modal_start_params,
                         tn_keys_body_start));
    TN_TRY(tn_read_params(&initial, tn_modal_start_param_count, tn_modal_start_params, def));
    return tn_read_guess(&initial, &def->given_position, &def->given_rotation);
}

// A relative path is one beside the model file.
static tn_status find_file(const tn_element *e, tn_modal_def *def)
{
    if (!def->file)
        return TN_OK;
    char *full = tn_path_beside(e->reader->doc->name, def->file);
    TN_TRY(tn_got(full));
    def->file = tn_pool_text(&e->reader->doc->memory, full, strlen(full));
    tn_free(full);
    return tn_got(def->file);
}

tn_status tn_read_modal(tn_element *e)
{
    tn_modal_def def = tn_default_modal();
    def.name = e->key->text;
    TN_TRY(TN_CHECK_KEYS(e, tn_modal_param_count, tn_modal_params, tn_keys_modal));
    TN_TRY(tn_read_params(e, tn_modal_param_count, tn_modal_params, &def));
    TN_TRY(find_file(e, &def));
    TN_TRY(read_damping(e, &def));
    TN_TRY(read_rod(e, &def.rod));
    TN_TRY(read_start(e, &def));
    TN_TRY(tn_place_params(e, tn_modal_start_param_count, tn_modal_start_params, &def));
    const tn_modal_body body = tn_model_add_modal(e->reader->model, &def);
    TN_TRY(tn_element_locate(e, tn_model_status(e->reader->model)));
    return tn_read_shapes(e, tn_model_modal_frame(e->reader->model, body), (tn_beam){-1});
}
