// SPDX-License-Identifier: MIT
//
// Parts of pages beside plain JSON: nodes of documents, and numbers as base64 of their bytes in the
// order of little-endian machines, which journals ask for as well.

#include "file/json_stream.h"

#include <math.h>
#include <string.h>

static void put_scalar(tn_json *json, const char *key, const tn_node *node)
{
    double number;
    if (!node->quoted && tn_number_from_text(node->text, &number) && isfinite(number))
        tn_json_number(json, key, number);
    else if (!node->quoted && (!strcmp(node->text, "true") || !strcmp(node->text, "false")))
        tn_json_boolean(json, key, *node->text == 't');
    else
        tn_json_string(json, key, node->text);
}

void tn_page_node(tn_json *json, const char *key, const tn_node *node, const char *without)
{
    switch (node->kind) {
    case TN_NODE_NULL:
        tn_json_null(json, key);
        break;
    case TN_NODE_SCALAR:
        put_scalar(json, key, node);
        break;
    case TN_NODE_MAP:
        tn_json_begin_object(json, key);
        for (int i = 0; i < node->count; i++)
            if (!without || strcmp(node->keys[i]->text, without) != 0)
                tn_page_node(json, node->keys[i]->text, node->children[i], NULL);
        tn_json_end_object(json);
        break;
    case TN_NODE_SEQUENCE:
        tn_json_begin_array(json, key);
        for (int i = 0; i < node->count; i++)
            tn_page_node(json, NULL, node->children[i], NULL);
        tn_json_end_array(json);
        break;
    }
}

void tn_page_array_begin(tn_page_array *array, tn_json *json, const char *key, bool narrow)
{
    *array = (tn_page_array){json, {.write = tn_json_add_text, .user = json}, narrow};
    tn_json_begin_object(json, key);
    tn_json_begin_text(json, narrow ? "f32" : "f64");
}

void tn_page_array_put(tn_page_array *array, long n, const double *values)
{
    if (!array->narrow)
        tn_base64_put(&array->base64, values, (size_t)n * sizeof *values);
    for (long i = 0; i < n && array->narrow; i++)
        tn_base64_put(&array->base64, &(float){(float)values[i]}, sizeof(float));
}

void tn_page_array_end(tn_page_array *array)
{
    tn_base64_end(&array->base64);
    tn_json_end_text(array->json);
    tn_json_end_object(array->json);
}
